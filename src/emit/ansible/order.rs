//! The order of tasks: dependencies come first, and otherwise the order of the template is kept.

use std::collections::BTreeSet;

use indexmap::IndexMap;

use heat_template::ir::graph::dependencies;
use heat_template::ir::{Resource, Stack};

/// The resources in the order of their tasks. `parts` maps resources to the resource whose task contains
/// them: their dependencies count as that resource's.
pub(super) fn order<'s>(
    stack: &'s Stack,
    parts: &IndexMap<String, String>,
) -> Vec<(&'s str, &'s Resource)> {
    let whole = |name: &str| parts.get(name).map_or(name, String::as_str).to_owned();
    let needs = |name: &str, resource: &Resource| -> BTreeSet<String> {
        let own = dependencies(resource);
        let of_parts = parts
            .iter()
            .filter(|(_, owner)| *owner == name)
            .filter_map(|(part, _)| stack.resources.get(part))
            .flat_map(dependencies);
        let all = own.into_iter().chain(of_parts).map(whole);
        all.filter(|it| it != name && stack.resources.contains_key(it)).collect()
    };
    let mut left: Vec<(&str, &Resource, BTreeSet<String>)> = stack
        .resources
        .iter()
        .map(|(name, resource)| (name.as_str(), resource, needs(name, resource)))
        .collect();
    let mut done: BTreeSet<&str> = BTreeSet::new();
    let mut ordered = Vec::new();
    while !left.is_empty() {
        let is_ready = |(_, _, needs): &(&str, &Resource, BTreeSet<String>)| {
            needs.iter().all(|it| done.contains(it.as_str()))
        };
        // Heat rejects a cycle; here any order of its members is as good as another.
        let at = left.iter().position(is_ready).unwrap_or(0);
        let (name, resource, _) = left.remove(at);
        done.insert(name);
        ordered.push((name, resource));
    }
    ordered
}

/// Whether merging `part` into the task of `owner` would create a dependency cycle.
pub(super) fn would_create_cycle(
    stack: &Stack,
    parts: &IndexMap<String, String>,
    part: &str,
    owner: &str,
) -> bool {
    let whole = |name: &str| parts.get(name).map_or(name, String::as_str).to_owned();
    let mut open: Vec<String> = stack
        .resources
        .get(part)
        .map(|it| dependencies(it).into_iter().map(whole).collect())
        .unwrap_or_default();
    let mut seen = BTreeSet::new();
    while let Some(name) = open.pop() {
        if name == owner || !seen.insert(name.clone()) {
            continue;
        }
        let Some(resource) = stack.resources.get(&name) else { continue };
        let needs: Vec<String> = dependencies(resource).into_iter().map(whole).collect();
        if needs.iter().any(|it| it == owner || it == part) {
            return true;
        }
        open.extend(needs);
    }
    false
}
