//! Arithmetic on sets of traffic: the traffic of a rule is a box of intervals, that of a set of rules a union of
//! boxes.
//!
//! The arithmetic is exact and works on interval bounds, so its cost does not depend on the size of the
//! address space.

use heat_engine::security_rule::AddressFamily;

/// Numbers from `first` to `last`, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Interval {
    pub(super) first: u128,
    pub(super) last: u128,
}

/// The dimensions of a box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Axis {
    /// 0 for ingress, 1 for egress.
    Direction,
    /// The IP version, 4 or 6.
    Family,
    /// The protocol number, 0 to 255.
    Protocol,
    /// The destination port; for ICMP the type times 256 plus the code.
    Port,
    SourcePort,
    /// 0 for peers given by address, otherwise the number of a named peer.
    NamedPeer,
    /// The address of the peer.
    Peer,
    /// The local address, if the rule restricts it.
    LocalAddress,
}

const AXES: usize = 8;

/// A box: the traffic that one rule matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct TrafficSet([Interval; AXES]);

/// The maximum number of boxes; rules that need more are not reported in detail.
const MAX_SETS: usize = 20_000;
/// The maximum number of subtractions of one box from another.
const MAX_SUBTRACTIONS: usize = 4_000_000;
/// The maximum number of boxes that are joined with each other.
const MAX_UNIONS: usize = 256;

impl Interval {
    pub(super) fn new(first: u128, last: u128) -> Self {
        Interval { first, last }
    }

    pub(super) fn one(value: u128) -> Self {
        Interval { first: value, last: value }
    }

    pub(super) fn addresses(family: AddressFamily) -> Self {
        Interval::new(0, u128::MAX >> (128 - family.width()))
    }

    fn is_within(self, other: Interval) -> bool {
        other.first <= self.first && self.last <= other.last
    }

    fn overlaps(self, other: Interval) -> bool {
        self.first <= other.last && other.first <= self.last
    }

    fn union(self, other: Interval) -> Option<Interval> {
        let follows = |one: Interval, next: Interval| {
            one.last.checked_add(1).is_none_or(|after| next.first <= after)
        };
        (follows(self, other) && follows(other, self))
            .then(|| Interval::new(self.first.min(other.first), self.last.max(other.last)))
    }
}

impl TrafficSet {
    /// All ingress traffic of a family from any address.
    pub(super) fn all(family: AddressFamily) -> Self {
        let addresses = Interval::addresses(family);
        let mut region = TrafficSet([Interval::one(0); AXES]);
        for (axis, interval) in [
            (Axis::Family, Interval::one(if family == AddressFamily::V4 { 4 } else { 6 })),
            (Axis::Protocol, Interval::new(0, 255)),
            (Axis::Port, Interval::new(0, 65535)),
            (Axis::SourcePort, Interval::new(0, 65535)),
            (Axis::Peer, addresses),
            (Axis::LocalAddress, addresses),
        ] {
            region = region.with(axis, interval);
        }
        region
    }

    /// The same box with another interval on an axis.
    #[must_use]
    pub(super) fn with(mut self, axis: Axis, interval: Interval) -> Self {
        self.0[axis as usize] = interval;
        self
    }

    pub(super) fn interval(&self, axis: Axis) -> Interval {
        self.0[axis as usize]
    }

    pub(super) fn family(&self) -> AddressFamily {
        if self.interval(Axis::Family).first == 6 { AddressFamily::V6 } else { AddressFamily::V4 }
    }

    pub(super) fn overlaps(&self, other: &TrafficSet) -> bool {
        self.0.iter().zip(&other.0).all(|(one, other)| one.overlaps(*other))
    }

    pub(super) fn is_within(&self, other: &TrafficSet) -> bool {
        self.0.iter().zip(&other.0).all(|(one, other)| one.is_within(*other))
    }

    /// Adds the part outside of `other` to `left`, as disjoint boxes.
    fn subtract(mut self, other: &TrafficSet, left: &mut Vec<TrafficSet>) {
        if !self.overlaps(other) {
            left.push(self);
            return;
        }
        for axis in 0..AXES {
            let (mine, theirs) = (self.0[axis], other.0[axis]);
            if mine.first < theirs.first {
                let mut before = self;
                before.0[axis].last = theirs.first - 1;
                left.push(before);
                self.0[axis].first = theirs.first;
            }
            if mine.last > theirs.last {
                let mut after = self;
                after.0[axis].first = theirs.last + 1;
                left.push(after);
                self.0[axis].last = theirs.last;
            }
        }
    }

    /// The union, if it is a box.
    fn union(&self, other: &TrafficSet) -> Option<TrafficSet> {
        let mut differing = (0..AXES).filter(|&axis| self.0[axis] != other.0[axis]);
        let Some(axis) = differing.next() else { return Some(*self) };
        // Adjacent boxes are disjoint.
        let apart = [Axis::Direction, Axis::Family, Axis::NamedPeer].map(|axis| axis as usize);
        if differing.next().is_some() || apart.contains(&axis) {
            return None;
        }
        let mut joined = *self;
        joined.0[axis] = self.0[axis].union(other.0[axis])?;
        Some(joined)
    }
}

/// The rules need more boxes than the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TooManySets;

/// The traffic in `these` but not in `others`, as disjoint boxes, with adjacent ones joined.
pub(super) fn difference(
    these: &[TrafficSet],
    others: &[TrafficSet],
) -> Result<Vec<TrafficSet>, TooManySets> {
    let mut found: Vec<TrafficSet> = Vec::new();
    let mut steps = 0_usize;
    for &region in these {
        if others.iter().any(|other| region.is_within(other)) {
            continue;
        }
        let mut pieces = vec![region];
        let count = found.len();
        for other in 0..others.len() + count {
            let other = others.get(other).copied().unwrap_or_else(|| found[other - others.len()]);
            let mut left = Vec::with_capacity(pieces.len());
            for piece in pieces {
                piece.subtract(&other, &mut left);
            }
            pieces = left;
            steps += pieces.len();
            if pieces.len() > MAX_SETS || steps > MAX_SUBTRACTIONS {
                return Err(TooManySets);
            }
        }
        found.extend(pieces);
        if found.len() > MAX_SETS {
            return Err(TooManySets);
        }
    }
    Ok(join(found))
}

/// Joins adjacent boxes and sorts them.
fn join(mut regions: Vec<TrafficSet>) -> Vec<TrafficSet> {
    regions.sort_unstable();
    if regions.len() > MAX_UNIONS {
        return regions;
    }
    let mut at = 0;
    while at < regions.len() {
        let joins = (at + 1..regions.len())
            .find_map(|next| Some((next, regions[at].union(&regions[next])?)));
        match joins {
            Some((next, joined)) => {
                regions.remove(next);
                regions[at] = joined;
                // Boxes that were not adjacent before may be now.
                at = 0;
            }
            None => at += 1,
        }
    }
    regions.sort_unstable();
    regions
}

/// Adds the traffic of named peers that follows: what is open for every address is open for them too,
/// whatever their addresses are. `named` are the boxes of named peers that are needed.
pub(super) fn with_names(
    regions: &[TrafficSet],
    named: &[TrafficSet],
) -> Result<Vec<TrafficSet>, TooManySets> {
    let of_addresses = |region: &&TrafficSet| region.interval(Axis::NamedPeer) == Interval::one(0);
    let open: Vec<TrafficSet> = regions.iter().filter(of_addresses).copied().collect();
    let mut extended = regions.to_vec();
    for region in named.iter().filter(|region| !of_addresses(region)) {
        let everywhere = region.with(Axis::NamedPeer, Interval::one(0));
        let somewhere_closed: Vec<TrafficSet> = difference(&[everywhere], &open)?
            .into_iter()
            .map(|closed| {
                closed
                    .with(Axis::Peer, region.interval(Axis::Peer))
                    .with(Axis::NamedPeer, region.interval(Axis::NamedPeer))
            })
            .collect();
        extended.extend(difference(&[*region], &somewhere_closed)?);
    }
    Ok(extended)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn addresses(first: u128, last: u128) -> TrafficSet {
        TrafficSet::all(AddressFamily::V4).with(Axis::Peer, Interval::new(first, last))
    }

    #[test]
    fn halves_are_the_whole() {
        let half = 1 << 31;
        let halves = [addresses(0, half - 1), addresses(half, u128::from(u32::MAX))];
        let whole = [TrafficSet::all(AddressFamily::V4)];
        assert_eq!(difference(&whole, &halves), Ok(vec![]));
        assert_eq!(difference(&halves, &whole), Ok(vec![]));
    }

    #[test]
    fn only_what_is_new_is_left() {
        let old = [addresses(10, 20)];
        let new = [addresses(0, 30)];
        assert_eq!(difference(&new, &old), Ok(vec![addresses(0, 9), addresses(21, 30)]));
        assert_eq!(difference(&old, &new), Ok(vec![]));
    }

    #[test]
    fn pieces_that_touch_are_joined() {
        let new = [addresses(0, 9), addresses(5, 19), addresses(20, 30)];
        assert_eq!(difference(&new, &[]), Ok(vec![addresses(0, 30)]));
    }

    #[test]
    fn what_comes_in_and_what_goes_out_stay_apart() {
        for axis in [Axis::Direction, Axis::NamedPeer] {
            let both = [0, 1].map(|at| addresses(0, 9).with(axis, Interval::one(at)));
            assert_eq!(difference(&both, &[]).map(|found| found.len()), Ok(2), "{axis:?}");
        }
    }

    #[test]
    fn the_ends_of_the_address_space_are_no_trouble() {
        let all = TrafficSet::all(AddressFamily::V6);
        let last = all.with(Axis::Peer, Interval::one(u128::MAX));
        let rest = all.with(Axis::Peer, Interval::new(0, u128::MAX - 1));
        assert_eq!(difference(&[all], &[last]), Ok(vec![rest]));
        assert_eq!(difference(&[rest, last], &[]), Ok(vec![all]));
    }

    #[test]
    fn what_everybody_may_a_named_peer_may() {
        let named = TrafficSet::all(AddressFamily::V4).with(Axis::NamedPeer, Interval::one(1));
        let ssh = named.with(Axis::Port, Interval::one(22));
        let halves = [addresses(0, 99), addresses(100, u128::from(u32::MAX))];
        let open = halves.map(|half| half.with(Axis::Port, Interval::new(0, 1000)));
        let extended = with_names(&open, &[ssh]).expect("few");
        assert_eq!(difference(&[ssh], &extended), Ok(vec![]));
        let extended = with_names(&open[..1], &[ssh]).expect("few");
        assert_eq!(difference(&[ssh], &extended), Ok(vec![ssh]));
    }

    /// Small boxes, so that points are hit.
    fn region() -> impl Strategy<Value = TrafficSet> {
        let interval =
            |most: u128| (0..=most, 0..=most).prop_map(|(a, b)| Interval::new(a.min(b), a.max(b)));
        (
            prop_oneof![Just(AddressFamily::V4), Just(AddressFamily::V6)],
            0..2u128,
            interval(3),
            interval(6),
            interval(9),
        )
            .prop_map(|(family, direction, protocol, port, peer)| {
                TrafficSet::all(family)
                    .with(Axis::Direction, Interval::one(direction))
                    .with(Axis::Protocol, protocol)
                    .with(Axis::Port, port)
                    .with(Axis::Peer, peer)
            })
    }

    /// Small boxes of named peers, or of every address.
    fn named_region() -> impl Strategy<Value = TrafficSet> {
        let peer = (0..3u128, 0..4u128).prop_map(|(a, b)| match a.cmp(&b) {
            std::cmp::Ordering::Less => Interval::new(a, b),
            _ => Interval::addresses(AddressFamily::V4),
        });
        (0..3u128, 0..3u128, peer, any::<bool>()).prop_map(|(first, more, peer, named)| {
            let region = TrafficSet::all(AddressFamily::V4)
                .with(Axis::Port, Interval::new(first, first + more));
            match named {
                true => region.with(Axis::NamedPeer, Interval::one(1)),
                false => region.with(Axis::Peer, peer),
            }
        })
    }

    fn holds(regions: &[TrafficSet], point: &TrafficSet) -> bool {
        regions.iter().any(|region| point.is_within(region))
    }

    proptest! {
        #[test]
        fn a_named_peer_may_what_its_rules_or_everybody_may(
            regions in prop::collection::vec(named_region(), 0..6),
            asked in prop::collection::vec(named_region(), 0..4),
        ) {
            let extended = with_names(&regions, &asked).expect("few");
            let ends = [0, 1, 2, 3, 4, u128::from(u32::MAX)];
            for port in 0..6 {
                let at = |name, peer| {
                    TrafficSet::all(AddressFamily::V4)
                        .with(Axis::Port, Interval::one(port))
                        .with(Axis::NamedPeer, Interval::one(name))
                        .with(Axis::Peer, peer)
                };
                let named = at(1, Interval::addresses(AddressFamily::V4));
                let everybody =
                    ends.iter().all(|&end| holds(&regions, &at(0, Interval::one(end))));
                let wanted = holds(&asked, &named) && everybody;
                prop_assert_eq!(holds(&extended, &named), holds(&regions, &named) || wanted);
            }
        }

        #[test]
        fn a_point_is_left_exactly_if_it_is_here_and_not_there(
            these in prop::collection::vec(region(), 0..6),
            others in prop::collection::vec(region(), 0..6),
        ) {
            let left = difference(&these, &others).expect("few");
            for (at, one) in left.iter().enumerate() {
                prop_assert!(left[at + 1..].iter().all(|other| !one.overlaps(other)), "twice: {one:?}");
            }
            for family in AddressFamily::BOTH {
                for direction in 0..2 {
                    for protocol in 0..4 {
                        for port in 0..7 {
                            for peer in 0..10 {
                                let point = TrafficSet::all(family)
                                    .with(Axis::Direction, Interval::one(direction))
                                    .with(Axis::Protocol, Interval::one(protocol))
                                    .with(Axis::Port, Interval::one(port))
                                    .with(Axis::Peer, Interval::one(peer));
                                prop_assert_eq!(
                                    holds(&left, &point),
                                    holds(&these, &point) && !holds(&others, &point)
                                );
                            }
                        }
                    }
                }
            }
        }
    }
}
