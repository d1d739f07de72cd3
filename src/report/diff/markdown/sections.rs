//! The collapsed sections of a template other than resources: parameters, conditions,
//! outputs, findings and others.

use super::alarms::finding;
use super::escape::{at, code, name, sentence};
use super::limits::MAX_COMMENT;
use super::page::{BlockPriority, MarkdownPage, units};
use super::values::{changes, difference};
use crate::report::diff::model::{
    EnvironmentEntry, ParameterEntry, SectionEntry, SourcePlace, TemplateReport,
};
use crate::report::diff::{DiffReportOptions, labels};
use hotplate_diff::Places;
use source_diagnostics::Severity;

impl MarkdownPage {
    pub(super) fn sections(&mut self, template: &TemplateReport, options: &DiffReportOptions) {
        let reported = template.parameters.iter();
        let reported =
            reported.filter(|parameter| labels::is_reported(parameter, template, options.verbose));
        let parameters: Vec<_> = reported.map(|it| parameter(it, options)).collect();
        self.section("parameters", &parameters);
        for (title, entries) in [
            ("parameter groups", &template.groups),
            ("conditions", &template.conditions),
            ("outputs", &template.outputs),
        ] {
            let items: Vec<_> = entries.iter().map(|it| entry(it, options)).collect();
            self.section(title, &items);
        }
        let items: Vec<_> =
            template.environment.iter().map(|it| environment(it, options)).collect();
        self.section("environment", &items);
        let unused = template.suppressions.iter().filter(|suppression| !suppression.used);
        let items: Vec<_> = unused
            .map(|suppression| format!("- {}\n", code(&labels::suppression(suppression))))
            .collect();
        self.section("unused suppressions", &items);
        let findings: Vec<_> = labels::findings(template)
            .filter(|entry| entry.finding.severity != Severity::Error)
            .map(|entry| format!("- {}\n", finding(entry)))
            .chain(labels::old_findings(template).map(|count| format!("- {count}\n")))
            .collect();
        self.section("findings", &findings);
        let notes: Vec<_> =
            template.notes.iter().map(|note| format!("- {}\n", sentence(&note.message))).collect();
        self.section("notes", &notes);
    }

    /// Adds a collapsed section; a long one is cut to a fair share of the page.
    fn section(&mut self, title: &'static str, items: &[String]) {
        if items.is_empty() {
            return;
        }
        let mut text = format!("<details><summary>{title} ({})</summary>\n\n", items.len());
        let mut shown = 0;
        for item in items {
            if units(&text) + units(item) > MAX_COMMENT / 8 {
                break;
            }
            text.push_str(item);
            shown += 1;
        }
        if shown < items.len() {
            text.push_str(&format!("- and {} more\n", items.len() - shown));
        }
        text.push_str("\n</details>\n");
        self.push(BlockPriority::Section, title, text);
    }
}

fn parameter(parameter: &ParameterEntry, options: &DiffReportOptions) -> String {
    let mut text = head(
        &parameter.name,
        &labels::change(&parameter.change),
        &parameter.affects,
        parameter.places.as_ref(),
    );
    if labels::must_be_given(parameter) {
        text.push_str(&format!("  - {}\n", labels::MUST_BE_GIVEN));
    }
    for (what, detail) in labels::details(parameter, true) {
        text.push_str(&difference(1, &what, &detail.value, options));
    }
    text
}

fn entry(entry: &SectionEntry, options: &DiffReportOptions) -> String {
    let places = entry.places.as_ref();
    if let Some(cause) = labels::output_cause(entry, name) {
        return format!("- {} {cause}{}\n", name(&entry.name), at(places));
    }
    let mut text = head(&entry.name, &labels::change(&entry.change), &entry.affects, places);
    if entry.changes.is_empty() {
        text.push_str(&difference(1, "", &entry.value, options));
    } else {
        text.push_str(&changes(&entry.changes, |change| change.path.clone(), options));
    }
    text
}

fn environment(change: &EnvironmentEntry, options: &DiffReportOptions) -> String {
    let places = change.places.as_ref();
    let what = labels::environment(change);
    let mut text = head(&what, &labels::change(&change.change), &change.affects, places);
    text.push_str(&difference(1, "", &change.value, options));
    text
}

/// The first line of an entry of a section.
fn head(of: &str, change: &str, reaches: &[String], places: Places<&SourcePlace>) -> String {
    let reaches = if reaches.is_empty() {
        String::new()
    } else {
        format!(", affects {}", name(&labels::name_list(reaches)))
    };
    format!("- {} {}{reaches}{}\n", name(of), sentence(change), at(places))
}
