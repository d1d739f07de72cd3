//! Converts data of the model to values for the writers, and back.

use heat_template::ir::{Expr, ExprKind, Pair};
use lossless_yaml::Value;
use python_semantics::number::Integer;
use source_diagnostics::Span;

/// The value of an expression that is data; `None` if any part of it is computed.
pub(super) fn to_value(expr: &Expr) -> Option<Value> {
    Some(match &expr.kind {
        ExprKind::Null => Value::Null,
        ExprKind::Bool(value) => Value::Bool(*value),
        ExprKind::Int(value) => Value::Int(value.clone()),
        ExprKind::Float(value) => Value::Float(*value),
        ExprKind::Text(text) => Value::Text(text.to_string()),
        ExprKind::Bytes(bytes) => Value::Bytes(bytes.to_vec()),
        ExprKind::Date(text) => Value::Date(text.to_string()),
        ExprKind::Set(items) => Value::Set(items.iter().map(to_value).collect::<Option<_>>()?),
        ExprKind::List(items) => Value::List(items.iter().map(to_value).collect::<Option<_>>()?),
        ExprKind::Map(pairs) => Value::Map(
            pairs
                .iter()
                .map(|pair| Some((to_value(&pair.key)?, to_value(&pair.value)?)))
                .collect::<Option<_>>()?,
        ),
        _ => return None,
    })
}

/// A value as an expression with the given span.
pub(super) fn to_expr(value: &Value, span: Span) -> Expr {
    let nested = |value: &Value| to_expr(value, Span::NOWHERE);
    let pairs = |pairs: &[(Value, Value)]| {
        pairs.iter().map(|(key, value)| Pair { key: nested(key), value: nested(value) }).collect()
    };
    let kind = match value {
        Value::Null => ExprKind::Null,
        Value::Bool(value) => ExprKind::Bool(*value),
        Value::Int(value) => ExprKind::Int(value.clone()),
        Value::Float(value) => ExprKind::Float(*value),
        Value::Text(text) => ExprKind::Text(text.as_str().into()),
        Value::Bytes(bytes) => ExprKind::Bytes(bytes.as_slice().into()),
        Value::Date(text) => ExprKind::Date(text.as_str().into()),
        Value::List(items) => ExprKind::List(items.iter().map(nested).collect()),
        Value::Set(items) => ExprKind::Set(items.iter().map(nested).collect()),
        Value::Map(map) | Value::Pairs(map) => ExprKind::Map(pairs(map)),
    };
    Expr::new(kind, span)
}

/// The value of a JSON text; `None` if the text is not JSON.
pub(super) fn from_json(text: &str) -> Option<Value> {
    fn convert(value: serde_json::Value) -> Option<Value> {
        Some(match value {
            serde_json::Value::Null => Value::Null,
            serde_json::Value::Bool(value) => Value::Bool(value),
            serde_json::Value::Number(number) => match number.as_i64() {
                Some(value) => Value::Int(Integer::Small(value)),
                // A number with more digits is not converted.
                None if number.is_f64() => Value::Float(number.as_f64()?),
                None => return None,
            },
            serde_json::Value::String(text) => Value::Text(text),
            serde_json::Value::Array(items) => {
                Value::List(items.into_iter().map(convert).collect::<Option<_>>()?)
            }
            serde_json::Value::Object(pairs) => Value::Map(
                pairs
                    .into_iter()
                    .map(|(key, value)| Some((Value::Text(key), convert(value)?)))
                    .collect::<Option<_>>()?,
            ),
        })
    }
    convert(serde_json::from_str(text).ok()?)
}
