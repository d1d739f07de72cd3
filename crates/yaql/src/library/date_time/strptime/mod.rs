//! Parses a date by a format, like Python's `strptime()`: the format becomes a pattern, whose
//! matched parts become the date.

mod format;
mod matching;
mod weeks;

use smol_str::SmolStr;

use super::calendar::{
    FIRST_YEAR, LAST_YEAR, MONTHS, SECOND, WEEKDAYS, abbreviated, date_of, days_of, is_leap, named,
};
use super::datetime::DateTime;
use super::digits::parse_digits;
use super::timespan::TimeSpan;
use super::zone::Zone;
use crate::call::Run;
use crate::{Failure, Outcome, Value, text};
use format::Directive;
use matching::CapturedPart;

/// Parses a date.
///
/// # Errors
///
/// `ValueError` for invalid formats, for texts that do not match and for dates that do not
/// exist; `re.error` for a repeated directive.
pub(super) fn strptime(run: &Run, data: &str, written: &str) -> Outcome<DateTime> {
    let parts = format::parse(written)?;
    let (captured, end) = matching::match_parts(run, &parts, data)?.ok_or_else(|| {
        let quoted = |part: &str| text::repr(&Value::text(part));
        match (quoted(data), quoted(written)) {
            (Ok(data), Ok(written)) => {
                Failure::value_error(format!("time data {data} does not match format {written}"))
            }
            (Err(failure), _) | (_, Err(failure)) => failure,
        }
    })?;
    if let Some(rest) = data.get(end..).filter(|rest| !rest.is_empty()) {
        return Err(Failure::value_error(format!("unconverted data remains: {rest}")));
    }
    ParsedDate::of(&captured)?.date()
}

/// The fields in the matched parts.
#[derive(Debug, Default)]
struct ParsedDate {
    year: Option<i64>,
    iso_year: Option<i64>,
    month: Option<i64>,
    day: Option<i64>,
    hour: i64,
    minute: i64,
    second: i64,
    microsecond: i64,
    /// The day of the week; Monday is 0.
    weekday: Option<i64>,
    day_of_year: Option<i64>,
    week: Option<(i64, weeks::WeekStart)>,
    iso_week: Option<i64>,
    offset: Option<TimeSpan>,
    zone: Option<SmolStr>,
}

impl ParsedDate {
    fn of(captured: &[CapturedPart<'_>]) -> Outcome<Self> {
        let mut parsed = ParsedDate::default();
        let afternoon = captured.iter().find(|part| part.directive == Directive::Half);
        let afternoon = afternoon.is_some_and(|part| part.text.eq_ignore_ascii_case("pm"));
        for part in captured {
            let number = || parse_digits(part.text).and_then(|value| i64::try_from(value).ok());
            let value = number().unwrap_or_default();
            match part.directive {
                Directive::ShortYear => {
                    parsed.year = Some(if value <= 68 { value + 2000 } else { value + 1900 });
                }
                Directive::Year => parsed.year = Some(value),
                Directive::IsoYear => parsed.iso_year = Some(value),
                Directive::Month => parsed.month = Some(value),
                Directive::MonthName => {
                    parsed.month = named(&MONTHS, part.text).map(|month| month + 1);
                }
                Directive::ShortMonthName => {
                    parsed.month =
                        named(&MONTHS.map(abbreviated), part.text).map(|month| month + 1);
                }
                // It may begin with a blank.
                Directive::Day => {
                    let day = parse_digits(part.text.trim_start_matches(' '));
                    parsed.day = day.and_then(|day| i64::try_from(day).ok());
                }
                Directive::Hour => parsed.hour = value,
                Directive::HourOf12 => {
                    parsed.hour = value % 12 + if afternoon { 12 } else { 0 };
                }
                Directive::Minute => parsed.minute = value,
                Directive::Second => parsed.second = value,
                Directive::Microsecond => {
                    let padded = parse_digits(&format!("{:0<6}", part.text)).unwrap_or_default();
                    parsed.microsecond = i64::try_from(padded).unwrap_or_default();
                }
                Directive::WeekdayName => parsed.weekday = named(&WEEKDAYS, part.text),
                Directive::ShortWeekdayName => {
                    parsed.weekday = named(&WEEKDAYS.map(abbreviated), part.text);
                }
                Directive::WeekdayFromSunday => parsed.weekday = Some((value + 6) % 7),
                Directive::WeekdayFromMonday => parsed.weekday = Some(value - 1),
                Directive::DayOfYear => parsed.day_of_year = Some(value),
                Directive::WeekFromSunday => parsed.week = Some((value, weeks::WeekStart::Sunday)),
                Directive::WeekFromMonday => parsed.week = Some((value, weeks::WeekStart::Monday)),
                Directive::IsoWeek => parsed.iso_week = Some(value),
                Directive::Offset => parsed.offset = Some(offset(part.text)?),
                Directive::Zone => parsed.zone = Some(SmolStr::new(part.text)),
                Directive::Half => {}
            }
        }
        Ok(parsed)
    }

    /// Fails if directives of weeks are combined incorrectly.
    fn check_weeks(&self) -> Outcome<()> {
        let weekday = "a weekday directive ('%A', '%a', '%w', or '%u').";
        let message = if self.year.is_none() && self.iso_year.is_some() {
            if self.iso_week.is_none() || self.weekday.is_none() {
                format!(
                    "ISO year directive '%G' must be used with the ISO week directive '%V' and {weekday}"
                )
            } else if self.day_of_year.is_some() {
                "Day of the year directive '%j' is not compatible with ISO year directive '%G'. \
                 Use '%Y' instead."
                    .to_owned()
            } else {
                return Ok(());
            }
        } else if self.week.is_none() && self.iso_week.is_some() {
            if self.weekday.is_none() {
                format!(
                    "ISO week directive '%V' must be used with the ISO year directive '%G' and {weekday}"
                )
            } else {
                "ISO week directive '%V' is incompatible with the year directive '%Y'. Use the ISO \
                 year '%G' instead."
                    .to_owned()
            }
        } else {
            return Ok(());
        };
        Err(Failure::value_error(message))
    }

    fn date(self) -> Outcome<DateTime> {
        self.check_weeks()?;
        let (month, day) = (self.month.unwrap_or(1), self.day.unwrap_or(1));
        // Without a year, Python looks the day up in a leap year and then uses another year.
        let leap_day = self.year.is_none() && (month, day) == (2, 29);
        let mut year = self.year.unwrap_or(if leap_day { 1904 } else { 1900 });
        let mut day_of_year = self.day_of_year;
        if let (None, Some(weekday)) = (day_of_year, self.weekday) {
            if let Some((week, start)) = self.week {
                day_of_year = Some(weeks::day_of_year(existing(year)?, week, weekday, start));
            } else if let (Some(iso_year), Some(iso_week)) = (self.iso_year, self.iso_week) {
                let day;
                (year, day) = weeks::iso_day(existing(iso_year)?, iso_week, weekday + 1)?;
                day_of_year = Some(day);
            }
            if let Some(day) = day_of_year.as_mut().filter(|day| **day <= 0) {
                year -= 1;
                *day += if is_leap(year) { 366 } else { 365 };
            }
        }
        let (mut year, month, day) = match day_of_year {
            Some(day) => from_first_of_january(year, day - 1)?,
            None => {
                DateTime::new([year, month, day, 0, 0, 0, 0].map(i128::from), None)?;
                (year, month, day)
            }
        };
        if leap_day {
            year = 1900;
        }
        let zone = match self.offset {
            Some(offset) => Some(Zone::fixed(offset, self.zone)?),
            None => None,
        };
        let time = [self.hour, self.minute, self.second, self.microsecond];
        let [hour, minute, second, microsecond] = time;
        let fields = [year, month, day, hour, minute, second, microsecond];
        DateTime::new(fields.map(i128::from), zone)
    }
}

/// The year, if it is within Python's calendar.
fn existing(year: i64) -> Outcome<i64> {
    if (FIRST_YEAR..=LAST_YEAR).contains(&year) {
        return Ok(year);
    }
    Err(Failure::value_error(format!("year {year} is out of range")))
}

/// The date a number of days after January 1.
fn from_first_of_january(year: i64, days: i64) -> Outcome<(i64, i64, i64)> {
    let days = days_of(existing(year)?, 1, 1) + days;
    if days < days_of(FIRST_YEAR, 1, 1) {
        return Err(Failure::value_error("ordinal must be >= 1"));
    }
    let date = date_of(days);
    existing(date.0)?;
    Ok(date)
}

/// The offset from UTC that `%z` accepts: `Z`, `+HHMM`, `+HH:MM`, with optional seconds and microseconds.
fn offset(text: &str) -> Outcome<TimeSpan> {
    if text == "Z" {
        return Ok(TimeSpan::ZERO);
    }
    let mut characters: Vec<char> = text.chars().collect();
    if characters.get(3) == Some(&':') {
        characters.remove(3);
        if characters.len() > 5 {
            if characters.get(5) != Some(&':') {
                return Err(Failure::value_error(format!("Inconsistent use of : in {text}")));
            }
            characters.remove(5);
        }
    }
    let part = |range: std::ops::Range<usize>| -> String {
        characters.iter().skip(range.start).take(range.len()).collect()
    };
    let number = |text: String| match parse_digits(&text) {
        Some(value) => Ok(value),
        None if text.is_empty() => Ok(0),
        // A colon where none is allowed.
        None => {
            Err(Failure::value_error(format!("invalid literal for int() with base 10: '{text}'")))
        }
    };
    let (hours, minutes) = (number(part(1..3))?, number(part(3..5))?);
    let seconds = number(part(5..7))?;
    let fraction = number(format!("{:0<6}", part(8..14)))?;
    let all = ((hours * 60 + minutes) * 60 + seconds) * i128::from(SECOND) + fraction;
    TimeSpan::of(if text.starts_with('-') { -all } else { all })
}
