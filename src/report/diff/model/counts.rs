//! The counts of a report.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Serialize;

use hotplate_diff::Impact;

/// The number of resources for each `effective_impact`; every impact is present.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct ImpactSummary(pub IndexMap<Impact, usize>);

/// Counts other than impacts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Counts {
    /// Resources of either side.
    pub resources: usize,
    /// Resources with different names on the two sides.
    pub renamed: usize,
    /// Resources with a suppression of their impact.
    pub suppressed: usize,
    /// Templates that are not compared because a side could not be read.
    pub templates_not_compared: usize,
    /// Resources whose data is lost, or is lost if they are replaced.
    pub data_lost: usize,
    /// Resources that depend on an unreadable file: those with the `effective_impact`
    /// `not-compared`, and those with a worse one.
    pub not_compared: usize,
    /// Files that could not be read on either side.
    pub unread_files: usize,
    /// New errors for which Heat refuses the new template as a whole. Errors that belong to a
    /// resource make the resource `refused` instead.
    pub refusals: usize,
    /// Errors for which Heat refuses the new template and also the old one.
    pub refused_before: usize,
    /// Parameters that differ in more than documentation.
    pub parameters: usize,
    /// Parameters for which Heat refuses the update.
    pub refused_parameters: usize,
    /// Parameter groups that differ.
    pub groups: usize,
    /// Conditions that are added, removed or changed.
    pub conditions: usize,
    /// Outputs that are added, removed or changed.
    pub outputs: usize,
    /// Outputs whose definitions are the same, but whose values change or may change with resources.
    pub outputs_affected: usize,
    /// Differences of the environments.
    pub environment: usize,
    /// Changes that allow more access.
    pub widened: usize,
    /// Changes that may allow more access, which depends on values that are unknown.
    pub may_widen: usize,
    /// Changes that allow less access.
    pub narrowed: usize,
    /// Added template files. In a report of many templates, their resources are in no other count.
    pub templates_added: usize,
    /// The resources of added template files.
    pub resources_added: usize,
    /// Deleted template files, which deletes no stack.
    pub templates_removed: usize,
    /// The resources of deleted template files.
    pub resources_removed: usize,
}

impl Default for ImpactSummary {
    /// All impacts with the count 0.
    fn default() -> Self {
        ImpactSummary(Impact::ALL.into_iter().map(|impact| (impact, 0)).collect())
    }
}

impl ImpactSummary {
    /// The number of resources with this impact.
    pub fn of(&self, impact: Impact) -> usize {
        self.0.get(&impact).copied().unwrap_or_default()
    }

    /// Counts one more resource.
    pub(in crate::report::diff) fn count(&mut self, impact: Impact) {
        *self.0.entry(impact).or_default() += 1;
    }

    /// Adds the counts of another template.
    pub(in crate::report::diff) fn add(&mut self, other: &ImpactSummary) {
        for (impact, count) in &other.0 {
            *self.0.entry(*impact).or_default() += count;
        }
    }
}

impl std::ops::AddAssign for Counts {
    fn add_assign(&mut self, other: Counts) {
        let Counts {
            resources,
            renamed,
            suppressed,
            templates_not_compared,
            data_lost,
            not_compared,
            unread_files,
            refusals,
            refused_before,
            parameters,
            refused_parameters,
            groups,
            conditions,
            outputs,
            outputs_affected,
            environment,
            widened,
            may_widen,
            narrowed,
            templates_added,
            resources_added,
            templates_removed,
            resources_removed,
        } = other;
        self.resources += resources;
        self.renamed += renamed;
        self.suppressed += suppressed;
        self.templates_not_compared += templates_not_compared;
        self.data_lost += data_lost;
        self.not_compared += not_compared;
        self.unread_files += unread_files;
        self.refusals += refusals;
        self.refused_before += refused_before;
        self.parameters += parameters;
        self.refused_parameters += refused_parameters;
        self.groups += groups;
        self.conditions += conditions;
        self.outputs += outputs;
        self.outputs_affected += outputs_affected;
        self.environment += environment;
        self.widened += widened;
        self.may_widen += may_widen;
        self.narrowed += narrowed;
        self.templates_added += templates_added;
        self.resources_added += resources_added;
        self.templates_removed += templates_removed;
        self.resources_removed += resources_removed;
    }
}
