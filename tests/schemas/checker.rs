//! Checks JSON against the schemas that hotplate publishes.
//!
//! Not by a crate, so far: `jsonschema` 0.61 without its default features brings 30 packages that the workspace does
//! not have, fancy-regex and a second num-bigint among them, and `boon` 0.6 brings 34 with all of ICU; both depend on
//! borrow-or-share, whose license (MIT-0) is not among those of `deny.toml`. For what is checked here, 150 lines do.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

/// Checks a value against a schema. It knows the keywords that the generated schema uses, and fails
/// on any other; an object may only have keys that the schema describes.
pub(crate) struct Checker {
    /// The schema.
    pub root: Value,
}

impl Checker {
    pub(crate) fn new(schema: Value) -> Self {
        Checker { root: schema }
    }

    pub(crate) fn check(&self, value: &Value) -> Result<(), String> {
        self.whole(&self.root, value, "")
    }

    /// A value with everything that is said about it.
    fn whole(&self, schema: &Value, value: &Value, at: &str) -> Result<(), String> {
        let described = self.part(schema, value, at)?;
        if let Value::Object(fields) = value
            && let Some(extra) = fields.keys().find(|key| !described.contains(*key))
        {
            return Err(format!("{at}/{extra}: the schema does not describe it"));
        }
        Ok(())
    }

    /// The keys of `value` that `schema` describes.
    fn part(&self, schema: &Value, value: &Value, at: &str) -> Result<BTreeSet<String>, String> {
        if schema == &Value::Bool(false) {
            return Err(format!("{at}: the schema refuses it"));
        }
        // Any value at all.
        let is_about = |key: &str| matches!(key, "$schema" | "$id" | "title" | "description");
        let says = |keywords: &Map<String, Value>| keywords.keys().any(|key| !is_about(key));
        if schema == &Value::Bool(true) || schema.as_object().is_some_and(|it| !says(it)) {
            return Ok(value.as_object().into_iter().flat_map(Map::keys).cloned().collect());
        }
        let Value::Object(keywords) = schema else { panic!("{at}: no schema: {schema}") };
        let mut described = BTreeSet::new();
        for (keyword, operand) in keywords {
            match keyword.as_str() {
                "$schema" | "$id" | "$defs" | "title" | "description" | "format" | "default" => {}
                "$ref" => {
                    let pointer = operand.as_str().and_then(|name| name.strip_prefix('#'));
                    let target = self.root.pointer(pointer.expect("a local reference"));
                    described.extend(self.part(target.expect("a definition"), value, at)?);
                }
                "type" => {
                    let types = match operand {
                        Value::Array(types) => types.iter().collect(),
                        one => vec![one],
                    };
                    if !types.iter().any(|name| is_of_type(value, name.as_str().expect("a type"))) {
                        return Err(format!("{at}: {value} is no {operand}"));
                    }
                }
                "const" if value != operand => {
                    return Err(format!("{at}: {value} is no {operand}"));
                }
                "const" => {}
                "enum" => {
                    if !operand.as_array().expect("a list").contains(value) {
                        return Err(format!("{at}: {value} is none of {operand}"));
                    }
                }
                "minimum" | "maximum" => {
                    // It says something about numbers only.
                    let Some(number) = value.as_f64() else { continue };
                    let bound = operand.as_f64().expect("a number");
                    if (keyword == "minimum") == (number < bound) && number != bound {
                        return Err(format!("{at}: {number} is beyond {keyword} {bound}"));
                    }
                }
                "required" => {
                    for name in operand.as_array().expect("a list") {
                        let name = name.as_str().expect("a name");
                        if value.get(name).is_none() {
                            return Err(format!("{at}: no {name}"));
                        }
                    }
                }
                "properties" => {
                    for (name, schema) in operand.as_object().expect("a map") {
                        if let Some(field) = value.get(name) {
                            self.whole(schema, field, &format!("{at}/{name}"))?;
                            described.insert(name.clone());
                        }
                    }
                }
                "additionalProperties" => {
                    let none = Map::new();
                    for (name, field) in value.as_object().unwrap_or(&none) {
                        if keywords.get("properties").is_none_or(|known| known.get(name).is_none())
                        {
                            self.whole(operand, field, &format!("{at}/{name}"))?;
                            described.insert(name.clone());
                        }
                    }
                }
                // That is what `whole` sees to.
                "unevaluatedProperties" => assert_eq!(operand, &Value::Bool(false), "{at}"),
                "items" => {
                    for (number, item) in value.as_array().into_iter().flatten().enumerate() {
                        self.whole(operand, item, &format!("{at}/{number}"))?;
                    }
                }
                "minItems" | "maxItems" => {
                    let length = value.as_array().expect("a list").len() as u64;
                    let bound = operand.as_u64().expect("a number");
                    if (keyword == "minItems" && length < bound)
                        || (keyword == "maxItems" && length > bound)
                    {
                        return Err(format!("{at}: {length} items, {keyword} is {bound}"));
                    }
                }
                "anyOf" | "oneOf" => {
                    let (fit, unfit): (Vec<_>, Vec<_>) = operand
                        .as_array()
                        .expect("a list")
                        .iter()
                        .map(|schema| self.part(schema, value, at))
                        .partition(Result::is_ok);
                    match fit.len() {
                        0 => return Err(format!("{at}: no {keyword} fits: {unfit:?}")),
                        1 => {}
                        _ if keyword == "anyOf" => {}
                        _ => return Err(format!("{at}: more than one fits")),
                    }
                    described.extend(fit.into_iter().flatten().flatten());
                }
                other => panic!("the checker does not know the keyword {other}"),
            }
        }
        Ok(described)
    }
}

fn is_of_type(value: &Value, name: &str) -> bool {
    match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("no type {other}"),
    }
}
