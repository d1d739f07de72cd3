//! The order in which Heat creates resources, in a target that creates everything at once unless it is told to wait.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use crate::Module;

/// The order of a result: nodes with those that they refer to, or are told to wait for.
#[derive(Debug, Default)]
pub(crate) struct WaitGraph {
    /// The nodes that each node waits for.
    edges: BTreeMap<String, BTreeSet<String>>,
    /// The nodes that some node waits for.
    awaited: HashSet<String>,
}

/// The nodes that a node must be told to wait for.
#[derive(Debug, Default)]
pub(crate) struct MissingWaits {
    /// The nodes, without those that others of them wait for.
    pub(crate) needed: Vec<String>,
    /// The nodes that wait for the node themselves.
    pub(crate) circular: Vec<String>,
}

impl WaitGraph {
    /// Adds a node, or more that it waits for.
    pub(crate) fn add(&mut self, node: String, waits: impl IntoIterator<Item = String>) {
        let edges = self.edges.entry(node).or_default();
        for other in waits {
            self.awaited.insert(other.clone());
            edges.insert(other);
        }
    }

    /// The nodes that were added.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = &String> {
        self.edges.keys()
    }

    /// Whether a node was added.
    pub(crate) fn has(&self, node: &str) -> bool {
        self.edges.contains_key(node)
    }

    /// The nodes of some names that each node waits for, if it waits for one.
    pub(crate) fn reached_with_prefix(&self, prefix: &str) -> HashMap<&str, BTreeSet<&str>> {
        let mut waiting: HashMap<&str, Vec<&str>> = HashMap::new();
        for (node, waits) in &self.edges {
            waits.iter().for_each(|other| waiting.entry(other).or_default().push(node));
        }
        let mut found: HashMap<&str, BTreeSet<&str>> = HashMap::new();
        for target in self.awaited.iter().filter(|it| it.starts_with(prefix)) {
            let mut open = vec![target.as_str()];
            while let Some(node) = open.pop() {
                let next = waiting.get(node).into_iter().flatten().copied();
                open.extend(next.filter(|next| found.entry(next).or_default().insert(target)));
            }
        }
        found
    }

    /// Those of some nodes for which a node does not wait.
    fn not_reached(&self, node: &str, wanted: Vec<String>) -> Vec<String> {
        let mut missing: HashSet<&str> = wanted.iter().map(String::as_str).collect();
        let mut open = vec![node];
        let mut seen = HashSet::new();
        while let Some(node) = open.pop().filter(|_| !missing.is_empty()) {
            for next in self.edges.get(node).into_iter().flatten() {
                missing.remove(next.as_str());
                if seen.insert(next.as_str()) {
                    open.push(next);
                }
            }
        }
        let missing: HashSet<String> = missing.into_iter().map(str::to_owned).collect();
        wanted.into_iter().filter(|it| missing.contains(it)).collect()
    }

    /// Everything that some nodes wait for, without themselves unless they are reached.
    pub(crate) fn reached<'n>(
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

    /// Whether a node waits for another one.
    fn reaches(&self, from: &str, to: &str) -> bool {
        // Most nodes are waited for by none when they are ordered.
        self.awaited.contains(to) && self.reached([from]).contains(to)
    }

    /// Makes a node wait for the `wanted` ones; returns what the graph did not imply.
    pub(crate) fn wait(
        &mut self,
        node: &str,
        wanted: impl IntoIterator<Item = String>,
    ) -> MissingWaits {
        let wanted = wanted.into_iter().filter(|other| other != node).collect();
        let missing = self.not_reached(node, wanted);
        let (circular, missing): (Vec<String>, Vec<String>) =
            missing.into_iter().partition(|other| self.reaches(other, node));
        // One is not implied by others.
        let implied = match missing.as_slice() {
            [_] => BTreeSet::new(),
            _ => self.reached(missing.iter().map(String::as_str)),
        };
        let needed: Vec<String> =
            missing.iter().filter(|other| !implied.contains(other.as_str())).cloned().collect();
        self.add(node.to_owned(), needed.iter().cloned());
        MissingWaits { needed, circular }
    }
}

/// The resources that each resource of a template waits for in Heat.
pub(crate) type ResourceDependencies<'m> = HashMap<&'m str, BTreeSet<&'m str>>;

/// The dependencies of all resources, each determined once.
pub(crate) fn resource_dependencies(module: &Module) -> ResourceDependencies<'_> {
    let names = module.stack.resources.keys();
    names.map(|name| (name.as_str(), module.dependencies(name))).collect()
}

/// The objects that a target wrote for the resources that a resource waits for in Heat. A resource for which it wrote nothing stands
/// for what it waits for itself.
pub(crate) fn awaited_objects(
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
