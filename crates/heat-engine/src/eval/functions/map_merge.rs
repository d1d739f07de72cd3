//! `map_merge`: merges maps; later ones win.
//!
//! Heat's rule: `docs/heat.md#map_merge`.

use std::sync::Arc;

use super::{NoValue, PartialResult};
use crate::eval::{Map, PythonException, Value, python};

/// Merges a list of maps. Their values may be unknown.
pub(in crate::eval) fn merge(argument: &Value) -> PartialResult {
    let mut secret = matches!(argument, Value::Secret(_));
    let items: Vec<Value> = match argument.unsealed() {
        Value::Unknown(_) => return Err(NoValue::Unknown),
        Value::List(items) => items.to_vec(),
        // In Python, a text is a sequence of texts, none of which is a map.
        Value::Text(text) => text.chars().map(|c| Value::text(c.to_string())).collect(),
        _ => {
            let message = "Incorrect arguments to \"map_merge\" should be: \"map_merge\" : [ { \"key1\": \"val1\" }, { \"key2\": \"val2\" } ]";
            return Err(PythonException::type_error(message).into());
        }
    };
    let mut merged = Map::new();
    let mut unknown = false;
    for item in &items {
        secret |= matches!(item, Value::Secret(_));
        match item.unsealed() {
            Value::Null => {}
            Value::Unknown(_) => unknown = true,
            Value::Map(map) => {
                merged.extend(map.iter().map(|(key, value)| (key.clone(), value.clone())));
            }
            other => {
                let message = format!(
                    "Incorrect arguments: Items to merge must be maps. {} is type <class '{}'> instead of a dict",
                    python::repr_preview(other),
                    python::type_name(other)
                );
                return Err(PythonException::type_error(message).into());
            }
        }
    }
    if unknown {
        return Err(NoValue::Unknown);
    }
    Ok(Value::Map(Arc::new(merged)).sealed(secret))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_later_wins_at_the_place_of_the_first() {
        let one = Value::map([("a", Value::int(1)), ("b", Value::int(1))]);
        let other = Value::map([("a", Value::int(2))]);
        let merged = merge(&Value::list(vec![one, Value::Null, other]));
        assert_eq!(merged, Ok(Value::map([("a", Value::int(2)), ("b", Value::int(1))])));
        assert_eq!(merge(&Value::list(vec![])), Ok(Value::map::<&str>([])));
        assert_eq!(merge(&Value::text("")), Ok(Value::map::<&str>([])));
        for wrong in [Value::Null, Value::text("a"), Value::list(vec![Value::int(1)])] {
            assert!(merge(&wrong).is_err(), "{wrong:?}");
        }
    }
}
