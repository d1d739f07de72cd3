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
    Budget, ErrorClass, Evaluation, MAX_VALUES, ResourceStates, Value, heat_yaql_options,
    unknown_parameter,
};
use heat_template::ir::{Expr, ExprKind, Stack};
use heat_template::schema::Schema;
use source_diagnostics::{Diagnostic, Span, SpanIndex};

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
    let undecided = SpanIndex::new(undecided_parts(stack, &evaluation).into_iter().enumerate());
    let is_decided = |finding: &Diagnostic| {
        let mut labels = finding.primary.iter().chain(&finding.related);
        !labels.any(|label| undecided.containing(label.span).is_some())
    };
    found.retain(|finding| finding.is_error() && is_decided(finding));
    found
}

/// The parts of a template that Heat ignores, or not, depending on parameters: branches, and what only enabled resources and
/// outputs have. Heat also parses the definition of a disabled resource, but what it refuses there is not told apart.
///
/// Heat's rule: `docs/heat.md#conditions`.
fn undecided_parts(stack: &Stack, evaluation: &Evaluation) -> Vec<Span> {
    let is_true_or_false = |name: &str| {
        let value = evaluation.conditions.get(name).and_then(|value| value.as_ref().ok());
        value.is_some_and(|value| matches!(value.unsealed(), Value::Bool(_)))
    };
    let is_undecided = |condition: &Expr| match &condition.kind {
        ExprKind::Bool(_) => false,
        ExprKind::Text(name) | ExprKind::Condition(name) => !is_true_or_false(name),
        _ => true,
    };
    let conditional = |condition: &Option<Expr>| condition.as_ref().is_some_and(is_undecided);
    let mut parts: Vec<&Expr> = Vec::new();
    for expr in stack.expressions() {
        expr.walk(&mut |part| {
            if let ExprKind::Choose(choice) = &part.kind
                && is_undecided(&choice.condition)
            {
                parts.extend([Some(&choice.then), choice.otherwise.as_ref()].into_iter().flatten());
            }
        });
    }
    let mut places = Vec::new();
    for resource in stack.resources.values().filter(|it| conditional(&it.condition)) {
        let values = [&resource.properties, &resource.metadata, &resource.update_policy];
        parts.extend(values.into_iter().chain([&resource.external_id]).flatten());
        places.extend(resource.depends_on.iter().map(|name| name.span));
    }
    let outputs = stack.outputs.values().filter(|it| conditional(&it.condition));
    parts.extend(outputs.filter_map(|output| output.value.as_ref()));
    // An alias is at the place of its anchor, which may be outside of the part.
    parts.iter().for_each(|part| part.walk(&mut |inner| places.push(inner.span)));
    places
}
