//! Which members Heat deletes when a group shrinks.
//!
//! Heat's rule: `docs/heat.md#members-that-a-shrinking-group-loses`.

use std::collections::HashMap;

use super::comparison::{ChangeReason, DefinitionPart, Impact, Pair, Places};
use super::impact::ResourceDefinition;
use super::stages::DecidedResource;
use super::update_rules::{MemberOrder, UpdateRule};
use heat_engine::eval::GroupMemory;
use heat_engine::eval::deployment::ChildStack;

/// A group with fewer members than before.
struct ShrinkingGroup {
    order: MemberOrder,
    members: Pair<usize>,
    /// The highest number of a member on the new side.
    last: Option<u64>,
}

/// Says for removed members of groups why Heat removes these, and for groups which names they do not use again. Groups precede their members.
/// `is_saved` if the members that run are known.
pub(super) fn mark<'d>(
    resources: &mut [DecidedResource],
    is_saved: bool,
    definitions: impl Iterator<Item = &'d Pair<Option<ResourceDefinition<'d>>>>,
) {
    let mut groups: HashMap<String, ShrinkingGroup> = HashMap::new();
    for (resource, definitions) in resources.iter_mut().zip(definitions) {
        if let Pair { old: Some(old), new: Some(new) } = definitions {
            resource.reasons.extend(names_not_reused(resource.impact, old, is_saved));
            groups.extend(shrinking(old, new).map(|group| (resource.name.clone(), group)));
            continue;
        }
        let Some((outer, member)) = resource.name.rsplit_once('/') else { continue };
        let Some(group) = groups.get(outer) else { continue };
        let is_skipped = member.parse::<u64>().ok() < group.last;
        for reason in &mut resource.reasons {
            if reason.rule == UpdateRule::Removed {
                reason.rule = UpdateRule::ScaledDown {
                    order: match group.order {
                        MemberOrder::Highest if is_skipped => MemberOrder::Listed,
                        order => order,
                    },
                    members: group.members,
                };
            }
        }
    }
}

/// The members that a changed group has removed and remembers.
fn names_not_reused(
    impact: Impact,
    old: &ResourceDefinition<'_>,
    is_saved: bool,
) -> Option<ChangeReason> {
    let memory = GroupMemory::of_group(old.stack, old.name)?;
    if memory.removed.is_empty() || !impact.keeps_resource() || impact == Impact::None {
        return None;
    }
    let names = memory.removed.into_iter().collect();
    let rule = UpdateRule::NamesNotReused { names, is_saved };
    let part = DefinitionPart::Property("removal_policies".to_owned());
    let places = Places { old: old.property_span("removal_policies"), new: None };
    Some(ChangeReason::new(part, Impact::None, rule, places))
}

fn shrinking(old: &ResourceDefinition<'_>, new: &ResourceDefinition<'_>) -> Option<ShrinkingGroup> {
    let order = match new.plugin()? {
        "OS::Heat::AutoScalingGroup" => MemberOrder::Oldest,
        "OS::Heat::ResourceGroup" => MemberOrder::Highest,
        _ => return None,
    };
    let names = |side: &ResourceDefinition<'_>| match side.child()? {
        ChildStack::Stack(stack) => {
            let members = stack.evaluation.resources.as_ref()?;
            Some(members.keys().map(|name| name.parse::<u64>().ok()).collect::<Vec<_>>())
        }
        ChildStack::Unknown(_) | ChildStack::Failed(_) => None,
    };
    let (old, new) = (names(old)?, names(new)?);
    let last = new.iter().copied().flatten().max();
    Some(ShrinkingGroup { order, members: Pair { old: old.len(), new: new.len() }, last })
}
