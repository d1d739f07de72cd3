//! `repr()` of texts, as Python writes it.

use std::fmt::Write as _;

use super::is_printable;

/// `repr(text)`.
pub fn repr_of_text(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    write_repr_of_text(text, &mut out);
    out
}

/// Appends `repr(text)`.
pub fn write_repr_of_text(text: &str, out: &mut String) {
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    out.push(quote);
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c == quote => out.extend(['\\', c]),
            c if is_printable(c) => out.push(c),
            // Writing to a string cannot fail.
            c if u32::from(c) < 0x100 => drop(write!(out, "\\x{:02x}", u32::from(c))),
            c if u32::from(c) < 0x10000 => drop(write!(out, "\\u{:04x}", u32::from(c))),
            c => drop(write!(out, "\\U{:08x}", u32::from(c))),
        }
    }
    out.push(quote);
}
