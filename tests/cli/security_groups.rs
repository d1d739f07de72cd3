//! Security groups in every target: a result allows the same traffic as Heat. `traffic` reads the results
//! back, and `hotplate diff` computes the differences in both directions.

use std::collections::BTreeSet;

use predicates::prelude::*;
use predicates::str::contains;
use serde_json::{Value, json};

use crate::cli::sandbox::Sandbox;
use crate::traffic;

const TARGETS: [&str; 4] = ["terraform-json", "pulumi", "cfn", "ansible"];

/// A deterministic random generator: the same sequence for the same seed.
struct Draw(u64);

impl Draw {
    fn number(&mut self, below: u64) -> u64 {
        // The linear congruential generator of Knuth's MMIX.
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % below
    }

    fn often(&mut self, one_in: u64) -> bool {
        self.number(one_in) == 0
    }

    fn one<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[usize::try_from(self.number(of.len() as u64)).expect("an index")]
    }
}

/// Sets members of a rule.
fn set(rule: &mut Value, pairs: &[(&str, Value)]) {
    for (key, value) in pairs {
        rule[*key] = value.clone();
    }
}

/// A rule in a group, or a separate one.
fn rule(draw: &mut Draw, may_be_egress: bool, groups_of_six: bool) -> Value {
    let mut rule = json!({});
    match draw.number(if may_be_egress { 3 } else { 2 }) {
        0 => {}
        1 => rule["direction"] = json!("ingress"),
        _ => rule["direction"] = json!("egress"),
    }
    let is_six = draw.often(4);
    if is_six {
        rule["ethertype"] = json!("IPv6");
    } else if draw.often(2) {
        rule["ethertype"] = json!("IPv4");
    }
    let protocols = ["tcp", "tcp", "udp", "6", "sctp", "esp", "50", "vrrp", "icmp", ""];
    let protocol = *draw.one(&protocols);
    if !protocol.is_empty() {
        rule["protocol"] = json!(protocol);
    }
    let first = draw.number(3000) + 1;
    match protocol {
        "tcp" | "udp" | "6" | "sctp" => match draw.number(6) {
            0 => {}
            1 => set(&mut rule, &[("port_range_min", json!(0)), ("port_range_max", json!(65535))]),
            2 => {
                let port = json!({"get_param": "port"});
                set(&mut rule, &[("port_range_min", port.clone()), ("port_range_max", port)]);
            }
            _ => {
                let last = first + draw.number(3) * draw.number(40);
                let (first, last) = (json!(first), json!(last.to_string()));
                set(&mut rule, &[("port_range_min", first), ("port_range_max", last)]);
            }
        },
        "icmp" => {
            let kind = draw.one(&[0, 3, 8, 128]);
            match draw.number(3) {
                0 => {}
                1 => rule["port_range_min"] = json!(kind),
                _ => {
                    let code = draw.one(&[0, 1, 4]);
                    set(
                        &mut rule,
                        &[("port_range_min", json!(kind)), ("port_range_max", json!(code))],
                    );
                }
            }
        }
        _ => {}
    }
    let prefix = match is_six {
        true => draw
            .one(&[json!("2001:db8::/32"), json!({"get_param": "cidr6"}), json!("fe80::1/128")])
            .clone(),
        false => draw
            .one(&[
                json!("192.0.2.0/24"),
                json!("198.51.100.7"),
                json!("0.0.0.0/0"),
                json!({"get_param": "cidr"}),
                // Values that only Heat computes.
                json!({"yaql": {"expression": "$.data.first()", "data": {"get_param": "cidrs"}}}),
            ])
            .clone(),
    };
    let group = json!({"get_resource": "peer"});
    let by_group = json!("remote_group_id");
    let kinds = if is_six && !groups_of_six { 4 } else { 8 };
    match draw.number(kinds) {
        0 => {}
        1 | 2 => rule["remote_ip_prefix"] = prefix.clone(),
        3 => set(
            &mut rule,
            &[
                ("remote_mode", json!("remote_ip_prefix")),
                ("remote_ip_prefix", prefix.clone()),
                ("remote_group_id", group),
            ],
        ),
        // Heat ignores the group.
        4 => rule["remote_group_id"] = group,
        5 => set(
            &mut rule,
            &[
                ("remote_mode", by_group),
                ("remote_group_id", group),
                ("remote_ip_prefix", prefix.clone()),
            ],
        ),
        6 => rule["remote_mode"] = by_group,
        _ => set(
            &mut rule,
            &[
                ("remote_mode", json!({"get_param": "mode"})),
                ("remote_group_id", group),
                ("remote_ip_prefix", prefix.clone()),
            ],
        ),
    }
    rule
}

/// The rules of a group, in one of the notations of templates.
fn rules(draw: &mut Draw, groups_of_six: bool) -> Value {
    let may_be_egress = draw.often(2);
    let mut rules: Vec<Value> =
        (0..draw.number(5)).map(|_| rule(draw, may_be_egress, groups_of_six)).collect();
    match draw.number(8) {
        0 => {
            let then = rule(draw, may_be_egress, groups_of_six);
            let otherwise = rule(draw, may_be_egress, groups_of_six);
            rules.push(json!({"if": ["holds", then, otherwise]}));
            Value::Array(rules)
        }
        1 => {
            let template =
                json!({"protocol": "tcp", "port_range_min": "%p%", "port_range_max": "%p%"});
            json!({"repeat": {"template": template, "for_each": {"%p%": ["80", "443"]}}})
        }
        2 => json!({"get_param": "rules"}),
        _ => Value::Array(rules),
    }
}

/// A template with this number of groups.
fn template(seed: u64, groups: usize, groups_of_six: bool) -> Value {
    let mut draw = Draw(seed);
    let mut resources = json!({"peer": {"type": "OS::Neutron::SecurityGroup"}});
    for number in 0..groups {
        let mut group = json!({"type": "OS::Neutron::SecurityGroup"});
        if !draw.often(8) {
            group["properties"] = json!({"rules": rules(&mut draw, groups_of_six)});
        }
        if draw.often(3) {
            group["properties"]["name"] = json!(format!("named-{number}"));
        }
        resources[format!("group{number}")] = group;
    }
    for number in 0..groups / 4 {
        let mut rule = rule(&mut draw, true, groups_of_six);
        let members = rule.as_object_mut().expect("a map");
        members.remove("remote_mode");
        let group = members.remove("remote_group_id");
        if let (Some(group), false) = (group, members.contains_key("remote_ip_prefix")) {
            members.insert("remote_group".to_owned(), group);
        }
        let named = members.get("protocol").is_none();
        if named {
            members.retain(|name, _| !name.starts_with("port_range_"));
        }
        rule["security_group"] = json!({"get_resource": format!("group{number}")});
        resources[format!("single{number}")] =
            json!({"type": "OS::Neutron::SecurityGroupRule", "properties": rule});
    }
    let egress =
        json!([{"direction": "egress", "protocol": "udp"}, {"remote_mode": "remote_group_id"}]);
    json!({
        "heat_template_version": "2018-08-31",
        "parameters": {
            "port": {"type": "number", "default": 8080},
            "cidr": {"type": "string", "default": "203.0.113.0/24"},
            "cidr6": {"type": "string", "default": "2001:db8:1::/48"},
            "cidrs": {"type": "comma_delimited_list", "default": "203.0.113.128/25"},
            "mode": {"type": "string", "default": draw.one(&["remote_group_id", "remote_ip_prefix"])},
            "rules": {"type": "json", "default": draw.one(&[json!([]), json!([{"protocol": "tcp"}]), egress])},
        },
        "conditions": {"holds": {"equals": [{"get_param": "port"}, 8080]}},
        "resources": resources,
    })
}

/// The traffic that a target allows but Heat does not, and vice versa; and the number of compared groups.
fn judge(sandbox: &Sandbox, target: &str, template: &Value, bake: &str) -> (Vec<String>, usize) {
    sandbox.write("a.yaml", template.to_string());
    let run = |command: &str| -> Value {
        let output = sandbox.hotplate(command).output().expect("it runs");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{command}: {error}: {told}"))
    };
    let report = run(&format!("render a.yaml -t {target} --format json{bake}"));
    let sides = traffic::sides(target, template, &report)
        .unwrap_or_else(|| panic!("{target}: not read: {report}"));
    sandbox.write("old.yaml", sides.old.to_string());
    sandbox.write("new.yaml", sides.new.to_string());
    let losses = report["losses"].as_array().into_iter().flatten();
    // The group of a single rule.
    let group_of = |resource: &'_ str| -> String {
        let single = &template["resources"][resource]["properties"]["security_group"];
        single["get_resource"].as_str().unwrap_or(resource).to_owned()
    };
    let left_out: BTreeSet<String> = losses
        .filter(|loss| loss["severity"] == "error")
        .filter_map(|loss| Some(group_of(loss["owner"].as_str()?)))
        .collect();
    let report = run("diff old.yaml new.yaml --format json");
    let wrong = report["security"].as_array().expect("a list").iter().filter_map(|change| {
        let resource = change["resource"].as_str()?;
        let is_excused = change["verdict"] == "narrowed" && left_out.contains(&group_of(resource));
        (!is_excused)
            .then(|| format!("{target}{bake}: {change}\n{}", template["resources"][resource]))
    });
    let compared = sides.groups.values().filter(|unread| unread.is_none()).count();
    (wrong.collect(), compared)
}

#[test]
fn what_a_target_lets_through_is_what_heat_lets_through() {
    let sandbox = Sandbox::new::<&str>(&[]);
    for target in TARGETS {
        let mut wrong = Vec::new();
        let mut compared = 0;
        for seed in 0..8 {
            let template = template(seed, 24, target != "cfn");
            let bake = if seed % 2 == 0 { "" } else { " --bake" };
            let (found, of) = judge(&sandbox, target, &template, bake);
            wrong.extend(found);
            compared += of;
        }
        assert!(wrong.is_empty(), "{} of {compared}: {}", wrong.len(), wrong.join("\n\n"));
        assert!(compared > 120, "{target}: only {compared} groups could be read");
    }
}

/// The rules of an IPsec gateway, whose peers only the cloud knows.
const GATEWAY: &str = "\
heat_template_version: 2018-08-31
parameters: {peers: {type: json, default: {192.0.2.1/32: gateway}}}
resources:
  gateway:
    type: OS::Neutron::SecurityGroup
    properties:
      rules:
        - {protocol: tcp, port_range_min: 22, port_range_max: 22}
        - protocol: udp
          port_range_min: 500
          port_range_max: 500
          remote_ip_prefix: {yaql: {expression: $.data.keys().first(), data: {get_param: peers}}}
";

#[test]
fn a_rule_whose_restriction_is_lost_is_left_out() {
    let sandbox = Sandbox::new(&[("a.yaml", GATEWAY)]);
    for target in TARGETS {
        let run = sandbox.hotplate(&format!("render a.yaml -t {target}")).assert().code(1);
        let run = run.stderr(contains("error[HP0902]: a rule of `gateway` is omitted"));
        let text = String::from_utf8_lossy(&run.get_output().stdout).into_owned();
        // Losses are comments.
        let is_comment = |line: &str| line.starts_with('#') || line.starts_with("\"//\"");
        let is_written = |line: &&str| !is_comment(line.trim_start());
        let written: Vec<&str> = text.lines().filter(is_written).collect();
        assert!(text.contains(": 22") && !written.join("\n").contains("500"), "{target}: {text}");
    }
}

/// A separate rule with a restriction that only Heat computes, and a resource that depends on it.
const SINGLE: &str = "\
heat_template_version: 2018-08-31
parameters: {peers: {type: json, default: {192.0.2.1/32: gateway}}}
resources:
  gateway: {type: OS::Neutron::SecurityGroup}
  single:
    type: OS::Neutron::SecurityGroupRule
    properties:
      security_group: {get_resource: gateway}
      protocol: udp
      port_range_min: 500
      port_range_max: 500
      remote_ip_prefix: {yaql: {expression: $.data.keys().first(), data: {get_param: peers}}}
  after: {type: OS::Neutron::Net, depends_on: single}
";

#[test]
fn a_rule_of_its_own_whose_restriction_is_lost_is_left_out() {
    let sandbox = Sandbox::new(&[("a.yaml", SINGLE)]);
    for target in ["terraform", "terraform-json", "pulumi", "cfn", "ansible"] {
        let run = sandbox.hotplate(&format!("render a.yaml -t {target}")).assert().code(1);
        let run = run.stderr(contains("error[HP0902]: a rule of `single` is omitted"));
        let text = String::from_utf8_lossy(&run.get_output().stdout).into_owned();
        let is_comment = |line: &str| line.starts_with('#') || line.starts_with("\"//\"");
        let is_written = |line: &&str| !is_comment(line.trim_start());
        let written = text.lines().filter(is_written).collect::<Vec<_>>().join("\n");
        // A rule of AWS is kept for the resources that wait for it, and applies to nobody.
        let is_there = target != "cfn" && written.contains("single");
        assert!(!written.contains("500") && !is_there, "{target}: {written}");
    }
}

/// A listener for addresses that only Heat computes.
const LISTENER: &str = "\
heat_template_version: 2018-08-31
parameters: {peers: {type: json, default: {192.0.2.1/32: office}}}
resources:
  balancer: {type: OS::Octavia::LoadBalancer, properties: {vip_subnet: private}}
  listener:
    type: OS::Octavia::Listener
    properties:
      loadbalancer: {get_resource: balancer}
      protocol: HTTPS
      protocol_port: 8443
      allowed_cidrs: {yaql: {expression: $.data.keys(), data: {get_param: peers}}}
";

#[test]
fn a_listener_whose_addresses_are_lost_is_left_out() {
    let sandbox = Sandbox::new(&[("a.yaml", LISTENER)]);
    for target in ["terraform", "terraform-json", "pulumi", "ansible"] {
        let run = sandbox.hotplate(&format!("render a.yaml -t {target}")).assert().code(1);
        let run = run.stderr(contains("error[HP0902]: a rule of `listener` is omitted"));
        let text = String::from_utf8_lossy(&run.get_output().stdout).into_owned();
        let is_comment = |line: &str| line.starts_with('#') || line.starts_with("\"//\"");
        let is_written = |line: &&str| !is_comment(line.trim_start());
        let written = text.lines().filter(is_written).collect::<Vec<_>>().join("\n");
        assert!(!written.contains("8443"), "{target}: {written}");
    }
}

/// Which remote end applies is known only when the rules are computed.
const BY_MODE: &str = "\
heat_template_version: 2018-08-31
parameters:
  mode: {type: string, default: remote_group_id}
  rules: {type: json, default: [{protocol: udp}]}
resources:
  peer: {type: OS::Neutron::SecurityGroup}
  one:
    type: OS::Neutron::SecurityGroup
    properties:
      rules:
        - protocol: tcp
          remote_mode: {get_param: mode}
          remote_group_id: {get_resource: peer}
          remote_ip_prefix: 192.0.2.0/24
  many: {type: OS::Neutron::SecurityGroup, properties: {rules: {get_param: rules}}}
";

#[test]
fn a_rule_has_one_remote_end() {
    let sandbox = Sandbox::new(&[("a.yaml", BY_MODE)]);
    let run = sandbox.hotplate("render a.yaml -t terraform-json --format json").assert().code(0);
    let report: Value = serde_json::from_slice(&run.get_output().stdout).expect("JSON");
    let files = report["files"].as_array().expect("files");
    let main = files.iter().find(|file| file["path"] == "main.tf.json").expect("a module");
    let main = main["text"].as_str().expect("a text");
    let main: Value = serde_json::from_str(main).expect("JSON");
    let rules = main["resource"]["openstack_networking_secgroup_rule_v2"].as_object();
    let rules = rules.expect("rules");
    assert_eq!(rules.len(), 4, "{rules:?}");
    for (label, rule) in rules {
        let ends = ["remote_ip_prefix", "remote_group_id"].map(|end| rule.get(end).is_some());
        assert_ne!(ends[0], ends[1], "{label}: {rule}");
    }
    let count = |label: &str| rules[label]["count"].as_str().unwrap_or_default().to_owned();
    assert_eq!(count("one_rule_0"), "${var.mode != \"remote_group_id\" ? 1 : 0}");
    assert_eq!(count("one_rule_0_group"), "${var.mode == \"remote_group_id\" ? 1 : 0}");
    // Pulumi decides during rendering.
    let run = sandbox.hotplate("render a.yaml -t pulumi --bake=rules").assert().code(0);
    run.stdout(contains("remoteGroupId: ${peer.id}").and(contains("192.0.2.0").not()));
}

#[test]
fn a_rule_with_two_remote_ends_is_left_out() {
    let rule = |condition: &str| {
        format!(
            "heat_template_version: 2018-08-31\nparameters: {{cidr: {{type: string, default: ''}}}}\n\
             conditions: {{open: {{equals: [{{get_param: cidr}}, '']}}}}\nresources:\n  \
             peer: {{type: OS::Neutron::SecurityGroup}}\n  it:\n    \
             type: OS::Neutron::SecurityGroupRule\n    properties:\n      \
             security_group: {{get_resource: peer}}\n      remote_group: {{get_resource: peer}}\n      \
             remote_ip_prefix: {condition}\n"
        )
    };
    let conditional = rule("{if: [open, {get_param: cidr}, null]}");
    let sandbox = Sandbox::new(&[("a.yaml", rule("192.0.2.0/24")), ("b.yaml", conditional)]);
    for (file, target) in [("a", "terraform"), ("b", "terraform"), ("a", "pulumi"), ("b", "pulumi")]
    {
        sandbox
            .hotplate(&format!("render {file}.yaml -t {target}"))
            .assert()
            .code(1)
            .stderr(contains("error[HP0902]: a rule of `it` is omitted"))
            .stdout(contains("secgroup_rule_v2").not().and(contains("SecGroupRule").not()));
    }
}

#[test]
fn a_group_that_heat_ignores_is_a_warning_in_every_target() {
    let group = "{type: OS::Neutron::SecurityGroup, properties: {rules: [{protocol: tcp, \
                 remote_group_id: 0b2b1c6e-54a9-4d6d-9f52-6b1f4a7f0c11}]}}";
    let head = "heat_template_version: 2018-08-31\nresources:\n  ";
    let members = |definition: &str| {
        format!(
            "{head}m: {{type: OS::Heat::ResourceGroup, properties: {{resource_def: {definition}}}}}\n"
        )
    };
    let sandbox = Sandbox::new(&[
        ("alone.yaml", format!("{head}a: {group}\n")),
        ("members.yaml", members(group)),
        ("nested.yaml", members("{type: alone.yaml}")),
    ]);
    for (file, target) in ["alone", "members", "nested"]
        .into_iter()
        .flat_map(|file| TARGETS.map(|target| (file, target)))
    {
        let mut run =
            sandbox.hotplate(&format!("render {file}.yaml -t {target} -o out-{file}-{target}"));
        run.assert().stderr(contains("warning[HP0913]").and(contains("open to every address")));
    }
    for target in TARGETS {
        let run = sandbox.hotplate(&format!("render alone.yaml -t {target}")).assert().code(0);
        run.stdout(contains("0b2b1c6e").not());
    }
}

#[test]
fn a_firewall_that_is_lost_is_an_error() {
    let sandbox = Sandbox::new(&[(
        "a.yaml",
        "heat_template_version: 2018-08-31\nresources:\n  \
         rule: {type: OS::Neutron::FirewallRule, properties: {action: deny, protocol: tcp}}\n  \
         policy: {type: OS::Neutron::FirewallPolicy, properties: {firewall_rules: [{get_resource: rule}]}}\n  \
         wall: {type: OS::Neutron::Firewall, properties: {firewall_policy_id: {get_resource: policy}}}\n",
    )]);
    for target in TARGETS {
        sandbox
            .hotplate(&format!("render a.yaml -t {target} -v -o out-{target}"))
            .assert()
            .code(1)
            .stderr(contains("error[HP0901]").count(3));
    }
}
