//! Numbers as YAML 1.1 writes them, which Python does not.

use num_bigint::BigInt;
use num_traits::{ToPrimitive, Zero};
use python_semantics::number::{parse_float, parse_int, repr};

/// A float that YAML 1.1 and 1.2 read as a float: with a point, and a sign in the exponent.
pub(crate) fn yaml_repr(value: f64) -> String {
    if value.is_nan() {
        return ".nan".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { ".inf" } else { "-.inf" }.to_owned();
    }
    let repr = repr(value);
    match repr.split_once('e') {
        Some((mantissa, exponent)) if !mantissa.contains('.') => format!("{mantissa}.0e{exponent}"),
        _ => repr,
    }
}

/// `a:b:c` in base 60. `None` where a part is not an integer, or there are so many parts that Python
/// could not write the number.
pub(crate) fn parse_sexagesimal(text: &str) -> Option<BigInt> {
    const MAX_PARTS: usize = 2400;
    if text.split(':').count() > MAX_PARTS {
        return None;
    }
    text.split(':').try_fold(BigInt::zero(), |sum, part| Some(sum * 60 + parse_int(part, 10)?))
}

/// `a:b:c.d` in base 60. `None` where Python fails: a part is not a float, or the power of 60 does not
/// fit a float.
pub(crate) fn parse_sexagesimal_float(text: &str) -> Option<f64> {
    let mut base = BigInt::from(1);
    let mut sum = 0.0;
    for part in text.rsplit(':') {
        let factor = base.to_f64().filter(|factor| factor.is_finite())?;
        sum += parse_float(part)? * factor;
        base *= 60;
    }
    Some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_are_spelled_so_that_every_reader_takes_them_for_floats() {
        let cases = [
            (1.0, "1.0"),
            (-0.0, "-0.0"),
            (0.1, "0.1"),
            (1e15, "1000000000000000.0"),
            (1e16, "1.0e+16"),
            (1.5e16, "1.5e+16"),
            (1e-4, "0.0001"),
            (1e-5, "1.0e-05"),
            (1e100, "1.0e+100"),
            (5e-324, "5.0e-324"),
            (f64::NEG_INFINITY, "-.inf"),
            (f64::INFINITY, ".inf"),
            (f64::NAN, ".nan"),
        ];
        for (value, spelled) in cases {
            assert_eq!(yaml_repr(value), spelled);
        }
    }
}
