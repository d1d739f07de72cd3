//! Merge keys that lead to a collection that contains them: `&a {<<: *a, b: 1}`.
//!
//! The content of such a map is unknown until the whole text is read, and depends on the order in
//! which PyYAML constructs maps. This module follows that order: PyYAML constructs a document level by
//! level, and flattens each map when it gets there, first flattening what is merged into it. It takes
//! a merge key out of its map before it follows it, so the process ends.

use std::collections::VecDeque;

use super::composer::{ComposeResult, Composer, HiddenContent};
use super::resolver::Tag;
use crate::{Entry, MappingNode, NodeId, NodeKind};

/// A map that is being flattened.
struct Frame {
    map: NodeId,
    /// Index of the next pair to check for merge keys.
    at: usize,
    /// The maps that the current merge key still has to merge, the next one last.
    sources: Vec<NodeId>,
    /// True if the next one has just been flattened itself.
    is_flat: bool,
    /// The pairs that the current merge key has merged, map by map.
    parts: Vec<Vec<Entry>>,
    /// The pairs that all earlier merge keys have merged.
    merged: Vec<Entry>,
}

impl Frame {
    fn new(map: NodeId) -> Self {
        Frame {
            map,
            at: 0,
            sources: Vec::new(),
            is_flat: false,
            parts: Vec::new(),
            merged: Vec::new(),
        }
    }
}

impl Composer<'_> {
    /// Merges the maps that had to wait for the end of the document.
    pub(super) fn merge_waiting(&mut self, root: NodeId) -> ComposeResult<()> {
        if self.recursive_merges.is_empty() {
            return Ok(());
        }
        let mut seen = vec![false; self.nodes.len()];
        let mut queue = VecDeque::from([root]);
        while let Some(id) = queue.pop_front() {
            let id = self.resolve(id);
            if std::mem::replace(&mut seen[id.0 as usize], true) {
                continue;
            }
            if self.recursive_merges.contains_key(&id) {
                self.flatten_waiting(id)?;
            }
            queue.extend(self.raw_items(id).unwrap_or_default());
            let pairs = self.recursive_merges.get(&id).map_or(self.pairs_of(id), Vec::as_slice);
            queue.extend(pairs.iter().flat_map(|pair| [pair.key, pair.value]));
            // Overwritten values are constructed as well.
            let written = self.mapping_of(id).map_or(&[][..], MappingNode::written).iter();
            let own = written.filter(|pair| self.key_tag(pair.key) != Some(Tag::Merge));
            queue.extend(own.map(|pair| pair.value));
        }
        let mut flat: Vec<(NodeId, Vec<Entry>)> = self.recursive_merges.drain().collect();
        flat.sort_by_key(|(id, _)| *id);
        for (id, mut pairs) in flat {
            pairs.retain(|pair| self.key_tag(pair.key) != Some(Tag::Merge));
            let entries = self.each_key_once(id, pairs)?;
            if let Some(HiddenContent::Map(mapping)) = self.hidden_content.get_mut(&id) {
                mapping.entries = entries.clone().into();
            }
            match &mut self.nodes[id.0 as usize].kind {
                NodeKind::Mapping(mapping) => mapping.entries = entries.into(),
                NodeKind::Set(members) => *members = entries.iter().map(|pair| pair.key).collect(),
                _ => {}
            }
        }
        Ok(())
    }

    fn flatten_waiting(&mut self, id: NodeId) -> ComposeResult<()> {
        let mut stack = vec![Frame::new(id)];
        while let Some(frame) = stack.last_mut() {
            let Some(&source) = frame.sources.last() else {
                // Of a list of maps the earlier one wins, so it comes later.
                frame.merged.extend(frame.parts.drain(..).rev().flatten());
                match self.take_merge_key(frame) {
                    Some(value) => match self.sources_of(value) {
                        Ok(sources) => frame.sources = sources.into_iter().rev().collect(),
                        Err(place) => {
                            self.reject_merge(id, place);
                            return Ok(());
                        }
                    },
                    None => {
                        if let Some(pairs) = self.recursive_merges.get_mut(&frame.map) {
                            let own = std::mem::take(pairs);
                            *pairs = std::mem::take(&mut frame.merged);
                            pairs.extend(own);
                        }
                        stack.pop();
                    }
                }
                continue;
            };
            if !frame.is_flat && self.recursive_merges.contains_key(&source) {
                frame.is_flat = true;
                stack.push(Frame::new(source));
                continue;
            }
            frame.is_flat = false;
            frame.sources.pop();
            let pairs =
                self.recursive_merges.get(&source).map_or(self.pairs_of(source), Vec::as_slice);
            frame.parts.push(pairs.to_vec());
            let count = pairs.len();
            self.spend(id, count)?;
        }
        Ok(())
    }

    /// Takes the next merge key out of the map, and gives its value.
    fn take_merge_key(&mut self, frame: &mut Frame) -> Option<NodeId> {
        let pairs = self.recursive_merges.get(&frame.map)?;
        let rest = pairs.get(frame.at..)?;
        frame.at += rest.iter().position(|pair| self.key_tag(pair.key) == Some(Tag::Merge))?;
        self.recursive_merges.get_mut(&frame.map).map(|pairs| pairs.remove(frame.at).value)
    }
}
