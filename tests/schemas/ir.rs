//! What `hotplate ir` prints is what its JSON Schema says, no less and no more.

use std::collections::BTreeSet;
use std::path::Path;

use heat_template::dialect::lower;
use heat_template::hot::Version;
use hotplate::report::SourceLocator;
use hotplate::report::ir::json::to_json;
use lossless_yaml::{Limits, decode, read};
use serde_json::Value;
use source_diagnostics::{SourceId, SourceMap};
use source_files::{Disk, FileSource, FoundFiles, find};

use super::checker_of;

/// The representation of a text; `None` if it is no HOT template.
fn representation(text: &str) -> Option<Value> {
    let mut sources = SourceMap::default();
    let source = sources.add("template.yaml", text.into());
    let document = read(source, text.into(), &Limits::default()).ok()?;
    let lowered = lower(&document).ok()?;
    let sources = sources.masked(&[]);
    let text = to_json(&lowered.stack, &mut SourceLocator::new(&sources), document.limits().nodes)
        .expect("JSON");
    Some(serde_json::from_str(&text).expect("JSON"))
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

const CFN: &str = r#"
AWSTemplateFormatVersion: 2010-09-09
Mappings: {M: {a: {b: 1}}}
Outputs: {o: {Value: {"Fn::FindInMap": [M, a, b]}}}
"#;

#[test]
fn rare_parts_of_templates_are_described() {
    let checker = checker_of("ir");
    let mut kinds = BTreeSet::new();
    for text in [RARITIES, OLD, CFN] {
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
                (fields.get("kind"), fields.contains_key("place"))
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
    let checker = checker_of("ir");
    let files = Disk::default();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("snapshots");
    let FoundFiles { inputs, .. } = find(&files, &[folder]);
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
    let checker = checker_of("ir");
    let right = representation(OLD).expect("a template");
    assert!(checker.check(&right).is_ok());
    type Spoil = fn(&mut Value);
    let spoils: [Spoil; 5] = [
        |stack| drop(stack.as_object_mut().expect("a map").remove("outputs")),
        |stack| stack["surprise"] = Value::Null,
        |stack| stack["format"]["place"]["start"]["line"] = Value::from(-1),
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
    let checker = checker_of("ir");
    for version in Version::all() {
        let text = format!("heat_template_version: {version}\n");
        let representation = representation(&text).expect("a template");
        checker.check(&representation).unwrap_or_else(|problem| panic!("{version}: {problem}"));
    }
}
