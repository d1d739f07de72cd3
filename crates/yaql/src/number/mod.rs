//! Python's numbers: integers of any size, and floating point numbers.
//!
//! - [`arithmetic`]: `+ - * // / %`, signs; [`power`]: `pow()`; [`bits`]: `& | ^ ~ << >>`
//! - [`round`]: `round()`; [`compare`](fn@compare): the exact order of numbers
//! - [`parse`]: `int()` and `float()`; [`mod@format`]: their texts
//!
//! Results that would be too large are rejected before they are computed.

mod arithmetic;
mod bits;
mod format;
mod parse;
mod power;
mod round;

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::cell::Cell;
use std::cmp::Ordering;

use num_bigint::{BigInt, Sign};
use num_traits::ToPrimitive;

use super::call::Run;
use super::{Failure, Outcome, Value, size, text};
use python_semantics::ExceptionClass;
use python_semantics::number::Integer;

pub(crate) use arithmetic::{abs, add, div, modulo, mul, neg, pos, sub, true_div};
pub(crate) use bits::{bit_and, bit_not, bit_or, bit_xor, shift_left, shift_right};
pub(crate) use format::{decimal, write_float};
pub(crate) use parse::{float, int};
pub(crate) use power::pow;
pub(crate) use round::round;

/// Maximum bits of an integer if no quota is lower: about five million digits.
const MAX_BITS: u64 = 1 << 24;

/// Converts a length to an integer.
pub(crate) fn of_usize(value: usize) -> Integer {
    i64::try_from(value).map_or_else(|_| Integer::Big(Box::new(value.into())), Integer::Small)
}

/// Converts to the canonical form: [`Integer::Small`] if it fits.
pub(crate) fn of_big(value: BigInt) -> Integer {
    value.to_i64().map_or_else(|| Integer::Big(Box::new(value)), Integer::Small)
}

/// Converts a 128-bit integer to the canonical form.
pub(crate) fn of_i128(value: i128) -> Integer {
    i64::try_from(value).map_or_else(|_| Integer::Big(Box::new(value.into())), Integer::Small)
}

/// A NaN with unique bits: in Python each NaN is a separate object, and a collection finds only the
/// same object.
pub(crate) fn nan() -> f64 {
    thread_local!(static MADE: Cell<u64> = const { Cell::new(0) });
    let number = MADE.get().wrapping_add(1) & 0x0003_ffff_ffff_ffff;
    MADE.set(number);
    f64::from_bits(0x7ff8_0000_0000_0000 | number)
}

/// A newly computed floating point number.
fn computed(value: f64) -> Value {
    Value::Float(if value.is_nan() { nan() } else { value })
}

/// An operand of arithmetic; booleans count as 0 and 1.
#[derive(Clone, Copy, Debug)]
enum Number<'v> {
    Small(i64),
    Big(&'v BigInt),
    Float(f64),
}

impl<'v> Number<'v> {
    /// `None` if the value is not a number.
    fn of(value: &'v Value) -> Option<Self> {
        Some(match value {
            Value::Bool(value) => Number::Small(i64::from(*value)),
            Value::Int(Integer::Small(value)) => Number::Small(*value),
            Value::Int(Integer::Big(value)) => Number::Big(value),
            Value::Float(value) => Number::Float(*value),
            _ => return None,
        })
    }

    /// Both operands of an operator; fails if one is not a number.
    fn both(symbol: &str, left: &'v Value, right: &'v Value) -> Outcome<(Self, Self)> {
        match (Number::of(left), Number::of(right)) {
            (Some(left), Some(right)) => Ok((left, right)),
            _ => Err(unsupported(symbol, left, right)),
        }
    }

    /// `None` for a floating point number.
    fn big(self) -> Option<Cow<'v, BigInt>> {
        match self {
            Number::Small(value) => Some(Cow::Owned(value.into())),
            Number::Big(value) => Some(Cow::Borrowed(value)),
            Number::Float(_) => None,
        }
    }

    /// The nearest floating point number; fails if it is out of range.
    fn float(self) -> Outcome<f64> {
        match self {
            #[expect(clippy::cast_precision_loss, reason = "Python rounds to the nearest, too")]
            Number::Small(value) => Ok(value as f64),
            Number::Big(value) => float_of_big(value),
            Number::Float(value) => Ok(value),
        }
    }

    fn is_zero(self) -> bool {
        match self {
            Number::Small(value) => value == 0,
            Number::Big(_) => false,
            Number::Float(value) => value == 0.0,
        }
    }

    /// The number of bits of an integer, without the sign.
    fn bits(self) -> u64 {
        match self {
            Number::Small(value) => u64::from(64 - value.unsigned_abs().leading_zeros()),
            Number::Big(value) => value.bits(),
            Number::Float(_) => 0,
        }
    }
}

fn float_of_big(value: &BigInt) -> Outcome<f64> {
    value.to_f64().filter(|value| value.is_finite()).ok_or_else(|| {
        Failure::new(ExceptionClass::OverflowError, "int too large to convert to float")
    })
}

/// The error for operands that do not support the operator.
fn unsupported(symbol: &str, left: &Value, right: &Value) -> Failure {
    if matches!(left, Value::Opaque(_)) || matches!(right, Value::Opaque(_)) {
        return Failure::Unknown;
    }
    let (left, right) = (text::type_name(left), text::type_name(right));
    Failure::type_error(format!("unsupported operand type(s) for {symbol}: '{left}' and '{right}'"))
}

fn whole(value: BigInt) -> Value {
    Value::Int(of_big(value))
}

/// Checks the size of an integer before it is computed.
///
/// # Errors
///
/// If it exceeds the memory quota, or [`MAX_BITS`].
pub(crate) fn check_bits(run: &Run, bits: u64) -> Outcome<()> {
    run.check_bytes(size::of_bits(bits))?;
    if bits > MAX_BITS {
        return Err(Failure::new(ExceptionClass::MemoryError, ""));
    }
    Ok(())
}

/// Counts the work of multiplying or dividing integers of these sizes in bits.
fn charge(run: &Run, left: u64, right: u64) -> Outcome<()> {
    // Two words of 64 bits take about a nanosecond, and the result must be stored.
    let words = |bits: u64| bits / 64;
    let cost = words(left).saturating_mul(words(right)) / 48 + (words(left) + words(right)) / 8;
    if cost > 0 { run.spend(cost) } else { Ok(()) }
}

/// The order of two numbers; the inner `None` is for NaN, the outer for values that are not numbers.
pub(crate) fn compare(left: &Value, right: &Value) -> Option<Option<Ordering>> {
    Some(match (Number::of(left)?, Number::of(right)?) {
        (Number::Small(left), Number::Small(right)) => Some(left.cmp(&right)),
        (Number::Float(left), Number::Float(right)) => left.partial_cmp(&right),
        (Number::Float(left), right) => compare_with_float(right, left).map(Ordering::reverse),
        (left, Number::Float(right)) => compare_with_float(left, right),
        (Number::Big(left), Number::Big(right)) => Some(left.cmp(right)),
        (Number::Small(_), Number::Big(right)) => Some(sign_order(right).reverse()),
        (Number::Big(left), Number::Small(_)) => Some(sign_order(left)),
    })
}

/// How a big integer compares with all small ones.
fn sign_order(big: &BigInt) -> Ordering {
    if big.sign() == Sign::Minus { Ordering::Less } else { Ordering::Greater }
}

/// The exact order of an integer and a floating point number.
fn compare_with_float(left: Number, right: f64) -> Option<Ordering> {
    if right.is_nan() {
        return None;
    }
    let floor = right.floor();
    let order = match left {
        Number::Small(left) => {
            const LIMIT: f64 = 9_223_372_036_854_775_808.0;
            if floor >= LIMIT {
                Ordering::Less
            } else if floor < -LIMIT {
                Ordering::Greater
            } else {
                #[expect(clippy::cast_possible_truncation, reason = "it is within the limits")]
                left.cmp(&(floor as i64))
            }
        }
        Number::Big(left) => match <BigInt as num_traits::FromPrimitive>::from_f64(floor) {
            Some(floor) => left.cmp(&floor),
            None if right > 0.0 => Ordering::Less,
            None => Ordering::Greater,
        },
        Number::Float(left) => return left.partial_cmp(&right),
    };
    Some(match order {
        Ordering::Equal if floor != right => Ordering::Less,
        order => order,
    })
}

/// Converts an integer to a C `ssize_t`.
///
/// # Errors
///
/// `OverflowError` if it does not fit.
pub(crate) fn as_ssize(value: &Integer) -> Outcome<i64> {
    match value {
        Integer::Small(value) => Ok(*value),
        Integer::Big(_) => {
            let message = "Python int too large to convert to C ssize_t";
            Err(Failure::new(ExceptionClass::OverflowError, message))
        }
    }
}

/// Converts an integer to a length or position, clamped to the range, as slices do.
pub(crate) fn clamped(value: &Integer) -> i64 {
    match value {
        Integer::Small(value) => *value,
        Integer::Big(value) if value.sign() == Sign::Minus => i64::MIN,
        Integer::Big(_) => i64::MAX,
    }
}
