//! Allocates names: configuration, resources and variables of a program share one namespace.

use std::cell::RefCell;
use std::collections::HashMap;

use crate::kit::{UniqueNames, identifier};

/// The names of a program.
#[derive(Debug, Default)]
pub(super) struct NameScope {
    taken: RefCell<UniqueNames>,
    parameters: RefCell<HashMap<String, String>>,
    objects: RefCell<HashMap<(String, usize), String>>,
}

impl NameScope {
    /// A namespace with the names that Pulumi reserves.
    pub(super) fn new() -> Self {
        let scope = NameScope::default();
        scope.taken.borrow_mut().insert("pulumi");
        scope
    }

    /// Allocates a unique name, as close to this one as possible.
    pub(super) fn allocate(&self, name: &str) -> String {
        self.taken.borrow_mut().allocate_numbered(&identifier(name, "-", "_"))
    }

    /// Allocates the name of a parameter.
    pub(super) fn name_parameter(&self, parameter: &str) -> String {
        let name = self.allocate(parameter);
        self.parameters.borrow_mut().insert(parameter.to_owned(), name.clone());
        name
    }

    pub(super) fn parameter(&self, parameter: &str) -> Option<String> {
        self.parameters.borrow().get(parameter).cloned()
    }

    /// Allocates the name of a resource's object.
    pub(super) fn name_object(&self, resource: &str, index: usize, suffix: &str) -> String {
        let name = match suffix {
            "" => self.allocate(resource),
            suffix => self.allocate(&format!("{resource}_{suffix}")),
        };
        self.objects.borrow_mut().insert((resource.to_owned(), index), name.clone());
        name
    }

    pub(super) fn object(&self, resource: &str, index: usize) -> Option<String> {
        self.objects.borrow().get(&(resource.to_owned(), index)).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_things_have_one_name() {
        let scope = NameScope::new();
        assert_eq!(scope.name_parameter("web"), "web");
        assert_eq!(scope.name_object("web", 0, ""), "web_2");
        assert_eq!(scope.name_object("web", 1, "rule_0"), "web_rule_0");
        assert_eq!(scope.object("web", 1), Some("web_rule_0".to_owned()));
        assert_eq!(scope.allocate("1 a"), "_1_a");
        assert_eq!(scope.allocate("pulumi"), "pulumi_2");
    }
}
