//! Options of the commands that evaluate a whole deployment: a template, its environments
//! and parameters, and the files that may be read for them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use clap::{Args, ValueEnum};

use super::configuration::Configuration;
use super::inputs::ReadLimits;
use super::yaql::YaqlOptions;
use super::{Console, heat_release};
use crate::config::{Config, Deployment, FILE_NAME};
use crate::report::diff::InputSide;
use crate::report::escape::on_one_line;
use heat_engine::environment::{
    ConfiguredParameter, ConfiguredParameters, Environment, EnvironmentInputs, FileAccess,
    Location, MergeSide, RootTemplate, parameter_names,
};
use heat_engine::eval::MAX_VALUES;
use heat_engine::eval::deployment::MAX_RESOURCES;
use heat_engine::eval::{ResourceStates, Value};
use heat_template::dialect::unread_hidden_values;
use heat_template::ir::Stack;
use lossless_yaml::{Document, as_sent, decode, decode_into, read};
use saved_stack::{SavedStackFiles, with_saved_texts};
use source_diagnostics::{
    Diagnostic, MaskedSources, ShowSecrets, SourceId, SourceMap, Span, did_you_mean, redacted,
};
use source_files::{Disk, FileError, FileSource, display_name, shown_name};

/// Options about the inputs of a deployment.
#[derive(Clone, Debug, Default, Args)]
pub(super) struct DeploymentOptions {
    /// An environment file; several are merged in order
    #[arg(short = 'e', long = "environment", value_name = "FILE")]
    environments: Vec<PathBuf>,
    /// A parameter, as NAME=VALUE; one option may contain several, separated by `;`
    #[arg(short = 'P', long = "parameter", value_name = "NAME=VALUE")]
    parameters: Vec<String>,
    /// The parameters of a deployment of the configuration that the command line does not set.
    #[arg(skip)]
    configured: Option<Arc<ConfiguredParameters>>,
    /// The saved stack that gives an environment, and the files that it refers to.
    #[arg(skip)]
    saved: Option<Arc<SavedStackFiles>>,
    /// A parameter whose value is the content of a file, as NAME=FILE
    #[arg(long = "parameter-file", value_name = "NAME=PATH")]
    parameter_files: Vec<String>,
    /// How several environments are merged
    #[arg(long, value_enum, default_value_t, value_name = "WHO")]
    merge: MergeMode,
    /// Read the content of a URL from a file; a URL that ends with `/` maps to a folder
    #[arg(long = "files-map", value_name = "URL=PATH", value_parser = mapping)]
    files_map: Vec<(String, PathBuf)>,
    /// A folder or file that may be read, in addition to the git work trees of the template and the environments;
    /// without a work tree, in addition to their folders and the current folder. Files that git ignores, and files in
    /// `.git` or `.ssh`, are read only if they are named
    #[arg(long = "allow-path", value_name = "PATH")]
    allow_path: Vec<PathBuf>,
    /// The deployment of the configuration to use, by its name; without it and without `-e`, the only one that a template has
    #[arg(long, value_name = "NAME", conflicts_with = "environments")]
    deployment: Option<String>,
}

/// What a template is deployed with.
#[derive(Clone, Debug)]
pub(super) struct ChosenDeployment {
    pub(super) options: DeploymentOptions,
    /// The index in the configuration; `None` if only the command line says what the template is deployed with.
    pub(super) index: Option<usize>,
    /// The name in the configuration, or, without one, the templates.
    pub(super) name: Option<String>,
    /// A line that says what the configuration adds; empty if it adds nothing.
    pub(super) note: String,
}

/// Options for the old side of a comparison that replace those for both sides.
#[derive(Clone, Debug, Args)]
pub(super) struct OldSideOptions {
    /// An environment file of the old side, instead of those of `-e`
    #[arg(long = "old-e", visible_alias = "old-environment", value_name = "FILE")]
    old_environments: Vec<PathBuf>,
    /// A parameter of the old side, instead of those of `-P`
    #[arg(long = "old-P", visible_alias = "old-parameter", value_name = "NAME=VALUE")]
    old_parameters: Vec<String>,
    /// A parameter of the old side from a file, instead of those of `--parameter-file`
    #[arg(long, value_name = "NAME=PATH")]
    old_parameter_file: Vec<String>,
}

/// The environments of all deployments of the configuration, each once.
pub(super) fn configured_environments(configuration: &Configuration) -> Vec<PathBuf> {
    DeploymentOptions::default().with_every_environment(&[configuration]).environments
}

impl ChosenDeployment {
    /// What only the command line says.
    pub(super) fn of_command_line(options: &DeploymentOptions) -> Self {
        ChosenDeployment { options: options.clone(), index: None, name: None, note: String::new() }
    }
}

impl OldSideOptions {
    /// The options of an old side that is a saved stack: its own inputs, and those that are for the old side only.
    pub(super) fn of_saved(
        &self,
        both: &DeploymentOptions,
        saved: SavedStackFiles,
        bounds: ReadLimits,
    ) -> DeploymentOptions {
        let own = DeploymentOptions {
            environments: self.old_environments.clone(),
            parameters: self.old_parameters.clone(),
            configured: None,
            parameter_files: self.old_parameter_file.clone(),
            ..both.clone()
        };
        own.with_saved(saved, bounds)
    }

    /// The options of the old side.
    pub(super) fn merged_with(&self, both: &DeploymentOptions) -> DeploymentOptions {
        fn or<T: Clone>(own: &[T], both: &[T]) -> Vec<T> {
            if own.is_empty() { both.to_vec() } else { own.to_vec() }
        }
        DeploymentOptions {
            environments: or(&self.old_environments, &both.environments),
            parameters: or(&self.old_parameters, &both.parameters),
            configured: both.configured.clone().filter(|_| self.old_parameters.is_empty()),
            parameter_files: or(&self.old_parameter_file, &both.parameter_files),
            ..both.clone()
        }
    }
}

impl Default for EvaluationOptions {
    fn default() -> Self {
        let yaql = YaqlOptions::default();
        EvaluationOptions { max_resources: MAX_RESOURCES, max_values: MAX_VALUES, yaql }
    }
}

/// How several environments are merged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum MergeMode {
    /// As Heat's server does, with current clients
    #[default]
    Server,
    /// As Heat's client does, in old versions
    Client,
}

/// Options about values that are unknown before deployment.
#[derive(Clone, Debug, Default, Args)]
pub(super) struct ValueOptions {
    /// A JSON file with the state of resources: `{"RESOURCE": {"attrs": …, "ref": …}}`
    #[arg(long, value_name = "FILE")]
    pub(super) attrs: Option<PathBuf>,
    /// Fill in a value for everything that is unknown before deployment
    #[arg(long)]
    pub(super) fill: bool,
    #[command(flatten)]
    pub(super) evaluation: EvaluationOptions,
}

/// Options of every evaluation of a deployment.
#[derive(Clone, Debug, Args)]
pub(super) struct EvaluationOptions {
    /// The maximum number of resources in a stack and its nested stacks, as in Heat's configuration;
    /// Heat's default is 1000
    #[arg(long, value_name = "RESOURCES", default_value_t = MAX_RESOURCES, hide_default_value = true)]
    pub(super) max_resources: usize,
    /// The maximum number of values that an evaluation may visit and create; a text counts as one per 32 bytes
    #[arg(long, value_name = "VALUES", default_value_t = MAX_VALUES)]
    pub(super) max_values: u64,
    #[command(flatten)]
    pub(super) yaql: YaqlOptions,
}

impl ValueOptions {
    /// The known attributes and references of a stack's resources.
    pub(super) fn known_values(
        &self,
        stack: &Stack,
        bounds: ReadLimits,
    ) -> anyhow::Result<ResourceStates> {
        self.known_values_from(&bounds.files(), stack, bounds)
    }

    /// The known attributes and references of a stack's resources, read from a source of files.
    pub(super) fn known_values_from(
        &self,
        files: &dyn FileSource,
        stack: &Stack,
        bounds: ReadLimits,
    ) -> anyhow::Result<ResourceStates> {
        let mut table = ResourceStates::new(stack, heat_release(), self.fill);
        if let Some(path) = &self.attrs {
            let attrs = read_attrs(files, path, bounds)?;
            table
                .extend(&attrs)
                .map_err(|what| anyhow::anyhow!("{}: {what} must be a map", path.display()))?;
        }
        Ok(table)
    }
}

fn read_attrs(files: &dyn FileSource, path: &Path, bounds: ReadLimits) -> anyhow::Result<Value> {
    let shown = path.display();
    let failed = |finding: Box<Diagnostic>| anyhow::anyhow!("{shown}: {}", finding.message);
    let bytes = files.read_content(path);
    let bytes = bytes.map_err(|error| anyhow::anyhow!("{}", error.diagnostic().message))?;
    let text = decode(SourceId(0), bytes).map_err(|bad| failed(bad.into()))?;
    let limits = bounds.limits();
    let document = read(SourceId(0), text.into(), &limits).map_err(failed)?;
    let root = document.root().with_context(|| format!("{shown}: the file is empty"))?;
    let data = lossless_yaml::Value::copy_of(document.data(root), &limits).map_err(failed)?;
    Ok(Value::from(&data))
}

/// A template and its environment, read from files.
pub(super) struct ReadDeployment {
    /// The template and its location; `None` if there is none, or it cannot be read.
    pub(super) root: Option<(Location, Document)>,
    pub(super) environment: Environment,
    /// For an unreadable template, the spans that may contain secrets.
    unread: Vec<Span>,
    /// The findings from reading the template.
    pub(super) findings: Vec<Diagnostic>,
    /// Whether everything that the user named could be read.
    pub(super) complete: bool,
    /// The saved stack that gives the template, or whose resources a target adopts.
    pub(super) saved: Option<Arc<SavedStackFiles>>,
}

impl ReadDeployment {
    /// The spans of all values that no report may show.
    pub(super) fn secrets(&self) -> Vec<Span> {
        let mut secrets = self.environment.secrets();
        secrets.extend(&self.unread);
        secrets
    }
}

impl DeploymentOptions {
    /// Deployments with these environments, and nothing else.
    pub(super) fn with_environments(environments: &[PathBuf]) -> Self {
        DeploymentOptions { environments: environments.to_vec(), ..DeploymentOptions::default() }
    }

    /// The same with a saved stack, whose environment comes first.
    pub(super) fn with_saved(&self, mut saved: SavedStackFiles, bounds: ReadLimits) -> Self {
        saved.replace_parameters(&self.given_names(), &bounds.limits());
        DeploymentOptions { saved: Some(Arc::new(saved)), ..self.clone() }
    }

    /// The names of the parameters on the command line. Invalid arguments are reported where they are used.
    fn given_names(&self) -> Vec<String> {
        let given = [
            parameter_names(&self.parameters, true),
            parameter_names(&self.parameter_files, false),
        ];
        given.into_iter().flatten().flatten().collect()
    }

    /// The saved stack that gives the environment.
    pub(super) fn saved(&self) -> Option<&SavedStackFiles> {
        self.saved.as_deref()
    }

    /// Whether there is any environment.
    pub(super) fn has_environments(&self) -> bool {
        !self.environments.is_empty()
    }

    /// The paths of the environments.
    pub(super) fn environment_paths(&self) -> &[PathBuf] {
        &self.environments
    }

    /// Whether the command line decides which deployments of the configuration are used.
    pub(super) fn is_chosen(&self) -> bool {
        self.deployment.is_some() || !self.environments.is_empty()
    }

    /// Whether no input is given.
    pub(super) fn is_empty(&self) -> bool {
        self.environments.is_empty() && !self.has_parameters()
    }

    /// The side that merges the environments.
    pub(super) fn merge_side(&self) -> MergeSide {
        match self.merge {
            MergeMode::Server => MergeSide::Server,
            MergeMode::Client => MergeSide::Client,
        }
    }

    /// Whether parameters are given without an environment file.
    pub(super) fn has_parameters(&self) -> bool {
        !self.parameters.is_empty() || !self.parameter_files.is_empty() || self.configured.is_some()
    }

    /// The options with the environments of all deployments of the configuration, unless there are some on the command line: what
    /// templates of a repository may be deployed with.
    pub(super) fn with_every_environment(&self, configurations: &[&Configuration]) -> Self {
        let mut all = self.clone();
        let used = configurations.iter().filter(|_| self.environments.is_empty());
        let used = used.filter_map(|it| it.as_deref()).flat_map(|it| &it.deployments);
        let is_wanted = |it: &&Deployment| self.deployment.is_none() || it.name == self.deployment;
        for environment in used.filter(is_wanted).flat_map(|it| &it.environments) {
            if !all.environments.contains(&environment.path) {
                all.environments.push(environment.path.clone());
            }
        }
        all
    }

    /// Every deployment of a template, in the order of the configuration. Without one, and with `-e`, there is one, of the command
    /// line only.
    pub(super) fn each_of(
        &self,
        template: &Path,
        configuration: &Configuration,
        files: &dyn FileSource,
    ) -> Vec<ChosenDeployment> {
        let own = || vec![ChosenDeployment::of_command_line(self)];
        let found = self.configured_of(template, configuration, files);
        let found: Vec<ChosenDeployment> = found.map(|(chosen, _)| chosen).collect();
        if found.is_empty() { own() } else { found }
    }

    /// Every deployment that the configuration has for a template; none with `-e`.
    pub(super) fn configured_of<'c>(
        &self,
        template: &Path,
        configuration: &'c Configuration,
        files: &dyn FileSource,
    ) -> impl Iterator<Item = (ChosenDeployment, &'c Deployment)> {
        let config = configuration.as_deref().filter(|_| self.environments.is_empty());
        config.into_iter().flat_map(move |config| {
            let all = config.deployments_of(template, files).into_iter();
            let wanted = all.filter(|it| self.deployment.is_none() || it.name == self.deployment);
            wanted.map(|it| (self.with(it, template, config), it)).collect::<Vec<_>>()
        })
    }

    /// The only deployment of a template.
    ///
    /// # Errors
    ///
    /// If there are several.
    pub(super) fn only_of(
        &self,
        template: &Path,
        configuration: &Configuration,
        files: &dyn FileSource,
    ) -> anyhow::Result<ChosenDeployment> {
        let mut all = self.each_of(template, configuration, files);
        if let (2.., Some(config)) = (all.len(), configuration.as_deref()) {
            let chosen = all.iter().filter_map(|chosen| config.deployments.get(chosen.index?));
            let names: Vec<String> = chosen
                .map(|it| match &it.name {
                    Some(name) => format!("`--deployment {name}`"),
                    None => format!("the one without a name ({})", config.place(it.span)),
                })
                .collect();
            let template = display_name(template);
            anyhow::bail!(
                "`{template}` has {} deployments in `{}`; choose one: {}",
                all.len(),
                display_name(&config.path),
                names.join(", ")
            );
        }
        Ok(all.swap_remove(0))
    }

    /// The options for a template, with what the configuration says about it, which is reported.
    ///
    /// # Errors
    ///
    /// If the configuration has several deployments of the template.
    pub(super) fn configured(
        &self,
        template: Option<&Path>,
        configuration: &Configuration,
        bounds: ReadLimits,
        console: &mut Console,
    ) -> anyhow::Result<DeploymentOptions> {
        self.known_name(configuration)?;
        let Some(template) = template else { return Ok(self.clone()) };
        let chosen = self.only_of(template, configuration, &bounds.files())?;
        console.note(&chosen.note);
        Ok(chosen.options)
    }

    /// Reads a template with what the command line and the configuration say about it; what the configuration adds is reported.
    ///
    /// # Errors
    ///
    /// As [`configured`](Self::configured). Unreadable files become findings.
    pub(super) fn open_configured(
        &self,
        template: Option<&Path>,
        configuration: &Configuration,
        bounds: ReadLimits,
        console: &mut Console,
        show_secrets: Option<ShowSecrets>,
    ) -> anyhow::Result<(ReadDeployment, MaskedSources)> {
        let options = self.configured(template, configuration, bounds, console)?;
        options.open_masked(template, bounds, show_secrets)
    }

    /// Reads everything from disk, as [`open`](Self::open) does, for reports.
    pub(super) fn open_masked(
        &self,
        template: Option<&Path>,
        bounds: ReadLimits,
        show_secrets: Option<ShowSecrets>,
    ) -> anyhow::Result<(ReadDeployment, MaskedSources)> {
        let (opened, sources) = self.open(template, bounds)?;
        let secrets = opened.secrets();
        Ok((opened, sources.masked_unless(show_secrets, &secrets)))
    }

    /// Refuses a name that no deployment of the configuration has.
    pub(super) fn known_name(&self, configuration: &Configuration) -> anyhow::Result<()> {
        self.known_name_of(&[configuration])
    }

    /// Refuses a name that no deployment of the configurations has.
    pub(super) fn known_name_of(&self, configurations: &[&Configuration]) -> anyhow::Result<()> {
        let Some(wanted) = &self.deployment else { return Ok(()) };
        let all = || configurations.iter().filter_map(|it| it.as_deref());
        let Some(config) = all().next() else {
            anyhow::bail!("`--deployment` needs a `{FILE_NAME}`, and there is none");
        };
        let names = || all().flat_map(|it| &it.deployments).filter_map(|it| it.name.as_deref());
        if names().any(|name| name == wanted) {
            return Ok(());
        }
        let path = display_name(&config.path);
        let hint = match did_you_mean(wanted, names()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "`hotplate config` lists them".to_owned(),
        };
        anyhow::bail!("`{path}` has no deployment `{wanted}`; {hint}")
    }

    /// The options with the environments of a deployment, and with those of its parameters that the command line does not set.
    fn with(&self, deployment: &Deployment, template: &Path, config: &Config) -> ChosenDeployment {
        let mut options = self.clone();
        options.environments = deployment.environments.iter().map(|it| it.path.clone()).collect();
        let given = self.given_names();
        let added = deployment.parameters.iter().filter(|it| !given.contains(&it.name));
        let added: Vec<ConfiguredParameter> = added.cloned().collect();
        let mut note = format!("{}: deployed with", display_name(template));
        for path in &options.environments {
            note.push_str(&format!(" -e {}", display_name(path)));
        }
        for parameter in &added {
            note.push_str(&format!(" -P {}", parameter.name));
        }
        note.push_str(&format!(" ({})", config.place(deployment.span)));
        let source = deployment.span.source;
        options.configured = (!added.is_empty()).then(|| {
            Arc::new(ConfiguredParameters {
                name: config.sources.name(source).to_owned(),
                text: config.sources.text(source).into(),
                parameters: added,
            })
        });
        let index = config.deployments.iter().position(|it| std::ptr::eq(it, deployment));
        let name = Some(deployment.shown_name());
        ChosenDeployment { options, index, name, note: format!("{}\n", on_one_line(&note)) }
    }

    /// The names of the inputs, without values.
    pub(super) fn input_names(&self) -> anyhow::Result<InputSide> {
        let mut parameters = parameter_names(&self.parameters, true)?;
        let configured = self.configured.iter().flat_map(|it| &it.parameters);
        parameters.extend(configured.map(|it| it.name.clone()));
        parameters.extend(parameter_names(&self.parameter_files, false)?);
        let saved = self.saved.iter().filter_map(|saved| saved.environment.as_ref());
        let environments = saved.chain(&self.environments);
        let environments = environments.map(|path| shown_name(&Disk::default(), path));
        Ok(InputSide { environments: environments.collect(), parameters, ..InputSide::default() })
    }

    /// The locations of the environments.
    pub(super) fn environments(&self, files: &dyn FileSource) -> Vec<Location> {
        let saved = self.saved.iter().filter_map(|saved| saved.environment.as_ref());
        let all = saved.chain(&self.environments);
        all.map(|path| Location::from_argument(path, files)).collect()
    }

    /// Reads everything from a file source, for reports. Unreadable files become findings.
    pub(super) fn open_masked_from(
        &self,
        files: &dyn FileSource,
        template: Location,
        bounds: ReadLimits,
    ) -> anyhow::Result<(ReadDeployment, MaskedSources)> {
        let mut sources = SourceMap::default();
        let environments = self.environments(files);
        let opened = self.open_from(files, Some(template), environments, bounds, &mut sources)?;
        let secrets = opened.secrets();
        Ok((opened, sources.masked(&secrets)))
    }

    /// Reads everything from disk. Unreadable files become findings.
    pub(super) fn open(
        &self,
        template: Option<&Path>,
        bounds: ReadLimits,
    ) -> anyhow::Result<(ReadDeployment, SourceMap)> {
        let files = bounds.files();
        let mut sources = SourceMap::default();
        let side = template.map(|path| SavedStackFiles::of_side(path, &files, &bounds.limits()));
        let (options, template, refusal) = match side.transpose() {
            Ok(side) => match side.flatten() {
                Some(mut side) => {
                    let path = side.template.clone();
                    side.extend(self.saved.as_deref().cloned().unwrap_or_default());
                    (self.with_saved(side, bounds), path, None)
                }
                None => (self.clone(), template.map(Path::to_owned), None),
            },
            Err(finding) => (self.clone(), None, Some(*finding)),
        };
        let files = with_saved_texts(&files, options.saved());
        let template = template.map(|path| Location::from_argument(&path, &files));
        let environments = options.environments(&files);
        let mut deployment =
            options.open_from(&files, template, environments, bounds, &mut sources)?;
        deployment.complete &= refusal.is_none();
        deployment.findings.extend(refusal);
        Ok((deployment, sources))
    }

    /// Reads everything from a file source. Unreadable files become findings.
    pub(super) fn open_from(
        &self,
        files: &dyn FileSource,
        template: Option<Location>,
        environments: Vec<Location>,
        bounds: ReadLimits,
        sources: &mut SourceMap,
    ) -> anyhow::Result<ReadDeployment> {
        let mut access = FileAccess::new(files);
        for (url, path) in &self.files_map {
            access.map(url, path);
        }
        for (url, path) in self.saved.iter().flat_map(|saved| &saved.urls) {
            access.map(url, path);
        }
        for folder in &self.allow_path {
            access.allow(folder);
        }
        let saved = self.saved.iter();
        let mut findings: Vec<Diagnostic> =
            saved.flat_map(|saved| saved.findings.iter().cloned()).collect();
        let (mut unread, mut broken) = (Vec::new(), None);
        let is_wanted = template.is_some();
        let root = template.and_then(|location| {
            let source = sources.next_id();
            match read_template(&location, &access, bounds, sources) {
                Ok(document) => Some((location, document)),
                Err(finding) => {
                    unread = unread_hidden_values(source, sources.text(source));
                    broken = Some((location, source));
                    findings.push(*finding);
                    None
                }
            }
        });
        let request = EnvironmentInputs {
            schema: heat_release(),
            environments,
            parameters: self.parameters.clone(),
            configured: self.configured.clone(),
            parameter_files: self.parameter_files.clone(),
            merge: self.merge_side(),
            broken_template: broken,
        };
        let borrowed =
            root.as_ref().map(|(location, document)| RootTemplate { location, document });
        let environment =
            Environment::load(&request, borrowed, &mut access, &bounds.limits(), sources)
                .context("invalid parameter")?;
        if let Some((_, document)) = &root {
            let secrets = environment.secrets();
            findings.extend(redacted(document.findings(), &secrets));
        }
        let complete = environment.complete && root.is_some() == is_wanted;
        let saved = self.saved.clone();
        Ok(ReadDeployment { root, environment, unread, findings, complete, saved })
    }
}

fn read_template(
    location: &Location,
    access: &FileAccess<'_>,
    bounds: ReadLimits,
    sources: &mut SourceMap,
) -> Result<Document, Box<Diagnostic>> {
    let bytes = access.read_named(location)?;
    if bytes.is_empty() {
        let path = location.path().unwrap_or(Path::new(location.url())).to_owned();
        return Err(Box::new(FileError::Empty { path }.diagnostic()));
    }
    decode_into(sources, location.to_string(), bytes)
        .and_then(|(source, text)| read(source, as_sent(&text).into(), &bounds.limits()))
}

fn mapping(argument: &str) -> Result<(String, PathBuf), String> {
    // A URL may have a query with `=`, a path rarely has one.
    let (url, path) = argument.rsplit_once('=').ok_or("expected URL=PATH")?;
    if url.is_empty() || path.is_empty() {
        return Err("expected URL=PATH".to_owned());
    }
    Ok((url.to_owned(), path.into()))
}
