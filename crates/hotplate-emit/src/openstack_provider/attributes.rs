//! The counterparts of attributes that Heat returns.

use super::catalog::{AttributeValue, ObjectCatalog, provider_attribute};
use super::model::{Argument, AttributeStep, ObjectRef, ResourceObjects};
use super::rules::server_networks::port_of;
use crate::identifier_kind::IdentifierKind;
use crate::mapping::AttributeMapping;
use crate::render_model::property;
use heat_engine::eval::Value;
use heat_template::ir::{Expr, ExprKind};

/// A reference to an attribute.
#[derive(Clone, Copy)]
pub(super) struct AttributeRequest<'a> {
    pub(super) catalog: &'a ObjectCatalog<'a>,
    /// The resource whose attribute is requested.
    pub(super) owner: &'a str,
    pub(super) objects: Option<&'a ResourceObjects>,
    /// The path into the attribute.
    pub(super) path: &'a [Expr],
}

type AttributeRule = fn(&AttributeRequest<'_>, &AttributeMapping) -> Option<AttributeValue>;

/// The counterpart of the attribute; `None` if it has none.
pub(super) fn find(
    requested: &AttributeRequest<'_>,
    mapping: &AttributeMapping,
) -> Option<AttributeValue> {
    match mapping.rule.as_deref() {
        Some(rule) => rule_named(rule)?(requested, mapping),
        None => Some(whole(attribute(requested, mapping.to.as_deref()?))),
    }
}

/// A rule, by the name that the table uses for it.
pub(super) fn rule_named(rule: &str) -> Option<AttributeRule> {
    Some(match rule {
        "list_of" => list_of,
        "first_of" => first_of,
        "server_addresses" => server_addresses,
        "server_networks" => server_networks,
        "port_fixed_ips" => port_fixed_ips,
        "floating_network_id" => floating_network_id,
        "router_gateway" => router_gateway,
        "stack_outputs" => stack_outputs,
        _ => return None,
    })
}

fn whole(value: Argument) -> AttributeValue {
    AttributeValue { value, steps_followed: 0 }
}

/// An attribute of the resource's main object: for a resource without objects, of the one
/// that its reference names.
fn attribute(requested: &AttributeRequest<'_>, name: &str) -> Argument {
    let object = match requested.objects.map(|expressed| (&expressed.objects, &expressed.reference))
    {
        Some((objects, Argument::Attribute { object, .. })) if objects.is_empty() => object.clone(),
        Some(_) | None => return provider_attribute(requested.owner, 0, name),
    };
    Argument::Attribute { object, path: vec![AttributeStep::Key(name.to_owned())] }
}

/// A list with the only item that the provider reports.
fn list_of(requested: &AttributeRequest<'_>, mapping: &AttributeMapping) -> Option<AttributeValue> {
    Some(whole(Argument::List(vec![attribute(requested, mapping.to.as_deref()?)])))
}

/// A map that the provider reports as a list of one block.
fn first_of(
    requested: &AttributeRequest<'_>,
    mapping: &AttributeMapping,
) -> Option<AttributeValue> {
    let mut argument = attribute(requested, mapping.to.as_deref()?);
    if let Argument::Attribute { path, .. } = &mut argument {
        path.push(AttributeStep::Index(0));
    }
    Some(whole(argument))
}

fn item(name: &str) -> Argument {
    Argument::Item(vec![name.to_owned()])
}

fn map(pairs: Vec<(&str, Argument)>) -> Argument {
    Argument::Map(pairs.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
}

/// Something about each network of a server, by the network's name and by its ID; only by one of them if the path begins with one.
fn by_network(requested: &AttributeRequest<'_>, of_network: Argument) -> AttributeValue {
    let (name, id) = ("name".to_owned(), "uuid".to_owned());
    let keys = match requested.path.first().map(|step| requested.catalog.identifier_kind(step)) {
        Some(IdentifierKind::Name) => vec![name],
        Some(IdentifierKind::Id | IdentifierKind::LaterId) => vec![id],
        Some(IdentifierKind::Either | IdentifierKind::Mixed) | None => vec![name, id],
    };
    let list = Box::new(attribute(requested, "network"));
    whole(Argument::MapFor { list, keys, item: Box::new(of_network), grouped: true })
}

/// The fixed addresses by network.
fn server_networks(
    requested: &AttributeRequest<'_>,
    _: &AttributeMapping,
) -> Option<AttributeValue> {
    let address = Argument::First(vec![item("fixed_ip_v4"), item("fixed_ip_v6")]);
    Some(by_network(requested, address))
}

/// The fixed addresses by network, with what Nova reports about each.
fn server_addresses(
    requested: &AttributeRequest<'_>,
    _: &AttributeMapping,
) -> Option<AttributeValue> {
    if let [_, _, key] = requested.path
        && key.as_text() == Some("port")
    {
        let server = requested.catalog.module.stack.resources.get(requested.owner);
        let networks = server.and_then(|server| property(server, "networks"));
        let is_one =
            networks.is_none_or(|it| matches!(&it.kind, ExprKind::List(list) if list.len() == 1));
        let object = ObjectRef { resource: requested.owner.to_owned(), index: 0 };
        let is_server = requested.catalog.type_of(requested.owner).is_some();
        let port = port_of(object, networks, 0).filter(|_| is_one && is_server);
        if let Some(value) = port {
            return Some(AttributeValue { value, steps_followed: 3 });
        }
    }
    let address = map(vec![
        ("addr", Argument::First(vec![item("fixed_ip_v4"), item("fixed_ip_v6")])),
        ("OS-EXT-IPS-MAC:mac_addr", item("mac")),
        ("OS-EXT-IPS:type", Argument::Text("fixed".to_owned())),
        ("port", item("port")),
    ]);
    Some(by_network(requested, address))
}

/// The addresses of a port; the subnets are known only if the template sets them.
fn port_fixed_ips(
    requested: &AttributeRequest<'_>,
    _: &AttributeMapping,
) -> Option<AttributeValue> {
    let step = |index: usize| {
        let step = requested.path.get(index)?;
        requested.catalog.evaluator.constant(step).map(|value| value.reveal().0)
    };
    let index = match step(0) {
        Some(Value::Int(index)) => index.to_string().parse::<usize>().ok(),
        Some(Value::Text(index)) => index.parse().ok(),
        _ => None,
    };
    let key = match step(1) {
        Some(Value::Text(key)) => Some(key),
        _ => None,
    };
    let at = |name: &str, index: usize, then: Option<&str>| {
        let mut argument = attribute(requested, name);
        if let Argument::Attribute { path, .. } = &mut argument {
            path.push(AttributeStep::Index(index));
            path.extend(then.map(|key| AttributeStep::Key(key.to_owned())));
        }
        argument
    };
    match (index, key.as_deref()) {
        (Some(index), Some("ip_address")) => {
            Some(AttributeValue { value: at("all_fixed_ips", index, None), steps_followed: 2 })
        }
        (Some(index), Some("subnet_id")) => Some(AttributeValue {
            value: at("fixed_ip", index, Some("subnet_id")),
            steps_followed: 2,
        }),
        (_, Some(_)) => None,
        (_, None) => Some(whole(Argument::ListFor {
            list: Box::new(attribute(requested, "all_fixed_ips")),
            item: Box::new(map(vec![("ip_address", Argument::Item(Vec::new()))])),
        })),
    }
}

/// The ID of a floating IP's network, looked up by the name that the provider reports.
fn floating_network_id(
    requested: &AttributeRequest<'_>,
    _: &AttributeMapping,
) -> Option<AttributeValue> {
    Some(whole(Argument::Lookup {
        data: "openstack_networking_network_v2".to_owned(),
        by: "name".to_owned(),
        name: Box::new(attribute(requested, "pool")),
        read: "id".to_owned(),
    }))
}

/// The external gateway of a router, in Neutron's form.
fn router_gateway(
    requested: &AttributeRequest<'_>,
    _: &AttributeMapping,
) -> Option<AttributeValue> {
    Some(whole(map(vec![
        ("network_id", attribute(requested, "external_network_id")),
        ("enable_snat", attribute(requested, "enable_snat")),
        ("external_fixed_ips", attribute(requested, "external_fixed_ip")),
    ])))
}

/// The outputs of a stack, by their names.
fn stack_outputs(requested: &AttributeRequest<'_>, _: &AttributeMapping) -> Option<AttributeValue> {
    Some(whole(Argument::MapFor {
        list: Box::new(attribute(requested, "outputs")),
        keys: vec!["output_key".to_owned()],
        item: Box::new(item("output_value")),
        grouped: false,
    }))
}
