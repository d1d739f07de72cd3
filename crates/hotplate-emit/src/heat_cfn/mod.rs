//! `heat-cfn`: Heat's own CFN-compatible formats. Heat's resource types, the environment and the
//! nested templates stay the same, and so does the deployed stack.

mod known_values;
mod layout;
mod losses;

use super::{Comments, EmitOutput, EmitRequest, Emitter, Losses, OutputSyntax};
use heat_template::cfn::raise;
use source_diagnostics::Diagnostic;

/// `--target heat-cfn`
pub(crate) struct HeatCfn;

impl Emitter for HeatCfn {
    fn name(&self) -> &str {
        "heat-cfn"
    }

    fn summary(&self) -> &str {
        "Heat's own CFN-compatible format, with Heat's resource types"
    }

    fn syntaxes(&self) -> &[OutputSyntax] {
        &[OutputSyntax::Yaml, OutputSyntax::Json]
    }

    fn emit(&self, request: &EmitRequest<'_>) -> Result<EmitOutput, Box<Diagnostic>> {
        let Some(model) = request.model else { return Ok(EmitOutput::default()) };
        let unit = model.root();
        let known = known_values::ModelValues::new(model, unit);
        let raised = raise(&unit.stack, &known);
        let mut losses = Losses::default();
        losses::report_losses(&mut losses, &unit.stack, &raised.unsupported, request.options);
        let syntax = request.options.syntax.unwrap_or_default();
        let layout = layout::TemplateLayout::new(unit, &raised, syntax);
        let tree = layout.template(losses.as_slice());
        let text = match syntax {
            OutputSyntax::Yaml => tree.to_template()?,
            OutputSyntax::Json => tree.to_json()?,
        };
        match syntax {
            OutputSyntax::Yaml => layout.comments.report_remaining(&mut losses, "the template"),
            OutputSyntax::Json => {
                Comments::new(Some(&unit.document)).report_remaining(&mut losses, "JSON")
            }
        }
        Ok(EmitOutput { losses: losses.into_sorted(), ..EmitOutput::single_file(text) })
    }
}

#[cfg(test)]
mod tests;
