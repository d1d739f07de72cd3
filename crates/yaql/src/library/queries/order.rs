//! Functions that sort sequences.

use std::cell::RefCell;
use std::rc::Rc;

use super::callee::Callee;
use super::sort::sorted;
use crate::call::{Call, Run};
use crate::compare::truth;
use crate::items::Items;
use crate::{Failure, Outcome, Value};

/// The result of `orderBy`, sorted when it is first iterated.
#[derive(Debug)]
pub(crate) struct OrderingIterable {
    collection: Value,
    less: Callee,
    greater: Callee,
    /// The sort keys, most important first. `thenBy` adds to them.
    fields: RefCell<Vec<SortField>>,
    sorted: RefCell<Option<Items>>,
}

#[derive(Clone, Debug)]
struct SortField {
    selector: Callee,
    ascending: bool,
}

pub(super) fn order_by(call: &Call) -> Outcome {
    ordering(call, true)
}

pub(super) fn order_by_descending(call: &Call) -> Outcome {
    ordering(call, false)
}

fn ordering(call: &Call, ascending: bool) -> Outcome {
    Ok(Value::Ordering(Rc::new(OrderingIterable {
        collection: call.value(0).clone(),
        less: Callee::library(call, "#operator_<"),
        greater: Callee::library(call, "#operator_>"),
        fields: RefCell::new(vec![SortField { selector: Callee::of(call, 1)?, ascending }]),
        sorted: RefCell::default(),
    })))
}

pub(super) fn then_by(call: &Call) -> Outcome {
    refine(call, true)
}

pub(super) fn then_by_descending(call: &Call) -> Outcome {
    refine(call, false)
}

fn refine(call: &Call, ascending: bool) -> Outcome {
    let Value::Ordering(ordering) = call.value(0) else { return Err(Failure::Unknown) };
    ordering.fields.borrow_mut().push(SortField { selector: Callee::of(call, 1)?, ascending });
    Ok(call.value(0).clone())
}

impl OrderingIterable {
    pub(crate) fn sorted(&self, run: &Run) -> Outcome<Items> {
        if let Some(sorted) = &*self.sorted.borrow() {
            return Ok(sorted.clone());
        }
        let _deeper = run.enter_frames(1)?;
        let items = self.collection.iter(run)?.collect(run)?;
        let order =
            sorted(items.len(), |one, other| self.precedes(run, &items[one], &items[other]))?;
        let sorted: Items = order.into_iter().map(|at| items[at].clone()).collect();
        *self.sorted.borrow_mut() = Some(sorted.clone());
        Ok(sorted)
    }

    /// Whether one item must come before another.
    fn precedes(&self, run: &Run, one: &Value, other: &Value) -> Outcome<bool> {
        let mut at = 0;
        // A selector may itself add fields.
        while let Some(SortField { selector, ascending }) = self.field(at) {
            let pair = [selector.of_item(run, one)?, selector.of_item(run, other)?];
            if truth(&self.less.call(run, &pair)?)? {
                return Ok(ascending);
            }
            if truth(&self.greater.call(run, &pair)?)? {
                return Ok(!ascending);
            }
            at += 1;
        }
        Ok(false)
    }

    fn field(&self, at: usize) -> Option<SortField> {
        self.fields.borrow().get(at).cloned()
    }
}
