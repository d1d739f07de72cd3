//! Heat's rules for the impact of a change: one variant per rule, and its sentence.
//!
//! Source: `docs/heat.md#updates`.

use super::comparison::Pair;
use super::impact::StateEffect;
use super::update_impact::Impact;
use heat_engine::environment::registry::is_template_name;

/// Which members a group loses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemberOrder {
    /// The failed ones, then the oldest. Their names are random and only known to the stack.
    Oldest,
    /// Those with the highest numbers.
    Highest,
    /// Those that a removal policy lists.
    Listed,
}

/// The rule that determines an impact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UpdateRule {
    /// The resource is only in the new template.
    Added,
    /// The old template gives it no type, so that Heat refuses that: no stack has it.
    WithoutType,
    /// The resource is only in the old template.
    Removed,
    /// Its group has fewer members than before.
    ScaledDown {
        /// Which members Heat deletes.
        order: MemberOrder,
        /// The numbers of members.
        members: Pair<usize>,
    },
    /// Its condition has become true.
    ConditionHolds,
    /// Its condition has become false.
    ConditionFails,
    /// Its condition depends on unknown values.
    ConditionUnknown {
        /// Whether the update is the same for each of these values.
        is_certain: bool,
    },
    /// The size of its group is unknown on at least one side.
    SizeUnknown,
    /// The stack that contains it may be deleted or created; the name of the resource that represents the stack.
    StackUnknown(String),
    /// The stack that contains it is created, replaced or deleted; the name of the resource that represents
    /// the stack.
    Stack(String),
    /// Another plugin implements its type.
    OtherType,
    /// The old plugin declares the new one as its substitute.
    SubstituteType,
    /// The same plugin has another type name.
    SameType,
    /// The type maps to another template.
    OtherTemplate,
    /// The adopted resource changes, or the resource is no longer adopted: Heat refuses that.
    ExternalId,
    /// The property cannot be updated in place.
    NotUpdatable {
        /// The name of the property.
        property: String,
        /// The type after the resource registry is applied.
        kind: String,
    },
    /// The property can be updated in place.
    Updatable,
    /// A property of a nested template is its parameter, which can always be updated.
    NestedParameter,
    /// Heat refuses a change of the property.
    Immutable {
        /// The name of the property.
        property: String,
        /// The type after the resource registry is applied.
        kind: String,
    },
    /// A policy of the resource decides about the property.
    Policy {
        /// The name of the property.
        property: String,
        /// The property that holds the policy.
        policy: String,
        /// The value of the policy.
        value: String,
        /// Whether that value is the default.
        default: bool,
    },
    /// The plugin replaces the resource at every update.
    AlwaysReplaced {
        /// The rule, for display.
        rule: String,
    },
    /// The plugin has its own rule for this change.
    PluginRule {
        /// The rule, for display.
        rule: String,
    },
    /// The part is not a property: Heat always updates it in place.
    Definition,
    /// Both spellings have the same meaning.
    Spelling,
    /// The part is documentation, which Heat ignores.
    Documentation,
    /// The description of the resource is used as the property `description`, which is not set.
    DescriptionServes,
    /// The resource adopts an existing one, which Heat never changes.
    External,
    /// The environment forbids the action.
    Restricted {
        /// The action, `update` or `replace`.
        action: String,
    },
    /// The value of an immutable parameter changes: Heat refuses the whole update.
    ImmutableParameter {
        /// The name of the parameter.
        parameter: String,
        /// The old and the new value, for display; `None` if they are secret or unknown.
        values: Option<(String, String)>,
    },
    /// The plugin, or the service that it calls, refuses the change while the update runs.
    FailsWhileRunning {
        /// Why, for display.
        why: &'static str,
    },
    /// The deletion policy keeps the old resource in the cloud, outside of the stack.
    OldIsRetained,
    /// The deletion policy takes a snapshot of the old resource before it is deleted.
    OldIsSnapshotted,
    /// Heat deletes it only if it is empty; otherwise the update fails.
    OnlyDeletedEmpty,
    /// Data is lost with it.
    DataLost {
        /// The loss and its condition, for display.
        sentence: &'static str,
    },
    /// The update leaves something behind, or fails.
    Hazard {
        /// What happens, why, and what to do instead, for display.
        sentence: String,
    },
    /// What the update does to a machine besides.
    MachineEffect {
        /// What happens and why, for display.
        sentence: String,
    },
    /// It has no value on either side, which Heat refuses.
    Fails,
    /// It has a value on one side only, because its evaluation fails on the other.
    NoValue,
    /// It is unknown whether it differs.
    Unresolved,
    /// Nothing known implements the type of the resource: what it does with a change is unknown.
    UnknownType {
        /// The type as the template writes it.
        kind: String,
    },
    /// Heat refuses the new definition.
    Invalid {
        /// The error of Heat, for display.
        message: String,
        /// Whether the old definition has the same error.
        before: bool,
    },
    /// It depends on a file that could not be read.
    NotRead {
        /// The path or URL of the file.
        file: String,
        /// The effect if its content differs.
        if_different: Impact,
    },
    /// It represents a stack that is not examined.
    NotOpened,
    /// The group does not use the names of members that it has removed.
    NamesNotReused {
        /// The names of removed members, as the group counts them.
        names: Vec<String>,
        /// Whether they are those that the stack that runs lacks; otherwise those of the old template.
        is_saved: bool,
    },
    /// It is replaced under the same name, which is its reference.
    SameReference {
        /// The resources that refer to it.
        readers: Vec<String>,
    },
    /// It is in both templates, and the stack that runs does not have it.
    NotRunning,
    /// The state of the resource that runs decides.
    RunningState {
        /// The last action with its status, such as `CREATE_FAILED`.
        status: String,
        /// What Heat does about it.
        effect: StateEffect,
    },
    /// It represents a template that could not be read: its content is unknown.
    InsideUnknown {
        /// The path or URL of the template.
        template: String,
    },
}

/// The most names in a sentence.
const MAX_NAMES: usize = 8;

/// The release of Heat whose rules these are.
pub const HEAT: &str = "Heat 27";

impl UpdateRule {
    /// The identifier of the rule, which is stable across releases.
    pub fn id(&self) -> &'static str {
        match self {
            UpdateRule::Added => "added",
            UpdateRule::WithoutType => "without-type",
            UpdateRule::Removed => "removed",
            UpdateRule::ScaledDown { .. } => "scaled-down",
            UpdateRule::ConditionHolds => "condition-holds",
            UpdateRule::ConditionFails => "condition-fails",
            UpdateRule::ConditionUnknown { .. } => "condition-unknown",
            UpdateRule::SizeUnknown => "size-unknown",
            UpdateRule::StackUnknown(_) => "stack-unknown",
            UpdateRule::Stack(_) => "stack",
            UpdateRule::OtherType => "other-type",
            UpdateRule::SubstituteType => "substitute-type",
            UpdateRule::SameType => "same-type",
            UpdateRule::OtherTemplate => "other-template",
            UpdateRule::ExternalId => "external-id",
            UpdateRule::NotUpdatable { .. } => "not-updatable",
            UpdateRule::Updatable => "updatable",
            UpdateRule::NestedParameter => "nested-parameter",
            UpdateRule::Immutable { .. } => "immutable-property",
            UpdateRule::Policy { .. } => "policy",
            UpdateRule::AlwaysReplaced { .. } => "always-replaced",
            UpdateRule::PluginRule { .. } => "plugin-rule",
            UpdateRule::Definition => "definition",
            UpdateRule::Spelling => "spelling",
            UpdateRule::Documentation => "documentation",
            UpdateRule::DescriptionServes => "description-serves",
            UpdateRule::External => "external",
            UpdateRule::Restricted { .. } => "restricted-action",
            UpdateRule::ImmutableParameter { .. } => "immutable-parameter",
            UpdateRule::FailsWhileRunning { .. } => "fails-while-running",
            UpdateRule::OldIsRetained => "old-is-retained",
            UpdateRule::OldIsSnapshotted => "old-is-snapshotted",
            UpdateRule::OnlyDeletedEmpty => "only-deleted-empty",
            UpdateRule::DataLost { .. } => "data-lost",
            UpdateRule::Hazard { .. } => "hazard",
            UpdateRule::MachineEffect { .. } => "machine-effect",
            UpdateRule::Fails => "fails",
            UpdateRule::NoValue => "no-value",
            UpdateRule::Unresolved => "unresolved",
            UpdateRule::UnknownType { .. } => "unknown-type",
            UpdateRule::Invalid { .. } => "invalid",
            UpdateRule::NotRead { .. } => "not-read",
            UpdateRule::NotOpened => "not-opened",
            UpdateRule::InsideUnknown { .. } => "inside-unknown",
            UpdateRule::NamesNotReused { .. } => "names-not-reused",
            UpdateRule::SameReference { .. } => "same-reference",
            UpdateRule::NotRunning => "not-running",
            UpdateRule::RunningState { .. } => "running-state",
        }
    }

    /// Whether Heat refuses it before the change, too.
    pub fn holds_before(&self) -> bool {
        matches!(self, UpdateRule::Fails | UpdateRule::Invalid { before: true, .. })
    }

    /// The rule as a sentence without a full stop.
    pub fn sentence(&self, impact: Impact) -> String {
        match self {
            UpdateRule::Added => "in the new template only".to_owned(),
            UpdateRule::WithoutType => {
                "the old template gives it no type, which Heat refuses: no stack has it".to_owned()
            }
            UpdateRule::Removed => "in the old template only".to_owned(),
            UpdateRule::ScaledDown { order, members: Pair { old, new } } => match order {
                MemberOrder::Oldest => format!(
                    "{old} → {new} members: Heat deletes failed members first, then the oldest; which these are is known only to the \
                     stack, the number here is not a name"
                ),
                MemberOrder::Highest => {
                    format!("{old} → {new} members: Heat deletes those with the highest numbers")
                }
                MemberOrder::Listed => {
                    format!("{old} → {new} members: `removal_policies` lists this one")
                }
            },
            UpdateRule::ConditionHolds => "its condition is true now".to_owned(),
            UpdateRule::ConditionFails => "its condition is no longer true".to_owned(),
            UpdateRule::ConditionUnknown { is_certain } => {
                let state = match impact {
                    Impact::Create | Impact::MayCreate => "true now",
                    _ => "false now",
                };
                match is_certain {
                    true => format!("its condition is {state} for each value of what is unknown"),
                    false => format!("its condition may be {state}: it depends on unknown values"),
                }
            }
            UpdateRule::SizeUnknown => {
                "the number of members is unknown and may differ".to_owned()
            }
            UpdateRule::StackUnknown(name) => match impact {
                Impact::MayCreate => format!("the stack of `{name}` may be created"),
                _ => format!("the stack of `{name}` may be deleted"),
            },
            UpdateRule::Stack(name) => match impact {
                Impact::Create | Impact::Adopt => format!("the stack of `{name}` is created"),
                Impact::MayCreate => format!("the stack of `{name}` may be created"),
                Impact::MayDelete => format!("the stack of `{name}` may be deleted"),
                Impact::Replace | Impact::MayReplace => {
                    format!("the stack of `{name}` is replaced")
                }
                _ => format!("the stack of `{name}` is deleted"),
            },
            UpdateRule::OtherType => format!("another type: Heat replaces the resource ({HEAT})"),
            UpdateRule::SubstituteType => {
                "the new type is a declared substitute of the old one".to_owned()
            }
            UpdateRule::SameType => "another name of the same type".to_owned(),
            UpdateRule::OtherTemplate => "the type maps to another template now".to_owned(),
            UpdateRule::ExternalId => "Heat refuses a change of `external_id`".to_owned(),
            UpdateRule::NotUpdatable { property, kind } => {
                format!("`{property}` of {kind} cannot be updated in place ({HEAT})")
            }
            UpdateRule::Updatable => "updated in place".to_owned(),
            UpdateRule::NestedParameter => {
                "a parameter of the nested stack, updated in place".to_owned()
            }
            UpdateRule::Immutable { property, kind } => {
                format!("Heat refuses a change of `{property}` of {kind} ({HEAT})")
            }
            UpdateRule::Policy { property, policy, value, default } => {
                let effect = match impact {
                    Impact::Replace => "replaces the server",
                    Impact::MayReplace => "may replace the server",
                    Impact::Rebuild => "rebuilds the server: its root disk is rewritten",
                    Impact::Refused => "is refused",
                    _ if value == "IGNORE" => "does not reach the server",
                    _ => "updates the server in place",
                };
                let by = if *default { ", the default" } else { "" };
                format!("changing `{property}` {effect} (`{policy}`: {value}{by})")
            }
            UpdateRule::AlwaysReplaced { rule } | UpdateRule::PluginRule { rule } => rule.clone(),
            UpdateRule::Definition => "not a property: always updated in place".to_owned(),
            UpdateRule::Spelling => "another way to write the same value".to_owned(),
            UpdateRule::Documentation => "documentation only, Heat ignores it".to_owned(),
            UpdateRule::DescriptionServes => {
                "it is used as the property `description`, which is not set".to_owned()
            }
            UpdateRule::External => "it is adopted, Heat does not change it".to_owned(),
            UpdateRule::Restricted { action } => {
                format!("`restricted_actions` of the environment forbids `{action}`")
            }
            UpdateRule::ImmutableParameter { parameter, values } => {
                let values = values.as_ref().map(|(old, new)| format!(" ({old} → {new})"));
                format!(
                    "Heat refuses this update: parameter `{parameter}` is immutable{}",
                    values.unwrap_or_default()
                )
            }
            UpdateRule::FailsWhileRunning { why } if impact == Impact::Refused => {
                format!(
                    "{why}: the update fails while it runs, other resources may be changed before ({HEAT})"
                )
            }
            UpdateRule::FailsWhileRunning { why } => {
                format!("{why}: if it is not replaced, the update fails while it runs ({HEAT})")
            }
            UpdateRule::OldIsRetained => {
                "the old resource stays in the cloud, outside of the stack (deletion_policy: retain)"
                    .to_owned()
            }
            UpdateRule::OldIsSnapshotted => {
                "a snapshot of the old resource is taken before it is deleted (deletion_policy: snapshot)"
                    .to_owned()
            }
            UpdateRule::OnlyDeletedEmpty => {
                "Heat deletes it only if it is empty: otherwise the update fails".to_owned()
            }
            UpdateRule::DataLost { sentence } => (*sentence).to_owned(),
            UpdateRule::Hazard { sentence } | UpdateRule::MachineEffect { sentence } => {
                sentence.clone()
            }
            UpdateRule::Fails => {
                "it has no value: Heat refuses it before and after the update".to_owned()
            }
            UpdateRule::NoValue if impact == Impact::Refused => {
                "it has no value: Heat refuses it".to_owned()
            }
            UpdateRule::NoValue => "it has no value".to_owned(),
            UpdateRule::Unresolved => "it is unknown whether the value changes".to_owned(),
            UpdateRule::UnknownType { kind } => {
                format!("the type {kind} is not known here: it may be updated or replaced")
            }
            UpdateRule::Invalid { message, before: false } => message.clone(),
            UpdateRule::Invalid { message, before: true } => {
                format!("{message} (before and after the update)")
            }
            UpdateRule::NamesNotReused { names, is_saved } => {
                let assumed = "; assumed from the old template, a saved stack shows it";
                let shown = names.iter().take(MAX_NAMES).cloned().collect::<Vec<_>>().join(", ");
                let more = if names.len() > MAX_NAMES { ", …" } else { "" };
                format!(
                    "the group does not use the names of removed members again ({shown}{more}{})",
                    if *is_saved { "" } else { assumed }
                )
            }
            UpdateRule::SameReference { readers } => {
                let shown = readers.iter().take(MAX_NAMES).map(|it| format!("`{it}`"));
                let shown = shown.collect::<Vec<_>>().join(", ");
                let more = if readers.len() > MAX_NAMES { ", …" } else { "" };
                format!("its reference is its name, which stays the same: {shown}{more} keeps the old one")
            }
            UpdateRule::NotRunning => "the running stack does not have it yet".to_owned(),
            UpdateRule::RunningState { status, effect } => {
                format!("it is in the state {status}: {}", effect.sentence())
            }
            UpdateRule::NotRead { file, .. } => format!("`{file}` could not be read"),
            UpdateRule::NotOpened => {
                "what is in its stack is not examined: the change may replace it".to_owned()
            }
            UpdateRule::InsideUnknown { template } if is_template_name(template) => {
                format!("`{template}` could not be read: its content is unknown")
            }
            UpdateRule::InsideUnknown { template: kind } => {
                format!("the template of the {kind} is invalid on one side: its content is unknown")
            }
        }
    }
}
