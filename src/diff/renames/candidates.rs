//! Which of the things that are gone is which of the things that are new.

use std::collections::{HashMap, HashSet};

use crate::diff::comparison::MatchReason;
use crate::diff::lists::similarity;

/// Something that is on one side only.
#[derive(Debug)]
pub(super) struct Candidate<'a> {
    /// Its name.
    pub(super) name: &'a str,
    /// Only what agrees in this can be the same thing.
    pub(super) group: u64,
    /// What it is, names apart: equal for equal things.
    pub(super) exact: u64,
    /// The parts of what it is, sorted.
    pub(super) parts: Vec<u64>,
    /// Where it is used, sorted.
    pub(super) use_sites: Vec<u64>,
    /// It is nothing beside its uses: without one in common it is another thing.
    pub(super) is_known_by_use: bool,
}

/// A pair: positions on both sides, and why.
pub(super) type MatchedPair = (usize, usize, MatchReason);

/// How many pairs are weighed at once; beyond that, only equal things in their order.
const MAX_PAIRS: usize = 40_000;
/// What two things must have in common, in percent, to be taken for one that changed as well.
const MIN_SIMILARITY: u32 = 60;
/// What their definitions or their uses must have in common at the least.
const MIN_PART_SIMILARITY: u32 = 50;
/// What the uses must have in common, in percent, of what is nothing beside them.
const MIN_USE_SIMILARITY: u32 = 25;
/// How alike names must be, in percent, where nothing else tells things apart.
const MIN_NAME_SIMILARITY: u32 = 60;

/// Things that are equal, and equal to nothing else.
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

/// Things of which several are equal: by where they are used, then by their names, then in order if
/// there are as many on both sides.
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

/// Things that changed as well as moved: the most alike first.
pub(super) fn match_changed(old: &[Candidate<'_>], new: &[Candidate<'_>]) -> Vec<MatchedPair> {
    let mut groups: HashMap<u64, Vec<usize>> = HashMap::new();
    for (at, candidate) in new.iter().enumerate() {
        groups.entry(candidate.group).or_default().push(at);
    }
    let mut left = MAX_PAIRS;
    let mut pairs = Vec::new();
    for (at, one) in old.iter().enumerate() {
        let others = groups.get(&one.group).map_or(&[][..], Vec::as_slice);
        // In order: what is beyond the bound is left alone.
        left = left.saturating_sub(others.len());
        if left == 0 {
            break;
        }
        for other_at in others {
            let other = &new[*other_at];
            let (is, used) =
                (u32::from(similarity(&one.parts, &other.parts)), use_similarity(one, other));
            let named = name_similarity(one.name, other.name);
            // Of equal things it was not clear which is which.
            if one.exact == other.exact {
                continue;
            }
            let both_used = !one.use_sites.is_empty() && !other.use_sites.is_empty();
            // A single part that is another one says little.
            let says = if one.parts.len().max(other.parts.len()) < 3 { 1 } else { 2 };
            let weight = if both_used {
                (says * is + 2 * used + named) / (says + 3)
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

/// Two things without content are equal whatever they are: then their uses or names must agree.
fn is_plausible(one: &Candidate<'_>, other: &Candidate<'_>) -> bool {
    one.parts.len() > 1
        || use_similarity(one, other) > 0
        || name_similarity(one.name, other.name) >= MIN_NAME_SIMILARITY
}

/// Pairs by rank, the highest first, each thing once.
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

/// How alike two names are, in percent.
fn name_similarity(one: &str, other: &str) -> u32 {
    let (one, other) = (one.to_lowercase(), other.to_lowercase());
    // Names are short; of long ones the start tells.
    let start = |name: &str| name.chars().take(100).collect::<String>();
    let likeness = strsim::normalized_levenshtein(&start(&one), &start(&other));
    let contained =
        one.len().min(other.len()) > 2 && (one.contains(&*other) || other.contains(&*one));
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 100")]
    let percent = (likeness * 100.0) as u32;
    // A name that goes on or got a prefix says more than letters in common.
    if contained { (percent + 40).clamp(MIN_NAME_SIMILARITY, 99) } else { percent }
}
