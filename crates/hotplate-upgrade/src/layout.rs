//! Columns and indentation of a document's nodes.

use std::cell::OnceCell;

use lossless_yaml::{Document, NodeId, NodeKind, NodeStyle};

/// The layout of a document, used only for rewritten parts.
pub(super) struct Layout<'d> {
    document: &'d Document,
    /// The parent collection of each node, computed on the first request; most upgrades never need it.
    parents: OnceCell<Vec<Option<NodeId>>>,
}

impl<'d> Layout<'d> {
    pub(super) fn new(document: &'d Document) -> Self {
        Layout { document, parents: OnceCell::new() }
    }

    fn parent(&self, node: NodeId) -> Option<NodeId> {
        self.parents.get_or_init(|| parents(self.document))[node.0 as usize]
    }

    /// The column of the byte at `offset`, in characters from 0.
    pub(super) fn column_at(&self, offset: u32) -> usize {
        self.document.position(offset).column as usize - 1
    }

    /// The column where a node begins, from 0.
    pub(super) fn column(&self, node: NodeId) -> usize {
        self.column_at(self.document.node_as_written(node).start)
    }

    /// The indentation of the block collection that contains a node; 0 for the root.
    pub(super) fn parent_indent(&self, node: NodeId) -> usize {
        let mut at = self.parent(node);
        while let Some(parent) = at {
            if self.document.node_as_written(parent).style == NodeStyle::Block {
                return self.column(parent);
            }
            at = self.parent(parent);
        }
        0
    }
}

fn parents(document: &Document) -> Vec<Option<NodeId>> {
    let mut parents = vec![None; document.nodes().len()];
    for (at, node) in document.nodes().iter().enumerate() {
        let parent = Some(NodeId(at as u32));
        match &node.kind {
            NodeKind::Mapping(mapping) => {
                for entry in mapping.written() {
                    parents[entry.key.0 as usize] = parent;
                    parents[entry.value.0 as usize] = parent;
                }
            }
            NodeKind::Sequence(items) | NodeKind::Set(items) => {
                for item in items {
                    parents[item.0 as usize] = parent;
                }
            }
            NodeKind::Pairs(pairs) => {
                for entry in pairs {
                    parents[entry.key.0 as usize] = parent;
                    parents[entry.value.0 as usize] = parent;
                }
            }
            _ => {}
        }
    }
    parents
}
