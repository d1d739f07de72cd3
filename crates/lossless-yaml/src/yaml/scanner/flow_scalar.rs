//! Plain and quoted scalars, which are allowed in flow collections.

use std::borrow::Cow;
use std::ops::Range;

use super::{ScannedScalar, Scanner};
use crate::yaml::cursor::{
    BREAK, Class, DOUBLE_QUOTE, FLOW, PLAIN_STOP, QUESTION, SINGLE_QUOTE, class,
};
use crate::yaml::scalar_builder::ScalarBuilder;
use crate::yaml::{ScalarStyle, YamlError};

impl<'t> Scanner<'t> {
    /// A scalar without quotes that clearly ends on its line, up to the `:` of a key, the line break or an
    /// indicator of a flow collection. In all other cases `None`, and the cursor stays.
    pub(in crate::yaml) fn scan_plain_line(&mut self) -> Option<ScannedScalar<'t>> {
        let in_flow = self.flow_level > 0;
        let stop = if in_flow { PLAIN_STOP | FLOW } else { PLAIN_STOP };
        let bytes = self.text().as_bytes();
        let start = self.cursor.at;
        let mut end = start;
        loop {
            let rest = bytes.get(end..)?;
            end += rest.iter().position(|&byte| class(byte) & stop != 0)?;
            match (bytes[end], bytes.get(end + 1)?) {
                (b':', b' ' | b'\n') => break,
                (b':', &byte) if class(byte) & (PLAIN_STOP | FLOW | QUESTION) == 0 => end += 1,
                (b' ', &byte) if class(byte) & stop == 0 && byte != b'#' => end += 2,
                (b'\n', _) if !in_flow && self.next_line_is_outside(end + 1) => break,
                (b',' | b'[' | b']' | b'{' | b'}', _) => break,
                (b' ', b'#') => break,
                (b' ', b',' | b']' | b'}') if in_flow => break,
                _ => return None,
            }
        }
        self.cursor.at = end;
        let value = Cow::Borrowed(&self.text()[start..end]);
        Some(ScannedScalar { style: ScalarStyle::Plain, start, end, value })
    }

    /// Whether the next line that is not empty is not part of a plain scalar before it.
    fn next_line_is_outside(&self, mut line: usize) -> bool {
        let bytes = self.text().as_bytes();
        loop {
            let Some(blanks) = bytes[line..].iter().position(|byte| *byte != b' ') else {
                return false;
            };
            match bytes[line + blanks] {
                b'\n' => line += blanks + 1,
                b'\t' | b'\r' | 0x80.. => return false,
                _ => return blanks as isize <= self.indent,
            }
        }
    }

    /// A scalar without quotes.
    pub(in crate::yaml) fn scan_plain(&mut self) -> Result<ScannedScalar<'t>, YamlError> {
        let start = self.cursor.at;
        let in_flow = self.flow_level > 0;
        let stop = match (in_flow, self.is_pure_python()) {
            (false, _) => PLAIN_STOP,
            (true, false) => PLAIN_STOP | FLOW,
            (true, true) => PLAIN_STOP | FLOW | QUESTION,
        };
        // One past the last character of the value so far.
        let mut end = start;
        // Built only once a line break is folded: until then the value is a slice of the text.
        let mut value: Option<ScalarBuilder<'t>> = None;
        let mut folds = false;
        loop {
            let word = self.cursor.at;
            self.skip_plain_words(start, stop)?;
            if self.cursor.at > word {
                if folds {
                    let value = value.get_or_insert_with(|| self.value_from(start, start..end));
                    value.fold(end..word);
                    folds = false;
                } else if let Some(value) = &mut value {
                    value.extend(end..word);
                }
                end = self.cursor.at;
                if let Some(value) = &mut value {
                    value.extend(word..end);
                }
            }
            if self.cursor.at_end() || !self.cursor.is_blankz(self.cursor.at) {
                break;
            }
            self.skip_blanks();
            while self.cursor.skip_break() {
                folds = true;
                self.skip_plain_indentation(start)?;
            }
            if folds {
                let outside = !in_flow && (self.cursor.ascii_column() as isize) <= self.indent;
                if outside || self.cursor.at_document_indicator() {
                    break;
                }
            }
            // A tab remains only where it does not separate tokens.
            if matches!(self.cursor.peek(), b'#' | b'\t') {
                break;
            }
        }
        if folds {
            self.simple_key_allowed = true;
        }
        let style = ScalarStyle::Plain;
        Ok(match value {
            Some(value) => self.finish_scalar(style, start, end, value),
            None => {
                let value = Cow::Borrowed(&self.text()[start..end]);
                ScannedScalar { style, start, end, value }
            }
        })
    }

    /// Passes words up to a blank that may not be part of the value, or an indicator that ends the
    /// scalar.
    fn skip_plain_words(&mut self, start: usize, stop: Class) -> Result<(), YamlError> {
        loop {
            self.cursor.skip_until(stop);
            match self.cursor.peek() {
                b':' => match self.cursor.byte(self.cursor.at + 1) {
                    b',' | b'[' | b']' | b'{' | b'}' if stop & QUESTION != 0 => return Ok(()),
                    b',' | b'?' | b'[' | b']' | b'{' | b'}' if stop & (FLOW | QUESTION) == FLOW => {
                        return Err(self.error(
                            "while scanning a plain scalar",
                            start,
                            "found unexpected ':'",
                        ));
                    }
                    _ if self.blank_follows() => return Ok(()),
                    _ => self.cursor.at += 1,
                },
                // A single blank between two words, which nearly every blank is.
                b' ' if self.cursor.begins_word(self.cursor.at + 1, stop) => self.cursor.at += 2,
                // The first byte of a line break, or of another character.
                0xC2 | 0xE2 if self.cursor.break_len(self.cursor.at) == 0 => self.cursor.at += 1,
                _ => return Ok(()),
            }
        }
    }

    /// Passes the blanks at the start of a line within a plain scalar.
    fn skip_plain_indentation(&mut self, start: usize) -> Result<(), YamlError> {
        loop {
            match self.cursor.peek() {
                b' ' => self.cursor.at += 1,
                b'\t' if self.is_pure_python() => return Ok(()),
                b'\t' if (self.cursor.ascii_column() as isize) <= self.indent => {
                    return Err(self.error(
                        "while scanning a plain scalar",
                        start,
                        "found a tab character that violates indentation",
                    ));
                }
                b'\t' => self.cursor.at += 1,
                _ => return Ok(()),
            }
        }
    }

    /// A scalar in single or double quotes.
    pub(in crate::yaml) fn scan_quoted(
        &mut self,
        style: ScalarStyle,
    ) -> Result<ScannedScalar<'t>, YamlError> {
        let single = style == ScalarStyle::SingleQuoted;
        let stop = BREAK | if single { SINGLE_QUOTE } else { DOUBLE_QUOTE };
        let start = self.cursor.at;
        self.cursor.at += 1;
        let mut value = self.value_from(start, self.cursor.at..self.cursor.at);
        loop {
            let from = self.cursor.at;
            self.skip_quoted_run(stop);
            let at = self.cursor.at;
            match self.cursor.peek() {
                b'\'' if self.cursor.byte(at + 1) == b'\'' => {
                    value.extend(from..at + 1);
                    self.cursor.at += 2;
                }
                b'\'' | b'"' => {
                    value.extend(from..at);
                    break;
                }
                b'\\' if self.cursor.break_len(at + 1) > 0 => {
                    value.extend(from..at);
                    self.cursor.at += 1;
                    self.cursor.skip_break();
                    value.push_breaks(self.skip_quoted_gap(start)?);
                }
                b'\\' => {
                    value.extend(from..at);
                    value.push(self.scan_escape(start)?);
                }
                0 => {
                    return Err(self.error(
                        "while scanning a quoted scalar",
                        start,
                        "found unexpected end of stream",
                    ));
                }
                // A line break: the blanks before it are not part of the value.
                _ => {
                    let line = self.text()[from..at].trim_end_matches([' ', '\t']);
                    value.extend(from..from + line.len());
                    value.fold(self.skip_quoted_gap(start)?);
                }
            }
        }
        self.cursor.at += 1;
        Ok(self.finish_scalar(style, start, self.cursor.at, value))
    }

    /// Passes characters up to a quote, a backslash, a line break or the end.
    fn skip_quoted_run(&mut self, stop: Class) {
        loop {
            self.cursor.skip_until(stop);
            match self.cursor.peek() {
                0xC2 | 0xE2 if self.cursor.break_len(self.cursor.at) == 0 => self.cursor.at += 1,
                _ => return,
            }
        }
    }

    /// Passes the blanks and line breaks between two lines of a quoted scalar, and gives them.
    fn skip_quoted_gap(&mut self, start: usize) -> Result<Range<usize>, YamlError> {
        let from = self.cursor.at;
        loop {
            self.cursor.skip_blanks();
            if !self.cursor.skip_break() {
                break;
            }
        }
        if self.cursor.at_document_indicator() {
            return Err(self.error(
                "while scanning a quoted scalar",
                start,
                "found unexpected document indicator",
            ));
        }
        Ok(from..self.cursor.at)
    }

    /// Passes an escape sequence and returns its character.
    fn scan_escape(&mut self, start: usize) -> Result<char, YamlError> {
        let digits = match self.cursor.byte(self.cursor.at + 1) {
            b'x' => 2,
            b'u' => 4,
            b'U' => 8,
            letter => {
                let Some(char) = escaped(letter) else {
                    return Err(self.error(
                        "while parsing a quoted scalar",
                        start,
                        "found unknown escape character",
                    ));
                };
                self.cursor.at += 2;
                return Ok(char);
            }
        };
        self.cursor.at += 2;
        let mut code = 0;
        for at in self.cursor.at..self.cursor.at + digits {
            let Some(digit) = char::from(self.cursor.byte(at)).to_digit(16) else {
                return Err(self.error(
                    "while parsing a quoted scalar",
                    start,
                    "did not find expected hexadecimal number",
                ));
            };
            code = code << 4 | digit;
        }
        let surrogate = matches!(code, 0xD800..=0xDFFF) && self.is_pure_python();
        let code = if surrogate { char::REPLACEMENT_CHARACTER.into() } else { code };
        let Some(char) = char::from_u32(code) else {
            return Err(self.error(
                "while parsing a quoted scalar",
                start,
                "found invalid Unicode character escape code",
            ));
        };
        self.cursor.at += digits;
        Ok(char)
    }
}

/// The character for a letter after a backslash.
fn escaped(letter: u8) -> Option<char> {
    Some(match letter {
        b'0' => '\0',
        b'a' => '\x07',
        b'b' => '\x08',
        b't' | b'\t' => '\t',
        b'n' => '\n',
        b'v' => '\x0B',
        b'f' => '\x0C',
        b'r' => '\r',
        b'e' => '\x1B',
        b' ' => ' ',
        b'"' => '"',
        b'/' => '/',
        b'\\' => '\\',
        b'N' => '\u{85}',
        b'_' => '\u{A0}',
        b'L' => '\u{2028}',
        b'P' => '\u{2029}',
        _ => return None,
    })
}
