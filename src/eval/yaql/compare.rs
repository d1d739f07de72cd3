//! Truth, equality and order of values, as Python has them.

use super::{Failure, Outcome, Value};

/// `bool(value)`.
pub(crate) fn truth(value: &Value) -> Outcome<bool> {
    Ok(match value {
        Value::Opaque(_) => return Err(Failure::Unknown),
        Value::Null => false,
        Value::Bool(value) => *value,
        Value::Int(value) => *value != crate::source::Integer::Small(0),
        Value::Float(value) => *value != 0.0,
        Value::Text(text) => !text.is_empty(),
        Value::Tuple(items) | Value::List(items) => !items.is_empty(),
        Value::Dict(dict) | Value::View(_, dict) => !dict.pairs.is_empty(),
        Value::Set(set) => set.len() > 0,
        _ => true,
    })
}

/// `one == other`.
pub(crate) fn equal(one: &Value, other: &Value) -> Outcome<bool> {
    Ok(match (one, other) {
        (Value::Opaque(_), _) | (_, Value::Opaque(_)) => return Err(Failure::Unknown),
        (Value::Text(one), Value::Text(other)) => one == other,
        (Value::Int(one), Value::Int(other)) => one == other,
        _ => one.is(other),
    })
}
