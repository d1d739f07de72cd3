//! Translations of whole templates.

use super::Ansible;
use crate::testing::{rendered, with_program};
use crate::{EmitOutput, LossKind};

fn file<'e>(emitted: &'e EmitOutput, name: &str) -> &'e str {
    let found =
        emitted.files.iter().find(|it| it.path.as_deref().is_some_and(|it| it.ends_with(name)));
    found.map_or("", |file| file.text.as_str())
}

/// The play of a template, and its losses but for the notes on parameters that nothing uses.
fn site(template: &str) -> (String, Vec<(LossKind, String)>) {
    let emitted = rendered(&Ansible, template);
    let losses =
        emitted.losses.iter().filter(|it| !it.message.starts_with("nothing uses the parameter"));
    let losses = losses.map(|loss| (loss.kind, loss.subject.clone())).collect();
    (file(&emitted, "site.yml").to_owned(), losses)
}

/// The text of one output of a template.
fn output(parameters: &str, value: &str) -> String {
    let text = format!("parameters: {parameters}\noutputs: {{it: {{value: {value}}}}}\n");
    let (site, losses) = site(&text);
    assert_eq!(losses, [], "{value}");
    let line = site.lines().find_map(|line| line.trim().strip_prefix("it: "));
    line.unwrap_or_default().trim_matches(['"', '\'']).to_owned()
}

const PARAMETERS: &str =
    "{s: {type: string}, n: {type: number}, l: {type: comma_delimited_list}, j: {type: json}}";

#[test]
fn paths_that_lead_nowhere_are_the_empty_text() {
    assert_eq!(output(PARAMETERS, "{get_param: [l, '1']}"), "{{ l[1] | default('') }}");
    assert_eq!(output(PARAMETERS, "{get_param: [j, a, 0]}"), "{{ j['a'][0] | default('') }}");
    assert!(output(PARAMETERS, "{get_param: [j, items]}").contains("if 'items' in j"));
}

#[test]
fn placeholders_are_cut_out_the_longest_first_and_values_are_not_searched() {
    let text =
        "{str_replace: {template: '$ab $a', params: {$a: {get_param: s}, $ab: {get_param: n}}}}";
    assert_eq!(output(PARAMETERS, text), "{{ n }} {{ s }}");
    let data = "{str_replace: {template: 'v=%j', params: {'%j': {get_param: j}}}}";
    assert!(output(PARAMETERS, data).contains("to_json(sort_keys=true)"));
}

#[test]
fn texts_that_look_like_templates_stay_texts() {
    assert_eq!(output("{}", "'{{ x }}'"), "{{ '{{ x }}' }}");
    let text = "{list_join: ['', ['{', {get_param: s}]]}";
    assert_eq!(output(PARAMETERS, text), "{{ '{' }}{{ s }}");
}

#[test]
fn lists_keep_their_order_and_their_letters() {
    let text = "{list_concat_unique: [{get_param: l}, [a, A]]}";
    assert_eq!(output(PARAMETERS, text), "{{ (l + ['a', 'A']) | unique(case_sensitive=true) }}");
    let text = "{filter: [[a], {get_param: l}]}";
    assert_eq!(output(PARAMETERS, text), "{{ l | reject('in', ['a']) | list }}");
}

#[test]
fn a_choice_keeps_the_types_of_both_sides() {
    let (site, losses) = site(
        "parameters: {b: {type: boolean}}\nconditions: {c: {get_param: b}}\noutputs: {it: {value: {if: [c, 3, none]}}}\n",
    );
    assert_eq!(losses, []);
    assert!(site.contains("c: '{{ b }}'"), "{site}");
    assert!(
        site.contains("it: '{{ 3 if c else ''none'' }}'")
            || site.contains("it: \"{{ 3 if c else 'none' }}\""),
        "{site}"
    );
}

#[test]
fn tasks_stand_in_the_order_of_what_they_need_and_refer_to_what_others_return() {
    let (site, losses) = site(
        "resources:\n  port: {type: OS::Neutron::Port, properties: {network: {get_resource: net}}}\n  net: {type: OS::Neutron::Net}\n",
    );
    assert_eq!(losses, []);
    let (net, port) = (site.find("openstack.cloud.network:"), site.find("openstack.cloud.port:"));
    assert!(net.is_some() && net < port, "{site}");
    assert!(site.contains("network: '{{ net.network.id }}'"), "{site}");
    assert!(site.contains("register: port_\n"), "{site}");
    assert!(site.contains("name: '{{ stack_name }}-net'"), "{site}");
    assert!(site.contains("- stack_name is defined"), "{site}");
}

#[test]
fn tasks_wait_for_what_the_plugins_of_heat_wait_for() {
    let (site, losses) = site(
        "resources:\n  port: {type: OS::Neutron::Port, properties: {network: {get_resource: net}}}\n  sub: {type: OS::Neutron::Subnet, properties: {network: {get_resource: net}, cidr: 10.0.0.0/24}}\n  net: {type: OS::Neutron::Net}\n",
    );
    assert_eq!(losses, []);
    assert!(site.find("cloud.subnet:") < site.find("cloud.port:"), "{site}");
}

#[test]
fn what_was_created_is_deleted_by_name_in_reverse_order() {
    let emitted = rendered(
        &Ansible,
        "resources:\n  net: {type: OS::Neutron::Net, deletion_policy: Retain}\n  pool: {type: OS::Octavia::Pool, properties: {protocol: HTTP, lb_algorithm: ROUND_ROBIN, loadbalancer: lb}}\n  member: {type: OS::Octavia::PoolMember, properties: {pool: {get_resource: pool}, address: 10.0.0.1, protocol_port: 80}}\n  disk: {type: OS::Cinder::Volume, properties: {size: 1, name: {get_attr: [net, name]}}}\n",
    );
    let teardown = file(&emitted, "teardown.yml");
    assert!(teardown.find("cloud.lb_member:") < teardown.find("cloud.lb_pool:"), "{teardown}");
    assert!(teardown.contains("pool: '{{ stack_name }}-pool'"), "{teardown}");
    assert!(teardown.contains("# net is kept: its deletion policy is Retain."), "{teardown}");
    assert!(teardown.contains("# Delete disk by hand"), "{teardown}");
    assert!(!teardown.contains("cloud.network:"), "{teardown}");
}

#[test]
fn a_stack_has_an_id_of_its_name() {
    let (site, losses) = site(
        "parameters: {p: {type: string}}\nresources: {v: {type: OS::Cinder::Volume, properties: {size: 1, metadata: {id: {get_param: 'OS::stack_id'}}}}}\n",
    );
    assert_eq!(losses.len(), 1, "{losses:?}");
    assert!(site.contains("id: '{{ stack_name | to_uuid }}'"), "{site}");
}

#[test]
fn an_interface_is_a_part_of_its_router() {
    let (site, losses) = site(
        "resources:\n  i: {type: OS::Neutron::RouterInterface, properties: {router: {get_resource: r}, subnet: {get_resource: s}}}\n  r: {type: OS::Neutron::Router}\n  s: {type: OS::Neutron::Subnet, properties: {network: n, cidr: 10.0.0.0/24}}\n",
    );
    assert_eq!(losses, []);
    assert!(site.find("cloud.subnet:") < site.find("cloud.router:"), "{site}");
    assert!(site.contains("- '{{ s.subnet.id }}'"), "{site}");
}

#[test]
fn what_has_no_counterpart_is_a_loss_and_a_comment() {
    let (site, losses) = site(
        "resources:\n  w: {type: OS::Heat::WaitConditionHandle}\n  v: {type: OS::Cinder::Volume, properties: {size: 1, read_only: true, name: {get_resource: w}}}\n",
    );
    let kinds: Vec<LossKind> = losses.iter().map(|(kind, _)| *kind).collect();
    assert!(
        kinds.contains(&LossKind::ResourceType) && kinds.contains(&LossKind::Property),
        "{losses:?}"
    );
    assert!(site.contains("# lost: `read_only` of OS::Cinder::Volume"), "{site}");
    // A required name is the one that Heat would generate.
    assert!(site.contains("name: '{{ stack_name }}-v'"), "{site}");
}

#[test]
fn groups_are_loops_and_numbers_are_put_in() {
    let (site, losses) = site(
        "resources:\n  g:\n    type: OS::Heat::ResourceGroup\n    properties: {count: 2, resource_def: {type: OS::Cinder::Volume, properties: {size: 1, name: v%index%}}}\noutputs: {it: {value: {get_attr: [g, size]}}}\n",
    );
    assert_eq!(losses, []);
    assert!(site.contains("name: v{{ g_index }}"), "{site}");
    assert!(site.contains("loop: '{{ range(2) | list }}'"), "{site}");
    assert!(site.contains("for member in g.results"), "{site}");
}

#[test]
fn parameters_are_checked_and_secrets_are_not_logged() {
    let emitted = rendered(
        &Ansible,
        "parameters:\n  p: {type: string, hidden: true, default: ab, constraints: [{length: {max: 3}}, {allowed_pattern: '[a-z]+'}]}\nresources:\n  u: {type: OS::Keystone::User, properties: {name: u, password: {get_param: p}}}\n",
    );
    let site = file(&emitted, "site.yml");
    assert!(site.contains("- p | length <= 3"), "{site}");
    assert!(site.contains("p_pattern: ^(?:[a-z]+)\\Z"), "{site}");
    assert!(site.contains("no_log: true"), "{site}");
    assert!(file(&emitted, "defaults.yml").contains("p: ab"));
}

#[test]
fn nested_templates_are_tasks_of_their_own_and_hand_out_their_outputs() {
    let root = "resources:\n  one: {type: inner.yaml, properties: {size: 3}}\noutputs: {it: {value: {get_attr: [one, id]}}}\n";
    let inner = "parameters: {size: {type: number, default: 1}}\nresources: {v: {type: OS::Cinder::Volume, properties: {size: {get_param: size}}}}\noutputs: {id: {value: {get_resource: v}}}\n";
    let files = [("root.yaml", root), ("inner.yaml", inner)];
    let emitted =
        with_program(&files, &[], &[], |model, _| super::playbook(model).expect("a playbook"));
    assert_eq!(emitted.losses, []);
    let site = file(&emitted, "site.yml");
    assert!(site.contains("file: tasks/inner.yml") && site.contains("inner_size: 3"), "{site}");
    assert!(site.contains("inner_outputs_into: one"), "{site}");
    let inner = file(&emitted, "inner.yml");
    assert!(inner.contains("'{{ inner_outputs_into }}':"), "{inner}");
    assert!(inner.contains("size: '{{ inner_size }}'"), "{inner}");
}

#[test]
fn values_of_the_environment_are_in_a_file_of_their_own() {
    let root = "parameters: {n: {type: number}}\noutputs: {it: {value: {get_param: n}}}\n";
    let emitted = with_program(&[("root.yaml", root)], &["n=5"], &[], |model, _| {
        super::playbook(model).expect("a playbook")
    });
    assert!(file(&emitted, "values.yml").contains("n: 5"));
    assert!(file(&emitted, "site.yml").contains("it: '{{ n }}'"));
    let baked = with_program(&[("root.yaml", root)], &["n=5"], &["n"], |model, _| {
        super::playbook(model).expect("a playbook")
    });
    assert!(file(&baked, "site.yml").contains("it: 5"));
}

#[test]
fn parameters_that_nothing_uses_are_omitted_through_nested_templates() {
    let root = "\
parameters:
  used: {type: string, default: a}
  # of nobody
  passed: {type: string, constraints: [{length: {max: 3}}]}
  alone: {type: string}
resources:
  nested: {type: inner.yaml, properties: {kept: {get_param: used}, dropped: {get_param: passed}}}
";
    let inner = "\
parameters: {kept: {type: string}, dropped: {type: string, default: d}}
outputs: {it: {value: {get_param: kept}}}
";
    let files = [("root.yaml", root), ("inner.yaml", inner)];
    let emitted = with_program(&files, &["passed=b", "used=c"], &[], |model, _| {
        super::playbook(model).expect("a playbook")
    });
    let notes: Vec<&str> = emitted.losses.iter().map(|loss| loss.subject.as_str()).collect();
    assert!(emitted.losses.iter().all(crate::Loss::is_note), "{:?}", emitted.losses);
    assert_eq!(notes, ["passed", "alone", "dropped"]);
    let defaults = file(&emitted, "vars/defaults.yml");
    assert!(
        defaults.contains("# of nobody\n# passed: nothing uses this parameter\n"),
        "{defaults}"
    );
    let rest: String =
        emitted.files.iter().filter(|it| it.text != defaults).map(|it| &*it.text).collect();
    for name in ["passed", "alone", "dropped"] {
        assert!(!rest.contains(name), "{name}: {rest}");
    }
    assert!(rest.contains("inner_kept: '{{ used }}'") && rest.contains("used: c"), "{rest}");
}

#[test]
fn comments_stay_with_their_item() {
    let template = "\
# of the file
heat_template_version: 2018-08-31
# of all parameters
parameters:
  size:
    # of the type
    type: number
    default: 1
resources:
  first:
    # of the first
    type: OS::Neutron::Net
    properties: {}
    # of its end
  second:
    type: OS::Cinder::Volume
    properties: {size: {get_param: size}}
# of all outputs
outputs:
  id:
    description: The network
    # of the value
    value: {get_resource: first}
";
    let emitted = rendered(&Ansible, template);
    let site = file(&emitted, "site.yml");
    assert!(site.starts_with("---\n# of the file\n- name: "), "{site}");
    assert!(
        site.contains("# of the first\n    # of its end\n    - name: Create network first\n"),
        "{site}"
    );
    assert!(site.contains("# of all outputs\n    - name: Outputs\n"), "{site}");
    assert!(site.contains("# of the value\n"), "{site}");
    let defaults = file(&emitted, "vars/defaults.yml");
    assert!(defaults.contains("# of all parameters\n# of the type\nsize: 1\n"), "{defaults}");
}

#[test]
fn random_strings_need_no_properties_and_their_groups_are_lists() {
    let (site, losses) = site("\
resources:
  alone: {type: OS::Heat::RandomString}
  many: {type: OS::Heat::ResourceGroup, properties: {count: 2, resource_def: {type: OS::Heat::RandomString}}}
outputs:
  alone: {value: {get_attr: [alone, value]}}
  second: {value: {get_attr: [many, resource.1]}}
  all: {value: {get_attr: [many, value]}}
");
    assert_eq!(losses, []);
    assert!(site.contains("alone: '{{ alone }}'"), "{site}");
    assert!(site.contains("second: '{{ many[1] }}'"), "{site}");
    assert!(site.contains("for many_index in range(2) | list"), "{site}");
}

#[test]
fn a_gateway_that_is_written_before_the_interface_is_part_of_the_router() {
    let (site, losses) = site("\
resources:
  router: {type: OS::Neutron::Router}
  gateway: {type: OS::Neutron::RouterGateway, properties: {router: {get_resource: router}, network: public}}
  interface: {type: OS::Neutron::RouterInterface, properties: {router: {get_resource: router}, subnet: {get_resource: sub}}}
  net: {type: OS::Neutron::Net}
  sub: {type: OS::Neutron::Subnet, properties: {network: {get_resource: net}, cidr: 10.0.0.0/24}}
");
    assert_eq!(losses, []);
    assert!(site.contains("network: public\n"), "{site}");
    assert!(site.contains("interfaces:\n"), "{site}");
}

#[test]
fn a_floating_ip_of_a_server_gets_its_first_port() {
    let emitted = rendered(
        &Ansible,
        "\
resources:
  server: {type: OS::Nova::Server, properties: {image: i, flavor: f, networks: [{network: n}]}}
  address: {type: OS::Nova::FloatingIP, properties: {pool: public}}
  both:
    type: OS::Nova::FloatingIPAssociation
    properties: {floating_ip: {get_resource: address}, server_id: {get_resource: server}}
outputs: {ip: {value: {get_attr: [address, ip]}}}
",
    );
    assert_eq!(emitted.losses, []);
    let site = file(&emitted, "site.yml");
    assert!(site.contains("filters:\n          device_id: '{{ server.server.id }}'\n"), "{site}");
    assert!(site.contains("port_id: '{{ both_server_id.ports[0].id }}'\n"), "{site}");
    assert!(site.contains("ip: '{{ address.resource.floating_ip_address }}'"), "{site}");
    // The association ends with its address, which is found by its description.
    let teardown = file(&emitted, "teardown.yml");
    assert_eq!(teardown.matches("type: ip\n").count(), 1, "{teardown}");
}

#[test]
fn users_and_groups_get_their_roles_in_tasks_of_their_own() {
    let (site, losses) = site(
        "\
parameters: {teams: {type: comma_delimited_list}}
resources:
  other: {type: OS::Keystone::User, properties: {groups: {get_param: teams}}}
  team: {type: OS::Keystone::Group, properties: {roles: [{role: member, project: web}]}}
  person:
    type: OS::Keystone::User
    properties:
      groups: [{get_resource: team}]
      roles:
        # of this role
        - {role: admin, domain: default}
",
    );
    assert_eq!(losses, []);
    let roles = "openstack.cloud.role_assignment:\n        group: '{{ team.group.id }}'\n        role: member\n        project: web\n";
    assert!(site.contains(roles), "{site}");
    assert!(
        site.contains("user: '{{ person.user.id }}'\n        group: '{{ team.group.id }}'\n"),
        "{site}"
    );
    let each = "group: '{{ other_group }}'\n      loop: '{{ teams }}'\n";
    assert!(site.contains(each), "{site}");
    assert!(
        site.contains("# of this role\n    - name: Make the role assignment person\n"),
        "{site}"
    );
}

#[test]
fn what_is_an_id_needs_no_lookup() {
    const ID: &str = "0b2b1c6e-54a9-4d6d-9f52-6b1f4a7f0c11";
    let port = "{fixed_ips: [{subnet: {get_param: sub}}], network: n}";
    let template = format!("\
parameters: {{sub: {{type: string}}}}
resources:
  port: {{type: OS::Neutron::Port, properties: {port}}}
  ports: {{type: OS::Heat::ResourceGroup, properties: {{count: 2, resource_def: {{type: OS::Neutron::Port, properties: {port}}}}}}}
");
    let with = |given: &[&str]| {
        with_program(&[("root.yaml", &template)], given, &[], |model, _| {
            let emitted = super::playbook(model).expect("a playbook");
            assert_eq!(emitted.losses, []);
            file(&emitted, "site.yml").to_owned()
        })
    };
    // A module finds a subnet by its name or ID.
    for given in [&[][..], &["sub=private"][..]] {
        let site = with(given);
        assert!(
            site.contains("openstack.cloud.subnets_info:\n        name: '{{ sub }}'\n"),
            "{site}"
        );
        assert!(site.contains("subnet_id: '{{ ports_subnet.subnets[0].id }}'"), "{site}");
    }
    let site = with(&[&format!("sub={ID}")]);
    assert!(!site.contains("subnets_info"), "{site}");
    assert_eq!(site.matches("subnet_id: '{{ sub }}'").count(), 2, "{site}");
}

#[test]
fn further_values_of_a_network_are_options_where_the_module_has_them() {
    let emitted = rendered(
        &Ansible,
        "\
resources:
  net:
    type: OS::Neutron::Net
    properties: {value_specs: {'provider:network_type': vlan, 'router:external': 'true', color: red}}
",
    );
    let site = file(&emitted, "site.yml");
    assert!(site.contains("provider_network_type: vlan\n        external: true\n"), "{site}");
    let losses: Vec<&str> = emitted.losses.iter().map(|it| it.message.as_str()).collect();
    assert_eq!(losses, ["the module has no option for `color` of `value_specs`"]);
}
