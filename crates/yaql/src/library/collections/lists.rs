//! The functions and operators of lists.

use num_traits::ToPrimitive as _;

use super::sets;
use crate::call::{Call, Run};
use crate::items::Items;
use crate::lazy_iter::LazyIter;
use crate::library::queries::chain;
use crate::value::Structure;
use crate::{Failure, Outcome, Value};
use python_semantics::ExceptionClass;
use python_semantics::number::Integer;

/// Maximum number of items of a repeated list.
const MAX_PRODUCT_LENGTH: usize = 1_000_000;

/// `[…]`.
pub(super) fn build(call: &Call) -> Outcome {
    let sizes: Vec<_> = call.rest.iter().map(|item| (1, item)).collect();
    call.run.check_memory_of(&sizes)?;
    Ok(Value::tuple(call.rest.as_slice()))
}

/// `list(…)`: iterators among the arguments are unpacked.
pub(super) fn list(call: &Call) -> Outcome {
    let items = Value::Lazy(unpacked(call.rest.clone()));
    call.run.call_method("toList", &items, &[], call.context)
}

/// The items, with iterators among them replaced by what they return.
pub(super) fn unpacked(items: Vec<Value>) -> LazyIter {
    let mut open = vec![LazyIter::over(items.into())];
    LazyIter::generator("list_.<locals>.rec", 216, move |run| {
        loop {
            let Some(innermost) = open.last() else { return Ok(None) };
            let _deeper = run.enter_frames(open.len())?;
            match innermost.next(run)? {
                Some(Value::Lazy(inner)) => open.push(inner.iter()),
                Some(item) => return Ok(Some(item)),
                None => {
                    open.pop();
                }
            }
        }
    })
}

pub(super) fn to_list(call: &Call) -> Outcome {
    match call.value(0) {
        Value::Tuple(items) => Ok(Value::Tuple(items.clone())),
        _ => Ok(Value::tuple(call.items(0)?.collect(call.run)?)),
    }
}

pub(super) fn flatten(call: &Call) -> Outcome {
    let (mut open, mut first) = (Vec::new(), Some(call.value(0).clone()));
    Ok(Value::Lazy(LazyIter::generator("flatten", 216, move |run| {
        if let Some(collection) = first.take() {
            open.push(collection.iter(run)?);
        }
        loop {
            let Some(innermost) = open.last() else { return Ok(None) };
            let _deeper = run.enter_frames(open.len())?;
            match innermost.next(run)? {
                Some(Value::Opaque(_)) => return Err(Failure::Unknown),
                Some(item) if item.structure() == Structure::Sequence => open.push(item.iter(run)?),
                Some(item) => return Ok(Some(item)),
                None => {
                    open.pop();
                }
            }
        }
    })))
}

/// `list[index]`.
pub(super) fn index(call: &Call) -> Outcome {
    item(call.value(0), &call.int(1)?)
}

/// The item at a position; negative positions count from the end.
fn item(list: &Value, index: &Integer) -> Outcome {
    let (items, class) = match list {
        Value::Tuple(items) => (items, "tuple"),
        Value::List(items) => (items, "list"),
        _ => return Err(Failure::Unknown),
    };
    let Integer::Small(index) = index else {
        let message = "cannot fit 'int' into an index-sized integer";
        return Err(Failure::new(ExceptionClass::IndexError, message));
    };
    let length = items.len();
    let at = if *index < 0 {
        usize::try_from(index.unsigned_abs()).ok().and_then(|back| length.checked_sub(back))
    } else {
        usize::try_from(*index).ok()
    };
    at.and_then(|at| items.get(at)).cloned().ok_or_else(|| {
        Failure::new(ExceptionClass::IndexError, format!("{class} index out of range"))
    })
}

/// `left + right`.
pub(super) fn concatenate(call: &Call) -> Outcome {
    let (left, right) = (call.value(0), call.value(1));
    match (left, right) {
        (Value::Tuple(one), Value::Tuple(other)) => {
            call.run.check_memory_of(&[(1, left), (1, right)])?;
            if other.is_empty() {
                return Ok(left.clone());
            }
            if one.is_empty() {
                return Ok(right.clone());
            }
            call.run.spend(copy_steps(one.len() + other.len()))?;
            Ok(Value::Tuple(one.iter().chain(other.iter()).cloned().collect()))
        }
        (Value::Set(one), Value::Set(other)) if one.frozen && other.frozen => {
            call.run.check_memory_of(&[(1, left), (1, right)])?;
            sets::union_of(call.run, one, right)
        }
        _ => Ok(Value::Lazy(chain(vec![left.clone(), right.clone()]))),
    }
}

pub(super) fn list_by_int(call: &Call) -> Outcome {
    times(call.run, call.value(0), &call.int(1)?)
}

pub(super) fn int_by_list(call: &Call) -> Outcome {
    times(call.run, call.value(1), &call.int(0)?)
}

fn times(run: &Run, list: &Value, times: &Integer) -> Outcome {
    let wide = match times {
        Integer::Small(times) => i128::from(*times),
        Integer::Big(times) => times.to_i128().unwrap_or(match times.sign() {
            num_bigint::Sign::Minus => i128::MIN / 2,
            _ => i128::MAX / 2,
        }),
    };
    // Python computes with a negative size for an empty list: items that are not created add to it.
    run.check_memory_of(&[(1 - wide, &Value::list([])), (wide, list)])?;
    let (items, is_tuple) = match list {
        Value::Tuple(items) => (items, true),
        Value::List(items) => (items, false),
        _ => return Err(Failure::Unknown),
    };
    let Integer::Small(times) = times else {
        let message = "cannot fit 'int' into an index-sized integer";
        return Err(Failure::new(ExceptionClass::OverflowError, message));
    };
    if *times == 1 && is_tuple {
        return Ok(list.clone());
    }
    let times = usize::try_from(*times).unwrap_or(0);
    let length = items.len().checked_mul(times).filter(|&length| length <= MAX_PRODUCT_LENGTH);
    let Some(length) = length else {
        return Err(Failure::new(ExceptionClass::MemoryError, ""));
    };
    run.spend(copy_steps(length))?;
    let product: Items = match &**items {
        [] => Items::from([]),
        items => items.iter().cycle().take(length).cloned().collect(),
    };
    Ok(if is_tuple { Value::Tuple(product) } else { Value::List(product) })
}

/// The steps for copying a number of items, so that copies of copies cannot fill the memory.
pub(super) fn copy_steps(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX).saturating_mul(4)
}

pub(super) fn is_list(call: &Call) -> Outcome {
    match call.value(0) {
        Value::Opaque(_) => Err(Failure::Unknown),
        value => Ok(Value::Bool(matches!(value, Value::Tuple(_) | Value::List(_)))),
    }
}

pub(super) fn len(call: &Call) -> Outcome {
    match call.value(0) {
        Value::Tuple(items) | Value::List(items) => Ok(Value::count(items.len())),
        _ => Err(Failure::Unknown),
    }
}
