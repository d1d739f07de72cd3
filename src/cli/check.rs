//! `hotplate check`: every mistake of templates, in one run.

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use clap::{Args, ValueEnum};
use rayon::prelude::*;

use super::check_fix::FixOptions;
use super::configuration::Configuration;
use super::deployment::{ChosenDeployment, DeploymentOptions, EvaluationOptions, ReadDeployment};
use super::inputs::{self, ReadLimits, is_jinja};
use super::{Console, ExitStatus, Progress, Verbosity, heat_release, help};
use crate::check::{
    Baseline, CheckRun, CheckedTemplate, Cloud, CloudLists, NotChecked, Selection, SourcePaths,
    assumed_members, check, drop_interface_parameters, implementing_templates, listed_values,
    missing_parameters, selection_word,
};
use crate::config::Config;
use crate::fix;
use crate::policy::{BrokenPolicy, Policy, PolicyFindings};
use crate::report::check::{self as report, CheckReport};
use crate::report::json;
use heat_engine::environment::registry::{EntryTarget, RegistryEntry};
use heat_engine::environment::sections::is_environment;
use heat_engine::environment::{Environment, Location};
use heat_engine::eval::deployment::{ChildStack, Deployed, DeploymentRequest, deploy};
use heat_engine::eval::template_graph::{Template, TemplateGraph};
use heat_engine::eval::{BoundParameters, ResourceStates};
use heat_template::dialect::read_candidate;
use heat_template::hot::{Release, requested_release};
use source_diagnostics::{Diagnostic, Severity, SourceId, SourceMap};
use source_files::{
    FileError, FileSource, FoundFiles, InputFile, display_name, from_here, write_atomic,
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
    #[arg(long, value_name = "CODE", value_delimiter = ',', value_parser = selection_word)]
    select: Vec<String>,
    /// Do not report these: codes, beginnings of codes, or groups
    #[arg(long, value_name = "CODE", value_delimiter = ',', value_parser = selection_word)]
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
    /// SARIF for code scanning
    Sarif,
    /// JUnit XML for test reports
    Junit,
}

/// What became of an input.
enum Outcome {
    Checked(Box<CheckedTemplate>),
    /// The file of a folder is neither a template nor an environment.
    Other,
    /// An environment, with the URLs of the templates to which its registry maps types.
    Environment(Vec<String>),
    /// The tags of a Jinja2 template must be rendered before Heat reads it.
    Jinja,
}

impl Check {
    pub(super) fn run(
        self,
        configuration: &Configuration,
        console: &mut Console,
    ) -> anyhow::Result<ExitStatus> {
        self.deployment.known_name(configuration)?;
        let files = self.bounds.files();
        let policy = match Policy::read(&self.policy, &files) {
            Ok(policy) => policy,
            Err(broken) => return self.broken(*broken, configuration, console),
        };
        let selection = self.selection(configuration, &policy)?;
        let cloud = Cloud { release: self.heat, lists: self.lists()? };
        let found = self.paths.find(&files);
        let checked = |console: &mut Console| {
            self.check_all(&files, &found, &cloud, &policy, (configuration, &selection), console)
        };
        let mut run = checked(console)?;
        if let Some(path) = &self.write_baseline {
            let of_baseline = |name: &str| self.path_of_baseline(name, &files);
            let text = Baseline::to_json(run.findings(), &of_baseline).context(NO_JSON)?;
            let written = write_atomic(path, text.as_bytes())
                .map_err(|error| anyhow::anyhow!("{}", error.diagnostic().message))?;
            let effects: Vec<Diagnostic> = written.findings().collect();
            console.diagnostics(&effects, &SourceMap::default());
            console.note(&report::summary(&run));
            let failed = !run.is_complete();
            return Ok(if failed { ExitStatus::Failed } else { ExitStatus::Done });
        }
        let heat = self.heat.map_or(heat_release().major(), Release::heat);
        let options =
            fix::FixOptions { schema: heat_release(), heat, limits: self.bounds.limits() };
        let fixes = fix::plan(&mut run, &files, &options);
        let mut is_failed = false;
        let mut status = ExitStatus::Done;
        if self.fixes.diff {
            status = self.fixes.print(&fixes, &files, console)?;
            console.note(&report::summary(&run));
        } else {
            if let Some(safety) = self.fixes.writes() {
                let outcome = self.fixes.write(&fixes, safety, console)?;
                is_failed = outcome.is_failed;
                if !outcome.fixed.is_empty() {
                    // The files are others now.
                    run = checked(console)?;
                    fix::plan(&mut run, &files, &options);
                }
                run.fixed = outcome.fixed;
                console.note(&report::fixed(&run));
            }
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

    /// Checks every input.
    fn check_all(
        &self,
        files: &dyn FileSource,
        found: &FoundFiles,
        cloud: &Cloud,
        policy: &Policy,
        (configuration, selection): (&Configuration, &Selection),
        console: &mut Console,
    ) -> anyhow::Result<CheckRun> {
        // A template is checked with each of its deployments.
        let jobs: Vec<(&InputFile, ChosenDeployment)> = found
            .inputs
            .iter()
            .flat_map(|input| {
                let deployments = self.deployment.each_of(&input.path, configuration, files);
                deployments.into_iter().map(move |deployment| (input, deployment))
            })
            .collect();
        let progress = Progress::new(jobs.len() as u64, console);
        let outcomes: Vec<anyhow::Result<Outcome>> = jobs
            .par_iter()
            .map(|(input, deployment)| {
                let outcome = self.check_file(files, input, deployment, cloud, policy);
                progress.step();
                outcome
            })
            .collect();
        drop(progress);
        let mut searched = vec![false; found.folders.len()];
        let mut templates = Vec::new();
        let mut implementing = HashSet::new();
        let mut not_checked = NotChecked::default();
        let mut environments = Vec::new();
        let mut used: BTreeSet<&PathBuf> = self.deployment.environment_paths().iter().collect();
        let mut has_template = BTreeSet::new();
        for ((input, deployment), outcome) in jobs.iter().zip(outcomes) {
            match outcome? {
                Outcome::Checked(template) => {
                    input.folders.iter().for_each(|folder| searched[*folder] = true);
                    used.extend(deployment.options.environment_paths());
                    has_template.extend(deployment.index);
                    templates.push(*template);
                }
                Outcome::Environment(urls) => {
                    environments.push(files.absolute(&input.path));
                    implementing.extend(urls);
                }
                Outcome::Other => not_checked.other_files += 1,
                Outcome::Jinja => not_checked.jinja += 1,
            }
        }
        let used: BTreeSet<PathBuf> = used.into_iter().map(|path| files.absolute(path)).collect();
        not_checked.environments = environments.iter().filter(|path| !used.contains(*path)).count();
        let empty = found.folders.iter().zip(searched).filter(|(_, searched)| !searched);
        let empty = empty.map(|(path, _)| FileError::NoTemplates { path: path.clone() });
        let empty: Vec<Diagnostic> = empty.map(|error| error.diagnostic()).collect();
        let unread = found.errors.iter().map(FileError::diagnostic).chain(empty);
        templates.extend(unread.map(|finding| CheckedTemplate {
            findings: vec![finding],
            ..CheckedTemplate::default()
        }));
        if let Some(config) = configuration {
            let is_whole = found
                .folders
                .iter()
                .any(|folder| config.folder.starts_with(files.absolute(folder)));
            if is_whole && !self.deployment.is_chosen() {
                templates.extend(unused_deployments(config, &has_template));
            }
        }
        let path_of = |name: &str| {
            configuration.as_ref().and_then(|config| config.relative(Path::new(name), files))
        };
        let of_baseline = |name: &str| self.path_of_baseline(name, files);
        let paths = SourcePaths { of_patterns: &path_of, of_baseline: &of_baseline };
        drop_interface_parameters(&mut templates, &implementing);
        let mut run = CheckRun::new(templates, selection, &paths, &self.known()?);
        run.not_checked = not_checked;
        Ok(run)
    }

    /// What is wanted, and what the configuration ignores in some files.
    fn selection(
        &self,
        configuration: &Configuration,
        policy: &Policy,
    ) -> anyhow::Result<Selection> {
        let mut selection = Selection::new(&self.select, &self.ignore, policy.codes())?;
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
        let about_configuration = true;
        let policies = CheckedTemplate {
            findings,
            sources,
            about_configuration,
            ..CheckedTemplate::default()
        };
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
    fn known(&self) -> anyhow::Result<Baseline> {
        let Some(path) = &self.baseline else { return Ok(Baseline::default()) };
        Baseline::from_json(&self.text_of(path)?)
            .with_context(|| format!("{}: not a baseline", display_name(path)))
    }

    /// What the user's cloud lists.
    fn lists(&self) -> anyhow::Result<CloudLists> {
        let mut lists = CloudLists::default();
        for path in &self.types {
            let added = lists.add(&self.text_of(path)?);
            added.with_context(|| display_name(path).into_owned())?;
        }
        Ok(lists)
    }

    fn text_of(&self, path: &Path) -> anyhow::Result<String> {
        let bytes = self.bounds.files().read_content(path);
        let bytes = bytes.map_err(|error| anyhow::anyhow!("{}", error.diagnostic().message))?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
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
            CheckFormat::Sarif => report::to_sarif(&report()).context(NO_JSON)?,
            CheckFormat::Junit => report::to_junit(&report(), self.fail_on.into()),
        };
        console.print(&text)?;
        if self.format == CheckFormat::Text && console.verbosity() > Verbosity::Quiet {
            console.print(&report::summary(run))?;
        }
        Ok(())
    }

    fn check_file(
        &self,
        files: &dyn FileSource,
        input: &InputFile,
        deployment: &ChosenDeployment,
        cloud: &Cloud,
        policy: &Policy,
    ) -> anyhow::Result<Outcome> {
        let mut sources = SourceMap::default();
        let location = Location::from_argument(&input.path, files);
        let url = location.url().to_owned();
        let options = &deployment.options;
        let environments = options.environments(files);
        let opened =
            options.open_from(files, Some(location), environments, self.bounds, &mut sources)?;
        sources.mask(&opened.secrets());
        let ReadDeployment { root, environment, mut findings, complete, .. } = opened;
        let lowered = root.as_ref().map(|root| (root, environment.lower(&root.1)));
        let ((location, document), lowered) = match lowered {
            Some((root, Ok(lowered))) => (root, lowered),
            failed => {
                findings.extend(failed.and_then(|(_, it)| it.err()).map(|finding| *finding));
                return Ok(self.without_template(files, input, findings, sources));
            }
        };
        let version = lowered.declaration();
        let stack = Arc::new(lowered.stack);
        let table = ResourceStates::new(&stack, heat_release(), false);
        let root = Template::root(location, stack, version, lowered.findings);
        let templates = TemplateGraph::new(&environment, root);
        let yaql = self.evaluation.yaql.to_options();
        let request = DeploymentRequest {
            templates: &templates,
            table: &table,
            fill: false,
            nested: true,
            bound: &BoundParameters::All,
            yaql: &yaql,
            max_resources: self.evaluation.max_resources,
            max_values: self.evaluation.max_values,
            assume_members: false,
            recover: true,
        };
        let deployed = deploy(&request);
        findings.extend(environment.findings.iter().cloned());
        findings.extend(check(&deployed, &environment, document, cloud));
        let listed = listed_values(&request, &deployed, heat_release(), &findings);
        findings.extend(listed);
        findings.extend(assumed_members(&request, &deployed, heat_release(), cloud));
        let PolicyFindings { findings: of_policy, undecided } = policy.check(&deployed);
        findings.extend(of_policy);
        // Without any input, the values are given when the stack is created.
        let missing = missing_parameters(&deployed);
        let unknown_parameters = missing.len();
        if !options.is_empty() {
            findings.extend(missing);
        }
        let mut nested = BTreeSet::new();
        nested_templates(&deployed, &mut nested);
        Ok(Outcome::Checked(Box::new(CheckedTemplate {
            url,
            source: Some(deployed.stack.format.span.source),
            nested,
            findings,
            sources,
            complete,
            unknown_parameters,
            mapped_types: mapped_types(&environment),
            deployment: deployment.index,
            undecided,
            ..CheckedTemplate::default()
        })))
    }

    /// The findings about a file that is named, with the default options and another policy.
    pub(super) fn checked(
        &self,
        files: &dyn FileSource,
        input: &InputFile,
        policy: &Policy,
    ) -> anyhow::Result<CheckedTemplate> {
        let alone = self.deployment.each_of(&input.path, &None, files);
        let mut outcomes = alone
            .iter()
            .map(|deployment| self.check_file(files, input, deployment, &Cloud::default(), policy));
        Ok(match outcomes.next().transpose()? {
            Some(Outcome::Checked(checked)) => *checked,
            // A file that is named is a template, or there is a finding.
            Some(Outcome::Other | Outcome::Environment(_) | Outcome::Jinja) | None => {
                CheckedTemplate::default()
            }
        })
    }

    /// The outcome for a file that cannot be read as a template.
    fn without_template(
        &self,
        files: &dyn FileSource,
        input: &InputFile,
        findings: Vec<Diagnostic>,
        sources: SourceMap,
    ) -> Outcome {
        if !input.is_explicit {
            if findings.iter().any(|finding| is_jinja(finding, &input.path)) {
                return Outcome::Jinja;
            }
            let read = input
                .read(files)
                .ok()
                .map(|bytes| read_candidate(SourceId(0), bytes, false, &self.bounds.limits()).1);
            let is_other = |finding: &Diagnostic| {
                finding.code == heat_template::codes::NOT_ATEMPLATE
                    || finding.code == source_files::codes::EMPTY_FILE
            };
            let other = matches!(&read, Some(Err(finding)) if is_other(finding));
            if other || findings.iter().any(is_other) {
                let environment = read.and_then(Result::ok).filter(is_environment);
                return environment.map_or(Outcome::Other, |environment| {
                    let location = Location::from_argument(&input.path, files);
                    Outcome::Environment(implementing_templates(&environment, &location))
                });
            }
        }
        Outcome::Checked(Box::new(CheckedTemplate {
            findings,
            sources,
            ..CheckedTemplate::default()
        }))
    }
}

/// The path of the configuration.
fn shown_path(configuration: &Configuration) -> Option<String> {
    configuration.as_ref().map(|config| display_name(&config.path).into_owned())
}

const NO_JSON: &str = "JSON cannot be written";

/// A finding for each deployment of the configuration that no template has.
fn unused_deployments(config: &Config, used: &BTreeSet<usize>) -> Option<CheckedTemplate> {
    let unused = config.deployments.iter().enumerate().filter(|(at, _)| !used.contains(at));
    let findings: Vec<Diagnostic> = unused
        .map(|(_, deployment)| {
            let message = format!("no template fits the deployment `{}`", deployment.shown_name());
            Diagnostic::new(crate::codes::DEPLOYMENT_WITHOUT_TEMPLATE, message).at(deployment.span)
        })
        .collect();
    (!findings.is_empty()).then(|| CheckedTemplate {
        findings,
        sources: config.sources.clone(),
        complete: true,
        about_configuration: true,
        ..CheckedTemplate::default()
    })
}

/// The types that the environments map to something else.
fn mapped_types(environment: &Environment) -> BTreeSet<String> {
    let entries = environment.registry.entries().into_iter();
    let maps = |kind: &String, entry: &RegistryEntry| match &entry.target {
        EntryTarget::Type(target) => target != kind,
        EntryTarget::Template(_) | EntryTarget::Candidates(_) => true,
    };
    let mapped = entries.filter_map(|entry| entry.path.last().filter(|kind| maps(kind, entry)));
    mapped.cloned().collect()
}

/// Adds the URLs of the templates below a stack.
fn nested_templates(deployed: &Deployed, urls: &mut BTreeSet<String>) {
    for child in deployed.children.values() {
        if let ChildStack::Stack(child) = child {
            urls.extend(child.node.url().map(str::to_owned));
            nested_templates(child, urls);
        }
    }
}
