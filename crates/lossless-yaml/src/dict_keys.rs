//! Map keys compared as Python's `dict` compares them.
//!
//! Heat's rule: `docs/heat.md#duplicate-keys`.

use std::collections::HashMap;

use num_bigint::BigInt;

use super::yaml::shortened;
use super::{Node, NodeId, NodeKind};
use python_semantics::number::Integer;
use python_semantics::number::integral;
use source_diagnostics::{Diagnostic, SourceId, Span};

/// A key as Python's `dict` compares it: numbers by value, whatever their type, so that `1`, `1.0`
/// and `true` are one key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DictKey<'a> {
    /// `None`.
    Null,
    /// An integer of 64 bits; `True` is 1.
    Small(i64),
    /// A larger integer.
    Big(&'a BigInt),
    /// The bits of a float that is not an integer. Every NaN is one key: PyYAML has only one NaN object.
    Float(u64),
    /// The bits of a float that is an integer beyond 64 bits. An equal [`DictKey::Big`] is turned into
    /// this form.
    Huge(u64),
    /// A `str`.
    Text(&'a str),
    /// A `bytes`.
    Bytes(&'a [u8]),
    /// A date or a time, in the form of ISO 8601.
    Date(&'a str),
}

impl<'a> DictKey<'a> {
    /// The key of an integer.
    pub fn integer(value: &'a Integer) -> Self {
        match value {
            Integer::Small(value) => DictKey::Small(*value),
            Integer::Big(value) => {
                let float = num_traits::ToPrimitive::to_f64(&**value);
                match float
                    .filter(|float| integral(*float).as_ref() == Some(&Integer::Big(value.clone())))
                {
                    Some(float) => DictKey::Huge(float.to_bits()),
                    None => DictKey::Big(value),
                }
            }
        }
    }

    /// The key of a float.
    pub fn float(value: f64) -> Self {
        match integral(value) {
            Some(Integer::Small(value)) => DictKey::Small(value),
            Some(Integer::Big(_)) => DictKey::Huge(value.to_bits()),
            None if value.is_nan() => DictKey::Float(f64::NAN.to_bits()),
            None => DictKey::Float(value.to_bits()),
        }
    }
}

impl<'a> DictKey<'a> {
    /// The key of a node, aliases followed; `None` for a value that Python cannot hash.
    pub(crate) fn of_node(nodes: &'a [Node], text: &'a str, id: NodeId) -> Option<Self> {
        match &nodes.get(id.0 as usize)?.kind {
            NodeKind::Text(value) => Some(DictKey::Text(value.of(text))),
            NodeKind::Null => Some(DictKey::Null),
            NodeKind::Bool(value) => Some(DictKey::Small(i64::from(*value))),
            NodeKind::Int(value) => Some(DictKey::integer(value)),
            NodeKind::Float(value) => Some(DictKey::float(*value)),
            NodeKind::Bytes(value) => Some(DictKey::Bytes(value)),
            NodeKind::Date(value) => Some(DictKey::Date(value.of(text))),
            // An alias never refers to another alias.
            NodeKind::Alias(target) => match nodes.get(target.0 as usize)?.kind {
                NodeKind::Alias(_) => None,
                _ => DictKey::of_node(nodes, text, *target),
            },
            NodeKind::Sequence(_)
            | NodeKind::Mapping(_)
            | NodeKind::Set(_)
            | NodeKind::Pairs(_) => None,
        }
    }
}

/// A key that occurred earlier in the same map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RepeatedKey {
    /// Index of its first occurrence.
    pub(crate) first: usize,
    /// Index of this occurrence.
    pub(crate) duplicate: usize,
}

/// Maps up to this size are compared pair by pair, which allocates nothing.
const PAIRWISE_LIMIT: usize = 12;

/// The keys that repeat an earlier one, in order.
pub(crate) fn duplicate_keys<'a>(
    keys: impl ExactSizeIterator<Item = DictKey<'a>>,
) -> Vec<RepeatedKey> {
    let mut found = Vec::new();
    if keys.len() <= PAIRWISE_LIMIT {
        let mut seen = [DictKey::Null; PAIRWISE_LIMIT];
        for (again, key) in keys.enumerate() {
            if let Some(first) = seen[..again].iter().position(|earlier| *earlier == key) {
                found.push(RepeatedKey { first, duplicate: again });
            }
            seen[again] = key;
        }
    } else {
        let mut seen = HashMap::with_capacity(keys.len());
        for (again, key) in keys.enumerate() {
            let first = *seen.entry(key).or_insert(again);
            if first != again {
                found.push(RepeatedKey { first, duplicate: again });
            }
        }
    }
    found
}

/// Drops duplicates as Python's `dict` does: the first position stays, the last value wins.
/// `merge` combines the first and the last item.
pub(crate) fn last_wins<T: Copy>(
    items: &[T],
    repeated: &[RepeatedKey],
    merge: impl Fn(T, T) -> T,
) -> Vec<T> {
    let mut kept: Vec<Option<T>> = items.iter().copied().map(Some).collect();
    for &RepeatedKey { first, duplicate: again } in repeated {
        kept[first] = kept[first].map(|item| merge(item, items[again]));
        kept[again] = None;
    }
    kept.into_iter().flatten().collect()
}

/// The finding that the key at `again` duplicates the one at `first`.
pub(crate) fn duplicate_key_finding(
    nodes: &[Node],
    text: &str,
    source: SourceId,
    first: NodeId,
    again: NodeId,
) -> Diagnostic {
    let span = |id: NodeId| {
        let node = &nodes[id.0 as usize];
        Span::new(source, node.start, node.end)
    };
    let spelled = shortened(&text[span(again).range()]);
    Diagnostic::new(crate::codes::DUPLICATE_KEY, format!("duplicate key `{spelled}`"))
        .labeled(span(again), "this value is used")
        .related(span(first), "this value has no effect")
        .help("remove or rename one of them")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(keys: &[DictKey<'_>]) -> Vec<(usize, usize)> {
        duplicate_keys(keys.iter().copied())
            .iter()
            .map(|found| (found.first, found.duplicate))
            .collect()
    }

    #[test]
    fn numbers_are_compared_by_value() {
        let big = num_bigint::BigInt::from(1u8) << 70;
        let odd = &big + 1u8;
        let (big, odd) = (Integer::from(big), Integer::from(odd));
        let keys = [
            DictKey::float(1.0),
            DictKey::Small(1),
            DictKey::integer(&big),
            DictKey::float(2f64.powi(70)),
            DictKey::integer(&odd),
            DictKey::float(-0.0),
            DictKey::Small(0),
            DictKey::float(0.5),
            DictKey::Text("1"),
            DictKey::Bytes(b"1"),
            DictKey::Null,
        ];
        assert_eq!(numbers(&keys), [(0, 1), (2, 3), (5, 6)]);
    }

    #[test]
    fn large_maps_find_the_same_as_small_ones() {
        let names: Vec<String> = (0..40).map(|at| format!("k{}", at % 30)).collect();
        let keys: Vec<DictKey<'_>> = names.iter().map(|name| DictKey::Text(name)).collect();
        let expected: Vec<(usize, usize)> = (30..40).map(|again| (again - 30, again)).collect();
        assert_eq!(numbers(&keys), expected);
        assert_eq!(numbers(&[keys[0], keys[1], keys[0], keys[0]]), [(0, 2), (0, 3)]);
    }

    #[test]
    fn the_first_place_and_the_last_value_stay() {
        let items = [('a', 1), ('b', 2), ('a', 3), ('a', 4)];
        let found =
            [RepeatedKey { first: 0, duplicate: 2 }, RepeatedKey { first: 0, duplicate: 3 }];
        let kept = last_wins(&items, &found, |first, last| (first.0, last.1));
        assert_eq!(kept, [('a', 4), ('b', 2)]);
    }
}
