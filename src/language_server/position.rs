//! Positions in a text: lines and columns of the protocol, and byte offsets.

use std::ops::Range;

use gen_lsp_types::{Position, PositionEncodingKind, Range as LspRange};

/// The unit of a column. Source: «Position» in the specification of the protocol, version 3.17.
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
pub(super) struct LineStarts {
    starts: Vec<usize>,
    marks: Vec<ColumnMark>,
}

/// A place in a long line whose column is known, so that those behind it are not counted from the start of the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ColumnMark {
    offset: usize,
    /// Code units of UTF-16 from the start of the line.
    utf16: usize,
}

/// The bytes between two marks of a line.
const MARK_DISTANCE: usize = 512;

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
        let mut marks = Vec::new();
        for (at, &start) in starts.iter().enumerate() {
            let end = starts.get(at + 1).copied().unwrap_or(text.len());
            if end - start <= MARK_DISTANCE {
                continue;
            }
            let mut mark = ColumnMark { offset: start, utf16: 0 };
            let mut column = 0;
            for (at, c) in text[start..end].char_indices() {
                if start + at >= mark.offset + MARK_DISTANCE {
                    mark = ColumnMark { offset: start + at, utf16: column };
                    marks.push(mark);
                }
                column += c.len_utf16();
            }
        }
        LineStarts { starts, marks }
    }

    /// The last place with a known column, and the column, among the start of a line and the marks in it that are not beyond
    /// what is looked for.
    fn known_column(
        &self,
        line: Range<usize>,
        unit: ColumnUnit,
        is_beyond: impl Fn(usize, usize) -> bool,
    ) -> (usize, usize) {
        let of = |mark: &ColumnMark| match unit {
            ColumnUnit::Utf8 => (mark.offset, mark.offset - line.start),
            ColumnUnit::Utf16 => (mark.offset, mark.utf16),
        };
        let first = self.marks.partition_point(|mark| mark.offset <= line.start);
        let behind = self.marks.partition_point(|mark| mark.offset < line.end);
        let marks = self.marks.get(first..behind).unwrap_or_default();
        let near = marks.partition_point(|mark| {
            let (offset, column) = of(mark);
            !is_beyond(offset, column)
        });
        near.checked_sub(1).map_or((line.start, 0), |at| of(&marks[at]))
    }

    /// The number of lines.
    pub(super) fn count(&self) -> usize {
        self.starts.len()
    }

    /// The number of the line that contains an offset, from 0.
    pub(super) fn line_of(&self, offset: usize) -> usize {
        self.starts.partition_point(|start| *start <= offset).saturating_sub(1)
    }

    /// The bytes of a line without its end; empty behind the last line.
    pub(super) fn line(&self, text: &str, line: usize) -> Range<usize> {
        let Some(&start) = self.starts.get(line) else { return text.len()..text.len() };
        let end = self.starts.get(line + 1).copied().unwrap_or(text.len());
        let content = text.get(start..end).unwrap_or_default();
        start..start + content.trim_end_matches(['\n', '\r']).len()
    }

    /// The offset of a position; one behind the end of a line or of the text is that end.
    pub(super) fn offset(&self, text: &str, position: Position, unit: ColumnUnit) -> usize {
        let line = self.line(text, position.line as usize);
        let character = position.character as usize;
        let (mut offset, column) =
            self.known_column(line.clone(), unit, |_, column| column > character);
        let mut left = character - column;
        for c in text.get(offset..line.end).unwrap_or_default().chars() {
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
        let start = self.starts.get(line).copied().unwrap_or_default();
        let (from, column) = self.known_column(start..text.len(), unit, |place, _| place > offset);
        let before = text.get(from..).unwrap_or_default().char_indices();
        let before = before.take_while(|(at, c)| from + at + c.len_utf8() <= offset);
        let more: usize = before.map(|(_, c)| unit.length(c)).sum();
        Position::new(number(line), number(column + more))
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
    fn columns_in_a_long_line_are_those_counted_from_its_start() {
        let text = format!("{TEXT}\n{}\nb", "aä😀".repeat(900));
        let lines = LineStarts::new(&text);
        assert!(lines.marks.len() > 5, "the line has marks");
        for unit in [ColumnUnit::Utf8, ColumnUnit::Utf16] {
            let start = TEXT.len() + 1;
            let mut column = 0;
            for (at, c) in text[start..].char_indices().take_while(|(_, c)| *c != '\n') {
                let position = Position::new(4, number(column));
                assert_eq!(lines.position(&text, start + at, unit), position, "{unit:?}");
                assert_eq!(lines.offset(&text, position, unit), start + at, "{unit:?}");
                column += unit.length(c);
            }
            assert_eq!(lines.offset(&text, Position::new(4, u32::MAX), unit), text.len() - 2);
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
