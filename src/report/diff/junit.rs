//! JUnit's XML: a test case for everything that happens, and a failure for what counts.

use super::messages::{Counted, Message, messages};
use super::model::{Report, Template};
use super::words;
use crate::diff::Impact;
use crate::report::escape::visible;

/// What makes a test case fail, the same that makes the command fail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fails {
    /// These effective impacts.
    pub impacts: Vec<Impact>,
    /// Security changes after which more is possible.
    pub widened: bool,
}

impl Default for Fails {
    /// Every difference.
    fn default() -> Self {
        let differs = |impact: &Impact| !matches!(impact, Impact::NoopUpdate | Impact::None);
        Fails { impacts: Impact::ALL.into_iter().filter(differs).collect(), widened: true }
    }
}

impl Fails {
    fn covers(&self, message: &Message<'_>) -> bool {
        match message.counted {
            Counted::Impact(impact) => self.impacts.contains(&impact),
            Counted::Widened => self.widened,
            Counted::Nothing => false,
        }
    }
}

/// What becomes of a test case.
enum Outcome {
    Passed,
    Failed,
    /// It is allowed, or it is no more than a finding.
    Skipped,
    /// The template cannot be compared.
    Error,
}

/// A test suite for each template, a test case for each resource that differs, for each immutable
/// parameter with another value, and for each change of what is possible.
pub fn to_junit(report: &Report, fails: &Fails) -> String {
    let mut total = Totals::default();
    let mut suites = String::new();
    for template in report.templates() {
        suites.push_str(&suite(template, fails, &mut total));
    }
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"hotplate diff\" {}>\n{suites}</testsuites>\n",
        total.attributes()
    )
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

    fn count(&mut self, outcome: &Outcome) {
        self.tests += 1;
        match outcome {
            Outcome::Passed => {}
            Outcome::Failed => self.failures += 1,
            Outcome::Skipped => self.skipped += 1,
            Outcome::Error => self.errors += 1,
        }
    }
}

fn suite(template: &Template, fails: &Fails, total: &mut Totals) -> String {
    let name = template.new.as_deref().or(template.old.as_deref()).unwrap_or_default();
    let mut own = Totals::default();
    let mut cases = String::new();
    for message in messages(template) {
        let is_finding = message.subject.is_empty();
        let outcome = match () {
            () if is_finding
                && !template.compared
                && message.level == super::level::Level::Error =>
            {
                Outcome::Error
            }
            () if is_finding => continue,
            () if !message.excuses.is_empty() => Outcome::Skipped,
            () if fails.covers(&message) => Outcome::Failed,
            () => Outcome::Passed,
        };
        own.count(&outcome);
        total.count(&outcome);
        cases.push_str(&case(name, &message, &outcome));
    }
    if own.tests == 0 {
        // Some readers take a suite without cases for a broken one.
        own.count(&Outcome::Passed);
        total.count(&Outcome::Passed);
        let what = words::headline(&template.summary, &template.counts);
        cases.push_str(&format!(
            "    <testcase name=\"{}\" classname=\"{}\"/>\n",
            xml(&what),
            xml(name)
        ));
    }
    format!("  <testsuite name=\"{}\" {}>\n{cases}  </testsuite>\n", xml(name), own.attributes())
}

fn case(template: &str, message: &Message<'_>, outcome: &Outcome) -> String {
    let mut attributes =
        format!("name=\"{}\" classname=\"{}\"", xml(&message.title), xml(template));
    if let Some(range) = message.spot.best() {
        attributes.push_str(&format!(" file=\"{}\" line=\"{}\"", xml(range.file), range.line));
    }
    let lines = xml(&message.lines.join("\n"));
    let kind = xml(&message.rule);
    let title = xml(&message.title);
    let inside = match outcome {
        Outcome::Passed if lines.is_empty() => return format!("    <testcase {attributes}/>\n"),
        Outcome::Passed => format!("<system-out>{lines}</system-out>"),
        Outcome::Failed => {
            format!("<failure type=\"{kind}\" message=\"{title}\">{lines}</failure>")
        }
        Outcome::Error => format!("<error type=\"{kind}\" message=\"{title}\">{lines}</error>"),
        Outcome::Skipped => {
            let reasons = message.excuses.iter().filter_map(|excuse| excuse.reason.as_deref());
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

/// Text for XML, in attributes too. XML has no place for control characters at all.
fn xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push_str("&#10;"),
            '\u{FFFE}' | '\u{FFFF}' => out.push('\u{FFFD}'),
            c => out.push(visible(c)),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::{Compared, Options, sample::sample};
    use super::*;

    #[test]
    fn test_cases() {
        let sample = sample();
        let report = Report::pair(&sample.compared(), &Options::default());
        let fails = Fails { impacts: vec![Impact::Replace, Impact::Delete], widened: true };
        insta::assert_snapshot!("junit", to_junit(&report, &fails));
    }

    #[test]
    fn what_counts_is_what_fails() {
        let sample = sample();
        let report = Report::pair(&sample.compared(), &Options::default());
        let failures = |fails: &Fails| to_junit(&report, fails).matches("<failure ").count();
        assert_eq!(failures(&Fails { impacts: Vec::new(), widened: false }), 0);
        assert_eq!(failures(&Fails { impacts: Vec::new(), widened: true }), 1);
        assert!(failures(&Fails::default()) > 5);
    }

    #[test]
    fn what_cannot_be_compared_is_an_error_and_what_is_the_same_passes() {
        use crate::diagnostics::{Code, Diagnostic};
        let sample = sample();
        let findings = [Diagnostic::new(Code::FileNotFound, "gone")];
        let unread = Compared { comparison: None, findings: &findings, ..sample.compared() };
        let text = to_junit(&Report::pair(&unread, &Options::default()), &Fails::default());
        assert!(text.contains("errors=\"1\"") && text.contains("<error type=\"HP0001\""), "{text}");
        let same = Compared { comparison: Some(&Default::default()), ..sample.compared() };
        let text = to_junit(&Report::pair(&same, &Options::default()), &Fails::default());
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
