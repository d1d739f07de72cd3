//! JUnit XML: a test case for every change, with a failure if `--fail-on` counts it.

use super::messages::{FailureClass, Message, messages};
use super::model::{Report, TemplateReport};
use super::{inputs_summary, labels};
use crate::report::escape::xml;
use hotplate_diff::FailOn;

/// Whether `--fail-on` counts a message.
fn is_failure(fail_on: &FailOn, message: &Message<'_>) -> bool {
    match (fail_on, message.failure_class) {
        (_, FailureClass::Nothing) => false,
        (_, FailureClass::NotCompared) => true,
        (fail_on, FailureClass::Impact { impact, loses_data }) => {
            fail_on.counts_impact(impact, loses_data)
        }
        (fail_on, FailureClass::Access(change)) => fail_on.counts_access(change),
        (FailOn::AnyDifference, FailureClass::Difference) => true,
        (FailOn::Selected(_), FailureClass::Difference) => false,
    }
}

/// The outcome of a test case.
enum TestOutcome {
    Passed,
    Failed,
    /// The change is suppressed, or the message is only a finding.
    Skipped,
    /// The template cannot be compared.
    Error,
}

/// A test suite for each template, with a test case for each resource that differs, each changed immutable
/// parameter, each security change, and each other difference.
pub fn to_junit(report: &Report, fail_on: &FailOn) -> String {
    let mut total = Totals::default();
    let mut suites = String::new();
    for template in report.templates() {
        let properties = properties(report, Some(template));
        suites.push_str(&suite(template, &properties, fail_on, &mut total));
    }
    let failures: Vec<&str> = match report {
        Report::Pair(_) => Vec::new(),
        Report::Set(set) => {
            let counting =
                set.findings.iter().filter(|it| fail_on.counts_finding(it.code, it.severity));
            counting.map(|it| it.message.as_str()).collect()
        }
    };
    // A file without test cases would look like a success.
    let nothing = inputs_summary::empty_reason(report).filter(|_| failures.is_empty());
    if nothing.is_some() || !failures.is_empty() {
        let mut own = Totals::default();
        let mut cases = String::new();
        for (text, element, outcome) in nothing
            .as_deref()
            .map(|it| (it, "skipped", TestOutcome::Skipped))
            .into_iter()
            .chain(failures.into_iter().map(|it| (it, "failure", TestOutcome::Failed)))
        {
            own.count(&outcome);
            total.count(&outcome);
            let text = xml(text);
            cases.push_str(&format!(
                "    <testcase name=\"{text}\" classname=\"hotplate diff\">\n      <{element} message=\"{text}\"/>\n    </testcase>\n"
            ));
        }
        suites.push_str(&format!(
            "  <testsuite name=\"hotplate diff\" {}>\n{}{cases}  </testsuite>\n",
            own.attributes(),
            properties(report, None)
        ));
    }
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"hotplate diff\" {}>\n{suites}</testsuites>\n",
        total.attributes()
    )
}

/// The inputs of the comparison, as properties of a test suite.
fn properties(report: &Report, template: Option<&TemplateReport>) -> String {
    let Some(inputs) = report.inputs() else { return String::new() };
    let versions = template.map(|it| (it.old_version.clone(), it.new_version.clone()));
    let (old_version, new_version) = versions.unwrap_or_default();
    let unknown = template.map_or(0, |it| it.unknown_parameters.len());
    let of_search = inputs_summary::search_findings(report);
    let of_search = of_search.map(|(_, code, message)| (code, Some(message.to_owned())));
    let properties: Vec<String> = [
        ("compared", inputs_summary::compared(report)),
        ("hotplate", Some(inputs.hotplate.clone())),
        ("old_version", old_version),
        ("new_version", new_version),
        ("unknown_parameters", Some(unknown.to_string())),
        ("invented", Some(inputs.invented.to_string())),
    ]
    .into_iter()
    .chain(of_search)
    .filter_map(|(name, value)| {
        let value = xml(&value?);
        Some(format!("      <property name=\"{name}\" value=\"{value}\"/>\n"))
    })
    .collect();
    format!("    <properties>\n{}    </properties>\n", properties.concat())
}

#[derive(Clone, Copy, Default)]
struct Totals {
    tests: usize,
    failures: usize,
    errors: usize,
    skipped: usize,
}

impl Totals {
    fn attributes(&self) -> String {
        let Totals { tests, failures, errors, skipped } = self;
        format!(
            "tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"{skipped}\""
        )
    }

    fn count(&mut self, outcome: &TestOutcome) {
        self.tests += 1;
        match outcome {
            TestOutcome::Passed => {}
            TestOutcome::Failed => self.failures += 1,
            TestOutcome::Skipped => self.skipped += 1,
            TestOutcome::Error => self.errors += 1,
        }
    }
}

fn suite(
    template: &TemplateReport,
    properties: &str,
    fail_on: &FailOn,
    total: &mut Totals,
) -> String {
    let name = template.new.as_deref().or(template.old.as_deref()).unwrap_or_default();
    let mut own = Totals::default();
    let mut cases = String::new();
    for message in messages(template) {
        let is_finding = message.is_finding();
        let outcome = match () {
            () if is_finding
                && !template.compared
                && message.level == super::level::Level::Error =>
            {
                TestOutcome::Error
            }
            () if is_finding => continue,
            () if !message.suppressions.is_empty() => TestOutcome::Skipped,
            () if is_failure(fail_on, &message) => TestOutcome::Failed,
            () => TestOutcome::Passed,
        };
        own.count(&outcome);
        total.count(&outcome);
        cases.push_str(&case(name, &message, &outcome));
    }
    if own.tests == 0 {
        // Some consumers treat a suite without cases as broken.
        own.count(&TestOutcome::Passed);
        total.count(&TestOutcome::Passed);
        let what = labels::template_headline(template);
        cases.push_str(&format!(
            "    <testcase name=\"{}\" classname=\"{}\"/>\n",
            xml(&what),
            xml(name)
        ));
    }
    format!(
        "  <testsuite name=\"{}\" {}>\n{properties}{cases}  </testsuite>\n",
        xml(name),
        own.attributes()
    )
}

fn case(template: &str, message: &Message<'_>, outcome: &TestOutcome) -> String {
    let mut attributes =
        format!("name=\"{}\" classname=\"{}\"", xml(&message.title), xml(template));
    if let Some(place) = message.places.best() {
        attributes.push_str(&format!(
            " file=\"{}\" line=\"{}\"",
            xml(&place.path),
            place.start.line
        ));
    }
    let lines = xml(&message.lines.join("\n"));
    let kind = xml(&message.rule);
    let title = xml(&message.title);
    let inside = match outcome {
        TestOutcome::Passed if lines.is_empty() => {
            return format!("    <testcase {attributes}/>\n");
        }
        TestOutcome::Passed => format!("<system-out>{lines}</system-out>"),
        TestOutcome::Failed => {
            format!("<failure type=\"{kind}\" message=\"{title}\">{lines}</failure>")
        }
        TestOutcome::Error => format!("<error type=\"{kind}\" message=\"{title}\">{lines}</error>"),
        TestOutcome::Skipped => {
            let reasons =
                message.suppressions.iter().filter_map(|suppression| suppression.reason.as_deref());
            let mut why = String::from("allowed");
            for (at, reason) in reasons.enumerate() {
                why.push_str(if at == 0 { ": " } else { "; " });
                why.push_str(reason);
            }
            format!("<skipped message=\"{}\"/>", xml(&why))
        }
    };
    format!("    <testcase {attributes}>\n      {inside}\n    </testcase>\n")
}

#[cfg(test)]
mod tests {
    use super::super::{DiffReportOptions, TemplateComparison, sample::sample};
    use super::*;

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
        assert!(
            all.contains("output url removed") && all.matches("<failure ").count() > 8,
            "{all}"
        );
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
        let unread =
            TemplateComparison { comparison: None, findings: &findings, ..sample.compared() };
        let text =
            to_junit(&Report::pair(&unread, &DiffReportOptions::default()), &FailOn::AnyDifference);
        assert!(text.contains("errors=\"1\"") && text.contains("<error type=\"HP0001\""), "{text}");
        let same =
            TemplateComparison { comparison: Some(&Default::default()), ..sample.compared() };
        let text =
            to_junit(&Report::pair(&same, &DiffReportOptions::default()), &FailOn::AnyDifference);
        assert!(text.contains("tests=\"1\" failures=\"0\""), "{text}");
    }

    #[test]
    fn text_is_escaped() {
        assert_eq!(
            xml("<a b=\"c\">&\n\u{1b}\u{ffff}"),
            "&lt;a b=&quot;c&quot;&gt;&amp;&#10;␛\u{FFFD}"
        );
    }
}
