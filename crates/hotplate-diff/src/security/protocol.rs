//! The protocols in rules.
//!
//! Source: IANA's protocol numbers, by the names that Neutron accepts. `any` and the number 0 stand
//! for every protocol.

use super::traffic_set::{AddressFamily, Interval};

/// Names and numbers; messages use the first name of a number.
const NAMES: [(&str, u8); 23] = [
    ("icmp", 1),
    ("igmp", 2),
    ("ipv4", 4),
    ("tcp", 6),
    ("egp", 8),
    ("udp", 17),
    ("dccp", 33),
    ("ipv6-encap", 41),
    ("ipv6-route", 43),
    ("ipv6-frag", 44),
    ("rsvp", 46),
    ("gre", 47),
    ("esp", 50),
    ("ah", 51),
    ("ipv6-icmp", ICMP6),
    ("icmpv6", ICMP6),
    ("ipv6-nonxt", 59),
    ("ipv6-opts", 60),
    ("ospf", 89),
    ("vrrp", 112),
    ("pgm", 113),
    ("sctp", 132),
    ("udplite", 136),
];

const ICMP: u8 = 1;
const ICMP6: u8 = 58;

/// The protocols that have ports.
const WITH_PORTS: [u8; 5] = [6, 17, 33, 132, 136];

/// The numbers of a protocol's name; `None` for an unknown name. ICMP for IPv6 is another protocol
/// than for IPv4, and both have the same name.
pub(super) fn numbers(text: &str, family: AddressFamily) -> Option<Interval> {
    let text = text.trim().to_ascii_lowercase();
    if matches!(text.as_str(), "" | "any" | "-1" | "0") {
        return Some(Interval::new(0, 255));
    }
    let named = NAMES.iter().find(|(name, _)| *name == text).map(|(_, number)| *number);
    let number = named.or_else(|| text.parse::<u8>().ok())?;
    let number = if number == ICMP && family == AddressFamily::V6 { ICMP6 } else { number };
    Some(Interval::one(number.into()))
}

/// Whether all of these protocols have ports.
pub(super) fn has_ports(numbers: Interval) -> bool {
    numbers.first == numbers.last && WITH_PORTS.iter().any(|&one| numbers.contains(one.into()))
}

/// Whether it has types and codes instead of ports.
pub(super) fn has_types(numbers: Interval) -> bool {
    numbers.first == numbers.last && [ICMP, ICMP6].iter().any(|&one| numbers.contains(one.into()))
}

/// The protocols as messages show them: by name if they are one, else by number.
pub(super) fn shown(numbers: Interval) -> String {
    let of = |number: u128| NAMES.iter().find(|(_, one)| u128::from(*one) == number);
    match (numbers.first, numbers.last) {
        (0, 255) => "every protocol".to_owned(),
        (first, last) if first == last => match of(first) {
            Some((name, _)) => (*name).to_owned(),
            None => format!("protocol {first}"),
        },
        (first, last) => format!("protocols {first}-{last}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_are_one() {
        for (text, family, expected) in [
            ("tcp", AddressFamily::V4, Some("tcp")),
            ("TCP", AddressFamily::V4, Some("tcp")),
            ("6", AddressFamily::V6, Some("tcp")),
            ("icmp", AddressFamily::V4, Some("icmp")),
            ("icmp", AddressFamily::V6, Some("ipv6-icmp")),
            ("icmpv6", AddressFamily::V6, Some("ipv6-icmp")),
            ("136", AddressFamily::V4, Some("udplite")),
            ("253", AddressFamily::V4, Some("protocol 253")),
            ("any", AddressFamily::V4, Some("every protocol")),
            ("0", AddressFamily::V4, Some("every protocol")),
            ("256", AddressFamily::V4, None),
            ("http", AddressFamily::V4, None),
        ] {
            assert_eq!(numbers(text, family).map(shown).as_deref(), expected, "{text}");
        }
    }
}
