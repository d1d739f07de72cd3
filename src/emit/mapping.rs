//! The mapping tables of targets, `targets/NAME/mapping.yaml`: what becomes of each Heat type, of its
//! properties and of its attributes. Data only; what a table cannot say is a rule in the target's code,
//! which the table names.

use indexmap::IndexMap;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::diagnostics::{Code, Diagnostic, SourceId};
use crate::source::{Limits, Value, json_writer, read};

/// Reads a table: data in YAML, in the layout that is asked for.
pub fn table<T: DeserializeOwned>(text: &str) -> Result<T, Box<Diagnostic>> {
    let limits = Limits::default();
    let document = read(SourceId(u32::MAX), text.into(), &limits)?;
    let data = match document.root() {
        Some(root) => Value::copy_of(document.data(root), &limits)?,
        None => Value::Null,
    };
    let json = json_writer::pretty(&data)?;
    serde_json::from_str(&json)
        .map_err(|error| Box::new(Diagnostic::new(Code::NotATemplate, format!("a table: {error}"))))
}

/// A mapping table.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mapping {
    /// The schema that every name in the table was checked against, with its version.
    pub checked_against: String,
    /// Heat types, in Heat's spelling.
    pub types: IndexMap<String, TypeMapping>,
}

/// What becomes of a type.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TypeMapping {
    /// The target's type; none where there is no counterpart.
    #[serde(default)]
    pub to: Option<String>,
    /// The rule of the target's code that makes it, where a table cannot.
    #[serde(default)]
    pub rule: Option<String>,
    /// Why there is no counterpart, or what differs: a sentence without a full stop.
    #[serde(default)]
    pub note: Option<String>,
    /// What a user can do where there is no counterpart.
    #[serde(default)]
    pub way_out: Option<String>,
    /// The attribute of the counterpart that is Heat's reference id; the target's usual one if none.
    #[serde(default)]
    pub reference: Option<String>,
    /// Properties, in the order in which they are written.
    #[serde(default)]
    pub properties: IndexMap<String, PropertyMapping>,
    /// Attributes.
    #[serde(default)]
    pub attributes: IndexMap<String, AttributeMapping>,
}

/// What becomes of a property.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PropertyMapping {
    /// The target's argument.
    #[serde(default)]
    pub to: Option<String>,
    /// The rule of the target's code that says it, where a table cannot.
    #[serde(default)]
    pub rule: Option<String>,
    /// Why there is none, or what differs.
    #[serde(default)]
    pub note: Option<String>,
    /// What the target's argument holds: a name of the target's own table of forms.
    #[serde(default)]
    pub holds: Option<String>,
    /// What the value becomes; what is not listed stays.
    #[serde(default)]
    pub values: IndexMap<String, String>,
    /// The target insists on it.
    #[serde(default)]
    pub required: bool,
    /// Heat takes a name or an id, the target an id: the data source that finds it by its name.
    #[serde(default)]
    pub lookup: Option<String>,
    /// Changing it replaces the object in the target, where Heat may update it in place, or the other
    /// way round.
    #[serde(default)]
    pub differs: Option<String>,
    /// Properties of the maps in it, for a list or map whose members have other names.
    #[serde(default)]
    pub members: IndexMap<String, PropertyMapping>,
}

/// What becomes of an attribute.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AttributeMapping {
    /// The target's attribute.
    #[serde(default)]
    pub to: Option<String>,
    /// The rule of the target's code that says it, where a table cannot.
    #[serde(default)]
    pub rule: Option<String>,
    /// Why there is none, or what differs.
    #[serde(default)]
    pub note: Option<String>,
}
