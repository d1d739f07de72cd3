//! Firewalls: rules that allow or deny traffic, in the order of a policy; the first matching rule decides.
//!
//! A policy whose rules are all resources of the same stack is evaluated as a whole. If it has other rules, nothing says what they match:
//! any change of the list or its order may allow more. A rule that belongs to no policy of the first kind is evaluated by itself.

use std::collections::HashSet;

use indexmap::IndexMap;

use crate::comparison::{AccessChange, Pair, Places, SecurityChange, SecurityKind};
use heat_engine::eval::Value;

use super::SideKind;
use super::resource_side::{self, OpaqueValue, ReadContent, ReadList, ReadValue, ResourceSide};
use super::rules::{self, RuleEffect, RuleSet, TrafficRule};
use super::traffic_set::{Axis, Interval, TooManySets, TrafficSet, difference};
use super::{address, protocol};
use heat_engine::security_rule::AddressFamily;

/// The firewall rules and policies of both sides.
#[derive(Default)]
pub(super) struct Firewalls {
    rules: IndexMap<String, Pair<Option<FirewallRule>>>,
    policies: IndexMap<String, Pair<Option<FirewallPolicy>>>,
}

#[derive(Clone)]
struct FirewallRule {
    /// Whether it allows what it matches.
    is_allow: bool,
    rule: TrafficRule,
}

/// The ordered rules of a policy.
struct FirewallPolicy {
    /// The full names of the rules; `None` unless all are resources of the same stack.
    rules: Option<Vec<String>>,
    /// Each rule, equal for equal ones.
    keys: Vec<String>,
    span: Option<source_diagnostics::Span>,
}

impl Firewalls {
    pub(super) fn add(&mut self, whole: &str, side: &ResourceSide<'_>, when: SideKind) {
        match side.resource_type {
            "OS::Neutron::FirewallRule" => {
                let pair = self.rules.entry(whole.to_owned()).or_default();
                *when.of(pair) = firewall_rule(whole, side);
            }
            "OS::Neutron::FirewallPolicy" => {
                let (rules, keys) = members(side);
                let policy =
                    FirewallPolicy { rules, keys, span: side.property_span("firewall_rules") };
                let pair = self.policies.entry(whole.to_owned()).or_default();
                *when.of(pair) = Some(policy);
            }
            _ => {}
        }
    }

    /// The traffic that firewalls newly allow or no longer allow.
    pub(super) fn compare(&self) -> Vec<SecurityChange> {
        let mut changes = Vec::new();
        let mut within: HashSet<&str> = HashSet::new();
        for (whole, pair) in &self.policies {
            let known =
                |policy: &Option<FirewallPolicy>| policy.as_ref().is_none_or(|p| p.rules.is_some());
            let may_widen = |message: &str| SecurityChange {
                resource: whole.clone(),
                kind: SecurityKind::Rule,
                access: AccessChange::MayWiden,
                message: message.to_owned(),
                places: Places {
                    old: pair.old.as_ref().and_then(|policy| policy.span),
                    new: pair.new.as_ref().and_then(|policy| policy.span),
                },
            };
            if !known(&pair.old) || !known(&pair.new) {
                if let (Some(old), Some(new)) = (&pair.old, &pair.new)
                    && old.keys != new.keys
                {
                    changes.push(may_widen(
                        "the rules of the policy or their order change; it is unknown whether that allows more traffic",
                    ));
                }
                continue;
            }
            for policy in [&pair.old, &pair.new].into_iter().flatten() {
                within.extend(policy.rules.iter().flatten().map(String::as_str));
            }
            let sides = [(&pair.old, SideKind::Old), (&pair.new, SideKind::New)];
            let [old, new] = sides.map(|(policy, when)| self.allowed(policy.as_ref(), when));
            match (old, new) {
                (Ok(old), Ok(new)) => {
                    changes.extend(rules::compare(whole, &old, &new, &rules::ALLOW));
                }
                (Err(TooManySets), _) | (_, Err(TooManySets)) => changes
                    .push(may_widen("the policy has too many rules to tell what it lets through")),
            }
        }
        for (whole, pair) in &self.rules {
            if within.contains(whole.as_str()) {
                continue;
            }
            for (allows, words) in [(true, &rules::ALLOW), (false, &rules::DENY)] {
                let [old, new] = [&pair.old, &pair.new].map(|judged| {
                    let mut rules = RuleSet::default();
                    if let Some(judged) = judged {
                        rules.span = judged.rule.span;
                        if judged.is_allow == allows {
                            rules.push(judged.rule.clone());
                        }
                    }
                    rules
                });
                changes.extend(rules::compare(whole, &old, &new, words));
            }
        }
        changes
    }

    /// The traffic that a policy allows: each rule without the traffic that preceding rules decide.
    fn allowed(
        &self,
        policy: Option<&FirewallPolicy>,
        when: SideKind,
    ) -> Result<RuleSet, TooManySets> {
        let mut allowed = RuleSet::default();
        let Some(policy) = policy else { return Ok(allowed) };
        allowed.span = policy.span;
        let mut decided: Vec<TrafficSet> = Vec::new();
        for name in policy.rules.iter().flatten() {
            let Some(pair) = self.rules.get(name) else { continue };
            let Some(judged) = when.get(pair) else { continue };
            let rule = &judged.rule;
            match &rule.effect {
                RuleEffect::Traffic(regions) => {
                    if judged.is_allow {
                        let lets = RuleEffect::Traffic(difference(regions, &decided)?);
                        allowed.push(TrafficRule { effect: lets, ..rule.clone() });
                    }
                    decided.extend(regions);
                }
                RuleEffect::Peer(..) | RuleEffect::Unknown(_) | RuleEffect::Refused(_) => {
                    allowed.push(rule.clone())
                }
            }
        }
        Ok(allowed)
    }
}

/// The full names of a policy's rules, if all are resources of its stack, and a text for each that is equal for equal rules.
fn members(side: &ResourceSide<'_>) -> (Option<Vec<String>>, Vec<String>) {
    let property = "firewall_rules";
    let parts = match side.list(property) {
        ReadList::Absent => return (Some(Vec::new()), Vec::new()),
        ReadList::Other(value) => return (None, vec![side.key(&value)]),
        ReadList::Parts(parts) => parts,
    };
    let (mut names, mut keys) = (Some(Vec::new()), Vec::new());
    for part in &parts {
        let (name, key) = match &part.content {
            ReadContent::Item(item) => {
                let written = side.written_item(property, part.position);
                let name = side.referenced_resource(&side.read(item), written);
                let key =
                    name.as_ref().map_or_else(|| side.key(item), |it| format!("resource {it}"));
                (name.filter(|_| part.guard.is_empty()), key)
            }
            ReadContent::Rest(rest) => (None, rest.key.clone()),
        };
        keys.push(format!("{}{key}", part.guard));
        names = names.zip(name).map(|(mut names, name)| {
            names.push(name);
            names
        });
    }
    (names, keys)
}

/// Reads a rule; `None` if it is disabled.
fn firewall_rule(whole: &str, side: &ResourceSide<'_>) -> Option<FirewallRule> {
    let place = side.name_span();
    let of = |lets, allows| {
        Some(FirewallRule {
            is_allow: allows,
            rule: TrafficRule {
                effect: lets,
                guard: String::new(),
                resource: whole.to_owned(),
                span: place,
            },
        })
    };
    let opaque = |opaque: OpaqueValue, allows| of(RuleEffect::Unknown(opaque), allows);
    match side.property("enabled") {
        ReadValue::Known(value) if resource_side::truth(&value) == Some(false) => return None,
        ReadValue::Opaque(found) => return opaque(found, true),
        ReadValue::Known(_) | ReadValue::Absent => {}
    }
    let allows = match side.property("action") {
        ReadValue::Absent => false,
        ReadValue::Known(value) => *value == Value::text("allow"),
        ReadValue::Opaque(found) => return opaque(found, true),
    };
    match traffic_sets(side) {
        Ok(regions) => of(RuleEffect::Traffic(regions), allows),
        Err(lets) => of(*lets, allows),
    }
}

/// The traffic that a rule matches.
fn traffic_sets(side: &ResourceSide<'_>) -> Result<Vec<TrafficSet>, Box<RuleEffect>> {
    let family = match text(side, "ip_version")?.as_deref() {
        None | Some("4") => AddressFamily::V4,
        Some("6") => AddressFamily::V6,
        Some(other) => return Err(refused(other, "is not an IP version")),
    };
    let mut region = TrafficSet::all(family);
    if let Some(name) = text(side, "protocol")? {
        let numbers =
            protocol::numbers(&name, family).ok_or_else(|| refused(&name, "is not a protocol"))?;
        region = region.with(Axis::Protocol, numbers);
    }
    for (property, axis) in
        [("source_ip_address", Axis::Peer), ("destination_ip_address", Axis::LocalAddress)]
    {
        if let Some(written) = text(side, property)? {
            match address::range(&written) {
                Some((of, range)) if of == family => region = region.with(axis, range),
                Some(_) => return Err(refused(&written, "is of another address family")),
                None => return Err(refused(&written, "is not a network")),
            }
        }
    }
    for (property, axis) in [("source_port", Axis::SourcePort), ("destination_port", Axis::Port)] {
        if let Some(written) = text(side, property)? {
            let range = ports(&written).ok_or_else(|| refused(&written, "is not a port range"))?;
            region = region.with(axis, range);
        }
    }
    Ok(vec![region])
}

fn refused(value: &str, why: &str) -> Box<RuleEffect> {
    Box::new(RuleEffect::Refused(OpaqueValue {
        key: value.to_owned(),
        shown: format!("`{value}` {why}"),
        unknown: false,
        reference: None,
    }))
}

/// A property that is a text; `None` if it is empty.
fn text(side: &ResourceSide<'_>, property: &str) -> Result<Option<String>, Box<RuleEffect>> {
    match side.property(property) {
        ReadValue::Absent => Ok(None),
        ReadValue::Opaque(opaque) => Err(Box::new(RuleEffect::Unknown(opaque))),
        ReadValue::Known(value) => match resource_side::text(&value) {
            Some(text) => Ok(Some(text).filter(|text| !text.is_empty())),
            None => Err(refused(property, "is not a string")),
        },
    }
}

/// Parses `80`, `8000:9000` or `8000-9000`.
fn ports(text: &str) -> Option<Interval> {
    let (first, last) = text.split_once([':', '-']).unwrap_or((text, text));
    let port = |text: &str| text.trim().parse::<u16>().ok().map(u128::from);
    let (first, last) = (port(first)?, port(last)?);
    (first <= last).then(|| Interval::new(first, last))
}
