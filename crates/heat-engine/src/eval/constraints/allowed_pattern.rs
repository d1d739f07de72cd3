//! The constraint `allowed_pattern`.
//!
//! Heat's rule: `docs/heat.md#allowed_pattern`.

use super::Verdict;
use crate::eval::python::{self, PythonException};
use crate::eval::{Budget, HeatExceptionClass, Value};
use python_semantics::ExceptionClass;
use python_semantics::regex::{Flags, LimitExceeded, Regex, RegexError, Subject};

/// Maximum matcher steps per match; Python has no limit.
const MAX_STEPS: u64 = 10_000_000;

/// The pattern of an `allowed_pattern`.
#[derive(Debug)]
pub(super) struct AllowedPattern {
    text: String,
    /// The compiled expression, or why it could not be compiled.
    regex: Result<Box<Regex>, &'static str>,
}

impl AllowedPattern {
    pub(super) fn new(operand: &Value) -> Result<Self, PythonException> {
        let Value::Text(text) = operand else {
            return Err(PythonException::new(
                HeatExceptionClass::InvalidSchemaError,
                "AllowedPattern must be a string",
            ));
        };
        let regex = match Regex::new(text, Flags::NONE) {
            Ok(regex) => Ok(Box::new(regex)),
            Err(RegexError::Unsupported(why)) => Err(why),
            Err(RegexError::Bad(message) | RegexError::Index(message)) => {
                return Err(PythonException::new(ExceptionClass::PatternError, message));
            }
            Err(RegexError::Value(message)) => return Err(PythonException::value_error(message)),
            Err(RegexError::Overflow(message)) => {
                return Err(PythonException::new(ExceptionClass::OverflowError, message));
            }
        };
        Ok(AllowedPattern { text: text.to_string(), regex })
    }

    pub(super) fn check(&self, value: &Value, effort: &Budget) -> Result<Verdict, PythonException> {
        let text = match value.unsealed() {
            Value::Text(text) => text,
            Value::Bytes(_) => {
                let message = "cannot use a string pattern on a bytes-like object";
                return Err(PythonException::type_error(message));
            }
            other => {
                let name = python::type_name(other);
                let message = format!("expected string or bytes-like object, got '{name}'");
                return Err(PythonException::type_error(message));
            }
        };
        let unknown = |why: &str| {
            Ok(Verdict::Unknown(format!("the pattern {:?} cannot be checked: {why}", self.text)))
        };
        let regex = match &self.regex {
            Ok(regex) => regex,
            Err(why) => return unknown(why),
        };
        let most = MAX_STEPS.min(effort.regex_steps());
        let mut left = most;
        let found = regex.match_start(&Subject::new(text), &mut left);
        // A match that ends at the limit shared by all patterns ends the deployment.
        let is_cut = found.is_err() && most < MAX_STEPS;
        effort.spend_steps(if is_cut { u64::MAX } else { most - left });
        match found {
            // As in Heat, the first match that Python finds must end where the text ends.
            Ok(Some(end)) if end == text.chars().count() => Ok(Verdict::Holds),
            Ok(_) => {
                Ok(Verdict::Fails(format!("\"{text}\" does not match pattern \"{}\"", self.text)))
            }
            Err(LimitExceeded) => unknown("the match needs too many steps"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pattern: &str, text: &str) -> Verdict {
        let pattern = AllowedPattern::new(&Value::text(pattern)).expect("a pattern");
        pattern.check(&Value::text(text), &Budget::default()).expect("a verdict")
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
            (r"\N{DIGIT ONE}", "1", true),
            (r"(?i)(a)\1", "aA", true),
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
            let failure = AllowedPattern::new(&Value::text(pattern)).expect_err(pattern);
            assert_eq!(failure.class, ExceptionClass::PatternError, "{pattern}");
        }
        let failure = AllowedPattern::new(&Value::Null).expect_err("no text");
        assert_eq!(failure.class, HeatExceptionClass::InvalidSchemaError);
    }

    #[test]
    fn what_cannot_be_judged_is_told() {
        let nested = format!("{}a{}", "(".repeat(300), ")".repeat(300));
        for (pattern, text) in
            [(r"(?:a(?!x)|aa(?!x))+b", "a".repeat(60)), (nested.as_str(), "a".to_owned())]
        {
            assert!(matches!(check(pattern, &text), Verdict::Unknown(_)), "{pattern}");
        }
    }
}
