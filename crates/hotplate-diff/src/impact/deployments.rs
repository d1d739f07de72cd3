//! Software deployments that request their replacement during an update.
//!
//! Source: `SoftwareDeployment.handle_update`, Heat 27.0.1: an input of the new config that has
//! `replace_on_change` and was an input before must keep its value. Heat's preview of an update does not
//! check this.
//!
//! Heat's rule: `docs/heat.md#plugins-that-replace-during-an-update`.

use super::definition::ResourceDefinition;
use super::plugins::{PropertyView, RuleOutcome};
use crate::comparison::Impact;
use crate::update_rules::UpdateRule;
use crate::values::{Ternary, same};
use heat_engine::eval::typed_properties::TypedProperties;
use heat_engine::eval::{Map, Value};
use heat_template::ir::ExprKind;

/// The effect of changed input values, if the config of both sides is in the template.
pub(super) fn changed_inputs(
    old: (&ResourceDefinition<'_>, &PropertyView),
    new: (&ResourceDefinition<'_>, &PropertyView),
) -> Option<RuleOutcome> {
    let (old_inputs, new_inputs) = (inputs(old.0)?, inputs(new.0)?);
    let mut found: Option<(Ternary, String)> = None;
    for input in new_inputs.iter().filter_map(as_map) {
        let replaces = input.get("replace_on_change").map(Value::unsealed);
        let (Some(Value::Bool(true)), Some(name)) = (replaces, name(input)) else { continue };
        let mut before = old_inputs.iter().filter_map(as_map);
        let Some(before) = before.find(|it| self::name(it) == Some(name)) else { continue };
        match same(&value(old.1, before, name), &value(new.1, input, name)) {
            Ternary::Yes => {}
            Ternary::No => {
                found = Some((Ternary::No, name.to_owned()));
                break;
            }
            Ternary::Unknown => {
                found.get_or_insert((Ternary::Unknown, name.to_owned()));
            }
        }
    }
    let (truth, name) = found?;
    let rule = format!("the config replaces a deployment when its input `{name}` changes");
    let impact = if truth == Ternary::No { Impact::Replace } else { Impact::MayReplace };
    Some(RuleOutcome { impact, rule: UpdateRule::PluginRule { rule } })
}

/// The inputs that the config of a deployment declares.
fn inputs(deployment: &ResourceDefinition<'_>) -> Option<Vec<Value>> {
    let ExprKind::Resource(name) = &deployment.property("config")?.kind else { return None };
    let config = ResourceDefinition::new(deployment.stack, name.as_text()?)?;
    match config.typed_properties(&config.implementation())? {
        TypedProperties::Each(properties) => {
            match properties.get("inputs")?.as_ref().ok()?.unsealed() {
                Value::List(inputs) => Some(inputs.to_vec()),
                _ => None,
            }
        }
        TypedProperties::Unknown(_) | TypedProperties::Failed(_) => None,
    }
}

/// The value of an input: the deployment's, otherwise the config's default.
fn value(deployment: &PropertyView, input: &Map, name: &str) -> Value {
    let given = deployment.get("input_values").and_then(|it| it.as_ref().ok());
    let given = given.and_then(|given| match given.unsealed() {
        Value::Map(map) => map.get(name).cloned(),
        unknown @ Value::Unknown(_) => Some(unknown.clone()),
        _ => None,
    });
    given.or_else(|| input.get("default").cloned()).unwrap_or(Value::Null)
}

fn name(input: &Map) -> Option<&str> {
    match input.get("name")?.unsealed() {
        Value::Text(name) => Some(name),
        _ => None,
    }
}

fn as_map(value: &Value) -> Option<&Map> {
    match value.unsealed() {
        Value::Map(map) => Some(map),
        _ => None,
    }
}
