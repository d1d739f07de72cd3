//! What no report may show of a template.

use std::collections::HashSet;

use crate::diagnostics::{Code, Diagnostic, Span};
use crate::source::{Document, NodeId};

/// How many nodes are visited to find the places of all secrets of a template.
const MOST_PLACES: usize = 1_000_000;

/// Every place of secrets: with anchors, with what aliases name, and with those of what a later key of the
/// same name takes the effect from.
pub(crate) fn places(document: &Document, secrets: &[Span]) -> Vec<Span> {
    let mut budget = MOST_PLACES;
    let wanted: HashSet<Span> = secrets.iter().copied().collect();
    let nodes = (0..).map(NodeId).take(document.nodes().len());
    let nodes = nodes.filter(|id| wanted.contains(&document.span(*id)));
    let mut places: Vec<Span> = nodes
        .flat_map(|id| document.all_places(id, &mut budget))
        .chain(secrets.iter().copied())
        .collect();
    let findings = document.findings().iter();
    let without_effect: Vec<Span> =
        findings.filter_map(|finding| without_effect(document, finding, &places)).collect();
    places.extend(without_effect);
    places
}

/// What stands between two equal keys, if it is a default that gives way to a hidden one, or may be
/// a hidden parameter. The document has no nodes for it any more; more than the default may be in it.
fn without_effect(document: &Document, finding: &Diagnostic, secrets: &[Span]) -> Option<Span> {
    if finding.code != Code::DuplicateKey {
        return None;
    }
    let (first, last) = (finding.related.first()?.span, finding.span()?);
    let between = |start: u32, end: u32| document.text().get(start as usize..end as usize);
    let is_of_last = |secret: &&Span| {
        between(last.end, secret.start).is_some_and(|between| between.trim() == ":")
    };
    let hidden = between(first.end, last.start)?.contains("hidden");
    let secret = hidden || secrets.iter().find(is_of_last).is_some();
    secret.then_some(Span { start: first.end, end: last.start, ..first })
}
