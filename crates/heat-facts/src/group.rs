//! Resource types with members, and where their properties define the members.
//!
//! Heat's rules: `docs/heat.md#groups`.

/// A resource type that is a group of members.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HeatGroup {
    /// `OS::Heat::ResourceGroup`
    ResourceGroup,
    /// `OS::Heat::ResourceChain`
    ResourceChain,
    /// `OS::Heat::AutoScalingGroup`
    AutoScalingGroup,
    /// `OS::Heat::SoftwareDeploymentGroup`, `OS::Heat::StructuredDeploymentGroup`
    DeploymentGroup {
        /// Whether it is `OS::Heat::StructuredDeploymentGroup`.
        structured: bool,
    },
}

impl HeatGroup {
    /// The group type of a Heat plugin; `plugin` must not be an alias.
    pub fn of(plugin: &str) -> Option<Self> {
        match plugin {
            "OS::Heat::ResourceGroup" => Some(HeatGroup::ResourceGroup),
            "OS::Heat::ResourceChain" => Some(HeatGroup::ResourceChain),
            "OS::Heat::AutoScalingGroup" => Some(HeatGroup::AutoScalingGroup),
            "OS::Heat::SoftwareDeploymentGroup" | "OS::Heat::SoftwareDeployments" => {
                Some(HeatGroup::DeploymentGroup { structured: false })
            }
            "OS::Heat::StructuredDeploymentGroup" | "OS::Heat::StructuredDeployments" => {
                Some(HeatGroup::DeploymentGroup { structured: true })
            }
            _ => None,
        }
    }

    /// Where the properties of such a group define its members; `None` if they define each member by itself.
    pub fn members(self) -> Option<MemberDefinition> {
        match self {
            HeatGroup::ResourceGroup => Some(MemberDefinition::Definition("resource_def")),
            HeatGroup::AutoScalingGroup => Some(MemberDefinition::Definition("resource")),
            HeatGroup::ResourceChain => Some(MemberDefinition::Chain {
                types: "resources",
                properties: "resource_properties",
            }),
            HeatGroup::DeploymentGroup { .. } => None,
        }
    }

    /// The properties that determine the number of members; empty if the members are listed.
    pub fn size_properties(self) -> &'static [&'static str] {
        match self {
            HeatGroup::ResourceGroup => &["count"],
            HeatGroup::AutoScalingGroup => &["desired_capacity", "min_size"],
            HeatGroup::ResourceChain | HeatGroup::DeploymentGroup { .. } => &[],
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
