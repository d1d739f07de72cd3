//! Templates in Heat's CFN formats, with every command.

use predicates::prelude::*;
use predicates::str::{contains, is_empty};

use crate::cli::sandbox::Sandbox;

const AWS: &str = "\
# ours
AWSTemplateFormatVersion: 2010-09-09
Parameters:
  # which
  Env: {Type: String, Default: dev, AllowedValues: [dev, prod]}
  Secret: {Type: String, Default: geheim, NoEcho: true}
Mappings:
  Sizes:
    dev: {flavor: small}
    prod: {flavor: large} # big
Conditions:
  IsProd: !Equals [!Ref Env, prod]
Resources:
  server:
    Type: OS::Nova::Server
    Properties:
      name: !Sub '${AWS::StackName}-${Env}'
      image: !FindInMap [Sizes, prod, flavor]
      flavor: !FindInMap [Sizes, !Ref Env, flavor]
Outputs:
  ip: {Value: !GetAtt server.first_address, Condition: IsProd}
";

const HOT: &str = "\
# ours
heat_template_version: 2021-04-16
parameters:
  # which
  Env:
    type: string
    default: dev
    constraints:
      - allowed_values:
          - dev
          - prod
  Secret:
    type: string
    default: geheim
    hidden: true
  mappings:
    type: json
    description: constants that the template looks up
    default:
      Sizes:
        dev:
          flavor: small
        prod:  # big
          flavor: large
conditions:
  IsProd:
    equals:
      - get_param: Env
      - prod
resources:
  server:
    type: OS::Nova::Server
    properties:
      name:
        str_replace:
          template: ${AWS::StackName}-${Env}
          params:
            ${AWS::StackName}:
              get_param: OS::stack_name
            ${Env}:
              get_param: Env
      image: large
      flavor:
        get_param:
          - mappings
          - Sizes
          - get_param: Env
          - flavor
outputs:
  ip:
    condition: IsProd
    value:
      get_attr:
        - server
        - first_address
";

#[test]
fn an_aws_template_becomes_hot() {
    let sandbox = Sandbox::new(&[("aws.yaml", AWS)]);
    let rendered = sandbox.hotplate("render aws.yaml --target hot").assert().code(0);
    let told = contains("warning[HP0114]: Heat refuses YAML with the tag `!Equals`")
        .and(contains("warning[HP0306]: Heat has no function `Fn::Sub`"))
        .and(contains("HP0215"))
        .and(contains("geheim").not());
    let rendered = rendered.stdout(HOT).stderr(told);
    sandbox.write("hot.yaml", &rendered.get_output().stdout);
    sandbox.hotplate("render hot.yaml --target hot").assert().code(0).stdout(HOT);
    sandbox.hotplate("diff aws.yaml hot.yaml").assert().code(1);
}

#[test]
fn what_a_version_cannot_say_is_a_loss_and_a_comment() {
    let sandbox = Sandbox::new(&[("aws.yaml", AWS)]);
    let old = "render aws.yaml --target hot --to 2013-05-23";
    // Null replaces a conditional value.
    let rendered = sandbox.hotplate(old).assert().code(1);
    let lost = contains("# lost: 2013-05-23 cannot express conditions\n#   IsProd: !Equals").and(
        contains("    # lost: 2013-05-23 cannot express `condition`\n    #   Condition: IsProd\n"),
    );
    rendered
        .stdout(lost)
        .stderr(contains("warning[HP0904]").and(contains("2013-05-23 cannot express conditions")));
    sandbox.hotplate(&format!("{old} --strict")).assert().code(1);
}

#[test]
fn values_are_those_of_heat() {
    let sandbox = Sandbox::new(&[("aws.yaml", AWS)]);
    let json = sandbox.json("eval aws.yaml -P Env=prod --fill --format json", 0);
    assert_eq!(json["version"], serde_json::json!(["AWSTemplateFormatVersion", "2010-09-09"]));
    assert_eq!(json["parameters"]["AWS::Region"], "ap-southeast-1");
    assert_eq!(json["parameters"]["OS::stack_id"], serde_json::Value::Null);
    assert_eq!(json["resources"]["server"]["properties"]["flavor"], "large");
    assert_eq!(json["conditions"]["IsProd"], true);
    sandbox.hotplate("eval aws.yaml -P Env=test").assert().code(1).stderr(contains("HP0604"));
}

#[test]
fn a_mistake_in_a_branch_is_refused_only_if_the_branch_is_selected() {
    let text = "\
AWSTemplateFormatVersion: 2010-09-09
Parameters:
  Env: {Type: String, Default: prod}
Conditions:
  IsProd: {'Fn::Equals': [{Ref: Env}, prod]}
Resources:
  value:
    Type: OS::Heat::Value
    Properties:
      value: {'Fn::If': [IsProd, good, {'Fn::Join': [1]}]}
";
    let sandbox = Sandbox::new(&[("aws.yaml", text)]);
    sandbox.hotplate("eval aws.yaml").assert().code(0).stdout(contains("good"));
    sandbox.hotplate("eval aws.yaml -P Env=dev").assert().code(1);
    let told = contains("warning[HP0301]").and(contains("only if this branch is selected"));
    sandbox.hotplate("render aws.yaml -t hot").assert().code(0).stderr(told);
}

#[test]
fn a_nested_cfn_template_is_followed() {
    let outer = "heat_template_version: 2018-08-31\nresources:\n  n: {type: nested.yaml, properties: {Env: prod}}\n";
    let nested = "HeatTemplateFormatVersion: 2012-12-12\nParameters: {Env: {Type: String}}\nOutputs: {o: {Value: {Ref: Env}}}\n";
    let sandbox = Sandbox::new(&[("outer.yaml", outer), ("nested.yaml", nested)]);
    let json = sandbox.json("eval outer.yaml --nested --format json", 0);
    assert_eq!(json["resources"]["n"]["nested"]["outputs"]["o"]["value"], "prod");
}

#[test]
fn a_template_with_errors_is_not_rendered() {
    let text = "AWSTemplateFormatVersion: 2010-09-09\nTransform: x\nParameters: {k: {Type: 'AWS::EC2::KeyPair::KeyName'}}\n";
    let sandbox =
        Sandbox::new(&[("bad.yaml", text), ("old.yaml", "AWSTemplateFormatVersion: 2009-01-01\n")]);
    let told = contains("error[HP0206]").and(contains("error[HP0212]"));
    sandbox.hotplate("render bad.yaml -t hot").assert().code(1).stdout(is_empty()).stderr(told);
    let told = contains("error[HP0203]").and(contains("the only version is `2010-09-09`"));
    sandbox.hotplate("render old.yaml -t hot").assert().code(2).stdout(is_empty()).stderr(told);
}
