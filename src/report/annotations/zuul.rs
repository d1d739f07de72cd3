//! Input of Zuul's module `zuul_return`: comments at lines of the reviewed files.

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};
use source_diagnostics::Severity;

use super::Annotation;
use crate::report::json::to_text;

/// The comments of each file. What has no file is a warning of the job, which Zuul adds to its message.
pub(in crate::report) fn to_zuul(annotations: &[Annotation<'_>]) -> serde_json::Result<String> {
    let mut files: BTreeMap<&str, Vec<Json>> = BTreeMap::new();
    let mut warnings = Vec::new();
    for annotation in annotations {
        let message = match &annotation.heading {
            Some(_) => format!("{}: {}", annotation.rule, annotation.text()),
            None => annotation.text(),
        };
        let level = match annotation.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "info",
        };
        match annotation.path() {
            "" => warnings.push(message),
            path => files
                .entry(path)
                .or_default()
                .push(json!({"line": annotation.line(), "level": level, "message": message})),
        }
    }
    to_text(&json!({"zuul": {"file_comments": files, "warnings": warnings}}))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_belong_to_their_files_and_others_are_warnings() {
        let annotation = |file, sentence: &str| {
            let rule = ("rule".to_owned(), Severity::Error);
            Annotation::new(rule, sentence.to_owned(), file, None, String::new())
        };
        let mut coded = annotation("./b.yaml", "two");
        coded.heading = Some("rule title".to_owned());
        let text = to_zuul(&[coded, annotation("", "none"), annotation("a.yaml", "one")]);
        let printed: Json = serde_json::from_str(&text.expect("JSON")).expect("JSON");
        let expected = json!({"zuul": {
            "file_comments": {
                "a.yaml": [{"line": 1, "level": "error", "message": "one"}],
                "b.yaml": [{"line": 1, "level": "error", "message": "rule: two"}],
            },
            "warnings": ["none"],
        }});
        assert_eq!(printed, expected);
    }
}
