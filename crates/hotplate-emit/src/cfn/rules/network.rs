//! Networks become VPCs, subnets become subnets, ports become network interfaces.

use std::collections::HashMap;
use std::net::Ipv4Addr;

use super::server::{boolean, non_null};
use crate::LossKind;
use crate::cfn::plan::{PlannedOutcome, PlannedResource};
use crate::cfn::resource_builder::AwsResourceBuilder;
use crate::cfn::tables::form;
use crate::cfn::template_builder::{TemplateBuilder, ValueContext, attribute_of, reference};
use crate::cfn::value::text_of;
use crate::kit::{Expressed, Inexpressible};
use crate::render_model::property;
use crate::tree::{DataNode, DataTree};
use heat_engine::eval::{Map, Value};
use heat_template::ir::{Expr, ExprKind};
use lossless_yaml::Value as Data;
use python_semantics::number::Integer;
use source_diagnostics::Span;

/// The attachments of a server or a port.
#[derive(Clone, Debug)]
pub(super) enum NetworkAttachment {
    /// An existing network interface.
    Port(DataTree),
    /// A subnet, with an optional address in it.
    Subnet {
        /// The reference to the subnet.
        subnet: DataTree,
        address: Option<DataTree>,
    },
}

/// The network that an entry of a list refers to.
pub(super) fn attachment_of(
    template_builder: &mut TemplateBuilder<'_>,
    map: &Map,
    ports: &[&str],
    here: ValueContext<'_>,
) -> Expressed<Option<NetworkAttachment>> {
    let here = here.required();
    for name in ports {
        if let Some(port) = non_null(map, name) {
            let here = ValueContext { argument: "NetworkInterfaceId", ..here };
            return Ok(Some(NetworkAttachment::Port(template_builder.value(
                port,
                form("interface"),
                here,
            )?)));
        }
    }
    let address = match non_null(map, "fixed_ip").or_else(|| non_null(map, "ip_address")) {
        None => None,
        Some(address) => {
            let here = ValueContext { argument: "PrivateIpAddress", ..here };
            Some(template_builder.value(address, form("private_address"), here)?)
        }
    };
    let subnet = non_null(map, "subnet").or_else(|| non_null(map, "subnet_id"));
    if let Some(subnet) = subnet {
        let subnet = template_builder.value(subnet, form("subnet"), here)?;
        return Ok(Some(NetworkAttachment::Subnet { subnet, address }));
    }
    match non_null(map, "network").or_else(|| non_null(map, "uuid")) {
        Some(network) => {
            let subnet = subnet_of(template_builder, network, here)?;
            Ok(Some(NetworkAttachment::Subnet { subnet, address }))
        }
        None => Ok(None),
    }
}

/// A subnet of a network: one of the template's, or one that the user supplies.
fn subnet_of(
    template_builder: &mut TemplateBuilder<'_>,
    network: &Value,
    here: ValueContext<'_>,
) -> Expressed<DataTree> {
    let Some(name) = template_builder.resource_named(network) else {
        return template_builder.value(network, form("subnet"), here);
    };
    let subnets = subnets_of(template_builder, &name);
    match subnets.first() {
        Some(subnet) => Ok(reference(&subnet.id)),
        None => {
            let why = format!("`{name}` has no subnet in the template");
            Ok(template_builder.missing("subnet", &why, here))
        }
    }
}

/// The subnets of a network of the template.
fn subnets_of<'p>(
    template_builder: &TemplateBuilder<'p>,
    network: &str,
) -> Vec<PlannedResource<'p>> {
    let plan = &template_builder.plan;
    let subnets = template_builder.subnets.get_or_init(|| {
        let mut subnets: HashMap<String, Vec<String>> = HashMap::new();
        for (key, planned) in plan {
            if !matches!(&planned.outcome, PlannedOutcome::Object(to, _) if *to == "AWS::EC2::Subnet")
            {
                continue;
            }
            let network_of = |name| property(&planned.resource, name).and_then(names_resource);
            let networks = ["network", "network_id"].map(network_of);
            let network_id = networks[1].filter(|id| networks[0] != Some(*id));
            for network in networks[0].into_iter().chain(network_id) {
                subnets.entry(network.to_owned()).or_default().push(key.clone());
            }
        }
        subnets
    });
    let found = subnets.get(network).into_iter().flatten();
    found.filter_map(|key| plan.get(key)).cloned().collect()
}

/// The resource that an expression refers to.
pub(super) fn names_resource(expr: &Expr) -> Option<&str> {
    match &expr.kind {
        ExprKind::Resource(name) => name.as_text(),
        _ => None,
    }
}

pub(super) fn vpcs<'p>(template_builder: &TemplateBuilder<'p>) -> Vec<PlannedResource<'p>> {
    let is_vpc = |planned: &&PlannedResource<'_>| matches!(&planned.outcome, PlannedOutcome::Object(to, _) if *to == "AWS::EC2::VPC");
    template_builder.plan.values().filter(is_vpc).cloned().collect()
}

/// `OS::Neutron::Port`: a network interface in the subnet of its first fixed address.
pub(super) fn port(
    template_builder: &mut TemplateBuilder<'_>,
    builder: &mut AwsResourceBuilder<'_>,
) {
    let owner = builder.planned.owner.clone();
    let span = builder.span();
    let here = builder.here("SubnetId", span).required();
    let mut found = None;
    if let Some(expr) = builder.heat_property("fixed_ips") {
        let here = here.at("SubnetId", expr.span);
        let expressed =
            template_builder.fold(expr, "fixed_ips").and_then(|value| match value.unsealed() {
                Value::Null => Ok(Vec::new()),
                Value::List(items) => items
                    .iter()
                    .map(|item| match item.unsealed() {
                        Value::Map(map) => Ok(std::sync::Arc::clone(map)),
                        _ => Err(unknown_addresses(expr)),
                    })
                    .collect(),
                _ => Err(unknown_addresses(expr)),
            });
        let expressed = expressed.and_then(|items| {
            let attachments: Expressed<Vec<_>> =
                items.iter().map(|item| attachment_of(template_builder, item, &[], here)).collect();
            let mut attachments = attachments?;
            if items.len() > 1 {
                match several_addresses(&mut attachments) {
                    Some((argument, tree)) => builder.set(argument, tree),
                    None => {
                        let message = format!("`{owner}` keeps only its first address in AWS");
                        template_builder.report_lost_item("fixed_ips", message, expr.span, &owner);
                    }
                }
            }
            let address = items.first().and_then(|first| non_null(first, "ip_address").cloned());
            Ok(attachments.into_iter().next().map(|first| (first, address)))
        });
        match expressed {
            Ok(Some((Some(network), _))) => found = Some(network),
            // An address without a subnet belongs to one of the network's subnets.
            Ok(Some((None, Some(address)))) => {
                let here = ValueContext { argument: "PrivateIpAddress", ..here };
                if let Ok(tree) = template_builder.value(&address, form("private_address"), here) {
                    builder.set("PrivateIpAddress", tree);
                }
            }
            Ok(_) => {}
            Err(why) => builder.lose(template_builder, &why, expr.span),
        }
    }
    if found.is_none()
        && let Some(expr) =
            builder.heat_property("network").or_else(|| builder.heat_property("network_id"))
    {
        let here = here.at("SubnetId", expr.span);
        match template_builder
            .fold(expr, "network")
            .and_then(|value| subnet_of(template_builder, &value, here))
        {
            Ok(subnet) => found = Some(NetworkAttachment::Subnet { subnet, address: None }),
            Err(why) => builder.lose(template_builder, &why, expr.span),
        }
    }
    if let Some(NetworkAttachment::Subnet { subnet, address }) = found {
        builder.set("SubnetId", subnet);
        if let Some(address) = address {
            builder.set("PrivateIpAddress", address);
        }
    }
    if let Some(pairs) = builder.heat_property("allowed_address_pairs") {
        let is_empty = matches!(
            template_builder.evaluator.constant(pairs),
            Some(Value::List(items)) if items.is_empty()
        );
        if !is_empty && template_builder.evaluator.constant(pairs) != Some(Value::Null) {
            builder.set("SourceDestCheck", boolean(false));
        }
    }
}

/// The argument for several addresses of a network interface, if they are in one subnet, and AWS chooses all of
/// them or none. The first one is then no longer the interface's only address.
fn several_addresses(
    attachments: &mut [Option<NetworkAttachment>],
) -> Option<(&'static str, DataTree)> {
    let mut addresses = Vec::new();
    let mut subnets = Vec::new();
    for attachment in attachments.iter() {
        let Some(NetworkAttachment::Subnet { subnet, address }) = attachment else { return None };
        subnets.push(subnet);
        addresses.extend(address.clone());
    }
    if subnets.iter().any(|subnet| *subnet != subnets[0]) {
        return None;
    }
    if addresses.is_empty() {
        let others = Integer::Small(i64::try_from(subnets.len() - 1).ok()?);
        return Some(("SecondaryPrivateIpAddressCount", Data::Int(others).into()));
    }
    if addresses.len() < subnets.len() {
        return None;
    }
    if let Some(Some(NetworkAttachment::Subnet { address, .. })) = attachments.first_mut() {
        *address = None;
    }
    let items = addresses.into_iter().enumerate().map(|(at, address)| {
        DataTree::map([("PrivateIpAddress", address), ("Primary", boolean(at == 0))])
    });
    Some(("PrivateIpAddresses", DataTree::list(items.collect::<Vec<_>>())))
}

fn unknown_addresses(expr: &Expr) -> Box<Inexpressible> {
    let message = "the addresses must be a list of maps that is known while rendering";
    Inexpressible::new(LossKind::Property, "fixed_ips", message, expr.span)
}

/// `OS::Neutron::FloatingIP`: an elastic IP address, with an association if it has a port.
pub(super) fn floating_ip(
    template_builder: &mut TemplateBuilder<'_>,
    builder: &mut AwsResourceBuilder<'_>,
) {
    builder.set("Domain", DataTree::from("vpc"));
    let Some(port) = builder.heat_property("port_id") else { return };
    let here = builder.here("NetworkInterfaceId", port.span).required();
    let expressed =
        template_builder.fold(port, "port_id").and_then(|value| match value.unsealed() {
            Value::Null => Ok(None),
            _ => template_builder.value(&value, form("interface"), here).map(Some),
        });
    match expressed {
        Ok(None) => {}
        Ok(Some(interface)) => {
            let allocation = attribute_of(&builder.planned.id, "AllocationId");
            let properties = vec![("AllocationId", allocation), ("NetworkInterfaceId", interface)];
            let to = "AWS::EC2::EIPAssociation";
            template_builder.add_helper_resource(
                builder.planned,
                "Association",
                to,
                properties,
                None,
            );
        }
        Err(why) => builder.lose(template_builder, &why, port.span),
    }
}

/// `OS::Neutron::Net`: a VPC needs an address range: that of its only subnet, or one that the user supplies.
pub(super) fn net(
    template_builder: &mut TemplateBuilder<'_>,
    builder: &mut AwsResourceBuilder<'_>,
) {
    let owner = builder.planned.owner.clone();
    let here = builder.here("CidrBlock", builder.span()).required();
    let subnets = subnets_of(template_builder, &owner);
    let cidr = match subnets.as_slice() {
        [subnet] if subnet.condition.is_none() && !is_ipv6(template_builder, subnet) => {
            property(&subnet.resource, "cidr").cloned()
        }
        _ => None,
    };
    let tree = match cidr.map(|cidr| template_builder.expr(&cidr, form("cidr"), here)) {
        Some(Ok(tree)) => tree.above(["the address range of its only subnet".to_owned()]),
        Some(Err(_)) | None => match subnets.len() {
            0 => {
                let why = "a Neutron network has no address range, and this one has no subnet";
                template_builder.needed("cidr", why, here)
            }
            1 => {
                let why = "the address range of its subnet cannot be expressed";
                template_builder.missing("cidr", why, here)
            }
            _ => {
                let why = "a Neutron network has no address range that holds all of its subnets";
                template_builder.needed("cidr", why, here)
            }
        },
    };
    builder.set("CidrBlock", tree);
}

fn is_ipv6(template_builder: &TemplateBuilder<'_>, subnet: &PlannedResource<'_>) -> bool {
    let version = property(&subnet.resource, "ip_version");
    let version = version.and_then(|version| template_builder.evaluator.constant(version));
    version.as_ref().and_then(text_of).as_deref() == Some("6")
}

/// `OS::Neutron::Subnet`: in the VPC of its network.
pub(super) fn subnet(
    template_builder: &mut TemplateBuilder<'_>,
    builder: &mut AwsResourceBuilder<'_>,
) {
    let is_six = is_ipv6(template_builder, builder.planned);
    let (argument, holds) = if is_six { ("Ipv6CidrBlock", "cidr6") } else { ("CidrBlock", "cidr") };
    let span = builder.heat_property("cidr").map_or(builder.span(), |cidr| cidr.span);
    let here = builder.here(argument, span).required();
    let tree = match builder.heat_property("cidr") {
        Some(cidr) => template_builder.expr(cidr, form(holds), here),
        None => {
            Ok(template_builder.missing(holds, "the address range comes from a subnet pool", here))
        }
    };
    match tree {
        Ok(tree) => builder.set(argument, tree),
        Err(why) => {
            builder.lose(template_builder, &why, span);
            let tree =
                template_builder.missing(holds, "the address range cannot be expressed", here);
            builder.set(argument, tree);
        }
    }
    if is_six {
        builder.set("Ipv6Native", boolean(true));
        builder.set("AssignIpv6AddressOnCreation", boolean(true));
    }
}

/// `gateway_ip` of a subnet: in AWS the router always has the first address.
pub(super) fn gateway_address(
    template_builder: &mut TemplateBuilder<'_>,
    builder: &mut AwsResourceBuilder<'_>,
    value: &Expr,
    whole: Span,
) {
    let owner = builder.planned.owner.as_str();
    let text = |expr: &Expr| template_builder.evaluator.constant(expr).as_ref().and_then(text_of);
    let first = builder.heat_property("cidr").and_then(text).as_deref().and_then(first_address);
    let gateway = text(value);
    if first.is_some() && gateway.and_then(|it| it.parse().ok()) == first {
        let message =
            format!("`gateway_ip` of `{owner}` is omitted: AWS's router has this address");
        return template_builder.report_note("gateway_ip", message, whole, owner);
    }
    let message =
        format!("`gateway_ip` of `{owner}`: in AWS the router has the first address of the subnet");
    let lines = template_builder.report_lost_item("gateway_ip", message, whole, owner);
    builder.comment(lines);
}

/// The first address of an IPv4 range after that of the network.
fn first_address(cidr: &str) -> Option<Ipv4Addr> {
    let (network, length) = cidr.split_once('/')?;
    let network = u32::from(network.parse::<Ipv4Addr>().ok()?);
    let mask = u32::MAX.checked_shl(32_u32.checked_sub(length.parse().ok()?)?).unwrap_or(0);
    (network & mask).checked_add(1).map(Ipv4Addr::from)
}

/// `dns_nameservers` of a subnet become DHCP options of its VPC, if all subnets of the network that have some
/// have the same.
pub(super) fn name_servers(
    template_builder: &mut TemplateBuilder<'_>,
    builder: &mut AwsResourceBuilder<'_>,
    value: &Expr,
    whole: Span,
) {
    let owner = builder.planned.owner.clone();
    let servers = match template_builder.fold(value, "dns_nameservers") {
        Ok(servers) => servers,
        Err(why) => {
            let lines = template_builder.lose_why(&why, &owner, whole);
            return builder.comment(lines);
        }
    };
    match servers.unsealed() {
        Value::Null => return,
        Value::List(items) if items.is_empty() => return,
        _ => {}
    }
    let network =
        ["network", "network_id"].into_iter().find_map(|name| builder.heat_property(name));
    let network = network.and_then(names_resource).unwrap_or_default();
    let of_others: Vec<(String, Option<Value>)> = subnets_of(template_builder, network)
        .into_iter()
        .filter_map(|subnet| {
            let servers = property(&subnet.resource, "dns_nameservers")?;
            Some((subnet.id, template_builder.fold(servers, "dns_nameservers").ok()))
        })
        .collect();
    let is_same = of_others.iter().all(|(_, others)| others.as_ref() == Some(&servers));
    let vpc = template_builder.plan.get(network).filter(
        |net| matches!(&net.outcome, PlannedOutcome::Object(to, _) if *to == "AWS::EC2::VPC"),
    );
    let Some(vpc) = vpc.filter(|_| is_same).map(|vpc| reference(&vpc.id)) else {
        let message = format!(
            "`dns_nameservers` of `{owner}`: AWS sets name servers for a whole VPC, in an AWS::EC2::DHCPOptions"
        );
        let lines = template_builder.report_lost_item("dns_nameservers", message, whole, &owner);
        return builder.comment(lines);
    };
    if of_others.first().is_some_and(|(first, _)| *first != builder.planned.id) {
        return;
    }
    let here = builder.here("DomainNameServers", value.span).required();
    match template_builder.value(&servers, form("name_servers"), here) {
        Ok(servers) => {
            let properties = vec![("DomainNameServers", servers)];
            let to = "AWS::EC2::DHCPOptions";
            let planned = builder.planned;
            let options =
                template_builder.add_helper_resource(planned, "DhcpOptions", to, properties, None);
            let properties = vec![("DhcpOptionsId", reference(&options)), ("VpcId", vpc)];
            let to = "AWS::EC2::VPCDHCPOptionsAssociation";
            let suffix = "DhcpOptionsAssociation";
            let association =
                template_builder.add_helper_resource(planned, suffix, to, properties, None);
            // Servers read the options when they start.
            builder.depends_on.push(association);
        }
        Err(why) => builder.lose(template_builder, &why, whole),
    }
}

/// The address of an `AWS::EC2::EIPAssociation`: in a VPC, AWS associates addresses by their allocation.
pub(super) fn associated_address(
    template_builder: &mut TemplateBuilder<'_>,
    builder: &mut AwsResourceBuilder<'_>,
    value: &Expr,
) {
    let here = builder.here("AllocationId", value.span).required();
    let address = names_resource(value).and_then(|name| template_builder.plan.get(name)).filter(
        |planned| matches!(&planned.outcome, PlannedOutcome::Object(to, _) if *to == "AWS::EC2::EIP"),
    );
    if let Some(address) = address {
        return builder.set("AllocationId", attribute_of(&address.id, "AllocationId"));
    }
    match template_builder.expr(value, form("allocation"), here) {
        Ok(allocation) => builder.set("AllocationId", allocation),
        Err(why) => builder.lose(template_builder, &why, value.span),
    }
}

/// `AWS::EC2::Instance`: Heat accepts interface IDs in place of maps, and creates no interface besides those.
pub(super) fn instance(_: &mut TemplateBuilder<'_>, builder: &mut AwsResourceBuilder<'_>) {
    let interfaces = builder.properties.iter_mut().find(|(name, _)| name == "NetworkInterfaces");
    let Some((_, DataTree { kind: DataNode::List(items), .. })) = interfaces else { return };
    for (index, item) in items.iter_mut().enumerate() {
        let is_interface = matches!(&item.kind, DataNode::Map(pairs) if pairs.iter().any(|(key, _)| key == "NetworkInterfaceId"));
        if !is_interface {
            let id = std::mem::replace(item, DataTree::new(DataNode::Comment));
            let index = DataTree::from(index.to_string().as_str());
            *item = DataTree::map([("DeviceIndex", index), ("NetworkInterfaceId", id)]);
        }
    }
    let ignored = ["SubnetId", "SecurityGroupIds"];
    builder.properties.retain(|(name, _)| !ignored.contains(&name.as_str()));
}
