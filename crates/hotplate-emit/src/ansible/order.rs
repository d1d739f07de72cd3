//! The order of tasks: what Heat waits for comes first, and otherwise the order of the template is kept.

use std::collections::{BTreeSet, HashMap};

use indexmap::IndexMap;

use crate::Module;
use crate::kit::creation_order;
use heat_template::ir::Resource;

/// The resources in the order of their tasks. `parts` maps resources to the resource whose task contains
/// them: their dependencies count as that resource's.
pub(super) fn order<'m>(
    module: &'m Module,
    parts: &IndexMap<String, String>,
) -> Vec<(&'m str, &'m Resource)> {
    let whole = |name: &str| parts.get(name).map_or(name, String::as_str).to_owned();
    let mut of_owners: HashMap<&str, Vec<&str>> = HashMap::new();
    for (part, owner) in parts {
        of_owners.entry(owner).or_default().push(part);
    }
    let needs = |name: &str| -> BTreeSet<String> {
        let all = of_owners.get(name).into_iter().flatten().copied().chain([name]);
        all.flat_map(|it| module.dependencies(it)).map(whole).filter(|it| it != name).collect()
    };
    let order = creation_order(&module.stack, needs);
    order.into_iter().filter_map(|name| Some((name, module.stack.resources.get(name)?))).collect()
}

/// Whether merging `part` into the task of `owner` would create a dependency cycle.
pub(super) fn would_create_cycle(
    module: &Module,
    parts: &IndexMap<String, String>,
    part: &str,
    owner: &str,
) -> bool {
    let whole = |name: &str| parts.get(name).map_or(name, String::as_str).to_owned();
    let needs = |name: &str| -> Vec<String> {
        let of_parts = parts.iter().filter(|(_, owner)| *owner == name).map(|(part, _)| part);
        let all = of_parts.map(String::as_str).chain([name]);
        all.flat_map(|it| module.dependencies(it)).map(whole).collect()
    };
    let mut open: Vec<String> = needs(part);
    let mut seen = BTreeSet::new();
    while let Some(name) = open.pop() {
        if name == owner || !seen.insert(name.clone()) {
            continue;
        }
        let needs = needs(&name);
        if needs.iter().any(|it| it == owner || it == part) {
            return true;
        }
        open.extend(needs);
    }
    false
}
