//! What a comparison found, in every format.
//!
//! [`Report`] is the one model: it is the JSON, and every other format is made from it, so that none
//! knows more than the JSON does.

mod build;
mod github;
mod gitlab;
mod group_folding;
mod html;
mod hunk;
mod inputs_summary;
mod json;
mod junit;
mod labels;
mod level;
mod markdown;
mod messages;
mod model;
mod path;
#[cfg(test)]
mod sample;
mod sarif;
mod short_values;
mod stat;
mod text;
mod values;

pub use github::to_github;
pub use gitlab::to_gitlab;
pub use html::to_html;
pub use json::to_json;
pub use junit::to_junit;
pub use markdown::{marker, to_markdown};
pub use model::*;
pub use sarif::to_sarif;
pub use stat::{to_names, to_stat};
pub use text::{to_findings, to_text};

use crate::diff::{Comparison, FailOn, Pair, SidedFinding};
use source_diagnostics::SourceMap;

/// One old and one new template, compared.
#[derive(Clone, Copy, Debug)]
pub struct TemplateComparison<'a> {
    /// The name of the old template; `None` where there was none.
    pub old: Option<&'a str>,
    /// The name of the new template; `None` where there is none any more.
    pub new: Option<&'a str>,
    /// The versions that the templates declare; `None` where there is no template or it cannot be read.
    pub versions: Pair<Option<&'a str>>,
    /// The parameters of the templates that have no value.
    pub unknown_parameters: &'a [String],
    /// What was found; `None` where a side cannot be read.
    pub comparison: Option<&'a Comparison>,
    /// What was found on both sides, each finding once.
    pub findings: &'a [SidedFinding],
    /// The files of both sides; what is secret in them is masked already.
    pub sources: &'a SourceMap,
}

/// The form of a report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DiffFormat {
    /// For a reviewer at a terminal.
    #[default]
    Text,
    /// A line per resource.
    Stat,
    /// The names of the resources that differ.
    Names,
    /// For programs.
    Json,
    /// For a comment of a pull request.
    Markdown,
    /// A page that needs nothing else.
    Html,
    /// Annotations of GitHub.
    Github,
    /// The code quality report of GitLab.
    Gitlab,
    /// For code scanning.
    Sarif,
    /// For what reads the results of tests.
    Junit,
}

impl DiffFormat {
    /// Whether it is read on a terminal, where the reason of a failure stands already.
    pub fn is_for_people(self) -> bool {
        match self {
            DiffFormat::Text | DiffFormat::Stat | DiffFormat::Names => true,
            DiffFormat::Json
            | DiffFormat::Markdown
            | DiffFormat::Html
            | DiffFormat::Github
            | DiffFormat::Gitlab
            | DiffFormat::Sarif
            | DiffFormat::Junit => false,
        }
    }
}

/// A report in a format, with a line end.
pub fn render(
    report: &Report,
    format: DiffFormat,
    options: &DiffReportOptions,
) -> serde_json::Result<String> {
    Ok(match format {
        DiffFormat::Text => to_text(report, options),
        DiffFormat::Stat => to_stat(report, options),
        DiffFormat::Names => to_names(report, options),
        DiffFormat::Json => to_json(report)?,
        DiffFormat::Markdown => to_markdown(report, options),
        DiffFormat::Html => to_html(report, options),
        DiffFormat::Github => to_github(report),
        DiffFormat::Gitlab => to_gitlab(report)?,
        DiffFormat::Sarif => to_sarif(report)?,
        DiffFormat::Junit => to_junit(report, &options.fail_on),
    })
}

/// What reports show and how.
#[derive(Clone, Debug)]
pub struct DiffReportOptions {
    /// Resources whose spelling alone differs, too.
    pub verbose: bool,
    /// Lines around a change of a long text, and around places in files.
    pub context: usize,
    /// Why items of lists and names are taken for the same.
    pub explain_match: bool,
    /// Secrets as they are.
    pub show_secrets: bool,
    /// With ANSI styles, where the format has some.
    pub color: bool,
    /// A name in the marker of a Markdown report, so that a bot can tell several of its comments.
    pub marker: Option<String>,
    /// What makes the command fail, and with it a test case.
    pub fail_on: FailOn,
}

impl Default for DiffReportOptions {
    fn default() -> Self {
        DiffReportOptions {
            verbose: false,
            context: 3,
            explain_match: false,
            show_secrets: false,
            color: false,
            marker: None,
            fail_on: FailOn::default(),
        }
    }
}
