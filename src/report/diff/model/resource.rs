//! A resource, its differences, and their effect.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value as Json;

use super::SourcePlace;
use hotplate_diff::{DataEffect, Impact, MatchReason, ResourceRole};

/// A resource of either side.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ResourceEntry {
    /// The name, prefixed by the names of the resources whose stacks contain it: `group/0/server`.
    pub name: String,
    /// The type; the old one for a removed resource.
    #[serde(rename = "type")]
    pub kind: Option<String>,
    /// The old type, if it differs.
    pub old_type: Option<String>,
    /// Heat's decision based on its own definition only, assuming that references do not change.
    pub impact: Impact,
    /// The decision including the effects of changes of other resources.
    pub effective_impact: Impact,
    /// The reasons for `impact`, the worst first.
    pub reasons: Vec<ReasonEntry>,
    /// The unreadable files that its definition depends on.
    pub unread: Vec<String>,
    /// The effects that changes of other resources have on it.
    pub propagations: Vec<PropagationEntry>,
    /// The new name, if the resource continues under another name. Heat deletes this one.
    pub renamed_to: Option<String>,
    /// The old name, if the resource continues another one. Heat creates this one.
    pub renamed_from: Option<String>,
    /// Why the two are treated as the same.
    pub rename_matched: Option<MatchReason>,
    /// The suppressions that apply to it, as positions in `suppressions`.
    pub suppressions: Vec<usize>,
    /// The resources of the same stack that it refers to or waits for.
    pub depends_on: Vec<String>,
    /// Whether it represents a stack, whose resources follow.
    pub is_stack: bool,
    /// What it is to those who run the stack.
    pub role: ResourceRole,
    /// The noun for one such resource in counts, such as `server`.
    pub noun: &'static str,
    /// What happens to the data that it holds; `null` if it holds none, or if nothing happens to it.
    pub data: Option<DataEffect>,
    /// The place of its name in the old files.
    pub old_place: Option<SourcePlace>,
    /// The place of its name in the new files.
    pub new_place: Option<SourcePlace>,
}

/// A part of a resource's definition that differs, and its effect.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ReasonEntry {
    /// The kind of part.
    pub part: PartKind,
    /// The name of the property, or of the part if it is not a property.
    pub property: String,
    /// The path that contains all differences: `networks[0].port`; the property itself if they are in several
    /// places.
    pub path: String,
    /// The effect of this part alone.
    pub impact: Impact,
    /// The rule that decides, a stable identifier.
    pub rule: String,
    /// The rule as a sentence, without a full stop.
    pub why: String,
    /// The old value; omitted if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old: Option<Json>,
    /// The new value; omitted if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new: Option<Json>,
    /// The place in the old files.
    pub old_place: Option<SourcePlace>,
    /// The place in the new files.
    pub new_place: Option<SourcePlace>,
    /// The differences inside the value.
    pub changes: Vec<ValueChange>,
}

/// The kind of a part of a resource's definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PartKind {
    /// The resource as a whole.
    Resource,
    /// The type, or what the type maps to.
    Type,
    /// A single property.
    Property,
    /// All properties, if one function returns them.
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
    /// The path: `networks[0].port`, with positions of the new side if it has them.
    pub path: String,
    /// The path with positions of the old side, if these differ.
    pub old_path: Option<String>,
    /// The old value; omitted if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old: Option<Json>,
    /// The new value; omitted if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new: Option<Json>,
    /// Whether it is unknown before deployment if the value differs.
    pub unresolved: bool,
    /// The included files whose change this is.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// What the values leave out, if they are texts with unknown or secret parts: such a part is `<name>` there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<TextParts>,
    /// The place in the old files.
    pub old_place: Option<SourcePlace>,
    /// The place in the new files.
    pub new_place: Option<SourcePlace>,
    /// The list items on the path, and why the old and the new one are treated as the same.
    pub matched: Vec<ListItemMatch>,
}

/// The parts of an old and a new text that are unknown or secret.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TextParts {
    /// The names of the unknown parts: of a parameter, `port.fixed_ips` for an attribute.
    pub unknown: Vec<String>,
    /// The names of the secret parts.
    pub secret: Vec<String>,
    /// The names of the parts that differ, or may differ, although both texts show them alike. If both values are omitted,
    /// nothing else differs.
    pub may_differ: Vec<String>,
}

/// A list item of both sides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ListItemMatch {
    /// The path of the item: `networks[0]`.
    pub path: String,
    /// The old position, from 0.
    pub old: Option<usize>,
    /// The new position, from 0.
    pub new: Option<usize>,
    /// Why the two are treated as the same.
    #[serde(flatten)]
    pub by: MatchReason,
}

/// The effect of another resource's change on a resource.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PropagationEntry {
    /// The resource that this one refers to.
    pub source: String,
    /// What happens to that resource.
    pub source_impact: Impact,
    /// The attribute that is read, if it changes although that resource stays the same; otherwise `null`.
    pub attribute: Option<String>,
    /// Whether the value certainly changes; otherwise it may.
    pub certain: bool,
    /// The effect on this resource.
    pub impact: Impact,
    /// The kind of part that contains the reference.
    pub part: PartKind,
    /// The name of the property with the reference, or of the part if it is not a property.
    pub property: String,
    /// The names from the first cause to this resource; of a chain of more than 10, the first 5 and the last 5.
    pub chain: Vec<String>,
    /// The number of resources in the middle of the chain that are not named.
    pub omitted: usize,
    /// The place of the reference.
    pub place: Option<SourcePlace>,
}
