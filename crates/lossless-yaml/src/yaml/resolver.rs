//! PyYAML's resolution of scalars: which tag a plain scalar has, and which value a tag gives it.
//!
//! The rules are those of PyYAML's `Resolver` and `SafeConstructor`, written by hand for speed, because every
//! plain scalar of every file is resolved here. Two details are easy to miss: a pattern
//! may also end before a final line break (only `! "12\n"` gets there), and an explicit tag accepts
//! whatever Python's conversions accept.
//!
//! Heat's rules: `docs/heat.md#booleans-and-nulls-in-yaml`, `docs/heat.md#numbers-in-yaml`,
//! `docs/heat.md#dates-are-strings`.

use std::borrow::Cow;

use super::timestamp::Timestamp;
use crate::number::{parse_sexagesimal, parse_sexagesimal_float};
use python_semantics::number::Integer;
use python_semantics::number::{parse_float, parse_int};

/// The tags that PyYAML's safe loader, as Heat configures it, can construct.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tag {
    Null,
    Bool,
    Int,
    Float,
    Binary,
    Timestamp,
    Omap,
    Pairs,
    Set,
    Str,
    Seq,
    Map,
    /// `<<` as a key; no value of its own.
    Merge,
    /// `=` as a key; no value of its own.
    Value,
}

/// The value of a scalar, if it differs from its text.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Scalar {
    Null,
    Bool(bool),
    Int(Integer),
    Float(f64),
    Bytes(Box<[u8]>),
    Text,
    /// A timestamp, which the default loader reads as text and the fallback loader as a date.
    Timestamp,
}

/// Why a scalar has no value.
pub(crate) type Problem = Cow<'static, str>;

impl Tag {
    /// The tag that is written out in full; `None` for any that the safe loader does not know.
    pub(crate) fn explicit(tag: &str) -> Option<Tag> {
        Some(match tag.strip_prefix("tag:yaml.org,2002:")? {
            "null" => Tag::Null,
            "bool" => Tag::Bool,
            "int" => Tag::Int,
            "float" => Tag::Float,
            "binary" => Tag::Binary,
            "timestamp" => Tag::Timestamp,
            "omap" => Tag::Omap,
            "pairs" => Tag::Pairs,
            "set" => Tag::Set,
            "str" => Tag::Str,
            "seq" => Tag::Seq,
            "map" => Tag::Map,
            "merge" => Tag::Merge,
            "value" => Tag::Value,
            _ => return None,
        })
    }

    /// The tag of a plain scalar without one.
    pub(crate) fn implicit(text: &str) -> Tag {
        let Some(&first) = text.as_bytes().first() else { return Tag::Null };
        // The first byte shows that most scalars are text.
        match first {
            b'0'..=b'9' | b'+' | b'-' | b'.' => {
                let text = without_final_break(text);
                number(text).or_else(|| Timestamp::is_plain(text).then_some(Tag::Timestamp))
            }
            b'y' | b'Y' | b'n' | b'N' | b't' | b'T' | b'f' | b'F' | b'o' | b'O' => {
                word(without_final_break(text))
            }
            b'~' => (without_final_break(text) == b"~").then_some(Tag::Null),
            b'<' => (without_final_break(text) == b"<<").then_some(Tag::Merge),
            b'=' => (without_final_break(text) == b"=").then_some(Tag::Value),
            _ => None,
        }
        .unwrap_or(Tag::Str)
    }

    /// The value of the scalar `text` under this tag.
    pub(crate) fn construct(self, text: &str) -> Result<Scalar, Problem> {
        match self {
            Tag::Str => Ok(Scalar::Text),
            Tag::Null => Ok(Scalar::Null),
            Tag::Bool => bool(text).map(Scalar::Bool),
            Tag::Int => int(text).map(Scalar::Int),
            Tag::Float => float(text).map(Scalar::Float),
            Tag::Binary => base64(text).map(Scalar::Bytes),
            Tag::Timestamp => Ok(Scalar::Timestamp),
            Tag::Omap | Tag::Pairs | Tag::Seq => Err("expected a list, found a scalar".into()),
            Tag::Set | Tag::Map => Err("expected a map, found a scalar".into()),
            Tag::Merge => Err("`<<` merges maps and can only be a key".into()),
            Tag::Value => Err("a bare `=` can only be a key".into()),
        }
    }
}

fn without_final_break(text: &str) -> &[u8] {
    text.strip_suffix('\n').unwrap_or(text).as_bytes()
}

fn word(text: &[u8]) -> Option<Tag> {
    match text {
        b"yes" | b"Yes" | b"YES" | b"no" | b"No" | b"NO" | b"true" | b"True" | b"TRUE"
        | b"false" | b"False" | b"FALSE" | b"on" | b"On" | b"ON" | b"off" | b"Off" | b"OFF" => {
            Some(Tag::Bool)
        }
        b"null" | b"Null" | b"NULL" => Some(Tag::Null),
        _ => None,
    }
}

fn is_digit_or_underscore(byte: &u8) -> bool {
    byte.is_ascii_digit() || *byte == b'_'
}

/// Int or float, whose patterns share no text.
fn number(text: &[u8]) -> Option<Tag> {
    let (signed, text) = match text {
        [b'+' | b'-', rest @ ..] => (true, rest),
        _ => (false, text),
    };
    let all =
        |digits: &[u8], valid: fn(&u8) -> bool| !digits.is_empty() && digits.iter().all(valid);
    match text {
        [b'.', b'0'..=b'9', rest @ ..] if !signed => fraction(rest),
        [b'.', b'i', b'n', b'f'] | [b'.', b'I', b'n', b'f'] | [b'.', b'I', b'N', b'F'] => {
            Some(Tag::Float)
        }
        [b'.', b'n', b'a', b'n'] | [b'.', b'N', b'a', b'N'] | [b'.', b'N', b'A', b'N']
            if !signed =>
        {
            Some(Tag::Float)
        }
        [b'0', b'b', digits @ ..] => {
            all(digits, |byte| matches!(byte, b'0' | b'1' | b'_')).then_some(Tag::Int)
        }
        [b'0', b'x', digits @ ..] => {
            all(digits, |byte| byte.is_ascii_hexdigit() || *byte == b'_').then_some(Tag::Int)
        }
        [first @ b'0'..=b'9', ..] => {
            let whole = text.iter().take_while(|byte| is_digit_or_underscore(byte)).count();
            match &text[whole..] {
                [] if *first != b'0' => Some(Tag::Int),
                [] => text[1..].iter().all(|b| matches!(b, b'0'..=b'7' | b'_')).then_some(Tag::Int),
                [b'.', rest @ ..] => fraction(rest),
                [b':', rest @ ..] => sexagesimal(rest, *first != b'0'),
                _ => None,
            }
        }
        _ => None,
    }
}

/// The rest after the point of a float: digits, perhaps an exponent with its sign.
fn fraction(text: &[u8]) -> Option<Tag> {
    let digits = text.iter().take_while(|byte| is_digit_or_underscore(byte)).count();
    match &text[digits..] {
        [] => Some(Tag::Float),
        [b'e' | b'E', b'+' | b'-', exponent @ ..] => {
            (!exponent.is_empty() && exponent.iter().all(u8::is_ascii_digit)).then_some(Tag::Float)
        }
        _ => None,
    }
}

/// The rest after the first colon of a number in base 60: parts of one or two digits; a point makes
/// it a float. Integers must not begin with 0.
fn sexagesimal(text: &[u8], may_be_int: bool) -> Option<Tag> {
    let (parts, point) = match memchr::memchr(b'.', text) {
        Some(at) => (&text[..at], Some(&text[at + 1..])),
        None => (text, None),
    };
    let valid = parts
        .split(|byte| *byte == b':')
        .all(|part| matches!(part, [b'0'..=b'9'] | [b'0'..=b'5', b'0'..=b'9']));
    match point {
        _ if !valid => None,
        Some(digits) => digits.iter().all(is_digit_or_underscore).then_some(Tag::Float),
        None => may_be_int.then_some(Tag::Int),
    }
}

fn bool(text: &str) -> Result<bool, Problem> {
    match text.to_lowercase().as_str() {
        "yes" | "true" | "on" => Ok(true),
        "no" | "false" | "off" => Ok(false),
        _ => Err("the value is not a boolean".into()),
    }
}

fn int(text: &str) -> Result<Integer, Problem> {
    let is_decimal = !text.trim_start_matches(['+', '-']).starts_with('0');
    if let (true, Ok(value)) = (is_decimal, text.parse::<i64>()) {
        return Ok(Integer::Small(value));
    }
    let digits = without_underscores(text);
    let (negative, body) = split_sign(&digits);
    let value = if body == "0" {
        Some(0.into())
    } else if let Some(digits) = body.strip_prefix("0b") {
        parse_int(digits, 2)
    } else if let Some(digits) = body.strip_prefix("0x") {
        parse_int(digits, 16)
    } else if body.starts_with('0') {
        parse_int(body, 8)
    } else if body.contains(':') {
        parse_sexagesimal(body)
    } else {
        parse_int(body, 10)
    };
    value
        .map(|value| Integer::from(if negative { -value } else { value }))
        .ok_or_else(|| "the value is not an integer that Python accepts".into())
}

fn float(text: &str) -> Result<f64, Problem> {
    if let (true, Ok(value)) = (text.starts_with(|c: char| c.is_ascii_digit()), text.parse()) {
        return Ok(value);
    }
    let lower = without_underscores(text).to_lowercase();
    let (negative, body) = split_sign(&lower);
    let value = match body {
        ".inf" => Some(f64::INFINITY),
        // PyYAML ignores the sign as well.
        ".nan" => return Ok(f64::NAN),
        "" => None,
        _ if body.contains(':') => parse_sexagesimal_float(body),
        _ => parse_float(body),
    };
    value
        .map(|value| if negative { -value } else { value })
        .ok_or_else(|| "the value is not a number that Python accepts".into())
}

fn without_underscores(text: &str) -> Cow<'_, str> {
    if text.contains('_') { Cow::Owned(text.replace('_', "")) } else { Cow::Borrowed(text) }
}

fn split_sign(text: &str) -> (bool, &str) {
    match text.as_bytes().first() {
        Some(b'-') => (true, &text[1..]),
        Some(b'+') => (false, &text[1..]),
        _ => (false, text),
    }
}

/// Decodes base64 as Python's `binascii.a2b_base64` does when it is not strict: other characters
/// are skipped, and what follows the padding is ignored.
fn base64(text: &str) -> Result<Box<[u8]>, Problem> {
    if !text.is_ascii() {
        return Err("base64 data must contain ASCII characters only".into());
    }
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let mut bits: u32 = 0;
    let mut in_quad = 0;
    let mut padding = 0;
    for byte in text.bytes() {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            b'=' => {
                padding += 1;
                if in_quad >= 2 && in_quad + padding >= 4 {
                    return Ok(bytes.into());
                }
                continue;
            }
            _ => continue,
        };
        padding = 0;
        bits = bits << 6 | u32::from(value);
        if in_quad > 0 {
            bytes.push((bits >> (6 - 2 * in_quad)) as u8);
        }
        in_quad = (in_quad + 1) % 4;
    }
    match in_quad {
        0 => Ok(bytes.into()),
        1 => Err("base64 data ends within a group of four characters".into()),
        _ => Err("base64 data has no padding".into()),
    }
}

/// The beginning of a text, at most 40 characters, for messages.
pub(crate) fn shortened(text: &str) -> Cow<'_, str> {
    const LENGTH: usize = 40;
    match text.char_indices().nth(LENGTH) {
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Result<Scalar, Problem> {
        Tag::implicit(text).construct(text)
    }

    fn big(text: &str) -> Integer {
        Integer::from(parse_int(text, 10).unwrap_or_default())
    }

    #[test]
    fn words_are_booleans_and_nulls_in_three_cases_only() {
        for text in ["yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"] {
            assert_eq!(value(text), Ok(Scalar::Bool(true)), "{text}");
        }
        for text in ["no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"] {
            assert_eq!(value(text), Ok(Scalar::Bool(false)), "{text}");
        }
        for text in ["", "~", "null", "Null", "NULL"] {
            assert_eq!(value(text), Ok(Scalar::Null), "{text:?}");
        }
        for text in ["y", "n", "Y", "N", "yES", "nULL", "oN", "nil", "None", "~~", "t", "f", "o"] {
            assert_eq!(value(text), Ok(Scalar::Text), "{text}");
        }
    }

    #[test]
    fn integers_have_five_notations() {
        let cases = [
            ("0", 0),
            ("-0", 0),
            ("+5", 5),
            ("1_000", 1000),
            ("0777", 511),
            ("017", 15),
            ("0_7", 7),
            ("0_", 0),
            ("0x1F", 31),
            ("-0x1f", -31),
            ("0b101", 5),
            ("0b_1", 1),
            ("12:30", 750),
            ("22:22", 1342),
            ("190:20:30", 685_230),
            ("-1:00", -60),
            ("1:5", 65),
            ("9223372036854775807", i64::MAX),
            ("-9223372036854775808", i64::MIN),
        ];
        for (text, expected) in cases {
            assert_eq!(value(text), Ok(Scalar::Int(Integer::Small(expected))), "{text}");
        }
        assert_eq!(value("9223372036854775808"), Ok(Scalar::Int(big("9223372036854775808"))));
        assert_eq!(value("0xffffffffffffffffff"), Ok(Scalar::Int(big("4722366482869645213695"))));
        let others = [
            "08", "09", "0o17", "01:30", "1:60", "0XFF", "0B1", "0x", "0b", "0b2", "1,000", "1:",
            ":1", "1::2", "1:123", "_1", "+", "-", "--1", "1-", "0x1G", "+_1",
        ];
        for text in others {
            assert_eq!(value(text), Ok(Scalar::Text), "{text}");
        }
    }

    #[test]
    fn floats_need_a_point_and_a_signed_exponent() {
        let cases = [
            ("1.5", 1.5),
            ("-1.5", -1.5),
            ("5.", 5.0),
            (".5", 0.5),
            ("1.0e+3", 1000.0),
            ("1.E-3", 0.001),
            (".5e+1", 5.0),
            ("1_000.5", 1000.5),
            ("1._5", 1.5),
            ("1:2.5", 62.5),
            ("01:30.5", 90.5),
            ("1:30.", 90.0),
            (".inf", f64::INFINITY),
            ("-.INF", f64::NEG_INFINITY),
            ("+.Inf", f64::INFINITY),
            ("08.5", 8.5),
        ];
        for (text, expected) in cases {
            assert_eq!(value(text), Ok(Scalar::Float(expected)), "{text}");
        }
        assert!(matches!(value(".nan"), Ok(Scalar::Float(nan)) if nan.is_nan()));
        assert!(matches!(value("-0.0"), Ok(Scalar::Float(zero)) if zero.is_sign_negative()));
        let others = [
            "1e3", "1.0e3", "-.5", "+.5", "1.2.3", ".", "..", "-.nan", ".iNF", "1.5e+", "._5",
            ".e+1", "1:60.5", "1:2.5e+3", "inf", "nan", "1.0e+3_0", "-.",
        ];
        for text in others {
            assert_eq!(value(text), Ok(Scalar::Text), "{text}");
        }
    }

    #[test]
    fn timestamps_have_a_tag_of_their_own() {
        assert_eq!(Tag::implicit("2013-05-23"), Tag::Timestamp);
        assert_eq!(Tag::implicit("2013-05-23 01:02:03\n"), Tag::Timestamp);
        assert_eq!(Tag::implicit("2013-5-23"), Tag::Str);
        assert_eq!(value("2013-05-23"), Ok(Scalar::Timestamp));
    }

    #[test]
    fn what_has_a_tag_but_no_value_is_an_error() {
        for text in ["<<", "=", "0x_", "0b_", &"1".repeat(4301)] {
            assert!(value(text).is_err(), "{text}");
        }
        assert!(Tag::Bool.construct("y").is_err());
        assert!(Tag::Int.construct("abc").is_err());
        assert!(Tag::Int.construct("").is_err());
        assert!(Tag::Float.construct("").is_err());
        assert!(Tag::Float.construct("-").is_err());
        assert!(Tag::Seq.construct("a").is_err());
    }

    #[test]
    fn explicit_tags_accept_what_pythons_conversions_accept() {
        let int = |text| Tag::Int.construct(text);
        assert_eq!(int("0o17"), Ok(Scalar::Int(Integer::Small(15))));
        assert_eq!(int(" 12 "), Ok(Scalar::Int(Integer::Small(12))));
        assert_eq!(int("--5"), Ok(Scalar::Int(Integer::Small(5))));
        assert_eq!(int("0x0x1F"), Ok(Scalar::Int(Integer::Small(31))));
        assert_eq!(Tag::Float.construct("1e3"), Ok(Scalar::Float(1000.0)));
        assert_eq!(Tag::Float.construct("12"), Ok(Scalar::Float(12.0)));
        assert_eq!(Tag::Float.construct("Infinity"), Ok(Scalar::Float(f64::INFINITY)));
        assert_eq!(Tag::Bool.construct("yEs"), Ok(Scalar::Bool(true)));
    }

    #[test]
    fn a_final_line_break_does_not_hide_a_number() {
        assert_eq!(value("12\n"), Ok(Scalar::Int(Integer::Small(12))));
        assert_eq!(value("~\n"), Ok(Scalar::Null));
        assert_eq!(value("\n"), Ok(Scalar::Text));
        assert!(value("yes\n").is_err(), "the pattern matches, the table has no such word");
    }

    #[test]
    fn base64_is_read_leniently() {
        let decode = |text| Tag::Binary.construct(text);
        let bytes = |text: &str| Ok(Scalar::Bytes(text.as_bytes().into()));
        assert_eq!(decode("aGVsbG8="), bytes("hello"));
        assert_eq!(decode("aGVs\n  bG8=\n"), bytes("hello"));
        assert_eq!(decode("aGVsbA==ignored"), bytes("hell"));
        assert_eq!(decode("!aGVs"), bytes("hel"));
        assert_eq!(decode(""), bytes(""));
        for text in ["a", "aG", "aGV", "aGVsa", "é"] {
            assert!(decode(text).is_err(), "{text}");
        }
    }
}
