//! Decisions that plugins make themselves: a table of rules, and the outcome of each rule for an update.
//!
//! Source: the plugins' `needs_replace`, `needs_replace_with_prop_diff`,
//! `needs_replace_with_tmpl_diff` and `_needs_update`: `docs/heat.md#plugins-that-decide-on-their-own`,
//! `docs/heat.md#policies-of-a-server`, `docs/heat.md#plugins-that-replace-during-an-update`.

use indexmap::IndexMap;
use serde::Deserialize;

use crate::comparison::Impact;
use crate::update_rules::UpdateRule;
use crate::values::{Ternary, same};
use heat_engine::eval::{EvalResult, Value, python};
use heat_template::schema::{Column, columns};

/// The properties of one side, as the plugin converts them.
pub(crate) type PropertyView = IndexMap<String, EvalResult>;

/// A rule of a plugin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ReplacementRule {
    /// Every update of the stack replaces the resource.
    Always,
    /// Every update of the stack replaces it as long as a property has this value.
    AlwaysWhile(&'static str, &'static str),
    /// Every update of the stack updates it as long as this property is true on the old side.
    UpdatedWhile(&'static str),
    /// A change of its metadata replaces it.
    ByMetadata,
    /// A change of a property replaces it if the policy property is `REPLACE`.
    Policy {
        /// The property that changes.
        property: &'static str,
        /// The property that holds the policy.
        policy: &'static str,
        /// The impact with another policy.
        otherwise: Impact,
    },
    /// A new value of a property overwrites what is on it.
    Restores(&'static str),
    /// A change of a property replaces it if a flag is true.
    Flag {
        /// The property that changes.
        property: &'static str,
        /// The name of the flag.
        flag: &'static str,
    },
    /// A change of a member of a property replaces it.
    Member(&'static str, &'static str),
    /// A change of a member that a second property lists replaces it.
    Listed {
        /// The property that changes.
        property: &'static str,
        /// The property that lists its members.
        list: &'static str,
    },
    /// Another value of an input replaces it if the config requests that, see `deployments.rs`.
    Inputs,
    /// A change of one of the first properties together with a new value in one of the second ones replaces it.
    Together([&'static str; 2], [&'static str; 2]),
}

/// The rules, by the type under which the plugin is registered.
static RULES: Column<Vec<ReplacementRule>> = Column::new(columns::REPLACEMENT_RULES);

/// The rules of a plugin; empty for most.
pub(super) fn rules(plugin: &str) -> &'static [ReplacementRule] {
    RULES.get(plugin).map_or(&[], Vec::as_slice)
}

/// The outcome of a rule for the change of one property.
pub(super) struct RuleOutcome {
    /// `Replace`, `MayReplace`, or if the rule does not replace it, `Rebuild` or `Update`.
    pub(super) impact: Impact,
    /// The rule, for display.
    pub(super) rule: UpdateRule,
}

/// Both sides of a resource, as rules on properties need them.
pub(super) struct PropertyChanges<'a> {
    pub(super) old: &'a PropertyView,
    pub(super) new: &'a PropertyView,
    /// The properties that differ or may differ, with the result of their comparison: `No` or `Unknown`.
    pub(super) changed: &'a IndexMap<String, Ternary>,
    /// Whether a property is specified on the new side.
    pub(super) is_specified: &'a dyn Fn(&str) -> bool,
}

impl PropertyChanges<'_> {
    /// Applies a rule to a property that differs.
    pub(super) fn apply(&self, rule: ReplacementRule, name: &str) -> Option<RuleOutcome> {
        let kept = *self.changed.get(name)?;
        match rule {
            ReplacementRule::Policy { property, policy, otherwise } if property == name => {
                let new = value(self.new, policy);
                let effective = new.filter(|it| truthiness(it) != Ternary::No);
                let effective = effective.or(value(self.old, policy));
                let replaces = match effective.map(Value::unsealed) {
                    Some(Value::Unknown(_)) => Ternary::Unknown,
                    Some(Value::Text(text)) => (text == "REPLACE").into(),
                    _ => Ternary::No,
                };
                let shown = match effective.map(Value::unsealed) {
                    Some(Value::Text(text)) => text.to_string(),
                    Some(Value::Unknown(_)) => "unknown".to_owned(),
                    _ => "not set".to_owned(),
                };
                Some(RuleOutcome {
                    impact: match replacement_impact(replaces, kept) {
                        Impact::Update => otherwise,
                        impact => impact,
                    },
                    rule: UpdateRule::Policy {
                        property: name.to_owned(),
                        policy: policy.to_owned(),
                        value: shown,
                        default: !(self.is_specified)(policy),
                    },
                })
            }
            ReplacementRule::Restores(property) if property == name => {
                if matches!(self.new.get(property), Some(Ok(Value::Null) | Err(_))) {
                    return None;
                }
                let rule = format!("`{property}` restores it: what is on it is overwritten");
                Some(RuleOutcome { impact: Impact::Rebuild, rule: UpdateRule::PluginRule { rule } })
            }
            ReplacementRule::Flag { property, flag } if property == name => {
                let replaces = value(self.new, flag).map_or(Ternary::No, truthiness);
                let rule = format!("`{flag}` decides whether a change of `{property}` replaces it");
                outcome(replaces, kept, rule)
            }
            ReplacementRule::Member(property, member) if property == name => {
                let replaces = not(same(
                    &self.member(self.old, name, member),
                    &self.member(self.new, name, member),
                ));
                outcome(
                    replaces,
                    Ternary::No,
                    format!("a change of `{member}` in `{property}` replaces it"),
                )
            }
            ReplacementRule::Listed { property, list } if property == name => {
                let replaces = self.listed(property, list);
                outcome(replaces, Ternary::No, format!("an input that `{list}` lists differs"))
            }
            ReplacementRule::Together(one, other) if one.contains(&name) => {
                let new = other.iter().filter(|it| self.changed.contains_key(**it));
                let replaces = new.fold(Ternary::No, |found, it| {
                    let both = match (
                        self.changed[*it],
                        value(self.new, it).map_or(Ternary::No, truthiness),
                    ) {
                        (_, Ternary::No) => Ternary::No,
                        // If the other property is unchanged, there is no replacement.
                        (Ternary::No, Ternary::Yes) => Ternary::Yes,
                        _ => Ternary::Unknown,
                    };
                    found.or(both)
                });
                let rule = format!("`{name}` changes together with {}", other.join(" or "));
                outcome(replaces, kept, rule)
            }
            _ => None,
        }
    }

    fn member(&self, view: &PropertyView, property: &str, member: &str) -> Value {
        match value(view, property).map(Value::unsealed) {
            Some(Value::Map(map)) => map.get(member).cloned().unwrap_or(Value::Null),
            Some(unknown @ Value::Unknown(_)) => unknown.clone(),
            _ => Value::Null,
        }
    }

    /// Whether a listed member of a property differs.
    fn listed(&self, property: &str, list: &str) -> Ternary {
        let names = match value(self.new, list).map(Value::unsealed) {
            Some(Value::List(names)) => names,
            Some(Value::Unknown(_)) => return Ternary::Unknown,
            _ => return Ternary::No,
        };
        names.iter().fold(Ternary::No, |found, name| match name.unsealed() {
            Value::Text(name) => found.or(not(same(
                &self.member(self.old, property, name),
                &self.member(self.new, property, name),
            ))),
            Value::Unknown(_) => found.or(Ternary::Unknown),
            _ => found,
        })
    }
}

/// Applies a rule that holds at every update, whether anything differs or not.
pub(super) fn unconditional_outcome(
    rule: ReplacementRule,
    old: &PropertyView,
    new: &PropertyView,
) -> Option<RuleOutcome> {
    match rule {
        ReplacementRule::Always => Some(RuleOutcome {
            impact: Impact::Replace,
            rule: UpdateRule::AlwaysReplaced {
                rule: "every update of the stack replaces it: its URL changes".to_owned(),
            },
        }),
        ReplacementRule::AlwaysWhile(property, wanted) => {
            let holds = match value(new, property)?.unsealed() {
                Value::Text(text) => (text == wanted).into(),
                Value::Unknown(_) => Ternary::Unknown,
                _ => Ternary::No,
            };
            let rule = format!("`{property}` is {wanted}: every update of the stack replaces it");
            match holds {
                Ternary::No => None,
                holds => Some(RuleOutcome {
                    impact: replacement_impact(holds, Ternary::No),
                    rule: UpdateRule::AlwaysReplaced { rule },
                }),
            }
        }
        ReplacementRule::UpdatedWhile(property) => match truthiness(value(old, property)?) {
            Ternary::No => None,
            Ternary::Yes | Ternary::Unknown => Some(RuleOutcome {
                impact: Impact::Update,
                rule: UpdateRule::PluginRule {
                    rule: format!("`{property}` is true: every update of the stack updates it"),
                },
            }),
        },
        ReplacementRule::ByMetadata
        | ReplacementRule::Policy { .. }
        | ReplacementRule::Restores(_)
        | ReplacementRule::Flag { .. }
        | ReplacementRule::Member(..)
        | ReplacementRule::Listed { .. }
        | ReplacementRule::Inputs
        | ReplacementRule::Together(..) => None,
    }
}

fn outcome(replaces: Ternary, kept: Ternary, rule: String) -> Option<RuleOutcome> {
    match replacement_impact(replaces, kept) {
        Impact::Update => None,
        impact => Some(RuleOutcome { impact, rule: UpdateRule::PluginRule { rule } }),
    }
}

/// The impact of a rule that replaces the resource if it holds and if the values are not the `same`.
fn replacement_impact(holds: Ternary, same: Ternary) -> Impact {
    match (holds, same) {
        (Ternary::No, _) | (_, Ternary::Yes) => Impact::Update,
        (Ternary::Yes, Ternary::No) => Impact::Replace,
        _ => Impact::MayReplace,
    }
}

fn value<'v>(view: &'v PropertyView, property: &str) -> Option<&'v Value> {
    view.get(property)?.as_ref().ok().filter(|it| **it != Value::Null)
}

/// The truth value of a value in Python.
fn truthiness(value: &Value) -> Ternary {
    match value.unsealed() {
        Value::Unknown(_) => Ternary::Unknown,
        value => python::truthy(value).into(),
    }
}

fn not(truth: Ternary) -> Ternary {
    match truth {
        Ternary::Yes => Ternary::No,
        Ternary::No => Ternary::Yes,
        Ternary::Unknown => Ternary::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use heat_template::schema::{ReplaceRule, Schema};

    #[test]
    fn every_plugin_that_decides_itself_has_a_row() {
        for (name, info) in Schema::heat().types.iter() {
            let decides = info.replace_rules.iter().any(|rule| *rule != ReplaceRule::AfterFailure);
            assert!(!decides || !rules(name).is_empty(), "{name}");
        }
    }

    #[test]
    fn rows_name_properties_that_there_are() {
        for (name, rules) in RULES.iter() {
            let info = Schema::heat().types.get(name).expect(name);
            for rule in rules {
                let properties = match *rule {
                    ReplacementRule::Always | ReplacementRule::ByMetadata => vec![],
                    ReplacementRule::AlwaysWhile(property, _)
                    | ReplacementRule::UpdatedWhile(property)
                    | ReplacementRule::Member(property, _) => vec![property],
                    ReplacementRule::Policy { property, policy, .. } => vec![property, policy],
                    ReplacementRule::Restores(property) => vec![property],
                    ReplacementRule::Flag { property, flag } => vec![property, flag],
                    ReplacementRule::Listed { property, list } => vec![property, list],
                    ReplacementRule::Inputs => vec!["input_values", "config"],
                    ReplacementRule::Together(one, other) => one.into_iter().chain(other).collect(),
                };
                for property in properties {
                    assert!(info.property(property).is_some(), "{name}.{property}");
                }
                if let ReplacementRule::Member(property, member) = *rule {
                    assert!(info.property_at(&[property, member]).is_some(), "{name}");
                }
            }
        }
    }
}
