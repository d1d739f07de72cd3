//! Rules of single plugins.

use num_traits::ToPrimitive;

use super::Violation;
use super::view::{PropertyView, Set};
use heat_engine::eval::{Value, python};

/// The value of a property that is a known integer.
fn integer(view: &PropertyView<'_>, name: &str) -> Option<i64> {
    match view.value(name)? {
        Value::Int(number) => python::to_big(number).to_i64(),
        _ => None,
    }
}

/// A server boots from an image or a volume, and from one only.
pub(super) fn bootable_device(view: &PropertyView<'_>) -> Option<Violation> {
    let is_known = |name: &str| matches!(view.value(name), Some(Value::Null | Value::List(_)));
    if !is_known("block_device_mapping") || !is_known("block_device_mapping_v2") {
        return None;
    }
    let image = view.given("image");
    let old = view.items("block_device_mapping");
    // Without a known name, the device may be the one that boots.
    let may_boot = |item: &PropertyView<'_>| item.text("device_name").is_none_or(|it| it == "vda");
    let mut certain = 0;
    let mut possible = usize::from(image != Set::No) + old.iter().filter(|it| may_boot(it)).count();
    if image == Set::Yes {
        certain += 1;
    }
    let devices = view.items("block_device_mapping_v2");
    for device in &devices {
        let sources = ["volume_id", "snapshot_id", "image"].map(|name| device.given(name));
        let index = match device.value("boot_index") {
            Some(Value::Null) => Some(0),
            _ => integer(device, "boot_index"),
        };
        if sources.contains(&Set::Yes) && index == Some(0) {
            certain += 1;
        }
        if sources.iter().any(|source| *source != Set::No) && index.is_none_or(|it| it == 0) {
            possible += 1;
        }
    }
    if possible == 0 {
        let message = "neither `image` nor a bootable volume is specified".to_owned();
        return Some(Violation { property: "", message });
    }
    (!devices.is_empty() && certain > 1).then(|| Violation {
        property: "block_device_mapping_v2",
        message: "the server has several bootable sources".to_owned(),
    })
}

/// Each device of a server has one source.
pub(super) fn device_sources(view: &PropertyView<'_>) -> Option<Violation> {
    let names = ["volume_id", "snapshot_id", "image", "swap_size"];
    let ephemeral = ["ephemeral_size", "ephemeral_format"].map(|name| view.get(name));
    let ephemeral = match () {
        () if ephemeral.contains(&Set::Yes) => Set::Yes,
        () if ephemeral == [Set::No; 2] => Set::No,
        () => Set::Unknown,
    };
    let sources: Vec<Set> = names.iter().map(|name| view.get(name)).chain([ephemeral]).collect();
    let count = sources.iter().filter(|source| **source == Set::Yes).count();
    if count > 1 {
        let message = "a device has only one of `volume_id`, `snapshot_id`, `image`, `swap_size`, `ephemeral_size`";
        return Some(Violation { property: "", message: message.to_owned() });
    }
    sources.iter().all(|source| *source == Set::No).then(|| Violation {
        property: "",
        message: "a device needs one of `volume_id`, `snapshot_id`, `image`, `swap_size`, `ephemeral_size`, `ephemeral_format`".to_owned(),
    })
}

/// The security groups of a port are its own.
pub(super) fn ports_and_security_groups(view: &PropertyView<'_>) -> Option<Violation> {
    let networks = view.items("networks");
    let has_port = networks.iter().any(|network| network.get("port") == Set::Yes);
    (has_port && view.get("security_groups") == Set::Yes).then(|| Violation {
        property: "security_groups",
        message: "`security_groups` and `networks.port` exclude each other: the groups belong to the port".to_owned(),
    })
}

/// `allocate_network` allows no other network.
pub(super) fn allocated_network_alone(view: &PropertyView<'_>) -> Option<Violation> {
    let networks = view.items("networks");
    let allocates = networks.iter().any(|network| network.get("allocate_network") == Set::Yes);
    (allocates && networks.len() > 1).then(|| Violation {
        property: "networks",
        message: "`allocate_network` is not allowed with several networks".to_owned(),
    })
}

/// Heat does not know the port that the service creates on a network.
pub(super) fn floating_ip_of_a_network(view: &PropertyView<'_>) -> Option<Violation> {
    let others = ["port", "subnet", "port_extra_properties"];
    let is_alone = others.iter().all(|name| view.get(name) == Set::No);
    let given = ["floating_ip", "network"].iter().all(|name| view.get(name) == Set::Yes);
    (is_alone && given).then(|| Violation {
        property: "floating_ip",
        message: "`floating_ip` needs a `port` or a `subnet`: Heat does not know the port that is created on a network".to_owned(),
    })
}

/// The modes of IPv6.
pub(super) fn ipv6_modes(view: &PropertyView<'_>) -> Option<Violation> {
    let modes = ["ipv6_ra_mode", "ipv6_address_mode"];
    let set = modes.iter().find(|mode| view.get(mode) == Set::Yes)?;
    if integer(view, "ip_version") == Some(4) {
        let message = format!("`{set}` is not allowed for IPv4");
        return Some(Violation { property: set, message });
    }
    let differ = view.text(modes[0])? != view.text(modes[1])?;
    differ.then(|| Violation {
        property: modes[1],
        message: "`ipv6_ra_mode` and `ipv6_address_mode` must be equal".to_owned(),
    })
}

/// The first port is not above the last one.
pub(super) fn port_range(view: &PropertyView<'_>) -> Option<Violation> {
    let protocol = match view.value("protocol")? {
        Value::Unknown(_) => return None,
        Value::Text(text) => text.as_str(),
        _ => "",
    };
    let (min, max) = (integer(view, "port_range_min")?, integer(view, "port_range_max")?);
    let is_icmp = matches!(protocol, "icmp" | "icmpv6" | "ipv6-icmp");
    (!is_icmp && max < min).then(|| Violation {
        property: "port_range_max",
        message: format!("the last port, {max}, is below the first one, {min}"),
    })
}

/// A volume has a size, or one source that defines it.
pub(super) fn volume_source(view: &PropertyView<'_>) -> Option<Violation> {
    let sources = ["source_volid", "snapshot_id", "image", "imageRef"];
    let sources = || sources.iter().copied().filter(|name| view.value(name).is_some());
    if view.get("backup_id") != Set::No {
        return None;
    }
    let certain: Vec<&str> = sources().filter(|name| view.get(name) == Set::Yes).collect();
    match view.get("size") {
        Set::No => {
            let is_without =
                ["source_volid", "snapshot_id"].iter().all(|it| view.get(it) == Set::No);
            is_without.then(|| Violation {
                property: "",
                message:
                    "a volume needs a `size`, a `source_volid`, a `snapshot_id` or a `backup_id`"
                        .to_owned(),
            })
        }
        Set::Yes if certain.len() > 1 => Some(Violation {
            property: certain[1],
            message: format!("a volume has only one source: `{}`", certain.join("`, `")),
        }),
        Set::Yes | Set::Unknown => None,
    }
}
