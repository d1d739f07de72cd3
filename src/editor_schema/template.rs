//! The JSON Schema of HOT: all versions, and all resource types of a release.
//!
//! Heat's rules: `docs/heat.md#sections-of-hot`, `docs/heat.md#keys-of-a-resource`, `docs/heat.md#keys-of-a-parameter`.

use serde_json::{Map, Value, json};

use super::values::{ValueSchemas, definitions};
use super::{DRAFT, reference};
use crate::resource_types::{FactsOfRelease, StatusIn, TypeDescription};
use heat_template::hot::keys::{
    self, CONSTRAINTS, DELETION_POLICIES, EXTRA_SECTIONS, OUTPUT, PARAMETER, RESOURCE, SECTIONS,
    VersionedKey,
};
use heat_template::hot::{CallContext, FunctionMeaning, HotFunction, Release, Version, functions};
use heat_template::ir::ParameterType;

/// The JSON Schema of a HOT template for a release.
pub fn template_schema(facts: FactsOfRelease) -> Value {
    let newest = facts.release.map_or(Version::LATEST, |release| release.newest);
    let mut all = definitions();
    all.insert("function".to_owned(), function(CallContext::Value, newest));
    all.insert("condition".to_owned(), condition(newest));
    let mut rows = Vec::new();
    let mut names = Vec::new();
    for (kind, info) in facts.schema.types.iter() {
        let Some(described) = TypeDescription::new(kind, facts) else { continue };
        if described.status.status == StatusIn::Absent {
            continue;
        }
        if matches!(described.status.status, StatusIn::Supported | StatusIn::Deprecated) {
            names.push(kind);
        }
        // A placeholder accepts any property.
        if info.is_placeholder() {
            continue;
        }
        let schemas = ValueSchemas { described: &described, info };
        let mut parts = Map::from_iter([("properties".to_owned(), schemas.properties())]);
        parts.extend(schemas.update_policy().map(|it| ("update_policy".to_owned(), it)));
        let mut schema = json!({ "properties": parts });
        if schemas.requires_properties() {
            schema["required"] = json!(["properties"]);
        }
        all.insert(kind.to_owned(), schema);
        let spelled: Vec<&str> =
            std::iter::once(kind).chain(described.aliases.iter().map(String::as_str)).collect();
        // While completing, yaml-language-server takes a prefix for a value of `enum` or `const`, but not for a pattern.
        let pattern = format!("^({})$", spelled.join("|"));
        rows.push(json!({
            "if": { "properties": { "type": { "pattern": pattern } }, "required": ["type"] },
            "then": reference(kind),
        }));
    }
    all.insert("resource".to_owned(), resource(newest, &names, rows));
    all.insert("parameter".to_owned(), parameter(newest));
    all.insert("output".to_owned(), output(newest));
    let release = facts.release_name();
    json!({
        "$schema": DRAFT,
        "title": "Heat Orchestration Template (HOT)",
        "description": format!(
            "Templates of every version up to {newest}, and the resource types of OpenStack {release}; generated from the facts of Heat {}",
            facts.schema.heat
        ),
        "type": "object",
        "properties": sections(newest),
        "required": [keys::VERSION],
        "additionalProperties": false,
        "definitions": all,
    })
}

/// The keys of a table that a version has, with their schemas; `schema` says nothing about a key that has none.
fn closed(
    table: &[VersionedKey],
    newest: Version,
    schema: impl Fn(&str) -> Option<Value>,
) -> Map<String, Value> {
    let known = table.iter().filter(|(_, since)| *since <= newest);
    known
        .map(|(key, since)| {
            let mut of_key = schema(key).unwrap_or_else(|| json!({}));
            if *since > Version::V2013_05_23 {
                let brought = Release::that_brought(*since);
                of_key["description"] = format!("since {since} ({brought})").into();
            }
            ((*key).to_owned(), of_key)
        })
        .collect()
}

fn sections(newest: Version) -> Map<String, Value> {
    let map_of =
        |schema: Value| json!({ "type": ["object", "null"], "additionalProperties": schema });
    let mut sections = closed(SECTIONS, newest, |section| match section {
        keys::VERSION => {
            let accepted = Version::all().filter(|version| *version <= newest);
            let names = accepted.flat_map(|version| [Some(version.date()), version.name()]);
            Some(json!({ "enum": names.flatten().collect::<Vec<_>>() }))
        }
        "parameters" => Some(map_of(reference("parameter"))),
        "conditions" => Some(map_of(reference("condition"))),
        "resources" => Some(json!({
            "type": ["object", "null"],
            "propertyNames": { "pattern": "^[^/]*$" },
            "additionalProperties": reference("resource"),
        })),
        "outputs" => Some(map_of(reference("output"))),
        "parameter_groups" => Some(json!({
            "type": ["array", "null"],
            "items": { "type": "object", "properties": { "parameters": { "type": ["array", "null"] } } },
        })),
        _ => None,
    });
    for (section, _) in EXTRA_SECTIONS {
        let only = "only hotplate knows this section: Heat refuses it";
        sections
            .insert((*section).to_owned(), json!({ "description": only, "doNotSuggest": true }));
    }
    sections
}

/// A call of any function that some version has in this place.
fn function(place: CallContext, newest: Version) -> Value {
    let mut calls = Map::new();
    for function in functions() {
        let meanings: Vec<(Version, FunctionMeaning)> = Version::all()
            .filter(|version| *version <= newest)
            .filter_map(|version| Some((version, function.meaning(version, place)?)))
            .collect();
        let is_call = |(_, meaning): &&(Version, FunctionMeaning)| {
            !matches!(meaning, FunctionMeaning::Removed | FunctionMeaning::NotInCondition)
        };
        let Some((since, _)) = meanings.iter().find(is_call) else { continue };
        let removed = meanings.iter().find(|(_, meaning)| *meaning == FunctionMeaning::Removed);
        calls.insert(
            function.name.to_owned(),
            json!({
                "description": history(function, *since, removed.map(|(version, _)| *version)),
            }),
        );
    }
    json!({
        "type": "object",
        "properties": calls,
        "additionalProperties": false,
        "minProperties": 1,
        "maxProperties": 1,
    })
}

fn history(function: &HotFunction, since: Version, removed: Option<Version>) -> String {
    let name = function.name;
    match removed {
        Some(removed) => format!("function `{name}`, only before {removed}"),
        None => format!("function `{name}`, since {since} ({})", Release::that_brought(since)),
    }
}

fn condition(newest: Version) -> Value {
    json!({ "anyOf": [{ "type": ["string", "boolean"] }, function(CallContext::Condition, newest)] })
}

fn resource(newest: Version, names: &[&str], rows: Vec<Value>) -> Value {
    let keys = closed(RESOURCE, newest, |key| match key {
        "type" => Some(json!({ "anyOf": [{ "enum": names }, { "type": "string" }] })),
        "properties" | "metadata" | "update_policy" => Some(reference("map")),
        "depends_on" => Some(json!({ "type": ["string", "array", "null"] })),
        "deletion_policy" => {
            let known = DELETION_POLICIES.iter().filter(|(_, since)| *since <= newest);
            let policies: Vec<&str> = known.map(|(policy, _)| *policy).collect();
            Some(
                json!({ "anyOf": [{ "enum": policies }, { "type": "null" }, reference("function")] }),
            )
        }
        "external_id" => Some(json!({ "anyOf": [reference("string")] })),
        "condition" => Some(json!({ "anyOf": [reference("condition")] })),
        _ => None,
    });
    json!({
        "type": "object",
        "properties": keys,
        "required": ["type"],
        "additionalProperties": false,
        // The properties of an adopted resource are not checked.
        "if": { "not": { "required": ["external_id"] } },
        "then": { "allOf": rows },
    })
}

fn parameter(newest: Version) -> Value {
    let flag = || json!({ "type": ["boolean", "string", "null"] });
    let mut keys = closed(PARAMETER, newest, |key| match key {
        "type" => {
            let kinds: Vec<&str> = ParameterType::ALL.iter().map(|kind| kind.hot_name()).collect();
            Some(json!({ "enum": kinds }))
        }
        "hidden" | "immutable" => Some(flag()),
        "tags" => Some(json!({ "type": ["array", "string", "null"] })),
        _ => None,
    });
    let mut constraint = closed(CONSTRAINTS, newest, |kind| match kind {
        "modulo" | "range" | "length" => Some(json!({ "type": "object" })),
        "allowed_pattern" | "custom_constraint" => Some(json!({ "type": "string" })),
        _ => None,
    });
    constraint.insert("description".to_owned(), json!({}));
    keys["constraints"] = json!({
        "type": ["array", "null"],
        "items": { "type": "object", "properties": constraint, "additionalProperties": false },
    });
    json!({
        "type": "object",
        "properties": keys,
        "required": ["type"],
        "additionalProperties": false,
    })
}

fn output(newest: Version) -> Value {
    let keys = closed(OUTPUT, newest, |key| match key {
        "condition" => Some(json!({ "anyOf": [reference("condition")] })),
        _ => None,
    });
    json!({
        "type": "object",
        "properties": keys,
        "required": ["value"],
        "additionalProperties": false,
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use heat_template::hot::requested_release;
    use heat_template::schema::Schema;

    fn schema(release: Option<&str>) -> Value {
        let release = release.map(|name| requested_release(name).expect(name));
        template_schema(FactsOfRelease { schema: Schema::heat(), release })
    }

    /// The names of all definitions that a schema refers to.
    fn references(schema: &Value, found: &mut BTreeSet<String>) {
        match schema {
            Value::Object(map) => {
                if let Some(Value::String(to)) = map.get("$ref") {
                    found.insert(to.trim_start_matches("#/definitions/").to_owned());
                }
                map.values().for_each(|below| references(below, found));
            }
            Value::Array(items) => items.iter().for_each(|below| references(below, found)),
            _ => {}
        }
    }

    #[test]
    fn every_definition_is_used_and_every_reference_has_one() {
        let schema = schema(None);
        let mut used = BTreeSet::new();
        references(&schema, &mut used);
        let definitions = schema["definitions"].as_object().expect("definitions");
        assert_eq!(used, definitions.keys().cloned().collect());
    }

    #[test]
    fn every_type_that_is_no_placeholder_is_described() {
        let schema = schema(None);
        for (kind, info) in Schema::heat().types.iter() {
            let described = schema["definitions"].get(kind);
            assert_eq!(described.is_none(), info.is_placeholder(), "{kind}");
            let properties = &described.unwrap_or(&Value::Null)["properties"]["properties"];
            for name in info.properties.keys() {
                assert!(properties["anyOf"][0]["properties"].get(*name).is_some(), "{kind}.{name}");
            }
        }
    }

    #[test]
    fn a_release_has_no_later_types_properties_versions_and_keys() {
        let (new, old) = (schema(None), schema(Some("kilo")));
        assert!(new["definitions"].get("OS::Octavia::Pool").is_some());
        assert!(old["definitions"].get("OS::Octavia::Pool").is_none());
        let port = |schema: &Value, name: &str| {
            let port = &schema["definitions"]["OS::Neutron::Port"];
            port["properties"]["properties"]["anyOf"][0]["properties"].get(name).is_some()
        };
        assert!(port(&new, "no_fixed_ips") && !port(&old, "no_fixed_ips"));
        assert!(port(&old, "network"));
        let versions = |schema: &Value| schema["properties"][keys::VERSION]["enum"].clone();
        assert_eq!(versions(&old), json!(["2013-05-23", "2014-10-16", "2015-04-30"]));
        assert!(versions(&new).as_array().expect("a list").contains(&json!("rocky")));
        assert!(old["properties"].get("conditions").is_none());
        let calls = |schema: &Value| schema["definitions"]["function"]["properties"].clone();
        assert!(calls(&new).get("yaql").is_some() && calls(&old).get("yaql").is_none());
        // Version 2013-05-23 has it, and every release accepts that.
        assert!(calls(&new).get("Fn::Join").is_some());
    }
}
