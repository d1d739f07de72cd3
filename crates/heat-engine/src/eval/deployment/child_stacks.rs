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
use super::deployer::Deployer;
use super::implementation::{ChildKind, child_kind};
use super::stack_request::{Ancestors, StackRequest, TemplateChain};
use crate::eval::child_outputs::{ChildOutputs, OutputMapping};
use crate::eval::groups::GroupMembers;
use crate::eval::template_graph::{Template, TemplateNode};
use crate::eval::{Evaluation, Value};
use source_diagnostics::Diagnostic;

/// A child with its inputs; it is reused while they do not change.
pub(super) struct BuiltChild {
    pub(super) input: ChildInput,
    pub(super) child: ChildStack,
    pub(super) outputs: OutputMapping,
}

/// For each child the index of the first one with equal inputs, as members of a group often have.
fn first_equivalents<'s, 'p>(children: &'s [PreparedChild<'p>]) -> Vec<usize> {
    /// Maximum number of different inputs of one template that are compared.
    const COMPARED: usize = 8;
    let mut firsts: HashMap<*const TemplateNode, Vec<(usize, &ChildInput)>> = HashMap::new();
    let find = |(at, child): (usize, &'s PreparedChild<'p>)| {
        let ChildState::Pending(input, Some(node)) = &child.state else { return at };
        // What groups remember differs from member to member.
        if child.resource.parent.running_child(child.resource.name).is_some() {
            return at;
        }
        let firsts = firsts.entry(Arc::as_ptr(node)).or_default();
        if let Some((first, _)) = firsts.iter().find(|(_, other)| *other == input) {
            return *first;
        }
        if firsts.len() < COMPARED {
            firsts.push((at, input));
        }
        at
    };
    children.iter().enumerate().map(find).collect()
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
        mut before: HashMap<String, BuiltChild>,
        findings: &mut Vec<Diagnostic>,
    ) -> HashMap<String, BuiltChild> {
        let mut resources = Vec::new();
        for (name, resource) in evaluation.resources.iter().flatten() {
            let span = type_span(parent.stack(), name);
            let Some(found) = parent.node.implementations.get(name) else { continue };
            match child_kind(found, self.request.templates.environment(), resource) {
                Ok(Some(kind)) => {
                    let references = evaluation.requested_attributes.get(name);
                    let references = references.map_or(&[][..], Vec::as_slice);
                    let child = ChildResource { parent, name, resource, span, kind, references };
                    resources.push((child, before.remove(name)));
                }
                Ok(None) => {}
                Err(finding) => findings.push(finding.at(span)),
            }
        }
        let prepared: Vec<PreparedChild<'_>> = resources
            .into_par_iter()
            .map(|(resource, before)| self.prepare_child(resource, before))
            .collect();
        let equivalents = first_equivalents(&prepared);
        let children: Vec<Option<ChildStack>> = prepared
            .par_iter()
            .enumerate()
            .map(|(at, child)| match &child.state {
                ChildState::Pending(input, node) if equivalents[at] == at => {
                    Some(self.evaluate_child(&child.resource, input, node.as_ref()))
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
        node: Option<&Arc<TemplateNode>>,
    ) -> ChildStack {
        let parent = child.parent;
        let depth = parent.ancestors.depth + 1;
        let deployed = match (&child.kind, input, node) {
            (ChildKind::Template(reference), ChildInput::Template(passed, facade), Some(node)) => {
                self.evaluate_stack(&StackRequest {
                    node,
                    parameter_values: &passed.values,
                    group_values: &IndexMap::new(),
                    facade: Some(facade.clone()),
                    table: None,
                    running: parent.running_child(child.name),
                    ancestors: Ancestors {
                        depth,
                        templates: Some(&TemplateChain {
                            url: &reference.url,
                            outer: parent.ancestors.templates,
                        }),
                    },
                    anchor: None,
                })
            }
            (
                ChildKind::Group(group),
                ChildInput::Group(GroupMembers::Known(members), facade),
                None,
            ) => {
                let stack = Arc::clone(&members.stack);
                let version = stack.format.version;
                let template = Arc::new(Template::generated(stack, version, Vec::new()));
                let node = TemplateNode::new(template, Arc::clone(&group.registry));
                self.evaluate_stack(&StackRequest {
                    node: &Arc::new(node),
                    parameter_values: &IndexMap::new(),
                    group_values: &members.values,
                    facade: Some(facade.clone()),
                    table: None,
                    running: parent.running_child(child.name),
                    ancestors: Ancestors { depth, ..parent.ancestors },
                    anchor: parent.anchor.or(Some(child.member_span())),
                })
            }
            _ => unreachable!("only what can be evaluated is left to be evaluated"),
        };
        ChildStack::Stack(Arc::new(deployed))
    }
}
