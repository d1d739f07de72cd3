//! Tracks sensitive values: an output that contains one must be marked as sensitive.

use std::collections::HashSet;

use super::scope::{ModuleScope, ResourceForm};
use crate::openstack_provider::model::{Argument, AttributeStep};
use crate::openstack_provider::schema::ProviderSchema;
use heat_template::ir::{Expr, ExprKind};

/// The resources of a template that hold, or may hold, sensitive values.
pub(super) fn tainted_resources(scope: &ModuleScope<'_>) -> HashSet<String> {
    let mut tainted = HashSet::new();
    for (name, place) in &scope.resource_forms {
        let holds = match place {
            ResourceForm::Objects(_) => refers_to_secret(scope, name),
            ResourceForm::Module { unit, .. } => {
                scope.finished_modules.get(unit).is_some_and(|done| done.holds_secrets)
            }
            ResourceForm::Local { .. }
            | ResourceForm::Message { .. }
            | ResourceForm::Nothing(_) => false,
        };
        if holds {
            tainted.insert(name.clone());
        }
    }
    // A resource that depends on a sensitive resource may be sensitive, too.
    loop {
        let before = tainted.len();
        for (name, resource) in &scope.module.stack.resources {
            let parts = [&resource.properties, &resource.condition];
            if parts.into_iter().flatten().any(|part| is_tainted(scope, &tainted, part)) {
                tainted.insert(name.clone());
            }
        }
        if tainted.len() == before {
            return tainted;
        }
    }
}

/// Whether an expression holds, or may hold, sensitive values.
pub(super) fn is_tainted(scope: &ModuleScope<'_>, tainted: &HashSet<String>, expr: &Expr) -> bool {
    let mut found = false;
    let mut conditions: Vec<String> = Vec::new();
    expr.walk(&mut |part| found |= is_source(scope, tainted, part, &mut conditions));
    let mut at = 0;
    while !found && at < conditions.len() {
        if let Some(condition) = scope.module.stack.conditions.get(&conditions[at]) {
            condition.value.walk(&mut |part| {
                found |= is_source(scope, tainted, part, &mut conditions);
            });
        }
        at += 1;
    }
    found
}

fn is_source(
    scope: &ModuleScope<'_>,
    tainted: &HashSet<String>,
    part: &Expr,
    conditions: &mut Vec<String>,
) -> bool {
    let hidden = |name: &str| {
        scope.module.stack.parameters.get(name).is_some_and(heat_template::ir::Parameter::is_hidden)
    };
    match &part.kind {
        ExprKind::Parameter(parameter) => parameter.name.as_text().is_some_and(hidden),
        ExprKind::Resource(name) => name.as_text().is_some_and(|name| tainted.contains(name)),
        ExprKind::Attribute(attribute) => {
            let Some(resource) = attribute.resource.as_text() else { return false };
            let requested =
                attribute.attribute.as_ref().and_then(Expr::as_text).unwrap_or_default();
            tainted.contains(resource) || is_sensitive(scope, resource, requested)
        }
        ExprKind::Condition(name) => {
            if !conditions.iter().any(|it| it == name.as_str()) {
                conditions.push(name.to_string());
            }
            false
        }
        _ => false,
    }
}

/// Whether the reference to a resource is an attribute that the provider marks as sensitive.
fn refers_to_secret(scope: &ModuleScope<'_>, resource: &str) -> bool {
    let expressed = scope.catalog.resource(resource).or_else(|| scope.members.get(resource));
    match expressed.map(|expressed| &expressed.reference) {
        Some(Argument::Attribute { path, .. }) => match path.first() {
            Some(AttributeStep::Key(attribute)) => is_sensitive(scope, resource, attribute),
            Some(AttributeStep::Index(_) | AttributeStep::All) | None => false,
        },
        Some(_) | None => false,
    }
}

/// Whether the provider itself marks an attribute as sensitive.
fn is_sensitive(scope: &ModuleScope<'_>, resource: &str, attribute: &str) -> bool {
    let expressed = scope.catalog.resource(resource).or_else(|| scope.members.get(resource));
    expressed.into_iter().flat_map(|expressed| &expressed.objects).any(|object| {
        let kind = ProviderSchema::get().resources.get(&object.kind);
        let info = kind.and_then(|kind| kind.arguments.get(attribute));
        info.is_some_and(|info| info.sensitive)
    })
}
