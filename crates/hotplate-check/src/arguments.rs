//! The arguments that templates pass to the templates that they nest, as they are written: those of resources that a condition
//! disables, and of groups without members, too.

use super::stacks::CheckedStack;
use heat_engine::environment::registry::is_template_name;
use heat_engine::eval::HeatGroup;
use heat_engine::eval::template_graph::{ResolvedImplementation, TemplateNode};
use heat_template::ir::{Expr, ExprKind};
use source_diagnostics::Span;

/// An argument for a parameter of a nested template.
pub(super) struct Argument<'a> {
    /// The URL of the nested template.
    pub(super) url: String,
    /// The name of the parameter.
    pub(super) name: &'a str,
    /// The place of the name.
    pub(super) span: Span,
    /// Whether the resource names the file, and not a type that the registry maps to it.
    pub(super) names_file: bool,
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
                collect(node, &kind.text, implementation, properties, &mut arguments);
            }
        }
    }
    arguments
}

fn collect<'a>(
    node: &TemplateNode,
    kind: &str,
    implementation: &ResolvedImplementation,
    properties: Option<&'a Expr>,
    arguments: &mut Vec<Argument<'a>>,
) {
    let Some(properties) = properties else { return };
    match implementation {
        ResolvedImplementation::Template(template) => {
            let ExprKind::Map(pairs) = &properties.kind else { return };
            arguments.extend(pairs.iter().filter_map(|pair| {
                let (url, names_file) = (template.url.clone(), is_template_name(kind));
                Some(Argument { url, name: pair.key.as_text()?, span: pair.key.span, names_file })
            }));
        }
        ResolvedImplementation::Group(group) => {
            let (kinds, of_members) = match group.group {
                HeatGroup::ResourceGroup | HeatGroup::AutoScalingGroup => {
                    let member = properties.member("resource_def");
                    let member = member.or_else(|| properties.member("resource"));
                    (
                        member.and_then(|it| it.member("type")),
                        member.and_then(|it| it.member("properties")),
                    )
                }
                // The types of a chain share its properties.
                HeatGroup::ResourceChain => {
                    (properties.member("resources"), properties.member("resource_properties"))
                }
                HeatGroup::DeploymentGroup { .. } => (None, None),
            };
            let kinds = match kinds.map(|kinds| &kinds.kind) {
                Some(ExprKind::List(items)) => &items[..],
                _ => kinds.map_or(&[][..], std::slice::from_ref),
            };
            for kind in kinds.iter().filter_map(Expr::as_text) {
                let implementation = node.member_implementation(group, &kind.into());
                collect(node, kind, &implementation, of_members, arguments);
            }
        }
        ResolvedImplementation::Plugin(..)
        | ResolvedImplementation::Shipped(_)
        | ResolvedImplementation::Candidates
        | ResolvedImplementation::NotFound(_) => {}
    }
}
