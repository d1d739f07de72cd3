//! Parses groups and everything else that begins with an opening parenthesis.

use super::error::{RegexError, RegexResult};
use super::flags::Flags;
use super::parse::Parser;
use super::tokenizer::PatternToken;
use super::tree::{Node, Sequence};
use crate::unicode;

/// Python's maximum number of groups.
const MAX_GROUPS: usize = 1_073_741_823;

/// The kind of a group.
enum GroupForm {
    Capture(Option<String>),
    Flags(Flags, Flags),
    Atomic,
}

impl Parser {
    /// Parses what follows an opening parenthesis; `None` if it adds nothing. Flags for the whole
    /// expression are allowed only if it is `first`.
    pub(super) fn group(
        &mut self,
        verbose: &mut bool,
        depth: usize,
        first: bool,
    ) -> RegexResult<Option<Node>> {
        let start = self.tokens.position() - 1;
        if !self.tokens.eat('?')? {
            return self.enclosed(GroupForm::Capture(None), start, *verbose, depth).map(Some);
        }
        let sign = self.required()?;
        let form = match sign {
            PatternToken::Plain('P') => {
                if self.tokens.eat('<')? {
                    GroupForm::Capture(Some(self.group_name('>')?))
                } else if self.tokens.eat('=')? {
                    return self.named_reference().map(Some);
                } else {
                    let sign = self.required()?;
                    return Err(self.unknown_extension("P", sign));
                }
            }
            PatternToken::Plain(':') => GroupForm::Flags(Flags::NONE, Flags::NONE),
            PatternToken::Plain('>') => GroupForm::Atomic,
            PatternToken::Plain('#') => loop {
                if self.tokens.peek().is_none() {
                    let message = "missing ), unterminated comment";
                    return Err(self.tokens.bad_at(message, start));
                }
                if self.tokens.get()? == Some(PatternToken::Plain(')')) {
                    return Ok(None);
                }
            },
            PatternToken::Plain(c @ ('=' | '!' | '<')) => {
                return self.look_around(c, start, *verbose, depth).map(Some);
            }
            PatternToken::Plain('(') => return self.conditional(start, *verbose, depth).map(Some),
            PatternToken::Plain(c) if c == '-' || Flags::from_letter(c).is_some() => {
                match self.inline_flags(c)? {
                    Some((on, off)) => GroupForm::Flags(on, off),
                    None if !first => {
                        let message = "global flags not at the start of the expression";
                        return Err(self.tokens.bad_at(message, start));
                    }
                    None => {
                        *verbose = self.flags.intersects(Flags::VERBOSE);
                        return Ok(None);
                    }
                }
            }
            sign => return Err(self.unknown_extension("", sign)),
        };
        self.enclosed(form, start, *verbose, depth).map(Some)
    }

    fn required(&mut self) -> RegexResult<PatternToken> {
        match self.tokens.get()? {
            Some(sign) => Ok(sign),
            None => Err(self.tokens.bad("unexpected end of pattern", 0)),
        }
    }

    fn unknown_extension(&self, before: &str, sign: PatternToken) -> RegexError {
        let message = format!("unknown extension ?{before}{sign}");
        self.tokens.bad(&message, sign.width() + before.len() + 1)
    }

    fn close(&mut self, start: usize) -> RegexResult<()> {
        if self.tokens.eat(')')? {
            return Ok(());
        }
        Err(self.tokens.bad_at("missing ), unterminated subpattern", start))
    }

    /// Parses the content of a group up to its closing parenthesis.
    fn enclosed(
        &mut self,
        form: GroupForm,
        start: usize,
        verbose: bool,
        depth: usize,
    ) -> RegexResult<Node> {
        let (mut number, mut verbose) = (None, verbose);
        let (mut on, mut off, mut atomic) = (Flags::NONE, Flags::NONE, false);
        match form {
            GroupForm::Capture(name) => number = Some(self.open_group(name)?),
            GroupForm::Flags(these, those) => {
                (on, off) = (these, those);
                verbose =
                    (verbose || on.intersects(Flags::VERBOSE)) && !off.intersects(Flags::VERBOSE);
            }
            GroupForm::Atomic => atomic = true,
        }
        let inner = self.alternatives(verbose, depth + 1)?;
        self.close(start)?;
        if let Some(number) = number {
            self.close_group(number, &inner);
        }
        Ok(if atomic { Node::Atomic(inner) } else { Node::Group { number, on, off, inner } })
    }

    fn look_around(
        &mut self,
        c: char,
        start: usize,
        verbose: bool,
        depth: usize,
    ) -> RegexResult<Node> {
        let behind = c == '<';
        let outer = self.groups_before_lookbehind;
        let negated = if behind {
            let negated = match self.required()? {
                PatternToken::Plain('=') => false,
                PatternToken::Plain('!') => true,
                sign => return Err(self.unknown_extension("<", sign)),
            };
            self.groups_before_lookbehind.get_or_insert(self.widths.len());
            negated
        } else {
            c == '!'
        };
        let inner = self.alternatives(verbose, depth + 1)?;
        self.groups_before_lookbehind = outer;
        self.close(start)?;
        Ok(Node::LookAround { behind, negated, inner })
    }

    fn group_name(&mut self, end: char) -> RegexResult<String> {
        let name = self.tokens.until(end, "group name")?;
        if unicode::is_identifier(&name) { Ok(name) } else { Err(self.bad_name(&name)) }
    }

    fn bad_name(&self, name: &str) -> RegexError {
        let message = format!("bad character in group name {}", unicode::repr_of_text(name));
        self.tokens.bad(&message, name.chars().count() + 1)
    }

    fn number_of(&self, name: &str) -> RegexResult<usize> {
        self.names.get(name).copied().ok_or_else(|| {
            let message = format!("unknown group name {}", unicode::repr_of_text(name));
            self.tokens.bad(&message, name.chars().count() + 1)
        })
    }

    fn named_reference(&mut self) -> RegexResult<Node> {
        let name = self.group_name(')')?;
        let group = self.number_of(&name)?;
        if !self.is_complete(group) {
            let width = name.chars().count() + 1;
            return Err(self.tokens.bad("cannot refer to an open group", width));
        }
        self.check_lookbehind(group)?;
        Ok(Node::BackReference(group))
    }

    fn conditional(&mut self, start: usize, verbose: bool, depth: usize) -> RegexResult<Node> {
        let name = self.tokens.until(')', "group name")?;
        let group = if unicode::is_identifier(&name) {
            self.number_of(&name)?
        } else {
            let width = name.chars().count() + 1;
            let digits = digits_of(&name).ok_or_else(|| self.bad_name(&name))?;
            match digits.parse::<usize>() {
                Ok(0) => return Err(self.tokens.bad("bad group number", width)),
                Ok(group) if group < MAX_GROUPS => {
                    let position = self.tokens.position() - width;
                    self.conditional_groups.entry(group).or_insert(position);
                    group
                }
                _ => {
                    let message = format!("invalid group reference {digits}");
                    return Err(self.tokens.bad(&message, width));
                }
            }
        };
        self.check_lookbehind(group)?;
        let depth = depth + 1;
        if depth > super::parse::MAX_DEPTH {
            return Err(RegexError::Unsupported("its groups are nested too deeply"));
        }
        let yes = self.sequence(verbose, depth, false)?;
        let mut no: Option<Sequence> = None;
        if self.tokens.eat('|')? {
            no = Some(self.sequence(verbose, depth, false)?);
            if self.tokens.peek_plain() == Some('|') {
                let message = "conditional backref with more than two branches";
                return Err(self.tokens.bad(message, 0));
            }
        }
        self.close(start)?;
        Ok(Node::Conditional { group, yes, no })
    }

    /// Parses inline flags; `None` if they apply to the whole expression.
    fn inline_flags(&mut self, c: char) -> RegexResult<Option<(Flags, Flags)>> {
        let mut on = Flags::NONE;
        let mut sign = PatternToken::Plain(c);
        while let Some(flag) = sign.plain().and_then(Flags::from_letter) {
            if flag == Flags::LOCALE {
                let message = "bad inline flags: cannot use 'L' flag with a str pattern";
                return Err(self.tokens.bad(message, 0));
            }
            on |= flag;
            if flag.intersects(Flags::TYPES) && on.intersection(Flags::TYPES) != flag {
                let message = "bad inline flags: flags 'a', 'u' and 'L' are incompatible";
                return Err(self.tokens.bad(message, 0));
            }
            sign = self.flag_or(&[')', '-', ':'], "missing -, : or )")?;
        }
        if sign == PatternToken::Plain(')') {
            self.flags |= on;
            return Ok(None);
        }
        if on.intersects(Flags::TEMPLATE) {
            return Err(self.tokens.bad("bad inline flags: cannot turn on global flag", 1));
        }
        let mut off = Flags::NONE;
        if sign == PatternToken::Plain('-') {
            sign = self.flag_or(&[], "missing flag")?;
            while let Some(flag) = sign.plain().and_then(Flags::from_letter) {
                if flag.intersects(Flags::TYPES) {
                    let message = "bad inline flags: cannot turn off flags 'a', 'u' and 'L'";
                    return Err(self.tokens.bad(message, 0));
                }
                off |= flag;
                sign = self.flag_or(&[':'], "missing :")?;
            }
        }
        if off.intersects(Flags::TEMPLATE) {
            return Err(self.tokens.bad("bad inline flags: cannot turn off global flag", 1));
        }
        if on.intersection(off) != Flags::NONE {
            return Err(self.tokens.bad("bad inline flags: flag turned on and off", 1));
        }
        Ok(Some((on, off)))
    }

    /// Reads a flag, or one of the characters in `ends` that may follow flags.
    fn flag_or(&mut self, ends: &[char], missing: &str) -> RegexResult<PatternToken> {
        let Some(sign) = self.tokens.get()? else { return Err(self.tokens.bad(missing, 0)) };
        match sign.plain() {
            Some(c) if ends.contains(&c) || Flags::from_letter(c).is_some() => Ok(sign),
            Some(c) if unicode::is_letter(c) => Err(self.tokens.bad("unknown flag", 1)),
            _ => Err(self.tokens.bad(missing, sign.width())),
        }
    }
}

/// The digits of a decimal number as Python reads it, without leading zeros; `None` if it is not a number
/// or is negative.
pub(super) fn digits_of(text: &str) -> Option<String> {
    let text = text.trim();
    let (negative, text) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let mut digits = String::new();
    let mut after_digit = false;
    for c in text.chars() {
        match unicode::digit(c) {
            Some(value) => {
                digits.push(char::from_digit(value, 10).unwrap_or('0'));
                after_digit = true;
            }
            None if c == '_' && after_digit => after_digit = false,
            None => return None,
        }
    }
    if !after_digit {
        return None;
    }
    let digits = match digits.trim_start_matches('0') {
        "" => "0",
        digits => digits,
    };
    (!negative || digits == "0").then(|| digits.to_owned())
}
