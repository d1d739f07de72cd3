use super::*;
use crate::testing::{rendered, with_program};
use crate::{EmitOptions, LossKind};
use source_diagnostics::Severity;

fn subjects(emitted: &EmitOutput) -> Vec<(LossKind, &str)> {
    emitted.losses.iter().map(|loss| (loss.kind, loss.subject.as_str())).collect()
}

#[test]
fn comments_go_with_what_they_are_about() {
    let emitted = rendered(
        &HeatCfn,
        "# about it
description: What it is  # beside
# the inputs
parameters:
  # the one
  one: # beside one
    type: string # text
    # why not
    hidden: true
resources:
  thing:
    # what
    type: OS::Heat::Value
    properties:
      # worth
      value:
        # the first
        - {get_param: one}  # beside the first
        - b
# the end
",
    );
    insta::assert_snapshot!(emitted.files[0].text, @"
    HeatTemplateFormatVersion: 2012-12-12
    # about it
    Description: What it is  # beside
    # the inputs
    Parameters:
      # the one
      one:  # beside one
        Type: String  # text
        # why not
        NoEcho: true
    Resources:
      thing:
        # what
        Type: OS::Heat::Value
        Properties:
          # worth
          value:
            # the first
            # beside the first
            - Ref: one
            - b
    # the end
    ");
    assert_eq!(emitted.losses, []);
}

#[test]
fn what_is_lost_stands_there_as_a_comment() {
    let emitted = rendered(
        &HeatCfn,
        "parameter_groups:
- parameters: [one]
parameters:
  one:
    type: json
    immutable: true
resources:
  thing:
    type: OS::Heat::Value
    properties:
      value:
        # kept
        a: 1
        b:
          yaql:
            expression: $.data.len()
            data: {get_param: one}
  other: {type: OS::Nova::Server, external_id: x}
outputs:
  path: {value: {get_attr: [thing, value, a]}}
",
    );
    insta::assert_snapshot!(emitted.files[0].text, @"
    HeatTemplateFormatVersion: 2012-12-12
    # lost: CFN templates have no parameter groups
    #   parameter_groups:
    #   - parameters: [one]
    Parameters:
      # lost: CFN templates have no immutable parameters
      #   immutable: true
      one:
        Type: Json
    Resources:
      thing:
        Type: OS::Heat::Value
        Properties:
          value:
            # kept
            a: 1
            # lost: CFN templates have no `yaql`, and its value depends on unknown values
            #   b:
            #     yaql:
            #       expression: $.data.len()
            #       data: {get_param: one}
      # lost: CFN templates cannot refer to an existing resource: it would be created again
      #   other: {type: OS::Nova::Server, external_id: x}
    Outputs:
      path:
        Value:
          Fn::Select:
            - a
            - Fn::GetAtt:
                - thing
                - value
    ");
    assert_eq!(
        subjects(&emitted),
        [
            (LossKind::Section, "parameter_groups"),
            (LossKind::Section, "immutable"),
            (LossKind::Function, "yaql"),
            (LossKind::ResourceType, "external_id"),
            (LossKind::Attribute, "value"),
        ]
    );
    // What can be expressed in another way is no loss.
    let severities: Vec<Severity> = emitted.losses.iter().map(|loss| loss.severity).collect();
    assert_eq!(severities[3..], [Severity::Warning, Severity::Note]);
}

/// The value of the template's only output.
fn value(files: &[(&str, &str)], parameters: &[&str], bake: &[&str]) -> (String, usize) {
    with_program(files, parameters, bake, |model, document| {
        let options = EmitOptions { syntax: Some(OutputSyntax::Json), ..EmitOptions::default() };
        let request =
            EmitRequest { schema: model.schema(), document, model: Some(model), options: &options };
        let emitted = HeatCfn.emit(&request).expect("a template");
        let json: serde_json::Value = serde_json::from_str(&emitted.files[0].text).expect("JSON");
        (json["Outputs"]["o"]["Value"].to_string(), emitted.losses.len())
    })
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
    with_program(&[("root.yaml", template)], &[], &[], |model, document| {
        let options = EmitOptions { syntax: Some(OutputSyntax::Json), ..EmitOptions::default() };
        let request =
            EmitRequest { schema: model.schema(), document, model: Some(model), options: &options };
        let json = HeatCfn.emit(&request).expect("a template");
        let data: serde_json::Value = serde_json::from_str(&json.files[0].text).expect("JSON");
        assert_eq!(data["HeatTemplateFormatVersion"], "2012-12-12");
        assert_eq!(data["Resources"]["thing"]["Properties"]["value"], 1);
        // JSON has no comments.
        assert_eq!(subjects(&json), [(LossKind::Comment, "#")]);
    });
}

#[test]
fn the_file_of_a_nested_template_is_told_to_travel_alone() {
    let files = [
        ("root.yaml", "resources:\n  n: {type: nested.yaml}\n"),
        ("nested.yaml", "resources: {}\n"),
    ];
    with_program(&files, &[], &[], |model, document| {
        let options = EmitOptions::default();
        let request =
            EmitRequest { schema: model.schema(), document, model: Some(model), options: &options };
        let emitted = HeatCfn.emit(&request).expect("a template");
        assert_eq!(subjects(&emitted), [(LossKind::ResourceType, "nested.yaml")]);
        assert!(emitted.files[0].text.contains("Type: nested.yaml"));
    });
}
