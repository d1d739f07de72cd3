//! What was checked, what was found, and what was not looked at, in sentences that every format has.

use std::fmt::Write;

use super::model::CheckSummary;
use crate::report::escape;
use hotplate_check::NotChecked;
use source_diagnostics::Severity;

/// One line: what was checked, and how many findings are reported, hidden, fixed, and not fixed although they have a fix.
pub(super) fn headline(summary: &CheckSummary, fixed: usize, left_out: usize) -> String {
    let mut line = counted(summary.templates, "template");
    if summary.deployments > 0 {
        let deployments = counted(summary.deployments, "deployment");
        let _ = write!(line, ", {deployments} of the configuration");
    }
    if summary.nested > 0 {
        let _ = write!(line, " ({} more as nested templates)", summary.nested);
    }
    let severities =
        [(Severity::Error, "error"), (Severity::Warning, "warning"), (Severity::Note, "note")];
    let found: Vec<String> = severities
        .into_iter()
        .filter_map(|(severity, word)| Some(counted(*summary.severities.get(&severity)?, word)))
        .collect();
    line.push_str(": ");
    line.push_str(if found.is_empty() { "no findings" } else { "" });
    line.push_str(&found.join(", "));
    for part in hidden(summary) {
        let _ = write!(line, "; {part}");
    }
    if fixed > 0 {
        let _ = write!(line, "; {fixed} fixed");
    }
    if left_out > 0 {
        let fixes = if left_out == 1 { "fix" } else { "fixes" };
        let _ = write!(line, "; {left_out} {fixes} left out");
    }
    line
}

/// What a report does not show, one sentence each: the findings that are hidden, and what was not looked at.
pub(super) fn not_shown(summary: &CheckSummary) -> Vec<String> {
    let hidden = hidden(summary);
    let hidden = (!hidden.is_empty()).then(|| format!("findings not shown: {}", hidden.join(", ")));
    hidden.into_iter().chain(unexamined(summary, false)).collect()
}

/// What was not looked at, or only in part, one sentence each; with `names_files`, lines with the names of environments follow
/// their number.
pub(super) fn unexamined(summary: &CheckSummary, names_files: bool) -> Vec<String> {
    let mut sentences = Vec::new();
    if summary.unknown_parameters > 0 {
        let parameters = counted(summary.unknown_parameters, "parameter");
        sentences.push(format!(
            "{parameters} without a value: their uses are checked for any value (`-e` and `-P` give values)"
        ));
    }
    if summary.unchecked_constraints > 0 {
        let constraints = counted(summary.unchecked_constraints, "constraint");
        sentences.push(format!(
            "{constraints} not checked, since a cloud decides (`--select HP0606` shows where)"
        ));
    }
    if let Some(mut sentence) = not_checked(&summary.not_checked) {
        for environment in summary.not_checked.environments.iter().filter(|_| names_files) {
            let _ = write!(sentence, "\n  {}", escape::on_one_line(environment));
        }
        sentences.push(sentence);
    }
    if summary.undecided > 0 {
        let parts = counted(summary.undecided, "part");
        sentences.push(format!(
            "policies are undecided for {parts} of templates, since conditions depend on unknown or hidden values (`--select HP1602` shows where)"
        ));
    }
    sentences
}

/// The findings that are not reported, by the reason.
fn hidden(summary: &CheckSummary) -> Vec<String> {
    let hidden = [
        (summary.excluded, "not selected"),
        (summary.suppressed, "suppressed"),
        (summary.known, "in the baseline"),
    ];
    let hidden = hidden.into_iter().filter(|(count, _)| *count > 0);
    hidden.map(|(count, why)| format!("{count} {why}")).collect()
}

/// What was found in folders and not checked.
fn not_checked(not_checked: &NotChecked) -> Option<String> {
    let NotChecked { other_files, jinja, policy_tests, environments } = not_checked;
    let parts: Vec<String> = [
        (environments.len(), "environment", " that no template is deployed with"),
        (*jinja, "Jinja2 template", " (render first)"),
        (*policy_tests, "template", " of a policy's tests"),
        (*other_files, "other file", ""),
    ]
    .into_iter()
    .filter(|(count, ..)| *count > 0)
    .map(|(count, what, more)| counted(count, what) + more)
    .collect();
    (!parts.is_empty()).then(|| format!("not checked: {}", parts.join(", ")))
}

fn counted(count: usize, what: &str) -> String {
    match count {
        1 => format!("1 {what}"),
        count => format!("{count} {what}s"),
    }
}
