//! The formats for other programs.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;

use serde_json::{Value as Json, json};
use sha2::{Digest, Sha256};
use source_diagnostics::Severity;

use super::model::{CheckFinding, CheckReport};
use super::summary::{headline, not_shown, unexamined};
use crate::report::check_pages::page_of;
use crate::report::escape::{github_data, github_property, xml};
use crate::report::json::to_text;
use crate::report::sarif::{SCHEMA, physical};
use crate::report::zuul::{self, ZuulComment};

/// The number of annotations of each level that GitHub shows.
const MAX_ANNOTATIONS: usize = 10;

fn path(finding: &CheckFinding) -> &str {
    let path = finding.place.as_ref().map_or("", |place| place.path.as_str());
    path.strip_prefix("./").unwrap_or(path)
}

fn line(finding: &CheckFinding) -> u32 {
    finding.place.as_ref().map_or(1, |place| place.start.line)
}

/// The message with its help, one sentence per line.
fn lines(finding: &CheckFinding) -> String {
    let lines = std::iter::once(&finding.message).chain(&finding.help);
    lines.map(String::as_str).collect::<Vec<_>>().join("\n")
}

/// A hash that stays the same while the finding moves within its file; repeated ones are numbered.
fn fingerprints(report: &CheckReport) -> Vec<String> {
    let mut seen: HashMap<String, usize> = HashMap::new();
    let fingerprint = |finding: &CheckFinding| {
        let mut hash = Sha256::new();
        for part in [path(finding), finding.code.info().id, &finding.message] {
            hash.update((part.len() as u64).to_be_bytes());
            hash.update(part);
        }
        let digest = hash.finalize();
        let hex: String = digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
        let count = seen.entry(hex.clone()).or_default();
        *count += 1;
        if *count == 1 { hex } else { format!("{hex}-{count}") }
    };
    report.findings.iter().map(fingerprint).collect()
}

/// GitHub workflow commands: annotations at the lines, with a notice of the summary and what was not looked at. Those beyond
/// GitHub's limit are counted in the last one that it shows, and follow for the log.
pub fn to_github(report: &CheckReport) -> String {
    let summary =
        std::iter::once(headline(&report.summary, report.fixed.len(), report.left_out.len()));
    let summary: Vec<String> = summary.chain(unexamined(&report.summary, false)).collect();
    let mut out = String::new();
    let levels =
        [(Severity::Error, "error"), (Severity::Warning, "warning"), (Severity::Note, "notice")];
    for (severity, level) in levels {
        let findings: Vec<&CheckFinding> =
            report.findings.iter().filter(|it| it.severity == severity).collect();
        // The summary is the first of the notices, so that GitHub shows it.
        if severity == Severity::Note {
            let text = github_data(&summary.join("\n"));
            let _ = writeln!(out, "::notice title=hotplate check::{text}");
        }
        let room = MAX_ANNOTATIONS - usize::from(severity == Severity::Note);
        let shown = if findings.len() > room { room - 1 } else { findings.len() };
        for (at, finding) in findings.iter().enumerate() {
            if at == shown {
                let title = format!("and {} more (see the log)", findings.len() - shown);
                let _ = writeln!(
                    out,
                    "::{level} title={}::{}",
                    github_property(&title),
                    github_data(&title)
                );
            }
            let title = format!("{} {}", finding.code, finding.code.info().title);
            let mut properties = Vec::new();
            if let Some(place) = &finding.place {
                properties.push(format!("file={}", github_property(path(finding))));
                properties.push(format!("line={}", place.start.line));
                // GitHub accepts columns only if the end is on the same line.
                if place.start.line == place.end.line {
                    properties.push(format!("col={}", place.start.column));
                    properties.push(format!("endColumn={}", place.end.column));
                } else {
                    properties.push(format!("endLine={}", place.end.line));
                }
            }
            properties.push(format!("title={}", github_property(&title)));
            let _ = writeln!(
                out,
                "::{level} {}::{}",
                properties.join(","),
                github_data(&lines(finding))
            );
        }
    }
    out
}

/// GitLab's code quality report.
///
/// # Errors
///
/// If the report cannot be written as JSON.
pub fn to_gitlab(report: &CheckReport) -> serde_json::Result<String> {
    let severity = |finding: &CheckFinding| match finding.severity {
        Severity::Error => "critical",
        Severity::Warning => "major",
        Severity::Note => "info",
    };
    let issues = report.findings.iter().zip(fingerprints(report)).map(|(finding, fingerprint)| {
        json!({
            "description": lines(finding),
            "check_name": format!("hotplate/{}", finding.code),
            "fingerprint": fingerprint,
            "severity": severity(finding),
            "location": {"path": path(finding), "lines": {"begin": line(finding)}},
        })
    });
    to_text(&issues.collect::<Vec<Json>>())
}

/// Comments at lines for Zuul.
///
/// # Errors
///
/// If the report cannot be written as JSON.
pub fn to_zuul(report: &CheckReport) -> serde_json::Result<String> {
    let comments = report.findings.iter().map(|finding| {
        let comment = ZuulComment {
            line: line(finding),
            level: match finding.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
                Severity::Note => "info",
            },
            message: format!("{}: {}", finding.code, lines(finding)),
        };
        (path(finding), comment)
    });
    zuul::to_zuul(comments)
}

/// SARIF 2.1.0, for code scanning. What was not looked at is in the notifications of the invocation.
///
/// # Errors
///
/// If the report cannot be written as JSON.
pub fn to_sarif(report: &CheckReport) -> serde_json::Result<String> {
    let level = |severity| match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    };
    let mut rules: BTreeMap<&str, Json> = BTreeMap::new();
    for finding in &report.findings {
        let info = finding.code.info();
        rules.entry(info.id).or_insert_with(|| {
            let markdown = page_of(finding.code).map_or(info.explanation, |page| page.text);
            json!({
                "id": info.id,
                "shortDescription": {"text": info.title},
                "fullDescription": {"text": info.explanation},
                "help": {"text": info.explanation, "markdown": markdown},
                "defaultConfiguration": {"level": level(info.severity)},
                "properties": {"tags": [finding.group.name()]},
            })
        });
    }
    let index = |id: &str| rules.keys().position(|key| *key == id).unwrap_or_default();
    let results = report.findings.iter().zip(fingerprints(report)).map(|(finding, fingerprint)| {
        let mut result = json!({
            "ruleId": finding.code,
            "ruleIndex": index(finding.code.info().id),
            "level": level(finding.severity),
            "message": {"text": lines(finding)},
            "partialFingerprints": {"hotplateCheck/v1": fingerprint},
        });
        if let Some(place) = &finding.place {
            result["locations"] = json!([{"physicalLocation": physical(&place.path, Some(place))}]);
        }
        let related = finding.related.iter().enumerate().map(|(at, related)| {
            json!({
                "id": at + 1,
                "physicalLocation": physical(&related.place.path, Some(&related.place)),
                "message": {"text": related.message},
            })
        });
        let related: Vec<Json> = related.collect();
        if !related.is_empty() {
            result["relatedLocations"] = json!(related);
        }
        result
    });
    let results: Vec<Json> = results.collect();
    let notifications = not_shown(&report.summary)
        .into_iter()
        .map(|text| json!({"level": "note", "message": {"text": text}}));
    to_text(&json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": {
                "driver": {
                    "name": "hotplate",
                    "semanticVersion": env!("CARGO_PKG_VERSION"),
                    "rules": rules.values().collect::<Vec<_>>(),
                },
            },
            "columnKind": "unicodeCodePoints",
            "invocations": [{
                "executionSuccessful": report.summary.complete,
                "toolExecutionNotifications": notifications.collect::<Vec<_>>(),
            }],
            "results": results,
        }],
    }))
}

/// JUnit XML: a test suite for each file, with a test case for each finding, which fails if it is at least as severe as
/// `fail_on`. A run without findings is one test case that passes; what is not shown or was not looked at are skipped ones.
pub fn to_junit(report: &CheckReport, fail_on: Severity) -> String {
    let mut files: BTreeMap<&str, Vec<&CheckFinding>> = BTreeMap::new();
    for finding in &report.findings {
        files.entry(path(finding)).or_default().push(finding);
    }
    let fails = |finding: &&&CheckFinding| finding.severity >= fail_on;
    let mut suites = String::new();
    for (file, findings) in &files {
        let name = if file.is_empty() { "hotplate check" } else { file };
        let failures = findings.iter().filter(fails).count();
        let _ = writeln!(
            suites,
            "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{failures}\" errors=\"0\" skipped=\"0\">",
            xml(name),
            findings.len()
        );
        for finding in findings {
            let title = xml(&format!("{} {}", finding.code, finding.message));
            let _ = writeln!(
                suites,
                "    <testcase name=\"{title}\" classname=\"{}\" file=\"{}\" line=\"{}\">",
                xml(name),
                xml(file),
                line(finding)
            );
            let text = xml(&lines(finding));
            let kind = finding.code.info().id;
            let _ = match fails(&finding) {
                true => writeln!(
                    suites,
                    "      <failure type=\"{kind}\" message=\"{title}\">{text}</failure>"
                ),
                false => writeln!(suites, "      <system-out>{text}</system-out>"),
            };
            suites.push_str("    </testcase>\n");
        }
        suites.push_str("  </testsuite>\n");
    }
    let skipped = not_shown(&report.summary);
    let passed = files
        .is_empty()
        .then(|| headline(&report.summary, report.fixed.len(), report.left_out.len()));
    let about_run = skipped.len() + usize::from(passed.is_some());
    if about_run > 0 {
        let _ = writeln!(
            suites,
            "  <testsuite name=\"hotplate check\" tests=\"{about_run}\" failures=\"0\" errors=\"0\" skipped=\"{}\">",
            skipped.len()
        );
        if let Some(name) = passed {
            let name = xml(&name);
            let _ =
                writeln!(suites, "    <testcase name=\"{name}\" classname=\"hotplate check\"/>");
        }
        for name in &skipped {
            let name = xml(name);
            let _ = writeln!(
                suites,
                "    <testcase name=\"{name}\" classname=\"hotplate check\">\n      <skipped message=\"{name}\"/>\n    </testcase>"
            );
        }
        suites.push_str("  </testsuite>\n");
    }
    let failures = report.findings.iter().filter(|finding| fails(&finding)).count();
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"hotplate check\" tests=\"{}\" failures=\"{failures}\" errors=\"0\" skipped=\"{}\">\n{suites}</testsuites>\n",
        report.findings.len() + about_run,
        skipped.len()
    )
}
