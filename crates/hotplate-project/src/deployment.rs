//! The deployment of a template: its environments and parameters, and the files that may be read for them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;

use crate::config::{Config, Deployment, FILE_NAME};
use crate::configuration::Configuration;
use crate::options::ReadOptions;
use crate::reviewed_deployments::deployed_as;
use heat_engine::environment::{
    ConfiguredParameter, ConfiguredParameters, Environment, EnvironmentInputs, FileAccess,
    InputScope, Location, MergeSide, RootTemplate, parameter_names,
};
use heat_template::dialect::unread_hidden_values;
use hotplate_check::DeploymentId;
use hotplate_diff::affected::DeployedAs;
use lossless_yaml::{Document, as_sent, decode_into, read};
use saved_stack::{SavedStackFiles, with_saved_texts};
use source_diagnostics::{
    Diagnostic, MaskedSources, ShowSecrets, SourceMap, Span, did_you_mean, redacted,
};
use source_files::{Disk, FileError, FileSource, display_name, shown_name};

/// The inputs of a deployment.
#[derive(Clone, Debug, Default)]
pub struct DeploymentOptions {
    /// The environments, in the order in which they are merged.
    pub environments: Vec<PathBuf>,
    /// Parameters as `NAME=VALUE`; one text may contain several, separated by `;`.
    pub parameters: Vec<String>,
    /// Parameters as `NAME=FILE`, whose values are the contents of files.
    pub parameter_files: Vec<String>,
    /// The side that merges several environments.
    pub merge: MergeSide,
    /// The files from which the contents of URLs are read; a URL that ends with `/` maps to a folder.
    pub files_map: Vec<(String, PathBuf)>,
    /// Files and folders that may be read in addition.
    pub allow_path: Vec<PathBuf>,
    /// The deployment of the configuration to use, by its name.
    pub deployment: Option<String>,
    /// The parameters of a deployment of the configuration that `parameters` does not set.
    pub configured: Option<Arc<ConfiguredParameters>>,
    /// The names of parameters whose values are in no file.
    pub given: Vec<String>,
    /// Who says that these inputs are all there are.
    pub scope: InputScope,
    /// The saved stack that gives an environment, and the files that it refers to.
    pub saved: Option<Arc<SavedStackFiles>>,
}

/// The deployment of a template.
#[derive(Clone, Debug)]
pub struct ChosenDeployment {
    /// The options of the command line and the configuration together.
    pub options: DeploymentOptions,
    /// The deployment; `None` if only the command line says what the template is deployed with.
    pub id: Option<DeploymentId>,
    /// The name in the configuration, or, without one, the templates.
    pub name: Option<String>,
    /// How to choose it among several.
    pub choice: String,
    /// The environments that the repository implies, each with the reason: `with web.env (named like the template)`.
    pub evidence: Option<String>,
    /// A sentence that says what the configuration adds; empty if it adds nothing. It is not escaped.
    pub note: String,
}

impl ChosenDeployment {
    /// Without what a configuration says.
    pub fn of_command_line(options: &DeploymentOptions) -> Self {
        ChosenDeployment {
            options: options.clone(),
            id: None,
            name: None,
            choice: String::new(),
            evidence: None,
            note: String::new(),
        }
    }
}

/// The names of the inputs of a deployment.
#[derive(Clone, Debug, Default)]
pub struct InputNames {
    /// The environments, as they are shown.
    pub environments: Vec<String>,
    /// The names of the parameters that are given on the command line.
    pub parameters: Vec<String>,
}

/// A template and its environment, read from files.
#[derive(Debug)]
pub struct ReadDeployment {
    /// The template and its location; `None` if there is none, or it cannot be read.
    pub root: Option<(Location, Document)>,
    /// The environments, merged in the order in which they were given.
    pub environment: Environment,
    /// For an unreadable template, the spans that may contain secrets.
    unread: Vec<Span>,
    /// The findings from reading the template.
    pub findings: Vec<Diagnostic>,
    /// Whether everything that the user named could be read.
    pub complete: bool,
    /// The saved stack that gives the template, or whose resources a target adopts.
    pub saved: Option<Arc<SavedStackFiles>>,
}

impl ReadDeployment {
    /// The spans of all values that no report may show.
    pub fn secrets(&self) -> Vec<Span> {
        let mut secrets = self.environment.secrets();
        secrets.extend(&self.unread);
        secrets
    }
}

impl DeploymentOptions {
    /// The inputs of an old side that is a saved stack: its own, and these, which are for the old side only.
    pub fn of_saved(
        &self,
        both: &DeploymentOptions,
        saved: SavedStackFiles,
        reading: ReadOptions,
    ) -> DeploymentOptions {
        let own = DeploymentOptions {
            environments: self.environments.clone(),
            parameters: self.parameters.clone(),
            configured: None,
            parameter_files: self.parameter_files.clone(),
            ..both.clone()
        };
        own.with_saved(saved, reading)
    }

    /// The inputs of the old side: these replace those for both sides.
    pub fn merged_with(&self, both: &DeploymentOptions) -> DeploymentOptions {
        fn or<T: Clone>(own: &[T], both: &[T]) -> Vec<T> {
            if own.is_empty() { both.to_vec() } else { own.to_vec() }
        }
        DeploymentOptions {
            environments: or(&self.environments, &both.environments),
            parameters: or(&self.parameters, &both.parameters),
            configured: both.configured.clone().filter(|_| self.parameters.is_empty()),
            parameter_files: or(&self.parameter_files, &both.parameter_files),
            ..both.clone()
        }
    }

    /// The same with a saved stack, whose environment comes first.
    pub fn with_saved(&self, mut saved: SavedStackFiles, reading: ReadOptions) -> Self {
        saved.replace_parameters(&self.given_names(), &reading.limits);
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

    /// Whether the command line decides which deployments of the configuration are used.
    pub fn is_chosen(&self) -> bool {
        self.deployment.is_some() || !self.environments.is_empty()
    }

    /// Whether no input is given.
    pub fn is_empty(&self) -> bool {
        self.environments.is_empty() && !self.has_parameters()
    }

    /// Whether parameters are given without an environment file.
    pub fn has_parameters(&self) -> bool {
        !self.parameters.is_empty() || !self.parameter_files.is_empty() || self.configured.is_some()
    }

    /// The options with the environments of all deployments of the configuration, unless there are some on the command line: what
    /// templates of a repository may be deployed with.
    pub fn with_every_environment(
        &self,
        configurations: &[&Configuration],
        files: &dyn FileSource,
    ) -> Self {
        let mut all = self.clone();
        let used = configurations.iter().filter(|_| self.environments.is_empty());
        let used: Vec<Arc<Config>> = used.flat_map(|it| it.all(files)).collect();
        let used = used.iter().flat_map(|it| &it.deployments);
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
    pub fn each_of(
        &self,
        template: &Path,
        configuration: &Configuration,
        files: &dyn FileSource,
    ) -> Vec<ChosenDeployment> {
        let found = self.configured_of(template, configuration, files);
        let mut found: Vec<ChosenDeployment> = found.into_iter().map(|(it, _)| it).collect();
        if found.is_empty() {
            found.push(ChosenDeployment::of_command_line(&self.in_scope_of(configuration)));
        }
        found
    }

    /// The same, closed if the user says that there are no other inputs.
    pub fn in_scope_of(&self, configuration: &Configuration) -> Self {
        let scope = if configuration.is_closed { InputScope::Closed } else { self.scope };
        DeploymentOptions { scope, ..self.clone() }
    }

    /// Every deployment that the configuration has for a template, or its repository implies; none with `-e`.
    pub fn configured_of(
        &self,
        template: &Path,
        configuration: &Configuration,
        files: &dyn FileSource,
    ) -> Vec<(ChosenDeployment, DeployedAs)> {
        let config = configuration.deploying(template, files);
        let Some(config) = config.filter(|_| self.environments.is_empty()) else {
            return Vec::new();
        };
        let wanted = |it: &&Deployment| self.deployment.is_none() || it.name == self.deployment;
        let all = config.deployments_of(template, files).into_iter().filter(wanted);
        let options = self.in_scope_of(configuration);
        all.map(|it| (options.with(it, template, &config), deployed_as(it))).collect()
    }

    /// The only deployment of a template.
    /// It fails if there are several.
    pub fn only_of(
        &self,
        template: &Path,
        configuration: &Configuration,
        files: &dyn FileSource,
    ) -> anyhow::Result<ChosenDeployment> {
        let mut all = self.each_of(template, configuration, files);
        if all.len() > 1 {
            let shown = display_name(template);
            let names = |name: &dyn Fn(&ChosenDeployment) -> String| {
                all.iter().map(name).collect::<Vec<_>>().join(", ")
            };
            if all.iter().all(|it| it.options.scope == InputScope::Implied) {
                let names = names(&|it| it.name.clone().unwrap_or_default());
                let note = format!(
                    "{shown}: the repository implies several deployments, of which none is used (`--deployment NAME` does): {names}"
                );
                return Ok(ChosenDeployment { note, ..ChosenDeployment::of_command_line(self) });
            }
            anyhow::bail!(
                "`{shown}` has {} deployments in `{}`; choose one: {}",
                all.len(),
                display_name(configuration.file().map_or(Path::new(FILE_NAME), |it| &it.path)),
                names(&|it| it.choice.clone())
            );
        }
        Ok(all.swap_remove(0))
    }

    /// As [`open`](Self::open), for reports.
    pub fn open_masked(
        &self,
        files: &dyn FileSource,
        template: Option<&Path>,
        reading: ReadOptions,
        show_secrets: Option<ShowSecrets>,
    ) -> anyhow::Result<(ReadDeployment, MaskedSources)> {
        let (opened, sources) = self.open(files, template, reading)?;
        let secrets = opened.secrets();
        Ok((opened, sources.masked_unless(show_secrets, &secrets)))
    }

    /// Refuses a name that no deployment of the configurations has.
    pub fn known_name(
        &self,
        configurations: &[&Configuration],
        files: &dyn FileSource,
    ) -> anyhow::Result<()> {
        let Some(wanted) = &self.deployment else { return Ok(()) };
        let all: Vec<Arc<Config>> = configurations.iter().flat_map(|it| it.all(files)).collect();
        let Some(config) = all.first() else {
            anyhow::bail!("`--deployment` needs a `{FILE_NAME}`, and there is none");
        };
        let names =
            || all.iter().flat_map(|it| &it.deployments).filter_map(|it| it.name.as_deref());
        if names().any(|name| name == wanted) {
            return Ok(());
        }
        let path = display_name(&config.path);
        let hint = match did_you_mean(wanted, names()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "`hotplate deployments` lists them".to_owned(),
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
        let (place, at) = (config.place(deployment.span), config.deployments.iter());
        let at = at.take_while(|it| !std::ptr::eq(*it, deployment)).count();
        if deployment.evidence.is_some() {
            options.scope = InputScope::Implied;
        }
        options.given.clone_from(&deployment.given);
        let evidence = deployment.evidence.as_ref().map(|reasons| {
            let all = options.environments.iter().zip(reasons);
            let each = all.map(|(path, why)| format!("`{}` ({why})", display_name(path)));
            format!("with {}", each.collect::<Vec<_>>().join(", "))
        });
        let id = match &evidence {
            Some(evidence) => {
                note = format!("{}: {evidence}", display_name(template));
                DeploymentId::Implied(at)
            }
            None => {
                note.push_str(&format!(" ({place})"));
                DeploymentId::Declared(at)
            }
        };
        let source = deployment.span.source;
        options.configured = (!added.is_empty()).then(|| {
            Arc::new(ConfiguredParameters {
                name: config.sources.name(source).to_owned(),
                text: config.sources.text(source).into(),
                parameters: added,
            })
        });
        let choice = match &deployment.name {
            Some(name) => format!("`--deployment {name}`"),
            None => format!("the one without a name ({place})"),
        };
        ChosenDeployment {
            options,
            id: Some(id),
            name: Some(deployment.shown_name()),
            choice,
            evidence,
            note,
        }
    }

    /// The names of the inputs, without values.
    /// It fails if a parameter has another form than `NAME=VALUE`.
    pub fn input_names(&self) -> anyhow::Result<InputNames> {
        let mut parameters = parameter_names(&self.parameters, true)?;
        let configured = self.configured.iter().flat_map(|it| &it.parameters);
        parameters.extend(configured.map(|it| it.name.clone()));
        parameters.extend(parameter_names(&self.parameter_files, false)?);
        let saved = self.saved.iter().filter_map(|saved| saved.environment.as_ref());
        let environments = saved.chain(&self.environments);
        let environments = environments.map(|path| shown_name(&Disk::default(), path));
        Ok(InputNames { environments: environments.collect(), parameters })
    }

    /// The locations of the environments.
    pub fn environments(&self, files: &dyn FileSource) -> Vec<Location> {
        let saved = self.saved.iter().filter_map(|saved| saved.environment.as_ref());
        let all = saved.chain(&self.environments);
        all.map(|path| Location::from_argument(path, files)).collect()
    }

    /// Reads everything from a file source, for reports. Unreadable files become findings.
    pub fn open_masked_from(
        &self,
        files: &dyn FileSource,
        template: Location,
        reading: ReadOptions,
    ) -> anyhow::Result<(ReadDeployment, MaskedSources)> {
        let mut sources = SourceMap::default();
        let environments = self.environments(files);
        let opened = self.open_from(files, Some(template), environments, reading, &mut sources)?;
        let secrets = opened.secrets();
        Ok((opened, sources.masked(&secrets)))
    }

    /// Reads a template, which may be a saved stack, with everything that it is deployed with. Unreadable files become findings.
    pub fn open(
        &self,
        files: &dyn FileSource,
        template: Option<&Path>,
        reading: ReadOptions,
    ) -> anyhow::Result<(ReadDeployment, SourceMap)> {
        let mut sources = SourceMap::default();
        let side = template.map(|path| SavedStackFiles::of_side(path, files, &reading.limits));
        let (options, template, refusal) = match side.transpose() {
            Ok(side) => match side.flatten() {
                Some(mut side) => {
                    let path = side.template.clone();
                    side.extend(self.saved.as_deref().cloned().unwrap_or_default());
                    (self.with_saved(side, reading), path, None)
                }
                None => (self.clone(), template.map(Path::to_owned), None),
            },
            Err(finding) => (self.clone(), None, Some(*finding)),
        };
        let files = with_saved_texts(files, options.saved.as_deref());
        let template = template.map(|path| Location::from_argument(&path, &files));
        let environments = options.environments(&files);
        let mut deployment =
            options.open_from(&files, template, environments, reading, &mut sources)?;
        deployment.complete &= refusal.is_none();
        deployment.findings.extend(refusal);
        Ok((deployment, sources))
    }

    /// Reads everything from a file source. Unreadable files become findings.
    pub fn open_from(
        &self,
        files: &dyn FileSource,
        template: Option<Location>,
        environments: Vec<Location>,
        reading: ReadOptions,
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
            match read_template(&location, &access, reading, sources) {
                Ok(document) => Some((location, document)),
                Err(finding) => {
                    unread = unread_hidden_values(source, sources.text(source));
                    broken = Some((location, source));
                    findings.push(*finding);
                    None
                }
            }
        });
        let withheld = self.saved.iter().flat_map(|saved| &saved.withheld);
        let request = EnvironmentInputs {
            schema: reading.schema,
            environments,
            parameters: self.parameters.clone(),
            configured: self.configured.clone(),
            parameter_files: self.parameter_files.clone(),
            merge: self.merge,
            given: withheld.chain(&self.given).cloned().collect(),
            scope: self.scope,
            broken_template: broken,
        };
        let borrowed =
            root.as_ref().map(|(location, document)| RootTemplate { location, document });
        let environment =
            Environment::load(&request, borrowed, &mut access, &reading.limits, sources)
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
    reading: ReadOptions,
    sources: &mut SourceMap,
) -> Result<Document, Box<Diagnostic>> {
    let bytes = access.read_named(location)?;
    if bytes.is_empty() {
        let path = location.path().unwrap_or(Path::new(location.url())).to_owned();
        return Err(Box::new(FileError::Empty { path }.diagnostic()));
    }
    decode_into(sources, location.to_string(), bytes)
        .and_then(|(source, text)| read(source, as_sent(&text).into(), &reading.limits))
}
