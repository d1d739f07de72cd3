//! Named conditions, and the functions that combine conditions.
//!
//! Heat's rule: `docs/heat.md#conditions`.

use super::expression::{Evaluator, fail};
use super::{
    ErrorClass, EvalResult, Failure, HeatExceptionClass, KnownNames, Operation, PythonException,
    Value, python,
};
use heat_template::ir::{Choice, Expr};
use python_semantics::ExceptionClass;

/// The evaluation state of a named condition.
#[derive(Clone, Debug)]
pub(super) enum ConditionState {
    /// It is being computed, or has failed: Heat does not distinguish the two.
    Unresolved,
    /// It nests too many others. Kept, since each of those would find this out again.
    TooDeep(Box<Failure>),
    Resolved(Value),
}

impl<'a> Evaluator<'a> {
    /// Evaluates a condition: a boolean, a condition name, or null, which is true. The result is a boolean,
    /// possibly unknown or secret.
    pub(super) fn condition_holds(&self, expr: &Expr, condition: &Value) -> EvalResult {
        match condition {
            Value::Null => Ok(Value::Bool(true)),
            Value::Bool(_) | Value::Unknown(_) => Ok(condition.clone()),
            Value::Text(name) => self.named_condition(expr, name),
            Value::Secret(inner) => match self.condition_holds(expr, inner) {
                Ok(value) => Ok(value.sealed(true)),
                Err(failure) => Err(failure.sealed(true)),
            },
            other => {
                let message = format!("Invalid condition \"{}\"", python::repr_preview(other));
                Err(fail(expr, PythonException::value_error(message)))
            }
        }
    }

    /// The value of a named condition.
    pub(super) fn named_condition(&self, expr: &Expr, name: &str) -> EvalResult {
        let Some((name, condition)) = self.stack.conditions.get_key_value(name) else {
            let message = format!("Invalid condition \"{name}\"");
            return Err(fail(expr, PythonException::value_error(message))
                .of_unknown_name(name, KnownNames::Conditions));
        };
        match self.conditions.borrow().get(name.as_str()) {
            Some(ConditionState::Resolved(value)) => return Ok(value.clone()),
            Some(ConditionState::TooDeep(failure)) => return Err((**failure).clone()),
            Some(ConditionState::Unresolved) => {
                self.discard_shared();
                let message = format!(
                    "Condition validation error: Circular definition for condition \"{name}\""
                );
                return Err(Failure::new(
                    HeatExceptionClass::StackValidationFailed,
                    message,
                    expr.span,
                ));
            }
            None => {}
        }
        self.conditions.borrow_mut().insert(name.into(), ConditionState::Unresolved);
        let value = self.value(&condition.value).inspect_err(|failure| {
            if failure.class == ErrorClass::Python(ExceptionClass::RecursionError) {
                let state = ConditionState::TooDeep(Box::new(failure.clone()));
                self.conditions.borrow_mut().insert(name.into(), state);
            }
        })?;
        if !matches!(value.unsealed(), Value::Bool(_) | Value::Unknown(_)) {
            return Err(invalid_definition(name, &python::str_preview(&value), &condition.value));
        }
        self.conditions.borrow_mut().insert(name.into(), ConditionState::Resolved(value.clone()));
        Ok(value)
    }

    /// Forgets that conditions have failed, so that they are computed again, except those that nest too many others.
    pub(super) fn forget_failed_conditions(&self) {
        self.conditions.borrow_mut().retain(|_, it| !matches!(it, ConditionState::Unresolved));
    }

    /// Keeps only the values of conditions.
    pub(super) fn keep_resolved_conditions(&self) {
        self.conditions.borrow_mut().retain(|_, it| matches!(it, ConditionState::Resolved(_)));
    }

    /// Whether a choice takes its first branch.
    pub(super) fn choice(&self, expr: &Expr, choice: &Choice) -> EvalResult {
        let condition = self.value(&choice.condition)?;
        self.condition_holds(expr, &condition)
    }

    /// Evaluates `not`.
    pub(super) fn not(&self, expr: &Expr, condition: &Value) -> EvalResult {
        let condition = self.condition_holds(expr, condition)?;
        let secret = matches!(condition, Value::Secret(_));
        Ok(match condition.unsealed() {
            Value::Bool(value) => Value::Bool(!value).sealed(secret),
            unknown => self.unknown(expr, Operation::Not, &[unknown]),
        })
    }

    /// Evaluates `and` and `or`: the first member equal to `decisive` decides. All members are computed
    /// before the condition names among them are resolved, one after the other.
    pub(super) fn decide_all(&self, expr: &Expr, members: &[Expr], decisive: bool) -> EvalResult {
        let mut values = Vec::with_capacity(members.len());
        for member in members {
            values.push(self.value(member)?);
        }
        let mut secret = false;
        let mut unknown: Vec<Value> = Vec::new();
        for value in &values {
            let value = match self.condition_holds(expr, value) {
                Ok(value) => value,
                // An unknown member before this one may have decided.
                Err(_) if !unknown.is_empty() => break,
                Err(failure) => return Err(failure),
            };
            secret |= matches!(value, Value::Secret(_));
            match value.unsealed() {
                Value::Bool(value) if *value == decisive => {
                    return Ok(Value::Bool(decisive).sealed(secret));
                }
                Value::Bool(_) => {}
                _ => unknown.push(value),
            }
        }
        if unknown.is_empty() {
            return Ok(Value::Bool(!decisive).sealed(secret));
        }
        let operation = if decisive { Operation::Or } else { Operation::And };
        Ok(self.unknown(expr, operation, &unknown.iter().collect::<Vec<_>>()))
    }
}

/// The failure of a definition that is neither a boolean nor a function.
pub(super) fn invalid_definition(name: &str, shown: &str, expr: &Expr) -> Failure {
    let message = format!(
        "Condition validation error: The definition of condition \"{name}\" is invalid: {shown}"
    );
    Failure::new(HeatExceptionClass::StackValidationFailed, message, expr.span)
}
