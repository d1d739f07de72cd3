use super::*;
use crate::testing::{TestDeployment, compared, deployed, pair};
use crate::{EntryStatus, ResourceChange};
use source_diagnostics::SourceMap;

fn resources(old: &TestDeployment, new: &TestDeployment) -> Vec<ResourceChange> {
    let (old, new) = (old.side(), new.side());
    compared(&old, &new).resources
}

fn of_files(old: &[(&str, &str)], new: &[(&str, &str)]) -> Vec<ResourceChange> {
    let mut sources = SourceMap::default();
    resources(&deployed(old, &mut sources), &deployed(new, &mut sources))
}

/// The changes of resources when `OLD` in a template becomes `NEW`.
fn of(text: &str) -> Vec<ResourceChange> {
    let (old, new) = (text.replace("$", "old"), text.replace("$", "new"));
    of_files(&[("root.yaml", &old)], &[("root.yaml", &new)])
}

fn impacts(resources: &[ResourceChange]) -> Vec<(&str, Impact, Impact)> {
    let reported = resources.iter().map(|it| (it.name.as_str(), it.impact, it.effective_impact));
    reported.filter(|(.., effective)| *effective != Impact::None).collect()
}

fn chains(resources: &[ResourceChange]) -> Vec<String> {
    let propagations = resources.iter().flat_map(|resource| &resource.propagations);
    propagations
        .map(|it| format!("{} {:?} {:?}", it.chain.names.join(" → "), it.part, it.impact))
        .collect()
}

use Impact::{MayReplace, Refused, Replace, Update};

#[test]
fn what_refers_to_a_replaced_resource_has_another_value_and_so_on() {
    let found = of("
resources:
  port: {type: OS::Neutron::Port, properties: {network: $}}
  server:
    type: OS::Nova::Server
    properties: {image: i, flavor: f, user_data: {list_join: ['', [x, {get_resource: port}]]}}
  attachment:
    type: OS::Cinder::VolumeAttachment
    properties: {instance_uuid: {get_resource: server}, volume_id: v}
  group:
    type: OS::Nova::ServerGroup
    properties: {name: {get_attr: [server, name]}}
  waits: {type: OS::Neutron::Net, depends_on: port}
");
    assert_eq!(
        impacts(&found),
        [
            ("port", Replace, Replace),
            ("server", Impact::None, Replace),
            ("attachment", Impact::None, Update),
            ("group", Impact::None, MayReplace),
        ]
    );
    assert_eq!(
        chains(&found),
        [
            "port → server Property(\"user_data\") Replace",
            "port → server → attachment Property(\"instance_uuid\") Update",
            "port → server → group Property(\"name\") MayReplace",
        ]
    );
    assert_eq!(found[1].depends_on, ["port"]);
    assert_eq!(found[4].depends_on, ["port"]);
    let propagation = &found[2].propagations[0];
    assert_eq!((propagation.source.as_str(), propagation.source_impact), ("server", Replace));
}

#[test]
fn a_long_chain_names_its_start_and_end() {
    let long = |count: usize| {
        let mut text =
            "resources:\n  r0: {type: OS::Heat::RandomString, properties: {salt: $}}\n".to_owned();
        for at in 1..count {
            let before = at - 1;
            text.push_str(&format!(
                "  r{at}: {{type: OS::Heat::RandomString, properties: {{salt: {{get_resource: r{before}}}}}}}\n"
            ));
        }
        of(&text).remove(count - 1).propagations.remove(0).chain
    };
    let shown = long(10);
    assert_eq!(shown.names.join(" "), "r0 r1 r2 r3 r4 r5 r6 r7 r8 r9");
    assert_eq!(shown.omitted, 0);
    let shown = long(11);
    assert_eq!(shown.names.join(" "), "r0 r1 r2 r3 r4 r6 r7 r8 r9 r10");
    assert_eq!(shown.omitted, 1);
    let shown = long(300);
    assert_eq!(shown.names.join(" "), "r0 r1 r2 r3 r4 r295 r296 r297 r298 r299");
    assert_eq!(shown.omitted, 290);
}

#[test]
fn policies_of_servers_and_conditions_are_heeded() {
    let found = of("
parameters: {no: {type: boolean, default: false}}
conditions: {no: {get_param: no}}
resources:
  port: {type: OS::Neutron::Port, properties: {network: $}}
  server:
    type: OS::Nova::Server
    properties:
      image: i
      flavor: f
      user_data_update_policy: IGNORE
      user_data: {get_resource: port}
  spared:
    type: OS::Nova::Server
    properties: {image: i, flavor: f, user_data: {if: [no, {get_resource: port}, x]}}
");
    assert_eq!(impacts(&found), [("port", Replace, Replace), ("server", Impact::None, Update)]);
}

#[test]
fn a_name_in_the_template_is_no_other_reference() {
    let found = of("
resources:
  wait: {type: OS::Heat::WaitCondition, properties: {handle: $, timeout: 1}}
  config: {type: OS::Heat::CloudConfig, properties: {cloud_config: {p: {get_resource: wait}}}}
");
    assert_eq!(found[0].impact, Replace);
    assert!(found[1].propagations.is_empty(), "{:?}", found[1]);
}

#[test]
fn ids_go_through_nested_stacks_and_groups() {
    let root = |kind: &str| {
        format!(
            "
resources:
  port: {{type: OS::Neutron::Port, properties: {{network: {kind}}}}}
  nest: {{type: inner.yaml, properties: {{id: {{get_resource: port}}, other: x}}}}
  group:
    type: OS::Heat::ResourceGroup
    properties:
      count: 2
      resource_def: {{type: inner.yaml, properties: {{id: {{get_resource: port}}, other: x}}}}
  reader: {{type: OS::Nova::ServerGroup, properties: {{name: {{get_attr: [nest, id]}}}}}}
  all: {{type: OS::Nova::ServerGroup, properties: {{name: {{get_attr: [group, id, 0]}}}}}}
  refs: {{type: OS::Nova::ServerGroup, properties: {{name: {{get_attr: [group, refs, 0]}}}}}}
  no: {{type: OS::Nova::ServerGroup, properties: {{name: {{get_attr: [nest, other]}}}}}}
"
        )
    };
    let inner = "
parameters: {id: {type: string}, other: {type: string}}
resources:
  server:
    type: OS::Nova::Server
    properties: {image: i, flavor: f, user_data: {get_param: id}, name: {get_param: other}}
outputs:
  id: {value: {get_resource: server}}
  other: {value: {get_param: other}}
";
    let (old, new) = (root("old"), root("new"));
    let found = of_files(
        &[("root.yaml", &old), ("inner.yaml", inner)],
        &[("root.yaml", &new), ("inner.yaml", inner)],
    );
    assert_eq!(
        impacts(&found),
        [
            ("port", Replace, Replace),
            ("nest", Impact::None, Update),
            ("nest/server", Impact::None, Replace),
            ("group", Impact::None, Update),
            ("group/0", Impact::None, Update),
            ("group/0/server", Impact::None, Replace),
            ("group/1", Impact::None, Update),
            ("group/1/server", Impact::None, Replace),
            ("reader", Impact::None, Replace),
            ("all", Impact::None, Replace),
        ]
    );
    let reader = found.iter().find(|it| it.name == "reader").expect("there");
    assert_eq!(
        chains(std::slice::from_ref(reader)),
        ["port → nest → nest/server → reader Property(\"name\") Replace"]
    );
    assert_eq!(reader.propagations[0].source, "nest/server");
}

#[test]
fn an_output_that_is_not_known_changes_what_reads_it() {
    let root = "
resources:
  nest: {type: inner.yaml}
  reader: {type: OS::Nova::ServerGroup, properties: {name: {get_attr: [nest, o]}}}
  other: {type: OS::Nova::ServerGroup, properties: {name: {get_attr: [nest, same]}}}
";
    let inner = |what: &str| {
        format!(
            "
resources:
  a: {{type: OS::Neutron::Net}}
  b: {{type: OS::Neutron::Net}}
outputs: {{o: {{value: {{get_resource: {what}}}}}, same: {{value: {{get_resource: a}}}}}}
"
        )
    };
    let (old, new) = (inner("a"), inner("b"));
    let found = of_files(
        &[("root.yaml", root), ("inner.yaml", &old)],
        &[("root.yaml", root), ("inner.yaml", &new)],
    );
    let effective: Vec<_> =
        impacts(&found).into_iter().map(|(name, _, effective)| (name, effective)).collect();
    assert_eq!(effective, [("reader", Replace)]);
}

#[test]
fn forbidden_actions_are_refused_and_go_no_further() {
    let root = |network: &str| {
        format!(
            "
resources:
  port: {{type: OS::Neutron::Port, properties: {{network: {network}}}}}
  server:
    type: OS::Nova::Server
    properties: {{image: i, flavor: f, user_data: {{get_resource: port}}}}
  after: {{type: OS::Nova::ServerGroup, properties: {{name: {{get_resource: server}}}}}}
"
        )
    };
    let env = "resource_registry: {resources: {server: {restricted_actions: replace}}}";
    let (old, new) = (root("old"), root("new"));
    let found = of_files(
        &[("root.yaml", &old), ("env.yaml", env)],
        &[("root.yaml", &new), ("env.yaml", env)],
    );
    assert_eq!(impacts(&found), [("port", Replace, Replace), ("server", Impact::None, Refused)]);
}

#[test]
fn a_value_that_is_passed_on_changes_what_reads_it() {
    let found = of("
resources:
  v: {type: OS::Heat::Value, properties: {value: $}}
  reader: {type: OS::Nova::ServerGroup, properties: {name: {get_attr: [v, value]}}}
  adopted:
    type: OS::Nova::ServerGroup
    external_id: x
    properties: {name: {get_attr: [v, value]}}
");
    assert_eq!(impacts(&found), [("v", Update, Update), ("reader", Impact::None, Replace)]);
}

#[test]
fn a_new_member_changes_the_list_of_all() {
    let root = |count: usize| {
        format!(
            "
parameters: {{n: {{type: number}}}}
resources:
  g:
    type: OS::Heat::ResourceGroup
    properties: {{count: {count}, resource_def: {{type: OS::Neutron::Net}}}}
  all: {{type: OS::Heat::Value, properties: {{value: {{get_attr: [g, attributes, name]}}}}}}
  first: {{type: OS::Heat::Value, properties: {{value: {{get_attr: [g, resource.0.name]}}}}}}
"
        )
    };
    let (old, new) = (root(1), root(2));
    let found = of_files(&[("root.yaml", &old)], &[("root.yaml", &new)]);
    let all = |name: &str| found.iter().find(|it| it.name == name).expect("there").effective_impact;
    assert_eq!((all("all"), all("first")), (Update, Impact::None));
}

// --- attributes of resources that are updated in place --------------------------------------------

const PORT: &str = "
resources:
  port:
    type: OS::Neutron::Port
    properties: {network: n, fixed_ips: [{subnet: s, ip_address: 10.0.0.$}]}
  server:
    type: OS::Nova::Server
    properties:
      image: i
      flavor: f
      user_data: {list_join: ['', [x, {get_attr: [port, fixed_ips, 0, ip_address]}]]}
";

#[test]
fn an_attribute_that_follows_a_property_changes_with_it() {
    let text = PORT.replace("$", "5") + "
  mac: {type: OS::Nova::ServerGroup, properties: {name: {get_attr: [port, mac_address]}}}
  subnet: {type: OS::Nova::ServerGroup, properties: {name: {get_attr: [port, fixed_ips, 0, subnet_id]}}}
  all: {type: OS::Nova::ServerGroup, properties: {name: {get_attr: [port, show]}}}
  id: {type: OS::Nova::ServerGroup, properties: {name: {get_attr: [port, show, id]}}}
";
    let other = text.replace("10.0.0.5", "10.0.0.6");
    let found = of_files(&[("root.yaml", &text)], &[("root.yaml", &other)]);
    assert_eq!(
        impacts(&found),
        [
            ("port", Update, Update),
            ("server", Impact::None, Replace),
            ("all", Impact::None, MayReplace),
        ]
    );
    let propagation = &found[1].propagations[0];
    assert_eq!((propagation.source.as_str(), propagation.source_impact), ("port", Update));
    assert_eq!(
        (propagation.attribute.as_deref(), propagation.is_certain),
        (Some("fixed_ips"), true)
    );
}

#[test]
fn the_service_decides_what_is_not_given_and_how_a_list_is_ordered() {
    let of_ips = |old: &str, new: &str| {
        let whole = |ips: &str| PORT.replace("[{subnet: s, ip_address: 10.0.0.$}]", ips);
        let found = of_files(&[("root.yaml", &whole(old))], &[("root.yaml", &whole(new))]);
        found[1].effective_impact
    };
    assert_eq!(of_ips("[{subnet: s}]", "[{subnet: t}]"), MayReplace);
    assert_eq!(of_ips("[{subnet: s}]", "[{subnet: s, ip_address: 10.0.0.5}]"), MayReplace);
    let one = "[{subnet: s, ip_address: 10.0.0.5}]";
    assert_eq!(of_ips(one, "[{ip_address: 10.0.0.5}]"), Impact::None);
    let two = "[{subnet: s, ip_address: 10.0.0.5}, {subnet: t}]";
    assert_eq!(of_ips(one, two), MayReplace);
}

#[test]
fn changed_attributes_go_on_through_updates_in_place_and_out_of_stacks() {
    let root = "
resources:
  nest: {type: inner.yaml, properties: {name: $}}
  group:
    type: OS::Heat::ResourceGroup
    properties: {count: 2, resource_def: {type: OS::Neutron::Net, properties: {name: $}}}
  passed: {type: OS::Neutron::Net, properties: {name: {get_attr: [nest, name]}}}
  reader: {type: OS::Nova::ServerGroup, properties: {name: {get_attr: [passed, name]}}}
  other: {type: OS::Nova::ServerGroup, properties: {name: {get_attr: [nest, mtu]}}}
  of_group: {type: OS::Nova::ServerGroup, properties: {name: {get_attr: [group, resource.1.name]}}}
  ids: {type: OS::Nova::ServerGroup, properties: {name: {get_attr: [group, refs]}}}
";
    let inner = "
parameters: {name: {type: string}}
resources:
  net: {type: OS::Neutron::Net, properties: {name: {get_param: name}}}
outputs:
  name: {value: {get_attr: [net, name]}}
  mtu: {value: {get_attr: [net, mtu]}}
";
    let side = |value: &str| root.replace("$", value);
    let found = of_files(
        &[("root.yaml", &side("old")), ("inner.yaml", inner)],
        &[("root.yaml", &side("new")), ("inner.yaml", inner)],
    );
    assert_eq!(
        impacts(&found),
        [
            ("nest", Update, Update),
            ("nest/net", Update, Update),
            ("group", Update, Update),
            ("group/0", Update, Update),
            ("group/1", Update, Update),
            ("passed", Impact::None, Update),
            ("reader", Impact::None, Replace),
            ("of_group", Impact::None, MayReplace),
        ]
    );
    let reader = found.iter().find(|it| it.name == "reader").expect("reader");
    assert_eq!(reader.propagations[0].chain.names.join(" "), "nest/net nest passed reader");
}

#[test]
fn updates_of_metadata_and_policies_change_no_attribute() {
    let found = of("
resources:
  net: {type: OS::Neutron::Net, metadata: {a: $}, properties: {name: n}}
  reader: {type: OS::Nova::ServerGroup, properties: {name: {get_attr: [net, name]}}}
");
    assert_eq!(impacts(&found), [("net", Update, Update)]);
}

#[test]
fn properties_in_value_specs_change_the_attributes_of_their_names() {
    let found = of("
resources:
  net: {type: OS::Neutron::Net, properties: {value_specs: {mtu: $, a: b}}}
  mtu: {type: OS::Nova::ServerGroup, properties: {name: {get_attr: [net, mtu]}}}
  status: {type: OS::Nova::ServerGroup, properties: {name: {get_attr: [net, status]}}}
");
    assert_eq!(impacts(&found), [("net", Update, Update), ("mtu", Impact::None, MayReplace)]);
}

#[test]
fn a_long_chain_of_updates_in_place_is_followed_to_its_end() {
    let mut text = "resources:\n  r0: {type: OS::Neutron::Net, properties: {name: $}}\n".to_owned();
    for at in 1..3000 {
        let before = at - 1;
        text.push_str(&format!(
            "  r{at}: {{type: OS::Neutron::Net, properties: {{name: {{get_attr: [r{before}, name]}}}}}}\n"
        ));
    }
    assert!(of(&text).iter().all(|it| it.effective_impact == Update));
}

#[test]
fn outputs_of_the_root_name_what_changes_them() {
    let root = "
resources:
  nest: {type: inner.yaml, properties: {network: $}}
outputs:
  ip: {value: {get_attr: [nest, ip]}}
  id: {value: {get_resource: nest}}
";
    let inner = "
parameters: {network: {type: string}}
resources:
  port: {type: OS::Neutron::Port, properties: {network: {get_param: network}}}
outputs:
  ip: {value: {get_attr: [port, fixed_ips, 0, ip_address]}}
";
    let side = |value: &str| root.replace("$", value);
    let mut sources = SourceMap::default();
    let old = deployed(&[("root.yaml", &side("old")), ("inner.yaml", inner)], &mut sources);
    let new = deployed(&[("root.yaml", &side("new")), ("inner.yaml", inner)], &mut sources);
    let outputs = compared(&old.side(), &new.side()).sections.outputs;
    assert_eq!(outputs.len(), 1);
    assert_eq!((outputs[0].name.as_str(), &outputs[0].change), ("ip", &EntryStatus::Affected));
    let propagation = &outputs[0].propagations[0];
    assert_eq!((propagation.source.as_str(), propagation.source_impact), ("nest/port", Replace));
    assert!(!propagation.is_certain, "the new port may have the same address");
    assert_eq!(propagation.chain.names, ["nest/port", "nest"]);
}

#[test]
fn a_replacement_under_the_same_name_is_not_seen_by_what_refers_to_it() {
    let stack = |key: &str, properties: &str, reference: &str| {
        format!(
            "resources:\n  {key}: {{type: 'OS::Nova::KeyPair', properties: {{{properties}}}}}\n  \
             s: {{type: 'OS::Nova::Server', properties: {{flavor: f, image: i, key_name: {reference}}}}}\n"
        )
    };
    let of_key = |properties: &str| stack("k", properties, "{get_resource: k}");
    let old = of_key("name: ops, public_key: a");
    for (new, expected) in [
        (of_key("name: ops, public_key: b"), Impact::None),
        (of_key("name: dev, public_key: a"), Impact::Replace),
        // The key of another name in the template, and the name itself.
        (stack("other", "name: ops, public_key: a", "{get_resource: other}"), Impact::None),
        (stack("k", "name: ops, public_key: a", "ops"), Impact::None),
        (stack("k", "name: ops, public_key: a", "dev"), Impact::Replace),
    ] {
        let (old, new) = pair(&old, &new);
        let found = compared(&old.side(), &new.side());
        let server = found.resources.iter().find(|it| it.name == "s").expect("the server");
        assert_eq!(server.effective_impact, expected, "{:?}", server.reasons);
    }
}
