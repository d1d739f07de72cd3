//! New text built from old text: a rewritten expression keeps the style of what it replaces, the
//! source text of the parts that it reuses, and every comment.

use lossless_yaml::{NodeId, Value};

/// The replacement for a node.
#[derive(Clone, Debug)]
pub(super) enum Fragment {
    /// A node of the text as it is written, with the rewrites inside it applied.
    Node(NodeId),
    /// A value that the rule generates.
    Literal(Value),
    /// A map, written like a node of the text: block or flow.
    Map {
        /// The keys with their values.
        pairs: Vec<(&'static str, Fragment)>,
        /// The node whose style it copies.
        like: NodeId,
    },
    /// A list, written like a node of the text: block or flow.
    List {
        items: Vec<Fragment>,
        /// The node whose style it copies.
        like: NodeId,
    },
}

impl Fragment {
    /// A call: a map of one pair.
    pub(super) fn call(name: &'static str, argument: Fragment, like: NodeId) -> Self {
        Fragment::Map { pairs: vec![(name, argument)], like }
    }

    /// The nodes of the text that it reuses.
    pub(super) fn nodes(&self) -> Vec<NodeId> {
        let mut nodes = Vec::new();
        let mut stack = vec![self];
        while let Some(fragment) = stack.pop() {
            match fragment {
                Fragment::Node(node) => nodes.push(*node),
                Fragment::Literal(_) => {}
                Fragment::Map { pairs, .. } => stack.extend(pairs.iter().map(|(_, value)| value)),
                Fragment::List { items, .. } => stack.extend(items),
            }
        }
        nodes
    }
    /// The node that it ends with, if it ends with one.
    pub(super) fn last(&self) -> Option<NodeId> {
        match self {
            Fragment::Node(node) => Some(*node),
            Fragment::Literal(_) => None,
            Fragment::Map { pairs, .. } => pairs.last()?.1.last(),
            Fragment::List { items, .. } => items.last()?.last(),
        }
    }
}
