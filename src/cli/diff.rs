//! `hotplate diff`: what a change does to the running stack.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::deployment::{DeploymentOptions, OldOptions, ValueOptions};
use super::inputs::Bounds;
use super::sides::{self, Compared, Place};
use super::{Console, ExitStatus, Verbosity, help};
use crate::diff::Pair;
use crate::report::{diff as report, json};

/// Tell what a change of a template does to every resource of the running stack
#[derive(Debug, Args)]
#[command(after_help = help::DIFF)]
pub(super) struct Diff {
    /// The template as it is deployed, and as it is to be; `-` for standard input
    #[arg(value_name = "OLD NEW", num_args = 2, required_unless_present = "schema")]
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
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: ReportFormat,
    /// Print a line per resource that differs, and the total
    #[arg(long, conflicts_with_all = ["format", "name_only"])]
    stat: bool,
    /// Print the names of the resources that differ
    #[arg(long, conflicts_with = "format")]
    name_only: bool,
    /// Lines around a change of a long text
    #[arg(long, value_name = "N", default_value = "3")]
    context: usize,
    /// Tell why items of lists, and things with another name, are taken for the same
    #[arg(long)]
    explain_match: bool,
    /// A name in the first line of a Markdown report, by which a bot finds its comment
    #[arg(long, value_name = "NAME")]
    marker: Option<String>,
    /// Print the JSON Schema of the report instead
    #[arg(long, conflicts_with = "templates")]
    schema: bool,
    #[command(flatten)]
    bounds: Bounds,
}

/// The format of the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ReportFormat {
    /// For a reviewer
    Text,
    /// For programs
    Json,
    /// For a comment of a pull request
    Markdown,
    /// A page that needs nothing else
    Html,
    /// Annotations of GitHub
    Github,
    /// The code quality report of GitLab
    Gitlab,
    /// For code scanning
    Sarif,
    /// For what reads the results of tests
    Junit,
}

impl Diff {
    pub(super) fn run(self, console: &mut Console) -> anyhow::Result<ExitStatus> {
        if self.schema {
            console.print(&json::to_text(&report::schema())?)?;
            return Ok(ExitStatus::Done);
        }
        let files = self.bounds.files();
        let [old, new] = self.templates.as_slice() else {
            anyhow::bail!("name the old template and the new one");
        };
        let place = |path: &Path| Place { files: &files, template: Some(path.to_owned()) };
        let compared = self.compare(&place(old), &place(new))?;
        let options = report::Options {
            verbose: console.verbosity() == Verbosity::Verbose,
            context: self.context,
            explain_match: self.explain_match,
            show_secrets: self.show_secrets,
            color: console.look().color,
            marker: self.marker.clone(),
            ..report::Options::default()
        };
        console.diagnostics(&compared.findings, &compared.sources);
        let report = report::Report::pair(&compared.shown(), &options);
        console.print(&report::render(&report, self.format(), &options)?)?;
        Ok(match &compared.comparison {
            None => ExitStatus::Failed,
            Some(comparison) if comparison.differs() => ExitStatus::Attention,
            Some(_) => ExitStatus::Done,
        })
    }

    fn format(&self) -> report::Format {
        match self.format {
            _ if self.stat => report::Format::Stat,
            _ if self.name_only => report::Format::Names,
            ReportFormat::Text => report::Format::Text,
            ReportFormat::Json => report::Format::Json,
            ReportFormat::Markdown => report::Format::Markdown,
            ReportFormat::Html => report::Format::Html,
            ReportFormat::Github => report::Format::Github,
            ReportFormat::Gitlab => report::Format::Gitlab,
            ReportFormat::Sarif => report::Format::Sarif,
            ReportFormat::Junit => report::Format::Junit,
        }
    }

    fn compare(&self, old: &Place<'_>, new: &Place<'_>) -> anyhow::Result<Compared> {
        let options = Pair { old: self.old.of(&self.deployment), new: self.deployment.clone() };
        let show = self.show_secrets;
        sides::compare(Pair { old, new }, &options, &self.values, show, self.bounds)
    }
}
