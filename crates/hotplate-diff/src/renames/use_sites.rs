//! Collects where parameters, conditions and resources are used in a stack.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use heat_template::ir::{DeletionPolicy, Expr, ExprKind, Stack};

/// The kinds of named things.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum EntryKind {
    Parameter,
    Condition,
    Resource,
    Output,
}

/// The uses of each thing: a digest of the place, equal on both sides if the same
/// thing contains it.
#[derive(Debug, Default)]
pub(super) struct UseSites {
    by_name: HashMap<(EntryKind, String), Vec<u64>>,
}

impl UseSites {
    /// Collects the uses in a stack. `anchor` returns a digest for what is known to be the same on both
    /// sides.
    pub(super) fn new(stack: &Stack, anchor: impl Fn(EntryKind, &str) -> Option<u64>) -> Self {
        let mut sites = UseSites::default();
        let root = |kind, name: &str, what: &str, part: &str| {
            let mut path = DefaultHasher::new();
            match anchor(kind, name) {
                Some(anchor) => (kind, anchor).hash(&mut path),
                None => (kind, what).hash(&mut path),
            }
            part.hash(&mut path);
            path
        };
        for (name, condition) in &stack.conditions {
            sites.visit(&condition.value, root(EntryKind::Condition, name, "", ""));
        }
        for (name, resource) in &stack.resources {
            let what = resource.kind.as_ref().map_or("", |kind| kind.text.as_str());
            let at = |part: &str| root(EntryKind::Resource, name, what, part);
            let policy = match &resource.deletion_policy {
                Some(DeletionPolicy::Other(expr)) => Some(expr),
                _ => None,
            };
            for (part, expr) in [
                ("properties", resource.properties.as_ref()),
                ("metadata", resource.metadata.as_ref()),
                ("deletion_policy", policy),
                ("update_policy", resource.update_policy.as_ref()),
                ("external_id", resource.external_id.as_ref()),
                ("condition", resource.condition.as_ref()),
            ] {
                if let Some(expr) = expr {
                    sites.visit(expr, at(part));
                }
            }
            for dependency in &resource.depends_on {
                sites.add(EntryKind::Resource, &dependency.text, at("depends_on"));
            }
        }
        for (name, output) in &stack.outputs {
            for (part, expr) in [("value", &output.value), ("condition", &output.condition)] {
                if let Some(expr) = expr {
                    sites.visit(expr, root(EntryKind::Output, name, "", part));
                }
            }
        }
        for places in sites.by_name.values_mut() {
            places.sort_unstable();
        }
        sites
    }

    /// The digests of a thing's uses, sorted.
    pub(super) fn of(&self, kind: EntryKind, name: &str) -> Vec<u64> {
        self.by_name.get(&(kind, name.to_owned())).cloned().unwrap_or_default()
    }

    fn add(&mut self, kind: EntryKind, name: &str, path: DefaultHasher) {
        self.by_name.entry((kind, name.to_owned())).or_default().push(path.finish());
    }

    /// Visits an expression. Keys in the arguments of a function, such as placeholders, may be
    /// renamed together with what they refer to: a use there has two digests, with the keys and
    /// without.
    fn visit(&mut self, expr: &Expr, path: DefaultHasher) {
        let mut stack = vec![(expr, path, None::<DefaultHasher>)];
        while let Some((expr, path, without)) = stack.pop() {
            let named = match &expr.kind {
                ExprKind::Parameter(parameter) => {
                    parameter.name.as_text().map(|name| (EntryKind::Parameter, name))
                }
                ExprKind::Resource(name) => name.as_text().map(|name| (EntryKind::Resource, name)),
                ExprKind::Attribute(attribute) => {
                    attribute.resource.as_text().map(|name| (EntryKind::Resource, name))
                }
                ExprKind::Condition(name) => Some((EntryKind::Condition, name.as_str())),
                _ => None,
            };
            if let Some((kind, name)) = named {
                self.add(kind, name, path.clone());
                if let Some(without) = without.clone().filter(|it| it.finish() != path.finish()) {
                    self.add(kind, name, without);
                }
            }
            if let ExprKind::Map(pairs) = &expr.kind {
                for pair in pairs {
                    let mut under = path.clone();
                    pair.key.as_text().hash(&mut under);
                    stack.push((&pair.value, under, without.clone()));
                }
                continue;
            }
            let without = match &expr.kind {
                ExprKind::List(_) => without,
                _ => without.or_else(|| Some(path.clone())),
            };
            expr.for_each_child(|child| stack.push((child, path.clone(), without.clone())));
        }
    }
}
