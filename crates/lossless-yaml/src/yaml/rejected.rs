//! Errors that depend on the whole document: values that are needed but do not exist, aliases that
//! expand to too many nodes.

use super::composer::{ComposeResult, Composer, HiddenContent};
use super::resolver::{Problem, Tag};
use crate::{BYTES_PER_NODE, Entry, MAX_DEPTH, NodeId, NodeKind, RAISE_DEPTH_HELP};
use source_diagnostics::Diagnostic;

/// The help for aliases that expand to too many nodes.
pub(super) const RAISE_LIMIT_HELP: &str =
    "aliases and merge keys may add a twentieth of `--max-nodes`, which raises this limit";

/// Why a node has no value.
pub(super) struct Rejected {
    problem: Problem,
    /// The node that causes the problem.
    place: NodeId,
    /// True if the node's pairs are the problem, so that it cannot be merged either.
    in_pairs: bool,
}

/// How the loader uses a node.
#[derive(Clone, Copy)]
enum NodeUse {
    /// It constructs the node's value.
    Construction,
    /// It copies the node's pairs.
    Merge,
}

impl Composer<'_> {
    /// Records that the node `id` has no value.
    pub(super) fn reject(&mut self, id: NodeId, problem: Problem) {
        self.rejected.entry(id).or_insert(Rejected { problem, place: id, in_pairs: false });
    }

    /// Records that the pairs of the map `id` have no value, because of `place`.
    pub(super) fn reject_pairs(&mut self, id: NodeId, place: NodeId, problem: &'static str) {
        self.rejected.insert(id, Rejected { problem: problem.into(), place, in_pairs: true });
    }

    /// Reports the first rejected node, in the order of the text, that the loader would use.
    pub(super) fn check_rejected(&self, root: NodeId) -> ComposeResult<()> {
        if self.rejected.is_empty() {
            return Ok(());
        }
        let mut used = [vec![false; self.nodes.len()], vec![false; self.nodes.len()]];
        let mut todo = vec![(root, NodeUse::Construction)];
        let mut first: Option<&Rejected> = None;
        while let Some((id, purpose)) = todo.pop() {
            let id = self.resolve(id);
            if std::mem::replace(&mut used[purpose as usize][id.0 as usize], true) {
                continue;
            }
            if let Some(rejected) = self.rejected.get(&id) {
                let counts = rejected.in_pairs || matches!(purpose, NodeUse::Construction);
                let start = |rejected: &Rejected| self.node_span(rejected.place).start;
                if counts && first.is_none_or(|first| start(rejected) < start(first)) {
                    first = Some(rejected);
                }
            }
            self.add_uses(id, purpose, &mut todo);
        }
        match first {
            None => Ok(()),
            Some(rejected) => {
                let span = self.node_span(rejected.place);
                let finding =
                    Diagnostic::new(crate::codes::YAML_VALUE, rejected.problem.clone()).at(span);
                let is_placeholder = self.text[span.range()].starts_with('{') && rejected.in_pairs;
                Err(Box::new(if is_placeholder {
                    finding.help("put `{{ … }}` in quotes if it is a string")
                } else {
                    finding
                }))
            }
        }
    }

    /// Adds the nodes that the loader needs to use the node `id`.
    fn add_uses(&self, id: NodeId, purpose: NodeUse, todo: &mut Vec<(NodeId, NodeUse)>) {
        let items = self.raw_items(id).unwrap_or_default();
        let pairs: &[Entry] = match (&self.nodes[id.0 as usize].kind, self.hidden_content.get(&id))
        {
            (NodeKind::Mapping(mapping), _) => mapping.written(),
            (NodeKind::Set(_), Some(HiddenContent::Map(mapping))) => mapping.written(),
            (NodeKind::Pairs(pairs), _) => {
                if let NodeUse::Construction = purpose {
                    let nodes = pairs.iter().flat_map(|pair| [pair.key, pair.value]);
                    todo.extend(nodes.map(|node| (node, NodeUse::Construction)));
                    return;
                }
                &[]
            }
            _ => &[],
        };
        todo.extend(items.iter().map(|item| (*item, purpose)));
        for pair in pairs {
            if self.key_tag(pair.key) == Some(Tag::Merge) {
                todo.push((pair.value, NodeUse::Merge));
            } else {
                todo.extend([
                    (pair.key, NodeUse::Construction),
                    (pair.value, NodeUse::Construction),
                ]);
            }
        }
    }

    /// Checks that following every alias from the root neither adds too many nodes nor nests
    /// too deeply. The expansion of an alias that contains itself is not counted.
    pub(super) fn check_expansion(&self, root: NodeId) -> ComposeResult<()> {
        let mut extents: Vec<Extents> = Vec::with_capacity(self.nodes.len());
        let deepest = self.limits.depth.min(MAX_DEPTH);
        let mut largest: Option<(u64, NodeId)> = None;
        let mut own = 0u64;
        for (index, node) in self.nodes.iter().enumerate() {
            let extent_of = |id: NodeId| extents.get(id.0 as usize).copied().unwrap_or_default();
            let mut extent = Extents::default();
            match &node.kind {
                NodeKind::Text(text) => {
                    extent = Extents::of_scalar(1 + (text.len() / BYTES_PER_NODE) as u64);
                }
                NodeKind::Sequence(items) | NodeKind::Set(items) => {
                    extent.depth = 1;
                    for item in items.iter() {
                        extent.add(extent_of(*item));
                    }
                }
                NodeKind::Mapping(mapping) => {
                    extent.depth = 1;
                    for pair in mapping.entries.iter() {
                        extent.add_expanded(extent_of(pair.key));
                        extent.add_expanded(extent_of(pair.value));
                    }
                    for pair in mapping.written() {
                        extent.add_written(extent_of(pair.key));
                        extent.add_written(extent_of(pair.value));
                    }
                }
                NodeKind::Pairs(pairs) => {
                    extent.depth = 1;
                    for pair in pairs.iter() {
                        extent.add(extent_of(pair.key));
                        extent.add(extent_of(pair.value));
                    }
                }
                NodeKind::Alias(target) => {
                    extent = Extents { written: Extent::default(), ..extent_of(*target) };
                    if largest.is_none_or(|(most, _)| extent.expanded.nodes > most) {
                        largest = Some((extent.expanded.nodes, NodeId(index as u32)));
                    }
                }
                NodeKind::Null
                | NodeKind::Bool(_)
                | NodeKind::Int(_)
                | NodeKind::Float(_)
                | NodeKind::Bytes(_)
                | NodeKind::Date(_) => {}
            }
            if extent.depth > deepest {
                let message = format!("lists and maps are nested more than {deepest} levels deep");
                let finding =
                    Diagnostic::new(crate::codes::NESTING_TOO_DEEP, message).help(RAISE_DEPTH_HELP);
                return Err(Box::new(finding.at(self.node_span(NodeId(index as u32)))));
            }
            own += match &node.kind {
                NodeKind::Alias(_) => 0,
                NodeKind::Text(_) => extent.written.nodes,
                _ => 1,
            };
            extents.push(extent);
        }
        let Extents { expanded, written, .. } =
            extents.get(root.0 as usize).copied().unwrap_or_default();
        let limit = self.limits.added_nodes();
        // Deeply nested nodes count more, because rewritten text is indented once per level.
        let levels = written.levels.saturating_add(self.limits.added_levels() as u64);
        if expanded.nodes <= own.saturating_add(limit as u64) && expanded.levels <= levels {
            return Ok(());
        }
        let message = format!("following every alias would add more than {limit} nodes");
        let place = largest.map_or(root, |(_, alias)| alias);
        let finding = Diagnostic::new(crate::codes::ALIAS_EXPANSION, message)
            .labeled(self.node_span(place), "this alias refers to the largest part")
            .help(RAISE_LIMIT_HELP);
        Err(Box::new(finding))
    }
}

/// The size of a node with its content.
#[derive(Clone, Copy, Default)]
struct Extent {
    nodes: u64,
    /// The sum over all nodes of the lists and maps above each, up to this one.
    levels: u64,
}

impl Extent {
    fn add(&mut self, child: Extent) {
        self.nodes = self.nodes.saturating_add(child.nodes);
        self.levels = self.levels.saturating_add(child.levels).saturating_add(child.nodes);
    }
}

/// The size of a node, with aliases and merge keys followed, and as written.
#[derive(Clone, Copy)]
struct Extents {
    expanded: Extent,
    written: Extent,
    depth: usize,
}

impl Default for Extents {
    fn default() -> Self {
        Extents::of_scalar(1)
    }
}

impl Extents {
    fn of_scalar(nodes: u64) -> Self {
        let extent = Extent { nodes, levels: 0 };
        Extents { expanded: extent, written: extent, depth: 0 }
    }

    fn add(&mut self, child: Extents) {
        self.add_expanded(child);
        self.add_written(child);
    }

    fn add_expanded(&mut self, child: Extents) {
        self.expanded.add(child.expanded);
        self.depth = self.depth.max(1 + child.depth);
    }

    fn add_written(&mut self, child: Extents) {
        self.written.add(child.written);
    }
}
