//! Values without quotes that YAML reads as something else than the text, where Heat needs a string.
//!
//! Heat's rules: `docs/heat.md#parameters-of-type-string`, `docs/heat.md#keys-of-a-parameter`,
//! `docs/heat.md#parameters-of-type-comma_delimited_list`, `docs/heat.md#conversion-of-properties`.

use super::{Check, CheckInput, Scope};
use crate::codes;
use heat_engine::eval::{Value, python};
use heat_template::ir::{ConstraintKind, Expr, ExprKind, Parameter, ParameterType};
use heat_template::schema::{Property, ValueType};
use source_diagnostics::{Diagnostic, Severity};

/// Strings that YAML changes, and words that look like booleans.
pub(crate) const CHECK: Check = Check {
    scope: Scope::Template,
    codes: &[codes::TEXT_CHANGED, codes::WORD_NOT_BOOLEAN, codes::LIST_IN_QUOTES],
    run: check,
};

fn check(input: &CheckInput<'_>, found: &mut Vec<Diagnostic>) {
    let Some(document) = input.document else { return };
    let stack = input.stack.stack();
    let text = document.text();
    let changed = |expr: &Expr, found: &mut Vec<Diagnostic>| {
        if !stack.given_secrets.contains_key(&expr.span) {
            found.extend(changed_text(text, expr));
        }
    };
    for parameter in stack.parameters.values() {
        words(parameter, found);
        if parameter.is_hidden() {
            continue;
        }
        let allowed = parameter.constraints.iter().filter_map(|it| match &it.kind {
            ConstraintKind::AllowedValues(values) => Some(values),
            _ => None,
        });
        let written = parameter.default.iter().chain(allowed);
        match parameter.kind {
            Some(ParameterType::Text) => written.for_each(|expr| match &expr.kind {
                ExprKind::List(items) => items.iter().for_each(|item| changed(item, found)),
                _ => changed(expr, found),
            }),
            Some(ParameterType::TextList) => {
                found.extend(parameter.default.iter().filter_map(list_in_quotes));
            }
            _ => {}
        }
    }
    for (name, resource) in &stack.resources {
        let plugin = input.stack.deployed.node.implementations.get(name);
        let Some((_, info)) = plugin.and_then(|it| it.plugin()) else { continue };
        let Some(ExprKind::Map(pairs)) = resource.properties.as_ref().map(|it| &it.kind) else {
            continue;
        };
        for pair in pairs {
            let property = pair.key.as_text().and_then(|name| info.properties.get(name));
            if let Some(property) = property {
                strings(property, &pair.value, &mut |expr| changed(expr, found));
            }
        }
    }
    for expr in stack.expressions() {
        expr.walk(&mut |expr: &Expr| {
            if let ExprKind::Replace(call) = &expr.kind
                && let ExprKind::Map(pairs) = &call.params.kind
            {
                pairs.iter().for_each(|pair| changed(&pair.value, found));
            }
        });
    }
}

/// Visits the values of strings in a property.
fn strings(property: &Property, expr: &Expr, visit: &mut impl FnMut(&Expr)) {
    match (&expr.kind, property.value_type, &property.items) {
        (_, ValueType::String, _) => visit(expr),
        (ExprKind::List(items), ValueType::List, Some(of_items)) => {
            items.iter().for_each(|item| strings(of_items, item, visit));
        }
        (ExprKind::Map(pairs), ValueType::Map, _) => {
            for pair in pairs {
                let of_key = pair.key.as_text().and_then(|key| property.members.get(key));
                of_key.into_iter().for_each(|of_key| strings(of_key, &pair.value, visit));
            }
        }
        _ => {}
    }
}

/// A scalar whose text Heat does not get.
fn changed_text(text: &str, expr: &Expr) -> Option<Diagnostic> {
    let kind = match &expr.kind {
        ExprKind::Int(_) | ExprKind::Float(_) => "number",
        ExprKind::Bool(_) => "boolean",
        _ => return None,
    };
    let written = text.get(expr.span.start as usize..expr.span.end as usize)?.trim();
    let gets = python::str(&Value::from_expr_as_sent(expr)).ok()?;
    // Whoever writes `true` means a boolean.
    let is_plain =
        !written.is_empty() && !written.starts_with(['\'', '"', '!', '&', '*', '|', '>']);
    if !is_plain || gets.eq_ignore_ascii_case(written) {
        return None;
    }
    let message = format!("YAML reads `{written}` as the {kind} {gets}, so Heat gets `{gets}`");
    let finding = Diagnostic::new(codes::TEXT_CHANGED, message).at(expr.span);
    let finding = finding.did_you_mean(&format!("'{written}'"));
    // `yes` is mostly meant as a boolean, in capitals it is a code.
    let is_word = kind == "boolean" && written.chars().any(char::is_lowercase);
    let severity = if is_word { Severity::Note } else { finding.severity };
    Some(Diagnostic { severity, ..finding })
}

/// Texts where Heat needs a boolean: it takes every text but the empty one as true.
fn words(parameter: &Parameter, found: &mut Vec<Diagnostic>) {
    let flags = [("hidden", &parameter.hidden), ("immutable", &parameter.immutable)];
    for (key, written) in flags {
        let Some(written) = written else { continue };
        let word =
            written.as_text().filter(|it| !it.is_empty() && !it.eq_ignore_ascii_case("true"));
        if let Some(word) = word {
            let message = format!("`{word}` is a text, which Heat takes as true for `{key}`");
            let finding = Diagnostic::new(codes::WORD_NOT_BOOLEAN, message).at(written.span);
            found.push(
                finding.help(format!("write `{key}: true` or `{key}: false`, without quotes")),
            );
        }
    }
}

/// A list in quotes where Heat splits the text at commas.
fn list_in_quotes(default: &Expr) -> Option<Diagnostic> {
    let text = default.as_text()?.trim();
    let items = text.strip_prefix('[')?.strip_suffix(']')?;
    // Addresses of IPv6 stand in brackets of their own.
    if items.contains(['[', ']']) || items.parse::<std::net::Ipv6Addr>().is_ok() {
        return None;
    }
    let first = items.split(',').next()?.trim();
    let message =
        format!("Heat splits the text at commas, so the first item is `[{first}` with the bracket");
    let finding = Diagnostic::new(codes::LIST_IN_QUOTES, message).at(default.span);
    Some(finding.help("write a list, without the quotes around it, or only the items"))
}
