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
fn values_of_the_environment_are_in_a_file_of_their_own() {
    let root = "parameters: {n: {type: number}}\noutputs: {it: {value: {get_param: n}}}\n";
    let emitted = with_program(&[("root.yaml", root)], &["n=5"], &[], |model, _| {
        super::playbook(model).expect("a playbook")
    });
    assert!(file(&emitted, "values.yml").contains("n: 5"));
    assert!(file(&emitted, "site.yml").contains("it: '{{ n }}'"));
    let fixed = with_program(&[("root.yaml", root)], &["n=5"], &["n"], |model, _| {
        super::playbook(model).expect("a playbook")
    });
    assert!(file(&fixed, "site.yml").contains("it: 5"));
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
