//! Where the parts of a template refer to its resources.

use std::collections::HashMap;

use heat_template::ir::{Expr, ExprKind, Resource, Stack};

/// The references of a template to its resources.
#[derive(Debug, Default)]
pub(super) struct References<'s> {
    by_target: HashMap<&'s str, Vec<Reference<'s>>>,
}

/// A reference to a resource.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reference<'s> {
    /// The resource whose definition contains it; `None` for an output.
    pub(super) from: Option<&'s str>,
    /// The property that contains it; `None` for other parts of a definition.
    pub(super) property: Option<&'s str>,
}

impl<'s> References<'s> {
    /// All references; `None` if the name of a resource is computed, since it can be any.
    pub(super) fn of(stack: &'s Stack) -> Option<Self> {
        let mut references = References::default();
        let mut is_certain = true;
        for (name, resource) in &stack.resources {
            for (property, expr) in parts(resource) {
                let reference = Reference { from: Some(name), property };
                is_certain &= references.add(expr, reference);
            }
        }
        for output in stack.outputs.values() {
            for expr in [&output.value, &output.condition].into_iter().flatten() {
                is_certain &= references.add(expr, Reference { from: None, property: None });
            }
        }
        is_certain.then_some(references)
    }

    /// The references to a resource, without those of `depends_on`.
    pub(super) fn to(&self, resource: &str) -> &[Reference<'s>] {
        self.by_target.get(resource).map_or(&[], Vec::as_slice)
    }

    fn add(&mut self, expr: &'s Expr, reference: Reference<'s>) -> bool {
        let mut is_certain = true;
        expr.walk(&mut |part: &'s Expr| {
            let target = match &part.kind {
                ExprKind::Resource(name) => name,
                ExprKind::Attribute(attribute) => &attribute.resource,
                ExprKind::Invalid(_) => {
                    is_certain = false;
                    return;
                }
                _ => return,
            };
            match target.as_text() {
                Some(target) => self.by_target.entry(target).or_default().push(reference),
                None => is_certain = false,
            }
        });
        is_certain
    }
}

/// The expressions of a definition, each with the property that it is the value of.
fn parts(resource: &Resource) -> Vec<(Option<&str>, &Expr)> {
    let mut parts: Vec<(Option<&str>, &Expr)> = Vec::new();
    match resource.properties.as_ref().map(|it| (&it.kind, it)) {
        Some((ExprKind::Map(pairs), _)) => {
            parts.extend(pairs.iter().map(|pair| (pair.key.as_text(), &pair.value)));
        }
        Some((_, whole)) => parts.push((None, whole)),
        None => {}
    }
    let others =
        [&resource.metadata, &resource.update_policy, &resource.external_id, &resource.condition];
    parts.extend(others.into_iter().flatten().map(|expr| (None, expr)));
    parts
}
