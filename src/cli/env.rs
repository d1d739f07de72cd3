//! `hotplate env`: the environment that a template is deployed with.

use std::path::PathBuf;

use anyhow::Context;
use clap::Args;

use super::deployment::DeploymentArguments;
use super::inputs::ReadLimits;
use super::{Console, ExitStatus, Format};
use crate::report::{SourceLocator, environment as report, json};
use hotplate_project::Configuration;
use source_diagnostics::ShowSecrets;

/// Print the effective environment, and the origin of each value
#[derive(Debug, Args)]
pub(super) struct Env {
    /// The template, or `-` for standard input; without it, the types of parameters are unknown
    #[arg(value_name = "TEMPLATE")]
    template: Option<PathBuf>,
    #[command(flatten)]
    deployment: DeploymentArguments,
    /// Also show the values of hidden, encrypted and undeclared parameters
    #[arg(long)]
    show_secrets: bool,
    /// The format of the report
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    #[command(flatten)]
    bounds: ReadLimits,
}

impl Env {
    pub(super) fn run(
        self,
        configuration: &Configuration,
        console: &mut Console,
    ) -> anyhow::Result<ExitStatus> {
        if self.template.is_none() && self.deployment.options().is_empty() {
            anyhow::bail!("expected a template, an environment (`-e`) or a parameter (`-P`)");
        }
        let show_secrets = ShowSecrets::if_requested(self.show_secrets);
        let template = self.template.as_deref();
        let (opened, sources) =
            self.deployment.open(template, configuration, self.bounds, console, show_secrets)?;
        let environment = &opened.environment;
        let findings =
            [opened.findings.as_slice(), &environment.findings, &environment.unknown_parameters()]
                .concat();
        let mut places = SourceLocator::new(&sources);
        match self.format {
            Format::Text => {
                console.diagnostics(&findings, &sources);
                console.print(&report::text(environment, show_secrets, &mut places))?;
            }
            Format::Json => {
                let report = report::EnvironmentReport::new(
                    environment,
                    &findings,
                    show_secrets,
                    &mut places,
                );
                console.print(&json::to_text(&report).context("JSON cannot be written")?)?;
            }
        }
        Ok(ExitStatus::of(opened.complete, &findings))
    }
}
