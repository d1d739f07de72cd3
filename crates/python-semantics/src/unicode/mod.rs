//! Character classes of Python 3.11: the tables of Unicode 14 and Python's rules for them.
//!
//! Characters are code points, because an expression can name a surrogate, which no Rust text contains.

mod case;
mod names;
mod quote;

use std::sync::LazyLock;

use regex_syntax::hir::{Class, HirKind};

pub use case::{ascii_lower, case_variants, lower, upper};
pub use names::character;
pub use quote::{repr_of_text, write_repr_of_text};

/// A set of code points as sorted ranges.
struct CodePointSet(Vec<(u32, u32)>);

impl CodePointSet {
    /// The characters of a class in the syntax of `regex-syntax`, whose tables are newer than Unicode 14.
    fn new(class: &str) -> Self {
        let class = format!(r"[{class}&&\p{{Age=14.0}}]");
        let ranges = match regex_syntax::parse(&class).as_ref().map(|hir| hir.kind()) {
            Ok(HirKind::Class(Class::Unicode(class))) => {
                class.iter().map(|range| (range.start().into(), range.end().into())).collect()
            }
            // No class in this file leads here.
            _ => Vec::new(),
        };
        CodePointSet(ranges)
    }

    /// The range that contains a character.
    fn range(&self, code: u32) -> Option<(u32, u32)> {
        let after = self.0.partition_point(|&(low, _)| low <= code);
        self.0.get(after.checked_sub(1)?).copied().filter(|&(_, high)| code <= high)
    }

    fn contains(&self, code: u32) -> bool {
        self.range(code).is_some()
    }
}

static WORD: LazyLock<CodePointSet> = LazyLock::new(|| CodePointSet::new(r"\p{L}\p{N}_"));
static LETTER: LazyLock<CodePointSet> = LazyLock::new(|| CodePointSet::new(r"\p{L}"));
static DECIMAL: LazyLock<CodePointSet> = LazyLock::new(|| CodePointSet::new(r"\p{Nd}"));
static ASSIGNED: LazyLock<CodePointSet> = LazyLock::new(|| CodePointSet::new(r"\p{any}"));
static PRINTABLE: LazyLock<CodePointSet> =
    LazyLock::new(|| CodePointSet::new(r"\p{L}\p{M}\p{N}\p{P}\p{S}"));
static NAME_START: LazyLock<CodePointSet> = LazyLock::new(|| CodePointSet::new(r"_\p{XID_Start}"));
// Later versions of Unicode allow four more characters in names.
static NAME_REST: LazyLock<CodePointSet> =
    LazyLock::new(|| CodePointSet::new(r"\p{XID_Continue}&&[^\x{200c}\x{200d}\x{30fb}\x{ff65}]"));

/// Whether Unicode 14 assigns the character.
pub fn is_assigned(code: impl Into<u32>) -> bool {
    ASSIGNED.contains(code.into())
}

/// Whether it is a letter: `c.isalpha()`.
pub fn is_letter(code: impl Into<u32>) -> bool {
    LETTER.contains(code.into())
}

/// Whether it is a letter, a number or `_`, as `\w` matches.
pub fn is_word(code: impl Into<u32>) -> bool {
    match code.into() {
        code @ 0..0x80 => {
            matches!(code, 0x30..=0x39 | 0x41..=0x5a | 0x5f | 0x61..=0x7a)
        }
        code => WORD.contains(code),
    }
}

/// Whether it is a decimal digit, as `\d` matches.
pub fn is_digit(code: impl Into<u32>) -> bool {
    match code.into() {
        code @ 0..0x80 => matches!(code, 0x30..=0x39),
        code => DECIMAL.contains(code),
    }
}

/// The value of a decimal digit, 0 to 9.
pub fn digit(c: char) -> Option<u32> {
    if c.is_ascii() {
        return c.to_digit(10);
    }
    // The digits of a script are consecutive from zero to nine, also where scripts share a range.
    let code = u32::from(c);
    DECIMAL.range(code).map(|(low, _)| (code - low) % 10)
}

/// Whether it is white space, as `\s` matches.
pub fn is_space<C: Into<u32>>(code: C) -> bool {
    matches!(code.into(), 0x09..=0x0d | 0x1c..=0x20 | 0x85 | 0xa0 | 0x1680 | 0x2000..=0x200a
        | 0x2028 | 0x2029 | 0x202f | 0x205f | 0x3000)
}

/// Whether `repr()` shows the character unescaped.
pub fn is_printable(c: char) -> bool {
    if c.is_ascii() { matches!(c, ' '..='~') } else { PRINTABLE.contains(c.into()) }
}

/// `name.isidentifier()`.
pub fn is_identifier(name: &str) -> bool {
    let mut chars = name.chars().map(u32::from);
    chars.next().is_some_and(|c| NAME_START.contains(c)) && chars.all(|c| NAME_REST.contains(c))
}

/// `text.strip()`.
pub fn strip(text: &str) -> &str {
    text.trim_matches(is_space::<char>)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_are_what_unicode_14_has_them_for() {
        // Columns: word, letter, digit, white space, printable, allowed in a name.
        for (c, wanted) in [
            ('a', "wl  pn"),
            ('_', "w   pn"),
            ('1', "w d pn"),
            ('٣', "w d pn"),
            ('²', "w   p "),
            ('é', "wl  pn"),
            ('\u{301}', "    pn"),
            ('\u{1c}', "   s  "),
            ('\u{a0}', "   s  "),
            // Assigned by a later version.
            ('\u{1e4d0}', "      "),
            ('\u{200c}', "      "),
        ] {
            let of = |is: bool, letter| if is { letter } else { ' ' };
            let found: String = [
                of(is_word(c), 'w'),
                of(is_letter(c), 'l'),
                of(is_digit(c), 'd'),
                of(is_space(c), 's'),
                of(is_printable(c), 'p'),
                of(is_identifier(&format!("a{c}")), 'n'),
            ]
            .into_iter()
            .collect();
            assert_eq!(found, wanted, "{c:?}");
        }
        assert_eq!(['٣', '\u{1d7d9}', 'x'].map(digit), [Some(3), Some(1), None]);
    }

    #[test]
    fn letters_have_counterparts_as_in_unicode_14() {
        for (c, small, capital) in [
            ('A', 'a', 'A'),
            ('İ', 'i', 'İ'),
            ('ß', 'ß', 'S'),
            ('\u{212a}', 'k', '\u{212a}'),
            // Later versions have its uppercase letter.
            ('\u{19b}', '\u{19b}', '\u{19b}'),
        ] {
            assert_eq!((lower(c.into()), upper(c.into())), (small.into(), capital.into()), "{c}");
        }
        assert_eq!(case_variants('s'.into()), [0x73, 0x17f]);
        assert!(case_variants('a'.into()).is_empty());
    }

    #[test]
    fn characters_have_names() {
        for (name, wanted) in [
            ("DIGIT ONE", Some('1')),
            ("digit one", Some('1')),
            ("LINE FEED", Some('\n')),
            ("HANGUL SYLLABLE GA", Some('가')),
            ("DIGITONE", None),
        ] {
            assert_eq!(character(name), wanted, "{name}");
        }
    }
}
