//! The gateway of a router: a property of the router, or a separate resource, which used to be the only way
//! to set it.

use super::PropertyRequest;
use super::compute::under;
use crate::mapping::PropertyMapping;
use crate::openstack_provider::catalog::{ObjectCatalog, ResourceDefinition, provider_attribute};
use crate::openstack_provider::model::{Argument, ResourceObjects, WantedType};
use crate::openstack_provider::resource_builder::ResourceBuilder;
use crate::openstack_provider::values::{ListItem, items};
use crate::{Loss, LossKind, Losses};
use heat_template::ir::{Expr, ExprKind, Resource};

const GATEWAY: &str = "OS::Neutron::RouterGateway";
const ROUTER: &str = "OS::Neutron::Router";

/// `external_gateway_info`, and gateways that are separate resources.
pub(super) fn of_router<'c>(builder: &mut ResourceBuilder<'c, '_>, of: PropertyRequest<'c>) {
    let PropertyRequest { name, property, given } = of;
    let network = match given {
        Some(value) => {
            let ListItem::Written(map) = one(value) else {
                builder.report_lost_property(
                    name,
                    value.span,
                    "the gateway as a whole is computed",
                );
                return;
            };
            info(builder, property, map);
            under(map, "network")
        }
        None => {
            let catalog = builder.catalog;
            let gateways = gateways_of(catalog, builder.definition.owner);
            let Some((gateway, resource)) = gateways.into_iter().next() else { return };
            if let Some(condition) = &resource.condition {
                let why = format!(
                    "the gateway `{gateway}` has a condition, but the router's argument cannot \
                     have one"
                );
                builder.report_lost_property("condition", condition.span, &why);
            }
            let properties = resource.properties.as_ref();
            properties.and_then(|all| under(all, "network").or_else(|| under(all, "network_id")))
        }
    };
    if let Some(network) = network
        && let Some(value) = network_of(builder, property, network)
    {
        builder.arguments.push(("external_network_id".to_owned(), value));
    }
}

fn one(value: &Expr) -> ListItem<'_> {
    match &value.kind {
        ExprKind::Map(_) => ListItem::Written(value),
        _ => items(value, true).into_iter().next().unwrap_or(ListItem::Written(value)),
    }
}

fn network_of(
    builder: &mut ResourceBuilder<'_, '_>,
    property: &'static PropertyMapping,
    network: &Expr,
) -> Option<Argument> {
    match property.members.get("network") {
        Some(member) => builder.named("network", member, network),
        None => Some(Argument::Expr(network.clone(), WantedType::Text)),
    }
}

/// Further settings of the gateway.
fn info(builder: &mut ResourceBuilder<'_, '_>, property: &'static PropertyMapping, map: &Expr) {
    if let Some(snat) = under(map, "enable_snat") {
        let value = Argument::Expr(snat.clone(), WantedType::Bool);
        builder.arguments.push(("enable_snat".to_owned(), value));
    }
    let block = builder.info("external_fixed_ip").and_then(|info| info.block.as_ref());
    let addresses = under(map, "external_fixed_ips");
    let member = property.members.get("external_fixed_ips");
    if let (Some(block), Some(addresses), Some(member)) = (block, addresses, member) {
        let parts = builder.blocks(member, block, None, addresses);
        let parts = parts.into_iter().map(|part| ("external_fixed_ip".to_owned(), part));
        builder.arguments.extend(parts);
    }
}

/// The resources that set the gateway of a router.
fn gateways_of<'c>(catalog: &'c ObjectCatalog<'_>, router: &str) -> Vec<(&'c str, &'c Resource)> {
    let resources = catalog.module.stack.resources.iter();
    let all = resources.filter(|(name, resource)| {
        catalog.type_of(name) == Some(GATEWAY)
            && router_of(catalog, resource.properties.as_ref()) == Some(router)
    });
    all.map(|(name, resource)| (name.as_str(), resource)).collect()
}

/// The router of the same template that a gateway refers to.
fn router_of<'e>(catalog: &ObjectCatalog<'_>, properties: Option<&'e Expr>) -> Option<&'e str> {
    let router = catalog.referenced_resource(under(properties?, "router_id")?)?;
    (catalog.type_of(router) == Some(ROUTER)).then_some(router)
}

/// A gateway that is a separate resource: it becomes arguments of its router, which stands for it.
pub(super) fn part(
    catalog: &ObjectCatalog<'_>,
    definition: &ResourceDefinition<'_>,
    losses: &mut Losses,
) -> Option<ResourceObjects> {
    let ResourceDefinition { owner, kind, span, .. } = *definition;
    let lost = |message: String| {
        Loss::new(LossKind::ResourceType, kind, message, span)
            .with_owner(owner)
            .suggesting("set `external_gateway_info` of the router")
    };
    let Some(router) = router_of(catalog, definition.properties) else {
        let message =
            format!("the gateway `{owner}` belongs to a router that is not in this template");
        losses.add(lost(message));
        return None;
    };
    let resource = catalog.module.stack.resources.get(router);
    let has_own = resource
        .and_then(|resource| under(resource.properties.as_ref()?, "external_gateway_info"))
        .is_some();
    let first = gateways_of(catalog, router).first().is_some_and(|(name, _)| *name == owner);
    if has_own || !first {
        let message = format!("the router `{router}` already has a gateway other than `{owner}`");
        losses.add(lost(message));
        return None;
    }
    Some(ResourceObjects { objects: Vec::new(), reference: provider_attribute(router, 0, "id") })
}
