//! A declared parameter: its value and its validation.
//!
//! Heat's rules: `docs/heat.md#values-of-parameters`, `docs/heat.md#constraints-of-a-default`.

use std::sync::Arc;

use num_traits::ToPrimitive;

use super::conversion::{coerce, no_split, strict_none, to_json, to_list};
use super::{
    MissingValuePolicy, ParameterFailure, ParameterInputs, ParameterStage, Parameters,
    SuppliedValue, UncheckedConstraint, non_null,
};
use crate::eval::constraints::{ConstraintCheck, ValueHint, Verdict, expectation, place_in_json};
use crate::eval::python::{self, Number, PythonException};
use crate::eval::{
    Budget, Dependency, ErrorClass, Failure, HeatExceptionClass, Operation, Unknown, Value,
};
use heat_template::dialect::Dialect;
use heat_template::ir::{Expr, ExprKind, Parameter, ParameterType, Stack};
use python_semantics::ExceptionClass;
use source_diagnostics::{Code, Span};

/// A valid declaration with the value supplied for it.
pub(super) struct DeclaredParameter<'a> {
    pub(super) name: &'a str,
    parameter: &'a Parameter,
    kind: ParameterType,
    constraints: Vec<ConstraintCheck>,
    default: Option<SuppliedValue>,
    environment_default: Option<SuppliedValue>,
    /// Whether it has a value that is unknown here.
    is_given: bool,
    /// The user's value, or a placeholder.
    pub(super) user_value: Option<SuppliedValue>,
}

/// Reads a declaration as Heat does. A key that Heat does not know and a type in capitals, which go to `survived` in Heat's order, take nothing
/// away from the rest: the parameter has its value for those who go on. Any other error ends it.
pub(super) fn declare<'a>(
    stack: &Stack,
    name: &'a str,
    parameter: &'a Parameter,
    inputs: &ParameterInputs<'_>,
    survived: &mut Vec<Failure>,
) -> Result<DeclaredParameter<'a>, Failure> {
    let refused =
        |message: String, span| Failure::new(HeatExceptionClass::InvalidSchemaError, message, span);
    let dialect = Dialect::of(&stack.format);
    for extension in &parameter.extensions {
        if extension.name.span == parameter.name_span {
            // The reader marks a declaration that is not a map this way.
            let message = format!("Invalid parameter ({name}), expected a mapping");
            return Err(refused(message, extension.value.span));
        }
        let key = &extension.name.text;
        if !dialect.is_parameter_key(key) {
            let message = format!("Invalid key '{key}' for parameter ({name})");
            survived.push(refused(message, extension.name.span));
        }
    }
    let extension = |key: &str| {
        let mut extensions = parameter.extensions.iter();
        extensions.find(|extension| &*extension.name.text == key).map(|found| &found.value)
    };
    let kind = match (parameter.kind, extension(dialect.key_name("type"))) {
        (Some(kind), _) => Ok(kind),
        (None, Some(written)) => Err(written),
        (None, None) => {
            let message = format!("Missing parameter type for parameter: {name}");
            return Err(refused(message, parameter.name_span));
        }
    };
    if let Some(tags) = &parameter.tags
        && !matches!(tags.kind, ExprKind::List(_))
    {
        let message = format!("Tags property should be a list for parameter: {name}");
        return Err(refused(message, tags.span));
    }
    if let Some(written) = extension("constraints") {
        let message =
            format!("Invalid parameter constraints for parameter {name}, expected a list");
        return Err(refused(message, written.span));
    }
    let constraints = parameter
        .constraints
        .iter()
        .map(|entry| {
            ConstraintCheck::build(entry, inputs.schema).map_err(|(raised, span)| raised.at(span))
        })
        .collect::<Result<Vec<_>, _>>()?;
    let kind = match kind {
        Ok(kind) => kind,
        Err(written) => {
            let shown = Value::from_data_expr(written).and_then(|value| python::str(&value).ok());
            let shown = shown.unwrap_or_default();
            let refusal = refused(format!("Invalid type ({shown})"), written.span);
            match ParameterType::from_hot_name(&shown.to_lowercase()) {
                Some(kind) => {
                    survived.push(refusal);
                    kind
                }
                None => return Err(refusal),
            }
        }
    };
    let written = parameter.default.as_ref().and_then(|expr| {
        Some(SuppliedValue {
            value: Value::from_data_expr(expr)?,
            span: Some(expr.span),
            key: None,
        })
    });
    let user_default = inputs.environment_defaults.get(name);
    // Environment defaults replace those of the declarations before placeholders are chosen.
    let default = match (inputs.missing, user_default) {
        (MissingValuePolicy::Placeholder, Some(default)) => Some(default.clone()),
        _ => written,
    };
    Ok(DeclaredParameter {
        name,
        parameter,
        kind,
        constraints,
        default: non_null(default.as_ref()).cloned(),
        environment_default: non_null(user_default).cloned(),
        is_given: inputs.given.iter().any(|it| it == name),
        user_value: non_null(inputs.user_values.get(name)).cloned(),
    })
}

impl DeclaredParameter<'_> {
    /// The effective value, before conversion.
    pub(super) fn raw_value(&self) -> Option<&SuppliedValue> {
        self.user_value.as_ref().or_else(|| self.default_value())
    }

    fn default_value(&self) -> Option<&SuppliedValue> {
        let default = self.environment_default.as_ref().or(self.default.as_ref());
        default.filter(|_| !self.is_given)
    }

    fn span_of(&self, given: &SuppliedValue) -> Span {
        given.span.unwrap_or(self.parameter.name_span)
    }

    fn missing_failure(&self) -> Failure {
        let message = format!("The Parameter ({}) was not provided.", self.name);
        Failure::new(HeatExceptionClass::UserParameterMissing, message, self.parameter.name_span)
    }

    /// A reference to the parameter.
    fn expr(&self) -> Expr {
        Expr::parameter(self.name, Vec::new(), self.parameter.name_span)
    }

    /// An unknown value converted to this parameter's type.
    fn converted(&self, expr: Arc<Expr>, raw: Value) -> Value {
        let operation = Operation::Convert(self.kind);
        Value::Unknown(Arc::new(Unknown::call(expr, operation, vec![raw])))
    }

    /// The symbolic value of a parameter without a value.
    pub(super) fn symbolic_value(&self, level: usize) -> Value {
        let name = Dependency::Parameter(self.name.to_owned());
        let leaf = Unknown::leaf(self.expr(), name, level);
        self.converted(Arc::new(self.expr()), Value::Unknown(Arc::new(leaf)))
    }

    pub(super) fn value(
        &self,
        missing: MissingValuePolicy,
        level: usize,
    ) -> Result<Value, Failure> {
        let Some(given) = self.raw_value() else {
            return match (missing, self.kind) {
                (MissingValuePolicy::Unknown, _) => Ok(self.symbolic_value(level)),
                (_, ParameterType::Boolean) => Err(strict_none().at(self.parameter.name_span)),
                _ => Err(self.missing_failure()),
            };
        };
        let raw = &given.value;
        let hidden = self.parameter.is_hidden();
        let secret = hidden || raw.holds_secret();
        let failed = |raised: PythonException| raised.at(self.span_of(given)).sealed(secret);
        if !raw.holds_unknown() {
            // Parts of JSON and of lists keep their own secrets.
            let in_parts = matches!(self.kind, ParameterType::Json | ParameterType::TextList)
                && !matches!(raw, Value::Secret(_));
            if in_parts {
                return Ok(self.hidden(coerce(raw, self.kind).map_err(failed)?, level));
            }
            let value = coerce(&raw.reveal().0, self.kind).map_err(failed)?;
            return Ok(match raw {
                _ if hidden => self.hidden(value, level),
                // A text keeps the parts that are not secret.
                Value::Secret(inner) if ***inner == value => raw.clone(),
                _ => value.sealed(secret),
            });
        }
        let value = match self.kind {
            // Text needs no conversion.
            ParameterType::Text if matches!(raw.unsealed(), Value::Unknown(_)) => raw.clone(),
            _ if let Value::Unknown(unknown) = raw.unsealed() => {
                let value = self.converted(Arc::clone(&unknown.expr), raw.unsealed().clone());
                value.sealed(matches!(raw, Value::Secret(_)))
            }
            ParameterType::Json => to_json(raw).map_err(failed)?,
            ParameterType::TextList if has_no_secret_items(raw) => to_list(raw).map_err(failed)?,
            _ => self.converted(Arc::new(self.expr()), raw.clone()),
        };
        let is_unknown = matches!(value, Value::Unknown(_));
        Ok(value.sealed(hidden && !is_unknown))
    }

    /// The value of a parameter that may be hidden.
    fn hidden(&self, value: Value, level: usize) -> Value {
        if !self.parameter.is_hidden() {
            return value;
        }
        let name = Dependency::Parameter(self.name.to_owned());
        value.sealed_as(Unknown::leaf(self.expr(), name, level))
    }

    /// The placeholder for a parameter without a value, the same that the conformance harness gives to Heat.
    pub(super) fn placeholder(&self) -> Value {
        let mark = Value::text(format!("<<param:{}>>", self.name));
        let mut value = match self.kind {
            ParameterType::Text => mark,
            ParameterType::Number => Value::int(1),
            ParameterType::Boolean => Value::Bool(true),
            ParameterType::TextList => Value::list(vec![mark]),
            ParameterType::Json => Value::map::<&str>([]),
        };
        for constraint in &self.constraints {
            match constraint.hint() {
                Some(ValueHint::Allowed(allowed)) => {
                    value = match self.kind {
                        ParameterType::TextList => Value::list(allowed[..1].to_vec()),
                        _ => allowed[0].clone(),
                    };
                }
                Some(ValueHint::Range(min, max)) => {
                    value = min.or(max).cloned().unwrap_or(Value::Null);
                }
                Some(ValueHint::Length(min, max)) => {
                    if let Value::Text(text) = &value {
                        value = Value::text(self.placeholder_text(
                            text,
                            length_bound(min),
                            length_bound(max),
                        ));
                    }
                }
                None => {}
            }
        }
        value
    }

    /// A text whose length is within the bounds.
    fn placeholder_text(&self, text: &str, min: Option<i64>, max: Option<i64>) -> String {
        let length = |text: &str| i64::try_from(text.chars().count()).unwrap_or(i64::MAX);
        let mut text = text.to_owned();
        if let Some(max) = max.filter(|max| length(&text) > *max) {
            text = format!("p{}", self.name);
            // A negative bound counts from the end, like Python's slices.
            let keep = if max < 0 { (length(&text) + max).max(0) } else { max };
            text = text.chars().take(usize::try_from(keep).unwrap_or(0)).collect();
        }
        if let Some(min) = min {
            let more = min.min(MAX_PLACEHOLDER_LENGTH) - length(&text);
            text.extend(std::iter::repeat_n('x', usize::try_from(more).unwrap_or(0)));
        }
        text
    }

    /// Whether the parameter is hidden or its supplied value is secret.
    fn holds_secret(&self) -> bool {
        let given = self.default.iter().chain(self.raw_value());
        self.parameter.is_hidden() || given.into_iter().any(|given| given.value.holds_secret())
    }

    fn report(
        &self,
        out: &mut Parameters,
        code: Code,
        raised: PythonException,
        span: Span,
        constraint: Option<&ConstraintCheck>,
    ) {
        let secret = self.holds_secret() && code != crate::codes::PARAMETER_MISSING;
        let class = raised.class;
        let of_parameter = |why: &str| match class {
            ErrorClass::Heat(
                HeatExceptionClass::StackValidationFailed | HeatExceptionClass::InvalidSchemaError,
            ) => format!("Parameter '{}' is invalid: {why}", self.name),
            _ => why.to_owned(),
        };
        // The values and the pattern of a hidden parameter are secrets, too.
        let is_public = |it: &&ConstraintCheck| matches!(it.key(), "range" | "length" | "modulo");
        let why = match constraint {
            Some(_) => constraint.filter(is_public).and_then(|_| expectation(&raised.message)),
            None if self.kind == ParameterType::Json => place_in_json(&raised.message),
            None => None,
        };
        let expected = match constraint {
            Some(constraint) => format!("violates its `{}`", constraint.key()),
            None => format!("is not a valid {}", self.kind.hot_name()),
        };
        let expected = why.map_or_else(|| expected.clone(), |why| format!("{expected}: {why}"));
        let failure = raised.sealed(secret).reworded(class, of_parameter).at(span);
        out.failures.push(ParameterFailure {
            parameter: Some(self.name.to_owned()),
            constraint: constraint.map(|constraint| (constraint.key(), constraint.span)),
            expected: Some(expected),
            ..ParameterFailure::new(ParameterStage::Validation, code, failure)
        });
    }

    /// Validates the declaration, its default and its value; stops at the first error.
    pub(super) fn validate(
        &self,
        missing: MissingValuePolicy,
        effort: &Budget,
        out: &mut Parameters,
    ) {
        let misfit = self.constraints.iter().find(|constraint| !constraint.is_for(self.kind));
        if let Some(constraint) = misfit {
            let message =
                format!("{} constraint invalid for {}", constraint.name(), self.kind.hot_name());
            let raised = PythonException::new(HeatExceptionClass::InvalidSchemaError, message);
            self.report(out, crate::codes::PARAMETER_REFUSED, raised, constraint.span, None);
            return;
        }
        if let Some(default) = &self.default
            && let Err((raised, constraint)) = self.check_default(default, effort)
        {
            let code = crate::codes::PARAMETER_DEFAULT;
            self.report(out, code, raised, self.span_of(default), constraint);
            return;
        }
        let Some(given) = self.raw_value() else {
            if missing != MissingValuePolicy::Unknown {
                let failure = self.missing_failure();
                let raised = PythonException::new(failure.class, failure.message);
                self.report(out, crate::codes::PARAMETER_MISSING, raised, failure.span, None);
            }
            return;
        };
        if given.value.holds_unknown() {
            return;
        }
        let span = self.span_of(given);
        let value = match self.constraint_value(&given.value.reveal().0) {
            Ok(value) => value,
            Err(raised) => {
                self.report(out, crate::codes::PARAMETER_VALUE, raised, span, None);
                return;
            }
        };
        for constraint in &self.constraints {
            let violated = match constraint.check(&value, self.kind, effort) {
                Ok(Verdict::Holds) => continue,
                Ok(Verdict::Unknown(why)) => {
                    out.unchecked.push(UncheckedConstraint {
                        parameter: self.name.to_owned(),
                        why,
                        span,
                        constraint: (constraint.key(), constraint.span),
                        secret: self.holds_secret(),
                    });
                    continue;
                }
                Ok(Verdict::Fails(message)) => invalid(message),
                Err(raised) if raised.class == ExceptionClass::ValueError => {
                    invalid(raised.message)
                }
                Err(raised) => raised,
            };
            self.report(out, crate::codes::CONSTRAINT_VIOLATED, violated, span, Some(constraint));
        }
    }

    /// The value as constraints see it: converted only for lists and JSON.
    fn constraint_value(&self, raw: &Value) -> Result<Value, PythonException> {
        let as_invalid = |raised: PythonException| invalid(raised.message);
        match self.kind {
            ParameterType::Text => {}
            ParameterType::Number => drop(python::to_number(raw).map_err(as_invalid)?),
            ParameterType::Boolean => drop(python::strict_bool(raw).map_err(as_invalid)?),
            ParameterType::TextList | ParameterType::Json => {
                return coerce(raw, self.kind).map_err(|raised| match raised.class {
                    ErrorClass::Python(ExceptionClass::ValueError) => as_invalid(raised),
                    _ => raised,
                });
            }
        }
        Ok(raw.clone())
    }

    /// Heat validates a default even if it is not used, except for custom constraints.
    fn check_default(
        &self,
        default: &SuppliedValue,
        effort: &Budget,
    ) -> Result<(), (PythonException, Option<&ConstraintCheck>)> {
        if default.value.holds_unknown() {
            return Ok(());
        }
        let raw = default.value.reveal().0;
        let refused =
            |message| PythonException::new(HeatExceptionClass::InvalidSchemaError, message);
        let value = match (self.kind, &raw) {
            (ParameterType::TextList, Value::List(_)) => {
                to_list(&raw).map_err(|raised| (raised, None))?
            }
            // Here the empty string is a list with one empty text.
            (ParameterType::TextList, Value::Text(text)) => {
                Value::list(text.split(',').map(Value::text).collect())
            }
            (ParameterType::TextList, other) => {
                let message =
                    format!("Default must be a comma-delimited list string: {}", no_split(other));
                return Err((refused(message), None));
            }
            _ => raw.clone(),
        };
        for constraint in self.constraints.iter().filter(|constraint| !constraint.is_custom()) {
            let why = match constraint.check(&value, self.kind, effort) {
                Ok(Verdict::Holds | Verdict::Unknown(_)) => continue,
                Ok(Verdict::Fails(message)) => message,
                Err(raised) => match raised.class {
                    ErrorClass::Python(ExceptionClass::ValueError | ExceptionClass::TypeError) => {
                        raised.message
                    }
                    _ => return Err((raised, Some(constraint))),
                },
            };
            let shown = python::str(&raw).map_err(|raised| (raised, Some(constraint)))?;
            return Err((refused(format!("Invalid default {shown} ({why})")), Some(constraint)));
        }
        Ok(())
    }
}

fn has_no_secret_items(value: &Value) -> bool {
    let Value::List(items) = value else { return false };
    items.iter().all(|item| matches!(item, Value::Unknown(_)) || !item.holds_unknown())
}

pub(super) fn invalid(message: impl Into<String>) -> PythonException {
    PythonException::new(HeatExceptionClass::StackValidationFailed, message)
}

/// A length bound as an integer.
fn length_bound(bound: Option<&Value>) -> Option<i64> {
    match python::as_number(bound?)? {
        Number::Int(value) => Some(value.to_i64().unwrap_or(i64::MAX)),
        Number::Float(_) => None,
    }
}

/// Maximum length of a placeholder text.
const MAX_PLACEHOLDER_LENGTH: i64 = 1 << 20;
