//! The role of a resource for those who run a stack: it decides how much its loss hurts, and in which words reports count it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use heat_template::schema::{Column, columns};

/// The role of a resource, the one whose loss hurts most first.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Default,
    Serialize,
    Deserialize,
    JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum ResourceRole {
    /// It holds data: a volume, a database, a share, an image, objects, secrets.
    Data,
    /// A server, or a cluster of servers.
    Server,
    /// A load balancer.
    LoadBalancer,
    /// Anything else that exists in the cloud, and every type that hotplate does not know.
    #[default]
    Other,
    /// Only text or numbers that other resources read, or their deployment to servers: replacing it costs nothing.
    Configuration,
    /// A nested stack or a group, whose resources have roles of their own.
    Stack,
}

/// The roles with the noun for one resource. A type without a row is [`ResourceRole::Other`].
static ROLES: Column<(ResourceRole, &str)> = Column::new(columns::ROLES);

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
        match ROLES.get(kind) {
            Some((role, _)) => *role,
            None if is_stack => ResourceRole::Stack,
            None => ResourceRole::Other,
        }
    }
}

/// The noun for one resource of a type, such as `volume`.
pub(super) fn noun(kind: &str) -> &'static str {
    ROLES.get(kind).map_or("resource", |(_, noun)| noun)
}
