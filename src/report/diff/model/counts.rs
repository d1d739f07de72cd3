//! What there is to count.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Serialize;

use crate::diff::Impact;

/// How many resources have which `effective_impact`; every impact is there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct ImpactSummary(pub IndexMap<Impact, usize>);

/// What there is to count beside impacts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Counts {
    /// Resources on either side.
    pub resources: usize,
    /// Resources that have another name now.
    pub renamed: usize,
    /// Resources with a permission for what happens to them.
    pub excused: usize,
    /// Templates of which a side could not be read, so that nothing of them is compared.
    pub templates_not_compared: usize,
    /// Resources that depend on a file that could not be read: those with the `effective_impact`
    /// `not-compared`, and those that something worse happens to anyway.
    pub not_compared: usize,
    /// Files of either side that could not be read.
    pub unread_files: usize,
    /// Errors for which Heat refuses the new template as a whole, those that the old side has too left
    /// out. What belongs to a resource makes that `refused`.
    pub refusals: usize,
    /// Errors for which Heat refuses the new template and the old one too.
    pub refused_before: usize,
    /// Parameters that differ in more than what is written about them.
    pub parameters: usize,
    /// Parameters because of which Heat refuses the update.
    pub refused_parameters: usize,
    /// Groups of parameters that differ.
    pub groups: usize,
    /// Conditions that differ.
    pub conditions: usize,
    /// Outputs that differ.
    pub outputs: usize,
    /// Differences of the environments.
    pub environment: usize,
    /// Changes after which more is possible.
    pub widened: usize,
    /// Changes after which less is possible.
    pub narrowed: usize,
    /// Templates that are new as files. Of many templates, their resources are in no other count.
    pub templates_added: usize,
    /// The resources of these.
    pub resources_added: usize,
    /// Templates that are gone as files. That deletes no stack.
    pub templates_removed: usize,
    /// The resources of these.
    pub resources_removed: usize,
}

impl Default for ImpactSummary {
    /// Nothing, with every impact.
    fn default() -> Self {
        ImpactSummary(Impact::ALL.into_iter().map(|impact| (impact, 0)).collect())
    }
}

impl ImpactSummary {
    /// How many resources have this impact.
    pub fn of(&self, impact: Impact) -> usize {
        self.0.get(&impact).copied().unwrap_or_default()
    }

    /// Counts one resource more.
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
            excused,
            templates_not_compared,
            not_compared,
            unread_files,
            refusals,
            refused_before,
            parameters,
            refused_parameters,
            groups,
            conditions,
            outputs,
            environment,
            widened,
            narrowed,
            templates_added,
            resources_added,
            templates_removed,
            resources_removed,
        } = other;
        self.resources += resources;
        self.renamed += renamed;
        self.excused += excused;
        self.templates_not_compared += templates_not_compared;
        self.not_compared += not_compared;
        self.unread_files += unread_files;
        self.refusals += refusals;
        self.refused_before += refused_before;
        self.parameters += parameters;
        self.refused_parameters += refused_parameters;
        self.groups += groups;
        self.conditions += conditions;
        self.outputs += outputs;
        self.environment += environment;
        self.widened += widened;
        self.narrowed += narrowed;
        self.templates_added += templates_added;
        self.resources_added += resources_added;
        self.templates_removed += templates_removed;
        self.resources_removed += resources_removed;
    }
}
