//! Finds the parts of a template that reports must not show.

use std::collections::HashMap;
use std::ops::Range;

use memchr::memmem;

use lossless_yaml::{Document, NodeId};
use source_diagnostics::{Diagnostic, Span};

/// The key that hides a parameter.
const HIDDEN: &[u8] = b"hidden";
/// The maximum number of nodes visited to find all secrets of a template.
const MAX_VISITED_NODES: usize = 1_000_000;

/// The spans of all secrets: including anchors, the nodes that aliases refer to, and values that a later key of the
/// same name overrides.
pub fn secret_spans(document: &Document, secrets: &[Span]) -> Vec<Span> {
    let mut places = Vec::new();
    if !secrets.is_empty() {
        let mut budget = MAX_VISITED_NODES;
        let mut wanted: Vec<Span> = secrets.to_vec();
        wanted.sort_unstable();
        let nodes = (0..).map(NodeId).take(document.nodes().len());
        let nodes = nodes.filter(|id| wanted.binary_search(&document.span(*id)).is_ok());
        places.extend(nodes.flat_map(|id| document.all_spans(id, &mut budget)));
        places.extend_from_slice(secrets);
    }
    let is_duplicate = |finding: &Diagnostic| finding.code == lossless_yaml::codes::DUPLICATE_KEY;
    if !document.findings().iter().any(is_duplicate) {
        return places;
    }
    let mut starts: Vec<u32> = places.iter().map(|place| place.start).collect();
    starts.sort_unstable();
    let hidden: Vec<usize> = memmem::find_iter(document.text().as_bytes(), HIDDEN).collect();
    // Thousands of keys may replace the value of the same one.
    let mut values = HashMap::new();
    let findings = document.findings().iter();
    let without_effect: Vec<Span> = findings
        .filter_map(|finding| overridden_defaults(document, finding, &starts, &hidden, &mut values))
        .collect();
    places.extend(without_effect);
    places
}

/// The value of a key that a later one replaces, if it is a default that a hidden one replaces, or may be or contain a
/// hidden parameter. The document has no nodes for it.
/// `secrets` are the offsets where secrets begin, `hidden` those of the word, both in order.
fn overridden_defaults(
    document: &Document,
    finding: &Diagnostic,
    secrets: &[u32],
    hidden: &[usize],
    values: &mut HashMap<u32, Range<usize>>,
) -> Option<Span> {
    if finding.code != lossless_yaml::codes::DUPLICATE_KEY {
        return None;
    }
    let (first, last) = (finding.related.first()?.span, finding.span()?);
    let text = document.text();
    let value = values
        .entry(first.start)
        .or_insert_with(|| replaced_value(text, first.range(), text.len()))
        .clone();
    let value = value.start..value.end.min(last.start as usize);
    let value = value.start..value.start + text.get(value.clone())?.trim_end().len();
    let next_word = hidden.get(hidden.partition_point(|at| *at < value.start));
    let is_hidden = next_word.is_some_and(|at| at + HIDDEN.len() <= value.end);
    let next_secret = secrets.get(secrets.partition_point(|start| *start <= last.end));
    let is_of_last = next_secret.is_some_and(|start| {
        let between = document.text().get(last.end as usize..*start as usize);
        between.is_some_and(|between| between.trim() == ":")
    });
    let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    let span = Span { start: offset(value.start), end: offset(value.end), ..first };
    (is_hidden || is_of_last).then_some(span)
}

/// The text of the value of a key, which ends no later than `limit`.
fn replaced_value(text: &str, key: Range<usize>, limit: usize) -> Range<usize> {
    let after = text.get(key.end..limit).unwrap_or_default();
    let Some(value) = after.trim_start().strip_prefix(':') else { return key.end..limit };
    let mut value = value.trim_start();
    let start = limit - value.len();
    // Anchors and tags stand before the value.
    while value.starts_with(['&', '!']) {
        let name = value.find(char::is_whitespace).unwrap_or(value.len());
        value = value[name..].trim_start();
    }
    // A line may have thousands of keys: it is not searched for its start, but only what may stand before the key of a block.
    let before = &text[..key.start];
    let indented = before.trim_end_matches([' ', '\t', '-', '?', '\u{feff}']);
    let is_block = indented.is_empty() || indented.ends_with(['\n', '\r']);
    let length = match value.chars().next() {
        Some('{' | '[' | '"' | '\'') => flow_length(value, true),
        _ if is_block => block_length(value, before.len() - indented.len()),
        _ => flow_length(value, false),
    };
    let end = limit - value.len() + length;
    start..start + text[start..end].trim_end().len()
}

/// The length of a value in flow style. One that begins with a bracket or a quote ends with its counterpart, any other
/// before a comma or the end of the collection.
fn flow_length(value: &str, is_delimited: bool) -> usize {
    let (mut depth, mut quote) = (0_usize, None);
    let mut chars = value.char_indices();
    while let Some((at, c)) = chars.next() {
        match (quote, c) {
            (Some('"'), '\\') => drop(chars.next()),
            (Some(open), _) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, '{' | '[') => depth += 1,
            (None, '}' | ']') if depth > 0 => depth -= 1,
            (None, ',' | '}' | ']') if depth == 0 => return at,
            (None, _) => {}
        }
        if is_delimited && depth == 0 && quote.is_none() {
            return at + c.len_utf8();
        }
    }
    value.len()
}

/// The length of a value in block style: its first line, and the lines below that are indented further than the key, or
/// are items of a list at its column.
fn block_length(value: &str, column: usize) -> usize {
    let mut length = 0;
    for (number, line) in value.split_inclusive(['\n', '\r']).enumerate() {
        let body = line.trim_start_matches([' ', '\t']);
        let indent = line.len() - body.len();
        let is_item = indent == column && (body.starts_with("- ") || body.trim_end() == "-");
        if number > 0 && !body.trim().is_empty() && indent <= column && !is_item {
            break;
        }
        length += line.len();
    }
    length
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_value_that_a_later_key_replaces_ends_where_it_ends() {
        for (before, value, after) in [
            ("p:\n  a: ", "{hidden: true, default: 'x}'}", "\n  pw: {hidden: true}\n  "),
            ("p:\n  a: ", "x y", "\n  b: z\n  "),
            ("p:\n  a:\n    ", "hidden: true\n    default: x", "\n  b: z\n  "),
            ("p:\n  a:\n  ", "- x\n  - y", "\n  b: z\n  "),
            ("p: {a: ", "[x, {y: '\\'}]", ", b: z, "),
            ("p: {a: ", "x y", ", b: z, "),
            ("a: ", "\"x\ny\\\" z\"", "\nb: z\n"),
            ("a: ", "&b !c {x: y\n}", "\nb: z\n"),
        ] {
            let text = format!("{before}{value}{after}a: z");
            let key = before.find("a:").expect("a key");
            let found =
                replaced_value(&text, key..key + 1, before.len() + value.len() + after.len());
            assert_eq!(&text[found], value, "{text}");
        }
    }
}
