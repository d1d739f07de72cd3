//! The resources that a row of the resource registry applies to. Rows and resources are indexed once, so that many changed rows of
//! a large deployment are found in about the time of reading them.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Bound;

use indexmap::{IndexMap, IndexSet};

use super::dataflow::Dataflow;
use heat_engine::environment::registry::{RESOURCES, rewritten};
use heat_engine::environment::{EnvironmentNode, EnvironmentValue, fnmatch};

/// The longest chain of types that map to types; longer ones are cut.
const MAX_CHAIN: usize = 20;

/// The leaves of a registry by path: entries, hooks and restricted actions.
pub(super) type Leaves = IndexMap<Vec<String>, EnvironmentNode>;

/// Full names of resources with their positions in the deployment, to find those that begin or end with a text.
#[derive(Default)]
struct Names {
    by_start: BTreeMap<String, usize>,
    /// By the reversed name.
    by_end: BTreeMap<String, usize>,
}

/// Which resources of a deployment each row of its registry applies to.
pub(super) struct RegistryReach<'a> {
    registry: &'a Leaves,
    /// The full names, in the order of the deployment.
    names: Vec<String>,
    by_kind: IndexMap<&'a str, Names>,
    /// The resources of every type.
    all: OnceCell<Names>,
    /// The kinds that are resolved through each row for types, by their positions in `by_kind`.
    kinds: OnceCell<HashMap<&'a str, Vec<usize>>>,
}

impl<'a> RegistryReach<'a> {
    pub(super) fn new(flow: &Dataflow<'a>, registry: &'a Leaves) -> Self {
        let (mut names, mut by_kind) = (Vec::new(), IndexMap::<&str, Names>::new());
        for (id, name) in flow.resources() {
            let resources = flow.stack(id).evaluation.resources.as_ref();
            let Some(resource) = resources.and_then(|all| all.get(name)) else { continue };
            let whole = flow.full_name(id, name);
            by_kind.entry(&resource.kind).or_default().insert(&whole, names.len());
            names.push(whole);
        }
        let (all, kinds) = (OnceCell::new(), OnceCell::new());
        RegistryReach { registry, names, by_kind, all, kinds }
    }

    /// The resources of a type, including those whose type maps to it.
    pub(super) fn resources_of_type(&self, path: &[String]) -> Vec<String> {
        match path {
            [key] => {
                let kinds = self.kinds.get_or_init(|| self.kinds_by_row()).get(key.as_str());
                let kinds = kinds.into_iter().flatten();
                self.in_order(kinds.flat_map(|at| self.by_kind[*at].by_start.values().copied()))
            }
            [resources, keys @ .., kind] if resources == RESOURCES => {
                let names = self.by_kind.get(kind.as_str()).into_iter();
                self.in_order(names.flat_map(|names| self.matching(names, keys)))
            }
            _ => Vec::new(),
        }
    }

    /// The resources that a hook or a restricted action applies to.
    pub(super) fn restricted_resources(&self, path: &[String]) -> Vec<String> {
        let [resources, keys @ .., _] = path else { return Vec::new() };
        if resources != RESOURCES {
            return Vec::new();
        }
        let all = self.all.get_or_init(|| {
            let mut all = Names::default();
            self.names.iter().enumerate().for_each(|(at, name)| all.insert(name, at));
            all
        });
        self.in_order(self.matching(all, keys))
    }

    /// The resources that keys below `resources` match: patterns, starting at the root stack.
    fn matching(&self, names: &Names, keys: &[String]) -> Vec<usize> {
        let pattern = keys.join("/");
        let start = pattern.split(WILDCARDS).next().unwrap_or_default();
        if start == pattern {
            return names
                .by_start
                .get(start)
                .copied()
                .filter(|at| self.fits(keys, *at))
                .into_iter()
                .collect();
        }
        let end = pattern.rsplit(WILDCARDS).next().unwrap_or_default();
        let candidates = names.candidates(start, end).into_iter();
        candidates.filter(|at| self.fits(keys, *at)).collect()
    }

    fn fits(&self, keys: &[String], at: usize) -> bool {
        let names: Vec<&str> = self.names[at].split('/').collect();
        keys.len() == names.len() && keys.iter().zip(names).all(|(key, name)| fnmatch(name, key))
    }

    fn in_order(&self, positions: impl IntoIterator<Item = usize>) -> Vec<String> {
        let positions: BTreeSet<usize> = positions.into_iter().collect();
        positions.into_iter().map(|at| self.names[at].clone()).collect()
    }

    /// Follows each type through the rows that map it to others.
    fn kinds_by_row(&self) -> HashMap<&'a str, Vec<usize>> {
        let rows = TypeRows::new(self.registry);
        let mut found: HashMap<&str, Vec<usize>> = HashMap::new();
        for (position, kind) in self.by_kind.keys().enumerate() {
            let mut through: BTreeSet<&str> = BTreeSet::new();
            let mut kinds = IndexSet::from([(*kind).to_owned()]);
            for at in 0..MAX_CHAIN {
                let Some(kind) = kinds.get_index(at).cloned() else { break };
                for (key, node) in rows.fitting(&kind) {
                    through.insert(key);
                    if let EnvironmentValue::Text(target) = &node.value
                        && kinds.len() < MAX_CHAIN
                    {
                        kinds.insert(rewritten(key, target, &kind));
                    }
                }
            }
            for key in through {
                found.entry(key).or_default().push(position);
            }
        }
        found
    }
}

/// The rows of a registry that map types, by the types that they fit.
struct TypeRows<'a> {
    registry: &'a Leaves,
    /// The positions of the rows for one type, by the type.
    named: HashMap<&'a str, usize>,
    /// The positions of the rows for a prefix, by the prefix.
    prefixes: HashMap<&'a str, usize>,
    prefix_lengths: BTreeSet<usize>,
}

impl<'a> TypeRows<'a> {
    fn new(registry: &'a Leaves) -> Self {
        let (mut named, mut prefixes) = (HashMap::new(), HashMap::new());
        for (at, path) in registry.keys().enumerate() {
            let [key] = path.as_slice() else { continue };
            match key.strip_suffix('*') {
                Some(prefix) => prefixes.insert(prefix, at),
                None => named.insert(key.as_str(), at),
            };
        }
        let prefix_lengths = prefixes.keys().map(|it| it.len()).collect();
        TypeRows { registry, named, prefixes, prefix_lengths }
    }

    /// The rows that a type fits, in the order of the registry.
    fn fitting(&self, kind: &str) -> impl Iterator<Item = (&'a str, &'a EnvironmentNode)> {
        let of_prefix = |length: &usize| self.prefixes.get(kind.get(..*length)?);
        let prefixes = self.prefix_lengths.range(..=kind.len()).filter_map(of_prefix);
        let fitting: BTreeSet<usize> = prefixes.chain(self.named.get(kind)).copied().collect();
        let registry = self.registry;
        fitting.into_iter().filter_map(move |at| {
            let (path, node) = registry.get_index(at)?;
            Some((path.first()?.as_str(), node))
        })
    }
}

impl Names {
    fn insert(&mut self, name: &str, at: usize) {
        self.by_start.insert(name.to_owned(), at);
        self.by_end.insert(reversed(name), at);
    }

    /// The names that begin and end with texts, and others: those that begin so or those that end so, whichever are fewer.
    fn candidates(&self, start: &str, end: &str) -> Vec<usize> {
        let end = reversed(end);
        let (mut by_start, mut by_end) =
            (beginning(&self.by_start, start), beginning(&self.by_end, &end));
        let (mut starting, mut ending) = (Vec::new(), Vec::new());
        loop {
            match (by_start.next(), by_end.next()) {
                (None, _) => return starting,
                (_, None) => return ending,
                (Some(one), Some(other)) => {
                    starting.push(one);
                    ending.push(other);
                }
            }
        }
    }
}

fn beginning(names: &BTreeMap<String, usize>, start: &str) -> impl Iterator<Item = usize> {
    let from = (Bound::Included(start), Bound::Unbounded);
    names
        .range::<str, _>(from)
        .take_while(move |(name, _)| name.starts_with(start))
        .map(|(_, at)| *at)
}

fn reversed(text: &str) -> String {
    text.chars().rev().collect()
}

/// Characters that begin or end a wildcard in a shell pattern.
const WILDCARDS: [char; 4] = ['*', '?', '[', ']'];
