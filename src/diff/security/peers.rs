//! What has rules of its own that are not security groups: listeners of load balancers, the address
//! pairs of ports, the access rules of shares.

use std::sync::Arc;

use crate::diff::comparison::{SecurityKind, Verdict};
use heat_engine::eval::{Map, Value};

use super::reading::{self, Opaque, Read, Side};
use super::region::{Axis, Family, Interval, Region};
use super::rules::{ALLOW, Lets, Peer, Rule, Rules, Words};
use super::{address, neutron, protocol};

/// A type whose property is a set of rules.
pub(super) struct Row {
    /// The type.
    pub(super) kind: &'static str,
    /// The rules of one side of a resource.
    pub(super) rules: fn(&str, &Side<'_>) -> Rules,
    /// How a difference is told.
    pub(super) words: Words,
}

/// The types.
pub(super) const ROWS: [Row; 3] = [
    Row { kind: "OS::Octavia::Listener", rules: listener, words: ALLOW },
    Row {
        kind: "OS::Neutron::Port",
        rules: pairs,
        words: Words {
            kind: SecurityKind::PortSecurity,
            traffic: |_| "traffic".to_owned(),
            from: "in the name of",
            added: ("is allowed now", Verdict::Widened),
            removed: ("is no longer allowed", Verdict::Narrowed),
        },
    },
    Row {
        kind: "OS::Manila::Share",
        rules: share,
        words: Words {
            kind: SecurityKind::Sharing,
            traffic: access,
            from: "from",
            added: ("is allowed now", Verdict::Widened),
            removed: ("is no longer allowed", Verdict::Narrowed),
        },
    },
];

/// The transport of what a listener speaks.
const SPEAKS: [(&str, &str); 8] = [
    ("HTTP", "tcp"),
    ("HTTPS", "tcp"),
    ("TERMINATED_HTTPS", "tcp"),
    ("PROMETHEUS", "tcp"),
    ("TCP", "tcp"),
    ("UDP", "udp"),
    ("SCTP", "sctp"),
    ("ALOHA", "tcp"),
];

fn listener(whole: &str, side: &Side<'_>) -> Rules {
    let place = side.place("allowed_cidrs");
    let mut rules = Rules::at(place);
    let rule = |lets, place| Rule { lets, resource: whole.to_owned(), place };
    if let Read::Known(value) = side.property("admin_state_up")
        && reading::truth(&value) == Some(false)
    {
        return rules;
    }
    let region = |family| -> Result<Region, Opaque> {
        let protocols = match side.property("protocol") {
            Read::Opaque(opaque) => return Err(opaque),
            Read::Absent => None,
            Read::Known(value) => reading::text(&value),
        };
        let transport = protocols
            .and_then(|name| SPEAKS.iter().find(|(spoken, _)| name.eq_ignore_ascii_case(spoken)));
        let numbers = transport.and_then(|(_, transport)| protocol::numbers(transport, family));
        let numbers = numbers.unwrap_or(Interval::new(0, 255));
        let port = match side.property("protocol_port") {
            Read::Opaque(opaque) => return Err(opaque),
            Read::Absent => None,
            Read::Known(value) => reading::whole(&value).and_then(|port| u16::try_from(port).ok()),
        };
        let ports = port.map_or(Interval::new(0, 65535), |port| Interval::one(port.into()));
        Ok(Region::all(family).with(Axis::Protocol, numbers).with(Axis::Port, ports))
    };
    let both = Family::BOTH.map(region);
    let [Ok(of4), Ok(of6)] = both else {
        let unknown = both.into_iter().find_map(Result::err);
        rules.extend(unknown.map(|opaque| rule(Lets::Unknown(opaque), side.name_place())));
        return rules;
    };
    let of = |family| if family == Family::V4 { of4 } else { of6 };
    match side.property("allowed_cidrs") {
        Read::Absent => rules.push(rule(Lets::Through(vec![of4, of6]), place)),
        Read::Opaque(opaque) => {
            rules.push(rule(Lets::Peer(Box::new(of4), neutron::unbounded(&opaque)), place));
        }
        Read::Known(value) => match &*value {
            Value::List(items) if items.is_empty() => {
                rules.push(rule(Lets::Through(vec![of4, of6]), place));
            }
            Value::List(items) => {
                for (at, item) in items.iter().enumerate() {
                    let lets = match side.read(item) {
                        Read::Absent => continue,
                        Read::Opaque(opaque) => {
                            Lets::Peer(Box::new(of4), neutron::unbounded(&opaque))
                        }
                        Read::Known(value) => match network(&value) {
                            Ok((family, range)) => {
                                Lets::Through(vec![of(family).with(Axis::Peer, range)])
                            }
                            Err(refused) => *refused,
                        },
                    };
                    let place = side.item_place("allowed_cidrs", at, items.len());
                    rules.push(rule(lets, place));
                }
            }
            other => rules.push(rule(neutron::refused(other, "that is not a list"), place)),
        },
    }
    rules
}

fn network(value: &Value) -> Result<(Family, Interval), Box<Lets>> {
    let text = reading::text(value).unwrap_or_default();
    address::range(&text)
        .ok_or_else(|| Box::new(neutron::refused(value, format!("`{text}` is not a network"))))
}

fn whole_of(map: &Map) -> Value {
    Value::Map(Arc::new(map.clone()))
}

/// Addresses that a port may use beside its own, whatever the hardware address.
fn pairs(whole: &str, side: &Side<'_>) -> Rules {
    let found = neutron::list(whole, side, "allowed_address_pairs", |map, _| {
        match side.member(map, "ip_address") {
            Read::Absent => neutron::refused(&whole_of(map), "it has no address"),
            Read::Opaque(opaque) => {
                Lets::Peer(Box::new(Region::all(Family::V4)), neutron::unbounded(&opaque))
            }
            Read::Known(value) => match network(&value) {
                Ok((family, range)) => {
                    Lets::Through(vec![Region::all(family).with(Axis::Peer, range)])
                }
                Err(refused) => *refused,
            },
        }
    });
    let mut rules = Rules::at(side.place("allowed_address_pairs"));
    rules.extend(found);
    rules
}

/// Who may read a share (0) and write to it (1).
fn share(whole: &str, side: &Side<'_>) -> Rules {
    let found = neutron::list(whole, side, "access_rules", |map, _| {
        let levels = match side.member(map, "access_level") {
            Read::Known(level) if *level == Value::text("ro") => Interval::one(0),
            Read::Known(_) | Read::Absent => Interval::new(0, 1),
            Read::Opaque(opaque) => return Lets::Unknown(opaque),
        };
        let by = match side.member(map, "access_type") {
            Read::Known(by) => reading::text(&by).unwrap_or_default(),
            Read::Absent => String::new(),
            Read::Opaque(opaque) => return Lets::Unknown(opaque),
        };
        let region = |family| Region::all(family).with(Axis::Port, levels);
        match side.member(map, "access_to") {
            Read::Absent => neutron::refused(&whole_of(map), "it allows nobody"),
            Read::Opaque(opaque) => {
                Lets::Peer(Box::new(region(Family::V4)), neutron::unbounded(&opaque))
            }
            Read::Known(value) if by == "ip" => match network(&value) {
                Ok((family, range)) => Lets::Through(vec![region(family).with(Axis::Peer, range)]),
                Err(refused) => *refused,
            },
            Read::Known(value) => {
                let name = reading::text(&value).unwrap_or_default();
                let shown = format!("{by} `{name}`");
                Lets::Peer(
                    Box::new(region(Family::V4)),
                    Peer { key: shown.clone(), shown, unbounded: false },
                )
            }
        }
    });
    let mut rules = Rules::at(side.place("access_rules"));
    rules.extend(found);
    rules
}

fn access(region: &Region) -> String {
    let levels = region.on(Axis::Port);
    match (levels.first, levels.last) {
        (0, 0) => "reading",
        (1, 1) => "writing",
        _ => "reading and writing",
    }
    .to_owned()
}
