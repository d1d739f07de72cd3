//! Ids and public addresses of one cloud that are written in a template.

use super::registry::{Check, Scope};
use super::stacks::CheckedStack;
use crate::codes;
use heat_template::ir::{Expr, ExprKind};
use source_diagnostics::Diagnostic;
use std::net::IpAddr;

/// IDs and addresses that exist in one cloud only.
pub(super) const CHECK: Check = Check {
    scope: Scope::Template,
    codes: &[codes::HARD_CODED_ADDRESS, codes::HARD_CODED_ID],
    run: |it, found| check(it.stack, found),
};

/// Adds a finding for each UUID and each public address that is a whole value in the properties of resources.
pub(super) fn check(stack: &CheckedStack<'_>, found: &mut Vec<Diagnostic>) {
    for resource in stack.stack().resources.values() {
        let Some(properties) = &resource.properties else { continue };
        properties.walk(&mut |expr: &Expr| {
            let ExprKind::Text(text) = &expr.kind else { return };
            if is_uuid(text) {
                let message = format!("the id `{text}` exists in one cloud only");
                let finding = Diagnostic::new(codes::HARD_CODED_ID, message).at(expr.span);
                found.push(finding.help("make it a parameter, or use the name of the object"));
            }
            if is_public_address(text) {
                let message = format!("the address `{text}` belongs to one network only");
                let finding = Diagnostic::new(codes::HARD_CODED_ADDRESS, message).at(expr.span);
                found.push(finding.help("make it a parameter"));
            }
        });
    }
}

fn is_uuid(text: &str) -> bool {
    let lengths = text.split('-').map(str::len);
    lengths.eq([8, 4, 4, 4, 12]) && text.chars().all(|c| c == '-' || c.is_ascii_hexdigit())
}

/// Whether a text is an address that is routed in the internet: private ones can be the same everywhere, and those for
/// documentation are examples.
fn is_public_address(text: &str) -> bool {
    match text.parse() {
        Ok(IpAddr::V4(address)) => {
            !(address.is_private()
                || address.is_loopback()
                || address.is_link_local()
                || address.is_documentation()
                || address.is_broadcast()
                || address.is_multicast()
                || address.octets()[0] == 0)
        }
        // Only 2000::/3 is routed; 2001:db8::/32 is for documentation.
        Ok(IpAddr::V6(address)) => {
            let [first, second, ..] = address.segments();
            first & 0xe000 == 0x2000 && (first, second) != (0x2001, 0xdb8)
        }
        Err(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::is_public_address;

    #[test]
    fn only_routed_addresses_are_public() {
        for public in ["8.8.8.8", "172.15.0.1", "2600::1"] {
            assert!(is_public_address(public), "{public}");
        }
        for other in
            ["10.0.0.1", "192.0.2.1", "0.0.0.0", "224.0.0.1", "fd00::1", "2001:db8::1", "x"]
        {
            assert!(!is_public_address(other), "{other}");
        }
    }
}
