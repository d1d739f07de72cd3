//! The constraints of a declared parameter, for questions about the values that it may have.
//!
//! Heat's rules: `docs/heat.md#parameters-and-constraints`.

use num_bigint::BigInt;
use num_traits::ToPrimitive;

use super::{ConstraintCheck, ConstraintTest, Verdict, limits};
use crate::eval::parameters::to_type;
use crate::eval::python::{Number, as_number};
use crate::eval::{Budget, Value};
use heat_template::ir::{Parameter, ParameterType};
use heat_template::schema::Schema;
use source_diagnostics::Span;

/// The constraints of a parameter as Heat applies them.
#[derive(Debug)]
pub struct DeclaredConstraints {
    kind: ParameterType,
    checks: Vec<ConstraintCheck>,
}

/// Bounds that a value cannot meet together.
#[derive(Clone, Debug, PartialEq)]
pub struct ImpossibleBounds {
    /// The subject of the bounds: `number` or `length`.
    pub subject: &'static str,
    /// The largest minimum, and the span of its constraint.
    pub min: (String, Span),
    /// The smallest maximum, and the span of its constraint.
    pub max: (String, Span),
    /// The span of a `modulo` that excludes all numbers between them; `None` if there are none.
    pub modulo: Option<Span>,
}

impl DeclaredConstraints {
    /// The constraints of a parameter; `None` if Heat refuses its declaration.
    pub fn of(parameter: &Parameter, schema: &'static Schema) -> Option<Self> {
        let checks =
            parameter.constraints.iter().map(|entry| ConstraintCheck::build(entry, schema));
        let checks = checks.collect::<Result<Vec<_>, _>>().ok()?;
        let kind = parameter.kind?;
        checks
            .iter()
            .all(|check| check.is_for(kind))
            .then_some(DeclaredConstraints { kind, checks })
    }

    /// The value converted to the type of the parameter; `None` if Heat refuses it.
    pub fn converted(&self, value: &Value) -> Option<Value> {
        to_type(value, self.kind).ok()
    }

    /// The positions of the constraints that a value certainly violates.
    pub fn violated_by(&self, value: &Value, budget: &Budget) -> Vec<usize> {
        let checks = self.checks.iter().enumerate();
        let violated = checks.filter(|(_, check)| self.violates(check, value, budget));
        violated.map(|(at, _)| at).collect()
    }

    /// The first constraint, other than that at a position, which a value certainly violates. Whether one of many allowed values
    /// is allowed need not be found out.
    pub fn violated_besides(&self, at: usize, value: &Value, budget: &Budget) -> Option<usize> {
        let mut others = self.checks.iter().enumerate().filter(|(other, _)| *other != at);
        others.find(|(_, check)| self.violates(check, value, budget)).map(|(other, _)| other)
    }

    fn violates(&self, check: &ConstraintCheck, value: &Value, budget: &Budget) -> bool {
        // Only a cloud knows whether a custom constraint holds.
        !check.is_custom() && matches!(check.check(value, self.kind, budget), Ok(Verdict::Fails(_)))
    }

    /// The values that the constraint at a position allows, as they are written; `None` if it is of another kind.
    pub fn allowed_values(&self, position: usize) -> Option<&[Value]> {
        match &self.checks.get(position)?.check {
            ConstraintTest::Allowed(allowed) => Some(&allowed.values),
            _ => None,
        }
    }

    /// The number of constraints.
    pub fn len(&self) -> usize {
        self.checks.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.checks.is_empty()
    }

    /// Every value that the parameter can have, converted; `None` if they cannot be listed.
    pub fn possible_values(&self, budget: &Budget) -> Option<Vec<Value>> {
        if self.kind == ParameterType::Boolean {
            let both = [true, false].map(Value::Bool).into_iter();
            return Some(both.filter(|value| self.violated_by(value, budget).is_empty()).collect());
        }
        if !matches!(self.kind, ParameterType::Text | ParameterType::Number) {
            return None;
        }
        let (at, allowed) =
            (0..self.checks.len()).find_map(|at| Some((at, self.allowed_values(at)?)))?;
        // What cannot be converted is an error of another check.
        let values: Option<Vec<Value>> =
            allowed.iter().map(|value| self.converted(value)).collect();
        Some(
            values?
                .into_iter()
                .filter(|value| self.violated_besides(at, value, budget).is_none())
                .collect(),
        )
    }

    /// The bounds of numbers and lengths that exclude each other, alone or because of a `modulo`.
    pub fn impossible_bounds(&self) -> Option<ImpossibleBounds> {
        let of = |subject| self.impossible_bounds_of(subject);
        of("number").or_else(|| of("length"))
    }

    fn impossible_bounds_of(&self, subject: &'static str) -> Option<ImpossibleBounds> {
        let bounds = self.checks.iter().filter_map(|check| match (&check.check, subject) {
            (ConstraintTest::Range(bounds), "number") => Some((bounds, check.span)),
            (ConstraintTest::Length(bounds), "length") => Some((bounds, check.span)),
            _ => None,
        });
        let bounds: Vec<(&limits::Bounds, Span)> = bounds.collect();
        let numbers = |select: fn(&limits::Bounds) -> Option<&Value>| {
            bounds.iter().filter_map(move |(bounds, span)| Some((number(select(bounds)?)?, *span)))
        };
        let min = numbers(|it| it.min.as_ref()).max_by(|one, other| one.0.total_cmp(&other.0))?;
        let max = numbers(|it| it.max.as_ref()).min_by(|one, other| one.0.total_cmp(&other.0))?;
        let is_between = |modulo: &limits::Modulo| modulo.has_value_between(min.0, max.0);
        let modulo = self.checks.iter().find_map(|check| match &check.check {
            ConstraintTest::Modulo(modulo) if subject == "number" && !is_between(modulo) => {
                Some(check.span)
            }
            _ => None,
        });
        let shown = |(value, span): (f64, Span)| (value.to_string(), span);
        let modulo = if min.0 <= max.0 { Some(modulo?) } else { None };
        Some(ImpossibleBounds { subject, min: shown(min), max: shown(max), modulo })
    }
}

fn number(value: &Value) -> Option<f64> {
    let number = match as_number(value)? {
        Number::Int(value) => BigInt::to_f64(&value)?,
        Number::Float(value) => value,
    };
    number.is_finite().then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use heat_template::dialect::lower;
    use lossless_yaml::{Limits, read};
    use source_diagnostics::SourceId;

    fn constraints(declaration: &str) -> DeclaredConstraints {
        let text = format!("heat_template_version: 2018-08-31\nparameters:\n  p: {declaration}\n");
        let document = read(SourceId(0), text.into(), &Limits::default()).expect("YAML");
        let stack = lower(&document).expect("a template").stack;
        DeclaredConstraints::of(&stack.parameters["p"], Schema::heat()).expect("accepted")
    }

    #[test]
    fn allowed_values_are_those_that_every_constraint_allows() {
        let values = |declaration| constraints(declaration).possible_values(&Budget::default());
        let text =
            "{type: string, constraints: [{allowed_values: [1, a, bb]}, {length: {max: 1}}]}";
        assert_eq!(values(text), Some(vec![Value::text("1"), Value::text("a")]));
        assert_eq!(values("{type: boolean}").map(|values| values.len()), Some(2));
        assert_eq!(values("{type: string}"), None);
        assert_eq!(values("{type: json}"), None);
    }

    #[test]
    fn bounds_that_no_value_meets() {
        let impossible = |constraints_: &str| {
            let declaration = format!("{{type: number, constraints: [{constraints_}]}}");
            constraints(&declaration).impossible_bounds().is_some()
        };
        assert!(impossible("{range: {min: 5, max: 1}}"));
        assert!(impossible("{range: {min: 5}}, {range: {max: 1}}"));
        assert!(!impossible("{range: {min: 1, max: 1}}"));
        assert!(!impossible("{range: {min: 5}}"));
        assert!(impossible("{modulo: {step: 10, offset: 1}}, {range: {min: 2, max: 9}}"));
        assert!(!impossible("{modulo: {step: 10, offset: 1}}, {range: {min: 2, max: 11}}"));
        assert!(!impossible("{modulo: {step: -10, offset: -1}}, {range: {min: -1, max: 8}}"));
        let length = constraints("{type: string, constraints: [{length: {min: 3, max: 2}}]}");
        assert_eq!(length.impossible_bounds().map(|it| it.subject), Some("length"));
    }
}
