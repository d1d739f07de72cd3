//! The text that is searched, by the positions that Python counts.

use std::rc::Rc;

use smol_str::SmolStr;

/// A text whose characters can be reached by their number.
#[derive(Clone, Debug)]
pub enum Subject {
    /// Of ASCII a byte is a character.
    Ascii(SmolStr),
    /// Otherwise a code point is one.
    Wide(Rc<[char]>),
}

/// What the matcher asks of a text.
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

    /// How many characters it has.
    pub fn length(&self) -> usize {
        match self {
            Subject::Ascii(text) => text.len(),
            Subject::Wide(chars) => chars.len(),
        }
    }

    /// The bytes that a character takes at most.
    pub(super) fn max_char_bytes(&self) -> usize {
        match self {
            Subject::Ascii(_) => 1,
            Subject::Wide(_) => 4,
        }
    }

    /// Appends a part of it.
    pub fn push_to(&self, (start, end): (usize, usize), out: &mut String) {
        match self {
            Subject::Ascii(text) => out.push_str(&text[start..end]),
            Subject::Wide(chars) => out.extend(&chars[start..end]),
        }
    }

    /// A part of it.
    pub fn part(&self, (start, end): (usize, usize)) -> SmolStr {
        match self {
            Subject::Ascii(text) if end - start == text.len() => text.clone(),
            Subject::Ascii(text) => SmolStr::new(&text[start..end]),
            Subject::Wide(chars) => chars[start..end].iter().copied().collect(),
        }
    }
}
