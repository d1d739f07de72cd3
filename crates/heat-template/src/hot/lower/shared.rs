//! Lowers nodes that aliases refer to only once: every alias gets the same expression, with its own span.

use std::collections::HashMap;

use crate::hot::functions::CallContext;
use crate::ir::Expr;
use lossless_yaml::{Document, NodeId};
use source_diagnostics::Span;

/// The parts that the meaning of a node depends on, besides the template as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct SharedKey {
    node: NodeId,
    /// `None` for data, in which maps are never calls.
    place: Option<CallContext>,
    /// True if it is inside a call that only another version interprets.
    within: bool,
}

/// The expressions of the nodes that aliases refer to.
#[derive(Debug, Default)]
pub(crate) struct SharedNodes {
    /// The expression, and whether its span is that of the node rather than of a part of it.
    lowered: HashMap<SharedKey, (Expr, bool)>,
}

impl SharedNodes {
    /// The key of a node that an alias may refer to; `None` for nearly every node.
    pub(crate) fn key(
        document: &Document,
        node: NodeId,
        place: Option<CallContext>,
        within: bool,
    ) -> Option<SharedKey> {
        let is_shared = document.may_be_shared(node);
        is_shared.then(|| SharedKey { node: document.resolve(node), place, within })
    }

    /// The expression of a node that was lowered before, with another span.
    pub(crate) fn at(&self, key: SharedKey, span: Span) -> Option<Expr> {
        let (expr, is_whole) = self.lowered.get(&key)?;
        Some(Expr::new(expr.kind.clone(), if *is_whole { span } else { expr.span }))
    }

    /// Stores the expression of the node at `span`. An expression with the node's own span in its parts belongs to
    /// that span only, for example the pieces of a literal split.
    pub(crate) fn keep(&mut self, key: SharedKey, span: Span, expr: &mut Expr) {
        let mut is_of_the_place = false;
        expr.for_each_child(|part| is_of_the_place |= part.span == span);
        if !is_of_the_place {
            expr.kind.mark_aliased();
            self.lowered.insert(key, (expr.clone(), expr.span == span));
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::hot::{DocumentKind, lower, recognize};
    use crate::ir::equivalence::{DeclaredChanges, refines};
    use crate::ir::{Expr, Stack};
    use crate::schema::Schema;
    use lossless_yaml::{Document, Limits, read};
    use source_diagnostics::SourceId;

    /// Nested lists and texts of two aliases each, with so many levels that lowering ends only with
    /// sharing.
    fn bomb() -> String {
        let mut text =
            "heat_template_version: 2021-04-16\noutputs:\n  o:\n    value:\n      - &a0 [x, x]\n      - &b0 x\n"
                .to_owned();
        for level in 1..50 {
            let inner = level - 1;
            text.push_str(&format!("      - &a{level} [*a{inner}, *a{inner}]\n"));
            let lists = format!("[*b{inner}, *b{inner}]");
            text.push_str(&format!("      - &b{level} {{list_join: [',', {lists}]}}\n"));
        }
        text
    }

    fn document(text: &str) -> Document {
        let limits = Limits { nodes: usize::MAX, ..Limits::default() };
        read(SourceId(0), text.into(), &limits).expect("readable")
    }

    fn stack(document: &Document) -> Stack {
        match recognize(document) {
            DocumentKind::Hot { version, node, .. } => lower(document, version, node).stack,
            other => panic!("no template: {other:?}"),
        }
    }

    fn value(stack: &Stack) -> &Expr {
        stack.outputs["o"].value.as_ref().expect("a value")
    }

    #[test]
    fn the_parts_of_a_stack_are_as_many_as_those_of_the_text() {
        let document = document(&bomb());
        let mut parts = 0;
        value(&stack(&document)).walk(&mut |_| parts += 1);
        let nodes = document.nodes().len();
        assert!(parts > 300 && parts < 2 * nodes, "{parts} parts of {nodes} nodes");
    }

    #[test]
    fn an_alias_stands_at_its_own_place() {
        let text = "heat_template_version: 2021-04-16\noutputs: {o: {value: [&a {k: [v]}, *a, &b {str_split: [',', 'a,b']}, *b]}}\n";
        let document = document(text);
        let stack = stack(&document);
        let mut places = Vec::new();
        value(&stack).walk_places(&mut |part| places.push(document.slice(part.span)));
        let split = "{str_split: [',', 'a,b']}";
        assert_eq!(places[1..9], ["{k: [v]}", "k", "[v]", "v", "*a", "k", "[v]", "v"]);
        assert_eq!(places[9..], [split, split, split, "*b", "*b", "*b"]);
    }

    #[test]
    fn shared_parts_are_compared_once() {
        let (one, other) = (document(&bomb()), document(&bomb()));
        let (one, other) = (stack(&one), stack(&other));
        assert_eq!(refines(&one, &other, Schema::heat(), &DeclaredChanges::new()), []);
        assert!(one == one.clone());
    }
}
