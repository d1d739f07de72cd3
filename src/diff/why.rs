//! Why an impact is what it is: one variant per rule of Heat, and its sentence.
//!
//! Source: `docs/heat.md#updates`.

use super::outcome::Impact;

/// The rule that decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// It is in the new template only.
    Added,
    /// It is in the old template only.
    Removed,
    /// Its condition holds now.
    ConditionHolds,
    /// Its condition holds no longer.
    ConditionFails,
    /// The stack that it is in is created, replaced or deleted; the name of the resource that stands
    /// for it.
    Stack(String),
    /// Another plugin implements its type now.
    OtherType,
    /// The old plugin declares the new one as its substitute.
    SubstituteType,
    /// The same plugin under another name.
    SameType,
    /// The type stands for another template now.
    OtherTemplate,
    /// Another thing is adopted, or no longer adopted: Heat refuses that.
    ExternalId,
    /// The property cannot be updated in place.
    NotUpdatable {
        /// The property.
        property: String,
        /// The real type.
        kind: String,
    },
    /// The property can be updated in place.
    Updatable,
    /// Properties of a nested template are its parameters, which can always be updated.
    NestedParameter,
    /// The property must not change.
    Immutable {
        /// The property.
        property: String,
        /// The real type.
        kind: String,
    },
    /// A policy of the resource decides about the property.
    Policy {
        /// The property.
        property: String,
        /// The policy's property.
        policy: String,
        /// The policy.
        value: String,
        /// It is the default.
        default: bool,
    },
    /// The plugin replaces it at every update.
    AlwaysReplaced {
        /// The rule, for people.
        rule: String,
    },
    /// The plugin's own rule for this change.
    PluginRule {
        /// The rule, for people.
        rule: String,
    },
    /// Not a property: Heat updates in place whatever it is.
    Definition,
    /// Both spellings mean the same.
    Spelling,
    /// It is for people; Heat does not look at it.
    Documentation,
    /// The description of the resource serves as the property `description`, which is not given.
    DescriptionServes,
    /// The resource adopts an existing thing, which Heat never touches.
    External,
    /// The environment forbids the action.
    Restricted {
        /// `update` or `replace`.
        action: String,
    },
    /// An immutable parameter has another value: Heat refuses the whole update.
    ImmutableParameter {
        /// The parameter.
        parameter: String,
    },
    /// It has no value on either side, which Heat refuses.
    Fails,
    /// It has a value on one side only, because there it fails.
    NoValue,
    /// It is not known whether it differs.
    Unresolved,
    /// Heat refuses the new definition.
    Invalid {
        /// What Heat refuses, for people.
        message: String,
        /// Whether the old definition has the same error.
        before: bool,
    },
    /// It depends on a file that could not be read.
    NotRead {
        /// The file, by its path or URL.
        file: String,
    },
    /// It stands for a template that could not be read: nobody knows what is inside.
    InsideUnknown {
        /// The template, by its path or URL.
        template: String,
    },
}

/// The release whose rules these are.
pub const HEAT: &str = "Heat 27";

impl Why {
    /// The rule's name, which stays the same whatever its sentence says.
    pub fn rule(&self) -> &'static str {
        match self {
            Why::Added => "added",
            Why::Removed => "removed",
            Why::ConditionHolds => "condition-holds",
            Why::ConditionFails => "condition-fails",
            Why::Stack(_) => "stack",
            Why::OtherType => "other-type",
            Why::SubstituteType => "substitute-type",
            Why::SameType => "same-type",
            Why::OtherTemplate => "other-template",
            Why::ExternalId => "external-id",
            Why::NotUpdatable { .. } => "not-updatable",
            Why::Updatable => "updatable",
            Why::NestedParameter => "nested-parameter",
            Why::Immutable { .. } => "immutable-property",
            Why::Policy { .. } => "policy",
            Why::AlwaysReplaced { .. } => "always-replaced",
            Why::PluginRule { .. } => "plugin-rule",
            Why::Definition => "definition",
            Why::Spelling => "spelling",
            Why::Documentation => "documentation",
            Why::DescriptionServes => "description-serves",
            Why::External => "external",
            Why::Restricted { .. } => "restricted-action",
            Why::ImmutableParameter { .. } => "immutable-parameter",
            Why::Fails => "fails",
            Why::NoValue => "no-value",
            Why::Unresolved => "unresolved",
            Why::Invalid { .. } => "invalid",
            Why::NotRead { .. } => "not-read",
            Why::InsideUnknown { .. } => "inside-unknown",
        }
    }

    /// The rule as a sentence without its full stop.
    pub fn sentence(&self, impact: Impact) -> String {
        match self {
            Why::Added => "in the new template only".to_owned(),
            Why::Removed => "in the old template only".to_owned(),
            Why::ConditionHolds => "its condition holds now".to_owned(),
            Why::ConditionFails => "its condition holds no longer".to_owned(),
            Why::Stack(name) => match impact {
                Impact::Create | Impact::Adopt => format!("the stack of `{name}` is created"),
                Impact::Replace | Impact::MayReplace => {
                    format!("the stack of `{name}` is replaced")
                }
                _ => format!("the stack of `{name}` is deleted"),
            },
            Why::OtherType => format!("another plugin implements the type ({HEAT})"),
            Why::SubstituteType => "the new type may take the place of the old one".to_owned(),
            Why::SameType => "another name of the same type".to_owned(),
            Why::OtherTemplate => "the type stands for another template now".to_owned(),
            Why::ExternalId => "Heat refuses another `external_id`".to_owned(),
            Why::NotUpdatable { property, kind } => {
                format!("`{property}` of {kind} cannot be updated in place ({HEAT})")
            }
            Why::Updatable => "updated in place".to_owned(),
            Why::NestedParameter => "a parameter of the nested stack, updated in place".to_owned(),
            Why::Immutable { property, kind } => {
                format!("Heat refuses a change of `{property}` of {kind} ({HEAT})")
            }
            Why::Policy { property, policy, value, default } => {
                let by = if *default { ", its default" } else { "" };
                format!("`{policy}` is {value}{by}, when `{property}` changes")
            }
            Why::AlwaysReplaced { rule } | Why::PluginRule { rule } => rule.clone(),
            Why::Definition => "no property: updated in place".to_owned(),
            Why::Spelling => "another spelling of the same value".to_owned(),
            Why::Documentation => "for people, Heat does not look at it".to_owned(),
            Why::DescriptionServes => {
                "it serves as the property `description`, which is not given".to_owned()
            }
            Why::External => "it is adopted, Heat does not touch it".to_owned(),
            Why::Restricted { action } => {
                format!("`restricted_actions` of the environment forbids `{action}`")
            }
            Why::ImmutableParameter { parameter } => {
                format!("the immutable parameter `{parameter}` has another value")
            }
            Why::Fails => "it has no value: Heat refuses it, before and after".to_owned(),
            Why::NoValue if impact == Impact::Refused => {
                "it has no value: Heat refuses it".to_owned()
            }
            Why::NoValue => "it has no value".to_owned(),
            Why::Unresolved => "it is not known whether the value changes".to_owned(),
            Why::Invalid { message, before: false } => message.clone(),
            Why::Invalid { message, before: true } => format!("{message}, before and after"),
            Why::NotRead { file } => format!("`{file}` could not be read"),
            Why::InsideUnknown { template } => {
                format!("`{template}` could not be read: what is inside is unknown")
            }
        }
    }
}
