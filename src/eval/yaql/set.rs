//! Python's sets, and the order in which they are read.
//!
//! The table of a set is built as CPython 3.11 builds it, so that sets whose members have the same hash
//! in every process are read in the order of Python. Sets of texts are read in no order that two
//! processes agree on: whoever reads them is told so ([`looked_at_order`]), and the whole expression is
//! evaluated again with other orders.

use std::cell::Cell;

use super::call::Run;
use super::grave;
use super::hash::{self, Key};
use super::items::Items;
use super::lazy::Lazy;
use super::{Outcome, Value};

/// A set.
#[derive(Clone, Debug)]
pub(crate) struct Set {
    /// The members in the order of their arrival; what was removed is `None`.
    members: Vec<Option<Key>>,
    /// Where in `members` each place of the table points.
    table: Vec<Place>,
    /// How many members there are.
    used: usize,
    /// How many places of the table are not free.
    fill: usize,
    /// Whether it is yaql's, which can be a key, or a `set` of Python, which cannot.
    pub(crate) frozen: bool,
}

impl Drop for Set {
    fn drop(&mut self) {
        for member in self.members.iter_mut() {
            if member.as_ref().is_some_and(|key| grave::holds_others(key.value()))
                && let Some(key) = member.take()
            {
                grave::bury_value(key.into_value());
            }
        }
    }
}

/// A place of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Free,
    /// Its member was removed.
    Removed,
    /// The position of a member.
    Member(u32),
}

const SMALLEST: usize = 8;
/// How many neighbours are looked at before the next jump.
const NEIGHBOURS: usize = 9;

/// The places of a table at which a hash is looked for, one after the other, without end.
struct Probes {
    mask: usize,
    at: usize,
    perturb: usize,
    left: usize,
    next: usize,
}

impl Probes {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "hashes are bits")]
    fn new(hash: i64, mask: usize) -> Self {
        let bits = hash as usize;
        let mut probes = Probes { mask, at: bits & mask, perturb: bits, left: 0, next: 0 };
        probes.begin();
        probes
    }

    fn begin(&mut self) {
        self.next = self.at;
        self.left = if self.at + NEIGHBOURS <= self.mask { NEIGHBOURS + 1 } else { 1 };
    }

    fn next(&mut self) -> usize {
        if self.left == 0 {
            self.perturb >>= 5;
            let jump = self.at.wrapping_mul(5).wrapping_add(1).wrapping_add(self.perturb);
            self.at = jump & self.mask;
            self.begin();
        }
        self.left -= 1;
        self.next += 1;
        self.next - 1
    }
}

impl Set {
    /// A set without members.
    pub(crate) fn empty(frozen: bool) -> Self {
        let table = vec![Place::Free; SMALLEST];
        Set { members: Vec::new(), table, used: 0, fill: 0, frozen }
    }

    /// `frozenset(keys)`.
    pub(crate) fn of_keys(keys: impl IntoIterator<Item = Key>) -> Self {
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
    /// What has no hash, and whatever the iterator raises.
    pub(crate) fn of_items(run: &Run, items: &Lazy) -> Outcome<Self> {
        let mut set = Set::empty(true);
        while let Some(item) = items.next(run)? {
            // A member takes several times the room of an item.
            run.work(4)?;
            set.add(Key::of(&item)?);
        }
        Ok(set)
    }

    /// How many members it has.
    pub(crate) fn len(&self) -> usize {
        self.used
    }

    /// Whether a key is a member.
    pub(crate) fn contains(&self, key: &Key) -> bool {
        self.find(key).is_some()
    }

    /// The members in the order of their arrival, for what no order matters to.
    pub(crate) fn members(&self) -> impl Iterator<Item = &Key> {
        self.members.iter().flatten()
    }

    /// How many places its table has.
    pub(super) fn places(&self) -> usize {
        self.table.len()
    }

    /// `hash()` of it.
    pub(super) fn hash(&self) -> i64 {
        let hashes: Vec<i64> = self.members().map(Key::hash).collect();
        hash::of_members(hashes.into_iter())
    }

    /// Whether each process of Python has the same hashes.
    pub(super) fn is_fixed(&self) -> bool {
        self.members().all(Key::is_fixed)
    }

    /// Whether each member is one of another set.
    pub(crate) fn is_subset(&self, other: &Set) -> bool {
        self.len() <= other.len() && self.members().all(|key| other.contains(key))
    }

    /// Whether both have the same members.
    pub(crate) fn same_members(&self, other: &Set) -> bool {
        self.len() == other.len() && self.is_subset(other)
    }

    // --- the table --------------------------------------------------------------------------------

    fn mask(&self) -> usize {
        self.table.len() - 1
    }

    fn find(&self, key: &Key) -> Option<(usize, usize)> {
        let mut probes = Probes::new(key.hash(), self.mask());
        loop {
            let place = probes.next();
            match self.table[place] {
                Place::Free => return None,
                Place::Removed => {}
                Place::Member(at) => {
                    if self.members[at as usize].as_ref() == Some(key) {
                        return Some((place, at as usize));
                    }
                }
            }
        }
    }

    /// Adds a member, if it is none yet.
    pub(crate) fn add(&mut self, key: Key) {
        let mut probes = Probes::new(key.hash(), self.mask());
        let mut removed = None;
        let free = loop {
            let place = probes.next();
            match self.table[place] {
                Place::Free => break place,
                Place::Removed => removed = Some(place),
                Place::Member(at) => {
                    if self.members[at as usize].as_ref() == Some(&key) {
                        return;
                    }
                }
            }
        };
        // More members than fit into 32 bits never come together.
        let Ok(at) = u32::try_from(self.members.len()) else { return };
        self.table[removed.unwrap_or(free)] = Place::Member(at);
        self.members.push(Some(key));
        self.used += 1;
        if removed.is_some() {
            return;
        }
        self.fill += 1;
        if self.fill * 5 >= self.mask() * 3 {
            self.resize(self.roomy());
        }
    }

    /// The size that leaves room for further members.
    fn roomy(&self) -> usize {
        if self.used > 50_000 { self.used * 2 } else { self.used * 4 }
    }

    /// Moves the members to a table with more than so many places.
    fn resize(&mut self, least: usize) {
        let mut size = SMALLEST;
        while size <= least {
            size *= 2;
        }
        let old = std::mem::replace(&mut self.table, vec![Place::Free; size]);
        self.fill = self.used;
        self.insert_clean(old.into_iter());
    }

    /// Puts members that are not in the table into it.
    fn insert_clean(&mut self, places: impl Iterator<Item = Place>) {
        let mask = self.mask();
        for place in places {
            let Place::Member(at) = place else { continue };
            let Some(key) = &self.members[at as usize] else { continue };
            let mut probes = Probes::new(key.hash(), mask);
            loop {
                let free = probes.next();
                if self.table[free] == Place::Free {
                    self.table[free] = place;
                    break;
                }
            }
        }
    }

    /// Removes a member; whether it was one.
    fn remove(&mut self, key: &Key) -> bool {
        let Some((place, at)) = self.find(key) else { return false };
        self.table[place] = Place::Removed;
        self.members[at] = None;
        self.used -= 1;
        true
    }

    /// The members in the order of the table.
    fn by_place(&self) -> impl Iterator<Item = &Key> {
        self.table.iter().filter_map(|place| match place {
            Place::Member(at) => self.members[*at as usize].as_ref(),
            Place::Free | Place::Removed => None,
        })
    }

    /// The members as CPython's own loops over the table meet them; where Python has no order, in the
    /// order of their arrival, which changes nothing but the order of the result.
    pub(super) fn as_loops_see_it(&self) -> Vec<&Key> {
        if self.is_ordered() { self.by_place().collect() } else { self.members().collect() }
    }

    /// Adds all members of another set.
    fn merge(&mut self, other: &Set) {
        if other.used == 0 {
            return;
        }
        if (self.fill + other.used) * 5 >= self.mask() * 3 {
            self.resize((self.used + other.used) * 2);
        }
        if self.fill > 0 {
            for key in other.as_loops_see_it() {
                self.add(key.clone());
            }
            return;
        }
        (self.used, self.fill) = (other.used, other.used);
        let places = other.without_gaps(&mut self.members);
        if self.mask() == other.mask() && other.fill == other.used {
            // Into an empty table of the same size the places are copied as they are.
            self.table = places;
        } else {
            self.insert_clean(places.into_iter());
        }
    }

    /// Its table, and its members without those that were removed.
    fn without_gaps(&self, members: &mut Vec<Option<Key>>) -> Vec<Place> {
        if self.members.len() == self.used {
            members.clone_from(&self.members);
            return self.table.clone();
        }
        members.clear();
        let mut positions = vec![0; self.members.len()];
        for (at, key) in self.members.iter().enumerate().filter(|(_, key)| key.is_some()) {
            positions[at] = u32::try_from(members.len()).unwrap_or(u32::MAX);
            members.push(key.clone());
        }
        let moved = |place: &Place| match place {
            Place::Member(at) => Place::Member(positions[*at as usize]),
            Place::Free | Place::Removed => *place,
        };
        self.table.iter().map(moved).collect()
    }

    /// A copy; its table can differ from that of the original.
    fn copied(&self) -> Set {
        let mut copy = Set::empty(self.frozen);
        copy.merge(self);
        copy
    }

    // --- what sets are computed of ----------------------------------------------------------------

    /// `self.union(other)`.
    pub(crate) fn union(&self, other: &Set) -> Set {
        let mut result = self.copied();
        if !std::ptr::eq(self, other) {
            result.merge(other);
        }
        result
    }

    /// `self.union(keys)` of what is no set.
    pub(crate) fn union_keys(&self, keys: impl IntoIterator<Item = Key>) -> Set {
        let mut result = self.copied();
        for key in keys {
            result.add(key);
        }
        result
    }

    /// `self.intersection(other)`.
    pub(crate) fn intersection(&self, other: &Set) -> Set {
        if std::ptr::eq(self, other) {
            return self.copied();
        }
        let (smaller, larger) =
            if other.len() > self.len() { (self, other) } else { (other, self) };
        let mut result = larger.intersection_keys(smaller.as_loops_see_it().into_iter().cloned());
        result.frozen = self.frozen;
        result
    }

    /// `self.intersection(keys)` of what is no set.
    pub(crate) fn intersection_keys(&self, keys: impl IntoIterator<Item = Key>) -> Set {
        let mut result = Set::empty(self.frozen);
        for key in keys {
            if self.contains(&key) {
                result.add(key);
            }
        }
        result
    }

    /// `self.difference(other)`.
    pub(crate) fn difference(&self, other: &Set) -> Set {
        if self.len() / 4 > other.len() {
            // The small one is taken out of a copy.
            return self.difference_keys(other.as_loops_see_it().into_iter().cloned());
        }
        let mut result = Set::empty(self.frozen);
        for key in self.as_loops_see_it() {
            if !other.contains(key) {
                result.add(key.clone());
            }
        }
        result
    }

    /// `self.difference(keys)` of what is no set.
    pub(crate) fn difference_keys(&self, keys: impl IntoIterator<Item = Key>) -> Set {
        let mut result = self.copied();
        for key in keys {
            result.remove(&key);
        }
        if result.fill - result.used > result.mask() / 4 {
            result.resize(result.roomy());
        }
        result
    }

    /// `self.symmetric_difference(other)`.
    pub(crate) fn symmetric_difference(&self, other: &Set) -> Set {
        let mut result = Set::empty(self.frozen);
        result.merge(other);
        self.toggle_in(result)
    }

    /// `self.symmetric_difference(keys)` of what is no set.
    pub(crate) fn symmetric_difference_keys(&self, keys: impl IntoIterator<Item = Key>) -> Set {
        let mut result = Set::empty(self.frozen);
        for key in keys {
            result.add(key);
        }
        self.toggle_in(result)
    }

    fn toggle_in(&self, mut result: Set) -> Set {
        for key in self.as_loops_see_it() {
            if !result.remove(key) {
                result.add(key.clone());
            }
        }
        result
    }

    // --- order ------------------------------------------------------------------------------------

    /// Whether every process of Python reads it in the same order.
    fn is_ordered(&self) -> bool {
        self.used < 2 || self.is_fixed()
    }

    /// The members in the order in which Python reads them, or where there is none, in one of those in
    /// which it may.
    pub(crate) fn read(&self) -> Vec<Value> {
        if self.is_ordered() {
            return self.by_place().map(|key| key.value().clone()).collect();
        }
        ORDER.with(|order| order.looked_at.set(true));
        let mut keys: Vec<&Key> = self.members().collect();
        match ORDER.with(|order| order.shuffle.get()) {
            0 => {}
            1 => keys.reverse(),
            seed => keys.sort_by_cached_key(|key| hash::shuffled(key.hash(), seed)),
        }
        keys.into_iter().map(|key| key.value().clone()).collect()
    }

    /// The same, shared.
    pub(crate) fn in_order(&self, _run: &Run) -> Items {
        self.read().into()
    }
}

/// How this thread reads sets that have no order in Python.
struct Order {
    shuffle: Cell<u64>,
    looked_at: Cell<bool>,
}

thread_local! {
    static ORDER: Order = const { Order { shuffle: Cell::new(0), looked_at: Cell::new(false) } };
}

/// From now on, sets that have no order in Python are read in this one: 0 in the order in which their
/// members arrived, 1 in the opposite one, others at random.
pub(super) fn read_in_order(shuffle: u64) {
    ORDER.with(|order| {
        order.shuffle.set(shuffle);
        order.looked_at.set(false);
    });
}

/// Whether a set was read since then whose order no two processes of Python agree on.
pub(super) fn looked_at_order() -> bool {
    ORDER.with(|order| order.looked_at.get())
}
