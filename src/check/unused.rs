//! Parameters, conditions, groups of parameters and values that nothing uses.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::references::References;
use super::stacks::CheckedStack;
use crate::codes;
use heat_engine::environment::registry::is_template_name;
use heat_engine::eval::EvaluatedProperties;
use heat_engine::eval::deployment::ChildStack;
use heat_template::ir::{Expr, ExprKind, Stack};
use source_diagnostics::{Diagnostic, Suggestions};

/// Types that have no effect of their own: they only provide a value.
const VALUES: [&str; 7] = [
    "OS::Heat::CloudConfig",
    "OS::Heat::MultipartMime",
    "OS::Heat::RandomString",
    "OS::Heat::SoftwareComponent",
    "OS::Heat::SoftwareConfig",
    "OS::Heat::StructuredConfig",
    "OS::Heat::Value",
];

/// Adds a finding for each group without parameters.
pub(super) fn check_groups(stack: &CheckedStack<'_>, found: &mut Vec<Diagnostic>) {
    for group in &stack.stack().groups {
        let parameters = group.value.member("parameters").map(|it| &it.kind);
        if matches!(parameters, Some(ExprKind::List(items)) if items.is_empty()) {
            let message = "the parameter group contains no parameter".to_owned();
            found.push(Diagnostic::new(codes::EMPTY_GROUP, message).at(group.value.span));
        }
    }
}

/// Adds a finding for each resource that only provides a value, which nothing uses.
pub(super) fn check_values(
    stack: &CheckedStack<'_>,
    references: &References<'_>,
    found: &mut Vec<Diagnostic>,
) {
    let implementations = &stack.deployed.node.implementations;
    for (name, resource) in &stack.stack().resources {
        let plugin = implementations.get(name).and_then(|it| it.plugin());
        if let Some((kind, _)) = plugin.filter(|(kind, _)| VALUES.contains(kind))
            && references.to(name).is_empty()
        {
            let message = format!("nothing uses the `{kind}` `{name}`");
            found.push(Diagnostic::new(codes::UNUSED_VALUE, message).at(resource.name_span));
        }
    }
}

/// The parameters that templates must declare because of others: of a template that implements a type of the resource
/// registry, those that its users pass, whatever implements the type.
#[derive(Debug, Default)]
pub(super) struct Interfaces<'a>(HashMap<*const Stack, HashSet<&'a str>>);

impl<'a> Interfaces<'a> {
    /// The interfaces of all templates of a deployment.
    pub(super) fn of(stacks: &[CheckedStack<'a>]) -> Self {
        let mut interfaces = Interfaces::default();
        for stack in stacks {
            for resource in stack.resources() {
                let child = stack.deployed.children.get(resource.name);
                let Some(ChildStack::Stack(child)) = child else { continue };
                // A file that is named directly has no interface but its own.
                if is_template_name(&resource.evaluated.kind) {
                    continue;
                }
                let required = interfaces.0.entry(Arc::as_ptr(&child.stack)).or_default();
                if let EvaluatedProperties::Each(each) = &resource.evaluated.properties {
                    required.extend(each.keys().filter_map(|key| key.as_text()));
                }
                // A stand-in that does nothing has only an interface.
                if child.stack.resources.is_empty() {
                    required.extend(child.stack.parameters.keys().map(String::as_str));
                }
            }
        }
        interfaces
    }

    fn requires(&self, stack: &Stack, parameter: &str) -> bool {
        self.0.get(&std::ptr::from_ref(stack)).is_some_and(|passed| passed.contains(parameter))
    }
}

/// Adds a finding for each parameter and each condition that nothing refers to.
pub(super) fn check(
    stack: &CheckedStack<'_>,
    interfaces: &Interfaces<'_>,
    found: &mut Vec<Diagnostic>,
) {
    let stack = stack.stack();
    let Some(uses) = Uses::of(stack) else { return };
    for (name, parameter) in &stack.parameters {
        if !uses.parameters.contains(name.as_str()) && !interfaces.requires(stack, name) {
            let message = format!("the parameter `{name}` is not used");
            found.push(Diagnostic::new(codes::UNUSED_PARAMETER, message).at(parameter.name_span));
        }
    }
    for (name, condition) in &stack.conditions {
        if !uses.conditions.contains(name.as_str()) {
            let message = format!("the condition `{name}` is not used");
            found.push(Diagnostic::new(codes::UNUSED_CONDITION, message).at(condition.name_span));
        }
    }
}

/// The names that the expressions of a template use.
struct Uses<'s> {
    parameters: HashSet<&'s str>,
    conditions: HashSet<&'s str>,
}

impl<'s> Uses<'s> {
    /// `None` if a name is computed, or a call is not understood: then everything may be used.
    fn of(stack: &'s Stack) -> Option<Self> {
        let mut uses = Uses { parameters: HashSet::new(), conditions: HashSet::new() };
        let mut is_certain = true;
        let mut suggestions = Suggestions::new(stack.parameters.keys().map(String::as_str));
        for expr in stack.expressions() {
            expr.walk(&mut |expr: &'s Expr| match &expr.kind {
                ExprKind::Parameter(parameter) => match parameter.name.as_text() {
                    // What is misspelled is not unused as well.
                    Some(name) => {
                        let is_declared = stack.parameters.contains_key(name);
                        let meant = (!is_declared).then(|| suggestions.nearest(name, None));
                        uses.parameters.insert(meant.flatten().unwrap_or(name));
                    }
                    None => is_certain = false,
                },
                ExprKind::Condition(name) => {
                    uses.conditions.insert(name);
                }
                ExprKind::Invalid(_) => is_certain = false,
                _ => {}
            });
        }
        // What was left out may be meant by a misspelled name.
        is_certain &= suggestions.limit_finding().is_none();
        is_certain.then_some(uses)
    }
}
