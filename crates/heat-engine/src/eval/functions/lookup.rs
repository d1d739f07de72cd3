//! `Fn::FindInMap`: entries of mappings, as Python subscripts them.
//!
//! Heat's rule: `docs/heat.md#fnfindinmap`.

use python_semantics::ExceptionClass;

use super::{NoValue, PartialResult};
use crate::eval::{Key, PythonException, Value, python};

/// `collection[key]`; a missing key is an error.
pub(in crate::eval) fn get(collection: &Value, key: &Value) -> PartialResult {
    let secret = matches!(collection, Value::Secret(_)) || matches!(key, Value::Secret(_));
    let (collection, key) = (collection.unsealed(), key.unsealed());
    if matches!(collection, Value::Unknown(_)) || key.holds_unknown() {
        return Err(NoValue::Unknown);
    }
    let missing = || PythonException::new(ExceptionClass::KeyError, python::repr_preview(key));
    let found = match collection {
        Value::Map(map) => match Key::from_value(key) {
            Some(key) => map.get(&key).cloned().ok_or_else(missing)?,
            None => return Err(PythonException::unhashable(key).into()),
        },
        Value::List(items) => match key {
            Value::Int(_) | Value::Bool(_) => python::int(key)
                .ok()
                .and_then(|at| python::index_position(&at, items.len()))
                .map(|at| items[at].clone())
                .ok_or_else(|| {
                    PythonException::new(ExceptionClass::IndexError, "list index out of range")
                })?,
            _ => {
                return Err(
                    PythonException::type_error("list indices must be integers or slices").into()
                );
            }
        },
        Value::Text(text) => match key {
            Value::Int(_) | Value::Bool(_) => python::int(key)
                .ok()
                .and_then(|at| python::index_position(&at, text.chars().count()))
                .and_then(|at| text.chars().nth(at))
                .map(|c| Value::text(c.to_string()))
                .ok_or_else(|| {
                    PythonException::new(ExceptionClass::IndexError, "string index out of range")
                })?,
            _ => return Err(PythonException::type_error("string indices must be integers").into()),
        },
        other => {
            let name = python::type_name(other);
            return Err(PythonException::type_error(format!(
                "'{name}' object is not subscriptable"
            ))
            .into());
        }
    };
    Ok(found.sealed(secret))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::ErrorClass;

    fn class(outcome: PartialResult) -> Option<ErrorClass> {
        match outcome {
            Err(NoValue::Failed(problem)) => Some(problem.class),
            _ => None,
        }
    }

    #[test]
    fn what_is_missing_or_has_no_items_is_an_error() {
        let table = Value::map([("a", Value::list(vec![Value::int(1)]))]);
        let list = get(&table, &Value::text("a")).expect("an item");
        assert_eq!(get(&list, &Value::int(-1)), Ok(Value::int(1)));
        assert_eq!(class(get(&table, &Value::text("b"))), Some(ExceptionClass::KeyError.into()));
        assert_eq!(class(get(&list, &Value::int(1))), Some(ExceptionClass::IndexError.into()));
        assert_eq!(class(get(&list, &Value::text("0"))), Some(ExceptionClass::TypeError.into()));
        assert_eq!(
            class(get(&Value::Null, &Value::text("0"))),
            Some(ExceptionClass::TypeError.into())
        );
    }
}
