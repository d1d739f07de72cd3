//! Byte edits: collected against the spans of a document, applied together.

use super::Document;
use source_diagnostics::{Diagnostic, SourceId, Span};

/// A replacement of bytes. An empty span inserts at its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The bytes to replace.
    pub span: Span,
    /// The text that is written in place of these bytes; empty for a deletion.
    pub text: String,
}

/// The edits of one document, in any order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Edits {
    edits: Vec<Edit>,
}

impl Edits {
    /// An empty set of edits.
    pub fn new() -> Self {
        Edits::default()
    }

    /// Replaces the bytes of `span`.
    pub fn replace(&mut self, span: Span, text: impl Into<String>) {
        self.edits.push(Edit { span, text: text.into() });
    }

    /// Inserts where `span` starts. Several inserts at one position keep the order in which they were added,
    /// and precede a replacement that starts at the same byte.
    pub fn insert(&mut self, span: Span, text: impl Into<String>) {
        self.replace(Span::new(span.source, span.start, span.start), text);
    }

    /// Deletes the bytes of `span`.
    pub fn delete(&mut self, span: Span) {
        self.replace(span, "");
    }

    /// Adds all edits of `other` after these.
    pub fn extend(&mut self, other: Edits) {
        self.edits.extend(other.edits);
    }

    /// True if there are no edits.
    pub fn is_empty(&self) -> bool {
        self.edits.is_empty()
    }

    /// The edits in the order of the text.
    pub fn sorted(&self) -> Vec<&Edit> {
        let mut sorted: Vec<&Edit> = self.edits.iter().collect();
        // An insert goes before a replacement that starts at the same byte; the sort is stable.
        sorted.sort_by_key(|edit| (edit.span.start, !edit.span.is_empty()));
        sorted
    }

    /// The span in the old text of what is at `span` in the new one, with the whole of each part that an edit replaced and that
    /// `span` touches.
    pub fn before(&self, span: Span) -> Span {
        let mut shift: i64 = 0;
        let (mut start, mut end) = (None, None);
        let old = |new: u32, shift: i64| (i64::from(new) - shift) as u32;
        for edit in self.sorted() {
            let new_start = (i64::from(edit.span.start) + shift) as u32;
            let new_end = new_start + edit.text.len() as u32;
            if start.is_none() && new_end > span.start {
                start = Some(old(span.start, shift).min(edit.span.start));
            }
            if end.is_none() && new_start >= span.end {
                end = Some(old(span.end, shift));
            }
            if end.is_none() && new_end >= span.end {
                end = Some(edit.span.end);
            }
            shift += edit.text.len() as i64 - i64::from(edit.span.end - edit.span.start);
        }
        let start = start.unwrap_or_else(|| old(span.start, shift));
        let end = end.unwrap_or_else(|| old(span.end, shift));
        Span { start, end: end.max(start), ..span }
    }

    /// The span in the new text of what is at `span` in the old one, with the whole of each replacement that `span` touches. What is
    /// inserted at its ends is not in it, unless it is empty.
    pub fn after(&self, span: Span) -> Span {
        let (mut start, mut end) = (None, None);
        let mut shift: i64 = 0;
        let new = |old: u32, shift: i64| (i64::from(old) + shift) as u32;
        for edit in self.sorted() {
            let is_before = match span.is_empty() && edit.span.is_empty() {
                true => edit.span.start < span.start,
                false => edit.span.end <= span.start,
            };
            if !is_before && start.is_none() {
                start = Some(new(edit.span.start.min(span.start), shift));
            }
            let is_behind = match span.is_empty() && edit.span.is_empty() {
                true => edit.span.start > span.end,
                false => edit.span.start >= span.end,
            };
            if is_behind {
                end = Some(new(span.end, shift));
                break;
            }
            shift += edit.text.len() as i64 - i64::from(edit.span.end - edit.span.start);
            if !is_before && edit.span.end > span.end {
                end = Some(new(edit.span.end, shift));
                break;
            }
        }
        let start = start.unwrap_or_else(|| new(span.start, shift));
        Span { start, end: end.unwrap_or_else(|| new(span.end, shift)), ..span }
    }

    /// The edits that do at once what these edits do and then `later` ones to the text `middle`, the result of these.
    pub fn then(&self, middle: &str, later: &Edits) -> Edits {
        /// What one of the edits has in the middle text, and by how much the first ones made it longer.
        struct Part<'e> {
            start: u32,
            end: u32,
            growth: i64,
            later: Option<&'e Edit>,
        }
        let Some(source) = self.edits.first().map(|edit| edit.span.source) else {
            return later.clone();
        };
        let mut parts = Vec::new();
        let mut shift: i64 = 0;
        for edit in self.sorted() {
            let start = (i64::from(edit.span.start) + shift) as u32;
            let growth = edit.text.len() as i64 - i64::from(edit.span.end - edit.span.start);
            shift += growth;
            parts.push(Part { start, end: start + edit.text.len() as u32, growth, later: None });
        }
        for edit in later.sorted() {
            let Span { start, end, .. } = edit.span;
            parts.push(Part { start, end, growth: 0, later: Some(edit) });
        }
        parts.sort_by_key(|part| (part.start, part.later.is_some(), part.end));
        let mut all = Edits::new();
        let mut growth_before: i64 = 0;
        let mut rest = &parts[..];
        while let Some(first) = rest.first() {
            // Parts that touch are one edit.
            let mut end = first.end;
            let count = rest.iter().take_while(|part| {
                let touches = part.start <= end;
                end = if touches { end.max(part.end) } else { end };
                touches
            });
            let (together, others) = rest.split_at(count.count());
            let mut text = String::new();
            let mut done = first.start;
            for edit in together.iter().filter_map(|part| part.later) {
                text.push_str(&middle[done as usize..edit.span.start as usize]);
                text.push_str(&edit.text);
                done = edit.span.end;
            }
            text.push_str(&middle[done as usize..end as usize]);
            let growth: i64 = together.iter().map(|part| part.growth).sum();
            let old_start = i64::from(first.start) - growth_before;
            let old_end = i64::from(end) - growth_before - growth;
            all.replace(Span::new(source, old_start as u32, old_end as u32), text);
            growth_before += growth;
            rest = others;
        }
        all
    }

    /// The text of `document` with all edits applied. Edits that overlap, or that do not fit the
    /// text, are an error.
    pub fn apply(&self, document: &Document) -> Result<String, Box<Diagnostic>> {
        self.apply_to(document.source(), document.text())
    }

    /// The same for the text of a source that is not a document.
    pub fn apply_to(&self, source: SourceId, text: &str) -> Result<String, Box<Diagnostic>> {
        let sorted = self.sorted();
        let added: usize = sorted.iter().map(|edit| edit.text.len()).sum();
        let mut result = String::with_capacity(text.len() + added);
        let mut done = 0;
        let mut last = None;
        for edit in sorted {
            let range = edit.span.range();
            if range.start < done {
                return Err(overlap(edit, last));
            }
            let kept = text.get(done..range.start);
            let (Some(kept), Some(_)) = (kept, text.get(range.clone())) else {
                return Err(misfit(edit));
            };
            if edit.span.source != source {
                return Err(misfit(edit));
            }
            result.push_str(kept);
            result.push_str(&edit.text);
            done = range.end;
            last = Some(edit.span);
        }
        result.push_str(&text[done..]);
        Ok(result)
    }
}

fn overlap(edit: &Edit, earlier: Option<Span>) -> Box<Diagnostic> {
    let finding =
        Diagnostic::new(crate::codes::OVERLAPPING_EDITS, "two edits change the same bytes")
            .labeled(edit.span, "one edit is here");
    Box::new(match earlier {
        Some(span) => finding.related(span, "the other edit is here"),
        None => finding,
    })
}

fn misfit(edit: &Edit) -> Box<Diagnostic> {
    Box::new(
        Diagnostic::new(
            crate::codes::OVERLAPPING_EDITS,
            "an edit is outside of the text that it applies to",
        )
        .at(edit.span),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Syntax;
    use proptest::prelude::*;
    use source_diagnostics::SourceId;

    fn document(text: &str) -> Document {
        Document::assemble(
            SourceId(0),
            text.into(),
            Syntax::Yaml,
            Vec::new(),
            None,
            Vec::new(),
            Vec::new(),
        )
    }

    fn span(start: u32, end: u32) -> Span {
        Span::new(SourceId(0), start, end)
    }

    #[test]
    fn edits_are_applied_in_the_order_of_the_text() {
        let mut edits = Edits::new();
        edits.replace(span(4, 7), "three");
        edits.delete(span(0, 2));
        edits.insert(span(7, 7), "!");
        edits.insert(span(4, 4), "<");
        edits.insert(span(4, 7), ">");
        assert_eq!(edits.apply(&document("one two four")).as_deref(), Ok("e <>three! four"));
    }

    #[test]
    fn touching_edits_do_not_overlap() {
        let mut edits = Edits::new();
        edits.replace(span(0, 1), "A");
        edits.replace(span(1, 2), "B");
        edits.insert(span(1, 1), "-");
        assert_eq!(edits.apply(&document("abc")).as_deref(), Ok("A-Bc"));
    }

    #[test]
    fn shared_bytes_are_an_error_with_both_places() {
        for (one, other) in [((0, 2), (1, 3)), ((0, 3), (1, 1)), ((1, 2), (1, 2)), ((1, 2), (1, 3))]
        {
            let mut edits = Edits::new();
            edits.replace(span(one.0, one.1), "x");
            edits.replace(span(other.0, other.1), "y");
            let finding = edits.apply(&document("abc")).err();
            let places = finding.map(|found| (found.code, found.related.len()));
            assert_eq!(places, Some((crate::codes::OVERLAPPING_EDITS, 1)));
        }
    }

    #[test]
    fn what_does_not_fit_is_an_error() {
        let source = SourceId(1);
        for bad in [span(2, 9), span(1, 2), Span::new(source, 0, 0)] {
            let mut edits = Edits::new();
            edits.replace(bad, "x");
            assert!(edits.apply(&document("é!")).is_err(), "{bad:?}");
        }
    }

    /// Edits of a text from random numbers: replacements of parts that do not overlap.
    fn some_edits(text: &str, numbers: &[(usize, usize, usize)]) -> Edits {
        let mut edits = Edits::new();
        let mut at = 0;
        for (skip, length, new) in numbers {
            let start = at + skip;
            let end = start + length;
            if end > text.len() {
                break;
            }
            edits.replace(span(start as u32, end as u32), "xyz"[..*new].to_owned());
            at = end;
        }
        edits
    }

    proptest! {
        /// Two sets of edits, one after the other, are one set; places can be followed through it.
        #[test]
        fn edits_of_edits_are_edits(
            text in "[a-f]{0,20}",
            one in prop::collection::vec((0usize..4, 0usize..4, 0usize..3), 0..5),
            other in prop::collection::vec((0usize..4, 0usize..4, 0usize..3), 0..5),
        ) {
            let first = some_edits(&text, &one);
            let middle = first.apply(&document(&text)).expect("no overlap");
            let second = some_edits(&middle, &other);
            let last = second.apply(&document(&middle)).expect("no overlap");
            let both = first.then(&middle, &second);
            prop_assert_eq!(both.apply(&document(&text)), Ok(last));
            for start in 0..=text.len() as u32 {
                for end in start..=text.len() as u32 {
                    let old = span(start, end);
                    let new = first.after(old);
                    prop_assert!(new.start <= new.end && new.end as usize <= middle.len());
                    // A deletion at an end of the new span is not in the old one, and an insertion has no old span.
                    let again = first.after(first.before(new));
                    let inserts = first.sorted().iter().any(|edit| edit.span.is_empty());
                    let is_covered = inserts || new.is_empty() || again.contains(new);
                    prop_assert!(is_covered, "{:?} {:?} {:?}", old, new, again);
                }
            }
        }

        /// Cutting a text into pieces and replacing each gives the replacements in order.
        #[test]
        fn pieces_are_replaced_whatever_the_order(
            pieces in prop::collection::vec("[a-zé]{1,4}", 1..8),
            rotate in 0usize..8,
        ) {
            let text = pieces.concat();
            let mut at = 0;
            let mut all: Vec<Edit> = Vec::new();
            for (index, piece) in pieces.iter().enumerate() {
                let end = at + piece.len() as u32;
                all.push(Edit { span: span(at, end), text: format!("<{index}>") });
                at = end;
            }
            let expected: String = all.iter().map(|edit| edit.text.as_str()).collect();
            let count = all.len();
            all.rotate_left(rotate % count);
            prop_assert_eq!(Edits { edits: all }.apply(&document(&text)), Ok(expected));
        }
    }
}
