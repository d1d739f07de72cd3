//! The arguments that templates pass to the templates that they nest, as they are written: those of resources that a condition
//! disables, and of groups without members, too.

use super::stacks::CheckedStack;
use heat_engine::environment::registry::is_template_name;
use heat_engine::eval::template_graph::{ResolvedImplementation, TemplateNode};
use heat_template::ir::{Expr, ExprKind};
use heat_template::schema::MemberDefinition;
use source_diagnostics::Span;

/// An argument for a parameter of a nested template.
pub(super) struct Argument<'a> {
    /// The type of the resource: that of the registry, or a file. Empty if it is computed.
    pub(super) kind: &'a str,
    /// The URL of the nested template; `None` if nothing is known that implements the type.
    pub(super) url: Option<String>,
    /// The name of the parameter.
    pub(super) name: &'a str,
    /// The place of the name.
    pub(super) span: Span,
}

impl Argument<'_> {
    /// Whether the resource names the file, and not a type that the registry maps to it.
    pub(super) fn names_file(&self) -> bool {
        is_template_name(self.kind)
    }
}

/// The arguments in the templates that users wrote.
pub(super) fn arguments<'a>(stacks: &[CheckedStack<'a>]) -> Vec<Argument<'a>> {
    let mut arguments = Vec::new();
    for stack in stacks.iter().filter(|stack| stack.is_written()) {
        let node = &*stack.deployed.node;
        for (name, resource) in &stack.stack().resources {
            let Some(kind) = &resource.kind else { continue };
            if let Some(implementation) = node.implementations.get(name) {
                let properties = resource.properties.as_ref();
                let found = collect(node, &kind.text, implementation, properties);
                arguments.extend(found);
            }
        }
    }
    arguments
}

fn collect<'a>(
    node: &TemplateNode,
    kind: &'a str,
    implementation: &ResolvedImplementation,
    properties: Option<&'a Expr>,
) -> Vec<Argument<'a>> {
    let Some(properties) = properties else { return Vec::new() };
    match implementation {
        ResolvedImplementation::Template(template) => passed(kind, Some(&template.url), properties),
        ResolvedImplementation::NotFound(_) => passed(kind, None, properties),
        ResolvedImplementation::Group(group) => {
            let (kinds, of_members) = match group.group.members() {
                Some(MemberDefinition::Definition(name)) => {
                    let of = |part| properties.member(name)?.member(part);
                    (of("type"), of("properties"))
                }
                // The types of a chain share its properties.
                Some(MemberDefinition::Chain { types, properties: shared }) => {
                    (properties.member(types), properties.member(shared))
                }
                None => (None, None),
            };
            let is_computed = kinds
                .is_some_and(|it| it.as_text().is_none() && !matches!(it.kind, ExprKind::List(_)));
            let of_computed = of_members.filter(|_| is_computed);
            let mut arguments = of_computed.map_or_else(Vec::new, |it| passed("", None, it));
            let kinds = match kinds.map(|kinds| &kinds.kind) {
                Some(ExprKind::List(items)) => &items[..],
                _ => kinds.map_or(&[][..], std::slice::from_ref),
            };
            for kind in kinds.iter().filter_map(Expr::as_text) {
                let implementation = node.member_implementation(group, &kind.into());
                arguments.extend(collect(node, kind, &implementation, of_members));
            }
            arguments
        }
        ResolvedImplementation::Plugin(..)
        | ResolvedImplementation::Shipped(_)
        | ResolvedImplementation::Candidates => Vec::new(),
    }
}

fn passed<'a>(kind: &'a str, url: Option<&String>, properties: &'a Expr) -> Vec<Argument<'a>> {
    let ExprKind::Map(pairs) = &properties.kind else { return Vec::new() };
    let named = pairs.iter().filter_map(|pair| Some((pair.key.as_text()?, pair.key.span)));
    named.map(|(name, span)| Argument { kind, url: url.cloned(), name, span }).collect()
}
