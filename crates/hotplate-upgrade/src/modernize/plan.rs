//! Walks the resources of a template and the members of groups, and proposes the rewrites.

use std::collections::HashSet;

use super::moves::renamings;
use super::proposals::Proposals;
use super::{Modernize, ModernizePlan, common, plugin_type};
use heat_template::hot::LoweredHot;
use heat_template::ir::{Expr, ExprKind};
use heat_template::schema::{HeatGroup, MemberDefinition, Schema};
use lossless_yaml::{Document, NodeId};

/// Plans the rewrites of a template; `replaced` are the nodes that other rewrites replace.
pub(crate) fn plan(
    document: &Document,
    lowered: &LoweredHot,
    schema: &'static Schema,
    modernize: &Modernize,
    replaced: &HashSet<NodeId>,
) -> ModernizePlan {
    let mut planner = Planner {
        document,
        lowered,
        schema,
        modernize,
        replaced,
        proposals: Proposals::new(document),
    };
    for (name, resource) in &lowered.stack.resources {
        let Some(kind) = &resource.kind else { continue };
        let properties = resource.properties.as_ref();
        planner.resource_type(&kind.text, kind.span, Some((name, properties)));
        planner.definition(&kind.text, properties);
    }
    planner.proposals.finish(modernize)
}

/// The walk over a template; `properties.rs` and `types.rs` have its parts.
pub(super) struct Planner<'a> {
    pub(super) document: &'a Document,
    pub(super) lowered: &'a LoweredHot,
    pub(super) schema: &'static Schema,
    pub(super) modernize: &'a Modernize,
    /// The nodes that rewrites for the version replace.
    pub(super) replaced: &'a HashSet<NodeId>,
    pub(super) proposals: Proposals<'a>,
}

impl Planner<'_> {
    /// A resource or a member of a group, without its type.
    fn definition(&mut self, kind: &str, properties: Option<&Expr>) {
        let Some(written) = properties else { return };
        let Some(info) = plugin_type(self.schema, self.modernize, kind) else { return };
        match self.schema.group(kind).and_then(HeatGroup::members) {
            None => self.properties(&renamings(info, self.modernize.heat), written),
            Some(MemberDefinition::Definition(property)) => {
                if let Some(definition) = written.member(property) {
                    self.member(definition);
                } else if !matches!(written.kind, ExprKind::Map(_)) {
                    self.proposals.unseen(written, "the definition of the members");
                }
            }
            Some(MemberDefinition::Chain { types, properties }) => {
                let Some(ExprKind::List(kinds)) = written.member(types).map(|it| &it.kind) else {
                    self.proposals
                        .unseen(written.member(types).unwrap_or(written), "the list of types");
                    return;
                };
                for kind in kinds {
                    if let Some(text) = kind.as_text() {
                        self.resource_type(text, kind.span, None);
                    }
                }
                let all = |kind: &Expr| {
                    let info = plugin_type(self.schema, self.modernize, kind.as_text()?)?;
                    Some(renamings(info, self.modernize.heat))
                };
                let of_all = common(kinds.iter().map(all));
                if let Some(written) = written.member(properties) {
                    self.properties(&of_all, written);
                }
            }
        }
    }

    fn member(&mut self, definition: &Expr) {
        match &definition.kind {
            ExprKind::Map(_) => {
                let Some(kind) = member_type(definition) else {
                    return self.proposals.unseen(definition, "the type of the members");
                };
                let text = kind.as_text().unwrap_or_default();
                self.resource_type(text, kind.span, None);
                self.definition(text, definition.member("properties"));
            }
            _ => self.proposals.unseen(definition, "the definition of the members"),
        }
    }
}

/// The type in the definition of a member, if it is written out.
pub(super) fn member_type(definition: &Expr) -> Option<&Expr> {
    definition.member("type").filter(|kind| kind.as_text().is_some())
}
