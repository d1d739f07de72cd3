//! GitLab's Code Quality report.

use std::collections::HashMap;

use serde::Serialize;
use sha2::{Digest, Sha256};

use super::inputs_summary;
use super::level::Level;
use super::messages::messages;
use super::model::Report;
use crate::report::json::to_text;
use hotplate_diff::Impact;

#[derive(Debug, Serialize)]
struct Issue {
    description: String,
    check_name: String,
    fingerprint: String,
    severity: &'static str,
    location: IssueLocation,
}

#[derive(Debug, Serialize)]
struct IssueLocation {
    path: String,
    lines: IssueLines,
}

#[derive(Debug, Serialize)]
struct IssueLines {
    begin: u32,
}

/// A list of issues, the worst of each template first. Issues without a place are at the first line of the
/// template, since GitLab requires one.
pub fn to_gitlab(report: &Report) -> serde_json::Result<String> {
    let mut issues = Vec::new();
    // GitLab drops all but one issue with the same fingerprint.
    let mut seen: HashMap<String, usize> = HashMap::new();
    for template in report.templates() {
        for message in messages(template) {
            let mut fingerprint = message.fingerprint();
            let count = seen.entry(fingerprint.clone()).or_default();
            *count += 1;
            if *count > 1 {
                fingerprint.push_str(&format!("-{count}"));
            }
            let at = message.annotated(template);
            issues.push(Issue {
                description: message.text(at.old_place_note.as_ref()),
                severity: severity(message.level, &message.rule),
                check_name: format!("hotplate/{}", message.rule),
                fingerprint,
                location: IssueLocation {
                    path: at.file.strip_prefix("./").unwrap_or(at.file).to_owned(),
                    lines: IssueLines { begin: at.place.map_or(1, |place| place.start.line) },
                },
            });
        }
    }
    for (level, code, message) in inputs_summary::search_findings(report) {
        // It belongs to no line; GitLab requires one, and a path. The sentence begins with the path.
        let path = message.split('`').nth(1).unwrap_or_default().to_owned();
        let fingerprint = Sha256::digest(format!("{code} {message}"));
        let fingerprint = fingerprint.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
        issues.push(Issue {
            description: message.to_owned(),
            severity: severity(level, code),
            check_name: format!("hotplate/{code}"),
            fingerprint,
            location: IssueLocation { path, lines: IssueLines { begin: 1 } },
        });
    }
    to_text(&issues)
}

/// The severity: a change that stops the whole update is worse than one that loses a resource.
fn severity(level: Level, rule: &str) -> &'static str {
    let refused = super::messages::impact_rule(Impact::Refused);
    match level {
        Level::Error if rule == refused || rule == super::messages::IMMUTABLE_PARAMETER => {
            "blocker"
        }
        Level::Error => "critical",
        Level::Warning => "major",
        Level::Notice => "info",
    }
}

#[cfg(test)]
mod tests {
    use super::super::{DiffReportOptions, TemplateComparison, sample::sample};
    use super::*;

    fn issues(report: &Report) -> Vec<serde_json::Value> {
        serde_json::from_str(&to_gitlab(report).expect("JSON")).expect("a list")
    }

    #[test]
    fn code_quality() {
        let sample = sample();
        let report = Report::pair(&sample.compared(), &DiffReportOptions::default());
        insta::assert_snapshot!("gitlab", to_gitlab(&report).expect("JSON"));
    }

    #[test]
    fn fingerprints_are_unique_and_do_not_hang_on_lines() {
        let sample = sample();
        let both = [sample.compared(), sample.compared()];
        let found = issues(&Report::set(&both, &[], &DiffReportOptions::default()));
        let mut fingerprints: Vec<_> =
            found.iter().map(|issue| issue["fingerprint"].to_string()).collect();
        let count = fingerprints.len();
        fingerprints.sort();
        fingerprints.dedup();
        assert_eq!(fingerprints.len(), count);

        let mut report = Report::pair(&sample.compared(), &DiffReportOptions::default());
        let before = issues(&report);
        if let Report::Pair(template) = &mut report {
            for resource in &mut template.resources {
                for reason in &mut resource.reasons {
                    let places = reason.new_place.iter_mut().chain(&mut reason.old_place);
                    places.for_each(|place| place.place.start.line += 7);
                }
            }
        }
        let after = issues(&report);
        assert_ne!(before, after);
        let fingerprint = |found: &[serde_json::Value]| {
            found.iter().map(|issue| issue["fingerprint"].to_string()).collect::<Vec<_>>()
        };
        assert_eq!(fingerprint(&before), fingerprint(&after));
    }

    #[test]
    fn what_cannot_be_read_is_an_issue_of_the_template() {
        let sample = sample();
        let compared = TemplateComparison { comparison: None, ..sample.compared() };
        let found = issues(&Report::pair(&compared, &DiffReportOptions::default()));
        assert_eq!(found.len(), 1);
        assert_eq!(found[0]["location"]["path"], "new.yaml");
    }
}
