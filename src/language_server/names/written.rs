//! How a name is written: the bytes that a rename replaces.

use std::ops::Range;

use lossless_yaml::{Document, NodeKind};
use source_diagnostics::Span;

/// The bytes of a name in the scalar at a span, without quotes; `None` if the text does not have it as it is: it is escaped, folded
/// or computed. An alias is written where its anchor is.
pub(super) fn written(document: &Document, span: Span, name: &str) -> Option<Range<usize>> {
    let text = document.slice_of(span)?;
    let bytes = if text.starts_with('*') {
        let target = anchored(document, span)?;
        document.scalar_offsets(target, name)?.span(0..name.len())?.range()
    } else {
        match document.scalar_offsets(span, name).and_then(|offsets| offsets.span(0..name.len())) {
            Some(exact) if document.text().get(exact.range()) == Some(name) => exact.range(),
            // The short tag `!GetAtt resource.attribute` has several names in one scalar.
            _ => part(text, name)
                .map(|at| span.range().start + at.start..span.range().start + at.end)?,
        }
    };
    (!name.is_empty() && document.text().get(bytes.clone()) == Some(name)).then_some(bytes)
}

/// A name between dots.
fn part(text: &str, name: &str) -> Option<Range<usize>> {
    let start = text.len() - text.trim_start_matches(['"', '\'']).len();
    let body = text.get(start..)?.trim_end_matches(['"', '\'']);
    if let Some(rest) = body.strip_prefix(name)
        && rest.starts_with('.')
    {
        return Some(start..start + name.len());
    }
    let (first, rest) = body.split_once('.')?;
    let behind = start + first.len() + 1;
    (rest == name).then_some(behind..behind + name.len())
}

/// The span of the scalar that the alias at a span refers to.
fn anchored(document: &Document, alias: Span) -> Option<Span> {
    let is_it = |node: &&lossless_yaml::Node| node.start == alias.start && node.end == alias.end;
    let node = document.nodes().iter().find(is_it)?;
    let NodeKind::Alias(target) = node.kind else { return None };
    Some(document.span(target))
}

/// Text of a span that may belong to another source.
trait SliceOf {
    fn slice_of(&self, span: Span) -> Option<&str>;
}

impl SliceOf for Document {
    fn slice_of(&self, span: Span) -> Option<&str> {
        (span.source == self.source()).then(|| self.text().get(span.range()))?
    }
}
