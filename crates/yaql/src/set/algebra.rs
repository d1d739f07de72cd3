//! Set operations, step by step as in CPython, since the order of the result depends on the steps.

use super::Set;
use crate::hash::HashKey;

impl Set {
    /// `self.union(other)`.
    pub(crate) fn union(&self, other: &Set) -> Set {
        let mut result = self.copied();
        if !std::ptr::eq(self, other) {
            result.merge(other);
        }
        result
    }

    /// `self.union(keys)` for an iterable that is not a set.
    pub(crate) fn union_keys(&self, keys: impl IntoIterator<Item = HashKey>) -> Set {
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
        let mut result = larger.intersection_keys(smaller.in_loop_order().into_iter().cloned());
        result.frozen = self.frozen;
        result
    }

    /// `self.intersection(keys)` for an iterable that is not a set.
    pub(crate) fn intersection_keys(&self, keys: impl IntoIterator<Item = HashKey>) -> Set {
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
            // The members of the small set are removed from a copy.
            return self.difference_keys(other.in_loop_order().into_iter().cloned());
        }
        let mut result = Set::empty(self.frozen);
        for key in self.in_loop_order() {
            if !other.contains(key) {
                result.add(key.clone());
            }
        }
        result
    }

    /// `self.difference(keys)` for an iterable that is not a set.
    pub(crate) fn difference_keys(&self, keys: impl IntoIterator<Item = HashKey>) -> Set {
        let mut result = self.copied();
        for key in keys {
            result.remove(&key);
        }
        if result.fill - result.used > result.mask() / 4 {
            result.resize(result.growth_size());
        }
        result
    }

    /// `self.symmetric_difference(other)`.
    pub(crate) fn symmetric_difference(&self, other: &Set) -> Set {
        let mut result = Set::empty(self.frozen);
        result.merge(other);
        self.toggle_in(result)
    }

    /// `self.symmetric_difference(keys)` for an iterable that is not a set.
    pub(crate) fn symmetric_difference_keys(&self, keys: impl IntoIterator<Item = HashKey>) -> Set {
        let mut result = Set::empty(self.frozen);
        for key in keys {
            result.add(key);
        }
        self.toggle_in(result)
    }

    fn toggle_in(&self, mut result: Set) -> Set {
        for key in self.in_loop_order() {
            if !result.remove(key) {
                result.add(key.clone());
            }
        }
        result
    }
}
