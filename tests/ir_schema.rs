//! What `hotplate ir` prints is what its JSON Schema says, no less and no more.

use std::collections::BTreeSet;
use std::path::Path;

use hotplate::diagnostics::SourceId;
use hotplate::files::{Disk, FileSource, Found, find};
use hotplate::hot::{Recognised, Version, lower, recognise};
use hotplate::ir::json;
use hotplate::source::{Limits, decode, read};
use serde_json::{Map, Value};

/// Checks a value against a schema. It knows the keywords that the generated schema uses, and fails
/// on any other; an object may only have keys that the schema describes.
struct Checker {
    root: Value,
}

impl Checker {
    fn new() -> Self {
        Checker { root: serde_json::to_value(json::schema()).expect("a schema is JSON") }
    }

    fn check(&self, value: &Value) -> Result<(), String> {
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
        let Value::Object(keywords) = schema else { panic!("{at}: no schema: {schema}") };
        let mut described = BTreeSet::new();
        for (keyword, operand) in keywords {
            match keyword.as_str() {
                "$schema" | "$defs" | "title" | "description" | "format" => {}
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
                    let number = value.as_f64().expect("a number");
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

/// The representation of a text; `None` if it is no HOT template.
fn representation(text: &str) -> Option<Value> {
    let document = read(SourceId(0), text.into(), &Limits::default()).ok()?;
    let Recognised::Hot { version, node, .. } = recognise(&document) else { return None };
    let lowered = lower(&document, version, node);
    Some(serde_json::from_str(&json::to_json(&lowered.stack)).expect("JSON"))
}

/// Every kind of expression, and the parts of a stack that templates seldom have.
const RARITIES: &str = r#"
heat_template_version: 2021-04-16
description: [not, a, text]
unknown_section: {a: 1}
parameter_groups: [{label: x, parameters: [p]}]
parameters:
  p: {type: number, default: 1.5, hidden: true, immutable: no, tags: [a], label: P, schema: x,
      constraints: [{range: {min: 1, max: 2}, description: d}, {length: {min: 1}}, {modulo: {step: 2}},
                    {allowed_values: [1]}, {allowed_pattern: a}, {custom_constraint: nova.flavor}, {}]}
  odd: just a text
  none: {default: .inf}
conditions:
  c: {and: [{equals: [{get_param: p}, 1]}, {not: d}, {or: [d, d]}, {contains: [a, [a]]}]}
  d: {yaql: {expression: "true", data: {}}}
resources:
  broken: 1
  r:
    type: OS::Heat::Value
    depends_on: [s]
    deletion_policy: {get_param: p}
    update_policy: {a: b}
    external_id: {get_param: p}
    condition: c
    metadata: {resource_facade: metadata}
    properties:
      data: [null, true, 99999999999999999999, -.inf, .nan, 1.5, !!binary aGk=, !!set {a}, {1: 2, true: x}]
      file: {get_file: a.sh}
      attribute: {get_attr: [s, a, 0]}
      all: {get_attr: [s]}
      join: {list_join: [",", [a], {get_param: p}]}
      split: {str_split: [",", {get_param: p}, 0]}
      replace: {str_replace_vstrict: {template: t, params: {a: b}}}
      hash: {digest: [md5, a]}
      url: {make_url: {host: h}}
      repeat: {repeat: {template: t, for_each: {t: [a]}, permutations: false}}
      merge: {map_merge: [{a: b}]}
      rename: {map_replace: [{a: b}, {keys: {a: c}}]}
      concat: {list_concat: [[a], [b]]}
      unique: {list_concat_unique: [[a], [b]]}
      filter: {filter: [[a], [a, b]]}
      choose: {if: [c, 1]}
      computed: {digest: {get_param: p}}
      invalid: {list_join: 1}
      gone: {Ref: r}
    surprise: {get_param: p}
  s: {type: OS::Heat::None, deletion_policy: retain}
outputs:
  o: {value: {get_resource: r}, condition: c, description: d, more: 1}
"#;

const OLD: &str = r#"
heat_template_version: 2013-05-23
parameters: {p: {type: json}}
resources:
  r:
    type: OS::Heat::Value
    properties:
      zones: {"Fn::GetAZs": ""}
      select: {"Fn::Select": [a, {get_param: p}]}
      text: {"Fn::Base64": {get_param: p}}
      members: {"Fn::MemberListToMap": [Name, Value, {get_param: p}]}
"#;

#[test]
fn rare_parts_of_templates_are_described() {
    let checker = Checker::new();
    let mut kinds = BTreeSet::new();
    for text in [RARITIES, OLD] {
        let representation = representation(text).expect("a template");
        checker.check(&representation).unwrap_or_else(|problem| panic!("{problem}"));
        collect_kinds(&representation, &mut kinds);
    }
    let known = checker.root["$defs"]["Expr"]["oneOf"].as_array().expect("kinds").iter();
    let known = known.map(|kind| kind["properties"]["kind"]["const"].as_str().expect("a name"));
    // Only the fallback loader makes a date.
    let missing: Vec<&str> =
        known.filter(|kind| *kind != "date" && !kinds.contains(*kind)).collect();
    assert!(missing.is_empty(), "not tried: {missing:?}");
}

fn collect_kinds(value: &Value, kinds: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            if let (Some(Value::String(kind)), true) =
                (fields.get("kind"), fields.contains_key("span"))
            {
                kinds.insert(kind.clone());
            }
            fields.values().for_each(|field| collect_kinds(field, kinds));
        }
        Value::Array(items) => items.iter().for_each(|item| collect_kinds(item, kinds)),
        _ => {}
    }
}

#[test]
fn the_samples_are_described() {
    let checker = Checker::new();
    let files = Disk::default();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("snapshots");
    let Found { inputs, .. } = find(&files, &[folder]);
    let mut checked = 0;
    for input in inputs {
        let Ok(bytes) = files.read(&input.path) else { continue };
        let Ok(text) = decode(SourceId(0), bytes) else { continue };
        if let Some(representation) = representation(&text) {
            let path = input.path.display();
            checker.check(&representation).unwrap_or_else(|problem| panic!("{path}: {problem}"));
            checked += 1;
        }
    }
    assert!(checked > 0);
}

#[test]
fn the_checker_finds_what_is_wrong() {
    let checker = Checker::new();
    let right = representation(OLD).expect("a template");
    assert!(checker.check(&right).is_ok());
    type Spoil = fn(&mut Value);
    let spoils: [Spoil; 5] = [
        |stack| drop(stack.as_object_mut().expect("a map").remove("outputs")),
        |stack| stack["surprise"] = Value::Null,
        |stack| stack["format"]["span"]["start"] = Value::from(-1),
        |stack| stack["resources"]["r"]["properties"]["kind"] = Value::from("riddle"),
        |stack| stack["resources"]["r"]["properties"]["value"] = Value::from(1),
    ];
    for (number, spoil) in spoils.iter().enumerate() {
        let mut wrong = right.clone();
        spoil(&mut wrong);
        assert!(checker.check(&wrong).is_err(), "{number}");
    }
}

#[test]
fn every_version_has_the_same_form() {
    let checker = Checker::new();
    for version in Version::all() {
        let text = format!("heat_template_version: {version}\n");
        let representation = representation(&text).expect("a template");
        checker.check(&representation).unwrap_or_else(|problem| panic!("{version}: {problem}"));
    }
}
