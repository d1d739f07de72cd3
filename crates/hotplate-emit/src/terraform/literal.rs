//! Known values as Terraform literals.

use super::hcl::Hcl;
use super::scope::{ModuleScope, TypedHcl};
use heat_engine::eval::{Key, Value};
use heat_template::ir::types::TypeSet;
use python_semantics::number::Integer;

/// A known value; `None` if Terraform has no literal for it.
pub(super) fn typed_literal(scope: &ModuleScope<'_>, value: &Value) -> Option<TypedHcl> {
    Some(match value {
        Value::Text(text) => TypedHcl::text(scope.with_loop_placeholders(text)),
        Value::List(items) => {
            let items: Vec<TypedHcl> =
                items.iter().map(|item| typed_literal(scope, item)).collect::<Option<_>>()?;
            let shape = shapes(&items);
            TypedHcl::list(Hcl::List(items.into_iter().map(|item| item.hcl).collect()), shape)
        }
        Value::Map(map) => {
            let mut pairs = Vec::with_capacity(map.len());
            for (key, value) in map.iter() {
                let key = scope.with_loop_placeholders(key_text(key)?.as_str());
                pairs.push((key, typed_literal(scope, value)?.hcl));
            }
            TypedHcl::new(Hcl::Object(pairs), TypeSet::MAP)
        }
        Value::Secret(inner) => return typed_literal(scope, inner),
        other => TypedHcl::new(plain(other)?, shape(other)),
    })
}

/// A value without placeholders.
pub(super) fn plain(value: &Value) -> Option<Hcl> {
    Some(match value {
        Value::Null => Hcl::Null,
        Value::Bool(value) => Hcl::Bool(*value),
        Value::Int(number) => int(number),
        Value::Float(number) if number.is_finite() => float(*number),
        Value::Text(text) | Value::Date(text) => Hcl::text(text.as_str()),
        Value::List(items) => Hcl::List(items.iter().map(plain).collect::<Option<_>>()?),
        Value::Map(map) => {
            let pairs =
                map.iter().map(|(key, value)| Some((Hcl::Text(key_text(key)?), plain(value)?)));
            Hcl::Object(pairs.collect::<Option<_>>()?)
        }
        Value::Secret(inner) => plain(inner)?,
        Value::Float(_)
        | Value::Bytes(_)
        | Value::Set(_)
        | Value::Unknown(_)
        | Value::Call(_)
        | Value::Object(_)
        | Value::Elided => return None,
    })
}

pub(super) fn float(number: f64) -> Hcl {
    // An integral number is written without a point: Terraform treats `1.0` and `1` as the same number.
    let size = number.abs();
    Hcl::Number(match size == 0.0 || (1e-6..1e16).contains(&size) {
        true => format!("{}", if size == 0.0 { 0.0 } else { number }),
        false => format!("{number:e}"),
    })
}

/// The string that a key becomes in JSON.
fn key_text(key: &Key) -> Option<String> {
    heat_engine::eval::python::json_key(key).ok()
}

/// The types that any of the items can have.
pub(super) fn shapes<'i>(items: impl IntoIterator<Item = &'i TypedHcl>) -> TypeSet {
    items.into_iter().map(|item| item.shape).reduce(TypeSet::union).unwrap_or(TypeSet::TEXT)
}

fn shape(value: &Value) -> TypeSet {
    match value {
        Value::Null => TypeSet::NULL,
        Value::Bool(_) => TypeSet::BOOLEAN,
        Value::Int(_) | Value::Float(_) => TypeSet::NUMBER,
        Value::Text(_) | Value::Date(_) => TypeSet::TEXT,
        Value::List(_) => TypeSet::LIST,
        Value::Map(_) => TypeSet::MAP,
        _ => TypeSet::ANY,
    }
}

/// An integer. Terraform reads any number of digits; other HCL parsers do not unless there is an
/// exponent.
pub(super) fn int(number: &Integer) -> Hcl {
    let digits = number.to_string();
    let (sign, digits) = match digits.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", digits.as_str()),
    };
    if digits.len() < 19 {
        return Hcl::Number(format!("{sign}{digits}"));
    }
    let exponent = digits.len() - 1;
    let (first, rest) = digits.split_at(1);
    let rest = rest.trim_end_matches('0');
    let point = if rest.is_empty() { "" } else { "." };
    Hcl::Number(format!("{sign}{first}{point}{rest}e{exponent}"))
}
