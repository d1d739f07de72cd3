//! Python's texts of values.

use super::{Failure, Outcome, Value};

/// The name of a value's type in Python.
pub(crate) fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Missing | Value::Opaque(_) => "object",
        Value::Null => "NoneType",
        Value::Bool(_) => "bool",
        Value::Int(_) => "int",
        Value::Float(_) => "float",
        Value::Text(_) => "str",
        Value::Tuple(_) => "tuple",
        Value::List(_) => "list",
        Value::Dict(dict) if dict.frozen => "FrozenDict",
        Value::Dict(_) => "dict",
        Value::Set(set) if set.frozen => "frozenset",
        Value::Set(_) => "set",
        Value::View(..) => "dict_keys",
        Value::Lazy(lazy) => lazy.class().name,
        Value::Ordering(_) => "OrderingIterable",
        Value::DateTime(_) => "datetime.datetime",
        Value::TimeSpan(_) => "datetime.timedelta",
        Value::Pattern(_) => "re.Pattern",
        Value::Context(_) => "Context",
        Value::Lambda(_) => "function",
        Value::Rule(_) | Value::LazyRule(_) => "MappingRule",
        Value::Expression(_) => "Expression",
    }
}

/// `str(value)`.
pub(crate) fn str(value: &Value) -> Outcome<String> {
    match value {
        Value::Text(text) => Ok(text.to_string()),
        other => repr(other),
    }
}

/// `repr(value)`.
pub(crate) fn repr(value: &Value) -> Outcome<String> {
    match value {
        Value::Opaque(_) => Err(Failure::Unknown),
        other => Ok(format!("{other:?}")),
    }
}
