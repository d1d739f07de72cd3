//! Integers in text, as dates and formats contain them.

use crate::chars::digit;

/// `int(text)` for a text of only digits, of any script; numbers that are too large for any use are
/// clamped.
pub(super) fn parse_digits(text: &str) -> Option<i128> {
    if text.is_empty() {
        return None;
    }
    text.chars().try_fold(0_i128, |value, c| {
        Some(value.saturating_mul(10).saturating_add(i128::from(digit(c)?)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_nothing_but_digits() {
        let large = "9".repeat(99);
        for (text, value) in [
            ("2020", Some(2020)),
            ("20２٣", Some(2023)),
            (&*large, Some(i128::MAX)),
            ("", None),
            ("1.5", None),
            ("-1", None),
            ("1²", None),
        ] {
            assert_eq!(parse_digits(text), value, "{text}");
        }
    }
}
