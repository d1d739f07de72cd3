//! Parameters of the root template that decide on the structure of the result: `EmitOutput::wanted_values`.

use std::collections::BTreeSet;

use super::template_builder::TemplateBuilder;
use heat_template::ir::{Expr, ExprKind, Stack};

impl TemplateBuilder<'_> {
    /// Asks for the values of the parameters that an expression of the root template depends on, if it depends on
    /// nothing else. A nested template is one for all values that are passed to it.
    pub(super) fn want_values_of(&mut self, expr: &Expr) {
        let (mut names, mut seen) = (BTreeSet::new(), BTreeSet::new());
        if std::ptr::eq(self.module, self.model.root())
            && add_parameters(&self.module.stack, expr, &mut names, &mut seen)
        {
            self.wanted_values.extend(names);
        }
    }
}

/// Adds the parameters that an expression depends on; whether these are all that it depends on.
fn add_parameters(
    stack: &Stack,
    expr: &Expr,
    names: &mut BTreeSet<String>,
    conditions: &mut BTreeSet<String>,
) -> bool {
    let mut is_all = true;
    expr.walk(&mut |part| {
        is_all &= match &part.kind {
            ExprKind::Parameter(reference) => {
                let name = reference.name.as_text();
                names.extend(name.map(str::to_owned));
                name.is_some()
            }
            ExprKind::Condition(name) if !conditions.insert(name.to_string()) => true,
            ExprKind::Condition(name) => stack
                .conditions
                .get(name.as_str())
                .is_some_and(|it| add_parameters(stack, &it.value, names, conditions)),
            ExprKind::Resource(_) | ExprKind::Attribute(_) | ExprKind::File(_) => false,
            _ => true,
        }
    });
    is_all
}
