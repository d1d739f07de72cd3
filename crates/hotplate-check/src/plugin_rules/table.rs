//! The rules of plugins, a row each.

use super::view::PropertyView;
use super::{RuleContext, Violation, in_stack, special};

/// A rule about properties that belong together.
pub(super) enum Rule {
    /// Not both may have a value.
    Exclude(&'static str, &'static str),
    /// At least one must have a value.
    OneOf(&'static [&'static str]),
    /// Exactly one must have a value.
    ExactlyOne(&'static str, &'static str),
    /// Any of the others must have a value.
    AnyBut(&'static str),
    /// It must not have a value.
    Gone(&'static str),
    /// It must not have this value.
    Not(&'static str, &'static str),
    /// The first one, a number, is not above the second one.
    Ordered(&'static str, &'static str),
    /// The first one must have one of these values if the second one has this value.
    AllowedWith(&'static str, &'static str, &'static str, &'static [&'static str]),
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
    /// A rule about other parts of the resource, or about other resources.
    InStack(fn(&RuleContext<'_>, &PropertyView<'_>) -> Option<Violation>),
}

/// A rule of a plugin.
pub(super) struct PluginRule {
    /// The class, by its path below Heat's package `resources`; with a point at the end, every class below.
    pub(super) plugin: &'static str,
    /// The way to the maps to which the rule applies, through lists and maps; empty for the properties of the resource.
    pub(super) within: &'static [&'static str],
    pub(super) rule: Rule,
}

impl PluginRule {
    /// Whether the rule is about a class.
    pub(super) fn is_for(&self, plugin: &str) -> bool {
        plugin == self.plugin || self.plugin.ends_with('.') && plugin.starts_with(self.plugin)
    }
}

const fn row(plugin: &'static str, rule: Rule) -> PluginRule {
    PluginRule { plugin, within: &[], rule }
}

const fn each(plugin: &'static str, within: &'static [&'static str], rule: Rule) -> PluginRule {
    PluginRule { plugin, within, rule }
}

const SERVER: &str = "openstack.nova.server.Server";
const SUBNET: &str = "openstack.neutron.subnet.Subnet";
const ROUTER: &str = "openstack.neutron.router.Router";
const INTERFACE: &str = "openstack.neutron.router.RouterInterface";
const L7_POLICY: &str = "openstack.octavia.l7policy.L7Policy";
const VOLUME: &str = "openstack.cinder.volume.CinderVolume";
const GROUP_RULE: &str = "openstack.neutron.security_group_rule.SecurityGroupRule";
const SCALING_POLICY: &str = "openstack.heat.scaling_policy.AutoScalingPolicy";

const EIP: &str = "aws.ec2.eip.ElasticIpAssociation";
const AWS_GROUP: &str = "aws.autoscaling.autoscaling_group.AutoScalingGroup";
const SCALING_GROUP: &str = "openstack.heat.autoscaling_group.AutoScalingResourceGroup";
const INSTANCE_GROUP: &str = "openstack.heat.instance_group.InstanceGroup";
const LAUNCH: &str = "aws.autoscaling.launch_config.LaunchConfiguration";
const INSTANCE: &str = "aws.ec2.instance.Instance";
const ORDER: &str = "openstack.barbican.order.Order";
const SECRET: &str = "openstack.barbican.secret.Secret";
const ZONE: &str = "openstack.designate.zone.DesignateZone";
const IMAGE: &str = "openstack.glance.image.GlanceWebImage";
const CLUSTER: &str = "openstack.magnum.cluster_template.ClusterTemplate";
const BAY_MODEL: &str = "openstack.magnum.baymodel.BayModel";
const SHARE_NETWORK: &str = "openstack.manila.share_network.ManilaShareNetwork";
const WORKFLOW: &str = "openstack.mistral.workflow.Workflow";
const GATEWAY: &str = "openstack.neutron.network_gateway.NetworkGateway";
const PROVIDER_NET: &str = "openstack.neutron.provider_net.ProviderNet";
const RBAC: &str = "openstack.neutron.rbac_policy.RBACPolicy";
const SEGMENT: &str = "openstack.neutron.segment.Segment";
const POOL_OF_SUBNETS: &str = "openstack.neutron.subnetpool.SubnetPool";
const POOL: &str = "openstack.octavia.pool.Pool";
const DATABASE: &str = "openstack.trove.instance.Instance";
const CONTAINER: &str = "openstack.zun.container.Container";
const SHARED_ONLY: &[&str] = &["access_as_shared"];

/// Every rule.
pub(super) const RULES: &[PluginRule] = &[
    row(SERVER, Rule::Exclude("block_device_mapping", "block_device_mapping_v2")),
    row(SERVER, Rule::Special(special::bootable_device)),
    row(SERVER, Rule::Special(special::ports_and_security_groups)),
    row(SERVER, Rule::Special(special::allocated_network_alone)),
    row(SERVER, Rule::InStack(in_stack::deployments_in_metadata)),
    each(SERVER, &["block_device_mapping"], Rule::Exclude("volume_id", "snapshot_id")),
    each(SERVER, &["block_device_mapping"], Rule::OneOf(&["volume_id", "snapshot_id"])),
    each(SERVER, &["block_device_mapping_v2"], Rule::Special(special::device_sources)),
    each(SERVER, &["networks"], Rule::OneOf(&["network", "port", "subnet", "allocate_network"])),
    each(SERVER, &["networks"], Rule::Exclude("port", "fixed_ip")),
    each(SERVER, &["networks"], Rule::Special(special::floating_ip_of_a_network)),
    row(SUBNET, Rule::Exclude("subnetpool", "cidr")),
    row(SUBNET, Rule::OneOf(&["subnetpool", "cidr"])),
    row(SUBNET, Rule::Exclude("cidr", "prefixlen")),
    row(SUBNET, Rule::Special(special::ipv6_modes)),
    row(SUBNET, Rule::Special(special::gateway_address)),
    row("openstack.neutron.floatingip.FloatingIP", Rule::Requires("fixed_ip_address", "port_id")),
    row("openstack.neutron.port.Port", Rule::Exclude("fixed_ips", "no_fixed_ips")),
    row(ROUTER, Rule::Exclude("ha", "distributed")),
    row(ROUTER, Rule::Exclude("distributed", "l3_agent_ids")),
    row(ROUTER, Rule::Special(special::agents_of_a_router)),
    row(ROUTER, Rule::InStack(in_stack::agents_given_twice)),
    row(INTERFACE, Rule::Exclude("subnet", "port")),
    row(INTERFACE, Rule::OneOf(&["subnet", "port"])),
    row(GROUP_RULE, Rule::Exclude("remote_group", "remote_ip_prefix")),
    row(GROUP_RULE, Rule::Special(special::port_range)),
    row(VOLUME, Rule::Special(special::volume_source)),
    row(
        SCALING_POLICY,
        Rule::OnlyWith("min_adjustment_step", "adjustment_type", &["percent_change_in_capacity"]),
    ),
    row(POOL, Rule::OneOf(&["listener", "loadbalancer"])),
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
    row("openstack.cinder.quota.CinderQuota", Rule::AnyBut("project")),
    row("openstack.neutron.quota.NeutronQuota", Rule::AnyBut("project")),
    row("openstack.nova.quota.NovaQuota", Rule::AnyBut("project")),
    row("openstack.octavia.quota.OctaviaQuota", Rule::AnyBut("project")),
    row("openstack.mistral.cron_trigger.CronTrigger", Rule::OneOf(&["pattern", "first_time"])),
    row(EIP, Rule::OneOf(&["InstanceId", "NetworkInterfaceId"])),
    row(EIP, Rule::ExactlyOne("EIP", "AllocationId")),
    row(EIP, Rule::Requires("EIP", "InstanceId")),
    row(AWS_GROUP, Rule::Ordered("MinSize", "MaxSize")),
    row(AWS_GROUP, Rule::Ordered("MinSize", "DesiredCapacity")),
    row(AWS_GROUP, Rule::Ordered("DesiredCapacity", "MaxSize")),
    row(AWS_GROUP, Rule::ExactlyOne("InstanceId", "LaunchConfigurationName")),
    row(AWS_GROUP, Rule::Special(special::sizes_of_a_group)),
    row(AWS_GROUP, Rule::Special(special::one_subnet)),
    row(AWS_GROUP, Rule::InStack(in_stack::launch_configuration)),
    row(INSTANCE_GROUP, Rule::InStack(in_stack::launch_configuration)),
    row(SCALING_GROUP, Rule::Ordered("min_size", "max_size")),
    row(SCALING_GROUP, Rule::Ordered("min_size", "desired_capacity")),
    row(SCALING_GROUP, Rule::Ordered("desired_capacity", "max_size")),
    row(LAUNCH, Rule::Special(special::image_and_type)),
    each(LAUNCH, &["BlockDeviceMappings"], Rule::OneOf(&["Ebs"])),
    each(LAUNCH, &["BlockDeviceMappings", "Ebs"], Rule::OneOf(&["SnapshotId"])),
    row(INSTANCE, Rule::Exclude("SecurityGroups", "NetworkInterfaces")),
    row(INSTANCE, Rule::Exclude("SecurityGroupIds", "NetworkInterfaces")),
    each(INSTANCE, &["BlockDeviceMappings"], Rule::OneOf(&["Ebs"])),
    each(INSTANCE, &["BlockDeviceMappings", "Ebs"], Rule::OneOf(&["SnapshotId"])),
    row(
        "aws.autoscaling.scaling_policy.AWSScalingPolicy",
        Rule::OnlyWith("MinAdjustmentStep", "AdjustmentType", &["PercentChangeInCapacity"]),
    ),
    each(
        "aws.lb.loadbalancer.LoadBalancer",
        &["HealthCheck"],
        Rule::Ordered("Timeout", "Interval"),
    ),
    row("openstack.barbican.container.GenericContainer", Rule::Special(special::distinct_secrets)),
    row("openstack.barbican.container.RSAContainer", Rule::Special(special::distinct_references)),
    row(
        "openstack.barbican.container.CertificateContainer",
        Rule::Special(special::distinct_references),
    ),
    row(ORDER, Rule::RequiredWith("algorithm", "type", "key")),
    row(ORDER, Rule::RequiredWith("bit_length", "type", "key")),
    row(ORDER, Rule::RequiredWith("algorithm", "type", "asymmetric")),
    row(ORDER, Rule::RequiredWith("bit_length", "type", "asymmetric")),
    row(ORDER, Rule::Special(special::properties_of_an_order)),
    row(ORDER, Rule::Requires("profile", "ca_id")),
    row(SECRET, Rule::Requires("payload_content_type", "payload")),
    row(
        SECRET,
        Rule::RequiredWith(
            "payload_content_encoding",
            "payload_content_type",
            "application/octet-stream",
        ),
    ),
    row(SECRET, Rule::Requires("payload_content_encoding", "payload_content_type")),
    row(
        SECRET,
        Rule::ForbiddenWith("payload_content_encoding", "payload_content_type", "text/plain"),
    ),
    row(VOLUME, Rule::Exclude("image", "imageRef")),
    row(
        "openstack.cinder.volume_type.CinderVolumeType",
        Rule::ForbiddenWith("projects", "is_public", "true"),
    ),
    row(ZONE, Rule::RequiredWith("email", "type", "PRIMARY")),
    row(ZONE, Rule::RequiredWith("masters", "type", "SECONDARY")),
    row(IMAGE, Rule::AllowedWith("disk_format", "container_format", "ami", &["ami"])),
    row(IMAGE, Rule::AllowedWith("disk_format", "container_format", "ari", &["ari"])),
    row(IMAGE, Rule::AllowedWith("disk_format", "container_format", "aki", &["aki"])),
    row(IMAGE, Rule::OnlyWith("members", "visibility", &["shared"])),
    row("openstack.heat.access_policy.AccessPolicy", Rule::InStack(in_stack::allowed_resources)),
    row("openstack.heat.random_string.RandomString", Rule::Special(special::length_of_a_string)),
    row(
        "openstack.heat.software_component.SoftwareComponent",
        Rule::Special(special::one_configuration_per_action),
    ),
    row(
        "openstack.heat.software_deployment.SoftwareDeployment",
        Rule::InStack(in_stack::server_of_a_deployment),
    ),
    row(
        "openstack.heat.structured_config.StructuredDeployment",
        Rule::InStack(in_stack::server_of_a_deployment),
    ),
    each("openstack.keystone.", &["roles"], Rule::ExactlyOne("project", "domain")),
    row(CLUSTER, Rule::AllowedWith("volume_driver", "coe", "kubernetes", &["cinder"])),
    row(CLUSTER, Rule::AllowedWith("volume_driver", "coe", "swarm", &["rexray"])),
    row(CLUSTER, Rule::AllowedWith("volume_driver", "coe", "mesos", &["rexray"])),
    row(BAY_MODEL, Rule::AllowedWith("volume_driver", "coe", "kubernetes", &["cinder"])),
    row(BAY_MODEL, Rule::AllowedWith("volume_driver", "coe", "swarm", &["rexray"])),
    row(BAY_MODEL, Rule::AllowedWith("volume_driver", "coe", "mesos", &["rexray"])),
    row(SHARE_NETWORK, Rule::Gone("nova_network")),
    row(SHARE_NETWORK, Rule::Requires("neutron_network", "neutron_subnet")),
    row(WORKFLOW, Rule::Special(special::task_of_a_reverse_workflow)),
    row(WORKFLOW, Rule::Special(special::requirements_in_a_direct_workflow)),
    each(WORKFLOW, &["tasks"], Rule::ExactlyOne("workflow", "action")),
    each(WORKFLOW, &["tasks"], Rule::Requires("concurrency", "with_items")),
    each(
        GATEWAY,
        &["connections"],
        Rule::RequiredWith("segmentation_id", "segmentation_type", "vlan"),
    ),
    each(
        GATEWAY,
        &["connections"],
        Rule::ForbiddenWith("segmentation_id", "segmentation_type", "flat"),
    ),
    // The other types with `value_specs` ignore the answer of the check.
    row("openstack.neutron.net.Net", Rule::InStack(in_stack::value_specs)),
    row("openstack.neutron.firewall.Firewall", Rule::InStack(in_stack::value_specs)),
    row(PROVIDER_NET, Rule::ForbiddenWith("segmentation_id", "network_type", "local")),
    row(PROVIDER_NET, Rule::ForbiddenWith("segmentation_id", "network_type", "flat")),
    row(PROVIDER_NET, Rule::ForbiddenWith("physical_network", "network_type", "vxlan")),
    row(PROVIDER_NET, Rule::ForbiddenWith("physical_network", "network_type", "gre")),
    row(PROVIDER_NET, Rule::ForbiddenWith("physical_network", "network_type", "geneve")),
    row(PROVIDER_NET, Rule::ForbiddenWith("physical_network", "network_type", "local")),
    row(RBAC, Rule::AllowedWith("action", "object_type", "qos_policy", SHARED_ONLY)),
    row(RBAC, Rule::AllowedWith("action", "object_type", "security_group", SHARED_ONLY)),
    row(RBAC, Rule::AllowedWith("action", "object_type", "address_scope", SHARED_ONLY)),
    row(RBAC, Rule::AllowedWith("action", "object_type", "subnetpool", SHARED_ONLY)),
    row("openstack.neutron.security_group.SecurityGroup", Rule::Not("name", "default")),
    row(SEGMENT, Rule::RequiredWith("physical_network", "network_type", "flat")),
    row(SEGMENT, Rule::RequiredWith("physical_network", "network_type", "vlan")),
    row(SEGMENT, Rule::RequiredWith("segmentation_id", "network_type", "vlan")),
    row(SEGMENT, Rule::ForbiddenWith("segmentation_id", "network_type", "local")),
    row(SEGMENT, Rule::ForbiddenWith("segmentation_id", "network_type", "flat")),
    row(SEGMENT, Rule::ForbiddenWith("physical_network", "network_type", "vxlan")),
    row(SEGMENT, Rule::ForbiddenWith("physical_network", "network_type", "gre")),
    row(SEGMENT, Rule::ForbiddenWith("physical_network", "network_type", "geneve")),
    row(SEGMENT, Rule::Special(special::id_of_a_vlan)),
    row(POOL_OF_SUBNETS, Rule::Ordered("min_prefixlen", "max_prefixlen")),
    row(POOL_OF_SUBNETS, Rule::Ordered("min_prefixlen", "default_prefixlen")),
    row(POOL_OF_SUBNETS, Rule::Ordered("default_prefixlen", "max_prefixlen")),
    row("openstack.octavia.l7rule.L7Rule", Rule::RequiredWith("key", "type", "HEADER")),
    row("openstack.octavia.l7rule.L7Rule", Rule::RequiredWith("key", "type", "COOKIE")),
    each(POOL, &["session_persistence"], Rule::RequiredWith("cookie_name", "type", "APP_COOKIE")),
    each(POOL, &["session_persistence"], Rule::ForbiddenWith("cookie_name", "type", "SOURCE_IP")),
    each(
        "openstack.trove.cluster.TroveCluster",
        &["instances", "networks"],
        Rule::ExactlyOne("network", "port"),
    ),
    each(DATABASE, &["networks"], Rule::ExactlyOne("network", "port")),
    row(DATABASE, Rule::Requires("users", "databases")),
    row(DATABASE, Rule::Special(special::databases_of_users)),
    row("openstack.zaqar.subscription.ZaqarSubscription", Rule::Special(special::subscriber)),
    row(CONTAINER, Rule::Special(special::restart_policy)),
    each(CONTAINER, &["mounts"], Rule::OneOf(&["volume_id", "volume_size"])),
    each(CONTAINER, &["mounts"], Rule::Exclude("volume_id", "volume_size")),
    each(CONTAINER, &["networks"], Rule::OneOf(&["network", "port"])),
    each(CONTAINER, &["networks"], Rule::Exclude("port", "fixed_ip")),
];
