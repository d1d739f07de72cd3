//! Which attributes of a resource change when its properties are updated in place.
//!
//! Source: `docs/heat.md#attributes-of-an-updated-resource`.

use heat_template::schema::{PropertyConstraint, ResourceType, ValueType};

/// How an attribute follows a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Mirror {
    /// It is the property's value.
    Value,
    /// It is a list or map like the property's, in which the service fills in what is not given.
    Structure,
    /// The service derives it from the property and from more.
    Derived,
}

/// The attributes of a type, and the properties that they follow. An attribute follows the property of its own name, too; one
/// that is not named and has no such property stays the same in every update.
type Row = (&'static str, &'static [(&'static str, &'static [&'static str])]);

/// The types with attributes besides `show` and properties that can be updated in place, sorted by name. Of a type without a row
/// every attribute may change.
const ROWS: &[Row] = &[
    (
        "AWS::AutoScaling::AutoScalingGroup",
        &[("InstanceList", &["DesiredCapacity", "LaunchConfigurationName", "MaxSize", "MinSize"])],
    ),
    ("AWS::AutoScaling::ScalingPolicy", &[]),
    ("AWS::CloudFormation::WaitCondition", &[("Data", &["Count"])]),
    ("AWS::EC2::EIP", &[]),
    (
        "AWS::EC2::Instance",
        &[
            ("PrivateDnsName", &["NetworkInterfaces", "SubnetId"]),
            ("PrivateIp", &["NetworkInterfaces", "SubnetId"]),
            ("PublicDnsName", &["NetworkInterfaces", "SubnetId"]),
            ("PublicIp", &["NetworkInterfaces", "SubnetId"]),
        ],
    ),
    ("AWS::EC2::NetworkInterface", &[]),
    ("AWS::ElasticLoadBalancing::LoadBalancer", &[("DNSName", &["SecurityGroups"])]),
    (
        "OS::Cinder::Volume",
        &[
            ("bootable", &["backup_id"]),
            ("display_description", &["description"]),
            ("display_name", &["name"]),
            ("encrypted", &["volume_type"]),
            ("metadata", &["metadata"]),
            ("metadata_values", &["metadata"]),
        ],
    ),
    (
        "OS::Designate::Zone",
        &[("serial", &["description", "email", "masters", "primaries", "ttl"])],
    ),
    (
        "OS::Heat::AutoScalingGroup",
        &[("current_size", &["desired_capacity", "max_size", "min_size"])],
    ),
    (
        "OS::Heat::DeployedServer",
        &[("os_collect_config", &["deployment_swift_data", "software_config_transport"])],
    ),
    ("OS::Heat::InstanceGroup", &[("InstanceList", &["LaunchConfigurationName", "Size"])]),
    ("OS::Heat::ResourceChain", &[]),
    (
        "OS::Heat::ResourceGroup",
        &[("removed_rsrc_list", &["removal_policies", "removal_policies_mode"])],
    ),
    ("OS::Heat::ScalingPolicy", &[]),
    ("OS::Heat::Stack", &[]),
    ("OS::Heat::TestResource", &[("output", &["value"])]),
    ("OS::Heat::Value", &[("value", &["type"])]),
    ("OS::Heat::WaitCondition", &[("data", &["count"])]),
    ("OS::Ironic::Port", &[("node_uuid", &["node"]), ("portgroup_uuid", &["portgroup"])]),
    ("OS::Keystone::Project", &[("domain_id", &["domain"])]),
    (
        "OS::Keystone::User",
        &[
            ("default_project_id", &["default_project"]),
            ("domain_id", &["domain"]),
            ("password_expires_at", &["password"]),
        ],
    ),
    (
        "OS::Magnum::Cluster",
        &[
            ("master_addresses", &["master_count"]),
            ("node_addresses", &["node_count"]),
            ("status", &["create_timeout", "discovery_url", "master_count", "node_count"]),
            ("status_reason", &["create_timeout", "discovery_url", "master_count", "node_count"]),
        ],
    ),
    ("OS::Manila::Share", &[]),
    (
        "OS::Manila::ShareNetwork",
        &[
            ("cidr", &["neutron_network", "neutron_subnet", "nova_network"]),
            ("ip_version", &["neutron_network", "neutron_subnet", "nova_network"]),
            ("network_type", &["neutron_network", "neutron_subnet", "nova_network"]),
            ("segmentation_id", &["neutron_network", "neutron_subnet", "nova_network"]),
        ],
    ),
    ("OS::Neutron::Firewall", &[("status", &["admin_state_up", "firewall_policy_id"])]),
    ("OS::Neutron::FirewallPolicy", &[("firewall_rules", &["firewall_rules"])]),
    ("OS::Neutron::FirewallRule", &[]),
    ("OS::Neutron::FloatingIP", &[("fixed_ip_address", &["port_id"]), ("router_id", &["port_id"])]),
    ("OS::Neutron::IKEPolicy", &[]),
    ("OS::Neutron::IPsecPolicy", &[]),
    ("OS::Neutron::IPsecSiteConnection", &[("status", &["admin_state_up"])]),
    ("OS::Neutron::Net", &[("qos_policy_id", &["qos_policy"])]),
    ("OS::Neutron::NetworkGateway", &[]),
    (
        "OS::Neutron::Port",
        &[
            ("dns_assignment", &["dns_name", "fixed_ips", "no_fixed_ips"]),
            ("fixed_ips", &["no_fixed_ips"]),
            ("qos_policy_id", &["qos_policy"]),
            ("security_groups", &["security_groups"]),
            ("status", &["admin_state_up"]),
            ("subnets", &["fixed_ips", "no_fixed_ips"]),
        ],
    ),
    (
        "OS::Neutron::ProviderNet",
        &[("segments", &["network_type", "physical_network", "segmentation_id"])],
    ),
    ("OS::Neutron::QoSPolicy", &[]),
    ("OS::Neutron::Router", &[]),
    ("OS::Neutron::Subnet", &[]),
    ("OS::Neutron::Trunk", &[]),
    ("OS::Neutron::VPNService", &[("status", &["admin_state_up"])]),
    ("OS::Nova::Flavor", &[]),
    (
        "OS::Nova::Server",
        &[
            ("addresses", &["networks"]),
            ("first_address", &["networks"]),
            ("networks", &["networks"]),
            ("os_collect_config", &["deployment_swift_data", "software_config_transport"]),
        ],
    ),
    ("OS::Octavia::AvailabilityZone", &[]),
    ("OS::Octavia::Flavor", &[]),
    ("OS::Octavia::HealthMonitor", &[]),
    ("OS::Octavia::L7Policy", &[]),
    ("OS::Octavia::Listener", &[("default_pool_id", &["default_pool"])]),
    ("OS::Octavia::LoadBalancer", &[]),
    ("OS::Octavia::Pool", &[]),
    ("OS::Trove::Instance", &[]),
    ("OS::Zaqar::Queue", &[]),
    ("OS::Zun::Container", &[("addresses", &["networks"])]),
];

/// The row of a type whose attributes stay the same.
const EMPTY: Row = ("", &[]);

/// Keys of what a service shows of an object that no update changes.
const CONSTANT_KEYS: &[&str] =
    &["created", "created_at", "id", "project_id", "self", "tenant_id", "user_id", "uuid"];

/// Members of an attribute, and the member of the property that they follow: the property may have a name where the service has the
/// id.
const ID_MEMBERS: &[(&str, &str)] = &[("network_id", "network"), ("subnet_id", "subnet")];

/// Members of a property that no other member of the attribute follows.
const ISOLATED_MEMBERS: &[(&str, &str)] = &[("external_gateway_info", "enable_snat")];

/// Constraints on the form of a text. A property with any other custom constraint may hold a name where the attribute has the
/// id.
const FORMATS: &[&str] =
    &["cron_expression", "dns_domain", "dns_name", "ip_addr", "ip_or_cidr", "mac_addr", "net_cidr"];

/// The attributes of a resource, as they follow its properties.
#[derive(Clone, Copy, Default)]
pub(super) struct MirroredAttributes<'s> {
    info: Option<&'s ResourceType>,
    row: Option<&'static Row>,
}

impl<'s> MirroredAttributes<'s> {
    /// Those of a type; `name` is that of the plugin, after the resource registry is applied.
    pub(super) fn new(name: &str, info: &'s ResourceType) -> Self {
        // What has `show` alone needs no row.
        let row = row(name).or_else(|| (!has_own_attributes(info)).then_some(&EMPTY));
        MirroredAttributes { info: Some(info), row }
    }

    /// Those of a resource that represents a stack, without what it passes on from that stack.
    pub(super) fn beside_stack(name: &str) -> Self {
        MirroredAttributes { info: None, row: Some(row(name).unwrap_or(&EMPTY)) }
    }

    /// Every attribute may follow every property.
    pub(super) fn unknown() -> Self {
        MirroredAttributes::default()
    }

    /// The properties that can be updated in place; any name stands for those of an unknown type.
    pub(super) fn updatable_properties(&self) -> Vec<&'static str> {
        let Some(info) = self.info else { return vec![""] };
        info.properties.iter().filter(|(_, it)| it.update_allowed).map(|(name, _)| *name).collect()
    }

    /// How an attribute follows a property; `None` if it stays the same when that property is updated. `path` is what is read of it,
    /// with `None` for unknown steps.
    pub(super) fn mirror<S: AsRef<str>>(
        &self,
        attribute: &str,
        path: &[Option<S>],
        property: &str,
    ) -> Option<Mirror> {
        let Some((_, row)) = self.row else { return Some(Mirror::Derived) };
        if attribute == "show" {
            return self.info.and_then(|info| self.shown(info, path, property));
        }
        let follows = row.iter().any(|(name, of)| *name == attribute && of.contains(&property));
        if follows {
            return Some(Mirror::Derived);
        }
        let info = self.info.filter(|_| attribute == property)?;
        let Some(facts) = info.property(property) else {
            return Some(Mirror::Derived);
        };
        Some(match facts.value_type {
            ValueType::List | ValueType::Map => Mirror::Structure,
            _ if facts.constraints.iter().all(is_format) => Mirror::Value,
            _ => Mirror::Derived,
        })
    }

    /// How what the service shows of an object follows a property.
    fn shown<S: AsRef<str>>(
        &self,
        info: &ResourceType,
        path: &[Option<S>],
        property: &str,
    ) -> Option<Mirror> {
        let Some(Some(key)) = path.first() else { return Some(Mirror::Derived) };
        let key = key.as_ref();
        let follows = if CONSTANT_KEYS.contains(&key) {
            false
        } else if info.attribute(key).is_some() && key != "show" {
            self.mirror(key, &path[1..], property).is_some()
        } else {
            key == property || info.property(key).is_none()
        };
        follows.then_some(Mirror::Derived)
    }

    /// The attributes that follow a property; `None` for every attribute.
    pub(super) fn followers(&self, property: &str) -> Option<Vec<&'static str>> {
        let (_, row) = self.row?;
        let names = match self.info {
            Some(info) => info.attributes.keys().copied().collect(),
            None => row.iter().map(|(name, _)| *name).collect::<Vec<_>>(),
        };
        let follows = |name: &&str| self.mirror::<&str>(name, &[], property).is_some();
        Some(names.into_iter().filter(follows).collect())
    }
}

/// The member of a property that a member of the attribute follows, and whether the two are the same value.
pub(super) fn followed_member(member: &str) -> (&str, bool) {
    let found = ID_MEMBERS.iter().find(|(id, _)| *id == member);
    found.map_or((member, true), |(_, name)| (*name, false))
}

/// Whether a change of a member of a property leaves every other member of the attribute as it is.
pub(super) fn is_isolated(property: &str, member: &str) -> bool {
    ISOLATED_MEMBERS.contains(&(property, member))
}

fn row(name: &str) -> Option<&'static Row> {
    ROWS.binary_search_by_key(&name, |(name, _)| name).ok().map(|at| &ROWS[at])
}

fn has_own_attributes(info: &ResourceType) -> bool {
    info.dynamic_attributes || info.attributes.keys().any(|name| *name != "show")
}

fn is_format(constraint: &PropertyConstraint) -> bool {
    !matches!(constraint, PropertyConstraint::Custom(name) if !FORMATS.contains(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use heat_template::schema::Schema;

    /// The types whose attributes come from what they run, and from templates.
    const WITHOUT_ROW: &[&str] = &[
        "AWS::CloudFormation::Stack",
        "AWS::CloudWatch::Alarm",
        "AWS::RDS::DBInstance",
        "OS::Heat::SoftwareDeployment",
        "OS::Heat::SoftwareDeploymentGroup",
        "OS::Heat::SoftwareDeployments",
        "OS::Heat::StructuredDeployment",
        "OS::Heat::StructuredDeploymentGroup",
        "OS::Heat::StructuredDeployments",
        "OS::Mistral::ExternalResource",
        "OS::Mistral::Workflow",
    ];

    #[test]
    fn every_type_whose_attributes_can_change_has_a_row() {
        assert!(ROWS.is_sorted_by_key(|(name, _)| name));
        let types = Schema::heat().types.iter();
        let can_change = types.filter(|(_, info)| {
            has_own_attributes(info) && info.properties.values().any(|it| it.update_allowed)
        });
        let mut wanted: Vec<&str> = can_change.map(|(name, _)| name).collect();
        wanted.retain(|name| !WITHOUT_ROW.contains(name));
        assert_eq!(ROWS.iter().map(|(name, _)| *name).collect::<Vec<_>>(), wanted);
    }

    #[test]
    fn rows_name_attributes_and_updatable_properties_that_there_are() {
        for (kind, row) in ROWS {
            let info = Schema::heat().types.get(kind).expect(kind);
            assert!(row.is_sorted_by_key(|(name, _)| name), "{kind}");
            for (attribute, properties) in *row {
                assert!(info.attribute(attribute).is_some(), "{kind}: {attribute}");
                assert!(properties.is_sorted(), "{kind}: {attribute}");
                for property in *properties {
                    let facts = info.property(property).expect(property);
                    assert!(facts.update_allowed, "{kind}: {property}");
                }
            }
        }
    }

    fn mirror(kind: &str, read: &str, property: &str) -> Option<Mirror> {
        let info = Schema::heat().types.get(kind).expect(kind);
        let mut steps = read.split('.');
        let attribute = steps.next().expect("a name");
        let path: Vec<Option<&str>> = steps.map(Some).collect();
        MirroredAttributes::new(kind, info).mirror(attribute, &path, property)
    }

    #[test]
    fn an_attribute_follows_the_property_of_its_name_and_those_of_its_row() {
        let of_port = |read, property| mirror("OS::Neutron::Port", read, property);
        assert_eq!(of_port("name", "name"), Some(Mirror::Value));
        assert_eq!(of_port("name", "tags"), None);
        assert_eq!(of_port("fixed_ips", "fixed_ips"), Some(Mirror::Structure));
        assert_eq!(of_port("fixed_ips", "no_fixed_ips"), Some(Mirror::Derived));
        assert_eq!(of_port("mac_address", "fixed_ips"), None);
        assert_eq!(of_port("security_groups", "security_groups"), Some(Mirror::Derived));
        let of_server = |read, property| mirror("OS::Nova::Server", read, property);
        assert_eq!(of_server("first_address", "networks"), Some(Mirror::Derived));
        assert_eq!(of_server("first_address", "image"), None);
        assert_eq!(of_server("networks", "networks"), Some(Mirror::Derived));
    }

    #[test]
    fn what_a_service_shows_follows_what_is_read_of_it() {
        let of_port = |read, property| mirror("OS::Neutron::Port", read, property);
        assert_eq!(of_port("show", "tags"), Some(Mirror::Derived));
        assert_eq!(of_port("show.id", "name"), None);
        assert_eq!(of_port("show.mac_address", "fixed_ips"), None);
        assert_eq!(of_port("show.fixed_ips.0.ip_address", "fixed_ips"), Some(Mirror::Derived));
        assert_eq!(of_port("show.revision_number", "name"), Some(Mirror::Derived));
        // A type with `show` alone.
        assert_eq!(mirror("OS::Octavia::PoolMember", "show.address", "weight"), None);
        assert_eq!(
            mirror("OS::Octavia::PoolMember", "show.weight", "weight"),
            Some(Mirror::Derived)
        );
    }

    #[test]
    fn every_attribute_of_a_type_without_a_row_may_change() {
        let kind = "OS::Heat::SoftwareDeployment";
        assert_eq!(mirror(kind, "anything", "config"), Some(Mirror::Derived));
        let info = Schema::heat().types.get(kind).expect(kind);
        assert_eq!(MirroredAttributes::new(kind, info).followers("config"), None);
    }
}
