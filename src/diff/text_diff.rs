//! What differs between two long texts, line by line.

use std::ops::Range;

use similar::{Algorithm, DiffTag, capture_diff_slices, group_diff_ops};

/// A part of two texts in which lines differ, with some lines around.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextHunk {
    /// The first line of the part in the old text, from 1; the one before it where the part has no old
    /// lines, as in a unified diff.
    pub old_start: usize,
    /// How many old lines the part has.
    pub old_lines: usize,
    /// The same for the new text.
    pub new_start: usize,
    /// How many new lines the part has.
    pub new_lines: usize,
    /// The lines.
    pub lines: Vec<TextLine>,
}

/// A line of a hunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextLine {
    /// What became of it.
    pub kind: TextLineKind,
    /// Its text without its end.
    pub text: String,
    /// The text ends here, without the end of a line.
    pub lacks_newline: bool,
}

/// What became of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextLineKind {
    /// It is in both texts.
    Same,
    /// It is in the old text only.
    Removed,
    /// It is in the new text only.
    Added,
}

/// How many pairs of lines are compared at most; what is longer is taken for wholly other.
const MAX_LINE_PAIRS: usize = 25_000_000;

/// The parts in which two texts differ, each with so many equal lines around it.
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

    /// As a unified diff.
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
