//! Expands nested stacks and groups into a tree, and names every resource in it.

use std::sync::Arc;

use indexmap::IndexMap;
use smol_str::SmolStr;

use super::MAX_RESOURCES;
use crate::kit::UniqueNames;
use crate::render_model::{
    Module, ModuleId, RenderModel, ResourceImplementation, property, why_unavailable,
};
use heat_engine::environment::DeploymentFiles;
use heat_engine::eval::deployment::{ChildStack, Deployed};
use heat_engine::eval::template_graph::{GroupReference, ResolvedImplementation};
use heat_engine::eval::{Dependency, HeatGroup, Value, python};
use heat_template::ir::{Expr, Resource, Stack};
use python_semantics::number::Integer;

/// A stack, as an index into [`StackTree::scopes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct ScopeId(pub(super) usize);

#[derive(Clone, Debug)]
pub(super) enum ExpandedResource {
    /// One resource of the flat stack.
    Resource {
        /// Its name in the flat stack.
        name: String,
        made_by: ResourceImplementation,
    },
    /// Nothing, since its condition is false.
    Absent,
    /// The resources of a nested stack.
    Stack(ScopeId),
    /// The members of a group.
    Group(HeatGroup, Arc<IndexMap<String, ExpandedResource>>),
}

/// The definition of a nested stack, or of a group's member.
#[derive(Clone, Debug)]
pub(super) struct ScopeOwner<'a> {
    /// The stack that contains the definition.
    pub(super) scope: ScopeId,
    /// The resource in that stack.
    pub(super) resource: &'a Resource,
    /// The properties of the definition, in the terms of that stack.
    pub(super) properties: Option<&'a Expr>,
    /// The metadata of the definition, in the terms of that stack.
    pub(super) metadata: Option<&'a Expr>,
    /// For a member whose index replaces a placeholder in its properties: the placeholder and the index.
    pub(super) number: Option<(String, String)>,
}

/// A stack that is expanded.
#[derive(Debug)]
pub(super) struct StackScope<'a> {
    pub(super) module: ModuleId,
    pub(super) base: &'a heat_engine::environment::BaseFolder,
    pub(super) stack: &'a Stack,
    pub(super) partial_deployment: &'a Deployed,
    pub(super) full_deployment: Option<&'a Deployed>,
    pub(super) owner: Option<ScopeOwner<'a>>,
    /// The names of the resources that lead to it.
    pub(super) path: Vec<String>,
    pub(super) nodes: Arc<IndexMap<String, ExpandedResource>>,
}

/// All stacks of a deployment.
#[derive(Debug)]
pub(super) struct StackTree<'a> {
    pub(super) model: &'a RenderModel<'a>,
    /// The stacks, starting with the root.
    pub(super) scopes: Vec<StackScope<'a>>,
    /// The names of the flat stack's resources.
    names: UniqueNames,
    /// Whether the limit of resources was reached, so that some are missing.
    pub(super) is_full: bool,
}

/// A template that is to be expanded.
struct StackScopeInput<'a> {
    unit: ModuleId,
    deployed: &'a Deployed,
    intended: Option<&'a Deployed>,
    owner: Option<ScopeOwner<'a>>,
    path: Vec<String>,
}

/// Expands a deployment and names all its resources.
pub(super) fn expand<'a>(model: &'a RenderModel<'a>) -> StackTree<'a> {
    let root = model.root();
    let names = root.stack.resources.keys().collect();
    let mut tree = StackTree { model, scopes: Vec::new(), names, is_full: false };
    tree.scope(StackScopeInput {
        unit: ModuleId(0),
        deployed: model.partial_deployment,
        intended: Some(model.full_deployment),
        owner: None,
        path: Vec::new(),
    });
    tree
}

impl<'a> StackTree<'a> {
    fn scope(&mut self, place: StackScopeInput<'a>) -> ScopeId {
        let id = ScopeId(self.scopes.len());
        let model = self.model;
        let unit = model.module(place.unit);
        self.scopes.push(StackScope {
            module: place.unit,
            base: &unit.base,
            stack: &unit.stack,
            partial_deployment: place.deployed,
            full_deployment: place.intended,
            owner: place.owner,
            path: place.path,
            nodes: Arc::default(),
        });
        for (name, resource) in &unit.stack.resources {
            let node = self.node(id, unit, name, resource);
            Arc::make_mut(&mut self.scopes[id.0].nodes).insert(name.clone(), node);
        }
        id
    }

    /// Allocates a resource name.
    pub(super) fn unique(&mut self, path: &[String]) -> String {
        self.names.allocate_numbered(&path.join("_"))
    }

    fn plain(&mut self, path: &[String], made_by: ResourceImplementation) -> ExpandedResource {
        let name = match path {
            // Resources of the root template keep their names.
            [name] => name.clone(),
            _ => self.unique(path),
        };
        if self.names.len() > MAX_RESOURCES {
            self.is_full = true;
            return ExpandedResource::Absent;
        }
        ExpandedResource::Resource { name, made_by }
    }

    fn node(
        &mut self,
        scope: ScopeId,
        unit: &'a Module,
        name: &str,
        resource: &'a Resource,
    ) -> ExpandedResource {
        let (deployed, intended) = {
            let scope = &self.scopes[scope.0];
            (scope.partial_deployment, scope.full_deployment)
        };
        if deployed.evaluation.disabled_resources.iter().any(|disabled| disabled == name) {
            return ExpandedResource::Absent;
        }
        let mut path = self.scopes[scope.0].path.clone();
        path.push(name.to_owned());
        let child = deployed.children.get(name);
        match unit.implementations.get(name) {
            Some(ResourceImplementation::Template(template)) => match child {
                Some(ChildStack::Stack(stack)) => {
                    let owner = ScopeOwner {
                        scope,
                        resource,
                        properties: resource.properties.as_ref(),
                        metadata: resource.metadata.as_ref(),
                        number: None,
                    };
                    let intended = stack_of(intended, name);
                    let (unit, owner) = (*template, Some(owner));
                    ExpandedResource::Stack(self.scope(StackScopeInput {
                        unit,
                        deployed: stack,
                        intended,
                        owner,
                        path,
                    }))
                }
                other => self.plain(
                    &path,
                    ResourceImplementation::Unknown(why(other, "its properties", self.model.files)),
                ),
            },
            Some(ResourceImplementation::Group { kind, member }) => match child {
                Some(ChildStack::Stack(group))
                    if !matches!(kind, HeatGroup::DeploymentGroup { .. }) =>
                {
                    let group = MemberGroup {
                        kind: *kind,
                        member: member.as_deref(),
                        deployed: group,
                        intended: stack_of(intended, name),
                    };
                    match self.group(scope, resource, &path, &group) {
                        Some(node) => node,
                        None => {
                            let why = "the definition of its members is computed".to_owned();
                            self.plain(&path, ResourceImplementation::Unknown(why))
                        }
                    }
                }
                other => {
                    let sized = match other {
                        None => self.sized_group(unit, resource, &path, *kind, member.as_deref()),
                        Some(_) => None,
                    };
                    sized.unwrap_or_else(|| {
                        let member = member.clone();
                        self.plain(&path, ResourceImplementation::Group { kind: *kind, member })
                    })
                }
            },
            Some(
                made_by @ (ResourceImplementation::ResourceType(_)
                | ResourceImplementation::Unknown(_)),
            ) => self.plain(&path, made_by.clone()),
            None => self.plain(&path, ResourceImplementation::Unknown("it has no type".to_owned())),
        }
    }

    /// The members of a group that stands for one of another type, so that evaluation has none: as many as the
    /// template says.
    fn sized_group(
        &mut self,
        unit: &Module,
        resource: &Resource,
        path: &[String],
        kind: HeatGroup,
        member: Option<&ResourceImplementation>,
    ) -> Option<ExpandedResource> {
        let made_by = match (kind, member?) {
            (HeatGroup::AutoScalingGroup, made_by @ ResourceImplementation::ResourceType(_)) => {
                made_by
            }
            _ => return None,
        };
        let size =
            property(resource, "desired_capacity").or_else(|| property(resource, "min_size"))?;
        let size = self.model.evaluator(unit).constant(size)?.reveal().0;
        let Value::Int(Integer::Small(size)) = python::to_number(&size).ok()? else { return None };
        let members = (0..size.min(i64::try_from(MAX_RESOURCES).ok()?)).map(|number| {
            let name = number.to_string();
            let path: Vec<String> = path.iter().cloned().chain([name.clone()]).collect();
            (name, self.plain(&path, made_by.clone()))
        });
        let members = members.collect();
        Some(ExpandedResource::Group(kind, Arc::new(members)))
    }

    fn group(
        &mut self,
        scope: ScopeId,
        resource: &'a Resource,
        path: &[String],
        group: &MemberGroup<'a, '_>,
    ) -> Option<ExpandedResource> {
        let (properties, metadata, mark) = match group.kind {
            HeatGroup::ResourceGroup => {
                let definition = property(resource, "resource_def")?;
                let mark = group_mark(self.scopes[scope.0].partial_deployment, path.last()?);
                (definition.member("properties"), definition.member("metadata"), Some(mark?))
            }
            HeatGroup::AutoScalingGroup => {
                let definition = property(resource, "resource")?;
                (definition.member("properties"), definition.member("metadata"), None)
            }
            HeatGroup::ResourceChain => (property(resource, "resource_properties"), None, None),
            HeatGroup::DeploymentGroup { .. } => return None,
        };
        let mut members = IndexMap::new();
        for name in group.deployed.stack.resources.keys() {
            let mut path = path.to_vec();
            path.push(name.clone());
            let made_by = match group.member {
                Some(made_by) => made_by.clone(),
                None => chained(group.deployed, name)?,
            };
            let owner = || ScopeOwner {
                scope,
                resource,
                properties,
                metadata,
                number: mark.clone().map(|mark| (mark, name.clone())),
            };
            let node = match (&made_by, group.deployed.children.get(name)) {
                (ResourceImplementation::Template(unit), Some(ChildStack::Stack(stack))) => {
                    let intended = group.intended.and_then(|group| stack_of(Some(group), name));
                    let (unit, owner) = (*unit, Some(owner()));
                    ExpandedResource::Stack(self.scope(StackScopeInput {
                        unit,
                        deployed: stack,
                        intended,
                        owner,
                        path,
                    }))
                }
                (ResourceImplementation::ResourceType(_), _) => self.plain(&path, made_by),
                (ResourceImplementation::Unknown(why), _) => {
                    self.plain(&path, ResourceImplementation::Unknown(why.clone()))
                }
                (ResourceImplementation::Template(_), child) => self.plain(
                    &path,
                    ResourceImplementation::Unknown(why(child, "its properties", self.model.files)),
                ),
                (ResourceImplementation::Group { .. }, _) => self.plain(
                    &path,
                    ResourceImplementation::Unknown("its members are groups themselves".to_owned()),
                ),
            };
            members.insert(name.clone(), node);
        }
        Some(ExpandedResource::Group(group.kind, Arc::new(members)))
    }
}

/// A group whose members are known.
struct MemberGroup<'a, 'u> {
    kind: HeatGroup,
    member: Option<&'u ResourceImplementation>,
    deployed: &'a Deployed,
    intended: Option<&'a Deployed>,
}

/// The implementation of a member of a chain: a type, since a render model has no modules for templates
/// in chains.
fn chained(deployed: &Deployed, name: &str) -> Option<ResourceImplementation> {
    let kind = &deployed.stack.resources.get(name)?.kind.as_ref()?.text;
    let found = deployed.node.implementations.get(name)?;
    Some(match found {
        ResolvedImplementation::Plugin(plugin, _)
        | ResolvedImplementation::Group(GroupReference { plugin, .. }) => {
            ResourceImplementation::ResourceType(SmolStr::new_static(plugin))
        }
        ResolvedImplementation::Template(_) => ResourceImplementation::Unknown(format!(
            "`{kind}` is a template, which a chain cannot be expanded with"
        )),
        ResolvedImplementation::Shipped(_)
        | ResolvedImplementation::Candidates
        | ResolvedImplementation::NotFound(_) => {
            ResourceImplementation::Unknown(why_unavailable(found, kind))
        }
    })
}

/// The placeholder of a member's index, if it is known while rendering.
pub(super) fn group_mark(deployed: &Deployed, name: &str) -> Option<String> {
    use heat_engine::eval::{EvaluatedProperties, Value};
    let resource = deployed.evaluation.resources.as_ref()?.get(name)?;
    let EvaluatedProperties::Each(each) = &resource.properties else { return None };
    match each.get("index_var") {
        None | Some(Ok(Value::Null)) => Some("%index%".to_owned()),
        Some(Ok(value)) => match value.unsealed() {
            Value::Text(mark) => Some(mark.to_string()),
            _ => None,
        },
        Some(Err(_)) => None,
    }
}

fn stack_of<'a>(deployed: Option<&'a Deployed>, name: &str) -> Option<&'a Deployed> {
    match deployed?.children.get(name)? {
        ChildStack::Stack(stack) => Some(stack),
        ChildStack::Unknown(_) | ChildStack::Failed(_) => None,
    }
}

/// Why a resource cannot be expanded.
fn why(child: Option<&ChildStack>, what: &str, files: &DeploymentFiles) -> String {
    match child {
        Some(ChildStack::Unknown(unknown)) => {
            let names = unknown.depends_on.iter().map(|of| match of {
                Dependency::Parameter(name) => format!("parameter `{name}`"),
                Dependency::Resource(name) | Dependency::Attribute(name, _) => {
                    format!("resource `{name}`")
                }
                Dependency::File(name) => format!("file `{}`", files.display_name(name)),
                Dependency::Cloud(what) => (*what).to_owned(),
            });
            let names: Vec<_> = names.collect();
            format!("{what} depend on {}", names.join(", "))
        }
        Some(ChildStack::Failed(failure)) => failure.words().to_string(),
        Some(ChildStack::Stack(_)) | None => "its nested stack is unknown".to_owned(),
    }
}
