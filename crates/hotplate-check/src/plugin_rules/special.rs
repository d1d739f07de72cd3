//! Rules of single plugins.

use std::collections::HashSet;

use super::Violation;
use super::view::{PropertyView, Set, text_of};
use heat_engine::eval::Value;
use heat_engine::eval::typed_properties::is_ip_address;

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
            _ => device.number("boot_index"),
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
    if view.number("ip_version") == Some(4) {
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
    let (min, max) = (view.number("port_range_min")?, view.number("port_range_max")?);
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

fn violation(property: &'static str, message: impl Into<String>) -> Option<Violation> {
    Some(Violation { property, message: message.into() })
}

/// The agents of a router that is not highly available.
pub(super) fn agents_of_a_router(view: &PropertyView<'_>) -> Option<Violation> {
    let is_single = view.is("ha", "false") || view.get("ha") == Set::No;
    (is_single && view.items("l3_agent_ids").len() > 1)
        .then(|| violation("l3_agent_ids", "a router without `ha` has one agent only"))?
}

/// The gateway of a subnet: an address, or a word for none or any.
pub(super) fn gateway_address(view: &PropertyView<'_>) -> Option<Violation> {
    let gateway = view.text("gateway_ip")?;
    let is_valid = matches!(gateway, "" | "~" | "auto") || is_ip_address(gateway);
    (!is_valid).then(|| violation("gateway_ip", format!("`{gateway}` is not an IP address")))?
}

/// A group has no negative size.
pub(super) fn sizes_of_a_group(view: &PropertyView<'_>) -> Option<Violation> {
    (view.number("MinSize")? < 0).then(|| violation("MinSize", "`MinSize` is below zero"))?
}

/// A group spans one subnet.
pub(super) fn one_subnet(view: &PropertyView<'_>) -> Option<Violation> {
    (view.items("VPCZoneIdentifier").len() > 1)
        .then(|| violation("VPCZoneIdentifier", "Heat supports one subnet only"))?
}

/// The needs of a configuration without an instance to copy.
pub(super) fn image_and_type(view: &PropertyView<'_>) -> Option<Violation> {
    let is_unset = |name: &str| view.get(name) == Set::No;
    let is_incomplete = is_unset("ImageId") || is_unset("InstanceType");
    (is_unset("InstanceId") && is_incomplete).then(|| {
        violation("", "`ImageId` and `InstanceType` are required without an `InstanceId`")
    })?
}

fn repeated<'v>(mut references: impl Iterator<Item = &'v Value>) -> bool {
    let mut seen = HashSet::new();
    references.any(|reference| match reference.unsealed() {
        Value::Text(text) => !seen.insert(text.clone()),
        _ => false,
    })
}

/// The secrets of a container are different ones.
pub(super) fn distinct_secrets(view: &PropertyView<'_>) -> Option<Violation> {
    let secrets = view.items("secrets");
    repeated(secrets.iter().filter_map(|secret| secret.value("ref")))
        .then(|| violation("secrets", "two secrets have the same `ref`"))?
}

/// The parts of a container are different secrets.
pub(super) fn distinct_references(view: &PropertyView<'_>) -> Option<Violation> {
    let names = view.set();
    repeated(names.iter().filter(|name| **name != "name").filter_map(|name| view.value(name)))
        .then(|| violation("", "two properties refer to the same secret"))?
}

/// The properties that an order of a type may have.
pub(super) fn properties_of_an_order(view: &PropertyView<'_>) -> Option<Violation> {
    const KEY: &[&str] =
        &["name", "algorithm", "bit_length", "mode", "payload_content_type", "expiration"];
    const CERTIFICATE: &[&str] = &[
        "name",
        "request_type",
        "subject_dn",
        "source_container_ref",
        "ca_id",
        "profile",
        "request_data",
    ];
    let kind = view.text("type")?;
    let allowed = match kind {
        "key" | "asymmetric" => KEY,
        "certificate" => CERTIFICATE,
        _ => return None,
    };
    let is_allowed = |name: &str| {
        name == "type" || allowed.contains(&name) || kind == "asymmetric" && name == "pass_phrase"
    };
    let other = view.set().into_iter().find(|name| !is_allowed(name))?;
    // Names of the schema, which is static.
    let property = ORDER_PROPERTIES.iter().find(|name| **name == other).copied().unwrap_or("");
    violation(property, format!("an order of the type `{kind}` has no `{other}`"))
}

/// The properties that some orders do not have.
const ORDER_PROPERTIES: &[&str] = &[
    "algorithm",
    "bit_length",
    "ca_id",
    "expiration",
    "mode",
    "pass_phrase",
    "payload_content_type",
    "profile",
    "request_data",
    "request_type",
    "source_container_ref",
    "subject_dn",
];

/// A random string is not shorter than its classes and sequences require.
pub(super) fn length_of_a_string(view: &PropertyView<'_>) -> Option<Violation> {
    let length = view.number("length")?;
    let parts = ["character_classes", "character_sequences"];
    let parts = parts.iter().flat_map(|name| view.items(name));
    let least: i64 = parts.filter_map(|part| part.number("min")).sum();
    (least > length).then(|| {
        violation("length", format!("{length} characters are fewer than the {least} that the classes and sequences require"))
    })?
}

/// An action has one configuration.
pub(super) fn one_configuration_per_action(view: &PropertyView<'_>) -> Option<Violation> {
    let mut seen = HashSet::new();
    let repeated = view.items("configs").into_iter().find_map(|config| {
        let Some(Value::List(actions)) = config.value("actions") else { return None };
        let actions: Vec<&str> = actions.iter().filter_map(text_of).collect();
        let repeated = actions.iter().find(|action| seen.contains(**action)).copied();
        seen.extend(actions);
        repeated
    })?;
    violation("configs", format!("the action `{repeated}` has two configurations"))
}

/// A reverse workflow names the task that it is for.
pub(super) fn task_of_a_reverse_workflow(view: &PropertyView<'_>) -> Option<Violation> {
    let params = view.within(&["params"]);
    let is_named = match view.get("params") {
        Set::No => false,
        _ => params.iter().all(|(_, params)| params.get("task_name") != Set::No),
    };
    (view.is("type", "reverse") && !is_named)
        .then(|| violation("type", "a reverse workflow needs `params.task_name`"))?
}

/// Only the tasks of a reverse workflow require others.
pub(super) fn requirements_in_a_direct_workflow(view: &PropertyView<'_>) -> Option<Violation> {
    let requires = |task: &PropertyView<'_>| task.given("requires") == Set::Yes;
    (view.is("type", "direct") && view.items("tasks").iter().any(requires))
        .then(|| violation("tasks", "only the tasks of a reverse workflow have `requires`"))?
}

/// The number of a VLAN.
pub(super) fn id_of_a_vlan(view: &PropertyView<'_>) -> Option<Violation> {
    (view.is("network_type", "vlan") && view.number("segmentation_id")? > 4094)
        .then(|| violation("segmentation_id", "the number of a VLAN is at most 4094"))?
}

/// The databases of a user exist.
pub(super) fn databases_of_users(view: &PropertyView<'_>) -> Option<Violation> {
    let Some(Value::List(databases)) = view.value("databases") else { return None };
    let names = databases.iter().map(|database| PropertyView::Item(database).text("name"));
    let names: Vec<&str> = names.collect::<Option<_>>()?;
    let users = view.items("users");
    let unknown = users.iter().find_map(|user| {
        let Some(Value::List(used)) = user.value("databases") else { return None };
        used.iter().filter_map(text_of).find(|used| !names.contains(used))
    })?;
    violation("users", format!("the database `{unknown}` of a user is not in `databases`"))
}

/// The address of a subscriber.
pub(super) fn subscriber(view: &PropertyView<'_>) -> Option<Violation> {
    const KINDS: [&str; 5] = ["http", "https", "mailto", "trust+http", "trust+https"];
    let kind = view.text("subscriber")?.split(':').next().unwrap_or_default();
    (!KINDS.contains(&kind)).then(|| {
        violation(
            "subscriber",
            format!("a subscriber begins with one of `{}`", KINDS.join(":`, `")),
        )
    })?
}

/// When a container starts again.
pub(super) fn restart_policy(view: &PropertyView<'_>) -> Option<Violation> {
    let policy = view.text("restart_policy")?;
    let is_valid = match policy.split_once(':') {
        Some((policy, _)) => policy == "on-failure",
        None => matches!(policy, "" | "always" | "unless-stopped" | "on-failure" | "no"),
    };
    (!is_valid).then(|| {
        violation(
            "restart_policy",
            format!(
                "`{policy}` is not one of `no`, `on-failure[:RETRIES]`, `always`, `unless-stopped`"
            ),
        )
    })?
}
