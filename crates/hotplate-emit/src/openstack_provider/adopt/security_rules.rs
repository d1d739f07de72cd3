//! The rule of a security group in a cloud that an object describes.

use super::ids::{ImportContext, value_of};
use crate::openstack_provider::model::{Argument, ProviderObject};
use heat_engine::security_rule::{AddressFamily, Protocol, cidr};
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
    // The family is that of the rule only where the client prints it, so ICMP keeps its name.
    let protocol =
        rule.protocol.as_deref().and_then(|it| match Protocol::read(it, AddressFamily::V4) {
            Some(Protocol::Any) => None,
            Some(Protocol::Number(number)) => Some(number.to_string()),
            None => Some(it.to_owned()),
        });
    let ports = rule.ports.as_deref().map(|it| it.replace("type=", "").replace("code=", ""));
    let ports = ports.filter(|it| !matches!(it.as_str(), "0:65535" | "1:65535" | ":" | ""));
    let prefix =
        rule.remote_prefix.clone().filter(|it| !matches!(it.as_str(), "0.0.0.0/0" | "::/0"));
    let prefix = prefix.map(|it| cidr(&it).unwrap_or(it));
    CloudSecurityRule {
        direction: rule.direction.as_deref().map(str::to_lowercase),
        ethertype: rule.ethertype.as_deref().map(str::to_lowercase),
        protocol,
        ports,
        remote_prefix: prefix,
        ..rule.clone()
    }
}
