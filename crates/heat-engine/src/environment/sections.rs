//! The sections of an environment.
//!
//! Heat's rule: `docs/heat.md#sections-of-an-environment`.

use lossless_yaml::Document;

/// `parameters`: the values of parameters of the root template.
pub const PARAMETERS: &str = "parameters";
/// `parameter_defaults`: values for parameters of every template that declares them.
pub const DEFAULTS: &str = "parameter_defaults";
/// `resource_registry`: the implementations of resource types.
pub const REGISTRY: &str = "resource_registry";
/// `encrypted_param_names`: the names of parameters whose values Heat encrypts.
pub const ENCRYPTED: &str = "encrypted_param_names";
/// `event_sinks`: where Heat sends the events of the stack.
pub const SINKS: &str = "event_sinks";
/// `parameter_merge_strategies`: how values of several environments are merged.
pub const STRATEGIES: &str = "parameter_merge_strategies";
/// `requires`: the capabilities that candidates of the registry must have. Heat does not know it.
pub const REQUIRES: &str = "requires";

/// The strategies by which Heat merges the values of a parameter.
pub const MERGE_STRATEGIES: [&str; 3] = ["overwrite", "merge", "deep_merge"];

/// The sections that a merged environment always has, and whether they are lists.
pub const ALWAYS_MERGED: [(&str, bool); 5] =
    [(PARAMETERS, false), (DEFAULTS, false), (REGISTRY, false), (ENCRYPTED, true), (SINKS, true)];

/// Whether a document looks like an environment: it is a map of nothing but sections, and one of them says something about templates.
pub fn is_environment(document: &Document) -> bool {
    let Some(root) = document.root() else { return false };
    let keys: Vec<&str> =
        document.entries(root).iter().filter_map(|entry| document.str(entry.key)).collect();
    let says_something = |key: &&str| [PARAMETERS, DEFAULTS, REGISTRY].contains(key);
    keys.len() == document.entries(root).len()
        && keys.iter().all(|key| is_known(key))
        && keys.iter().any(says_something)
}

/// Whether a section is a list.
pub fn is_list(name: &str) -> bool {
    ALWAYS_MERGED.iter().any(|(section, is_list)| *section == name && *is_list)
}

/// The name of every section.
pub fn names() -> impl Iterator<Item = &'static str> {
    ALWAYS_MERGED.iter().map(|(name, _)| *name).chain([STRATEGIES, REQUIRES])
}

/// Whether there is a section of this name.
pub(super) fn is_known(name: &str) -> bool {
    names().any(|known| known == name)
}
