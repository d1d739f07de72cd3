//! The things that an update can do to a resource.

use schemars::JsonSchema;
use serde::Serialize;

/// What an update does to a resource, the worst first. The order is that of reports: of two impacts
/// the smaller one is worse.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Impact {
    /// Heat refuses the update.
    Refused,
    /// It is deleted.
    Delete,
    /// A new one takes its place.
    Replace,
    /// It depends on a file that could not be read, so that nobody knows what happens to it.
    NotCompared,
    /// It is replaced if a value that is not known changes.
    MayReplace,
    /// It leaves the stack after a snapshot of it was taken.
    Snapshot,
    /// It leaves the stack and stays as it is.
    Retain,
    /// It is created.
    Create,
    /// It exists already and joins the stack.
    Adopt,
    /// It is updated in place.
    Update,
    /// Heat runs an update that changes nothing.
    NoopUpdate,
    /// Nothing happens to it.
    None,
}

impl Impact {
    /// All impacts, the worst first.
    pub const ALL: [Impact; 12] = [
        Impact::Refused,
        Impact::Delete,
        Impact::Replace,
        Impact::NotCompared,
        Impact::MayReplace,
        Impact::Snapshot,
        Impact::Retain,
        Impact::Create,
        Impact::Adopt,
        Impact::Update,
        Impact::NoopUpdate,
        Impact::None,
    ];

    /// The name, as users write it and as reports have it.
    pub fn name(self) -> &'static str {
        match self {
            Impact::Refused => "refused",
            Impact::Delete => "delete",
            Impact::Replace => "replace",
            Impact::NotCompared => "not-compared",
            Impact::MayReplace => "may-replace",
            Impact::Snapshot => "snapshot",
            Impact::Retain => "retain",
            Impact::Create => "create",
            Impact::Adopt => "adopt",
            Impact::Update => "update",
            Impact::NoopUpdate => "noop-update",
            Impact::None => "none",
        }
    }

    /// What is known of a resource with this impact that also depends on a file that could not be read:
    /// the impact where that holds whatever is in the file, else that it is not compared.
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
            | Impact::Update
            | Impact::NoopUpdate
            | Impact::None => Impact::NotCompared,
        }
    }
}
