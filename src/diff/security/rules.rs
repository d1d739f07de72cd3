//! Sets of rules, and what two of them differ in.

use std::collections::HashMap;

use crate::diff::comparison::{AccessChange, Pair, SecurityChange, SecurityKind};
use source_diagnostics::Span;

use super::resource_side::OpaqueValue;
use super::traffic_set::{
    AddressFamily, Axis, Interval, TooManySets, TrafficSet, difference, with_names,
};
use super::{address, protocol};

/// What may be reached, by rules of which some are not known.
#[derive(Debug, Default)]
pub(super) struct RuleSet {
    rules: Vec<TrafficRule>,
    /// Where the set itself is written, for what is in none of its rules.
    pub(super) span: Option<Span>,
}

/// One rule.
#[derive(Clone, Debug)]
pub(super) struct TrafficRule {
    /// What it lets through.
    pub(super) effect: RuleEffect,
    /// The resource that it is a part of, by its whole name.
    pub(super) resource: String,
    /// Where it is written.
    pub(super) span: Option<Span>,
}

/// What a rule lets through.
#[derive(Clone, Debug)]
pub(super) enum RuleEffect {
    /// Exactly this, to and from addresses.
    Traffic(Vec<TrafficSet>),
    /// This, but only to and from a peer that has a name.
    Peer(Box<TrafficSet>, Peer),
    /// It is not known what.
    Unknown(OpaqueValue),
    /// The service refuses it.
    Refused(OpaqueValue),
}

/// A peer that no address tells.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Peer {
    /// Equal for the same peer.
    pub(super) key: String,
    /// For people.
    pub(super) shown: String,
    /// Its addresses are not known, and may be all.
    pub(super) unbounded: bool,
}

/// The numbers of the peers that have names.
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

    pub(super) fn push(&mut self, rule: TrafficRule) {
        self.rules.push(rule);
    }

    pub(super) fn extend(&mut self, rules: impl IntoIterator<Item = TrafficRule>) {
        self.rules.extend(rules);
    }

    /// What each rule lets through, as far as that is known.
    fn regions<'a>(&'a self, names: &mut PeerNumbers<'a>) -> Vec<(TrafficSet, &'a TrafficRule)> {
        let mut found = Vec::new();
        for rule in &self.rules {
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

    /// The rules that the other set has not, among those that cannot be computed with.
    fn opaque_not_in<'a>(&'a self, other: &RuleSet) -> Vec<&'a TrafficRule> {
        let mut there: HashMap<&OpaqueValue, usize> = HashMap::new();
        for opaque in other.rules.iter().filter_map(TrafficRule::opaque) {
            *there.entry(opaque).or_default() += 1;
        }
        let alone = |rule: &&TrafficRule| match rule.opaque() {
            Some(opaque) => match there.get_mut(opaque) {
                Some(count) if *count > 0 => {
                    *count -= 1;
                    false
                }
                _ => true,
            },
            None => false,
        };
        self.rules.iter().filter(alone).collect()
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
    /// What the other side has not.
    difference: Vec<TrafficSet>,
    /// Where each box is from.
    origins: Vec<(TrafficSet, &'a TrafficRule)>,
    /// The rules that the other side has not and that cannot be computed with.
    opaque_rules: Vec<&'a TrafficRule>,
}

/// A rule that is new, or gone, in more parts than these is told as a whole, with what it is not.
const MAX_PARTS: usize = 3;
/// So many changes of one set are told one by one.
const MAX_REPORTED: usize = 24;
/// So many ranges of addresses are told in one sentence.
const MAX_RANGES: usize = 5;

/// How a difference is told.
#[derive(Clone, Copy)]
pub(super) struct RuleWording {
    /// What kind of change it is.
    pub(super) kind: SecurityKind,
    /// What the protocols and ports of a box mean.
    pub(super) traffic: fn(&TrafficSet) -> String,
    /// What stands before the peers of what comes in.
    pub(super) peer_preposition: &'static str,
    /// What is said of what only the new rules let through, and whether that is more.
    pub(super) added: (&'static str, AccessChange),
    /// What is said of what only the old rules let through.
    pub(super) removed: (&'static str, AccessChange),
}

/// Rules that let traffic through.
pub(super) const ALLOW: RuleWording = RuleWording {
    kind: SecurityKind::Rule,
    traffic,
    peer_preposition: "from",
    added: ("is open now", AccessChange::Widened),
    removed: ("is closed now", AccessChange::Narrowed),
};

/// Rules that keep traffic out.
pub(super) const DENY: RuleWording = RuleWording {
    added: ("is denied now", AccessChange::Narrowed),
    removed: ("is no longer denied", AccessChange::Widened),
    ..ALLOW
};

/// What is in one set and not in the other. `resource` stands for the set where no rule does.
pub(super) fn compare(
    resource: &str,
    old: &RuleSet,
    new: &RuleSet,
    words: &RuleWording,
) -> Vec<SecurityChange> {
    let mut names = PeerNumbers::default();
    let (from_old, from_new) = (old.regions(&mut names), new.regions(&mut names));
    let (closed, opened) = match differences(&from_old, &from_new) {
        Ok(found) => found,
        Err(TooManySets) => {
            return vec![SecurityChange {
                resource: resource.to_owned(),
                kind: words.kind,
                access: AccessChange::Changed,
                message: "the rules differ in more ways than can be listed".to_owned(),
                spans: Pair { old: old.span, new: new.span },
            }];
        }
    };
    let closed = SetDifference {
        difference: closed,
        origins: from_old,
        opaque_rules: old.opaque_not_in(new),
    };
    let opened = SetDifference {
        difference: opened,
        origins: from_new,
        opaque_rules: new.opaque_not_in(old),
    };
    let mut teller = DifferenceReporter {
        resource,
        words,
        names: &names,
        places: Pair { old: old.span, new: new.span },
        changes: Vec::new(),
    };
    teller.report(true, &opened, &closed);
    teller.report(false, &closed, &opened);
    teller.changes
}

/// What is closed and what is opened.
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
    // A rule for a named peer says nothing where everybody may.
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

/// Pieces that differ in the addresses of the peer alone.
struct RuleDifference<'a> {
    region: TrafficSet,
    ranges: Vec<Interval>,
    rule: Option<&'a TrafficRule>,
    /// The box that they are all a part of.
    whole: Option<TrafficSet>,
}

struct DifferenceReporter<'a> {
    resource: &'a str,
    words: &'a RuleWording,
    names: &'a PeerNumbers<'a>,
    places: Pair<Option<Span>>,
    changes: Vec<SecurityChange>,
}

impl DifferenceReporter<'_> {
    /// Tells what is here and not there; `added` if here is the new side.
    fn report(&mut self, added: bool, here: &SetDifference<'_>, there: &SetDifference<'_>) {
        let (said, verdict) = if added { self.words.added } else { self.words.removed };
        let state = if added { "new" } else { "gone" };
        // What the other side has and nobody knows may be the same.
        let unsure = there.opaque_rules.iter().any(|rule| rule.is_unknown());
        let mut groups = self.groups(here);
        self.report_whole_rules(added, &mut groups, unsure);
        let more = groups.len().saturating_sub(MAX_REPORTED);
        for group in groups.iter().take(MAX_REPORTED) {
            let phrase = self.phrase(group);
            let resource = group.rule.map_or(self.resource, |rule| &rule.resource);
            let place = group.rule.and_then(|rule| rule.span);
            if unsure || self.is_swapped(group, there) {
                let but = if added { "was so before" } else { "stays so by another rule" };
                let message =
                    format!("a rule for {phrase} is {state}; it is not known whether that {but}");
                self.push(added, resource, AccessChange::Changed, message, place);
            } else {
                self.push(added, resource, verdict, format!("{phrase} {said}"), place);
            }
        }
        if more > 0 {
            let verdict = if unsure { AccessChange::Changed } else { verdict };
            let message = format!("so it is with {more} more kinds of traffic: each {said}");
            self.push(added, self.resource, verdict, message, None);
        }
        for rule in &here.opaque_rules {
            let message = match &rule.effect {
                RuleEffect::Unknown(opaque) => {
                    format!("a rule is {state}, and what it covers is not known: {}", opaque.shown)
                }
                RuleEffect::Refused(opaque) => {
                    format!("a rule is {state} that has no meaning: {}", opaque.shown)
                }
                RuleEffect::Traffic(_) | RuleEffect::Peer(..) => continue,
            };
            self.push(added, &rule.resource, AccessChange::Changed, message, rule.span);
        }
    }

    /// Tells rules of which many parts are new, or gone, as a whole, and takes their parts away.
    fn report_whole_rules(
        &mut self,
        added: bool,
        groups: &mut Vec<RuleDifference<'_>>,
        unsure: bool,
    ) {
        let (said, verdict) = if added { self.words.added } else { self.words.removed };
        let mut at = 0;
        while at < groups.len() {
            let whole = groups[at].whole;
            let parts: Vec<TrafficSet> = groups
                .iter()
                .filter(|told| told.whole == whole)
                .flat_map(|told| {
                    told.ranges.iter().map(|range| told.region.with(Axis::Peer, *range))
                })
                .collect();
            let count = groups.iter().filter(|told| told.whole == whole).count();
            let (Some(whole), Some(rule)) = (whole, groups[at].rule) else {
                at += 1;
                continue;
            };
            let Ok(rest) = difference(&[whole], &parts) else {
                at += 1;
                continue;
            };
            if count <= MAX_PARTS || unsure || rest.is_empty() {
                at += 1;
                continue;
            }
            let told = |region: TrafficSet| {
                let ranges = vec![region.interval(Axis::Peer)];
                self.phrase(&RuleDifference { region, ranges, rule: None, whole: None })
            };
            let is = told(whole);
            // Where the peers are the same, they need not be told again.
            let mut rest: Vec<String> = rest
                .into_iter()
                .map(|region| match region.interval(Axis::Peer) == whole.interval(Axis::Peer) {
                    true => (self.words.traffic)(&region),
                    false => told(region),
                })
                .collect();
            let more = rest.len().saturating_sub(MAX_RANGES);
            rest.truncate(MAX_RANGES);
            let mut rest = rest.join(", ");
            if more > 0 {
                rest = format!("{rest} and {more} more");
            }
            let as_before = if added { "was before" } else { "stays" };
            let message = format!("{is} {said}, of which {as_before}: {rest}");
            self.push(added, &rule.resource, verdict, message, rule.span);
            groups.retain(|told| told.whole != Some(whole));
        }
    }

    fn push(
        &mut self,
        added: bool,
        resource: &str,
        verdict: AccessChange,
        message: String,
        place: Option<Span>,
    ) {
        let Pair { old, new } = self.places;
        let places =
            if added { Pair { old, new: place.or(new) } } else { Pair { old: place.or(old), new } };
        let resource = resource.to_owned();
        let kind = self.words.kind;
        self.changes.push(SecurityChange {
            resource,
            kind,
            access: verdict,
            message,
            spans: places,
        });
    }

    /// The pieces of a side, those together that differ in addresses alone.
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
            let found = groups.iter_mut().find(|told| {
                told.region.with(Axis::Peer, range) == *piece
                    && resource(told.rule) == resource(rule)
                    && told.whole == whole
            });
            match found {
                Some(told) => told.ranges.push(range),
                None => {
                    groups.push(RuleDifference { region: *piece, ranges: vec![range], rule, whole })
                }
            }
        }
        groups
    }

    /// Whether the other side lets the same through for other peers, and one of the peers is not known.
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

    /// `tcp 22 from 10.0.0.0/8`
    fn phrase(&self, told: &RuleDifference<'_>) -> String {
        let region = &told.region;
        let family = region.family();
        let peers = match self.names.peer(region) {
            Some(peer) => peer.shown.clone(),
            None => ranges(family, &told.ranges),
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
        if region.interval(Axis::LocalAddress) != family.all() {
            let inside = ranges(family, &[region.interval(Axis::LocalAddress)]);
            phrase = format!("{phrase} to {inside}");
        }
        phrase
    }
}

/// `tcp 22`, `icmp type 8`, `every protocol`
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

/// Ranges of addresses as networks, the first of them if there are many.
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
