//! Replaces the placeholder of a member's index in the definition of a group.
//!
//! Heat replaces the placeholder in strings of the resolved properties, not in keys. Source:
//! `resource_group.py`, Heat 27.0.1.
//!
//! Heat's rule: `docs/heat.md#the-number-of-a-member`.

use heat_template::ir::{Expr, ExprKind, Pair, Replace, ReplaceKeys, ReplaceValues, Shared};

/// The facts about strings outside the expression.
pub(super) trait ContentLookup {
    /// Whether the value of a parameter or the content of a file may contain the placeholder.
    fn may_hold(&self, leaf: &Expr, mark: &str) -> bool;
}

/// An expression with the index in place of its placeholder.
pub(super) fn with_member_number(
    expr: &Expr,
    mark: &str,
    number: &str,
    contents: &impl ContentLookup,
) -> Expr {
    let mut go = |part: &Expr| with_member_number(part, mark, number, contents);
    match &expr.kind {
        ExprKind::Text(found) if found.contains(mark) => {
            Expr::text(found.replace(mark, number), expr.span)
        }
        ExprKind::Map(pairs) => {
            let pairs = pairs.iter();
            let pairs = pairs.map(|pair| Pair { key: pair.key.clone(), value: go(&pair.value) });
            Expr::new(ExprKind::Map(pairs.collect()), expr.span)
        }
        ExprKind::Replace(replace) if !overlaps_placeholder(&replace.params, mark) => {
            let mut replace = (**replace).clone();
            replace.template = go(&replace.template);
            replace.params = go(&replace.params);
            Expr::new(ExprKind::Replace(Shared::new(replace)), expr.span)
        }
        ExprKind::Choose(choice) => {
            let mut choice = (**choice).clone();
            choice.then = go(&choice.then);
            choice.otherwise = choice.otherwise.as_ref().map(go);
            Expr::new(ExprKind::Choose(Shared::new(choice)), expr.span)
        }
        ExprKind::List(_) | ExprKind::Join(_) | ExprKind::AssertText(_) => expr.with_parts(&mut go),
        ExprKind::Unary(function, _) if function.facts().keeps_parts => expr.with_parts(&mut go),
        _ if holds(expr, mark, contents) => replaced(expr, mark, number),
        _ => expr.clone(),
    }
}

/// A call whose strings are known only as its value: the placeholder is replaced in that value.
fn replaced(expr: &Expr, mark: &str, number: &str) -> Expr {
    let span = expr.span;
    let pair = Pair { key: Expr::text(mark, span), value: Expr::text(number, span) };
    let replace = Replace {
        template: expr.clone(),
        params: Expr::new(ExprKind::Map([pair].into()), span),
        values: ReplaceValues::Any,
        keys: ReplaceKeys::MayBeMissing,
    };
    Expr::new(ExprKind::Replace(Shared::new(replace)), span)
}

/// Whether a placeholder of the call overlaps that of the index: the call replaces it first.
fn overlaps_placeholder(params: &Expr, mark: &str) -> bool {
    let ExprKind::Map(pairs) = &params.kind else { return true };
    pairs.iter().any(|pair| match pair.key.as_text() {
        Some(key) => key.contains(mark) || mark.contains(key),
        None => true,
    })
}

fn holds(expr: &Expr, mark: &str, contents: &impl ContentLookup) -> bool {
    let mut found = false;
    expr.walk(&mut |part| match &part.kind {
        ExprKind::Text(text) => found |= text.contains(mark),
        ExprKind::Parameter(_) | ExprKind::File(_) | ExprKind::Attribute(_) => {
            found |= contents.may_hold(part, mark);
        }
        _ => {}
    });
    found
}
