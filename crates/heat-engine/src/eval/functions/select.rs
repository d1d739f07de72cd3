//! `Fn::Select`: an item of a list or map; a text is parsed as JSON, and a missing item is the empty string.
//!
//! Heat's rule: `docs/heat.md#fnselect`.

use python_semantics::ExceptionClass;

use super::{NoValue, PartialResult};
use crate::eval::{PythonException, Value, python};

/// The item at an index or key.
pub(in crate::eval) fn select(index: &Value, collection: &Value) -> PartialResult {
    let secret = matches!(index, Value::Secret(_)) || matches!(collection, Value::Secret(_));
    let (index, collection) = (index.unsealed(), collection.unsealed());
    let parsed;
    let collection = match collection {
        Value::Unknown(_) => return Err(NoValue::Unknown),
        Value::Null => {
            // The index is still checked, but its value does not matter.
            return Ok(Value::text("").sealed(secret));
        }
        Value::Text(text) if text.is_empty() => return Ok(Value::text("").sealed(secret)),
        Value::Text(text) => {
            parsed = python::json_loads(text).map_err(|problem| {
                problem.reworded(ExceptionClass::ValueError, |it| format!("\"Fn::Select\": {it}"))
            })?;
            &parsed
        }
        other => other,
    };
    let found = match collection {
        Value::Map(map) => match index {
            Value::Text(key) => map.get(key.as_str()).cloned(),
            Value::Unknown(_) => return Err(NoValue::Unknown),
            _ => {
                return Err(PythonException::type_error(
                    "Index to \"Fn::Select\" must be a string",
                )
                .into());
            }
        },
        Value::List(items) => {
            if matches!(index, Value::Unknown(_)) {
                return Err(NoValue::Unknown);
            }
            let number = match python::int(index) {
                Ok(number) => number,
                Err(problem) if problem.class == ExceptionClass::OverflowError => {
                    return Err(problem.into());
                }
                Err(_) => {
                    let message = "Index to \"Fn::Select\" must be an integer";
                    return Err(PythonException::type_error(message).into());
                }
            };
            python::index_position(&number, items.len()).map(|at| items[at].clone())
        }
        Value::Null => None,
        _ => {
            return Err(
                PythonException::type_error("Arguments to Fn::Select not fully resolved").into()
            );
        }
    };
    Ok(found.unwrap_or_else(|| Value::text("")).sealed(secret))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn collections_and_indices() {
        let (text, int) = (Value::text, Value::int);
        let list = Value::list(vec![text("a"), Value::Null]);
        assert_eq!(select(&text("0"), &list), Ok(text("a")));
        assert_eq!(select(&Value::Float(1.7), &list), Ok(Value::Null));
        assert_eq!(select(&int(2), &list), Ok(text("")));
        assert_eq!(select(&int(0), &text("[\"j\"]")), Ok(text("j")));
        assert_eq!(select(&int(0), &text("null")), Ok(text("")));
        for (index, collection) in [
            (text("x"), list.clone()),
            (Value::Null, list),
            (int(0), text("a,b")),
            (int(0), text("1")),
            (int(0), Value::map([("0", Value::Null)])),
            (int(0), Value::Bool(true)),
        ] {
            assert!(select(&index, &collection).is_err(), "{index:?} {collection:?}");
        }
    }
}
