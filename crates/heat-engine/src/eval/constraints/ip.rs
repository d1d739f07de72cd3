//! IP and MAC addresses as netaddr and neutron read them.

use std::net::{Ipv4Addr, Ipv6Addr};

use super::custom::CheckOutcome;
use crate::eval::Value;
use crate::eval::python::{self, PythonException};
use python_semantics::number::Integer;

/// `inet_pton` of the C library, with netaddr's check for leading zeros.
fn parse_ipv4(text: &str) -> Option<Ipv4Addr> {
    text.parse().ok()
}

/// `inet_pton` of the C library.
fn parse_ipv6(text: &str) -> Option<Ipv6Addr> {
    text.parse().ok()
}

fn has_space(text: &str) -> bool {
    text.chars().any(python::is_space)
}

/// neutron's error for an address; `None` if it is valid.
fn address_problem(text: &str) -> Option<String> {
    let invalid = || Some(format!("'{text}' is not a valid IP address"));
    if has_space(text) || text.contains('/') {
        return invalid();
    }
    // First without leading zeros, for which every part must be a number.
    let parts: Option<Vec<String>> = text
        .split('.')
        .map(|part| python::int_of_text(part).map(|value| value.to_string()))
        .collect();
    let four = match parts {
        Some(parts) if !text.contains(':') => parse_ipv4(&parts.join(".")),
        _ => parse_ipv4(text),
    };
    match four {
        Some(_) if text.matches('.').count() != 3 && !text.contains(':') => invalid(),
        Some(address) if address.to_string() != text => {
            Some(format!("'{text}' is not an accepted IP address, '{address}' is recommended"))
        }
        Some(_) => None,
        None if parse_ipv6(text).is_some() => None,
        None => invalid(),
    }
}

/// The prefix length from the part after the slash, for an address of `width` bits.
fn prefix_length(text: &str, width: u32, mask: impl Fn(&str) -> Option<u128>) -> Option<u32> {
    if let Some(length) = python::int_of_text(text) {
        return match length {
            Integer::Small(length) => u32::try_from(length).ok().filter(|length| *length <= width),
            Integer::Big(_) => None,
        };
    }
    let all = if width == 128 { u128::MAX } else { (1 << width) - 1 };
    let mask = mask(text)?;
    let one_run = |bits: u128| bits & bits.wrapping_add(1) == 0;
    if one_run(mask ^ all) {
        return Some(mask.count_ones());
    }
    one_run(mask).then(|| width - mask.count_ones())
}

/// A network as netaddr writes it, and whether it is IPv4.
fn network(text: &str) -> Option<(String, bool)> {
    let (address, prefix) = match text.split_once('/') {
        Some((address, prefix)) => (address, Some(prefix)),
        None => (text, None),
    };
    if let Some(address) = parse_ipv4(address) {
        let of_mask = |text: &str| parse_ipv4(text).map(|mask| u128::from(mask.to_bits()));
        let length = prefix.map_or(Some(32), |prefix| prefix_length(prefix, 32, of_mask));
        if let Some(length) = length {
            return Some((format!("{address}/{length}"), true));
        }
    }
    let address = parse_ipv6(address)?;
    let of_mask = |text: &str| parse_ipv6(text).map(Ipv6Addr::to_bits);
    let length = prefix.map_or(Some(128), |prefix| prefix_length(prefix, 128, of_mask))?;
    Some((format!("{address}/{length}"), false))
}

/// neutron's error for a network; `None` if it is valid.
fn subnet_problem(text: &str) -> Option<String> {
    let good = !has_space(text)
        && text.contains('/')
        && network(text).is_some_and(|(written, four)| !four || written == text);
    (!good).then(|| format!("'{text}' is not a valid IP subnet"))
}

/// The network of an abbreviation such as `10/16`, if netaddr knows it.
fn expand_abbreviation(text: &str) -> Result<String, PythonException> {
    if text.contains(':') || text.is_empty() {
        return Ok(text.to_owned());
    }
    let classful = |octet: &Integer| match octet {
        Integer::Small(0..=127) => Some(8),
        Integer::Small(128..=191) => Some(16),
        Integer::Small(192..=223) => Some(24),
        Integer::Small(224..=239) => Some(4),
        Integer::Small(240..=255) => Some(32),
        Integer::Small(_) | Integer::Big(_) => None,
    };
    if let Some(octet) = python::int_of_text(text) {
        return Ok(match classful(&octet) {
            Some(prefix) => format!("{octet}.0.0.0/{prefix}"),
            None => text.to_owned(),
        });
    }
    let (address, prefix) = match text.split_once('/') {
        Some((address, prefix)) => {
            let length = python::int_of_text(prefix);
            if !matches!(length, Some(Integer::Small(0..=32))) {
                return Ok(text.to_owned());
            }
            (address, Some(prefix.to_owned()))
        }
        None => (text, None),
    };
    let mut octets: Vec<&str> = address.split('.').collect();
    if octets.len() > 4 {
        return Ok(text.to_owned());
    }
    octets.resize(4, "0");
    let prefix = prefix.or_else(|| {
        let octet = python::int_of_text(octets[0])?;
        classful(&octet).map(|prefix| prefix.to_string())
    });
    Ok(match prefix {
        Some(prefix) => format!("{}/{prefix}", octets.join(".")),
        None => text.to_owned(),
    })
}

/// Whether a string is the address of a host.
pub(in crate::eval) fn is_ip_address(text: &str) -> bool {
    address_problem(text).is_none()
}

pub(super) fn ip_addr(value: &Value) -> Result<CheckOutcome, PythonException> {
    Ok(match value {
        Value::Text(text) if address_problem(text).is_none() => CheckOutcome::Passed,
        _ => CheckOutcome::FailedBecause("Invalid IP address".to_owned()),
    })
}

pub(super) fn net_cidr(value: &Value) -> Result<CheckOutcome, PythonException> {
    let Value::Text(text) = value else {
        // netaddr turns a number into a network, which is then not a text.
        let why = "Invalid net cidr ".to_owned() + python::type_name(value);
        return Ok(match python::as_number(value) {
            Some(_) => CheckOutcome::FailedBecause(format!(
                "'{}' is not a valid IP subnet",
                python::str(value)?
            )),
            None => CheckOutcome::FailedBecause(why),
        });
    };
    if network(&expand_abbreviation(text)?).is_none() {
        return Ok(CheckOutcome::FailedBecause(format!(
            "Invalid net cidr invalid IPNetwork {text} "
        )));
    }
    Ok(subnet_problem(text).map_or(CheckOutcome::Passed, CheckOutcome::FailedBecause))
}

pub(super) fn ip_or_cidr(value: &Value) -> Result<CheckOutcome, PythonException> {
    let Value::Text(text) = value else {
        return Ok(CheckOutcome::FailedBecause(format!(
            "{} is not a valid IP or CIDR",
            python::str(value)?
        )));
    };
    let problem = if text.contains('/') { subnet_problem(text) } else { address_problem(text) };
    Ok(problem.map_or(CheckOutcome::Passed, CheckOutcome::FailedBecause))
}

pub(super) fn mac_addr(value: &Value) -> Result<CheckOutcome, PythonException> {
    let well = match value {
        Value::Text(text) => is_mac(text),
        _ => false,
    };
    Ok(if well {
        CheckOutcome::Passed
    } else {
        CheckOutcome::FailedBecause("Invalid MAC address.".to_owned())
    })
}

/// The notations of MAC addresses: separator, number of words, digits per word.
const MAC_NOTATIONS: [(char, usize, std::ops::RangeInclusive<usize>); 7] = [
    (':', 6, 1..=2),
    ('-', 6, 1..=2),
    (':', 3, 1..=4),
    ('-', 3, 1..=4),
    ('.', 3, 1..=4),
    ('-', 2, 5..=6),
    (':', 2, 5..=6),
];

fn is_mac(text: &str) -> bool {
    let text = text.strip_suffix('\n').unwrap_or(text);
    let hex = |word: &str| word.bytes().all(|byte| byte.is_ascii_hexdigit());
    if (11..=12).contains(&text.len()) && hex(text) {
        return true;
    }
    MAC_NOTATIONS.iter().any(|(separator, count, digits)| {
        text.split(*separator).count() == *count
            && text.split(*separator).all(|word| digits.contains(&word.len()) && hex(word))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_written_in_full_and_without_zeros_that_lead() {
        for good in ["10.0.0.1", "::1", "fe80::1", "::ffff:1.2.3.4", "0.0.0.0"] {
            assert_eq!(address_problem(good), None, "{good}");
        }
        for wrong in
            ["10.0.0", "010.0.0.1", "1", "10.0.0.1/24", " 10.0.0.1", "fe80::1%eth0", "", "a"]
        {
            assert!(address_problem(wrong).is_some(), "{wrong}");
        }
    }

    #[test]
    fn networks_have_a_prefix_length() {
        let well = |text: &str| matches!(net_cidr(&Value::text(text)), Ok(CheckOutcome::Passed));
        for good in ["10.0.0.0/8", "10.0.0.1/24", "fe80::/10", "fe80::/ffc0::", "::/0"] {
            assert!(well(good), "{good}");
        }
        for wrong in
            ["10/8", "10.0.0.0", "10.0.0.0/33", "10.0.0.0/255.0.0.0", "10.0.0.0/08", "x/8", ""]
        {
            assert!(!well(wrong), "{wrong}");
        }
    }

    #[test]
    fn cards_have_many_notations() {
        for good in
            ["52:54:00:ab:cd:ef", "1-2-3-4-5-6", "5254.00ab.cdef", "525400-abcdef", "525400abcdef"]
        {
            assert!(is_mac(good), "{good}");
        }
        for wrong in ["52:54:00:ab:cd", "52:54-00:ab:cd:ef", "g2:54:00:ab:cd:ef", "525400abcd", ""]
        {
            assert!(!is_mac(wrong), "{wrong}");
        }
    }
}
