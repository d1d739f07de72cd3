//! `int()` and `float()`.

use num_bigint::BigInt;
use num_traits::FromPrimitive as _;

use super::format::MAX_DECIMAL_DIGITS;
use super::{Number, of_big};
use crate::{Failure, Outcome, Value, text};
use python_semantics::ExceptionClass;
use python_semantics::number::Integer;
use python_semantics::unicode::digit;

/// A text as Python's number parsers see it: with ASCII digits and without surrounding white space.
/// Only white space counts here, not the separators that `strip` also removes.
fn plain(text: &str) -> std::borrow::Cow<'_, str> {
    let text = text.trim();
    if text.is_ascii() {
        return text.into();
    }
    let ascii = |c| digit(c).and_then(|digit| char::from_digit(digit, 10)).unwrap_or(c);
    text.chars().map(ascii).collect::<String>().into()
}

/// Maximum number of characters of an invalid text that the message of `int()` shows.
const SHOWN: usize = 200;

/// `int(text)`.
///
/// # Errors
///
/// `ValueError`.
pub(crate) fn int_of_text(given: &str) -> Outcome<Integer> {
    let wrong = || {
        let shown: String = text::repr_of_text(given).chars().take(SHOWN).collect();
        Failure::value_error(format!("invalid literal for int() with base 10: {shown}"))
    };
    let plain = plain(given);
    if let (Ok(value), false) = (plain.parse(), plain.len() > 18) {
        return Ok(Integer::Small(value));
    }
    let (negative, body) = match plain.as_bytes() {
        [b'-', ..] => (true, &plain[1..]),
        [b'+', ..] => (false, &plain[1..]),
        _ => (false, &*plain),
    };
    // Python counts the digits before it checks what follows them.
    let run = body.find(|c: char| !c.is_ascii_digit() && c != '_').unwrap_or(body.len());
    let (digits, after) = body.split_at(run);
    if digits.starts_with('_') || digits.contains("__") || digits.ends_with('_') {
        return Err(wrong());
    }
    let digits = digits.replace('_', "");
    if digits.len() > MAX_DECIMAL_DIGITS {
        return Err(Failure::value_error(format!(
            "Exceeds the limit ({MAX_DECIMAL_DIGITS} digits) for integer string conversion: value has {} \
             digits; use sys.set_int_max_str_digits() to increase the limit",
            digits.len()
        )));
    }
    if digits.is_empty() || !after.is_empty() {
        return Err(wrong());
    }
    let value: BigInt = digits.parse().map_err(|_| wrong())?;
    Ok(of_big(if negative { -value } else { value }))
}

/// The integer part of a floating point number.
pub(super) fn trunc(value: f64) -> Outcome<Integer> {
    if value.is_nan() {
        return Err(Failure::value_error("cannot convert float NaN to integer"));
    }
    BigInt::from_f64(value.trunc()).map(of_big).ok_or_else(|| {
        Failure::new(ExceptionClass::OverflowError, "cannot convert float infinity to integer")
    })
}

/// `int(value)`.
///
/// # Errors
///
/// `TypeError`, `ValueError`, `OverflowError`.
pub(crate) fn int(value: &Value) -> Outcome {
    match value {
        Value::Int(_) => Ok(value.clone()),
        Value::Bool(value) => Ok(Value::int(*value)),
        Value::Float(value) => trunc(*value).map(Value::Int),
        Value::Text(text) => int_of_text(text).map(Value::Int),
        Value::Opaque(_) => Err(Failure::Unknown),
        other => Err(Failure::type_error(format!(
            "int() argument must be a string, a bytes-like object or a real number, not '{}'",
            text::type_name(other)
        ))),
    }
}

/// `float(text)`.
///
/// # Errors
///
/// `ValueError`.
pub(crate) fn float_of_text(given: &str) -> Outcome<f64> {
    let wrong = || {
        let shown = text::repr_of_text(given);
        Failure::value_error(format!("could not convert string to float: {shown}"))
    };
    let plain = plain(given);
    let value: f64 = if plain.contains('_') {
        let bytes = plain.as_bytes();
        let is_digit = |at: Option<usize>| {
            at.and_then(|at| bytes.get(at)).is_some_and(|byte| byte.is_ascii_digit())
        };
        let between = |at: usize| is_digit(at.checked_sub(1)) && is_digit(Some(at + 1));
        if !bytes.iter().enumerate().all(|(at, byte)| *byte != b'_' || between(at)) {
            return Err(wrong());
        }
        plain.replace('_', "").parse().map_err(|_| wrong())?
    } else {
        plain.parse().map_err(|_| wrong())?
    };
    Ok(if value.is_nan() { super::nan() } else { value })
}

/// `float(value)`.
///
/// # Errors
///
/// `TypeError`, `ValueError`, `OverflowError`.
pub(crate) fn float(value: &Value) -> Outcome {
    match value {
        Value::Float(_) => Ok(value.clone()),
        Value::Text(text) => float_of_text(text).map(Value::Float),
        Value::Opaque(_) => Err(Failure::Unknown),
        other => match Number::of(other) {
            Some(number) => number.float().map(Value::Float),
            None => Err(Failure::type_error(format!(
                "float() argument must be a string or a real number, not '{}'",
                text::type_name(other)
            ))),
        },
    }
}
