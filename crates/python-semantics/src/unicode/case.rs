//! Simple (one to one) case mapping.

use super::is_assigned;

/// The lowercase letter of a character; the first character if the mapping has several.
pub fn lower(code: u32) -> u32 {
    mapped(code, |c| c.to_lowercase().next())
}

/// The uppercase letter of a character; the first character if the mapping has several.
pub fn upper(code: u32) -> u32 {
    mapped(code, |c| c.to_uppercase().next())
}

fn mapped(code: u32, to: impl Fn(char) -> Option<char>) -> u32 {
    let Some(c) = char::from_u32(code) else { return code };
    match to(c).map(u32::from) {
        // Later versions of Unicode have letters that had no counterpart.
        Some(other) if other == code || other < 0x80 => other,
        Some(other) if is_assigned(code) && is_assigned(other) => other,
        _ => code,
    }
}

/// The lowercase letter of an ASCII character.
pub fn ascii_lower(code: u32) -> u32 {
    if (0x41..=0x5a).contains(&code) { code + 0x20 } else { code }
}

/// Lowercase letters with the same uppercase letter: ignoring case, `re` treats them as equal.
const CASE_GROUPS: &[&[u32]] = &[
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

/// All lowercase letters that equal this one, including itself; empty if there is no other.
pub fn case_variants(lower: u32) -> &'static [u32] {
    if lower < 0x80 && lower != 0x69 && lower != 0x73 {
        return &[];
    }
    CASE_GROUPS.iter().find(|all| all.contains(&lower)).copied().unwrap_or_default()
}
