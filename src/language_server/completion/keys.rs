//! The keys of a place.

use gen_lsp_types::CompletionItemKind;
use heat_engine::environment::{registry, sections};
use heat_template::dialect::{DialectKey, KeyTable};
use heat_template::hot::{CallContext, Release, Version};
use lossless_yaml::NodeId;

use super::item::{Candidate, Content, Insert, Rank};
use super::request::CompletionRequest;
use crate::language_server::place::{Call, Expected, Place, calls};

impl CompletionRequest<'_> {
    /// The keys of a map at a place. `is_only` says that the key is the only one, so that the map may be a call.
    pub(super) fn keys(&self, place: &Place, map: NodeId, is_only: bool) -> Vec<Candidate> {
        let calls = |context| if is_only { self.calls(context) } else { vec![] };
        match place {
            Place::Template => self.of_table(KeyTable::Template, section_content),
            Place::Parameters => vec![snippet(
                "new parameter",
                &["${1:name}:", "  type: ${2:string}", "  description: ${3}"],
            )],
            Place::Parameter => self.of_table(KeyTable::Parameter, |key| match key {
                "constraints" => Content::List,
                _ => Content::Scalar,
            }),
            Place::Constraint => {
                let mut found = self.of_table(KeyTable::Constraint, |key| match key {
                    "range" | "length" | "modulo" => Content::Map,
                    "allowed_values" => Content::List,
                    _ => Content::Scalar,
                });
                found.push(Candidate::key("description", Content::Scalar));
                found
            }
            Place::DataMap(keys) => plain_keys(keys, Content::Scalar),
            Place::Replacements => plain_keys(&["keys", "values"], Content::Map),
            Place::AttributePath(_) => calls(CallContext::Value),
            Place::ParameterGroup => {
                let mut found = plain_keys(&["label", "description"], Content::Scalar);
                found.push(Candidate::key("parameters", Content::List));
                found
            }
            Place::Resources => self.new_resources(),
            Place::Resource(definition) if definition.is_resource => {
                let properties = Content::Lines(self.required_properties(*definition));
                self.of_table(KeyTable::Resource, move |key| match key {
                    "properties" => properties.clone(),
                    "metadata" | "update_policy" => Content::Map,
                    _ => Content::Scalar,
                })
            }
            Place::Resource(definition) => self.member_keys(*definition),
            Place::Properties(definition) => {
                let mut found = self.properties(*definition);
                found.extend(calls(CallContext::Value));
                found
            }
            Place::UpdatePolicy(definition) => self.update_policy(*definition),
            Place::Outputs => {
                vec![snippet("new output", &["${1:name}:", "  description: ${2}", "  value: ${3}"])]
            }
            Place::Output => self.of_table(KeyTable::Output, |_| Content::Scalar),
            Place::Value(expected) => {
                let mut found = self.members(expected, map);
                found.extend(calls(CallContext::Value));
                found
            }
            Place::Condition | Place::Operand => calls(CallContext::Condition),
            Place::DeletionPolicy => calls(CallContext::Value),
            Place::Argument(call, context, _) => match call.argument_keys() {
                [] => calls(*context),
                keys => argument_keys(*call, keys),
            },
            Place::Environment => {
                let names = sections::names().map(|name| match sections::is_list(name) {
                    true => Candidate::key(name, Content::List),
                    false => Candidate::key(name, Content::Map),
                });
                names.collect()
            }
            Place::ParameterValues => self.deployed_parameters(),
            Place::Registry { is_root } => {
                let mut found = self.registry_types();
                let extra: &[&str] = match is_root {
                    true => &[registry::RESOURCES, registry::BASE_URL],
                    false => &[registry::HOOKS_KEY, registry::ACTIONS_KEY, registry::BASE_URL],
                };
                found.extend(plain_keys(extra, Content::Scalar));
                found
            }
            Place::RegistryResources => self.deployed_resources(),
            Place::MergeStrategies => {
                let mut found = self.deployed_parameters();
                found.push(Candidate::key("default", Content::Scalar));
                found
            }
            Place::Version
            | Place::ParameterType
            | Place::ParameterDefault(_)
            | Place::Flag
            | Place::Constraints
            | Place::CustomConstraint
            | Place::ParameterGroups
            | Place::Conditions
            | Place::ResourceType
            | Place::Names(_)
            | Place::Name(_)
            | Place::Words(_)
            | Place::FilePath
            | Place::ParameterValue(_)
            | Place::RegistryTarget
            | Place::Data => vec![],
        }
    }

    /// The functions that may be called in a context.
    pub(super) fn calls(&self, context: CallContext) -> Vec<Candidate> {
        calls(self.places.dialect, context).into_iter().map(call).collect()
    }

    fn of_table(&self, table: KeyTable, content: impl Fn(&str) -> Content) -> Vec<Candidate> {
        let keys = self.places.dialect.keys(table);
        let candidate = |key: DialectKey| {
            let content = match key.hot_name {
                "heat_template_version" if table == KeyTable::Template => {
                    Content::Value(self.places.dialect.date())
                }
                name => content(name),
            };
            let is_required = matches!(
                (table, key.hot_name),
                (KeyTable::Template, "heat_template_version")
                    | (KeyTable::Parameter | KeyTable::Resource, "type")
                    | (KeyTable::Output, "value")
            );
            let rank = if is_required { Rank::Required } else { Rank::Fitting };
            let since = key.since.filter(|since| *since > Version::V2013_05_23);
            let since =
                since.map(|since| format!("since {since} ({})", Release::that_brought(since)));
            Candidate::key(key.name, content).rank(rank).detail(since.unwrap_or_default())
        };
        keys.into_iter().map(candidate).collect()
    }

    fn members(&self, expected: &Expected, map: NodeId) -> Vec<Candidate> {
        match expected {
            Expected::Property(place) => self.property_members(place),
            Expected::Member => self.member_keys(crate::language_server::place::Definition {
                node: map,
                is_resource: false,
            }),
            Expected::Anything | Expected::NestedParameter(..) => vec![],
        }
    }

    fn member_keys(&self, definition: crate::language_server::place::Definition) -> Vec<Candidate> {
        let properties = Content::Lines(self.required_properties(definition));
        vec![
            Candidate::key("type", Content::Scalar).rank(Rank::Required),
            Candidate::key("properties", properties),
            Candidate::key("metadata", Content::Map),
        ]
    }
}

fn section_content(name: &str) -> Content {
    match name {
        "description" => Content::Scalar,
        "parameter_groups" => Content::List,
        _ => Content::Map,
    }
}

fn plain_keys(keys: &[&str], content: Content) -> Vec<Candidate> {
    keys.iter().map(|key| Candidate::key(*key, content.clone())).collect()
}

fn argument_keys(call: Call, keys: &[&str]) -> Vec<Candidate> {
    let key = |key: &&str| {
        let content = match *key {
            "params" | "for_each" => Content::Map,
            _ => Content::Scalar,
        };
        Candidate::key(*key, content).detail(format!("argument of {}", call.name))
    };
    keys.iter().map(key).collect()
}

fn snippet(label: &str, lines: &[&str]) -> Candidate {
    let lines = lines.iter().map(|line| (*line).to_owned()).collect();
    Candidate::new(label, CompletionItemKind::Snippet, Insert::Snippet(lines))
}

/// A call of a function.
fn call(call: Call) -> Candidate {
    let notes: String = call.notes().iter().map(|note| format!("\n- {note}")).collect();
    let documentation = format!("```yaml\n{}\n```\n{}.\n{notes}", call.signature(), call.summary());
    Candidate::new(call.name, CompletionItemKind::Function, Insert::Call(call))
        .rank(Rank::Function)
        .detail(call.summary())
        .documentation(documentation)
}
