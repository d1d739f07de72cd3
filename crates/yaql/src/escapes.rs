//! Escapes in quoted texts, as Python's `unicode-escape` codec decodes them.

use smol_str::{SmolStr, SmolStrBuilder};

use super::parser::SyntaxError;
use python_semantics::ExceptionClass;
use python_semantics::unicode;

/// Replaces the escapes of a quoted text; `None` if one of them is a surrogate, which
/// Python's texts can contain. The text begins at byte `from` of the expression.
///
/// # Errors
///
/// The message of Python's codec.
pub(super) fn unescaped(text: &str, from: usize) -> Result<Option<SmolStr>, SyntaxError> {
    let mut read = SmolStrBuilder::new();
    let mut whole = true;
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        read.push_str(&rest[..at]);
        rest = &rest[at..];
        let length = length(rest);
        if length == 0 {
            // Anything that is not an escape stays as it is, including the backslash.
            read.push('\\');
            rest = &rest[1..];
            continue;
        }
        let place = from + (text.len() - rest.len());
        match decoded(&rest[..length]) {
            Ok(Some(c)) => read.push(c),
            Ok(None) => whole = false,
            Err((end, reason)) => {
                let last = end.saturating_sub(1);
                let message = format!(
                    "'unicodeescape' codec can't decode bytes in position 0-{last}: {reason}"
                );
                let span = place..place + length;
                return Err(SyntaxError {
                    class: ExceptionClass::UnicodeDecodeError,
                    message,
                    span,
                });
            }
        }
        rest = &rest[length..];
    }
    read.push_str(rest);
    Ok(whole.then(|| read.finish()))
}

/// The length in bytes of the escape that a text begins with; 0 if there is none.
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

/// The character of an escape, or `None` for a surrogate. The error is how many bytes Python's codec
/// has read when it fails, with the reason.
fn decoded(escape: &str) -> Result<Option<char>, (usize, &'static str)> {
    let bytes = escape.as_bytes();
    let hexadecimal = |truncated| {
        let good = bytes[2..].iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
        if good + 2 < bytes.len() {
            return Err((good + 2, truncated));
        }
        let code = u32::from_str_radix(&escape[2..], 16).unwrap_or(u32::MAX);
        if code > u32::from(char::MAX) {
            return Err((bytes.len(), "illegal Unicode character"));
        }
        Ok(char::from_u32(code))
    };
    let character = match bytes.get(1) {
        Some(b'U') => return hexadecimal("truncated \\UXXXXXXXX escape"),
        Some(b'u') => return hexadecimal("truncated \\uXXXX escape"),
        Some(b'x') => return hexadecimal("truncated \\xXX escape"),
        Some(b'N') => unicode::character(&escape[3..escape.len() - 1])
            .ok_or((bytes.len(), "unknown Unicode character name"))?,
        Some(b'a') => '\u{7}',
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(b'n') => '\n',
        Some(b'r') => '\r',
        Some(b't') => '\t',
        Some(b'v') => '\u{b}',
        Some(&quoted @ (b'\\' | b'\'' | b'"')) => char::from(quoted),
        _ => {
            let code = u32::from_str_radix(&escape[1..], 8).ok().and_then(char::from_u32);
            code.unwrap_or_default()
        }
    };
    Ok(Some(character))
}
