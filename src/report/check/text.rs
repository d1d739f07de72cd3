//! The findings as text, with the lines of the templates.

use std::fmt::Write;

use super::model::CheckSummary;
use super::overview::{most_frequent, ranked};
use super::summary::{headline, unexamined};
use crate::codes::explaining_command;
use crate::report::escape;
use crate::report::text::{TerminalStyle, render};
use hotplate_check::{CheckRun, FixSafety, FixedFinding, LeftOutFix};
use source_diagnostics::{Code, SourceRange};

/// Every finding with its source lines, the most important first.
pub fn to_text(run: &CheckRun, style: TerminalStyle) -> String {
    let findings = ranked(run);
    let of_template = findings.chunk_by(|(_, left), (_, right)| std::ptr::eq(*left, *right));
    let texts = of_template
        .map(|findings| render(findings.iter().map(|(finding, _)| *finding), findings[0].1, style));
    texts.collect()
}

/// The next steps of a user who has seen an overview.
#[derive(Clone, Copy, Debug)]
pub struct NextSteps {
    /// Whether a configuration is in effect.
    pub has_configuration: bool,
    /// Whether findings are known already, by a baseline or a revision.
    pub has_baseline: bool,
}

impl NextSteps {
    /// One line: how to fix, explain, complete, accept and list the findings.
    fn line(self, run: &CheckRun, summary: &CheckSummary) -> String {
        let mut steps = fixes(run);
        if let Some(code) = most_frequent(run) {
            steps.push(format!("`{}` explains the most frequent", explaining_command(code)));
        }
        let is_deployed_with_more = summary.needs_environment > 0
            || summary.unknown_parameters > 0
            || !summary.not_checked.environments.is_empty();
        if !self.has_configuration && !summary.implied_deployments.is_empty() {
            steps.push("`hotplate init` declares what the templates are deployed with".into());
        } else if !self.has_configuration && is_deployed_with_more {
            steps.push("`hotplate deployments` lists the environments of each template".into());
        }
        if !self.has_baseline {
            steps.push("`--write-baseline FILE` accepts what is there".into());
        }
        steps.push("`--verbose` shows each finding".into());
        format!("next: {}\n", steps.join("; "))
    }
}

/// Lines: what was checked and found, what fixes resolve, and what was not looked at; with `names_files`, also which
/// environments nothing was checked with. After an overview, the last line is about the next steps.
pub fn summary(run: &CheckRun, names_files: bool, next: Option<NextSteps>) -> String {
    let summary = CheckSummary::new(run);
    let mut lines = headline(&summary, run.fixed.len(), run.left_out.len());
    lines.push('\n');
    let fixes = fixes(run);
    if next.is_none() && !fixes.is_empty() {
        let _ = writeln!(lines, "{}; with `--diff`, a patch is printed instead", fixes.join(", "));
    }
    for sentence in unexamined(&summary, names_files) {
        let _ = writeln!(lines, "{sentence}");
    }
    if let Some(next) = next {
        lines.push_str(&next.line(run, &summary));
    }
    lines
}

/// The options that fix findings, each with the number of them.
fn fixes(run: &CheckRun) -> Vec<String> {
    let fixes = || run.templates.iter().flat_map(|template| template.fixes.values());
    let count = |safety| fixes().filter(|fix| fix.safety == safety).count();
    let options = [(FixSafety::Safe, "--fix"), (FixSafety::Unsafe, "--unsafe-fixes")];
    let counts = options.into_iter().map(|(safety, option)| (count(safety), option));
    counts
        .filter(|(count, _)| *count > 0)
        .enumerate()
        .map(|(at, (count, option))| {
            let more = if at > 0 { " more" } else { "" };
            format!("`{option}` fixes {count}{more}")
        })
        .collect()
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
