//! The report as JSON, and the schema of that JSON.

use schemars::Schema;
use schemars::generate::SchemaSettings;

use super::model::Report;

/// A report as JSON text.
pub fn to_json(report: &Report) -> serde_json::Result<String> {
    crate::report::json::to_text(report)
}

/// The JSON Schema of [`to_json`]'s output.
pub fn schema() -> Schema {
    // What is written has every key but those that say that there is no value.
    let settings = SchemaSettings::draft2020_12().for_serialize();
    settings.into_generator().into_root_schema_for::<Report>()
}
