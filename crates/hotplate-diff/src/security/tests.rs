//! Tests of security changes on whole templates.

use std::fmt::Write;

use proptest::prelude::*;

use super::*;
use crate::SuppressionOptions;
use crate::testing::{TestDeployment, deployed, pair};
use heat_template::schema::Schema;
use source_diagnostics::SourceMap;

/// The security changes between two deployments.
fn changes(old: &TestDeployment, new: &TestDeployment) -> Vec<SecurityChange> {
    crate::compare(&old.side(), &new.side(), &SuppressionOptions::default(), None)
        .comparison
        .security
}

/// The changes, one per line: `+` more access, `?` perhaps more, `-` less, `~` neither, each with its resource.
fn reported(old: &str, new: &str) -> Vec<String> {
    let (old, new) = pair(old, new);
    changes(&old, &new).iter().map(line).collect()
}

fn line(change: &SecurityChange) -> String {
    let sign = match change.access {
        AccessChange::Widened => '+',
        AccessChange::MayWiden => '?',
        AccessChange::Initial => '*',
        AccessChange::Changed => '~',
        AccessChange::Narrowed => '-',
    };
    format!("{sign} {}: {}", change.resource, change.message)
}

/// A security group with these rules, each a map in braces.
fn group(rules: &[&str]) -> String {
    let rules: Vec<String> = rules.iter().map(|rule| format!("{{{rule}}}")).collect();
    format!(
        "resources: {{g: {{type: OS::Neutron::SecurityGroup, properties: {{rules: [{}]}}}}}}",
        rules.join(", ")
    )
}

/// The changes between two lists of rules.
fn rules(old: &[&str], new: &[&str]) -> Vec<String> {
    reported(&group(old), &group(new))
}

const SSH: &str = "protocol: tcp, port_range_min: 22, port_range_max: 22";

fn ssh(from: &str) -> String {
    format!("{SSH}, remote_ip_prefix: {from}")
}

#[test]
fn rules_open_and_close() {
    assert_eq!(rules(&[], &[&ssh("0.0.0.0/0")]), ["+ g: tcp 22 from 0.0.0.0/0 is open now"]);
    assert_eq!(rules(&[], &[SSH]), ["+ g: tcp 22 from 0.0.0.0/0 is open now"]);
    assert_eq!(
        rules(
            &[
                "protocol: udp, port_range_min: 1000, port_range_max: 1999, remote_ip_prefix: 10.0.0.0/8"
            ],
            &[]
        ),
        ["- g: udp 1000-1999 from 10.0.0.0/8 is closed now"]
    );
    assert_eq!(
        rules(&[], &["protocol: icmp, port_range_min: 8"]),
        ["+ g: icmp type 8 from 0.0.0.0/0 is open now"]
    );
    assert_eq!(
        rules(&[], &["ethertype: IPv6, protocol: icmp, port_range_min: 3, port_range_max: 4"]),
        ["+ g: ipv6-icmp type 3 code 4 from ::/0 is open now"]
    );
    assert_eq!(rules(&[], &["protocol: 47"]), ["+ g: gre from 0.0.0.0/0 is open now"]);
}

#[test]
fn another_spelling_is_no_change() {
    let nothing: [&str; 0] = [];
    assert_eq!(rules(&[&ssh("0.0.0.0/0")], &[&ssh("0.0.0.0/1"), &ssh("128.0.0.0/1")]), nothing);
    assert_eq!(rules(&[SSH, "protocol: udp"], &["protocol: udp", SSH]), nothing);
    assert_eq!(rules(&[SSH], &["protocol: 6, port_range_min: '22', port_range_max: 22"]), nothing);
    assert_eq!(rules(&[&ssh("10.1.2.3/8")], &[&ssh("10.0.0.0/255.0.0.0")]), nothing);
    assert_eq!(rules(&[SSH], &[SSH, &ssh("10.0.0.0/8")]), nothing, "it was open already");
    assert_eq!(rules(&[SSH], &[&format!("{SSH}, direction: ingress, ethertype: IPv4")]), nothing);
}

#[test]
fn only_what_is_new_is_told() {
    assert_eq!(
        rules(&[&ssh("10.0.1.0/24")], &[&ssh("10.0.0.0/22")]),
        ["+ g: tcp 22 from 10.0.0.0/24, 10.0.2.0/23 is open now"]
    );
    assert_eq!(
        rules(&["protocol: tcp, port_range_min: 20, port_range_max: 30"], &[SSH]),
        [
            "- g: tcp 20-21 from 0.0.0.0/0 is closed now",
            "- g: tcp 23-30 from 0.0.0.0/0 is closed now"
        ]
    );
    // Many ranges are counted, not listed.
    let one = ssh("10.0.0.7/32");
    assert_eq!(
        rules(&[&one], &[&ssh("10.0.0.0/8")]),
        ["+ g: tcp 22 from 10.0.0.0/30, 10.0.0.4/31, 10.0.0.6/32, 10.0.0.8-10.255.255.255 \
             is open now"]
    );
}

#[test]
fn a_group_lets_everything_out_until_it_is_told_what() {
    assert_eq!(
        rules(&[], &["direction: egress, protocol: udp"]),
        [
            "- g: protocols 0-16 to 0.0.0.0/0 is closed now",
            "- g: protocols 18-255 to 0.0.0.0/0 is closed now",
            "- g: every protocol to ::/0 is closed now"
        ]
    );
    // A rule in many parts is reported as a whole.
    let old = [
        "direction: egress, protocol: tcp, port_range_min: 80, port_range_max: 80",
        "direction: egress, protocol: udp, port_range_min: 53, port_range_max: 53",
    ];
    assert_eq!(
        rules(&old, &[]),
        [
            "+ g: every protocol to 0.0.0.0/0 is open now (before: tcp 80, udp 53)",
            "+ g: every protocol to ::/0 is open now"
        ]
    );
    // The default egress of a new group is not reported.
    let new = reported("resources: {}", &group(&[SSH]));
    assert_eq!(new, ["+ g: tcp 22 from 0.0.0.0/0 is open now"]);
    let gone = reported(&group(&[SSH]), "resources: {}");
    assert_eq!(gone, ["- g: tcp 22 from 0.0.0.0/0 is closed now"]);
}

#[test]
fn the_mode_decides_whether_a_group_or_an_address_counts() {
    // Heat ignores the group if the mode does not use it: the rule applies to everybody.
    assert_eq!(
        rules(&[], &[&format!("{SSH}, remote_group_id: web")]),
        ["+ g: tcp 22 from 0.0.0.0/0 is open now"]
    );
    let by_group = format!("{SSH}, remote_mode: remote_group_id");
    assert_eq!(
        rules(&[], &[&format!("{by_group}, remote_group_id: web")]),
        ["+ g: tcp 22 from the group `web` is open now"]
    );
    assert_eq!(rules(&[], &[&by_group]), ["+ g: tcp 22 from members of the group is open now"]);
    // What is allowed for everybody is allowed for a group.
    assert_eq!(
        rules(&[SSH], &[&by_group]),
        ["- g: tcp 22 from 0.0.0.0/0 is closed now"],
        "members could before"
    );
    assert_eq!(rules(&[SSH], &[SSH, &by_group]), [""; 0]);
}

#[test]
fn rules_may_be_resources_of_their_own() {
    let within = group(&[&ssh("10.0.0.0/8")]);
    let apart = "resources:
  g: {type: OS::Neutron::SecurityGroup}
  rule:
    type: OS::Neutron::SecurityGroupRule
    properties:
      security_group: {get_resource: g}
      port_range_min: 22
      port_range_max: 22
      remote_ip_prefix: 10.0.0.0/8
";
    assert_eq!(reported(&within, apart), [""; 0], "it has only moved, and tcp is the default");
    let wider = apart.replace("10.0.0.0/8", "10.0.0.0/7");
    assert_eq!(reported(apart, &wider), ["+ rule: tcp 22 from 11.0.0.0/8 is open now"]);
    let (old, new) = pair(apart, &wider);
    let places = changes(&old, &new)[0].spans;
    assert!(places.old.is_some() && places.new.is_some(), "{places:?}");
}

#[test]
fn groups_of_amazon_have_rules_of_their_own_shape() {
    let amazon = |rule: &str| {
        format!(
            "resources: {{g: {{type: AWS::EC2::SecurityGroup, properties: {{GroupDescription: d, \
             SecurityGroupIngress: [{{{rule}}}]}}}}}}"
        )
    };
    let old = amazon("IpProtocol: tcp, FromPort: '80', ToPort: '80', CidrIp: 10.0.0.0/8");
    let new = amazon("IpProtocol: tcp, FromPort: '80', ToPort: '81', CidrIp: 10.0.0.0/8");
    assert_eq!(reported(&old, &new), ["+ g: tcp 81 from 10.0.0.0/8 is open now"]);
    let ping = amazon("IpProtocol: icmp, FromPort: '-1', ToPort: '-1', CidrIp: 0.0.0.0/0");
    assert_eq!(
        reported(&amazon("IpProtocol: icmp"), &ping),
        [""; 0],
        "without ports the addresses do not count"
    );
}

#[test]
fn what_is_not_known_stays_apart() {
    let with = |rule: &str| {
        format!("parameters: {{p: {{type: string}}, q: {{type: string}}}}\n{}", group(&[rule]))
    };
    let by = |name: &str| with(&format!("{SSH}, remote_ip_prefix: {{get_param: {name}}}"));
    assert_eq!(reported(&by("p"), &by("p")), [""; 0]);
    assert_eq!(
        reported(&group(&[]), &by("p")),
        ["+ g: tcp 22 from the parameter `p` is open now"],
        "a rule more never closes anything"
    );
    assert_eq!(
        reported(&with(&ssh("10.0.0.0/8")), &by("p")),
        [
            "? g: a rule for tcp 22 from the parameter `p` is added; it is unknown whether \
             another rule already covered it",
            "~ g: a rule for tcp 22 from 10.0.0.0/8 is removed; it is unknown whether another \
             rule still covers it"
        ]
    );
    let ports = |name: &str| {
        with(&format!("protocol: tcp, port_range_min: {{get_param: {name}}}, port_range_max: 9"))
    };
    assert_eq!(reported(&ports("p"), &ports("p")), [""; 0]);
    assert_eq!(
        reported(&ports("p"), &ports("q")),
        [
            "? g: a rule with unknown traffic is added: the parameter `q`",
            "~ g: a rule with unknown traffic is removed: the parameter `p`"
        ]
    );
    let list = "parameters: {p: {type: json}}\nresources: {g: {type: OS::Neutron::SecurityGroup, \
                properties: {rules: {get_param: p}}}}";
    assert_eq!(reported(list, list), [""; 0]);
    let from_known = reported(&group(&[SSH]), list);
    let (added, removed) = from_known.split_first().expect("changes");
    assert!(added.starts_with('?'), "{from_known:?}");
    assert!(removed.iter().all(|line| line.starts_with('~')), "{from_known:?}");
}

#[test]
fn what_is_wrong_is_told_and_never_a_panic() {
    for (rule, why) in [
        (ssh("10.0.0.0/99"), "`10.0.0.0/99` is not a network"),
        (ssh("'::/0'"), "`::/0` is of another address family"),
        (
            "protocol: tcp, port_range_min: 9, port_range_max: 8".to_owned(),
            "its first port is greater than its last one",
        ),
        ("protocol: tcp, port_range_min: 9".to_owned(), "it has only one end of a port range"),
        (
            "port_range_min: 9, port_range_max: 9".to_owned(),
            "it has ports, but its protocol has none",
        ),
        ("protocol: icmp, port_range_max: 9".to_owned(), "it has an ICMP code but no type"),
        ("protocol: http".to_owned(), "its protocol is not one that Neutron knows"),
        ("direction: in".to_owned(), "its direction is neither ingress nor egress"),
        (
            "protocol: tcp, port_range_min: 70000, port_range_max: 9".to_owned(),
            "its ports are not numbers from 0 to 65535",
        ),
    ] {
        let expected = format!("~ g: an invalid rule is added: {why}");
        assert_eq!(rules(&[], &[&rule]), [expected], "{rule}");
        assert_eq!(rules(&[&rule], &[&rule]), [""; 0]);
    }
    let odd =
        "resources: {g: {type: OS::Neutron::SecurityGroup, properties: {rules: [1, x, [], null]}}}";
    assert_eq!(reported(&group(&[]), odd).len(), 3);
}

#[test]
fn secrets_are_never_shown() {
    let with = |value: &str| {
        format!(
            "parameters: {{s: {{type: string, hidden: true, default: {value}}}}}
resources:
  g:
    type: OS::Neutron::SecurityGroup
    properties: {{rules: [{{{SSH}, remote_ip_prefix: {{get_param: s}}}}]}}
  server:
    type: OS::Nova::Server
    properties:
      flavor: f
      admin_pass: {{get_param: s}}
      key_name: {{get_param: s}}
      user_data: {{str_replace: {{template: a b, params: {{a: {{get_param: s}}}}}}}}
      image: {{get_param: s}}
      security_groups: [{{get_param: s}}]
      networks: [{{floating_ip: {{get_param: s}}}}]
  c: {{type: OS::Swift::Container, properties: {{X-Container-Read: {{get_param: s}}}}}}
  ip: {{type: OS::Neutron::FloatingIP, properties: {{floating_network: {{get_param: s}}}}}}
"
        )
    };
    let (old, new) = (with("10.11.12.13/32"), with("20.21.22.23/32"));
    let all = reported(&old, &new);
    let text = all.join("\n");
    for secret in ["10.11", "20.21"] {
        assert!(!text.contains(secret), "{text}");
    }
    for kept in ["admin", "key pair", "user_data", "image", "X-Container-Read", "floating", "group"]
    {
        assert!(text.contains(kept), "{kept}: {text}");
    }
    assert_eq!(reported(&old, &old), [""; 0]);
}

#[test]
fn addresses_that_are_public() {
    let ip = |more: &str| {
        format!(
            "resources: {{ip: {{type: OS::Neutron::FloatingIP, properties: \
             {{floating_network: public{more}}}}}, p: {{type: OS::Neutron::Port}}}}"
        )
    };
    let none = "resources: {p: {type: OS::Neutron::Port}}";
    assert_eq!(reported(none, &ip("")), ["+ ip: a floating address is new, from `public`"]);
    assert_eq!(
        reported(&ip(", port_id: {get_resource: p}"), none),
        ["- ip: a floating address is removed, from `public`, to `p`"]
    );
    assert_eq!(
        reported(&ip(""), &ip(", port_id: {get_resource: p}")),
        ["+ ip: the floating address leads to `p` now"]
    );
    let old_name = ip("").replace("floating_network", "floating_network_id");
    assert_eq!(reported(&ip(""), &old_name), [""; 0], "the older name of the property");
    let server = |networks: &str| {
        format!(
            "resources: {{s: {{type: OS::Nova::Server, properties: {{networks: [{networks}]}}}}}}"
        )
    };
    assert_eq!(
        reported(&server("{network: n}"), &server("{network: n, floating_ip: 1.2.3.4}")),
        ["+ s: it has a floating address now: `1.2.3.4`"]
    );
}

#[test]
fn servers_have_keys_passwords_images_and_scripts() {
    let server = |properties: &str| {
        format!("resources: {{s: {{type: OS::Nova::Server, properties: {{{properties}}}}}}}")
    };
    assert_eq!(
        reported(
            &server("key_name: a, admin_pass: x, image: i, user_data: u"),
            &server("key_name: b, admin_pass: y, image: j, user_data: v"),
        ),
        [
            "~ s: the key pair changes from `a` to `b`",
            "~ s: the administrator's password changes",
            "~ s: the image changes from `i` to `j`",
            "~ s: the user_data changes"
        ]
    );
    assert_eq!(
        reported(&server(""), &server("key_name: a")),
        ["+ s: the key pair is set now: `a`"]
    );
    assert_eq!(
        reported(&server("key_name: a"), &server("")),
        ["- s: the key pair is no longer set; it was `a`"]
    );
    assert_eq!(reported("resources: {}", &server("image: i, user_data: u")), [""; 0]);
}

#[test]
fn ports_are_guarded() {
    let port = |properties: &str| {
        format!("resources: {{p: {{type: OS::Neutron::Port, properties: {{{properties}}}}}}}")
    };
    for (old, new, expected) in [
        (
            "",
            "port_security_enabled: false",
            "+ p: `port_security_enabled` is false now, it was true",
        ),
        ("port_security_enabled: 'true'", "", ""),
        ("", "security_groups: [default]", ""),
        ("security_groups: [a]", "security_groups: [a, b]", "+ p: the group `b` applies now"),
        ("security_groups: [a]", "security_groups: []", "- p: the group `a` no longer applies"),
        ("", "security_groups: []", "- p: the group `default` no longer applies"),
        (
            "allowed_address_pairs: [{ip_address: 10.0.0.0/24}]",
            "allowed_address_pairs: [{ip_address: 10.0.0.0/23}]",
            "+ p: traffic in the name of 10.0.1.0/24 is allowed now",
        ),
    ] {
        let expected: Vec<&str> =
            Some(expected).filter(|line| !line.is_empty()).into_iter().collect();
        assert_eq!(reported(&port(old), &port(new)), expected, "{old} → {new}");
    }
}

#[test]
fn one_group_instead_of_another_may_allow_more() {
    let port = |group: &str| {
        format!(
            "resources: {{p: {{type: OS::Neutron::Port, properties: {{security_groups: [{group}]}}}}}}"
        )
    };
    assert_eq!(
        reported(&port("a"), &port("b")),
        ["? p: the group `b` applies now", "~ p: the group `a` no longer applies"]
    );
}

#[test]
fn a_script_with_unknown_parts_changes_where_its_known_parts_do() {
    let server = |text: &str| {
        format!(
            "parameters: {{p: {{type: string}}, q: {{type: string}}}}
resources: {{s: {{type: OS::Nova::Server, properties: {{user_data: {{list_join: [' ', [{text}]]}}}}}}}}"
        )
    };
    assert_eq!(
        reported(&server("a, {get_param: p}"), &server("b, {get_param: p}")),
        ["~ s: the user_data changes"]
    );
    assert_eq!(
        reported(&server("a, {get_param: p}"), &server("a, {get_param: q}")),
        ["~ s: the user_data is another expression; it is unknown whether its value changes"]
    );
}

#[test]
fn things_are_shared() {
    let one = |kind: &str, properties: &str| {
        format!("resources: {{x: {{type: {kind}, properties: {{{properties}}}}}}}")
    };
    for (kind, old, new, expected) in [
        ("OS::Neutron::Net", "", "shared: true", "+ x: `shared` is true now, it was false"),
        ("OS::Neutron::ProviderNet", "", "shared: true", ""),
        (
            "OS::Swift::Container",
            "",
            "X-Container-Read: '.r:*'",
            "+ x: everybody (`.r:*`) may read now",
        ),
        ("OS::Swift::Container", "X-Container-Read: 'a:b, c:d'", "X-Container-Read: 'c:d,a:b'", ""),
        (
            "AWS::S3::Bucket",
            "AccessControl: PublicReadWrite",
            "AccessControl: PublicRead",
            "- x: `AccessControl` is PublicRead now, it was PublicReadWrite",
        ),
        (
            "OS::Manila::Share",
            "access_rules: [{access_to: 10.0.0.0/24, access_type: ip, access_level: ro}]",
            "access_rules: [{access_to: 10.0.0.0/24, access_type: ip, access_level: rw}]",
            "+ x: writing from 10.0.0.0/24 is allowed now",
        ),
        (
            "OS::Keystone::UserRoleAssignment",
            "roles: [{role: r, project: p}]",
            "roles: [{role: r, project: p}, {role: admin, project: p}]",
            "+ x: the role `admin` in the project `p` is granted now",
        ),
        (
            "OS::Octavia::Listener",
            "protocol: HTTPS, protocol_port: 443, allowed_cidrs: [10.0.0.0/8]",
            "protocol: HTTPS, protocol_port: 443, allowed_cidrs: [10.0.0.0/7]",
            "+ x: tcp 443 from 11.0.0.0/8 is open now",
        ),
    ] {
        let expected: Vec<&str> =
            Some(expected).filter(|line| !line.is_empty()).into_iter().collect();
        assert_eq!(reported(&one(kind, old), &one(kind, new)), expected, "{kind}: {old} → {new}");
    }
    let policy = one(
        "OS::Neutron::RBACPolicy",
        "object_type: network, object_id: n, action: access_as_shared, target_tenant: '*'",
    );
    assert_eq!(
        reported("resources: {}", &policy),
        ["+ x: every project (`access_as_shared` on the network `n`) may use it now"]
    );
}

#[test]
fn a_policy_with_unknown_rules_is_not_reordered_silently() {
    let policy = |rules: &str| {
        format!(
            "parameters: {{more: {{type: json}}}}
resources:
  rule: {{type: OS::Neutron::FirewallRule, properties: {{protocol: tcp, action: allow}}}}
  policy: {{type: OS::Neutron::FirewallPolicy, properties: {{firewall_rules: {rules}}}}}
"
        )
    };
    let lists = [
        "[a, b]",
        "[b, a]",
        "[b]",
        "[]",
        "[a, {get_resource: rule}]",
        "[{get_resource: rule}, a]",
        "{get_param: more}",
        "{list_concat: [[a], {get_param: more}]}",
        "{list_concat: [{get_param: more}, [a]]}",
    ];
    for old in lists {
        for new in lists {
            let reported = reported(&policy(old), &policy(new));
            let may_widen = reported.iter().any(|it| it.starts_with("? policy: the rules"));
            assert_eq!(may_widen, old != new, "{old} {new}: {reported:?}");
        }
    }
}

#[test]
fn entries_of_value_specs_are_judged() {
    let resource = |kind: &str, properties: &str| {
        format!("resources: {{r: {{type: 'OS::Neutron::{kind}', properties: {{{properties}}}}}}}")
    };
    let sign = |kind: &str, old: &str, new: &str| -> String {
        let reported = reported(&resource(kind, old), &resource(kind, new));
        reported.iter().filter_map(|it| it.chars().next()).filter(|it| "+?".contains(*it)).collect()
    };
    let specs = |entry: &str| format!("network: n, value_specs: {{{entry}}}");
    for (entry, expected) in [
        ("port_security_enabled: false", "+"),
        ("allowed_address_pairs: [{ip_address: 0.0.0.0/0}]", "+"),
        ("security_groups: [g]", "?"),
        ("'binding:profile': {trusted: true}", "?"),
        ("anything: else", "?"),
        ("mtu: 9000", ""),
        ("description: d", ""),
    ] {
        assert_eq!(sign("Port", "network: n", &specs(entry)), expected, "{entry}");
        assert_eq!(sign("Port", &specs(entry), &specs(entry)), "", "{entry}");
    }
    assert_eq!(sign("Net", "", "value_specs: {'router:external': true}"), "+");
    assert_eq!(sign("Net", "", "value_specs: {'router:external': false}"), "");
    assert_eq!(sign("Firewall", "firewall_policy_id: a", "firewall_policy_id: b"), "?");
    // Every type with the property passes it on.
    for kind in ["Firewall", "FloatingIP", "Net", "Port", "Router", "Subnet"] {
        let found = Schema::heat().type_info(&format!("OS::Neutron::{kind}"));
        assert!(found.is_some_and(|it| it.property("value_specs").is_some()), "{kind}");
        assert_eq!(sign(kind, "", "value_specs: {anything: else}"), "?", "{kind}");
    }
}

#[test]
fn the_order_of_a_firewall_counts() {
    let firewall = |rules: &str| {
        format!(
            "resources:
  web: {{type: OS::Neutron::FirewallRule, properties: {{protocol: tcp, destination_port: '80:90', action: allow}}}}
  but: {{type: OS::Neutron::FirewallRule, properties: {{protocol: tcp, destination_port: '85'}}}}
  policy: {{type: OS::Neutron::FirewallPolicy, properties: {{firewall_rules: [{rules}]}}}}
"
        )
    };
    let (web, but) = ("{get_resource: web}", "{get_resource: but}");
    let (open, closed) = (firewall(&format!("{web}, {but}")), firewall(&format!("{but}, {web}")));
    assert_eq!(reported(&open, &closed), ["- web: tcp 85 from 0.0.0.0/0 is closed now"]);
    assert_eq!(reported(&closed, &open), ["+ web: tcp 85 from 0.0.0.0/0 is open now"]);
    // A rule in no known policy.
    let alone = "resources: {but: {type: OS::Neutron::FirewallRule, properties: {protocol: udp}}}";
    assert_eq!(reported("resources: {}", alone), ["- but: udp from 0.0.0.0/0 is denied now"]);
}

#[test]
fn what_stays_or_was_never_made_is_no_change() {
    let adopted = "resources: {g: {type: OS::Neutron::SecurityGroup, external_id: x, \
                   properties: {rules: [{protocol: tcp}]}}}";
    assert_eq!(reported("resources: {}", adopted), [""; 0]);
    let kept = group(&[SSH]).replace("{type:", "{deletion_policy: retain, type:");
    assert_eq!(reported(&kept, "resources: {}"), [""; 0]);
    let deleted = kept.replace("retain", "delete");
    assert_eq!(reported(&deleted, "resources: {}").len(), 1);
}

#[test]
fn another_name_is_no_change() {
    let with = |parameter: &str, name: &str| {
        format!(
            "parameters: {{{parameter}: {{type: string}}}}
resources:
  {name}:
    type: OS::Neutron::SecurityGroup
    properties: {{rules: [{{{SSH}, remote_ip_prefix: {{get_param: {parameter}}}}}]}}
  port: {{type: OS::Neutron::Port, properties: {{security_groups: [{{get_resource: {name}}}]}}}}
  rule:
    type: OS::Neutron::SecurityGroupRule
    properties: {{security_group: {{get_resource: {name}}}, protocol: udp}}
"
        )
    };
    assert_eq!(reported(&with("p", "g"), &with("q", "g")), [""; 0]);
    assert_eq!(reported(&with("p", "g"), &with("p", "h")), [""; 0]);
    assert_eq!(reported(&with("p", "g"), &with("q", "h")), [""; 0]);
}

#[test]
fn what_is_in_a_stack_moves_with_it() {
    let names = [("b", "a"), ("b/x/y", "b/x/z")].map(|(one, other)| (one.into(), other.into()));
    let names = HashMap::from(names);
    for (whole, other) in
        [("b", "a"), ("b/x", "a/x"), ("b/x/y", "b/x/z"), ("bb", "bb"), ("c/b", "c/b")]
    {
        assert_eq!(other_name(&names, whole), other);
    }
}

#[test]
fn rules_find_their_group_through_nested_stacks() {
    let root = "resources:
  g: {type: OS::Neutron::SecurityGroup, properties: {rules: [RULES]}}
  inner: {type: inner.yaml, properties: {group: {get_resource: g}}}
";
    let inner = "parameters: {group: {type: string}}
resources:
  rule:
    type: OS::Neutron::SecurityGroupRule
    properties: {security_group: {get_param: group}, port_range_min: 22, port_range_max: 23}
";
    let mut sources = SourceMap::default();
    let mut one = |rules: &str| {
        let root = root.replace("RULES", rules);
        deployed(&[("root.yaml", &root), ("inner.yaml", inner)], &mut sources)
    };
    let (without, with) = (one(""), one("{protocol: tcp, port_range_min: 23, port_range_max: 24}"));
    let reported: Vec<String> = changes(&without, &with).iter().map(line).collect();
    assert_eq!(
        reported,
        ["+ g: tcp 24 from 0.0.0.0/0 is open now"],
        "23 was open by the other rule"
    );
}

#[test]
fn every_row_names_a_property_that_the_schema_has() {
    let paths = exposure_levels::ROWS
        .iter()
        .map(exposure_levels::ExposureScale::location)
        .chain(credentials::ROWS.iter().map(credentials::CredentialRule::location))
        .chain(sets::ROWS.iter().map(sets::SetRule::location))
        .chain(public::ROWS.iter().flat_map(public::PublicAddressRule::locations));
    for (kind, path) in paths {
        let info = Schema::heat().type_info(kind).expect(kind);
        // What `value_specs` holds is known to the service only.
        let known = path.split_inclusive(|it| *it == resource_side::VALUE_SPECS).next();
        assert!(known.is_some_and(|it| info.property_at(it).is_some()), "{kind} {path:?}");
    }
}

/// A rule as text, with few choices, so that rules overlap.
fn any_rule() -> impl Strategy<Value = String> {
    let direction =
        prop_oneof![Just(""), Just("direction: ingress, "), Just("direction: egress, ")];
    let service = prop_oneof![
        Just("protocol: tcp".to_owned()),
        Just("protocol: any".to_owned()),
        (1..6u8, 0..3u8).prop_map(|(first, more)| format!(
            "protocol: tcp, port_range_min: {first}, port_range_max: {}",
            first + more
        )),
    ];
    let peer = prop_oneof![
        Just(String::new()),
        (0..4u32, 29..32u32)
            .prop_map(|(host, prefix)| format!(", remote_ip_prefix: 10.0.0.{}/{prefix}", host * 2)),
        Just(", remote_mode: remote_group_id, remote_group_id: web".to_owned()),
        Just(", remote_ip_prefix: {get_param: p}".to_owned()),
    ];
    (direction, service, peer)
        .prop_map(|(direction, service, peer)| format!("{direction}{service}{peer}"))
}

fn any_group() -> impl Strategy<Value = String> {
    prop::collection::vec(any_rule(), 0..5).prop_map(|rules| {
        let rules: Vec<&str> = rules.iter().map(String::as_str).collect();
        format!("parameters: {{p: {{type: string}}}}\n{}", group(&rules))
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_changes_where_nothing_changed(text in any_group()) {
        prop_assert_eq!(reported(&text, &text), Vec::<String>::new());
    }

    #[test]
    fn the_way_back_closes_what_the_way_there_opens(old in any_group(), new in any_group()) {
        let (old, new) = pair(&old, &new);
        let there = changes(&old, &new);
        let back = changes(&new, &old);
        let count = |changes: &[SecurityChange], verdict| {
            changes.iter().filter(|change| change.access == verdict).count()
        };
        for (one, other) in [
            (AccessChange::Widened, AccessChange::Narrowed),
            (AccessChange::Narrowed, AccessChange::Widened),
            // What may open one way may close the other way, which is no verdict of its own.
            (AccessChange::MayWiden, AccessChange::Changed),
            (AccessChange::Changed, AccessChange::MayWiden),
        ] {
            let mut shown = String::new();
            for change in there.iter().chain(&back) {
                writeln!(shown, "{}", line(change)).expect("a text");
            }
            prop_assert_eq!(count(&there, one), count(&back, other), "{}", shown);
        }
    }
}

/// Ways to compute a list of which a part is unknown, with the verdict if another item is added at `ITEMS`, a list itself.
const PARTLY_UNKNOWN: [(&str, AccessChange); 11] = [
    ("{list_concat: [ITEMS, {get_param: more}]}", AccessChange::Widened),
    ("{list_concat: [{get_param: more}, ITEMS]}", AccessChange::Widened),
    ("{list_concat_unique: [ITEMS, {get_param: more}]}", AccessChange::Widened),
    (
        "{list_concat: [{list_concat: [ITEMS, {get_param: other}]}, {get_param: more}]}",
        AccessChange::Widened,
    ),
    (
        "{list_concat: [ITEMS, {repeat: {for_each: {<%p%>: {get_param: more}}, template: <%p%>}}]}",
        AccessChange::Widened,
    ),
    ("{list_concat: [ITEMS, {if: [c, [], {get_param: more}]}]}", AccessChange::Widened),
    (
        "{list_concat: [ITEMS, {yaql: {expression: $.data, data: {get_param: more}}}]}",
        AccessChange::Widened,
    ),
    ("{if: [c, ITEMS, []]}", AccessChange::MayWiden),
    ("{if: [c, [], {list_concat: [{get_param: more}, ITEMS]}]}", AccessChange::MayWiden),
    ("{list_concat: [{get_param: more}, {if: [c, ITEMS, []]}]}", AccessChange::MayWiden),
    (
        "{yaql: {expression: $.data.a + $.data.b, data: {a: ITEMS, b: {get_param: more}}}}",
        AccessChange::MayWiden,
    ),
];

/// Lists that grant something: the type, the property, an item that both sides have, and one that is added.
const GRANTING_LISTS: [(&str, &str, &str, &str); 9] = [
    (
        "OS::Neutron::SecurityGroup",
        "rules",
        "{protocol: tcp, remote_ip_prefix: 10.0.0.0/8}",
        "{protocol: tcp, remote_ip_prefix: 0.0.0.0/0}",
    ),
    (
        "AWS::EC2::SecurityGroup",
        "SecurityGroupIngress",
        "{IpProtocol: tcp, FromPort: 443, ToPort: 443, CidrIp: 10.0.0.0/8}",
        "{IpProtocol: tcp, FromPort: 22, ToPort: 22, CidrIp: 0.0.0.0/0}",
    ),
    (
        "OS::Neutron::Port",
        "allowed_address_pairs",
        "{ip_address: 10.0.0.1}",
        "{ip_address: 10.0.0.2}",
    ),
    ("OS::Octavia::Listener", "allowed_cidrs", "10.0.0.0/8", "0.0.0.0/0"),
    (
        "OS::Manila::Share",
        "access_rules",
        "{access_type: ip, access_to: 10.0.0.1}",
        "{access_type: ip, access_to: 10.0.0.0/8}",
    ),
    ("OS::Neutron::Port", "security_groups", "default", "open"),
    ("OS::Keystone::User", "roles", "{role: member, project: p}", "{role: admin, project: p}"),
    ("OS::Nova::Flavor", "tenants", "a", "b"),
    ("OS::Cinder::VolumeType", "projects", "a", "b"),
];

/// A template with a list, in which `c` is unknown.
fn with_list(kind: &str, property: &str, list: &str) -> String {
    format!(
        "parameters: {{more: {{type: json}}, other: {{type: json}}, x: {{type: string}}}}\n\
         conditions: {{c: {{equals: [{{get_param: x}}, a]}}}}\n\
         resources: {{g: {{type: {kind}, properties: {{{property}: {list}}}}}}}"
    )
}

#[test]
fn each_known_item_of_a_partly_unknown_list_is_judged() {
    for (kind, property, kept, added) in GRANTING_LISTS {
        for (form, verdict) in PARTLY_UNKNOWN {
            let of = |items: &str| with_list(kind, property, &form.replace("ITEMS", items));
            let (old, new) = (of(&format!("[{kept}]")), of(&format!("[{kept}, {added}]")));
            let case = format!("{kind}.{property}, {form}");
            let worst = |old: &str, new: &str| -> Option<AccessChange> {
                let (old, new) = pair(old, new);
                changes(&old, &new).iter().map(|it| it.access).min()
            };
            assert_eq!(worst(&old, &new), Some(verdict), "{case}: {:?}", reported(&old, &new));
            assert_eq!(worst(&old, &old), None, "{case}: {:?}", reported(&old, &old));
            // The other way, nothing is opened, except that another expression of yaql may give anything.
            if !form.contains("$.data.a") {
                let closed = worst(&new, &old);
                assert!(
                    closed >= Some(AccessChange::Changed),
                    "{case}: {:?}",
                    reported(&new, &old)
                );
            }
        }
    }
}

#[test]
fn a_loop_over_a_partly_unknown_list_has_known_rounds() {
    let with = |from: &str| {
        with_list(
            "OS::Neutron::SecurityGroup",
            "rules",
            &format!(
                "{{repeat: {{for_each: {{<%r%>: {{list_concat: [[{from}], {{get_param: more}}]}}}}, \
                 template: {{{SSH}, remote_ip_prefix: <%r%>}}}}}}"
            ),
        )
    };
    assert_eq!(
        reported(&with("10.0.0.0/8"), &with("0.0.0.0/0")),
        ["+ g: tcp 22 from 0.0.0.0/0 is open now (before: tcp 22 from 10.0.0.0/8)"]
    );
    assert_eq!(reported(&with("10.0.0.0/8"), &with("10.0.0.0/8")), [""; 0]);
}

#[test]
fn a_rule_that_loses_its_condition_may_open_something() {
    let rule = format!("{{{}}}", ssh("0.0.0.0/0"));
    let list = |list: &str| with_list("OS::Neutron::SecurityGroup", "rules", list);
    let (always, sometimes) = (list(&format!("[{rule}]")), list(&format!("[{{if: [c, {rule}]}}]")));
    assert_eq!(
        reported(&sometimes, &always),
        [
            "? g: a rule for tcp 22 from 0.0.0.0/0 is added; it is unknown whether another rule already covered it"
        ]
    );
    assert_eq!(
        reported(&always, &sometimes),
        [
            "~ g: a rule for tcp 22 from 0.0.0.0/0 is removed; it is unknown whether another rule still covers it"
        ]
    );
    assert_eq!(
        reported(&list("[]"), &sometimes),
        ["? g: a rule for tcp 22 from 0.0.0.0/0 is added under a condition"]
    );
}

#[test]
fn a_rule_has_its_place_and_that_of_the_rule_before() {
    const UDP: &str = "{protocol: udp, remote_ip_prefix: 10.0.0.0/8}";
    let rule = |port: u16| {
        format!(
            "{{protocol: tcp, port_range_min: {port}, port_range_max: 443, remote_ip_prefix: 10.0.0.0/8}}"
        )
    };
    let of = |list: &str| with_list("OS::Neutron::SecurityGroup", "rules", list);
    let (old, new) = (rule(443), rule(22));
    for (before, after) in [
        (format!("[{UDP}, {old}]"), format!("[{UDP}, {new}]")),
        (
            format!("[{UDP}, {old}]"),
            format!("{{list_concat: [[{UDP}], [{new}], {{get_param: more}}]}}"),
        ),
        (
            format!("{{list_concat: [[{UDP}, {old}], {{get_param: more}}]}}"),
            format!("{{list_concat: [[{UDP}, {new}], {{get_param: more}}]}}"),
        ),
    ] {
        let (before, after) = (of(&before), of(&after));
        let (one, other) = pair(&before, &after);
        let all = changes(&one, &other);
        let widened = all.iter().find(|it| it.access == AccessChange::Widened).expect("widened");
        let place = |text: &str, span: Option<Span>| -> String {
            let text = format!("heat_template_version: 2021-04-16\n{text}");
            text.get(span.expect("a span").range()).expect("inside").to_owned()
        };
        assert_eq!(place(&before, widened.spans.old), old, "{after}");
        assert_eq!(place(&after, widened.spans.new), new, "{after}");
    }
}

#[test]
fn a_key_grants_the_same_whatever_its_resource_is_called() {
    let pairs = |pairs: &[(&str, &str, &str)]| -> String {
        let pairs = pairs.iter().map(|(resource, name, key)| {
            format!("{resource}: {{type: OS::Nova::KeyPair, properties: {{name: {name}, public_key: {key}}}}}")
        });
        format!("resources: {{{}}}", pairs.collect::<Vec<_>>().join(", "))
    };
    let old = pairs(&[("a", "one", "K"), ("b", "two", "K")]);
    assert_eq!(reported(&old, &pairs(&[("a", "other", "K"), ("b", "two", "K")])), [""; 0]);
    assert_eq!(reported(&old, &pairs(&[("c", "three", "K"), ("d", "four", "K")])), [""; 0]);
    assert_eq!(
        reported(&old, &pairs(&[("c", "three", "K"), ("d", "four", "L")])),
        ["+ d: a new resource with a public key"]
    );
}
