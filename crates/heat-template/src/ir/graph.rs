//! The dependency graph: references between the parts of a stack.

use std::collections::BTreeSet;

use super::{Expr, ExprKind, Resource, Stack};

/// The names of resources that an expression refers to by a literal name.
pub fn referenced_resources(expr: &Expr) -> BTreeSet<&str> {
    let mut names = BTreeSet::new();
    expr.walk(&mut |part| {
        let name = match &part.kind {
            ExprKind::Resource(name) => name.as_text(),
            ExprKind::Attribute(attribute) => attribute.resource.as_text(),
            _ => None,
        };
        names.extend(name);
    });
    names
}

/// The resources that must exist before `resource`: those of `depends_on`, and those that its
/// properties and metadata refer to. References in policies and external ids are not
/// dependencies (`docs/heat.md#what-makes-a-dependency`).
pub fn dependencies(resource: &Resource) -> BTreeSet<&str> {
    let mut names: BTreeSet<&str> =
        resource.depends_on.iter().map(|dependency| &*dependency.text).collect();
    for expr in [&resource.properties, &resource.metadata].into_iter().flatten() {
        names.extend(referenced_resources(expr));
    }
    names
}

/// The dependency cycles between the resources of a stack: each cycle once, as the names
/// on it in order. Names that are not resources of the stack are ignored.
pub fn cycles(stack: &Stack) -> Vec<Vec<&str>> {
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        New,
        Open,
        Done,
    }
    let edges: Vec<Vec<usize>> = stack
        .resources
        .values()
        .map(|resource| {
            dependencies(resource)
                .into_iter()
                .filter_map(|name| stack.resources.get_index_of(name))
                .collect()
        })
        .collect();
    let name = |at: usize| stack.resources.get_index(at).map_or("", |(name, _)| name.as_str());
    let mut marks = vec![Mark::New; edges.len()];
    let mut circles = Vec::new();
    for start in 0..edges.len() {
        if marks[start] != Mark::New {
            continue;
        }
        marks[start] = Mark::Open;
        let mut open = vec![(start, 0)];
        while let Some((node, next)) = open.last_mut() {
            let node = *node;
            match edges[node].get(*next) {
                Some(&target) => {
                    *next += 1;
                    match marks[target] {
                        Mark::New => {
                            marks[target] = Mark::Open;
                            open.push((target, 0));
                        }
                        Mark::Open => {
                            let from = open.iter().position(|(at, _)| *at == target).unwrap_or(0);
                            circles.push(open[from..].iter().map(|(at, _)| name(*at)).collect());
                        }
                        Mark::Done => {}
                    }
                }
                None => {
                    marks[node] = Mark::Done;
                    open.pop();
                }
            }
        }
    }
    circles
}
