//! Options of the commands that evaluate a whole deployment: a template, its environments
//! and parameters, and the files that may be read for them.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::Console;
use super::inputs::ReadLimits;
use super::yaql::YaqlOptions;
use crate::report::escape::on_one_line;
use heat_engine::environment::MergeSide;
use heat_engine::eval::MAX_VALUES;
use heat_engine::eval::deployment::MAX_RESOURCES;
use hotplate_project::config::keys::url_mapping;
use hotplate_project::{Configuration, DeploymentOptions, ReadDeployment, ValueOptions};
use source_diagnostics::{MaskedSources, ShowSecrets};

/// Options about the inputs of a deployment.
#[derive(Clone, Debug, Default, Args)]
pub(super) struct DeploymentArguments {
    /// An environment file; several are merged in order
    #[arg(short = 'e', long = "environment", value_name = "FILE")]
    environments: Vec<PathBuf>,
    /// A parameter, as NAME=VALUE; one option may contain several, separated by `;`
    #[arg(short = 'P', long = "parameter", value_name = "NAME=VALUE")]
    parameters: Vec<String>,
    /// A parameter whose value is the content of a file, as NAME=FILE
    #[arg(long = "parameter-file", value_name = "NAME=PATH")]
    parameter_files: Vec<String>,
    /// How several environments are merged
    #[arg(long, value_enum, default_value_t, value_name = "WHO")]
    merge: MergeMode,
    /// Read the content of a URL from a file; a URL that ends with `/` maps to a folder
    #[arg(long = "files-map", value_name = "URL=PATH", value_parser = url_mapping)]
    files_map: Vec<(String, PathBuf)>,
    /// A folder or file that may be read, in addition to the git work trees of the template and the environments;
    /// without a work tree, in addition to their folders and the current folder. Files that git ignores, and files in
    /// `.git` or `.ssh`, are read only if they are named
    #[arg(long = "allow-path", value_name = "PATH")]
    allow_path: Vec<PathBuf>,
    /// The deployment of the configuration to use, by its name; without it and without `-e`, the only one that a template has
    #[arg(long, value_name = "NAME", conflicts_with = "environments")]
    deployment: Option<String>,
}

/// Options for the old side of a comparison that replace those for both sides.
#[derive(Clone, Debug, Args)]
pub(super) struct OldSideArguments {
    /// An environment file of the old side, instead of those of `-e`
    #[arg(long = "old-e", visible_alias = "old-environment", value_name = "FILE")]
    old_environments: Vec<PathBuf>,
    /// A parameter of the old side, instead of those of `-P`
    #[arg(long = "old-P", visible_alias = "old-parameter", value_name = "NAME=VALUE")]
    old_parameters: Vec<String>,
    /// A parameter of the old side from a file, instead of those of `--parameter-file`
    #[arg(long, value_name = "NAME=PATH")]
    old_parameter_file: Vec<String>,
}

/// How several environments are merged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum MergeMode {
    /// As Heat's server does, with current clients
    #[default]
    Server,
    /// As Heat's client does, in old versions
    Client,
}

/// Options about values that are unknown before deployment.
#[derive(Clone, Debug, Args)]
pub(super) struct ValueArguments {
    /// A JSON file with the state of resources: `{"RESOURCE": {"attrs": …, "ref": …}}`
    #[arg(long, value_name = "FILE")]
    pub(super) attrs: Option<PathBuf>,
    /// Fill in a value for everything that is unknown before deployment
    #[arg(long)]
    pub(super) fill: bool,
    #[command(flatten)]
    evaluation: EvaluationArguments,
}

/// Options of every evaluation of a deployment.
#[derive(Clone, Debug, Args)]
pub(super) struct EvaluationArguments {
    /// The maximum number of resources in a stack and its nested stacks, as in Heat's configuration;
    /// Heat's default is 1000
    #[arg(long, value_name = "RESOURCES", default_value_t = MAX_RESOURCES, hide_default_value = true)]
    max_resources: usize,
    /// The maximum number of values that an evaluation may visit and create; a text counts as one per 32 bytes
    #[arg(long, value_name = "VALUES", default_value_t = MAX_VALUES)]
    max_values: u64,
    #[command(flatten)]
    yaql: YaqlOptions,
}

impl DeploymentArguments {
    /// The inputs that the command line names.
    pub(super) fn options(&self) -> DeploymentOptions {
        DeploymentOptions {
            environments: self.environments.clone(),
            parameters: self.parameters.clone(),
            parameter_files: self.parameter_files.clone(),
            merge: match self.merge {
                MergeMode::Server => MergeSide::Server,
                MergeMode::Client => MergeSide::Client,
            },
            files_map: self.files_map.clone(),
            allow_path: self.allow_path.clone(),
            deployment: self.deployment.clone(),
            ..DeploymentOptions::default()
        }
    }

    /// The options for a template, with what the configuration says about it, which is reported.
    /// It fails if the configuration has several deployments of the template.
    pub(super) fn configured(
        &self,
        template: Option<&Path>,
        configuration: &Configuration,
        limits: ReadLimits,
        console: &mut Console,
    ) -> anyhow::Result<DeploymentOptions> {
        let options = self.options();
        options.known_name(&[configuration], &limits.files())?;
        let Some(template) = template else { return Ok(options) };
        let chosen = options.only_of(template, configuration, &limits.files())?;
        note(&chosen.note, console);
        Ok(chosen.options)
    }

    /// Reads a template with what the command line and the configuration say about it; what the configuration adds is reported.
    ///
    /// # Errors
    ///
    /// As [`configured`](Self::configured). Unreadable files become findings.
    pub(super) fn open(
        &self,
        template: Option<&Path>,
        configuration: &Configuration,
        limits: ReadLimits,
        console: &mut Console,
        show_secrets: Option<ShowSecrets>,
    ) -> anyhow::Result<(ReadDeployment, MaskedSources)> {
        let options = self.configured(template, configuration, limits, console)?;
        options.open_masked(&limits.files(), template, limits.options(), show_secrets)
    }
}

impl OldSideArguments {
    /// The inputs that are for the old side only.
    pub(super) fn options(&self) -> DeploymentOptions {
        DeploymentOptions {
            environments: self.old_environments.clone(),
            parameters: self.old_parameters.clone(),
            parameter_files: self.old_parameter_file.clone(),
            ..DeploymentOptions::default()
        }
    }
}

impl ValueArguments {
    pub(super) fn options(&self) -> ValueOptions {
        ValueOptions { attrs: self.attrs.clone(), fill: self.fill, ..self.evaluation.options() }
    }
}

impl EvaluationArguments {
    pub(super) fn options(&self) -> ValueOptions {
        let (max_resources, max_values) = (self.max_resources, self.max_values);
        let yaql = self.yaql.to_options();
        ValueOptions { max_resources, max_values, yaql, ..ValueOptions::default() }
    }
}

/// Says what a deployment of the configuration adds, if it adds anything.
pub(super) fn note(sentence: &str, console: &mut Console) {
    if !sentence.is_empty() {
        console.note(&format!("{}\n", on_one_line(sentence)));
    }
}
