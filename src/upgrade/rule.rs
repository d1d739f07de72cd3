//! What a rule is: a site of the template, and what becomes of it.

use std::collections::HashMap;

use super::fragment::Fragment;
use heat_template::hot::{self, CallContext, CallSite, FunctionMeaning, LoweredHot, Version};
use heat_template::ir::types::{TypeFacts, TypeSet, type_set_of};
use heat_template::ir::{Expr, Stack};
use lossless_yaml::{Document, Entry, NodeId, Value};
use source_diagnostics::{Diagnostic, Span};

/// One rewrite, with its documentation. Rules hold no state.
pub struct Rule {
    /// The name that `--select` and `--ignore` take.
    pub name: &'static str,
    /// One line: what it rewrites to what.
    pub summary: &'static str,
    /// When the value stays the same, and when not.
    pub effect: &'static str,
    /// What it does, why, and an example, in Markdown.
    pub documentation: &'static str,
    /// Where the rule about Heat comes from.
    pub source: &'static str,
    /// What becomes of a site; `None` where the site is not this rule's business.
    pub(super) apply: fn(&Site<'_>, &RuleContext<'_>) -> Option<RuleOutcome>,
}

/// A place that a change of version may touch.
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
    /// A top-level section.
    Section(Entry),
}

/// What a rule may ask about the template.
pub(super) struct RuleContext<'a> {
    /// The text as a tree.
    pub(super) document: &'a Document,
    /// The declared version.
    pub(super) from: Version,
    /// The target version.
    pub(super) to: Version,
    /// The template as it is read.
    pub(super) lowered: &'a LoweredHot,
    /// The template's meaning.
    pub(super) stack: &'a Stack,
    /// What is known of resource types.
    pub(super) facts: &'a dyn TypeFacts,
    /// The path forms that calls inside the present one took.
    pub(super) forms: HashMap<NodeId, PathForm>,
    /// The parts that calls inside the present one became.
    pub(super) settled: HashMap<NodeId, NodeId>,
    /// A name for a parameter that the template does not have yet.
    pub(super) spare_name: &'a dyn Fn() -> String,
}

/// `get_param` or `get_attr` with a name and a path, as it will be after the inner rewrites.
#[derive(Clone, Debug)]
pub(super) struct PathForm {
    /// The function.
    pub(super) function: &'static str,
    /// Its arguments.
    pub(super) parts: Vec<Fragment>,
    /// What it means.
    pub(super) meaning: Expr,
    /// Under which condition it is the same as the call was; `None` for always.
    pub(super) condition: Option<String>,
}

/// What becomes of a site.
pub(super) enum RuleOutcome {
    /// It is rewritten.
    Rewrite(Box<Rewrite>),
    /// Nothing keeps its meaning.
    Blocked(BlockedRewrite),
}

/// Why nothing can be done.
pub(super) struct BlockedRewrite {
    /// The place.
    pub(super) span: Span,
    /// Why.
    pub(super) message: String,
    /// What the user can do.
    pub(super) help: Option<String>,
}

/// What a rewrite does to the value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RewriteEffect {
    /// The same value for every input that worked before.
    Exact,
    /// The same value unless the condition is met.
    Conditional(String),
}

/// A rewrite that a rule proposes.
pub(super) struct Rewrite {
    /// The node that is rewritten.
    pub(super) node: NodeId,
    /// The changes of the text.
    pub(super) changes: Vec<TextChange>,
    /// What it does to the value.
    pub(super) effect: RewriteEffect,
    /// What the new text must mean at this place, where the model alone does not tell.
    pub(super) declared: Option<(Span, Expr)>,
    /// The path form that it takes, for calls around it.
    pub(super) form: Option<PathForm>,
    /// The part of the text that it becomes, for calls around it.
    pub(super) becomes: Option<NodeId>,
    /// What is to be said about it besides.
    pub(super) note: Option<Diagnostic>,
}

/// A change of the text.
#[derive(Clone, Debug)]
pub(super) enum TextChange {
    /// Another text in a scalar, in the quotes that it has.
    Scalar {
        /// The scalar.
        node: NodeId,
        /// Its new text.
        text: String,
    },
    /// Something else in place of a node.
    Node {
        /// The node.
        node: NodeId,
        /// What stands there then.
        with: Fragment,
    },
    /// A pair of a map taken out.
    Delete {
        /// The map.
        map: NodeId,
        /// The pair.
        entry: Entry,
    },
    /// A new parameter of type `json`.
    Parameter {
        /// Its name.
        name: String,
        /// Its default.
        default: Value,
    },
}

impl RuleContext<'_> {
    /// The meaning of the value at `node`.
    pub(super) fn lower(&self, node: NodeId) -> Expr {
        hot::lower_value(self.document, self.from, self.lowered, node, CallContext::Value)
    }

    /// Whether the node is read as the target version reads it.
    pub(super) fn read_as_target(&self, node: NodeId) -> bool {
        self.lowered.reinterpreted.iter().any(|part| part.node == node)
    }

    /// What `expr` can be.
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

    /// The type of the resource that `name` names.
    pub(super) fn resource_type(&self, name: &Expr) -> Option<&str> {
        let resource = self.stack.resources.get(name.as_text()?)?;
        Some(&resource.kind.as_ref()?.text)
    }

    /// The node that stands for `node` once the calls inside the present one are rewritten: another
    /// one where they become a part of the text.
    pub(super) fn settled(&self, node: NodeId) -> NodeId {
        let mut node = self.document.resolve(node);
        while let Some(&part) = self.settled.get(&node) {
            node = self.document.resolve(part);
        }
        node
    }

    /// The pair of the one-key map at `node`, whatever its key.
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
        }
    }

    /// The rewrite with another effect.
    #[must_use]
    pub(super) fn with_effect(mut self, effect: RewriteEffect) -> Self {
        self.effect = effect;
        self
    }

    /// The rewrite with what the new text must mean at `span`.
    #[must_use]
    pub(super) fn declaring(mut self, span: Span, meaning: Expr) -> Self {
        self.declared = Some((span, meaning));
        self
    }

    /// As an outcome.
    pub(super) fn done(self) -> Option<RuleOutcome> {
        Some(RuleOutcome::Rewrite(Box::new(self)))
    }
}

impl BlockedRewrite {
    /// A blocker at `span`.
    pub(super) fn new(span: Span, message: impl Into<String>) -> Self {
        BlockedRewrite { span, message: message.into(), help: None }
    }

    /// With a way out.
    #[must_use]
    pub(super) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// As an outcome.
    pub(super) fn done(self) -> Option<RuleOutcome> {
        Some(RuleOutcome::Blocked(self))
    }
}

impl RewriteEffect {
    /// Exact where there is no condition.
    pub(super) fn under(condition: Option<impl Into<String>>) -> Self {
        condition
            .map_or(RewriteEffect::Exact, |condition| RewriteEffect::Conditional(condition.into()))
    }
}
