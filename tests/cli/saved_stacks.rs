//! What OpenStack's client prints of a stack that runs, as a side of `diff`, `eval` and `render`.

use predicates::prelude::*;
use predicates::str::contains;

use crate::cli::sandbox::Sandbox;

/// What `openstack stack export` prints of a stack with 10 in its environment, an included template, a resource that its template lacks,
/// one that failed, and a group from which member 0 was removed.
const EXPORT: &str = r#"{
  "name": "web",
  "id": "6f70656e-0000-4100-8000-000000000001",
  "action": "CREATE",
  "status": "COMPLETE",
  "template": {
    "heat_template_version": "2018-08-31",
    "parameters": {
      "size": {"type": "number", "default": 5},
      "password": {"type": "string", "hidden": true}
    },
    "resources": {
      "data": {"type": "OS::Cinder::Volume", "properties": {"size": {"get_param": "size"}, "image": "small"}},
      "net": {"type": "OS::Neutron::Net", "properties": {"name": "front"}},
      "router": {"type": "OS::Neutron::Router"},
      "face": {"type": "OS::Neutron::RouterInterface", "properties": {"router": {"get_resource": "router"}, "subnet": "6f70656e-0000-4100-8000-000000000020"}},
      "group": {"type": "OS::Neutron::SecurityGroup", "properties": {"rules": [{"protocol": "tcp", "port_range_min": 22, "port_range_max": 22}]}},
      "nodes": {"type": "OS::Heat::ResourceGroup", "properties": {"count": 2, "resource_def": {"type": "file:///gone/node.yaml", "properties": {"name": "node-%index%"}}}}
    }
  },
  "environment": {"parameters": {"size": 10, "password": "VALUE"}},
  "files": {"file:///gone/node.yaml": "heat_template_version: 2018-08-31\nparameters:\n  name: {type: string}\nresources:\n  port: {type: OS::Neutron::Port, properties: {name: {get_param: name}, network: front}}\n"},
  "resources": {
    "data": {"name": "data", "resource_id": "volume-1", "type": "OS::Cinder::Volume", "action": "CREATE", "status": "COMPLETE",
      "metadata": {}, "resource_data": {"key": "s3cr3t"}},
    "net": {"name": "net", "resource_id": "net-1", "type": "OS::Neutron::Net", "action": "UPDATE", "status": "FAILED"},
    "router": {"name": "router", "resource_id": "router-1", "type": "OS::Neutron::Router", "action": "CREATE", "status": "COMPLETE"},
    "face": {"name": "face", "resource_id": "router-1:subnet_id=subnet-1", "type": "OS::Neutron::RouterInterface", "action": "CREATE", "status": "COMPLETE"},
    "group": {"name": "group", "resource_id": "group-1", "type": "OS::Neutron::SecurityGroup", "action": "CREATE", "status": "COMPLETE"},
    "extra": {"name": "extra", "resource_id": "net-2", "type": "OS::Neutron::Net", "action": "CREATE", "status": "COMPLETE"},
    "nodes": {"name": "web-nodes-abcdefghij23", "id": "stack-1", "resources": {
      "1": {"name": "web-nodes-abcdefghij23-1-abcdefghij23", "id": "stack-2", "resources": {
        "port": {"name": "port", "resource_id": "port-1", "type": "OS::Neutron::Port", "action": "CREATE", "status": "COMPLETE"}}},
      "2": {"name": "web-nodes-abcdefghij23-2-abcdefghij23", "id": "stack-3", "resources": {
        "port": {"name": "port", "resource_id": "port-2", "type": "OS::Neutron::Port", "action": "CREATE", "status": "COMPLETE"}}}
    }}
  }
}
"#;

const PORTS: &str = r#"[{"ID": "port-9", "Name": "", "MAC Address": "fa:16:3e:00:00:01", "Device Owner": "network:router_interface",
  "Fixed IP Addresses": [{"subnet_id": "subnet-1", "ip_address": "10.0.0.1"}]}]"#;

const RULES: &str = r#"[
  {"ID": "rule-1", "IP Protocol": "tcp", "Ethertype": "IPv4", "IP Range": "0.0.0.0/0", "Port Range": "22:22", "Direction": "ingress", "Security Group": "group-1"},
  {"ID": "rule-2", "IP Protocol": "tcp", "Ethertype": "IPv4", "IP Range": "0.0.0.0/0", "Port Range": "80:80", "Direction": "ingress", "Security Group": "group-1"},
  {"ID": "rule-3", "IP Protocol": null, "Ethertype": "IPv4", "IP Range": "0.0.0.0/0", "Port Range": "", "Direction": "egress", "Security Group": "group-1"}
]"#;

fn sandbox(password: &str) -> Sandbox {
    let export = EXPORT.replace("VALUE", password);
    let template = "heat_template_version: 2018-08-31\nparameters:\n  size: {type: number, default: 5}\nresources:\n  data: \
                    {type: OS::Cinder::Volume, properties: {size: {get_param: size}, image: small}}\n  net: {type: \
                    OS::Neutron::Net, properties: {name: front}}\n";
    Sandbox::new(&[
        ("stack.json", export.as_str()),
        ("new.yaml", template),
        ("ports.json", PORTS),
        ("rules.json", RULES),
        ("half.json", &export[..export.len() / 2]),
        ("other.json", "{\"a\": 1}"),
        ("types.json", "{\"template\": [], \"resources\": {}}"),
    ])
}

#[test]
fn an_update_keeps_the_environment_of_the_stack_that_runs() {
    let sandbox = sandbox("s3cr3t");
    let output = sandbox.hotplate("diff stack.json new.yaml").assert().code(1);
    let output = output.stdout(contains("s3cr3t").not()).stderr(contains("--existing"));
    // The size is 10 on both sides, not 5 on one of them.
    let report = String::from_utf8(output.get_output().stdout.clone()).expect("UTF-8");
    assert!(!report.contains("size: "), "{report}");
    assert!(report.contains("router") && report.contains("nodes"), "{report}");
    // What runs and no template has, and what failed.
    let output = sandbox.hotplate("diff stack.json new.yaml --verbose").assert().code(1);
    output.stderr(
        contains("`extra` (OS::Neutron::Net) runs")
            .and(contains("UPDATE_FAILED"))
            .and(contains("saved data is not used: `key` of `data`"))
            .and(contains("s3cr3t").not()),
    );
    // Other inputs of the update take the place of the environment.
    let output = sandbox.hotplate("diff stack.json new.yaml -P size=11").assert().code(1);
    output.stdout(contains("size: 10 → 11"));
}

#[test]
fn values_of_the_stack_are_kept_and_cleared() {
    let sandbox = sandbox("s3cr3t");
    sandbox.write("other.yaml", "parameter_defaults: {other: 1}\n");
    // The size is 10 in the stack, and 5 in the template.
    for (options, shown, is_shown) in [
        ("", "size: ", false),
        ("-e other.yaml", "size: 10 → 5", true),
        ("-e other.yaml --existing", "size: ", false),
        ("--existing --clear-parameter size", "size: 10 → 5", true),
        ("--existing --clear-parameter size -P size=12", "size: 10 → 12", true),
        ("--existing --clear-parameter absent", "size: ", false),
    ] {
        let output = sandbox.hotplate(&format!("diff stack.json new.yaml {options}")).assert();
        let note = "--clear-parameter absent: stack.json has no value of it";
        let output = output.stderr(contains(note).count(usize::from(options.contains("absent"))));
        let report = String::from_utf8(output.get_output().stdout.clone()).expect("UTF-8");
        assert_eq!(report.contains(shown), is_shown, "{options}: {report}");
    }
    // The same template, as a stack in the place of the new one.
    let command = "diff stack.json stack.json --existing --clear-parameter size";
    sandbox.hotplate(command).assert().stdout(contains("size: 10 → 5"));
    let refused = sandbox.hotplate("diff new.yaml new.yaml --existing").assert().code(2);
    refused.stderr(contains("name one as the old side"));
    sandbox.hotplate("diff stack.json new.yaml --clear-parameter size").assert().code(2);
}

#[test]
fn values_come_from_the_environment_the_files_and_the_ids() {
    let sandbox = sandbox("s3cr3t");
    let output = sandbox.hotplate("eval stack.json --nested").assert();
    output.stdout(
        contains("size: 10")
            .and(contains("router: \"router-1\""))
            .and(contains("name: \"node-1\""))
            .and(contains("s3cr3t").not()),
    );
}

#[test]
fn values_that_heat_withholds_are_not_values() {
    let sandbox = sandbox("******");
    let output = sandbox.hotplate("eval stack.json").assert();
    output.stderr(contains("does not contain the value of the hidden parameter `password`"));
    sandbox.hotplate("eval stack.json -P password=x").assert().stdout(contains("size: 10"));
}

#[test]
fn the_default_of_a_withheld_value_is_not_the_value() {
    let sandbox = sandbox("******");
    let with_default = "\"password\": {\"type\": \"string\", \"default\": \"d\", \"hidden\": true}";
    let used = "\"properties\": {\"name\": {\"get_param\": \"password\"}}";
    let stack = sandbox
        .text("stack.json")
        .replace("\"password\": {\"type\": \"string\", \"hidden\": true}", with_default)
        .replace("\"OS::Neutron::Router\"}", &format!("\"OS::Neutron::Router\", {used}}}"));
    sandbox.write("stack.json", &stack);
    let template = "heat_template_version: 2018-08-31\nparameters:\n  password: {type: string, default: d, hidden: true}\nresources:\n  \
                    router: {type: OS::Neutron::Router, properties: {name: {get_param: password}}}\n";
    sandbox.write("same.yaml", template);
    let kept = sandbox.hotplate("diff stack.json same.yaml --existing --stat").assert();
    kept.stdout(contains("router ").not());
    // The running stack has a password, and gets the default.
    let mut cleared =
        sandbox.hotplate("diff stack.json same.yaml --existing --clear-parameter password --stat");
    cleared.assert().code(1).stdout(contains("router "));
}

#[test]
fn a_saved_stack_is_rendered_with_what_it_has() {
    let sandbox = sandbox("s3cr3t");
    let command = "render stack.json -t terraform --adopt ports.json --adopt rules.json -o tf";
    let output = sandbox.hotplate(command).assert();
    output.stderr(
        contains("`extra` (OS::Neutron::Net) runs")
            .and(contains("rules that its template does not have: rule-2"))
            .and(contains("s3cr3t").not()),
    );
    let values = sandbox.text("tf/terraform.tfvars");
    assert!(values.contains("size       = 10") && !values.contains("s3cr3t"), "{values}");
    let imports = sandbox.text("tf/imports.tf");
    for id in ["volume-1", "net-1", "router-1", "port-9", "group-1", "rule-1", "port-1", "port-2"] {
        assert!(imports.contains(&format!("\"{id}\"")), "{id} in {imports}");
    }
    let main = sandbox.text("tf/main.tf");
    // Heat made up the name of the volume and not that of the network; an import does not read the image.
    assert!(main.contains("ignore_changes  = [image_id, name, volume_retype_policy]"), "{main}");
    assert!(main.contains("prevent_destroy = true"), "{main}");
}

#[test]
fn a_group_keeps_the_members_that_it_has() {
    let sandbox = sandbox("s3cr3t");
    let export = sandbox.text("stack.json");
    // With the members that the template would create now, the number stays the template's.
    let regular = export.replace("\"2\": {\"name\"", "\"0\": {\"name\"");
    assert_ne!(export, regular);
    let regular = Sandbox::new(&[("stack.json", regular.as_str())]);
    for (sandbox, repeated, name, import) in [
        (&sandbox, "for_each = toset([\"1\", \"2\"])", "node-${each.key}", "module.nodes[\"2\"]."),
        (&regular, "count    = 2", "node-${count.index}", "module.nodes[0]."),
    ] {
        sandbox.hotplate("render stack.json -t terraform -o tf").assert().code(0);
        let main = sandbox.text("tf/main.tf");
        let compact = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(compact(&main).contains(&compact(repeated)), "{main}");
        assert!(main.contains(name), "{main}");
        assert!(sandbox.text("tf/imports.tf").contains(import));
    }
}

#[test]
fn pulumi_imports_and_protects() {
    let sandbox = sandbox("s3cr3t");
    let command = "render stack.json -t pulumi --adopt ports.json --adopt rules.json -o out";
    let output = sandbox.hotplate(command).assert();
    output.stderr(contains("`nodes_0_port` is not adopted completely"));
    let program = sandbox.text("out/Pulumi.yaml");
    for id in ["volume-1", "net-1", "router-1", "port-9", "group-1", "rule-1", "port-1"] {
        let options = format!("import: {id}\n      protect: true\n");
        assert!(program.contains(&options), "{id} in {program}");
    }
    let ignored = "ignoreChanges:\n        - imageId\n        - name\n";
    assert!(program.contains(ignored), "{program}");
    assert!(sandbox.text("out/Pulumi.web.yaml").contains("size"));
}

#[test]
fn what_is_not_a_saved_stack_is_refused() {
    let sandbox = sandbox("s3cr3t");
    for (name, reason) in [
        ("half.json", "is it complete?"),
        ("other.json", "contains nothing of a saved stack"),
        ("types.json", "`template`, which is not a map"),
    ] {
        let command = format!("render new.yaml -t terraform --adopt {name}");
        let output = sandbox.hotplate(&command).assert().code(2).stderr(contains(reason));
        output.stderr(contains("s3cr3t").not());
    }
    sandbox.hotplate("diff types.json new.yaml").assert().code(2).stderr(contains("HP0911"));
    sandbox.hotplate("diff half.json new.yaml").assert().code(2).stderr(contains("s3cr3t").not());
    let output = sandbox.hotplate("render stack.json -t cfn").assert();
    output.stderr(contains("the target `cfn` cannot adopt what runs"));
}

#[test]
fn a_folder_without_a_saved_stack_is_refused_and_a_broken_file_in_one_is_reported() {
    let list = r#"[{"resource_name": "net", "physical_resource_id": "net-1", "resource_type": "OS::Neutron::Net", "stack_name": "web"}]"#;
    let template =
        "heat_template_version: 2018-08-31\nresources:\n  net: {type: OS::Neutron::Net}\n";
    let sandbox = Sandbox::new(&[
        ("a.yaml", template),
        ("notes/other.txt", "no stack"),
        ("saved/resources.json", list),
        ("saved/half.json", "{\"template\": {"),
    ]);
    let render =
        |folder: &str| sandbox.hotplate(&format!("render a.yaml -t terraform --adopt {folder}"));
    let refused = render("notes").assert().code(2).stdout("");
    refused.stderr(contains("HP0911").and(contains("contains nothing of a saved stack")));
    let output = render("saved").assert().code(0);
    output
        .stdout(contains("\"net-1\""))
        .stderr(contains("half.json` in the folder cannot be read"));
}

/// A stack whose update failed, with a group that was scaled, and what the services of the cloud list.
fn drifted() -> Sandbox {
    let export = EXPORT
        .replace("\"action\": \"CREATE\",\n  \"status\": \"COMPLETE\",", "\"action\": \"UPDATE\",\n  \"status\": \"FAILED\",")
        .replace("\"resource_id\": \"router-1\"", "\"resource_id\": null")
        .replace("\"1\": {\"name\"", "\"0\": {\"name\": \"m\", \"id\": \"stack-4\", \"resources\": {}},\n      \"1\": {\"name\"")
        .replace(
            "\"router\": {\"type\": \"OS::Neutron::Router\"},",
            "\"router\": {\"type\": \"OS::Neutron::Router\"},\n      \"late\": {\"type\": \"OS::Neutron::Router\"},",
        );
    Sandbox::new(&[
        ("web/stack.json", export.as_str()),
        ("web/ports.json", PORTS),
        (
            "web/volumes.json",
            r#"[{"ID": "volume-1", "Name": "web-data-x", "Status": "error", "Size": 12, "Attached to": []}]"#,
        ),
        ("web/networks.json", r#"[{"ID": "net-1", "Name": "renamed", "Subnets": []}]"#),
        ("web/groups.json", r#"[{"ID": "of-others", "Name": "default", "Description": ""}]"#),
        ("web/rules.json", "[]"),
        ("web/images.json", "[]"),
    ])
}

#[test]
fn each_difference_between_what_runs_and_its_template_is_reported() {
    let sandbox = drifted();
    let everywhere = [
        "the stack `web` is in the state UPDATE_FAILED",
        "`net` (OS::Neutron::Net) is in the state UPDATE_FAILED",
        "`extra` (OS::Neutron::Net) runs, and the template does not have it",
        "`router` (OS::Neutron::Router) has no ID",
        "`nodes` (OS::Heat::ResourceGroup) has 3 members, and the template makes 2",
        "`data` (OS::Cinder::Volume) is in the state error in the cloud",
        "`data` (OS::Cinder::Volume) has size `12` in the cloud, and the template has `10`",
        "`net` (OS::Neutron::Net) has name `renamed` in the cloud, and the template has `front`",
        "`extra` (OS::Neutron::Net) is not in the list of the cloud that has others of its type",
        "groups.json` has none of the objects of the stack",
        "saved data is not used: `key` of `data`",
    ];
    for (command, missing) in [
        ("eval web", "`late` (OS::Neutron::Router) is in the template and does not run"),
        (
            "diff web web --verbose",
            "`late` (OS::Neutron::Router) is in the template and does not run",
        ),
        (
            "render web -t terraform -o tf",
            "`late` is not adopted completely: it is not in the file",
        ),
        ("render web -t pulumi -o up", "`late` is not adopted completely: it is not in the file"),
    ] {
        let output = sandbox.hotplate(command).assert();
        let output = output.get_output();
        let shown = [output.stdout.as_slice(), output.stderr.as_slice()].concat();
        let shown = String::from_utf8(shown).expect("UTF-8");
        let shown = shown.split_whitespace().collect::<Vec<_>>().join(" ");
        for wanted in everywhere.iter().chain([&missing]) {
            assert!(shown.contains(wanted), "{command}: {wanted}\nin {shown}");
        }
        // A member that was removed or added is no difference by itself, and a list without rows says nothing.
        assert!(!shown.contains("`nodes/2`"), "{command}: {shown}");
        assert!(!shown.contains("rules.json") && !shown.contains("images.json"), "{shown}");
    }
}

#[test]
fn a_folder_has_one_stack_and_says_what_it_lacks() {
    let list = r#"[{"resource_name": "net", "physical_resource_id": "n", "resource_type": "OS::Neutron::Net", "stack_name": "web"},
        {"resource_name": "many", "physical_resource_id": "m", "resource_type": "OS::Heat::ResourceGroup", "stack_name": "web"}]"#;
    let template = "heat_template_version: 2018-08-31\nresources:\n  net: {type: OS::Neutron::Net}\n  many: {type: OS::Heat::ResourceGroup, \
                    properties: {count: 2, resource_def: {type: OS::Neutron::Net}}}\n";
    let other = list.replace("web", "db");
    let show = r#"{"stack_name": "NAME", "stack_status": "UPDATE_FAILED", "parameters": {}}"#;
    let [web, db] = ["web", "db"].map(|name| show.replace("NAME", name));
    for (files, status, message) in [
        (
            vec![("b.json", list), ("c.json", other.as_str())],
            2,
            "are both lists of resources; name one stack",
        ),
        (
            vec![("b.json", list), ("z.json", db.as_str())],
            2,
            "describes the stack `db`, and the resources are those of `web`",
        ),
        (
            vec![("z.json", list), ("b.json", db.as_str())],
            2,
            "describes the stack `db`, and the resources are those of `web`",
        ),
        (
            vec![("b.json", list), ("z.json", web.as_str())],
            0,
            "the stack `web` is in the state UPDATE_FAILED",
        ),
        (
            vec![("z.json", list), ("b.json", web.as_str())],
            0,
            "the stack `web` is in the state UPDATE_FAILED",
        ),
        (vec![("b.json", list)], 0, "the resources of the nested stack of `many` were not saved"),
        (
            vec![("b.json", web.as_str())],
            0,
            "does not contain the resources of the stack: what runs is unknown",
        ),
    ] {
        let named: Vec<(String, &str)> =
            files.iter().map(|(name, text)| (format!("saved/{name}"), *text)).collect();
        let mut all: Vec<(&str, &str)> =
            named.iter().map(|(name, text)| (name.as_str(), *text)).collect();
        all.push(("saved/a.yaml", template));
        let output = Sandbox::new(&all).hotplate("eval saved --nested").assert().code(status);
        output.stderr(contains(message));
    }
}

#[test]
fn what_remains_when_a_stack_is_deleted_has_the_policy_and_nothing_else_changes() {
    let template = "heat_template_version: 2018-08-31\n# what stays\nresources:\n  data:  # the data\n    type: OS::Cinder::Volume\n    \
                    deletion_policy: Snapshot\n    properties: {size: 1}\n  inner: {type: inner.yaml}\n  nodes: {type: \
                    OS::Heat::ResourceGroup, properties: {resource_def: {type: inner.yaml}}}\n  chain: {type: OS::Heat::ResourceChain, \
                    properties: {resources: [inner.yaml, OS::Neutron::Net]}}\n  many: {type: OS::Heat::AutoScalingGroup, properties: \
                    {min_size: 1, max_size: 2, resource: {type: OS::Nova::KeyPair, properties: {name: a}}}}\n  secret: {type: \
                    OS::Heat::RandomString}\n";
    let inner = "heat_template_version: 2018-08-31\nresources:\n  net: {type: OS::Neutron::Net}\n";
    let sandbox = Sandbox::new(&[("a.yaml", template), ("inner.yaml", inner)]);
    let output = sandbox.hotplate("render a.yaml -t hot --retain -o a2.yaml").assert().code(0);
    output.stderr(
        contains("HP0917")
            .and(contains("the nested stack of `many` stays in Heat"))
            .and(contains("the nested stack of `chain` stays in Heat"))
            .and(contains("`nodes`").not())
            .and(contains("`inner`").not()),
    );
    let retained = sandbox.text("a2.yaml");
    assert_eq!(retained.matches("deletion_policy: Retain").count(), 3, "{retained}");
    assert!(retained.contains("# what stays") && retained.contains("# the data"), "{retained}");
    assert!(!retained.contains("Snapshot"), "{retained}");
    // Without the policies, both are the same.
    let without: String = retained
        .lines()
        .filter(|line| !line.contains("deletion_policy"))
        .map(|line| format!("{line}\n"))
        .collect();
    sandbox.write("b.yaml", &without);
    sandbox.write("a.yaml", template.replace("    deletion_policy: Snapshot\n", ""));
    sandbox.hotplate("diff a.yaml b.yaml").assert().code(0).stdout(contains("no differences"));
    let refused = sandbox.hotplate("render a.yaml -t terraform --retain").assert().code(2);
    refused.stderr(contains("the target `terraform` has no deletion policies"));
}

#[test]
fn a_saved_stack_is_rendered_as_hot() {
    let sandbox = sandbox("s3cr3t");
    let output = sandbox.hotplate("render stack.json -t hot --retain").assert().code(0);
    output.stdout(
        contains("heat_template_version: 2018-08-31").and(contains("deletion_policy: Retain")),
    );
    sandbox.hotplate("render types.json -t hot").assert().code(2).stderr(contains("HP0911"));
}

#[test]
fn a_target_without_ids_says_what_it_finds_and_what_it_creates_again() {
    let sandbox = sandbox("s3cr3t");
    let output = sandbox.hotplate("render stack.json -t ansible -o out").assert();
    output.stderr(
        contains("the target `ansible` takes no IDs").and(contains("`net`, `nodes/1/port`")).and(
            contains("creates again what has a name that Heat made up: `data`, `router`, `group`"),
        ),
    );
    for target in ["cfn", "shell", "heat-cfn"] {
        let command = format!("render new.yaml -t {target} --adopt stack.json");
        let refused = sandbox.hotplate(&command).assert().code(2);
        refused.stderr(contains(format!("the target `{target}` cannot adopt existing resources (`--adopt`): its result creates them again")));
    }
}

/// Two nested stacks of one template, a group, and objects whose names Heat made up.
const NAMELESS: [(&str, &str); 3] = [
    (
        "a.yaml",
        "heat_template_version: 2018-08-31\nresources:\n  data: {type: OS::Cinder::Volume, properties: {size: 1}}\n  net: {type: \
         OS::Neutron::Net}\n  one: {type: inner.yaml}\n  other: {type: inner.yaml}\n  many: {type: OS::Heat::ResourceGroup, \
         properties: {count: 2, resource_def: {type: OS::Neutron::Net}}}\n",
    ),
    (
        "inner.yaml",
        "heat_template_version: 2018-08-31\nresources:\n  same: {type: OS::Neutron::Net}\n  apart: {type: OS::Neutron::Net}\n",
    ),
    (
        "list.json",
        r#"[
        {"resource_name": "data", "physical_resource_id": "v0", "resource_type": "OS::Cinder::Volume", "stack_name": "web"},
        {"resource_name": "net", "physical_resource_id": "n0", "resource_type": "OS::Neutron::Net", "stack_name": "web"},
        {"resource_name": "one", "physical_resource_id": "s1", "resource_type": "inner.yaml", "stack_name": "web"},
        {"resource_name": "other", "physical_resource_id": "s2", "resource_type": "inner.yaml", "stack_name": "web"},
        {"resource_name": "many", "physical_resource_id": "s3", "resource_type": "OS::Heat::ResourceGroup", "stack_name": "web"},
        {"resource_name": "same", "physical_resource_id": "n1", "resource_type": "OS::Neutron::Net", "stack_name": "web-one-abcdefghij23"},
        {"resource_name": "apart", "physical_resource_id": "n2", "resource_type": "OS::Neutron::Net", "stack_name": "web-one-abcdefghij23"},
        {"resource_name": "same", "physical_resource_id": "n3", "resource_type": "OS::Neutron::Net", "stack_name": "web-other-abcdefghij23"},
        {"resource_name": "apart", "physical_resource_id": "n4", "resource_type": "OS::Neutron::Net", "stack_name": "web-other-abcdefghij23"},
        {"resource_name": "0", "physical_resource_id": "n5", "resource_type": "OS::Neutron::Net", "stack_name": "web-many-abcdefghij23"},
        {"resource_name": "1", "physical_resource_id": "n6", "resource_type": "OS::Neutron::Net", "stack_name": "web-many-abcdefghij23"}
    ]"#,
    ),
];

#[test]
fn names_of_the_cloud_take_the_place_of_those_that_heat_made_up() {
    let names = ["web-net-x", "same", "apart-1", "same", "apart-2", "many-0", "many-1"];
    let networks: Vec<String> = names
        .iter()
        .enumerate()
        .map(|(index, name)| format!(r#"{{"ID": "n{index}", "Name": "{name}", "Subnets": []}}"#))
        .collect();
    let networks = format!("[{}]", networks.join(", "));
    let mut files = NAMELESS.to_vec();
    files.push(("networks.json", &networks));
    let sandbox = Sandbox::new(&files);
    let render = |target: &str, out: &str, lists: &str| {
        let command = format!("render a.yaml -t {target} --adopt list.json{lists} -o {out}");
        sandbox.hotplate(&command).assert().code(0);
    };
    let compact = |file: &str| sandbox.text(file).split_whitespace().collect::<Vec<_>>().join(" ");
    render("terraform", "with", " --adopt networks.json");
    let main = compact("with/main.tf");
    // Without a list of volumes, their name is ignored as before; so are those of a group, which has one definition.
    for wanted in [
        "ignore_changes = [name, volume_retype_policy] prevent_destroy = true",
        "name = \"web-net-x\" lifecycle { prevent_destroy = true }",
        "lifecycle { ignore_changes = [name] prevent_destroy = true }",
    ] {
        assert!(main.contains(wanted), "{wanted} in {main}");
    }
    // What all instances of a template have is written; what differs is ignored.
    let inner = compact("with/modules/inner/main.tf");
    let [apart, same] = ["\"apart\"", "\"same\""]
        .map(|it| inner.find(&format!("\"openstack_networking_network_v2\" {it}")));
    let (same, apart) = inner.split_at(apart.max(same).expect("two networks"));
    assert!(same.contains("name = \"same\"") && !same.contains("ignore_changes"), "{inner}");
    assert!(apart.contains("ignore_changes = [name]"), "{inner}");
    render("terraform", "without", "");
    assert!(!compact("without/main.tf").contains("web-net-x"));
    // Pulumi has each instance by itself.
    render("pulumi", "program", " --adopt networks.json");
    let program = sandbox.text("program/Pulumi.yaml");
    for name in names {
        assert!(program.contains(&format!("name: {name}\n")), "{name} in {program}");
    }
    assert_eq!(program.matches("- name\n").count(), 1, "{program}");
}

#[test]
fn the_new_template_of_a_saved_stack_can_be_standard_input() {
    let sandbox = sandbox("s3cr3t");
    let from_file = sandbox.hotplate("diff --name-only stack.json new.yaml").assert().code(1);
    let names = String::from_utf8(from_file.get_output().stdout.clone()).expect("UTF-8");
    let template = sandbox.read("new.yaml");
    sandbox
        .hotplate("diff --name-only stack.json -")
        .write_stdin(template)
        .assert()
        .code(1)
        .stdout(names);
}
