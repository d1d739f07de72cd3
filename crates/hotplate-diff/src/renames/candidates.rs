//! Matches removed things with added things.

use std::collections::{HashMap, HashSet};

use indexmap::IndexMap;

use crate::comparison::MatchReason;
use crate::lists::similarity;

/// A thing that exists on one side only.
#[derive(Debug)]
pub(super) struct Candidate<'a> {
    /// The name on its side.
    pub(super) name: &'a str,
    /// Only candidates of the same group can be the same thing.
    pub(super) group: u64,
    /// A digest of the content without names: equal for equal things.
    pub(super) exact: u64,
    /// The digests of the parts of its content, sorted.
    pub(super) parts: Vec<u64>,
    /// The digests of the places that use it, sorted.
    pub(super) use_sites: Vec<u64>,
    /// Whether only its uses identify it: without a common use it is another part.
    pub(super) is_known_by_use: bool,
}

/// A match: the positions on both sides, and the reason.
pub(super) type MatchedPair = (usize, usize, MatchReason);

/// The maximum number of pairs that are scored in one pair of stacks, for each kind of thing.
const MAX_PAIRS: usize = 100_000;
/// A part that more things have than this says little about any of them.
const MAX_SHARED: usize = 16;
/// The minimum similarity of a renamed thing that also changed, in percent.
const MIN_SIMILARITY: u32 = 60;
/// The minimum similarity of its content or its uses, in percent.
const MIN_PART_SIMILARITY: u32 = 50;
/// The minimum similarity of the uses, in percent, for parts that only their uses identify.
const MIN_USE_SIMILARITY: u32 = 25;
/// The minimum similarity of names, in percent, if nothing else identifies the parts.
const MIN_NAME_SIMILARITY: u32 = 60;

/// Matches things that are equal to exactly one other thing.
pub(super) fn match_unambiguous(old: &[Candidate<'_>], new: &[Candidate<'_>]) -> Vec<MatchedPair> {
    let mut found = Vec::new();
    for (one, other) in equal_classes(old, new) {
        if let ([one], [other]) = (one.as_slice(), other.as_slice())
            && is_plausible(&old[*one], &new[*other])
        {
            found.push((*one, *other, MatchReason::Equal));
        }
    }
    found
}

/// The pairs that may still be scored. Groups of things that have more pairs are matched in less time and less
/// thoroughly.
#[derive(Debug)]
pub(super) struct PairBudget {
    left: usize,
    /// Whether a group had too many pairs.
    pub(super) is_exceeded: bool,
}

impl Default for PairBudget {
    fn default() -> Self {
        PairBudget { left: MAX_PAIRS, is_exceeded: false }
    }
}

impl PairBudget {
    /// Whether all pairs of two sides may be scored.
    fn allows(&mut self, old: usize, new: usize) -> bool {
        let pairs = old.saturating_mul(new);
        if pairs > self.left {
            return false;
        }
        self.left -= pairs;
        true
    }
}

/// Matches things of which several are equal: by their uses, then by their names, then in order if
/// their number is the same on both sides.
pub(super) fn match_ambiguous(
    old: &[Candidate<'_>],
    new: &[Candidate<'_>],
    budget: &mut PairBudget,
) -> Vec<MatchedPair> {
    let mut found = Vec::new();
    let mut classes = equal_classes(old, new);
    classes.sort_by_key(|(one, other)| one.len().saturating_mul(other.len()));
    for (one, other) in classes {
        if one.len() < 2 && other.len() < 2 {
            continue;
        }
        if !budget.allows(one.len(), other.len()) {
            let paired = match_in_order(old, new, &one, &other);
            budget.is_exceeded |= paired.len() < one.len().min(other.len());
            found.extend(paired);
            continue;
        }
        let as_many = one.len() == other.len();
        let mut pairs = Vec::new();
        for (at, one) in one.iter().enumerate() {
            for (other_at, other) in other.iter().enumerate() {
                let (a, b) = (&old[*one], &new[*other]);
                let (used, named) = (use_similarity(a, b), name_similarity(a.name, b.name));
                if as_many || used > 0 || named >= MIN_NAME_SIMILARITY {
                    let rank = (used, named, std::cmp::Reverse(at.abs_diff(other_at)));
                    pairs.push((rank, *one, *other, MatchReason::Equal));
                }
            }
        }
        found.extend(
            best_pairs(pairs)
                .into_iter()
                .filter(|(one, other, _)| is_plausible(&old[*one], &new[*other])),
        );
    }
    found.sort_by_key(|(one, ..)| *one);
    found
}

/// Matches equal things in order: those with the same uses, then the others; each if their number is the same on both
/// sides.
fn match_in_order(
    old: &[Candidate<'_>],
    new: &[Candidate<'_>],
    ones: &[usize],
    others: &[usize],
) -> Vec<MatchedPair> {
    let mut by_use: IndexMap<&[u64], (Vec<usize>, Vec<usize>)> = IndexMap::new();
    for one in ones {
        by_use.entry(old[*one].use_sites.as_slice()).or_default().0.push(*one);
    }
    for other in others {
        by_use.entry(new[*other].use_sites.as_slice()).or_default().1.push(*other);
    }
    let mut rest = (Vec::new(), Vec::new());
    let mut found = Vec::new();
    let mut pair_up = |ones: &[usize], others: &[usize]| {
        let both = ones.iter().zip(others);
        found.extend(both.map(|(one, other)| (*one, *other, MatchReason::Equal)));
    };
    for (ones, others) in by_use.into_values() {
        if ones.len() == others.len() {
            pair_up(&ones, &others);
        } else {
            rest.0.extend(ones);
            rest.1.extend(others);
        }
    }
    rest.0.sort_unstable();
    rest.1.sort_unstable();
    if rest.0.len() == rest.1.len() {
        pair_up(&rest.0, &rest.1);
    }
    found
}

/// Matches things that were changed and renamed: the most similar first.
pub(super) fn match_changed(
    old: &[Candidate<'_>],
    new: &[Candidate<'_>],
    budget: &mut PairBudget,
) -> Vec<MatchedPair> {
    let mut groups: IndexMap<u64, (Vec<usize>, Vec<usize>)> = IndexMap::new();
    for (at, candidate) in old.iter().enumerate() {
        groups.entry(candidate.group).or_default().0.push(at);
    }
    for (at, candidate) in new.iter().enumerate() {
        groups.entry(candidate.group).or_default().1.push(at);
    }
    let mut groups: Vec<_> = groups.into_values().collect();
    groups.sort_by_key(|(olds, news)| olds.len().saturating_mul(news.len()));
    let mut pairs = Vec::new();
    for (olds, news) in groups {
        let near = if budget.allows(olds.len(), news.len()) {
            None
        } else {
            budget.is_exceeded = true;
            Some(SharedParts::new(new, &news))
        };
        for at in olds {
            let few = near.as_ref().map(|near| near.of(&old[at]));
            for other_at in few.as_deref().unwrap_or(&news) {
                pairs.extend(score_changed(old, new, at, *other_at));
            }
        }
    }
    best_pairs(pairs)
}

/// The things that have a part or a use, for those that few things have.
struct SharedParts {
    by_part: HashMap<u64, Vec<usize>>,
}

impl SharedParts {
    fn new(all: &[Candidate<'_>], positions: &[usize]) -> Self {
        let mut by_part: HashMap<u64, Vec<usize>> = HashMap::new();
        for at in positions {
            for part in all[*at].parts.iter().chain(&all[*at].use_sites) {
                let things = by_part.entry(*part).or_default();
                if things.last() != Some(at) && things.len() <= MAX_SHARED {
                    things.push(*at);
                }
            }
        }
        by_part.retain(|_, things| things.len() <= MAX_SHARED);
        SharedParts { by_part }
    }

    /// The things that share most parts with one, in order.
    fn of(&self, one: &Candidate<'_>) -> Vec<usize> {
        let mut shared: HashMap<usize, usize> = HashMap::new();
        for part in one.parts.iter().chain(&one.use_sites) {
            for at in self.by_part.get(part).into_iter().flatten() {
                *shared.entry(*at).or_default() += 1;
            }
        }
        let mut ranked: Vec<(usize, usize)> = shared.into_iter().collect();
        ranked.sort_unstable_by_key(|(at, count)| (std::cmp::Reverse(*count), *at));
        ranked.truncate(MAX_SHARED);
        ranked.into_iter().map(|(at, _)| at).collect()
    }
}

/// How well two things match that are not equal.
type ChangedRank = (u32, u32, std::cmp::Reverse<usize>);

/// The rank of a pair of things of one group, if they may be the same.
fn score_changed(
    old: &[Candidate<'_>],
    new: &[Candidate<'_>],
    at: usize,
    other_at: usize,
) -> Option<(ChangedRank, usize, usize, MatchReason)> {
    let (one, other) = (&old[at], &new[other_at]);
    // Equal things are ambiguous here.
    if one.exact == other.exact {
        return None;
    }
    let (is, used) = (u32::from(similarity(&one.parts, &other.parts)), use_similarity(one, other));
    // Without this similarity names do not matter.
    if is.max(used) < MIN_PART_SIMILARITY {
        return None;
    }
    let named = name_similarity(one.name, other.name);
    let both_used = !one.use_sites.is_empty() && !other.use_sites.is_empty();
    // A single differing part is weak evidence.
    let weight = if one.parts.len().max(other.parts.len()) < 3 { 1 } else { 2 };
    let weight = if both_used {
        (weight * is + 2 * used + named) / (weight + 3)
    } else {
        (3 * is + named) / 4
    };
    let used_alike = !one.is_known_by_use
        || used >= MIN_USE_SIMILARITY
        || (one.use_sites.is_empty() && other.use_sites.is_empty());
    if weight < MIN_SIMILARITY || !used_alike {
        return None;
    }
    let by = MatchReason::Content { alike: u8::try_from(weight.min(99)).unwrap_or(99) };
    Some(((weight, named, std::cmp::Reverse(at.abs_diff(other_at))), at, other_at, by))
}

/// The positions of equal things on both sides, in the order of the old one.
fn equal_classes(old: &[Candidate<'_>], new: &[Candidate<'_>]) -> Vec<(Vec<usize>, Vec<usize>)> {
    let mut by_mark: HashMap<(u64, u64), (Vec<usize>, Vec<usize>)> = HashMap::new();
    let mark = |candidate: &Candidate<'_>| (candidate.group, candidate.exact);
    for (at, candidate) in old.iter().enumerate() {
        by_mark.entry(mark(candidate)).or_default().0.push(at);
    }
    for (at, candidate) in new.iter().enumerate() {
        if let Some((_, others)) = by_mark.get_mut(&mark(candidate)) {
            others.push(at);
        }
    }
    let mut classes: Vec<_> =
        by_mark.into_values().filter(|(_, others)| !others.is_empty()).collect();
    classes.sort();
    classes
}

/// Things without content are always equal, so their uses or names must agree.
fn is_plausible(one: &Candidate<'_>, other: &Candidate<'_>) -> bool {
    one.parts.len() > 1
        || use_similarity(one, other) > 0
        || name_similarity(one.name, other.name) >= MIN_NAME_SIMILARITY
}

/// Selects pairs by rank, the highest first, using each thing once.
fn best_pairs<R: Ord + Copy>(mut pairs: Vec<(R, usize, usize, MatchReason)>) -> Vec<MatchedPair> {
    pairs.sort_by_key(|(rank, one, other, _)| (std::cmp::Reverse(*rank), *one, *other));
    let (mut olds, mut news) = (HashSet::new(), HashSet::new());
    let mut found: Vec<MatchedPair> = Vec::new();
    for (_, one, other, by) in pairs {
        if !olds.contains(&one) && !news.contains(&other) {
            olds.insert(one);
            news.insert(other);
            found.push((one, other, by));
        }
    }
    found.sort_by_key(|(one, ..)| *one);
    found
}

fn use_similarity(one: &Candidate<'_>, other: &Candidate<'_>) -> u32 {
    if one.use_sites == other.use_sites && !one.use_sites.is_empty() {
        return 100;
    }
    u32::from(similarity(&one.use_sites, &other.use_sites))
}

/// The similarity of two names, in percent.
fn name_similarity(one: &str, other: &str) -> u32 {
    let (one, other) = (one.to_lowercase(), other.to_lowercase());
    // Of long names only the start is compared.
    let start = |name: &str| name.chars().take(100).collect::<String>();
    let likeness = strsim::normalized_levenshtein(&start(&one), &start(&other));
    let contained =
        one.len().min(other.len()) > 2 && (one.contains(&*other) || other.contains(&*one));
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 100")]
    let percent = (likeness * 100.0) as u32;
    // A common prefix or suffix is stronger evidence than common letters.
    if contained { (percent + 40).clamp(MIN_NAME_SIMILARITY, 99) } else { percent }
}
