//! Renders rewrites as text: which bytes change, and their replacement.
//!
//! Changes nest: a rewritten expression reuses parts of the text that are rewritten
//! themselves. The outermost change is an edit of the document; the changes inside it
//! are applied while its fragment is rendered.

mod changes;
mod collections;
mod fragments;
mod lines;
mod pairs;
mod properties;
mod scalars;

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use self::changes::{ChangeAction, PlacedChange};
use super::comments::{AttachedComments, attach, below, following};
use super::fragment::Fragment;
use super::layout::Layout;
use super::rule::TextChange;
use lossless_yaml::{Document, Edits, Node, NodeId, NodeStyle};
use source_diagnostics::Span;

/// Renders the changes of one document.
pub(super) struct Renderer<'d> {
    document: &'d Document,
    layout: Layout<'d>,
    replaced: HashMap<NodeId, &'d Fragment>,
    /// The replaced nodes by where they end.
    replaced_by_end: HashMap<u32, Vec<NodeId>>,
    /// The spans of the replaced nodes that are not inside another one, in the order of the text.
    outermost: Vec<Span>,
    /// The offsets where block scalars end.
    block_ends: HashSet<u32>,
    /// The positions, in its map, of the pairs that are removed together with the one of a key.
    removed_runs: HashMap<NodeId, Range<usize>>,
    placed: Vec<PlacedChange>,
    /// The bytes that the declarations of new parameters replace, and their text.
    declared: Option<(Span, String)>,
    comments: HashMap<NodeId, AttachedComments>,
    /// The comment on the last line of a replaced node, if it moves with a part that moves up.
    followed: HashMap<NodeId, Span>,
    /// Comments of a replaced node that belong to no part.
    orphans: HashMap<NodeId, Vec<Span>>,
    /// The ends of parts that a comment of another node will follow.
    commented: HashSet<u32>,
    eol: &'static str,
}

impl<'d> Renderer<'d> {
    /// A renderer for `changes` of the document.
    pub(super) fn new(
        document: &'d Document,
        changes: impl Iterator<Item = &'d TextChange>,
    ) -> Self {
        let mut renderer = Renderer {
            document,
            layout: Layout::new(document),
            replaced: HashMap::new(),
            replaced_by_end: HashMap::new(),
            outermost: Vec::new(),
            block_ends: HashSet::new(),
            removed_runs: HashMap::new(),
            placed: Vec::new(),
            declared: None,
            comments: HashMap::new(),
            followed: HashMap::new(),
            orphans: HashMap::new(),
            commented: HashSet::new(),
            eol: document.line_ending().as_str(),
        };
        let changes: Vec<&TextChange> = changes.collect();
        for change in &changes {
            if let TextChange::Node { node, with } = change {
                renderer.replaced.insert(*node, with);
                let (attached, mut orphans) = attach(document, *node, &with.nodes());
                if renderer.tagged(*node) {
                    // The tag is removed, and the text behind it stays.
                    let written = document.node_as_written(*node);
                    let between = document.comments().iter().filter(|comment| {
                        written.property_start <= comment.start && comment.end <= written.start
                    });
                    let between = between
                        .map(|comment| Span::new(document.source(), comment.start, comment.end));
                    orphans.splice(0..0, between);
                }
                renderer.comments.extend(attached);
                renderer.orphans.insert(*node, orphans);
            }
        }
        renderer.index();
        renderer.find_removed_runs(&changes);
        for change in &changes {
            if let TextChange::Node { node, with } = change
                && let Some(comment) = following(document, *node)
                && !renderer.take_following(*node, with, comment)
            {
                renderer.reserve_line_end(with);
            }
        }
        for change in &changes {
            if let TextChange::Node { node, with } = change {
                renderer.take_below(*node, with);
            }
        }
        let mut parameters = Vec::new();
        for change in changes {
            match change {
                TextChange::Parameter { name, default } => parameters.push((name, default)),
                _ if renderer.is_removed_with_previous(change) => {}
                _ => {
                    let placed = renderer.place(change);
                    renderer.placed.extend(placed);
                }
            }
        }
        if !parameters.is_empty() {
            renderer.declared = renderer.new_parameters(&parameters);
            let declared = renderer.declared.clone();
            renderer.placed.extend(
                declared
                    .map(|(span, text)| PlacedChange { span, action: ChangeAction::Text(text) }),
            );
        }
        // An insertion precedes a replacement or deletion at the same offset; the outer change comes first.
        renderer.placed.sort_by_key(|placed| {
            let span = placed.span;
            (span.start, !span.is_empty(), std::cmp::Reverse(span.end))
        });
        renderer
    }

    /// Indexes the positions of the replaced nodes and of block scalars.
    fn index(&mut self) {
        let document = self.document;
        let mut spans = Vec::with_capacity(self.replaced.len());
        for node in self.replaced.keys() {
            let span = document.span(*node);
            self.replaced_by_end.entry(span.end).or_default().push(*node);
            spans.push(span);
        }
        spans.sort_by_key(|span| (span.start, std::cmp::Reverse(span.end)));
        for span in spans {
            // Nodes are nested or disjoint.
            if self.outermost.last().is_none_or(|outer| !outer.contains(span)) {
                self.outermost.push(span);
            }
        }
        let is_block = |node: &&Node| matches!(node.style, NodeStyle::Literal | NodeStyle::Folded);
        self.block_ends = document.nodes().iter().filter(is_block).map(|node| node.end).collect();
    }

    fn replaced_at_end(&self, whole: Span) -> impl Iterator<Item = &NodeId> {
        let ending = self.replaced_by_end.get(&whole.end).into_iter().flatten();
        ending.filter(move |node| whole.contains(self.document.span(**node)))
    }

    /// Moves the comment at the end of the last line of a block with the part that it follows,
    /// if that part is no longer the last. Returns whether it does.
    fn take_following(&mut self, node: NodeId, with: &Fragment, comment: Span) -> bool {
        let document = self.document;
        let whole = document.span(node);
        if self.is_inner(node)
            || document.node_as_written(node).style != NodeStyle::Block
            || !self.is_block(with)
        {
            return false;
        }
        let parts = with.nodes();
        let inside = parts.iter().filter(|part| whole.contains(document.span(**part)));
        let Some(part) = inside.max_by_key(|part| document.span(**part).end).copied() else {
            return false;
        };
        if with.last() == Some(part) {
            return false;
        }
        self.comments.entry(part).or_default().trailing.push(comment);
        self.followed.insert(node, comment);
        true
    }

    /// Whether the node is inside another replaced node.
    fn is_inner(&self, node: NodeId) -> bool {
        let whole = self.document.span(node);
        let next = self.outermost.partition_point(|outer| outer.start <= whole.start);
        let around = next.checked_sub(1).and_then(|at| self.outermost.get(at));
        around.is_some_and(|outer| *outer != whole && outer.contains(whole))
    }

    /// Moves comments on the lines below a node before it: a block scalar that now ends it would
    /// include them in its text.
    fn take_below(&mut self, node: NodeId, with: &Fragment) {
        let document = self.document;
        let whole = document.span(node);
        if self.is_inner(node) || self.followed.contains_key(&node) || !self.ends_in_text(with) {
            return;
        }
        let below = below(document, node, self.layout.parent_indent(node));
        let Some(last) = below.last() else { return };
        let mut taken = *last;
        if document.slice(whole).ends_with(['\n', '\r']) {
            taken.end = pairs::after_line_end(document.text(), taken.end);
        }
        self.orphans.entry(node).or_default().extend(below);
        self.followed.insert(node, taken);
    }

    /// Whether the replacement of a node ends with a block scalar.
    fn ends_in_text(&self, with: &Fragment) -> bool {
        let Some(part) = with.last() else { return false };
        let document = self.document;
        let whole = document.span(part);
        match self.replaced_at_end(whole).min_by_key(|node| document.span(**node).start) {
            Some(node) => self.ends_in_text(self.replaced[node]),
            None => self.block_ends.contains(&whole.end),
        }
    }

    /// Reserves the end of the last line of a replacement for a comment that follows it, so that no part may end
    /// that line with its own comment, however deeply it is rewritten itself.
    fn reserve_line_end(&mut self, with: &Fragment) {
        let document = self.document;
        let mut last = with.last();
        while let Some(part) = last {
            if let Some(attached) = self.comments.get_mut(&part) {
                attached.last = true;
            }
            // A reused part may itself end with a rewritten node.
            let whole = document.span(part);
            self.commented.insert(whole.end);
            let outermost =
                self.replaced_at_end(whole).min_by_key(|node| document.span(**node).start);
            last = outermost.and_then(|node| self.replaced[node].last());
        }
    }

    /// The bytes that a change replaces.
    pub(super) fn span_of(&self, change: &TextChange) -> Option<Span> {
        self.place(change).map(|placed| placed.span)
    }

    /// The declarations of new parameters: the bytes that they replace, and their text.
    pub(super) fn declared(&self) -> Option<(Span, &str)> {
        self.declared.as_ref().map(|(span, text)| (*span, text.as_str()))
    }

    /// The text of `span` with the changes inside it applied.
    pub(super) fn after(&self, span: Span) -> String {
        self.range(span.start, span.end)
    }

    /// The edits of the document for all changes.
    pub(super) fn edits(&self) -> Edits {
        let mut edits = Edits::new();
        let mut done = 0;
        for placed in &self.placed {
            // A change inside an earlier one was applied while that was rendered.
            if placed.span.start < done {
                continue;
            }
            edits.replace(placed.span, self.text_of(placed));
            done = placed.span.end;
        }
        edits
    }
}
