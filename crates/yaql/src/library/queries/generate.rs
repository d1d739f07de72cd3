//! Functions that generate sequences.

use std::collections::VecDeque;

use num_bigint::BigInt;

use super::callee::Callee;
use super::filter::SeenKeys;
use super::{container_growth, iterator_classes};
use crate::call::Call;
use crate::hash::HashKey;
use crate::lazy_iter::LazyIter;
use crate::{Failure, Outcome, Value};
use python_semantics::number::Integer;

#[derive(Debug)]
pub(super) struct ArithmeticSequence {
    next: Integer,
    step: Integer,
}

impl ArithmeticSequence {
    pub(super) fn new(start: Integer, step: Integer) -> Self {
        ArithmeticSequence { next: start, step }
    }

    pub(super) fn next(&mut self) -> Integer {
        let sum = match (&self.next, &self.step) {
            (Integer::Small(next), Integer::Small(step)) => {
                next.checked_add(*step).map(Integer::Small)
            }
            _ => None,
        };
        let after = sum.unwrap_or_else(|| small(big(&self.next) + big(&self.step)));
        std::mem::replace(&mut self.next, after)
    }
}

fn big(value: &Integer) -> BigInt {
    match value {
        Integer::Small(value) => BigInt::from(*value),
        Integer::Big(value) => BigInt::clone(value),
    }
}

fn small(value: BigInt) -> Integer {
    i64::try_from(value)
        .map_or_else(|error| Integer::Big(Box::new(error.into_original())), Integer::Small)
}

pub(super) fn range_to(call: &Call) -> Outcome {
    numbers(Integer::Small(0), call.int(0)?, Integer::Small(1))
}

pub(super) fn range(call: &Call) -> Outcome {
    numbers(call.int(0)?, call.int(1)?, call.int(2)?)
}

pub(super) fn numbers(start: Integer, stop: Integer, step: Integer) -> Outcome {
    if step == Integer::Small(0) {
        return Err(Failure::value_error("range() arg 3 must not be zero"));
    }
    if let (Integer::Small(start), Integer::Small(stop), Integer::Small(step)) =
        (&start, &stop, &step)
        && let Some(length) = short(*start, *stop, *step)
    {
        let (mut next, step, mut left) = (*start, *step, length);
        return Ok(Value::Lazy(LazyIter::new(iterator_classes::RANGE, move |_| {
            if left == 0 {
                return Ok(None);
            }
            left -= 1;
            let item = next;
            next = next.wrapping_add(step);
            Ok(Some(Value::int(item)))
        })));
    }
    let (ascending, stop) = (big(&step) > BigInt::ZERO, big(&stop));
    let mut steps = ArithmeticSequence::new(start, step);
    Ok(Value::Lazy(LazyIter::new(iterator_classes::LONG_RANGE, move |_| {
        let next = big(&steps.next);
        let more = if ascending { next < stop } else { next > stop };
        Ok(more.then(|| Value::Int(steps.next())))
    })))
}

/// The length of a range that Python counts in machine words.
fn short(start: i64, stop: i64, step: i64) -> Option<i64> {
    let distance = if step > 0 {
        i128::from(stop) - i128::from(start)
    } else {
        i128::from(start) - i128::from(stop)
    };
    if distance <= 0 {
        return Some(0);
    }
    let width = i128::from(step).abs();
    let length = i64::try_from((distance - 1) / width + 1).ok()?;
    let room = if step > 0 {
        i128::from(stop) <= i128::from(i64::MAX) - (width - 1)
    } else {
        i128::from(stop) >= i128::from(i64::MIN) + (width - 1)
    };
    room.then_some(length)
}

pub(super) fn sequence(call: &Call) -> Outcome {
    numbers_without_end(call.value(0), call.int(0)?, call.value(1), call.int(1)?)
}

/// An infinite arithmetic sequence; start and step are passed both as given and as
/// integers.
fn numbers_without_end(
    given_start: &Value,
    start: Integer,
    given_step: &Value,
    step: Integer,
) -> Outcome {
    const ONE: Integer = Integer::Small(1);
    let machine = matches!(start, Integer::Small(_)) && step == ONE;
    // Python returns a boolean start unchanged, except where it counts in machine words.
    let mut first = (!machine).then(|| given_start.clone());
    let shown_step = given_step.clone();
    let steps = std::rc::Rc::new(std::cell::RefCell::new(ArithmeticSequence::new(start, step)));
    let shown = steps.clone();
    let lazy = LazyIter::new(iterator_classes::COUNT, move |_| {
        let number = Value::Int(steps.borrow_mut().next());
        Ok(Some(first.take().unwrap_or(number)))
    });
    Ok(Value::Lazy(lazy.shown(move || {
        let (next, step) = (Value::Int(shown.borrow().next.clone()), &shown_step);
        Ok(if shown.borrow().step == ONE {
            format!("count({})", crate::text::repr(&next)?)
        } else {
            let (next, step) = (crate::text::repr(&next)?, crate::text::repr(step)?);
            format!("count({next}, {step})")
        })
    })))
}

pub(super) fn generate(call: &Call) -> Outcome {
    let mut item = call.value(0).clone();
    let (predicate, producer) = (Callee::of(call, 1)?, Callee::of(call, 2)?);
    let selector = Callee::optional(call, 3)?;
    let mut seen = call.truth(4)?.then(SeenKeys::new);
    let mut started = false;
    Ok(Value::Lazy(LazyIter::generator("generate", 264, move |run| {
        if std::mem::replace(&mut started, true) {
            item = producer.of_item(run, &item)?;
        }
        if !predicate.holds(run, &item)? {
            return Ok(None);
        }
        if let Some(seen) = &mut seen {
            match seen.insert(HashKey::of(&item)?) {
                Some(bytes) => run.check_bytes(bytes)?,
                None => return Ok(None),
            }
        }
        match &selector {
            Some(selector) => selector.of_item(run, &item).map(Some),
            None => Ok(Some(item.clone())),
        }
    })))
}

pub(super) fn generate_many(call: &Call) -> Outcome {
    let mut queue = VecDeque::from([call.value(0).clone()]);
    let mut size = container_growth::DequeGrowth::new();
    let (producer, selector) = (Callee::of(call, 1)?, Callee::optional(call, 2)?);
    let mut seen = call.truth(3)?.then(SeenKeys::new);
    let depth_first = call.truth(4)?;
    let mut last: Option<Value> = None;
    Ok(Value::Lazy(LazyIter::generator("generate_many", 296, move |run| {
        if let Some(item) = last.take() {
            let before = queue.len();
            let produced = producer.of_item(run, &item)?.iter(run)?;
            while let Some(item) = produced.next(run)? {
                queue.push_back(item);
                // Python checks when all items exist; an infinite producer is stopped here.
                run.check_bytes(size.push())?;
            }
            let added = queue.len() - before;
            let bytes = if depth_first {
                queue.rotate_right(added);
                size.rotate(added)
            } else {
                size.bytes()
            };
            run.check_bytes(bytes)?;
        }
        loop {
            let Some(item) = queue.pop_front() else { return Ok(None) };
            size.pop();
            if let Some(seen) = &mut seen {
                match seen.insert(HashKey::of(&item)?) {
                    Some(bytes) => run.check_bytes(bytes)?,
                    None => continue,
                }
            }
            let found = match &selector {
                Some(selector) => selector.of_item(run, &item)?,
                None => item.clone(),
            };
            last = Some(item);
            return Ok(Some(found));
        }
    })))
}
