//! The replacements of properties that have no single equivalent.

use std::borrow::Cow;

use super::{Translation, list, map, reference};
use heat_engine::eval::{Value, python};
use heat_engine::security_rule::{
    Direction, REMOTE_GROUP_MODE, REMOTE_PREFIX, ReadValue, RemoteEnd, SecurityRule,
};
use heat_template::ir::{Expr, ExprKind, Pair};
use python_semantics::number::Integer;

/// `NetworkInterfaces`: IDs of ports, or maps with an ID and an index.
pub(super) fn network_interfaces(to: &mut Translation<'_>, value: &Expr) -> Option<()> {
    let mut interfaces: Vec<(i64, Expr)> = Vec::new();
    for (number, item) in items(value)?.iter().enumerate() {
        let interface = match &item.kind {
            ExprKind::Map(_) => {
                let index = number_of(item.member("DeviceIndex")?)?;
                (index, item.member("NetworkInterfaceId")?.clone())
            }
            _ => (i64::try_from(number).ok()?, item.clone()),
        };
        interfaces.push(interface);
    }
    interfaces.sort_by_key(|(index, _)| *index);
    let networks = interfaces.into_iter().map(|(_, port)| {
        let span = port.span;
        map([("port", port)], span)
    });
    to.set("networks", list(networks.collect(), value.span));
    Some(())
}

/// `SubnetId`: Heat creates a port in it, unless there are network interfaces.
pub(super) fn subnet(to: &mut Translation<'_>, value: &Expr) -> Option<()> {
    if to.given("NetworkInterfaces").is_none() {
        let network = map([("subnet", value.clone())], value.span);
        to.set("networks", list(vec![network], value.span));
    }
    Some(())
}

/// `Volumes`: Heat attaches each one.
pub(super) fn volumes(to: &mut Translation<'_>, value: &Expr) -> Option<()> {
    for (number, volume) in items(value)?.iter().enumerate() {
        let span = volume.span;
        let properties = [
            ("instance_uuid", reference(to.name, span)),
            ("volume_id", volume.member("VolumeId")?.clone()),
            ("mountpoint", volume.member("Device")?.clone()),
        ];
        to.add(&format!("volume_{number}"), "OS::Cinder::VolumeAttachment", map(properties, span));
    }
    Some(())
}

/// `BlockDeviceMappings`.
pub(super) fn block_devices(to: &mut Translation<'_>, value: &Expr) -> Option<()> {
    let mut devices = Vec::new();
    for item in items(value)? {
        let ebs = item.member("Ebs")?;
        let parts = [
            ("device_name", item.member("DeviceName")),
            ("snapshot_id", ebs.member("SnapshotId")),
            ("volume_size", ebs.member("VolumeSize")),
            ("delete_on_termination", ebs.member("DeleteOnTermination")),
        ];
        let mut parts: Vec<(&str, Expr)> =
            parts.into_iter().filter_map(|(name, value)| Some((name, value?.clone()))).collect();
        if ebs.member("DeleteOnTermination").is_none() {
            parts.push(("delete_on_termination", Expr::new(ExprKind::Bool(true), item.span)));
        }
        devices.push(map(parts, item.span));
    }
    to.set("block_device_mapping", list(devices, value.span));
    Some(())
}

/// `SecurityGroupIngress`.
pub(super) fn ingress(to: &mut Translation<'_>, value: &Expr) -> Option<()> {
    security_rules(to, value, Direction::Ingress)
}

/// `SecurityGroupEgress`.
pub(super) fn egress(to: &mut Translation<'_>, value: &Expr) -> Option<()> {
    security_rules(to, value, Direction::Egress)
}

fn security_rules(to: &mut Translation<'_>, value: &Expr, direction: Direction) -> Option<()> {
    let mut rules = Vec::new();
    for item in items(value)? {
        let ExprKind::Map(_) = &item.kind else { return None };
        rules.push(security_rule(item, direction)?);
    }
    to.extend("rules", rules, value.span);
    Some(())
}

fn security_rule(item: &Expr, direction: Direction) -> Option<Expr> {
    let span = item.span;
    let read = |name: &str| match item.member(name) {
        None => ReadValue::Absent,
        Some(value) if value.kind == ExprKind::Null => ReadValue::Absent,
        Some(value) if value.is_data() => {
            ReadValue::Known(Cow::Owned(Value::from_expr_as_sent(value)))
        }
        Some(value) => ReadValue::Opaque(value),
    };
    let rule = SecurityRule::of_amazon(direction, read).ok()?;
    let mut pairs = vec![
        ("direction", Expr::text(direction.word(), span)),
        ("ethertype", Expr::text("IPv4", span)),
    ];
    let [first, last] = rule.written_ports();
    for (to, name, read) in [
        ("port_range_min", "FromPort", first),
        ("port_range_max", "ToPort", last),
        ("protocol", "IpProtocol", rule.written_protocol()),
    ] {
        if *read != ReadValue::Absent {
            pairs.push((to, item.member(name)?.clone()));
        }
    }
    match rule.remote {
        RemoteEnd::Group(name, _) => {
            pairs.push(("remote_mode", Expr::text(REMOTE_GROUP_MODE, span)));
            pairs.push((REMOTE_GROUP_MODE, item.member(name)?.clone()));
        }
        RemoteEnd::Prefix(ReadValue::Absent) => {}
        RemoteEnd::Prefix(_) => pairs.push((REMOTE_PREFIX, item.member("CidrIp")?.clone())),
        RemoteEnd::OwnGroup | RemoteEnd::ByMode(_) => return None,
    }
    Some(map(pairs, span))
}

/// `InstanceId` of an address, which Heat associates with the server's first port.
pub(super) fn address_of_instance(to: &mut Translation<'_>, value: &Expr) -> Option<()> {
    let span = value.span;
    let properties = [("floating_ip", reference(to.name, span)), ("server_id", value.clone())];
    to.add("association", "OS::Nova::FloatingIPAssociation", map(properties, span));
    Some(())
}

/// `EIP`: the address, which must be that of a resource of the template.
pub(super) fn address(to: &mut Translation<'_>, value: &Expr) -> Option<()> {
    let name = match &value.kind {
        ExprKind::Resource(name) => name.as_text()?,
        ExprKind::Attribute(attribute) => attribute.resource.as_text()?,
        _ => return None,
    };
    to.set("floating_ip", reference(name, value.span));
    Some(())
}

/// A list of `Key` and `Value` as a map.
pub(super) fn tags(value: &Expr) -> Option<Expr> {
    let mut pairs = Vec::new();
    for item in items(value)? {
        let ExprKind::Map(_) = &item.kind else { return None };
        let key = item.member("Key")?;
        key.as_text()?;
        pairs.push(Pair { key: key.clone(), value: item.member("Value")?.clone() });
    }
    Some(Expr::new(ExprKind::Map(pairs.into()), value.span))
}

/// The items of a list that is a literal.
pub(super) fn items(value: &Expr) -> Option<&[Expr]> {
    match &value.kind {
        ExprKind::List(items) => Some(items),
        _ => None,
    }
}

fn number_of(value: &Expr) -> Option<i64> {
    let value = match &value.kind {
        ExprKind::Int(Integer::Small(number)) => return Some(*number),
        ExprKind::Text(text) => python::to_number(&Value::text(text.as_str())).ok()?,
        _ => return None,
    };
    match value {
        Value::Int(Integer::Small(number)) => Some(number),
        _ => None,
    }
}
