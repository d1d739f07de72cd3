//! The objects that the resources of a template become, and the counterparts of references to them.

use indexmap::IndexMap;

use super::model::{Argument, AttributeStep, ObjectRef, ResourceObjects};
use super::resource_builder::ResourceBuilder;
use super::schema::ProviderSchema;
use super::table::{Counterpart, counterpart, type_mapping};
use super::{attributes, rules};
use crate::identifier_kind::{IdentifierKind, identifier_kind};
use crate::mapping::TypeMapping;
use crate::{Loss, LossKind, Losses, Module, RenderModel};
use heat_engine::eval::PartialEvaluator;
use heat_template::ir::{Expr, ExprKind};
use source_diagnostics::Span;

/// The objects of one template.
#[derive(Debug)]
pub struct ObjectCatalog<'a> {
    pub(super) model: &'a RenderModel<'a>,
    pub(super) module: &'a Module,
    pub(super) evaluator: PartialEvaluator<'a>,
    expressed: IndexMap<String, ResourceObjects>,
}

/// The definition of a resource, or of a group's members.
#[derive(Clone, Copy, Debug)]
pub struct ResourceDefinition<'d> {
    /// The resource, or the group.
    pub owner: &'d str,
    /// The type after the registry is applied: `OS::Nova::Server`.
    pub kind: &'d str,
    /// The properties as written.
    pub properties: Option<&'d Expr>,
    /// The description of the resource, which Heat uses as the property `description`.
    pub description: Option<&'d Expr>,
    /// The place of the definition.
    pub span: Span,
    /// Whether it is a group's member: a name that is generated for it ends with [`Argument::Index`].
    pub is_member: bool,
}

/// The counterpart of an attribute.
#[derive(Clone, Debug, PartialEq)]
pub struct AttributeValue {
    /// The value at the steps that are followed.
    pub value: Argument,
    /// The number of steps of the path that the value already follows. The caller follows the rest; a missing
    /// item yields null.
    pub steps_followed: usize,
}

impl<'a> ObjectCatalog<'a> {
    /// Whether an expression of the template is a name or an ID.
    pub(super) fn identifier_kind(&self, expr: &Expr) -> IdentifierKind {
        identifier_kind(self.model, self.module, expr)
    }

    /// Translates the resources of a template whose types have counterparts. It does not contain other
    /// resources, nested templates and groups.
    pub fn new(model: &'a RenderModel<'a>, unit: &'a Module, losses: &mut Losses) -> Self {
        let folding = model.evaluator(unit);
        let mut catalog =
            ObjectCatalog { model, module: unit, evaluator: folding, expressed: IndexMap::new() };
        let mut expressed = IndexMap::new();
        for (name, resource) in &unit.stack.resources {
            let Some(kind) = unit.type_of(name) else { continue };
            let definition = ResourceDefinition {
                owner: name,
                kind,
                properties: resource.properties.as_ref(),
                description: resource.description.as_ref(),
                span: resource.name_span,
                is_member: false,
            };
            if let Some(it) = catalog.definition(&definition, losses) {
                expressed.insert(name.clone(), it);
            }
        }
        catalog.expressed = expressed;
        catalog
    }

    /// All translated resources, in source order.
    pub fn resources(&self) -> impl Iterator<Item = (&str, &ResourceObjects)> {
        self.expressed.iter().map(|(name, expressed)| (name.as_str(), expressed))
    }

    /// The objects of a resource. `None` if its type has no counterpart, or if something that the provider
    /// requires cannot be expressed, which is reported as a loss.
    pub fn resource(&self, name: &str) -> Option<&ResourceObjects> {
        self.expressed.get(name)
    }

    /// Gives an argument of an object another value, if it has the argument.
    pub(super) fn set_text(&mut self, resource: &str, object: usize, argument: &str, text: &str) {
        let objects = self.expressed.get_mut(resource).map(|it| &mut it.objects);
        let arguments = objects.and_then(|it| it.get_mut(object)).map(|it| &mut it.arguments);
        for (_, value) in arguments.into_iter().flatten().filter(|(name, _)| name == argument) {
            *value = Argument::Text(text.to_owned());
        }
    }

    /// The reference ID of a resource.
    pub fn reference(&self, resource: &str) -> Option<&Argument> {
        self.expressed.get(resource).map(|expressed| &expressed.reference)
    }

    /// An attribute of a translated resource. `span` is the place of the reference.
    pub fn attribute(
        &self,
        resource: &str,
        attribute: &str,
        path: &[Expr],
        span: Span,
    ) -> Result<AttributeValue, Box<Loss>> {
        let kind = self.type_of(resource).unwrap_or_default();
        self.attribute_of(kind, resource, self.expressed.get(resource), attribute, path, span)
    }

    /// An attribute of the objects of a definition with this type.
    pub fn attribute_of(
        &self,
        kind: &str,
        owner: &str,
        expressed: Option<&ResourceObjects>,
        attribute: &str,
        path: &[Expr],
        span: Span,
    ) -> Result<AttributeValue, Box<Loss>> {
        let lost = |why: String| {
            let kind = if kind.is_empty() { String::new() } else { format!(" ({kind})") };
            let message = format!("the attribute `{attribute}` of `{owner}`{kind}: {why}");
            Box::new(Loss::new(LossKind::Attribute, attribute, message, span).with_owner(owner))
        };
        let Some(mapping) = type_mapping(kind).filter(|_| expressed.is_some()) else {
            return Err(lost("the resource does not exist in the result".to_owned()));
        };
        let Some(it) = mapping.attributes.get(attribute) else {
            return Err(lost("the provider does not report it".to_owned()));
        };
        let requested =
            attributes::AttributeRequest { catalog: self, owner, objects: expressed, path };
        attributes::find(&requested, it).ok_or_else(|| {
            let why = it.note.as_deref().unwrap_or("something that it depends on is unknown");
            lost(why.to_owned())
        })
    }

    /// Translates a definition, and reports what cannot be expressed.
    pub fn definition(
        &self,
        definition: &ResourceDefinition<'_>,
        losses: &mut Losses,
    ) -> Option<ResourceObjects> {
        let mapping = type_mapping(definition.kind)?;
        match counterpart(definition.kind) {
            Counterpart::Nothing { .. } => None,
            Counterpart::Part => rules::part(self, mapping, definition, losses),
            Counterpart::Object(to) => {
                ResourceBuilder::new(self, mapping, to, *definition, losses).finish()
            }
        }
    }

    /// The type of a resource, after the registry is applied.
    pub(super) fn type_of(&self, resource: &str) -> Option<&str> {
        self.module.type_of(resource)
    }

    /// An attribute of a resource's main object, if its type has such an attribute.
    pub(super) fn object_attribute(&self, resource: &str, name: &str) -> Option<Argument> {
        let to = type_mapping(self.type_of(resource)?)?.to.as_deref()?;
        ProviderSchema::get().argument(to, name)?;
        Some(provider_attribute(resource, 0, name))
    }

    /// The resource that an expression refers to.
    pub(super) fn referenced_resource<'e>(&self, expr: &'e Expr) -> Option<&'e str> {
        match &expr.kind {
            ExprKind::Resource(name) => name.as_text(),
            _ => None,
        }
    }
}

/// An attribute of an object, as an argument.
pub(super) fn provider_attribute(resource: &str, index: usize, name: &str) -> Argument {
    Argument::Attribute {
        object: ObjectRef { resource: resource.to_owned(), index },
        path: vec![AttributeStep::Key(name.to_owned())],
    }
}

/// The attribute that is the reference ID.
pub(super) fn reference_name(mapping: &TypeMapping) -> &str {
    mapping.reference.as_deref().unwrap_or("id")
}
