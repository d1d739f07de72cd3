//! The template's own data as JSON, as Heat's client sends it.

use super::{Emitted, Emitter, Template};
use crate::diagnostics::Diagnostic;
use crate::source::{Value, json_writer};

/// `--target json`
pub(super) struct Json;

impl Emitter for Json {
    fn name(&self) -> &'static str {
        "json"
    }

    fn summary(&self) -> &'static str {
        "the template's data as JSON"
    }

    fn emit(&self, template: Template<'_>) -> Result<Emitted, Box<Diagnostic>> {
        let mut text = match template.data() {
            Some(data) => json_writer::pretty(data)?,
            None => json_writer::pretty(&Value::Map(Vec::new()))?,
        };
        if !text.ends_with('\n') {
            text.push('\n');
        }
        Ok(Emitted::whole(text))
    }
}
