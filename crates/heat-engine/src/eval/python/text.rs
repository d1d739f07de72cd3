//! `str` and `repr`, as Python writes values.

use source_diagnostics::MASK;
use std::fmt::Write as _;

use super::{PythonException, TOO_MANY_DIGITS, type_name};
use crate::eval::value::{Key, Value};
use python_semantics::number;
use python_semantics::number::Integer;
use python_semantics::unicode::write_repr_of_text;

/// `str(value)`: texts and dates as they are, other values as `repr`. Secrets are masked; a text that is computed takes
/// a value that is opened first ([`Value::reveal`]).
pub fn str(value: &Value) -> Result<String, PythonException> {
    match value {
        Value::Text(text) => Ok(text.to_string()),
        Value::Secret(_) => Ok(MASK.to_owned()),
        Value::Date(text) => Ok(text.replace('T', " ")),
        other => repr(other),
    }
}

/// `repr(value)`, with secrets masked.
pub(crate) fn repr(value: &Value) -> Result<String, PythonException> {
    let mut out = String::new();
    write_repr(value, &mut out)?;
    Ok(out)
}

fn write_repr(value: &Value, out: &mut String) -> Result<(), PythonException> {
    match value {
        Value::Null => out.push_str("None"),
        Value::Bool(value) => out.push_str(if *value { "True" } else { "False" }),
        Value::Int(value) => out.push_str(&decimal(value)?),
        Value::Float(value) => out.push_str(&number::repr(*value)),
        Value::Text(text) => write_repr_of_text(text, out),
        Value::Bytes(bytes) => write_repr_of_bytes(bytes, out),
        Value::Date(text) => {
            let parts: Vec<&str> = text
                .split(|c: char| !c.is_ascii_digit())
                .map(|part| match part.trim_start_matches('0') {
                    "" => "0",
                    part => part,
                })
                .collect();
            let _ = write!(out, "datetime.{}({})", type_name(value), parts.join(", "));
        }
        Value::List(items) => write_items('[', items, ']', out)?,
        Value::Set(items) if items.is_empty() => out.push_str("set()"),
        Value::Set(items) => write_items('{', items, '}', out)?,
        Value::Map(map) => {
            out.push('{');
            for (at, (key, value)) in map.iter().enumerate() {
                if at > 0 {
                    out.push_str(", ");
                }
                match key {
                    Key::Text(text) => write_repr_of_text(text, out),
                    Key::Other(key) => write_repr(key, out)?,
                }
                out.push_str(": ");
                write_repr(value, out)?;
            }
            out.push('}');
        }
        Value::Elided => out.push_str("Ellipsis"),
        Value::Object(object) => out.push_str(&object.text),
        Value::Secret(_) => write_repr(&value.masked(), out)?,
        Value::Unknown(_) | Value::Call(_) => {
            return Err(PythonException::type_error("an unknown value has no string form"));
        }
    }
    Ok(())
}

fn write_items(
    open: char,
    items: &[Value],
    close: char,
    out: &mut String,
) -> Result<(), PythonException> {
    out.push(open);
    for (at, item) in items.iter().enumerate() {
        if at > 0 {
            out.push_str(", ");
        }
        write_repr(item, out)?;
    }
    out.push(close);
    Ok(())
}

/// The first 200 characters of `repr(value)`, as Heat's messages show values.
pub fn repr_preview(value: &Value) -> String {
    repr(value).unwrap_or_default().chars().take(200).collect()
}

/// The first 200 characters of `str(value)`, as hotplate's messages show values.
pub(crate) fn str_preview(value: &Value) -> String {
    str(value).unwrap_or_default().chars().take(200).collect()
}

fn write_repr_of_bytes(bytes: &[u8], out: &mut String) {
    let quote = if bytes.contains(&b'\'') && !bytes.contains(&b'"') { '"' } else { '\'' };
    out.push('b');
    out.push(quote);
    for &byte in bytes {
        match byte {
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            b if char::from(b) == quote => out.extend(['\\', quote]),
            b' '..=b'~' => out.push(char::from(byte)),
            _ => drop(write!(out, "\\x{byte:02x}")),
        }
    }
    out.push(quote);
}

/// `str(integer)`.
pub(crate) fn decimal(value: &Integer) -> Result<String, PythonException> {
    if value.has_decimal_form() {
        Ok(value.to_string())
    } else {
        Err(PythonException::value_error(TOO_MANY_DIGITS))
    }
}
