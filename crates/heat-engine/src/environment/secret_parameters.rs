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
    /// True if an unreadable environment may list encrypted parameters.
    has_unread_environment: bool,
    /// Whether every template hides what any template of a comparison hides.
    hides_everywhere: bool,
}

impl SecretParameters {
    pub(super) fn declare(&mut self, name: &str, hidden: bool) {
        *self.declared.entry(name.to_owned()).or_default() |= hidden;
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

    /// Hides the parameters of a template that its own declarations may not hide.
    pub(super) fn hide(&self, stack: &mut Stack) {
        stack.hide_encrypted(|name| self.is_hidden_from_outside(name));
    }

    /// Whether a parameter is hidden although its template does not say so.
    pub(super) fn is_hidden_from_outside(&self, name: &str) -> bool {
        self.is_encrypted(name) || self.hides_everywhere && self.is_hidden(name)
    }

    /// Whether any parameter may be hidden although its template does not say so.
    pub(super) fn hides_from_outside(&self) -> bool {
        self.has_unread_environment
            || !self.encrypted.is_empty()
            || self.hides_everywhere && self.declared.values().any(|hidden| *hidden)
    }

    /// Whether reports must not show the value of a parameter.
    pub fn is_secret(&self, name: &str) -> bool {
        self.is_encrypted(name) || self.declared.get(name).copied().unwrap_or(true)
    }

    /// Whether a readable template hides a parameter, or the environment lists it as encrypted.
    pub fn is_hidden(&self, name: &str) -> bool {
        self.is_encrypted(name) || self.declared.get(name).copied().unwrap_or_default()
    }

    /// Whether the environment lists a parameter as encrypted.
    fn is_encrypted(&self, name: &str) -> bool {
        self.has_unread_environment || self.encrypted.contains(name)
    }

    /// The parameters that the environment is known to list as encrypted.
    pub fn encrypted(&self) -> &BTreeSet<String> {
        &self.encrypted
    }

    /// Shares the information of both sides of a comparison: a parameter that is hidden or declared on one side
    /// counts as hidden or declared on both, so that no value is computed on one side that the other one hides.
    pub fn share_with(&mut self, other: &mut SecretParameters) {
        for (name, hidden) in &other.declared {
            self.declare(name, *hidden);
        }
        self.encrypted.extend(other.encrypted.iter().cloned());
        self.has_unread_environment |= other.has_unread_environment;
        self.hides_everywhere = true;
        other.clone_from(self);
    }
}
