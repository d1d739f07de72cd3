//! The nodes and edges of a dependency graph: which resources are drawn, and which are one box because they are alike.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::report::diff::labels;
use crate::report::diff::model::ResourceEntry;

/// With more resources than this, those that are alike are one box.
const MAX_SINGLE: usize = 24;

/// The maximum number of boxes in a drawing.
const MAX_NODES: usize = 160;

/// The maximum number of rounds in which boxes are told apart by their neighbors.
const ROUNDS: usize = 12;

/// The meaning of an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum EdgeKind {
    /// The first resource represents the stack that contains the second.
    Inside,
    /// The second resource depends on the first.
    Needs,
    /// The second resource depends on the first and changes because of it.
    Propagation,
}

/// An edge between two resources or two nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct GraphEdge {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) kind: EdgeKind,
}

/// The nodes of a drawing.
pub(super) struct GraphNodes {
    /// The resources of each node, by their position: one, or several that are alike.
    pub(super) nodes: Vec<Vec<usize>>,
    pub(super) edges: Vec<GraphEdge>,
    /// The number of boxes that the drawing lacks.
    pub(super) omitted: usize,
}

/// Whether a resource is drawn because it differs.
pub(super) fn changes(resource: &ResourceEntry) -> bool {
    labels::is_difference(resource.effective_impact) && !resource.is_hidden()
}

/// The changes and everything that they reach.
pub(super) fn changed(resources: &[ResourceEntry]) -> Vec<usize> {
    let is_drawn = |it: &ResourceEntry| changes(it) || !it.propagations.is_empty();
    (0..resources.len()).filter(|at| is_drawn(&resources[*at])).collect()
}

/// The edges between resources.
pub(super) fn edges(resources: &[ResourceEntry]) -> Vec<GraphEdge> {
    let at: HashMap<&str, usize> =
        resources.iter().enumerate().map(|(at, resource)| (resource.name.as_str(), at)).collect();
    let mut edges = Vec::new();
    for (to, resource) in resources.iter().enumerate() {
        let needs = resource.depends_on.iter().map(|name| (name, EdgeKind::Needs));
        let because = resource.propagations.iter().map(|it| (&it.source, EdgeKind::Propagation));
        let mut found: BTreeMap<usize, EdgeKind> = BTreeMap::new();
        for (name, kind) in needs.chain(because) {
            if let Some(from) = at.get(name.as_str()).filter(|from| **from != to) {
                let known = found.entry(*from).or_insert(kind);
                *known = (*known).max(kind);
            }
        }
        // A resource without dependencies in its stack is connected to the stack.
        let stack =
            resource.name.rmatch_indices('/').find_map(|(end, _)| at.get(&resource.name[..end]));
        if let Some(from) = stack.filter(|from| found.is_empty() && **from != to) {
            found.insert(*from, EdgeKind::Inside);
        }
        edges.extend(found.into_iter().map(|(from, kind)| GraphEdge { from, to, kind }));
    }
    edges
}

/// The nodes for some of the resources, with the edges between them.
pub(super) fn nodes(resources: &[ResourceEntry], drawn: &[usize], all: &[GraphEdge]) -> GraphNodes {
    let position: HashMap<usize, usize> =
        drawn.iter().enumerate().map(|(at, resource)| (*resource, at)).collect();
    let among = |edge: &GraphEdge| {
        let (from, to) = (*position.get(&edge.from)?, *position.get(&edge.to)?);
        Some(GraphEdge { from, to, kind: edge.kind })
    };
    let edges: Vec<GraphEdge> = all.iter().filter_map(among).collect();
    let class_of = if drawn.len() <= MAX_SINGLE {
        (0..drawn.len()).collect()
    } else {
        alike(resources, drawn, &edges)
    };
    let count = class_of.iter().max().map_or(0, |last| last + 1);
    let mut nodes = vec![Vec::new(); count];
    for (at, class) in class_of.iter().enumerate() {
        nodes[*class].push(drawn[at]);
    }
    // The worst boxes are kept, in their order.
    let mut kept: Vec<usize> = (0..count).collect();
    kept.sort_by_key(|node| resources[nodes[*node][0]].effective_impact);
    kept.truncate(MAX_NODES);
    kept.sort_unstable();
    let number: HashMap<usize, usize> =
        kept.iter().enumerate().map(|(at, node)| (*node, at)).collect();
    let mut between: BTreeMap<(usize, usize), EdgeKind> = BTreeMap::new();
    for edge in &edges {
        let ends = number.get(&class_of[edge.from]).zip(number.get(&class_of[edge.to]));
        if let Some((from, to)) = ends.filter(|(from, to)| from != to) {
            let kind = between.entry((*from, *to)).or_insert(edge.kind);
            *kind = (*kind).max(edge.kind);
        }
    }
    let edges = between.into_iter().map(|((from, to), kind)| GraphEdge { from, to, kind });
    GraphNodes {
        nodes: kept.iter().map(|node| std::mem::take(&mut nodes[*node])).collect(),
        edges: edges.collect(),
        omitted: count - kept.len(),
    }
}

/// Classes of resources with the same impact, type, and name but for its digits, whose neighbors are of the same classes:
/// for each resource its class, numbered in the order of their first resources.
fn alike(resources: &[ResourceEntry], drawn: &[usize], edges: &[GraphEdge]) -> Vec<usize> {
    let mut class_of = numbered(drawn.iter().map(|at| {
        let it = &resources[*at];
        (it.effective_impact, it.kind.clone(), without_digits(&it.name))
    }));
    let mut count = BTreeSet::from_iter(&class_of).len();
    for _ in 0..ROUNDS {
        let mut neighbors = vec![BTreeSet::new(); drawn.len()];
        for edge in edges {
            neighbors[edge.to].insert((true, edge.kind, class_of[edge.from]));
            neighbors[edge.from].insert((false, edge.kind, class_of[edge.to]));
        }
        class_of = numbered(class_of.iter().copied().zip(neighbors));
        let now = BTreeSet::from_iter(&class_of).len();
        if now == count {
            break;
        }
        count = now;
    }
    class_of
}

/// The same number for the same key, from 0 in the order of the keys.
fn numbered<K: Eq + std::hash::Hash>(keys: impl Iterator<Item = K>) -> Vec<usize> {
    let mut numbers = HashMap::new();
    keys.map(|key| {
        let next = numbers.len();
        *numbers.entry(key).or_insert(next)
    })
    .collect()
}

/// A name with `*` for each number in it.
pub(super) fn without_digits(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for c in name.chars() {
        match c {
            '0'..='9' if out.ends_with('*') => {}
            '0'..='9' => out.push('*'),
            _ => out.push(c),
        }
    }
    out
}
