//! The edits that lead from one text to another.

use std::ops::Range;

use gen_lsp_types::TextEdit;
use similar::{DiffTag, TextDiff};

use super::file_view::FileView;
use super::snapshot::Snapshot;

/// The edits of a file whose readable text becomes another one: a line at a time, so that cursors and marks in other lines stay.
/// `None` if an edit would touch what cannot be read, and is therefore not in the readable text.
pub(super) fn edits(snapshot: &Snapshot, view: &FileView, new: &str) -> Option<Vec<TextEdit>> {
    let old: &str = &view.readable.text;
    let [old_lines, new_lines] =
        [old, new].map(|text| text.split_inclusive('\n').collect::<Vec<_>>());
    let starts = starts(&old_lines);
    let diff = TextDiff::from_slices(&old_lines, &new_lines);
    let changed = diff.ops().iter().filter(|op| op.tag() != DiffTag::Equal);
    let touches = |bytes: &Range<usize>| {
        let mut left_out = view.readable.left_out.iter();
        left_out.any(|it| it.start < bytes.end.max(bytes.start + 1) && bytes.start < it.end)
    };
    let mut edits = Vec::new();
    for op in changed {
        let lines = op.old_range();
        let bytes = at(&starts, lines.start)..at(&starts, lines.end);
        if touches(&bytes) {
            return None;
        }
        let text = new_lines.get(op.new_range()).unwrap_or_default().concat();
        edits.push(TextEdit::new(snapshot.range(view, bytes), text));
    }
    Some(edits)
}

/// Where the lines start, and the end.
fn starts(lines: &[&str]) -> Vec<usize> {
    let ends = lines.iter().scan(0, |end, line| {
        *end += line.len();
        Some(*end)
    });
    std::iter::once(0).chain(ends).collect()
}

fn at(starts: &[usize], line: usize) -> usize {
    starts.get(line).or(starts.last()).copied().unwrap_or_default()
}
