//! `hotplate check`: what is valid, but probably not intended, and what exposes secrets and ports.

use super::check::{HOT, findings, is};
use crate::cli::sandbox::Sandbox;

#[test]
fn conditions_that_are_always_the_same() {
    let conditions = |conditions: &str| {
        let names: Vec<&str> =
            conditions.lines().map(|line| line.split(':').next().expect("a name")).collect();
        let uses: String = names
            .iter()
            .map(|name| format!("  o{name}: {{value: {{if: [{name}, 1, 2]}}}}\n"))
            .collect();
        let defined: String = conditions.lines().map(|line| format!("  {line}\n")).collect();
        format!(
            "parameters:\n  n: {{type: number}}\n  b: {{type: boolean}}\n  l: {{type: comma_delimited_list}}\n  s: {{type: string}}\n  e: {{type: string, constraints: [{{allowed_values: [dev, prod]}}]}}\n  j: {{type: json}}\nconditions:\n{defined}outputs:\n  all: {{value: [{{get_param: n}}, {{get_param: b}}, {{get_param: l}}, {{get_param: s}}, {{get_param: e}}, {{get_param: j}}]}}\n{uses}"
        )
    };
    for (condition, is_constant) in [
        ("a: {equals: [{get_param: n}, '1']}", true),
        ("a: {equals: [{get_param: n}, 1]}", false),
        ("a: {equals: [{get_param: b}, 'true']}", true),
        ("a: {equals: [{get_param: b}, true]}", false),
        ("a: {equals: [{get_param: l}, '']}", true),
        ("a: {equals: [{get_param: l}, []]}", false),
        ("a: {equals: [{get_param: s}, 1]}", true),
        ("a: {equals: [{get_param: s}, '1']}", false),
        ("a: {equals: [{get_param: e}, production]}", true),
        ("a: {equals: [{get_param: e}, prod]}", false),
        ("a: {or: [{equals: [{get_param: e}, dev]}, {equals: [prod, {get_param: e}]}]}", true),
        ("a: {and: [{equals: [{get_param: s}, x]}, {equals: [{get_param: s}, y]}]}", true),
        ("a: {and: [{equals: [{get_param: s}, x]}, {equals: [{get_param: e}, dev]}]}", false),
        ("a: {or: [{get_param: b}, {not: {get_param: b}}]}", true),
        ("a: {equals: [{get_param: s}, {get_param: e}]}", false),
        ("a: {equals: [{get_param: j}, '']}", false),
        ("a: {equals: [{get_param: [j, x]}, 1]}", false),
        ("a: {equals: [{get_param: 'OS::stack_name'}, 1]}", false),
        ("a: true", false),
    ] {
        let expected: &[(&str, u64)] = if is_constant { &[("HP1206", 10)] } else { &[] };
        is(&conditions(condition), expected);
    }
    // What depends on it is constant for the same reason.
    let two = "a: {equals: [{get_param: n}, '1']}\nb: {not: a}\n";
    is(&conditions(two), &[("HP1206", 10)]);
    let nested = "parameters:\n  b: {type: boolean}\nconditions:\n  c: {get_param: b}\noutputs:\n  o: {value: {if: [c, {if: [c, 1, 2]}, {if: [{not: c}, 3, 4]}]}}\n  p: {condition: c, value: {if: [c, 1, 2]}}\n";
    is(nested, &[("HP1207", 7), ("HP1207", 7), ("HP1207", 8)]);
}

#[test]
fn constraints_that_exclude_each_other() {
    let parameter = |parameter: &str| {
        format!("parameters:\n  p: {{{parameter}}}\noutputs:\n  o: {{value: {{get_param: p}}}}\n")
    };
    for (constraints, expected) in [
        ("type: number, constraints: [{range: {min: 5, max: 1}}]", &["HP1210"][..]),
        ("type: number, constraints: [{range: {min: 1, max: 5}}]", &[]),
        ("type: string, constraints: [{length: {min: 5}}, {length: {max: 1}}]", &["HP1210"]),
        (
            "type: number, constraints: [{modulo: {step: 10, offset: 1}}, {range: {min: 2, max: 9}}]",
            &["HP1210"],
        ),
        ("type: string, constraints: [{allowed_values: [a]}, {allowed_values: [c]}]", &["HP1210"]),
        (
            "type: string, constraints: [{allowed_values: [a, b]}, {allowed_pattern: '[x-z]'}]",
            &["HP1210"],
        ),
        ("type: string, constraints: [{allowed_values: [a, bb]}, {length: {max: 1}}]", &["HP1211"]),
        ("type: string, constraints: [{allowed_values: [a, b]}, {length: {max: 1}}]", &[]),
        (
            "type: string, constraints: [{allowed_values: [a]}, {custom_constraint: nova.flavor}]",
            &[],
        ),
    ] {
        let expected: Vec<(&str, u64)> = expected.iter().map(|code| (*code, 3)).collect();
        is(&parameter(constraints), &expected);
    }
}

#[test]
fn placeholders_that_do_not_occur() {
    let value = |value: &str| format!("outputs:\n  o:\n    value: {{{value}}}\n");
    for (call, expected) in [
        ("str_replace: {template: a $b, params: {$b: 1}}", None),
        ("str_replace: {template: a $b, params: {$b: 1, $c: 2}}", Some("HP1208")),
        ("str_replace: {template: $ab, params: {$a: 1, $ab: 2}}", Some("HP1208")),
        ("str_replace: {template: $ab $a, params: {$a: 1, $ab: 2}}", None),
        ("str_replace: {template: {get_file: script.sh}, params: {$x: 1}}", None),
        ("str_replace: {template: {get_file: script.sh}, params: {$y: 1}}", Some("HP1208")),
        (
            "str_replace_strict: {template: $b, params: {$a: {get_param: 'OS::stack_name'}}}",
            Some("HP0701"),
        ),
        ("repeat: {template: $a$ab, for_each: {$a: [x], $ab: [y]}}", Some("HP1209")),
        ("repeat: {template: $a$ab, for_each: {$ab: [y], $a: [x]}}", None),
    ] {
        let sandbox = Sandbox::new(&[
            ("t.yaml", format!("{HOT}{}", value(call))),
            ("script.sh", "echo $x\n".to_owned()),
        ]);
        let found: Vec<String> =
            findings(&sandbox, "t.yaml").into_iter().map(|(code, _, _)| code).collect();
        assert_eq!(found, expected.map(str::to_owned).into_iter().collect::<Vec<_>>(), "{call}");
    }
}

#[test]
fn handles_without_signals_and_values_without_uses() {
    let handle = "resources:\n  h: {type: OS::Heat::WaitConditionHandle}\n";
    let wait = "  w: {type: OS::Heat::WaitCondition, properties: {handle: {get_resource: h}, timeout: 5}}\n";
    let signal =
        "  c: {type: OS::Heat::SoftwareConfig, properties: {config: {get_attr: [h, curl_cli]}}}\n";
    let output = "outputs:\n  o: {value: {get_resource: c}}\n";
    is(&format!("{handle}{wait}"), &[("HP1213", 3)]);
    is(&format!("{handle}{signal}{output}"), &[("HP1214", 3)]);
    is(&format!("{handle}{wait}{signal}{output}"), &[]);
    is(&format!("{handle}{wait}{signal}"), &[("HP1216", 5)]);
    // A group without a name that no server uses.
    let group = |more: &str| {
        format!(
            "resources:\n  g: {{type: OS::Neutron::SecurityGroup{more}}}\n  p: {{type: OS::Neutron::Port, properties: {{network: n}}}}\n"
        )
    };
    is(&group(""), &[("HP1216", 3)]);
    is(&group(", properties: {name: g}"), &[]);
    // The half of a conversion.
    let pool = "resources:\n  l: {type: OS::Neutron::LBaaS::Listener, properties: {loadbalancer: b, protocol: HTTP, protocol_port: 80}}\n  p: {type: OS::Octavia::Pool, properties: {listener: {get_resource: l}, protocol: HTTP, lb_algorithm: ROUND_ROBIN}}\n";
    is(pool, &[("HP1101", 3), ("HP1101", 4)]);
    // Who gets the output can signal it, and can wait for it.
    is(&format!("{handle}outputs:\n  o: {{value: {{get_attr: [h, endpoint]}}}}\n"), &[]);
    is(&format!("{handle}{wait}outputs:\n  o: {{value: {{get_attr: [h, endpoint]}}}}\n"), &[]);
}

/// What a request to validate the template does not find is a warning where Heat creates the stack without the output.
#[test]
fn references_that_fail_late_have_the_severity_of_heat() {
    let template = "resources:
  a: {type: OS::Neutron::Net, metadata: {x: {get_param: nope}}}
outputs:
  b: {value: {get_param: nope}}
  c: {value: {get_resource: nope}}
  d: {value: {get_attr: [nope, x]}}
  e: {value: {get_attr: [a, nope]}}
";
    let sandbox = Sandbox::new(&[("t.yaml", format!("{HOT}{template}"))]);
    let report = sandbox.json("check t.yaml --format json", 1);
    let finding = |finding: &serde_json::Value| {
        let severity = finding["severity"].as_str().expect("a severity").to_owned();
        (severity, finding["place"]["start"]["line"].as_u64().expect("a line"))
    };
    let found: Vec<(String, u64)> =
        report["findings"].as_array().expect("findings").iter().map(finding).collect();
    let expected = [("error", 3), ("warning", 5), ("warning", 6), ("error", 7), ("error", 8)];
    assert_eq!(found, expected.map(|(severity, line)| (severity.to_owned(), line)));
}

#[test]
fn rules_that_open_ports_together() {
    let group = |rules: &str| {
        format!(
            "resources:\n  g:\n    type: OS::Neutron::SecurityGroup\n    properties:\n      rules:\n{rules}"
        )
    };
    let ssh = "protocol: tcp, port_range_min: 22, port_range_max: 22";
    let half = |network: &str| format!("      - {{{ssh}, remote_ip_prefix: {network}}}\n");
    is(&group(&half("0.0.0.0/1")), &[]);
    is(&group(&(half("0.0.0.0/1") + &half("128.0.0.0/1"))), &[("HP1301", 7)]);
    is(&group(&format!("      - {{{ssh}, ethertype: IPv6}}\n")), &[("HP1301", 7)]);
    is(
        &group(&format!("      - {{{ssh}, ethertype: IPv6, remote_ip_prefix: '::/0'}}\n")),
        &[("HP1301", 7)],
    );
    // The group is ignored, which is the reason for the open port.
    is(&group(&format!("      - {{{ssh}, remote_group_id: g}}\n")), &[("HP1305", 7)]);
    is(
        &group(&format!("      - {{{ssh}, remote_group_id: g, remote_ip_prefix: 10.0.0.0/8}}\n")),
        &[("HP1305", 7)],
    );
    is(
        &group(&format!("      - {{{ssh}, remote_mode: remote_group_id, remote_group_id: g}}\n")),
        &[],
    );
    let rule = |more: &str| {
        format!(
            "resources:\n  r:\n    type: OS::Neutron::SecurityGroupRule\n    properties: {{security_group: g{more}}}\n"
        )
    };
    is(&rule(", port_range_min: 22, port_range_max: 22"), &[("HP1301", 3)]);
    is(&rule(", port_range_min: 22, port_range_max: 22, remote_group: h"), &[]);
    let amazon = |network: &str| {
        format!(
            "resources:\n  g:\n    type: AWS::EC2::SecurityGroup\n    properties:\n      GroupDescription: d\n      SecurityGroupIngress:\n      - {{IpProtocol: tcp, FromPort: '22', ToPort: '22', CidrIp: {network}}}\n"
        )
    };
    is(&amazon("0.0.0.0/0"), &[("HP1301", 8)]);
    is(&amazon("10.0.0.0/8"), &[]);
}

#[test]
fn secrets_by_their_use() {
    let server = |password: &str| {
        format!(
            "parameters:\n  p: {{type: string}}\nresources:\n  s: {{type: OS::Keystone::User, properties: {{password: {password}, description: {{get_param: p}}}}}}\n"
        )
    };
    is(&server("{get_param: p}"), &[("HP1302", 3)]);
    is(&server("{if: [true, {get_param: p}, '']}"), &[("HP1302", 3)]);
    is(&server("literal"), &[("HP1304", 5)]);
    is(&server("''"), &[]);
    let script = |template: &str| {
        format!(
            "parameters:\n  p: {{type: string}}\nresources:\n  c: {{type: OS::Heat::SoftwareConfig, properties: {{config: {{str_replace: {{template: '{template}', params: {{$P: {{get_param: p}}}}}}}}}}}}\noutputs:\n  o: {{value: {{get_resource: c}}}}\n"
        )
    };
    is(&script("db_password: $P"), &[("HP1302", 3)]);
    is(&script("MYSQL_ROOT_PASSWORD=\"$P\""), &[("HP1302", 3)]);
    is(&script("name: $P"), &[]);
    is(&script("password_length: $P"), &[]);
    let key = "resources:\n  c:\n    type: OS::Heat::SoftwareConfig\n    properties:\n      config: |\n        -----BEGIN RSA PRIVATE KEY-----\n        MIIEpAIBAAKCAQEAexampleexampleexampleexampleexampleexample\n        -----END RSA PRIVATE KEY-----\noutputs:\n  o: {value: {get_resource: c}}\n";
    is(key, &[("HP1304", 6)]);
    // The report must not carry the secret on, also where another finding shows the line.
    let text = "resources:\n  s: {type: OS::Keystone::User, properties: {password: t0psecret, domain: [x]}}\n";
    let sandbox = Sandbox::new(&[("t.yaml", format!("{HOT}{text}"))]);
    let assert = sandbox.hotplate("check t.yaml --format text").assert();
    let shown = String::from_utf8_lossy(&assert.get_output().stdout).into_owned();
    assert!(shown.contains("password: *********, domain"), "{shown}");
    assert!(shown.contains("HP1304") && !shown.contains("t0psecret"), "{shown}");
}

#[test]
fn hidden_values_in_outputs_of_nested_stacks() {
    let inner = "parameters:\n  p: {type: string, hidden: true}\noutputs:\n  shown: {value: {get_param: p}}\n  length: {value: {if: [{equals: [{get_param: p}, '']}, none, some]}}\n";
    let root = |output: &str, hidden: &str| {
        format!(
            "{HOT}parameters:\n  q: {{type: string{hidden}}}\nresources:\n  n: {{type: inner.yaml, properties: {{p: {{get_param: q}}}}}}\noutputs:\n  o: {{value: {{get_attr: [n, {output}]}}}}\n"
        )
    };
    for (output, hidden, expected) in [
        ("shown", ", hidden: true", &[("HP1303", 7)][..]),
        ("length", ", hidden: true", &[]),
        // What the nested template hides, the outer one shows.
        ("length", "", &[("HP1302", 3)]),
    ] {
        let sandbox = Sandbox::new(&[
            ("t.yaml", root(output, hidden)),
            ("inner.yaml", format!("{HOT}{inner}")),
        ]);
        let found = findings(&sandbox, "t.yaml");
        let found: Vec<(&str, u64)> = found.iter().map(|it| (it.0.as_str(), it.1)).collect();
        assert_eq!(found, expected, "{output} {hidden}");
    }
}

#[test]
fn addresses_external_resources_and_data() {
    let subnet = |more: &str| {
        format!(
            "resources:\n  n: {{type: OS::Neutron::Net}}\n  s: {{type: OS::Neutron::Subnet, properties: {{network: {{get_resource: n}}, cidr: 10.0.0.0/24{more}}}}}\n"
        )
    };
    is(&subnet(", gateway_ip: 10.0.0.1"), &[]);
    is(&subnet(", gateway_ip: 10.0.1.1"), &[("HP1215", 4)]);
    is(&subnet(", allocation_pools: [{start: 10.0.0.5, end: 10.0.0.9}]"), &[]);
    is(&subnet(", allocation_pools: [{start: 10.0.0.5, end: 10.0.1.9}]"), &[("HP1215", 4)]);
    is(&subnet(", allocation_pools: [{start: 10.0.0.9, end: 10.0.0.5}]"), &[("HP1215", 4)]);
    let port = "  p: {type: OS::Neutron::Port, properties: {network: {get_resource: n}, fixed_ips: [{subnet: {get_resource: s}, ip_address: 10.9.0.1}]}}\n";
    is(&(subnet("") + port), &[("HP1215", 5)]);
    is(
        "resources:\n  n: {type: OS::Neutron::Net, external_id: x, deletion_policy: Delete, properties: {name: y}}\n",
        &[("HP1212", 3), ("HP1212", 3)],
    );
    is("resources:\n  n: {type: OS::Neutron::Net, external_id: x}\n", &[]);
    let volume = |policy: &str| {
        format!(
            "{HOT}resources:\n  v: {{type: OS::Cinder::Volume{policy}, properties: {{size: 1}}}}\n"
        )
    };
    let sandbox = Sandbox::new(&[
        ("none.yaml", volume("")),
        ("some.yaml", volume(", deletion_policy: Delete")),
    ]);
    assert!(findings(&sandbox, "none.yaml").is_empty());
    assert_eq!(findings(&sandbox, "--select pedantic none.yaml")[0].0, "HP1402");
    assert!(findings(&sandbox, "--select pedantic some.yaml").is_empty());
}

#[test]
fn what_an_environment_says_in_vain() {
    let template = |kind: &str| {
        format!(
            "{HOT}parameters:\n  p: {{type: string}}\nresources:\n  r: {{type: {kind}, properties: {{name: {{get_param: p}}}}}}\n"
        )
    };
    let sandbox = Sandbox::new(&[
        ("used.yaml", template("Example::Net")),
        ("unused.yaml", template("OS::Neutron::Net")),
        (
            "computed.yaml",
            format!(
                "{HOT}parameters:\n  p: {{type: string}}\n  kind: {{type: string}}\nresources:\n  r:\n    type: OS::Heat::ResourceGroup\n    properties:\n      resource_def:\n        type: {{list_join: ['::', [Example, {{get_param: kind}}]]}}\n        properties: {{name: {{get_param: p}}}}\n"
            ),
        ),
        (
            "e.yaml",
            "resource_registry:\n  Example::Net: Example::Other\n  Example::Other: OS::Neutron::Net\nparameter_defaults:\n  p: a\n  q: b\n"
                .to_owned(),
        ),
        ("glob.yaml", "resource_registry:\n  'Example::*': 'OS::Neutron::*'\n".to_owned()),
    ]);
    let found = |arguments: &str| -> Vec<(String, u64)> {
        let found = findings(&sandbox, arguments).into_iter();
        found.filter(|it| it.0.starts_with("HP12")).map(|(code, line, _)| (code, line)).collect()
    };
    let is = |arguments: &str, expected: &[(&str, u64)]| {
        let expected: Vec<(String, u64)> =
            expected.iter().map(|(code, line)| ((*code).to_owned(), *line)).collect();
        assert_eq!(found(arguments), expected, "{arguments}");
    };
    is("used.yaml -e e.yaml", &[("HP1205", 6)]);
    // An entry that another entry leads to is used.
    is("unused.yaml -e e.yaml", &[("HP1204", 2), ("HP1205", 6)]);
    // What one of the templates uses is used; what none declares is reported once.
    is("used.yaml unused.yaml -e e.yaml", &[("HP1205", 6)]);
    is("used.yaml -e glob.yaml", &[]);
    is("unused.yaml -e glob.yaml", &[("HP1204", 2)]);
    is("computed.yaml -e glob.yaml", &[]);
}

#[test]
fn what_a_shared_set_or_an_interface_requires_is_not_unused() {
    let calls = "outputs:
  a: {value: {str_replace: {template: $x, params: {$x: 1, $yy: 2}}}}
  b: {value: {str_replace: {template: $yy, params: {$x: 1, $yy: 2}}}}
  c: {value: {str_replace: {template: $misspeled, params: {$misspelled: 2}}}}
  d: {value: {str_replace: {template: $misspelled, params: {$misspelled: 2}}}}
";
    is(calls, &[("HP1208", 5)]);
    let inner = format!(
        "{HOT}parameters:\n  passed: {{type: string}}\n  other: {{type: string, default: ''}}\nresources:\n  n: {{type: OS::Heat::None}}\n"
    );
    let root =
        |kind: &str| format!("{HOT}resources:\n  r: {{type: {kind}, properties: {{passed: x}}}}\n");
    let sandbox = Sandbox::new(&[
        ("inner.yaml", inner),
        ("direct.yaml", root("inner.yaml")),
        ("mapped.yaml", root("Example::Type")),
        (
            "noop.yaml",
            format!(
                "{HOT}parameters: {{passed: {{type: string}}, other: {{type: string, default: ''}}}}\n"
            ),
        ),
        ("noop-e.yaml", "resource_registry: {Example::Type: noop.yaml}\n".to_owned()),
        ("e.yaml", "resource_registry: {Example::Type: inner.yaml}\n".to_owned()),
    ]);
    let lines = |arguments: &str| -> Vec<u64> {
        findings(&sandbox, arguments).into_iter().map(|(_, line, _)| line).collect()
    };
    assert_eq!(lines("direct.yaml"), [3, 4]);
    assert_eq!(lines("mapped.yaml -e e.yaml"), [4]);
    assert!(lines("mapped.yaml -e noop-e.yaml").is_empty());
    assert_eq!(lines("inner.yaml"), [3, 4]);
    // An environment in the folder says that it implements a type.
    let folder = Sandbox::new(&[
        ("inner.yaml", sandbox.text("inner.yaml")),
        ("e.yaml", sandbox.text("e.yaml")),
    ]);
    assert!(findings(&folder, ".").is_empty());
}
