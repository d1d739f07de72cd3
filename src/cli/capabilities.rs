//! `hotplate capabilities`: the capabilities of templates, and the candidates that an environment chooses by them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use clap::{Args, Subcommand};
use rayon::prelude::*;

use super::deployment::DeploymentArguments;
use super::inputs::{ReadLimits, or_here};
use super::{Console, ExitStatus, Format, heat_release};
use crate::report::capabilities::{
    self as report, CapabilitiesSummary, TemplateCapabilities, WrittenTree,
};
use crate::report::upgrade::skipped_files;
use crate::report::{SourceLocator, json};
use crate::resolved_tree::{ResolvedTree, SelectedDeployment, resolved_tree, sections_left};
use heat_engine::environment::capabilities::declared;
use heat_engine::environment::registry::{EntryTarget, NestedTemplate};
use heat_engine::environment::{
    CandidateMismatch, Capabilities as Declared, Environment, EnvironmentNode, EnvironmentValue,
    FileContent,
};
use heat_template::dialect::{read_candidate, secrets, unread_secrets};
use heat_template::hot::{DocumentKind, recognize};
use hotplate_project::{ReadDeployment, is_jinja};
use lossless_yaml::jinja_skipped;
use source_diagnostics::{Consequence, Diagnostic, MaskedSources, SourceId, Span};
use source_files::{
    ExistingFiles, FileError, FileReaders, FileSource, FoundFiles, WriteEffects, display_name,
    find, write_folder,
};

/// Find templates by their capabilities, and choose between them
#[derive(Debug, Args)]
pub(super) struct Capabilities {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Find(FindCommand),
    List(ListCommand),
    Resolve(ResolveCommand),
}

/// Print the templates that have capabilities
#[derive(Debug, Args)]
struct FindCommand {
    /// Templates and folders; only files directly in a folder, unless `--recursive` is given
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,
    /// A capability that a template must declare; if given several times, all of them
    #[arg(short, long = "capability", value_name = "KEY=VALUE", required = true)]
    #[arg(value_parser = pair)]
    capabilities: Vec<(String, String)>,
    /// Search subfolders too
    #[arg(short, long)]
    recursive: bool,
    /// The format of the report
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    #[command(flatten)]
    bounds: ReadLimits,
}

/// Print every capability with its values, and for every type the templates that can implement it
#[derive(Debug, Args)]
struct ListCommand {
    /// Templates and folders to search for templates; without any, and without `-f` and `-e`, the
    /// current folder
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// A template, in addition to `paths`
    #[arg(short, long = "file", value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    deployment: DeploymentArguments,
    /// The format of the report
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    #[command(flatten)]
    bounds: ReadLimits,
}

/// Choose the candidates of an environment, and print the registry or write all files for Heat
#[derive(Debug, Args)]
struct ResolveCommand {
    /// The template that the environments are for; it is written, too
    #[arg(value_name = "TEMPLATE")]
    template: Option<PathBuf>,
    /// Write the environments, the templates and every file that they refer to into a folder, as Heat takes them: without
    /// `requires` and `capabilities`
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Write into a folder that is not empty
    #[arg(long, requires = "output")]
    force: bool,
    #[command(flatten)]
    deployment: DeploymentArguments,
    /// The format of the report
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    #[command(flatten)]
    bounds: ReadLimits,
}

impl Capabilities {
    pub(super) fn run(self, console: &mut Console) -> anyhow::Result<ExitStatus> {
        match self.command {
            Command::Find(command) => command.run(console),
            Command::List(command) => command.run(console),
            Command::Resolve(command) => command.run(console),
        }
    }
}

impl FindCommand {
    fn run(self, console: &mut Console) -> anyhow::Result<ExitStatus> {
        let files = self.bounds.files();
        let mut found = find(&files, &self.paths);
        if !self.recursive {
            let folders = &found.folders;
            let directly =
                |folder: &usize, path: &PathBuf| path.parent() == Some(&folders[*folder]);
            found.inputs.retain(|input| {
                input.is_explicit
                    || input.folders.iter().any(|folder| directly(folder, &input.path))
            });
        }
        let mut read = TemplateSet::default();
        read.add(&files, found, TemplatesOnly::No, self.bounds);
        let matches = |declared: &Declared| {
            self.capabilities
                .iter()
                .all(|(key, value)| declared.get(key).is_some_and(|values| values.contains(value)))
        };
        read.templates.retain(|template| matches(&template.capabilities));
        let none = read.templates.is_empty();
        let status = read.status();
        let mut places = SourceLocator::new(&read.sources);
        match self.format {
            Format::Text => {
                console.diagnostics(&read.findings, &read.sources);
                console.note(&skipped_files(read.skipped, 0));
                for template in &read.templates {
                    let path = crate::report::escape::on_one_line(&template.path).into_owned();
                    console.print(&format!("{path}\n"))?;
                }
            }
            Format::Json => {
                let report = report::CapabilitiesMatches::new(
                    read.templates,
                    read.skipped,
                    &read.findings,
                    &mut places,
                );
                console.print(&json::to_text(&report).context("JSON cannot be written")?)?;
            }
        }
        Ok(if none { status.max(ExitStatus::Attention) } else { status })
    }
}

impl ListCommand {
    fn run(self, console: &mut Console) -> anyhow::Result<ExitStatus> {
        let files = self.bounds.files();
        let mut read = TemplateSet::default();
        let (mut serving, mut lists) = (Vec::new(), Vec::new());
        let options = self.deployment.options();
        if !options.environments.is_empty() {
            let (deployment, sources) =
                options.open_masked(&files, None, self.bounds.options(), None)?;
            lists = deployment.environment.candidate_lists.clone();
            serving = read.add_environment(deployment, sources);
        }
        if !self.files.is_empty() {
            read.add(&files, find(&files, &self.files), TemplatesOnly::Yes, self.bounds);
        }
        if !self.paths.is_empty() || self.files.is_empty() && options.environments.is_empty() {
            let found = find(&files, &or_here(self.paths));
            read.add(&files, found, TemplatesOnly::No, self.bounds);
        }
        let summary = CapabilitiesSummary::new(&read.templates, &serving, &lists);
        let status = read.status();
        let mut places = SourceLocator::new(&read.sources);
        match self.format {
            Format::Text => {
                console.diagnostics(&read.findings, &read.sources);
                console.note(&skipped_files(read.skipped, 0));
                console.print(&summary.text())?;
            }
            Format::Json => {
                let report = report::CapabilitiesList::new(
                    summary,
                    read.templates,
                    read.skipped,
                    &read.findings,
                    &mut places,
                );
                console.print(&json::to_text(&report).context("JSON cannot be written")?)?;
            }
        }
        Ok(status)
    }
}

impl ResolveCommand {
    fn run(self, console: &mut Console) -> anyhow::Result<ExitStatus> {
        let options = self.deployment.options();
        if options.environments.is_empty() {
            anyhow::bail!("no environment: pass one with `-e`");
        }
        let (opened, sources) =
            options.open(&self.bounds.files(), self.template.as_deref(), self.bounds.options())?;
        let environment = &opened.environment;
        let secrets = opened.secrets();
        let mut findings = [opened.findings.as_slice(), &environment.findings].concat();
        // Errors of Heat are reported here.
        findings.retain(|finding| finding.code != heat_engine::codes::HEAT_REFUSES_SECTION);
        // Files are written for a deployment of which nothing is missing.
        let is_wrong =
            |it: &Diagnostic| it.is_error() || it.consequence() == Consequence::Incomplete;
        let resolved = opened.complete && !findings.iter().any(is_wrong);
        let deployment = SelectedDeployment {
            template: opened.root.as_ref().map(|(location, document)| (location, document)),
            environment,
            sources: &sources,
            merge: options.merge,
            schema: heat_release(),
            limits: &self.bounds.limits(),
        };
        let mut tree = None;
        match &self.output {
            _ if !resolved => {}
            None => findings.extend(sections_left(&deployment)),
            Some(folder) => match resolved_tree(&deployment) {
                Ok(resolved) => {
                    // The copies of files with secrets are not for others to read.
                    let readers = if secrets.is_empty() {
                        FileReaders::Umask
                    } else {
                        FileReaders::OwnerOnly
                    };
                    match self.write(folder, &resolved, readers) {
                        Ok(written) => {
                            findings.extend(written.findings());
                            tree = Some(WrittenTree::new(folder, &resolved));
                        }
                        Err(error) => findings.push(error.diagnostic()),
                    }
                }
                Err(errors) => findings.extend(errors),
            },
        }
        let sources = sources.masked(&secrets);
        let registry = resolved.then_some(&environment.registry);
        let done = resolved && (self.output.is_none() || tree.is_some());
        match self.format {
            Format::Text => {
                console.diagnostics(&findings, &sources);
                match (&self.output, &tree, registry) {
                    (Some(folder), Some(tree), _) => {
                        console.note(&tree.text(folder, options.has_parameters()));
                    }
                    (None, _, Some(registry)) => match report::environment(registry) {
                        Ok(text) => console.document(text.as_bytes())?,
                        Err(finding) => {
                            console.diagnostics(&[*finding], &sources);
                            return Ok(ExitStatus::Failed);
                        }
                    },
                    _ => {}
                }
            }
            Format::Json => {
                let mut places = SourceLocator::new(&sources);
                let report = report::ResolvedRegistry::new(
                    registry,
                    &environment.candidate_lists,
                    tree,
                    &findings,
                    &mut places,
                );
                console.print(&json::to_text(&report).context("JSON cannot be written")?)?;
            }
        }
        Ok(match (opened.complete, resolved, done) {
            (false, ..) | (true, true, false) => ExitStatus::Failed,
            (true, false, _) => ExitStatus::Attention,
            (true, true, true) => ExitStatus::Done,
        })
    }

    fn write(
        &self,
        folder: &Path,
        tree: &ResolvedTree,
        readers: FileReaders,
    ) -> Result<WriteEffects, FileError> {
        let files = tree.files.iter();
        let files: Vec<(&Path, &[u8])> =
            files.map(|(path, bytes)| (path.as_path(), bytes.as_slice())).collect();
        let existing = if self.force { ExistingFiles::Replace } else { ExistingFiles::Reject };
        write_folder(folder, &files, existing, readers)
    }
}

/// Whether a named file that is not a template is an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TemplatesOnly {
    Yes,
    /// A shell pattern names other files, too.
    No,
}

/// The templates that were read, without duplicates, and the findings.
#[derive(Default)]
struct TemplateSet {
    sources: MaskedSources,
    templates: Vec<TemplateCapabilities>,
    findings: Vec<Diagnostic>,
    /// The number of files that are not templates.
    skipped: usize,
    /// Whether something that the user named cannot be read.
    failed: bool,
}

/// The result for one file; empty for a file that is not a template.
struct ReadTemplate {
    text: Arc<str>,
    declared: Result<Option<Declared>, Box<Diagnostic>>,
    is_skipped: bool,
    findings: Vec<Diagnostic>,
    secrets: Vec<Span>,
}

impl TemplateSet {
    fn status(&self) -> ExitStatus {
        ExitStatus::of(!self.failed, &self.findings)
    }

    fn push(&mut self, path: String, capabilities: Declared) {
        if !self.templates.iter().any(|template| template.path == path) {
            self.templates.push(TemplateCapabilities { path, capabilities });
        }
    }

    /// Reads the given files and the files of the given folders.
    fn add(
        &mut self,
        files: &dyn FileSource,
        mut found: FoundFiles,
        only: TemplatesOnly,
        bounds: ReadLimits,
    ) {
        if only == TemplatesOnly::No {
            found.inputs.iter_mut().for_each(|input| input.is_explicit = false);
        }
        let first = self.sources.next_id().0;
        let read = |(at, input): (usize, &source_files::InputFile)| {
            one(files, SourceId(first + at as u32), input, bounds)
        };
        let outcomes: Vec<ReadTemplate> = found.inputs.par_iter().enumerate().map(read).collect();
        for (input, outcome) in found.inputs.iter().zip(outcomes) {
            let path = display_name(&input.path).into_owned();
            self.sources.read(|sources| (sources.add(path.clone(), outcome.text), outcome.secrets));
            self.findings.extend(outcome.findings);
            self.skipped += usize::from(outcome.is_skipped);
            match outcome.declared {
                Ok(Some(capabilities)) => self.push(path, capabilities),
                Ok(None) => {}
                Err(finding) => {
                    self.failed = true;
                    self.findings.push(*finding);
                }
            }
        }
        self.failed |= !found.errors.is_empty();
        self.findings.extend(found.errors.iter().map(FileError::diagnostic));
    }

    /// Reads the candidates and the templates of a registry; returns which of them can implement which type.
    fn add_environment(
        &mut self,
        opened: ReadDeployment,
        sources: MaskedSources,
    ) -> Vec<(String, String)> {
        let environment = &opened.environment;
        // The choice between candidates is left to `resolve`.
        let of_choice = |finding: &&Diagnostic| {
            !matches!(
                finding.code,
                heat_engine::codes::NO_CANDIDATE
                    | heat_engine::codes::AMBIGUOUS_CANDIDATES
                    | heat_engine::codes::REQUIREMENT_IGNORED
                    | heat_engine::codes::HEAT_REFUSES_SECTION
            )
        };
        self.findings.extend(opened.findings.iter().cloned());
        self.findings.extend(environment.findings.iter().filter(of_choice).cloned());
        self.failed |= !opened.complete;
        self.sources = sources;
        let mut serving = Vec::new();
        for choice in &environment.candidate_lists {
            for candidate in &choice.candidates {
                let is_out = |lack: &CandidateMismatch| match lack {
                    CandidateMismatch::Unreadable
                    | CandidateMismatch::NotATemplate
                    | CandidateMismatch::Type(_) => true,
                    CandidateMismatch::Undeclared { .. } | CandidateMismatch::Differs { .. } => {
                        false
                    }
                };
                let name = name(&candidate.node);
                if !candidate.mismatches.iter().any(is_out) {
                    serving.push((choice.resource_type().to_owned(), name.clone()));
                }
                if matches!(candidate.node.value, EnvironmentValue::File(_)) {
                    self.push(name, candidate.capabilities.clone());
                }
            }
        }
        for (resource_type, path, capabilities) in mapped(environment) {
            serving.push((resource_type, path.clone()));
            self.push(path, capabilities);
        }
        serving
    }
}

/// The templates that a registry maps types to.
fn mapped(environment: &Environment) -> Vec<(String, String, Declared)> {
    let chosen = |node: &EnvironmentNode| {
        environment.candidate_lists.iter().any(|it| it.node.key == node.key)
    };
    let entries = environment.registry.entries().into_iter();
    let mapped = entries.filter(|entry| !chosen(&entry.node)).filter_map(|entry| {
        let EntryTarget::Template(NestedTemplate::File(location)) = &entry.target else {
            return None;
        };
        let FileContent::Template(document) = &environment.files.get(location.url())?.content
        else {
            return None;
        };
        let (capabilities, _) = declared(document).ok()?;
        Some((entry.path.last()?.clone(), location.to_string(), capabilities))
    });
    mapped.collect()
}

fn name(node: &EnvironmentNode) -> String {
    match &node.value {
        EnvironmentValue::File(location) => location.to_string(),
        _ => node.as_text().unwrap_or_default().into_owned(),
    }
}

fn one(
    files: &dyn FileSource,
    source: SourceId,
    input: &source_files::InputFile,
    bounds: ReadLimits,
) -> ReadTemplate {
    let mut outcome = ReadTemplate {
        text: "".into(),
        declared: Ok(None),
        is_skipped: false,
        findings: Vec::new(),
        secrets: Vec::new(),
    };
    let mut declare = || -> Result<Option<Declared>, Box<Diagnostic>> {
        let bytes = input.read(files).map_err(|error| error.diagnostic())?;
        let (text, document) = read_candidate(source, bytes, input.is_explicit, &bounds.limits());
        outcome.secrets = unread_secrets(source, &text);
        outcome.text = text;
        let document = match document {
            Err(finding) if finding.code == heat_template::codes::NOT_A_TEMPLATE => {
                outcome.is_skipped = true;
                return Ok(None);
            }
            Err(finding) if !input.is_explicit && is_jinja(&finding, &input.path) => {
                let reason = "only its rendered templates have capabilities";
                outcome.findings.push(jinja_skipped(reason, Some(&finding)));
                return Ok(None);
            }
            document => document?,
        };
        outcome.secrets = secrets(&document);
        if !input.is_explicit && matches!(recognize(&document), DocumentKind::Other(_)) {
            outcome.is_skipped = true;
            return Ok(None);
        }
        let (capabilities, findings) = declared(&document)?;
        outcome.findings = findings;
        Ok(Some(capabilities))
    };
    let declared = declare();
    ReadTemplate { declared, ..outcome }
}

fn pair(argument: &str) -> Result<(String, String), String> {
    match argument.split_once('=') {
        Some((key, value)) if !key.is_empty() => Ok((key.to_owned(), value.to_owned())),
        _ => Err("expected KEY=VALUE".to_owned()),
    }
}
