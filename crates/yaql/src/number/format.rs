//! `str()` and `repr()` of numbers.

use std::fmt::Write as _;

use num_bigint::BigInt;

use crate::{Failure, Outcome};
use python_semantics::number::Integer;

/// Maximum number of digits that Python converts.
pub(super) const MAX_DECIMAL_DIGITS: usize = 4300;

/// `str(integer)`.
///
/// # Errors
///
/// `ValueError` for too many digits.
pub(crate) fn decimal(value: &Integer) -> Outcome<String> {
    match value {
        Integer::Small(value) => Ok(value.to_string()),
        Integer::Big(value) => decimal_of_big(value),
    }
}

fn decimal_of_big(value: &BigInt) -> Outcome<String> {
    /// The bits of 10 to the power of [`MAX_DECIMAL_DIGITS`].
    const MOST_BITS: u64 = 14285;
    if value.bits() <= MOST_BITS {
        let text = value.to_string();
        if text.trim_start_matches('-').len() <= MAX_DECIMAL_DIGITS {
            return Ok(text);
        }
    }
    Err(Failure::value_error(format!(
        "Exceeds the limit ({MAX_DECIMAL_DIGITS} digits) for integer string conversion; use \
         sys.set_int_max_str_digits() to increase the limit"
    )))
}

/// Appends `repr(float)`.
pub(crate) fn write_float(value: f64, out: &mut String) {
    if value.is_nan() {
        out.push_str("nan");
        return;
    }
    if value.is_infinite() {
        out.push_str(if value < 0.0 { "-inf" } else { "inf" });
        return;
    }
    let shortest = format!("{:e}", value.abs());
    let length = shortest.find('e').unwrap_or(shortest.len());
    // Of two shortest forms that are equally near, Python chooses the even one.
    let even = (length > 16).then(|| format!("{:.*e}", length - 2, value.abs()));
    let shown = even.unwrap_or(shortest);
    let (mantissa, exponent) = shown.split_once('e').unwrap_or((&shown, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if value.is_sign_negative() {
        out.push('-');
    }
    let Ok(before_point) = usize::try_from(exponent) else {
        if exponent < -4 {
            let _ = write!(out, "{mantissa}e{exponent:+03}");
        } else {
            out.push_str("0.");
            (1..exponent.unsigned_abs()).for_each(|_| out.push('0'));
            out.extend(mantissa.chars().filter(|c| *c != '.'));
        }
        return;
    };
    if before_point >= 16 {
        let _ = write!(out, "{mantissa}e{exponent:+03}");
        return;
    }
    let mut digits = mantissa.chars().filter(|c| *c != '.').peekable();
    (0..=before_point).for_each(|_| out.push(digits.next().unwrap_or('0')));
    out.push('.');
    if digits.peek().is_none() {
        out.push('0');
    }
    out.extend(digits);
}
