//! A project as an editor or a program sees it: what its configuration says, applied to files of any source.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::check::Check;
use crate::compare::{ComparedTemplate, SideLocation};
use crate::config::Config;
use crate::configuration::{Configuration, ImpliedDeployments};
use crate::deployment::ChosenDeployment;
use crate::options::ReadOptions;
use crate::policy::Policy;
use crate::settings::ProjectOptions;
use heat_engine::environment::{Environment, Location};
use heat_engine::eval::deployment::Deployed;
use hotplate_check::CheckRun;
use hotplate_diff::Pair;
use lossless_yaml::Document;
use saved_stack::SavedStackFiles;
use source_diagnostics::MaskedSources;
use source_files::git::{DiffSide, GitError, Repository};
use source_files::{FileSource, FoundFiles, PathKind, display_name};

/// A project: its configuration, and the options that it gives.
#[derive(Clone, Debug)]
pub struct Project {
    /// The folder of its files.
    pub folder: PathBuf,
    /// The configuration, if there is one.
    pub configuration: Configuration,
    /// The options of checks, comparisons and evaluations.
    pub options: ProjectOptions,
}

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

/// The opened side that an edit is compared with.
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

impl Project {
    /// The project with a configuration.
    ///
    /// # Errors
    ///
    /// The first mistake of the configuration, with its place.
    pub fn new(
        folder: &Path,
        config: Option<Config>,
        reading: ReadOptions,
    ) -> anyhow::Result<Self> {
        let folder = folder.to_owned();
        let mut options = ProjectOptions::new(reading);
        if let Some(config) = &config {
            let (of_file, wrong) = ProjectOptions::of(config, reading);
            if let Some(first) = config.findings.iter().chain(&wrong).next() {
                let place = first.span().map(|span| config.place(span)).unwrap_or_default();
                anyhow::bail!("{place}: {}", first.message);
            }
            options = of_file;
        }
        let implied = Arc::new(ImpliedDeployments::new(reading.schema, &folder, true));
        let configuration = Configuration::new(config).with_implied(Some(implied));
        Ok(Project { folder, configuration, options })
    }

    /// How files are read.
    pub fn reading(&self) -> ReadOptions {
        self.options.check.reading
    }

    /// The findings about files, each with its deployments. `named` has the files that the configuration names as policies, lists and
    /// baseline.
    /// It fails if one of these cannot be read.
    pub fn check(
        &self,
        files: &dyn FileSource,
        found: &FoundFiles,
        named: &dyn FileSource,
    ) -> anyhow::Result<CheckRun> {
        let options = &self.options.check;
        let policy = Policy::read(&options.policy, named).map_err(|broken| {
            let first = broken.findings.first().map(|it| it.message.clone());
            anyhow::anyhow!("a policy cannot be read: {}", first.unwrap_or_default())
        })?;
        let configuration = &self.configuration;
        let rules = options.rules(policy, named, configuration)?;
        let check = Check { options, rules: &rules, configuration, of_change: None };
        check.run(files, found, &())
    }

    fn deployments_of(&self, files: &dyn FileSource, template: &Path) -> Vec<ChosenDeployment> {
        self.options.check.deployment.each_of(template, &self.configuration, files)
    }

    /// Evaluates a template with each of its deployments; one that cannot be read is left out, since `check` reports it.
    pub fn evaluate(&self, files: &dyn FileSource, template: &Path) -> Vec<EvaluatedDeployment> {
        let chosen = self.deployments_of(files, template);
        chosen.iter().filter_map(|chosen| self.evaluated(files, template, chosen)).collect()
    }

    fn evaluated(
        &self,
        files: &dyn FileSource,
        template: &Path,
        chosen: &ChosenDeployment,
    ) -> Option<EvaluatedDeployment> {
        let location = Location::from_argument(template, files);
        let opened = chosen.options.open_masked_from(files, location, self.reading());
        let (mut opened, sources) = opened.ok()?;
        let deployed = opened.contents(&self.options.check.values)?;
        let (location, document) = opened.root?;
        let name = chosen.name.clone();
        let environment = opened.environment;
        Some(EvaluatedDeployment { name, location, document, environment, deployed, sources })
    }

    /// The absolute paths of the environments of a template's deployments, each once.
    pub fn environments(&self, files: &dyn FileSource, template: &Path) -> Vec<PathBuf> {
        let mut all: Vec<PathBuf> = Vec::new();
        for chosen in self.deployments_of(files, template) {
            for path in chosen.options.environments.iter().map(|path| absolute(path)) {
                if !all.contains(&path) {
                    all.push(path);
                }
            }
        }
        all
    }

    /// The absolute path of every environment of the configuration.
    pub fn every_environment(&self, files: &dyn FileSource) -> Vec<PathBuf> {
        let all = self.configuration.every_environment(files);
        all.iter().map(|path| absolute(path)).collect()
    }

    /// The effect of a template's edits on the running stack, with each of its deployments.
    /// It fails if the inputs of a deployment have another form, or there is no saved stack at the path.
    pub fn compare(
        &self,
        base: &OpenedBase,
        files: &dyn FileSource,
        template: &Path,
    ) -> anyhow::Result<Vec<ComparedTemplate>> {
        let (options, configuration) = (&self.options.compare, &self.configuration);
        match base {
            OpenedBase::Revision { files: old, .. } => {
                let is_there = old.kind(template) == Some(PathKind::File);
                let path = is_there.then(|| template.to_owned());
                let old = SideLocation { files: &**old, template: path };
                let new = SideLocation { files, template: Some(template.to_owned()) };
                let deployments = options.deployment.each_of(template, configuration, files);
                let compare = |chosen: &ChosenDeployment| {
                    let places = Pair { old: &old, new: &new };
                    options.compare(places, &options.existing(chosen), files)
                };
                deployments.iter().map(compare).collect()
            }
            OpenedBase::SavedStack(path) => {
                let saved = SavedStackFiles::of_side(path, files, &options.reading.limits);
                let saved = saved.map_err(|finding| anyhow::anyhow!("{}", finding.message))?;
                let shown = display_name(path);
                let saved =
                    saved.ok_or_else(|| anyhow::anyhow!("`{shown}` is not a saved stack"))?;
                let saved = Pair { old: Some(saved), new: None };
                let is_there = |path: &Path| !source_files::is_null_device(path);
                let paths = (path.as_path(), template);
                let (compared, _) = options.compare_saved(
                    saved,
                    paths,
                    &is_there,
                    files,
                    configuration,
                    &mut |_| {},
                )?;
                Ok(vec![compared])
            }
        }
    }

    /// Opens what an edit is compared with: a revision, `HEAD` without a name, or a saved stack in the folder; `known` itself if it is
    /// still that.
    /// It fails if there is no such revision, or the path leads out of the folder.
    pub fn open_base(
        &self,
        name: Option<&str>,
        known: Option<&Arc<OpenedBase>>,
    ) -> anyhow::Result<Arc<OpenedBase>> {
        let (reading, path) = (self.reading(), self.folder.join(name.unwrap_or_default()));
        let files = reading.files();
        if let Some(name) = name
            && files.kind(&path).is_some()
        {
            // The setting may be a file of a workspace that somebody else wrote.
            if files.is_stream(&path)
                || !files.absolute(&path).starts_with(files.absolute(&self.folder))
            {
                let why = "`impact.base` must be a revision or a saved stack in the workspace";
                anyhow::bail!("`{name}` is outside of the workspace: {why}");
            }
            return Ok(Arc::new(OpenedBase::SavedStack(path)));
        }
        let failed = |error: GitError| anyhow::anyhow!("{}", error.diagnostic().message);
        let repository = Repository::open(&self.folder, reading.max_size()).map_err(failed)?;
        let sides = repository.sides(Some(name.unwrap_or("HEAD")), false).map_err(failed)?;
        let tree = match &sides.old {
            DiffSide::Revision { tree, .. } => tree.clone(),
            DiffSide::Index | DiffSide::WorkingTree => String::new(),
        };
        if let Some(known) = known
            && matches!(&**known, OpenedBase::Revision { id, .. } if *id == tree)
        {
            return Ok(Arc::clone(known));
        }
        let opened = repository.open_side(&sides.old).map_err(failed)?;
        Ok(Arc::new(OpenedBase::Revision { files: opened.files, id: tree }))
    }
}

/// The absolute path that a path relative to the current folder stands for; links are not followed.
fn absolute(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    Location::of_absolute(&absolute).absolute().unwrap_or(absolute)
}
