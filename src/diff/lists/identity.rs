//! What identifies the items of the lists of Heat's types: one row per list.

/// What identifies the items of a list.
#[derive(Debug)]
pub(in crate::diff) struct Rule {
    /// The property or key that the list stands under.
    name: &'static str,
    /// The types whose property it is; any if there are none.
    kinds: &'static [&'static str],
    /// Keys that identify an item together; each line is tried on what the ones before have left.
    pub(super) identity: &'static [&'static [&'static str]],
    /// People take it for a set: an item that is gone and one that is new have nothing in common.
    pub(super) set: bool,
}

const fn set(name: &'static str) -> Rule {
    Rule { name, kinds: &[], identity: &[], set: true }
}

const fn by(name: &'static str, identity: &'static [&'static [&'static str]]) -> Rule {
    Rule { name, kinds: &[], identity, set: false }
}

impl Rule {
    const fn of(mut self, kinds: &'static [&'static str]) -> Self {
        self.kinds = kinds;
        self
    }
}

/// The lists of Heat's types whose items have an identity, or no order for people. The first row that
/// fits counts.
const RULES: &[Rule] = &[
    // Addresses and networks.
    by(
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
    by(
        "fixed_ips",
        &[&["subnet", "subnet_id", "ip_address"], &["subnet", "subnet_id"], &["ip_address"]],
    ),
    by("external_fixed_ips", &[&["subnet", "ip_address"], &["subnet"], &["ip_address"]]),
    by("allowed_address_pairs", &[&["ip_address", "mac_address"], &["ip_address"]]),
    by("allocation_pools", &[&["start", "end"], &["start"], &["end"]]),
    by("host_routes", &[&["destination", "nexthop"], &["destination"]]),
    by("routes", &[&["destination", "nexthop"], &["destination"]]),
    by("sub_ports", &[&["port"], &["segmentation_type", "segmentation_id"]]),
    by("connections", &[&["network", "network_id"]]),
    by("extra_dhcp_opts", &[&["opt_name", "ip_version"], &["opt_name"]]),
    by("members", &[&["address", "protocol_port"], &["address"]]),
    // Rules.
    by(
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
    by("SecurityGroupIngress", AWS_RULES),
    by("SecurityGroupEgress", AWS_RULES),
    by("access_rules", &[&["access_type", "access_to"]]),
    by("roles", &[&["role", "project", "domain"], &["role"]]),
    by("query", &[&["field", "op", "type"], &["field"]]),
    // Disks and devices.
    by(
        "block_device_mapping_v2",
        &[
            &["device_name"],
            &["volume_id"],
            &["boot_index"],
            &["snapshot_id"],
            &["image", "image_id"],
        ],
    ),
    by("block_device_mapping", &[&["device_name"], &["volume_id"], &["snapshot_id"]]),
    by("BlockDeviceMappings", &[&["DeviceName"]]),
    by("Volumes", &[&["Device"], &["VolumeId"]]),
    by("mounts", &[&["mount_path"], &["volume_id"]]),
    by("Listeners", &[&["LoadBalancerPort", "Protocol"], &["LoadBalancerPort"]]),
    // Names.
    by("Tags", &[&["Key"]]),
    by("NovaSchedulerHints", &[&["Key"]]),
    by("character_classes", &[&["class"]]),
    by("character_sequences", &[&["sequence"]]),
    by("configs", &[&["actions", "tool"], &["actions"]]),
    by("parts", &[&["filename"], &["config"]]),
    by("events", &[&["event_type", "time"], &["event_type"]]),
    // Sets of names and addresses.
    set("security_groups"),
    set("SecurityGroups"),
    set("SecurityGroupIds"),
    set("GroupSet"),
    set("subnets"),
    set("Subnets"),
    set("dns_nameservers"),
    set("dhcp_agent_ids"),
    set("l3_agent_ids"),
    set("tags"),
    set("tenants"),
    set("projects"),
    set("groups"),
    set("Groups"),
    set("hosts"),
    set("volumes"),
    set("firewall_rules"),
    set("prefixes"),
    set("peer_cidrs"),
    set("allowed_cidrs"),
    set("records"),
    set("masters"),
    set("primaries"),
    set("metrics"),
    set("alarm_actions"),
    set("ok_actions"),
    set("insufficient_data_actions"),
    set("security_services"),
    set("volume_types"),
    set("availability_zone_hints"),
    set("AvailabilityZones"),
    set("VPCZoneIdentifier"),
    set("AllowedResources"),
    set("actions"),
];

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

/// Keys that name an item wherever they are unique, the best first.
pub(super) const NAMES: &[&str] = &[
    "name",
    "key",
    "id",
    "device_name",
    "port",
    "path",
    "mount_path",
    "deploy_identifier",
    "address",
    "ip_address",
    "cidr",
    "destination",
    "network",
    "subnet",
    "Key",
    "Name",
];

/// What identifies the items of the list that stands under a name, in a resource of a type.
pub(in crate::diff) fn rule(kind: Option<&str>, name: Option<&str>) -> Option<&'static Rule> {
    let name = name?;
    RULES.iter().find(|rule| {
        let kinds = rule.kinds;
        rule.name == name && (kinds.is_empty() || kind.is_none_or(|kind| kinds.contains(&kind)))
    })
}
