//! The protocols in rules, as intervals of their numbers.

use heat_engine::security_rule::{AddressFamily, Protocol};

use super::traffic_set::Interval;

/// The numbers of a protocol; `None` for an unknown name.
pub(super) fn numbers(text: &str, family: AddressFamily) -> Option<Interval> {
    Protocol::read(text, family).map(interval)
}

pub(super) fn interval(protocol: Protocol) -> Interval {
    match protocol {
        Protocol::Any => Interval::new(0, 255),
        Protocol::Number(number) => Interval::one(number.into()),
    }
}

/// The protocol that has these numbers, if it is one.
fn single(numbers: Interval) -> Option<Protocol> {
    let number = u8::try_from(numbers.first).ok()?;
    (numbers.first == numbers.last).then_some(Protocol::Number(number))
}

/// Whether it has types and codes instead of ports.
pub(super) fn has_types(numbers: Interval) -> bool {
    single(numbers).is_some_and(Protocol::is_icmp)
}

/// The protocols as messages show them: by name if they are one, else by number.
pub(super) fn shown(numbers: Interval) -> String {
    match (numbers.first, numbers.last, single(numbers).and_then(Protocol::name)) {
        (0, 255, _) => "every protocol".to_owned(),
        (.., Some(name)) => name.to_owned(),
        (first, last, None) if first == last => format!("protocol {first}"),
        (first, last, None) => format!("protocols {first}-{last}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn protocols_are_shown_by_name() {
        for (text, family, expected) in [
            ("6", AddressFamily::V6, "tcp"),
            ("icmp", AddressFamily::V6, "ipv6-icmp"),
            ("253", AddressFamily::V4, "protocol 253"),
            ("any", AddressFamily::V4, "every protocol"),
        ] {
            assert_eq!(numbers(text, family).map(shown).as_deref(), Some(expected), "{text}");
        }
    }
}
