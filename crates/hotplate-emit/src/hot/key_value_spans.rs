//! Maps values to their keys and back: comments belong to keys, the intermediate representation
//! records the spans of values.

use std::collections::HashMap;

use lossless_yaml::{Document, NodeId, NodeKind};
use source_diagnostics::Span;

/// The spans of the keys and values of a document.
pub(super) struct KeyValueSpans {
    keys: HashMap<Span, Span>,
    values: HashMap<Span, Span>,
    lists: HashMap<Span, Span>,
    maps: HashMap<Span, NodeId>,
}

impl KeyValueSpans {
    pub(super) fn new(document: &Document) -> Self {
        let mut places = KeyValueSpans {
            keys: HashMap::new(),
            values: HashMap::new(),
            lists: HashMap::new(),
            maps: HashMap::new(),
        };
        for (at, node) in document.nodes().iter().enumerate() {
            match &node.kind {
                NodeKind::Mapping(mapping) => {
                    let id = NodeId(at as u32);
                    places.maps.insert(document.span(id), id);
                    for entry in mapping.written() {
                        let (key, value) = (document.span(entry.key), document.span(entry.value));
                        places.keys.insert(value, key);
                        places.values.insert(key, value);
                    }
                }
                NodeKind::Sequence(items) => {
                    let list = document.span(NodeId(at as u32));
                    for &item in items {
                        places.lists.insert(document.span(item), list);
                    }
                }
                _ => {}
            }
        }
        places
    }

    /// The key of a value; the value itself if it has none.
    pub(super) fn key_of(&self, value: Span) -> Span {
        self.keys.get(&value).copied().unwrap_or(value)
    }

    /// The value of a key; the key itself if it has none.
    pub(super) fn value_of(&self, key: Span) -> Span {
        self.values.get(&key).copied().unwrap_or(key)
    }

    pub(super) fn map_at(&self, value: Span) -> Option<NodeId> {
        self.maps.get(&value).copied()
    }

    /// The list that contains an item.
    pub(super) fn list_of(&self, item: Span) -> Option<Span> {
        self.lists.get(&item).copied()
    }
}
