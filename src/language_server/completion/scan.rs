//! The kind of a position in the middle of a line: the start of a line, a value, a part of a flow list or map. The rest of the text may be
//! broken, so this looks only at the characters in front of the position.

use std::ops::Range;

/// The candidates at a place of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Expected {
    /// A line that begins here: a key or a value.
    Line,
    /// A value behind `key:`.
    Value,
    /// A key or an item of a flow map or list.
    Entry,
    /// Nothing but the end of what stands in front of it.
    Nothing,
}

/// A scalar of the text: what is typed, or what is in front of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Word {
    /// The content, without quotes.
    pub(super) content: Range<usize>,
    /// The bytes with the quotes.
    pub(super) whole: Range<usize>,
    /// Whether it is in quotes.
    pub(super) is_quoted: bool,
    /// The candidates at this place.
    pub(super) expected: Expected,
}

/// A part of a text.
enum Token {
    /// A scalar.
    Word(Word),
    /// A bracket, a comma, a colon, a dash, or the tag or anchor of what follows.
    Mark,
}

/// The facts at an offset of a text.
#[derive(Clone, Debug)]
pub(super) struct Scan<'t> {
    text: &'t str,
    at: usize,
    expected: Expected,
    /// The brackets that are open.
    pub(super) open: Vec<u8>,
}

impl<'t> Scan<'t> {
    /// Begins at the start of a line outside of brackets.
    pub(super) fn new(text: &'t str, line_start: usize) -> Self {
        Scan { text, at: line_start, expected: Expected::Line, open: vec![] }
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.text.as_bytes().get(at).copied()
    }

    fn is_blank(&self, at: usize) -> bool {
        self.byte(at).is_none_or(|byte| byte.is_ascii_whitespace())
    }

    fn is_line_end(&self, at: usize) -> bool {
        self.byte(at).is_none_or(|byte| matches!(byte, b'\n' | b'\r'))
    }

    /// Goes to an offset. The word that contains it or touches it, or an empty one; `None` if nothing can be typed there: in a comment,
    /// behind an alias, in a block scalar's header.
    pub(super) fn go_to(&mut self, offset: usize) -> Option<Word> {
        loop {
            while self.at < offset && self.is_blank(self.at) {
                self.newline_at(self.at);
                self.at += 1;
            }
            let is_on_text = self.at == offset && !self.is_blank(offset);
            if self.at > offset || self.at == offset && !(is_on_text && self.begins_word()) {
                let empty = offset..offset;
                let expected = self.expected;
                return Some(Word {
                    content: empty.clone(),
                    whole: empty,
                    is_quoted: false,
                    expected,
                });
            }
            if let Token::Word(word) = self.token()?
                && word.whole.end >= offset
            {
                return (word.whole.start <= offset).then_some(word);
            }
        }
    }

    /// Goes on until the brackets that are open are closed. The brackets that are not, at the end of the text or at the first line that is
    /// indented no more than `column`.
    pub(super) fn close(mut self, column: Option<usize>) -> Vec<u8> {
        while self.at < self.text.len() && !self.open.is_empty() {
            if self.is_blank(self.at) {
                let is_end = self.byte(self.at) == Some(b'\n');
                self.at += 1;
                if is_end && column.is_some_and(|column| self.leaves(column)) {
                    break;
                }
                continue;
            }
            if self.byte(self.at) == Some(b'*') {
                self.at += 1;
            } else if self.token().is_none() {
                // A comment, or something that no flow has.
                while !self.is_line_end(self.at) {
                    self.at += 1;
                }
            }
        }
        self.open
    }

    /// Whether the line that begins here belongs to something around the brackets.
    fn leaves(&self, column: usize) -> bool {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let indent = rest.bytes().take_while(|byte| *byte == b' ').count();
        let first = rest.as_bytes().get(indent);
        indent <= column
            && first.is_some_and(|it| !matches!(it, b']' | b'}' | b'\n' | b'\r' | b'#'))
    }

    fn newline_at(&mut self, at: usize) {
        if self.is_line_end(at) && self.open.is_empty() {
            self.expected = Expected::Line;
        }
    }

    /// Whether what begins here is a scalar.
    fn begins_word(&self) -> bool {
        let is_dash = self.byte(self.at) == Some(b'-') && self.is_blank(self.at + 1);
        !is_dash
            && self.byte(self.at).is_some_and(|it| {
                !matches!(
                    it,
                    b'{' | b'}'
                        | b'['
                        | b']'
                        | b','
                        | b'#'
                        | b':'
                        | b'&'
                        | b'*'
                        | b'!'
                        | b'|'
                        | b'>'
                )
            })
    }

    /// Takes what begins here; `None` if it is something that cannot be completed: a comment, an alias, a block scalar.
    fn token(&mut self) -> Option<Token> {
        let byte = self.byte(self.at)?;
        let is_flow = !self.open.is_empty();
        match byte {
            b'#' | b'*' => return None,
            b'|' | b'>' if !is_flow => return None,
            b'!' | b'&' => {
                while !self.is_blank(self.at) {
                    self.at += 1;
                }
                return Some(Token::Mark);
            }
            b'-' if self.is_blank(self.at + 1) && self.expected == Expected::Line => {}
            b'{' | b'[' => {
                self.open.push(byte);
                self.expected = Expected::Entry;
            }
            b'}' | b']' => {
                self.open.pop();
                self.expected = Expected::Nothing;
            }
            b',' if is_flow => self.expected = Expected::Entry,
            b':' if self.separates(self.at, true) => self.expected = Expected::Value,
            b'"' | b'\'' => return Some(Token::Word(self.quoted(byte))),
            _ => return Some(Token::Word(self.plain())),
        }
        self.at += 1;
        Some(Token::Mark)
    }

    /// Whether the colon here ends a key.
    fn separates(&self, at: usize, is_behind_token: bool) -> bool {
        let next = self.byte(at + 1);
        let is_flow = !self.open.is_empty();
        let ends = self.is_blank(at + 1)
            || is_flow && next.is_some_and(|it| matches!(it, b',' | b'[' | b']' | b'{' | b'}'));
        let is_double = at.checked_sub(1).and_then(|before| self.byte(before)) == Some(b':');
        let is_behind_quote = is_behind_token
            && at
                .checked_sub(1)
                .and_then(|before| self.byte(before))
                .is_some_and(|it| matches!(it, b'"' | b'\''));
        (ends && !is_double) || is_behind_quote
    }

    fn quoted(&mut self, quote: u8) -> Word {
        let start = self.at;
        let mut end = start + 1;
        let mut is_closed = false;
        while !self.is_line_end(end) {
            match self.byte(end) {
                Some(b'\\') if quote == b'"' => end += 1,
                Some(byte)
                    if byte == quote && quote == b'\'' && self.byte(end + 1) == Some(quote) =>
                {
                    end += 1
                }
                Some(byte) if byte == quote => {
                    is_closed = true;
                    break;
                }
                _ => {}
            }
            end += 1;
        }
        if !is_closed {
            // The quote is being typed: the word ends where one without a quote would.
            let rest = self.text.get(start + 1..).unwrap_or_default();
            let length = rest.find([' ', '\t', '\n', '\r', ',', ']', '}']);
            end = start + 1 + length.unwrap_or(rest.len());
        }
        let end = end.min(self.text.len());
        let whole = start..if is_closed { end + 1 } else { end };
        self.at = whole.end;
        let expected = std::mem::replace(&mut self.expected, Expected::Nothing);
        Word { content: start + 1..end, whole, is_quoted: true, expected }
    }

    fn plain(&mut self) -> Word {
        let start = self.at;
        let is_flow = !self.open.is_empty();
        let mut end = start;
        // Behind `key:`, no other key can stand on the line.
        let may_be_key = self.expected != Expected::Value;
        while !self.is_line_end(end) {
            match self.byte(end) {
                Some(b',' | b'[' | b']' | b'{' | b'}') if is_flow => break,
                Some(b':') if may_be_key && self.separates(end, false) => break,
                Some(b'#') if end > start && self.is_blank(end - 1) => break,
                _ => {}
            }
            end += 1;
        }
        let length = self.text.get(start..end).unwrap_or_default().trim_end().len();
        self.at = (start + length).max(start + 1).min(self.text.len());
        let expected = std::mem::replace(&mut self.expected, Expected::Nothing);
        let whole = start..start + length;
        Word { content: whole.clone(), whole, is_quoted: false, expected }
    }
}
