//! What Heat refuses in a template whatever it is deployed with.

use std::collections::HashSet;

use indexmap::IndexMap;
use smol_str::SmolStr;

use super::findings::failure_findings;
use crate::eval::dependencies;
use crate::eval::evaluate;
use crate::eval::inputs::{EvaluationInputs, Facade, FileLookup, RequestFileContent};
use crate::eval::parameters::{self, MissingValuePolicy, ParameterInputs, StackIdentity};
use crate::eval::{
    Budget, ErrorClass, MAX_VALUES, ResourceStates, heat_yaql_options, unknown_parameter,
};
use heat_template::ir::Stack;
use heat_template::schema::Schema;
use source_diagnostics::{Diagnostic, Span};

/// Files of which nothing is known but that they may exist.
#[derive(Debug)]
struct AnyFiles;

impl FileLookup for AnyFiles {
    fn request_name(&self, _key: &str, _path: &str) -> Option<SmolStr> {
        None
    }

    fn content(&self, _name: &str) -> RequestFileContent {
        RequestFileContent::Unknown
    }
}

/// The errors of a template that no environment and no file changes: every parameter may have any value, and an environment
/// may map every type to a template with other properties and attributes. They are certain, but not all that Heat may
/// refuse: that depends on the deployment.
///
/// Heat's rule: `docs/heat.md#order-of-validation`.
pub fn template_errors(stack: &Stack, schema: &'static Schema) -> Vec<Diagnostic> {
    let budget = Budget::new(MAX_VALUES);
    let nothing = IndexMap::new();
    // Only that the stack has an identity matters: the values of all parameters become unknown.
    let [stack_name, stack_id, project_id] = ["name", "id", "project"].map(str::to_owned);
    let identity = StackIdentity { stack_name, stack_id, project_id };
    let inputs = ParameterInputs {
        schema,
        user_values: &nothing,
        environment_defaults: &nothing,
        identity: &identity,
        missing: MissingValuePolicy::Unknown,
        level: 0,
        budget: &budget,
    };
    let mut parameters = parameters::evaluate(stack, &inputs);
    let of_declarations = [
        crate::codes::PARAMETER_REFUSED,
        crate::codes::PARAMETER_DEFAULT,
        crate::codes::PARAMETER_GROUPS,
    ];
    let mut found = parameters.findings();
    found.retain(|finding| of_declarations.contains(&finding.code));
    for (name, value) in &mut parameters.values {
        *value = Ok(unknown_parameter(name, 0));
    }
    let mut states = ResourceStates::new(stack, schema, false);
    stack.resources.keys().for_each(|name| states.open(name));
    // The template may be nested.
    let unknown = || unknown_parameter("OS::stack_name", 0);
    let facade =
        Facade { metadata: unknown(), deletion_policy: unknown(), update_policy: unknown() };
    let evaluation = evaluate(
        stack,
        EvaluationInputs {
            schema,
            parameters: &parameters,
            runtime: &states,
            files: &AnyFiles,
            facade: Some(&facade),
            zones: None,
            level: 0,
            yaql: heat_yaql_options(),
            budget: &budget,
            recover: true,
        },
    );
    // How a function fails on its arguments differs between versions: only what Heat itself refuses counts, such as names.
    let failures = evaluation.all_failures();
    let of_python = failures.filter(|failure| matches!(failure.class, ErrorClass::Python(_)));
    let of_python: HashSet<Span> = of_python.map(|failure| failure.span).collect();
    let is_certain =
        |finding: &Diagnostic| !finding.span().is_some_and(|it| of_python.contains(&it));
    found.extend(failure_findings(&evaluation).into_iter().filter(is_certain));
    found.extend(dependencies::unknown_dependencies(stack, &evaluation));
    found.extend(dependencies::dependency_cycles(stack, &evaluation));
    found.retain(Diagnostic::is_error);
    found
}
