//! The questions of the server to a project.

use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use hotplate_project::{EvaluatedDeployment, OpenedBase};
use lossless_yaml::Limits;
use source_files::{Disk, FileSource, FoundFiles};

use super::impact::ImpactBase;
use super::settings::Settings;
use crate::config::Config;
use crate::config::keys::{code_or_group, fail_on};
use crate::fix::FileFixes;
use crate::report::diff::{DiffReportOptions, Report, TemplateReport};
use crate::report::update_impact;
use crate::resource_types::FactsOfRelease;
use heat_template::hot::requested_release;
use heat_template::schema::Schema;
use hotplate_check::CheckRun;
use hotplate_project::{Project as Opened, ProjectOptions, ReadOptions};

/// Why a project cannot be opened or asked, as a user reads it.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{0}")]
pub struct ProjectError(pub String);

impl From<anyhow::Error> for ProjectError {
    fn from(why: anyhow::Error) -> Self {
        ProjectError(format!("{why:#}"))
    }
}

/// The questions of the server to a project: its configuration, and the results of the commands. Paths are absolute or relative to the folder
/// of the project.
pub trait Project: Send + Sync {
    /// The project with its options.
    fn opened(&self) -> &Opened;

    /// The limits on reading.
    fn limits(&self) -> Limits {
        self.opened().reading().limits
    }

    /// The facts about resource types.
    fn facts(&self) -> FactsOfRelease {
        let release = self.opened().options.check.heat;
        FactsOfRelease { schema: self.opened().reading().schema, release }
    }

    /// The files of the project that may be templates, as `hotplate check` finds them.
    fn find(&self, files: &dyn FileSource) -> FoundFiles {
        source_files::find(files, std::slice::from_ref(&self.opened().folder))
    }

    /// The findings of `hotplate check` about templates. A file that is no template has none.
    fn check(
        &self,
        files: &dyn FileSource,
        templates: &[PathBuf],
    ) -> Result<CheckRun, ProjectError> {
        let mut found = source_files::find(files, templates);
        // An editor opens files of all programs.
        found.inputs.iter_mut().for_each(|input| input.is_explicit = false);
        let opened = self.opened();
        Ok(opened.check(files, &found, &opened.reading().files())?)
    }

    /// The fixes of the findings of a run, which are added to them.
    fn fix(&self, files: &dyn FileSource, run: &mut CheckRun) -> Vec<FileFixes> {
        let Opened { configuration, options, .. } = self.opened();
        options.check.plan_fixes(run, files, configuration, update_impact::add)
    }

    /// Evaluates a template with each of its deployments; one that cannot be read is left out, since `check` reports it.
    fn evaluate(&self, files: &dyn FileSource, template: &Path) -> Vec<EvaluatedDeployment> {
        self.opened().evaluate(files, template)
    }

    /// The absolute paths of the environments of a template's deployments, each once.
    fn environments(&self, files: &dyn FileSource, template: &Path) -> Vec<PathBuf> {
        self.opened().environments(files, template)
    }

    /// The absolute path of every environment of the configuration.
    fn every_environment(&self, files: &dyn FileSource) -> Vec<PathBuf> {
        self.opened().every_environment(files)
    }

    /// Compares a template with its base, with each of its deployments, as `hotplate diff` does.
    fn compare(
        &self,
        base: &OpenedBase,
        files: &dyn FileSource,
        template: &Path,
    ) -> Result<Vec<TemplateReport>, ProjectError> {
        let ProjectOptions { context, fail_on: words, hide, .. } = &self.opened().options;
        let default = DiffReportOptions::default();
        let options = DiffReportOptions {
            context: context.unwrap_or(default.context),
            fail_on: fail_on(&words.join(",")).unwrap_or_default(),
            hide: hide.clone(),
            ..default
        };
        let all = self.opened().compare(base, files, template)?;
        let reports = all.iter().map(|it| Report::pair(&it.into(), &options).templates().to_vec());
        Ok(reports.flatten().collect())
    }

    /// Opens what an edit is compared with; `known` itself if it is still that.
    fn open_base(
        &self,
        base: &ImpactBase,
        known: Option<&Arc<OpenedBase>>,
    ) -> Result<Arc<OpenedBase>, ProjectError> {
        let name = match base {
            ImpactBase::Head => None,
            ImpactBase::Named(name) => Some(&**name),
            ImpactBase::Nothing => {
                return Err(ProjectError("nothing to compare with is set".to_owned()));
            }
        };
        Ok(self.opened().open_base(name, known)?)
    }
}

impl Project for Opened {
    fn opened(&self) -> &Opened {
        self
    }
}

/// The project in a folder, with the options that its `hotplate.toml`, as the commands find it there, and the settings of the client
/// give.
/// It fails if the configuration or a setting is wrong.
pub fn open_project(
    folder: &Path,
    settings: &Settings,
    schema: &'static Schema,
) -> Result<Opened, ProjectError> {
    let reading = ReadOptions { schema, limits: Limits::default() };
    let config = if settings.is_bare { None } else { Config::find(folder) };
    let config = config.map(|path| Config::open(&path, &Disk::default(), false, false));
    let mut project = Opened::new(folder, config, reading)?;
    let check = &mut project.options.check;
    let lists = [
        ("select", &settings.select, &mut check.select),
        ("ignore", &settings.ignore, &mut check.ignore),
    ];
    for (name, words, own) in lists.into_iter().filter(|(_, words, _)| !words.is_empty()) {
        let words = words.iter().flat_map(|word| word.split(',')).map(code_or_group);
        let words: Result<_, _> = words.collect();
        *own = words.map_err(|why| ProjectError(format!("`{name}`: {why}")))?;
    }
    if let Some(release) = settings.heat.as_deref().filter(|it| !it.is_empty()) {
        let release = requested_release(release);
        check.set_release(release.map_err(|why| ProjectError(format!("`heat`: {why}")))?);
    }
    Ok(project)
}

/// Opens a project: `folder` is its root, and the current folder.
pub type OpenProject =
    dyn Fn(&Path, &Settings) -> Result<Box<dyn Project>, ProjectError> + Send + Sync;
