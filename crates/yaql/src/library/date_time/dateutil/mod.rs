//! Parses a date from a text of unknown format, like `dateutil.parser.parse`.
//!
//! Missing fields are taken from today's date, and today's year decides the century: without
//! [`Options::now`](crate::Options::now) such dates are unknown.

mod decimal;
mod scan;
mod tokens;
mod words;
mod ymd;

use python_semantics::ExceptionClass;
use smol_str::SmolStr;

use super::calendar::{DAY, date_of, days_in_month};
use super::datetime::DateTime;
use super::timespan::TimeSpan;
use super::zone::{LOCAL_NAMES, Zone};
use crate::{Failure, Outcome};

/// The fields of a date that a text contains.
#[derive(Debug, Default)]
struct PartialDate {
    year: Option<i128>,
    month: Option<i128>,
    day: Option<i128>,
    weekday: Option<i64>,
    hour: Option<i128>,
    minute: Option<i128>,
    second: Option<i128>,
    microsecond: Option<i128>,
    zone: Option<SmolStr>,
    /// Offset from UTC in seconds.
    offset: Option<i128>,
    /// Whether the text contains AM or PM.
    has_half_day: bool,
    /// Whether the year is written with its century.
    has_century: bool,
}

/// The text has no format that dateutil knows.
#[derive(Debug)]
struct Unreadable;

#[derive(Debug)]
enum ReadError {
    Unreadable,
    Failed(Failure),
}

impl From<Unreadable> for ReadError {
    fn from(_: Unreadable) -> Self {
        ReadError::Unreadable
    }
}

/// Parses a date; `now` is in microseconds since 1970 in UTC.
///
/// # Errors
///
/// `ParserError` and `OverflowError`; unknown if it needs `now`, which is not set.
pub(super) fn parse_date(text: &str, now: Option<i64>) -> Outcome<DateTime> {
    let today = now.map(|now| date_of(now.div_euclid(DAY)));
    let error =
        |message: &str| Failure::new(ExceptionClass::ParserError, format!("{message}: {text}"));
    let tokens = tokens::tokens(text);
    let mut found = match scan::scan(&tokens, today.map(|(year, ..)| i128::from(year))) {
        Ok(found) => found,
        Err(ReadError::Unreadable) => return Err(error("Unknown string format")),
        Err(ReadError::Failed(failure)) => return Err(failure),
    };
    found.settle_zone();
    if found.is_nothing() {
        return Err(error("String does not contain a date"));
    }
    let date = found.date(today).map_err(|failure| match failure {
        Failure::Raised(raised) if raised.class == ExceptionClass::ValueError => {
            error(&raised.message)
        }
        failure => failure,
    })?;
    Ok(match found.zone()? {
        Some(zone) => date.in_zone(zone),
        None => date,
    })
}

/// The full year of a two-digit year: the one nearest to today's.
fn full_year(year: i128, today: Option<i128>) -> Result<i128, ReadError> {
    if year >= 100 {
        return Ok(year);
    }
    let today = today.ok_or(ReadError::Failed(Failure::Unknown))?;
    let full = today / 100 * 100 + year;
    Ok(if full >= today + 50 {
        full - 100
    } else if full < today - 50 {
        full + 100
    } else {
        full
    })
}

impl PartialDate {
    fn is_nothing(&self) -> bool {
        let numbers = [
            self.year,
            self.month,
            self.day,
            self.hour,
            self.minute,
            self.second,
            self.microsecond,
            self.offset,
        ];
        let others = self.weekday.is_some() || self.zone.is_some() || self.has_half_day;
        !others && numbers.iter().all(Option::is_none)
    }

    /// Unifies the names and offsets that mean UTC.
    fn settle_zone(&mut self) {
        let name = self.zone.as_deref();
        if (self.offset == Some(0) && name.is_none())
            || name.is_some_and(|name| name.len() == 1 && words::is_utc(name))
        {
            self.zone = Some(SmolStr::new_static("UTC"));
            self.offset = Some(0);
        } else if self.offset != Some(0) && name.is_some_and(words::is_utc) {
            self.offset = Some(0);
        }
    }

    /// The zone, if its offset is known.
    fn zone(&self) -> Outcome<Option<Zone>> {
        if self.zone.as_deref().is_some_and(|name| LOCAL_NAMES.contains(&name)) {
            return Ok(Some(Zone::Local));
        }
        Ok(match self.offset {
            None => None,
            Some(0) => Some(Zone::Utc),
            Some(seconds) => {
                let offset = TimeSpan::of(seconds.saturating_mul(1_000_000))?;
                Some(Zone::Offset { name: self.zone.clone(), offset })
            }
        })
    }

    /// The date without its zone.
    fn date(&self, today: Option<(i64, i64, i64)>) -> Outcome<DateTime> {
        let year = match self.year {
            Some(year) if !self.has_century => {
                match full_year(year, today.map(|(year, ..)| i128::from(year))) {
                    Ok(year) => Some(year),
                    Err(_) => return Err(Failure::Unknown),
                }
            }
            year => year,
        };
        if self.day.is_none()
            && let Some(month) = self.month
            && !(1..=12).contains(&month)
        {
            if month == i128::MAX {
                // Python's message contains the number, of which not all digits are kept here.
                return Err(Failure::Unknown);
            }
            return Err(Failure::value_error(format!("bad month number {month}; must be 1-12")));
        }
        let (year, month, day) = match (year, self.month, self.day, today) {
            (Some(year), Some(month), Some(day), _) => (year, month, day),
            (.., None) => return Err(Failure::Unknown),
            (year, month, day, Some((this_year, this_month, this_day))) => {
                let year = year.unwrap_or(i128::from(this_year));
                let month = month.unwrap_or(i128::from(this_month));
                let day = day.unwrap_or_else(|| {
                    let small = |value: i128| i64::try_from(value).unwrap_or_default();
                    i128::from(this_day.min(days_in_month(small(year % 400), small(month))))
                });
                (year, month, day)
            }
        };
        let time = [self.hour, self.minute, self.second, self.microsecond];
        let [hour, minute, second, microsecond] = time.map(Option::unwrap_or_default);
        let date = DateTime::new([year, month, day, hour, minute, second, microsecond], None)?;
        match self.weekday {
            Some(weekday) if self.day.is_none() => {
                let days = (weekday - date.weekday()).rem_euclid(7);
                date.plus(TimeSpan { microseconds: i128::from(days) * i128::from(DAY) })
            }
            _ => Ok(date),
        }
    }
}
