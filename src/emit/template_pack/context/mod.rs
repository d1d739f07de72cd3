//! What templates of a target are given: the representation of every template of the deployment, and
//! what hotplate found out about it. `docs/targets.md` is the guide, `docs/schemas/target-context.json`
//! the JSON Schema. Every field is always there; what is missing is `null` or empty.

mod build;
mod instances;
mod mapped;

use indexmap::IndexMap;
use schemars::{JsonSchema, Schema};
use serde::Serialize;
use serde_json::Value as Json;

pub(super) use build::{build, type_row};

use heat_template::ir;

/// What a template of a target is given.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PackContext<'a> {
    /// The target itself.
    pub target: TargetInfo<'a>,
    /// What the manifest has under `settings`.
    pub settings: &'a IndexMap<String, Json>,
    /// The template that the file is about: the user's, or each in turn where the output says
    /// `each: unit`.
    #[schemars(with = "ModuleView<'a>")]
    pub unit: Json,
    /// The templates of the deployment, that of the user first.
    #[schemars(with = "Vec<ModuleView<'a>>")]
    pub units: Vec<Json>,
    /// The deployment as a tree: the user's template, in it the nested stacks, …
    pub instances: StackInstance,
    /// Values that are given to parameters of the user's template and not baked.
    pub given: IndexMap<&'a str, ParameterValueView>,
    /// Values that the environment gives to parameters of this name in every template.
    pub defaults: IndexMap<&'a str, ParameterValueView>,
}

/// The target.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TargetInfo<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its version.
    pub version: &'a str,
}

/// A template of the deployment.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ModuleView<'a> {
    /// A name that no other has, made of the file's: `server`, `server_2`.
    pub name: &'a str,
    /// The file as the user knows it.
    pub path: &'a str,
    /// The last part of that path.
    pub file: &'a str,
    /// Whether it is the user's template.
    pub is_root: bool,
    /// The dialect and version.
    pub format: &'a ir::TemplateFormat,
    /// What the author says of it, as text.
    pub description: Option<String>,
    /// The parameters by name: as in the representation, and more.
    pub parameters: IndexMap<&'a str, ParameterView<'a>>,
    /// The groups of parameters that the template declares, and one without a label for the rest.
    pub groups: Vec<ParameterGroupView<'a>>,
    /// The conditions by name.
    pub conditions: IndexMap<&'a str, ConditionView<'a>>,
    /// The resources by name.
    pub resources: IndexMap<&'a str, ResourceView<'a>>,
    /// The outputs by name.
    pub outputs: IndexMap<&'a str, OutputView<'a>>,
    /// The resources that are made by this template.
    pub used_by: Vec<ModuleUse>,
}

/// A resource that is made by a template.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ModuleUse {
    /// The name of the unit.
    pub unit: String,
    /// The resource in it.
    pub resource: String,
}

/// A parameter.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ParameterView<'a> {
    /// Its name.
    pub name: &'a str,
    /// The type as HOT names it, `string`; `null` where the template gives none.
    #[serde(rename = "type")]
    pub type_name: Option<&'static str>,
    /// The label as text.
    pub label_text: Option<String>,
    /// The description as text.
    pub description_text: Option<String>,
    /// Whether its value is kept from readers: nothing that people see may show its default.
    pub is_hidden: bool,
    /// Whether an update may not change it.
    pub is_immutable: bool,
    /// Whether it has no default.
    pub is_required: bool,
    /// Resources, conditions and outputs that use it, by their names.
    pub used_by: Vec<String>,
    /// As in the representation.
    #[serde(flatten)]
    pub ir: &'a ir::Parameter,
}

/// A group of parameters.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ParameterGroupView<'a> {
    /// Its label.
    pub label: Option<String>,
    /// What it is for.
    pub description: Option<String>,
    /// Names of parameters that are there.
    pub parameters: Vec<&'a str>,
}

/// A condition.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ConditionView<'a> {
    /// Its name.
    pub name: &'a str,
    /// As in the representation.
    #[serde(flatten)]
    pub ir: &'a ir::Condition,
}

/// A resource.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ResourceView<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its type as it is written.
    #[serde(rename = "type")]
    pub type_name: &'a str,
    /// What it is made by.
    pub made_by: ImplementationView,
    /// The resources of the same template that must be there first, in the order of the template.
    pub needs: Vec<DependencyView<'a>>,
    /// What the description says, as text.
    pub description_text: Option<String>,
    /// What the mapping table makes of it; `null` where the target has no table.
    pub mapped: Option<MappedResource>,
    /// As in the representation.
    #[serde(flatten)]
    pub ir: &'a ir::Resource,
}

/// What a resource is made by.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ImplementationView {
    /// `type`, `template`, `group` or `unknown`.
    pub by: &'static str,
    /// The type of Heat's after the registry; for a template `null`.
    #[serde(rename = "type")]
    pub type_name: Option<String>,
    /// The name of the unit of a nested template.
    pub unit: Option<String>,
    /// What makes a member of a group, where that is known.
    pub member: Option<Box<ImplementationView>>,
    /// How many members a group has, in words: `3`, or the name of a parameter.
    pub count: Option<String>,
    /// Why it is not known.
    pub reason: Option<String>,
}

/// A dependency on a resource of the same template.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DependencyView<'a> {
    /// The resource that must be there first.
    pub name: &'a str,
    /// `depends_on` names it.
    pub explicit: bool,
    /// Its reference id is used.
    pub reference: bool,
    /// The attributes of it that are used.
    pub attributes: Vec<String>,
}

/// What a mapping table makes of a resource.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MappedResource {
    /// The target's type; `null` where there is no counterpart, which is recorded as a loss.
    pub to: Option<String>,
    /// The template `rules/NAME.hbs` that makes it, where a table cannot.
    pub rule: Option<String>,
    /// What the table notes.
    pub note: Option<String>,
    /// The attribute that is Heat's reference id.
    pub reference: Option<String>,
    /// The properties that the template gives and the target can say, in the order of the table.
    pub properties: Vec<MappedProperty>,
    /// Arguments that the target insists on and the template does not give.
    pub missing: Vec<String>,
}

/// A property with its counterpart.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MappedProperty {
    /// The property.
    pub name: String,
    /// The target's argument.
    pub to: Option<String>,
    /// The template `rules/NAME.hbs` that says it.
    pub rule: Option<String>,
    /// What the table notes.
    pub note: Option<String>,
    /// The data source that finds the id to a name.
    pub lookup: Option<String>,
    /// Its value, with the values and members that the table renames renamed.
    pub value: ir::Expr,
}

/// An output.
#[derive(Debug, Serialize, JsonSchema)]
pub struct OutputView<'a> {
    /// Its name.
    pub name: &'a str,
    /// The description as text.
    pub description_text: Option<String>,
    /// As in the representation.
    #[serde(flatten)]
    pub ir: &'a ir::Output,
}

/// A stack of the deployment.
#[derive(Debug, Serialize, JsonSchema)]
pub struct StackInstance {
    /// A name that no other instance has: `c1`.
    pub id: String,
    /// The name of its unit.
    pub unit: String,
    /// The file of its template.
    pub file: String,
    /// The names of the resources that lead to it.
    pub path: Vec<String>,
    /// Its resources.
    pub nodes: Vec<GraphNode>,
    /// What depends on what in it.
    pub edges: Vec<GraphEdge>,
    /// How many nodes are shown, in the stacks inside too.
    pub all_nodes: usize,
    /// How many edges are shown, in the stacks inside too.
    pub all_edges: usize,
}

/// A resource in the tree of stacks.
#[derive(Debug, Serialize, JsonSchema)]
pub struct GraphNode {
    /// A name that no other node has: `n1`.
    pub id: String,
    /// The resource.
    pub name: String,
    /// Its type as it is written.
    #[serde(rename = "type")]
    pub type_name: String,
    /// The type in short: `Nova::Server`, or the file of a template; of a group that of its members.
    pub short: String,
    /// The second part of the type in small letters: `nova`; empty for what is none of OpenStack's.
    pub service: String,
    /// `resource`, `stack`, `group` or `unknown`.
    pub kind: &'static str,
    /// How many members a group has, in words.
    pub count: Option<String>,
    /// The condition under which it exists, in words.
    pub condition: Option<String>,
    /// Whether it adopts what exists already.
    pub is_external: bool,
    /// `delete`, `retain` or `snapshot` where the template says so.
    pub deletion_policy: Option<&'static str>,
    /// Whether the mapping table has no counterpart for it.
    pub is_lost: bool,
    /// Why it is not known what it is made by.
    pub reason: Option<String>,
    /// The stack inside, if it is shown.
    pub instance: Option<StackInstance>,
    /// How many resources are in the stack inside where that stays closed.
    pub closed: Option<usize>,
}

/// A dependency between two resources of one stack.
#[derive(Debug, Serialize, JsonSchema)]
pub struct GraphEdge {
    /// The node that needs the other.
    pub from: String,
    /// The node that must be there first.
    pub to: String,
    /// The instance shown inside `from`; `null` if there is none.
    pub from_instance: Option<String>,
    /// The instance shown inside `to`.
    pub to_instance: Option<String>,
    /// `depends_on` alone says so.
    pub is_explicit_only: bool,
    /// The attributes that are used.
    pub attributes: Vec<String>,
}

/// A given value.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ParameterValueView {
    /// The value; `null` for what is unknown, and for a secret without `--show-secrets`.
    pub value: Json,
    /// Whether it is kept from readers.
    pub is_secret: bool,
}

/// The JSON Schema of a context.
pub fn schema() -> Schema {
    ir::json::schema_of::<PackContext<'static>>()
}
