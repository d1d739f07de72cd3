//! Tests of the objects that resources become.

use crate::Losses;
use crate::openstack_provider::ObjectCatalog;
use crate::openstack_provider::model::{Argument, ProviderObject, ResourceObjects};
use crate::openstack_provider::schema::{ArgumentInfo, ProviderSchema};
use crate::testing::with_program;
use heat_template::schema::{Property, Schema, ValueType};
use indexmap::IndexMap;
use lossless_yaml::Value;

/// The objects of the resource `it` of a template, and the messages of its losses.
fn expressed(resources: &str) -> (Option<ResourceObjects>, Vec<String>) {
    let template = format!(
        "heat_template_version: 2021-04-16\nparameters:\n  text: {{type: string}}\n  open: {{type: string, default: ''}}\n  list: {{type: json}}\nresources:\n{resources}"
    );
    let mut out = (None, Vec::new());
    with_program(&[("root.yaml", &template)], &["text=x", "list=[]"], &[], |model, _| {
        let mut losses = Losses::default();
        let catalog = ObjectCatalog::new(model, model.root(), &mut losses);
        let messages = losses.as_slice().iter().map(|loss| loss.message.clone());
        out = (catalog.resource("it").cloned(), messages.collect());
    });
    out
}

/// Checks that every argument is the provider's, with the right kind of value, and that no required one
/// is missing.
fn conforms(object: &ProviderObject) {
    let kind = ProviderSchema::get().resource(&object.kind).expect("a resource of the provider");
    arguments(&object.kind, &kind.arguments, &object.arguments);
}

fn arguments(place: &str, known: &IndexMap<String, ArgumentInfo>, given: &[(String, Argument)]) {
    for (name, value) in given {
        let info = known.get(name).unwrap_or_else(|| panic!("{place}: no argument {name}"));
        assert!(info.is_settable(), "{place}.{name} cannot be set");
        let inner: Vec<&Vec<(String, Argument)>> = match value {
            Argument::Blocks(blocks) => blocks.iter().collect(),
            Argument::BlocksFor { block, .. } => vec![block],
            _ => Vec::new(),
        };
        assert_eq!(info.block.is_some(), !inner.is_empty(), "{place}.{name}");
        for block in inner {
            arguments(&format!("{place}.{name}"), info.block.as_ref().expect("a block"), block);
        }
        let repeats = given.iter().filter(|(other, _)| other == name).count();
        assert!(repeats == 1 || info.block.is_some(), "{place}.{name} occurs twice");
    }
    for (name, info) in known {
        let is_there = given.iter().any(|(there, _)| there == name);
        assert!(!info.required || is_there, "{place}.{name} is missing");
    }
}

fn sample(property: &Property, depth: usize) -> Option<Value> {
    use heat_template::schema::PropertyConstraint;
    for constraint in &property.constraints {
        if let PropertyConstraint::AllowedValues(values) = constraint {
            return values.first().map(of_json);
        }
    }
    if depth > 3 {
        return None;
    }
    Some(match property.value_type {
        ValueType::String | ValueType::Any => {
            Value::Text("6f70656e-7374-4163-8b00-000000000001".to_owned())
        }
        ValueType::Integer | ValueType::Number => {
            Value::Int(python_semantics::number::Integer::Small(7))
        }
        ValueType::Boolean => Value::Bool(true),
        ValueType::List => {
            let item = property.items.as_deref().and_then(|items| sample(items, depth + 1));
            Value::List(vec![item.unwrap_or_else(|| Value::Text("10.0.0.7".to_owned()))])
        }
        ValueType::Map if property.members.is_empty() => {
            Value::map([("k", Value::Text("v".to_owned()))])
        }
        ValueType::Map => Value::map(
            property
                .members
                .iter()
                .filter(|(_, member)| {
                    member.support.status != heat_template::schema::SupportStatus::Hidden
                })
                .filter_map(|(name, member)| Some((*name, sample(member, depth + 1)?))),
        ),
    })
}

fn reference(resource: &str) -> Value {
    Value::map([("get_resource", Value::Text(resource.to_owned()))])
}

fn of_json(value: &serde_json::Value) -> Value {
    match value {
        serde_json::Value::String(text) => Value::Text(text.clone()),
        serde_json::Value::Bool(value) => Value::Bool(*value),
        serde_json::Value::Number(value) => {
            Value::Int(python_semantics::number::Integer::Small(value.as_i64().unwrap_or_default()))
        }
        _ => Value::Null,
    }
}

const BESIDE: &str =
    "  address: {type: OS::Neutron::FloatingIP, properties: {floating_network: out}}
  server: {type: OS::Nova::Server, properties: {flavor: tiny}}
";

/// Every type with all of its properties: whatever is not lost is valid in the provider.
#[test]
fn every_type_with_every_property_makes_objects_that_the_provider_takes() {
    let mut made = 0;
    for (name, mapping) in &crate::openstack_provider::table::table().types {
        if mapping.to.is_none() {
            continue;
        }
        let info = Schema::heat().type_info(name).expect("a type");
        let properties = info
            .properties
            .iter()
            .filter(|(_, property)| {
                property.support.status != heat_template::schema::SupportStatus::Hidden
            })
            // Neutron accepts only one of the two.
            .filter(|(at, _)| name != "OS::Neutron::SecurityGroupRule" || **at != "remote_group")
            .filter_map(|(name, property)| {
                // The address of a floating IP comes from a resource of the template only.
                let by_reference = mapping.properties[*name].wants.as_deref() == Some("address");
                let sample = match by_reference || *name == "server_id" {
                    true if by_reference => reference("address"),
                    true => reference("server"),
                    false => sample(property, 0)?,
                };
                Some((*name, sample))
            });
        let resource = Value::map([
            ("type", Value::Text(name.clone())),
            ("properties", Value::map(properties)),
        ]);
        let text = lossless_yaml::json_writer::pretty(&resource).expect("written");
        let (expressed, losses) = expressed(&format!("{BESIDE}  it: {}", text.replace('\n', " ")));
        if name == "OS::Trove::Instance" {
            // What the provider requires in addition to `size` does not exist in Heat.
            assert!(losses.iter().any(|loss| loss.contains("requires `volume_type`")));
            continue;
        }
        let expressed = expressed.unwrap_or_else(|| panic!("{name}: {losses:?}"));
        for object in &expressed.objects {
            conforms(object);
            made += 1;
        }
        for property in info.properties.keys() {
            let of_table = &mapping.properties[*property];
            let must =
                of_table.to.is_none() && of_table.rule.is_none() && of_table.object.is_none();
            if must
                && of_table.same_as.is_none()
                && of_table.no_effect.is_empty()
                && info.properties[*property].support.status
                    != heat_template::schema::SupportStatus::Hidden
            {
                let reported = losses.iter().any(|loss| loss.contains(&format!("`{property}`")));
                assert!(reported, "{name}.{property} is lost without a report");
            }
        }
    }
    assert!(made >= 79, "{made}");
}

/// The only value of an argument.
fn argument<'s>(object: &'s ProviderObject, name: &str) -> &'s Argument {
    let mut found = object.arguments.iter().filter(|(there, _)| there == name);
    let (_, value) = found.next().unwrap_or_else(|| panic!("{name} in {:?}", object.arguments));
    assert!(found.next().is_none(), "{name} comes twice");
    value
}

/// The first block of an argument.
fn block<'s>(object: &'s ProviderObject, name: &str) -> &'s [(String, Argument)] {
    match argument(object, name) {
        Argument::Blocks(blocks) => &blocks[0],
        other => panic!("{name} is {other:?}"),
    }
}

fn names(arguments: &[(String, Argument)]) -> Vec<&str> {
    arguments.iter().map(|(name, _)| name.as_str()).collect()
}

fn text(argument: &Argument) -> &str {
    match argument {
        Argument::Expr(expr, _) => expr.as_text().expect("text"),
        Argument::Text(text) => text,
        other => panic!("{other:?}"),
    }
}

/// The objects of the resource when nothing is lost.
fn whole(resources: &str) -> ResourceObjects {
    let (expressed, losses) = expressed(resources);
    assert_eq!(losses, [""; 0]);
    expressed.expect("expressed")
}

#[test]
fn names_are_looked_up_and_ids_are_not() {
    let port = |network: &str| {
        let expressed = whole(&format!(
            "  net: {{type: OS::Neutron::Net}}\n  it: {{type: OS::Neutron::Port, properties: {{network: {network}}}}}\n"
        ));
        argument(&expressed.objects[0], "network_id").clone()
    };
    assert!(matches!(port("{get_resource: net}"), Argument::Expr(..)));
    assert!(matches!(port("6f70656e-7374-4163-8b00-000000000001"), Argument::Expr(..)));
    let lookup = port("public");
    let Argument::Lookup { data, by, read, name } = &lookup else { panic!("{lookup:?}") };
    assert_eq!(data, "openstack_networking_network_v2");
    assert_eq!((by.as_str(), read.as_str(), text(name)), ("name", "id", "public"));
    assert!(matches!(port("{get_param: open}"), Argument::NameOrId { .. }));
    let either = port("{if: [{equals: [{get_param: text}, x]}, {get_resource: net}, public]}");
    let Argument::Conditional { then, otherwise, .. } = &either else { panic!("{either:?}") };
    assert!(matches!(**then, Argument::Expr(..)));
    assert!(matches!(**otherwise, Argument::Lookup { .. }));
}

#[test]
fn what_another_template_hands_over_is_an_id() {
    let root = "\
heat_template_version: 2021-04-16
resources:
  net: {type: OS::Neutron::Net}
  a: {type: node.yaml, properties: {network: {get_resource: net}, other: public}}
  b: {type: node.yaml, properties: {network: {get_resource: net}, other: {get_resource: net}}}
";
    let node = "\
heat_template_version: 2021-04-16
parameters:
  network: {type: string}
  other: {type: string}
resources:
  one: {type: OS::Neutron::Port, properties: {network: {get_param: network}}}
  two: {type: OS::Neutron::Port, properties: {network: {get_param: other}}}
";
    with_program(&[("root.yaml", root), ("node.yaml", node)], &[], &[], |model, _| {
        let mut losses = Losses::default();
        let catalog = ObjectCatalog::new(model, &model.modules[1], &mut losses);
        let network = |name: &str| {
            argument(&catalog.resource(name).expect("expressed").objects[0], "network_id")
        };
        assert!(matches!(network("one"), Argument::Expr(..)));
        // In one case a name, in the other an ID that is known too late: no form suits both.
        assert!(matches!(network("two"), Argument::Expr(..)));
        assert_eq!(losses.as_slice().len(), 1);
        assert!(losses.as_slice()[0].message.contains("too late"));
    });
}

#[test]
fn arguments_that_want_more_than_the_id_get_it() {
    let expressed = whole(
        "  net: {type: OS::Neutron::Net}\n  group: {type: OS::Neutron::SecurityGroup}\n  \
         it: {type: OS::Nova::Server, properties: {flavor: tiny, image: {get_param: open}, \
         security_groups: [{get_resource: group}, default]}}\n",
    );
    let server = &expressed.objects[0];
    assert_eq!(text(argument(server, "flavor_name")), "tiny");
    assert!(matches!(argument(server, "image_id"), Argument::NameOrId { .. }));
    let Argument::List(groups) = argument(server, "security_groups") else { panic!() };
    assert_eq!(
        groups[0],
        crate::openstack_provider::catalog::provider_attribute("group", 0, "name")
    );
    assert_eq!(text(&groups[1]), "default");
    let expressed = whole(
        "  ip: {type: OS::Neutron::FloatingIP, properties: {floating_network: out}}\n  \
         it: {type: OS::Neutron::FloatingIPAssociation, properties: {floatingip_id: {get_resource: ip}, port_id: p}}\n",
    );
    let address = argument(&expressed.objects[0], "floating_ip");
    assert_eq!(
        *address,
        crate::openstack_provider::catalog::provider_attribute("ip", 0, "address")
    );
}

#[test]
fn names_are_made_as_heat_makes_them_without_the_random_end() {
    let expressed = whole("  it: {type: OS::Neutron::Net}\n");
    let Argument::Concatenated(parts) = argument(&expressed.objects[0], "name") else { panic!() };
    assert_eq!(parts.len(), 2);
    assert_eq!(text(&parts[1]), "-it");
    let expressed = whole("  it: {type: OS::Neutron::Net, properties: {name: mine}}\n");
    assert_eq!(text(argument(&expressed.objects[0], "name")), "mine");
}

#[test]
fn rules_of_a_security_group_are_objects_of_their_own() {
    let expressed = whole(
        "  it:\n    type: OS::Neutron::SecurityGroup\n    properties:\n      rules:\n      \
         - {protocol: tcp, port_range_min: 22, port_range_max: 22}\n      \
         - {remote_mode: remote_group_id, ethertype: IPv6}\n      - {direction: egress}\n",
    );
    assert_eq!(expressed.objects.len(), 4);
    expressed.objects.iter().for_each(conforms);
    assert_eq!(*argument(&expressed.objects[0], "delete_default_rules"), Argument::Bool(true));
    let first = &expressed.objects[1];
    assert_eq!(first.suffix, "rule_0");
    assert_eq!(text(argument(first, "direction")), "ingress");
    assert_eq!(text(argument(first, "ethertype")), "IPv4");
    assert_eq!(
        *argument(first, "security_group_id"),
        crate::openstack_provider::catalog::provider_attribute("it", 0, "id")
    );
    let second = argument(&expressed.objects[2], "remote_group_id");
    assert_eq!(*second, crate::openstack_provider::catalog::provider_attribute("it", 0, "id"));
}

#[test]
fn the_mode_of_a_rule_decides_which_remote_end_counts() {
    let expressed = whole(
        "  it:\n    type: OS::Neutron::SecurityGroup\n    properties:\n      rules:\n      \
         - {remote_group_id: g, remote_ip_prefix: 192.0.2.0/24}\n      \
         - {remote_mode: remote_group_id, remote_group_id: g, remote_ip_prefix: 192.0.2.0/24}\n      \
         - {remote_mode: {get_param: text}, remote_ip_prefix: 192.0.2.0/24}\n",
    );
    let has = |at: usize, name: &str| {
        expressed.objects[at].arguments.iter().any(|(known, _)| known == name)
    };
    assert!(has(1, "remote_ip_prefix") && !has(1, "remote_group_id"));
    assert!(has(2, "remote_group_id") && !has(2, "remote_ip_prefix"));
    // Only one of the two exists.
    for (at, name) in [(3, "remote_ip_prefix"), (4, "remote_group_id")] {
        assert!(
            has(at, name)
                && matches!(expressed.objects[at].only_if, Some(Argument::Conditional { .. }))
        );
    }
    assert!(!has(3, "remote_group_id") && !has(4, "remote_ip_prefix"));
    assert!(!has(0, "delete_default_rules"));
}

#[test]
fn a_type_or_code_that_the_provider_leaves_out_is_no_rule() {
    let (expressed, losses) = expressed(
        "  it:\n    type: OS::Neutron::SecurityGroup\n    properties:\n      rules:\n      \
         - {protocol: icmp, port_range_min: 8}\n      \
         - {protocol: icmp, port_range_min: 0, port_range_max: 0}\n",
    );
    let expressed = expressed.expect("expressed");
    assert_eq!(expressed.objects.len(), 2);
    // Any code: the provider requires the argument and omits 0.
    assert_eq!(*argument(&expressed.objects[1], "port_range_max"), Argument::Number(0));
    assert!(losses[0].contains("omits an ICMP type"), "{losses:?}");
}

#[test]
fn rules_that_are_computed_are_made_for_each_item() {
    let expressed =
        whole("  it: {type: OS::Neutron::SecurityGroup, properties: {rules: {get_param: list}}}\n");
    let deletes = argument(&expressed.objects[0], "delete_default_rules");
    assert!(matches!(deletes, Argument::AnyIs { key, .. } if key == "direction"), "{deletes:?}");
    let rule = &expressed.objects[1];
    assert!(rule.each.is_some());
    conforms(rule);
    let direction = argument(rule, "direction");
    let Argument::First(values) = direction else { panic!("{direction:?}") };
    assert_eq!(values[0], Argument::Item(vec!["direction".to_owned()]));
    assert_eq!(text(&values[1]), "ingress");
}

#[test]
fn lists_that_are_known_are_as_good_as_written() {
    let expressed = whole(
        "  it:\n    type: OS::Neutron::SecurityGroup\n    properties:\n      rules:\n        repeat:\n          \
         template: {protocol: tcp, port_range_min: <%p%>, port_range_max: <%p%>}\n          \
         for_each: {<%p%>: ['80', '443']}\n",
    );
    assert_eq!(expressed.objects.len(), 3);
    assert_eq!(text(argument(&expressed.objects[2], "port_range_min")), "443");
}

#[test]
fn a_subnet_of_a_server_becomes_a_port() {
    let expressed = whole(
        "  sub: {type: OS::Neutron::Subnet, properties: {network: n, cidr: 10.0.0.0/8}}\n  \
         ip: {type: OS::Neutron::FloatingIP, properties: {floating_network: out}}\n  \
         it:\n    type: OS::Nova::Server\n    properties:\n      flavor: tiny\n      networks:\n      \
         - {network: plain, fixed_ip: 'fe80::1'}\n      \
         - {subnet: {get_resource: sub}, floating_ip: {get_resource: ip}, port_extra_properties: {mac_address: m}}\n",
    );
    let kinds: Vec<&str> = expressed.objects.iter().map(|object| object.kind.as_str()).collect();
    assert_eq!(
        kinds,
        [
            "openstack_compute_instance_v2",
            "openstack_networking_port_v2",
            "openstack_networking_floatingip_associate_v2"
        ]
    );
    expressed.objects.iter().for_each(conforms);
    assert_eq!(names(block(&expressed.objects[0], "network")), ["name", "fixed_ip_v6"]);
    let port = &expressed.objects[1];
    let network = argument(port, "network_id");
    assert_eq!(
        *network,
        crate::openstack_provider::catalog::provider_attribute("sub", 0, "network_id")
    );
    assert_eq!(names(block(port, "fixed_ip")), ["subnet_id"]);
    assert_eq!(text(argument(port, "mac_address")), "m");
}

#[test]
fn devices_are_filled_up_as_heat_does() {
    let expressed = whole(
        "  it:\n    type: OS::Nova::Server\n    properties:\n      flavor: tiny\n      block_device_mapping_v2:\n      \
         - {image: cirros, volume_size: 5, delete_on_termination: true}\n      - {swap_size: 512}\n",
    );
    let Argument::Blocks(blocks) = argument(&expressed.objects[0], "block_device") else {
        panic!()
    };
    let value = |block: usize, name: &str| {
        let found = blocks[block].iter().find(|(there, _)| there == name);
        found.map(|(_, value)| value.clone()).unwrap_or(Argument::Null)
    };
    assert!(matches!(value(0, "uuid"), Argument::Lookup { .. }));
    assert_eq!(value(0, "source_type"), Argument::Text("image".to_owned()));
    assert_eq!(value(0, "boot_index"), Argument::Number(0));
    assert_eq!(value(1, "guest_format"), Argument::Text("swap".to_owned()));
    assert_eq!(value(1, "boot_index"), Argument::Number(-1));
    assert_eq!(value(1, "delete_on_termination"), Argument::Bool(true));
}

#[test]
fn user_data_that_heat_would_wrap_is_a_difference() {
    let server = |more: &str| {
        expressed(&format!(
            "  it: {{type: OS::Nova::Server, properties: {{flavor: tiny{more}}}}}\n"
        ))
    };
    assert_eq!(server("").1, [""; 0]);
    assert_eq!(server(", user_data: x, user_data_format: RAW").1, [""; 0]);
    let (expressed, losses) = server(", user_data: x");
    assert!(losses[0].contains("boot scripts"), "{losses:?}");
    assert_eq!(text(argument(&expressed.expect("expressed").objects[0], "user_data")), "x");
    assert!(server(", user_data_format: {get_param: text}").1[0].contains("not known"));
}

#[test]
fn a_gateway_that_is_a_resource_is_an_argument_of_its_router() {
    let resources = "  it: {type: OS::Neutron::Router}\n  \
         gate: {type: OS::Neutron::RouterGateway, properties: {router_id: {get_resource: it}, network: out}}\n";
    let expressed = whole(resources);
    assert!(matches!(
        argument(&expressed.objects[0], "external_network_id"),
        Argument::Lookup { .. }
    ));
    let gate = resources.replace("it", "r").replace("gate:", "it:");
    let expressed = whole(&gate);
    assert!(expressed.objects.is_empty());
    assert_eq!(
        expressed.reference,
        crate::openstack_provider::catalog::provider_attribute("r", 0, "id")
    );
}

#[test]
fn no_gateway_is_none() {
    let subnet = |gateway: &str| {
        let (expressed, _) = expressed(&format!(
            "  it: {{type: OS::Neutron::Subnet, properties: {{network: n, cidr: c{gateway}}}}}\n"
        ));
        let expressed = expressed.expect("expressed");
        names(&expressed.objects[0].arguments)
            .into_iter()
            .filter(|name| name.contains("gateway"))
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(subnet(""), [""; 0]);
    assert_eq!(subnet(", gateway_ip: ''"), ["no_gateway"]);
    assert_eq!(subnet(", gateway_ip: null"), ["no_gateway"]);
    assert_eq!(subnet(", gateway_ip: auto"), [""; 0]);
    assert_eq!(subnet(", gateway_ip: 10.0.0.1"), ["gateway_ip"]);
}

#[test]
fn what_the_provider_insists_on_is_not_invented() {
    let (expressed, losses) =
        expressed("  it: {type: OS::Cinder::Volume, properties: {snapshot_id: s}}\n");
    assert!(expressed.is_none());
    assert!(losses[0].contains("requires `size`"), "{losses:?}");
}

#[test]
fn values_that_the_provider_does_not_take_are_lost_and_others_are_spelled_its_way() {
    let (_, losses) = expressed(
        "  it: {type: OS::Octavia::Listener, properties: {loadbalancer: l, protocol: PROXY, protocol_port: 1}}\n",
    );
    assert!(losses[0].contains("does not accept `PROXY`"), "{losses:?}");
    let expressed = whole(
        "  it: {type: OS::Manila::Share, properties: {share_protocol: GlusterFS, size: 1}}\n",
    );
    assert_eq!(text(argument(&expressed.objects[0], "share_proto")), "GLUSTERFS");
}

#[test]
fn attributes_are_the_providers_or_a_loss() {
    let template = "\
heat_template_version: 2021-04-16
resources:
  it: {type: OS::Neutron::Port, properties: {network: n}}
outputs:
  one: {value: {get_attr: [it, fixed_ips, 0, ip_address]}}
";
    with_program(&[("root.yaml", template)], &[], &[], |model, _| {
        let mut losses = Losses::default();
        let catalog = ObjectCatalog::new(model, model.root(), &mut losses);
        let output = model.root().stack.outputs["one"].value.as_ref().expect("a value");
        let heat_template::ir::ExprKind::Attribute(requested) = &output.kind else { panic!() };
        let found =
            catalog.attribute("it", "fixed_ips", &requested.path, output.span).expect("reported");
        assert_eq!(found.steps_followed, 2);
        let mac = catalog.attribute("it", "mac_address", &[], output.span).expect("reported");
        assert_eq!(
            mac.value,
            crate::openstack_provider::catalog::provider_attribute("it", 0, "mac_address")
        );
        let lost = catalog.attribute("it", "show", &[], output.span).expect_err("lost");
        assert!(lost.message.contains("raw record"), "{}", lost.message);
        assert!(catalog.attribute("it", "nothing", &[], output.span).is_err());
        assert!(catalog.attribute("other", "name", &[], output.span).is_err());
    });
}
