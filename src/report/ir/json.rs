//! The intermediate representation as JSON.

use crate::report::escape;
use heat_template::ir::Stack;
use heat_template::ir::json::{JsonBudget, to_text};
use source_diagnostics::SourceLocator;

/// The stack as indented JSON with a final line end. `max_nodes` is the maximum number of nodes of its file.
///
/// # Errors
///
/// The text is longer than that limit allows.
pub fn to_json(
    stack: &Stack,
    places: &mut SourceLocator<'_>,
    max_nodes: usize,
) -> serde_json::Result<String> {
    Ok(escape::json(to_text(stack, places, JsonBudget::new(max_nodes))?))
}
