//! Rules as Neutron interprets them, and security groups with the rules that belong to them.
//!
//! [`SecurityRule`] decodes a rule; here it becomes traffic. A group allows all egress unless it has egress
//! rules of its own; a rule without a peer applies to everybody.

use std::cell::Cell;
use std::sync::Arc;

use indexmap::IndexMap;

use crate::comparison::{Pair, SecurityChange};
use heat_engine::eval::{Map, Value};
use heat_engine::security_rule::{
    AddressFamily, Direction, Protocol, RemoteEnd, SecurityRule, Undecoded,
};
use heat_template::ir::{Expr, ExprKind};

use super::SideKind;
use super::resource_side::{
    self, OpaqueValue, ReadContent, ReadList, ReadPart, ReadValue, ResourceSide,
};
use super::rules::{self, Peer, RuleEffect, RuleSet, TrafficRule};
use super::traffic_set::{Axis, Interval, TrafficSet};
use super::{address, protocol};

/// Security groups by identity; those of the template by full name.
#[derive(Default)]
pub(super) struct SecurityGroups {
    groups: IndexMap<String, SecurityGroup>,
}

#[derive(Default)]
struct SecurityGroup {
    rules: Pair<RuleSet>,
    /// The rules of a group by default; `None` if the group is not a resource of the template.
    defaults: Pair<Option<Vec<TrafficRule>>>,
    /// The first resource that refers to it.
    resource: String,
}

impl SecurityGroups {
    /// Adds one side of a resource; `whole` is its full name.
    pub(super) fn add(&mut self, whole: &str, side: &ResourceSide<'_>, when: SideKind) {
        match side.resource_type {
            "OS::Neutron::SecurityGroup" => {
                let has_egress = Cell::new(false);
                let rules = list(whole, side, "rules", |map, written| {
                    let rule = SecurityRule::in_group(|name| side.member(map, name));
                    // An unknown direction may be egress.
                    let is_egress = !matches!(
                        rule.direction(),
                        Ok(Direction::Ingress) | Err(Undecoded::Refused(_))
                    );
                    has_egress.set(has_egress.get() || is_egress);
                    let written = |name: &str| written_member(written, name);
                    rule_effect(whole, side, &Value::Map(Arc::new(map.clone())), &rule, written)
                });
                let is_unknown = |it: &TrafficRule| matches!(it.effect, RuleEffect::Unknown(_));
                let egress = has_egress.get() || rules.iter().any(is_unknown);
                let group = self.group(&own_key(whole), whole);
                let place = side.property_span("rules");
                group.add(when, rules, place);
                *when.of(&mut group.defaults) =
                    Some(if egress { Vec::new() } else { defaults(whole, place) });
            }
            "AWS::EC2::SecurityGroup" => {
                let mut rules = Vec::new();
                for (property, direction) in [
                    ("SecurityGroupIngress", Direction::Ingress),
                    ("SecurityGroupEgress", Direction::Egress),
                ] {
                    rules.extend(list(whole, side, property, |map, written| {
                        let member = |name: &str| side.member(map, name);
                        let value = Value::Map(Arc::new(map.clone()));
                        let written = |name: &str| written_member(written, name);
                        match SecurityRule::of_amazon(direction, member) {
                            Ok(rule) => rule_effect(whole, side, &value, &rule, written),
                            Err(why) => refused(&value, why),
                        }
                    }));
                }
                let egress = !matches!(side.property("SecurityGroupEgress"), ReadValue::Absent)
                    && !is_empty(side, "SecurityGroupEgress");
                let group = self.group(&own_key(whole), whole);
                let place = side.property_span("SecurityGroupIngress");
                group.add(when, rules, place);
                *when.of(&mut group.defaults) =
                    Some(if egress { Vec::new() } else { defaults(whole, place) });
            }
            "OS::Neutron::SecurityGroupRule" => {
                let Some(key) = group_key(side) else { return };
                let place = side.name_span();
                let rule = TrafficRule {
                    effect: single_rule(whole, side),
                    guard: String::new(),
                    resource: whole.to_owned(),
                    span: place,
                };
                self.group(&key, whole).add(when, vec![rule], place);
            }
            _ => {}
        }
    }

    /// The rules of each group on one side, without the default ones.
    pub(super) fn rules(&self, when: SideKind) -> impl Iterator<Item = &RuleSet> {
        self.groups.values().map(move |group| match when {
            SideKind::Old => &group.rules.old,
            SideKind::New => &group.rules.new,
        })
    }

    fn group(&mut self, key: &str, whole: &str) -> &mut SecurityGroup {
        let group = self.groups.entry(key.to_owned()).or_default();
        if group.resource.is_empty() {
            whole.clone_into(&mut group.resource);
        }
        group
    }

    /// The traffic that a group newly allows or no longer allows.
    pub(super) fn compare(mut self) -> Vec<SecurityChange> {
        let mut changes = Vec::new();
        for group in self.groups.values_mut() {
            // The default egress of new and removed groups is no change.
            if let (Some(old), Some(new)) = (group.defaults.old.take(), group.defaults.new.take()) {
                group.rules.old.extend(old);
                group.rules.new.extend(new);
            }
            let Pair { old, new } = &group.rules;
            changes.extend(rules::compare(&group.resource, old, new, &rules::ALLOW));
        }
        changes
    }
}

impl SecurityGroup {
    fn add(
        &mut self,
        when: SideKind,
        rules: Vec<TrafficRule>,
        place: Option<source_diagnostics::Span>,
    ) {
        let own = when.of(&mut self.rules);
        own.extend(rules);
        own.span = own.span.or(place);
    }
}

fn own_key(whole: &str) -> String {
    format!("resource {whole}")
}

/// The group that a rule belongs to.
fn group_key(side: &ResourceSide<'_>) -> Option<String> {
    let property = "security_group";
    if let Some(name) = side.referenced_resource(&side.property(property), side.written(property)) {
        return Some(own_key(&name));
    }
    match side.property(property) {
        ReadValue::Absent => None,
        ReadValue::Known(value) => Some(format!("value {}", side.key(&value))),
        ReadValue::Opaque(opaque) => Some(format!("value {}", opaque.key)),
    }
}

/// The default egress rules of a group.
fn defaults(whole: &str, place: Option<source_diagnostics::Span>) -> Vec<TrafficRule> {
    let everything = AddressFamily::BOTH.map(|family| {
        let region = TrafficSet::all(family).with(Axis::Direction, Interval::one(1));
        TrafficRule {
            effect: RuleEffect::Traffic(vec![region]),
            guard: String::new(),
            resource: whole.to_owned(),
            span: place,
        }
    });
    everything.to_vec()
}

fn is_empty(side: &ResourceSide<'_>, property: &str) -> bool {
    matches!(side.value(property), Some(Value::List(items)) if items.is_empty())
}

/// The rules of a list: each item that is known is judged, and each unknown part is one unknown rule.
pub(super) fn list(
    whole: &str,
    side: &ResourceSide<'_>,
    property: &str,
    lets: impl Fn(&Map, Option<&Expr>) -> RuleEffect,
) -> Vec<TrafficRule> {
    let rule =
        |effect, guard, span| TrafficRule { effect, guard, resource: whole.to_owned(), span };
    let parts = match side.list(property) {
        ReadList::Absent => return Vec::new(),
        ReadList::Other(value) => {
            let refused = refused(&value, "which is not a list");
            return vec![rule(refused, String::new(), side.property_span(property))];
        }
        ReadList::Parts(parts) => parts,
    };
    let mut found = Vec::new();
    for ReadPart { content, guard, position } in parts {
        let lets = match content {
            ReadContent::Rest(opaque) => RuleEffect::Unknown(opaque),
            ReadContent::Item(item) => match &item {
                Value::Null | Value::Elided => continue,
                Value::Map(map) => lets(map, side.written_item(property, position)),
                Value::Unknown(_) | Value::Secret(_) => RuleEffect::Unknown(side.opaque(&item)),
                other => refused(other, "which is not a map"),
            },
        };
        found.push(rule(lets, guard, side.item_span(property, position)));
    }
    found
}

/// A rule that the service refuses.
pub(super) fn refused(value: &Value, why: impl Into<String>) -> RuleEffect {
    RuleEffect::Refused(OpaqueValue {
        key: resource_side::key(value),
        shown: why.into(),
        unknown: false,
        reference: None,
    })
}

/// The expression of a map's member.
fn written_member<'a>(written: Option<&'a Expr>, name: &str) -> Option<&'a Expr> {
    let ExprKind::Map(pairs) = &written?.kind else { return None };
    pairs.iter().rev().find(|pair| pair.key.as_text() == Some(name)).map(|pair| &pair.value)
}

fn single_rule(whole: &str, side: &ResourceSide<'_>) -> RuleEffect {
    let value = match &side.resource.properties {
        heat_engine::eval::EvaluatedProperties::Each(each) => Value::Map(Arc::new(
            each.iter()
                .map(|(key, value)| (key.clone(), value.as_ref().map_or(Value::Null, Value::clone)))
                .collect(),
        )),
        heat_engine::eval::EvaluatedProperties::Whole(Ok(whole)) => whole.clone(),
        heat_engine::eval::EvaluatedProperties::Whole(Err(_)) => Value::Null,
    };
    match SecurityRule::of_resource(|name| side.property(name)) {
        Ok(rule) => rule_effect(whole, side, &value, &rule, |name| side.written(name)),
        Err(why) => refused(&value, why),
    }
}

/// A group that is the peer of a rule, or that applies to something.
pub(super) fn group(side: &ResourceSide<'_>, value: ReadValue<'_>, written: Option<&Expr>) -> Peer {
    if let Some(whole) = side.referenced_resource(&value, written) {
        let name = whole.rsplit('/').next().unwrap_or(&whole);
        let shown = format!("the group `{name}`");
        return Peer { key: own_key(&whole), shown, unbounded: false };
    }
    match value {
        ReadValue::Known(value) => {
            let shown = match resource_side::text(&value) {
                Some(text) => format!("the group `{text}`"),
                None => "a group".to_owned(),
            };
            Peer { key: format!("value {}", side.key(&value)), shown, unbounded: false }
        }
        ReadValue::Opaque(opaque) => Peer {
            shown: format!("a group ({})", opaque.shown),
            key: format!("value {}", opaque.key),
            unbounded: false,
        },
        ReadValue::Absent => {
            Peer { key: "none".to_owned(), shown: "no group".to_owned(), unbounded: false }
        }
    }
}

fn unknown(side: &ResourceSide<'_>, whole: &Value, part: &OpaqueValue) -> RuleEffect {
    RuleEffect::Unknown(OpaqueValue {
        key: side.key(whole),
        shown: part.shown.clone(),
        unknown: false,
        reference: None,
    })
}

/// The traffic of a rule: `value` is the whole rule, and `written` the expressions of its members.
fn rule_effect<'e>(
    whole_name: &str,
    side: &ResourceSide<'_>,
    value: &Value,
    rule: &SecurityRule<'_, OpaqueValue>,
    written: impl Fn(&str) -> Option<&'e Expr>,
) -> RuleEffect {
    let (family, region) = match traffic(rule) {
        Ok(traffic) => traffic,
        Err(Undecoded::Opaque(part)) => return unknown(side, value, part),
        Err(Undecoded::Refused(why)) => return refused(value, why),
    };
    let prefix = match &rule.remote {
        RemoteEnd::Prefix(prefix) => prefix,
        RemoteEnd::ByMode(mode) => return unknown(side, value, mode),
        RemoteEnd::OwnGroup => {
            let shown = "members of the group".to_owned();
            let peer = Peer { key: own_key(whole_name), shown, unbounded: false };
            return RuleEffect::Peer(Box::new(region), peer);
        }
        RemoteEnd::Group(name, peer) => {
            return RuleEffect::Peer(Box::new(region), group(side, peer.clone(), written(name)));
        }
    };
    match prefix {
        ReadValue::Opaque(opaque) => RuleEffect::Peer(Box::new(region), unbounded(opaque)),
        _ if prefix.is_empty() => RuleEffect::Traffic(vec![region]),
        ReadValue::Absent => RuleEffect::Traffic(vec![region]),
        ReadValue::Known(prefix) => match resource_side::text(prefix).as_deref() {
            Some(text) => match address::network(text) {
                Some((of, addresses)) if of == family => {
                    RuleEffect::Traffic(vec![region.with(Axis::Peer, addresses)])
                }
                Some(_) => refused(value, format!("`{text}` is of another address family")),
                None => refused(value, format!("`{text}` is not a network")),
            },
            None => refused(value, "its addresses are not strings"),
        },
    }
}

/// The traffic of a rule, from and to any address.
fn traffic<'r>(
    rule: &'r SecurityRule<'_, OpaqueValue>,
) -> Result<(AddressFamily, TrafficSet), Undecoded<'r, OpaqueValue>> {
    let direction = rule.direction()?;
    let family = rule.family()?;
    let protocol = rule.protocol(family)?;
    let ends = rule.ports()?.map(|port| port.map(u128::from));
    let ports = ports(protocol, ends).map_err(Undecoded::Refused)?;
    let region = TrafficSet::all(family)
        .with(Axis::Direction, Interval::one(u128::from(direction == Direction::Egress)))
        .with(Axis::Protocol, protocol::interval(protocol))
        .with(Axis::Port, ports);
    Ok((family, region))
}

/// Unknown addresses, as a named peer.
pub(super) fn unbounded(opaque: &OpaqueValue) -> Peer {
    Peer { key: format!("value {}", opaque.key), shown: opaque.shown.clone(), unbounded: true }
}

/// The ports between two bounds, or the types and codes of ICMP.
fn ports(protocol: Protocol, ends: [Option<u128>; 2]) -> Result<Interval, &'static str> {
    let of_type = |kind: u128| (kind <= 255).then_some(kind * 256);
    match ends {
        [None, None] => Ok(Interval::new(0, 65535)),
        _ if protocol.is_icmp() => match ends {
            [Some(kind), None] => of_type(kind)
                .map(|first| Interval::new(first, first + 255))
                .ok_or("its ICMP type is beyond 255"),
            [Some(kind), Some(code)] => of_type(kind)
                .filter(|_| code <= 255)
                .map(|first| Interval::one(first + code))
                .ok_or("its ICMP type or code is beyond 255"),
            [None, _] => Err("it has an ICMP code but no type"),
        },
        [Some(first), Some(last)] if first > last => {
            Err("its first port is greater than its last one")
        }
        // Neutron accepts these where they have no effect.
        [Some(0), Some(65535)] => Ok(Interval::new(0, 65535)),
        _ if !protocol.has_ports() => Err("it has ports, but its protocol has none"),
        [Some(first), Some(last)] => Ok(Interval::new(first, last)),
        [Some(_), None] | [None, Some(_)] => Err("it has only one end of a port range"),
    }
}
