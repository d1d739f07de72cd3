//! `hotplate check`: every mistake of templates, in one run.

use std::collections::HashSet;
use std::path::PathBuf;

use anyhow::Context;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};

use super::check_fix::FixOptions;
use super::deployment::{DeploymentArguments, EvaluationArguments};
use super::inputs::{self, ReadLimits};
use super::revisions::GitOptions;
use super::{Console, ExitStatus, Progress, Verbosity, facts_of};
use crate::fix;
use crate::policy::{BrokenPolicy, Policy};
use crate::report::check::{self as report, CheckReport};
use crate::report::{json, update_impact};
use heat_template::hot::{Release, requested_release};
use hotplate_check::{Baseline, CheckRun, CheckedTemplate, FixedFinding, Selection, SourcePaths};
use hotplate_project::config::keys::code_or_group;
use hotplate_project::{
    Check as ProjectCheck, CheckOptions, CheckProgress, Configuration, NamedFiles, ReadOptions,
};
use source_diagnostics::{Diagnostic, MaskedSources, Severity};
use source_files::{FileSource, InputFile, PathKind, display_name, find_among, write_atomic};

/// Find every mistake in templates, without a cloud
#[derive(Debug, Args)]
pub(super) struct Check {
    #[command(flatten)]
    paths: inputs::Selection,
    #[command(flatten)]
    deployment: DeploymentArguments,
    /// Report only these besides errors: codes (HP1201), beginnings of codes (HP12), groups (error, suspicious,
    /// deprecated, security, pedantic) or `all`
    #[arg(long, value_name = "CODE", value_delimiter = ',', value_parser = code_or_group)]
    select: Vec<String>,
    /// Do not report these: codes, beginnings of codes, or groups
    #[arg(long, value_name = "CODE", value_delimiter = ',', value_parser = code_or_group)]
    ignore: Vec<String>,
    /// A folder with your own rules, which are checked, too
    #[arg(long, value_name = "DIR")]
    policy: Vec<PathBuf>,
    /// The release of OpenStack that the templates are for, by its name or number; the default is the newest one
    #[arg(long, value_name = "RELEASE", value_parser = requested_release)]
    heat: Option<&'static Release>,
    /// What your own cloud has: a file with what `openstack orchestration resource type list` prints
    ///
    /// Files with what `… template version list` and `… template function list VERSION` print are taken, too, each with an option
    /// of its own.
    #[arg(long, value_name = "FILE")]
    types: Vec<PathBuf>,
    /// The lowest severity of a finding that makes the exit status 1; `incomplete`: an error, or something that was not given or found
    #[arg(long, value_name = "SEVERITY", default_value = "error", value_parser = fail_on())]
    fail_on: FailOn,
    /// Do not report the findings in this file, which `--write-baseline` wrote
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Report only what a revision does not have: the findings that the files had there are known
    #[arg(long, value_name = "REVISION", conflicts_with_all = ["baseline", "write_baseline"])]
    since: Option<String>,
    /// Read the configuration, and the policies, lists and baseline that git tracks, from a revision: in a review the base, so that
    /// a change does not choose the settings by which it is judged
    #[arg(long, value_name = "REVISION")]
    config_from: Option<String>,
    /// Write the findings to a file, for `--baseline`, instead of reporting them
    #[arg(long, value_name = "FILE", conflicts_with_all = ["baseline", "format", "statistics"])]
    write_baseline: Option<PathBuf>,
    #[command(flatten)]
    fixes: FixOptions,
    /// Count the findings of each code instead of printing them
    #[arg(long, conflicts_with = "format")]
    statistics: bool,
    /// The format of the report
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = CheckFormat::Text)]
    format: CheckFormat,
    #[command(flatten)]
    evaluation: EvaluationArguments,
    #[command(flatten)]
    bounds: ReadLimits,
    /// The configuration on disk, if that of the base is in effect: what templates are deployed with is checked, too.
    #[arg(skip)]
    pub(super) of_change: Option<Configuration>,
}

/// The criteria for which a run fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct FailOn {
    /// The lowest severity of a finding.
    severity: Severity,
    /// Whether a deployment of which something was not given fails, too.
    incomplete: bool,
}

fn fail_on() -> impl TypedValueParser<Value = FailOn> {
    PossibleValuesParser::new(["error", "incomplete", "warning", "note"]).map(|word| FailOn {
        severity: match &*word {
            "note" => Severity::Note,
            "warning" => Severity::Warning,
            _ => Severity::Error,
        },
        incomplete: word == "incomplete",
    })
}

/// The format of the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum CheckFormat {
    /// Text with the lines of the templates; of more than 6 findings, an overview, unless `--select` or `--verbose` requests them
    Text,
    /// Text with one line for each finding, by file
    Concise,
    /// JSON for programs
    Json,
    /// GitHub workflow annotations
    Github,
    /// GitLab's code quality report
    Gitlab,
    /// Comments at lines, as Zuul's module `zuul_return` takes them
    Zuul,
    /// SARIF for code scanning
    Sarif,
    /// JUnit XML for test reports
    Junit,
}

impl CheckProgress for Progress {
    fn add(&self, more: u64) {
        Progress::add(self, more);
    }

    fn step(&self) {
        Progress::step(self);
    }
}

impl Check {
    pub(super) fn run(
        self,
        configuration: &Configuration,
        console: &mut Console,
    ) -> anyhow::Result<ExitStatus> {
        let options = self.options();
        let deployed = self.of_change.as_ref().unwrap_or(configuration);
        let files = self.bounds.files();
        options.deployment.known_name(&[deployed, configuration], &files)?;
        let base = self.config_from.as_deref().map(|it| GitOptions::of(it).open(self.bounds));
        let base = match base.transpose() {
            Ok(base) => base,
            Err(error) => {
                console.diagnostics(&[error.diagnostic()], &MaskedSources::default());
                return Ok(ExitStatus::Failed);
            }
        };
        let of_base =
            base.as_ref().map(|it| NamedFiles { base: &it.old, change: &it.new, disk: &files });
        let named: &dyn FileSource = of_base.as_ref().map_or(&files, |it| it);
        let policy = match Policy::read(&self.policy, named) {
            Ok(policy) => policy,
            Err(broken) => return self.broken(*broken, configuration, console),
        };
        let mut rules = options.rules(policy, named, configuration)?;
        let of_change = self.of_change.as_ref();
        let mut found = self.paths.find(&files);
        if let Some(since) = &self.since {
            let before = match GitOptions::of(since).open(self.bounds) {
                Ok(opened) => opened.old.files,
                Err(error) => {
                    console.diagnostics(&[error.diagnostic()], &MaskedSources::default());
                    return Ok(ExitStatus::Failed);
                }
            };
            // What the files of today imply, the revision is checked with.
            let _ = configuration.all(&files);
            let check = ProjectCheck { options: &options, rules: &rules, configuration, of_change };
            let known = check.known_of(before.as_ref(), &found)?;
            rules = rules.with_known(known);
        }
        let check = ProjectCheck { options: &options, rules: &rules, configuration, of_change };
        if let Some(base) = &base {
            // What the base's run finds is checked as long as it is there: an ignore file of the change cannot take it out.
            let of_base = find_among(base.old.files.as_ref(), &base.old.names, &found.folders);
            let paths: HashSet<PathBuf> = found.inputs.iter().map(|it| it.path.clone()).collect();
            let is_left_out =
                |it: &PathBuf| !paths.contains(it) && files.kind(it) == Some(PathKind::File);
            let left_out = of_base.into_iter().filter(is_left_out);
            found.inputs.extend(left_out.map(|path| InputFile {
                path,
                is_explicit: false,
                folders: Vec::new(),
            }));
        }
        let checked = |files: &dyn FileSource, progress: &Progress| {
            let mut run = check.run(files, &found, progress)?;
            check.add_neighbors(files, &found, &mut run)?;
            anyhow::Ok(run)
        };
        let mut run = checked(&files, &Progress::new(found.inputs.len() as u64, console))?;
        if let Some(path) = &self.write_baseline {
            let of_baseline = |name: &str| options.path_of_baseline(name, &files);
            let text = Baseline::to_json(run.findings(), &of_baseline).context(NO_JSON)?;
            let written = write_atomic(path, text.as_bytes())
                .map_err(|error| anyhow::anyhow!("{}", error.diagnostic().message))?;
            let effects: Vec<Diagnostic> = written.findings().collect();
            console.diagnostics(&effects, &MaskedSources::default());
            console.note(&summary(&run, console));
            let failed = !run.is_complete();
            return Ok(if failed { ExitStatus::Failed } else { ExitStatus::Done });
        }
        let plan = |run: &mut CheckRun, files: &dyn FileSource| {
            options.plan_fixes(run, files, deployed, update_impact::add)
        };
        let mut is_failed = false;
        let mut status = ExitStatus::Done;
        if let Some(safety) = self.fixes.requested() {
            let again = |files: &dyn FileSource| checked(files, &Progress::hidden());
            let fixed = fix::to_fixed_point(&mut run, &files, safety, &plan, &again)?;
            if self.fixes.diff {
                status = FixOptions::print(&fixed.files, &files, console)?;
                if let Some(remaining) = fixed.remaining {
                    run.left_out = remaining.left_out;
                }
                console.note(&report::fixed(&run));
            } else {
                let failed = FixOptions::write(&fixed.files, console)?;
                is_failed = !failed.is_empty();
                run = match fixed.remaining {
                    // The findings about a file that could not be written are still those of the old text.
                    Some(_) if is_failed => {
                        let mut run = checked(&files, &Progress::hidden())?;
                        plan(&mut run, &files);
                        run
                    }
                    Some(remaining) => remaining,
                    None => run,
                };
                let is_written = |it: &FixedFinding| {
                    it.place.as_ref().is_none_or(|place| !failed.contains(&place.path))
                };
                run.fixed = fixed.fixed.into_iter().filter(is_written).collect();
                console.note(&report::fixed(&run));
            }
        } else {
            plan(&mut run, &files);
        }
        if self.fixes.diff {
            console.note(&summary(&run, console));
        } else {
            self.print(&run, shown_path(configuration), console)?;
        }
        Ok(if is_failed || !run.is_complete() {
            ExitStatus::Failed
        } else if run.has(self.fail_on.severity)
            || self.fail_on.incomplete && run.incomplete_count() > 0
        {
            ExitStatus::Attention
        } else {
            status
        })
    }

    /// The options of the check, apart from those about its report.
    pub(super) fn options(&self) -> CheckOptions {
        CheckOptions {
            deployment: self.deployment.options(),
            select: self.select.clone(),
            ignore: self.ignore.clone(),
            policy: self.policy.clone(),
            heat: self.heat,
            types: self.types.clone(),
            baseline: self.baseline.clone(),
            write_baseline: self.write_baseline.clone(),
            values: self.evaluation.options(),
            reading: ReadOptions { schema: facts_of(self.heat), ..self.bounds.options() },
        }
    }

    /// Reports the errors of policies, instead of checking anything.
    fn broken(
        &self,
        broken: BrokenPolicy,
        configuration: &Configuration,
        console: &mut Console,
    ) -> anyhow::Result<ExitStatus> {
        let BrokenPolicy { findings, sources } = broken;
        let about_other = true;
        let policies =
            CheckedTemplate { findings, sources, about_other, ..CheckedTemplate::default() };
        let (all, known) = (Selection::default(), Baseline::default());
        let paths = SourcePaths { of_patterns: &|_| None, of_baseline: &str::to_owned };
        let run = CheckRun::new(vec![policies], &all, &paths, &known);
        if self.format == CheckFormat::Text {
            console.print(&report::to_text(&run, console.stream_style()))?;
            console.note("nothing is checked: correct the policy first\n");
        } else {
            self.print(&run, shown_path(configuration), console)?;
        }
        Ok(ExitStatus::Failed)
    }

    fn print(
        &self,
        run: &CheckRun,
        configuration: Option<String>,
        console: &mut Console,
    ) -> anyhow::Result<()> {
        let report = || CheckReport::new(run, facts_of(self.heat).heat, configuration.clone());
        let text = match self.format {
            CheckFormat::Text if self.statistics => report::statistics(run),
            CheckFormat::Text if self.has_overview(run, console) => report::overview(run),
            CheckFormat::Text => report::to_text(run, console.stream_style()),
            CheckFormat::Concise => report::to_concise(run),
            CheckFormat::Json => json::to_text(&report()).context(NO_JSON)?,
            CheckFormat::Github => report::to_github(&report()),
            CheckFormat::Gitlab => report::to_gitlab(&report()).context(NO_JSON)?,
            CheckFormat::Zuul => report::to_zuul(&report()).context(NO_JSON)?,
            CheckFormat::Sarif => report::to_sarif(&report()).context(NO_JSON)?,
            CheckFormat::Junit => {
                report::to_junit(&report(), self.fail_on.severity, self.fail_on.incomplete)
            }
        };
        console.print(&text)?;
        match self.format {
            CheckFormat::Text | CheckFormat::Concise if console.verbosity() > Verbosity::Quiet => {
                let next = self.has_overview(run, console).then_some(report::NextSteps {
                    has_configuration: configuration.is_some(),
                    has_baseline: self.baseline.is_some() || self.since.is_some(),
                });
                let is_verbose = console.verbosity() == Verbosity::Verbose;
                console.print(&report::summary(run, is_verbose, next))?;
            }
            // Only issues have a place in these reports.
            CheckFormat::Gitlab | CheckFormat::Zuul => console.note(&summary(run, console)),
            _ => {}
        }
        Ok(())
    }

    /// Whether the findings are too many to be listed, and nobody has requested the list.
    fn has_overview(&self, run: &CheckRun, console: &Console) -> bool {
        let is_requested = !self.select.is_empty() || console.verbosity() == Verbosity::Verbose;
        self.format == CheckFormat::Text && !is_requested && report::is_long(run)
    }
}

fn summary(run: &CheckRun, console: &Console) -> String {
    report::summary(run, console.verbosity() == Verbosity::Verbose, None)
}

fn shown_path(configuration: &Configuration) -> Option<String> {
    configuration.file().map(|config| display_name(&config.path).into_owned())
}

const NO_JSON: &str = "JSON cannot be written";
