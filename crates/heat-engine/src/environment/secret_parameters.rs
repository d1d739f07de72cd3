//! Which parameters have values that no report may show.

use std::collections::{BTreeSet, HashMap};

use super::{sections, tree};
use heat_template::ir::Stack;

/// Decides by the name of a parameter. What no template is known to declare is a secret: the template that
/// hides it may be one that cannot be read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SecretParameters {
    /// Whether any template hides a parameter, for each that is declared.
    declared: HashMap<String, bool>,
    encrypted: BTreeSet<String>,
    /// Whether an environment that cannot be read wants some to be encrypted.
    has_unread_environment: bool,
}

impl SecretParameters {
    pub(super) fn declare(&mut self, name: &str, hidden: bool) {
        *self.declared.entry(name.to_owned()).or_default() |= hidden;
    }

    /// Adds the names of `encrypted_param_names`. A later file that replaces the list does not take a name
    /// away again.
    pub(super) fn encrypt(&mut self, all: &tree::EnvironmentMap) {
        let Some(node) = all.get(sections::ENCRYPTED) else { return };
        let items = match &node.value {
            tree::EnvironmentValue::List(items) => items.as_slice(),
            _ => std::slice::from_ref(node),
        };
        self.encrypted.extend(items.iter().filter_map(|item| Some(item.as_text()?.into_owned())));
    }

    /// Says whether an environment that cannot be read names some to be encrypted: every one may be meant.
    pub(super) fn encrypt_unread(&mut self, is_unread: bool) {
        self.has_unread_environment = is_unread;
    }

    /// Hides the parameters of a template that are to be encrypted.
    pub(super) fn hide(&self, stack: &mut Stack) {
        stack.hide_encrypted(|name| self.is_encrypted(name));
    }

    /// Whether no report may show the value of a parameter.
    pub fn is_secret(&self, name: &str) -> bool {
        self.is_encrypted(name) || self.declared.get(name).copied().unwrap_or(true)
    }

    /// Whether a template that could be read hides a parameter, or the environment wants it to be encrypted.
    pub fn is_hidden(&self, name: &str) -> bool {
        self.is_encrypted(name) || self.declared.get(name).copied().unwrap_or_default()
    }

    /// Whether the environment wants a parameter to be encrypted.
    pub(super) fn is_encrypted(&self, name: &str) -> bool {
        self.has_unread_environment || self.encrypted.contains(name)
    }

    /// The parameters that the environment is known to want encrypted.
    pub fn encrypted(&self) -> &BTreeSet<String> {
        &self.encrypted
    }

    /// Makes one of two: what one side of a comparison hides is hidden on the other one, and what one declares
    /// is declared.
    pub fn share_with(&mut self, other: &mut SecretParameters) {
        for (name, hidden) in &other.declared {
            self.declare(name, *hidden);
        }
        self.encrypted.extend(other.encrypted.iter().cloned());
        self.has_unread_environment |= other.has_unread_environment;
        other.clone_from(self);
    }
}
