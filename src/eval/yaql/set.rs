//! Python's sets, and the order in which they are read.

use std::rc::Rc;

use super::Value;
use super::call::Run;
use super::hash::{BuildHasher, Key};

/// A set.
#[derive(Debug)]
pub(crate) struct Set {
    /// What it holds, in the order of its arrival.
    pub(crate) items: indexmap::IndexSet<Key, BuildHasher>,
    /// Whether it is yaql's, which can be a key, or a `set` of Python, which cannot.
    pub(crate) frozen: bool,
}

impl Set {
    /// How many items it has.
    pub(crate) fn len(&self) -> usize {
        self.items.len()
    }

    /// The items in the order in which Python reads them.
    pub(crate) fn in_order(&self, _run: &Run) -> Rc<[Value]> {
        self.items.iter().map(|key| key.value().clone()).collect()
    }
}
