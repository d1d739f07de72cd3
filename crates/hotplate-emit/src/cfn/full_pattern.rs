//! Regular expressions that a whole string must match, like CloudFormation's `AllowedPattern`.

use std::sync::Arc;

use python_semantics::regex::{Flags, LimitExceeded, Regex, Subject};
use smol_str::SmolStr;

/// Maximum matcher steps per string. The forms of `targets/cfn/forms.yaml` take at most nine steps per
/// character, so that this is enough for every string up to [`LONGEST_VALUE`].
const MAX_STEPS: u64 = 16 * LONGEST_VALUE as u64;

/// More bytes than any value with a form has in AWS: parameters have at most 4,096 bytes, and the forms with
/// patterns are of numbers, names, IDs, addresses, ARNs and URLs.
pub(super) const LONGEST_VALUE: usize = 64 * 1024;

/// A compiled regular expression that matches whole strings only.
#[derive(Clone, Debug)]
pub(super) struct FullPattern(Arc<Regex>);

impl FullPattern {
    /// Compiles a pattern; `None` where Python rejects it.
    pub(super) fn new(pattern: &str) -> Option<Self> {
        // By itself first: `a)(b` is only valid in parentheses.
        Regex::new(pattern, Flags::NONE).ok()?;
        let regex = Regex::new(&format!(r"(?:{pattern})\Z"), Flags::NONE).ok()?;
        Some(FullPattern(regex.into()))
    }

    /// Whether the pattern matches the whole string.
    ///
    /// # Errors
    ///
    /// If that takes more than [`MAX_STEPS`].
    pub(super) fn matches(&self, text: &str) -> Result<bool, LimitExceeded> {
        let mut steps = MAX_STEPS;
        let end = self.0.match_start(&Subject::new(&SmolStr::new(text)), &mut steps)?;
        Ok(end.is_some())
    }

    /// Whether the pattern matches each of the strings.
    ///
    /// # Errors
    ///
    /// If one of them takes more than [`MAX_STEPS`].
    pub(super) fn matches_all(&self, texts: &[&str]) -> Result<bool, LimitExceeded> {
        texts.iter().try_fold(true, |all, text| Ok(all & self.matches(text)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_whole_string_matches_or_nothing() {
        for (pattern, text, whole) in [
            ("a|ab", "ab", true),
            ("[a-z]+", "abc\n", false),
            ("[a-z]+$", "abc\n", false),
            ("a*", "", true),
            ("(?!)", "", false),
            (".+", "é\u{1F600}", true),
        ] {
            let found = FullPattern::new(pattern).expect(pattern).matches(text);
            assert_eq!(found.ok(), Some(whole), "{pattern} {text:?}");
        }
        assert!(FullPattern::new("a)(b").is_none());
    }

    #[test]
    fn what_takes_too_many_steps_is_neither() {
        let pattern = FullPattern::new("(?:a(?!x)|aa(?!x))+b").expect("a pattern");
        assert!(pattern.matches(&"a".repeat(60)).is_err());
    }
}
