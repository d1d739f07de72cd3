//! Decides which numbers of a text are the year, the month and the day.

use super::Unreadable;
use super::decimal::Decimal;
use crate::library::date_time::calendar::days_in_month;
use crate::library::date_time::digits::parse_digits;

/// Up to three numbers, some of which are known to be the year or the month.
#[derive(Debug, Default)]
pub(super) struct Ymd {
    values: Vec<i128>,
    year: Option<usize>,
    month: Option<usize>,
    /// Whether the year is written with its century.
    pub(super) century: bool,
}

/// Year, month and day, as far as they are present.
pub(super) type YearMonthDay = (Option<i128>, Option<i128>, Option<i128>);

/// The maximum day of a month; larger numbers must be years.
const MAX_DAY: i128 = 31;

impl Ymd {
    /// The number of values.
    pub(super) fn len(&self) -> usize {
        self.values.len()
    }

    /// Adds a number as written; with more than two digits, it is a year.
    pub(super) fn push_text(&mut self, text: &str) -> Result<(), Unreadable> {
        let value = parse_digits(text).ok_or(Unreadable)?;
        self.push_checked(value, text.len() > 2)
    }

    /// Adds a computed number; above 100, it is a year.
    pub(super) fn push_number(&mut self, value: Decimal<'_>) -> Result<(), Unreadable> {
        self.push_checked(value.to_int(), value.exceeds(100))
    }

    /// Adds a number, as written, that is the year.
    pub(super) fn year(&mut self, text: &str) -> Result<(), Unreadable> {
        let value = parse_digits(text).ok_or(Unreadable)?;
        self.century |= text.len() > 2;
        set(&mut self.year, &mut self.values, value)
    }

    /// Adds a month given by name.
    pub(super) fn month(&mut self, month: i64) -> Result<(), Unreadable> {
        set(&mut self.month, &mut self.values, i128::from(month))
    }

    fn push_checked(&mut self, value: i128, is_year: bool) -> Result<(), Unreadable> {
        if is_year {
            self.century = true;
            return set(&mut self.year, &mut self.values, value);
        }
        self.values.push(value);
        Ok(())
    }

    fn at(&self, place: Option<usize>) -> Option<i128> {
        place.and_then(|place| self.values.get(place)).copied()
    }

    /// Whether a number may be the day.
    pub(super) fn could_be_day(&self, value: Decimal<'_>) -> bool {
        let most = match (self.at(self.month), self.at(self.year)) {
            (None, _) => MAX_DAY,
            (Some(month), year) => {
                // Without a year, it may be a leap year.
                let year = year.map_or(2000, |year| i64::try_from(year % 400).unwrap_or_default());
                i128::from(days_in_month(year, i64::try_from(month).unwrap_or_default()))
            }
        };
        value.to_int() >= 1 && !value.exceeds(most)
    }

    /// Decides which value is which.
    pub(super) fn resolve(&self) -> Result<YearMonthDay, Unreadable> {
        Ok(match *self.values.as_slice() {
            [] => (None, None, None),
            [_] if self.month.is_some() => (None, self.at(self.month), None),
            [_] if self.year.is_some() => (self.at(self.year), None, None),
            [one] => alone(one, None),
            [_, _] if self.month.is_some() && self.year.is_some() => {
                (self.at(self.year), self.at(self.month), None)
            }
            [one, other] => match self.month {
                Some(0) => alone(other, Some(one)),
                Some(_) => alone(one, Some(other)),
                None if one > MAX_DAY => (Some(one), Some(other), None),
                None if other > MAX_DAY => (Some(other), Some(one), None),
                None => (None, Some(one), Some(other)),
            },
            [one, two, three] => {
                if let (Some(year), Some(month)) = (self.year, self.month) {
                    // The remaining one is the day.
                    let day = (0..3).find(|place| ![year, month].contains(place));
                    return Ok((self.at(self.year), self.at(self.month), self.at(day)));
                }
                let (year, month, day) = match self.month {
                    Some(0) if two > MAX_DAY => (two, one, three),
                    Some(0) => (three, one, two),
                    Some(1) if one > MAX_DAY => (one, two, three),
                    Some(1) => (three, two, one),
                    Some(_) if two > MAX_DAY => (two, three, one),
                    Some(_) => (one, three, two),
                    None if one > MAX_DAY || self.year == Some(0) => (one, two, three),
                    None if one > 12 => (three, two, one),
                    None => (three, one, two),
                };
                (Some(year), Some(month), Some(day))
            }
            _ => return Err(Unreadable),
        })
    }
}

/// A single number is the day, or the year if it is too large.
fn alone(value: i128, month: Option<i128>) -> YearMonthDay {
    if value > MAX_DAY { (Some(value), month, None) } else { (None, month, Some(value)) }
}

/// Adds a value and records its index in `place`, which must be empty.
fn set(place: &mut Option<usize>, values: &mut Vec<i128>, value: i128) -> Result<(), Unreadable> {
    values.push(value);
    match place.replace(values.len() - 1) {
        None => Ok(()),
        Some(_) => Err(Unreadable),
    }
}
