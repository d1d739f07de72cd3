//! Allocates unique names, and turns text into identifiers.

use std::collections::{HashMap, HashSet};

/// The names that are in use.
#[derive(Clone, Debug, Default)]
pub(crate) struct UniqueNames {
    taken: HashSet<String>,
    /// The next number to try, by wanted name: all smaller ones are in use.
    next: HashMap<String, usize>,
}

impl UniqueNames {
    /// Adds a name; returns false if it is already in use.
    pub(crate) fn insert(&mut self, name: &str) -> bool {
        self.taken.insert(name.to_owned())
    }

    /// The number of names in use.
    pub(crate) fn len(&self) -> usize {
        self.taken.len()
    }

    /// Allocates `wanted`, or the first of `numbered(2)`, `numbered(3)`, … that is not in use.
    pub(crate) fn allocate(
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

    /// Allocates `wanted`, or the first of `wanted_2`, `wanted_3`, … that is not in use.
    pub(crate) fn allocate_numbered(&mut self, wanted: &str) -> String {
        self.allocate(wanted, |number| format!("{wanted}_{number}"))
    }
}

impl<'a> FromIterator<&'a String> for UniqueNames {
    fn from_iter<I: IntoIterator<Item = &'a String>>(names: I) -> Self {
        UniqueNames { taken: names.into_iter().cloned().collect(), next: HashMap::new() }
    }
}

/// Turns text into an identifier: ASCII letters, digits, `_` and the characters of `extra`, with `_` in place
/// of all others. `start` is put before an identifier that does not begin with a letter or `_`.
pub(crate) fn identifier(text: &str, extra: &str, start: &str) -> String {
    let fits = |c: char| c.is_ascii_alphanumeric() || extra.contains(c);
    let mut name: String = text.chars().map(|c| if fits(c) { c } else { '_' }).collect();
    if !name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        name.insert_str(0, start);
    }
    name
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

    #[test]
    fn names_in_use_are_not_allocated() {
        let used = ["web".to_owned(), "web_2".to_owned()];
        let mut names: UniqueNames = used.iter().collect();
        assert_eq!(names.allocate_numbered("web"), "web_3");
        assert_eq!(names.allocate_numbered("db"), "db");
    }

    #[test]
    fn identifiers_begin_with_a_letter_or_an_underscore() {
        for (text, name) in [("a-b.c", "a-b_c"), ("1st", "v_1st"), ("", "v_"), ("é", "_")] {
            assert_eq!(identifier(text, "-", "v_"), name, "{text}");
        }
    }
}
