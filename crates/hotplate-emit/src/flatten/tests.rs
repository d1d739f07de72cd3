//! Deployments, and the flat stacks that they become, written as templates.

use super::*;
use crate::ResourceImplementation;
use crate::testing::with_program;
use heat_template::hot::{Version, raise};
use lossless_yaml::yaml::writer::block;

/// The flat stack as YAML, without its first line.
fn flat(files: &[(&str, &str)], bake: &[&str]) -> String {
    with_flat(files, &[], bake, shown)
}

fn with_flat<T>(
    files: &[(&str, &str)],
    parameters: &[&str],
    bake: &[&str],
    visit: impl FnOnce(&FlatStack) -> T,
) -> T {
    with_program(files, parameters, bake, |model, _| visit(&flatten(model)))
}

fn shown(flat: &FlatStack) -> String {
    let raised = raise(&flat.module.stack, Version::V2021_04_16);
    let text = block(&raised.value, 0).expect("YAML");
    text.split_once('\n').map(|(_, rest)| rest.to_owned()).unwrap_or_default()
}

const SERVER: &str = "parameters:
  name: {type: string}
  nets: {type: comma_delimited_list, default: a}
  size: {type: number, default: '3'}
resources:
  port: {type: OS::Neutron::Port, properties: {network: {get_param: [nets, 0]}}}
  vm:
    type: OS::Nova::Server
    properties: {name: {get_param: name}, networks: [{port: {get_resource: port}}]}
outputs:
  ip: {value: {get_attr: [vm, first_address]}}
  text: {value: {str_replace: {template: 'n is X', params: {X: {get_param: name}}}}}
";

#[test]
fn a_nested_template_is_unrolled_under_the_name_of_its_resource() {
    let root = "parameters: {n: {type: string}}
resources:
  web: {type: server.yaml, properties: {name: {get_param: n}, nets: 'x,y'}}
  other: {type: OS::Nova::Server, properties: {name: {get_attr: [web, text]}}, depends_on: web}
outputs:
  ip: {value: {get_attr: [web, ip]}}
";
    insta::assert_snapshot!(flat(&[("root.yaml", root), ("server.yaml", SERVER)], &[]));
}

#[test]
fn members_of_groups_are_numbered_and_their_attributes_are_lists() {
    let root = "resources:
  nodes:
    type: OS::Heat::ResourceGroup
    properties:
      count: 2
      resource_def: {type: server.yaml, properties: {name: 'n-%index%'}}
  ports:
    type: OS::Heat::ResourceGroup
    properties:
      count: 3
      removal_policies: [{resource_list: ['1']}]
      resource_def:
        type: OS::Neutron::Port
        properties: {name: {list_join: ['-', [p, '%index%']]}, network: null}
outputs:
  ips: {value: {get_attr: [nodes, ip]}}
  one: {value: {get_attr: [nodes, resource.1.ip]}}
  map: {value: {get_attr: [ports, attributes, name]}}
  refs: {value: {get_attr: [ports, refs]}}
  ids: {value: {get_attr: [ports, refs_map]}}
";
    insta::assert_snapshot!(flat(&[("root.yaml", root), ("server.yaml", SERVER)], &[]));
}

#[test]
fn a_group_of_unknown_size_stays_a_group_until_its_count_is_baked() {
    let root = "parameters: {n: {type: number, default: 2}}
resources:
  g:
    type: OS::Heat::ResourceGroup
    properties: {count: {get_param: n}, resource_def: {type: OS::Heat::None}}
";
    with_flat(&[("root.yaml", root)], &[], &[], |flat| {
        assert!(
            matches!(flat.module.implementations["g"], ResourceImplementation::Group { .. }),
            "{:?}",
            flat.module.implementations
        );
    });
    with_flat(&[("root.yaml", root)], &[], &["n"], |flat| {
        assert_eq!(flat.module.implementations.keys().collect::<Vec<_>>(), ["g_0", "g_1"]);
        assert_eq!(flat.origins["g_1"].path, ["g", "1"]);
    });
}

#[test]
fn conditions_are_decided_or_inherited() {
    let root = "parameters: {env: {type: string, default: dev}, mode: {type: string, default: a}}
conditions: {prod: {equals: [{get_param: env}, prod]}, open: {equals: [{get_param: mode}, a]}}
resources:
  more: {type: OS::Neutron::Net, condition: prod}
  in: {type: inner.yaml, condition: open, properties: {mode: {get_param: mode}}}
  port: {type: OS::Neutron::Port, properties: {network: {if: [prod, {get_resource: more}, x]}}}
";
    let inner = "parameters: {mode: {type: string}, id: {type: string, default: d}}
conditions: {b: {equals: [{get_param: mode}, b]}}
resources:
  r: {type: OS::Neutron::Net, condition: b, properties: {name: {get_param: id}}}
  s: {type: OS::Neutron::Net}
";
    insta::assert_snapshot!(flat(&[("root.yaml", root), ("inner.yaml", inner)], &["env"]));
}

#[test]
fn what_only_the_environment_gives_becomes_a_parameter() {
    let root = "parameters: {a: {type: string, default: x}}
resources: {in: {type: inner.yaml}}
";
    let inner = "parameters: {a: {type: string}, b: {type: number, hidden: true}}
resources: {r: {type: OS::Nova::KeyPair, properties: {name: {get_param: a}, user: {get_param: b}}}}
";
    let env = "parameters: {a: own}\nparameter_defaults: {a: all, b: '5'}\n";
    let files = [("root.yaml", root), ("inner.yaml", inner), ("env.yaml", env)];
    insta::assert_snapshot!(flat(&files, &[]));
    with_flat(&files, &[], &[], |flat| {
        let given = |name: &str| {
            (flat.parameter_values[name].value.clone(), flat.parameter_values[name].is_secret)
        };
        use heat_engine::eval::Value;
        assert_eq!(given("a"), (Value::text("own"), false));
        assert_eq!(given("a_2"), (Value::text("all"), false));
        // Secrets are not shown without `--show-secrets`.
        assert!(given("b").0.holds_unknown() && given("b").1);
    });
}

#[test]
fn what_is_long_is_written_once() {
    let words: Vec<String> = (0..12).map(|at| format!("w{at}")).collect();
    let root = format!(
        "parameters: {{p: {{type: string}}}}
resources:
  in: {{type: inner.yaml, properties: {{t: {{list_join: [' ', [{}, {{get_param: p}}]]}}}}}}
",
        words.join(", ")
    );
    let inner = "parameters: {t: {type: string}}
resources:
  r: {type: OS::Nova::KeyPair, properties: {name: {get_param: t}, public_key: {get_param: t}}}
";
    insta::assert_snapshot!(flat(&[("root.yaml", &root), ("inner.yaml", inner)], &[]));
}

#[test]
fn a_chain_keeps_its_order_and_a_scaling_group_its_first_size() {
    let root = "resources:
  chain:
    type: OS::Heat::ResourceChain
    properties: {resources: [OS::Neutron::Net, My::Net], resource_properties: {name: x}}
  asg:
    type: OS::Heat::AutoScalingGroup
    properties: {min_size: 1, max_size: 3, desired_capacity: 2, resource: {type: OS::Neutron::Net}}
outputs:
  names: {value: {get_attr: [asg, outputs_list, name]}}
";
    let env = "resource_registry: {'My::Net': 'OS::Neutron::Net'}\n";
    let files = [("root.yaml", root), ("env.yaml", env)];
    insta::assert_snapshot!(flat(&files, &[]));
    with_flat(&files, &[], &[], |flat| {
        let lost: Vec<_> = flat.losses.as_slice().iter().map(|loss| &*loss.subject).collect();
        assert_eq!(lost, ["min_size", "max_size"]);
    });
}

#[test]
fn the_mark_is_written_where_only_a_value_holds_it() {
    let root =
        "parameters: {n: {type: string, default: 's-%index%'}, m: {type: string, default: x}}
resources:
  g:
    type: OS::Heat::ResourceGroup
    properties:
      count: 1
      resource_def:
        type: OS::Nova::KeyPair
        properties:
          name: {get_param: n}
          user: {get_param: m}
          public_key: {str_replace: {template: '%index% k', params: {'%index%': {get_param: m}}}}
";
    insta::assert_snapshot!(flat(&[("root.yaml", root)], &[]));
}

#[test]
fn what_has_no_meaning_any_more_is_a_call_that_says_so() {
    let root = "resources:
  in: {type: inner.yaml, metadata: {a: 1}}
  r: {type: OS::Nova::KeyPair, properties: {name: {get_resource: in}}}
";
    let inner = "resources: {r: {type: OS::Heat::None}}\n";
    with_flat(&[("root.yaml", root), ("inner.yaml", inner)], &[], &[], |flat| {
        let lost: Vec<_> = flat.losses.as_slice().iter().map(|loss| &*loss.subject).collect();
        assert_eq!(lost, ["metadata"]);
        let properties = flat.module.stack.resources["r"].properties.as_ref().expect("properties");
        let mut problems = Vec::new();
        properties.walk(&mut |part| {
            if let heat_template::ir::ExprKind::Invalid(call) = &part.kind {
                problems.push(call.problem.to_string());
            }
        });
        assert_eq!(problems, ["`in`: a nested stack has no ID in a flat stack"]);
    });
}
