//! `hotplate upgrade`: rewrites templates for another version.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, anyhow};
use clap::{Args, ValueEnum};

use super::inputs::{ReadLimits, Selection};
use super::patches::{CurrentFolder, FilePatch, PatchText};
use super::{Console, ExitStatus, Format, Progress, Verbosity, facts_of, heat_release};
use crate::report::{SourceLocator, escape, json, update_impact, upgrade as report};
use heat_template::hot::{Release, Version, VersionStyle, requested_release};
use hotplate_project::config::keys::{TargetVersion, known_rule, target_version};
use hotplate_project::{Configuration, compare_upgrade};
use hotplate_upgrade::{
    FileUpgrade, Modernize, Status, UpgradeAction, UpgradeOptions, mapped_types, upgrade_files,
};
use source_diagnostics::{Diagnostic, MaskedSources, Severity, ShowSecrets, SourceMap, Span};
use source_files::{FileError, FileSource, InputFile, display_name, is_stdin};

/// Rewrite templates for another version of HOT without changing their meaning
#[derive(Debug, Args)]
pub(super) struct Upgrade {
    #[command(flatten)]
    selection: Selection,
    /// The target version: a date, an OpenStack release (`queens`, `2024.1`, `caracal`), `latest`, or `declared` to keep
    /// the version of each file
    #[arg(long, value_name = "VERSION", default_value = "latest", value_parser = target_version)]
    to: TargetVersion,
    /// Also rewrite what the release of Heat deprecates or hides: names of properties and types, and in environments the types
    /// that the resource registry maps to; types that an environment of the run maps keep their names
    #[arg(short, long)]
    modernize: bool,
    /// The release of OpenStack that `--modernize` writes for; the default is the oldest one that accepts the version in
    /// `--to`, and the newest one without it
    #[arg(long, value_name = "RELEASE", requires = "modernize", value_parser = requested_release)]
    heat: Option<&'static Release>,
    /// An environment that templates are used with: `--modernize` leaves the types that it maps as they are
    #[arg(short, long, value_name = "ENV", requires = "modernize")]
    environment: Vec<PathBuf>,
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
    #[arg(long, value_name = "RULE", value_delimiter = ',', value_parser = known_rule)]
    select: Vec<&'static str>,
    /// Apply all rules but these
    #[arg(long, value_name = "RULE", value_delimiter = ',', value_parser = known_rule)]
    ignore: Vec<&'static str>,
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
    pub(super) fn run(
        mut self,
        configuration: &Configuration,
        console: &mut Console,
    ) -> anyhow::Result<ExitStatus> {
        if self.environment.is_empty() {
            self.environment = configuration.every_environment(&self.bounds.files());
        }

        let files = self.bounds.files();
        let options = self.options(&files)?;
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

        let mut failures: Vec<Diagnostic> =
            found.errors.iter().map(FileError::diagnostic).collect();
        let mut output = UpgradeOutput::new(&self, text_wanted, found.folders.len());
        self.upgrade(&files, &found.inputs, &options, &mut output, console)?;
        failures.extend(output.empty_folders(&found.folders));
        match self.format {
            Format::Json => {
                console.diagnostics(&failures, &MaskedSources::default());
                let report = report::UpgradeReport::new(output.totals, output.entries, &failures);
                console.print(&json::to_text(&report).context("JSON cannot be written")?)?;
            }
            Format::Text => output.finish(&failures, console)?,
        }
        Ok(if failures.is_empty() { output.status } else { ExitStatus::Failed })
    }

    /// Upgrades the files and shows each. The messages are held back, since the summary comes before them.
    fn upgrade(
        &self,
        files: &dyn FileSource,
        inputs: &[InputFile],
        options: &UpgradeOptions,
        output: &mut UpgradeOutput<'_>,
        console: &mut Console,
    ) -> anyhow::Result<()> {
        let then = if self.write { UpgradeAction::Write } else { UpgradeAction::Keep };
        let here = self.diff.then(|| CurrentFolder::new(files));
        let progress = Progress::new(inputs.len() as u64, console);
        let color = console.stream_style().color;
        let finish = |mut file: FileUpgrade| {
            if self.modernize {
                let old = (&*file.path, &*file.text);
                let compared = compare_upgrade(
                    files,
                    old,
                    &file.upgrade,
                    &self.environment,
                    self.bounds.options(),
                );
                compared.iter().for_each(|it| update_impact::add(&mut file.upgrade, it));
            }
            let new = file.upgrade.text.as_deref();
            let patch = new.zip(here.as_ref());
            let patch = patch.map(|(new, here)| self.file_patch(files, here, &file, new, color));
            progress.step();
            (file, patch)
        };
        if matches!(self.format, Format::Text) {
            console.hold();
        }
        let mut inputs_in_order = inputs.iter();
        let mut shown = Ok(());
        upgrade_files(
            files,
            inputs,
            options,
            &self.bounds.limits(),
            then,
            finish,
            |(file, patch)| {
                if let Some(input) = inputs_in_order.next() {
                    output.count(input, &file);
                }
                // If a result cannot be shown, the files are written nevertheless.
                if shown.is_ok() {
                    shown = progress
                        .above(console, |console| output.show(&file, patch.as_ref(), console));
                }
            },
        );
        shown
    }

    fn modernized(&self, files: &dyn FileSource) -> anyhow::Result<Modernize> {
        let of_version = || match self.to {
            TargetVersion::Version(version) => Release::with_newest(version).next(),
            TargetVersion::Declared | TargetVersion::Latest => None,
        };
        let mut mapped = BTreeSet::new();
        for path in &self.environment {
            let bytes = files.read_content(path);
            let bytes = bytes.map_err(|error| anyhow!("{}", error.diagnostic().message))?;
            let types = mapped_types(&bytes, &self.bounds.limits());
            mapped.extend(
                types.map_err(|finding| anyhow!("{}: {}", display_name(path), finding.message))?,
            );
        }
        let release = self.heat.or_else(of_version);
        let heat = release.map_or(heat_release().major(), Release::heat);
        Ok(Modernize { heat, mapped, places: None })
    }

    fn options(&self, files: &dyn FileSource) -> anyhow::Result<UpgradeOptions> {
        let style = self.version_style.map(|style| match style {
            VersionSpelling::Date => VersionStyle::Date,
            VersionSpelling::Name => VersionStyle::Name,
        });
        let mut select = self.select.clone();
        // Without a version nothing is upgraded.
        if !select.is_empty() {
            select.push("version");
            select.extend(self.strip_capabilities.then_some("capabilities"));
        }
        Ok(UpgradeOptions {
            schema: facts_of(self.heat),
            to: match self.to {
                TargetVersion::Version(version) => version,
                TargetVersion::Declared | TargetVersion::Latest => Version::LATEST,
            },
            style,
            exact_only: self.exact_only,
            strip_capabilities: self.strip_capabilities,
            keep_version: self.to == TargetVersion::Declared,
            modernize: self.modernize.then(|| self.modernized(files)).transpose()?,
            select,
            ignore: self.ignore.clone(),
        })
    }

    fn file_patch(
        &self,
        files: &dyn FileSource,
        here: &CurrentFolder,
        file: &FileUpgrade,
        new: &str,
        color: bool,
    ) -> FilePatch {
        let FileUpgrade { text, upgrade, .. } = file;
        let secrets = |spans: &[Span]| if self.show_secrets { Vec::new() } else { spans.to_vec() };
        let old = PatchText { text, secrets: secrets(&upgrade.secrets) };
        let new = PatchText { text: new, secrets: secrets(&upgrade.new_secrets) };
        here.patch(files, &file.path, !file.is_explicit, [old, new], color)
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

/// The output for all files: shows each as it comes, and keeps what is needed at the end.
struct UpgradeOutput<'a> {
    command: &'a Upgrade,
    text_wanted: bool,
    totals: report::UpgradeTotals,
    /// The files in the JSON report.
    entries: Vec<report::UpgradedFile>,
    unlisted: OmittedFiles,
    status: ExitStatus,
    /// For each named folder, whether it contains a template.
    has_template: Vec<bool>,
}

impl<'a> UpgradeOutput<'a> {
    fn new(command: &'a Upgrade, text_wanted: bool, folders: usize) -> Self {
        UpgradeOutput {
            command,
            text_wanted,
            totals: report::UpgradeTotals::default(),
            entries: Vec::new(),
            unlisted: OmittedFiles::default(),
            status: ExitStatus::Done,
            has_template: vec![false; folders],
        }
    }

    fn count(&mut self, input: &InputFile, file: &FileUpgrade) {
        let upgrade = &file.upgrade;
        self.totals.add(file);
        self.status = self.status.max(self.command.status(file));
        if upgrade.status != Status::Skipped || !upgrade.findings.iter().any(Diagnostic::is_error) {
            for &folder in &input.folders {
                self.has_template[folder] = true;
            }
        }
    }

    fn show(
        &mut self,
        file: &FileUpgrade,
        patch: Option<&FilePatch>,
        console: &mut Console,
    ) -> anyhow::Result<()> {
        let mut sources = SourceMap::default();
        sources.add(display_name(&file.path), Arc::clone(&file.text));
        let show_secrets = ShowSecrets::if_requested(self.command.show_secrets);
        let sources = sources.masked_unless(show_secrets, &file.upgrade.secrets);
        match self.command.format {
            Format::Json => {
                let places = &mut SourceLocator::new(&sources);
                self.entries.push(report::UpgradedFile::new(file, places));
                Ok(())
            }
            Format::Text => self.text(file, patch, &sources, console),
        }
    }

    fn text(
        &mut self,
        file: &FileUpgrade,
        patch: Option<&FilePatch>,
        sources: &MaskedSources,
        console: &mut Console,
    ) -> anyhow::Result<()> {
        let all = console.verbosity() == Verbosity::Verbose;
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
            self.unlisted.findings += upgrade.findings.len() + upgrade.blockers.len() - shown.len();
        }
        console.diagnostics(&shown, sources);
        if let Some(patch) = patch {
            self.status = self.status.max(patch.print(&file.path, PATCH_HELP, sources, console)?);
        }
        if self.command.check && upgrade.status.is_upgraded() {
            if is_named_by_user(file) || all {
                console.print(&report::outcome(file))?;
            } else {
                self.unlisted.files += 1;
            }
        } else if all && !self.text_wanted {
            console.detail(&report::outcome(file));
        }
        if all {
            console.detail(&report::rewrites(file, &mut SourceLocator::new(sources)));
        }
        if self.text_wanted && upgrade.status != Status::Skipped {
            match (&upgrade.text, upgrade.status) {
                (Some(new), _) => console.document(new.as_bytes())?,
                (None, Status::Unchanged) => console.document(file.text.as_bytes())?,
                (None, _) => {}
            }
        }
        Ok(())
    }

    /// Prints the summary, then what was held back.
    fn finish(&self, failures: &[Diagnostic], console: &mut Console) -> anyhow::Result<()> {
        let held = console.take_held();
        let summary = &self.totals.summary;
        if !self.text_wanted && !summary.is_empty() {
            let upgraded = if self.command.write { "upgraded" } else { "to upgrade" };
            console.note(&format!("{}\n", summary.sentence(upgraded)));
        }
        if self.command.statistics {
            let table = self.totals.statistics_text();
            if self.command.diff || self.text_wanted {
                console.note(&table);
            } else {
                console.print(&table)?;
            }
        }
        console.diagnostics(failures, &MaskedSources::default());
        console.release(held)?;
        console.note(&self.totals.skipped());
        console.note(&self.unlisted.sentence());
        Ok(())
    }

    /// A finding for each named folder that contains no template.
    fn empty_folders(&self, folders: &[PathBuf]) -> Vec<Diagnostic> {
        let empty =
            folders.iter().zip(&self.has_template).filter(|(_, has_template)| !**has_template);
        empty.map(|(path, _)| FileError::NoTemplates { path: path.clone() }.diagnostic()).collect()
    }
}

const PATCH_HELP: &str = "`--show-secrets` prints the patch, `--write` changes the file without it";

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
