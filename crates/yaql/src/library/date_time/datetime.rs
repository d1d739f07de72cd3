//! Python's `datetime`.

use std::cmp::Ordering;
use std::fmt::Write as _;
use std::rc::Rc;

use python_semantics::ExceptionClass;

use super::calendar::{self, DAY, FIRST_YEAR, LAST_YEAR, SECOND, date_of, days_in_month, days_of};
use super::timespan::TimeSpan;
use super::zone::{Zone, iso_offset};
use crate::{Failure, Outcome};

/// A date with a time, optionally in a time zone.
#[derive(Clone, Debug)]
pub(crate) struct DateTime {
    /// Microseconds since 1970 in local time.
    clock: i64,
    zone: Option<Zone>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fields {
    pub(super) year: i64,
    pub(super) month: i64,
    pub(super) day: i64,
    pub(super) hour: i64,
    pub(super) minute: i64,
    pub(super) second: i64,
    pub(super) microsecond: i64,
}

impl Fields {
    /// The fields in the order of Python's arguments.
    pub(super) fn to_array(self) -> [i128; 7] {
        let Fields { year, month, day, hour, minute, second, microsecond } = self;
        [year, month, day, hour, minute, second, microsecond].map(i128::from)
    }
}

/// The names and bounds of the fields below the day.
const TIME_FIELDS: [(&str, i64, i64); 4] = [
    ("hour", 23, 3600 * SECOND),
    ("minute", 59, 60 * SECOND),
    ("second", 59, SECOND),
    ("microsecond", 999_999, 1),
];

impl DateTime {
    /// `datetime(…)`: year, month, day, hour, minute, second, microsecond and a zone.
    ///
    /// # Errors
    ///
    /// `ValueError` or `OverflowError` if a field is out of range.
    pub(super) fn new(fields: [i128; 7], zone: Option<Zone>) -> Outcome<Self> {
        let mut small = [0; 7];
        for (small, field) in small.iter_mut().zip(fields) {
            *small = c_int(field)?;
        }
        let [year, month, day, ..] = small;
        if !(FIRST_YEAR..=LAST_YEAR).contains(&year) {
            return Err(Failure::value_error(format!("year {year} is out of range")));
        }
        if !(1..=12).contains(&month) {
            return Err(Failure::value_error("month must be in 1..12"));
        }
        if !(1..=days_in_month(year, month)).contains(&day) {
            return Err(Failure::value_error("day is out of range for month"));
        }
        let mut clock = days_of(year, month, day) * DAY;
        for (value, (name, most, unit)) in small.iter().skip(3).zip(TIME_FIELDS) {
            if !(0..=most).contains(value) {
                return Err(Failure::value_error(format!("{name} must be in 0..{most}")));
            }
            clock += value * unit;
        }
        Ok(DateTime { clock, zone })
    }

    /// The date for a local time; fails if the year is out of range.
    pub(super) fn of_clock(clock: i128, zone: Option<Zone>) -> Outcome<Self> {
        let first = i128::from(days_of(FIRST_YEAR, 1, 1)) * i128::from(DAY);
        let end = i128::from(days_of(LAST_YEAR + 1, 1, 1)) * i128::from(DAY);
        match i64::try_from(clock) {
            Ok(small) if (first..end).contains(&clock) => Ok(DateTime { clock: small, zone }),
            _ => Err(Failure::new(ExceptionClass::OverflowError, "date value out of range")),
        }
    }

    /// The date of plain data: local time since 1970 and the offset from UTC, both in
    /// microseconds.
    pub(crate) fn of_data(clock: i64, offset: Option<i64>) -> Outcome<Self> {
        let zone = match offset {
            Some(offset) => Some(Zone::fixed(TimeSpan { microseconds: i128::from(offset) }, None)?),
            None => None,
        };
        DateTime::of_clock(i128::from(clock), zone)
    }

    /// Microseconds since 1970 in local time.
    pub(crate) fn clock(&self) -> i64 {
        self.clock
    }

    /// `utcoffset()`.
    pub(crate) fn offset(&self) -> Outcome<Option<TimeSpan>> {
        self.zone.as_ref().map(Zone::offset).transpose()
    }

    pub(super) fn zone(&self) -> Option<&Zone> {
        self.zone.as_ref()
    }

    /// The same local time in another zone.
    pub(super) fn in_zone(&self, zone: Zone) -> Self {
        DateTime { clock: self.clock, zone: Some(zone) }
    }

    /// The same date, in UTC if it has no zone.
    pub(crate) fn or_utc(self: Rc<Self>) -> Rc<Self> {
        if self.zone.is_some() { self } else { Rc::new(self.in_zone(Zone::Utc)) }
    }

    /// The number of days since 1970-01-01.
    pub(super) fn days(&self) -> i64 {
        self.clock.div_euclid(DAY)
    }

    pub(super) fn fields(&self) -> Fields {
        let (year, month, day) = date_of(self.days());
        let time = self.clock.rem_euclid(DAY);
        let (seconds, microsecond) = (time / SECOND, time % SECOND);
        let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
        Fields { year, month, day, hour, minute, second, microsecond }
    }

    /// The day of the week; Monday is 0.
    pub(super) fn weekday(&self) -> i64 {
        calendar::weekday(self.days())
    }

    /// Midnight of the same day.
    pub(super) fn date(&self) -> Self {
        DateTime { clock: self.days() * DAY, zone: self.zone.clone() }
    }

    /// The time since midnight.
    pub(super) fn time(&self) -> TimeSpan {
        TimeSpan { microseconds: i128::from(self.clock.rem_euclid(DAY)) }
    }

    /// Adds a span to the local time.
    pub(super) fn plus(&self, span: TimeSpan) -> Outcome<Self> {
        DateTime::of_clock(i128::from(self.clock) + span.microseconds, self.zone.clone())
    }

    /// Subtracts a span from the local time.
    pub(super) fn minus(&self, span: TimeSpan) -> Outcome<Self> {
        DateTime::of_clock(i128::from(self.clock) - span.microseconds, self.zone.clone())
    }

    /// Subtracts the zone's offset from the local time, but keeps the zone, as yaql does.
    pub(super) fn utc(&self) -> Outcome<Self> {
        let Some(offset) = self.offset()? else {
            let message = "unsupported operand type(s) for -: 'datetime.datetime' and 'NoneType'";
            return Err(Failure::type_error(message));
        };
        self.minus(offset)
    }

    /// The offsets of both dates from UTC, where they matter.
    fn offsets(&self, other: &DateTime) -> Outcome<OffsetPair> {
        match (&self.zone, &other.zone) {
            (None, None) => return Ok(OffsetPair::Same),
            (Some(one), Some(other)) if one.is(other) => return Ok(OffsetPair::Same),
            _ => {}
        }
        Ok(match (self.offset()?, other.offset()?) {
            (Some(one), Some(other)) if one == other => OffsetPair::Same,
            (Some(one), Some(other)) => OffsetPair::Both(one.microseconds - other.microseconds),
            _ => OffsetPair::OnlyOne,
        })
    }

    /// The time between two dates.
    ///
    /// # Errors
    ///
    /// `TypeError` if only one has a zone.
    pub(super) fn since(&self, other: &DateTime) -> Outcome<TimeSpan> {
        let clocks = i128::from(self.clock) - i128::from(other.clock);
        match self.offsets(other)? {
            OffsetPair::Same => TimeSpan::of(clocks),
            OffsetPair::Both(apart) => TimeSpan::of(clocks - apart),
            OffsetPair::OnlyOne => {
                Err(Failure::type_error("can't subtract offset-naive and offset-aware datetimes"))
            }
        }
    }

    /// Compares the instants.
    ///
    /// # Errors
    ///
    /// `TypeError` if only one has a zone.
    pub(crate) fn compare(&self, other: &DateTime) -> Outcome<Ordering> {
        match self.offsets(other)? {
            OffsetPair::Same => Ok(self.clock.cmp(&other.clock)),
            OffsetPair::Both(apart) => {
                let clocks = i128::from(self.clock) - i128::from(other.clock);
                Ok(clocks.cmp(&apart))
            }
            OffsetPair::OnlyOne => {
                Err(Failure::type_error("can't compare offset-naive and offset-aware datetimes"))
            }
        }
    }

    /// `==`: whether both are the same instant; `false` if only one has a zone.
    ///
    /// # Errors
    ///
    /// `ValueError` if an offset is a day or more.
    pub(crate) fn equals(&self, other: &DateTime) -> Outcome<bool> {
        match self.offsets(other)? {
            OffsetPair::OnlyOne => Ok(false),
            OffsetPair::Same | OffsetPair::Both(_) => Ok(self.compare(other)?.is_eq()),
        }
    }

    /// The value that Python hashes: the UTC time since the day before the calendar's first one.
    /// `None` without a zone, since the hash then differs between processes.
    pub(crate) fn hashed(&self) -> Outcome<Option<TimeSpan>> {
        let Some(offset) = self.offset()? else { return Ok(None) };
        let before_first = i128::from(days_of(FIRST_YEAR, 1, 1) - 1) * i128::from(DAY);
        let microseconds = i128::from(self.clock) - before_first - offset.microseconds;
        Ok(Some(TimeSpan { microseconds }))
    }

    /// Seconds since 1970 in UTC.
    pub(super) fn timestamp(&self) -> Outcome {
        // The zone is still set, so both offsets count.
        let epoch = DateTime { clock: 0, zone: Some(Zone::Utc) };
        self.utc()?.since(&epoch)?.total_seconds()
    }

    /// Its `str()` in Python.
    pub(crate) fn str(&self) -> Outcome<String> {
        let Fields { year, month, day, hour, minute, second, microsecond } = self.fields();
        let mut text = format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}");
        if microsecond != 0 {
            let _ = write!(text, ".{microsecond:06}");
        }
        if let Some(offset) = self.offset()? {
            text.push_str(&iso_offset(offset));
        }
        Ok(text)
    }

    /// Its `repr()` in Python.
    pub(crate) fn repr(&self) -> String {
        let Fields { year, month, day, hour, minute, second, microsecond } = self.fields();
        let mut text = format!("datetime.datetime({year}, {month}, {day}, {hour}, {minute}");
        if second != 0 || microsecond != 0 {
            let _ = write!(text, ", {second}");
        }
        if microsecond != 0 {
            let _ = write!(text, ", {microsecond}");
        }
        if let Some(zone) = &self.zone {
            let _ = write!(text, ", tzinfo={}", zone.repr());
        }
        text.push(')');
        text
    }
}

/// The offsets of two dates from UTC.
enum OffsetPair {
    /// Equal, or both unknown.
    Same,
    /// The difference in microseconds.
    Both(i128),
    /// Only one is known.
    OnlyOne,
}

/// Converts a number to a C `int`.
fn c_int(value: i128) -> Outcome<i64> {
    let overflow = |message: &str| Err(Failure::new(ExceptionClass::OverflowError, message));
    match i64::try_from(value) {
        Err(_) => overflow("Python int too large to convert to C long"),
        Ok(value) if value > i64::from(i32::MAX) => {
            overflow("signed integer is greater than maximum")
        }
        Ok(value) if value < i64::from(i32::MIN) => overflow("signed integer is less than minimum"),
        Ok(value) => Ok(value),
    }
}
