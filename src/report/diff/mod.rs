//! Renders the result of a comparison in every format.
//!
//! [`Report`] is the single model: it is the JSON, and every other format is rendered from it, so that no format
//! contains more than the JSON does.

mod build;
mod cause_folding;
mod causes;
mod editor;
mod formats;
mod group_folding;
mod hidden;
mod history;
mod html;
mod hunk;
mod inputs_summary;
mod json;
mod labels;
mod level;
mod markdown;
mod merge;
mod messages;
mod model;
mod notes;
mod path;
#[cfg(test)]
mod sample;
mod short_values;
mod shown_resources;
mod stat;
mod steps;
mod template_folding;
mod text;
mod values;
mod verdict;

pub use editor::{EditorNote, editor_notes};
pub use formats::{to_github, to_gitlab, to_junit, to_sarif, to_zuul};
pub use history::*;
pub use html::{InvalidLinkBase, LinkBase, history_html, merged_html, to_html};
pub use json::to_json;
pub use markdown::{marker, to_markdown};
pub use merge::{MergedEntry, MergedReport, merged_markdown, merged_text};
pub use model::*;
pub use stat::{to_names, to_stat};
pub use steps::steps_text;
pub use text::{to_findings, to_text};

pub(super) use labels::impact_phrase;
pub(crate) use labels::{first_names, name_list};

use crate::report::text::TerminalStyle;
use hotplate_diff::{Comparison, FailOn, HiddenProperty, Pair, SidedFinding};
use hotplate_project::ComparedTemplate;
use source_diagnostics::{MaskedSources, ShowSecrets};

/// The comparison of an old and a new template.
#[derive(Clone, Copy, Debug)]
pub struct TemplateComparison<'a> {
    /// The name of the old template; `None` if there is none.
    pub old: Option<&'a str>,
    /// The name of the new template; `None` if there is none.
    pub new: Option<&'a str>,
    /// The versions that the templates declare; `None` if there is no readable template.
    pub versions: Pair<Option<&'a str>>,
    /// The deployment of the configuration that gives the inputs, by its name or its templates.
    pub deployment: Option<&'a str>,
    /// The environments of a deployment that a repository implies, each with the reason.
    pub evidence: Option<&'a str>,
    /// Whether the base of a review has the deployment.
    pub deployment_status: DeploymentStatus,
    /// The parameters of the templates that have no value.
    pub unknown_parameters: &'a [String],
    /// The differences; `None` if a side cannot be read.
    pub comparison: Option<&'a Comparison>,
    /// The findings of both sides, without duplicates.
    pub findings: &'a [SidedFinding],
    /// Whether the texts of the templates differ.
    pub is_rewritten: bool,
    /// Both texts of a Jinja2 template, which cannot be compared.
    pub texts: Option<&'a Pair<String>>,
    /// The sources of both sides, with secrets already masked.
    pub sources: &'a MaskedSources,
}

impl<'a> From<&'a ComparedTemplate> for TemplateComparison<'a> {
    fn from(compared: &'a ComparedTemplate) -> Self {
        TemplateComparison {
            old: compared.names.old.as_deref(),
            new: compared.names.new.as_deref(),
            versions: compared.versions,
            deployment: compared.deployment.as_deref(),
            evidence: compared.evidence.as_deref(),
            deployment_status: compared.deployment_status,
            unknown_parameters: &compared.unknown_parameters,
            comparison: compared.comparison.as_ref(),
            findings: &compared.findings,
            is_rewritten: compared.is_rewritten,
            texts: compared.texts.as_ref(),
            sources: &compared.sources,
        }
    }
}

/// The format of a report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DiffFormat {
    /// Text for a reviewer at a terminal.
    #[default]
    Text,
    /// One line per resource.
    Stat,
    /// The names of the resources that differ.
    Names,
    /// For programs.
    Json,
    /// Markdown for a pull request comment.
    Markdown,
    /// A self-contained HTML page.
    Html,
    /// GitHub workflow annotations.
    Github,
    /// GitLab's code quality report.
    Gitlab,
    /// Comments at lines for Zuul.
    Zuul,
    /// SARIF for code scanning.
    Sarif,
    /// JUnit XML for test reports.
    Junit,
}

impl DiffFormat {
    /// Whether it is read on a terminal, where the reason of a failure is already shown.
    pub fn is_for_people(self) -> bool {
        match self {
            DiffFormat::Text | DiffFormat::Stat | DiffFormat::Names => true,
            DiffFormat::Json
            | DiffFormat::Markdown
            | DiffFormat::Html
            | DiffFormat::Github
            | DiffFormat::Gitlab
            | DiffFormat::Zuul
            | DiffFormat::Sarif
            | DiffFormat::Junit => false,
        }
    }
}

/// Renders a report in a format, with a final line end.
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
        DiffFormat::Zuul => to_zuul(report)?,
        DiffFormat::Sarif => to_sarif(report)?,
        DiffFormat::Junit => to_junit(report, &options.fail_on),
    })
}

/// The content and style of reports.
#[derive(Clone, Debug)]
pub struct DiffReportOptions {
    /// Whether to include resources that differ only in spelling.
    pub verbose: bool,
    /// The number of context lines around a change of a long text, and around places in files.
    pub context: usize,
    /// Whether text and Markdown show whole values instead of their beginnings, and all lines of long texts.
    pub full: bool,
    /// Whether to explain why list items and names are treated as the same.
    pub explain_match: bool,
    /// Whether to show secrets.
    pub show_secrets: Option<ShowSecrets>,
    /// Whether to use ANSI styles, in formats that have some.
    pub color: bool,
    /// The number of columns of a line of text.
    pub width: usize,
    /// A name in the marker of a Markdown report, so that a bot can distinguish several comments.
    pub marker: Option<String>,
    /// The address of files in the code forge, to which places of a page become links.
    pub link_base: Option<LinkBase>,
    /// The differences that make the command, and a test case, fail.
    pub fail_on: FailOn,
    /// The properties whose updates in place are counted and not shown.
    pub hide: Vec<HiddenProperty>,
}

impl DiffReportOptions {
    /// The number of lines that are shown around a change of a long string.
    fn lines_around(&self) -> usize {
        if self.full { hunk::ALL_LINES } else { self.context }
    }
}

impl Default for DiffReportOptions {
    fn default() -> Self {
        DiffReportOptions {
            verbose: false,
            context: 3,
            full: false,
            explain_match: false,
            show_secrets: None,
            color: false,
            width: TerminalStyle::default().width,
            marker: None,
            link_base: None,
            fail_on: FailOn::default(),
            hide: Vec::new(),
        }
    }
}
