//! The edits that lead from one text to another.

use std::ops::Range;

use gen_lsp_types::TextEdit;
use similar::{DiffTag, TextDiff};

use super::file_view::FileView;
use super::snapshot::Snapshot;

/// The edits of a file whose readable text becomes another one: only what differs, so that cursors and marks elsewhere stay.
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
        let (bytes, text) = without_common_ends(old, bytes, &text);
        edits.push(TextEdit::new(snapshot.range(view, bytes), text.to_owned()));
    }
    Some(edits)
}

/// Characters that end a word in YAML.
const BETWEEN_WORDS: [char; 11] = [' ', '\t', '\r', '\n', ':', ',', '"', '\'', '[', '{', '('];

/// An edit without the words that are the same at its start and at its end.
fn without_common_ends<'t>(
    old: &str,
    bytes: Range<usize>,
    new: &'t str,
) -> (Range<usize>, &'t str) {
    let replaced = old.get(bytes.clone()).unwrap_or_default();
    let same = |(one, other): &(char, char)| one == other;
    let length = |(one, _): (char, char)| one.len_utf8();
    let start: usize = replaced.chars().zip(new.chars()).take_while(same).map(length).sum();
    let before = replaced.get(..start).unwrap_or_default();
    let start = before.rfind(BETWEEN_WORDS).map_or(0, |at| at + 1);
    let rest = replaced.get(start..).unwrap_or_default();
    let new = new.get(start..).unwrap_or_default();
    let ends = rest.chars().rev().zip(new.chars().rev());
    let end: usize = ends.take_while(same).map(length).sum();
    let behind = rest.get(rest.len() - end..).unwrap_or_default();
    let end = behind.find(BETWEEN_WORDS).map_or(0, |at| end - at);
    let text = new.get(..new.len() - end).unwrap_or_default();
    (bytes.start + start..bytes.end - end, text)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_differs_is_replaced() {
        for (old, new, range, text) in [
            ("  imgae: x\n", "  image: x\n", 2..7, "image"),
            ("a: 2016-10-14\n", "a: 2021-04-16\n", 3..13, "2021-04-16"),
            ("a b\n", "a b c\n", 2..3, "b c"),
            ("a b c\n", "a c\n", 2..5, "c"),
            ("", "a", 0..0, "a"),
            ("ä", "ö", 0..2, "ö"),
        ] {
            assert_eq!(without_common_ends(old, 0..old.len(), new), (range, text), "{old} {new}");
        }
    }
}
