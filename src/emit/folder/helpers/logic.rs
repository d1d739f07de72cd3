//! `if` and `unless` that take a field which is not there for an error, as all else does.

use handlebars::{
    Context, Handlebars, Helper, HelperDef, HelperResult, JsonTruthy, Output, RenderContext,
    RenderError, RenderErrorReason, Renderable,
};

pub(super) struct If {
    pub(super) positive: bool,
}

impl HelperDef for If {
    fn call<'reg: 'rc, 'rc>(
        &self,
        call: &Helper<'rc>,
        registry: &'reg Handlebars<'reg>,
        context: &'rc Context,
        render: &mut RenderContext<'reg, 'rc>,
        out: &mut dyn Output,
    ) -> HelperResult {
        let name = if self.positive { "if" } else { "unless" };
        let param = call.param(0).ok_or(RenderErrorReason::ParamNotFoundForIndex(name, 0))?;
        if param.is_value_missing() {
            return Err(RenderError::strict_error(param.relative_path()));
        }
        let zero = call.hash_get("includeZero").and_then(|value| value.value().as_bool());
        let holds = param.value().is_truthy(zero.unwrap_or(false)) == self.positive;
        match if holds { call.template() } else { call.inverse() } {
            Some(template) => template.render(registry, context, render, out),
            None => Ok(()),
        }
    }
}
