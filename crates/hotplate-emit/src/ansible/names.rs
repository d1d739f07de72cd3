//! Names of variables: not every name in a template is a valid name in Ansible.

use std::cell::RefCell;

use crate::kit::{self, UniqueNames};

/// Names that already have a meaning in Ansible, Jinja or Python.
const RESERVED: &str = include_str!("../../targets/ansible/reserved.txt");

/// Allocates the names of one run, each at most once.
#[derive(Debug, Default)]
pub(super) struct VariableNames {
    given: RefCell<UniqueNames>,
}

impl VariableNames {
    /// Returns a name close to `wish` that is not in use.
    pub(super) fn allocate(&self, wish: &str) -> String {
        let base = variable_name(wish);
        let numbered = |number| format!("{}_{number}", base.trim_end_matches('_'));
        self.given.borrow_mut().allocate(base.as_str(), numbered)
    }
}

/// The name of a variable, if no other one has it.
pub(super) fn variable_name(wish: &str) -> String {
    let base = identifier(wish);
    if is_reserved(&base) { format!("{base}_") } else { base }
}

fn is_reserved(name: &str) -> bool {
    RESERVED.lines().any(|it| it == name)
        || ["ansible_", "each_"].iter().any(|it| name.starts_with(it))
}

/// Turns text into an identifier: small letters, digits and `_`, not starting with a digit. `KeyName` becomes
/// `key_name`.
pub(super) fn identifier(text: &str) -> String {
    let name = kit::identifier(text, "", "v_");
    let mut out = String::new();
    let mut letters = name.chars().peekable();
    let mut before = '_';
    while let Some(c) = letters.next() {
        let ends_acronym = before.is_ascii_uppercase()
            && letters.peek().is_some_and(|next| next.is_ascii_lowercase());
        let starts_word = before.is_ascii_lowercase() || before.is_ascii_digit() || ends_acronym;
        if c.is_ascii_uppercase() && starts_word {
            out.push('_');
        }
        out.push(c.to_ascii_lowercase());
        before = c;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_given_once_and_mean_nothing_else() {
        let names = VariableNames::default();
        assert_eq!(names.allocate("my-server"), "my_server");
        assert_eq!(names.allocate("my_server"), "my_server_2");
        assert_eq!(names.allocate("port"), "port_");
        assert_eq!(names.allocate("port"), "port_2");
        assert_eq!(names.allocate("2nd"), "v_2nd");
        assert_eq!(names.allocate("ansible_host"), "ansible_host_");
        assert_eq!(names.allocate("DBRootPassword"), "db_root_password");
        assert_eq!(names.allocate("WebServer_IP2"), "web_server_ip2");
    }
}
