//! The functions that test whether a collection has an item, a key or a value.

use super::dicts::look_up;
use crate::call::Call;
use crate::compare::contains;
use crate::value::View;
use crate::{Outcome, Value};

/// `value in collection`.
pub(super) fn is_in(call: &Call) -> Outcome {
    contains(call.run, call.value(1), call.value(0)).map(Value::Bool)
}

/// `collection.contains(value)`.
pub(super) fn has(call: &Call) -> Outcome {
    contains(call.run, call.value(0), call.value(1)).map(Value::Bool)
}

pub(super) fn contains_key(call: &Call) -> Outcome {
    Ok(Value::Bool(look_up(call.dict(0)?, call.value(1))?.is_some()))
}

pub(super) fn contains_value(call: &Call) -> Outcome {
    let values = Value::View(View::Values, call.dict(0)?.clone());
    contains(call.run, &values, call.value(1)).map(Value::Bool)
}
