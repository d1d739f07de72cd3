//! Types with rules of their own that are not security groups: listeners of load balancers, address
//! pairs of ports, access rules of shares.

use std::sync::Arc;

use crate::comparison::{AccessChange, SecurityKind};
use heat_engine::eval::{Map, Value};

use super::resource_side::{
    self, OpaqueValue, ReadContent, ReadList, ReadPart, ReadValue, ResourceSide,
};
use super::rules::{ALLOW, Peer, RuleEffect, RuleSet, RuleWording, TrafficRule};
use super::traffic_set::{Axis, Interval, TrafficSet};
use super::{address, neutron, protocol};
use heat_engine::security_rule::AddressFamily;

/// A type with a property that is a set of rules.
pub(super) struct PeerRule {
    pub(super) resource_type: &'static str,
    /// Reads the rules of one side of a resource.
    pub(super) rules: fn(&str, &ResourceSide<'_>) -> RuleSet,
    /// The wording of differences.
    pub(super) wording: RuleWording,
}

pub(super) const ROWS: [PeerRule; 3] = [
    PeerRule { resource_type: "OS::Octavia::Listener", rules: listener, wording: ALLOW },
    PeerRule {
        resource_type: "OS::Neutron::Port",
        rules: pairs,
        wording: RuleWording {
            kind: SecurityKind::PortSecurity,
            traffic: |_| "traffic".to_owned(),
            peer_preposition: "in the name of",
            added: ("is allowed now", AccessChange::Widened),
            removed: ("is no longer allowed", AccessChange::Narrowed),
        },
    },
    PeerRule {
        resource_type: "OS::Manila::Share",
        rules: share,
        wording: RuleWording {
            kind: SecurityKind::Sharing,
            traffic: access,
            peer_preposition: "from",
            added: ("is allowed now", AccessChange::Widened),
            removed: ("is no longer allowed", AccessChange::Narrowed),
        },
    },
];

/// The transport protocol of a listener's protocol.
const LISTENER_TRANSPORTS: [(&str, &str); 8] = [
    ("HTTP", "tcp"),
    ("HTTPS", "tcp"),
    ("TERMINATED_HTTPS", "tcp"),
    ("PROMETHEUS", "tcp"),
    ("TCP", "tcp"),
    ("UDP", "udp"),
    ("SCTP", "sctp"),
    ("ALOHA", "tcp"),
];

fn listener(whole: &str, side: &ResourceSide<'_>) -> RuleSet {
    let place = side.property_span("allowed_cidrs");
    let mut rules = RuleSet::at(place);
    let guarded =
        |effect, guard, span| TrafficRule { effect, guard, resource: whole.to_owned(), span };
    let rule = |effect, span| guarded(effect, String::new(), span);
    if let ReadValue::Known(value) = side.property("admin_state_up")
        && resource_side::truth(&value) == Some(false)
    {
        return rules;
    }
    let region = |family| -> Result<TrafficSet, OpaqueValue> {
        let protocols = match side.property("protocol") {
            ReadValue::Opaque(opaque) => return Err(opaque),
            ReadValue::Absent => None,
            ReadValue::Known(value) => resource_side::text(&value),
        };
        let transport = protocols.and_then(|name| {
            LISTENER_TRANSPORTS.iter().find(|(spoken, _)| name.eq_ignore_ascii_case(spoken))
        });
        let numbers = transport.and_then(|(_, transport)| protocol::numbers(transport, family));
        let numbers = numbers.unwrap_or(Interval::new(0, 255));
        let port = match side.property("protocol_port") {
            ReadValue::Opaque(opaque) => return Err(opaque),
            ReadValue::Absent => None,
            ReadValue::Known(value) => {
                resource_side::whole(&value).and_then(|port| u16::try_from(port).ok())
            }
        };
        let ports = port.map_or(Interval::new(0, 65535), |port| Interval::one(port.into()));
        Ok(TrafficSet::all(family).with(Axis::Protocol, numbers).with(Axis::Port, ports))
    };
    let both = AddressFamily::BOTH.map(region);
    let [Ok(of4), Ok(of6)] = both else {
        let unknown = both.into_iter().find_map(Result::err);
        rules.extend(unknown.map(|opaque| rule(RuleEffect::Unknown(opaque), side.name_span())));
        return rules;
    };
    let of = |family| if family == AddressFamily::V4 { of4 } else { of6 };
    let unknown =
        |opaque: &OpaqueValue| RuleEffect::Peer(Box::new(of4), neutron::unbounded(opaque));
    match side.list("allowed_cidrs") {
        ReadList::Absent => rules.push(rule(RuleEffect::Traffic(vec![of4, of6]), place)),
        ReadList::Parts(parts) if parts.is_empty() => {
            rules.push(rule(RuleEffect::Traffic(vec![of4, of6]), place));
        }
        ReadList::Parts(parts) => {
            for ReadPart { content, guard, position } in parts {
                let lets = match &content {
                    ReadContent::Rest(opaque) => unknown(opaque),
                    ReadContent::Item(item) => match side.read(item) {
                        ReadValue::Absent => continue,
                        ReadValue::Opaque(opaque) => unknown(&opaque),
                        ReadValue::Known(value) => match network(&value) {
                            Ok((family, range)) => {
                                RuleEffect::Traffic(vec![of(family).with(Axis::Peer, range)])
                            }
                            Err(refused) => *refused,
                        },
                    },
                };
                rules.push(guarded(lets, guard, side.item_span("allowed_cidrs", position)));
            }
        }
        ReadList::Other(other) => {
            rules.push(rule(neutron::refused(&other, "which is not a list"), place));
        }
    }
    rules
}

fn network(value: &Value) -> Result<(AddressFamily, Interval), Box<RuleEffect>> {
    let text = resource_side::text(value).unwrap_or_default();
    address::range(&text)
        .ok_or_else(|| Box::new(neutron::refused(value, format!("`{text}` is not a network"))))
}

fn whole_of(map: &Map) -> Value {
    Value::Map(Arc::new(map.clone()))
}

/// Addresses that a port may use besides its own, with any MAC address.
fn pairs(whole: &str, side: &ResourceSide<'_>) -> RuleSet {
    let found = neutron::list(whole, side, "allowed_address_pairs", |map, _| {
        match side.member(map, "ip_address") {
            ReadValue::Absent => neutron::refused(&whole_of(map), "it has no address"),
            ReadValue::Opaque(opaque) => RuleEffect::Peer(
                Box::new(TrafficSet::all(AddressFamily::V4)),
                neutron::unbounded(&opaque),
            ),
            ReadValue::Known(value) => match network(&value) {
                Ok((family, range)) => {
                    RuleEffect::Traffic(vec![TrafficSet::all(family).with(Axis::Peer, range)])
                }
                Err(refused) => *refused,
            },
        }
    });
    let mut rules = RuleSet::at(side.property_span("allowed_address_pairs"));
    rules.extend(found);
    rules
}

/// Who may read a share (encoded as 0) and write to it (1).
fn share(whole: &str, side: &ResourceSide<'_>) -> RuleSet {
    let found = neutron::list(whole, side, "access_rules", |map, _| {
        let levels = match side.member(map, "access_level") {
            ReadValue::Known(level) if *level == Value::text("ro") => Interval::one(0),
            ReadValue::Known(_) | ReadValue::Absent => Interval::new(0, 1),
            ReadValue::Opaque(opaque) => return RuleEffect::Unknown(opaque),
        };
        let by = match side.member(map, "access_type") {
            ReadValue::Known(by) => resource_side::text(&by).unwrap_or_default(),
            ReadValue::Absent => String::new(),
            ReadValue::Opaque(opaque) => return RuleEffect::Unknown(opaque),
        };
        let region = |family| TrafficSet::all(family).with(Axis::Port, levels);
        match side.member(map, "access_to") {
            ReadValue::Absent => neutron::refused(&whole_of(map), "it allows nobody"),
            ReadValue::Opaque(opaque) => {
                RuleEffect::Peer(Box::new(region(AddressFamily::V4)), neutron::unbounded(&opaque))
            }
            ReadValue::Known(value) if by == "ip" => match network(&value) {
                Ok((family, range)) => {
                    RuleEffect::Traffic(vec![region(family).with(Axis::Peer, range)])
                }
                Err(refused) => *refused,
            },
            ReadValue::Known(value) => {
                let name = resource_side::text(&value).unwrap_or_default();
                let shown = format!("{by} `{name}`");
                RuleEffect::Peer(
                    Box::new(region(AddressFamily::V4)),
                    Peer { key: shown.clone(), shown, unbounded: false },
                )
            }
        }
    });
    let mut rules = RuleSet::at(side.property_span("access_rules"));
    rules.extend(found);
    rules
}

fn access(region: &TrafficSet) -> String {
    let levels = region.interval(Axis::Port);
    match (levels.first, levels.last) {
        (0, 0) => "reading",
        (1, 1) => "writing",
        _ => "reading and writing",
    }
    .to_owned()
}
