//! What other files require of a template is no mistake in it, and no fix removes it.

use crate::cli::check::{HOT, findings};
use crate::cli::sandbox::Sandbox;

/// The unused parameters that `check .` reports, `FILE:NAME`.
fn unused(files: &[(&str, String)]) -> Vec<String> {
    let sandbox = Sandbox::new(files);
    let output = sandbox.hotplate("check . --format concise").output().expect("hotplate");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let finding = |line: &str| {
        let (place, message) = line.split_once(": warning[HP1201]: the parameter `")?;
        Some(format!("{}:{}", place.split(':').next()?, message.split('`').next()?))
    };
    text.lines().filter_map(finding).collect()
}

/// A template that declares parameters and uses the first.
fn declares(names: &[&str]) -> String {
    let declared = |name: &&str| format!("  {name}: {{type: string, default: x}}\n");
    let parameters: String = names.iter().map(declared).collect();
    let used = names[0];
    format!("{HOT}parameters:\n{parameters}outputs:\n  o: {{value: {{get_param: {used}}}}}\n")
}

/// A template with a resource of a type with these properties.
fn uses(kind: &str, names: &[&str]) -> String {
    let properties: Vec<String> = names.iter().map(|name| format!("{name}: v")).collect();
    format!("{HOT}resources:\n  r: {{type: {kind}, properties: {{{}}}}}\n", properties.join(", "))
}

#[test]
fn an_interface_requires_parameters() {
    let registry = |target: &str| format!("resource_registry: {{Acme::Net: {target}}}\n");
    let group = format!(
        "{HOT}resources:\n  r:\n    type: OS::Heat::ResourceChain\n    properties:\n      resources: {{get_param: kinds}}\n      \
         resource_properties: {{a: v, b: v, c: v}}\nparameters:\n  kinds: {{type: comma_delimited_list, default: ''}}\n"
    );
    let abcd = || ("net.yaml", declares(&["a", "b", "c", "d"]));
    type Case<'c> = (&'c str, Vec<(&'c str, String)>, &'c [&'c str]);
    let cases: &[Case<'_>] = &[
        ("nobody", vec![abcd()], &["net.yaml:b", "net.yaml:c", "net.yaml:d"]),
        (
            "declares what users of a type pass that nothing maps",
            vec![abcd(), ("main.yaml", uses("Acme::Net", &["a", "b", "c"]))],
            &["net.yaml:d"],
        ),
        ("a type that is computed", vec![abcd(), ("main.yaml", group)], &["net.yaml:d"]),
        (
            "two names are too few to know it",
            vec![abcd(), ("main.yaml", uses("Acme::Net", &["a", "b"]))],
            &["net.yaml:b", "net.yaml:c", "net.yaml:d"],
        ),
        (
            "one of them is not declared",
            vec![abcd(), ("main.yaml", uses("Acme::Net", &["a", "b", "c", "e"]))],
            &["net.yaml:b", "net.yaml:c", "net.yaml:d"],
        ),
        (
            "another environment maps the type to it",
            vec![
                abcd(),
                ("other.yaml", declares(&["a", "b"])),
                ("main.yaml", uses("Acme::Net", &["a", "b"])),
                ("main.env.yaml", registry("other.yaml")),
                ("alternative.yaml", registry("net.yaml")),
            ],
            &[],
        ),
        (
            "a file that is named directly has no interface but its own",
            vec![abcd(), ("main.yaml", uses("net.yaml", &["a", "b"]))],
            &["net.yaml:b", "net.yaml:c", "net.yaml:d"],
        ),
    ];
    for (case, files, expected) in cases {
        assert_eq!(unused(files), *expected, "{case}");
    }
}

#[test]
fn a_shared_environment_requires_parameters() {
    let deployed = |templates: &str| {
        format!("[[deployment]]\ntemplate = [{templates}]\nenvironments = ['env.yaml']\n")
    };
    let files = |config: String, section: &str| {
        vec![
            ("a.yaml", declares(&["x", "net"])),
            ("b.yaml", declares(&["net"])),
            ("env.yaml", format!("{section}: {{net: n}}\n")),
            ("hotplate.toml", config),
        ]
    };
    assert!(unused(&files(deployed("'?.yaml'"), "parameters")).is_empty());
    for (config, section) in
        [(deployed("'a.yaml'"), "parameters"), (deployed("'?.yaml'"), "parameter_defaults")]
    {
        assert_eq!(unused(&files(config, section)), ["a.yaml:net"]);
    }
}

#[test]
fn no_fix_removes_what_others_give() {
    let nested = "lib/net.yaml";
    let cases: &[(&str, &str, String)] = &[
        ("a parent in another folder", "stacks/main.yaml", uses("../lib/net.yaml", &["b"])),
        ("an environment", "env/prod.yaml", "parameters: {b: v}\n".into()),
        ("defaults of an environment", "env/prod.env", "parameter_defaults: {b: v}\n".into()),
        (
            "a registry",
            "env/types.yaml",
            "resource_registry: {Acme::Net: ../lib/net.yaml}\n".into(),
        ),
        (
            "a declared deployment",
            "hotplate.toml",
            "[[deployment]]\ntemplate = 'lib/net.yaml'\nparameters = {b = 'v'}\n".into(),
        ),
    ];
    for (case, name, text) in cases {
        let sandbox = Sandbox::new(&[(nested, declares(&["a", "b"])), (name, text.clone())]);
        sandbox.write(".git/HEAD", "ref: refs/heads/main\n");
        let _ = sandbox.hotplate(&format!("check --unsafe-fixes {nested}")).output();
        assert!(sandbox.text(nested).contains("\n  b:"), "{case}");
    }
    // An environment of others: it gives another parameter, or it stands beside another template.
    for (name, text) in
        [("env/prod.yaml", "parameters: {c: v}\n"), ("other/prod.yaml", "parameters: {b: v}\n")]
    {
        let files = [(nested, declares(&["a", "b"])), (name, text.into())];
        let sandbox = Sandbox::new(&files);
        sandbox.write(".git/HEAD", "ref: refs/heads/main\n");
        let _ = sandbox.hotplate(&format!("check --unsafe-fixes {nested}")).output();
        assert!(!sandbox.text(nested).contains("\n  b:"), "{name}");
    }
}

#[test]
fn what_an_implementation_returns_stays_within_heat() {
    let secret = format!(
        "{HOT}parameters:\n  a: {{type: string, hidden: true}}\n  b: {{type: string}}\n  c: {{type: string}}\noutputs:\n  \
         role_data: {{value: {{config: {{password: {{get_param: a}}, b: {{get_param: b}}, c: {{get_param: c}}}}}}}}\n"
    );
    let codes = |main: String| {
        let sandbox = Sandbox::new(&[("service.yaml", secret.clone()), ("main.yaml", main)]);
        let codes = findings(&sandbox, ". --select HP1303").into_iter().map(|(code, ..)| code);
        codes.filter(|code| code == "HP1303").count()
    };
    assert_eq!(codes(uses("Acme::Service", &["a", "b", "c"])), 0);
    assert_eq!(codes(uses("Acme::Service", &["a", "b"])), 1);
}

#[test]
fn addresses_on_networks_of_the_template_are_its_own() {
    for (resource, is_own) in [
        (
            "{type: OS::Neutron::Subnet, properties: {network: {get_resource: net}, dns_nameservers: [8.8.8.8]}}",
            false,
        ),
        (
            "{type: OS::Neutron::Subnet, properties: {network: public, dns_nameservers: [8.8.8.8]}}",
            false,
        ),
        (
            "{type: OS::Neutron::Port, properties: {network: {get_resource: net}, fixed_ips: [{ip_address: 8.8.8.8}]}}",
            true,
        ),
        (
            "{type: OS::Neutron::Port, properties: {network: n, fixed_ips: [{subnet: {get_resource: sub}, ip_address: 8.8.8.8}]}}",
            true,
        ),
        (
            "{type: OS::Nova::Server, properties: {flavor: f, networks: [{network: {get_resource: net}, fixed_ip: 8.8.8.8}]}}",
            true,
        ),
        (
            "{type: OS::Nova::Server, properties: {flavor: f, networks: [{network: n, fixed_ip: 8.8.8.8}]}}",
            false,
        ),
        (
            "{type: OS::Neutron::Port, properties: {network: n, fixed_ips: [{ip_address: 129.0.0.2}]}}",
            true,
        ),
    ] {
        let text = format!(
            "{HOT}resources:\n  net: {{type: OS::Neutron::Net}}\n  sub: {{type: OS::Neutron::Subnet, properties: {{network: {{get_resource: net}}, cidr: 129.0.0.0/24}}}}\n  r: {resource}\n"
        );
        let sandbox = Sandbox::new(&[("t.yaml", text)]);
        let found = findings(&sandbox, "t.yaml --select HP1403");
        assert_eq!(found.iter().any(|(code, ..)| code == "HP1403"), !is_own, "{resource}");
    }
}

#[test]
fn an_integer_key_is_a_matter_of_taste() {
    for (key, arguments, is_reported) in [
        ("80", "", false),
        ("80", "--select pedantic", true),
        ("0x50", "", true),
        ("1.5", "", true),
        ("on", "", true),
        ("~", "", true),
    ] {
        let text = format!(
            "{HOT}resources:\n  r: {{type: OS::Heat::Value, properties: {{value: {{{key}: a}}}}}}\noutputs: {{o: {{value: {{get_attr: [r, value]}}}}}}\n"
        );
        let sandbox = Sandbox::new(&[("t.yaml", text)]);
        let found = findings(&sandbox, format!("t.yaml {arguments}").trim_end());
        assert_eq!(found.iter().any(|(code, ..)| code == "HP0112"), is_reported, "{key}");
    }
}

#[test]
fn a_dummy_placeholder_is_not_meant_to_occur() {
    for (key, call, is_reported) in [
        ("$dummy", "str_replace", false),
        ("__unused_2__", "str_replace", false),
        ("DUMMY1", "str_replace", false),
        ("$dummyload", "str_replace", true),
        ("$name", "str_replace", true),
        ("$dummy", "str_replace_strict", true),
    ] {
        let text = format!(
            "{HOT}outputs:\n  o: {{value: {{{call}: {{template: a, params: {{{key}: b}}}}}}}}\n"
        );
        let sandbox = Sandbox::new(&[("t.yaml", text)]);
        let found = findings(&sandbox, "t.yaml");
        let is_found = found.iter().any(|(code, ..)| code == "HP1208" || code == "HP0701");
        assert_eq!(is_found, is_reported, "{key} {call}: {found:?}");
    }
}
