//! `if`, `unless` and comparisons. Like all helpers, they treat a missing field as an error, where
//! handlebars' own treat it as false.

use std::cmp::Ordering;

use handlebars::{
    Context, Handlebars, Helper as Call, HelperDef, HelperResult, JsonTruthy, Output,
    RenderContext, RenderError, RenderErrorReason, Renderable,
};

use serde_json::Value as Json;

use super::{Arguments, HelperError, HelperFunction, HelperValue, PackHelper};

pub(super) static HELPERS: &[PackHelper] = &[
    PackHelper {
        name: "eq",
        usage: "eq A B",
        what: "Whether two values are equal.",
        run: HelperFunction::Plain(|arguments| {
            Ok((arguments.value(0)? == arguments.value(1)?).into())
        }),
    },
    PackHelper {
        name: "ne",
        usage: "ne A B",
        what: "Whether two values differ.",
        run: HelperFunction::Plain(|arguments| {
            Ok((arguments.value(0)? != arguments.value(1)?).into())
        }),
    },
    PackHelper {
        name: "gt",
        usage: "gt A B",
        what: "Whether a number or string is greater than another.",
        run: HelperFunction::Plain(|arguments| {
            Ok((compare(arguments)? == Ordering::Greater).into())
        }),
    },
    PackHelper {
        name: "gte",
        usage: "gte A B",
        what: "Greater, or equal.",
        run: HelperFunction::Plain(|arguments| Ok((compare(arguments)? != Ordering::Less).into())),
    },
    PackHelper {
        name: "lt",
        usage: "lt A B",
        what: "Less.",
        run: HelperFunction::Plain(|arguments| Ok((compare(arguments)? == Ordering::Less).into())),
    },
    PackHelper {
        name: "lte",
        usage: "lte A B",
        what: "Less, or equal.",
        run: HelperFunction::Plain(|arguments| {
            Ok((compare(arguments)? != Ordering::Greater).into())
        }),
    },
    PackHelper {
        name: "and",
        usage: "and A B …",
        what: "Whether all values are true; false, 0, `null` and empty values are not.",
        run: HelperFunction::Plain(|arguments| {
            Ok(booleans(arguments)?.into_iter().all(|it| it).into())
        }),
    },
    PackHelper {
        name: "or",
        usage: "or A B …",
        what: "Whether any holds.",
        run: HelperFunction::Plain(|arguments| {
            Ok(booleans(arguments)?.into_iter().any(|it| it).into())
        }),
    },
    PackHelper {
        name: "not",
        usage: "not A",
        what: "Whether a value is not true.",
        run: HelperFunction::Plain(|arguments| Ok((!arguments.value(0)?.is_truthy(false)).into())),
    },
    PackHelper {
        name: "len",
        usage: "len A",
        what: "The number of items, pairs or characters.",
        run: HelperFunction::Plain(len),
    },
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
