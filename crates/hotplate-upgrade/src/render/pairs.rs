//! Removes pairs from maps and adds parameters.

use std::collections::{HashMap, HashSet};

use super::Renderer;
use super::changes::{ChangeAction, PlacedChange};
use crate::rule::TextChange;
use lossless_yaml::{Comment, Entry, NodeId, NodeKind, NodeStyle, Value};
use source_diagnostics::Span;

impl<'d> Renderer<'d> {
    /// Finds the pairs that are removed together: adjacent ones share the separator between them, so that they are one removal.
    pub(super) fn find_removed_runs(&mut self, changes: &[&TextChange]) {
        let mut removed: HashMap<NodeId, HashSet<NodeId>> = HashMap::new();
        for change in changes {
            if let TextChange::Delete { map, entry } = change {
                removed.entry(*map).or_default().insert(entry.key);
            }
        }
        for (map, keys) in removed {
            let written = self.written(map);
            let mut at = 0;
            while at < written.len() {
                let rest = written[at..].iter();
                let length = rest.take_while(|entry| keys.contains(&entry.key)).count();
                let run = at..at + length;
                self.removed_runs
                    .extend(written[run.clone()].iter().map(|entry| (entry.key, run.clone())));
                at += length.max(1);
            }
        }
    }

    /// Whether a change removes a pair that is removed with the one before it.
    pub(super) fn is_removed_with_previous(&self, change: &TextChange) -> bool {
        let TextChange::Delete { map, entry } = change else { return false };
        let first =
            self.removed_runs.get(&entry.key).and_then(|run| self.written(*map).get(run.start));
        first.is_some_and(|first| first.key != entry.key)
    }

    /// The pairs of a map as the text has them.
    fn written(&self, map: NodeId) -> &'d [Entry] {
        let document = self.document;
        match &document.node_as_written(map).kind {
            NodeKind::Mapping(mapping) => mapping.written(),
            _ => &[],
        }
    }

    /// The bytes to delete when a pair is removed from a map, with the adjacent pairs that are removed, too. Comments stay.
    pub(super) fn deletion(&self, map: NodeId, entry: Entry) -> PlacedChange {
        let document = self.document;
        let text = document.text();
        let source = document.source();
        let written = self.written(map);
        let run = self.removed_runs.get(&entry.key).cloned().unwrap_or(0..1);
        let removed = written.get(run.clone()).filter(|removed| removed.contains(&entry));
        let (first, last) = match removed {
            Some([first, .., last]) => (*first, *last),
            _ => (entry, entry),
        };
        let end = document.span(last.value).end;
        let next = written.get(run.end).map(|next| self.pair_start(end, next));
        let previous = run
            .start
            .checked_sub(1)
            .and_then(|at| written.get(at))
            .map(|entry| document.span(entry.value).end);
        let start =
            self.pair_start(previous.unwrap_or(document.node_as_written(map).start), &first);
        // A map may have thousands of pairs in one line.
        let line_start = memchr::memrchr2(b'\n', b'\r', &text.as_bytes()[..start as usize])
            .map_or(0, |at| at as u32 + 1);
        let first_on_line = text[line_start as usize..start as usize].trim().is_empty();
        // A block scalar ends at the start of the next line.
        let ended = text[..end as usize].ends_with(['\n', '\r']);
        let line_end = if ended { end } else { line_end(text, end) };
        let rest = text[end as usize..line_end as usize].trim();
        let block = document.node_as_written(map).style == NodeStyle::Block;
        let commented = self.comments_from(start).next().is_some_and(|comment| comment.end <= end);
        let span = match (block, next, previous) {
            // A trailing comment replaces the pair.
            (true, ..) if rest.starts_with('#') => {
                let hash = end + text[end as usize..].find('#').unwrap_or(0) as u32;
                Span::new(source, start, hash)
            }
            // Two adjacent comments need separate lines.
            (true, None, Some(previous))
                if self.commented.contains(&end)
                    && !ended
                    && previous < line_start
                    && text[previous as usize..line_start as usize].contains('#') =>
            {
                Span::new(source, start, end)
            }
            // The last line of a map is removed with the line end before it, which belongs to the map.
            (true, None, Some(previous))
                if first_on_line
                    && rest.is_empty()
                    && !ended
                    && previous < line_start
                    && !commented =>
            {
                let width = if text[..line_start as usize].ends_with("\r\n") { 2 } else { 1 };
                Span::new(source, line_start - width, end)
            }
            // Its comment is kept, without the line end behind it.
            (true, None, _) if first_on_line && rest.is_empty() && commented && !ended => {
                Span::new(source, line_start, end)
            }
            (true, ..) if first_on_line && rest.is_empty() => {
                let until = if ended { end } else { after_line_end(text, line_end) };
                Span::new(source, line_start, until)
            }
            (_, Some(next), _) => Span::new(source, start, next),
            (_, None, Some(previous)) => Span::new(source, previous, end),
            (_, None, None) => Span::new(source, start, end),
        };
        let inside = self.comments_from(span.start).take_while(|it| it.end <= span.end);
        let mut kept = String::new();
        let indent = self.layout.column_at(start);
        for comment in inside {
            if !kept.is_empty() {
                self.line(&mut kept, indent);
            } else if first_on_line && span.start == line_start {
                kept.extend(std::iter::repeat_n(' ', indent));
            } else if !text[..span.start as usize].ends_with([' ', '\t', '\n', '\r']) {
                // Directly behind a value, `#` would not begin a comment.
                kept.push(' ');
            }
            kept.push_str(&text[comment.start as usize..comment.end as usize]);
        }
        let line_ends_behind = span.start == line_start && span.end == end && !ended;
        if !kept.is_empty() && !line_ends_behind {
            let indent = if span.start == line_start { 0 } else { indent };
            self.line(&mut kept, indent);
        }
        PlacedChange { span, action: ChangeAction::Text(kept) }
    }

    /// The start of a pair: the `?` of its key, or the key. Nothing else is between it and
    /// `after`, the end of the preceding text.
    fn pair_start(&self, after: u32, pair: &Entry) -> u32 {
        let key = self.document.span_with_properties(pair.key).start;
        let mut at = after;
        for comment in self.comments_from(after).take_while(|comment| comment.start < key) {
            if comment.start >= at {
                if let Some(mark) = self.key_mark(at, comment.start) {
                    return mark;
                }
                at = comment.end;
            }
        }
        self.key_mark(at, key).unwrap_or(key)
    }

    /// The comments that start at a byte or behind it.
    fn comments_from(&self, start: u32) -> impl Iterator<Item = &Comment> {
        let comments = self.document.comments();
        comments[comments.partition_point(|comment| comment.start < start)..].iter()
    }

    fn key_mark(&self, start: u32, end: u32) -> Option<u32> {
        let gap = self.document.text().get(start as usize..end as usize)?;
        gap.find('?').map(|at| start + at as u32)
    }

    /// Declares new parameters at the end of the section, or in a new section after the version.
    pub(super) fn new_parameters(
        &self,
        parameters: &[(&String, &Value)],
    ) -> Option<(Span, String)> {
        let document = self.document;
        let source = document.source();
        let root = document.root()?;
        let section = document.entry(root, "parameters");
        let members = section.map(|entry| document.entries(entry.value)).unwrap_or_default();
        let declaration = |default: &Value| {
            Value::map([("type", Value::Text("json".into())), ("default", default.clone())])
        };
        let flow_pairs = |separator: &str| {
            parameters
                .iter()
                .map(|(name, default)| {
                    let name = self.scalar(&Value::Text((*name).clone()));
                    format!("{name}: {}", self.scalar(&declaration(default)))
                })
                .collect::<Vec<_>>()
                .join(separator)
        };
        let (at, new) = match (section, members.last()) {
            (Some(section), Some(last))
                if document.node(section.value).style == NodeStyle::Block =>
            {
                let indent = self.layout.column(section.value);
                let lines = |text: &mut String| {
                    for (at, (name, default)) in parameters.iter().enumerate() {
                        if at > 0 {
                            self.line(text, 0);
                        }
                        self.declaration(text, name, default, indent);
                    }
                };
                self.new_lines(document.span(last.value).end, lines)
            }
            (Some(_), Some(last)) => {
                (document.span(last.value).end, format!(", {}", flow_pairs(", ")))
            }
            (Some(section), None) => {
                // Null or an empty map becomes a map in braces.
                let span = document.span(section.value);
                let pad = if span.is_empty() { " " } else { "" };
                let text = format!("{pad}{{{}}}", flow_pairs(", "));
                return Some((span, text));
            }
            (None, _) => {
                let version = document.entry(root, "heat_template_version")?;
                let end = document.span(version.value).end;
                if document.node_as_written(root).style == NodeStyle::Block {
                    self.new_lines(end, |text| {
                        text.push_str("parameters:");
                        for (name, default) in parameters {
                            self.line(text, 0);
                            self.declaration(text, name, default, 2);
                        }
                    })
                } else {
                    let key = self.scalar(&Value::Text("parameters".into()));
                    (end, format!(", {key}: {{{}}}", flow_pairs(", ")))
                }
            }
        };
        Some((Span::new(source, at, at), new))
    }

    /// Whole new lines after the line of `end`: their offset and their text.
    fn new_lines(&self, end: u32, write: impl FnOnce(&mut String)) -> (u32, String) {
        let text = self.document.text();
        // A block scalar includes its line end.
        let begun = text[..end as usize].ends_with(['\n', '\r']);
        let line_end = if begun { end } else { line_end(text, end) };
        let at = if begun { end } else { after_line_end(text, line_end) };
        let mut new = String::new();
        if !begun && at == line_end {
            // The last line of the text has no line end.
            new.push_str(self.eol);
            write(&mut new);
        } else {
            write(&mut new);
            new.push_str(self.eol);
        }
        (at, new)
    }

    fn declaration(&self, text: &mut String, name: &str, default: &Value, indent: usize) {
        text.extend(std::iter::repeat_n(' ', indent));
        text.push_str(name);
        text.push(':');
        self.line(text, indent + 2);
        text.push_str("type: json");
        self.line(text, indent + 2);
        text.push_str("default: ");
        text.push_str(&self.scalar(default));
    }
}

/// The end of the line that contains `offset`, without its line end.
pub(super) fn line_end(text: &str, offset: u32) -> u32 {
    memchr::memchr2(b'\n', b'\r', &text.as_bytes()[offset as usize..])
        .map_or(text.len() as u32, |at| offset + at as u32)
}

/// One past the line end at `offset`.
pub(super) fn after_line_end(text: &str, offset: u32) -> u32 {
    let rest = &text[offset as usize..];
    offset + if rest.starts_with("\r\n") { 2 } else { u32::from(!rest.is_empty()) }
}
