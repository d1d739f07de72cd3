//! The document of a text in which one scalar was replaced, without reading the whole text again.
//!
//! This is valid for a plain or quoted scalar that is, with its key, alone on a line of a root map in
//! block style. At the start of such a line the state of the scanner depends on the column of the
//! map only, and at its end again, because the scalar does not continue: what follows is a key of
//! the map, a comment, or the end. So the line is read by itself, before and after the replacement.
//! All other nodes are the same, at most moved by the difference of the lengths.

use std::sync::Arc;

use source_diagnostics::SourceId;

use crate::Edits;
use crate::document::{
    Comment, Document, Entry, Limits, Node, NodeKind, NodeStyle, Syntax, TextValue,
};
use crate::yaml::read_in_one_pass;

impl Document {
    /// The document that [`crate::read`] creates of `text`, which is the result of `edits` without
    /// white space at its end. If nothing has moved, it shares the nodes of this document, and its
    /// source stands for `source`. `None` if `edits` do more than replace a scalar on a line of the root
    /// map, or if that cannot be shown from the line alone.
    pub fn with_replaced_scalar(
        &self,
        source: SourceId,
        edits: &Edits,
        text: &str,
        limits: &Limits,
    ) -> Option<Document> {
        let [edit] = edits.sorted()[..] else { return None };
        let (start, end) = (edit.span.start, edit.span.end);
        let added = u32::try_from(edit.text.len()).ok()?;
        let new_end = start.checked_add(added)?;
        // A finding is about the whole text.
        if self.syntax() != Syntax::Yaml
            || edit.span.source != self.source()
            || !self.findings().is_empty()
            || text.len() > limits.bytes
            || !self.is_result(edit.span.range(), &edit.text, text)
        {
            return None;
        }
        let entry = self.lone_entry(start, end)?;

        let line_start = line_start(self.text(), start);
        let old = read_line(self.text(), line_start, limits)?;
        let new = read_line(text, line_start, limits)?;
        let (old_key, old_value) = pair(&old)?;
        let (new_key, new_value) = pair(&new)?;
        let from_line = |offset: u32| offset + line_start;
        let in_text = |node: &Node| moved(node, &from_line);
        let value = in_text(new_value);
        let is_same_line = in_text(old_key) == *self.node_as_written(entry.key)
            && in_text(old_value) == *self.node_as_written(entry.value)
            && old_key == new_key
            && value.style == old_value.style
            && (value.start, value.end) == (start, new_end);
        if !is_same_line {
            return None;
        }

        let shift = |offset: u32| if offset >= end { offset - end + new_end } else { offset };
        let length = u32::try_from(text.len()).ok()?;
        let mut nodes = self.shared_nodes();
        if end != new_end {
            nodes = Arc::new(nodes.iter().map(|node| moved(node, &shift)).collect());
        }
        // The map ends where its last value ends.
        let at = entry.value.0 as usize;
        if *nodes.get(at)? != value {
            *Arc::make_mut(&mut nodes).get_mut(at)? = value;
        }
        if nodes.iter().any(|node| node.end > length) {
            return None;
        }
        let is_shared = Arc::ptr_eq(&nodes, &self.shared_nodes());
        let source = if is_shared { self.source() } else { source };
        let comments = self.comments().iter().map(|comment| Comment {
            start: shift(comment.start),
            end: shift(comment.end).min(length),
        });
        let comments: Vec<Comment> = comments.collect();
        let mut document = Document::assemble(
            source,
            Arc::from(text),
            Syntax::Yaml,
            nodes,
            self.root(),
            comments,
            Vec::new(),
        );
        document.set_limits(*limits);
        Some(document)
    }

    /// Whether `text` is this text with `new` in place of a part, without white space at its end.
    fn is_result(&self, part: std::ops::Range<usize>, new: &str, text: &str) -> bool {
        let Some(head) = self.text().get(..part.start) else { return false };
        let Some(tail) = self.text().get(part.end..) else { return false };
        let rest = text.strip_prefix(head).and_then(|rest| rest.strip_prefix(new));
        let stripped = rest.and_then(|rest| tail.strip_prefix(rest));
        stripped.is_some_and(|end| end.bytes().all(|byte| matches!(byte, b' ' | b'\n' | b'\r')))
    }

    /// The pair of the root map, written in block style, whose value covers exactly these bytes.
    fn lone_entry(&self, start: u32, end: u32) -> Option<Entry> {
        let root = self.node_as_written(self.root()?);
        let NodeKind::Mapping(mapping) = &root.kind else { return None };
        let is_value = |entry: &&Entry| {
            let value = self.node_as_written(entry.value);
            (value.start, value.end) == (start, end)
        };
        let entry = mapping.written().iter().find(is_value)?;
        (root.style == NodeStyle::Block && root.property_start == root.start).then_some(*entry)
    }
}

/// The first byte of the line of a byte.
fn line_start(text: &str, at: u32) -> u32 {
    let before = &text.as_bytes()[..at as usize];
    memchr::memrchr(b'\n', before).map_or(0, |line_end| line_end as u32 + 1)
}

/// The line that begins at a byte, as a document of its own.
fn read_line(text: &str, start: u32, limits: &Limits) -> Option<Document> {
    let rest = text.get(start as usize..)?;
    let line = &rest[..memchr::memchr(b'\n', rest.as_bytes()).unwrap_or(rest.len())];
    read_in_one_pass(SourceId(0), &Arc::from(line), limits)
}

/// The key and the value of a document that is a map with one pair.
fn pair(document: &Document) -> Option<(&Node, &Node)> {
    let [key, value, map] = document.nodes() else { return None };
    let is_block_map = matches!(map.kind, NodeKind::Mapping(_)) && map.style == NodeStyle::Block;
    (is_block_map && document.findings().is_empty()).then_some((key, value))
}

/// The node with each offset changed.
fn moved(node: &Node, shift: &impl Fn(u32) -> u32) -> Node {
    let text = |text: &TextValue| match text {
        TextValue::Source(start, end) => TextValue::Source(shift(*start), shift(*end)),
        TextValue::Owned(text) => TextValue::Owned(text.clone()),
    };
    let kind = match &node.kind {
        NodeKind::Text(value) => NodeKind::Text(text(value)),
        NodeKind::Date(value) => NodeKind::Date(text(value)),
        NodeKind::Null
        | NodeKind::Bool(_)
        | NodeKind::Int(_)
        | NodeKind::Float(_)
        | NodeKind::Bytes(_)
        | NodeKind::Sequence(_)
        | NodeKind::Mapping(_)
        | NodeKind::Set(_)
        | NodeKind::Pairs(_)
        | NodeKind::Alias(_) => node.kind.clone(),
    };
    Node {
        start: shift(node.start),
        end: shift(node.end),
        property_start: shift(node.property_start),
        style: node.style,
        kind,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{as_sent, read};
    use proptest::prelude::*;
    use source_diagnostics::Span;

    const SOURCE: SourceId = SourceId(7);

    /// Replaces the first occurrence of `old`. Whether the document was created without reading the whole
    /// text; panics if it differs from the one that is read.
    fn is_created(text: &str, old: &str, new: &str) -> bool {
        let limits = Limits::default();
        let Ok(before) = read(SourceId(0), text.into(), &limits) else { return false };
        let Some(start) = text.find(old) else { return false };
        let mut edits = Edits::new();
        edits.replace(Span::new(SourceId(0), start as u32, (start + old.len()) as u32), new);
        let changed = edits.apply(&before).unwrap_or_else(|error| panic!("{error:?}"));
        let changed = as_sent(&changed);
        let created = before.with_replaced_scalar(SOURCE, &edits, changed, &limits);
        let Some(created) = created else { return false };
        let expected = read(created.source(), changed.into(), &limits);
        let expected = expected.unwrap_or_else(|error| panic!("{changed:?}: {error:?}"));
        assert_eq!(format!("{created:?}"), format!("{expected:?}"), "{changed:?}");
        assert_eq!(created.shares_nodes(&before), created.source() == before.source());
        true
    }

    #[test]
    fn a_version_is_replaced_without_reading_the_rest() {
        let texts = [
            "v: 2013-05-23\na: b\n",
            "# head\n---\nv: 2013-05-23 # tail  \n\na:\n- b # c\nd: |\n  e\nf: 'it''s'\n",
            "a: [b,\n c]\nv: 2013-05-23",
            "a: b\nv:   2013-05-23  \n\n",
            "a: &x b\nv: 2013-05-23\nc: *x\n",
            "\u{feff}v: 2013-05-23\r\na: b\r\n",
            "---\n  v: 2013-05-23\n  a: b\n",
        ];
        for text in texts {
            for new in ["2018-08-31", "rocky", "2"] {
                assert!(is_created(text, "2013-05-23", new), "{text:?} {new}");
            }
        }
        assert!(is_created("v: '2013-05-23'\na: b\n", "'2013-05-23'", "'rocky'"));
    }

    #[test]
    fn everything_else_is_read() {
        let others = [
            ("v: 2013-05-23\na: b\n", "2013-05-23", "2018 # c"),
            ("v: 2013-05-23\na: b\n", "2013-05-23", "[a"),
            ("v: 2013-05-23\na: b\n", "2013-05-23", "x: y"),
            ("v: 2013-05-23\na: b\n", "2013-05-23", "'x'"),
            ("v: 2013-05-23\na: b\n", "2013", "2018"),
            ("v: 2013-05-23\na: b\n", "v", "w"),
            ("{v: 2013-05-23, a: b}\n", "2013-05-23", "x"),
            ("v: &a 2013-05-23\na: b\n", "2013-05-23", "x"),
            ("v: 2013-05-23\nv: b\n", "2013-05-23", "x"),
            ("v:\n  2013-05-23\na: b\n", "2013-05-23", "x"),
            ("a:\n  v: 2013-05-23\n", "2013-05-23", "x"),
            ("v: 2013-05-23\na: |\n  b\n", "2013-05-23", "x"),
        ];
        for (text, old, new) in others {
            assert!(!is_created(text, old, new), "{text:?} {old} {new}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

        #[test]
        fn what_is_created_equals_what_is_read(
            lines in prop::collection::vec(prop::sample::select(vec![
                "v: OLD", "a: b", "c:", "  - d", "  e", "# f", "", "g: |", "  h", "\"i\": 'j'", "k: OLD # l",
                "m: 'OLD'", " n", "o: [p,", "q]", "OLD", "---", "\tr", "s: OLD\u{85}", "é: OLD",
            ]), 1..8),
            ends in prop::sample::select(vec!["\n", "\r\n", "\r"]),
            new in prop::sample::select(vec!["NEW", "N", "", "- x", "x:", "'y'", "12", "a b", "#", "|", "LONGER"]),
        ) {
            is_created(&lines.join(ends), "OLD", new);
        }
    }
}
