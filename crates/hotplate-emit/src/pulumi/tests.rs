//! Tests of whole programs.

use super::*;
use crate::testing::rendered_files;

/// The files of the program, the first one without its first two lines, and the losses.
fn rendered(files: &[(&str, &str)], given: &[&str], bake: &[&str]) -> (Vec<String>, Vec<String>) {
    let emitted = rendered_files(&Pulumi, None, files, given, bake);
    let losses = emitted.losses.iter();
    let losses = losses.map(|loss| format!("{}: {}", loss.kind.label(), loss.message)).collect();
    let texts = emitted.files.into_iter().map(|file| file.text);
    (texts.map(|text| text.replace("name: root\nruntime: yaml\n", "")).collect(), losses)
}

/// The parameters whose values would express more.
fn wanted(root: &str) -> Vec<String> {
    let emitted = crate::testing::rendered(&Pulumi, root);
    emitted.wanted_values.into_iter().collect()
}

fn model(root: &str) -> String {
    rendered(&[("root.yaml", root)], &[], &[]).0.remove(0)
}

#[test]
fn texts_are_interpolated_and_what_is_known_is_data() {
    let root = "parameters: {n: {type: string}, l: {type: comma_delimited_list}, o: {type: json}}
outputs:
  replaced: {value: {str_replace: {template: '$a ${b} $n', params: {$n: {get_param: n}}}}}
  joined: {value: {list_join: ['-', [a, {get_param: n}]]}}
  list: {value: {list_join: [',', {get_param: l}]}}
  piece: {value: {str_split: ['.', {get_param: n}, 1]}}
  digest: {value: {digest: [sha256, {get_param: n}]}}
  json: {value: {str_replace: {template: 'is l', params: {l: {get_param: l}}}}}
  loop: {value: {repeat: {for_each: {'%x': [a, b]}, template: 'x%x'}}}
  merged: {value: {map_merge: [{a: {get_param: n}}, {b: 2}]}}
  stack: {value: {get_param: 'OS::stack_name'}}
  path: {value: {get_param: [o, a-b, c]}}
  lost: {value: {yaql: {expression: '$.data.len()', data: {get_param: l}}}}
";
    let (files, losses) = rendered(&[("root.yaml", root)], &[], &[]);
    insta::assert_snapshot!(files[0].split_once("outputs:\n").expect("outputs").1);
    insta::assert_snapshot!(losses.join("\n"), @"
    function: `yaql`: Pulumi YAML has no such function, and the value is not known while rendering
    ");
}

#[test]
fn conditions_are_decided_while_rendering_or_by_the_values_of_now() {
    let root = "parameters: {env: {type: string, default: prod}}
conditions: {prod: {equals: [{get_param: env}, prod]}}
resources:
  net: {type: OS::Neutron::Net, condition: prod}
  test: {type: OS::Neutron::Net, condition: {not: prod}}
outputs:
  name: {value: {if: [prod, big, small]}}
";
    let (files, losses) = rendered(&[("root.yaml", root)], &[], &[]);
    insta::assert_snapshot!(files[0], @"
    resources:
      net:
        type: openstack:networking/network:Network
        properties:
          name: ${pulumi.stack}-net
      # test: its condition is false
      #   test: {type: OS::Neutron::Net, condition: {not: prod}}
    outputs:
      name: big
    ");
    assert_eq!(losses.len(), 4, "{losses:?}");
    assert_eq!(wanted(root), ["env"]);
    let (files, losses) = rendered(&[("root.yaml", root)], &["env=dev"], &["env"]);
    assert_eq!(losses, [""; 0]);
    assert!(files[0].contains("name: small"), "{}", files[0]);
}

#[test]
fn nested_templates_and_groups_are_unrolled() {
    let root = "resources:
  nodes:
    type: OS::Heat::ResourceGroup
    properties:
      count: 2
      resource_def: {type: node.yaml, properties: {name: 'n%index%'}}
  open:
    type: OS::Heat::ResourceGroup
    properties: {count: {get_param: n}, resource_def: {type: OS::Neutron::Net}}
parameters: {n: {type: number, default: 1}}
outputs:
  ids: {value: {get_attr: [nodes, id]}}
";
    let node = "parameters: {name: {type: string}}
resources: {net: {type: OS::Neutron::Net, properties: {name: {get_param: name}}}}
outputs: {id: {value: {get_resource: net}}}
";
    let grouped =
        "resources: {open: {type: OS::Heat::ResourceGroup, properties: {count: {get_param: n}, \
                  resource_def: {type: OS::Neutron::Net}}}}
parameters: {n: {type: number, default: 1}}
";
    assert_eq!(wanted(grouped), ["n"]);
    assert_eq!(wanted(&grouped.replace(", default: 1", "")), [""; 0]);
    let (files, losses) = rendered(&[("root.yaml", root), ("node.yaml", node)], &[], &[]);
    insta::assert_snapshot!(files[0]);
    insta::assert_snapshot!(losses.join("\n"), @"
    resource type: `open` (OS::Heat::ResourceGroup): Pulumi YAML has no loops, and the number of members is not known while rendering
    section: nothing uses the parameter `n`: it is omitted
    ");
}

#[test]
fn what_heat_waits_for_without_a_reference_is_an_option_through_nested_stacks_too() {
    let root = "resources:
  net: {type: OS::Neutron::Net}
  subnet: {type: OS::Neutron::Subnet, properties: {network: {get_resource: net}, cidr: 10.0.0.0/24}}
  queue: {type: OS::Zaqar::Queue, depends_on: subnet}
  port: {type: OS::Neutron::Port, properties: {network: {get_resource: net}}}
  pair: {type: pair.yaml, properties: {net: {get_resource: net}}, depends_on: queue}
  last: {type: OS::Cinder::Volume, depends_on: pair, properties: {size: 1}}
";
    let pair = "parameters: {net: {type: string}}
resources:
  one: {type: OS::Neutron::Port, properties: {network: {get_param: net}}}
  two: {type: OS::Cinder::Volume, depends_on: one, properties: {size: 1}}
";
    let (files, _) = rendered(&[("root.yaml", root), ("pair.yaml", pair)], &[], &[]);
    insta::assert_snapshot!(files[0].split_once("resources:\n").expect("resources").1);
}

#[test]
fn texts_of_heat_are_variables_and_files_are_copied() {
    let root = "parameters: {who: {type: string}}
resources:
  text:
    type: OS::Heat::SoftwareConfig
    properties: {config: {str_replace: {template: 'hi who', params: {who: {get_param: who}}}}}
  cloud: {type: OS::Heat::CloudConfig, properties: {cloud_config: {users: [{name: {get_param: who}}]}}}
  value: {type: OS::Heat::Value, properties: {value: {get_file: boot.sh}}}
  password: {type: OS::Heat::RandomString, properties: {length: 12}}
outputs:
  text: {value: {get_attr: [text, config]}}
  cloud: {value: {get_resource: cloud}}
  boot: {value: {get_attr: [value, value]}}
  password: {value: {get_attr: [password, value]}}
";
    let boot = "#!/bin/sh\necho ${HOME}\n";
    let (files, losses) = rendered(&[("root.yaml", root), ("boot.sh", boot)], &[], &[]);
    insta::assert_snapshot!(files[0]);
    assert_eq!(files[1], boot);
    assert_eq!(losses, [""; 0]);
}

#[test]
fn what_depends_on_what_is_lost_is_lost_too() {
    let root = "resources:
  queue: {type: OS::Zaqar::Queue}
  value: {type: OS::Heat::Value, properties: {value: {get_attr: [queue, queue_id]}}}
  port: {type: OS::Neutron::Port, properties: {network: {get_attr: [value, value]}}}
outputs: {id: {value: {get_resource: port}}}
";
    let text = model(root);
    assert!(!text.contains("${"), "{text}");
    assert!(text.contains("# id: "), "{text}");
}

#[test]
fn the_reason_why_a_text_is_not_there_is_told_when_the_program_is_written_without_it() {
    let root = "parameters:
  s: {type: string}
resources:
  text:
    type: OS::Heat::SoftwareConfig
    properties: {config: {digest: [blake2b, {get_param: s}]}}
outputs:
  text: {value: {get_resource: text}}
";
    let (files, losses) = rendered(&[("root.yaml", root)], &[], &[]);
    let why = "Pulumi YAML has no such function, and the value is not known while rendering";
    assert!(files[0].contains(&format!("# text: {why}")), "{}", files[0]);
    assert!(losses.iter().any(|loss| loss.contains(&format!("`digest`: {why}"))), "{losses:?}");
}

#[test]
fn what_a_resource_tells_keeps_its_type() {
    let root = "resources:
  net: {type: OS::Neutron::Net}
  vlan:
    type: OS::Neutron::ProviderNet
    properties: {network_type: vlan, segmentation_id: {get_resource: net}}
  port:
    type: OS::Neutron::Port
    properties: {network: {get_resource: net}, admin_state_up: {get_attr: [net, admin_state_up]}}
";
    let text = model(root);
    assert!(!text.contains("segmentationId: ${"), "{text}");
    assert!(text.contains("adminStateUp: ${net.adminStateUp}"), "{text}");
}

#[test]
fn keys_of_maps_are_those_of_json() {
    let root = "parameters: {n: {type: string}}
outputs:
  known: {value: {yaql: {expression: 'dict(true => 1, null => 2, 1.5 => 3)', data: {}}}}
  computed: {value: {true: {get_param: n}, null: 2}}
";
    insta::assert_snapshot!(model(root).split_once("outputs:").expect("outputs").1, @"
    known:
      'true': 1
      'null': 2
      '1.5': 3
    computed:
      'true': ${n}
      'null': 2
    ");
}
