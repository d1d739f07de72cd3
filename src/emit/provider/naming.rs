//! Whether an expression is a name or an id where Heat takes both.
//!
//! The provider takes ids only, and a data source finds the id of a name. Whether one is needed must be
//! known before anything is created: what another resource tells is an id.

use std::collections::HashSet;

use super::super::program::{entry, property};
use super::super::{Program, Unit, UnitId, Use};
use super::Catalog;
use heat_engine::eval::Value;
use heat_template::ir::{Expr, ExprKind};

/// Templates in each other through which a parameter is followed.
const DEEPEST: usize = 8;

/// What an expression is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Naming {
    /// An id that is written.
    Id,
    /// An id that is known once the thing is there.
    LaterId,
    /// A name.
    Name,
    /// One or the other, which shows before anything is created.
    Either,
    /// Here an id that is known later, there a name.
    Mixed,
}

impl Naming {
    fn and(self, other: Naming) -> Naming {
        match (self, other) {
            (one, same) if one == same => one,
            (Naming::Mixed, _) | (_, Naming::Mixed) => Naming::Mixed,
            (Naming::LaterId, Naming::Id) | (Naming::Id, Naming::LaterId) => Naming::LaterId,
            (Naming::LaterId, _) | (_, Naming::LaterId) => Naming::Mixed,
            (Naming::Id, _) | (_, Naming::Id) | (Naming::Name, _) | (_, Naming::Name) => {
                Naming::Either
            }
            (Naming::Either, Naming::Either) => Naming::Either,
        }
    }
}

/// Whether a text has the form of a UUID.
pub(super) fn is_uuid(text: &str) -> bool {
    let digits = text.chars().filter(|c| *c != '-').count();
    digits == 32 && text.chars().all(|c| c == '-' || c.is_ascii_hexdigit())
}

/// What an expression of a template is.
pub(super) fn naming(catalog: &Catalog<'_>, expr: &Expr) -> Naming {
    Follower { program: catalog.program }.naming(catalog.unit, expr, 0)
}

struct Follower<'a> {
    program: &'a Program<'a>,
}

impl Follower<'_> {
    fn naming(&self, unit: &Unit, expr: &Expr, depth: usize) -> Naming {
        if depth > DEEPEST {
            return Naming::Mixed;
        }
        match &expr.kind {
            ExprKind::Text(text) if is_uuid(text) => return Naming::Id,
            ExprKind::Text(_) | ExprKind::Int(_) => return Naming::Name,
            ExprKind::Parameter(reference) => {
                if let Some(name) = reference.name.as_text() {
                    return self.parameter(unit, name, depth);
                }
            }
            ExprKind::Attribute(attribute) => {
                let asked = attribute.attribute.as_ref().and_then(Expr::as_text);
                return match asked {
                    Some("name") => Naming::Name,
                    Some(_) | None => Naming::LaterId,
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
                return Naming::Name;
            }
            _ => {}
        }
        let parameters = parameters(expr);
        let folded = self.program.folding(unit).constant(expr);
        match folded.as_ref().map(Value::reveal) {
            Some((Value::Text(text), _)) if is_uuid(&text) => Naming::Id,
            Some((Value::Text(_), _)) => Naming::Name,
            Some(_) | None if mentions_resources(expr) => Naming::LaterId,
            Some(_) | None => parameters
                .into_iter()
                .map(|name| self.parameter(unit, name, depth))
                .fold(Naming::Either, Naming::and),
        }
    }

    /// What a parameter is: that of the user's template may be anything, that of another one is what the
    /// templates around it hand over.
    fn parameter(&self, unit: &Unit, name: &str, depth: usize) -> Naming {
        let Some(id) = self.program.units.iter().position(|it| std::ptr::eq(it, unit)) else {
            return Naming::Either;
        };
        if id == 0 {
            return Naming::Either;
        }
        let mut all = Vec::new();
        for around in &self.program.units {
            for (resource, used) in &around.uses {
                if !uses(used, UnitId(id)) {
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
                    // The default, which is written.
                    None => all.push(Naming::Either),
                }
            }
        }
        all.into_iter().reduce(Naming::and).unwrap_or(Naming::Either)
    }
}

fn uses(used: &Use, unit: UnitId) -> bool {
    match used {
        Use::Template(id) => *id == unit,
        Use::Group { member: Some(member), .. } => uses(member, unit),
        Use::Group { member: None, .. } | Use::Type(_) | Use::Unknown(_) => false,
    }
}

/// Whether an expression asks a resource for something.
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
