//! The words that dateutil knows.

use crate::library::date_time::calendar::{MONTHS, WEEKDAYS, abbreviated, named};

/// Words between numbers without a meaning.
const JUMP_WORDS: &[&str] = &[
    " ", ".", ",", ";", "-", "/", "'", "at", "on", "and", "ad", "m", "t", "of", "st", "nd", "rd",
    "th",
];
const UTC_NAMES: &[&str] = &["UTC", "GMT", "Z"];

/// The unit of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    Hour,
    Minute,
    Second,
}

/// The half of the day that `am` or `pm` names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HalfDay {
    Morning,
    Afternoon,
}

impl HalfDay {
    /// Converts an hour of 12 to an hour of 24.
    pub(super) fn hour(self, hour: i128) -> i128 {
        match self {
            HalfDay::Morning if hour == 12 => 0,
            HalfDay::Afternoon if hour < 12 => hour + 12,
            HalfDay::Morning | HalfDay::Afternoon => hour,
        }
    }
}

fn is_one_of(words: &[&str], text: &str) -> bool {
    words.iter().any(|word| word.eq_ignore_ascii_case(text))
}

pub(super) fn is_jump(text: &str) -> bool {
    is_one_of(JUMP_WORDS, text)
}

/// Whether the next number is the year.
pub(super) fn is_of(text: &str) -> bool {
    is_one_of(&["of"], text)
}

pub(super) fn is_utc(text: &str) -> bool {
    is_one_of(UTC_NAMES, text)
}

/// The month with a name; January is 1.
pub(super) fn month(text: &str) -> Option<i64> {
    if text.eq_ignore_ascii_case("sept") {
        return Some(9);
    }
    Some(long_or_short(&MONTHS, text)? + 1)
}

/// The weekday with a name; Monday is 0.
pub(super) fn weekday(text: &str) -> Option<i64> {
    long_or_short(&WEEKDAYS, text)
}

fn long_or_short<const N: usize>(names: &[&'static str; N], text: &str) -> Option<i64> {
    if text.len() == 3 { named(&names.map(abbreviated), text) } else { named(names, text) }
}

pub(super) fn unit(text: &str) -> Option<Unit> {
    Some(match text.to_ascii_lowercase().as_str() {
        "h" | "hour" | "hours" => Unit::Hour,
        "m" | "minute" | "minutes" => Unit::Minute,
        "s" | "second" | "seconds" => Unit::Second,
        _ => return None,
    })
}

pub(super) fn half_day(text: &str) -> Option<HalfDay> {
    Some(match text.to_ascii_lowercase().as_str() {
        "am" | "a" => HalfDay::Morning,
        "pm" | "p" => HalfDay::Afternoon,
        _ => return None,
    })
}

/// Whether a word may be the name of a zone.
pub(super) fn is_zone(text: &str) -> bool {
    let capitals = text.bytes().all(|byte| byte.is_ascii_uppercase());
    text.len() <= 5 && (capitals || text == "z")
}

/// Whether Python's `float()` accepts a word (`nan`, `inf`), which is not a number in a date.
pub(super) fn is_float_word(text: &str) -> bool {
    is_one_of(&["nan", "inf", "infinity"], text)
}
