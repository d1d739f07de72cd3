//! Where groups define their members.
//!
//! Heat's rules: `docs/heat.md#members-of-a-resourcegroup`, `docs/heat.md#autoscalinggroup`.

use heat_template::ir::Expr;
use heat_template::schema::{GroupKind, Schema};

/// Where the properties of a group define its members.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MemberDefinition {
    /// This property is a definition with `type` and `properties`.
    Definition(&'static str),
    /// One property lists types, the other has the properties of all members.
    Chain {
        /// The list of types.
        types: &'static str,
        /// The properties of every member.
        properties: &'static str,
    },
}

impl MemberDefinition {
    /// Where resources of this type define their members, if they are groups.
    pub(super) fn of(kind: &str, schema: &Schema) -> Option<Self> {
        match schema.group(kind)? {
            GroupKind::Members => Some(MemberDefinition::Definition("resource_def")),
            GroupKind::Scaling => Some(MemberDefinition::Definition("resource")),
            GroupKind::Chain => Some(MemberDefinition::Chain {
                types: "resources",
                properties: "resource_properties",
            }),
            GroupKind::Template => None,
        }
    }
}

/// The type in the definition of a member, if it is written out.
pub(super) fn member_type(definition: &Expr) -> Option<&Expr> {
    definition.member("type").filter(|kind| kind.as_text().is_some())
}
