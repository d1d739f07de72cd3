//! Conversion of the input data and of the result.

use std::rc::Rc;

use python_semantics::ExceptionClass;

use super::call::{Call, Run};
use super::data::Data;
use super::function::{Function, function, param};
use super::hash::HashKey;
use super::items::Items;
use super::library::date_time::{DateTime, TimeSpan};
use super::set::Set;
use super::types::Type;
use super::value::{Dict, Pairs, View};
use super::{Outcome, Value, budget, number, size, text};

/// The functions that yaql applies to every input and result; expressions can also call them by name.
pub(crate) const FUNCTIONS: &[Function] = &[
    function("#iter", &[param("iterator", Type::Iterable)], iter),
    function("#finalize", &[param("obj", Type::Any)], finalize),
];

fn iter(call: &Call) -> Outcome {
    Ok(call.value(0).clone())
}

fn finalize(call: &Call) -> Outcome {
    plain(call.run, call.value(0))
}

/// Nested calls of Python per level of the data.
const FRAMES_PER_LEVEL: usize = 2;

/// Converts input data: lists become tuples, and dictionaries and sets become hashable.
///
/// # Errors
///
/// If the data is nested too deeply, or a number is not valid in Python.
pub(crate) fn data_to_value(run: &Run, data: &Data) -> Outcome {
    let _deeper = run.enter_frames(FRAMES_PER_LEVEL)?;
    let items = |items: &[Data]| -> Outcome<Items> {
        items.iter().map(|item| data_to_value(run, item)).collect()
    };
    Ok(match data {
        Data::Null => Value::Null,
        Data::Bool(value) => Value::Bool(*value),
        Data::Int(value) => Value::Int(value.clone()),
        Data::Float(value) if value.is_nan() => Value::Float(number::nan()),
        Data::Float(value) => Value::Float(*value),
        Data::Text(text) => Value::Text(text.clone()),
        Data::List(list) | Data::Tuple(list) => Value::Tuple(items(list)?),
        Data::Map(pairs) => {
            let mut found = Pairs::with_capacity_and_hasher(pairs.len(), Default::default());
            for (key, value) in pairs {
                let key = match key {
                    Data::Text(text) => HashKey::text(text.clone()),
                    key => HashKey::of(&data_to_value(run, key)?)?,
                };
                found.insert(key, data_to_value(run, value)?);
            }
            Value::frozen_dict(found)
        }
        Data::Set(members) => {
            let keys = members.iter().map(|member| HashKey::of(&data_to_value(run, member)?));
            Value::Set(Rc::new(Set::of_keys(keys.collect::<Outcome<Vec<_>>>()?)))
        }
        Data::DateTime { clock, offset, .. } => {
            Value::DateTime(Rc::new(DateTime::of_data(*clock, *offset)?))
        }
        Data::TimeSpan { microseconds, .. } => Value::TimeSpan(TimeSpan::of(*microseconds)?),
        Data::Unknown(number) => Value::Opaque(*number),
        // An object of the caller, of which nothing is known here.
        Data::Other { .. } => return Err(super::Failure::Unknown),
    })
}

/// Converts the result for the caller; lazy parts are computed.
///
/// # Errors
///
/// Whatever iterators raise; for keys that are not hashable in Python; for collections that are too large.
pub(crate) fn value_to_data(run: &Run, value: &Value) -> Outcome<Data> {
    if let Value::Missing = value {
        // Python treats it as an argument that was not given.
        let message = "No function \"#finalize\" matches supplied arguments";
        return Err(super::Failure::new(ExceptionClass::NoMatchingFunctionException, message));
    }
    run.check_memory(value)?;
    let data = data_of(run, value)?;
    run.check_bytes(size_of(&data))?;
    Ok(data)
}

/// `sys.getsizeof()` of a newly created result; 0 for others, which were counted before.
fn size_of(data: &Data) -> usize {
    match data {
        Data::List(items) => size::of_list_of_generator(items.len()),
        Data::Set(members) => size::of_set_of(members.len()),
        Data::Tuple(items) => size::of_tuple(items.len()),
        Data::Map(pairs) => {
            let mut table = size::DictTable::default();
            for (key, _) in pairs {
                table.add(matches!(key, Data::Text(_)));
            }
            table.size()
        }
        _ => 0,
    }
}

fn data_of(run: &Run, value: &Value) -> Outcome<Data> {
    run.spend(budget::WRITTEN)?;
    Ok(match value {
        Value::Null => Data::Null,
        Value::Bool(value) => Data::Bool(*value),
        Value::Int(value) => Data::Int(value.clone()),
        Value::Float(value) if value.is_nan() => Data::Float(f64::NAN),
        Value::Float(value) => Data::Float(*value),
        Value::Text(text) => Data::Text(text.clone()),
        Value::Dict(dict) => {
            limit(run, Value::View(View::Items, dict.clone()))?;
            let _deeper = run.enter_frames(FRAMES_PER_LEVEL)?;
            let mut pairs = Vec::with_capacity(dict.pairs.len());
            for (key, value) in &dict.pairs {
                let value = data_of(run, value)?;
                pairs.push((plain_to_data(plain_key(run, key)?.value())?, value));
            }
            Data::Map(pairs)
        }
        Value::Set(_) | Value::View(View::Keys | View::Items, _) if !run.options.sets_to_lists => {
            plain_to_data(&plain(run, value)?)?
        }
        Value::Tuple(items) => {
            limit(run, value.clone())?;
            let _deeper = run.enter_frames(FRAMES_PER_LEVEL)?;
            let items = items.iter().map(|item| data_of(run, item)).collect::<Outcome<_>>()?;
            if run.options.tuples_to_lists { Data::List(items) } else { Data::Tuple(items) }
        }
        Value::List(_) | Value::Set(_) | Value::View(..) | Value::Lazy(_) | Value::Ordering(_) => {
            let items = limit(run, value.clone())?.iter(run)?;
            let _deeper = run.enter_frames(FRAMES_PER_LEVEL)?;
            let mut list = Vec::new();
            while let Some(item) = items.next(run)? {
                list.push(data_of(run, &item)?);
            }
            Data::List(list)
        }
        Value::Missing
        | Value::DateTime(_)
        | Value::TimeSpan(_)
        | Value::Pattern(_)
        | Value::Context(_)
        | Value::Lambda(_)
        | Value::Rule(_)
        | Value::LazyRule(_)
        | Value::Expression(_)
        | Value::Opaque(_) => plain_to_data(value)?,
    })
}

/// yaql's length check of each collection before it is traversed.
fn limit(run: &Run, value: Value) -> Outcome {
    run.check_memory(&value)?;
    let limited = run.check_length(value)?;
    run.check_memory(&limited)?;
    Ok(limited)
}

/// The result with Python's types: lists, plain dictionaries and plain sets.
fn plain(run: &Run, value: &Value) -> Outcome {
    run.spend(budget::PAIR)?;
    let all = |value: Value| -> Outcome<Vec<Value>> {
        let items = limit(run, value)?.iter(run)?;
        let _deeper = run.enter_frames(FRAMES_PER_LEVEL)?;
        let mut found = Vec::new();
        while let Some(item) = items.next(run)? {
            found.push(plain(run, &item)?);
        }
        Ok(found)
    };
    Ok(match value {
        Value::Dict(dict) => {
            limit(run, Value::View(View::Items, dict.clone()))?;
            let _deeper = run.enter_frames(FRAMES_PER_LEVEL)?;
            let mut pairs = Pairs::default();
            for (key, value) in &dict.pairs {
                let value = plain(run, value)?;
                pairs.insert(plain_key(run, key)?, value);
            }
            Value::Dict(Rc::new(Dict { pairs, frozen: false }))
        }
        Value::Set(_) | Value::View(View::Keys | View::Items, _) if !run.options.sets_to_lists => {
            limit(run, value.clone())?;
            let _deeper = run.enter_frames(FRAMES_PER_LEVEL)?;
            let mut set = Set::empty(false);
            match value {
                // Python builds a set of it: the order matters only if one of several members cannot be
                // in it.
                Value::Set(members) => {
                    for key in members.in_read_order() {
                        let key = plain_key(run, key);
                        set.add(key.inspect_err(|_| members.mark_order_observed())?);
                    }
                }
                other => {
                    let items = other.iter(run)?;
                    while let Some(item) = items.next(run)? {
                        set.add(HashKey::of(&plain(run, &item)?)?);
                    }
                }
            }
            Value::Set(Rc::new(set))
        }
        Value::Tuple(_) if !run.options.tuples_to_lists => Value::tuple(all(value.clone())?),
        Value::Tuple(_)
        | Value::List(_)
        | Value::Set(_)
        | Value::View(..)
        | Value::Lazy(_)
        | Value::Ordering(_) => Value::list(all(value.clone())?),
        Value::Missing
        | Value::Null
        | Value::Bool(_)
        | Value::Int(_)
        | Value::Float(_)
        | Value::Text(_)
        | Value::DateTime(_)
        | Value::TimeSpan(_)
        | Value::Pattern(_)
        | Value::Context(_)
        | Value::Lambda(_)
        | Value::Rule(_)
        | Value::LazyRule(_)
        | Value::Expression(_)
        | Value::Opaque(_) => value.clone(),
    })
}

/// A key of the result; lists that replace tuples cannot be keys.
fn plain_key(run: &Run, key: &HashKey) -> Outcome<HashKey> {
    match key.value() {
        Value::Text(_) | Value::Int(_) | Value::Null | Value::Bool(_) | Value::Float(_) => {
            Ok(key.clone())
        }
        other => HashKey::of(&plain(run, other)?),
    }
}

/// Converts the result of [`plain`] to data.
fn plain_to_data(value: &Value) -> Outcome<Data> {
    budget::spend(budget::WRITTEN)?;
    let all = |items: &[Value]| items.iter().map(plain_to_data).collect::<Outcome<Vec<_>>>();
    Ok(match value {
        Value::Null => Data::Null,
        Value::Bool(value) => Data::Bool(*value),
        Value::Int(value) => Data::Int(value.clone()),
        Value::Float(value) if value.is_nan() => Data::Float(f64::NAN),
        Value::Float(value) => Data::Float(*value),
        Value::Text(text) => Data::Text(text.clone()),
        Value::List(items) => Data::List(all(items)?),
        Value::Tuple(items) => Data::Tuple(all(items)?),
        Value::Dict(dict) => {
            let pairs = dict.pairs.iter();
            let pair = |(key, value): (&HashKey, &Value)| {
                Ok((plain_to_data(key.value())?, plain_to_data(value)?))
            };
            Data::Map(pairs.map(pair).collect::<Outcome<_>>()?)
        }
        Value::Set(set) => {
            let members = set.in_loop_order().into_iter();
            Data::Set(members.map(|key| plain_to_data(key.value())).collect::<Outcome<_>>()?)
        }
        Value::DateTime(date) => {
            let offset = match date.offset()? {
                Some(offset) => {
                    let far = || super::Failure::value_error("offset must be less than a day");
                    Some(i64::try_from(offset.microseconds).map_err(|_| far())?)
                }
                None => None,
            };
            Data::DateTime { clock: date.clock(), offset, text: super::text::str(value)? }
        }
        Value::TimeSpan(span) => Data::TimeSpan { microseconds: span.microseconds, text: super::text::str(value)? },
        Value::Opaque(number) => Data::Unknown(*number),
        Value::Missing
        | Value::Pattern(_)
        | Value::Context(_)
        | Value::Lambda(_)
        | Value::Rule(_)
        | Value::LazyRule(_)
        | Value::Expression(_)
        // [`plain`] has replaced these.
        | Value::View(..)
        | Value::Lazy(_)
        | Value::Ordering(_) => {
            Data::Other { class: text::class_name(value), text: text::str(value)? }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Failure, Options};

    fn int(value: i64) -> Data {
        Data::Int(python_semantics::number::Integer::Small(value))
    }

    /// Converts data in and out again.
    fn turned(data: &Data, options: &Options) -> Outcome<Data> {
        let run = Run::new(options);
        value_to_data(&run, &data_to_value(&run, data)?)
    }

    #[test]
    fn data_come_out_as_python_makes_them() {
        let lists = Options::default();
        let tuples = Options { tuples_to_lists: false, ..Options::default() };
        let no_sets = Options { sets_to_lists: true, ..Options::default() };
        let list = || Data::List(vec![int(1)]);
        let map = |key| Data::Map(vec![(key, Data::Null)]);
        let unhashable = || Err(Failure::type_error("unhashable type: 'list'"));
        let cases = [
            (list(), &lists, Ok(list())),
            (list(), &tuples, Ok(Data::Tuple(vec![int(1)]))),
            (map(int(1)), &lists, Ok(map(int(1)))),
            (map(list()), &lists, unhashable()),
            (map(list()), &tuples, Ok(map(Data::Tuple(vec![int(1)])))),
            (Data::Set(vec![int(1)]), &lists, Ok(Data::Set(vec![int(1)]))),
            (Data::Set(vec![int(1)]), &no_sets, Ok(list())),
            (Data::Set(vec![list()]), &lists, unhashable()),
        ];
        for (data, options, expected) in cases {
            assert_eq!(turned(&data, options), expected, "{data:?}");
        }
    }

    #[test]
    fn what_is_too_large_or_too_deep_is_refused() {
        let options =
            Options { limit_iterators: Some(2), memory_quota: Some(150), ..Options::default() };
        let kind = |data: &Data| turned(data, &options).err().and_then(|failure| failure.class());
        let list = |length| Data::List((0..length).map(int).collect());
        assert_eq!(kind(&list(2)), None);
        assert_eq!(kind(&list(3)), Some(ExceptionClass::CollectionTooLargeException));
        let pairs = (0..2).map(|key| (int(key), Data::Null)).collect();
        assert_eq!(kind(&Data::Map(pairs)), Some(ExceptionClass::MemoryQuotaExceededException));
        let nested = (0..1000).fold(Data::Null, |inner, _| Data::List(vec![inner]));
        assert_eq!(kind(&nested), Some(ExceptionClass::RecursionError));
    }
}
