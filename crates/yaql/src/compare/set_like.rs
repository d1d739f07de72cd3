//! Sets, and the dictionary views that Python compares like sets.

use super::{all, same_at};
use crate::hash::HashKey;
use crate::set::Set;
use crate::value::{Dict, View};
use crate::{Failure, Outcome, Value, budget, text};

/// A value that Python compares as a set.
#[derive(Clone, Copy, Debug)]
pub(super) enum SetLike<'v> {
    Set(&'v Set),
    Keys(&'v Dict),
    Items(&'v Dict),
}

impl<'v> SetLike<'v> {
    pub(super) fn of(value: &'v Value) -> Option<Self> {
        match value {
            Value::Set(set) => Some(SetLike::Set(set)),
            Value::View(View::Keys, dict) => Some(SetLike::Keys(dict)),
            Value::View(View::Items, dict) => Some(SetLike::Items(dict)),
            _ => None,
        }
    }

    pub(super) fn len(self) -> usize {
        match self {
            SetLike::Set(set) => set.len(),
            SetLike::Keys(dict) | SetLike::Items(dict) => dict.pairs.len(),
        }
    }

    fn contains(self, value: &Value, depth: usize) -> Outcome<bool> {
        match self {
            SetLike::Set(set) => in_set(set, value),
            SetLike::Keys(dict) => in_keys(dict, value),
            SetLike::Items(dict) => in_items(dict, value, depth),
        }
    }

    /// Whether each of its members is in the other.
    pub(super) fn is_within(self, other: Self, depth: usize) -> Outcome<bool> {
        match self {
            SetLike::Set(set) => match other {
                SetLike::Set(other) => Ok(set.is_subset(other)),
                // Looking up a pair that cannot be unpacked raises, so the order matters.
                SetLike::Keys(_) | SetLike::Items(_) => {
                    all_in(set.in_loop_order().into_iter().map(HashKey::value), other, depth)
                }
            },
            SetLike::Keys(dict) => all_in(dict.pairs.keys().map(HashKey::value), other, depth),
            SetLike::Items(dict) => all(dict.pairs.iter().map(|(key, value)| {
                let pair = Value::tuple([key.value().clone(), value.clone()]);
                other.contains(&pair, depth)
            })),
        }
    }
}

fn all_in<'v>(
    mut members: impl Iterator<Item = &'v Value>,
    other: SetLike<'_>,
    depth: usize,
) -> Outcome<bool> {
    all(members.by_ref().map(|member| other.contains(member, depth)))
}

pub(super) fn equal_set_likes(one: &Value, other: &Value, depth: usize) -> Outcome<bool> {
    // The abstract views compare with anything set-like, but sets and plain views only with each other: a side
    // that cannot answer defers to the other.
    let abstract_view = |value: &Value| matches!(value, Value::View(_, dict) if dict.frozen);
    let plain_view = |value: &Value| matches!(value, Value::View(_, dict) if !dict.frozen);
    let answers = abstract_view(one) || (plain_view(one) && !abstract_view(other));
    let (first, second) = if answers { (one, other) } else { (other, one) };
    match (SetLike::of(first), SetLike::of(second)) {
        (Some(first), Some(second)) => {
            Ok(first.len() == second.len() && first.is_within(second, depth)?)
        }
        _ => Ok(false),
    }
}

/// `value in set`; a set without a hash is looked up as a frozen one.
pub(super) fn in_set(set: &Set, value: &Value) -> Outcome<bool> {
    if let Value::Set(wanted) = value
        && !wanted.frozen
    {
        budget::spend_each(wanted.len(), budget::PAIR)?;
        let mut wanted = Set::clone(wanted);
        wanted.frozen = true;
        return Ok(set.contains(&HashKey::of(&Value::Set(wanted.into()))?));
    }
    Ok(set.contains(&HashKey::of(value)?))
}

/// `value in dict`.
pub(super) fn in_keys(dict: &Dict, value: &Value) -> Outcome<bool> {
    Ok(dict.pairs.contains_key(&HashKey::of(value)?))
}

/// `value in dict.items()`.
pub(super) fn in_items(dict: &Dict, value: &Value, depth: usize) -> Outcome<bool> {
    let pair = if dict.frozen {
        Some(unpacked(value)?)
    } else {
        match value {
            Value::Tuple(items) => <&[Value; 2]>::try_from(&**items).ok().cloned(),
            Value::Opaque(_) => return Err(Failure::Unknown),
            _ => None,
        }
    };
    let Some([key, value]) = pair else { return Ok(false) };
    match dict.pairs.get(&HashKey::of(&key)?) {
        Some(found) => same_at(found, &value, depth),
        None => Ok(false),
    }
}

/// `key, value = item`
fn unpacked(item: &Value) -> Outcome<[Value; 2]> {
    let two = |items: Vec<Value>| match <[Value; 2]>::try_from(items) {
        Ok(pair) => Ok(pair),
        Err(items) if items.len() > 2 => {
            Err(Failure::value_error("too many values to unpack (expected 2)"))
        }
        Err(items) => {
            let count = items.len();
            Err(Failure::value_error(format!(
                "not enough values to unpack (expected 2, got {count})"
            )))
        }
    };
    match item {
        Value::Tuple(items) | Value::List(items) => two(items.iter().take(3).cloned().collect()),
        Value::Text(text) => {
            two(text.chars().take(3).map(|c| Value::text(c.to_string())).collect())
        }
        Value::Dict(dict) | Value::View(View::Keys, dict) => {
            two(dict.pairs.keys().take(3).map(|key| key.value().clone()).collect())
        }
        Value::View(View::Values, dict) => two(dict.pairs.values().take(3).cloned().collect()),
        Value::View(View::Items, dict) => {
            let pairs = dict.pairs.iter().take(3);
            let pairs =
                pairs.map(|(key, value)| Value::tuple([key.value().clone(), value.clone()]));
            two(pairs.collect())
        }
        Value::Set(set) => two(set.read()),
        // Unpacking takes items from it, which the other side of a comparison must not see.
        Value::Lazy(_) | Value::Ordering(_) | Value::Opaque(_) => Err(Failure::Unknown),
        other => {
            let name = text::type_name(other);
            Err(Failure::type_error(format!("cannot unpack non-iterable {name} object")))
        }
    }
}
