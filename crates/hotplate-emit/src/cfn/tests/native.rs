//! Features that only AWS has: its own types, its tools in servers, JSON.

use super::*;
use crate::coverage::Coverage;
use crate::testing::with_program;

#[test]
fn json_with_unknown_parts_is_written_by_aws() {
    let template = |name: &str| {
        format!(
            "\
parameters:
  name: {{type: string}}
resources:
  config:
    type: OS::Heat::CloudConfig
    properties: {{cloud_config: {{hostname: {name}}}}}
  server:
    type: OS::Nova::Server
    properties: {{flavor: m1.tiny, image: cirros, user_data_format: RAW, user_data: {{get_resource: config}}}}
"
        )
    };
    let unknown = emitted(&[("root.yaml", &template("{get_param: name}"))], &[], &[]);
    assert!(lost_subjects(&unknown).is_empty(), "{:?}", unknown.losses);
    holds(
        &unknown.files[0].text,
        &[
            "Transform: AWS::LanguageExtensions",
            "Fn::ToJsonString:\n                  hostname:\n                    Ref: Name",
        ],
    );
    let known = text(&template("web"));
    assert!(!known.contains("Transform"), "{known}");
}

#[test]
fn a_script_with_the_tools_of_cloudformation_needs_nothing_of_heat() {
    let server = |first: &str| {
        format!(
            "\
parameters:
  name: {{type: string}}
resources:
  server:
    type: OS::Nova::Server
    metadata: {{AWS::CloudFormation::Init: {{config: {{packages: {{yum: {{httpd: []}}}}}}}}}}
    properties:
      flavor: m1.tiny
      image: cirros
      user_data:
        str_replace: {{template: \"{first}\\ncfn-init -s NAME\", params: {{NAME: {{get_param: name}}}}}}
"
        )
    };
    let script = emitted(&[("root.yaml", &server("#!/bin/sh"))], &[], &[]);
    assert!(lost_subjects(&script).is_empty(), "{:?}", script.losses);
    holds(
        &script.files[0].text,
        &["Metadata:\n      AWS::CloudFormation::Init:\n        config:", "cfn-init -s ${Name}"],
    );
    let config = server("#cloud-config");
    let files = [("root.yaml", config.as_str())];
    with_program(&files, &[], &[], |model, _| {
        let emitted = emitted(&files, &[], &[]);
        assert_eq!(lost_subjects(&emitted), ["user_data_format"]);
        // The text is kept, whatever is wrapped around it.
        let coverage = Coverage::measure(model, &crate::cfn::Cfn, &emitted.losses);
        assert_eq!(coverage.functions.expressed, coverage.functions.of);
        assert!(coverage.properties.expressed < coverage.properties.of);
    });
}

#[test]
fn the_data_of_a_condition_is_that_of_its_signals() {
    let template = |user_data: &str| {
        format!(
            "\
resources:
  handle: {{type: OS::Heat::WaitConditionHandle}}
  condition:
    type: OS::Heat::WaitCondition
    properties: {{handle: {{get_resource: handle}}, timeout: 600}}
  server:
    type: OS::Nova::Server
    properties: {{flavor: m1.tiny, image: cirros, user_data_format: RAW, user_data: {user_data}}}
  other:
    type: OS::Nova::Server
    properties:
      flavor: m1.tiny
      image: cirros
      user_data_format: RAW
      user_data: {{str_replace: {{template: 'echo DATA', params: {{DATA: {{get_attr: [condition, data]}}}}}}}}
outputs:
  data: {{value: {{get_attr: [condition, data]}}}}
"
        )
    };
    let sent = emitted(
        &[("root.yaml", &template("{list_join: ['', [{get_attr: [handle, curl_cli]}]]}"))],
        &[],
        &[],
    );
    assert!(lost_subjects(&sent).is_empty(), "{:?}", sent.losses);
    holds(&sent.files[0].text, &["echo ${Condition.Data}", "- Condition\n        - Data"]);
    let silent = emitted(&[("root.yaml", &template("echo"))], &[], &[]);
    assert_eq!(lost_subjects(&silent), ["OS::Heat::WaitCondition", "data"]);
    holds(&silent.files[0].text, &["echo {}"]);
    assert!(!silent.files[0].text.contains("\n        - Data"), "{}", silent.files[0].text);
}
