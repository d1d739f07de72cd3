//! `heat-cfn`: Heat's own CFN-compatible formats. Heat's types stay, and so do the environment and the
//! nested templates: what is deployed is the same.

mod known;
mod layout;
mod losses;

use super::{Comments, Emitted, Emitter, Losses, Request, Says, Syntax};
use heat_template::cfn::{Spelling, raise, spelling};
use heat_template::hot::Meaning;
use source_diagnostics::Diagnostic;

/// `--target heat-cfn`
pub(crate) struct HeatCfn;

impl Emitter for HeatCfn {
    fn name(&self) -> &str {
        "heat-cfn"
    }

    fn summary(&self) -> &str {
        "Heat's own CFN-compatible format, with Heat's types"
    }

    fn syntaxes(&self) -> &[Syntax] {
        &[Syntax::Yaml, Syntax::Json]
    }

    fn says_type(&self, name: &str) -> (Option<String>, Says) {
        (Some(name.to_owned()), Says::Whole)
    }

    fn says_function(&self, function: Meaning) -> Says {
        match spelling(function) {
            Spelling::Whole(_) => Says::Whole,
            Spelling::Partly(name, why) => Says::Partly(format!("`{name}`: {why}")),
            Spelling::WhereKnown => {
                Says::Partly("its value, where it is known while rendering".to_owned())
            }
        }
    }

    fn emit(&self, request: &Request<'_>) -> Result<Emitted, Box<Diagnostic>> {
        let Some(program) = request.program else { return Ok(Emitted::default()) };
        let unit = program.root();
        let known = known::Known::new(program, unit);
        let raised = raise(&unit.stack, &known);
        let mut losses = Losses::default();
        losses::tell(&mut losses, &unit.stack, &raised.unsaid, request.options);
        let syntax = request.options.syntax.unwrap_or_default();
        let layout = layout::Layout::new(&unit.document, &raised, syntax);
        let tree = layout.template(losses.as_slice());
        let text = match syntax {
            Syntax::Yaml => tree.to_template()?,
            Syntax::Json => tree.to_json()?,
        };
        match syntax {
            Syntax::Yaml => layout.comments.lose(&mut losses, "the template"),
            Syntax::Json => Comments::new(Some(&unit.document)).lose(&mut losses, "JSON"),
        }
        Ok(Emitted { losses: losses.into_sorted(), ..Emitted::whole(text) })
    }
}

#[cfg(test)]
mod tests;
