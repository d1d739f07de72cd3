//! What AWS has by itself: its own types, its tools in servers, JSON.

use super::*;
use crate::coverage::Coverage;

#[test]
fn types_that_heat_imitates_by_templates_are_those_of_aws() {
    let template = "\
resources:
  alarm:
    type: AWS::CloudWatch::Alarm
    properties:
      MetricName: CPUUtilization
      Namespace: AWS/EC2
      Statistic: Average
      Period: '60'
      EvaluationPeriods: '1'
      Threshold: '50'
      ComparisonOperator: GreaterThanThreshold
      AlarmActions: [{get_attr: [policy, AlarmUrl]}]
  group:
    type: OS::Heat::InstanceGroup
    properties: {LaunchConfigurationName: {get_resource: config}, Size: 2, AvailabilityZones: [nova]}
  config:
    type: AWS::AutoScaling::LaunchConfiguration
    properties: {ImageId: ami-0123456789abcdef0, InstanceType: m1.small}
  policy:
    type: AWS::AutoScaling::ScalingPolicy
    properties: {AutoScalingGroupName: {get_resource: group}, AdjustmentType: ChangeInCapacity, ScalingAdjustment: 1}
  database:
    type: AWS::RDS::DBInstance
    properties:
      AllocatedStorage: '5'
      DBInstanceClass: db.t3.small
      DBName: data
      Engine: MySQL
      MasterUsername: me
      MasterUserPassword: {get_param: password}
  address: {type: AWS::EC2::EIP}
  server: {type: AWS::EC2::Instance, properties: {ImageId: ami-0123456789abcdef0, InstanceType: m1.small}}
  association:
    type: AWS::EC2::EIPAssociation
    properties: {EIP: {get_resource: address}, InstanceId: {get_resource: server}}
  nested:
    type: AWS::CloudFormation::Stack
    properties: {TemplateURL: 'https://example.com/t.yaml'}
parameters:
  password: {type: string, hidden: true}
outputs:
  host: {value: {get_attr: [database, Endpoint.Address]}}
  inner: {value: {get_attr: [nested, Outputs.Address]}}
";
    let emitted = emitted(&[("root.yaml", template)], &[], &[]);
    assert!(lost_subjects(&emitted).is_empty(), "{:?}", emitted.losses);
    holds(
        &emitted.files[0].text,
        &[
            "Type: AWS::CloudWatch::Alarm",
            "AlarmActions:\n        - Ref: Policy",
            "MinSize: '2'\n      MaxSize: '2'\n      DesiredCapacity: '2'",
            "Type: AWS::RDS::DBInstance",
            "AllocationId:\n        Fn::GetAtt:\n          - Address\n          - AllocationId",
            "- Database\n        - Endpoint.Address",
            "- Nested\n        - Outputs.Address",
        ],
    );
}

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
    with_program(&[("root.yaml", &config)], &[], &[], |model, _| {
        let document = &model.root().document;
        let options = EmitOptions::default();
        let request =
            EmitRequest { schema: model.schema(), document, model: Some(model), options: &options };
        let emitted = crate::cfn::Cfn.emit(&request).expect("files");
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
