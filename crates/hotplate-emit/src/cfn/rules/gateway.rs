//! Routers become route tables, and their external gateways become internet gateways.

use super::network::{names_resource, vpcs};
use crate::cfn::dependencies::depend_on;
use crate::cfn::plan::{PlannedOutcome, PlannedResource};
use crate::cfn::resource_builder::AwsResourceBuilder;
use crate::cfn::tables::form;
use crate::cfn::template_builder::{TemplateBuilder, ValueContext, reference};
use crate::cfn::value::shown_key;
use crate::kit::map_key_text;
use crate::render_model::property;
use crate::tree::{DataNode, DataTree};
use heat_engine::eval::Value;
use lossless_yaml::Value as Data;

/// `OS::Neutron::Router`: a route table, with an internet gateway if the router has an external one.
pub(super) fn router(
    template_builder: &mut TemplateBuilder<'_>,
    builder: &mut AwsResourceBuilder<'_>,
) {
    let owner = builder.planned.owner.clone();
    let here = builder.here("VpcId", builder.span()).required();
    let vpc = vpc_of(template_builder, &owner, here);
    builder.set("VpcId", vpc.clone());
    let Some(expr) = builder.heat_property("external_gateway_info") else { return };
    let value = template_builder.fold(expr, "external_gateway_info");
    match value.as_ref().map(Value::unsealed) {
        Ok(Value::Null) => return,
        Ok(Value::Map(map)) => {
            for (key, value) in map.iter() {
                let is_expressed =
                    map_key_text(key) == "network" || matches!(value.unsealed(), Value::Null);
                if !is_expressed {
                    let key = shown_key(key, value.holds_secret());
                    let message = format!("`{key}` of the gateway of `{owner}` has no counterpart");
                    let lines = template_builder.report_lost_item(
                        "external_gateway_info",
                        message,
                        expr.span,
                        &owner,
                    );
                    builder.comment(lines);
                }
            }
        }
        Ok(_) => {}
        Err(why) => {
            builder.lose(template_builder, why, expr.span);
            return;
        }
    }
    let to = "AWS::EC2::InternetGateway";
    let gateway = template_builder.add_helper_resource(
        builder.planned,
        "InternetGateway",
        to,
        Vec::new(),
        None,
    );
    let properties = vec![("VpcId", vpc), ("InternetGatewayId", reference(&gateway))];
    let to = "AWS::EC2::VPCGatewayAttachment";
    let attachment = template_builder.add_helper_resource(
        builder.planned,
        "GatewayAttachment",
        to,
        properties,
        None,
    );
    let table = reference(&builder.planned.id);
    route(template_builder, builder.planned, table, &gateway, &attachment);
}

/// The default route, for everything outside the VPC.
fn route(
    template_builder: &mut TemplateBuilder<'_>,
    planned: &PlannedResource<'_>,
    table: DataTree,
    gateway: &str,
    attachment: &str,
) {
    let properties = vec![
        ("RouteTableId", table),
        ("DestinationCidrBlock", DataTree::from("0.0.0.0/0")),
        ("GatewayId", reference(gateway)),
    ];
    template_builder.add_helper_resource(
        planned,
        "DefaultRoute",
        "AWS::EC2::Route",
        properties,
        Some(attachment),
    );
}

/// `OS::Neutron::RouterGateway`: an internet gateway, its attachment and a default route.
pub(super) fn router_gateway(
    template_builder: &mut TemplateBuilder<'_>,
    builder: &mut AwsResourceBuilder<'_>,
) {
    let here = builder.here("VpcId", builder.span()).required();
    let router = builder.heat_property("router_id").or_else(|| builder.heat_property("router"));
    let vpc = match router.and_then(names_resource) {
        Some(router) => {
            let router = router.to_owned();
            vpc_of(template_builder, &router, here)
        }
        None => template_builder.missing("vpc", "the router is not in the template", here),
    };
    let to = "AWS::EC2::InternetGateway";
    let gateway = template_builder.add_helper_resource(
        builder.planned,
        "InternetGateway",
        to,
        Vec::new(),
        None,
    );
    builder.set("VpcId", vpc);
    builder.set("InternetGatewayId", reference(&gateway));
    let Some(router) = router else { return };
    let here = builder.here("RouteTableId", router.span).required();
    match template_builder.expr(router, form("route_table"), here) {
        Ok(table) => {
            let attachment = builder.planned.id.clone();
            route(template_builder, builder.planned, table, &gateway, &attachment);
        }
        Err(why) => builder.lose(template_builder, &why, router.span),
    }
}

/// Makes addresses that are reached through a gateway depend on it, since AWS does not infer that.
pub(in crate::cfn) fn wait_for_gateways(resources: &mut [(String, DataTree)]) {
    let kind = |tree: &DataTree| match entry(tree, "Type").map(|kind| &kind.kind) {
        Some(DataNode::Leaf(Data::Text(text))) => text.clone(),
        _ => String::new(),
    };
    let attachments: Vec<String> = resources
        .iter()
        .filter(|(_, tree)| kind(tree) == "AWS::EC2::VPCGatewayAttachment")
        .map(|(name, _)| name.clone())
        .collect();
    if attachments.is_empty() {
        return;
    }
    for (_, tree) in resources {
        if !["AWS::EC2::EIP", "AWS::EC2::EIPAssociation"].contains(&kind(tree).as_str()) {
            continue;
        }
        attachments.iter().for_each(|attachment| depend_on(tree, attachment));
    }
}

fn entry<'t>(tree: &'t DataTree, name: &str) -> Option<&'t DataTree> {
    let DataNode::Map(pairs) = &tree.kind else { return None };
    pairs.iter().find(|(key, _)| key == name).map(|(_, value)| value)
}

/// `OS::Neutron::RouterInterface`: associates the subnet, or the subnet of the port.
pub(super) fn router_interface(
    template_builder: &mut TemplateBuilder<'_>,
    builder: &mut AwsResourceBuilder<'_>,
) {
    for (names, argument, holds) in [
        (["router", "router_id"], "RouteTableId", "route_table"),
        (["subnet", "subnet_id"], "SubnetId", "subnet"),
    ] {
        if builder.has(argument) {
            continue;
        }
        let Some(expr) = names.iter().find_map(|name| builder.heat_property(name)) else {
            continue;
        };
        let here = builder.here(argument, expr.span).required();
        match template_builder.expr(expr, form(holds), here) {
            Ok(tree) => builder.set(argument, tree),
            Err(why) => builder.lose(template_builder, &why, expr.span),
        }
    }
}

/// The VPC of a router of the template: that of the subnets that it has interfaces in.
fn vpc_of(
    template_builder: &mut TemplateBuilder<'_>,
    router: &str,
    here: ValueContext<'_>,
) -> DataTree {
    let mut nets: Vec<String> = Vec::new();
    for planned in template_builder.plan.values() {
        let part = |names: [&str; 2]| {
            names
                .into_iter()
                .find_map(|name| property(&planned.resource, name))
                .and_then(names_resource)
        };
        if planned.kind != "OS::Neutron::RouterInterface"
            || part(["router", "router_id"]) != Some(router)
        {
            continue;
        }
        let subnet = part(["subnet", "subnet_id"]).and_then(|name| template_builder.plan.get(name));
        let net = subnet.and_then(|subnet| {
            let names = ["network", "network_id"];
            names
                .into_iter()
                .find_map(|name| property(&subnet.resource, name))
                .and_then(names_resource)
        });
        if let Some(net) = net
            && !nets.iter().any(|there| there == net)
        {
            nets.push(net.to_owned());
        }
    }
    let vpcs: Vec<String> = match nets.is_empty() {
        true => vpcs(template_builder).into_iter().map(|vpc| vpc.id).collect(),
        false => nets
            .iter()
            .filter_map(|net| template_builder.plan.get(net))
            .filter(|net| matches!(net.outcome, PlannedOutcome::Object(..)))
            .map(|net| net.id.clone())
            .collect(),
    };
    match vpcs.as_slice() {
        [vpc] => reference(vpc),
        [] => template_builder.needed(
            "vpc",
            "the router has no interface in a network of the template",
            here,
        ),
        _ => template_builder.missing(
            "vpc",
            "an AWS router belongs to one VPC, but this one connects several networks",
            here,
        ),
    }
}
