//! The data that the comparison of sections needs from both sides.

use std::collections::HashMap;
use std::sync::Arc;

use super::DeploymentSide;
use super::comparison::{Impact, Pair};
use super::dataflow::{DataflowPair, StackId};
use super::equality::ParameterRenames;
use super::renames::StackRenames;
use super::stages::DecidedResource;
use heat_template::ir::Stack;

/// Both sides, with what is known about their relation.
#[derive(Clone, Copy)]
pub(super) struct ComparisonInput<'a> {
    pub(super) old: &'a DeploymentSide<'a>,
    pub(super) new: &'a DeploymentSide<'a>,
    pub(super) flows: &'a DataflowPair<'a>,
    pub(super) renamed: &'a RenamedEntries,
    /// Parameters without a value that are renamed on the new side.
    pub(super) parameter_renames: &'a ParameterRenames,
}

/// Renamed entries of sections: pairs of old and new full names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct RenamedEntries {
    pub(super) parameters: Vec<(String, String)>,
    pub(super) conditions: Vec<(String, String)>,
    pub(super) outputs: Vec<(String, String)>,
}

impl RenamedEntries {
    /// Adds the renames found in the stacks at a path.
    pub(super) fn add(&mut self, path: &str, renames: &StackRenames) {
        for (mine, found) in [
            (&mut self.parameters, &renames.parameters),
            (&mut self.conditions, &renames.conditions),
            (&mut self.outputs, &renames.outputs),
        ] {
            let whole = |name: &str| format!("{path}{name}");
            mine.extend(found.iter().map(|it| (whole(&it.old), whole(&it.new))));
        }
    }
}

/// A pair of templates, identified by the addresses of their models.
pub(super) type TemplatePair = (*const Stack, *const Stack);

impl ComparisonInput<'_> {
    /// The templates of two stacks.
    pub(super) fn templates(&self, ids: Pair<StackId>) -> TemplatePair {
        let (old, new) = (self.flows.old.stack(ids.old), self.flows.new.stack(ids.new));
        (Arc::as_ptr(&old.stack), Arc::as_ptr(&new.stack))
    }

    /// Whether a stack is updated rather than replaced by another one.
    pub(super) fn is_updated_stack(&self, ids: Pair<StackId>, impacts: &ImpactIndex<'_>) -> bool {
        let Some((outer, name)) = self.flows.new.outer(ids.new) else { return true };
        let whole = self.flows.new.full_name(outer, name);
        let stays = impacts.0.get(whole.as_str()).is_none_or(|impact| impact.keeps_resource());
        let around = self.flows.old.stack_at(self.flows.new.path(outer));
        stays && around.is_some_and(|old| self.is_updated_stack(Pair { old, new: outer }, impacts))
    }
}

/// What happens to resources, by full name.
pub(super) struct ImpactIndex<'a>(HashMap<&'a str, Impact>);

impl<'a> ImpactIndex<'a> {
    pub(super) fn of(resources: &'a [DecidedResource]) -> Self {
        ImpactIndex(resources.iter().map(|it| (it.name.as_str(), it.impact)).collect())
    }
}

/// The renames in the stacks at a path, as pairs of old and new names.
pub(super) fn renames_within<'r>(
    renamed: &'r [(String, String)],
    path: &str,
    there: impl Fn(&str, &str) -> bool,
) -> HashMap<&'r str, &'r str> {
    let inside = renamed
        .iter()
        .filter_map(|(old, new)| Some((old.strip_prefix(path)?, new.strip_prefix(path)?)));
    inside.filter(|(old, new)| there(old, new)).map(|(old, new)| (new, old)).collect()
}
