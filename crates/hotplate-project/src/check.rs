//! `hotplate check` of a project: every file with each of its deployments, in one run.

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use anyhow::Context;
use rayon::prelude::*;

use crate::check_file::FileOutcome;
use crate::compare::compare_upgrade;
use crate::config::Config;
use crate::configuration::Configuration;
use crate::deployment::{ChosenDeployment, DeploymentOptions};
use crate::fix;
use crate::options::{ReadOptions, ValueOptions};
use crate::policy::Policy;
use heat_template::hot::Release;
use heat_template::schema::Schema;
use hotplate_check::{
    Baseline, CheckRun, CheckedTemplate, Cloud, CloudLists, DeploymentId, EnvironmentReferences,
    NotChecked, OutsideReferences, Selection, SourcePaths, drop_required_by_others,
};
use hotplate_diff::Comparison;
use hotplate_upgrade::Upgrade;
use lossless_yaml::decode;
use source_diagnostics::{Diagnostic, SourceId};
use source_files::{
    FileError, FileSource, FoundFiles, InputFile, PathKind, display_name, from_here,
};

/// The options of checks.
#[derive(Clone, Debug)]
pub struct CheckOptions {
    /// The inputs of the deployments.
    pub deployment: DeploymentOptions,
    /// The findings to report besides errors: codes, beginnings of codes, groups or `all`.
    pub select: Vec<String>,
    /// The findings to leave out.
    pub ignore: Vec<String>,
    /// Folders with the user's own rules.
    pub policy: Vec<PathBuf>,
    /// The release of OpenStack that the templates are for.
    pub heat: Option<&'static Release>,
    /// Files that say what the user's cloud has.
    pub types: Vec<PathBuf>,
    /// A file with findings that are known.
    pub baseline: Option<PathBuf>,
    /// The file that the findings are written to as known ones: its folder is that of their paths.
    pub write_baseline: Option<PathBuf>,
    /// The bounds of evaluations.
    pub values: ValueOptions,
    /// How files are read.
    pub reading: ReadOptions,
}

/// The effect of the files that options and the configuration name on the findings of a check.
#[derive(Debug, Default)]
pub struct CheckRules {
    pub(crate) policy: Policy,
    selection: Selection,
    pub(crate) cloud: Cloud,
    known: Baseline,
}

impl CheckRules {
    /// Only the rules of the user.
    pub fn of_policy(policy: Policy) -> Self {
        CheckRules { policy, ..CheckRules::default() }
    }

    /// The same with other findings that are known.
    pub fn with_known(self, known: Baseline) -> Self {
        CheckRules { known, ..self }
    }
}

/// Hears of the progress of a long check.
pub trait CheckProgress: Sync {
    /// More steps are to be done.
    fn add(&self, _more: u64) {}

    /// A step is done.
    fn step(&self) {}
}

/// Nobody hears of it.
impl CheckProgress for () {}

/// A check of a project.
#[derive(Clone, Copy, Debug)]
pub struct Check<'a> {
    /// The selection, and how files are read and evaluated.
    pub options: &'a CheckOptions,
    /// The content of the named files.
    pub rules: &'a CheckRules,
    /// The configuration in effect.
    pub configuration: &'a Configuration,
    /// The configuration on disk, if that of the base of a review is in effect: what templates are deployed with is checked, too.
    pub of_change: Option<&'a Configuration>,
}

/// A file to check with one of its deployments.
struct CheckJob<'a> {
    input: &'a InputFile,
    deployment: ChosenDeployment,
    /// Whether only the base has the deployment.
    is_of_base: bool,
}

impl CheckOptions {
    /// Options that report what a check reports by default.
    pub fn new(reading: ReadOptions) -> Self {
        CheckOptions {
            deployment: DeploymentOptions::default(),
            select: Vec::new(),
            ignore: Vec::new(),
            policy: Vec::new(),
            heat: None,
            types: Vec::new(),
            baseline: None,
            write_baseline: None,
            values: ValueOptions::default(),
            reading,
        }
    }

    /// The same for a release of OpenStack, with the facts about types that hold there.
    pub fn set_release(&mut self, release: &'static Release) {
        self.heat = Some(release);
        self.reading.schema = Schema::nearest_to(release.heat());
    }

    /// Reads the files that the options name, apart from those of the policy.
    /// It fails if a file cannot be read, or a word of the options is not a code or a group.
    pub fn rules(
        &self,
        policy: Policy,
        files: &dyn FileSource,
        configuration: &Configuration,
    ) -> anyhow::Result<CheckRules> {
        let selection = self.selection(configuration, &policy)?;
        let cloud = Cloud { release: self.heat, lists: self.lists(files)? };
        Ok(CheckRules { policy, selection, cloud, known: self.known(files)? })
    }

    /// Finds the fixes of findings. `add_impact` adds to a new text what an update of a running stack does.
    pub fn plan_fixes(
        &self,
        run: &mut CheckRun,
        files: &dyn FileSource,
        configuration: &Configuration,
        add_impact: fn(&mut Upgrade, &Comparison),
    ) -> Vec<fix::FileFixes> {
        let schema = self.reading.schema;
        let heat = self.heat.map_or(schema.major(), Release::heat);
        let options = fix::FixOptions { schema, heat, limits: self.reading.limits };
        let add_impact = |path: &Path, old: &str, upgrade: &mut Upgrade| {
            // The first deployment of several shows it.
            let deployments = self.deployment.each_of(path, configuration, files);
            let environments = deployments.first().map(|it| &*it.options.environments);
            let environments = environments.unwrap_or_default();
            let compared = compare_upgrade(files, (path, old), upgrade, environments, self.reading);
            compared.iter().for_each(|it| add_impact(upgrade, it));
        };
        fix::plan(run, files, &options, &add_impact)
    }

    /// The selected findings, and those that the configuration ignores in some files.
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
        for ignores in configuration.file().iter().flat_map(|config| &config.path_ignores) {
            let words: Vec<String> = ignores.words.iter().map(|(word, _)| word.clone()).collect();
            selection.ignore_in(ignores.pattern.clone(), &words)?;
        }
        Ok(selection)
    }

    /// The path of a source relative to the folder of the baseline, so that it is the same wherever the command runs.
    pub fn path_of_baseline(&self, name: &str, files: &dyn FileSource) -> String {
        let baseline = self.write_baseline.as_deref().or(self.baseline.as_deref());
        let folder = baseline.and_then(Path::parent).unwrap_or(Path::new(""));
        if files.kind(Path::new(name)).is_none() {
            return name.to_owned();
        }
        let path = from_here(&files.absolute(Path::new(name)), &files.absolute(folder));
        path.to_string_lossy().into_owned()
    }

    /// The accepted findings; none without a baseline.
    fn known(&self, files: &dyn FileSource) -> anyhow::Result<Baseline> {
        let Some(path) = &self.baseline else { return Ok(Baseline::default()) };
        Baseline::from_json(&self.text_of(path, files)?)
            .with_context(|| format!("{}: not a baseline", display_name(path)))
    }

    /// The types and functions that the user's cloud lists.
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
}

impl Check<'_> {
    /// Checks every input with each of its deployments, on all cores, and combines the results.
    /// It fails if the inputs of a deployment have another form.
    pub fn run(
        &self,
        files: &dyn FileSource,
        found: &FoundFiles,
        progress: &dyn CheckProgress,
    ) -> anyhow::Result<CheckRun> {
        let Check { options, rules, configuration, .. } = *self;
        let deployed = self.deployed();
        let tests = rules.policy.test_folders(files);
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
                && options.deployment.configured_of(&input.path, deployed, files).is_empty()
        };
        let (tests, inputs): (Vec<_>, Vec<_>) = found.inputs.iter().partition(is_test);
        let jobs: Vec<CheckJob<'_>> = inputs
            .into_iter()
            .flat_map(|input| {
                let own = options.deployment.each_of(&input.path, deployed, files).into_iter();
                let own =
                    own.map(move |deployment| CheckJob { input, deployment, is_of_base: false });
                own.chain(self.only_of_base(input, files))
            })
            .collect();
        progress.add(jobs.len().saturating_sub(found.inputs.len()) as u64);
        let outcomes: Vec<anyhow::Result<FileOutcome>> = jobs
            .par_iter()
            .map(|job| {
                let outcome = self.check_file(files, job.input, &job.deployment);
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
        let mut used: BTreeSet<&PathBuf> = options.deployment.environments.iter().collect();
        let mut has_template = BTreeSet::new();
        for (CheckJob { input, deployment, is_of_base }, outcome) in jobs.iter().zip(outcomes) {
            match outcome? {
                // Nobody can deploy the changed template with the inputs of the base.
                FileOutcome::Checked(template) if *is_of_base && refuses_inputs(&template) => {}
                FileOutcome::Checked(template) => {
                    input.folders.iter().for_each(|folder| searched[*folder] = true);
                    used.extend(&deployment.options.environments);
                    has_template.extend(deployment.id);
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
        if let Some(config) = self.of_change.and_then(Configuration::file) {
            templates.extend(about_configuration(config, config.findings.clone()));
        }
        if let Some(config) = deployed.file() {
            let is_whole = found
                .folders
                .iter()
                .any(|folder| config.folder.starts_with(files.absolute(folder)));
            if is_whole && !options.deployment.is_chosen() {
                let unused = config.unused_deployments(&has_template);
                templates.extend(about_configuration(config, unused));
            }
        }
        let path_of = |name: &str| {
            configuration.file().and_then(|config| config.relative(Path::new(name), files))
        };
        let of_baseline = |name: &str| options.path_of_baseline(name, files);
        let paths = SourcePaths { of_patterns: &path_of, of_baseline: &of_baseline };
        drop_required_by_others(&mut templates, &implementing);
        let mut run = CheckRun::new(templates, &rules.selection, &paths, &rules.known);
        run.not_checked = not_checked;
        run.outside = outside;
        Ok(run)
    }

    /// The findings that files have in another source, such as a revision, as known ones.
    /// It fails if the inputs of a deployment have another form.
    pub fn known_of(&self, files: &dyn FileSource, found: &FoundFiles) -> anyhow::Result<Baseline> {
        let there = found.inputs.iter().filter(|it| files.kind(&it.path) == Some(PathKind::File));
        let inputs = there.map(|it| InputFile { folders: Vec::new(), ..it.clone() }).collect();
        let run = self.run(files, &FoundFiles { inputs, ..FoundFiles::default() }, &())?;
        let path_of = |name: &str| self.options.path_of_baseline(name, files);
        Ok(Baseline::from_json(&Baseline::to_json(run.findings(), &path_of)?)?)
    }

    /// The deployments of a template that only the base has: a change must not switch findings off by changing or removing one.
    fn only_of_base<'i>(&self, input: &'i InputFile, files: &dyn FileSource) -> Vec<CheckJob<'i>> {
        let Some(of_change) = self.of_change else { return Vec::new() };
        let deployment = &self.options.deployment;
        let known = deployment.configured_of(&input.path, of_change, files);
        let known: Vec<String> = known.into_iter().map(|(_, it)| it.inputs).collect();
        let is_there = |it: &ChosenDeployment| {
            it.options.environments.iter().all(|it| files.kind(it).is_some())
        };
        let of_base = deployment.configured_of(&input.path, self.configuration, files);
        let of_base = of_base.into_iter();
        let of_base =
            of_base.filter(|(chosen, it)| !known.contains(&it.inputs) && is_there(chosen));
        let job = |(chosen, _)| {
            // The numbers are those of the change.
            let deployment = ChosenDeployment { id: Some(DeploymentId::OfBase), ..chosen };
            CheckJob { input, deployment, is_of_base: true }
        };
        of_base.map(job).collect()
    }

    /// The configuration whose deployments are checked.
    pub(crate) fn deployed(&self) -> &Configuration {
        self.of_change.unwrap_or(self.configuration)
    }
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
