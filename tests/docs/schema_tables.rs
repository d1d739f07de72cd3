//! Compares the tables of the pages about JSON with the schemas that they describe.

use std::collections::BTreeMap;

use hotplate::report::schemas::PUBLISHED;
use serde_json::Value;

use super::examples::{blocks, hotplate};
use super::{assert_fresh, page, with_generated};

#[test]
fn the_tables_of_the_guide_are_those_of_the_schema() {
    let schema = schema("ir");
    let guide = page("docs/ir.md");
    let fresh = with_generated(&guide, "kinds", &kinds(&schema));
    assert_fresh("docs/ir.md", &with_generated(&fresh, "policies", &policies(&schema)));
}

/// The published schema of this name.
fn schema(name: &str) -> Value {
    let published = PUBLISHED.iter().find(|published| published.name == name);
    published.expect("a published schema").schema().to_value()
}

fn kinds(schema: &Value) -> String {
    let mut table = String::from("| kind | value | meaning |\n|---|---|---|\n");
    for kind in schema["$defs"]["Expr"]["oneOf"].as_array().expect("kinds") {
        let properties = &kind["properties"];
        let name = properties["kind"]["const"].as_str().expect("a name");
        let value = form(schema, &properties["value"]);
        table.push_str(&format!("| `{name}` | {value} | {} |\n", description(kind)));
    }
    table
}

/// The form of a value in a few words.
fn form(schema: &Value, value: &Value) -> String {
    let Some(reference) = value["$ref"].as_str() else {
        return match value["type"].as_str() {
            None => "none".to_owned(),
            Some("array") => match &value["items"] {
                Value::Null => "list".to_owned(),
                items => format!("list of {}", form(schema, items)),
            },
            Some(other) => other.to_owned(),
        };
    };
    let name = reference.trim_start_matches("#/$defs/");
    let definition = &schema["$defs"][name];
    match (name, &definition["properties"]) {
        ("Expr", _) => "expression".to_owned(),
        (_, Value::Object(fields)) => {
            let fields: Vec<String> = fields.keys().map(|field| format!("`{field}`")).collect();
            fields.join(", ")
        }
        _ if definition["oneOf"].is_array() => {
            let choices: Vec<String> =
                constants(definition).map(|(name, _)| format!("`{name}`")).collect();
            choices.join(" or ")
        }
        _ => "number or string".to_owned(),
    }
}

/// The values of an enumeration type, with their meanings.
fn constants(definition: &Value) -> impl Iterator<Item = (&str, String)> {
    let choices = definition["oneOf"].as_array().into_iter().flatten();
    choices.filter_map(|choice| Some((choice["const"].as_str()?, description(choice))))
}

/// The tables of every field of expressions whose type is an enumeration.
fn policies(schema: &Value) -> String {
    let mut table = String::from("| field | of | value | meaning |\n|---|---|---|---|\n");
    for (name, definition) in schema["$defs"].as_object().expect("definitions") {
        let fields = definition["properties"].as_object().into_iter().flatten();
        for (field, value) in fields {
            let Some(reference) = value["$ref"].as_str() else { continue };
            let choices = &schema["$defs"][reference.trim_start_matches("#/$defs/")];
            // The function's name says nothing about its behavior.
            let is_policy = field != "function";
            for (choice, meaning) in constants(choices).filter(|_| is_policy) {
                let of = kind_of(schema, name);
                table.push_str(&format!("| `{field}` | {of} | `{choice}` | {meaning} |\n"));
            }
        }
    }
    table
}

#[test]
fn the_tables_of_the_page_about_diff_are_fresh() {
    let schema = schema("diff");
    let definitions = &schema["$defs"];
    let mut impacts = String::from("| impact | meaning |\n|---|---|\n");
    for (name, meaning) in constants(&definitions["Impact"]) {
        impacts.push_str(&format!("| `{name}` | {meaning} |\n"));
    }
    let mut keys = String::from("| key | of | content |\n|---|---|---|\n");
    for (of, definition) in [
        ("a template", "TemplateReport"),
        ("a resource", "ResourceEntry"),
        ("a reason", "ReasonEntry"),
    ] {
        for (key, value) in definitions[definition]["properties"].as_object().expect("keys") {
            keys.push_str(&format!("| `{key}` | {of} | {} |\n", description(value)));
        }
    }
    let mut fresh = page("docs/diff.md");
    for (name, generated) in [("impacts", impacts), ("rules", why()), ("keys", keys)] {
        fresh = with_generated(&fresh, name, &generated);
    }
    assert_fresh("docs/diff.md", &fresh);
}

/// The rules by which a comparison decides: their names, with the descriptions in the source.
fn why() -> String {
    let source = page("crates/hotplate-diff/src/update_rules.rs");
    let (variants, names) = source.split_once("impl UpdateRule").expect("the names of the rules");
    let mut meanings = BTreeMap::new();
    let mut meaning = String::new();
    for line in variants.lines() {
        match line.strip_prefix("    /// ") {
            Some(more) => meaning = format!("{meaning} {more}").trim().to_owned(),
            None => {
                let end = line.trim_start().find([',', '(', ' ']).unwrap_or_default();
                let name = line.trim_start()[..end].to_owned();
                meanings.insert(name, std::mem::take(&mut meaning));
            }
        }
    }
    let mut table = String::from("| rule | meaning |\n|---|---|\n");
    let arms = names.lines().take_while(|line| *line != "    }");
    for arm in arms.filter_map(|line| line.trim_start().strip_prefix("UpdateRule::")) {
        let end = arm.find(['(', ' ']).expect("a pattern");
        let rule = arm.split('"').nth(1).expect("a name");
        let meaning = &meanings[&arm[..end]];
        assert!(!meaning.is_empty(), "{rule} is not described");
        table.push_str(&format!("| `{rule}` | {meaning} |\n"));
    }
    assert!(table.lines().count() > 2, "no rules are found");
    table
}

/// The kind of expression whose value has the type `name`.
fn kind_of(schema: &Value, name: &str) -> String {
    let reference = format!("#/$defs/{name}");
    let kinds = schema["$defs"]["Expr"]["oneOf"].as_array().expect("kinds").iter();
    let mut kinds = kinds.filter(|kind| kind["properties"]["value"]["$ref"] == reference.as_str());
    match kinds.next() {
        Some(kind) => {
            format!("`{}`", kind["properties"]["kind"]["const"].as_str().expect("a name"))
        }
        None => name.to_lowercase(),
    }
}

fn description(of: &Value) -> String {
    of["description"].as_str().expect("a description").replace('\n', " ")
}

/// A block `json pointer=/a/b` is that part of the sample's representation.
#[test]
fn the_sample_of_the_guide_is_the_samples_representation() {
    let (output, _) = hotplate(&["ir", "snapshots/readme/template.yaml"]);
    let whole: Value = serde_json::from_str(&output).expect("JSON");
    let guide = page("docs/ir.md");
    let mut shown = 0;
    for block in blocks(&guide) {
        let Some(pointer) = block.info.strip_prefix("json pointer=") else { continue };
        let part: Value = serde_json::from_str(&block.text).expect("JSON");
        assert_eq!(Some(&part), whole.pointer(pointer), "docs/ir.md:{}", block.line);
        shown += 1;
    }
    assert!(shown > 0);
}
