//! The context of a target's templates: the intermediate representation of every template of the deployment,
//! and what hotplate derives from it. `docs/targets.md` is the guide, `docs/schemas/target-context.json`
//! the JSON Schema. Every field is always present; what is missing is `null` or empty.

mod build;
mod instances;
mod mapped;

use indexmap::IndexMap;
use schemars::{JsonSchema, Schema};
use serde::Serialize;
use serde_json::Value as Json;

pub(super) use build::{build, type_row};

use heat_template::ir;

/// The context of a target's templates.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PackContext<'a> {
    /// The target that renders.
    pub target: TargetInfo<'a>,
    /// The values under `settings` in the manifest.
    pub settings: &'a IndexMap<String, Json>,
    /// The template that the file is about: the root template, or each in turn if the output has
    /// `each: unit`.
    #[schemars(with = "ModuleView<'a>")]
    pub unit: Json,
    /// The templates of the deployment, the root template first.
    #[schemars(with = "Vec<ModuleView<'a>>")]
    pub units: Vec<Json>,
    /// The deployment as a tree: the root stack, in it the nested stacks, and so on.
    pub instances: StackInstance,
    /// Values that are given to parameters of the root template and are not fixed.
    pub given: IndexMap<&'a str, ParameterValueView>,
    /// Values that the environment sets for parameters of this name in every template.
    pub defaults: IndexMap<&'a str, ParameterValueView>,
}

/// The target that renders.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TargetInfo<'a> {
    /// The name in its manifest.
    pub name: &'a str,
    /// The version in its manifest.
    pub version: &'a str,
}

/// A template of the deployment.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ModuleView<'a> {
    /// A unique name, derived from the file name: `server`, `server_2`.
    pub name: &'a str,
    /// The path of the file, as the user wrote it.
    pub path: &'a str,
    /// The last component of that path.
    pub file: &'a str,
    /// Whether it is the root template.
    pub is_root: bool,
    /// The dialect and version of the template.
    pub format: &'a ir::TemplateFormat,
    /// The description, as text.
    pub description_text: Option<String>,
    /// The parameters by name: the intermediate representation, and further fields.
    pub parameters: IndexMap<&'a str, ParameterView<'a>>,
    /// The declared parameter groups, and one without a label for all other parameters.
    pub groups: Vec<ParameterGroupView<'a>>,
    /// The conditions by name.
    pub conditions: IndexMap<&'a str, ConditionView<'a>>,
    /// The names of the resources, each after those that it depends on.
    pub creation_order: Vec<&'a str>,
    /// The resources by name.
    pub resources: IndexMap<&'a str, ResourceView<'a>>,
    /// The outputs by name.
    pub outputs: IndexMap<&'a str, OutputView<'a>>,
    /// The resources whose implementation is this template.
    pub used_by: Vec<ModuleUse>,
}

/// A resource whose implementation is a template.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ModuleUse {
    /// The name of the template that contains it, as in `units`.
    pub unit: String,
    /// The name of the resource.
    pub resource: String,
}

/// A parameter.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ParameterView<'a> {
    /// The parameter's name.
    pub name: &'a str,
    /// The type as HOT names it, such as `string`; `null` if the template gives none.
    #[serde(rename = "type")]
    pub type_name: Option<&'static str>,
    /// The label, as text.
    pub label_text: Option<String>,
    /// The description, as text.
    pub description_text: Option<String>,
    /// Whether it is hidden: nothing that people see may show its default.
    pub is_hidden: bool,
    /// Whether an update may not change it.
    pub is_immutable: bool,
    /// Whether it has no default.
    pub is_required: bool,
    /// The names of the resources, conditions and outputs that use it.
    pub used_by: Vec<String>,
    /// The fields of the intermediate representation.
    #[serde(flatten)]
    pub ir: &'a ir::Parameter,
}

/// A parameter group.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ParameterGroupView<'a> {
    /// The label, as text.
    pub label_text: Option<String>,
    /// The description, as text.
    pub description_text: Option<String>,
    /// The names of its parameters, without those that the template does not declare.
    pub parameters: Vec<&'a str>,
}

/// A condition.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ConditionView<'a> {
    /// The condition's name.
    pub name: &'a str,
    /// The fields of the intermediate representation.
    #[serde(flatten)]
    pub ir: &'a ir::Condition,
}

/// A resource.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ResourceView<'a> {
    /// The resource's name.
    pub name: &'a str,
    /// The type as written in the template.
    #[serde(rename = "type")]
    pub type_name: &'a str,
    /// The implementation of the resource.
    pub made_by: ImplementationView,
    /// Whether it has an effect on what Heat creates, as nearly every resource has.
    pub has_effect: bool,
    /// The resources of the same template that it depends on, in the order of the template.
    pub needs: Vec<DependencyView<'a>>,
    /// The description, as text.
    pub description_text: Option<String>,
    /// The counterpart by the mapping table; `null` if the target has no table.
    pub mapped: Option<MappedResource>,
    /// The fields of the intermediate representation.
    #[serde(flatten)]
    pub ir: &'a ir::Resource,
}

/// The implementation of a resource.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ImplementationView {
    /// The kind: `type`, `template`, `group` or `unknown`.
    pub by: &'static str,
    /// The type after the resource registry is applied; `null` for a template.
    #[serde(rename = "type")]
    pub type_name: Option<String>,
    /// The name of the nested template, as in `units`.
    pub unit: Option<String>,
    /// The implementation of a group's members, if it is known.
    pub member: Option<Box<ImplementationView>>,
    /// The number of a group's members, as text: `3`, or the name of a parameter.
    pub count: Option<String>,
    /// Why the implementation is unknown.
    pub reason: Option<String>,
}

/// A dependency on a resource of the same template.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DependencyView<'a> {
    /// The resource that must be created first.
    pub name: &'a str,
    /// Whether `depends_on` names it.
    pub explicit: bool,
    /// Whether its reference ID is used.
    pub reference: bool,
    /// Whether Heat adds the dependency for the type of the resource.
    pub implicit: bool,
    /// The attributes of it that are used.
    pub attributes: Vec<String>,
}

/// The counterpart of a resource by the mapping table.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MappedResource {
    /// The target's type; `null` if there is no counterpart, which is reported as a loss.
    pub to: Option<String>,
    /// The template `rules/NAME.hbs` that renders it, where a table is not enough.
    pub rule: Option<String>,
    /// The note of the table's row.
    pub note: Option<String>,
    /// The attribute of the counterpart that is Heat's reference ID.
    pub reference: Option<String>,
    /// The properties that the template sets and the target supports, in the order of the table.
    pub properties: Vec<MappedProperty>,
    /// Arguments that the target requires and the template does not set.
    pub missing: Vec<String>,
}

/// A property with its counterpart.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MappedProperty {
    /// The property's name in Heat.
    pub name: String,
    /// The target's argument; `null` if there is none.
    pub to: Option<String>,
    /// The template `rules/NAME.hbs` that renders it.
    pub rule: Option<String>,
    /// The note of the table's row.
    pub note: Option<String>,
    /// The data source that looks up an ID by a name.
    pub lookup: Option<String>,
    /// The value, with the target's names for its values and members.
    pub value: ir::Expr,
}

/// An output.
#[derive(Debug, Serialize, JsonSchema)]
pub struct OutputView<'a> {
    /// The output's name.
    pub name: &'a str,
    /// The description, as text.
    pub description_text: Option<String>,
    /// The fields of the intermediate representation.
    #[serde(flatten)]
    pub ir: &'a ir::Output,
}

/// A stack of the deployment.
#[derive(Debug, Serialize, JsonSchema)]
pub struct StackInstance {
    /// A unique ID: `c1`.
    pub id: String,
    /// The name of its template, as in `units`.
    pub unit: String,
    /// The file name of its template.
    pub file: String,
    /// The names of the resources that lead to it from the root.
    pub path: Vec<String>,
    /// The resources of the stack.
    pub nodes: Vec<GraphNode>,
    /// The dependencies between its resources.
    pub edges: Vec<GraphEdge>,
    /// The number of nodes that are shown, including nested stacks.
    pub all_nodes: usize,
    /// The number of edges that are shown, including nested stacks.
    pub all_edges: usize,
}

/// A resource in the tree of stacks.
#[derive(Debug, Serialize, JsonSchema)]
pub struct GraphNode {
    /// A unique ID: `n1`.
    pub id: String,
    /// The resource's name.
    pub name: String,
    /// The type as written in the template.
    #[serde(rename = "type")]
    pub type_name: String,
    /// A short form of the type: `Nova::Server`, or the file name of a template; for a group, that of its
    /// members.
    pub short: String,
    /// The second part of the type in lower case: `nova`; empty for types outside OpenStack.
    pub service: String,
    /// The kind: `resource`, `stack`, `group` or `unknown`.
    pub kind: &'static str,
    /// The number of a group's members, as text.
    pub count: Option<String>,
    /// The condition under which it exists, as text.
    pub condition: Option<String>,
    /// Whether it adopts an existing resource (`external_id`).
    pub is_external: bool,
    /// The deletion policy if the template sets one: `delete`, `retain` or `snapshot`.
    pub deletion_policy: Option<&'static str>,
    /// Whether the mapping table has no counterpart for it.
    pub is_lost: bool,
    /// Why its implementation is unknown.
    pub reason: Option<String>,
    /// The nested stack, if it is shown.
    pub instance: Option<StackInstance>,
    /// The number of resources in the nested stack, if it is not shown.
    pub closed: Option<usize>,
}

/// A dependency between two resources of one stack.
#[derive(Debug, Serialize, JsonSchema)]
pub struct GraphEdge {
    /// The ID of the node that depends on the other.
    pub from: String,
    /// The ID of the node that must be created first.
    pub to: String,
    /// The ID of the stack shown inside `from`; `null` if there is none.
    pub from_instance: Option<String>,
    /// The ID of the stack shown inside `to`; `null` if there is none.
    pub to_instance: Option<String>,
    /// Whether only `depends_on` causes the dependency.
    pub is_explicit_only: bool,
    /// Whether only Heat adds the dependency, for the type of the resource.
    pub is_implicit_only: bool,
    /// The attributes that are used.
    pub attributes: Vec<String>,
}

/// The value of a parameter.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ParameterValueView {
    /// The value; `null` if it is unknown, or secret and `--show-secrets` is not set.
    pub value: Json,
    /// Whether the value is secret.
    pub is_secret: bool,
}

/// The JSON Schema of the context.
pub fn schema() -> Schema {
    ir::json::schema_of::<PackContext<'static>>()
}
