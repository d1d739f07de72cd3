//! Tests of matching a deployment with existing objects.

use crate::Losses;
use crate::openstack_provider::ObjectCatalog;
use crate::openstack_provider::adopt::{Adoption, GroupMember, ObjectImport, adopt};
use crate::testing::with_program;
use lossless_yaml::Limits;
use saved_stack::SavedStackFiles;
use source_files::MemoryFiles;

fn adoption(files: &[(&str, &str)], saved: &str) -> Adoption {
    let disk: MemoryFiles = [("saved.json", saved)].into_iter().collect();
    let saved = SavedStackFiles::of_paths(&["saved.json".into()], &disk, &Limits::default());
    let saved = saved.expect("readable");
    let mut out = Adoption::default();
    with_program(files, &["where=v9"], &[], |model, _| {
        let mut losses = Losses::default();
        let units = model.modules.iter();
        let catalogs: Vec<ObjectCatalog<'_>> =
            units.map(|unit| ObjectCatalog::new(model, unit, &mut losses)).collect();
        out = adopt(model, &catalogs, &saved);
    });
    out
}

/// An import as `path/resource.object[index] = id`.
fn line(import: &ObjectImport) -> String {
    let index = |member: &Option<GroupMember>| {
        member.as_ref().map(|it| format!("[{}]", it.name)).unwrap_or_default()
    };
    let steps = import.path.iter().map(|step| format!("{}{}/", step.resource, index(&step.member)));
    let path: String = steps.collect();
    let ObjectImport { resource, object, id, .. } = import;
    format!("{path}{resource}.{object}{} = {id}", index(&import.member))
}

const ROOT: &str = "\
heat_template_version: 2021-04-16
parameters:
  where: {type: string}
resources:
  net: {type: OS::Neutron::Net}
  group: {type: OS::Neutron::SecurityGroup, properties: {rules: [{protocol: tcp}]}}
  server: {type: OS::Nova::Server, properties: {flavor: tiny}}
  attached: {type: OS::Cinder::VolumeAttachment, properties: {instance_uuid: {get_resource: server}, volume_id: {get_param: where}}}
  secret: {type: OS::Barbican::Secret}
  face: {type: OS::Neutron::RouterInterface, properties: {router: r, subnet: s}}
  other: {type: OS::Neutron::RouterInterface, properties: {router: r, port: p}}
  nodes: {type: OS::Heat::ResourceGroup, properties: {count: 2, resource_def: {type: node.yaml}}}
  disks: {type: OS::Heat::ResourceGroup, properties: {count: 2, resource_def: {type: OS::Cinder::Volume, properties: {size: 1}}}}
  late: {type: OS::Neutron::Net}
";
const NODE: &str = "\
heat_template_version: 2021-04-16
resources:
  port: {type: OS::Neutron::Port, properties: {network: n}}
";

#[test]
fn every_kind_of_resource_is_found_in_a_list() {
    let row = |stack: &str, name: &str, id: &str| {
        format!(
            r#"{{"stack_name": "{stack}", "resource_name": "{name}", "physical_resource_id": "{id}"}}"#
        )
    };
    let rows = [
        row("s", "net", "n1"),
        row("s", "group", "g1"),
        row("s", "server", "v1"),
        row("s", "attached", "a1"),
        row("s", "secret", "http://keys/v1/secrets/k1"),
        row("s", "face", "r1:subnet_id=s1"),
        row("s", "other", "r1:port_id=p1"),
        row("s", "nodes", "x1"),
        row("s", "disks", "x2"),
        row("s-nodes-aaaaaaaaaaaa", "1", "x4"),
        row("s-nodes-aaaaaaaaaaaa", "0", "x3"),
        row("s-nodes-aaaaaaaaaaaa-0-bbbbbbbbbbbb", "port", "p0"),
        row("s-nodes-aaaaaaaaaaaa-1-cccccccccccc", "port", "p9"),
        row("s-disks-dddddddddddd", "0", "d0"),
        row("s-disks-dddddddddddd", "1", "d1"),
    ];
    let saved = format!("[{}]", rows.join(","));
    let found = adoption(&[("root.yaml", ROOT), ("node.yaml", NODE)], &saved);
    let lines: Vec<String> = found.imports.iter().map(line).collect();
    assert_eq!(
        lines,
        [
            "net.0 = n1",
            "group.0 = g1",
            "server.0 = v1",
            "attached.0 = v1/v9",
            "secret.0 = k1",
            "other.0 = p1",
            "nodes[0]/port.0 = p0",
            "nodes[1]/port.0 = p9",
            "disks.0[0] = d0",
            "disks.0[1] = d1",
        ]
    );
    let findings: Vec<&str> = found.findings.iter().map(|it| it.message.as_str()).collect();
    assert_eq!(findings.len(), 3, "{findings:?}");
    assert!(findings[0].contains("`group`") && findings[0].contains("secgroup_rule"));
    assert!(findings[1].contains("`face`") && findings[1].contains("only the subnet"));
    let left_out = found.omitted.iter().map(|it| format!("{}.{}", it.resource, it.object));
    assert_eq!(left_out.collect::<Vec<_>>(), ["group.1", "face.0"]);
    assert!(findings[2].contains("`late`") && findings[2].contains("not in the file"));
}

#[test]
fn ids_beside_the_resource_are_made_of_its_own() {
    let root = "\
heat_template_version: 2021-04-16
parameters:
  where: {type: string}
resources:
  sub: {type: OS::Neutron::Subnet, properties: {network: n, cidr: c, host_routes: [{destination: 10.0.0.0/8, nexthop: 10.0.0.1}]}}
";
    let saved = r#"{"resources": {"sub": {"resource_id": "s1", "type": "OS::Neutron::Subnet"}}}"#;
    let found = adoption(&[("root.yaml", root)], saved);
    let lines: Vec<String> = found.imports.iter().map(line).collect();
    assert_eq!(lines, ["sub.0 = s1", "sub.1 = s1-route-10.0.0.0/8-10.0.0.1"]);
    assert!(found.findings.is_empty());
}
