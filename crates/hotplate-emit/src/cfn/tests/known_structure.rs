//! Expressions that a template can only have if values are known while rendering.

use super::*;

#[test]
fn parameters_that_decide_on_the_structure_are_wanted() {
    let server = |metadata: &str| {
        format!("{{flavor: m1.tiny, image: cirros, user_data_format: RAW, metadata: {metadata}}}")
    };
    let template = format!(
        "\
parameters:
  size: {{type: number, default: 2}}
  labels: {{type: json, default: {{a: b}}}}
  more: {{type: json}}
conditions:
  many: {{not: {{equals: [{{get_param: size}}, 0]}}}}
resources:
  group:
    type: OS::Heat::ResourceGroup
    properties:
      count: {{if: [many, {{get_param: size}}, 1]}}
      resource_def: {{type: OS::Nova::Server, properties: {}}}
  other: {{type: OS::Nova::Server, properties: {}}}
  value: {{type: OS::Heat::Value, properties: {{value: {{get_param: more}}}}}}
  computed: {{type: OS::Nova::Server, properties: {}}}
",
        server("{}"),
        server("{get_param: labels}"),
        server("{get_attr: [value, value]}"),
    );
    let files = [("root.yaml", template.as_str())];
    let open = emitted(&files, &[], &[]);
    assert_eq!(lost_subjects(&open), ["OS::Heat::ResourceGroup", "metadata", "metadata"]);
    assert_eq!(open.wanted_values.iter().collect::<Vec<_>>(), ["labels", "size"]);
    let known = emitted(&files, &[], &["size", "labels"]);
    assert_eq!(lost_subjects(&known), ["metadata"]);
    assert!(known.wanted_values.is_empty());
}

#[test]
fn what_is_outside_of_the_pools_of_a_subnet_is_reserved() {
    let template = |pools: &str| {
        format!(
            "\
parameters:
  pools: {{type: json}}
resources:
  net: {{type: OS::Neutron::Net}}
  sub:
    type: OS::Neutron::Subnet
    properties: {{network: {{get_resource: net}}, cidr: 10.0.0.0/24, allocation_pools: {pools}}}
"
        )
    };
    let known =
        emitted(&[("root.yaml", &template("[{start: 10.0.0.8, end: 10.0.0.254}]"))], &[], &[]);
    assert!(lost_subjects(&known).is_empty(), "{:?}", known.losses);
    holds(
        &known.files[0].text,
        &[
            "Type: AWS::EC2::SubnetCidrReservation",
            "Cidr: 10.0.0.4/30",
            "ReservationType: explicit",
        ],
    );
    let unknown = emitted(&[("root.yaml", &template("{get_param: pools}"))], &[], &[]);
    assert_eq!(lost_subjects(&unknown), ["allocation_pools"]);
    assert!(unknown.wanted_values.contains("pools"));
}

#[test]
fn a_server_without_a_name_has_one_if_something_reads_it() {
    let template = |output: &str| {
        format!(
            "\
resources:
  web: {{type: OS::Nova::Server, properties: {{flavor: m1.tiny, image: cirros, user_data_format: RAW}}}}
outputs:
  name: {{value: {output}}}
"
        )
    };
    let read = text(&template("{get_attr: [web, name]}"));
    assert_eq!(read.matches("Fn::Sub: ${AWS::StackName}-Web").count(), 2, "{read}");
    let unread = text(&template("{get_resource: web}"));
    assert!(!unread.contains("Tags"), "{unread}");
}

#[test]
fn a_flavor_is_a_parameter_for_an_instance_type() {
    let template = "\
resources:
  small: {type: OS::Nova::Flavor, properties: {ram: 2048, vcpus: 2}}
  a: {type: OS::Nova::Server, properties: {flavor: {get_resource: small}, image: cirros}}
  b: {type: OS::Nova::Server, properties: {flavor: {get_resource: small}, image: cirros}}
outputs:
  public: {value: {get_attr: [small, is_public]}}
";
    let emitted = emitted(&[("root.yaml", template)], &[], &[]);
    let text = &emitted.files[0].text;
    holds(text, &["in place of the flavor small with 2 CPUs, 2048 MB of memory"]);
    assert_eq!(text.matches("Ref: SmallInstanceType\n").count(), 2, "{text}");
    assert_eq!(lost_subjects(&emitted), ["is_public"]);
}
