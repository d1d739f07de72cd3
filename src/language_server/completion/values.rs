//! The values of a place.

use gen_lsp_types::CompletionItemKind;
use heat_template::cfn::CfnMeaning;
use heat_template::dialect::Dialect;
use heat_template::hot::{CallContext, FunctionMeaning, Release, Version};
use heat_template::ir::{ConstraintKind, ParameterType};
use heat_template::schema::{PropertyConstraint, ValueType};
use serde_json::Value as Json;

use super::item::{Candidate, Insert, Rank};
use super::request::CompletionRequest;
use super::types::listed_values;
use crate::language_server::place::{Expected, Name, Place, PropertyPlace, scalar_argument};

impl CompletionRequest<'_> {
    /// The values that a place may have.
    pub(super) fn values(&self, place: &Place) -> Vec<Candidate> {
        match place {
            Place::Version => self.versions(),
            Place::ParameterType => {
                let name = |kind| self.places.dialect.parameter_type_name(kind);
                let kinds = ParameterType::ALL.into_iter().map(name);
                kinds.map(|name| Candidate::text(name, CompletionItemKind::TypeParameter)).collect()
            }
            Place::ParameterDefault(definition) => self.own_values(*definition),
            Place::Flag => flags(),
            Place::CustomConstraint => {
                let names = &self.snapshot.project().facts().schema.custom_constraints;
                names.iter().map(|name| Candidate::text(*name, CompletionItemKind::Enum)).collect()
            }
            Place::ResourceType => self.resource_types(),
            Place::DeletionPolicy => {
                let policies = self.places.dialect.deletion_policies();
                policies
                    .map(|policy| Candidate::text(policy, CompletionItemKind::EnumMember))
                    .collect()
            }
            Place::Value(expected) => {
                let mut found = self.expected_values(expected);
                found.extend(self.calls_as_values(CallContext::Value));
                found
            }
            Place::Condition => {
                let mut found = self.names(Name::Condition);
                found.extend(self.calls_as_values(CallContext::Condition));
                found
            }
            Place::Operand => self.calls_as_values(CallContext::Condition),
            Place::Argument(call, context, _) => {
                let is_attribute = matches!(
                    call.meaning,
                    CfnMeaning::Attribute | CfnMeaning::Shared(FunctionMeaning::Attribute { .. })
                );
                match is_attribute {
                    true => self.attribute_calls(),
                    false => self.values(&scalar_argument(*call, *context)),
                }
            }
            Place::Name(name) => self.names(*name),
            Place::AttributePath(owner) => {
                let mut found = self.attribute_path(*owner);
                found.extend(self.calls_as_values(CallContext::Value));
                found
            }
            Place::Words(words) => words
                .iter()
                .map(|word| Candidate::text(*word, CompletionItemKind::EnumMember))
                .collect(),
            Place::FilePath => self.files(false),
            Place::ParameterValue(name) => {
                let mut found = Vec::new();
                self.with_deployed(|stack, _| {
                    found.extend(stack.parameters.get(name).map(listed_values).unwrap_or_default());
                });
                values(found)
            }
            Place::RegistryTarget => {
                let names = self.snapshot.project().facts().schema.types.names();
                let names = names.map(|name| Candidate::text(name, CompletionItemKind::Class));
                self.files(true)
                    .into_iter()
                    .map(|it| it.rank(Rank::Required))
                    .chain(names)
                    .collect()
            }
            Place::Template
            | Place::Parameters
            | Place::Parameter
            | Place::Constraints
            | Place::Constraint
            | Place::DataMap(_)
            | Place::Replacements
            | Place::ParameterGroups
            | Place::ParameterGroup
            | Place::Conditions
            | Place::Resources
            | Place::Resource(_)
            | Place::Properties(_)
            | Place::UpdatePolicy(_)
            | Place::Outputs
            | Place::Output
            | Place::Names(_)
            | Place::Environment
            | Place::ParameterValues
            | Place::Registry { .. }
            | Place::RegistryResources
            | Place::MergeStrategies
            | Place::Data => vec![],
        }
    }

    /// Calls in the place of a value. Where a map may stand, its keys have them.
    fn calls_as_values(&self, context: CallContext) -> Vec<Candidate> {
        use super::text::Form::{FlowKey, Line};
        match self.text.form {
            Line | FlowKey if self.text.cursor.is_key => vec![],
            _ => self.calls(context),
        }
    }

    fn expected_values(&self, expected: &Expected) -> Vec<Candidate> {
        match expected {
            Expected::Property(place) => property_values(place),
            Expected::NestedParameter(view, name) => {
                let template = view.template();
                let parameter = template.and_then(|it| it.stack.parameters.get(name));
                values(parameter.map(listed_values).unwrap_or_default())
            }
            Expected::Anything | Expected::Member => vec![],
        }
    }

    /// The versions of the dialect, the newest first.
    fn versions(&self) -> Vec<Candidate> {
        let version = |name: &str, detail: String| {
            Candidate::new(name, CompletionItemKind::Constant, Insert::Plain).detail(detail)
        };
        match self.places.dialect {
            Dialect::Cfn(format) => vec![version(format.date(), String::new())],
            Dialect::Hot(_) => {
                let newest =
                    self.snapshot.project().facts().release.map_or(Version::LATEST, |it| it.newest);
                let usable = Version::all().rev().filter(|version| *version <= newest);
                let both =
                    usable.flat_map(|it| [Some(it.date()), it.name()].map(|name| (it, name)));
                let named = both.filter_map(|(it, name)| Some((it, name?)));
                let detail = |it| format!("since OpenStack {}", Release::that_brought(it));
                named.map(|(it, name)| version(name, detail(it))).collect()
            }
        }
    }

    /// The values that the declaration of a parameter lists.
    fn own_values(&self, definition: lossless_yaml::NodeId) -> Vec<Candidate> {
        let document = self.document();
        let lists = heat_template::dialect::lower(document).ok();
        let name = self.text.cursor.keys().get(1).map(|name| (*name).to_owned());
        let parameter = lists
            .as_ref()
            .zip(name)
            .and_then(|(lowered, name)| lowered.stack.parameters.get(&name));
        let has_lists = parameter.is_some_and(|it| {
            it.constraints.iter().any(|it| matches!(it.kind, ConstraintKind::AllowedValues(_)))
                || it.kind == Some(ParameterType::Boolean)
        });
        match has_lists && document.entries(definition).len() > 1 {
            true => values(parameter.map(listed_values).unwrap_or_default()),
            false => vec![],
        }
    }
}

fn property_values(place: &PropertyPlace) -> Vec<Candidate> {
    let lists = place.property.constraints.iter().filter_map(|constraint| match constraint {
        PropertyConstraint::AllowedValues(values) => Some(values),
        _ => None,
    });
    let mut found: Vec<Json> = lists.flatten().cloned().collect();
    match (place.property.value_type, &place.property.default) {
        (ValueType::Boolean, _) if found.is_empty() => found.extend([true.into(), false.into()]),
        (_, Some(default @ (Json::String(_) | Json::Number(_)))) if found.is_empty() => {
            found.push(default.clone());
        }
        _ => {}
    }
    values(found)
}

fn flags() -> Vec<Candidate> {
    values(vec![true.into(), false.into()])
}

/// Values that are listed somewhere.
fn values(listed: Vec<Json>) -> Vec<Candidate> {
    let value = |value: Json| {
        let label = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        Candidate::new(label, CompletionItemKind::EnumMember, Insert::Value(value))
    };
    listed.into_iter().map(value).collect()
}
