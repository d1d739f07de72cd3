//! Ids of objects of one cloud that are written in a template.

use super::stacks::CheckedStack;
use crate::codes;
use heat_template::ir::{Expr, ExprKind};
use source_diagnostics::Diagnostic;

/// Adds a finding for each UUID in the properties of resources.
pub(super) fn check(stack: &CheckedStack<'_>, found: &mut Vec<Diagnostic>) {
    for resource in stack.stack().resources.values() {
        let Some(properties) = &resource.properties else { continue };
        properties.walk(&mut |expr: &Expr| {
            if let ExprKind::Text(text) = &expr.kind
                && is_uuid(text)
            {
                let message = format!("the id `{text}` exists in one cloud only");
                let finding = Diagnostic::new(codes::HARD_CODED_ID, message).at(expr.span);
                found.push(finding.help("make it a parameter, or use the name of the object"));
            }
        });
    }
}

fn is_uuid(text: &str) -> bool {
    let lengths = text.split('-').map(str::len);
    lengths.eq([8, 4, 4, 4, 12]) && text.chars().all(|c| c == '-' || c.is_ascii_hexdigit())
}
