//! Resource types, and what belongs to a resource of a type.

use gen_lsp_types::CompletionItemKind;
use heat_template::ir::{ExprKind, ParameterType, Stack};
use heat_template::schema::{Property, ResourceType, Table, ValueType};

use super::item::{Candidate, Content, Insert, Rank, escaped};
use super::request::CompletionRequest;
use crate::language_server::place::{Definition, Implementation, PropertyPlace, property_markdown};
use crate::resource_types::{PropertyDescription, StatusDescription, StatusIn, TypeDescription};

impl CompletionRequest<'_> {
    /// Every resource type that a template can use.
    pub(super) fn resource_types(&self) -> Vec<Candidate> {
        let facts = self.snapshot.project().facts();
        let usable =
            facts.schema.types.iter().filter(|(_, info)| !info.creates_nothing_in(facts.major()));
        let known = usable.filter_map(|(name, info)| {
            let status = StatusDescription::new(&info.support, facts);
            if status.status == StatusIn::Absent {
                return None;
            }
            let required: Vec<String> =
                required(&info.properties).map(|name| format!("`{name}`")).collect();
            let required = match required.is_empty() {
                true => String::new(),
                false => format!("Required properties: {}.", required.join(", ")),
            };
            let candidate =
                Candidate::text(name, CompletionItemKind::Class).detail(status.summary());
            Some(candidate.documentation(required).old(status.status != StatusIn::Supported))
        });
        let registered = self.places.types.registered_names().into_iter().map(|name| {
            Candidate::text(name, CompletionItemKind::Class)
                .detail("of an environment")
                .rank(Rank::Required)
        });
        let mut found: Vec<Candidate> = registered.chain(known).collect();
        found.extend(self.files(true));
        found
    }

    /// A new resource of each type, with its required properties.
    pub(super) fn new_resources(&self) -> Vec<Candidate> {
        let facts = self.snapshot.project().facts();
        let new = |types: Candidate| {
            let name = types.label.rsplit("::").next().unwrap_or(&types.label).to_lowercase();
            let name: String = name.chars().filter(|c| c.is_alphanumeric()).collect();
            let key = self.places.dialect.key_name("type");
            let mut lines =
                vec![format!("${{1:{name}}}:"), format!("  {key}: {}", escaped(&types.label))];
            let info = facts.schema.types.get(&types.label);
            let required: Vec<String> =
                info.map(|info| required_lines(info, 2)).unwrap_or_default();
            if !required.is_empty() {
                let properties = self.name_of("properties");
                lines.push(format!("  {properties}:"));
                lines.extend(required.iter().map(|line| format!("    {line}")));
            }
            Candidate { insert: Insert::Snippet(lines), kind: CompletionItemKind::Snippet, ..types }
        };
        let types =
            self.resource_types().into_iter().filter(|it| it.kind == CompletionItemKind::Class);
        types.filter(|it| !it.is_deprecated).map(new).collect()
    }

    /// The name in the dialect of a key of a resource.
    fn name_of(&self, hot_name: &'static str) -> &'static str {
        let keys = self.places.dialect.keys(heat_template::dialect::KeyTable::Resource);
        keys.iter().find(|key| key.hot_name == hot_name).map_or(hot_name, |key| key.name)
    }

    /// The lines of the required properties of a definition, as a snippet.
    pub(super) fn required_properties(&self, definition: Definition) -> Vec<String> {
        match self.places.implementation(definition) {
            Some(Implementation::Type(_, info)) => required_lines(info, 1),
            Some(Implementation::Template(view)) => {
                let stack = view.template().map(|template| &template.stack);
                let required = stack.into_iter().flat_map(|stack| &stack.parameters);
                let required = required.filter(|(_, parameter)| parameter.default.is_none());
                let lines = required
                    .enumerate()
                    .map(|(at, (name, _))| format!("{}: ${}", escaped(name), at + 1));
                lines.collect()
            }
            None => vec![],
        }
    }

    pub(super) fn properties(&self, definition: Definition) -> Vec<Candidate> {
        match self.places.implementation(definition) {
            Some(Implementation::Type(kind, info)) => {
                let Some(described) = TypeDescription::new(kind, self.snapshot.project().facts())
                else {
                    return vec![];
                };
                candidates(&info.properties, &described.properties, "")
            }
            Some(Implementation::Template(view)) => {
                view.template().map(|template| parameters(&template.stack)).unwrap_or_default()
            }
            None => vec![],
        }
    }

    /// The keys of the update policy of a definition.
    pub(super) fn update_policy(&self, definition: Definition) -> Vec<Candidate> {
        let Some(Implementation::Type(kind, info)) = self.places.implementation(definition) else {
            return vec![];
        };
        let Some(described) = TypeDescription::new(kind, self.snapshot.project().facts()) else {
            return vec![];
        };
        candidates(&info.update_policy, &described.update_policy, "")
    }

    /// The keys of a map that is the value of a property.
    pub(super) fn property_members(&self, place: &PropertyPlace) -> Vec<Candidate> {
        let Some(described) = TypeDescription::new(place.kind, self.snapshot.project().facts())
        else {
            return vec![];
        };
        let described =
            if place.is_policy { described.update_policy } else { described.properties };
        candidates(&place.property.members, &described, &format!("{}.", place.path))
    }
}

fn required(properties: &Table<Property>) -> impl Iterator<Item = &'static str> {
    properties.iter().filter(|(_, property)| property.required).map(|(name, _)| *name)
}

/// The lines of the required properties of a type: a snippet whose first place has the number `first`.
fn required_lines(info: &ResourceType, first: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let required = info.properties.iter().filter(|(_, property)| property.required);
    for (place, (name, property)) in (first..).zip(required) {
        match property.value_type {
            ValueType::List => lines.extend([format!("{name}:"), format!("  - ${place}")]),
            ValueType::Map => lines.extend([format!("{name}:"), format!("  ${place}")]),
            ValueType::String
            | ValueType::Integer
            | ValueType::Number
            | ValueType::Boolean
            | ValueType::Any => {
                lines.push(format!("{name}: ${place}"));
            }
        }
    }
    lines
}

/// The properties of a table; `prefix` leads to them in the description of the type.
fn candidates(
    table: &Table<Property>,
    described: &[PropertyDescription],
    prefix: &str,
) -> Vec<Candidate> {
    let candidate = |(name, property): (&&'static str, &Property)| {
        let path = format!("{prefix}{name}");
        let described = described.iter().find(|it| it.path == path)?;
        if described.status.status == StatusIn::Absent || described.unimplemented {
            return None;
        }
        let content = match property.value_type {
            ValueType::List => Content::List,
            ValueType::Map => Content::Map,
            ValueType::String
            | ValueType::Integer
            | ValueType::Number
            | ValueType::Boolean
            | ValueType::Any => Content::Scalar,
        };
        let update = described.update.as_ref().map(|update| format!(", update: {}", update.word()));
        let required = if property.required { ", required" } else { "" };
        let detail = format!("{}{required}{}", described.value_type, update.unwrap_or_default());
        let rank = if property.required { Rank::Required } else { Rank::Fitting };
        let candidate = Candidate::key(*name, content).rank(rank).detail(detail);
        let is_old = described.status.status != StatusIn::Supported || described.moved_to.is_some();
        Some(candidate.documentation(property_markdown(described)).old(is_old))
    };
    table.iter().filter_map(candidate).collect()
}

/// The parameters of a template as keys: those without a default first.
pub(super) fn parameters(stack: &Stack) -> Vec<Candidate> {
    let candidate = |(name, parameter): (&String, &heat_template::ir::Parameter)| {
        let content = match parameter.kind {
            Some(ParameterType::Json) => Content::Map,
            Some(ParameterType::TextList) => Content::List,
            Some(ParameterType::Text | ParameterType::Number | ParameterType::Boolean) | None => {
                Content::Scalar
            }
        };
        let rank = if parameter.default.is_none() { Rank::Required } else { Rank::Fitting };
        let kind = parameter.kind.map_or("", ParameterType::hot_name);
        let required = if parameter.default.is_none() { ", required" } else { "" };
        let description =
            parameter.description.as_ref().and_then(|it| it.as_text()).unwrap_or_default();
        let candidate =
            Candidate::key(name, content).rank(rank).detail(format!("{kind}{required}"));
        candidate.documentation(description)
    };
    stack.parameters.iter().map(candidate).collect()
}

/// The values that a parameter may have, as far as its declaration lists them.
pub(super) fn listed_values(parameter: &heat_template::ir::Parameter) -> Vec<serde_json::Value> {
    use heat_template::ir::ConstraintKind::AllowedValues;
    // One of these values is the secret.
    if parameter.is_hidden() {
        return vec![];
    }
    let lists = parameter.constraints.iter().filter_map(|constraint| match &constraint.kind {
        AllowedValues(values) => Some(values),
        _ => None,
    });
    let items = lists.filter_map(|values| match &values.kind {
        ExprKind::List(items) => Some(items.iter().filter_map(literal)),
        _ => None,
    });
    let mut found: Vec<serde_json::Value> = items.flatten().collect();
    if parameter.kind == Some(ParameterType::Boolean) {
        found.extend([true.into(), false.into()]);
    }
    found
}

fn literal(expr: &heat_template::ir::Expr) -> Option<serde_json::Value> {
    match &expr.kind {
        ExprKind::Text(text) => Some(text.as_str().into()),
        ExprKind::Bool(value) => Some((*value).into()),
        ExprKind::Int(value) => value.to_string().parse::<i64>().ok().map(Into::into),
        ExprKind::Float(value) => serde_json::Number::from_f64(*value).map(Into::into),
        _ => None,
    }
}
