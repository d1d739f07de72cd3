//! Numbers in a text, as exact as Python's `Decimal`.

use crate::library::date_time::digits::parse_digits;

/// The precision of `Decimal`, in digits.
const PRECISION: usize = 28;

/// A number with decimal places.
#[derive(Clone, Copy, Debug)]
pub(super) struct Decimal<'t> {
    whole: &'t str,
    fraction: &'t str,
}

/// A remainder with more digits than the precision of `Decimal`.
#[derive(Debug)]
pub(super) struct PrecisionExceeded;

impl<'t> Decimal<'t> {
    /// Parses a number without a sign.
    pub(super) fn of(text: &'t str) -> Option<Self> {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        let number = digits(whole) && digits(fraction) && whole.len() + fraction.len() > 0;
        number.then_some(Decimal { whole, fraction })
    }

    /// `int(value)`.
    pub(super) fn to_int(self) -> i128 {
        parse_digits(self.whole).unwrap_or_default()
    }

    fn has_fraction(self) -> bool {
        self.fraction.bytes().any(|byte| byte != b'0')
    }

    /// Whether it is greater than an integer.
    pub(super) fn exceeds(self, bound: i128) -> bool {
        self.to_int() > bound || (self.to_int() == bound && self.has_fraction())
    }

    /// `int(60 * (value % 1))`; `None` if the fraction is 0.
    pub(super) fn sixtieths(self) -> Result<Option<i128>, PrecisionExceeded> {
        if self.whole.trim_start_matches('0').len() > PRECISION {
            return Err(PrecisionExceeded);
        }
        let digits = self.fraction.trim_end_matches('0');
        if digits.is_empty() {
            return Ok(None);
        }
        let scale = digits.len();
        let significant = digits.trim_start_matches('0');
        let (kept, rest) = significant.split_at_checked(PRECISION).unwrap_or((significant, ""));
        let (value, scale) =
            rounded(parse_digits(kept).unwrap_or_default(), scale - rest.len(), rest);
        // Sixty times the number has at most two more digits.
        let (product, mut scale) = (value * 60, scale);
        let text = product.to_string();
        let (kept, rest) = text.split_at_checked(PRECISION).unwrap_or((&text, ""));
        let product = if rest.is_empty() {
            product
        } else {
            let (value, shorter) = rounded(
                parse_digits(kept).unwrap_or_default(),
                scale.saturating_sub(rest.len()),
                rest,
            );
            scale = shorter;
            value
        };
        let unit = u32::try_from(scale).ok().and_then(|scale| 10_i128.checked_pow(scale));
        Ok(Some(unit.map_or(0, |unit| product / unit)))
    }
}

/// Rounds a number by the digits that are cut off, half to even.
fn rounded(value: i128, scale: usize, rest: &str) -> (i128, usize) {
    let above = rest.as_bytes().first().is_some_and(|&first| first >= b'5');
    let half = rest.starts_with('5') && rest.bytes().skip(1).all(|byte| byte == b'0');
    let up = above && (!half || value % 2 == 1);
    (value + i128::from(up), scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sixtieths_are_those_of_python() {
        let nines = format!("1.{}", "9".repeat(35));
        for (text, wanted) in [
            ("1", None),
            ("1.0", None),
            ("1.5", Some(30)),
            ("1.999", Some(59)),
            ("10.0166", Some(0)),
            ("10.01667", Some(1)),
            (nines.as_str(), Some(60)),
            ("0.00000000000000000000000000000000000000001", Some(0)),
        ] {
            let found = Decimal::of(text).and_then(|decimal| decimal.sixtieths().ok());
            assert_eq!(found, Some(wanted), "{text}");
        }
        let long = "9".repeat(29);
        assert!(Decimal::of(&long).is_some_and(|decimal| decimal.sixtieths().is_err()));
        assert!(Decimal::of("").is_none() && Decimal::of("1,5").is_none());
    }
}
