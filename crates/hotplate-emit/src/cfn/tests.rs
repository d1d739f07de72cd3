//! Tests of the rules, on whole templates.

mod known_structure;
mod native;
mod parameters;

use crate::testing::with_program;
use source_diagnostics::Severity;

use crate::{EmitOptions, EmitOutput, EmitRequest, Emitter, LossKind, OutputSyntax};

/// The result for files, the first of which is the root template.
fn emitted(files: &[(&str, &str)], given: &[&str], bake: &[&str]) -> EmitOutput {
    with_program(files, given, bake, |model, _| {
        let document = &model.root().document;
        let options = EmitOptions { syntax: Some(OutputSyntax::Yaml), ..EmitOptions::default() };
        let request =
            EmitRequest { schema: model.schema(), document, model: Some(model), options: &options };
        super::Cfn.emit(&request).expect("files")
    })
}

/// The one file that a template results in.
fn text(template: &str) -> String {
    emitted(&[("root.yaml", template)], &[], &[]).files.remove(0).text
}

fn holds(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "no «{part}» in\n{text}");
    }
}

fn lost(emitted: &EmitOutput, kind: LossKind, subject: &str) -> bool {
    emitted.losses.iter().any(|loss| loss.kind == kind && loss.subject == subject)
}

#[test]
fn networks_ports_and_groups_refer_to_each_other() {
    let text = text("\
resources:
  net: {type: OS::Neutron::Net}
  sub: {type: OS::Neutron::Subnet, properties: {network: {get_resource: net}, cidr: 10.0.0.0/24}}
  group:
    type: OS::Neutron::SecurityGroup
    properties:
      rules:
        - {protocol: tcp, port_range_min: 22, port_range_max: 22}
        - {remote_mode: remote_group_id, protocol: icmp}
        - {direction: egress, remote_ip_prefix: 10.1.2.3}
  port:
    type: OS::Neutron::Port
    properties: {network: {get_resource: net}, security_groups: [{get_resource: group}]}
  server:
    type: OS::Nova::Server
    properties:
      image: ami-0123456789abcdef0
      flavor: {get_param: 'OS::stack_name'}
      networks: [{port: {get_resource: port}}]
  address: {type: OS::Neutron::FloatingIP, properties: {floating_network: public, port_id: {get_resource: port}}}
");
    holds(
        &text,
        &[
            "CidrBlock: 10.0.0.0/24",
            "VpcId:\n        Ref: Net",
            "SubnetId:\n        Ref: Sub",
            "FromPort: 22",
            "CidrIp: 0.0.0.0/0",
            "CidrIp: 10.1.2.3/32",
            "GroupIngress:",
            "GroupSet:\n        - Fn::GetAtt:\n            - Group\n            - GroupId",
            "NetworkInterfaceId:\n            Ref: Port",
            "AddressAssociation:",
        ],
    );
}

#[test]
fn a_router_is_a_table_with_a_gateway_of_the_net_of_its_subnets() {
    let text = text("\
resources:
  net: {type: OS::Neutron::Net}
  sub: {type: OS::Neutron::Subnet, properties: {network: {get_resource: net}, cidr: 10.0.0.0/24}}
  router: {type: OS::Neutron::Router, properties: {external_gateway_info: {network: public}}}
  in: {type: OS::Neutron::RouterInterface, properties: {router: {get_resource: router}, subnet: {get_resource: sub}}}
");
    holds(
        &text,
        &[
            "RouterInternetGateway:",
            "RouterGatewayAttachment:",
            "DestinationCidrBlock: 0.0.0.0/0",
            "RouteTableId:\n        Ref: Router",
        ],
    );
}

#[test]
fn a_volume_is_in_the_zone_of_its_server_unless_that_is_made_of_it() {
    let attachment = "  att: {type: OS::Cinder::VolumeAttachment, properties: {volume_id: {get_resource: vol}, instance_uuid: {get_resource: server}}}
  vol: {type: OS::Cinder::Volume, properties: {size: 1}}
";
    let server = |more: &str| {
        format!(
            "resources:\n{attachment}  server:\n    type: OS::Nova::Server\n{more}    properties: {{flavor: a, image: b}}\n"
        )
    };
    let free = text(&server(""));
    holds(&free, &["AvailabilityZone:\n        Fn::GetAtt:\n          - Server"]);
    let bound = text(&server("    depends_on: vol\n"));
    holds(&bound, &["AvailabilityZone:\n        Ref: VolAvailabilityZone"]);
}

#[test]
fn conditions_are_of_parameters_and_kinds_are_never_equal() {
    let text = text(
        "\
parameters:
  live: {type: boolean}
  env: {type: string}
conditions:
  prod: {equals: [{get_param: env}, prod]}
  never: {equals: [{get_param: env}, 1]}
  both: {and: [prod, {get_param: live}]}
resources:
  vol:
    type: OS::Cinder::Volume
    condition: both
    properties: {size: {if: [prod, 10, 1]}, availability_zone: eu-west-1a}
outputs:
  id: {value: {get_resource: vol}}
",
    );
    holds(
        &text,
        &[
            "Prod:\n    Fn::Equals:\n      - Ref: Env\n      - prod",
            "Never:\n    Fn::Equals:\n      - 'true'\n      - 'false'",
            "Fn::And:\n      - Condition: Prod",
            "Condition: Both",
            "Size:\n        Fn::If:\n          - Prod\n          - 10\n          - 1",
            "Fn::If:\n        - Both\n        - Ref: Vol\n        - ''",
        ],
    );
}

#[test]
fn texts_are_joined_replaced_and_split() {
    let text = text(
        "\
parameters:
  name: {type: string}
  list: {type: comma_delimited_list}
outputs:
  join: {value: {list_join: ['-', [a, {get_param: name}]]}}
  list: {value: {list_join: [';', {get_param: list}]}}
  replace: {value: {str_replace: {template: 'x NAME ${HOME}', params: {NAME: {get_param: name}}}}}
  split: {value: {str_split: [',', {get_param: name}, 1]}}
  item: {value: {get_param: [list, 2]}}
  known: {value: {digest: [md5, a]}}
  unknown: {value: {digest: [md5, {get_param: name}]}}
",
    );
    holds(
        &text,
        &[
            "Fn::Join:\n        - '-'\n        - - a\n          - Ref: Name",
            "Fn::Join:\n        - ;\n        - Ref: List",
            "Fn::Sub: x ${Name} ${!HOME}",
            "Fn::Select:\n        - '1'\n        - Fn::Split:",
            "Fn::Select:\n        - '2'\n        - Ref: List",
            "0cc175b9c0f1b6a831c399e269772661",
            "# lost: CloudFormation has no equivalent of `digest`",
        ],
    );
}

#[test]
fn nested_templates_are_files_and_groups_are_their_members() {
    let node = "\
parameters:
  name: {type: string}
resources:
  server: {type: OS::Nova::Server, properties: {name: {get_param: name}, image: cirros, flavor: m1.tiny}}
outputs:
  address: {value: {get_attr: [server, first_address]}}
";
    let root = "\
resources:
  nodes:
    type: OS::Heat::ResourceGroup
    properties: {count: 2, resource_def: {type: node.yaml, properties: {name: n-%index%}}}
outputs:
  all: {value: {get_attr: [nodes, address]}}
  first: {value: {get_attr: [nodes, resource.0.address]}}
";
    let emitted = emitted(&[("root.yaml", root), ("node.yaml", node)], &[], &[]);
    let names: Vec<_> = emitted.files.iter().map(|file| file.path.clone()).collect();
    assert_eq!(names, [Some("root.yaml".into()), Some("node.yaml".into())]);
    holds(
        &emitted.files[0].text,
        &[
            "Nodes0:\n    Type: AWS::CloudFormation::Stack",
            "TemplateURL:\n        Ref: NodeTemplateUrl",
            "Name: n-0",
            "Name: n-1",
            "ImageCirros:\n          Ref: ImageCirros",
            "- Nodes1\n              - Outputs.Address",
        ],
    );
    assert!(lost(&emitted, LossKind::Value, "all"), "a list becomes a string with commas");
}

#[test]
fn texts_of_configurations_stand_in_user_data() {
    let text = text(
        "\
resources:
  config: {type: OS::Heat::SoftwareConfig, properties: {config: 'echo hi'}}
  mime: {type: OS::Heat::MultipartMime, properties: {parts: [{config: {get_resource: config}}]}}
  server:
    type: OS::Nova::Server
    properties: {image: a, flavor: b, user_data_format: RAW, user_data: {get_resource: mime}}
",
    );
    holds(&text, &["Fn::Base64", "echo hi", "multipart/mixed"]);
}

#[test]
fn what_aws_does_not_have_is_a_comment_and_a_reference_to_it_too() {
    let template = "\
resources:
  # who owns it
  project: {type: OS::Keystone::Project}
outputs:
  id: {value: {get_resource: project}}
";
    let emitted = emitted(&[("root.yaml", template)], &[], &[]);
    holds(
        &emitted.files[0].text,
        &[
            "# who owns it",
            "# lost: AWS has no counterpart of `OS::Keystone::Project`",
            "project: {type: OS::Keystone::Project}",
            "WaitConditionHandle",
        ],
    );
    assert!(lost(&emitted, LossKind::ResourceType, "OS::Keystone::Project"));
    assert!(lost(&emitted, LossKind::Function, "get_resource"));
}

#[test]
fn a_random_string_is_a_secret_that_only_properties_read() {
    let template = "\
resources:
  password: {type: OS::Heat::RandomString, properties: {length: 12}}
  user: {type: OS::Keystone::User, properties: {name: me, password: {get_attr: [password, value]}}}
outputs:
  password: {value: {get_attr: [password, value]}}
";
    let emitted = emitted(&[("root.yaml", template)], &[], &[]);
    holds(
        &emitted.files[0].text,
        &["PasswordLength: 12", "{{resolve:secretsmanager:${Password}::SecretString}}"],
    );
    assert!(lost(&emitted, LossKind::Attribute, "value"));
}

#[test]
fn a_group_that_scales_servers_has_a_launch_template() {
    let text = text("\
resources:
  group:
    type: OS::Heat::AutoScalingGroup
    properties:
      min_size: 1
      max_size: 3
      resource: {type: OS::Nova::Server, properties: {image: a, flavor: b, key_name: k}}
  up:
    type: OS::Heat::ScalingPolicy
    properties: {auto_scaling_group_id: {get_resource: group}, adjustment_type: change_in_capacity, scaling_adjustment: 1}
");
    holds(
        &text,
        &[
            "LaunchTemplateData:",
            "KeyName: k",
            "MinSize: '1'",
            "AutoScalingGroupName:\n        Ref: Group",
            "AdjustmentType: ChangeInCapacity",
        ],
    );
}

#[test]
fn properties_of_old_templates_are_those_of_new_ones() {
    let text = text(
        "\
resources:
  net: {type: OS::Neutron::Net}
  sub: {type: OS::Neutron::Subnet, properties: {network_id: {get_resource: net}, cidr: 10.0.0.0/24}}
  router: {type: OS::Neutron::Router}
  in: {type: OS::Neutron::RouterInterface, properties: {router_id: {get_resource: router}, subnet_id: {get_resource: sub}}}
  port: {type: OS::Neutron::Port, properties: {network_id: {get_resource: net}}}
",
    );
    holds(
        &text,
        &[
            "VpcId:\n        Ref: Net",
            "RouteTableId:\n        Ref: Router",
            "SubnetId:\n        Ref: Sub",
        ],
    );
    assert!(!text.contains("Parameters:"), "{text}");
}

#[test]
fn a_bucket_is_open_to_those_to_whom_heat_opens_it() {
    let bucket = |access: &str| {
        let template = format!(
            "
parameters:
  access: {{type: string}}
resources:
  files: {{type: AWS::S3::Bucket, properties: {{AccessControl: {access}}}}}
"
        );
        emitted(&[("root.yaml", &template)], &[], &[])
    };
    for access in ["PublicRead", "PublicReadWrite"] {
        let emitted = bucket(access);
        let text = &emitted.files[0].text;
        let settings =
            ["ObjectOwnership: ObjectWriter", "BlockPublicAcls: false", "IgnorePublicAcls: false"];
        holds(text, &[&format!("AccessControl: {access}")]);
        holds(text, &settings);
        assert!(emitted.losses.iter().all(|loss| loss.severity == Severity::Note), "{text}");
    }
    for (access, is_lost) in [
        ("Private", false),
        ("BucketOwnerRead", false),
        ("AuthenticatedRead", true),
        ("{get_param: access}", true),
    ] {
        let emitted = bucket(access);
        let text = &emitted.files[0].text;
        assert!(!text.contains("\n      AccessControl"), "{text}");
        assert_eq!(lost(&emitted, LossKind::Property, "AccessControl"), is_lost, "{text}");
    }
}

#[test]
fn keys_of_maps_are_those_of_json() {
    let text = text(
        "\
parameters:
  name: {type: string}
outputs:
  known: {value: {yaql: {expression: 'dict(true => 1, null => 2, 1.5 => 3)', data: {}}}}
  computed: {value: {true: {get_param: name}, null: 2}}
",
    );
    holds(
        &text,
        &[r#"Value: '{"true": 1, "null": 2, "1.5": 3}'"#, r#""true": "${Name}", "null": 2"#],
    );
}

/// The subjects of the losses that are more than notes.
fn lost_subjects(emitted: &EmitOutput) -> Vec<&str> {
    let losses = emitted.losses.iter().filter(|loss| loss.severity != Severity::Note);
    losses.map(|loss| loss.subject.as_str()).collect()
}

#[test]
fn a_wait_condition_waits_only_for_signals_that_are_sent() {
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
"
        )
    };
    let sent = template(
        "{str_replace: {params: {NOTIFY: {get_attr: [handle, curl_cli]}}, template: \"NOTIFY --data-binary '{}'\\n\"}}",
    );
    let sent = emitted(&[("root.yaml", &sent)], &[], &[]);
    holds(
        &sent.files[0].text,
        &[
            "curl -X PUT -H 'Content-Type:' '${Handle}' --data-binary '{\"Status\": \"SUCCESS\"",
            "Timeout: '600'",
        ],
    );
    assert!(lost_subjects(&sent).is_empty(), "{:?}", sent.losses);
    let silent = emitted(&[("root.yaml", &template("echo"))], &[], &[]);
    assert!(!silent.files[0].text.contains("Timeout"), "{}", silent.files[0].text);
    assert_eq!(lost_subjects(&silent), ["OS::Heat::WaitCondition"]);
}

#[test]
fn what_has_no_effect_in_aws_is_a_note() {
    let template = |more: &str| {
        format!(
            "\
resources:
  net: {{type: OS::Neutron::Net, properties: {{admin_state_up: true, shared: false}}}}
  sub:
    type: OS::Neutron::Subnet
    properties: {{network: {{get_resource: net}}, cidr: 10.0.0.0/24, gateway_ip: 10.0.0.1, dns_nameservers: [8.8.8.8]{more}}}
  vol: {{type: OS::Cinder::Volume, properties: {{size: 1, description: data}}}}
"
        )
    };
    let same = emitted(&[("root.yaml", &template(""))], &[], &[]);
    holds(
        &same.files[0].text,
        &[
            "DependsOn: SubDhcpOptionsAssociation",
            "DomainNameServers:\n        - 8.8.8.8",
            "- Key: Description\n          Value: data",
        ],
    );
    assert!(lost_subjects(&same).is_empty(), "{:?}", same.losses);
    let other = emitted(&[("root.yaml", &template(", enable_dhcp: false"))], &[], &[]);
    assert_eq!(lost_subjects(&other), ["enable_dhcp"]);
}

#[test]
fn resources_wait_for_what_heat_makes_them_wait_for() {
    let template = "\
parameters:
  net: {type: string}
resources:
  sub: {type: OS::Neutron::Subnet, properties: {network: {get_param: net}, cidr: 10.0.0.0/24}}
  port: {type: OS::Neutron::Port, properties: {network: {get_param: net}}}
  lost: {type: OS::Keystone::Project, depends_on: port}
  group:
    type: OS::Neutron::SecurityGroup
    properties: {rules: [{remote_mode: remote_group_id, protocol: icmp}]}
  first:
    type: OS::Nova::Server
    depends_on: lost
    properties: {flavor: m1.tiny, image: cirros, security_groups: [{get_resource: group}]}
  second:
    type: OS::Nova::Server
    depends_on: [first, port]
    properties: {flavor: m1.tiny, image: cirros}
";
    let text = text(template);
    holds(
        &text,
        &[
            "Port:\n    Type: AWS::EC2::NetworkInterface\n    DependsOn: Sub\n",
            "First:\n    Type: AWS::EC2::Instance\n    DependsOn:\n      - GroupIngress\n      - Port\n",
            "Second:\n    Type: AWS::EC2::Instance\n    DependsOn: First\n",
        ],
    );
}

#[test]
fn addresses_policies_and_disks_of_images_are_those_of_aws() {
    let template = "\
parameters:
  policy: {type: string}
resources:
  group: {type: OS::Nova::ServerGroup, properties: {name: g, policies: [{get_param: policy}]}}
  port:
    type: OS::Neutron::Port
    properties:
      network: subnet-01234567
      fixed_ips: [{subnet: subnet-01234567, ip_address: 10.0.0.4}, {subnet: subnet-01234567, ip_address: 10.0.0.5}]
  any:
    type: OS::Neutron::Port
    properties: {network: subnet-01234567, fixed_ips: [{subnet: subnet-01234567}, {subnet: subnet-01234567}]}
  server:
    type: OS::Nova::Server
    properties:
      flavor: m1.tiny
      block_device_mapping_v2: [{image: ami-01234567, boot_index: 0, volume_size: 20, delete_on_termination: true}]
";
    let emitted = emitted(&[("root.yaml", template)], &[], &[]);
    holds(
        &emitted.files[0].text,
        &[
            "Fn::FindInMap:\n          - PlacementStrategies\n          - Ref: Policy\n          - Strategy",
            "PrivateIpAddresses:\n        - PrivateIpAddress: 10.0.0.4\n          Primary: true",
            "SecondaryPrivateIpAddressCount: 1",
            "ImageId: ami-01234567",
            "DeviceName: /dev/xvda\n          Ebs:\n            VolumeSize: 20",
        ],
    );
    assert!(lost_subjects(&emitted).is_empty(), "{:?}", emitted.losses);
}

#[test]
fn comments_stay_with_their_section_and_item() {
    let text = text(
        "\
# of the file
heat_template_version: 2018-08-31
# of all parameters
parameters:
  net:
    # of the type
    type: string
# of all resources
resources:
  first:
    # of the first
    type: OS::Neutron::Net
    properties: {name: {get_param: net}}
    # of its end
  # of the address
  address: {type: OS::Neutron::FloatingIP, properties: {floating_network: public}}
outputs:
  id:
    # of the value
    value: {get_resource: first}
",
    );
    holds(
        &text,
        &[
            "# of all parameters\nParameters:\n  # of the type\n  Net:\n",
            "# of all resources\nResources:\n  # of the first\n  # of its end\n  First:\n",
            "# of the address\n  Address:\n",
            "# of the value\n  Id:\n",
        ],
    );
    assert!(text.starts_with("# of the file\nAWSTemplateFormatVersion"), "{text}");
}

#[test]
fn values_that_are_inlined_too_often_or_too_deep_are_lost() {
    let chain = |value: fn(usize) -> String, length: usize| {
        let mut template =
            "resources:\n  v0: {type: OS::Heat::Value, properties: {value: {get_param: p}}}\n"
                .to_owned();
        for at in 0..length {
            template += &format!(
                "  v{}: {{type: OS::Heat::Value, properties: {{value: {}}}}}\n",
                at + 1,
                value(at)
            );
        }
        template += &format!(
            "parameters: {{p: {{type: string}}}}\noutputs:\n  o: {{value: {{get_attr: [v{length}, value]}}}}\n"
        );
        emitted(&[("root.yaml", &template)], &[], &[])
    };
    let once = |at: usize| format!("{{get_attr: [v{at}, value]}}");
    let twice = |at: usize| {
        format!(
            "{{list_join: [',', [{{get_attr: [v{at}, value]}}, {{get_attr: [v{at}, value]}}]]}}"
        )
    };
    assert_eq!(chain(once, 20).losses.len(), 0);
    assert_eq!(chain(twice, 5).losses.len(), 0);
    for (emitted, reason) in [
        (chain(once, 400), "is computed from too many others in a chain"),
        (chain(twice, 40), "is used too often, or is too large"),
    ] {
        let messages = emitted.losses.iter().map(|loss| loss.message.as_str());
        let of_values: Vec<&str> = messages.filter(|it| it.starts_with("the value of")).collect();
        assert!(of_values.len() == 1 && of_values[0].ends_with(reason), "{of_values:?}");
    }
}
