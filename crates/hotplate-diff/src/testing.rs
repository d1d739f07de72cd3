//! Helpers for unit tests: deployments of files in memory.

use super::{Comparison, DeploymentSide, SuppressionOptions, compare};
use deployment_testing::{OpenedDeployment, open_valid};
use heat_engine::eval::BoundParameters;
use heat_engine::eval::deployment::{Deployed, deploy};
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
    let opened = open_valid(files, parameters, sources);
    let (deployed, findings) = opened.request(&BoundParameters::All, false, |request| {
        let mut deployed = deploy(request);
        let findings = deployed.findings();
        deployed.assume_members(request);
        (deployed, findings)
    });
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
