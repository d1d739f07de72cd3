//! Numbers in texts, and arithmetic.

use std::cmp::Ordering;

use num_bigint::{BigInt, Sign};
use num_traits::ToPrimitive;

use super::{PythonException, type_name};
use crate::eval::value::Value;
use python_semantics::ExceptionClass;
use python_semantics::number::Integer;
use python_semantics::unicode::{digit as decimal_digit, repr_of_text};

/// A text as Python's number parsers see it: with ASCII digits, without surrounding blanks and
/// without underscores between digits. `None` if an underscore is elsewhere.
fn number_text(text: &str) -> Option<String> {
    // Only white space counts here, not the separators that `strip` also removes.
    let text = text.trim();
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    let mut after_digit = false;
    while let Some(c) = chars.next() {
        if let Some(digit) = decimal_digit(c) {
            out.push(char::from_digit(digit, 10)?);
            after_digit = true;
        } else if c == '_' {
            if !after_digit || chars.peek().copied().and_then(decimal_digit).is_none() {
                return None;
            }
            after_digit = false;
        } else {
            out.push(c);
            after_digit = false;
        }
    }
    Some(out)
}

/// `int(text)`; `None` where Python raises `ValueError`.
pub fn int_of_text(text: &str) -> Option<Integer> {
    let text = number_text(text)?;
    // The reader's parser would accept blanks after the sign.
    let digits = text.strip_prefix(['+', '-']).unwrap_or(&text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    python_semantics::number::parse_int(&text, 10).map(Integer::from)
}

/// `int(value)`; an error with Python's class and message where Python raises one.
pub fn int(value: &Value) -> Result<Integer, PythonException> {
    match value.unsealed() {
        Value::Bool(value) => Ok(Integer::Small(i64::from(*value))),
        Value::Int(value) => Ok(value.clone()),
        Value::Float(value) if value.is_nan() => {
            Err(PythonException::value_error("cannot convert float NaN to integer"))
        }
        Value::Float(value) => {
            num_traits::FromPrimitive::from_f64(value.trunc()).map(BigInt::into).ok_or_else(|| {
                PythonException::new(
                    ExceptionClass::OverflowError,
                    "cannot convert float infinity to integer",
                )
            })
        }
        Value::Text(text) => int_of_text(text).ok_or_else(|| {
            let shown = repr_of_text(text);
            PythonException::value_error(format!("invalid literal for int() with base 10: {shown}"))
        }),
        other => Err(PythonException::type_error(format!(
            "int() argument must be a string, a bytes-like object or a real number, not '{}'",
            type_name(other)
        ))),
    }
}

/// The position of a Python index, counted from the end if negative; `None` if out of range.
pub(crate) fn index_position(index: &Integer, length: usize) -> Option<usize> {
    let Integer::Small(index) = index else { return None };
    if *index >= 0 {
        usize::try_from(*index).ok().filter(|at| *at < length)
    } else {
        length.checked_sub(usize::try_from(index.unsigned_abs()).ok()?)
    }
}

/// `float(text)`; `None` where Python raises `ValueError`.
pub(crate) fn float_of_text(text: &str) -> Option<f64> {
    number_text(text)?.parse().ok()
}

/// Converts a value where Heat requires a number: numbers as they are, texts with `int`, or else with
/// `float`.
pub fn to_number(value: &Value) -> Result<Value, PythonException> {
    match value.unsealed() {
        number @ (Value::Bool(_) | Value::Int(_) | Value::Float(_)) => Ok(number.clone()),
        Value::Text(text) => number_of_text(text),
        other => Err(PythonException::type_error(format!(
            "int() argument must be a string, a bytes-like object or a real number, not '{}'",
            type_name(other)
        ))),
    }
}

fn number_of_text(text: &str) -> Result<Value, PythonException> {
    if let Some(value) = int_of_text(text) {
        return Ok(Value::Int(value));
    }
    float_of_text(text).map(Value::Float).ok_or_else(|| {
        PythonException::value_error(format!(
            "could not convert string to float: {}",
            repr_of_text(text)
        ))
    })
}

/// The exact order of two numbers; the inner `None` is for NaN, the outer for values that are not numbers.
pub fn compare_numbers(one: &Value, other: &Value) -> Option<Option<Ordering>> {
    Some(match (as_number(one)?, as_number(other)?) {
        (Number::Int(one), Number::Int(other)) => Some(one.cmp(&other)),
        (Number::Float(one), Number::Float(other)) => one.partial_cmp(&other),
        (Number::Int(one), Number::Float(other)) => compare_with_float(&one, other),
        (Number::Float(one), Number::Int(other)) => {
            compare_with_float(&other, one).map(Ordering::reverse)
        }
    })
}

fn compare_with_float(one: &BigInt, other: f64) -> Option<Ordering> {
    if other.is_nan() {
        return None;
    }
    if other.is_infinite() {
        return Some(if other > 0.0 { Ordering::Less } else { Ordering::Greater });
    }
    let floor = python_semantics::number::integral(other.floor()).map(|value| to_big(&value))?;
    Some(match one.cmp(&floor) {
        Ordering::Equal if other.fract() != 0.0 => Ordering::Less,
        order => order,
    })
}

/// A number as an operand of arithmetic.
pub(crate) enum Number {
    /// An integer or a boolean.
    Int(BigInt),
    Float(f64),
}

/// The value as a number; `None` if it is not one.
pub(crate) fn as_number(value: &Value) -> Option<Number> {
    match value.unsealed() {
        Value::Bool(value) => Some(Number::Int(BigInt::from(u8::from(*value)))),
        Value::Int(value) => Some(Number::Int(to_big(value))),
        Value::Float(value) => Some(Number::Float(*value)),
        _ => None,
    }
}

/// The integer with its full width.
pub fn to_big(value: &Integer) -> BigInt {
    match value {
        Integer::Small(value) => BigInt::from(*value),
        Integer::Big(value) => (**value).clone(),
    }
}

/// `one % other` of numbers.
pub(crate) fn modulo(one: Number, other: Number) -> Result<Value, PythonException> {
    let float = |value: BigInt| {
        value.to_f64().filter(|value| value.is_finite()).ok_or_else(|| {
            PythonException::new(ExceptionClass::OverflowError, "int too large to convert to float")
        })
    };
    let (one, other) = match (one, other) {
        (Number::Int(one), Number::Int(other)) => {
            if other.sign() == Sign::NoSign {
                return Err(PythonException::new(
                    ExceptionClass::ZeroDivisionError,
                    "integer modulo by zero",
                ));
            }
            let rest = &one % &other;
            let crosses = rest.sign() != Sign::NoSign && rest.sign() != other.sign();
            return Ok(Value::Int(Integer::from(if crosses { rest + other } else { rest })));
        }
        (Number::Int(one), Number::Float(other)) => (float(one)?, other),
        (Number::Float(one), Number::Int(other)) => (one, float(other)?),
        (Number::Float(one), Number::Float(other)) => (one, other),
    };
    if other == 0.0 {
        return Err(PythonException::new(ExceptionClass::ZeroDivisionError, "float modulo"));
    }
    let rest = one % other;
    let crosses = rest != 0.0 && (rest < 0.0) != (other < 0.0);
    Ok(Value::Float(if crosses { rest + other } else { rest }))
}
