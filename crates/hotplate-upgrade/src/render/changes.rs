//! Changes of the text: the bytes that each replaces, and the new text.

use super::Renderer;
use crate::fragment::Fragment;
use crate::rule::TextChange;
use lossless_yaml::{NodeId, NodeStyle};
use source_diagnostics::Span;

/// A change with the bytes that it replaces.
#[derive(Clone, Debug)]
pub(super) struct PlacedChange {
    /// The bytes that it replaces.
    pub(super) span: Span,
    pub(super) action: ChangeAction,
}

#[derive(Clone, Debug)]
pub(super) enum ChangeAction {
    Text(String),
    /// A node is replaced; `pulled` moves the replacement up to the line of its key.
    Node {
        node: NodeId,
        pulled: bool,
    },
}

impl Renderer<'_> {
    pub(super) fn place(&self, change: &TextChange) -> Option<PlacedChange> {
        match change {
            TextChange::Scalar { node, text } => {
                if let Some(span) = self.word_of_block(*node) {
                    return Some(PlacedChange { span, action: ChangeAction::Text(text.clone()) });
                }
                let span = self.document.span(*node);
                Some(PlacedChange { span, action: ChangeAction::Text(self.requoted(*node, text)) })
            }
            TextChange::Node { node, with } => {
                let mut span = self.document.span(*node);
                // A tag describes the old value and is dropped; an anchor stays.
                if self.tagged(*node) {
                    let start = self.document.node_as_written(*node).property_start;
                    let before = &self.document.text()[..start as usize];
                    span.start = before.trim_end_matches(' ').len() as u32;
                }
                let pulled = self.pull_start(*node, with);
                if let Some(start) = pulled {
                    span.start = start;
                }
                if let Some(comment) = self.followed.get(node) {
                    span.end = comment.end;
                }
                let pulled = pulled.is_some();
                Some(PlacedChange { span, action: ChangeAction::Node { node: *node, pulled } })
            }
            TextChange::Delete { map, entry } => Some(self.deletion(*map, *entry)),
            TextChange::Parameter { .. } => None,
        }
    }

    /// The start of the replacement of a block map, if it can move up to the line of its key.
    fn pull_start(&self, node: NodeId, with: &Fragment) -> Option<u32> {
        let written = self.document.node_as_written(node);
        let commented = self.comments.values().any(|attached| !attached.is_empty())
            && with
                .nodes()
                .iter()
                .any(|node| self.comments.get(node).is_some_and(|attached| !attached.is_empty()));
        let orphaned = self.orphans.get(&node).is_some_and(|orphans| !orphans.is_empty());
        if written.style != NodeStyle::Block
            || written.property_start != written.start
            || commented
            || orphaned
            || self.is_block(with)
        {
            return None;
        }
        let before = &self.document.text()[..written.start as usize];
        let trimmed = before.trim_end_matches([' ', '\t', '\r', '\n']);
        let gap = &before[trimmed.len()..];
        (trimmed.ends_with(':') && gap.contains(['\n', '\r'])).then_some(trimmed.len() as u32)
    }

    pub(super) fn text_of(&self, placed: &PlacedChange) -> String {
        match &placed.action {
            ChangeAction::Text(text) => text.clone(),
            ChangeAction::Node { node, pulled } => {
                let emitted = self.replacement(*node);
                if *pulled {
                    format!(" {}", emitted.text)
                } else if self.tagged(*node) {
                    self.untagged(*node, placed, &emitted)
                } else {
                    emitted.text
                }
            }
        }
    }

    /// The text of a range with the changes that are completely inside it applied.
    pub(super) fn range(&self, start: u32, end: u32) -> String {
        let text = self.document.text();
        let mut result = String::with_capacity((end - start) as usize);
        let mut done = start;
        let first = self.placed.partition_point(|placed| placed.span.start < start);
        for placed in &self.placed[first..] {
            if placed.span.start >= end {
                break;
            }
            // A removed line may include a line end outside of this range.
            let beyond = text.get(end as usize..placed.span.end as usize).unwrap_or_default();
            if placed.span.start < done || !beyond.trim().is_empty() {
                continue;
            }
            result.push_str(&text[done as usize..placed.span.start as usize]);
            result.push_str(&self.text_of(placed));
            done = placed.span.end.min(end);
        }
        result.push_str(&text[done as usize..end as usize]);
        result
    }
}
