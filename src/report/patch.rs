//! Unified diffs that `git apply` and `patch -p1` accept, without secrets.

use std::fmt::Write;
use std::ops::Range;
use std::path::{Component, Path};

use similar::ChangeTag;

/// The number of context lines around a change.
const CONTEXT: usize = 3;

/// A text and its masked version, which has the same length and the same line ends.
#[derive(Clone, Copy, Debug)]
pub struct MaskedText<'a> {
    /// The text of the file, including secrets.
    pub text: &'a str,
    /// The text with stars in place of secrets.
    pub masked: &'a str,
}

impl<'a> MaskedText<'a> {
    /// A text without secrets.
    pub fn without_secrets(text: &'a str) -> Self {
        MaskedText { text, masked: text }
    }
}

/// The name of a file in the header of a diff.
#[derive(Clone, Copy, Debug)]
pub enum PatchPath<'a> {
    /// The path relative to the folder where the patch is applied.
    RelativeToFolder(&'a Path),
    /// The path relative to the root of the work tree, as in `git diff`.
    RelativeToRepository(&'a Path),
}

/// The differences of two texts.
#[derive(Debug)]
pub struct Patch {
    /// The diff; empty if nothing differs.
    pub text: String,
    /// False if a secret is in a changed line or in the line after one. Then the text is a comment, which
    /// `git apply` does not accept as a patch.
    pub applies: bool,
}

/// A line of one or both texts, with its position in each.
struct PatchLine {
    tag: ChangeTag,
    old: Option<usize>,
    new: Option<usize>,
}

/// A unified diff of a file. Lines are those of `patch` and git: a lone carriage return
/// does not end a line. A context line with a secret is omitted, and so is everything beyond it.
pub fn patch(path: PatchPath<'_>, old: MaskedText<'_>, new: MaskedText<'_>, color: bool) -> Patch {
    let (compared, changes) = compare(old.text, new.text);
    let (old_lines, new_lines) =
        (lines(&old.text[compared.old_range()]), lines(&new.text[compared.new_range()]));
    let (old_masked, new_masked) =
        (lines(&old.masked[compared.old_range()]), lines(&new.masked[compared.new_range()]));
    let is_secret = |line: &PatchLine| {
        line.old.is_some_and(|at| old_lines.get(at) != old_masked.get(at))
            || line.new.is_some_and(|at| new_lines.get(at) != new_masked.get(at))
    };
    let is_change = |line: &PatchLine| line.tag != ChangeTag::Equal;
    let trimmed = hunks(&changes, &is_secret);
    let applies = !changes.iter().any(|line| is_change(line) && is_secret(line))
        && trimmed.iter().all(|hunk| {
            // For git, a hunk without context lines after the change is at the end of the file.
            hunk.end == changes.len() || !changes[hunk.end - 1..hunk.end].iter().any(is_change)
        });
    let hunks = if applies { trimmed } else { hunks(&changes, &|_| false) };

    let mut text = String::new();
    let comment = if applies { "" } else { "# " };
    let mut put = |style: anstyle::Style, sign: &str, line: &str| {
        let (line, has_end) = line.strip_suffix('\n').map_or((line, false), |line| (line, true));
        let style = if color { style } else { anstyle::Style::new() };
        let _ = write!(text, "{style}");
        for part in [comment, sign, line] {
            text.push_str(part);
        }
        let _ = writeln!(text, "{style:#}");
        if !has_end {
            let _ = writeln!(text, "{comment}\\ No newline at end of file");
        }
    };
    if !hunks.is_empty() {
        let bold = anstyle::Style::new().bold();
        let (PatchPath::RelativeToFolder(file) | PatchPath::RelativeToRepository(file)) = path;
        let (before, after) = (name("a/", file), name("b/", file));
        if let PatchPath::RelativeToRepository(_) = path {
            put(bold, "diff --git ", &format!("{before} {after}\n"));
        }
        for (sign, name) in [("--- ", before), ("+++ ", after)] {
            // Only a tab ends a name with spaces.
            let tab = if name.contains(' ') { "\t" } else { "" };
            put(bold, sign, &format!("{name}{tab}\n"));
        }
    }
    for hunk in hunks {
        let header = header(&changes, &hunk, compared.lines_before);
        put(anstyle::AnsiColor::Cyan.on_default(), "", &header);
        for line in &changes[hunk] {
            let (sign, style) = match line.tag {
                ChangeTag::Equal => (" ", anstyle::Style::new()),
                ChangeTag::Delete => ("-", anstyle::AnsiColor::Red.on_default()),
                ChangeTag::Insert => ("+", anstyle::AnsiColor::Green.on_default()),
            };
            let shown = match (line.old, line.new) {
                (Some(at), _) => old_masked.get(at),
                (None, at) => at.and_then(|at| new_masked.get(at)),
            };
            put(style, sign, shown.unwrap_or(&"\n"));
        }
    }
    Patch { text, applies }
}

fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

/// The lines of the part of both texts that a diff may show.
fn compare(old: &str, new: &str) -> (ComparedPart, Vec<PatchLine>) {
    let (before, after) = (old.as_bytes(), new.as_bytes());
    let prefix = common_prefix(before, after);
    let suffix = common_suffix(&before[prefix..], &after[prefix..]);
    if let Some(compared) = one_line(old, new, prefix, suffix) {
        return compared;
    }
    let compared = ComparedPart::around(old, new, prefix, suffix, ComparedPart::MARGIN);
    let changes = changed_lines(&old[compared.old_range()], &new[compared.new_range()]);
    // Among many equal lines a change may have several places.
    if compared.is_cut_at(&changes) {
        return (ComparedPart::all(old, new), changed_lines(old, new));
    }
    (compared, changes)
}

/// The comparison of texts that differ in a single line, as nearly every upgrade does. The line has one
/// place only, since no other line of the other text is like it.
fn one_line(
    old: &str,
    new: &str,
    prefix: usize,
    suffix: usize,
) -> Option<(ComparedPart, Vec<PatchLine>)> {
    let start = memchr::memrchr(b'\n', &old.as_bytes()[..prefix]).map_or(0, |at| at + 1);
    let line = |text: &str| {
        let rest = &text.as_bytes()[start..];
        start..memchr::memchr(b'\n', rest).map_or(text.len(), |at| start + at + 1)
    };
    let (old_line, new_line) = (line(old), line(new));
    let same_rest = old.len() - old_line.end == new.len() - new_line.end;
    let is_elsewhere = |text: &str, line: &str| {
        line.is_empty() || memchr::memmem::find(text.as_bytes(), line.as_bytes()).is_some()
    };
    if !same_rest
        || old.len() - old_line.end > suffix
        || is_elsewhere(old, &new[new_line])
        || is_elsewhere(new, &old[old_line.clone()])
    {
        return None;
    }
    // A line more than the context: a hunk without it is at the end of the file.
    let rest = old.len() - old_line.end;
    let compared = ComparedPart::around(old, new, start, rest, CONTEXT + 1);
    let count = |part: &str| memchr::memchr_iter(b'\n', part.as_bytes()).count();
    let before = count(&old[compared.start..start]);
    let after = lines(&old[old_line.end..compared.old_end]).len();
    let equal = |at| PatchLine { tag: ChangeTag::Equal, old: Some(at), new: Some(at) };
    let mut changes: Vec<PatchLine> = (0..before).map(equal).collect();
    changes.push(PatchLine { tag: ChangeTag::Delete, old: Some(before), new: None });
    changes.push(PatchLine { tag: ChangeTag::Insert, old: None, new: Some(before) });
    changes.extend((before + 1..=before + after).map(equal));
    Some((compared, changes))
}

fn changed_lines(old: &str, new: &str) -> Vec<PatchLine> {
    similar::TextDiff::from_slices(&lines(old), &lines(new))
        .iter_all_changes()
        .map(|change| PatchLine {
            tag: change.tag(),
            old: change.old_index(),
            new: change.new_index(),
        })
        .collect()
}

/// The whole lines of both texts that are compared. What is before and after them is the same in both
/// texts, and further away from any change than the context of a diff.
struct ComparedPart {
    start: usize,
    old_end: usize,
    new_end: usize,
    /// The number of lines before it.
    lines_before: usize,
    /// Whether there is anything before, and after it.
    is_cut: (bool, bool),
}

impl ComparedPart {
    /// The number of equal lines to compare on both sides of the changes.
    const MARGIN: usize = 8 * CONTEXT;

    fn all(old: &str, new: &str) -> Self {
        let is_cut = (false, false);
        ComparedPart { start: 0, old_end: old.len(), new_end: new.len(), lines_before: 0, is_cut }
    }

    /// The part between a common start and a common end of this many bytes, with `margin` lines more on
    /// both sides.
    fn around(old: &str, new: &str, prefix: usize, suffix: usize, margin: usize) -> Self {
        let before = old.as_bytes();
        let mut line_ends = memchr::memrchr_iter(b'\n', &before[..prefix]);
        let start = line_ends.nth(margin).map_or(0, |line_end| line_end + 1);
        let mut line_ends = memchr::memchr_iter(b'\n', &before[before.len() - suffix..]);
        let margin = line_ends.nth(margin).map_or(suffix, |line_end| line_end + 1);
        let cut = suffix - margin;
        ComparedPart {
            start,
            old_end: old.len() - cut,
            new_end: new.len() - cut,
            lines_before: memchr::memchr_iter(b'\n', &before[..start]).count(),
            is_cut: (start > 0, cut > 0),
        }
    }

    fn old_range(&self) -> Range<usize> {
        self.start..self.old_end
    }

    fn new_range(&self) -> Range<usize> {
        self.start..self.new_end
    }

    /// Whether a change is so close to a cut that it might be elsewhere in the whole texts.
    fn is_cut_at(&self, changes: &[PatchLine]) -> bool {
        let is_change = |line: &PatchLine| line.tag != ChangeTag::Equal;
        let first = changes.iter().take(2 * CONTEXT).any(is_change);
        let last = changes.iter().rev().take(2 * CONTEXT).any(is_change);
        self.is_cut.0 && first || self.is_cut.1 && last
    }
}

/// The number of bytes that are compared at once.
const BLOCK: usize = 64;

/// The number of equal bytes at the start.
fn common_prefix(one: &[u8], other: &[u8]) -> usize {
    let blocks = one.chunks_exact(BLOCK).zip(other.chunks_exact(BLOCK));
    let start = BLOCK * blocks.take_while(|(one, other)| one == other).count();
    let rest = one[start..].iter().zip(&other[start..]);
    start + rest.take_while(|(one, other)| one == other).count()
}

/// The number of equal bytes at the end.
fn common_suffix(one: &[u8], other: &[u8]) -> usize {
    let blocks = one.rchunks_exact(BLOCK).zip(other.rchunks_exact(BLOCK));
    let end = BLOCK * blocks.take_while(|(one, other)| one == other).count();
    let rest = one[..one.len() - end].iter().rev().zip(other[..other.len() - end].iter().rev());
    end + rest.take_while(|(one, other)| one == other).count()
}

/// The parts of the lines that a diff shows: changes with context lines, up to a line that is cut.
fn hunks(lines: &[PatchLine], is_cut: &dyn Fn(&PatchLine) -> bool) -> Vec<Range<usize>> {
    let mut kept: Vec<bool> = vec![false; lines.len()];
    let mut mark = |order: &mut dyn Iterator<Item = usize>| {
        let mut left = 0;
        for at in order {
            let is_change = lines[at].tag != ChangeTag::Equal;
            if is_change {
                left = CONTEXT;
            } else if is_cut(&lines[at]) {
                left = 0;
            }
            kept[at] |= is_change || left > 0;
            left -= usize::from(!is_change && left > 0);
        }
    };
    mark(&mut (0..lines.len()));
    mark(&mut (0..lines.len()).rev());

    let mut hunks: Vec<Range<usize>> = Vec::new();
    for at in (0..lines.len()).filter(|at| kept[*at]) {
        match hunks.last_mut() {
            Some(hunk) if hunk.end == at => hunk.end += 1,
            _ => hunks.push(at..at + 1),
        }
    }
    for hunk in hunks.iter_mut().filter(|hunk| hunk.end < lines.len()) {
        // For `patch`, a hunk with more lines before than after the change is at the end of the file.
        let is_context = |at: &usize| lines[*at].tag == ChangeTag::Equal;
        let before = hunk.clone().take_while(is_context).count();
        let after = hunk.clone().rev().take_while(is_context).count();
        hunk.start += before.saturating_sub(after);
    }
    hunks
}

fn header(lines: &[PatchLine], hunk: &Range<usize>, lines_before: usize) -> String {
    let side = |has: fn(&PatchLine) -> bool| {
        let before = lines_before + lines[..hunk.start].iter().filter(|line| has(line)).count();
        match lines[hunk.clone()].iter().filter(|line| has(line)).count() {
            0 => format!("{before},0"),
            1 => format!("{}", before + 1),
            count => format!("{},{count}", before + 1),
        }
    };
    format!("@@ -{} +{} @@\n", side(|line| line.old.is_some()), side(|line| line.new.is_some()))
}

/// A path as git writes it, quoted if it contains characters that would end it or control a terminal.
fn name(prefix: &str, path: &Path) -> String {
    let parts: Vec<&[u8]> = path
        .components()
        .filter(|part| !matches!(part, Component::RootDir | Component::CurDir))
        .map(|part| part.as_os_str().as_encoded_bytes())
        .collect();
    let bytes = parts.join(&b'/');
    match std::str::from_utf8(&bytes) {
        Ok(text) if !text.contains(['"', '\\']) && super::escape::on_one_line(text) == text => {
            format!("{prefix}{text}")
        }
        _ => {
            let mut quoted = format!("\"{prefix}");
            for byte in bytes {
                let _ = match byte {
                    b'"' | b'\\' => write!(quoted, "\\{}", char::from(byte)),
                    b' '..=b'~' => write!(quoted, "{}", char::from(byte)),
                    _ => write!(quoted, "\\{byte:03o}"),
                };
            }
            quoted.push('"');
            quoted
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The changed lines by their numbers in the whole texts.
    fn changed(lines: &[PatchLine], lines_before: usize) -> Vec<(Option<usize>, Option<usize>)> {
        let is_change = |line: &&PatchLine| line.tag != ChangeTag::Equal;
        let absolute = |at: Option<usize>| at.map(|at| at + lines_before);
        lines.iter().filter(is_change).map(|it| (absolute(it.old), absolute(it.new))).collect()
    }

    fn compared_as_one_line(old: &str, new: &str) -> Option<(ComparedPart, Vec<PatchLine>)> {
        let (before, after) = (old.as_bytes(), new.as_bytes());
        let prefix = common_prefix(before, after);
        one_line(old, new, prefix, common_suffix(&before[prefix..], &after[prefix..]))
    }

    #[test]
    fn a_line_that_is_unique_is_compared_alone() {
        let lines: Vec<String> = (0..20).map(|at| format!("line {at}\n")).collect();
        let old = lines.concat();
        let new = old.replace("line 10", "line ten");
        let (part, changes) = compared_as_one_line(&old, &new).expect("one line");
        assert_eq!(changed(&changes, part.lines_before), [(Some(10), None), (None, Some(10))]);
        assert_eq!(old[part.old_range()].lines().count(), 2 * CONTEXT + 4);
        assert!(compared_as_one_line(&old, &old.replace("line 10", "line 3")).is_none());
        assert!(compared_as_one_line(&old, &old.replace("line 10\n", "")).is_none());
    }

    proptest! {
        #[test]
        fn one_line_is_what_a_comparison_of_all_lines_finds(
            lines in prop::collection::vec(prop::sample::select(vec!["a", "b", "ab", ""]), 1..24),
            at in 0_usize..24,
            new_line in prop::sample::select(vec!["c", "ac", "a", "", "b\nc"]),
            has_end in any::<bool>(),
        ) {
            let at = at % lines.len();
            let old = format!("{}{}", lines.join("\n"), if has_end { "\n" } else { "" });
            let mut others = lines.clone();
            others[at] = new_line;
            let new = format!("{}{}", others.join("\n"), if has_end { "\n" } else { "" });
            if let Some((part, changes)) = compared_as_one_line(&old, &new) {
                prop_assert_eq!(
                    changed(&changes, part.lines_before),
                    changed(&changed_lines(&old, &new), 0)
                );
            }
        }
    }
}
