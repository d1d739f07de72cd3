//! A user's project: templates, environments, the settings and deployments of `hotplate.toml`, revisions, a running stack, open
//! editors. Commands and the language server call this crate to read, evaluate, check and compare; they convert arguments or requests
//! to its options, and show the results.
//!
//! Files come from a [`FileSource`](source_files::FileSource): disk, a revision of git, the texts of an editor, or memory.

#![forbid(unsafe_code)]

mod check;
mod check_file;
mod check_neighbors;
pub mod codes;
mod compare;
pub mod config;
mod configuration;
mod deployment;
mod evaluation;
pub mod fix;
mod options;
pub mod parameters;
pub mod policy;
mod project;
mod render;
pub mod resolved_tree;
mod review;
mod reviewed_deployments;
pub mod root_causes;
mod settings;
mod update_steps;

use std::path::Path;

pub use check::{Check, CheckOptions, CheckProgress, CheckRules};
pub use check_file::FileOutcome;
pub use compare::{
    CompareOptions, ComparedDeployment, ComparedTemplate, DeploymentStatus, SideLocation,
    compare_upgrade, shared_findings,
};
pub use configuration::{Configuration, ImpliedDeployments};
pub use deployment::{ChosenDeployment, DeploymentOptions, InputNames, ReadDeployment};
pub use evaluation::{EvaluationGoal, request};
pub use options::{ReadOptions, ValueOptions};
pub use project::{EvaluatedDeployment, OpenedBase, Project};
pub use render::{RenderOptions, Rendered};
pub use review::{
    ChangedSettings, ConfigurationChoice, NamedFiles, OpenedRevisions, untracked_configuration,
};
pub use settings::ProjectOptions;
pub use update_steps::{StepSource, UpdateStep, UpdateSteps};

use source_diagnostics::Diagnostic;

/// Whether a finding says that a file is an unreadable Jinja2 template.
pub fn is_jinja(finding: &Diagnostic, path: &Path) -> bool {
    finding.code == lossless_yaml::codes::JINJA
        || source_files::is_named_jinja(path) && finding.code == lossless_yaml::codes::YAML_SYNTAX
}
