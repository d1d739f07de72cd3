//! Tests of whole programs.

use super::*;
use crate::EmitOptions;
use crate::testing::with_program;

/// The files of the program, the first one without its first two lines, and the losses.
fn rendered(files: &[(&str, &str)], given: &[&str], bake: &[&str]) -> (Vec<String>, Vec<String>) {
    with_program(files, given, bake, |model, document| {
        let options = EmitOptions::default();
        let request =
            EmitRequest { schema: model.schema(), document, model: Some(model), options: &options };
        let emitted = Pulumi.emit(&request).expect("a program");
        let losses = emitted.losses.iter();
        let losses =
            losses.map(|loss| format!("{}: {}", loss.kind.label(), loss.message)).collect();
        let texts = emitted.files.into_iter().map(|file| file.text);
        (texts.map(|text| text.replace("name: root\nruntime: yaml\n", "")).collect(), losses)
    })
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
fn parameters_become_configuration_and_given_values_that_of_a_stack() {
    let root = "parameters:
  # how many
  count: {type: number, label: Count, description: of servers, default: 2, constraints: [{range: {min: 1}}]}
  rate: {type: number, default: 1.5}
  flag: {type: boolean, default: 'yes'}
  nets: {type: comma_delimited_list, default: 'a, b'}
  key: {type: string, hidden: true}
  map: {type: json, default: {k: [1]}}
  list: {type: json, default: [{a: 1}]}
  pair: {type: string, constraints: [{custom_constraint: nova.keypair}], immutable: true, tags: [t]}
  baked: {type: string, default: x}
  # of old
  unused: {type: string, constraints: [{length: {max: 3}}]}
outputs:
  all: {value: [{get_param: count}, {get_param: [nets, 1]}, {get_param: [map, k, 0]}, {get_param: baked}]}
  more: {value: [{get_param: rate}, {get_param: flag}, {get_param: key}, {get_param: [list, 0]}, {get_param: pair}]}
";
    let given = ["key=secret", "count=3", "nets=c", "map={\"$${k}\": 1}", "unused=u"];
    let (files, losses) = rendered(&[("root.yaml", root)], &given, &["baked"]);
    insta::assert_snapshot!(files[0], @"
    config:
      # how many
      # not checked by Pulumi:
      #   {range: {min: 1}}
      count:
        type: integer
        description: 'Count: of servers'
        default: 2
      rate:
        type: string
        default: '1.5'
      flag:
        type: boolean
        default: true
      nets:
        type: array
        items:
          type: string
        default:
          - a
          - b
      key:
        type: string
        secret: true
      map:
        type: object
        default:
          k:
            - 1
      # immutable
      pair:
        type: string
      # baked: fixed at 'x'
      # of old
      # unused: nothing uses this parameter
    variables:
      list:
        - a: 1
    outputs:
      all:
        - ${count}
        - ${nets[1]}
        - ${map.k[0]}
        - x
      more:
        - ${rate}
        - ${flag}
        - ${key}
        - ${list[0]}
        - ${pair}
    ");
    insta::assert_snapshot!(files[1], @"
    config:
      # root:key: pulumi config set --secret key
      root:count: 3
      root:nets:
        - c
      root:map:
        $${k}: 1
    ");
    insta::assert_snapshot!(losses.join("\n"), @"
    section: `count`: Pulumi YAML does not check `range`, which a comment keeps; the values that are known have been checked
    section: `list`: Pulumi YAML can declare maps in its configuration, but not this value: it becomes a variable of the program
    section: `pair`: the cloud checks `nova.keypair`, when the value is used
    section: `pair`: Pulumi does not refuse a changed value
    section: `pair`: Pulumi configuration has no tags, which have no effect
    section: nothing uses the parameter `unused`: it is omitted
    value: `key` is hidden, so its value is not written
    ");
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
    insta::assert_snapshot!(files[0].split_once("outputs:").expect("outputs").1, @r#"
    replaced: $a $${b} ${n}
    joined: a-${n}
    list:
      fn::join:
        - ','
        - ${l}
    piece:
      fn::select:
        - 1
        - fn::split:
            - .
            - ${n}
    digest:
      fn::invoke:
        function: std:sha256
        arguments:
          input: ${n}
        return: result
    json:
      fn::join:
        - ''
        - - 'is '
          - fn::toJSON: ${l}
    loop:
      - xa
      - xb
    merged:
      a: ${n}
      b: 2
    stack: ${pulumi.stack}
    path: ${o["a-b"].c}
    # lost: Pulumi YAML has no such function, and the value is not known while rendering
    #   {yaql: {expression: '$.data.len()', data: {get_param: l}}}
    "#);
    insta::assert_snapshot!(losses.join("\n"), @"
    function: `yaql`: Pulumi YAML has no such function, and the value is not known while rendering
    ");
}

#[test]
fn resources_have_options_and_lookups_are_variables() {
    let root = "parameters: {net: {type: string, default: public}}
resources:
  # what others need
  before: {type: OS::Neutron::Net}  # beside
  port:
    type: OS::Neutron::Port
    depends_on: before
    deletion_policy: Retain
    metadata: {a: 1}
    properties: {network: {get_param: net}, value_specs: {a: true}}
  same: {type: OS::Neutron::Port, properties: {network: {get_param: net}}}
  there: {type: OS::Neutron::Net, external_id: 0b2b1c6e-54a9-4d6d-9f52-6b1f4a7f0c11}
  queue: {type: OS::Zaqar::Queue, properties: {name: q}}
outputs:
  addresses: {value: {get_attr: [port, fixed_ips]}}
  queue: {value: {get_resource: queue}}
";
    let (files, losses) = rendered(&[("root.yaml", root)], &[], &[]);
    insta::assert_snapshot!(files[0], @"
    config:
      # must be a name, not an ID
      net:
        type: string
        default: public
    variables:
      network_net:
        fn::invoke:
          function: openstack:networking/getNetwork:getNetwork
          arguments:
            name: ${net}
    resources:
      # what others need
      before:  # beside
        type: openstack:networking/network:Network
        properties:
          name: ${pulumi.stack}-before
      port:
        type: openstack:networking/port:Port
        properties:
          name: ${pulumi.stack}-port
          networkId: ${network_net.id}
          valueSpecs:
            a: 'true'
        options:
          dependsOn:
            - ${before}
          retainOnDelete: true
      same:
        type: openstack:networking/port:Port
        properties:
          name: ${pulumi.stack}-same
          networkId: ${network_net.id}
      there:
        type: openstack:networking/network:Network
        get:
          id: 0b2b1c6e-54a9-4d6d-9f52-6b1f4a7f0c11
      # queue: the provider has no message queues
      #   queue: {type: OS::Zaqar::Queue, properties: {name: q}}
    # addresses: Pulumi YAML has no loops
    #   {get_attr: [port, fixed_ips]}
    # queue: `queue` (OS::Zaqar::Queue) is not in the program
    #   {get_resource: queue}
    outputs: {}
    ");
    insta::assert_snapshot!(losses.join("\n"), @"
    value: `net` must be a name: Heat accepts a name or an ID here, which Pulumi YAML cannot distinguish
    section: `port`: Pulumi resources have no metadata
    resource type: `queue` (OS::Zaqar::Queue): the provider has no message queues
    value: `list`: Pulumi YAML has no loops
    function: `get_resource`: `queue` (OS::Zaqar::Queue) is not in the program
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
    insta::assert_snapshot!(files[0], @"
    resources:
      nodes_0_net:
        type: openstack:networking/network:Network
        properties:
          name: n0
      nodes_1_net:
        type: openstack:networking/network:Network
        properties:
          name: n1
      # open: Pulumi YAML has no loops, and the number of members is not known while rendering
      #   open:
      #     type: OS::Heat::ResourceGroup
      #     properties: {count: {get_param: n}, resource_def: {type: OS::Neutron::Net}}
    outputs:
      ids:
        - ${nodes_0_net.id}
        - ${nodes_1_net.id}
    ");
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
    insta::assert_snapshot!(files[0].split_once("resources:").expect("resources").1, @"
    net:
      type: openstack:networking/network:Network
      properties:
        name: ${pulumi.stack}-net
    subnet:
      type: openstack:networking/subnet:Subnet
      properties:
        cidr: 10.0.0.0/24
        name: ${pulumi.stack}-subnet
        networkId: ${net.id}
    # queue: the provider has no message queues
    #   queue: {type: OS::Zaqar::Queue, depends_on: subnet}
    port:
      type: openstack:networking/port:Port
      properties:
        name: ${pulumi.stack}-port
        networkId: ${net.id}
      options:
        dependsOn:
          - ${subnet}
    pair_one:
      type: openstack:networking/port:Port
      properties:
        name: ${pulumi.stack}-pair_one
        networkId: ${net.id}
      options:
        dependsOn:
          - ${subnet}
    pair_two:
      type: openstack:blockstorage/volume:Volume
      properties:
        name: ${pulumi.stack}-pair_two
        size: 1
      options:
        dependsOn:
          - ${pair_one}
    last:
      type: openstack:blockstorage/volume:Volume
      properties:
        name: ${pulumi.stack}-last
        size: 1
      options:
        dependsOn:
          - ${pair_two}
    ");
}

#[test]
fn addresses_of_a_server_are_by_the_names_and_the_ids_of_its_networks() {
    let root = "resources:
  net: {type: OS::Neutron::Net}
  server:
    type: OS::Nova::Server
    properties: {image: i, flavor: f, networks: [{network: {get_resource: net}}]}
outputs:
  all: {value: {get_attr: [server, addresses]}}
  first: {value: {get_attr: [server, networks, public, 0]}}
";
    let (files, losses) = rendered(&[("root.yaml", root)], &[], &[]);
    insta::assert_snapshot!(files[0], @"
    variables:
      server_networks:
        ${server.networks[0].name}:
          - fn::invoke:
              function: std:coalesce
              arguments:
                input:
                  - ${server.networks[0].fixedIpV4}
                  - ${server.networks[0].fixedIpV6}
              return: result
    resources:
      net:
        type: openstack:networking/network:Network
        properties:
          name: ${pulumi.stack}-net
      server:
        type: openstack:compute/instance:Instance
        properties:
          flavorName: f
          imageName: i
          name: ${pulumi.stack}-server
          networks:
            - uuid: ${net.id}
    outputs:
      all:
        ${server.networks[0].name}:
          - addr:
              fn::invoke:
                function: std:coalesce
                arguments:
                  input:
                    - ${server.networks[0].fixedIpV4}
                    - ${server.networks[0].fixedIpV6}
                return: result
            OS-EXT-IPS-MAC:mac_addr: ${server.networks[0].mac}
            OS-EXT-IPS:type: fixed
            port: ${server.networks[0].port}
        ${server.networks[0].uuid}:
          - addr:
              fn::invoke:
                function: std:coalesce
                arguments:
                  input:
                    - ${server.networks[0].fixedIpV4}
                    - ${server.networks[0].fixedIpV6}
                return: result
            OS-EXT-IPS-MAC:mac_addr: ${server.networks[0].mac}
            OS-EXT-IPS:type: fixed
            port: ${server.networks[0].port}
      first: ${server_networks.public[0]}
    ");
    assert_eq!(losses, [""; 0]);
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
    insta::assert_snapshot!(files[0], @r#"
    config:
      who:
        type: string
    variables:
      text: hi ${who}
      cloud:
        fn::join:
          - "\n"
          - - '#cloud-config'
            - fn::toJSON:
                users:
                  - name: ${who}
      value:
        fn::readFile: ${pulumi.cwd}/files/boot.sh
    resources:
      password:
        type: random:RandomPassword
        properties:
          length: 12
          special: false
    outputs:
      text: ${text}
      cloud: ${cloud}
      boot: ${value}
      password: ${password.result}
    "#);
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
