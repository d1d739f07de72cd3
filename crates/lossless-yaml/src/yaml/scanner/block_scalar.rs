//! Literal and folded scalars.

use std::ops::Range;

use super::{ScannedScalar, Scanner};
use crate::yaml::{ScalarStyle, YamlError};

const CONTEXT: &str = "while scanning a block scalar";

/// How the line breaks at the end are handled.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Chomping {
    /// `-`: none stays.
    Strip,
    /// The one after the last line stays.
    Clip,
    /// `+`: all of them stay.
    Keep,
}

impl<'t> Scanner<'t> {
    /// A `|` or `>` scalar.
    pub(in crate::yaml) fn scan_block_scalar(
        &mut self,
        style: ScalarStyle,
    ) -> Result<ScannedScalar<'t>, YamlError> {
        let start = self.cursor.at;
        self.cursor.at += 1;
        let (chomping, increment) = self.scan_block_header(start)?;
        let mut end = self.cursor.at;
        let mut indent = increment.map(|by| self.indent.max(0) as usize + by);
        let mut value = self.value_from(start, end..end);
        // The line break after the last line, the empty lines after that, and whether that line
        // began with a blank: only the next line decides how they are folded.
        let mut line_break = end..end;
        let mut gap = self.skip_empty_lines(start, &mut indent)?;
        let mut began_blank = false;
        while Some(self.cursor.ascii_column()) == indent && !self.cursor.at_end() {
            let begins_blank = matches!(self.cursor.peek(), b' ' | b'\t');
            let folds = style == ScalarStyle::Folded && !began_blank && !begins_blank;
            if folds && !line_break.is_empty() {
                value.fold(line_break.start..gap.end);
            } else {
                value.push_breaks(line_break.start..gap.end);
            }
            began_blank = begins_blank;
            let line = self.cursor.at;
            self.cursor.skip_line();
            value.extend(line..self.cursor.at);
            line_break = self.cursor.at..self.cursor.at;
            self.cursor.skip_break();
            line_break.end = self.cursor.at;
            end = self.cursor.at;
            gap = self.skip_empty_lines(start, &mut indent)?;
        }
        match chomping {
            Chomping::Strip => {}
            Chomping::Clip => value.push_breaks(line_break),
            Chomping::Keep => {
                value.push_breaks(line_break.start..gap.end);
                end = gap.end;
            }
        }
        Ok(self.finish_scalar(style, start, end, value))
    }

    /// The indicators after `|` or `>`, in either order, and the rest of their line.
    fn scan_block_header(&mut self, start: usize) -> Result<(Chomping, Option<usize>), YamlError> {
        let mut chomping = self.scan_chomping();
        let mut increment = None;
        if self.cursor.peek().is_ascii_digit() {
            if self.cursor.peek() == b'0' {
                return Err(self.error(
                    CONTEXT,
                    start,
                    "found an indentation indicator equal to 0",
                ));
            }
            increment = Some(usize::from(self.cursor.peek() - b'0'));
            self.cursor.at += 1;
            chomping = chomping.or_else(|| self.scan_chomping());
        }
        self.skip_rest_of_line(CONTEXT, start)?;
        Ok((chomping.unwrap_or(Chomping::Clip), increment))
    }

    fn scan_chomping(&mut self) -> Option<Chomping> {
        let chomping = match self.cursor.peek() {
            b'-' => Chomping::Strip,
            b'+' => Chomping::Keep,
            _ => return None,
        };
        self.cursor.at += 1;
        Some(chomping)
    }

    /// Passes what may follow on the line after a block scalar's header or a directive: blanks, a
    /// comment, the line break.
    pub(super) fn skip_rest_of_line(
        &mut self,
        context: &'static str,
        start: usize,
    ) -> Result<(), YamlError> {
        if self.cursor.peek() != b'#' || !self.is_pure_python() {
            self.skip_blanks();
            self.skip_comment();
        }
        if !self.cursor.is_breakz(self.cursor.at) {
            return Err(self.error(context, start, "did not find expected comment or line break"));
        }
        self.cursor.skip_break();
        Ok(())
    }

    /// Passes empty lines and the indentation of the line after them; gives the bytes of the lines.
    /// An unknown `indent` becomes that of the deepest line passed.
    fn skip_empty_lines(
        &mut self,
        start: usize,
        indent: &mut Option<usize>,
    ) -> Result<Range<usize>, YamlError> {
        let limit = indent.unwrap_or(usize::MAX);
        let mut lines = self.cursor.at..self.cursor.at;
        let mut deepest = 0;
        loop {
            while self.cursor.peek() == b' ' && self.cursor.ascii_column() < limit {
                self.cursor.at += 1;
            }
            let column = self.cursor.ascii_column();
            deepest = deepest.max(column);
            if self.cursor.peek() == b'\t' && column < limit && !self.is_pure_python() {
                return Err(self.error(
                    CONTEXT,
                    start,
                    "found a tab character where an indentation space is expected",
                ));
            }
            if !self.cursor.skip_break() {
                break;
            }
            lines.end = self.cursor.at;
        }
        if indent.is_none() {
            *indent = Some(deepest.max((self.indent + 1) as usize).max(1));
        }
        Ok(lines)
    }
}
