//! Pages of tables: of `hotplate log`, resources by commits and the commits; of `hotplate report merge`, the reports.

use std::collections::HashMap;

use super::{badge, markup};
use crate::report::diff::history::HistoryReport;
use crate::report::diff::labels;
use crate::report::diff::merge::{self, MergedReport};

/// The style of a history's tables, besides that of a comparison's page.
const STYLE: &str = "
.wide { overflow-x: auto; }
.history { border-collapse: collapse; font-size: 0.9rem; }
.history th, .history td { border: 1px solid var(--line); padding: 0.2rem 0.5rem; text-align: left; vertical-align: top; }
.wide thead a { writing-mode: vertical-rl; }
.wide tbody th { position: sticky; left: 0; background: var(--back); white-space: nowrap; }
.mark { color: var(--impact); font-weight: 650; white-space: nowrap; }
";

/// The most commits with a column; more are only in the list.
const MAX_COLUMNS: usize = 120;

/// Renders the history as a page.
pub fn history_html(report: &HistoryReport) -> String {
    let mut body =
        format!("<main id=\"main\" tabindex=\"-1\"><h1>{}</h1>", markup::line(&report.total()));
    if !report.resources.is_empty() {
        body.push_str(&matrix(report));
    }
    body.push_str("<h2>Commits</h2><table class=\"history\"><thead><tr><th>commit</th><th>date</th><th>author</th><th>what Heat does</th><th>first cause</th></tr></thead><tbody>");
    for commit in &report.commits {
        body.push_str(&format!(
            "<tr id=\"c-{short}\"><td><code>{short}</code></td><td>{}</td><td>{}</td><td title=\"{}\">{} {}</td><td>{}</td></tr>",
            markup::line(commit.day()),
            markup::line(&commit.author),
            markup::line(&commit.subject),
            commit.impact.map(badge::badge).unwrap_or_default(),
            markup::sentence(&commit.summary),
            markup::sentence(commit.cause.as_deref().unwrap_or_default()),
            short = markup::line(commit.short()),
        ));
    }
    body.push_str("</tbody></table></main>");
    super::page("hotplate log", &body, &format!("{}{STYLE}", super::STYLE), "")
}

/// Renders merged reports as a page.
pub fn merged_html(merged: &MergedReport) -> String {
    let mut body = format!(
        "<main id=\"main\" tabindex=\"-1\"><h1>{}</h1><table class=\"history\"><thead><tr><th>report</th><th>what Heat does</th><th>worst</th></tr></thead><tbody>",
        markup::line(&merged.total())
    );
    for entry in &merged.reports {
        let worst = entry.verdict.worst.iter();
        let worst = worst.map(|it| {
            format!("{} {}", badge::badge(it.impact), markup::sentence(&merge::sentence(it)))
        });
        body.push_str(&format!(
            "<tr><td>{}</td><td>{}</td><td>{}</td></tr>",
            markup::line(&entry.report),
            markup::sentence(&merge::line(&entry.verdict)),
            worst.collect::<Vec<_>>().join("<br>")
        ));
    }
    body.push_str("</tbody></table></main>");
    super::page("hotplate report", &body, &format!("{}{STYLE}", super::STYLE), "")
}

/// A row a resource, a column a commit, the oldest first.
fn matrix(report: &HistoryReport) -> String {
    let commits: Vec<_> = report.commits.iter().take(MAX_COLUMNS).rev().collect();
    let cells: Vec<HashMap<_, _>> = commits
        .iter()
        .map(|it| it.resources.iter().map(|it| ((&it.template, &it.resource), it)).collect())
        .collect();
    let mut out = "<h2>Resources</h2><div class=\"wide\"><table class=\"history\"><thead><tr><th>resource</th>".to_owned();
    for commit in &commits {
        let (short, day) = (markup::line(commit.short()), markup::line(commit.day()));
        let title =
            format!("{day} {}: {}", markup::line(&commit.author), markup::line(&commit.subject));
        out.push_str(&format!("<th title=\"{title}\"><a href=\"#c-{short}\">{day}</a></th>"));
    }
    out.push_str("<th>in all</th></tr></thead><tbody>");
    for row in &report.resources {
        let (template, resource) = (markup::line(&row.template), markup::line(&row.resource));
        out.push_str(&format!("<tr><th title=\"{template}\">{resource}</th>"));
        for cells in &cells {
            out.push_str(&cells.get(&(&row.template, &row.resource)).map_or_else(
                || "<td></td>".to_owned(),
                |it| {
                    let cause = it.cause.as_deref().unwrap_or_default();
                    let phrase = labels::impact_phrase(it.impact);
                    let title = markup::line(&format!("{phrase}: {cause}"));
                    let mark = markup::line(labels::impact_mark(it.impact).trim());
                    format!("<td class=\"{}\" title=\"{title}\"><span class=\"mark\">{mark}</span></td>", it.impact.name())
                },
            ));
        }
        out.push_str(&format!(
            "<td>{}</td></tr>",
            markup::sentence(&row.sentence(report.compared))
        ));
    }
    out.push_str("</tbody></table></div>");
    out
}
