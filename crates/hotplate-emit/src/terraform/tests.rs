//! Tests of translations, function by function and type by type.

use super::{HCL, JSON};
use crate::testing::{rendered, rendered_files};
use crate::{EmitOutput, Loss, LossKind};

const PARAMETERS: &str = "
parameters:
  s: {type: string}
  n: {type: number}
  b: {type: boolean}
  l: {type: comma_delimited_list}
  j: {type: json}
conditions:
  c: {equals: [{get_param: s}, abc]}
";

/// The text of a file of the result.
fn file(emitted: &EmitOutput, name: &str) -> String {
    let found = emitted
        .files
        .iter()
        .find(|file| file.path.as_ref().is_some_and(|path| path.to_string_lossy() == name));
    found.map(|file| file.text.clone()).unwrap_or_default()
}

/// The value of an output, on one line.
fn value(expr: &str) -> String {
    let emitted = rendered(&HCL, &format!("{PARAMETERS}outputs:\n  o: {{value: {expr}}}\n"));
    let outputs = file(&emitted, "outputs.tf");
    let (_, value) = outputs.split_once("value = ").unwrap_or(("", "lost"));
    let value = value.trim_end().trim_end_matches('}').trim_end();
    value.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn what_is_missing_on_the_path_of_a_parameter_is_empty() {
    assert_eq!(value("{get_param: s}"), "var.s");
    assert_eq!(value("{get_param: [j, k, 0]}"), r#"try(var.j.k[0], "")"#);
    assert_eq!(value("{get_param: [l, -1]}"), r#"try(var.l[length(var.l) - 1], "")"#);
    assert_eq!(value("{get_param: [s, 1]}"), "substr(var.s, 1, 1)");
}

#[test]
fn branches_of_different_types_keep_them() {
    assert_eq!(value("{if: [c, {get_param: s}, b]}"), r#"local.c ? var.s : "b""#);
    assert_eq!(value("{if: [c, 3, none]}"), r#"[3, "none"][local.c ? 0 : 1]"#);
    assert_eq!(
        value("[a, {if: [c, b]}]"),
        r#"concat(["a"], [for item in ["b"] : item if local.c])"#
    );
}

#[test]
fn what_is_replaced_is_not_replaced_again() {
    let template = "{str_replace: {template: 'a ab /b/', params: {a: {get_param: s}, ab: {get_param: b}, /b/: {get_param: n}}}}";
    assert_eq!(value(template), r#""${var.s} ${var.b ? "True" : "False"} ${var.n}""#);
    let computed = "{str_replace: {template: {get_param: s}, params: {a: b, bc: {get_param: n}}}}";
    assert_eq!(
        value(computed),
        r#"join("", [ for part in regexall("bc|a|[^ab]+|(?s:.)", var.s) : lookup({ bc = var.n, a = "b" }, part, part) ])"#
    );
}

#[test]
fn lists_are_joined_as_one_text_or_with_join() {
    assert_eq!(
        value("{list_join: ['-', [{get_param: s}, x, {get_param: s}]]}"),
        r#""${var.s}-x-${var.s}""#
    );
    assert_eq!(value("{list_join: ['-', {get_param: l}]}"), r#"join("-", var.l)"#);
}

#[test]
fn loops_name_their_items() {
    assert_eq!(
        value("{repeat: {template: {port: '<%p%>-x'}, for_each: {'<%p%>': {get_param: l}}}}"),
        r#"[for p in var.l : { port = "${p}-x" }]"#
    );
    assert_eq!(
        value("{repeat: {template: '%a%%b%', for_each: {'%a%': {get_param: l}, '%b%': [x]}}}"),
        r#"concat([], [for a in var.l : [for b in ["x"] : "${a}${b}"]]...)"#
    );
}

#[test]
fn equality_never_coerces_and_looks_into_lists() {
    assert_eq!(
        value("{if: [{equals: [{get_param: l}, [a]]}, x, y]}"),
        r#"jsonencode(var.l) == jsonencode(["a"]) ? "x" : "y""#
    );
    assert_eq!(
        value("{if: [{and: [c, {not: {get_param: b}}]}, x, y]}"),
        r#"local.c && !var.b ? "x" : "y""#
    );
    assert_eq!(
        value("{filter: [[a], {get_param: l}]}"),
        r#"[for item in var.l : item if !contains(["a"], item)]"#
    );
}

#[test]
fn what_terraform_lacks_is_computed_where_it_is_known_and_a_loss_where_not() {
    assert_eq!(value("{digest: [sha224, a]}").len(), 58);
    assert_eq!(value("{digest: [sha256, {get_param: s}]}"), "sha256(var.s)");
    let template =
        format!("{PARAMETERS}outputs:\n  o: {{value: {{digest: [sha224, {{get_param: s}}]}}}}\n");
    let emitted = rendered(&HCL, &template);
    let losses: Vec<&Loss> =
        emitted.losses.iter().filter(|loss| loss.kind != LossKind::Section).collect();
    assert_eq!(losses.len(), 1);
    assert_eq!(losses[0].kind, LossKind::Function);
    assert!(file(&emitted, "outputs.tf").contains("# lost: o: {digest: [sha224, {get_param: s}]}"));
}

#[test]
fn a_lookup_is_read_only_for_what_it_looks_up() {
    let emitted = rendered(
        &HCL,
        "parameters:\n  net: {type: string}\nresources:\n  ip: {type: 'OS::Neutron::FloatingIP', properties: {floating_network: {get_param: net}}}\n",
    );
    let main = file(&emitted, "main.tf");
    let block = main.split("data \"").nth(1).and_then(|it| it.split("\n}").next());
    let block = block.expect("a data source");
    assert!(block.contains("  count      = local.net_is_id ? 1 : 0\n"), "{block}");
    assert!(main.contains("  net_is_id = can(regex("), "{main}");
    assert!(block.contains("  network_id = var.net"), "{block}");
    assert!(main.contains("? one(data.openstack_networking_network_v2.net[*].name) : var.net"));
}

#[test]
fn json_says_the_same() {
    let emitted = rendered(
        &JSON,
        "parameters:\n  # why\n  s: {type: string, default: '${x}'}\noutputs:\n  o: {value: {list_join: ['', ['%{', {get_param: s}]]}}\n",
    );
    insta::assert_snapshot!(file(&emitted, "variables.tf.json"), @r#"
    {
      "variable": {
        "s": {
          "//": "why",
          "type": "string",
          "default": "${x}",
          "nullable": false
        }
      }
    }
    "#);
    assert!(file(&emitted, "outputs.tf.json").contains(r#""value": "%%{${var.s}""#));
}

#[test]
fn a_file_with_placeholders_is_a_template_file() {
    let template = "parameters:\n  host: {type: string}\noutputs:\n  o:\n    value:\n      str_replace:\n        \
                    template: {get_file: boot.sh}\n        \
                    params: {$host: {get_param: host}, $host_port: 80, <none>: {get_param: host}}\n";
    let script = "connect $host:$host_port ${HOME} %{x}\n";
    let files = [("root.yaml", template), ("boot.sh", script)];
    let emitted = rendered_files(&HCL, None, &files, &[], &[]);
    let text = "connect ${host}:${host_port} $${HOME} %%{x}\n";
    assert_eq!(file(&emitted, "files/boot.sh.tftpl"), text);
    assert!(file(&emitted, "outputs.tf").contains(
        "  value = templatefile(\"${path.module}/files/boot.sh.tftpl\", { host = var.host, host_port = \"80\" })"
    ));
}

#[test]
fn addresses_of_a_server_are_found_by_the_names_and_the_ids_of_its_networks() {
    let emitted = rendered(
        &HCL,
        "\
parameters: {net: {type: string}}
resources:
  made: {type: OS::Neutron::Net}
  s: {type: OS::Nova::Server, properties: {flavor: f, image: i, networks: [{network: {get_resource: made}}]}}
outputs:
  by_name: {value: {get_attr: [s, networks, public, 0]}}
  by_id: {value: {get_attr: [s, networks, {get_resource: made}, 0]}}
  open: {value: {get_attr: [s, addresses, {get_param: net}, 0, addr]}}
",
    );
    let outputs = file(&emitted, "outputs.tf");
    let loops = "for it in flatten([for network in openstack_compute_instance_v2.s.network : [for address in \
                 compact([network.fixed_ip_v4, network.fixed_ip_v6]) : merge(network, { address = address })]]) : try(";
    assert!(outputs.contains(&format!("{{ {loops}it.name, null) => ")), "{outputs}");
    assert!(outputs.contains(&format!("{{ {loops}it.uuid, null) => ")), "{outputs}");
    let both = format!("merge([for key in [\"name\", \"uuid\"] : {{ {loops}it[key], null) => ");
    assert!(outputs.contains(&both), "{outputs}");
}

#[test]
fn a_parameter_that_only_fills_maps_of_strings_is_one() {
    let root = "\
parameters:
  specs: {type: json, default: {a: b}}
  shown: {type: json, default: {}}
  listed: {type: json, default: [a]}
  passed: {type: json}
resources:
  one: {type: OS::Neutron::Net, properties: {value_specs: {get_param: specs}}}
  two: {type: OS::Neutron::Net, properties: {value_specs: {get_param: shown}}}
  three: {type: OS::Neutron::Net, properties: {value_specs: {get_param: listed}}}
  nested: {type: nested.yaml, properties: {inner: {get_param: passed}}}
outputs:
  shown: {value: {get_param: shown}}
";
    let nested = "\
parameters: {inner: {type: json}}
resources:
  net: {type: OS::Neutron::Net, properties: {value_specs: {get_param: inner}}}
";
    let files = [("root.yaml", root), ("nested.yaml", nested)];
    let emitted = rendered_files(&HCL, None, &files, &[], &[]);
    let variables = ["variables.tf", "modules/nested/variables.tf"];
    let variables: String = variables.map(|it| file(&emitted, it)).concat();
    let types = variables.lines().filter_map(|line| line.trim_start().strip_prefix("type"));
    let types = types.map(|it| it.trim_start_matches([' ', '='])).filter(|it| *it != "string");
    let types: Vec<&str> = types.collect();
    assert_eq!(types, ["map(string)", "any", "any", "any", "map(string)"], "{variables}");
}

#[test]
fn blocks_wait_for_what_heat_waits_for() {
    let root = "\
resources:
  net: {type: OS::Neutron::Net}
  subnet: {type: OS::Neutron::Subnet, properties: {network: {get_resource: net}, cidr: 10.0.0.0/24}}
  port: {type: OS::Neutron::Port, properties: {network: {get_resource: net}}}
  node: {type: node.yaml, properties: {network: {get_resource: net}, mac: {get_attr: [port, mac_address]}}}
  after: {type: OS::Neutron::Net, properties: {name: {get_attr: [node, mac]}}}
  same: {type: OS::Neutron::Net, depends_on: net, properties: {name: {get_resource: net}}}
";
    let node = "\
parameters: {network: {type: string}, mac: {type: string}, unused: {type: string, default: ''}}
resources:
  one: {type: OS::Neutron::Port, properties: {network: {get_param: network}}}
  two: {type: OS::Neutron::Net, properties: {name: {get_param: mac}}}
outputs: {mac: {value: {get_attr: [one, mac_address]}}}
";
    let files = [("root.yaml", root), ("node.yaml", node)];
    let emitted = rendered_files(&HCL, None, &files, &[], &[]);
    let main = file(&emitted, "main.tf");
    let awaited = |start: &str| {
        let block = main.split(start).nth(1).and_then(|it| it.split("\n}").next());
        let block = block.unwrap_or_else(|| panic!("no {start} in {main}"));
        block.split_once("depends_on = ").map_or("", |(_, list)| list.lines().next().unwrap_or(""))
    };
    assert_eq!(awaited("_v2\" \"port\""), "[openstack_networking_subnet_v2.subnet]");
    // A network of the module waits for the port, the port of the module does not.
    assert_eq!(awaited("module \"node\""), "[openstack_networking_port_v2.port]");
    // The output waits for a part of the module.
    assert_eq!(awaited("_v2\" \"after\""), "[module.node]");
    assert_eq!(awaited("_v2\" \"same\""), "");
    let variables = file(&emitted, "modules/node/variables.tf");
    assert!(variables.contains("# unused: nothing uses this parameter\n"), "{variables}");
}

#[test]
fn rules_repeated_over_a_list_of_strings_are_a_set() {
    let repeated = |list: &str| {
        let template = format!(
            "parameters:
  ports: {{type: {list}}}
resources:
  group:
    type: OS::Neutron::SecurityGroup
    properties:
      rules:
        repeat:
          for_each: {{'%port%': {{get_param: ports}}}}
          template: {{protocol: tcp, port_range_min: '%port%', port_range_max: '%port%'}}
"
        );
        let emitted = rendered(&HCL, &template);
        file(&emitted, "main.tf").to_owned()
    };
    let main = repeated("comma_delimited_list");
    let rules: Vec<&str> = main.split("secgroup_rule_v2").skip(1).collect();
    // There is no second object for rules of groups, since the remote mode is known.
    assert_eq!(
        rules,
        [r#"" "group_rule_0" {
  for_each          = toset(var.ports)
  security_group_id = openstack_networking_secgroup_v2.group.id
  direction         = "ingress"
  ethertype         = "IPv4"
  protocol          = "tcp"
  port_range_min    = each.value
  port_range_max    = each.value
}
"#]
    );
    // Items of JSON may be anything, also the same twice.
    let main = repeated("json");
    assert!(main.contains("= length(local.group_rule_0)"), "{main}");
}

#[test]
fn an_empty_name_is_not_looked_up() {
    let template = "resources:
  port: {type: OS::Neutron::Port, properties: {network: net, fixed_ips: [{subnet: ''}]}}
";
    let emitted = rendered(&HCL, template);
    let main = file(&emitted, "main.tf");
    // A data source with an empty name would find any subnet without a name.
    assert!(!main.contains("data \"openstack_networking_subnet_v2\""), "{main}");
    let lost: Vec<&str> = emitted.losses.iter().map(|loss| loss.subject.as_str()).collect();
    assert!(lost.contains(&"subnet"), "{lost:?}");
}
