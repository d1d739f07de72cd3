//! `hotplate lsp`: a language server on standard input and output.

use std::ffi::OsString;
use std::fs::File;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Context;
use clap::Args;

use super::check::Check;
use super::configuration::Configuration;
use super::deployment::{ChosenDeployment, ReadDeployment};
use super::diff::Diff;
use super::{Command, Console, ExitStatus, Parsed, Verbosity, heat_release, help, parse_in};
use crate::fix::FileFixes;
use crate::language_server::{
    EvaluatedDeployment, ImpactBase, OpenedBase, Project, ProjectError, Server, Settings,
    StdioTransport,
};
use crate::report::diff::TemplateReport;
use crate::resource_types::FactsOfRelease;
use heat_engine::environment::Location;
use heat_engine::eval::deployment::{DeploymentRequest, deploy};
use heat_engine::eval::template_graph::{Template, TemplateGraph};
use heat_engine::eval::{BoundParameters, ResourceStates};
use hotplate_check::CheckRun;
use lossless_yaml::Limits;
use source_files::git::{DiffSide, Repository};
use source_files::{FileSource, FoundFiles};

/// Run a language server for editors, on standard input and output
#[derive(Debug, Args)]
#[command(after_help = help::LSP)]
pub(super) struct Lsp {
    /// Write what the server does, and how long it takes, to a file; no text of a template is in it
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    /// Accepted for editors that pass it: the server always uses standard input and output
    #[arg(long)]
    stdio: bool,
}

impl Lsp {
    pub(super) fn run(self, console: &mut Console) -> anyhow::Result<ExitStatus> {
        if std::io::stdin().is_terminal() {
            console.note("waiting for an editor, which starts this command itself: docs/editors.md has the settings\n");
        }
        let log = self.log.as_ref().map(|path| {
            let file = File::create(path).map(Mutex::new);
            file.with_context(|| format!("cannot write `{}`", path.display()))
        });
        let log = log.transpose()?;
        let write_log = Arc::new(move |line: &str| {
            if let Some(log) = &log {
                let mut file = log.lock().unwrap_or_else(PoisonError::into_inner);
                // A full disk is no reason to stop.
                let _ = writeln!(file, "{line}");
            }
        });
        // The message of a panic may contain text of a template.
        std::panic::set_hook(Box::new(|panic| {
            let place = panic.location().map(ToString::to_string).unwrap_or_default();
            let _ = writeln!(std::io::stderr(), "hotplate: bug at {place}");
        }));
        let (connection, transport) = StdioTransport::start(write_log.clone())?;
        let ended = Server::new(connection, Box::new(open_project), write_log).run();
        transport.finish();
        let is_shut_down = ended?;
        Ok(if is_shut_down { ExitStatus::Done } else { ExitStatus::Attention })
    }
}

/// The project in a folder, with the options that its `hotplate.toml` gives to the commands.
///
/// # Errors
///
/// If the configuration or a setting is wrong.
pub fn open_project(folder: &Path, settings: &Settings) -> Result<Box<dyn Project>, ProjectError> {
    let project = CommandLineProject::open(folder, settings);
    project.map(|it| Box::new(it) as Box<dyn Project>).map_err(problem)
}

fn problem(why: anyhow::Error) -> ProjectError {
    ProjectError(format!("{why:#}"))
}

/// A project as the commands see it: with the options that `hotplate.toml` gives them.
struct CommandLineProject {
    folder: PathBuf,
    configuration: Configuration,
    check: Check,
    diff: Diff,
}

impl CommandLineProject {
    fn open(folder: &Path, settings: &Settings) -> anyhow::Result<Self> {
        let config: Option<OsString> = settings.is_bare.then(|| "--no-config".into());
        let mut check: Vec<OsString> = vec!["hotplate".into(), "check".into(), folder.into()];
        let lists = [("--select", &settings.select), ("--ignore", &settings.ignore)];
        for (option, words) in lists.into_iter().filter(|(_, words)| !words.is_empty()) {
            check.extend([option.into(), words.join(",").into()]);
        }
        if let Some(release) = settings.heat.as_deref().filter(|it| !it.is_empty()) {
            check.extend(["--heat".into(), release.into()]);
        }
        let mut diff: Vec<OsString> =
            ["hotplate", "diff", "OLD", "NEW"].into_iter().map(OsString::from).collect();
        [&mut check, &mut diff].into_iter().for_each(|it| it.extend(config.clone()));
        let (Command::Check(check), configuration) = command(folder, &check)? else {
            anyhow::bail!("`check` is another command");
        };
        let (Command::Diff(diff), _) = command(folder, &diff)? else {
            anyhow::bail!("`diff` is another command");
        };
        Ok(CommandLineProject { folder: folder.to_owned(), configuration, check, diff })
    }

    fn deployments_of(&self, files: &dyn FileSource, template: &Path) -> Vec<ChosenDeployment> {
        self.check.deployment().each_of(template, &self.configuration, files)
    }

    /// Reads and evaluates a template with one of its deployments; `None` if that is not possible.
    fn evaluated(
        &self,
        files: &dyn FileSource,
        template: &Path,
        chosen: &ChosenDeployment,
    ) -> Option<EvaluatedDeployment> {
        let location = Location::from_argument(template, files);
        let bounds = self.check.bounds();
        let (opened, sources) = chosen.options.open_masked_from(files, location, bounds).ok()?;
        let ReadDeployment { root, environment, .. } = opened;
        let (location, document) = root?;
        let lowered = environment.lower(&document).ok()?;
        let version = lowered.declaration();
        let root = Template::root(&location, Arc::new(lowered.stack), version, lowered.findings);
        let evaluation = self.check.evaluation();
        let deployed = deploy(&DeploymentRequest {
            table: &ResourceStates::new(&root.stack, heat_release(), false),
            templates: &TemplateGraph::new(&environment, root),
            fill: false,
            nested: true,
            bound: &BoundParameters::All,
            yaql: &evaluation.yaql.to_options(),
            max_resources: evaluation.max_resources,
            max_values: evaluation.max_values,
            assume_members: true,
            recover: true,
        });
        let configured = chosen.index.zip(self.configuration.as_ref());
        let name = configured.and_then(|(at, config)| config.deployments.get(at));
        let name = name.map(crate::config::Deployment::shown_name);
        Some(EvaluatedDeployment { name, location, document, environment, deployed, sources })
    }
}

/// The absolute path that a path relative to the current folder stands for; links are not followed.
fn absolute(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    Location::of_absolute(&absolute).absolute().unwrap_or(absolute)
}

/// A command with the settings of the configuration that is found from a folder, as the command itself finds it.
fn command(folder: &Path, arguments: &[OsString]) -> anyhow::Result<(Command, Configuration)> {
    match parse_in(folder, arguments) {
        Ok(Parsed::Command(cli, configuration, _)) => Ok((cli.command, configuration)),
        Ok(Parsed::InvalidConfiguration(config)) => {
            let first = config.findings.first();
            let place = first.and_then(|it| it.span()).map(|span| config.place(span));
            let message = first.map(|it| it.message.clone()).unwrap_or_default();
            anyhow::bail!("{}: {message}", place.unwrap_or_default())
        }
        Ok(Parsed::Schema(_)) => anyhow::bail!("a schema is requested"),
        Err(error) => {
            let text = error.render().to_string();
            let first = text.lines().next().unwrap_or_default();
            anyhow::bail!("{}", first.trim_start_matches("error: "))
        }
    }
}

/// A console on which nothing is printed: standard output belongs to the protocol.
fn silent() -> Console {
    Console::plain(Box::new(std::io::sink()), Box::new(std::io::sink()), Verbosity::Quiet)
}

impl Project for CommandLineProject {
    fn limits(&self) -> Limits {
        self.check.bounds().limits()
    }

    fn facts(&self) -> FactsOfRelease {
        self.check.facts()
    }

    fn find(&self, files: &dyn FileSource) -> FoundFiles {
        self.check.find(files)
    }

    fn check(
        &self,
        files: &dyn FileSource,
        templates: &[PathBuf],
    ) -> Result<CheckRun, ProjectError> {
        let mut found = source_files::find(files, templates);
        // An editor opens files of all programs.
        found.inputs.iter_mut().for_each(|input| input.is_explicit = false);
        self.check.findings_of(files, &found, &self.configuration).map_err(problem)
    }

    fn fix(&self, files: &dyn FileSource, run: &mut CheckRun) -> Vec<FileFixes> {
        self.check.plan_fixes(run, files, &self.configuration)
    }

    fn evaluate(&self, files: &dyn FileSource, template: &Path) -> Vec<EvaluatedDeployment> {
        let chosen = self.deployments_of(files, template);
        chosen.iter().filter_map(|chosen| self.evaluated(files, template, chosen)).collect()
    }

    fn environments(&self, files: &dyn FileSource, template: &Path) -> Vec<PathBuf> {
        let mut all: Vec<PathBuf> = Vec::new();
        for chosen in self.deployments_of(files, template) {
            for path in chosen.options.environment_paths() {
                let path = absolute(path);
                if !all.contains(&path) {
                    all.push(path);
                }
            }
        }
        all
    }

    fn every_environment(&self) -> Vec<PathBuf> {
        let all = super::deployment::configured_environments(&self.configuration);
        all.iter().map(|path| absolute(path)).collect()
    }

    fn compare(
        &self,
        base: &OpenedBase,
        files: &dyn FileSource,
        template: &Path,
    ) -> Result<Vec<TemplateReport>, ProjectError> {
        self.diff.edited(base, files, template, &self.configuration, &mut silent()).map_err(problem)
    }

    fn open_base(
        &self,
        base: &ImpactBase,
        known: Option<&Arc<OpenedBase>>,
    ) -> Result<Arc<OpenedBase>, ProjectError> {
        let name = match base {
            ImpactBase::Head => "HEAD",
            ImpactBase::Named(name) => name,
            ImpactBase::Nothing => {
                return Err(ProjectError("nothing to compare with is set".to_owned()));
            }
        };
        let bounds = self.diff.bounds();
        let path = self.folder.join(name);
        let files = bounds.files();
        if *base != ImpactBase::Head && files.kind(&path).is_some() {
            // The setting may be a file of a workspace that somebody else wrote.
            if files.is_stream(&path)
                || !files.absolute(&path).starts_with(files.absolute(&self.folder))
            {
                let why = "`impact.base` must be a revision or a saved stack in the workspace";
                return Err(ProjectError(format!("`{name}` is outside of the workspace: {why}")));
            }
            return Ok(Arc::new(OpenedBase::SavedStack(path)));
        }
        let failed = |error: source_files::git::GitError| ProjectError(error.diagnostic().message);
        let repository = Repository::open(&self.folder, bounds.max_size()).map_err(failed)?;
        let sides = repository.sides(Some(name), false).map_err(failed)?;
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
