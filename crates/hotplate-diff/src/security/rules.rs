//! Sets of rules, and the differences between two of them.

use std::collections::HashMap;

use crate::comparison::{AccessChange, Places, SecurityChange, SecurityKind};
use heat_engine::security_rule::AddressFamily;
use source_diagnostics::Span;

use super::resource_side::OpaqueValue;
use super::traffic_set::{Axis, Interval, TooManySets, TrafficSet, difference, with_names};
use super::{address, protocol};

/// A set of rules, some of which may be unknown.
#[derive(Debug, Default)]
pub(super) struct RuleSet {
    rules: Vec<TrafficRule>,
    /// The span of the set itself, for traffic that no rule matches.
    pub(super) span: Option<Span>,
}

/// A rule with its effect.
#[derive(Clone, Debug)]
pub(super) struct TrafficRule {
    pub(super) effect: RuleEffect,
    /// Equal for equal conditions under which there is the rule; empty if there certainly is.
    pub(super) guard: String,
    /// The full name of the resource that contains it.
    pub(super) resource: String,
    pub(super) span: Option<Span>,
}

/// The traffic that a rule matches.
#[derive(Clone, Debug)]
pub(super) enum RuleEffect {
    /// Exactly this traffic, for peers given by address.
    Traffic(Vec<TrafficSet>),
    /// This traffic, but only for a named peer.
    Peer(Box<TrafficSet>, Peer),
    Unknown(OpaqueValue),
    /// The service refuses the rule.
    Refused(OpaqueValue),
}

/// A peer that is not given by address.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Peer {
    /// Equal for the same peer.
    pub(super) key: String,
    /// The peer for messages.
    pub(super) shown: String,
    /// Whether its addresses are unknown and may be all.
    pub(super) unbounded: bool,
}

/// Assigns numbers to named peers.
#[derive(Default)]
struct PeerNumbers<'a> {
    numbers: HashMap<&'a str, u128>,
    peers: Vec<&'a Peer>,
}

impl<'a> PeerNumbers<'a> {
    fn number(&mut self, peer: &'a Peer) -> u128 {
        *self.numbers.entry(&peer.key).or_insert_with(|| {
            self.peers.push(peer);
            self.peers.len() as u128
        })
    }

    fn peer(&self, region: &TrafficSet) -> Option<&'a Peer> {
        let number = usize::try_from(region.interval(Axis::NamedPeer).first).ok()?;
        self.peers.get(number.checked_sub(1)?).copied()
    }
}

impl RuleSet {
    pub(super) fn at(place: Option<Span>) -> Self {
        RuleSet { rules: Vec::new(), span: place }
    }

    pub(super) fn rules(&self) -> &[TrafficRule] {
        &self.rules
    }

    pub(super) fn push(&mut self, rule: TrafficRule) {
        self.rules.push(rule);
    }

    pub(super) fn extend(&mut self, rules: impl IntoIterator<Item = TrafficRule>) {
        self.rules.extend(rules);
    }

    /// The traffic of each rule, as far as it is known: of those that certainly are there, or of those that have a condition.
    fn regions<'a>(
        &'a self,
        are_certain: bool,
        names: &mut PeerNumbers<'a>,
    ) -> Vec<(TrafficSet, &'a TrafficRule)> {
        let mut found = Vec::new();
        for rule in self.rules.iter().filter(|rule| rule.guard.is_empty() == are_certain) {
            match &rule.effect {
                RuleEffect::Traffic(regions) => {
                    found.extend(regions.iter().map(|region| (*region, rule)));
                }
                RuleEffect::Peer(region, peer) => {
                    let number = Interval::one(names.number(peer));
                    found.push((region.with(Axis::NamedPeer, number), rule));
                }
                RuleEffect::Unknown(_) | RuleEffect::Refused(_) => {}
            }
        }
        found
    }

    /// The opaque rules (unknown or refused) that the other set does not contain.
    fn opaque_not_in<'a>(&'a self, other: &RuleSet) -> Vec<&'a TrafficRule> {
        let mut there: HashMap<(&OpaqueValue, &str), usize> = HashMap::new();
        for rule in &other.rules {
            if let Some(opaque) = rule.opaque() {
                *there.entry((opaque, &rule.guard)).or_default() += 1;
            }
        }
        let mut alone = Vec::new();
        for rule in &self.rules {
            let Some(opaque) = rule.opaque() else { continue };
            match there.get_mut(&(opaque, rule.guard.as_str())) {
                Some(count) if *count > 0 => *count -= 1,
                _ => alone.push(rule),
            }
        }
        alone
    }
}

impl TrafficRule {
    fn opaque(&self) -> Option<&OpaqueValue> {
        match &self.effect {
            RuleEffect::Unknown(opaque) | RuleEffect::Refused(opaque) => Some(opaque),
            RuleEffect::Traffic(_) | RuleEffect::Peer(..) => None,
        }
    }

    fn is_unknown(&self) -> bool {
        matches!(self.effect, RuleEffect::Unknown(_))
    }
}

/// One side of the difference between two sets of rules.
struct SetDifference<'a> {
    /// The traffic that the other side does not contain.
    difference: Vec<TrafficSet>,
    /// The rule of each box.
    origins: Vec<(TrafficSet, &'a TrafficRule)>,
    /// The opaque rules that the other side does not contain.
    opaque_rules: Vec<&'a TrafficRule>,
    conditional: Vec<(TrafficSet, &'a TrafficRule)>,
}

/// The place of the rule that is on this side only, if it is the only one of its direction: perhaps the traffic of one that changes.
fn only_place(groups: &[RuleDifference<'_>], region: &TrafficSet) -> Option<Span> {
    let direction = |it: &TrafficSet| it.interval(Axis::Direction).first;
    let own = groups.iter().filter(|it| direction(&it.region) == direction(region));
    let places: Vec<Option<Span>> = own.map(|it| it.rule.and_then(|rule| rule.span)).collect();
    let (one, others) = places.split_first()?;
    one.filter(|_| others.iter().all(|it| it == one))
}

impl SetDifference<'_> {
    /// The place of the first rule that matches some of this traffic.
    fn place_of(&self, traffic: &TrafficSet) -> Option<Span> {
        let (_, rule) = self.origins.iter().find(|(region, _)| region.overlaps(traffic))?;
        rule.span
    }

    /// The traffic of rules that have a condition and that the other side does not have under the same condition, without what
    /// certain rules of either side match.
    fn conditional_not_in(&self, other: &SetDifference<'_>) -> Vec<(TrafficSet, &TrafficRule)> {
        let of = |origins: &[(TrafficSet, &TrafficRule)]| -> Vec<TrafficSet> {
            origins.iter().map(|(region, _)| *region).collect()
        };
        let certain = [of(&self.origins), of(&other.origins)].concat();
        let is_covered = |region: &TrafficSet| {
            let all = with_names(&certain, &[*region]);
            all.and_then(|all| difference(&[*region], &all)).is_ok_and(|left| left.is_empty())
        };
        let is_there = |region: &TrafficSet, guard: &str| {
            other.conditional.iter().any(|(its, rule)| its == region && rule.guard == guard)
        };
        self.conditional
            .iter()
            .filter(|(region, rule)| !is_there(region, &rule.guard) && !is_covered(region))
            .copied()
            .collect()
    }
}

/// A rule with more new or removed parts than this is reported as a whole, with the exceptions.
const MAX_PARTS: usize = 3;
/// The maximum number of changes of one set that are reported one by one.
const MAX_REPORTED: usize = 24;
/// The maximum number of address ranges in one message.
const MAX_RANGES: usize = 5;

#[derive(Clone, Copy)]
pub(super) struct RuleWording {
    /// The kind of security change.
    pub(super) kind: SecurityKind,
    /// Formats the protocols and ports of a box.
    pub(super) traffic: fn(&TrafficSet) -> String,
    /// The preposition before the peers of ingress traffic.
    pub(super) peer_preposition: &'static str,
    /// The phrase for traffic that only the new rules match, and whether access increases.
    pub(super) added: (&'static str, AccessChange),
    /// The phrase for traffic that only the old rules match, and whether access increases.
    pub(super) removed: (&'static str, AccessChange),
}

/// Rules that allow traffic.
pub(super) const ALLOW: RuleWording = RuleWording {
    kind: SecurityKind::Rule,
    traffic,
    peer_preposition: "from",
    added: ("is open now", AccessChange::Widened),
    removed: ("is closed now", AccessChange::Narrowed),
};

/// Rules that deny traffic.
pub(super) const DENY: RuleWording = RuleWording {
    added: ("is denied now", AccessChange::Narrowed),
    removed: ("is no longer denied", AccessChange::Widened),
    ..ALLOW
};

/// Compares two sets. `resource` is reported for traffic that no rule matches.
pub(super) fn compare(
    resource: &str,
    old: &RuleSet,
    new: &RuleSet,
    words: &RuleWording,
) -> Vec<SecurityChange> {
    let mut names = PeerNumbers::default();
    let (from_old, from_new) = (old.regions(true, &mut names), new.regions(true, &mut names));
    let (may_old, may_new) = (old.regions(false, &mut names), new.regions(false, &mut names));
    let (closed, opened) = match differences(&from_old, &from_new) {
        Ok(found) => found,
        Err(TooManySets) => {
            return vec![SecurityChange {
                resource: resource.to_owned(),
                kind: words.kind,
                access: AccessChange::MayWiden,
                message: "the rules differ in more ways than can be listed".to_owned(),
                places: Places { old: old.span, new: new.span },
            }];
        }
    };
    let closed = SetDifference {
        difference: closed,
        origins: from_old,
        opaque_rules: old.opaque_not_in(new),
        conditional: may_old,
    };
    let opened = SetDifference {
        difference: opened,
        origins: from_new,
        opaque_rules: new.opaque_not_in(old),
        conditional: may_new,
    };
    let mut teller = DifferenceReporter {
        resource,
        words,
        names: &names,
        places: Places { old: old.span, new: new.span },
        changes: Vec::new(),
    };
    teller.report(true, &opened, &closed);
    teller.report(false, &closed, &opened);
    teller.changes
}

/// The removed traffic and the added traffic.
fn differences(
    old: &[(TrafficSet, &TrafficRule)],
    new: &[(TrafficSet, &TrafficRule)],
) -> Result<(Vec<TrafficSet>, Vec<TrafficSet>), TooManySets> {
    let regions = |from: &[(TrafficSet, &TrafficRule)]| -> Vec<TrafficSet> {
        from.iter().map(|(region, _)| *region).collect()
    };
    let (old, new) = (regions(old), regions(new));
    if old == new {
        return Ok((Vec::new(), Vec::new()));
    }
    let named: Vec<TrafficSet> = old.iter().chain(&new).copied().collect();
    let (was, is) = (with_names(&old, &named)?, with_names(&new, &named)?);
    // A rule for a named peer has no effect if every address is allowed.
    let telling =
        |these: &[TrafficSet], all: &[TrafficSet]| -> Result<Vec<TrafficSet>, TooManySets> {
            let of_addresses: Vec<TrafficSet> = these
                .iter()
                .filter(|region| region.interval(Axis::NamedPeer) == Interval::one(0))
                .copied()
                .collect();
            let open = with_names(&of_addresses, all)?;
            let mut telling = of_addresses.clone();
            for region in
                these.iter().filter(|region| region.interval(Axis::NamedPeer) != Interval::one(0))
            {
                telling.extend(difference(&[*region], &open)?);
            }
            Ok(telling)
        };
    let closed = difference(&telling(&old, &named)?, &is)?;
    let opened = difference(&telling(&new, &named)?, &was)?;
    Ok((closed, opened))
}

/// Traffic that differs only in the addresses of the peer.
struct RuleDifference<'a> {
    region: TrafficSet,
    ranges: Vec<Interval>,
    rule: Option<&'a TrafficRule>,
    /// The rule's box that contains all of it.
    whole: Option<TrafficSet>,
}

impl RuleDifference<'_> {
    /// Whether the addresses are the rest of a network, in so many parts that the rule as written says more: of all addresses, any.
    fn is_scattered(&self) -> bool {
        let Some(whole) = self.whole else { return false };
        let family = self.region.family();
        let is_everybody = whole.interval(Axis::Peer) == Interval::addresses(family);
        let networks = self.ranges.iter().map(|range| address::networks(family, *range).len());
        networks.sum::<usize>() > if is_everybody { 1 } else { MAX_RANGES }
    }
}

struct DifferenceReporter<'a> {
    resource: &'a str,
    words: &'a RuleWording,
    names: &'a PeerNumbers<'a>,
    places: Places,
    changes: Vec<SecurityChange>,
}

impl DifferenceReporter<'_> {
    /// Reports what is here but not there; `added` if here is the new side.
    fn report(&mut self, added: bool, here: &SetDifference<'_>, there: &SetDifference<'_>) {
        let (predicate, verdict) = if added { self.words.added } else { self.words.removed };
        let state = if added { "added" } else { "removed" };
        // An unknown rule of the other side may be the same.
        let unsure = there.opaque_rules.iter().any(|rule| rule.is_unknown());
        let mut groups = self.groups(here);
        self.report_whole_rules(added, &mut groups, there, unsure || !there.conditional.is_empty());
        let more = groups.len().saturating_sub(MAX_REPORTED);
        let others = if groups.is_empty() { Vec::new() } else { self.groups(there) };
        for group in groups.iter().take(MAX_REPORTED) {
            let mut phrase = self.phrase(group);
            let resource = group.rule.map_or(self.resource, |rule| &rule.resource);
            let whole = group.whole.unwrap_or(group.region);
            let counterpart = there.place_of(&whole).or_else(|| only_place(&others, &group.region));
            let place = (group.rule.and_then(|rule| rule.span), counterpart);
            // So may a rule with a condition.
            let is_conditional =
                there.conditional.iter().any(|(region, _)| region.overlaps(&group.region));
            if unsure || is_conditional || self.is_swapped(group, there) {
                let but = if added { "already covered it" } else { "still covers it" };
                if let Some(region) = group.whole.filter(|_| group.is_scattered()) {
                    let ranges = vec![region.interval(Axis::Peer)];
                    phrase =
                        self.phrase(&RuleDifference { region, ranges, rule: None, whole: None });
                }
                let message = format!(
                    "a rule for {phrase} is {state}; it is unknown whether another rule {but}"
                );
                self.push(added, resource, uncertain(verdict), message, place);
            } else {
                self.push(added, resource, verdict, format!("{phrase} {predicate}"), place);
            }
        }
        if more > 0 {
            let verdict = if unsure { uncertain(verdict) } else { verdict };
            let message = format!("{more} more kinds of traffic: each {predicate}");
            self.push(added, self.resource, verdict, message, (None, None));
        }
        for (region, rule) in here.conditional_not_in(there) {
            let ranges = vec![region.interval(Axis::Peer)];
            let phrase =
                self.phrase(&RuleDifference { region, ranges, rule: Some(rule), whole: None });
            let message = format!("a rule for {phrase} is {state} under a condition");
            self.push(added, &rule.resource, uncertain(verdict), message, (rule.span, None));
        }
        for rule in &here.opaque_rules {
            let (message, verdict) = match &rule.effect {
                RuleEffect::Unknown(opaque) => (
                    format!("a rule with unknown traffic is {state}: {}", opaque.shown),
                    uncertain(verdict),
                ),
                RuleEffect::Refused(opaque) => {
                    (format!("an invalid rule is {state}: {}", opaque.shown), AccessChange::Changed)
                }
                RuleEffect::Traffic(_) | RuleEffect::Peer(..) => continue,
            };
            self.push(added, &rule.resource, verdict, message, (rule.span, None));
        }
    }

    /// Reports rules with many new or removed parts as a whole, and removes these parts.
    fn report_whole_rules(
        &mut self,
        added: bool,
        groups: &mut Vec<RuleDifference<'_>>,
        there: &SetDifference<'_>,
        unsure: bool,
    ) {
        let (predicate, verdict) = if added { self.words.added } else { self.words.removed };
        let mut at = 0;
        while at < groups.len() {
            let whole = groups[at].whole;
            let parts: Vec<TrafficSet> = groups
                .iter()
                .filter(|group| group.whole == whole)
                .flat_map(|group| {
                    group.ranges.iter().map(|range| group.region.with(Axis::Peer, *range))
                })
                .collect();
            let own = || groups.iter().filter(|group| group.whole == whole);
            let are_many = own().count() > MAX_PARTS || own().any(RuleDifference::is_scattered);
            let (Some(whole), Some(rule)) = (whole, groups[at].rule) else {
                at += 1;
                continue;
            };
            let Ok(rest) = difference(&[whole], &parts) else {
                at += 1;
                continue;
            };
            if !are_many || unsure || rest.is_empty() {
                at += 1;
                continue;
            }
            let phrase = |region: TrafficSet| {
                let ranges = vec![region.interval(Axis::Peer)];
                self.phrase(&RuleDifference { region, ranges, rule: None, whole: None })
            };
            let is = phrase(whole);
            // Peers that are the same are not repeated.
            let mut rest: Vec<String> = rest
                .into_iter()
                .map(|region| match region.interval(Axis::Peer) == whole.interval(Axis::Peer) {
                    true => (self.words.traffic)(&region),
                    false => phrase(region),
                })
                .collect();
            let more = rest.len().saturating_sub(MAX_RANGES);
            rest.truncate(MAX_RANGES);
            let mut rest = rest.join(", ");
            if more > 0 {
                rest = format!("{rest} and {more} more");
            }
            let part = if added { "before" } else { "still open" };
            let message = format!("{is} {predicate} ({part}: {rest})");
            let places = (rule.span, there.place_of(&whole));
            self.push(added, &rule.resource, verdict, message, places);
            groups.retain(|group| group.whole != Some(whole));
        }
    }

    /// Adds a change at the place of the rule, and at that of the rule of the other side; without one, at the set of rules.
    fn push(
        &mut self,
        added: bool,
        resource: &str,
        verdict: AccessChange,
        message: String,
        (here, there): (Option<Span>, Option<Span>),
    ) {
        let (old, new) = if added { (there, here) } else { (here, there) };
        let places = Places { old: old.or(self.places.old), new: new.or(self.places.new) };
        let resource = resource.to_owned();
        let kind = self.words.kind;
        self.changes.push(SecurityChange { resource, kind, access: verdict, message, places });
    }

    /// The boxes of a side, grouped if they differ only in addresses.
    fn groups<'p>(&self, part: &SetDifference<'p>) -> Vec<RuleDifference<'p>>
    where
        Self: 'p,
    {
        let mut groups: Vec<RuleDifference<'p>> = Vec::new();
        for piece in &part.difference {
            let from = part.origins.iter().find(|(region, _)| region.overlaps(piece));
            let rule = from.map(|(_, rule)| *rule);
            let whole = from.map(|(region, _)| *region).filter(|region| piece.is_within(region));
            let resource = |rule: Option<&'p TrafficRule>| rule.map(|rule| &rule.resource);
            let range = piece.interval(Axis::Peer);
            let found = groups.iter_mut().find(|group| {
                group.region.with(Axis::Peer, range) == *piece
                    && resource(group.rule) == resource(rule)
                    && group.whole == whole
            });
            match found {
                Some(group) => group.ranges.push(range),
                None => {
                    groups.push(RuleDifference { region: *piece, ranges: vec![range], rule, whole })
                }
            }
        }
        groups
    }

    /// Whether the other side has the same traffic for other peers, one of which is unknown.
    fn is_swapped(&self, group: &RuleDifference<'_>, there: &SetDifference<'_>) -> bool {
        let unbounded =
            |region: &TrafficSet| self.names.peer(region).is_some_and(|peer| peer.unbounded);
        there.difference.iter().any(|other| {
            (unbounded(other) || unbounded(&group.region))
                && other
                    .with(Axis::Peer, group.region.interval(Axis::Peer))
                    .with(Axis::NamedPeer, group.region.interval(Axis::NamedPeer))
                    .overlaps(&group.region)
        })
    }

    /// Formats traffic: `tcp 22 from 10.0.0.0/8`.
    fn phrase(&self, group: &RuleDifference<'_>) -> String {
        let region = &group.region;
        let family = region.family();
        let peers = match self.names.peer(region) {
            Some(peer) => peer.shown.clone(),
            None => ranges(family, &group.ranges),
        };
        let way = if region.interval(Axis::Direction).first == 0 {
            self.words.peer_preposition
        } else {
            "to"
        };
        let mut phrase = (self.words.traffic)(region);
        let source = region.interval(Axis::SourcePort);
        if source != Interval::new(0, 65535) {
            phrase = format!("{phrase} (source port {})", numbers(source));
        }
        phrase = format!("{phrase} {way} {peers}");
        if region.interval(Axis::LocalAddress) != Interval::addresses(family) {
            let inside = ranges(family, &[region.interval(Axis::LocalAddress)]);
            phrase = format!("{phrase} to {inside}");
        }
        phrase
    }
}

/// A verdict that depends on an unknown value.
fn uncertain(verdict: AccessChange) -> AccessChange {
    match verdict {
        AccessChange::Widened | AccessChange::MayWiden => AccessChange::MayWiden,
        AccessChange::Initial | AccessChange::Changed | AccessChange::Narrowed => {
            AccessChange::Changed
        }
    }
}

/// Formats protocols and ports: `tcp 22`, `icmp type 8`, `every protocol`.
fn traffic(region: &TrafficSet) -> String {
    let (protocols, ports) = (region.interval(Axis::Protocol), region.interval(Axis::Port));
    let name = protocol::shown(protocols);
    if ports == Interval::new(0, 65535) {
        return name;
    }
    if !protocol::has_types(protocols) {
        return format!("{name} {}", numbers(ports));
    }
    // The upper byte is the type, the lower one the code.
    let (first, last) = (ports.first / 256, ports.last / 256);
    let whole = ports.first % 256 == 0 && ports.last % 256 == 255;
    match (first == last, whole) {
        (true, true) => format!("{name} type {first}"),
        (true, false) => {
            let codes = Interval::new(ports.first % 256, ports.last % 256);
            format!("{name} type {first} code {}", numbers(codes))
        }
        (false, true) => format!("{name} types {first}-{last}"),
        (false, false) => format!(
            "{name} from type {first} code {} to type {last} code {}",
            ports.first % 256,
            ports.last % 256
        ),
    }
}

fn numbers(interval: Interval) -> String {
    if interval.first == interval.last {
        interval.first.to_string()
    } else {
        format!("{}-{}", interval.first, interval.last)
    }
}

/// Formats address ranges as networks; of many only the first ones.
fn ranges(family: AddressFamily, ranges: &[Interval]) -> String {
    let networks: Vec<String> =
        ranges.iter().flat_map(|range| address::networks(family, *range)).collect();
    let shown = networks[..networks.len().min(MAX_RANGES)].join(", ");
    match networks.len().saturating_sub(MAX_RANGES) {
        0 => shown,
        1 => format!("{shown} and 1 more range"),
        more => format!("{shown} and {more} more ranges"),
    }
}
