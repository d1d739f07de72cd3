//! Parses escapes (what follows a backslash).

use super::error::RegexResult;
use super::parse::Parser;
use super::tokenizer::Tokenizer;
use super::tree::{Anchor, Category, Member, Node, Set};
use crate::unicode;

impl Parser {
    /// Parses the rest of an escape outside of a character class.
    pub(super) fn escape(&mut self, c: char) -> RegexResult<Node> {
        let at = match c {
            'A' => Some(Anchor::BeginningOfText),
            'b' => Some(Anchor::Boundary),
            'B' => Some(Anchor::NoBoundary),
            'Z' => Some(Anchor::EndOfText),
            _ => None,
        };
        if let Some(at) = at {
            return Ok(Node::Anchor(at));
        }
        if let Some(category) = category(c) {
            return Ok(Node::Set(Set { negated: false, members: vec![category] }));
        }
        match c {
            '0' => {
                let mut digits = String::from(c);
                self.tokens.take_while(2, is_octal, &mut digits)?;
                Ok(Node::Literal(octal(&digits)))
            }
            '1'..='9' => self.number(c),
            c => character(&mut self.tokens, c).map(Node::Literal),
        }
    }

    /// Parses a group reference or three octal digits.
    fn number(&mut self, c: char) -> RegexResult<Node> {
        let mut digits = String::from(c);
        self.tokens.take_while(1, |c| c.is_ascii_digit(), &mut digits)?;
        if digits.len() == 2 && digits.chars().all(is_octal) {
            self.tokens.take_while(1, is_octal, &mut digits)?;
            if digits.len() == 3 {
                return Ok(Node::Literal(octal_of_three(&self.tokens, &digits)?));
            }
        }
        let group = digits.parse().unwrap_or(usize::MAX);
        if group >= self.widths.len() {
            let message = format!("invalid group reference {group}");
            return Err(self.tokens.bad(&message, digits.len()));
        }
        if !self.is_complete(group) {
            return Err(self.tokens.bad("cannot refer to an open group", digits.len() + 1));
        }
        self.check_lookbehind(group)?;
        Ok(Node::BackReference(group))
    }

    /// Parses the rest of an escape in a character class.
    pub(super) fn class_escape(&mut self, c: char) -> RegexResult<Member> {
        if let Some(category) = category(c) {
            return Ok(category);
        }
        Ok(Member::Literal(match c {
            'b' => 8,
            '0'..='7' => {
                let mut digits = String::from(c);
                self.tokens.take_while(2, is_octal, &mut digits)?;
                octal_of_three(&self.tokens, &digits)?
            }
            '8' | '9' => return Err(self.tokens.bad(&format!("bad escape \\{c}"), 2)),
            c => character(&mut self.tokens, c)?,
        }))
    }
}

fn category(c: char) -> Option<Member> {
    let category = match c.to_ascii_lowercase() {
        'd' => Category::Digit,
        's' => Category::Space,
        'w' => Category::Word,
        _ => return None,
    };
    Some(Member::Category { category, negated: c.is_ascii_uppercase() })
}

/// The character that a letter after a backslash stands for in every context.
pub(super) fn simple(c: char) -> Option<char> {
    Some(match c {
        'a' => '\x07',
        'b' => '\x08',
        'f' => '\x0c',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'v' => '\x0b',
        '\\' => '\\',
        _ => return None,
    })
}

pub(super) fn is_octal(c: char) -> bool {
    matches!(c, '0'..='7')
}

pub(super) fn octal(digits: &str) -> u32 {
    u32::from_str_radix(digits, 8).unwrap_or(0)
}

/// The value of up to three octal digits; fails if it exceeds a byte.
pub(super) fn octal_of_three(source: &Tokenizer, digits: &str) -> RegexResult<u32> {
    match octal(digits) {
        code @ ..=0o377 => Ok(code),
        _ => {
            let message = format!("octal escape value \\{digits} outside of range 0-0o377");
            Err(source.bad(&message, digits.len() + 1))
        }
    }
}

/// Parses the rest of an escape that stands for a character.
fn character(source: &mut Tokenizer, c: char) -> RegexResult<u32> {
    if let Some(c) = simple(c) {
        return Ok(c.into());
    }
    let digits = match c {
        'x' => 2,
        'u' => 4,
        'U' => 8,
        'N' => return named(source),
        c if c.is_ascii_alphabetic() => {
            return Err(source.bad(&format!("bad escape \\{c}"), 2));
        }
        c => return Ok(c.into()),
    };
    let mut escape = String::from(c);
    source.take_while(digits, |c| c.is_ascii_hexdigit(), &mut escape)?;
    if escape.len() != digits + 1 {
        let message = format!("incomplete escape \\{escape}");
        return Err(source.bad(&message, escape.len() + 1));
    }
    match u32::from_str_radix(&escape[1..], 16) {
        Ok(code @ ..=0x10ffff) => Ok(code),
        _ => Err(source.bad(&format!("bad escape \\{escape}"), escape.len() + 1)),
    }
}

/// Parses the character name of `\N{…}`.
fn named(source: &mut Tokenizer) -> RegexResult<u32> {
    if !source.eat('{')? {
        return Err(source.bad("missing {", 0));
    }
    let name = source.until('}', "character name")?;
    match unicode::character(&name) {
        Some(c) => Ok(c.into()),
        None => {
            let message = format!("undefined character name {}", unicode::repr_of_text(&name));
            Err(source.bad(&message, name.chars().count() + r"\N{}".len()))
        }
    }
}
