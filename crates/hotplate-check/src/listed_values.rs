//! Values that a parameter may have and that make the template wrong: those that its `allowed_values` list, and those of a
//! boolean.
//!
//! The deployment is evaluated once for each such value of a parameter that nobody sets, the others as before; what is wrong
//! then and was not before depends on the value. If it is wrong with every value, it is an error. Combinations of values of
//! several parameters are not tried.
//!
//! Heat's rules: `docs/heat.md#allowed_values`, `docs/heat.md#parameters-of-type-boolean`.

use std::collections::{HashMap, HashSet};

use super::input::errors_of_resources;
use crate::codes;
use heat_engine::eval::deployment::{Deployed, DeploymentRequest, deploy_assuming};
use heat_engine::eval::parameters::ParameterOrigin;
use heat_engine::eval::typed_properties::is_constrained_offline;
use heat_engine::eval::{Value, python};
use heat_template::ir::{
    ConstraintKind, DeletionPolicy, Expr, ExprKind, Parameter, ParameterType, Stack,
};
use heat_template::schema::{Property, Schema, ValueType};
use source_diagnostics::{Code, Diagnostic, Severity, Span};

/// The most values that are tried for one template.
const MAX_TRIED: usize = 64;
/// The most resources of a deployment that is evaluated several times.
const MAX_TRIED_RESOURCES: usize = 500;

/// Which findings about values are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ListedValues {
    All,
    /// Those about what is wrong with every value.
    Errors,
}

/// The findings about values that parameters may have. `found` are those that are known already.
pub(super) fn listed_values(
    request: &DeploymentRequest<'_>,
    deployed: &Deployed,
    schema: &'static Schema,
    (found, wanted): (&[Diagnostic], ListedValues),
) -> Vec<Diagnostic> {
    let matters = parameters_that_matter(deployed);
    let open: Vec<OpenParameter<'_>> =
        OpenParameter::all(deployed).filter(|it| matters.contains(it.name)).collect();
    let place = |finding: &Diagnostic| (finding.code, finding.span());
    // An error in a part of the value is one about the value.
    let is_known = |error: &Diagnostic| {
        let nests = |outer: Span, inner: Span| {
            outer.source == inner.source && outer.start <= inner.start && inner.end <= outer.end
        };
        found.iter().filter(|it| it.code == error.code).any(|it| match (it.span(), error.span()) {
            (Some(one), Some(other)) => nests(one, other) || nests(other, one),
            (one, other) => one == other,
        })
    };
    let mut findings = Vec::new();
    let mut left = match deployed.resource_count <= MAX_TRIED_RESOURCES {
        true => MAX_TRIED,
        false => 0,
    };
    for parameter in &open {
        if parameter.has_default && wanted == ListedValues::Errors {
            continue;
        }
        if parameter.values.len() > left {
            findings.push(untried(parameter));
            continue;
        }
        left -= parameter.values.len();
        let mut wrong: Vec<(Diagnostic, Vec<&Value>)> = Vec::new();
        let mut at: HashMap<(Code, Option<Span>), usize> = HashMap::new();
        for value in &parameter.values {
            let tried = deploy_assuming(request, Some((parameter.name, value)));
            let mut errors = tried.findings();
            errors.extend(errors_of_resources(&tried, schema));
            errors.retain(|it| wanted == ListedValues::All || it.code != codes::SERVICE_RULE);
            // What is not wrong with one of the values is not wrong with every one.
            let is_error = |it: &Diagnostic| is_about_values(it) && !is_known(it);
            if wanted == ListedValues::Errors && !errors.iter().any(is_error) {
                wrong.clear();
                break;
            }
            // Another constraint excludes the value.
            let own = parameter.declaration.name_span.source;
            let is_excluded = |it: &Diagnostic| {
                it.code == heat_engine::codes::CONSTRAINT_VIOLATED
                    && it.span().is_none_or(|span| span.source == own)
            };
            if errors.iter().any(is_excluded) {
                continue;
            }
            let mut seen = HashSet::new();
            for error in errors.into_iter().filter(is_about_values) {
                if is_known(&error) || !seen.insert(place(&error)) {
                    continue;
                }
                let number = *at.entry(place(&error)).or_insert(wrong.len());
                match wrong.get_mut(number) {
                    Some((_, values)) => values.push(value),
                    None => wrong.push((error, vec![value])),
                }
            }
        }
        findings.extend(wrong.into_iter().map(|(error, values)| parameter.finding(error, &values)));
    }
    findings.retain(|it| wanted == ListedValues::All || it.is_error());
    findings
}

/// Whether a finding is an error, and not one about the parameter itself, whose constraints are checked apart.
fn is_about_values(finding: &Diagnostic) -> bool {
    const OF_PARAMETERS: &[Code] = &[
        heat_engine::codes::PARAMETER_VALUE,
        heat_engine::codes::PARAMETER_DEFAULT,
        heat_engine::codes::PARAMETER_REFUSED,
    ];
    finding.is_error() && !OF_PARAMETERS.contains(&finding.code)
}

fn untried(parameter: &OpenParameter<'_>) -> Diagnostic {
    let message = format!(
        "the {} values that `{}` may have are not tried: more than {MAX_TRIED} are, or more than {MAX_TRIED_RESOURCES} resources",
        parameter.values.len(),
        parameter.name,
    );
    Diagnostic::new(codes::LISTED_VALUES_NOT_TRIED, message).at(parameter.declaration.name_span)
}

/// A parameter that nobody sets and that has a limited number of values.
struct OpenParameter<'a> {
    name: &'a str,
    declaration: &'a Parameter,
    /// Whether one more value, the default, is not wrong.
    has_default: bool,
    values: Vec<Value>,
}

impl<'a> OpenParameter<'a> {
    fn all(deployed: &'a Deployed) -> impl Iterator<Item = Self> {
        deployed.parameters().filter_map(|(name, declaration, origin)| {
            let has_default = match origin {
                ParameterOrigin::Supplied(_) | ParameterOrigin::EnvironmentDefault(_) => {
                    return None;
                }
                ParameterOrigin::Default(_) => true,
                ParameterOrigin::Missing => false,
            };
            // A message would show the values.
            if declaration.is_hidden() {
                return None;
            }
            let mut values = values_of(declaration)?;
            if has_default {
                let default = declaration.default.as_ref().and_then(Value::from_data_expr)?;
                let same = |value: &Value| python::str(value).ok() == python::str(&default).ok();
                values.retain(|value| !same(value));
            }
            (!values.is_empty()).then_some(OpenParameter { name, declaration, has_default, values })
        })
    }

    /// The finding about an error that some of the values lead to.
    fn finding(&self, error: Diagnostic, values: &[&Value]) -> Diagnostic {
        if !self.has_default && values.len() == self.values.len() {
            let message = format!("with every value of `{}`: {}", self.name, error.message);
            return Diagnostic { message, ..error };
        }
        let shown = values.iter().filter_map(|value| match value {
            Value::Bool(flag) => Some(flag.to_string()),
            value => python::str(value).ok(),
        });
        let shown: Vec<String> = shown.collect();
        let values = shown.join("`, `");
        let finding = Diagnostic::new(
            codes::LISTED_VALUE_REFUSED,
            format!("if `{}` is `{values}`: {}", self.name, error.message),
        );
        debug_assert_eq!(finding.severity, Severity::Warning);
        let finding = match error.span() {
            Some(span) => finding.at(span),
            None => finding.at(self.declaration.name_span),
        };
        finding.related(self.declaration.name_span, "the parameter may have this value")
    }
}

/// The values that a declaration allows, if it lists them.
fn values_of(declaration: &Parameter) -> Option<Vec<Value>> {
    let mut lists = declaration.constraints.iter().filter_map(|it| match &it.kind {
        ConstraintKind::AllowedValues(Expr { kind: ExprKind::List(values), .. }) => Some(values),
        _ => None,
    });
    match (lists.next(), declaration.kind?) {
        (Some(values), ParameterType::Text | ParameterType::Number | ParameterType::Boolean) => {
            values.iter().map(Value::from_data_expr).collect()
        }
        (None, ParameterType::Boolean) => Some(vec![Value::Bool(true), Value::Bool(false)]),
        // A list may have any of the values in any number.
        (_, ParameterType::TextList | ParameterType::Json)
        | (None, ParameterType::Text | ParameterType::Number) => None,
    }
}

/// The parameters of the template that stand where some values are wrong, or that decide on something. A string, for
/// example, takes any scalar.
fn parameters_that_matter(deployed: &Deployed) -> HashSet<&str> {
    let stack: &Stack = &deployed.stack;
    let mut matter = HashSet::new();
    for condition in stack.conditions.values() {
        collect(&condition.value, &mut matter);
    }
    for resource in stack.resources.values() {
        let policy = match &resource.deletion_policy {
            Some(DeletionPolicy::Other(policy)) => Some(policy),
            _ => None,
        };
        let rest = [&resource.update_policy, &resource.external_id, &resource.condition];
        for expr in rest.into_iter().flatten().chain(policy) {
            collect(expr, &mut matter);
        }
    }
    for (name, resource) in &stack.resources {
        let Some(properties) = &resource.properties else { continue };
        let found = deployed.node.implementations.get(name);
        let plugin = found.and_then(|it| it.plugin());
        match (&properties.kind, plugin) {
            (ExprKind::Map(pairs), Some((_, info))) => {
                for pair in pairs {
                    let property = pair.key.as_text().and_then(|name| info.property(name));
                    visit(&pair.value, property, &mut matter);
                }
            }
            _ => collect(properties, &mut matter),
        }
    }
    matter
        .into_iter()
        .filter_map(|name| stack.parameters.get_key_value(name))
        .map(|it| it.0.as_str())
        .collect()
}

/// Adds the parameters in a value of a property for which some of their values may be wrong; without a property, the value is
/// free.
fn visit<'e>(expr: &'e Expr, property: Option<&Property>, matter: &mut HashSet<&'e str>) {
    let takes_any_scalar =
        property.is_none_or(|it| matches!(it.value_type, ValueType::String | ValueType::Any));
    match &expr.kind {
        _ if property.is_some_and(is_constrained_offline) => collect(expr, matter),
        ExprKind::Map(pairs) => {
            for pair in pairs {
                let members = property.map(|it| &it.members).filter(|it| !it.is_empty());
                let member = members.zip(pair.key.as_text()).and_then(|(it, key)| it.get(key));
                visit(&pair.value, member, matter);
            }
        }
        ExprKind::List(items) => {
            let of_item = property.and_then(|it| it.items.as_deref());
            items.iter().for_each(|item| visit(item, of_item, matter));
        }
        ExprKind::Parameter(_) if takes_any_scalar => {}
        ExprKind::Join(_) | ExprKind::Replace(_) if takes_any_scalar => {
            expr.for_each_child(|part| visit(part, None, matter));
        }
        ExprKind::Choose(choice) => {
            collect(&choice.condition, matter);
            visit(&choice.then, property, matter);
            choice.otherwise.iter().for_each(|it| visit(it, property, matter));
        }
        _ => collect(expr, matter),
    }
}

/// Adds every parameter of an expression.
fn collect<'e>(expr: &'e Expr, matter: &mut HashSet<&'e str>) {
    expr.walk(&mut |part: &'e Expr| {
        if let ExprKind::Parameter(reference) = &part.kind {
            matter.extend(reference.name.as_text());
        }
    });
}
