//! Parameters of the result: their types, what they replace, and their values.

use super::*;

#[test]
fn the_default_of_a_parameter_for_a_flavor_is_lost() {
    let template = "\
parameters:
  flavor: {type: string, default: m1.small, constraints: [{allowed_values: [m1.small]}]}
resources:
  server:
    type: OS::Nova::Server
    properties: {image: ami-0123456789abcdef0, flavor: {get_param: flavor}}
";
    let emitted = emitted(&[("root.yaml", template)], &["flavor=m1.large"], &[]);
    let text = &emitted.files[0].text;
    holds(text, &["ImageId: ami-0123456789abcdef0", "InstanceType:\n        Ref: Flavor"]);
    assert!(!text.contains("    Default:") && !text.contains("    AllowedValues:"), "{text}");
    assert!(lost(&emitted, LossKind::Value, "flavor"));
    assert_eq!(emitted.files.len(), 1, "the given value has no meaning in AWS");
}

#[test]
fn values_that_are_given_have_a_file_of_their_own_unless_they_are_baked() {
    let template = "\
parameters:
  size: {type: number}
  data: {type: json}
resources:
  vol: {type: OS::Cinder::Volume, properties: {size: {get_param: size}, availability_zone: eu-west-1a}}
outputs:
  data: {value: {get_param: [data, a]}}
";
    let files = [("root.yaml", template)];
    let given = ["size=5", "data={\"a\": 7}"];
    let open = emitted(&files, &given, &[]);
    let names: Vec<_> = open.files.iter().map(|file| file.path.clone()).collect();
    assert_eq!(names, [Some("root.yaml".into()), Some("parameters.json".into())]);
    holds(&open.files[1].text, &["\"ParameterKey\": \"Size\"", "\"ParameterValue\": \"5\""]);
    holds(&open.files[1].text, &["\"ParameterKey\": \"DataA\"", "\"ParameterValue\": \"7\""]);
    let fixed = emitted(&files, &given, &["size", "data"]);
    assert_eq!(fixed.files.len(), 1);
    holds(&fixed.files[0].text, &["Size: 5", "Value: '7'"]);
}

#[test]
fn what_aws_does_not_take_in_its_own_types_is_requested_for() {
    let text = text(
        "\
resources:
  disk: {type: AWS::EC2::Volume, properties: {AvailabilityZone: nova}}
  group:
    type: AWS::EC2::SecurityGroup
    properties: {GroupDescription: x, SecurityGroupEgress: [{IpProtocol: tcp, CidrIp: 192.0.2.0/24}]}
  server:
    type: AWS::EC2::Instance
    properties:
      ImageId: ami-01234567
      InstanceType: t3.small
      SecurityGroups: [sg-01234567]
      SecurityGroupIds: [sg-89abcdef]
  wired:
    type: AWS::EC2::Instance
    properties:
      ImageId: ami-01234567
      InstanceType: t3.small
      NetworkInterfaces: [eni-01234567]
      SubnetId: subnet-01234567
  scaled:
    type: AWS::AutoScaling::AutoScalingGroup
    properties:
      AvailabilityZones: [eu-west-1a]
      MinSize: 1
      MaxSize: 1
      LaunchConfigurationName: x
      Tags: [{Key: a, Value: b}]
  balancer:
    type: AWS::ElasticLoadBalancing::LoadBalancer
    properties: {AvailabilityZones: [eu-west-1a], Listeners: {get_param: listeners}}
  alarm: {type: OS::Aodh::Alarm, properties: {meter_name: m, threshold: 1, period: 45}}
  hourly: {type: OS::Aodh::Alarm, properties: {meter_name: m, threshold: 1, period: 3660}}
parameters:
  listeners: {type: json, default: []}
",
    );
    holds(
        &text,
        &[
            "Size:\n        Ref: DiskSize",
            "VpcId:\n        Ref: GroupVpcId",
            "SecurityGroupIds:\n        - sg-01234567\n        - sg-89abcdef\n",
            "NetworkInterfaces:\n        - DeviceIndex: '0'\n          NetworkInterfaceId: eni-01234567",
            "PropagateAtLaunch: true",
            "Listeners:\n        - InstancePort:",
            "Period: 3660",
        ],
    );
    assert!(!text.contains("SubnetId") && !text.contains("Period: 45"), "{text}");
}
