//! What is checked, and the findings of all checks.

use std::collections::HashSet;

use super::arguments::arguments;
use super::cloud::{self, Cloud};
use super::references::References;
use super::stacks::CheckedStack;
use super::support::HeatRelease;
use super::unused::Interfaces;
use super::{
    aliases, conditions, constraints, deletion_policy, environment, external, hard_coded,
    misspelled_calls, names, open_ports, persistence, placeholders, plugin_rules, properties,
    secrets, signals, subnets, support, unused,
};
use heat_engine::environment::{Environment, FileContent};
use heat_engine::eval::Budget;
use heat_engine::eval::deployment::Deployed;
use heat_engine::eval::parameters::ParameterOrigin;
use heat_template::ir::Parameter;
use heat_template::schema::Schema;
use lossless_yaml::Document;
use source_diagnostics::Diagnostic;

/// The parameters of the template itself that nothing gives a value.
pub(super) fn missing_parameters(deployed: &Deployed) -> Vec<Diagnostic> {
    let missing = deployed.parameters().filter(|(.., origin)| *origin == ParameterOrigin::Missing);
    let finding = |(name, parameter, _): (&str, &Parameter, _)| {
        let message = format!("the parameter `{name}` has neither a value nor a default");
        Diagnostic::new(heat_engine::codes::PARAMETER_MISSING, message).at(parameter.name_span)
    };
    missing.map(finding).collect()
}

/// What Heat refuses in resources, beyond what an evaluation finds: properties, policies, names. For commands that report
/// only errors.
pub fn errors_of_resources(deployed: &Deployed, schema: &'static Schema) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let budget = Budget::new(deployed.max_values());
    for stack in CheckedStack::tree(deployed) {
        check_resources(&stack, schema, &budget, &mut found);
    }
    found
}

/// Adds what Heat refuses in the resources of one stack.
pub(super) fn check_resources(
    stack: &CheckedStack<'_>,
    schema: &'static Schema,
    budget: &Budget,
    found: &mut Vec<Diagnostic>,
) {
    properties::check(stack, schema, budget, found);
    plugin_rules::check(stack, found);
    deletion_policy::check(stack, found);
    if stack.is_written() {
        names::check(stack.stack(), found);
    }
}

/// Adds every finding about the deployment of a template: those of its evaluation, then those of each check.
pub(super) fn check(
    deployed: &Deployed,
    environment: &Environment,
    template: &Document,
    cloud: &Cloud,
    found: &mut Vec<Diagnostic>,
) {
    // The root stack is the first one, and has no file.
    let mut root = Some(template);
    let (schema, files) = (environment.registry.schema(), &environment.files);
    let budget = Budget::new(deployed.max_values());
    found.extend(deployed.findings());
    found.extend(errors_of_resources(deployed, schema));
    let stacks = CheckedStack::tree(deployed);
    let release = HeatRelease::of(cloud, schema);
    for stack in &stacks {
        aliases::check(stack, schema, found);
        support::check_resources(stack, release, found);
        cloud::check_types(stack, &cloud.lists, found);
        cloud::accept_listed_types(stack, &cloud.lists, found);
    }
    aliases::check_registry(environment, schema, found);
    open_ports::check(CheckedStack::root(deployed), found);
    environment::check(&stacks, environment, template.text(), found);
    // What a stack in the tree computes stays within Heat; the outputs of the root are shown to users.
    stacks.iter().take(1).for_each(|root| secrets::check_outputs(root, found));
    let arguments = arguments(&stacks);
    let interfaces = Interfaces::of(&stacks, &arguments);
    // What a template says is the same wherever it is nested.
    let mut seen = HashSet::new();
    for stack in stacks.iter().filter(|stack| stack.is_written()) {
        if seen.insert(std::sync::Arc::as_ptr(&stack.deployed.stack)) {
            // An evaluation reports the errors of reading a template only.
            let read = stack.deployed.node.template.lowering_findings.iter();
            found.extend(read.filter(|finding| !finding.is_error()).cloned());
            support::check_attributes(stack, release, found);
            if let Some(release) = cloud.release {
                cloud::check_version(stack, release, found);
            }
            let file = stack.deployed.node.template.file.as_ref();
            if let Some(document) = file.map(|file| &*file.document).or(root.take()) {
                cloud::check_document(document, cloud, found);
            }
            unused::check(stack, &interfaces, found);
            unused::check_groups(stack, found);
            misspelled_calls::check(stack, found);
            if let Some(references) = References::of(stack.stack()) {
                unused::check_values(stack, &references, found);
                signals::check(stack, &references, found);
            }
            conditions::check(stack, schema, &budget, found);
            constraints::check(stack, schema, &budget, found);
            let base = stack.deployed.node.template.base.as_ref();
            let read = |name: &str| match &files.get(base?.resolve(name).url())?.content {
                FileContent::Text(text) => Some(&**text),
                FileContent::Template(_) | FileContent::Base64(_) => None,
            };
            placeholders::check(stack, &read, found);
            secrets::check_parameters(stack, found);
            secrets::check_literals(stack, found);
            persistence::check(stack, found);
            subnets::check(stack, found);
            external::check(stack, found);
            hard_coded::check(stack, found);
        }
    }
}
