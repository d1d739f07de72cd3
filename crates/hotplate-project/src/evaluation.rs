//! The way from a template that was read to its values: every command and every request of an editor takes it.

use std::sync::Arc;

use crate::deployment::ReadDeployment;
use crate::options::ValueOptions;
use heat_engine::environment::Environment;
use heat_engine::eval::deployment::{Deployed, DeploymentRequest, deploy};
use heat_engine::eval::template_graph::{Template, TemplateGraph};
use heat_engine::eval::{BoundParameters, ResourceStates};
use source_diagnostics::Diagnostic;

/// How far an evaluation goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EvaluationGoal {
    /// Heat's computation: it ends where Heat fails.
    Values,
    /// As [`Values`](Self::Values), to be compared with another one: what depends on a file that could not be read is unknown.
    Comparison,
    /// As [`Comparison`](Self::Comparison), of a template that Heat refuses as a whole: what fails is unknown to the rest.
    RefusedComparison,
    /// Every failure: what fails is unknown to the rest.
    Failures,
    /// All that templates contain: as [`Failures`](Self::Failures), and groups of an unknown size have one member.
    Contents,
}

/// Creates the request to evaluate a template with its environment, and passes it on: nothing else says how a template is evaluated.
pub fn request<T>(
    environment: &Environment,
    root: Template,
    states: &ResourceStates,
    values: &ValueOptions,
    goal: EvaluationGoal,
    evaluate: impl FnOnce(&DeploymentRequest<'_>) -> T,
) -> T {
    let is_compared =
        matches!(goal, EvaluationGoal::Comparison | EvaluationGoal::RefusedComparison);
    evaluate(&DeploymentRequest {
        templates: &TemplateGraph::new(environment, root),
        table: states,
        fill: values.fill,
        fill_files: values.fill && !is_compared,
        nested: true,
        bound: &BoundParameters::All,
        yaql: &values.yaql,
        max_resources: values.max_resources,
        max_values: values.max_values,
        assume_members: goal == EvaluationGoal::Contents,
        recover: !matches!(goal, EvaluationGoal::Values | EvaluationGoal::Comparison),
    })
}

impl ReadDeployment {
    /// The lowered template; `None` if it could not be read, which is a finding already.
    ///
    /// # Errors
    ///
    /// The finding that says why the document is not a template.
    pub fn lowered(&self) -> Result<Option<Template>, Box<Diagnostic>> {
        let Some((location, document)) = &self.root else { return Ok(None) };
        let lowered = self.environment.lower(document)?;
        let version = lowered.declaration();
        Ok(Some(Template::root(location, Arc::new(lowered.stack), version, lowered.findings)))
    }

    /// All that the template and those that it nests contain; `None` if it could not be read or is not a template, which is in the
    /// findings then.
    pub fn contents(&mut self, values: &ValueOptions) -> Option<Deployed> {
        let root = self.lowered();
        let root = root.map_err(|finding| self.findings.push(*finding)).ok().flatten()?;
        let schema = self.environment.registry.schema();
        let states = ResourceStates::new(&root.stack, schema, false);
        Some(request(&self.environment, root, &states, values, EvaluationGoal::Contents, deploy))
    }
}
