//! Drops nested values without recursion.
//!
//! Iterators contain iterators and contexts contain contexts, nested as deeply as an expression does it: dropping
//! them recursively would need that much stack. Whatever is dropped while another drop is in progress waits
//! here until that one has finished.

use std::cell::{Cell, RefCell};

use super::Value;
use super::context::Context;
use super::lazy_iter::{NextFn, RestartFn};
use super::value::Structure;

/// A value that can contain other values.
pub(super) enum DeferredItem {
    Next(NextFn),
    Again(RestartFn),
    Context(Context),
    Value(Value),
}

impl DeferredItem {
    fn drop_what_it_holds(self) {
        match self {
            DeferredItem::Next(next) => drop(next),
            DeferredItem::Again(again) => drop(again),
            DeferredItem::Context(context) => drop(context),
            DeferredItem::Value(value) => drop(value),
        }
    }
}

struct DropQueue {
    waiting: RefCell<Vec<DeferredItem>>,
    busy: Cell<bool>,
}

thread_local! {
    static DROP_QUEUE: DropQueue = const { DropQueue { waiting: RefCell::new(Vec::new()), busy: Cell::new(false) } };
}

/// Drops an item, now or after the drop in progress.
pub(super) fn defer_drop(item: DeferredItem) {
    // While the thread ends, the queue no longer exists, and the item is dropped directly.
    let _ = DROP_QUEUE.try_with(|grave| {
        if grave.busy.replace(true) {
            grave.waiting.borrow_mut().push(item);
            return;
        }
        let mut next = Some(item);
        while let Some(item) = next {
            item.drop_what_it_holds();
            next = grave.waiting.borrow_mut().pop();
        }
        grave.busy.set(false);
    });
}

/// Drops a value, deferred only if it can contain others.
pub(super) fn defer_drop_value(value: Value) {
    if is_container(&value) {
        defer_drop(DeferredItem::Value(value));
    }
}

/// Takes a value out of its place and drops it deferred, if it can contain others.
pub(super) fn defer_drop_in_place(place: &mut Value) {
    if is_container(place) {
        defer_drop(DeferredItem::Value(std::mem::replace(place, Value::Null)));
    }
}

/// Whether a value can contain others.
pub(super) fn is_container(value: &Value) -> bool {
    match value.structure() {
        Structure::Sequence | Structure::Dict | Structure::Holder => true,
        Structure::Atom | Structure::Unknown => false,
    }
}
