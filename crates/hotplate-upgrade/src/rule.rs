//! The interface of rules: a rule gets a site of the template and returns a rewrite or a blocker.

use std::collections::HashMap;

use super::fragment::Fragment;
use super::modernize::Succession;
use heat_template::hot::{self, CallContext, CallSite, FunctionMeaning, LoweredHot, Version};
use heat_template::ir::types::{TypeFacts, TypeSet, type_set_of};
use heat_template::ir::{Expr, Stack};
use lossless_yaml::{Document, Entry, NodeId, Value};
use source_diagnostics::{Diagnostic, Span};

/// One rewrite, with its documentation. Rules have no state.
pub struct Rule {
    /// The name for `--select` and `--ignore`.
    pub name: &'static str,
    /// The rewrite, in one line.
    pub summary: &'static str,
    /// Under which conditions the value stays the same.
    pub effect: &'static str,
    /// What it does, why, and an example, in Markdown.
    pub documentation: &'static str,
    /// The source of the facts about Heat.
    pub source: &'static str,
    /// Applies the rule to a site; `None` if the rule does not apply.
    pub(super) apply: fn(&Site<'_>, &RuleContext<'_>) -> Option<RuleOutcome>,
}

/// A part of the template that a change of version may affect.
pub(super) enum Site<'a> {
    /// A call, or data that looks like one.
    Call {
        /// The call, with its meaning in the declared version.
        call: &'a CallSite,
        /// Its meaning in the target version; `None` for data.
        target: Option<FunctionMeaning>,
    },
    /// The definition of an output.
    Output(NodeId),
    /// An entry of a parameter's constraints.
    Constraint(NodeId),
    /// The definition of a parameter.
    Parameter(NodeId),
    /// The definition of a resource.
    Resource(NodeId),
    /// A section, as a pair of the top-level map.
    Section(Entry),
}

/// The information about the template that a rule may use.
pub(super) struct RuleContext<'a> {
    pub(super) document: &'a Document,
    /// The version that the template declares.
    pub(super) from: Version,
    /// The version to upgrade or downgrade to.
    pub(super) to: Version,
    /// The result of lowering the template.
    pub(super) lowered: &'a LoweredHot,
    /// The neutral model of the template.
    pub(super) stack: &'a Stack,
    /// The facts about resource types.
    pub(super) facts: &'a dyn TypeFacts,
    /// The path forms to which calls inside the current one are rewritten.
    pub(super) forms: HashMap<NodeId, PathForm>,
    /// The parts of the text by which calls inside the current one are replaced.
    pub(super) settled: HashMap<NodeId, NodeId>,
    /// Returns an unused name for a new parameter.
    pub(super) spare_name: &'a dyn Fn() -> String,
}

/// A call of `get_param` or `get_attr` with a name and a path, after the inner rewrites.
#[derive(Clone, Debug)]
pub(super) struct PathForm {
    /// The name of the function.
    pub(super) function: &'static str,
    /// The arguments of the call.
    pub(super) parts: Vec<Fragment>,
    /// The meaning of the call.
    pub(super) meaning: Expr,
    /// The condition under which it equals the original call; `None` for always.
    pub(super) condition: Option<String>,
}

/// The outcome of a rule for a site.
pub(super) enum RuleOutcome {
    /// The site is rewritten.
    Rewrite(Box<Rewrite>),
    /// No rewrite keeps the meaning.
    Blocked(BlockedRewrite),
}

/// The reason why a site cannot be rewritten.
pub(super) struct BlockedRewrite {
    /// The span of the site.
    pub(super) span: Span,
    /// The reason, in a sentence without a full stop.
    pub(super) message: String,
    /// A suggestion for the user.
    pub(super) help: Option<String>,
}

/// The effect of a rewrite on the value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RewriteEffect {
    /// The same value for every input that worked before.
    Exact,
    /// The same value only if the condition holds.
    Conditional(String),
}

/// A rewrite that a rule proposes.
pub(super) struct Rewrite {
    pub(super) node: NodeId,
    pub(super) changes: Vec<TextChange>,
    /// The effect on the value.
    pub(super) effect: RewriteEffect,
    /// The meaning that the new text must have at this span, if it differs in the model.
    pub(super) declared: Option<(Span, Expr)>,
    /// The path form of the result, for enclosing calls.
    pub(super) form: Option<PathForm>,
    /// The part of the text that replaces it, for enclosing calls.
    pub(super) becomes: Option<NodeId>,
    /// An additional finding about the rewrite.
    pub(super) note: Option<Diagnostic>,
    /// The resource that gets the type of its successor.
    pub(super) succession: Option<Succession>,
}

/// A rewrite with the name of its rule.
pub(super) struct PlannedRewrite {
    pub(super) rule: &'static str,
    pub(super) rewrite: Rewrite,
}

#[derive(Clone, Debug)]
pub(super) enum TextChange {
    /// A scalar gets another text and keeps its quotes.
    Scalar {
        node: NodeId,
        /// The value, without quotes or escapes.
        text: String,
    },
    /// A node is replaced.
    Node { node: NodeId, with: Fragment },
    /// A pair is removed from a map.
    Delete { map: NodeId, entry: Entry },
    /// A new parameter of type `json`.
    Parameter { name: String, default: Value },
}

impl RuleContext<'_> {
    /// The meaning of the value at `node`.
    pub(super) fn lower(&self, node: NodeId) -> Expr {
        hot::lower_value(self.document, self.from, self.lowered, node, CallContext::Value)
    }

    /// Whether the node is interpreted by the rules of the target version.
    pub(super) fn read_as_target(&self, node: NodeId) -> bool {
        self.lowered.reinterpreted.iter().any(|part| part.node == node)
    }

    /// The possible kinds of the value of `expr`.
    pub(super) fn shape(&self, expr: &Expr) -> TypeSet {
        type_set_of(expr, self.stack, self.facts)
    }

    /// Whether the target version has a function for values.
    pub(super) fn target_has(&self, name: &str) -> bool {
        !matches!(
            hot::meaning(name, self.to, CallContext::Value),
            None | Some(FunctionMeaning::Removed | FunctionMeaning::NotInCondition)
        )
    }

    /// The type of the resource that `name` refers to.
    pub(super) fn resource_type(&self, name: &Expr) -> Option<&str> {
        let resource = self.stack.resources.get(name.as_text()?)?;
        Some(&resource.kind.as_ref()?.text)
    }

    /// The node that replaces `node` once the calls inside the current one are rewritten: another
    /// one if they are replaced by a part of the text.
    pub(super) fn settled(&self, node: NodeId) -> NodeId {
        let mut node = self.document.resolve(node);
        while let Some(&part) = self.settled.get(&node) {
            node = self.document.resolve(part);
        }
        node
    }

    /// The single pair of the map at `node`, if it has exactly one.
    pub(super) fn single(&self, node: NodeId) -> Option<(&str, NodeId)> {
        match self.document.entries(node) {
            [entry] => Some((self.document.str(entry.key)?, entry.value)),
            _ => None,
        }
    }
}

impl Rewrite {
    /// An exact rewrite of `node`.
    pub(super) fn exact(node: NodeId, changes: Vec<TextChange>) -> Self {
        Rewrite {
            node,
            changes,
            effect: RewriteEffect::Exact,
            declared: None,
            form: None,
            becomes: None,
            note: None,
            succession: None,
        }
    }

    /// The rewrite of the type of a resource to that of its successor.
    #[must_use]
    pub(super) fn succeeding(mut self, succession: Succession) -> Self {
        self.succession = Some(succession);
        self
    }

    /// The rewrite with another effect.
    #[must_use]
    pub(super) fn with_effect(mut self, effect: RewriteEffect) -> Self {
        self.effect = effect;
        self
    }

    /// The rewrite with the meaning that the new text must have at `span`.
    #[must_use]
    pub(super) fn declaring(mut self, span: Span, meaning: Expr) -> Self {
        self.declared = Some((span, meaning));
        self
    }

    /// Wraps it in an outcome.
    pub(super) fn done(self) -> Option<RuleOutcome> {
        Some(RuleOutcome::Rewrite(Box::new(self)))
    }
}

impl BlockedRewrite {
    /// A blocker at `span`.
    pub(super) fn new(span: Span, message: impl Into<String>) -> Self {
        BlockedRewrite { span, message: message.into(), help: None }
    }

    /// Adds a suggestion: what the user can do.
    #[must_use]
    pub(super) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Wraps it in an outcome.
    pub(super) fn done(self) -> Option<RuleOutcome> {
        Some(RuleOutcome::Blocked(self))
    }
}

impl RewriteEffect {
    /// The effect under a condition; exact without one.
    pub(super) fn under(condition: Option<impl Into<String>>) -> Self {
        condition
            .map_or(RewriteEffect::Exact, |condition| RewriteEffect::Conditional(condition.into()))
    }
}
