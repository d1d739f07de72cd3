//! Visits the parts of expressions.

use std::collections::HashSet;

use super::{Expr, ExprKind};

impl Expr {
    /// Calls `visit` on every direct part of the expression, in the order in which it is evaluated.
    pub fn for_each_child<'a>(&'a self, mut visit: impl FnMut(&'a Expr)) {
        match &self.kind {
            ExprKind::Null
            | ExprKind::Bool(_)
            | ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Text(_)
            | ExprKind::Bytes(_)
            | ExprKind::Date(_)
            | ExprKind::Facade(_)
            | ExprKind::Condition(_) => {}
            ExprKind::Set(items)
            | ExprKind::List(items)
            | ExprKind::And(items)
            | ExprKind::Or(items) => items.iter().for_each(visit),
            ExprKind::Map(pairs) => pairs.iter().for_each(|pair| {
                visit(&pair.key);
                visit(&pair.value);
            }),
            ExprKind::Parameter(parameter) => {
                visit(&parameter.name);
                parameter.path.iter().for_each(visit);
            }
            ExprKind::Attribute(attribute) => {
                visit(&attribute.resource);
                attribute.attribute.iter().for_each(&mut visit);
                attribute.path.iter().for_each(visit);
            }
            ExprKind::Resource(inner)
            | ExprKind::File(inner)
            | ExprKind::Zones(inner)
            | ExprKind::AssertText(inner)
            | ExprKind::Url(inner)
            | ExprKind::MergeMaps(inner)
            | ExprKind::ReplaceInMap(inner)
            | ExprKind::Concat(inner)
            | ExprKind::ConcatUnique(inner)
            | ExprKind::Not(inner) => visit(inner),
            ExprKind::Lookup(lookup) => {
                visit(&lookup.table);
                visit(&lookup.key);
                visit(&lookup.item);
            }
            ExprKind::Select(select) => {
                visit(&select.index);
                visit(&select.collection);
            }
            ExprKind::Join(join) => {
                visit(&join.delimiter);
                join.lists.iter().for_each(visit);
            }
            ExprKind::Split(split) => {
                visit(&split.delimiter);
                visit(&split.text);
                split.index.iter().for_each(visit);
            }
            ExprKind::Replace(replace) => {
                visit(&replace.template);
                visit(&replace.params);
            }
            ExprKind::Hash(hash) => {
                visit(&hash.algorithm);
                visit(&hash.value);
            }
            ExprKind::Repeat(repeat) => {
                visit(&repeat.template);
                visit(&repeat.for_each);
            }
            ExprKind::Filter(filter) => {
                visit(&filter.values);
                visit(&filter.list);
            }
            ExprKind::MemberList(members) => visit(&members.list),
            ExprKind::Yaql(yaql) => {
                visit(&yaql.expression);
                yaql.data.iter().for_each(visit);
            }
            ExprKind::Choose(choice) => {
                visit(&choice.condition);
                visit(&choice.then);
                choice.otherwise.iter().for_each(visit);
            }
            ExprKind::Equals(sides) => sides.iter().for_each(visit),
            ExprKind::Contains(membership) => {
                visit(&membership.value);
                visit(&membership.sequence);
            }
            ExprKind::Computed(call) => visit(&call.arguments),
            ExprKind::Invalid(call) => visit(&call.argument),
        }
    }

    /// Calls `visit` on the expression and every part of it, outermost first; visits the content of a part that
    /// occurs several times only once.
    pub fn walk<'a>(&'a self, visit: &mut impl FnMut(&'a Expr)) {
        let mut seen = HashSet::new();
        let mut stack = vec![self];
        let mut children = Vec::new();
        while let Some(expr) = stack.pop() {
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
            visit(expr);
            expr.for_each_child(|child| children.push(child));
            stack.extend(children.drain(..).rev());
        }
    }
}
