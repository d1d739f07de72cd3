//! Renders a deployment again with parameters fixed at their present values, where the structure of the result depends
//! on them and the target has no conditions and loops for that.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::coverage::Coverage;
use super::render_model::{RenderModelInput, blocks_rendering};
use super::{EmitOptions, EmitOutput, EmitRequest, Emitter, Loss, LossKind, RenderModel, emit};
use heat_engine::eval::BoundParameters;
use heat_engine::eval::deployment::Deployed;
use source_diagnostics::{Diagnostic, Span};

/// The needs of the rendering of a deployment.
#[expect(missing_debug_implementations, reason = "it holds a function")]
pub struct DeploymentRendering<'a> {
    /// The model; its `partial_deployment` is replaced.
    pub model: RenderModelInput<'a>,
    /// The options of the run.
    pub options: &'a EmitOptions,
    /// The parameters that are never fixed, since their values are not written.
    pub hidden: &'a BTreeSet<String>,
    /// Evaluates the deployment with only some parameters known.
    pub deploy: &'a dyn Fn(&BoundParameters) -> Deployed,
}

/// The result of a rendering.
#[derive(Debug, Default)]
pub struct RenderedDeployment {
    /// The findings of the model.
    pub findings: Vec<Diagnostic>,
    /// The target's result; `None` if the deployment cannot be rendered.
    pub answer: Option<Result<EmitOutput, Box<Diagnostic>>>,
    /// How much was rendered.
    pub coverage: Option<Coverage>,
}

impl DeploymentRendering<'_> {
    /// Renders the deployment, as often as the target wants more values. If it is refused already, only the model is made,
    /// for its findings.
    pub fn render(&self, emitter: &dyn Emitter, is_refused: bool) -> RenderedDeployment {
        let mut fixed = self.model.bound_parameters.clone();
        let mut notes = Vec::new();
        loop {
            let deployed = (self.deploy)(&fixed);
            let model = RenderModel::new(RenderModelInput {
                bound_parameters: &fixed,
                partial_deployment: &deployed,
                ..self.model.clone()
            });
            let findings = model.findings.clone();
            if is_refused || findings.iter().any(blocks_rendering) {
                return RenderedDeployment { findings, answer: None, coverage: None };
            }
            let document = Arc::clone(&self.model.document);
            let request = EmitRequest {
                schema: model.schema(),
                document: &document,
                model: Some(&model),
                options: self.options,
            };
            let mut answer = emit(emitter, &request);
            let mut coverage = None;
            if let Ok(emitted) = &mut answer {
                let more = self.fixable_parameters(emitted, &fixed, &model);
                if !more.is_empty() {
                    notes.extend(more.iter().map(|name| fixed_value_note(name, &model)));
                    fixed = fixed.and(more);
                    continue;
                }
                emitted.losses.splice(0..0, model.losses.iter().chain(&notes).cloned());
                coverage = Some(Coverage::measure(&model, emitter, &emitted.losses));
            }
            return RenderedDeployment { findings, answer: Some(answer), coverage };
        }
    }

    /// The parameters whose present values the target wants, and which may be fixed.
    fn fixable_parameters(
        &self,
        emitted: &EmitOutput,
        fixed: &BoundParameters,
        model: &RenderModel<'_>,
    ) -> BTreeSet<String> {
        let values = &model.full_deployment.evaluation.parameters;
        let is_known = |name: &String| match values.get(name) {
            Some(Ok(value)) => !value.holds_unknown() && !value.holds_secret(),
            Some(Err(_)) | None => false,
        };
        let wanted = emitted.wanted_values.iter();
        let wanted = wanted.filter(|name| model.root().stack.parameters.contains_key(*name));
        let open = wanted.filter(|name| !fixed.contains(name) && !self.hidden.contains(*name));
        open.filter(|name| is_known(name)).cloned().collect()
    }
}

/// Reports a parameter that is fixed although the user did not list it.
fn fixed_value_note(name: &str, model: &RenderModel<'_>) -> Loss {
    let place = model.root().stack.parameters.get(name);
    let span = place.map_or(Span::NOWHERE, |parameter| parameter.name_span);
    let message = format!(
        "`{name}` is fixed at its present value, on which the structure of the result depends"
    );
    Loss::new(LossKind::Section, "parameters", message, span)
        .with_owner(name)
        .suggesting("render again with another value")
        .as_note()
}
