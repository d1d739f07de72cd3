//! Whether something is in a collection.

use super::super::super::call::{Call, Run};
use super::super::super::compare::equal;
use super::super::super::value::{Dict, Key, Set, View};
use super::super::super::{Failure, Outcome, Value, text};
use super::dicts::look_up;

/// `value in collection`.
pub(super) fn is_in(call: &Call) -> Outcome {
    contains(call.run, call.value(1), call.value(0)).map(Value::Bool)
}

/// `collection.contains(value)`.
pub(super) fn has(call: &Call) -> Outcome {
    contains(call.run, call.value(0), call.value(1)).map(Value::Bool)
}

pub(super) fn contains_key(call: &Call) -> Outcome {
    Ok(Value::Bool(look_up(call.dict(0)?, call.value(1))?.is_some()))
}

pub(super) fn contains_value(call: &Call) -> Outcome {
    let dict = call.dict(0)?;
    any_is(dict.pairs.values().map(|value| Ok(value.clone())), call.value(1)).map(Value::Bool)
}

/// `value in collection`, as every collection of Python answers it.
pub(crate) fn contains(run: &Run, collection: &Value, value: &Value) -> Outcome<bool> {
    match collection {
        Value::Tuple(items) | Value::List(items) => any_is(items.iter().cloned().map(Ok), value),
        Value::Set(set) => contains_item(set, value),
        Value::Dict(dict) | Value::View(View::Keys, dict) => Ok(look_up(dict, value)?.is_some()),
        Value::View(View::Items, dict) => contains_pair(run, dict, value),
        other => {
            let items = other.iter(run)?;
            any_is(std::iter::from_fn(|| items.next(run).transpose()), value)
        }
    }
}

/// Whether one of the items is a value or equal to it. One that is not known may be it.
fn any_is(items: impl Iterator<Item = Outcome>, value: &Value) -> Outcome<bool> {
    let mut unknown = false;
    for item in items {
        let item = item?;
        match if item.is(value) { Ok(true) } else { equal(&item, value) } {
            Ok(true) => return Ok(true),
            Ok(false) => {}
            Err(Failure::Unknown) => unknown = true,
            Err(failure) => return Err(failure),
        }
    }
    if unknown { Err(Failure::Unknown) } else { Ok(false) }
}

fn contains_item(set: &Set, value: &Value) -> Outcome<bool> {
    Ok(set.contains(&Key::of(value)?))
}

/// Whether a dictionary has a pair.
fn contains_pair(run: &Run, dict: &Dict, value: &Value) -> Outcome<bool> {
    let pair = if dict.frozen {
        unpacked(run, value)?
    } else {
        // Python's own dictionaries do not ask whether other things could be unpacked.
        match value {
            Value::Tuple(pair) => match &**pair {
                [key, value] => [key.clone(), value.clone()],
                _ => return Ok(false),
            },
            Value::Opaque(_) => return Err(Failure::Unknown),
            _ => return Ok(false),
        }
    };
    match look_up(dict, &pair[0])? {
        Some(found) => Ok(found.is(&pair[1]) || equal(found, &pair[1])?),
        None => Ok(false),
    }
}

/// `key, value = pair`.
fn unpacked(run: &Run, pair: &Value) -> Outcome<[Value; 2]> {
    let items = pair.iter(run).map_err(|failure| match failure {
        Failure::Raised(_) => {
            let found = text::type_name(pair);
            Failure::typed(format!("cannot unpack non-iterable {found} object"))
        }
        Failure::Unknown => Failure::Unknown,
    })?;
    let mut taken = Vec::with_capacity(2);
    while let Some(item) = items.next(run)? {
        if taken.len() == 2 {
            return Err(Failure::value("too many values to unpack (expected 2)"));
        }
        taken.push(item);
    }
    <[Value; 2]>::try_from(taken).map_err(|taken| {
        let found = taken.len();
        Failure::value(format!("not enough values to unpack (expected 2, got {found})"))
    })
}

#[cfg(test)]
mod tests {
    use super::super::super::super::Options;
    use super::super::super::super::testing;

    #[test]
    fn collections_know_what_is_in_them() {
        let options = Options::default();
        let expected = [
            (
                "[1 in [1.0], 1 in [2], 1 in [1].where(true), 1 in set(true)]",
                "[True, False, True, True]",
            ),
            (
                "[a in {a => 1}.keys(), 1 in {a => 1}.values(), [a, 1] in {a => 1}.items()]",
                "[True, True, True]",
            ),
            ("[].insert(0, 1) in set(1)", "TypeError: unhashable type: 'list'"),
            (
                "1 in {a => 1}",
                r##"NoMatchingFunctionException: No function "#operator_in" matches supplied arguments"##,
            ),
            (
                "[{a => 1}.containsKey(a), {a => 1}.containsValue(2), [1].contains(1)]",
                "[True, False, True]",
            ),
        ];
        testing::all(&options, &expected);
    }

    #[test]
    fn items_of_dictionaries_are_unpacked_but_for_those_of_python() {
        let options = Options::default();
        let expected = [
            ("1 in {a => 1}.items()", "TypeError: cannot unpack non-iterable int object"),
            (
                "[1] in {a => 1}.items()",
                "ValueError: not enough values to unpack (expected 2, got 1)",
            ),
            ("[1, 2, 3] in {a => 1}.items()", "ValueError: too many values to unpack (expected 2)"),
            ("ab in {a => b}.items()", "True"),
            ("1 in {a => 1}.delete(b).items()", "False"),
            ("ab in {a => b}.delete(b).items()", "False"),
        ];
        testing::all(&options, &expected);
    }
}
