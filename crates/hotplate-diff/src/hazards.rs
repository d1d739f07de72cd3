//! What an update leaves behind that nobody wants: objects that are lost, steps that a service refuses, and what depends on an order
//! that Heat does not promise.
//!
//! Heat's rules: `docs/what-an-update-destroys.md`; what types have is in the column `update_effects`.

mod keys;
mod machines;
mod one_template;
mod order;
mod pauses;
mod sentences;
mod special;

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};

use schemars::JsonSchema;
use serde::Serialize;

use self::keys::{KeyReader, ResolvedKey};
pub use self::machines::{MachineEffect, MachineEffectKind};
pub use self::one_template::{SharedEffect, SharedObject, shared_objects};
use self::order::{Order, Step, UpdateOrder};
use crate::comparison::{ChangeReason, DefinitionPart, Impact, Pair, Places, RenameLink};
use crate::equality::Ternary;
use crate::impact::{self, ResourceDefinition};
use crate::input::ComparisonInput;
use crate::named::named;
use crate::propagation::changed_parts;
use crate::roles::DataEffect;
use crate::security::contains_networks;
use crate::stages::PropagatedResource;
use crate::update_rules::UpdateRule;
use heat_engine::eval::Value;
use heat_template::schema::{SecondObject, UpdateEffects};

/// How many holders of one key are compared with one that takes it.
const MAX_HOLDERS: usize = 4;

named! {
/// The kind of a hazard, the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
pub enum HazardKind {
    /// The update completes, and an object or a part of it is gone.
    Lost = "lost",
    /// The service refuses a creation, a deletion or a change: the update fails.
    Refused = "refused",
    /// It depends on an order that Heat does not promise.
    Race = "race",
    /// The update waits for what cannot come, until the stack times out.
    Waits = "waits",
    /// Neither the old template nor a rollback restores it.
    NoWayBack = "no-way-back",
}
}

/// Something that an update leaves behind, or at which it fails.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Hazard {
    /// How bad it is for those who run the stack, and what it is in short.
    pub kind: HazardKind,
    /// Whether it happens for certain; otherwise it depends on an order, or on a value that is unknown.
    #[serde(rename = "certain")]
    pub is_certain: bool,
    /// What is lost, refused or waited for, in words.
    pub object: String,
    /// The full name of the other resource, if there is one.
    pub with: Option<String>,
    /// Why, as a sentence without a full stop.
    pub because: String,
    /// What to do instead.
    pub instead: String,
}

/// What happens to the object of a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Fate {
    /// Whether the resource has no new side.
    is_removed: bool,
    is_replaced: bool,
    is_created: bool,
    /// Whether the deletion policy keeps the old object.
    is_retained: bool,
    /// Whether it is certain.
    is_certain: bool,
}

impl Fate {
    fn of(resource: &PropagatedResource, old: Option<&ResourceDefinition<'_>>) -> Self {
        let impact = resource.possible_impact();
        let is_replaced =
            matches!(impact, Impact::Replace | Impact::MayReplace | Impact::NotCompared);
        let is_removed = matches!(
            impact,
            Impact::Delete | Impact::MayDelete | Impact::Snapshot | Impact::Retain
        );
        let policy = old.map(impact::removed_impact);
        Fate {
            is_removed,
            is_replaced,
            is_created: matches!(impact, Impact::Create | Impact::MayCreate | Impact::Adopt),
            is_retained: impact == Impact::Retain || is_replaced && policy == Some(Impact::Retain),
            is_certain: !matches!(
                resource.effective_impact,
                Impact::MayReplace | Impact::MayDelete | Impact::MayCreate | Impact::NotCompared
            ),
        }
    }
}

/// A key of a resource on one side.
struct Holder {
    at: usize,
    key: ResolvedKey,
    /// Whether the object that it names is certainly the one of the same words on the other side.
    is_certain: bool,
}

type Definitions<'d> = [Pair<Option<ResourceDefinition<'d>>>];

/// The search for hazards.
struct HazardFinder<'a> {
    resources: &'a [PropagatedResource],
    definitions: &'a Definitions<'a>,
    input: &'a ComparisonInput<'a>,
    fates: Vec<Fate>,
    effects: Vec<Pair<Option<&'static UpdateEffects>>>,
    positions: HashMap<&'a str, usize>,
    order: OnceCell<UpdateOrder>,
    found: Vec<Vec<Hazard>>,
}

/// The hazards of each resource and its effects on machines, the worst first. Adds each as a reason, which every report shows.
pub(crate) fn find(
    resources: &mut [PropagatedResource],
    definitions: &Definitions<'_>,
    input: &ComparisonInput<'_>,
    data: &[Option<DataEffect>],
) -> Vec<(Vec<Hazard>, Vec<MachineEffect>)> {
    let is_change = |it: &PropagatedResource| it.effective_impact < Impact::None;
    if !input.old.exists || !input.new.exists || !resources.iter().any(is_change) {
        return vec![(Vec::new(), Vec::new()); resources.len()];
    }
    let mut finder = HazardFinder::new(resources, definitions, input);
    finder.clashes();
    finder.special(data);
    finder.pauses();
    let machines = finder.machine_effects();
    let mut found: Vec<_> = finder.found.into_iter().zip(machines).collect();
    let conditional = conditional_names(resources, definitions);
    for (resource, (hazards, effects)) in resources.iter_mut().zip(&mut found) {
        let is_sure = |name: &str| !is_conditional(name, &conditional);
        let is_there = is_sure(&resource.decided.name);
        for it in hazards.iter_mut() {
            it.is_certain &= is_there && it.with.as_deref().is_none_or(is_sure);
        }
        for it in effects.iter_mut() {
            it.is_certain &= is_there && it.on.as_deref().is_none_or(is_sure);
        }
        hazards.sort_by_key(|it| (it.kind, !it.is_certain));
        let PropagatedResource { decided, effective_impact, .. } = resource;
        let hazards = hazards.iter().map(|it| UpdateRule::Hazard { sentence: it.sentence() });
        let effects =
            effects.iter().map(|it| UpdateRule::MachineEffect { sentence: it.sentence() });
        let reasons = hazards.chain(effects).map(|rule| {
            let part = DefinitionPart::Resource;
            ChangeReason::new(part, *effective_impact, rule, Places::default())
        });
        decided.reasons.extend(reasons);
        decided.reasons.sort_by_key(|reason| reason.impact);
    }
    found
}

/// The resources of which it is unknown whether a side has them, because of their own conditions.
fn conditional_names(
    resources: &[PropagatedResource],
    definitions: &Definitions<'_>,
) -> HashSet<String> {
    let is_open = |it: &ResourceDefinition<'_>| it.condition().is_some_and(Value::holds_unknown);
    let all = resources.iter().zip(definitions);
    let open = all.filter(|(_, it)| [&it.old, &it.new].into_iter().flatten().any(is_open));
    open.map(|(it, _)| it.decided.name.clone()).collect()
}

/// Whether a resource, or one that represents a stack around it, is among these.
fn is_conditional(name: &str, conditional: &HashSet<String>) -> bool {
    !conditional.is_empty()
        && (conditional.contains(name)
            || name.match_indices('/').any(|(slash, _)| conditional.contains(&name[..slash])))
}

impl<'a> HazardFinder<'a> {
    fn new(
        resources: &'a [PropagatedResource],
        definitions: &'a Definitions<'a>,
        input: &'a ComparisonInput<'a>,
    ) -> Self {
        let effects = |it: &Option<ResourceDefinition<'_>>| {
            it.as_ref().and_then(ResourceDefinition::plugin).and_then(UpdateEffects::of)
        };
        let both = resources.iter().zip(definitions);
        HazardFinder {
            fates: both.map(|(it, sides)| Fate::of(it, sides.old.as_ref())).collect(),
            effects: definitions
                .iter()
                .map(|it| Pair { old: effects(&it.old), new: effects(&it.new) })
                .collect(),
            positions: resources
                .iter()
                .enumerate()
                .map(|(at, it)| (it.decided.name.as_str(), at))
                .collect(),
            order: OnceCell::new(),
            found: vec![Vec::new(); resources.len()],
            resources,
            definitions,
            input,
        }
    }

    fn name(&self, at: usize) -> &'a str {
        &self.resources[at].decided.name
    }

    fn reader(&self, is_new: bool) -> KeyReader<'a> {
        let flows = self.input.flows;
        match is_new {
            true => KeyReader { flow: &flows.new, renames: None },
            false => KeyReader { flow: &flows.old, renames: Some(self.input.parameter_renames) },
        }
    }

    /// The keys of a resource on one side.
    fn keys(&self, at: usize, is_new: bool) -> Vec<ResolvedKey> {
        let (sides, effects) = (&self.definitions[at], &self.effects[at]);
        let side = if is_new { (&sides.new, effects.new) } else { (&sides.old, effects.old) };
        let (Some(definition), Some(effects)) = side else { return Vec::new() };
        let reader = self.reader(is_new);
        let Some((stack, _)) = reader.flow.find(self.name(at)) else { return Vec::new() };
        let mut keys = reader.keys(definition, stack, effects);
        if is_new {
            keys.iter_mut().for_each(|it| self.mark_new_objects(at, it));
        }
        keys
    }

    /// Marks the parts of a key that name another object than before, because another resource is replaced.
    fn mark_new_objects(&self, at: usize, key: &mut ResolvedKey) {
        let properties: Vec<&str> = (0..key.parts.len()).map(|it| key.property(it)).collect();
        let is_item = key.row.each.is_some();
        for (part, property) in key.parts.iter_mut().zip(properties) {
            // A property that names no resource may still get the id of one.
            let effect = match &part.resource {
                Some(resource) => self.is_other_object(resource),
                None => {
                    let name = DefinitionPart::Property(property.to_owned());
                    let all = self.resources[at].propagations.iter();
                    let of_part = all.filter(|it| it.part == name);
                    let certain = |it: &crate::comparison::Propagation| {
                        it.is_certain && it.source_impact == Impact::Replace && !is_item
                    };
                    of_part.fold(Ternary::No, |known, it| match known {
                        Ternary::Yes => known,
                        _ if certain(it) => Ternary::Yes,
                        _ => Ternary::Unknown,
                    })
                }
            };
            match effect {
                Ternary::Yes => part.text.push_str("\u{1e}new"),
                Ternary::Unknown => part.is_unknown = true,
                Ternary::No => {}
            }
        }
    }

    /// Whether a reference to a resource names another object after the update.
    fn is_other_object(&self, name: &str) -> Ternary {
        let Some(&at) = self.positions.get(name) else { return Ternary::No };
        let (fate, definition) = (self.fates[at], &self.definitions[at].new);
        let Some(definition) = definition.as_ref().filter(|_| fate.is_replaced) else {
            return Ternary::No;
        };
        let changed =
            changed_parts(&self.resources[at].decided.reasons, &self.resources[at].propagations);
        match impact::replaces_reference(definition, changed) {
            Some(Ternary::No) if fate.is_certain => Ternary::Yes,
            None => Ternary::No,
            Some(_) => Ternary::Unknown,
        }
    }

    // --- one key, two objects ----------------------------------------------------------------

    fn clashes(&mut self) {
        let mut old: HashMap<String, Vec<Holder>> = HashMap::new();
        let mut new: Vec<Holder> = Vec::new();
        let mut had: HashSet<(String, usize)> = HashSet::new();
        let mut kept: HashSet<(String, usize)> = HashSet::new();
        for at in 0..self.resources.len() {
            let keys = Pair { old: self.keys(at, false), new: self.keys(at, true) };
            if self.fates[at].is_replaced {
                self.same_resource(at, &keys);
            }
            for key in keys.old {
                let text = key.text();
                had.insert((text.clone(), at));
                old.entry(text).or_default().push(Holder { at, is_certain: true, key });
            }
            for key in keys.new {
                let is_certain = key.parts.iter().all(|it| !it.is_unknown || it.resource.is_none());
                kept.insert((key.text(), at));
                new.push(Holder { at, key, is_certain });
            }
        }
        self.renamed_unknown();
        // Of two keys of the same two resources, the first one counts.
        let mut seen: HashSet<(usize, usize)> = HashSet::new();
        for taker in &new {
            let text = taker.key.text();
            let Some(holders) = old.get(&text) else { continue };
            let fate = self.fates[taker.at];
            let is_twin =
                !fate.is_replaced && !fate.is_created && had.contains(&(text.clone(), taker.at));
            let others = holders.iter().filter(|it| it.at != taker.at).take(MAX_HOLDERS);
            for holder in others {
                if !seen.insert((holder.at, taker.at)) {
                    continue;
                }
                let keeps = kept.contains(&(text.clone(), holder.at));
                if is_twin {
                    self.twin(holder, taker, keeps);
                } else {
                    self.taken(holder, taker, keeps);
                }
            }
        }
    }

    /// A resource is replaced under the same key.
    fn same_resource(&mut self, at: usize, keys: &Pair<Vec<ResolvedKey>>) {
        let fate = self.fates[at];
        let mut seen = Vec::new();
        for old in &keys.old {
            let row = old.row;
            let of_row = keys.new.iter().filter(|it| std::ptr::eq(it.row, row));
            let alike = of_row.filter_map(|new| Some((equality(old, new)?, new)));
            let Some((is_equal, new)) = alike.max_by_key(|(is_equal, _)| *is_equal) else {
                continue;
            };
            let kind = match row.second {
                _ if row.by_key && fate.is_retained => continue,
                _ if row.by_key => HazardKind::Lost,
                _ if row.freed => continue,
                SecondObject::Same => continue,
                SecondObject::Waits => HazardKind::Waits,
                SecondObject::Refused | SecondObject::Conflict | SecondObject::NoRetry => {
                    HazardKind::Refused
                }
            };
            // One sentence for what is the same.
            if seen.contains(&(row.space, kind)) && is_equal {
                continue;
            }
            seen.push((row.space, kind));
            let is_certain = fate.is_certain && is_equal && !self.has_failed(at);
            let hazard = sentences::replaced(kind, is_certain, new.object(old), row);
            self.found[at].push(hazard);
        }
    }

    /// Renamed resources whose keys may be the same, which unknown values hide.
    fn renamed_unknown(&mut self) {
        for gone in 0..self.resources.len() {
            let Some(RenameLink::NewName(name, _)) = &self.resources[gone].decided.rename else {
                continue;
            };
            let Some(&made) = self.positions.get(name.as_str()) else { continue };
            let new = self.keys(made, true);
            for old in self.keys(gone, false) {
                let of_row = new.iter().filter(|it| std::ptr::eq(it.row, old.row));
                let mut possible = of_row
                    .filter(|it| equality(&old, it) == Some(false) && it.text() != old.text());
                if let Some(key) = possible.next().cloned() {
                    let taker = Holder { at: made, key, is_certain: false };
                    let holder = Holder { at: gone, key: old, is_certain: false };
                    self.taken(&holder, &taker, false);
                    break;
                }
            }
        }
    }

    /// Whether the resource is replaced because it failed: its object may not exist.
    fn has_failed(&self, at: usize) -> bool {
        let reasons = &self.resources[at].decided.reasons;
        reasons.iter().any(|it| matches!(it.rule, UpdateRule::RunningState { .. }))
    }

    /// Two resources have the same key on both sides, and one of them goes.
    fn twin(&mut self, gone: &Holder, stays: &Holder, keeps: bool) {
        let (fate, row) = (self.fates[gone.at], gone.key.row);
        let goes = fate.is_removed || fate.is_replaced || !keeps;
        if !goes || fate.is_retained || !row.by_key || row.second != SecondObject::Same {
            return;
        }
        let other = self.name(stays.at);
        let is_certain = fate.is_certain && stays.is_certain;
        let object = stays.key.object(&gone.key);
        self.found[gone.at].push(sentences::twin(is_certain, object, other));
    }

    /// A resource takes the key that another one had.
    fn taken(&mut self, holder: &Holder, taker: &Holder, keeps: bool) {
        let (old, new) = (self.fates[holder.at], self.fates[taker.at]);
        let row = taker.key.row;
        let refuses = match row.second {
            SecondObject::Same => HazardKind::Lost,
            SecondObject::Waits => HazardKind::Waits,
            SecondObject::Refused | SecondObject::Conflict | SecondObject::NoRetry => {
                HazardKind::Refused
            }
        };
        let is_same = row.second == SecondObject::Same;
        let stays = keeps && !old.is_removed;
        if is_same && (!row.by_key || old.is_retained || stays && !old.is_replaced) {
            return;
        }
        let names = Pair { old: self.name(holder.at), new: self.name(taker.at) };
        let object = taker.key.object(&holder.key);
        let is_known = old.is_certain && new.is_certain && taker.is_certain;
        let add = |kind, is_certain, because| {
            sentences::moved(kind, is_certain, &object, names, row, because)
        };
        // What stays keeps its key.
        if stays || old.is_retained && old.is_removed {
            let because = if stays { sentences::Cause::Kept } else { sentences::Cause::Retained };
            self.found[taker.at].push(add(refuses, is_known, because));
            return;
        }
        let is_swap = !old.is_removed
            && !old.is_replaced
            && !new.is_created
            && !new.is_replaced
            && self.swaps(holder.at, taker.at);
        let order = match is_swap {
            true => Order::CreationFirst,
            false => self.order(holder.at, taker.at),
        };
        let hazard = match (order, row.second) {
            (Order::DeletionFirst, _) => return,
            (Order::CreationFirst, _) if is_swap => add(refuses, is_known, sentences::Cause::Swap),
            (Order::CreationFirst, _) => add(refuses, is_known, sentences::Cause::Order),
            // Heat tries again while the deletion runs; an update in place is tried once.
            (Order::Unknown, SecondObject::Conflict | SecondObject::Waits)
                if new.is_created || new.is_replaced =>
            {
                return;
            }
            (Order::Unknown, _) => add(HazardKind::Race, false, sentences::Cause::NoOrder),
        };
        self.found[taker.at].push(hazard);
    }

    /// Whether one resource takes a key of the other too.
    fn swaps(&self, one: usize, other: usize) -> bool {
        let texts = |at, is_new| -> Vec<String> {
            self.keys(at, is_new).iter().map(ResolvedKey::text).collect()
        };
        let had = texts(other, false);
        texts(one, true).iter().any(|it| had.contains(it))
    }

    /// What waits for what, which only some hazards ask for.
    fn update_order(&self) -> &UpdateOrder {
        let flows = self.input.flows;
        self.order.get_or_init(|| UpdateOrder::new(&flows.old, &flows.new))
    }

    fn order(&self, gone: usize, made: usize) -> Order {
        let fate = self.fates[gone];
        let step = Step {
            name: &self.resources[gone].decided.name,
            stays: !fate.is_removed,
            is_replaced: fate.is_replaced,
        };
        let (positions, fates) = (&self.positions, &self.fates);
        self.update_order().of(step, &self.resources[made].decided.name, |name| {
            positions.get(name).is_some_and(|at| fates[*at].is_created || fates[*at].is_replaced)
        })
    }
}

/// Whether two keys are certainly the same; `None` if they are certainly not.
fn equality(old: &ResolvedKey, new: &ResolvedKey) -> Option<bool> {
    let mut is_equal = true;
    for (at, (one, other)) in old.parts.iter().zip(&new.parts).enumerate() {
        let overlaps = || {
            let texts = [&[one.text.as_str()], &[other.text.as_str()]];
            let contains = |a, b| contains_networks(a, b) == Some(true);
            contains(texts[0], texts[1]) || contains(texts[1], texts[0])
        };
        let is_prefix = old.row.overlap == Some(at);
        match one.text == other.text {
            // The attribute of a resource that may be another one.
            true if other.is_unknown && other.resource.is_some() => is_equal = false,
            true => {}
            false if one.is_unknown || other.is_unknown => is_equal = false,
            false if is_prefix && overlaps() => {}
            false => return None,
        }
    }
    Some(is_equal)
}

#[cfg(test)]
mod tests;
