//! Iterators that can be restarted.

use std::cell::RefCell;
use std::rc::Rc;

use super::{container_growth, iterator_classes};
use crate::call::{Call, Run};
use crate::lazy_iter::LazyIter;
use crate::{Outcome, Value};

/// An iterator with the items taken from it.
struct RememberedItems {
    source: LazyIter,
    taken: RefCell<(Vec<Value>, container_growth::ListGrowth)>,
}

pub(super) fn memorize(call: &Call) -> Outcome {
    Ok(remembering(call.value(0).clone()))
}

/// The collection, or if it can be iterated only once, an iterator over it that `iter()`
/// restarts.
pub(crate) fn remembering(collection: Value) -> Value {
    match collection {
        Value::Lazy(source) => {
            let taken = RefCell::default();
            Value::Lazy(from_start(&Rc::new(RememberedItems { source, taken })))
        }
        collection => collection,
    }
}

fn from_start(memory: &Rc<RememberedItems>) -> LazyIter {
    let mut at = 0;
    let (mine, again) = (memory.clone(), memory.clone());
    let next = move |run: &Run| {
        let found = mine.item(run, at)?;
        at += usize::from(found.is_some());
        Ok(found)
    };
    LazyIter::restarting(iterator_classes::REMEMBERING, next, move || from_start(&again))
}

impl RememberedItems {
    fn item(&self, run: &Run, at: usize) -> Outcome<Option<Value>> {
        if let Some(item) = self.taken.borrow().0.get(at) {
            return Ok(Some(item.clone()));
        }
        let found = self.source.next(run)?;
        if let Some(item) = &found {
            let (items, size) = &mut *self.taken.borrow_mut();
            items.push(item.clone());
            run.check_bytes(size.push())?;
        }
        Ok(found)
    }
}
