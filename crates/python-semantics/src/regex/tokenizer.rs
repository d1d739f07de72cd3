//! Reads an expression or a replacement template token by token.

use super::error::{RegexError, RegexResult, bad_at};

/// A token: a character, or one after a backslash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PatternToken {
    Plain(char),
    Escaped(char),
}

impl PatternToken {
    /// The character, unless it has a backslash.
    pub(super) fn plain(self) -> Option<char> {
        match self {
            PatternToken::Plain(c) => Some(c),
            PatternToken::Escaped(_) => None,
        }
    }

    /// The number of characters of the token.
    pub(super) fn width(self) -> usize {
        match self {
            PatternToken::Plain(_) => 1,
            PatternToken::Escaped(_) => 2,
        }
    }
}

impl std::fmt::Display for PatternToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            PatternToken::Plain(c) => write!(f, "{c}"),
            PatternToken::Escaped(c) => write!(f, "\\{c}"),
        }
    }
}

/// A tokenizer that is always one token ahead, like Python's, which decides which of two errors is
/// reported.
pub(super) struct Tokenizer {
    chars: Vec<char>,
    /// The position after the next token.
    after: usize,
    next: Option<PatternToken>,
}

impl Tokenizer {
    pub(super) fn new(text: &str) -> RegexResult<Self> {
        let mut source = Tokenizer { chars: text.chars().collect(), after: 0, next: None };
        source.advance()?;
        Ok(source)
    }

    fn advance(&mut self) -> RegexResult<()> {
        self.next = match self.chars.get(self.after) {
            None => None,
            Some('\\') => match self.chars.get(self.after + 1) {
                Some(&c) => Some(PatternToken::Escaped(c)),
                None => {
                    let message = "bad escape (end of pattern)";
                    return Err(bad_at(message, &self.chars, self.chars.len() - 1));
                }
            },
            Some(&c) => Some(PatternToken::Plain(c)),
        };
        self.after += self.next.map_or(0, PatternToken::width);
        Ok(())
    }

    /// The next token, without consuming it.
    pub(super) fn peek(&self) -> Option<PatternToken> {
        self.next
    }

    /// The next token if it is a character without a backslash.
    pub(super) fn peek_plain(&self) -> Option<char> {
        self.next.and_then(PatternToken::plain)
    }

    /// Consumes the next token.
    pub(super) fn get(&mut self) -> RegexResult<Option<PatternToken>> {
        let next = self.next;
        self.advance()?;
        Ok(next)
    }

    /// Consumes the next token if it is this character.
    pub(super) fn eat(&mut self, c: char) -> RegexResult<bool> {
        let found = self.next == Some(PatternToken::Plain(c));
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    /// Consumes characters as long as they fit, at most `most`.
    pub(super) fn take_while(
        &mut self,
        most: usize,
        fits: impl Fn(char) -> bool,
        out: &mut String,
    ) -> RegexResult<()> {
        for _ in 0..most {
            let Some(c) = self.peek_plain().filter(|&c| fits(c)) else { break };
            out.push(c);
            self.advance()?;
        }
        Ok(())
    }

    /// Consumes everything up to and including `end`.
    pub(super) fn until(&mut self, end: char, what: &str) -> RegexResult<String> {
        let mut found = String::new();
        loop {
            match self.get()? {
                None if found.is_empty() => return Err(self.bad(&format!("missing {what}"), 0)),
                None => {
                    let length = found.chars().count();
                    return Err(self.bad(&format!("missing {end}, unterminated name"), length));
                }
                Some(PatternToken::Plain(c)) if c == end => {
                    if found.is_empty() {
                        return Err(self.bad(&format!("missing {what}"), 1));
                    }
                    return Ok(found);
                }
                Some(PatternToken::Plain(c)) => found.push(c),
                Some(PatternToken::Escaped(c)) => found.extend(['\\', c]),
            }
        }
    }

    /// The position of the next token.
    pub(super) fn position(&self) -> usize {
        self.after - self.next.map_or(0, PatternToken::width)
    }

    /// Moves back to a position.
    pub(super) fn seek(&mut self, position: usize) -> RegexResult<()> {
        self.after = position;
        self.advance()
    }

    /// `re.error` at a position `before` characters before the next token.
    pub(super) fn bad(&self, message: &str, before: usize) -> RegexError {
        bad_at(message, &self.chars, self.position().saturating_sub(before))
    }

    /// `re.error` at a position.
    pub(super) fn bad_at(&self, message: &str, position: usize) -> RegexError {
        bad_at(message, &self.chars, position)
    }
}
