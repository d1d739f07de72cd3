//! Sequences that are computed when they are asked for: Python's iterators.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use super::call::Run;
use super::grave::{self, Buried};
use super::items::Items;
use super::{Failure, Outcome, Value, effort, text};

/// An iterator. Clones are the same iterator: what one has taken the other does not get.
#[derive(Clone)]
pub(crate) struct Lazy(Rc<Inner>);

/// What computes the items of an iterator.
pub(super) type Next = Box<dyn FnMut(&Run) -> Outcome<Option<Value>>>;
/// What begins an iterator again.
pub(super) type Again = Box<dyn Fn() -> Lazy>;

struct Inner {
    /// What it is in Python, which shows in texts and sizes.
    class: Class,
    text: Text,
    ended: Cell<bool>,
    next: RefCell<Next>,
    /// How `iter()` begins again, where it does.
    again: Option<Again>,
}

impl Drop for Inner {
    fn drop(&mut self) {
        grave::bury(Buried::Next(self.next.replace(Box::new(|_| Ok(None)))));
        if let Some(again) = self.again.take() {
            grave::bury(Buried::Again(again));
        }
    }
}

/// `str()` of an iterator.
enum Text {
    /// What it is.
    Class,
    /// What it is, and the function that made it.
    Generator(&'static str),
    /// What it holds.
    Shown(Box<dyn Fn() -> Outcome<String>>),
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
    /// No iterator but a sequence, which only version 0.2 hands out.
    pub(crate) const RANGE: Class = Class { name: "range", size: 48 };
    pub(crate) const TUPLE: Class = Class { name: "tuple_iterator", size: 48 };

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

impl Lazy {
    /// An iterator that `next` computes; whether it is asked again after an end or a failure is a matter
    /// of its class.
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
        again: Option<Again>,
    ) -> Self {
        let (ended, next) = (Cell::new(false), RefCell::new(Box::new(next) as Next));
        Lazy(Rc::new(Inner { class, text: Text::Class, ended, next, again }))
    }

    /// A generator, by the name of its function and its size in Python.
    pub(crate) fn generator(
        function: &'static str,
        size: usize,
        next: impl FnMut(&Run) -> Outcome<Option<Value>> + 'static,
    ) -> Self {
        let class = Class { size, ..Class::GENERATOR };
        Lazy::new(class, next).with_text(Text::Generator(function))
    }

    /// The same iterator, which shows something of its own as a text.
    #[must_use]
    pub(crate) fn shown(self, text: impl Fn() -> Outcome<String> + 'static) -> Self {
        self.with_text(Text::Shown(Box::new(text)))
    }

    fn with_text(mut self, text: Text) -> Self {
        if let Some(inner) = Rc::get_mut(&mut self.0) {
            inner.text = text;
        }
        self
    }

    /// An iterator over items that are there.
    pub(crate) fn over(items: Items) -> Self {
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
        // Iterators that are written in C take no frame of Python; what they call takes some.
        let _deeper = run.deeper(usize::from(self.0.class.is_written_in_python()))?;
        let Ok(mut next) = self.0.next.try_borrow_mut() else {
            return Err(Failure::value("generator already executing"));
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
    pub(crate) fn iter(&self) -> Lazy {
        self.0.again.as_ref().map_or_else(|| self.clone(), |again| again())
    }

    /// What it is in Python.
    pub(crate) fn class(&self) -> Class {
        self.0.class
    }

    /// `str()` of it, without its address in memory.
    pub(crate) fn text(&self) -> Outcome<String> {
        Ok(match &self.0.text {
            Text::Shown(text) => text()?,
            Text::Generator(function) => {
                text::shows_address();
                format!("<generator object {function}>")
            }
            Text::Class => {
                text::shows_address();
                format!("<{}{} object>", self.0.class.module(), self.0.class.name)
            }
        })
    }

    /// Whether the two are one.
    pub(crate) fn is(&self, other: &Lazy) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }

    /// Whether it is a `range` of Python: it begins again with every `iter()`, and what only sequences
    /// can is not known of it.
    pub(crate) fn is_range(&self) -> bool {
        self.0.class == Class::RANGE
    }

    /// What tells it from every other.
    pub(crate) fn address(&self) -> usize {
        Rc::as_ptr(&self.0).addr()
    }

    /// All items that are left.
    pub(crate) fn collect(&self, run: &Run) -> Outcome<Vec<Value>> {
        let mut items = Vec::new();
        while let Some(item) = self.next(run)? {
            run.work(effort::ITEM)?;
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
