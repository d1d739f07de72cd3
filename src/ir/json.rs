//! The form in which the model is published. The model refers to sources by number and to their parts by
//! bytes; JSON names the file and the lines, so every `span` of the model is a `place` there.

use std::io::{self, Write};

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde::Serialize;
use serde_json::{Map, Value};

use super::Stack;
use crate::diagnostics::{Place, Places, SourceId, Span};

/// How many bytes the model may take as JSON in one line, without its places: several times what the largest
/// real template takes. As values in memory, and indented, it is fifty times as large.
const LONGEST: usize = 8 << 20;

/// Whatever holds parts of the model as JSON.
///
/// # Errors
///
/// It is too large.
pub fn to_value(model: &impl Serialize, places: &mut Places<'_>) -> serde_json::Result<Value> {
    serde_json::to_writer(Measure { left: LONGEST }, model)?;
    let mut value = serde_json::to_value(model)?;
    with_places(&mut value, places)?;
    Ok(value)
}

/// Takes bytes up to a limit and forgets them.
struct Measure {
    left: usize,
}

impl Write for Measure {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.left = self.left.checked_sub(bytes.len()).ok_or_else(|| {
            let message =
                format!("the representation of the template as JSON is longer than the limit of {LONGEST} bytes");
            io::Error::other(message)
        })?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The JSON Schema of [`to_value`] of a [`Stack`].
pub fn schema() -> Schema {
    schema_of::<Stack>()
}

/// The JSON Schema of [`to_value`].
pub fn schema_of<T: JsonSchema>() -> Schema {
    // What is written always has every key; what is missing is null.
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let mut generator = settings.into_generator();
    generator.subschema_for::<Place>();
    let mut schema = generator.into_root_schema_for::<T>();
    for part in schema.ensure_object().values_mut() {
        rename(part);
    }
    if let Some(Value::Object(known)) = schema.get_mut("$defs") {
        known.remove("Span");
        known.remove("SourceId");
    }
    schema
}

/// Puts a place where the model has a span.
fn with_places(value: &mut Value, places: &mut Places<'_>) -> serde_json::Result<()> {
    match value {
        Value::Array(items) => items.iter_mut().try_for_each(|item| with_places(item, places)),
        Value::Object(fields) => {
            let mut done = Map::new();
            for (key, mut field) in std::mem::take(fields) {
                match (renamed(&key), span(&field)) {
                    (Some(key), Some(span)) => {
                        done.insert(key, serde_json::to_value(places.place(span))?);
                    }
                    (Some(key), None) if field.is_null() => {
                        done.insert(key, field);
                    }
                    _ => {
                        with_places(&mut field, places)?;
                        done.insert(key, field);
                    }
                }
            }
            *fields = done;
            Ok(())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Ok(()),
    }
}

/// A span as the model writes it.
fn span(value: &Value) -> Option<Span> {
    let fields = value.as_object().filter(|fields| fields.len() == 3)?;
    let number = |key| u32::try_from(fields.get(key)?.as_u64()?).ok();
    Some(Span { source: SourceId(number("source")?), start: number("start")?, end: number("end")? })
}

/// The name of a field of spans as one of places: `name_span` is `name_place`.
fn renamed(key: &str) -> Option<String> {
    key.strip_suffix("span").map(|start| format!("{start}place"))
}

/// The same in a schema: in the names of properties, and in references.
fn rename(schema: &mut Value) {
    match schema {
        Value::String(text) => match text.strip_suffix("/Span") {
            Some(start) => *text = format!("{start}/Place"),
            None => *text = renamed(text).unwrap_or_else(|| std::mem::take(text)),
        },
        Value::Array(items) => items.iter_mut().for_each(rename),
        Value::Object(fields) => {
            *fields = std::mem::take(fields)
                .into_iter()
                .map(|(key, mut field)| {
                    // Sentences are not names.
                    if key != "description" {
                        rename(&mut field);
                    }
                    (renamed(&key).unwrap_or(key), field)
                })
                .collect();
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
