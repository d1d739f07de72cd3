//! `hotplate check`: every mistake of templates, in one run.

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::{Args, ValueEnum};
use rayon::prelude::*;

use super::check_file::{FileChecker, FileOutcome};
use super::check_fix::FixOptions;
use super::check_neighbors::add_neighbors;
use super::configuration::Configuration;
use super::deployment::{ChosenDeployment, DeploymentOptions, EvaluationOptions};
use super::inputs::{self, ReadLimits};
use super::review::NamedFiles;
use super::revisions::GitOptions;
use super::{Console, ExitStatus, Progress, Verbosity, heat_release, help, running_stack};
use crate::config::Config;
use crate::fix;
use crate::policy::{BrokenPolicy, Policy};
use crate::report::check::{self as report, CheckReport};
use crate::report::{json, update_impact};
use crate::resource_types::FactsOfRelease;
use heat_template::hot::{Release, requested_release};
use hotplate_check::{
    Baseline, CheckRun, CheckedTemplate, Cloud, CloudLists, EnvironmentReferences, FixedFinding,
    NotChecked, OutsideReferences, Selection, SelectionError, SourcePaths,
    drop_interface_parameters, selection_word,
};
use hotplate_upgrade::Upgrade;
use lossless_yaml::decode;
use source_diagnostics::{Diagnostic, MaskedSources, Severity, SourceId};
use source_files::{
    FileError, FileSource, FoundFiles, InputFile, PathKind, display_name, find_among, from_here,
    write_atomic,
};

/// Find every mistake in templates, without a cloud
#[derive(Debug, Args)]
#[command(after_help = help::CHECK)]
pub(super) struct Check {
    #[command(flatten)]
    paths: inputs::Selection,
    #[command(flatten)]
    deployment: DeploymentOptions,
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
    /// The lowest severity of a finding that makes the exit status 1
    #[arg(long, value_name = "SEVERITY", value_enum, default_value_t = FailOn::Error)]
    fail_on: FailOn,
    /// Do not report the findings in this file, which `--write-baseline` wrote
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
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
    evaluation: EvaluationOptions,
    #[command(flatten)]
    bounds: ReadLimits,
    /// The configuration on disk, if that of the base is in effect: what templates are deployed with is checked, too.
    #[arg(skip)]
    pub(super) of_change: Option<Configuration>,
}

/// The lowest severity that makes a run fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum FailOn {
    Error,
    Warning,
    Note,
}

impl From<FailOn> for Severity {
    fn from(fail_on: FailOn) -> Self {
        match fail_on {
            FailOn::Error => Severity::Error,
            FailOn::Warning => Severity::Warning,
            FailOn::Note => Severity::Note,
        }
    }
}

/// The format of the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum CheckFormat {
    /// Text with the lines of the templates
    Text,
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

/// A word of `--select` or `--ignore`.
fn code_or_group(word: &str) -> Result<String, SelectionError> {
    selection_word(word, &crate::codes::every())
}

impl Check {
    pub(super) fn run(
        self,
        configuration: &Configuration,
        console: &mut Console,
    ) -> anyhow::Result<ExitStatus> {
        let deployed = self.of_change.as_ref().unwrap_or(configuration);
        self.deployment.known_name_of(&[deployed, configuration])?;
        let files = self.bounds.files();
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
        let selection = self.selection(configuration, &policy)?;
        let cloud = Cloud { release: self.heat, lists: self.lists(named)? };
        let known = self.known(named)?;
        let mut found = self.paths.find(&files);
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
            let (evaluation, bounds) = (&self.evaluation, self.bounds);
            let checker = FileChecker { files, cloud: &cloud, policy: &policy, evaluation, bounds };
            let mut run =
                self.check_all(&checker, &found, (configuration, &selection, &known), progress)?;
            add_neighbors(&checker, &self.deployment, &found, deployed, &mut run)?;
            anyhow::Ok(run)
        };
        let mut run = checked(&files, &Progress::new(found.inputs.len() as u64, console))?;
        if let Some(path) = &self.write_baseline {
            let of_baseline = |name: &str| self.path_of_baseline(name, &files);
            let text = Baseline::to_json(run.findings(), &of_baseline).context(NO_JSON)?;
            let written = write_atomic(path, text.as_bytes())
                .map_err(|error| anyhow::anyhow!("{}", error.diagnostic().message))?;
            let effects: Vec<Diagnostic> = written.findings().collect();
            console.diagnostics(&effects, &MaskedSources::default());
            console.note(&summary(&run, console));
            let failed = !run.is_complete();
            return Ok(if failed { ExitStatus::Failed } else { ExitStatus::Done });
        }
        let plan =
            |run: &mut CheckRun, files: &dyn FileSource| self.plan_fixes(run, files, deployed);
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
        } else if run.has(self.fail_on.into()) {
            ExitStatus::Attention
        } else {
            status
        })
    }

    /// Checks every input with each of its deployments, on all cores, and combines the results.
    fn check_all(
        &self,
        checker: &FileChecker<'_>,
        found: &FoundFiles,
        (configuration, selection, known): (&Configuration, &Selection, &Baseline),
        progress: &Progress,
    ) -> anyhow::Result<CheckRun> {
        let files = checker.files;
        let deployed = self.of_change.as_ref().unwrap_or(configuration);
        let tests = checker.policy.test_folders(files);
        // Files that are found, not named, and not deployed.
        let is_test = |input: &&InputFile| {
            if tests.is_empty() || input.is_explicit {
                return false;
            }
            let path = files.absolute(&input.path);
            let is_around = |tests: &PathBuf| {
                let mut folders = input.folders.iter().filter_map(|at| found.folders.get(*at));
                path.starts_with(tests) && !folders.any(|it| files.absolute(it).starts_with(tests))
            };
            tests.iter().any(is_around)
                && self.deployment.configured_of(&input.path, deployed, files).next().is_none()
        };
        let (tests, inputs): (Vec<_>, Vec<_>) = found.inputs.iter().partition(is_test);
        let jobs: Vec<CheckJob<'_>> = inputs
            .into_iter()
            .flat_map(|input| {
                let own = self.deployment.each_of(&input.path, deployed, files).into_iter();
                let own =
                    own.map(move |deployment| CheckJob { input, deployment, is_of_base: false });
                own.chain(self.only_of_base(input, configuration, files))
            })
            .collect();
        progress.add(jobs.len().saturating_sub(found.inputs.len()) as u64);
        let outcomes: Vec<anyhow::Result<FileOutcome>> = jobs
            .par_iter()
            .map(|job| {
                let outcome = checker.check(job.input, &job.deployment);
                progress.step();
                outcome
            })
            .collect();
        let mut searched = vec![false; found.folders.len()];
        let mut templates = Vec::new();
        let mut implementing = HashSet::new();
        let mut not_checked = NotChecked { policy_tests: tests.len(), ..NotChecked::default() };
        tests.iter().flat_map(|it| &it.folders).for_each(|folder| searched[*folder] = true);
        let mut environments = Vec::new();
        let mut used: BTreeSet<&PathBuf> = self.deployment.environment_paths().iter().collect();
        let mut has_template = BTreeSet::new();
        for (CheckJob { input, deployment, is_of_base }, outcome) in jobs.iter().zip(outcomes) {
            match outcome? {
                // Nobody can deploy the changed template with the inputs of the base.
                FileOutcome::Checked(template) if *is_of_base && refuses_inputs(&template) => {}
                FileOutcome::Checked(template) => {
                    input.folders.iter().for_each(|folder| searched[*folder] = true);
                    used.extend(deployment.options.environment_paths());
                    has_template.extend(deployment.index);
                    templates.push(*template);
                }
                FileOutcome::Environment(references) => {
                    implementing.extend(references.implementing);
                    environments.push((&input.path, references.parameters));
                }
                FileOutcome::Other => not_checked.other_files += 1,
                FileOutcome::Jinja => not_checked.jinja += 1,
            }
        }
        let used: BTreeSet<PathBuf> = used.into_iter().map(|path| files.absolute(path)).collect();
        environments.retain(|(path, _)| !used.contains(&files.absolute(path)));
        let mut outside = OutsideReferences::default();
        for (path, parameters) in environments {
            let path = display_name(path).into_owned();
            // The templates that they implement have no findings about unused parameters.
            let references = EnvironmentReferences { implementing: Vec::new(), parameters };
            outside.add_environment(&path, references);
            not_checked.environments.push(path);
        }
        let empty = found.folders.iter().zip(searched).filter(|(_, searched)| !searched);
        let empty = empty.map(|(path, _)| FileError::NoTemplates { path: path.clone() });
        let empty: Vec<Diagnostic> = empty.map(|error| error.diagnostic()).collect();
        let unread = found.errors.iter().map(FileError::diagnostic).chain(empty);
        templates.extend(unread.map(|finding| CheckedTemplate {
            findings: vec![finding],
            about_other: true,
            ..CheckedTemplate::default()
        }));
        if let Some(Some(config)) = &self.of_change {
            templates.extend(about_configuration(config, config.findings.clone()));
        }
        if let Some(config) = deployed {
            let is_whole = found
                .folders
                .iter()
                .any(|folder| config.folder.starts_with(files.absolute(folder)));
            if is_whole && !self.deployment.is_chosen() {
                let unused = config.unused_deployments(&has_template);
                templates.extend(about_configuration(config, unused));
            }
        }
        let path_of = |name: &str| {
            configuration.as_ref().and_then(|config| config.relative(Path::new(name), files))
        };
        let of_baseline = |name: &str| self.path_of_baseline(name, files);
        let paths = SourcePaths { of_patterns: &path_of, of_baseline: &of_baseline };
        drop_interface_parameters(&mut templates, &implementing);
        let mut run = CheckRun::new(templates, selection, &paths, known);
        run.not_checked = not_checked;
        run.outside = outside;
        Ok(run)
    }

    /// The deployments of a template that only the base has: a change must not switch findings off by changing or removing one.
    fn only_of_base<'i>(
        &self,
        input: &'i InputFile,
        configuration: &Configuration,
        files: &dyn FileSource,
    ) -> Vec<CheckJob<'i>> {
        let Some(of_change) = &self.of_change else { return Vec::new() };
        let known = self.deployment.configured_of(&input.path, of_change, files);
        let known: Vec<String> = known.map(|(_, it)| it.inputs()).collect();
        let is_there = |it: &ChosenDeployment| {
            it.options.environment_paths().iter().all(|it| files.kind(it).is_some())
        };
        let of_base = self.deployment.configured_of(&input.path, configuration, files);
        let of_base =
            of_base.filter(|(chosen, it)| !known.contains(&it.inputs()) && is_there(chosen));
        let job = |(chosen, _)| {
            // The numbers are those of the change.
            let deployment = ChosenDeployment { index: Some(usize::MAX), ..chosen };
            CheckJob { input, deployment, is_of_base: true }
        };
        of_base.map(job).collect()
    }

    /// The findings about some files, for an editor: a policy that cannot be read is an error.
    pub(super) fn findings_of(
        &self,
        files: &dyn FileSource,
        found: &FoundFiles,
        configuration: &Configuration,
    ) -> anyhow::Result<CheckRun> {
        let disk = self.bounds.files();
        let policy = Policy::read(&self.policy, &disk).map_err(|broken| {
            let first = broken.findings.first().map(|it| it.message.clone());
            anyhow::anyhow!("a policy cannot be read: {}", first.unwrap_or_default())
        })?;
        let selection = self.selection(configuration, &policy)?;
        let cloud = Cloud { release: self.heat, lists: self.lists(&disk)? };
        let known = self.known(&disk)?;
        let (evaluation, bounds) = (&self.evaluation, self.bounds);
        let checker = FileChecker { files, cloud: &cloud, policy: &policy, evaluation, bounds };
        self.check_all(&checker, found, (configuration, &selection, &known), &Progress::hidden())
    }

    /// The options about deployments.
    pub(super) fn deployment(&self) -> &DeploymentOptions {
        &self.deployment
    }

    /// The options about evaluations.
    pub(super) fn evaluation(&self) -> &EvaluationOptions {
        &self.evaluation
    }

    /// The limits on reading.
    pub(super) fn bounds(&self) -> ReadLimits {
        self.bounds
    }

    /// The files of the selected paths.
    pub(super) fn find(&self, files: &dyn FileSource) -> FoundFiles {
        self.paths.find(files)
    }

    /// The facts that resources are checked with.
    pub(super) fn facts(&self) -> FactsOfRelease {
        FactsOfRelease { schema: heat_release(), release: self.heat }
    }

    /// Finds the fixes of findings, with what they do to a running stack.
    pub(super) fn plan_fixes(
        &self,
        run: &mut CheckRun,
        files: &dyn FileSource,
        configuration: &Configuration,
    ) -> Vec<fix::FileFixes> {
        let heat = self.heat.map_or(heat_release().major(), Release::heat);
        let options =
            fix::FixOptions { schema: heat_release(), heat, limits: self.bounds.limits() };
        let add_impact = |path: &Path, old: &str, upgrade: &mut Upgrade| {
            // The first deployment of several shows it.
            let deployments = self.deployment.each_of(path, configuration, files);
            let environments = deployments.first().map(|it| it.options.environment_paths());
            let environments = environments.unwrap_or_default();
            let compared =
                running_stack::comparison(files, (path, old), upgrade, environments, self.bounds);
            compared.iter().for_each(|it| update_impact::add(upgrade, it));
        };
        fix::plan(run, files, &options, &add_impact)
    }

    /// What is wanted, and what the configuration ignores in some files.
    fn selection(
        &self,
        configuration: &Configuration,
        policy: &Policy,
    ) -> anyhow::Result<Selection> {
        let mut selection = Selection::new(
            &self.select,
            &self.ignore,
            [crate::codes::every(), policy.codes()].concat(),
        )?;
        for ignores in configuration.iter().flat_map(|config| &config.path_ignores) {
            let words: Vec<String> = ignores.words.iter().map(|(word, _)| word.clone()).collect();
            selection.ignore_in(ignores.pattern.clone(), &words)?;
        }
        Ok(selection)
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

    /// The path of a source relative to the folder of the baseline, so that it is the same wherever the command runs.
    fn path_of_baseline(&self, name: &str, files: &dyn FileSource) -> String {
        let baseline = self.write_baseline.as_deref().or(self.baseline.as_deref());
        let folder = baseline.and_then(Path::parent).unwrap_or(Path::new(""));
        if files.kind(Path::new(name)).is_none() {
            return name.to_owned();
        }
        let path = from_here(&files.absolute(Path::new(name)), &files.absolute(folder));
        path.to_string_lossy().into_owned()
    }

    /// The baseline.
    fn known(&self, files: &dyn FileSource) -> anyhow::Result<Baseline> {
        let Some(path) = &self.baseline else { return Ok(Baseline::default()) };
        Baseline::from_json(&self.text_of(path, files)?)
            .with_context(|| format!("{}: not a baseline", display_name(path)))
    }

    /// What the user's cloud lists.
    fn lists(&self, files: &dyn FileSource) -> anyhow::Result<CloudLists> {
        let mut lists = CloudLists::default();
        for path in &self.types {
            let added = lists.add(&self.text_of(path, files)?);
            added.with_context(|| display_name(path).into_owned())?;
        }
        Ok(lists)
    }

    fn text_of(&self, path: &Path, files: &dyn FileSource) -> anyhow::Result<String> {
        let bytes = files.read_content(path);
        let bytes = bytes.map_err(|error| {
            let hint = match error {
                FileError::NotFound { .. } if self.baseline.as_deref() == Some(path) => {
                    "; `--write-baseline` writes one"
                }
                _ => "",
            };
            anyhow::anyhow!("{}{hint}", error.diagnostic().message)
        })?;
        decode(SourceId(0), bytes).map_err(|not_text| {
            anyhow::anyhow!("{}: {}", display_name(path), not_text.finding.message)
        })
    }

    fn print(
        &self,
        run: &CheckRun,
        configuration: Option<String>,
        console: &mut Console,
    ) -> anyhow::Result<()> {
        let report = || CheckReport::new(run, heat_release().heat, configuration.clone());
        let text = match self.format {
            CheckFormat::Text if self.statistics => report::statistics(run),
            CheckFormat::Text => report::to_text(run, console.stream_style()),
            CheckFormat::Json => json::to_text(&report()).context(NO_JSON)?,
            CheckFormat::Github => report::to_github(&report()),
            CheckFormat::Gitlab => report::to_gitlab(&report()).context(NO_JSON)?,
            CheckFormat::Zuul => report::to_zuul(&report()).context(NO_JSON)?,
            CheckFormat::Sarif => report::to_sarif(&report()).context(NO_JSON)?,
            CheckFormat::Junit => report::to_junit(&report(), self.fail_on.into()),
        };
        console.print(&text)?;
        match self.format {
            CheckFormat::Text if console.verbosity() > Verbosity::Quiet => {
                console.print(&summary(run, console))?;
            }
            // Only issues have a place in these reports.
            CheckFormat::Gitlab | CheckFormat::Zuul => console.note(&summary(run, console)),
            _ => {}
        }
        Ok(())
    }
}

fn summary(run: &CheckRun, console: &Console) -> String {
    report::summary(run, console.verbosity() == Verbosity::Verbose)
}

/// The path of the configuration.
fn shown_path(configuration: &Configuration) -> Option<String> {
    configuration.as_ref().map(|config| display_name(&config.path).into_owned())
}

const NO_JSON: &str = "JSON cannot be written";

/// A file to check with one of its deployments.
struct CheckJob<'a> {
    input: &'a InputFile,
    deployment: ChosenDeployment,
    /// Whether only the base has the deployment.
    is_of_base: bool,
}

/// Whether a template has errors because of its environments and parameters.
fn refuses_inputs(template: &CheckedTemplate) -> bool {
    let is_of_inputs =
        |it: &Diagnostic| ["HP05", "HP06"].iter().any(|group| it.code.info().id.starts_with(group));
    template.findings.iter().any(|it| it.is_error() && is_of_inputs(it))
}

/// Findings about the configuration; `None` if there are none.
fn about_configuration(config: &Config, findings: Vec<Diagnostic>) -> Option<CheckedTemplate> {
    (!findings.is_empty()).then(|| CheckedTemplate {
        findings,
        sources: config.sources.clone(),
        complete: true,
        about_other: true,
        ..CheckedTemplate::default()
    })
}
