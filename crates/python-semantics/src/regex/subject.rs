//! The text that is searched, with Python's character positions.

use std::rc::Rc;

use smol_str::SmolStr;

/// A text with constant-time access to characters.
#[derive(Clone, Debug)]
pub enum Subject {
    /// ASCII text, where a byte is a character.
    Ascii(SmolStr),
    /// Otherwise a code point is one.
    Wide(Rc<[char]>),
}

/// A text as the matcher reads it.
pub(super) trait CharSequence {
    fn length(&self) -> usize;
    /// The character at a position, which must be less than the length.
    fn at(&self, position: usize) -> u32;
}

impl CharSequence for [u8] {
    #[inline]
    fn length(&self) -> usize {
        self.len()
    }

    #[inline]
    fn at(&self, position: usize) -> u32 {
        self[position].into()
    }
}

impl CharSequence for [char] {
    #[inline]
    fn length(&self) -> usize {
        self.len()
    }

    #[inline]
    fn at(&self, position: usize) -> u32 {
        self[position].into()
    }
}

impl Subject {
    /// Prepares a text, in linear time.
    pub fn new(text: &SmolStr) -> Self {
        if text.is_ascii() {
            Subject::Ascii(text.clone())
        } else {
            Subject::Wide(text.chars().collect())
        }
    }

    /// The number of characters.
    pub fn length(&self) -> usize {
        match self {
            Subject::Ascii(text) => text.len(),
            Subject::Wide(chars) => chars.len(),
        }
    }

    /// The maximum number of bytes per character.
    pub(super) fn max_char_bytes(&self) -> usize {
        match self {
            Subject::Ascii(_) => 1,
            Subject::Wide(_) => 4,
        }
    }

    /// Appends the text between two positions.
    pub fn push_to(&self, (start, end): (usize, usize), out: &mut String) {
        match self {
            Subject::Ascii(text) => out.push_str(&text[start..end]),
            Subject::Wide(chars) => out.extend(&chars[start..end]),
        }
    }

    /// The text between two positions.
    pub fn part(&self, (start, end): (usize, usize)) -> SmolStr {
        match self {
            Subject::Ascii(text) if end - start == text.len() => text.clone(),
            Subject::Ascii(text) => SmolStr::new(&text[start..end]),
            Subject::Wide(chars) => chars[start..end].iter().copied().collect(),
        }
    }
}
