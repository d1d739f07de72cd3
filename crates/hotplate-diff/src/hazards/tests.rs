//! Updates and the hazards that they have.

use std::fmt::Write as _;

use crate::testing::{compared, deployed, pair};
use source_diagnostics::SourceMap;

/// The hazards as `resource kind`, with `?` for one that is not certain, in the order of resources.
fn hazards(old: &str, new: &str) -> String {
    told(&updated(old, new))
}

/// The comparison of resources, one a line.
fn updated(old: &str, new: &str) -> crate::Comparison {
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
    compared(&old.side(), &new.side())
}

/// The effects on machines as `resource kind@other`, in the order of resources.
fn machine_effects(old: &str, new: &str) -> String {
    let comparison = updated(old, new);
    let all = comparison.resources.iter();
    let all = all.flat_map(|it| it.machine_effects.iter().map(move |effect| (it, effect)));
    let all = all.map(|(it, effect)| {
        let mark = if effect.is_certain { "" } else { "?" };
        let on = effect.on.as_ref().map_or(String::new(), |on| format!("@{on}"));
        format!("{} {}{on}{mark}", it.name, effect.kind.name())
    });
    all.collect::<Vec<_>>().join(", ")
}

/// Each row: what both sides have, the old and the new side, and the effects.
#[test]
fn what_an_update_does_to_machines() {
    let server =
        |content: &str| format!("s: OS::Nova::Server, properties: {{image: i, {content}}}");
    let nets = |list: &str| server(&format!("flavor: f, networks: [{list}]"));
    let volume = |content: &str| {
        format!(
            "v: OS::Cinder::Volume, properties: {{{content}}}\na: OS::Cinder::VolumeAttachment, properties: {{instance_uuid: {{get_resource: s}}, volume_id: {{get_resource: v}}}}\n{}",
            server("flavor: f")
        )
    };
    let attachment = |name: &str, mountpoint: &str| {
        format!(
            "{name}: OS::Cinder::VolumeAttachment, properties: {{instance_uuid: {{get_resource: s}}, volume_id: v, mountpoint: {mountpoint}}}\n{}",
            server("flavor: f")
        )
    };
    let deployed = |actions: &str, script: &str| {
        format!(
            "c: OS::Heat::SoftwareConfig, properties: {{config: {script}}}\nd: OS::Heat::SoftwareDeployment, properties: {{server: {{get_resource: s}}, config: {{get_resource: c}}, actions: {actions}}}\n{}",
            server("flavor: f, user_data_format: SOFTWARE_CONFIG")
        )
    };
    let component = |script: &str, actions: &str| {
        deployed("[CREATE]", script).replace(
            &format!("c: OS::Heat::SoftwareConfig, properties: {{config: {script}}}"),
            &format!("c: OS::Heat::SoftwareComponent, properties: {{configs: [{{actions: {actions}, tool: script, config: {script}}}]}}"),
        )
    };
    let port = |last: u8| {
        format!(
            "p: OS::Neutron::Port, properties: {{network: n, fixed_ips: [{{ip_address: 10.0.0.{last}}}]}}\n{}",
            nets("{port: {get_resource: p}}")
        )
    };
    let address = |port: &str| {
        format!(
            "f: OS::Neutron::FloatingIP, properties: {{floating_network: n, port_id: {{get_resource: {port}}}}}\np: OS::Neutron::Port, properties: {{network: n}}\nq: OS::Neutron::Port, properties: {{network: n}}"
        )
    };
    let script = |policy: &str, text: &str| {
        server(&format!("flavor: f, user_data_update_policy: {policy}, user_data: {text}"))
    };
    let waited = |key: &str, count: u8| {
        format!(
            "h: OS::Heat::WaitConditionHandle\nc: OS::Heat::WaitCondition, properties: {{handle: {{get_resource: h}}, timeout: 9, count: {count}}}\n{}",
            server(&format!("flavor: f, key_name: {key}, user_data: {{get_attr: [h, curl_cli]}}"))
        )
    };
    let balancer = |up: &str| {
        format!("l: OS::Octavia::LoadBalancer, properties: {{vip_subnet: s, admin_state_up: {up}}}")
    };
    let metadata = |format: &str, text: &str| {
        format!(
            "{}, metadata: {{a: {text}}}",
            server(&format!("flavor: f, user_data_format: {format}"))
        )
    };
    let cases: Vec<(&str, String, String, &str)> = vec![
        ("resized", server("flavor: f"), server("flavor: g"), "s interruption"),
        (
            "an unknown flavor",
            server("flavor: {get_param: p}"),
            server("flavor: {get_param: q}"),
            "s interruption?",
        ),
        (
            "replaced rather than resized",
            server("flavor: f, flavor_update_policy: REPLACE"),
            server("flavor: g, flavor_update_policy: REPLACE"),
            "",
        ),
        (
            "rebuilt",
            server("flavor: f, image_update_policy: REBUILD"),
            server("flavor: f, image_update_policy: REBUILD").replace("image: i,", "image: j,"),
            "s interruption",
        ),
        (
            "under an unknown condition",
            format!("{}, condition: {{equals: [{{get_param: p}}, a]}}", server("flavor: f")),
            format!("{}, condition: {{equals: [{{get_param: p}}, a]}}", server("flavor: g")),
            "s interruption?",
        ),
        ("renamed", server("flavor: f, name: a"), server("flavor: f, name: b"), ""),
        ("another network", nets("{network: a}"), nets("{network: b}"), "s interruption"),
        ("one more network", nets("{network: a}"), nets("{network: a}, {network: b}"), ""),
        ("the first network", server("flavor: f"), nets("{network: a}"), "s interruption"),
        ("a script that is stored", script("IGNORE", "a"), script("IGNORE", "b"), "s not-applied"),
        ("a script that replaces", script("REPLACE", "a"), script("REPLACE", "b"), ""),
        ("polled metadata", metadata("HEAT_CFNTOOLS", "a"), metadata("HEAT_CFNTOOLS", "b"), ""),
        ("metadata of no one", metadata("RAW", "a"), metadata("RAW", "b"), "s not-applied?"),
        ("a volume that is extended", volume("size: 1"), volume("size: 2"), "v interruption@s?"),
        (
            "a volume to read only",
            volume("size: 1"),
            volume("size: 1, read_only: true"),
            "v interruption@s",
        ),
        (
            "a volume of no one",
            "v: OS::Cinder::Volume, properties: {size: 1}".to_owned(),
            "v: OS::Cinder::Volume, properties: {size: 1, read_only: true}".to_owned(),
            "v interruption?",
        ),
        (
            "attached anew",
            attachment("a", "/dev/vdb"),
            attachment("a", "/dev/vdc"),
            "a interruption@s",
        ),
        ("detached", attachment("a", "/dev/vdb"), server("flavor: f"), "a interruption@s"),
        ("a new attachment", server("flavor: f"), attachment("a", "/dev/vdb"), ""),
        (
            "detached from what goes",
            attachment("a", "/dev/vdb"),
            "n: OS::Heat::None".to_owned(),
            "",
        ),
        ("another address", port(1), port(2), "p addresses@s"),
        ("a floating IP moves", address("p"), address("q"), "f addresses@p, f addresses@q"),
        (
            "a floating IP goes",
            address("p"),
            address("p").lines().skip(1).collect::<Vec<_>>().join("\n"),
            "f addresses@p",
        ),
        (
            "a deployment for updates",
            deployed("[CREATE, UPDATE]", "a"),
            deployed("[CREATE, UPDATE]", "b"),
            "d runs-again@s",
        ),
        (
            "a deployment for creations",
            deployed("[CREATE]", "a"),
            deployed("[CREATE]", "b"),
            "d not-applied@s",
        ),
        (
            "unknown actions",
            deployed("[{get_param: p}]", "a"),
            deployed("[{get_param: p}]", "b"),
            "d runs-again@s?",
        ),
        ("a component", component("a", "[UPDATE]"), component("b", "[UPDATE]"), "d runs-again@s"),
        (
            "a component for creations",
            component("a", "[CREATE]"),
            component("b", "[CREATE]"),
            "d not-applied@s",
        ),
        ("signals of before", waited("a", 1), waited("b", 1), "s not-awaited@c"),
        ("more signals", waited("a", 1), waited("b", 2), ""),
        ("switched off", balancer("true"), balancer("false"), "l interruption"),
        ("switched on", balancer("false"), balancer("true"), ""),
        ("unknown whether", balancer("true"), balancer("{get_param: p}"), "l interruption?"),
    ];
    let wrong = cases.iter().filter_map(|(what, old, new, expected)| {
        let found = machine_effects(old, new);
        (found != *expected).then(|| format!("{what}: {found}, expected {expected}"))
    });
    assert_eq!(wrong.collect::<Vec<_>>(), [""; 0]);
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
    let stateful = |value: &str, more: &str| {
        format!("g: OS::Neutron::SecurityGroup, properties: {{stateful: {value}}}\n{more}")
    };
    let member =
        "p: OS::Neutron::Port, properties: {network: n, security_groups: [{get_resource: g}]}";
    let batches = |kind: &str, count: u8, pause: u16, name: &str| {
        format!(
            "b: OS::Heat::ResourceGroup, update_policy: {{{kind}: {{pause_time: {pause}}}}}, properties: {{count: {count}, resource_def: {{type: OS::Neutron::Net, properties: {{name: {name}}}}}}}"
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
        ("a group in use", stateful("true", member), stateful("false", member), "g refused"),
        ("its user may be gone", stateful("true", member), stateful("false", ""), "g refused?"),
        (
            "true is the default",
            stateful("true", member).replace("stateful: true", "name: a"),
            stateful("true", member).replace("stateful", "name: a, stateful"),
            "",
        ),
        (
            "Heat sends false for null",
            stateful("null", member),
            stateful("true", member),
            "g refused",
        ),
        ("a group out of use", stateful("true", ""), stateful("false", ""), ""),
        (
            "pauses of an hour",
            batches("rolling_update", 4, 1200, "a"),
            batches("rolling_update", 4, 1200, "b"),
            "b refused",
        ),
        (
            "pauses of less",
            batches("rolling_update", 4, 1199, "a"),
            batches("rolling_update", 4, 1199, "b"),
            "",
        ),
        (
            "members that stay as they are",
            batches("rolling_update", 4, 1200, "a"),
            batches("rolling_update", 3, 1200, "a"),
            "",
        ),
        (
            "pauses of a creation",
            net.clone(),
            format!("{net}{}", batches("batch_create", 4, 1200, "a")),
            "b refused",
        ),
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
