//! Compares two deployments, stack by stack and resource by resource.
//!
//! Heat's rules: `docs/heat.md#resources-are-identified-by-name`,
//! `docs/heat.md#stacks-inside-stacks-are-always-updated`.

use std::collections::{HashMap, HashSet};

use heat_engine::environment::{Environment, Location};
use heat_engine::eval::deployment::Deployed;
use lossless_yaml::Document;
use source_diagnostics::cancellation::checkpoint;
use source_diagnostics::{Diagnostic, ShowSecrets, Span};

use super::comparison::{
    AccessChange, ChangeReason, Comparison, DefinitionPart, DisplayValue, Impact, Pair, RenameLink,
    ResourceChange,
};
use super::dataflow::DataflowPair;
use super::equality::ParameterRenames;
use super::impact::{self, ResourceDefinition};
use super::input::{ComparisonInput, RenamedEntries};
use super::renames::{RenamedPair, StackRenames};
use super::roles::{self, ResourceRole};
use super::security::PairedResource;
use super::suppressions::SuppressionOptions;
use super::unread_files::{self, NestedStack};
use super::update_rules::UpdateRule;
use super::{
    entries, environment, member_spans, name_order, old_resources, parameters, propagation,
    refusals, renames, scale_down, secrets, security, suppressions,
};

/// One of the two deployments of a comparison.
#[derive(Clone, Copy, Debug)]
pub struct DeploymentSide<'a> {
    /// The evaluated deployment, including nested stacks.
    pub deployed: &'a Deployed,
    /// The location of the template.
    pub location: &'a Location,
    /// The template as read, including comments.
    pub document: &'a Document,
    /// Whether a template exists on this side; if not, the side is compared as an empty template.
    pub exists: bool,
    /// The environment that the template is deployed with.
    pub environment: &'a Environment,
    /// Findings apart from the evaluation: from reading and checking the template and its
    /// environment. For an error, Heat refuses this side; the error belongs to the
    /// resource in whose definition it is.
    pub findings: &'a [Diagnostic],
    /// The environments that the user named, in order.
    pub environments: &'a [Location],
}

/// The result of a comparison.
#[derive(Clone, Debug, Default)]
pub struct ComparisonResult {
    /// What differs, with the effects on resources.
    pub comparison: Comparison,
    /// Findings about suppressions: invalid or unused ones.
    pub findings: Vec<Diagnostic>,
    /// Spans of values that are secret because the other side hides them: no report may show the
    /// source text there.
    pub secret_spans: Vec<Span>,
}

/// Compares two deployments. `permissions` are the suppressions in effect.
/// Without `show_secrets`, the result contains no secret value.
pub fn compare(
    old: &DeploymentSide<'_>,
    new: &DeploymentSide<'_>,
    permissions: &SuppressionOptions<'_>,
    show_secrets: Option<ShowSecrets>,
) -> ComparisonResult {
    let mut walk = ResourceComparer::new(Pair { old: old.environment, new: new.environment });
    let names =
        walk.stacks("", Some(old.deployed), Some(new.deployed), &StackTransition::Kept, None);
    let definitions: Vec<_> =
        walk.definitions.iter().map(|(definitions, _)| *definitions).collect();
    scale_down::mark(&mut walk.resources, definitions.iter());
    renames::link_moves(&mut walk.resources, definitions.iter());
    let flows = DataflowPair::new(old.deployed, new.deployed);
    let input = ComparisonInput {
        old,
        new,
        flows: &flows,
        renamed: &walk.renamed_entries,
        parameter_renames: &names,
    };
    let mut comparison = Comparison {
        parameters: parameters::compare(&input, &walk.resources),
        groups: entries::groups(&input),
        conditions: entries::conditions(&input),
        outputs: entries::outputs(&input),
        environment: environment::compare(&input),
        security: security::security_changes(walk.paired_resources()),
        unread: unread_files::files(&Pair { old, new }),
        urls: unread_files::urls(&Pair { old, new }),
        renames_not_searched: walk.renames_not_searched,
        ..Comparison::default()
    };
    if !old.exists {
        // There is no stack that allowed less.
        let widened = comparison.security.iter_mut().filter(|it| it.access.may_widen());
        widened.for_each(|it| it.access = AccessChange::Initial);
    }
    comparison.resources = walk.resources;
    if comparison.is_update(&walk.unconditional) {
        let refused = parameters::mark_refused_spellings(&input, &comparison.resources);
        comparison.parameters.extend(refused);
    } else {
        // What Heat does at every update happens only if there is an update.
        for at in walk.unconditional {
            let resource = &mut comparison.resources[at];
            resource.impact = Impact::None;
            resource.effective_impact = Impact::None;
            resource.reasons.retain(|reason| reason.impact == Impact::None);
        }
    }
    refusals::mark_refused(&mut comparison, &input);
    parameters::refuse_immutable_changes(&comparison.parameters, &flows, &mut comparison.resources);
    let effects = propagation::propagate(&mut comparison.resources, &flows, &names);
    entries::add_effects(&mut comparison.outputs, &input, effects);
    comparison.resources.iter_mut().for_each(impact::lift_run_time_refusals);
    // A template file that is gone deletes no stack.
    if new.exists {
        old_resources::mark(&mut comparison.resources, definitions.iter());
    }
    let findings = suppressions::apply(&mut comparison, &input, permissions);
    member_spans::point_at_definitions(&mut comparison.resources, &flows);
    let mut hidden = Vec::new();
    if let Some(permission) = show_secrets {
        secrets::show_secrets(&mut comparison, &input, permission);
    } else {
        hidden = secrets::one_sided_spans(&input);
        secrets::hide_secrets(&mut comparison, &input);
    }
    ComparisonResult { comparison, findings, secret_spans: hidden }
}

impl Comparison {
    /// Whether there is any update: something differs apart from the resources at these positions, which
    /// change at every update.
    fn is_update(&self, regardless: &HashSet<usize>) -> bool {
        let mut resources = self.resources.iter().enumerate();
        resources.any(|(at, it)| it.impact < Impact::None && !regardless.contains(&at))
            || self.differs_outside_resources()
    }
}

/// What happens to the enclosing stack; the name is that of the resource that represents it.
enum StackTransition<'a> {
    /// The stack is kept; each resource is decided separately.
    Kept,
    /// The stack is created.
    Created(&'a str),
    /// The stack is deleted, or leaves its parent with everything in it.
    Removed(&'a str, Impact),
    /// Another stack replaces it.
    Replaced(&'a str, Impact),
}

struct ResourceComparer<'d> {
    environments: Pair<&'d Environment>,
    resources: Vec<ResourceChange>,
    /// The definitions on both sides, and the position in `names` of the renames that apply to them.
    definitions: Vec<(Pair<Option<ResourceDefinition<'d>>>, usize)>,
    /// Renamed parameters, for each pair of stacks.
    parameter_renames: Vec<ParameterRenames>,
    renamed_entries: RenamedEntries,
    /// The number of things that may have a new name and were not compared with every other one.
    renames_not_searched: usize,
    /// The positions of resources that every update changes, whatever differs.
    unconditional: HashSet<usize>,
}

impl<'d> ResourceComparer<'d> {
    fn new(environments: Pair<&'d Environment>) -> Self {
        ResourceComparer {
            environments,
            resources: Vec::new(),
            definitions: Vec::new(),
            parameter_renames: Vec::new(),
            renamed_entries: RenamedEntries::default(),
            renames_not_searched: 0,
            unconditional: HashSet::new(),
        }
    }

    /// All resources with their definitions.
    fn paired_resources(&self) -> impl Iterator<Item = PairedResource<'_>> {
        let both = self.resources.iter().zip(&self.definitions);
        both.map(|(change, (definitions, names))| {
            checkpoint();
            let names = &self.parameter_renames[*names];
            PairedResource { change, definitions: *definitions, names }
        })
    }

    /// Compares two stacks, or lists the only one that exists. `path` is the prefix of resource names: empty, or
    /// ending with `/`. `around` are the renamed parameters of the enclosing stacks; the result adds those of
    /// these stacks.
    fn stacks(
        &mut self,
        path: &str,
        old: Option<&'d Deployed>,
        new: Option<&'d Deployed>,
        fate: &StackTransition<'_>,
        around: Option<&ParameterRenames>,
    ) -> ParameterRenames {
        let mut names = around.cloned().unwrap_or_default();
        let mut renames = StackRenames::default();
        if let (Some(old), Some(new), StackTransition::Kept) = (old, new, fate) {
            renames = StackRenames::new(old, new, &names);
            names = renames.parameter_renames(&names, old.level);
            self.renamed_entries.add(path, &renames);
        }
        let here = self.resources.len();
        let at = self.parameter_renames.len();
        self.parameter_renames.push(names.clone());
        for name in resource_names(old, new) {
            self.resource(path, name, Pair { old, new }, fate, at);
        }
        self.renames_not_searched += renames.not_searched;
        self.link_renames(path, here, renames.resources);
        names
    }

    /// Links the two names of renamed resources, among the resources from a position on.
    fn link_renames(&mut self, path: &str, from: usize, renamed: Vec<RenamedPair>) {
        let mut links = HashMap::new();
        for RenamedPair { old, new, matched } in renamed {
            let (old, new) = (format!("{path}{old}"), format!("{path}{new}"));
            links.insert(new.clone(), RenameLink::OldName(old.clone(), matched.clone()));
            links.insert(old, RenameLink::NewName(new, matched));
        }
        for change in &mut self.resources[from..] {
            if let Some(link) = links.remove(&change.name) {
                change.rename = Some(link);
            }
        }
    }

    fn resource(
        &mut self,
        path: &str,
        name: &'d str,
        stacks: Pair<Option<&'d Deployed>>,
        fate: &StackTransition<'_>,
        names: usize,
    ) {
        checkpoint();
        let whole = format!("{path}{name}");
        let old = stacks.old.and_then(|stack| ResourceDefinition::new(stack, name));
        let new = stacks.new.and_then(|stack| ResourceDefinition::new(stack, name));
        let inside = Pair {
            old: NestedStack::of(old.as_ref(), self.environments.old),
            new: NestedStack::of(new.as_ref(), self.environments.new),
        };
        // A deleted resource is reported without what was in its stack.
        let mut unread = match (fate, &new) {
            (StackTransition::Removed(..), _) | (_, None) => Vec::new(),
            (_, Some(new)) => {
                unread_files::definition_files(new, &inside.new, self.environments.new)
            }
        };
        let (impact, reasons) = match (fate, &old, &new) {
            (StackTransition::Kept, Some(old), Some(new)) => {
                let mut judgement = impact::decide_update(old, new, &self.parameter_renames[names]);
                let definitions = Pair { old, new };
                unread = unread_files::limit_certainty(
                    &mut judgement,
                    &definitions,
                    &inside,
                    &self.environments,
                );
                if judgement.unconditional {
                    self.unconditional.insert(self.resources.len());
                }
                (judgement.impact, judgement.reasons)
            }
            (StackTransition::Kept | StackTransition::Created(_), None, Some(new)) => {
                let why = match fate {
                    StackTransition::Created(stack) => UpdateRule::Stack((*stack).to_owned()),
                    _ if is_declared(stacks.old, name) => UpdateRule::ConditionHolds,
                    _ => UpdateRule::Added,
                };
                let impact = impact::created_impact(new);
                (impact, vec![resource_reason(impact, why, None, Some(new.name_span()))])
            }
            (StackTransition::Kept, Some(old), None) => {
                let gone = if is_declared(stacks.new, name) {
                    UpdateRule::ConditionFails
                } else {
                    UpdateRule::Removed
                };
                let impact = impact::removed_impact(old);
                (impact, vec![resource_reason(impact, gone, Some(old.name_span()), None)])
            }
            (StackTransition::Removed(stack, how), Some(old), _) => {
                // What stays as a whole stays in its parts.
                let impact = match how {
                    Impact::Retain => Impact::Retain,
                    _ => impact::removed_impact(old),
                };
                let why = UpdateRule::Stack((*stack).to_owned());
                (impact, vec![resource_reason(impact, why, Some(old.name_span()), None)])
            }
            (StackTransition::Replaced(stack, how), Some(old), Some(new)) => {
                let why = UpdateRule::Stack((*stack).to_owned());
                let places = (Some(old.name_span()), Some(new.name_span()));
                (*how, vec![resource_reason(*how, why, places.0, places.1)])
            }
            (StackTransition::Replaced(stack, _), None, Some(new)) => {
                let impact = impact::created_impact(new);
                let why = UpdateRule::Stack((*stack).to_owned());
                (impact, vec![resource_reason(impact, why, None, Some(new.name_span()))])
            }
            (StackTransition::Replaced(stack, _), Some(old), None) => {
                let impact = impact::removed_impact(old);
                let why = UpdateRule::Stack((*stack).to_owned());
                (impact, vec![resource_reason(impact, why, Some(old.name_span()), None)])
            }
            (StackTransition::Created(_) | StackTransition::Removed(..), _, _)
            | (_, None, None) => return,
        };
        let children = Pair { old: inside.old.stack(), new: inside.new.stack() };
        let kind = |definition: &Option<ResourceDefinition<'_>>| {
            definition.as_ref().map(|definition| definition.written_type().to_owned())
        };
        let is_stack = children.old.is_some() || children.new.is_some();
        // What is lost is what the old side has.
        let (role, noun) = old
            .as_ref()
            .or(new.as_ref())
            .map_or((ResourceRole::Other, roles::noun("")), ResourceDefinition::role);
        self.definitions.push((Pair { old, new }, names));
        self.resources.push(ResourceChange {
            name: whole.clone(),
            kind: Pair { old: kind(&old), new: kind(&new) },
            spans: Pair {
                old: old.as_ref().map(ResourceDefinition::name_span),
                new: new.as_ref().map(ResourceDefinition::name_span),
            },
            impact,
            effective_impact: impact,
            reasons,
            unread,
            propagations: Vec::new(),
            rename: None,
            suppressions: Vec::new(),
            depends_on: Vec::new(),
            is_stack,
            role,
            noun,
            data: None,
        });
        let fate = match impact {
            Impact::Replace | Impact::MayReplace => StackTransition::Replaced(&whole, impact),
            Impact::Create | Impact::Adopt => StackTransition::Created(&whole),
            Impact::Delete | Impact::Snapshot | Impact::Retain => {
                StackTransition::Removed(&whole, impact)
            }
            // A side whose content is unknown must not count as empty.
            _ if !(inside.old.is_known() && inside.new.is_known()) => return,
            // If Heat refuses it, the error is already reported.
            Impact::Refused
            | Impact::NotCompared
            | Impact::Rebuild
            | Impact::Update
            | Impact::NoopUpdate
            | Impact::None => StackTransition::Kept,
        };
        let path = format!("{whole}/");
        let around = self.parameter_renames[names].clone();
        if children.old.is_some() || children.new.is_some() {
            self.stacks(&path, children.old, children.new, &fate, Some(&around));
        }
    }
}

/// A reason that concerns the resource as a whole.
fn resource_reason(
    impact: Impact,
    why: UpdateRule,
    old: Option<Span>,
    new: Option<Span>,
) -> ChangeReason {
    ChangeReason {
        part: DefinitionPart::Resource,
        impact,
        rule: why,
        value: Pair { old: DisplayValue::Absent, new: DisplayValue::Absent },
        spans: Pair { old, new },
        changes: Vec::new(),
    }
}

/// Whether the template declares a resource, even if its condition is false.
fn is_declared(stack: Option<&Deployed>, name: &str) -> bool {
    stack.is_some_and(|stack| stack.stack.resources.contains_key(name))
}

/// The names of the resources of both stacks, merged.
fn resource_names<'d>(old: Option<&'d Deployed>, new: Option<&'d Deployed>) -> Vec<&'d str> {
    fn of(stack: Option<&Deployed>) -> impl Iterator<Item = &str> {
        let resources = stack.into_iter().flat_map(|it| it.evaluation.resources.iter().flatten());
        resources.map(|(name, _)| name.as_str())
    }
    name_order::merge_names(of(old), of(new))
}
