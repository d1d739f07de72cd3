//! Changes of network access, of who may log in, and of what runs.
//!
//! Each file covers one way in which a resource grants access, most of them as a table: add a row for
//! another type or property.
//!
//! | file | content |
//! |---|---|
//! | `neutron.rs` | security groups and their rules |
//! | `firewall.rs` | firewall rules and policies |
//! | `peers.rs` | listeners, address pairs, shares: rules that are not security groups |
//! | `public.rs` | floating and other public addresses, gateways |
//! | `exposure_levels.rs` | properties whose values expose more or less: `shared`, `port_security_enabled` |
//! | `sets.rs` | properties whose items each grant something: groups, roles, readers |
//! | `value_specs.rs` | what Heat passes to a service without knowing it |
//! | `open_ports.rs` | not a comparison: the ports that are open to everybody |
//! | `credentials.rs` | keys, passwords, images, `user_data` |
//!
//! Rules are compared as sets of traffic (`traffic_set.rs`), so that another spelling of the same rules is no
//! change. Unknown values are kept apart: if a difference depends on one, the verdict is
//! [`AccessChange::Changed`]. No message shows a secret.

mod address;
mod credentials;
mod exposure_levels;
mod firewall;
mod neutron;
mod open_ports;
mod peers;
mod protocol;
mod public;
mod resource_side;
mod rules;
mod sets;
#[cfg(test)]
mod tests;
mod traffic_set;
mod value_specs;

use std::collections::{HashMap, HashSet};

use super::comparison::{
    AccessChange, Impact, Pair, Places, RenameLink, SecurityChange, SecurityKind,
};
use super::equality::ParameterRenames;
use super::impact::ResourceDefinition;
use super::stages::DecidedResource;
use heat_engine::eval::{EvalResult, Value};
use source_diagnostics::Span;

pub(super) use address::contains_networks;
pub use credentials::secret_properties;
pub use open_ports::open_ports;

use resource_side::ResourceSide;

/// A resource of two deployments, paired by its full name.
#[derive(Clone, Copy)]
pub(super) struct PairedResource<'a> {
    /// The result of the comparison of resources.
    pub(super) change: &'a DecidedResource,
    /// The definitions on both sides.
    pub(super) definitions: Pair<Option<ResourceDefinition<'a>>>,
    /// The parameters that are renamed on the new side.
    pub(super) names: &'a ParameterRenames,
}

/// The context for reading one side of a resource.
#[derive(Clone, Copy)]
struct SideContext<'a> {
    name: &'a str,
    names: &'a ParameterRenames,
    moved: &'a ResourceRenames,
}

/// One of the two deployments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SideKind {
    Old,
    New,
}

impl SideKind {
    fn of<T>(self, pair: &mut Pair<T>) -> &mut T {
        match self {
            SideKind::Old => &mut pair.old,
            SideKind::New => &mut pair.new,
        }
    }

    fn get<T>(self, pair: &Pair<Option<T>>) -> Option<&T> {
        match self {
            SideKind::Old => pair.old.as_ref(),
            SideKind::New => pair.new.as_ref(),
        }
    }
}

/// Resources that are renamed on the new side. Resources in their stacks are renamed with them.
#[derive(Debug, Default)]
struct ResourceRenames {
    old: HashMap<String, String>,
    new: HashMap<String, String>,
}

impl ResourceRenames {
    fn new<'a>(resources: impl Iterator<Item = &'a DecidedResource>) -> Self {
        let mut moved = ResourceRenames::default();
        for resource in resources {
            if let Some(RenameLink::OldName(old, _)) = &resource.rename {
                moved.old.insert(resource.name.clone(), old.clone());
                moved.new.insert(old.clone(), resource.name.clone());
            }
        }
        moved
    }

    /// The old name of a resource of the new side.
    fn old_name(&self, whole: &str) -> String {
        other_name(&self.old, whole)
    }

    /// The new name of a resource of the old side.
    fn new_name(&self, whole: &str) -> String {
        other_name(&self.new, whole)
    }
}

fn other_name(names: &HashMap<String, String>, whole: &str) -> String {
    if names.is_empty() {
        return whole.to_owned();
    }
    // The innermost renamed stack that contains it determines the new name.
    let ends = whole.match_indices('/').map(|(at, _)| at).chain([whole.len()]);
    let mut ends: Vec<usize> = ends.collect();
    while let Some(end) = ends.pop() {
        if let Some(other) = names.get(&whole[..end]) {
            return format!("{other}{}", &whole[end..]);
        }
    }
    whole.to_owned()
}

/// The security changes of all resources, in the order of the resources; groups and firewalls,
/// whose rules can be spread over resources, come first.
pub(super) fn security_changes<'a>(
    pairs: impl IntoIterator<Item = PairedResource<'a>>,
) -> Vec<SecurityChange> {
    let all: Vec<PairedResource<'a>> = pairs.into_iter().collect();
    let moved = ResourceRenames::new(all.iter().map(|seen| seen.change));
    let at: HashMap<&str, usize> =
        all.iter().enumerate().map(|(at, seen)| (seen.change.name.as_str(), at)).collect();
    let is_there = |name: &str| at.get(name).and_then(|at| all[*at].definitions.new).is_some();
    let held = |when: SideKind| -> HashSet<String> {
        let side = |seen: &PairedResource<'a>| {
            let sight = SideContext { name: &seen.change.name, names: seen.names, moved: &moved };
            let definition = match when {
                SideKind::Old => seen.definitions.old,
                SideKind::New => seen.definitions.new,
            };
            Some(credentials::held_keys(&resource_side(sight, when, definition?)?))
        };
        all.iter().filter_map(side).flatten().collect()
    };
    let held = Pair { old: held(SideKind::Old), new: held(SideKind::New) };
    let mut groups = neutron::SecurityGroups::default();
    let mut firewalls = firewall::Firewalls::default();
    let mut changes = Vec::new();
    for seen in &all {
        let name = seen.change.name.as_str();
        let Pair { mut old, new } = seen.definitions;
        match new {
            Some(_) => {
                // A renamed resource is compared with the old one.
                let was = moved.old_name(name);
                if was != name {
                    old = at.get(was.as_str()).and_then(|at| all[*at].definitions.old).or(old);
                }
            }
            None => {
                let is = moved.new_name(name);
                if (is != name && is_there(&is)) || seen.change.impact == Impact::Retain {
                    continue;
                }
            }
        }
        let sight = SideContext { name, names: seen.names, moved: &moved };
        let side = |when, definition: Option<ResourceDefinition<'a>>| {
            resource_side(sight, when, definition?)
        };
        let sides = Pair { old: side(SideKind::Old, old), new: side(SideKind::New, new) };
        for (when, side) in [(SideKind::Old, &sides.old), (SideKind::New, &sides.new)] {
            if let Some(side) = side {
                groups.add(name, side, when);
                firewalls.add(name, side, when);
            }
        }
        compare_properties(name, &sides, &held, &mut changes);
    }
    let mut found = groups.compare();
    found.extend(firewalls.compare());
    found.extend(changes);
    found
}

/// Compares the properties of one resource by type; a resource of another type is a different one. `held` are the keys of all resources
/// of each side.
fn compare_properties(
    name: &str,
    sides: &Pair<Option<ResourceSide<'_>>>,
    held: &Pair<HashSet<String>>,
    changes: &mut Vec<SecurityChange>,
) {
    let kind = |side: &Option<ResourceSide<'_>>| side.map(|side| side.resource_type.to_owned());
    let of = |kind: &str| Pair {
        old: sides.old.filter(|side| side.resource_type == kind),
        new: sides.new.filter(|side| side.resource_type == kind),
    };
    let (old, new) = (kind(&sides.old), kind(&sides.new));
    let same = old == new;
    let kinds = old.into_iter().chain(new.filter(|_| !same));
    for kind in kinds {
        let sides = &of(&kind);
        if let (Some(old), Some(new)) = (&sides.old, &sides.new)
            && old.resource.properties == new.resource.properties
        {
            continue;
        }
        for row in peers::ROWS.iter().filter(|row| row.resource_type == kind) {
            let rules = |side: &Option<ResourceSide<'_>>| {
                side.as_ref().map_or_else(rules::RuleSet::default, |side| (row.rules)(name, side))
            };
            let (old, new) = (rules(&sides.old), rules(&sides.new));
            changes.extend(rules::compare(name, &old, &new, &row.wording));
        }
        for row in public::ROWS.of(&kind) {
            public::compare(row, name, sides, changes);
        }
        for row in exposure_levels::ROWS.of(&kind) {
            exposure_levels::compare(row, name, sides, changes);
        }
        for row in sets::ROWS.of(&kind) {
            sets::compare(row, name, sides, changes);
        }
        value_specs::compare(name, sides, changes);
        for row in credentials::ROWS.of(&kind) {
            credentials::compare(row, name, sides, held, changes);
        }
    }
}

/// One side, if a plugin of Heat applies the resource's properties: an adopted resource keeps its
/// own.
fn resource_side<'a>(
    sight: SideContext<'a>,
    when: SideKind,
    definition: ResourceDefinition<'a>,
) -> Option<ResourceSide<'a>> {
    let ResourceDefinition { name, resource, stack } = definition;
    let adopted = |id: &EvalResult| !matches!(id, Ok(Value::Null | Value::Elided));
    if resource.external_id.as_ref().is_some_and(adopted) {
        return None;
    }
    let (kind, type_info) = stack.node.implementations.get(name)?.plugin()?;
    let is_old = when == SideKind::Old;
    Some(ResourceSide {
        name,
        scope: sight.name.rfind('/').map_or("", |at| &sight.name[..=at]),
        resource_type: kind,
        type_info,
        resource,
        stack: &stack.stack,
        level: stack.level,
        names: Some(sight.names).filter(|names| is_old && !names.is_empty()),
        resource_renames: Some(sight.moved).filter(|_| is_old),
    })
}

/// A change with the span of a property.
fn change(
    name: &str,
    kind: SecurityKind,
    verdict: AccessChange,
    message: String,
    sides: &Pair<Option<ResourceSide<'_>>>,
    property: &str,
) -> SecurityChange {
    let place = |side: &Option<ResourceSide<'_>>| -> Option<Span> {
        side.as_ref()?.property_span(property)
    };
    SecurityChange {
        resource: name.to_owned(),
        kind,
        access: verdict,
        message,
        places: Places { old: place(&sides.old), new: place(&sides.new) },
    }
}
