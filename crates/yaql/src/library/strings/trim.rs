//! Functions that trim texts.

use crate::text::is_space;

/// The ends of a text that are trimmed.
pub(super) struct TrimmedEnds {
    start: bool,
    end: bool,
}

pub(super) const START: TrimmedEnds = TrimmedEnds { start: true, end: false };
pub(super) const END: TrimmedEnds = TrimmedEnds { start: false, end: true };
pub(super) const BOTH_ENDS: TrimmedEnds = TrimmedEnds { start: true, end: true };

impl TrimmedEnds {
    /// Removes these characters, or white space, from the ends of a text.
    pub(super) fn trim<'t>(&self, text: &'t str, chars: Option<&str>) -> &'t str {
        match chars {
            None => self.trim_if(text, is_space),
            Some(chars) if chars.chars().nth(MAX_LINEAR_CHARS).is_none() => {
                self.trim_if(text, |c| chars.contains(c))
            }
            Some(chars) => {
                let chars: std::collections::HashSet<char> = chars.chars().collect();
                self.trim_if(text, |c| chars.contains(&c))
            }
        }
    }

    fn trim_if<'t>(&self, text: &'t str, goes: impl Fn(char) -> bool) -> &'t str {
        let text = if self.start { text.trim_start_matches(&goes) } else { text };
        if self.end { text.trim_end_matches(&goes) } else { text }
    }
}

/// Up to this number of characters, a linear search is used; above, a set.
const MAX_LINEAR_CHARS: usize = 16;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_are_trimmed() {
        assert_eq!(BOTH_ENDS.trim(" \u{1f}a b\u{3000}", None), "a b");
        assert_eq!(START.trim("aababa", Some("a")), "baba");
        assert_eq!(END.trim("aababa", Some("ba")), "");
        assert_eq!(BOTH_ENDS.trim(" a ", Some("")), " a ");
        assert_eq!(BOTH_ENDS.trim("zaz", Some("bcdefghijklmnopqrstuvwxyz")), "a");
    }
}
