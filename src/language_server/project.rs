//! What the command line knows of a project.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use heat_engine::environment::{Environment, Location};
use heat_engine::eval::deployment::Deployed;
use lossless_yaml::{Document, Limits};
use source_diagnostics::MaskedSources;
use source_files::{FileSource, FoundFiles};

use super::impact::ImpactBase;
use super::settings::Settings;
use crate::fix::FileFixes;
use crate::report::diff::TemplateReport;
use crate::resource_types::FactsOfRelease;
use hotplate_check::CheckRun;

/// Why a project cannot be opened or asked, as a user reads it.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{0}")]
pub struct ProjectError(pub String);

/// A template with what it is deployed with, evaluated.
#[derive(Debug)]
pub struct EvaluatedDeployment {
    /// The name of the deployment of the configuration; `None` if no configuration has one.
    pub name: Option<String>,
    /// The location of the template.
    pub location: Location,
    /// The document of the template.
    pub document: Document,
    /// The environment that its files and the configuration merge to.
    pub environment: Environment,
    /// The stack and its nested stacks, with their values.
    pub deployed: Deployed,
    /// The texts that spans refer to.
    pub sources: MaskedSources,
}

/// What the command line knows of a project: its configuration, and how the commands read, check and compare templates. Paths are
/// absolute or relative to the folder of the project.
pub trait Project: Send + Sync {
    /// The limits on reading.
    fn limits(&self) -> Limits;

    /// The facts about resource types.
    fn facts(&self) -> FactsOfRelease;

    /// The files of the project that may be templates, as `hotplate check` finds them.
    fn find(&self, files: &dyn FileSource) -> FoundFiles;

    /// The findings of `hotplate check` about templates. A file that is no template has none.
    fn check(
        &self,
        files: &dyn FileSource,
        templates: &[PathBuf],
    ) -> Result<CheckRun, ProjectError>;

    /// The fixes of the findings of a run, which are added to them.
    fn fix(&self, files: &dyn FileSource, run: &mut CheckRun) -> Vec<FileFixes>;

    /// Evaluates a template with each of its deployments; one that cannot be read is left out, since `check` reports it.
    fn evaluate(&self, files: &dyn FileSource, template: &Path) -> Vec<EvaluatedDeployment>;

    /// The absolute paths of the environments of a template's deployments, each once.
    fn environments(&self, files: &dyn FileSource, template: &Path) -> Vec<PathBuf>;

    /// The absolute path of every environment of the configuration.
    fn every_environment(&self) -> Vec<PathBuf>;

    /// Compares a template with its base, with each of its deployments, as `hotplate diff` does.
    fn compare(
        &self,
        base: &OpenedBase,
        files: &dyn FileSource,
        template: &Path,
    ) -> Result<Vec<TemplateReport>, ProjectError>;

    /// Opens what an edit is compared with; `known` itself if it is still that.
    fn open_base(
        &self,
        base: &ImpactBase,
        known: Option<&Arc<OpenedBase>>,
    ) -> Result<Arc<OpenedBase>, ProjectError>;
}

/// Opens a project: `folder` is its root, and the current folder.
pub type OpenProject =
    dyn Fn(&Path, &Settings) -> Result<Box<dyn Project>, ProjectError> + Send + Sync;

/// What an edit is compared with, opened.
pub enum OpenedBase {
    /// A revision of the repository.
    Revision {
        /// The files of the revision.
        files: Box<dyn FileSource>,
        /// The object that the revision is, to recognize that it is another one.
        id: String,
    },
    /// A saved stack, at a path.
    SavedStack(PathBuf),
}

impl std::fmt::Debug for OpenedBase {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Revision { id, .. } => f.debug_tuple("Revision").field(id).finish(),
            Self::SavedStack(path) => f.debug_tuple("SavedStack").field(path).finish(),
        }
    }
}
