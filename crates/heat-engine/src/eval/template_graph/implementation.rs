//! The implementation of a resource.
//!
//! Heat's rules: `docs/heat.md#the-resource-registry`, `docs/heat.md#the-registry-of-a-nested-stack`.

use std::collections::HashMap;
use std::sync::Arc;

use crate::environment::registry::{Implementation, LookupError, NestedTemplate, RegistryEntry};
use crate::environment::{Environment, Registry};
use crate::eval::groups::HeatGroup;
use heat_template::schema::ResourceType;
use source_diagnostics::{Consequence, Diagnostic, Severity};

/// The implementation of a resource, after the registry is applied.
#[derive(Clone, Debug)]
pub enum ResolvedImplementation {
    /// A class of Heat that is not a group, by the type under which it is registered.
    Plugin(&'static str, &'static ResourceType),
    /// A group, which generates the template of its members.
    Group(GroupReference),
    /// A nested template in a file.
    Template(TemplateReference),
    /// A template that is shipped with Heat, by its file name.
    Shipped(&'static str),
    /// Candidates of which none could be selected, which is reported elsewhere.
    Candidates,
    /// Neither Heat nor the registry has the type.
    NotFound(LookupError),
}

/// A group as the implementation of a resource.
#[derive(Clone, Debug)]
pub struct GroupReference {
    /// The type under which it is registered.
    pub plugin: &'static str,
    /// The facts about that type.
    pub info: &'static ResourceType,
    /// The kind of group.
    pub group: HeatGroup,
    /// The registry that applies to the template of its members.
    pub registry: Arc<Registry>,
}

/// A nested template as the implementation of a resource: an edge of the graph.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TemplateReference {
    /// The URL of the file.
    pub url: String,
    /// The registry that applies to the nested template.
    pub registry: Arc<Registry>,
}

impl ResolvedImplementation {
    /// The class of Heat, by the type under which it is registered, with the facts about that type.
    pub fn plugin(&self) -> Option<(&'static str, &'static ResourceType)> {
        match self {
            ResolvedImplementation::Plugin(plugin, info) => Some((plugin, info)),
            ResolvedImplementation::Group(group) => Some((group.plugin, group.info)),
            ResolvedImplementation::Template(_)
            | ResolvedImplementation::Shipped(_)
            | ResolvedImplementation::Candidates
            | ResolvedImplementation::NotFound(_) => None,
        }
    }

    /// The finding about a type without an implementation that can be followed; candidates have theirs already.
    pub(in crate::eval) fn unavailable(
        &self,
        kind: &str,
        environment: &Environment,
    ) -> Option<Diagnostic> {
        let schema = environment.registry.schema();
        match self {
            ResolvedImplementation::Shipped(file) => {
                let message =
                    format!("`{kind}` is Heat's own template {file}, which is not available");
                let finding = Diagnostic::new(crate::codes::NESTED_NOT_FOLLOWED, message);
                // Heat has it: nothing is wrong.
                Some(Diagnostic { severity: Severity::Note, ..finding })
            }
            ResolvedImplementation::NotFound(error) => {
                let code = crate::codes::UNKNOWN_RESOURCE_TYPE;
                let finding = Diagnostic::new(code, error.to_string());
                let finding = match schema.did_you_mean(kind) {
                    Some(near) => finding.did_you_mean(near),
                    None => finding,
                };
                // A type of one's own is mapped by an environment, which every deployment of the template has.
                if !environment.is_whole && !schema.has_namespace(kind) {
                    let help = "an environment of the deployment maps it: name that with `-e`, or in a `[[deployment]]` of `hotplate.toml`";
                    return Some(finding.with_consequence(Consequence::Incomplete).help(help));
                }
                Some(finding.help(
                    "map the types of your own cloud in an environment (`-e REGISTRY`); \
                     `openstack orchestration resource type list` lists the types of a cloud",
                ))
            }
            ResolvedImplementation::Plugin(..)
            | ResolvedImplementation::Group(_)
            | ResolvedImplementation::Template(_)
            | ResolvedImplementation::Candidates => None,
        }
    }
}

/// Looks up the implementations of resources in one registry.
pub(super) struct ImplementationResolver<'r> {
    registry: &'r Arc<Registry>,
    /// The registries of nested templates by the path of the entry that leads to them: without entries for single
    /// resources, nothing else makes them different.
    of_children: HashMap<&'r [String], Arc<Registry>>,
}

impl<'r> ImplementationResolver<'r> {
    pub(super) fn new(registry: &'r Arc<Registry>) -> Self {
        ImplementationResolver { registry, of_children: HashMap::new() }
    }

    /// The implementation of a type for a resource of this name; of any name with `None`.
    pub(super) fn resolve(&mut self, kind: &str, resource: Option<&str>) -> ResolvedImplementation {
        let (url, entry) = match self.registry.lookup(kind, resource) {
            Ok(Implementation::Plugin(plugin, info)) => {
                return match HeatGroup::of(plugin) {
                    None => ResolvedImplementation::Plugin(plugin, info),
                    Some(group) => {
                        let registry = self.of_child(resource, None);
                        let group = GroupReference { plugin, info, group, registry };
                        ResolvedImplementation::Group(group)
                    }
                };
            }
            Ok(Implementation::Template(NestedTemplate::Shipped(file), _)) => {
                return ResolvedImplementation::Shipped(file);
            }
            Ok(Implementation::Template(NestedTemplate::File(location), entry)) => {
                (location.url().to_owned(), entry)
            }
            Ok(Implementation::Template(NestedTemplate::Key(url), entry)) => (url, entry),
            Ok(Implementation::Candidates(_)) => return ResolvedImplementation::Candidates,
            Err(error) => return ResolvedImplementation::NotFound(error),
        };
        let registry = self.of_child(resource, entry);
        ResolvedImplementation::Template(TemplateReference { url, registry })
    }

    /// The registry of the stack that a resource stands for.
    fn of_child(
        &mut self,
        resource: Option<&str>,
        entry: Option<&'r RegistryEntry>,
    ) -> Arc<Registry> {
        let registry = self.registry;
        match entry {
            _ if registry.is_scoped() => Arc::new(registry.of_child(resource, entry)),
            None => Arc::clone(registry),
            Some(through) => {
                let known = self.of_children.entry(&through.path);
                Arc::clone(known.or_insert_with(|| Arc::new(registry.of_child(resource, entry))))
            }
        }
    }
}
