//! The iteration order of sets.

use std::cell::Cell;

use super::Set;
use crate::call::Run;
use crate::hash::{self, HashKey};
use crate::items::Items;
use crate::{Value, budget};

impl Set {
    /// Whether every Python process iterates in the same order.
    pub(super) fn is_ordered(&self) -> bool {
        self.used < 2 || self.is_deterministic()
    }

    /// The members in Python's iteration order, or if that differs between processes, in one of the
    /// possible orders.
    pub(crate) fn read(&self) -> Vec<Value> {
        self.mark_order_observed();
        budget::spend_infallibly(budget::times(self.used, budget::ITEM));
        self.in_read_order().into_iter().map(|key| key.value().clone()).collect()
    }

    /// Records that the result depends on the set's order.
    pub(crate) fn mark_order_observed(&self) {
        if !self.is_ordered() {
            READ_ORDER.with(|order| order.observed.set(true));
        }
    }

    /// The members in the order of [`Set::read`], for uses that depend on it only if they fail.
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

    /// The result of [`Set::read`] as shared items.
    pub(crate) fn in_order(&self, _run: &Run) -> Items {
        self.read().into()
    }
}

/// The iteration order of this thread for sets whose order differs between Python processes.
struct ReadOrder {
    shuffle: Cell<u64>,
    observed: Cell<bool>,
}

thread_local! {
    static READ_ORDER: ReadOrder = const { ReadOrder { shuffle: Cell::new(0), observed: Cell::new(false) } };
}

/// Selects the order for sets whose order differs between Python processes: 0 for insertion order,
/// 1 for the reverse, anything else is the seed of a pseudorandom order.
pub(crate) fn set_read_order(shuffle: u64) {
    READ_ORDER.with(|order| {
        order.shuffle.set(shuffle);
        order.observed.set(false);
    });
}

/// Whether such a set was read since the last call of [`set_read_order`].
pub(crate) fn was_order_observed() -> bool {
    READ_ORDER.with(|order| order.observed.get())
}
