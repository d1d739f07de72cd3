//! Finds the parts of a template that reports must not show.

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
    let findings = document.findings().iter();
    let without_effect: Vec<Span> = findings
        .filter_map(|finding| overridden_defaults(document, finding, &starts, &hidden))
        .collect();
    places.extend(without_effect);
    places
}

/// The text between two equal keys, if it is a default that a hidden one overrides, or may be
/// a hidden parameter. The document has no nodes for it; the text may contain more than the default.
/// `secrets` are the offsets where secrets begin, `hidden` those of the word, both in order.
fn overridden_defaults(
    document: &Document,
    finding: &Diagnostic,
    secrets: &[u32],
    hidden: &[usize],
) -> Option<Span> {
    if finding.code != lossless_yaml::codes::DUPLICATE_KEY {
        return None;
    }
    let (first, last) = (finding.related.first()?.span, finding.span()?);
    let next_word = hidden.get(hidden.partition_point(|at| *at < first.end as usize));
    let is_hidden = next_word.is_some_and(|at| at + HIDDEN.len() <= last.start as usize);
    let next_secret = secrets.get(secrets.partition_point(|start| *start <= last.end));
    let is_of_last = next_secret.is_some_and(|start| {
        let between = document.text().get(last.end as usize..*start as usize);
        between.is_some_and(|between| between.trim() == ":")
    });
    (is_hidden || is_of_last).then_some(Span { start: first.end, end: last.start, ..first })
}
