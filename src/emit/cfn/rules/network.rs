//! Networks become VPCs, subnets become subnets, ports become network interfaces.

use super::super::super::LossKind;
use super::super::super::render_model::property;
use super::super::super::tree::{DataNode, DataTree};
use super::super::plan::{PlannedOutcome, PlannedResource};
use super::super::resource_builder::AwsResourceBuilder;
use super::super::tables::form;
use super::super::template_builder::{TemplateBuilder, ValueContext, attribute_of, reference};
use super::super::value::text_of;
use super::server::{boolean, non_null};
use crate::emit::kit::{Expressed, Inexpressible};
use heat_engine::eval::{Map, Value};
use heat_template::ir::{Expr, ExprKind};

/// What a server or a port is attached to.
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
    sheet: &mut TemplateBuilder<'_>,
    map: &Map,
    ports: &[&str],
    here: ValueContext<'_>,
) -> Expressed<Option<NetworkAttachment>> {
    let here = here.required();
    for name in ports {
        if let Some(port) = non_null(map, name) {
            let here = ValueContext { argument: "NetworkInterfaceId", ..here };
            return Ok(Some(NetworkAttachment::Port(sheet.value(
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
            Some(sheet.value(address, form("private_address"), here)?)
        }
    };
    let subnet = non_null(map, "subnet").or_else(|| non_null(map, "subnet_id"));
    if let Some(subnet) = subnet {
        let subnet = sheet.value(subnet, form("subnet"), here)?;
        return Ok(Some(NetworkAttachment::Subnet { subnet, address }));
    }
    match non_null(map, "network").or_else(|| non_null(map, "uuid")) {
        Some(network) => {
            let subnet = subnet_of(sheet, network, here)?;
            Ok(Some(NetworkAttachment::Subnet { subnet, address }))
        }
        None => Ok(None),
    }
}

/// A subnet of a network: one of the template's, or one that the user supplies.
fn subnet_of(
    sheet: &mut TemplateBuilder<'_>,
    network: &Value,
    here: ValueContext<'_>,
) -> Expressed<DataTree> {
    let Some(name) = sheet.resource_named(network) else {
        return sheet.value(network, form("subnet"), here);
    };
    let subnets = subnets_of(sheet, &name);
    match subnets.first() {
        Some(subnet) => Ok(reference(&subnet.id)),
        None => {
            let why = format!("`{name}` has no subnet in the template");
            Ok(sheet.missing("subnet", &why, here))
        }
    }
}

/// The subnets of a network of the template.
fn subnets_of<'p>(sheet: &TemplateBuilder<'p>, network: &str) -> Vec<PlannedResource<'p>> {
    let is_subnet = |planned: &&PlannedResource<'_>| {
        matches!(&planned.outcome, PlannedOutcome::Object(to, _) if *to == "AWS::EC2::Subnet")
            && ["network", "network_id"].into_iter().any(|name| {
                property(&planned.resource, name).and_then(names_resource) == Some(network)
            })
    };
    sheet.plan.values().filter(is_subnet).cloned().collect()
}

/// The resource that an expression refers to.
pub(super) fn names_resource(expr: &Expr) -> Option<&str> {
    match &expr.kind {
        ExprKind::Resource(name) => name.as_text(),
        _ => None,
    }
}

pub(super) fn vpcs<'p>(sheet: &TemplateBuilder<'p>) -> Vec<PlannedResource<'p>> {
    let is_vpc = |planned: &&PlannedResource<'_>| matches!(&planned.outcome, PlannedOutcome::Object(to, _) if *to == "AWS::EC2::VPC");
    sheet.plan.values().filter(is_vpc).cloned().collect()
}

/// `OS::Neutron::Port`: a network interface in the subnet of its first fixed address.
pub(super) fn port(sheet: &mut TemplateBuilder<'_>, making: &mut AwsResourceBuilder<'_>) {
    let owner = making.planned.owner.clone();
    let span = making.span();
    let here = making.here("SubnetId", span).required();
    let mut found = None;
    if let Some(expr) = making.heat_property("fixed_ips") {
        let here = here.at("SubnetId", expr.span);
        let said = sheet.fold(expr, "fixed_ips").and_then(|value| match value.unsealed() {
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
        let said = said.and_then(|items| {
            if items.len() > 1 {
                let message = format!("`{owner}` keeps only its first address in AWS");
                sheet.report_lost_item("fixed_ips", message, expr.span, &owner);
            }
            match items.first() {
                None => Ok(None),
                Some(first) => Ok(Some((
                    attachment_of(sheet, first, &[], here)?,
                    non_null(first, "ip_address").cloned(),
                ))),
            }
        });
        match said {
            Ok(Some((Some(network), _))) => found = Some(network),
            // An address without a subnet belongs to one of the network's subnets.
            Ok(Some((None, Some(address)))) => {
                let here = ValueContext { argument: "PrivateIpAddress", ..here };
                if let Ok(tree) = sheet.value(&address, form("private_address"), here) {
                    making.set("PrivateIpAddress", tree);
                }
            }
            Ok(_) => {}
            Err(why) => {
                let lines = sheet.lose_why(&why, &owner, expr.span);
                making.comment(lines);
            }
        }
    }
    if found.is_none()
        && let Some(expr) =
            making.heat_property("network").or_else(|| making.heat_property("network_id"))
    {
        let here = here.at("SubnetId", expr.span);
        match sheet.fold(expr, "network").and_then(|value| subnet_of(sheet, &value, here)) {
            Ok(subnet) => found = Some(NetworkAttachment::Subnet { subnet, address: None }),
            Err(why) => {
                let lines = sheet.lose_why(&why, &owner, expr.span);
                making.comment(lines);
            }
        }
    }
    if let Some(NetworkAttachment::Subnet { subnet, address }) = found {
        making.set("SubnetId", subnet);
        if let Some(address) = address {
            making.set("PrivateIpAddress", address);
        }
    }
    if let Some(pairs) = making.heat_property("allowed_address_pairs") {
        let is_empty = matches!(
            sheet.evaluator.constant(pairs),
            Some(Value::List(items)) if items.is_empty()
        );
        if !is_empty && sheet.evaluator.constant(pairs) != Some(Value::Null) {
            making.set("SourceDestCheck", boolean(false));
        }
    }
}

fn unknown_addresses(expr: &Expr) -> Box<Inexpressible> {
    let message = "the addresses must be a list of maps that is known while rendering";
    Inexpressible::new(LossKind::Property, "fixed_ips", message, expr.span)
}

/// `OS::Neutron::FloatingIP`: an elastic IP address, with an association if it has a port.
pub(super) fn floating_ip(sheet: &mut TemplateBuilder<'_>, making: &mut AwsResourceBuilder<'_>) {
    making.set("Domain", DataTree::from("vpc"));
    let Some(port) = making.heat_property("port_id") else { return };
    let here = making.here("NetworkInterfaceId", port.span).required();
    let said = sheet.fold(port, "port_id").and_then(|value| match value.unsealed() {
        Value::Null => Ok(None),
        _ => sheet.value(&value, form("interface"), here).map(Some),
    });
    match said {
        Ok(None) => {}
        Ok(Some(interface)) => {
            let allocation = attribute_of(&making.planned.id, "AllocationId");
            let properties = vec![("AllocationId", allocation), ("NetworkInterfaceId", interface)];
            let to = "AWS::EC2::EIPAssociation";
            sheet.add_helper_resource(making.planned, "Association", to, properties, None);
        }
        Err(why) => {
            let lines = sheet.lose_why(&why, &making.planned.owner, port.span);
            making.comment(lines);
        }
    }
}

/// `OS::Neutron::Net`: a VPC needs an address range: that of its only subnet, or one that the user supplies.
pub(super) fn net(sheet: &mut TemplateBuilder<'_>, making: &mut AwsResourceBuilder<'_>) {
    let owner = making.planned.owner.clone();
    let here = making.here("CidrBlock", making.span()).required();
    let subnets = subnets_of(sheet, &owner);
    let cidr = match subnets.as_slice() {
        [subnet] if subnet.condition.is_none() && !is_ipv6(sheet, subnet) => {
            property(&subnet.resource, "cidr").cloned()
        }
        _ => None,
    };
    let tree = match cidr.map(|cidr| sheet.expr(&cidr, form("cidr"), here)) {
        Some(Ok(tree)) => tree.above(["the address range of its only subnet".to_owned()]),
        Some(Err(_)) | None => {
            let why = match subnets.len() {
                0 => "a Neutron network has no address range, and this one has no subnet",
                1 => "the address range of its subnet cannot be expressed",
                _ => "a Neutron network has no address range that holds all of its subnets",
            };
            sheet.missing("cidr", why, here)
        }
    };
    making.set("CidrBlock", tree);
}

fn is_ipv6(sheet: &TemplateBuilder<'_>, subnet: &PlannedResource<'_>) -> bool {
    let version = property(&subnet.resource, "ip_version");
    let version = version.and_then(|version| sheet.evaluator.constant(version));
    version.as_ref().and_then(text_of).as_deref() == Some("6")
}

/// `OS::Neutron::Subnet`: in the VPC of its network.
pub(super) fn subnet(sheet: &mut TemplateBuilder<'_>, making: &mut AwsResourceBuilder<'_>) {
    let owner = making.planned.owner.clone();
    let is_six = is_ipv6(sheet, making.planned);
    let (argument, holds) = if is_six { ("Ipv6CidrBlock", "cidr6") } else { ("CidrBlock", "cidr") };
    let span = making.heat_property("cidr").map_or(making.span(), |cidr| cidr.span);
    let here = making.here(argument, span).required();
    let tree = match making.heat_property("cidr") {
        Some(cidr) => sheet.expr(cidr, form(holds), here),
        None => Ok(sheet.missing(holds, "the address range comes from a subnet pool", here)),
    };
    match tree {
        Ok(tree) => making.set(argument, tree),
        Err(why) => {
            let lines = sheet.lose_why(&why, &owner, span);
            making.comment(lines);
            let tree = sheet.missing(holds, "the address range cannot be expressed", here);
            making.set(argument, tree);
        }
    }
    if is_six {
        making.set("Ipv6Native", boolean(true));
        making.set("AssignIpv6AddressOnCreation", boolean(true));
    }
}

/// `AWS::EC2::Instance`: Heat accepts interface IDs in place of maps, and creates no interface besides those.
pub(super) fn instance(_: &mut TemplateBuilder<'_>, making: &mut AwsResourceBuilder<'_>) {
    let interfaces = making.properties.iter_mut().find(|(name, _)| name == "NetworkInterfaces");
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
    making.properties.retain(|(name, _)| !ignored.contains(&name.as_str()));
}
