//! Matches removed things with added things.

use std::collections::{HashMap, HashSet};

use crate::diff::comparison::MatchReason;
use crate::diff::lists::similarity;

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

/// The maximum number of pairs that are scored at once; beyond it, only equal things are matched in order.
const MAX_PAIRS: usize = 40_000;
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

/// Matches things of which several are equal: by their uses, then by their names, then in order if
/// their number is the same on both sides.
pub(super) fn match_ambiguous(old: &[Candidate<'_>], new: &[Candidate<'_>]) -> Vec<MatchedPair> {
    let mut found = Vec::new();
    for (one, other) in equal_classes(old, new) {
        if one.len() < 2 && other.len() < 2 {
            continue;
        }
        let as_many = one.len() == other.len();
        if one.len().saturating_mul(other.len()) > MAX_PAIRS {
            let in_order = one.iter().zip(&other).filter(|_| as_many);
            found.extend(in_order.map(|(one, other)| (*one, *other, MatchReason::Equal)));
            continue;
        }
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
    found
}

/// Matches things that were changed and renamed: the most similar first.
pub(super) fn match_changed(old: &[Candidate<'_>], new: &[Candidate<'_>]) -> Vec<MatchedPair> {
    let mut groups: HashMap<u64, Vec<usize>> = HashMap::new();
    for (at, candidate) in new.iter().enumerate() {
        groups.entry(candidate.group).or_default().push(at);
    }
    let mut left = MAX_PAIRS;
    let mut pairs = Vec::new();
    for (at, one) in old.iter().enumerate() {
        let others = groups.get(&one.group).map_or(&[][..], Vec::as_slice);
        // In order; candidates beyond the bound are not matched.
        left = left.saturating_sub(others.len());
        if left == 0 {
            break;
        }
        for other_at in others {
            let other = &new[*other_at];
            let (is, used) =
                (u32::from(similarity(&one.parts, &other.parts)), use_similarity(one, other));
            let named = name_similarity(one.name, other.name);
            // Equal things are ambiguous here.
            if one.exact == other.exact {
                continue;
            }
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
            if weight >= MIN_SIMILARITY && is.max(used) >= MIN_PART_SIMILARITY && used_alike {
                let by = MatchReason::Content { alike: u8::try_from(weight.min(99)).unwrap_or(99) };
                let near = std::cmp::Reverse(at.abs_diff(*other_at));
                pairs.push(((weight, named, near), at, *other_at, by));
            }
        }
    }
    best_pairs(pairs)
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
