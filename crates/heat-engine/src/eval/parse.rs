//! The errors that Heat raises while it parses a definition, before anything is computed. Only here and in
//! conditions does `if` decide immediately: its other branch is never parsed.
//!
//! Heat's rules: `docs/heat.md#when-an-argument-is-refused`, `docs/heat.md#if`.

use super::expression::{Evaluator, ExprCheck};
use super::{ErrorClass, EvalResult, Failure, HeatExceptionClass, Value};
use heat_template::ir::{Expr, ExprKind};
use python_semantics::ExceptionClass;

impl Evaluator<'_> {
    /// Parses an expression as Heat does.
    pub(super) fn parse(&self, expr: &Expr) -> EvalResult<()> {
        let parsed = self.check_once(ExprCheck::Parse, expr, || self.parse_node(expr));
        self.recover(parsed).map(Option::unwrap_or_default)
    }

    fn parse_node(&self, expr: &Expr) -> EvalResult<()> {
        match &expr.kind {
            ExprKind::Choose(choice) => {
                self.parse(&choice.condition)?;
                let condition = self.choice(expr, choice).map_err(as_parse_failure)?;
                match (condition.unsealed(), &choice.otherwise) {
                    (Value::Bool(true), _) => self.parse(&choice.then),
                    (Value::Bool(false), Some(otherwise)) => self.parse(otherwise),
                    // The parsed branch is unknown.
                    _ => Ok(()),
                }
            }
            ExprKind::Invalid(call) => {
                // The form of an `if` is checked before its parts are parsed.
                if !self.is_choice(call) {
                    self.parse(&call.argument)?;
                }
                self.check_call_while_parsing(expr, call)
            }
            _ => {
                let mut outcome = Ok(());
                expr.for_each_child(|child| {
                    if outcome.is_ok() {
                        outcome = self.parse(child);
                    }
                });
                outcome
            }
        }
    }
}

/// How Heat reports a failure that occurs while it parses a function.
pub(super) fn as_parse_failure(failure: Failure) -> Failure {
    if is_wrapped_while_parsing(failure.class) {
        Failure { class: HeatExceptionClass::StackValidationFailed.into(), ..failure }
    } else {
        failure
    }
}

/// The classes that Heat replaces with its own while parsing definitions.
fn is_wrapped_while_parsing(class: ErrorClass) -> bool {
    class.is_value_error()
        || matches!(class, ErrorClass::Python(ExceptionClass::TypeError | ExceptionClass::KeyError))
}
