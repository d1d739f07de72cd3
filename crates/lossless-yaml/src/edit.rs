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

    proptest! {
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
