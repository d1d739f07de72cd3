//! Where the differences of a group's members are written: in the definition that the group contains. The template of
//! the members is generated and has no lines.

use super::comparison::{ChangeReason, DefinitionPart, PathStep, ResourceChange};
use super::dataflow::{Dataflow, DataflowPair};
use heat_template::ir::{Expr, ExprKind, Pair};
use source_diagnostics::Span;

/// The properties of groups that contain the definition of a member.
const DEFINITIONS: [&str; 2] = ["resource_def", "resource"];

/// Replaces the places of the reasons of members by those of the parts of the definition.
pub(super) fn point_at_definitions(resources: &mut [ResourceChange], flows: &DataflowPair<'_>) {
    for resource in resources {
        let old = member_definition(&flows.old, &resource.name);
        let new = member_definition(&flows.new, &resource.name);
        if old.is_none() && new.is_none() {
            continue;
        }
        for ChangeReason { part, places, changes, .. } in &mut resource.reasons {
            let (one, other) = (old.and_then(|it| of(it, part)), new.and_then(|it| of(it, part)));
            for change in changes.iter_mut() {
                let at = |part: Option<&Expr>, is_old| Some(inside(part?, &change.path, is_old));
                let (one, other) = (at(one, true), at(other, false));
                change.places.old = one.or(change.places.old);
                change.places.new = other.or(change.places.new);
            }
            places.old = one.map(|part| part.span).or(places.old);
            places.new = other.map(|part| part.span).or(places.new);
        }
    }
}

/// The definition of a member of a group, as the group's template writes it.
fn member_definition<'a>(flow: &Dataflow<'a>, member: &str) -> Option<&'a Expr> {
    let (stack, _) = flow.find(member)?;
    let (outer, group) = flow.outer(stack)?;
    if !flow.is_group(stack) {
        return None;
    }
    let group = flow.stack(outer).stack.resources.get(group.as_str())?;
    let properties = group.properties.as_ref()?;
    DEFINITIONS.iter().find_map(|name| value_at(properties, name))
}

fn of<'a>(definition: &'a Expr, part: &DefinitionPart) -> Option<&'a Expr> {
    match part {
        DefinitionPart::Property(name) => value_at(value_at(definition, "properties")?, name),
        DefinitionPart::Properties => value_at(definition, "properties"),
        DefinitionPart::Type => value_at(definition, "type"),
        DefinitionPart::Metadata => value_at(definition, "metadata"),
        DefinitionPart::DeletionPolicy => value_at(definition, "deletion_policy"),
        DefinitionPart::UpdatePolicy => value_at(definition, "update_policy"),
        DefinitionPart::DependsOn => value_at(definition, "depends_on"),
        DefinitionPart::Resource
        | DefinitionPart::ExternalId
        | DefinitionPart::Condition
        | DefinitionPart::Description => None,
    }
}

fn value_at<'a>(expr: &'a Expr, key: &str) -> Option<&'a Expr> {
    let ExprKind::Map(pairs) = &expr.kind else { return None };
    let mut found = pairs.iter().rev().filter(|pair: &&Pair| pair.key.as_text() == Some(key));
    found.next().map(|pair| &pair.value)
}

/// The span of the item at a path, as far as the definition writes it out.
fn inside(part: &Expr, path: &[PathStep], is_old: bool) -> Span {
    let mut part = part;
    for step in path {
        let next = match (step, &part.kind) {
            (PathStep::Key(key), _) => value_at(part, key),
            (PathStep::Item { at, .. }, ExprKind::List(items)) => {
                let index = if is_old { at.old } else { at.new };
                index.and_then(|index| items.get(index))
            }
            (PathStep::Item { .. }, _) => None,
        };
        match next {
            Some(next) => part = next,
            None => break,
        }
    }
    part.span
}
