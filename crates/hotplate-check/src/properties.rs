//! The properties of resources against the schemas of their types.
//!
//! Heat's rules: `docs/heat.md#conversion-of-properties`, `docs/heat.md#null-and-absent-properties`.

use super::location::IndexedValue;
use super::stacks::{CheckedResource, CheckedStack};
use crate::codes;
use heat_engine::eval::template_graph::ResolvedImplementation;
use heat_engine::eval::typed_properties::{
    PropertyViolation, ValidationInputs, ValueStep, ViolationKind, property_violations,
    update_policy_violations,
};
use heat_engine::eval::{Budget, Operation, Term, Unknown, in_plain_words};
use heat_template::ir::types::{TypeSet, type_set_of};
use heat_template::schema::{ResourceType, Schema};
use source_diagnostics::{Diagnostic, Span, did_you_mean};

/// Adds what the types refuse.
pub(super) fn check(
    stack: &CheckedStack<'_>,
    schema: &'static Schema,
    budget: &Budget,
    found: &mut Vec<Diagnostic>,
) {
    let source = stack.stack().format.span.source;
    // The declarations of another template say nothing about parameters of this one.
    let kinds = |unknown: &Unknown| match unknown.expr.span {
        // An item of a loop has the expression of the loop, which is a list.
        _ if matches!(unknown.term(), Term::Call { operation: Operation::Round, .. }) => {
            TypeSet::ANY
        }
        span if stack.is_written() && span.source == source => {
            type_set_of(&unknown.expr, stack.stack(), schema)
        }
        _ => TypeSet::ANY,
    };
    let inputs = ValidationInputs { schema, kinds: &kinds, budget };
    for resource in stack.resources() {
        let info = match resource.implementation {
            Some(ResolvedImplementation::NotFound(_)) | None => {
                meant_type(&resource.evaluated.kind, schema)
            }
            Some(implementation) => type_info(implementation, &resource, schema),
        };
        let Some(info) = info else { continue };
        // Heat does not validate the properties of a resource that exists already.
        if info.is_placeholder() || resource.evaluated.external_id.is_some() {
            continue;
        }
        let mut violations = property_violations(&resource.evaluated.properties, info, inputs);
        if matches!(resource.implementation, Some(ResolvedImplementation::NotFound(_))) {
            // Another type may be meant, which does not require these.
            violations.retain(|it| !matches!(it.kind, ViolationKind::Missing(_)));
        }
        let written = resource.properties.filter(|_| !violations.is_empty()).map(IndexedValue::new);
        for violation in violations {
            found.push(finding(&violation, &resource, written.as_ref(), info));
        }
        let policy = resource.evaluated.update_policy.as_ref().and_then(|it| it.as_ref().ok());
        let Some(policy) = policy.filter(|_| stack.is_written()) else { continue };
        for violation in update_policy_violations(policy, info, inputs) {
            let written = resource.definition.and_then(|it| it.update_policy.as_ref());
            let written = written.map(IndexedValue::new);
            found.push(finding(&violation, &resource, written.as_ref(), info));
        }
    }
}

/// The facts about the type that a misspelled one was probably meant to be: one of the same service, so that no type of a cloud's own is taken
/// for one of Heat's.
fn meant_type(kind: &str, schema: &'static Schema) -> Option<&'static ResourceType> {
    let (service, _) = kind.rsplit_once("::").filter(|_| kind.starts_with("OS::"))?;
    let of_service = schema.types.iter().map(|(name, _)| name);
    let of_service = of_service.filter(|it| it.rsplit_once("::").is_some_and(|it| it.0 == service));
    schema.type_info(did_you_mean(kind, of_service)?)
}

/// The facts about the type of a resource; those of a template that is shipped with Heat are in the schema, too.
fn type_info<'a>(
    implementation: &'a ResolvedImplementation,
    resource: &CheckedResource<'_>,
    schema: &'static Schema,
) -> Option<&'a ResourceType> {
    match implementation {
        ResolvedImplementation::Shipped(_) => schema.type_info(&resource.evaluated.kind),
        _ => implementation.plugin().map(|(_, info)| info),
    }
}

fn finding(
    violation: &PropertyViolation,
    resource: &CheckedResource<'_>,
    written: Option<&IndexedValue<'_>>,
    info: &ResourceType,
) -> Diagnostic {
    let kind = &resource.evaluated.kind;
    let name = path_text(&violation.path);
    let (code, at_key, message) = match &violation.kind {
        ViolationKind::Unknown(_) => {
            (codes::UNKNOWN_PROPERTY, true, format!("`{kind}` has no property `{name}`"))
        }
        ViolationKind::UnknownHidden => {
            let whole = match name.is_empty() {
                true => "the hidden properties have".to_owned(),
                false => format!("the hidden value of `{name}` has"),
            };
            let message = format!("{whole} a key that `{kind}` does not have");
            (codes::UNKNOWN_PROPERTY, false, message)
        }
        ViolationKind::Missing(property) => {
            let within = if name.is_empty() { format!("`{kind}`") } else { format!("`{name}`") };
            (codes::PROPERTY_MISSING, true, format!("{within} requires the property `{property}`"))
        }
        ViolationKind::Type => (codes::PROPERTY_TYPE, false, violation.message.clone()),
        ViolationKind::Constraint => (codes::PROPERTY_CONSTRAINT, false, violation.message.clone()),
        ViolationKind::Conflict => (codes::PROPERTY_CONFLICT, true, violation.message.clone()),
        ViolationKind::Unimplemented => {
            (codes::PROPERTY_UNIMPLEMENTED, true, format!("Heat does not implement `{name}`"))
        }
    };
    let is_of_value = matches!(violation.kind, ViolationKind::Type | ViolationKind::Constraint);
    let span = place(violation, resource, written, at_key);
    let finding = in_plain_words(&message, |words| {
        let subject = if is_of_value && !name.is_empty() {
            format!("property `{name}`: ")
        } else {
            String::new()
        };
        Diagnostic::new(code, format!("{subject}{words}")).at(span)
    });
    match &violation.kind {
        ViolationKind::Unknown(Some(near)) => finding.did_you_mean(near),
        // A common mistake: the name is that of a property in another place.
        ViolationKind::Unknown(None) => match moved(&violation.path, info) {
            Some(near) => finding.help(format!("did you mean `{near}`?")),
            None => finding,
        },
        ViolationKind::UnknownHidden
        | ViolationKind::Missing(_)
        | ViolationKind::Type
        | ViolationKind::Constraint
        | ViolationKind::Conflict
        | ViolationKind::Unimplemented => finding,
    }
}

/// The place of a violation; for a missing property, the start of the map that lacks it.
fn place(
    violation: &PropertyViolation,
    resource: &CheckedResource<'_>,
    written: Option<&IndexedValue<'_>>,
    at_key: bool,
) -> Span {
    let is_missing = matches!(violation.kind, ViolationKind::Missing(_));
    match written {
        Some(_) if is_missing && violation.path.is_empty() => resource.type_span,
        Some(written) => written.locate(&violation.path, at_key && !is_missing),
        None => resource.type_span,
    }
}

/// The top-level property that has the last name of the path as a member, or the member's full name.
fn moved(path: &[ValueStep], info: &ResourceType) -> Option<String> {
    let ValueStep::Key(name) = path.last()? else { return None };
    if path.len() > 1 {
        return info.property(name).map(|_| format!("{name} (a property of the resource)"));
    }
    let mut holders = info.properties.iter().filter(|(_, property)| {
        let map = property.items.as_deref().unwrap_or(property);
        map.members.contains_key(name.as_str())
    });
    let (holder, _) = holders.next()?;
    holders.next().is_none().then(|| format!("{holder}.{name}"))
}

/// A path as messages show it: `networks[0].port`.
fn path_text(path: &[ValueStep]) -> String {
    let mut text = String::new();
    for step in path {
        match step {
            ValueStep::Key(key) => {
                if !text.is_empty() {
                    text.push('.');
                }
                text.push_str(key);
            }
            ValueStep::Item(at) => text.push_str(&format!("[{at}]")),
            ValueStep::Then | ValueStep::Otherwise => {}
        }
    }
    text
}
