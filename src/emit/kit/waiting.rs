//! The order in which Heat creates resources, in a target that creates everything at once unless it is told to wait.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use crate::emit::Module;

/// What waits for what in a result: nodes with those that they refer to, or are told to wait for.
#[derive(Debug, Default)]
pub(in crate::emit) struct WaitGraph {
    /// The nodes that each node waits for.
    pub(in crate::emit) edges: BTreeMap<String, BTreeSet<String>>,
}

/// What a node must be told to wait for.
#[derive(Debug, Default)]
pub(in crate::emit) struct MissingWaits {
    /// The nodes, without those that others of them wait for.
    pub(in crate::emit) needed: Vec<String>,
    /// The nodes that wait for the node themselves.
    pub(in crate::emit) circular: Vec<String>,
}

impl WaitGraph {
    /// Everything that some nodes wait for, without themselves unless they are reached.
    pub(in crate::emit) fn reached<'n>(
        &'n self,
        from: impl IntoIterator<Item = &'n str>,
    ) -> BTreeSet<&'n str> {
        let mut open: Vec<&str> = from.into_iter().collect();
        let mut found = BTreeSet::new();
        while let Some(node) = open.pop() {
            let next = self.edges.get(node).into_iter().flatten().map(String::as_str);
            open.extend(next.filter(|next| found.insert(*next)));
        }
        found
    }

    /// Makes a node wait for the `wanted` ones; returns what the graph did not imply.
    pub(in crate::emit) fn wait(
        &mut self,
        node: &str,
        wanted: impl IntoIterator<Item = String>,
    ) -> MissingWaits {
        let reached = self.reached([node]);
        let is_missing = |other: &String| other != node && !reached.contains(other.as_str());
        let missing: Vec<String> = wanted.into_iter().filter(is_missing).collect();
        let (circular, missing): (Vec<String>, Vec<String>) =
            missing.into_iter().partition(|other| self.reached([other.as_str()]).contains(node));
        let implied = self.reached(missing.iter().map(String::as_str));
        let needed: Vec<String> =
            missing.iter().filter(|other| !implied.contains(other.as_str())).cloned().collect();
        self.edges.entry(node.to_owned()).or_default().extend(needed.iter().cloned());
        MissingWaits { needed, circular }
    }
}

/// The resources that each resource of a template waits for in Heat.
pub(in crate::emit) type ResourceDependencies<'m> = HashMap<&'m str, BTreeSet<&'m str>>;

/// The dependencies of all resources, each determined once.
pub(in crate::emit) fn resource_dependencies(module: &Module) -> ResourceDependencies<'_> {
    let names = module.stack.resources.keys();
    names.map(|name| (name.as_str(), module.dependencies(name))).collect()
}

/// What a target wrote for the resources that a resource waits for in Heat. A resource for which it wrote nothing stands
/// for what it waits for itself.
pub(in crate::emit) fn awaited_objects(
    dependencies: &ResourceDependencies<'_>,
    resource: &str,
    objects_of: &dyn Fn(&str) -> BTreeSet<String>,
) -> BTreeSet<String> {
    let of = |name: &str| dependencies.get(name).into_iter().flatten().copied();
    let mut found = BTreeSet::new();
    let mut seen = HashSet::from([resource]);
    let mut open: Vec<&str> = of(resource).collect();
    while let Some(name) = open.pop() {
        if !seen.insert(name) {
            continue;
        }
        let objects = objects_of(name);
        match objects.is_empty() {
            true => open.extend(of(name)),
            false => found.extend(objects),
        }
    }
    found
}
