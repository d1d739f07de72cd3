//! Reading an expression, or a template, sign by sign.

use super::error::{Outcome, Problem, bad_at};

/// A sign: a character, or one after a backslash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sign {
    Plain(char),
    Escaped(char),
}

impl Sign {
    /// The character that it is, where there is no backslash.
    pub(super) fn plain(self) -> Option<char> {
        match self {
            Sign::Plain(c) => Some(c),
            Sign::Escaped(_) => None,
        }
    }

    /// The characters that it takes.
    pub(super) fn width(self) -> usize {
        match self {
            Sign::Plain(_) => 1,
            Sign::Escaped(_) => 2,
        }
    }
}

impl std::fmt::Display for Sign {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Sign::Plain(c) => write!(f, "{c}"),
            Sign::Escaped(c) => write!(f, "\\{c}"),
        }
    }
}

/// A text that is read. It is always one sign ahead, as Python is, which decides which of two errors
/// is told.
pub(super) struct Source {
    chars: Vec<char>,
    /// Behind the next sign.
    after: usize,
    next: Option<Sign>,
}

impl Source {
    pub(super) fn new(text: &str) -> Outcome<Self> {
        let mut source = Source { chars: text.chars().collect(), after: 0, next: None };
        source.advance()?;
        Ok(source)
    }

    fn advance(&mut self) -> Outcome<()> {
        self.next = match self.chars.get(self.after) {
            None => None,
            Some('\\') => match self.chars.get(self.after + 1) {
                Some(&c) => Some(Sign::Escaped(c)),
                None => {
                    let message = "bad escape (end of pattern)";
                    return Err(bad_at(message, &self.chars, self.chars.len() - 1));
                }
            },
            Some(&c) => Some(Sign::Plain(c)),
        };
        self.after += self.next.map_or(0, Sign::width);
        Ok(())
    }

    /// The next sign, which stays.
    pub(super) fn peek(&self) -> Option<Sign> {
        self.next
    }

    /// The next sign, where it is a character without a backslash.
    pub(super) fn peek_plain(&self) -> Option<char> {
        self.next.and_then(Sign::plain)
    }

    /// Takes the next sign.
    pub(super) fn get(&mut self) -> Outcome<Option<Sign>> {
        let next = self.next;
        self.advance()?;
        Ok(next)
    }

    /// Takes the next sign if it is this character.
    pub(super) fn eat(&mut self, c: char) -> Outcome<bool> {
        let found = self.next == Some(Sign::Plain(c));
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    /// Takes characters as long as they fit, but not more than `most`.
    pub(super) fn take_while(
        &mut self,
        most: usize,
        fits: impl Fn(char) -> bool,
        out: &mut String,
    ) -> Outcome<()> {
        for _ in 0..most {
            let Some(c) = self.peek_plain().filter(|&c| fits(c)) else { break };
            out.push(c);
            self.advance()?;
        }
        Ok(())
    }

    /// Takes everything up to `end`, and `end`.
    pub(super) fn until(&mut self, end: char, what: &str) -> Outcome<String> {
        let mut found = String::new();
        loop {
            match self.get()? {
                None if found.is_empty() => return Err(self.bad(&format!("missing {what}"), 0)),
                None => {
                    let length = found.chars().count();
                    return Err(self.bad(&format!("missing {end}, unterminated name"), length));
                }
                Some(Sign::Plain(c)) if c == end => {
                    if found.is_empty() {
                        return Err(self.bad(&format!("missing {what}"), 1));
                    }
                    return Ok(found);
                }
                Some(Sign::Plain(c)) => found.push(c),
                Some(Sign::Escaped(c)) => found.extend(['\\', c]),
            }
        }
    }

    /// Where the next sign begins.
    pub(super) fn position(&self) -> usize {
        self.after - self.next.map_or(0, Sign::width)
    }

    /// Goes back.
    pub(super) fn seek(&mut self, position: usize) -> Outcome<()> {
        self.after = position;
        self.advance()
    }

    /// `re.error` so many characters before the next sign.
    pub(super) fn bad(&self, message: &str, before: usize) -> Problem {
        bad_at(message, &self.chars, self.position().saturating_sub(before))
    }

    /// `re.error` at a position.
    pub(super) fn bad_at(&self, message: &str, position: usize) -> Problem {
        bad_at(message, &self.chars, position)
    }
}
