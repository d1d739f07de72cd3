//! The template's data as YAML.

use super::PlainTemplate;
use crate::{Comments, EmitOutput, EmitRequest, Emitter, EmitterInput, Losses};
use lossless_yaml::Value;
use lossless_yaml::yaml::writer::{YamlOptions, write};
use source_diagnostics::Diagnostic;

/// `--target yaml`
pub(crate) struct Yaml;

/// Writes versions without quotes, as every Heat user does although they look like dates.
const OPTIONS: YamlOptions<'_> = YamlOptions {
    plain_dates_under: &[
        "heat_template_version",
        "HeatTemplateFormatVersion",
        "AWSTemplateFormatVersion",
    ],
};

impl Emitter for Yaml {
    fn name(&self) -> &str {
        "yaml"
    }

    fn summary(&self) -> &str {
        "the template's data as YAML"
    }

    fn input(&self) -> EmitterInput {
        EmitterInput::Text
    }

    fn emit(&self, request: &EmitRequest<'_>) -> Result<EmitOutput, Box<Diagnostic>> {
        let template = PlainTemplate::from_request(request);
        let text = match template.data() {
            Some(data) => write(data, &OPTIONS)?,
            None => write(&Value::Map(Vec::new()), &OPTIONS)?,
        };
        let mut losses = Losses::default();
        Comments::new(Some(request.document)).report_remaining(&mut losses, "the template's data");
        Ok(EmitOutput { losses: losses.into_sorted(), ..EmitOutput::single_file(text) })
    }
}
