//! `hotplate diff`: what a change does to the running stack.

use std::path::{Path, PathBuf};

use clap::Args;

use super::deployment::{DeploymentOptions, OldOptions, ValueOptions};
use super::inputs::Bounds;
use super::sides::{self, Compared, Place};
use super::{Console, ExitStatus, help};
use crate::diff::Pair;

/// Tell what a change of a template does to every resource of the running stack
#[derive(Debug, Args)]
#[command(after_help = help::DIFF)]
pub(super) struct Diff {
    /// The template as it is deployed, and as it is to be; `-` for standard input
    #[arg(value_name = "OLD NEW", num_args = 2, required = true)]
    templates: Vec<PathBuf>,
    #[command(flatten)]
    deployment: DeploymentOptions,
    #[command(flatten)]
    old: OldOptions,
    #[command(flatten)]
    values: ValueOptions,
    /// Show the values of hidden parameters, and what is computed from them
    #[arg(long)]
    show_secrets: bool,
    #[command(flatten)]
    bounds: Bounds,
}

impl Diff {
    pub(super) fn run(self, console: &mut Console) -> anyhow::Result<ExitStatus> {
        let files = self.bounds.files();
        let [old, new] = self.templates.as_slice() else {
            anyhow::bail!("name the old template and the new one");
        };
        let place = |path: &Path| Place { files: &files, template: Some(path.to_owned()) };
        let compared = self.compare(&place(old), &place(new))?;
        console.diagnostics(&compared.findings, &compared.sources);
        let Some(comparison) = &compared.comparison else { return Ok(ExitStatus::Failed) };
        console.print(&format!("{comparison:#?}\n"))?;
        Ok(ExitStatus::Done)
    }

    fn compare(&self, old: &Place<'_>, new: &Place<'_>) -> anyhow::Result<Compared> {
        let options = Pair { old: self.old.of(&self.deployment), new: self.deployment.clone() };
        let show = self.show_secrets;
        sides::compare(Pair { old, new }, &options, &self.values, show, self.bounds)
    }
}
