//! The formats of continuous integration, about one sample.

use super::super::{DiffReportOptions, TemplateComparison, sample::sample};
use super::*;

// --- sarif -------------------------------------------------------------------------------------

fn log() -> Json {
    let sample = sample();
    let report = Report::pair(&sample.compared(), &DiffReportOptions::default());
    serde_json::from_str(&to_sarif(&report).expect("JSON")).expect("JSON")
}

#[test]
fn results() {
    insta::assert_snapshot!("sarif", serde_json::to_string_pretty(&log()).expect("JSON"));
}

#[test]
fn every_result_has_its_rule_and_a_place_that_exists() {
    let log = log();
    let run = &log["runs"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().expect("rules");
    let results = run["results"].as_array().expect("results");
    assert!(results.len() > 8);
    for result in results {
        let at = result["ruleIndex"].as_u64().expect("an index") as usize;
        assert_eq!(rules[at]["id"], result["ruleId"]);
        for location in result["locations"].as_array().into_iter().flatten() {
            let Some(region) = location["physicalLocation"]["region"].as_object() else {
                continue;
            };
            assert!(region.values().all(|value| value.as_u64().is_some_and(|value| value > 0)));
        }
    }
    for rule in rules {
        assert!(rule["help"]["text"].as_str().is_some_and(|text| text.ends_with('.')), "{rule}");
    }
    let suppressed = results.iter().filter(|result| result.get("suppressions").is_some());
    assert_eq!(suppressed.count(), 1);
}

// --- junit -------------------------------------------------------------------------------------

#[test]
fn test_cases() {
    let sample = sample();
    let report = Report::pair(&sample.compared(), &DiffReportOptions::default());
    let fail_on = FailOn::parse("replace,delete,widen").expect("words");
    insta::assert_snapshot!("junit", to_junit(&report, &fail_on));
}

#[test]
fn what_counts_is_what_fails() {
    let sample = sample();
    let report = Report::pair(&sample.compared(), &DiffReportOptions::default());
    let failures = |words: &str| {
        let fail_on = FailOn::parse(words).expect("words");
        to_junit(&report, &fail_on).matches("<failure ").count()
    };
    assert_eq!(failures("adopt"), 0);
    assert_eq!(failures("widen"), 1);
    assert_eq!(failures("refused"), 2);
    let all = to_junit(&report, &FailOn::AnyDifference);
    assert!(all.contains("output url removed") && all.matches("<failure ").count() > 8, "{all}");
}

#[test]
fn what_cannot_be_compared_is_an_error_and_what_is_the_same_passes() {
    use hotplate_diff::{FindingSide, SidedFinding};
    use source_diagnostics::Diagnostic;
    let sample = sample();
    let findings = [SidedFinding {
        side: FindingSide::Both,
        diagnostic: Diagnostic::new(source_files::codes::FILE_NOT_FOUND, "gone"),
        places: 1,
    }];
    let unread = TemplateComparison { comparison: None, findings: &findings, ..sample.compared() };
    let text =
        to_junit(&Report::pair(&unread, &DiffReportOptions::default()), &FailOn::AnyDifference);
    assert!(text.contains("errors=\"1\"") && text.contains("<error type=\"HP0001\""), "{text}");
    let same = TemplateComparison { comparison: Some(&Default::default()), ..sample.compared() };
    let text =
        to_junit(&Report::pair(&same, &DiffReportOptions::default()), &FailOn::AnyDifference);
    assert!(text.contains("tests=\"1\" failures=\"0\""), "{text}");
}

// --- github ------------------------------------------------------------------------------------

#[test]
fn annotations() {
    let sample = sample();
    let report = Report::pair(&sample.compared(), &DiffReportOptions::default());
    insta::assert_snapshot!("github", to_github(&report));
}

#[test]
fn what_is_beyond_the_limit_is_counted_where_it_is_seen() {
    let mut sample = sample();
    let finding = sample.findings[0].clone();
    sample.findings = (0..12)
        .map(|at| {
            let mut finding = finding.clone();
            finding.diagnostic.message = format!("number {at}");
            finding
        })
        .collect();
    let report = Report::set(&[sample.compared(); 2], &[], &DiffReportOptions::default());
    let text = to_github(&report);
    let warnings: Vec<&str> = text.lines().filter(|line| line.starts_with("::warning ")).collect();
    let titles = |range: std::ops::Range<usize>| {
        let title = |line: &&str| line.split("title=").nth(1).map(str::to_owned);
        warnings[range].iter().filter_map(title).collect::<Vec<_>>()
    };
    assert!(titles(0..4).iter().all(|title| !title.starts_with("number")), "{warnings:?}");
    assert!(titles(4..9).iter().all(|title| title.starts_with("number")), "{warnings:?}");
    assert!(titles(9..10)[0].starts_with("and 19 more (see the log)::number 5%0A"));
    assert_eq!(warnings.len(), 29);
}

#[test]
fn each_line_is_a_command() {
    let sample = sample();
    let report = Report::pair(&sample.compared(), &DiffReportOptions::default());
    for line in to_github(&report).lines() {
        assert!(
            ["::error ", "::warning ", "::notice "].iter().any(|start| line.starts_with(start))
        );
    }
}

// --- gitlab ------------------------------------------------------------------------------------

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
                let places = reason.places.new.iter_mut().chain(&mut reason.places.old);
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

// --- zuul --------------------------------------------------------------------------------------

#[test]
fn file_comments() {
    let sample = sample();
    let report = Report::pair(&sample.compared(), &DiffReportOptions::default());
    insta::assert_snapshot!("zuul", to_zuul(&report).expect("JSON"));
}
