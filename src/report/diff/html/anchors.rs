//! Ids of the page: made of the names of templates and resources, so that a link still leads to the same thing on the
//! page of the next run.

use std::collections::HashSet;

use hotplate_diff::Impact;

/// The maximum number of characters of a name in an id.
const MAX_LENGTH: usize = 160;

/// The ids that the page itself uses.
const RESERVED: [&str; 10] = [
    "top",
    "main",
    "search",
    "filters",
    "status",
    "toggle",
    "help",
    "keys",
    "scripted",
    "templates",
];

/// The ids in use.
pub(super) struct Anchors {
    used: HashSet<String>,
}

impl Default for Anchors {
    fn default() -> Self {
        let impacts = Impact::ALL.into_iter().map(|impact| format!("f-{}", impact.name()));
        Anchors { used: RESERVED.into_iter().map(str::to_owned).chain(impacts).collect() }
    }
}

impl Anchors {
    /// An id for a name, which no other element has. It needs no escaping, in markup or in an address.
    pub(super) fn claim(&mut self, name: &str) -> String {
        let safe = |c: char| {
            if c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '/' | ':') {
                c
            } else {
                '-'
            }
        };
        let mut slug: String = name.chars().take(MAX_LENGTH).map(safe).collect();
        if slug.is_empty() {
            slug.push('-');
        }
        let mut id = slug.clone();
        let mut number = 2;
        while !self.used.insert(id.clone()) {
            id = format!("{slug}-{number}");
            number += 1;
        }
        id
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_names_that_cannot_be_markup_and_are_never_shared() {
        let mut anchors = Anchors::default();
        assert_eq!(anchors.claim("a/web.yaml:group/0/server"), "a/web.yaml:group/0/server");
        assert_eq!(anchors.claim("a/web.yaml:group/0/server"), "a/web.yaml:group/0/server-2");
        assert_eq!(anchors.claim("\"><script>é"), "---script--");
        assert_eq!(anchors.claim("main"), "main-2");
        assert_eq!(anchors.claim(""), "-");
        assert_eq!(anchors.claim(&"x".repeat(999)).len(), MAX_LENGTH);
    }
}
