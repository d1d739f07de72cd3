//! Interprets the tokens of a text one after the other.

use python_semantics::ExceptionClass;
use smol_str::SmolStr;

use super::decimal::{Decimal, PrecisionExceeded};
use super::words::{self, Unit};
use super::ymd::Ymd;
use super::{PartialDate, ReadError, Unreadable, full_year};
use crate::Failure;
use crate::library::date_time::digits::parse_digits;

type ScanResult = Result<(), ReadError>;

impl From<PrecisionExceeded> for ReadError {
    fn from(_: PrecisionExceeded) -> Self {
        let message = "[<class 'decimal.DivisionImpossible'>]";
        ReadError::Failed(Failure::new(ExceptionClass::InvalidOperation, message))
    }
}

/// The state of interpreting tokens.
#[derive(Debug)]
pub(super) struct Scanner<'t> {
    tokens: &'t [String],
    /// The index of the current token.
    at: usize,
    /// The index of a sign whose meaning is reversed.
    reversed_sign: Option<usize>,
    ymd: Ymd,
    found_date: PartialDate,
    /// The current year; `None` if it is unknown.
    year: Option<i128>,
}

/// The fields in a list of tokens; `year` is the current year, if it is known.
pub(super) fn scan(tokens: &[String], year: Option<i128>) -> Result<PartialDate, ReadError> {
    let (ymd, found) = (Ymd::default(), PartialDate::default());
    let mut scanner = Scanner { tokens, at: 0, reversed_sign: None, ymd, found_date: found, year };
    while let Some(token) = scanner.token(0) {
        scanner.scan_token(token)?;
        scanner.at += 1;
    }
    let Scanner { ymd, found_date: mut found, .. } = scanner;
    (found.year, found.month, found.day) = ymd.resolve()?;
    found.has_century = ymd.century;
    Ok(found)
}

impl<'t> Scanner<'t> {
    /// The token at a distance from the current one.
    fn token(&self, further: usize) -> Option<&'t str> {
        self.tokens.get(self.at + further).map(String::as_str)
    }

    /// The same; fails if there is none.
    fn wanted(&self, further: usize) -> Result<&'t str, Unreadable> {
        self.token(further).ok_or(Unreadable)
    }

    fn token_before(&self, back: usize) -> Option<&'t str> {
        self.tokens.get(self.at.checked_sub(back)?).map(String::as_str)
    }

    fn is(&self, further: usize, wanted: &str) -> bool {
        self.token(further) == Some(wanted)
    }

    /// Interprets a token with those that belong to it; the position is then that of the last one.
    fn scan_token(&mut self, token: &'t str) -> ScanResult {
        if let Some(value) = Decimal::of(token) {
            return self.number(token, value);
        }
        if words::is_float_word(token) {
            return Err(Unreadable.into());
        }
        if let Some(weekday) = words::weekday(token) {
            self.found_date.weekday = Some(weekday);
            return Ok(());
        }
        if let Some(month) = words::month(token) {
            self.ymd.month(month)?;
            return self.after_month();
        }
        if let Some(half) = words::half_day(token) {
            let hour =
                self.found_date.hour.filter(|hour| (0..=12).contains(hour)).ok_or(Unreadable)?;
            self.found_date.hour = Some(half.hour(hour));
            self.found_date.has_half_day = true;
            return Ok(());
        }
        if self.could_be_zone(token) && self.found_date.offset.is_none() {
            self.zone_name(token);
            return Ok(());
        }
        if self.found_date.hour.is_some() && (token == "+" || token == "-") {
            return self.offset(token);
        }
        if words::is_jump(token) { Ok(()) } else { Err(Unreadable.into()) }
    }

    /// Interprets `Jan-01`, `Jan-01-99`, `Jan of 01` after the month.
    fn after_month(&mut self) -> ScanResult {
        match self.token(1) {
            Some(separator @ ("-" | "/")) => {
                self.ymd.push_text(self.wanted(2)?)?;
                if self.is(3, separator) {
                    self.ymd.push_text(self.wanted(4)?)?;
                    self.at += 2;
                }
                self.at += 2;
            }
            Some(" ") if self.is(3, " ") && self.token(2).is_some_and(words::is_of) => {
                let Some(year) = self.token(4) else { return Ok(()) };
                if let Some(value) = parse_digits(year) {
                    let value = full_year(value, self.year)?;
                    self.ymd.year(&value.to_string())?;
                } else if !year.is_ascii() {
                    // It is skipped whatever it is, but where it ends depends on the Unicode version.
                    return Err(ReadError::Failed(Failure::Unknown));
                }
                self.at += 4;
            }
            _ => {}
        }
        Ok(())
    }

    /// Whether a word may be the name of the time's zone.
    fn could_be_zone(&self, token: &str) -> bool {
        self.found_date.hour.is_some() && self.found_date.zone.is_none() && words::is_zone(token)
    }

    fn zone_name(&mut self, token: &str) {
        self.found_date.zone = Some(SmolStr::new(token));
        self.found_date.offset = (token == "z").then_some(0);
        if self.is(1, "+") || self.is(1, "-") {
            // `GMT+3` is the zone in which adding three hours gives GMT.
            self.reversed_sign = Some(self.at + 1);
            self.found_date.offset = None;
            if words::is_utc(token) {
                self.found_date.zone = None;
            }
        }
    }

    /// Interprets `+03`, `+0300`, `+03:00`, with an optional zone name in parentheses.
    fn offset(&mut self, sign: &str) -> ScanResult {
        let negative = (sign == "-") != (self.reversed_sign == Some(self.at));
        let digits = self.wanted(1)?;
        let number = |text: &str| parse_digits(text).ok_or(Unreadable);
        let (hours, minutes) = match (digits.chars().count(), digits.split_at_checked(2)) {
            (4, Some((hours, minutes))) => (number(hours)?, number(minutes)?),
            (4, None) => return Err(Unreadable.into()),
            _ if self.is(2, ":") => {
                let found = (number(digits)?, number(self.wanted(3)?)?);
                self.at += 2;
                found
            }
            (1 | 2, _) => (number(digits)?, 0),
            _ => return Err(Unreadable.into()),
        };
        let seconds = hours.saturating_mul(3600).saturating_add(minutes.saturating_mul(60));
        self.found_date.offset = Some(if negative { -seconds } else { seconds });
        if self.is(3, "(")
            && self.is(5, ")")
            && self.token(2).is_some_and(words::is_jump)
            && let Some(name) = self.token(4)
            && name.len() >= 3
            && self.could_be_zone(name)
        {
            self.found_date.zone = Some(SmolStr::new(name));
            self.at += 4;
        }
        self.at += 1;
        Ok(())
    }

    /// Interprets a number as part of a date or of a time.
    fn number(&mut self, text: &'t str, value: Decimal<'t>) -> ScanResult {
        let next = self.token(1);
        let digits = |range: std::ops::Range<usize>| text.get(range).unwrap_or_default();
        let number = |text: &str| parse_digits(text).ok_or(Unreadable);
        match text.len() {
            2 | 4
                if self.ymd.len() == 3
                    && self.found_date.hour.is_none()
                    && next.is_none_or(|next| next != ":" && words::unit(next).is_none()) =>
            {
                // The time in `19990101T2359`.
                self.found_date.hour = Some(number(digits(0..2))?);
                if text.len() == 4 {
                    self.found_date.minute = Some(number(digits(2..4))?);
                }
                return Ok(());
            }
            length if length == 6 || (length > 6 && text.find('.') == Some(6)) => {
                if self.ymd.len() == 0 && !text.contains('.') {
                    for range in [0..2, 2..4, 4..6] {
                        self.ymd.push_text(digits(range))?;
                    }
                } else {
                    self.found_date.hour = Some(number(digits(0..2))?);
                    self.found_date.minute = Some(number(digits(2..4))?);
                    self.seconds(digits(4..length))?;
                }
                return Ok(());
            }
            length @ (8 | 12 | 14) => {
                self.ymd.year(digits(0..4))?;
                self.ymd.push_text(digits(4..6))?;
                self.ymd.push_text(digits(6..8))?;
                if length > 8 {
                    self.found_date.hour = Some(number(digits(8..10))?);
                    self.found_date.minute = Some(number(digits(10..12))?);
                }
                if length > 12 {
                    self.found_date.second = Some(number(digits(12..14))?);
                }
                return Ok(());
            }
            _ => {}
        }
        if let Some(unit) = self.unit() {
            return self.with_unit(text, value, unit);
        }
        match next {
            Some(":") if self.token(2).is_some() => self.clock(value),
            Some(separator @ ("-" | "/" | ".")) => self.date(text, separator),
            None => Ok(self.ymd.push_number(value)?),
            Some(word) if words::is_jump(word) => {
                if let Some(half) = self.token(2).and_then(words::half_day) {
                    self.found_date.hour = Some(half.hour(value.to_int()));
                    self.at += 1;
                } else {
                    self.ymd.push_number(value)?;
                }
                self.at += 1;
                Ok(())
            }
            Some(word) => match words::half_day(word) {
                Some(half) if value.to_int() < 24 => {
                    self.found_date.hour = Some(half.hour(value.to_int()));
                    self.at += 1;
                    Ok(())
                }
                _ if self.ymd.could_be_day(value) => Ok(self.ymd.push_number(value)?),
                _ => Err(Unreadable.into()),
            },
        }
    }

    /// The unit of a number and the distance of its token; for a number without one, the unit that follows the
    /// previous number's, if that is not seconds.
    fn unit(&self) -> Option<(Option<Unit>, usize)> {
        if let Some(unit) = self.token(1).and_then(words::unit) {
            return Some((Some(unit), 1));
        }
        if self.is(1, " ")
            && let Some(unit) = self.token(2).and_then(words::unit)
        {
            return Some((Some(unit), 2));
        }
        let last = self.token(1).is_none();
        let before = self.token_before(1).and_then(words::unit).or_else(|| {
            let spaced = last && self.token_before(1) == Some(" ");
            self.token_before(2).filter(|_| spaced).and_then(words::unit)
        })?;
        let unit = match before {
            Unit::Hour => Some(Unit::Minute),
            Unit::Minute => Some(Unit::Second),
            Unit::Second => None,
        };
        Some((unit, 0))
    }

    fn with_unit(
        &mut self,
        text: &str,
        value: Decimal<'_>,
        (unit, further): (Option<Unit>, usize),
    ) -> ScanResult {
        self.at += further;
        match unit {
            Some(Unit::Hour) => {
                self.found_date.hour = Some(value.to_int());
                if let Some(minute) = value.sixtieths()? {
                    self.found_date.minute = Some(minute);
                }
            }
            Some(Unit::Minute) => self.minutes(value)?,
            Some(Unit::Second) => self.seconds(text)?,
            None => {}
        }
        Ok(())
    }

    /// Sets minutes, and seconds from their fraction.
    fn minutes(&mut self, value: Decimal<'_>) -> ScanResult {
        let second = value.sixtieths()?;
        (self.found_date.minute, self.found_date.second) = (Some(value.to_int()), second);
        Ok(())
    }

    /// Sets seconds and microseconds.
    fn seconds(&mut self, text: &str) -> ScanResult {
        let (seconds, fraction) = text.split_once('.').unwrap_or((text, "0"));
        let seconds = parse_digits(seconds).ok_or(Unreadable)?;
        let fraction = fraction.get(..6).unwrap_or(fraction);
        let microseconds = parse_digits(&format!("{fraction:0<6}")).ok_or(Unreadable)?;
        (self.found_date.second, self.found_date.microsecond) = (Some(seconds), Some(microseconds));
        Ok(())
    }

    /// Interprets `10:20` and `10:20:30.5`.
    fn clock(&mut self, hour: Decimal<'_>) -> ScanResult {
        self.found_date.hour = Some(hour.to_int());
        self.minutes(Decimal::of(self.wanted(2)?).ok_or(Unreadable)?)?;
        if self.is(3, ":")
            && let Some(seconds) = self.token(4)
        {
            self.seconds(seconds)?;
            self.at += 2;
        }
        self.at += 2;
        Ok(())
    }

    /// Interprets `01-01`, `01-Jan` and `01-01-99`.
    fn date(&mut self, text: &str, separator: &str) -> ScanResult {
        self.ymd.push_text(text)?;
        if let Some(second) = self.token(2).filter(|second| !words::is_jump(second)) {
            self.part_of_date(second)?;
            if self.is(3, separator) {
                self.part_of_date(self.wanted(4)?)?;
                self.at += 2;
            }
            self.at += 1;
        }
        self.at += 1;
        Ok(())
    }

    fn part_of_date(&mut self, text: &str) -> ScanResult {
        match words::month(text) {
            Some(month) => self.ymd.month(month)?,
            None => self.ymd.push_text(text)?,
        }
        Ok(())
    }
}
