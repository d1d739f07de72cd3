//! Constraints of a parameter that exclude each other.
//!
//! Heat's rules: `docs/heat.md#constraints-and-types`, `docs/heat.md#allowed_values`.

use super::{Check, Scope};
use crate::codes;
use crate::stacks::CheckedStack;
use heat_engine::eval::{Budget, DeclaredConstraints};
use heat_template::ir::{ConstraintKind, ExprKind, Parameter, ParameterType};
use heat_template::schema::Schema;
use source_diagnostics::{Diagnostic, Span};

/// Constraints that exclude each other.
pub(crate) const CHECK: Check = Check {
    scope: Scope::Template,
    codes: &[codes::ALLOWED_VALUE_EXCLUDED, codes::CONSTRAINTS_CONTRADICT],
    run: |it, found| check(it.stack, it.schema, it.budget, found),
};

/// Adds a finding for each parameter that no value fits, and for each allowed value that another constraint excludes.
pub(crate) fn check(
    stack: &CheckedStack<'_>,
    schema: &'static Schema,
    budget: &Budget,
    found: &mut Vec<Diagnostic>,
) {
    for (name, parameter) in &stack.stack().parameters {
        // Heat refuses a declaration that is wrong in itself.
        let Some(constraints) = DeclaredConstraints::of(parameter, schema) else { continue };
        if let Some(bounds) = constraints.impossible_bounds() {
            let ((min, at_min), (max, at_max)) = (bounds.min, bounds.max);
            let subject = bounds.subject;
            let why = match bounds.modulo {
                Some(_) => format!("its `modulo` excludes every number from {min} to {max}"),
                None => format!("its {subject} must be at least {min} and at most {max}"),
            };
            let message = format!("no value fits the parameter `{name}`: {why}");
            let span = bounds.modulo.unwrap_or(at_max);
            let finding = Diagnostic::new(codes::CONSTRAINTS_CONTRADICT, message).at(span);
            found.push(match span == at_min {
                true => finding,
                false => finding.related(at_min, "the other constraint"),
            });
            continue;
        }
        excluded_values(name, parameter, &constraints, budget, found);
    }
}

fn excluded_values(
    name: &str,
    parameter: &Parameter,
    constraints: &DeclaredConstraints,
    budget: &Budget,
    found: &mut Vec<Diagnostic>,
) {
    // The items of a list are allowed one by one, so that there is always a list that fits.
    if parameter.kind == Some(ParameterType::TextList) {
        return;
    }
    for at in 0..constraints.len() {
        let Some(allowed) = constraints.allowed_values(at) else { continue };
        let entry = &parameter.constraints[at];
        let mut excluded: Vec<(usize, usize)> = Vec::new();
        for (item, value) in allowed.iter().enumerate() {
            let Some(value) = constraints.converted(value) else { return };
            let by = constraints.violated_besides(at, &value, budget);
            excluded.extend(by.map(|by| (item, by)));
        }
        let other = |by: usize| parameter.constraints[by].span;
        if excluded.len() == allowed.len() {
            let message =
                format!("no value fits the parameter `{name}`: its constraints exclude each other");
            let finding = Diagnostic::new(codes::CONSTRAINTS_CONTRADICT, message).at(entry.span);
            let finding = match excluded.first() {
                Some((_, by)) => finding.related(other(*by), "excludes the allowed values"),
                None => finding,
            };
            found.push(finding);
            return;
        }
        for (item, by) in excluded {
            let message =
                format!("another constraint of the parameter `{name}` excludes this value");
            let span = item_span(&entry.kind, item).unwrap_or(entry.span);
            let finding = Diagnostic::new(codes::ALLOWED_VALUE_EXCLUDED, message).at(span);
            found.push(finding.related(other(by), "the constraint"));
        }
    }
}

fn item_span(kind: &ConstraintKind, item: usize) -> Option<Span> {
    let ConstraintKind::AllowedValues(values) = kind else { return None };
    let ExprKind::List(items) = &values.kind else { return None };
    Some(items.get(item)?.span)
}
