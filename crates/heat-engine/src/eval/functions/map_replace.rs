//! `map_replace`: replaces keys and values of a map.
//!
//! Heat's rule: `docs/heat.md#map_replace`.

use std::sync::Arc;

use python_semantics::ExceptionClass;

use crate::eval::{Key, Map, PythonException, Value, python};

/// Replaces keys and values of the first map as the second map says.
pub(in crate::eval) fn replace(argument: &Value) -> Result<Value, PythonException> {
    let form = "Incorrect arguments to \"map_replace\" should be: \"map_replace\" : [ { \"key1\": \"val1\" }, {\"keys\": {\"key1\": \"key2\"}, \"values\": {\"val1\": \"val2\"}}]";
    let items: &[Value] = match argument {
        Value::List(items) => items,
        // Heat pops the first item of the list: a map has no key 0, and other values have no `pop`.
        Value::Map(_) => return Err(pop_of_map(argument, form)),
        _ => return Err(PythonException::type_error(form)),
    };
    let [input, replacements] = items else {
        for item in items.iter().take(2) {
            map(item)?;
        }
        return Err(PythonException::type_error(form));
    };
    let (input, replacements) = (map(input)?, map(replacements)?);
    if replacements.keys().any(|key| !matches!(key.as_text(), Some("keys" | "values"))) {
        return Err(PythonException::value_error(form));
    }
    let keys = replacements.get("keys").map_or(Ok(Arc::default()), map)?;
    let values = replacements.get("values").map_or(Ok(Arc::default()), map)?;
    let mut output = Map::with_capacity(input.len());
    for (key, value) in input.iter() {
        let new = match keys.get(key) {
            None | Some(Value::Null) => key.clone(),
            Some(new) => {
                let new = Key::from_value(new).ok_or_else(|| PythonException::unhashable(new))?;
                let collides = if new != *key && input.contains_key(&new) {
                    Some("input")
                } else if output.contains_key(&new) {
                    Some("output")
                } else {
                    None
                };
                if let Some(place) = collides {
                    let shown = python::str(&new.to_value())?;
                    let message =
                        format!("key replacement {shown} collides with a key in the {place} map");
                    return Err(PythonException::value_error(message));
                }
                new
            }
        };
        let replaced = Key::from_value(value).and_then(|value| values.get(&value)).unwrap_or(value);
        output.insert(new, replaced.clone());
    }
    Ok(Value::Map(Arc::new(output)))
}

fn map(value: &Value) -> Result<Arc<Map>, PythonException> {
    match value {
        Value::Null => Ok(Arc::default()),
        Value::Map(map) => Ok(Arc::clone(map)),
        _ => Err(PythonException::type_error(
            "Incorrect arguments: to \"map_replace\", arguments must be a list of maps.",
        )),
    }
}

/// The error of `dict.pop(0)`: Heat does not catch `KeyError` here.
fn pop_of_map(argument: &Value, form: &str) -> PythonException {
    match argument {
        Value::Map(map) if !map.contains_key(&Key::Other(Box::new(Value::int(0)))) => {
            PythonException::new(ExceptionClass::KeyError, "0")
        }
        _ => PythonException::type_error(form),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(input: Value, keys: Value, values: Value) -> Result<Value, PythonException> {
        replace(&Value::list(vec![input, Value::map([("keys", keys), ("values", values)])]))
    }

    #[test]
    fn keys_and_values() {
        let text = Value::text;
        let input =
            Value::map([("a", text("x")), ("b", Value::list(vec![])), ("c", Value::int(1))]);
        let keys = Value::map([("a", text("A")), ("c", Value::Null)]);
        let values = Value::map([("x", text("X")), ("1", text("one"))]);
        let expected =
            Value::map([("A", text("X")), ("b", Value::list(vec![])), ("c", Value::int(1))]);
        assert_eq!(call(input, keys, values), Ok(expected));
    }

    #[test]
    fn collisions() {
        let text = Value::text;
        let input = || Value::map([("a", text("x")), ("b", text("y"))]);
        let swap = Value::map([("a", text("b")), ("b", text("a"))]);
        assert!(call(input(), swap, Value::Null).is_err());
        let both = Value::map([("a", text("z")), ("b", text("z"))]);
        assert!(call(input(), both, Value::Null).is_err());
        let same = Value::map([("a", text("a"))]);
        assert_eq!(call(input(), same, Value::Null), Ok(input()));
    }
}
