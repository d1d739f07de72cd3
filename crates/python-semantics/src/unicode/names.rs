//! Characters by their Unicode names.

use super::is_assigned;

/// Aliases of characters with their code points, in Unicode 14.
const ALIASES: &str = include_str!("aliases.txt");

/// Prefixes of names that contain the code point; Python requires them in uppercase.
const HANGUL: &str = "HANGUL SYLLABLE ";
const CJK: &str = "CJK UNIFIED IDEOGRAPH-";

/// The character with a name, as Python 3.11 finds it: ignoring case, but otherwise exact.
pub fn character(name: &str) -> Option<char> {
    let begins = |start: &str| {
        name.get(..start.len()).is_some_and(|found| found.eq_ignore_ascii_case(start))
    };
    let computed = [HANGUL, CJK].iter().any(|start| begins(start));
    if computed && name.contains(|c: char| c.is_ascii_lowercase()) {
        return None;
    }
    // Four digits, or five if the first is not zero.
    let shorter = name.strip_prefix(CJK).filter(|code| code.len() == 5);
    let shorter =
        shorter.and_then(|code| code.strip_prefix('0')).map(|code| format!("{CJK}{code}"));
    let name = shorter.as_deref().unwrap_or(name);
    let own = unicode_names2::character(name).filter(|&c| {
        let exactly = |known: unicode_names2::Name| known.to_string().eq_ignore_ascii_case(name);
        is_assigned(c) && unicode_names2::name(c).is_some_and(exactly)
    });
    own.or_else(|| {
        let (code, _) = ALIASES
            .lines()
            .filter_map(|line| line.split_once(' '))
            .find(|(_, alias)| alias.eq_ignore_ascii_case(name))?;
        u32::from_str_radix(code, 16).ok().and_then(char::from_u32)
    })
}
