//! The members of groups of unknown size: what is wrong with them is wrong unless the group is empty.
//!
//! The deployment is evaluated again, in which each such group has one member. Only its members count: what the rest of the
//! deployment reads of the group depends on its real size.
//!
//! Heat's rule: `docs/heat.md#members-of-a-resourcegroup`.

use super::checks::cloud::{self, Cloud};
use super::checks::support::HeatRelease;
use super::checks::{aliases, support};
use super::input::check_resources;
use super::stacks::CheckedStack;
use heat_engine::eval::Budget;
use heat_engine::eval::deployment::{ChildStack, Deployed, DeploymentRequest, deploy};
use heat_engine::eval::template_graph::ResolvedImplementation;
use heat_template::schema::Schema;
use source_diagnostics::{Diagnostic, Severity};

/// The findings about the members of groups whose number is unknown in `deployed`.
pub(super) fn assumed_members(
    request: &DeploymentRequest<'_>,
    deployed: &Deployed,
    schema: &'static Schema,
    cloud: &Cloud,
) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    if !deployed.has_unknown_child() {
        return found;
    }
    let assumed = deploy(&DeploymentRequest { assume_members: true, ..*request });
    let mut groups = Vec::new();
    collect_groups(CheckedStack::root(deployed), CheckedStack::root(&assumed), &mut groups);
    let budget = Budget::new(assumed.max_values());
    let release = HeatRelease::of(cloud, schema);
    for group in groups {
        let mut errors = group.deployed.findings();
        errors.retain(Diagnostic::is_error);
        for stack in group.with_nested() {
            check_resources(&stack, schema, &budget, &mut errors);
            aliases::check(&stack, schema, &mut found);
            support::check_resources(&stack, release, &mut found);
            cloud::check_types(&stack, &cloud.lists, &mut found);
            cloud::accept_listed_types(&stack, &cloud.lists, &mut errors);
        }
        found.extend(errors.into_iter().map(unless_empty));
    }
    found
}

/// An error in a member is none if there is no member.
fn unless_empty(mut error: Diagnostic) -> Diagnostic {
    if !error.is_error() {
        return error;
    }
    error.severity = Severity::Warning;
    error.help("the number of members is unknown: Heat refuses this unless the group is empty")
}

fn is_group(stack: &Deployed, name: &str) -> bool {
    let implementation = stack.node.implementations.get(name);
    matches!(implementation, Some(ResolvedImplementation::Group(_)))
}

/// Adds the stacks of the groups that only the second evaluation has.
fn collect_groups<'a>(
    known: CheckedStack<'_>,
    assumed: CheckedStack<'a>,
    groups: &mut Vec<CheckedStack<'a>>,
) {
    for (name, child) in &assumed.deployed.children {
        let ChildStack::Stack(child) = child else { continue };
        let member = assumed.child(name, child);
        match known.deployed.children.get(name) {
            Some(ChildStack::Stack(before)) => {
                collect_groups(known.child(name, before), member, groups);
            }
            Some(ChildStack::Unknown(_)) if is_group(known.deployed, name) => groups.push(member),
            Some(ChildStack::Unknown(_) | ChildStack::Failed(_)) | None => {}
        }
    }
}
