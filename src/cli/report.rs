//! `hotplate report`: what to do with reports that were written before.

use std::path::PathBuf;

use anyhow::Context;
use clap::{Args, Subcommand, ValueEnum};

use super::inputs::ReadLimits;
use super::{Console, ExitStatus};
use crate::report::diff::{
    DiffReportOptions, MergedReport, merged_html, merged_markdown, merged_text,
};
use crate::report::json;
use source_files::{FileSource, shown_name};

/// Work with the reports of other runs
#[derive(Debug, Args)]
pub(super) struct Report {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Merge(Merge),
}

/// Make one report of many: the answers of `hotplate diff --format json`, the worst first
#[derive(Debug, Args)]
struct Merge {
    /// The reports that `hotplate diff --format json` wrote
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// The format of the report
    #[arg(long, value_enum, default_value_t)]
    format: MergeFormat,
    #[command(flatten)]
    bounds: ReadLimits,
}

/// The format of a merged report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum MergeFormat {
    /// The first line of each report, and its worst resources
    #[default]
    Text,
    /// The answers of all reports, for programs
    Json,
    /// A table with a row for each report
    Markdown,
    /// A page with a row for each report
    Html,
}

impl Report {
    pub(super) fn run(self, console: &mut Console) -> anyhow::Result<ExitStatus> {
        match self.command {
            Command::Merge(merge) => merge.run(console),
        }
    }
}

impl Merge {
    fn run(self, console: &mut Console) -> anyhow::Result<ExitStatus> {
        let files = self.bounds.files();
        let mut merged = MergedReport::default();
        for path in &self.files {
            let name = shown_name(&files, path);
            let bytes =
                files.read(path).map_err(|it| anyhow::anyhow!("{}", it.diagnostic().message))?;
            merged.add(name.clone(), &bytes).with_context(|| {
                format!("`{name}` is no report of `hotplate diff --format json` of this version")
            })?;
        }
        merged.finish();
        let options = DiffReportOptions {
            color: console.stream_style().color,
            width: console.stream_style().width,
            ..DiffReportOptions::default()
        };
        let text = match self.format {
            MergeFormat::Text => merged_text(&merged, &options),
            MergeFormat::Json => json::to_text(&merged).context("JSON cannot be written")?,
            MergeFormat::Markdown => merged_markdown(&merged),
            MergeFormat::Html => merged_html(&merged),
        };
        console.print(&text)?;
        Ok(ExitStatus::Done)
    }
}
