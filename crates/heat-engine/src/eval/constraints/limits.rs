//! The constraints `range`, `length` and `modulo`.
//!
//! Heat's rules: `docs/heat.md#range-and-length`, `docs/heat.md#modulo`.

use std::cmp::Ordering;

use num_bigint::{BigInt, Sign};
use num_traits::{ToPrimitive, Zero};
use python_semantics::ExceptionClass;

use super::{Verdict, schema_error};
use crate::eval::python::{self, Number, PythonException, as_number};
use crate::eval::{Key, Value};

/// The bounds of a number or a length; at least one of them is set.
#[derive(Debug)]
pub(super) struct Bounds {
    pub(super) min: Option<Value>,
    pub(super) max: Option<Value>,
}

/// Reads two numbers from a map that must not have other keys.
fn read_numbers(
    operand: &Value,
    keys: [&str; 2],
    entity: &str,
) -> Result<[Option<Value>; 2], PythonException> {
    let Value::Map(map) = operand else {
        return Err(schema_error(format!("Invalid {entity}, expected a mapping")));
    };
    for key in map.keys() {
        if !key.as_text().is_some_and(|key| keys.contains(&key)) {
            let key = python::str(&Key::to_value(key))?;
            return Err(schema_error(format!("Invalid key '{key}' for {entity}")));
        }
    }
    let number = |key: &str| match map.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => python::to_number(value).map(Some),
    };
    Ok([number(keys[0])?, number(keys[1])?])
}

pub(super) fn range(operand: Value) -> Result<Bounds, PythonException> {
    let [min, max] = read_numbers(&operand, ["min", "max"], "range constraint")?;
    if min.is_none() && max.is_none() {
        let message = "A range constraint must have a min value and/or a max value specified.";
        return Err(schema_error(message));
    }
    Ok(Bounds { min, max })
}

pub(super) fn length(operand: Value) -> Result<Bounds, PythonException> {
    let [min, max] = read_numbers(&operand, ["min", "max"], "length constraint")?;
    if min.is_none() && max.is_none() {
        let message = "A length constraint must have a min value and/or a max value specified.";
        return Err(schema_error(message));
    }
    if [&min, &max].iter().any(|bound| matches!(bound, Some(Value::Float(_)))) {
        return Err(schema_error("min/max length must be integral"));
    }
    Ok(Bounds { min, max })
}

impl Bounds {
    fn contains(&self, value: &Value) -> bool {
        let is = |bound: &Option<Value>, order| {
            let bound = bound.as_ref();
            bound
                .is_some_and(|bound| python::compare_numbers(value, bound).flatten() == Some(order))
        };
        !is(&self.min, Ordering::Less) && !is(&self.max, Ordering::Greater)
    }

    fn describe(&self) -> Result<String, PythonException> {
        let word = |bound: &Option<Value>| match bound {
            None => Ok("None".to_owned()),
            Some(bound) => python::str(bound),
        };
        Ok(format!("is out of range (min: {}, max: {})", word(&self.min)?, word(&self.max)?))
    }

    pub(super) fn check_range(&self, value: &Value) -> Result<Verdict, PythonException> {
        Verdict::of(self.contains(&python::to_number(value)?), || {
            Ok(format!("{} {}", python::str(value)?, self.describe()?))
        })
    }

    pub(super) fn check_length(&self, value: &Value) -> Result<Verdict, PythonException> {
        let length = python::len(value)?;
        let value = Value::int(i64::try_from(length).unwrap_or(i64::MAX));
        Verdict::of(self.contains(&value), || Ok(format!("length ({length}) {}", self.describe()?)))
    }
}

/// The constraint `modulo`: a multiple of `step` plus `offset`.
#[derive(Debug)]
pub(super) struct Modulo {
    step: Value,
    offset: Value,
}

impl Modulo {
    pub(super) fn new(operand: Value) -> Result<Self, PythonException> {
        let [step, offset] = read_numbers(&operand, ["step", "offset"], "modulo constraint")?;
        let (Some(step), Some(offset)) = (step, offset) else {
            let message =
                "A modulo constraint must have a step value and an offset value specified.";
            return Err(schema_error(message));
        };
        let whole = |value: &Value| -> Result<BigInt, PythonException> {
            match as_number(value) {
                Some(Number::Int(value)) => Ok(value),
                Some(Number::Float(value)) if value.is_nan() => {
                    Err(PythonException::value_error("cannot convert float NaN to integer"))
                }
                Some(Number::Float(value)) if value.is_infinite() => {
                    let message = "cannot convert float infinity to integer";
                    Err(PythonException::new(ExceptionClass::OverflowError, message))
                }
                Some(Number::Float(value)) => match python_semantics::number::integral(value) {
                    Some(value) => Ok(python::to_big(&value)),
                    None => Err(schema_error("step/offset must be integer")),
                },
                None => Err(schema_error("step/offset must be numeric")),
            }
        };
        let (whole_step, whole_offset) = (whole(&step)?, whole(&offset)?);
        if whole_step.is_zero() {
            return Err(schema_error("step cannot be 0."));
        }
        if whole_offset.magnitude() >= whole_step.magnitude() {
            let message = "offset must be smaller (by absolute value) than step.";
            return Err(schema_error(message));
        }
        if whole_offset.sign() != Sign::NoSign && whole_offset.sign() != whole_step.sign() {
            let message = "step and offset must be both positive or both negative.";
            return Err(schema_error(message));
        }
        Ok(Modulo { step, offset })
    }

    /// Whether a number from `min` to `max` satisfies the constraint.
    pub(super) fn has_value_between(&self, min: f64, max: f64) -> bool {
        let number = |value: &Value| match as_number(value) {
            Some(Number::Int(value)) => value.to_f64(),
            Some(Number::Float(value)) => Some(value),
            None => None,
        };
        let (Some(step), Some(offset)) = (number(&self.step), number(&self.offset)) else {
            return true;
        };
        let step = step.abs();
        // The first multiple of the step from `min` on.
        ((min - offset) / step).ceil() * step + offset <= max
    }

    pub(super) fn check(&self, value: &Value) -> Result<Verdict, PythonException> {
        let number = python::to_number(value)?;
        let (Some(one), Some(step)) = (as_number(&number), as_number(&self.step)) else {
            return Err(PythonException::type_error("unsupported operand type(s) for %"));
        };
        let rest = python::modulo(one, step)?;
        Verdict::of(python::equal(&rest, &self.offset), || {
            Ok(format!(
                "{} is not a multiple of {} with an offset of {}",
                python::str(value)?,
                python::str(&self.step)?,
                python::str(&self.offset)?
            ))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::HeatExceptionClass;

    fn map(pairs: &[(&'static str, Value)]) -> Value {
        Value::map(pairs.iter().cloned())
    }

    #[test]
    fn bounds_are_numbers_or_texts_of_numbers() {
        let bounds =
            range(map(&[("min", Value::text("1.5")), ("max", Value::Null)])).expect("bounds");
        let fails = Verdict::Fails("1 is out of range (min: 1.5, max: None)".to_owned());
        assert_eq!(bounds.check_range(&Value::text("1")), Ok(fails));
        assert_eq!(bounds.check_range(&Value::Float(f64::NAN)), Ok(Verdict::Holds));
        assert_eq!(
            bounds.check_range(&Value::Null).map_err(|e| e.class),
            Err(ExceptionClass::TypeError.into())
        );
        for wrong in [map(&[]), Value::Null, map(&[("least", Value::int(1))])] {
            let class = range(wrong).expect_err("wrong").class;
            assert_eq!(class, HeatExceptionClass::InvalidSchemaError);
        }
        let class = range(map(&[("min", Value::text("x"))])).expect_err("wrong").class;
        assert_eq!(class, ExceptionClass::ValueError);
    }

    #[test]
    fn lengths_are_counted_in_characters_and_are_whole() {
        let bounds = length(map(&[("max", Value::int(2))])).expect("bounds");
        assert_eq!(bounds.check_length(&Value::text("éé")), Ok(Verdict::Holds));
        assert!(matches!(bounds.check_length(&Value::text("abc")), Ok(Verdict::Fails(_))));
        assert_eq!(
            bounds.check_length(&Value::int(1)).map_err(|e| e.class),
            Err(ExceptionClass::TypeError.into())
        );
        assert!(length(map(&[("max", Value::Float(2.0))])).is_err());
    }

    #[test]
    fn a_modulo_has_a_step_and_a_smaller_offset() {
        let new = |step, offset| Modulo::new(map(&[("step", step), ("offset", offset)]));
        let modulo = new(Value::int(3), Value::Float(1.0)).expect("a modulo");
        assert_eq!(modulo.check(&Value::text("4")), Ok(Verdict::Holds));
        assert_eq!(modulo.check(&Value::int(-2)), Ok(Verdict::Holds));
        assert!(matches!(modulo.check(&Value::Float(4.5)), Ok(Verdict::Fails(_))));
        for (step, offset) in [(0, 0), (2, 2), (2, -1)] {
            assert!(new(Value::int(step), Value::int(offset)).is_err(), "{step} {offset}");
        }
        assert!(new(Value::int(1), Value::Null).is_err());
        let class = new(Value::Float(f64::INFINITY), Value::int(0)).expect_err("infinite").class;
        assert_eq!(class, ExceptionClass::OverflowError);
    }
}
