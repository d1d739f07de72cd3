//! The rules of policies, and the results of their tests, as text.

use std::fmt::Write;

use super::codes::severity;
use super::escape::on_one_line;
use crate::policy::{PolicyRule, RuleTest};

/// A rule: what it is about, why it exists and what to do.
pub fn explanation(rule: &PolicyRule) -> String {
    let info = rule.code.info();
    let mut text = format!("{}  {:<7}  {}\n", info.id, severity(info.severity), info.title);
    let about = rule.patterns.join(", ");
    let _ = writeln!(
        text,
        "  about: {}",
        on_one_line(format!("{} {about}", rule.kind.name()).trim_end())
    );
    let file = rule.folder.join(format!("{}.yaml", info.id));
    let _ = writeln!(text, "  file: {}", on_one_line(&source_files::display_name(&file)));
    for part in std::iter::once(info.explanation).chain(rule.help.as_deref()) {
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
    for RuleTest { id, counts: [good, bad], problems } in tests {
        let result = if problems.is_empty() { "ok" } else { "failed" };
        let _ = writeln!(text, "{id}: {result} ({good} good, {bad} bad)");
        for problem in problems {
            let _ = writeln!(text, "  {}", on_one_line(problem));
        }
    }
    text
}
