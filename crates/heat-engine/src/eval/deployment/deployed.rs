//! The result of a deployment.

use std::collections::HashSet;
use std::sync::Arc;

use indexmap::IndexMap;
use smol_str::SmolStr;

use super::findings::relocate;
use crate::eval::parameters::ParameterOrigin;
use crate::eval::template_graph::TemplateNode;
use crate::eval::{Evaluation, Failure, Unknown};
use heat_template::ir::{Parameter, Stack};
use source_diagnostics::{Code, Diagnostic, Span};

/// An evaluated stack with its nested stacks.
#[derive(Clone, Debug)]
pub struct Deployed {
    /// The values of the stack itself.
    pub evaluation: Evaluation,
    /// The template of this stack; Heat generates that of a group.
    pub stack: Arc<Stack>,
    /// The template under the registry that applies in the stack, with the implementations of its resources.
    pub node: Arc<TemplateNode>,
    /// The number of stacks around this one; 0 for the root.
    pub level: usize,
    /// The nested stacks by the resources that stand for them.
    pub children: IndexMap<String, ChildStack>,
    /// The attributes with a given value, by resource.
    pub given_attributes: HashSet<(SmolStr, SmolStr)>,
    /// The number of resources, including those of all nested stacks.
    pub resource_count: usize,
    /// The number of values, including those of all nested stacks.
    pub(super) value_count: u64,
    /// The maximum number of values for the deployment.
    pub(super) max_values: u64,
    /// Where the values of its parameters come from, in the order of the declarations.
    pub(super) origins: Vec<ParameterOrigin>,
    /// The place of findings in the text of the template, if that is not in a file.
    pub(super) anchor: Option<Span>,
    /// The findings of this stack alone.
    pub(super) findings: Vec<Diagnostic>,
}

/// The nested stack of a resource.
#[derive(Clone, Debug)]
pub enum ChildStack {
    /// The stack with its values.
    Stack(Arc<Deployed>),
    /// The stack depends on unknown values.
    Unknown(Arc<Unknown>),
    /// The stack cannot be created; the reason.
    Failed(Failure),
}

impl ChildStack {
    /// The number of values in the stack and below it.
    pub(super) fn value_count(&self) -> u64 {
        match self {
            ChildStack::Stack(stack) => stack.value_count,
            ChildStack::Unknown(_) | ChildStack::Failed(_) => 0,
        }
    }

    /// The number of resources in the stack and below it.
    pub(super) fn resource_count(&self) -> usize {
        match self {
            ChildStack::Stack(stack) => stack.resource_count,
            ChildStack::Unknown(_) | ChildStack::Failed(_) => 0,
        }
    }
}

impl Deployed {
    /// The findings of this stack and all nested stacks, without duplicates.
    pub fn findings(&self) -> Vec<Diagnostic> {
        let mut found = Vec::new();
        self.collect(&mut found, &mut HashSet::new());
        found
    }

    /// The declared parameters, each with the origin of its value.
    pub fn parameters(&self) -> impl Iterator<Item = (&str, &Parameter, ParameterOrigin)> {
        let declared = self.stack.parameters.iter().zip(&self.origins);
        declared.map(|((name, parameter), origin)| (name.as_str(), parameter, *origin))
    }

    /// The maximum number of values that the deployment was allowed to read and create.
    pub fn max_values(&self) -> u64 {
        self.max_values
    }

    /// The findings of this stack, without those of nested stacks.
    pub fn own_findings(&self) -> &[Diagnostic] {
        &self.findings
    }

    /// Moves findings that are in the text of a computed template to the place where the template is given.
    pub fn place(&self, findings: &mut [Diagnostic]) {
        if let Some(anchor) = self.anchor {
            findings.iter_mut().for_each(|finding| relocate(finding, anchor));
        }
    }

    fn collect(
        &self,
        found: &mut Vec<Diagnostic>,
        seen: &mut HashSet<(Code, String, Option<Span>)>,
    ) {
        for finding in &self.findings {
            if seen.insert((finding.code, finding.message.clone(), finding.span())) {
                found.push(finding.clone());
            }
        }
        for child in self.children.values() {
            if let ChildStack::Stack(stack) = child {
                let before = found.len();
                stack.collect(found, seen);
                // What fails in the definition of a group's members fails in the template that Heat generates from it, too.
                if stack.node.url().is_none() {
                    let is_own = |it: &Diagnostic| {
                        let mut own = self.findings.iter();
                        own.any(|own| own.code == it.code && own.message == it.message)
                    };
                    let generated = found.split_off(before);
                    found.extend(generated.into_iter().filter(|it| !is_own(it)));
                }
            }
        }
    }

    /// The number of stacks, including this one.
    pub fn stack_count(&self) -> usize {
        let stacks = self.children.values().map(|child| match child {
            ChildStack::Stack(stack) => stack.stack_count(),
            ChildStack::Unknown(_) | ChildStack::Failed(_) => 0,
        });
        1 + stacks.sum::<usize>()
    }
}
