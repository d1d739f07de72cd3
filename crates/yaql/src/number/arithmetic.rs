//! `+ - * // / %` and signs.

use num_bigint::{BigInt, Sign};
use num_traits::{Signed as _, Zero as _};
use python_semantics::ExceptionClass;

use super::{Number, charge, check_bits, computed, unsupported, whole};
use crate::call::Run;
use crate::{Failure, Outcome, Value, text};

/// The same operator of small integers, of large ones and of floating point numbers.
fn operate(
    symbol: &str,
    (left, right): (&Value, &Value),
    small: fn(i64, i64) -> Option<i64>,
    large: fn(&BigInt, &BigInt) -> BigInt,
    float: fn(f64, f64) -> f64,
) -> Outcome {
    let (one, other) = Number::both(symbol, left, right)?;
    if let (Number::Small(one), Number::Small(other)) = (&one, &other)
        && let Some(result) = small(*one, *other)
    {
        return Ok(Value::int(result));
    }
    Ok(match (one.big(), other.big()) {
        (Some(one), Some(other)) => whole(large(&one, &other)),
        _ => computed(float(one.float()?, other.float()?)),
    })
}

/// `left + right`.
pub(crate) fn add(left: &Value, right: &Value) -> Outcome {
    let large = |one: &BigInt, other: &BigInt| one + other;
    operate("+", (left, right), i64::checked_add, large, |one, other| one + other)
}

/// `left - right`.
pub(crate) fn sub(left: &Value, right: &Value) -> Outcome {
    let large = |one: &BigInt, other: &BigInt| one - other;
    operate("-", (left, right), i64::checked_sub, large, |one, other| one - other)
}

/// `left * right`.
pub(crate) fn mul(run: &Run, left: &Value, right: &Value) -> Outcome {
    Ok(match Number::both("*", left, right)? {
        (Number::Small(one), Number::Small(other)) => match one.checked_mul(other) {
            Some(product) => Value::int(product),
            None => whole(BigInt::from(one) * other),
        },
        (one, other) => match (one.big(), other.big()) {
            (Some(big_one), Some(big_other)) => {
                if !one.is_zero() && !other.is_zero() {
                    check_bits(run, one.bits() + other.bits() - 1)?;
                }
                charge(run, one.bits(), other.bits())?;
                whole(&*big_one * &*big_other)
            }
            _ => computed(one.float()? * other.float()?),
        },
    })
}

fn by_zero(message: &str) -> Failure {
    Failure::new(ExceptionClass::ZeroDivisionError, message)
}

/// `left / right` in yaql: `//` for two integers, else `/`.
pub(crate) fn div(run: &Run, left: &Value, right: &Value) -> Outcome {
    match Number::both("/", left, right)? {
        (Number::Float(_), _) | (_, Number::Float(_)) => true_div(left, right),
        _ => floor_div(run, left, right),
    }
}

/// `left // right`.
pub(super) fn floor_div(run: &Run, left: &Value, right: &Value) -> Outcome {
    let (one, other) = Number::both("//", left, right)?;
    if let (Some(big_one), Some(big_other)) = (one.big(), other.big()) {
        if other.is_zero() {
            return Err(by_zero("integer division or modulo by zero"));
        }
        if let (Number::Small(one), Number::Small(other)) = (one, other)
            && let (Some(quotient), rest) = (one.checked_div(other), one.wrapping_rem(other))
        {
            let crosses = rest != 0 && (rest < 0) != (other < 0);
            return Ok(Value::int(quotient - i64::from(crosses)));
        }
        charge(run, one.bits(), other.bits())?;
        return Ok(whole(floor(&big_one, &big_other).0));
    }
    let (one, other) = (one.float()?, other.float()?);
    if other == 0.0 {
        return Err(by_zero("float floor division by zero"));
    }
    let (mut rest, mut quotient) = (one % other, 0.0);
    if !rest.is_nan() {
        quotient = (one - rest) / other;
        if rest != 0.0 && (other < 0.0) != (rest < 0.0) {
            rest += other;
            quotient -= 1.0;
        }
    }
    Ok(computed(if rest.is_nan() {
        rest
    } else if quotient == 0.0 {
        0.0_f64.copysign(one / other)
    } else {
        let floor = quotient.floor();
        if quotient - floor > 0.5 { floor + 1.0 } else { floor }
    }))
}

/// The quotient rounded down, and the remainder with the sign of the divisor, which must not be 0.
fn floor(left: &BigInt, right: &BigInt) -> (BigInt, BigInt) {
    let (quotient, rest) = (left / right, left % right);
    if !rest.is_zero() && rest.sign() != right.sign() {
        (quotient - 1, rest + right)
    } else {
        (quotient, rest)
    }
}

/// `left % right`.
pub(crate) fn modulo(run: &Run, left: &Value, right: &Value) -> Outcome {
    let (one, other) = Number::both("%", left, right)?;
    if let (Some(big_one), Some(big_other)) = (one.big(), other.big()) {
        if other.is_zero() {
            return Err(by_zero("integer modulo by zero"));
        }
        if let (Number::Small(one), Number::Small(other)) = (one, other) {
            let rest = one.wrapping_rem(other);
            let crosses = rest != 0 && (rest < 0) != (other < 0);
            return Ok(Value::int(if crosses { rest + other } else { rest }));
        }
        charge(run, one.bits(), other.bits())?;
        return Ok(whole(floor(&big_one, &big_other).1));
    }
    let (one, other) = (one.float()?, other.float()?);
    if other == 0.0 {
        return Err(by_zero("float modulo"));
    }
    let rest = one % other;
    Ok(computed(if rest == 0.0 {
        0.0_f64.copysign(other)
    } else if (other < 0.0) != (rest < 0.0) {
        rest + other
    } else {
        rest
    }))
}

/// `left / right` in Python, always a floating point number.
pub(crate) fn true_div(left: &Value, right: &Value) -> Outcome {
    let (one, other) = Number::both("/", left, right)?;
    if let (Some(one), Some(other)) = (one.big(), other.big()) {
        if other.is_zero() {
            return Err(by_zero("division by zero"));
        }
        return quotient(&one, &other).map(Value::Float);
    }
    let (one, other) = (one.float()?, other.float()?);
    if other == 0.0 {
        return Err(by_zero("float division by zero"));
    }
    Ok(computed(one / other))
}

/// The floating point number nearest to a quotient of integers.
pub(super) fn quotient(left: &BigInt, right: &BigInt) -> Outcome<f64> {
    /// Enough bits for every floating point number, plus one that decides the rounding.
    const BITS: i64 = 66;
    let negative = (left.sign() == Sign::Minus) != (right.sign() == Sign::Minus);
    let (left, right) = (left.magnitude(), right.magnitude());
    if left.is_zero() {
        return Ok(if negative { -0.0 } else { 0.0 });
    }
    let bits = |bits: u64| i64::try_from(bits).unwrap_or(i64::MAX / 4);
    // Subnormal numbers have fewer bits.
    let shift = (BITS - (bits(left.bits()) - bits(right.bits()))).min(1074 + 2);
    let distance = shift.unsigned_abs();
    let (top, bottom) = if shift >= 0 {
        (left << distance, right.clone())
    } else {
        (left.clone(), right << distance)
    };
    let (mut whole, rest) = (&top / &bottom, &top % &bottom);
    if !rest.is_zero() {
        whole.set_bit(0, true);
    }
    let rounded = scaled(&whole, -shift);
    if rounded.is_infinite() {
        let message = "integer division result too large for a float";
        return Err(Failure::new(ExceptionClass::OverflowError, message));
    }
    Ok(if negative { -rounded } else { rounded })
}

/// `value * 2**exponent`, rounded once, half to even.
fn scaled(value: &num_bigint::BigUint, exponent: i64) -> f64 {
    use num_traits::ToPrimitive as _;
    let length = i64::try_from(value.bits()).unwrap_or(i64::MAX / 4);
    if length + exponent > 1025 {
        return f64::INFINITY;
    }
    // The lowest bit of a floating point number of this size.
    let lowest = (length + exponent - 53).max(-1074);
    let cut = (lowest - exponent).max(0).unsigned_abs();
    let kept = value >> cut;
    let lost = value - (&kept << cut);
    let half = (num_bigint::BigUint::from(1_u8) << cut) >> 1_u8;
    let up = cut > 0 && (lost > half || (lost == half && kept.bit(0)));
    let kept = if up { kept + 1_u8 } else { kept };
    // At most 53 bits are left (or a power of two), so this does not round.
    let exact = kept.to_f64().unwrap_or(f64::INFINITY);
    let power = exponent + i64::try_from(cut).unwrap_or(0);
    let half_power = |power: i64| 2.0_f64.powi(i32::try_from(power).unwrap_or(i32::MAX));
    exact * half_power(power / 2) * half_power(power - power / 2)
}

fn no_sign(symbol: &str, value: &Value) -> Failure {
    match value {
        Value::Opaque(_) => Failure::Unknown,
        other => {
            let name = text::type_name(other);
            Failure::type_error(format!("bad operand type for {symbol}: '{name}'"))
        }
    }
}

/// `-value`.
pub(crate) fn neg(value: &Value) -> Outcome {
    signed("unary -", value, i64::checked_neg, |value| -value, |value| -value)
}

/// `abs(value)`.
pub(crate) fn abs(value: &Value) -> Outcome {
    signed("abs()", value, i64::checked_abs, |value| value.abs(), f64::abs)
}

/// A value with another sign; the smallest of the small integers becomes a large one.
fn signed(
    symbol: &str,
    value: &Value,
    small: fn(i64) -> Option<i64>,
    large: fn(&BigInt) -> BigInt,
    float: fn(f64) -> f64,
) -> Outcome {
    Ok(match Number::of(value).ok_or_else(|| no_sign(symbol, value))? {
        Number::Small(value) => match small(value) {
            Some(value) => Value::int(value),
            None => whole(-BigInt::from(value)),
        },
        Number::Big(value) => whole(large(value)),
        Number::Float(value) => computed(float(value)),
    })
}

/// `+value`.
pub(crate) fn pos(value: &Value) -> Outcome {
    match value {
        Value::Int(_) | Value::Float(_) => Ok(value.clone()),
        Value::Bool(value) => Ok(Value::int(*value)),
        other => Err(no_sign("unary +", other)),
    }
}

/// The operands of an operator that accepts only integers.
pub(super) fn whole_operands<'v>(
    symbol: &str,
    left: &'v Value,
    right: &'v Value,
) -> Outcome<(Number<'v>, Number<'v>)> {
    match Number::both(symbol, left, right)? {
        (Number::Float(_), _) | (_, Number::Float(_)) => Err(unsupported(symbol, left, right)),
        both => Ok(both),
    }
}
