//! Differences outside of resources: parameters, conditions, outputs, environments, access, and what permits changes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use source_diagnostics::Span;

use super::{DisplayValue, MatchReason, Omissible, OutputPropagation, Pair, Places, ValueChange};
use crate::named::named;
use crate::update_impact::Impact;

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
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(bound(serialize = "P: Serialize, V: Serialize + Omissible"))]
#[schemars(rename = "ParameterEntry")]
pub struct ParameterChange<P = Span, V = DisplayValue> {
    /// The name, prefixed by the names of the resources whose stack declares it.
    pub name: String,
    /// Whether it is added, removed, changed or renamed.
    #[serde(flatten)]
    pub change: EntryStatus,
    /// Whether Heat refuses the update because the value of an immutable parameter differs.
    pub refused: bool,
    /// The aspects that differ.
    pub details: Vec<ParameterDetail<P, V>>,
    /// The full names of the resources whose definitions depend on its value.
    #[serde(rename = "reaches")]
    pub affects: Vec<String>,
    /// The places of the declaration.
    #[serde(flatten)]
    pub places: Places<P>,
}

impl<P, V> ParameterChange<P, V> {
    /// Whether it differs in more than documentation.
    pub fn is_difference(&self) -> bool {
        self.change != EntryStatus::Changed
            || self.details.iter().any(|detail| detail.aspect != ParameterAspect::Documentation)
    }
}

/// A difference in the declaration of a parameter, or in its value.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(bound(serialize = "P: Serialize, V: Serialize + Omissible"))]
#[schemars(rename = "ParameterEntryDetail")]
pub struct ParameterDetail<P = Span, V = DisplayValue> {
    /// The aspect that differs.
    pub aspect: ParameterAspect,
    /// The old and the new value.
    #[serde(flatten)]
    pub value: Pair<V>,
    /// The places of the value, which may be in an environment.
    #[serde(flatten)]
    pub places: Places<P>,
}

/// The aspect of a parameter that a detail concerns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ParameterAspect {
    /// `type`, by which Heat converts a value.
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
    /// `tags`, which Heat keeps and does not use.
    Tags,
    /// The label or description: documentation, which has no effect on the stack.
    Documentation,
}

/// A parameter group, a condition or an output that differs.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(bound(serialize = "P: Serialize, V: Serialize + Omissible, C: Serialize"))]
#[schemars(rename = "SectionEntry")]
pub struct EntryChange<P = Span, V = DisplayValue, C = ValueChange> {
    /// The name, prefixed by the names of the resources whose stack declares it.
    pub name: String,
    /// Whether it is added, removed, changed or renamed.
    #[serde(flatten)]
    pub change: EntryStatus,
    /// The old and the new value.
    #[serde(flatten)]
    pub value: Pair<V>,
    /// The differences inside the value.
    pub changes: Vec<C>,
    /// The full names of the resources that it affects: those that a condition adds or removes.
    #[serde(rename = "reaches")]
    pub affects: Vec<String>,
    /// The changes of resources that an output's value depends on, the worst first; omitted if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub propagations: Vec<OutputPropagation<P>>,
    /// The places of the entry.
    #[serde(flatten)]
    pub places: Places<P>,
}

/// A difference of the environments.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(bound(serialize = "P: Serialize, V: Serialize + Omissible"))]
#[schemars(rename = "EnvironmentEntry")]
pub struct EnvironmentChange<P = Span, V = DisplayValue> {
    /// The kind of entry.
    pub kind: EnvironmentKind,
    /// The name: of a file, of a type in the registry, of a parameter.
    pub name: String,
    /// Whether it is added, removed, changed or renamed.
    #[serde(flatten)]
    pub change: EntryStatus,
    /// The old and the new value.
    #[serde(flatten)]
    pub value: Pair<V>,
    /// The full names of the resources that it affects.
    #[serde(rename = "reaches")]
    pub affects: Vec<String>,
    /// The places of the entry.
    #[serde(flatten)]
    pub places: Places<P>,
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
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "SecurityEntry")]
pub struct SecurityChange<P = Span> {
    /// The full name of the resource.
    pub resource: String,
    /// The kind of change.
    pub kind: SecurityKind,
    /// Whether the change allows more or less than before.
    #[serde(rename = "verdict")]
    pub access: AccessChange,
    /// A sentence without a full stop, such as `tcp 22 from 0.0.0.0/0 is open now`.
    pub message: String,
    /// The places of what changes.
    #[serde(flatten)]
    pub places: Places<P>,
}

named! {
/// The kinds of security changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub enum SecurityKind {
    /// A rule of a security group or firewall.
    Rule = "rule",
    /// An address that is reachable from outside, such as a floating IP.
    PublicAddress = "public-address",
    /// Port security or the groups of a port or server.
    PortSecurity = "port-security",
    /// A key pair, or whether TLS is used.
    Key = "key",
    /// A password or another credential.
    Password = "password",
    /// The program that a server runs when it boots.
    UserData = "user-data",
    /// The image that a server boots from.
    Image = "image",
    /// Who a resource is shared with, or who may read or write it.
    Sharing = "sharing",
    /// A role of a user or a group.
    Role = "role",
}
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
    /// A deployment of the configuration that is removed, by its name, or without one by its templates.
    Deployment(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_data_and_the_worst_impacts_are_first() {
        assert!(Impact::ALL.is_sorted());
        for impact in Impact::ALL {
            assert_eq!(serde_json::json!(impact), impact.name());
        }
        for kind in SecurityKind::ALL {
            assert_eq!(serde_json::json!(kind), kind.name());
        }
    }
}
