//! Dates given by week and weekday.

use super::existing;
use crate::Outcome;
use crate::library::date_time::calendar::{days_of, weekday};

/// The first day of the week.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WeekStart {
    Sunday,
    Monday,
}

/// The day of the year for a week and a weekday; days before January 1 are not
/// positive.
pub(super) fn day_of_year(year: i64, week: i64, day: i64, start: WeekStart) -> i64 {
    let (first, day) = match start {
        WeekStart::Monday => (weekday(days_of(year, 1, 1)), day),
        WeekStart::Sunday => ((weekday(days_of(year, 1, 1)) + 1) % 7, (day + 1) % 7),
    };
    if week == 0 { 1 + day - first } else { 1 + (7 - first) % 7 + 7 * (week - 1) + day }
}

/// Year and day of the year for an ISO 8601 week and weekday; Monday is 1.
pub(super) fn iso_day(year: i64, week: i64, day: i64) -> Outcome<(i64, i64)> {
    // January 4 is always in the first week.
    let correction = weekday(days_of(year, 1, 4)) + 4;
    let found = week * 7 + day - correction;
    if found >= 1 {
        return Ok((year, found));
    }
    let before = existing(year - 1)?;
    Ok((before, found + days_of(year, 1, 1) - days_of(before, 1, 1)))
}
