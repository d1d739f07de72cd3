//! Resources with members, for which the path of `get_attr` does not simply index a value.
//!
//! Heat's rules: `docs/heat.md#get_attr-on-a-resourcegroup`, `docs/heat.md#autoscalinggroup`.

/// How a resource with members answers an attribute path.
///
/// Deployment groups and `AWS::CloudFormation::Stack` are nested stacks too, but index the value of the
/// attribute like any other resource, so they are not included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GroupKind {
    /// `OS::Heat::ResourceGroup`: members are named by index; `[attribute, path…]` gets from every
    /// member the attribute at the path.
    Members,
    /// `OS::Heat::ResourceChain`: like a group.
    Chain,
    /// `OS::Heat::AutoScalingGroup`: `outputs` and `outputs_list` take the member's attribute from
    /// the path.
    Scaling,
    /// A template used as a type: `resource.NAME` leads into it; its outputs are ordinary
    /// attributes.
    Template,
}

impl GroupKind {
    /// The kind of group of a resource type; `name` must not be an alias.
    pub fn of(name: &str) -> Option<GroupKind> {
        match name {
            "OS::Heat::ResourceGroup" => Some(GroupKind::Members),
            "OS::Heat::ResourceChain" => Some(GroupKind::Chain),
            "OS::Heat::AutoScalingGroup" => Some(GroupKind::Scaling),
            // Heat distinguishes a template from a type by the end of the name, case-sensitively.
            _ if name.ends_with(".yaml") || name.ends_with(".template") => {
                Some(GroupKind::Template)
            }
            _ => None,
        }
    }

    /// Where the properties of such a group define its members.
    pub fn members(self) -> Option<MemberDefinition> {
        match self {
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

/// Where the properties of a group define its members.
///
/// Heat's rules: `docs/heat.md#members-of-a-resourcegroup`, `docs/heat.md#autoscalinggroup`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemberDefinition {
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
