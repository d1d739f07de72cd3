//! What Heat refuses while it reads a definition, before anything has a value. Only here and in
//! conditions does it matter that `if` decides at once: of the other branch nothing is ever read.
//!
//! Heat's rules: `docs/heat.md#when-an-argument-is-refused`, `docs/heat.md#if`.

use super::expression::{EvalResult, Evaluator, ExprCheck};
use super::{Class, Failure, Value};
use heat_template::ir::{Expr, ExprKind};

impl Evaluator<'_> {
    /// Reads an expression as Heat does.
    pub(super) fn parse(&self, expr: &Expr) -> EvalResult<()> {
        self.check_once(ExprCheck::Parse, expr, || self.parse_node(expr))
    }

    fn parse_node(&self, expr: &Expr) -> EvalResult<()> {
        match &expr.kind {
            ExprKind::Choose(choice) => {
                self.parse(&choice.condition)?;
                let condition = self.choice(expr, choice).map_err(as_parse_failure)?;
                match (condition.unsealed(), &choice.otherwise) {
                    (Value::Bool(true), _) => self.parse(&choice.then),
                    (Value::Bool(false), Some(otherwise)) => self.parse(otherwise),
                    // Which branch is read is not known.
                    _ => Ok(()),
                }
            }
            ExprKind::Invalid(call) => {
                // The shape of an `if` is looked at before anything in it is read.
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

/// What becomes of a failure while a function is read.
pub(super) fn as_parse_failure(failure: Failure) -> Failure {
    if is_wrapped_while_parsing(failure.class) {
        Failure { class: Class::StackValidationFailed, ..failure }
    } else {
        failure
    }
}

/// The classes that Heat turns into its own where it reads definitions.
fn is_wrapped_while_parsing(class: Class) -> bool {
    matches!(class, Class::TypeError | Class::KeyError) || is_value_error(class)
}

/// Python's `ValueError` and what is derived from it.
pub(super) fn is_value_error(class: Class) -> bool {
    matches!(
        class,
        Class::ValueError
            | Class::UnicodeEncodeError
            | Class::UnicodeDecodeError
            | Class::ParserError
    )
}
