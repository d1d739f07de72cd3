//! Detects resources that move from one stack of a deployment into another. For Heat they are deleted and created.

use std::collections::HashMap;

use indexmap::IndexMap;

use crate::comparison::{MatchReason, Pair, RenameLink};
use crate::impact::ResourceDefinition;
use crate::stages::DecidedResource;
use crate::update_impact::Impact;
use heat_engine::eval::{EvaluatedProperties, Value};

/// A type, and a digest of the properties.
type Content = (String, u64);

/// Links resources of equal type and content that are gone from one stack and new in another one: those with the same
/// last name, and those whose content is known and unique.
pub(crate) fn link<'d>(
    resources: &mut [DecidedResource],
    definitions: impl Iterator<Item = &'d Pair<Option<ResourceDefinition<'d>>>>,
) {
    let mut by_content: IndexMap<Content, MovedResources> = IndexMap::new();
    for (at, (resource, definitions)) in resources.iter().zip(definitions).enumerate() {
        if resource.is_stack || resource.rename.is_some() {
            continue;
        }
        let (definition, is_old) = match (resource.impact, definitions) {
            (
                Impact::Delete | Impact::Snapshot | Impact::Retain,
                Pair { old: Some(old), new: None },
            ) => (old, true),
            (Impact::Create, Pair { old: None, new: Some(new) }) => (new, false),
            _ => continue,
        };
        let Some((content, distinct)) = content(definition) else { continue };
        let moved = by_content.entry(content).or_default();
        moved.is_distinct |= distinct;
        if is_old { &mut moved.old } else { &mut moved.new }.push(at);
    }
    for moved in by_content.into_values() {
        for (old, new) in moved.pairs(resources) {
            let names = [old, new].map(|at| resources[at].name.clone());
            let [old_name, new_name] = names;
            if stack_of(&old_name) == stack_of(&new_name) {
                continue;
            }
            resources[old].rename = Some(RenameLink::NewName(new_name, MatchReason::Equal));
            resources[new].rename = Some(RenameLink::OldName(old_name, MatchReason::Equal));
        }
    }
}

/// Resources of equal content, by position.
#[derive(Debug, Default)]
struct MovedResources {
    old: Vec<usize>,
    new: Vec<usize>,
    /// Whether the content says enough to recognize a resource by it.
    is_distinct: bool,
}

impl MovedResources {
    fn pairs(self, resources: &[DecidedResource]) -> Vec<(usize, usize)> {
        if let ([old], [new], true) = (&*self.old, &*self.new, self.is_distinct) {
            return vec![(*old, *new)];
        }
        let mut by_name: HashMap<&str, (Vec<usize>, Vec<usize>)> = HashMap::new();
        let last_name = |at: usize| {
            let name = resources[at].name.as_str();
            name.rsplit_once('/').map_or(name, |(_, last)| last)
        };
        for at in self.old {
            by_name.entry(last_name(at)).or_default().0.push(at);
        }
        for at in self.new {
            by_name.entry(last_name(at)).or_default().1.push(at);
        }
        let as_many = by_name.into_values().filter(|(old, new)| old.len() == new.len());
        as_many.flat_map(|(old, new)| old.into_iter().zip(new)).collect()
    }
}

/// The path of the stack that contains a resource.
fn stack_of(name: &str) -> Option<&str> {
    name.rsplit_once('/').map(|(outer, _)| outer)
}

/// The content of a resource with unknown values left out, and whether it says enough to recognize the resource.
fn content(definition: &ResourceDefinition<'_>) -> Option<(Content, bool)> {
    let EvaluatedProperties::Each(each) = &definition.resource.properties else { return None };
    let mut is_known = true;
    let mut properties = Vec::new();
    for (key, value) in each {
        let value = value.as_ref().ok()?;
        is_known &= !value.holds_unknown();
        properties.push((key.clone(), without_unknown(value)));
    }
    let count = properties.len();
    let map = Value::Map(std::sync::Arc::new(properties.into_iter().collect()));
    let kind =
        definition.plugin().map_or_else(|| definition.written_type().to_owned(), str::to_owned);
    Some(((kind, map.digest()), is_known && count > 1))
}

/// The value with one text in place of everything that is unknown: what is passed into a nested stack is another
/// expression there.
fn without_unknown(value: &Value) -> Value {
    match value.unsealed() {
        Value::Unknown(_) => Value::text("unknown"),
        known => known.with_parts(without_unknown),
    }
}
