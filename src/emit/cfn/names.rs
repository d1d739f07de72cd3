//! Names that CloudFormation takes: letters and digits, each once.

use crate::emit::unique::UniqueNames;

/// The longest name of a resource or parameter.
const MAX_NAME_BYTES: usize = 255;

/// The names that a template has so far.
#[derive(Clone, Debug, Default)]
pub(super) struct LogicalIds {
    taken: UniqueNames,
}

impl LogicalIds {
    /// A name that nothing else has, made of this one.
    pub(super) fn allocate(&mut self, name: &str) -> String {
        let base = alphanumeric(name);
        self.taken.allocate(base.as_str(), |number| format!("{base}{number}"))
    }
}

/// A name without what CloudFormation refuses: `my_server` is `MyServer`, and a name of nothing but
/// letters and digits stays.
pub(super) fn alphanumeric(name: &str) -> String {
    let is_plain = |text: &str| text.chars().all(|c| c.is_ascii_alphanumeric());
    if !name.is_empty() && is_plain(name) && name.len() < MAX_NAME_BYTES {
        return name.to_owned();
    }
    let found = camel(name);
    if found.is_empty() { "Unnamed".to_owned() } else { found }
}

/// The words of a text put together, each with a capital.
pub(super) fn camel(text: &str) -> String {
    let mut found = String::new();
    for word in text.split(|c: char| !c.is_ascii_alphanumeric()) {
        let mut chars = word.chars();
        found.extend(chars.next().map(|c| c.to_ascii_uppercase()));
        found.extend(chars);
    }
    // Numbers are put behind it.
    found.truncate(MAX_NAME_BYTES - 15);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_letters_and_digits_and_each_is_there_once() {
        let mut names = LogicalIds::default();
        assert_eq!(names.allocate("server1"), "server1");
        assert_eq!(names.allocate("my_server-1"), "MyServer1");
        assert_eq!(names.allocate("my.server.1"), "MyServer12");
        assert_eq!(names.allocate("server1"), "server12");
        assert_eq!(names.allocate("ä"), "Unnamed");
    }
}
