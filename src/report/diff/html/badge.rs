//! Badges: what happens, in words and with a mark, so that nothing is expressed by color alone.

use super::markup;
use crate::report::diff::labels;
use hotplate_diff::{AccessChange, DataEffect, Impact};
use source_diagnostics::Severity;

/// An impact, in the word that all reports use for it.
pub(super) fn badge(impact: Impact) -> String {
    let mark = markup::line(labels::impact_mark(impact).trim());
    of(impact.name(), &mark, labels::impact_count_phrase(impact))
}

/// Whether more or less access is allowed.
pub(super) fn access(change: AccessChange) -> String {
    let (class, mark) = match change {
        AccessChange::Widened => ("delete", "!"),
        AccessChange::MayWiden => ("may-replace", "?"),
        AccessChange::Initial => ("may-replace", "+"),
        AccessChange::Changed => ("may-replace", "~"),
        AccessChange::Narrowed => ("create", "-"),
    };
    of(class, mark, labels::verdict(change))
}

/// The severity of a finding with its code.
pub(super) fn finding(severity: Severity, text: &str) -> String {
    let (class, mark) = match severity {
        Severity::Error => ("delete", "!"),
        Severity::Warning => ("may-replace", "?"),
        Severity::Note => ("update", "i"),
    };
    of(class, mark, text)
}

/// What happens to the data of a resource.
pub(super) fn data(effect: DataEffect) -> String {
    let (class, text) = match effect {
        DataEffect::Lost => ("delete", "data is lost"),
        DataEffect::MayBeLost => ("may-replace", "data may be lost"),
        DataEffect::Snapshotted => ("snapshot", "data is snapshotted first"),
        DataEffect::Kept => ("retain", "data is kept"),
    };
    format!("<span class=\"effect {class}\">{text}</span>")
}

fn of(class: &str, mark: &str, text: &str) -> String {
    let text = markup::line(text);
    format!("<span class=\"badge {class}\"><i aria-hidden=\"true\">{mark}</i> {text}</span>")
}
