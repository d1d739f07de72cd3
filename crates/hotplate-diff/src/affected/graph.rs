//! The templates of one revision, and which of them read which files.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::facts::FileFacts;
use super::{ChangedPaths, Revision};
use heat_engine::environment::{
    EnvironmentMap, EnvironmentNode as Value, EnvironmentValue, FileAccess, Location,
    read_environment, sections,
};
use lossless_yaml::Limits;
use source_diagnostics::SourceMap;

/// A file of a revision that is a template on at least one side.
#[derive(Debug)]
pub(super) struct FileNode {
    /// The path as displayed to the user.
    pub(super) path: PathBuf,
    pub(super) facts: Arc<FileFacts>,
    /// The changed files that it reads directly, not through another template.
    pub(super) causes: BTreeSet<PathBuf>,
    /// The environments with other content that may give it a value or a type, by the paths that deployments have.
    pub(super) environments: BTreeSet<PathBuf>,
    /// The templates that it nests or includes, as positions in the graph.
    nested: Vec<usize>,
}

/// The templates of a revision, and which of them nest which.
#[derive(Debug)]
pub(super) struct FileGraph {
    nodes: Vec<FileNode>,
    by_path: HashMap<PathBuf, usize>,
    /// For each template, the templates that nest or include it.
    parents: Vec<Vec<usize>>,
}

impl FileGraph {
    pub(super) fn new(
        side: &Revision<'_>,
        facts: &BTreeMap<PathBuf, Arc<FileFacts>>,
        differs: &ChangedPaths<'_>,
        limits: &Limits,
    ) -> Self {
        let mut nodes: Vec<FileNode> = facts
            .iter()
            .map(|(path, facts)| FileNode {
                path: path.clone(),
                facts: Arc::clone(facts),
                causes: BTreeSet::new(),
                environments: BTreeSet::new(),
                nested: Vec::new(),
            })
            .collect();
        let by_path = nodes.iter().enumerate().map(|(at, node)| (node.path.clone(), at)).collect();
        let mut places = HashMap::new();
        for (at, node) in nodes.iter().enumerate() {
            // A link has its own path besides that of its target.
            places.insert(real_path(side, &node.path), at);
        }
        let environments = EnvironmentIndex::new(side, differs, limits);
        let mut above: Vec<Vec<usize>> = vec![Vec::new(); nodes.len()];
        for (at, node) in nodes.iter_mut().enumerate() {
            if differs.paths.contains(&node.path) {
                node.causes.insert(node.path.clone());
            }
            let location = Location::from_argument(&node.path, side.files);
            let named = node.facts.files.iter().map(|name| location.resolve(name));
            let typed = node.facts.types.iter().flat_map(|name| environments.files_of(name));
            let mut below: BTreeSet<usize> = BTreeSet::new();
            for location in named.chain(typed) {
                let Some(path) = location.path() else { continue };
                node.causes.extend(differs.cause_of(path));
                for place in [side.files.absolute(path), real_path(side, path)] {
                    below.extend(places.get(&place));
                }
            }
            node.environments.extend(environments.that_affect(&node.facts));
            below.remove(&at);
            below.iter().for_each(|&it| above[it].push(at));
            node.nested = below.into_iter().collect();
        }
        FileGraph { nodes, by_path, parents: above }
    }

    pub(super) fn nodes(&self) -> &[FileNode] {
        &self.nodes
    }

    pub(super) fn find(&self, path: &Path) -> Option<usize> {
        self.by_path.get(path).copied()
    }

    pub(super) fn is_nested(&self, node: usize) -> bool {
        !self.parents[node].is_empty()
    }

    /// The templates that a template nests or includes directly.
    pub(super) fn nested_in(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        self.nodes[node].nested.iter().copied()
    }

    /// Every template that a change affects, directly or through nested templates.
    pub(super) fn reached(&self) -> HashSet<usize> {
        let differs = |node: &FileNode| !node.causes.is_empty() || !node.environments.is_empty();
        let changed = (0..self.nodes.len()).filter(|&it| differs(&self.nodes[it]));
        let mut left: Vec<usize> = changed.collect();
        let mut reached = HashSet::new();
        while let Some(it) = left.pop() {
            if reached.insert(it) {
                left.extend(&self.parents[it]);
            }
        }
        reached
    }

    /// Adds a template and everything that it nests to `seen`.
    pub(super) fn mark_nested(&self, node: usize, seen: &mut HashSet<usize>) {
        let mut left = vec![node];
        while let Some(it) = left.pop() {
            if seen.insert(it) {
                left.extend(&self.nodes[it].nested);
            }
        }
    }
}

/// The absolute path of the file itself, even if it is a link.
fn real_path(side: &Revision<'_>, path: &Path) -> PathBuf {
    match (path.parent(), path.file_name()) {
        (Some(folder), Some(name)) => side.files.absolute(folder).join(name),
        _ => side.files.absolute(path),
    }
}

/// The environments that the templates of a revision are deployed with.
#[derive(Default)]
struct EnvironmentIndex {
    /// The resource registry: a type or a pattern, and the file or the type that it maps to.
    registry: Vec<(String, RegistryTarget)>,
    /// The paths of the environments that differ, with the parameters and types that they name; `None`
    /// for an unreadable environment.
    changed: Vec<(PathBuf, Option<EnvironmentNames>)>,
}

#[derive(Default)]
struct EnvironmentNames {
    parameters: BTreeSet<String>,
    types: Vec<String>,
}

enum RegistryTarget {
    File(Location),
    Type(String),
}

impl EnvironmentIndex {
    fn new(side: &Revision<'_>, differs: &ChangedPaths<'_>, limits: &Limits) -> Self {
        let access = FileAccess::new(side.files);
        let (mut sources, mut findings) = (SourceMap::default(), Vec::new());
        let mut environments = EnvironmentIndex::default();
        let sides = differs.sides;
        for path in side.environments {
            let location = Location::from_argument(path, side.files);
            let file = read_environment(
                &location,
                &access,
                limits,
                &mut sources,
                &mut Vec::new(),
                &mut findings,
            );
            let mut entries = Vec::new();
            // A missing environment contributes nothing.
            let is_missing = side.files.kind(path).is_none();
            let names = is_missing.then(EnvironmentNames::default);
            let names = names.or(file.map(|file| {
                let section = |name: &str| file.sections.get(name).and_then(Value::as_map);
                if let Some(registry) = section(sections::REGISTRY) {
                    collect(registry, &mut entries);
                }
                let given = [sections::PARAMETERS, sections::DEFAULTS];
                let given = given.into_iter().filter_map(section);
                EnvironmentNames {
                    parameters: given.flat_map(|map| map.keys().cloned()).collect(),
                    types: entries.iter().map(|(key, _)| key.clone()).collect(),
                }
            }));
            let is_of_both = [sides.old, sides.new].iter().all(|it| it.environments.contains(path));
            // Missing on one side is a difference; missing on both is an error that is reported elsewhere.
            if differs.cause_of(path).is_some() || !is_of_both {
                environments.changed.push((path.clone(), names));
            }
            environments.registry.extend(entries);
        }
        environments
    }

    /// The files that a type may map to: more than Heat would choose, since any of them may matter.
    fn files_of(&self, name: &str) -> Vec<Location> {
        let mut files = Vec::new();
        let (mut left, mut seen) = (vec![name.to_owned()], HashSet::new());
        while let Some(name) = left.pop() {
            // A pattern can map to ever longer names.
            if seen.len() > self.registry.len() || !seen.insert(name.clone()) {
                continue;
            }
            for (key, target) in self.registry.iter().filter(|(key, _)| matches_type(key, &name)) {
                match target {
                    RegistryTarget::File(location) => files.push(location.clone()),
                    RegistryTarget::Type(other) => {
                        left.push(match (key.strip_suffix('*'), other) {
                            (Some(prefix), other) if other.ends_with('*') => {
                                format!("{}{}", other.trim_end_matches('*'), &name[prefix.len()..])
                            }
                            _ => other.clone(),
                        })
                    }
                }
            }
        }
        files
    }

    /// The changed environments that name a parameter or type of a template.
    fn that_affect<'e>(&'e self, facts: &'e FileFacts) -> impl Iterator<Item = PathBuf> + 'e {
        let matters = |names: &EnvironmentNames| {
            !names.parameters.is_disjoint(&facts.parameters)
                || facts
                    .types
                    .iter()
                    .any(|name| names.types.iter().any(|key| matches_type(key, name)))
        };
        self.changed
            .iter()
            .filter(move |(_, names)| names.as_ref().is_none_or(matters))
            .map(|(path, _)| path.clone())
    }
}

/// Whether an entry of the registry applies to a type.
fn matches_type(key: &str, name: &str) -> bool {
    match key.strip_suffix('*') {
        Some(prefix) => name.starts_with(prefix),
        None => key == name,
    }
}

/// Collects the entries of a registry, at any depth.
fn collect(registry: &EnvironmentMap, entries: &mut Vec<(String, RegistryTarget)>) {
    for (key, node) in registry {
        let items = match &node.value {
            EnvironmentValue::Map(map) => {
                collect(map, entries);
                continue;
            }
            EnvironmentValue::List(items) => items.as_slice(),
            _ => std::slice::from_ref(node),
        };
        for item in items {
            match &item.value {
                EnvironmentValue::File(location) => {
                    entries.push((key.clone(), RegistryTarget::File(location.clone())))
                }
                EnvironmentValue::Text(name) => {
                    entries.push((key.clone(), RegistryTarget::Type(name.clone())))
                }
                _ => {}
            }
        }
    }
}
