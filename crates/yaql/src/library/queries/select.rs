//! Functions that map each item.

use super::callee::Callee;
use super::generate::ArithmeticSequence;
use super::iterable;
use crate::call::Call;
use crate::lazy_iter::{IteratorClass, LazyIter};
use crate::{Failure, Outcome, Value};
use python_semantics::number::Integer;

pub(super) fn select(call: &Call) -> Outcome {
    let (items, selector) = (call.items(0)?, Callee::of(call, 1)?);
    Ok(Value::Lazy(mapped(items, move |run, item| selector.of_item(run, &item))))
}

/// Maps each item with `compute`.
pub(super) fn mapped(
    items: LazyIter,
    mut compute: impl FnMut(&crate::call::Run, Value) -> Outcome + 'static,
) -> LazyIter {
    LazyIter::new(IteratorClass::MAP, move |run| match items.next(run)? {
        Some(item) => compute(run, item).map(Some),
        None => Ok(None),
    })
}

/// `collection.attribute`: the attribute of every item.
pub(super) fn attribute(call: &Call) -> Outcome {
    let (items, attribute) = (call.items(0)?, call.value(1).clone());
    let dot = Callee::library(call, "#operator_.");
    Ok(Value::Lazy(mapped(items, move |run, item| dot.call(run, &[item, attribute.clone()]))))
}

pub(super) fn select_many(call: &Call) -> Outcome {
    let (items, selector) = (call.items(0)?, Callee::of(call, 1)?);
    let mut inner: Option<LazyIter> = None;
    Ok(Value::Lazy(LazyIter::generator("select_many", 232, move |run| {
        loop {
            if let Some(current) = &inner {
                match current.next(run)? {
                    Some(item) => return Ok(Some(item)),
                    None => inner = None,
                }
            }
            let Some(item) = items.next(run)? else { return Ok(None) };
            let found = selector.of_item(run, &item)?;
            if !iterable(&found)? {
                return Ok(Some(found));
            }
            inner = Some(found.iter(run)?);
        }
    })))
}

pub(super) fn enumerate(call: &Call) -> Outcome {
    let items = call.items(0)?;
    let mut numbers = match call.value(1) {
        Value::Null => None,
        _ => Some(ArithmeticSequence::new(call.int(1)?, Integer::Small(1))),
    };
    Ok(Value::Lazy(LazyIter::generator("enumerate_", 232, move |run| {
        let Some(numbers) = &mut numbers else {
            return Err(Failure::type_error(
                "'NoneType' object cannot be interpreted as an integer",
            ));
        };
        let Some(item) = items.next(run)? else { return Ok(None) };
        Ok(Some(Value::list([Value::Int(numbers.next()), item])))
    })))
}
