//! The networks of a server: blocks, and the ports and addresses that Heat creates for the server.

use super::PropertyRequest;
use super::compute::under;
use super::port_addresses::has_no_address;
use crate::identifier_kind::{IdentifierKind, mentions_resources};
use crate::mapping::PropertyMapping;
use crate::openstack_provider::model::{
    Argument, AttributeStep, ObjectRef, ProviderObject, WantedType,
};
use crate::openstack_provider::resource_builder::{Arguments, ResourceBuilder};
use crate::openstack_provider::table::type_mapping;
use crate::openstack_provider::values::{ListItem, items};
use heat_engine::eval::Value;
use heat_template::ir::{Expr, ExprKind, Pair};

const PORT: &str = "OS::Neutron::Port";
const SUBNETS: &str = "openstack_networking_subnet_v2";
/// Keys of an item that a `network` block can express without further objects.
const PLAIN: [&str; 4] = ["network", "uuid", "port", "fixed_ip"];

/// Why the port of a network is lost, and what to do.
pub(super) const UNKNOWN_PORT: &str = "the provider requires a port, and does not report which one of several Nova creates for the network";
pub(super) const OWN_PORT: &str = "give the network of the server a port of the template";

/// The port of a server for a network in its list. The provider reports only ports that the server is configured with; the only one that Nova
/// creates is found by its server.
pub(in crate::openstack_provider) fn port_of(
    server: ObjectRef,
    networks: Option<&Expr>,
    index: usize,
) -> Option<Argument> {
    let key = |name: &str| AttributeStep::Key(name.to_owned());
    let attribute = |path: Vec<AttributeStep>| Argument::Attribute { object: server.clone(), path };
    let networks = match networks.map(|it| &it.kind) {
        Some(ExprKind::List(networks)) => networks.as_slice(),
        Some(_) => return None,
        None => &[],
    };
    let is_configured = |map: &Expr| {
        ["port", "subnet", "port_extra_properties"].iter().any(|key| under(map, key).is_some())
    };
    match networks.get(index) {
        Some(map) if is_configured(map) => {
            Some(attribute(vec![key("network"), AttributeStep::Index(index), key("port")]))
        }
        _ if networks.len() > 1 => None,
        _ => Some(Argument::Lookup {
            data: "openstack_networking_port_v2".to_owned(),
            by: "device_id".to_owned(),
            name: Box::new(attribute(vec![key("id")])),
            read: "id".to_owned(),
        }),
    }
}

/// `networks`, in the order of the list, which is the order of the devices.
pub(super) fn networks<'c>(builder: &mut ResourceBuilder<'c, '_>, of: PropertyRequest<'c>) {
    let PropertyRequest { name, property, given } = of;
    let Some(value) = given else { return };
    let value = builder.computed_list(value);
    let mut parts: Vec<Argument> = Vec::new();
    for (index, item) in items(&value, true).into_iter().enumerate() {
        match item {
            ListItem::Written(map) => {
                if let Some(mode) = under(map, "allocate_network") {
                    let mode = Argument::Expr(mode.clone(), WantedType::Text);
                    builder.arguments.push(("network_mode".to_owned(), mode));
                    continue;
                }
                let block = written(builder, property, index, map);
                match parts.last_mut() {
                    Some(Argument::Blocks(blocks)) => blocks.push(block),
                    _ => parts.push(Argument::Blocks(vec![block])),
                }
            }
            ListItem::Computed(list) => parts.push(computed(builder, name, list)),
        }
    }
    let parts = parts.into_iter().map(|part| ("network".to_owned(), part));
    builder.arguments.extend(parts);
}

fn written(
    builder: &mut ResourceBuilder<'_, '_>,
    property: &'static PropertyMapping,
    index: usize,
    map: &Expr,
) -> Arguments {
    if let Some(tag) = under(map, "tag") {
        builder.report_lost_property("tag", tag.span, "the provider does not tag devices");
    }
    let mut block: Arguments = Vec::new();
    let port = under(map, "port");
    let needs_port = port.is_none()
        && (under(map, "subnet").is_some() || under(map, "port_extra_properties").is_some());
    if let Some(port) = port {
        if has_no_address(builder.catalog, port) {
            builder.ignores.push("network".to_owned());
            let how = "the port has no address, so that the provider does not report the network and would replace the server";
            builder.report_note("networks", port.span, how, "a change of the networks is ignored");
        }
        let port = match property.members.get("port") {
            Some(member) => builder.named("port", member, port),
            None => None,
        };
        block.extend(port.map(|port| ("port".to_owned(), port)));
    } else if needs_port {
        match own_port(builder, property, index, map) {
            Some(port) => block.push(("port".to_owned(), id_of(port))),
            None => return block,
        }
    } else {
        if let Some(network) = under(map, "network").or_else(|| under(map, "uuid")) {
            block.extend(network_of(builder, network));
        }
        if let Some(address) = under(map, "fixed_ip") {
            block.push(address_of(builder, address));
        }
    }
    if let Some(floating) = under(map, "floating_ip") {
        associate(builder, property, index, floating, &block, under(map, "fixed_ip"));
    }
    block
}

fn id_of(object: ObjectRef) -> Argument {
    Argument::Attribute { object, path: vec![AttributeStep::Key("id".to_owned())] }
}

/// A network by its ID or its name: a block has an argument for either.
fn network_of(builder: &mut ResourceBuilder<'_, '_>, network: &Expr) -> Arguments {
    let text = Argument::Expr(network.clone(), WantedType::Text);
    let (uuid, name) = ("uuid".to_owned(), "name".to_owned());
    match builder.catalog.identifier_kind(network) {
        IdentifierKind::Id | IdentifierKind::LaterId => vec![(uuid, text)],
        IdentifierKind::Name => vec![(name, text)],
        IdentifierKind::Either | IdentifierKind::Mixed => {
            let (id, named) = id_or_name(text);
            vec![(uuid, id), (name, named)]
        }
    }
}

/// The same value for an argument that takes an ID and for one that takes a name.
fn id_or_name(value: Argument) -> (Argument, Argument) {
    let one_of = |id: Argument, name: Argument| Argument::NameOrId {
        value: Box::new(value.clone()),
        id: Box::new(id),
        name: Box::new(name),
    };
    (one_of(value.clone(), Argument::Null), one_of(Argument::Null, value.clone()))
}

/// An address of either IP version; a computed one is assumed to be IPv4.
fn address_of(builder: &mut ResourceBuilder<'_, '_>, address: &Expr) -> (String, Argument) {
    let value = Argument::Expr(address.clone(), WantedType::Text);
    let known = builder.catalog.evaluator.constant(address).map(|value| value.reveal().0);
    match known {
        Some(Value::Text(text)) if text.contains(':') => ("fixed_ip_v6".to_owned(), value),
        Some(_) => ("fixed_ip_v4".to_owned(), value),
        None => {
            let how = "the address is computed and assumed to be IPv4";
            let suggestion = "set `fixed_ip_v6` instead if it is IPv6";
            builder.report_note("fixed_ip", address.span, how, suggestion);
            ("fixed_ip_v4".to_owned(), value)
        }
    }
}

/// The port that Heat creates if a subnet, or a property of the port, is given.
fn own_port(
    builder: &mut ResourceBuilder<'_, '_>,
    property: &'static PropertyMapping,
    index: usize,
    map: &Expr,
) -> Option<ObjectRef> {
    let mapping = type_mapping(PORT)?;
    let to = mapping.to.as_deref()?;
    let span = map.span;
    let text = |text: &str| Expr::new(ExprKind::Text(text.into()), span);
    let pair = |key: &str, value: Expr| Pair { key: text(key), value };
    let name = format!("{}-port-{index}", builder.definition.owner);
    let mut pairs = vec![pair("name", text(&name))];
    let network = under(map, "network").or_else(|| under(map, "uuid"));
    pairs.extend(network.map(|network| pair("network", network.clone())));
    let subnet = under(map, "subnet");
    let mut fixed: Vec<Pair> = Vec::new();
    fixed.extend(subnet.map(|subnet| pair("subnet", subnet.clone())));
    fixed.extend(under(map, "fixed_ip").map(|address| pair("ip_address", address.clone())));
    if !fixed.is_empty() {
        let one = Expr::new(ExprKind::Map(fixed.into()), span);
        pairs.push(pair("fixed_ips", Expr::new(ExprKind::List([one].into()), span)));
    }
    if let Some(groups) = builder.properties.get("security_groups") {
        pairs.push(pair("security_groups", (*groups).clone()));
    }
    match under(map, "port_extra_properties") {
        Some(Expr { kind: ExprKind::Map(more), .. }) => pairs.extend(more.iter().cloned()),
        Some(other) => {
            builder.report_lost_property("port_extra_properties", other.span, "they are computed");
        }
        None => {}
    }
    let mut first: Arguments = Vec::new();
    if let (None, Some(subnet)) = (network, subnet) {
        first.push(("network_id".to_owned(), network_of_subnet(builder, property, subnet)?));
    }
    let properties = Expr::new(ExprKind::Map(pairs.into()), span);
    let object = builder.inner(PORT, mapping, to, &properties, first)?;
    Some(builder.add(ProviderObject { suffix: format!("port_{index}"), ..object }))
}

fn network_of_subnet(
    builder: &mut ResourceBuilder<'_, '_>,
    property: &'static PropertyMapping,
    subnet: &Expr,
) -> Option<Argument> {
    let catalog = builder.catalog;
    if let Some(found) = catalog
        .referenced_resource(subnet)
        .and_then(|it| catalog.object_attribute(it, "network_id"))
    {
        return Some(found);
    }
    let member = property.members.get("subnet")?;
    let value = Argument::Expr(subnet.clone(), WantedType::Text);
    let by = |by: &str| Argument::Lookup {
        data: SUBNETS.to_owned(),
        by: by.to_owned(),
        name: Box::new(value.clone()),
        read: "network_id".to_owned(),
    };
    let found = match builder.catalog.identifier_kind(subnet) {
        IdentifierKind::Id | IdentifierKind::LaterId => by("subnet_id"),
        IdentifierKind::Name => by("name"),
        IdentifierKind::Either | IdentifierKind::Mixed => Argument::NameOrId {
            value: Box::new(value.clone()),
            id: Box::new(by("subnet_id")),
            name: Box::new(by("name")),
        },
    };
    // The table names the same data source.
    (member.lookup.as_deref() == Some(SUBNETS)).then_some(found)
}

/// Associates a floating IP with a port of the server.
fn associate(
    builder: &mut ResourceBuilder<'_, '_>,
    property: &'static PropertyMapping,
    index: usize,
    floating: &Expr,
    block: &Arguments,
    fixed: Option<&Expr>,
) {
    let Some(member) = property.members.get("floating_ip") else { return };
    let Some(address) = builder.named("floating_ip", member, floating) else { return };
    let port = block.iter().find(|(name, _)| name == "port").map(|(_, port)| port.clone());
    let networks = builder.properties.get("networks").copied();
    let Some(port) = port.or_else(|| port_of(builder.object_ref(), networks, index)) else {
        return builder.report_lost_value("floating_ip", floating.span, UNKNOWN_PORT, OWN_PORT);
    };
    let mut arguments = vec![("floating_ip".to_owned(), address), ("port_id".to_owned(), port)];
    if let Some(fixed) = fixed {
        arguments.push(("fixed_ip".to_owned(), Argument::Expr(fixed.clone(), WantedType::Text)));
    }
    let after = vec![builder.object_ref()];
    builder.add(ProviderObject {
        suffix: format!("floating_ip_{index}"),
        kind: "openstack_networking_floatingip_associate_v2".to_owned(),
        arguments,
        each: None,
        only_if: None,
        after,
        ignores: Vec::new(),
        span: floating.span,
    });
}

/// The networks in a computed list: the keys of its items that a block can express.
fn computed(builder: &mut ResourceBuilder<'_, '_>, name: &str, list: Expr) -> Argument {
    let mut lost: Vec<String> = Vec::new();
    list.walk(&mut |part| {
        let ExprKind::Map(pairs) = &part.kind else { return };
        for key in pairs.iter().filter_map(|pair| pair.key.as_text()) {
            let is_known =
                ["subnet", "floating_ip", "port_extra_properties", "tag", "allocate_network"]
                    .contains(&key);
            if is_known && !lost.iter().any(|there| there == key) {
                lost.push(key.to_owned());
            }
        }
    });
    for key in lost {
        let why = format!("`{key}` of a computed list would need a separate object for each item");
        builder.report_lost_property(name, list.span, &why);
    }
    let item = |key: &str| Argument::Item(vec![key.to_owned()]);
    let network = Argument::First(vec![item(PLAIN[0]), item(PLAIN[1])]);
    let mut block: Arguments = Vec::new();
    if mentions_resources(&list)
        || builder.catalog.identifier_kind(&list) == IdentifierKind::LaterId
    {
        block.push(("uuid".to_owned(), network));
    } else {
        let (id, named) = id_or_name(network);
        block.push(("uuid".to_owned(), id));
        block.push(("name".to_owned(), named));
    }
    block.push((PLAIN[2].to_owned(), item(PLAIN[2])));
    block.push(("fixed_ip_v4".to_owned(), item(PLAIN[3])));
    Argument::BlocksFor { list: Box::new(Argument::Expr(list, WantedType::Any)), block }
}
