//! `hotplate upgrade`: templates of one version to templates of another.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, anyhow};
use clap::{Args, ValueEnum};

use super::inputs::{Bounds, Selection};
use super::{Console, ExitStatus, Format, Progress, Verbosity, help};
use crate::diagnostics::{Code, Diagnostic, Severity, SourceMap, did_you_mean};
use crate::files::{FileError, display_name};
use crate::dialect::secrets;
use crate::hot::{Version, VersionStyle, requested_version};
use crate::report::{Places, escape, json, upgrade as report};
use crate::source::read_all;
use crate::upgrade::{FileUpgrade, Options, RULES, Status, Then, upgrade_files};

/// Rewrite templates for another version of HOT, without changing what they do
#[derive(Debug, Args)]
#[command(after_help = help::UPGRADE)]
pub(super) struct Upgrade {
    #[command(flatten)]
    selection: Selection,
    /// The target version: a date, an OpenStack release (`queens`, `2024.1`, `caracal`), or `latest`
    #[arg(long, value_name = "VERSION", default_value = "latest", value_parser = requested_version)]
    to: Version,
    /// Change the files in place
    #[arg(short, long, conflicts_with_all = ["diff", "check"])]
    write: bool,
    /// Print what would change, as a unified diff; the defaults of hidden parameters are masked in
    /// it, so that it may not apply where they are near a change
    #[arg(short, long, conflicts_with = "check")]
    diff: bool,
    /// Change nothing, and exit with 1 if something would change
    #[arg(short, long)]
    check: bool,
    /// How the version is written; the default is the style of the file
    #[arg(long, value_name = "STYLE")]
    version_style: Option<Style>,
    /// Hold back rewrites that keep the value under a condition only
    #[arg(long)]
    exact_only: bool,
    /// Leave out the section `capabilities`, which Heat does not know
    #[arg(long)]
    strip_capabilities: bool,
    /// Apply only these rules (`hotplate rules` lists them)
    #[arg(long, value_name = "RULE", value_delimiter = ',')]
    select: Vec<String>,
    /// Apply all rules but these
    #[arg(long, value_name = "RULE", value_delimiter = ',')]
    ignore: Vec<String>,
    /// Show the defaults of hidden parameters in findings and diffs, too
    #[arg(long)]
    show_secrets: bool,
    /// The format of the report
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    #[command(flatten)]
    bounds: Bounds,
}

/// How a version is written.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Style {
    /// `2018-08-31`
    Date,
    /// `rocky`, where the version has a name
    Name,
}

impl Upgrade {
    pub(super) fn run(self, console: &mut Console) -> anyhow::Result<ExitStatus> {
        let options = self.options()?;
        let files = self.bounds.files();
        let found = self.selection.find(&files);
        let alone = found.inputs.len() == 1
            && found.folders.is_empty()
            && found.errors.is_empty();
        let text_wanted = !(self.write || self.diff || self.check) && self.format == Format::Text;
        if text_wanted && !alone && found.errors.is_empty() {
            anyhow::bail!(
                "the new text of one file goes to standard output; for folders and many files choose \
                 `--write`, `--diff` or `--check`"
            );
        }
        if self.write && found.inputs.iter().any(|input| crate::files::is_stdin(&input.path)) {
            anyhow::bail!("`--write` needs a file; standard input has none to write to");
        }

        let progress = Progress::new(found.inputs.len() as u64, console);
        let then = if self.write { Then::Write } else { Then::Keep };
        let results = upgrade_files(
            &files,
            &found.inputs,
            &options,
            &self.bounds.limits(),
            then,
            &|| progress.step(),
        );
        drop(progress);

        let mut failures: Vec<Diagnostic> =
            found.errors.iter().map(FileError::diagnostic).collect();
        failures.extend(empty_folders(&found.folders, &found.inputs, &results));
        let sources = sources(&results, self.show_secrets);
        match self.format {
            Format::Json => Self::json(&results, &failures, &sources, console)?,
            Format::Text => self.text(&results, &failures, &sources, text_wanted, console)?,
        }
        let failed = if failures.is_empty() { ExitStatus::Done } else { ExitStatus::Failed };
        let status = results.iter().map(|file| self.status(file)).fold(failed, ExitStatus::max);
        // The process ends here. Taking a repository's texts apart first would only take time.
        std::mem::forget((results, sources));
        Ok(status)
    }

    fn options(&self) -> anyhow::Result<Options> {
        let rules = |names: &[String]| -> anyhow::Result<Vec<&'static str>> {
            names.iter().map(|name| known_rule(name)).collect()
        };
        let style = self.version_style.map(|style| match style {
            Style::Date => VersionStyle::Date,
            Style::Name => VersionStyle::Name,
        });
        let mut select = rules(&self.select)?;
        // Without its version nothing is upgraded.
        if !select.is_empty() {
            select.push("version");
            select.extend(self.strip_capabilities.then_some("capabilities"));
        }
        Ok(Options {
            to: self.to,
            style,
            exact_only: self.exact_only,
            strip_capabilities: self.strip_capabilities,
            select,
            ignore: rules(&self.ignore)?,
        })
    }

    fn json(
        results: &[FileUpgrade],
        failures: &[Diagnostic],
        sources: &SourceMap,
        console: &mut Console,
    ) -> anyhow::Result<()> {
        console.diagnostics(failures, sources);
        let report = report::Report::new(results, failures, &mut Places::new(sources));
        console.print(&json::to_text(&report).context("JSON cannot be written")?)
    }

    fn text(
        &self,
        results: &[FileUpgrade],
        failures: &[Diagnostic],
        sources: &SourceMap,
        text_wanted: bool,
        console: &mut Console,
    ) -> anyhow::Result<()> {
        let mut places = Places::new(sources);
        for file in results {
            let upgrade = &file.upgrade;
            let path = escape::on_one_line(&display_name(&file.path)).into_owned();
            let found_by_chance = !file.named && upgrade.status == Status::Skipped;
            if !found_by_chance {
                console.diagnostics(&shown(file), sources);
            } else if let Some(reason) = file.skipped_jinja() {
                console.note(&format!("{path}: skipped: {}\n", reason.message));
            }
            if self.diff
                && let Some(new) = &upgrade.text
            {
                self.diff(&path, file, new, console)?;
            }
            if self.check && upgrade.status == Status::Upgraded {
                let from = upgrade.from.map_or("", Version::date);
                console.print(&format!("{path}: {from} -> {}\n", upgrade.to))?;
            }
            if console.verbosity() == Verbosity::Verbose {
                console.detail(&report::rewrites(file, &mut places));
            }
            if text_wanted && upgrade.status != Status::Skipped {
                match (&upgrade.text, upgrade.status) {
                    (Some(new), _) => console.document(new.as_bytes())?,
                    (None, Status::Unchanged) => console.document(file.text.as_bytes())?,
                    (None, _) => {}
                }
            }
        }
        console.diagnostics(failures, sources);
        if !text_wanted && !results.is_empty() {
            let upgraded = if self.write { "upgraded" } else { "to upgrade" };
            console.note(&format!("{}\n", report::Summary::of(results).sentence(upgraded)));
        }
        Ok(())
    }

    /// Prints what would change in a file.
    fn diff(
        &self,
        path: &str,
        file: &FileUpgrade,
        new: &str,
        console: &mut Console,
    ) -> anyhow::Result<()> {
        let color = console.look().color;
        let diff = report::unified(path, &file.text, new, color);
        let shown = if self.show_secrets || file.upgrade.secrets.is_empty() {
            None
        } else {
            let (old, new) = (masked(&file.text, &self.bounds), masked(new, &self.bounds));
            Some(report::unified(path, &old, &new, color)).filter(|shown| *shown != diff)
        };
        console.document(shown.as_ref().unwrap_or(&diff).as_bytes())?;
        if shown.is_some() {
            console.note(&format!(
                "{path}: hidden defaults are masked in this diff; with `--show-secrets` it can be applied\n"
            ));
        }
        Ok(())
    }

    fn status(&self, file: &FileUpgrade) -> ExitStatus {
        let unreadable = |finding: &Diagnostic| {
            finding.severity == Severity::Error && finding.code != Code::ProofFailed
        };
        match file.upgrade.status {
            Status::Upgraded if self.check => ExitStatus::Attention,
            Status::Upgraded | Status::Unchanged => ExitStatus::Done,
            Status::Blocked => ExitStatus::Attention,
            Status::Error if file.upgrade.findings.iter().any(unreadable) => ExitStatus::Failed,
            Status::Error => ExitStatus::Attention,
            Status::Skipped if !file.named => ExitStatus::Done,
            Status::Skipped if file.upgrade.findings.iter().any(Diagnostic::is_error) => {
                ExitStatus::Failed
            }
            Status::Skipped => ExitStatus::Attention,
        }
    }
}

/// The findings of a file, with its blockers. What a search finds of Jinja2 is counted in the summary.
fn shown(file: &FileUpgrade) -> Vec<Diagnostic> {
    let upgrade = &file.upgrade;
    let blockers = upgrade.blockers.iter().map(|blocker| &blocker.finding);
    let counted = |finding: &&Diagnostic| !file.named && finding.code == Code::JinjaUnseen;
    let findings = upgrade.findings.iter().filter(|finding| !counted(finding));
    findings.chain(blockers).cloned().collect()
}

fn sources(results: &[FileUpgrade], show_secrets: bool) -> SourceMap {
    let mut sources = SourceMap::default();
    for file in results {
        sources.add(display_name(&file.path), Arc::clone(&file.text));
    }
    if !show_secrets {
        for file in results {
            sources.mask(&file.upgrade.secrets);
        }
    }
    sources
}

/// A text that was read before, with stars in the place of the defaults of hidden parameters.
fn masked(text: &str, bounds: &Bounds) -> Arc<str> {
    let mut sources = SourceMap::default();
    let source = sources.add("", text.into());
    for document in read_all(source, text, &bounds.limits()) {
        sources.mask(&secrets(&document));
    }
    sources.text(source).into()
}

/// Folders in which nothing is a template.
fn empty_folders(
    folders: &[PathBuf],
    inputs: &[crate::files::Input],
    results: &[FileUpgrade],
) -> Vec<Diagnostic> {
    let empty = |number: usize| {
        !inputs.iter().zip(results).any(|(input, result)| {
            input.folders.contains(&number)
                && (result.upgrade.status != Status::Skipped
                    || !result.upgrade.findings.iter().any(Diagnostic::is_error))
        })
    };
    folders
        .iter()
        .enumerate()
        .filter(|(number, _)| empty(*number))
        .map(|(_, path)| FileError::NoTemplates { path: path.clone() }.diagnostic())
        .collect()
}

fn known_rule(name: &str) -> anyhow::Result<&'static str> {
    crate::upgrade::rule(name).map(|rule| rule.name).ok_or_else(|| {
        match did_you_mean(name, RULES.iter().map(|rule| rule.name)) {
            Some(near) => anyhow!("there is no rule `{name}`; did you mean `{near}`?"),
            None => anyhow!("there is no rule `{name}`; `hotplate rules` lists them"),
        }
    })
}
