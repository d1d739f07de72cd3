//! Functions that select items.

use std::collections::HashSet;

use super::callee::Callee;
use super::remember::remembering;
use super::{container_growth, iterator_classes};
use crate::call::Call;
use crate::compare::truth;
use crate::hash::{HashKey, KeyBuildHasher};
use crate::lazy_iter::{IteratorClass, LazyIter};
use crate::value::View;
use crate::{Outcome, Value};

pub(super) fn where_(call: &Call) -> Outcome {
    let (items, predicate) = (call.items(0)?, Callee::optional(call, 1)?);
    Ok(Value::Lazy(LazyIter::new(IteratorClass::FILTER, move |run| {
        while let Some(item) = items.next(run)? {
            // Without a function, Python's filter() tests the items themselves.
            let taken = match &predicate {
                Some(predicate) => predicate.holds(run, &item)?,
                None => truth(&item)?,
            };
            if taken {
                return Ok(Some(item));
            }
        }
        Ok(None)
    })))
}

pub(super) fn take_while(call: &Call) -> Outcome {
    let (items, predicate) = (call.items(0)?, Callee::of(call, 1)?);
    Ok(Value::Lazy(LazyIter::new(iterator_classes::TAKE_WHILE, move |run| {
        match items.next(run)? {
            Some(item) if predicate.holds(run, &item)? => Ok(Some(item)),
            _ => Ok(None),
        }
    })))
}

pub(super) fn skip_while(call: &Call) -> Outcome {
    let (items, predicate) = (call.items(0)?, Callee::of(call, 1)?);
    let mut started = false;
    Ok(Value::Lazy(LazyIter::new(iterator_classes::DROP_WHILE, move |run| {
        while let Some(item) = items.next(run)? {
            if started || !predicate.holds(run, &item)? {
                started = true;
                return Ok(Some(item));
            }
        }
        Ok(None)
    })))
}

pub(super) fn distinct(call: &Call) -> Outcome {
    Ok(Value::Lazy(distinct_items(call.items(0)?, Callee::optional(call, 1)?)))
}

pub(super) fn distinct_items(items: LazyIter, key: Option<Callee>) -> LazyIter {
    let mut seen = SeenKeys::new();
    LazyIter::generator("distinct", 264, move |run| {
        while let Some(item) = items.next(run)? {
            let key = match &key {
                Some(key) => HashKey::of(&key.of_item(run, &item)?)?,
                None => HashKey::of(&item)?,
            };
            if let Some(bytes) = seen.insert(key) {
                run.check_bytes(bytes)?;
                return Ok(Some(item));
            }
        }
        Ok(None)
    })
}

/// The keys that have occurred.
#[derive(Debug)]
pub(super) struct SeenKeys {
    keys: HashSet<HashKey, KeyBuildHasher>,
    size: container_growth::SetGrowth,
}

impl SeenKeys {
    pub(super) fn new() -> Self {
        SeenKeys { keys: HashSet::default(), size: container_growth::SetGrowth::new() }
    }

    /// Adds a key; returns the size of Python's set in bytes if the key is new.
    pub(super) fn insert(&mut self, key: HashKey) -> Option<usize> {
        self.keys.insert(key).then(|| self.size.add())
    }
}

pub(super) fn default_if_empty(call: &Call) -> Outcome {
    let length = match call.value(0) {
        Value::Tuple(items) | Value::List(items) => Some(items.len()),
        Value::Set(set) => Some(set.len()),
        Value::View(View::Keys | View::Items, dict) => Some(dict.pairs.len()),
        _ => None,
    };
    let collection = remembering(call.value(0).clone());
    let is_empty = match length {
        Some(length) => length == 0,
        None => collection.iter(call.run)?.next(call.run)?.is_none(),
    };
    Ok(if is_empty { call.value(1).clone() } else { collection })
}
