//! The stacks of a deployment, each with the place where the definitions of its resources are written.

use heat_engine::eval::EvaluatedResource;
use heat_engine::eval::deployment::{ChildStack, Deployed};
use heat_engine::eval::template_graph::ResolvedImplementation;
use heat_template::ir::{Expr, Resource, Stack};
use heat_template::schema::MemberDefinition;
use source_diagnostics::Span;
use source_diagnostics::cancellation::checkpoint;

/// A stack of a deployment.
#[derive(Clone, Copy, Debug)]
pub struct CheckedStack<'a> {
    /// The stack with its values.
    pub deployed: &'a Deployed,
    /// The group that generates the stack, if one does.
    group: Option<GroupDefinition<'a>>,
}

/// The resource of a group in the template that the user wrote.
#[derive(Clone, Copy, Debug)]
struct GroupDefinition<'a> {
    resource: Option<&'a Resource>,
    /// The definition of its members.
    members: Option<&'a Expr>,
    span: Span,
}

/// A resource of a stack, with the text that defines it.
#[derive(Clone, Copy, Debug)]
pub struct CheckedResource<'a> {
    /// Its name in the stack.
    pub name: &'a str,
    /// The results of its evaluation: the type, each property, metadata, policies.
    pub evaluated: &'a EvaluatedResource,
    /// The implementation of its type, if that is known.
    pub implementation: Option<&'a ResolvedImplementation>,
    /// The definition in a template that the user wrote; for a member of a group, that of the group.
    pub definition: Option<&'a Resource>,
    /// The properties as they are written.
    pub properties: Option<&'a Expr>,
    /// Where the type is written.
    pub type_span: Span,
}

impl<'a> CheckedStack<'a> {
    /// The stack at the root of a deployment.
    pub fn root(deployed: &'a Deployed) -> Self {
        CheckedStack { deployed, group: None }
    }

    /// The stack and all stacks below it.
    pub fn tree(deployed: &'a Deployed) -> Vec<CheckedStack<'a>> {
        CheckedStack::root(deployed).with_nested()
    }

    /// This stack and all stacks below it.
    pub fn with_nested(self) -> Vec<CheckedStack<'a>> {
        let mut stacks = Vec::new();
        self.collect(&mut stacks);
        stacks
    }

    /// The stack of a resource.
    pub fn child(&self, name: &str, child: &'a Deployed) -> CheckedStack<'a> {
        CheckedStack { deployed: child, group: self.group_of(name) }
    }

    fn collect(self, stacks: &mut Vec<CheckedStack<'a>>) {
        stacks.push(self);
        for (name, child) in &self.deployed.children {
            if let ChildStack::Stack(child) = child {
                self.child(name, child).collect(stacks);
            }
        }
    }

    /// The group that generates the stack of this resource.
    fn group_of(&self, name: &str) -> Option<GroupDefinition<'a>> {
        let implementation = self.deployed.node.implementations.get(name)?;
        let ResolvedImplementation::Group(group) = implementation else { return None };
        let definition = match self.group {
            // A group of groups: the inner definition is in that of the outer one.
            Some(outer) => GroupDefinition {
                members: outer.members.and_then(|it| it.member("properties")),
                ..outer
            },
            None => {
                let resource = self.deployed.stack.resources.get(name)?;
                let members = resource.properties.as_ref();
                GroupDefinition { resource: Some(resource), members, span: resource.kind_span() }
            }
        };
        let members = match group.group.members() {
            Some(MemberDefinition::Definition(name)) => {
                definition.members.and_then(|it| it.member(name))
            }
            // The types of a chain are a list, which its members share the properties of.
            Some(MemberDefinition::Chain { .. }) | None => definition.members,
        };
        Some(GroupDefinition { members, ..definition })
    }

    /// Whether the user wrote the template, so that its expressions have places.
    pub fn is_written(&self) -> bool {
        self.group.is_none()
    }

    /// The template of the stack.
    pub fn stack(&self) -> &'a Stack {
        &self.deployed.stack
    }

    /// The enabled resources.
    pub fn resources(self) -> impl Iterator<Item = CheckedResource<'a>> {
        let evaluated = self.deployed.evaluation.resources.iter().flatten();
        evaluated.map(move |(name, evaluated)| {
            checkpoint();
            self.checked(name, evaluated)
        })
    }

    /// The resource of a name.
    pub fn resource(self, name: &str) -> Option<CheckedResource<'a>> {
        let (name, evaluated) = self.deployed.evaluation.resources.as_ref()?.get_key_value(name)?;
        Some(self.checked(name, evaluated))
    }

    fn checked(self, name: &'a str, evaluated: &'a EvaluatedResource) -> CheckedResource<'a> {
        let implementation = self.deployed.node.implementations.get(name);
        let own = self.deployed.stack.resources.get(name);
        match self.group {
            None => CheckedResource {
                name,
                evaluated,
                implementation,
                definition: own,
                properties: own.and_then(|own| own.properties.as_ref()),
                type_span: own.map_or(Span::NOWHERE, Resource::kind_span),
            },
            Some(group) => CheckedResource {
                name,
                evaluated,
                implementation,
                definition: group.resource,
                properties: group.members.and_then(|members| {
                    members.member("properties").or_else(|| members.member("resource_properties"))
                }),
                type_span: group
                    .members
                    .and_then(|members| members.member("type"))
                    .map_or(group.span, |kind| kind.span),
            },
        }
    }
}
