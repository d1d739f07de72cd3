//! Resources with data that Heat deletes together with the stack.
//!
//! Heat's rule: `docs/heat.md#deletion-policies`.

use super::registry::{Check, Scope};
use super::stacks::CheckedStack;
use crate::codes;
use source_diagnostics::Diagnostic;

/// Data that is deleted with its resource.
pub(super) const CHECK: Check = Check {
    scope: Scope::Template,
    codes: &[codes::DATA_DELETED],
    run: |it, found| check(it.stack, found),
};

/// The types whose objects hold data.
const DATA: [&str; 11] = [
    "AWS::EC2::Volume",
    "AWS::RDS::DBInstance",
    "AWS::S3::Bucket",
    "OS::Barbican::Secret",
    "OS::Cinder::Volume",
    "OS::Designate::Zone",
    "OS::Manila::Share",
    "OS::Swift::Container",
    "OS::Trove::Cluster",
    "OS::Trove::Instance",
    "OS::Zaqar::Queue",
];

/// Adds a finding for each resource that holds data and has no deletion policy.
pub(super) fn check(stack: &CheckedStack<'_>, found: &mut Vec<Diagnostic>) {
    for (name, resource) in &stack.stack().resources {
        let plugin = stack.deployed.node.implementations.get(name).and_then(|it| it.plugin());
        let Some((kind, _)) = plugin.filter(|(kind, _)| DATA.contains(kind)) else { continue };
        if resource.deletion_policy.is_none() && resource.external_id.is_none() {
            let message = format!(
                "Heat deletes the `{kind}` `{name}` with its data when the resource is removed"
            );
            let finding = Diagnostic::new(codes::DATA_DELETED, message).at(resource.name_span);
            found.push(
                finding.help("add `deletion_policy: Retain`, or `Delete` if that is intended"),
            );
        }
    }
}
