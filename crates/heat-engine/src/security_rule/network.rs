//! Addresses and prefixes of rules.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The IP version of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AddressFamily {
    /// `IPv4`, the default.
    V4,
    /// `IPv6`.
    V6,
}

/// An address with the length of its prefix, which is the whole address for a single host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network {
    /// The IP version of the address.
    pub family: AddressFamily,
    /// The address as it is written, with the bits beyond the prefix.
    pub address: u128,
    /// At most the number of bits of an address of the family.
    pub length: u32,
}

impl AddressFamily {
    /// All families; a new group allows all outgoing traffic of each.
    pub const BOTH: [AddressFamily; 2] = [AddressFamily::V4, AddressFamily::V6];

    /// The family of an `ethertype`.
    #[must_use]
    pub fn of_ethertype(word: &str) -> Option<AddressFamily> {
        match word {
            "IPv4" => Some(AddressFamily::V4),
            "IPv6" => Some(AddressFamily::V6),
            _ => None,
        }
    }

    /// The number of bits of an address.
    #[must_use]
    pub fn width(self) -> u32 {
        match self {
            AddressFamily::V4 => Ipv4Addr::BITS,
            AddressFamily::V6 => Ipv6Addr::BITS,
        }
    }

    /// The address in the form of the family.
    #[must_use]
    pub fn shown(self, address: u128) -> String {
        match self {
            AddressFamily::V4 => {
                Ipv4Addr::from_bits(u32::try_from(address).unwrap_or(u32::MAX)).to_string()
            }
            AddressFamily::V6 => Ipv6Addr::from_bits(address).to_string(),
        }
    }
}

impl Network {
    /// Reads a network or a host as Neutron does: a netmask or a host mask may replace the length.
    #[must_use]
    pub fn read(text: &str) -> Option<Network> {
        let (address, prefix) = match text.split_once('/') {
            Some((address, prefix)) => (address, Some(prefix.trim())),
            None => (text, None),
        };
        let (family, address) = bits(address)?;
        let length = match prefix {
            None => family.width(),
            Some(prefix) => match bits(prefix) {
                Some((of, mask)) if of == family => {
                    let all = u128::MAX >> (128 - family.width());
                    let hosts = [mask ^ all, mask];
                    let hosts =
                        hosts.into_iter().find(|hosts| hosts & hosts.wrapping_add(1) == 0)?;
                    family.width() - hosts.count_ones()
                }
                _ if !prefix.is_empty() && prefix.bytes().all(|byte| byte.is_ascii_digit()) => {
                    prefix.parse().ok().filter(|length| *length <= family.width())?
                }
                _ => return None,
            },
        };
        Some(Network { family, address, length })
    }
}

fn bits(address: &str) -> Option<(AddressFamily, u128)> {
    Some(match address.trim().parse().ok()? {
        IpAddr::V4(address) => (AddressFamily::V4, address.to_bits().into()),
        IpAddr::V6(address) => (AddressFamily::V6, address.to_bits()),
    })
}

/// The network of a rule with the length of its prefix, as Neutron keeps it; `None` for any other text.
#[must_use]
pub fn cidr(text: &str) -> Option<String> {
    let Network { family, address, length } = Network::read(text)?;
    Some(format!("{}/{length}", family.shown(address)))
}

/// The prefix of a subnet, as Neutron keeps it: without the bits of a host; `None` for any other text.
#[must_use]
pub fn subnet_cidr(text: &str) -> Option<String> {
    let Network { family, address, length } = Network::read(text)?;
    let hosts = family.width() - length;
    let first = address.checked_shr(hosts).unwrap_or(0).checked_shl(hosts).unwrap_or(0);
    Some(format!("{}/{length}", family.shown(first)))
}
