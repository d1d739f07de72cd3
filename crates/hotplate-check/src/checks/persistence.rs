//! Resources with data that Heat deletes together with the stack.
//!
//! Heat's rule: `docs/heat.md#deletion-policies`.

use super::{Check, Scope};
use crate::codes;
use crate::stacks::CheckedStack;
use heat_template::schema::HeldDataRow;
use source_diagnostics::Diagnostic;

/// Data that is deleted with its resource.
pub(crate) const CHECK: Check = Check {
    scope: Scope::Template,
    codes: &[codes::DATA_DELETED],
    run: |it, found| check(it.stack, found),
};

fn holds_data(kind: &str) -> bool {
    HeldDataRow::of(kind).is_some_and(|row| row.deleted_with_resource)
}

/// Adds a finding for each resource that holds data and has no deletion policy.
pub(crate) fn check(stack: &CheckedStack<'_>, found: &mut Vec<Diagnostic>) {
    for (name, resource) in &stack.stack().resources {
        let plugin = stack.deployed.node.implementations.get(name).and_then(|it| it.plugin());
        let Some((kind, _)) = plugin.filter(|(kind, _)| holds_data(kind)) else { continue };
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
