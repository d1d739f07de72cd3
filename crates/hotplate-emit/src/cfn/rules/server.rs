//! `OS::Nova::Server` becomes an `AWS::EC2::Instance`.

use std::collections::HashSet;

use super::network::{self, NetworkAttachment};
use crate::LossKind;
use crate::cfn::plan::PlannedOutcome;
use crate::cfn::reference::made_up_name;
use crate::cfn::resource_builder::AwsResourceBuilder;
use crate::cfn::tables::form;
use crate::cfn::template_builder::{TemplateBuilder, ValueContext, attribute_of, call};
use crate::cfn::value::{shown_key, text_of};
use crate::kit::{Expressed, Inexpressible, map_key_text};
use crate::render_model::key_span;
use crate::tree::DataTree;
use crate::user_data::{TRACES_OF_HEAT, is_script_without};
use heat_engine::eval::{Map, Value};
use heat_template::ir::{Expr, ExprKind};
use source_diagnostics::Span;

/// Translates the properties of a server that need more than the table.
pub(in crate::cfn) fn server(
    template_builder: &mut TemplateBuilder<'_>,
    builder: &mut AwsResourceBuilder<'_>,
) {
    let groups = groups(template_builder, builder);
    networks(template_builder, builder, groups);
    for name in ["block_device_mapping", "block_device_mapping_v2"] {
        block_devices(template_builder, builder, name);
    }
    scheduler_hints(template_builder, builder);
    user_data(template_builder, builder);
    if builder.heat_property("name").is_none() && reads_name(template_builder, builder) {
        builder.tag("Name", made_up_name(builder.planned));
    }
}

/// Whether something reads the name of a server.
fn reads_name(template_builder: &TemplateBuilder<'_>, builder: &AwsResourceBuilder<'_>) -> bool {
    let read = template_builder.read_names.get_or_init(|| {
        let mut read = HashSet::new();
        for expr in template_builder.module.stack.expressions() {
            expr.walk(&mut |part| {
                if let ExprKind::Attribute(reference) = &part.kind
                    && reference.attribute.as_ref().and_then(Expr::as_text) == Some("name")
                {
                    read.extend(reference.resource.as_text().map(str::to_owned));
                }
            });
        }
        read
    });
    read.contains(&builder.planned.owner)
}

fn groups(
    template_builder: &mut TemplateBuilder<'_>,
    builder: &mut AwsResourceBuilder<'_>,
) -> Option<DataTree> {
    let groups = builder.heat_property("security_groups")?;
    let here = builder.here("SecurityGroupIds", groups.span);
    let expressed =
        template_builder.fold(groups, "security_groups").and_then(|value| match value.unsealed() {
            Value::Null => Ok(None),
            Value::List(items) if items.is_empty() => Ok(None),
            _ => template_builder.value(&value, form("groups"), here).map(Some),
        });
    expressed.unwrap_or_else(|why| {
        builder.lose(template_builder, &why, groups.span);
        None
    })
}

fn networks(
    template_builder: &mut TemplateBuilder<'_>,
    builder: &mut AwsResourceBuilder<'_>,
    groups: Option<DataTree>,
) {
    let owner = builder.planned.owner.clone();
    let mut found: Vec<NetworkAttachment> = Vec::new();
    if let Some(networks) = builder.heat_property("networks") {
        let here = builder.here("SubnetId", networks.span);
        match template_builder
            .fold(networks, "networks")
            .and_then(|value| entries(template_builder, builder, &value, here))
        {
            Ok(entries) => found = entries,
            Err(why) => builder.lose(template_builder, &why, networks.span),
        }
    }
    let is_port = |network: &NetworkAttachment| matches!(network, NetworkAttachment::Port(_));
    match found.as_slice() {
        [] => {
            if let Some(groups) = groups {
                builder.set("SecurityGroupIds", groups);
            }
        }
        [NetworkAttachment::Subnet { subnet, address }] => {
            builder.set("SubnetId", subnet.clone());
            if let Some(address) = address {
                builder.set("PrivateIpAddress", address.clone());
            }
            if let Some(groups) = groups {
                builder.set("SecurityGroupIds", groups);
            }
        }
        many => {
            if let (Some(_), true) = (&groups, many.iter().all(is_port))
                && let Some(expr) = builder.heat_property("security_groups")
            {
                let message = format!(
                    "`security_groups` of `{owner}` has no effect together with ports, in Nova as \
                     well as in AWS"
                );
                template_builder.report_note("security_groups", message, expr.span, &owner);
            }
            let items = many.iter().enumerate().map(|(at, network)| {
                let index = at.to_string();
                let mut pairs = vec![("DeviceIndex", DataTree::from(index.as_str()))];
                match network {
                    NetworkAttachment::Port(port) => {
                        pairs.push(("NetworkInterfaceId", port.clone()))
                    }
                    NetworkAttachment::Subnet { subnet, address } => {
                        pairs.push(("SubnetId", subnet.clone()));
                        if let Some(address) = address {
                            pairs.push(("PrivateIpAddress", address.clone()));
                        }
                        if let Some(groups) = &groups {
                            pairs.push(("GroupSet", groups.clone()));
                        }
                    }
                }
                DataTree::map(pairs)
            });
            let items = DataTree::list(items.collect::<Vec<_>>());
            builder.set("NetworkInterfaces", items);
        }
    }
}

fn entries(
    template_builder: &mut TemplateBuilder<'_>,
    builder: &mut AwsResourceBuilder<'_>,
    value: &Value,
    here: ValueContext<'_>,
) -> Expressed<Vec<NetworkAttachment>> {
    let items = match value.unsealed() {
        Value::Null => return Ok(Vec::new()),
        Value::List(items) => items,
        _ => {
            let message = "the networks of a server must be a list that is known while rendering";
            return Err(Inexpressible::new(LossKind::Property, "networks", message, here.span));
        }
    };
    let mut found = Vec::new();
    for item in items.iter() {
        let Value::Map(map) = item.unsealed() else {
            let message = "a network of a server must be a map that is known while rendering";
            return Err(Inexpressible::new(LossKind::Property, "networks", message, here.span));
        };
        if let Some(floating) = non_null(map, "floating_ip") {
            floating_ip(template_builder, builder, floating, here)?;
        }
        if let Some(network) = network::attachment_of(template_builder, map, &["port"], here)? {
            found.push(network);
        }
        let known = [
            "port",
            "network",
            "uuid",
            "subnet",
            "fixed_ip",
            "floating_ip",
            "allocate_network",
            "tag",
        ];
        for (key, value) in map.iter() {
            let is_known = known.contains(&map_key_text(key).as_str());
            if !is_known && !matches!(value.unsealed(), Value::Null) {
                let key = shown_key(key, value.holds_secret());
                let message =
                    format!("`{key}` of a network of `{}` has no counterpart", here.owner);
                template_builder.report_lost_item("networks", message, here.span, here.owner);
            }
        }
    }
    Ok(found)
}

fn floating_ip(
    template_builder: &mut TemplateBuilder<'_>,
    builder: &AwsResourceBuilder<'_>,
    value: &Value,
    here: ValueContext<'_>,
) -> Expressed<()> {
    let here = ValueContext { argument: "AllocationId", ..here }.required();
    let allocation = template_builder.value(value, form("allocation"), here)?;
    let instance = crate::cfn::template_builder::reference(&builder.planned.id);
    let properties = vec![("AllocationId", allocation), ("InstanceId", instance)];
    template_builder.add_helper_resource(
        builder.planned,
        "Address",
        "AWS::EC2::EIPAssociation",
        properties,
        None,
    );
    Ok(())
}

/// The value under a key, unless it is null.
pub(in crate::cfn) fn non_null<'v>(map: &'v Map, name: &str) -> Option<&'v Value> {
    map.get(name).filter(|value| !matches!(value.unsealed(), Value::Null | Value::Elided))
}

fn block_devices(
    template_builder: &mut TemplateBuilder<'_>,
    builder: &mut AwsResourceBuilder<'_>,
    name: &str,
) {
    let Some(expr) = builder.heat_property(name) else { return };
    let here = builder.here("BlockDeviceMappings", expr.span);
    let expressed = template_builder.fold(expr, name).and_then(|value| match value.unsealed() {
        Value::Null => Ok((Vec::new(), Vec::new())),
        Value::List(items) => devices(template_builder, builder, items, here),
        _ => {
            let message = "block devices must be a list that is known while rendering";
            Err(Inexpressible::new(LossKind::Property, name, message, expr.span))
        }
    });
    match expressed {
        Ok((mappings, volumes)) => {
            if !mappings.is_empty() {
                builder.set("BlockDeviceMappings", DataTree::list(mappings));
            }
            if !volumes.is_empty() {
                builder.set("Volumes", DataTree::list(volumes));
            }
        }
        Err(why) => builder.lose(template_builder, &why, expr.span),
    }
}

/// The root device of most images of AWS.
const ROOT_DEVICE: &str = "/dev/xvda";

type Devices = (Vec<DataTree>, Vec<DataTree>);

fn devices(
    template_builder: &mut TemplateBuilder<'_>,
    builder: &mut AwsResourceBuilder<'_>,
    items: &[Value],
    here: ValueContext<'_>,
) -> Expressed<Devices> {
    let (mut mappings, mut volumes) = (Vec::new(), Vec::new());
    for (at, item) in items.iter().enumerate() {
        let Value::Map(map) = item.unsealed() else {
            let message = "a block device must be a map that is known while rendering";
            return Err(Inexpressible::new(LossKind::Property, here.argument, message, here.span));
        };
        let device = match non_null(map, "device_name").and_then(text_of) {
            Some(name) if name.starts_with("/dev/") => name,
            Some(name) => format!("/dev/{name}"),
            None => String::new(),
        };
        let device = match form("device").takes(&device) {
            true => DataTree::from(device.as_str()),
            false if device.is_empty() => {
                let letter = char::from(b'f' + u8::try_from(at.min(10)).unwrap_or(10));
                DataTree::from(format!("/dev/sd{letter}").as_str())
            }
            false => {
                let name = non_null(map, "device_name").unwrap_or(&Value::Null);
                template_builder.parameter_for_foreign_text(
                    &device,
                    form("device"),
                    here.for_value(name),
                )
            }
        };
        let is_boot = at == 0
            && non_null(map, "boot_index").is_none_or(|it| text_of(it).as_deref() == Some("0"));
        let image = ["image", "image_id"].into_iter().find_map(|name| non_null(map, name));
        if let (Some(image), true) = (image, is_boot && !builder.has("ImageId")) {
            let here = ValueContext { argument: "ImageId", ..here };
            let image = template_builder.value(image, form("image"), here)?;
            builder.set("ImageId", image);
        }
        let is_from_image = is_boot && image.is_some();
        let device = match is_from_image && non_null(map, "device_name").is_none() {
            true => {
                let message = format!(
                    "the disk of `{}` replaces the root device of the image, which is supposed to be {ROOT_DEVICE}",
                    here.owner
                );
                template_builder.report_note(
                    "block_device_mapping_v2",
                    message,
                    here.span,
                    here.owner,
                );
                DataTree::from(ROOT_DEVICE)
            }
            false => device,
        };
        for name in [
            "image",
            "image_id",
            "boot_index",
            "disk_bus",
            "device_type",
            "swap_size",
            "ephemeral_size",
            "ephemeral_format",
            "volume_type",
        ] {
            let is_lost = match non_null(map, name) {
                None => false,
                Some(value) => !(name == "boot_index" && text_of(value).as_deref() != Some("0")),
            };
            let is_expressed = is_from_image && ["image", "image_id", "boot_index"].contains(&name);
            if is_lost && name != "volume_type" && !is_expressed {
                let message =
                    format!("`{name}` of a block device of `{}` has no counterpart", here.owner);
                template_builder.report_lost_item(here.argument, message, here.span, here.owner);
            }
        }
        if let Some(volume) = non_null(map, "volume_id") {
            let volume = template_builder.value(volume, form("volume"), here.required())?;
            volumes.push(DataTree::map([("Device", device), ("VolumeId", volume)]));
            continue;
        }
        let mut ebs = Vec::new();
        if let Some(snapshot) = non_null(map, "snapshot_id") {
            ebs.push(("SnapshotId", template_builder.value(snapshot, form("snapshot"), here)?));
        }
        if let Some(size) = non_null(map, "volume_size") {
            ebs.push(("VolumeSize", template_builder.value(size, form("integer"), here)?));
        }
        if let Some(kind) = non_null(map, "volume_type") {
            ebs.push(("VolumeType", template_builder.value(kind, form("volume_type"), here)?));
        }
        if let Some(delete) = non_null(map, "delete_on_termination") {
            ebs.push((
                "DeleteOnTermination",
                template_builder.value(delete, form("boolean"), here)?,
            ));
        }
        if ebs.is_empty() {
            continue;
        }
        mappings.push(DataTree::map([("DeviceName", device), ("Ebs", DataTree::map(ebs))]));
    }
    Ok((mappings, volumes))
}

fn scheduler_hints(
    template_builder: &mut TemplateBuilder<'_>,
    builder: &mut AwsResourceBuilder<'_>,
) {
    let Some(expr) = builder.heat_property("scheduler_hints") else { return };
    let owner = builder.planned.owner.clone();
    let here = builder.here("PlacementGroupName", expr.span);
    let value = match template_builder.fold(expr, "scheduler_hints") {
        Ok(value) => value,
        Err(why) => {
            let lines = template_builder.lose_why(&why, &owner, expr.span);
            return builder.comment(lines);
        }
    };
    let map = match value.unsealed() {
        Value::Null => return,
        Value::Map(map) => std::sync::Arc::clone(map),
        _ => {
            let message = format!("the scheduler hints of `{owner}` are computed");
            let lines =
                template_builder.report_lost_item("scheduler_hints", message, expr.span, &owner);
            return builder.comment(lines);
        }
    };
    for (key, value) in map.iter() {
        if map_key_text(key) != "group" {
            let key = shown_key(key, value.holds_secret());
            let message = format!("the scheduler hint `{key}` of `{owner}` has no counterpart");
            let lines =
                template_builder.report_lost_item("scheduler_hints", message, expr.span, &owner);
            builder.comment(lines);
            continue;
        }
        match template_builder.value(value, form("placement_group"), here) {
            Ok(tree) => builder.set("PlacementGroupName", tree),
            Err(why) => builder.lose(template_builder, &why, expr.span),
        }
    }
}

fn user_data(template_builder: &mut TemplateBuilder<'_>, builder: &mut AwsResourceBuilder<'_>) {
    let Some(expr) = builder.heat_property("user_data") else {
        return format_of(template_builder, builder, None);
    };
    let here = ValueContext { reads_secrets: false, ..builder.here("UserData", expr.span) };
    let expressed =
        template_builder.fold(expr, "user_data").and_then(|value| match value.unsealed() {
            Value::Null => Ok(None),
            Value::Text(text) if text.is_empty() => Ok(None),
            _ => template_builder.value(&value, form("text"), here).map(Some),
        });
    match expressed {
        Ok(Some(text)) => {
            builder.set("UserData", DataTree::map([("Fn::Base64", text)]));
            format_of(template_builder, builder, Some(expr));
        }
        Ok(None) => format_of(template_builder, builder, None),
        Err(why) => builder.lose(template_builder, &why, expr.span),
    }
}

/// Reports the user data format: Heat wraps user data for its own tools unless it is `RAW`.
fn format_of(
    template_builder: &mut TemplateBuilder<'_>,
    builder: &mut AwsResourceBuilder<'_>,
    text: Option<&Expr>,
) {
    let owner = builder.planned.owner.clone();
    let expr = builder.heat_property("user_data_format");
    let written = match expr.map(|expr| template_builder.evaluator.constant(expr)) {
        None => Some("HEAT_CFNTOOLS".to_owned()),
        Some(value) => value.as_ref().and_then(text_of),
    };
    // The text itself is kept, so a format by default is reported at its name.
    let key = || {
        let properties = builder.planned.resource.properties.as_ref()?;
        text.and_then(|_| key_span(properties, "user_data"))
    };
    let Some(span) = expr.map(|expr| expr.span).or_else(key) else { return };
    let format = match written.as_deref() {
        Some("RAW") => return,
        Some(format) => format,
        None => "this",
    };
    let is_for_aws = format == "HEAT_CFNTOOLS"
        && text.is_some_and(|text| {
            is_script_without(text, &TRACES_OF_HEAT, &template_builder.evaluator)
        });
    if is_for_aws {
        let message = format!(
            "the user data of `{owner}` is passed on unchanged: cloud-init runs the script, and tools such as \
             `cfn-init` are those of AWS, which the image must have"
        );
        return template_builder.report_note("user_data_format", message, span, &owner);
    }
    let message = format!(
        "the user data of `{owner}` is passed on unchanged, not wrapped for Heat's tools ({format})"
    );
    let lines = template_builder.report_lost_item("user_data_format", message, span, &owner);
    builder.comment(lines);
}

/// The type of a key pair: AWS creates only SSH keys.
pub(super) fn key_type(
    template_builder: &mut TemplateBuilder<'_>,
    builder: &mut AwsResourceBuilder<'_>,
    value: &Expr,
    whole: Span,
) {
    match template_builder.evaluator.constant(value) {
        Some(Value::Null) => {}
        Some(Value::Text(text)) if text == "ssh" => {}
        _ => {
            let message = "AWS has key pairs only for SSH".to_owned();
            let lines =
                template_builder.report_lost_item("type", message, whole, &builder.planned.owner);
            builder.comment(lines);
        }
    }
}

/// Heat's policies, the strategies of placement groups, and whether the policy is only a preference.
const STRATEGIES: [(&str, &str, bool); 4] = [
    ("anti-affinity", "spread", false),
    ("affinity", "cluster", false),
    ("soft-anti-affinity", "spread", true),
    ("soft-affinity", "cluster", true),
];

/// The only item of a list, if it is unknown while rendering.
fn only_unknown_item(template_builder: &TemplateBuilder<'_>, value: &Expr) -> Option<Value> {
    let value = template_builder.fold(value, "policies").ok()?;
    let Value::List(items) = value.unsealed() else { return None };
    let [item] = &items[..] else { return None };
    matches!(item.unsealed(), Value::Unknown(_)).then(|| item.clone())
}

/// The policy of a server group becomes the strategy of a placement group.
pub(super) fn placement(
    template_builder: &mut TemplateBuilder<'_>,
    builder: &mut AwsResourceBuilder<'_>,
    value: &Expr,
    whole: Span,
) {
    let owner = builder.planned.owner.clone();
    let here = builder.here("Strategy", whole);
    if let Some(name) = only_unknown_item(template_builder, value)
        && let Ok(name) = template_builder.value(&name, form("text"), here.required())
    {
        let rows = STRATEGIES.map(|(policy, strategy, _)| {
            (policy, DataTree::map([("Strategy", DataTree::from(strategy))]))
        });
        let table = "PlacementStrategies";
        template_builder.mappings.insert(table.to_owned(), DataTree::map(rows));
        let arguments = [DataTree::from(table), name, DataTree::from("Strategy")];
        builder.set("Strategy", call("Fn::FindInMap", arguments));
        let message = format!("a soft policy of `{owner}` is a requirement in AWS");
        return template_builder.report_note("policies", message, whole, &owner);
    }
    let policy = match template_builder.evaluator.constant(value) {
        Some(Value::Null) => return,
        Some(Value::List(items)) if items.len() == 1 => text_of(&items[0]),
        _ => None,
    };
    let known = STRATEGIES.iter().find(|(name, ..)| Some(*name) == policy.as_deref());
    let Some((_, strategy, is_soft)) = known.copied() else {
        template_builder.want_values_of(value);
        let message = format!("the policies of `{owner}` are not known while rendering");
        let lines = template_builder.report_lost_item("policies", message, whole, &owner);
        return builder.comment(lines);
    };
    builder.set("Strategy", DataTree::from(strategy));
    if strategy == "spread" {
        builder.set("SpreadLevel", DataTree::from("rack"));
    }
    if is_soft {
        let message =
            format!("the policy of `{owner}` is a preference in Heat, but a requirement in AWS");
        let lines = template_builder.report_lost_value(message, here);
        builder.comment(lines);
    }
}

/// The zone of the server that a volume is attached to: AWS requires both in the same zone.
pub(super) fn zone_of(template_builder: &TemplateBuilder<'_>, server: &str) -> Option<DataTree> {
    let planned = template_builder.plan.get(server)?;
    let is_instance =
        matches!(&planned.outcome, PlannedOutcome::Object(to, _) if *to == "AWS::EC2::Instance");
    let is_there = planned.condition.is_none();
    (is_instance && is_there).then(|| attribute_of(&planned.id, "AvailabilityZone"))
}

pub(super) fn boolean(value: bool) -> DataTree {
    lossless_yaml::Value::Bool(value).into()
}
