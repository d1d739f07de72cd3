//! One report of many: the verdicts of `hotplate diff --format json`, the worst first.

use std::cmp::Reverse;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::DiffReportOptions;
use super::labels;
use super::markdown;
use super::model::{Verdict, VerdictKind};
use super::text::TextWriter;
use anstyle::Style;
use hotplate_diff::Impact;

/// The JSON of `hotplate report merge`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MergedReport {
    /// The reports, the worst first.
    pub reports: Vec<MergedEntry>,
}

/// A report of `hotplate diff`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MergedEntry {
    /// The path of its file.
    pub report: String,
    /// Its answer in short.
    pub verdict: Verdict,
}

/// The keys of the order of verdicts: what is feared, the impact, and how often.
type WorstPart = (VerdictKind, Option<Impact>, Reverse<usize>);

/// The part of a report that is read.
#[derive(Deserialize)]
struct DiffReport {
    verdict: Verdict,
}

impl MergedReport {
    /// Adds the text of a report.
    ///
    /// # Errors
    ///
    /// If it is none of `hotplate diff --format json`.
    pub fn add(&mut self, path: String, text: &[u8]) -> serde_json::Result<()> {
        let DiffReport { verdict } = serde_json::from_slice(text)?;
        self.reports.push(MergedEntry { report: path, verdict });
        Ok(())
    }

    /// Sorts the reports; equal ones keep their order.
    pub fn finish(&mut self) {
        self.reports.sort_by_cached_key(|it| (!it.verdict.differs, it.verdict.worst_part()));
    }

    pub(super) fn total(&self) -> String {
        let differ = self.reports.iter().filter(|it| it.verdict.differs).count();
        let verb = if differ == 1 { "differs" } else { "differ" };
        format!("{differ} of {} {verb}", labels::counted_noun(self.reports.len(), "report"))
    }
}

impl Verdict {
    /// The part by which templates and reports are sorted, the worst first; none comes last.
    pub(super) fn worst_part(&self) -> (bool, Option<WorstPart>) {
        let parts = self.parts.iter().filter(|part| part.count > 0);
        let worst = parts.map(|part| (part.kind, part.impact, Reverse(part.count))).min();
        (worst.is_none(), worst)
    }
}

/// Renders the reports for a terminal: the first line of each, with the worst resources below it.
pub fn merged_text(merged: &MergedReport, options: &DiffReportOptions) -> String {
    let mut out = TextWriter::new(options);
    for MergedEntry { report, verdict } in &merged.reports {
        let style = if verdict.differs { Style::new().bold() } else { Style::new() };
        out.line(0, &[(style, format!("{report}: {}", line(verdict)))]);
        for worst in &verdict.worst {
            out.line(2, &[(Style::new(), sentence(worst))]);
        }
    }
    out.line(0, &[(Style::new().bold(), merged.total())]);
    out.text
}

/// Renders the reports as Markdown: a table, with a row for each of the worst resources.
pub fn merged_markdown(merged: &MergedReport) -> String {
    let mut out =
        format!("**{}**\n\n| report | what Heat does | worst |\n|---|---|---|\n", merged.total());
    let cell = |text: &str| markdown::sentence(text).replace('|', "\\|");
    for MergedEntry { report, verdict } in &merged.reports {
        let worst: Vec<String> = verdict.worst.iter().map(|it| cell(&sentence(it))).collect();
        let row =
            format!("| {} | {} | {} |\n", cell(report), cell(&line(verdict)), worst.join("<br>"));
        out.push_str(&row);
    }
    out
}

pub(super) fn line(verdict: &Verdict) -> String {
    if verdict.differs { verdict.line() } else { super::text::NOTHING.to_owned() }
}

pub(super) fn sentence(worst: &super::model::WorstResource) -> String {
    let name = labels::name_with_count(&worst.resource, worst.count);
    let what = format!("{}: {name} {}", worst.template, labels::impact_phrase(worst.impact));
    match &worst.cause {
        Some(cause) => format!("{what}: {cause}"),
        None => what,
    }
}
