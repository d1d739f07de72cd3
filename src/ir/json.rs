//! The stack as JSON, and the JSON Schema of that form.

use schemars::Schema;
use schemars::generate::SchemaSettings;

use super::Stack;

/// The stack as pretty-printed JSON with a final line end.
pub fn to_json(stack: &Stack) -> String {
    let mut text = serde_json::to_string_pretty(stack).unwrap_or_default();
    text.push('\n');
    text
}

/// The JSON Schema of [`to_json`]'s output.
pub fn schema() -> Schema {
    // What is written always has every key; what is missing is null.
    let settings = SchemaSettings::draft2020_12().for_serialize();
    settings.into_generator().into_root_schema_for::<Stack>()
}
