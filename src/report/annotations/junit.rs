//! JUnit XML.

use std::fmt::Write;

use super::below_here;
use crate::report::escape::xml;

/// The outcome of a test case.
#[derive(Debug)]
pub(in crate::report) enum Outcome {
    /// It passed, with this output.
    Passed(String),
    /// The rule that fails, and the reasons; both may be empty.
    Failed(String, String),
    /// The case could not run: the rule, and the reasons.
    Error(String, String),
    /// It does not count, for this reason.
    Skipped(String),
}

/// A finding or a resource as a test that passes, fails or is skipped.
#[derive(Debug)]
pub(in crate::report) struct TestCase<'r> {
    pub(in crate::report) name: String,
    /// The file and the line.
    pub(in crate::report) place: Option<(&'r str, u32)>,
    pub(in crate::report) outcome: Outcome,
}

/// The tests of one template or file.
#[derive(Debug, Default)]
pub(in crate::report) struct Suite<'r> {
    pub(in crate::report) name: &'r str,
    /// The properties; `None` writes no element for them.
    pub(in crate::report) properties: Option<Vec<(&'r str, String)>>,
    pub(in crate::report) cases: Vec<TestCase<'r>>,
}

/// The test suites of a command.
#[derive(Debug)]
pub(in crate::report) struct JunitLog<'r> {
    /// `hotplate check`
    pub(in crate::report) command: &'r str,
    pub(in crate::report) suites: Vec<Suite<'r>>,
}

impl JunitLog<'_> {
    pub(in crate::report) fn to_xml(&self) -> String {
        let mut out = format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"{}\" {}>\n",
            self.command,
            totals(self.suites.iter().flat_map(|suite| &suite.cases))
        );
        for Suite { name, properties, cases } in &self.suites {
            let name = xml(name);
            let _ = writeln!(out, "  <testsuite name=\"{name}\" {}>", totals(cases));
            if let Some(properties) = properties {
                out.push_str("    <properties>\n");
                for (name, value) in properties {
                    let value = xml(value);
                    let _ = writeln!(out, "      <property name=\"{name}\" value=\"{value}\"/>");
                }
                out.push_str("    </properties>\n");
            }
            cases.iter().for_each(|case| case.write(&name, &mut out));
            out.push_str("  </testsuite>\n");
        }
        out + "</testsuites>\n"
    }
}

/// The counts of test cases by outcome, as attributes.
fn totals<'r>(cases: impl IntoIterator<Item = &'r TestCase<'r>>) -> String {
    let (mut tests, mut failures, mut errors, mut skipped) = (0, 0, 0, 0);
    for case in cases {
        tests += 1;
        match case.outcome {
            Outcome::Passed(_) => {}
            Outcome::Failed(..) => failures += 1,
            Outcome::Error(..) => errors += 1,
            Outcome::Skipped(_) => skipped += 1,
        }
    }
    format!("tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"{skipped}\"")
}

impl TestCase<'_> {
    fn write(&self, suite: &str, out: &mut String) {
        let name = xml(&self.name);
        let _ = write!(out, "    <testcase name=\"{name}\" classname=\"{suite}\"");
        if let Some((file, line)) = self.place {
            let _ = write!(out, " file=\"{}\" line=\"{line}\"", xml(below_here(file)));
        }
        let inside = match &self.outcome {
            Outcome::Passed(text) if text.is_empty() => return out.push_str("/>\n"),
            Outcome::Passed(text) => format!("<system-out>{}</system-out>", xml(text)),
            Outcome::Skipped(why) => format!("<skipped message=\"{}\"/>", xml(why)),
            Outcome::Failed(rule, text) => problem("failure", rule, &name, text),
            Outcome::Error(rule, text) => problem("error", rule, &name, text),
        };
        let _ = write!(out, ">\n      {inside}\n    </testcase>\n");
    }
}

fn problem(element: &str, rule: &str, message: &str, text: &str) -> String {
    if rule.is_empty() {
        return format!("<{element} message=\"{message}\"/>");
    }
    let (rule, text) = (xml(rule), xml(text));
    format!("<{element} type=\"{rule}\" message=\"{message}\">{text}</{element}>")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped() {
        assert_eq!(
            xml("<a b=\"c\">&\n\u{1b}\u{ffff}"),
            "&lt;a b=&quot;c&quot;&gt;&amp;&#10;␛\u{FFFD}"
        );
    }
}
