//! The stages of a comparison, each a type with one way to the next, so that no pass runs too early, too late or twice.
//!
//! ```text
//! Decided ── propagate ──▶ Propagated ── explain ──▶ Explained ── mask ──▶ Comparison
//! ```
//!
//! | stage | adds |
//! |---|---|
//! | decided | what Heat does to each resource by its own definition, the sections, what Heat refuses |
//! | propagated | what changes of resources do to other resources and to outputs |
//! | explained | data that is lost, hazards, suppressions, the lines that group members are written at |
//! | masked | nothing: secrets are gone |

use std::collections::HashSet;

use super::comparison::{
    ChangeReason, Comparison, FileStatus, Impact, Pair, Places, Propagation, RenameLink,
    ResourceChange, SectionChanges, SecurityKind,
};
use super::hazards::MachineEffectKind;
use super::impact::{self, ResourceDefinition};
use super::input::ComparisonInput;
use super::roles::ResourceRole;
use super::suppressions::{AppliedSuppressions, SuppressionOptions, matches_name};
use super::{
    ComparisonResult, entries, hazards, member_spans, old_resources, parameters, propagation,
    refusals, secrets, suppressions,
};
use source_diagnostics::{Diagnostic, ShowSecrets};

/// The decision about a resource by its own definition. The fields are those of [`ResourceChange`].
#[derive(Clone, Debug, Default)]
pub(crate) struct DecidedResource {
    pub(crate) name: String,
    pub(crate) kind: Pair<Option<String>>,
    pub(crate) places: Places,
    pub(crate) impact: Impact,
    pub(crate) reasons: Vec<ChangeReason>,
    pub(crate) unread: Vec<String>,
    pub(crate) rename: Option<RenameLink>,
    pub(crate) is_stack: bool,
    pub(crate) role: ResourceRole,
    pub(crate) noun: &'static str,
}

/// A resource with the effects of other ones.
#[derive(Clone, Debug)]
pub(crate) struct PropagatedResource {
    pub(crate) decided: DecidedResource,
    pub(crate) effective_impact: Impact,
    pub(crate) if_different: Option<Impact>,
    pub(crate) propagations: Vec<Propagation>,
    pub(crate) depends_on: Vec<String>,
}

impl PropagatedResource {
    /// The decision; of a resource that is not compared, what is known of it if it differs.
    pub(super) fn possible_impact(&self) -> Impact {
        self.if_different.unwrap_or(self.effective_impact)
    }

    /// Whether an argument of `--allow` names it.
    pub(super) fn matches_name(&self, name: &str) -> bool {
        matches_name(&self.decided.name, &self.decided.kind, name)
    }
}

/// The inputs that all stages refer to.
pub(super) struct StageContext<'a> {
    pub(super) input: ComparisonInput<'a>,
    pub(super) definitions: Vec<Pair<Option<ResourceDefinition<'a>>>>,
}

/// Each resource by its own definition.
pub(super) struct Decided {
    resources: Vec<DecidedResource>,
    sections: SectionChanges,
}

/// With the effects on other resources and on outputs.
pub(super) struct Propagated {
    resources: Vec<PropagatedResource>,
    sections: SectionChanges,
}

/// With data, suppressions and lines; secrets are not masked.
pub(super) struct Explained {
    comparison: Comparison,
    findings: Vec<Diagnostic>,
}

impl Decided {
    /// Adds what Heat refuses. `unconditional` are the positions of resources that every update changes, whatever differs.
    pub(super) fn new(
        mut resources: Vec<DecidedResource>,
        mut sections: SectionChanges,
        unconditional: &HashSet<usize>,
        StageContext { input, .. }: &StageContext<'_>,
    ) -> Self {
        let mut changed = resources.iter().enumerate();
        let is_update = sections.differ()
            || changed.any(|(at, it)| it.impact < Impact::None && !unconditional.contains(&at));
        if is_update {
            let refused = parameters::mark_refused_spellings(input, &resources);
            sections.parameters.extend(refused);
        } else {
            // What Heat does at every update happens only if there is an update.
            for at in unconditional {
                let resource = &mut resources[*at];
                resource.impact = Impact::None;
                resource.reasons.retain(|reason| reason.impact == Impact::None);
            }
        }
        sections.refusals = refusals::mark_refused(&mut resources, input);
        parameters::refuse_immutable_changes(&sections.parameters, input.flows, &mut resources);
        Decided { resources, sections }
    }

    pub(super) fn propagate(self, StageContext { input, .. }: &StageContext<'_>) -> Propagated {
        let Decided { resources, mut sections } = self;
        let (mut resources, effects) =
            propagation::propagate(resources, input.flows, input.parameter_renames);
        entries::add_effects(&mut sections.outputs, input, effects);
        resources.iter_mut().for_each(impact::lift_run_time_refusals);
        Propagated { resources, sections }
    }
}

impl Propagated {
    pub(super) fn explain(
        self,
        StageContext { input, definitions }: &StageContext<'_>,
        permissions: &SuppressionOptions<'_>,
    ) -> Explained {
        let Propagated { mut resources, mut sections } = self;
        let data = match input.new.exists {
            true => old_resources::explain(&mut resources, definitions),
            // A template file that is gone deletes no stack.
            false => vec![None; resources.len()],
        };
        let hazards = hazards::find(&mut resources, definitions, input, &data);
        // A script that no server gets opens nothing.
        let is_unapplied: HashSet<&str> = resources
            .iter()
            .zip(&hazards)
            .filter(|(_, (_, effects))| {
                effects.iter().any(|it| it.is_certain && it.kind == MachineEffectKind::NotApplied)
            })
            .map(|(it, _)| it.decided.name.as_str())
            .collect();
        sections.security.retain(|it| {
            it.kind != SecurityKind::UserData || !is_unapplied.contains(it.resource.as_str())
        });
        let AppliedSuppressions { all, of_resources, findings } =
            suppressions::apply(&resources, &sections.security, input, permissions);
        let resources = resources.into_iter().zip(data).zip(of_resources).zip(hazards);
        let resources =
            resources.map(|(((resource, data), suppressions), (hazards, machine_effects))| {
                let PropagatedResource {
                    decided,
                    effective_impact,
                    if_different,
                    propagations,
                    depends_on,
                } = resource;
                let DecidedResource {
                    name,
                    kind,
                    places,
                    impact,
                    reasons,
                    unread,
                    rename,
                    is_stack,
                    role,
                    noun,
                } = decided;
                ResourceChange {
                    name,
                    kind,
                    places,
                    impact,
                    effective_impact,
                    if_different,
                    reasons,
                    unread,
                    propagations,
                    rename,
                    suppressions,
                    depends_on,
                    is_stack,
                    role,
                    noun,
                    data,
                    hazards,
                    machine_effects,
                }
            });
        let mut resources: Vec<ResourceChange> = resources.collect();
        member_spans::point_at_definitions(&mut resources, input.flows);
        let file = FileStatus::default();
        Explained {
            comparison: Comparison { resources, sections, suppressions: all, file },
            findings,
        }
    }
}

impl Explained {
    pub(super) fn mask(
        self,
        StageContext { input, .. }: &StageContext<'_>,
        show_secrets: Option<ShowSecrets>,
    ) -> ComparisonResult {
        let Explained { mut comparison, findings } = self;
        let mut secret_spans = Vec::new();
        if let Some(permission) = show_secrets {
            secrets::show_secrets(&mut comparison, input, permission);
        } else {
            secret_spans = secrets::one_sided_spans(input);
            secrets::hide_secrets(&mut comparison, input);
        }
        ComparisonResult { comparison, findings, secret_spans }
    }
}
