//! Resource properties, converted to the types that Heat's classes declare.
//!
//! Source: `docs/heat.md#conversion-of-properties` and `docs/heat.md#null-and-absent-properties`.
//! Unknown and secret values stay so. Every failure has become Python's `ValueError` when it is
//! reported.

use indexmap::IndexMap;
use num_bigint::BigInt;
use num_traits::FromPrimitive;

use super::python::{self, PythonException};
use super::{Failure, Key, Value};
use heat_template::schema::ValueType;
use python_semantics::ExceptionClass;
use python_semantics::number::Integer;
use source_diagnostics::Span;

/// The properties of a resource, each with its value or the reason for having none.
pub(super) type PropertyValues = IndexMap<Key, Result<Value, Failure>>;

/// A property's value; `None` if it is absent.
pub(super) fn known_property<'a>(
    properties: &'a PropertyValues,
    name: &str,
) -> Result<Option<&'a Value>, Failure> {
    match properties.get(name) {
        None | Some(Ok(Value::Elided)) => Ok(None),
        Some(Ok(value)) => Ok(Some(value)),
        Some(Err(failure)) => Err(failure.clone()),
    }
}

/// A property converted to its type; `None` if it is absent.
pub(super) fn optional_property(
    properties: &PropertyValues,
    name: &str,
    kind: ValueType,
    span: Span,
) -> Result<Option<Value>, Failure> {
    let value = known_property(properties, name)?;
    value.map(|value| coerce(value, kind, false).map_err(|raised| raised.at(span))).transpose()
}

pub(super) fn required_property(
    properties: &PropertyValues,
    name: &str,
    kind: ValueType,
    span: Span,
) -> Result<Value, Failure> {
    optional_property(properties, name, kind, span)?.ok_or_else(|| {
        Failure::new(ExceptionClass::ValueError, format!("Property {name} not assigned"), span)
    })
}

/// Converts a default of the schema.
pub(super) fn default_from_json(json: &serde_json::Value) -> Value {
    use serde_json::Value as Json;
    match json {
        Json::Null => Value::Null,
        Json::Bool(value) => Value::Bool(*value),
        Json::Number(number) => match number.as_i64() {
            Some(value) => Value::int(value),
            None => Value::Float(number.as_f64().unwrap_or(f64::NAN)),
        },
        Json::String(text) => Value::text(text.as_str()),
        Json::Array(items) => Value::list(items.iter().map(default_from_json).collect()),
        Json::Object(map) => {
            Value::map(map.iter().map(|(key, value)| (key.as_str(), default_from_json(value))))
        }
    }
}

/// Converts a value to a type. Null becomes the type's zero value; defaults are up to the caller. If
/// `converts`, text and lists are accepted for maps, and text for lists.
pub(super) fn coerce(
    value: &Value,
    kind: ValueType,
    converts: bool,
) -> Result<Value, PythonException> {
    if matches!(value.unsealed(), Value::Unknown(_)) {
        return Ok(value.clone());
    }
    let (plain, secret) = value.reveal();
    match converted(&plain, kind, converts) {
        // A value that needs no conversion keeps what is known about its parts.
        Ok(converted) if converted == plain => Ok(value.clone()),
        Ok(converted) => Ok(converted.sealed(secret)),
        Err(raised) if secret => {
            Err(raised.with_masked_message(converted(&value.masked(), kind, converts)))
        }
        Err(raised) => Err(raised),
    }
}

fn converted(value: &Value, kind: ValueType, converts: bool) -> Result<Value, PythonException> {
    let converted = match kind {
        ValueType::String => text(value),
        ValueType::Integer => integer(value),
        ValueType::Number => match value {
            Value::Null => Ok(Value::int(0)),
            other => python::to_number(other),
        },
        ValueType::Boolean => boolean(value),
        ValueType::List => list(value, converts),
        ValueType::Map => map(value, converts),
        ValueType::Any => Ok(value.clone()),
    };
    converted.map_err(|raised| raised.reworded(ExceptionClass::ValueError, str::to_owned))
}

fn text(value: &Value) -> Result<Value, PythonException> {
    Ok(match value {
        Value::Null => Value::text(""),
        Value::Text(_) => value.clone(),
        Value::Bool(_) | Value::Int(_) => Value::text(python::str(value)?),
        other => {
            let shown = python::repr(other)?;
            return Err(PythonException::value_error(format!(
                "Value must be a string; got {shown}"
            )));
        }
    })
}

fn integer(value: &Value) -> Result<Value, PythonException> {
    Ok(match value {
        Value::Null => Value::int(0),
        Value::Int(_) => value.clone(),
        Value::Bool(value) => Value::int(i64::from(*value)),
        Value::Float(value) => match BigInt::from_f64(*value) {
            Some(whole) => Value::Int(Integer::from(whole)),
            None if value.is_nan() => {
                return Err(PythonException::value_error("Value 'nan' is not an integer"));
            }
            None => {
                return Err(PythonException::value_error(
                    "cannot convert float infinity to integer",
                ));
            }
        },
        Value::Text(text) => match python::int_of_text(text) {
            Some(number) => Value::Int(number),
            None => {
                return Err(PythonException::value_error(format!(
                    "Value '{text}' is not an integer"
                )));
            }
        },
        other => {
            return Err(PythonException::value_error(format!(
                "int() argument must be a string, a bytes-like object or a real number, not '{}'",
                python::type_name(other)
            )));
        }
    })
}

/// Properties accept fewer spellings than parameters.
fn boolean(value: &Value) -> Result<Value, PythonException> {
    let wrong =
        |shown: &str| PythonException::value_error(format!("\"{shown}\" is not a valid boolean"));
    match value {
        Value::Null => Ok(Value::Bool(false)),
        Value::Bool(_) => Ok(value.clone()),
        Value::Text(text) => match text.to_lowercase().as_str() {
            "true" => Ok(Value::Bool(true)),
            "false" => Ok(Value::Bool(false)),
            other => Err(wrong(other)),
        },
        other => Err(wrong(&python::str(other)?)),
    }
}

fn list(value: &Value, converts: bool) -> Result<Value, PythonException> {
    Ok(match value {
        Value::Null => Value::list(Vec::new()),
        Value::List(_) => value.clone(),
        Value::Text(text) if converts && text.is_empty() => Value::list(Vec::new()),
        Value::Text(text) if converts => Value::list(text.split(',').map(Value::text).collect()),
        other => {
            let shown = python::repr(other)?;
            return Err(PythonException::value_error(format!("\"{shown}\" is not a list")));
        }
    })
}

fn map(value: &Value, converts: bool) -> Result<Value, PythonException> {
    Ok(match value {
        Value::Null => Value::map::<&str>([]),
        Value::Map(_) => value.clone(),
        Value::Text(_) if converts => value.clone(),
        // Unknown parts would be lost in JSON text, which would be parsed again anyway.
        Value::List(_) if converts && value.holds_unknown() => value.clone(),
        Value::List(_) if converts => Value::text(python::json_dumps(value, false)?),
        other => {
            let shown = python::str(other)?;
            return Err(PythonException::value_error(format!("\"{shown}\" is not a map")));
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn coerced(value: Value, kind: ValueType) -> Result<Value, String> {
        coerce(&value, kind, false).map_err(|raised| raised.message)
    }

    #[test]
    fn null_is_the_zero_value() {
        for (kind, zero) in [
            (ValueType::String, Value::text("")),
            (ValueType::Integer, Value::int(0)),
            (ValueType::Number, Value::int(0)),
            (ValueType::Boolean, Value::Bool(false)),
            (ValueType::List, Value::list(vec![])),
            (ValueType::Map, Value::map::<&str>([])),
            (ValueType::Any, Value::Null),
        ] {
            assert_eq!(coerced(Value::Null, kind), Ok(zero), "{kind:?}");
        }
    }

    #[test]
    fn values_are_converted_as_python_converts_them() {
        assert_eq!(coerced(Value::Bool(true), ValueType::String), Ok(Value::text("True")));
        assert!(coerced(Value::Float(1.0), ValueType::String).is_err());
        assert_eq!(coerced(Value::Float(5.7), ValueType::Integer), Ok(Value::int(5)));
        assert_eq!(coerced(Value::text(" 5 "), ValueType::Integer), Ok(Value::int(5)));
        let error = "Value '5.7' is not an integer".to_owned();
        assert_eq!(coerced(Value::text("5.7"), ValueType::Integer), Err(error));
        assert_eq!(coerced(Value::text("TRUE"), ValueType::Boolean), Ok(Value::Bool(true)));
        let error = "\"yes\" is not a valid boolean".to_owned();
        assert_eq!(coerced(Value::text("yes"), ValueType::Boolean), Err(error));
        assert!(coerced(Value::text("a,b"), ValueType::List).is_err());
        assert!(coerced(Value::text("{}"), ValueType::Map).is_err());
    }

    #[test]
    fn properties_of_nested_templates_convert_more() {
        let list = Value::list(vec![Value::text("a"), Value::text("b")]);
        assert_eq!(coerce(&Value::text("a,b"), ValueType::List, true), Ok(list.clone()));
        assert_eq!(coerce(&list, ValueType::Map, true), Ok(Value::text(r#"["a", "b"]"#)));
        assert_eq!(coerce(&Value::text("x"), ValueType::Map, true), Ok(Value::text("x")));
    }

    #[test]
    fn secrets_stay_secret_and_out_of_messages() {
        let secret = Value::text("5x").sealed(true);
        let raised = coerce(&secret, ValueType::Integer, false).expect_err("no number");
        assert!(!raised.safe_message().contains("5x"));
        let number = Value::text("5").sealed(true);
        assert_eq!(coerce(&number, ValueType::Integer, false), Ok(Value::int(5).sealed(true)));
    }
}
