//! Truth, equality and membership as in Python.
//!
//! yaql orders only numbers, texts, sets and dates, each in its own module.

mod set_like;

#[cfg(test)]
mod tests;

use std::cmp::Ordering;

use python_semantics::ExceptionClass;

use super::call::Run;
use super::value::{Dict, View};
use super::{Failure, Outcome, Value, budget, depth as deep, hash, number, text};
use set_like::{SetLike, equal_set_likes, in_items, in_keys, in_set};

/// `bool(value)`.
///
/// # Errors
///
/// If the value is unknown.
pub(crate) fn truth(value: &Value) -> Outcome<bool> {
    Ok(match value {
        Value::Opaque(_) => return Err(Failure::Unknown),
        Value::Null => false,
        Value::Bool(value) => *value,
        Value::Int(value) => *value != python_semantics::number::Integer::Small(0),
        Value::Float(value) => *value != 0.0,
        Value::Text(text) => !text.is_empty(),
        Value::Tuple(items) | Value::List(items) => !items.is_empty(),
        Value::Dict(dict) | Value::View(_, dict) => !dict.pairs.is_empty(),
        Value::Set(set) => set.len() > 0,
        Value::TimeSpan(span) => span.microseconds != 0,
        Value::Missing
        | Value::Lazy(_)
        | Value::Ordering(_)
        | Value::DateTime(_)
        | Value::Pattern(_)
        | Value::Context(_)
        | Value::Lambda(_)
        | Value::Rule(_)
        | Value::LazyRule(_)
        | Value::Expression(_) => true,
    })
}

// --- equality -------------------------------------------------------------------------------------

/// `one == other`.
///
/// # Errors
///
/// If a value is unknown, nested too deeply, or has no hash where a view looks it up in a set.
pub(crate) fn equal(one: &Value, other: &Value) -> Outcome<bool> {
    equal_at(one, other, 0)
}

/// Equality of items in a collection: an object always equals itself, even NaN.
///
/// # Errors
///
/// The same as for [`equal`].
pub(crate) fn same(one: &Value, other: &Value) -> Outcome<bool> {
    same_at(one, other, 0)
}

/// Like [`same`], at a nesting depth.
pub(super) fn same_at(one: &Value, other: &Value, depth: usize) -> Outcome<bool> {
    match (one, other) {
        (Value::Float(one), Value::Float(other)) => {
            Ok(one == other || one.to_bits() == other.to_bits())
        }
        _ if one.is(other) => Ok(true),
        _ => equal_at(one, other, depth),
    }
}

fn equal_at(one: &Value, other: &Value, depth: usize) -> Outcome<bool> {
    budget::spend(1)?;
    Ok(match (one, other) {
        (Value::Opaque(one), Value::Opaque(other)) if one == other => true,
        (Value::Opaque(_), _) | (_, Value::Opaque(_)) => return Err(Failure::Unknown),
        (Value::Text(one), Value::Text(other)) => one == other,
        (Value::Tuple(one), Value::Tuple(other)) | (Value::List(one), Value::List(other)) => {
            let depth = deeper(depth)?;
            let pairs = || one.iter().zip(other.iter());
            one.len() == other.len() && all(pairs().map(|(one, other)| same_at(one, other, depth)))?
        }
        (Value::Dict(one), Value::Dict(other)) => equal_dicts(one, other, deeper(depth)?)?,
        (Value::Set(one), Value::Set(other)) => {
            hash::with_compare_depth(deeper(depth)?, || one.same_members(other))
        }
        (Value::Set(_) | Value::View(View::Keys | View::Items, _), _)
            if SetLike::of(one).is_some() && SetLike::of(other).is_some() =>
        {
            let depth = deeper(depth)?;
            hash::with_compare_depth(depth, || equal_set_likes(one, other, depth))?
        }
        // Each is a separate object; whether they are the same one is not recorded.
        (Value::View(View::Values, one), Value::View(View::Values, other)) => {
            if std::rc::Rc::ptr_eq(one, other) {
                return Err(Failure::Unknown);
            }
            false
        }
        (Value::DateTime(one), Value::DateTime(other)) => one.equals(other)?,
        (Value::Pattern(one), Value::Pattern(other)) => one == other,
        (Value::TimeSpan(one), Value::TimeSpan(other)) => one.microseconds == other.microseconds,
        _ => match number::compare(one, other) {
            Some(order) => order == Some(Ordering::Equal),
            None => one.is(other),
        },
    })
}

/// The next nesting depth, if it is not too deep.
fn deeper(depth: usize) -> Outcome<usize> {
    if deep::exceeds(depth + 1) {
        let message = "maximum recursion depth exceeded in comparison";
        return Err(Failure::new(ExceptionClass::RecursionError, message));
    }
    Ok(depth + 1)
}

/// Whether all are true. A single false one decides, even if others are unknown.
fn all(each: impl Iterator<Item = Outcome<bool>>) -> Outcome<bool> {
    let mut unknown = false;
    for one in each {
        match one {
            Ok(true) => {}
            Ok(false) => return Ok(false),
            Err(Failure::Unknown) => unknown = true,
            Err(failure) => return Err(failure),
        }
    }
    if unknown { Err(Failure::Unknown) } else { Ok(true) }
}

fn equal_dicts(one: &Dict, other: &Dict, depth: usize) -> Outcome<bool> {
    if one.pairs.len() != other.pairs.len() {
        return Ok(false);
    }
    all(one.pairs.iter().map(|(key, value)| {
        match hash::with_compare_depth(depth, || other.pairs.get(key)) {
            Some(found) => same_at(value, found, depth),
            None => Ok(false),
        }
    }))
}

/// `value in collection`.
///
/// # Errors
///
/// `TypeError` if it is not a collection or the value has no hash; whatever an iterator raises.
pub(crate) fn contains(run: &Run, collection: &Value, value: &Value) -> Outcome<bool> {
    match collection {
        Value::Tuple(items) | Value::List(items) => any(items.iter(), value),
        Value::Set(set) => in_set(set, value),
        Value::Dict(dict) | Value::View(View::Keys, dict) => in_keys(dict, value),
        Value::View(View::Items, dict) => match value {
            // Unpacking takes items from an iterator, one more than needed.
            Value::Lazy(_) | Value::Ordering(_) | Value::Context(_) if dict.frozen => {
                let (items, mut taken) = (value.iter(run)?, Vec::with_capacity(3));
                while taken.len() < 3
                    && let Some(item) = items.next(run)?
                {
                    taken.push(item);
                }
                in_items(dict, &Value::tuple(taken), 0)
            }
            value => in_items(dict, value, 0),
        },
        Value::View(View::Values, dict) => any(dict.pairs.values(), value),
        Value::Lazy(_) | Value::Ordering(_) => {
            let items = collection.iter(run)?;
            while let Some(item) = items.next(run)? {
                if same(&item, value)? {
                    return Ok(true);
                }
            }
            Ok(false)
        }
        Value::Text(text) => match value {
            Value::Text(part) => Ok(text.contains(part.as_str())),
            Value::Opaque(_) => Err(Failure::Unknown),
            other => {
                let name = text::type_name(other);
                let message = "'in <string>' requires string as left operand, not";
                Err(Failure::type_error(format!("{message} {name}")))
            }
        },
        Value::Opaque(_) => Err(Failure::Unknown),
        other => {
            let name = text::type_name(other);
            Err(Failure::type_error(format!("argument of type '{name}' is not iterable")))
        }
    }
}

/// Whether one of the items equals the value. A single one decides, even if others are unknown.
fn any<'v>(items: impl Iterator<Item = &'v Value>, value: &Value) -> Outcome<bool> {
    let mut unknown = false;
    for item in items {
        match same(item, value) {
            Ok(true) => return Ok(true),
            Ok(false) => {}
            Err(Failure::Unknown) => unknown = true,
            Err(failure) => return Err(failure),
        }
    }
    if unknown { Err(Failure::Unknown) } else { Ok(false) }
}
