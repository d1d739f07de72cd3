//! The inputs of one stack of a deployment.

use std::sync::Arc;

use indexmap::IndexMap;

use crate::eval::groups::RunningMembers;
use crate::eval::parameters::SuppliedValue;
use crate::eval::template_graph::TemplateNode;
use crate::eval::{EvalResult, Facade, ResourceStates};
use heat_template::ir::Stack;
use source_diagnostics::Span;

/// A stack that is about to be evaluated.
pub(super) struct StackRequest<'a> {
    pub(super) node: &'a Arc<TemplateNode>,
    pub(super) parameter_values: &'a IndexMap<String, SuppliedValue>,
    /// Values that a group's template refers to by name.
    pub(super) group_values: &'a IndexMap<String, EvalResult>,
    pub(super) facade: Option<Facade>,
    pub(super) table: Option<&'a ResourceStates>,
    /// The memory of the groups in the stack, if it runs.
    pub(super) running: Option<&'a RunningMembers>,
    pub(super) ancestors: Ancestors<'a>,
    /// The place to report findings at, if the stack's template is not in a file.
    pub(super) anchor: Option<Span>,
}

impl<'a> StackRequest<'a> {
    pub(super) fn stack(&self) -> &'a Arc<Stack> {
        &self.node.template.stack
    }

    /// The memory of the groups in the stack of a resource, and of the resource itself.
    pub(super) fn running_child(&self, name: &str) -> Option<&'a RunningMembers> {
        self.running?.inside.get(name)
    }
}

/// The stacks around a stack.
#[derive(Clone, Copy)]
pub(super) struct Ancestors<'a> {
    pub(super) depth: usize,
    pub(super) templates: Option<&'a TemplateChain<'a>>,
}

/// The templates around a stack, innermost first.
pub(super) struct TemplateChain<'a> {
    pub(super) url: &'a str,
    pub(super) outer: Option<&'a TemplateChain<'a>>,
}

impl Ancestors<'_> {
    /// Whether a template is among those around the stack.
    pub(super) fn contains_template(&self, url: &str) -> bool {
        let mut chain = self.templates;
        while let Some(link) = chain {
            if link.url == url {
                return true;
            }
            chain = link.outer;
        }
        false
    }
}
