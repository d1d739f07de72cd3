//! Positions in a text: lines and columns of the protocol, and byte offsets.

use std::ops::Range;

use gen_lsp_types::{Position, PositionEncodingKind, Range as LspRange};

/// What a column counts. Source: «Position» in the specification of the protocol, version 3.17.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum ColumnUnit {
    /// Bytes of UTF-8.
    Utf8,
    /// Code units of UTF-16, which every client supports.
    #[default]
    Utf16,
}

impl ColumnUnit {
    /// The best unit among those that a client supports.
    pub(super) fn among(supported: &[PositionEncodingKind]) -> Self {
        if supported.contains(&PositionEncodingKind::UTF8) { Self::Utf8 } else { Self::Utf16 }
    }

    /// The name in the protocol.
    pub(super) fn name(self) -> PositionEncodingKind {
        match self {
            Self::Utf8 => PositionEncodingKind::UTF8,
            Self::Utf16 => PositionEncodingKind::UTF16,
        }
    }

    fn length(self, c: char) -> usize {
        match self {
            Self::Utf8 => c.len_utf8(),
            Self::Utf16 => c.len_utf16(),
        }
    }
}

/// Where the lines of a text begin. A line ends with `\n`, `\r\n` or `\r`, as in the protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LineStarts(Vec<usize>);

impl LineStarts {
    pub(super) fn new(text: &str) -> Self {
        let mut starts = vec![0];
        let bytes = text.as_bytes();
        for at in memchr::memchr2_iter(b'\n', b'\r', bytes) {
            let is_first_of_two = bytes[at] == b'\r' && bytes.get(at + 1) == Some(&b'\n');
            if !is_first_of_two {
                starts.push(at + 1);
            }
        }
        LineStarts(starts)
    }

    /// The number of lines.
    pub(super) fn count(&self) -> usize {
        self.0.len()
    }

    /// The number of the line that contains an offset, from 0.
    pub(super) fn line_of(&self, offset: usize) -> usize {
        self.0.partition_point(|start| *start <= offset).saturating_sub(1)
    }

    /// The bytes of a line without its end; empty behind the last line.
    pub(super) fn line(&self, text: &str, line: usize) -> Range<usize> {
        let Some(&start) = self.0.get(line) else { return text.len()..text.len() };
        let end = self.0.get(line + 1).copied().unwrap_or(text.len());
        let content = text.get(start..end).unwrap_or_default();
        start..start + content.trim_end_matches(['\n', '\r']).len()
    }

    /// The offset of a position; one behind the end of a line or of the text is that end.
    pub(super) fn offset(&self, text: &str, position: Position, unit: ColumnUnit) -> usize {
        let line = self.line(text, position.line as usize);
        let mut left = position.character as usize;
        let mut offset = line.start;
        for c in text.get(line.clone()).unwrap_or_default().chars() {
            let length = unit.length(c);
            if left < length {
                return offset;
            }
            left -= length;
            offset += c.len_utf8();
        }
        line.end
    }

    /// The position of an offset; one inside a character is its start.
    pub(super) fn position(&self, text: &str, offset: usize, unit: ColumnUnit) -> Position {
        let line = self.line_of(offset.min(text.len()));
        let start = self.0.get(line).copied().unwrap_or_default();
        let before = text.get(start..).unwrap_or_default().char_indices();
        let before = before.take_while(|(at, c)| start + at + c.len_utf8() <= offset);
        let column: usize = before.map(|(_, c)| unit.length(c)).sum();
        Position::new(number(line), number(column))
    }

    /// The range of some bytes.
    pub(super) fn range(&self, text: &str, bytes: Range<usize>, unit: ColumnUnit) -> LspRange {
        let [start, end] = [bytes.start, bytes.end].map(|at| self.position(text, at, unit));
        LspRange::new(start, end)
    }

    /// The bytes of a range; one whose end is before its start is empty.
    pub(super) fn bytes(&self, text: &str, range: LspRange, unit: ColumnUnit) -> Range<usize> {
        let start = self.offset(text, range.start, unit);
        start..self.offset(text, range.end, unit).max(start)
    }
}

fn number(of: usize) -> u32 {
    u32::try_from(of).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "a: ä\r\nb: 😀x\n\rlast";

    #[test]
    fn offsets_and_positions_are_inverse_in_both_units() {
        let lines = LineStarts::new(TEXT);
        for unit in [ColumnUnit::Utf8, ColumnUnit::Utf16] {
            for (offset, _) in TEXT.char_indices() {
                // The end of a line has the position in front of it.
                let is_end = ["\r", "\n"].iter().any(|end| TEXT[offset..].starts_with(end));
                let position = lines.position(TEXT, offset, unit);
                if !is_end {
                    assert_eq!(lines.offset(TEXT, position, unit), offset, "{position:?}");
                }
            }
        }
    }

    #[test]
    fn columns_count_what_client_and_server_agreed_on() {
        let lines = LineStarts::new(TEXT);
        let x = TEXT.find('x').expect("in the text");
        assert_eq!(lines.position(TEXT, x, ColumnUnit::Utf16), Position::new(1, 5));
        assert_eq!(lines.position(TEXT, x, ColumnUnit::Utf8), Position::new(1, 7));
        assert_eq!(lines.offset(TEXT, Position::new(1, 4), ColumnUnit::Utf16), x - 4);
    }

    #[test]
    fn positions_outside_of_the_text_are_at_its_ends() {
        let lines = LineStarts::new(TEXT);
        for unit in [ColumnUnit::Utf8, ColumnUnit::Utf16] {
            assert_eq!(lines.offset(TEXT, Position::new(0, 99), unit), 5);
            assert_eq!(lines.offset(TEXT, Position::new(99, 0), unit), TEXT.len());
        }
        assert_eq!(LineStarts::new("").offset("", Position::new(3, 3), ColumnUnit::Utf16), 0);
    }
}
