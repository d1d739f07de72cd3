//! What an update does to machines beside Heat's decision: a server that is resized is "updated in place", and it stops.
//!
//! The rules of the plugins are in the column `machine_effects`.

use std::collections::HashMap;

use heat_engine::eval::{Value, python};
use heat_template::schema::{Column, SignalRole, columns};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::HazardFinder;
use super::keys::member_of;
use crate::comparison::{DefinitionPart, Impact};
use crate::equality::{Ternary, same};
use crate::named::named;
use crate::propagation::changed_parts;
use crate::roles::ResourceRole;

named! {
/// The kind of an effect on a machine, the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[derive(Serialize, Deserialize, JsonSchema)]
pub enum MachineEffectKind {
    /// It stops, or is cut off from a disk or a network, for a time or for good.
    Interruption = "interruption",
    /// It is reached by other addresses.
    Addresses = "addresses",
    /// A deployment runs on it once more.
    RunsAgain = "runs-again",
    /// The change does not reach it.
    NotApplied = "not-applied",
    /// Heat does not wait for it: the signals of before still count.
    NotAwaited = "not-awaited",
}
}

/// What the update of a resource does to a machine, or to the way to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MachineEffect {
    /// What it is in short.
    pub kind: MachineEffectKind,
    /// Whether it happens for certain; otherwise it depends on the service, or on a value that is unknown.
    #[serde(rename = "certain")]
    pub is_certain: bool,
    /// The full name of the resource that it happens to; `null` if it is the resource itself, or one outside of the template. For
    /// `not-awaited`, the wait condition.
    pub on: Option<String>,
    /// What Heat or the service does, as a sentence without a full stop.
    pub because: String,
}

impl MachineEffect {
    /// Everything in one sentence without a full stop.
    pub(super) fn sentence(&self) -> String {
        let on = |word: &str| match &self.on {
            Some(on) => format!(" {word}`{on}`"),
            None => String::new(),
        };
        let what = match (self.kind, self.is_certain) {
            (MachineEffectKind::Interruption, true) => format!("interruption{}", on("of ")),
            (MachineEffectKind::Interruption, false) => {
                format!("possible interruption{}", on("of "))
            }
            (MachineEffectKind::Addresses, true) => format!("other addresses{}", on("of ")),
            (MachineEffectKind::Addresses, false) => {
                format!("possibly other addresses{}", on("of "))
            }
            (MachineEffectKind::RunsAgain, true) => format!("runs again{}", on("on ")),
            (MachineEffectKind::RunsAgain, false) => format!("may run again{}", on("on ")),
            (MachineEffectKind::NotApplied, true) => format!("not applied{}", on("to ")),
            (MachineEffectKind::NotApplied, false) => format!("may not be applied{}", on("to ")),
            (MachineEffectKind::NotAwaited, true) => format!("not waited for{}", on("by ")),
            (MachineEffectKind::NotAwaited, false) => format!("may not be waited for{}", on("by ")),
        };
        format!("{what}: {}", self.because)
    }
}

/// What the plugin of a type does to machines.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, bound(deserialize = "'de: 'static"))]
struct MachineEffects {
    /// Whether it is a deployment, which an update runs again.
    deployment: bool,
    /// The properties whose updates interrupt nothing and are applied: the test for completeness reads them.
    quiet: Vec<&'static str>,
    effects: Vec<EffectRow>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct EffectRow {
    /// Properties that are updated in place.
    #[serde(default)]
    changes: Vec<&'static str>,
    /// Whether it is about the metadata of the resource.
    #[serde(default)]
    metadata: bool,
    /// Whether it is about the deletion or replacement of the resource.
    #[serde(default)]
    gone: bool,
    kind: MachineEffectKind,
    what: &'static str,
    /// The property that names the machine.
    on: Option<&'static str>,
    /// The kind of key by which machines have the resource.
    users: Option<&'static str>,
    /// A property with the value that it must have.
    #[serde(rename = "while")]
    only_while: Option<(&'static str, &'static str)>,
    /// The truth value that the property must get.
    becomes: Option<bool>,
    /// Whether items that are added to the list do no harm.
    #[serde(default)]
    unless_grows: bool,
    /// Whether it depends on the service.
    #[serde(default)]
    possible: bool,
}

static ROWS: Column<MachineEffects> = Column::new(columns::MACHINE_EFFECTS);

/// The resources that have another one, by the kind of key and its name.
type Users = HashMap<(&'static str, String), Vec<usize>>;

/// A property leaves the template, and the service keeps it.
fn kept(property: String) -> MachineEffect {
    let because = format!(
        "`{property}` leaves the template, and the service keeps its value: Heat sends none"
    );
    MachineEffect { kind: MachineEffectKind::NotApplied, is_certain: true, on: None, because }
}

impl HazardFinder<'_> {
    /// The effects of each resource, the worst first.
    pub(super) fn machine_effects(&self) -> Vec<Vec<MachineEffect>> {
        let users = self.users();
        let of = |at: usize| {
            let side = !self.fates[at].is_removed;
            let row = self.plugin(at, side).and_then(|it| ROWS.get(it));
            let mut found = row.map_or_else(Vec::new, |row| self.of_row(at, row, &users));
            if self.resources[at].effective_impact == Impact::Update {
                found.extend(self.kept(at).into_iter().map(kept));
            }
            found
        };
        let mut found: Vec<Vec<MachineEffect>> = (0..self.resources.len()).map(of).collect();
        self.not_awaited(&mut found);
        for effects in &mut found {
            effects.sort_by_key(|it| (it.kind, !it.is_certain));
            effects.dedup();
        }
        found
    }

    fn of_row(&self, at: usize, row: &MachineEffects, users: &Users) -> Vec<MachineEffect> {
        let (impact, fate) = (self.resources[at].effective_impact, self.fates[at]);
        let is_update = matches!(impact, Impact::Update | Impact::Rebuild | Impact::MayReplace);
        let mut found = Vec::new();
        let may_be_update = matches!(impact, Impact::NoopUpdate | Impact::NotCompared);
        if row.deployment && (is_update || may_be_update) {
            found.extend(self.deployment(at, impact));
        }
        if row.deployment && (fate.is_removed || fate.is_replaced) && !fate.is_retained {
            found.extend(self.deleted_deployment(at));
        }
        for effect in &row.effects {
            if effect.gone {
                let is_gone = (fate.is_removed || fate.is_replaced) && !fate.is_retained;
                if let Some(property) = effect.on.filter(|_| is_gone)
                    && let Some(on) = self.part(at, false, property)
                    && on.resource.as_deref().is_none_or(|it| self.stays(it))
                {
                    found.push(effect.on(fate.is_certain && !effect.possible, on.resource));
                }
            } else if is_update && let Some(is_certain) = self.applies(at, effect) {
                let is_certain = is_certain
                    && fate.is_certain
                    && impact != Impact::MayReplace
                    && !effect.possible;
                let (names, is_certain) = match (effect.on, effect.users) {
                    (Some(property), _) => (self.named_machines(at, property), is_certain),
                    (None, None) => (vec![None], is_certain),
                    (None, Some(space)) => match self.using_machines(at, space, users) {
                        // Nothing in the template uses it: something else may.
                        none if none.is_empty() => (vec![None], false),
                        some => (some, is_certain),
                    },
                };
                found.extend(names.into_iter().map(|it| effect.on(is_certain, it)));
            }
        }
        found
    }

    /// Whether the change that a row is about happens; `None` if not, otherwise whether that is certain.
    fn applies(&self, at: usize, row: &EffectRow) -> Option<bool> {
        let resource = &self.resources[at];
        let parts = changed_parts(&resource.decided.reasons, &resource.propagations);
        let kept = self.kept(at);
        let changes = parts.filter_map(|(part, is_certain)| match part {
            DefinitionPart::Property(name) if kept.contains(name) => None,
            DefinitionPart::Property(name) if row.changes.contains(&name.as_str()) => {
                Some((name.as_str(), is_certain))
            }
            DefinitionPart::Metadata if row.metadata => Some(("", is_certain)),
            _ => None,
        });
        let changes: Vec<(&str, bool)> = changes.collect();
        let (property, _) = *changes.first()?;
        let mut is_certain = changes.iter().any(|(_, is_certain)| *is_certain);
        let views = [self.view(at, false), self.view(at, true)];
        let value = |is_new: bool, name: &str| -> Option<Value> {
            let value = views[usize::from(is_new)].as_ref()?.get(name)?.as_ref().ok()?;
            Some(value.unsealed().clone())
        };
        if let Some((name, wanted)) = row.only_while {
            match value(true, name) {
                Some(Value::Text(text)) if text == wanted => {}
                Some(Value::Unknown(_)) | None => is_certain = false,
                Some(_) => return None,
            }
        }
        if let Some(wanted) = row.becomes {
            match value(true, property) {
                Some(Value::Unknown(_)) | None => is_certain = false,
                // Without a value, the service keeps what there is.
                Some(it) if it == Value::Null || python::truthy(&it) != wanted => return None,
                Some(_) => {}
            }
        }
        let part = DefinitionPart::Property(property.to_owned());
        if row.unless_grows && resource.propagations.iter().all(|it| it.part != part) {
            match (value(false, property), value(true, property)) {
                (Some(Value::List(old)), Some(Value::List(new))) => match grows(&old, &new) {
                    Ternary::Yes => return None,
                    Ternary::Unknown => is_certain = false,
                    Ternary::No => {}
                },
                (Some(Value::Unknown(_)), _) | (_, Some(Value::Unknown(_))) => is_certain = false,
                _ => {}
            }
        }
        Some(is_certain)
    }

    /// Whether a resource of the template is there before and after the update, as the same object.
    fn stays(&self, name: &str) -> bool {
        self.positions.get(name).is_none_or(|at| {
            let fate = self.fates[*at];
            !(fate.is_removed || fate.is_created || fate.is_replaced && fate.is_certain)
        })
    }

    /// The machines that a property names before and after the update, of those that stay; `None` for one outside of the template.
    fn named_machines(&self, at: usize, property: &str) -> Vec<Option<String>> {
        let names = [false, true].map(|is_new| self.part(at, is_new, property));
        let mut found: Vec<Option<String>> = Vec::new();
        for name in names.into_iter().flatten().map(|it| it.resource) {
            if name.as_deref().is_none_or(|it| self.stays(it)) && !found.contains(&name) {
                found.push(name);
            }
        }
        found
    }

    /// The resources that have others, of those that stay.
    fn users(&self) -> Users {
        let mut users = Users::new();
        for at in 0..self.resources.len() {
            if !self.stays(self.name(at)) {
                continue;
            }
            for key in self.keys(at, false) {
                let is_used = matches!(key.row.space, "volume in use" | "port in use");
                if let Some(name) = key.parts.first().and_then(|it| it.resource.clone())
                    && is_used
                {
                    users.entry((key.row.space, name)).or_default().push(at);
                }
            }
        }
        users
    }

    /// The machines that use a resource, directly or by an attachment.
    fn using_machines(&self, at: usize, space: &'static str, users: &Users) -> Vec<Option<String>> {
        let all = users.get(&(space, self.name(at).to_owned()));
        let machine = |at: &usize| {
            let row = self.plugin(*at, false).and_then(|it| ROWS.get(it));
            let mut links = row.into_iter().flat_map(|it| &it.effects).filter_map(|it| it.on);
            match links.next() {
                Some(property) => self.part(*at, false, property)?.resource,
                None => Some(self.name(*at).to_owned()),
            }
        };
        let names = all.into_iter().flatten().filter_map(machine);
        names.filter(|it| self.stays(it)).map(Some).collect()
    }

    /// Whether a deployment runs for an action, and whose actions decide that.
    fn runs_for(&self, at: usize, is_new: bool, action: &str) -> (Ternary, &'static str) {
        let config = self.part(at, is_new, "config").and_then(|it| it.resource);
        let config = config.and_then(|it| self.positions.get(it.as_str()).copied());
        let is_component =
            |it: &usize| self.plugin(*it, is_new) == Some("OS::Heat::SoftwareComponent");
        match config.filter(is_component) {
            // The actions of a component are those of its configurations.
            Some(component) => {
                let view = self.view(component, is_new);
                let configs = view.as_ref().and_then(|it| it.get("configs")?.as_ref().ok());
                let configs = configs.map(Value::unsealed);
                let runs = match configs {
                    Some(Value::List(items)) => items.iter().fold(Ternary::No, |known, item| {
                        known.or(lists_action(member_of(item, "actions").as_ref(), action))
                    }),
                    _ => Ternary::Unknown,
                };
                (runs, "`actions` of its component")
            }
            None => {
                let view = self.view(at, is_new);
                let actions = view.as_ref().and_then(|it| it.get("actions")?.as_ref().ok());
                (lists_action(actions, action), "its `actions`")
            }
        }
    }

    /// What the deletion of a deployment does on its server.
    fn deleted_deployment(&self, at: usize) -> Option<MachineEffect> {
        let (runs, whose) = self.runs_for(at, false, "DELETE");
        (runs != Ternary::No).then(|| MachineEffect {
            kind: MachineEffectKind::RunsAgain,
            is_certain: runs == Ternary::Yes && self.fates[at].is_certain,
            on: self.part(at, false, "server").and_then(|it| it.resource),
            because: format!("{whose} have DELETE, and Heat runs it before it deletes it"),
        })
    }

    /// What an update of a deployment does on its server.
    fn deployment(&self, at: usize, impact: Impact) -> Option<MachineEffect> {
        let on = self.part(at, true, "server").and_then(|it| it.resource);
        let (runs, whose) = self.runs_for(at, true, "UPDATE");
        let (kind, because) = match runs {
            Ternary::No if matches!(impact, Impact::NoopUpdate | Impact::NotCompared) => {
                return None;
            }
            Ternary::No => {
                let until = match self.runs_for(at, true, "DELETE").0 {
                    Ternary::Yes => " until its deletion, which runs the new one",
                    Ternary::No | Ternary::Unknown => "",
                };
                let because = format!(
                    "{whose} lack UPDATE, and what runs on the server stays as it is{until}"
                );
                (MachineEffectKind::NotApplied, because)
            }
            Ternary::Yes | Ternary::Unknown => {
                let because = "any update of a deployment for the action UPDATE runs it";
                (MachineEffectKind::RunsAgain, because.to_owned())
            }
        };
        let is_update = !matches!(impact, Impact::MayReplace | Impact::NotCompared);
        let is_certain = runs != Ternary::Unknown && is_update;
        Some(MachineEffect { kind, is_certain, on, because })
    }

    /// Servers and deployments that are created or replaced, and whose wait conditions are complete since before.
    fn not_awaited(&self, found: &mut [Vec<MachineEffect>]) {
        let makers = std::cell::OnceCell::new();
        for at in 0..self.resources.len() {
            let fate = self.fates[at];
            if fate.is_removed || fate.is_replaced || fate.is_created {
                continue;
            }
            let role = self.plugin(at, true).and_then(SignalRole::of);
            let Some(SignalRole::WaitsFor(property)) = role else { continue };
            let handle = self.part(at, true, property).and_then(|it| it.resource);
            let Some(handle) = handle.filter(|it| self.stays(it)) else { continue };
            if self.changes(at, "count") || self.changes(at, "Count") {
                continue;
            }
            let makers = makers.get_or_init(|| self.makers());
            if makers.is_empty() {
                return;
            }
            for user in self.signalers(at, &handle) {
                let Some(&of) = self.positions.get(user).filter(|_| makers.contains(user)) else {
                    continue;
                };
                let row = self.plugin(of, true).and_then(|it| ROWS.get(it));
                let is_stack = self.resources[of].decided.is_stack;
                let is_machine = self.resources[of].decided.role == ResourceRole::Server;
                if !(is_machine || is_stack || row.is_some_and(|it| it.deployment)) {
                    continue;
                }
                let fate = self.fates[of];
                found[of].push(MachineEffect {
                    kind: MachineEffectKind::NotAwaited,
                    is_certain: fate.is_certain && !is_stack,
                    on: Some(self.name(at).to_owned()),
                    because: "the signals of before still count, so that the update is complete before the new one is ready".to_owned(),
                });
            }
        }
    }
}

impl EffectRow {
    fn on(&self, is_certain: bool, on: Option<String>) -> MachineEffect {
        MachineEffect { kind: self.kind, is_certain, on, because: self.what.to_owned() }
    }
}

/// Whether each item of a list is in another one. An empty list stands for what the service chooses, which is none of the new items.
fn grows(old: &[Value], new: &[Value]) -> Ternary {
    let is_in = |item: &Value| {
        let equal = new.iter().map(|it| same(item, it));
        equal.fold(Ternary::No, Ternary::or)
    };
    let start = if old.is_empty() { Ternary::No } else { Ternary::Yes };
    old.iter().map(is_in).fold(start, Ternary::and)
}

/// Whether a list of actions has this one.
pub(super) fn lists_action(actions: Option<&Value>, wanted: &str) -> Ternary {
    match actions.map(Value::unsealed) {
        Some(Value::List(items))
            if items.iter().any(|it| *it.unsealed() == Value::text(wanted)) =>
        {
            Ternary::Yes
        }
        Some(Value::List(items)) if items.iter().any(Value::holds_unknown) => Ternary::Unknown,
        Some(Value::Unknown(_)) => Ternary::Unknown,
        _ => Ternary::No,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use heat_template::schema::{ResourceType, Schema, UpdateEffects};

    /// Someone has read what the plugin does for each property of a type that has a row.
    #[test]
    fn every_property_that_is_updated_has_an_effect_or_is_quiet() {
        let mut count = 0;
        for (kind, row) in ROWS.iter() {
            let of: Vec<&ResourceType> =
                Schema::all().filter_map(|release| release.types.get(kind)).collect();
            let has = |name: &str, is_updated: bool| {
                let mut found = of.iter().filter_map(|it| it.property(name));
                found.any(|it| !is_updated || it.update_allowed && !it.immutable)
            };
            let changes = row.effects.iter().flat_map(|it| it.changes.iter().copied());
            let listed: Vec<&str> = row.quiet.iter().copied().chain(changes).collect();
            for name in &listed {
                assert!(has(name, true), "{kind}.{name} is never updated");
            }
            for name in &row.quiet {
                let times = listed.iter().filter(|it| *it == name).count();
                assert_eq!(times, 1, "{kind}.{name}");
            }
            for (name, property) in of.iter().flat_map(|it| it.properties.iter()) {
                let is_updated = property.update_allowed && !property.immutable;
                count += usize::from(is_updated);
                let is_listed = !is_updated || listed.contains(name);
                assert!(is_listed, "{kind}.{name}: read `handle_update`, and list it");
            }
            for effect in &row.effects {
                let named = effect.on.into_iter().chain(effect.only_while.map(|it| it.0));
                named.for_each(|name| assert!(has(name, false), "{kind}.{name}"));
                let causes = [!effect.changes.is_empty(), effect.metadata, effect.gone];
                assert_eq!(causes.iter().filter(|it| **it).count(), 1, "{kind}: {}", effect.what);
            }
        }
        assert!(count > 150, "{count}");
    }

    #[test]
    fn users_have_keys_of_a_space() {
        let spaces: Vec<&str> = Schema::heat()
            .types
            .names()
            .filter_map(UpdateEffects::of)
            .flat_map(|it| it.keys.iter().map(|key| key.space))
            .collect();
        let users = ROWS.iter().flat_map(|(_, row)| &row.effects).filter_map(|it| it.users);
        users.for_each(|space| assert!(spaces.contains(&space), "{space}"));
    }
}
