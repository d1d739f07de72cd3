//! `hotplate targets`: the targets of `hotplate render`, and targets that users write.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{anyhow, bail};
use clap::{Args, Parser, Subcommand};

use super::inputs::ReadLimits;
use super::render::Render;
use super::{Console, ExitStatus, Format, heat_release};
use crate::report::json;
use crate::report::targets::{self as report, CaseReport};
use hotplate_emit::template_pack::cases::{self, CaseDifference, PackCase};
use hotplate_emit::template_pack::{InvalidPack, skeleton};
use hotplate_emit::{
    EMITTERS, EmitOutput, EmitRequest, Emitter, ResolvedTarget, TargetError, TargetSupport,
    TemplatePack, find_target,
};
use hotplate_project::Configuration;
use source_diagnostics::{Diagnostic, MaskedSources};
use source_files::{ExistingFiles, FileError, FileReaders, WriteEffects, remove, write_folder};

/// List the targets of `hotplate render`, inspect them, create one
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(super) struct Targets {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    list: Listing,
}

#[derive(Debug, Subcommand)]
enum Command {
    List(List),
    Show(Show),
    Context(Box<Context>),
    New(New),
    Test(Test),
}

/// How the list is printed.
#[derive(Debug, Args)]
struct Listing {
    /// Print the tables of types and functions of every target as a Markdown page
    #[arg(long, conflicts_with = "format")]
    markdown: bool,
    /// The format of the report
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// List the targets with the formats they write
#[derive(Debug, Args)]
struct List {
    #[command(flatten)]
    listing: Listing,
}

/// Print how a target translates resource types and functions
#[derive(Debug, Args)]
struct Show {
    /// One of `hotplate targets`, or a folder with a target
    #[arg(value_name = "NAME|DIR")]
    target: String,
    /// The format of the report
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    #[command(flatten)]
    bounds: ReadLimits,
}

/// Print the input of a target's templates, as JSON
#[derive(Debug, Args)]
struct Context {
    #[command(flatten)]
    render: Render,
}

/// Create a minimal working target
#[derive(Debug, Args)]
struct New {
    /// The folder; it must be empty or not exist
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

/// Render a target's test cases and compare the results with the expected files
#[derive(Debug, Args)]
struct Test {
    /// The folder of the target
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Run only these cases
    #[arg(value_name = "CASE")]
    cases: Vec<String>,
    /// Replace the expected files with the rendered ones
    #[arg(long)]
    accept: bool,
    /// The format of the report
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    #[command(flatten)]
    bounds: ReadLimits,
}

impl Targets {
    pub(super) fn run(
        self,
        configuration: &Configuration,
        console: &mut Console,
    ) -> anyhow::Result<ExitStatus> {
        match self.command {
            None => self.list.run(console),
            Some(Command::List(command)) => command.listing.run(console),
            Some(Command::Show(command)) => command.run(console),
            Some(Command::Context(command)) => command.run(configuration, console),
            Some(Command::New(command)) => command.run(console),
            Some(Command::Test(command)) => command.run(console),
        }
    }
}

/// Opens the target that an argument names; errors in a folder are printed.
pub(super) fn open(
    target: &str,
    bounds: ReadLimits,
    console: &mut Console,
) -> anyhow::Result<Result<ResolvedTarget, ExitStatus>> {
    match find_target(target, &bounds.files()) {
        Ok(found) => Ok(Ok(found)),
        Err(TargetError::InvalidPack(broken)) => {
            show_broken(&broken, console);
            Ok(Err(ExitStatus::Failed))
        }
        Err(unknown) => Err(unknown.into()),
    }
}

fn show_broken(broken: &InvalidPack, console: &mut Console) {
    let mut sources = MaskedSources::default();
    sources.attach(&broken.texts);
    console.diagnostics(&broken.findings, &sources);
}

impl Listing {
    fn run(self, console: &mut Console) -> anyhow::Result<ExitStatus> {
        match (self.markdown, self.format) {
            (true, _) => console.print(&report::markdown(EMITTERS, heat_release()))?,
            (false, Format::Text) => console.print(&report::list(EMITTERS))?,
            (false, Format::Json) => {
                console.print(&json::to_text(&report::listed(EMITTERS))?)?;
            }
        }
        Ok(ExitStatus::Done)
    }
}

impl Show {
    fn run(self, console: &mut Console) -> anyhow::Result<ExitStatus> {
        let emitter = match open(&self.target, self.bounds, console)? {
            Ok(emitter) => emitter,
            Err(status) => return Ok(status),
        };
        let shown = report::shown(&*emitter, heat_release());
        match self.format {
            Format::Text => console.print(&report::text(&shown))?,
            Format::Json => console.print(&json::to_text(&shown)?)?,
        }
        Ok(ExitStatus::Done)
    }
}

/// A target that writes the input of another target's templates.
struct ContextEmitter<'t>(&'t TemplatePack);

impl Emitter for ContextEmitter<'_> {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn summary(&self) -> &str {
        self.0.summary()
    }

    fn texts(&self) -> Vec<(String, Arc<str>)> {
        self.0.texts()
    }

    fn type_support(&self, name: &str) -> (Option<String>, TargetSupport) {
        self.0.type_support(name)
    }

    fn function_support(&self, function: &str) -> TargetSupport {
        self.0.function_support(function)
    }

    fn emit(&self, request: &EmitRequest<'_>) -> Result<EmitOutput, Box<Diagnostic>> {
        let Some(model) = request.model else {
            return Err(Box::new(Diagnostic::new(
                hotplate_emit::codes::TARGET_TEMPLATE,
                "there is no deployment",
            )));
        };
        let mut text = format!("{:#}", self.0.context(model)?);
        text.push('\n');
        Ok(EmitOutput::single_file(text))
    }
}

impl Context {
    fn run(
        mut self,
        configuration: &Configuration,
        console: &mut Console,
    ) -> anyhow::Result<ExitStatus> {
        let emitter = match open(self.render.target(), self.render.bounds(), console)? {
            Ok(emitter) => emitter,
            Err(status) => return Ok(status),
        };
        let Some(folder) = emitter.template_pack() else {
            let folders = EMITTERS.iter().filter(|emitter| emitter.template_pack().is_some());
            let names: Vec<&str> = folders.map(|emitter| emitter.name()).collect();
            bail!(
                "`{}` is implemented by code; only folders have templates: {}",
                emitter.name(),
                names.join(", ")
            );
        };
        let given = ContextEmitter(folder);
        self.render.configure(&given, configuration, console)?;
        let (outcome, sources) = self.render.outcome(&given)?;
        self.render.show(&given, &outcome, &sources, console)
    }
}

impl New {
    fn run(self, console: &mut Console) -> anyhow::Result<ExitStatus> {
        let name = self.folder.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let files = skeleton::files(name);
        let files: Vec<(&Path, &[u8])> =
            files.iter().map(|(path, text)| (Path::new(*path), text.as_bytes())).collect();
        if let Err(error) =
            write_folder(&self.folder, &files, ExistingFiles::Reject, FileReaders::Umask)
        {
            console.diagnostics(&[error.diagnostic()], &MaskedSources::default());
            return Ok(ExitStatus::Failed);
        }
        let folder = self.folder.display().to_string();
        console.note(&report::folder_written(&folder, files.len()));
        Ok(ExitStatus::Done)
    }
}

/// The command line of a test case.
#[derive(Debug, Parser)]
#[command(name = "options", no_binary_name = true)]
struct CaseCommand {
    #[command(flatten)]
    render: Render,
}

impl Test {
    fn run(self, console: &mut Console) -> anyhow::Result<ExitStatus> {
        let files = self.bounds.files();
        let target = match TemplatePack::read(&self.folder, &files) {
            Ok(target) => target,
            Err(broken) => {
                show_broken(&broken, console);
                return Ok(ExitStatus::Failed);
            }
        };
        let mut status = ExitStatus::Done;
        let mut outcomes = Vec::new();
        for case in cases::list(&self.folder, &self.cases, &files)? {
            let (outcome, sources) = self.line(&case)?.outcome(&target)?;
            let Some(emitted) = outcome.emitted else {
                console.diagnostics(&outcome.findings, &sources);
                outcomes.push(CaseReport::failed(&case));
                status = status.max(outcome.status).max(ExitStatus::Attention);
                continue;
            };
            let found = cases::outcome(&emitted);
            let differences = cases::compare(&case, &found, &files)?;
            if self.accept {
                let written = accept(&case, &differences)?;
                console.diagnostics(&written.findings().collect::<Vec<_>>(), &sources);
            } else if !differences.is_empty() {
                status = status.max(ExitStatus::Attention);
            }
            outcomes.push(CaseReport::new(&case, &differences, self.accept));
        }
        match self.format {
            Format::Text => console.print(&report::case_results(&outcomes))?,
            Format::Json => console.print(&json::to_text(&outcomes)?)?,
        }
        Ok(status)
    }

    /// Converts a test case to the command line that renders it.
    fn line(&self, case: &PackCase) -> anyhow::Result<Render> {
        let mut words = vec![case.template.clone().into_os_string()];
        words.extend(["--target".into(), self.folder.clone().into_os_string()]);
        if let Some(environment) = &case.environment {
            words.extend(["-e".into(), environment.clone().into_os_string()]);
        }
        words.extend(case.options.iter().map(Into::into));
        let line = CaseCommand::try_parse_from(words);
        let line =
            line.map_err(|error| anyhow!("the options of the case `{}`: {error}", case.name))?;
        Ok(line.render)
    }
}

/// Replaces the expected files of a test case.
fn accept(case: &PackCase, differences: &[CaseDifference]) -> Result<WriteEffects, FileError> {
    let mut written = WriteEffects::default();
    let found = differences.iter().filter_map(|difference| {
        Some((difference.path.as_path(), difference.found.as_deref()?.as_bytes()))
    });
    let found: Vec<(&Path, &[u8])> = found.collect();
    if !found.is_empty() {
        written = write_folder(&case.folder, &found, ExistingFiles::Replace, FileReaders::Umask)?;
    }
    let mut gone = differences.iter().filter(|difference| difference.found.is_none());
    gone.try_for_each(|difference| remove(&case.folder.join(&difference.path)))?;
    Ok(written)
}
