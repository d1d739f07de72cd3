//! SARIF 2.1.0, for code scanning.

use indexmap::IndexMap;
use python_semantics::url::quote;
use serde_json::{Map, Value as Json, json};
use source_diagnostics::Severity;

use super::{Annotation, below_here, with_fingerprints};
use crate::report::SourceRange;
use crate::report::codes;
use crate::report::json::{Finding, to_text};

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// A log with one run.
#[derive(Debug)]
pub(in crate::report) struct SarifLog<'r> {
    /// The rules, by name, one for each annotation at least.
    pub(in crate::report) rules: IndexMap<String, Json>,
    pub(in crate::report) annotations: &'r [Annotation<'r>],
    /// The name and version of the method that makes fingerprints.
    pub(in crate::report) fingerprints: &'r str,
    /// Whether fingerprints precede places, as the command always wrote them: logs are also compared as text.
    pub(in crate::report) fingerprints_first: bool,
    pub(in crate::report) invocation: Json,
    /// Further properties of the run.
    pub(in crate::report) properties: Option<Json>,
}

impl SarifLog<'_> {
    pub(in crate::report) fn to_text(&self) -> serde_json::Result<String> {
        let results = with_fingerprints(self.annotations);
        let results: Vec<Json> = results.map(|(it, id)| self.result(it, &id)).collect();
        let mut run = json!({
            "tool": {
                "driver": {
                    "name": "hotplate",
                    "semanticVersion": env!("CARGO_PKG_VERSION"),
                    "rules": self.rules.values().collect::<Vec<_>>(),
                },
            },
            "columnKind": "unicodeCodePoints",
            "invocations": [self.invocation],
            "results": results,
        });
        if let Some(properties) = &self.properties {
            run["properties"] = properties.clone();
        }
        to_text(&json!({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}))
    }

    fn result(&self, annotation: &Annotation<'_>, fingerprint: &str) -> Json {
        let mut location = Map::new();
        if !annotation.file.is_empty() {
            let place = physical(annotation.file, annotation.place);
            location.insert("physicalLocation".to_owned(), place);
        }
        if let Some((name, kind)) = &annotation.subject {
            let name = json!([{"fullyQualifiedName": name, "kind": kind}]);
            location.insert("logicalLocations".to_owned(), name);
        }
        let related = annotation.related.iter().enumerate().map(|(at, (place, message))| {
            json!({
                "id": at + 1,
                "physicalLocation": physical(&place.path, Some(place)),
                "message": {"text": message},
            })
        });
        let suppressions = annotation.suppressions.iter().map(|suppression| {
            let kind = if suppression.is_in_source { "inSource" } else { "external" };
            let mut entry = json!({"kind": kind, "status": "accepted"});
            if let Some(reason) = suppression.reason {
                entry["justification"] = json!(reason);
            }
            entry
        });
        let mut result = json!({
            "ruleId": annotation.rule,
            "ruleIndex": self.rules.get_index_of(&annotation.rule),
            "level": codes::severity(annotation.severity),
            "message": {"text": annotation.text()},
        });
        let fingerprints = json!({self.fingerprints: fingerprint});
        if self.fingerprints_first {
            result["partialFingerprints"] = fingerprints.clone();
        }
        if !location.is_empty() {
            result["locations"] = json!([location]);
        }
        if !annotation.related.is_empty() {
            result["relatedLocations"] = related.collect();
        }
        result["partialFingerprints"] = fingerprints;
        if !annotation.suppressions.is_empty() {
            result["suppressions"] = suppressions.collect();
        }
        if let Some(kind) = annotation.resource_type {
            result["properties"] = json!({"resourceType": kind});
        }
        result
    }
}

/// A rule: what it is about in a few words and in full, and what to do as text and as Markdown.
pub(in crate::report) fn rule(
    id: &str,
    severity: Severity,
    [short, full, markdown]: [&str; 3],
    tag: &str,
) -> Json {
    json!({
        "id": id,
        "shortDescription": {"text": short},
        "fullDescription": {"text": full},
        "help": {"text": full, "markdown": markdown},
        "defaultConfiguration": {"level": codes::severity(severity)},
        "properties": {"tags": [tag]},
    })
}

/// A notification of the run about a finding.
pub(in crate::report) fn notification(finding: &Finding) -> Json {
    let mut notification = json!({
        "level": codes::severity(finding.severity),
        "descriptor": {"id": finding.code},
        "message": {"text": finding.message},
    });
    if let Some(place) = &finding.place {
        let physical = physical(&place.path, Some(place));
        notification["locations"] = json!([{"physicalLocation": physical}]);
    }
    notification
}

/// A part of a file, or all of it.
fn physical(file: &str, place: Option<&SourceRange>) -> Json {
    let mut physical = json!({"artifactLocation": {"uri": uri(file)}});
    if let Some(SourceRange { start, end, .. }) = place {
        physical["region"] = json!({
            "startLine": start.line,
            "startColumn": start.column,
            "endLine": end.line,
            "endColumn": end.column,
        });
    }
    physical
}

/// A path as a URI reference: a relative path as it is, an absolute one with the scheme.
fn uri(path: &str) -> String {
    let path = below_here(path);
    let scheme = if path.starts_with('/') { "file://" } else { "" };
    format!("{scheme}{}", quote(path.as_bytes(), "/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_references() {
        assert_eq!(uri("./a b/ü:x%.yaml"), "a%20b/%C3%BC%3Ax%25.yaml");
        assert_eq!(uri("/x/a.yaml"), "file:///x/a.yaml");
    }
}
