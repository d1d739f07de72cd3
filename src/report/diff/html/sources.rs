//! The changed lines, old and new side by side.

use similar::{DiffOp, TextDiff};

use super::limits::MAX_SOURCE_LINES;
use super::{markup, words};
use crate::report::diff::labels;
use crate::report::diff::model::{ResourceEntry, Source, SourcePlace};
use hotplate_diff::Places;

/// The maximum number of lines shown of one excerpt, for each side.
const MAX_LINES: usize = 160;

/// The maximum number of characters shown of a line.
const MAX_CHARACTERS: usize = 400;

/// The sources of a resource as HTML; `None` if no line is known. `budget` is the number of
/// lines that may still be shown.
pub(super) fn resource_sources(
    resource: &ResourceEntry,
    sources: &[Source],
    context: usize,
    budget: &mut usize,
) -> Option<String> {
    let cuts = source_excerpts(resource, context);
    let mut html = String::new();
    let mut omitted = 0;
    for cut in &cuts {
        match cut.to_html(sources, context) {
            Some((lines, count)) if count <= *budget => {
                *budget -= count;
                html.push_str(&lines);
            }
            Some((_, count)) => omitted += count,
            None => {}
        }
    }
    if omitted > 0 {
        html.push_str(&format!(
            "<p class=\"soft\">{} left out: the page has {MAX_SOURCE_LINES} lines of sources</p>",
            labels::counted_noun(omitted, "more line")
        ));
    }
    (!html.is_empty()).then_some(html)
}

/// A range of lines of a source, both ends included.
#[derive(Clone, Copy, Debug, PartialEq)]
struct LineRange {
    source: usize,
    first: u32,
    last: u32,
}

/// Excerpts of the old and of the new source that correspond.
#[derive(Debug)]
struct SourceExcerpt<'r> {
    old: Option<LineRange>,
    new: Option<LineRange>,
    /// The differences in the old excerpt.
    old_marks: Vec<&'r SourcePlace>,
    new_marks: Vec<&'r SourcePlace>,
}

/// The excerpts for a resource: its name, and every difference.
fn source_excerpts(resource: &ResourceEntry, context: usize) -> Vec<SourceExcerpt<'_>> {
    let mut pairs = vec![(&resource.places, false)];
    for reason in &resource.reasons {
        let inside = reason.changes.iter().map(|change| (&change.places, true));
        let before = pairs.len();
        pairs.extend(inside.filter(|(places, _)| places.old.is_some() || places.new.is_some()));
        let whole = pairs.len() == before;
        pairs.push((&reason.places, whole));
    }
    // A part that one side lacks has no lines there; of an added or removed resource only the name
    // is marked.
    let comes_or_goes = resource.places.old.is_none() || resource.places.new.is_none();
    let mut cuts: Vec<SourceExcerpt<'_>> = Vec::new();
    for (places, is_mark) in pairs {
        let Places { old, new } = places.as_ref();
        if old.is_none() && new.is_none() {
            continue;
        }
        let is_mark = is_mark || comes_or_goes;
        let piece = SourceExcerpt {
            old: old.map(LineRange::of),
            new: new.map(LineRange::of),
            old_marks: old.filter(|_| is_mark).into_iter().collect(),
            new_marks: new.filter(|_| is_mark).into_iter().collect(),
        };
        match cuts.iter_mut().find(|cut| cut.is_near(&piece, context)) {
            Some(cut) => cut.join(piece),
            None => cuts.push(piece),
        }
    }
    cuts
}

impl LineRange {
    fn of(SourcePlace { place, source }: &SourcePlace) -> Self {
        // A value that ends at the start of a line does not include that line.
        let (first, end) = (place.start.line, place.end);
        let last = if end.column == 1 { end.line.saturating_sub(1) } else { end.line };
        LineRange { source: *source, first, last: last.max(first) }
    }

    /// Whether the gap is not larger than the context of both.
    fn is_near(self, other: LineRange, context: usize) -> bool {
        let between = u32::try_from(2 * context + 1).unwrap_or(u32::MAX);
        self.source == other.source
            && self.first <= other.last.saturating_add(between)
            && other.first <= self.last.saturating_add(between)
    }

    fn join(self, other: LineRange) -> LineRange {
        LineRange {
            source: self.source,
            first: self.first.min(other.first),
            last: self.last.max(other.last),
        }
    }
}

impl<'r> SourceExcerpt<'r> {
    fn is_near(&self, other: &SourceExcerpt<'r>, context: usize) -> bool {
        let side = |one: Option<LineRange>, other: Option<LineRange>| {
            one.zip(other).map(|(one, other)| one.is_near(other, context))
        };
        match (side(self.old, other.old), side(self.new, other.new)) {
            (Some(old), Some(new)) => old && new,
            (Some(near), None) | (None, Some(near)) => near,
            (None, None) => false,
        }
    }

    fn join(&mut self, other: SourceExcerpt<'r>) {
        let side = |one: Option<LineRange>, other: Option<LineRange>| match (one, other) {
            (Some(one), Some(other)) => Some(one.join(other)),
            (one, other) => one.or(other),
        };
        self.old = side(self.old, other.old);
        self.new = side(self.new, other.new);
        self.old_marks.extend(other.old_marks);
        self.new_marks.extend(other.new_marks);
    }

    /// The excerpt as HTML, with its number of lines; `None` if no line is known.
    fn to_html(&self, sources: &[Source], context: usize) -> Option<(String, usize)> {
        let alone = self.old.is_none() || self.new.is_none();
        let old = ExcerptSide::of(self.old, sources, context, alone);
        let new = ExcerptSide::of(self.new, sources, context, alone);
        if old.lines.is_empty() && new.lines.is_empty() {
            return None;
        }
        let mut html = String::from("<div class=\"cut code\">");
        html.push_str(&format!(
            "<div class=\"pair files\"><div>{}</div><div>{}</div></div>",
            markup::line(old.file),
            markup::line(new.file)
        ));
        let texts = |side: &ExcerptSide<'_>| {
            side.lines.iter().map(|(_, text)| text.to_string()).collect::<Vec<_>>()
        };
        let (old_texts, new_texts) = (texts(&old), texts(&new));
        let diff = TextDiff::from_slices(
            &old_texts.iter().map(String::as_str).collect::<Vec<_>>(),
            &new_texts.iter().map(String::as_str).collect::<Vec<_>>(),
        )
        .ops()
        .to_vec();
        for op in &diff {
            let (was, is) = (op.old_range(), op.new_range());
            if let DiffOp::Equal { .. } = op {
                // The middle of equal lines is omitted unless it is marked.
                let (start, end) = (was.start, was.end);
                let kept = |at: usize| {
                    at < start + context + 1
                        || at + context + 1 >= end
                        || marked(&self.old_marks, old.lines[at].0)
                        || marked(&self.new_marks, new.lines[is.start + at - start].0)
                };
                let mut at = start;
                while at < end {
                    let run = (at..end).take_while(|at| kept(*at)).count();
                    if run > 0 {
                        let other = is.start + at - start;
                        html.push_str("<div class=\"pair same\"><div class=\"side old\">");
                        old.rows(at..at + run, &self.old_marks, &[], &mut html);
                        html.push_str("</div><div class=\"side new\">");
                        new.rows(other..other + run, &self.new_marks, &[], &mut html);
                        html.push_str("</div></div>");
                        at += run;
                    }
                    let skipped = (at..end).take_while(|at| !kept(*at)).count();
                    if skipped > 0 {
                        html.push_str(&format!("<div class=\"gap\">⋯ {skipped} equal lines</div>"));
                        at += skipped;
                    }
                }
                continue;
            }
            let (old_words, new_words) =
                words::marked_lines(&old_texts[was.clone()], &new_texts[is.clone()]);
            html.push_str("<div class=\"pair\">");
            let sides = [
                ("del", &old, was, &self.old_marks, old_words),
                ("ins", &new, is, &self.new_marks, new_words),
            ];
            for (tag, side, range, marks, words) in sides {
                if range.is_empty() {
                    html.push_str("<div class=\"side\"></div>");
                } else {
                    html.push_str(&format!("<{tag} class=\"side\">"));
                    side.rows(range, marks, &words, &mut html);
                    html.push_str(&format!("</{tag}>"));
                }
            }
            html.push_str("</div>");
        }
        let more = old.omitted + new.omitted;
        if more > 0 {
            html.push_str(&format!("<div class=\"gap\">⋯ {more} more lines</div>"));
        }
        html.push_str("</div>");
        Some((html, old.lines.len().max(new.lines.len())))
    }
}

/// The lines of one side of an excerpt.
struct ExcerptSide<'s> {
    file: &'s str,
    /// Whether the other side has no excerpt: then all lines differ.
    is_only_side: bool,
    lines: Vec<(u32, &'s str)>,
    omitted: usize,
}

impl<'s> ExcerptSide<'s> {
    /// The lines with context; without a counterpart, only the lines of the block itself.
    fn of(lines: Option<LineRange>, sources: &'s [Source], context: usize, alone: bool) -> Self {
        let mut side = ExcerptSide { file: "", is_only_side: alone, lines: Vec::new(), omitted: 0 };
        let Some((lines, source)) =
            lines.and_then(|it| sources.get(it.source).map(|source| (it, source)))
        else {
            return side;
        };
        side.file = &source.path;
        let context = u32::try_from(context).unwrap_or(u32::MAX);
        let wanted = lines.first.saturating_sub(context)..=lines.last.saturating_add(context);
        for piece in &source.pieces {
            for (number, text) in (piece.line..).zip(&piece.lines) {
                if wanted.contains(&number) {
                    let text = if number == 1 { text.trim_start_matches('\u{feff}') } else { text };
                    side.lines.push((number, text));
                }
            }
        }
        if alone {
            side.keep_block(lines.first);
        }
        side.omitted = side.lines.len().saturating_sub(MAX_LINES);
        side.lines.truncate(MAX_LINES);
        side
    }

    /// Keeps the line `first` and the lines after it with deeper indentation: an added or removed
    /// block has no context on the other side.
    fn keep_block(&mut self, first: u32) {
        let indent = |text: &str| text.len() - text.trim_start().len();
        self.lines.retain(|(number, _)| *number >= first);
        let Some(outer) = self.lines.first().map(|(_, text)| indent(text)) else { return };
        let inside = self.lines[1..]
            .iter()
            .take_while(|(_, text)| text.trim().is_empty() || indent(text) > outer)
            .count();
        self.lines.truncate(inside + 1);
        while self.lines.last().is_some_and(|(_, text)| text.trim().is_empty()) {
            self.lines.pop();
        }
    }

    /// Writes lines. A line whose counterpart is known has its `words` marked, others the parts that differ.
    fn rows(
        &self,
        range: std::ops::Range<usize>,
        marks: &[&SourcePlace],
        words: &[Option<String>],
        html: &mut String,
    ) {
        let mut before = None;
        for (at, (number, text)) in self.lines[range].iter().enumerate() {
            if before.is_some_and(|before: u32| before + 1 < *number) {
                html.push_str("<div class=\"gap\">⋯</div>");
            }
            before = Some(*number);
            let marked = marked_text(*number, text, marks);
            let class = if marked.is_some() || self.is_only_side { "row hit" } else { "row" };
            let words = words.get(at).and_then(Option::as_ref);
            let words = words.filter(|_| marked.is_some() && text.len() <= MAX_CHARACTERS);
            let text = words
                .cloned()
                .or(marked)
                .unwrap_or_else(|| markup::text(&shortened(text)).into_owned());
            html.push_str(&format!(
                "<div class=\"{class}\"><b>{number}</b><span>{text}</span></div>"
            ));
        }
    }
}

fn marked(marks: &[&SourcePlace], number: u32) -> bool {
    marks.iter().any(|mark| {
        let LineRange { first, last, .. } = LineRange::of(mark);
        (first..=last).contains(&number)
    })
}

/// A line with its marked parts; `None` if no part is marked.
fn marked_text(number: u32, text: &str, marks: &[&SourcePlace]) -> Option<String> {
    if !marked(marks, number) {
        return None;
    }
    let shown: Vec<char> = shortened(text).chars().collect();
    let mut hit = vec![false; shown.len()];
    let indent = shown.iter().take_while(|c| c.is_whitespace()).count();
    for mark in marks.iter().filter(|mark| marked(&[mark], number)) {
        let column = |column: u32| column.saturating_sub(1) as usize;
        let (start, end) = (mark.place.start, mark.place.end);
        let start = if start.line == number { column(start.column) } else { indent };
        let end = if end.line == number { column(end.column) } else { shown.len() };
        if let Some(part) = hit.get_mut(start..end.min(shown.len())) {
            part.fill(true);
        }
    }
    let mut html = String::new();
    let mut at = 0;
    while at < shown.len() {
        let length = hit[at..].iter().take_while(|other| **other == hit[at]).count();
        let part: String = shown[at..at + length].iter().collect();
        let part = markup::text(&part);
        if hit[at] {
            html.push_str(&format!("<mark>{part}</mark>"));
        } else {
            html.push_str(&part);
        }
        at += length;
    }
    Some(html)
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(MAX_CHARACTERS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
