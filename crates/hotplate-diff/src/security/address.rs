//! Parses and formats IP addresses and ranges.

use heat_engine::security_rule::{AddressFamily, Network};

use super::traffic_set::Interval;

/// The addresses of a network or of one host; `None` if the text is neither. As in Neutron, bits
/// beyond the prefix are ignored.
pub(super) fn network(text: &str) -> Option<(AddressFamily, Interval)> {
    let Network { family, address, length } = Network::read(text)?;
    let hosts = host_bits(family.width() - length);
    let first = address & !hosts;
    Some((family, Interval::new(first, first | hosts)))
}

/// The addresses of a network, or of a range `first-last`, as Manila and FWaaS accept them.
pub(super) fn range(text: &str) -> Option<(AddressFamily, Interval)> {
    let Some((first, last)) = text.split_once('-') else { return network(text) };
    let ((family, first), (other, last)) = (network(first)?, network(last)?);
    (family == other && first.first <= last.last)
        .then(|| (family, Interval::new(first.first, last.last)))
}

/// Whether networks contain all addresses of others; `None` if one of them cannot be read.
pub(crate) fn contains_networks(outer: &[&str], inner: &[&str]) -> Option<bool> {
    let read = |texts: &[&str]| texts.iter().map(|text| network(text)).collect::<Option<Vec<_>>>();
    let (mut outer, inner) = (read(outer)?, read(inner)?);
    outer.sort_by_key(|(_, range)| range.first);
    Some(inner.iter().all(|(family, range)| {
        // The first address that no network is known to contain.
        let mut next = Some(range.first);
        for (_, around) in outer.iter().filter(|(of, _)| of == family) {
            next = match next {
                Some(at) if around.first <= at && at <= around.last => around.last.checked_add(1),
                next => next,
            };
        }
        next.is_none_or(|at| at > range.last)
    }))
}

/// A number with this many ones at the end.
fn host_bits(count: u32) -> u128 {
    if count == 0 { 0 } else { u128::MAX >> (128 - count) }
}

/// The maximum number of networks shown for a range; a range of more networks is shown by its ends.
const MAX_NETWORKS: usize = 6;

/// Formats a range as the smallest number of networks, or by its ends.
pub(super) fn networks(family: AddressFamily, range: Interval) -> Vec<String> {
    let width = family.width();
    let mut found = Vec::new();
    let mut first = range.first;
    loop {
        // The largest network that starts here and lies within the range.
        let aligned = first.trailing_zeros().min(width);
        let free = range.last - first;
        let fitting = (0..=aligned).rev().find(|&bits| host_bits(bits) <= free).unwrap_or(0);
        found.push(format!("{}/{}", family.shown(first), width - fitting));
        let last = first | host_bits(fitting);
        if last >= range.last {
            return found;
        }
        if found.len() == MAX_NETWORKS {
            let ends = [range.first, range.last].map(|end| family.shown(end));
            return vec![ends.join("-")];
        }
        first = last + 1;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn networks_are_read() {
        let ends = |text: &str| {
            network(text).map(|(family, found)| {
                format!("{} {}", family.shown(found.first), family.shown(found.last))
            })
        };
        for (text, expected) in [
            ("0.0.0.0/0", Some("0.0.0.0 255.255.255.255")),
            ("10.1.2.3/8", Some("10.0.0.0 10.255.255.255")),
            ("10.0.0.0/255.0.0.0", Some("10.0.0.0 10.255.255.255")),
            ("10.0.0.1", Some("10.0.0.1 10.0.0.1")),
            ("10.0.0.1/32", Some("10.0.0.1 10.0.0.1")),
            ("::/0", Some(":: ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff")),
            ("2001:db8::/32", Some("2001:db8:: 2001:db8:ffff:ffff:ffff:ffff:ffff:ffff")),
            ("10.0.0.0/33", None),
            ("10.0.0.0/", None),
            ("10.0.0.0/+8", None),
            ("10.0.0.0/255.0.255.0", None),
            ("any", None),
            ("", None),
        ] {
            assert_eq!(ends(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn ranges_are_told_as_networks_where_that_is_short() {
        let formatted = |text: &str| {
            let (family, found) = range(text).expect("a range");
            networks(family, found).join(" ")
        };
        assert_eq!(formatted("0.0.0.0-255.255.255.255"), "0.0.0.0/0");
        assert_eq!(formatted("10.0.0.0-10.0.2.255"), "10.0.0.0/23 10.0.2.0/24");
        assert_eq!(formatted("10.0.0.1-10.0.0.254"), "10.0.0.1-10.0.0.254");
        assert_eq!(formatted("::1-::1"), "::1/128");
        assert_eq!(formatted("::/0"), "::/0");
    }

    #[test]
    fn networks_contain_others_as_a_whole() {
        for (outer, inner, expected) in [
            (&["10.0.0.0/8"][..], &["10.1.0.0/16"][..], Some(true)),
            (&["10.0.1.0/24", "10.0.0.0/24"], &["10.0.0.0/23"], Some(true)),
            (&["10.0.0.0/24", "10.0.2.0/24"], &["10.0.0.0/23"], Some(false)),
            (&["10.0.0.0/8"], &["10.1.0.0/16", "192.0.2.0/24"], Some(false)),
            (&["::/0"], &["10.0.0.0/8"], Some(false)),
            (&["::/0"], &["2001:db8::/32"], Some(true)),
            (&["10.0.0.0/8"], &["any"], None),
        ] {
            assert_eq!(contains_networks(outer, inner), expected, "{outer:?} {inner:?}");
        }
    }

    proptest! {
        #[test]
        fn the_networks_of_a_range_are_that_range(first: u32, length in 0..5000u32) {
            let last = first.saturating_add(length);
            let range = Interval::new(first.into(), last.into());
            let networks_of_range = networks(AddressFamily::V4, range);
            let mut next = u128::from(first);
            for text in &networks_of_range {
                let (_, found) = super::range(text).expect("a network");
                prop_assert_eq!(found.first, next);
                next = found.last + 1;
            }
            prop_assert_eq!(next, u128::from(last) + 1);
        }

        #[test]
        fn no_text_is_a_panic(text in ".*") {
            let _ = range(&text);
        }
    }
}
