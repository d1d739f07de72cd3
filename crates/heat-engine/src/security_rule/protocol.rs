//! The protocols of rules.
//!
//! Source: `IP_PROTOCOL_MAP` of `neutron_lib.constants`, and Neutron's `convert_protocol`. `any` and the
//! number 0 stand for every protocol.

use super::AddressFamily;
use crate::eval::python;
use python_semantics::number::Integer;

/// The protocol of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// No protocol is given: Neutron lets every one through.
    Any,
    /// The one with this number of IANA.
    Number(u8),
}

/// Names and numbers; messages use the first name of a number.
const NAMES: [(&str, u8); 25] = [
    ("hopopt", 0),
    ("ip", 0),
    ("icmp", ICMP),
    ("igmp", 2),
    ("ipip", 4),
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

impl Protocol {
    /// Reads a name or a number; `None` if Neutron knows no such protocol. ICMP for IPv6 is another protocol
    /// than for IPv4, and both have the same name.
    #[must_use]
    pub fn read(text: &str, family: AddressFamily) -> Option<Protocol> {
        let text = text.to_ascii_lowercase();
        let named = NAMES.iter().find(|(name, _)| *name == text).map(|(_, number)| *number);
        let number = match (text.as_str(), named, python::int_of_text(&text)) {
            ("" | "any", ..) => 0,
            (_, Some(number), _) => number,
            (.., Some(Integer::Small(number))) => u8::try_from(number).ok()?,
            _ => return None,
        };
        Some(match (number, family) {
            (0, _) => Protocol::Any,
            (ICMP, AddressFamily::V6) => Protocol::Number(ICMP6),
            (number, _) => Protocol::Number(number),
        })
    }

    /// The name, if it is one protocol that has a name.
    #[must_use]
    pub fn name(self) -> Option<&'static str> {
        match self {
            Protocol::Any => None,
            Protocol::Number(number) => {
                NAMES.iter().find(|(_, one)| *one == number).map(|(name, _)| *name)
            }
        }
    }

    /// Whether it has ports.
    #[must_use]
    pub fn has_ports(self) -> bool {
        matches!(self, Protocol::Number(number) if WITH_PORTS.contains(&number))
    }

    /// Whether it has types and codes instead of ports.
    #[must_use]
    pub fn is_icmp(self) -> bool {
        matches!(self, Protocol::Number(ICMP | ICMP6))
    }
}
