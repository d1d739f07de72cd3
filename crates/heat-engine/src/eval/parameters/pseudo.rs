//! The pseudo parameters, which every stack has without declaring them.
//!
//! Heat's rules: `docs/heat.md#pseudo-parameters`,
//! `docs/heat.md#pseudo-parameters-of-the-cfn-formats`.

use super::conversion::to_type;
use super::{PROJECT_ID, ParameterInputs, STACK_ID, STACK_NAME, StackIdentity, non_null};
use crate::eval::{Failure, Value};
use heat_template::cfn;
use heat_template::dialect::Dialect;
use heat_template::ir::{ParameterType, Stack};
use source_diagnostics::Span;

pub(super) fn pseudo_parameters(
    stack: &Stack,
    inputs: &ParameterInputs<'_>,
) -> Vec<(&'static str, Result<Value, Failure>)> {
    let StackIdentity { stack_name, stack_id, project_id } = inputs.identity;
    let with_default = |name: &'static str, of: &'static str, value: &str| {
        match non_null(inputs.environment_defaults.get(of)) {
            // Environment defaults apply to these, too.
            Some(default) => {
                let span = default.span.unwrap_or(Span::NOWHERE);
                let text = to_type(&default.value, ParameterType::Text);
                (name, text.map_err(|raised| raised.at(span)))
            }
            None => (name, Ok(Value::text(value))),
        }
    };
    let mut all = Vec::new();
    let named = !stack_name.is_empty();
    if Dialect::of(&stack.format).hot().is_some() {
        all.push(with_default(STACK_ID, STACK_ID, stack_id));
        all.push(with_default(PROJECT_ID, PROJECT_ID, project_id));
        if named {
            all.push(with_default(STACK_NAME, STACK_NAME, stack_name));
        }
        return all;
    }
    let [arn, name, region] = cfn::PSEUDO;
    let id = format!("arn:openstack:heat::{project_id}:stacks/{stack_name}/{stack_id}");
    all.push(with_default(arn, arn, &id));
    if named {
        all.push(with_default(name, name, stack_name));
        all.push(with_default(region, region, cfn::REGION));
    }
    // The names that the model uses for the parts.
    all.push((STACK_ID, Ok(Value::text(stack_id.as_str()))));
    all.push((PROJECT_ID, Ok(Value::text(project_id.as_str()))));
    if named {
        all.push(with_default(STACK_NAME, name, stack_name));
    }
    all
}
