//! Functions that reduce a sequence to a value.

use python_semantics::ExceptionClass;

use super::callee::Callee;
use crate::call::{Call, Run};
use crate::compare::{equal, truth};
use crate::lazy_iter::LazyIter;
use crate::{Failure, Outcome, Value};

pub(super) fn any(call: &Call) -> Outcome {
    let (items, predicate) = (call.items(0)?, Callee::optional(call, 1)?);
    while let Some(item) = items.next(call.run)? {
        let holds = match &predicate {
            Some(predicate) => predicate.holds(call.run, &item)?,
            None => true,
        };
        if holds {
            return Ok(Value::Bool(true));
        }
    }
    Ok(Value::Bool(false))
}

pub(super) fn all(call: &Call) -> Outcome {
    let (items, predicate) = (call.items(0)?, Callee::optional(call, 1)?);
    while let Some(item) = items.next(call.run)? {
        let holds = match &predicate {
            Some(predicate) => predicate.holds(call.run, &item)?,
            None => truth(&item)?,
        };
        if !holds {
            return Ok(Value::Bool(false));
        }
    }
    Ok(Value::Bool(true))
}

pub(super) fn count(call: &Call) -> Outcome {
    let items = call.items(0)?;
    let mut count = 0;
    while items.next(call.run)?.is_some() {
        count += 1;
    }
    Ok(Value::count(count))
}

/// Python's `reduce()`.
fn reduce(run: &Run, items: &LazyIter, callee: &Callee, seed: Option<&Value>) -> Outcome {
    let mut total = match seed {
        Some(seed) => seed.clone(),
        None => items.next(run)?.ok_or_else(|| {
            Failure::type_error("reduce() of empty iterable with no initial value")
        })?,
    };
    while let Some(item) = items.next(run)? {
        total = callee.call(run, &[total, item])?;
    }
    Ok(total)
}

pub(super) fn aggregate(call: &Call) -> Outcome {
    reduce(call.run, &call.items(0)?, &Callee::of(call, 1)?, call.optional_value(2))
}

pub(super) fn sum(call: &Call) -> Outcome {
    reduce(call.run, &call.items(0)?, &Callee::library(call, "#operator_+"), call.optional_value(1))
}

pub(super) fn min(call: &Call) -> Outcome {
    reduce(call.run, &call.items(0)?, &Callee::library(call, "min"), call.optional_value(1))
}

pub(super) fn max(call: &Call) -> Outcome {
    reduce(call.run, &call.items(0)?, &Callee::library(call, "max"), call.optional_value(1))
}

pub(super) fn accumulate(call: &Call) -> Outcome {
    let (items, selector) = (call.items(0)?, Callee::of(call, 1)?);
    let mut seed = call.optional_value(2).cloned();
    let mut total: Option<Value> = None;
    Ok(Value::Lazy(LazyIter::generator("accumulate", 256, move |run| {
        let next = match total.take() {
            Some(total) => match items.next(run)? {
                Some(item) => selector.call(run, &[total, item])?,
                None => return Ok(None),
            },
            None => match seed.take() {
                Some(seed) => seed,
                None => items.next(run)?.ok_or_else(|| {
                    Failure::type_error("accumulate() of empty sequence with no initial value")
                })?,
            },
        };
        Ok(Some(total.insert(next).clone()))
    })))
}

pub(super) fn first(call: &Call) -> Outcome {
    match call.items(0)?.next(call.run)? {
        Some(item) => Ok(item),
        None => default(call),
    }
}

/// The default value of `first` and `last`.
fn default(call: &Call) -> Outcome {
    call.optional_value(1).cloned().ok_or_else(|| Failure::new(ExceptionClass::StopIteration, ""))
}

pub(super) fn single(call: &Call) -> Outcome {
    let items = call.items(0)?;
    let stop = |message: &str| Failure::new(ExceptionClass::StopIteration, message);
    let item = items.next(call.run)?.ok_or_else(|| stop(""))?;
    match items.next(call.run)? {
        Some(_) => Err(stop("Collection contains more than one item")),
        None => Ok(item),
    }
}

pub(super) fn last(call: &Call) -> Outcome {
    let last = match call.value(0) {
        Value::Tuple(items) | Value::List(items) => items.last().cloned(),
        _ => {
            let items = call.items(0)?;
            let mut last = None;
            while let Some(item) = items.next(call.run)? {
                last = Some(item);
            }
            last
        }
    };
    last.map_or_else(|| default(call), Ok)
}

/// The position of the first or the last item that satisfies `holds`; -1 if there is none.
fn position(call: &Call, last: bool, holds: impl Fn(&Value) -> Outcome<bool>) -> Outcome {
    let items = call.items(0)?;
    let (mut at, mut found) = (0_i64, -1);
    while let Some(item) = items.next(call.run)? {
        if holds(&item)? {
            found = at;
            if !last {
                break;
            }
        }
        at += 1;
    }
    Ok(Value::int(found))
}

pub(super) fn index_of(call: &Call) -> Outcome {
    position(call, false, |item| equal(item, call.value(1)))
}

pub(super) fn last_index_of(call: &Call) -> Outcome {
    position(call, true, |item| equal(item, call.value(1)))
}

pub(super) fn index_where(call: &Call) -> Outcome {
    let predicate = Callee::of(call, 1)?;
    position(call, false, |item| predicate.holds(call.run, item))
}

pub(super) fn last_index_where(call: &Call) -> Outcome {
    let predicate = Callee::of(call, 1)?;
    position(call, true, |item| predicate.holds(call.run, item))
}
