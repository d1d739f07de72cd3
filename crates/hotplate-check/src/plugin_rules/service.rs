//! Rules of the services about the properties that Heat sends them unseen.

use std::net::IpAddr;

use super::Violation;
use super::view::PropertyView;
use heat_engine::eval::{Value, python};

fn violation(property: &'static str, message: impl Into<String>) -> Option<Violation> {
    Some(Violation { property, message: message.into() })
}

/// A known string or number as text; empty if the property is absent, and `None` if it is unknown.
fn text(view: &PropertyView<'_>, name: &str) -> Option<String> {
    match (view.value(name), view) {
        (Some(Value::Null), _) | (None, PropertyView::Item(_)) => Some(String::new()),
        (Some(Value::Text(text)), _) => Some(text.to_string()),
        (Some(number @ Value::Int(_)), _) => python::str(number).ok(),
        _ => None,
    }
}

/// The protocol of a rule by its number, which Neutron accepts as well.
fn protocol(view: &PropertyView<'_>) -> Option<String> {
    const NUMBERS: [(&str, &str); 7] = [
        ("1", "icmp"),
        ("6", "tcp"),
        ("17", "udp"),
        ("33", "dccp"),
        ("58", "ipv6-icmp"),
        ("132", "sctp"),
        ("136", "udplite"),
    ];
    let written = text(view, "protocol")?.to_lowercase();
    let name = NUMBERS.iter().find(|(number, _)| *number == written).map(|(_, name)| *name);
    Some(match name.unwrap_or(&written) {
        "icmpv6" => "ipv6-icmp".to_owned(),
        name => name.to_owned(),
    })
}

/// The ports of a rule of a security group, by its protocol.
pub(super) fn ports_of_a_rule(view: &PropertyView<'_>) -> Option<Violation> {
    let protocol = protocol(view)?;
    let bounds = ["port_range_min", "port_range_max"].map(|name| Some((name, text(view, name)?)));
    let [Some((_, least)), Some((_, most))] = &bounds else { return None };
    let given = bounds.iter().flatten().find(|(_, bound)| !bound.is_empty());
    let name = given?.0;
    match protocol.as_str() {
        "" | "any" | "0" => violation(name, "ports need a `protocol`, such as `tcp`"),
        "tcp" | "udp" | "dccp" | "sctp" | "udplite" => {
            let zero = bounds.iter().flatten().find(|(_, bound)| bound == "0");
            if let Some(zero) = zero {
                let message =
                    format!("{protocol} has no port 0; leave out both ports to allow all of them");
                return violation(zero.0, message);
            }
            if least.is_empty() || most.is_empty() {
                return violation(name, "`port_range_min` and `port_range_max` are both required");
            }
            let (least, most): (i64, i64) = (least.parse().ok()?, most.parse().ok()?);
            let message = format!("`port_range_min`, {least}, is above `port_range_max`, {most}");
            (least > most).then(|| violation("port_range_min", message))?
        }
        "icmp" | "ipv6-icmp" => {
            if least.is_empty() {
                let message = "a code of ICMP, `port_range_max`, needs the type, `port_range_min`";
                return violation("port_range_max", message);
            }
            let large = bounds.iter().flatten();
            let mut large = large.filter(|(_, bound)| bound.parse().is_ok_and(|it: i64| it > 255));
            let message = "the ports of ICMP are its type and code, at most 255";
            large.next().map(|it| violation(it.0, message))?
        }
        _ => violation(name, format!("the protocol `{protocol}` has no ports")),
    }
}

/// The IP version of a rule of a security group, which its prefix and its protocol have to fit.
pub(super) fn version_of_a_rule(view: &PropertyView<'_>) -> Option<Violation> {
    let version = Some(text(view, "ethertype")?).filter(|it| !it.is_empty());
    let version = version.unwrap_or_else(|| "IPv4".to_owned());
    let is_of_ipv6 = protocol(view).is_some_and(|it| it.starts_with("ipv6-"));
    if is_of_ipv6 && version == "IPv4" {
        return violation("protocol", "the protocol is one of IPv6: set `ethertype: IPv6`");
    }
    let prefix = text(view, "remote_ip_prefix").filter(|it| !it.is_empty())?;
    let (address, _) = parse_network(&prefix)?;
    let message = format!("`{prefix}` is no {version} prefix: set `ethertype` to its version");
    (address.is_ipv6() != (version == "IPv6")).then(|| violation("remote_ip_prefix", message))?
}

fn parse_network(text: &str) -> Option<(IpAddr, u32)> {
    match text.split_once('/') {
        Some((address, prefix)) => Some((address.parse().ok()?, prefix.parse().ok()?)),
        None => text.parse().ok().map(|it: IpAddr| (it, if it.is_ipv6() { 128 } else { 32 })),
    }
}

fn bits(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(it) => it.to_bits().into(),
        IpAddr::V6(it) => it.to_bits(),
    }
}

fn version(address: IpAddr) -> i64 {
    if address.is_ipv6() { 6 } else { 4 }
}

/// The first and the last address of a network.
fn ends((address, prefix): (IpAddr, u32)) -> (u128, u128) {
    let width = if address.is_ipv6() { 128 } else { 32u32 };
    let hosts = 1u128.checked_shl(width.saturating_sub(prefix)).map_or(u128::MAX, |it| it - 1);
    (bits(address) & !hosts, bits(address) | hosts)
}

/// The addresses of a subnet have its version.
pub(super) fn versions_of_a_subnet(view: &PropertyView<'_>) -> Option<Violation> {
    let expected = view.number("ip_version")?;
    ["cidr", "gateway_ip"].into_iter().find_map(|name| {
        let written = view.text(name)?;
        let (address, _) = parse_network(written)?;
        let message =
            format!("`{written}` is no IPv{expected} address, but `ip_version` is {expected}");
        (version(address) != expected).then(|| violation(name, message))?
    })
}

/// The network of a subnet.
pub(super) fn network_of_a_subnet(view: &PropertyView<'_>) -> Option<Violation> {
    let (address, prefix) = parse_network(view.text("cidr")?)?;
    if prefix == 0 {
        return violation("cidr", "a subnet cannot have all addresses: the prefix length is 0");
    }
    let derives = |name| matches!(view.text(name), Some("slaac" | "dhcpv6-stateless"));
    if (derives("ipv6_address_mode") || derives("ipv6_ra_mode")) && prefix != 64 {
        return violation(
            "cidr",
            "addresses that ports derive themselves need a prefix of length 64",
        );
    }
    if !view.is("enable_dhcp", "true") {
        return None;
    }
    let most = if address.is_ipv6() { 126 } else { 30 };
    match () {
        () if prefix > most => {
            violation("cidr", format!("DHCP needs a prefix length of at most {most}"))
        }
        () if address.is_multicast() => {
            violation("cidr", "a subnet with DHCP is not of multicast addresses")
        }
        () if address.is_loopback() => {
            violation("cidr", "a subnet with DHCP is not of loopback addresses")
        }
        () => None,
    }
}

/// The pools of a subnet are of its hosts, do not overlap, and leave the gateway out.
pub(super) fn pools_of_a_subnet(view: &PropertyView<'_>) -> Option<Violation> {
    let network = parse_network(view.text("cidr")?)?;
    let (first, last) = ends(network);
    let has_broadcast = network.0.is_ipv4() && network.1 < 31;
    let gateway = view.text("gateway_ip").and_then(|it| it.parse().ok());
    let gateway: Option<IpAddr> = gateway.filter(|it: &IpAddr| it.is_ipv4() == network.0.is_ipv4());
    if let Some(gateway) = gateway
        && (has_broadcast && [first, last].contains(&bits(gateway)))
    {
        return violation(
            "gateway_ip",
            "the gateway is the first or the last address of the network",
        );
    }
    let mut pools = Vec::new();
    for pool in view.items("allocation_pools") {
        let (start, end): (IpAddr, IpAddr) =
            (pool.text("start")?.parse().ok()?, pool.text("end")?.parse().ok()?);
        let (start, end) = (bits(start), bits(end));
        if has_broadcast && (start == first || end == last) {
            let message =
                "an allocation pool contains the first or the last address of the network";
            return violation("allocation_pools", message);
        }
        if gateway.is_some_and(|it| (start..=end).contains(&bits(it))) {
            return violation("allocation_pools", "an allocation pool contains the gateway");
        }
        pools.push((start, end));
    }
    pools.sort_unstable();
    let overlap = pools.windows(2).any(|pair| pair[0].1 >= pair[1].0);
    overlap.then(|| violation("allocation_pools", "the allocation pools overlap"))?
}

/// The segment of a provider network.
pub(super) fn segment_of_a_network(view: &PropertyView<'_>) -> Option<Violation> {
    let kind = view.text("network_type")?;
    let most: u64 = match kind {
        "vlan" => 4094,
        "vxlan" | "geneve" => (1 << 24) - 1,
        "gre" => (1 << 32) - 1,
        _ => return None,
    };
    let id = text(view, "segmentation_id").filter(|it| !it.is_empty())?;
    let is_valid = id.parse().is_ok_and(|id: u64| (1..=most).contains(&id));
    let message = format!("a segment of {kind} is a number from 1 to {most}");
    (!is_valid).then(|| violation("segmentation_id", message))?
}

/// The records of a set have the form of its type.
pub(super) fn records_of_a_set(view: &PropertyView<'_>) -> Option<Violation> {
    let kind = view.text("type")?;
    let Some(Value::List(records)) = view.value("records") else { return None };
    if kind == "CNAME" && records.len() > 1 {
        return violation("records", "a name has one CNAME only");
    }
    records.iter().find_map(|record| {
        let Value::Text(record) = record.unsealed() else { return None };
        let address: Option<IpAddr> = record.parse().ok();
        let expected = match kind {
            "A" if address.is_none_or(|it| it.is_ipv6()) => "an IPv4 address",
            "AAAA" if address.is_none_or(|it| it.is_ipv4()) => "an IPv6 address",
            "CNAME" | "NS" | "PTR" if !record.ends_with('.') => "a name that ends with a dot",
            _ => return None,
        };
        violation("records", format!("`{record}` is not {expected}, as a record of type {kind} is"))
    })
}

/// The public key of a pair.
pub(super) fn public_key(view: &PropertyView<'_>) -> Option<Violation> {
    let key = view.text("public_key").filter(|key| !key.is_empty())?;
    let is_ssh = !view.is("type", "x509");
    let message = "the key is not of the form `ssh-rsa AAAA… COMMENT`";
    (is_ssh && key.split_whitespace().nth(1).is_none()).then(|| violation("public_key", message))?
}

/// The status codes that a health monitor expects.
pub(super) fn expected_codes(view: &PropertyView<'_>) -> Option<Violation> {
    let codes = view.text("expected_codes").filter(|it| !it.is_empty())?;
    let is_code = |code: &str| code.len() == 3 && code.bytes().all(|it| it.is_ascii_digit());
    let is_valid = codes.split(',').all(|code| is_code(code.trim()))
        || codes.split_once('-').is_some_and(|(from, to)| is_code(from) && is_code(to));
    let message =
        format!("`{codes}` is not one code, a list like `200, 202`, or a range like `200-204`");
    (!is_valid).then(|| violation("expected_codes", message))?
}
