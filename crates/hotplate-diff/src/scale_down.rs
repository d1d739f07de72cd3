//! Which members Heat deletes when a group shrinks.
//!
//! Heat's rule: `docs/heat.md#members-that-a-shrinking-group-loses`.

use std::collections::HashMap;

use super::comparison::{Pair, ResourceChange};
use super::impact::ResourceDefinition;
use super::update_rules::{MemberOrder, UpdateRule};
use heat_engine::eval::deployment::ChildStack;

/// A group with fewer members than before.
struct ShrinkingGroup {
    order: MemberOrder,
    members: Pair<usize>,
    /// The highest number of a member on the new side.
    last: Option<u64>,
}

/// Says for removed members of groups why Heat removes these. Groups precede their members.
pub(super) fn mark<'d>(
    resources: &mut [ResourceChange],
    definitions: impl Iterator<Item = &'d Pair<Option<ResourceDefinition<'d>>>>,
) {
    let mut groups: HashMap<String, ShrinkingGroup> = HashMap::new();
    for (resource, definitions) in resources.iter_mut().zip(definitions) {
        if let Pair { old: Some(old), new: Some(new) } = definitions {
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
