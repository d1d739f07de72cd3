//! `hotplate parameters`: what a deployment can be given, and what it needs.

use std::path::PathBuf;

use anyhow::Context;
use clap::Args;

use super::deployment::{DeploymentArguments, EvaluationArguments};
use super::inputs::ReadLimits;
use super::{Console, ExitStatus, Format};
use crate::parameters::DeploymentParameters;
use crate::report::new_environment::new_environment;
use crate::report::{SourceLocator, json, parameters as report};
use hotplate_project::Configuration;

/// Print the parameters of a template and of all nested templates
#[derive(Debug, Args)]
pub(super) struct Parameters {
    /// The template, or `-` for standard input
    #[arg(value_name = "TEMPLATE")]
    template: PathBuf,
    #[command(flatten)]
    deployment: DeploymentArguments,
    /// Print an environment to fill in: required parameters first, the others as comments
    #[arg(long, conflicts_with = "format")]
    new_environment: bool,
    /// The format of the report
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    #[command(flatten)]
    evaluation: EvaluationArguments,
    #[command(flatten)]
    bounds: ReadLimits,
}

impl Parameters {
    pub(super) fn run(
        self,
        configuration: &Configuration,
        console: &mut Console,
    ) -> anyhow::Result<ExitStatus> {
        let template = Some(self.template.as_path());
        let (mut opened, sources) =
            self.deployment.open(template, configuration, self.bounds, console, None)?;
        let of_environment = opened.environment.findings.clone();
        opened.findings.extend(of_environment);
        let deployed = opened.contents(&self.evaluation.options());
        let is_template = deployed.is_some();
        let listed = match (&deployed, &opened.root) {
            (Some(deployed), Some((location, _))) => {
                DeploymentParameters::new(deployed, location, &opened.environment, &sources)
            }
            _ => DeploymentParameters::default(),
        };
        let mut findings = opened.findings;
        findings.extend(listed.findings.iter().cloned());
        let mut places = SourceLocator::new(&sources);
        match self.format {
            Format::Text => {
                console.diagnostics(&findings, &sources);
                if self.new_environment && is_template {
                    let text = new_environment(&listed, &mut places);
                    let text = text.map_err(|finding| anyhow::anyhow!("{}", finding.message))?;
                    console.document(text.as_bytes())?;
                } else {
                    console.print(&report::text(&listed, &mut places)?)?;
                }
            }
            Format::Json => {
                let report = report::ParametersReport::new(&listed, &findings, &mut places);
                console.print(&json::to_text(&report).context("JSON cannot be written")?)?;
            }
        }
        Ok(ExitStatus::of(opened.complete && is_template, &findings))
    }
}
