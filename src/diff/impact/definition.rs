//! One side of a resource, as the decision sees it.

use heat_engine::environment::registry::{Implementation, Template};
use heat_engine::eval::deployment::{Child, Deployed};
use heat_engine::eval::typed::{self, Typed};
use heat_engine::eval::{Outcome, Resource, Value};
use heat_template::ir::{self, DeletionPolicy, Expr, ExprKind};
use heat_template::schema::{Plugin, ResourceType, Schema};
use source_diagnostics::Span;

/// A resource of one side, with what it is part of.
#[derive(Clone, Copy)]
pub(in crate::diff) struct Definition<'a> {
    pub(in crate::diff) name: &'a str,
    pub(in crate::diff) resource: &'a Resource,
    pub(in crate::diff) stack: &'a Deployed,
}

/// What implements a resource.
#[derive(Clone, Debug)]
pub(super) enum Implemented<'a> {
    /// A class of Heat, by the name of the type that it is registered as.
    Plugin(&'static str, &'static ResourceType),
    /// A template: its URL, and what is known of its properties.
    Template(String, Parameters<'a>),
    /// What the type stands for is not known, which was told.
    Nothing,
}

/// The properties of a resource that a template implements.
#[derive(Clone, Copy, Debug)]
pub(super) enum Parameters<'a> {
    /// The parameters of the template.
    Declared(&'a ir::Stack),
    /// Those of a template that is shipped with Heat.
    Shipped(&'static ResourceType),
    /// The template cannot be read, or no stack can be made of it.
    Unknown,
}

impl<'a> Definition<'a> {
    /// A resource of a stack, if the stack has it.
    pub(in crate::diff) fn new(stack: &'a Deployed, name: &'a str) -> Option<Self> {
        let resource = stack.evaluation.resources.as_ref()?.get(name)?;
        Some(Definition { name, resource, stack })
    }

    /// Where its name is written.
    pub(in crate::diff) fn place(&self) -> Span {
        self.written().map_or(Span::NOWHERE, |it| it.name_span)
    }

    /// Its type as the template writes it.
    pub(in crate::diff) fn written_type(&self) -> &'a str {
        let written = self.written().and_then(|it| it.kind.as_ref());
        written.map_or(self.resource.kind.as_str(), |kind| kind.text.as_str())
    }

    /// The URL of the template that implements it.
    pub(in crate::diff) fn template(&self) -> Option<String> {
        match self.implemented() {
            Implemented::Template(url, _) => Some(url),
            Implemented::Plugin(..) | Implemented::Nothing => None,
        }
    }

    /// What became of the stack that it stands for.
    pub(in crate::diff) fn child(&self) -> Option<&'a Child> {
        self.stack.children.get(self.name)
    }

    /// The definition as the template has it.
    pub(super) fn written(&self) -> Option<&'a ir::Resource> {
        self.stack.stack.resources.get(self.name)
    }

    /// The expression of a property, where the properties are a map.
    pub(super) fn property(&self, name: &str) -> Option<&'a Expr> {
        let ExprKind::Map(pairs) = &self.written()?.properties.as_ref()?.kind else { return None };
        let found = pairs.iter().rev().find(|pair: &&ir::Pair| pair.key.as_text() == Some(name));
        found.map(|pair| &pair.value)
    }

    /// Where a property is written; all of them, where one function yields them.
    pub(super) fn property_place(&self, name: &str) -> Option<Span> {
        let properties = self.written()?.properties.as_ref()?;
        match &properties.kind {
            ExprKind::Map(_) => self.property(name).map(|expr| expr.span),
            _ => Some(properties.span),
        }
    }

    /// What implements it.
    pub(super) fn implemented(&self) -> Implemented<'a> {
        match self.stack.registry.lookup(&self.resource.kind, Some(self.name)) {
            Ok(Implementation::Plugin(name)) => match Schema::heat().types.get(name) {
                Some(info) => Implemented::Plugin(name, info),
                None => Implemented::Nothing,
            },
            Ok(Implementation::Template(Template::Shipped(file), _)) => {
                let mut types = Schema::heat().types.values();
                match types.find(|info| info.plugin == Plugin::Template(file)) {
                    Some(info) => Implemented::Template(file.to_owned(), Parameters::Shipped(info)),
                    None => Implemented::Nothing,
                }
            }
            Ok(Implementation::Template(template, _)) => {
                let url = match template {
                    Template::File(location) => location.url().to_owned(),
                    Template::Key(key) => key,
                    Template::Shipped(file) => file.to_owned(),
                };
                let parameters = match self.child() {
                    Some(Child::Stack(stack)) => Parameters::Declared(&stack.stack),
                    Some(Child::Unknown(_) | Child::Failed(_)) | None => Parameters::Unknown,
                };
                Implemented::Template(url, parameters)
            }
            Ok(Implementation::Candidates(_)) | Err(_) => Implemented::Nothing,
        }
    }

    /// Its properties as what implements it reads them; `None` where that is not known.
    pub(super) fn typed(&self, by: &Implemented<'_>) -> Option<Typed> {
        let properties = &self.resource.properties;
        match by {
            Implemented::Plugin(_, info) | Implemented::Template(_, Parameters::Shipped(info)) => {
                Some(typed::of_plugin(properties, info, self.resource.description.as_deref()))
            }
            Implemented::Template(_, Parameters::Declared(stack)) => {
                Some(typed::of_template(properties, &stack.parameters))
            }
            Implemented::Template(_, Parameters::Unknown) | Implemented::Nothing => None,
        }
    }

    /// The existing thing that it adopts.
    pub(super) fn external_id(&self) -> Option<&'a Outcome> {
        given(self.resource.external_id.as_ref())
    }

    /// Its metadata.
    pub(super) fn metadata(&self) -> Option<&'a Outcome> {
        given(self.resource.metadata.as_ref())
    }

    /// Its update policy.
    pub(super) fn update_policy(&self) -> Option<&'a Outcome> {
        given(self.resource.update_policy.as_ref())
    }

    /// Whether its deletion policy is written.
    pub(super) fn gives_deletion_policy(&self) -> bool {
        match self.written().and_then(|it| it.deletion_policy.as_ref()) {
            None => false,
            Some(DeletionPolicy::Other(expr)) => expr.kind != ExprKind::Null,
            Some(DeletionPolicy::Delete | DeletionPolicy::Retain | DeletionPolicy::Snapshot) => {
                true
            }
        }
    }
}

/// A part of a definition, which is none where it is null.
fn given(part: Option<&Outcome>) -> Option<&Outcome> {
    part.filter(|it| !matches!(it, Ok(Value::Null)))
}
