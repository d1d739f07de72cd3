//! Lowers nodes of the document to expressions: plain data, or values with calls.
//!
//! Heat's rule: `docs/heat.md#where-functions-are-parsed`.

use super::SharedNodes;
use super::lowerer::{Lowerer, LoweringDialect};
use crate::hot::call::invalid_call;
use crate::hot::functions::CallContext;
use crate::ir::{Choice, Expr, ExprKind, Pair, Shared};
use lossless_yaml::{Entry, NodeId, NodeKind};
use source_diagnostics::cancellation::checkpoint;
use source_diagnostics::{Severity, Span};

impl<D: LoweringDialect> Lowerer<'_, D> {
    /// Lowers a node as data: maps in it are never calls.
    pub(crate) fn data(&mut self, node: NodeId) -> Expr {
        self.expression(node, None)
    }

    /// Lowers a node as a value: maps may be calls, as the context allows.
    pub(crate) fn value(&mut self, node: NodeId, context: CallContext) -> Expr {
        self.expression(node, Some(context))
    }

    fn expression(&mut self, node: NodeId, place: Option<CallContext>) -> Expr {
        let within = self.dialect.is_reinterpreting();
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
        checkpoint();
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
            NodeKind::Pairs(pairs) => {
                let pairs = pairs.iter().map(|pair| {
                    let parts = [pair.key, pair.value].map(|part| self.expression(part, place));
                    Expr::new(ExprKind::List(parts.into()), span)
                });
                ExprKind::List(pairs.collect())
            }
            NodeKind::Mapping(mapping) => {
                if let (Some(place), &[entry]) = (place, &*mapping.entries)
                    && let Some(call) = D::call(self, node, entry, place)
                {
                    return call;
                }
                let entries = mapping.entries.iter();
                ExprKind::Map(entries.map(|&entry| self.pair(entry, place)).collect())
            }
            NodeKind::Alias(_) => unreachable!("aliases are followed"),
        };
        Expr { kind, span }
    }

    pub(super) fn pair(&mut self, entry: Entry, place: Option<CallContext>) -> Pair {
        Pair { key: self.expression(entry.key, None), value: self.expression(entry.value, place) }
    }

    /// Lowers an `if`, the only function that decides which of its arguments are parsed; the first is a condition.
    pub(crate) fn choice(
        &mut self,
        name: &str,
        entry: Entry,
        span: Span,
        optional: bool,
    ) -> ExprKind {
        let items = self.document.items(entry.value);
        let wanted = if optional { 2..=3 } else { 3..=3 };
        if !wanted.contains(&items.len()) {
            let argument = self.value(entry.value, CallContext::Value);
            let problem = "it takes [condition, value_if_true, value_if_false]";
            return invalid_call(self, name, argument, span, problem);
        }
        let condition = as_condition(self.value(items[0], CallContext::Condition));
        let found = self.findings.len();
        let then = self.value(items[1], CallContext::Value);
        let otherwise = items.get(2).map(|&node| self.value(node, CallContext::Value));
        for finding in self.findings[found..].iter_mut().filter(|finding| finding.is_error()) {
            finding.severity = Severity::Warning;
            finding.help.push("Heat refuses it only if this branch is selected".to_owned());
        }
        ExprKind::Choose(Shared::new(Choice { condition, then, otherwise }))
    }
}

/// In the position of a condition, a text is the name of one.
pub(crate) fn as_condition(expr: Expr) -> Expr {
    match expr.kind {
        ExprKind::Text(name) => Expr { kind: ExprKind::Condition(name), span: expr.span },
        _ => expr,
    }
}
