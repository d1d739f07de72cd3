//! Conversion of values to the type of a parameter.
//!
//! Heat's rules: `docs/heat.md#parameters-of-type-string`,
//! `docs/heat.md#parameters-of-type-number`, `docs/heat.md#parameters-of-type-boolean`,
//! `docs/heat.md#parameters-of-type-comma_delimited_list`, `docs/heat.md#parameters-of-type-json`.

use crate::eval::python::{self, PythonException};
use crate::eval::{ErrorClass, Value};
use heat_template::ir::ParameterType;
use python_semantics::ExceptionClass;

/// The value as Heat compares it: lists and JSON are not converted.
pub fn to_type(value: &Value, kind: ParameterType) -> Result<Value, PythonException> {
    let (converted, name) = match kind {
        ParameterType::Number => (python::to_number(value), "number"),
        ParameterType::Text => (python::str(value).map(Value::text), "string"),
        ParameterType::Boolean => {
            let text = python::str(value).map(Value::text);
            (text.and_then(|text| python::strict_bool(&text)).map(Value::Bool), "boolean")
        }
        ParameterType::TextList | ParameterType::Json => return Ok(value.clone()),
    };
    converted.or_else(|raised| match raised.class {
        ErrorClass::Python(ExceptionClass::ValueError) => {
            let value = python::str(value)?;
            let message = format!("Value \"{value}\" is invalid for data type \"{name}\".");
            Err(PythonException::value_error(message))
        }
        _ => Err(raised),
    })
}

/// The list of a `comma_delimited_list`; unknown items stay unknown.
pub(super) fn to_list(value: &Value) -> Result<Value, PythonException> {
    match value {
        Value::List(items) => {
            let item = |item: &Value| match item {
                Value::Unknown(_) => Ok(item.clone()),
                _ => {
                    let (item, secret) = item.reveal();
                    python::str(&item).map(|text| Value::text(text).sealed(secret))
                }
            };
            Ok(Value::list(items.iter().map(item).collect::<Result<_, _>>()?))
        }
        Value::Text(text) if text.is_empty() => Ok(Value::list(Vec::new())),
        Value::Text(text) => Ok(Value::list(text.split(',').map(Value::text).collect())),
        Value::Bytes(_) => {
            Err(PythonException::type_error("a bytes-like object is required, not 'str'"))
        }
        other => Err(PythonException::value_error(format!(
            "Value must be a comma-delimited list string: {}",
            no_split(other)
        ))),
    }
}

pub(super) fn no_split(value: &Value) -> String {
    format!("'{}' object has no attribute 'split'", python::type_name(value))
}

pub(super) fn to_json(value: &Value) -> Result<Value, PythonException> {
    let parsed = match value {
        Value::Text(text) if text.is_empty() => return Ok(value.clone()),
        Value::Text(text) => python::json_loads(text),
        other => python::json_round_trip(other),
    };
    parsed.map_err(|raised| match raised.class {
        ErrorClass::Python(ExceptionClass::ValueError | ExceptionClass::TypeError) => raised
            .reworded(ExceptionClass::ValueError, |why| format!("Value must be valid JSON: {why}")),
        _ => raised,
    })
}

/// The value as Heat stores it for a parameter of this type.
pub fn coerce(value: &Value, kind: ParameterType) -> Result<Value, PythonException> {
    match kind {
        ParameterType::Number => python::to_number(value),
        ParameterType::Boolean => python::str(value)
            .and_then(|text| python::strict_bool(&Value::text(text)))
            .map(Value::Bool),
        ParameterType::Text => to_type(value, kind),
        ParameterType::TextList => to_list(value),
        ParameterType::Json => to_json(value),
    }
}

/// The error for a boolean without a value.
pub(super) fn strict_none() -> PythonException {
    let none = python::strict_bool(&Value::text("None"));
    none.err().unwrap_or_else(|| PythonException::value_error("None"))
}
