//! Where the effective value of a parameter comes from.
//!
//! Heat's rule: `docs/heat.md#values-of-parameters`.

use super::{ParameterInputs, SuppliedValue, non_null};
use crate::eval::Value;
use heat_template::ir::{Parameter, Stack};
use source_diagnostics::Span;

/// Where the effective value of a parameter comes from, with the place of the value's name or else of the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterOrigin {
    /// The user supplies it to the root template, or the resource's property to a nested one.
    Supplied(Span),
    /// The section `parameter_defaults` of the environment supplies it.
    EnvironmentDefault(Span),
    /// It is the default of the declaration.
    Default(Span),
    /// There is no value: Heat refuses the stack.
    Missing,
}

/// The origins of a stack's parameters, in the order of the declarations.
pub(in crate::eval) fn origins(
    stack: &Stack,
    inputs: &ParameterInputs<'_>,
) -> Vec<ParameterOrigin> {
    let declared = stack.parameters.iter();
    declared.map(|(name, parameter)| origin(name, parameter, inputs)).collect()
}

fn origin(name: &str, parameter: &Parameter, inputs: &ParameterInputs<'_>) -> ParameterOrigin {
    let place = |given: &SuppliedValue| given.key.or(given.span).unwrap_or(Span::NOWHERE);
    if let Some(given) = non_null(inputs.user_values.get(name)) {
        return ParameterOrigin::Supplied(place(given));
    }
    if let Some(given) = non_null(inputs.environment_defaults.get(name)) {
        return ParameterOrigin::EnvironmentDefault(place(given));
    }
    match &parameter.default {
        Some(default) if Value::from_data_expr(default) != Some(Value::Null) => {
            ParameterOrigin::Default(default.span)
        }
        Some(_) | None => ParameterOrigin::Missing,
    }
}
