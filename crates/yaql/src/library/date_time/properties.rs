//! The properties of dates and time spans.

use super::datetime::Fields;
use super::{TimeSpan, date, date_value, span};
use crate::call::Call;
use crate::function::{Function, Parameter, function, param};
use crate::types::Type;
use crate::{Outcome, Value};

pub(super) const FUNCTIONS: &[Function] = &[
    function("#property#microseconds", SPAN, |call| Ok(span(call, 0)?.to_value())),
    function("#property#milliseconds", SPAN, |call| units(call, 1e3)),
    function("#property#seconds", SPAN, |call| units(call, 1e6)),
    function("#property#minutes", SPAN, |call| units(call, 6e7)),
    function("#property#hours", SPAN, |call| units(call, 3.6e9)),
    function("#property#days", SPAN, |call| units(call, 8.64e10)),
    function("#property#year", DATE, |call| field(call, |fields| fields.year)),
    function("#property#month", DATE, |call| field(call, |fields| fields.month)),
    function("#property#day", DATE, |call| field(call, |fields| fields.day)),
    function("#property#hour", DATE, |call| field(call, |fields| fields.hour)),
    function("#property#minute", DATE, |call| field(call, |fields| fields.minute)),
    function("#property#second", DATE, |call| field(call, |fields| fields.second)),
    function("#property#microsecond", DATE, |call| field(call, |fields| fields.microsecond)),
    function("#property#weekday", DATE, |call| Ok(Value::int(date(call, 0)?.weekday()))),
    function("#property#date", IN_ZONE, |call| Ok(date_value(date(call, 0)?.date()))),
    function("#property#time", IN_ZONE, |call| Ok(Value::TimeSpan(date(call, 0)?.time()))),
    function("#property#utc", IN_ZONE, |call| Ok(date_value(date(call, 0)?.utc()?))),
    function("#property#offset", DATE, |call| {
        Ok(Value::TimeSpan(date(call, 0)?.offset()?.unwrap_or(TimeSpan::ZERO)))
    }),
    function("#property#timestamp", DATE, |call| date(call, 0)?.timestamp()),
];

const SPAN: &[Parameter] = &[param("obj", Type::TimeSpan)];
const DATE: &[Parameter] = &[param("obj", Type::PlainDateTime)];
/// A date without a zone is in UTC.
const IN_ZONE: &[Parameter] = &[param("obj", Type::DateTime)];

fn units(call: &Call, unit: f64) -> Outcome {
    Ok(Value::Float(span(call, 0)?.in_units(unit)))
}

fn field(call: &Call, get: fn(Fields) -> i64) -> Outcome {
    Ok(Value::int(get(date(call, 0)?.fields())))
}
