//! `hotplate eval`: the values that Heat would compute.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::deployment::{DeploymentArguments, ValueArguments};
use super::inputs::ReadLimits;
use super::{Console, ExitStatus};
use crate::report::eval::{EvalReportOptions, template_error_json, to_json, to_text, to_yaml};
use heat_engine::eval::deployment::{DeploymentRequest, deploy};
use hotplate_check::findings_of_deployment;
use hotplate_project::{Configuration, EvaluationGoal, request};
use saved_stack::{NotRunning, differences};
use source_diagnostics::ShowSecrets;

/// Print the values that Heat would compute for a template
#[derive(Debug, Args)]
pub(super) struct Eval {
    /// The template, or `-` for standard input
    #[arg(value_name = "TEMPLATE")]
    template: PathBuf,
    #[command(flatten)]
    deployment: DeploymentArguments,
    #[command(flatten)]
    values: ValueArguments,
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
        let show_secrets = ShowSecrets::if_requested(self.show_secrets);
        let template = Some(self.template.as_path());
        let (opened, sources) =
            self.deployment.open(template, configuration, self.bounds, console, show_secrets)?;
        let lowered = opened.lowered();
        let mut findings = opened.findings;
        let Ok(Some(root)) = lowered else {
            findings.extend(lowered.err().map(|finding| *finding));
            console.diagnostics(&findings, &sources);
            match self.format {
                EvalFormat::Text => {}
                EvalFormat::Json | EvalFormat::Yaml => {
                    console.document(template_error_json(&findings, &sources)?.as_bytes())?;
                }
            }
            return Ok(ExitStatus::Failed);
        };
        let (values, environment) = (self.values.options(), &opened.environment);
        let files = self.bounds.files();
        let mut states = values.known_values(&files, &root.stack, self.bounds.options())?;
        let saved = opened.saved;
        if let Some(running) = saved.as_ref().and_then(|saved| saved.stack.as_ref()) {
            states.extend(&running.references()).map_err(anyhow::Error::msg)?;
        }
        let nested = self.nested;
        let goal = EvaluationGoal::Values;
        let deployed = request(environment, root, &states, &values, goal, |it| {
            let request = DeploymentRequest { nested, ..*it };
            let deployed = deploy(&request);
            findings.extend(environment.findings.iter().cloned());
            findings.extend(findings_of_deployment(&request, &deployed));
            deployed
        });
        if let Some(saved) = &saved {
            findings.extend(differences(saved, &deployed, NotRunning::Reported));
        }
        console.diagnostics(&findings, &sources);
        let options = EvalReportOptions { show_secrets, nested: self.nested };
        let text = match self.format {
            EvalFormat::Text => to_text(&deployed, options)?,
            EvalFormat::Json => to_json(&deployed, &sources, options)?,
            EvalFormat::Yaml => to_yaml(&deployed, &sources, options)?,
        };
        console.document(text.as_bytes())?;
        // The process ends here; dropping every value of a large deployment would only take time.
        std::mem::forget(deployed);
        Ok(ExitStatus::of(opened.complete, &findings))
    }
}
