//! The result of comparing two deployments. Data only: `compare` fills it, reports show it.
//!
//! It contains no secrets: values of hidden parameters and values computed from them are
//! masked before a comparison leaves this module (see `secrets.rs`), so that no report can leak
//! them.

use schemars::JsonSchema;
use serde::Serialize;

use super::roles::{DataEffect, ResourceRole};
pub use super::update_impact::Impact;
use super::update_rules::UpdateRule;
use heat_engine::eval::{EvalResult, Value};
use source_diagnostics::{Diagnostic, Span};

/// All differences between two deployments.
#[derive(Clone, Debug, Default)]
pub struct Comparison {
    /// Every resource of either side, including unchanged ones: in the order of the new
    /// template, with each deleted resource after the one that preceded it, and children after their
    /// parent.
    pub resources: Vec<ResourceChange>,
    /// The parameters that differ.
    pub parameters: Vec<ParameterChange>,
    /// The parameter groups that differ.
    pub groups: Vec<EntryChange>,
    /// The conditions that differ.
    pub conditions: Vec<EntryChange>,
    /// The outputs that differ.
    pub outputs: Vec<EntryChange>,
    /// Differences of the environments.
    pub environment: Vec<EnvironmentChange>,
    /// Changes of network access, credentials and what servers run.
    pub security: Vec<SecurityChange>,
    /// The errors for which Heat refuses the new side: new ones first, then those that the old side also has.
    pub refusals: Vec<Refusal>,
    /// The local files that could not be read.
    pub unread: Vec<UnreadFile>,
    /// The network URLs that the templates refer to. They are not fetched.
    pub urls: Vec<String>,
    /// The number of resources and other named things that may have a new name: there were too many to compare each
    /// with every other one.
    pub renames_not_searched: usize,
    /// Every suppression, used or not.
    pub suppressions: Vec<Suppression>,
    /// Whether the template's file is new, deleted or on both sides.
    pub file: FileStatus,
}

/// Whether a template's file exists in both revisions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FileStatus {
    /// The file exists on both sides, perhaps renamed: the stack is updated.
    #[default]
    Existing,
    /// Only the new side has the file: there is no stack of it yet.
    Added,
    /// Only the old side has the file. That deletes no stack: an existing stack stays until a user
    /// deletes it.
    Removed,
}

/// An error for which Heat refuses the new side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The error from lowering or evaluation, with its location on the new side.
    pub diagnostic: Diagnostic,
    /// The full name of the resource that it belongs to; `None` if it concerns the template as a
    /// whole.
    pub resource: Option<String>,
    /// Whether the old side has the same error.
    pub is_in_old: bool,
}

/// A file that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnreadFile {
    /// The path or URL.
    pub name: String,
    /// The sides on which it could not be read.
    pub sides: Pair<bool>,
}

impl Comparison {
    /// Whether the meaning differs or may differ; also true if Heat refuses the new side or
    /// something could not be compared.
    pub fn differs(&self) -> bool {
        let differs = |it: &ResourceChange| it.effective_impact < Impact::NoopUpdate;
        !self.is_complete()
            || !self.refusals.is_empty()
            || self.resources.iter().any(differs)
            || self.differs_outside_resources()
    }

    /// Whether everything could be compared.
    pub fn is_complete(&self) -> bool {
        self.unread.is_empty() && self.resources.iter().all(ResourceChange::is_complete)
    }

    /// Whether anything other than resources differs in meaning.
    pub fn differs_outside_resources(&self) -> bool {
        self.parameters.iter().any(ParameterChange::is_difference)
            || !self.groups.is_empty()
            || !self.conditions.is_empty()
            || !self.outputs.is_empty()
            || !self.environment.is_empty()
    }
}

/// The old and the new version of something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, JsonSchema)]
pub struct Pair<T> {
    /// The version before the update.
    pub old: T,
    /// The version after the update.
    pub new: T,
}

/// The span on both sides; `None` on a side that does not contain it.
pub type SpanPair = Pair<Option<Span>>;

/// A value as far as it may be shown.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum DisplayValue {
    /// There is no value.
    #[default]
    Absent,
    /// The value. Secrets in it are `Value::Secret` around null, unless secrets are to be shown.
    Value(Value),
    /// The evaluation fails, with this reason.
    Failed(String),
}

impl DisplayValue {
    /// Converts the outcome of an evaluation.
    pub(super) fn of_outcome(outcome: Option<&EvalResult>) -> Self {
        match outcome {
            None => DisplayValue::Absent,
            Some(Ok(value)) => DisplayValue::Value(value.clone()),
            Some(Err(failure)) => DisplayValue::Failed(failure.safe_message().to_owned()),
        }
    }
}

/// What an update does to one resource.
#[derive(Clone, Debug)]
pub struct ResourceChange {
    /// The name, prefixed by the names of the resources whose stacks contain it: `group/0/server`.
    pub name: String,
    /// The resource type as the templates write it.
    pub kind: Pair<Option<String>>,
    /// The spans of the name.
    pub spans: SpanPair,
    /// Heat's decision based on its own definition only, assuming that references do not change.
    pub impact: Impact,
    /// The decision including the effects of changes of other resources.
    pub effective_impact: Impact,
    /// The reasons for `impact`, the worst first.
    pub reasons: Vec<ChangeReason>,
    /// The unreadable files on which its definition depends, named as in
    /// [`Comparison::unread`].
    pub unread: Vec<String>,
    /// The effects that changes of other resources have on it.
    pub propagations: Vec<Propagation>,
    /// The resource that continues this one under another name, or that this one continues.
    pub rename: Option<RenameLink>,
    /// The suppressions that apply to it, as positions in [`Comparison::suppressions`].
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
}

impl ResourceChange {
    /// Whether data is lost, or is lost if the resource is replaced.
    pub fn loses_data(&self) -> bool {
        matches!(self.data, Some(DataEffect::Lost | DataEffect::MayBeLost))
    }

    /// Whether every file that its definition depends on could be read.
    pub fn is_complete(&self) -> bool {
        self.unread.is_empty() && self.effective_impact != Impact::NotCompared
    }
}

#[cfg(test)]
impl ResourceChange {
    /// A resource without changes.
    pub fn unchanged(name: &str) -> Self {
        ResourceChange {
            name: name.to_owned(),
            kind: Pair::default(),
            spans: Pair::default(),
            impact: Impact::None,
            effective_impact: Impact::None,
            reasons: Vec::new(),
            unread: Vec::new(),
            propagations: Vec::new(),
            rename: None,
            suppressions: Vec::new(),
            depends_on: Vec::new(),
            is_stack: false,
            role: ResourceRole::Other,
            noun: "resource",
            data: None,
        }
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
    /// The spans of the part.
    pub spans: SpanPair,
    /// The differences inside the value.
    pub changes: Vec<ValueChange>,
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
#[derive(Clone, Debug, PartialEq)]
pub struct ValueChange {
    /// The path from the value; empty for the value itself.
    pub path: Vec<PathStep>,
    /// The old and the new value.
    pub value: Pair<DisplayValue>,
    /// The spans of the value.
    pub spans: SpanPair,
    /// Whether it is unknown if the value differs.
    pub unresolved: bool,
    /// The included files whose change this is, by their names in the template or their URLs.
    pub files: Vec<String>,
    /// What the values leave out, if they are texts with unknown or secret parts.
    pub text: Option<TextParts>,
}

/// The parts of two texts that are shown as `<name>`, because they are unknown or secret.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextParts {
    /// The names of the unknown parts.
    pub unknown: Vec<String>,
    /// The names of the secret parts.
    pub secret: Vec<String>,
    /// The names of the parts that differ, or may differ, although they are shown alike on both sides.
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
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CauseChain {
    /// The full names, from the first cause to the resource; of a chain of more than [`MAX_CHAIN_NAMES`],
    /// those at its start and at its end.
    pub names: Vec<String>,
    /// The number of resources in the middle that are not named.
    pub omitted: usize,
}

/// The effect of another resource's change on a resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Propagation {
    /// The full name of the resource that this one refers to.
    pub source: String,
    /// What happens to that resource.
    pub source_impact: Impact,
    /// The attribute that is read, if it changes although that resource stays the same.
    pub attribute: Option<String>,
    /// Whether the value certainly changes; otherwise it may.
    pub is_certain: bool,
    /// The part of this resource's definition that refers to it.
    pub part: DefinitionPart,
    /// The effect on this resource.
    pub impact: Impact,
    /// The resources from the first cause to this one: `port`, `server`, `attachment`.
    pub chain: CauseChain,
    /// The span of the reference.
    pub span: Option<Span>,
}

/// The effect of a resource's change on an output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputPropagation {
    /// The full name of the resource that the output reads.
    pub source: String,
    /// What happens to that resource.
    pub source_impact: Impact,
    /// The attribute that is read, if it changes although that resource stays the same.
    pub attribute: Option<String>,
    /// Whether the output certainly changes; otherwise it may.
    pub is_certain: bool,
    /// The resources from the first cause to the last one before the output.
    pub chain: CauseChain,
    /// The span of the reference.
    pub span: Option<Span>,
}

/// The same thing under another name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RenameLink {
    /// The old one, with the new name.
    NewName(String, MatchReason),
    /// The new one, with the old name.
    OldName(String, MatchReason),
}

/// Whether a named entry of a section is added, removed, changed or renamed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "change", rename_all = "kebab-case")]
pub enum EntryStatus {
    /// The entry exists on the new side only.
    Added,
    /// The entry exists on the old side only.
    Removed,
    /// The entry exists on both sides and differs.
    Changed,
    /// The entry has a new name.
    Renamed {
        /// The name on the old side.
        from: String,
    },
    /// The definition is the same, but a resource that it reads changes: the value is known after the update. Outputs only.
    Affected,
}

/// A parameter that differs.
#[derive(Clone, Debug)]
pub struct ParameterChange {
    /// The name, prefixed by the names of the resources whose stack declares it.
    pub name: String,
    /// Whether it is added, removed, changed or renamed.
    pub change: EntryStatus,
    /// The spans of the declaration.
    pub spans: SpanPair,
    /// Whether Heat refuses the update because the value of an immutable parameter differs.
    pub refused: bool,
    /// The aspects that differ.
    pub details: Vec<ParameterDetail>,
    /// The full names of the resources whose definitions depend on its value.
    pub affects: Vec<String>,
}

impl ParameterChange {
    /// Whether it differs in more than documentation.
    pub fn is_difference(&self) -> bool {
        self.change != EntryStatus::Changed
            || self.details.iter().any(|detail| detail.aspect != ParameterAspect::Documentation)
    }
}

/// A difference in the declaration of a parameter, or in its value.
#[derive(Clone, Debug)]
pub struct ParameterDetail {
    /// The aspect that differs.
    pub aspect: ParameterAspect,
    /// The old and the new value.
    pub value: Pair<DisplayValue>,
    /// The spans of the value, which may be in an environment.
    pub spans: SpanPair,
}

/// The aspect of a parameter that a detail concerns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ParameterAspect {
    /// The declared type.
    Type,
    /// The declared default, not the value in the deployment.
    Default,
    /// The value in the deployment.
    Value,
    /// A constraint accepts fewer values, or is new.
    ConstraintTightened,
    /// A constraint accepts more values, or is removed.
    ConstraintLoosened,
    /// A constraint accepts other values.
    ConstraintChanged,
    /// Whether the value is hidden (`hidden`).
    Hidden,
    /// Whether Heat refuses a new value (`immutable`).
    Immutable,
    /// The declared tags.
    Tags,
    /// The label or description: documentation, which has no effect on the stack.
    Documentation,
}

/// A parameter group, a condition or an output that differs.
#[derive(Clone, Debug)]
pub struct EntryChange {
    /// The name, prefixed by the names of the resources whose stack declares it.
    pub name: String,
    /// Whether it is added, removed, changed or renamed.
    pub change: EntryStatus,
    /// The old and the new value.
    pub value: Pair<DisplayValue>,
    /// The spans of the entry.
    pub spans: SpanPair,
    /// The differences inside the value.
    pub changes: Vec<ValueChange>,
    /// The full names of the resources that it affects: those that a condition adds or removes.
    pub affects: Vec<String>,
    /// The changes of resources that an output's value depends on, the worst first.
    pub propagations: Vec<OutputPropagation>,
}

/// A difference of the environments.
#[derive(Clone, Debug)]
pub struct EnvironmentChange {
    /// The kind of entry.
    pub kind: EnvironmentKind,
    /// The name: of a file, of a type in the registry, of a parameter.
    pub name: String,
    /// Whether it is added, removed, changed or renamed.
    pub change: EntryStatus,
    /// The old and the new value.
    pub value: Pair<DisplayValue>,
    /// The spans of the entry.
    pub spans: SpanPair,
    /// The full names of the resources that it affects.
    pub affects: Vec<String>,
}

/// The kind of an environment's entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EnvironmentKind {
    /// An environment file that only one side has.
    File,
    /// An entry of the resource registry.
    Registry,
    /// A restricted action or a hook of resources.
    Restriction,
    /// A value of a parameter.
    Parameter,
    /// A parameter default for all stacks (`parameter_defaults`).
    ParameterDefault,
}

/// A change of network access, credentials or what servers run.
#[derive(Clone, Debug)]
pub struct SecurityChange {
    /// The full name of the resource.
    pub resource: String,
    /// The kind of change.
    pub kind: SecurityKind,
    /// Whether the change allows more or less than before.
    pub access: AccessChange,
    /// A sentence, such as `tcp 22 from 0.0.0.0/0 is open now`.
    pub message: String,
    /// The spans of what changes.
    pub spans: SpanPair,
}

/// The kinds of security changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SecurityKind {
    /// A rule of a security group or firewall.
    Rule,
    /// An address that is reachable from outside, such as a floating IP.
    PublicAddress,
    /// Port security or the groups of a port or server.
    PortSecurity,
    /// A key pair, or whether TLS is used.
    Key,
    /// A password or another credential.
    Password,
    /// What a server runs when it boots.
    UserData,
    /// The image that a server boots from.
    Image,
    /// Who a resource is shared with, or who may read or write it.
    Sharing,
    /// A role of a user or a group.
    Role,
}

/// Whether a change allows more or less access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AccessChange {
    /// More access is allowed than before.
    Widened,
    /// More access may be allowed: that depends on a value that is unknown.
    MayWiden,
    /// A new template allows it: there is no stack that allowed less.
    Initial,
    /// The access differs, neither clearly more nor less.
    Changed,
    /// Less access is allowed than before.
    Narrowed,
}

impl AccessChange {
    /// Whether more access is allowed, or may be.
    pub fn may_widen(self) -> bool {
        match self {
            AccessChange::Widened | AccessChange::MayWiden => true,
            AccessChange::Initial | AccessChange::Changed | AccessChange::Narrowed => false,
        }
    }
}

/// A suppression: it permits an impact on resources.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suppression {
    /// The resources that it applies to.
    pub target: SuppressionTarget,
    /// The permitted impact; `None` permits any.
    pub impact: Option<Impact>,
    /// The reason that a comment of the template gives.
    pub reason: Option<String>,
    /// The span of the comment; `None` for a suppression on the command line.
    pub span: Option<Span>,
    /// Whether it applies to any change.
    pub used: bool,
}

/// The resources that a suppression applies to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum SuppressionTarget {
    /// Resources of a type or with a name (the full name, or its last part).
    Named(String),
    /// The full name of the resource that a comment is in or before.
    Comment(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impacts_are_named_as_data_names_them_and_the_worst_are_first() {
        assert!(Impact::ALL.is_sorted());
        for impact in Impact::ALL {
            assert_eq!(serde_json::json!(impact), impact.name());
        }
    }
}
