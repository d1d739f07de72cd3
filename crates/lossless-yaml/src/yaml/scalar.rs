//! Writes a text as a YAML scalar: plain if it is read back as the same text, else quoted or literal.

use std::borrow::Cow;
use std::fmt::Write;

use super::resolver::Tag;

/// The context in which a scalar is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScalarContext {
    /// Outside of brackets, as a value or a key.
    Block,
    /// Inside of brackets or braces, where `,` and brackets end a plain scalar.
    Flow,
}

/// The text as a scalar on one line: plain, in single or in double quotes.
pub fn one_line(text: &str, place: ScalarContext) -> Cow<'_, str> {
    if is_plain(text, place) {
        Cow::Borrowed(text)
    } else if text.chars().any(|c| c < ' ' || !is_shown(c)) {
        Cow::Owned(double_quoted(text))
    } else if text.contains('\'') && !text.contains(['"', '\\']) {
        Cow::Owned(format!("\"{text}\""))
    } else {
        Cow::Owned(format!("'{}'", text.replace('\'', "''")))
    }
}

/// A text of several lines as a `|` block, from the `|` to the last line end. Its lines stand `step`
/// (1 to 9) columns right of `column`, the column of the collection around it (0 at the root).
/// `None` if the text has only one line, or a literal cannot express it.
pub fn literal(text: &str, column: usize, step: u8) -> Option<String> {
    let first_line = text.trim_start_matches('\n');
    let can_be_said = (1..=9).contains(&step)
        && text.contains('\n')
        && !first_line.is_empty()
        && text.chars().all(|c| matches!(c, '\n' | '\t') || is_shown(c) && c >= ' ');
    if !can_be_said {
        return None;
    }
    let mut out = String::with_capacity(text.len() + text.len() / 8 + 8);
    out.push('|');
    if first_line.starts_with([' ', '\t']) {
        // The reader would treat the first line's own blanks as indentation.
        out.push(char::from(b'0' + step));
    }
    if !text.ends_with('\n') {
        out.push('-');
    } else if text.ends_with("\n\n") {
        out.push('+');
    }
    for line in text.strip_suffix('\n').unwrap_or(text).split('\n') {
        out.push('\n');
        if !line.is_empty() {
            out.extend(std::iter::repeat_n(' ', column + usize::from(step)));
            out.push_str(line);
        }
    }
    out.push('\n');
    Some(out)
}

/// True for a date that may be written without quotes, because Heat reads it as text.
pub(crate) fn is_plain_date(text: &str) -> bool {
    text.len() == 10 && Tag::implicit(text) == Tag::Timestamp
}

/// True if PyYAML and the core schema of YAML 1.2 read the plain scalar as this text.
pub fn is_plain(text: &str, place: ScalarContext) -> bool {
    let bytes = text.as_bytes();
    let (Some(first), Some(last)) = (bytes.first(), bytes.last()) else { return false };
    if b"-?:,[]{}#&*!|>'\"%@` \t".contains(first) || matches!(last, b':' | b' ') {
        return false;
    }
    let mut before = *first;
    for &byte in bytes {
        let breaks = match byte {
            0..b' ' | 0x7f => true,
            b' ' => before == b':',
            b'#' => before == b' ',
            b',' | b'[' | b']' | b'{' | b'}' | b'?' => place == ScalarContext::Flow,
            _ => false,
        };
        if breaks {
            return false;
        }
        before = byte;
    }
    (text.is_ascii() || text.chars().all(is_shown))
        && !text.starts_with("...")
        && Tag::implicit(text) == Tag::Str
        && !is_core_schema_value(text)
}

/// True if the core schema of YAML 1.2 reads it as something else than text.
fn is_core_schema_value(text: &str) -> bool {
    match text {
        "" | "~" | "null" | "Null" | "NULL" | "true" | "True" | "TRUE" | "false" | "False"
        | "FALSE" => return true,
        _ => {}
    }
    if let Some(digits) = text.strip_prefix("0o") {
        return !digits.is_empty() && digits.bytes().all(|byte| matches!(byte, b'0'..=b'7'));
    }
    if let Some(digits) = text.strip_prefix("0x") {
        return !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    }
    let number = text.strip_prefix(['+', '-']).unwrap_or(text);
    if matches!(number, ".inf" | ".Inf" | ".INF" | ".nan" | ".NaN" | ".NAN") {
        return true;
    }
    // Only decimal numbers are left, all of which Rust parses; it parses names as well.
    number.starts_with(|c: char| c.is_ascii_digit() || c == '.') && number.parse::<f64>().is_ok()
}

/// True if libyaml accepts the character unescaped and it is not a line end or a byte order mark.
fn is_shown(c: char) -> bool {
    !matches!(c, '\0'..'\t' | '\u{b}'..' ' | '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}'
        | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}

fn double_quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if is_shown(c) => out.push(c),
            c => {
                // Characters that are not shown fit 16 bits. Writing to a string cannot fail.
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_plain_where_every_reader_sees_text() {
        for text in
            ["a", "a b", "OS::Nova::Server", "a:b", "a#b", "é", "y", "1.2.3", "http://a:80/b"]
        {
            assert_eq!(one_line(text, ScalarContext::Block), text);
            assert_eq!(one_line(text, ScalarContext::Flow), text);
        }
        for text in ["a,b", "a[0]", "what?", "a{b}"] {
            assert_eq!(one_line(text, ScalarContext::Block), text);
            assert_eq!(one_line(text, ScalarContext::Flow), format!("'{text}'"));
        }
    }

    #[test]
    fn what_some_reader_takes_for_another_value_is_quoted() {
        // The empty text is between the first two blanks.
        let texts = "  ~ null Null yes No on OFF true 12 -1 1_000 0x1F 0o17 08 1e3 1.0e3 -.5 .5 5. .inf +.Inf .nan -.nan \
            12:30 2013-05-23 << = 1:2.5 0b1 0_ +12e03";
        for text in texts.split(' ') {
            for place in [ScalarContext::Block, ScalarContext::Flow] {
                assert_eq!(one_line(text, place), format!("'{text}'"));
            }
        }
    }

    #[test]
    fn indicators_are_quoted() {
        let texts = [
            "-", "- a", "-a", "?", ":", ",", "[", "]", "{{ x }}", "#", "&a", "*a", "!a", "|", ">",
            "\"", "%a", "@a", "`", "a: b", "a:", "a #b", " a", "a ", "---", "...", "... a",
        ];
        for text in texts {
            assert_eq!(one_line(text, ScalarContext::Block), format!("'{text}'"));
        }
        assert_eq!(one_line("'a", ScalarContext::Block), "\"'a\"");
        assert_eq!(one_line("'a\"", ScalarContext::Block), "'''a\"'");
        assert_eq!(one_line("it's", ScalarContext::Block), "it's");
    }

    #[test]
    fn controls_and_breaks_are_escaped() {
        let cases = [
            ("a\tb", r#""a\tb""#),
            ("a\nb", r#""a\nb""#),
            ("\r\"\\", r#""\r\"\\""#),
            ("\0\u{7f}\u{85}", r#""\u0000\u007f\u0085""#),
            ("\u{2028}\u{feff}\u{ffff}", r#""\u2028\ufeff\uffff""#),
        ];
        for (text, expected) in cases {
            assert_eq!(one_line(text, ScalarContext::Block), expected);
        }
    }

    #[test]
    fn literals_keep_every_line() {
        let cases = [
            ("a\nb\n", "|\n  a\n  b\n"),
            ("a\nb", "|-\n  a\n  b\n"),
            ("a\n\n", "|+\n  a\n\n"),
            ("\n\na\n", "|\n\n\n  a\n"),
            ("a\n\n  b\n", "|\n  a\n\n    b\n"),
            (" a\nb\n", "|2\n   a\n  b\n"),
            ("\n\ta", "|2-\n\n  \ta\n"),
            ("a\n ", "|-\n  a\n   \n"),
            ("a\n# b\n", "|\n  a\n  # b\n"),
        ];
        for (text, expected) in cases {
            assert_eq!(literal(text, 0, 2).as_deref(), Some(expected), "{text:?}");
        }
        assert_eq!(literal(" a\nb", 4, 3).as_deref(), Some("|3-\n        a\n       b\n"));
        for text in ["", "a", "\n", "\n\n", "a\r\nb", "a\n\u{85}b", "a\n\u{7f}"] {
            assert_eq!(literal(text, 0, 2), None, "{text:?}");
        }
    }
}
