//! The lexer.
//!
//! Tokens are read one by one, as the parser needs them, so that of two errors in a text the first is
//! reported, as in yaql.

use std::borrow::Cow;
use std::ops::Range;

use num_bigint::BigInt;
use smol_str::SmolStr;

use super::chars;
use super::escapes::unescaped;
use super::operators::{PAIR, Symbol};
use super::parser::SyntaxError;
use super::tree::Literal;
use python_semantics::ExceptionClass;
use python_semantics::number::Integer;

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Token {
    Constant(Literal),
    /// A quoted text that contains a surrogate.
    HalfCharacter,
    /// A word that has no other meaning.
    Keyword(SmolStr),
    /// A word directly followed by a parenthesis.
    Call(SmolStr),
    /// `$` and the word after it.
    Variable(SmolStr),
    /// The sign or the word of an operator.
    Operator(&'static Symbol),
    /// `=>`.
    Pair,
    Comma,
    Open(Bracket),
    Close(Bracket),
    End,
}

/// The kinds of brackets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bracket {
    Round,
    Square,
    Curly,
}

/// Maximum number of digits of an integer; Python rejects more.
const DIGITS: usize = 4300;

/// Splits a text into tokens.
#[derive(Debug)]
pub(crate) struct Lexer<'t> {
    text: &'t str,
    at: usize,
    /// The start of the last token.
    start: usize,
}

impl<'t> Lexer<'t> {
    /// A lexer at the beginning of a text.
    pub(crate) fn new(text: &'t str) -> Self {
        Lexer { text, at: 0, start: 0 }
    }

    /// The byte range of the last token.
    pub(crate) fn span(&self) -> Range<usize> {
        self.start..self.at
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    /// Reads the next token.
    ///
    /// # Errors
    ///
    /// If the characters form no token.
    pub(crate) fn next(&mut self) -> Result<Token, SyntaxError> {
        let blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
        self.at += self.rest().bytes().take_while(blank).count();
        self.start = self.at;
        let Some(first) = self.rest().chars().next() else { return Ok(Token::End) };
        let single = match first {
            '(' => Token::Open(Bracket::Round),
            ')' => Token::Close(Bracket::Round),
            '[' => Token::Open(Bracket::Square),
            ']' => Token::Close(Bracket::Square),
            '{' => Token::Open(Bracket::Curly),
            '}' => Token::Close(Bracket::Curly),
            ',' => Token::Comma,
            '$' => {
                self.at += 1;
                return Ok(Token::Variable(self.word().into()));
            }
            '\'' | '"' | '`' => return self.quoted(first),
            _ if chars::digit(first).is_some() => return self.number(),
            _ if chars::is_word(first) => return self.named(),
            _ => return self.sign(),
        };
        self.at += 1;
        Ok(single)
    }

    /// Reads the word characters that come next.
    fn word(&mut self) -> &'t str {
        let rest = self.rest();
        let word = &rest[..end_of(rest, chars::is_word)];
        self.at += word.len();
        word
    }

    fn named(&mut self) -> Result<Token, SyntaxError> {
        let word = self.word();
        if self.rest().starts_with('(') {
            self.at += 1;
            return Ok(Token::Call(word.into()));
        }
        if word.starts_with("__") {
            return Err(self.illegal());
        }
        Ok(match word {
            "true" => Token::Constant(Literal::Bool(true)),
            "false" => Token::Constant(Literal::Bool(false)),
            "null" => Token::Constant(Literal::Null),
            _ => match Symbol::word(word) {
                Some(symbol) => Token::Operator(symbol),
                None => Token::Keyword(word.into()),
            },
        })
    }

    fn sign(&mut self) -> Result<Token, SyntaxError> {
        if self.rest().starts_with(PAIR) {
            self.at += PAIR.len();
            return Ok(Token::Pair);
        }
        let Some(sign) = Symbol::sign(self.rest()) else { return Err(self.illegal()) };
        self.at += sign.text.len();
        Ok(Token::Operator(sign))
    }

    /// A number ends where a word would: `1a` is not a number, and `1.5a` begins with `1`.
    fn number(&mut self) -> Result<Token, SyntaxError> {
        let rest = self.rest();
        let is_digit = |c| chars::digit(c).is_some();
        let ends = |at: usize| !rest[at..].starts_with(chars::is_word);
        let whole = end_of(rest, is_digit);
        let fraction = rest[whole..].strip_prefix('.').map_or(0, |rest| end_of(rest, is_digit));
        let with_fraction = whole + 1 + fraction;
        let is_float = fraction > 0 && ends(with_fraction);
        if !is_float && !ends(whole) {
            return Err(self.illegal());
        }
        let written = &rest[..if is_float { with_fraction } else { whole }];
        self.at += written.len();
        let ascii =
            if written.is_ascii() { Cow::Borrowed(written) } else { in_ascii(written).into() };
        if is_float {
            return Ok(Token::Constant(Literal::Float(ascii.parse().unwrap_or(f64::NAN))));
        }
        if ascii.len() > DIGITS {
            let message = format!(
                "Exceeds the limit ({DIGITS} digits) for integer string conversion: value has {} \
                 digits; use sys.set_int_max_str_digits() to increase the limit",
                ascii.len()
            );
            return Err(SyntaxError {
                class: ExceptionClass::ValueError,
                message,
                span: self.span(),
            });
        }
        let value = match ascii.parse() {
            Ok(small) => Integer::Small(small),
            Err(_) => Integer::Big(Box::new(ascii.parse::<BigInt>().unwrap_or_default())),
        };
        Ok(Token::Constant(Literal::Int(value)))
    }

    fn quoted(&mut self, quote: char) -> Result<Token, SyntaxError> {
        let inner = &self.rest()[1..];
        let mut escaped = false;
        let end = inner.bytes().position(|byte| {
            if escaped {
                escaped = false;
                // A backslash does not escape a newline; such a text is never closed.
                return byte == b'\n';
            }
            escaped = byte == b'\\';
            char::from(byte) == quote
        });
        let Some(end) = end.filter(|&end| inner[end..].starts_with(quote)) else {
            return Err(self.illegal());
        };
        let from = self.at + 1;
        self.at = from + end + 1;
        let inner = &inner[..end];
        let text = match quote {
            '`' if inner.contains('\\') => inner.replace("\\`", "`").into(),
            '`' => inner.into(),
            _ => match unescaped(inner, from)? {
                Some(text) => text,
                None => return Ok(Token::HalfCharacter),
            },
        };
        Ok(Token::Constant(Literal::Text(text)))
    }

    fn illegal(&mut self) -> SyntaxError {
        self.at = self.start;
        let first = self.rest().chars().next().unwrap_or_default();
        let message = format!(
            "Lexical error: illegal character '{first}' at position {}",
            position(self.text, self.start)
        );
        let span = self.start..self.start + first.len_utf8();
        SyntaxError { class: ExceptionClass::YaqlLexicalException, message, span }
    }

    /// The error for a last token that is not allowed in its place.
    pub(crate) fn unexpected(&self, token: &Token) -> SyntaxError {
        let message = match token {
            Token::End => "Parse error: unexpected end of statement".to_owned(),
            token => format!(
                "Parse error: unexpected '{}' at position {} of expression '{}'",
                shown(token),
                position(self.text, self.start),
                self.text
            ),
        };
        SyntaxError { class: ExceptionClass::YaqlGrammarException, message, span: self.span() }
    }
}

/// Replaces the digits of other scripts by ASCII digits.
fn in_ascii(number: &str) -> String {
    let digit = |c| chars::digit(c).and_then(|value| char::from_digit(value, 10));
    number.chars().map(|c| digit(c).unwrap_or(c)).collect()
}

/// The end of the leading characters of a class.
fn end_of(text: &str, class: impl Fn(char) -> bool) -> usize {
    text.find(|c| !class(c)).unwrap_or(text.len())
}

/// The number of characters before a byte.
fn position(text: &str, byte: usize) -> usize {
    text[..byte].chars().count()
}

/// A token as yaql's messages show it: by its value.
fn shown(token: &Token) -> String {
    match token {
        Token::Constant(literal) => literal.to_string(),
        Token::Keyword(word) | Token::Call(word) => word.to_string(),
        Token::Variable(name) => format!("${name}"),
        Token::Operator(symbol) => symbol.text.to_owned(),
        Token::Pair => PAIR.to_owned(),
        Token::Comma => ",".to_owned(),
        Token::Open(Bracket::Round) => "(".to_owned(),
        Token::Open(Bracket::Square) => "[".to_owned(),
        Token::Open(Bracket::Curly) => "{".to_owned(),
        Token::Close(Bracket::Round) => ")".to_owned(),
        Token::Close(Bracket::Square) => "]".to_owned(),
        Token::Close(Bracket::Curly) => "}".to_owned(),
        Token::HalfCharacter | Token::End => String::new(),
    }
}
