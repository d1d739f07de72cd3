//! Values and expressions as JSON and as short text.

use serde_json::{Map, Number, Value as Json};

use heat_engine::eval;
use heat_template::hot::{Version, raise_expr};
use heat_template::ir::{Expr, ExprKind};
use lossless_yaml::json_writer;
use lossless_yaml::yaml::writer::flow;
use python_semantics::number::Integer;

/// A value as JSON; an unknown value becomes `null`, a secret is revealed.
pub(super) fn json_of(value: &eval::Value) -> Json {
    match value {
        eval::Value::Null | eval::Value::Unknown(_) | eval::Value::Elided => Json::Null,
        eval::Value::Bool(value) => Json::Bool(*value),
        eval::Value::Int(value) => integer(value),
        eval::Value::Float(value) => {
            Number::from_f64(*value).map_or_else(|| Json::String(value.to_string()), Json::Number)
        }
        eval::Value::Text(text) | eval::Value::Date(text) => Json::String(text.to_string()),
        eval::Value::Bytes(bytes) => Json::from(bytes.to_vec()),
        eval::Value::List(items) | eval::Value::Set(items) => items.iter().map(json_of).collect(),
        eval::Value::Map(map) => {
            let pairs = map.iter().map(|(key, value)| {
                let key = match json_of(&key.to_value()) {
                    Json::String(text) => text,
                    other => other.to_string(),
                };
                (key, json_of(value))
            });
            Json::Object(pairs.collect())
        }
        eval::Value::Call(call) => Json::String(call.function.to_string()),
        eval::Value::Object(object) => Json::String(object.text.clone()),
        eval::Value::Secret(inner) => json_of(inner),
    }
}

fn integer(value: &Integer) -> Json {
    match value {
        Integer::Small(value) => Json::from(*value),
        Integer::Big(value) => Json::String(value.to_string()),
    }
}

/// The data of an expression in its JSON form; `None` if it contains a function call.
pub(super) fn data_of(expr: &Json) -> Option<Json> {
    let value = expr.get("value");
    match expr.get("kind")?.as_str()? {
        "null" => Some(Json::Null),
        "bool" | "int" | "float" | "text" | "date" => value.cloned(),
        "list" | "set" => value?.as_array()?.iter().map(data_of).collect(),
        "map" => {
            let mut map = Map::new();
            for pair in value?.as_array()? {
                let key = match data_of(pair.get("key")?)? {
                    Json::String(text) => text,
                    other => other.to_string(),
                };
                map.insert(key, data_of(pair.get("value")?)?);
            }
            Some(Json::Object(map))
        }
        _ => None,
    }
}

/// Converts JSON to a value that the writers print.
pub fn value_of(json: &Json) -> lossless_yaml::Value {
    match json {
        Json::Null => lossless_yaml::Value::Null,
        Json::Bool(value) => lossless_yaml::Value::Bool(*value),
        Json::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(value), _) => lossless_yaml::Value::Int(Integer::Small(value)),
            (None, Some(value)) => lossless_yaml::Value::Float(value),
            (None, None) => lossless_yaml::Value::Text(number.to_string()),
        },
        Json::String(text) => lossless_yaml::Value::Text(text.clone()),
        Json::Array(items) => lossless_yaml::Value::List(items.iter().map(value_of).collect()),
        Json::Object(map) => lossless_yaml::Value::map(
            map.iter().map(|(key, value)| (key.as_str(), value_of(value))),
        ),
    }
}

/// An expression in the latest version of HOT, on one line.
pub(super) fn hot(expr: &Expr) -> String {
    let (value, _) = raise_expr(expr, Version::LATEST);
    flow(&value).or_else(|_| json_writer::compact(&value)).unwrap_or_default()
}

/// A string unchanged; any other expression in HOT.
pub(super) fn text_of(expr: &Expr) -> String {
    match expr.as_text() {
        Some(text) => text.to_owned(),
        None => hot(expr),
    }
}

/// A short form of an expression: the name of a parameter or a condition, a literal, or HOT.
pub(super) fn short(expr: &Expr) -> String {
    match &expr.kind {
        ExprKind::Text(text) => text.to_string(),
        ExprKind::Condition(name) => name.to_string(),
        ExprKind::Not(inner) => match &inner.kind {
            ExprKind::Condition(name) => format!("not {name}"),
            _ => hot(expr),
        },
        ExprKind::Parameter(parameter) => {
            let names = std::iter::once(&parameter.name).chain(&parameter.path);
            names.map(short).collect::<Vec<_>>().join(".")
        }
        _ => hot(expr),
    }
}
