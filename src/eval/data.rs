//! Values of what stands in a text as data.

use std::sync::Arc;

use super::value::{Key, Map, Value};
use crate::ir::{Expr, ExprKind};
use crate::source;

impl Value {
    /// The value of an expression that is data through and through; `None` where a function is in it.
    pub fn of_data(expr: &Expr) -> Option<Value> {
        Some(match &expr.kind {
            ExprKind::Null => Value::Null,
            ExprKind::Bool(value) => Value::Bool(*value),
            ExprKind::Int(value) => Value::Int(value.clone()),
            ExprKind::Float(value) => Value::Float(*value),
            ExprKind::Text(text) => Value::Text(text.clone()),
            ExprKind::Bytes(bytes) => Value::Bytes(Arc::from(&**bytes)),
            ExprKind::Date(text) => Value::Date(text.clone()),
            ExprKind::Set(items) => {
                Value::Set(Arc::new(items.iter().map(Value::of_data).collect::<Option<_>>()?))
            }
            ExprKind::List(items) => {
                Value::list(items.iter().map(Value::of_data).collect::<Option<_>>()?)
            }
            ExprKind::Map(pairs) => {
                let mut map = Map::with_capacity(pairs.len());
                for pair in pairs {
                    let key = Key::of(&Value::of_data(&pair.key)?)?;
                    map.insert(key, Value::of_data(&pair.value)?);
                }
                Value::Map(Arc::new(map))
            }
            _ => return None,
        })
    }
}

impl From<&source::Value> for Value {
    fn from(value: &source::Value) -> Self {
        match value {
            source::Value::Null => Value::Null,
            source::Value::Bool(value) => Value::Bool(*value),
            source::Value::Int(value) => Value::Int(value.clone()),
            source::Value::Float(value) => Value::Float(*value),
            source::Value::Text(text) => Value::text(text.as_str()),
            source::Value::Bytes(bytes) => Value::Bytes(Arc::from(bytes.as_slice())),
            source::Value::Date(text) => Value::Date(text.as_str().into()),
            source::Value::List(items) => Value::list(items.iter().map(Value::from).collect()),
            source::Value::Set(items) => {
                Value::Set(Arc::new(items.iter().map(Value::from).collect()))
            }
            source::Value::Map(pairs) => {
                // What cannot be a key is refused by the reader.
                let pairs = pairs
                    .iter()
                    .filter_map(|(key, value)| Some((Key::of(&key.into())?, Value::from(value))));
                Value::Map(Arc::new(pairs.collect()))
            }
            // A list of tuples, of which JSON makes lists.
            source::Value::Pairs(pairs) => Value::list(
                pairs
                    .iter()
                    .map(|(key, value)| Value::list(vec![key.into(), value.into()]))
                    .collect(),
            ),
        }
    }
}
