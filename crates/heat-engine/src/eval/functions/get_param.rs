//! `get_param`: follows a path into the value of a parameter. A missing item is the empty string.
//!
//! Heat's rule: `docs/heat.md#get_param`.

use super::{ItemLookup, NoValue, PartialResult, look_up_item};
use crate::eval::{PythonException, Value, python};

/// The name and the path in the argument of a call.
pub(in crate::eval) fn arguments(argument: &Value) -> Result<(&str, &[Value]), NoValue> {
    let argument = argument.unsealed();
    if matches!(argument, Value::Unknown(_)) {
        return Err(NoValue::Unknown);
    }
    if !python::truthy(argument) {
        return Err(
            PythonException::value_error("Function \"get_param\" must have arguments").into()
        );
    }
    let (name, path) = match argument {
        Value::Text(name) => return Ok((name, &[])),
        Value::List(items) => (items[0].unsealed(), &items[1..]),
        _ => {
            let message = "Argument to \"get_param\" must be string or list";
            return Err(PythonException::type_error(message).into());
        }
    };
    match name {
        Value::Text(name) => Ok((name, path)),
        Value::Unknown(_) => Err(NoValue::Unknown),
        _ => {
            Err(PythonException::type_error("Parameter name in \"get_param\" must be string")
                .into())
        }
    }
}

/// The item at a path inside a value.
pub(in crate::eval) fn follow_path(value: &Value, path: &[&Value]) -> PartialResult {
    if path.is_empty() {
        return Ok(value.clone());
    }
    let mut secret = matches!(value, Value::Secret(_));
    let mut at = value.unsealed().clone();
    for key in path {
        secret |= matches!(key, Value::Secret(_));
        let mut key = key.unsealed().clone();
        // A text can be an index of a sequence.
        if let (Value::Text(text), Value::List(_) | Value::Text(_)) = (&key, &at) {
            match python::int_of_text(text) {
                Some(number) => key = Value::Int(number),
                None => return Ok(Value::text("").sealed(secret)),
            }
        }
        let next = match look_up_item(&at, &key) {
            ItemLookup::Item(item) => item.into_owned(),
            ItemLookup::Missing => return Ok(Value::text("").sealed(secret)),
            ItemLookup::Unknown => return Err(NoValue::Unknown),
        };
        secret |= matches!(next, Value::Secret(_));
        at = next.unsealed().clone();
    }
    Ok(at.sealed(secret))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths() {
        let tree = Value::map([
            ("l", Value::list(vec![Value::text("ab"), Value::Null])),
            ("n", Value::int(5)),
        ]);
        let walk = |path: &[Value]| follow_path(&tree, &path.iter().collect::<Vec<_>>());
        let (text, int) = (Value::text, Value::int);
        assert_eq!(walk(&[text("l"), text("0"), int(-1)]), Ok(text("b")));
        assert_eq!(walk(&[text("l"), Value::Bool(true)]), Ok(Value::Null));
        for missing in [
            vec![text("x")],
            vec![text("l"), int(2)],
            vec![text("l"), text("one")],
            vec![text("n"), int(0)],
            vec![int(0)],
            vec![text("l"), Value::Float(0.0)],
            vec![text("l"), int(1), int(0)],
        ] {
            assert_eq!(walk(&missing), Ok(text("")), "{missing:?}");
        }
    }

    #[test]
    fn arguments_must_be_a_name_or_a_list() {
        assert_eq!(arguments(&Value::text("p")), Ok(("p", &[][..])));
        for wrong in [Value::text(""), Value::list(vec![]), Value::Null, Value::int(1)] {
            assert!(arguments(&wrong).is_err(), "{wrong:?}");
        }
        assert!(arguments(&Value::list(vec![Value::int(1)])).is_err());
    }
}
