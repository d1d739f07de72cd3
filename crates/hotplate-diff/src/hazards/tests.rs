//! Updates and the hazards that they have.

use std::fmt::Write as _;

use crate::testing::{compared, deployed, pair};
use source_diagnostics::SourceMap;

/// The hazards as `resource kind`, with `?` for one that is not certain, in the order of resources.
fn hazards(old: &str, new: &str) -> String {
    let text = |text: &str| {
        let entry = |it: &str| {
            let (name, definition) = it.split_once(": ").expect("a name");
            format!("  {name}: {{type: {definition}}}\n")
        };
        let entries: String =
            text.lines().map(str::trim).filter(|it| !it.is_empty()).map(entry).collect();
        format!("parameters: {{p: {{type: string}}, q: {{type: string}}}}\nresources:\n{entries}")
    };
    let (old, new) = pair(&text(old), &text(new));
    told(&compared(&old.side(), &new.side()))
}

fn told(comparison: &crate::Comparison) -> String {
    let mut told = String::new();
    for resource in &comparison.resources {
        for it in &resource.hazards {
            let mark = if it.is_certain { "" } else { "?" };
            let separator = if told.is_empty() { "" } else { ", " };
            let _ = write!(told, "{separator}{} {}{mark}", resource.name, it.kind.name());
        }
    }
    told
}

const NET: &str = "
n: OS::Neutron::Net
s: 'OS::Neutron::Subnet, properties: {network: {get_resource: n}, cidr: 10.0.0.0/24}'
";

/// Each row: what both sides have, the old and the new side, and the hazards.
#[test]
fn what_an_update_leaves_behind() {
    let key = |name: &str, content: &str| {
        format!("k: OS::Nova::KeyPair, properties: {{name: {name}, public_key: {content}}}")
    };
    let port = |name: &str, last: u8| {
        format!(
            "{name}: OS::Neutron::Port, properties: {{network: {{get_resource: n}}, fixed_ips: [{{subnet: {{get_resource: s}}, ip_address: 10.0.0.{last}}}]}}"
        )
    };
    let net = NET.replace('\'', "");
    let listener = |name: &str, protocol: &str| {
        format!(
            "{name}: OS::Octavia::Listener, properties: {{loadbalancer: lb, protocol: {protocol}, protocol_port: 80}}"
        )
    };
    let pool = |listener: &str| {
        format!(
            "pool: OS::Octavia::Pool, properties: {{listener: {{get_resource: {listener}}}, protocol: TCP, lb_algorithm: ROUND_ROBIN}}"
        )
    };
    let link = |name: &str| {
        format!(
            "{name}: OS::Neutron::FloatingIPAssociation, properties: {{floatingip_id: f, port_id: p}}"
        )
    };
    let user =
        |of: &str| format!("u: OS::Heat::Value, properties: {{value: {{get_resource: {of}}}}}");
    let interface = |name: &str| {
        format!("{name}: OS::Neutron::RouterInterface, properties: {{router: r, subnet: s}}")
    };
    let server = |zone: &str, volume: &str| {
        format!(
            "w: OS::Nova::Server, properties: {{flavor: f, availability_zone: {zone}, networks: [{{network: n}}], block_device_mapping_v2: [{{volume_id: {volume}}}]}}"
        )
    };
    let attachment = |name: &str, server: &str| {
        format!(
            "{name}: OS::Cinder::VolumeAttachment, properties: {{instance_uuid: {server}, volume_id: v}}"
        )
    };
    let group =
        |rules: &str| format!("g: OS::Neutron::SecurityGroup, properties: {{rules: [{rules}]}}");
    let rule = "x: OS::Neutron::SecurityGroupRule, properties: {security_group: {get_resource: g}, protocol: tcp, port_range_min: 80, port_range_max: 80}";
    let grant = |name: &str, user: &str| {
        format!(
            "{name}: OS::Keystone::UserRoleAssignment, properties: {{user: {user}, roles: [{{role: r, project: q}}]}}"
        )
    };
    let quota = |more: &str| format!("q: OS::Nova::Quota, properties: {{project: p{more}}}");
    let wait = |count: u8| {
        format!(
            "c: OS::Heat::WaitCondition, properties: {{handle: {{get_resource: h}}, timeout: 9, count: {count}}}"
        )
    };
    let handle = "h: OS::Heat::WaitConditionHandle";
    let signaler = |name: &str| {
        format!(
            "s: OS::Nova::Server, properties: {{flavor: f, key_name: {name}, user_data: {{get_resource: h}}}}"
        )
    };
    let cases: Vec<(&str, String, String, &str)> = vec![
        ("a key pair under the same name", key("a", "x"), key("a", "y"), "k lost"),
        (
            "the name is a parameter",
            key("{get_param: p}", "x"),
            key("{get_param: p}", "y"),
            "k lost",
        ),
        ("another parameter", key("{get_param: p}", "x"), key("{get_param: q}", "y"), "k lost?"),
        ("another name", key("a", "x"), key("b", "y"), ""),
        ("a name that nothing holds back", key("a", "x"), key("a", "x").replace("k:", "l:"), ""),
        (
            "a user makes the creation first",
            format!("{}\n{}", key("a", "x"), user("k")),
            format!("{}\n{}", key("a", "x").replace("k:", "l:"), user("l")),
            "l refused",
        ),
        (
            "freed before",
            format!("{net}{}", port("a", 5)),
            format!(
                "{net}{}",
                port("a", 5).replace("{network", "{mac_address: 'fa:16:3e:00:00:01', network")
            ),
            "",
        ),
        (
            "exchanged addresses",
            format!("{net}{}\n{}", port("a", 5), port("b", 6)),
            format!("{net}{}\n{}", port("a", 6), port("b", 5)),
            "a refused, b refused",
        ),
        (
            "the same port of a load balancer",
            listener("l", "TCP"),
            listener("l", "HTTP"),
            "l waits",
        ),
        (
            "a pool makes the creation first",
            format!("{}\n{}", listener("l", "TCP"), pool("l")),
            format!("{}\n{}", listener("m", "TCP"), pool("m")),
            "m waits",
        ),
        (
            "the pool of another listener",
            format!("{}\n{}", listener("l", "TCP"), pool("l")),
            format!("{}\n{}", listener("l", "TCP").replace("80", "81"), pool("l")),
            "",
        ),
        ("an association of no one", link("a"), link("b"), "b race?"),
        (
            "an association that something needs",
            format!("{}\n{}", link("a"), user("a")),
            format!("{}\n{}", link("b"), user("b")),
            "b lost",
        ),
        ("an interface", interface("a"), interface("b"), "b race?"),
        (
            "a volume of a replaced server",
            server("a", "v"),
            server("b", "v"),
            "w refused, w no-way-back",
        ),
        ("another volume", server("a", "v"), server("b", "w"), "w no-way-back"),
        ("an attachment moves in place", attachment("a", "x"), attachment("a", "y"), ""),
        ("an attachment under another name", attachment("a", "x"), attachment("b", "x"), "b race?"),
        (
            "rules beside a rule",
            format!("{}\n{rule}", group("{protocol: icmp}")),
            format!("{}\n{rule}", group("{protocol: udp}")),
            "g lost",
        ),
        (
            "a rule moves inside",
            format!("{}\n{rule}", group("{protocol: icmp}")),
            group("{protocol: icmp}, {protocol: tcp, port_range_min: 80, port_range_max: 80}"),
            "g lost",
        ),
        (
            "a rule goes",
            format!("{}\n{rule}", group("{protocol: icmp}")),
            group("{protocol: udp}"),
            "",
        ),
        ("another user of a role", grant("a", "x"), grant("a", "y"), "a lost"),
        (
            "one role twice",
            format!("{}\n{}", grant("a", "x"), grant("b", "x")),
            grant("a", "x"),
            "b lost",
        ),
        ("a limit goes", quota(", cores: 1, ram: 2"), quota(", cores: 1"), "q lost"),
        (
            "more signals",
            format!("{handle}\n{}", wait(1)),
            format!("{handle}\n{}", wait(2)),
            "c waits",
        ),
        (
            "more signals from a new server",
            format!("{handle}\n{}\n{}", wait(1), signaler("a")),
            format!("{handle}\n{}\n{}", wait(2), signaler("b")),
            "s no-way-back",
        ),
        (
            "an enabled domain",
            "d: OS::Keystone::Domain".to_owned(),
            "e: OS::Heat::None".to_owned(),
            "d refused",
        ),
        (
            "a disabled domain",
            "d: OS::Keystone::Domain, properties: {enabled: false}".to_owned(),
            "e: OS::Heat::None".to_owned(),
            "",
        ),
        (
            "a subnet that a port does not name",
            format!("{net}p: OS::Neutron::Port, properties: {{network: {{get_resource: n}}}}"),
            format!(
                "{}p: OS::Neutron::Port, properties: {{network: {{get_resource: n}}}}",
                net.replace("10.0.0.0", "10.0.1.0")
            ),
            "s refused",
        ),
        ("a prefix that overlaps", net.clone(), net.replace("/24", "/23"), "s refused"),
        (
            "a retained key",
            format!("{}, deletion_policy: retain", listener("l", "TCP")),
            listener("m", "TCP"),
            "m waits",
        ),
    ];
    let wrong = cases.iter().filter_map(|(what, old, new, expected)| {
        let found = hazards(old, new);
        (found != *expected).then(|| format!("{what}: {found}, expected {expected}"))
    });
    assert_eq!(wrong.collect::<Vec<_>>(), [""; 0]);
}

#[test]
fn keys_are_the_same_across_stacks() {
    let link = "link: {type: OS::Neutron::FloatingIPAssociation, properties: {floatingip_id: ";
    let fip =
        "resources:\n  f: {type: OS::Neutron::FloatingIP, properties: {floating_network: n}}\n";
    let outside = format!("{fip}  {link}{{get_resource: f}}, port_id: x}}}}\n");
    let with_child =
        format!("{fip}  c: {{type: inner.yaml, properties: {{ip: {{get_resource: f}}}}}}\n");
    let inner = format!(
        "parameters: {{ip: {{type: string}}}}\nresources:\n  {link}{{get_param: ip}}, port_id: x}}}}\n"
    );
    let mut sources = SourceMap::default();
    let mut one =
        |root: &str| deployed(&[("root.yaml", root), ("inner.yaml", &inner)], &mut sources);
    let (outside, inside) = (one(&outside), one(&with_child));
    assert_eq!(told(&compared(&outside.side(), &inside.side())), "c/link race?");
    assert_eq!(told(&compared(&inside.side(), &outside.side())), "link race?");
}

#[test]
fn no_secret_is_in_a_sentence() {
    let text = |key: &str| {
        format!(
            "parameters: {{p: {{type: string, hidden: true, default: sesame}}}}\nresources: {{k: {{type: OS::Nova::KeyPair, properties: {{name: {{get_param: p}}, public_key: {key}}}}}}}\n"
        )
    };
    let (old, new) = pair(&text("x"), &text("y"));
    let comparison = compared(&old.side(), &new.side());
    let hazard = &comparison.resources[0].hazards[0];
    assert!(hazard.is_certain);
    assert!(!format!("{comparison:?}").contains("sesame"));
}
