//! The checked files, the findings and the omissions, in sentences that every format has.

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
    let implied = summary.implied_deployments.len();
    if implied > 0 {
        let deployments = counted(implied, "deployment");
        let _ = write!(line, ", {deployments} found in the repository");
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

/// The omissions of a report, one sentence each: the findings that are hidden, and what was not looked at.
pub(super) fn not_shown(summary: &CheckSummary) -> Vec<String> {
    let hidden = hidden(summary);
    let hidden = (!hidden.is_empty()).then(|| format!("findings not shown: {}", hidden.join(", ")));
    hidden.into_iter().chain(unexamined(summary, false)).collect()
}

/// The most deployments that are listed without being asked for.
const MAX_IMPLIED: usize = 3;

/// With what was checked, and what was not looked at, or only in part, one sentence each; with `names_files`, lines with the names of environments follow
/// their number.
pub(super) fn unexamined(summary: &CheckSummary, names_files: bool) -> Vec<String> {
    let mut sentences = Vec::new();
    let implied = &summary.implied_deployments;
    let is_listed = implied.len() <= MAX_IMPLIED || names_files;
    sentences.extend(implied.iter().filter(|_| is_listed).map(|it| escape::on_one_line(it).into()));
    if !is_listed {
        sentences
            .push("`hotplate deployments` lists the deployments with their evidence".to_owned());
    }
    let missing = [
        (
            summary.needs_environment,
            "an environment",
            "`-e`, or a `[[deployment]]` in `hotplate.toml`",
        ),
        (summary.needs_file, "a file", "`--files-map`"),
    ];
    for (count, what, option) in missing.into_iter().filter(|(count, ..)| *count > 0) {
        let verb = if count == 1 { "needs" } else { "need" };
        let templates = counted(count, "template");
        sentences
            .push(format!("{templates} {verb} {what} that was not found ({option} says which)"));
    }
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

/// The files that were found in folders and not checked.
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
