//! Constraints of parameters, one file per family.
//!
//! Heat's rules: `docs/heat.md#constraints-and-types`, `docs/heat.md#one-constraint-per-entry`.

mod allowed_pattern;
mod allowed_values;
mod cron;
mod custom;
mod declared;
mod dns;
mod ip;
mod limits;
pub(super) mod property;
mod time;

/// The end of a constraint's message, which says what is expected, but not the value before it.
pub(super) fn expectation(message: &str) -> Option<&str> {
    const ENDS: [&str; 4] = [
        "is out of range (",
        "is not a multiple of ",
        "is not an allowed value ",
        "does not match pattern ",
    ];
    let found = ENDS.iter().filter_map(|end| message.rfind(end)).max()?;
    Some(&message[found..])
}

/// The place in a text at which it is not JSON.
pub(super) fn place_in_json(message: &str) -> Option<&str> {
    let place = &message[message.rfind(": line ")? + 2..];
    let is_number = |word: &str| word.trim_end_matches(')').bytes().all(|it| it.is_ascii_digit());
    let mut words = place.split(' ');
    let is_place = words.all(|word| matches!(word, "line" | "column" | "(char") || is_number(word));
    is_place.then_some(place)
}

pub(super) use custom::is_checked_offline;
pub use declared::{DeclaredConstraints, ImpossibleBounds};
pub(super) use ip::is_ip_address;

use super::python::{self, PythonException};
use super::{Budget, HeatExceptionClass, Value};
use heat_template::hot::constraint_is_known;
use heat_template::ir::{self, ConstraintKind, Expr, ParameterType};
use heat_template::schema::Schema;
use source_diagnostics::Span;

/// Whether a value satisfies a constraint.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Verdict {
    /// The value satisfies it.
    Holds,
    /// The value violates it; the message is Heat's.
    Fails(String),
    /// Only a cloud can decide, or hotplate cannot; the reason.
    Unknown(String),
}

impl Verdict {
    fn of(
        holds: bool,
        message: impl FnOnce() -> Result<String, PythonException>,
    ) -> Result<Self, PythonException> {
        if holds { Ok(Verdict::Holds) } else { message().map(Verdict::Fails) }
    }
}

/// A constraint as Heat builds it from a template entry.
#[derive(Debug)]
pub(crate) struct ConstraintCheck {
    check: ConstraintTest,
    /// The template's message, which replaces Heat's own.
    description: Option<Value>,
    /// Where the template defines it.
    pub(crate) span: Span,
}

#[derive(Debug)]
enum ConstraintTest {
    Range(limits::Bounds),
    Length(limits::Bounds),
    Modulo(limits::Modulo),
    Allowed(allowed_values::AllowedValues),
    Pattern(allowed_pattern::AllowedPattern),
    Custom(custom::CustomConstraint),
}

/// The facts that [`fill`](crate::eval::parameters::MissingValuePolicy::Placeholder) needs to choose a placeholder value.
pub(crate) enum ValueHint<'a> {
    /// The minimum and the maximum of a number.
    Range(Option<&'a Value>, Option<&'a Value>),
    /// The minimum and the maximum of a length.
    Length(Option<&'a Value>, Option<&'a Value>),
    /// The allowed values; never empty.
    Allowed(&'a [Value]),
}

impl ConstraintCheck {
    /// Builds the constraint. The error is Heat's, with the place it refers to.
    pub(crate) fn build(
        entry: &ir::ParameterConstraint,
        schema: &'static Schema,
    ) -> Result<Self, (PythonException, Span)> {
        if let Some(unknown) =
            entry.extensions.iter().find(|extension| !constraint_is_known(&extension.name.text))
        {
            // The reader marks an entry that is not a map with an empty name.
            let not_a_map = unknown.name.text.is_empty() && unknown.name.span == entry.span;
            let message = if not_a_map {
                "Invalid parameter constraints, expected a mapping".to_owned()
            } else {
                format!("Invalid key '{}' for parameter constraints", unknown.name.text)
            };
            return Err((schema_error(message), unknown.name.span));
        }
        let (check, span) = match &entry.kind {
            ConstraintKind::Range(operand) => (
                operand_of(operand).and_then(limits::range).map(ConstraintTest::Range),
                operand.span,
            ),
            ConstraintKind::Length(operand) => (
                operand_of(operand).and_then(limits::length).map(ConstraintTest::Length),
                operand.span,
            ),
            ConstraintKind::Modulo(operand) => {
                let modulo = operand_of(operand).and_then(limits::Modulo::new);
                (modulo.map(ConstraintTest::Modulo), operand.span)
            }
            ConstraintKind::AllowedValues(operand) => {
                let allowed = operand_of(operand).and_then(allowed_values::AllowedValues::new);
                (allowed.map(ConstraintTest::Allowed), operand.span)
            }
            ConstraintKind::AllowedPattern(operand) => {
                let pattern = operand_of(operand)
                    .and_then(|text| allowed_pattern::AllowedPattern::new(&text));
                (pattern.map(ConstraintTest::Pattern), operand.span)
            }
            ConstraintKind::Custom(operand) => {
                let custom = |name| custom::CustomConstraint::new(name, schema);
                (operand_of(operand).map(custom).map(ConstraintTest::Custom), operand.span)
            }
            ConstraintKind::Missing => (Err(schema_error("No constraint expressed")), entry.span),
        };
        let check = check.map_err(|raised| (raised, span))?;
        let description = entry.description.as_ref().and_then(Value::from_data_expr);
        Ok(ConstraintCheck { check, description, span: entry.span })
    }

    /// The class name in Heat.
    pub(crate) fn name(&self) -> &'static str {
        match &self.check {
            ConstraintTest::Range(_) => "Range",
            ConstraintTest::Length(_) => "Length",
            ConstraintTest::Modulo(_) => "Modulo",
            ConstraintTest::Allowed(_) => "AllowedValues",
            ConstraintTest::Pattern(_) => "AllowedPattern",
            ConstraintTest::Custom(_) => "CustomConstraint",
        }
    }

    /// The key in the template.
    pub(crate) fn key(&self) -> &'static str {
        match &self.check {
            ConstraintTest::Range(_) => "range",
            ConstraintTest::Length(_) => "length",
            ConstraintTest::Modulo(_) => "modulo",
            ConstraintTest::Allowed(_) => "allowed_values",
            ConstraintTest::Pattern(_) => "allowed_pattern",
            ConstraintTest::Custom(_) => "custom_constraint",
        }
    }

    /// Whether parameters of this type may have it.
    pub(crate) fn is_for(&self, kind: ParameterType) -> bool {
        use ParameterType::{Boolean, Json, Number, Text, TextList};
        match &self.check {
            ConstraintTest::Range(_) | ConstraintTest::Modulo(_) => kind == Number,
            ConstraintTest::Length(_) => matches!(kind, Text | TextList | Json),
            ConstraintTest::Allowed(_) | ConstraintTest::Custom(_) => {
                matches!(kind, Text | Number | Boolean | TextList)
            }
            ConstraintTest::Pattern(_) => kind == Text,
        }
    }

    /// Whether it is skipped for defaults if a value is given.
    pub(crate) fn is_custom(&self) -> bool {
        matches!(self.check, ConstraintTest::Custom(_))
    }

    /// Checks a value as the user wrote it, except that lists and JSON are converted.
    pub(crate) fn check(
        &self,
        value: &Value,
        kind: ParameterType,
        effort: &Budget,
    ) -> Result<Verdict, PythonException> {
        let verdict = match &self.check {
            ConstraintTest::Range(bounds) => bounds.check_range(value),
            ConstraintTest::Length(bounds) => bounds.check_length(value),
            ConstraintTest::Modulo(modulo) => modulo.check(value),
            ConstraintTest::Allowed(allowed) => allowed.check(value, kind),
            ConstraintTest::Pattern(pattern) => pattern.check(value, effort),
            ConstraintTest::Custom(custom) => custom.check(value),
        };
        match (verdict, &self.description) {
            (Ok(Verdict::Fails(_)), Some(description)) if python::truthy(description) => {
                python::str(description).map(Verdict::Fails)
            }
            (verdict, _) => verdict,
        }
    }

    /// What a value must be to satisfy the constraint, as far as a placeholder needs it.
    pub(crate) fn hint(&self) -> Option<ValueHint<'_>> {
        match &self.check {
            ConstraintTest::Range(bounds) => {
                Some(ValueHint::Range(bounds.min.as_ref(), bounds.max.as_ref()))
            }
            ConstraintTest::Length(bounds) => {
                Some(ValueHint::Length(bounds.min.as_ref(), bounds.max.as_ref()))
            }
            ConstraintTest::Allowed(allowed) if !allowed.values.is_empty() => {
                Some(ValueHint::Allowed(&allowed.values))
            }
            ConstraintTest::Allowed(_)
            | ConstraintTest::Modulo(_)
            | ConstraintTest::Pattern(_)
            | ConstraintTest::Custom(_) => None,
        }
    }
}

fn schema_error(message: impl Into<String>) -> PythonException {
    PythonException::new(HeatExceptionClass::InvalidSchemaError, message)
}

fn operand_of(operand: &Expr) -> Result<Value, PythonException> {
    Value::from_data_expr(operand).ok_or_else(|| schema_error("a constraint cannot be computed"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_some_types_may_have_a_constraint() {
        let constraint = |check| ConstraintCheck { check, description: None, span: Span::NOWHERE };
        let length = limits::length(Value::map([("min", Value::int(1))])).expect("bounds");
        let length = constraint(ConstraintTest::Length(length));
        assert!(length.is_for(ParameterType::Json));
        assert!(!length.is_for(ParameterType::Number));
        let allowed = allowed_values::AllowedValues::new(Value::list(vec![])).expect("a list");
        assert!(!constraint(ConstraintTest::Allowed(allowed)).is_for(ParameterType::Json));
    }

    #[test]
    fn a_description_replaces_the_words() {
        let check = limits::range(Value::map([("max", Value::int(1))])).expect("bounds");
        let description = Some(Value::text("too large"));
        let constraint = ConstraintCheck {
            check: ConstraintTest::Range(check),
            description,
            span: Span::NOWHERE,
        };
        let verdict = constraint.check(&Value::int(2), ParameterType::Number, &Budget::default());
        assert_eq!(verdict, Ok(Verdict::Fails("too large".to_owned())));
    }
}
