//! Where a template uses its parameters.

use std::collections::HashMap;

use heat_template::ir::{Expr, ExprKind, Stack};
use source_diagnostics::Span;

/// The places at which each parameter is used by its name, in the order of the text.
pub(super) fn uses(stack: &Stack) -> HashMap<&str, Vec<Span>> {
    let mut uses: HashMap<&str, Vec<Span>> = HashMap::new();
    for expr in stack.expressions() {
        expr.walk(&mut |expr: &Expr| {
            if let ExprKind::Parameter(parameter) = &expr.kind
                && let Some(name) = parameter.name.as_text()
                && let Some((name, _)) = stack.parameters.get_key_value(name)
            {
                uses.entry(name).or_default().push(expr.span);
            }
        });
    }
    for places in uses.values_mut() {
        places.sort();
        places.dedup();
    }
    uses
}
