//! Aligns the items of two lists.
//!
//! Items are matched in this order: equal items; items with the same identity, if a table defines one for
//! the list; items that agree in a key whose values are unique on both sides; the most similar of the remaining
//! items; items at the same position between aligned neighbors. The running time is bounded for lists of any
//! length.

mod identity;

use source_diagnostics::MASK;
use std::collections::{HashMap, HashSet, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};

pub(super) use self::identity::identity_rule;
use self::identity::{IdentityRule, NAME_KEYS};
use super::comparison::{MatchReason, Pair};
use heat_engine::eval::{Key, Map, Value, python};

/// A matched or unmatched item of two lists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct AlignedItem {
    /// The positions on both sides, from 0.
    pub(super) at: Pair<Option<usize>>,
    /// Why the two are matched.
    pub(super) matched: MatchReason,
    /// Whether its order relative to other items has changed.
    pub(super) moved: bool,
}

/// The maximum number of pairs of items that are compared as a whole.
const MAX_PAIRS: usize = 250_000;
/// The maximum number of pairs of parts that are compared in the search for similar items; beyond
/// it, only items near each other are compared.
const MAX_PART_PAIRS: usize = 20_000_000;
/// The distance that counts as near.
const NEIGHBORHOOD: usize = 16;
/// The maximum number of candidates in the search for the longest common subsequence.
const MAX_CANDIDATES: usize = 1_000_000;
/// The minimum similarity of matched items, in percent.
const MIN_SIMILARITY: u8 = 50;
/// The number of parts of an item that its similarity is computed from.
const MAX_PARTS: usize = 512;

/// Aligns two lists: in the order of the new one, with each removed item after the one that
/// preceded it. `equal` may treat items as equal that look different. Aligning in the other direction
/// gives the same pairs.
pub(super) fn align(
    old: &[Value],
    new: &[Value],
    rule: Option<&IdentityRule>,
    equal: &dyn Fn(&Value, &Value) -> bool,
) -> Vec<AlignedItem> {
    let digests = |items: &[Value]| items.iter().map(Value::digest).collect::<Vec<_>>();
    let (mut one, other) = (digests(old), digests(new));
    share_digests(old, new, &mut one, &other, equal);
    // A choice must not depend on which list is the old one.
    let turned = one > other;
    let (left, right, a, b) =
        if turned { (new, old, &other, &one) } else { (old, new, &one, &other) };
    let mut pairs = Alignment::new(left, right);
    pairs.pair_equal(a, b);
    if let Some(rule) = rule {
        for keys in rule.identity {
            pairs.pair_by_identity(keys);
        }
    }
    pairs.pair_by_unique_key();
    if !rule.is_some_and(|rule| rule.is_set) {
        pairs.pair_by_content();
        pairs.pair_by_position();
    }
    pairs.items(turned)
}

/// Gives equal items the same digest.
fn share_digests(
    old: &[Value],
    new: &[Value],
    one: &mut [u64],
    other: &[u64],
    equal: &dyn Fn(&Value, &Value) -> bool,
) {
    let there: HashSet<u64> = other.iter().copied().collect();
    let mut known: HashMap<u64, u64> = HashMap::new();
    let mut left = MAX_PAIRS;
    for (value, digest) in old.iter().zip(one.iter_mut()) {
        if there.contains(digest) || !value.holds_unknown() || left == 0 {
            continue;
        }
        if let Some(found) = known.get(digest) {
            *digest = *found;
            continue;
        }
        left = left.saturating_sub(new.len());
        if let Some(at) = new.iter().position(|candidate| equal(value, candidate)) {
            known.insert(*digest, other[at]);
            *digest = other[at];
        }
    }
}

/// The pairs found so far. The sides are left and right, since either may be the old one.
struct Alignment<'v> {
    left: &'v [Value],
    right: &'v [Value],
    of_left: Vec<Option<(usize, MatchReason)>>,
    of_right: Vec<Option<usize>>,
}

impl<'v> Alignment<'v> {
    fn new(left: &'v [Value], right: &'v [Value]) -> Self {
        let (of_left, of_right) = (vec![None; left.len()], vec![None; right.len()]);
        Alignment { left, right, of_left, of_right }
    }

    fn pair(&mut self, left: usize, right: usize, by: MatchReason) {
        self.of_left[left] = Some((right, by));
        self.of_right[right] = Some(left);
    }

    fn free_left(&self) -> Vec<usize> {
        (0..self.left.len()).filter(|at| self.of_left[*at].is_none()).collect()
    }

    fn free_right(&self) -> Vec<usize> {
        (0..self.right.len()).filter(|at| self.of_right[*at].is_none()).collect()
    }

    /// Pairs items with the same mark: the first with the first, the second with the second, …
    fn pair_by_mark<M: Hash + Eq>(
        &mut self,
        left: impl Fn(usize) -> Option<M>,
        right: impl Fn(usize) -> Option<M>,
        by: impl Fn(usize, usize) -> MatchReason,
    ) {
        let mut waiting: HashMap<M, VecDeque<usize>> = HashMap::new();
        for at in self.free_right() {
            if let Some(mark) = right(at) {
                waiting.entry(mark).or_default().push_back(at);
            }
        }
        for at in self.free_left() {
            let found = left(at).and_then(|mark| waiting.get_mut(&mark)?.pop_front());
            if let Some(found) = found {
                self.pair(at, found, by(at, found));
            }
        }
    }

    /// Pairs equal items: as many as possible in the order that both sides share, then the
    /// others.
    fn pair_equal(&mut self, left: &[u64], right: &[u64]) {
        let start = left.iter().zip(right).take_while(|(one, other)| one == other).count();
        let rest = left[start..].iter().rev().zip(right[start..].iter().rev());
        let end = rest.take_while(|(one, other)| one == other).count();
        for at in 0..start {
            self.pair(at, at, MatchReason::Equal);
        }
        for back in 1..=end {
            self.pair(left.len() - back, right.len() - back, MatchReason::Equal);
        }
        let (a, b) = (&left[start..left.len() - end], &right[start..right.len() - end]);
        for (one, other) in longest_common_subsequence(a, b) {
            self.pair(start + one, start + other, MatchReason::Equal);
        }
        self.pair_by_mark(|at| Some(left[at]), |at| Some(right[at]), |_, _| MatchReason::Equal);
    }

    /// Pairs items that agree in these keys.
    fn pair_by_identity(&mut self, keys: &[&str]) {
        let (left, right) = (self.left, self.right);
        let mark = |value: &Value| {
            let map = as_map(value)?;
            let values = keys.iter().map(|key| map.get(*key).unwrap_or(&Value::Null));
            let some = values.clone().any(|value| *value.unsealed() != Value::Null);
            some.then(|| values.map(Value::digest).collect::<Vec<_>>())
        };
        let by = |at: usize, other: usize| {
            let some = |key: &&&str| {
                let value = as_map(&left[at]).and_then(|map| map.get(**key));
                value.is_some_and(|value| *value.unsealed() != Value::Null)
            };
            let held: Vec<&str> = keys.iter().filter(some).copied().collect();
            let values = held.iter().map(|key| matched_value(key, &left[at], &right[other]));
            let value = values.collect::<Vec<_>>().join(", ");
            MatchReason::Identity { keys: held.into_iter().map(str::to_owned).collect(), value }
        };
        self.pair_by_mark(|at| mark(&left[at]), |at| mark(&right[at]), by);
    }

    /// Pairs items that agree in the first key that all items have and whose values are unique on both
    /// sides.
    fn pair_by_unique_key(&mut self) {
        let (left, right) = (self.left, self.right);
        let unique = |items: &[Value], key: &str| {
            let mut seen = HashSet::new();
            items
                .iter()
                .all(|item| identifying_key(item, key).is_some_and(|name| seen.insert(name)))
        };
        let mut keys = NAME_KEYS.split(' ');
        let found = keys.find(|key| unique(left, key) && unique(right, key));
        let Some(key) = found else { return };
        let by = |at: usize, other: usize| MatchReason::UniqueKey {
            key: key.to_owned(),
            value: matched_value(key, &left[at], &right[other]),
        };
        self.pair_by_mark(
            |at| identifying_key(&left[at], key),
            |at| identifying_key(&right[at], key),
            by,
        );
    }

    /// Pairs the most similar of the remaining items.
    fn pair_by_content(&mut self) {
        let (left, right) = (self.free_left(), self.free_right());
        if left.is_empty() || right.is_empty() {
            return;
        }
        let parts_of = |items: &[Value], at: &[usize]| -> Vec<Vec<u64>> {
            at.iter().map(|at| parts(&items[*at])).collect()
        };
        let (one, other) = (parts_of(self.left, &left), parts_of(self.right, &right));
        let count = |parts: &[Vec<u64>]| parts.iter().map(Vec::len).sum::<usize>();
        let work = count(&one)
            .saturating_mul(right.len())
            .saturating_add(count(&other).saturating_mul(left.len()));
        let all = work <= MAX_PART_PAIRS && left.len().saturating_mul(right.len()) <= MAX_PAIRS;
        let mut found: Vec<(u8, usize, usize, usize)> = Vec::new();
        for (a, parts) in one.iter().enumerate() {
            // The corresponding relative position in the other list.
            let middle = a * right.len() / left.len();
            let near = if all {
                0..right.len()
            } else {
                middle.saturating_sub(NEIGHBORHOOD)..right.len().min(middle + NEIGHBORHOOD)
            };
            for b in near {
                let alike = similarity(parts, &other[b]);
                if alike >= MIN_SIMILARITY {
                    found.push((alike, a.abs_diff(b), a, b));
                }
            }
        }
        found.sort_by_key(|(alike, apart, a, b)| (std::cmp::Reverse(*alike), *apart, *a, *b));
        for (alike, _, a, b) in found {
            if self.of_left[left[a]].is_none() && self.of_right[right[b]].is_none() {
                self.pair(left[a], right[b], MatchReason::Content { alike });
            }
        }
    }

    /// Pairs the remaining items between two aligned neighbors, if their number is the same on both sides.
    fn pair_by_position(&mut self) {
        let pairs = self.pairs();
        let keeps = longest_increasing_subsequence(
            &pairs.iter().map(|(_, right)| *right).collect::<Vec<_>>(),
        );
        let kept = pairs.into_iter().zip(keeps).filter(|(_, keeps)| *keeps).map(|(pair, _)| pair);
        let end = (self.left.len(), self.right.len());
        let (mut from, mut other_from) = (0, 0);
        for (to, other_to) in kept.chain([end]).collect::<Vec<_>>() {
            let left = (from..to).filter(|at| self.of_left[*at].is_none()).collect::<Vec<_>>();
            let right = (other_from..other_to)
                .filter(|at| self.of_right[*at].is_none())
                .collect::<Vec<_>>();
            if left.len() == right.len() {
                for (one, other) in left.into_iter().zip(right) {
                    self.pair(one, other, MatchReason::Position);
                }
            }
            (from, other_from) = (to + 1, other_to + 1);
        }
    }

    /// The pairs in the order of the left side.
    fn pairs(&self) -> Vec<(usize, usize)> {
        let pairs = self.of_left.iter().enumerate();
        pairs.filter_map(|(at, pair)| Some((at, pair.as_ref()?.0))).collect()
    }

    /// Builds the result; `turned` if the left side is the new one.
    fn items(self, turned: bool) -> Vec<AlignedItem> {
        let pairs = self.pairs();
        let keeps = longest_increasing_subsequence(
            &pairs.iter().map(|(_, right)| *right).collect::<Vec<_>>(),
        );
        let moved: HashSet<usize> = pairs
            .iter()
            .zip(keeps)
            .filter(|(_, keeps)| !keeps)
            .map(|((left, _), _)| *left)
            .collect();
        let pair = |left, right| {
            if turned { Pair { old: right, new: left } } else { Pair { old: left, new: right } }
        };
        let (old_length, new_length) = if turned {
            (self.right.len(), self.left.len())
        } else {
            (self.left.len(), self.right.len())
        };
        let mut by_new: Vec<Option<AlignedItem>> = vec![None; new_length];
        let mut partner: Vec<Option<usize>> = vec![None; old_length];
        for (left, found) in self.of_left.into_iter().enumerate() {
            let Some((right, by)) = found else { continue };
            let at = pair(Some(left), Some(right));
            let moved = moved.contains(&left);
            if let (Some(old), Some(new)) = (at.old, at.new) {
                partner[old] = Some(new);
                by_new[new] = Some(AlignedItem { at, matched: by, moved });
            }
        }
        // A removed item follows the one that preceded it.
        let alone = |old, new| AlignedItem {
            at: Pair { old, new },
            matched: MatchReason::Alone,
            moved: false,
        };
        let mut gone: HashMap<Option<usize>, Vec<AlignedItem>> = HashMap::new();
        let mut before = None;
        for (old, partner) in partner.iter().enumerate() {
            match partner {
                Some(new) => before = Some(*new),
                None => gone.entry(before).or_default().push(alone(Some(old), None)),
            }
        }
        let mut items = gone.remove(&None).unwrap_or_default();
        for (new, item) in by_new.into_iter().enumerate() {
            items.push(item.unwrap_or_else(|| alone(None, Some(new))));
            items.extend(gone.remove(&Some(new)).into_iter().flatten());
        }
        items
    }
}

fn as_map(value: &Value) -> Option<&Map> {
    match value.unsealed() {
        Value::Map(map) => Some(map),
        _ => None,
    }
}

/// The value of an item under a key, if it can identify the item.
fn identifying_key(item: &Value, key: &str) -> Option<Key> {
    match as_map(item)?.get(key)?.unsealed() {
        value @ (Value::Text(_) | Value::Int(_)) => Key::from_value(value),
        _ => None,
    }
}

/// The value of a key in which two items agree, for display; masked if it is secret in either
/// of them.
fn matched_value(key: &str, one: &Value, other: &Value) -> String {
    let held = |item| as_map(item).and_then(|map| map.get(key)).unwrap_or(&Value::Null);
    if matches!(one, Value::Secret(_))
        || matches!(other, Value::Secret(_))
        || held(one).holds_secret()
        || held(other).holds_secret()
    {
        return MASK.to_owned();
    }
    match held(one) {
        Value::Text(text) => text.to_string(),
        Value::Unknown(_) => "unknown".to_owned(),
        other => python::repr_preview(other),
    }
}

/// The longest common subsequence, as pairs of positions; empty if there are too many
/// candidates.
fn longest_common_subsequence(left: &[u64], right: &[u64]) -> Vec<(usize, usize)> {
    let mut places: HashMap<u64, Vec<usize>> = HashMap::new();
    for (at, digest) in right.iter().enumerate() {
        places.entry(*digest).or_default().push(at);
    }
    let found = |digest: &u64| places.get(digest).map_or(&[][..], Vec::as_slice);
    if left.iter().map(|digest| found(digest).len()).sum::<usize>() > MAX_CANDIDATES {
        return Vec::new();
    }
    // From the end, so that no two positions of one item are in the same chain.
    let candidates: Vec<(usize, usize)> = left
        .iter()
        .enumerate()
        .flat_map(|(at, digest)| found(digest).iter().rev().map(move |place| (at, *place)))
        .collect();
    let keeps = longest_increasing_subsequence(
        &candidates.iter().map(|(_, place)| *place).collect::<Vec<_>>(),
    );
    candidates.into_iter().zip(keeps).filter(|(_, keeps)| *keeps).map(|(pair, _)| pair).collect()
}

/// Marks the numbers of the longest increasing subsequence.
fn longest_increasing_subsequence(numbers: &[usize]) -> Vec<bool> {
    // The end of the best chain of each length, and each number's predecessor.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(numbers.len());
    for (at, number) in numbers.iter().enumerate() {
        let length = ends.partition_point(|end| numbers[*end] < *number);
        before.push(length.checked_sub(1).map(|shorter| ends[shorter]));
        if length == ends.len() {
            ends.push(at);
        } else {
            ends[length] = at;
        }
    }
    let mut keeps = vec![false; numbers.len()];
    let mut at = ends.last().copied();
    while let Some(place) = at {
        keeps[place] = true;
        at = before[place];
    }
    keeps
}

/// The parts of a value as sorted digests: every word of every text and every other scalar, with the
/// keys that lead to it.
pub(super) fn parts(value: &Value) -> Vec<u64> {
    let mut found = Vec::new();
    collect(value, &DefaultHasher::new(), &mut found);
    found.sort_unstable();
    found
}

fn collect(value: &Value, path: &DefaultHasher, found: &mut Vec<u64>) {
    if found.len() >= MAX_PARTS {
        return;
    }
    match value.unsealed() {
        Value::Map(map) => {
            for (key, value) in map.iter() {
                let mut path = path.clone();
                key.hash(&mut path);
                collect(value, &path, found);
            }
        }
        Value::List(items) => items.iter().for_each(|item| collect(item, path, found)),
        Value::Text(text) => {
            let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
            for word in words.take(MAX_PARTS - found.len()) {
                let mut path = path.clone();
                word.hash(&mut path);
                found.push(path.finish());
            }
        }
        other => {
            let mut path = path.clone();
            path.write_u64(other.digest());
            found.push(path.finish());
        }
    }
}

/// The similarity of two sorted lists, in percent; below 100 unless they are equal.
pub(super) fn similarity(one: &[u64], other: &[u64]) -> u8 {
    let (mut a, mut b, mut common) = (0, 0, 0usize);
    while let (Some(left), Some(right)) = (one.get(a), other.get(b)) {
        match left.cmp(right) {
            std::cmp::Ordering::Less => a += 1,
            std::cmp::Ordering::Greater => b += 1,
            std::cmp::Ordering::Equal => {
                common += 1;
                a += 1;
                b += 1;
            }
        }
    }
    let total = one.len() + other.len();
    if total == 0 {
        return 0;
    }
    u8::try_from(200 * common / total).unwrap_or(99).min(99)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::single_template::value;

    fn items(yaml: &str) -> Vec<Value> {
        match value("rocky", "", yaml) {
            Value::List(items) => items.to_vec(),
            other => panic!("no list: {other:?}"),
        }
    }

    /// Lists `old-new reason` for each item that is not equal at the same position.
    fn aligned(name: &str, old: &str, new: &str) -> Vec<String> {
        let (one, other) = (items(old), items(new));
        let rule = identity_rule(None, Some(name));
        let found = align(&one, &other, rule, &|_, _| false);
        let mut turned = align(&other, &one, rule, &|_, _| false);
        for item in &mut turned {
            item.at = Pair { old: item.at.new, new: item.at.old };
        }
        let pairs = |items: &[AlignedItem]| {
            let mut pairs: Vec<_> =
                items.iter().map(|item| (item.at.old, item.at.new, item.moved)).collect();
            pairs.sort();
            pairs
        };
        assert_eq!(pairs(&found), pairs(&turned), "{old} {new} turned");
        let index = |at: Option<usize>| at.map_or("_".to_owned(), |at| at.to_string());
        found
            .into_iter()
            .filter(|item| item.moved || item.matched != MatchReason::Equal)
            .map(|item| {
                let by = match item.matched {
                    MatchReason::Equal => "equal".to_owned(),
                    MatchReason::Identity { keys, value } => format!("{}={value}", keys.join("+")),
                    MatchReason::UniqueKey { key, value } => format!("{key}: {value}"),
                    MatchReason::Content { .. } => "content".to_owned(),
                    MatchReason::Position => "position".to_owned(),
                    MatchReason::Alone => "alone".to_owned(),
                };
                let moved = if item.moved { " moved" } else { "" };
                format!("{}-{} {by}{moved}", index(item.at.old), index(item.at.new))
            })
            .collect()
    }

    #[test]
    fn equal_lists_have_nothing_to_tell() {
        assert_eq!(aligned("x", "[a, a, {b: 1}]", "[a, a, {b: 1.0}]"), Vec::<String>::new());
    }

    #[test]
    fn what_is_new_or_gone_moves_nothing() {
        assert_eq!(aligned("x", "[a, b, c, d]", "[a, n, b, d]"), ["_-1 alone", "2-_ alone"]);
        assert_eq!(aligned("x", "[x, a, x]", "[a, x]"), ["0-_ alone"]);
    }

    #[test]
    fn one_item_that_moved_is_one_change() {
        assert_eq!(aligned("x", "[a, b, c, d, e]", "[e, a, b, c, d]"), ["4-0 equal moved"]);
        let swapped = aligned("x", "[a, b]", "[b, a]");
        assert_eq!(swapped.len(), 1);
        assert!(swapped[0].ends_with("equal moved"));
    }

    #[test]
    fn items_with_an_identity() {
        let old = "[{subnet: s, ip_address: 10.0.0.1}, {subnet: t, ip_address: 10.1.0.1}]";
        let new = "[{subnet: t, ip_address: 10.1.0.2}, {subnet: s, ip_address: 10.0.0.1}]";
        let found = aligned("fixed_ips", old, new);
        assert!(found.iter().any(|item| item.starts_with("1-0 subnet=t")), "{found:?}");
        let rules = |port: i32, from: &str| {
            format!(
                "{{protocol: tcp, port_range_min: {port}, port_range_max: {port}, remote_ip_prefix: {from}}}"
            )
        };
        let old = format!("[{}, {}]", rules(22, "0.0.0.0/0"), rules(80, "0.0.0.0/0"));
        let new = format!("[{}, {}]", rules(80, "0.0.0.0/0"), rules(22, "10.0.0.0/8"));
        let found = aligned("rules", &old, &new);
        let by = "protocol+port_range_min+port_range_max=tcp, 22, 22";
        assert!(found.iter().any(|item| item.starts_with(&format!("0-1 {by}"))), "{found:?}");
        let old = "[{device_name: vda, volume_id: a}, {device_name: vdb, volume_id: b}]";
        let new = "[{device_name: vdb, volume_id: c}]";
        let expected = ["0-_ alone", "1-0 device_name=vdb"];
        assert_eq!(aligned("block_device_mapping_v2", old, new), expected);
    }

    #[test]
    fn a_set_has_no_item_that_became_another_one() {
        assert_eq!(aligned("security_groups", "[a]", "[b]"), ["0-_ alone", "_-0 alone"]);
        assert_eq!(aligned("x", "[a]", "[b]"), ["0-0 position"]);
    }

    #[test]
    fn a_key_that_is_unique_on_both_sides() {
        let old = "[{name: a, v: 1}, {name: b, v: 2}]";
        let new = "[{name: n, v: 9}, {name: b, v: 3}]";
        assert_eq!(aligned("x", old, new)[1..], ["1-1 name: b"]);
        // Here the rule does not apply.
        let new = "[{name: b, v: 2, w: 1}, {name: b, v: 8, w: 9}]";
        assert_eq!(aligned("x", old, new)[1], "1-0 content");
    }

    #[test]
    fn the_most_alike_belong_together() {
        let old = "[{a: 1, b: 2, c: 3}, {a: 7, b: 8, c: 9}]";
        let new = "[{a: 7, b: 8, c: 0}, {a: 1, b: 2, c: 0}, {a: x}]";
        let found = aligned("x", old, new);
        assert!(found.iter().any(|item| item.starts_with("0-1 content")), "{found:?}");
        assert!(found.iter().any(|item| item.starts_with("1-0 content")), "{found:?}");
    }

    #[test]
    fn a_secret_is_no_reason_that_is_told() {
        let secret = |value: &str| {
            let name = Value::text(value).sealed(true);
            Value::map([("name", name), ("v", Value::text("1"))])
        };
        let changed = Value::map([("name", Value::text("s3cret")), ("v", Value::text("2"))]);
        let found = align(&[secret("s3cret")], &[changed], None, &|_, _| false);
        assert!(!format!("{found:?}").contains("s3cret"), "{found:?}");
    }

    #[test]
    fn long_lists_are_no_trouble() {
        let many = |of: &dyn Fn(i64) -> Value| (0..10_000).map(of).collect::<Vec<_>>();
        let texts = many(&|at| Value::text(format!("item {at}")));
        let others = many(&|at| Value::text(format!("thing {}", at * 7)));
        let same = vec![Value::text("x"); 10_000];
        let mut turned = texts.clone();
        turned.reverse();
        let maps = many(&|at| Value::map([("a", Value::int(at)), ("b", Value::int(at % 100))]));
        let more = many(&|at| Value::map([("a", Value::int(at + 1)), ("b", Value::int(at % 99))]));
        let halves = many(&|at| Value::int(at % 2));
        let thirds = many(&|at| Value::int(at % 3));
        for (old, new) in [
            (&texts, &others),
            (&texts, &turned),
            (&same, &texts),
            (&same, &same),
            (&maps, &more),
            (&halves, &thirds),
        ] {
            let found = align(old, new, None, &|_, _| false);
            let (olds, news) = (
                found.iter().filter(|item| item.at.old.is_some()).count(),
                found.iter().filter(|item| item.at.new.is_some()).count(),
            );
            assert_eq!((olds, news), (10_000, 10_000));
        }
    }
}
