//! Rules of security groups that let every address reach a port for administration, and groups in rules that Heat ignores.
//!
//! Heat's rule: `docs/heat.md#rules-of-a-security-group`.

use super::{Check, Scope};
use std::collections::HashMap;

use crate::codes;
use crate::location::locate;
use crate::stacks::{CheckedResource, CheckedStack};
use heat_engine::eval::Value;
use heat_engine::eval::deployment::ChildStack;
use heat_engine::eval::typed_properties::{TypedProperties, ValueStep, of_plugin};
use heat_engine::security_rule::{REMOTE_GROUP_MODE, ReadValue, RemoteEnd, SecurityRule};
use hotplate_diff::{ResourceDefinition, open_ports};
use source_diagnostics::{Diagnostic, Span};

/// Ports for administration that every address reaches.
pub(crate) const CHECK: Check = Check {
    scope: Scope::Deployment,
    codes: &[codes::REMOTE_GROUP_WITHOUT_MODE, codes::WORLD_OPEN_PORT],
    run: |it, found| check(*it.stack, found),
};

/// Ports that should not be reachable from everywhere, with the service that usually listens there.
const MANAGEMENT_PORTS: [(u16, &str); 14] = [
    (22, "SSH"),
    (23, "Telnet"),
    (1433, "SQL Server"),
    (2375, "Docker"),
    (2379, "etcd"),
    (3306, "MySQL"),
    (3389, "RDP"),
    (5432, "PostgreSQL"),
    (5900, "VNC"),
    (5985, "WinRM"),
    (6379, "Redis"),
    (9200, "Elasticsearch"),
    (10250, "kubelet"),
    (27017, "MongoDB"),
];

/// Adds a finding for each such rule of a deployment.
pub(crate) fn check(root: CheckedStack<'_>, found: &mut Vec<Diagnostic>) {
    let mut resources = Vec::new();
    collect(root, "", &mut resources);
    let mut ignored = Vec::new();
    resources.iter().for_each(|it| ignored_groups(&it.resource, &mut ignored));
    let definitions = resources.iter().map(|it| (it.full_name.as_str(), it.definition));
    let ports = MANAGEMENT_PORTS.map(|(port, _)| port);
    let by_name: HashMap<&str, &NamedResource<'_>> =
        resources.iter().map(|it| (it.full_name.as_str(), it)).collect();
    for open in open_ports(definitions, &ports) {
        let type_span = by_name.get(open.resource.as_str()).map(|it| it.resource.type_span);
        // The definitions of generated templates have no place.
        let written = open.span.filter(|span| span.source != Span::NOWHERE.source);
        let Some(span) = written.or(type_span) else { continue };
        // The ignored group is the reason.
        if ignored.iter().any(|it: &Diagnostic| it.span().is_some_and(|it| span.contains(it))) {
            continue;
        }
        let address = if open.is_ipv6 { "IPv6 address" } else { "address" };
        let port = match &open.ports {
            None => "every port".to_owned(),
            Some(ports) => shown(ports),
        };
        let message = if open.is_joint {
            format!("the rules of the group together let every {address} reach {port}")
        } else {
            format!("the rule lets every {address} reach {port}")
        };
        found.push(Diagnostic::new(codes::WORLD_OPEN_PORT, message).at(span));
    }
    found.append(&mut ignored);
}

/// Ports with their services, the first one by name.
fn shown(ports: &[u16]) -> String {
    let services = MANAGEMENT_PORTS.iter().filter(|(port, _)| ports.contains(port));
    let services: Vec<String> =
        services.map(|(port, service)| format!("port {port} ({service})")).collect();
    match services.as_slice() {
        [] => String::new(),
        [one] => one.clone(),
        [first, rest @ ..] => format!("{first} and {} more", rest.len()),
    }
}

struct NamedResource<'a> {
    full_name: String,
    resource: CheckedResource<'a>,
    definition: ResourceDefinition<'a>,
}

/// Adds the resources of a stack and of all stacks below it, with their full names.
fn collect<'a>(stack: CheckedStack<'a>, scope: &str, resources: &mut Vec<NamedResource<'a>>) {
    let deployed = stack.deployed;
    resources.extend(stack.resources().map(|resource| {
        let name = resource.name;
        let definition = ResourceDefinition { name, resource: resource.evaluated, stack: deployed };
        NamedResource { full_name: format!("{scope}{name}"), resource, definition }
    }));
    for (name, child) in &deployed.children {
        if let ChildStack::Stack(child) = child {
            collect(stack.child(name, child), &format!("{scope}{name}/"), resources);
        }
    }
}

/// Adds a finding for each `remote_group_id` that Heat ignores because of the mode of the rule.
fn ignored_groups(resource: &CheckedResource<'_>, found: &mut Vec<Diagnostic>) {
    let Some(("OS::Neutron::SecurityGroup", info)) =
        resource.implementation.and_then(|it| it.plugin())
    else {
        return;
    };
    let properties = &resource.evaluated.properties;
    let TypedProperties::Each(values) = of_plugin(properties, info, None) else { return };
    let rules = values.get("rules").and_then(|rules| rules.as_ref().ok()).map(Value::unsealed);
    let Some(Value::List(rules)) = rules else { return };
    for (at, rule) in rules.iter().enumerate() {
        let Value::Map(rule) = rule.unsealed() else { continue };
        let member = |name: &str| ReadValue::of(rule.get(name));
        let RemoteEnd::Prefix(prefix) = SecurityRule::in_group(member).remote else { continue };
        if member(REMOTE_GROUP_MODE).is_empty() {
            continue;
        }
        let path = ["rules".into(), REMOTE_GROUP_MODE.into()].map(ValueStep::Key);
        let [rules, group] = path;
        let path = [rules, ValueStep::Item(at), group];
        let span = resource.properties.map_or(resource.type_span, |it| locate(it, &path, true));
        let applies = match prefix.is_empty() {
            true => "the rule applies to every address",
            false => "the rule applies to `remote_ip_prefix`",
        };
        let message = format!("Heat ignores this group: {applies}");
        let finding = Diagnostic::new(codes::REMOTE_GROUP_WITHOUT_MODE, message).at(span);
        found.push(finding.help("add `remote_mode: remote_group_id` to the rule"));
    }
}
