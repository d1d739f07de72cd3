//! Names that Heat refuses: shared by a parameter and a resource, or with a slash.
//!
//! Heat's rule: `docs/heat.md#names`.

use crate::codes;
use heat_template::ir::Stack;
use source_diagnostics::Diagnostic;

/// Adds a finding for each such name.
pub(super) fn check(stack: &Stack, found: &mut Vec<Diagnostic>) {
    for (name, resource) in &stack.resources {
        if let Some(parameter) = stack.parameters.get(name) {
            let message = format!("a parameter and a resource have the name `{name}`");
            let finding = Diagnostic::new(codes::DUPLICATE_NAME, message).at(resource.name_span);
            found.push(finding.related(parameter.name_span, "the parameter"));
        }
        if name.contains('/') {
            let message = format!("the name `{name}` of a resource contains a slash");
            found.push(Diagnostic::new(codes::NAME_WITH_SLASH, message).at(resource.name_span));
        }
    }
}
