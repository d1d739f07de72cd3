//! Finds calls of undefined functions in yaql expressions without evaluating them.

use std::collections::BTreeSet;

use super::functions::yaql;
use ::yaql::{Options, UnknownCall, function_catalog};
use heat_template::ir::{Expr, ExprKind, Stack, YaqlCall};
use source_diagnostics::{Diagnostic, did_you_mean};

/// The findings of a template, in expression order.
pub(super) fn find_unknown_calls(stack: &Stack, options: &Options) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for expr in stack.expressions() {
        expr.walk(&mut |expr: &Expr| {
            if let ExprKind::Yaql(call) = &expr.kind {
                found.extend(findings_of_call(expr, call, options));
            }
        });
    }
    found
}

fn findings_of_call(expr: &Expr, call: &YaqlCall, options: &Options) -> Vec<Diagnostic> {
    let Some(text) = call.expression.as_text() else { return Vec::new() };
    let parsed = yaql::parse(text);
    let Ok(expression) = &*parsed else { return Vec::new() };
    let unknown = expression.unknown_calls(options);
    unknown
        .iter()
        .map(|unknown| {
            let span = call.span_of(unknown.span.clone()).unwrap_or(expr.span);
            finding(unknown, options).at(span)
        })
        .collect()
}

/// The finding for a call of an unknown name, without its place.
pub(super) fn finding(unknown: &UnknownCall, options: &Options) -> Diagnostic {
    let UnknownCall { name, is_method, is_certain, .. } = unknown;
    let kind = if *is_method { "method" } else { "function" };
    let when = if *is_certain { "" } else { ", if the call is reached" };
    let message = format!("yaql has no {kind} `{name}`: Heat fails here{when}");
    let finding = Diagnostic::new(crate::codes::YAQL_UNKNOWN_CALL, message);
    let declared = function_catalog::library_functions(options);
    let names: BTreeSet<&str> = declared
        .iter()
        .filter(|function| if *is_method { function.method } else { function.function })
        .map(|function| function.name)
        .collect();
    match did_you_mean(name, names.iter().copied()) {
        Some(near) => finding.did_you_mean(near),
        None if declared.iter().any(|function| function.name == name) => {
            finding.help(match is_method {
                true => format!("`{name}` is a function: `{name}(…)`"),
                false => format!("`{name}` is a method: `value.{name}(…)`"),
            })
        }
        None => finding,
    }
}
