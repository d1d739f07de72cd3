//! Heat's limit of the resources of a stack and of all stacks below it, and what is said where their values are
//! too many.
//!
//! Heat's rule: `docs/heat.md#limits-of-size`.

use std::sync::Arc;

use super::child_stacks::type_span;
use super::{ChildStack, Deployed};
use crate::eval::Budget;
use crate::eval::budget::message;
use crate::eval::{Class, Failure};
use source_diagnostics::{Diagnostic, Span};

/// What Heat says of a stack that has more resources than its limit.
pub(super) const TOO_MANY_RESOURCES: &str = "Maximum resources per stack exceeded.";

/// Why a stack has no values where those of its deployment are too many.
pub(super) fn too_many_values(effort: &Budget, span: Span) -> Failure {
    Failure::new(Class::MemoryError, message(effort.limit()), span)
}

/// Takes stacks out of a deployment that goes beyond the limit, and says so. Those that fit in the order
/// of the template stay, but for one in which the evaluation gave up, since where it did is chance.
pub(super) fn enforce_limit(deployed: &mut Deployed, limit: usize, gave_up: bool) {
    if deployed.resource_count <= limit && !gave_up {
        return;
    }
    let all = deployed.resource_count;
    let stack = Arc::clone(&deployed.stack);
    let resources = deployed.evaluation.resources.iter().flatten();
    let names: Vec<&String> = resources.map(|(name, _)| name).collect();
    let own = names.len();
    let mut places = Vec::new();
    if let Some(name) = names.get(limit) {
        places.push(type_span(&stack, name));
    }
    let mut total = own;
    for (name, child) in &mut deployed.children {
        let more = total.saturating_add(child.resource_count());
        let is_stack = matches!(child, ChildStack::Stack(_));
        if is_stack && (gave_up || more > limit) {
            let span = type_span(&stack, name);
            places.push(span);
            *child = ChildStack::Failed(Failure::new(
                Class::RequestLimitExceeded,
                TOO_MANY_RESOURCES,
                span,
            ));
        } else {
            total = more;
        }
    }
    deployed.resource_count = total;
    places.dedup();
    let message = if gave_up {
        format!(
            "with nested stacks, this has more than the {limit} resources that `--max-resources` allows"
        )
    } else {
        format!(
            "with nested stacks, this has {all} resources, more than the {limit} resources that `--max-resources` allows"
        )
    };
    let help = "Heat takes as many as its `max_resources_per_stack` says, 1000 unless its operator sets it";
    let mut finding = Diagnostic::new(crate::codes::TOO_MANY_RESOURCES, message).help(help);
    let mut places = places.into_iter();
    if let Some(first) = places.next() {
        finding = finding.at(first);
    }
    for place in places {
        finding = finding.related(place, "this goes beyond it, too");
    }
    deployed.findings.push(finding);
}
