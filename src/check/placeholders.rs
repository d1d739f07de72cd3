//! Placeholders of `str_replace` and loop variables of `repeat` that never occur, or that others destroy.
//!
//! Heat's rules: `docs/heat.md#str_replace`, `docs/heat.md#substitution-in-repeat`.

use std::cmp::Reverse;
use std::collections::HashSet;

use super::stacks::CheckedStack;
use crate::codes;
use heat_template::ir::{Expr, ExprKind, Pair, Repeat, Replace, ReplaceKeys};
use source_diagnostics::cancellation::checkpoint;
use source_diagnostics::{Diagnostic, did_you_mean};

/// Adds a finding for each of them. The text of a file is `read` by its name in the template.
pub(super) fn check<'t>(
    stack: &'t CheckedStack<'_>,
    read: &dyn Fn(&str) -> Option<&'t str>,
    found: &mut Vec<Diagnostic>,
) {
    let mut calls = Vec::new();
    for expr in stack.stack().expressions() {
        expr.walk(&mut |expr: &'t Expr| {
            if matches!(expr.kind, ExprKind::Replace(_) | ExprKind::Repeat(_)) {
                calls.push(expr);
            }
        });
    }
    // The keys that occur in the template of some call.
    let mut used = HashSet::new();
    for expr in &calls {
        if let ExprKind::Replace(call) = &expr.kind
            && let ExprKind::Map(pairs) = &call.params.kind
        {
            let mut texts = Vec::new();
            let is_known = collect_texts(&call.template, read, &mut texts);
            let keys = keys_in_order(pairs);
            match is_known {
                true => used.extend(occurring(&keys, &mut texts)),
                false => used.extend(keys.iter().map(|(key, _)| *key)),
            }
        }
    }
    for expr in calls {
        match &expr.kind {
            ExprKind::Replace(call) => check_replace(expr, call, read, &used, found),
            ExprKind::Repeat(call) => check_repeat(call, found),
            _ => {}
        }
    }
}

fn check_replace<'t>(
    expr: &Expr,
    call: &'t Replace,
    read: &dyn Fn(&str) -> Option<&'t str>,
    used: &HashSet<&str>,
    found: &mut Vec<Diagnostic>,
) {
    let is_strict = call.keys != ReplaceKeys::MayBeMissing;
    // With known values, evaluation has found that the strict variants fail.
    let fails =
        |it: &Diagnostic| it.code == heat_engine::codes::NO_VALUE && it.span() == Some(expr.span);
    if is_strict && found.iter().any(fails) {
        return;
    }
    let ExprKind::Map(pairs) = &call.params.kind else { return };
    let mut texts = Vec::new();
    if !collect_texts(&call.template, read, &mut texts) {
        return;
    }
    let keys = keys_in_order(pairs);
    if keys.len() != pairs.len() || keys.iter().any(|(key, _)| key.is_empty()) {
        return;
    }
    let mut pieces = texts.clone();
    let occurring = occurring(&keys, &mut pieces);
    for (at, (key, written)) in keys.iter().enumerate() {
        checkpoint();
        if occurring.contains(key) {
            continue;
        }
        let longer = keys[..at].iter().find(|(longer, _)| longer.contains(key));
        let occurs = texts.iter().any(|text| text.contains(key));
        let message = match longer.filter(|_| occurs) {
            _ if is_strict => {
                format!("`{key}` does not occur in the template, so `str_replace` fails")
            }
            Some((longer, _)) => {
                format!("`{key}` occurs only as a part of `{longer}`, which is replaced first")
            }
            None => format!("`{key}` does not occur in the template of `str_replace`"),
        };
        let words = pieces.iter().flat_map(|piece| piece.split_whitespace());
        // Where a word is nearly the same, it was probably meant.
        let may_be_misspelled = !occurs && key.chars().count() > 3;
        let near = may_be_misspelled.then(|| did_you_mean(key, words)).flatten();
        // Several calls can share one set of placeholders, of which each uses some.
        if near.is_none() && used.contains(key) && !is_strict {
            continue;
        }
        let finding = Diagnostic::new(codes::PLACEHOLDER_MISSING, message).at(written.span);
        found.push(match near {
            Some(near) => finding.help(format!("did you mean `{near}`?")),
            None => finding,
        });
    }
}

/// The keys of `params` in the order in which Heat replaces them: the longest first.
fn keys_in_order(pairs: &[Pair]) -> Vec<(&str, &Expr)> {
    let keys = pairs.iter().filter_map(|pair| Some((pair.key.as_text()?, &pair.key)));
    let mut keys: Vec<(&str, &Expr)> = keys.collect();
    keys.sort_by_key(|(key, _)| (Reverse(key.chars().count()), *key));
    keys
}

/// The keys that occur in texts, outside of those that are replaced before them. What is left of the texts is in `pieces`.
fn occurring<'k>(keys: &[(&'k str, &Expr)], pieces: &mut Vec<&str>) -> HashSet<&'k str> {
    let mut occurring = HashSet::new();
    for (key, _) in keys.iter().filter(|(key, _)| !key.is_empty()) {
        checkpoint();
        if pieces.iter().any(|piece| piece.contains(key)) {
            *pieces = pieces.iter().flat_map(|piece| piece.split(key)).collect();
            occurring.insert(*key);
        }
    }
    occurring
}

/// Adds every text that an expression can be; false if it can be another one.
fn collect_texts<'t>(
    expr: &'t Expr,
    read: &dyn Fn(&str) -> Option<&'t str>,
    texts: &mut Vec<&'t str>,
) -> bool {
    match &expr.kind {
        ExprKind::Text(text) => {
            texts.push(text);
            true
        }
        ExprKind::File(name) => match name.as_text().and_then(read) {
            Some(text) => {
                texts.push(text);
                true
            }
            None => false,
        },
        ExprKind::Choose(choice) => {
            let branches = [Some(&choice.then), choice.otherwise.as_ref()];
            branches.into_iter().all(|it| it.is_some_and(|it| collect_texts(it, read, texts)))
        }
        _ => false,
    }
}

/// Heat replaces one variable after the other, wherever its name occurs: also within the name of a later one.
fn check_repeat(call: &Repeat, found: &mut Vec<Diagnostic>) {
    let ExprKind::Map(pairs) = &call.for_each.kind else { return };
    let keys: Vec<(&str, &Expr)> =
        pairs.iter().filter_map(|pair| Some((pair.key.as_text()?, &pair.key))).collect();
    let mut strings = Vec::new();
    call.template.walk(&mut |expr: &Expr| {
        strings.extend(expr.as_text());
        if let ExprKind::Map(pairs) = &expr.kind {
            strings.extend(pairs.iter().filter_map(|pair| pair.key.as_text()));
        }
    });
    for (at, (key, expr)) in keys.iter().enumerate() {
        checkpoint();
        let occurs = strings.iter().any(|text| text.contains(key));
        let earlier =
            keys[..at].iter().find(|(earlier, _)| key.contains(earlier) && earlier != key);
        if let Some((earlier, first)) = earlier.filter(|_| occurs) {
            let message =
                format!("`{key}` is never replaced, since `{earlier}` in it is replaced first");
            let finding = Diagnostic::new(codes::LOOP_VARIABLE_SHADOWED, message).at(expr.span);
            let finding = finding.related(first.span, "the variable that is replaced first");
            found.push(finding.help("use names of which none contains another one: `%i%`"));
        }
    }
}
