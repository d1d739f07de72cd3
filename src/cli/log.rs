//! `hotplate log`: what each commit of a repository did to the running stack.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context;
use clap::{Args, ValueEnum};

use super::deployment::DeploymentArguments;
use super::inputs::ReadLimits;
use super::revisions::ChangedTemplates;
use super::{Console, ExitStatus, Progress, Verbosity};
use crate::report::diff::{
    DiffReportOptions, HistoryReport, NewestNames, Report, history_html, history_markdown,
    history_text,
};
use crate::report::json;
use heat_template::hot::may_declare_version;
use hotplate_diff::affected::{AffectedRoot, KnownFacts};
use hotplate_diff::{FailOn, Pair, RenameLink, SectionChanges};
use hotplate_project::config::keys::fail_on;
use hotplate_project::{
    CompareOptions, ComparedTemplate, Configuration, DeploymentOptions, OpenedRevisions,
    SideLocation, shared_findings,
};
use source_diagnostics::{Diagnostic, MaskedSources};
use source_files::git::{ChangedFile, CommittedChange, HistoryOptions, Repository};
use source_files::{Disk, FileSource, PathKind, display_name};

/// Show which commits change what Heat does: what was replaced, when, by whom and why
#[derive(Debug, Args)]
pub(super) struct Log {
    /// The commits: `A..B`, or a revision with all before it; by default `HEAD`
    #[arg(value_name = "RANGE")]
    range: Option<String>,
    /// The files and folders, and the resource of a template: `stack.yaml:web`. Renames of files and resources are followed
    #[arg(value_name = "PATH[:RESOURCE]", last = true)]
    paths: Vec<PathBuf>,
    /// Only commits after this date, as `git log` reads it
    #[arg(long, value_name = "DATE")]
    since: Option<String>,
    /// Follow only first parents: what a merge brings is one change
    #[arg(long)]
    first_parent: bool,
    #[command(flatten)]
    deployment: DeploymentArguments,
    /// Show only commits with such changes: `dangerous`, or a list as `hotplate diff --fail-on` has it
    #[arg(long, value_name = "IMPACT,…", value_parser = fail_on)]
    fail_on: Option<FailOn>,
    /// The format of the report
    #[arg(long, value_enum, default_value_t)]
    format: LogFormat,
    #[command(flatten)]
    bounds: ReadLimits,
}

/// The format of a history.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum LogFormat {
    /// A line per commit
    #[default]
    Text,
    /// Commits and resources, for programs
    Json,
    /// Two tables: commits and resources
    Markdown,
    /// A page of resources by commits
    Html,
}

/// The templates that the user wants to see, by their names in the newest commit.
struct Selection {
    paths: Vec<SelectedPath>,
}

/// A file or a folder, with the resource if one is named.
struct SelectedPath {
    path: PathBuf,
    resource: Option<String>,
    /// Whether a commit has the file, and whether a compared template has the resource.
    is_found: AtomicBool,
}

impl Log {
    pub(super) fn run(
        self,
        configuration: &Configuration,
        console: &mut Console,
    ) -> anyhow::Result<ExitStatus> {
        let bounds = self.bounds;
        let options = HistoryOptions {
            range: self.range.clone(),
            since: self.since.clone(),
            first_parent: self.first_parent,
        };
        let failed = |error: &source_files::git::GitError, console: &mut Console| {
            console.diagnostics(&[error.diagnostic()], &MaskedSources::default());
            Ok(ExitStatus::Failed)
        };
        let repository = match Repository::open(Path::new(""), bounds.options().max_size()) {
            Ok(repository) => repository,
            Err(error) => return failed(&error, console),
        };
        let history = match repository.history(&options) {
            Ok(history) => history,
            Err(_) if self.range.as_ref().is_some_and(|it| is_file(it)) => {
                let range = self.range.as_deref().unwrap_or_default();
                anyhow::bail!("`{range}` is a file, not a revision: use `hotplate log -- {range}`")
            }
            Err(error) => return failed(&error, console),
        };
        let mut compare = CompareOptions::new(bounds.options());
        compare.deployment = self.deployment.options();
        compare.deployment.known_name(&[configuration], &bounds.files())?;
        let of_commits = CommitComparison {
            compare: &compare,
            configuration,
            selection: Selection::new(&self.paths),
            bounds,
            known: KnownFacts::default(),
        };
        let (mut names, mut report) = (NewestNames::default(), HistoryReport::default());
        let shown = DiffReportOptions {
            verbose: console.verbosity() == Verbosity::Verbose,
            color: console.stream_style().color,
            width: console.stream_style().width,
            ..DiffReportOptions::default()
        };
        let progress = Progress::new(history.remaining() as u64, console);
        for change in history {
            let change = match change {
                Ok(change) => change,
                Err(error) => return failed(&error, console),
            };
            report.compared += 1;
            let commit = change.commit.clone();
            let files = renamed_files(&change);
            let compared = of_commits.compare(change, &files, &names)?;
            let ComparedCommit { templates, findings, sources, renamed } = &compared;
            let comparisons = || templates.iter().filter_map(|it| it.comparison.as_ref());
            // As in a review, what could not be compared counts whatever is asked for.
            let is_wanted = self.fail_on.as_ref().is_none_or(|wanted| {
                templates.iter().any(|it| it.comparison.is_none())
                    || comparisons().any(|it| wanted.fails(it))
                    || findings.iter().any(|it| wanted.counts_finding(it.code, it.severity))
            });
            if is_wanted {
                let all: Vec<_> = templates.iter().map(Into::into).collect();
                let of_commit = Report::set_of_review(&all, findings, sources, &shown);
                report.add(&commit, &of_commit, &names);
            }
            names.rename(&files, renamed);
            progress.step();
        }
        drop(progress);
        if repository.is_shallow() {
            console.note(
                "the clone is shallow: it does not have the older commits (`git fetch --unshallow` gets them)\n",
            );
        }
        of_commits.selection.check()?;
        report.finish();
        let text = match self.format {
            LogFormat::Text => history_text(&report, of_commits.selection.has_resources(), &shown),
            LogFormat::Json => json::to_text(&report).context("JSON cannot be written")?,
            LogFormat::Markdown => history_markdown(&report),
            LogFormat::Html => history_html(&report),
        };
        console.print(&text)?;
        Ok(ExitStatus::Done)
    }
}

/// The files that a commit renames: the old and the new path.
fn renamed_files(change: &CommittedChange) -> Vec<(PathBuf, PathBuf)> {
    let both = change.changed.iter().filter_map(|it| it.old_path.clone().zip(it.new_path.clone()));
    both.filter(|(old, new)| old != new).collect()
}

/// Whether an argument names a file, or a resource of one.
fn is_file(argument: &str) -> bool {
    let file = argument.split_once(':').map_or(argument, |(file, _)| file);
    Disk::default().kind(Path::new(file)).is_some()
}

impl Selection {
    /// A colon stands before a resource, unless a file has the whole name.
    fn new(paths: &[PathBuf]) -> Self {
        let files = Disk::default();
        let split = |path: &PathBuf| {
            let text = path.to_str().filter(|_| files.kind(path).is_none());
            match text.and_then(|it| it.rsplit_once(':')) {
                Some((file, resource)) if !file.is_empty() && !resource.is_empty() => {
                    (file.into(), Some(resource.to_owned()))
                }
                _ => (path.clone(), None),
            }
        };
        let selected = paths.iter().map(split).map(|(path, resource)| SelectedPath {
            path,
            resource,
            is_found: AtomicBool::new(false),
        });
        Selection { paths: selected.collect() }
    }

    fn has_resources(&self) -> bool {
        self.paths.iter().any(|it| it.resource.is_some())
    }

    /// The parts of the selection that name a resource of a template.
    fn resources_of(&self, template: &str) -> Vec<(&SelectedPath, &str)> {
        let of_template = self.paths.iter().filter(|it| display_name(&it.path) == template);
        of_template.filter_map(|it| Some((it, it.resource.as_deref()?))).collect()
    }

    /// An error for what no commit has.
    fn check(&self) -> anyhow::Result<()> {
        let Some(missing) = self.paths.iter().find(|it| !it.is_found.load(Ordering::Relaxed))
        else {
            return Ok(());
        };
        let path = display_name(&missing.path);
        match &missing.resource {
            Some(resource) => {
                anyhow::bail!("no compared commit has a resource `{resource}` in `{path}`")
            }
            None => anyhow::bail!("no commit of the range has `{path}`"),
        }
    }
}

/// How commits are compared with their parents: as they would be deployed today.
struct CommitComparison<'a> {
    compare: &'a CompareOptions,
    configuration: &'a Configuration,
    selection: Selection,
    bounds: ReadLimits,
    known: KnownFacts,
}

/// A commit compared with its parent.
#[derive(Default)]
struct ComparedCommit {
    templates: Vec<ComparedTemplate>,
    findings: Vec<Diagnostic>,
    sources: MaskedSources,
    /// The resources that it renames: the template by its newest name, the old and the new name.
    renamed: Vec<(String, String, String)>,
}

impl CommitComparison<'_> {
    fn compare(
        &self,
        change: CommittedChange,
        renamed: &[(PathBuf, PathBuf)],
        names: &NewestNames,
    ) -> anyhow::Result<ComparedCommit> {
        let CommittedChange { sides, old, new, changed, .. } = change;
        let both = Pair { old: old.files.as_ref(), new: new.files.as_ref() };
        let then = PathsThen { names, renamed };
        let is_there =
            |path: &PathBuf| [both.old, both.new].iter().any(|files| files.kind(path).is_some());
        let (mut paths, mut is_other_changed) = (Vec::new(), false);
        for it in &self.selection.paths {
            let path = then.after(&it.path);
            if !is_there(&path) {
                continue;
            }
            it.is_found.fetch_or(it.resource.is_none(), Ordering::Relaxed);
            if [both.old, both.new].iter().any(|files| is_template_or_folder(*files, &path)) {
                paths.push(path);
            } else {
                // What the templates do that read the file.
                let paths = |it: &ChangedFile| [it.old_path.clone(), it.new_path.clone()];
                is_other_changed |= changed.iter().flat_map(paths).flatten().any(|it| it == path);
            }
        }
        if changed.is_empty()
            || paths.is_empty() && !is_other_changed && !self.selection.paths.is_empty()
        {
            return Ok(ComparedCommit::default());
        }
        if is_other_changed {
            paths.clear();
        }
        let disk = self.bounds.files();
        let every = self.compare.deployment.with_every_environment(&[self.configuration], &disk);
        let every = then.sides(Pair { old: every.clone(), new: every }, both);
        let opened = OpenedRevisions { sides, old, new, changed };
        let reading = (self.bounds, &self.known);
        let (found, findings) =
            ChangedTemplates::of_revisions(opened, &paths, &every, None, reading);
        let mut commit = ComparedCommit { findings, ..ComparedCommit::default() };
        if let Some(found) = found {
            commit.templates = found.compare(|root, old, new| self.root(root, old, new, &then))?;
        }
        let all = &mut commit.templates;
        commit.findings.extend(shared_findings(all, &mut commit.sources, &disk));
        for compared in all {
            let Some(comparison) = &mut compared.comparison else { continue };
            let path = compared.names.new.as_ref().or(compared.names.old.as_ref());
            let template = names.template(Path::new(path.map_or("", String::as_str)));
            for resource in &comparison.resources {
                if let Some(RenameLink::OldName(old, _)) = &resource.rename {
                    let renamed = (template.clone(), old.clone(), resource.name.clone());
                    commit.renamed.push(renamed);
                }
            }
            let selected = self.selection.resources_of(&template);
            if !selected.is_empty() {
                comparison.resources.retain(|it| {
                    let newest = match &it.rename {
                        Some(RenameLink::NewName(new, _)) => new,
                        Some(RenameLink::OldName(..)) | None => &it.name,
                    };
                    let name = names.resource(&template, newest);
                    let is_inside = |named: &str| {
                        let rest = name.strip_prefix(named);
                        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
                    };
                    let found = selected.iter().filter(|(_, named)| is_inside(named));
                    found.map(|(it, _)| it.is_found.store(true, Ordering::Relaxed)).count() > 0
                });
                comparison.sections = SectionChanges::default();
            }
        }
        Ok(commit)
    }

    /// Compares a template with each of its deployments of today that the commit affects.
    fn root(
        &self,
        root: &AffectedRoot,
        old: &SideLocation<'_>,
        new: &SideLocation<'_>,
        then: &PathsThen<'_>,
    ) -> anyhow::Result<Vec<ComparedTemplate>> {
        let disk = self.bounds.files();
        let template = then.names.template(root.name().unwrap_or(Path::new("")));
        let deployment = &self.compare.deployment;
        let all = deployment.each_of(Path::new(&template), self.configuration, &disk);
        let both = Pair { old: old.files, new: new.files };
        let mut compared = Vec::new();
        for chosen in &all {
            let mut deployment = self.compare.existing(chosen);
            deployment.sides = then.sides(deployment.sides, both);
            let Pair { old: before, new: after } = &deployment.sides;
            let mut environments = before.environments.clone();
            environments.extend_from_slice(&after.environments);
            if root.is_affected_with(&environments, new.files) {
                compared.push(self.compare.compare(Pair { old, new }, &deployment, &disk)?);
            }
        }
        Ok(compared)
    }
}

/// Whether a path is compared itself; anything else, such as an environment, only through the templates that read it.
fn is_template_or_folder(files: &dyn FileSource, path: &Path) -> bool {
    files.kind(path) == Some(PathKind::Folder)
        || files.read(path).is_ok_and(|bytes| may_declare_version(&bytes))
}

/// The paths that files have on the two sides of a commit, by their newest paths.
struct PathsThen<'a> {
    names: &'a NewestNames,
    /// The files that the commit renames.
    renamed: &'a [(PathBuf, PathBuf)],
}

impl PathsThen<'_> {
    fn after(&self, newest: &Path) -> PathBuf {
        self.names.then(newest)
    }

    fn before(&self, newest: &Path) -> PathBuf {
        let new = self.after(newest);
        let renamed = self.renamed.iter().find(|(_, it)| *it == new);
        renamed.map_or(new, |(old, _)| old.clone())
    }

    /// The inputs of both sides, without the environments that neither side has.
    fn sides(
        &self,
        inputs: Pair<DeploymentOptions>,
        files: Pair<&dyn FileSource>,
    ) -> Pair<DeploymentOptions> {
        let Pair { mut old, mut new } = inputs;
        let newest = std::mem::take(&mut new.environments);
        old.environments.clear();
        for path in &newest {
            let (before, after) = (self.before(path), self.after(path));
            if files.old.kind(&before).is_some() || files.new.kind(&after).is_some() {
                old.environments.push(before);
                new.environments.push(after);
            }
        }
        Pair { old, new }
    }
}
