//! The sequence of updates that `--steps` writes, in words.

use crate::report::escape::on_one_line;
use hotplate_project::{StepSource, UpdateSteps};

/// The sequence in a folder, or why there is none.
pub fn steps_text(steps: &UpdateSteps, folder: &str, names: [&str; 2]) -> String {
    let mut lines = Vec::new();
    if steps.steps.is_empty() && steps.unavoidable.is_empty() {
        lines.push("steps: one update is enough; nothing is written".to_owned());
    }
    if !steps.steps.is_empty() {
        lines.push(format!("{} updates without these hazards, in {folder}:", steps.steps.len()));
    }
    for (at, step) in steps.steps.iter().enumerate() {
        let base = if step.from == StepSource::Old { names[0] } else { names[1] };
        let without = step.without.iter().map(|it| format!("without `{it}`"));
        let outputs = step.without_outputs.iter().map(|it| format!("without the output `{it}`"));
        let what: Vec<String> = without.chain(outputs).chain(step.changes.clone()).collect();
        let what = if what.is_empty() { String::new() } else { format!(", {}", what.join(", ")) };
        lines.push(format!("  {}. {}: {base}{what}", at + 1, step.file));
    }
    lines.extend(steps.costs.iter().map(|it| format!("  cost: {it}")));
    if !steps.unavoidable.is_empty() {
        let lead = match steps.steps.is_empty() {
            true => "no sequence of updates avoids this; nothing is written:",
            false => "no sequence of updates avoids this:",
        };
        lines.push(lead.to_owned());
        lines.extend(steps.unavoidable.iter().map(|it| format!("  {it}")));
    }
    lines.iter().map(|it| format!("{}\n", on_one_line(it))).collect()
}
