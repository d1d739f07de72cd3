//! What each target returns for each member of an address: Heat's value, or a loss.

use crate::testing::rendered;
use crate::{Emitter, LossKind};
use std::fmt::Write as _;

const TARGETS: [&dyn Emitter; 4] =
    [&crate::terraform::HCL, &crate::pulumi::Pulumi, &crate::ansible::Ansible, &crate::cfn::Cfn];

/// Servers, with a path that leads to their addresses in a network.
const SERVERS: [(&str, &str, &str); 6] = [
    ("no networks", "type: OS::Nova::Server, properties: {image: i, flavor: f}", "addresses, n"),
    (
        "a network",
        "type: OS::Nova::Server, properties: {image: i, flavor: f, networks: [{network: n}]}",
        "addresses, n",
    ),
    (
        "a port",
        "type: OS::Nova::Server, properties: {image: i, flavor: f, networks: [{port: {get_resource: p}}]}",
        "addresses, n",
    ),
    (
        "two networks",
        "type: OS::Nova::Server, properties: {image: i, flavor: f, networks: [{network: m}, {network: n}]}",
        "addresses, n",
    ),
    (
        "two ports",
        "type: OS::Nova::Server, properties: {image: i, flavor: f, networks: [{port: {get_resource: p}}, {port: {get_resource: q}}]}",
        "addresses, n",
    ),
    (
        "a group",
        "type: OS::Heat::ResourceGroup, properties: {count: 2, resource_def: {type: OS::Nova::Server, properties: {image: i, flavor: f, networks: [{network: n}]}}}",
        "resource.1, addresses, n",
    ),
];

const MEMBERS: [&str; 8] = [
    "",
    ", 0, addr",
    ", 0, 'OS-EXT-IPS-MAC:mac_addr'",
    ", 0, 'OS-EXT-IPS:type'",
    ", 0, port",
    ", 0, version",
    ", 0, subnets",
    ", 0, network, id",
];

/// Whether the target reports a loss in place of Heat's value, or for a part of it.
fn outcome(target: &dyn Emitter, server: &str, path: &str) -> &'static str {
    let template = format!(
        "resources:\n  p: {{type: OS::Neutron::Port, properties: {{network: n}}}}\n  q: {{type: OS::Neutron::Port, properties: \
         {{network: m}}}}\n  s: {{{server}}}\noutputs: {{o: {{value: {{get_attr: [s, {path}]}}}}}}\n"
    );
    let emitted = rendered(target, &template);
    let mut losses = emitted.losses.iter().filter(|loss| !loss.is_note());
    match losses.any(|loss| matches!(loss.kind, LossKind::Attribute | LossKind::Value)) {
        true => "loss",
        false => "value",
    }
}

#[test]
fn each_member_of_an_address_is_that_of_heat_or_a_loss() {
    let mut table =
        String::from("                                       terraform pulumi ansible cfn\n");
    for (name, server, path) in SERVERS {
        for member in MEMBERS {
            let path = format!("{path}{member}");
            let found = TARGETS.map(|target| outcome(target, server, &path));
            let [terraform, pulumi, ansible, cfn] = found;
            let member = member.trim_start_matches(", 0, ");
            writeln!(table, "{name:13}{member:26}{terraform:9} {pulumi:6} {ansible:7} {cfn}")
                .expect("a string");
        }
    }
    insta::assert_snapshot!(table);
}
