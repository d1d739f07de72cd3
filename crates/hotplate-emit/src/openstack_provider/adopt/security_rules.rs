//! The rule of a security group in a cloud that an object describes.

use super::ids::{ImportContext, value_of};
use crate::openstack_provider::model::{Argument, ProviderObject};
use saved_stack::{CloudLists, CloudSecurityRule};

/// The rule in the cloud that an object describes; `None` if a value is unknown, or if there is no such rule.
pub(super) fn rule_id<'l>(
    lists: &'l CloudLists,
    group: &str,
    object: &ProviderObject,
    known: &ImportContext<'_>,
) -> Option<&'l CloudSecurityRule> {
    let value = |name: &str| match object.arguments.iter().find(|(there, _)| there == name) {
        None | Some((_, Argument::Null)) => Some(None),
        Some((_, value)) => value_of(value, known).map(Some),
    };
    let wanted = CloudSecurityRule {
        id: String::new(),
        group: group.to_owned(),
        direction: value("direction")?,
        ethertype: value("ethertype")?,
        protocol: value("protocol")?,
        ports: match (value("port_range_min")?, value("port_range_max")?) {
            (None, None) => None,
            (first, last) => {
                Some(format!("{}:{}", first.unwrap_or_default(), last.unwrap_or_default()))
            }
        },
        remote_prefix: value("remote_ip_prefix")?,
        remote_group: value("remote_group_id")?,
    };
    let wanted = normal(&wanted);
    lists.rules.iter().flatten().find(|rule| {
        let rule = normal(rule);
        // Old clients print neither the direction nor the family.
        rule.group == wanted.group
            && (rule.direction.is_none() || rule.direction == wanted.direction)
            && (rule.ethertype.is_none() || rule.ethertype == wanted.ethertype)
            && rule.protocol == wanted.protocol
            && rule.ports == wanted.ports
            && rule.remote_prefix == wanted.remote_prefix
            && rule.remote_group == wanted.remote_group
    })
}

/// Whether a rule is one of those that Neutron gives each new group: it lets everything out.
pub(super) fn is_default(rule: &CloudSecurityRule) -> bool {
    let rule = normal(rule);
    rule.direction.as_deref() == Some("egress")
        && rule.protocol.is_none()
        && rule.ports.is_none()
        && rule.remote_prefix.is_none()
        && rule.remote_group.is_none()
}

/// A rule in the spelling that Neutron keeps.
fn normal(rule: &CloudSecurityRule) -> CloudSecurityRule {
    let protocol = rule.protocol.as_deref().map(str::to_lowercase);
    let protocol = protocol.filter(|it| !matches!(it.as_str(), "any" | "" | "0"));
    let name = |it: String| match it.as_str() {
        "1" => "icmp".to_owned(),
        "6" => "tcp".to_owned(),
        "17" => "udp".to_owned(),
        "58" | "ipv6-icmp" => "icmpv6".to_owned(),
        _ => it,
    };
    let ports = rule.ports.as_deref().map(|it| it.replace("type=", "").replace("code=", ""));
    let ports = ports.filter(|it| !matches!(it.as_str(), "0:65535" | "1:65535" | ":" | ""));
    let prefix =
        rule.remote_prefix.clone().filter(|it| !matches!(it.as_str(), "0.0.0.0/0" | "::/0"));
    let prefix = prefix.map(|it| match (it.contains('/'), it.contains(':')) {
        (true, _) => it,
        (false, false) => format!("{it}/32"),
        (false, true) => format!("{it}/128"),
    });
    CloudSecurityRule {
        direction: rule.direction.as_deref().map(str::to_lowercase),
        ethertype: rule.ethertype.as_deref().map(str::to_lowercase),
        protocol: protocol.map(name),
        ports,
        remote_prefix: prefix,
        ..rule.clone()
    }
}
