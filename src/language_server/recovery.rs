//! Reads what can be read of a text that is being typed.
//!
//! While somebody types, a text is broken most of the time: a key without its colon, a list that is not closed. The lines at which the
//! reader stops are replaced by blanks, so that every other part keeps its place, and the rest is read.

use std::ops::Range;
use std::sync::Arc;

use lossless_yaml::{Document, Limits, as_sent, read};
use source_diagnostics::{Diagnostic, SourceId};

use super::position::LineStarts;

/// The most places that are left out: behind these, a text is more broken than a template.
const MAX_PLACES: usize = 16;

/// The most bytes that are read again, since every other file of the project waits for the names in this one: a text of 128 KB can have
/// all places left out, one of 2 MB none.
const MAX_READ_AGAIN: usize = 2 << 20;

/// The readable part of a text.
#[derive(Debug)]
pub(super) struct ReadableText {
    /// The text with blanks in place of what cannot be read; it has the same length.
    pub(super) text: Arc<str>,
    /// The document of that text; `None` if nothing can be read.
    pub(super) document: Option<Document>,
    /// Why the reader stopped: one error for each place.
    pub(super) errors: Vec<Diagnostic>,
    /// The bytes that are left out.
    pub(super) left_out: Vec<Range<usize>>,
}

impl ReadableText {
    /// Whether all of the text is read.
    pub(super) fn is_whole(&self) -> bool {
        self.document.is_some() && self.left_out.is_empty()
    }

    pub(super) fn new(text: &Arc<str>, limits: &Limits) -> Self {
        let mut readable = ReadableText {
            text: Arc::clone(text),
            document: None,
            errors: vec![],
            left_out: vec![],
        };
        let lines = LineStarts::new(text);
        let most = MAX_PLACES.min(MAX_READ_AGAIN / text.len().max(1));
        while readable.errors.len() <= most {
            let error = match read(SourceId(0), Arc::clone(&readable.text), limits) {
                Ok(document) => {
                    readable.document = Some(document);
                    break;
                }
                Err(error) => error,
            };
            // What is too large or too deep is so without any one line, too.
            let is_syntax = error.code == lossless_yaml::codes::YAML_SYNTAX;
            let next = readable.next_line(&lines, &error).filter(|_| is_syntax);
            readable.errors.push(*error);
            let Some(line) = next else { break };
            readable.leave_out(lines.line(text, line));
        }
        // Heat's client does not send the blanks at the end, where other commands report no error either.
        let end = u32::try_from(as_sent(text).len()).unwrap_or(u32::MAX);
        for label in readable.errors.iter_mut().filter_map(|error| error.primary.as_mut()) {
            label.span.start = label.span.start.min(end);
            label.span.end = label.span.end.min(end);
        }
        // The reader stops at the first error: one at the same line or before results from what was left out.
        let mut last = None;
        readable.errors.retain(|error| {
            let line = error.span().map(|span| lines.line_of(span.start as usize));
            let is_behind = last.is_none_or(|last| line > last);
            last = last.max(Some(line));
            is_behind
        });
        readable
    }

    /// The line to leave out: where the construct begins that the reader could not finish, else where it stopped, else the nearest
    /// one above that has content.
    fn next_line(&self, lines: &LineStarts, error: &Diagnostic) -> Option<usize> {
        let stop = error.span()?.start as usize;
        let starts =
            error.related.iter().map(|label| label.span.start as usize).filter(|it| *it <= stop);
        let has_content = |line: &usize| {
            let line = self.text.get(lines.line(&self.text, *line)).unwrap_or_default().trim();
            !line.is_empty() && !line.starts_with('#')
        };
        let stopped = lines.line_of(stop);
        let mut candidates = starts.map(|at| lines.line_of(at)).chain((0..=stopped).rev());
        candidates.find(has_content).or_else(|| (stopped..lines.count()).find(has_content))
    }

    fn leave_out(&mut self, bytes: Range<usize>) {
        let mut text = String::from(&*self.text);
        let blanks = " ".repeat(bytes.len());
        text.replace_range(bytes.clone(), &blanks);
        self.text = text.into();
        self.left_out.push(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn readable(text: &str) -> ReadableText {
        ReadableText::new(&Arc::from(text), &Limits::default())
    }

    #[test]
    fn a_key_without_a_colon_is_left_out_and_the_rest_keeps_its_place() {
        let text = "a: 1\nb:\n  c: 2\n  ty\n  d: 3\n";
        let read = readable(text);
        let document = read.document.as_ref().expect("readable");
        assert_eq!(read.text.len(), text.len());
        assert_eq!(read.errors.len(), 1);
        let root = document.root().expect("a root");
        let b = document.get(root, "b").expect("b");
        assert_eq!(document.entries(b).len(), 2);
        let line = text.find("  ty").expect("there")..text.find("\n  d").expect("there");
        assert_eq!(read.left_out, vec![line]);
    }

    #[test]
    fn a_list_that_is_not_closed_is_left_out() {
        let read = readable("a: [1, {b: 2\nc: 3\n");
        let document = read.document.expect("readable");
        let root = document.root().expect("a root");
        assert_eq!(document.entries(root).len(), 1);
    }

    #[test]
    fn a_large_text_is_not_read_again_and_again() {
        let broken =
            format!("resources:\n{}  x: [\n", "  net: {type: OS::Neutron::Net}\n".repeat(40_000));
        let again = MAX_READ_AGAIN / broken.len();
        assert!((1..MAX_PLACES).contains(&again));
        let read = readable(&(broken + &"  x: [\n".repeat(MAX_PLACES)));
        assert!(read.document.is_none());
        assert_eq!(read.left_out.len(), again + 1);
    }

    #[test]
    fn what_cannot_be_read_at_all_ends() {
        for text in
            ["[", "{{{{", "\"", "a: b: c: d", "- a\nb\n- [", "\t\t\ta", "%%%", "&a *a", "? [\n: {"]
        {
            let read = readable(text);
            assert_eq!(read.text.len(), text.len(), "{text:?}");
            assert_eq!(read.errors.is_empty(), read.is_whole(), "{text:?}");
        }
    }
}
