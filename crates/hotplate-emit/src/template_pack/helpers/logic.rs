//! `if`, `unless` and comparisons. Like all helpers, they treat a missing field as an error, where
//! handlebars' own treat it as false.

use std::cmp::Ordering;

use handlebars::{
    Context, Handlebars, Helper as Call, HelperDef, HelperResult, JsonTruthy, Output,
    RenderContext, RenderError, RenderErrorReason, Renderable,
};

use serde_json::Value as Json;

use super::{Arguments, HelperError, HelperValue, PackHelper, plain};

pub(super) static HELPERS: &[PackHelper] = &[
    plain("eq", |arguments| Ok((arguments.value(0)? == arguments.value(1)?).into())),
    plain("ne", |arguments| Ok((arguments.value(0)? != arguments.value(1)?).into())),
    plain("gt", |arguments| Ok((compare(arguments)? == Ordering::Greater).into())),
    plain("gte", |arguments| Ok((compare(arguments)? != Ordering::Less).into())),
    plain("lt", |arguments| Ok((compare(arguments)? == Ordering::Less).into())),
    plain("lte", |arguments| Ok((compare(arguments)? != Ordering::Greater).into())),
    plain("and", |arguments| Ok(booleans(arguments)?.into_iter().all(|it| it).into())),
    plain("or", |arguments| Ok(booleans(arguments)?.into_iter().any(|it| it).into())),
    plain("not", |arguments| Ok((!arguments.value(0)?.is_truthy(false)).into())),
    plain("len", len),
];

fn booleans(arguments: &Arguments<'_, '_>) -> Result<Vec<bool>, HelperError> {
    let truth = |index| Ok(arguments.value(index)?.is_truthy(false));
    (0..arguments.len()).map(truth).collect()
}

fn compare(arguments: &Arguments<'_, '_>) -> Result<Ordering, HelperError> {
    let order = match (arguments.value(0)?, arguments.value(1)?) {
        (Json::Number(one), Json::Number(other)) => match (one.as_i64(), other.as_i64()) {
            (Some(one), Some(other)) => Some(one.cmp(&other)),
            _ => one.as_f64().zip(other.as_f64()).and_then(|(one, other)| one.partial_cmp(&other)),
        },
        (Json::String(one), Json::String(other)) => Some(one.cmp(other)),
        _ => None,
    };
    order.ok_or_else(|| "only two numbers, or two strings, can be compared".into())
}

fn len(arguments: &Arguments<'_, '_>) -> HelperValue {
    Ok(match arguments.value(0)? {
        Json::Array(items) => items.len(),
        Json::Object(map) => map.len(),
        Json::String(text) => text.chars().count(),
        Json::Null | Json::Bool(_) | Json::Number(_) => {
            return Err("argument 1 has no length".into());
        }
    }
    .into())
}

pub(super) struct IfHelper {
    pub(super) positive: bool,
}

impl HelperDef for IfHelper {
    fn call<'reg: 'rc, 'rc>(
        &self,
        call: &Call<'rc>,
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
