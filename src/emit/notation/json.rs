//! The template's own data as JSON, as Heat's client sends it.

use super::super::{Comments, Emitted, Emitter, Losses, Reads, Request, Says};
use super::Template;
use heat_template::hot::Meaning;
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
        let mut text = match template.data() {
            Some(data) => json_writer::pretty(data)?,
            None => json_writer::pretty(&Value::Map(Vec::new()))?,
        };
        if !text.ends_with('\n') {
            text.push('\n');
        }
        let mut losses = Losses::default();
        Comments::new(Some(request.document)).lose(&mut losses, "the template's data");
        Ok(Emitted { losses: losses.into_sorted(), ..Emitted::whole(text) })
    }
}
