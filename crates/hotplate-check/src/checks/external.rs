//! Parts of resources that Heat did not create, which have no effect.
//!
//! Heat's rules: `docs/heat.md#dependencies-of-external-resources`, `docs/heat.md#deletion-policies`.

use super::{Check, Scope};
use crate::codes;
use crate::stacks::CheckedStack;
use heat_template::ir::ExprKind;
use source_diagnostics::{Diagnostic, Span};

/// Parts of external resources without effect.
pub(crate) const CHECK: Check = Check {
    scope: Scope::Template,
    codes: &[codes::NO_EFFECT_ON_EXTERNAL],
    run: |it, found| check(it.stack, found),
};

/// Adds a finding for each part of a resource with an `external_id` that Heat does not use.
pub(crate) fn check(stack: &CheckedStack<'_>, found: &mut Vec<Diagnostic>) {
    for resource in stack.stack().resources.values() {
        if resource.external_id.is_none() {
            continue;
        }
        let is_empty = |kind: &ExprKind| matches!(kind, ExprKind::Map(pairs) if pairs.is_empty());
        let of_part = |part: &Option<heat_template::ir::Expr>| -> Option<Span> {
            part.as_ref().filter(|part| !is_empty(&part.kind)).map(|part| part.span)
        };
        let parts = [
            ("properties", of_part(&resource.properties)),
            ("update_policy", of_part(&resource.update_policy)),
            ("deletion_policy", resource.deletion_policy_span),
        ];
        for (part, span) in parts {
            let Some(span) = span else { continue };
            let message = format!("`{part}` has no effect on a resource with an `external_id`");
            found.push(Diagnostic::new(codes::NO_EFFECT_ON_EXTERNAL, message).at(span));
        }
    }
}
