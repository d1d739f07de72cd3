//! Functions of dates and times.
//!
//! The zone of the machine is visible in Python: in `now(null)`, `localtz()`, in `%s`, and in the zone names that
//! are understood. Here it is UTC, as on servers. [`Options::now`](crate::Options::now)
//! sets the clock; without it, `now()` is unknown, and so are dates from texts that leave out
//! fields.

mod calendar;
mod datetime;
mod dateutil;
mod digits;
mod properties;
mod strftime;
mod strptime;
#[cfg(test)]
mod tests;
mod timespan;
mod zone;

use std::cmp::Ordering;
use std::rc::Rc;

use crate::call::Call;
use crate::function::{DefaultValue, Function, Parameter, function, method, param};
use crate::types::Type;
use crate::{Failure, Outcome, Value};
use num_traits::ToPrimitive as _;

use calendar::{DAY, SECOND, date_of};
pub(crate) use datetime::DateTime;
use python_semantics::ExceptionClass;
use python_semantics::number::Integer;
pub(crate) use timespan::TimeSpan;
use zone::Zone;

pub(crate) const FUNCTIONS: &[Function] = &[
    function("datetime", PARTS, of_parts),
    function("datetime", &[param("timestamp", Type::Number), OFFSET], of_timestamp),
    function("datetime", TEXT, of_text),
    function("timespan", UNITS, timespan),
    function("now", &[OFFSET.nullable()], now),
    function("localtz", &[], no_time),
    function("utctz", &[], no_time),
    function("#operator_+", &[param("dt", Type::DateTime), TS], |call| {
        later(call, date(call, 0)?, span(call, 1)?)
    }),
    function("#operator_+", &[TS, param("dt", Type::DateTime)], |call| {
        later(call, date(call, 1)?, span(call, 0)?)
    }),
    function("#operator_-", &[param("dt", Type::DateTime), TS], |call| {
        Ok(date_value(date(call, 0)?.minus(span(call, 1)?)?))
    }),
    function("#operator_-", DATES, |call| {
        Ok(Value::TimeSpan(date(call, 0)?.since(date(call, 1)?)?))
    }),
    function("#operator_+", SPANS, |call| {
        Ok(Value::TimeSpan(span(call, 0)?.plus(span(call, 1)?)?))
    }),
    function("#operator_-", SPANS, |call| {
        Ok(Value::TimeSpan(span(call, 0)?.minus(span(call, 1)?)?))
    }),
    function("#operator_>", DATES, |call| dates(call, Ordering::is_gt)),
    function("#operator_>=", DATES, |call| dates(call, Ordering::is_ge)),
    function("#operator_<", DATES, |call| dates(call, Ordering::is_lt)),
    function("#operator_<=", DATES, |call| dates(call, Ordering::is_le)),
    function("#operator_>", SPANS, |call| spans(call, Ordering::is_gt)),
    function("#operator_>=", SPANS, |call| spans(call, Ordering::is_ge)),
    function("#operator_<", SPANS, |call| spans(call, Ordering::is_lt)),
    function("#operator_<=", SPANS, |call| spans(call, Ordering::is_le)),
    function("#unary_operator_-", &[TS], |call| {
        Ok(Value::TimeSpan(TimeSpan::ZERO.minus(span(call, 0)?)?))
    }),
    function("#unary_operator_+", &[TS], |call| Ok(Value::TimeSpan(span(call, 0)?))),
    function("#operator_*", &[TS, param("n", Type::Number)], |call| {
        Ok(Value::TimeSpan(span(call, 0)?.times(call.run, call.value(1))?))
    }),
    function("#operator_*", &[param("n", Type::Number), TS], |call| {
        Ok(Value::TimeSpan(span(call, 1)?.times(call.run, call.value(0))?))
    }),
    function("#operator_/", SPANS, |call| span(call, 0)?.ratio(span(call, 1)?)),
    function("#operator_/", &[TS, param("n", Type::Number)], |call| {
        Ok(Value::TimeSpan(span(call, 0)?.divide(call.value(1))?))
    }),
    method("replace", REPLACE, replace),
    method("format", FORMAT, format),
    function("isDatetime", &[param("value", Type::Any)], |call| {
        is(call, |value| matches!(value, Value::DateTime(_)))
    }),
    function("isTimespan", &[param("value", Type::Any)], |call| {
        is(call, |value| matches!(value, Value::TimeSpan(_)))
    }),
];

/// The properties of dates and time spans.
pub(crate) const PROPERTIES: &[Function] = properties::FUNCTIONS;

const OFFSET: Parameter = param("offset", Type::TimeSpan).or(DefaultValue::ZeroTimeSpan);
const TS: Parameter = param("ts", Type::TimeSpan);
const DATES: &[Parameter] = &[param("dt1", Type::DateTime), param("dt2", Type::DateTime)];
const SPANS: &[Parameter] = &[param("ts1", Type::TimeSpan), param("ts2", Type::TimeSpan)];
const FORMAT: &[Parameter] = &[param("dt", Type::DateTime), param("format", Type::Text)];
const TEXT: &[Parameter] =
    &[param("string", Type::Text), param("format", Type::Text).nullable().or(DefaultValue::Null)];

const fn or_zero(name: &'static str, kind: Type) -> Parameter {
    param(name, kind).or(DefaultValue::Int(0))
}

const fn or_null(name: &'static str) -> Parameter {
    param(name, Type::Int).nullable().or(DefaultValue::Null)
}

const PARTS: &[Parameter] = &[
    param("year", Type::Int),
    param("month", Type::Int),
    param("day", Type::Int),
    or_zero("hour", Type::Int),
    or_zero("minute", Type::Int),
    or_zero("second", Type::Int),
    or_zero("microsecond", Type::Int),
    OFFSET,
];

const REPLACE: &[Parameter] = &[
    param("dt", Type::DateTime),
    or_null("year"),
    or_null("month"),
    or_null("day"),
    or_null("hour"),
    or_null("minute"),
    or_null("second"),
    or_null("microsecond"),
    param("offset", Type::TimeSpan).nullable().or(DefaultValue::Null),
];

const UNITS: &[Parameter] = &[
    or_zero("days", Type::Int),
    or_zero("hours", Type::Int),
    or_zero("minutes", Type::Int),
    or_zero("seconds", Type::Integer),
    or_zero("milliseconds", Type::Integer),
    or_zero("microseconds", Type::Integer),
];

/// The microseconds of each of [`UNITS`].
const UNIT_MICROSECONDS: [i64; 6] = [DAY, 3600 * SECOND, 60 * SECOND, SECOND, SECOND / 1000, 1];

fn date_value(date: DateTime) -> Value {
    Value::DateTime(Rc::new(date))
}

/// The date of a date parameter.
fn date<'c>(call: &'c Call, at: usize) -> Outcome<&'c Rc<DateTime>> {
    match call.value(at) {
        Value::DateTime(date) => Ok(date),
        other => Err(unexpected(other)),
    }
}

/// The span of a time span parameter.
fn span(call: &Call, at: usize) -> Outcome<TimeSpan> {
    match call.value(at) {
        Value::TimeSpan(span) => Ok(*span),
        other => Err(unexpected(other)),
    }
}

/// The span of a nullable time span parameter.
fn optional_span(call: &Call, at: usize) -> Outcome<Option<TimeSpan>> {
    match call.value(at) {
        Value::Null => Ok(None),
        _ => span(call, at).map(Some),
    }
}

/// The failure for a value that the parameter's type excludes.
fn unexpected(value: &Value) -> Failure {
    match value {
        Value::Opaque(_) => Failure::Unknown,
        _ => Failure::type_error("an argument of another type"),
    }
}

/// The integer of a parameter, clamped to values that are out of range for any field.
fn field(call: &Call, at: usize) -> Outcome<i128> {
    Ok(match call.int(at)? {
        Integer::Small(value) => i128::from(value),
        Integer::Big(value) if value.sign() == num_bigint::Sign::Minus => i128::MIN,
        Integer::Big(_) => i128::MAX,
    })
}

fn of_parts(call: &Call) -> Outcome {
    let zone = Zone::of_offset(span(call, 7)?)?;
    let mut fields = [0; 7];
    for (at, value) in fields.iter_mut().enumerate() {
        *value = field(call, at)?;
    }
    Ok(date_value(DateTime::new(fields, Some(zone))?))
}

fn of_timestamp(call: &Call) -> Outcome {
    let zone = Zone::of_offset(span(call, 1)?)?;
    let (seconds, microseconds) = seconds_of(call.value(0))?;
    Ok(date_value(at_instant(seconds, microseconds, zone)?))
}

/// Whole seconds, and microseconds, which are never negative.
fn seconds_of(timestamp: &Value) -> Outcome<(i64, i64)> {
    let too_large = || {
        Failure::new(ExceptionClass::OverflowError, "timestamp out of range for platform time_t")
    };
    match timestamp {
        Value::Int(Integer::Small(seconds)) => Ok((*seconds, 0)),
        Value::Int(Integer::Big(_)) => Err(too_large()),
        Value::Float(value) if value.is_nan() => {
            Err(Failure::value_error("Invalid value NaN (not a number)"))
        }
        Value::Float(value) => {
            let mut seconds = value.trunc();
            let mut microseconds = (value.fract() * 1e6).round_ties_even();
            if microseconds >= 1e6 {
                (seconds, microseconds) = (seconds + 1.0, microseconds - 1e6);
            } else if microseconds < 0.0 {
                (seconds, microseconds) = (seconds - 1.0, microseconds + 1e6);
            }
            match (seconds.to_i64(), microseconds.to_i64()) {
                (Some(seconds), Some(microseconds)) => Ok((seconds, microseconds)),
                _ => Err(too_large()),
            }
        }
        other => Err(unexpected(other)),
    }
}

/// The local time of a zone at an instant.
fn at_instant(seconds: i64, microseconds: i64, zone: Zone) -> Outcome<DateTime> {
    let (year, ..) = date_of(seconds.div_euclid(calendar::DAY_SECONDS));
    // The C library counts years from 1900 in an `int`, and Python adds 1900 in an `int` again.
    if i32::try_from(year - 1900).is_err() {
        let message = "[Errno 75] Value too large for defined data type";
        return Err(Failure::new(ExceptionClass::OSError, message));
    }
    if !(calendar::FIRST_YEAR..=calendar::LAST_YEAR).contains(&year) {
        let wrapped = if year > i64::from(i32::MAX) { year - (1 << 32) } else { year };
        return Err(Failure::value_error(format!("year {wrapped} is out of range")));
    }
    let clock = i128::from(seconds) * i128::from(SECOND) + i128::from(microseconds);
    let offset = zone.unchecked_offset();
    DateTime::of_clock(clock, Some(zone))?.plus(offset)
}

fn of_text(call: &Call) -> Outcome {
    let text = call.text(0)?;
    call.run.spend(u64::try_from(text.len()).unwrap_or(u64::MAX))?;
    let date = match call.optional_text(1)? {
        Some(format) if !format.is_empty() => strptime::strptime(call.run, text, format)?,
        _ => dateutil::parse_date(text, call.run.options.now)?,
    };
    Ok(Value::DateTime(Rc::new(date).or_utc()))
}

fn timespan(call: &Call) -> Outcome {
    let mut units = Vec::with_capacity(UNIT_MICROSECONDS.len());
    for (at, length) in UNIT_MICROSECONDS.iter().enumerate() {
        units.push((call.int(at)?, *length));
    }
    Ok(Value::TimeSpan(TimeSpan::of_units(&units)?))
}

fn now(call: &Call) -> Outcome {
    let offset = optional_span(call, 0)?;
    let zone = offset.map(Zone::of_offset).transpose()?;
    let now = i128::from(call.run.options.now.ok_or(Failure::Unknown)?);
    let offset = zone.as_ref().map_or(TimeSpan::ZERO, Zone::unchecked_offset);
    Ok(date_value(DateTime::of_clock(now, zone)?.plus(offset)?))
}

fn no_time(_: &Call) -> Outcome {
    Ok(Value::TimeSpan(TimeSpan::ZERO))
}

fn later(_: &Call, date: &DateTime, span: TimeSpan) -> Outcome {
    Ok(date_value(date.plus(span)?))
}

fn dates(call: &Call, holds: fn(Ordering) -> bool) -> Outcome {
    Ok(Value::Bool(holds(date(call, 0)?.compare(date(call, 1)?)?)))
}

fn spans(call: &Call, holds: fn(Ordering) -> bool) -> Outcome {
    Ok(Value::Bool(holds(span(call, 0)?.cmp(&span(call, 1)?))))
}

fn replace(call: &Call) -> Outcome {
    let date = date(call, 0)?;
    let mut fields = date.fields().to_array();
    for (value, at) in fields.iter_mut().zip(1..) {
        if !matches!(call.value(at), Value::Null) {
            *value = field(call, at)?;
        }
    }
    let zone = match optional_span(call, 8)? {
        Some(offset) => Some(Zone::of_offset(offset)?),
        None => date.zone().cloned(),
    };
    Ok(date_value(DateTime::new(fields, zone)?))
}

fn format(call: &Call) -> Outcome {
    let format = call.text(1)?;
    call.run.spend(u64::try_from(format.len()).unwrap_or(u64::MAX))?;
    Ok(Value::text(strftime::format(date(call, 0)?, format)?))
}

fn is(call: &Call, holds: fn(&Value) -> bool) -> Outcome {
    match call.value(0) {
        Value::Opaque(_) => Err(Failure::Unknown),
        value => Ok(Value::Bool(holds(value))),
    }
}
