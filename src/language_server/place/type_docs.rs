//! Facts about resource types, properties and attributes as Markdown.

use crate::resource_types::{
    AttributeDescription, PropertyDescription, StatusDescription, TypeDescription,
    UpdateDescription,
};

/// The most facts of one kind that are listed.
const MAX_LISTED: usize = 12;

/// The facts about a resource type.
pub(in crate::language_server) fn type_markdown(described: &TypeDescription) -> String {
    let mut lines = status_lines(&described.status);
    if described.creates_nothing {
        lines.push("Heat creates nothing for it in this release: its service is gone.".to_owned());
    }
    lines.push(format!("`get_resource` gives {}.", described.reference.value));
    let required: Vec<&str> = described
        .properties
        .iter()
        .filter(|it| it.required && is_top(it))
        .map(|it| it.path.as_str())
        .collect();
    if !required.is_empty() {
        lines.push(format!("Required properties: {}.", names(&required)));
    }
    let attributes: Vec<&str> = described.attributes.iter().map(|it| it.name.as_str()).collect();
    if !attributes.is_empty() {
        lines.push(format!("Attributes: {}.", names(&attributes)));
    }
    lines.extend(described.update_rules.iter().map(|rule| format!("{rule}.")));
    format!("**{}**\n\n{}", described.name, lines.join("\n\n"))
}

/// The facts about a property.
pub(in crate::language_server) fn property_markdown(property: &PropertyDescription) -> String {
    let required = if property.required { ", required" } else { "" };
    let mut lines = vec![format!("**{}**: {}{required}", property.path, property.value_type)];
    let facts: Vec<String> =
        property.facts().iter().map(|fact| format!("- {}", escaped(fact))).collect();
    lines.extend((!facts.is_empty()).then(|| facts.join("\n")));
    lines.extend(property.update.as_ref().map(update_line));
    lines.extend(status_lines(&property.status));
    lines.join("\n\n")
}

/// The facts about an attribute.
pub(in crate::language_server) fn attribute_markdown(
    kind: &str,
    attribute: &AttributeDescription,
) -> String {
    let value_type = attribute.value_type.unwrap_or("of a type that the plugin does not declare");
    let mut lines = vec![format!("**{}** of {kind}: {value_type}", attribute.name)];
    if attribute.uncached {
        lines.push("Heat queries the service on each access.".to_owned());
    }
    lines.extend(status_lines(&attribute.status));
    lines.join("\n\n")
}

/// What an update does, in a sentence.
fn update_line(update: &UpdateDescription) -> String {
    let rules: String = update.rules.iter().map(|rule| format!("\n- {rule}")).collect();
    let rules = if rules.is_empty() { rules } else { format!("\n{rules}") };
    format!("An update of it: **{}** ({}).{rules}", update.word(), update.reason)
}

fn status_lines(status: &StatusDescription) -> Vec<String> {
    let facts = status.facts();
    if facts.is_empty() { vec![] } else { vec![format!("{}.", facts.join("; "))] }
}

/// A fact that may contain a regular expression.
fn escaped(fact: &str) -> String {
    match fact.strip_prefix("matches ") {
        Some(pattern) => format!("matches `{pattern}`"),
        None => fact.to_owned(),
    }
}

/// Names, not all of many.
fn names(all: &[&str]) -> String {
    let shown: Vec<String> = all.iter().take(MAX_LISTED).map(|name| format!("`{name}`")).collect();
    let more = all.len().saturating_sub(MAX_LISTED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", shown.join(", "))
}

/// Whether a property is not a part of another one.
fn is_top(property: &PropertyDescription) -> bool {
    !property.path.contains(['.', '['])
}
