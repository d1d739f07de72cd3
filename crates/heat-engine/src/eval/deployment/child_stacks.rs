//! Nested stacks: the inputs of each, and its evaluation.
//!
//! Heat's rule: `docs/heat.md#nested-stacks`.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use indexmap::IndexMap;
use python_semantics::ExceptionClass;
use rayon::prelude::*;

use super::child_template::ChildTemplate;
use super::implementation::{ChildKind, Implementations, child_kind};
use super::{
    Ancestors, ChildStack, Deployer, HEAT_MAX_DEPTH, MAX_DEPTH, StackRequest, TemplateChain, limits,
};
use crate::environment::Registry;
use crate::environment::registry::RegistryEntry;
use crate::eval::child_outputs::{ChildOutputs, OutputMapping};
use crate::eval::groups::{self, GroupMembers};
use crate::eval::nested_parameters::{self, NestedParameters};
use crate::eval::parameters::SuppliedValue;
use crate::eval::{
    Dependency, EvalResult, EvaluatedProperties, EvaluatedResource, Evaluation, Facade, Failure,
    HeatExceptionClass, Unknown, Value, properties, python,
};
use heat_template::ir::{self, Expr, ExprKind, Stack};
use heat_template::schema::ValueType;
use lossless_yaml::{Limits, as_sent, read};
use source_diagnostics::{Code, Diagnostic, SourceId, Span};

/// A child with its inputs; it is reused while they do not change.
pub(super) struct BuiltChild {
    input: ChildInput,
    pub(super) child: ChildStack,
    outputs: OutputMapping,
}

/// The progress of a child.
enum ChildState {
    /// Its stack was evaluated, or its failure is known.
    Ready(BuiltChild),
    /// It is to be evaluated; the template is set if it is a file.
    Pending(ChildInput, Option<Arc<ChildTemplate>>),
}

impl ChildState {
    fn ready(child: ChildStack, by: OutputMapping) -> Self {
        ChildState::Ready(BuiltChild { input: ChildInput::Undetermined, child, outputs: by })
    }
}

#[derive(PartialEq)]
enum ChildInput {
    Template(NestedParameters, Facade),
    Group(GroupMembers, Facade),
    Undetermined,
}

/// For each child the index of the first one with equal inputs, as members of a group often have.
fn first_equivalents<'s>(
    steps: impl Iterator<Item = (&'s ChildKind<'s>, &'s ChildState)>,
    place: &StackRequest<'_>,
) -> Vec<usize> {
    /// Maximum number of different inputs of one template that are compared.
    const COMPARED: usize = 8;
    let mut firsts: HashMap<&str, Vec<(usize, &ChildKind<'_>, &ChildInput)>> = HashMap::new();
    let find = |(at, (ask, step)): (usize, (&'s ChildKind<'s>, &'s ChildState))| {
        let (ChildKind::Template(url, entry), ChildState::Pending(from, _)) = (ask, step) else {
            return at;
        };
        // Registry entries for single resources make all of them different.
        if place.registry.is_scoped() {
            return at;
        }
        let same = |other: &Option<&RegistryEntry>| match (entry, other) {
            (Some(one), Some(other)) => std::ptr::eq(*one, *other),
            (one, other) => one.is_none() && other.is_none(),
        };
        let firsts = firsts.entry(url).or_default();
        let found = firsts.iter().find(|(_, ask, other)| {
            matches!(ask, ChildKind::Template(_, entry) if same(entry)) && *other == from
        });
        if let Some((first, ..)) = found {
            return *first;
        }
        if firsts.len() < COMPARED {
            firsts.push((at, ask, from));
        }
        at
    };
    steps.enumerate().map(find).collect()
}

/// A child that cannot be determined because `value` is unknown.
fn unknown_from_value(resource: &EvaluatedResource, value: &Value, span: Span) -> ChildStack {
    let mut depends_on = BTreeSet::new();
    value.collect_dependencies(&mut depends_on);
    unknown_from_dependencies(resource, depends_on, span)
}

fn unknown_from_dependencies(
    resource: &EvaluatedResource,
    depends_on: BTreeSet<Dependency>,
    span: Span,
) -> ChildStack {
    let expr = Expr::new(ExprKind::Text(resource.kind.clone()), span);
    ChildStack::Unknown(Arc::new(Unknown::opaque(expr, depends_on)))
}

/// The parts of a resource that its nested template can read with `resource_facade`.
pub(super) fn facade(resource: &EvaluatedResource) -> Facade {
    let value = |outcome: &Option<EvalResult>| match outcome {
        Some(Ok(value)) => value.clone(),
        Some(Err(_)) | None => Value::Null,
    };
    Facade {
        metadata: value(&resource.metadata),
        deletion_policy: resource.deletion_policy.clone(),
        update_policy: value(&resource.update_policy),
    }
}

/// Where the type of a resource is written.
pub(super) fn type_span(stack: &Stack, name: &str) -> Span {
    let resource = stack.resources.get(name);
    let kind = resource.and_then(|resource| resource.kind.as_ref());
    kind.map(|kind| kind.span)
        .or(resource.map(|resource| resource.name_span))
        .unwrap_or(stack.format.span)
}

/// Where a property of a resource is written.
fn property_span(stack: &Stack, name: &str, property: &str) -> Option<Span> {
    let ExprKind::Map(pairs) = &stack.resources.get(name)?.properties.as_ref()?.kind else {
        return None;
    };
    let found = pairs.iter().rev().find(|pair: &&ir::Pair| pair.key.as_text() == Some(property));
    found.map(|pair| pair.value.span)
}

/// The known outputs of children that the stack requests.
pub(super) fn known_outputs(
    evaluation: &Evaluation,
    made: &HashMap<String, BuiltChild>,
) -> IndexMap<String, ChildOutputs> {
    let mut known = IndexMap::new();
    for name in evaluation.requested_attributes.keys() {
        let Some(BuiltChild { child: ChildStack::Stack(stack), outputs: by, .. }) = made.get(name)
        else {
            continue;
        };
        let outputs = stack.evaluation.outputs.iter().flatten();
        let values: IndexMap<String, Value> = outputs
            .filter(|(_, output)| *output.enabled.unsealed() == Value::Bool(true))
            .filter_map(|(name, output)| {
                let value = output.value.as_ref().ok()?;
                (!value.holds_unknown()).then(|| (name.clone(), value.clone()))
            })
            .collect();
        if !values.is_empty() {
            known.insert(name.clone(), ChildOutputs { mapping: *by, values });
        }
    }
    known
}

impl Deployer<'_> {
    /// Evaluates the children of a stack; those with unchanged inputs are reused.
    pub(super) fn children(
        &self,
        place: &StackRequest<'_>,
        evaluation: &Evaluation,
        looked_up: &Implementations<'_>,
        mut before: HashMap<String, BuiltChild>,
        findings: &mut Vec<Diagnostic>,
    ) -> HashMap<String, BuiltChild> {
        let mut asked = Vec::new();
        for (name, resource) in evaluation.resources.iter().flatten() {
            let span = type_span(place.stack, name);
            let Some(found) = looked_up.get(name.as_str()) else { continue };
            match child_kind(found, resource, span) {
                Ok(Some(ask)) => {
                    asked.push((name, resource, span, ask, before.remove(name)));
                }
                Ok(None) => {}
                Err(finding) => findings.push(finding),
            }
        }
        let names: Vec<&String> = asked.iter().map(|(name, ..)| *name).collect();
        let prepare =
            |(name, resource, span, ask, before): (&String, &EvaluatedResource, _, _, _)| {
                let mut found = Vec::new();
                let references =
                    evaluation.requested_attributes.get(name).map_or(&[][..], Vec::as_slice);
                let step = self.prepare_child(
                    place, name, resource, span, &ask, references, before, &mut found,
                );
                (span, ask, step, found)
            };
        let prepared: Vec<_> = asked.into_par_iter().map(prepare).collect();
        let alike = first_equivalents(prepared.iter().map(|(_, ask, step, _)| (ask, step)), place);
        let children: Vec<Option<ChildStack>> = prepared
            .par_iter()
            .enumerate()
            .map(|(at, (span, ask, step, _))| match step {
                ChildState::Pending(from, nested) if alike[at] == at => {
                    Some(self.evaluate_child(place, names[at], *span, ask, from, nested.as_deref()))
                }
                ChildState::Pending(..) | ChildState::Ready(_) => None,
            })
            .collect();
        let mut made = HashMap::with_capacity(prepared.len());
        for (at, (_, ask, step, found)) in prepared.into_iter().enumerate() {
            findings.extend(found);
            let child = match step {
                ChildState::Ready(made) => Some(made),
                ChildState::Pending(from, _) => {
                    let child = children.get(alike[at]).cloned().flatten();
                    child.map(|child| BuiltChild {
                        input: from,
                        child,
                        outputs: ask.output_mapping(),
                    })
                }
            };
            if let Some(child) = child {
                made.insert(names[at].clone(), child);
            }
        }
        made
    }

    /// Determines the inputs of a child.
    #[expect(clippy::too_many_arguments, reason = "they are what a child is made of")]
    fn prepare_child(
        &self,
        place: &StackRequest<'_>,
        name: &str,
        resource: &EvaluatedResource,
        span: Span,
        ask: &ChildKind<'_>,
        references: &[groups::AttributePath],
        before: Option<BuiltChild>,
        findings: &mut Vec<Diagnostic>,
    ) -> ChildState {
        let facade = facade(resource);
        let by = ask.output_mapping();
        let depth = place.ancestors.depth;
        let failed = |failure: Failure| ChildState::ready(ChildStack::Failed(failure), by);
        let too_deep = |code: Code, message: String, findings: &mut Vec<Diagnostic>| {
            findings.push(Diagnostic::new(code, message.clone()).at(span));
            failed(Failure::new(HeatExceptionClass::RequestLimitExceeded, message, span))
        };
        if depth >= MAX_DEPTH {
            let message = format!("Recursion depth exceeds {MAX_DEPTH}.");
            return too_deep(crate::codes::STACKS_TOO_DEEP, message, findings);
        }
        if depth >= HEAT_MAX_DEPTH {
            if let ChildKind::Template(url, _) = ask
                && place.ancestors.contains_template(url)
            {
                let message = "the stack contains itself without end".to_owned();
                return too_deep(crate::codes::NESTING_CYCLE, message, findings);
            }
            let message = format!("more than {HEAT_MAX_DEPTH} stacks in each other");
            let help = "Heat allows this only if its operator raises `max_nested_stack_depth`";
            findings.push(Diagnostic::new(crate::codes::DEEP_STACKS, message).at(span).help(help));
        }
        // Which stacks exceed the limit is not deterministic: `limits` reports it once for the whole deployment.
        if self.is_exhausted() {
            return failed(Failure::new(
                HeatExceptionClass::RequestLimitExceeded,
                limits::TOO_MANY_RESOURCES,
                span,
            ));
        }
        let properties = match &resource.properties {
            EvaluatedProperties::Each(each) => each,
            EvaluatedProperties::Whole(Ok(value)) if value.holds_unknown() => {
                return ChildState::ready(unknown_from_value(resource, value, span), by);
            }
            // Heat does not accept a function in place of a nested stack's properties.
            EvaluatedProperties::Whole(_) => {
                let message = "argument of this type is not iterable";
                return failed(Failure::new(ExceptionClass::TypeError, message, span));
            }
        };
        let values = properties.values().filter_map(|value| value.as_ref().ok());
        if let Err(problem) = self.budget.spend_on(values) {
            return failed(problem.at(span));
        }
        let spot = |property: &str| property_span(place.stack, name, property).unwrap_or(span);
        let mut refused = |failure: Failure| {
            // A failed value is reported where it is computed.
            let finding = Diagnostic::new(
                crate::codes::NESTED_REFUSED,
                format!("{} ({})", failure.safe_message(), failure.class.name()),
            );
            if !properties.values().any(|value| value.as_ref() == Err(&failure)) {
                findings.push(finding.at(failure.span));
            }
            failed(failure)
        };
        match ask {
            ChildKind::Template(url, _) => {
                let nested = match self.template(url, span) {
                    Ok(nested) => nested,
                    Err(finding) => {
                        let failure = Failure::new(
                            HeatExceptionClass::NotFound,
                            finding.message.clone(),
                            span,
                        );
                        // The unreadable file was reported when it was looked up.
                        if !self.files.is_unreadable(url) {
                            findings.push(finding);
                        }
                        return failed(failure);
                    }
                };
                let passed = match nested_parameters::from_properties(
                    &nested.stack.parameters,
                    properties,
                    spot,
                ) {
                    Ok(passed) => passed,
                    Err(failure) => return refused(failure),
                };
                for property in &passed.undeclared {
                    let message = format!("Unknown Property {property}");
                    let finding =
                        Diagnostic::new(crate::codes::NESTED_REFUSED, message).at(spot(property));
                    let known = nested.stack.parameters.keys().map(String::as_str);
                    findings.push(match source_diagnostics::did_you_mean(property, known) {
                        Some(near) => finding.help(format!("did you mean `{near}`?")),
                        None => finding,
                    });
                }
                self.count_prepared(&nested.stack);
                let from = ChildInput::Template(passed, facade);
                match before.filter(|before| before.input == from) {
                    Some(before) => ChildState::Ready(before),
                    None => ChildState::Pending(from, Some(nested)),
                }
            }
            ChildKind::Group(kind) => {
                let members =
                    match groups::members(*kind, properties, references, span, &self.budget) {
                        Ok(GroupMembers::Unknown(depends_on)) => {
                            let child = unknown_from_dependencies(resource, depends_on, span);
                            return ChildState::ready(child, by);
                        }
                        Ok(members) => members,
                        Err(failure) => return refused(failure),
                    };
                if let GroupMembers::Known(inner) = &members {
                    self.count_prepared(&inner.stack);
                }
                let from = ChildInput::Group(members, facade);
                match before.filter(|before| before.input == from) {
                    Some(before) => ChildState::Ready(before),
                    None => ChildState::Pending(from, None),
                }
            }
            ChildKind::Remote => {
                match self.remote_stack(place, resource, properties, &facade, span) {
                    Ok(child) => ChildState::ready(child, by),
                    Err(failure) => refused(failure),
                }
            }
        }
    }

    /// Evaluates a prepared child.
    fn evaluate_child(
        &self,
        place: &StackRequest<'_>,
        name: &str,
        span: Span,
        ask: &ChildKind<'_>,
        from: &ChildInput,
        nested: Option<&ChildTemplate>,
    ) -> ChildStack {
        let depth = place.ancestors.depth + 1;
        let nothing = IndexMap::new();
        let none = IndexMap::new();
        let deployed = match (ask, from, nested) {
            (
                ChildKind::Template(url, entry),
                ChildInput::Template(passed, facade),
                Some(nested),
            ) => self.evaluate_stack(&StackRequest {
                stack: &nested.stack,
                version: nested.version,
                lowering_findings: &nested.lowering_findings,
                parameter_values: &passed.values,
                group_values: &none,
                registry: Arc::new(place.registry.of_child(Some(name), *entry)),
                facade: Some(facade.clone()),
                table: None,
                template: Some(url),
                base: Some(&nested.base),
                ancestors: Ancestors {
                    depth,
                    templates: Some(&TemplateChain { url, outer: place.ancestors.templates }),
                },
                anchor: None,
            }),
            (_, ChildInput::Group(GroupMembers::Known(inner), facade), _) => {
                self.evaluate_stack(&StackRequest {
                    stack: &inner.stack,
                    version: inner.stack.format.version,
                    lowering_findings: &[],
                    parameter_values: &nothing,
                    group_values: &inner.values,
                    registry: self.member_registry(place, name),
                    facade: Some(facade.clone()),
                    table: None,
                    template: None,
                    base: None,
                    ancestors: Ancestors { depth, ..place.ancestors },
                    anchor: place.anchor.or(Some(span)),
                })
            }
            _ => unreachable!("only what can be evaluated is left to be evaluated"),
        };
        ChildStack::Stack(Arc::new(deployed))
    }

    /// The registry that applies to the members of a group.
    fn member_registry(&self, place: &StackRequest<'_>, name: &str) -> Arc<Registry> {
        if place.registry.is_scoped() {
            Arc::new(place.registry.of_child(Some(name), None))
        } else {
            Arc::clone(&place.registry)
        }
    }

    /// Evaluates an `OS::Heat::Stack`, whose template is a text.
    fn remote_stack(
        &self,
        place: &StackRequest<'_>,
        resource: &EvaluatedResource,
        properties: &properties::PropertyValues,
        facade: &Facade,
        span: Span,
    ) -> Result<ChildStack, Failure> {
        let template =
            properties::required_property(properties, "template", ValueType::String, span)?;
        let given = properties::optional_property(properties, "parameters", ValueType::Map, span)?;
        let given = given.unwrap_or_else(|| Value::map::<&str>([]));
        let Value::Text(text) = template.unsealed() else {
            return Ok(unknown_from_value(resource, &template, span));
        };
        let Value::Map(given) = given.unsealed() else {
            return Ok(unknown_from_value(resource, &given, span));
        };
        let wrong = |message: &str| Failure::new(ExceptionClass::ValueError, message, span);
        if template.holds_secret() {
            return Err(wrong("the template is secret"));
        }
        let document = read(SourceId(u32::MAX), as_sent(text).into(), &Limits::default())
            .map_err(|found| wrong(&found.message))?;
        let lowered = self.environment.lower(&document).map_err(|found| wrong(&found.message))?;
        let version = lowered.declaration();
        let stack = Arc::new(lowered.stack);
        let mut pairs = IndexMap::with_capacity(given.len());
        for (key, value) in given.iter() {
            let name = python::str(&key.to_value()).map_err(|raised| raised.at(span))?;
            pairs.insert(name, SuppliedValue { value: value.clone(), span: Some(span), key: None });
        }
        Ok(ChildStack::Stack(Arc::new(self.evaluate_stack(&StackRequest {
            stack: &stack,
            version,
            lowering_findings: &lowered.findings,
            parameter_values: &pairs,
            group_values: &IndexMap::new(),
            registry: Arc::clone(&place.registry),
            facade: Some(facade.clone()),
            table: None,
            template: None,
            base: None,
            ancestors: Ancestors { depth: place.ancestors.depth + 1, ..place.ancestors },
            anchor: place.anchor.or(Some(span)),
        }))))
    }
}
