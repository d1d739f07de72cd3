//! Assigns comments to the parts of a rewritten expression.

use std::collections::HashMap;

use lossless_yaml::{Document, NodeId};
use source_diagnostics::Span;

/// The comments that move with a part.
#[derive(Clone, Debug, Default)]
pub(super) struct AttachedComments {
    /// Comments on lines of their own, before the part.
    pub(super) leading: Vec<Span>,
    /// Comments behind the part on its line.
    pub(super) trailing: Vec<Span>,
    /// True if another comment follows the whole expression on its last line, where this part may end up.
    pub(super) last: bool,
}

impl AttachedComments {
    pub(super) fn is_empty(&self) -> bool {
        self.leading.is_empty() && self.trailing.is_empty()
    }

    pub(super) fn all(&self) -> impl Iterator<Item = Span> {
        self.leading.iter().chain(&self.trailing).copied()
    }
}

/// The comment behind `node` on its last line.
pub(super) fn following(document: &Document, node: NodeId) -> Option<Span> {
    let end = document.span(node).end;
    let comments = document.comments();
    let next = comments.get(comments.partition_point(|comment| comment.start < end))?;
    let between = &document.text()[end as usize..next.start as usize];
    between
        .trim_start_matches([' ', '\t'])
        .is_empty()
        .then(|| Span::new(document.source(), next.start, next.end))
}

/// The comments on lines of their own below `node`, as far as they are indented deeper than `indent`.
pub(super) fn below(document: &Document, node: NodeId, indent: usize) -> Vec<Span> {
    let text = document.text();
    let mut end = document.span(node).end as usize;
    let comments = document.comments();
    let first = comments.partition_point(|comment| (comment.start as usize) < end);
    let mut found = Vec::new();
    for comment in &comments[first..] {
        let between = &text[end..comment.start as usize];
        let line = between.rfind(['\n', '\r']).map(|at| &between[at + 1..]);
        let line = line.or_else(|| text[..end].ends_with(['\n', '\r']).then_some(between));
        match line {
            Some(line) if between.trim().is_empty() && line.len() > indent => {}
            _ => break,
        }
        found.push(Span::new(document.source(), comment.start, comment.end));
        end = comment.end as usize;
    }
    found
}

/// Assigns every comment inside `node` that is not inside one of `parts` to a part: a comment
/// behind a part on its line to that part, any other comment to the next part, or else to the last. Without
/// any part, the comments are returned.
pub(super) fn attach(
    document: &Document,
    node: NodeId,
    parts: &[NodeId],
) -> (HashMap<NodeId, AttachedComments>, Vec<Span>) {
    let mut attached: HashMap<NodeId, AttachedComments> = HashMap::new();
    let mut orphans = Vec::new();
    let whole = document.span(node);
    let text = document.text();
    let comments = document.comments();
    let first = comments.partition_point(|comment| comment.start < whole.start);
    let inside = comments[first..]
        .iter()
        .take_while(|comment| comment.start < whole.end)
        .map(|comment| Span::new(document.source(), comment.start, comment.end));
    let mut parts: Vec<(Span, NodeId)> = parts
        .iter()
        .map(|&part| (document.span_with_properties(part), part))
        .filter(|(span, _)| whole.contains(*span))
        .collect();
    parts.sort();
    for comment in inside {
        if parts.iter().any(|(span, _)| span.contains(comment)) {
            continue;
        }
        let before = parts.iter().rev().find(|(span, _)| span.end <= comment.start);
        let after = parts.iter().find(|(span, _)| span.start >= comment.end);
        let behind = before.filter(|(span, _)| {
            !text[span.end as usize..comment.start as usize].contains(['\n', '\r'])
                && !text[..span.end as usize].ends_with(['\n', '\r'])
        });
        match (behind, after, before) {
            (Some((_, part)), ..) => {
                attached.entry(*part).or_default().trailing.push(comment);
            }
            (None, Some((_, part)), _) => attached.entry(*part).or_default().leading.push(comment),
            (None, None, Some((_, part))) => {
                attached.entry(*part).or_default().leading.push(comment);
            }
            (None, None, None) => orphans.push(comment),
        }
    }
    (attached, orphans)
}
