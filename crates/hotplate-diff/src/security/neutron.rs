//! Rules as Neutron interprets them, and security groups with the rules that belong to them.
//!
//! Source: Heat's plugins for `OS::Neutron::SecurityGroup`, `OS::Neutron::SecurityGroupRule` and
//! `AWS::EC2::SecurityGroup`, and Neutron's validation of rules. A group allows all egress unless it
//! has egress rules of its own; a rule without a peer applies to everybody.
//!
//! Heat's rule: `docs/heat.md#rules-of-a-security-group`.

use indexmap::IndexMap;

use crate::comparison::{Pair, SecurityChange};
use heat_engine::eval::{Map, Value};
use heat_template::ir::{Expr, ExprKind};

use super::SideKind;
use super::resource_side::{
    self, OpaqueValue, ReadContent, ReadList, ReadPart, ReadValue, ResourceSide,
};
use super::rules::{self, Peer, RuleEffect, RuleSet, TrafficRule};
use super::traffic_set::{AddressFamily, Axis, Interval, TrafficSet};
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
                let rules = list(whole, side, "rules", |map, written| {
                    neutron_rule(whole, side, map, written)
                });
                let egress = specifies_egress(side, &rules);
                let group = self.group(&own_key(whole), whole);
                let place = side.property_span("rules");
                group.add(when, rules, place);
                *when.of(&mut group.defaults) =
                    Some(if egress { Vec::new() } else { defaults(whole, place) });
            }
            "AWS::EC2::SecurityGroup" => {
                let mut rules = Vec::new();
                for (property, direction) in
                    [("SecurityGroupIngress", 0), ("SecurityGroupEgress", 1)]
                {
                    rules.extend(list(whole, side, property, |map, written| {
                        amazon_rule(side, map, written, direction)
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
                    effect: single_rule(side),
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

/// Whether the rules of a group concern egress, or may.
fn specifies_egress(side: &ResourceSide<'_>, rules: &[TrafficRule]) -> bool {
    let parts = match side.list("rules") {
        ReadList::Parts(parts) => parts,
        ReadList::Absent | ReadList::Other(_) => Vec::new(),
    };
    let written = parts.iter().any(|part| match &part.content {
        ReadContent::Item(Value::Map(map)) => match side.member(map, "direction") {
            ReadValue::Known(value) => *value == Value::text("egress"),
            ReadValue::Absent => false,
            ReadValue::Opaque(_) => true,
        },
        ReadContent::Item(_) | ReadContent::Rest(_) => false,
    });
    written || rules.iter().any(|rule| matches!(rule.effect, RuleEffect::Unknown(_)))
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

fn neutron_rule(
    whole_name: &str,
    side: &ResourceSide<'_>,
    map: &Map,
    written: Option<&Expr>,
) -> RuleEffect {
    let whole = Value::Map(std::sync::Arc::new(map.clone()));
    // The mode decides which peer applies; the other one is not sent.
    let by_group = match side.member(map, "remote_mode") {
        ReadValue::Absent => false,
        ReadValue::Known(mode) => *mode == Value::text("remote_group_id"),
        ReadValue::Opaque(opaque) => return unknown(side, &whole, &opaque),
    };
    let name = "remote_group_id";
    let peer = match (by_group, side.member(map, name)) {
        (false, _) => PeerValue::Prefix(side.member(map, "remote_ip_prefix")),
        (true, ReadValue::Absent) => PeerValue::Named(Peer {
            key: own_key(whole_name),
            shown: "members of the group".to_owned(),
            unbounded: false,
        }),
        (true, value) => PeerValue::Named(group(side, value, written_member(written, name))),
    };
    let member = |name| side.member(map, name);
    rule_effect(
        side,
        &whole,
        member("direction"),
        member("ethertype"),
        &RuleFields {
            protocol: member("protocol"),
            first: member("port_range_min"),
            last: member("port_range_max"),
            peer,
        },
    )
}

fn single_rule(side: &ResourceSide<'_>) -> RuleEffect {
    let whole = match &side.resource.properties {
        heat_engine::eval::EvaluatedProperties::Each(each) => Value::Map(std::sync::Arc::new(
            each.iter()
                .map(|(key, value)| (key.clone(), value.as_ref().map_or(Value::Null, Value::clone)))
                .collect(),
        )),
        heat_engine::eval::EvaluatedProperties::Whole(Ok(whole)) => whole.clone(),
        heat_engine::eval::EvaluatedProperties::Whole(Err(_)) => Value::Null,
    };
    let name = "remote_group";
    let peer = match side.property(name) {
        ReadValue::Absent => PeerValue::Prefix(side.property("remote_ip_prefix")),
        value => PeerValue::Named(group(side, value, side.written(name))),
    };
    let protocol = match side.property("protocol") {
        ReadValue::Absent => ReadValue::Known(std::borrow::Cow::Owned(Value::text("tcp"))),
        given => given,
    };
    rule_effect(
        side,
        &whole,
        side.property("direction"),
        side.property("ethertype"),
        &RuleFields {
            protocol,
            first: side.property("port_range_min"),
            last: side.property("port_range_max"),
            peer,
        },
    )
}

fn amazon_rule(
    side: &ResourceSide<'_>,
    map: &Map,
    written: Option<&Expr>,
    direction: u128,
) -> RuleEffect {
    let whole = Value::Map(std::sync::Arc::new(map.clone()));
    let member = |name| side.member(map, name);
    // Negative numbers mean no limit.
    let port = |name| match member(name) {
        ReadValue::Known(value) if resource_side::whole(&value).is_some_and(|port| port < 0) => {
            ReadValue::Absent
        }
        other => other,
    };
    let named = ["SourceSecurityGroupId", "SourceSecurityGroupName"]
        .into_iter()
        .find(|name| !matches!(member(name), ReadValue::Absent));
    let peer = match named {
        Some(name) => PeerValue::Named(group(side, member(name), written_member(written, name))),
        // Without ports Heat ignores the addresses.
        None if member("FromPort") == ReadValue::Absent
            && member("ToPort") == ReadValue::Absent =>
        {
            PeerValue::Prefix(ReadValue::Absent)
        }
        None => PeerValue::Prefix(member("CidrIp")),
    };
    let towards = if direction == 0 { "ingress" } else { "egress" };
    let towards = ReadValue::Known(std::borrow::Cow::Owned(Value::text(towards)));
    rule_effect(
        side,
        &whole,
        towards,
        ReadValue::Absent,
        &RuleFields {
            protocol: member("IpProtocol"),
            first: port("FromPort"),
            last: port("ToPort"),
            peer,
        },
    )
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

/// The peer of a rule.
enum PeerValue<'a> {
    Prefix(ReadValue<'a>),
    Named(Peer),
}

struct RuleFields<'a> {
    protocol: ReadValue<'a>,
    first: ReadValue<'a>,
    last: ReadValue<'a>,
    peer: PeerValue<'a>,
}

fn unknown(side: &ResourceSide<'_>, whole: &Value, part: &OpaqueValue) -> RuleEffect {
    RuleEffect::Unknown(OpaqueValue {
        key: side.key(whole),
        shown: part.shown.clone(),
        unknown: false,
        reference: None,
    })
}

/// A field of a rule; returns early with an unknown or refused rule.
macro_rules! known {
    ($side:expr, $whole:expr, $read:expr) => {
        match $read {
            ReadValue::Absent => None,
            ReadValue::Known(value) => Some(value.as_ref()),
            ReadValue::Opaque(opaque) => return unknown($side, $whole, opaque),
        }
    };
}

fn rule_effect(
    side: &ResourceSide<'_>,
    whole: &Value,
    direction: ReadValue<'_>,
    family: ReadValue<'_>,
    service: &RuleFields<'_>,
) -> RuleEffect {
    let direction = match known!(side, whole, &direction).and_then(resource_side::text).as_deref() {
        None | Some("ingress") => 0,
        Some("egress") => 1,
        Some(_) => return refused(whole, "its direction is neither ingress nor egress"),
    };
    let family = match known!(side, whole, &family).and_then(resource_side::text).as_deref() {
        None | Some("IPv4") => AddressFamily::V4,
        Some("IPv6") => AddressFamily::V6,
        Some(_) => return refused(whole, "its ethertype is neither IPv4 nor IPv6"),
    };
    let protocols = match known!(side, whole, &service.protocol) {
        None => Some(Interval::new(0, 255)),
        Some(value) => resource_side::text(value).and_then(|text| protocol::numbers(&text, family)),
    };
    let Some(protocols) = protocols else {
        return refused(whole, "its protocol is not one that Neutron knows");
    };
    let mut ends = [None; 2];
    for (end, read) in ends.iter_mut().zip([&service.first, &service.last]) {
        if let Some(value) = known!(side, whole, read) {
            match resource_side::whole(value).and_then(|port| u16::try_from(port).ok()) {
                Some(port) => *end = Some(u128::from(port)),
                None => return refused(whole, "its ports are not numbers from 0 to 65535"),
            }
        }
    }
    let ports = match ports(protocols, ends) {
        Ok(ports) => ports,
        Err(why) => return refused(whole, why),
    };
    let region = TrafficSet::all(family)
        .with(Axis::Direction, Interval::one(direction))
        .with(Axis::Protocol, protocols)
        .with(Axis::Port, ports);
    match &service.peer {
        PeerValue::Named(peer) => RuleEffect::Peer(Box::new(region), peer.clone()),
        PeerValue::Prefix(ReadValue::Opaque(opaque)) => {
            RuleEffect::Peer(Box::new(region), unbounded(opaque))
        }
        PeerValue::Prefix(ReadValue::Absent) => RuleEffect::Traffic(vec![region]),
        PeerValue::Prefix(ReadValue::Known(value)) => match resource_side::text(value).as_deref() {
            Some("") => RuleEffect::Traffic(vec![region]),
            Some(text) => match address::network(text) {
                Some((of, addresses)) if of == family => {
                    RuleEffect::Traffic(vec![region.with(Axis::Peer, addresses)])
                }
                Some(_) => refused(whole, format!("`{text}` is of another address family")),
                None => refused(whole, format!("`{text}` is not a network")),
            },
            None => refused(whole, "its addresses are not strings"),
        },
    }
}

/// Unknown addresses, as a named peer.
pub(super) fn unbounded(opaque: &OpaqueValue) -> Peer {
    Peer { key: format!("value {}", opaque.key), shown: opaque.shown.clone(), unbounded: true }
}

/// The ports between two bounds, or the types and codes of ICMP.
fn ports(protocols: Interval, ends: [Option<u128>; 2]) -> Result<Interval, &'static str> {
    let of_type = |kind: u128| (kind <= 255).then_some(kind * 256);
    match ends {
        [None, None] => Ok(Interval::new(0, 65535)),
        _ if protocol::has_types(protocols) => match ends {
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
        _ if !protocol::has_ports(protocols) => Err("it has ports, but its protocol has none"),
        [Some(first), Some(last)] => Ok(Interval::new(first, last)),
        [Some(_), None] | [None, Some(_)] => Err("it has only one end of a port range"),
    }
}
