//! The intermediate representation as JSON.

use crate::diagnostics::Places;
use crate::ir::{Stack, json};
use crate::report::json::to_text;

/// The stack as indented JSON with a final line end.
pub fn to_json(stack: &Stack, places: &mut Places<'_>) -> serde_json::Result<String> {
    to_text(&json::to_value(stack, places)?)
}
