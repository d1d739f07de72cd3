//! What a resource is to those who run a stack: it decides how much its loss hurts, and in which words reports count it.

use schemars::JsonSchema;
use serde::Serialize;

/// The role of a resource, the one whose loss hurts most first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ResourceRole {
    /// It holds data: a volume, a database, a share, an image, objects, secrets.
    Data,
    /// A server, or a cluster of servers.
    Server,
    /// A load balancer.
    LoadBalancer,
    /// Anything else that exists in the cloud, and every type that hotplate does not know.
    Other,
    /// Only text or numbers that other resources read, or their deployment to servers: replacing it costs nothing.
    Configuration,
    /// A nested stack or a group, whose resources have roles of their own.
    Stack,
}

/// The roles of the types of Heat 27, with the noun for one resource. A type without a row is [`ResourceRole::Other`].
const ROLES: &[(&str, ResourceRole, &str)] = &[
    ("AWS::AutoScaling::LaunchConfiguration", ResourceRole::Configuration, "configuration"),
    ("AWS::CloudFormation::WaitCondition", ResourceRole::Configuration, "configuration"),
    ("AWS::CloudFormation::WaitConditionHandle", ResourceRole::Configuration, "configuration"),
    ("AWS::EC2::Instance", ResourceRole::Server, "server"),
    ("AWS::EC2::Volume", ResourceRole::Data, "volume"),
    ("AWS::ElasticLoadBalancing::LoadBalancer", ResourceRole::LoadBalancer, "load balancer"),
    ("AWS::S3::Bucket", ResourceRole::Data, "object container"),
    ("OS::Barbican::Secret", ResourceRole::Data, "secret"),
    ("OS::Cinder::Volume", ResourceRole::Data, "volume"),
    ("OS::Glance::Image", ResourceRole::Data, "image"),
    ("OS::Glance::WebImage", ResourceRole::Data, "image"),
    ("OS::Heat::CloudConfig", ResourceRole::Configuration, "configuration"),
    ("OS::Heat::Delay", ResourceRole::Configuration, "configuration"),
    ("OS::Heat::DeployedServer", ResourceRole::Server, "server"),
    ("OS::Heat::MultipartMime", ResourceRole::Configuration, "configuration"),
    ("OS::Heat::None", ResourceRole::Configuration, "configuration"),
    ("OS::Heat::SoftwareComponent", ResourceRole::Configuration, "configuration"),
    ("OS::Heat::SoftwareConfig", ResourceRole::Configuration, "configuration"),
    ("OS::Heat::SoftwareDeployment", ResourceRole::Configuration, "configuration"),
    ("OS::Heat::SoftwareDeploymentGroup", ResourceRole::Configuration, "configuration"),
    ("OS::Heat::StructuredConfig", ResourceRole::Configuration, "configuration"),
    ("OS::Heat::StructuredDeployment", ResourceRole::Configuration, "configuration"),
    ("OS::Heat::StructuredDeploymentGroup", ResourceRole::Configuration, "configuration"),
    ("OS::Heat::SwiftSignal", ResourceRole::Configuration, "configuration"),
    ("OS::Heat::SwiftSignalHandle", ResourceRole::Configuration, "configuration"),
    ("OS::Heat::UpdateWaitConditionHandle", ResourceRole::Configuration, "configuration"),
    ("OS::Heat::Value", ResourceRole::Configuration, "configuration"),
    ("OS::Heat::WaitCondition", ResourceRole::Configuration, "configuration"),
    ("OS::Heat::WaitConditionHandle", ResourceRole::Configuration, "configuration"),
    ("OS::Magnum::Cluster", ResourceRole::Server, "cluster"),
    ("OS::Manila::Share", ResourceRole::Data, "share"),
    ("OS::Neutron::LBaaS::LoadBalancer", ResourceRole::LoadBalancer, "load balancer"),
    ("OS::Neutron::LoadBalancer", ResourceRole::LoadBalancer, "load balancer"),
    ("OS::Neutron::Pool", ResourceRole::LoadBalancer, "load balancer"),
    ("OS::Nova::Server", ResourceRole::Server, "server"),
    ("OS::Octavia::LoadBalancer", ResourceRole::LoadBalancer, "load balancer"),
    ("OS::Sahara::Cluster", ResourceRole::Server, "cluster"),
    ("OS::Senlin::Cluster", ResourceRole::Server, "cluster"),
    ("OS::Senlin::Node", ResourceRole::Server, "server"),
    ("OS::Swift::Container", ResourceRole::Data, "object container"),
    ("OS::Trove::Cluster", ResourceRole::Data, "database cluster"),
    ("OS::Trove::Instance", ResourceRole::Data, "database"),
    ("OS::Zaqar::Queue", ResourceRole::Data, "queue"),
    ("OS::Zun::Container", ResourceRole::Server, "container"),
];

/// What an update does to the data that a resource holds, the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DataEffect {
    /// The data is gone with the resource.
    Lost,
    /// The data is lost if the resource is replaced, which is unknown.
    MayBeLost,
    /// A snapshot of it is taken first (`deletion_policy: snapshot`).
    Snapshotted,
    /// The old resource stays in the cloud with its data, outside of the stack (`deletion_policy: retain`).
    Kept,
}

impl ResourceRole {
    /// The role of a type, after the resource registry is applied; `is_stack` if the resource represents a stack.
    pub fn of(kind: &str, is_stack: bool) -> Self {
        match row(kind) {
            Some((_, role, _)) => *role,
            None if is_stack => ResourceRole::Stack,
            None => ResourceRole::Other,
        }
    }
}

/// The noun for one resource of a type, such as `volume`.
pub(super) fn noun(kind: &str) -> &'static str {
    row(kind).map_or("resource", |(.., noun)| noun)
}

fn row(kind: &str) -> Option<&'static (&'static str, ResourceRole, &'static str)> {
    ROLES.binary_search_by_key(&kind, |(name, ..)| name).ok().map(|at| &ROLES[at])
}

#[cfg(test)]
mod tests {
    use super::*;
    use heat_template::schema::Schema;

    #[test]
    fn rows_are_in_order_and_name_types_that_there_are() {
        assert!(ROLES.is_sorted_by_key(|(name, ..)| name));
        for (name, ..) in ROLES {
            assert!(Schema::heat().types.get(name).is_some(), "{name}");
        }
    }
}
