//! Block devices of servers, and hints for volumes.

use super::PropertyRequest;
use super::compute::{hints, under};
use crate::mapping::PropertyMapping;
use crate::openstack_provider::model::{Argument, WantedType};
use crate::openstack_provider::resource_builder::{Arguments, ResourceBuilder};
use crate::openstack_provider::values::{ListItem, items, may_be_null, number_of};
use heat_template::ir::{Expr, ExprKind};

/// `scheduler_hints` of a volume: hints for Cinder's scheduler.
pub(super) fn scheduler_hints<'c>(builder: &mut ResourceBuilder<'c, '_>, of: PropertyRequest<'c>) {
    let PropertyRequest { name, given, .. } = of;
    if let Some(value) = given {
        hints(builder, name, value);
    }
}

/// `mountpoint` of an attachment: the hypervisor chooses another name, so that the provider would attach the volume again and again.
pub(super) fn device_name<'c>(builder: &mut ResourceBuilder<'c, '_>, of: PropertyRequest<'c>) {
    if let Some(value) = of.given {
        report_device_name(builder, of.name, value);
    }
}

fn report_device_name(builder: &mut ResourceBuilder<'_, '_>, name: &str, value: &Expr) {
    let suggestion = "find the disk by the ID of its volume, below /dev/disk/by-id";
    builder.report_note(name, value.span, "the hypervisor chooses the device name", suggestion);
}

/// `block_device_mapping`: volumes, and volumes created from snapshots.
pub(super) fn mapping<'c>(builder: &mut ResourceBuilder<'c, '_>, of: PropertyRequest<'c>) {
    devices(builder, of, false);
}

/// `block_device_mapping_v2`: also images, swap and local disks.
pub(super) fn mapping_v2<'c>(builder: &mut ResourceBuilder<'c, '_>, of: PropertyRequest<'c>) {
    devices(builder, of, true);
}

fn devices<'c>(builder: &mut ResourceBuilder<'c, '_>, of: PropertyRequest<'c>, is_v2: bool) {
    let PropertyRequest { name, property, given } = of;
    let Some(value) = given else { return };
    let value = builder.computed_list(value);
    let mut parts: Vec<Argument> = Vec::new();
    for item in items(&value, true) {
        match item {
            ListItem::Written(map) => {
                let Some(device) = device(builder, property, map, is_v2) else { continue };
                match parts.last_mut() {
                    Some(Argument::Blocks(blocks)) => blocks.push(device),
                    _ => parts.push(Argument::Blocks(vec![device])),
                }
            }
            ListItem::Computed(list) => {
                let why = "the list is computed, so the source of each device is unknown";
                builder.report_lost_property(name, list.span, why);
            }
        }
    }
    let image = boot_image(builder, &parts);
    let parts = image.into_iter().chain(parts).map(|part| ("block_device".to_owned(), part));
    builder.arguments.extend(parts);
}

/// The device of the server's image, without which the provider ignores the image beside other devices; `None` if
/// another device is the boot device.
fn boot_image(builder: &mut ResourceBuilder<'_, '_>, parts: &[Argument]) -> Option<Argument> {
    let evaluator = &builder.catalog.evaluator;
    let boots = |(name, value): &(String, Argument)| match value {
        _ if name != "boot_index" => false,
        Argument::Expr(index, _) => {
            let index = evaluator.constant(index).map(|index| index.reveal().0);
            number_of(index.as_ref()) == Some(0)
        }
        index => *index == Argument::Number(0),
    };
    let mut arguments = parts.iter().filter_map(|part| match part {
        Argument::Blocks(blocks) => Some(blocks.iter().flatten()),
        _ => None,
    });
    if parts.is_empty() || arguments.any(|mut it| it.any(boots)) {
        return None;
    }
    let image = *builder.properties.get("image")?;
    if let ExprKind::Choose(choice) = &image.kind
        && may_be_null(choice)
    {
        let why =
            "it may be null, and beside other devices the provider needs a device for an image";
        let suggestion = "give the device that boots the `boot_index` 0 in the result";
        builder.report_lost_value("image", image.span, why, suggestion);
        return None;
    }
    let uuid = builder.named("image", builder.mapping.properties.get("image")?, image)?;
    let block = [
        ("uuid", uuid),
        ("source_type", text("image")),
        ("destination_type", text("local")),
        ("boot_index", Argument::Number(0)),
        ("delete_on_termination", Argument::Bool(true)),
    ];
    let block = block.map(|(name, value)| (name.to_owned(), value)).to_vec();
    Some(Argument::Blocks(vec![block]))
}

fn text(text: &str) -> Argument {
    Argument::Text(text.to_owned())
}

/// A device. Its source determines the rest, with Heat's defaults.
fn device(
    builder: &mut ResourceBuilder<'_, '_>,
    property: &'static PropertyMapping,
    map: &Expr,
    is_v2: bool,
) -> Option<Arguments> {
    let mut out: Arguments = Vec::new();
    let mut put = |to: &str, value: Argument| out.push((to.to_owned(), value));
    let expr = |value: &Expr, wanted: WantedType| Argument::Expr(value.clone(), wanted);
    let size = under(map, "volume_size");
    let volume = under(map, "volume_id");
    let snapshot = under(map, "snapshot_id");
    let image = under(map, "image").or_else(|| under(map, "image_id")).filter(|_| is_v2);
    let swap = under(map, "swap_size").filter(|_| is_v2);
    let local_size = under(map, "ephemeral_size");
    let local_format = under(map, "ephemeral_format");
    let (boot_index, on_termination) = if volume.is_some() || snapshot.is_some() || image.is_some()
    {
        let (uuid, source) = match (volume, snapshot, image) {
            (Some(id), _, _) => (expr(id, WantedType::Text), "volume"),
            (None, Some(id), _) => (expr(id, WantedType::Text), "snapshot"),
            (None, None, Some(image)) => {
                let naming = builder.catalog.identifier_kind(image);
                let value = expr(image, WantedType::Text);
                let found = property
                    .members
                    .get("image")
                    .and_then(|member| builder.by_naming(member, naming, value.clone()));
                (found.unwrap_or(value), "image")
            }
            (None, None, None) => return None,
        };
        put("uuid", uuid);
        put("source_type", text(source));
        put("destination_type", text("volume"));
        (0, false)
    } else if let Some(swap) = swap {
        put("source_type", text("blank"));
        put("destination_type", text("local"));
        put("guest_format", text("swap"));
        put("volume_size", expr(swap, WantedType::Number));
        (-1, true)
    } else if local_size.is_some() || local_format.is_some() {
        put("source_type", text("blank"));
        put("destination_type", text("local"));
        if let Some(size) = local_size {
            put("volume_size", expr(size, WantedType::Number));
        }
        if let Some(format) = local_format {
            put("guest_format", expr(format, WantedType::Text));
        }
        (-1, true)
    } else {
        builder.report_lost_property("block_device", map.span, "its source is unknown");
        return None;
    };
    if let Some(size) = size.filter(|_| swap.is_none()) {
        put("volume_size", expr(size, WantedType::Number));
    }
    let boot_index = match under(map, "boot_index").filter(|_| is_v2) {
        Some(index) => expr(index, WantedType::Number),
        None if is_v2 => Argument::Number(boot_index),
        // In the old form, a device that is not the first one is not a boot device.
        None => Argument::Number(if is_first(map) { 0 } else { -1 }),
    };
    put("boot_index", boot_index);
    let on_termination = match under(map, "delete_on_termination") {
        Some(value) => expr(value, WantedType::Bool),
        None => Argument::Bool(on_termination),
    };
    put("delete_on_termination", on_termination);
    for (from, to) in
        [("disk_bus", "disk_bus"), ("device_type", "device_type"), ("volume_type", "volume_type")]
    {
        if let Some(value) = under(map, from).filter(|_| is_v2) {
            put(to, expr(value, WantedType::Text));
        }
    }
    if let Some(device) = under(map, "device_name").filter(|_| !is_first(map) || is_v2) {
        report_device_name(builder, "device_name", device);
    }
    Some(out)
}

/// Whether the old form of a device names the first disk: `vda`.
fn is_first(map: &Expr) -> bool {
    match under(map, "device_name").map(|device| &device.kind) {
        Some(ExprKind::Text(name)) => name.ends_with("da"),
        Some(_) | None => false,
    }
}
