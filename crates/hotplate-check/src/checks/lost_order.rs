//! Ports of nested stacks that do not wait for the subnet of their network, since only the network is passed to the stack.
//!
//! Heat's rule: `docs/heat.md#what-makes-a-dependency`.

use super::{Check, Scope};
use crate::codes;
use crate::stacks::CheckedStack;
use heat_engine::eval::deployment::{ChildStack, Deployed};
use heat_template::ir::{Expr, ExprKind};
use source_diagnostics::Diagnostic;
use std::collections::HashSet;

/// Nested stacks that may be created before a subnet that they need.
pub(crate) const CHECK: Check = Check {
    scope: Scope::Template,
    codes: &[codes::ORDER_LOST],
    run: |it, found| check(it.stack, found),
};

/// Adds a finding for each network that is passed without its subnets.
fn check(checked: &CheckedStack<'_>, found: &mut Vec<Diagnostic>) {
    let deployed = checked.deployed;
    let stack = checked.stack();
    let Some(evaluated) = &deployed.evaluation.resources else { return };
    let is = |name: &str, kind: &str| {
        let plugin = deployed.node.implementations.get(name).and_then(|it| it.plugin());
        plugin.is_some_and(|(plugin, _)| plugin == kind)
    };
    for (name, child) in &deployed.children {
        let ChildStack::Stack(child) = child else { continue };
        // The template that Heat generates for a group has the references resolved.
        if child.node.url().is_none() {
            continue;
        }
        let properties = stack.resources.get(name).and_then(|it| it.properties.as_ref());
        let Some(ExprKind::Map(pairs)) = properties.map(|it| &it.kind) else { continue };
        for pair in pairs {
            let Some(network) = resource_of(&pair.value) else { continue };
            let parameter = pair.key.as_text().filter(|_| is(network, "OS::Neutron::Net"));
            if !parameter.is_some_and(|parameter| connects(child, parameter)) {
                continue;
            }
            let of_network = |subnet: &&String| {
                let properties = stack.resources[*subnet].properties.as_ref();
                let network_of = |key| properties.and_then(|it| resource_of(it.member(key)?));
                is(subnet, "OS::Neutron::Subnet")
                    && ["network", "network_id"]
                        .into_iter()
                        .any(|key| network_of(key) == Some(network))
            };
            let subnets: Vec<&String> = evaluated.keys().filter(of_network).collect();
            let mut waits_for = HashSet::new();
            let mut pending = vec![name.as_str()];
            while let Some(next) = pending.pop() {
                let of_next = evaluated.get(next).into_iter().flat_map(|it| it.dependencies());
                pending.extend(of_next.filter(|it| waits_for.insert(*it)));
            }
            if let Some(subnet) = subnets.first()
                && !subnets.iter().any(|subnet| waits_for.contains(subnet.as_str()))
            {
                let message = format!(
                    "`{name}` connects to the network `{network}` and does not wait for its subnet `{subnet}`"
                );
                let finding = Diagnostic::new(codes::ORDER_LOST, message).at(pair.value.span);
                found.push(finding.help(format!("add `depends_on: {subnet}` to `{name}`")));
            }
        }
    }
}

fn resource_of(expr: &Expr) -> Option<&str> {
    match &expr.kind {
        ExprKind::Resource(name) => name.as_text(),
        _ => None,
    }
}

/// Whether a stack connects a port to the network that a parameter names.
fn connects(child: &Deployed, parameter: &str) -> bool {
    let names = |expr: Option<&Expr>| match expr.map(|it| &it.kind) {
        Some(ExprKind::Parameter(reference)) => reference.name.as_text() == Some(parameter),
        _ => false,
    };
    child.stack.resources.iter().any(|(name, resource)| {
        let plugin = child.node.implementations.get(name).and_then(|it| it.plugin());
        let Some(properties) = &resource.properties else { return false };
        let is_named = |map: &Expr| names(map.member("network")) || names(map.member("network_id"));
        match plugin.map(|(kind, _)| kind) {
            Some("OS::Neutron::Port") => is_named(properties),
            Some("OS::Nova::Server") => match properties.member("networks").map(|it| &it.kind) {
                Some(ExprKind::List(items)) => items.iter().any(is_named),
                _ => false,
            },
            _ => false,
        }
    })
}
