//! Visits the parts of expressions.

use std::collections::HashSet;

use super::Expr;
use source_diagnostics::cancellation::checkpoint;

impl Expr {
    /// Calls `visit` on the expression and every part of it, outermost first; visits the content of a part that
    /// occurs several times only once.
    pub fn walk<'a>(&'a self, visit: &mut impl FnMut(&'a Expr)) {
        let mut seen = HashSet::new();
        let mut stack = vec![self];
        let mut children = Vec::new();
        while let Some(expr) = stack.pop() {
            checkpoint();
            visit(expr);
            if expr.kind.shared_parts().is_some_and(|parts| !seen.insert(parts)) {
                continue;
            }
            expr.for_each_child(|child| children.push(child));
            stack.extend(children.drain(..).rev());
        }
    }

    /// Like [`Expr::walk`], but visits every occurrence of a part: an alias bomb makes this slow.
    pub fn walk_places<'a>(&'a self, visit: &mut impl FnMut(&'a Expr)) {
        let mut stack = vec![self];
        let mut children = Vec::new();
        while let Some(expr) = stack.pop() {
            checkpoint();
            visit(expr);
            expr.for_each_child(|child| children.push(child));
            stack.extend(children.drain(..).rev());
        }
    }
}
