//! Constraints of parameters: one file per family.
//!
//! Heat's rules: `docs/heat.md#constraints-and-types`, `docs/heat.md#one-constraint-per-entry`.

mod allowed;
mod cron;
mod custom;
mod dns;
mod ip;
mod limits;
mod pattern;
mod time;

use super::python::{self, Raised};
use super::{Class, Effort, Value};
use heat_template::hot::constraint_is_known;
use heat_template::ir::{self, ConstraintKind, Expr, ParameterType};
use source_diagnostics::Span;

/// What a constraint says of a value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Verdict {
    /// The value satisfies it.
    Holds,
    /// The value violates it, in Heat's words.
    Fails(String),
    /// Only a cloud knows, or this program cannot tell: why.
    Unknown(String),
}

impl Verdict {
    fn of(holds: bool, message: impl FnOnce() -> Result<String, Raised>) -> Result<Self, Raised> {
        if holds { Ok(Verdict::Holds) } else { message().map(Verdict::Fails) }
    }
}

/// A constraint as Heat builds it from an entry of the template.
#[derive(Debug)]
pub(crate) struct Constraint {
    check: Check,
    /// What stands in place of Heat's own words.
    description: Option<Value>,
    /// Where it stands.
    pub(crate) span: Span,
}

#[derive(Debug)]
enum Check {
    Range(limits::Bounds),
    Length(limits::Bounds),
    Modulo(limits::Modulo),
    Allowed(allowed::Allowed),
    Pattern(pattern::Pattern),
    Custom(custom::Custom),
}

/// What [`fill`](crate::eval::Missing::Invented) makes a value by.
pub(crate) enum Hint<'a> {
    /// The smallest and the largest number.
    Range(Option<&'a Value>, Option<&'a Value>),
    /// The smallest and the largest length.
    Length(Option<&'a Value>, Option<&'a Value>),
    /// What is allowed; not empty.
    Allowed(&'a [Value]),
}

impl Constraint {
    /// Builds the constraint, or says as Heat does what is wrong with it, and where.
    pub(crate) fn build(entry: &ir::Constraint) -> Result<Self, (Raised, Span)> {
        if let Some(unknown) =
            entry.extensions.iter().find(|extension| !constraint_is_known(&extension.name.text))
        {
            // The reader marks an entry that is not a map with a name that is empty.
            let not_a_map = unknown.name.text.is_empty() && unknown.name.span == entry.span;
            let message = if not_a_map {
                "Invalid parameter constraints, expected a mapping".to_owned()
            } else {
                format!("Invalid key '{}' for parameter constraints", unknown.name.text)
            };
            return Err((schema_error(message), unknown.name.span));
        }
        let (check, span) = match &entry.kind {
            ConstraintKind::Range(operand) => {
                (operand_of(operand).and_then(limits::range).map(Check::Range), operand.span)
            }
            ConstraintKind::Length(operand) => {
                (operand_of(operand).and_then(limits::length).map(Check::Length), operand.span)
            }
            ConstraintKind::Modulo(operand) => {
                let modulo = operand_of(operand).and_then(limits::Modulo::new);
                (modulo.map(Check::Modulo), operand.span)
            }
            ConstraintKind::AllowedValues(operand) => {
                let allowed = operand_of(operand).and_then(allowed::Allowed::new);
                (allowed.map(Check::Allowed), operand.span)
            }
            ConstraintKind::AllowedPattern(operand) => {
                let pattern = operand_of(operand).and_then(|text| pattern::Pattern::new(&text));
                (pattern.map(Check::Pattern), operand.span)
            }
            ConstraintKind::Custom(operand) => {
                (operand_of(operand).map(custom::Custom::new).map(Check::Custom), operand.span)
            }
            ConstraintKind::Missing => (Err(schema_error("No constraint expressed")), entry.span),
        };
        let check = check.map_err(|raised| (raised, span))?;
        let description = entry.description.as_ref().and_then(Value::of_data);
        Ok(Constraint { check, description, span: entry.span })
    }

    /// The name of the class in Heat.
    pub(crate) fn name(&self) -> &'static str {
        match &self.check {
            Check::Range(_) => "Range",
            Check::Length(_) => "Length",
            Check::Modulo(_) => "Modulo",
            Check::Allowed(_) => "AllowedValues",
            Check::Pattern(_) => "AllowedPattern",
            Check::Custom(_) => "CustomConstraint",
        }
    }

    /// The key of the template.
    pub(crate) fn key(&self) -> &'static str {
        match &self.check {
            Check::Range(_) => "range",
            Check::Length(_) => "length",
            Check::Modulo(_) => "modulo",
            Check::Allowed(_) => "allowed_values",
            Check::Pattern(_) => "allowed_pattern",
            Check::Custom(_) => "custom_constraint",
        }
    }

    /// Whether a parameter of this type may have it.
    pub(crate) fn is_for(&self, kind: ParameterType) -> bool {
        use ParameterType::{Boolean, Json, Number, Text, TextList};
        match &self.check {
            Check::Range(_) | Check::Modulo(_) => kind == Number,
            Check::Length(_) => matches!(kind, Text | TextList | Json),
            Check::Allowed(_) | Check::Custom(_) => {
                matches!(kind, Text | Number | Boolean | TextList)
            }
            Check::Pattern(_) => kind == Text,
        }
    }

    /// Whether it is not asked about defaults where a value is given.
    pub(crate) fn is_custom(&self) -> bool {
        matches!(self.check, Check::Custom(_))
    }

    /// What it says of a value, which is as the user wrote it but for lists and JSON.
    pub(crate) fn check(
        &self,
        value: &Value,
        kind: ParameterType,
        effort: &Effort,
    ) -> Result<Verdict, Raised> {
        let verdict = match &self.check {
            Check::Range(bounds) => bounds.check_range(value),
            Check::Length(bounds) => bounds.check_length(value),
            Check::Modulo(modulo) => modulo.check(value),
            Check::Allowed(allowed) => allowed.check(value, kind),
            Check::Pattern(pattern) => pattern.check(value, effort),
            Check::Custom(custom) => custom.check(value),
        };
        match (verdict, &self.description) {
            (Ok(Verdict::Fails(_)), Some(description)) if python::truthy(description) => {
                python::str(description).map(Verdict::Fails)
            }
            (verdict, _) => verdict,
        }
    }

    /// What the constraint tells of a value that would satisfy it.
    pub(crate) fn hint(&self) -> Option<Hint<'_>> {
        match &self.check {
            Check::Range(bounds) => Some(Hint::Range(bounds.min.as_ref(), bounds.max.as_ref())),
            Check::Length(bounds) => Some(Hint::Length(bounds.min.as_ref(), bounds.max.as_ref())),
            Check::Allowed(allowed) if !allowed.values.is_empty() => {
                Some(Hint::Allowed(&allowed.values))
            }
            Check::Allowed(_) | Check::Modulo(_) | Check::Pattern(_) | Check::Custom(_) => None,
        }
    }
}

fn schema_error(message: impl Into<String>) -> Raised {
    Raised::new(Class::InvalidSchemaError, message)
}

fn operand_of(operand: &Expr) -> Result<Value, Raised> {
    Value::of_data(operand).ok_or_else(|| schema_error("a constraint cannot be computed"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_some_types_may_have_a_constraint() {
        let constraint = |check| Constraint { check, description: None, span: Span::NOWHERE };
        let length = limits::length(Value::map([("min", Value::int(1))])).expect("bounds");
        let length = constraint(Check::Length(length));
        assert!(length.is_for(ParameterType::Json));
        assert!(!length.is_for(ParameterType::Number));
        let allowed = allowed::Allowed::new(Value::list(vec![])).expect("a list");
        assert!(!constraint(Check::Allowed(allowed)).is_for(ParameterType::Json));
    }

    #[test]
    fn a_description_replaces_the_words() {
        let check = limits::range(Value::map([("max", Value::int(1))])).expect("bounds");
        let description = Some(Value::text("too large"));
        let constraint =
            Constraint { check: Check::Range(check), description, span: Span::NOWHERE };
        let verdict = constraint.check(&Value::int(2), ParameterType::Number, &Effort::default());
        assert_eq!(verdict, Ok(Verdict::Fails("too large".to_owned())));
    }
}
