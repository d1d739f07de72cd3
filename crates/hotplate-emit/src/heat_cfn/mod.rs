//! `heat-cfn`: Heat's own CFN-compatible formats. Heat's resource types, the environment and the
//! nested templates stay the same, and so does the deployed stack.

mod known_values;
mod layout;
mod losses;

use super::{Comments, EmitOutput, EmitRequest, Emitter, Losses, OutputSyntax, TargetSupport};
use heat_template::cfn::{FunctionSupport, function_support, raise};
use heat_template::hot::FunctionMeaning;
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

    fn type_support(&self, name: &str) -> (Option<String>, TargetSupport) {
        (Some(name.to_owned()), TargetSupport::Full)
    }

    fn function_support(&self, function: FunctionMeaning) -> TargetSupport {
        match function_support(function) {
            FunctionSupport::Exact(_) => TargetSupport::Full,
            FunctionSupport::Approximate(name, why) => {
                TargetSupport::Partial(format!("`{name}`: {why}"))
            }
            FunctionSupport::IfKnown => {
                TargetSupport::Partial("its value, if it is known while rendering".to_owned())
            }
        }
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
