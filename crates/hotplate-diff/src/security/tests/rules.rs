//! Rules of security groups, and the groups that they belong to.

use super::*;

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
    assert_eq!(rules(&["protocol: ipip"], &["protocol: '4'"]), nothing);
    let own = "protocol: tcp, remote_mode: remote_group_id";
    assert_eq!(rules(&[own], &[&format!("{own}, remote_group_id: ''")]), nothing);
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
    let places = changes(&old, &new)[0].places;
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
    let both = "IpProtocol: tcp, FromPort: '80', ToPort: '81', CidrIp: 10.0.0.0/8, \
                SourceSecurityGroupName: web";
    assert_eq!(
        reported(&old, &amazon(both)),
        [
            "~ g: an invalid rule is added: it has both addresses and a group",
            "- g: tcp 80 from 10.0.0.0/8 is closed now"
        ]
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
