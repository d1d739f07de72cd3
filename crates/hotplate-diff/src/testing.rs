//! Helpers for unit tests: deployments of files in memory.

use std::sync::Arc;

use super::{Comparison, DeploymentSide, SuppressionOptions, compare};
use deployment_testing::{OpenedDeployment, open};
use heat_engine::eval::MAX_VALUES;
use heat_engine::eval::ResourceStates;
use heat_engine::eval::deployment::{Deployed, DeploymentRequest, MAX_RESOURCES, deploy};
use heat_engine::eval::template_graph::{Template, TemplateGraph};
use source_diagnostics::{Diagnostic, SourceMap};

/// A deployment with the files it was created from.
pub(super) struct TestDeployment {
    opened: OpenedDeployment,
    deployed: Deployed,
    findings: Vec<Diagnostic>,
}

impl TestDeployment {
    pub(super) fn side(&self) -> DeploymentSide<'_> {
        DeploymentSide {
            deployed: &self.deployed,
            location: &self.opened.location,
            document: &self.opened.document,
            exists: true,
            is_first: false,
            environment: &self.opened.environment,
            findings: &self.findings,
            environments: &self.opened.environments,
            running: None,
        }
    }
}

/// Deploys `root.yaml` of these files; files whose names start with `env` are environments. The
/// version line is added to all other files.
pub(super) fn deployed(files: &[(&str, &str)], sources: &mut SourceMap) -> TestDeployment {
    deployed_with(files, &[], sources)
}

/// The same with parameter values in the syntax of `-P`.
pub(super) fn deployed_with(
    files: &[(&str, &str)],
    parameters: &[&str],
    sources: &mut SourceMap,
) -> TestDeployment {
    let text = |(name, text): &(&str, &str)| match *name {
        name if name.ends_with(".yaml") && !name.starts_with("env") => {
            format!("heat_template_version: 2021-04-16\n{text}")
        }
        _ => (*text).to_owned(),
    };
    let texts: Vec<String> = files.iter().map(text).collect();
    let files: Vec<(&str, &str)> =
        files.iter().zip(&texts).map(|((name, _), text)| (*name, text.as_str())).collect();
    let opened = open(&files, parameters, sources);
    let errors = opened.environment.findings.iter().filter(|finding| finding.is_error());
    assert_eq!(errors.collect::<Vec<_>>(), Vec::<&_>::new());
    let lowered = opened.environment.lower(&opened.document).expect("a template");
    let stack = Arc::new(lowered.stack);
    let table = ResourceStates::new(&stack, opened.environment.registry.schema(), false);
    let root = Template::root(&opened.location, stack, "2021-04-16", Vec::new());
    let request = DeploymentRequest {
        templates: &TemplateGraph::new(&opened.environment, root),
        table: &table,
        fill: false,
        nested: true,
        bound: &heat_engine::eval::BoundParameters::All,
        yaql: heat_engine::eval::heat_yaql_options(),
        max_resources: MAX_RESOURCES,
        max_values: MAX_VALUES,
        fill_files: false,
        assume_members: false,
        recover: false,
    };
    let mut deployed = deploy(&request);
    let findings = deployed.findings();
    deployed.assume_members(&request);
    TestDeployment { opened, deployed, findings }
}

/// Two deployments of one template each.
pub(super) fn pair(old: &str, new: &str) -> (TestDeployment, TestDeployment) {
    let mut sources = SourceMap::default();
    let mut one = |text| deployed(&[("root.yaml", text)], &mut sources);
    (one(old), one(new))
}

pub(super) fn compared(old: &DeploymentSide<'_>, new: &DeploymentSide<'_>) -> Comparison {
    compare(old, new, &SuppressionOptions::default(), None).comparison
}
