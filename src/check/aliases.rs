//! Types under an old name, which Heat's own environment leads to the name of today.
//!
//! Heat's rules: `docs/heat.md#entries-that-heat-ships`, `docs/heat.md#successors-of-types`.

use super::stacks::CheckedStack;
use crate::codes;
use heat_template::schema::Schema;
use source_diagnostics::Diagnostic;

/// Adds a finding for each resource with such a type.
pub(super) fn check(stack: &CheckedStack<'_>, schema: &Schema, found: &mut Vec<Diagnostic>) {
    for resource in stack.resources() {
        // An environment can map the old name to something else.
        if resource.implementation.and_then(|it| it.plugin()).is_none() {
            continue;
        }
        let kind = resource.evaluated.kind.as_str();
        let real = schema.real_name(kind);
        if real != kind && schema.types.known_name(&real).is_some() {
            let message = format!("`{kind}` is an old name of `{real}`");
            found.push(Diagnostic::new(codes::TYPE_ALIAS, message).at(resource.type_span));
        }
    }
}
