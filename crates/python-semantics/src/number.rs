//! Numbers as Python parses and formats them.

use std::borrow::Cow;

use num_bigint::BigInt;
use num_traits::ToPrimitive;

/// The maximum number of decimal digits that Python converts between text and integer.
pub const MAX_DECIMAL_DIGITS: usize = 4300;

/// An integer of any size, as in Python.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Integer {
    /// An integer that fits 64 bits.
    Small(i64),
    /// An integer beyond 64 bits.
    Big(Box<BigInt>),
}

impl std::fmt::Display for Integer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Integer::Small(value) => write!(f, "{value}"),
            Integer::Big(value) => write!(f, "{value}"),
        }
    }
}

impl From<i64> for Integer {
    fn from(value: i64) -> Self {
        Integer::Small(value)
    }
}

impl From<BigInt> for Integer {
    fn from(value: BigInt) -> Self {
        value.to_i64().map_or_else(|| Integer::Big(Box::new(value)), Integer::Small)
    }
}

impl Integer {
    /// True if Python formats this integer in decimal: it has at most 4300 digits.
    pub fn has_decimal_form(&self) -> bool {
        match self {
            Integer::Small(_) => true,
            // 4300 digits need at most 14285 bits, and the check by bits avoids the costly
            // conversion of much larger integers.
            Integer::Big(value) => {
                value.bits() <= 14_285
                    && value.magnitude().to_str_radix(10).len() <= MAX_DECIMAL_DIGITS
            }
        }
    }
}

/// Parses as Python's `int(text, radix)` does; `None` where that raises `ValueError`.
pub fn parse_int(text: &str, radix: u32) -> Option<BigInt> {
    let text = text.trim();
    let (negative, body) = match text.as_bytes().first() {
        Some(b'-') => (true, &text[1..]),
        Some(b'+') => (false, &text[1..]),
        _ => (false, text),
    };
    let prefixes = match radix {
        2 => ["0b", "0B"],
        8 => ["0o", "0O"],
        16 => ["0x", "0X"],
        _ => ["", ""],
    };
    let digits = prefixes.iter().find_map(|prefix| body.strip_prefix(prefix)).unwrap_or(body);
    let valid = !digits.is_empty() && digits.chars().all(|digit| digit.is_digit(radix));
    if !valid || (radix == 10 && digits.len() > MAX_DECIMAL_DIGITS) {
        return None;
    }
    let value = BigInt::parse_bytes(digits.as_bytes(), radix)?;
    Some(if negative { -value } else { value })
}

/// Parses as Python's `float(text)` does; `None` where that raises `ValueError`.
pub fn parse_float(text: &str) -> Option<f64> {
    text.trim().parse().ok()
}

/// `repr(value)` in Python: `1.0`, `1e+16`, `1.5e-05`, `inf`, `nan`.
pub fn repr(value: f64) -> String {
    if !value.is_finite() {
        return if value.is_nan() { "nan" } else { ["inf", "-inf"][usize::from(value < 0.0)] }
            .to_owned();
    }
    let scientific = format!("{value:e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    match exponent.parse::<i32>().unwrap_or(0) {
        -4..16 => {
            let plain = value.to_string();
            if plain.contains('.') { plain } else { plain + ".0" }
        }
        exponent => format!("{mantissa}e{exponent:+03}"),
    }
}

/// A float as Python's `json` module writes it: as `repr`, but with its own names for what is not
/// finite.
pub fn json_repr(value: f64) -> Cow<'static, str> {
    if value.is_nan() {
        Cow::Borrowed("NaN")
    } else if value.is_infinite() {
        Cow::Borrowed(if value > 0.0 { "Infinity" } else { "-Infinity" })
    } else {
        Cow::Owned(repr(value))
    }
}

/// The integer that equals `value`, if one does.
pub fn integral(value: f64) -> Option<Integer> {
    if !value.is_finite() || value.fract() != 0.0 {
        return None;
    }
    if value.abs() < 9.0e15 {
        return Some(Integer::Small(value as i64));
    }
    let bits = value.to_bits();
    let exponent = i32::try_from((bits >> 52) & 0x7ff).unwrap_or(0) - 1075;
    let mantissa = (bits & ((1 << 52) - 1)) | (1 << 52);
    let magnitude = BigInt::from(mantissa) << exponent.max(0);
    Some(Integer::from(if value < 0.0 { -magnitude } else { magnitude }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_are_spelled_as_python_does() {
        let cases = [
            (1.0, "1.0"),
            (-0.0, "-0.0"),
            (0.1, "0.1"),
            (1e15, "1000000000000000.0"),
            (1e16, "1e+16"),
            (1.5e16, "1.5e+16"),
            (1e-4, "0.0001"),
            (1e-5, "1e-05"),
            (1e100, "1e+100"),
            (5e-324, "5e-324"),
            (f64::NEG_INFINITY, "-inf"),
            (f64::INFINITY, "inf"),
            (f64::NAN, "nan"),
        ];
        for (value, python) in cases {
            assert_eq!(repr(value), python);
        }
    }

    #[test]
    fn integral_floats_are_exact() {
        assert_eq!(integral(1e22), parse_int("10000000000000000000000", 10).map(Integer::from));
        assert_eq!(integral(-3.0), Some(Integer::Small(-3)));
        assert_eq!(
            integral(-9_007_199_254_740_994.0),
            Some(Integer::Small(-9_007_199_254_740_994))
        );
        assert_eq!(integral(0.5), None);
        assert_eq!(integral(f64::INFINITY), None);
    }

    #[test]
    fn integers_of_too_many_digits_are_refused() {
        let digits = "1".repeat(MAX_DECIMAL_DIGITS);
        assert!(parse_int(&digits, 10).is_some_and(|v| Integer::from(v).has_decimal_form()));
        assert_eq!(parse_int(&(digits + "1"), 10), None);
        let hex = parse_int(&"f".repeat(100_000), 16).map(Integer::from);
        assert!(hex.is_some_and(|value| !value.has_decimal_form()));
    }
}
