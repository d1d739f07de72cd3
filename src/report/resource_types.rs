//! The facts about resource types, for a terminal and as JSON.

use std::fmt::Write;

use schemars::JsonSchema;
use serde::Serialize;

use super::wrap::add_hanging;
use crate::resource_types::{
    AttributeDescription, FactKind, FactMatch, FactsOfRelease, PropertyDescription,
    StatusDescription, StatusIn, TypeDescription,
};
use hotplate_diff::Impact;

/// The JSON of `hotplate schema`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ResourceTypesReport {
    /// The version of Heat that the facts are of.
    pub heat: &'static str,
    /// The release of OpenStack for which statuses are stated.
    pub release: String,
    /// The type, with the requested property or attribute only if one was requested; empty for a search and for the list.
    pub types: Vec<TypeDescription>,
    /// The types that a search found, or every type.
    pub matches: Vec<FactMatch>,
}

impl ResourceTypesReport {
    /// A report about facts of a release.
    pub fn new(
        facts: FactsOfRelease,
        types: Vec<TypeDescription>,
        matches: Vec<FactMatch>,
    ) -> Self {
        ResourceTypesReport {
            heat: facts.schema.heat,
            release: facts.release_name(),
            types,
            matches,
        }
    }
}

/// A type in full, on lines of about `width` columns.
pub fn type_text(
    described: &TypeDescription,
    report: &ResourceTypesReport,
    width: usize,
) -> String {
    let mut text = described.name.clone();
    if !described.aliases.is_empty() {
        let _ = write!(text, " (also: {})", described.aliases.join(", "));
    }
    let _ = writeln!(text, "\nHeat {}, as of OpenStack {}\n", report.heat, report.release);
    let mut lines: Vec<(&str, String)> =
        vec![("status", status_line(&described.status, "supported"))];
    if described.creates_nothing {
        lines.push(("", "Heat accepts the type and any property, but creates nothing".to_owned()));
    }
    lines.push(("plugin", described.implementation.clone()));
    if let Some(service) = &described.service {
        let extension = described.required_extension.as_ref();
        let extension = extension.map_or(String::new(), |it| format!(", with the extension {it}"));
        lines.push(("service", format!("{service}{extension}")));
    }
    let reference = &described.reference;
    lines.push((
        "get_resource",
        format!("{}; in a preview {}", reference.value, reference.before_creation),
    ));
    let flags = [
        (described.nested, "a nested stack"),
        (described.signal, "accepts signals"),
        (described.snapshot, "`deletion_policy: Snapshot` is allowed"),
        (described.implicit_dependencies, "Heat adds dependencies that the template does not show"),
    ];
    let flags: Vec<&str> = flags.iter().filter(|(holds, _)| *holds).map(|(_, it)| *it).collect();
    if !flags.is_empty() {
        lines.push(("features", flags.join("; ")));
    }
    if let Some(limit) = described.name_limit {
        lines.push(("name", format!("at most {limit} characters")));
    }
    for rule in &described.update_rules {
        lines.push(("update", rule.clone()));
    }
    let labels = std::iter::once("rules").chain(std::iter::repeat(""));
    lines.extend(labels.zip(described.property_rules.iter().cloned()));
    pairs(&mut text, &lines, width);
    if described.properties.is_empty() {
        text.push_str("\nNo properties\n");
    } else {
        text.push_str("\nProperties (* required): type, what an update does, facts\n");
        property_rows(&mut text, &described.properties, width);
    }
    if !described.update_policy.is_empty() {
        text.push_str("\nKeys of update_policy\n");
        property_rows(&mut text, &described.update_policy, width);
    }
    if !described.attributes.is_empty() {
        text.push_str("\nAttributes for get_attr\n");
        attribute_rows(&mut text, &described.attributes, width);
    }
    text.push_str("\nNot in these facts\n");
    for unknown in &described.unknown {
        add_hanging(&mut text, "  - ", unknown, width);
    }
    text
}

/// A property of a type with its parts, or an attribute: what `hotplate schema TYPE PROPERTY` limits a description to.
pub fn part_text(
    described: &TypeDescription,
    report: &ResourceTypesReport,
    width: usize,
) -> String {
    let mut text = String::new();
    let mut properties = described.properties.iter().chain(&described.update_policy);
    if let Some(property) = properties.next() {
        let _ = writeln!(text, "{} of {}", property.path, described.name);
        let _ = writeln!(text, "Heat {}, as of OpenStack {}\n", report.heat, report.release);
        let mut lines = vec![("type", property.value_type.to_owned())];
        if property.required {
            lines.push(("required", "yes".to_owned()));
        }
        if let Some(update) = &property.update {
            lines.push((
                "update",
                match update.impact {
                    Impact::Update if update.rules.is_empty() => update.reason.clone(),
                    _ => format!("{}: {}", update.word(), update.reason),
                },
            ));
            lines.extend(update.rules.iter().map(|rule| ("", rule.clone())));
        }
        lines.extend(property.facts().into_iter().map(|fact| ("", fact)));
        let labels = std::iter::once("rules").chain(std::iter::repeat(""));
        lines.extend(labels.zip(described.property_rules.iter().cloned()));
        lines.push(("status", status_line(&property.status, "supported")));
        pairs(&mut text, &lines, width);
        let parts: Vec<PropertyDescription> = properties.cloned().collect();
        if !parts.is_empty() {
            text.push_str("\nParts of the value (* required)\n");
            property_rows(&mut text, &parts, width);
        }
    }
    for attribute in &described.attributes {
        if !text.is_empty() {
            text.push('\n');
        }
        let _ = writeln!(text, "attribute {} of {}", attribute.name, described.name);
        let _ = writeln!(text, "Heat {}, as of OpenStack {}\n", report.heat, report.release);
        let mut lines = vec![("type", attribute.value_type.unwrap_or("not declared").to_owned())];
        if attribute.uncached {
            lines.push(("", "Heat queries the service on each access".to_owned()));
        }
        lines.push(("status", status_line(&attribute.status, "supported")));
        pairs(&mut text, &lines, width);
    }
    text
}

/// The types that a search found, or all types.
pub fn matches_text(report: &ResourceTypesReport, width: usize) -> String {
    let mut text = String::new();
    let types = report.matches.iter().map(|found| found.of_type.len());
    let column = types.max().unwrap_or(0);
    for found in &report.matches {
        let what = match found.kind {
            FactKind::Type => String::new(),
            kind => format!("{} {}", kind.name(), found.name),
        };
        let status = match found.status.status {
            StatusIn::Supported => String::new(),
            _ => format!("({})", found.status.summary()),
        };
        let facts: Vec<String> = [what, status].into_iter().filter(|it| !it.is_empty()).collect();
        add_hanging(&mut text, &format!("{:column$}  ", found.of_type), &facts.join("  "), width);
    }
    text
}

fn property_rows(text: &mut String, properties: &[PropertyDescription], width: usize) {
    let column = properties.iter().map(|it| it.path.len()).max().unwrap_or(0).min(MAX_COLUMN);
    for property in properties {
        let update = property.update.as_ref().map_or("", |it| it.word());
        let mark = if property.required { '*' } else { ' ' };
        let path = match property.path.len() > column {
            // A long path has a line of its own.
            true => {
                let _ = writeln!(text, "{mark} {}", property.path);
                format!("  {:column$}", "")
            }
            false => format!("{mark} {:column$}", property.path),
        };
        let start = format!("{path}  {:7}  {update:9}  ", property.value_type);
        let rules = property.update.iter().flat_map(|it| it.rules.iter().cloned());
        let mut facts: Vec<String> = property.facts().into_iter().chain(rules).collect();
        facts.extend(property.status.facts());
        add_hanging(text, &start, &facts.join("; "), width);
    }
}

fn attribute_rows(text: &mut String, attributes: &[AttributeDescription], width: usize) {
    let column = attributes.iter().map(|it| it.name.len()).max().unwrap_or(0).min(MAX_COLUMN);
    for attribute in attributes {
        let start =
            format!("  {:column$}  {:7}  ", attribute.name, attribute.value_type.unwrap_or("?"));
        add_hanging(text, &start, &attribute.status.facts().join("; "), width);
    }
}

/// The longest name to which a column is aligned.
const MAX_COLUMN: usize = 44;

/// The status as a line; `supported` for what is supported since always.
fn status_line(status: &StatusDescription, supported: &str) -> String {
    let mut facts = status.facts();
    if facts.is_empty() || status.status == StatusIn::Supported {
        let since = status.summary();
        facts = vec![format!("{supported} {since}").trim_end().to_owned()];
        facts.extend(status.message.clone());
    }
    let before = status.history.iter().skip_while(|it| it.status != status.status).skip(1);
    let before: Vec<String> = before
        .map(|stage| match &stage.since {
            Some(since) => format!("{} since {since}", stage.status.name()),
            None => stage.status.name().to_owned(),
        })
        .collect();
    if !before.is_empty() {
        facts.push(format!("before: {}", before.join(", ")));
    }
    facts.join("; ")
}

/// Lines of a label and its text.
fn pairs(text: &mut String, lines: &[(&str, String)], width: usize) {
    let column = lines.iter().map(|(label, _)| label.len()).max().unwrap_or(0);
    for (label, value) in lines {
        add_hanging(text, &format!("  {label:column$}  "), value, width);
    }
}
