//! Python's `timedelta`.

use std::fmt::Write as _;

use num_bigint::BigInt;
use num_traits::ToPrimitive as _;

use super::calendar::{DAY, DAY_SECONDS, SECOND};
use crate::call::Run;
use crate::{Failure, Outcome, Value, number};
use python_semantics::ExceptionClass;
use python_semantics::number::Integer;

/// Python's `timedelta`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct TimeSpan {
    /// The length in microseconds.
    pub(crate) microseconds: i128,
}

/// Maximum number of days, positive or negative.
const MAX_DAYS: i128 = 999_999_999;

impl TimeSpan {
    pub(crate) const ZERO: TimeSpan = TimeSpan { microseconds: 0 };

    /// A span in microseconds.
    ///
    /// # Errors
    ///
    /// `OverflowError` for too many days.
    pub(crate) fn of(microseconds: i128) -> Outcome<Self> {
        let days = microseconds.div_euclid(i128::from(DAY));
        if i32::try_from(days).is_err() {
            return Err(too_large());
        }
        if days.abs() > MAX_DAYS {
            let message = format!("days={days}; must have magnitude <= {MAX_DAYS}");
            return Err(Failure::new(ExceptionClass::OverflowError, message));
        }
        Ok(TimeSpan { microseconds })
    }

    /// `timedelta(microseconds=…)` for an integer of any size.
    pub(super) fn of_big(microseconds: &BigInt) -> Outcome<Self> {
        microseconds.to_i128().map_or_else(|| Err(too_large()), TimeSpan::of)
    }

    /// `timedelta(microseconds=…)` for a floating point number.
    pub(super) fn of_float(microseconds: f64) -> Outcome<Self> {
        let value = microseconds.round_ties_even();
        if value.is_nan() {
            return Err(Failure::value_error("cannot convert float NaN to integer"));
        }
        if value.is_infinite() {
            let message = "cannot convert float infinity to integer";
            return Err(Failure::new(ExceptionClass::OverflowError, message));
        }
        value.to_i128().map_or_else(|| Err(too_large()), TimeSpan::of)
    }

    /// `timedelta(seconds=…)` for a floating point number.
    pub(super) fn of_seconds(seconds: f64) -> Outcome<Self> {
        let whole = seconds.trunc().to_i128().ok_or_else(too_large)?;
        // Python rounds only the part below the microsecond.
        let part = seconds.fract() * 1e6;
        let below = part.trunc() + part.fract().round_ties_even();
        TimeSpan::of(whole * i128::from(SECOND) + below.to_i128().unwrap_or_default())
    }

    /// The sum of numbers of units, each with its length in microseconds.
    pub(super) fn of_units(units: &[(Integer, i64)]) -> Outcome<Self> {
        let mut total = 0_i128;
        for (count, unit) in units {
            let Integer::Small(count) = count else {
                let terms = units.iter().map(|(count, unit)| match count {
                    Integer::Small(count) => BigInt::from(*count) * unit,
                    Integer::Big(count) => count.as_ref() * unit,
                });
                return TimeSpan::of_big(&terms.sum());
            };
            total += i128::from(*count) * i128::from(*unit);
        }
        TimeSpan::of(total)
    }

    /// Days, seconds of the day and microseconds of the second; the last two are never negative.
    /// Python hashes this tuple.
    pub(crate) fn parts(self) -> (i64, i64, i64) {
        let day = i128::from(DAY);
        let days = i64::try_from(self.microseconds.div_euclid(day)).unwrap_or_default();
        let rest = i64::try_from(self.microseconds.rem_euclid(day)).unwrap_or_default();
        (days, rest / SECOND, rest % SECOND)
    }

    /// The microseconds as a value.
    pub(super) fn to_value(self) -> Value {
        Value::Int(number::of_i128(self.microseconds))
    }

    /// The length in units of `unit` microseconds, divided as floating point
    /// numbers.
    pub(super) fn in_units(self, unit: f64) -> f64 {
        self.to_float() / unit
    }

    /// The microseconds as a floating point number.
    pub(super) fn to_float(self) -> f64 {
        self.microseconds.to_f64().unwrap_or_default()
    }

    /// `total_seconds()`, with a single rounding.
    pub(super) fn total_seconds(self) -> Outcome {
        number::true_div(&self.to_value(), &Value::int(SECOND))
    }

    /// The sum of two spans.
    pub(super) fn plus(self, other: TimeSpan) -> Outcome<Self> {
        TimeSpan::of(self.microseconds + other.microseconds)
    }

    /// The difference of two spans.
    pub(super) fn minus(self, other: TimeSpan) -> Outcome<Self> {
        TimeSpan::of(self.microseconds - other.microseconds)
    }

    /// The product of the span and a number.
    pub(super) fn times(self, run: &Run, times: &Value) -> Outcome<Self> {
        match times {
            // A product with such a number is never in range.
            Value::Int(Integer::Big(times)) if times.bits() > 128 => match self {
                TimeSpan::ZERO => Ok(TimeSpan::ZERO),
                _ => Err(too_large()),
            },
            times => TimeSpan::of_number(&number::mul(run, &self.to_value(), times)?),
        }
    }

    /// The span divided by a number.
    pub(super) fn divide(self, parts: &Value) -> Outcome<Self> {
        TimeSpan::of_number(&number::true_div(&self.to_value(), parts)?)
    }

    /// The quotient of two spans, computed with floating point numbers.
    pub(super) fn ratio(self, other: TimeSpan) -> Outcome {
        number::true_div(&Value::Float(self.to_float()), &other.to_value())
    }

    /// `timedelta(microseconds=…)` for a computed number.
    fn of_number(microseconds: &Value) -> Outcome<Self> {
        match microseconds {
            Value::Int(Integer::Small(value)) => TimeSpan::of(i128::from(*value)),
            Value::Int(Integer::Big(value)) => TimeSpan::of_big(value),
            Value::Float(value) => TimeSpan::of_float(*value),
            _ => Err(Failure::Unknown),
        }
    }

    /// Its `str()` in Python.
    pub(crate) fn str(self) -> String {
        let (days, seconds, microseconds) = self.parts();
        let mut text = String::new();
        if days != 0 {
            let plural = if days.abs() == 1 { "" } else { "s" };
            let _ = write!(text, "{days} day{plural}, ");
        }
        let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
        let _ = write!(text, "{hours}:{minutes:02}:{seconds:02}");
        if microseconds != 0 {
            let _ = write!(text, ".{microseconds:06}");
        }
        text
    }

    /// Its `repr()` in Python.
    pub(crate) fn repr(self) -> String {
        let (days, seconds, microseconds) = self.parts();
        let parts = [("days", days), ("seconds", seconds), ("microseconds", microseconds)];
        let named = parts.iter().filter(|(_, value)| *value != 0);
        let named: Vec<_> = named.map(|(name, value)| format!("{name}={value}")).collect();
        let inner = if named.is_empty() { "0".to_owned() } else { named.join(", ") };
        format!("datetime.timedelta({inner})")
    }

    /// The sign, and hours, minutes, seconds and microseconds of the absolute value, as offsets are
    /// written.
    pub(super) fn clock(self) -> (char, [i128; 4]) {
        let sign = if self.microseconds < 0 { '-' } else { '+' };
        let all = self.microseconds.abs();
        let (seconds, microseconds) = (all / i128::from(SECOND), all % i128::from(SECOND));
        (sign, [seconds / 3600, seconds / 60 % 60, seconds % 60, microseconds])
    }

    /// The length in whole seconds, rounded down.
    pub(super) fn whole_seconds(self) -> i128 {
        self.microseconds / i128::from(SECOND)
    }

    /// Whether the absolute value is less than a day, as required for offsets.
    pub(super) fn is_within_a_day(self) -> bool {
        self.microseconds.abs() < i128::from(DAY_SECONDS) * i128::from(SECOND)
    }
}

fn too_large() -> Failure {
    Failure::new(ExceptionClass::OverflowError, "Python int too large to convert to C int")
}
