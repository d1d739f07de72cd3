//! Helpers that render expressions of the intermediate representation.

use handlebars::Handlebars;
use serde_json::{Map, Value as Json};

use super::quote::literal;
use super::target::map;
use super::{Arguments, HelperError, HelperValue, PackHelper, stateful};
use crate::template_pack::context::type_row;
use crate::template_pack::data::{data_of, hot, json_of, short};
use crate::template_pack::state::RenderState;
use crate::{Loss, LossKind};
use heat_template::hot::{Version, raise_expr};
use heat_template::ir::{Expr, ExprKind};

/// The folder with the templates of expressions, one for each kind.
pub(in crate::template_pack) const FOLDER: &str = "expressions/";
/// The template that is rendered in place of an expression that the target cannot express.
pub(in crate::template_pack) const LOST: &str = "expressions/lost";

pub(super) static HELPERS: &[PackHelper] = &[
    stateful("expr", expr),
    stateful("constant", |state, arguments, _| {
        let value = expression(arguments.value(0)?)?;
        Ok(constant(state, value).unwrap_or(Json::Null))
    }),
    stateful("hot", |state, arguments, _| {
        let value = expression(arguments.value(0)?)?;
        if let Some(text) = value.get("value").and_then(Json::as_str)
            && value.get("kind").and_then(Json::as_str) == Some("text")
        {
            return Ok(text.into());
        }
        Ok(match (state.find(value), data_of(value)) {
            (Some((_, found)), _) => hot(found),
            (None, Some(data)) => literal(&data, crate::template_pack::manifest::Literals::Yaml)?,
            (None, None) => {
                return Err("the expression is not part of a template of the deployment".into());
            }
        }
        .into())
    }),
    stateful("words", |state, arguments, _| {
        let value = expression(arguments.value(0)?)?;
        Ok(match (state.find(value), data_of(value)) {
            (Some((_, found)), _) => short(found),
            (None, Some(Json::String(text))) => text,
            (None, Some(data)) => literal(&data, crate::template_pack::manifest::Literals::Yaml)?,
            (None, None) => {
                return Err("the expression is not part of a template of the deployment".into());
            }
        }
        .into())
    }),
];

/// Whether the fields are those of an expression.
fn is_expression(fields: &Map<String, Json>) -> bool {
    fields.get("kind").is_some_and(Json::is_string) && fields.contains_key("place")
}

/// Returns a value of the context that must be an expression.
fn expression(value: &Json) -> Result<&Json, HelperError> {
    match value.as_object().is_some_and(is_expression) {
        true => Ok(value),
        false => Err("the argument is not an expression".into()),
    }
}

fn expr(
    state: &RenderState<'_>,
    arguments: &Arguments<'_, '_>,
    registry: &Handlebars<'_>,
) -> HelperValue {
    let expression = expression(arguments.value(0)?)?;
    let kind = expression.get("kind").and_then(Json::as_str).unwrap_or_default();
    let value = expression.get("value").cloned().unwrap_or(Json::Null);
    let place = expression.get("place").cloned().unwrap_or(Json::Null);
    let found = state.find(expression);
    let expressed = format!("{FOLDER}{kind}");
    let cannot = found.and_then(|(unit, found)| no_counterpart(state, unit, found));
    if registry.has_template(&expressed) && cannot.is_none() {
        let mut context = match value {
            Json::Object(fields) if !is_expression(&fields) => fields,
            other => map([("value", other)]),
        };
        context.insert("kind".to_owned(), kind.into());
        context.insert("place".to_owned(), place);
        if kind == "attribute" {
            let to = found.and_then(|(unit, found)| counterpart(state, unit, found));
            context.insert("mapped".to_owned(), to.unwrap_or(Json::Null));
        }
        match found.map(|(unit, found)| (unit, &found.kind)) {
            Some((unit, ExprKind::Parameter(parameter))) => {
                let name = parameter.name.as_text();
                let declared = name.is_some_and(|name| unit.stack.parameters.contains_key(name));
                context.insert("is_declared".to_owned(), declared.into());
            }
            Some((unit, ExprKind::Resource(name))) => {
                context.insert("made_by".to_owned(), made_by(unit, name));
            }
            Some((unit, ExprKind::Attribute(attribute))) => {
                context.insert("made_by".to_owned(), made_by(unit, &attribute.resource));
            }
            Some(_) | None => {}
        }
        for (name, value) in arguments.all_named()? {
            context.insert(name.to_owned(), value.clone());
        }
        return state.render(registry, &expressed, Json::Object(context)).map(Json::from);
    }
    let known = data_of(expression).or_else(|| constant(state, expression));
    if let Some(data) = known {
        return Ok(literal(&data, state.target.manifest.literals)?.into());
    }
    let Some((_, found)) = found else {
        return Err("the expression is not part of a template of the deployment".into());
    };
    let snippet = state.model.snippet(found.span).map_or_else(|| hot(found), str::to_owned);
    let function = function_name(found).unwrap_or_else(|| kind.to_owned());
    state.lose(cannot.unwrap_or_else(|| {
        let target = &state.target.manifest.name;
        let message = format!("{target} cannot express `{function}`");
        let loss = Loss::new(LossKind::Function, function.as_str(), message, found.span);
        loss.suggesting("pass the parameters that it depends on to `--bake`")
    }));
    if !registry.has_template(LOST) {
        return Err(format!("the folder has neither `{expressed}.hbs` nor `{LOST}.hbs`").into());
    }
    let context = map([
        ("function", function.into()),
        ("kind", kind.into()),
        ("written", snippet.into()),
        ("place", place),
    ]);
    state.render(registry, LOST, Json::Object(context)).map(Json::from)
}

fn constant(state: &RenderState<'_>, expression: &Json) -> Option<Json> {
    if let Some(data) = data_of(expression) {
        return Some(data);
    }
    let (unit, found) = state.find(expression)?;
    state.model.evaluator(unit).constant(found).map(|value| json_of(&value))
}

/// How a resource is implemented: `type`, `template`, `group` or `unknown`; null if it does not exist.
fn made_by(unit: &crate::Module, name: &Expr) -> Json {
    use crate::ResourceImplementation;
    let made_by = name.as_text().and_then(|name| unit.implementations.get(name));
    made_by.map_or(Json::Null, |made_by| {
        let by = match made_by {
            ResourceImplementation::ResourceType(_) => "type",
            ResourceImplementation::Template(_) => "template",
            ResourceImplementation::Group { .. } => "group",
            ResourceImplementation::Unknown(_) => "unknown",
        };
        by.into()
    })
}

/// The counterpart of an attribute in the table.
fn counterpart(state: &RenderState<'_>, unit: &crate::Module, found: &Expr) -> Option<Json> {
    let ExprKind::Attribute(attribute) = &found.kind else { return None };
    let made_by = unit.implementations.get(attribute.resource.as_text()?)?;
    let row = type_row(state.target, made_by)??;
    let row = row.attributes.get(attribute.attribute.as_ref()?.as_text()?)?;
    serde_json::to_value(row).ok()
}

/// The loss of a reference or an attribute without a counterpart in the target's table.
fn no_counterpart(state: &RenderState<'_>, unit: &crate::Module, found: &Expr) -> Option<Loss> {
    let target = &state.target.manifest.name;
    let resource = match &found.kind {
        ExprKind::Resource(name) => name.as_text()?,
        ExprKind::Attribute(attribute) => attribute.resource.as_text()?,
        _ => return None,
    };
    let made_by = unit.implementations.get(resource)?;
    if matches!(made_by, crate::ResourceImplementation::Template(_)) {
        return None;
    }
    let row = type_row(state.target, made_by)?;
    let lost = |kind, subject: &str, message: String| {
        Some(Loss::new(kind, subject, message, found.span).with_owner(resource))
    };
    let there = row.filter(|row| row.to.is_some() || row.rule.is_some());
    let Some(row) = there else {
        let message = format!("`{resource}` has no counterpart in the result");
        return lost(LossKind::Attribute, "reference", message);
    };
    let ExprKind::Attribute(attribute) = &found.kind else { return None };
    let name = attribute.attribute.as_ref().and_then(Expr::as_text).unwrap_or("*");
    match row.attributes.get(name) {
        Some(row) if row.to.is_some() || row.rule.is_some() => None,
        Some(row) => {
            let why = row.note.as_deref().map_or(String::new(), |note| format!(": {note}"));
            let message = format!("{target} has no counterpart for the attribute `{name}`{why}");
            lost(LossKind::Attribute, name, message)
        }
        None => {
            let message =
                format!("the mapping table of {target} has no row for the attribute `{name}`");
            lost(LossKind::Attribute, name, message)
        }
    }
}

/// The name in HOT of the outermost function.
fn function_name(found: &Expr) -> Option<String> {
    let (spelled, _) = raise_expr(found, Version::LATEST);
    match spelled {
        lossless_yaml::Value::Map(pairs) => match pairs.into_iter().next() {
            Some((lossless_yaml::Value::Text(name), _)) => Some(name),
            _ => None,
        },
        _ => None,
    }
}
