use super::*;
use crate::eval::Map;

/// Decodes a rule that a flow mapping describes.
fn rule_of(members: &[(&str, Value)]) -> Map {
    members.iter().map(|(name, value)| ((*name).into(), value.clone())).collect()
}

fn text(text: &str) -> Value {
    Value::text(text)
}

/// The remote end in words.
fn remote(rule: &SecurityRule<'_, &Value>) -> String {
    let shown = |value: &ReadValue<'_, &Value>| match value.value() {
        Some(Value::Text(text)) => text.to_string(),
        Some(_) => "unknown".to_owned(),
        None => "any".to_owned(),
    };
    match &rule.remote {
        RemoteEnd::Prefix(prefix) => format!("from {}", shown(prefix)),
        RemoteEnd::OwnGroup => "from its group".to_owned(),
        RemoteEnd::Group(member, group) => format!("from {} of {member}", shown(group)),
        RemoteEnd::ByMode(_) => "by mode".to_owned(),
    }
}

#[test]
fn the_mode_of_a_rule_in_a_group_selects_its_remote_end() {
    let mode = || ("remote_mode", text("remote_group_id"));
    let group = |it: &str| ("remote_group_id", text(it));
    let prefix = || ("remote_ip_prefix", text("10.0.0.0/8"));
    for (members, expected) in [
        (vec![], "from any"),
        (vec![prefix(), group("web")], "from 10.0.0.0/8"),
        (vec![("remote_mode", Value::Null), prefix()], "from 10.0.0.0/8"),
        (vec![mode(), prefix(), group("web")], "from web of remote_group_id"),
        (vec![mode(), prefix()], "from its group"),
        // Python's `not` in `_format_rule`.
        (vec![mode(), group("")], "from its group"),
        (vec![("remote_mode", text("remote_ip_prefix")), group("web")], "from any"),
    ] {
        let map = rule_of(&members);
        let rule = SecurityRule::in_group(|name| ReadValue::of(map.get(name)));
        assert_eq!(remote(&rule), expected, "{members:?}");
        assert_eq!(rule.protocol(AddressFamily::V4), Ok(Protocol::Any));
        assert_eq!(rule.direction(), Ok(Direction::Ingress));
    }
}

#[test]
fn a_rule_that_is_a_resource_is_of_tcp_and_has_one_remote_end() {
    let group = || ("remote_group", text("web"));
    let prefix = |it: &str| ("remote_ip_prefix", text(it));
    for (members, expected) in [
        (vec![], Ok("from any")),
        (vec![group()], Ok("from web of remote_group")),
        (vec![group(), prefix("")], Ok("from web of remote_group")),
        (vec![group(), prefix("10.0.0.0/8")], Err("it has both addresses and a group")),
    ] {
        let map = rule_of(&members);
        let rule = SecurityRule::of_resource(|name| ReadValue::of(map.get(name)));
        let found = rule.as_ref().map(remote).map_err(|why| *why);
        assert_eq!(found, expected.map(str::to_owned), "{members:?}");
        if let Ok(rule) = rule {
            assert_eq!(rule.protocol(AddressFamily::V6), Ok(Protocol::Number(6)));
        }
    }
}

#[test]
fn rules_of_amazon_have_negative_ports_and_lose_addresses_without_ports() {
    let from = |it: &str| ("FromPort", text(it));
    let to = |it: &str| ("ToPort", text(it));
    let prefix = || ("CidrIp", text("10.0.0.0/8"));
    let id = |it: &str| ("SourceSecurityGroupId", text(it));
    let name = || ("SourceSecurityGroupName", text("web"));
    for (members, ports, expected) in [
        (vec![from("22"), to("22"), prefix()], [Some(22), Some(22)], Ok("from 10.0.0.0/8")),
        (vec![from("-1"), to("-1"), prefix()], [None, None], Ok("from 10.0.0.0/8")),
        (vec![prefix()], [None, None], Ok("from any")),
        (vec![id("a"), name()], [None, None], Ok("from a of SourceSecurityGroupId")),
        (vec![id(""), name()], [None, None], Ok("from web of SourceSecurityGroupName")),
        // Without ports the addresses are dropped before Neutron sees both.
        (vec![name(), prefix()], [None, None], Ok("from web of SourceSecurityGroupName")),
        (vec![from("1"), name(), prefix()], [None; 2], Err("it has both addresses and a group")),
    ] {
        let map = rule_of(&members);
        let read = |name: &str| ReadValue::of(map.get(name));
        let rule = SecurityRule::of_amazon(Direction::Egress, read);
        let found = rule.as_ref().map(remote).map_err(|why| *why);
        assert_eq!(found, expected.map(str::to_owned), "{members:?}");
        if let Ok(rule) = rule {
            assert_eq!(rule.ports(), Ok(ports), "{members:?}");
            assert_eq!(rule.direction(), Ok(Direction::Egress));
        }
    }
}

#[test]
fn members_that_neutron_refuses_are_refused() {
    for (member, value) in [
        ("direction", text("in")),
        ("ethertype", text("ipv4")),
        ("protocol", text("http")),
        ("port_range_min", text("65536")),
        ("port_range_max", Value::list(Vec::new())),
    ] {
        let map = rule_of(&[(member, value)]);
        let rule = SecurityRule::in_group(|name| ReadValue::of(map.get(name)));
        let results = [
            matches!(rule.direction(), Err(Undecoded::Refused(_))),
            matches!(rule.family(), Err(Undecoded::Refused(_))),
            matches!(rule.protocol(AddressFamily::V4), Err(Undecoded::Refused(_))),
            matches!(rule.ports(), Err(Undecoded::Refused(_))),
        ];
        assert_eq!(results.iter().filter(|it| **it).count(), 1, "{member}");
    }
}

#[test]
fn protocols_have_names_and_numbers() {
    for (text, family, expected) in [
        ("tcp", AddressFamily::V4, Some(Protocol::Number(6))),
        ("TCP", AddressFamily::V4, Some(Protocol::Number(6))),
        (" 6 ", AddressFamily::V6, Some(Protocol::Number(6))),
        ("icmp", AddressFamily::V4, Some(Protocol::Number(1))),
        ("icmp", AddressFamily::V6, Some(Protocol::Number(58))),
        ("1", AddressFamily::V6, Some(Protocol::Number(58))),
        ("icmpv6", AddressFamily::V4, Some(Protocol::Number(58))),
        ("ipip", AddressFamily::V4, Some(Protocol::Number(4))),
        ("253", AddressFamily::V4, Some(Protocol::Number(253))),
        ("any", AddressFamily::V4, Some(Protocol::Any)),
        ("0", AddressFamily::V4, Some(Protocol::Any)),
        ("ip", AddressFamily::V4, Some(Protocol::Any)),
        ("ipv4", AddressFamily::V4, None),
        ("-1", AddressFamily::V4, None),
        ("256", AddressFamily::V4, None),
        ("http", AddressFamily::V4, None),
    ] {
        assert_eq!(Protocol::read(text, family), expected, "{text}");
    }
}

#[test]
fn addresses_have_the_length_of_their_prefix() {
    for (text, expected) in [
        ("10.0.0.1", Some("10.0.0.1/32")),
        ("10.1.2.3/8", Some("10.1.2.3/8")),
        ("10.0.0.0/255.0.0.0", Some("10.0.0.0/8")),
        ("10.0.0.0/0.255.255.255", Some("10.0.0.0/8")),
        ("2001:DB8::/32", Some("2001:db8::/32")),
        ("::1", Some("::1/128")),
        ("10.0.0.0/33", None),
        ("10.0.0.0/::", None),
        ("any", None),
    ] {
        assert_eq!(cidr(text).as_deref(), expected, "{text}");
    }
}

#[test]
fn a_subnet_has_no_bits_of_a_host() {
    for (text, expected) in [
        ("10.1.2.3/8", Some("10.0.0.0/8")),
        ("10.1.2.3/0", Some("0.0.0.0/0")),
        ("10.1.2.3", Some("10.1.2.3/32")),
        ("2001:0DB8:0::1/64", Some("2001:db8::/64")),
        ("2001:db8::1/0", Some("::/0")),
        ("any", None),
    ] {
        assert_eq!(subnet_cidr(text).as_deref(), expected, "{text}");
    }
}
