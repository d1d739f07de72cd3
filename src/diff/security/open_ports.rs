//! The ports that the rules of security groups open to every address, for `check`.

use super::neutron::SecurityGroups;
use super::rules::RuleEffect;
use super::traffic_set::{AddressFamily, Axis, Interval, TrafficSet, difference};
use super::{ResourceRenames, SideContext, SideKind, resource_side};
use crate::diff::equality::ParameterRenames;
use crate::diff::impact::ResourceDefinition;
use source_diagnostics::Span;

/// What a rule opens to every address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OpenPorts {
    /// The full name of the resource with the rule.
    pub(crate) resource: String,
    /// Where the rule is written.
    pub(crate) span: Option<Span>,
    /// The requested ports that are open; `None` for every port.
    pub(crate) ports: Option<Vec<u16>>,
    /// Whether only addresses of IP version 6 are concerned.
    pub(crate) is_ipv6: bool,
    /// Whether the rule does so only together with other rules of its group.
    pub(crate) is_joint: bool,
}

/// The rules that let every address reach TCP ports, as far as they are known. Resources have their full names.
pub(crate) fn open_ports<'a>(
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
        for (at, rule) in rules.rules().iter().enumerate() {
            for family in AddressFamily::BOTH {
                let opened = OpenPorts {
                    resource: rule.resource.clone(),
                    span: rule.span,
                    ports: None,
                    is_ipv6: family == AddressFamily::V6,
                    is_joint: false,
                };
                let of_rule = |asked: &TrafficSet| {
                    traffic.iter().any(|(of, region)| *of == at && asked.is_within(region))
                };
                if of_rule(&from_everywhere(family, Interval::new(0, 65535))) {
                    found.push(opened);
                    continue;
                }
                let (mut alone, mut joint) = (Vec::new(), Vec::new());
                for port in ports {
                    let asked = from_everywhere(family, Interval::one(u128::from(*port)));
                    if of_rule(&asked) {
                        alone.push(*port);
                        continue;
                    }
                    // The first of the rules that open it together stands for them.
                    let first = traffic.iter().find(|(_, region)| asked.overlaps(region));
                    let is_open = || difference(&[asked], &all).is_ok_and(|left| left.is_empty());
                    let is_covered = traffic.iter().any(|(_, region)| asked.is_within(region));
                    if first.is_some_and(|(of, _)| *of == at) && !is_covered && is_open() {
                        joint.push(*port);
                    }
                }
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
