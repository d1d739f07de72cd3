//! The order in which Heat creates resources: what references in the result do not imply becomes `DependsOn`.

use std::collections::{BTreeMap, BTreeSet};

use super::super::tree::{DataNode, DataTree};
use super::super::{Loss, LossKind};
use super::plan::PlannedOutcome;
use super::template_builder::TemplateBuilder;

/// The resources that a resource of the result waits for, by logical ID.
type Graph = BTreeMap<String, BTreeSet<String>>;

impl TemplateBuilder<'_> {
    /// Makes each resource wait for what Heat makes it wait for, if no reference in the result does.
    pub(super) fn add_dependencies(&mut self) {
        let mut graph = Graph::new();
        for (id, tree) in self.resources.iter().filter(|(id, _)| !id.is_empty()) {
            let mut names = BTreeSet::new();
            tree.collect_references(&mut names);
            graph.insert(id.clone(), names);
        }
        let module = self.module;
        for (name, resource) in &module.stack.resources {
            let mut before = BTreeSet::new();
            let mut seen = BTreeSet::from([name.as_str()]);
            for other in module.dependencies(name) {
                self.collect_counterparts(other, &mut seen, &mut before);
            }
            let own = self.parts_of(name);
            for id in &own {
                if !graph.contains_key(id) {
                    continue;
                }
                let known = reachable(&graph, id);
                let missing: Vec<&String> = before
                    .iter()
                    .filter(|other| {
                        !known.contains(*other)
                            && !own.contains(*other)
                            && graph.contains_key(*other)
                    })
                    .collect();
                // A resource that another one waits for is waited for anyway.
                let implied: BTreeSet<String> =
                    missing.iter().flat_map(|other| reachable(&graph, other)).collect();
                for other in missing.into_iter().filter(|other| !implied.contains(*other)) {
                    if reachable(&graph, other).contains(id) {
                        let message = format!(
                            "`{name}` does not wait for `{other}`: in AWS that one waits for it"
                        );
                        let loss =
                            Loss::new(LossKind::Section, "depends_on", message, resource.name_span);
                        self.losses.add(loss.with_owner(name.as_str()).as_note());
                        continue;
                    }
                    let tree = self.resources.iter_mut().find(|(there, _)| there == id);
                    tree.into_iter().for_each(|(_, tree)| depend_on(tree, other));
                    graph.entry(id.clone()).or_default().insert(other.clone());
                }
            }
        }
    }

    /// The logical IDs of everything that stands for a resource.
    fn parts_of(&self, name: &str) -> BTreeSet<String> {
        let Some(planned) = self.plan.get(name) else { return BTreeSet::new() };
        match &planned.outcome {
            PlannedOutcome::Object(..) | PlannedOutcome::Nested(_) => {
                let helpers = self.helpers.get(&planned.id).into_iter().flatten();
                helpers.chain([&planned.id]).cloned().collect()
            }
            PlannedOutcome::Members(keys) => {
                keys.iter().flat_map(|key| self.parts_of(key)).collect()
            }
            PlannedOutcome::Value
            | PlannedOutcome::Text
            | PlannedOutcome::Part
            | PlannedOutcome::Nothing
            | PlannedOutcome::Lost(..) => BTreeSet::new(),
        }
    }

    /// Collects what stands for a resource; for one without a counterpart, for all that it waits for.
    fn collect_counterparts<'n>(
        &'n self,
        name: &'n str,
        seen: &mut BTreeSet<&'n str>,
        found: &mut BTreeSet<String>,
    ) {
        if !seen.insert(name) {
            return;
        }
        let parts = self.parts_of(name);
        if parts.is_empty() {
            for other in self.module.dependencies(name) {
                self.collect_counterparts(other, seen, found);
            }
        }
        found.extend(parts);
    }
}

/// All that a resource waits for, directly or not.
fn reachable(graph: &Graph, from: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut open = vec![from];
    while let Some(name) = open.pop() {
        for other in graph.get(name).into_iter().flatten() {
            if graph.contains_key(other) && found.insert(other.clone()) {
                open.push(other);
            }
        }
    }
    found
}

/// Adds a logical ID to the `DependsOn` of a resource.
pub(super) fn depend_on(resource: &mut DataTree, id: &str) {
    let DataNode::Map(pairs) = &mut resource.kind else { return };
    let id = DataTree::from(id);
    let Some((_, needs)) = pairs.iter_mut().find(|(key, _)| key == "DependsOn") else {
        let at = pairs.iter().position(|(key, _)| key != "Type" && key != "Condition");
        return pairs.insert(at.unwrap_or(pairs.len()), ("DependsOn".to_owned(), id));
    };
    match &mut needs.kind {
        DataNode::List(items) if items.iter().any(|item| item.kind == id.kind) => {}
        DataNode::List(items) => items.push(id),
        there if *there == id.kind => {}
        _ => *needs = DataTree::list([needs.clone(), id]),
    }
}
