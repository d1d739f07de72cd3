//! JSON as Python reads and writes it.
//!
//! Heat's rules: `docs/heat.md#json-text`, `docs/heat.md#parameters-of-type-json`.

use std::cmp::Ordering;
use std::fmt::Write as _;

use super::number::{as_number, compare_numbers};
use super::text::decimal;
use super::{PythonException, type_name};
use crate::eval::value::{Key, Map, Value};
use lossless_yaml::{Limits, read_json};
use python_semantics::number::json_repr;
use source_diagnostics::{Diagnostic, MASK, SourceId};

/// `json.loads(text)`.
pub fn json_loads(text: &str) -> Result<Value, PythonException> {
    let of_finding =
        |finding: Box<Diagnostic>| PythonException::value_error(json_error(text, &finding));
    if text.starts_with('\u{feff}') {
        return Err(PythonException::value_error(
            "Unexpected UTF-8 BOM (decode using utf-8-sig): line 1 column 1 (char 0)",
        ));
    }
    let limits = Limits::default();
    if text.len() > limits.bytes {
        return Err(PythonException::value_error("the JSON string exceeds hotplate's limit"));
    }
    let document = read_json(SourceId(0), text.into(), &limits).map_err(of_finding)?;
    let Some(root) = document.root() else {
        return Err(PythonException::value_error("Expecting value: line 1 column 1 (char 0)"));
    };
    let value = lossless_yaml::Value::copy_of(document.data(root), &limits).map_err(of_finding)?;
    Ok(Value::from(&value))
}

/// The position of the error in the text, as Python reports it.
fn json_error(text: &str, finding: &Diagnostic) -> String {
    let at = finding.span().map_or(0, |span| span.start as usize).min(text.len());
    let before = text.get(..at).unwrap_or("");
    let line = before.matches('\n').count() + 1;
    let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
    format!("{}: line {line} column {column} (char {})", finding.message, before.chars().count())
}

/// `json.loads(json.dumps(value))`; unknown parts stay in place.
pub(crate) fn json_round_trip(value: &Value) -> Result<Value, PythonException> {
    Ok(match value {
        Value::Null | Value::Bool(_) | Value::Float(_) | Value::Text(_) | Value::Unknown(_) => {
            value.clone()
        }
        Value::Int(number) => {
            decimal(number)?;
            value.clone()
        }
        Value::List(items) => {
            Value::list(items.iter().map(json_round_trip).collect::<Result<_, _>>()?)
        }
        Value::Map(map) => {
            let mut out = Map::with_capacity(map.len());
            for (key, value) in &**map {
                out.insert(Key::Text(json_key(key)?.into()), json_round_trip(value)?);
            }
            Value::Map(out.into())
        }
        Value::Secret(inner) => json_round_trip(inner)?.sealed(true),
        Value::Bytes(_)
        | Value::Date(_)
        | Value::Set(_)
        | Value::Object(_)
        | Value::Elided
        | Value::Call(_) => {
            return Err(not_in_json(value));
        }
    })
}

/// `json.dumps(value, sort_keys=…)`; an error with Python's class and message where Python raises one. Secrets are
/// masked; a text that is computed takes a value that is opened first ([`Value::reveal`]).
pub fn json_dumps(value: &Value, sort_keys: bool) -> Result<String, PythonException> {
    let mut out = String::new();
    write_json(value, sort_keys, &mut out)?;
    Ok(out)
}

fn not_in_json(value: &Value) -> PythonException {
    PythonException::type_error(format!(
        "Object of type {} is not JSON serializable",
        type_name(value)
    ))
}

/// A key of a map as `json.dumps` writes it.
///
/// # Errors
///
/// Python refuses keys of some types.
pub fn json_key(key: &Key) -> Result<String, PythonException> {
    match &key.to_value() {
        Value::Text(text) => Ok(text.to_string()),
        Value::Null => Ok("null".to_owned()),
        Value::Bool(value) => Ok(value.to_string()),
        Value::Int(value) => decimal(value),
        Value::Float(value) => Ok(json_repr(*value).into_owned()),
        other => Err(PythonException::type_error(format!(
            "keys must be str, int, float, bool or None, not {}",
            type_name(other)
        ))),
    }
}

fn write_json(value: &Value, sort_keys: bool, out: &mut String) -> Result<(), PythonException> {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        Value::Int(value) => out.push_str(&decimal(value)?),
        Value::Float(value) => out.push_str(&json_repr(*value)),
        Value::Text(text) => write_json_text(text, out),
        Value::Secret(_) => write_json_text(MASK, out),
        Value::List(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.push_str(", ");
                }
                write_json(item, sort_keys, out)?;
            }
            out.push(']');
        }
        Value::Map(map) => {
            let mut pairs: Vec<(&Key, &Value)> = map.iter().collect();
            if sort_keys {
                sort_pairs(&mut pairs)?;
            }
            out.push('{');
            for (at, (key, value)) in pairs.into_iter().enumerate() {
                if at > 0 {
                    out.push_str(", ");
                }
                write_json_text(&json_key(key)?, out);
                out.push_str(": ");
                write_json(value, sort_keys, out)?;
            }
            out.push('}');
        }
        other => return Err(not_in_json(other)),
    }
    Ok(())
}

/// Sorts keys like Python: texts with texts, numbers with numbers; anything else is an error.
fn sort_pairs(pairs: &mut [(&Key, &Value)]) -> Result<(), PythonException> {
    let texts = pairs.iter().filter(|(key, _)| key.as_text().is_some()).count();
    if texts == pairs.len() {
        // UTF-8 sorts like the characters.
        pairs.sort_by(|(one, _), (other, _)| one.as_text().cmp(&other.as_text()));
        return Ok(());
    }
    let numbers = pairs.iter().filter(|(key, _)| as_number(&key.to_value()).is_some()).count();
    if numbers == pairs.len() {
        pairs.sort_by(|(one, _), (other, _)| {
            let order = compare_numbers(&one.to_value(), &other.to_value());
            order.flatten().unwrap_or(Ordering::Equal)
        });
        return Ok(());
    }
    if pairs.len() < 2 {
        return Ok(());
    }
    let mut names: Vec<&str> = pairs.iter().map(|(key, _)| type_name(&key.to_value())).collect();
    names.sort_unstable();
    names.dedup();
    let (one, other) = (names[0], names[names.len() - 1]);
    Err(PythonException::type_error(format!(
        "'<' not supported between instances of '{other}' and '{one}'"
    )))
}

fn write_json_text(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            ' '..='~' => out.push(c),
            c => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    // Writing to a string cannot fail.
                    let _ = write!(out, "\\u{unit:04x}");
                }
            }
        }
    }
    out.push('"');
}
