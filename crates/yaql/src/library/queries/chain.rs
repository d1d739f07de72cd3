//! Functions that combine sequences.

use super::callee::Callee;
use super::iterator_classes;
use super::remember::remembering;
use crate::call::Call;
use crate::compare::truth;
use crate::lazy_iter::LazyIter;
use crate::{Failure, Outcome, Value, budget, text};
use python_semantics::ExceptionClass;
use python_semantics::number::Integer;

pub(super) fn append(call: &Call) -> Outcome {
    let items = call.items(0)?;
    let mut rest = call.rest.clone().into_iter();
    let mut ended = false;
    Ok(Value::Lazy(LazyIter::generator("append", 200, move |run| {
        if !ended {
            if let Some(item) = items.next(run)? {
                return Ok(Some(item));
            }
            ended = true;
        }
        Ok(rest.next())
    })))
}

pub(super) fn concat(call: &Call) -> Outcome {
    Ok(Value::Lazy(chain(call.rest.clone())))
}

/// Concatenates collections; each is iterated only when it is reached.
pub(crate) fn chain(collections: Vec<Value>) -> LazyIter {
    let mut collections = collections.into_iter();
    let mut current: Option<LazyIter> = None;
    LazyIter::new(iterator_classes::CHAIN, move |run| {
        loop {
            if let Some(items) = &current
                && let Some(item) = items.next(run)?
            {
                return Ok(Some(item));
            }
            current = match collections.next() {
                Some(collection) => Some(collection.iter(run)?),
                None => return Ok(None),
            };
        }
    })
}

fn iterators(call: &Call) -> Outcome<Vec<LazyIter>> {
    call.rest.iter().map(|collection| collection.iter(call.run)).collect()
}

pub(super) fn zip(call: &Call) -> Outcome {
    let iterators = iterators(call)?;
    Ok(Value::Lazy(LazyIter::new(iterator_classes::ZIP, move |run| {
        let mut row = Vec::with_capacity(iterators.len());
        for items in &iterators {
            match items.next(run)? {
                Some(item) => row.push(item),
                None => return Ok(None),
            }
        }
        Ok((!row.is_empty()).then(|| Value::tuple(row)))
    })))
}

pub(super) fn zip_longest(call: &Call) -> Outcome {
    let mut iterators: Vec<_> = iterators(call)?.into_iter().map(Some).collect();
    let default = call.named.iter().find(|(name, _)| name == "default");
    let default = default.map_or(Value::Null, |(_, value)| value.clone());
    Ok(Value::Lazy(LazyIter::new(iterator_classes::ZIP_LONGEST, move |run| {
        let mut row = Vec::with_capacity(iterators.len());
        for at in 0..iterators.len() {
            let item = match &iterators[at] {
                Some(items) => items.next(run)?,
                None => None,
            };
            if item.is_none() {
                iterators[at] = None;
                if iterators.iter().all(Option::is_none) {
                    return Ok(None);
                }
            }
            row.push(item.unwrap_or_else(|| default.clone()));
        }
        Ok((!row.is_empty()).then(|| Value::tuple(row)))
    })))
}

pub(super) fn join(call: &Call) -> Outcome {
    let (outer, inner) = (call.items(0)?, remembering(call.value(1).clone()));
    let (predicate, selector) = (Callee::of(call, 2)?, Callee::of(call, 3)?);
    let mut current: Option<(Value, LazyIter)> = None;
    Ok(Value::Lazy(LazyIter::generator("join", 272, move |run| {
        loop {
            let (mine, others) = match &current {
                Some(current) => current,
                None => {
                    let Some(mine) = outer.next(run)? else { return Ok(None) };
                    current.insert((mine, inner.iter(run)?))
                }
            };
            let Some(other) = others.next(run)? else {
                current = None;
                continue;
            };
            let pair = [mine.clone(), other];
            if truth(&predicate.call(run, &pair)?)? {
                return selector.call(run, &pair).map(Some);
            }
        }
    })))
}

pub(super) fn repeat(call: &Call) -> Outcome {
    let value = call.value(0).clone();
    let times = match call.int(1)? {
        Integer::Small(times) => u64::try_from(times).ok(),
        Integer::Big(times) if times.sign() == num_bigint::Sign::Minus => None,
        Integer::Big(_) => {
            let message = "Python int too large to convert to C ssize_t";
            return Err(Failure::new(ExceptionClass::OverflowError, message));
        }
    };
    let left = std::rc::Rc::new(std::cell::Cell::new(times));
    let (shown, shown_left) = (value.clone(), left.clone());
    let lazy = LazyIter::new(iterator_classes::REPEAT, move |_| {
        match left.get() {
            Some(0) => return Ok(None),
            Some(times) => left.set(Some(times - 1)),
            None => {}
        }
        Ok(Some(value.clone()))
    });
    Ok(Value::Lazy(lazy.shown(move || {
        let value = text::repr(&shown)?;
        Ok(match shown_left.get() {
            Some(times) => format!("repeat({value}, {times})"),
            None => format!("repeat({value})"),
        })
    })))
}

pub(super) fn cycle(call: &Call) -> Outcome {
    let mut source = Some(call.items(0)?);
    let mut saved = Vec::new();
    let mut at = 0;
    Ok(Value::Lazy(LazyIter::new(iterator_classes::CYCLE, move |run| {
        if let Some(items) = &source {
            if let Some(item) = items.next(run)? {
                run.spend(budget::ITEM)?;
                saved.push(item.clone());
                return Ok(Some(item));
            }
            source = None;
        }
        let item = saved.get(at).cloned();
        at = if at + 1 < saved.len() { at + 1 } else { 0 };
        Ok(item)
    })))
}
