//! The stack: parameters, groups, conditions, resources, outputs, in source order.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Serialize;
use smol_str::SmolStr;

use super::expr::{Expr, ExprKind};
use python_semantics::number::Integer;
use source_diagnostics::Span;

/// Which dialect and version a stack was read from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TemplateFormat {
    /// The dialect, `hot` or `cfn`.
    pub dialect: &'static str,
    /// Its version, for example `2015-04-30`.
    pub version: &'static str,
    /// Where the version is declared.
    pub span: Span,
}

/// A whole template.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Stack {
    /// What it was read from.
    pub format: TemplateFormat,
    /// What the author says of it.
    pub description: Option<Expr>,
    /// What it offers to those who choose between templates.
    pub capabilities: IndexMap<String, Capability>,
    /// Its inputs.
    pub parameters: IndexMap<String, Parameter>,
    /// How inputs are grouped for a user.
    pub groups: Vec<ParameterGroup>,
    /// Its tables of constants.
    pub mappings: IndexMap<String, Mapping>,
    /// Its named conditions.
    pub conditions: IndexMap<String, Condition>,
    /// What it creates.
    pub resources: IndexMap<String, Resource>,
    /// What it tells when it is done.
    pub outputs: IndexMap<String, Output>,
    /// Sections that the dialect does not know.
    pub extensions: Vec<UnknownKey>,
}

/// A name and the place where it is written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SpannedName {
    /// The name.
    pub text: SmolStr,
    /// Where it stands.
    pub span: Span,
}

/// Something that a template is capable of, or one of the types that it can serve.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Capability {
    /// Where its name stands.
    pub name_span: Span,
    /// A text or a list of texts, data.
    pub value: Expr,
}

/// A key that the dialect does not know, or does not use, at this place.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct UnknownKey {
    /// The key.
    pub name: SpannedName,
    /// Its value, with no function looked for in it.
    pub value: Expr,
}

/// What a parameter may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ParameterType {
    /// Text.
    Text,
    /// A number.
    Number,
    /// A list of texts; given as text, it is split at commas.
    TextList,
    /// Anything that JSON can say; text is parsed.
    Json,
    /// A truth value.
    Boolean,
}

/// An input.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Parameter {
    /// Where its name stands.
    pub name_span: Span,
    /// What it may be; `None` where the template gives no type that Heat knows.
    pub kind: Option<ParameterType>,
    /// A name for people.
    pub label: Option<Expr>,
    /// What it is for.
    pub description: Option<Expr>,
    /// The value where none is given; never computed.
    pub default: Option<Expr>,
    /// Whether its value is kept from readers.
    pub hidden: Option<Expr>,
    /// Whether the environment that it is deployed with names it among those to be encrypted.
    #[serde(skip)]
    pub is_encrypted: bool,
    /// Whether its value may not change in an update.
    pub immutable: Option<Expr>,
    /// What its value must satisfy.
    pub constraints: Vec<ParameterConstraint>,
    /// Categories (2018-03-02).
    pub tags: Option<Expr>,
    /// Keys that Heat accepts and ignores, or does not know.
    pub extensions: Vec<UnknownKey>,
}

/// Something that a parameter's value must satisfy.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ParameterConstraint {
    /// What.
    pub kind: ConstraintKind,
    /// What a user is told who violates it.
    pub description: Option<Expr>,
    /// Further kinds in the same entry: Heat uses only one.
    pub extensions: Vec<UnknownKey>,
    /// Where it stands.
    pub span: Span,
}

/// The kinds of constraints. Their operands are data, kept as written.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "kind", content = "value", rename_all = "snake_case")]
pub enum ConstraintKind {
    /// A number between `min` and `max` (a map).
    Range(Expr),
    /// A length between `min` and `max` (a map).
    Length(Expr),
    /// A multiple of `step` plus `offset` (a map; 2017-02-24).
    Modulo(Expr),
    /// One of a list.
    AllowedValues(Expr),
    /// A regular expression for the whole text.
    AllowedPattern(Expr),
    /// A check that the cloud makes.
    Custom(Expr),
    /// Heat finds no constraint in this entry and refuses it.
    Missing,
}

/// A group of parameters.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ParameterGroup {
    /// The group as it is written, data.
    pub value: Expr,
}

/// A table of constants that the template looks values up in.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Mapping {
    /// Where its name stands.
    pub name_span: Span,
    /// The table: a map of maps, data.
    pub value: Expr,
}

/// A named condition.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Condition {
    /// Where its name stands.
    pub name_span: Span,
    /// What it is.
    pub value: Expr,
}

/// What becomes of a resource that is removed.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "kind", content = "value", rename_all = "snake_case")]
pub enum DeletionPolicy {
    /// It is deleted.
    Delete,
    /// It stays.
    Retain,
    /// A snapshot is taken, then it is deleted.
    Snapshot,
    /// Computed from parameters, or a text that Heat refuses.
    Other(Expr),
}

/// A resource that must be there first.
pub type Dependency = SpannedName;

/// Something that the stack creates.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Resource {
    /// Where its name stands.
    pub name_span: Span,
    /// Its type; `None` where the template gives none that is text.
    pub kind: Option<SpannedName>,
    /// Its properties.
    pub properties: Option<Expr>,
    /// Its metadata.
    pub metadata: Option<Expr>,
    /// What must be there first.
    pub depends_on: Vec<Dependency>,
    /// Where that is written, an empty list too.
    pub depends_on_span: Option<Span>,
    /// What becomes of it when it is removed.
    pub deletion_policy: Option<DeletionPolicy>,
    /// Where that is written.
    pub deletion_policy_span: Option<Span>,
    /// How its members are updated.
    pub update_policy: Option<Expr>,
    /// The existing thing that it adopts (2016-10-14).
    pub external_id: Option<Expr>,
    /// Whether it exists at all (2016-10-14).
    pub condition: Option<Expr>,
    /// What the author says of it.
    pub description: Option<Expr>,
    /// Keys that this version does not know, and values that it refuses.
    pub extensions: Vec<UnknownKey>,
}

/// Something that the stack tells.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Output {
    /// Where its name stands.
    pub name_span: Span,
    /// What it is.
    pub description: Option<Expr>,
    /// Its value; `None` where the template gives none.
    pub value: Option<Expr>,
    /// Whether it is told (2016-10-14).
    pub condition: Option<Expr>,
    /// Keys that Heat ignores here, `condition` in old versions among them.
    pub extensions: Vec<UnknownKey>,
}

impl Parameter {
    /// Whether its value is kept from readers, by its declaration or by the environment.
    pub fn is_hidden(&self) -> bool {
        self.is_encrypted || self.declares_hidden()
    }

    /// Whether its declaration keeps its value from readers.
    pub fn declares_hidden(&self) -> bool {
        is_set(self.hidden.as_ref())
    }

    /// Whether its value may not change in an update.
    pub fn is_immutable(&self) -> bool {
        is_set(self.immutable.as_ref())
    }
}

/// Whether a flag is set: Heat asks for no more than a value that is not empty.
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

impl Capability {
    /// The values that it offers.
    pub fn values(&self) -> impl Iterator<Item = &str> {
        let items = match &self.value.kind {
            ExprKind::List(items) => items.as_slice(),
            _ => std::slice::from_ref(&self.value),
        };
        items.iter().filter_map(Expr::as_text)
    }
}

impl Stack {
    /// A stack with nothing in it.
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
        }
    }

    /// The defaults of hidden parameters, with the names of these: what a report must not show.
    pub fn hidden_defaults(&self) -> impl Iterator<Item = (&str, Span)> {
        self.parameters
            .iter()
            .filter(|(_, parameter)| parameter.is_hidden())
            .filter_map(|(name, parameter)| Some((name.as_str(), parameter.default.as_ref()?.span)))
    }

    /// Where a value stands that a report must not show: the default of a hidden parameter, a key of its
    /// declaration that Heat does not know, and what stands in the place of a declaration.
    pub fn secret_spans(&self) -> impl Iterator<Item = Span> {
        self.parameters.values().flat_map(|parameter| {
            let hidden = parameter.is_hidden();
            let default = parameter.default.as_ref().filter(|_| hidden).map(|it| it.span);
            let extensions = parameter.extensions.iter().filter(move |it| {
                let is_known = matches!(&*it.name.text, "type" | "Type" | "constraints");
                hidden && !is_known || it.name.span == parameter.name_span
            });
            default.into_iter().chain(extensions.map(|it| it.value.span))
        })
    }

    /// Hides the parameters that the environment wants to be encrypted.
    pub fn hide_encrypted(&mut self, is_meant: impl Fn(&str) -> bool) {
        for (name, parameter) in &mut self.parameters {
            parameter.is_encrypted = is_meant(name);
        }
    }

    /// Every expression of the stack that may be computed: of resources, outputs and conditions.
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
