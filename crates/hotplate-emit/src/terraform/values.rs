//! The values of variables: `terraform.tfvars`.

use std::collections::HashSet;

use indexmap::IndexMap;

use super::hcl::{Body, BodyItem, Hcl};
use super::literal::plain;
use super::project::used_variables;
use super::scope::{ExtraVariable, ModuleScope, VariableRole};
use crate::render_model::ParameterValue;
use crate::{Loss, LossKind, Losses};

/// The values that users and environments give to the root module, and the name of the adopted
/// stack, which is the prefix of the names that Heat generated.
pub(super) fn values(
    scope: &ModuleScope<'_>,
    used: &HashSet<String>,
    adopted: Option<&str>,
    losses: &mut Losses,
) -> Body {
    let model = scope.model;
    let variables = used_variables(scope, used);
    let mut found: IndexMap<String, &ParameterValue> = IndexMap::new();
    for (name, given) in &model.parameter_values {
        if let Some(variable) = variables.get(name) {
            found.insert(variable.clone(), given);
        }
    }
    for (name, given) in &model.defaults {
        if let Some(variable) = variables.get(name)
            && !model.parameter_values.contains_key(name)
        {
            found.insert(variable.clone(), given);
        }
    }
    let extras: Vec<ExtraVariable> = scope.extras();
    for extra in &extras {
        if let VariableRole::Default(name) = &extra.role
            && let Some(given) = model.defaults.get(name)
        {
            found.insert(extra.name.clone(), given);
        }
    }
    let mut body = Body::new();
    for (variable, given) in found {
        if given.is_withheld {
            let supply = format!("TF_VAR_{variable}=…");
            body.push(BodyItem::Remark(vec![format!(
                "{variable}: {supply} in the shell's environment"
            )]));
            let supply = format!("set `{supply}` in the shell's environment");
            losses.add(Loss::withheld_secret(&variable, &supply, given.span));
            continue;
        }
        match value(scope, &variable, given) {
            Some(value) => body.push(BodyItem::argument(variable, value)),
            None => {
                let message = format!("Terraform cannot hold the value of `{variable}`");
                losses.add(Loss::new(LossKind::Value, variable, message, given.span));
            }
        }
    }
    let is_name = |extra: &&ExtraVariable| matches!(extra.role, VariableRole::StackName);
    if let (Some(name), Some(extra)) = (adopted, extras.iter().find(is_name)) {
        body.push(BodyItem::argument(extra.name.clone(), Hcl::text(name)));
    }
    body
}

/// A value, converted to the parameter's type.
fn value(scope: &ModuleScope<'_>, variable: &str, given: &ParameterValue) -> Option<Hcl> {
    let declared = scope.variables.iter().find(|(_, name)| *name == variable);
    let kind = declared
        .and_then(|(name, _)| scope.module.stack.parameters.get(name))
        .and_then(|parameter| parameter.kind)
        .or_else(|| kind_below(scope, variable));
    let (value, _) = given.value.reveal();
    let converted = kind.and_then(|kind| heat_engine::eval::parameters::coerce(&value, kind).ok());
    plain(&converted.unwrap_or(value))
}

/// The type of the parameters in nested templates that a variable is for.
fn kind_below(scope: &ModuleScope<'_>, variable: &str) -> Option<heat_template::ir::ParameterType> {
    let extra = scope.extras().into_iter().find(|extra| extra.name == variable)?;
    let VariableRole::Default(name) = extra.role else { return None };
    let units = scope.model.modules.iter();
    units.filter_map(|unit| unit.stack.parameters.get(&name)).find_map(|it| it.kind)
}
