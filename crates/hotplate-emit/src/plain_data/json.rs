//! The template's data as JSON, in the form that Heat's client sends.

use super::PlainTemplate;
use crate::{Comments, EmitOutput, EmitRequest, Emitter, EmitterInput, Losses};
use lossless_yaml::{Value, json_writer};
use source_diagnostics::Diagnostic;

/// `--target json`
pub(crate) struct Json;

impl Emitter for Json {
    fn name(&self) -> &str {
        "json"
    }

    fn summary(&self) -> &str {
        "the template's data as JSON"
    }

    fn input(&self) -> EmitterInput {
        EmitterInput::Text
    }

    fn emit(&self, request: &EmitRequest<'_>) -> Result<EmitOutput, Box<Diagnostic>> {
        let template = PlainTemplate::from_request(request);
        let mut text = match template.data() {
            Some(data) => json_writer::pretty(data)?,
            None => json_writer::pretty(&Value::Map(Vec::new()))?,
        };
        if !text.ends_with('\n') {
            text.push('\n');
        }
        let mut losses = Losses::default();
        Comments::new(Some(request.document)).report_remaining(&mut losses, "the template's data");
        Ok(EmitOutput { losses: losses.into_sorted(), ..EmitOutput::single_file(text) })
    }
}
