//! The findings as text, with the lines of the templates.

use std::fmt::Write;

use crate::check::{CheckRun, FixSafety, FixedFinding, NotChecked};
use crate::report::escape;
use crate::report::text::{TerminalStyle, render};
use source_diagnostics::Severity;

/// Every finding with its source lines.
pub fn to_text(run: &CheckRun, style: TerminalStyle) -> String {
    run.templates
        .iter()
        .map(|template| render(&template.findings, &template.sources, style))
        .collect()
}

/// What was checked, what was found, and what is unknown, a line each; with `names_files`, also which environments nothing was
/// checked with.
pub fn summary(run: &CheckRun, names_files: bool) -> String {
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
    if !run.fixed.is_empty() {
        let _ = write!(line, "; {} fixed", run.fixed.len());
    }
    line.push('\n');
    line.push_str(&fixable(run));
    let unknown: usize = run.templates.iter().map(|it| it.unknown_parameters).sum();
    if unknown > 0 {
        let parameters = counted(unknown, "parameter");
        let _ = writeln!(
            line,
            "{parameters} without a value: their uses are checked for any value (`-e` and `-P` give values)"
        );
    }
    if run.unchecked_constraints > 0 {
        let constraints = counted(run.unchecked_constraints, "constraint");
        let _ = writeln!(
            line,
            "{constraints} not checked, since a cloud decides (`--select HP0606` shows where)"
        );
    }
    line.push_str(&not_checked(&run.not_checked));
    for environment in run.not_checked.environments.iter().filter(|_| names_files) {
        let _ = writeln!(line, "  {}", escape::on_one_line(environment));
    }
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
fn not_checked(not_checked: &NotChecked) -> String {
    let NotChecked { other_files, jinja, environments } = not_checked;
    let parts: Vec<String> = [
        (environments.len(), "environment", "environments", " that no template is deployed with"),
        (*jinja, "Jinja2 template", "Jinja2 templates", " (render first)"),
        (*other_files, "other file", "other files", ""),
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

/// The findings that were fixed, one a line.
pub fn fixed(run: &CheckRun) -> String {
    let mut text = String::new();
    for FixedFinding { code, message, place, fix } in &run.fixed {
        let place = place.as_ref().map_or_else(String::new, |place| {
            let start = &place.start;
            format!("{}:{}:{}: ", escape::on_one_line(&place.path), start.line, start.column)
        });
        let message = escape::on_one_line(message);
        let change = escape::on_one_line(&fix.change);
        let _ = writeln!(text, "fixed {place}{code}: {message} ({change})");
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
