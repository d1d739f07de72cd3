//! The template's own data as YAML.

use super::{Emitted, Emitter, Template};
use crate::diagnostics::Diagnostic;
use crate::source::Value;
use crate::source::yaml::writer::{Options, write};

/// `--target yaml`
pub(super) struct Yaml;

/// Versions look like dates, and every Heat user writes them without quotes.
const OPTIONS: Options<'_> = Options {
    plain_dates_under: &[
        "heat_template_version",
        "HeatTemplateFormatVersion",
        "AWSTemplateFormatVersion",
    ],
};

impl Emitter for Yaml {
    fn name(&self) -> &'static str {
        "yaml"
    }

    fn summary(&self) -> &'static str {
        "the template's data as YAML"
    }

    fn emit(&self, template: Template<'_>) -> Result<Emitted, Box<Diagnostic>> {
        let text = match template.data() {
            Some(data) => write(data, &OPTIONS)?,
            None => write(&Value::Map(Vec::new()), &OPTIONS)?,
        };
        Ok(Emitted::whole(text))
    }
}
