//! What happens to the old resource when an update deletes, replaces or overwrites it, and to the data on it.
//!
//! Heat's rules: `docs/heat.md#the-deletion-policy-that-counts`, `docs/heat.md#disks-that-are-deleted-with-a-server`.

use std::collections::{HashMap, HashSet};

use super::comparison::{ChangeReason, DefinitionPart, Impact, Pair, Places};
use super::impact::{self, HeldData, ResourceDefinition};
use super::propagation::changed_parts;
use super::roles::DataEffect;
use super::stages::PropagatedResource;
use super::update_rules::UpdateRule;

/// What happens to the data of each resource. Adds the reasons that say what happens to the old resource and to its data. The
/// resources that represent stacks precede those in them.
pub(super) fn explain(
    resources: &mut [PropagatedResource],
    definitions: &[Pair<Option<ResourceDefinition<'_>>>],
) -> Vec<Option<DataEffect>> {
    keep_references(resources, definitions);
    // The stacks that stay in the cloud as a whole.
    let mut kept: HashSet<String> = HashSet::new();
    let both = resources.iter_mut().zip(definitions);
    let data = both.map(|(propagated, definitions)| {
        let possible = propagated.possible_impact();
        let PropagatedResource { decided: resource, effective_impact, .. } = propagated;
        let effective_impact = *effective_impact;
        let old = definitions.old.as_ref()?;
        let end = OldResource::of(possible)?;
        let outer = resource.name.rsplit_once('/').map(|(outer, _)| outer);
        let is_inside_kept = outer.is_some_and(|outer| kept.contains(outer));
        let removal = match effective_impact {
            Impact::Retain => Impact::Retain,
            _ if is_inside_kept => Impact::Retain,
            _ => impact::removed_impact(old),
        };
        if removal == Impact::Retain && end == OldResource::Removed {
            kept.insert(resource.name.clone());
        }
        let span = old.deletion_policy_span().filter(|_| !is_inside_kept);
        let mut add = |impact, rule| {
            let places = Places { old: span, new: None };
            let reason = ChangeReason::new(DefinitionPart::Resource, impact, rule, places);
            resource.reasons.push(reason);
        };
        let is_replaced =
            matches!(possible, Impact::Replace | Impact::MayReplace | Impact::NotCompared);
        if is_replaced && end != OldResource::Overwritten {
            match removal {
                Impact::Retain => add(Impact::Retain, UpdateRule::OldIsRetained),
                Impact::Snapshot => add(Impact::Snapshot, UpdateRule::OldIsSnapshotted),
                _ => {}
            }
        }
        let held = old.held_data();
        let keeps_ephemeral =
            || definitions.new.as_ref().is_some_and(ResourceDefinition::keeps_ephemeral_disks);
        let effect = match (held, end) {
            (HeldData::Nothing, _) => None,
            (HeldData::Whole, OldResource::Overwritten) => Some(DataEffect::Lost),
            (HeldData::Disks { ephemeral: true }, OldResource::Overwritten)
                if !keeps_ephemeral() =>
            {
                Some(DataEffect::Lost)
            }
            (HeldData::Disks { .. } | HeldData::OnlyDeletedEmpty, OldResource::Overwritten) => None,
            (HeldData::OnlyDeletedEmpty, _) if removal != Impact::Retain => {
                add(effective_impact, UpdateRule::OnlyDeletedEmpty);
                None
            }
            (_, end) => Some(match (removal, end) {
                (Impact::Retain, _) => DataEffect::Kept,
                (Impact::Snapshot, _) => DataEffect::Snapshotted,
                (_, OldResource::MayBeRemoved) => DataEffect::MayBeLost,
                _ => DataEffect::Lost,
            }),
        };
        if matches!(effect, Some(DataEffect::Lost | DataEffect::MayBeLost)) {
            let sentence = match (held, end) {
                (HeldData::Disks { .. }, OldResource::Overwritten) => {
                    "its ephemeral disks are lost: they are rewritten"
                }
                (_, OldResource::Overwritten) => "its content is lost: it is overwritten",
                (_, OldResource::MayBeRemoved) if effective_impact == Impact::MayDelete => {
                    "its data is lost if it is deleted"
                }
                (HeldData::Disks { .. }, OldResource::MayBeRemoved) => {
                    "the disks that are deleted with it are lost if it is replaced"
                }
                (HeldData::Disks { .. }, OldResource::Removed) => {
                    "the disks that are deleted with it are lost"
                }
                (_, OldResource::MayBeRemoved) => "its data is lost if it is replaced",
                (_, OldResource::Removed) => "its data is lost with it",
            };
            add(effective_impact, UpdateRule::DataLost { sentence });
        }
        resource.reasons.sort_by_key(|reason| reason.impact);
        effect
    });
    data.collect()
}

/// Says of replaced resources whose reference stays the same that what refers to them keeps what it got of the old one.
fn keep_references(
    resources: &mut [PropagatedResource],
    definitions: &[Pair<Option<ResourceDefinition<'_>>>],
) {
    let keeps_name = |(at, it): &(usize, &PropagatedResource)| {
        let PropagatedResource { decided, effective_impact, propagations, .. } = it;
        let parts = changed_parts(&decided.reasons, propagations);
        definitions[*at].new.as_ref().is_some_and(|new| {
            *effective_impact == Impact::Replace
                && impact::has_reference_names(new)
                && impact::replaces_reference(new, parts).is_none()
        })
    };
    let mut readers: HashMap<&str, (usize, Vec<String>)> = resources
        .iter()
        .enumerate()
        .filter(keeps_name)
        .map(|(at, it)| (it.decided.name.as_str(), (at, Vec::new())))
        .collect();
    for resource in resources.iter().filter(|it| it.effective_impact.keeps_resource()) {
        for name in &resource.depends_on {
            if let Some((_, readers)) = readers.get_mut(name.as_str()) {
                readers.push(resource.decided.name.clone());
            }
        }
    }
    let found: Vec<_> = readers.into_values().filter(|(_, it)| !it.is_empty()).collect();
    for (at, readers) in found {
        let Some(new) = &definitions[at].new else { continue };
        let rule = UpdateRule::SameReference { readers };
        let places = Places { old: None, new: Some(new.name_span()) };
        let reason = ChangeReason::new(DefinitionPart::Resource, Impact::None, rule, places);
        resources[at].decided.reasons.push(reason);
    }
}

/// What happens to the old resource, apart from its deletion policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OldResource {
    Removed,
    MayBeRemoved,
    /// It stays, and what is on it is overwritten.
    Overwritten,
}

impl OldResource {
    fn of(impact: Impact) -> Option<Self> {
        match impact {
            Impact::Delete | Impact::Replace | Impact::Snapshot | Impact::Retain => {
                Some(OldResource::Removed)
            }
            Impact::MayDelete | Impact::MayReplace | Impact::NotCompared => {
                Some(OldResource::MayBeRemoved)
            }
            Impact::Rebuild => Some(OldResource::Overwritten),
            Impact::Refused
            | Impact::Create
            | Impact::Adopt
            | Impact::MayCreate
            | Impact::Update
            | Impact::NoopUpdate
            | Impact::None => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{deployed, pair};
    use crate::{Comparison, SuppressionOptions, compare};
    use source_diagnostics::SourceMap;

    fn compared(old: &str, new: &str) -> Comparison {
        let (old, new) = pair(old, new);
        compare(&old.side(), &new.side(), &SuppressionOptions::default(), None).comparison
    }

    /// The effect on the data of the resource `r`, and the rules about the old one.
    fn effect(old: &str, new: &str) -> (Option<DataEffect>, Vec<&'static str>) {
        let resources = |text: &str| format!("resources: {{{text}}}\n");
        let comparison = compared(&resources(old), &resources(new));
        let resource = comparison.resources.iter().find(|it| it.name == "r").expect("there");
        let rules = ["data-lost", "old-is-retained", "old-is-snapshotted", "only-deleted-empty"];
        let rules_of = resource.reasons.iter().map(|reason| reason.rule.id());
        (resource.data, rules_of.filter(|id| rules.contains(id)).collect())
    }

    fn of(kind: &str, properties: &str, more: &str) -> String {
        format!("r: {{type: '{kind}', properties: {{{properties}}}{more}}}")
    }

    #[test]
    fn the_old_policy_decides_about_the_data() {
        let volume = |zone: &str, policy: &str| {
            of("OS::Cinder::Volume", &format!("size: 1, availability_zone: {zone}"), policy)
        };
        let (lost, kept) = (Some(DataEffect::Lost), Some(DataEffect::Kept));
        let (retain, snapshot) = (", deletion_policy: retain", ", deletion_policy: snapshot");
        for (old, new, expected, rules) in [
            (volume("a", ""), volume("b", ""), lost, vec!["data-lost"]),
            (volume("a", ""), volume("b", retain), lost, vec!["data-lost"]),
            (volume("a", retain), volume("b", ""), kept, vec!["old-is-retained"]),
            (
                volume("a", snapshot),
                volume("b", ""),
                Some(DataEffect::Snapshotted),
                vec!["old-is-snapshotted"],
            ),
            (volume("a", ""), String::new(), lost, vec!["data-lost"]),
            (volume("a", retain), String::new(), kept, vec![]),
            (volume("a", ""), volume("a", retain), None, vec![]),
            (String::new(), volume("a", ""), None, vec![]),
        ] {
            assert_eq!(effect(&old, &new), (expected, rules), "{old} {new}");
        }
        let random =
            |length: u8| of("OS::Heat::RandomString", &format!("length: {length}"), retain);
        assert_eq!(effect(&random(1), &random(2)), (None, vec!["old-is-retained"]), "no data");
    }

    #[test]
    fn a_server_holds_data_on_disks_that_are_deleted_with_it() {
        let server =
            |more: &str| of("OS::Nova::Server", &format!("flavor: f, key_name: {more}"), "");
        let disk = |key: &str, disk: &str| {
            server(&format!("{key}, block_device_mapping_v2: [{{boot_index: 0, {disk}}}]"))
        };
        let lost = |old: String, new: String| effect(&old, &new).0;
        let image = |key: &str| server(&format!("{key}, image: i"));
        assert_eq!(lost(image("a"), image("b")), None, "only a root disk");
        let volume = "image: i, volume_size: 1";
        let deleted = "image: i, volume_size: 1, delete_on_termination: true";
        assert_eq!(lost(disk("a", volume), disk("b", volume)), None, "the volume stays");
        assert_eq!(lost(disk("a", deleted), disk("b", deleted)), Some(DataEffect::Lost));
        let ephemeral = |image: &str, more: &str| {
            server(&format!(
                "k, image: {image}, block_device_mapping_v2: [{{ephemeral_size: 1}}]{more}"
            ))
        };
        assert_eq!(lost(ephemeral("i", ""), ephemeral("j", "")), Some(DataEffect::Lost), "rebuilt");
        let keeps = ", image_update_policy: REBUILD_PRESERVE_EPHEMERAL";
        assert_eq!(lost(ephemeral("i", keeps), ephemeral("j", keeps)), None);
    }

    #[test]
    fn a_container_with_objects_is_not_deleted() {
        let container =
            |purge: bool| of("OS::Swift::Container", &format!("PurgeOnDelete: {purge}"), "");
        assert_eq!(effect(&container(false), ""), (None, vec!["only-deleted-empty"]));
        assert_eq!(effect(&container(true), ""), (Some(DataEffect::Lost), vec!["data-lost"]));
    }

    #[test]
    fn what_is_in_a_stack_shares_its_fate() {
        let mut sources = SourceMap::default();
        let inner = "resources: {v: {type: 'OS::Cinder::Volume', properties: {size: 1}}}\n";
        for (policy, expected) in
            [("", DataEffect::Lost), (", deletion_policy: retain", DataEffect::Kept)]
        {
            let root = format!("resources: {{s: {{type: inner.yaml{policy}}}}}\n");
            let old = deployed(&[("root.yaml", &root), ("inner.yaml", inner)], &mut sources);
            let new = deployed(&[("root.yaml", "resources: {}\n")], &mut sources);
            let comparison =
                compare(&old.side(), &new.side(), &SuppressionOptions::default(), None).comparison;
            assert_eq!(comparison.resources[1].name, "s/v");
            assert_eq!(comparison.resources[1].data, Some(expected), "{policy}");
        }
    }
}
