//! A property of a type, and the parts of its value.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value as Json;

use super::{FactsOfRelease, StatusDescription};
use heat_engine::eval::typed_properties::property_moves;
use heat_template::schema::{
    Bounds, Property, PropertyConstraint, ResourceType, Table, Translation, ValueType,
};
use hotplate_diff::{Impact, PropertyUpdate, property_update};

/// A property, or a part of its value.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PropertyDescription {
    /// The names that lead to it, separated by dots; `[]` stands for each item of a list: `networks[].port`.
    pub path: String,
    /// The type that Heat converts values to: `string`, `integer`, `number`, `boolean`, `list`, `map`, `any`.
    #[serde(rename = "type")]
    pub value_type: &'static str,
    /// Whether it is required, within the map that it belongs to.
    pub required: bool,
    /// The default; `null` if there is none.
    pub default: Option<Json>,
    /// Constraints on the value.
    pub constraints: Vec<Constraint>,
    /// What an update of the stack does if it changes; `null` for a part of a value, for which the update of the property applies.
    pub update: Option<UpdateDescription>,
    /// The support status in the release.
    pub status: StatusDescription,
    /// The path of the property that gets its value, if it is an old name of that one.
    pub moved_to: Option<String>,
    /// The paths of its old names.
    pub old_names: Vec<String>,
    /// The lookup by which Heat converts a name to an id.
    pub resolved_by: Option<String>,
    /// Whether Heat converts other types: a list or a map to JSON text, a single value to a list.
    pub allows_conversion: bool,
    /// Whether Heat refuses a value, since it does not implement the property.
    pub unimplemented: bool,
}

/// A constraint on a value.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Constraint {
    /// The value is one of these.
    AllowedValues(Vec<Json>),
    /// The bounds of a number.
    Range {
        /// The minimum; `null` for no lower bound.
        min: Option<i64>,
        /// The maximum; `null` for no upper bound.
        max: Option<i64>,
    },
    /// The bounds of the length of a string, a list or a map.
    Length {
        /// The minimum; `null` for no lower bound.
        min: Option<i64>,
        /// The maximum; `null` for no upper bound.
        max: Option<i64>,
    },
    /// A regular expression of Python that matches the whole value.
    AllowedPattern(String),
    /// The name of a constraint in Heat's code.
    CustomConstraint(String),
}

impl From<&PropertyConstraint> for Constraint {
    fn from(constraint: &PropertyConstraint) -> Self {
        match constraint {
            PropertyConstraint::AllowedValues(values) => Constraint::AllowedValues(values.clone()),
            PropertyConstraint::Range(Bounds { min, max }) => {
                Constraint::Range { min: *min, max: *max }
            }
            PropertyConstraint::Length(Bounds { min, max }) => {
                Constraint::Length { min: *min, max: *max }
            }
            PropertyConstraint::AllowedPattern(pattern) => {
                Constraint::AllowedPattern(pattern.clone())
            }
            PropertyConstraint::Custom(name) => Constraint::CustomConstraint((*name).to_owned()),
        }
    }
}

/// What an update does if the property changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct UpdateDescription {
    /// The impact if all other properties have their defaults.
    pub impact: Impact,
    /// The rule that determines it.
    pub reason: String,
    /// Rules by which other properties decide.
    pub rules: Vec<String>,
}

impl From<PropertyUpdate> for UpdateDescription {
    fn from(PropertyUpdate { impact, reason, rules }: PropertyUpdate) -> Self {
        UpdateDescription { impact, reason, rules }
    }
}

pub(super) fn type_name(value_type: ValueType) -> &'static str {
    match value_type {
        ValueType::String => "string",
        ValueType::Integer => "integer",
        ValueType::Number => "number",
        ValueType::Boolean => "boolean",
        ValueType::List => "list",
        ValueType::Map => "map",
        ValueType::Any => "any",
    }
}

/// Describes the properties of a type.
pub(super) struct PropertyLister {
    pub(super) kind: &'static str,
    pub(super) info: &'static ResourceType,
    pub(super) facts: FactsOfRelease,
}

impl PropertyLister {
    /// The properties in a table, each followed by the parts of its value.
    pub(super) fn list(
        &self,
        table: &Table<Property>,
        are_properties: bool,
    ) -> Vec<PropertyDescription> {
        let mut found = Vec::new();
        for (name, property) in table {
            let update = are_properties.then(|| property_update(self.kind, self.info, name).into());
            self.add(property, &mut vec![name], (*name).to_owned(), update, &mut found);
        }
        if are_properties {
            self.add_translations(&mut found);
        }
        found
    }

    fn add(
        &self,
        property: &Property,
        names: &mut Vec<&'static str>,
        path: String,
        update: Option<UpdateDescription>,
        found: &mut Vec<PropertyDescription>,
    ) {
        found.push(PropertyDescription {
            path: path.clone(),
            value_type: type_name(property.value_type),
            required: property.required,
            default: property.default.clone(),
            constraints: property.constraints.iter().map(Constraint::from).collect(),
            update,
            status: StatusDescription::new(&property.support, self.facts),
            moved_to: None,
            old_names: Vec::new(),
            resolved_by: None,
            allows_conversion: property.allow_conversion,
            unimplemented: property.unimplemented,
        });
        if let Some(items) = &property.items {
            self.add(items, names, format!("{path}[]"), None, found);
        }
        for (name, member) in &property.members {
            names.push(name);
            self.add(member, names, format!("{path}.{name}"), None, found);
            names.pop();
        }
    }

    /// Adds old names and lookups to the properties.
    fn add_translations(&self, found: &mut [PropertyDescription]) {
        for rule in self.info.translations.iter().flatten() {
            if let Translation::Resolve { path, finder, entity } = rule
                && let Some(property) = at(found, path)
            {
                let entity = entity.map_or(String::new(), |entity| format!(" ({entity})"));
                property.resolved_by = Some(format!("{finder}{entity}"));
            }
        }
        for (from, to) in property_moves(self.info) {
            let Some(target) = at(found, &to).map(|it| it.path.clone()) else { continue };
            let source = match (at(found, &from), from.split_last()) {
                (Some(property), _) => {
                    property.moved_to = Some(target);
                    property.path.clone()
                }
                // A key of a map that is no property by itself.
                (None, Some((key, map))) => match at(found, map) {
                    Some(map) => format!("{}.{key}", map.path),
                    None => continue,
                },
                (None, None) => continue,
            };
            if let Some(property) = at(found, &to) {
                property.old_names.push(source);
            }
        }
    }
}

/// The property at a path of names, in which lists have no step.
fn at<'f>(
    found: &'f mut [PropertyDescription],
    names: &[&str],
) -> Option<&'f mut PropertyDescription> {
    let names = names.join(".");
    found.iter_mut().find(|property| property.path.replace("[]", "") == names)
}

impl PropertyDescription {
    /// Whether it is the property at a path, with or without `[]`, or a part of it.
    pub fn is_within(&self, path: &str) -> bool {
        let (own, path) = (self.path.replace("[]", ""), path.replace("[]", ""));
        own.strip_prefix(&path).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    }
}
