//! Functions of sets. Keys and items of dictionaries are sets, too, but have no methods in Python.

use std::rc::Rc;

use python_semantics::ExceptionClass;

use super::lists::{copy_steps, unpacked};
use crate::call::{Call, Run};
use crate::compare::contains;
use crate::value::{HashKey, Set, View};
use crate::{Failure, Outcome, Value, budget, text};

pub(super) fn is_set(call: &Call) -> Outcome {
    match call.value(0) {
        Value::Opaque(_) => Err(Failure::Unknown),
        value => Ok(Value::Bool(length(value).is_some())),
    }
}

/// `set(…)`: iterators among the arguments are unpacked.
pub(super) fn set(call: &Call) -> Outcome {
    let items = Value::Lazy(unpacked(call.rest.clone()));
    call.run.call_method("toSet", &items, &[], call.context)
}

pub(super) fn to_set(call: &Call) -> Outcome {
    if let Value::Set(set) = call.value(0)
        && set.frozen
    {
        return Ok(Value::Set(set.clone()));
    }
    Ok(Value::Set(Rc::new(Set::of_items(call.run, &call.items(0)?)?)))
}

/// The size of a set; `None` if the value is not a set.
fn length(value: &Value) -> Option<usize> {
    match value {
        Value::Set(set) => Some(set.len()),
        Value::View(View::Keys | View::Items, dict) => Some(dict.pairs.len()),
        _ => None,
    }
}

pub(super) fn len(call: &Call) -> Outcome {
    length(call.value(0)).map(Value::count).ok_or(Failure::Unknown)
}

// --- comparison ---------------------------------------------------------------------------------------

/// Compares the sizes of two sets, and their members only if the sizes allow it.
fn compared(call: &Call, sizes: fn(&usize, &usize) -> bool, smaller_first: bool) -> Outcome {
    let (left, right) = (call.value(0), call.value(1));
    let (Some(mine), Some(theirs)) = (length(left), length(right)) else {
        return Err(Failure::Unknown);
    };
    if !sizes(&mine, &theirs) {
        return Ok(Value::Bool(false));
    }
    let (smaller, larger) = if smaller_first { (left, right) } else { (right, left) };
    let subset = match (smaller, larger) {
        (Value::Set(smaller), Value::Set(larger)) => smaller.is_subset(larger),
        _ => {
            for member in members(smaller) {
                call.run.step()?;
                if !contains(call.run, larger, &member)? {
                    return Ok(Value::Bool(false));
                }
            }
            true
        }
    };
    Ok(Value::Bool(subset))
}

/// The members in arbitrary order.
fn members(set: &Value) -> Vec<Value> {
    match set {
        Value::Set(set) => set.members().map(|key| key.value().clone()).collect(),
        Value::View(View::Keys, dict) => dict.pairs.keys().map(|key| key.value().clone()).collect(),
        Value::View(View::Items, dict) => dict
            .pairs
            .iter()
            .map(|(key, value)| Value::tuple([key.value().clone(), value.clone()]))
            .collect(),
        _ => Vec::new(),
    }
}

pub(super) fn less(call: &Call) -> Outcome {
    compared(call, usize::lt, true)
}

pub(super) fn less_or_equal(call: &Call) -> Outcome {
    compared(call, usize::le, true)
}

pub(super) fn greater(call: &Call) -> Outcome {
    compared(call, usize::gt, false)
}

pub(super) fn greater_or_equal(call: &Call) -> Outcome {
    compared(call, usize::ge, false)
}

// --- operations on two sets --------------------------------------------------------------------------

/// The set on which a method of Python's sets is called.
fn receiver_set<'c>(call: &'c Call, method: &str) -> Outcome<&'c Set> {
    match call.value(0) {
        Value::Set(set) => Ok(set),
        Value::Opaque(_) => Err(Failure::Unknown),
        other => {
            let class = text::type_name(other);
            let message = format!("'{class}' object has no attribute '{method}'");
            Err(Failure::new(ExceptionClass::AttributeError, message))
        }
    }
}

/// The members of a collection other than Python's sets, as keys.
fn keys(run: &Run, value: &Value) -> Outcome<Vec<HashKey>> {
    let items = value.iter(run)?;
    let mut keys = Vec::new();
    while let Some(item) = items.next(run)? {
        run.spend(budget::PAIR)?;
        keys.push(HashKey::of(&item)?);
    }
    Ok(keys)
}

fn new_set(run: &Run, set: Set) -> Outcome {
    run.spend(copy_steps(set.len()))?;
    Ok(Value::Set(Rc::new(set)))
}

/// The union of a set and a collection.
pub(super) fn union_of(run: &Run, left: &Set, right: &Value) -> Outcome {
    new_set(
        run,
        match right {
            Value::Set(right) => left.union(right),
            right => left.union_keys(keys(run, right)?),
        },
    )
}

pub(super) fn union(call: &Call) -> Outcome {
    union_of(call.run, receiver_set(call, "union")?, call.value(1))
}

pub(super) fn intersect(call: &Call) -> Outcome {
    let left = receiver_set(call, "intersection")?;
    new_set(
        call.run,
        match call.value(1) {
            Value::Set(right) => left.intersection(right),
            right => left.intersection_keys(keys(call.run, right)?),
        },
    )
}

/// `left.difference(right)` and `left - right`.
pub(super) fn difference(call: &Call) -> Outcome {
    let left = receiver_set(call, "difference")?;
    new_set(
        call.run,
        match call.value(1) {
            Value::Set(right) => left.difference(right),
            right => left.difference_keys(keys(call.run, right)?),
        },
    )
}

pub(super) fn symmetric_difference(call: &Call) -> Outcome {
    let left = receiver_set(call, "symmetric_difference")?;
    new_set(
        call.run,
        match call.value(1) {
            Value::Set(right) => left.symmetric_difference(right),
            right => left.symmetric_difference_keys(keys(call.run, right)?),
        },
    )
}

pub(super) fn add(call: &Call) -> Outcome {
    let left = receiver_set(call, "union")?;
    new_set(call.run, left.union(&arguments(call)?))
}

pub(super) fn remove(call: &Call) -> Outcome {
    let left = receiver_set(call, "difference")?;
    new_set(call.run, left.difference(&arguments(call)?))
}

/// `frozenset(arguments)`.
fn arguments(call: &Call) -> Outcome<Set> {
    let keys = call.rest.iter().map(HashKey::of).collect::<Outcome<Vec<_>>>()?;
    Ok(Set::of_keys(keys))
}
