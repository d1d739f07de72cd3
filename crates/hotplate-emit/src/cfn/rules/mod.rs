//! Rules for what a table cannot express: properties that have another structure in AWS. A rule is named in
//! `targets/cfn/mapping.yaml`, for a type or for a property.

mod alarm;
mod balancing;
mod bucket;
mod configs;
mod flavor;
mod gateway;
mod network;
mod pools;
mod scaling;
mod secret;
mod security_group;
mod server;
mod tags;
mod volume;

pub(super) use gateway::wait_for_gateways;

use super::resource_builder::AwsResourceBuilder;
use super::tables::form;
use super::template_builder::TemplateBuilder;
use heat_template::ir::Expr;
use source_diagnostics::Span;

/// A rule that completes a type whose properties need more than the table.
type TypeRule = fn(&mut TemplateBuilder<'_>, &mut AwsResourceBuilder<'_>);

const TYPES: &[(&str, TypeRule)] = &[
    ("server", server::server),
    ("port", network::port),
    ("floating_ip", network::floating_ip),
    ("net", network::net),
    ("subnet", network::subnet),
    ("security_group", security_group::security_group),
    ("security_group_rule", security_group::rule),
    ("volume", volume::volume),
    ("router", gateway::router),
    ("router_interface", gateway::router_interface),
    ("router_gateway", gateway::router_gateway),
    ("auto_scaling_group", scaling::auto_scaling_group),
    ("propagated_tags", scaling::propagated_tags),
    ("instance", network::instance),
    ("load_balancer", balancing::load_balancer),
    ("classic_load_balancer", balancing::classic),
    ("listener", balancing::listener),
    ("pool", balancing::pool),
    ("random_string", secret::random_string),
    ("alarm", alarm::alarm),
    ("zone", tags::nothing),
];

/// The names of the rules of types.
#[cfg(test)]
pub(super) fn names() -> Vec<&'static str> {
    TYPES.iter().map(|(name, _)| *name).collect()
}

/// The names of the rules of properties; a rule of a type also handles the property rules it names.
#[cfg(test)]
pub(super) const PROPERTIES: &[&str] = &[
    "name_tag",
    "description_tag",
    "gateway_address",
    "name_servers",
    "tags_of_map",
    "tags_of_list",
    "one_record",
    "key_type",
    "placement",
    "volume_image",
    "associated_address",
    "allocation_pools",
    "group_size",
    "access_control",
    "networks",
    "block_devices",
    "scheduler_hints",
    "user_data",
    "address_pairs",
    "port_subnet",
    "vpc_address",
    "association",
    "security_group_rules",
    "security_group_rule",
    "cidr",
    "gateway",
    "launch_template",
    "load_balancer_subnets",
    "default_action",
    "pool",
    "random_string",
];

/// Applies the rule of a type.
pub(super) fn apply(
    rule: &str,
    template_builder: &mut TemplateBuilder<'_>,
    builder: &mut AwsResourceBuilder<'_>,
) {
    if let Some((_, apply)) = TYPES.iter().find(|(name, _)| *name == rule) {
        apply(template_builder, builder);
    }
}

/// Applies the rule of a property; does nothing if the rule of the type handles the property.
pub(super) fn property(
    rule: &str,
    template_builder: &mut TemplateBuilder<'_>,
    builder: &mut AwsResourceBuilder<'_>,
    name: &str,
    value: &Expr,
    whole: Span,
) {
    match rule {
        "name_tag" => tags::of_text(template_builder, builder, "Name", value, whole),
        "description_tag" => tags::of_text(template_builder, builder, "Description", value, whole),
        "gateway_address" => network::gateway_address(template_builder, builder, value, whole),
        "name_servers" => network::name_servers(template_builder, builder, value, whole),
        "tags_of_map" => tags::of_map(template_builder, builder, name, value, whole),
        "tags_of_list" => tags::of_list(template_builder, builder, name, value, whole),
        "one_record" => tags::one_record(template_builder, builder, value, whole),
        "key_type" => server::key_type(template_builder, builder, value, whole),
        "placement" => server::placement(template_builder, builder, value, whole),
        "allocation_pools" => pools::allocation_pools(template_builder, builder, value, whole),
        "group_size" => scaling::fixed_size(template_builder, builder, value, whole),
        "volume_image" => volume::image(template_builder, builder, value),
        "associated_address" => network::associated_address(template_builder, builder, value),
        "access_control" => bucket::access_control(template_builder, builder, value, whole),
        _ => {}
    }
}

/// Properties that an AWS type requires, with the form of the parameter that replaces each.
const REQUIRED: &[(&str, &str, &str)] = &[
    ("AWS::EC2::Instance", "ImageId", "image"),
    ("AWS::EC2::EIPAssociation", "AllocationId", "allocation"),
    ("AWS::EC2::NetworkInterface", "SubnetId", "subnet"),
    ("AWS::EC2::Subnet", "VpcId", "vpc"),
    ("AWS::EC2::VPC", "CidrBlock", "cidr"),
    ("AWS::EC2::VolumeAttachment", "InstanceId", "instance"),
    ("AWS::EC2::VolumeAttachment", "VolumeId", "volume"),
    ("AWS::EC2::SubnetRouteTableAssociation", "RouteTableId", "route_table"),
    ("AWS::EC2::SubnetRouteTableAssociation", "SubnetId", "subnet"),
    ("AWS::EC2::KeyPair", "KeyName", "text"),
    ("AWS::AutoScaling::ScalingPolicy", "AutoScalingGroupName", "text"),
    ("AWS::AutoScaling::AutoScalingGroup", "MinSize", "digits"),
    ("AWS::AutoScaling::AutoScalingGroup", "MaxSize", "digits"),
    ("AWS::ElasticLoadBalancingV2::Listener", "LoadBalancerArn", "load_balancer"),
    ("AWS::Route53::RecordSet", "HostedZoneId", "hosted_zone"),
    ("AWS::Route53::HostedZone", "Name", "text"),
    ("AWS::Route53::RecordSet", "Name", "text"),
    ("AWS::Route53::RecordSet", "Type", "text"),
    ("AWS::Route53::RecordSet", "ResourceRecords", "texts"),
    ("AWS::EC2::SecurityGroup", "GroupDescription", "group_description"),
    ("AWS::CloudFormation::Stack", "TemplateURL", "template_url"),
    ("AWS::EC2::RouteTable", "VpcId", "vpc"),
    ("AWS::EC2::VPCGatewayAttachment", "VpcId", "vpc"),
    ("AWS::AutoScaling::LaunchConfiguration", "ImageId", "image"),
    ("AWS::AutoScaling::LaunchConfiguration", "InstanceType", "instance_type"),
    ("AWS::IAM::AccessKey", "UserName", "text"),
];

/// Properties that an AWS type requires together with another one.
const REQUIRED_WITH: &[(&str, &str, &str, &str)] =
    &[("AWS::EC2::SecurityGroup", "SecurityGroupEgress", "VpcId", "vpc")];

/// Properties that an AWS type requires if none of these is set.
const REQUIRED_WITHOUT: &[(&str, &[&str], &str, &str)] = &[
    ("AWS::EC2::Subnet", &["Ipv6CidrBlock"], "CidrBlock", "cidr"),
    (
        "AWS::AutoScaling::AutoScalingGroup",
        &["InstanceId", "LaunchTemplate"],
        "LaunchConfigurationName",
        "text",
    ),
];

/// Adds a parameter for every required property that nothing sets.
pub(super) fn required(
    template_builder: &mut TemplateBuilder<'_>,
    builder: &mut AwsResourceBuilder<'_>,
) {
    let with = REQUIRED_WITH.iter().filter(|(_, other, ..)| builder.has(other));
    let with = with.map(|(kind, _, argument, holds)| (*kind, *argument, *holds));
    let has_any = |others: &[&str]| others.iter().any(|other| builder.has(other));
    let without = REQUIRED_WITHOUT.iter().filter(|(_, others, ..)| !has_any(others));
    let without = without.map(|(kind, _, argument, holds)| (*kind, *argument, *holds));
    let beside: Vec<(&str, &str, &str)> = with.chain(without).collect();
    for (kind, argument, holds) in REQUIRED.iter().chain(&beside) {
        if builder.aws_type == *kind && !builder.has(argument) {
            let here = builder.here(argument, builder.span());
            let wanted = super::value::form_name(form(holds));
            let boots_from_volume = ["block_device_mapping", "block_device_mapping_v2"]
                .iter()
                .any(|name| builder.heat_property(name).is_some());
            let tree = match *argument == "ImageId" && !boots_from_volume {
                // Heat rejects a server without an image or a volume, so nothing else is lost.
                true => template_builder.needed(wanted, "the template has none", here),
                false => template_builder.missing(wanted, "the template has no value for it", here),
            };
            builder.set(argument, tree);
        }
    }
}
