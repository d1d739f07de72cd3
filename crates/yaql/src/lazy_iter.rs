//! Lazily computed sequences: Python's iterators.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use super::call::Run;
use super::deferred_drop::{self, DeferredItem};
use super::items::Items;
use super::{Failure, Outcome, Value, budget, text};

/// An iterator. Clones share their state: an item is returned only once.
#[derive(Clone)]
pub(crate) struct LazyIter(Rc<LazyState>);

/// Computes the next item of an iterator.
pub(super) type NextFn = Box<dyn FnMut(&Run) -> Outcome<Option<Value>>>;
/// Creates a new iterator over the same source.
pub(super) type RestartFn = Box<dyn Fn() -> LazyIter>;

struct LazyState {
    /// Its Python class, which is visible in texts and sizes.
    class: IteratorClass,
    text: IteratorText,
    ended: Cell<bool>,
    next: RefCell<NextFn>,
    /// How `iter()` restarts it, if it can.
    restart: Option<RestartFn>,
}

impl Drop for LazyState {
    fn drop(&mut self) {
        deferred_drop::defer_drop(DeferredItem::Next(self.next.replace(Box::new(|_| Ok(None)))));
        if let Some(again) = self.restart.take() {
            deferred_drop::defer_drop(DeferredItem::Again(again));
        }
    }
}

/// `str()` of an iterator, without the address.
enum IteratorText {
    /// The default of Python's classes, with the class name.
    Class,
    /// A generator of this function.
    Generator(&'static str),
    /// A text of its own.
    Shown(Box<dyn Fn() -> Outcome<String>>),
}

/// The Python class of an iterator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct IteratorClass {
    /// The name in Python, such as `generator`.
    pub(crate) name: &'static str,
    /// The size in bytes that `sys.getsizeof()` returns.
    pub(crate) size: usize,
}

impl IteratorClass {
    /// A generator; the sizes of yaql's generators are nearly the same, and far from any quota.
    pub(crate) const GENERATOR: IteratorClass = IteratorClass { name: "generator", size: 200 };
    pub(crate) const MAP: IteratorClass = IteratorClass { name: "map", size: 48 };
    pub(crate) const FILTER: IteratorClass = IteratorClass { name: "filter", size: 48 };
    pub(crate) const TUPLE: IteratorClass = IteratorClass { name: "tuple_iterator", size: 48 };

    /// The class name in Python's messages: classes of modules include the module.
    pub(crate) fn type_name(self) -> &'static str {
        match self.name {
            "chain" => "itertools.chain",
            "count" => "itertools.count",
            "cycle" => "itertools.cycle",
            "dropwhile" => "itertools.dropwhile",
            "islice" => "itertools.islice",
            "repeat" => "itertools.repeat",
            "takewhile" => "itertools.takewhile",
            "zip_longest" => "itertools.zip_longest",
            name => name,
        }
    }

    /// The module that `repr()` shows, with a trailing dot; empty if it shows none.
    pub(crate) fn module(self) -> &'static str {
        match self.name {
            "chain" | "count" | "cycle" | "dropwhile" | "islice" | "repeat" | "takewhile"
            | "zip_longest" => "itertools.",
            "RememberingIterator" => "yaql.language.utils.memorize.<locals>.",
            _ => "",
        }
    }

    fn is_written_in_python(self) -> bool {
        matches!(self.name, "generator" | "RememberingIterator")
    }

    /// Whether an ended iterator stays ended; others try their sources again.
    fn stays_ended(self) -> bool {
        !matches!(self.name, "map" | "filter" | "zip" | "dropwhile" | "RememberingIterator")
    }

    /// Whether an iterator ends when it fails; others continue after a failure.
    fn ends_by_failure(self) -> bool {
        matches!(self.name, "generator" | "islice" | "zip_longest")
    }
}

impl LazyIter {
    /// An iterator that calls `next` for each item; its class decides whether that happens again after an end
    /// or a failure.
    pub(crate) fn new(
        class: IteratorClass,
        next: impl FnMut(&Run) -> Outcome<Option<Value>> + 'static,
    ) -> Self {
        LazyIter::with(class, next, None)
    }

    /// An iterator that `iter()` restarts.
    pub(crate) fn restarting(
        class: IteratorClass,
        next: impl FnMut(&Run) -> Outcome<Option<Value>> + 'static,
        again: impl Fn() -> LazyIter + 'static,
    ) -> Self {
        LazyIter::with(class, next, Some(Box::new(again)))
    }

    fn with(
        class: IteratorClass,
        next: impl FnMut(&Run) -> Outcome<Option<Value>> + 'static,
        again: Option<RestartFn>,
    ) -> Self {
        let (ended, next) = (Cell::new(false), RefCell::new(Box::new(next) as NextFn));
        LazyIter(Rc::new(LazyState {
            class,
            text: IteratorText::Class,
            ended,
            next,
            restart: again,
        }))
    }

    /// A generator, with the name of its function and its size in Python.
    pub(crate) fn generator(
        function: &'static str,
        size: usize,
        next: impl FnMut(&Run) -> Outcome<Option<Value>> + 'static,
    ) -> Self {
        let class = IteratorClass { size, ..IteratorClass::GENERATOR };
        LazyIter::new(class, next).with_text(IteratorText::Generator(function))
    }

    /// The same iterator with its own text.
    #[must_use]
    pub(crate) fn shown(self, text: impl Fn() -> Outcome<String> + 'static) -> Self {
        self.with_text(IteratorText::Shown(Box::new(text)))
    }

    fn with_text(mut self, text: IteratorText) -> Self {
        if let Some(inner) = Rc::get_mut(&mut self.0) {
            inner.text = text;
        }
        self
    }

    /// An iterator over existing items.
    pub(crate) fn over(items: Items) -> Self {
        let mut at = 0;
        LazyIter::new(IteratorClass::TUPLE, move |_| {
            at += 1;
            Ok(items.get(at - 1).cloned())
        })
    }

    /// Computes the next item; `None` at the end.
    pub(crate) fn next(&self, run: &Run) -> Outcome<Option<Value>> {
        if self.0.ended.get() {
            return Ok(None);
        }
        run.step()?;
        // Iterators implemented in C take no Python frame; what they call does.
        let _deeper = run.enter_frames(usize::from(self.0.class.is_written_in_python()))?;
        let Ok(mut next) = self.0.next.try_borrow_mut() else {
            return Err(Failure::value_error("generator already executing"));
        };
        let found = next(run);
        let ended = match &found {
            Ok(Some(_)) => false,
            Ok(None) => self.0.class.stays_ended(),
            Err(_) => self.0.class.ends_by_failure(),
        };
        if ended {
            self.0.ended.set(true);
        }
        found
    }

    /// `iter()`: itself, or a new iterator if it can be restarted.
    pub(crate) fn iter(&self) -> LazyIter {
        self.0.restart.as_ref().map_or_else(|| self.clone(), |again| again())
    }

    pub(crate) fn class(&self) -> IteratorClass {
        self.0.class
    }

    /// `str()`, without the address.
    pub(crate) fn text(&self) -> Outcome<String> {
        Ok(match &self.0.text {
            IteratorText::Shown(text) => text()?,
            IteratorText::Generator(function) => {
                text::mark_address_shown();
                format!("<generator object {function}>")
            }
            IteratorText::Class => {
                text::mark_address_shown();
                format!("<{}{} object>", self.0.class.module(), self.0.class.name)
            }
        })
    }

    /// Whether both are the same object.
    pub(crate) fn is(&self, other: &LazyIter) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }

    /// The address, which identifies the object.
    pub(crate) fn address(&self) -> usize {
        Rc::as_ptr(&self.0).addr()
    }

    /// The items that are left, each counted against the budget.
    pub(crate) fn collect(&self, run: &Run) -> Outcome<Vec<Value>> {
        let mut items = Vec::new();
        while let Some(item) = self.next(run)? {
            run.spend(budget::ITEM)?;
            items.push(item);
        }
        Ok(items)
    }
}

impl std::fmt::Debug for LazyIter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "<{}>", self.0.class.name)
    }
}
