//! The way in, and the way out.

use super::call::Run;
use super::data::Data;
use super::hash::Key;
use super::{Outcome, Value};

/// Data as an expression sees it: lists are tuples, dictionaries can be keys.
pub(crate) fn input(run: &Run, data: &Data) -> Outcome {
    let items =
        |items: &[Data]| items.iter().map(|item| input(run, item)).collect::<Outcome<Vec<_>>>();
    Ok(match data {
        Data::Null => Value::Null,
        Data::Bool(value) => Value::Bool(*value),
        Data::Int(value) => Value::Int(value.clone()),
        Data::Float(value) => Value::Float(*value),
        Data::Text(text) => Value::Text(text.clone()),
        Data::List(list) | Data::Tuple(list) => Value::tuple(items(list)?),
        Data::Map(pairs) => Value::frozen_dict(
            pairs
                .iter()
                .map(|(key, value)| Ok((Key::of(&input(run, key)?)?, input(run, value)?)))
                .collect::<Outcome<_>>()?,
        ),
        Data::Unknown(number) => Value::Opaque(*number),
        _ => Value::Null,
    })
}

/// The result as a caller gets it: lists instead of iterators.
pub(crate) fn output(run: &Run, value: Value) -> Outcome<Data> {
    Ok(match value {
        Value::Null => Data::Null,
        Value::Bool(value) => Data::Bool(value),
        Value::Int(value) => Data::Int(value),
        Value::Float(value) => Data::Float(value),
        Value::Text(text) => Data::Text(text),
        Value::Opaque(number) => Data::Unknown(number),
        Value::Dict(dict) => Data::Map(
            dict.pairs
                .iter()
                .map(|(key, value)| {
                    Ok((output(run, key.value().clone())?, output(run, value.clone())?))
                })
                .collect::<Outcome<_>>()?,
        ),
        Value::Tuple(_)
        | Value::List(_)
        | Value::Lazy(_)
        | Value::Ordering(_)
        | Value::View(..) => {
            let items = run.limited(value)?.iter(run)?.collect(run)?;
            let items = items.into_iter().map(|item| output(run, item));
            Data::List(items.collect::<Outcome<_>>()?)
        }
        other => {
            Data::Other { class: super::text::type_name(&other), text: super::text::str(&other)? }
        }
    })
}
