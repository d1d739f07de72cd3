//! Extracts the source lines of a finding and prepares them for display.

use std::ops::Range;

use super::SourceLocator;
use super::escape::visible_char;
use source_diagnostics::{Label, LineIndex, SourceId};

/// A span over more lines than this is shown by its first line.
const MAX_LINES: u32 = 6;

/// Labels within this many lines are shown in one excerpt.
const MAX_GAP: u32 = 8;

/// The number of characters of a long line that are shown before its first label.
const BEFORE: usize = 200;
/// The number of characters that are shown from there on.
const AFTER: usize = 600;

/// Lines of one source with labels in them.
pub(super) struct Excerpt<'a> {
    pub(super) source: SourceId,
    /// The number of the first line, from 1.
    pub(super) line: u32,
    /// The lines, with each unprintable character replaced by another one.
    pub(super) text: String,
    /// The labels, the main one first.
    pub(super) labels: Vec<ShownLabel<'a>>,
}

/// A label in the text of an [`Excerpt`].
pub(super) struct ShownLabel<'a> {
    pub(super) range: Range<usize>,
    pub(super) label: &'a Label,
    pub(super) main: bool,
}

/// A label in the text of its source, limited to the shown lines.
struct PlacedLabel<'a> {
    label: &'a Label,
    main: bool,
    range: Range<usize>,
    first_line: u32,
    last_line: u32,
}

/// The excerpts for a main label and others: the main one's first, the others in order.
pub(super) fn excerpts<'a>(
    main: &'a Label,
    others: &'a [Label],
    places: &mut SourceLocator<'_>,
) -> Vec<Excerpt<'a>> {
    let mut groups: Vec<Vec<PlacedLabel<'a>>> = Vec::new();
    let labels = std::iter::once((main, true)).chain(others.iter().map(|other| (other, false)));
    for (label, is_main) in labels {
        let text = places.text(label.span.source);
        let placed = place_label(label, is_main, text, places.lines(label.span.source));
        match groups.iter_mut().find(|group| placed.is_near(group)) {
            Some(group) => group.push(placed),
            None => groups.push(vec![placed]),
        }
    }
    let shown = groups.into_iter().map(|group| {
        let source = group[0].label.span.source;
        let text = places.text(source);
        copy_lines(source, group, text, places.lines(source))
    });
    shown.collect()
}

impl PlacedLabel<'_> {
    fn is_near(&self, group: &[PlacedLabel<'_>]) -> bool {
        group.iter().any(|other| {
            other.label.span.source == self.label.span.source
                && self.first_line <= other.last_line + MAX_GAP
                && other.first_line <= self.last_line + MAX_GAP
        })
    }
}

/// Places a label: on character boundaries, without trailing white space, and on the
/// first line only if it is long.
fn place_label<'a>(label: &'a Label, main: bool, text: &str, lines: &LineIndex) -> PlacedLabel<'a> {
    let start = text.floor_char_boundary(label.span.start as usize);
    let end = text.ceil_char_boundary(label.span.end as usize).max(start);
    let mut end = start + text[start..end].trim_end().len();
    let line_of = |offset: usize| lines.position(text, offset as u32).line;
    let first_line = line_of(start);
    let mut last_line = line_of(end);
    if last_line - first_line >= MAX_LINES {
        last_line = first_line;
        end = lines.line_range(text, first_line).end.max(start);
    }
    PlacedLabel { label, main, range: start..end, first_line, last_line }
}

/// Copies the lines of the labels and moves the labels to the copy.
fn copy_lines<'a>(
    source: SourceId,
    labels: Vec<PlacedLabel<'a>>,
    text: &str,
    lines: &LineIndex,
) -> Excerpt<'a> {
    let first = labels.iter().map(|placed| placed.first_line).min().unwrap_or(1);
    let last = labels.iter().map(|placed| placed.last_line).max().unwrap_or(1);
    let mut shown = String::new();
    let mut ranges: Vec<Range<usize>> = vec![0..0; labels.len()];
    for line in first..=last {
        if line > first {
            shown.push('\n');
        }
        let whole = lines.line_range(text, line);
        let part = part_of_line(text, whole.clone(), &labels);
        if part.start > whole.start && !is_bom(text, part.start) {
            shown.push('…');
        }
        let at = shown.len();
        shown.extend(text[part.clone()].chars().map(printable));
        for (placed, range) in labels.iter().zip(&mut ranges) {
            // A label's end that is in the omitted part of the line moves to the cut.
            let moved = |offset: usize| {
                let offset = offset.clamp(part.start, part.end);
                at + text[part.start..offset]
                    .chars()
                    .map(|c| printable(c).len_utf8())
                    .sum::<usize>()
            };
            if placed.first_line == line {
                range.start = moved(placed.range.start);
            }
            if placed.last_line == line {
                range.end = moved(placed.range.end).max(range.start);
            }
        }
        if part.end < whole.end {
            shown.push('…');
        }
    }
    let moved = labels.into_iter().zip(ranges);
    let labels =
        moved.map(|(placed, range)| ShownLabel { range, label: placed.label, main: placed.main });
    Excerpt { source, line: first, text: shown, labels: labels.collect() }
}

/// The shown part of a line: all of it unless it is long, otherwise the surroundings of the
/// first label that starts on it. A byte order mark is not part of a line.
fn part_of_line(text: &str, line: Range<usize>, labels: &[PlacedLabel<'_>]) -> Range<usize> {
    let start = if is_bom(text, line.start + BOM.len()) { BOM.len() } else { line.start };
    let line = start.min(line.end)..line.end;
    if line.len() <= BEFORE + AFTER {
        return line;
    }
    let labelled = labels.iter().map(|placed| placed.range.start);
    let on_line = labelled.filter(|at| (line.start..=line.end).contains(at));
    let focus = on_line.min().unwrap_or(line.start);
    let before = text[line.start..focus].char_indices().rev().nth(BEFORE - 1);
    let after = text[focus..line.end].char_indices().nth(AFTER);
    before.map_or(line.start, |(at, _)| line.start + at)
        ..after.map_or(line.end, |(at, _)| focus + at)
}

const BOM: &str = "\u{feff}";

/// Whether a byte order mark ends at `offset` and the text before it consists of byte order marks.
fn is_bom(text: &str, offset: usize) -> bool {
    offset == BOM.len() && text.starts_with(BOM)
}

/// Replaces a character by exactly one; a tab stays, since the renderer knows its width.
fn printable(c: char) -> char {
    if c == '\t' { c } else { visible_char(c) }
}
