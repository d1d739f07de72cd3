//! Escapes in quoted texts, as Python's codec `unicode-escape` reads each of them.

use smol_str::{SmolStr, SmolStrBuilder};

use super::failure::Kind;
use super::parser::SyntaxError;

/// A quoted text with its escapes replaced. It begins at the byte `from` of the expression.
pub(super) fn unescaped(text: &str, from: usize) -> Result<SmolStr, SyntaxError> {
    let mut read = SmolStrBuilder::new();
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        read.push_str(&rest[..at]);
        rest = &rest[at..];
        let length = length(rest);
        if length == 0 {
            // What is no escape stays, the backslash too.
            read.push('\\');
            rest = &rest[1..];
            continue;
        }
        let place = from + (text.len() - rest.len());
        read.push(decoded(&rest[..length]).map_err(|(kind, message)| SyntaxError {
            kind,
            message,
            span: place..place + length,
        })?);
        rest = &rest[length..];
    }
    read.push_str(rest);
    Ok(read.finish())
}

/// The bytes of the escape that a text begins with; 0 where it is none.
fn length(text: &str) -> usize {
    let any = |count: usize| {
        let mut characters = text[2..].char_indices().take(count);
        let last = characters.by_ref().take_while(|(_, c)| *c != '\n').enumerate().last();
        match last {
            Some((index, (at, c))) if index + 1 == count => 2 + at + c.len_utf8(),
            _ => 0,
        }
    };
    match text.as_bytes().get(1) {
        Some(b'U') => any(8),
        Some(b'u') => any(4),
        Some(b'x') => any(2),
        Some(b'0'..=b'7') => {
            1 + text[1..].bytes().take(3).take_while(|byte| matches!(byte, b'0'..=b'7')).count()
        }
        Some(b'N') if text[2..].starts_with('{') => {
            text[3..].find('}').filter(|&length| length > 0).map_or(0, |length| length + 4)
        }
        Some(b'\\' | b'\'' | b'"' | b'a' | b'b' | b'f' | b'n' | b'r' | b't' | b'v') => 2,
        _ => 0,
    }
}

/// The character that an escape stands for, or Python's exception.
fn decoded(escape: &str) -> Result<char, (Kind, String)> {
    let bytes = escape.as_bytes();
    let digits = |from: usize| &escape[from..];
    let failed = |end: usize, reason: &str| {
        let message = format!(
            "'unicodeescape' codec can't decode bytes in position 0-{}: {reason}",
            end.saturating_sub(1)
        );
        (Kind::UnicodeDecodeError, message)
    };
    let hexadecimal = |truncated: &str| {
        let good = bytes[2..].iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
        if good + 2 < bytes.len() {
            return Err(failed(good + 2, truncated));
        }
        let code = u32::from_str_radix(digits(2), 16).unwrap_or(u32::MAX);
        match char::from_u32(code) {
            Some(c) => Ok(c),
            None if code > u32::from(char::MAX) => {
                Err(failed(bytes.len(), "illegal Unicode character"))
            }
            // Python goes on with half a character, which no text can be written with.
            None => Err((
                Kind::UnicodeEncodeError,
                format!(
                    "'utf-8' codec can't encode character '\\u{code:04x}' in position 0: \
                     surrogates not allowed"
                ),
            )),
        }
    };
    match bytes.get(1) {
        Some(b'U') => hexadecimal("truncated \\UXXXXXXXX escape"),
        Some(b'u') => hexadecimal("truncated \\uXXXX escape"),
        Some(b'x') => hexadecimal("truncated \\xXX escape"),
        Some(b'N') => super::names::character(&escape[3..escape.len() - 1])
            .ok_or_else(|| failed(bytes.len(), "unknown Unicode character name")),
        Some(b'a') => Ok('\u{7}'),
        Some(b'b') => Ok('\u{8}'),
        Some(b'f') => Ok('\u{c}'),
        Some(b'n') => Ok('\n'),
        Some(b'r') => Ok('\r'),
        Some(b't') => Ok('\t'),
        Some(b'v') => Ok('\u{b}'),
        Some(&quoted @ (b'\\' | b'\'' | b'"')) => Ok(char::from(quoted)),
        _ => {
            let code = u32::from_str_radix(digits(1), 8).ok().and_then(char::from_u32);
            Ok(code.unwrap_or_default())
        }
    }
}
