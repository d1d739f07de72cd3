//! Places in files as all JSON has them, and the lines and columns of spans.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::{LineIndex, Position, SourceId, SourceMap, Span};

/// A part of a file: from `start` up to, not including, `end`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, JsonSchema)]
pub struct SourceRange {
    /// The file, as the user named it or as it was found.
    pub path: String,
    /// Position of the first character.
    pub start: SourcePoint,
    /// Position after the last character.
    pub end: SourcePoint,
}

/// One end of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, JsonSchema)]
pub struct SourcePoint {
    /// Number of the line, counted from 1.
    pub line: u32,
    /// Column in characters, from 1, a byte order mark not included.
    pub column: u32,
    /// Bytes of the file before it, a byte order mark included.
    pub byte: u32,
}

/// Finds lines and columns; every source is indexed once, when it is first asked for.
#[derive(Debug)]
pub struct SourceLocator<'a> {
    sources: &'a SourceMap,
    lines: HashMap<SourceId, LineIndex>,
}

impl<'a> SourceLocator<'a> {
    /// Finds places in these sources.
    pub fn new(sources: &'a SourceMap) -> Self {
        SourceLocator { sources, lines: HashMap::new() }
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

    /// A span as all JSON has it; `None` for what stands in no file.
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

    /// Where a span starts and ends.
    pub fn positions(&mut self, span: Span) -> (Position, Position) {
        let text = self.text(span.source);
        let lines = self.lines(span.source);
        (lines.position(text, span.start), lines.position(text, span.end))
    }
}
