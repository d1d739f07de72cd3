//! The counterparts of attributes that Heat returns.

use super::catalog::{ObjectCatalog, provider_attribute};
use super::model::{Argument, AttributeStep, ObjectRef, ResourceObjects};
use super::resource_builder::Arguments;
use super::rules::server_networks::{network_member, only_port};
use crate::identifier_kind::IdentifierKind;
use crate::kit::AddressPart;
use crate::mapping::AttributeMapping;
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

/// The counterpart of an attribute, as far as the provider reports it.
pub(super) struct FoundAttribute {
    pub(super) value: Argument,
    /// The steps of the path that lead on from the value.
    pub(super) rest: Vec<Expr>,
    /// Whether Heat's value has members that the provider does not report.
    pub(super) is_partial: bool,
}

type AttributeRule = fn(&AttributeRequest<'_>, &AttributeMapping) -> Option<FoundAttribute>;

/// The counterpart of the attribute; `None` if it has none.
pub(super) fn find(
    requested: &AttributeRequest<'_>,
    mapping: &AttributeMapping,
) -> Option<FoundAttribute> {
    match mapping.rule.as_deref() {
        Some(rule) => rule_named(rule)?(requested, mapping),
        None => Some(whole(requested, attribute(requested, mapping.to.as_deref()?))),
    }
}

/// A rule, by the name that the table uses for it.
pub(super) fn rule_named(rule: &str) -> Option<AttributeRule> {
    Some(match rule {
        "list_of" => list_of,
        "first_of" => first_of,
        "first_address" => first_address,
        "server_addresses" => server_addresses,
        "server_networks" => server_networks,
        "port_fixed_ips" => port_fixed_ips,
        "floating_network_id" => floating_network_id,
        "router_gateway" => router_gateway,
        "stack_outputs" => stack_outputs,
        _ => return None,
    })
}

/// The value of the whole attribute, into which the path leads.
fn whole(requested: &AttributeRequest<'_>, value: Argument) -> FoundAttribute {
    FoundAttribute { value, rest: requested.path.to_vec(), is_partial: false }
}

/// The value at the end of the path.
fn found(value: Argument) -> FoundAttribute {
    FoundAttribute { value, rest: Vec::new(), is_partial: false }
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
fn list_of(requested: &AttributeRequest<'_>, mapping: &AttributeMapping) -> Option<FoundAttribute> {
    Some(whole(requested, Argument::List(vec![attribute(requested, mapping.to.as_deref()?)])))
}

/// A map that the provider reports as a list of one block.
fn first_of(
    requested: &AttributeRequest<'_>,
    mapping: &AttributeMapping,
) -> Option<FoundAttribute> {
    let mut argument = attribute(requested, mapping.to.as_deref()?);
    if let Argument::Attribute { path, .. } = &mut argument {
        path.push(AttributeStep::Index(0));
    }
    Some(whole(requested, argument))
}

fn item(name: &str) -> Argument {
    Argument::Item(vec![name.to_owned()])
}

fn map(pairs: Vec<(&str, Argument)>) -> Argument {
    Argument::Map(pairs.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
}

/// Something about each network of a server, by the network's name and by its ID; only by one of them if the path begins with one.
/// The provider does not report the ID of a network that Nova chooses.
fn by_network(requested: &AttributeRequest<'_>, of_network: Argument) -> Option<FoundAttribute> {
    let (name, id) = ("name".to_owned(), "uuid".to_owned());
    let keys = match requested.path.first().map(|step| requested.catalog.identifier_kind(step)) {
        Some(IdentifierKind::Name) => vec![name],
        Some(IdentifierKind::Id | IdentifierKind::LaterId) => vec![id],
        Some(IdentifierKind::Either | IdentifierKind::Mixed) | None => vec![name, id],
    };
    if keys == ["uuid"] && blocks(requested, "network").is_some_and(|it| it.is_empty()) {
        return None;
    }
    let list = Box::new(attribute(requested, "network"));
    let item = Box::new(of_network);
    Some(whole(requested, Argument::MapFor { list, keys, item, grouped: true }))
}

/// The first address of a server, of either family.
fn first_address(requested: &AttributeRequest<'_>, _: &AttributeMapping) -> Option<FoundAttribute> {
    let families = ["access_ip_v4", "access_ip_v6"].map(|name| attribute(requested, name));
    // Heat sorts networks by their names, the provider takes the first one.
    let is_partial = blocks(requested, "network").is_none_or(|networks| networks.len() > 1);
    Some(FoundAttribute { is_partial, ..whole(requested, Argument::First(families.into())) })
}

/// The fixed addresses by network.
fn server_networks(
    requested: &AttributeRequest<'_>,
    _: &AttributeMapping,
) -> Option<FoundAttribute> {
    let address = Argument::First(vec![item("fixed_ip_v4"), item("fixed_ip_v6")]);
    by_network(requested, address)
}

/// The fixed addresses by network, with what the provider reports about each.
fn server_addresses(
    requested: &AttributeRequest<'_>,
    mapping: &AttributeMapping,
) -> Option<FoundAttribute> {
    let part = AddressPart::of(requested.path);
    if let [network, number, key] = requested.path
        && let Some(key @ ("addr" | "port")) = key.as_text()
    {
        let path = [network.clone(), number.clone()];
        let requested = AttributeRequest { path: &path, ..*requested };
        return match key {
            "addr" => server_networks(&requested, mapping),
            _ => server_port(&requested),
        };
    }
    if part == AddressPart::OfHeat {
        return None;
    }
    let address = map(vec![
        ("addr", Argument::First(vec![item("fixed_ip_v4"), item("fixed_ip_v6")])),
        ("OS-EXT-IPS-MAC:mac_addr", item("mac")),
        ("OS-EXT-IPS:type", Argument::Text("fixed".to_owned())),
    ]);
    let is_partial = part == AddressPart::Whole;
    Some(FoundAttribute { is_partial, ..by_network(requested, address)? })
}

/// The port of a server in a network. The provider reports only ports that the server is configured with; one that
/// Nova creates is found by its server and network.
fn server_port(requested: &AttributeRequest<'_>) -> Option<FoundAttribute> {
    let networks = blocks(requested, "network")?;
    let is_configured = |network: &&Arguments| network.iter().any(|(name, _)| name == "port");
    let server = ObjectRef { resource: requested.owner.to_owned(), index: 0 };
    match networks.as_slice() {
        [] => Some(found(only_port(server, None))),
        [network] if !is_configured(network) => Some(found(only_port(server, None))),
        [_] => Some(found(network_member(server, 0, "port"))),
        all if all.iter().all(is_configured) => by_network(requested, item("port")),
        all => {
            let network = requested.path.first()?;
            let is_it = |block: &&&Arguments| {
                block.iter().any(|(_, value)| {
                    matches!(value, Argument::Expr(value, _) if is_same_reference(value, network))
                })
            };
            let mut same = all.iter().enumerate().filter(|(_, block)| is_it(block));
            let (Some((index, _)), None) = (same.next(), same.next()) else { return None };
            Some(found(only_port(server, Some(index))))
        }
    }
}

/// Whether two expressions are the same name, or refer to the same parameter or resource.
fn is_same_reference(one: &Expr, other: &Expr) -> bool {
    let name = match (&one.kind, &other.kind) {
        (ExprKind::Resource(one), ExprKind::Resource(other)) => (one.as_text(), other.as_text()),
        (ExprKind::Parameter(one), ExprKind::Parameter(other))
            if one.path.is_empty() && other.path.is_empty() =>
        {
            (one.name.as_text(), other.name.as_text())
        }
        _ => (one.as_text(), other.as_text()),
    };
    name.0.is_some() && name.0 == name.1
}

/// The blocks of a resource's main object; `None` if their number depends on a computed list.
fn blocks<'a>(requested: &AttributeRequest<'a>, name: &str) -> Option<Vec<&'a Arguments>> {
    let object = requested.objects?.objects.first()?;
    let mut found = Vec::new();
    for (_, argument) in object.arguments.iter().filter(|(argument, _)| argument == name) {
        match argument {
            Argument::Blocks(blocks) => found.extend(blocks),
            _ => return None,
        }
    }
    Some(found)
}

/// The addresses of a port; the subnets are known only if the template sets them.
fn port_fixed_ips(
    requested: &AttributeRequest<'_>,
    _: &AttributeMapping,
) -> Option<FoundAttribute> {
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
        let rest = requested.path.get(2..).unwrap_or_default().to_vec();
        Some(FoundAttribute { rest, ..found(argument) })
    };
    match (index, key.as_deref()) {
        (Some(index), Some("ip_address")) => at("all_fixed_ips", index, None),
        (Some(index), Some("subnet_id")) => {
            let of_template = *blocks(requested, "fixed_ip")?.get(index)?;
            of_template.iter().find(|(name, _)| name == "subnet_id")?;
            at("fixed_ip", index, Some("subnet_id"))
        }
        (_, Some(_)) => None,
        (_, None) => {
            let list = Argument::ListFor {
                list: Box::new(attribute(requested, "all_fixed_ips")),
                item: Box::new(map(vec![("ip_address", Argument::Item(Vec::new()))])),
            };
            Some(FoundAttribute { is_partial: true, ..whole(requested, list) })
        }
    }
}

/// The ID of a floating IP's network, looked up by the name that the provider reports.
fn floating_network_id(
    requested: &AttributeRequest<'_>,
    _: &AttributeMapping,
) -> Option<FoundAttribute> {
    Some(whole(
        requested,
        Argument::Lookup {
            data: "openstack_networking_network_v2".to_owned(),
            by: "name".to_owned(),
            name: Box::new(attribute(requested, "pool")),
            within: None,
            read: "id".to_owned(),
        },
    ))
}

/// The external gateway of a router, in Neutron's form.
fn router_gateway(
    requested: &AttributeRequest<'_>,
    _: &AttributeMapping,
) -> Option<FoundAttribute> {
    Some(whole(
        requested,
        map(vec![
            ("network_id", attribute(requested, "external_network_id")),
            ("enable_snat", attribute(requested, "enable_snat")),
            ("external_fixed_ips", attribute(requested, "external_fixed_ip")),
        ]),
    ))
}

/// The outputs of a stack, by their names.
fn stack_outputs(requested: &AttributeRequest<'_>, _: &AttributeMapping) -> Option<FoundAttribute> {
    Some(whole(
        requested,
        Argument::MapFor {
            list: Box::new(attribute(requested, "outputs")),
            keys: vec!["output_key".to_owned()],
            item: Box::new(item("output_value")),
            grouped: false,
        },
    ))
}
