//! The values of properties: every form that Heat converts to the type, or a function.
//!
//! Heat's rule: `docs/heat.md#conversion-of-properties`. Editors read YAML 1.2, where `yes` is a string and `1_000` is no number.

use serde_json::{Map, Value, json};

use super::reference;
use heat_template::schema::{Bounds, Property, PropertyConstraint, ResourceType, Table, ValueType};

use crate::resource_types::{PropertyDescription, StatusIn, TypeDescription};

/// A string that Heat converts to a number, in YAML 1.1 or in Python.
const NUMBER: &str = r"^\s*([-+]?\.?[0-9][0-9a-fA-FxXoO_.:+-]*|[-+]?([iI][nN][fF]([iI][nN][iI][tT][yY])?|[nN][aA][nN]))\s*$";
/// A string that Heat converts to a boolean, or that is one in YAML 1.1.
const BOOLEAN: &str =
    "^([tT][rR][uU][eE]|[fF][aA][lL][sS][eE]|yes|Yes|YES|no|No|NO|on|On|ON|off|Off|OFF)$";

/// The definitions of values without constraints: `string`, `number`, …
pub(super) fn definitions() -> Map<String, Value> {
    let or_function = |forms: Vec<Value>| {
        let mut forms = forms;
        forms.push(reference("function"));
        json!({ "anyOf": forms })
    };
    let scalar = json!({ "type": ["string", "number", "boolean", "null"] });
    let number = json!({ "type": ["number", "boolean", "null"] });
    let mut definitions = Map::new();
    let mut add = |name: &str, schema: Value| {
        definitions.insert(name.to_owned(), schema);
    };
    add("string", or_function(vec![scalar]));
    add("number", or_function(vec![number, json!({ "type": "string", "pattern": NUMBER })]));
    add(
        "boolean",
        or_function(vec![
            json!({ "type": ["boolean", "null"] }),
            json!({ "type": "string", "pattern": BOOLEAN }),
        ]),
    );
    add("list", or_function(vec![json!({ "type": ["array", "null"] })]));
    // A function is a map, too.
    add("map", json!({ "type": ["object", "null"] }));
    definitions
}

/// The name of the definition of a type; `None` if any value is allowed.
fn definition(value_type: ValueType) -> Option<&'static str> {
    match value_type {
        ValueType::String => Some("string"),
        ValueType::Integer | ValueType::Number => Some("number"),
        ValueType::Boolean => Some("boolean"),
        ValueType::List => Some("list"),
        ValueType::Map => Some("map"),
        ValueType::Any => None,
    }
}

/// The properties of a type with their descriptions.
pub(super) struct ValueSchemas<'a> {
    /// The description of the type in the release.
    pub(super) described: &'a TypeDescription,
    pub(super) info: &'static ResourceType,
}

impl ValueSchemas<'_> {
    /// The schema of the map of all properties.
    pub(super) fn properties(&self) -> Value {
        self.members(&self.info.properties, &self.described.properties, "")
    }

    /// The schema of `update_policy`; `None` if the type has none.
    pub(super) fn update_policy(&self) -> Option<Value> {
        let table = &self.info.update_policy;
        (!table.is_empty()).then(|| self.members(table, &self.described.update_policy, ""))
    }

    /// Whether every resource of the type must give a property a value.
    pub(super) fn requires_properties(&self) -> bool {
        !requirements(&self.info.properties, &self.described.properties, "").is_empty()
    }

    fn members(
        &self,
        table: &Table<Property>,
        described: &[PropertyDescription],
        above: &str,
    ) -> Value {
        let mut properties = Map::new();
        for (name, property) in table {
            let path = format!("{above}{name}");
            let Some(of) = described.iter().find(|it| it.path == path) else { continue };
            if of.status.status != StatusIn::Absent {
                properties.insert((*name).to_owned(), self.property(property, of, described));
            }
        }
        let mut map = json!({
            "type": "object",
            "properties": properties,
            "additionalProperties": false,
        });
        let requirements = requirements(table, described, above);
        if !requirements.is_empty() {
            map["allOf"] = json!(requirements);
        }
        json!({ "anyOf": [map, { "type": "null" }, reference("function")] })
    }

    fn property(
        &self,
        property: &Property,
        of: &PropertyDescription,
        described: &[PropertyDescription],
    ) -> Value {
        let mut schema = Map::new();
        schema.insert("description".to_owned(), hover(of).into());
        if property.unimplemented {
            schema.insert("not".to_owned(), json!({}));
        }
        // yaml-language-server shows a `deprecationMessage` as an error; the description has the same text.
        if matches!(of.status.status, StatusIn::Deprecated | StatusIn::Hidden) {
            schema.insert("deprecated".to_owned(), true.into());
        }
        if of.status.status == StatusIn::Hidden {
            schema.insert("doNotSuggest".to_owned(), true.into());
        }
        if let Some(default) = &property.default {
            schema.insert("default".to_owned(), default.clone());
        }
        let forms = self.forms(property, of, described);
        if !forms.is_empty() {
            schema.insert("anyOf".to_owned(), forms.into());
        }
        schema.into()
    }

    /// The forms of the value; empty for any value.
    fn forms(
        &self,
        property: &Property,
        of: &PropertyDescription,
        described: &[PropertyDescription],
    ) -> Vec<Value> {
        let kind = property.value_type;
        let path = of.path.as_str();
        // The value of an old name moves to another property, whose constraints count.
        if of.moved_to.is_some() {
            return definition(kind).map(reference).into_iter().collect();
        }
        if let Some(items) = &property.items {
            let path = format!("{path}[]");
            let list = match described.iter().find(|it| it.path == path) {
                Some(item) => {
                    json!({ "type": "array", "items": self.property(items, item, described) })
                }
                None => json!({ "type": "array" }),
            };
            let list = with_bounds(list, property, "minItems", "maxItems");
            let mut forms = vec![list, json!({ "type": "null" }), reference("function")];
            if property.allow_conversion {
                forms.push(json!({ "type": "string" }));
            }
            return forms;
        }
        if !property.members.is_empty() {
            let map = self.members(&property.members, described, &format!("{path}."));
            let mut forms = vec![map];
            if property.allow_conversion {
                forms.push(json!({ "type": ["string", "array"] }));
            }
            return forms;
        }
        if let Some(forms) = constrained(property) {
            return forms;
        }
        let Some(name) = definition(kind) else { return Vec::new() };
        let mut forms = vec![reference(name)];
        if property.allow_conversion {
            forms.push(match kind {
                ValueType::List => json!({ "type": "string" }),
                _ => json!({ "type": ["string", "array", "object"] }),
            });
        }
        forms
    }
}

/// The names that must have a value, each alone or with its old names, which count, too.
fn requirements(
    table: &Table<Property>,
    described: &[PropertyDescription],
    above: &str,
) -> Vec<Value> {
    let requirement = |name: &&str| {
        let path = format!("{above}{name}");
        let of = described.iter().find(|it| it.path == path)?;
        if !of.required || of.default.is_some() || of.status.status == StatusIn::Absent {
            return None;
        }
        let old = of.old_names.iter().filter_map(|old| old.strip_prefix(above));
        let names: Vec<Value> = std::iter::once(*name)
            .chain(old.filter(|old| table.contains_key(old)))
            .map(|name| json!({ "required": [name] }))
            .collect();
        Some(match names.as_slice() {
            [one] => one.clone(),
            _ => json!({ "anyOf": names }),
        })
    };
    table.keys().filter_map(requirement).collect()
}

/// The forms of a single value with constraints that a schema can express.
fn constrained(property: &Property) -> Option<Vec<Value>> {
    let or_function = |forms: Vec<Value>| {
        let others = [json!({ "type": "null" }), reference("function")];
        Some(forms.into_iter().chain(others).collect())
    };
    if property.allow_conversion {
        return None;
    }
    property.constraints.iter().find_map(|constraint| match (property.value_type, constraint) {
        (
            ValueType::String | ValueType::Integer | ValueType::Number,
            PropertyConstraint::AllowedValues(values),
        ) => or_function(vec![json!({ "enum": spellings(values) })]),
        (ValueType::Integer | ValueType::Number, PropertyConstraint::Range(bounds)) => {
            let number = bounded(json!({ "type": "number" }), *bounds, "minimum", "maximum");
            or_function(vec![
                number,
                json!({ "type": "boolean" }),
                json!({ "type": "string", "pattern": NUMBER }),
            ])
        }
        (ValueType::String, PropertyConstraint::Length(bounds)) => {
            let text = bounded(json!({ "type": "string" }), *bounds, "minLength", "maxLength");
            or_function(vec![text, json!({ "type": ["number", "boolean"] })])
        }
        (ValueType::String, PropertyConstraint::AllowedPattern(pattern)) => or_function(vec![
            json!({ "type": "string", "pattern": format!("^(?:{pattern})$") }),
            json!({ "type": ["number", "boolean"] }),
        ]),
        _ => None,
    })
}

/// Allowed values in every form that Heat converts to them.
fn spellings(values: &[Value]) -> Vec<Value> {
    let mut spelled = Vec::new();
    for value in values {
        let other = match value {
            Value::Number(number) => Some(Value::String(number.to_string())),
            Value::String(text) => match text.as_str() {
                "True" => Some(Value::Bool(true)),
                "False" => Some(Value::Bool(false)),
                text => text.parse::<i64>().ok().map(Value::from),
            },
            _ => None,
        };
        for value in std::iter::once(value.clone()).chain(other) {
            if !spelled.contains(&value) {
                spelled.push(value);
            }
        }
    }
    spelled
}

fn with_bounds(schema: Value, property: &Property, min: &str, max: &str) -> Value {
    let length = property.constraints.iter().find_map(|constraint| match constraint {
        PropertyConstraint::Length(bounds) => Some(*bounds),
        _ => None,
    });
    match length {
        Some(bounds) => bounded(schema, bounds, min, max),
        None => schema,
    }
}

fn bounded(mut schema: Value, bounds: Bounds, min: &str, max: &str) -> Value {
    for (keyword, bound) in [(min, bounds.min), (max, bounds.max)] {
        if let Some(bound) = bound {
            schema[keyword] = bound.into();
        }
    }
    schema
}

/// The text that an editor shows about a property.
fn hover(property: &PropertyDescription) -> String {
    let mut facts = vec![property.value_type.to_owned()];
    if property.required {
        facts.push("required".to_owned());
    }
    if let Some(update) = &property.update {
        facts.push(format!("update: {}", update.word()));
        facts.extend(update.rules.iter().cloned());
    }
    facts.extend(property.facts());
    facts.extend(property.status.facts());
    facts.join("; ")
}
