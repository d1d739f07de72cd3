//! The table of resources, with one row each.

use super::escape::{code, cut, name, sentence};
use super::limits::MAX_CELL;
use super::page::{BlockPriority, MarkdownPage, PageBlock};
use crate::report::diff::causes::label_and_values;
use crate::report::diff::group_folding::{Folded, FoldedResource};
use crate::report::diff::labels;
use crate::report::diff::model::PartKind;
use hotplate_diff::Impact;

impl MarkdownPage {
    /// Adds the table of resources: the head, then a block for each row.
    pub(super) fn table(&mut self, shown: &[FoldedResource<'_>]) {
        let Some(first) = shown.first() else { return };
        // The head is in the block of the first row, since it is useless without rows.
        let head = "| | impact | resource | type | why |\n|---|---|---|---|---|\n";
        let text = format!("{head}{}", row(first));
        self.push(BlockPriority::Row(first.entry.effective_impact), "lines of tables", text);
        for folded in &shown[1..] {
            let weight = BlockPriority::Row(folded.entry.effective_impact);
            let text = row(folded);
            self.blocks.push(PageBlock {
                weight,
                category: "lines of tables",
                text,
                blank_line_before: false,
            });
        }
    }
}

pub(super) fn symbol(impact: Impact) -> &'static str {
    match impact {
        Impact::Refused => "❗",
        Impact::Delete => "🗑️",
        Impact::Replace => "♻️",
        Impact::NotCompared => "🚫",
        Impact::MayDelete | Impact::MayReplace => "❓",
        Impact::Rebuild => "💽",
        Impact::Snapshot => "📷",
        Impact::Retain => "📤",
        Impact::Create | Impact::MayCreate => "➕",
        Impact::Adopt => "📥",
        Impact::Update => "✏️",
        Impact::NoopUpdate | Impact::None => "▫️",
    }
}

fn row(Folded { name: shown, entry: resource, count }: &FoldedResource<'_>) -> String {
    let impact = resource.effective_impact;
    let why = if let Some(rename) = labels::rename_names(resource) {
        let (old, new) = rename;
        format!("{}: {} → {}", labels::rename_word(old, new), name(old), name(new))
    } else if resource.impact != impact
        && let Some(propagation) =
            resource.propagations.iter().min_by_key(|propagation| propagation.impact)
    {
        format!(
            "because {} {}",
            name(&propagation.source),
            labels::propagation_phrase(propagation, name)
        )
    } else if let Some(reason) = resource.reasons.first() {
        let more = resource.reasons.len() - 1;
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        match reason.part {
            PartKind::Resource => format!("{}{more}", sentence(&reason.why)),
            _ => match label_and_values(reason) {
                (label, Some(values)) => {
                    format!("{}: {}{more}", name(&label), code(&cut(&values, MAX_CELL)))
                }
                (label, None) => format!("{}{more}", name(&label)),
            },
        }
    } else {
        String::new()
    };
    let allowed = if resource.suppressions.is_empty() { "" } else { " (allowed)" };
    format!(
        "| {} | **{}**{allowed} | {} | {} | {why} |\n",
        symbol(impact),
        impact.name(),
        name(&labels::name_with_count(shown, *count)),
        name(&labels::kind(resource)),
    )
}
