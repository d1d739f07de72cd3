//! Lowers nodes of the document to expressions: plain data, or values with calls.
//!
//! Heat's rule: `docs/heat.md#where-functions-are-parsed`.

use super::{Lowerer, SharedNodes};
use crate::hot::functions::{CallContext, hot_function};
use crate::ir::{Expr, ExprKind, Pair};
use lossless_yaml::{Entry, NodeId, NodeKind};

impl Lowerer<'_> {
    pub(super) fn expression(&mut self, node: NodeId, place: Option<CallContext>) -> Expr {
        let within = self.reinterpretation.as_ref().is_some_and(|reading| reading.depth > 0);
        let Some(key) = SharedNodes::key(self.document, node, place, within) else {
            return self.expression_at(node, place);
        };
        let span = self.document.span(node);
        if let Some(expr) = self.shared.at(key, span) {
            return expr;
        }
        let found = self.findings.len();
        let mut expr = self.expression_at(node, place);
        // Findings point at the alias, not at the node that it refers to.
        if self.findings.len() == found {
            self.shared.keep(key, span, &mut expr);
        }
        expr
    }

    fn expression_at(&mut self, node: NodeId, place: Option<CallContext>) -> Expr {
        let document = self.document;
        let span = document.span(node);
        let kind = match document.kind(node) {
            NodeKind::Null => ExprKind::Null,
            NodeKind::Bool(value) => ExprKind::Bool(*value),
            NodeKind::Int(value) => ExprKind::Int(value.clone()),
            NodeKind::Float(value) => ExprKind::Float(*value),
            NodeKind::Text(text) => ExprKind::Text(document.text_value(text).into()),
            NodeKind::Bytes(bytes) => ExprKind::Bytes((&**bytes).into()),
            NodeKind::Date(text) => ExprKind::Date(document.text_value(text).into()),
            NodeKind::Sequence(items) => {
                ExprKind::List(items.iter().map(|&item| self.expression(item, place)).collect())
            }
            NodeKind::Set(items) => {
                ExprKind::Set(items.iter().map(|&item| self.expression(item, None)).collect())
            }
            NodeKind::Pairs(pairs) => ExprKind::List(
                pairs
                    .iter()
                    .map(|pair| {
                        let key = self.expression(pair.key, place);
                        let value = self.expression(pair.value, place);
                        Expr::new(ExprKind::List([key, value].into()), span)
                    })
                    .collect(),
            ),
            NodeKind::Mapping(mapping) => {
                if let (Some(place), [entry]) = (place, &*mapping.entries)
                    && let Some(name) = document.str(entry.key)
                    && let Some(function) = hot_function(name)
                {
                    return self.one_key_map(node, *entry, function, place);
                }
                ExprKind::Map(
                    mapping.entries.iter().map(|&entry| self.pair(entry, place)).collect(),
                )
            }
            NodeKind::Alias(_) => unreachable!("aliases are followed"),
        };
        Expr { kind, span }
    }

    pub(super) fn pair(&mut self, entry: Entry, place: Option<CallContext>) -> Pair {
        Pair { key: self.expression(entry.key, None), value: self.expression(entry.value, place) }
    }
}

/// In the position of a condition, a text is the name of one.
pub(crate) fn as_condition(expr: Expr) -> Expr {
    match expr.kind {
        ExprKind::Text(name) => Expr { kind: ExprKind::Condition(name), span: expr.span },
        _ => expr,
    }
}
