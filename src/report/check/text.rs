//! The findings as text, with the lines of the templates.

use std::fmt::Write;

use crate::check::CheckRun;
use crate::report::text::{TerminalStyle, render};
use source_diagnostics::Severity;

/// Every finding with its source lines.
pub fn to_text(run: &CheckRun, style: TerminalStyle) -> String {
    run.templates
        .iter()
        .map(|template| render(&template.findings, &template.sources, style))
        .collect()
}

/// One line: what was checked, what was found, and what is unknown.
pub fn summary(run: &CheckRun) -> String {
    let counted = |count: usize, what: &str| match count {
        1 => format!("1 {what}"),
        count => format!("{count} {what}s"),
    };
    let mut line = counted(run.templates.len(), "template");
    if run.nested > 0 {
        let _ = write!(line, " ({} more as nested templates)", run.nested);
    }
    let severities =
        [(Severity::Error, "error"), (Severity::Warning, "warning"), (Severity::Note, "note")];
    let found: Vec<String> = severities
        .into_iter()
        .map(|(severity, word)| (run.count(severity), word))
        .filter(|(count, _)| *count > 0)
        .map(|(count, word)| counted(count, word))
        .collect();
    line.push_str(": ");
    line.push_str(if found.is_empty() { "no findings" } else { "" });
    line.push_str(&found.join(", "));
    let hidden = [
        (run.excluded, "not selected"),
        (run.suppressed, "suppressed"),
        (run.known, "in the baseline"),
    ];
    for (count, why) in hidden.into_iter().filter(|(count, _)| *count > 0) {
        let _ = write!(line, "; {count} {why}");
    }
    line.push('\n');
    let unknown: usize = run.templates.iter().map(|it| it.unknown_parameters).sum();
    if unknown > 0 {
        let parameters = counted(unknown, "parameter");
        let _ = writeln!(
            line,
            "{parameters} without a value: their uses are checked for any value (`-e` and `-P` give values)"
        );
    }
    line
}

/// The number of findings of each code.
pub fn statistics(run: &CheckRun) -> String {
    let mut text = String::new();
    for (code, count) in &run.counts {
        let _ = writeln!(text, "{count:>6}  {}  {}", code.info().id, code.info().title);
    }
    text
}

/// A line about the Jinja2 templates of a folder; empty if there are none.
pub fn skipped_jinja(count: usize) -> String {
    match count {
        0 => String::new(),
        1 => "1 Jinja2 template (not checked): render it first\n".to_owned(),
        count => format!("{count} Jinja2 templates (not checked): render them first\n"),
    }
}
