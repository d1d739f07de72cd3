//! Hazards that are not about one key: what a replacement takes away first, deletions that a service refuses, lists with two owners,
//! and waiting for signals.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};

use heat_engine::eval::{Value, python};
use heat_template::schema::{BrokenUpdateKind, SignalRole};

use super::HazardFinder;
use super::keys::{KeyPart, member_of};
use super::machines::lists_action;
use super::sentences::hazard;
use super::{Hazard, HazardKind};
use crate::comparison::{DefinitionPart, Impact};
use crate::equality::Ternary;
use crate::impact::PropertyView;
use crate::roles::{DataEffect, ResourceRole};

/// How many names a sentence has.
const MAX_NAMES: usize = 3;

const SUBNET: &str = "OS::Neutron::Subnet";
const GROUP: &str = "OS::Neutron::SecurityGroup";
const ROUTER: &str = "OS::Neutron::Router";

/// The parts of a security group rule, as an item of a group's `rules` names them.
const RULE: [&str; 7] = [
    "direction",
    "ethertype",
    "protocol",
    "port_range_min",
    "port_range_max",
    "remote_ip_prefix",
    "remote_group_id",
];

impl HazardFinder<'_> {
    pub(super) fn special(&mut self, data: &[Option<DataEffect>]) {
        let changed = |it: &usize| self.resources[*it].effective_impact < Impact::NoopUpdate;
        let changed: Vec<usize> = (0..self.resources.len()).filter(changed).collect();
        for at in &changed {
            self.of_type(*at);
            self.deletion_script(*at);
        }
        self.waiting(&changed);
        self.unplugged();
        self.deleted_data(data);
        self.rules_of_groups();
        self.users_of_subnets();
        self.gateways();
        self.stateful_groups();
    }

    pub(super) fn view(&self, at: usize, is_new: bool) -> Option<PropertyView> {
        let sides = &self.definitions[at];
        let definition = if is_new { &sides.new } else { &sides.old };
        definition.as_ref()?.property_view()
    }

    pub(super) fn plugin(&self, at: usize, is_new: bool) -> Option<&'static str> {
        let sides = &self.definitions[at];
        if is_new { &sides.new } else { &sides.old }.as_ref()?.plugin()
    }

    /// A property as a part of a key.
    pub(super) fn part(&self, at: usize, is_new: bool, property: &str) -> Option<KeyPart> {
        let view = self.view(at, is_new)?;
        self.value(at, is_new, view.get(property)?.as_ref().ok()?)
    }

    fn value(&self, at: usize, is_new: bool, value: &Value) -> Option<KeyPart> {
        let reader = self.reader(is_new);
        let (stack, _) = reader.flow.find(self.name(at))?;
        reader.value(value, stack)
    }

    /// Whether a property changes in place.
    pub(super) fn changes(&self, at: usize, property: &str) -> bool {
        let reasons = &self.resources[at].decided.reasons;
        let part = DefinitionPart::Property(property.to_owned());
        reasons.iter().any(|it| it.part == part && it.impact < Impact::NoopUpdate)
    }

    fn is_update(&self, at: usize) -> bool {
        self.resources[at].effective_impact == Impact::Update
    }

    fn add(&mut self, at: usize, hazard: Hazard) {
        self.found[at].push(hazard);
    }

    /// What the row of the type says about the resource alone.
    fn of_type(&mut self, at: usize) {
        let (fate, name) = (self.fates[at], self.name(at));
        let effects = self.effects[at];
        if let Some(refused) = effects.old.and_then(|it| it.deletion_refused.as_ref())
            && (fate.is_removed || fate.is_replaced)
            && !fate.is_retained
        {
            let view = self.view(at, false);
            let value = view.as_ref().and_then(|it| it.get(refused.property)?.as_ref().ok());
            let is_known = value.is_none_or(|it| !it.holds_unknown());
            if value.is_none_or(|it| !is_known || python::truthy(it) != refused.equals) {
                let object = format!("the deletion of `{name}`");
                let is_certain = fate.is_certain && is_known && !self.has_failed(at);
                let because = refused.why.to_owned();
                let kind = HazardKind::Refused;
                self.add(at, hazard(kind, is_certain, object, None, because, refused.instead));
            }
        }
        let Some(new) = effects.new.filter(|_| self.is_update(at)) else { return };
        for change in new.changes.iter() {
            if self.changes(at, change.property) {
                let kind = match change.kind {
                    BrokenUpdateKind::Lost => HazardKind::Lost,
                    BrokenUpdateKind::Refused => HazardKind::Refused,
                };
                let (object, because) = (change.object.to_owned(), change.why.to_owned());
                self.add(at, hazard(kind, true, object, None, because, change.instead));
            }
        }
        for property in self.removed(at) {
            let (kind, object, because, instead) = if new.removed.limits {
                let because = "a limit that leaves the template keeps its value in the service: Heat says that the quota is updated";
                let object = format!("the default limit of `{property}`");
                (HazardKind::Lost, object, because, "write the limit that is wanted")
            } else if new.removed.refused.contains(&property.as_str()) {
                let because =
                    "Heat sends null for a property that leaves the template, which is refused";
                let object = format!("the removal of `{property}`");
                (HazardKind::Refused, object, because, "write the value that is wanted")
            } else {
                continue;
            };
            self.add(at, hazard(kind, true, object, None, because.to_owned(), instead));
        }
    }

    /// The properties that have a value in the old template, and none in the new one.
    fn removed(&self, at: usize) -> Vec<String> {
        let (Some(was), Some(is)) = (self.view(at, false), self.view(at, true)) else {
            return Vec::new();
        };
        let had = was.iter().filter(|(_, value)| !matches!(value, Ok(Value::Null) | Err(_)));
        had.map(|(name, _)| name.to_owned())
            .filter(|name| matches!(is.get(name), Some(Ok(Value::Null))))
            .collect()
    }

    /// The properties that leave the template and that the service keeps.
    pub(super) fn kept(&self, at: usize) -> Vec<String> {
        let kept = self.effects[at].new.map_or(&[][..], |it| &it.removed.kept);
        let removed = if kept.is_empty() { Vec::new() } else { self.removed(at) };
        removed.into_iter().filter(|it| kept.contains(&it.as_str())).collect()
    }

    /// A script that is to run at the deletion, on a server that is gone by then.
    fn deletion_script(&mut self, at: usize) {
        let (fate, name) = (self.fates[at], self.name(at));
        if let Some(server) = self.effects[at].old.and_then(|it| it.deletion_runs_on)
            && fate.is_replaced
            && let Some(view) = self.view(at, false)
        {
            let text = |name: &str| match view.get(name) {
                Some(Ok(value)) => Some(value.unsealed().clone()),
                _ => None,
            };
            let runs = lists_action(view.get("actions").and_then(|it| it.as_ref().ok()), "DELETE");
            let is_signaled = text("signal_transport") != Some(Value::text("NO_SIGNAL"));
            let on = self.part(at, false, server).and_then(|it| it.resource);
            let other = on.as_deref().and_then(|it| self.positions.get(it).copied());
            if let Some(other) = other.filter(|it| self.fates[*it].is_replaced)
                && runs != Ternary::No
                && is_signaled
            {
                let object = format!("the script for the deletion of `{name}`");
                let server = self.name(other);
                let because = format!(
                    "`{server}` is replaced and has no network by then, so that the script can never report"
                );
                let instead = "take DELETE out of `actions` in an update before";
                let is_certain =
                    fate.is_certain && self.fates[other].is_certain && runs == Ternary::Yes;
                let kind = HazardKind::Waits;
                self.add(at, hazard(kind, is_certain, object, Some(server), because, instead));
            }
        }
    }

    /// Wait conditions for which signals are wanted that nothing sends again.
    fn waiting(&mut self, changed: &[usize]) {
        let found: Vec<(usize, Hazard)> = {
            let makers = OnceCell::new();
            let waiting = |at: &usize| {
                let hazard = self.wait_in_vain(*at, || makers.get_or_init(|| self.makers()))?;
                Some((*at, hazard))
            };
            changed.iter().filter_map(waiting).collect()
        };
        found.into_iter().for_each(|(at, hazard)| self.add(at, hazard));
    }

    fn wait_in_vain<'m>(
        &self,
        at: usize,
        makers: impl Fn() -> &'m HashSet<&'m str>,
    ) -> Option<Hazard> {
        let fate = self.fates[at];
        let SignalRole::WaitsFor(property) = SignalRole::of(self.plugin(at, true)?)? else {
            return None;
        };
        let (old, new) = (self.part(at, false, property)?, self.part(at, true, property)?);
        let handle = new.resource.as_deref()?;
        let is_new = |it: &str| {
            let position = self.positions.get(it).map(|at| self.fates[*at]);
            position.is_some_and(|it| it.is_created || it.is_replaced)
        };
        let is_other = old.text != new.text || is_new(handle);
        // Without a number, the count is unknown.
        let count = |is_new| {
            let view = self.view(at, is_new)?;
            let value = view.get("count").or_else(|| view.get("Count"))?.as_ref().ok()?;
            Some(python::int(value.unsealed()).ok().map(|it| python::to_big(&it)))
        };
        let is_more = match (count(false), count(true)) {
            (Some(Some(old)), Some(Some(new))) if new > old => Ternary::Yes,
            (Some(Some(_)), Some(Some(_))) | (None, _) | (_, None) => Ternary::No,
            (Some(_), Some(_)) if self.changes(at, "count") || self.changes(at, "Count") => {
                Ternary::Unknown
            }
            (Some(_), Some(_)) => Ternary::No,
        };
        let is_replaced = is_other && fate.is_replaced;
        if !is_replaced && is_more == Ternary::No || self.has_new_signals(at, handle, makers()) {
            return None;
        }
        let object = format!("`{}`", self.name(at));
        let because = "nothing that signals is created or replaced in this update, so that no further signal comes".to_owned();
        let instead = "leave the count and the handle as they are, or replace what signals too";
        let is_certain = is_replaced && fate.is_certain || is_more == Ternary::Yes;
        let kind = HazardKind::Waits;
        Some(hazard(kind, is_certain, object, Some(handle), because, instead))
    }

    /// Whether something that uses a handle is created or replaced, which signals again.
    fn has_new_signals(&self, at: usize, handle: &str, makers: &HashSet<&str>) -> bool {
        self.signalers(at, handle).into_iter().any(|it| it != handle && makers.contains(it))
    }

    /// What may signal to a handle for this wait condition: it uses the handle, and does not wait for the condition itself.
    pub(super) fn signalers<'e>(&'e self, at: usize, handle: &'e str) -> Vec<&'e str> {
        let later = self.update_order().dependents(self.name(at));
        let users = self.update_order().dependents(handle).into_iter();
        users.filter(|it| !later.contains(it)).collect()
    }

    /// What is created or replaced and does not itself wait for signals, with the resources that represent the stacks around it.
    pub(super) fn makers(&self) -> HashSet<&str> {
        let mut makers = HashSet::new();
        for at in 0..self.resources.len() {
            let is_new = self.fates[at].is_created || self.fates[at].is_replaced;
            if is_new && !self.plugin(at, true).is_some_and(SignalRole::waits) {
                let name = self.name(at);
                makers.extend(name.match_indices('/').map(|(slash, _)| &name[..slash]));
                makers.insert(name);
            }
        }
        makers
    }

    // --- what is taken away before there is a new one -----------------------------------------

    fn unplugged(&mut self) {
        let mut groups: HashMap<&str, Vec<usize>> = HashMap::new();
        let mut ports: HashSet<String> = HashSet::new();
        for at in 0..self.resources.len() {
            if !self.fates[at].is_replaced && !self.fates[at].is_removed {
                let keys = self.keys(at, false).into_iter();
                let used = keys.filter(|it| it.row.space == "port in use" && it.row.freed);
                ports.extend(used.filter_map(|it| it.parts.first()?.resource.clone()));
            }
        }
        for at in 0..self.resources.len() {
            let fate = self.fates[at];
            let Some(unplugs) = self.effects[at].old.and_then(|it| it.unplugs.as_ref()) else {
                continue;
            };
            if !fate.is_replaced {
                continue;
            }
            let name = self.name(at);
            if fate.is_retained {
                let keys = [self.keys(at, false), self.keys(at, true)];
                let text = |keys: &[super::ResolvedKey]| {
                    keys.iter().filter(|it| it.row.by_key).map(|it| it.text()).collect::<Vec<_>>()
                };
                let is_same = !text(&keys[0]).is_empty() && text(&keys[0]) == text(&keys[1]);
                if !is_same {
                    let what = unplugs.what.trim_start_matches("its ");
                    let object = match what == unplugs.what {
                        true => format!("the retained `{name}`"),
                        false => format!("the {what} of the retained `{name}`"),
                    };
                    let because = "Heat takes it from the old one before it makes the new one, whatever the deletion policy".to_owned();
                    let instead = "remove the resource in an update of its own, which leaves the retained one as it is";
                    let kind = HazardKind::Lost;
                    self.add(at, hazard(kind, fate.is_certain, object, None, because, instead));
                }
            }
            let is_shown = match unplugs.group {
                "server" => true,
                "port" => ports.contains(name),
                _ => false,
            };
            if is_shown {
                groups.entry(unplugs.group).or_default().push(at);
            }
        }
        for (group, all) in groups {
            let Some(&first) = all.first() else { continue };
            let what = self.effects[first].old.and_then(|it| it.unplugs.as_ref());
            let what = what.map_or("", |it| it.what.trim_start_matches("its "));
            let object = format!("the {what} of {}", self.names(&all, group));
            let because = format!(
                "Heat takes them off the old {group} before it makes the new one, and if that fails, the old one runs on without them"
            );
            let instead = match group {
                "server" => "check quota, image, flavor, key and host before",
                _ => "check that the rest of the update cannot fail before",
            };
            let is_certain = all.iter().any(|at| self.fates[*at].is_certain);
            let kind = HazardKind::NoWayBack;
            self.add(first, hazard(kind, is_certain, object, None, because, instead));
        }
    }

    fn names(&self, all: &[usize], group: &str) -> String {
        let names: Vec<String> =
            all.iter().take(MAX_NAMES).map(|at| format!("`{}`", self.name(*at))).collect();
        let noun = match (group, all.len()) {
            ("", _) => String::new(),
            (noun, 1) => format!("{noun} "),
            (noun, _) => format!("{noun}s "),
        };
        let more = match all.len().saturating_sub(MAX_NAMES) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        format!("{noun}{}{more}", names.join(", "))
    }

    /// Data is deleted while later resources may still fail.
    fn deleted_data(&mut self, data: &[Option<DataEffect>]) {
        let changed = |it: &super::PropagatedResource| it.effective_impact < Impact::NoopUpdate;
        if self.resources.iter().filter(|it| changed(it)).count() < 2 {
            return;
        }
        let lost: Vec<usize> = (0..self.resources.len())
            .filter(|at| {
                let is_deleted = self.fates[*at].is_removed || self.fates[*at].is_replaced;
                let is_data = self.resources[*at].decided.role == ResourceRole::Data;
                is_deleted && is_data && data.get(*at) == Some(&Some(DataEffect::Lost))
            })
            .collect();
        let Some(&first) = lost.first() else { return };
        let object = format!("the data of {}", self.names(&lost, ""));
        let because = "Heat deletes it before the rest of the update is done, and what a rollback makes again is empty".to_owned();
        let instead = "delete it in a later update of its own";
        let is_certain = lost.iter().any(|at| self.fates[*at].is_certain);
        let kind = HazardKind::NoWayBack;
        self.add(first, hazard(kind, is_certain, object, None, because, instead));
    }

    // --- one owns the list, another one adds to it --------------------------------------------

    /// The rules inside a group that changes, beside rules that are resources of their own.
    fn rules_of_groups(&mut self) {
        let mut by_group: HashMap<String, Vec<(usize, Vec<String>)>> = HashMap::new();
        let mut changed = Vec::new();
        for at in 0..self.resources.len() {
            if self.plugin(at, true) == Some(GROUP)
                && self.is_update(at)
                && self.changes(at, "rules")
            {
                changed.push(at);
            }
        }
        if changed.is_empty() {
            return;
        }
        for at in 0..self.resources.len() {
            for key in self.keys(at, false) {
                if key.row.space == "security group rule" {
                    let mut texts = key.parts.into_iter().map(|it| it.text);
                    let group = texts.next().unwrap_or_default();
                    by_group.entry(group).or_default().push((at, texts.collect()));
                }
            }
        }
        for at in changed {
            let group = format!("\u{1e}{}", self.name(at));
            let Some(rules) = by_group.get(&group) else { continue };
            let view = self.view(at, true);
            let inside: HashSet<Vec<String>> =
                match view.as_ref().and_then(|it| it.get("rules")?.as_ref().ok()) {
                    Some(value) => match value.unsealed() {
                        Value::List(items) => items.iter().map(|it| self.rule(at, it)).collect(),
                        _ => HashSet::new(),
                    },
                    None => HashSet::new(),
                };
            for (rule, content) in rules {
                let (fate, name) = (self.fates[*rule], self.name(*rule));
                let is_inside = inside.contains(content);
                if fate.is_replaced || is_inside != fate.is_removed || fate.is_retained {
                    continue;
                }
                let object = format!("the rule `{name}` of this group");
                let because = match is_inside {
                    true => format!("Heat finds the rule present and adds none, then it deletes `{name}`"),
                    false => "an update of `rules` deletes every rule of the group that is not in the list".to_owned(),
                };
                let instead = "keep all rules of a group in one place: in `rules`, or as resources";
                let kind = HazardKind::Lost;
                self.add(at, hazard(kind, true, object, Some(name), because, instead));
            }
        }
    }

    /// Security groups that keep track of connections from now on, or no longer, while something uses them.
    ///
    /// The service's rule: `update_security_group` in `neutron/db/securitygroups_db.py` (`SecurityGroupInUse`).
    fn stateful_groups(&mut self) {
        let is_stateful = |at, is_new| match self.view(at, is_new)?.get("stateful") {
            Some(Ok(value)) if *value.unsealed() != Value::Null => Some(python::truthy(value)),
            Some(_) | None => Some(true),
        };
        let changed: Vec<usize> = (0..self.resources.len())
            .filter(|at| {
                self.plugin(*at, true) == Some(GROUP)
                    && self.is_update(*at)
                    && self.changes(*at, "stateful")
                    && is_stateful(*at, false) != is_stateful(*at, true)
            })
            .collect();
        if changed.is_empty() {
            return;
        }
        let mut users: HashMap<String, usize> = HashMap::new();
        for at in 0..self.resources.len() {
            let groups = self
                .view(at, false)
                .and_then(|it| Some(it.get("security_groups")?.as_ref().ok()?.unsealed().clone()));
            let Some(Value::List(groups)) = groups else { continue };
            for group in groups.iter().filter_map(|it| self.value(at, false, it)?.resource) {
                // One that is removed may be gone before.
                let user = users.entry(group).or_insert(at);
                if self.fates[*user].is_removed {
                    *user = at;
                }
            }
        }
        for at in changed {
            let Some(&user) = users.get(self.name(at)) else { continue };
            let object = format!("the change of `stateful` of `{}`", self.name(at));
            let is_certain = !self.fates[user].is_removed && self.fates[at].is_certain;
            let user = self.name(user);
            let because = format!("`{user}` uses the group, and Neutron changes only unused ones");
            let instead = "make another group, and move its users there in an update before";
            let kind = HazardKind::Refused;
            self.add(at, hazard(kind, is_certain, object, Some(user), because, instead));
        }
    }

    fn rule(&self, at: usize, item: &Value) -> Vec<String> {
        let text = |name: &&str| {
            let member = member_of(item, name)?;
            self.value(at, true, &member).map(|it| it.text)
        };
        RULE.iter().map(|name| text(name).unwrap_or_default()).collect()
    }

    // --- deletions and changes that others hold back -------------------------------------------

    /// Subnets that go while something keeps an address in them without naming them.
    fn users_of_subnets(&mut self) {
        let mut of_network: HashMap<String, usize> = HashMap::new();
        let mut gone = Vec::new();
        for at in 0..self.resources.len() {
            if self.plugin(at, false) != Some(SUBNET) {
                continue;
            }
            let Some(network) = self.part(at, false, "network") else { continue };
            *of_network.entry(network.text.clone()).or_default() += 1;
            let fate = self.fates[at];
            if (fate.is_removed || fate.is_replaced) && !fate.is_retained {
                gone.push((at, network.text));
            }
        }
        if gone.is_empty() {
            return;
        }
        let mut users: HashMap<String, usize> = HashMap::new();
        for at in 0..self.resources.len() {
            let fate = self.fates[at];
            if fate.is_removed || fate.is_replaced || fate.is_created {
                continue;
            }
            let both = [false, true].map(|side| self.unnamed_networks(at, side));
            for network in both[0].iter().filter(|it| both[1].contains(it)) {
                users.entry(network.clone()).or_insert(at);
            }
        }
        for (at, network) in gone {
            let Some(&user) = users.get(&network) else { continue };
            let is_only = of_network.get(&network) == Some(&1);
            let (object, user) = (format!("the deletion of `{}`", self.name(at)), self.name(user));
            let because =
                format!("`{user}` keeps its address in the subnet, which it does not name");
            let instead = "name the subnet where it is used, in an update before";
            let is_certain = self.fates[at].is_certain && is_only;
            let kind = HazardKind::Refused;
            self.add(at, hazard(kind, is_certain, object, Some(user), because, instead));
        }
    }

    /// The networks that a port or a server has an address in, without naming the subnet.
    fn unnamed_networks(&self, at: usize, is_new: bool) -> Vec<String> {
        let plugin = self.plugin(at, is_new);
        if !matches!(plugin, Some("OS::Neutron::Port" | "OS::Nova::Server")) {
            return Vec::new();
        }
        let Some(view) = self.view(at, is_new) else { return Vec::new() };
        let items = |name: &str| match view.get(name) {
            Some(Ok(value)) => match value.unsealed() {
                Value::List(items) => items.to_vec(),
                _ => Vec::new(),
            },
            _ => Vec::new(),
        };
        let has = |item: &Value, name: &str| {
            member_of(item, name).is_some_and(|it| *it.unsealed() != Value::Null)
        };
        let networks: Vec<Value> = match plugin {
            Some("OS::Neutron::Port") => {
                let is_named = items("fixed_ips").iter().any(|it| has(it, "subnet"));
                let network = view.get("network").and_then(|it| it.as_ref().ok());
                network.filter(|_| !is_named).cloned().into_iter().collect()
            }
            _ => {
                let networks = items("networks");
                let free = networks.iter().filter(|it| !has(it, "port") && !has(it, "subnet"));
                free.filter_map(|it| member_of(it, "network")).collect()
            }
        };
        let part = |value: &Value| {
            let part = self.value(at, is_new, value)?;
            let is_other = part.resource.as_deref().map(|it| self.is_other_object(it));
            let stays = !is_new || is_other.is_none_or(|it| it == Ternary::No);
            stays.then_some(part.text)
        };
        networks.iter().filter_map(part).collect()
    }

    /// Routers whose external network changes while floating IPs are in use behind it.
    fn gateways(&mut self) {
        let network = |at, is_new| -> Option<KeyPart> {
            let view = self.view(at, is_new)?;
            let info = view.get("external_gateway_info")?.as_ref().ok()?;
            self.value(at, is_new, &member_of(info, "network")?)
        };
        let mut changed = Vec::new();
        let mut routers: HashMap<String, usize> = HashMap::new();
        for at in 0..self.resources.len() {
            if self.plugin(at, false) != Some(ROUTER) {
                continue;
            }
            let Some(old) = network(at, false) else { continue };
            *routers.entry(old.text.clone()).or_default() += 1;
            let new = network(at, true).unwrap_or_default();
            if self.is_update(at)
                && self.changes(at, "external_gateway_info")
                && old.text != new.text
            {
                changed.push((at, old.text, !old.is_unknown && !new.is_unknown));
            }
        }
        if changed.is_empty() {
            return;
        }
        let mut in_use: HashMap<String, usize> = HashMap::new();
        let mut associated: HashSet<String> = HashSet::new();
        for at in 0..self.resources.len() {
            for key in self.keys(at, false) {
                if key.row.space == "port of a floating IP" {
                    associated.extend(key.parts.into_iter().filter_map(|it| it.resource));
                }
            }
        }
        for at in 0..self.resources.len() {
            let is_floating_ip = self.plugin(at, false) == Some("OS::Neutron::FloatingIP");
            let is_used = is_floating_ip
                && !self.fates[at].is_removed
                && (self.part(at, false, "port_id").is_some()
                    || associated.contains(self.name(at)));
            if is_used && let Some(network) = self.part(at, false, "floating_network") {
                in_use.entry(network.text).or_insert(at);
            }
        }
        for (at, network, is_known) in changed {
            let Some(&user) = in_use.get(&network) else { continue };
            let is_only = routers.get(&network) == Some(&1);
            let object = format!("the other external network of `{}`", self.name(at));
            let user = self.name(user);
            let because = format!("the floating IP `{user}` is in use behind the old one");
            let instead = "take the floating IPs off their ports in an update before";
            let kind = HazardKind::Refused;
            self.add(at, hazard(kind, is_known && is_only, object, Some(user), because, instead));
        }
    }
}
