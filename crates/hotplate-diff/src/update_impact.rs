//! The impacts that an update can have on a resource.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::named::named;

named! {
/// What an update does to a resource, the worst first. Reports use this order: of two impacts
/// the smaller one is worse.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[derive(Serialize, Deserialize, JsonSchema)]
pub enum Impact {
    /// Heat refuses the update.
    Refused = "refused",
    /// The resource is deleted.
    Delete = "delete",
    /// A new resource replaces it.
    Replace = "replace",
    /// Unknown, because it depends on a file that could not be read.
    NotCompared = "not-compared",
    /// It is deleted if an unknown condition or size says so.
    MayDelete = "may-delete",
    /// It is replaced if an unknown value changes.
    MayReplace = "may-replace",
    /// It stays the same object, but what is on it is rewritten: the root disk of a server.
    Rebuild = "rebuild",
    /// It is deleted after a snapshot is taken.
    Snapshot = "snapshot",
    /// It leaves the stack but is not deleted.
    Retain = "retain",
    /// The resource is created.
    Create = "create",
    /// It exists already and becomes part of the stack.
    Adopt = "adopt",
    /// It is created if an unknown condition or size says so.
    MayCreate = "may-create",
    /// It is updated in place.
    Update = "update",
    /// Heat runs an update without effect.
    NoopUpdate = "noop-update",
    /// The resource is unchanged.
    #[default]
    None = "none",
}
}

impl Impact {
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
            | Impact::MayDelete
            | Impact::MayReplace
            | Impact::Rebuild
            | Impact::MayCreate
            | Impact::Update
            | Impact::NoopUpdate
            | Impact::None => Impact::NotCompared,
        }
    }

    /// The impact if it is unknown whether it comes to this. What may be kept in the cloud has no impact of its own.
    #[must_use]
    pub(super) fn possibly(self) -> Self {
        match self {
            Impact::Delete | Impact::Snapshot => Impact::MayDelete,
            Impact::Replace => Impact::MayReplace,
            Impact::Create | Impact::Adopt => Impact::MayCreate,
            Impact::Refused
            | Impact::NotCompared
            | Impact::MayDelete
            | Impact::MayReplace
            | Impact::Rebuild
            | Impact::Retain
            | Impact::MayCreate
            | Impact::Update
            | Impact::NoopUpdate
            | Impact::None => self,
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
            | Impact::MayDelete
            | Impact::MayReplace
            | Impact::Snapshot
            | Impact::Retain
            | Impact::Create
            | Impact::Adopt
            | Impact::MayCreate => false,
        }
    }
}
