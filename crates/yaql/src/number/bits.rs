//! `& | ^ ~ << >>`.

use num_bigint::{BigInt, Sign};
use python_semantics::ExceptionClass;

use super::arithmetic::whole_operands;
use super::{Number, check_bits, whole};
use crate::call::Run;
use crate::{Failure, Outcome, Value, text};

/// `left & right`.
pub(crate) fn bit_and(left: &Value, right: &Value) -> Outcome {
    bitwise("&", left, right, |one, other| one & other, |one, other| one & other)
}

/// `left | right`.
pub(crate) fn bit_or(left: &Value, right: &Value) -> Outcome {
    bitwise("|", left, right, |one, other| one | other, |one, other| one | other)
}

/// `left ^ right`.
pub(crate) fn bit_xor(left: &Value, right: &Value) -> Outcome {
    bitwise("^", left, right, |one, other| one ^ other, |one, other| one ^ other)
}

fn bitwise(
    symbol: &str,
    left: &Value,
    right: &Value,
    small: fn(i64, i64) -> i64,
    big: fn(&BigInt, &BigInt) -> BigInt,
) -> Outcome {
    let (one, other) = whole_operands(symbol, left, right)?;
    if let (Value::Bool(_), Value::Bool(_), Number::Small(one), Number::Small(other)) =
        (left, right, one, other)
    {
        return Ok(Value::Bool(small(one, other) != 0));
    }
    Ok(match (one, other) {
        (Number::Small(one), Number::Small(other)) => Value::int(small(one, other)),
        (one, other) => match (one.big(), other.big()) {
            (Some(one), Some(other)) => whole(big(&one, &other)),
            _ => return Err(super::unsupported(symbol, left, right)),
        },
    })
}

/// `~value`.
pub(crate) fn bit_not(value: &Value) -> Outcome {
    match Number::of(value) {
        Some(Number::Small(value)) => Ok(Value::int(!value)),
        Some(Number::Big(value)) => Ok(whole(!value)),
        Some(Number::Float(_)) | None => Err(match value {
            Value::Opaque(_) => Failure::Unknown,
            other => {
                let name = text::type_name(other);
                Failure::type_error(format!("bad operand type for unary ~: '{name}'"))
            }
        }),
    }
}

fn negative_count() -> Failure {
    Failure::value_error("negative shift count")
}

/// CPython's maximum number of digits of an integer, and the bits per digit.
const MAX_CPYTHON_DIGITS: i64 = i64::MAX / 4;
const DIGIT_BITS: u32 = 30;

/// `left << right`.
pub(crate) fn shift_left(run: &Run, left: &Value, right: &Value) -> Outcome {
    let (one, other) = whole_operands("<<", left, right)?;
    let count = match other {
        Number::Small(count) => u64::try_from(count).map_err(|_| negative_count())?,
        Number::Big(count) if count.sign() == Sign::Minus => return Err(negative_count()),
        Number::Big(_) if one.is_zero() => 0,
        // CPython stores digits of 30 bits, up to this number of digits.
        Number::Big(count) if count / DIGIT_BITS <= BigInt::from(MAX_CPYTHON_DIGITS) => {
            return Err(Failure::new(ExceptionClass::MemoryError, ""));
        }
        Number::Big(_) | Number::Float(_) => {
            let message = "too many digits in integer";
            return Err(Failure::new(ExceptionClass::OverflowError, message));
        }
    };
    if one.is_zero() {
        return Ok(Value::int(0));
    }
    check_bits(run, one.bits().saturating_add(count))?;
    Ok(match one {
        Number::Small(value) if one.bits() + count < 63 => Value::int(value << count),
        one => whole(&*one.big().unwrap_or_default() << count),
    })
}

/// `left >> right`.
pub(crate) fn shift_right(left: &Value, right: &Value) -> Outcome {
    let (one, other) = whole_operands(">>", left, right)?;
    let count = match other {
        Number::Small(count) => u64::try_from(count).map_err(|_| negative_count())?,
        Number::Big(count) if count.sign() == Sign::Minus => return Err(negative_count()),
        Number::Big(_) | Number::Float(_) => u64::MAX,
    };
    Ok(match one {
        Number::Small(value) => Value::int(value >> count.min(63)),
        Number::Big(value) if count >= value.bits() => {
            Value::int(if value.sign() == Sign::Minus { -1 } else { 0 })
        }
        Number::Big(value) => whole(value >> count),
        Number::Float(_) => return Err(super::unsupported(">>", left, right)),
    })
}
