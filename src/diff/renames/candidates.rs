//! Which of the things that are gone is which of the things that are new.

use std::collections::{HashMap, HashSet};

use crate::diff::comparison::Matched;
use crate::diff::lists::alike;

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
    pub(super) sites: Vec<u64>,
    /// It is nothing beside its uses: without one in common it is another thing.
    pub(super) by_use: bool,
}

/// A pair: positions on both sides, and why.
pub(super) type Found = (usize, usize, Matched);

/// How many pairs are weighed at once; beyond that, only equal things in their order.
const WEIGHED: usize = 40_000;
/// What two things must have in common, in percent, to be taken for one that changed as well.
const ALIKE: u32 = 60;
/// What their definitions or their uses must have in common at the least.
const ENOUGH: u32 = 50;
/// What the uses must have in common, in percent, of what is nothing beside them.
const USED: u32 = 25;
/// How alike names must be, in percent, where nothing else tells things apart.
const NAMES: u32 = 60;

/// Things that are equal, and equal to nothing else.
pub(super) fn unambiguous(old: &[Candidate<'_>], new: &[Candidate<'_>]) -> Vec<Found> {
    let mut found = Vec::new();
    for (one, other) in classes(old, new) {
        if let ([one], [other]) = (one.as_slice(), other.as_slice())
            && is_plausible(&old[*one], &new[*other])
        {
            found.push((*one, *other, Matched::Equal));
        }
    }
    found
}

/// Things of which several are equal: by where they are used, then by their names, then in order if
/// there are as many on both sides.
pub(super) fn ambiguous(old: &[Candidate<'_>], new: &[Candidate<'_>]) -> Vec<Found> {
    let mut found = Vec::new();
    for (one, other) in classes(old, new) {
        if one.len() < 2 && other.len() < 2 {
            continue;
        }
        let as_many = one.len() == other.len();
        if one.len().saturating_mul(other.len()) > WEIGHED {
            let in_order = one.iter().zip(&other).filter(|_| as_many);
            found.extend(in_order.map(|(one, other)| (*one, *other, Matched::Equal)));
            continue;
        }
        let mut pairs = Vec::new();
        for (at, one) in one.iter().enumerate() {
            for (other_at, other) in other.iter().enumerate() {
                let (a, b) = (&old[*one], &new[*other]);
                let (used, named) = (uses(a, b), names(a.name, b.name));
                if as_many || used > 0 || named >= NAMES {
                    let rank = (used, named, std::cmp::Reverse(at.abs_diff(other_at)));
                    pairs.push((rank, *one, *other, Matched::Equal));
                }
            }
        }
        found.extend(
            best(pairs)
                .into_iter()
                .filter(|(one, other, _)| is_plausible(&old[*one], &new[*other])),
        );
    }
    found
}

/// Things that changed as well as moved: the most alike first.
pub(super) fn changed(old: &[Candidate<'_>], new: &[Candidate<'_>]) -> Vec<Found> {
    let mut groups: HashMap<u64, Vec<usize>> = HashMap::new();
    for (at, candidate) in new.iter().enumerate() {
        groups.entry(candidate.group).or_default().push(at);
    }
    let mut left = WEIGHED;
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
            let (is, used) = (u32::from(alike(&one.parts, &other.parts)), uses(one, other));
            let named = names(one.name, other.name);
            // Of equal things it was not clear which is which.
            if one.exact == other.exact {
                continue;
            }
            let both_used = !one.sites.is_empty() && !other.sites.is_empty();
            // A single part that is another one says little.
            let says = if one.parts.len().max(other.parts.len()) < 3 { 1 } else { 2 };
            let weight = if both_used {
                (says * is + 2 * used + named) / (says + 3)
            } else {
                (3 * is + named) / 4
            };
            let used_alike =
                !one.by_use || used >= USED || (one.sites.is_empty() && other.sites.is_empty());
            if weight >= ALIKE && is.max(used) >= ENOUGH && used_alike {
                let by = Matched::Content { alike: u8::try_from(weight.min(99)).unwrap_or(99) };
                let near = std::cmp::Reverse(at.abs_diff(*other_at));
                pairs.push(((weight, named, near), at, *other_at, by));
            }
        }
    }
    best(pairs)
}

/// The positions of equal things on both sides, in the order of the old one.
fn classes(old: &[Candidate<'_>], new: &[Candidate<'_>]) -> Vec<(Vec<usize>, Vec<usize>)> {
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
    one.parts.len() > 1 || uses(one, other) > 0 || names(one.name, other.name) >= NAMES
}

/// Pairs by rank, the highest first, each thing once.
fn best<R: Ord + Copy>(mut pairs: Vec<(R, usize, usize, Matched)>) -> Vec<Found> {
    pairs.sort_by_key(|(rank, one, other, _)| (std::cmp::Reverse(*rank), *one, *other));
    let (mut olds, mut news) = (HashSet::new(), HashSet::new());
    let mut found: Vec<Found> = Vec::new();
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

fn uses(one: &Candidate<'_>, other: &Candidate<'_>) -> u32 {
    if one.sites == other.sites && !one.sites.is_empty() {
        return 100;
    }
    u32::from(alike(&one.sites, &other.sites))
}

/// How alike two names are, in percent.
fn names(one: &str, other: &str) -> u32 {
    let (one, other) = (one.to_lowercase(), other.to_lowercase());
    // Names are short; of long ones the start tells.
    let start = |name: &str| name.chars().take(100).collect::<String>();
    let likeness = strsim::normalized_levenshtein(&start(&one), &start(&other));
    let contained =
        one.len().min(other.len()) > 2 && (one.contains(&*other) || other.contains(&*one));
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 100")]
    let percent = (likeness * 100.0) as u32;
    // A name that goes on or got a prefix says more than letters in common.
    if contained { (percent + 40).clamp(NAMES, 99) } else { percent }
}
