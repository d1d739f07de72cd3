//! One side of a comparison: read, evaluated, and as it is compared.

use std::collections::HashSet;
use std::path::Path;

use crate::deployment::{DeploymentOptions, ReadDeployment};
use crate::evaluation::{EvaluationGoal, request};
use crate::options::{ReadOptions, ValueOptions};
use heat_engine::environment::{FileContent, Location};
use heat_engine::eval::deployment::{Deployed, deploy};
use heat_engine::eval::template_graph::Template;
use heat_engine::eval::{RunningMembers, Value};
use hotplate_check::{causes, findings_of_deployment};
use hotplate_diff::{DeploymentSide, RunningResource, RunningStack};
use saved_stack::SavedStack;
use source_diagnostics::{Consequence, Diagnostic, SourceMap, root_causes};
use source_files::{FileSource, MemoryFiles};

const EMPTY_TEMPLATE: &str = "heat_template_version: 2013-05-23\n";

/// The parameters of a template that have no value.
pub(super) fn unknown(deployed: &Deployed) -> impl Iterator<Item = &str> {
    deployed.stack.parameters.keys().map(|name| name.as_str()).filter(|name| {
        let value = deployed.evaluation.parameters.get(*name).and_then(|it| it.as_ref().ok());
        value.is_some_and(|value| matches!(value.unsealed(), Value::Unknown(_)))
    })
}

/// One side, read from files.
pub(super) struct ReadSide {
    /// Whether there is a template.
    pub(super) exists: bool,
    pub(super) deployment: ReadDeployment,
    pub(super) environments: Vec<Location>,
}

pub(super) struct EvaluatedSide {
    pub(super) deployed: Deployed,
    /// Whether Heat reads no resource of the template, so that what fails is unknown.
    pub(super) is_refused: bool,
    /// The findings that are shown besides the reasons of the comparison, and those of reading.
    pub(super) found: Vec<Diagnostic>,
    /// All findings, each mistake once.
    pub(super) judged: Vec<Diagnostic>,
}

impl EvaluatedSide {
    /// Whether there are parts that Heat refuses and nobody reads.
    pub(super) fn is_partly_read(&self) -> bool {
        self.is_refused || self.judged.iter().any(is_about_unread_part)
    }
}

impl ReadSide {
    pub(super) fn new(
        options: &DeploymentOptions,
        files: &dyn FileSource,
        template: Option<Location>,
        environments: Vec<Location>,
        reading: ReadOptions,
        sources: &mut SourceMap,
    ) -> anyhow::Result<Self> {
        let exists = template.is_some();
        let deployment = match template {
            Some(template) => {
                let environments = environments.clone();
                options.open_from(files, Some(template), environments, reading, sources)?
            }
            None => {
                let name = Path::new("nothing");
                let nothing: MemoryFiles = [(name, EMPTY_TEMPLATE)].into_iter().collect();
                let location = Location::from_argument(name, &nothing);
                let options = DeploymentOptions::default();
                options.open_from(&nothing, Some(location), Vec::new(), reading, sources)?
            }
        };
        Ok(ReadSide { exists, deployment, environments })
    }

    pub(super) fn evaluated(
        &self,
        root: Template,
        values: &ValueOptions,
        named_files: &dyn FileSource,
        reading: ReadOptions,
        running: Option<RunningMembers>,
    ) -> anyhow::Result<EvaluatedSide> {
        let deployment = &self.deployment;
        let mut states = values.known_values(named_files, &root.stack, reading)?;
        if let Some(running) = running {
            states = states.updating(running);
        }
        let environment = &deployment.environment;
        let evaluated = |goal| {
            request(environment, root.clone(), &states, values, goal, |request| {
                let mut deployed = deploy(request);
                let found = findings_of_deployment(request, &deployed);
                let of_evaluation = deployed.findings();
                deployed.assume_members(request);
                (deployed, found, of_evaluation)
            })
        };
        let (mut deployed, of_deployment, of_evaluation) = evaluated(EvaluationGoal::Comparison);
        let is_refused = deployed.evaluation.resources.is_none();
        let read = deployment.findings.iter().chain(&environment.findings);
        let judged = root_causes(read.chain(&of_deployment), &[&causes::CAUSES]);
        if is_refused {
            // What is written can be compared all the same.
            deployed = evaluated(EvaluationGoal::RefusedComparison).0;
        }
        // The errors of resources are among the reasons of the comparison.
        let mut found = if is_refused { of_deployment } else { of_evaluation };
        let key = |it: &Diagnostic| (it.code.info().id, it.message.clone(), it.span());
        let of_causes: HashSet<_> = judged.iter().map(key).collect();
        found.retain(|finding| of_causes.contains(&key(finding)));
        Ok(EvaluatedSide { deployed, is_refused, found, judged })
    }

    /// Whether the template and all files are those of another side, to the letter.
    pub(super) fn has_inputs_of(&self, other: &Self) -> bool {
        let text = |side: &Self| side.deployment.root.as_ref().map(|it| it.1.text().to_owned());
        let files = |side: &Self| -> Vec<String> {
            let files = side.deployment.environment.files.iter();
            let text = |content: &FileContent| match content {
                FileContent::Template(document) => document.text().to_owned(),
                FileContent::Text(text) | FileContent::Base64(text) => text.to_string(),
            };
            files.map(|it| text(&it.content)).collect()
        };
        text(self) == text(other) && files(self) == files(other)
    }

    /// The side to compare; `None` if a part of it could not be read.
    pub(super) fn side<'a>(
        &'a self,
        evaluated: &'a EvaluatedSide,
        is_first: bool,
        running: Option<&'a RunningStack>,
    ) -> Option<DeploymentSide<'a>> {
        let (location, document) = self.deployment.root.as_ref()?;
        let deployed = &evaluated.deployed;
        let is_whole = self.deployment.complete && deployed.evaluation.resources.is_some();
        is_whole.then_some(DeploymentSide {
            deployed,
            location,
            document,
            exists: self.exists,
            is_first,
            environment: &self.deployment.environment,
            environments: &self.environments,
            findings: &evaluated.judged,
            running,
        })
    }
}

/// Whether a finding is about a key or a section that nobody reads.
fn is_about_unread_part(finding: &Diagnostic) -> bool {
    finding.is_error() && heat_template::codes::ALL.contains(&finding.code)
}

/// Whether a finding is an error in a stack that Heat accepts.
pub(super) fn is_accepted_error(finding: &Diagnostic) -> bool {
    finding.is_error() && finding.consequence() == Consequence::Accepted
}

/// The states of the resources of a saved stack.
pub(super) fn running(saved: &SavedStack) -> RunningStack {
    let mut running = RunningStack::default();
    saved.each_stack(&mut |path, stack, resources, is_interchangeable| {
        running.stacks.insert(path.to_owned(), stack.status.clone());
        for (name, resource) in resources {
            let name = if path.is_empty() { name.clone() } else { format!("{path}/{name}") };
            let (status, has_id) = (resource.status.clone(), !resource.id.is_empty());
            let resource = RunningResource { status, has_id, is_interchangeable };
            running.resources.insert(name, resource);
        }
    });
    running
}

/// Both sides, evaluated. Groups remember which members they have removed: from the list of what runs, else from the old template.
pub(super) fn evaluated_with_members(
    old: impl Fn(Option<RunningMembers>) -> anyhow::Result<EvaluatedSide> + Sync,
    new: impl Fn(Option<RunningMembers>) -> anyhow::Result<EvaluatedSide> + Sync,
    saved: Option<&SavedStack>,
    in_two_threads: bool,
) -> anyhow::Result<(EvaluatedSide, EvaluatedSide)> {
    let (one, other) = match in_two_threads {
        true => rayon::join(|| old(None), || new(None)),
        false => (old(None), new(None)),
    };
    let (mut one, mut other) = (one?, other?);
    let memory = match saved {
        Some(saved) => {
            let mut memory = saved.members();
            memory.add_listed(&one.deployed);
            if memory.matter_to(&one.deployed) {
                one = old(Some(memory.clone()))?;
            }
            memory
        }
        None => RunningMembers::of(&one.deployed),
    };
    if memory.matter_to(&other.deployed) {
        other = new(Some(memory))?;
    }
    Ok((one, other))
}
