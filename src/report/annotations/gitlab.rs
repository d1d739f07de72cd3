//! GitLab's Code Quality report.

use serde_json::{Value as Json, json};
use source_diagnostics::Severity;

use super::{Annotation, with_fingerprints};
use crate::report::json::to_text;

/// A list of issues. What has no line is at the first one, since GitLab requires one.
pub(in crate::report) fn to_gitlab(annotations: &[Annotation<'_>]) -> serde_json::Result<String> {
    let issue = |(annotation, fingerprint): (&Annotation<'_>, String)| {
        json!({
            "description": annotation.text(),
            "check_name": format!("hotplate/{}", annotation.rule),
            "fingerprint": fingerprint,
            "severity": severity(annotation),
            "location": {"path": path(annotation), "lines": {"begin": annotation.line()}},
        })
    };
    to_text(&with_fingerprints(annotations).map(issue).collect::<Vec<Json>>())
}

/// GitLab requires a path. The sentence of an annotation without a file begins with one.
fn path<'s>(annotation: &'s Annotation<'_>) -> &'s str {
    match annotation.path() {
        "" => annotation.sentence.split('`').nth(1).unwrap_or_default(),
        path => path,
    }
}

fn severity(annotation: &Annotation<'_>) -> &'static str {
    match annotation.severity {
        Severity::Error if annotation.stops_update => "blocker",
        Severity::Error => "critical",
        Severity::Warning => "major",
        Severity::Note => "info",
    }
}
