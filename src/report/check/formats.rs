//! The formats for other programs: a finding is an annotation, and each format says what was not looked at in its own way.

use std::collections::BTreeMap;

use indexmap::IndexMap;
use serde_json::{Value as Json, json};
use source_diagnostics::Severity;

use super::model::{CheckFinding, CheckReport};
use super::summary::{headline, not_shown, unexamined};
use crate::report::annotations::{
    self, Annotation, GithubLog, JunitLog, Outcome, SarifLog, Suite, TestCase,
};
use crate::report::check_pages::page_of;

const COMMAND: &str = "hotplate check";

fn annotation(finding: &CheckFinding) -> Annotation<'_> {
    let info = finding.code.info();
    let place = finding.place.as_ref();
    let file = place.map_or("", |place| place.path.as_str());
    let path = file.strip_prefix("./").unwrap_or(file);
    let fingerprint = annotations::fingerprint(&[path, info.id, &finding.message]);
    let rule = (info.id.to_owned(), finding.severity);
    let mut annotation = Annotation::new(rule, finding.message.clone(), file, place, fingerprint);
    annotation.heading = Some(format!("{} {}", info.id, info.title));
    annotation.details.clone_from(&finding.help);
    annotation.related =
        finding.related.iter().map(|it| (&it.place, it.message.as_str())).collect();
    annotation
}

fn annotations(report: &CheckReport) -> Vec<Annotation<'_>> {
    report.findings.iter().map(annotation).collect()
}

fn summary(report: &CheckReport) -> String {
    headline(&report.summary, report.fixed.len(), report.left_out.len())
}

/// GitHub workflow commands: annotations at the lines, with a notice of the summary and what was not looked at.
pub fn to_github(report: &CheckReport) -> String {
    let lines = std::iter::once(summary(report)).chain(unexamined(&report.summary, false));
    let mut log = GithubLog::default();
    for severity in Severity::ALL.into_iter().rev() {
        // The summary is the first of the notices, so that GitHub shows it.
        if severity == Severity::Note {
            log.summary(COMMAND, &lines.clone().collect::<Vec<_>>().join("\n"));
        }
        let findings = report.findings.iter().filter(|it| it.severity == severity);
        log.annotations(severity, &findings.map(annotation).collect::<Vec<_>>());
    }
    log.0
}

/// GitLab's code quality report.
///
/// # Errors
///
/// If the report cannot be written as JSON.
pub fn to_gitlab(report: &CheckReport) -> serde_json::Result<String> {
    annotations::to_gitlab(&annotations(report))
}

/// Comments at lines for Zuul.
///
/// # Errors
///
/// If the report cannot be written as JSON.
pub fn to_zuul(report: &CheckReport) -> serde_json::Result<String> {
    annotations::to_zuul(&annotations(report))
}

/// SARIF 2.1.0, for code scanning. What was not looked at is in the notifications of the invocation.
///
/// # Errors
///
/// If the report cannot be written as JSON.
pub fn to_sarif(report: &CheckReport) -> serde_json::Result<String> {
    let rules: BTreeMap<String, Json> =
        report.findings.iter().rev().map(|it| (it.code.info().id.to_owned(), rule(it))).collect();
    let notifications = not_shown(&report.summary)
        .into_iter()
        .map(|text| json!({"level": "note", "message": {"text": text}}));
    SarifLog {
        rules: IndexMap::from_iter(rules),
        annotations: &annotations(report),
        fingerprints: "hotplateCheck/v1",
        fingerprints_first: true,
        invocation: json!({
            "executionSuccessful": report.summary.complete,
            "toolExecutionNotifications": notifications.collect::<Vec<_>>(),
        }),
        properties: None,
    }
    .to_text()
}

fn rule(finding: &CheckFinding) -> Json {
    let info = finding.code.info();
    let markdown = page_of(finding.code).map_or(info.explanation, |page| page.text);
    let texts = [info.title, info.explanation, markdown];
    annotations::rule(info.id, info.severity, texts, finding.group.name())
}

/// JUnit XML: a test suite for each file, with a test case for each finding, which fails if it is at least as severe as
/// `fail_on`, or `incomplete` ones fail. A run without findings is one test case that passes; what is not shown or was not looked at are skipped ones.
pub fn to_junit(report: &CheckReport, fail_on: Severity, incomplete: bool) -> String {
    let mut files: BTreeMap<&str, Vec<TestCase<'_>>> = BTreeMap::new();
    for (finding, annotation) in report.findings.iter().zip(annotations(report)) {
        let text = annotation.text();
        let fails = annotation.severity >= fail_on || incomplete && finding.is_incomplete;
        let outcome = match fails {
            true => Outcome::Failed(annotation.rule.clone(), text),
            false => Outcome::Passed(text),
        };
        let name = format!("{} {}", annotation.rule, annotation.sentence);
        let file = annotation.path();
        let place = (!file.is_empty()).then(|| (file, annotation.line()));
        files.entry(file).or_default().push(TestCase { name, place, outcome });
    }
    let case = |name, outcome| TestCase { name, place: None, outcome };
    let passed = files.is_empty().then(|| case(summary(report), Outcome::Passed(String::new())));
    let skipped = not_shown(&report.summary).into_iter();
    let skipped = skipped.map(|name| case(name.clone(), Outcome::Skipped(name)));
    let about_run: Vec<_> = passed.into_iter().chain(skipped).collect();
    let about_run = (!about_run.is_empty()).then_some((COMMAND, about_run));
    let suites = files.into_iter().chain(about_run).map(|(file, cases)| {
        let name = if file.is_empty() { COMMAND } else { file };
        Suite { name, properties: None, cases }
    });
    JunitLog { command: COMMAND, suites: suites.collect() }.to_xml()
}
