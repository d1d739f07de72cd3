//! Lines and columns of spans.

use std::collections::HashMap;

use crate::diagnostics::{LineIndex, Position, SourceId, SourceMap, Span};

/// Finds lines and columns; every source is indexed once, when it is first asked for.
#[derive(Debug)]
pub struct Places<'a> {
    sources: &'a SourceMap,
    lines: HashMap<SourceId, LineIndex>,
}

impl<'a> Places<'a> {
    /// Of these sources.
    pub fn new(sources: &'a SourceMap) -> Self {
        Places { sources, lines: HashMap::new() }
    }

    /// The name of a source.
    pub fn name(&self, source: SourceId) -> &'a str {
        self.sources.name(source)
    }

    /// The text of a source.
    pub fn text(&self, source: SourceId) -> &'a str {
        self.sources.text(source)
    }

    /// The lines of a source.
    pub fn lines(&mut self, source: SourceId) -> &LineIndex {
        let text = self.text(source);
        self.lines.entry(source).or_insert_with(|| LineIndex::new(text))
    }

    /// Where a span starts and ends.
    pub fn of(&mut self, span: Span) -> (Position, Position) {
        let text = self.text(span.source);
        let lines = self.lines(span.source);
        (lines.position(text, span.start), lines.position(text, span.end))
    }
}
