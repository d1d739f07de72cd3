//! Splits a text into words, numbers and other characters.

use crate::chars::digit;
use crate::text::is_space;

/// The kind of token so far.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TokenState {
    Word,
    Number,
    /// A word that contains a dot.
    Dotted,
    /// A number that contains a dot or a comma.
    Decimal,
}

/// The tokens of a text. Digits of other scripts become ASCII digits, and every blank a space.
pub(super) fn tokens(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut characters = text.chars().filter(|&c| c != '\0').map(normal).peekable();
    while let Some(first) = characters.next() {
        let mut token = String::from(first);
        let mut state = if first.is_alphabetic() {
            TokenState::Word
        } else if is_digit(first) {
            TokenState::Number
        } else {
            found.push(token);
            continue;
        };
        let (mut letters, mut length) = (false, 1);
        while let Some(&next) = characters.peek() {
            letters |= matches!(state, TokenState::Word | TokenState::Dotted);
            let after_dot = token.ends_with('.');
            let word = next.is_alphabetic();
            let number = is_digit(next);
            state = match state {
                TokenState::Word if word => TokenState::Word,
                TokenState::Word if next == '.' => TokenState::Dotted,
                TokenState::Number if number => TokenState::Number,
                TokenState::Number if next == '.' || (next == ',' && length >= 2) => {
                    TokenState::Decimal
                }
                TokenState::Dotted if next == '.' || word => TokenState::Dotted,
                TokenState::Dotted if number && after_dot => TokenState::Decimal,
                TokenState::Decimal if next == '.' || number => TokenState::Decimal,
                TokenState::Decimal if word && after_dot => TokenState::Dotted,
                _ => break,
            };
            token.push(next);
            length += 1;
            characters.next();
        }
        let dots = token.matches('.').count();
        let mixed = matches!(state, TokenState::Dotted | TokenState::Decimal);
        if mixed && (letters || dots > 1 || token.ends_with(['.', ','])) {
            split(&token, &mut found);
        } else if state == TokenState::Decimal && dots == 0 {
            found.push(token.replace(',', "."));
        } else {
            found.push(token);
        }
    }
    found
}

/// Splits a token at dots and commas, which become tokens.
fn split(token: &str, found: &mut Vec<String>) {
    for part in token.split_inclusive(['.', ',']) {
        let inner = part.trim_end_matches(['.', ',']);
        if !inner.is_empty() {
            found.push(inner.to_owned());
        }
        if inner.len() < part.len() {
            found.push(part.get(inner.len()..).unwrap_or_default().to_owned());
        }
    }
}

fn normal(c: char) -> char {
    match digit(c) {
        Some(value) => char::from_digit(value, 10).unwrap_or(c),
        None if is_space(c) => ' ',
        None => c,
    }
}

/// Whether a character continues a number: a digit, or a character that Python calls a digit although no
/// number can contain it.
fn is_digit(c: char) -> bool {
    c.is_ascii_digit() || (!c.is_ascii() && c.is_numeric() && !c.is_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_those_of_dateutil() {
        // dateutil.parser._parser._timelex.split(…)
        let cases: &[(&str, &[&str])] = &[
            ("2020-01-02T03:04", &["2020", "-", "01", "-", "02", "T", "03", ":", "04"]),
            ("4:30:21.447", &["4", ":", "30", ":", "21.447"]),
            ("Sep.20.2009", &["Sep", ".", "20", ".", "2009"]),
            ("12,5 1,5", &["12.5", " ", "1", ",", "5"]),
            ("10 a.m. x", &["10", " ", "a", ".", "m", ".", " ", "x"]),
            ("10. 1.2.3", &["10", ".", " ", "1", ".", "2", ".", "3"]),
            ("a\0b\u{a0}\t1h", &["ab", " ", " ", "1", "h"]),
            ("10,5.3", &["10,5.3"]),
            ("٣:١", &["3", ":", "1"]),
        ];
        for (text, wanted) in cases {
            assert_eq!(tokens(text), *wanted, "{text}");
        }
    }
}
