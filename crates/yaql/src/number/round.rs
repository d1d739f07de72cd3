//! Python's `round()`, which rounds half to even.

use num_bigint::{BigInt, Sign};
use num_traits::{FromPrimitive as _, Signed as _, Zero as _};

use super::{Number, clamped, float_of_big, whole};
use crate::call::Run;
use crate::{Failure, Outcome, Value, text};
use python_semantics::ExceptionClass;
use python_semantics::number::Integer;

/// `round(value, digits)`; `round(value)` without digits.
pub(crate) fn round(run: &Run, value: &Value, digits: Option<&Integer>) -> Outcome {
    match Number::of(value) {
        Some(Number::Float(value)) => match digits {
            None => super::parse::trunc(value.round_ties_even()).map(Value::Int),
            Some(digits) => round_float(value, clamped(digits)),
        },
        Some(number) => {
            let digits = digits.map_or(0, clamped);
            match number.big() {
                Some(big) if digits < 0 => round_whole(run, &big, digits.unsigned_abs()),
                _ => super::pos(value),
            }
        }
        None if matches!(value, Value::Opaque(_)) => Err(Failure::Unknown),
        None => {
            let name = text::type_name(value);
            Err(Failure::type_error(format!("type {name} doesn't define __round__ method")))
        }
    }
}

/// Rounds an integer to a multiple of a power of ten, half to even.
fn round_whole(run: &Run, value: &BigInt, zeros: u64) -> Outcome {
    // The result is 0 if the power of ten is more than twice as large.
    if zeros > value.bits() / 3 + 1 {
        return Ok(Value::int(0));
    }
    super::charge(run, value.bits(), value.bits())?;
    let Ok(zeros) = u32::try_from(zeros) else { return Ok(Value::int(0)) };
    let unit = BigInt::from(10).pow(zeros);
    Ok(whole(nearest(value, &unit) * unit))
}

/// `value / unit`, rounded half to even; the unit is positive.
fn nearest(value: &BigInt, unit: &BigInt) -> BigInt {
    let (quotient, rest) = (value / unit, value % unit);
    let twice: BigInt = rest.abs() * 2;
    let away = twice > *unit || (twice == *unit && quotient.bit(0));
    match (away, value.sign()) {
        (false, _) => quotient,
        (true, Sign::Minus) => quotient - 1,
        (true, _) => quotient + 1,
    }
}

fn round_float(value: f64, digits: i64) -> Outcome {
    // Beyond these, there is no digit to be rounded, or none to be kept.
    const MOST: i64 = 323;
    const LEAST: i64 = -308;
    if !value.is_finite() || digits > MOST {
        return Ok(Value::Float(value));
    }
    if digits < LEAST || value == 0.0 {
        return Ok(Value::Float(0.0 * value));
    }
    let too_large =
        || Failure::new(ExceptionClass::OverflowError, "rounded value too large to represent");
    let rounded = match usize::try_from(digits) {
        // Formatting rounds by the digits of the exact value.
        Ok(digits) => format!("{value:.digits$}").parse().map_err(|_| too_large())?,
        Err(_) => {
            let zeros = u32::try_from(digits.unsigned_abs()).unwrap_or(u32::MAX);
            let unit = BigInt::from(10).pow(zeros);
            // The fraction matters only if the integer part is exactly in the middle.
            let part = BigInt::from_f64(value.trunc()).unwrap_or_default();
            let twice: BigInt = (&part % &unit).abs() * 2;
            let above = twice == unit && value.fract() != 0.0;
            let mut count = nearest(&part, &unit);
            if above {
                count = &part / &unit + if value < 0.0 { -1 } else { 1 };
            }
            let found = float_of_big(&(count.abs() * unit)).map_err(|_| too_large())?;
            if count.is_zero() { 0.0_f64.copysign(value) } else { found.copysign(value) }
        }
    };
    if rounded.is_infinite() { Err(too_large()) } else { Ok(Value::Float(rounded)) }
}
