//! The published JSON form of the model. The model refers to sources by number and to their parts by
//! byte offsets; JSON contains the file and the lines, so every `span` of the model is a `place` there.

use std::io::{self, Write};

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde::Serialize;
use serde::ser::Error as _;
use serde_json::{Map, Value};

use super::Stack;
use source_diagnostics::{SourceId, SourceLocator, SourceRange, Span};

/// The limit in bytes on compact JSON without places, per node that a file may have:
/// several times the size of the largest real templates. In memory, JSON values take thirty times as much.
const JSON_BYTES_PER_NODE: usize = 4;
/// The factor by which indentation and places may lengthen the text.
const INDENTED_FACTOR: usize = 8;

/// The budget for all JSON output of models together.
#[derive(Clone, Copy, Debug)]
pub struct JsonBudget {
    limit: usize,
    left: usize,
}

impl JsonBudget {
    /// A budget in proportion to `max_nodes`, the limit on the nodes of a file.
    pub fn new(max_nodes: usize) -> Self {
        let limit = max_nodes.saturating_mul(JSON_BYTES_PER_NODE);
        JsonBudget { limit, left: limit }
    }

    /// Reserves the size of this many copies of a model.
    fn reserve(&mut self, model: &impl Serialize, copies: usize) -> serde_json::Result<()> {
        let limit = self.limit;
        let mut bounded = LimitedWriter { out: io::sink(), left: self.left / copies.max(1), limit };
        let before = bounded.left;
        serde_json::to_writer(&mut bounded, model)?;
        self.left -= (before - bounded.left) * copies;
        Ok(())
    }
}

/// Converts a value that contains parts of the model to JSON, of which this many copies will be made.
///
/// # Errors
///
/// The budget is exhausted.
pub fn to_value(
    model: &impl Serialize,
    places: &mut SourceLocator<'_>,
    room: &mut JsonBudget,
    copies: usize,
) -> serde_json::Result<Value> {
    room.reserve(model, copies)?;
    let mut value = serde_json::to_value(model)?;
    with_places(&mut value, places)?;
    Ok(value)
}

/// A model as indented text with a final line end.
///
/// # Errors
///
/// The budget is exhausted.
pub fn to_text(
    model: &impl Serialize,
    places: &mut SourceLocator<'_>,
    mut room: JsonBudget,
) -> serde_json::Result<String> {
    let value = to_value(model, places, &mut room, 1)?;
    let left = room.limit.saturating_mul(INDENTED_FACTOR);
    let mut bounded = LimitedWriter { out: Vec::new(), left, limit: left };
    serde_json::to_writer_pretty(&mut bounded, &value)?;
    let mut text = String::from_utf8(bounded.out).map_err(serde_json::Error::custom)?;
    text.push('\n');
    Ok(text)
}

/// A writer that fails beyond a limit.
struct LimitedWriter<W> {
    out: W,
    left: usize,
    limit: usize,
}

impl<W: Write> Write for LimitedWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.left = self.left.checked_sub(bytes.len()).ok_or_else(|| {
            io::Error::other(format!(
                "the JSON output is longer than {} bytes; `--max-nodes` raises this limit",
                self.limit
            ))
        })?;
        self.out.write_all(bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// The JSON Schema of [`to_value`] of a [`Stack`].
pub fn schema() -> Schema {
    schema_of::<Stack>()
}

/// The JSON Schema of [`to_value`].
pub fn schema_of<T: JsonSchema>() -> Schema {
    // The output always contains every key; a missing value is null.
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let mut generator = settings.into_generator();
    generator.subschema_for::<SourceRange>();
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

/// Replaces each span of the model with a place.
fn with_places(value: &mut Value, places: &mut SourceLocator<'_>) -> serde_json::Result<()> {
    match value {
        Value::Array(items) => items.iter_mut().try_for_each(|item| with_places(item, places)),
        Value::Object(fields) => {
            let mut done = Map::new();
            for (key, mut field) in std::mem::take(fields) {
                match (renamed(&key), span(&field)) {
                    (Some(key), Some(span)) => {
                        done.insert(key, serde_json::to_value(places.locate(span))?);
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

/// The name of a span field in JSON: `name_span` becomes `name_place`.
fn renamed(key: &str) -> Option<String> {
    key.strip_suffix("span").map(|start| format!("{start}place"))
}

/// The same renaming in a schema: in the names of properties, and in references.
fn rename(schema: &mut Value) {
    match schema {
        Value::String(text) => match text.strip_suffix("/Span") {
            Some(start) => *text = format!("{start}/SourceRange"),
            None => *text = renamed(text).unwrap_or_else(|| std::mem::take(text)),
        },
        Value::Array(items) => items.iter_mut().for_each(rename),
        Value::Object(fields) => {
            *fields = std::mem::take(fields)
                .into_iter()
                .map(|(key, mut field)| {
                    // Descriptions are not renamed.
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
