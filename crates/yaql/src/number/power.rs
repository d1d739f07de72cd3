//! Python's `pow()`, with a limit on the size of the result.

use num_bigint::{BigInt, Sign};
use num_traits::{Signed as _, Zero as _};
use python_semantics::ExceptionClass;

use super::{Number, charge, check_bits, computed, whole};
use crate::call::Run;
use crate::{Failure, Outcome, Value, text};

/// `pow(base, exponent)`, or `pow(base, exponent, modulus)` unless `modulus` is null.
pub(crate) fn pow(run: &Run, base: &Value, exponent: &Value, modulus: &Value) -> Outcome {
    let numbers = (Number::of(base), Number::of(exponent));
    let (Some(one), Some(other)) = numbers else {
        return Err(unsupported(base, exponent, modulus));
    };
    if matches!(modulus, Value::Null | Value::Missing) {
        return match (one.big(), other.big()) {
            (Some(base), Some(exponent)) if exponent.sign() != Sign::Minus => {
                whole_power(run, one, &base, other, &exponent)
            }
            _ => float_power(one.float()?, other.float()?),
        };
    }
    let Some(third) = Number::of(modulus) else {
        return Err(unsupported(base, exponent, modulus));
    };
    let (Some(base), Some(exponent), Some(modulus)) = (one.big(), other.big(), third.big()) else {
        let message = "pow() 3rd argument not allowed unless all arguments are integers";
        return Err(Failure::type_error(message));
    };
    if modulus.is_zero() {
        return Err(Failure::value_error("pow() 3rd argument cannot be 0"));
    }
    // One multiplication and one division per bit of the exponent.
    run.spend((exponent.bits() / 64).saturating_mul(modulus.bits() / 64 + 1))?;
    charge(run, exponent.bits().saturating_mul(modulus.bits() / 32 + 1), modulus.bits())?;
    charge(run, base.bits(), modulus.bits())?;
    let size = modulus.abs();
    let base = if exponent.sign() == Sign::Minus {
        let reduced = ((&*base % &size) + &size) % &size;
        reduced
            .modinv(&size)
            .ok_or_else(|| Failure::value_error("base is not invertible for the given modulus"))?
    } else {
        base.into_owned()
    };
    let found = base.modpow(&exponent.abs(), &size);
    let positive = ((found % &size) + &size) % &size;
    let below = modulus.sign() == Sign::Minus && !positive.is_zero();
    Ok(whole(if below { positive - size } else { positive }))
}

fn unsupported(base: &Value, exponent: &Value, modulus: &Value) -> Failure {
    if [base, exponent, modulus].iter().any(|value| matches!(value, Value::Opaque(_))) {
        return Failure::Unknown;
    }
    let names = [base, exponent, modulus].map(text::type_name);
    let two = format!("'{}' and '{}'", names[0], names[1]);
    Failure::type_error(match modulus {
        Value::Null | Value::Missing => {
            format!("unsupported operand type(s) for ** or pow(): {two}")
        }
        _ => {
            let three = format!("'{}', '{}', '{}'", names[0], names[1], names[2]);
            format!("unsupported operand type(s) for ** or pow(): {three}")
        }
    })
}

fn whole_power(
    run: &Run,
    base: Number,
    big_base: &BigInt,
    exponent: Number,
    big_exponent: &BigInt,
) -> Outcome {
    if let (Number::Small(base), Number::Small(exponent)) = (base, exponent)
        && let Ok(exponent) = u32::try_from(exponent)
        && let Some(power) = base.checked_pow(exponent)
    {
        return Ok(Value::int(power));
    }
    if base.bits() <= 1 {
        // 0, 1 or -1.
        let odd = big_exponent.bit(0);
        let is_negative = big_base.sign() == Sign::Minus;
        return Ok(match (base.is_zero(), is_negative && odd) {
            (true, _) => Value::int(i64::from(big_exponent.is_zero())),
            (false, true) => Value::int(-1),
            (false, false) => Value::int(1),
        });
    }
    let times = match exponent {
        Number::Small(times) => times.unsigned_abs(),
        Number::Big(_) | Number::Float(_) => u64::MAX,
    };
    // The minimum number of bits; the maximum is twice as many plus one.
    let least = (base.bits() - 1).saturating_mul(times).saturating_add(1);
    check_bits(run, least)?;
    charge(run, least, least)?;
    match u32::try_from(times) {
        Ok(times) => Ok(whole(big_base.pow(times))),
        Err(_) => Err(Failure::new(ExceptionClass::MemoryError, "")),
    }
}

fn float_power(base: f64, exponent: f64) -> Outcome {
    if base == 0.0 && exponent < 0.0 && exponent.is_finite() {
        let message = "0.0 cannot be raised to a negative power";
        return Err(Failure::new(ExceptionClass::ZeroDivisionError, message));
    }
    if base.is_finite() && base < 0.0 && exponent.is_finite() && exponent.fract() != 0.0 {
        // A complex number, which no other function accepts.
        return Err(Failure::Unknown);
    }
    let power = base.powf(exponent);
    if power.is_infinite() && base.is_finite() && exponent.is_finite() {
        let message = "(34, 'Numerical result out of range')";
        return Err(Failure::new(ExceptionClass::OverflowError, message));
    }
    Ok(computed(power))
}
