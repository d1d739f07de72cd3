//! Classes of characters as Python 3.11 has them, whose Unicode is version 14.

use std::sync::LazyLock;

use fancy_regex::Regex;

/// A class of a regular expression that has the characters of `\w` in Python.
pub(crate) const WORD: &str = r"[[\p{L}\p{N}_]&&\p{Age=14.0}]";

/// The digits for zero beyond ASCII; those for 1 to 9 follow each of them.
const ZEROS: &[u32] = &[
    0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xde6,
    0xe50, 0xed0, 0xf20, 0x1040, 0x1090, 0x17e0, 0x1810, 0x1946, 0x19d0, 0x1a80, 0x1a90, 0x1b50,
    0x1bb0, 0x1c40, 0x1c50, 0xa620, 0xa8d0, 0xa900, 0xa9d0, 0xa9f0, 0xaa50, 0xabf0, 0xff10,
    0x104a0, 0x10d30, 0x11066, 0x110f0, 0x11136, 0x111d0, 0x112f0, 0x11450, 0x114d0, 0x11650,
    0x116c0, 0x11730, 0x118e0, 0x11950, 0x11c50, 0x11d50, 0x11da0, 0x16a60, 0x16ac0, 0x16b50,
    0x1d7ce, 0x1d7d8, 0x1d7e2, 0x1d7ec, 0x1d7f6, 0x1e140, 0x1e2f0, 0x1e950, 0x1fbf0,
];

/// Whether a character is one of `\w`.
pub(crate) fn is_word(c: char) -> bool {
    static ONE: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(WORD).ok());
    if c.is_ascii() { c.is_ascii_alphanumeric() || c == '_' } else { is_of(&ONE, c) }
}

/// Whether Unicode 14 has a character.
pub(crate) fn is_known(c: char) -> bool {
    static ONE: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\p{Age=14.0}").ok());
    is_of(&ONE, c)
}

fn is_of(class: &Option<Regex>, c: char) -> bool {
    let found = |class: &Regex| class.is_match(c.encode_utf8(&mut [0; 4])).unwrap_or_default();
    class.as_ref().is_some_and(found)
}

/// The value of a digit: a character of `\d`.
pub(crate) fn digit(c: char) -> Option<u32> {
    if c.is_ascii() {
        return c.to_digit(10);
    }
    let after = ZEROS.partition_point(|&zero| zero <= u32::from(c));
    let zero = ZEROS.get(after.checked_sub(1)?)?;
    Some(u32::from(c) - zero).filter(|&value| value < 10)
}
