//! Errors for which Heat refuses a template whatever it is deployed with.

use std::collections::{HashMap, HashSet};

use indexmap::IndexMap;
use smol_str::SmolStr;

use super::findings::{add_lowering_findings, failure_findings};
use crate::eval::dependencies;
use crate::eval::evaluate;
use crate::eval::inputs::{EvaluationInputs, Facade, FileLookup, RequestFileContent};
use crate::eval::parameters::{
    self, MissingValuePolicy, ParameterInputs, Parameters, StackIdentity,
};
use crate::eval::{
    Budget, ErrorClass, Evaluation, MAX_VALUES, ResourceStates, Value, heat_yaql_options,
    unknown_parameter,
};
use heat_template::dialect::Dialect;
use heat_template::ir::{DeletionPolicy, Expr, ExprKind, Resource, Stack, UnaryFunction, graph};
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
    let parameters = any_parameters(stack, schema, &budget);
    let of_declarations = [
        crate::codes::PARAMETER_REFUSED,
        crate::codes::PARAMETER_DEFAULT,
        crate::codes::PARAMETER_GROUPS,
    ];
    let mut found = parameters.findings();
    found.retain(|finding| of_declarations.contains(&finding.code));
    // Most templates are evaluated for nothing, which takes several times as long as to see that.
    if !is_plain(stack, &parameters) {
        found.extend(evaluation_errors(stack, schema, parameters, &budget));
    } else {
        debug_assert_eq!(evaluation_errors(stack, schema, parameters, &budget), []);
    }
    found.retain(Diagnostic::is_error);
    found
}

/// The parameters of a template that is deployed with nothing.
fn any_parameters(stack: &Stack, schema: &'static Schema, budget: &Budget) -> Parameters {
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
        given: &[],
        level: 0,
        budget,
    };
    parameters::evaluate(stack, &inputs)
}

/// The findings of lowering a template, each error with its consequence: Heat meets some only when it shows an output, or never.
pub fn with_consequences(
    stack: &Stack,
    schema: &'static Schema,
    lowering: Vec<Diagnostic>,
) -> Vec<Diagnostic> {
    if !lowering.iter().any(Diagnostic::is_error) {
        return lowering;
    }
    let budget = Budget::new(MAX_VALUES);
    let evaluation =
        evaluation_without_inputs(stack, schema, any_parameters(stack, schema, &budget), &budget);
    let mut judged = failure_findings(stack, &evaluation);
    add_lowering_findings(&mut judged, &lowering);
    let key = |it: &Diagnostic| (it.code, it.span());
    let mut first = HashMap::new();
    for one in &judged {
        first.entry(key(one)).or_insert(one);
    }
    let judged = |it: Diagnostic| match first.get(&key(&it)) {
        // Heat's own words might show what is secret in files that nobody has read.
        Some(same) => Diagnostic { heat_message: None, ..(*same).clone() },
        None => it,
    };
    lowering.into_iter().map(judged).collect()
}

/// Whether Heat certainly accepts the sections of a template, whatever their values are: each name that it refers to is
/// declared, no resource depends on itself, and nothing in it is decided by a condition, computed as a name, or wrong in its
/// form. False if that needs an evaluation.
fn is_plain(stack: &Stack, parameters: &Parameters) -> bool {
    let is_plain_part = |part: &Expr| match &part.kind {
        ExprKind::Null
        | ExprKind::Bool(_)
        | ExprKind::Int(_)
        | ExprKind::Float(_)
        | ExprKind::Text(_)
        | ExprKind::List(_)
        | ExprKind::Map(_)
        | ExprKind::Facade(_)
        | ExprKind::Join(_)
        | ExprKind::Split(_)
        | ExprKind::Replace(_)
        | ExprKind::AssertText(_)
        | ExprKind::Binary(..) => true,
        ExprKind::Unary(function, _) => *function != UnaryFunction::Url,
        ExprKind::Parameter(parameter) => {
            let name = parameter.name.as_text();
            name.is_some_and(|name| parameters.values.contains_key(name))
        }
        ExprKind::Resource(name) => is_resource(stack, name),
        ExprKind::Attribute(attribute) => {
            let name = attribute.attribute.as_ref().and_then(Expr::as_text);
            name.is_some() && is_resource(stack, &attribute.resource)
        }
        ExprKind::File(name) => name.as_text().is_some(),
        // What decides, loops or computes names, and calls that are not valid.
        _ => false,
    };
    let has_plain_parts = |expr: &Expr| {
        let mut is_plain = true;
        expr.walk(&mut |part| is_plain = is_plain && is_plain_part(part));
        is_plain
    };
    Dialect::of(&stack.format).hot().is_some()
        && stack.extensions.is_empty()
        && stack.conditions.is_empty()
        && stack.resources.values().all(|resource| has_plain_form(stack, resource))
        && stack.outputs.values().all(|output| {
            output.value.is_some() && output.condition.is_none() && output.extensions.is_empty()
        })
        && stack.expressions().all(has_plain_parts)
        && graph::cycles(stack).is_empty()
}

fn is_resource(stack: &Stack, name: &Expr) -> bool {
    name.as_text().is_some_and(|name| stack.resources.contains_key(name))
}

/// Whether a resource has only keys whose values Heat does not decide on, with values of the right types.
fn has_plain_form(stack: &Stack, resource: &Resource) -> bool {
    let objects = [&resource.properties, &resource.metadata, &resource.update_policy];
    resource.kind.is_some()
        && resource.extensions.is_empty()
        && resource.condition.is_none()
        && resource.external_id.is_none()
        && !matches!(resource.deletion_policy, Some(DeletionPolicy::Other(_)))
        && resource.description.as_ref().is_none_or(|it| it.as_text().is_some())
        && resource.depends_on.iter().all(|it| stack.resources.contains_key(&*it.text))
        && objects
            .into_iter()
            .flatten()
            .all(|it| matches!(it.kind, ExprKind::Map(_)) || !it.is_literal())
}

/// The evaluation of a template in which every parameter may have any value, and every type any attribute.
fn evaluation_without_inputs(
    stack: &Stack,
    schema: &'static Schema,
    mut parameters: Parameters,
    budget: &Budget,
) -> Evaluation {
    for (name, value) in &mut parameters.values {
        *value = Ok(unknown_parameter(name, 0));
    }
    let mut states = ResourceStates::new(stack, schema, false);
    stack.resources.keys().for_each(|name| states.open(name));
    // The template may be nested.
    let unknown = || unknown_parameter("OS::stack_name", 0);
    let facade =
        Facade { metadata: unknown(), deletion_policy: unknown(), update_policy: unknown() };
    evaluate(
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
            budget,
            recover: true,
        },
    )
}

/// The errors outside of the declarations of parameters.
fn evaluation_errors(
    stack: &Stack,
    schema: &'static Schema,
    parameters: Parameters,
    budget: &Budget,
) -> Vec<Diagnostic> {
    let evaluation = evaluation_without_inputs(stack, schema, parameters, budget);
    // How a function fails on its arguments differs between versions: only what Heat itself refuses counts, such as names.
    let failures = evaluation.all_failures();
    let of_python = failures.filter(|failure| matches!(failure.class, ErrorClass::Python(_)));
    let of_python: HashSet<Span> = of_python.map(|failure| failure.span).collect();
    let is_certain =
        |finding: &Diagnostic| !finding.span().is_some_and(|it| of_python.contains(&it));
    let mut found = failure_findings(stack, &evaluation);
    found.retain(is_certain);
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
