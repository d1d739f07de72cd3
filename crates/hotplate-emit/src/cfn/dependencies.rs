//! The order in which Heat creates resources: what references in the result do not imply becomes `DependsOn`.

use std::collections::{BTreeSet, HashMap};

use super::plan::PlannedOutcome;
use super::template_builder::TemplateBuilder;
use crate::kit::{WaitGraph, awaited_objects, resource_dependencies};
use crate::tree::{DataNode, DataTree};
use crate::{Loss, LossKind};

impl TemplateBuilder<'_> {
    /// Makes each resource wait for what Heat makes it wait for, if no reference in the result does.
    pub(super) fn add_dependencies(&mut self) {
        let mut graph = WaitGraph::default();
        for (id, tree) in self.resources.iter().filter(|(id, _)| !id.is_empty()) {
            let mut names = BTreeSet::new();
            tree.collect_references(&mut names);
            graph.add(id.clone(), names);
        }
        let module = self.module;
        let dependencies = resource_dependencies(module);
        let places = self.resources.iter().enumerate().map(|(at, (id, _))| (id.clone(), at));
        let places: HashMap<String, usize> = places.collect();
        for (name, resource) in &module.stack.resources {
            let own = self.parts_of(name);
            // Nothing that is not written waits.
            if !own.iter().any(|id| graph.has(id)) {
                continue;
            }
            let mut awaited = awaited_objects(&dependencies, name, &|other| self.parts_of(other));
            awaited.retain(|other| !own.contains(other) && graph.has(other));
            let written: Vec<&String> = own.iter().filter(|id| graph.has(id)).collect();
            for id in written {
                let missing = graph.wait(id, awaited.iter().cloned());
                for other in missing.circular {
                    let message = format!(
                        "`{name}` does not wait for `{other}`: in AWS that one waits for it"
                    );
                    let loss =
                        Loss::new(LossKind::Section, "depends_on", message, resource.name_span);
                    self.losses.add(loss.with_owner(name.as_str()).as_note());
                }
                if let Some((_, tree)) = places.get(id).and_then(|at| self.resources.get_mut(*at)) {
                    missing.needed.iter().for_each(|other| depend_on(tree, other));
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
            | PlannedOutcome::InstanceType
            | PlannedOutcome::Part
            | PlannedOutcome::Nothing
            | PlannedOutcome::Lost(..) => BTreeSet::new(),
        }
    }
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
