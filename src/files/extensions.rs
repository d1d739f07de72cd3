//! The names that templates have: one table for folder searches, revisions, git's drivers and hooks.

use std::path::Path;

/// A file name extension of templates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extension {
    /// Without the dot, in lower case; any letter case is meant.
    pub name: &'static str,
    /// Whether git shows such files by their meaning unless the user says otherwise: most JSON files are
    /// something else.
    pub is_for_git: bool,
}

/// File name extensions that a folder is searched for. A candidate need not be a template: whether it
/// is one is seen in its text.
pub const EXTENSIONS: [Extension; 6] = [
    extension("yaml", true),
    extension("yml", true),
    extension("template", true),
    extension("hot", true),
    extension("heat", true),
    extension("json", false),
];

const fn extension(name: &'static str, is_for_git: bool) -> Extension {
    Extension { name, is_for_git }
}

/// Whether a path has one of [`EXTENSIONS`].
pub fn is_candidate(path: &Path) -> bool {
    path.extension().and_then(|extension| extension.to_str()).is_some_and(|extension| {
        EXTENSIONS.iter().any(|known| known.name.eq_ignore_ascii_case(extension))
    })
}
