//! The rules of plugins, a row each.

use super::Violation;
use super::special;
use super::view::PropertyView;

/// A rule about properties that belong together.
pub(super) enum Rule {
    /// Not both may have a value.
    Exclude(&'static str, &'static str),
    /// At least one must have a value.
    OneOf(&'static [&'static str]),
    /// The first one needs the second one.
    Requires(&'static str, &'static str),
    /// The first one is allowed only with one of these values of the second one.
    OnlyWith(&'static str, &'static str, &'static [&'static str]),
    /// The first one is required with this value of the second one.
    RequiredWith(&'static str, &'static str, &'static str),
    /// The first one is not allowed with this value of the second one.
    ForbiddenWith(&'static str, &'static str, &'static str),
    /// A rule that no other form expresses.
    Special(fn(&PropertyView<'_>) -> Option<Violation>),
}

/// A rule of a plugin.
pub(super) struct PluginRule {
    /// The class, by its path below Heat's package `resources`.
    pub(super) plugin: &'static str,
    /// The list property to whose items the rule applies; `None` for the properties of the resource.
    pub(super) items: Option<&'static str>,
    pub(super) rule: Rule,
}

const fn row(plugin: &'static str, rule: Rule) -> PluginRule {
    PluginRule { plugin, items: None, rule }
}

const fn each(plugin: &'static str, items: &'static str, rule: Rule) -> PluginRule {
    PluginRule { plugin, items: Some(items), rule }
}

const SERVER: &str = "openstack.nova.server.Server";
const SUBNET: &str = "openstack.neutron.subnet.Subnet";
const ROUTER: &str = "openstack.neutron.router.Router";
const INTERFACE: &str = "openstack.neutron.router.RouterInterface";
const L7_POLICY: &str = "openstack.octavia.l7policy.L7Policy";
const VOLUME: &str = "openstack.cinder.volume.CinderVolume";
const GROUP_RULE: &str = "openstack.neutron.security_group_rule.SecurityGroupRule";
const SCALING_POLICY: &str = "openstack.heat.scaling_policy.AutoScalingPolicy";

/// Every rule.
pub(super) const RULES: &[PluginRule] = &[
    row(SERVER, Rule::Exclude("block_device_mapping", "block_device_mapping_v2")),
    row(SERVER, Rule::Special(special::bootable_device)),
    row(SERVER, Rule::Special(special::ports_and_security_groups)),
    row(SERVER, Rule::Special(special::allocated_network_alone)),
    each(SERVER, "block_device_mapping", Rule::Exclude("volume_id", "snapshot_id")),
    each(SERVER, "block_device_mapping", Rule::OneOf(&["volume_id", "snapshot_id"])),
    each(SERVER, "block_device_mapping_v2", Rule::Special(special::device_sources)),
    each(SERVER, "networks", Rule::OneOf(&["network", "port", "subnet", "allocate_network"])),
    each(SERVER, "networks", Rule::Exclude("port", "fixed_ip")),
    each(SERVER, "networks", Rule::Special(special::floating_ip_of_a_network)),
    row(SUBNET, Rule::Exclude("subnetpool", "cidr")),
    row(SUBNET, Rule::OneOf(&["subnetpool", "cidr"])),
    row(SUBNET, Rule::Exclude("cidr", "prefixlen")),
    row(SUBNET, Rule::Special(special::ipv6_modes)),
    row("openstack.neutron.floatingip.FloatingIP", Rule::Requires("fixed_ip_address", "port_id")),
    row("openstack.neutron.port.Port", Rule::Exclude("fixed_ips", "no_fixed_ips")),
    row(ROUTER, Rule::Exclude("ha", "distributed")),
    row(ROUTER, Rule::Exclude("distributed", "l3_agent_ids")),
    row(INTERFACE, Rule::Exclude("subnet", "port")),
    row(INTERFACE, Rule::OneOf(&["subnet", "port"])),
    row(GROUP_RULE, Rule::Exclude("remote_group", "remote_ip_prefix")),
    row(GROUP_RULE, Rule::Special(special::port_range)),
    row(VOLUME, Rule::Special(special::volume_source)),
    row(
        SCALING_POLICY,
        Rule::OnlyWith("min_adjustment_step", "adjustment_type", &["percent_change_in_capacity"]),
    ),
    row("openstack.octavia.pool.Pool", Rule::OneOf(&["listener", "loadbalancer"])),
    row(
        "openstack.octavia.listener.Listener",
        Rule::RequiredWith("default_tls_container_ref", "protocol", "TERMINATED_HTTPS"),
    ),
    row(L7_POLICY, Rule::ForbiddenWith("redirect_pool", "action", "REJECT")),
    row(L7_POLICY, Rule::ForbiddenWith("redirect_url", "action", "REJECT")),
    row(L7_POLICY, Rule::ForbiddenWith("redirect_url", "action", "REDIRECT_TO_POOL")),
    row(L7_POLICY, Rule::RequiredWith("redirect_pool", "action", "REDIRECT_TO_POOL")),
    row(L7_POLICY, Rule::ForbiddenWith("redirect_pool", "action", "REDIRECT_TO_URL")),
    row(L7_POLICY, Rule::RequiredWith("redirect_url", "action", "REDIRECT_TO_URL")),
    row(
        "openstack.cinder.quota.CinderQuota",
        Rule::OneOf(&["gigabytes", "volumes", "snapshots", "backups", "backup_gigabytes"]),
    ),
    row("openstack.mistral.cron_trigger.CronTrigger", Rule::OneOf(&["pattern", "first_time"])),
    row("aws.ec2.eip.ElasticIpAssociation", Rule::OneOf(&["InstanceId", "NetworkInterfaceId"])),
];
