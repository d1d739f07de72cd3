//! `hotplate check` for the Heat of another release (`--heat`) and for one's own cloud (`--types`).

use predicates::str::contains;
use serde_json::Value;

use crate::cli::sandbox::Sandbox;

const HOT: &str = "heat_template_version: 2018-08-31\n";

/// A finding: code, line, help.
type Finding = (String, u64, Vec<String>);

fn findings(sandbox: &Sandbox, arguments: &str) -> Vec<Finding> {
    let arguments = format!("check --ignore HP12 --format json {arguments}");
    let output = sandbox.hotplate(arguments.trim_end()).output();
    let report: Value = serde_json::from_slice(&output.expect("hotplate").stdout).expect("JSON");
    let finding = |finding: &Value| {
        let help = finding["help"].as_array().cloned().unwrap_or_default();
        let help = help.iter().filter_map(|it| Some(it.as_str()?.to_owned())).collect();
        let line = finding["place"]["start"]["line"].as_u64().unwrap_or_default();
        (finding["code"].as_str().unwrap_or_default().to_owned(), line, help)
    };
    report["findings"].as_array().expect("findings").iter().map(finding).collect()
}

fn is(sandbox: &Sandbox, arguments: &str, expected: &[(&str, u64)]) {
    let found = findings(sandbox, arguments);
    let places: Vec<(&str, u64)> =
        found.iter().map(|(code, line, _)| (code.as_str(), *line)).collect();
    assert_eq!(places, expected, "{arguments}: {found:?}");
}

#[test]
fn another_release_and_another_cloud() {
    let template = "resources:\n  p:\n    type: OS::Neutron::Trunk\n    properties: {port: p}\n";
    let sandbox = Sandbox::new(&[
        ("t.yaml", format!("{HOT}{template}")),
        ("old.yaml", format!("heat_template_version: 2013-05-23\n{template}")),
        ("types.txt", "| OS::Neutron::Net |\n".to_owned()),
        ("nothing.txt", "nothing\n".to_owned()),
        (
            "own.yaml",
            format!(
                "{HOT}resources:
  a: {{type: Acme::Thing, properties: {{size: 1}}}}
  group:
    type: OS::Heat::ResourceGroup
    properties: {{count: 1, resource_def: {{type: Acme::Other}}}}
outputs:
  o: {{value: {{get_attr: [a, anything]}}}}
"
            ),
        ),
        ("own.txt", "Acme::Thing Acme::Other OS::Heat::ResourceGroup\n".to_owned()),
    ]);
    is(&sandbox, "t.yaml", &[]);
    is(&sandbox, "--heat rocky t.yaml", &[]);
    is(&sandbox, "--heat queens t.yaml", &[("HP1011", 1)]);
    is(&sandbox, "--heat 2014.2 old.yaml", &[("HP1011", 4)]);
    is(&sandbox, "--types types.txt t.yaml", &[("HP1012", 4)]);
    is(&sandbox, "own.yaml", &[("HP0702", 3), ("HP0702", 6)]);
    is(&sandbox, "--types own.txt own.yaml", &[("HP1013", 3), ("HP1013", 6)]);
    let check = |arguments: &str| sandbox.hotplate(&format!("check {arguments}")).assert();
    check("--heat quens t.yaml").code(2).stderr(contains("did you mean `queens`?"));
    check("--types nothing.txt t.yaml")
        .code(2)
        .stderr(contains("no resource types, versions or functions"));
    sandbox.write("bytes.txt", b"OS::Neutron::Net \xff\n");
    check("--types bytes.txt t.yaml").code(2).stderr(contains("bytes.txt: the byte at offset 17"));
}

/// The help of the only finding about the release.
fn advice(arguments: &str, template: &str) -> Vec<String> {
    let sandbox = Sandbox::new(&[("t.yaml", format!("{HOT}{template}"))]);
    let found = findings(&sandbox, &format!("t.yaml {arguments}"));
    let of_release: Vec<_> = found.iter().filter(|(code, ..)| code.starts_with("HP11")).collect();
    match of_release.as_slice() {
        // What `check` itself can write is not about the release.
        [(_, _, help)] => help.iter().filter(|it| !it.starts_with("`--")).cloned().collect(),
        found => panic!("{found:?}"),
    }
}

#[test]
fn findings_carry_the_message_of_heat_and_the_successor() {
    let pool = "resources:\n  a: {type: OS::Neutron::LBaaS::Pool}\n";
    let octavia = ["Heat says: Use octavia instead.", "use the type `OS::Octavia::Pool` instead"];
    assert_eq!(advice("", pool), octavia);
    let port = "resources:\n  a: {type: OS::Neutron::Port, properties: {network_id: n}}\n";
    let network = ["Heat says: Use property network.", "use the property `network` instead"];
    assert_eq!(advice("", port), network);
    // The status of the release has no message, an earlier one has.
    let text = "resources:\n  a: {type: OS::Heat::RandomString, properties: {sequence: digits}}\n";
    let classes = [
        "Heat says: Use property character_classes.",
        "use the property `character_classes` instead",
    ];
    assert_eq!(advice("", text), classes);
    let cluster = "resources:\n  a: {type: OS::Sahara::Cluster}\n";
    assert_eq!(advice("", cluster), ["Heat says: Sahara project was retired"]);
}

#[test]
fn a_service_that_was_retired_later_is_still_there() {
    let cluster = "resources:\n  a: {type: OS::Sahara::Cluster, properties: {x: y}}\n";
    let sandbox = Sandbox::new(&[("t.yaml", format!("{HOT}{cluster}"))]);
    is(&sandbox, "t.yaml", &[("HP1101", 3)]);
    is(&sandbox, "--heat 2024.2 t.yaml", &[("HP1101", 3)]);
    // The facts no longer have its properties.
    is(&sandbox, "--heat 2023.2 t.yaml", &[("HP1013", 3)]);
    is(&sandbox, "--heat 2024.1 t.yaml", &[("HP1102", 3), ("HP1013", 3)]);
}

/// What Heat's classes of these two releases say; the history that the newer one records would not tell.
#[test]
fn a_release_with_facts_of_its_own_is_judged_by_them() {
    let resources = "resources:
  a: {type: OS::Vitrage::Template, properties: {template_file: f, template_params: {}, x: y}}
  b: {type: OS::Neutron::IKEPolicy, properties: {pfs: group31}}
  c: {type: OS::Neutron::SecurityGroup, properties: {stateful: false, rules: [{protocol: none}]}}
";
    let sandbox = Sandbox::new(&[("t.yaml", format!("{HOT}{resources}"))]);
    is(&sandbox, "t.yaml", &[("HP1101", 3), ("HP1004", 5)]);
    is(&sandbox, "--heat 2026.2 t.yaml", &[("HP1101", 3), ("HP1004", 5)]);
    let gazpacho = [("HP1102", 3), ("HP1001", 3), ("HP1004", 4), ("HP1011", 5)];
    is(&sandbox, "--heat 2026.1 t.yaml", &gazpacho);
}

#[test]
fn what_a_later_release_deprecates_existed_before() {
    let server = "resources:\n  a: {type: OS::Nova::Server, properties: {flavor: f, image: i, personality: {a: b}}}\n";
    let sandbox = Sandbox::new(&[("t.yaml", format!("{HOT}{server}"))]);
    is(&sandbox, "--heat stein t.yaml", &[("HP1103", 3)]);
    is(&sandbox, "--heat rocky t.yaml", &[]);
}

#[test]
fn functions_and_keys_of_later_versions_are_findings_of_their_own() {
    let template = "conditions: {c: true}\nresources:\n  a: {type: OS::Heat::Value, condition: c, properties: {value: {list_concat: [[a], [b]]}}}\n";
    let sandbox = Sandbox::new(&[
        ("t.yaml", format!("{HOT}{template}")),
        ("root.yaml", format!("{HOT}resources:\n  n: {{type: t.yaml}}\n")),
    ]);
    is(&sandbox, "--heat rocky t.yaml", &[]);
    is(&sandbox, "--heat ocata t.yaml", &[("HP1011", 1), ("HP1011", 4)]);
    let mitaka = [("HP1011", 1), ("HP1011", 2), ("HP1011", 4), ("HP1011", 4), ("HP1011", 4)];
    is(&sandbox, "--heat mitaka t.yaml", &mitaka);
    // In the nested template, too.
    is(&sandbox, "--heat ocata root.yaml", &[("HP1011", 1), ("HP1011", 1), ("HP1011", 4)]);
}

#[test]
fn lists_of_versions_and_functions() {
    let template =
        "resources:\n  a: {type: OS::Heat::Value, properties: {value: {digest: [md5, a]}}}\n";
    let functions = "get_param get_resource get_attr get_file list_join str_replace resource_facade repeat str_split map_merge";
    let listed = |names: &str| -> String {
        names.split(' ').map(|name| format!("| {name} | A function such as digest. |\n")).collect()
    };
    let sandbox = Sandbox::new(&[
        ("t.yaml", format!("heat_template_version: 2016-04-08\n{template}")),
        ("new.yaml", format!("{HOT}{template}")),
        ("versions.txt", "| heat_template_version.2016-04-08 | hot |  |\n".to_owned()),
        ("without.txt", listed(functions)),
        ("with.txt", listed(&format!("{functions} digest"))),
        ("types.txt", "| OS::Heat::Value |\n".to_owned()),
    ]);
    is(&sandbox, "t.yaml --types versions.txt --types types.txt --types with.txt", &[]);
    is(&sandbox, "new.yaml --types versions.txt", &[("HP1012", 1)]);
    is(&sandbox, "t.yaml --types without.txt", &[("HP1012", 3)]);
    // The list is of another version.
    is(&sandbox, "new.yaml --types with.txt", &[("HP1013", 1)]);
}
