//! The function `groupBy`.

use indexmap::IndexMap;
use python_semantics::ExceptionClass;

use super::callee::Callee;
use super::container_growth;
use super::select::mapped;
use crate::call::{Call, Run};
use crate::compare::equal;
use crate::hash::{HashKey, KeyBuildHasher};
use crate::lazy_iter::{IteratorClass, LazyIter};
use crate::{Failure, Outcome, Value};

pub(super) fn group_by(call: &Call) -> Outcome {
    let run = call.run;
    let (items, key) = (call.items(0)?, Callee::of(call, 1)?);
    let (value, aggregator) = (Callee::optional(call, 2)?, Callee::optional(call, 3)?);
    let mut groups: IndexMap<HashKey, Vec<Value>, KeyBuildHasher> = IndexMap::default();
    let mut size = container_growth::DictGrowth::new();
    while let Some(item) = items.next(run)? {
        let value = match &value {
            Some(value) => value.of_item(run, &item)?,
            None => item.clone(),
        };
        let key = key.of_item(run, &item)?;
        let is_text = matches!(key, Value::Text(_));
        let before = groups.len();
        groups.entry(HashKey::of(&key)?).or_default().push(value);
        run.check_bytes(size.key(is_text, groups.len() > before))?;
    }
    let mut groups = groups.into_iter();
    let groups = LazyIter::new(IteratorClass { name: "dict_itemiterator", size: 72 }, move |_| {
        Ok(groups
            .next()
            .map(|(key, values)| Value::tuple([key.value().clone(), Value::list(values)])))
    });
    let mut aggregator = aggregator.map(Aggregator::new);
    Ok(Value::Lazy(mapped(groups, move |run, group| match &mut aggregator {
        Some(aggregator) => aggregator.group(run, group),
        None => Ok(group),
    })))
}

/// Aggregates each group. An aggregator receives the values of a group; before yaql 1.1.2 it received the
/// pair of key and values and returned a pair. The old form is tried if an aggregator fails in a
/// way that is typical for it.
struct Aggregator {
    callee: Callee,
    /// The failure with the values of a group.
    refused: Option<Failure>,
    /// Whether it may have the old form.
    may_be_legacy: bool,
}

impl Aggregator {
    fn new(callee: Callee) -> Self {
        Aggregator { callee, refused: None, may_be_legacy: true }
    }

    fn group(&mut self, run: &Run, group: Value) -> Outcome {
        let Value::Tuple(pair) = &group else { return Ok(group) };
        let [key, values] = &**pair else { return Ok(group) };
        let refused = match self.refused.clone() {
            Some(refused) => refused,
            None => match self.callee.of_item(run, values) {
                Ok(found) => {
                    self.may_be_legacy &= looks_like_pair(&found, values)?;
                    return Ok(Value::tuple([key.clone(), found]));
                }
                Err(failure) if hints_at_legacy(&failure) => self.refused.insert(failure).clone(),
                Err(failure) => return Err(failure),
            },
        };
        if self.may_be_legacy {
            match self.callee.of_item(run, &group) {
                Ok(found) if length(&found)? == Some(2) => return Ok(found),
                Err(Failure::Unknown) => return Err(Failure::Unknown),
                Ok(_) | Err(Failure::Raised(_)) => {}
            }
        }
        Err(refused)
    }
}

/// Whether an aggregator fails like one of the old form, for which a list of values is not a pair.
fn hints_at_legacy(failure: &Failure) -> bool {
    matches!(
        failure.class(),
        Some(
            ExceptionClass::NoMatchingMethodException
                | ExceptionClass::NoMatchingFunctionException
                | ExceptionClass::IndexError
        )
    )
}

/// Whether an aggregator of the old form may have mistaken two values for a pair.
fn looks_like_pair(found: &Value, values: &Value) -> Outcome<bool> {
    match (found, values) {
        (Value::Opaque(_), _) => Err(Failure::Unknown),
        (Value::Tuple(found) | Value::List(found), Value::List(values)) => {
            match (&**found, &**values) {
                ([first, _], [value, _]) => equal(first, value),
                _ => Ok(false),
            }
        }
        _ => Ok(false),
    }
}

/// `len()`, if the value has one.
fn length(value: &Value) -> Outcome<Option<usize>> {
    Ok(match value {
        Value::Opaque(_) => return Err(Failure::Unknown),
        Value::Text(text) => Some(text.chars().count()),
        Value::Tuple(items) | Value::List(items) => Some(items.len()),
        Value::Dict(dict) | Value::View(_, dict) => Some(dict.pairs.len()),
        Value::Set(set) => Some(set.len()),
        _ => None,
    })
}
