use super::*;
use crate::LossKind;
use crate::testing::{rendered, rendered_files};

fn subjects(emitted: &EmitOutput) -> Vec<(LossKind, &str)> {
    emitted.losses.iter().map(|loss| (loss.kind, loss.subject.as_str())).collect()
}

/// The value of the template's only output.
fn value(files: &[(&str, &str)], parameters: &[&str], bake: &[&str]) -> (String, usize) {
    let emitted = rendered_files(&HeatCfn, Some(OutputSyntax::Json), files, parameters, bake);
    let json: serde_json::Value = serde_json::from_str(&emitted.files[0].text).expect("JSON");
    (json["Outputs"]["o"]["Value"].to_string(), emitted.losses.len())
}

const OUTPUT: &str = "parameters: {one: {type: string, default: d}, on: {type: boolean, default: true}}\noutputs:\n  o: {value: ";

#[test]
fn what_is_known_while_rendering_is_computed() {
    let of = |expr: &str| {
        let template = format!("{OUTPUT}{expr}}}\n");
        value(&[("root.yaml", &template), ("f.txt", "text\n")], &[], &[])
    };
    let says = |expr: &str, cfn: &str| assert_eq!(of(expr), (cfn.to_owned(), 0), "{expr}");
    says("{digest: [md5, x]}", r#""9dd4e461268c8034f5c8564e155c67a6""#);
    says("{get_file: f.txt}", r#""text\n""#);
    says(
        "{list_join: ['', [{a: 1}, {get_param: one}]]}",
        r#"{"Fn::Join":["",["{\"a\": 1}",{"Ref":"one"}]]}"#,
    );
    // Unknown values stay where the format can express them.
    says("{map_merge: [{a: {get_param: one}}, {b: 1}]}", r#"{"a":{"Ref":"one"},"b":1}"#);
    says("{list_concat: [[{get_param: one}], [x]]}", r#"[{"Ref":"one"},"x"]"#);
    // A computed value may look like a function call.
    says(
        "{map_replace: [{k: x}, {keys: {k: Ref}}]}",
        r#"{"Fn::FindInMap":["Literals","1","value"]}"#,
    );
    assert_eq!(of("{digest: [md5, {get_param: one}]}").1, 1);
}

#[test]
fn given_values_stay_in_the_environment_and_baked_ones_become_constants() {
    let template = format!("{OUTPUT}{{digest: [md5, {{get_param: one}}]}}}}\n");
    let files = [("root.yaml", template.as_str())];
    assert_eq!(value(&files, &["one=x"], &[]).1, 1);
    let known = (r#""9dd4e461268c8034f5c8564e155c67a6""#.to_owned(), 0);
    assert_eq!(value(&files, &["one=x"], &["one"]), known);
    let template = format!("{OUTPUT}{{get_param: one}}}}\n");
    let files = [("root.yaml", template.as_str())];
    assert_eq!(value(&files, &["one=x"], &[]).0, r#"{"Ref":"one"}"#);
    assert_eq!(value(&files, &["one=x"], &["one"]).0, r#""x""#);
}

#[test]
fn json_has_the_same_data() {
    let template = "resources:\n  thing: {type: OS::Heat::Value, properties: {value: 1}} # c\n";
    let yaml = rendered(&HeatCfn, template);
    assert!(yaml.files[0].text.starts_with("HeatTemplateFormatVersion: 2012-12-12\n"));
    let files = [("root.yaml", template)];
    let json = rendered_files(&HeatCfn, Some(OutputSyntax::Json), &files, &[], &[]);
    let data: serde_json::Value = serde_json::from_str(&json.files[0].text).expect("JSON");
    assert_eq!(data["HeatTemplateFormatVersion"], "2012-12-12");
    assert_eq!(data["Resources"]["thing"]["Properties"]["value"], 1);
    // JSON has no comments.
    assert_eq!(subjects(&json), [(LossKind::Comment, "#")]);
}
