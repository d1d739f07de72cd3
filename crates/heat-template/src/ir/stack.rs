//! The stack: parameters, parameter groups, conditions, resources, outputs, in source order.

use std::collections::HashMap;

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Serialize;
use smol_str::SmolStr;

use super::expr::{Expr, ExprKind};
use python_semantics::number::Integer;
use source_diagnostics::Span;

/// The dialect and version of the template.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TemplateFormat {
    /// The dialect, `hot` or `cfn`.
    pub dialect: &'static str,
    /// The date of the version, for example `2015-04-30`.
    pub version: &'static str,
    /// The span of the version's value.
    pub span: Span,
}

/// A template in the neutral model.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Stack {
    /// The dialect and version of the template.
    pub format: TemplateFormat,
    /// The description in the template.
    pub description: Option<Expr>,
    /// The capabilities that an environment can require when it selects one of several templates.
    pub capabilities: IndexMap<String, Capability>,
    /// The parameters by name.
    pub parameters: IndexMap<String, Parameter>,
    /// The groups in which parameters are presented to a user.
    pub groups: Vec<ParameterGroup>,
    /// The mappings: tables of constants.
    pub mappings: IndexMap<String, Mapping>,
    /// The conditions of the section `conditions` by name.
    pub conditions: IndexMap<String, Condition>,
    /// The resources by name.
    pub resources: IndexMap<String, Resource>,
    /// The outputs by name.
    pub outputs: IndexMap<String, Output>,
    /// The sections that the dialect does not know.
    pub extensions: Vec<UnknownKey>,
    /// The spans of expressions whose values reports must not show, since nested templates hide them.
    #[serde(skip)]
    pub given_secrets: HashMap<Span, GivenSecret>,
}

/// Why the value of an expression is a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GivenSecret {
    /// It is given to a hidden parameter of a nested template.
    Value,
    /// It is the text of a template with hidden values.
    Template,
}

/// A name with its source span.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SpannedName {
    /// The name as a string.
    pub text: SmolStr,
    /// The span in the source.
    pub span: Span,
}

/// A capability of a template, or the types that it can implement.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Capability {
    /// The span of its name.
    pub name_span: Span,
    /// The value: a string or a list of strings, or data that is compared as strings.
    pub value: Expr,
}

/// A key that the dialect does not know or does not use here.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct UnknownKey {
    /// The name of the key.
    pub name: SpannedName,
    /// The value as data; function calls in it are not lowered.
    pub value: Expr,
}

/// The type of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ParameterType {
    /// HOT's `string`.
    Text,
    /// HOT's `number`: an integer or a float.
    Number,
    /// A list of strings; a string is split at commas.
    TextList,
    /// Any JSON value; a string is parsed as JSON.
    Json,
    /// HOT's `boolean`.
    Boolean,
}

impl ParameterType {
    /// All types, in the order of their declaration.
    pub const ALL: [ParameterType; 5] = [
        ParameterType::Text,
        ParameterType::Number,
        ParameterType::TextList,
        ParameterType::Json,
        ParameterType::Boolean,
    ];

    /// The name of the type in HOT, such as `comma_delimited_list`.
    pub fn hot_name(self) -> &'static str {
        match self {
            ParameterType::Text => "string",
            ParameterType::Number => "number",
            ParameterType::TextList => "comma_delimited_list",
            ParameterType::Json => "json",
            ParameterType::Boolean => "boolean",
        }
    }

    /// The type with this name in HOT; case matters.
    pub fn from_hot_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.hot_name() == name)
    }
}

/// A parameter of the template.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Parameter {
    /// The span of its name.
    pub name_span: Span,
    /// The type; `None` if the template declares no type that Heat knows.
    pub kind: Option<ParameterType>,
    /// The label shown to users instead of the name.
    pub label: Option<Expr>,
    /// The description for users.
    pub description: Option<Expr>,
    /// The default value; never computed.
    pub default: Option<Expr>,
    /// Whether Heat hides the value from users.
    pub hidden: Option<Expr>,
    /// Whether the environment lists it in `encrypted_param_names`.
    #[serde(skip)]
    pub is_encrypted: bool,
    /// Whether another template of the deployment hides it: by its name, or since its value is given to a hidden parameter.
    #[serde(skip)]
    pub is_hidden_elsewhere: bool,
    /// Whether Heat refuses an update that changes the value.
    pub immutable: Option<Expr>,
    /// The constraints on the value.
    pub constraints: Vec<ParameterConstraint>,
    /// The tags, which group parameters (2018-03-02).
    pub tags: Option<Expr>,
    /// Keys that Heat accepts and ignores, or does not know.
    pub extensions: Vec<UnknownKey>,
}

/// A constraint on a parameter's value.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ParameterConstraint {
    /// The kind of the constraint, with its operand.
    pub kind: ConstraintKind,
    /// The message for a value that violates it.
    pub description: Option<Expr>,
    /// Further kinds in the same entry, which Heat ignores.
    pub extensions: Vec<UnknownKey>,
    /// The span of the entry.
    pub span: Span,
}

/// The kinds of constraints. Their operands are data, as written.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "kind", content = "value", rename_all = "snake_case")]
pub enum ConstraintKind {
    /// A number between `min` and `max` (a map).
    Range(Expr),
    /// A length between `min` and `max` (a map).
    Length(Expr),
    /// A multiple of `step` plus `offset` (a map; 2017-02-24).
    Modulo(Expr),
    /// One of the values of a list.
    AllowedValues(Expr),
    /// A regular expression for the whole string.
    AllowedPattern(Expr),
    /// A custom constraint, which the cloud checks.
    Custom(Expr),
    /// No constraint in this entry, which Heat refuses.
    Missing,
}

impl ConstraintKind {
    /// Whether the operand consists of values or is a pattern of them, which may be a value.
    pub fn shows_values(&self) -> bool {
        matches!(self, ConstraintKind::AllowedValues(_) | ConstraintKind::AllowedPattern(_))
    }

    /// The key in HOT, with the operand; `None` without a constraint.
    pub fn entry(&self) -> Option<(&'static str, &Expr)> {
        match self {
            ConstraintKind::Range(operand) => Some(("range", operand)),
            ConstraintKind::Length(operand) => Some(("length", operand)),
            ConstraintKind::Modulo(operand) => Some(("modulo", operand)),
            ConstraintKind::AllowedValues(operand) => Some(("allowed_values", operand)),
            ConstraintKind::AllowedPattern(operand) => Some(("allowed_pattern", operand)),
            ConstraintKind::Custom(operand) => Some(("custom_constraint", operand)),
            ConstraintKind::Missing => None,
        }
    }
}

/// A group of parameters.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ParameterGroup {
    /// The group as it is written, as data.
    pub value: Expr,
}

/// A mapping: a table of constants for lookups.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Mapping {
    /// The span of its name.
    pub name_span: Span,
    /// The table: a map of maps, as data.
    pub value: Expr,
}

/// An entry of the section `conditions`.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Condition {
    /// The span of its name.
    pub name_span: Span,
    /// The expression that yields true or false.
    pub value: Expr,
}

/// What Heat does with a resource that is removed from the stack.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "kind", content = "value", rename_all = "snake_case")]
pub enum DeletionPolicy {
    /// Heat deletes the object that the resource manages.
    Delete,
    /// Heat forgets the resource and leaves its object in place.
    Retain,
    /// Heat takes a snapshot of it, then deletes it.
    Snapshot,
    /// Computed from parameters, or a string that Heat refuses.
    Other(Expr),
}

/// The name of a resource that must exist first.
pub type Dependency = SpannedName;

/// A resource of the stack.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Resource {
    /// The span of its name.
    pub name_span: Span,
    /// The resource type; `None` if the template declares none that is a string.
    pub kind: Option<SpannedName>,
    /// The properties: a map, or an expression that yields one.
    pub properties: Option<Expr>,
    /// The metadata: a map, or an expression that yields one.
    pub metadata: Option<Expr>,
    /// The resources that `depends_on` lists.
    pub depends_on: Vec<Dependency>,
    /// The span of the value of `depends_on`, even if it is an empty list.
    pub depends_on_span: Option<Span>,
    /// What Heat does with it when it is removed.
    pub deletion_policy: Option<DeletionPolicy>,
    /// The span of the deletion policy.
    pub deletion_policy_span: Option<Span>,
    /// How Heat updates the members of a group.
    pub update_policy: Option<Expr>,
    /// The physical id of an existing resource that Heat uses instead of creating one (2016-10-14).
    pub external_id: Option<Expr>,
    /// The condition under which it is created (2016-10-14).
    pub condition: Option<Expr>,
    /// The description in the template.
    pub description: Option<Expr>,
    /// Keys that this version does not know, and keys with values that it refuses.
    pub extensions: Vec<UnknownKey>,
}

/// An output of the stack.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Output {
    /// The span of its name.
    pub name_span: Span,
    /// The description in the template.
    pub description: Option<Expr>,
    /// The value; `None` if the template has none.
    pub value: Option<Expr>,
    /// The condition under which it has a value (2016-10-14).
    pub condition: Option<Expr>,
    /// Keys that Heat ignores here, including `condition` in old versions.
    pub extensions: Vec<UnknownKey>,
}

impl Resource {
    /// A resource whose name is at `name_span`, without anything else.
    pub fn new(name_span: Span) -> Self {
        Resource {
            name_span,
            kind: None,
            properties: None,
            metadata: None,
            depends_on: Vec::new(),
            depends_on_span: None,
            deletion_policy: None,
            deletion_policy_span: None,
            update_policy: None,
            external_id: None,
            condition: None,
            description: None,
            extensions: Vec::new(),
        }
    }
}

impl Parameter {
    /// A parameter of a type, with nothing else declared.
    pub fn new(name_span: Span, kind: Option<ParameterType>) -> Self {
        Parameter {
            name_span,
            kind,
            label: None,
            description: None,
            default: None,
            hidden: None,
            is_encrypted: false,
            is_hidden_elsewhere: false,
            immutable: None,
            constraints: Vec::new(),
            tags: None,
            extensions: Vec::new(),
        }
    }

    /// Whether the value is secret, by the declaration, by the environment or by a nested template.
    pub fn is_hidden(&self) -> bool {
        self.is_encrypted || self.is_hidden_elsewhere || self.declares_hidden()
    }

    /// The spans of the values that the declaration contains: the default, the allowed values, and their pattern.
    pub fn value_spans(&self) -> impl Iterator<Item = Span> {
        let allowed = self.constraints.iter().filter(|it| it.kind.shows_values());
        let allowed = allowed.filter_map(|it| Some(it.kind.entry()?.1.span));
        self.default.as_ref().map(|default| default.span).into_iter().chain(allowed)
    }

    /// Whether the declaration hides the value, or means to with a key in other letters, which Heat refuses.
    pub fn declares_hidden(&self) -> bool {
        let means_hidden =
            |key: &str| key.eq_ignore_ascii_case("hidden") || key.eq_ignore_ascii_case("NoEcho");
        is_set(self.hidden.as_ref())
            || self
                .extensions
                .iter()
                .any(|it| means_hidden(&it.name.text) && is_set(Some(&it.value)))
    }

    /// Whether Heat refuses an update that changes the value.
    pub fn is_immutable(&self) -> bool {
        is_set(self.immutable.as_ref())
    }

    /// The span from the name to the end of the last part that is written in the same source.
    pub fn definition_span(&self) -> Span {
        let parts = [
            &self.label,
            &self.description,
            &self.default,
            &self.hidden,
            &self.immutable,
            &self.tags,
        ];
        let parts = parts.into_iter().flatten().map(|part| part.span);
        spanning(self.name_span, parts.chain(self.constraints.iter().map(|it| it.span)))
    }
}

impl Resource {
    /// The span of the type, or of the name if there is none.
    pub fn kind_span(&self) -> Span {
        self.kind.as_ref().map_or(self.name_span, |kind| kind.span)
    }

    /// The span from the name to the end of the last part that is written in the same source.
    pub fn definition_span(&self) -> Span {
        let parts = [
            &self.properties,
            &self.metadata,
            &self.update_policy,
            &self.external_id,
            &self.condition,
            &self.description,
        ];
        let parts = parts.into_iter().flatten().map(|part| part.span);
        let spans = [Some(self.kind_span()), self.depends_on_span, self.deletion_policy_span];
        let extensions = self.extensions.iter().map(|extension| extension.value.span);
        spanning(self.name_span, parts.chain(spans.into_iter().flatten()).chain(extensions))
    }
}

/// A span extended to the end of the last of `parts` that is in the same source.
fn spanning(start: Span, parts: impl Iterator<Item = Span>) -> Span {
    let ends = parts.filter(|part| part.source == start.source).map(|part| part.end);
    Span { end: ends.fold(start.end, Ord::max), ..start }
}

/// Whether a flag is set: for Heat, any value that is not empty counts as true.
fn is_set(flag: Option<&Expr>) -> bool {
    match flag.map(|flag| &flag.kind) {
        None | Some(ExprKind::Null | ExprKind::Bool(false)) => false,
        Some(ExprKind::Text(text)) => !text.is_empty(),
        Some(ExprKind::Int(Integer::Small(0))) => false,
        Some(ExprKind::Float(value)) => *value != 0.0,
        Some(ExprKind::List(items)) => !items.is_empty(),
        Some(ExprKind::Map(pairs)) => !pairs.is_empty(),
        Some(_) => true,
    }
}

impl Stack {
    /// A stack without any section.
    pub fn empty(format: TemplateFormat) -> Self {
        Stack {
            format,
            description: None,
            capabilities: IndexMap::new(),
            parameters: IndexMap::new(),
            groups: Vec::new(),
            mappings: IndexMap::new(),
            conditions: IndexMap::new(),
            resources: IndexMap::new(),
            outputs: IndexMap::new(),
            extensions: Vec::new(),
            given_secrets: HashMap::new(),
        }
    }

    /// The names of hidden parameters with the spans of their defaults, which reports must not show.
    pub fn hidden_defaults(&self) -> impl Iterator<Item = (&str, Span)> {
        self.parameters
            .iter()
            .filter(|(_, parameter)| parameter.is_hidden())
            .filter_map(|(name, parameter)| Some((name.as_str(), parameter.default.as_ref()?.span)))
    }

    /// The spans of values that reports must not show: the default and the allowed values of a hidden parameter, a key of its
    /// declaration that Heat does not know, and a value that replaces a declaration.
    pub fn secret_spans(&self) -> impl Iterator<Item = Span> {
        self.parameters.values().flat_map(|parameter| {
            let hidden = parameter.is_hidden();
            let values = parameter.value_spans().filter(move |_| hidden);
            let extensions = parameter.extensions.iter().filter(move |it| {
                let is_known = matches!(&*it.name.text, "type" | "Type" | "constraints");
                hidden && !is_known || it.name.span == parameter.name_span
            });
            values.chain(extensions.map(|it| it.value.span))
        })
    }

    /// Every expression of the stack that may be computed: in resources, outputs and conditions.
    pub fn expressions(&self) -> impl Iterator<Item = &Expr> {
        let resources = self.resources.values().flat_map(|resource| {
            let policy = match &resource.deletion_policy {
                Some(DeletionPolicy::Other(expr)) => Some(expr),
                _ => None,
            };
            [
                resource.properties.as_ref(),
                resource.metadata.as_ref(),
                policy,
                resource.update_policy.as_ref(),
                resource.external_id.as_ref(),
                resource.condition.as_ref(),
            ]
        });
        let outputs = self
            .outputs
            .values()
            .flat_map(|output| [output.value.as_ref(), output.condition.as_ref()]);
        let conditions = self.conditions.values().map(|condition| Some(&condition.value));
        conditions.chain(resources).chain(outputs).flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parameter_type_is_found_by_its_name_in_hot() {
        for kind in ParameterType::ALL {
            assert_eq!(ParameterType::from_hot_name(kind.hot_name()), Some(kind));
        }
        assert_eq!(ParameterType::from_hot_name("String"), None);
    }
}
