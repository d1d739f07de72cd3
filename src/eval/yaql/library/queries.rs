//! Sequences.

use std::rc::Rc;

use super::super::call::{Call, Run};
use super::super::compare::truth;
use super::super::function::{Function, method, param};
use super::super::lazy::{Class, Lazy};
use super::super::types::Type;
use super::super::{Outcome, Value};

pub(crate) const FUNCTIONS: &[Function] = &[method(
    "where",
    &[param("collection", Type::Iterable), param("predicate", Type::Lambda)],
    where_,
)];

/// What `orderBy` yields.
#[derive(Debug)]
pub(crate) struct Ordering;

impl Ordering {
    /// The items in order.
    pub(crate) fn sorted(&self, _run: &Run) -> Outcome<Rc<[Value]>> {
        Ok(Rc::from([]))
    }
}

fn where_(call: &Call) -> Outcome {
    let (items, predicate) = (call.items(0)?, call.lambda(1)?);
    Ok(Value::Lazy(Lazy::new(Class::FILTER, move |run| {
        while let Some(item) = items.next(run)? {
            if truth(&predicate.call(run, std::slice::from_ref(&item))?)? {
                return Ok(Some(item));
            }
        }
        Ok(None)
    })))
}
