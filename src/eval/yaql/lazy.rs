//! Sequences that are computed when they are asked for: Python's iterators.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use super::call::Run;
use super::{Failure, Outcome, Value};

/// An iterator. Clones are the same iterator: what one has taken the other does not get.
#[derive(Clone)]
pub(crate) struct Lazy(Rc<Inner>);

struct Inner {
    /// What it is in Python, which shows in texts and sizes.
    class: Class,
    ended: Cell<bool>,
    next: RefCell<Box<dyn FnMut(&Run) -> Outcome<Option<Value>>>>,
    /// How `iter()` begins again, where it does.
    again: Option<Box<dyn Fn() -> Lazy>>,
}

/// What an iterator is in Python.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Class {
    /// The name of its type.
    pub(crate) name: &'static str,
    /// `sys.getsizeof()` of it.
    pub(crate) size: usize,
}

impl Class {
    /// A generator; the size is nearly the same for all that yaql has, and far from any quota.
    pub(crate) const GENERATOR: Class = Class { name: "generator", size: 200 };
    pub(crate) const MAP: Class = Class { name: "map", size: 48 };
    pub(crate) const FILTER: Class = Class { name: "filter", size: 48 };
    pub(crate) const TUPLE: Class = Class { name: "tuple_iterator", size: 48 };
}

impl Lazy {
    /// An iterator that `next` computes; after an end or a failure it is not asked again.
    pub(crate) fn new(
        class: Class,
        next: impl FnMut(&Run) -> Outcome<Option<Value>> + 'static,
    ) -> Self {
        Lazy::with(class, next, None)
    }

    /// An iterator that begins again with every `iter()`.
    pub(crate) fn restarting(
        class: Class,
        next: impl FnMut(&Run) -> Outcome<Option<Value>> + 'static,
        again: impl Fn() -> Lazy + 'static,
    ) -> Self {
        Lazy::with(class, next, Some(Box::new(again)))
    }

    fn with(
        class: Class,
        next: impl FnMut(&Run) -> Outcome<Option<Value>> + 'static,
        again: Option<Box<dyn Fn() -> Lazy>>,
    ) -> Self {
        let (ended, next) = (Cell::new(false), RefCell::new(Box::new(next) as Box<_>));
        Lazy(Rc::new(Inner { class, ended, next, again }))
    }

    /// An iterator over items that are there.
    pub(crate) fn over(items: Rc<[Value]>) -> Self {
        let mut at = 0;
        Lazy::new(Class::TUPLE, move |_| {
            at += 1;
            Ok(items.get(at - 1).cloned())
        })
    }

    /// The next item.
    pub(crate) fn next(&self, run: &Run) -> Outcome<Option<Value>> {
        if self.0.ended.get() {
            return Ok(None);
        }
        run.step()?;
        let _deeper = run.deeper(1)?;
        let Ok(mut next) = self.0.next.try_borrow_mut() else {
            return Err(Failure::value("generator already executing"));
        };
        let found = next(run);
        if !matches!(found, Ok(Some(_))) {
            self.0.ended.set(true);
        }
        found
    }

    /// `iter()`: itself, or a new one where it begins again.
    pub(crate) fn iter(&self) -> Lazy {
        self.0.again.as_ref().map_or_else(|| self.clone(), |again| again())
    }

    /// What it is in Python.
    pub(crate) fn class(&self) -> Class {
        self.0.class
    }

    /// Whether the two are one.
    pub(crate) fn is(&self, other: &Lazy) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }

    /// What tells it from every other.
    pub(crate) fn address(&self) -> usize {
        Rc::as_ptr(&self.0).addr()
    }

    /// All items that are left.
    pub(crate) fn collect(&self, run: &Run) -> Outcome<Vec<Value>> {
        let mut items = Vec::new();
        while let Some(item) = self.next(run)? {
            items.push(item);
        }
        Ok(items)
    }
}

impl std::fmt::Debug for Lazy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "<{}>", self.0.class.name)
    }
}
