//! The texts of numbers.

use std::fmt::Write as _;

use num_bigint::BigInt;

use crate::eval::yaql::{Failure, Outcome};
use crate::source::Integer;

/// How many digits Python writes and reads.
pub(super) const MOST_DIGITS: usize = 4300;

/// `str(integer)`.
///
/// # Errors
///
/// `ValueError` where it has too many digits.
pub(crate) fn decimal(value: &Integer) -> Outcome<String> {
    match value {
        Integer::Small(value) => Ok(value.to_string()),
        Integer::Big(value) => decimal_of_big(value),
    }
}

fn decimal_of_big(value: &BigInt) -> Outcome<String> {
    /// The bits of ten to the power of the most digits.
    const MOST_BITS: u64 = 14285;
    if value.bits() <= MOST_BITS {
        let text = value.to_string();
        if text.trim_start_matches('-').len() <= MOST_DIGITS {
            return Ok(text);
        }
    }
    Err(Failure::value(format!(
        "Exceeds the limit ({MOST_DIGITS} digits) for integer string conversion; use \
         sys.set_int_max_str_digits() to increase the limit"
    )))
}

/// `repr(float)`.
pub(crate) fn float_repr(value: f64) -> String {
    let mut out = String::new();
    write_float(value, &mut out);
    out
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
    let begin = out.len();
    let _ = write!(out, "{value:e}");
    let exponent_at = out[begin..].find('e').map_or(out.len(), |at| begin + at);
    let exponent = out.get(exponent_at + 1..).and_then(|text| text.parse().ok()).unwrap_or(0);
    if (-4..16).contains(&exponent) {
        out.truncate(begin);
        let _ = write!(out, "{value}");
        if !out[begin..].contains('.') {
            out.push_str(".0");
        }
    } else {
        out.truncate(exponent_at);
        let _ = write!(out, "e{exponent:+03}");
    }
}
