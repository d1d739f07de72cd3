//! Builds expressions from values, and follows paths in expressions.

use heat_template::ir::{Expr, ExprKind, Pair, Selection, Shared};
use python_semantics::number::Integer;
use source_diagnostics::Span;

pub(super) fn null(span: Span) -> Expr {
    Expr::new(ExprKind::Null, span)
}

/// The value at a path in an expression; `missing` where a literal has none.
pub(super) fn step(expr: Expr, path: &[Expr], missing: &ExprKind) -> Expr {
    let Some((first, rest)) = path.split_first() else { return expr };
    let span = expr.span;
    let nothing = || Expr::new(missing.clone(), span);
    match expr.kind {
        ExprKind::Null => nothing(),
        ExprKind::Map(pairs) if is_key(first) && pairs.iter().all(|pair| is_key(&pair.key)) => {
            let same = |pair: &Pair| pair.key.kind == first.kind;
            match pairs.iter().rev().find(|pair| same(pair)) {
                Some(pair) => step(pair.value.clone(), rest, missing),
                None => nothing(),
            }
        }
        // An item that its condition may remove shifts the items after it.
        ExprKind::List(items)
            if index(first).is_some() && !items.iter().any(Expr::is_optional_item) =>
        {
            match index(first).and_then(|index| items.get(index)) {
                Some(item) => step(item.clone(), rest, missing),
                None => nothing(),
            }
        }
        ExprKind::Parameter(mut parameter) => {
            parameter.to_mut().path.extend_from_slice(path);
            Expr::new(ExprKind::Parameter(parameter), span)
        }
        ExprKind::Attribute(mut attribute) if attribute.attribute.is_some() => {
            attribute.to_mut().path.extend_from_slice(path);
            Expr::new(ExprKind::Attribute(attribute), span)
        }
        kind => {
            let collection = Expr::new(kind, span);
            let selection = Selection { index: first.clone(), collection };
            let selected = Expr::new(ExprKind::Select(Shared::new(selection)), span);
            step(selected, rest, missing)
        }
    }
}

fn is_key(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Text(_) | ExprKind::Int(_) | ExprKind::Bool(_))
}

fn index(expr: &Expr) -> Option<usize> {
    match &expr.kind {
        ExprKind::Int(Integer::Small(index)) => usize::try_from(*index).ok(),
        ExprKind::Text(text) => text.parse().ok(),
        _ => None,
    }
}

/// The number of parts of an expression, counted up to `limit`.
pub(super) fn weight(expr: &Expr, limit: usize) -> usize {
    let mut stack = vec![expr];
    let mut count = 0;
    while let Some(expr) = stack.pop() {
        count += 1;
        if count >= limit {
            break;
        }
        expr.for_each_child(|child| stack.push(child));
    }
    count
}
