//! One side of a resource, as the decision sees it.

use heat_engine::environment::registry::{Implementation, NestedTemplate};
use heat_engine::eval::deployment::{ChildStack, Deployed};
use heat_engine::eval::typed_properties::{self, TypedProperties};
use heat_engine::eval::{EvalOutcome, EvaluatedResource, Value};
use heat_template::ir::{self, DeletionPolicy, Expr, ExprKind};
use heat_template::schema::{Plugin, ResourceType, Schema};
use source_diagnostics::Span;

/// A resource of one side, with what it is part of.
#[derive(Clone, Copy)]
pub(in crate::diff) struct ResourceDefinition<'a> {
    pub(in crate::diff) name: &'a str,
    pub(in crate::diff) resource: &'a EvaluatedResource,
    pub(in crate::diff) stack: &'a Deployed,
}

/// What implements a resource.
#[derive(Clone, Debug)]
pub(super) enum ResourceImplementation<'a> {
    /// A class of Heat, by the name of the type that it is registered as.
    Plugin(&'static str, &'static ResourceType),
    /// A template: its URL, and what is known of its properties.
    Template(String, TemplateProperties<'a>),
    /// What the type stands for is not known, which was told.
    Unknown,
}

/// The properties of a resource that a template implements.
#[derive(Clone, Copy, Debug)]
pub(super) enum TemplateProperties<'a> {
    /// The parameters of the template.
    Declared(&'a ir::Stack),
    /// Those of a template that is shipped with Heat.
    Shipped(&'static ResourceType),
    /// The template cannot be read, or no stack can be made of it.
    Unknown,
}

impl<'a> ResourceDefinition<'a> {
    /// A resource of a stack, if the stack has it.
    pub(in crate::diff) fn new(stack: &'a Deployed, name: &'a str) -> Option<Self> {
        let resource = stack.evaluation.resources.as_ref()?.get(name)?;
        Some(ResourceDefinition { name, resource, stack })
    }

    /// Where its name is written.
    pub(in crate::diff) fn name_span(&self) -> Span {
        self.source().map_or(Span::NOWHERE, |it| it.name_span)
    }

    /// Its type as the template writes it.
    pub(in crate::diff) fn written_type(&self) -> &'a str {
        let written = self.source().and_then(|it| it.kind.as_ref());
        written.map_or(self.resource.kind.as_str(), |kind| kind.text.as_str())
    }

    /// The URL of the template that implements it.
    pub(in crate::diff) fn template(&self) -> Option<String> {
        match self.implementation() {
            ResourceImplementation::Template(url, _) => Some(url),
            ResourceImplementation::Plugin(..) | ResourceImplementation::Unknown => None,
        }
    }

    /// What became of the stack that it stands for.
    pub(in crate::diff) fn child(&self) -> Option<&'a ChildStack> {
        self.stack.children.get(self.name)
    }

    /// The definition as the template has it.
    pub(super) fn source(&self) -> Option<&'a ir::Resource> {
        self.stack.stack.resources.get(self.name)
    }

    /// The expression of a property, where the properties are a map.
    pub(super) fn property(&self, name: &str) -> Option<&'a Expr> {
        let ExprKind::Map(pairs) = &self.source()?.properties.as_ref()?.kind else { return None };
        let found = pairs.iter().rev().find(|pair: &&ir::Pair| pair.key.as_text() == Some(name));
        found.map(|pair| &pair.value)
    }

    /// Where a property is written; all of them, where one function yields them.
    pub(super) fn property_span(&self, name: &str) -> Option<Span> {
        let properties = self.source()?.properties.as_ref()?;
        match &properties.kind {
            ExprKind::Map(_) => self.property(name).map(|expr| expr.span),
            _ => Some(properties.span),
        }
    }

    /// What implements it.
    pub(super) fn implementation(&self) -> ResourceImplementation<'a> {
        match self.stack.registry.lookup(&self.resource.kind, Some(self.name)) {
            Ok(Implementation::Plugin(name)) => match Schema::heat().types.get(name) {
                Some(info) => ResourceImplementation::Plugin(name, info),
                None => ResourceImplementation::Unknown,
            },
            Ok(Implementation::Template(NestedTemplate::Shipped(file), _)) => {
                let mut types = Schema::heat().types.values();
                match types.find(|info| info.plugin == Plugin::Template(file)) {
                    Some(info) => ResourceImplementation::Template(
                        file.to_owned(),
                        TemplateProperties::Shipped(info),
                    ),
                    None => ResourceImplementation::Unknown,
                }
            }
            Ok(Implementation::Template(template, _)) => {
                let url = match template {
                    NestedTemplate::File(location) => location.url().to_owned(),
                    NestedTemplate::Key(key) => key,
                    NestedTemplate::Shipped(file) => file.to_owned(),
                };
                let parameters = match self.child() {
                    Some(ChildStack::Stack(stack)) => TemplateProperties::Declared(&stack.stack),
                    Some(ChildStack::Unknown(_) | ChildStack::Failed(_)) | None => {
                        TemplateProperties::Unknown
                    }
                };
                ResourceImplementation::Template(url, parameters)
            }
            Ok(Implementation::Candidates(_)) | Err(_) => ResourceImplementation::Unknown,
        }
    }

    /// Its properties as what implements it reads them; `None` where that is not known.
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

    /// The existing thing that it adopts.
    pub(super) fn external_id(&self) -> Option<&'a EvalOutcome> {
        non_null(self.resource.external_id.as_ref())
    }

    /// Its metadata.
    pub(super) fn metadata(&self) -> Option<&'a EvalOutcome> {
        non_null(self.resource.metadata.as_ref())
    }

    /// Its update policy.
    pub(super) fn update_policy(&self) -> Option<&'a EvalOutcome> {
        non_null(self.resource.update_policy.as_ref())
    }

    /// Whether its deletion policy is written.
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

/// A part of a definition, which is none where it is null.
fn non_null(part: Option<&EvalOutcome>) -> Option<&EvalOutcome> {
    part.filter(|it| !matches!(it, Ok(Value::Null)))
}
