//! The input of a check run, and the findings of all checks.

use std::collections::HashSet;

use super::arguments::arguments;
use super::checks::child_outputs::locate_requests;
use super::checks::cloud::Cloud;
use super::checks::misspelled_calls::explain_refused;
use super::checks::secrets::check_masked;
use super::checks::support::HeatRelease;
use super::checks::unused::Interfaces;
use super::checks::{CheckInput, Scope};
use super::listed_values::{ListedValues, listed_values};
use super::references::References;
use super::stacks::CheckedStack;
use super::{codes, deletion_policy, names, plugin_rules, properties};
use heat_engine::environment::Environment;
use heat_engine::eval::Budget;
use heat_engine::eval::deployment::{Deployed, DeploymentRequest, deploy, is_exhausted};
use heat_engine::eval::parameters::ParameterOrigin;
use heat_template::ir::Parameter;
use heat_template::schema::Schema;
use lossless_yaml::Document;
use source_diagnostics::Diagnostic;

/// The parameters of the template itself that nothing gives a value.
pub(super) fn missing_parameters(deployed: &Deployed, given: &[String]) -> Vec<Diagnostic> {
    let missing = deployed.parameters().filter(|(name, _, origin)| {
        *origin == ParameterOrigin::Missing && !given.iter().any(|it| it == name)
    });
    let finding = |(name, parameter, _): (&str, &Parameter, _)| {
        let message = format!("the parameter `{name}` has neither a value nor a default");
        Diagnostic::new(heat_engine::codes::PARAMETER_MISSING, message).at(parameter.name_span)
    };
    missing.map(finding).collect()
}

/// The findings of a deployment for commands that report no advice: those of its evaluation, and every other error. `check` has
/// the same, and its own.
pub fn findings_of_deployment(
    request: &DeploymentRequest<'_>,
    deployed: &Deployed,
) -> Vec<Diagnostic> {
    // Invented values need not fit.
    let own = deployed.findings();
    if request.fill || is_exhausted(&own) {
        return own;
    }
    let schema = request.templates.environment().registry.schema();
    let whole = DeploymentRequest { nested: true, recover: true, ..*request };
    let with_nested = (!request.nested).then(|| deploy(&whole));
    let deployed = with_nested.as_ref().unwrap_or(deployed.recovered());
    let mut found = deployed.findings();
    found.extend(deployed.findings_at_creation());
    found.extend(errors_of_resources(deployed, schema));
    let stacks = CheckedStack::tree(deployed);
    check_masked(&stacks, &mut found);
    for stack in stacks.iter().filter(|stack| stack.is_written()) {
        locate_requests(stack, &mut found);
        if found.iter().any(|it| it.code == codes::PROPERTY_TYPE) {
            explain_refused(stack.stack(), &mut found);
        }
    }
    let listed = listed_values(&whole, deployed, schema, (&found, ListedValues::Errors));
    found.extend(listed);
    // A refusal of a service is none of Heat's: the stack is created, and `check` says what happens then.
    found.retain(|it| it.code != codes::SERVICE_RULE);
    found
}

/// Errors in resources that an evaluation does not find: properties, policies, names.
pub(super) fn errors_of_resources(deployed: &Deployed, schema: &'static Schema) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let budget = Budget::new(deployed.max_values());
    for stack in CheckedStack::tree(deployed) {
        placed(&stack, &mut found, |found| check_resources(&stack, schema, &budget, found));
    }
    found
}

/// Adds findings about a stack, each at a place in a file.
fn placed(
    stack: &CheckedStack<'_>,
    found: &mut Vec<Diagnostic>,
    add: impl FnOnce(&mut Vec<Diagnostic>),
) {
    let before = found.len();
    add(found);
    stack.deployed.place(&mut found[before..]);
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
    let schema = environment.registry.schema();
    let budget = Budget::new(deployed.max_values());
    found.extend(deployed.findings());
    found.extend(deployed.findings_at_creation());
    found.extend(errors_of_resources(deployed, schema));
    let stacks = CheckedStack::tree(deployed);
    let arguments = arguments(&stacks);
    let interfaces = Interfaces::of(&stacks, &arguments);
    let root = CheckedStack::root(deployed);
    let of_root = CheckInput {
        stack: &root,
        stacks: &stacks,
        environment,
        root_text: template.text(),
        schema,
        cloud,
        release: HeatRelease::of(cloud, schema),
        budget: &budget,
        interfaces: &interfaces,
        document: None,
        references: None,
    };
    for stack in &stacks {
        placed(stack, found, |found| CheckInput { stack, ..of_root }.run(Scope::Stack, found));
    }
    of_root.run(Scope::Deployment, found);
    // The root stack is the first one, and has no file.
    let mut root = Some(template);
    let mut seen = HashSet::new();
    for stack in stacks.iter().filter(|stack| stack.is_written()) {
        let node = &stack.deployed.node.template;
        if seen.insert(std::sync::Arc::as_ptr(&stack.deployed.stack)) {
            // An evaluation reports the errors of reading a template only.
            let read = node.lowering_findings.iter();
            let document = node.file.as_ref().map(|file| &*file.document).or(root.take());
            let references = References::of(stack.stack());
            let references = references.as_ref();
            locate_requests(stack, found);
            placed(stack, found, |found| {
                found.extend(read.filter(|finding| !finding.is_error()).cloned());
                CheckInput { stack, document, references, ..of_root }.run(Scope::Template, found);
            });
        }
    }
}
