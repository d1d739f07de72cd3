//! What a comparison of two deployments finds. Data only: `compare` fills it, reports show it.
//!
//! Nothing in it holds a secret: the values of hidden parameters and what is computed from them are
//! closed before a comparison leaves this room (see `secrets.rs`), so that no report can leak
//! what it never had.

use schemars::JsonSchema;
use serde::Serialize;

pub use super::update_impact::Impact;
use super::update_rules::UpdateRule;
use heat_engine::eval::{EvalOutcome, Value};
use source_diagnostics::{Diagnostic, Span};

/// Everything that differs between two deployments.
#[derive(Clone, Debug, Default)]
pub struct Comparison {
    /// Every resource that exists on either side, unchanged ones included: in the order of the new
    /// template, each resource that is gone after the one that stood before it, children after their
    /// parent.
    pub resources: Vec<ResourceChange>,
    /// Parameters that differ.
    pub parameters: Vec<ParameterChange>,
    /// Groups of parameters that differ.
    pub groups: Vec<EntryChange>,
    /// Conditions that differ.
    pub conditions: Vec<EntryChange>,
    /// Outputs that differ.
    pub outputs: Vec<EntryChange>,
    /// What differs in the environments.
    pub environment: Vec<EnvironmentChange>,
    /// What the changes mean for who can reach what.
    pub security: Vec<SecurityChange>,
    /// Why Heat refuses the new side: what is new first, then what the old side has too.
    pub refusals: Vec<Refusal>,
    /// The files of this machine that could not be read.
    pub unread: Vec<UnreadFile>,
    /// The URLs of the network that the templates name and that were not fetched.
    pub urls: Vec<String>,
    /// Every permission that was asked for, used or not.
    pub suppressions: Vec<Suppression>,
    /// What became of the template's file.
    pub file: FileStatus,
}

/// What became of a template's file between two revisions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FileStatus {
    /// Both sides have it, perhaps under another name: a stack of it is updated.
    #[default]
    Existing,
    /// Only the new side has it: there is no stack of it yet.
    Added,
    /// Only the old side has it. That deletes no stack: one that was made of it stays until someone
    /// deletes it.
    Removed,
}

/// An error for which Heat refuses the new side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The error of lowering or evaluation, at its place in the new side.
    pub diagnostic: Diagnostic,
    /// The resource that it belongs to, by its whole name; `None` where it belongs to the template as a
    /// whole.
    pub resource: Option<String>,
    /// The old side has the same error.
    pub is_in_old: bool,
}

/// A file that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnreadFile {
    /// Its path, or its URL.
    pub name: String,
    /// On which sides it could not be read.
    pub sides: Pair<bool>,
}

impl Comparison {
    /// Whether anything differs in meaning, or may for all that is known: Heat refuses the new side, or
    /// something was not compared.
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

    /// Whether anything differs in meaning apart from resources.
    pub fn differs_outside_resources(&self) -> bool {
        self.parameters.iter().any(ParameterChange::is_difference)
            || !self.groups.is_empty()
            || !self.conditions.is_empty()
            || !self.outputs.is_empty()
            || !self.environment.is_empty()
    }
}

/// The old and the new of something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, JsonSchema)]
pub struct Pair<T> {
    /// Before the update.
    pub old: T,
    /// After it.
    pub new: T,
}

/// Where something is written on both sides; `None` where it is not written there.
pub type SpanPair = Pair<Option<Span>>;

/// A value as far as it may be shown.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum DisplayValue {
    /// There is none.
    #[default]
    Absent,
    /// This one. A secret in it is `Value::Secret` around null, unless secrets are to be shown.
    Value(Value),
    /// There is none because it fails.
    Failed(String),
}

impl DisplayValue {
    /// What an evaluation yields.
    pub(super) fn of_outcome(outcome: Option<&EvalOutcome>) -> Self {
        match outcome {
            None => DisplayValue::Absent,
            Some(Ok(value)) => DisplayValue::Value(value.clone()),
            Some(Err(failure)) => DisplayValue::Failed(failure.safe_message().to_owned()),
        }
    }
}

/// What happens to one resource.
#[derive(Clone, Debug)]
pub struct ResourceChange {
    /// Its name, after those of the resources whose stacks it is in: `group/0/server`.
    pub name: String,
    /// Its type as the templates write it.
    pub kind: Pair<Option<String>>,
    /// Where its name is written.
    pub spans: SpanPair,
    /// Heat's decision on its own definition, references taken as unreplaced.
    pub impact: Impact,
    /// The same with the consequences of what happens to other resources.
    pub effective_impact: Impact,
    /// Why, the worst first.
    pub reasons: Vec<ChangeReason>,
    /// The files that could not be read and on which its definition depends, as in
    /// [`Comparison::unread`].
    pub unread: Vec<String>,
    /// What other resources do to it.
    pub propagations: Vec<Propagation>,
    /// The resource that it becomes under another name, or was.
    pub rename: Option<RenameLink>,
    /// The permissions that cover it, as positions in [`Comparison::excuses`].
    pub suppressions: Vec<usize>,
    /// The resources of the same stack that it refers to or waits for, by their whole names, in the
    /// new template (in the old one where it is gone).
    pub depends_on: Vec<String>,
    /// It stands for a stack whose resources follow.
    pub is_stack: bool,
}

impl ResourceChange {
    /// Whether everything that its definition depends on could be read.
    pub fn is_complete(&self) -> bool {
        self.unread.is_empty() && self.effective_impact != Impact::NotCompared
    }
}

#[cfg(test)]
impl ResourceChange {
    /// A resource to which nothing happens.
    pub(crate) fn unchanged(name: &str) -> Self {
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
        }
    }
}

/// A part of a resource's definition that differs, and what that leads to.
#[derive(Clone, Debug)]
pub struct ChangeReason {
    /// The part.
    pub part: DefinitionPart,
    /// What this part alone leads to.
    pub impact: Impact,
    /// Why it does.
    pub rule: UpdateRule,
    /// The whole value of the part; converted as Heat's plugin sees it where it is a property.
    pub value: Pair<DisplayValue>,
    /// Where it is written.
    pub spans: SpanPair,
    /// What differs inside it.
    pub changes: Vec<ValueChange>,
}

/// A part of a resource's definition.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DefinitionPart {
    /// The resource as a whole.
    Resource,
    /// Its type, or what its type stands for.
    Type,
    /// A property, by its name.
    Property(String),
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
#[derive(Clone, Debug, PartialEq)]
pub struct ValueChange {
    /// Where, from the value on; empty for the value itself.
    pub path: Vec<PathStep>,
    /// What it was and is.
    pub value: Pair<DisplayValue>,
    /// Where it is written.
    pub spans: SpanPair,
    /// It is not known whether it differs.
    pub unresolved: bool,
}

/// A step into a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathStep {
    /// The value of a key of a map.
    Key(String),
    /// An item of a list.
    Item {
        /// Its position on both sides, from 0.
        at: Pair<Option<usize>>,
        /// Why these two are taken for the same item.
        by: MatchReason,
    },
}

/// Why two items of two lists are taken for the same one, or why an item has no partner.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "by", rename_all = "kebab-case")]
pub enum MatchReason {
    /// They are equal.
    Equal,
    /// They agree in these keys, which identify the items of this property.
    Identity {
        /// The keys.
        keys: Vec<String>,
        /// What they hold, for people.
        value: String,
    },
    /// They agree in this key, whose values are unique on both sides.
    UniqueKey {
        /// The key.
        key: String,
        /// What it holds, for people.
        value: String,
    },
    /// They are the most alike of what is left.
    Content {
        /// How much of them agrees, in percent.
        alike: u8,
    },
    /// They stand at the same position.
    Position,
    /// There is no such item on the other side.
    Alone,
}

/// A consequence of what happens to another resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Propagation {
    /// The resource that this one refers to, by its whole name.
    pub source: String,
    /// What happens to that one.
    pub source_impact: Impact,
    /// The part of this resource that refers to it.
    pub part: DefinitionPart,
    /// What that leads to here.
    pub impact: Impact,
    /// From the first cause to this resource, whole names: `port`, `server`, `attachment`.
    pub chain: Vec<String>,
    /// Where the reference is written.
    pub span: Option<Span>,
}

/// The same thing under another name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RenameLink {
    /// This is the old one; the new name.
    NewName(String, MatchReason),
    /// This is the new one; the old name.
    OldName(String, MatchReason),
}

/// What became of a named entry of a section.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "change", rename_all = "kebab-case")]
pub enum EntryStatus {
    /// It is new.
    Added,
    /// It is gone.
    Removed,
    /// It differs.
    Changed,
    /// It has another name; `from` is the old one.
    Renamed {
        /// The old name.
        from: String,
    },
}

/// A parameter that differs.
#[derive(Clone, Debug)]
pub struct ParameterChange {
    /// Its name, after those of the resources whose stack it belongs to.
    pub name: String,
    /// What became of it.
    pub change: EntryStatus,
    /// Where it is written.
    pub spans: SpanPair,
    /// Whether Heat refuses the update because of it: an immutable parameter has another value.
    pub refused: bool,
    /// What differs.
    pub details: Vec<ParameterDetail>,
    /// The resources whose definitions its value reaches, whole names.
    pub affects: Vec<String>,
}

impl ParameterChange {
    /// Whether it is more than documentation.
    pub fn is_difference(&self) -> bool {
        self.change != EntryStatus::Changed
            || self.details.iter().any(|detail| detail.aspect != ParameterAspect::Documentation)
    }
}

/// What differs in the declaration of a parameter, or in its value.
#[derive(Clone, Debug)]
pub struct ParameterDetail {
    /// What.
    pub aspect: ParameterAspect,
    /// What it was and is.
    pub value: Pair<DisplayValue>,
    /// Where that is written; a value is perhaps written in an environment.
    pub spans: SpanPair,
}

/// What a detail of a parameter is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ParameterAspect {
    /// The type.
    Type,
    /// The default.
    Default,
    /// The value that the deployment has.
    Value,
    /// A constraint lets less through, or a new one stands there.
    ConstraintTightened,
    /// A constraint lets more through, or is gone.
    ConstraintLoosened,
    /// A constraint lets other values through.
    ConstraintChanged,
    /// Whether it is hidden.
    Hidden,
    /// Whether it is immutable.
    Immutable,
    /// Its tags.
    Tags,
    /// The label or description: documentation, which is no difference of meaning.
    Documentation,
}

/// A group of parameters, a condition or an output that differs.
#[derive(Clone, Debug)]
pub struct EntryChange {
    /// Its name, after those of the resources whose stack it belongs to.
    pub name: String,
    /// What became of it.
    pub change: EntryStatus,
    /// What it is worth.
    pub value: Pair<DisplayValue>,
    /// Where it is written.
    pub spans: SpanPair,
    /// What differs inside it.
    pub changes: Vec<ValueChange>,
    /// The resources that it reaches: those that a condition adds or takes away.
    pub affects: Vec<String>,
}

/// Something that differs in the environments.
#[derive(Clone, Debug)]
pub struct EnvironmentChange {
    /// What it is.
    pub kind: EnvironmentKind,
    /// Its name: of a file, of a type in the registry, of a parameter.
    pub name: String,
    /// What became of it.
    pub change: EntryStatus,
    /// What it was and is.
    pub value: Pair<DisplayValue>,
    /// Where it is written.
    pub spans: SpanPair,
    /// The resources that it reaches, whole names.
    pub affects: Vec<String>,
}

/// What an environment says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EnvironmentKind {
    /// An environment file.
    File,
    /// An entry of the resource registry.
    Registry,
    /// A forbidden action or a hook of resources.
    Restriction,
    /// A parameter's value.
    Parameter,
    /// A default for parameters of all stacks.
    ParameterDefault,
}

/// What a change means for who can reach what.
#[derive(Clone, Debug)]
pub struct SecurityChange {
    /// The resource, by its whole name.
    pub resource: String,
    /// What kind of change it is.
    pub kind: SecurityKind,
    /// Whether more or less is possible than before.
    pub access: AccessChange,
    /// A sentence: `tcp 22 from 0.0.0.0/0 is open now`.
    pub message: String,
    /// Where it is written.
    pub spans: SpanPair,
}

/// The kinds of security changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SecurityKind {
    /// A rule of a security group or firewall.
    Rule,
    /// A public address.
    PublicAddress,
    /// Port security or the groups of a port or server.
    PortSecurity,
    /// A key pair.
    Key,
    /// A password or another credential.
    Password,
    /// What a server runs when it starts.
    UserData,
    /// What a server is made of.
    Image,
    /// With whom a thing is shared, or who may read or write it.
    Sharing,
    /// What a user or a group may do.
    Role,
}

/// Whether a change lets more or less happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AccessChange {
    /// More is possible than before.
    Widened,
    /// It is other than before, neither more nor less.
    Changed,
    /// Less is possible than before.
    Narrowed,
}

/// A permission for an impact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suppression {
    /// What it holds for.
    pub target: SuppressionTarget,
    /// The impact; any if there is none.
    pub impact: Option<Impact>,
    /// Why it is given: the reason in a comment of the template.
    pub reason: Option<String>,
    /// Where it is written; `None` if it was given on the command line.
    pub span: Option<Span>,
    /// It excuses something.
    pub used: bool,
}

/// What a permission holds for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SuppressionTarget {
    /// Resources of a type, or of a name (whole, or the last part of it).
    Named(String),
    /// The resource that a comment stands in or before, by its whole name.
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
