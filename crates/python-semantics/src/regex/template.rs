//! The language of replacements: `\1`, `\g<name>`, `\n`.

use smol_str::SmolStr;

use super::error::{Outcome, Problem};
use super::escape::{is_octal, octal, octal_of_three, simple};
use super::group::digits_of;
use super::source::{Sign, Source};
use super::{Match, Regex, Subject};
use crate::unicode;

/// What stands for a match.
#[derive(Clone, Debug, PartialEq)]
pub struct Template(Vec<Piece>);

#[derive(Clone, Debug, PartialEq)]
enum Piece {
    Text(SmolStr),
    /// A group; the first is the whole match.
    Group(usize),
}

impl Template {
    /// Reads a template for the matches of an expression.
    pub fn new(text: &str, regex: &Regex) -> Outcome<Self> {
        if !text.contains('\\') {
            return Ok(Template(vec![Piece::Text(text.into())]));
        }
        let mut reader = Reader {
            source: Source::new(text)?,
            regex,
            pieces: Vec::new(),
            literal: String::new(),
        };
        while let Some(sign) = reader.source.get()? {
            match sign {
                Sign::Plain(c) => reader.literal.push(c),
                Sign::Escaped(c) => reader.escape(c)?,
            }
        }
        reader.flush();
        Ok(Template(reader.pieces))
    }

    /// Whether it is the same for every match.
    pub fn is_literal(&self) -> bool {
        self.0.iter().all(|piece| matches!(piece, Piece::Text(_)))
    }

    /// How many pieces it has.
    pub fn pieces(&self) -> usize {
        self.0.len()
    }

    /// How many bytes stand for a match, at most.
    pub fn length(&self, found: &Match, subject: &Subject) -> usize {
        let width = |(start, end): (usize, usize)| (end - start) * subject.widest();
        let lengths = self.0.iter().map(|piece| match piece {
            Piece::Text(text) => text.len(),
            Piece::Group(0) => width(found.span),
            Piece::Group(number) => found.group(*number).map_or(0, width),
        });
        lengths.fold(0, usize::saturating_add)
    }

    /// Appends what stands for a match.
    pub fn expand(&self, found: &Match, subject: &Subject, out: &mut String) {
        for piece in &self.0 {
            match piece {
                Piece::Text(text) => out.push_str(text),
                Piece::Group(0) => subject.push_to(found.span, out),
                Piece::Group(number) => {
                    if let Some(span) = found.group(*number) {
                        subject.push_to(span, out);
                    }
                }
            }
        }
    }
}

struct Reader<'r> {
    source: Source,
    regex: &'r Regex,
    pieces: Vec<Piece>,
    literal: String,
}

impl Reader<'_> {
    fn flush(&mut self) {
        if !self.literal.is_empty() {
            self.pieces.push(Piece::Text(std::mem::take(&mut self.literal).into()));
        }
    }

    fn group(&mut self, digits: &str, width: usize) -> Outcome<()> {
        match digits.parse() {
            Ok(group) if group <= self.regex.groups => {
                self.flush();
                self.pieces.push(Piece::Group(group));
                Ok(())
            }
            _ => Err(self.source.bad(&format!("invalid group reference {digits}"), width)),
        }
    }

    fn escape(&mut self, c: char) -> Outcome<()> {
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
        // A byte is always a character.
        self.literal.extend(char::from_u32(code));
    }

    fn named(&mut self) -> Outcome<()> {
        if !self.source.eat('<')? {
            return Err(self.source.bad("missing <", 0));
        }
        let name = self.source.until('>', "group name")?;
        let width = name.chars().count() + 1;
        if unicode::is_identifier(&name) {
            let Some(number) = self.regex.names.get(&name) else {
                let message = format!("unknown group name {}", unicode::repr_of_text(&name));
                return Err(Problem::Index(message));
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
