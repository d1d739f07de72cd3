//! The nested stacks of a stack: each is evaluated once for equal inputs, and again only if they change.
//!
//! Heat's rule: `docs/heat.md#nested-stacks`.

use std::collections::HashMap;
use std::sync::Arc;

use indexmap::IndexMap;
use rayon::prelude::*;

use super::ChildStack;
use super::child_input::{ChildInput, ChildState, PreparedChild};
use super::child_resource::{ChildResource, type_span};
use super::child_template::ChildTemplate;
use super::deployer::Deployer;
use super::implementation::{ChildKind, Implementations, child_kind};
use super::stack_request::{Ancestors, StackRequest, TemplateChain};
use crate::environment::Registry;
use crate::environment::registry::RegistryEntry;
use crate::eval::child_outputs::{ChildOutputs, OutputMapping};
use crate::eval::groups::GroupMembers;
use crate::eval::{Evaluation, Value};
use source_diagnostics::Diagnostic;

/// A child with its inputs; it is reused while they do not change.
pub(super) struct BuiltChild {
    pub(super) input: ChildInput,
    pub(super) child: ChildStack,
    pub(super) outputs: OutputMapping,
}

/// For each child the index of the first one with equal inputs, as members of a group often have.
fn first_equivalents<'s>(
    children: impl Iterator<Item = (&'s ChildKind<'s>, &'s ChildState)>,
    parent: &StackRequest<'_>,
) -> Vec<usize> {
    /// Maximum number of different inputs of one template that are compared.
    const COMPARED: usize = 8;
    let mut firsts: HashMap<&str, Vec<(usize, &ChildKind<'_>, &ChildInput)>> = HashMap::new();
    let find = |(at, (kind, state)): (usize, (&'s ChildKind<'s>, &'s ChildState))| {
        let (ChildKind::Template(url, entry), ChildState::Pending(input, _)) = (kind, state) else {
            return at;
        };
        // Registry entries for single resources make all of them different.
        if parent.registry.is_scoped() {
            return at;
        }
        let same = |other: &Option<&RegistryEntry>| match (entry, other) {
            (Some(one), Some(other)) => std::ptr::eq(*one, *other),
            (one, other) => one.is_none() && other.is_none(),
        };
        let firsts = firsts.entry(url).or_default();
        let found = firsts.iter().find(|(_, kind, other)| {
            matches!(kind, ChildKind::Template(_, entry) if same(entry)) && *other == input
        });
        if let Some((first, ..)) = found {
            return *first;
        }
        if firsts.len() < COMPARED {
            firsts.push((at, kind, input));
        }
        at
    };
    children.enumerate().map(find).collect()
}

/// The known outputs of children that the stack requests.
pub(super) fn known_outputs(
    evaluation: &Evaluation,
    children: &HashMap<String, BuiltChild>,
) -> IndexMap<String, ChildOutputs> {
    let mut known = IndexMap::new();
    for name in evaluation.requested_attributes.keys() {
        let Some(BuiltChild { child: ChildStack::Stack(stack), outputs: mapping, .. }) =
            children.get(name)
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
            known.insert(name.clone(), ChildOutputs { mapping: *mapping, values });
        }
    }
    known
}

impl Deployer<'_> {
    /// Evaluates the children of a stack; those with unchanged inputs are reused.
    pub(super) fn children(
        &self,
        parent: &StackRequest<'_>,
        evaluation: &Evaluation,
        implementations: &Implementations<'_>,
        mut before: HashMap<String, BuiltChild>,
        findings: &mut Vec<Diagnostic>,
    ) -> HashMap<String, BuiltChild> {
        let mut resources = Vec::new();
        for (name, resource) in evaluation.resources.iter().flatten() {
            let span = type_span(parent.stack, name);
            let Some(found) = implementations.get(name.as_str()) else { continue };
            match child_kind(found, self.schema(), resource, span) {
                Ok(Some(kind)) => {
                    let references = evaluation.requested_attributes.get(name);
                    let references = references.map_or(&[][..], Vec::as_slice);
                    let child = ChildResource { parent, name, resource, span, kind, references };
                    resources.push((child, before.remove(name)));
                }
                Ok(None) => {}
                Err(finding) => findings.push(finding),
            }
        }
        let prepared: Vec<PreparedChild<'_>> = resources
            .into_par_iter()
            .map(|(resource, before)| self.prepare_child(resource, before))
            .collect();
        let inputs = prepared.iter().map(|child| (&child.resource.kind, &child.state));
        let equivalents = first_equivalents(inputs, parent);
        let children: Vec<Option<ChildStack>> = prepared
            .par_iter()
            .enumerate()
            .map(|(at, child)| match &child.state {
                ChildState::Pending(input, template) if equivalents[at] == at => {
                    Some(self.evaluate_child(&child.resource, input, template.as_deref()))
                }
                ChildState::Pending(..) | ChildState::Ready(_) => None,
            })
            .collect();
        let mut built = HashMap::with_capacity(prepared.len());
        for (at, PreparedChild { resource, state, findings: found }) in
            prepared.into_iter().enumerate()
        {
            findings.extend(found);
            let child = match state {
                ChildState::Ready(child) => Some(child),
                ChildState::Pending(input, _) => {
                    let child = children.get(equivalents[at]).cloned().flatten();
                    let outputs = resource.kind.output_mapping();
                    child.map(|child| BuiltChild { input, child, outputs })
                }
            };
            if let Some(child) = child {
                built.insert(resource.name.to_owned(), child);
            }
        }
        built
    }

    /// Evaluates a prepared child.
    fn evaluate_child(
        &self,
        child: &ChildResource<'_>,
        input: &ChildInput,
        template: Option<&ChildTemplate>,
    ) -> ChildStack {
        let parent = child.parent;
        let depth = parent.ancestors.depth + 1;
        let deployed = match (&child.kind, input, template) {
            (
                ChildKind::Template(url, entry),
                ChildInput::Template(passed, facade),
                Some(template),
            ) => self.evaluate_stack(&StackRequest {
                stack: &template.stack,
                version: template.version,
                lowering_findings: &template.lowering_findings,
                parameter_values: &passed.values,
                group_values: &IndexMap::new(),
                registry: Arc::new(parent.registry.of_child(Some(child.name), *entry)),
                facade: Some(facade.clone()),
                table: None,
                template: Some(url),
                base: Some(&template.base),
                ancestors: Ancestors {
                    depth,
                    templates: Some(&TemplateChain { url, outer: parent.ancestors.templates }),
                },
                anchor: None,
            }),
            (_, ChildInput::Group(GroupMembers::Known(members), facade), _) => {
                self.evaluate_stack(&StackRequest {
                    stack: &members.stack,
                    version: members.stack.format.version,
                    lowering_findings: &[],
                    parameter_values: &IndexMap::new(),
                    group_values: &members.values,
                    registry: member_registry(child),
                    facade: Some(facade.clone()),
                    table: None,
                    template: None,
                    base: None,
                    ancestors: Ancestors { depth, ..parent.ancestors },
                    anchor: parent.anchor.or(Some(child.span)),
                })
            }
            _ => unreachable!("only what can be evaluated is left to be evaluated"),
        };
        ChildStack::Stack(Arc::new(deployed))
    }
}

/// The registry that applies to the members of a group.
fn member_registry(child: &ChildResource<'_>) -> Arc<Registry> {
    let registry = &child.parent.registry;
    if registry.is_scoped() {
        Arc::new(registry.of_child(Some(child.name), None))
    } else {
        Arc::clone(registry)
    }
}
