//! Functions that insert, delete and replace items.

use num_bigint::BigInt;
use num_traits::ToPrimitive as _;

use crate::call::{Call, Run};
use crate::lazy_iter::LazyIter;
use crate::{Failure, Outcome, Value};
use python_semantics::ExceptionClass;
use python_semantics::number::Integer;

#[derive(Clone, Copy)]
struct PositionRange {
    from: i64,
    /// The end, exclusive; `None` if the range is open.
    to: Option<i64>,
}

impl PositionRange {
    /// `count` positions from `position` on, or all of them if `count` is negative.
    fn of(position: &Integer, count: &Integer) -> Self {
        let to = match (position, count) {
            (_, Integer::Small(..0)) => None,
            (Integer::Small(position), Integer::Small(count)) => {
                Some(position.saturating_add(*count))
            }
            (position, count) => {
                let (position, count) = (big(position), big(count));
                match count.sign() {
                    num_bigint::Sign::Minus => None,
                    _ => Some(clamped(&(position + count))),
                }
            }
        };
        let from = match position {
            Integer::Small(position) => *position,
            Integer::Big(position) => clamped(position),
        };
        PositionRange { from, to }
    }

    fn contains(self, position: i64) -> bool {
        self.from <= position && self.to.is_none_or(|to| position < to)
    }
}

fn big(value: &Integer) -> BigInt {
    match value {
        Integer::Small(value) => BigInt::from(*value),
        Integer::Big(value) => (**value).clone(),
    }
}

/// The number, clamped to a range that exceeds the length of any collection.
fn clamped(value: &BigInt) -> i64 {
    value.to_i64().unwrap_or(match value.sign() {
        num_bigint::Sign::Minus => i64::MIN,
        _ => i64::MAX,
    })
}

/// A collection whose items are counted from 0 as they are taken.
struct NumberedItems {
    collection: Value,
    items: Option<LazyIter>,
    /// The number of the last item taken.
    last: i64,
}

impl NumberedItems {
    fn new(collection: &Value) -> Self {
        NumberedItems { collection: collection.clone(), items: None, last: -1 }
    }

    fn next(&mut self, run: &Run) -> Outcome<Option<(i64, Value)>> {
        let items = match &self.items {
            Some(items) => items,
            None => self.items.insert(self.collection.iter(run)?),
        };
        let item = items.next(run)?;
        self.last += i64::from(item.is_some());
        Ok(item.map(|item| (self.last, item)))
    }
}

pub(super) fn delete(call: &Call) -> Outcome {
    let mut items = NumberedItems::new(call.value(0));
    let gone = PositionRange::of(&call.int(1)?, &call.int(2)?);
    Ok(Value::Lazy(LazyIter::generator("delete", 240, move |run| {
        while let Some((at, item)) = items.next(run)? {
            if !gone.contains(at) {
                return Ok(Some(item));
            }
        }
        Ok(None)
    })))
}

pub(super) fn replace(call: &Call) -> Outcome {
    let mut items = NumberedItems::new(call.value(0));
    let gone = PositionRange::of(&call.int(1)?, &call.int(3)?);
    let mut value = Some(call.value(2).clone());
    Ok(Value::Lazy(LazyIter::generator("replace", 256, move |run| {
        while let Some((at, item)) = items.next(run)? {
            if !gone.contains(at) {
                return Ok(Some(item));
            }
            if let Some(value) = value.take() {
                return Ok(Some(value));
            }
        }
        Ok(None)
    })))
}

pub(super) fn replace_many(call: &Call) -> Outcome {
    let mut items = NumberedItems::new(call.value(0));
    let gone = PositionRange::of(&call.int(1)?, &call.int(3)?);
    let (mut values, mut open) = (Some(call.value(2).clone()), None::<LazyIter>);
    Ok(Value::Lazy(LazyIter::generator("replace_many", 256, move |run| {
        loop {
            if let Some(values) = &open {
                match values.next(run)? {
                    Some(value) => return Ok(Some(value)),
                    None => open = None,
                }
            }
            let Some((at, item)) = items.next(run)? else { return Ok(None) };
            if !gone.contains(at) {
                return Ok(Some(item));
            }
            if let Some(values) = values.take() {
                open = Some(values.iter(run)?);
            }
        }
    })))
}

/// The position to insert at.
fn position(call: &Call) -> Outcome<i64> {
    Ok(match call.int(1)? {
        Integer::Small(position) => position,
        Integer::Big(position) => clamped(&position),
    })
}

pub(super) fn insert(call: &Call) -> Outcome {
    let (mut items, position) = (NumberedItems::new(call.value(0)), position(call)?);
    let (mut value, mut waiting) = (Some(call.value(2).clone()), None);
    Ok(Value::Lazy(LazyIter::generator("iter_insert", 232, move |run| {
        if let Some(item) = waiting.take() {
            return Ok(Some(item));
        }
        match items.next(run)? {
            Some((at, item)) if at == position => {
                waiting = Some(item);
                Ok(value.take())
            }
            Some((_, item)) => Ok(Some(item)),
            None if position > items.last => Ok(value.take()),
            None => Ok(None),
        }
    })))
}

pub(super) fn insert_in_list(call: &Call) -> Outcome {
    let Integer::Small(position) = call.int(1)? else {
        let message = "Python int too large to convert to C ssize_t";
        return Err(Failure::new(ExceptionClass::OverflowError, message));
    };
    let mut items = call.items(0)?.collect(call.run)?;
    let from_end = if position < 0 { items.len() } else { 0 };
    let position = i128::from(position) + i128::try_from(from_end).unwrap_or(0);
    let position = usize::try_from(position.max(0)).unwrap_or(usize::MAX);
    items.insert(position.min(items.len()), call.value(2).clone());
    Ok(Value::list(items))
}

pub(super) fn insert_many(call: &Call) -> Outcome {
    let (mut items, position) = (NumberedItems::new(call.value(0)), position(call)?);
    let (mut values, mut open, mut waiting) = (Some(call.value(2).clone()), None::<LazyIter>, None);
    Ok(Value::Lazy(LazyIter::generator("insert_many", 232, move |run| {
        if position < 0
            && let Some(values) = values.take()
        {
            open = Some(values.iter(run)?);
        }
        loop {
            if let Some(values) = &open {
                match values.next(run)? {
                    Some(value) => return Ok(Some(value)),
                    None => open = None,
                }
            }
            if let Some(item) = waiting.take() {
                return Ok(Some(item));
            }
            let due = match items.next(run)? {
                Some((at, item)) if at == position => {
                    waiting = Some(item);
                    values.take()
                }
                Some((_, item)) => return Ok(Some(item)),
                None if position > items.last => values.take(),
                None => None,
            };
            let Some(values) = due else { return Ok(None) };
            open = Some(values.iter(run)?);
        }
    })))
}
