//! Rules of security groups that let every address reach a port for administration.
//!
//! Heat's rule: `docs/heat.md#rules-of-a-security-group`.

use indexmap::IndexMap;
use num_traits::ToPrimitive;

use super::location::locate;
use super::stacks::CheckedStack;
use crate::codes;
use heat_engine::eval::typed_properties::{TypedProperties, ValueStep, of_plugin};
use heat_engine::eval::{EvalResult, Value, python};
use source_diagnostics::{Diagnostic, Span};

/// Ports that should not be reachable from everywhere, with the service that usually listens there.
const MANAGEMENT_PORTS: [(i64, &str); 14] = [
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

/// Adds a finding for each such rule.
pub(super) fn check(stack: &CheckedStack<'_>, found: &mut Vec<Diagnostic>) {
    for resource in stack.resources() {
        let Some((name, info)) = resource.implementation.and_then(|it| it.plugin()) else {
            continue;
        };
        if !matches!(name, "OS::Neutron::SecurityGroup" | "OS::Neutron::SecurityGroupRule") {
            continue;
        }
        let properties = &resource.evaluated.properties;
        let TypedProperties::Each(values) = of_plugin(properties, info, None) else { continue };
        let mut report = |path: &[ValueStep], message: String| {
            let written = resource.properties.filter(|_| !path.is_empty());
            let span: Span =
                written.map_or(resource.type_span, |written| locate(written, path, false));
            found.push(Diagnostic::new(codes::WORLD_OPEN_PORT, message).at(span));
        };
        if name == "OS::Neutron::SecurityGroupRule" {
            if let Some(message) = open(&|key| value_of(&values, key)) {
                report(&[], message);
            }
            continue;
        }
        let Some(Value::List(rules)) = value_of(&values, "rules") else { continue };
        for (at, rule) in rules.iter().enumerate() {
            let Value::Map(rule) = rule.unsealed() else { continue };
            if let Some(message) = open(&|key| rule.get(key).map(Value::unsealed)) {
                report(&[ValueStep::Key("rules".into()), ValueStep::Item(at)], message);
            }
        }
    }
}

fn value_of<'v>(values: &'v IndexMap<String, EvalResult>, key: &str) -> Option<&'v Value> {
    Some(values.get(key)?.as_ref().ok()?.unsealed())
}

/// What a rule opens to every address, if that is certain.
fn open<'v>(value: &dyn Fn(&str) -> Option<&'v Value>) -> Option<String> {
    let text = |key: &str| match value(key) {
        None | Some(Value::Null) => Some(""),
        Some(Value::Text(text)) => Some(text.as_str()),
        Some(_) => None,
    };
    let port = |key: &str| match value(key) {
        None | Some(Value::Null) => Some(None),
        Some(Value::Int(number)) => python::to_big(number).to_i64().map(Some),
        Some(_) => None,
    };
    let is_restricted = ["remote_group", "remote_mode"].into_iter().any(|key| {
        !matches!(value(key), None | Some(Value::Null)) && text(key) != Some("remote_ip_prefix")
    });
    let everywhere = matches!(text("remote_ip_prefix")?, "" | "0.0.0.0/0" | "::/0");
    if text("direction")? == "egress" || is_restricted || !everywhere {
        return None;
    }
    if !matches!(text("protocol")?, "" | "tcp" | "any" | "0" | "6") {
        return None;
    }
    let (min, max) = (port("port_range_min")?, port("port_range_max")?);
    if min.is_none() && max.is_none() {
        return Some("the rule lets every address reach every port".to_owned());
    }
    let range = min.or(max)?..=max.or(min)?;
    let services: Vec<String> = MANAGEMENT_PORTS
        .iter()
        .filter(|(port, _)| range.contains(port))
        .map(|(port, service)| format!("{port} ({service})"))
        .collect();
    let (first, rest) = services.split_first()?;
    let more = if rest.is_empty() { String::new() } else { format!(" and {} more", rest.len()) };
    Some(format!("the rule lets every address reach port {first}{more}"))
}
