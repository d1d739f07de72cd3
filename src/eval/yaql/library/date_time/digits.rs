//! Characters as Python's texts know them: digits of any script, and blanks.

/// The zeros of the scripts; the other digits follow each. Of Unicode 14, as CPython 3.11 has it.
const ZEROS: [u32; 66] = [
    0x0030, 0x0660, 0x06F0, 0x07C0, 0x0966, 0x09E6, 0x0A66, 0x0AE6, 0x0B66, 0x0BE6, 0x0C66, 0x0CE6,
    0x0D66, 0x0DE6, 0x0E50, 0x0ED0, 0x0F20, 0x1040, 0x1090, 0x17E0, 0x1810, 0x1946, 0x19D0, 0x1A80,
    0x1A90, 0x1B50, 0x1BB0, 0x1C40, 0x1C50, 0xA620, 0xA8D0, 0xA900, 0xA9D0, 0xA9F0, 0xAA50, 0xABF0,
    0xFF10, 0x104A0, 0x10D30, 0x11066, 0x110F0, 0x11136, 0x111D0, 0x112F0, 0x11450, 0x114D0,
    0x11650, 0x116C0, 0x11730, 0x118E0, 0x11950, 0x11C50, 0x11D50, 0x11DA0, 0x16A60, 0x16AC0,
    0x16B50, 0x1D7CE, 0x1D7D8, 0x1D7E2, 0x1D7EC, 0x1D7F6, 0x1E140, 0x1E2F0, 0x1E950, 0x1FBF0,
];

/// The value of a decimal digit.
pub(super) fn digit(c: char) -> Option<u8> {
    if c.is_ascii() {
        return c.is_ascii_digit().then(|| c as u8 - b'0');
    }
    let code = u32::from(c);
    let at = ZEROS.partition_point(|&zero| zero <= code).checked_sub(1)?;
    u8::try_from(code - ZEROS.get(at)?).ok().filter(|&value| value < 10)
}

/// Whether Python takes a character for a blank.
pub(super) fn is_blank(c: char) -> bool {
    c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c)
}

/// `int(text)` of a text with nothing but digits; what is too large for any use stays too large.
pub(super) fn whole(text: &str) -> Option<i128> {
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
    fn digits_are_of_any_script() {
        for (c, value) in [
            ('0', Some(0)),
            ('9', Some(9)),
            ('a', None),
            ('٣', Some(3)),
            ('９', Some(9)),
            ('²', None),
            ('Ⅷ', None),
            ('𝟿', Some(9)),
            ('\u{1FBFA}', None),
        ] {
            assert_eq!(digit(c), value, "{c}");
        }
        assert_eq!((whole("20２0"), whole(""), whole("1.5")), (Some(2020), None, None));
        assert_eq!(whole(&"9".repeat(99)), Some(i128::MAX));
    }
}
