//! Ids and public addresses of one cloud that are written in a template.

use super::subnets::network_of;
use super::{Check, Scope};
use crate::codes;
use crate::stacks::CheckedStack;
use heat_template::ir::{Expr, ExprKind};
use source_diagnostics::{Diagnostic, Span};
use std::net::IpAddr;

/// IDs and addresses that exist in one cloud only.
pub(crate) const CHECK: Check = Check {
    scope: Scope::Template,
    codes: &[codes::HARD_CODED_ADDRESS, codes::HARD_CODED_ID],
    run: |it, found| check(it.stack, found),
};

/// Adds a finding for each UUID and each public address that is a whole value in the properties of resources.
pub(crate) fn check(stack: &CheckedStack<'_>, found: &mut Vec<Diagnostic>) {
    let resources = &stack.stack().resources;
    let networks: Vec<_> = resources.values().filter_map(network_of).collect();
    for resource in resources.values() {
        let Some(properties) = &resource.properties else { continue };
        let (mut own, mut elsewhere) = (Vec::new(), Vec::new());
        properties.walk(&mut |expr: &Expr| {
            own.extend(is_on_own_network(expr).then_some(expr.span));
            elsewhere.extend(expr.member("dns_nameservers").map(|it| it.span));
        });
        properties.walk(&mut |expr: &Expr| {
            let ExprKind::Text(text) = &expr.kind else { return };
            if is_uuid(text) {
                let message = format!("the id `{text}` exists in one cloud only");
                let finding = Diagnostic::new(codes::HARD_CODED_ID, message).at(expr.span);
                found.push(finding.help("make it a parameter, or use the name of the object"));
            }
            let is_own = |address| {
                let is_in = |spans: &[Span]| spans.iter().any(|it| it.contains(expr.span));
                is_in(&own) && !is_in(&elsewhere) || networks.iter().any(|it| it.contains(address))
            };
            if public_address(text).is_some_and(|address| !is_own(address)) {
                let message = format!("the address `{text}` belongs to one network only");
                let finding = Diagnostic::new(codes::HARD_CODED_ADDRESS, message).at(expr.span);
                found.push(finding.help("make it a parameter"));
            }
        });
    }
}

/// Whether a map names a network or a subnet that the template creates: its addresses are the same in every cloud.
fn is_on_own_network(expr: &Expr) -> bool {
    let keys = ["network", "network_id", "subnet", "subnet_id"];
    let is_resource =
        |key| matches!(expr.member(key), Some(it) if matches!(it.kind, ExprKind::Resource(_)));
    matches!(expr.kind, ExprKind::Map(_)) && keys.into_iter().any(is_resource)
}

fn is_uuid(text: &str) -> bool {
    let lengths = text.split('-').map(str::len);
    lengths.eq([8, 4, 4, 4, 12]) && text.chars().all(|c| c == '-' || c.is_ascii_hexdigit())
}

/// A text as an address that is routed in the internet: private ones can be the same everywhere, and those for
/// documentation are examples.
fn public_address(text: &str) -> Option<IpAddr> {
    let address = text.parse().ok()?;
    let is_public = match address {
        IpAddr::V4(address) => {
            !(address.is_private()
                || address.is_loopback()
                || address.is_link_local()
                || address.is_documentation()
                || address.is_broadcast()
                || address.is_multicast()
                || address.octets()[0] == 0)
        }
        // Only 2000::/3 is routed; 2001:db8::/32 is for documentation.
        IpAddr::V6(address) => {
            let [first, second, ..] = address.segments();
            first & 0xe000 == 0x2000 && (first, second) != (0x2001, 0xdb8)
        }
    };
    is_public.then_some(address)
}

#[cfg(test)]
mod tests {
    use super::public_address;

    #[test]
    fn only_routed_addresses_are_public() {
        for public in ["8.8.8.8", "172.15.0.1", "2600::1"] {
            assert!(public_address(public).is_some(), "{public}");
        }
        for other in
            ["10.0.0.1", "192.0.2.1", "0.0.0.0", "224.0.0.1", "fd00::1", "2001:db8::1", "x"]
        {
            assert!(public_address(other).is_none(), "{other}");
        }
    }
}
