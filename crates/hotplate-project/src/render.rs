//! `hotplate render` of a deployment: the model that targets write.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::bail;

use crate::deployment::{DeploymentOptions, ReadDeployment};
use crate::evaluation::{EvaluationGoal, request};
use crate::options::{ReadOptions, ValueOptions};
use heat_engine::eval::BoundParameters;
use heat_engine::eval::deployment::{DeploymentRequest, deploy, is_exhausted};
use heat_engine::eval::template_graph::Template;
use heat_template::ir::Stack;
use hotplate_check::findings_of_deployment;
use hotplate_emit::coverage::Coverage;
use hotplate_emit::render_model::{RenderModelInput, blocks_rendering};
use hotplate_emit::{
    AssumedIdentifier, DeploymentRendering, EmitOptions, EmitOutput, Emitter, IdentifierOptions,
    RenderedDeployment,
};
use saved_stack::{SavedStackFiles, TakeOver};
use source_diagnostics::{Diagnostic, MaskedSources, ShowSecrets, did_you_mean};
use source_files::FileSource;

/// The options of rendering a deployment. In a list of parameters, the empty name stands for all.
#[derive(Clone, Debug)]
pub struct RenderOptions {
    /// The inputs of the deployment.
    pub deployment: DeploymentOptions,
    /// The values that are known or invented.
    pub values: ValueOptions,
    /// The parameters whose values are written into the result.
    pub bake: Vec<String>,
    /// The parameters that hold names.
    pub names: Vec<String>,
    /// The parameters that hold IDs.
    pub ids: Vec<String>,
    /// The running stack as OpenStack's client prints it.
    pub adopt: Vec<PathBuf>,
    /// The permission to write the values of hidden parameters.
    pub show_secrets: Option<ShowSecrets>,
    /// How files are read.
    pub reading: ReadOptions,
}

/// What a rendering wrote, with the findings of the deployment and how much of it was expressed.
#[derive(Debug, Default)]
pub struct Rendered {
    /// The target's result; `None` if something prevented that, which is in the findings.
    pub answer: Option<Result<EmitOutput, Box<Diagnostic>>>,
    /// How much of the deployment is in the result.
    pub coverage: Option<Coverage>,
    /// The findings of reading, evaluating and rendering.
    pub findings: Vec<Diagnostic>,
    /// Whether everything could be read.
    pub is_complete: bool,
}

impl RenderOptions {
    /// Renders a deployment for a target, without writing anything.
    /// It fails if an option names what the template does not have.
    pub fn render(
        &self,
        files: &dyn FileSource,
        template: &Path,
        emitter: &dyn Emitter,
        options: &EmitOptions,
    ) -> anyhow::Result<(Rendered, MaskedSources)> {
        let unread = |findings| Rendered { findings, ..Rendered::default() };
        let deployment = match self.adopted(files) {
            Ok(None) => self.deployment.clone(),
            Ok(Some(saved)) => self.deployment.with_saved(saved, self.reading),
            Err(finding) => return Ok((unread(vec![*finding]), MaskedSources::default())),
        };
        let (opened, sources) =
            deployment.open_masked(files, Some(template), self.reading, None)?;
        let ReadDeployment { root, environment, mut findings, complete, saved, .. } = opened;
        let options = &EmitOptions {
            adopted_stack: saved.clone().filter(|_| emitter.take_over() == TakeOver::Imports),
            ..options.clone()
        };
        let Some((location, document)) = root else {
            return Ok((unread(findings), sources));
        };
        let document = Arc::new(document);
        let lowered = match environment.lower(&document) {
            Ok(lowered) => lowered,
            Err(finding) => {
                findings.push(*finding);
                return Ok((unread(findings), sources));
            }
        };
        let version = lowered.declaration();
        // Formats for people do not contain defaults of hidden parameters.
        if emitter.view().is_none() {
            findings.extend(lowered.hidden_defaults());
        }
        // Evaluation decides what Heat does about an error.
        findings.extend(lowered.findings.iter().filter(|it| !it.is_error()).cloned());
        let stack = Arc::new(lowered.stack);
        let (values, schema) = (&self.values, self.reading.schema);
        let states = values.known_values(files, &stack, self.reading)?;
        let hidden: BTreeSet<String> = self.hidden_parameters(&stack, environment.hidden_names());
        let bound = self.bound_parameters(&stack, &hidden)?;
        let identifiers = self.identifier_options(&stack)?;
        let root = Template::root(&location, stack, version, lowered.findings);
        let goal = EvaluationGoal::Values;
        let rendered = request(&environment, root, &states, values, goal, |request| {
            let intended = deploy(request);
            findings.extend(environment.findings.iter().cloned());
            if let Some(saved) = &saved {
                let (target, take_over) = (emitter.name(), emitter.take_over());
                let lacking = saved.not_rendered(template, &intended, target, take_over, schema);
                findings.extend(lacking);
            }
            let model = RenderModelInput {
                location: &location,
                document,
                templates: request.templates,
                bound_parameters: &bound,
                partial_deployment: &intended,
                full_deployment: &intended,
                yaql: request.yaql,
                shows_secrets: self.show_secrets,
                identifiers,
            };
            let deploy_bound =
                |bound: &BoundParameters| deploy(&DeploymentRequest { bound, ..*request });
            let is_refused =
                !complete || findings.iter().chain(&intended.findings()).any(blocks_rendering);
            let rendering =
                DeploymentRendering { model, options, hidden: &hidden, deploy: &deploy_bound };
            // What is beyond a limit once is not evaluated for each set of known parameters.
            let rendered = match is_exhausted(&intended.findings()) {
                true => RenderedDeployment::default(),
                false => rendering.render(emitter, is_refused),
            };
            findings.extend(rendered.findings);
            findings.extend(findings_of_deployment(request, &intended));
            let (answer, coverage) = (rendered.answer, rendered.coverage);
            Rendered { answer, coverage, findings, is_complete: complete }
        });
        Ok((rendered, sources))
    }

    /// The value of `--adopt`.
    fn adopted(&self, files: &dyn FileSource) -> Result<Option<SavedStackFiles>, Box<Diagnostic>> {
        if self.adopt.is_empty() {
            return Ok(None);
        }
        SavedStackFiles::of_paths(&self.adopt, files, &self.reading.limits).map(Some)
    }

    /// The parameters whose values are not written.
    fn hidden_parameters<'n>(
        &self,
        stack: &Stack,
        secrets: impl Iterator<Item = &'n str>,
    ) -> BTreeSet<String> {
        let hidden = stack.parameters.iter().filter(|(_, parameter)| parameter.is_hidden());
        let hidden = hidden.map(|(name, _)| name.clone()).chain(secrets.map(str::to_owned));
        match self.show_secrets.is_some() {
            true => BTreeSet::new(),
            false => hidden.collect(),
        }
    }

    /// The parameters whose values are written; one that the template does not declare is a usage error.
    fn bound_parameters(
        &self,
        stack: &Stack,
        hidden: &BTreeSet<String>,
    ) -> anyhow::Result<BoundParameters> {
        if self.bake.iter().any(String::is_empty) {
            return Ok(if hidden.is_empty() {
                BoundParameters::All
            } else {
                BoundParameters::AllBut(hidden.clone())
            });
        }
        if let Some(name) = self.bake.iter().find(|name| hidden.contains(*name)) {
            bail!(
                "the parameter `{name}` is hidden; `--show-secrets` writes its value into the result"
            );
        }
        require_declared(stack, &self.bake, "to bake")?;
        Ok(BoundParameters::Only(self.bake.iter().cloned().collect()))
    }

    /// Which parameters hold names, and which IDs; one that the template does not declare is a usage error, and so
    /// is one that would hold both.
    fn identifier_options(&self, stack: &Stack) -> anyhow::Result<IdentifierOptions> {
        let selection = |listed: &[String], option: &str| -> anyhow::Result<_> {
            let (all, listed): (Vec<String>, Vec<String>) =
                listed.iter().cloned().partition(String::is_empty);
            require_declared(stack, &listed, &format!("for `{option}`"))?;
            Ok((!all.is_empty(), BTreeSet::from_iter(listed)))
        };
        let (names, named) = selection(&self.names, "--names")?;
        let (ids, identified) = selection(&self.ids, "--ids")?;
        if names && ids {
            bail!("`--names` and `--ids` cannot both be for all parameters");
        }
        if let Some(name) = named.intersection(&identified).next() {
            bail!("the parameter `{name}` is both in `--names` and in `--ids`");
        }
        let undecided = match (names, ids) {
            (true, _) => Some(AssumedIdentifier::Name),
            (_, true) => Some(AssumedIdentifier::Id),
            (false, false) => None,
        };
        Ok(IdentifierOptions { names: named, ids: identified, undecided })
    }
}

/// A usage error for the first of these parameters that the template does not declare.
fn require_declared(stack: &Stack, names: &[String], purpose: &str) -> anyhow::Result<()> {
    let Some(name) = names.iter().find(|name| !stack.parameters.contains_key(*name)) else {
        return Ok(());
    };
    let near = did_you_mean(name, stack.parameters.keys().map(String::as_str));
    let near = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
    bail!("the template has no parameter `{name}` {purpose}{near}");
}
