//! Finds the deployments of a repository: which of its templates are deployed, and with which environments.
//!
//! Nobody declares that on the first day, but a repository says it: in command lines of its documentation, scripts and CI files (`commands`), in tasks of
//! Ansible (`playbooks`), by the names of its files (`names`), and by what they contain (`content`). Each kind of evidence is a module; `decide`
//! weighs them. What they do not decide without ambiguity is not used, and named with the candidates.

#![forbid(unsafe_code)]

mod commands;
mod content;
mod decide;
mod evidence;
mod file_facts;
mod names;
mod playbooks;
mod shell_words;

pub use names::is_folder_of_environments;

use std::path::{Path, PathBuf};

use heat_template::schema::Schema;
use source_files::FileSource;

pub use decide::{Discovery, FoundDeployment, FoundEnvironment, NestedTemplate, Undecided};
pub use evidence::Evidence;

/// The deployments of a project in a folder. `paths` are its files, as `files` knows them; what cannot be read is no evidence. `schema` says which types
/// Heat has, so that nothing needs to map them.
pub fn discover(
    files: &dyn FileSource,
    folder: &Path,
    paths: &[PathBuf],
    schema: &Schema,
) -> Discovery {
    decide::decide(&content::Project::read(files, paths, schema), folder)
}
