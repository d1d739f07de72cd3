//! The order of a target that creates resources one after the other.

use std::collections::{BTreeSet, HashMap};

use heat_template::ir::Stack;

/// The names of all resources, each after those that it `needs`; otherwise the order of the template is kept.
/// Heat rejects a cycle, so the order of its members does not matter.
pub(crate) fn creation_order(stack: &Stack, needs: impl Fn(&str) -> BTreeSet<String>) -> Vec<&str> {
    let resources = &stack.resources;
    let mut missing = Vec::with_capacity(resources.len());
    let mut waiting: HashMap<usize, Vec<usize>> = HashMap::new();
    for (at, name) in resources.keys().enumerate() {
        let needed = needs(name).into_iter().filter(|it| it != name);
        let needed: Vec<usize> = needed.filter_map(|it| resources.get_index_of(&it)).collect();
        missing.push(needed.len());
        needed.into_iter().for_each(|it| waiting.entry(it).or_default().push(at));
    }
    let mut left: BTreeSet<usize> = (0..missing.len()).collect();
    let mut ready: BTreeSet<usize> = left.iter().copied().filter(|at| missing[*at] == 0).collect();
    let mut ordered = Vec::new();
    while let Some(at) = ready.pop_first().or_else(|| left.first().copied()) {
        left.remove(&at);
        for other in waiting.remove(&at).unwrap_or_default() {
            missing[other] -= 1;
            if missing[other] == 0 && left.contains(&other) {
                ready.insert(other);
            }
        }
        ordered.extend(resources.get_index(at).map(|(name, _)| name.as_str()));
    }
    ordered
}
