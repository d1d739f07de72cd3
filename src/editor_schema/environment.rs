//! The JSON Schema of environments.

use serde_json::{Map, Value, json};

use super::DRAFT;
use heat_engine::environment::sections;

/// The JSON Schema of an environment.
pub fn environment_schema() -> Value {
    let mut properties = Map::new();
    for name in sections::names() {
        let kind = match name {
            sections::ENCRYPTED | sections::SINKS => json!(["array", "null"]),
            _ => json!(["object", "null"]),
        };
        properties.insert(name.to_owned(), json!({ "type": kind }));
    }
    json!({
        "$schema": DRAFT,
        "title": "Environment of Heat",
        "type": ["object", "null"],
        "properties": properties,
        "additionalProperties": false,
    })
}
