//! The formats of continuous integration: each message is an annotation, and each format has the inputs of the comparison in its own
//! way.

mod folding;
#[cfg(test)]
mod tests;

use indexmap::IndexMap;
use serde_json::{Value as Json, json};

use super::messages::{
    FILES, FailureClass, IMMUTABLE_PARAMETER, Message, REFUSED_BEFORE, SECTIONS, UNREAD_FILE,
    impact_rule, messages, one_line, section_rule, security_rule,
};
use super::model::{Report, SuppressionEntry, TemplateReport};
use super::{inputs_summary, labels, level};
use crate::report::annotations::{
    self, Annotation, AnnotationSuppression, GithubLog, JunitLog, Outcome, SarifLog, Suite,
    TestCase, notification,
};
use crate::report::{SourceRange, escape};
use hotplate_diff::{FailOn, Impact, SecurityKind};
use source_diagnostics::Severity;

const COMMAND: &str = "hotplate diff";

/// A message where a code forge shows it: in a file of the new side. What is only in the old files is shown at the template, with a
/// line that names the old place, since a line of an old file would be wrong.
fn annotation<'r>(template: &'r TemplateReport, message: Message<'r>) -> Annotation<'r> {
    let fingerprint = message.fingerprint();
    let kind = kind_of_subject(&message);
    let Message { rule, subject, kind: resource_type, level, title, mut lines, places, .. } =
        message;
    let new_file = template.new.as_deref();
    let (file, place) = match (places.new, places.old) {
        (Some(place), _) => (place.path.as_str(), Some(place)),
        (None, Some(old)) => {
            lines.push(format!("it was in {}:{}", one_line(&old.path), old.start.line));
            (new_file.unwrap_or(&old.path), None)
        }
        (None, None) => (new_file.or(template.old.as_deref()).unwrap_or_default(), None),
    };
    let stops_update = rule == impact_rule(Impact::Refused) || rule == IMMUTABLE_PARAMETER;
    let mut annotation = Annotation::new((rule, level), title, file, place, fingerprint);
    annotation.details = lines;
    annotation.stops_update = stops_update;
    annotation.subject = (!subject.is_empty()).then_some((subject, kind));
    annotation.resource_type = resource_type;
    if let (Some(_), Some(old)) = (places.new, places.old) {
        annotation.related.push((old, "before the change"));
    }
    let suppression = |entry: &'r SuppressionEntry| AnnotationSuppression {
        is_in_source: entry.place.is_some(),
        reason: entry.reason.as_deref(),
    };
    annotation.suppressions = message.suppressions.into_iter().map(suppression).collect();
    annotation
}

/// The kind of a message's subject: `resource`, `parameter`.
fn kind_of_subject(message: &Message<'_>) -> String {
    let kind = match message.failure_class {
        _ if message.rule == IMMUTABLE_PARAMETER => "parameter",
        _ if FILES.iter().any(|(_, rule, _)| *rule == message.rule) => "template",
        FailureClass::Difference => message.rule.trim_start_matches("section/"),
        FailureClass::NotCompared if message.rule == UNREAD_FILE => "file",
        FailureClass::Outcome(_)
        | FailureClass::Access(_)
        | FailureClass::NotCompared
        | FailureClass::Nothing => "resource",
    };
    kind.to_owned()
}

/// The annotations of all templates, the worst of each first.
fn annotations(report: &Report) -> Vec<Annotation<'_>> {
    let all = report.templates().iter();
    let all =
        all.flat_map(|it| messages(it).into_iter().map(move |message| annotation(it, message)));
    all.collect()
}

/// The annotations of all templates, then those of the search for templates.
fn annotations_with_search(report: &Report) -> Vec<Annotation<'_>> {
    let of_search = inputs_summary::search_findings(report).map(Annotation::of_finding);
    annotations(report).into_iter().chain(of_search).collect()
}

/// GitLab's Code Quality report.
pub fn to_gitlab(report: &Report) -> serde_json::Result<String> {
    annotations::to_gitlab(&annotations_with_search(report))
}

/// Comments at lines for Zuul; what the search for templates found without a place is a warning of the job.
pub fn to_zuul(report: &Report) -> serde_json::Result<String> {
    annotations::to_zuul(&annotations_with_search(report))
}

/// GitHub's workflow commands: a notice with the summary, then an annotation for each cause, by level, impacts before findings.
pub fn to_github(report: &Report) -> String {
    let mut headline = labels::report_headline(report);
    if let Some(compared) = inputs_summary::compared(report) {
        headline.push_str(&format!("\n{}", escape::on_one_line(&compared)));
    }
    let mut log = GithubLog::default();
    log.summary(COMMAND, &headline);
    inputs_summary::search_findings(report)
        .for_each(|finding| log.annotation(&Annotation::of_finding(finding)));
    for severity in Severity::ALL.into_iter().rev() {
        let mut all: Vec<(&TemplateReport, Message<'_>)> = Vec::new();
        for template in report.templates() {
            let messages = folding::folded_messages(template).into_iter();
            all.extend(messages.filter(|it| it.level == severity).map(|it| (template, it)));
        }
        all.sort_by_key(|(_, message)| message.is_finding());
        let all: Vec<_> = all.into_iter().map(|(it, message)| annotation(it, message)).collect();
        log.annotations(severity, &all);
    }
    log.0
}

/// SARIF 2.1.0: a result for every message.
pub fn to_sarif(report: &Report) -> serde_json::Result<String> {
    let annotations = annotations(report);
    let mut rules = rules();
    for annotation in &annotations {
        let rule = || finding_rule(annotation);
        rules.entry(annotation.rule.clone()).or_insert_with(rule);
    }
    let compared = report.templates().iter().all(|template| template.compared);
    let mut invocation = json!({"executionSuccessful": compared});
    let notifications: Vec<Json> =
        inputs_summary::search_findings(report).map(notification).collect();
    if !notifications.is_empty() {
        invocation["toolExecutionNotifications"] = notifications.into();
    }
    let properties = report.inputs().map(|inputs| {
        let compared = inputs_summary::compared(report);
        json!({"inputs": inputs, "compared": compared})
    });
    SarifLog {
        rules,
        annotations: &annotations,
        fingerprints: "hotplateDiff/v1",
        fingerprints_first: false,
        invocation,
        properties,
    }
    .to_text()
}

/// The rules of impacts, parameters and security, by id.
fn rules() -> IndexMap<String, Json> {
    let impacts = Impact::ALL.into_iter().filter_map(|impact| {
        let short = format!("A resource {}", labels::impact_phrase(impact));
        let level = level::impact_level(impact)?;
        Some((impact_rule(impact), short, level::impact_help(impact), level, "impact"))
    });
    let others = [
        (
            IMMUTABLE_PARAMETER,
            "The value of an immutable parameter changes",
            "Heat refuses to update a stack if the value of an immutable parameter changes. Pass the old value.",
            Severity::Error,
        ),
        (
            REFUSED_BEFORE,
            "Heat refuses the template before and after the change",
            "Heat refuses the new template for errors that the old one also has. Fix them first: until then, the effect of an update is unknown.",
            Severity::Warning,
        ),
        (
            UNREAD_FILE,
            "A file could not be read",
            "A template refers to a file that could not be read, or has parts that Heat refuses and nobody reads: these are not compared.",
            Severity::Error,
        ),
    ];
    let others = others
        .into_iter()
        .map(|(id, short, help, level)| (id.to_owned(), short.to_owned(), help, level, "impact"));
    let alike = |id, help: &'static str, level, tag| (id, help.to_owned(), help, level, tag);
    let security = SecurityKind::ALL.into_iter().map(|kind| {
        alike(security_rule(kind), level::security_help(kind), Severity::Warning, "security")
    });
    let files = FILES
        .into_iter()
        .map(|(_, id, help)| alike(id.to_owned(), help, Severity::Note, "template"));
    let sections = SECTIONS
        .into_iter()
        .map(|(name, help)| alike(section_rule(name), help, Severity::Note, "section"));
    impacts
        .chain(others)
        .chain(security)
        .chain(files)
        .chain(sections)
        .map(|(id, short, help, level, tag)| {
            let rule = annotations::rule(&id, level, [&short, help, help], tag);
            (id, rule)
        })
        .collect()
}

/// The rule of a finding, which its code explains.
fn finding_rule(annotation: &Annotation<'_>) -> Json {
    let id = annotation.rule.as_str();
    let code = crate::codes::from_id(id);
    let (short, help) = code.map_or((id, id), |it| (it.info().title, it.info().explanation));
    annotations::rule(id, annotation.severity, [short, help, help], "template")
}

/// JUnit XML: a test suite for each template, with a test case for each resource that differs, each changed immutable
/// parameter, each security change, and each other difference, which fails if `--fail-on` counts it.
pub fn to_junit(report: &Report, fail_on: &FailOn) -> String {
    let templates = report.templates().iter();
    let mut suites: Vec<Suite<'_>> = templates.map(|it| suite(report, it, fail_on)).collect();
    let failures = inputs_summary::search_findings(report)
        .filter(|it| fail_on.counts_finding(it.code, it.severity))
        .map(|it| TestCase {
            name: it.message.clone(),
            place: it.place.as_ref().map(file_and_line),
            outcome: Outcome::Failed(String::new(), String::new()),
        });
    let mut cases: Vec<TestCase<'_>> = failures.collect();
    // A file without test cases would look like a success.
    if let Some(nothing) = inputs_summary::empty_reason(report).filter(|_| cases.is_empty()) {
        let outcome = Outcome::Skipped(nothing.clone());
        cases.push(TestCase { name: nothing, place: None, outcome });
    }
    if !cases.is_empty() {
        suites.push(Suite { name: COMMAND, properties: properties(report, None), cases });
    }
    JunitLog { command: COMMAND, suites }.to_xml()
}

fn suite<'r>(report: &'r Report, template: &'r TemplateReport, fail_on: &FailOn) -> Suite<'r> {
    let name = template.path();
    let cases = messages(template).into_iter();
    let mut cases: Vec<TestCase<'_>> =
        cases.filter_map(|message| test_case(template, message, fail_on)).collect();
    if cases.is_empty() {
        // Some consumers treat a suite without cases as broken.
        let name = labels::template_headline(template);
        cases.push(TestCase { name, place: None, outcome: Outcome::Passed(String::new()) });
    }
    Suite { name, properties: properties(report, Some(template)), cases }
}

fn file_and_line(place: &SourceRange) -> (&str, u32) {
    (&place.path, place.start.line)
}

/// A message as a test case; `None` for a finding of a template that is compared.
fn test_case<'r>(
    template: &TemplateReport,
    message: Message<'r>,
    fail_on: &FailOn,
) -> Option<TestCase<'r>> {
    let lines = message.lines.join("\n");
    let is_failure = is_failure(fail_on, &message);
    let place = message.best_place().map(file_and_line);
    let outcome = if message.is_finding() {
        if template.compared || message.level != Severity::Error {
            return None;
        }
        Outcome::Error(message.rule, lines)
    } else if !message.suppressions.is_empty() {
        let reasons = message.suppressions.iter().filter_map(|it| it.reason.as_deref());
        let reasons = reasons.collect::<Vec<_>>().join("; ");
        let colon = if reasons.is_empty() { "" } else { ": " };
        Outcome::Skipped(format!("allowed{colon}{reasons}"))
    } else if is_failure {
        Outcome::Failed(message.rule, lines)
    } else {
        Outcome::Passed(lines)
    };
    Some(TestCase { name: message.title, place, outcome })
}

/// Whether `--fail-on` counts a message.
fn is_failure(fail_on: &FailOn, message: &Message<'_>) -> bool {
    match message.failure_class {
        FailureClass::Nothing => false,
        FailureClass::NotCompared => true,
        FailureClass::Outcome(outcome) => fail_on.counts_outcome(outcome),
        FailureClass::Access(change) => fail_on.counts_access(change),
        FailureClass::Difference => *fail_on == FailOn::AnyDifference,
    }
}

/// The inputs of the comparison, as properties of a test suite.
fn properties<'r>(
    report: &'r Report,
    template: Option<&TemplateReport>,
) -> Option<Vec<(&'r str, String)>> {
    let inputs = report.inputs()?;
    let versions = template.map(|it| (it.old_version.clone(), it.new_version.clone()));
    let (old_version, new_version) = versions.unwrap_or_default();
    let unknown = template.map_or(0, |it| it.unknown_parameters.len());
    let of_search = inputs_summary::search_findings(report).map(|it| {
        let place = it.place.as_ref();
        let place = place.map(|place| format!(" ({}:{})", place.path, place.start.line));
        (it.code.info().id, Some(format!("{}{}", it.message, place.unwrap_or_default())))
    });
    let properties = [
        ("compared", inputs_summary::compared(report)),
        ("hotplate", Some(inputs.hotplate.clone())),
        ("old_version", old_version),
        ("new_version", new_version),
        ("unknown_parameters", Some(unknown.to_string())),
        ("invented", Some(inputs.invented.to_string())),
    ];
    let properties = properties.into_iter().chain(of_search);
    Some(properties.filter_map(|(name, value)| Some((name, value?))).collect())
}
