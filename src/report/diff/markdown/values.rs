//! Old and new values as list items: on one line, or as a fenced line diff.

use serde_json::Value as Json;

use super::escape::{code, cut, name};
use super::limits::{MAX_CHANGES, MAX_LINE, MAX_LINES};
use crate::report::diff::model::ValueChange;
use crate::report::diff::short_values::{AS_BEFORE, HIDDEN_DIFFERENCE, ShownValues};
use crate::report::diff::{DiffReportOptions, hunk, labels};
use crate::report::escape::on_one_line;
use hotplate_diff::Pair;

pub(super) fn changes(
    changes: &[ValueChange],
    at: impl Fn(&ValueChange) -> String,
    options: &DiffReportOptions,
) -> String {
    let changes = labels::reported_changes(changes, options.explain_match);
    let mut text = String::new();
    for change in changes.iter().take(MAX_CHANGES) {
        match (change.value.is_empty(), &change.old_path, labels::equal_texts(change)) {
            (_, _, Some(same)) => {
                let at = labels::change_name(at(change), change);
                let at = if at.is_empty() { at } else { format!("{}: ", name(&at)) };
                text.push_str(&format!("  - {at}{}\n", code(&same)));
            }
            (true, Some(old), None) => {
                text.push_str(&format!("  - {} was {}\n", name(&change.path), name(old)));
            }
            (_, _, None) => {
                let at = labels::change_name(at(change), change);
                text.push_str(&difference(1, &at, &change.value, options));
            }
        }
        if options.explain_match {
            for item in &change.matched {
                text.push_str(&format!("    - {}\n", code(&labels::item_match(item))));
            }
        }
    }
    let more = changes.len().saturating_sub(MAX_CHANGES);
    if more > 0 {
        text.push_str(&format!("  - and {}\n", labels::counted_noun(more, "more difference")));
    }
    text
}

/// An old and a new value as a list item: on one line, or fenced.
pub(super) fn difference(
    depth: usize,
    what: &str,
    value: &Pair<Option<Json>>,
    options: &DiffReportOptions,
) -> String {
    let indent = "  ".repeat(depth);
    let what = if what.is_empty() { String::new() } else { format!("{}: ", name(what)) };
    let full = options.full;
    if let Some(lines) = hunk::value_lines(value, options.lines_around()) {
        let mut shown: Vec<String> =
            lines.iter().take(MAX_LINES).map(|line| cut(&line.text, MAX_LINE)).collect();
        let more = lines.len().saturating_sub(MAX_LINES);
        if more > 0 {
            shown.push(format!("@@ {} omitted @@", labels::counted_noun(more, "line")));
        }
        let fence = "`".repeat(longest_run(&shown).max(2) + 1);
        let what = if what.is_empty() { "lines:" } else { what.trim_end() };
        let mut text = format!("{indent}- {what}\n\n{indent}  {fence}diff\n");
        for line in shown {
            text.push_str(&format!("{indent}  {}\n", on_one_line(&line)));
        }
        text.push_str(&format!("{indent}  {fence}\n"));
        return text;
    }
    let values = match ShownValues::new(value, full) {
        ShownValues::Nothing => return String::new(),
        ShownValues::Removed(old) => format!("\\- {}", code(&old)),
        ShownValues::Added(new) => format!("\\+ {}", code(&new)),
        ShownValues::Changed(old, new) => format!("{} → {}", code(&old), code(&new)),
        ShownValues::Hidden(value) => format!("{} ({HIDDEN_DIFFERENCE})", code(&value)),
        ShownValues::FailsAsBefore(error) => format!("{} ({AS_BEFORE})", code(&error)),
    };
    format!("{indent}- {what}{values}\n")
}

/// The longest run of backticks in any of the texts.
fn longest_run(texts: &[String]) -> usize {
    let runs = texts.iter().flat_map(|text| text.split(|c| c != '`')).map(str::len);
    runs.max().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fences_are_longer_than_what_is_inside() {
        let (old, new) = (Json::from("a\n```\nb\n"), Json::from("a\n````\nb\n"));
        let text = difference(
            1,
            "user_data",
            &Pair { old: Some(old), new: Some(new) },
            &DiffReportOptions::default(),
        );
        assert!(text.contains("\n    `````diff\n"), "{text}");
        assert!(text.ends_with("\n    `````\n"), "{text}");
    }
}
