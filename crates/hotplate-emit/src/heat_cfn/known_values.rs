//! Values that are known while rendering, as expressions.

use std::sync::Arc;

use crate::{Module, RenderModel};
use heat_engine::eval::{Operation, PartialEvaluator, Term, Unknown, Value};
use heat_template::cfn::KnownValues;
use heat_template::ir::types::TypeFacts;
use heat_template::ir::{
    Expr, ExprKind, Join, JoinPolicy, Replace, ReplaceValues, Selection, Shared, Split, SplitPolicy,
};
use source_diagnostics::Span;

/// The values of a template's parameters and expressions that are known while rendering.
pub(super) struct ModelValues<'p> {
    model: &'p RenderModel<'p>,
    folding: PartialEvaluator<'p>,
}

impl<'p> ModelValues<'p> {
    pub(super) fn new(model: &'p RenderModel<'p>, unit: &'p Module) -> Self {
        ModelValues { model, folding: model.evaluator(unit) }
    }
}

impl KnownValues for ModelValues<'_> {
    fn inlines_parameter(&self, parameter: &str) -> bool {
        self.model.fixed.contains_key(parameter)
    }

    fn folded(&self, expr: &Expr) -> Option<Expr> {
        let value = self.folding.value(expr).ok()?;
        expression(&value, expr.span)
    }

    fn facts(&self) -> &dyn TypeFacts {
        self.model.schema()
    }
}

/// A value as an expression; `None` if a part of it is computed by something without a counterpart.
fn expression(value: &Value, span: Span) -> Option<Expr> {
    value.to_expr(span, &|part| match part {
        Value::Elided => Some(Expr::new(ExprKind::Null, span)),
        Value::Secret(inner) => expression(inner, span),
        Value::Unknown(unknown) => unknown_expression(unknown, span),
        _ => None,
    })
}

/// An unknown value as a call that CFN templates support.
fn unknown_expression(unknown: &Arc<Unknown>, span: Span) -> Option<Expr> {
    let written = |is_so: fn(&ExprKind) -> bool| {
        is_so(&unknown.expr.kind).then(|| Expr { kind: unknown.expr.kind.clone(), span })
    };
    let (operation, arguments) = match unknown.term() {
        Term::Leaf { .. } => {
            return written(|kind| {
                matches!(
                    kind,
                    ExprKind::Parameter(_) | ExprKind::Resource(_) | ExprKind::Attribute(_)
                )
            });
        }
        Term::Opaque => return None,
        Term::Call { operation, arguments } => (operation, arguments.as_slice()),
    };
    let argument = |at: usize| expression(arguments.get(at)?, span);
    let kind = match operation {
        Operation::Path => return written(|kind| matches!(kind, ExprKind::Parameter(_))),
        Operation::AttributePath(_) => {
            return written(|kind| matches!(kind, ExprKind::Attribute(_)));
        }
        Operation::Select => {
            let (collection, index) = (argument(0)?, argument(1)?);
            ExprKind::Select(Shared::new(Selection { index, collection }))
        }
        Operation::Join => {
            let (delimiter, lists) = arguments.split_last()?;
            let lists: Option<Vec<Expr>> =
                lists.iter().map(|list| expression(list, span)).collect();
            let delimiter = expression(delimiter, span)?;
            let policy = JoinPolicy::AnyItems;
            ExprKind::Join(Shared::new(Join { delimiter, lists: lists?, policy }))
        }
        Operation::Split => {
            let (delimiter, text) = (argument(0)?, argument(1)?);
            let index = match arguments.len() {
                0..=2 => None,
                _ => Some(argument(2)?),
            };
            let policy = SplitPolicy::NullStays;
            ExprKind::Split(Shared::new(Split { delimiter, text, index, policy }))
        }
        Operation::Replace(keys) => {
            let (template, params) = (argument(0)?, argument(1)?);
            let values = ReplaceValues::Any;
            ExprKind::Replace(Shared::new(Replace { template, params, values, keys: *keys }))
        }
        Operation::Convert(_)
        | Operation::Parameter
        | Operation::Lookup
        | Operation::Resource
        | Operation::Attribute
        | Operation::File
        | Operation::Unary(_)
        | Operation::Binary(_)
        | Operation::Repeat { .. }
        | Operation::Round
        | Operation::MemberList(..)
        | Operation::Yaql
        | Operation::Choose { .. }
        | Operation::Equals
        | Operation::Not
        | Operation::And
        | Operation::Or => return None,
    };
    Some(Expr::new(kind, span))
}
