//! What plugins decide on their own: a row per rule, and what the rule says of an update.
//!
//! Source: the plugins' `needs_replace`, `needs_replace_with_prop_diff`,
//! `needs_replace_with_tmpl_diff` and `_needs_update`: `docs/heat.md#plugins-that-decide-on-their-own`,
//! `docs/heat.md#policies-of-a-server`, `docs/heat.md#plugins-that-replace-during-an-update`.

use indexmap::IndexMap;

use super::super::comparison::Impact;
use super::super::values::{Truth, same};
use super::super::why::Why;
use heat_engine::eval::{Outcome, Value, python};

/// The properties of one side, as the plugin reads them.
pub(super) type View = IndexMap<String, Outcome>;

/// A rule of a plugin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    /// Every update of the stack replaces it.
    Always,
    /// Every update of the stack replaces it while a property has this value.
    AlwaysWhile(&'static str, &'static str),
    /// Every update of the stack runs its update while this property is true on the old side.
    UpdatedWhile(&'static str),
    /// A change of its metadata replaces it.
    ByMetadata,
    /// A change of a property replaces it if the property that is its policy says `REPLACE`.
    Policy {
        /// The property.
        property: &'static str,
        /// The property that decides.
        policy: &'static str,
    },
    /// A change of a property replaces it while a flag is true.
    Flag {
        /// The property.
        property: &'static str,
        /// The flag.
        flag: &'static str,
    },
    /// A change of a member of a property replaces it.
    Member(&'static str, &'static str),
    /// A change of one of the members that a second property lists replaces it.
    Listed {
        /// The property.
        property: &'static str,
        /// The list of its members.
        list: &'static str,
    },
    /// Another value of an input replaces it if the config says so, see `deployments.rs`.
    Inputs,
    /// A change of one of the first together with a new value in one of the second replaces it.
    Together([&'static str; 2], [&'static str; 2]),
}

/// The rules, by the type that the plugin is registered as.
const RULES: [(&str, &[Rule]); 10] = [
    ("AWS::AutoScaling::LaunchConfiguration", &[Rule::ByMetadata]),
    (
        "AWS::EC2::EIPAssociation",
        &[Rule::Together(["AllocationId", "EIP"], ["InstanceId", "NetworkInterfaceId"])],
    ),
    ("OS::Heat::SoftwareDeployment", &[Rule::Inputs]),
    ("OS::Heat::Stack", &[Rule::Member("context", "region_name")]),
    ("OS::Heat::StructuredDeployment", &[Rule::Inputs]),
    ("OS::Heat::TestResource", &[Rule::Flag { property: "value", flag: "update_replace" }]),
    ("OS::Heat::UpdateWaitConditionHandle", &[Rule::Always]),
    (
        "OS::Mistral::ExternalResource",
        &[
            Rule::Listed { property: "input", list: "replace_on_change_inputs" },
            Rule::UpdatedWhile("always_update"),
        ],
    ),
    ("OS::Neutron::Port", &[Rule::AlwaysWhile("replacement_policy", "REPLACE_ALWAYS")]),
    (
        "OS::Nova::Server",
        &[
            Rule::Policy { property: "flavor", policy: "flavor_update_policy" },
            Rule::Policy { property: "image", policy: "image_update_policy" },
            Rule::Policy { property: "user_data", policy: "user_data_update_policy" },
        ],
    ),
];

/// The rules of a plugin.
pub(super) fn rules(plugin: &str) -> &'static [Rule] {
    RULES.iter().find(|(name, _)| *name == plugin).map_or(&[], |(_, rules)| rules)
}

/// What a rule says of the change of one property: the rule, and what follows from it.
pub(super) struct Say {
    /// `Replace`, `MayReplace`, or `Update` where the rule leaves it at that.
    pub(super) impact: Impact,
    /// The rule, for people.
    pub(super) why: Why,
}

/// Both sides of a resource, as rules on properties see them.
pub(super) struct Change<'a> {
    pub(super) old: &'a View,
    pub(super) new: &'a View,
    /// The properties that differ, or perhaps do, with whether they are the same: `No` or `Unknown`.
    pub(super) changed: &'a IndexMap<String, Truth>,
    /// Whether a property is given on the new side.
    pub(super) is_given: &'a dyn Fn(&str) -> bool,
}

impl Change<'_> {
    /// What a rule says about a property that differs.
    pub(super) fn by(&self, rule: Rule, name: &str) -> Option<Say> {
        let kept = *self.changed.get(name)?;
        match rule {
            Rule::Policy { property, policy } if property == name => {
                let new = value(self.new, policy);
                let effective = new.filter(|it| holds(it) != Truth::No);
                let effective = effective.or(value(self.old, policy));
                let replaces = match effective.map(Value::open) {
                    Some(Value::Unknown(_)) => Truth::Unknown,
                    Some(Value::Text(text)) => (text == "REPLACE").into(),
                    _ => Truth::No,
                };
                let told = match effective.map(Value::open) {
                    Some(Value::Text(text)) => text.to_string(),
                    Some(Value::Unknown(_)) => "not known".to_owned(),
                    _ => "not set".to_owned(),
                };
                Some(Say {
                    impact: replacing(replaces, kept),
                    why: Why::Policy {
                        property: name.to_owned(),
                        policy: policy.to_owned(),
                        value: told,
                        default: !(self.is_given)(policy),
                    },
                })
            }
            Rule::Flag { property, flag } if property == name => {
                let replaces = value(self.new, flag).map_or(Truth::No, holds);
                let rule = format!("`{flag}` decides whether a change of `{property}` replaces it");
                said(replaces, kept, rule)
            }
            Rule::Member(property, member) if property == name => {
                let replaces = not(same(
                    &self.member(self.old, name, member),
                    &self.member(self.new, name, member),
                ));
                said(replaces, Truth::No, format!("another `{member}` in `{property}` replaces it"))
            }
            Rule::Listed { property, list } if property == name => {
                let replaces = self.listed(property, list);
                said(replaces, Truth::No, format!("an input that `{list}` lists differs"))
            }
            Rule::Together(one, other) if one.contains(&name) => {
                let new = other.iter().filter(|it| self.changed.contains_key(**it));
                let replaces = new.fold(Truth::No, |found, it| {
                    let both =
                        match (self.changed[*it], value(self.new, it).map_or(Truth::No, holds)) {
                            (_, Truth::No) => Truth::No,
                            // Where the other one is the same there is no replacement.
                            (Truth::No, Truth::Yes) => Truth::Yes,
                            _ => Truth::Unknown,
                        };
                    or(found, both)
                });
                let rule = format!("`{name}` changes together with {}", other.join(" or "));
                said(replaces, kept, rule)
            }
            _ => None,
        }
    }

    fn member(&self, view: &View, property: &str, member: &str) -> Value {
        match value(view, property).map(Value::open) {
            Some(Value::Map(map)) => map.get(member).cloned().unwrap_or(Value::Null),
            Some(unknown @ Value::Unknown(_)) => unknown.clone(),
            _ => Value::Null,
        }
    }

    /// Whether one of the listed members of a property differs.
    fn listed(&self, property: &str, list: &str) -> Truth {
        let names = match value(self.new, list).map(Value::open) {
            Some(Value::List(names)) => names,
            Some(Value::Unknown(_)) => return Truth::Unknown,
            _ => return Truth::No,
        };
        names.iter().fold(Truth::No, |found, name| match name.open() {
            Value::Text(name) => or(
                found,
                not(same(
                    &self.member(self.old, property, name),
                    &self.member(self.new, property, name),
                )),
            ),
            Value::Unknown(_) => or(found, Truth::Unknown),
            _ => found,
        })
    }
}

/// What a rule says that is asked at every update, whether anything differs or not.
pub(super) fn at_every_update(rule: Rule, old: &View, new: &View) -> Option<Say> {
    match rule {
        Rule::Always => Some(Say {
            impact: Impact::Replace,
            why: Why::AlwaysReplaced {
                rule: "every update of the stack replaces it: its URL changes".to_owned(),
            },
        }),
        Rule::AlwaysWhile(property, wanted) => {
            let holds = match value(new, property)?.open() {
                Value::Text(text) => (text == wanted).into(),
                Value::Unknown(_) => Truth::Unknown,
                _ => Truth::No,
            };
            let rule = format!("`{property}` is {wanted}: every update of the stack replaces it");
            match holds {
                Truth::No => None,
                holds => Some(Say {
                    impact: replacing(holds, Truth::No),
                    why: Why::AlwaysReplaced { rule },
                }),
            }
        }
        Rule::UpdatedWhile(property) => match holds(value(old, property)?) {
            Truth::No => None,
            Truth::Yes | Truth::Unknown => Some(Say {
                impact: Impact::Update,
                why: Why::PluginRule {
                    rule: format!("`{property}` is true: every update of the stack updates it"),
                },
            }),
        },
        Rule::ByMetadata
        | Rule::Policy { .. }
        | Rule::Flag { .. }
        | Rule::Member(..)
        | Rule::Listed { .. }
        | Rule::Inputs
        | Rule::Together(..) => None,
    }
}

fn said(replaces: Truth, kept: Truth, rule: String) -> Option<Say> {
    match replacing(replaces, kept) {
        Impact::Update => None,
        impact => Some(Say { impact, why: Why::PluginRule { rule } }),
    }
}

/// What a rule leads to that replaces a resource if it holds, and if the values are not the `same`.
fn replacing(holds: Truth, same: Truth) -> Impact {
    match (holds, same) {
        (Truth::No, _) | (_, Truth::Yes) => Impact::Update,
        (Truth::Yes, Truth::No) => Impact::Replace,
        _ => Impact::MayReplace,
    }
}

fn value<'v>(view: &'v View, property: &str) -> Option<&'v Value> {
    view.get(property)?.as_ref().ok().filter(|it| **it != Value::Null)
}

/// Whether Python takes a value for true.
fn holds(value: &Value) -> Truth {
    match value.open() {
        Value::Unknown(_) => Truth::Unknown,
        value => python::truthy(value).into(),
    }
}

fn not(truth: Truth) -> Truth {
    match truth {
        Truth::Yes => Truth::No,
        Truth::No => Truth::Yes,
        Truth::Unknown => Truth::Unknown,
    }
}

fn or(one: Truth, other: Truth) -> Truth {
    match (one, other) {
        (Truth::Yes, _) | (_, Truth::Yes) => Truth::Yes,
        (Truth::Unknown, _) | (_, Truth::Unknown) => Truth::Unknown,
        (Truth::No, Truth::No) => Truth::No,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use heat_template::schema::{ReplaceRule, Schema};

    #[test]
    fn every_plugin_that_decides_itself_has_a_row() {
        for (name, info) in &Schema::heat().types {
            let decides = info.replace_rules.iter().any(|rule| *rule != ReplaceRule::AfterFailure);
            assert!(!decides || !rules(name).is_empty(), "{name}");
        }
    }

    #[test]
    fn rows_name_properties_that_there_are() {
        for (name, rules) in RULES {
            let info = Schema::heat().types.get(name).expect(name);
            for rule in rules {
                let properties = match *rule {
                    Rule::Always | Rule::ByMetadata => vec![],
                    Rule::AlwaysWhile(property, _)
                    | Rule::UpdatedWhile(property)
                    | Rule::Member(property, _) => vec![property],
                    Rule::Policy { property, policy } => vec![property, policy],
                    Rule::Flag { property, flag } => vec![property, flag],
                    Rule::Listed { property, list } => vec![property, list],
                    Rule::Inputs => vec!["input_values", "config"],
                    Rule::Together(one, other) => one.into_iter().chain(other).collect(),
                };
                for property in properties {
                    assert!(info.property(property).is_some(), "{name}.{property}");
                }
                if let Rule::Member(property, member) = *rule {
                    assert!(info.property_at(&[property, member]).is_some(), "{name}");
                }
            }
        }
    }
}
