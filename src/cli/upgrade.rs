//! `hotplate upgrade`: rewrites templates for another version.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, anyhow};
use clap::{Args, ValueEnum};

use super::inputs::{ReadLimits, Selection};
use super::{Console, ExitStatus, Format, Progress, Verbosity, heat_release, help};
use crate::report::patch::{MaskedText, Patch, PatchPath, patch};
use crate::report::{SourceLocator, escape, json, upgrade as report};
use crate::upgrade::{FileUpgrade, RULES, Status, UpgradeAction, UpgradeOptions, upgrade_files};
use heat_template::dialect::secrets;
use heat_template::hot::{Version, VersionStyle, requested_version};
use lossless_yaml::read_all;
use source_diagnostics::{Diagnostic, Severity, SourceMap, did_you_mean};
use source_files::{FileError, FileSource, display_name, is_stdin};

/// Rewrite templates for another version of HOT without changing their meaning
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
    /// Print the changes as a patch that `git apply` accepts in the current folder
    #[arg(short, long, conflicts_with = "check")]
    diff: bool,
    /// Change nothing, and exit with 1 if something would change; with `--verbose`, list the files
    #[arg(short, long)]
    check: bool,
    /// The style of the version; the default is the style of the file
    #[arg(long, value_name = "STYLE")]
    version_style: Option<VersionSpelling>,
    /// Do not apply rewrites that keep the value only under a condition
    #[arg(long)]
    exact_only: bool,
    /// Omit the section `capabilities`, which Heat does not support
    #[arg(long)]
    strip_capabilities: bool,
    /// Apply only these rules (`hotplate rules` lists them)
    #[arg(long, value_name = "RULE", value_delimiter = ',')]
    select: Vec<String>,
    /// Apply all rules but these
    #[arg(long, value_name = "RULE", value_delimiter = ',')]
    ignore: Vec<String>,
    /// Count rewrites and blocked places by rule
    #[arg(long)]
    statistics: bool,
    /// Also show the defaults of hidden parameters in findings and diffs
    #[arg(long)]
    show_secrets: bool,
    /// The format of the report
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    #[command(flatten)]
    bounds: ReadLimits,
}

/// The style of a version.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum VersionSpelling {
    /// `2018-08-31`
    Date,
    /// `rocky`, if the version has a name
    Name,
}

impl Upgrade {
    pub(super) fn run(self, console: &mut Console) -> anyhow::Result<ExitStatus> {
        let options = self.options()?;
        let files = self.bounds.files();
        let found = self.selection.find(&files);
        let alone = found.inputs.len() == 1 && found.folders.is_empty() && found.errors.is_empty();
        let text_wanted = !(self.write || self.diff || self.check) && self.format == Format::Text;
        if text_wanted && !alone && found.errors.is_empty() {
            anyhow::bail!(
                "the new text of one file goes to standard output; for folders and many files choose \
                 `--write`, `--diff` or `--check`"
            );
        }
        if self.write && found.inputs.iter().any(|input| is_stdin(&input.path)) {
            anyhow::bail!("`--write` needs a file and cannot be used with standard input");
        }

        let progress = Progress::new(found.inputs.len() as u64, console);
        let then = if self.write { UpgradeAction::Write } else { UpgradeAction::Keep };
        let results =
            upgrade_files(&files, &found.inputs, &options, &self.bounds.limits(), then, &|| {
                progress.step()
            });
        drop(progress);

        let mut failures: Vec<Diagnostic> =
            found.errors.iter().map(FileError::diagnostic).collect();
        failures.extend(empty_folders(&found.folders, &found.inputs, &results));
        let sources = sources(&results, self.show_secrets);
        let shown = match self.format {
            Format::Json => Self::json(&results, &failures, &sources, console)?,
            Format::Text => {
                self.text(&files, &results, &failures, &sources, text_wanted, console)?
            }
        };
        let failed = if failures.is_empty() { shown } else { ExitStatus::Failed };
        let status = results.iter().map(|file| self.status(file)).fold(failed, ExitStatus::max);
        // The process ends here; dropping the texts of a repository would only take time.
        std::mem::forget((results, sources));
        Ok(status)
    }

    fn options(&self) -> anyhow::Result<UpgradeOptions> {
        let rules = |names: &[String]| -> anyhow::Result<Vec<&'static str>> {
            names.iter().map(|name| known_rule(name)).collect()
        };
        let style = self.version_style.map(|style| match style {
            VersionSpelling::Date => VersionStyle::Date,
            VersionSpelling::Name => VersionStyle::Name,
        });
        let mut select = rules(&self.select)?;
        // Without a version nothing is upgraded.
        if !select.is_empty() {
            select.push("version");
            select.extend(self.strip_capabilities.then_some("capabilities"));
        }
        Ok(UpgradeOptions {
            schema: heat_release(),
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
    ) -> anyhow::Result<ExitStatus> {
        console.diagnostics(failures, sources);
        let report =
            report::UpgradeReport::new(results, failures, &mut SourceLocator::new(sources));
        console.print(&json::to_text(&report).context("JSON cannot be written")?)?;
        Ok(ExitStatus::Done)
    }

    /// Prints the summary, then what needs attention, and further requested parts.
    fn text(
        &self,
        files: &dyn FileSource,
        results: &[FileUpgrade],
        failures: &[Diagnostic],
        sources: &SourceMap,
        text_wanted: bool,
        console: &mut Console,
    ) -> anyhow::Result<ExitStatus> {
        let all = console.verbosity() == Verbosity::Verbose;
        if !text_wanted && !results.is_empty() {
            let upgraded = if self.write { "upgraded" } else { "to upgrade" };
            console.note(&format!("{}\n", report::UpgradeSummary::of(results).sentence(upgraded)));
        }
        if self.statistics {
            let table = report::statistics_text(results);
            if self.diff || text_wanted { console.note(&table) } else { console.print(&table)? }
        }
        console.diagnostics(failures, sources);
        let mut places = SourceLocator::new(sources);
        let mut status = ExitStatus::Done;
        let mut unlisted = OmittedFiles::default();
        for file in results {
            let upgrade = &file.upgrade;
            let shown = findings(file, all);
            if !file.is_explicit
                && let Some(reason) = file.skipped_jinja()
            {
                let path = display_name(&file.path);
                let path = escape::on_one_line(&path);
                console.note(&format!("{path}: skipped: {}\n", reason.message));
            }
            if file.is_explicit || upgrade.status != Status::Skipped {
                unlisted.findings += upgrade.findings.len() + upgrade.blockers.len() - shown.len();
            }
            console.diagnostics(&shown, sources);
            if self.diff
                && let Some(new) = &upgrade.text
            {
                status = status.max(self.diff(files, file, new, sources, console)?);
            }
            if self.check && upgrade.status.is_upgraded() {
                if is_named_by_user(file) || all {
                    console.print(&report::outcome(file))?;
                } else {
                    unlisted.files += 1;
                }
            } else if all && !text_wanted {
                console.detail(&report::outcome(file));
            }
            if all {
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
        console.note(&report::skipped(results));
        console.note(&unlisted.sentence());
        Ok(status)
    }

    /// Prints the changes of a file as a patch.
    fn diff(
        &self,
        files: &dyn FileSource,
        file: &FileUpgrade,
        new: &str,
        sources: &SourceMap,
        console: &mut Console,
    ) -> anyhow::Result<ExitStatus> {
        let as_it_is = self.show_secrets || file.upgrade.secrets.is_empty();
        let masked =
            |text: &str| if as_it_is { Arc::from(text) } else { masked(text, &self.bounds) };
        let (old_masked, new_masked) = (masked(&file.text), masked(new));
        let path = below_here(files, &file.path);
        let from_root = path.as_deref().and_then(|path| from_root(files, path));
        let name = match &from_root {
            Some(path) => PatchPath::RelativeToRepository(path),
            None => PatchPath::RelativeToFolder(path.as_deref().unwrap_or(&file.path)),
        };
        let Patch { text, applies } = patch(
            name,
            MaskedText { text: &file.text, masked: &old_masked },
            MaskedText { text: new, masked: &new_masked },
            console.stream_style().color,
        );
        let shown = escape::on_one_line(&display_name(&file.path)).into_owned();
        if path.is_none() && !is_stdin(&file.path) {
            console.note(&format!(
                "{shown} is not in the current folder, so `git apply` does not find it from here\n"
            ));
        }
        let mut status = ExitStatus::Done;
        if !applies {
            let message = format!(
                "the patch of `{shown}` is a comment: the default of a hidden parameter is in a changed line or in the line after one"
            );
            let finding = Diagnostic::new(crate::codes::PATCH_MASKED, message)
                .help("`--show-secrets` prints the patch, `--write` changes the file without it");
            console.diagnostics(&[finding], sources);
            console.print(&format!(
                "# {shown}: not a patch, since hidden defaults are masked; see `--show-secrets`\n"
            ))?;
            status = ExitStatus::Attention;
        }
        console.document(text.as_bytes())?;
        Ok(status)
    }

    fn status(&self, file: &FileUpgrade) -> ExitStatus {
        match file.upgrade.status {
            Status::DateOnly | Status::Rewritten | Status::Conditional if self.check => {
                ExitStatus::Attention
            }
            Status::DateOnly | Status::Rewritten | Status::Conditional | Status::Unchanged => {
                ExitStatus::Done
            }
            Status::Blocked | Status::Invalid | Status::Unproved => ExitStatus::Attention,
            Status::Unreadable | Status::Unwritable => ExitStatus::Failed,
            Status::Skipped if !file.is_explicit => ExitStatus::Done,
            Status::Skipped if file.upgrade.findings.iter().any(Diagnostic::is_error) => {
                ExitStatus::Failed
            }
            Status::Skipped => ExitStatus::Attention,
        }
    }
}

/// The numbers of files and findings that a folder's report omits.
#[derive(Default)]
struct OmittedFiles {
    files: usize,
    findings: usize,
}

impl OmittedFiles {
    fn sentence(&self) -> String {
        let parts: Vec<String> = [(self.files, "file"), (self.findings, "more finding")]
            .into_iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, what)| format!("{count} {what}{}", if count == 1 { "" } else { "s" }))
            .collect();
        if parts.is_empty() {
            String::new()
        } else {
            format!("`--verbose` lists {}\n", parts.join(" and "))
        }
    }
}

/// The path of a file relative to the current folder, as git knows it; `None` if it is elsewhere.
fn below_here(files: &dyn FileSource, path: &Path) -> Option<PathBuf> {
    let here = files.absolute(Path::new(""));
    files.absolute(path).strip_prefix(here).ok().map(Path::to_owned)
}

/// The path relative to the root of the work tree, if git would otherwise take its first part for the
/// current folder's.
fn from_root(files: &dyn FileSource, path: &Path) -> Option<PathBuf> {
    let here = files.absolute(Path::new(""));
    let root = here.ancestors().find(|folder| files.kind(&folder.join(".git")).is_some())?;
    let prefix = here.strip_prefix(root).ok()?;
    let is_misread = prefix.components().next().is_some() && path.starts_with(prefix);
    is_misread.then(|| prefix.join(path))
}

/// Whether the user named the file; hooks also name files that are not templates.
fn is_named_by_user(file: &FileUpgrade) -> bool {
    file.is_explicit || !file.in_folder
}

/// The findings of a file, with its blockers, that a report shows: all for a file that the user named; for
/// a template found in a folder only those that need attention, unless `all` is set.
fn findings(file: &FileUpgrade, all: bool) -> Vec<Diagnostic> {
    let upgrade = &file.upgrade;
    let of_upgrades = |finding: &Diagnostic| finding.code.info().id.starts_with("HP04");
    let needs_a_person = |finding: &Diagnostic| {
        finding.is_error()
            || finding.severity == Severity::Warning && of_upgrades(finding)
            || finding.code == source_files::codes::HARD_LINK_SPLIT
    };
    let is_shown = |finding: &&Diagnostic| match upgrade.status {
        Status::Skipped => file.is_explicit,
        _ => all || is_named_by_user(file) || needs_a_person(finding),
    };
    let blockers = upgrade.blockers.iter().map(|blocker| &blocker.finding);
    // The same mistake often occurs in hundreds of places.
    let enough = if upgrade.status == Status::Invalid && !all && !is_named_by_user(file) {
        1
    } else {
        usize::MAX
    };
    upgrade.findings.iter().chain(blockers).filter(is_shown).take(enough).cloned().collect()
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

/// The text of a file that was read before, with stars in place of the defaults of hidden parameters.
fn masked(text: &str, bounds: &ReadLimits) -> Arc<str> {
    let mut sources = SourceMap::default();
    let source = sources.add("", text.into());
    for document in read_all(source, text, &bounds.limits()) {
        sources.mask(&secrets(&document));
    }
    sources.text(source).into()
}

/// A finding for each named folder that contains no template.
fn empty_folders(
    folders: &[PathBuf],
    inputs: &[source_files::InputFile],
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
