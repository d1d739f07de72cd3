//! Renders fragments: new literals, parts of the old text at a new position, and the replacement of
//! a replaced node.

use super::lines::{indented, shift};
use super::{Renderer, pairs};
use crate::fragment::Fragment;
use lossless_yaml::{NodeId, NodeKind, NodeStyle, Value};
use source_diagnostics::Span;

/// The context in which a fragment is written.
#[derive(Clone, Copy, Debug)]
pub(super) enum FragmentPosition {
    /// In flow style, inside brackets or braces.
    Flow { indent: usize },
    /// In block style: a block collection may begin at `column`; scalars belong to the collection whose
    /// indentation is `parent`.
    Block { column: usize, parent: usize },
}

pub(super) struct RenderedFragment {
    pub(super) text: String,
    /// True for a block collection, which begins at its own column.
    pub(super) block: bool,
}

impl RenderedFragment {
    pub(super) fn inline(text: String) -> Self {
        RenderedFragment { text, block: false }
    }
}

impl Renderer<'_> {
    pub(super) fn fragment(&self, fragment: &Fragment, at: FragmentPosition) -> RenderedFragment {
        match fragment {
            Fragment::Literal(value) => RenderedFragment::inline(self.scalar(value)),
            Fragment::Node(node) => self.part(*node, at),
            Fragment::Map { pairs, like } => {
                let parts: Vec<(Option<String>, &Fragment)> =
                    pairs.iter().map(|(key, value)| (Some(self.key(key, *like)), value)).collect();
                self.collection(fragment, &parts, *like, at, ['{', '}'])
            }
            Fragment::List { items, like } => {
                let parts: Vec<_> = items.iter().map(|item| (None, item)).collect();
                self.collection(fragment, &parts, *like, at, ['[', ']'])
            }
        }
    }

    /// Renders a part of the old text at a new position.
    fn part(&self, node: NodeId, at: FragmentPosition) -> RenderedFragment {
        let document = self.document;
        let written = document.node_as_written(node);
        let rewritten = self.replaced.contains_key(&node);
        let emitted = if rewritten {
            self.replacement(node)
        } else {
            let text = self.range(written.start, written.end);
            let text = if self.bare_pair(node) { format!("{{{text}}}") } else { text };
            RenderedFragment { text, block: written.style == NodeStyle::Block }
        };
        let properties = match (rewritten, self.anchor(node)) {
            (false, _) => self.properties(node).to_owned(),
            (true, "") => String::new(),
            (true, anchor) if emitted.block => {
                let mut anchor = anchor.to_owned();
                self.line(&mut anchor, self.layout.column(node));
                anchor
            }
            (true, anchor) => format!("{anchor} "),
        };
        let (column, parent) = match at {
            FragmentPosition::Flow { indent } => {
                if written.style == NodeStyle::Plain
                    && !rewritten
                    && let Some(text) = document.str(node)
                    && !matches!(written.kind, NodeKind::Alias(_))
                    && text.contains([',', '[', ']', '{', '}', '\n', '\r'])
                {
                    return RenderedFragment::inline(self.scalar(&Value::Text(text.to_owned())));
                }
                let text = format!("{properties}{}", emitted.text);
                return RenderedFragment::inline(indented(&text, indent, document.syntax()));
            }
            FragmentPosition::Block { column, parent } => (column, parent),
        };
        let delta = if emitted.block {
            column as isize - self.layout.column(node) as isize
        } else {
            parent as isize - self.layout.parent_indent(node) as isize
        };
        let text = shift(&format!("{properties}{}", emitted.text), delta, document.syntax());
        RenderedFragment { text, block: emitted.block && properties.is_empty() }
    }

    /// Renders the replacement of a node at the position of the node.
    pub(super) fn replacement(&self, node: NodeId) -> RenderedFragment {
        let Some(with) = self.replaced.get(&node) else {
            let span = self.document.span(node);
            return RenderedFragment::inline(self.range(span.start, span.end));
        };
        let parent = self.layout.parent_indent(node);
        let at = match self.document.node_as_written(node).style {
            NodeStyle::Block => {
                FragmentPosition::Block { column: self.layout.column(node), parent }
            }
            _ => FragmentPosition::Flow { indent: parent + 2 },
        };
        // If another comment ends the last line, every trailing comment moves before its part.
        let mut emitted = self.fragment(with, at);
        let mut leading: Vec<Span> = self.orphans.get(&node).cloned().unwrap_or_default();
        if let Fragment::Node(part) = with
            && let Some(attached) = self.comments.get(part)
        {
            leading.extend(attached.all());
            leading.sort_unstable();
        }
        if !leading.is_empty() {
            let indent = match at {
                FragmentPosition::Block { column, .. } => column,
                FragmentPosition::Flow { indent } => indent,
            };
            let mut text = String::new();
            for comment in leading {
                text.push_str(self.document.slice(comment));
                self.line(&mut text, indent);
            }
            text.push_str(&emitted.text);
            emitted.text = text;
        }
        // Only a block scalar includes its line end.
        let old = self.document.slice(self.document.span(node));
        let ended = |text: &str| text.ends_with(['\n', '\r']);
        if ended(old) && !ended(&emitted.text) {
            emitted.text.push_str(self.eol);
        } else if !ended(old) && ended(&emitted.text) && !self.commented_behind(node) {
            let kept = emitted.text.trim_end_matches(['\n', '\r']).len();
            emitted.text.truncate(kept);
        }
        emitted
    }

    /// Whether a comment follows a node on its last line.
    fn commented_behind(&self, node: NodeId) -> bool {
        let text = self.document.text();
        let end = self.document.node_as_written(node).end;
        text[end as usize..pairs::line_end(text, end) as usize].trim_start().starts_with('#')
    }

    /// Whether a node is a single pair without braces in a flow list: `[get_param: x]`.
    fn bare_pair(&self, node: NodeId) -> bool {
        let written = self.document.node_as_written(node);
        matches!(written.kind, NodeKind::Mapping(_))
            && written.style == NodeStyle::Flow
            && !self.document.slice(self.document.span(node)).starts_with('{')
    }
}
