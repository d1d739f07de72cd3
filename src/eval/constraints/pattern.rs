//! `allowed_pattern`.

use fancy_regex::{Regex, RegexBuilder};

use super::Verdict;
use super::regex::{Problem, translate};
use crate::eval::python::{self, Raised};
use crate::eval::{Class, Value};

/// Steps back that a match may take; Python has no bound.
const STEPS: usize = 1_000_000;

/// The constraint.
#[derive(Debug)]
pub(super) struct Pattern {
    text: String,
    /// The compiled expression, or why there is none.
    regex: Result<Box<Regex>, String>,
}

impl Pattern {
    pub(super) fn new(operand: &Value) -> Result<Self, Raised> {
        let Value::Text(text) = operand else {
            return Err(Raised::new(Class::InvalidSchemaError, "AllowedPattern must be a string"));
        };
        let regex = match translate(text) {
            Ok(translated) => RegexBuilder::new(&translated)
                .backtrack_limit(STEPS)
                .build()
                .map(Box::new)
                .map_err(|_| "it is too large, or has no equivalent here".to_owned()),
            Err(Problem::Untranslated(why)) => Err(why),
            Err(Problem::Bad(message)) => return Err(Raised::new(Class::PatternError, message)),
        };
        Ok(Pattern { text: text.to_string(), regex })
    }

    pub(super) fn check(&self, value: &Value) -> Result<Verdict, Raised> {
        let text = match value.open() {
            Value::Text(text) => text,
            Value::Bytes(_) => {
                let message = "cannot use a string pattern on a bytes-like object";
                return Err(Raised::kind(message));
            }
            other => {
                let name = python::type_name(other);
                let message = format!("expected string or bytes-like object, got '{name}'");
                return Err(Raised::kind(message));
            }
        };
        let unknown = |why: &str| {
            Ok(Verdict::Unknown(format!("the pattern {:?} cannot be judged: {why}", self.text)))
        };
        let regex = match &self.regex {
            Ok(regex) => regex,
            Err(why) => return unknown(why),
        };
        match regex.find(text.as_str()) {
            // As Heat asks: the match that Python finds first must end where the text ends.
            Ok(found) if found.is_some_and(|found| found.end() == text.len()) => Ok(Verdict::Holds),
            Ok(_) => {
                Ok(Verdict::Fails(format!("\"{text}\" does not match pattern \"{}\"", self.text)))
            }
            Err(_) => unknown("the match takes too many steps"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pattern: &str, text: &str) -> Verdict {
        let pattern = Pattern::new(&Value::text(pattern)).expect("a pattern");
        pattern.check(&Value::text(text)).expect("a verdict")
    }

    #[test]
    fn the_first_match_must_end_the_text() {
        for (pattern, text, holds) in [
            ("[a-z]+", "abc", true),
            ("[a-z]+", "abc1", false),
            // Python stops at the first branch that matches.
            ("a|ab", "ab", false),
            ("(?:a|ab)$", "ab", true),
            ("a$", "a\n", false),
            (r"a$\n", "a\n", true),
            (r"\d+", "٣", true),
            (r"(?a)\d+", "٣", false),
            (r"\bfoo\b bar", "foo bar", true),
            (r"(?P<x>a|b)(?P=x)", "bb", true),
            (r"(?P<x>a|b)(?P=x)", "ab", false),
            ("[]a]+", "]a", true),
            ("[a&&b]+", "&", true),
            ("x{,2}", "xx", true),
            ("x{a}", "x{a}", true),
            ("(?i)é+", "ÉÉ", true),
            ("(?x) a b # c", "ab", true),
            ("a++a", "aaa", false),
            (r"(?<!a)b", "b", true),
            (r"(a)?(?(1)b|c)", "c", true),
            ("", "", true),
            ("", "a", false),
        ] {
            let verdict = check(pattern, text);
            assert_eq!(verdict == Verdict::Holds, holds, "{pattern} {text:?}: {verdict:?}");
            assert!(!matches!(verdict, Verdict::Unknown(_)), "{pattern}: {verdict:?}");
        }
    }

    #[test]
    fn what_python_refuses_is_refused() {
        for pattern in [
            "(",
            ")",
            "[",
            "[z-a]",
            "*a",
            "a**",
            "^*",
            r"\q",
            r"\1",
            "(?P<1>a)",
            "a(?i)",
            "(?<=a*)b",
            r"[\d-z]",
            "a{2,1}",
            "(?P<a>x)(?P<a>y)",
            r"\x1",
            "(?z)",
            "(?",
            "\\",
            r"(a\1)",
        ] {
            let failure = Pattern::new(&Value::text(pattern)).expect_err(pattern);
            assert_eq!(failure.class, Class::PatternError, "{pattern}");
        }
        let failure = Pattern::new(&Value::Null).expect_err("no text");
        assert_eq!(failure.class, Class::InvalidSchemaError);
    }

    #[test]
    fn what_cannot_be_judged_is_told() {
        for (pattern, text) in [
            (r"\N{DIGIT ONE}", "1"),
            (r"(?i)(a)\1", "aA"),
            (r"(?:a(?!x)|aa(?!x))+b", &"a".repeat(60)),
        ] {
            assert!(matches!(check(pattern, text), Verdict::Unknown(_)), "{pattern}");
        }
    }
}
