//! The parameters whose values reports must not show.

use std::collections::{BTreeSet, HashMap};

use super::{sections, tree};
use heat_template::ir::Stack;

/// Decides by the name of a parameter. A parameter that no known template declares is secret: the template that
/// hides it may be unreadable.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SecretParameters {
    /// For each declared parameter, whether any template hides it.
    declared: HashMap<String, bool>,
    encrypted: BTreeSet<String>,
    /// Parameters whose whole value a template gives to hidden ones of nested templates.
    passed: BTreeSet<String>,
    /// True if a template of the deployment is unreadable.
    has_unread_template: bool,
    /// True if a template of the deployment is missing, or may not be read: it may declare any parameter.
    lacks_template: bool,
    /// True if an unreadable environment may list encrypted parameters.
    has_unread_environment: bool,
    /// True if a template hides a parameter.
    hides_any: bool,
    /// True if one template hides a parameter that another one declares without `hidden`.
    hides_elsewhere: bool,
}

impl SecretParameters {
    pub(super) fn declare(&mut self, name: &str, hidden: bool) {
        let known = self.declared.entry(name.to_owned()).or_insert(hidden);
        self.hides_elsewhere |= *known != hidden;
        *known |= hidden;
        self.hides_any |= hidden;
    }

    /// Adds the names of `encrypted_param_names`. A later file that replaces the list does not remove a name
    /// again.
    pub(super) fn encrypt(&mut self, all: &tree::EnvironmentMap) {
        let Some(node) = all.get(sections::ENCRYPTED) else { return };
        let items = match &node.value {
            tree::EnvironmentValue::List(items) => items.as_slice(),
            _ => std::slice::from_ref(node),
        };
        self.encrypted.extend(items.iter().filter_map(|item| Some(item.as_text()?.into_owned())));
    }

    /// Sets whether an unreadable environment lists encrypted parameters: it may list any.
    pub(super) fn encrypt_unread(&mut self, is_unread: bool) {
        self.has_unread_environment = is_unread;
    }

    /// Records that a template of the deployment is unreadable: it may hide any parameter that no other one declares.
    pub(super) fn add_unread_template(&mut self) {
        self.has_unread_template = true;
    }

    /// Records that a template of the deployment is missing: what it is given stays visible, as nothing is known to hide it.
    pub(super) fn add_missing_template(&mut self) {
        self.lacks_template = true;
    }

    /// Hides a parameter whose whole value a template gives to a hidden one. False if it was hidden before.
    pub(super) fn pass(&mut self, name: &str) -> bool {
        !self.is_hidden(name) && self.passed.insert(name.to_owned())
    }

    /// Whether a literal that a template gives to a parameter of a nested one is secret. A name that no template declares
    /// may be a misspelled one.
    pub(super) fn is_given_secret(&self, name: Option<&str>) -> bool {
        let is_declared = name.is_none_or(|name| self.declared.contains_key(name));
        self.is_passed_secret(name.filter(|_| is_declared || self.lacks_template))
    }

    /// Whether the value of a parameter is secret since a template gives it to a parameter of a nested one. Without a name
    /// it may be that of any.
    pub(super) fn is_passed_secret(&self, name: Option<&str>) -> bool {
        match name {
            Some(name) if self.has_unread_template => self.is_secret(name),
            Some(name) => self.is_hidden(name),
            None => {
                self.has_unread_template
                    || self.has_unread_environment
                    || !self.encrypted.is_empty()
                    || self.hides_any
            }
        }
    }

    /// The names that a template or the environment hides.
    pub(super) fn hidden(&self) -> impl Iterator<Item = &str> {
        let declared = self.declared.iter().filter(|(_, hidden)| **hidden).map(|(name, _)| name);
        declared.chain(&self.encrypted).chain(&self.passed).map(String::as_str)
    }

    /// Hides the parameters of a template that its own declarations may not hide.
    pub(super) fn hide(&self, stack: &mut Stack) {
        for (name, parameter) in &mut stack.parameters {
            parameter.is_encrypted = self.has_unread_environment || self.encrypted.contains(name);
            parameter.is_hidden_elsewhere = !parameter.declares_hidden() && self.is_hidden(name);
        }
    }

    /// Whether any parameter may be hidden although its template does not say so.
    pub(super) fn hides_from_outside(&self) -> bool {
        self.has_unread_environment
            || !self.encrypted.is_empty()
            || !self.passed.is_empty()
            || self.hides_elsewhere
    }

    /// Whether reports must not show the value of a parameter.
    pub fn is_secret(&self, name: &str) -> bool {
        self.is_hidden_by_name(name) || self.declared.get(name).copied().unwrap_or(true)
    }

    /// Whether a readable template hides a parameter or gives its value to a hidden one, or the environment lists it as
    /// encrypted.
    pub fn is_hidden(&self, name: &str) -> bool {
        self.is_hidden_by_name(name) || self.declared.get(name).copied().unwrap_or_default()
    }

    fn is_hidden_by_name(&self, name: &str) -> bool {
        self.has_unread_environment || self.encrypted.contains(name) || self.passed.contains(name)
    }

    /// The parameters that the environment is known to list as encrypted.
    pub fn encrypted(&self) -> &BTreeSet<String> {
        &self.encrypted
    }

    /// Shares the information of both sides of a comparison: a parameter that is hidden or declared on one side
    /// counts as hidden or declared on both, so that no value is computed on one side that the other one hides.
    pub(super) fn share_with(&mut self, other: &mut SecretParameters) {
        for (name, hidden) in &other.declared {
            self.declare(name, *hidden);
        }
        self.encrypted.extend(other.encrypted.iter().cloned());
        self.passed.extend(other.passed.iter().cloned());
        self.has_unread_template |= other.has_unread_template;
        self.lacks_template |= other.lacks_template;
        self.has_unread_environment |= other.has_unread_environment;
        self.hides_elsewhere |= other.hides_elsewhere;
        other.clone_from(self);
    }
}
