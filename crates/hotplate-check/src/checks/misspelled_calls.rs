//! Maps with one key that is nearly the name of a function: Heat takes them as data.
//!
//! Heat's rules: `docs/heat.md#what-a-function-call-is`, `docs/heat.md#the-function-tables`.

use super::{Check, Scope};
use std::collections::HashMap;

use crate::codes;
use crate::stacks::CheckedStack;
use heat_template::hot::{CallContext, FunctionMeaning, Version};
use heat_template::ir::{Expr, ExprKind, Pair, Stack};
use heat_template::{cfn, hot};
use source_diagnostics::{Diagnostic, Span, Suggestions};

/// Maps that are nearly calls.
pub(crate) const CHECK: Check = Check {
    scope: Scope::Template,
    codes: &[codes::MISSPELLED_FUNCTION],
    run: |it, found| check(it.stack, found),
};

/// The functions of the version of a template.
pub(crate) struct FunctionNames<'s> {
    version: &'s str,
    suggestions: Suggestions<'static>,
}

impl<'s> FunctionNames<'s> {
    pub(crate) fn of(stack: &'s Stack) -> Self {
        let version = stack.format.version;
        let hot = Version::from_declaration(version).into_iter().flat_map(|(version, _)| {
            hot::functions().filter(move |it| {
                let meaning = it.meaning(version, CallContext::Value);
                meaning.is_some_and(|it| it != FunctionMeaning::Removed)
            })
        });
        let cfn = cfn::functions().filter(|_| stack.format.dialect == "cfn").map(|it| it.name);
        // Shorter words, such as `if` and `filter`, are common keys of data, and so are words that are like them.
        let is_telling = |name: &&str| name.contains(['_', ':']);
        let names = hot.map(|it| it.name).chain(cfn).filter(is_telling);
        FunctionNames { version, suggestions: Suggestions::new(names) }
    }

    /// The only pair of a map whose key is a misspelled function, with the function.
    pub(crate) fn misspelled<'e>(&mut self, expr: &'e Expr) -> Option<(&'e Pair, &'static str)> {
        let ExprKind::Map(pairs) = &expr.kind else { return None };
        let [pair] = &pairs[..] else { return None };
        let name = pair.key.as_text().filter(|name| name.contains(['_', ':']))?;
        let meant = self.suggestions.nearest(name, Some(pair.key.span))?;
        (meant != name).then_some((pair, meant))
    }
}

/// Adds a finding for each such map. Where Heat refuses the map as a value, the finding about that says why.
pub(crate) fn check(stack: &CheckedStack<'_>, found: &mut Vec<Diagnostic>) {
    let stack = stack.stack();
    let mut names = FunctionNames::of(stack);
    let mut misspelled: Vec<(Span, Diagnostic)> = Vec::new();
    for expr in stack.expressions() {
        expr.walk(&mut |expr| {
            if let Some((pair, meant)) = names.misspelled(expr) {
                let name = pair.key.as_text().unwrap_or_default();
                let message = format!("`{name}` is not a function in version {}", names.version);
                let finding = Diagnostic::new(codes::MISSPELLED_FUNCTION, message);
                misspelled.push((expr.span, finding.at(pair.key.span).did_you_mean(meant)));
            }
        });
    }
    if misspelled.is_empty() {
        return;
    }
    let refused = found.iter().enumerate().filter(|(_, it)| it.code == codes::PROPERTY_TYPE);
    let refused: HashMap<Span, usize> =
        refused.filter_map(|(at, it)| Some((it.span()?, at))).collect();
    for (span, finding) in misspelled {
        match refused.get(&span).and_then(|at| found.get_mut(*at)) {
            Some(refused) => {
                *refused = Diagnostic { code: refused.code, severity: refused.severity, ..finding }
            }
            None => found.push(finding),
        }
    }
    found.extend(names.suggestions.limit_finding());
}
