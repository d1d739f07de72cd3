//! One decode for all targets: spellings of the same rule give the same result.

use crate::Emitter;
use crate::testing::rendered;

const TARGETS: [(&str, &dyn Emitter); 4] = [
    ("terraform", &crate::terraform::HCL),
    ("pulumi", &crate::pulumi::Pulumi),
    ("ansible", &crate::ansible::Ansible),
    ("cfn", &crate::cfn::Cfn),
];

/// The files that a group with one rule becomes, and the messages of what is lost.
fn result(target: &dyn Emitter, rule: &str) -> Vec<String> {
    let group = format!("{{type: OS::Neutron::SecurityGroup, properties: {{rules: [{rule}]}}}}");
    let emitted = rendered(target, &format!("resources: {{group: {group}}}\n"));
    let losses = emitted.losses.iter().map(|loss| loss.message.clone());
    emitted.files.iter().map(|file| file.text.clone()).chain(losses).collect()
}

#[test]
fn a_group_without_a_name_is_the_own_group() {
    const MODE: &str = "protocol: tcp, remote_mode: remote_group_id";
    for (name, target) in TARGETS {
        let expected = result(target, &format!("{{{MODE}}}"));
        for group in ["''", "null", "{if: [{equals: [a, a]}, '', web]}"] {
            let found = result(target, &format!("{{{MODE}, remote_group_id: {group}}}"));
            assert_eq!(found, expected, "{name}: {group}");
        }
    }
}

#[test]
fn a_type_of_icmp_is_kept_or_lost_under_each_name() {
    for (name, target) in TARGETS {
        let rule = |protocol: &str| {
            let found = result(target, &format!("{{protocol: {protocol}, port_range_min: 0}}"));
            found.join("\n").replace("ICMP", "icmp")
        };
        assert_eq!(rule("ICMP"), rule("icmp"), "{name}");
    }
}

#[test]
fn aws_gets_numbers_and_prefixes_in_its_own_form() {
    for (one, other) in [
        ("{protocol: ipip}", "{protocol: '4'}"),
        ("{protocol: TCP}", "{protocol: 6}"),
        ("{protocol: ip}", "{}"),
        ("{protocol: icmp, ethertype: IPv6}", "{protocol: ipv6-icmp, ethertype: IPv6}"),
        ("{remote_ip_prefix: 10.0.0.0/255.0.0.0}", "{remote_ip_prefix: 10.0.0.0/8}"),
        ("{remote_ip_prefix: 10.0.0.1}", "{remote_ip_prefix: 10.0.0.1/32}"),
        ("{remote_ip_prefix: ''}", "{}"),
    ] {
        assert_eq!(result(&crate::cfn::Cfn, one), result(&crate::cfn::Cfn, other), "{one}");
    }
}
