//! AWS's networks, as Heat makes them of Neutron's objects.
//!
//! A VPC is a network and a router of the same name. A subnet is on that router, unless an association puts it on the router
//! that a route table is. A gateway is attached to the routers of the route tables, not to that of the VPC.
//! The facts are those of `heat/engine/resources/aws/ec2` of Heat 27: `vpc`, `subnet`, `route_table`, `internet_gateway`
//! and `network_interface`.

use super::{Translation, attribute_of, list, map, reference};
use crate::render_model::{ResourceImplementation, property};
use heat_template::ir::{Expr, ExprKind, Resource};
use python_semantics::number::Integer;

const VPC: &str = "AWS::EC2::VPC";
const SUBNET: &str = "AWS::EC2::Subnet";
const ROUTE_TABLE: &str = "AWS::EC2::RouteTable";
const ASSOCIATION: &str = "AWS::EC2::SubnetRouteTableAssociation";

/// The ending of the name of a VPC's router.
const ROUTER: &str = "router";

/// The router of a VPC.
pub(super) fn vpc(to: &mut Translation<'_>) -> Option<()> {
    // Subnets refer to it by this name.
    if to.module.stack.resources.contains_key(&router_of(to.name)) {
        return None;
    }
    let span = to.resource.kind_span();
    to.add(ROUTER, "OS::Neutron::Router", map([], span));
    Some(())
}

fn router_of(vpc: &str) -> String {
    format!("{vpc}_{ROUTER}")
}

/// The IP version of a subnet, and its place on the router of the VPC.
pub(super) fn subnet(to: &mut Translation<'_>) -> Option<()> {
    let span = to.resource.kind_span();
    // The router of another network is unknown.
    let vpc = to.resource_of(to.given("VpcId")?, VPC)?.0;
    to.set("ip_version", Expr::new(ExprKind::Int(Integer::Small(4)), span));
    let name = to.name;
    let is_of_it =
        |resource: &Resource| property(resource, "SubnetId").and_then(named) == Some(name);
    if !to.resources(ASSOCIATION).any(|(_, resource)| is_of_it(resource)) {
        let interface =
            [("router", reference(&router_of(vpc), span)), ("subnet", reference(name, span))];
        to.add("router_interface", "OS::Neutron::RouterInterface", map(interface, span));
    }
    Some(())
}

/// A route table must be one of a VPC of the template, whose router has no gateway.
pub(super) fn route_table(to: &mut Translation<'_>) -> Option<()> {
    to.resource_of(to.given("VpcId")?, VPC).map(|_| ())
}

/// The gateways of the routers of the VPC's route tables.
pub(super) fn gateways(to: &mut Translation<'_>) -> Option<()> {
    let span = to.resource.kind_span();
    let vpc = to.resource_of(to.given("VpcId")?, VPC)?.0;
    let network = to.external_network.clone()?;
    let is_of_it = |resource: &Resource| property(resource, "VpcId").and_then(named) == Some(vpc);
    let tables: Vec<&str> = to
        .resources(ROUTE_TABLE)
        .filter(|(_, resource)| is_of_it(resource))
        .map(|(name, _)| name)
        .collect();
    for (number, table) in tables.into_iter().enumerate() {
        let gateway = [("router_id", reference(table, span)), ("network", network.clone())];
        to.add(&format!("gateway_{number}"), "OS::Neutron::RouterGateway", map(gateway, span));
    }
    Some(())
}

/// The network and the address of a port.
pub(super) fn port(to: &mut Translation<'_>) -> Option<()> {
    let subnet = to.given("SubnetId")?.clone();
    let span = subnet.span;
    let network = match to.resource_of(&subnet, SUBNET) {
        Some((_, subnet)) => property(subnet, "VpcId")?.clone(),
        None => {
            let name = to.resource_of(&subnet, "OS::Neutron::Subnet")?.0;
            attribute_of(&Expr::text(name, span), "network_id", Vec::new(), span)
        }
    };
    let address = to.given("PrivateIpAddress").filter(|it| it.kind != ExprKind::Null).cloned();
    let address = address.map(|it| ("ip_address", it));
    let fixed = map(std::iter::once(("subnet", subnet)).chain(address), span);
    to.set("network", network);
    to.set("fixed_ips", list(vec![fixed], span));
    Some(())
}

/// The resource that a value refers to.
fn named(value: &Expr) -> Option<&str> {
    match &value.kind {
        ExprKind::Resource(name) => name.as_text(),
        _ => None,
    }
}

impl<'r> Translation<'r> {
    /// The resources of the template that have this type.
    fn resources(&self, kind: &str) -> impl Iterator<Item = (&'r str, &'r Resource)> {
        let module = self.module;
        let all = module.stack.resources.iter().filter(move |(name, _)| {
            matches!(
                module.implementations.get(*name),
                Some(ResourceImplementation::ResourceType(of)) if of == kind
            )
        });
        all.map(|(name, resource)| (name.as_str(), resource))
    }

    /// The resource of this type that a value refers to.
    pub(super) fn resource_of(&self, value: &Expr, kind: &str) -> Option<(&'r str, &'r Resource)> {
        let name = named(value)?;
        self.resources(kind).find(|(of, _)| *of == name)
    }
}
