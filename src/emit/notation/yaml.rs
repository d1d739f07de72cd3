//! The template's own data as YAML.

use super::super::{Comments, Emitted, Emitter, Losses, Reads, Request, Says};
use super::Template;
use heat_template::hot::Meaning;
use lossless_yaml::Value;
use lossless_yaml::yaml::writer::{Options, write};
use source_diagnostics::Diagnostic;

/// `--target yaml`
pub(crate) struct Yaml;

/// Versions look like dates, and every Heat user writes them without quotes.
const OPTIONS: Options<'_> = Options {
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

    fn reads(&self) -> Reads {
        Reads::Text
    }

    fn says_type(&self, name: &str) -> (Option<String>, Says) {
        (Some(name.to_owned()), Says::Whole)
    }

    fn says_function(&self, _function: Meaning) -> Says {
        Says::Whole
    }

    fn emit(&self, request: &Request<'_>) -> Result<Emitted, Box<Diagnostic>> {
        let template = Template::of(request);
        let text = match template.data() {
            Some(data) => write(data, &OPTIONS)?,
            None => write(&Value::Map(Vec::new()), &OPTIONS)?,
        };
        let mut losses = Losses::default();
        Comments::new(Some(request.document)).lose(&mut losses, "the template's data");
        Ok(Emitted { losses: losses.into_sorted(), ..Emitted::whole(text) })
    }
}
