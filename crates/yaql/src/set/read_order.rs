//! In which order sets are read.

use std::cell::Cell;

use super::Set;
use crate::call::Run;
use crate::hash::{self, HashKey};
use crate::items::Items;
use crate::{Value, budget};

impl Set {
    /// Whether every process of Python reads it in the same order.
    pub(super) fn is_ordered(&self) -> bool {
        self.used < 2 || self.is_deterministic()
    }

    /// The members in the order in which Python reads them, or where there is none, in one of those in
    /// which it may.
    pub(crate) fn read(&self) -> Vec<Value> {
        self.mark_order_observed();
        budget::spend_infallibly(budget::times(self.used, budget::ITEM));
        self.in_read_order().into_iter().map(|key| key.value().clone()).collect()
    }

    /// Tells that the outcome depends on the order in which the set is read.
    pub(crate) fn mark_order_observed(&self) {
        if !self.is_ordered() {
            READ_ORDER.with(|order| order.observed.set(true));
        }
    }

    /// The members in the order of [`Set::read`], for what depends on it only where it fails.
    pub(crate) fn in_read_order(&self) -> Vec<&HashKey> {
        if self.is_ordered() {
            return self.by_slot().collect();
        }
        let mut keys: Vec<&HashKey> = self.members().collect();
        match READ_ORDER.with(|order| order.shuffle.get()) {
            0 => {}
            1 => keys.reverse(),
            seed => keys.sort_by_cached_key(|key| hash::shuffled(key.hash(), seed)),
        }
        keys
    }

    /// The same, shared.
    pub(crate) fn in_order(&self, _run: &Run) -> Items {
        self.read().into()
    }
}

/// How this thread reads sets that have no order in Python.
struct ReadOrder {
    shuffle: Cell<u64>,
    observed: Cell<bool>,
}

thread_local! {
    static READ_ORDER: ReadOrder = const { ReadOrder { shuffle: Cell::new(0), observed: Cell::new(false) } };
}

/// From now on, sets that have no order in Python are read in this one: 0 in the order in which their
/// members arrived, 1 in the opposite one, others at random.
pub(crate) fn set_read_order(shuffle: u64) {
    READ_ORDER.with(|order| {
        order.shuffle.set(shuffle);
        order.observed.set(false);
    });
}

/// Whether a set was read since then whose order no two processes of Python agree on.
pub(crate) fn was_order_observed() -> bool {
    READ_ORDER.with(|order| order.observed.get())
}
