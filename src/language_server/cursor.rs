//! Where in a document a position is.

use lossless_yaml::{Document, NodeId, NodeKind};

/// A step from a container to a part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum DocumentStep {
    /// The value of a key of a map.
    Key(String),
    /// An item of a list.
    Item(usize),
}

/// The innermost node at a position, with what contains it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Cursor {
    /// The steps from the root to the node; the last one of a key is that key.
    pub(super) path: Vec<DocumentStep>,
    /// The maps and lists around the node, the root first.
    pub(super) containers: Vec<NodeId>,
    pub(super) node: NodeId,
    /// Whether the node is a key of the innermost container.
    pub(super) is_key: bool,
}

impl Cursor {
    /// The innermost node that contains an offset or ends there; `None` outside of the root.
    pub(super) fn at(document: &Document, offset: usize) -> Option<Self> {
        let root = document.root()?;
        let mut cursor = Cursor { path: vec![], containers: vec![], node: root, is_key: false };
        if !contains(document, root, offset) {
            return None;
        }
        // Aliases may lead around in a circle.
        for _ in 0..document.limits().depth {
            let Some((step, node, is_key)) = part_at(document, cursor.node, offset) else { break };
            cursor.containers.push(cursor.node);
            cursor.path.push(step);
            (cursor.node, cursor.is_key) = (node, is_key);
            if is_key {
                break;
            }
        }
        Some(cursor)
    }

    /// The keys of the path from the root, as far as there are only keys: `["resources", "server", "type"]`.
    pub(super) fn keys(&self) -> Vec<&str> {
        let keys = self.path.iter().map_while(|step| match step {
            DocumentStep::Key(key) => Some(key.as_str()),
            DocumentStep::Item(_) => None,
        });
        keys.collect()
    }

    pub(super) fn parent(&self) -> Option<NodeId> {
        self.containers.last().copied()
    }
}

fn contains(document: &Document, node: NodeId, offset: usize) -> bool {
    let node = document.node_as_written(node);
    (node.start as usize..=node.end as usize).contains(&offset)
}

/// The part of a map or a list that contains an offset.
fn part_at(
    document: &Document,
    node: NodeId,
    offset: usize,
) -> Option<(DocumentStep, NodeId, bool)> {
    match &document.node_as_written(node).kind {
        NodeKind::Mapping(mapping) => mapping.written().iter().find_map(|entry| {
            let (is_key, is_value) =
                (contains(document, entry.key, offset), contains(document, entry.value, offset));
            let key = document.str(entry.key).unwrap_or_default().to_owned();
            let at = if is_key { entry.key } else { entry.value };
            (is_key || is_value).then_some((DocumentStep::Key(key), at, is_key))
        }),
        NodeKind::Sequence(items) => {
            let (at, item) =
                items.iter().enumerate().find(|(_, item)| contains(document, **item, offset))?;
            Some((DocumentStep::Item(at), *item, false))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lossless_yaml::{Limits, read};
    use source_diagnostics::SourceId;

    #[test]
    fn keys_values_and_items_are_found() {
        let text = "a:\n  b: [x, {c: yy}]\nd: 1\n";
        let document = read(SourceId(0), text.into(), &Limits::default()).expect("well-formed");
        let at =
            |what: &str| Cursor::at(&document, text.find(what).expect("there")).expect("inside");
        assert_eq!(at("b:").keys(), ["a", "b"]);
        assert!(at("b:").is_key);
        let yy = at("yy");
        assert_eq!(document.str(yy.node), Some("yy"));
        assert_eq!(yy.path[2..], [DocumentStep::Item(1), DocumentStep::Key("c".to_owned())]);
        assert_eq!(at("1").keys(), ["d"]);
    }
}
