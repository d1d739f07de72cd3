//! What is checked, and the findings of all checks.

use std::collections::HashSet;

use super::stacks::CheckedStack;
use super::{deletion_policy, names, plugin_rules, properties, support, unused};
use crate::root_causes::root_causes;
use heat_engine::environment::Environment;
use heat_engine::eval::deployment::Deployed;
use heat_engine::eval::{Budget, Dependency, Value};
use heat_template::ir::Parameter;
use heat_template::schema::Schema;
use source_diagnostics::Diagnostic;

/// A deployment that was evaluated with recovery.
#[derive(Clone, Copy, Debug)]
pub struct CheckInput<'a> {
    /// The evaluated stacks.
    pub deployed: &'a Deployed,
    /// The environment of the deployment.
    pub environment: &'a Environment,
    /// The facts about the types of the release.
    pub schema: &'static Schema,
}

/// The parameters of the template itself that have no value.
pub fn missing_parameters(deployed: &Deployed) -> Vec<Diagnostic> {
    let is_missing = |name: &str| {
        let value = deployed.evaluation.parameters.get(name).and_then(|value| value.as_ref().ok());
        value.is_some_and(|value| matches!(
            value.unsealed(),
            Value::Unknown(it) if it.depends_on.contains(&Dependency::Parameter(name.to_owned()))
        ))
    };
    let declared = deployed.stack.parameters.iter();
    let missing = declared.filter(|(name, it)| it.default.is_none() && is_missing(name));
    let finding = |(name, parameter): (&String, &Parameter)| {
        let message = format!("the parameter `{name}` has neither a value nor a default");
        Diagnostic::new(heat_engine::codes::PARAMETER_MISSING, message).at(parameter.name_span)
    };
    missing.map(finding).collect()
}

/// Every finding about a deployment: those of its evaluation, then those of each check. One mistake is one finding.
pub fn check(input: &CheckInput<'_>) -> Vec<Diagnostic> {
    let mut found = input.deployed.findings();
    let budget = Budget::new(input.deployed.max_values());
    let stacks = CheckedStack::tree(input.deployed);
    for stack in &stacks {
        properties::check(stack, input.schema, &budget, &mut found);
        plugin_rules::check(stack, &mut found);
        deletion_policy::check(stack, &mut found);
        support::check_resources(stack, &mut found);
    }
    // What a template says is the same wherever it is nested.
    let mut seen = HashSet::new();
    for stack in stacks.iter().filter(|stack| stack.is_written()) {
        if seen.insert(std::sync::Arc::as_ptr(&stack.deployed.stack)) {
            names::check(stack, &mut found);
            support::check_attributes(stack, &mut found);
            unused::check(stack, &mut found);
        }
    }
    root_causes(&found)
}
