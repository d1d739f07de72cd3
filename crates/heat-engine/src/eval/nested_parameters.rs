//! The parameters that a resource passes to its nested template, computed from the resource's
//! properties.
//!
//! Source: `docs/heat.md#properties-of-a-nested-template` and
//! `docs/heat.md#properties-become-parameters`.

use indexmap::IndexMap;
use python_semantics::ExceptionClass;
use smol_str::SmolStr;

use super::parameters::SuppliedValue;
use super::properties::{self, coerce};
use super::python::{self, PythonException};
use super::{Failure, Value, unknown_parameter};
use heat_template::ir::{Parameter, ParameterType};
use heat_template::schema::ValueType;
use source_diagnostics::Span;

/// The parameters of a nested stack.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct NestedParameters {
    /// The values of its parameters, in declaration order.
    pub(super) values: IndexMap<String, SuppliedValue>,
    /// Properties that the nested template does not declare as parameters.
    pub(super) undeclared: Vec<SmolStr>,
    /// The properties that have no value or the wrong type.
    pub(super) refused: Vec<Failure>,
}

/// Turns the properties of a resource into parameters of its template; `place` returns where a property
/// is written. Heat creates no stack if a property is refused.
pub(super) fn from_properties(
    declared: &IndexMap<String, Parameter>,
    properties: &properties::PropertyValues,
    place: impl Fn(&str) -> Span,
) -> NestedParameters {
    let mut passed = NestedParameters::default();
    for (name, parameter) in declared {
        let Some(given) = properties::known_property(properties, name).transpose() else {
            continue;
        };
        let span = place(name);
        let value = match given {
            Ok(value) => {
                // The value of a hidden parameter is a secret before it is converted.
                let is_new =
                    parameter.is_hidden() && !matches!(value, Value::Secret(_) | Value::Unknown(_));
                let value = value.clone().sealed(is_new);
                to_parameter(&value, parameter.kind).map_err(|raised| raised.at(span))
            }
            Err(failure) => Err(failure),
        };
        let value = value.unwrap_or_else(|failure| {
            passed.refused.push(failure);
            unknown_parameter(name, 0)
        });
        passed.values.insert(name.clone(), SuppliedValue { value, span: Some(span), key: None });
    }
    let undeclared = properties.keys().filter_map(|key| key.as_text());
    passed.undeclared =
        undeclared.filter(|name| !declared.contains_key(*name)).map(SmolStr::from).collect();
    passed
}

/// The property type that corresponds to a parameter's type, and whether values of other types are
/// converted to it.
pub(super) fn property_type(kind: Option<ParameterType>) -> (ValueType, bool) {
    match kind {
        Some(ParameterType::Text) => (ValueType::String, false),
        Some(ParameterType::Number) => (ValueType::Number, false),
        Some(ParameterType::Boolean) => (ValueType::Boolean, false),
        Some(ParameterType::TextList) => (ValueType::List, true),
        Some(ParameterType::Json) | None => (ValueType::Map, true),
    }
}

/// Converts a property's value for the parameter: first to the property's type, which follows from
/// the parameter's, then lists back to text.
fn to_parameter(value: &Value, kind: Option<ParameterType>) -> Result<Value, PythonException> {
    let (kind, converts) = property_type(kind);
    let value = coerce(value, kind, converts)?;
    match (kind, value.unsealed()) {
        (ValueType::List, Value::List(items)) => {
            let secret = value.holds_secret();
            if !secret {
                return join(items);
            }
            let revealed: Vec<Value> = items.iter().map(|item| item.reveal().0).collect();
            let masked = || items.iter().map(Value::masked).collect::<Vec<_>>();
            let joined =
                join(&revealed).map_err(|raised| raised.with_masked_message(join(&masked())))?;
            Ok(joined.sealed(secret))
        }
        _ => Ok(value),
    }
}

/// The comma-separated text in which a list is passed. If an item is unknown, the result stays a list, and
/// each known item is split where the text would be.
fn join(items: &[Value]) -> Result<Value, PythonException> {
    if items.iter().any(Value::holds_unknown) {
        let mut cut = Vec::with_capacity(items.len());
        for item in items {
            match item {
                _ if item.holds_unknown() => cut.push(item.clone()),
                Value::Null => cut.push(Value::text("")),
                Value::Text(text) => cut.extend(text.split(',').map(Value::text)),
                other => cut.push(other.clone()),
            }
        }
        return Ok(Value::list(cut));
    }
    if let Some(Value::Map(_)) = items.first() {
        return members(items);
    }
    let mut text = String::new();
    for (at, item) in items.iter().enumerate() {
        if at > 0 {
            text.push(',');
        }
        match item {
            Value::Text(item) => text.push_str(item),
            Value::Null => {}
            other => {
                let kind = python::type_name(other);
                let message = format!("sequence item {at}: expected str instance, {kind} found");
                return Err(PythonException::type_error(message));
            }
        }
    }
    Ok(Value::text(text))
}

/// Writes a list of maps as `.member.0.key=value,…`.
fn members(items: &[Value]) -> Result<Value, PythonException> {
    let mut texts = Vec::new();
    for (at, item) in items.iter().enumerate() {
        let Value::Map(map) = item else {
            let kind = python::type_name(item);
            let message = format!("'{kind}' object has no attribute 'items'");
            return Err(PythonException::new(ExceptionClass::AttributeError, message));
        };
        for (key, value) in map.iter() {
            let (key, value) = (python::str(&key.to_value())?, python::str(value)?);
            texts.push(format!(".member.{at}.{key}={value}"));
        }
    }
    Ok(Value::text(texts.join(",")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::Key;

    fn parameter(value: Value, kind: ParameterType) -> Result<Value, String> {
        to_parameter(&value, Some(kind)).map_err(|raised| raised.message)
    }

    fn texts(items: &[&str]) -> Value {
        Value::list(items.iter().copied().map(Value::text).collect())
    }

    #[test]
    fn lists_travel_as_text() {
        let list = |value| parameter(value, ParameterType::TextList);
        assert_eq!(list(texts(&["a", "b"])), Ok(Value::text("a,b")));
        assert_eq!(list(Value::Null), Ok(Value::text("")));
        assert_eq!(list(Value::text("a, b")), Ok(Value::text("a, b")));
        assert_eq!(list(Value::list(vec![Value::Null, Value::text("b")])), Ok(Value::text(",b")));
        let maps = Value::list(vec![Value::map([("k", Value::int(1)), ("l", Value::Null)])]);
        assert_eq!(list(maps), Ok(Value::text(".member.0.k=1,.member.0.l=None")));
        let error = "sequence item 0: expected str instance, int found".to_owned();
        assert_eq!(list(Value::list(vec![Value::int(1)])), Err(error));
    }

    #[test]
    fn maps_travel_as_they_are_and_lists_in_their_place_as_json() {
        let map = Value::map([("k", Value::int(1))]);
        assert_eq!(parameter(map.clone(), ParameterType::Json), Ok(map));
        assert_eq!(parameter(texts(&["a"]), ParameterType::Json), Ok(Value::text(r#"["a"]"#)));
        assert!(parameter(Value::int(1), ParameterType::Json).is_err());
    }

    #[test]
    fn a_property_without_a_value_makes_no_stack_and_an_undeclared_one_is_named() {
        let declared = |name: &str| {
            let text =
                format!("heat_template_version: rocky\nparameters: {{{name}: {{type: string}}}}\n");
            crate::eval::groups::tests::stack(&text).parameters
        };
        let place = |_: &str| Span::NOWHERE;
        let mut given = properties::PropertyValues::new();
        given.insert(Key::from("a"), Ok(Value::int(1)));
        let passed = from_properties(&declared("b"), &given, place);
        assert_eq!((passed.values.len(), passed.undeclared), (0, vec!["a".into()]));
        let passed = from_properties(&declared("a"), &given, place);
        assert_eq!(passed.values["a"].value, Value::text("1"));
        let failure = Failure::new(ExceptionClass::KeyError, "k", Span::NOWHERE);
        given.insert(Key::from("a"), Err(failure.clone()));
        assert_eq!(from_properties(&declared("a"), &given, place).refused, [failure]);
    }
}
