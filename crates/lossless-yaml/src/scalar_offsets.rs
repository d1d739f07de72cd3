//! Maps offsets in the value of a scalar to offsets in the document: for an expression in a folded block, behind
//! escapes, over several lines.

use std::ops::Range;

use super::yaml::{self, PyYamlLoader};
use super::{Document, Syntax};
use source_diagnostics::Span;

/// A map from offsets in a value to offsets in the document.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct OffsetMap(Vec<OffsetSegment>);

/// A run of bytes of a value, up to the next piece.
#[derive(Clone, Copy, Debug, PartialEq)]
struct OffsetSegment {
    /// Offset of the first byte in the value.
    value_offset: usize,
    /// Offset of that byte in the document.
    source_offset: usize,
    /// Whether the following bytes are the same in the document as in the value; otherwise all of them stand
    /// for what the document has up to the next piece.
    is_verbatim: bool,
}

impl OffsetMap {
    /// Adds a piece that begins where the previous one ends.
    pub(crate) fn add(&mut self, value: usize, source: usize, is_verbatim: bool) {
        self.0.push(OffsetSegment { value_offset: value, source_offset: source, is_verbatim });
    }

    /// The piece that contains a byte of the value, and the piece after it.
    fn segment(&self, at: usize) -> Option<(OffsetSegment, Option<OffsetSegment>)> {
        let after = self.0.partition_point(|piece| piece.value_offset <= at);
        Some((*self.0.get(after.checked_sub(1)?)?, self.0.get(after).copied()))
    }

    fn start(&self, at: usize) -> Option<usize> {
        let (piece, _) = self.segment(at)?;
        Some(if piece.is_verbatim {
            piece.source_offset + (at - piece.value_offset)
        } else {
            piece.source_offset
        })
    }

    /// The offset in the document where the byte before `at` ends.
    fn end(&self, at: usize, closed: usize) -> Option<usize> {
        let Some(last) = at.checked_sub(1) else { return self.start(0) };
        let (piece, next) = self.segment(last)?;
        if piece.is_verbatim {
            return Some(piece.source_offset + (at - piece.value_offset));
        }
        Some(next.map_or(closed, |next| next.source_offset))
    }

    /// The offsets of a JSON string that begins at a byte of a document.
    fn of_json(document: &str, start: usize, text: &str) -> Option<Self> {
        let mut places = OffsetMap::default();
        let mut at = start + 1;
        places.add(0, at, true);
        for (offset, c) in text.char_indices() {
            let rest = document.get(at..)?;
            let length = match rest.strip_prefix('\\') {
                Some(escape) => {
                    let length = match (escape.starts_with('u'), c) {
                        (true, '\u{10000}'..) => r"\uD83D\uDE00".len(),
                        (true, _) => r"\u0041".len(),
                        (false, _) => r"\n".len(),
                    };
                    places.add(offset, at, false);
                    places.add(offset + c.len_utf8(), at + length, true);
                    length
                }
                None if rest.starts_with(c) => c.len_utf8(),
                None => return None,
            };
            at += length;
        }
        document.get(at..)?.starts_with('"').then_some(places)
    }
}

/// Maps parts of a scalar's text to spans of the document.
#[derive(Clone, Debug, PartialEq)]
pub struct ScalarOffsets {
    scalar: Span,
    length: usize,
    /// Offset in the document of the end of the text's last line.
    last_line_end: usize,
    layout: ScalarLayout,
}

/// How the document contains the text of a scalar.
#[derive(Clone, Debug, PartialEq)]
enum ScalarLayout {
    /// Unchanged, from this byte on.
    Verbatim(usize),
    /// In pieces; the scalar ends at this byte.
    Segments(OffsetMap, usize),
}

impl ScalarOffsets {
    /// The span of a part of the text. An empty part at the end of the text is at the end of its last
    /// line.
    pub fn span(&self, part: Range<usize>) -> Option<Span> {
        if part.start > part.end || part.end > self.length {
            return None;
        }
        let part = if part.is_empty() && part.end == self.length {
            self.last_line_end..self.last_line_end
        } else {
            part
        };
        let found = match &self.layout {
            ScalarLayout::Verbatim(begin) => begin + part.start..begin + part.end,
            ScalarLayout::Segments(places, closing) => {
                let end = places.end(part.end, *closing)?;
                if part.is_empty() { end..end } else { places.start(part.start)?..end }
            }
        };
        let [start, end] = [found.start, found.end].map(|at| u32::try_from(at).ok());
        Some(Span::new(self.scalar.source, start?, end?))
    }
}

impl Document {
    /// The offsets of a text, if `scalar` is the span of the scalar with this text.
    pub fn scalar_offsets(&self, scalar: Span, text: &str) -> Option<ScalarOffsets> {
        let range = scalar.range();
        let written = self.text().get(range.clone())?;
        let quoted = written.strip_prefix(['"', '\'']).filter(|rest| rest.len() == text.len() + 1);
        let begin = match quoted {
            _ if written == text => ScalarLayout::Verbatim(range.start),
            Some(rest) if rest.starts_with(text) => ScalarLayout::Verbatim(range.start + 1),
            _ => {
                let closing = match written.as_bytes().first() {
                    Some(b'"' | b'\'') => range.end - 1,
                    _ => range.end,
                };
                ScalarLayout::Segments(self.offset_map(range.start, text)?, closing)
            }
        };
        let last = text.trim_end_matches('\n').len();
        Some(ScalarOffsets { scalar, length: text.len(), last_line_end: last, layout: begin })
    }

    fn offset_map(&self, start: usize, text: &str) -> Option<OffsetMap> {
        if self.syntax() == Syntax::Json {
            return OffsetMap::of_json(self.text(), start, text);
        }
        [PyYamlLoader::LibYaml, PyYamlLoader::PurePython].into_iter().find_map(|dialect| {
            let (places, value) = yaml::offset_map_of(self.text(), start, dialect)?;
            (value == text).then_some(places)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Limits, read};
    use source_diagnostics::SourceId;

    fn document(text: &str) -> Document {
        read(SourceId(0), text.into(), &Limits::default()).expect("a document")
    }

    /// The source of a part of the text under `a`.
    fn written(document: &Document, part: Range<usize>) -> Option<&str> {
        let a = document.get(document.root()?, "a")?;
        let text = document.str(a)?;
        document.scalar_offsets(document.span(a), text)?.span(part).map(|span| document.slice(span))
    }

    #[test]
    fn parts_of_texts_are_found() {
        for (text, part, wanted) in [
            ("a: one two\n", "two", "two"),
            ("a: one\n   two three\n", "two", "two"),
            ("a: one\n   two three\n", "one two", "one\n   two"),
            ("a: one\n\n\n   two\n", "two", "two"),
            ("a: &x !!str one\n   two\n", "two", "two"),
            ("{a: one\n two, b: c}\n", "two", "two"),
            ("a: 'one two'\n", "two", "two"),
            ("a: 'it''s two'\n", "two", "two"),
            ("a: 'it''s two'\n", "it's", "it''s"),
            ("a: 'one  \n\n   two'\n", "two", "two"),
            (r#"a: "one\ttwo""#, "two", "two"),
            (r#"a: "one\ttwo""#, "\t", r"\t"),
            (r#"a: "\x41\u00e9\U0001F600two""#, "é", r"\u00e9"),
            (r#"a: "\x41\u00e9\U0001F600two""#, "😀t", r"\U0001F600t"),
            (r#"a: "one\n""#, "\n", r"\n"),
            ("a: \"one\\\n   two\"\n", "two", "two"),
            ("a: \"one\n   two\"\n", "e t", "e\n   t"),
            ("a: |\n  one\n  two\n", "two", "two"),
            ("a: |\n  one\n    two\n", "  two", "  two"),
            ("a: |2-\n   one\n  two\n", "two", "two"),
            ("a: |+\n  one\n\n  two\n\n", "two\n\n", "two\n\n"),
            ("b:\n  c: 1\na: >-\n  one\n  two\n\n  three\n", "two", "two"),
            ("b:\n  c: 1\na: >-\n  one\n  two\n\n  three\n", "three", "three"),
            ("a: >-\r\n  one\r\n  two\r\n", "two", "two"),
            ("a: >\n  é\n  two\n", "two", "two"),
            (r#"{"a": "one two"}"#, "two", "two"),
            (r#"{"a": "one\n\"two\""}"#, "two", "two"),
            (r#"{"a": "one\n\"two\""}"#, "\n\"t", r#"\n\"t"#),
            (r#"{"a": "\ud83d\ude00\u00e9two"}"#, "two", "two"),
            (r#"{"a": "\ud83d\ude00\u00e9two"}"#, "😀", r"\ud83d\ude00"),
        ] {
            let document = document(text);
            let a = document.root().and_then(|root| document.get(root, "a")).expect("a");
            let start = document.str(a).and_then(|value| value.find(part)).expect(part);
            let found = written(&document, start..start + part.len());
            assert_eq!(found, Some(wanted), "{part:?} of {text:?}");
        }
    }

    #[test]
    fn the_end_of_a_text_is_the_end_of_its_last_line() {
        for (text, before) in [
            ("a: one\n", "a: one"),
            ("a: 'one'\n", "a: 'one"),
            ("a: \"one\\t\"\n", "a: \"one\\t"),
            ("a: |\n  one\n  two\n", "a: |\n  one\n  two"),
            ("a: >+\n  one\n  two\n\n", "a: >+\n  one\n  two"),
            (r#"{"a": "one\t"}"#, r#"{"a": "one\t"#),
        ] {
            let document = document(text);
            let a = document.root().and_then(|root| document.get(root, "a")).expect("a");
            let value = document.str(a).expect("a text");
            let end = document.scalar_offsets(document.span(a), value).expect("its text");
            let end = end.span(value.len()..value.len());
            assert_eq!(end.map(|span| &text[..span.start as usize]), Some(before), "{text:?}");
        }
    }

    #[test]
    fn what_has_another_text_is_not_pointed_into() {
        let document = document("a: one\n   two\n");
        let a = document.root().and_then(|root| document.get(root, "a")).expect("a");
        assert_eq!(document.scalar_offsets(document.span(a), "one  two"), None);
        let written = document.scalar_offsets(document.span(a), "one two").expect("its text");
        assert_eq!(written.span(0..8), None);
    }
}
