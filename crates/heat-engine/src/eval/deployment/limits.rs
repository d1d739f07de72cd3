//! Heat's limit on the resources of a stack including its nested stacks, and the failure of a deployment with
//! too many values.
//!
//! Heat's rule: `docs/heat.md#limits-of-size`.

use std::sync::Arc;

use super::child_resource::type_span;
use super::{ChildStack, Deployed};
use crate::eval::Budget;
use crate::eval::budget::message;
use crate::eval::{Failure, HeatExceptionClass};
use python_semantics::ExceptionClass;
use source_diagnostics::{Diagnostic, Span};

/// Heat's message for a stack with more resources than the limit.
pub(super) const TOO_MANY_RESOURCES: &str = "Maximum resources per stack exceeded.";

/// The failure of a stack whose deployment has too many values.
pub(super) fn too_many_values(effort: &Budget, span: Span) -> Failure {
    Failure::new(ExceptionClass::MemoryError, message(effort.limit()), span)
}

/// Removes stacks from a deployment that exceeds the limit, and reports it. Stacks that fit, in template
/// order, stay, except for one in which evaluation gave up, since where it gave up is not deterministic.
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
                HeatExceptionClass::RequestLimitExceeded,
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
            "with nested stacks, the deployment has more than the {limit} resources that `--max-resources` allows"
        )
    } else {
        format!(
            "with nested stacks, the deployment has {all} resources, more than the {limit} that `--max-resources` allows"
        )
    };
    let help = "Heat's limit is `max_resources_per_stack`, 1000 by default: set `--max-resources` to that of your cloud";
    let mut finding = Diagnostic::new(crate::codes::TOO_MANY_RESOURCES, message).help(help);
    let mut places = places.into_iter();
    if let Some(first) = places.next() {
        finding = finding.at(first);
    }
    for place in places {
        finding = finding.related(place, "this exceeds the limit, too");
    }
    deployed.findings.push(finding);
}
