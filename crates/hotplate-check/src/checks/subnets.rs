//! Addresses outside of their subnet, which Heat accepts and Neutron refuses.
//!
//! Heat's rule: `docs/heat.md#addresses-of-a-subnet`.

use super::{Check, Scope};
use crate::codes;
use crate::stacks::CheckedStack;
use heat_template::ir::{Expr, ExprKind, Resource};
use source_diagnostics::Diagnostic;
use std::net::IpAddr;

/// Addresses outside of their subnet.
pub(crate) const CHECK: Check = Check {
    scope: Scope::Template,
    codes: &[codes::ADDRESS_OUTSIDE],
    run: |it, found| check(it.stack, found),
};

/// Adds a finding for each literal address that is outside of the literal network of its subnet.
pub(crate) fn check(stack: &CheckedStack<'_>, found: &mut Vec<Diagnostic>) {
    let is = |name: &str, kind: &str| {
        let plugin = stack.deployed.node.implementations.get(name).and_then(|it| it.plugin());
        plugin.is_some_and(|(plugin, _)| plugin == kind)
    };
    let resources = &stack.stack().resources;
    for (name, resource) in resources {
        if is(name, "OS::Neutron::Subnet") {
            subnet(resource, found);
        }
        if is(name, "OS::Neutron::Port")
            && let Some(ExprKind::List(items)) = resource
                .properties
                .as_ref()
                .and_then(|it| it.member("fixed_ips"))
                .map(|it| &it.kind)
        {
            for item in items.iter() {
                let subnet = item.member("subnet").or_else(|| item.member("subnet_id"));
                let Some(ExprKind::Resource(subnet)) = subnet.map(|it| &it.kind) else { continue };
                let subnet = subnet.as_text().filter(|it| is(it, "OS::Neutron::Subnet"));
                let Some(network) = subnet.and_then(|it| network_of(resources.get(it)?)) else {
                    continue;
                };
                outside(item.member("ip_address"), &network, found);
            }
        }
    }
}

fn subnet(resource: &Resource, found: &mut Vec<Diagnostic>) {
    let Some(network) = network_of(resource) else { return };
    let Some(properties) = &resource.properties else { return };
    outside(properties.member("gateway_ip"), &network, found);
    if let Some(ExprKind::List(pools)) = properties.member("allocation_pools").map(|it| &it.kind) {
        for pool in pools.iter() {
            let (start, end) = (pool.member("start"), pool.member("end"));
            outside(start, &network, found);
            outside(end, &network, found);
            if let (Some(start), Some(end)) = (address(start), address(end))
                && start > end
            {
                let message = "the allocation pool ends before it starts".to_owned();
                found.push(Diagnostic::new(codes::ADDRESS_OUTSIDE, message).at(pool.span));
            }
        }
    }
}

fn outside(written: Option<&Expr>, network: &Network<'_>, found: &mut Vec<Diagnostic>) {
    if let (Some(written), Some(address)) = (written, address(written))
        && !network.contains(address)
        // A router answers at its address on the link, too.
        && !matches!(address, IpAddr::V6(address) if address.is_unicast_link_local())
    {
        let message = format!("`{address}` is not in the network `{}` of the subnet", network.text);
        let finding = Diagnostic::new(codes::ADDRESS_OUTSIDE, message).at(written.span);
        found.push(finding.related(network.written.span, "the network"));
    }
}

fn address<'e>(written: impl Into<Option<&'e Expr>>) -> Option<IpAddr> {
    written.into()?.as_text()?.parse().ok()
}

/// The network of a subnet, if it is literal.
pub(super) struct Network<'e> {
    text: &'e str,
    written: &'e Expr,
    address: IpAddr,
    prefix: u32,
}

pub(super) fn network_of(resource: &Resource) -> Option<Network<'_>> {
    let written = resource.properties.as_ref()?.member("cidr")?;
    let text = written.as_text()?;
    let (address, prefix) = text.split_once('/')?;
    Some(Network { text, written, address: address.parse().ok()?, prefix: prefix.parse().ok()? })
}

impl Network<'_> {
    pub(super) fn contains(&self, address: IpAddr) -> bool {
        let same = |one: u128, other: u128, width: u32| {
            let hosts = width.saturating_sub(self.prefix);
            hosts >= width || one >> hosts == other >> hosts
        };
        match (self.address, address) {
            (IpAddr::V4(one), IpAddr::V4(other)) => {
                same(one.to_bits().into(), other.to_bits().into(), 32)
            }
            (IpAddr::V6(one), IpAddr::V6(other)) => same(one.to_bits(), other.to_bits(), 128),
            _ => false,
        }
    }
}
