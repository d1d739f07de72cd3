//! `hotplate.toml`: what a project uses with every command, and which environments belong to its templates.
//!
//! [`keys`] is the table of all keys. A [`Config`] is found by [`Config::find`] or [`Config::find_in`] and read by [`Config::open`]; what its settings do to
//! a command line is in `cli/configuration.rs`, since they are options. A file that somebody else wrote may be hostile
//! (`docs/security.md`): its paths stay in the project, unless the user trusts it.

pub mod keys;
mod open;
mod read;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use heat_engine::environment::ConfiguredParameter;
use hotplate_check::DeploymentId;
pub use keys::{KEYS, Key, KeyKind, KeyRole};
use source_diagnostics::{Diagnostic, LineIndex, MaskedSources, Span};
use source_files::{FileSource, PathPattern};

/// The name of the file.
pub const FILE_NAME: &str = "hotplate.toml";

/// A file that was read.
#[derive(Debug, Default)]
pub struct Config {
    /// The path of the file, as it is shown.
    pub path: PathBuf,
    /// The folder of the file, absolute and with links followed.
    pub folder: PathBuf,
    /// The text, for findings; stars stand for the values of parameters.
    pub sources: MaskedSources,
    /// The keys that stand for options, in the order of the file.
    pub settings: Vec<Setting>,
    /// The deployments, in the order of the file.
    pub deployments: Vec<Deployment>,
    /// The codes that `check` ignores in some files.
    pub path_ignores: Vec<PathIgnores>,
    /// The findings about the file.
    pub findings: Vec<Diagnostic>,
    /// The lines of the text, built when a place is first requested.
    lines: OnceLock<LineIndex>,
    /// Whether it is the file of the base of a review, which the change under review cannot write.
    pub is_of_base: bool,
}

/// A key that stands for an option, with its value.
#[derive(Clone, Debug)]
pub struct Setting {
    /// The row of the key.
    pub key: &'static Key,
    /// The values: one, or those of the list or map.
    pub values: Vec<ConfigValue>,
    /// The place of the key.
    pub span: Span,
}

/// A value, as the option takes it.
#[derive(Clone, Debug)]
pub struct ConfigValue {
    /// The text; a path is relative to the current folder.
    pub text: String,
    /// The URL whose content is at the path.
    pub url: Option<String>,
    /// The place of the value.
    pub span: Span,
}

impl ConfigValue {
    /// The argument of the option.
    pub fn argument(&self) -> String {
        match &self.url {
            Some(url) => format!("{url}={}", self.text),
            None => self.text.clone(),
        }
    }
}

/// The deployments of templates.
#[derive(Clone, Debug)]
pub struct Deployment {
    /// The name for `--deployment`; no other deployment of the file has it.
    pub name: Option<String>,
    /// The patterns for the paths of its templates, relative to the folder of the file: at least one of these.
    pub templates: Vec<PathPattern>,
    /// The environments, in order; the paths are relative to the current folder.
    pub environments: Vec<ConfiguredPath>,
    /// The values of parameters, in the order of the file, each name once.
    pub parameters: Vec<ConfiguredParameter>,
    /// The names of parameters whose values are in no file.
    pub given: Vec<String>,
    /// The place of the deployment.
    pub span: Span,
    /// Why each environment belongs to it, if no file declares the deployment.
    pub evidence: Option<Vec<String>>,
}

/// A path that the file names.
#[derive(Clone, Debug)]
pub struct ConfiguredPath {
    /// The path relative to the current folder; in the file, it is relative to the folder of the file.
    pub path: PathBuf,
    /// The string in the file.
    pub span: Span,
}

/// The codes that `check` ignores in the files that a pattern selects.
#[derive(Clone, Debug)]
pub struct PathIgnores {
    /// The pattern for the paths of the files, relative to the folder of the file.
    pub pattern: PathPattern,
    /// Codes, beginnings of codes and groups, with their places.
    pub words: Vec<(String, Span)>,
    /// The place of the pattern.
    pub span: Span,
}

impl Deployment {
    pub(crate) fn new(span: Span) -> Self {
        Deployment {
            name: None,
            templates: Vec::new(),
            environments: Vec::new(),
            parameters: Vec::new(),
            given: Vec::new(),
            span,
            evidence: None,
        }
    }

    /// A text that is equal for equal environments and parameters. It contains values, which no report may show.
    pub fn inputs(&self) -> String {
        let environments: Vec<&PathBuf> = self.environments.iter().map(|it| &it.path).collect();
        let values: Vec<_> = self.parameters.iter().map(|it| (&it.name, &it.value)).collect();
        format!("{environments:?} {values:?} {:?}", self.given)
    }

    /// Whether another one has the same name, templates and inputs.
    pub fn is_same(&self, other: &Deployment) -> bool {
        self.name == other.name
            && self.patterns() == other.patterns()
            && self.inputs() == other.inputs()
    }

    /// The patterns of its templates.
    pub fn patterns(&self) -> Vec<&str> {
        self.templates.iter().map(PathPattern::text).collect()
    }

    /// The name, or, without one, the templates.
    pub fn shown_name(&self) -> String {
        self.name.clone().unwrap_or_else(|| self.patterns().join(", "))
    }
}

impl Config {
    /// The path of a file relative to the folder of the configuration; `None` if it is outside.
    pub fn relative(&self, path: &Path, files: &dyn FileSource) -> Option<PathBuf> {
        let absolute = files.absolute(path);
        absolute.strip_prefix(&self.folder).ok().map(Path::to_owned)
    }

    /// The deployments of a template, in the order of the file; none for a stream, or for a template outside of the folder of the
    /// file.
    pub fn deployments_of<'c>(
        &'c self,
        template: &Path,
        files: &dyn FileSource,
    ) -> Vec<&'c Deployment> {
        if self.deployments.is_empty() || files.is_stream(template) {
            return Vec::new();
        }
        let Some(path) = self.relative(template, files) else { return Vec::new() };
        let is_its =
            |deployment: &&Deployment| deployment.templates.iter().any(|it| it.matches(&path));
        self.deployments.iter().filter(is_its).collect()
    }

    /// A finding for each deployment that no template has; `used` are the others.
    pub fn unused_deployments(&self, used: &BTreeSet<DeploymentId>) -> Vec<Diagnostic> {
        let is_used = |at: &usize| used.contains(&DeploymentId::Declared(*at));
        let unused = self.deployments.iter().enumerate().filter(|(at, _)| !is_used(at));
        let finding = |deployment: &Deployment| {
            let message = format!("no template fits the deployment `{}`", deployment.shown_name());
            Diagnostic::new(crate::codes::DEPLOYMENT_WITHOUT_TEMPLATE, message).at(deployment.span)
        };
        unused.map(|(_, deployment)| finding(deployment)).collect()
    }

    /// The place of a key or a value: the path of the file with the line.
    pub fn place(&self, span: Span) -> String {
        let text = self.sources.text(span.source);
        let lines = self.lines.get_or_init(|| LineIndex::new(text));
        let line = lines.position(text, span.start).line;
        format!("{}:{line}", source_files::display_name(&self.path))
    }
}
