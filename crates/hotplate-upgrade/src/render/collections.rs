//! Renders maps and lists, in flow or block style.

use super::Renderer;
use super::fragments::{FragmentPosition, RenderedFragment};
use crate::fragment::Fragment;
use lossless_yaml::{NodeId, NodeKind, NodeStyle, Syntax};

impl Renderer<'_> {
    /// Whether a fragment is written as a block collection if the context allows it.
    pub(super) fn is_block(&self, fragment: &Fragment) -> bool {
        match fragment {
            Fragment::Literal(_) => false,
            Fragment::Node(node) => match self.replaced.get(node) {
                Some(with) if self.document.node_as_written(*node).style == NodeStyle::Block => {
                    self.is_block(with)
                }
                _ => self.document.node_as_written(*node).style == NodeStyle::Block,
            },
            // An empty block would have no text.
            Fragment::List { items, .. } if items.is_empty() => false,
            Fragment::Map { like, .. } | Fragment::List { like, .. } => {
                self.document.node_as_written(*like).style == NodeStyle::Block
                    || !self.fits_flow(fragment)
            }
        }
    }

    /// Whether a fragment can be written in flow style, its new parts on one line.
    fn fits_flow(&self, fragment: &Fragment) -> bool {
        let bare =
            |node: &NodeId| self.comments.get(node).is_none_or(|attached| attached.is_empty());
        match fragment {
            Fragment::Literal(_) => true,
            Fragment::Node(node) => {
                let fits =
                    match (self.document.node_as_written(*node).style, self.replaced.get(node)) {
                        (NodeStyle::Literal | NodeStyle::Folded, _) => false,
                        (NodeStyle::Block, Some(with)) => !self.is_block(with),
                        (NodeStyle::Block, None) => false,
                        _ => true,
                    };
                fits && bare(node)
            }
            Fragment::Map { pairs, .. } => pairs.iter().all(|(_, value)| self.fits_flow(value)),
            Fragment::List { items, .. } => items.iter().all(|item| self.fits_flow(item)),
        }
    }

    pub(super) fn collection(
        &self,
        whole: &Fragment,
        parts: &[(Option<String>, &Fragment)],
        like: NodeId,
        at: FragmentPosition,
        brackets: [char; 2],
    ) -> RenderedFragment {
        match at {
            FragmentPosition::Flow { indent } => {
                RenderedFragment::inline(self.flow_collection(parts, like, indent, brackets))
            }
            FragmentPosition::Block { parent, .. } if !self.is_block(whole) => {
                RenderedFragment::inline(self.flow_collection(parts, like, parent + 2, brackets))
            }
            FragmentPosition::Block { column, .. } => self.block_collection(parts, column),
        }
    }

    fn flow_collection(
        &self,
        parts: &[(Option<String>, &Fragment)],
        like: NodeId,
        indent: usize,
        brackets: [char; 2],
    ) -> String {
        let padded = {
            let node = self.document.node_as_written(like);
            let slice = self.document.slice(self.document.span(like));
            node.style == NodeStyle::Flow
                && slice.starts_with(brackets[0])
                && slice[1..].starts_with(' ')
        };
        let pad = if padded { " " } else { "" };
        let mut text = String::from(brackets[0]);
        text.push_str(pad);
        for (at, (key, part)) in parts.iter().enumerate() {
            if at > 0 && !text.ends_with(' ') {
                text.push(' ');
            }
            let attached = match part {
                Fragment::Node(node) => self.comments.get(node),
                _ => None,
            };
            for comment in attached.iter().flat_map(|attached| &attached.leading) {
                text.push_str(self.document.slice(*comment));
                self.line(&mut text, indent);
            }
            if let Some(key) = key {
                text.push_str(key);
                text.push_str(": ");
            }
            text.push_str(&self.fragment(part, FragmentPosition::Flow { indent }).text);
            if at + 1 < parts.len() {
                text.push(',');
            }
            for comment in attached.iter().flat_map(|attached| &attached.trailing) {
                text.push(' ');
                text.push_str(self.document.slice(*comment));
                self.line(&mut text, indent);
            }
        }
        text.push_str(pad);
        text.push(brackets[1]);
        text
    }

    fn block_collection(
        &self,
        parts: &[(Option<String>, &Fragment)],
        column: usize,
    ) -> RenderedFragment {
        let mut text = String::new();
        for (at, (key, part)) in parts.iter().enumerate() {
            if at > 0 {
                self.line(&mut text, column);
            }
            let child_column = match key {
                Some(_) => column + self.child_offset(part),
                None => column + 2,
            };
            let value = self
                .fragment(part, FragmentPosition::Block { column: child_column, parent: column });
            let attached = match part {
                Fragment::Node(node) => self.comments.get(node),
                _ => None,
            };
            let mut trailing = Vec::new();
            if let Some(attached) = attached.filter(|attached| !attached.is_empty()) {
                // Nothing can follow a block scalar on its line, but a comment follows the last part.
                let open = match part {
                    Fragment::Node(node) => !self.holds_block_scalar(*node),
                    _ => !value.text.contains(['\n', '\r']),
                };
                let taken = attached.last && at + 1 == parts.len();
                let mut leading = attached.leading.clone();
                if open && attached.trailing.len() <= 1 && !taken {
                    trailing.clone_from(&attached.trailing);
                } else {
                    leading.extend(&attached.trailing);
                }
                for comment in leading {
                    text.push_str(self.document.slice(comment));
                    self.line(&mut text, column);
                }
            }
            match key {
                Some(key) => {
                    text.push_str(key);
                    text.push(':');
                    if value.block {
                        self.line(&mut text, child_column);
                    } else {
                        text.push(' ');
                    }
                }
                None => text.push_str("- "),
            }
            text.push_str(&value.text);
            for comment in trailing {
                text.push_str("  ");
                text.push_str(self.document.slice(comment));
            }
        }
        RenderedFragment { text, block: true }
    }

    /// Whether a node contains a block scalar.
    fn holds_block_scalar(&self, node: NodeId) -> bool {
        let document = self.document;
        let span = document.span(node);
        document.nodes().iter().any(|node| {
            matches!(node.style, NodeStyle::Literal | NodeStyle::Folded)
                && span.start <= node.start
                && node.end <= span.end
        })
    }

    /// The indentation of a block collection relative to its key.
    fn child_offset(&self, part: &Fragment) -> usize {
        let (node, sequence) = match part {
            Fragment::Literal(_) => return 2,
            Fragment::Node(node) => {
                let sequence = matches!(self.document.kind(*node), NodeKind::Sequence(_))
                    && !self.replaced.contains_key(node);
                (*node, sequence)
            }
            Fragment::Map { like, .. } => (*like, false),
            Fragment::List { like, .. } => (*like, true),
        };
        if self.document.node_as_written(node).style != NodeStyle::Block {
            return 2;
        }
        let offset = self.layout.column(node).saturating_sub(self.layout.parent_indent(node));
        offset.max(usize::from(!sequence) * 2)
    }

    /// A key with the same quotes as the node whose style it copies.
    pub(super) fn key(&self, key: &str, like: NodeId) -> String {
        let style = match &self.document.node_as_written(like).kind {
            NodeKind::Mapping(mapping) => mapping
                .written()
                .first()
                .map(|entry| self.document.node_as_written(entry.key).style),
            _ => None,
        };
        match (self.document.syntax(), style) {
            (Syntax::Json, _) | (_, Some(NodeStyle::DoubleQuoted)) => format!("\"{key}\""),
            (_, Some(NodeStyle::SingleQuoted)) => format!("'{key}'"),
            _ => key.to_owned(),
        }
    }
}
