//! Which characters are letters and digits to Python.

use crate::eval::regex::unicode;

/// Whether a character is one of `\w`.
pub(crate) fn is_word(c: char) -> bool {
    unicode::is_word(c.into())
}

/// The value of a digit: a character of `\d`.
pub(crate) fn digit(c: char) -> Option<u32> {
    unicode::digit(c).map(u32::from)
}
