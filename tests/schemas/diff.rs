//! What `hotplate diff --format json` prints is what its JSON Schema says, no less and no more.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::checker_of;

/// The reports of all samples.
fn reports() -> Vec<(String, Value)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("snapshots");
    let cases = fs::read_dir(folder).expect("the samples");
    let files = cases.map(|case| case.expect("a sample").path().join("diff.json"));
    let mut files: Vec<_> = files.filter(|file| file.exists()).collect();
    files.sort();
    let read = |file: &std::path::PathBuf| {
        let text = fs::read_to_string(file).expect("a report");
        (file.display().to_string(), serde_json::from_str(&text).expect("JSON"))
    };
    files.iter().map(read).collect()
}

#[test]
fn the_reports_of_the_samples_are_described() {
    let checker = checker_of("diff");
    let reports = reports();
    assert!(!reports.is_empty());
    for (file, report) in &reports {
        checker.check(report).unwrap_or_else(|problem| panic!("{file}: {problem}"));
    }
    let templates: Vec<_> = reports.into_iter().map(|(_, report)| report).collect();
    let verdict = templates[0]["verdict"].clone();
    let summary = templates[0]["summary"].clone();
    let counts = templates[0]["counts"].clone();
    let set = json!({
        "verdict": verdict,
        "summary": summary,
        "counts": counts,
        "templates": templates,
        "findings": [],
    });
    checker.check(&set).unwrap_or_else(|problem| panic!("a set: {problem}"));
}

#[test]
fn a_report_that_says_too_little_or_too_much_is_found() {
    let checker = checker_of("diff");
    let reports = reports();
    let with_reasons = |report: &&Value| report["resources"][0]["reasons"][0].is_object();
    let right = reports.iter().map(|(_, report)| report).find(with_reasons).expect("reasons");
    type Spoil = fn(&mut Value);
    let spoils: [Spoil; 4] = [
        |report| drop(report.as_object_mut().expect("a map").remove("resources")),
        |report| report["resources"][0]["surprise"] = Value::Null,
        |report| report["resources"][0]["impact"] = Value::from("explode"),
        |report| report["resources"][0]["reasons"][0]["why"] = Value::from(1),
    ];
    for (number, spoil) in spoils.iter().enumerate() {
        let mut wrong = right.clone();
        spoil(&mut wrong);
        assert!(checker.check(&wrong).is_err(), "{number}");
    }
}
