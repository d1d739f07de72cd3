//! The functions and operators of dictionaries.

use std::rc::Rc;

use python_semantics::ExceptionClass;

use super::lists::copy_steps;
use crate::call::{Call, Run};
use crate::lazy_iter::LazyIter;
use crate::library::queries::container_growth;
use crate::value::{Dict, HashKey, Pairs, View};
use crate::{Failure, Outcome, Value, text};

/// `{…}` and `dict(a => 1, …)`.
pub(super) fn build(call: &Call) -> Outcome {
    let sizes: Vec<_> = call.rest.iter().map(|rule| (1, rule)).collect();
    call.run.check_memory_of(&sizes)?;
    let mut pairs = Pairs::default();
    add_rules(&mut pairs, &call.rest)?;
    Ok(Value::frozen_dict(pairs))
}

fn add_rules(pairs: &mut Pairs, rules: &[Value]) -> Outcome<()> {
    for rule in rules {
        let Value::Rule(rule) = rule else { return Err(Failure::Unknown) };
        pairs.insert(HashKey::of(&rule.0)?, rule.1.clone());
    }
    Ok(())
}

/// `dict(items)`.
pub(super) fn of_items(call: &Call) -> Outcome {
    from_pairs(call.run, &call.items(0)?)
}

/// Builds a dictionary from pairs of keys and values.
fn from_pairs(run: &Run, items: &LazyIter) -> Outcome {
    let ended = || Failure::new(ExceptionClass::StopIteration, "");
    let mut found = GrowingDict::new();
    while let Some(item) = items.next(run)? {
        let pair = item.iter(run)?;
        let key = pair.next(run)?.ok_or_else(ended)?;
        let value = pair.next(run)?.ok_or_else(ended)?;
        found.insert(run, &key, value)?;
    }
    Ok(Value::frozen_dict(found.pairs))
}

pub(super) fn to_dict(call: &Call) -> Outcome {
    let (items, key, value) = (call.items(0)?, call.lambda(1)?, call.optional_lambda(2)?);
    let mut found = GrowingDict::new();
    while let Some(item) = items.next(call.run)? {
        let arguments = std::slice::from_ref(&item);
        let key = key.call(call.run, arguments)?;
        let value = match &value {
            Some(value) => value.call(call.run, arguments)?,
            None => item,
        };
        found.insert(call.run, &key, value)?;
    }
    Ok(Value::dict(found.pairs))
}

/// A `dict` under construction; its size is checked against the memory quota with every key.
struct GrowingDict {
    pairs: Pairs,
    size: container_growth::DictGrowth,
}

impl GrowingDict {
    fn new() -> Self {
        GrowingDict { pairs: Pairs::default(), size: container_growth::DictGrowth::new() }
    }

    fn insert(&mut self, run: &Run, key: &Value, value: Value) -> Outcome<()> {
        run.spend(copy_steps(2))?;
        let is_new = self.pairs.insert(HashKey::of(key)?, value).is_none();
        run.check_bytes(self.size.key(matches!(key, Value::Text(_)), is_new))
    }
}

/// The value of a key, if the dictionary has it.
pub(super) fn look_up<'d>(dict: &'d Dict, key: &Value) -> Outcome<Option<&'d Value>> {
    Ok(dict.pairs.get(&HashKey::of(key)?))
}

/// `dict[key]` and `dict.key`.
pub(super) fn index(call: &Call) -> Outcome {
    member(call.dict(0)?, call.value(1))
}

/// The value of a key; `KeyError` if the dictionary does not have it.
pub(crate) fn member(dict: &Dict, key: &Value) -> Outcome {
    match look_up(dict, key)? {
        Some(value) => Ok(value.clone()),
        None => Err(Failure::new(ExceptionClass::KeyError, text::repr(key)?)),
    }
}

/// `dict[key, default]` and `dict.get(key, default)`.
pub(super) fn get(call: &Call) -> Outcome {
    let found = look_up(call.dict(0)?, call.value(1))?;
    Ok(found.unwrap_or_else(|| call.value(2)).clone())
}

pub(super) fn set(call: &Call) -> Outcome {
    let [dict, key, value] = [0, 1, 2].map(|at| call.value(at));
    call.run.check_memory_of(&[(1, dict), (1, key), (1, value)])?;
    let mut pairs = copy(call.run, call.dict(0)?)?;
    pairs.insert(HashKey::of(key)?, value.clone());
    Ok(Value::frozen_dict(pairs))
}

pub(super) fn set_many(call: &Call) -> Outcome {
    combine(call)
}

pub(super) fn set_rules(call: &Call) -> Outcome {
    let dict = (1, call.value(0));
    let sizes: Vec<_> = std::iter::once(dict).chain(call.rest.iter().map(|it| (1, it))).collect();
    call.run.check_memory_of(&sizes)?;
    let mut pairs = copy(call.run, call.dict(0)?)?;
    add_rules(&mut pairs, &call.rest)?;
    Ok(Value::frozen_dict(pairs))
}

/// `left + right`.
pub(super) fn combine(call: &Call) -> Outcome {
    call.run.check_memory_of(&[(1, call.value(0)), (1, call.value(1))])?;
    let (left, right) = (call.dict(0)?, call.dict(1)?);
    let mut pairs = copy(call.run, left)?;
    call.run.spend(copy_steps(right.pairs.len()))?;
    pairs.extend(right.pairs.iter().map(|(key, value)| (key.clone(), value.clone())));
    Ok(Value::frozen_dict(pairs))
}

fn copy(run: &Run, dict: &Dict) -> Outcome<Pairs> {
    run.spend(copy_steps(dict.pairs.len()))?;
    Ok(dict.pairs.clone())
}

pub(super) fn keys(call: &Call) -> Outcome {
    view(call, View::Keys)
}

pub(super) fn values(call: &Call) -> Outcome {
    view(call, View::Values)
}

pub(super) fn items(call: &Call) -> Outcome {
    view(call, View::Items)
}

fn view(call: &Call, part: View) -> Outcome {
    Ok(Value::View(part, Rc::clone(call.dict(0)?)))
}

pub(super) fn is_dict(call: &Call) -> Outcome {
    match call.value(0) {
        Value::Opaque(_) => Err(Failure::Unknown),
        value => Ok(Value::Bool(matches!(value, Value::Dict(_)))),
    }
}

pub(super) fn len(call: &Call) -> Outcome {
    Ok(Value::count(call.dict(0)?.pairs.len()))
}

/// `dict.delete(key, …)`.
pub(super) fn delete(call: &Call) -> Outcome {
    let mut pairs = copy(call.run, call.dict(0)?)?;
    for key in &call.rest {
        remove(&mut pairs, key)?;
    }
    Ok(Value::dict(pairs))
}

/// `dict.deleteAll(keys)`.
pub(super) fn delete_all(call: &Call) -> Outcome {
    let mut pairs = copy(call.run, call.dict(0)?)?;
    let keys = call.items(1)?;
    while let Some(key) = keys.next(call.run)? {
        remove(&mut pairs, &key)?;
    }
    Ok(Value::dict(pairs))
}

fn remove(pairs: &mut Pairs, key: &Value) -> Outcome<()> {
    // Python does not hash the key if the dictionary is empty.
    if !pairs.is_empty() {
        pairs.shift_remove(&HashKey::of(key)?);
    }
    Ok(())
}
