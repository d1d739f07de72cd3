//! The ports that the rules of security groups open to every address, for `check`.

use std::collections::HashMap;

use super::neutron::SecurityGroups;
use super::rules::RuleEffect;
use super::traffic_set::{Axis, Interval, TrafficSet, difference};
use super::{ResourceRenames, SideContext, SideKind, resource_side};
use crate::equality::ParameterRenames;
use crate::impact::ResourceDefinition;
use heat_engine::security_rule::AddressFamily;
use source_diagnostics::Span;

/// The ports that a rule opens to every address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenPorts {
    /// The full name of the resource with the rule.
    pub resource: String,
    /// Where the rule is written.
    pub span: Option<Span>,
    /// The requested ports that are open; `None` for every port.
    pub ports: Option<Vec<u16>>,
    /// Whether only addresses of IP version 6 are concerned.
    pub is_ipv6: bool,
    /// Whether the rule does so only together with other rules of its group.
    pub is_joint: bool,
}

/// The rules that let every address reach TCP ports, as far as they are known. Resources have their full names.
pub fn open_ports<'a>(
    resources: impl IntoIterator<Item = (&'a str, ResourceDefinition<'a>)>,
    ports: &[u16],
) -> Vec<OpenPorts> {
    let (names, moved) = (ParameterRenames::default(), ResourceRenames::default());
    let mut groups = SecurityGroups::default();
    for (name, definition) in resources {
        let context = SideContext { name, names: &names, moved: &moved };
        if let Some(side) = resource_side(context, SideKind::New, definition) {
            groups.add(name, &side, SideKind::New);
        }
    }
    let mut found = Vec::new();
    for rules in groups.rules(SideKind::New) {
        // What depends on an unknown condition may not be there.
        let certain = rules.rules().iter().enumerate().filter(|(_, rule)| rule.guard.is_empty());
        let traffic = certain.flat_map(|(at, rule)| {
            let regions = match &rule.effect {
                RuleEffect::Traffic(regions) => regions.as_slice(),
                RuleEffect::Peer(..) | RuleEffect::Unknown(_) | RuleEffect::Refused(_) => &[],
            };
            regions.iter().map(move |region| (at, *region))
        });
        let traffic: Vec<(usize, TrafficSet)> = traffic.collect();
        let all: Vec<TrafficSet> = traffic.iter().map(|(_, region)| *region).collect();
        // The first of the rules that open a port together stands for them.
        let mut joint_ports: HashMap<usize, Vec<(AddressFamily, u16)>> = HashMap::new();
        for family in AddressFamily::BOTH {
            for port in ports {
                let asked = from_everywhere(family, Interval::one(u128::from(*port)));
                let first = traffic.iter().find(|(_, region)| asked.overlaps(region));
                let Some((first, _)) = first else { continue };
                let is_covered = traffic.iter().any(|(_, region)| asked.is_within(region));
                if !is_covered && difference(&[asked], &all).is_ok_and(|left| left.is_empty()) {
                    joint_ports.entry(*first).or_default().push((family, *port));
                }
            }
        }
        for (at, rule) in rules.rules().iter().enumerate() {
            let start = traffic.partition_point(|(of, _)| *of < at);
            let end = traffic.partition_point(|(of, _)| *of <= at);
            for family in AddressFamily::BOTH {
                let opened = OpenPorts {
                    resource: rule.resource.clone(),
                    span: rule.span,
                    ports: None,
                    is_ipv6: family == AddressFamily::V6,
                    is_joint: false,
                };
                let of_rule = |asked: &TrafficSet| {
                    traffic[start..end].iter().any(|(_, region)| asked.is_within(region))
                };
                if of_rule(&from_everywhere(family, Interval::new(0, 65535))) {
                    found.push(opened);
                    continue;
                }
                let is_open_alone = |port: &&u16| {
                    of_rule(&from_everywhere(family, Interval::one(u128::from(**port))))
                };
                let alone: Vec<u16> = ports.iter().filter(is_open_alone).copied().collect();
                let joint = joint_ports.get(&at).into_iter().flatten();
                let joint = joint.filter(|(of, _)| *of == family).map(|(_, port)| *port);
                let joint: Vec<u16> = joint.collect();
                for (ports, is_joint) in [(alone, false), (joint, true)] {
                    if !ports.is_empty() {
                        found.push(OpenPorts { ports: Some(ports), is_joint, ..opened.clone() });
                    }
                }
            }
        }
    }
    found
}

/// Incoming TCP traffic to some ports from every address.
fn from_everywhere(family: AddressFamily, ports: Interval) -> TrafficSet {
    TrafficSet::all(family).with(Axis::Protocol, Interval::one(6)).with(Axis::Port, ports)
}
