//! Compares two long texts line by line.

use std::ops::Range;

use similar::{Algorithm, DiffTag, capture_diff_slices, group_diff_ops};

/// A part of two texts that contains differing lines and some context lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextHunk {
    /// The first line of the part in the old text, from 1; the preceding line if the part has no old
    /// lines, as in a unified diff.
    pub old_start: usize,
    /// The number of old lines.
    pub old_lines: usize,
    /// The first line of the part in the new text, counted like `old_start`.
    pub new_start: usize,
    /// The number of new lines.
    pub new_lines: usize,
    /// The lines in the order of a unified diff.
    pub lines: Vec<TextLine>,
}

/// A line of a hunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextLine {
    /// The text or texts that contain the line.
    pub kind: TextLineKind,
    /// The text without the line end.
    pub text: String,
    /// Whether the text ends here without a line end.
    pub lacks_newline: bool,
}

/// The text or texts that contain a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextLineKind {
    /// Both texts contain it.
    Same,
    /// Only the old text contains it.
    Removed,
    /// Only the new text contains it.
    Added,
}

/// The maximum number of pairs of lines that are compared; longer texts count as completely different.
const MAX_LINE_PAIRS: usize = 25_000_000;

/// The hunks in which two texts differ, each with `context` lines around it.
pub fn hunks(old: &str, new: &str, context: usize) -> Vec<TextHunk> {
    let (one, other): (Vec<&str>, Vec<&str>) =
        (old.split_inclusive('\n').collect(), new.split_inclusive('\n').collect());
    let start = one.iter().zip(&other).take_while(|(a, b)| a == b).count();
    let rest = one[start..].iter().rev().zip(other[start..].iter().rev());
    let end = rest.take_while(|(a, b)| a == b).count();
    let middle = (one.len() - end - start).saturating_mul(other.len() - end - start);
    let ops = if middle <= MAX_LINE_PAIRS {
        capture_diff_slices(Algorithm::Myers, &one, &other)
    } else {
        let mut ops = Vec::new();
        if start > 0 {
            ops.push(similar::DiffOp::Equal { old_index: 0, new_index: 0, len: start });
        }
        ops.push(similar::DiffOp::Replace {
            old_index: start,
            old_len: one.len() - end - start,
            new_index: start,
            new_len: other.len() - end - start,
        });
        if end > 0 {
            ops.push(similar::DiffOp::Equal {
                old_index: one.len() - end,
                new_index: other.len() - end,
                len: end,
            });
        }
        ops
    };
    let changed = ops.iter().any(|op| op.tag() != DiffTag::Equal);
    if !changed {
        return Vec::new();
    }
    let groups = group_diff_ops(ops, context);
    groups.iter().map(|group| hunk(group, &one, &other)).collect()
}

fn hunk(ops: &[similar::DiffOp], old: &[&str], new: &[&str]) -> TextHunk {
    let mut lines = Vec::new();
    let mut add = |kind, text: &[&str]| {
        lines.extend(text.iter().map(|text| {
            let (text, unended) = match text.strip_suffix('\n') {
                Some(text) => (text, false),
                None => (*text, true),
            };
            TextLine { kind, text: text.to_owned(), lacks_newline: unended }
        }));
    };
    for op in ops {
        let (before, after) = (&old[op.old_range()], &new[op.new_range()]);
        match op.tag() {
            DiffTag::Equal => add(TextLineKind::Same, before),
            DiffTag::Delete | DiffTag::Insert | DiffTag::Replace => {
                add(TextLineKind::Removed, before);
                add(TextLineKind::Added, after);
            }
        }
    }
    let whole = |range: fn(&similar::DiffOp) -> Range<usize>| {
        let start = ops.first().map_or(0, |op| range(op).start);
        let end = ops.last().map_or(0, |op| range(op).end);
        (if end > start { start + 1 } else { start }, end - start)
    };
    let (old_start, old_lines) = whole(similar::DiffOp::old_range);
    let (new_start, new_lines) = whole(similar::DiffOp::new_range);
    TextHunk { old_start, old_lines, new_start, new_lines, lines }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Formats hunks as a unified diff.
    fn unified(old: &str, new: &str, context: usize) -> String {
        let mut out = String::new();
        for hunk in hunks(old, new, context) {
            let (a, b) = ((hunk.old_start, hunk.old_lines), (hunk.new_start, hunk.new_lines));
            out.push_str(&format!("@@ -{},{} +{},{} @@\n", a.0, a.1, b.0, b.1));
            for line in hunk.lines {
                out.push(match line.kind {
                    TextLineKind::Same => ' ',
                    TextLineKind::Removed => '-',
                    TextLineKind::Added => '+',
                });
                out.push_str(&line.text);
                out.push_str(if line.lacks_newline { "\\\n" } else { "\n" });
            }
        }
        out
    }

    #[test]
    fn equal_texts_have_no_hunks() {
        assert_eq!(hunks("a\nb", "a\nb", 3), []);
        assert_eq!(hunks("", "", 3), []);
    }

    #[test]
    fn parts_have_lines_around_them() {
        let old = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
        let new = "1\nII\n3\n4\n5\n6\n7\n9\n10\n";
        let expected = "@@ -1,3 +1,3 @@\n 1\n-2\n+II\n 3\n@@ -7,3 +7,3 @@\n 7\n-8\n 9\n+10\n";
        assert_eq!(unified(old, new, 1), expected);
        assert_eq!(hunks(old, new, 9).len(), 1);
    }

    #[test]
    fn ends_of_texts() {
        assert_eq!(unified("", "a\n", 3), "@@ -0,0 +1,1 @@\n+a\n");
        assert_eq!(unified("a", "a\n", 3), "@@ -1,1 +1,1 @@\n-a\\\n+a\n");
    }

    #[test]
    fn texts_without_end_are_no_trouble() {
        let lines = |mark: &str| (0..60_000).map(|at| format!("{mark}{at}\n")).collect::<String>();
        let (old, new) =
            (format!("start\n{}end\n", lines("a")), format!("start\n{}end\n", lines("b")));
        let found = hunks(&old, &new, 3);
        assert_eq!((found.len(), found[0].old_start, found[0].lines.len()), (1, 1, 120_002));
    }
}
