//! Conversions between values and expressions that are plain data.

use std::sync::Arc;

use super::value::{Key, Map, Value};
use crate::environment::{EnvironmentNode, EnvironmentValue};
use heat_template::ir::{Expr, ExprKind, Pair};
use source_diagnostics::Span;

impl Value {
    /// The value of an expression that contains no function; `None` if it contains one.
    pub fn from_data_expr(expr: &Expr) -> Option<Value> {
        Some(match &expr.kind {
            ExprKind::Null => Value::Null,
            ExprKind::Bool(value) => Value::Bool(*value),
            ExprKind::Int(value) => Value::Int(value.clone()),
            ExprKind::Float(value) => Value::Float(*value),
            ExprKind::Text(text) => Value::Text(text.clone()),
            ExprKind::Bytes(bytes) => Value::Bytes(Arc::from(&**bytes)),
            ExprKind::Date(text) => Value::Date(text.clone()),
            ExprKind::Set(items) => Value::Set(Arc::new(
                items.iter().map(Value::from_data_expr).collect::<Option<_>>()?,
            )),
            ExprKind::List(items) => {
                Value::list(items.iter().map(Value::from_data_expr).collect::<Option<_>>()?)
            }
            ExprKind::Map(pairs) => {
                let mut map = Map::with_capacity(pairs.len());
                for pair in pairs {
                    let key = Key::from_value(&Value::from_data_expr(&pair.key)?)?;
                    map.insert(key, Value::from_data_expr(&pair.value)?);
                }
                Value::Map(Arc::new(map))
            }
            _ => return None,
        })
    }

    /// The value as an expression at `span`; `None` if a part is unknown, secret, or of a type that
    /// templates cannot hold.
    pub fn to_data_expr(&self, span: Span) -> Option<Expr> {
        self.to_expr(span, &|_| None)
    }

    /// The value as an expression at `span`; `other` converts the parts that are not data.
    pub fn to_expr(&self, span: Span, other: &dyn Fn(&Value) -> Option<Expr>) -> Option<Expr> {
        let of = |value: &Value| value.to_expr(span, other);
        let all = |items: &[Value]| items.iter().map(of).collect::<Option<_>>();
        let kind = match self {
            Value::Null => ExprKind::Null,
            Value::Bool(value) => ExprKind::Bool(*value),
            Value::Int(value) => ExprKind::Int(value.clone()),
            Value::Float(value) => ExprKind::Float(*value),
            Value::Text(text) => ExprKind::Text(text.clone()),
            Value::Bytes(bytes) => ExprKind::Bytes(bytes.to_vec().into()),
            Value::Date(text) => ExprKind::Date(text.clone()),
            Value::Set(items) => ExprKind::Set(all(items)?),
            Value::List(items) => ExprKind::List(all(items)?),
            Value::Map(map) => {
                let pairs = map.iter().map(|(key, value)| {
                    Some(Pair { key: of(&key.to_value())?, value: of(value)? })
                });
                ExprKind::Map(pairs.collect::<Option<_>>()?)
            }
            Value::Unknown(_)
            | Value::Call(_)
            | Value::Object(_)
            | Value::Elided
            | Value::Secret(_) => return other(self),
        };
        Some(Expr::new(kind, span))
    }
}

impl From<&lossless_yaml::Value> for Value {
    fn from(value: &lossless_yaml::Value) -> Self {
        match value {
            lossless_yaml::Value::Null => Value::Null,
            lossless_yaml::Value::Bool(value) => Value::Bool(*value),
            lossless_yaml::Value::Int(value) => Value::Int(value.clone()),
            lossless_yaml::Value::Float(value) => Value::Float(*value),
            lossless_yaml::Value::Text(text) => Value::text(text.as_str()),
            lossless_yaml::Value::Bytes(bytes) => Value::Bytes(Arc::from(bytes.as_slice())),
            lossless_yaml::Value::Date(text) => Value::Date(text.as_str().into()),
            lossless_yaml::Value::List(items) => {
                Value::list(items.iter().map(Value::from).collect())
            }
            lossless_yaml::Value::Set(items) => {
                Value::Set(Arc::new(items.iter().map(Value::from).collect()))
            }
            lossless_yaml::Value::Map(pairs) => {
                // The reader rejects whatever cannot be a key.
                let pairs = pairs.iter().filter_map(|(key, value)| {
                    Some((Key::from_value(&key.into())?, Value::from(value)))
                });
                Value::Map(Arc::new(pairs.collect()))
            }
            // A list of tuples, which JSON turns into lists.
            lossless_yaml::Value::Pairs(pairs) => Value::list(
                pairs
                    .iter()
                    .map(|(key, value)| Value::list(vec![key.into(), value.into()]))
                    .collect(),
            ),
        }
    }
}

impl From<&EnvironmentNode> for Value {
    fn from(node: &EnvironmentNode) -> Self {
        match &node.value {
            EnvironmentValue::Null => Value::Null,
            EnvironmentValue::Bool(value) => Value::Bool(*value),
            EnvironmentValue::Int(value) => Value::Int(value.clone()),
            EnvironmentValue::Float(value) => Value::Float(*value),
            EnvironmentValue::Text(text) => Value::text(text.as_str()),
            EnvironmentValue::File(location) => Value::text(location.url()),
            EnvironmentValue::List(items) => Value::list(items.iter().map(Value::from).collect()),
            EnvironmentValue::Map(map) => {
                Value::map(map.iter().map(|(key, node)| (key.as_str(), Value::from(node))))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use heat_template::ir::Shared;

    #[test]
    fn values_of_environments_lose_their_places() {
        let node = |value| EnvironmentNode::new(value, Span::NOWHERE);
        let list = node(EnvironmentValue::List(vec![
            node(EnvironmentValue::Null),
            node(EnvironmentValue::Float(1.5)),
        ]));
        let map = node(EnvironmentValue::Map([("a".to_owned(), list)].into_iter().collect()));
        let expected = Value::list(vec![Value::Null, Value::Float(1.5)]);
        assert_eq!(Value::from(&map), Value::map([("a", expected)]));
    }

    #[test]
    fn functions_are_no_data() {
        let data = Expr::new(ExprKind::Bool(true), Span::NOWHERE);
        let call = Expr::new(ExprKind::Not(Shared::new(data.clone())), Span::NOWHERE);
        let list = Expr::new(ExprKind::List([data.clone(), call].into()), Span::NOWHERE);
        assert_eq!(Value::from_data_expr(&data), Some(Value::Bool(true)));
        assert_eq!(Value::from_data_expr(&list), None);
    }

    #[test]
    fn data_are_written_as_they_are_read() {
        let date = Value::Date("2012-10-10".into());
        let data = Value::map([("a", Value::list(vec![Value::Float(1.5), date, Value::Null]))]);
        let written = data.to_data_expr(Span::NOWHERE).expect("data");
        assert_eq!(Value::from_data_expr(&written), Some(data.clone()));
        assert_eq!(data.sealed(true).to_data_expr(Span::NOWHERE), None);
    }
}
