//! Which key stands before a value, and which value behind a key: comments are about keys, the model
//! knows the places of values.

use std::collections::HashMap;

use lossless_yaml::{Document, NodeId, NodeKind};
use source_diagnostics::Span;

/// The places of the keys and values of a document.
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

    /// The key before a value; the value itself where there is none.
    pub(super) fn key_of(&self, value: Span) -> Span {
        self.keys.get(&value).copied().unwrap_or(value)
    }

    /// The value behind a key; the key itself where there is none.
    pub(super) fn value_of(&self, key: Span) -> Span {
        self.values.get(&key).copied().unwrap_or(key)
    }

    /// The map that is written at a place.
    pub(super) fn map_at(&self, value: Span) -> Option<NodeId> {
        self.maps.get(&value).copied()
    }

    /// The list that an item is in.
    pub(super) fn list_of(&self, item: Span) -> Option<Span> {
        self.lists.get(&item).copied()
    }
}
