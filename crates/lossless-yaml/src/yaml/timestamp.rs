//! Dates and times as PyYAML recognizes them.
//!
//! Heat's rule: `docs/heat.md#dates-are-strings`.

/// A date, perhaps with a time, as it is written.
pub(super) struct Timestamp {
    year: u32,
    month: u32,
    day: u32,
    /// Hour, minute, second.
    time: Option<[u32; 3]>,
    /// Hours and minutes from UTC.
    zone: Option<[u32; 2]>,
}

impl Timestamp {
    /// Parses `2013-5-23` or `2013-5-23 1:02:03.4 +5:30`, even if the day does not exist.
    pub(super) fn parse(text: &[u8]) -> Option<Timestamp> {
        let mut rest = TimestampReader(text);
        let year = rest.digits(4, 4)?;
        rest.byte(b"-")?;
        let month = rest.digits(1, 2)?;
        rest.byte(b"-")?;
        let day = rest.digits(1, 2)?;
        let mut timestamp = Timestamp { year, month, day, time: None, zone: None };
        if rest.0.is_empty() {
            return Some(timestamp);
        }
        rest.byte(b"Tt").or_else(|| rest.blanks())?;
        let hour = rest.digits(1, 2)?;
        rest.byte(b":")?;
        let minute = rest.digits(2, 2)?;
        rest.byte(b":")?;
        timestamp.time = Some([hour, minute, rest.digits(2, 2)?]);
        if rest.byte(b".").is_some() {
            while rest.digits(1, 1).is_some() {}
        }
        if rest.0.is_empty() {
            return Some(timestamp);
        }
        rest.blanks();
        if rest.byte(b"Z").is_none() {
            rest.byte(b"+-")?;
            let hours = rest.digits(1, 2)?;
            let minutes = rest.byte(b":").map_or(Some(0), |()| rest.digits(2, 2))?;
            timestamp.zone = Some([hours, minutes]);
        }
        rest.0.is_empty().then_some(timestamp)
    }

    /// True if PyYAML resolves the plain scalar `text` to a timestamp. Without a time, month and day
    /// need two digits.
    pub(super) fn is_plain(text: &[u8]) -> bool {
        Timestamp::parse(text).is_some_and(|found| found.time.is_some() || text.len() == 10)
    }

    /// True if Python accepts it as a date.
    pub(super) fn exists(&self) -> bool {
        let divides = |number: u32| self.year.is_multiple_of(number);
        let is_leap = divides(4) && (!divides(100) || divides(400));
        let days = match self.month {
            1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
            4 | 6 | 9 | 11 => 30,
            2 if is_leap => 29,
            2 => 28,
            _ => 0,
        };
        self.year > 0
            && (1..=days).contains(&self.day)
            && self
                .time
                .is_none_or(|[hour, minute, second]| hour < 24 && minute < 60 && second < 60)
            && self.zone.is_none_or(|[hours, minutes]| hours * 60 + minutes < 24 * 60)
    }
}

/// The part of a text that is not matched yet.
struct TimestampReader<'t>(&'t [u8]);

impl TimestampReader<'_> {
    /// Takes as many digits as there are, up to `most`; fails below `least`.
    fn digits(&mut self, least: usize, most: usize) -> Option<u32> {
        let count = self.0.iter().take(most).take_while(|byte| byte.is_ascii_digit()).count();
        let (digits, rest) = self.0.split_at(count);
        self.0 = rest;
        let value = digits.iter().fold(0, |value, digit| value * 10 + u32::from(digit - b'0'));
        (count >= least).then_some(value)
    }

    /// Takes one byte if it is one of `any`.
    fn byte(&mut self, any: &[u8]) -> Option<()> {
        let (first, rest) = self.0.split_first()?;
        any.contains(first).then(|| self.0 = rest)
    }

    /// Takes blanks and tabs; fails if there are none.
    fn blanks(&mut self) -> Option<()> {
        let count = self.0.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        self.0 = &self.0[count..];
        (count > 0).then_some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_timestamps_are_told_apart_from_text() {
        let timestamps = [
            "2013-05-23",
            "2013-5-2 1:02:03",
            "2001-12-14t21:59:43.10-05:00",
            "2001-12-14 21:59:43Z",
            "2001-12-14T1:59:43.",
            "2001-12-14 \t 21:59:43 +1",
            "2001-12-14 21:59:43.5 Z",
            "2001-99-99",
        ];
        for text in timestamps {
            assert!(Timestamp::is_plain(text.as_bytes()), "{text}");
        }
        let others = [
            "",
            "2013-5-23",
            "2013-05-2",
            "213-05-23",
            "2013-05-23 ",
            "2013-05-23T",
            "2013-05-23 1:2:3",
            "2013-05-23 01:02",
            "2013-05-23 01:02:03z",
            "2013-05-23 01:02:03 +",
            "2013-05-23 01:02:03+1:2",
            "2013-05-231",
            "2013-05-23 01:02:03 Zx",
        ];
        for text in others {
            assert!(!Timestamp::is_plain(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn only_some_timestamps_are_dates() {
        let exists = |text: &str| Timestamp::parse(text.as_bytes()).map(|found| found.exists());
        for text in ["2000-2-29", "2024-02-29", "2023-12-31 23:59:59 +23:59", "0001-01-01"] {
            assert_eq!(exists(text), Some(true), "{text}");
        }
        let none = [
            "1900-02-29",
            "2023-02-29",
            "2023-13-01",
            "2023-00-01",
            "2023-04-31",
            "2023-01-00",
            "0000-01-01",
            "2023-01-01 24:00:00",
            "2023-01-01 00:60:00",
            "2023-01-01 00:00:60",
            "2023-01-01 00:00:00 +24",
        ];
        for text in none {
            assert_eq!(exists(text), Some(false), "{text}");
        }
        assert_eq!(exists("yesterday"), None);
    }
}
