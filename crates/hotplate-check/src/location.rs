//! Where a part of a value is written.

use std::collections::HashMap;

use heat_engine::eval::typed_properties::ValueStep;
use heat_template::ir::{Expr, ExprKind, Pair};
use source_diagnostics::Span;

/// The place of the value that `path` leads to: of its key where `at_key`, else of the value. Where a function computes the
/// value, the place of the innermost call that does.
pub fn locate(expr: &Expr, path: &[ValueStep], at_key: bool) -> Span {
    descend(expr, path, at_key).0
}

/// A value with the keys of its map, for one with many places to find.
pub(crate) struct IndexedValue<'e> {
    expr: &'e Expr,
    keys: HashMap<&'e str, &'e Pair>,
}

impl<'e> IndexedValue<'e> {
    pub(crate) fn new(expr: &'e Expr) -> Self {
        let pairs: &[Pair] = if let ExprKind::Map(pairs) = &expr.kind { pairs } else { &[] };
        let keys = pairs.iter().filter_map(|pair| Some((pair.key.as_text()?, pair)));
        IndexedValue { expr, keys: keys.collect() }
    }

    /// The place of the value that `path` leads to, as [`locate`] finds it.
    pub(crate) fn locate(&self, path: &[ValueStep], at_key: bool) -> Span {
        let Some((ValueStep::Key(key), rest)) = path.split_first() else {
            return locate(self.expr, path, at_key);
        };
        match self.keys.get(key.as_str()) {
            Some(pair) if rest.is_empty() && at_key => pair.key.span,
            Some(pair) => locate(&pair.value, rest, at_key),
            None if matches!(self.expr.kind, ExprKind::Map(_)) => self.expr.span,
            None => locate(self.expr, path, at_key),
        }
    }
}

/// The place, with the number of steps that are left.
fn descend(expr: &Expr, path: &[ValueStep], at_key: bool) -> (Span, usize) {
    let Some((step, rest)) = path.split_first() else { return (expr.span, 0) };
    match (&expr.kind, step) {
        (ExprKind::Map(pairs), ValueStep::Key(key)) => {
            let named = |pair: &&Pair| pair.key.as_text() == Some(key);
            match pairs.iter().rev().find(named) {
                Some(pair) if rest.is_empty() && at_key => (pair.key.span, 0),
                Some(pair) => descend(&pair.value, rest, at_key),
                None => (expr.span, path.len()),
            }
        }
        (ExprKind::List(items), ValueStep::Item(at)) => match items.get(*at) {
            Some(item) => descend(item, rest, at_key),
            None => (expr.span, path.len()),
        },
        // Every item is a round of the template.
        (ExprKind::Repeat(call), ValueStep::Item(_)) => descend(&call.template, rest, at_key),
        (ExprKind::Choose(choice), ValueStep::Then) => descend(&choice.then, rest, at_key),
        (ExprKind::Choose(choice), ValueStep::Otherwise) => match &choice.otherwise {
            Some(otherwise) => descend(otherwise, rest, at_key),
            None => (expr.span, path.len()),
        },
        // The condition is known: the branch with the value is the one in which the path leads farthest.
        (ExprKind::Choose(choice), _) => {
            let then = descend(&choice.then, path, at_key);
            let otherwise = choice.otherwise.as_ref().map(|it| descend(it, path, at_key));
            match otherwise {
                Some(otherwise) if otherwise.1 < then.1 => otherwise,
                _ => then,
            }
        }
        _ => (expr.span, path.len()),
    }
}
