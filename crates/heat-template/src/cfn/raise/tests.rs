use super::*;
use crate::hot::{DocumentKind, lower, recognize};
use crate::ir::types::TypeFacts;
use crate::schema::Schema;
use lossless_yaml::{Limits, json_writer, read};
use source_diagnostics::SourceId;

struct Nobody;

impl KnownValues for Nobody {
    fn inlines_parameter(&self, _parameter: &str) -> bool {
        false
    }

    fn folded(&self, _expr: &Expr) -> Option<Expr> {
        None
    }

    fn facts(&self) -> &dyn TypeFacts {
        Schema::heat()
    }
}

const PARAMETERS: &str = "
parameters:
  text: {type: string}
  list: {type: comma_delimited_list}
  json: {type: json}
  number: {type: number}
  flag: {type: boolean}
";

fn raised(text: &str) -> RaisedCfn {
    let document = read(SourceId(0), text.into(), &Limits::default()).expect("YAML");
    let DocumentKind::Hot { version, node, .. } = recognize(&document) else {
        panic!("no HOT template")
    };
    raise(&lower(&document, version, node).stack, &Nobody)
}

/// A part as JSON on one line.
fn json(value: &Value) -> String {
    let text = json_writer::pretty(value).expect("JSON");
    let parsed: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    parsed.to_string()
}

/// The value of an output, and what cannot be expressed: `!` marks what is omitted.
fn output(version: &str, value: &str) -> (String, Vec<String>) {
    let raised = raised(&format!(
        "heat_template_version: {version}{PARAMETERS}
resources:
  server: {{type: OS::Nova::Server}}
  group: {{type: OS::Heat::ResourceGroup}}
outputs:
  o: {{value: {value}}}
"
    ));
    let unexpressed =
        raised.unsupported.iter().map(|unexpressed| match unexpressed.is_approximated {
            true => unexpressed.subject.clone(),
            false => format!("!{}", unexpressed.subject),
        });
    let value = raised.outputs.first().and_then(|pair| pair.value.as_ref().ok());
    let value = value.map(|expressed| expressed.to_value());
    let value = value.as_ref().and_then(|output| output.get("Value")).map(json);
    (value.unwrap_or_default(), unexpressed.collect())
}

#[test]
fn values_of_outputs() {
    let lines = include_str!("tests/outputs.txt").lines();
    for line in lines.filter(|line| !line.starts_with('#')) {
        let mut parts = line.split(" => ");
        let (version, hot) = parts.next().and_then(|it| it.split_once(' ')).expect("a version");
        let cfn = parts.next().expect("an expectation").to_owned();
        assert_eq!(output(version, hot), (cfn, parts.map(str::to_owned).collect()), "{line}");
    }
    // Old templates follow the path themselves.
    let (expressed, _) = output("2013-05-23", "{get_attr: [group, name, 0]}");
    assert_eq!(expressed, r#"{"Fn::Select":[0,{"Fn::GetAtt":["group","name"]}]}"#);
}

#[test]
fn the_smallest_pair_around_it_is_left_out() {
    let yaql = "{yaql: {expression: 1}}";
    let (expressed, unexpressed) =
        output("2018-08-31", &format!("{{a: [{{b: 1, c: {yaql}}}], d: [{yaql}]}}"));
    assert_eq!(expressed, r#"{"a":[{"b":1}]}"#);
    assert_eq!(unexpressed, ["!yaql", "!yaql"]);
}

#[test]
fn data_that_looks_like_a_call_stands_in_a_mapping() {
    let raised = raised(
        "heat_template_version: 2018-08-31
outputs:
  a: {value: {Fn::If: [{Fn::GetAtt: x}]}}
  b: {value: {Fn::If: [{Fn::GetAtt: x}]}}
  c: {value: {Fn::GetAtt: x, other: 1}}
",
    );
    let [mapping] = raised.mappings.as_slice() else { panic!("no mapping") };
    let data = mapping.value.as_ref().expect("a mapping").to_value();
    assert_eq!(mapping.key, "Literals");
    assert_eq!(json(&data), r#"{"1":{"value":{"Fn::If":[{"Fn::GetAtt":"x"}]}}}"#);
    let values: Vec<String> = raised
        .outputs
        .iter()
        .filter_map(|pair| Some(json(pair.value.as_ref().ok()?.to_value().get("Value")?)))
        .collect();
    let found = r#"{"Fn::FindInMap":["Literals","1","value"]}"#;
    assert_eq!(values, [found, found, r#"{"Fn::GetAtt":"x","other":1}"#]);
    assert!(raised.unsupported.is_empty());
}

fn condition(condition: &str) -> (String, Vec<String>) {
    let raised = raised(&format!(
        "heat_template_version: 2018-08-31{PARAMETERS}conditions:\n  other: true\n  c: {condition}\n"
    ));
    assert_eq!(raised.version_key, "AWSTemplateFormatVersion");
    let expressed =
        raised.conditions[1].value.as_ref().map(|expressed| json(&expressed.to_value()));
    let requested = raised.parameters.iter().skip(5).map(|pair| pair.key.clone());
    (expressed.unwrap_or_default(), requested.collect())
}

#[test]
fn conditions() {
    let expressed = |text: &str| {
        let (expressed, requested) = condition(text);
        assert_eq!(requested, [""; 0], "{text}");
        expressed
    };
    assert_eq!(expressed("{get_param: flag}"), r#"{"Ref":"flag"}"#);
    assert_eq!(expressed("{not: other}"), r#"{"Fn::Not":["other"]}"#);
    assert_eq!(
        expressed("{and: [other, {equals: [{get_param: text}, {a: [1]}]}]}"),
        r#"{"Fn::And":["other",{"Fn::Equals":[{"Ref":"text"},{"a":[1]}]}]}"#
    );
    assert_eq!(
        expressed("{contains: [{get_param: text}, [a, b]]}"),
        r#"{"Fn::Or":[{"Fn::Equals":[{"Ref":"text"},"a"]},{"Fn::Equals":[{"Ref":"text"},"b"]}]}"#
    );
    assert_eq!(
        expressed("{contains: [{get_param: text}, [a]]}"),
        r#"{"Fn::Equals":[{"Ref":"text"},"a"]}"#
    );
    assert_eq!(expressed("{contains: [{get_param: text}, []]}"), "false");
    assert_eq!(
        expressed("{equals: [{get_param: 'OS::stack_name'}, a]}"),
        r#"{"Fn::Equals":[{"Ref":"AWS::StackName"},"a"]}"#
    );
}

#[test]
fn a_condition_that_cannot_be_expressed_becomes_a_parameter() {
    for text in [
        "{equals: [{get_param: [json, a]}, b]}",
        "{not: {contains: [a, {get_param: list}]}}",
        "{yaql: {expression: $.data, data: {get_param: flag}}}",
        "{equals: [{get_param: 'OS::project_id'}, a]}",
    ] {
        let (expressed, requested) = condition(text);
        assert_eq!(expressed, r#"{"Ref":"Condition_c"}"#, "{text}");
        assert_eq!(requested, ["Condition_c"], "{text}");
    }
}

#[test]
fn the_format_is_that_with_conditions_only_where_there_are_some() {
    let version = |text: &str| {
        let raised = raised(&format!("heat_template_version: 2018-08-31{PARAMETERS}{text}"));
        (raised.version_key, raised.version)
    };
    let heat = ("HeatTemplateFormatVersion", "2012-12-12");
    let aws = ("AWSTemplateFormatVersion", "2010-09-09");
    assert_eq!(version("outputs: {o: {value: 1}}"), heat);
    assert_eq!(version("outputs: {o: {value: 1, condition: {get_param: flag}}}"), aws);
    assert_eq!(version("outputs: {o: {value: {if: [{get_param: flag}, 1, 2]}}}"), aws);
    assert_eq!(version("resources: {r: {type: OS::Heat::None, condition: false}}"), aws);
}

#[test]
fn what_may_vanish_is_a_choice_between_lists_or_maps() {
    let (expressed, unexpressed) =
        output("2021-04-16", "[a, {if: [{get_param: flag}, b]}, {if: [true, c]}]");
    assert_eq!(expressed, r#"{"Fn::If":[{"Ref":"flag"},["a","b","c"],["a","c"]]}"#);
    assert_eq!(unexpressed, [""; 0]);
    let (expressed, _) = output("2021-04-16", "{a: 1, b: {if: [{get_param: flag}, 2]}}");
    assert_eq!(expressed, r#"{"Fn::If":[{"Ref":"flag"},{"a":1,"b":2},{"a":1}]}"#);
    // The value of an absent output is null.
    let (expressed, _) = output("2021-04-16", "{if: [{get_param: flag}, 2]}");
    assert_eq!(expressed, r#"{"Fn::If":[{"Ref":"flag"},2,null]}"#);
    let many = "[{if: [{get_param: flag}, 1]}]"
        .replace("]}]", "]}, {if: [{get_param: flag}, 1]}, {if: [{get_param: flag}, 1]}, {if: [{get_param: flag}, 1]}, {if: [{get_param: flag}, 1]}]");
    let (expressed, unexpressed) = output("2021-04-16", &many);
    assert_eq!((expressed.as_str(), unexpressed), ("", vec!["!if".to_owned()]));
}

#[test]
fn a_property_that_may_vanish_is_lost_unless_it_is_known() {
    let raised = raised(&format!(
        "heat_template_version: 2021-04-16{PARAMETERS}
resources:
  r:
    type: OS::Heat::Value
    properties:
      a: {{if: [{{get_param: flag}}, 1]}}
      b: {{if: [true, 1]}}
      c: {{if: [false, 1]}}
"
    ));
    let resource = raised.resources[0].value.as_ref().expect("a resource").to_value();
    assert_eq!(json(resource.get("Properties").expect("properties")), r#"{"b":1}"#);
    assert_eq!(raised.unsupported.len(), 1);
}

#[test]
fn resources() {
    let raised = raised(
        "heat_template_version: 2018-08-31
resources:
  a:
    type: OS::Heat::Value
    description: why
    depends_on: [b, adopted]
    deletion_policy: retain
    update_policy: {u: 1}
    metadata: {m: 1}
  b: {type: OS::Heat::Value, deletion_policy: {if: [true, retain, delete]}}
  adopted: {type: OS::Nova::Server, external_id: x}
outputs:
  o: {value: {get_resource: adopted}}
",
    );
    let expressed = |at: usize| {
        raised.resources[at].value.as_ref().map(|expressed| json(&expressed.to_value()))
    };
    assert_eq!(
        expressed(0).expect("a resource"),
        r#"{"Type":"OS::Heat::Value","Description":"why","DependsOn":["b"],"DeletionPolicy":"Retain","UpdatePolicy":{"u":1},"Metadata":{"m":1}}"#
    );
    assert_eq!(
        expressed(1).expect("a resource"),
        r#"{"Type":"OS::Heat::Value","DeletionPolicy":{"Fn::If":[true,"Retain","Delete"]}}"#
    );
    assert!(expressed(2).is_err());
    assert!(raised.outputs[0].value.is_err());
    let subjects: Vec<&str> = raised.unsupported.iter().map(|it| it.subject.as_str()).collect();
    assert_eq!(subjects, ["external_id", "adopted"]);
}

#[test]
fn parameters() {
    let raised = raised(
        "heat_template_version: 2018-08-31
parameters:
  a:
    type: string
    label: L
    description: D
    default: x
    hidden: 'no'
    immutable: true
    tags: [t]
    constraints:
    - length: {min: 1, max: 2}
      description: one
    - allowed_pattern: '.*'
      description: two
    - allowed_pattern: 'x'
    - custom_constraint: nova.flavor
    - allowed_values: [x]
      description: one
  b: {type: number, constraints: [{range: {max: 3}, description: why}, {modulo: {step: 2, offset: 0}}]}
",
    );
    let expressed = |at: usize| {
        raised.parameters[at].value.as_ref().map(|expressed| json(&expressed.to_value()))
    };
    assert_eq!(
        expressed(0).expect("a parameter"),
        r#"{"Type":"String","Label":"L","Description":"D","Default":"x","NoEcho":true,"MinLength":1,"MaxLength":2,"AllowedPattern":".*","AllowedValues":["x"],"ConstraintDescription":"one; two"}"#
    );
    assert_eq!(
        expressed(1).expect("a parameter"),
        r#"{"Type":"Number","MaxValue":3,"ConstraintDescription":"why"}"#
    );
    let subjects: Vec<&str> = raised.unsupported.iter().map(|it| it.subject.as_str()).collect();
    assert_eq!(
        subjects,
        ["allowed_pattern", "custom_constraint", "description", "immutable", "tags", "modulo"]
    );
}

/// A call whose value is unknown becomes one of this function, or is unsupported.
#[test]
fn each_function_has_its_counterpart_or_none() {
    let calls = [
        ("Ref", "{get_param: text}"),
        ("Ref", "{get_resource: server}"),
        ("Fn::GetAtt", "{get_attr: [server, name]}"),
        ("Fn::ResourceFacade", "{resource_facade: metadata}"),
        ("Fn::Join", "{list_join: ['', [a]]}"),
        ("Fn::Split", "{str_split: ['', {get_param: text}]}"),
        ("Fn::Replace", "{str_replace: {template: {get_param: text}, params: {}}}"),
        ("Fn::Replace", "{str_replace_strict: {template: {get_param: text}, params: {}}}"),
        ("Fn::Replace", "{str_replace_vstrict: {template: {get_param: text}, params: {}}}"),
        ("Fn::If", "{if: [{get_param: flag}, {get_param: text}, 1]}"),
        ("", "{repeat: {template: a, for_each: {a: {get_param: list}}}}"),
        ("", "{digest: [md5, {get_param: text}]}"),
        ("", "{map_merge: [{get_param: json}]}"),
        ("", "{map_replace: [{get_param: json}, {}]}"),
        ("", "{yaql: {expression: $.data, data: {get_param: json}}}"),
        ("", "{filter: [[a], {get_param: list}]}"),
        ("", "{make_url: {host: {get_param: text}}}"),
        ("", "{list_concat: [{get_param: list}]}"),
        ("", "{list_concat_unique: [{get_param: list}]}"),
    ];
    for (counterpart, call) in calls {
        let (expressed, _) = output("2021-04-16", call);
        match counterpart {
            "" => assert_eq!(expressed, "", "{call}"),
            name => assert!(expressed.contains(&format!("\"{name}\"")), "{call}: {expressed}"),
        }
    }
}
