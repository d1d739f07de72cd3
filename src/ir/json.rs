//! The form in which the model is serialized.

use schemars::Schema;
use schemars::generate::SchemaSettings;

use super::Stack;

/// The JSON Schema of a serialized [`Stack`].
pub fn schema() -> Schema {
    // What is written always has every key; what is missing is null.
    let settings = SchemaSettings::draft2020_12().for_serialize();
    settings.into_generator().into_root_schema_for::<Stack>()
}
