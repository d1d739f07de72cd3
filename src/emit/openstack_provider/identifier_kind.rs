//! Decides whether an expression is a name or an ID where Heat accepts both.
//!
//! The provider accepts only IDs, and a data source looks up the ID of a name. Whether one is needed must be
//! known before anything is created: attributes of other resources are IDs.

use std::collections::HashSet;

use super::super::render_model::{entry, property};
use super::super::{Module, ModuleId, RenderModel, ResourceImplementation};
use super::ObjectCatalog;
use crate::emit::kit::is_uuid;
use heat_engine::eval::Value;
use heat_template::ir::{Expr, ExprKind};

/// The maximum depth of nested templates through which a parameter is traced.
const MAX_TEMPLATE_DEPTH: usize = 8;

/// Whether an expression is a name or an ID.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum IdentifierKind {
    Id,
    /// An ID that is known once its resource exists.
    LaterId,
    Name,
    /// A name or an ID; which of them is known before anything is created.
    Either,
    /// In some cases an ID that is known later, in others a name.
    Mixed,
}

impl IdentifierKind {
    fn and(self, other: IdentifierKind) -> IdentifierKind {
        match (self, other) {
            (one, same) if one == same => one,
            (IdentifierKind::Mixed, _) | (_, IdentifierKind::Mixed) => IdentifierKind::Mixed,
            (IdentifierKind::LaterId, IdentifierKind::Id)
            | (IdentifierKind::Id, IdentifierKind::LaterId) => IdentifierKind::LaterId,
            (IdentifierKind::LaterId, _) | (_, IdentifierKind::LaterId) => IdentifierKind::Mixed,
            (IdentifierKind::Id, _)
            | (_, IdentifierKind::Id)
            | (IdentifierKind::Name, _)
            | (_, IdentifierKind::Name) => IdentifierKind::Either,
            (IdentifierKind::Either, IdentifierKind::Either) => IdentifierKind::Either,
        }
    }
}

/// Classifies an expression of a template.
pub(super) fn identifier_kind(catalog: &ObjectCatalog<'_>, expr: &Expr) -> IdentifierKind {
    ParameterTracer { model: catalog.model }.naming(catalog.module, expr, 0)
}

struct ParameterTracer<'a> {
    model: &'a RenderModel<'a>,
}

impl ParameterTracer<'_> {
    fn naming(&self, unit: &Module, expr: &Expr, depth: usize) -> IdentifierKind {
        if depth > MAX_TEMPLATE_DEPTH {
            return IdentifierKind::Mixed;
        }
        match &expr.kind {
            ExprKind::Text(text) if is_uuid(text) => return IdentifierKind::Id,
            ExprKind::Text(_) | ExprKind::Int(_) => return IdentifierKind::Name,
            ExprKind::Parameter(reference) => {
                if let Some(name) = reference.name.as_text() {
                    return self.parameter(unit, name, depth);
                }
            }
            ExprKind::Attribute(attribute) => {
                let asked = attribute.attribute.as_ref().and_then(Expr::as_text);
                return match asked {
                    Some("name") => IdentifierKind::Name,
                    Some(_) | None => IdentifierKind::LaterId,
                };
            }
            ExprKind::Choose(choice) => {
                let then = self.naming(unit, &choice.then, depth + 1);
                return match choice.otherwise.as_ref().filter(|it| it.kind != ExprKind::Null) {
                    Some(otherwise) => then.and(self.naming(unit, otherwise, depth + 1)),
                    None => then,
                };
            }
            ExprKind::Join(_) | ExprKind::Replace(_) if mentions_resources(expr) => {
                return IdentifierKind::Name;
            }
            _ => {}
        }
        let parameters = parameters(expr);
        let folded = self.model.evaluator(unit).constant(expr);
        match folded.as_ref().map(Value::reveal) {
            Some((Value::Text(text), _)) if is_uuid(&text) => IdentifierKind::Id,
            Some((Value::Text(_), _)) => IdentifierKind::Name,
            Some(_) | None if mentions_resources(expr) => IdentifierKind::LaterId,
            Some(_) | None => parameters
                .into_iter()
                .map(|name| self.parameter(unit, name, depth))
                .fold(IdentifierKind::Either, IdentifierKind::and),
        }
    }

    /// Classifies a parameter: one of the root template may be either, one of a nested template is what the
    /// templates around it pass.
    fn parameter(&self, unit: &Module, name: &str, depth: usize) -> IdentifierKind {
        let Some(id) = self.model.modules.iter().position(|it| std::ptr::eq(it, unit)) else {
            return IdentifierKind::Either;
        };
        if id == 0 {
            return IdentifierKind::Either;
        }
        let mut all = Vec::new();
        for around in &self.model.modules {
            for (resource, used) in &around.implementations {
                if !uses(used, ModuleId(id)) {
                    continue;
                }
                let Some(given) = around.stack.resources.get(resource) else { continue };
                let handed = property(given, name).or_else(|| {
                    let member =
                        property(given, "resource_def").or_else(|| property(given, "resource"))?;
                    entry(entry(member, "properties")?, name)
                });
                match handed {
                    Some(expr) => all.push(self.naming(around, expr, depth + 1)),
                    // The default, which is a literal.
                    None => all.push(IdentifierKind::Either),
                }
            }
        }
        all.into_iter().reduce(IdentifierKind::and).unwrap_or(IdentifierKind::Either)
    }
}

fn uses(used: &ResourceImplementation, unit: ModuleId) -> bool {
    match used {
        ResourceImplementation::Template(id) => *id == unit,
        ResourceImplementation::Group { member: Some(member), .. } => uses(member, unit),
        ResourceImplementation::Group { member: None, .. }
        | ResourceImplementation::ResourceType(_)
        | ResourceImplementation::Unknown(_) => false,
    }
}

/// Whether an expression refers to a resource or an attribute.
pub(super) fn mentions_resources(expr: &Expr) -> bool {
    let mut found = false;
    expr.walk(&mut |part| {
        found |= matches!(part.kind, ExprKind::Resource(_) | ExprKind::Attribute(_));
    });
    found
}

fn parameters(expr: &Expr) -> HashSet<&str> {
    let mut names = HashSet::new();
    expr.walk(&mut |part| {
        if let ExprKind::Parameter(reference) = &part.kind
            && let Some(name) = reference.name.as_text()
        {
            names.insert(name);
        }
    });
    names
}
