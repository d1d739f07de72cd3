//! Rows of columns that several crates read.

use serde::Deserialize;

use super::{Column, columns};

/// The data that a resource holds.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "'de: 'static"))]
pub struct HeldDataRow {
    /// Whether its own data is gone when it is deleted.
    #[serde(default)]
    pub deleted_with_resource: bool,
    /// Whether Heat deletes it only if it is empty.
    pub deleted_if_empty: Option<DeletedIfEmpty>,
    /// The properties that list disks of a server.
    #[serde(default)]
    pub disks: Vec<DiskList>,
}

impl HeldDataRow {
    /// The data of a type; `None` if it holds none.
    pub fn of(kind: &str) -> Option<&'static Self> {
        static ROWS: Column<HeldDataRow> = Column::new(columns::HELD_DATA);
        ROWS.get(kind)
    }
}

/// Heat deletes a resource only if it is empty.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeletedIfEmpty {
    /// The property that, if true, deletes what is in it first.
    pub unless: Option<&'static str>,
}

/// A list of disks of a server, and the keys that say what happens to a disk with the server.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DiskList {
    /// The property with the list.
    pub property: &'static str,
    /// The key of the map with the keys below; the item itself without one.
    pub inside: Option<&'static str>,
    /// The key that is true if the volume is deleted with the server.
    pub deleted: &'static str,
    /// The keys of ephemeral disks.
    #[serde(default)]
    pub ephemeral: Vec<&'static str>,
}

/// The role of a type for wait conditions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SignalRole {
    /// It gets signals.
    Handle,
    /// It waits for the signals of the handle that this property names.
    WaitsFor(&'static str),
}

impl SignalRole {
    /// The role of a type; `None` if it has nothing to do with signals.
    pub fn of(kind: &str) -> Option<Self> {
        static ROWS: Column<SignalRole> = Column::new(columns::SIGNALS);
        ROWS.get(kind).copied()
    }

    /// Whether a type waits for the signals of a handle.
    pub fn waits(kind: &str) -> bool {
        matches!(SignalRole::of(kind), Some(SignalRole::WaitsFor(_)))
    }
}

/// The leftover of a resource after an update.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct UpdateEffects {
    /// Keys that only one object can have, the strictest first.
    pub keys: Vec<NaturalKey>,
    /// What a replacement takes from the old object before there is a new one.
    pub unplugs: Option<Unplugs>,
    /// When the service refuses to delete it.
    pub deletion_refused: Option<DeletionRefused>,
    /// Updates in place that do not do what they say.
    pub changes: Vec<BrokenUpdate>,
    /// What happens to properties that leave the template.
    pub removed: RemovedProperties,
    /// The property with the server that the deployment for action DELETE runs on.
    pub deletion_runs_on: Option<&'static str>,
}

impl UpdateEffects {
    /// The effects of a type; `None` if nothing of it is exclusive.
    pub fn of(kind: &str) -> Option<&'static Self> {
        static ROWS: Column<UpdateEffects> = Column::new(columns::UPDATE_EFFECTS);
        ROWS.get(kind)
    }
}

/// Properties that identify an object for the service: of two resources with the same one, at most one has an object of its own.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NaturalKey {
    /// The name of the kind of key, which types may share.
    pub space: &'static str,
    /// Words for the object, with `{0}` for the value of the first part.
    pub object: &'static str,
    /// The list of which each item has a key.
    pub each: Option<&'static str>,
    /// The properties, in the notation of the column.
    pub parts: Vec<&'static str>,
    /// What the service does with a second one.
    pub second: SecondObject,
    /// Whether the deletion acts on the key, so that it also deletes what another resource made.
    #[serde(default)]
    pub by_key: bool,
    /// Whether Heat frees the key before it creates a replacement.
    #[serde(default)]
    pub freed: bool,
    /// The part that is a prefix of addresses, of which two exclude each other if they overlap.
    pub overlap: Option<usize>,
    /// What to do instead of a replacement with the same key.
    pub instead: Option<&'static str>,
}

/// One of the ways to the value of a part of a key, in the notation of the column.
#[derive(Clone, Copy, Debug)]
pub struct KeyPath {
    /// The property, or the member of each item of the list `each`; empty for the whole item.
    pub name: &'static str,
    /// Whether it is a member of an item.
    pub of_item: bool,
    /// The property of the resource that the value refers to, if the part is that.
    pub beyond: Option<&'static str>,
    /// Whether the part is the transport protocol that the value is or rests on.
    pub is_transport: bool,
}

impl NaturalKey {
    /// The ways to the value of a part, of which the first one that has a value counts.
    pub fn paths(part: &'static str) -> impl Iterator<Item = KeyPath> {
        part.trim_end_matches('?').split('|').map(|path| {
            let (path, beyond) = path.split_once("->").map_or((path, None), |(a, b)| (a, Some(b)));
            let whole = path.strip_suffix("~transport");
            let (is_transport, path) = (whole.is_some(), whole.unwrap_or(path));
            let member = path.strip_prefix("[]").map(|it| it.trim_start_matches('.'));
            KeyPath {
                name: member.unwrap_or(path),
                of_item: member.is_some(),
                beyond,
                is_transport,
            }
        })
    }
}

/// What a service does with a second object of the same key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SecondObject {
    /// It is the same object.
    Same,
    /// It is refused, and Heat does not try again.
    Refused,
    /// It is refused as a conflict, and Heat tries again for about a minute.
    Conflict,
    /// It is refused as a conflict, and Heat does not try again.
    NoRetry,
    /// It is refused as a conflict, and Heat tries again until the stack times out.
    Waits,
}

/// What a replacement takes from the old object before there is a new one.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Unplugs {
    /// The thing that is taken, with its determiner: `its networks`.
    pub what: &'static str,
    /// The noun for such objects.
    pub group: &'static str,
}

/// The service refuses a deletion unless a property has a value.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeletionRefused {
    /// The property that stands in the way.
    pub property: &'static str,
    /// The value with which it can be deleted.
    pub equals: bool,
    /// The reason, as the rest of a sentence without a full stop.
    pub why: &'static str,
    /// What to do instead.
    pub instead: &'static str,
}

/// A change of a property that Heat updates in place, without the effect.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BrokenUpdate {
    /// The property whose change has no effect.
    pub property: &'static str,
    /// Whether the update fails; otherwise it says that it is complete.
    pub kind: BrokenUpdateKind,
    /// The parts that are lost or refused.
    pub object: &'static str,
    /// The reason, as the rest of a sentence without a full stop.
    pub why: &'static str,
    /// What to do instead.
    pub instead: &'static str,
}

/// How an update in place does not work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BrokenUpdateKind {
    /// It is complete, without the effect.
    Lost,
    /// The service refuses it, and the update fails.
    Refused,
}

/// Properties that are updated in place and do not go back to what the service takes without them, when they leave the template.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, bound(deserialize = "'de: 'static"))]
pub struct RemovedProperties {
    /// Heat says that they are updated, and the service keeps them.
    pub kept: Vec<&'static str>,
    /// Heat sends a null that the service, or Heat's own client, refuses.
    pub refused: Vec<&'static str>,
    /// Whether all are limits, which are kept.
    pub limits: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Schema;

    #[test]
    fn keys_consist_of_properties() {
        let mut parts = 0;
        for (kind, info) in Schema::heat().types.iter() {
            for key in UpdateEffects::of(kind).into_iter().flat_map(|it| &it.keys) {
                for path in key.parts.iter().copied().flat_map(NaturalKey::paths) {
                    let list = key.each.filter(|_| path.of_item);
                    let whole = list.into_iter().chain([path.name]);
                    let path: Vec<&str> = whole.filter(|it| !it.is_empty()).collect();
                    parts += 1;
                    assert!(info.property_at(&path).is_some(), "{kind}: {path:?}");
                }
                let placeholders = (0..9).filter(|at| key.object.contains(&format!("{{{at}}}")));
                assert!(placeholders.max() < Some(key.parts.len()), "{kind}: {}", key.object);
            }
        }
        assert!(parts > 100, "{parts}");
    }
}
