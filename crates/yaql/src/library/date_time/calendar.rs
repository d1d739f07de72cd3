//! The proleptic Gregorian calendar: days since 1970, and their names.

/// The first year of Python's calendar.
pub(super) const FIRST_YEAR: i64 = 1;
/// The last year of Python's calendar.
pub(super) const LAST_YEAR: i64 = 9999;
pub(super) const DAY_SECONDS: i64 = 86_400;
/// The microseconds of a second.
pub(super) const SECOND: i64 = 1_000_000;
/// The microseconds of a day.
pub(super) const DAY: i64 = DAY_SECONDS * SECOND;

/// The names of the months; the first three letters are the abbreviations.
pub(super) const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// The names of the days; the first three letters are the abbreviations.
pub(super) const WEEKDAYS: [&str; 7] =
    ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

/// Whether a year has 366 days.
pub(super) fn is_leap(year: i64) -> bool {
    year.rem_euclid(4) == 0 && (year.rem_euclid(100) != 0 || year.rem_euclid(400) == 0)
}

/// The number of days in a month.
pub(super) fn days_in_month(year: i64, month: i64) -> i64 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// The number of days since 1970-01-01.
pub(super) fn days_of(year: i64, month: i64, day: i64) -> i64 {
    // Here, years begin in March, so that the leap day is the last day.
    let year = if month <= 2 { year - 1 } else { year };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// Year, month and day of a number of days since 1970-01-01.
pub(super) fn date_of(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let (era, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let of_era = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let of_year = day - (365 * of_era + of_era / 4 - of_era / 100);
    let shifted = (5 * of_year + 2) / 153;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = era * 400 + of_era + i64::from(month <= 2);
    (year, month, of_year - (153 * shifted + 2) / 5 + 1)
}

/// The weekday of a day; Monday is 0.
pub(super) fn weekday(days: i64) -> i64 {
    (days + 3).rem_euclid(7)
}

/// The day of the year; January 1 is 1.
pub(super) fn day_of_year(year: i64, days: i64) -> i64 {
    days - days_of(year, 1, 1) + 1
}

/// Year and week by ISO 8601, where weeks begin on Monday and the first one contains a Thursday.
pub(super) fn iso_week(days: i64) -> (i64, i64) {
    let thursday = days - weekday(days) + 3;
    let (year, ..) = date_of(thursday);
    (year, (thursday - days_of(year, 1, 1)) / 7 + 1)
}

/// The index of a name, ignoring case.
pub(super) fn named(names: &[&str], text: &str) -> Option<i64> {
    let at = names.iter().position(|name| name.eq_ignore_ascii_case(text))?;
    i64::try_from(at).ok()
}

/// The first three letters of a name.
pub(super) fn abbreviated(name: &'static str) -> &'static str {
    name.get(..3).unwrap_or(name)
}

/// The name at an index that starts at 0.
pub(super) fn name_at(names: &[&'static str], at: i64) -> &'static str {
    usize::try_from(at).ok().and_then(|at| names.get(at)).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_and_dates_are_each_others_inverse() {
        for days in (days_of(FIRST_YEAR, 1, 1)..=days_of(LAST_YEAR, 12, 31)).step_by(13) {
            let (year, month, day) = date_of(days);
            assert!((1..=days_in_month(year, month)).contains(&day), "{year}-{month}-{day}");
            assert_eq!(days_of(year, month, day), days);
        }
        assert_eq!(date_of(0), (1970, 1, 1));
        assert_eq!(date_of(11_016), (2000, 2, 29));
    }

    #[test]
    fn weeks_are_those_of_python() {
        // date(…).weekday(), .isocalendar()[:2]
        let of = |year, month, day| days_of(year, month, day);
        for (days, day, week) in [
            (of(1970, 1, 1), 3, (1970, 1)),
            (of(2021, 1, 3), 6, (2020, 53)),
            (of(2021, 1, 4), 0, (2021, 1)),
            (of(2018, 12, 31), 0, (2019, 1)),
            (of(1, 1, 1), 0, (1, 1)),
            (of(9999, 12, 31), 4, (9999, 52)),
        ] {
            assert_eq!((weekday(days), iso_week(days)), (day, week), "{days}");
        }
    }
}
