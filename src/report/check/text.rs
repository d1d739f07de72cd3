//! The findings as text, with the lines of the templates.

use std::fmt::Write;

use crate::check::{CheckRun, NotChecked};
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
    let mut line = counted(run.template_count(), "template");
    let deployments = run.deployment_count();
    if deployments > 0 {
        let _ = write!(line, ", {} of the configuration", counted(deployments, "deployment"));
    }
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
            "{parameters} without a value: their uses are checked for any value (`-e`, `-P` and `[[deployment]]` in hotplate.toml give values)"
        );
    }
    line.push_str(&not_checked(run.not_checked));
    let undecided: usize = run.templates.iter().map(|it| it.undecided).sum();
    if undecided > 0 {
        let parts = counted(undecided, "part");
        let _ = writeln!(
            line,
            "policies are undecided for {parts} of templates, since conditions depend on unknown or hidden values (`--select HP1602` shows where)"
        );
    }
    line
}

/// One line: what was found and not checked; empty if everything was.
fn not_checked(not_checked: NotChecked) -> String {
    let NotChecked { other_files, jinja, environments } = not_checked;
    let parts: Vec<String> = [
        (environments, "environment", "environments", " that no template is deployed with"),
        (jinja, "Jinja2 template", "Jinja2 templates", " (render first)"),
        (other_files, "other file", "other files", ""),
    ]
    .into_iter()
    .filter(|(count, ..)| *count > 0)
    .map(|(count, one, several, more)| match count {
        1 => format!("1 {one}{more}"),
        count => format!("{count} {several}{more}"),
    })
    .collect();
    if parts.is_empty() { String::new() } else { format!("not checked: {}\n", parts.join(", ")) }
}

/// The number of findings of each code.
pub fn statistics(run: &CheckRun) -> String {
    let mut text = String::new();
    for (code, count) in &run.counts {
        let _ = writeln!(text, "{count:>6}  {}  {}", code.info().id, code.info().title);
    }
    text
}
