//! Upper and lower case as in Python 3.11, which has the tables of Unicode 14.
//!
//! The tables of Rust's standard library may be newer. Characters that they map and Unicode 14 does not are
//! listed here and stay unchanged.

use smol_str::SmolStr;

use super::charge_text;
use crate::call::Run;
use crate::{Failure, Outcome};

/// Characters whose uppercase mapping is newer than Unicode 14.
const NO_UPPER: &[(char, char)] = &[
    ('\u{19b}', '\u{19b}'),
    ('\u{264}', '\u{264}'),
    ('\u{1c8a}', '\u{1c8a}'),
    ('\u{a7cd}', '\u{a7cd}'),
    ('\u{a7cf}', '\u{a7cf}'),
    ('\u{a7d3}', '\u{a7d3}'),
    ('\u{a7d5}', '\u{a7d5}'),
    ('\u{a7db}', '\u{a7db}'),
    ('\u{10d70}', '\u{10d85}'),
    ('\u{16ebb}', '\u{16ed3}'),
];

/// Characters that got a lowercase mapping, or became cased or case-ignorable, after Unicode 14.
/// For Python 3.11 they end a word, like a digit.
const NO_LOWER: &[(char, char)] = &[
    ('\u{295}', '\u{295}'),
    ('\u{897}', '\u{897}'),
    ('\u{ece}', '\u{ece}'),
    ('\u{1acf}', '\u{1add}'),
    ('\u{1ae0}', '\u{1aeb}'),
    ('\u{1c89}', '\u{1c8a}'),
    ('\u{a7cb}', '\u{a7cf}'),
    ('\u{a7d2}', '\u{a7d2}'),
    ('\u{a7d4}', '\u{a7d4}'),
    ('\u{a7da}', '\u{a7dc}'),
    ('\u{a7f1}', '\u{a7f1}'),
    ('\u{10d4e}', '\u{10d4e}'),
    ('\u{10d50}', '\u{10d65}'),
    ('\u{10d69}', '\u{10d6d}'),
    ('\u{10d6f}', '\u{10d85}'),
    ('\u{10ec5}', '\u{10ec5}'),
    ('\u{10efa}', '\u{10eff}'),
    ('\u{11241}', '\u{11241}'),
    ('\u{113bb}', '\u{113c0}'),
    ('\u{113ce}', '\u{113ce}'),
    ('\u{113d0}', '\u{113d0}'),
    ('\u{113d2}', '\u{113d2}'),
    ('\u{113e1}', '\u{113e2}'),
    ('\u{1171e}', '\u{1171e}'),
    ('\u{11b60}', '\u{11b60}'),
    ('\u{11b62}', '\u{11b64}'),
    ('\u{11b66}', '\u{11b66}'),
    ('\u{11dd9}', '\u{11dd9}'),
    ('\u{11f00}', '\u{11f01}'),
    ('\u{11f36}', '\u{11f3a}'),
    ('\u{11f40}', '\u{11f40}'),
    ('\u{11f42}', '\u{11f42}'),
    ('\u{11f5a}', '\u{11f5a}'),
    ('\u{13439}', '\u{13440}'),
    ('\u{13447}', '\u{13455}'),
    ('\u{1611e}', '\u{16129}'),
    ('\u{1612d}', '\u{1612f}'),
    ('\u{16d40}', '\u{16d42}'),
    ('\u{16d6b}', '\u{16d6c}'),
    ('\u{16ea0}', '\u{16eb8}'),
    ('\u{16ebb}', '\u{16ed3}'),
    ('\u{16ff2}', '\u{16ff3}'),
    ('\u{1df25}', '\u{1df2a}'),
    ('\u{1e030}', '\u{1e06d}'),
    ('\u{1e08f}', '\u{1e08f}'),
    ('\u{1e4eb}', '\u{1e4ef}'),
    ('\u{1e5ee}', '\u{1e5ef}'),
    ('\u{1e6e3}', '\u{1e6e3}'),
    ('\u{1e6e6}', '\u{1e6e6}'),
    ('\u{1e6ee}', '\u{1e6ef}'),
    ('\u{1e6f5}', '\u{1e6f5}'),
    ('\u{1e6ff}', '\u{1e6ff}'),
];

/// Characters that used to be cased or case-ignorable and no longer are; they matter beside a sigma.
const CHANGED: &[char] = &['\u{295}', '\u{1171e}'];

fn is_in(ranges: &[(char, char)], c: char) -> bool {
    ranges
        .binary_search_by(|&(first, last)| {
            if last < c {
                std::cmp::Ordering::Less
            } else if first > c {
                std::cmp::Ordering::Greater
            } else {
                std::cmp::Ordering::Equal
            }
        })
        .is_ok()
}

/// `str.upper()`.
pub(super) fn upper(run: &Run, text: &str) -> Outcome<SmolStr> {
    mapped(run, text, str::to_ascii_uppercase, str::to_uppercase, NO_UPPER)
}

/// `str.lower()`; a capital sigma at the end of a word has a different lowercase letter.
pub(super) fn lower(run: &Run, text: &str) -> Outcome<SmolStr> {
    if text.contains('Σ') && text.contains(CHANGED) {
        return Err(Failure::Unknown);
    }
    mapped(run, text, str::to_ascii_lowercase, str::to_lowercase, NO_LOWER)
}

fn mapped(
    run: &Run,
    text: &str,
    ascii: fn(&str) -> String,
    map: fn(&str) -> String,
    kept: &[(char, char)],
) -> Outcome<SmolStr> {
    charge_text(run, text.len())?;
    if text.is_ascii() {
        return Ok(ascii(text).into());
    }
    if !text.contains(|c| is_in(kept, c)) {
        return Ok(map(text).into());
    }
    let mut whole = String::with_capacity(text.len());
    // For its neighbors, an unchanged character is like the end of the text.
    for part in text.split_inclusive(|c| is_in(kept, c)) {
        let (word, last) = match part.char_indices().next_back() {
            Some((at, last)) if is_in(kept, last) => (&part[..at], Some(last)),
            _ => (part, None),
        };
        whole.push_str(&map(word));
        whole.extend(last);
    }
    Ok(whole.into())
}

#[cfg(test)]
mod tests {
    use super::super::super::super::{Options, call::Run};
    use super::*;

    #[test]
    fn case_is_pythons() {
        let options = Options::default();
        let run = Run::new(&options);
        for (text, high, low) in [
            ("aB1c", "AB1C", "ab1c"),
            ("straße", "STRASSE", "straße"),
            ("ΟΔΟΣ ΣΑΣ.Σ Σ", "ΟΔΟΣ ΣΑΣ.Σ Σ", "οδος σασ.ς σ"),
            ("ŉ ﬁ İ ǆ", "ʼN FI İ Ǆ", "ŉ ﬁ i̇ ǆ"),
            ("ɤΑΣ\u{897}ƛ", "ɤΑΣ\u{897}ƛ", "ɤας\u{897}ƛ"),
        ] {
            assert_eq!(upper(&run, text).as_deref(), Ok(high), "{text}");
            assert_eq!(lower(&run, text).as_deref(), Ok(low), "{text}");
        }
    }

    /// A checksum of the case mapping of every character, and of a sigma before and after it, as computed by Python
    /// 3.11.
    #[test]
    fn every_character_has_the_case_that_python_gives_it() {
        let options = Options::default();
        let characters: Vec<char> = ('\0'..'\u{1f200}')
            .chain('\u{e0000}'..'\u{e0200}')
            .filter(|c| !CHANGED.contains(c))
            .collect();
        let mut sums = [0_u64; 2];
        for some in characters.chunks(1000) {
            let run = Run::new(&options);
            let text: String = some.iter().map(|c| format!("{c} {c}Σa{c}Σ aΣ{c}aΣ{c} ")).collect();
            for (sum, map) in sums.iter_mut().zip([upper, lower]) {
                for mapped in map(&run, &text).expect("a text").chars() {
                    *sum = sum.wrapping_mul(1_000_003).wrapping_add(u64::from(mapped));
                }
            }
        }
        assert_eq!(sums, [1676860039241780754, 17281600712807204487]);
    }
}
