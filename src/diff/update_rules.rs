//! Why an impact is what it is: one variant per rule of Heat, and its sentence.
//!
//! Source: `docs/heat.md#updates`.

use super::update_impact::Impact;

/// The rule that decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UpdateRule {
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

impl UpdateRule {
    /// The rule's name, which stays the same whatever its sentence says.
    pub fn id(&self) -> &'static str {
        match self {
            UpdateRule::Added => "added",
            UpdateRule::Removed => "removed",
            UpdateRule::ConditionHolds => "condition-holds",
            UpdateRule::ConditionFails => "condition-fails",
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
            UpdateRule::Fails => "fails",
            UpdateRule::NoValue => "no-value",
            UpdateRule::Unresolved => "unresolved",
            UpdateRule::Invalid { .. } => "invalid",
            UpdateRule::NotRead { .. } => "not-read",
            UpdateRule::InsideUnknown { .. } => "inside-unknown",
        }
    }

    /// The rule as a sentence without its full stop.
    pub fn sentence(&self, impact: Impact) -> String {
        match self {
            UpdateRule::Added => "in the new template only".to_owned(),
            UpdateRule::Removed => "in the old template only".to_owned(),
            UpdateRule::ConditionHolds => "its condition holds now".to_owned(),
            UpdateRule::ConditionFails => "its condition holds no longer".to_owned(),
            UpdateRule::Stack(name) => match impact {
                Impact::Create | Impact::Adopt => format!("the stack of `{name}` is created"),
                Impact::Replace | Impact::MayReplace => {
                    format!("the stack of `{name}` is replaced")
                }
                _ => format!("the stack of `{name}` is deleted"),
            },
            UpdateRule::OtherType => format!("another plugin implements the type ({HEAT})"),
            UpdateRule::SubstituteType => {
                "the new type may take the place of the old one".to_owned()
            }
            UpdateRule::SameType => "another name of the same type".to_owned(),
            UpdateRule::OtherTemplate => "the type stands for another template now".to_owned(),
            UpdateRule::ExternalId => "Heat refuses another `external_id`".to_owned(),
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
                let by = if *default { ", its default" } else { "" };
                format!("`{policy}` is {value}{by}, when `{property}` changes")
            }
            UpdateRule::AlwaysReplaced { rule } | UpdateRule::PluginRule { rule } => rule.clone(),
            UpdateRule::Definition => "no property: updated in place".to_owned(),
            UpdateRule::Spelling => "another spelling of the same value".to_owned(),
            UpdateRule::Documentation => "for people, Heat does not look at it".to_owned(),
            UpdateRule::DescriptionServes => {
                "it serves as the property `description`, which is not given".to_owned()
            }
            UpdateRule::External => "it is adopted, Heat does not touch it".to_owned(),
            UpdateRule::Restricted { action } => {
                format!("`restricted_actions` of the environment forbids `{action}`")
            }
            UpdateRule::ImmutableParameter { parameter } => {
                format!("the immutable parameter `{parameter}` has another value")
            }
            UpdateRule::Fails => "it has no value: Heat refuses it, before and after".to_owned(),
            UpdateRule::NoValue if impact == Impact::Refused => {
                "it has no value: Heat refuses it".to_owned()
            }
            UpdateRule::NoValue => "it has no value".to_owned(),
            UpdateRule::Unresolved => "it is not known whether the value changes".to_owned(),
            UpdateRule::Invalid { message, before: false } => message.clone(),
            UpdateRule::Invalid { message, before: true } => format!("{message}, before and after"),
            UpdateRule::NotRead { file } => format!("`{file}` could not be read"),
            UpdateRule::InsideUnknown { template } => {
                format!("`{template}` could not be read: what is inside is unknown")
            }
        }
    }
}
