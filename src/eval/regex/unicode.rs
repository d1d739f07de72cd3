//! What Python 3.11 takes a character for: the tables of Unicode 14.

use std::sync::LazyLock;

use regex_syntax::hir::{Class, HirKind};

/// A set of characters, as sorted ranges.
struct Table(Vec<(u32, u32)>);

impl Table {
    /// The characters of a class in the syntax of `regex-syntax`, whose tables are of a later Unicode.
    fn new(class: &str) -> Self {
        let class = format!(r"[{class}&&\p{{Age=14.0}}]");
        let ranges = match regex_syntax::parse(&class).as_ref().map(|hir| hir.kind()) {
            Ok(HirKind::Class(Class::Unicode(class))) => {
                class.iter().map(|range| (range.start().into(), range.end().into())).collect()
            }
            // No class of this file leads here.
            _ => Vec::new(),
        };
        Table(ranges)
    }

    fn has(&self, code: u32) -> bool {
        let after = self.0.partition_point(|&(low, _)| low <= code);
        after > 0 && code <= self.0[after - 1].1
    }
}

static ALPHANUMERIC: LazyLock<Table> = LazyLock::new(|| Table::new(r"\p{L}\p{N}"));
static LETTER: LazyLock<Table> = LazyLock::new(|| Table::new(r"\p{L}"));
static DECIMAL: LazyLock<Table> = LazyLock::new(|| Table::new(r"\p{Nd}"));
static ASSIGNED: LazyLock<Table> = LazyLock::new(|| Table::new(r"\p{any}"));
static PRINTABLE: LazyLock<Table> = LazyLock::new(|| Table::new(r"\p{L}\p{M}\p{N}\p{P}\p{S}"));
static NAME_START: LazyLock<Table> = LazyLock::new(|| Table::new(r"_\p{XID_Start}"));
static NAME_REST: LazyLock<Table> = LazyLock::new(|| Table::new(r"\p{XID_Continue}"));

/// Whether it is a letter or a number.
fn is_alphanumeric(code: u32) -> bool {
    match u8::try_from(code) {
        Ok(byte) if byte.is_ascii() => byte.is_ascii_alphanumeric(),
        _ => ALPHANUMERIC.has(code),
    }
}

/// Whether it is a part of a word.
pub(crate) fn is_word(code: u32) -> bool {
    code == u32::from('_') || is_alphanumeric(code)
}

/// Whether it is a letter.
pub(super) fn is_letter(c: char) -> bool {
    LETTER.has(c.into())
}

/// Whether it is a decimal digit.
pub(super) fn is_digit(code: u32) -> bool {
    match code {
        0x30..=0x39 => true,
        0..0x80 => false,
        _ => DECIMAL.has(code),
    }
}

/// The value of a decimal digit.
pub(crate) fn digit(c: char) -> Option<u8> {
    let code = u32::from(c);
    if c.is_ascii_digit() {
        return u8::try_from(code - 0x30).ok();
    }
    if !is_digit(code) {
        return None;
    }
    // The digits of a script follow each other from zero to nine, sometimes of several scripts.
    let low = DECIMAL.0.iter().find(|&&(low, high)| (low..=high).contains(&code))?.0;
    u8::try_from((code - low) % 10).ok()
}

/// Whether it is white space.
pub(super) fn is_space(code: u32) -> bool {
    matches!(code, 0x09..=0x0d | 0x1c..=0x20 | 0x85 | 0xa0 | 0x1680 | 0x2000..=0x200a
        | 0x2028 | 0x2029 | 0x202f | 0x205f | 0x3000)
}

/// Whether there is such a character.
pub(super) fn is_assigned(code: u32) -> bool {
    ASSIGNED.has(code)
}

/// Whether `repr()` shows it as it is.
fn is_printable(c: char) -> bool {
    matches!(c, ' '..='~') || !c.is_ascii() && PRINTABLE.has(c.into())
}

/// `name.isidentifier()`.
pub(super) fn is_identifier(name: &str) -> bool {
    let mut chars = name.chars().map(u32::from);
    chars.next().is_some_and(|c| NAME_START.has(c)) && chars.all(|c| NAME_REST.has(c))
}

/// The small letter of a character.
pub(super) fn lower(code: u32) -> u32 {
    mapped(code, |c| c.to_lowercase().next())
}

/// The capital letter of a character.
pub(super) fn upper(code: u32) -> u32 {
    mapped(code, |c| c.to_uppercase().next())
}

fn mapped(code: u32, to: impl Fn(char) -> Option<char>) -> u32 {
    let Some(c) = char::from_u32(code) else { return code };
    match to(c).map(u32::from) {
        // Later versions of Unicode have letters for which there was no counterpart.
        Some(other) if other == code || other < 0x80 => other,
        Some(other) if is_assigned(code) && is_assigned(other) => other,
        _ => code,
    }
}

/// The small letter of an ASCII character.
pub(super) fn ascii_lower(code: u32) -> u32 {
    if (0x41..=0x5a).contains(&code) { code + 0x20 } else { code }
}

/// Small letters that have one capital letter: without regard to case they are the same.
const ALIKE: &[&[u32]] = &[
    &[0x69, 0x131],
    &[0x73, 0x17f],
    &[0xb5, 0x3bc],
    &[0x345, 0x3b9, 0x1fbe],
    &[0x390, 0x1fd3],
    &[0x3b0, 0x1fe3],
    &[0x3b2, 0x3d0],
    &[0x3b5, 0x3f5],
    &[0x3b8, 0x3d1],
    &[0x3ba, 0x3f0],
    &[0x3c0, 0x3d6],
    &[0x3c1, 0x3f1],
    &[0x3c2, 0x3c3],
    &[0x3c6, 0x3d5],
    &[0x432, 0x1c80],
    &[0x434, 0x1c81],
    &[0x43e, 0x1c82],
    &[0x441, 0x1c83],
    &[0x442, 0x1c84, 0x1c85],
    &[0x44a, 0x1c86],
    &[0x463, 0x1c87],
    &[0x1c88, 0xa64b],
    &[0x1e61, 0x1e9b],
    &[0xfb05, 0xfb06],
];

/// All small letters that are the same as this one, itself among them; none if there is no other.
pub(super) fn alike(lower: u32) -> Option<&'static [u32]> {
    if lower < 0x80 && lower != 0x69 && lower != 0x73 {
        return None;
    }
    ALIKE.iter().find(|all| all.contains(&lower)).copied()
}

/// `repr()` of a text.
pub(super) fn quoted(text: &str) -> String {
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    let mut out = String::from(quote);
    for c in text.chars() {
        let code = u32::from(c);
        match c {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c == quote || c == '\\' => out.extend(['\\', c]),
            c if is_printable(c) => out.push(c),
            _ if code < 0x100 => out.push_str(&format!("\\x{code:02x}")),
            _ if code < 0x10000 => out.push_str(&format!("\\u{code:04x}")),
            _ => out.push_str(&format!("\\U{code:08x}")),
        }
    }
    out.push(quote);
    out
}
