//! The order of a target that creates resources one after the other.

use std::collections::BTreeSet;

use heat_template::ir::Stack;

/// The names of all resources, each after those that it `needs`; otherwise the order of the template is kept.
/// Heat rejects a cycle, so the order of its members does not matter.
pub(in crate::emit) fn creation_order(
    stack: &Stack,
    needs: impl Fn(&str) -> BTreeSet<String>,
) -> Vec<&str> {
    // How many of its needs each resource waits for, and which ones wait for it.
    let mut missing: Vec<usize> = vec![0; stack.resources.len()];
    let mut waiting: Vec<Vec<usize>> = vec![Vec::new(); stack.resources.len()];
    for (at, name) in stack.resources.keys().enumerate() {
        let needed = needs(name);
        let needed = needed.iter().filter_map(|it| stack.resources.get_index_of(it.as_str()));
        for needed in needed.filter(|needed| *needed != at) {
            missing[at] += 1;
            waiting[needed].push(at);
        }
    }
    let mut left: BTreeSet<usize> = (0..missing.len()).collect();
    let mut ready: BTreeSet<usize> = (0..missing.len()).filter(|at| missing[*at] == 0).collect();
    let mut ordered = Vec::new();
    while let Some(at) = ready.pop_first().or_else(|| left.first().copied()) {
        left.remove(&at);
        ordered.extend(stack.resources.get_index(at).map(|(name, _)| name.as_str()));
        for &waiting in &waiting[at] {
            missing[waiting] -= 1;
            if missing[waiting] == 0 && left.contains(&waiting) {
                ready.insert(waiting);
            }
        }
    }
    ordered
}
