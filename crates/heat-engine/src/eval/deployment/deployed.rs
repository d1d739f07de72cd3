//! The result of a deployment.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use indexmap::IndexMap;
use smol_str::SmolStr;

use super::findings::relocate;
use super::{DeploymentRequest, deploy};
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
    /// What Heat refuses in this stack alone while none of its resources exists.
    pub(super) at_creation: Vec<Diagnostic>,
    /// The deployment as it is if the evaluation continues after a failure; `None` if nothing fails, or if this is it.
    pub(super) recovered: Option<Arc<Deployed>>,
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

/// The stacks that have the findings of others, by the addresses of both before that, which the values keep from being used again.
type TakenStacks = HashMap<(*const Deployed, *const Deployed), (Arc<Deployed>, Arc<Deployed>)>;

impl Deployed {
    /// The findings of this stack and all nested stacks, without duplicates.
    pub fn findings(&self) -> Vec<Diagnostic> {
        let mut found = Vec::new();
        self.collect(|stack| &stack.findings, &mut found, &mut HashSet::new());
        found
    }

    /// The findings about what fails only while the resources of a stack do not exist.
    pub fn findings_at_creation(&self) -> Vec<Diagnostic> {
        let mut found = Vec::new();
        self.collect(|stack| &stack.at_creation, &mut found, &mut HashSet::new());
        found
    }

    /// Whether a nested stack, at any depth, depends on unknown values, such as a group of unknown size.
    pub fn has_unknown_child(&self) -> bool {
        self.children.values().any(|child| match child {
            ChildStack::Unknown(_) => true,
            ChildStack::Stack(child) => child.has_unknown_child(),
            ChildStack::Failed(_) => false,
        })
    }

    /// Gives each group of unknown size one member, which stands for each of them. All other values stay: what reads such a group
    /// depends on its real size. `request` is that of this deployment.
    pub fn assume_members(&mut self, request: &DeploymentRequest<'_>) {
        if self.has_unknown_child() {
            self.take_members(&deploy(&DeploymentRequest { assume_members: true, ..*request }));
        }
    }

    fn take_members(&mut self, assumed: &Deployed) {
        for (name, child) in &mut self.children {
            let Some(ChildStack::Stack(known)) = assumed.children.get(name) else { continue };
            match child {
                ChildStack::Unknown(_) => *child = ChildStack::Stack(Arc::clone(known)),
                ChildStack::Stack(own) if own.has_unknown_child() => {
                    Arc::make_mut(own).take_members(known);
                }
                ChildStack::Stack(_) | ChildStack::Failed(_) => {}
            }
        }
    }

    /// The deployment in which every mistake is found: as far as possible, evaluation continues after a failure.
    pub fn recovered(&self) -> &Deployed {
        self.recovered.as_deref().unwrap_or(self)
    }

    /// Takes the findings of an evaluation that continues after failures, so that every command reports the same ones. Those of
    /// stacks that are not there because of a failure go to the stack around them.
    pub(super) fn recover(&mut self, recovered: Deployed) {
        self.take_findings(&recovered, &mut HashMap::new());
        self.recovered = Some(Arc::new(recovered));
    }

    fn take_findings(&mut self, recovered: &Deployed, taken: &mut TakenStacks) {
        self.findings.clone_from(&recovered.findings);
        let (mut gone, mut seen, mut visited) = (Vec::new(), HashSet::new(), HashSet::new());
        for (name, child) in &recovered.children {
            let ChildStack::Stack(child) = child else { continue };
            match self.children.get_mut(name) {
                // Equal stacks are one, and stay one.
                Some(ChildStack::Stack(own)) => {
                    let key = (Arc::as_ptr(own), Arc::as_ptr(child));
                    if let Some((_, known)) = taken.get(&key) {
                        own.clone_from(known);
                        continue;
                    }
                    let before = Arc::clone(own);
                    Arc::make_mut(own).take_findings(child, taken);
                    taken.insert(key, (before, Arc::clone(own)));
                }
                _ if visited.insert(Arc::as_ptr(child)) => {
                    child.collect(|stack| &stack.findings, &mut gone, &mut seen);
                }
                _ => {}
            }
        }
        self.findings.append(&mut gone);
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
        of: fn(&Deployed) -> &Vec<Diagnostic>,
        found: &mut Vec<Diagnostic>,
        seen: &mut HashSet<(Code, String, Option<Span>)>,
    ) {
        for finding in of(self) {
            if seen.insert((finding.code, finding.message.clone(), finding.span())) {
                found.push(finding.clone());
            }
        }
        for child in self.children.values() {
            if let ChildStack::Stack(stack) = child {
                let before = found.len();
                stack.collect(of, found, seen);
                // What fails in the definition of a group's members fails in the template that Heat generates from it, too.
                if stack.node.url().is_none() {
                    let is_own = |it: &Diagnostic| {
                        let mut own = of(self).iter();
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
