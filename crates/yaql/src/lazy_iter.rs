//! Sequences that are computed when they are asked for: Python's iterators.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use super::call::Run;
use super::deferred_drop::{self, DeferredItem};
use super::items::Items;
use super::{Failure, Outcome, Value, budget, text};

/// An iterator. Clones are the same iterator: what one has taken the other does not get.
#[derive(Clone)]
pub(crate) struct LazyIter(Rc<LazyState>);

/// What computes the items of an iterator.
pub(super) type NextFn = Box<dyn FnMut(&Run) -> Outcome<Option<Value>>>;
/// What begins an iterator again.
pub(super) type RestartFn = Box<dyn Fn() -> LazyIter>;

struct LazyState {
    /// What it is in Python, which shows in texts and sizes.
    class: IteratorClass,
    text: IteratorText,
    ended: Cell<bool>,
    next: RefCell<NextFn>,
    /// How `iter()` begins again, where it does.
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

/// `str()` of an iterator.
enum IteratorText {
    /// What it is.
    Class,
    /// What it is, and the function that made it.
    Generator(&'static str),
    /// What it holds.
    Shown(Box<dyn Fn() -> Outcome<String>>),
}

/// What an iterator is in Python.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct IteratorClass {
    /// The name of its type.
    pub(crate) name: &'static str,
    /// `sys.getsizeof()` of it.
    pub(crate) size: usize,
}

impl IteratorClass {
    /// A generator; the size is nearly the same for all that yaql has, and far from any quota.
    pub(crate) const GENERATOR: IteratorClass = IteratorClass { name: "generator", size: 200 };
    pub(crate) const MAP: IteratorClass = IteratorClass { name: "map", size: 48 };
    pub(crate) const FILTER: IteratorClass = IteratorClass { name: "filter", size: 48 };
    /// No iterator but a sequence, which only version 0.2 hands out.
    pub(crate) const RANGE: IteratorClass = IteratorClass { name: "range", size: 48 };
    pub(crate) const TUPLE: IteratorClass = IteratorClass { name: "tuple_iterator", size: 48 };

    /// The name of its type, as the messages of Python have it: types of modules carry these.
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

    /// Where Python defines it, with a dot at the end, unless it shows no such place.
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

    /// Whether there is nothing after an end; others ask their sources again.
    fn stays_ended(self) -> bool {
        !matches!(self.name, "map" | "filter" | "zip" | "dropwhile" | "RememberingIterator")
    }

    /// Whether there is nothing after a failure; others go on behind it.
    fn ends_by_failure(self) -> bool {
        matches!(self.name, "generator" | "islice" | "zip_longest")
    }
}

impl LazyIter {
    /// An iterator that `next` computes; whether it is asked again after an end or a failure is a matter
    /// of its class.
    pub(crate) fn new(
        class: IteratorClass,
        next: impl FnMut(&Run) -> Outcome<Option<Value>> + 'static,
    ) -> Self {
        LazyIter::with(class, next, None)
    }

    /// An iterator that begins again with every `iter()`.
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

    /// A generator, by the name of its function and its size in Python.
    pub(crate) fn generator(
        function: &'static str,
        size: usize,
        next: impl FnMut(&Run) -> Outcome<Option<Value>> + 'static,
    ) -> Self {
        let class = IteratorClass { size, ..IteratorClass::GENERATOR };
        LazyIter::new(class, next).with_text(IteratorText::Generator(function))
    }

    /// The same iterator, which shows something of its own as a text.
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

    /// An iterator over items that are there.
    pub(crate) fn over(items: Items) -> Self {
        let mut at = 0;
        LazyIter::new(IteratorClass::TUPLE, move |_| {
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
        // Iterators that are written in C take no frame of Python; what they call takes some.
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

    /// `iter()`: itself, or a new one where it begins again.
    pub(crate) fn iter(&self) -> LazyIter {
        self.0.restart.as_ref().map_or_else(|| self.clone(), |again| again())
    }

    /// What it is in Python.
    pub(crate) fn class(&self) -> IteratorClass {
        self.0.class
    }

    /// `str()` of it, without its address in memory.
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

    /// Whether the two are one.
    pub(crate) fn is(&self, other: &LazyIter) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }

    /// Whether it is a `range` of Python: it begins again with every `iter()`, and what only sequences
    /// can is not known of it.
    pub(crate) fn is_range(&self) -> bool {
        self.0.class == IteratorClass::RANGE
    }

    /// What tells it from every other.
    pub(crate) fn address(&self) -> usize {
        Rc::as_ptr(&self.0).addr()
    }

    /// All items that are left.
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
