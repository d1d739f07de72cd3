//! The rules of policies, and the results of their tests, as text and as JSON.

use std::fmt::Write;

use schemars::JsonSchema;
use serde::Serialize;

use super::escape::on_one_line;
use crate::policy::{PolicyRule, RuleTest};
use source_diagnostics::Severity;

/// The explanation of a rule.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ExplainedRule {
    id: &'static str,
    severity: Severity,
    /// The mistake, in a few words.
    title: &'static str,
    /// The subject of the rule: `resource`, `parameter`, `output` or `template`.
    select: &'static str,
    /// The types of resources, or the names, as shell patterns; empty for a template.
    patterns: Vec<String>,
    /// The path of the file.
    file: String,
    /// Why the rule exists; without one in the file, the title.
    explanation: &'static str,
    /// What to do.
    help: Option<String>,
}

impl From<&PolicyRule> for ExplainedRule {
    fn from(rule: &PolicyRule) -> Self {
        let info = rule.code.info();
        let file = rule.folder.join(format!("{}.yaml", info.id));
        ExplainedRule {
            id: info.id,
            severity: info.severity,
            title: info.title,
            select: rule.kind.name(),
            patterns: rule.patterns.clone(),
            file: source_files::display_name(&file).into_owned(),
            explanation: info.explanation,
            help: rule.help.clone(),
        }
    }
}

/// A rule: what it is about, why it exists and what to do.
pub fn explanation(rule: &PolicyRule) -> String {
    let ExplainedRule { id, severity, title, select, patterns, file, explanation, help } =
        rule.into();
    let mut text = format!("{id}  {:<7}  {title}\n", super::codes::severity(severity));
    let about = format!("{select} {}", patterns.join(", "));
    let _ = writeln!(text, "  about: {}", on_one_line(about.trim_end()));
    let _ = writeln!(text, "  file: {}", on_one_line(&file));
    for part in std::iter::once(explanation).chain(help.as_deref()) {
        text.push('\n');
        part.trim_end().lines().for_each(|line| {
            let _ = writeln!(text, "  {}", on_one_line(line));
        });
    }
    text
}

/// A line for each rule, and a line for each problem.
pub fn tests(tests: &[RuleTest]) -> String {
    let mut text = String::new();
    for RuleTest { id, good, bad, problems } in tests {
        let result = if problems.is_empty() { "ok" } else { "failed" };
        let _ = writeln!(text, "{id}: {result} ({good} good, {bad} bad)");
        for problem in problems {
            let _ = writeln!(text, "  {}", on_one_line(problem));
        }
    }
    text
}
