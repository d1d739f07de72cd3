//! Allocates names that are valid in Terraform.

use crate::kit::{UniqueNames, identifier};

/// Names that `variable` rejects, and arguments of `module` with another meaning.
const RESERVED: [&str; 9] = [
    "source",
    "version",
    "provider",
    "providers",
    "count",
    "for_each",
    "lifecycle",
    "depends_on",
    "locals",
];

/// The names of one kind in one module, each used once.
#[derive(Clone, Debug, Default)]
pub(super) struct NamePool {
    taken: UniqueNames,
}

impl NamePool {
    /// Allocates a name, as close to the wanted one as possible.
    pub(super) fn allocate(&mut self, wanted: &str) -> String {
        let base = name(wanted);
        self.taken.allocate_numbered(&base)
    }
}

/// A valid Terraform name: letters, digits, `_` and `-`, starting with a letter or `_`.
pub(super) fn name(wanted: &str) -> String {
    let mut name = identifier(wanted, "-", "_");
    if RESERVED.contains(&name.as_str()) {
        name.push('_');
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_ones_that_terraform_takes_and_each_is_taken_once() {
        let mut names = NamePool::default();
        for (wanted, found) in
            [("a.b", "a_b"), ("a b", "a_b_2"), ("1st", "_1st"), ("count", "count_"), ("é", "_")]
        {
            assert_eq!(names.allocate(wanted), found);
        }
    }
}
