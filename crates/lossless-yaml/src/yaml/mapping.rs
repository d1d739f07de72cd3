//! Maps as PyYAML's safe loader builds them: merge keys, equal keys, and the tags that turn maps
//! and lists into something else.
//!
//! Heat's rules: `docs/heat.md#merge-keys`, `docs/heat.md#duplicate-keys`.

use super::composer::{ComposeResult, Composer, HiddenContent};
use super::rejected::RAISE_LIMIT_HELP;
use super::resolver::Tag;
use crate::dict_keys::{DictKey, RepeatedKey, duplicate_key_finding, duplicate_keys, last_wins};
use crate::{Entry, MappingNode, NodeId, NodeKind, NodeStyle, SmallSlice, TextValue};
use source_diagnostics::{Diagnostic, Severity};

impl Composer<'_> {
    /// The map with these pairs, which will be the node `id`.
    pub(super) fn map(&mut self, id: NodeId, pairs: SmallSlice<Entry>) -> ComposeResult<NodeKind> {
        if !self.key_tags.is_empty() && pairs.iter().any(|pair| self.key_tag(pair.key).is_some()) {
            return self.map_with_tagged_keys(id, pairs);
        }
        if self.keys_are_different_texts(&pairs) {
            return Ok(NodeKind::Mapping(MappingNode { entries: pairs, written_entries: None }));
        }
        let again = self.check_own_keys(id, &pairs);
        Ok(NodeKind::Mapping(if again.is_empty() {
            MappingNode { entries: pairs, written_entries: None }
        } else {
            let entries = last_wins(&pairs, &again, |first, last| self.merge_pair(first, last));
            MappingNode { entries: entries.into(), written_entries: Some(Box::new(pairs)) }
        }))
    }

    /// A fast check that succeeds for nearly every map: it has few keys, all are text, and those of
    /// equal length differ.
    fn keys_are_different_texts(&self, pairs: &[Entry]) -> bool {
        const FEW: usize = 32;
        let mut lengths = [0; FEW];
        if pairs.len() > FEW {
            return false;
        }
        let text_of = |pair: &Entry| match &self.nodes[pair.key.0 as usize].kind {
            NodeKind::Text(text) => Some(text),
            _ => None,
        };
        for (index, pair) in pairs.iter().enumerate() {
            let Some(text) = text_of(pair) else { return false };
            let length = text.len();
            let is_new = lengths[..index].iter().zip(pairs).all(|(earlier, pair)| {
                *earlier != length
                    || text_of(pair)
                        .is_some_and(|earlier| earlier.of(self.text) != text.of(self.text))
            });
            if !is_new {
                return false;
            }
            lengths[index] = length;
        }
        true
    }

    /// Finds equal keys, keys that are not text, and keys that are an error.
    fn check_own_keys(&mut self, id: NodeId, pairs: &[Entry]) -> Vec<RepeatedKey> {
        let mut unhashable = None;
        let mut not_text = None;
        let again = duplicate_keys(pairs.iter().map(|pair| {
            let key = DictKey::of_node(&self.nodes, self.text, pair.key);
            match key {
                Some(DictKey::Text(_)) => {}
                Some(_) => not_text = not_text.or(Some(pair.key)),
                None => unhashable = unhashable.or(Some(pair.key)),
            }
            key.unwrap_or(DictKey::Null)
        }));
        if let Some(key) = unhashable {
            self.reject_pairs(id, key, "a key cannot be a list or a map");
            return Vec::new();
        }
        if let Some(key) = not_text {
            let message = match &self.text[self.node_span(key).range()] {
                "" => "an empty key is null, not a string".to_owned(),
                spelled => format!("the key `{}` is not a string", super::shortened(spelled)),
            };
            let spelled = &self.text[self.node_span(key).range()];
            let mut finding =
                Diagnostic::new(crate::codes::NON_TEXT_KEY, message).at(self.node_span(key));
            // JSON writes these digits as they are: the string is the one that the author sees.
            if spelled.parse::<u64>().is_ok_and(|number| number.to_string() == spelled) {
                finding.severity = Severity::Note;
            }
            self.findings.push(finding);
        }
        for found in &again {
            let (first, last) = (pairs[found.first].key, pairs[found.duplicate].key);
            self.findings.push(duplicate_key_finding(
                &self.nodes,
                self.text,
                self.source,
                first,
                last,
            ));
        }
        again
    }

    /// Merges two pairs with equal keys. Python keeps the first key; where both are the
    /// same text, the second key node is used, so that key and value stay together.
    fn merge_pair(&self, first: Entry, last: Entry) -> Entry {
        let is_text =
            |key| matches!(self.nodes[self.resolve(key).0 as usize].kind, NodeKind::Text(_));
        if is_text(first.key) { last } else { Entry { key: first.key, value: last.value } }
    }

    /// A map with `<<` or `=` among its keys.
    fn map_with_tagged_keys(
        &mut self,
        id: NodeId,
        pairs: SmallSlice<Entry>,
    ) -> ComposeResult<NodeKind> {
        let mut own = Vec::with_capacity(pairs.len());
        let mut merged = Vec::new();
        for pair in &pairs {
            match self.key_tag(pair.key) {
                Some(Tag::Merge) => merged.push(pair.value),
                // As a key, the scalar is plain text.
                Some(_) => {
                    self.rejected.remove(&self.resolve(pair.key));
                    own.push(*pair);
                }
                None => own.push(*pair),
            }
        }
        self.check_own_keys(id, &own);
        let entries = self.merge(id, &merged, own, &pairs)?.into();
        Ok(NodeKind::Mapping(MappingNode { entries, written_entries: Some(Box::new(pairs)) }))
    }

    /// The pairs that the merge keys with the values `merged` bring in, then the map's `own` pairs.
    fn merge(
        &mut self,
        id: NodeId,
        merged: &[NodeId],
        own: Vec<Entry>,
        written: &[Entry],
    ) -> ComposeResult<Vec<Entry>> {
        let mut pairs = Vec::new();
        for &value in merged {
            match self.sources_of(value) {
                Err(place) => {
                    self.reject_merge(id, place);
                    return Ok(own);
                }
                Ok(sources) if sources.iter().any(|source| self.is_waiting(*source)) => {
                    self.recursive_merges.insert(id, written.to_vec());
                    return Ok(own);
                }
                // Of a list of maps the earlier one wins, so it comes later.
                Ok(sources) => {
                    for source in sources.into_iter().rev() {
                        let count = self.pairs_of(source).len();
                        self.spend(id, count)?;
                        pairs.extend_from_slice(self.pairs_of(source));
                    }
                }
            }
        }
        pairs.extend(own);
        self.each_key_once(id, pairs)
    }

    /// The maps that the value of a merge key refers to, or the node among them that is not a map.
    pub(super) fn sources_of(&self, value: NodeId) -> Result<Vec<NodeId>, NodeId> {
        let value = self.resolve(value);
        let items = self.raw_items(value).unwrap_or(std::slice::from_ref(&value));
        items
            .iter()
            .map(|item| self.resolve(*item))
            .map(|item| if self.is_map(item) { Ok(item) } else { Err(item) })
            .collect()
    }

    /// Records that `place` cannot be merged into the map `id`.
    pub(super) fn reject_merge(&mut self, id: NodeId, place: NodeId) {
        self.reject_pairs(id, place, "only a map, or a list of maps, can be merged");
    }

    /// True for a map, and for an alias of a collection that is being read.
    fn is_map(&self, id: NodeId) -> bool {
        matches!(self.nodes[id.0 as usize].kind, NodeKind::Alias(_))
            || self.mapping_of(id).is_some()
    }

    /// True if the pairs of the map are known only at the end.
    fn is_waiting(&self, id: NodeId) -> bool {
        matches!(self.nodes[id.0 as usize].kind, NodeKind::Alias(_))
            || self.recursive_merges.contains_key(&id)
    }

    /// A map, or what was written as a map.
    pub(super) fn mapping_of(&self, id: NodeId) -> Option<&MappingNode> {
        match (&self.nodes[id.0 as usize].kind, self.hidden_content.get(&id)) {
            (NodeKind::Mapping(mapping), _) | (_, Some(HiddenContent::Map(mapping))) => {
                Some(mapping)
            }
            _ => None,
        }
    }

    /// The pairs of a map, or of what was written as a map.
    pub(super) fn pairs_of(&self, id: NodeId) -> &[Entry] {
        self.mapping_of(id).map_or(&[], |mapping| &mapping.entries)
    }

    /// The items of a list, or of what was written as a list.
    pub(super) fn raw_items(&self, id: NodeId) -> Option<&[NodeId]> {
        match (&self.nodes[id.0 as usize].kind, self.hidden_content.get(&id)) {
            (NodeKind::Sequence(items), _) => Some(items),
            (_, Some(HiddenContent::Items(items))) => Some(items),
            _ => None,
        }
    }

    /// Subtracts `count` pairs that are copied into the map `id` from the budget.
    pub(super) fn spend(&mut self, id: NodeId, count: usize) -> ComposeResult<()> {
        if let Some(rest) = self.merge_budget.checked_sub(count) {
            self.merge_budget = rest;
            return Ok(());
        }
        let limit = self.limits.added_nodes();
        let message = format!("the merge keys copy more than {limit} pairs");
        let finding =
            Diagnostic::new(crate::codes::ALIAS_EXPANSION, message).help(RAISE_LIMIT_HELP);
        // The map itself may not be in the arena yet, but its last child is.
        let place = NodeId((id.0).min(self.nodes.len() as u32 - 1));
        Err(Box::new(finding.at(self.node_span(place))))
    }

    /// The pairs as Python's `dict` keeps them.
    pub(super) fn each_key_once(
        &mut self,
        id: NodeId,
        pairs: Vec<Entry>,
    ) -> ComposeResult<Vec<Entry>> {
        let mut unhashable = None;
        let again = duplicate_keys(pairs.iter().map(|pair| {
            let key = DictKey::of_node(&self.nodes, self.text, pair.key);
            if key.is_none() {
                unhashable = unhashable.or(Some(pair.key));
            }
            key.unwrap_or(DictKey::Null)
        }));
        if let Some(key) = unhashable {
            self.reject_pairs(id, key, "a key cannot be a list or a map");
            return Ok(pairs);
        }
        Ok(last_wins(&pairs, &again, |first, last| self.merge_pair(first, last)))
    }

    /// A map with a tag other than `!!map`.
    pub(super) fn tagged_map(
        &mut self,
        id: NodeId,
        tag: Tag,
        pairs: SmallSlice<Entry>,
    ) -> ComposeResult<NodeKind> {
        match tag {
            Tag::Map => self.map(id, pairs),
            Tag::Set => {
                let kind = self.map(id, pairs)?;
                let NodeKind::Mapping(mapping) = kind else { return Ok(kind) };
                let members = mapping.entries.iter().map(|entry| entry.key).collect();
                self.hidden_content.insert(id, HiddenContent::Map(mapping));
                Ok(NodeKind::Set(members))
            }
            // With the tag of a scalar, a map has the value of its key `=`.
            Tag::Null
            | Tag::Bool
            | Tag::Int
            | Tag::Float
            | Tag::Binary
            | Tag::Timestamp
            | Tag::Str => {
                let value =
                    self.default_value(&pairs).ok_or("expected a scalar, found a map".into());
                let kind = value.and_then(|text| {
                    let scalar = tag.construct(text.of(self.text))?;
                    Ok(self.scalar_kind(scalar, text))
                });
                let kind = kind.unwrap_or_else(|problem| {
                    self.reject(id, problem);
                    NodeKind::Null
                });
                let mapping = MappingNode { entries: pairs, written_entries: None };
                self.hidden_content.insert(id, HiddenContent::Map(mapping));
                Ok(kind)
            }
            Tag::Seq | Tag::Omap | Tag::Pairs => {
                self.reject(id, "expected a list, found a map".into());
                self.map(id, pairs)
            }
            Tag::Merge | Tag::Value => {
                self.reject(id, "a map with this tag has no value".into());
                self.map(id, pairs)
            }
        }
    }
    /// The text of the scalar under the key `=`.
    fn default_value(&self, pairs: &[Entry]) -> Option<TextValue> {
        let pair = pairs.iter().find(|pair| self.key_tag(pair.key) == Some(Tag::Value))?;
        let node = &self.nodes[self.resolve(pair.value).0 as usize];
        match (&node.kind, node.style) {
            (NodeKind::Text(text), _) => Some(text.clone()),
            (_, NodeStyle::Plain) => Some(TextValue::Source(node.start, node.end)),
            _ => None,
        }
    }

    /// A list with a tag other than `!!seq`.
    pub(super) fn tagged_list(
        &mut self,
        id: NodeId,
        tag: Tag,
        items: SmallSlice<NodeId>,
    ) -> NodeKind {
        let problem = match tag {
            Tag::Omap | Tag::Pairs => {
                let pairs: Option<SmallSlice<Entry>> =
                    items.iter().map(|item| self.only_pair(*item)).collect();
                if let Some(pairs) = pairs {
                    self.hidden_content.insert(id, HiddenContent::Items(items));
                    return NodeKind::Pairs(pairs);
                }
                "expected a list of maps with one pair each"
            }
            Tag::Seq => return NodeKind::Sequence(items),
            Tag::Set | Tag::Map => "expected a map, found a list",
            Tag::Null
            | Tag::Bool
            | Tag::Int
            | Tag::Float
            | Tag::Binary
            | Tag::Timestamp
            | Tag::Str => "expected a scalar, found a list",
            Tag::Merge | Tag::Value => "a list with this tag has no value",
        };
        self.reject(id, problem.into());
        NodeKind::Sequence(items)
    }

    /// The pair of a map that has only one.
    fn only_pair(&self, id: NodeId) -> Option<Entry> {
        let mapping = self.mapping_of(self.resolve(id))?;
        match mapping.written() {
            [pair] => Some(*pair),
            _ => None,
        }
    }
}
