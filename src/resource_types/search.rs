//! Looks for a word in the names of types, properties and attributes.

use schemars::JsonSchema;
use serde::Serialize;

use super::{FactsOfRelease, StatusDescription, TypeDescription};

/// The text in which a word was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FactKind {
    /// The name of a type.
    Type,
    /// Another name of a type.
    Alias,
    /// The path of a property.
    Property,
    /// A key of `update_policy`.
    UpdatePolicy,
    /// The name of an attribute.
    Attribute,
}

impl FactKind {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            FactKind::Type => "type",
            FactKind::Alias => "alias",
            FactKind::Property => "property",
            FactKind::UpdatePolicy => "update policy",
            FactKind::Attribute => "attribute",
        }
    }
}

/// A name that contains the word.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct FactMatch {
    /// The name of the type.
    #[serde(rename = "type")]
    pub of_type: String,
    /// The owner of the name.
    pub kind: FactKind,
    /// The name, or the path of a property.
    pub name: String,
    /// Its support status in the release.
    pub status: StatusDescription,
}

/// The names that contain a word, in any letter case, in the order of the types; all types if the word is empty.
pub fn search(word: &str, facts: FactsOfRelease) -> Vec<FactMatch> {
    let word = word.to_lowercase();
    let fits = |name: &str| name.to_lowercase().contains(&word);
    let mut found = Vec::new();
    for kind in facts.schema.types.names() {
        let Some(described) = TypeDescription::new(kind, facts) else { continue };
        let mut add = |kind, name: &str, status: &StatusDescription| {
            found.push(FactMatch {
                of_type: described.name.clone(),
                kind,
                name: name.to_owned(),
                status: status.clone(),
            });
        };
        if fits(&described.name) {
            add(FactKind::Type, &described.name, &described.status);
        }
        if word.is_empty() {
            continue;
        }
        for alias in described.aliases.iter().filter(|alias| fits(alias)) {
            add(FactKind::Alias, alias, &described.status);
        }
        // Of a path, the last name counts: the others are found by themselves.
        let last = |path: &str| fits(path.rsplit('.').next().unwrap_or(path));
        let tables = [
            (FactKind::Property, &described.properties),
            (FactKind::UpdatePolicy, &described.update_policy),
        ];
        for (kind, table) in tables {
            for property in table.iter().filter(|it| !it.path.ends_with("[]") && last(&it.path)) {
                add(kind, &property.path, &property.status);
            }
        }
        for attribute in described.attributes.iter().filter(|it| fits(&it.name)) {
            add(FactKind::Attribute, &attribute.name, &attribute.status);
        }
    }
    found
}
