//! The comments of a template. Each is taken once, by the construct that it belongs to.

use std::cell::RefCell;
use std::ops::Range;

use super::{Loss, LossKind, Losses, Module};
use heat_template::ir::Stack;
use lossless_yaml::Document;
use source_diagnostics::Span;

/// A comment, and whether it has been taken.
struct PendingComment {
    span: Span,
    /// The text after `#`, without the space that follows it.
    text: String,
    /// Whether it is the only thing on its line.
    is_own_line: bool,
    /// The line, counted from 0.
    line: usize,
    taken: bool,
}

/// The sections whose comments stay with what they become.
const SECTIONS_WITH_ITEMS: [&str; 4] = ["parameters", "conditions", "resources", "outputs"];

/// The comments of one document, for a target that carries them over.
pub struct Comments<'d> {
    document: Option<&'d Document>,
    lines: Vec<u32>,
    held: RefCell<Vec<PendingComment>>,
    /// The regions of items, see [`Comments::divide`].
    items: Vec<Span>,
}

impl<'d> Comments<'d> {
    /// Collects the comments of a document; without a document there are none.
    pub fn new(document: Option<&'d Document>) -> Self {
        let text = document.map_or("", Document::text);
        let starts = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let lines: Vec<u32> =
            std::iter::once(0).chain(starts.map(|(at, _)| at as u32 + 1)).collect();
        let mut held = Vec::new();
        for comment in document.into_iter().flat_map(|document| document.comments()) {
            let (start, end) = (comment.start as usize, comment.end as usize);
            let line = lines.partition_point(|begin| *begin <= comment.start) - 1;
            let before = &text[lines[line] as usize..start];
            let body = text[start..end].trim_start_matches('#');
            held.push(PendingComment {
                span: Span { start: comment.start, end: comment.end, ..span(document) },
                text: body.strip_prefix(' ').unwrap_or(body).trim_end().to_owned(),
                is_own_line: before.trim().is_empty(),
                line,
                taken: false,
            });
        }
        Comments { document, lines, held: RefCell::new(held), items: Vec::new() }
    }

    /// The comments of a template, divided into its sections, and the parameters, conditions, resources and outputs in
    /// them.
    pub fn of_template(unit: &'d Module) -> Self {
        Comments::of_stack(Some(&unit.document), &unit.stack)
    }

    /// The comments of a template like [`Comments::of_template`]; without a document there are none.
    pub fn of_stack(document: Option<&'d Document>, stack: &Stack) -> Self {
        let Some(document) = document else { return Comments::new(None) };
        let entries = document.root().map_or(&[][..], |root| document.entries(root));
        let sections = entries.iter().map(|entry| document.span(entry.key));
        let parameters = stack.parameters.values().map(|it| it.name_span);
        let conditions = stack.conditions.values().map(|it| it.name_span);
        let resources = stack.resources.values().map(|it| it.name_span);
        let outputs = stack.outputs.values().map(|it| it.name_span);
        let mut comments = Comments::new(Some(document));
        comments
            .divide(sections.chain(parameters).chain(conditions).chain(resources).chain(outputs));
        comments
    }

    /// Divides the document into items that begin at these spans. The comments of an item reach up to
    /// those directly above the next one.
    pub fn divide(&mut self, starts: impl IntoIterator<Item = Span>) {
        let mut starts: Vec<Span> = starts.into_iter().filter(|start| self.holds(*start)).collect();
        starts.sort_unstable_by_key(|start| start.start);
        let end = self.document.map_or(0, |document| document.text().len() as u32);
        let ends = starts.iter().skip(1).map(|next| self.start_above(*next));
        let ends: Vec<u32> = ends.chain([end]).collect();
        let items = starts.iter().zip(ends).map(|(start, end)| Span { end, ..*start });
        self.items = items.collect();
    }

    /// Takes the remaining comments of the item that begins at a span.
    pub fn take_item(&self, start: Span) -> Vec<String> {
        self.item(start).map(|item| self.take_inside(item)).unwrap_or_default()
    }

    /// The item that begins at a span. They are in the order of the document.
    fn item(&self, start: Span) -> Option<Span> {
        let first = self.items.partition_point(|item| item.start < start.start);
        let is_it = |item: &&Span| (item.source, item.start) == (start.source, start.start);
        self.items.get(first).filter(is_it).copied()
    }

    /// Takes the remaining comments of an item that are indented more than its name: those below its last line. Less
    /// indented ones are below all items.
    pub fn take_indented(&self, start: Span) -> Vec<String> {
        let Some(item) = self.item(start) else { return Vec::new() };
        let column = self.indentation(self.line(start.start));
        self.take(item, |comment| self.indentation(comment.line) > column)
    }

    /// Takes the remaining comments of sections of a template, which belong to none of the items in them. The names
    /// of sections are compared in lower case, as both kinds of templates have them.
    pub fn take_sections(&self, is_chosen: impl Fn(&str) -> bool) -> Vec<String> {
        let Some(document) = self.document else { return Vec::new() };
        let entries = document.root().map_or(&[][..], |root| document.entries(root));
        let chosen = entries.iter().filter(|entry| {
            document.str(entry.key).is_some_and(|name| is_chosen(&name.to_lowercase()))
        });
        let taken = chosen.flat_map(|entry| {
            let section = document.span(entry.key);
            let mut lines = self.take_lines(section);
            lines.extend(self.take_item(section));
            lines
        });
        taken.collect()
    }

    /// Takes the remaining comments of the template as a whole: those of the sections without items.
    pub fn take_head(&self) -> Vec<String> {
        self.take_sections(|section| !SECTIONS_WITH_ITEMS.contains(&section))
    }

    fn line(&self, offset: u32) -> usize {
        self.lines.partition_point(|begin| *begin <= offset) - 1
    }

    /// Takes the comments on the lines directly above a span: they belong to what starts there.
    pub fn take_above(&self, place: Span) -> Vec<String> {
        let above = self.above(place);
        let mut held = self.held.borrow_mut();
        let taken = held[above].iter_mut().map(|comment| {
            comment.taken = true;
            comment.text.clone()
        });
        taken.collect()
    }

    /// Where the comments directly above a span begin; where the span begins if there are none.
    fn start_above(&self, place: Span) -> u32 {
        let above = self.above(place);
        self.held.borrow()[above].first().map_or(place.start, |first| first.span.start)
    }

    /// The comments directly above a span, by their indices. Blank lines may separate a comment from what it
    /// belongs to, values may not; a comment that is indented more belongs to what is before it.
    fn above(&self, place: Span) -> Range<usize> {
        if !self.holds(place) {
            return 0..0;
        }
        let mut line = self.line(place.start);
        let column = self.indentation(line);
        let held = self.held.borrow();
        let end = held.partition_point(|comment| comment.line < line);
        let mut start = end;
        for comment in held[..end].iter().rev() {
            if !comment.is_own_line
                || comment.taken
                || !self.is_blank(comment.line + 1, line)
                || self.indentation(comment.line) > column
            {
                break;
            }
            line = comment.line;
            start -= 1;
        }
        start..end
    }

    /// The number of blanks at the start of a line.
    fn indentation(&self, line: usize) -> usize {
        let start = self.lines.get(line).map_or(0, |start| *start as usize);
        let text = self.document.map_or("", Document::text);
        text.get(start..).unwrap_or_default().bytes().take_while(|byte| *byte == b' ').count()
    }

    /// Takes the comment at the end of the line on which a span starts.
    pub fn take_beside(&self, place: Span) -> Option<String> {
        if !self.holds(place) {
            return None;
        }
        let line = self.line(place.start);
        let mut held = self.held.borrow_mut();
        let first = held.partition_point(|comment| comment.line < line);
        let comment = held[first..]
            .iter_mut()
            .take_while(|comment| comment.line == line)
            .find(|comment| !comment.is_own_line && !comment.taken)?;
        comment.taken = true;
        Some(comment.text.clone())
    }

    /// Takes the comments above a span and the one beside it.
    pub fn take_around(&self, place: Span) -> (Vec<String>, Option<String>) {
        (self.take_above(place), self.take_beside(place))
    }

    /// Takes the comments above a span and the one beside it, for a target that writes all of them above.
    pub fn take_lines(&self, place: Span) -> Vec<String> {
        let (mut lines, beside) = self.take_around(place);
        lines.extend(beside);
        lines
    }

    /// Takes the remaining comments inside a span.
    pub fn take_inside(&self, place: Span) -> Vec<String> {
        match self.holds(place) {
            true => self.take(place, |_| true),
            false => Vec::new(),
        }
    }

    /// Takes all remaining comments, in order.
    pub fn take_rest(&self) -> Vec<String> {
        self.take(Span { start: 0, end: u32::MAX, ..span(self.document) }, |_| true)
    }

    /// Takes the remaining comments that begin in a part of the document and are chosen, in order.
    fn take(&self, place: Span, is_chosen: impl Fn(&PendingComment) -> bool) -> Vec<String> {
        let mut held = self.held.borrow_mut();
        let first = held.partition_point(|comment| comment.span.start < place.start);
        let inside = held[first..].iter_mut().take_while(|it| it.span.start < place.end);
        let chosen = inside.filter(|comment| !comment.taken && is_chosen(comment));
        chosen
            .map(|comment| {
                comment.taken = true;
                comment.text.clone()
            })
            .collect()
    }

    /// Reports the remaining comments as one loss.
    pub fn report_remaining(&self, losses: &mut Losses, target: &str) {
        let held = self.held.borrow();
        let mut left = held.iter().filter(|comment| !comment.taken).map(|comment| comment.span);
        let Some(first) = left.next() else { return };
        let also: Vec<Span> = left.collect();
        let message = match also.len() {
            0 => format!("{target} cannot hold a comment of the template"),
            more => format!("{target} cannot hold {} comments of the template", more + 1),
        };
        let mut loss = Loss::new(LossKind::Comment, "#", message, first);
        loss.other_spans = also;
        losses.add(loss);
    }

    fn holds(&self, place: Span) -> bool {
        self.document.is_some_and(|document| document.source() == place.source)
            && place != Span::NOWHERE
    }

    /// Whether the lines from `first` up to `last` are blank.
    fn is_blank(&self, first: usize, last: usize) -> bool {
        let Some(document) = self.document else { return true };
        let text = document.text();
        let start = self.lines.get(first).map_or(text.len(), |at| *at as usize);
        let end = self.lines.get(last).map_or(text.len(), |at| *at as usize);
        text.get(start..end).is_none_or(|between| between.trim().is_empty())
    }
}

fn span(document: Option<&Document>) -> Span {
    document.map_or(Span::NOWHERE, |document| Span::new(document.source(), 0, 0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lossless_yaml::{Limits, read};
    use source_diagnostics::SourceId;

    #[test]
    fn comments_go_with_what_they_are_about_and_the_rest_is_lost() {
        let text = "# one\n# two\n\na: 1 # three\nb: 2\n  # of b\n# four\nc: 3\n# five\n";
        let document = read(SourceId(0), text.into(), &Limits::default()).expect("YAML");
        let mut comments = Comments::new(Some(&document));
        let at = |text_of: &str| {
            let start = text.find(text_of).expect("a part") as u32;
            Span::new(SourceId(0), start, start + 1)
        };
        comments.divide([at("c: 3"), at("b: 2"), at("a: 1")]);
        assert_eq!(comments.take_above(at("a: 1")), ["one", "two"]);
        assert_eq!(comments.take_above(at("a: 1")), [""; 0]);
        assert_eq!(comments.take_beside(at("a: 1")), Some("three".to_owned()));
        assert_eq!(comments.take_above(at("b: 2")), [""; 0]);
        assert_eq!(comments.take_item(at("b: 2")), ["of b"]);
        assert_eq!(comments.take_above(at("c: 3")), ["four"]);
        assert_eq!(comments.take_indented(at("c: 3")), [""; 0]);
        let mut losses = Losses::default();
        comments.report_remaining(&mut losses, "dot");
        assert_eq!(losses.as_slice().len(), 1);
        assert_eq!(comments.take_rest(), ["five"]);
        let mut comments = Comments::new(Some(&document));
        comments.divide([at("b: 2"), at("c: 3")]);
        assert_eq!(comments.take_indented(at("b: 2")), ["of b"]);
    }
}
