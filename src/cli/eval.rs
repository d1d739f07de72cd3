//! `hotplate eval`: the values that Heat would compute.

use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, ValueEnum};

use super::configuration::Configuration;
use super::deployment::{DeploymentOptions, ReadDeployment, ValueOptions};
use super::inputs::ReadLimits;
use super::{Console, ExitStatus, heat_release, help};
use crate::report::eval::{EvalReportOptions, template_error_json, to_json, to_text, to_yaml};
use heat_engine::eval::deployment::{DeploymentRequest, deploy};
use heat_engine::eval::template_graph::{Template, TemplateGraph};
use hotplate_check::errors_of_resources;
use saved_stack::{NotRunning, differences};
use source_diagnostics::{Diagnostic, ShowSecrets};

/// Print the values that Heat would compute for a template
#[derive(Debug, Args)]
#[command(after_help = help::EVAL)]
pub(super) struct Eval {
    /// The template, or `-` for standard input
    #[arg(value_name = "TEMPLATE")]
    template: PathBuf,
    #[command(flatten)]
    deployment: DeploymentOptions,
    #[command(flatten)]
    values: ValueOptions,
    /// Also print the nested stacks that resources represent
    #[arg(long)]
    nested: bool,
    /// The format of the report
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: EvalFormat,
    /// Show the values of hidden parameters, and values computed from them
    #[arg(long)]
    show_secrets: bool,
    #[command(flatten)]
    bounds: ReadLimits,
}

/// The format of the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum EvalFormat {
    /// For people.
    Text,
    /// For programs.
    Json,
    /// For programs that read YAML.
    Yaml,
}

impl Eval {
    pub(super) fn run(
        self,
        configuration: &Configuration,
        console: &mut Console,
    ) -> anyhow::Result<ExitStatus> {
        let template = Some(self.template.as_path());
        let (opened, sources) = self.deployment.open_configured(
            template,
            configuration,
            self.bounds,
            console,
            ShowSecrets::if_requested(self.show_secrets),
        )?;
        let ReadDeployment { root, environment, mut findings, complete, saved, .. } = opened;
        let lowered =
            root.as_ref().map(|(location, document)| (location, environment.lower(document)));
        let Some((location, Ok(lowered))) = lowered else {
            findings.extend(lowered.and_then(|(_, it)| it.err()).map(|finding| *finding));
            console.diagnostics(&findings, &sources);
            match self.format {
                EvalFormat::Text => {}
                EvalFormat::Json | EvalFormat::Yaml => {
                    console.document(template_error_json(&findings, &sources)?.as_bytes())?;
                }
            }
            return Ok(ExitStatus::Failed);
        };
        let version = lowered.declaration();
        let stack = Arc::new(lowered.stack);
        let running = saved.as_ref().and_then(|saved| saved.stack.as_ref());
        let mut table = self.values.known_values(&stack, self.bounds)?;
        if let Some(running) = running {
            table.extend(&running.references()).map_err(anyhow::Error::msg)?;
        }
        let root = Template::root(location, stack, version, lowered.findings);
        let deployed = deploy(&DeploymentRequest {
            templates: &TemplateGraph::new(&environment, root),
            table: &table,
            fill: self.values.fill,
            nested: self.nested,
            bound: &heat_engine::eval::BoundParameters::All,
            yaql: &self.values.evaluation.yaql.to_options(),
            max_resources: self.values.evaluation.max_resources,
            max_values: self.values.evaluation.max_values,
            assume_members: false,
            recover: false,
        });
        findings.extend(environment.findings.iter().cloned());
        findings.extend(deployed.findings());
        if let Some(saved) = &saved {
            findings.extend(differences(saved, &deployed, NotRunning::Reported));
        }
        if !self.values.fill {
            // Invented values need not fit.
            findings.extend(errors_of_resources(&deployed, heat_release()));
        }
        console.diagnostics(&findings, &sources);
        let show_secrets = ShowSecrets::if_requested(self.show_secrets);
        let options = EvalReportOptions { show_secrets, nested: self.nested };
        let text = match self.format {
            EvalFormat::Text => to_text(&deployed, options)?,
            EvalFormat::Json => to_json(&deployed, &sources, options)?,
            EvalFormat::Yaml => to_yaml(&deployed, &sources, options)?,
        };
        console.document(text.as_bytes())?;
        // The process ends here; dropping every value of a large deployment would only take time.
        std::mem::forget(deployed);
        Ok(if !complete {
            ExitStatus::Failed
        } else if findings.iter().any(Diagnostic::is_error) {
            ExitStatus::Attention
        } else {
            ExitStatus::Done
        })
    }
}
