//! `hotplate diff`: what a change does to the running stack.

use std::path::{Path, PathBuf};

use clap::Args;

use super::deployment::{DeploymentOptions, OldOptions, ValueOptions};
use super::inputs::Bounds;
use super::sides::{self, Compared, Place};
use super::{Console, ExitStatus, Format, help};
use crate::diff::{Impact, Pair, ResourceChange};
use crate::report::diff::{Options, Report, to_json};

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
    /// The format of the report
    #[arg(long, value_enum, default_value_t)]
    format: Format,
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
        let _ = self.format;
        let options = Options { show_secrets: self.show_secrets, ..Options::default() };
        let report = Report::pair(&compared.shown(), &options);
        console.print(&to_json(&report)?)?;
        Ok(match &compared.comparison {
            None => ExitStatus::Failed,
            Some(comparison) => {
                let differs = |it: &ResourceChange| it.effective_impact < Impact::NoopUpdate;
                match comparison.resources.iter().any(differs) {
                    true => ExitStatus::Attention,
                    false => ExitStatus::Done,
                }
            }
        })
    }

    fn compare(&self, old: &Place<'_>, new: &Place<'_>) -> anyhow::Result<Compared> {
        let options = Pair { old: self.old.of(&self.deployment), new: self.deployment.clone() };
        let show = self.show_secrets;
        sides::compare(Pair { old, new }, &options, &self.values, show, self.bounds)
    }
}
