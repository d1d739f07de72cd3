//! The order of a target that creates resources one after the other.

use std::collections::BTreeSet;

use heat_template::ir::Stack;

/// The names of all resources, each after those that it `needs`; otherwise the order of the template is kept.
/// Heat rejects a cycle, so the order of its members does not matter.
pub(in crate::emit) fn creation_order(
    stack: &Stack,
    needs: impl Fn(&str) -> BTreeSet<String>,
) -> Vec<&str> {
    let mut left: Vec<(&str, BTreeSet<String>)> =
        stack.resources.keys().map(|name| (name.as_str(), needs(name))).collect();
    let mut done: BTreeSet<&str> = BTreeSet::new();
    let mut ordered = Vec::new();
    while !left.is_empty() {
        let is_ready = |(name, needs): &(&str, BTreeSet<String>)| {
            let mut needs = needs.iter().filter(|it| *it != name);
            needs.all(|it| done.contains(it.as_str()) || !stack.resources.contains_key(it))
        };
        let at = left.iter().position(is_ready).unwrap_or(0);
        let (name, _) = left.remove(at);
        done.insert(name);
        ordered.push(name);
    }
    ordered
}
