//! Compares two deployments, stack by stack and resource by resource.
//!
//! Heat's rules: `docs/heat.md#resources-are-identified-by-name`,
//! `docs/heat.md#stacks-inside-stacks-are-always-updated`.

use std::collections::{BTreeSet, HashMap, HashSet};

use heat_engine::environment::{Environment, Location};
use heat_engine::eval::deployment::Deployed;
use lossless_yaml::Document;
use source_diagnostics::cancellation::checkpoint;
use source_diagnostics::{Diagnostic, ShowSecrets, Span};

use super::comparison::{
    AccessChange, ChangeReason, Comparison, DefinitionPart, Impact, Pair, Places, RenameLink,
    SectionChanges,
};
use super::dataflow::DataflowPair;
use super::equality::ParameterRenames;
use super::existence::{Doubt, Existence};
use super::impact::{self, ResourceDefinition, RunningStack};
use super::input::{ComparisonInput, RenamedEntries};
use super::renames::{RenamedPair, StackRenames};
use super::roles::{self, ResourceRole};
use super::security::PairedResource;
use super::stages::{Decided, DecidedResource, StageContext};
use super::suppressions::SuppressionOptions;
use super::unread_files::{self, NestedStack};
use super::update_rules::UpdateRule;
use super::{
    entries, environment, instance_groups, name_order, parameters, renames, rewritten, scale_down,
    security,
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
    /// Whether no stack of it runs yet, although its template may: a parameter without a value has none.
    pub is_first: bool,
    /// The environment that the template is deployed with.
    pub environment: &'a Environment,
    /// The findings of reading, evaluating and checking the template and its environment, each
    /// mistake once, as every command reports them. An error that makes Heat refuse this side
    /// belongs to the resource in whose definition it is.
    pub findings: &'a [Diagnostic],
    /// The environments that the user named, in order.
    pub environments: &'a [Location],
    /// The resources of the stack that runs, if this is the template of a saved one.
    pub running: Option<&'a RunningStack>,
}

impl DeploymentSide<'_> {
    /// Whether a deployment of the configuration gives a parameter of the root, whose value no section about inputs shows.
    pub(super) fn is_configured(&self, name: &str) -> bool {
        let Some(configuration) = self.environment.configuration else { return false };
        let mut given = self.environment.parameters();
        given.any(|(it, node)| it == name && node.span.source == configuration)
    }
}

/// The result of a comparison.
#[derive(Clone, Debug, Default)]
pub struct ComparisonResult {
    /// The differences, with the effects on resources.
    pub comparison: Comparison,
    /// Findings about suppressions: invalid or unused ones.
    pub findings: Vec<Diagnostic>,
    /// Spans of values that are secret because the other side hides them: no report may show the
    /// source text there.
    pub secret_spans: Vec<Span>,
}

/// The types that nothing maps on either side, of resources that are the same otherwise.
fn unmapped(
    resources: &[DecidedResource],
    definitions: &[Pair<Option<ResourceDefinition<'_>>>],
) -> Vec<String> {
    let is_unmapped = |it: &Option<ResourceDefinition<'_>>| {
        it.as_ref().is_some_and(ResourceDefinition::is_unimplemented)
    };
    let both = resources.iter().zip(definitions);
    let same = both.filter(|(resource, sides)| {
        resource.impact == Impact::None && is_unmapped(&sides.old) && is_unmapped(&sides.new)
    });
    let types: BTreeSet<String> = same
        .filter_map(|(resource, _)| resource.kind.new.clone())
        .filter(|it| !it.is_empty())
        .collect();
    types.into_iter().collect()
}

/// The resources that are new or replaced, and of types that create nothing.
fn creating_nothing(
    resources: &[DecidedResource],
    definitions: &[Pair<Option<ResourceDefinition<'_>>>],
) -> Vec<String> {
    let is_new = |it: &DecidedResource| matches!(it.impact, Impact::Create | Impact::Replace);
    let both = resources.iter().zip(definitions).filter(|(resource, sides)| {
        is_new(resource) && sides.new.as_ref().is_some_and(ResourceDefinition::creates_nothing)
    });
    both.map(|(resource, _)| resource.name.clone()).collect()
}

/// Compares two deployments. `permissions` are the suppressions in effect.
/// Without `show_secrets`, the result contains no secret value.
pub fn compare(
    old: &DeploymentSide<'_>,
    new: &DeploymentSide<'_>,
    permissions: &SuppressionOptions<'_>,
    show_secrets: Option<ShowSecrets>,
) -> ComparisonResult {
    let environments = Pair { old: old.environment, new: new.environment };
    let mut walk = ResourceComparer::new(environments, old.running);
    let names =
        walk.stacks("", Some(old.deployed), Some(new.deployed), &StackTransition::Kept, None);
    let definitions: Vec<_> =
        walk.definitions.iter().map(|(definitions, _)| *definitions).collect();
    scale_down::mark(&mut walk.resources, old.running.is_some(), definitions.iter());
    renames::link_moves(&mut walk.resources, definitions.iter());
    let flows = DataflowPair::new(old.deployed, new.deployed);
    let input = ComparisonInput {
        old,
        new,
        flows: &flows,
        renamed: &walk.renamed_entries,
        parameter_renames: &names,
    };
    let mut security = security::security_changes(walk.paired_resources());
    if !old.exists {
        // There is no stack that allowed less.
        let widened = security.iter_mut().filter(|it| it.access.may_widen());
        widened.for_each(|it| it.access = AccessChange::Initial);
    }
    let outputs = entries::outputs(&input);
    let sections = SectionChanges {
        rewritten: rewritten::rewritten_parts(&input, &outputs, &walk.resources),
        parameters: parameters::compare(&input, &walk.resources),
        groups: entries::groups(&input),
        conditions: entries::conditions(&input),
        outputs,
        environment: environment::compare(&input),
        security,
        unread: unread_files::files(&Pair { old, new }),
        urls: unread_files::urls(&Pair { old, new }),
        unmapped: unmapped(&walk.resources, &definitions),
        creating_nothing: creating_nothing(&walk.resources, &definitions),
        renames_not_searched: walk.renames_not_searched,
        unknown_sizes: walk.unknown_sizes,
        values_refused: parameters::values_refused_now(&input),
        switched_off: walk.switched_off,
        ..SectionChanges::default()
    };
    let context = StageContext { input, definitions };
    Decided::new(walk.resources, sections, &walk.unconditional, &context)
        .propagate(&context)
        .explain(&context, permissions)
        .mask(&context, show_secrets)
}

/// What happens to the enclosing stack; the name is that of the resource that represents it.
enum StackTransition<'a> {
    /// The stack is kept; each resource is decided separately.
    Kept,
    /// The stack is kept, but its resources may be deleted or created, which is unknown.
    Doubtful(Doubt),
    /// The stack is created, or may be; or it replaces one of which nothing is known.
    Created(&'a str, Impact),
    /// The stack is deleted, or leaves its parent with everything in it.
    Removed(&'a str, Impact),
    /// Another stack replaces it.
    Replaced(&'a str, Impact),
}

struct ResourceComparer<'d> {
    environments: Pair<&'d Environment>,
    running: Option<&'d RunningStack>,
    resources: Vec<DecidedResource>,
    /// The definitions on both sides, and the position in `names` of the renames that apply to them.
    definitions: Vec<(Pair<Option<ResourceDefinition<'d>>>, usize)>,
    /// Renamed parameters, for each pair of stacks.
    parameter_renames: Vec<ParameterRenames>,
    renamed_entries: RenamedEntries,
    /// The number of things that may have a new name and were not compared with every other one.
    renames_not_searched: usize,
    /// The positions of resources that every update changes, whatever differs.
    unconditional: HashSet<usize>,
    /// The groups of unknown size, each of which has one member that stands for all.
    unknown_sizes: Vec<String>,
    /// The number of resources that a condition disables on both sides.
    switched_off: usize,
}

impl<'d> ResourceComparer<'d> {
    fn new(environments: Pair<&'d Environment>, running: Option<&'d RunningStack>) -> Self {
        ResourceComparer {
            environments,
            running,
            resources: Vec::new(),
            definitions: Vec::new(),
            parameter_renames: Vec::new(),
            renamed_entries: RenamedEntries::default(),
            renames_not_searched: 0,
            unconditional: HashSet::new(),
            unknown_sizes: Vec::new(),
            switched_off: 0,
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
        transition: &StackTransition<'_>,
        around: Option<&ParameterRenames>,
    ) -> ParameterRenames {
        let mut names = around.cloned().unwrap_or_default();
        let mut renames = StackRenames::default();
        let is_kept = matches!(transition, StackTransition::Kept | StackTransition::Doubtful(_));
        if let (Some(old), Some(new), true) = (old, new, is_kept) {
            let named = |stack: &'d Deployed| {
                let resources = stack.evaluation.resources.iter().flatten();
                let named = resources.filter_map(|(name, _)| {
                    let definition = ResourceDefinition::new(stack, name)?;
                    Some((name.to_string(), impact::reference_name(&definition)?))
                });
                named.collect()
            };
            names.set_references(old.level, Pair { old: named(old), new: named(new) });
            let off = &new.evaluation.disabled_resources;
            let is_off = |name: &&String| off.contains(*name);
            self.switched_off += old.evaluation.disabled_resources.iter().filter(is_off).count();
            renames = StackRenames::new(old, new, &names);
            names = renames.parameter_renames(&names, old.level);
            self.renamed_entries.add(path, &renames);
        }
        let here = self.resources.len();
        let at = self.parameter_renames.len();
        self.parameter_renames.push(names.clone());
        for name in resource_names(old, new) {
            self.resource(path, name, Pair { old, new }, transition, at);
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
        transition: &StackTransition<'_>,
        names: usize,
    ) {
        checkpoint();
        let whole = format!("{path}{name}");
        let old = stacks.old.and_then(|stack| ResourceDefinition::new(stack, name));
        let new = stacks.new.and_then(|stack| ResourceDefinition::new(stack, name));
        let is_missing = old.is_some() && self.running.is_some_and(|running| running.lacks(&whole));
        let lacks_type = |it: &ResourceDefinition<'_>| it.written_type().is_empty();
        let lacked_type =
            old.as_ref().is_some_and(lacks_type) && !new.as_ref().is_some_and(lacks_type);
        let old = old.filter(|_| !is_missing && !lacked_type);
        let inside = Pair {
            old: NestedStack::of(old.as_ref(), self.environments.old),
            new: NestedStack::of(new.as_ref(), self.environments.new),
        };
        // A deleted resource is reported without what was in its stack.
        let mut unread = match (transition, &new) {
            (StackTransition::Removed(..), _) | (_, None) => Vec::new(),
            (_, Some(new)) => {
                unread_files::definition_files(new, &inside.new, self.environments.new)
            }
        };
        let places = Places {
            old: old.as_ref().map(ResourceDefinition::name_span),
            new: new.as_ref().map(ResourceDefinition::name_span),
        };
        let reason = |impact, why, places| {
            (impact, vec![ChangeReason::new(DefinitionPart::Resource, impact, why, places)])
        };
        let existence = Existence::of(old.as_ref(), new.as_ref(), &self.parameter_renames[names]);
        // No value of what is unknown makes its condition true.
        if existence.is_never && !(existence.stays || existence.goes || existence.comes) {
            self.switched_off += 1;
            return;
        }
        // The doubts about what is in the stack of the resource.
        let mut doubts = Vec::new();
        let (mut impact, mut reasons) = match (transition, &old, &new) {
            // For no value of what is unknown it is there before and after.
            (StackTransition::Kept | StackTransition::Doubtful(_), Some(_), Some(_))
                if !existence.stays =>
            {
                (Impact::None, Vec::new())
            }
            (StackTransition::Kept | StackTransition::Doubtful(_), Some(old), Some(new)) => {
                let running = self.running.map(|running| (running, whole.as_str()));
                let names = &self.parameter_renames[names];
                let mut judgement = impact::decide_update(old, new, names, running);
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
                if let Some(size) = old.unknown_size().or(new.unknown_size()) {
                    self.unknown_sizes.push(whole.clone());
                    doubts.extend(Doubt::of_size(size, &judgement.reasons));
                }
                (judgement.impact, judgement.reasons)
            }
            (StackTransition::Created(stack, how), None, Some(new)) => {
                let impact = match how {
                    Impact::MayCreate | Impact::Replace | Impact::MayReplace => *how,
                    _ => impact::created_impact(new),
                };
                reason(impact, UpdateRule::Stack((*stack).to_owned()), places)
            }
            (StackTransition::Kept | StackTransition::Doubtful(_), None, Some(new)) => {
                let why = match is_declared(stacks.old, name) {
                    _ if is_missing => UpdateRule::NotRunning,
                    _ if lacked_type => UpdateRule::WithoutType,
                    true => UpdateRule::ConditionHolds,
                    false => UpdateRule::Added,
                };
                reason(impact::created_impact(new), why, places)
            }
            (StackTransition::Kept | StackTransition::Doubtful(_), Some(old), None) => {
                let gone = if is_declared(stacks.new, name) {
                    UpdateRule::ConditionFails
                } else {
                    UpdateRule::Removed
                };
                reason(impact::removed_impact(old), gone, places)
            }
            (StackTransition::Removed(stack, how), Some(old), _) => {
                // A part of something that stays stays, too.
                let impact = match how {
                    Impact::Retain => Impact::Retain,
                    Impact::MayDelete => impact::removed_impact(old).possibly(),
                    _ => impact::removed_impact(old),
                };
                let why = UpdateRule::Stack((*stack).to_owned());
                reason(impact, why, Places { new: None, ..places })
            }
            (StackTransition::Replaced(stack, how), old, new) => {
                let why = UpdateRule::Stack((*stack).to_owned());
                match (old, new) {
                    (Some(_), Some(_)) => reason(*how, why, places),
                    (None, Some(new)) => reason(impact::created_impact(new), why, places),
                    (Some(old), None) => reason(impact::removed_impact(old), why, places),
                    (None, None) => return,
                }
            }
            (StackTransition::Created(..) | StackTransition::Removed(..), _, _)
            | (_, None, None) => return,
        };
        let inherited = match transition {
            StackTransition::Kept => Some(None),
            StackTransition::Doubtful(doubt) => Some(Some(doubt)),
            _ => None,
        };
        if let Some(inherited) = inherited {
            let own = existence.doubt(&Pair { old: old.as_ref(), new: new.as_ref() });
            let of_resource = inherited.into_iter().chain(&own);
            for doubt in of_resource {
                let definitions = Pair { old: old.as_ref(), new: new.as_ref() };
                impact = doubt.apply(&definitions, impact, &mut reasons, &places);
            }
            doubts.extend(own.or_else(|| inherited.cloned()));
        }
        let children = Pair { old: inside.old.stack(), new: inside.new.stack() };
        let kind = |definition: &Option<ResourceDefinition<'_>>| {
            definition.as_ref().map(|definition| definition.written_type().to_owned())
        };
        let is_stack = children.old.is_some() || children.new.is_some();
        // Only the old side has the data that is lost.
        let (role, noun) = old
            .as_ref()
            .or(new.as_ref())
            .map_or((ResourceRole::Other, roles::noun("")), ResourceDefinition::role);
        self.definitions.push((Pair { old, new }, names));
        self.resources.push(DecidedResource {
            name: whole.clone(),
            kind: Pair { old: kind(&old), new: kind(&new) },
            places,
            impact,
            reasons,
            unread,
            rename: None,
            is_stack,
            role,
            noun,
        });
        let may_be_replaced = self
            .resources
            .last()
            .is_some_and(|it| it.reasons.iter().any(|reason| reason.impact == Impact::MayReplace));
        let is_on_both = old.is_some() && new.is_some();
        let transition = match impact {
            // What was in the stack before is unknown, so what is in it now may be there instead of the same.
            Impact::Replace | Impact::MayReplace
                if old.as_ref().is_some_and(ResourceDefinition::is_unimplemented) =>
            {
                StackTransition::Created(&whole, impact)
            }
            // The members of a group are unknown on one side: its members may be there on both.
            Impact::MayReplace
                if is_on_both && children.old.is_some() && children.new.is_none() =>
            {
                StackTransition::Removed(&whole, Impact::MayDelete)
            }
            Impact::MayReplace
                if is_on_both && children.old.is_none() && children.new.is_some() =>
            {
                StackTransition::Created(&whole, Impact::MayCreate)
            }
            Impact::Replace | Impact::MayReplace => StackTransition::Replaced(&whole, impact),
            Impact::MayDelete | Impact::MayCreate if is_on_both && may_be_replaced => {
                StackTransition::Replaced(&whole, impact)
            }
            Impact::Create | Impact::Adopt => StackTransition::Created(&whole, impact),
            Impact::MayCreate if !is_on_both => StackTransition::Created(&whole, impact),
            Impact::MayDelete if !is_on_both => StackTransition::Removed(&whole, impact),
            Impact::Delete | Impact::Snapshot | Impact::Retain
                if !is_on_both || doubts.is_empty() =>
            {
                StackTransition::Removed(&whole, impact)
            }
            // A side whose content is unknown must not count as empty.
            _ if !(inside.old.is_known() && inside.new.is_known()) => return,
            // If Heat refuses it, the error is already reported.
            Impact::Refused
            | Impact::NotCompared
            | Impact::Delete
            | Impact::MayDelete
            | Impact::Snapshot
            | Impact::Retain
            | Impact::Rebuild
            | Impact::MayCreate
            | Impact::Update
            | Impact::NoopUpdate
            | Impact::None => match doubts.into_iter().next() {
                Some(doubt) => StackTransition::Doubtful(doubt.inside(&whole)),
                None => StackTransition::Kept,
            },
        };
        if let (Some(old), Some(new)) = (&old, &new) {
            self.instances(&whole, &Pair { old, new }, impact, &transition, names);
        }
        let path = format!("{whole}/");
        if children.old.is_some() || children.new.is_some() {
            let around = self.parameter_renames[names].clone();
            self.stacks(&path, children.old, children.new, &transition, Some(&around));
        }
    }
}

impl ResourceComparer<'_> {
    /// Adds the members of an instance group that both sides have. They have no definitions: Heat makes these from a launch configuration.
    fn instances(
        &mut self,
        whole: &str,
        group: &Pair<&ResourceDefinition<'_>>,
        impact: Impact,
        transition: &StackTransition<'_>,
        names: usize,
    ) {
        let Some(found) = instance_groups::members(group.old, group.new) else { return };
        if found.is_unknown {
            self.unknown_sizes.push(whole.to_owned());
        }
        let of_stack = match transition {
            StackTransition::Kept => None,
            StackTransition::Doubtful(_) => Some(UpdateRule::StackUnknown(whole.to_owned())),
            StackTransition::Created(..)
            | StackTransition::Removed(..)
            | StackTransition::Replaced(..) => Some(UpdateRule::Stack(whole.to_owned())),
        };
        let places = Places { old: Some(group.old.name_span()), new: Some(group.new.name_span()) };
        for member in found.members {
            let kind = |is_in: bool| is_in.then(|| instance_groups::MEMBER.to_owned());
            let mut reasons = Vec::new();
            let outer = of_stack.clone().map(|rule| (impact, rule));
            for (impact, rule) in
                member.rule.map(|rule| (member.impact, rule)).into_iter().chain(outer)
            {
                reasons.push(ChangeReason::new(DefinitionPart::Resource, impact, rule, places));
            }
            reasons.sort_by_key(|reason| reason.impact);
            self.definitions.push((Pair { old: None, new: None }, names));
            self.resources.push(DecidedResource {
                name: format!("{whole}/{}", member.number),
                kind: Pair { old: kind(member.is_in.old), new: kind(member.is_in.new) },
                places,
                impact: reasons.first().map_or(Impact::None, |reason| reason.impact),
                reasons,
                role: ResourceRole::of(instance_groups::MEMBER, false),
                noun: roles::noun(instance_groups::MEMBER),
                ..DecidedResource::default()
            });
        }
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
