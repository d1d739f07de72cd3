//! `deletion_policy: Snapshot` for resources that cannot make a snapshot.
//!
//! Heat's rule: `docs/heat.md#deletion-policies`.

use super::stacks::CheckedStack;
use crate::codes;
use heat_engine::eval::Value;
use source_diagnostics::Diagnostic;

/// Adds a finding for each such resource.
pub(super) fn check(stack: &CheckedStack<'_>, found: &mut Vec<Diagnostic>) {
    if !stack.is_written() {
        return;
    }
    for resource in stack.resources() {
        let Some(implementation) = resource.implementation else { continue };
        let policy = resource.evaluated.deletion_policy.unsealed();
        // What creates nothing takes any policy.
        let supports =
            implementation.plugin().is_some_and(|(_, info)| info.snapshot || info.is_placeholder());
        if *policy != Value::text("Snapshot") || supports {
            continue;
        }
        let definition = resource.definition;
        let span = definition.and_then(|it| it.deletion_policy_span).unwrap_or(resource.type_span);
        let message = format!("`{}` does not support snapshots", resource.evaluated.kind);
        found.push(Diagnostic::new(codes::SNAPSHOT_UNSUPPORTED, message).at(span));
    }
}
