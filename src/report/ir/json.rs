//! The intermediate representation as JSON. The model refers to sources by number and to their parts
//! by bytes; a report names the file and the lines, so every `span` of the model is a `place` here.

use schemars::Schema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

use crate::diagnostics::{SourceId, Span};
use crate::ir::Stack;
use crate::report::json;
use crate::report::{Place, Places};

/// The stack as indented JSON with a final line end.
pub fn to_json(stack: &Stack, places: &mut Places<'_>) -> serde_json::Result<String> {
    let mut model = serde_json::to_value(stack)?;
    with_places(&mut model, places)?;
    json::to_text(&model)
}

/// The JSON Schema of [`to_json`]'s output.
pub fn schema() -> Schema {
    let mut schema = crate::ir::json::schema();
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let mut place = settings.into_generator().into_root_schema_for::<Place>();
    let mut definitions = match place.remove("$defs") {
        Some(Value::Object(definitions)) => definitions,
        _ => Map::new(),
    };
    for keyword in ["$schema", "title"] {
        place.remove(keyword);
    }
    definitions.insert("Place".to_owned(), place.to_value());
    for part in schema.ensure_object().values_mut() {
        rename(part);
    }
    if let Some(Value::Object(known)) = schema.get_mut("$defs") {
        for model in ["Span", "SourceId"] {
            known.remove(model);
        }
        known.extend(definitions);
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
