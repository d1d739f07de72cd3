//! A resource, its differences, and their effect.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value as Json;

use super::SourcePlace;
use super::counts::is_zero;
use hotplate_diff::{
    DataEffect, Hazard, Impact, MachineEffect, MatchReason, Pair, Places, Propagation,
    ResourceRole, TextParts,
};

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
    /// The effect on a resource that is not compared if it differs and Heat accepts that; absent if it is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub if_different: Option<Impact>,
    /// The reasons for `impact`, the worst first; of a resource that is not compared, those that are certain first.
    pub reasons: Vec<ReasonEntry>,
    /// The number of differences that `--hide` leaves out of `reasons`; omitted if there are none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub hidden: usize,
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
    /// What the update leaves behind, or at which it fails, the worst first; absent if there is nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hazards: Vec<Hazard>,
    /// What the update does to machines besides, the worst first; absent if there is nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub machine_effects: Vec<MachineEffect>,
    /// The places of its name.
    #[serde(flatten)]
    pub places: Places<SourcePlace>,
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
    /// Whether Heat refuses it before the change, too; omitted if not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub before: bool,
    /// The rule that decides, a stable identifier.
    pub rule: String,
    /// The rule as a sentence, without a full stop.
    pub why: String,
    /// The old and the new value.
    #[serde(flatten)]
    pub value: Pair<Option<Json>>,
    /// The places in the files.
    #[serde(flatten)]
    pub places: Places<SourcePlace>,
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
    /// The old and the new value.
    #[serde(flatten)]
    pub value: Pair<Option<Json>>,
    /// Whether it is unknown before deployment if the value differs.
    pub unresolved: bool,
    /// The included files whose change this is.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// The parts that the values leave out, if they are texts with unknown or secret parts: such a part is `<name>` there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<TextParts>,
    /// The places in the files.
    #[serde(flatten)]
    pub places: Places<SourcePlace>,
    /// The list items on the path, and why the old and the new one are treated as the same.
    pub matched: Vec<ListItemMatch>,
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
pub type PropagationEntry = Propagation<SourcePlace, PartName>;

/// A part of a resource's definition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PartName {
    /// The kind of part that contains the reference.
    #[serde(rename = "part")]
    pub kind: PartKind,
    /// The name of the property with the reference, or of the part if it is not a property.
    pub property: String,
}
