//! Constraints of properties, which the resource types declare.
//!
//! Source: `heat.engine.constraints`, Heat 27.0.1.

use super::{Verdict, allowed_pattern, custom, limits};
use crate::eval::properties::{coerce, default_from_json};
use crate::eval::python::{self, PythonException};
use crate::eval::{Budget, Value};
use heat_template::schema::{Bounds, PropertyConstraint, Schema, ValueType};

/// Checks a value that has the type of its property. Parts of it may be unknown.
pub(in crate::eval) fn check(
    constraint: &PropertyConstraint,
    value: &Value,
    kind: ValueType,
    schema: &'static Schema,
    budget: &Budget,
) -> Result<Verdict, PythonException> {
    let undecided = || Ok(Verdict::Unknown("a part of the value is unknown".to_owned()));
    match constraint {
        PropertyConstraint::AllowedValues(allowed) => allowed_values(allowed, value, kind),
        // The number of items is known even if the items are not.
        PropertyConstraint::Length(bounds) => limits_of(bounds).check_length(value),
        _ if value.holds_unknown() => undecided(),
        PropertyConstraint::Range(bounds) => limits_of(bounds).check_range(value),
        PropertyConstraint::AllowedPattern(pattern) => {
            allowed_pattern::AllowedPattern::new(&Value::text(pattern.as_str()))?
                .check(value, budget)
        }
        PropertyConstraint::Custom(name) => {
            custom::CustomConstraint::new(Value::text(*name), schema).check(value)
        }
    }
}

fn limits_of(bounds: &Bounds) -> limits::Bounds {
    limits::Bounds { min: bounds.min.map(Value::int), max: bounds.max.map(Value::int) }
}

/// One of the allowed values, for the value itself or for every item of a list.
fn allowed_values(
    allowed: &[serde_json::Value],
    value: &Value,
    kind: ValueType,
) -> Result<Verdict, PythonException> {
    let allowed: Vec<Value> = allowed.iter().map(default_from_json).collect();
    let is_allowed = |value: &Value| allowed.iter().any(|it| python::equal(it, value));
    let holds = match value.unsealed() {
        Value::List(items) => items.iter().filter(|item| !item.holds_unknown()).all(is_allowed),
        // The value is converted already, so most are equal to one that is written with the same type.
        value => {
            let is_same =
                |it: &&Value| std::mem::discriminant(*it) == std::mem::discriminant(value);
            allowed.iter().filter(is_same).any(|it| python::equal(it, value))
                || allowed
                    .iter()
                    .filter(|it| !is_same(it))
                    .any(|it| coerce(it, kind, false).is_ok_and(|it| python::equal(&it, value)))
        }
    };
    Verdict::of(holds, || {
        let shown = python::json_dumps(value, false)?;
        let allowed = python::json_dumps(&Value::list(allowed.clone()), false)?;
        Ok(format!("{shown} is not an allowed value {allowed}"))
    })
}
