//! Import IDs of the provider, derived from Heat's physical IDs.

use crate::kit::is_uuid;
use crate::openstack_provider::model::{Argument, AttributeStep, ProviderObject};
use heat_engine::eval::deployment::Deployed;
use heat_engine::eval::{PartialEvaluator, Value};
use heat_template::ir::{Expr, ExprKind};
use saved_stack::SavedStack;

/// The data that import IDs are built from.
pub(super) struct ImportContext<'a> {
    /// The saved resources of the same stack.
    pub(super) saved: &'a SavedStack,
    /// The evaluation of the stack, for values of parameters; `None` if it is unknown.
    pub(super) deployed: Option<&'a Deployed>,
    pub(super) folding: &'a PartialEvaluator<'a>,
}

/// Fills the placeholders of an import ID. `{id}` is the physical ID; `{id:last}` the part after its last
/// slash; `{id:KEY}` the part after `KEY=`, if the ID consists of such pairs; `{argument}` the value of
/// an argument of the object, or nothing if the placeholder ends with `?` and there is no value.
pub(super) fn import_id(
    form: &str,
    id: &str,
    object: &ProviderObject,
    known: &ImportContext<'_>,
) -> Option<String> {
    let mut out = String::new();
    let mut rest = form;
    while let Some(start) = rest.find('{') {
        let (before, after) = rest.split_at(start);
        let (place, behind) = after[1..].split_once('}')?;
        out.push_str(before);
        out.push_str(&self::import_id_part(place, id, object, known)?);
        rest = behind;
    }
    out.push_str(rest);
    (!out.is_empty()).then_some(out)
}

fn import_id_part(
    place: &str,
    id: &str,
    object: &ProviderObject,
    known: &ImportContext<'_>,
) -> Option<String> {
    match place.split_once(':') {
        Some(("id", "last")) => {
            return id.rsplit('/').next().filter(|id| !id.is_empty()).map(str::to_owned);
        }
        Some(("id", key)) => {
            if !id.contains('=') {
                return (!id.is_empty()).then(|| id.to_owned());
            }
            let (_, value) = id.split_once(&format!("{key}="))?;
            return Some(value.to_owned());
        }
        Some(_) | None => {}
    }
    if place == "id" {
        return (!id.is_empty()).then(|| id.to_owned());
    }
    let (name, may_be_missing) = match place.strip_suffix('?') {
        Some(name) => (name, true),
        None => (place, false),
    };
    match object.arguments.iter().find(|(there, _)| there == name) {
        Some((_, value)) => value_of(value, known),
        None => may_be_missing.then(String::new),
    }
}

/// The value of an argument, if it is known; an attribute that is an ID has the saved ID.
pub(super) fn value_of(argument: &Argument, known: &ImportContext<'_>) -> Option<String> {
    match argument {
        Argument::Text(text) => Some(text.clone()),
        Argument::Number(number) => Some(number.to_string()),
        Argument::Attribute { object, path } => {
            let is_id = matches!(path.as_slice(), [AttributeStep::Key(key)] if key == "id" || key == "address");
            (is_id && object.index == 0).then(|| saved_id(&object.resource, known))?
        }
        Argument::Expr(expr, _) => value_of_expr(expr, known),
        Argument::NameOrId { value, .. } => {
            let value = value_of(value, known)?;
            is_uuid(&value).then_some(value)
        }
        _ => None,
    }
}

fn value_of_expr(expr: &Expr, known: &ImportContext<'_>) -> Option<String> {
    if let ExprKind::Resource(name) = &expr.kind {
        return saved_id(name.as_text()?, known);
    }
    if let Some(value) = known.folding.constant(expr) {
        return text_of(&value);
    }
    let ExprKind::Parameter(reference) = &expr.kind else { return None };
    if !reference.path.is_empty() {
        return None;
    }
    let parameters = &known.deployed?.evaluation.parameters;
    let value = parameters.get(reference.name.as_text()?)?.as_ref().ok()?;
    (!value.holds_secret()).then(|| text_of(value))?
}

fn text_of(value: &Value) -> Option<String> {
    match value.reveal().0 {
        Value::Text(text) => Some(text.to_string()),
        Value::Int(number) => Some(number.to_string()),
        _ => None,
    }
}

fn saved_id(resource: &str, known: &ImportContext<'_>) -> Option<String> {
    let id = &known.saved.resources.get(resource)?.id;
    (!id.is_empty()).then(|| id.clone())
}
