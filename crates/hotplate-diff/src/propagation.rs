//! Propagates replacements of resources to the resources that refer to them, up to a fixed point.
//!
//! A replaced resource has another id: a resource that refers to it gets another value, and one that reads an
//! attribute of it possibly does. If that cannot be updated in place, the reader is replaced too, and so on.
//! `depends_on` alone has no such effect. Source: `docs/heat.md#references-in-an-update`.

mod cause_paths;
mod outputs;
mod updated_attributes;

use std::collections::{HashMap, HashSet, VecDeque};
use std::rc::Rc;

use smol_str::SmolStr;

use self::cause_paths::{CausePathId, CausePaths};
pub(super) use self::outputs::OutputEffects;
use super::comparison::{
    ChangeReason, DefinitionPart, Impact, OutputPropagation, Pair, Propagation,
};
use super::dataflow::{Dataflow, DataflowEdge, DataflowNode, DataflowPair, ROOT, StackId};
use super::equality::{ParameterRenames, Ternary, same_with};
use super::impact::{ResourceDefinition, part_impact, replaces_reference};
use super::instance_groups;
use super::stages::{DecidedResource, PropagatedResource};
use super::unread_files::{certain_impact, holds_file};
use super::update_rules::UpdateRule;
use source_diagnostics::Span;
use source_diagnostics::cancellation::checkpoint;

/// The resources with the effects that changes of other ones have on them, and the effects on outputs. `names` are the parameters
/// without a value that are renamed on the new side.
pub(super) fn propagate(
    resources: Vec<DecidedResource>,
    flows: &DataflowPair<'_>,
    names: &ParameterRenames,
) -> (Vec<PropagatedResource>, Vec<OutputEffects>) {
    let at = resources.iter().enumerate().map(|(at, it)| (it.name.clone(), at)).collect();
    let mut spread = Propagator {
        resources: &resources,
        propagations: vec![Vec::new(); resources.len()],
        flows,
        names,
        positions: at,
        open: VecDeque::new(),
        reads: VecDeque::new(),
        paths: CausePaths::default(),
        seen: HashMap::new(),
        causes: HashMap::new(),
        spread: HashMap::new(),
        outputs: HashMap::new(),
    };
    // What is known comes first: it stays certain where what was not compared leads to it, too.
    spread.seed_all();
    spread.follow_all();
    // Of what was not compared, what the templates show to differ: it is the cause that a reader looks for.
    let (rewritten, others): (Vec<usize>, Vec<usize>) = (0..resources.len())
        .filter(|at| !follows_its_stack(&resources[*at]))
        .partition(|at| resources[*at].reasons.iter().any(ChangeReason::shows_difference));
    spread.seed_all_not_compared(&rewritten);
    spread.follow_all();
    spread.seed_all_not_compared(&others);
    spread.seed_outputs(true);
    spread.follow_all();
    let mut outputs = spread.output_effects();
    let propagations = spread.propagations;
    let propagated = resources.into_iter().zip(propagations).map(|(decided, mut propagations)| {
        propagations.sort_by_key(|propagation| propagation.impact);
        let (effective_impact, if_different) =
            certain_impact(decided.impact, &decided.reasons, &propagations);
        PropagatedResource {
            effective_impact,
            if_different,
            depends_on: depends_on(&decided.name, flows),
            propagations,
            decided,
        }
    });
    let mut propagated: Vec<PropagatedResource> = propagated.collect();
    // What is reported as not compared is that as a cause, too.
    let open = propagated.iter().filter(|it| it.effective_impact == Impact::NotCompared);
    let open: HashSet<String> = open.map(|it| it.decided.name.clone()).collect();
    let is_open = |source: &String, is_certain: bool| !is_certain && open.contains(source);
    for it in propagated.iter_mut().flat_map(|it| &mut it.propagations) {
        if is_open(&it.source, it.is_certain) {
            it.source_impact = Impact::NotCompared;
        }
    }
    for it in outputs.iter_mut().flat_map(|it| &mut it.propagations) {
        if is_open(&it.source, it.is_certain) {
            it.source_impact = Impact::NotCompared;
        }
    }
    (propagated, outputs)
}

/// The full names of the resources of the same stack that a resource refers to or waits for.
fn depends_on(whole: &str, flows: &DataflowPair<'_>) -> Vec<String> {
    for flow in [&flows.new, &flows.old] {
        let Some((id, name)) = flow.find(whole) else { continue };
        let resources = flow.stack(id).evaluation.resources.as_ref();
        let Some(resource) = resources.and_then(|it| it.get(name)) else { continue };
        return resource.dependencies().map(|name| flow.full_name(id, name)).collect();
    }
    Vec::new()
}

/// A value that changes, and the cause.
struct PendingNode {
    node: DataflowNode,
    origin: Origin,
}

/// Why a value changes.
#[derive(Clone)]
struct Origin {
    /// Whether it certainly changes; otherwise it may.
    is_certain: bool,
    cause: Rc<RootCause>,
    /// The path from the first cause.
    path: CausePathId,
}

/// The resource whose change is the cause.
struct RootCause {
    name: String,
    impact: Impact,
    /// The attribute that changes although the resource stays the same.
    attribute: Option<SmolStr>,
    /// Whether the resource is not a replacement: then definitions that refer to it differ themselves.
    is_in_definitions: bool,
}

struct Propagator<'a, 'f> {
    resources: &'a [DecidedResource],
    /// The effects on each resource.
    propagations: Vec<Vec<Propagation>>,
    flows: &'a DataflowPair<'f>,
    names: &'a ParameterRenames,
    /// Maps the name of a resource to its position.
    positions: HashMap<String, usize>,
    open: VecDeque<PendingNode>,
    /// The reads of attributes that change with their resources.
    reads: VecDeque<(DataflowEdge, Origin)>,
    paths: CausePaths,
    /// The nodes that were enqueued, and whether as a certain change.
    seen: HashMap<DataflowNode, bool>,
    /// The worst impact of each resource whose effects were followed.
    causes: HashMap<usize, Impact>,
    /// The properties whose attributes were followed, by the position of the resource, and whether as a certain change.
    spread: HashMap<(usize, String), bool>,
    /// The effects on outputs of the deployment's own stack.
    outputs: HashMap<SmolStr, Vec<OutputPropagation>>,
}

impl<'f> Propagator<'_, 'f> {
    fn flow(&self) -> &Dataflow<'f> {
        &self.flows.new
    }

    fn open(&mut self, spot: DataflowNode, sure: bool, cause: &Rc<RootCause>, path: CausePathId) {
        if self.seen.get(&spot).is_some_and(|seen| *seen || !sure) {
            return;
        }
        self.seen.insert(spot.clone(), sure);
        let cause = Rc::clone(cause);
        let origin = Origin { is_certain: sure, cause, path };
        self.open.push_back(PendingNode { node: spot, origin });
    }

    /// Follows what is enqueued up to the fixed point.
    fn follow_all(&mut self) {
        loop {
            while let Some((edge, origin)) = self.reads.pop_front() {
                self.follow(edge, &origin);
            }
            let Some(item) = self.open.pop_front() else { break };
            self.step(&item);
        }
    }

    /// Enqueues the first causes: changes of resources by their own definitions.
    fn seed_all(&mut self) {
        // The groups whose members differ, and whether they do for certain.
        let mut members: HashMap<String, bool> = HashMap::new();
        for at in 0..self.resources.len() {
            let resource = &self.resources[at];
            // From outside, only the stack itself is visible.
            if follows_its_stack(resource) {
                continue;
            }
            let (name, impact) = (resource.name.clone(), resource.impact);
            let is_same = |it: &ChangeReason| it.rule == UpdateRule::NotRunning;
            let is_may = matches!(impact, Impact::MayDelete | Impact::MayCreate);
            if is_may && resource.kind.old.is_some() && resource.kind.new.is_some() {
                let may_be_replaced =
                    resource.reasons.iter().any(|it| it.impact == Impact::MayReplace);
                self.seed_updated(at);
                if may_be_replaced {
                    self.seed_replaced(at, Impact::MayReplace, false, None);
                }
                if let Some((group, _)) = name.rsplit_once('/') {
                    members.entry(group.to_owned()).or_default();
                }
                continue;
            }
            let (is_in_definitions, gone) = match impact {
                Impact::Replace | Impact::MayReplace => (false, false),
                Impact::Create if resource.reasons.iter().any(is_same) => (false, false),
                Impact::Create | Impact::Adopt | Impact::MayCreate => (true, false),
                Impact::Delete | Impact::MayDelete | Impact::Snapshot | Impact::Retain => {
                    (true, true)
                }
                Impact::Rebuild | Impact::Update => {
                    self.seed_updated(at);
                    continue;
                }
                Impact::NotCompared | Impact::Refused | Impact::NoopUpdate | Impact::None => {
                    continue;
                }
            };
            if !gone {
                self.seed_replaced(at, impact, is_in_definitions, None);
            }
            if is_in_definitions && let Some((group, _)) = name.rsplit_once('/') {
                *members.entry(group.to_owned()).or_default() |= !is_may;
            }
        }
        let mut groups: Vec<usize> =
            members.keys().filter_map(|group| self.positions.get(group).copied()).collect();
        groups.sort_unstable();
        for at in groups {
            let name = self.resources[at].name.clone();
            if let Some((id, last)) = self.flow().find(&name) {
                let spot = DataflowNode::Members(id, last.into());
                let is_certain = members.get(&name).copied().unwrap_or_default();
                self.seed(spot, is_certain, at, self.resources[at].impact);
            }
        }
        self.seed_outputs(false);
    }

    /// Enqueues which of these resources could not be compared.
    fn seed_all_not_compared(&mut self, resources: &[usize]) {
        for &at in resources {
            let resource = &self.resources[at];
            let is_open = resource.reasons.iter().any(|it| it.impact == Impact::NotCompared);
            if resource.impact == Impact::NotCompared {
                self.seed_not_compared(at);
            } else if resource.impact == Impact::Refused && is_open {
                // What is in it is unknown to those who read it, whatever Heat refuses of it.
                self.seed_replaced(at, Impact::NotCompared, false, None);
            }
        }
    }

    /// Enqueues a value that a resource exposes and that changes although the resource is the same.
    fn seed(&mut self, spot: DataflowNode, sure: bool, at: usize, impact: Impact) {
        let resource = &self.resources[at];
        let attribute = match &spot {
            DataflowNode::Attribute(.., attribute) => attribute.clone(),
            DataflowNode::Output(_, name) => Some(name.clone()),
            _ => None,
        };
        let name = resource.name.clone();
        let cause = RootCause { name, impact, attribute, is_in_definitions: true };
        let path = self.paths.start(&resource.name);
        self.open(spot, sure, &Rc::new(cause), path);
    }

    /// A resource that could not be compared may be replaced or expose other values.
    fn seed_not_compared(&mut self, at: usize) {
        self.seed_updated(at);
        let resource = &self.resources[at];
        let whole = resource.name.as_str();
        let sides = [&self.flows.old, &self.flows.new].map(|flow| {
            let (id, name) = flow.find(whole)?;
            ResourceDefinition::new(flow.stack(id), name)
        });
        let [Some(old), Some(new)] = sides else { return };
        let may_be_another = |reason: &ChangeReason| {
            reason.impact == Impact::NotCompared
                && match &reason.part {
                    // Its implementation is unknown.
                    DefinitionPart::Resource | DefinitionPart::Type => true,
                    part => {
                        let impact = part_impact(&old, &new, part, Ternary::Unknown);
                        matches!(impact, Impact::Replace | Impact::MayReplace)
                    }
                }
        };
        if resource.reasons.iter().any(may_be_another) {
            self.seed_replaced(at, Impact::NotCompared, false, None);
        }
    }

    /// `OS::Heat::Value` exposes its property as its attribute.
    fn seed_passed_value(&mut self, at: usize) {
        let resource = &self.resources[at];
        let Some((id, name)) = self.flow().find(&resource.name) else { return };
        let mut opened = Vec::new();
        for reason in &resource.reasons {
            if !matches!(reason.part, DefinitionPart::Property(_) | DefinitionPart::Properties) {
                continue;
            }
            let part = DataflowNode::Part(id, name.into(), reason.part.clone(), Vec::new());
            let sure = reason.changes.is_empty() || reason.changes.iter().any(|it| !it.unresolved);
            let next = self.flow().successors(&part);
            let shown =
                next.into_iter().filter(|step| matches!(step.target, DataflowNode::Attribute(..)));
            opened.extend(shown.map(|step| (step.target, sure)));
        }
        for (spot, sure) in opened {
            self.seed(spot, sure, at, self.resources[at].impact);
        }
    }

    /// Outputs of nested stacks that differ although their values are unknown: the definitions that read them
    /// are the same as before. `not_compared` selects those that depend on what could not be read; otherwise, the others.
    fn seed_outputs(&mut self, not_compared: bool) {
        let mut found = Vec::new();
        for ids in self.flows.stacks() {
            if ids.new == ROOT || self.flow().is_group(ids.new) {
                continue;
            }
            let Some((outer, name)) = self.flow().outer(ids.new) else { continue };
            let whole = self.flow().full_name(outer, name);
            let Some(&at) = self.positions.get(&whole) else { continue };
            if !matches!(
                self.resources[at].impact,
                Impact::None
                    | Impact::NoopUpdate
                    | Impact::Update
                    | Impact::MayCreate
                    | Impact::MayDelete
                    | Impact::NotCompared
            ) {
                continue;
            }
            let of = |flow: &Dataflow<'f>, id: StackId| flow.stack(id).evaluation.outputs.as_ref();
            let (Some(old), Some(new)) =
                (of(&self.flows.old, ids.old), of(&self.flows.new, ids.new))
            else {
                continue;
            };
            for (name, output) in new {
                let Some(before) = old.get(name) else { continue };
                let (Ok(one), Ok(other)) = (&before.value, &output.value) else { continue };
                if !one.holds_unknown() && !other.holds_unknown() {
                    continue;
                }
                match same_with(one, other, self.names) {
                    Ternary::Yes => {}
                    truth => {
                        let spot = DataflowNode::Output(ids.new, name.into());
                        let impact = match holds_file(one) || holds_file(other) {
                            true => Impact::NotCompared,
                            false => self.resources[at].impact,
                        };
                        found.push((spot, truth == Ternary::No, at, impact));
                    }
                }
            }
        }
        for (spot, sure, at, impact) in found {
            if (impact == Impact::NotCompared) == not_compared {
                self.seed(spot, sure, at, impact);
            }
        }
    }

    /// The resource is replaced: references to it and its attributes change.
    fn seed_replaced(
        &mut self,
        at: usize,
        impact: Impact,
        is_in_definitions: bool,
        path: Option<CausePathId>,
    ) {
        // What is replaced anyway is not in doubt because of what was not compared.
        let is_decided = |before: &Impact| {
            *before <= impact || (*before, impact) == (Impact::Replace, Impact::NotCompared)
        };
        if self.causes.get(&at).is_some_and(is_decided) {
            return;
        }
        self.causes.insert(at, impact);
        let resource = &self.resources[at];
        let name = resource.name.clone();
        let Some((id, last)) = self.flow().find(&name) else { return };
        let Some(new) = ResourceDefinition::new(self.flow().stack(id), last) else { return };
        let reference =
            replaces_reference(&new, changed_parts(&resource.reasons, &self.propagations[at]));
        let attribute = None;
        let cause = RootCause { name: name.clone(), impact, attribute, is_in_definitions };
        let cause = Rc::new(cause);
        let path = path.unwrap_or_else(|| self.paths.start(&name));
        let last: smol_str::SmolStr = last.into();
        if let Some(truth) = reference {
            let possibly =
                matches!(impact, Impact::MayReplace | Impact::NotCompared | Impact::MayCreate);
            let sure = truth == Ternary::No && !possibly;
            self.open(DataflowNode::Reference(id, last.clone()), sure, &cause, path);
        }
        self.open(DataflowNode::Attribute(id, last, None), false, &cause, path);
    }

    /// Follows a changing value to the values that depend on it.
    fn step(&mut self, item: &PendingNode) {
        for step in self.flow().successors(&item.node) {
            checkpoint();
            self.follow(step, &item.origin);
        }
    }

    fn follow(&mut self, step: DataflowEdge, origin: &Origin) {
        let sure = origin.is_certain && !step.is_control;
        match &step.target {
            DataflowNode::Part(id, name, part, _) => {
                let whole = self.flow().full_name(*id, name);
                let origin = Origin { is_certain: sure, ..origin.clone() };
                if let Some(path) = self.reach_part(&whole, (*id, name), part, &origin, step.span) {
                    self.open(step.target, sure, &origin.cause, path);
                }
            }
            // A known condition does not depend on unknown values.
            DataflowNode::Condition(id, name) if self.flow().is_known_condition(*id, name) => {}
            DataflowNode::Attribute(id, name, Some(attribute))
                if origin.cause.attribute.is_some() && self.is_given((*id, name), attribute) => {}
            DataflowNode::Attribute(id, name, _) | DataflowNode::Reference(id, name) => {
                // Out of a stack: the resource that represents it passes the value on.
                let whole = self.flow().full_name(*id, name);
                let path = match self.paths.contains(origin.path, &whole) {
                    true => origin.path,
                    false => self.paths.extend(origin.path, &whole),
                };
                self.open(step.target, sure, &origin.cause, path);
            }
            DataflowNode::Output(id, name) => {
                if *id == ROOT {
                    self.reach_output(name, sure, origin, step.span);
                }
                self.open(step.target, sure, &origin.cause, origin.path);
            }
            DataflowNode::Parameter(..)
            | DataflowNode::Condition(..)
            | DataflowNode::Members(..) => {
                self.open(step.target, sure, &origin.cause, origin.path);
            }
        }
    }

    /// A part of a definition changes or may change. Returns the extended path, unless propagation ends here.
    fn reach_part(
        &mut self,
        whole: &str,
        (id, name): (StackId, &str),
        part: &DefinitionPart,
        origin: &Origin,
        place: Option<Span>,
    ) -> Option<CausePathId> {
        let Origin { is_certain, cause, path: before } = origin;
        let at = *self.positions.get(whole)?;
        let resource = &self.resources[at];
        let is_new = match resource.impact {
            Impact::Create | Impact::Adopt | Impact::Delete | Impact::Snapshot | Impact::Retain => {
                true
            }
            Impact::Refused
            | Impact::Replace
            | Impact::NotCompared
            | Impact::MayDelete
            | Impact::MayReplace
            | Impact::Rebuild
            | Impact::MayCreate
            | Impact::Update
            | Impact::NoopUpdate
            | Impact::None => follows_its_stack(resource),
        };
        // What is replaced anyway is not in doubt because of what was not compared.
        let is_replaced =
            resource.impact == Impact::Replace || self.causes.get(&at) == Some(&Impact::Replace);
        if cause.impact == Impact::NotCompared && is_replaced {
            return None;
        }
        // Whether the resource exists is a separate question.
        if is_new || *part == DefinitionPart::Condition || self.paths.contains(*before, whole) {
            return None;
        }
        let differs = |reason: &ChangeReason| {
            reason.part == *part && !matches!(reason.impact, Impact::NoopUpdate | Impact::None)
        };
        if cause.is_in_definitions && resource.reasons.iter().any(differs) {
            return None;
        }
        let truth = if *is_certain { Ternary::No } else { Ternary::Unknown };
        let (old_id, _) = self.flows.old.find(whole)?;
        let sides = Pair {
            old: ResourceDefinition::new(self.flows.old.stack(old_id), name)?,
            new: ResourceDefinition::new(self.flow().stack(id), name)?,
        };
        let if_different = part_impact(&sides.old, &sides.new, part, truth);
        if matches!(if_different, Impact::None | Impact::NoopUpdate) {
            return None;
        }
        // The effect of something that was not compared is not compared either.
        let follows = matches!(if_different, Impact::Replace | Impact::MayReplace);
        let impact = match cause.impact {
            Impact::NotCompared if !is_certain => Impact::NotCompared,
            _ => if_different,
        };
        let path = self.paths.extend(*before, whole);
        if *part == DefinitionPart::Property(instance_groups::CONFIGURATION.to_owned()) {
            let source = (cause.name.clone(), cause.impact);
            self.reconfigure_members(at, source, *is_certain, path);
        }
        let propagation = Propagation {
            source: cause.name.clone(),
            source_impact: cause.impact,
            attribute: cause.attribute.as_ref().map(ToString::to_string),
            is_certain: *is_certain,
            part: part.clone(),
            impact,
            if_different,
            chain: self.paths.chain(path),
            place,
        };
        self.record(at, propagation);
        if impact == Impact::Refused {
            return None;
        }
        if follows {
            self.seed_replaced(at, impact, false, Some(path));
            self.propagate_into_stack(at, impact, path);
        } else {
            self.spread_update(at, part, impact, *is_certain, path);
        }
        Some(path)
    }

    /// The members of an instance group get another launch configuration. They follow it in the list.
    fn reconfigure_members(
        &mut self,
        at: usize,
        (source, source_impact): (String, Impact),
        is_certain: bool,
        path: CausePathId,
    ) {
        let group = self.resources[at].name.clone();
        let Some((id, name)) = self.flow().find(&group) else { return };
        let Some(new) = ResourceDefinition::new(self.flow().stack(id), name) else { return };
        if !new.plugin().is_some_and(instance_groups::is_group) {
            return;
        }
        let configuration = self.positions.get(&source).map(|at| &self.resources[*at].reasons);
        let is_updated = configuration.is_some_and(|reasons| {
            let kept = DefinitionPart::Property(instance_groups::UPDATED.to_owned());
            !reasons.is_empty() && reasons.iter().all(|reason| reason.part == kept)
        });
        let impact = instance_groups::reconfigured(&new, is_updated);
        let impact = if is_certain { impact } else { impact.possibly() };
        let prefix = format!("{group}/");
        for inner in at + 1..self.resources.len() {
            let member = &self.resources[inner];
            if !member.name.starts_with(&prefix) {
                break;
            }
            if member.kind.old.is_none() || member.kind.new.is_none() {
                continue;
            }
            let (part, place) = (DefinitionPart::Resource, None);
            let end = self.paths.extend(path, &member.name);
            let (chain, source) = (self.paths.chain(end), source.clone());
            let attribute = None;
            let propagation = Propagation {
                source,
                source_impact,
                attribute,
                is_certain,
                part,
                impact,
                if_different: impact,
                chain,
                place,
            };
            self.record(inner, propagation);
        }
    }

    /// Records an effect; for the same part and cause only the worst one.
    fn record(&mut self, at: usize, propagation: Propagation) {
        let propagations = &mut self.propagations[at];
        let same =
            |it: &&mut Propagation| it.source == propagation.source && it.part == propagation.part;
        match propagations.iter_mut().find(same) {
            Some(before)
                if (propagation.impact, before.is_certain)
                    < (before.impact, propagation.is_certain) =>
            {
                *before = propagation;
            }
            Some(_) => {}
            None => propagations.push(propagation),
        }
    }

    /// The resources in a stack share its outcome. They follow it in the list.
    fn propagate_into_stack(&mut self, at: usize, impact: Impact, path: CausePathId) {
        let stack = self.resources[at].name.clone();
        let prefix = format!("{stack}/");
        for inner in at + 1..self.resources.len() {
            let resource = &self.resources[inner];
            if !resource.name.starts_with(&prefix) {
                break;
            }
            if !matches!(
                resource.impact,
                Impact::Refused
                    | Impact::NotCompared
                    | Impact::MayDelete
                    | Impact::Rebuild
                    | Impact::MayCreate
                    | Impact::Update
                    | Impact::NoopUpdate
                    | Impact::None
            ) {
                continue;
            }
            let inside = self.paths.extend(path, &resource.name);
            let chain = self.paths.chain(inside);
            let because = stack.clone();
            let (part, place) = (DefinitionPart::Resource, None);
            self.record(
                inner,
                Propagation {
                    source: because,
                    source_impact: impact,
                    attribute: None,
                    is_certain: impact == Impact::Replace,
                    part,
                    impact,
                    if_different: impact,
                    chain,
                    place,
                },
            );
        }
    }
}

/// The parts of a definition that differ, and those that change with other resources; each with whether that is certain.
pub(super) fn changed_parts<'p>(
    reasons: &'p [ChangeReason],
    propagations: &'p [Propagation],
) -> impl Iterator<Item = (&'p DefinitionPart, bool)> {
    let own = reasons.iter().filter(|it| !matches!(it.impact, Impact::NoopUpdate | Impact::None));
    let is_sure =
        |it: &ChangeReason| it.changes.is_empty() || it.changes.iter().any(|it| !it.unresolved);
    let own = own.map(move |it| (&it.part, is_sure(it)));
    own.chain(propagations.iter().map(|it| (&it.part, it.is_certain)))
}

/// Whether the impact on a resource is that of the whole stack that contains it.
fn follows_its_stack(resource: &DecidedResource) -> bool {
    resource.reasons.iter().any(|reason| matches!(reason.rule, UpdateRule::Stack(_)))
}

#[cfg(test)]
mod tests;
