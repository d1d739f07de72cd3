//! What an update does to one resource, and why.

use heat_engine::eval::Value;
use schemars::JsonSchema;
use serde::Serialize;
use source_diagnostics::Span;

use super::{DisplayValue, Pair, Places, RenameLink};
use crate::hazards::{Hazard, MachineEffect, MachineEffectKind};
use crate::roles::{DataEffect, ResourceRole};
use crate::text_templates::spelling;
use crate::update_impact::Impact;
use crate::update_rules::UpdateRule;

/// What an update does to one resource.
#[derive(Clone, Debug, Default)]
pub struct ResourceChange {
    /// The name, prefixed by the names of the resources whose stacks contain it: `group/0/server`.
    pub name: String,
    /// The resource type as the templates write it.
    pub kind: Pair<Option<String>>,
    /// The places of the name.
    pub places: Places,
    /// Heat's decision based on its own definition only, assuming that references do not change.
    pub impact: Impact,
    /// The decision including the effects of changes of other resources.
    pub effective_impact: Impact,
    /// The effect on a resource that is not compared if it differs and Heat accepts that; `None` if it is unknown.
    pub if_different: Option<Impact>,
    /// The reasons for `impact`, the worst first.
    pub reasons: Vec<ChangeReason>,
    /// The unreadable files on which its definition depends, named as in
    /// [`SectionChanges::unread`](super::SectionChanges::unread).
    pub unread: Vec<String>,
    /// The effects that changes of other resources have on it.
    pub propagations: Vec<Propagation>,
    /// The resource that continues this one under another name, or that this one continues.
    pub rename: Option<RenameLink>,
    /// The suppressions that apply to it, as positions in [`Comparison::suppressions`](super::Comparison::suppressions).
    pub suppressions: Vec<usize>,
    /// The full names of the resources of the same stack that it refers to or waits for, in the
    /// new template (in the old one if it is deleted).
    pub depends_on: Vec<String>,
    /// Whether it represents a stack, whose resources follow it in the list.
    pub is_stack: bool,
    /// What it is to those who run the stack.
    pub role: ResourceRole,
    /// The noun for one such resource in counts, such as `server`.
    pub noun: &'static str,
    /// What happens to the data that it holds; `None` if it holds none, or if nothing happens to it.
    pub data: Option<DataEffect>,
    /// What the update leaves behind, or at which it fails, the worst first.
    pub hazards: Vec<Hazard>,
    /// What the update does to machines besides, the worst first.
    pub machine_effects: Vec<MachineEffect>,
}

impl ResourceChange {
    /// Whether the update has an effect of this kind on a machine, or may have.
    pub fn has_machine_effect(&self, kind: MachineEffectKind) -> bool {
        self.machine_effects.iter().any(|it| it.kind == kind)
    }

    /// Whether data is lost, or is lost if the resource is replaced.
    pub fn loses_data(&self) -> bool {
        matches!(self.data, Some(DataEffect::Lost | DataEffect::MayBeLost))
    }

    /// Whether every file that its definition depends on could be read.
    pub fn is_complete(&self) -> bool {
        self.unread.is_empty() && self.effective_impact != Impact::NotCompared
    }
}

/// A part of a resource's definition that differs, and its effect.
#[derive(Clone, Debug)]
pub struct ChangeReason {
    /// The part that differs.
    pub part: DefinitionPart,
    /// The effect of this part alone.
    pub impact: Impact,
    /// The rule of Heat that determines the effect.
    pub rule: UpdateRule,
    /// The whole value of the part; for a property, converted as Heat's plugin does.
    pub value: Pair<DisplayValue>,
    /// The places of the part.
    pub places: Places,
    /// The differences inside the value.
    pub changes: Vec<ValueChange>,
}

impl ChangeReason {
    /// The effect of this part, and of a difference in what could not be read.
    pub(crate) fn if_different(&self) -> Impact {
        match self.rule {
            UpdateRule::NotRead { if_different, .. } => if_different,
            _ => self.impact,
        }
    }

    /// Whether the templates themselves show a difference, whatever is in the files that could not be read.
    pub(crate) fn shows_difference(&self) -> bool {
        let differs = |value: &Pair<DisplayValue>| !is_written_alike(value);
        match self.changes.as_slice() {
            [] => differs(&self.value),
            changes => changes.iter().any(|it| differs(&it.value)),
        }
    }

    /// A reason that is not about values.
    pub(crate) fn new(
        part: DefinitionPart,
        impact: Impact,
        rule: UpdateRule,
        places: Places,
    ) -> Self {
        ChangeReason { part, impact, rule, value: Pair::default(), places, changes: Vec::new() }
    }
}

/// Whether two values are written in the same way, of what is unknown the expressions.
fn is_written_alike(value: &Pair<DisplayValue>) -> bool {
    fn alike(old: &Value, new: &Value) -> bool {
        match (old, new) {
            (Value::Unknown(old), Value::Unknown(new)) => spelling(old) == spelling(new),
            (Value::List(old), Value::List(new)) => {
                old.len() == new.len()
                    && old.iter().zip(new.iter()).all(|(old, new)| alike(old, new))
            }
            (Value::Map(old), Value::Map(new)) => {
                old.len() == new.len()
                    && old
                        .iter()
                        .zip(new.iter())
                        .all(|(old, new)| old.0 == new.0 && alike(old.1, new.1))
            }
            _ => old == new,
        }
    }
    match (&value.old, &value.new) {
        (DisplayValue::Value(old), DisplayValue::Value(new)) => alike(old, new),
        (old, new) => old == new,
    }
}

/// A part of a resource's definition.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DefinitionPart {
    /// The resource as a whole.
    Resource,
    /// The type, or what the type maps to.
    Type,
    /// A property, by name.
    Property(String),
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
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ValueChange {
    /// The path from the value; empty for the value itself.
    pub path: Vec<PathStep>,
    /// The old and the new value.
    pub value: Pair<DisplayValue>,
    /// The places of the value.
    pub places: Places,
    /// Whether it is unknown if the value differs.
    pub unresolved: bool,
    /// The included files whose change this is, by their names in the template or their URLs.
    pub files: Vec<String>,
    /// The parts that the values leave out, if they are texts with unknown or secret parts.
    pub text: Option<TextParts>,
}

/// The parts of an old and a new text that are shown as `<name>`, because they are unknown or secret.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TextParts {
    /// The names of the unknown parts: of a parameter, `port.fixed_ips` for an attribute.
    pub unknown: Vec<String>,
    /// The names of the secret parts.
    pub secret: Vec<String>,
    /// The names of the parts that differ, or may differ, although both texts show them alike. If both values are omitted,
    /// nothing else differs.
    pub may_differ: Vec<String>,
}

/// A step of a path into a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathStep {
    /// The value of a key of a map.
    Key(String),
    /// An item of a list.
    Item {
        /// The positions on both sides, from 0.
        at: Pair<Option<usize>>,
        /// Why the two items are treated as the same item.
        by: MatchReason,
    },
}

/// Why two list items or two renamed entries are treated as the same, or why an item has no counterpart.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "by", rename_all = "kebab-case")]
pub enum MatchReason {
    /// The items are equal.
    Equal,
    /// The items agree in the keys that identify items of this property.
    Identity {
        /// The keys that identify items of this property.
        keys: Vec<String>,
        /// The values of these keys, for display.
        value: String,
    },
    /// The items agree in a key whose values are unique on both sides.
    UniqueKey {
        /// The name of that key.
        key: String,
        /// The value of that key, for display.
        value: String,
    },
    /// The items are the most similar of the remaining ones.
    Content {
        /// The similarity, in percent.
        alike: u8,
    },
    /// The items have the same position.
    Position,
    /// The item has no counterpart on the other side.
    Alone,
}

/// The most resources of a chain that are named: half of them from its start, half from its end.
pub const MAX_CHAIN_NAMES: usize = 10;

/// The resources through which a change reaches another resource.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CauseChain {
    /// The full names, from the first cause to the last resource; of a chain of more than 10, the first 5 and the last 5.
    #[serde(rename = "chain")]
    pub names: Vec<String>,
    /// The number of resources in the middle of the chain that are not named.
    pub omitted: usize,
}

/// The effect of another resource's change on a resource.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "PropagationEntry")]
pub struct Propagation<P = Span, D = DefinitionPart> {
    /// The full name of the resource that this one refers to.
    pub source: String,
    /// What happens to that resource.
    pub source_impact: Impact,
    /// The attribute that is read, if it changes although that resource stays the same; otherwise `null`.
    pub attribute: Option<String>,
    /// Whether the value certainly changes; otherwise it may.
    #[serde(rename = "certain")]
    pub is_certain: bool,
    /// The effect on this resource.
    pub impact: Impact,
    /// The effect if the value of what was not compared differs.
    #[serde(skip)]
    pub if_different: Impact,
    /// The part of this resource's definition that refers to it.
    #[serde(flatten)]
    pub part: D,
    /// The resources from the first cause to this one: `port`, `server`, `attachment`.
    #[serde(flatten)]
    pub chain: CauseChain,
    /// The place of the reference.
    pub place: Option<P>,
}

/// The effect of a resource's change on an output, whose value is known after the update.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "OutputPropagationEntry")]
pub struct OutputPropagation<P = Span> {
    /// The full name of the resource that the output reads.
    pub source: String,
    /// What happens to that resource.
    pub source_impact: Impact,
    /// The attribute that is read, if it changes although that resource stays the same; otherwise `null`.
    pub attribute: Option<String>,
    /// Whether the output certainly changes; otherwise it may.
    #[serde(rename = "certain")]
    pub is_certain: bool,
    /// The resources from the first cause to the last one before the output.
    #[serde(flatten)]
    pub chain: CauseChain,
    /// The place of the reference.
    pub place: Option<P>,
}
