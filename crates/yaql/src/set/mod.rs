//! Python's sets, with their iteration order.
//!
//! The hash table is built like CPython 3.11 builds it, so that sets whose members have the same hash in
//! every process are read in Python's order. The order of sets of texts differs between processes:
//! reading one is recorded ([`was_order_observed`]), and the whole expression is then evaluated
//! again in other orders.

mod algebra;
mod probes;
mod read_order;

#[cfg(test)]
mod tests;

use super::call::Run;
use super::hash::{self, HashKey};
use super::lazy_iter::LazyIter;
use super::{Outcome, budget, deferred_drop};
use probes::{Probes, SMALLEST};

pub(super) use read_order::{set_read_order, was_order_observed};

/// A Python `set` or `frozenset`, with the order in which CPython iterates it.
#[derive(Clone, Debug)]
pub(crate) struct Set {
    /// The members in insertion order; `None` for removed ones.
    members: Vec<Option<HashKey>>,
    /// The slots of the table, with indices into `members`.
    slots: Vec<Slot>,
    /// The number of members.
    used: usize,
    /// The number of slots that are not free.
    fill: usize,
    /// Whether it is yaql's frozen set, which can be a key, or Python's `set`, which cannot.
    pub(crate) frozen: bool,
}

impl Drop for Set {
    fn drop(&mut self) {
        for member in self.members.iter_mut() {
            if member.as_ref().is_some_and(|key| deferred_drop::is_container(key.value()))
                && let Some(key) = member.take()
            {
                deferred_drop::defer_drop_value(key.into_value());
            }
        }
    }
}

/// A slot of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Slot {
    Free,
    /// The slot of a removed member.
    Removed,
    /// The index of a member.
    Member(u32),
}

impl Set {
    pub(crate) fn empty(frozen: bool) -> Self {
        let table = vec![Slot::Free; SMALLEST];
        Set { members: Vec::new(), slots: table, used: 0, fill: 0, frozen }
    }

    /// `frozenset(keys)`.
    pub(crate) fn of_keys(keys: impl IntoIterator<Item = HashKey>) -> Self {
        let mut set = Set::empty(true);
        for key in keys {
            set.add(key);
        }
        set
    }

    /// `frozenset(items)`.
    ///
    /// # Errors
    ///
    /// `TypeError` for an item without a hash, and whatever the iterator raises.
    pub(crate) fn of_items(run: &Run, items: &LazyIter) -> Outcome<Self> {
        let mut set = Set::empty(true);
        while let Some(item) = items.next(run)? {
            // A member needs several times the space of an item.
            run.spend(budget::PAIR)?;
            set.add(HashKey::of(&item)?);
        }
        Ok(set)
    }

    /// The number of members.
    pub(crate) fn len(&self) -> usize {
        self.used
    }

    /// Whether a key is a member.
    pub(crate) fn contains(&self, key: &HashKey) -> bool {
        self.find(key).is_some()
    }

    /// The members in insertion order, for uses that do not depend on the order.
    pub(crate) fn members(&self) -> impl Iterator<Item = &HashKey> {
        self.members.iter().flatten()
    }

    /// The number of slots in the table.
    pub(super) fn slot_count(&self) -> usize {
        self.slots.len()
    }

    /// Its `hash()` in Python.
    pub(super) fn hash(&self) -> i64 {
        budget::spend_infallibly(budget::times(self.used, 1));
        let hashes: Vec<i64> = self.members().map(HashKey::hash).collect();
        hash::of_members(hashes.into_iter())
    }

    /// Whether every Python process computes the same hashes.
    pub(super) fn is_deterministic(&self) -> bool {
        self.members().all(HashKey::is_deterministic)
    }

    /// Whether each member is also in the other set.
    pub(crate) fn is_subset(&self, other: &Set) -> bool {
        budget::spend_infallibly(budget::times(self.used.min(other.used), 1));
        self.len() <= other.len() && self.members().all(|key| other.contains(key))
    }

    /// Whether both have the same members.
    pub(crate) fn same_members(&self, other: &Set) -> bool {
        self.len() == other.len() && self.is_subset(other)
    }

    // --- the table --------------------------------------------------------------------------------

    fn mask(&self) -> usize {
        self.slots.len() - 1
    }

    fn find(&self, key: &HashKey) -> Option<(usize, usize)> {
        let mut probes = Probes::new(key.hash(), self.mask());
        loop {
            let place = probes.next();
            match self.slots[place] {
                Slot::Free => return None,
                Slot::Removed => {}
                Slot::Member(at) => {
                    if self.members[at as usize].as_ref() == Some(key) {
                        return Some((place, at as usize));
                    }
                }
            }
        }
    }

    /// Adds a member if it is new.
    pub(crate) fn add(&mut self, key: HashKey) {
        let mut probes = Probes::new(key.hash(), self.mask());
        let mut removed = None;
        let free = loop {
            let place = probes.next();
            match self.slots[place] {
                Slot::Free => break place,
                Slot::Removed => removed = Some(place),
                Slot::Member(at) => {
                    if self.members[at as usize].as_ref() == Some(&key) {
                        return;
                    }
                }
            }
        };
        // There are never more members than 32 bits can count.
        let Ok(at) = u32::try_from(self.members.len()) else { return };
        self.slots[removed.unwrap_or(free)] = Slot::Member(at);
        self.members.push(Some(key));
        self.used += 1;
        if removed.is_some() {
            return;
        }
        self.fill += 1;
        if self.fill * 5 >= self.mask() * 3 {
            self.resize(self.growth_size());
        }
    }

    /// The size to grow to, which leaves space for further members.
    fn growth_size(&self) -> usize {
        if self.used > 50_000 { self.used * 2 } else { self.used * 4 }
    }

    /// Moves the members to a table with more than `least` slots.
    fn resize(&mut self, least: usize) {
        let mut size = SMALLEST;
        while size <= least {
            size *= 2;
        }
        let old = std::mem::replace(&mut self.slots, vec![Slot::Free; size]);
        self.fill = self.used;
        self.insert_clean(old.into_iter());
    }

    /// Inserts members that are not in the table.
    fn insert_clean(&mut self, places: impl Iterator<Item = Slot>) {
        let mask = self.mask();
        for place in places {
            let Slot::Member(at) = place else { continue };
            let Some(key) = &self.members[at as usize] else { continue };
            let mut probes = Probes::new(key.hash(), mask);
            loop {
                let free = probes.next();
                if self.slots[free] == Slot::Free {
                    self.slots[free] = place;
                    break;
                }
            }
        }
    }

    /// Removes a member; returns whether it was present.
    fn remove(&mut self, key: &HashKey) -> bool {
        let Some((place, at)) = self.find(key) else { return false };
        self.slots[place] = Slot::Removed;
        self.members[at] = None;
        self.used -= 1;
        true
    }

    /// The members in table order.
    fn by_slot(&self) -> impl Iterator<Item = &HashKey> {
        self.slots.iter().filter_map(|place| match place {
            Slot::Member(at) => self.members[*at as usize].as_ref(),
            Slot::Free | Slot::Removed => None,
        })
    }

    /// The members in the order of CPython's own loops over the table; where Python's order is not
    /// deterministic, in insertion order, which affects only the order of the result.
    pub(super) fn in_loop_order(&self) -> Vec<&HashKey> {
        if self.is_ordered() { self.by_slot().collect() } else { self.members().collect() }
    }

    /// Adds all members of another set.
    fn merge(&mut self, other: &Set) {
        budget::spend_infallibly(budget::times(other.used, budget::PAIR));
        if other.used == 0 {
            return;
        }
        if (self.fill + other.used) * 5 >= self.mask() * 3 {
            self.resize((self.used + other.used) * 2);
        }
        if self.fill > 0 {
            for key in other.in_loop_order() {
                self.add(key.clone());
            }
            return;
        }
        (self.used, self.fill) = (other.used, other.used);
        let places = other.without_gaps(&mut self.members);
        if self.mask() == other.mask() && other.fill == other.used {
            // The slots are copied unchanged to an empty table of the same size.
            self.slots = places;
        } else {
            self.insert_clean(places.into_iter());
        }
    }

    /// The table, and the members without removed ones.
    fn without_gaps(&self, members: &mut Vec<Option<HashKey>>) -> Vec<Slot> {
        if self.members.len() == self.used {
            members.clone_from(&self.members);
            return self.slots.clone();
        }
        members.clear();
        let mut positions = vec![0; self.members.len()];
        for (at, key) in self.members.iter().enumerate().filter(|(_, key)| key.is_some()) {
            positions[at] = u32::try_from(members.len()).unwrap_or(u32::MAX);
            members.push(key.clone());
        }
        let moved = |place: &Slot| match place {
            Slot::Member(at) => Slot::Member(positions[*at as usize]),
            Slot::Free | Slot::Removed => *place,
        };
        self.slots.iter().map(moved).collect()
    }

    /// A copy, whose table can differ from the original.
    fn copied(&self) -> Set {
        let mut copy = Set::empty(self.frozen);
        copy.merge(self);
        copy
    }
}
