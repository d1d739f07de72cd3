//! The identity of list items in Heat's types: one row per list.

/// The identity of the items of a list.
#[derive(Debug)]
pub(crate) struct IdentityRule {
    /// The property or key whose value is the list.
    name: &'static str,
    /// The types that have this property; any type if empty.
    resource_types: &'static [&'static str],
    /// Sets of keys that identify an item together; each set is applied to the items that the previous ones left.
    pub(super) identity: &'static [&'static [&'static str]],
    /// Whether the list is a set to users: a removed item and an added one are unrelated.
    pub(super) is_set: bool,
}

const fn keyed(name: &'static str, identity: &'static [&'static [&'static str]]) -> IdentityRule {
    IdentityRule { name, resource_types: &[], identity, is_set: false }
}

impl IdentityRule {
    const fn of(mut self, kinds: &'static [&'static str]) -> Self {
        self.resource_types = kinds;
        self
    }
}

/// Lists of Heat's types whose items have an identity, or whose order is irrelevant to users. The first matching
/// row applies.
const RULES: &[IdentityRule] = &[
    // Addresses and networks.
    keyed(
        "networks",
        &[
            &["port"],
            &["network", "subnet", "fixed_ip"],
            &["uuid", "fixed_ip"],
            &["network", "subnet"],
            &["network"],
            &["uuid"],
            &["subnet"],
        ],
    ),
    keyed(
        "fixed_ips",
        &[&["subnet", "subnet_id", "ip_address"], &["subnet", "subnet_id"], &["ip_address"]],
    ),
    keyed("external_fixed_ips", &[&["subnet", "ip_address"], &["subnet"], &["ip_address"]]),
    keyed("allowed_address_pairs", &[&["ip_address", "mac_address"], &["ip_address"]]),
    keyed("allocation_pools", &[&["start", "end"], &["start"], &["end"]]),
    keyed("host_routes", &[&["destination", "nexthop"], &["destination"]]),
    keyed("routes", &[&["destination", "nexthop"], &["destination"]]),
    keyed("sub_ports", &[&["port"], &["segmentation_type", "segmentation_id"]]),
    keyed("connections", &[&["network", "network_id"]]),
    keyed("extra_dhcp_opts", &[&["opt_name", "ip_version"], &["opt_name"]]),
    keyed("members", &[&["address", "protocol_port"], &["address"]]),
    // Rules.
    keyed(
        "rules",
        &[
            &[
                "direction",
                "ethertype",
                "protocol",
                "port_range_min",
                "port_range_max",
                "remote_ip_prefix",
                "remote_group_id",
                "remote_mode",
            ],
            &["direction", "ethertype", "protocol", "port_range_min", "port_range_max"],
        ],
    )
    .of(&["OS::Neutron::SecurityGroup"]),
    keyed("SecurityGroupIngress", AWS_RULES),
    keyed("SecurityGroupEgress", AWS_RULES),
    keyed("access_rules", &[&["access_type", "access_to"]]),
    keyed("roles", &[&["role", "project", "domain"], &["role"]]),
    keyed("query", &[&["field", "op", "type"], &["field"]]),
    // Disks and devices.
    keyed(
        "block_device_mapping_v2",
        &[
            &["device_name"],
            &["volume_id"],
            &["boot_index"],
            &["snapshot_id"],
            &["image", "image_id"],
        ],
    ),
    keyed("block_device_mapping", &[&["device_name"], &["volume_id"], &["snapshot_id"]]),
    keyed("BlockDeviceMappings", &[&["DeviceName"]]),
    keyed("Volumes", &[&["Device"], &["VolumeId"]]),
    keyed("mounts", &[&["mount_path"], &["volume_id"]]),
    keyed("Listeners", &[&["LoadBalancerPort", "Protocol"], &["LoadBalancerPort"]]),
    // Names.
    keyed("Tags", &[&["Key"]]),
    keyed("NovaSchedulerHints", &[&["Key"]]),
    keyed("character_classes", &[&["class"]]),
    keyed("character_sequences", &[&["sequence"]]),
    keyed("configs", &[&["actions", "tool"], &["actions"]]),
    keyed("parts", &[&["filename"], &["config"]]),
    keyed("events", &[&["event_type", "time"], &["event_type"]]),
];

/// The names of lists whose items are names and addresses: sets to users.
const SETS: &str = "\
    security_groups SecurityGroups SecurityGroupIds GroupSet subnets Subnets dns_nameservers dhcp_agent_ids l3_agent_ids \
    tags tenants projects groups Groups hosts volumes firewall_rules prefixes peer_cidrs allowed_cidrs records masters \
    primaries metrics alarm_actions ok_actions insufficient_data_actions security_services volume_types \
    availability_zone_hints AvailabilityZones VPCZoneIdentifier AllowedResources actions";

const SET: IdentityRule =
    IdentityRule { name: "", resource_types: &[], identity: &[], is_set: true };

const AWS_RULES: &[&[&str]] = &[
    &[
        "IpProtocol",
        "FromPort",
        "ToPort",
        "CidrIp",
        "SourceSecurityGroupId",
        "SourceSecurityGroupName",
    ],
    &["IpProtocol", "FromPort", "ToPort"],
];

/// Keys that name an item if their values are unique, in order of preference.
pub(super) const NAME_KEYS: &str = "\
    name key id device_name port path mount_path deploy_identifier address ip_address cidr destination network subnet Key \
    Name";

/// The rule for the list under a name, in a resource of a type.
pub(crate) fn identity_rule(
    kind: Option<&str>,
    name: Option<&str>,
) -> Option<&'static IdentityRule> {
    let name = name?;
    let keyed = RULES.iter().find(|rule| {
        let kinds = rule.resource_types;
        rule.name == name && (kinds.is_empty() || kind.is_none_or(|kind| kinds.contains(&kind)))
    });
    keyed.or_else(|| SETS.split(' ').any(|it| it == name).then_some(&SET))
}
