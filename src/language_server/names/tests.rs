//! Tests of the names that files declare and use.

use std::path::PathBuf;

use lossless_yaml::Limits;

use super::{FileNames, NameOwner, NameRole};
use crate::language_server::file_view::FileView;

fn names(text: &str) -> FileNames {
    let view = FileView::new(PathBuf::from("/project/stack.yaml"), text.into(), &Limits::default());
    FileNames::new(&view).expect("a template or an environment")
}

/// Every name as `line role kind name`, in the order of the text; `>` before the name of a nested template.
fn shown(text: &str) -> Vec<String> {
    let shown = |it: &super::Occurrence| {
        assert_eq!(&text[it.bytes.clone()], it.name);
        let line = text[..it.bytes.start].lines().count().max(1);
        let role = match it.role {
            NameRole::Declaration => "declares",
            NameRole::Use => "uses",
            NameRole::Value => "sets",
        };
        let nested = if matches!(it.owner, NameOwner::Nested(_)) { ">" } else { "" };
        format!("{line} {role} {} {nested}{}", it.kind.noun(), it.name)
    };
    names(text).occurrences.iter().map(shown).collect()
}

#[test]
fn hot_names_are_found_within_quotes_and_lists() {
    let text = "heat_template_version: 2021-04-16
parameters: {size: {type: string}, 'image': {type: json}}
parameter_groups: [{parameters: [size]}]
conditions: {big: {equals: [{get_param: size}, L]}, small: {not: big}}
resources:
  \"server\":
    type: OS::Nova::Server
    condition: big
    depends_on: [net]
    properties: {flavor: {get_param: [\"image\", x]}}
  net: {type: OS::Neutron::Net}
outputs:
  ip: {condition: small, value: {if: [big, {get_attr: ['server', first_address]}, {get_resource: net}]}}
";
    assert_eq!(
        shown(text),
        [
            "2 declares parameter size",
            "2 declares parameter image",
            "3 uses parameter size",
            "4 declares condition big",
            "4 uses parameter size",
            "4 declares condition small",
            "4 uses condition big",
            "6 declares resource server",
            "8 uses condition big",
            "9 uses resource net",
            "10 sets parameter >flavor",
            "10 uses parameter image",
            "11 declares resource net",
            "13 declares output ip",
            "13 uses condition small",
            "13 uses condition big",
            "13 uses resource server",
            "13 uses output >first_address",
            "13 uses resource net",
        ]
    );
}

#[test]
fn cfn_names_are_found_in_json_and_in_substitutions() {
    let text = r#"{"AWSTemplateFormatVersion": "2010-09-09",
"Parameters": {"Key": {"Type": "String"}},
"Mappings": {"Sizes": {"a": {"b": "c"}}},
"Resources": {"Box": {"Type": "AWS::EC2::Instance",
"Properties": {"KeyName": {"Ref": "Key"}, "ImageId": {"Fn::FindInMap": ["Sizes", "a", "b"]}}}},
"Outputs": {"Ip": {"Value": {"Fn::GetAtt": ["Box", "PublicIp"]}},
"Url": {"Value": {"Fn::Sub": "${Box.PublicIp}/${Key}/${AWS::Region}/${Key}"}}}}
"#;
    assert_eq!(
        shown(text),
        [
            "2 declares parameter Key",
            "3 declares mapping Sizes",
            "4 declares resource Box",
            "5 sets parameter >KeyName",
            "5 uses parameter Key",
            "5 sets parameter >ImageId",
            "5 uses mapping Sizes",
            "6 declares output Ip",
            "6 uses resource Box",
            "6 uses output >PublicIp",
            "7 declares output Url",
            "7 uses resource Box",
            "7 uses parameter Key",
            "7 uses parameter Key",
        ]
    );
}

#[test]
fn names_in_members_of_groups_are_those_of_the_member() {
    let text = "heat_template_version: 2021-04-16
resources:
  group:
    type: OS::Heat::ResourceGroup
    properties: {count: 2, resource_def: {type: box.yaml, properties: {size: 1}}}
  scaling:
    type: OS::Heat::AutoScalingGroup
    properties: {min_size: 1, max_size: 2, resource: {type: box.yaml, properties: {size: 1}}}
outputs:
  all: {value: {get_attr: [group, ip]}}
  first: {value: {get_attr: [group, resource.0.ip, v4]}}
  list: {value: {get_attr: [scaling, outputs_list, ip]}}
";
    let found = shown(text);
    let nested: Vec<&str> =
        found.iter().map(String::as_str).filter(|it| it.contains('>')).collect();
    assert_eq!(
        nested,
        [
            "5 sets parameter >size",
            "8 sets parameter >size",
            "10 uses output >ip",
            "11 uses output >ip",
            "12 uses output >ip",
        ]
    );
}

#[test]
fn environments_set_parameters_and_name_resources() {
    let text = "parameters: {size: 1}
parameter_defaults: {'image': x}
parameter_merge_strategies: {default: merge, image: deep_merge}
encrypted_param_names: [size]
resource_registry: {'My::Box': box.yaml, resources: {server: {hooks: pre-create}, 'web_*': {hooks: pre-create}}}
";
    assert_eq!(
        shown(text),
        [
            "1 sets parameter size",
            "2 sets parameter image",
            "3 sets parameter image",
            "4 sets parameter size",
            "5 sets resource server",
        ]
    );
    let untraced: Vec<_> = names(text).untraced.iter().map(|it| it.name.clone()).collect();
    assert_eq!(untraced, [Some("web_*".into())]);
    assert_eq!(names(text).registry.len(), 1);
}

#[test]
fn names_that_are_computed_or_escaped_are_not_followed() {
    let text = "heat_template_version: 2021-04-16
parameters: {which: {type: string}, caf\u{e9}: {type: string}}
outputs:
  a: {value: {get_param: {get_param: which}}}
  b: {value: {get_param: \"caf\\xe9\"}}
";
    let reasons: Vec<_> =
        names(text).untraced.iter().map(|it| (it.name.clone(), it.reason)).collect();
    assert_eq!(
        reasons,
        [(None, "computes a name"), (Some("caf\u{e9}".into()), "does not have the name as it is")]
    );
}

#[test]
fn an_alias_has_the_name_of_its_anchor() {
    let text = "heat_template_version: 2021-04-16
parameters: {&name size: {type: string}}
outputs: {a: {value: {get_param: *name}}}
";
    assert_eq!(
        shown(text),
        ["2 declares parameter size", "2 uses parameter size", "3 declares output a"]
    );
}

#[test]
fn a_call_that_is_not_finished_has_its_name() {
    let text = "heat_template_version: 2021-04-16
resources: {server: {type: OS::Nova::Server}}
outputs:
  a: {value: {get_attr: [server]}}
  b
";
    let text = format!("{text}  c: {{value: {{get_resource: server}}}}\n");
    let found = shown(&text);
    assert!(found.contains(&"4 uses resource server".to_owned()), "{found:?}");
    assert!(found.contains(&"6 uses resource server".to_owned()), "{found:?}");
    assert_eq!(names(&text).unread.len(), 1);
}
