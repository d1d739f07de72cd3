//! The findings as text, with the lines of the templates.

use std::fmt::Write;

use super::model::CheckSummary;
use super::summary::{headline, unexamined};
use crate::report::escape;
use crate::report::text::{TerminalStyle, render};
use hotplate_check::{CheckRun, FixSafety, FixedFinding, LeftOutFix};
use source_diagnostics::{Code, SourceRange};

/// Every finding with its source lines.
pub fn to_text(run: &CheckRun, style: TerminalStyle) -> String {
    run.templates
        .iter()
        .map(|template| render(&template.findings, &template.sources, style))
        .collect()
}

/// Lines: what was checked and found, what fixes resolve, and what was not looked at; with `names_files`, also which
/// environments nothing was checked with.
pub fn summary(run: &CheckRun, names_files: bool) -> String {
    let summary = CheckSummary::new(run);
    let mut lines = headline(&summary, run.fixed.len(), run.left_out.len());
    lines.push('\n');
    lines.push_str(&fixable(run));
    for sentence in unexamined(&summary, names_files) {
        let _ = writeln!(lines, "{sentence}");
    }
    lines
}

/// A line about the findings that can be fixed; empty if there are none.
fn fixable(run: &CheckRun) -> String {
    let fixes = || run.templates.iter().flat_map(|template| template.fixes.values());
    let count = |safety| fixes().filter(|fix| fix.safety == safety).count();
    let options = [(FixSafety::Safe, "--fix"), (FixSafety::Unsafe, "--unsafe-fixes")];
    let counts = options.into_iter().map(|(safety, option)| (count(safety), option));
    let parts: Vec<String> = counts
        .filter(|(count, _)| *count > 0)
        .enumerate()
        .map(|(at, (count, option))| {
            let more = if at > 0 { " more" } else { "" };
            format!("`{option}` fixes {count}{more}")
        })
        .collect();
    if parts.is_empty() {
        return String::new();
    }
    format!("{}; with `--diff`, a patch is printed instead\n", parts.join(", "))
}

/// The findings that were fixed, and those whose fix was left out, one a line.
pub fn fixed(run: &CheckRun) -> String {
    let mut text = String::new();
    let mut line = |outcome, code: Code, message, place: &Option<SourceRange>, more| {
        let place = place.as_ref().map_or_else(String::new, |place| {
            let start = &place.start;
            format!("{}:{}:{}: ", escape::on_one_line(&place.path), start.line, start.column)
        });
        let (message, more) = (escape::on_one_line(message), escape::on_one_line(more));
        let _ = writeln!(text, "{outcome} {place}{code}: {message} ({more})");
    };
    for FixedFinding { code, message, place, fix } in &run.fixed {
        line("fixed", *code, message, place, &fix.change);
    }
    for LeftOutFix { code, message, place, reason } in &run.left_out {
        line("left out", *code, message, place, reason);
    }
    text
}

/// The number of findings of each code.
pub fn statistics(run: &CheckRun) -> String {
    let mut text = String::new();
    for (code, count) in &run.counts {
        let _ = writeln!(text, "{count:>6}  {}  {}", code.info().id, code.info().title);
    }
    text
}
