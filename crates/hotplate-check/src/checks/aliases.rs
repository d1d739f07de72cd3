//! Types under an old name, which Heat's own environment leads to the name of today.
//!
//! Heat's rules: `docs/heat.md#entries-that-heat-ships`, `docs/heat.md#successors-of-types`.

use super::{Check, Scope};
use crate::codes;
use crate::stacks::CheckedStack;
use heat_engine::environment::Environment;
use heat_engine::environment::registry::EntryTarget;
use heat_template::schema::Schema;
use source_diagnostics::Diagnostic;

/// Resources with an old name of a type.
pub(crate) const CHECK: Check = Check {
    scope: Scope::Stack,
    codes: &[codes::TYPE_ALIAS],
    run: |it, found| check(it.stack, it.schema, found),
};

/// Entries of the registry with one.
pub(crate) const REGISTRY: Check = Check {
    scope: Scope::Deployment,
    codes: &[codes::TYPE_ALIAS],
    run: |it, found| check_registry(it.environment, it.schema, found),
};

/// Adds a finding for each resource with such a type.
pub(crate) fn check(stack: &CheckedStack<'_>, schema: &Schema, found: &mut Vec<Diagnostic>) {
    for resource in stack.resources() {
        // An environment can map the old name to something else.
        if resource.implementation.and_then(|it| it.plugin()).is_none() {
            continue;
        }
        let kind = resource.evaluated.kind.as_str();
        let real = schema.real_name(kind);
        if real != kind && schema.types.known_name(&real).is_some() {
            let message = format!("`{kind}` is an old name of `{real}`");
            found.push(Diagnostic::new(codes::TYPE_ALIAS, message).at(resource.type_span));
        }
    }
}

/// Adds a finding for each old name that an environment maps a type to, unless it maps that name, too.
pub(crate) fn check_registry(
    environment: &Environment,
    schema: &Schema,
    found: &mut Vec<Diagnostic>,
) {
    let entries = environment.registry.entries();
    let is_mapped = |name: &str| {
        entries.iter().filter_map(|entry| entry.path.last()).any(|kind| {
            match kind.strip_suffix('*') {
                Some(start) => name.starts_with(start),
                None => name == kind,
            }
        })
    };
    for entry in &entries {
        let EntryTarget::Type(target) = &entry.target else { continue };
        let real = schema.real_name(target);
        let is_old = real != *target && schema.types.known_name(&real).is_some();
        if is_old && !is_mapped(target) && !is_mapped(&real) {
            let message = format!("`{target}` is an old name of `{real}`");
            found.push(Diagnostic::new(codes::TYPE_ALIAS, message).at(entry.node.span));
        }
    }
}
