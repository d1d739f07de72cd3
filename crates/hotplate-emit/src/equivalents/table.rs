//! The types whose resources Heat makes of those of other types, with what becomes of their properties.
//!
//! The facts are those of Heat 27's `heat/engine/resources/aws` and `heat/engine/resources/openstack/neutron/lbaas`.

use super::Translation;
use super::{networks, rules, scaling};
use heat_template::ir::Expr;

/// What becomes of a property.
pub(super) enum PropertyRule {
    /// A property of the equivalent, with the same value.
    Is(&'static str),
    /// A list whose items are added to those of a property of the equivalent.
    AddsTo(&'static str),
    /// A list of maps with `Key` and `Value`, which becomes a map.
    Tags(&'static str),
    /// Heat itself ignores it.
    Ignored,
    /// A rule in code. `None` if it cannot translate the value.
    Rule(fn(&mut Translation<'_>, &Expr) -> Option<()>),
}

/// What an attribute is, or a reference to the resource.
pub(super) enum AttributeRule {
    /// This attribute of the equivalent.
    Is(&'static str),
    /// The reference to the equivalent.
    Reference,
    /// The addresses of the members of a group, with commas between them.
    MemberAddresses,
    /// The address of a port.
    PortAddress,
    /// A constant.
    Text(&'static str),
}

/// A type, and the type whose resources Heat makes of it.
pub(super) struct Row {
    pub(super) kind: &'static str,
    pub(super) to: &'static str,
    /// `None` if all properties have the same names.
    pub(super) properties: Option<&'static [(&'static str, PropertyRule)]>,
    /// Attributes with other names.
    pub(super) attributes: &'static [(&'static str, AttributeRule)],
    pub(super) reference: AttributeRule,
    /// What else Heat makes, whatever the properties are. `None` if it cannot be translated.
    pub(super) more: Option<fn(&mut Translation<'_>) -> Option<()>>,
    /// What the user should know.
    pub(super) note: Option<&'static str>,
}

use AttributeRule::Reference;
use PropertyRule::{AddsTo, Ignored, Is, Rule, Tags};

/// The type of a resource of which Heat makes nothing.
const NOTHING: &str = "OS::Heat::None";
/// What connects routers with the external network.
pub(super) const GATEWAY_ATTACHMENT: &str = "AWS::EC2::VPCGatewayAttachment";

/// The attributes of groups of AWS's servers.
const OF_GROUPS: &[(&str, AttributeRule)] = &[("InstanceList", AttributeRule::MemberAddresses)];
const GROUP: &str = "OS::Heat::AutoScalingGroup";

const LBAAS: Option<&str> =
    Some("OpenStack has removed Neutron's load balancer v2, so Octavia has the same object");
/// The command that sends a signal, where nothing receives it.
const NO_SIGNAL: &str = "/bin/true";
/// The address of signals, where nothing receives them: a script that writes to it goes on.
const NOWHERE: &str = "file:///dev/null";

/// A type of Neutron's load balancer v2, which Octavia has with the same properties.
const fn lbaas(kind: &'static str, to: &'static str) -> Row {
    Row {
        kind,
        to,
        properties: None,
        attributes: &[],
        reference: Reference,
        more: None,
        note: LBAAS,
    }
}

const fn row(
    kind: &'static str,
    to: &'static str,
    properties: &'static [(&'static str, PropertyRule)],
) -> Row {
    let properties = Some(properties);
    Row { kind, to, properties, attributes: &[], reference: Reference, more: None, note: None }
}

/// A handle whose signals nothing receives.
const fn handle(kind: &'static str, reference: AttributeRule) -> Row {
    const SIGNALS: &[(&str, AttributeRule)] = &[
        ("curl_cli", AttributeRule::Text(NO_SIGNAL)),
        ("endpoint", AttributeRule::Text(NOWHERE)),
        ("token", AttributeRule::Text("none")),
    ];
    const NOTE: &str = "nothing waits for signals, so what sends one on a server does nothing";
    let to = "OS::Heat::WaitConditionHandle";
    Row { kind, to, properties: None, attributes: SIGNALS, reference, more: None, note: Some(NOTE) }
}

pub(super) static TABLE: &[Row] = &[
    Row {
        attributes: &[
            ("AvailabilityZone", AttributeRule::Is("availability_zone")),
            ("PrivateDnsName", AttributeRule::Is("first_address")),
            ("PrivateIp", AttributeRule::Is("first_address")),
            ("PublicDnsName", AttributeRule::Is("first_address")),
            ("PublicIp", AttributeRule::Is("first_address")),
        ],
        ..row(
            "AWS::EC2::Instance",
            "OS::Nova::Server",
            &[
                ("ImageId", Is("image")),
                ("InstanceType", Is("flavor")),
                ("KeyName", Is("key_name")),
                ("AvailabilityZone", Is("availability_zone")),
                ("SecurityGroups", AddsTo("security_groups")),
                ("SecurityGroupIds", AddsTo("security_groups")),
                ("NetworkInterfaces", Rule(rules::network_interfaces)),
                ("SubnetId", Rule(rules::subnet)),
                ("Tags", Tags("metadata")),
                ("NovaSchedulerHints", Tags("scheduler_hints")),
                ("UserData", Is("user_data")),
                ("Volumes", Rule(rules::volumes)),
                ("BlockDeviceMappings", Rule(rules::block_devices)),
                ("DisableApiTermination", Ignored),
                ("KernelId", Ignored),
                ("Monitoring", Ignored),
                ("PlacementGroupName", Ignored),
                ("PrivateIpAddress", Ignored),
                ("RamDiskId", Ignored),
                ("SourceDestCheck", Ignored),
                ("Tenancy", Ignored),
            ],
        )
    },
    row(
        "AWS::EC2::SecurityGroup",
        "OS::Neutron::SecurityGroup",
        &[
            ("GroupDescription", Is("description")),
            ("VpcId", Ignored),
            ("SecurityGroupIngress", Rule(rules::ingress)),
            ("SecurityGroupEgress", Rule(rules::egress)),
        ],
    ),
    row(
        "AWS::EC2::Volume",
        "OS::Cinder::Volume",
        &[
            ("AvailabilityZone", Is("availability_zone")),
            ("Size", Is("size")),
            ("SnapshotId", Is("backup_id")),
            ("Tags", Tags("metadata")),
        ],
    ),
    row(
        "AWS::EC2::VolumeAttachment",
        "OS::Cinder::VolumeAttachment",
        &[
            ("InstanceId", Is("instance_uuid")),
            ("VolumeId", Is("volume_id")),
            ("Device", Is("mountpoint")),
        ],
    ),
    Row {
        attributes: &[("AllocationId", Reference)],
        reference: AttributeRule::Is("floating_ip_address"),
        ..row(
            "AWS::EC2::EIP",
            "OS::Neutron::FloatingIP",
            &[("Domain", Ignored), ("InstanceId", Rule(rules::address_of_instance))],
        )
    },
    row(
        "AWS::EC2::EIPAssociation",
        "OS::Nova::FloatingIPAssociation",
        &[
            ("InstanceId", Is("server_id")),
            ("EIP", Rule(rules::address)),
            ("AllocationId", Is("floating_ip")),
        ],
    ),
    Row {
        more: Some(networks::vpc),
        ..row(
            "AWS::EC2::VPC",
            "OS::Neutron::Net",
            &[("CidrBlock", Ignored), ("InstanceTenancy", Ignored), ("Tags", Ignored)],
        )
    },
    Row {
        more: Some(networks::subnet),
        ..row(
            "AWS::EC2::Subnet",
            "OS::Neutron::Subnet",
            &[
                ("VpcId", Is("network")),
                ("CidrBlock", Is("cidr")),
                ("AvailabilityZone", Ignored),
                ("Tags", Ignored),
            ],
        )
    },
    Row {
        more: Some(networks::route_table),
        ..row(
            "AWS::EC2::RouteTable",
            "OS::Neutron::Router",
            &[("VpcId", Ignored), ("Tags", Ignored)],
        )
    },
    row(
        "AWS::EC2::SubnetRouteTableAssociation",
        "OS::Neutron::RouterInterface",
        &[("RouteTableId", Is("router")), ("SubnetId", Is("subnet"))],
    ),
    row("AWS::EC2::InternetGateway", NOTHING, &[("Tags", Ignored)]),
    Row {
        more: Some(networks::gateways),
        ..row(
            GATEWAY_ATTACHMENT,
            NOTHING,
            &[("VpcId", Ignored), ("InternetGatewayId", Ignored), ("VpnGatewayId", Ignored)],
        )
    },
    Row {
        attributes: &[("PrivateIpAddress", AttributeRule::PortAddress)],
        more: Some(networks::port),
        ..row(
            "AWS::EC2::NetworkInterface",
            "OS::Neutron::Port",
            &[
                ("GroupSet", Is("security_groups")),
                ("SubnetId", Ignored),
                ("PrivateIpAddress", Ignored),
                ("Description", Ignored),
                ("SourceDestCheck", Ignored),
                ("Tags", Ignored),
            ],
        )
    },
    Row {
        attributes: OF_GROUPS,
        more: Some(scaling::members),
        ..row(
            "AWS::AutoScaling::AutoScalingGroup",
            GROUP,
            &[
                ("DesiredCapacity", Is("desired_capacity")),
                ("MinSize", Is("min_size")),
                ("MaxSize", Is("max_size")),
                ("Cooldown", Is("cooldown")),
                ("LaunchConfigurationName", Ignored),
                ("VPCZoneIdentifier", Ignored),
                ("Tags", Ignored),
                ("LoadBalancerNames", Ignored),
                ("AvailabilityZones", Ignored),
                ("HealthCheckGracePeriod", Ignored),
                ("HealthCheckType", Ignored),
            ],
        )
    },
    Row {
        attributes: OF_GROUPS,
        more: Some(scaling::members),
        ..row(
            "OS::Heat::InstanceGroup",
            GROUP,
            &[
                ("Size", Is("desired_capacity")),
                ("LaunchConfigurationName", Ignored),
                ("Tags", Ignored),
                ("LoadBalancerNames", Ignored),
                ("AvailabilityZones", Ignored),
            ],
        )
    },
    // A part of the groups that use it.
    row(
        "AWS::AutoScaling::LaunchConfiguration",
        NOTHING,
        &[
            ("ImageId", Ignored),
            ("InstanceType", Ignored),
            ("KeyName", Ignored),
            ("UserData", Ignored),
            ("SecurityGroups", Ignored),
            ("KernelId", Ignored),
            ("RamDiskId", Ignored),
            ("BlockDeviceMappings", Ignored),
            ("NovaSchedulerHints", Ignored),
        ],
    ),
    Row {
        attributes: &[("Data", AttributeRule::Is("data"))],
        ..row(
            "AWS::CloudFormation::WaitCondition",
            "OS::Heat::WaitCondition",
            &[("Handle", Is("handle")), ("Timeout", Is("timeout")), ("Count", Is("count"))],
        )
    },
    handle("AWS::CloudFormation::WaitConditionHandle", AttributeRule::Text(NOWHERE)),
    handle("OS::Heat::WaitConditionHandle", Reference),
    handle("OS::Heat::SwiftSignalHandle", Reference),
    lbaas("OS::Neutron::LBaaS::HealthMonitor", "OS::Octavia::HealthMonitor"),
    lbaas("OS::Neutron::LBaaS::L7Policy", "OS::Octavia::L7Policy"),
    lbaas("OS::Neutron::LBaaS::L7Rule", "OS::Octavia::L7Rule"),
    lbaas("OS::Neutron::LBaaS::Listener", "OS::Octavia::Listener"),
    lbaas("OS::Neutron::LBaaS::LoadBalancer", "OS::Octavia::LoadBalancer"),
    lbaas("OS::Neutron::LBaaS::Pool", "OS::Octavia::Pool"),
    lbaas("OS::Neutron::LBaaS::PoolMember", "OS::Octavia::PoolMember"),
];
