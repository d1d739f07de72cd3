//! What no report may show of a template.

use crate::diagnostics::{Code, Diagnostic, Span};
use crate::source::Document;

/// The places of secrets, with those of what a later key of the same name takes the effect from.
pub(crate) fn with_duplicates(document: &Document, mut secrets: Vec<Span>) -> Vec<Span> {
    let findings = document.findings().iter();
    let without_effect: Vec<Span> =
        findings.filter_map(|finding| without_effect(document, finding, &secrets)).collect();
    secrets.extend(without_effect);
    secrets
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
