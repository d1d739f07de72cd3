//! Source ranges as JSON output has them, and the lines and columns of spans.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::{Diagnostic, LineIndex, MaskedSources, Position, SourceId, Span};

/// A part of a file: from `start` up to, not including, `end`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, JsonSchema)]
pub struct SourceRange {
    /// The file, as the user typed it or as the search found it.
    pub path: String,
    /// Position of the first character.
    pub start: SourcePoint,
    /// Position after the last character.
    pub end: SourcePoint,
}

/// One end of a source range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, JsonSchema)]
pub struct SourcePoint {
    /// Line number, counted from 1.
    pub line: u32,
    /// Column in characters, counted from 1; a byte order mark is not counted.
    pub column: u32,
    /// Offset in bytes from the start of the file; a byte order mark is counted.
    pub byte: u32,
}

/// Finds lines and columns; indexes each source once, when it is first needed.
#[derive(Debug)]
pub struct SourceLocator<'a> {
    sources: &'a MaskedSources,
    lines: HashMap<SourceId, LineIndex>,
}

impl<'a> SourceLocator<'a> {
    /// A locator for spans of these sources.
    pub fn new(sources: &'a MaskedSources) -> Self {
        SourceLocator { sources, lines: HashMap::new() }
    }

    /// The place of a finding: where it points, or the start of the file that it is about.
    pub fn place_of(&mut self, finding: &Diagnostic) -> Option<SourceRange> {
        let place = finding.span().and_then(|span| self.locate(span));
        let start = SourcePoint { line: 1, column: 1, byte: 0 };
        let of_file = |file: &str| SourceRange { path: file.to_owned(), start, end: start };
        place.or_else(|| finding.file.as_deref().map(of_file))
    }

    /// The name of a source as messages show it.
    pub fn name(&self, source: SourceId) -> &'a str {
        self.sources.name(source)
    }

    /// The text of a source, empty if the source is unknown.
    pub fn text(&self, source: SourceId) -> &'a str {
        self.sources.text(source)
    }

    /// The line index of a source, built on the first call.
    pub fn lines(&mut self, source: SourceId) -> &LineIndex {
        let text = self.text(source);
        self.lines.entry(source).or_insert_with(|| LineIndex::new(text))
    }

    /// A span as JSON output has it; `None` for a span of no source.
    pub fn locate(&mut self, span: Span) -> Option<SourceRange> {
        if !self.sources.contains(span.source) {
            return None;
        }
        let (start, end) = self.positions(span);
        let point = |Position { line, column }, byte| SourcePoint { line, column, byte };
        Some(SourceRange {
            path: self.name(span.source).to_owned(),
            start: point(start, span.start),
            end: point(end, span.end),
        })
    }

    /// The line and column where a span starts and where it ends.
    pub fn positions(&mut self, span: Span) -> (Position, Position) {
        let text = self.text(span.source);
        let lines = self.lines(span.source);
        (lines.position(text, span.start), lines.position(text, span.end))
    }
}
