//! Other grants of access: addresses, keys, sharing, policies, firewalls.

use super::*;

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
        ["~ s: the user_data may change"]
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
