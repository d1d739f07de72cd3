//! The memory of a running group: its members, and the names that it has removed and does not use again.
//!
//! Heat's rule: `docs/heat.md#names-that-a-group-has-removed`.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::HeatGroup;
use super::resource_group::removed_names;
use crate::eval::EvaluatedProperties;
use crate::eval::deployment::{ChildStack, Deployed};
use crate::eval::template_graph::{GroupReference, ResolvedImplementation};
use source_diagnostics::Span;

/// The groups of a stack that runs, by the resources that represent them or the stacks that contain them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunningMembers {
    /// The memory of the resource, if it is an `OS::Heat::ResourceGroup`.
    pub group: Option<GroupMemory>,
    /// The content of its stack.
    pub inside: HashMap<String, RunningMembers>,
}

/// The memory of a group.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GroupMemory {
    /// The names of its members, with their references where they are known.
    pub members: BTreeMap<String, Option<String>>,
    /// The names that it does not use again.
    pub removed: BTreeSet<String>,
}

impl GroupMemory {
    /// The memory of a group with these members: names are numbers, and those that were left out were removed.
    pub fn of_members(members: BTreeMap<String, Option<String>>) -> Self {
        let last = members.keys().filter_map(|name| name.parse::<u64>().ok()).max().unwrap_or(0);
        let left_out = (0..last).map(|number| number.to_string());
        let removed = left_out.filter(|name| !members.contains_key(name)).collect();
        GroupMemory { members, removed }
    }

    /// The memory of a group of an evaluated stack, as if it ran; `None` if the resource is no such group or its members are unknown.
    pub fn of_group(deployed: &Deployed, name: &str) -> Option<Self> {
        let ChildStack::Stack(child) = deployed.children.get(name)? else { return None };
        if !is_resource_group(deployed, name) {
            return None;
        }
        let members = child.evaluation.resources.iter().flatten();
        let mut memory = Self::of_members(members.map(|(name, _)| (name.clone(), None)).collect());
        memory.removed.extend(listed_names(deployed, name));
        Some(memory)
    }

    /// The name of the member that an item of a removal policy means: its name, or its reference. `None` if there was none.
    pub(super) fn name_of(&self, item: &str) -> Option<String> {
        if self.removed.contains(item) || self.members.contains_key(item) {
            return Some(item.to_owned());
        }
        let mut members = self.members.iter();
        members.find(|(_, reference)| reference.as_deref() == Some(item)).map(|(it, _)| it.clone())
    }
}

impl RunningMembers {
    /// The groups of an evaluated deployment, as if it ran.
    pub fn of(deployed: &Deployed) -> Self {
        let mut found = RunningMembers::default();
        for (name, child) in &deployed.children {
            let ChildStack::Stack(child) = child else { continue };
            let inside = RunningMembers {
                group: GroupMemory::of_group(deployed, name),
                ..RunningMembers::of(child)
            };
            if inside.group.is_some() || !inside.inside.is_empty() {
                found.inside.insert(name.clone(), inside);
            }
        }
        found
    }

    /// Adds the names that the policies of the template that runs list and that no member has.
    pub fn add_listed(&mut self, deployed: &Deployed) {
        for (name, inside) in &mut self.inside {
            if let Some(memory) = &mut inside.group {
                let listed = listed_names(deployed, name).into_iter();
                memory.removed.extend(listed.filter(|it| !memory.members.contains_key(it)));
            }
            if let Some(ChildStack::Stack(child)) = deployed.children.get(name) {
                inside.add_listed(child);
            }
        }
    }

    /// Whether what the groups remember can make an update differ from the creation of a deployment.
    pub fn matter_to(&self, deployed: &Deployed) -> bool {
        let remembers = |it: &RunningMembers| {
            it.group.as_ref().is_some_and(|memory| !memory.removed.is_empty())
        };
        self.inside.iter().any(|(name, inside)| {
            let listed = || inside.group.is_some() && !listed_names(deployed, name).is_empty();
            let below = || match deployed.children.get(name) {
                Some(ChildStack::Stack(child)) => inside.matter_to(child),
                Some(ChildStack::Unknown(_) | ChildStack::Failed(_)) | None => false,
            };
            remembers(inside) || listed() || below()
        })
    }
}

fn is_resource_group(deployed: &Deployed, name: &str) -> bool {
    let group = HeatGroup::ResourceGroup;
    matches!(
        deployed.node.implementations.get(name),
        Some(ResolvedImplementation::Group(GroupReference { group: it, .. })) if *it == group
    )
}

/// The names that the policies of a group list.
fn listed_names(deployed: &Deployed, name: &str) -> BTreeSet<String> {
    let resource = deployed.evaluation.resources.as_ref().and_then(|it| it.get(name));
    match resource.map(|it| &it.properties) {
        Some(EvaluatedProperties::Each(each)) if is_resource_group(deployed, name) => {
            let names = removed_names(each, Span::NOWHERE, None);
            names.ok().and_then(Result::ok).unwrap_or_default()
        }
        _ => BTreeSet::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_no_member_has_were_removed() {
        let members = ["1", "3"].map(|name| (name.to_owned(), Some(format!("id-{name}"))));
        let memory = GroupMemory::of_members(members.into());
        assert_eq!(memory.removed, ["0", "2"].map(str::to_owned).into());
        let meant = |item| memory.name_of(item);
        assert_eq!(meant("3").as_deref(), Some("3"), "the name of a member");
        assert_eq!(meant("id-3").as_deref(), Some("3"), "its reference");
        assert_eq!(meant("0").as_deref(), Some("0"), "a name that was removed before");
        assert_eq!(meant("7"), None, "a name that no member has: Heat ignores it");
    }
}
