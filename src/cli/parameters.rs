//! `hotplate parameters`: what a deployment can be given, and what it needs.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context;
use clap::Args;

use super::configuration::Configuration;
use super::deployment::{DeploymentOptions, EvaluationOptions, ReadDeployment};
use super::inputs::ReadLimits;
use super::{Console, ExitStatus, Format, heat_release, help};
use crate::parameters::DeploymentParameters;
use crate::report::new_environment::new_environment;
use crate::report::{SourceLocator, json, parameters as report};
use heat_engine::eval::deployment::{DeploymentRequest, deploy};
use heat_engine::eval::template_graph::{Template, TemplateGraph};
use heat_engine::eval::{BoundParameters, ResourceStates};
use source_diagnostics::Diagnostic;

/// Print the parameters of a template and of all nested templates
#[derive(Debug, Args)]
#[command(after_help = help::PARAMETERS)]
pub(super) struct Parameters {
    /// The template, or `-` for standard input
    #[arg(value_name = "TEMPLATE")]
    template: PathBuf,
    #[command(flatten)]
    deployment: DeploymentOptions,
    /// Print an environment to fill in: required parameters first, the others as comments
    #[arg(long, conflicts_with = "format")]
    new_environment: bool,
    /// The format of the report
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    #[command(flatten)]
    evaluation: EvaluationOptions,
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
        let (opened, sources) =
            self.deployment.open_configured(template, configuration, self.bounds, console, None)?;
        let ReadDeployment { root, environment, mut findings, complete, .. } = opened;
        findings.extend(environment.findings.iter().cloned());
        let lowered = root.as_ref().and_then(|(location, document)| {
            let lowered = environment.lower(document);
            lowered.map_err(|finding| findings.push(*finding)).ok().map(|it| (location, it))
        });
        let is_template = lowered.is_some();
        let deployed = lowered.map(|(location, lowered)| {
            let version = lowered.declaration();
            let stack = Arc::new(lowered.stack);
            let table = ResourceStates::new(&stack, heat_release(), false);
            let root = Template::root(location, stack, version, lowered.findings);
            let deployed = deploy(&DeploymentRequest {
                templates: &TemplateGraph::new(&environment, root),
                table: &table,
                fill: false,
                nested: true,
                bound: &BoundParameters::All,
                yaql: &self.evaluation.yaql.to_options(),
                max_resources: self.evaluation.max_resources,
                max_values: self.evaluation.max_values,
                assume_members: true,
                recover: true,
            });
            (location, deployed)
        });
        let listed = match &deployed {
            Some((location, deployed)) => {
                DeploymentParameters::new(deployed, location, &environment, &sources)
            }
            None => DeploymentParameters::default(),
        };
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
        Ok(if !complete || !is_template {
            ExitStatus::Failed
        } else if findings.iter().any(Diagnostic::is_error) {
            ExitStatus::Attention
        } else {
            ExitStatus::Done
        })
    }
}
