//! Replacement templates: `\1`, `\g<name>`, `\n`.

use smol_str::SmolStr;

use super::error::{RegexError, RegexResult};
use super::escape::{is_octal, octal, octal_of_three, simple};
use super::group::digits_of;
use super::tokenizer::{PatternToken, Tokenizer};
use super::{Match, Regex, Subject};
use crate::unicode;

/// A parsed replacement template.
#[derive(Clone, Debug, PartialEq)]
pub struct ReplacementTemplate(Vec<ReplacementPart>);

#[derive(Clone, Debug, PartialEq)]
enum ReplacementPart {
    Text(SmolStr),
    /// A group by its number; 0 is the whole match.
    Group(usize),
}

impl ReplacementTemplate {
    /// Parses a template for the matches of an expression.
    pub fn new(text: &str, regex: &Regex) -> RegexResult<Self> {
        if !text.contains('\\') {
            return Ok(ReplacementTemplate(vec![ReplacementPart::Text(text.into())]));
        }
        let mut reader = ReplacementParser {
            source: Tokenizer::new(text)?,
            regex,
            pieces: Vec::new(),
            literal: String::new(),
        };
        while let Some(sign) = reader.source.get()? {
            match sign {
                PatternToken::Plain(c) => reader.literal.push(c),
                PatternToken::Escaped(c) => reader.escape(c)?,
            }
        }
        reader.flush();
        Ok(ReplacementTemplate(reader.pieces))
    }

    /// Whether the replacement is the same for every match.
    pub fn is_literal(&self) -> bool {
        self.0.iter().all(|piece| matches!(piece, ReplacementPart::Text(_)))
    }

    /// The number of parts.
    pub fn part_count(&self) -> usize {
        self.0.len()
    }

    /// The maximum number of bytes of the replacement for a match.
    pub fn length(&self, found: &Match, subject: &Subject) -> usize {
        let width = |(start, end): (usize, usize)| (end - start) * subject.max_char_bytes();
        let lengths = self.0.iter().map(|piece| match piece {
            ReplacementPart::Text(text) => text.len(),
            ReplacementPart::Group(0) => width(found.span),
            ReplacementPart::Group(number) => found.group(*number).map_or(0, width),
        });
        lengths.fold(0, usize::saturating_add)
    }

    /// Appends the replacement for a match.
    pub fn expand(&self, found: &Match, subject: &Subject, out: &mut String) {
        for piece in &self.0 {
            match piece {
                ReplacementPart::Text(text) => out.push_str(text),
                ReplacementPart::Group(0) => subject.push_to(found.span, out),
                ReplacementPart::Group(number) => {
                    if let Some(span) = found.group(*number) {
                        subject.push_to(span, out);
                    }
                }
            }
        }
    }
}

struct ReplacementParser<'r> {
    source: Tokenizer,
    regex: &'r Regex,
    pieces: Vec<ReplacementPart>,
    literal: String,
}

impl ReplacementParser<'_> {
    fn flush(&mut self) {
        if !self.literal.is_empty() {
            self.pieces.push(ReplacementPart::Text(std::mem::take(&mut self.literal).into()));
        }
    }

    fn group(&mut self, digits: &str, width: usize) -> RegexResult<()> {
        match digits.parse() {
            Ok(group) if group <= self.regex.groups => {
                self.flush();
                self.pieces.push(ReplacementPart::Group(group));
                Ok(())
            }
            _ => Err(self.source.bad(&format!("invalid group reference {digits}"), width)),
        }
    }

    fn escape(&mut self, c: char) -> RegexResult<()> {
        match c {
            'g' => self.named(),
            '0' => {
                let mut digits = String::from(c);
                self.source.take_while(2, is_octal, &mut digits)?;
                self.push(octal(&digits) & 0xff);
                Ok(())
            }
            '1'..='9' => {
                let mut digits = String::from(c);
                self.source.take_while(1, |c| c.is_ascii_digit(), &mut digits)?;
                if digits.len() == 2 && digits.chars().all(is_octal) {
                    self.source.take_while(1, is_octal, &mut digits)?;
                    if digits.len() == 3 {
                        let code = octal_of_three(&self.source, &digits)?;
                        self.push(code);
                        return Ok(());
                    }
                }
                self.group(&digits, digits.len())
            }
            c => {
                match simple(c) {
                    Some(c) => self.literal.push(c),
                    None if c.is_ascii_alphabetic() => {
                        return Err(self.source.bad(&format!("bad escape \\{c}"), 2));
                    }
                    None => self.literal.extend(['\\', c]),
                }
                Ok(())
            }
        }
    }

    fn push(&mut self, code: u32) {
        // A byte is always a valid character.
        self.literal.extend(char::from_u32(code));
    }

    fn named(&mut self) -> RegexResult<()> {
        if !self.source.eat('<')? {
            return Err(self.source.bad("missing <", 0));
        }
        let name = self.source.until('>', "group name")?;
        let width = name.chars().count() + 1;
        if unicode::is_identifier(&name) {
            let Some(number) = self.regex.names.get(&name) else {
                let message = format!("unknown group name {}", unicode::repr_of_text(&name));
                return Err(RegexError::Index(message));
            };
            return self.group(&number.to_string(), width);
        }
        match digits_of(&name) {
            Some(digits) => self.group(&digits, width),
            None => {
                let message =
                    format!("bad character in group name {}", unicode::repr_of_text(&name));
                Err(self.source.bad(&message, width))
            }
        }
    }
}
