//! Allocates unique names.

use std::collections::{HashMap, HashSet};

/// The names that are in use.
#[derive(Clone, Debug, Default)]
pub(super) struct UniqueNames {
    taken: HashSet<String>,
    /// The next number to try, by wanted name: all smaller ones are in use.
    next: HashMap<String, usize>,
}

impl UniqueNames {
    /// Adds a name; returns false if it is already in use.
    pub(super) fn insert(&mut self, name: &str) -> bool {
        self.taken.insert(name.to_owned())
    }

    /// The number of names in use.
    pub(super) fn len(&self) -> usize {
        self.taken.len()
    }

    /// Allocates `wanted`, or the first of `numbered(2)`, `numbered(3)`, … that is not in use.
    pub(super) fn allocate(
        &mut self,
        wanted: impl Into<String>,
        numbered: impl Fn(usize) -> String,
    ) -> String {
        let wanted = wanted.into();
        if self.insert(&wanted) {
            return wanted;
        }
        let next = self.next.entry(wanted).or_insert(2);
        loop {
            let name = numbered(*next);
            *next += 1;
            if self.taken.insert(name.clone()) {
                return name;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn each_number_of_a_name_is_tried_once() {
        let mut names = UniqueNames::default();
        let tried = Cell::new(0);
        let numbered = |number: usize| {
            tried.set(tried.get() + 1);
            format!("a{number}")
        };
        names.insert("a3");
        let taken: Vec<String> = (0..100).map(|_| names.allocate("a", numbered)).collect();
        assert_eq!(taken[..3], ["a", "a2", "a4"]);
        assert_eq!((taken[99].as_str(), tried.get(), names.len()), ("a101", 100, 101));
    }
}
