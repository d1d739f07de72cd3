//! Functions that split and slice sequences.

use super::callee::Callee;
use super::iterator_classes;
use crate::call::{Call, Run};
use crate::compare::equal;
use crate::items::Items;
use crate::lazy_iter::LazyIter;
use crate::{Failure, Outcome, Value, budget};
use python_semantics::number::Integer;

pub(super) fn skip(call: &Call) -> Outcome {
    let count = match call.int(1)? {
        Integer::Small(count) => u64::try_from(count).map_err(|_| wrong_index())?,
        Integer::Big(_) => return Err(wrong_index()),
    };
    Ok(Value::Lazy(islice(call.items(0)?, count, None)))
}

pub(super) fn limit(call: &Call) -> Outcome {
    let stop = islice_stop(&call.int(1)?)?;
    Ok(Value::Lazy(islice(call.items(0)?, 0, Some(stop))))
}

/// The stop argument of Python's `islice()`.
fn islice_stop(count: &Integer) -> Outcome<u64> {
    match count {
        Integer::Small(-1) | Integer::Big(_) => Err(Failure::value_error(
            "Stop argument for islice() must be None or an integer: 0 <= x <= sys.maxsize.",
        )),
        Integer::Small(count) => u64::try_from(*count).map_err(|_| wrong_index()),
    }
}

fn wrong_index() -> Failure {
    Failure::value_error("Indices for islice() must be None or an integer: 0 <= x <= sys.maxsize.")
}

/// The items between two positions. Those before are skipped when the first item is requested.
fn islice(items: LazyIter, from: u64, to: Option<u64>) -> LazyIter {
    let mut at = 0;
    LazyIter::new(iterator_classes::ISLICE, move |run| {
        while at < from {
            if items.next(run)?.is_none() {
                return Ok(None);
            }
            at += 1;
        }
        if to.is_some_and(|to| at >= to) {
            return Ok(None);
        }
        at += 1;
        items.next(run)
    })
}

/// Collects a collection like the library's `toList`.
pub(super) fn to_tuple(run: &Run, collection: Value) -> Outcome<Items> {
    run.check_memory(&collection)?;
    match run.check_length(collection)? {
        Value::Tuple(items) => Ok(items),
        collection => {
            let items: Items = collection.iter(run)?.collect(run)?.into();
            run.check_memory(&Value::Tuple(items.clone()))?;
            Ok(items)
        }
    }
}

pub(super) fn slice(call: &Call) -> Outcome {
    let (items, length) = (call.items(0)?, call.int(1)?);
    Ok(Value::Lazy(LazyIter::generator("slice_", 248, move |run| {
        let part = islice(items.clone(), 0, Some(islice_stop(&length)?));
        let part = to_tuple(run, Value::Lazy(part))?;
        Ok((!part.is_empty()).then(|| Value::tuple(part)))
    })))
}

pub(super) fn split_where(call: &Call) -> Outcome {
    let (collection, predicate) = (call.value(0).clone(), Callee::of(call, 1)?);
    let mut items: Option<Items> = None;
    let (mut start, mut end) = (0, 0);
    Ok(Value::Lazy(LazyIter::generator("split_where", 248, move |run| {
        let items = match &items {
            Some(items) => items,
            None => items.insert(to_tuple(run, collection.clone())?),
        };
        while let Some(item) = items.get(end) {
            let splits = predicate.holds(run, item)?;
            end += 1;
            if splits {
                let part = &items[std::mem::replace(&mut start, end)..end - 1];
                return Ok(Some(Value::tuple(part)));
            }
        }
        let rest = &items[std::mem::replace(&mut start, end)..];
        Ok((!rest.is_empty()).then(|| Value::tuple(rest)))
    })))
}

pub(super) fn slice_where(call: &Call) -> Outcome {
    let (collection, predicate) = (call.value(0).clone(), Callee::of(call, 1)?);
    let mut items: Option<Items> = None;
    let (mut start, mut end) = (0, 0);
    let mut last: Option<Value> = None;
    Ok(Value::Lazy(LazyIter::generator("slice_where", 264, move |run| {
        let items = match &items {
            Some(items) => items,
            None => items.insert(to_tuple(run, collection.clone())?),
        };
        while let Some(item) = items.get(end) {
            let found = predicate.of_item(run, item)?;
            let changes = match &last {
                Some(last) => !equal(&found, last)?,
                None => false,
            };
            last = Some(found);
            end += 1;
            if changes {
                let part = &items[std::mem::replace(&mut start, end - 1)..end - 1];
                return Ok(Some(Value::tuple(part)));
            }
        }
        let rest = &items[std::mem::replace(&mut start, end)..];
        Ok((!rest.is_empty()).then(|| Value::tuple(rest)))
    })))
}

pub(super) fn split_at(call: &Call) -> Outcome {
    let items = to_tuple(call.run, call.value(0).clone())?;
    let length = items.len();
    let at = match call.int(1)? {
        Integer::Small(at) if at < 0 => {
            length.saturating_sub(usize::try_from(at.unsigned_abs()).unwrap_or(usize::MAX))
        }
        Integer::Small(at) => usize::try_from(at).unwrap_or(usize::MAX).min(length),
        Integer::Big(at) if at.sign() == num_bigint::Sign::Minus => 0,
        Integer::Big(_) => length,
    };
    call.run.spend(budget::times(length, 1))?;
    let (before, after) = items.split_at(at);
    Ok(Value::list([before, after].map(Value::tuple)))
}

pub(super) fn reverse(call: &Call) -> Outcome {
    let items = to_tuple(call.run, call.value(0).clone())?;
    let mut left = items.len();
    Ok(Value::Lazy(LazyIter::new(iterator_classes::REVERSED, move |_| {
        let item = left.checked_sub(1).and_then(|at| items.get(at));
        left = left.saturating_sub(1);
        Ok(item.cloned())
    })))
}
