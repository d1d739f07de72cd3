//! Allocates logical IDs: letters and digits, each once.

use crate::kit::UniqueNames;

/// The maximum length of the name of a resource or parameter.
const MAX_NAME_BYTES: usize = 255;

/// The names that a template uses so far.
#[derive(Clone, Debug, Default)]
pub(super) struct LogicalIds {
    taken: UniqueNames,
}

impl LogicalIds {
    /// Allocates a name close to this one that nothing else has.
    pub(super) fn allocate(&mut self, name: &str) -> String {
        let base = alphanumeric(name);
        self.taken.allocate(base.as_str(), |number| format!("{base}{number}"))
    }
}

/// A name in AWS's style, without the characters that CloudFormation rejects: `my_server` becomes `MyServer`.
pub(super) fn alphanumeric(name: &str) -> String {
    let found = camel(name);
    if found.is_empty() { "Unnamed".to_owned() } else { found }
}

/// The words of a string in camel case, each with a capital.
pub(super) fn camel(text: &str) -> String {
    let mut found = String::new();
    for word in text.split(|c: char| !c.is_ascii_alphanumeric()) {
        let mut chars = word.chars();
        found.extend(chars.next().map(|c| c.to_ascii_uppercase()));
        found.extend(chars);
    }
    // Leave room for a number at the end.
    found.truncate(MAX_NAME_BYTES - 15);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_letters_and_digits_and_each_is_there_once() {
        let mut names = LogicalIds::default();
        assert_eq!(names.allocate("server1"), "Server1");
        assert_eq!(names.allocate("my_server-1"), "MyServer1");
        assert_eq!(names.allocate("my.server.1"), "MyServer12");
        assert_eq!(names.allocate("Server1"), "Server12");
        assert_eq!(names.allocate("ä"), "Unnamed");
    }
}
