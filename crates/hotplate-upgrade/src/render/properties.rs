//! Tags and anchors, which YAML calls node properties.

use super::Renderer;
use super::changes::PlacedChange;
use super::fragments::RenderedFragment;
use lossless_yaml::NodeId;

impl<'d> Renderer<'d> {
    pub(super) fn properties(&self, node: NodeId) -> &'d str {
        let written = self.document.node_as_written(node);
        &self.document.text()[written.property_start as usize..written.start as usize]
    }

    pub(super) fn tagged(&self, node: NodeId) -> bool {
        self.properties(node).split_whitespace().any(|property| property.starts_with('!'))
    }

    pub(super) fn anchor(&self, node: NodeId) -> &'d str {
        let mut properties = self.properties(node).split_whitespace();
        properties.find(|property| property.starts_with('&')).unwrap_or("")
    }

    /// A replacement with the remaining property of a tagged node: its anchor.
    pub(super) fn untagged(
        &self,
        node: NodeId,
        placed: &PlacedChange,
        emitted: &RenderedFragment,
    ) -> String {
        let mut text = String::new();
        let gap = placed.span.start < self.document.node_as_written(node).property_start;
        let anchor = self.anchor(node);
        if !anchor.is_empty() {
            text.push_str(if gap { " " } else { "" });
            text.push_str(anchor);
        }
        if emitted.block {
            self.line(&mut text, self.layout.column(node));
        } else if gap || !text.is_empty() {
            text.push(' ');
        }
        text.push_str(&emitted.text);
        text
    }
}
