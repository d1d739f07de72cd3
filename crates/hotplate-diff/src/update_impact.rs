//! The impacts that an update can have on a resource.

use schemars::JsonSchema;
use serde::Serialize;

/// What an update does to a resource, the worst first. Reports use this order: of two impacts
/// the smaller one is worse.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Impact {
    /// Heat refuses the update.
    Refused,
    /// The resource is deleted.
    Delete,
    /// A new resource replaces it.
    Replace,
    /// Unknown, because it depends on a file that could not be read.
    NotCompared,
    /// It is replaced if an unknown value changes.
    MayReplace,
    /// It stays the same object, but what is on it is rewritten: the root disk of a server.
    Rebuild,
    /// It is deleted after a snapshot is taken.
    Snapshot,
    /// It leaves the stack but is not deleted.
    Retain,
    /// The resource is created.
    Create,
    /// It exists already and becomes part of the stack.
    Adopt,
    /// It is updated in place.
    Update,
    /// Heat runs an update without effect.
    NoopUpdate,
    /// The resource is unchanged.
    None,
}

impl Impact {
    /// All impacts, the worst first.
    pub const ALL: [Impact; 13] = [
        Impact::Refused,
        Impact::Delete,
        Impact::Replace,
        Impact::NotCompared,
        Impact::MayReplace,
        Impact::Rebuild,
        Impact::Snapshot,
        Impact::Retain,
        Impact::Create,
        Impact::Adopt,
        Impact::Update,
        Impact::NoopUpdate,
        Impact::None,
    ];

    /// The name in options and reports.
    pub fn name(self) -> &'static str {
        match self {
            Impact::Refused => "refused",
            Impact::Delete => "delete",
            Impact::Replace => "replace",
            Impact::NotCompared => "not-compared",
            Impact::MayReplace => "may-replace",
            Impact::Rebuild => "rebuild",
            Impact::Snapshot => "snapshot",
            Impact::Retain => "retain",
            Impact::Create => "create",
            Impact::Adopt => "adopt",
            Impact::Update => "update",
            Impact::NoopUpdate => "noop-update",
            Impact::None => "none",
        }
    }

    /// The impact that is certain for a resource that also depends on an unreadable file:
    /// this impact if it applies whatever the file contains, otherwise [`Impact::NotCompared`].
    #[must_use]
    pub fn when_partly_read(self) -> Self {
        match self {
            Impact::Refused
            | Impact::Delete
            | Impact::Replace
            | Impact::Snapshot
            | Impact::Retain
            | Impact::Create
            | Impact::Adopt => self,
            Impact::NotCompared
            | Impact::MayReplace
            | Impact::Rebuild
            | Impact::Update
            | Impact::NoopUpdate
            | Impact::None => Impact::NotCompared,
        }
    }

    /// Whether the resource stays the same object in the cloud, as far as is known; it may be updated in place.
    #[must_use]
    pub fn keeps_resource(self) -> bool {
        match self {
            Impact::Refused
            | Impact::NotCompared
            | Impact::Rebuild
            | Impact::Update
            | Impact::NoopUpdate
            | Impact::None => true,
            Impact::Delete
            | Impact::Replace
            | Impact::MayReplace
            | Impact::Snapshot
            | Impact::Retain
            | Impact::Create
            | Impact::Adopt => false,
        }
    }
}
