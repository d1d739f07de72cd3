//! One side of a resource, with the data that the decision needs.

use super::plugins::PropertyView;
use crate::instance_groups;
use crate::roles::{self, ResourceRole};
use heat_engine::eval::deployment::{ChildStack, Deployed};
use heat_engine::eval::template_graph::{GroupReference, ResolvedImplementation};
use heat_engine::eval::typed_properties::{self, TypedProperties};
use heat_engine::eval::{EvalResult, EvaluatedProperties, EvaluatedResource, Value};
use heat_template::ir::{self, DeletionPolicy, Expr, ExprKind};
use heat_template::schema::{HeatGroup, Plugin, ResourceType};
use source_diagnostics::Span;

/// A resource on one side, with its stack.
#[derive(Clone, Copy)]
pub struct ResourceDefinition<'a> {
    /// Its name in the stack.
    pub name: &'a str,
    /// What evaluation found of it: the type, each property, metadata, policies.
    pub resource: &'a EvaluatedResource,
    /// The stack that has it.
    pub stack: &'a Deployed,
}

/// What implements a resource.
#[derive(Clone, Debug)]
pub(super) enum ResourceImplementation<'a> {
    /// A plugin class of Heat, by the type name under which it is registered.
    Plugin(&'static str, &'static ResourceType),
    /// A template: its URL, and what is known about its properties.
    Template(String, TemplateProperties<'a>),
    /// Unknown; the reason is reported elsewhere.
    Unknown,
}

/// The properties of a resource that a template implements.
#[derive(Clone, Copy, Debug)]
pub(super) enum TemplateProperties<'a> {
    /// The parameters that the template declares.
    Declared(&'a ir::Stack),
    /// The properties of a template that Heat ships.
    Shipped(&'static ResourceType),
    /// The template cannot be read or is invalid.
    Unknown,
}

impl<'a> ResourceDefinition<'a> {
    /// Returns `None` if the stack has no such resource.
    pub(crate) fn new(stack: &'a Deployed, name: &'a str) -> Option<Self> {
        let resource = stack.evaluation.resources.as_ref()?.get(name)?;
        Some(ResourceDefinition { name, resource, stack })
    }

    pub(crate) fn name_span(&self) -> Span {
        self.source().map_or(Span::NOWHERE, |it| it.name_span)
    }

    /// The type as the template writes it.
    pub(crate) fn written_type(&self) -> &'a str {
        let written = self.source().and_then(|it| it.kind.as_ref());
        written.map_or(self.resource.kind.as_str(), |kind| kind.text.as_str())
    }

    /// The URL of the template that implements it.
    pub(crate) fn template(&self) -> Option<String> {
        match self.implementation() {
            ResourceImplementation::Template(url, _) => Some(url),
            ResourceImplementation::Plugin(..) | ResourceImplementation::Unknown => None,
        }
    }

    /// The names of types that its type leads to.
    pub(super) fn leads_to(&self) -> Vec<String> {
        self.stack.node.registry.leads_to(&self.resource.kind, Some(self.name))
    }

    /// Whether Heat accepts its type, and creates nothing; not of the type that is meant to do so.
    pub(crate) fn creates_nothing(&self) -> bool {
        match self.implementation() {
            ResourceImplementation::Plugin(name, info) => {
                info.is_placeholder() && name != "OS::Heat::None"
            }
            ResourceImplementation::Template(..) | ResourceImplementation::Unknown => false,
        }
    }

    /// Whether nothing known implements it.
    pub(crate) fn is_unimplemented(&self) -> bool {
        matches!(self.implementation(), ResourceImplementation::Unknown)
    }

    /// Whether it represents a stack whose resources are not known here.
    pub(crate) fn is_never_opened(&self) -> bool {
        match (self.implementation(), self.child()) {
            (_, Some(ChildStack::Unknown(_)))
            | (ResourceImplementation::Template(_, TemplateProperties::Shipped(_)), _) => true,
            (ResourceImplementation::Plugin(name, info), None) => {
                info.nested && !instance_groups::is_group(name)
            }
            (_, Some(ChildStack::Stack(_) | ChildStack::Failed(_)) | None) => false,
        }
    }

    /// The outcome for the stack that it represents.
    pub(crate) fn child(&self) -> Option<&'a ChildStack> {
        self.stack.children.get(self.name)
    }

    /// The definition in the template.
    pub(super) fn source(&self) -> Option<&'a ir::Resource> {
        self.stack.stack.resources.get(self.name)
    }

    /// The expression of a property, if the properties are a map.
    pub(super) fn property(&self, name: &str) -> Option<&'a Expr> {
        let ExprKind::Map(pairs) = &self.source()?.properties.as_ref()?.kind else { return None };
        let found = pairs.iter().rev().find(|pair: &&ir::Pair| pair.key.as_text() == Some(name));
        found.map(|pair| &pair.value)
    }

    /// The span of a property; of all properties, if one function returns them.
    pub(crate) fn property_span(&self, name: &str) -> Option<Span> {
        let properties = self.source()?.properties.as_ref()?;
        match &properties.kind {
            ExprKind::Map(_) => self.property(name).map(|expr| expr.span),
            _ => Some(properties.span),
        }
    }

    /// The type name of the plugin class that implements it.
    pub(crate) fn plugin(&self) -> Option<&'static str> {
        match self.implementation() {
            ResourceImplementation::Plugin(name, _) => Some(name),
            ResourceImplementation::Template(..) | ResourceImplementation::Unknown => None,
        }
    }

    /// What it is to those who run the stack, and the noun for it.
    pub(crate) fn role(&self) -> (ResourceRole, &'static str) {
        match self.implementation() {
            ResourceImplementation::Plugin(name, info) => {
                (ResourceRole::of(name, info.nested), roles::noun(name))
            }
            ResourceImplementation::Template(..) => (ResourceRole::Stack, roles::noun("")),
            ResourceImplementation::Unknown => (ResourceRole::Other, roles::noun("")),
        }
    }

    pub(super) fn implementation(&self) -> ResourceImplementation<'a> {
        match self.stack.node.implementations.get(self.name) {
            Some(
                ResolvedImplementation::Plugin(name, info)
                | ResolvedImplementation::Group(GroupReference { plugin: name, info, .. }),
            ) => ResourceImplementation::Plugin(name, info),
            Some(ResolvedImplementation::Shipped(file)) => {
                match self
                    .stack
                    .node
                    .registry
                    .schema()
                    .types
                    .values()
                    .find(|info| info.plugin == Plugin::Template(file))
                {
                    Some(info) => ResourceImplementation::Template(
                        (*file).to_owned(),
                        TemplateProperties::Shipped(info),
                    ),
                    None => ResourceImplementation::Unknown,
                }
            }
            Some(ResolvedImplementation::Template(reference)) => {
                let parameters = match self.child() {
                    Some(ChildStack::Stack(stack)) => TemplateProperties::Declared(&stack.stack),
                    Some(ChildStack::Unknown(_) | ChildStack::Failed(_)) | None => {
                        TemplateProperties::Unknown
                    }
                };
                ResourceImplementation::Template(reference.url.clone(), parameters)
            }
            Some(ResolvedImplementation::Candidates | ResolvedImplementation::NotFound(_))
            | None => ResourceImplementation::Unknown,
        }
    }

    /// The properties as the implementation converts them; `None` if it is unknown.
    pub(super) fn typed_properties(
        &self,
        by: &ResourceImplementation<'_>,
    ) -> Option<TypedProperties> {
        let properties = &self.resource.properties;
        match by {
            ResourceImplementation::Plugin(_, info)
            | ResourceImplementation::Template(_, TemplateProperties::Shipped(info)) => Some(
                typed_properties::of_plugin(properties, info, self.resource.description.as_deref()),
            ),
            ResourceImplementation::Template(_, TemplateProperties::Declared(stack)) => {
                Some(typed_properties::of_template(properties, &stack.parameters))
            }
            ResourceImplementation::Template(_, TemplateProperties::Unknown)
            | ResourceImplementation::Unknown => None,
        }
    }

    /// Each property as the plugin converts it; `None` for a template, and if one function returns them all.
    pub(crate) fn property_view(&self) -> Option<PropertyView> {
        match self.typed_properties(&self.implementation())? {
            TypedProperties::Each(view) => Some(view),
            TypedProperties::Unknown(_) | TypedProperties::Failed(_) => None,
        }
    }

    /// The existing resource that it adopts.
    pub(super) fn external_id(&self) -> Option<&'a EvalResult> {
        non_null(self.resource.external_id.as_ref())
    }

    /// The value of its condition, unless it is certainly true.
    pub(crate) fn condition(&self) -> Option<&'a Value> {
        let Ok(condition) = self.resource.condition.as_ref()? else { return None };
        match condition.unsealed() {
            Value::Text(name) => self.stack.evaluation.conditions.get(name.as_str())?.as_ref().ok(),
            _ => Some(condition),
        }
    }

    /// The group that it is.
    fn group(&self) -> Option<HeatGroup> {
        match self.stack.node.implementations.get(self.name)? {
            ResolvedImplementation::Group(group) => Some(group.group),
            _ => None,
        }
    }

    /// The properties that say how many members it has, if it is a group whose size is unknown.
    pub(crate) fn unknown_size(&self) -> Option<&'static [&'static str]> {
        let size = self.group()?.size_properties();
        let EvaluatedProperties::Each(each) = &self.resource.properties else { return None };
        let is_unknown = |name: &&str| match each.get(*name) {
            Some(Ok(value)) => matches!(value.unsealed(), Value::Unknown(_)),
            Some(Err(_)) | None => false,
        };
        size.iter().any(is_unknown).then_some(size)
    }

    pub(super) fn metadata(&self) -> Option<&'a EvalResult> {
        non_null(self.resource.metadata.as_ref())
    }

    pub(crate) fn update_policy(&self) -> Option<&'a EvalResult> {
        non_null(self.resource.update_policy.as_ref())
    }

    /// The span of the deletion policy.
    pub(crate) fn deletion_policy_span(&self) -> Option<Span> {
        self.source()?.deletion_policy_span
    }

    /// Whether the template sets a deletion policy.
    pub(super) fn has_deletion_policy(&self) -> bool {
        match self.source().and_then(|it| it.deletion_policy.as_ref()) {
            None => false,
            Some(DeletionPolicy::Other(expr)) => expr.kind != ExprKind::Null,
            Some(DeletionPolicy::Delete | DeletionPolicy::Retain | DeletionPolicy::Snapshot) => {
                true
            }
        }
    }
}

/// A part of a definition; null counts as absent.
fn non_null(part: Option<&EvalResult>) -> Option<&EvalResult> {
    part.filter(|it| !matches!(it, Ok(Value::Null)))
}
