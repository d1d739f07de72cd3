//! The counts of a report.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Serialize;

use hotplate_diff::Impact;

/// The number of resources for each `effective_impact`; every impact is present.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct ImpactSummary(pub IndexMap<Impact, usize>);

macro_rules! counts {
    ($($(#[$attribute:meta])* $name:ident,)*) => {
        /// Counts other than impacts.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
        pub struct Counts {
            $($(#[$attribute])* pub $name: usize,)*
        }

        impl std::ops::AddAssign for Counts {
            fn add_assign(&mut self, other: Counts) {
                $(self.$name += other.$name;)*
            }
        }
    };
}

counts! {
    /// Resources of either side.
    resources,
    /// Resources that a condition disables on both sides; they are in no other count.
    #[serde(default, skip_serializing_if = "is_zero")]
    switched_off,
    /// Resources with different names on the two sides.
    renamed,
    /// Resources with a suppression of their impact.
    suppressed,
    /// Templates that are not compared because a side could not be read.
    templates_not_compared,
    /// Templates that are compared only in part, since Heat refuses keys or sections of a side.
    #[serde(default, skip_serializing_if = "is_zero")]
    templates_partly_compared,
    /// Environments that changed, and that no deployment is known to use.
    environments_not_compared,
    /// Resources whose data is lost, or is lost if they are replaced.
    data_lost,
    /// Resources with hazards: something that the update leaves behind, or at which it fails.
    #[serde(default, skip_serializing_if = "is_zero")]
    hazards,
    /// Resources whose update interrupts a machine, or may: it stops, or is cut off from a disk or a network.
    #[serde(default, skip_serializing_if = "is_zero")]
    interruptions,
    /// Resources that depend on an unreadable file: those with the `effective_impact`
    /// `not-compared`, and those with a worse one.
    not_compared,
    /// Files that could not be read on either side.
    unread_files,
    /// New errors for which Heat refuses the new template as a whole. Errors that belong to a
    /// resource make the resource `refused` instead.
    refusals,
    /// Those of these errors that are about parameters which now need a value, and have none here.
    #[serde(default, skip_serializing_if = "is_zero")]
    required_parameters,
    /// Errors for which Heat refuses the new template and also the old one.
    refused_before,
    /// Errors for which Heat refuses the old template, where it refuses the new one for none.
    #[serde(default, skip_serializing_if = "is_zero")]
    mended,
    /// Resources that are new or replaced, and of types that create nothing.
    #[serde(default, skip_serializing_if = "is_zero")]
    creating_nothing,
    /// Parameters that differ in more than documentation.
    parameters,
    /// Parameters for which Heat refuses the update.
    refused_parameters,
    /// Parameter groups that differ.
    groups,
    /// Conditions that are added, removed or changed.
    conditions,
    /// Outputs that are added, removed or changed.
    outputs,
    /// Outputs whose definitions are the same, but whose values change or may change with resources.
    outputs_affected,
    /// Differences of the environments.
    environment,
    /// Changes that allow more access.
    widened,
    /// Changes that may allow more access, which depends on values that are unknown.
    may_widen,
    /// Changes that allow less access.
    narrowed,
    /// Added template files. In a report of many templates, their resources are in no other count.
    templates_added,
    /// The resources of added template files.
    resources_added,
    /// Deployments that only a change has, of templates that are not changed otherwise. Their resources are in no other count.
    #[serde(default, skip_serializing_if = "is_zero")]
    deployments_added,
    /// The resources of these deployments.
    #[serde(default, skip_serializing_if = "is_zero")]
    resources_deployed,
    /// Deleted template files, which deletes no stack.
    templates_removed,
    /// The resources of deleted template files.
    resources_removed,
}

pub(super) fn is_zero(count: &usize) -> bool {
    *count == 0
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
