//! A resource, what differs in it, and what that does to it.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value as Json;

use super::SourcePlace;
use crate::diff::{Impact, MatchReason};

/// A resource.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ResourceEntry {
    /// Its name, after those of the resources whose stacks it is in: `group/0/server`.
    pub name: String,
    /// Its type; the old one where it is gone.
    #[serde(rename = "type")]
    pub kind: Option<String>,
    /// Its old type, where that is another one.
    pub old_type: Option<String>,
    /// Heat's decision on its own definition, references taken as unreplaced.
    pub impact: Impact,
    /// The same with the consequences of what happens to other resources.
    pub effective_impact: Impact,
    /// Why, the worst first.
    pub reasons: Vec<ReasonEntry>,
    /// The files on which its definition depends and that could not be read.
    pub unread: Vec<String>,
    /// What other resources do to it.
    pub ripple: Vec<PropagationEntry>,
    /// The new name of what it holds, if that moved to another name. Heat deletes this one.
    pub renamed_to: Option<String>,
    /// The old name of what it holds, if that moved here. Heat creates this one.
    pub renamed_from: Option<String>,
    /// Why the two are taken for the same.
    pub rename_matched: Option<MatchReason>,
    /// The permissions that cover it, as positions in `excuses`.
    pub excused: Vec<usize>,
    /// The resources of the same stack that it refers to or waits for.
    pub depends_on: Vec<String>,
    /// Whether it stands for a stack, whose resources follow.
    pub is_stack: bool,
    /// Where its name is written in the old files.
    pub old_place: Option<SourcePlace>,
    /// Where its name is written in the new files.
    pub new_place: Option<SourcePlace>,
}

/// A part of a resource's definition that differs, and what that leads to.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ReasonEntry {
    /// What kind of part it is.
    pub part: PartKind,
    /// The name of the property, or of the part where it is none.
    pub property: String,
    /// Where in it all differences are: `networks[0].port`; the property itself if they are in several
    /// places.
    pub path: String,
    /// What this part alone leads to.
    pub impact: Impact,
    /// The rule that decides, a name that stays the same.
    pub rule: String,
    /// The rule as a sentence, without a full stop.
    pub why: String,
    /// The old value; left out where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old: Option<Json>,
    /// The new value; left out where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new: Option<Json>,
    /// Where it is written in the old files.
    pub old_place: Option<SourcePlace>,
    /// Where it is written in the new files.
    pub new_place: Option<SourcePlace>,
    /// What differs inside the value.
    pub changes: Vec<ValueChange>,
}

/// What a part of a resource's definition is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PartKind {
    /// The resource as a whole.
    Resource,
    /// Its type, or what its type stands for.
    Type,
    /// One property.
    Property,
    /// All properties, which one function yields.
    Properties,
    /// `metadata`
    Metadata,
    /// `depends_on`
    DependsOn,
    /// `deletion_policy`
    DeletionPolicy,
    /// `update_policy`
    UpdatePolicy,
    /// `external_id`
    ExternalId,
    /// `condition`
    Condition,
    /// `description`
    Description,
}

/// A difference inside a value.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ValueChange {
    /// Where: `networks[0].port`, with the positions of the new side where there are some.
    pub path: String,
    /// The same with the positions of the old side, where these differ.
    pub old_path: Option<String>,
    /// The old value; left out where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old: Option<Json>,
    /// The new value; left out where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new: Option<Json>,
    /// Whether nobody knows if it differs before a cloud runs.
    pub unresolved: bool,
    /// Where it is written in the old files.
    pub old_place: Option<SourcePlace>,
    /// Where it is written in the new files.
    pub new_place: Option<SourcePlace>,
    /// The items of lists on the way, and why the old and the new one are taken for the same.
    pub matched: Vec<ListItemMatch>,
}

/// An item of a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ListItemMatch {
    /// Which: `networks[0]`.
    pub path: String,
    /// Its old position, from 0.
    pub old: Option<usize>,
    /// Its new position, from 0.
    pub new: Option<usize>,
    /// Why these two.
    #[serde(flatten)]
    pub by: MatchReason,
}

/// A consequence of what happens to another resource.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PropagationEntry {
    /// The resource that this one refers to.
    pub because: String,
    /// What happens to that one.
    pub cause: Impact,
    /// What that leads to here.
    pub impact: Impact,
    /// What kind of part refers to it.
    pub part: PartKind,
    /// The name of the property that does, or of the part where it is none.
    pub property: String,
    /// From the first cause to this resource.
    pub chain: Vec<String>,
    /// Where the reference is written.
    pub place: Option<SourcePlace>,
}
