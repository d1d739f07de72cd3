//! Builds the value of a scalar, without a copy if it is a part of the text.

use std::borrow::Cow;
use std::ops::Range;

use super::cursor::break_len;
use crate::scalar_offsets::OffsetMap;

/// A value built from parts of the text and from characters that are not in the text. As long
/// as the parts are adjacent, nothing is copied.
pub(super) struct ScalarBuilder<'t> {
    text: &'t str,
    built: String,
    /// The part of the text that comes after `built`.
    tail: Range<usize>,
    /// The offset map of the value, if one is requested.
    offsets: Option<OffsetMap>,
}

impl<'t> ScalarBuilder<'t> {
    /// Begins with a part of the text.
    pub(super) fn new(text: &'t str, part: Range<usize>) -> Self {
        ScalarBuilder { text, built: String::new(), tail: part, offsets: None }
    }

    /// The same value, which also records its offset map.
    pub(super) fn with_offsets(self) -> Self {
        let mut places = OffsetMap::default();
        places.add(0, self.tail.start, true);
        ScalarBuilder { offsets: Some(places), ..self }
    }

    pub(super) fn take_offsets(&mut self) -> Option<OffsetMap> {
        self.offsets.take()
    }

    fn len(&self) -> usize {
        self.built.len() + self.tail.len()
    }

    /// Appends a part of the text.
    pub(super) fn extend(&mut self, part: Range<usize>) {
        let len = self.len();
        if let Some(places) = &mut self.offsets {
            places.add(len, part.start, true);
        }
        if part.start == self.tail.end {
            self.tail.end = part.end;
        } else {
            self.built.push_str(&self.text[self.tail.clone()]);
            self.tail = part;
        }
    }

    pub(super) fn push(&mut self, char: char) {
        let len = self.len();
        if let Some(places) = &mut self.offsets {
            places.add(len, self.tail.end, false);
        }
        self.built.push_str(&self.text[self.tail.clone()]);
        self.tail.start = self.tail.end;
        self.built.push(char);
    }

    /// Appends the line breaks of `gap`, which contains nothing else but blanks. All of them become
    /// line feeds, but LS and PS stay.
    pub(super) fn push_breaks(&mut self, gap: Range<usize>) {
        let mut at = gap.start;
        while at < gap.end {
            let rest = &self.text.as_bytes()[at..];
            let len = break_len(rest);
            match rest[..len] {
                [] => {}
                [b'\n'] | [0xE2, ..] => self.extend(at..at + len),
                [b'\r', b'\n'] => self.extend(at + 1..at + len),
                _ => self.push('\n'),
            }
            at += len.max(1);
        }
    }

    /// Appends the line breaks of `gap` as folding leaves them: a single one becomes a blank, of
    /// several the first is left out. A first LS or PS stays in both cases.
    pub(super) fn fold(&mut self, gap: Range<usize>) {
        let bytes = &self.text.as_bytes()[..gap.end];
        let first = (gap.start..gap.end).find(|&at| break_len(&bytes[at..]) > 0);
        let first = first.unwrap_or(gap.end);
        let rest = first + break_len(&bytes[first..])..gap.end;
        if bytes.get(first) == Some(&0xE2) {
            self.push_breaks(gap);
        } else if bytes[rest.clone()].iter().all(|byte| matches!(byte, b' ' | b'\t')) {
            self.push(' ');
        } else {
            self.push_breaks(rest);
        }
    }

    pub(super) fn finish(mut self) -> Cow<'t, str> {
        let tail = &self.text[self.tail];
        if self.built.is_empty() {
            Cow::Borrowed(tail)
        } else {
            self.built.push_str(tail);
            Cow::Owned(self.built)
        }
    }
}
