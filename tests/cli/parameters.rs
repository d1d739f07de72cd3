//! `hotplate parameters`: the parameters of a whole deployment, and the environment to fill in.

use predicates::prelude::*;
use predicates::str::{contains, is_empty};
use serde_json::{Value, json};

use crate::cli::sandbox::Sandbox;

const ROOT: &str = "\
heat_template_version: 2018-08-31
parameters:
  image:
    type: string
    label: Image
    description: |
      The image of the servers,
      by name or id.
    constraints: [{custom_constraint: glance.image, description: it must exist}]
  flavor:
    type: string
    default: m1.small
    constraints:
      - allowed_values: [m1.small, m1.large]
  password: {type: string, hidden: true, default: geheim}
  count: {type: number}
  labels: {type: json, default: {tier: front, ports: [80, 443]}}
resources:
  web:
    type: OS::Nova::Server
    properties: {image: {get_param: image}, flavor: {get_param: flavor}, metadata: {get_param: labels}}
  net:
    type: OS::Test::Net
    properties: {size: {get_param: count}}
  members:
    type: OS::Heat::ResourceGroup
    properties:
      count: {get_param: count}
      resource_def:
        type: member.yaml
        properties:
          name: member-%index%
          password: {get_param: password}
outputs:
  image: {value: {get_param: image}}
";

const NET: &str = "\
heat_template_version: 2018-08-31
parameters:
  size: {type: number, constraints: [{range: {min: 1, max: 9}}]}
  cidr: {type: string, description: The addresses}
  mtu: {type: number, default: 1500}
resources:
  net: {type: OS::Neutron::Net, properties: {name: {get_param: cidr}}}
";

const MEMBER: &str = "\
heat_template_version: 2018-08-31
parameters:
  name: {type: string}
  password: {type: string}
  mtu: {type: number, default: 1400}
  zone: {type: string}
resources:
  port: {type: OS::Heat::Value, properties: {value: {get_param: name}}}
";

const ENVIRONMENT: &str = "\
parameters: {image: cirros}
parameter_defaults: {flavor: m1.large}
resource_registry: {'OS::Test::Net': net.yaml}
";

fn sandbox() -> Sandbox {
    Sandbox::new(&[
        ("web.yaml", ROOT),
        ("net.yaml", NET),
        ("member.yaml", MEMBER),
        ("env.yaml", ENVIRONMENT),
    ])
}

fn stdout(sandbox: &Sandbox, arguments: &str) -> String {
    let output = sandbox.hotplate(arguments).assert().code(0).get_output().clone();
    String::from_utf8(output.stdout).expect("text")
}

/// The entry of a parameter in a report, by the path of its template.
fn parameter<'r>(report: &'r Value, path: &[&str], name: &str) -> &'r Value {
    let templates = report["templates"].as_array().expect("templates");
    let template = templates.iter().find(|it| it["path"] == json!(path)).expect("the template");
    let parameters = template["parameters"].as_array().expect("parameters");
    parameters.iter().find(|it| it["name"] == name).expect("the parameter")
}

#[test]
fn every_parameter_of_the_tree_with_its_value_and_its_uses() {
    insta::assert_snapshot!(stdout(&sandbox(), "parameters web.yaml -e env.yaml"), @r#"
    web.yaml: 5 parameters, 1 required
      image: string = "cirros"  # parameters, env.yaml:1
        Image
        The image of the servers,
        by name or id.
        custom_constraint: "glance.image" (it must exist)
        used at web.yaml:21, web.yaml:35
      flavor: string = "m1.large"  # parameter_defaults, env.yaml:2
        default: "m1.small"
        allowed_values: ["m1.small","m1.large"]
        used at web.yaml:21
      password: string, hidden = "******"  # default
        used at web.yaml:33
      count: number, required
        used at web.yaml:24, web.yaml:28
      labels: json = {"tier":"front","ports":[80,443]}  # default
        used at web.yaml:21

    net (net.yaml), nested at web.yaml:23: 3 parameters, 1 required
      size: number = {"get_param":"count"}  # property, web.yaml:24
        range: {"min":1,"max":9}
        not used by name
      cidr: string, required
        The addresses
        used at net.yaml:7
      mtu: number = 1500  # default
        not used by name

    members (member.yaml), nested at web.yaml:30: 4 parameters, 1 required
      name: string = "member-0"  # property, web.yaml:32
        used at member.yaml:8
      password: string, hidden = "******"  # property, web.yaml:33
        not used by name
      mtu: number = 1400  # default
        not used by name
      zone: string, required
        not used by name
    "#);
}

#[test]
fn the_report_has_the_place_of_every_value_and_use() {
    let report = sandbox().json("parameters web.yaml -e env.yaml --format json", 0);
    let line = |place: &Value| place["start"]["line"].as_u64();
    let image = parameter(&report, &[], "image");
    assert_eq!(image["origin"]["kind"], "parameters");
    assert_eq!(image["origin"]["place"]["path"], "env.yaml");
    assert_eq!(image["constraints"][0]["kind"], "custom_constraint");
    assert_eq!(image["constraints"][0]["description"], "it must exist");
    let uses = image["uses"].as_array().expect("uses");
    assert_eq!(uses.iter().map(line).collect::<Vec<_>>(), [Some(21), Some(35)]);
    let password = parameter(&report, &[], "password");
    assert_eq!((&password["default"], &password["value"]), (&json!("******"), &json!("******")));
    assert_eq!((&password["hidden"], &password["required"]), (&json!(true), &json!(false)));
    let name = parameter(&report, &["members"], "name");
    assert_eq!(
        (name["origin"]["kind"].as_str(), &name["value"]),
        (Some("property"), &json!("member-0"))
    );
    assert_eq!(line(&name["origin"]["place"]), Some(32));
    let zone = parameter(&report, &["members"], "zone");
    assert_eq!(
        (&zone["required"], &zone["origin"]),
        (&json!(true), &json!({"kind": "none", "place": null}))
    );
    assert_eq!(report["templates"][2]["nested_at"]["start"]["line"], 30);
}

#[test]
fn the_origin_is_the_value_that_counts() {
    let sandbox = sandbox();
    sandbox.write("more.yaml", "parameters: {image: null, flavor: m1.small}\nparameter_defaults: {mtu: 9000, cidr: 10.0.0.0/8}\n");
    sandbox.write("image.txt", "debian");
    sandbox.write("types.yaml", "resource_registry: {'OS::Test::Net': net.yaml}\n");
    let origins = |arguments: &str| {
        let report = sandbox.json(&format!("parameters web.yaml {arguments} --format json"), 0);
        let origin = |path: &[&str], name| {
            let found = parameter(&report, path, name);
            (found["origin"]["kind"].as_str().map(str::to_owned), found["value"].clone())
        };
        [
            origin(&[], "image"),
            origin(&[], "flavor"),
            origin(&["net"], "cidr"),
            origin(&["net"], "mtu"),
        ]
    };
    let given = |kind: &str, value: Value| (Some(kind.to_owned()), value);
    assert_eq!(
        origins("-e env.yaml -e more.yaml"),
        [
            given("parameters", json!("cirros")),
            given("parameters", json!("m1.small")),
            given("parameter_defaults", json!("10.0.0.0/8")),
            given("parameter_defaults", json!(9000)),
        ]
    );
    assert_eq!(
        origins("-e types.yaml -P flavor=m1.small --parameter-file image=image.txt"),
        [
            given("parameter_file", json!("debian")),
            given("argument", json!("m1.small")),
            given("none", json!(null)),
            given("default", json!(1500)),
        ]
    );
}

#[test]
fn a_resource_that_a_condition_disables_nests_nothing() {
    let sandbox = sandbox();
    sandbox.write(
        "web.yaml",
        "heat_template_version: 2018-08-31
parameters: {wanted: {type: boolean, default: false}, sure: {type: boolean}}
conditions: {wanted: {get_param: wanted}, sure: {get_param: sure}}
resources:
  a: {type: net.yaml, condition: wanted}
  b: {type: net.yaml, condition: sure}
",
    );
    let paths = |arguments: &str| -> Vec<Value> {
        let report = sandbox.json(&format!("parameters web.yaml --format json{arguments}"), 0);
        let templates = report["templates"].as_array().expect("templates");
        templates.iter().map(|template| template["path"].clone()).collect()
    };
    assert_eq!(paths(""), [json!([]), json!(["b"])], "nothing decides the second condition");
    assert_eq!(paths(" -P wanted=true"), [json!([]), json!(["a"]), json!(["b"])]);
    assert_eq!(paths(" -P sure=false"), [json!([])]);
}

#[test]
fn an_environment_to_fill_in() {
    let sandbox = sandbox();
    let new = stdout(&sandbox, "parameters web.yaml -e env.yaml --new-environment");
    insta::assert_snapshot!(new, @r#"
    # The parameters of web.yaml.
    # Fill in the required ones; remove `# ` from another one to change its value.

    parameters:
      # required: number
      count:

      # string, has a value (parameters, env.yaml:1)
      # Image
      # The image of the servers,
      # by name or id.
      # custom_constraint: glance.image (it must exist)
      # image: cirros

      # string, has a value (parameter_defaults, env.yaml:2)
      # allowed_values: [m1.small, m1.large]
      # flavor: m1.large

      # string, hidden
      # password:

      # json
      # labels:
      #   tier: front
      #   ports:
      #     - 80
      #     - 443

    parameter_defaults:
      # required: string
      # The addresses
      # for net (net.yaml)
      cidr:

      # required: string
      # for members (member.yaml)
      zone:

      # number
      # for net (net.yaml), members (member.yaml)
      # mtu: 1500
    "#);
    // It can be read as it is, and says what is missing.
    sandbox.write("new.yaml", &new);
    let missing = sandbox.hotplate("check web.yaml -e env.yaml -e new.yaml --format json").assert();
    let report: Value = serde_json::from_slice(&missing.code(1).get_output().stdout).expect("JSON");
    let errors = report["findings"].as_array().expect("findings").iter();
    let errors: Vec<&str> = errors
        .filter(|finding| finding["severity"] == "error")
        .filter_map(|finding| finding["message"].as_str())
        .collect();
    assert_eq!(
        errors,
        [
            "the parameter `count` has neither a value nor a default",
            // Whether the group has members is not known without it.
            "the property `cidr` is required",
        ]
    );
    let filled = new.replace("count:", "count: 2").replace("cidr:", "cidr: 10.0.0.0/8");
    sandbox.write("new.yaml", filled.replace("zone:", "zone: nova"));
    let filled = "parameters web.yaml -e env.yaml -e new.yaml --format json";
    let report = sandbox.json(filled, 0);
    assert_eq!(parameter(&report, &["members"], "zone")["value"], "nova");
    assert_eq!(parameter(&report, &[], "count")["value"], json!(2));
    let all = report["templates"].as_array().expect("templates").iter();
    let all = all.flat_map(|template| template["parameters"].as_array().expect("parameters"));
    assert_eq!(all.filter(|parameter| parameter["required"] == true).count(), 0);
    sandbox.hotplate("check web.yaml -e env.yaml -e new.yaml").assert().code(0);
}

/// Removes the marks of comments that contain entries.
fn uncommented(environment: &str) -> String {
    let entry = |line: &str| {
        let text = line.trim_start().strip_prefix("# ").unwrap_or_default();
        text.starts_with(' ') || text.starts_with("p_") || text == "parameters:"
    };
    let lines = environment.lines().map(|line| match line.split_once("# ") {
        Some((indent, rest)) if entry(line) => format!("{indent}{rest}\n"),
        _ => format!("{line}\n"),
    });
    lines.collect()
}

#[test]
fn an_uncommented_default_changes_nothing() {
    let sandbox = Sandbox::new(&[(
        "odd.yaml",
        "heat_template_version: 2018-08-31
parameters:
  p_text: {type: string, default: \"yes\"}
  p_lines: {type: string, default: \"a: b\\n# c\\n\\n  d\\u2028e\\x07\", description: \"x\\u2028y\\r\\nparameters: {z: 1}\\n\\tw\"}
  p_number: {type: number, default: 0x10}
  p_list: {type: comma_delimited_list, default: [a, 'b, c', '']}
  p_map: {type: json, default: {'#': [null, {}, []], 'k: v': 1e3, 2: 3}}
  p_date: {type: string, default: 2020-01-01}
  p_false: {type: boolean, default: off, constraints: [{allowed_values: [on, off]}]}
",
    )]);
    let new = stdout(&sandbox, "parameters odd.yaml --new-environment");
    sandbox.write("new.yaml", &new);
    let values = |arguments: &str, kind: &str| {
        let report = sandbox.json(&format!("parameters odd.yaml {arguments} --format json"), 0);
        let parameters = report["templates"][0]["parameters"].as_array().expect("a list").iter();
        let values = parameters.map(|it| {
            assert_eq!(it["origin"]["kind"], kind, "{new}");
            it["value"].clone()
        });
        values.collect::<Vec<_>>()
    };
    let defaults = values("-e new.yaml", "default");
    sandbox.write("all.yaml", uncommented(&new));
    assert_eq!(values("-e all.yaml", "parameters"), defaults);
}

#[test]
fn no_value_of_a_hidden_parameter_is_shown() {
    let sandbox = sandbox();
    sandbox
        .write("secret.yaml", "parameters: {password: hunter2}\nencrypted_param_names: [image]\n");
    for options in ["", " --format json", " --new-environment"] {
        let command = format!("parameters web.yaml -e env.yaml -e secret.yaml{options}");
        let hidden = || contains("geheim").or(contains("hunter2")).or(contains("cirros")).not();
        sandbox.hotplate(&command).assert().code(0).stdout(hidden()).stderr(hidden());
    }
}

#[test]
fn what_cannot_be_listed_is_reported() {
    let sandbox = sandbox();
    sandbox.write(
        "web.yaml",
        "heat_template_version: 2018-08-31
parameters: {text: {type: string}}
resources:
  remote: {type: OS::Heat::Stack, properties: {template: {get_param: text}}}
  inline:
    type: OS::Heat::Stack
    properties: {template: {get_file: net.yaml}, parameters: {size: 1}}
  missing: {type: missing.yaml}
",
    );
    let report = sandbox.json("parameters web.yaml --format json", 1);
    let messages: Vec<&str> = report["diagnostics"]
        .as_array()
        .expect("findings")
        .iter()
        .filter_map(|finding| finding["message"].as_str())
        .collect();
    assert!(
        messages.iter().any(|it| it.contains("the parameters below `remote` are not listed")),
        "{messages:?}"
    );
    assert_eq!(parameter(&report, &["inline"], "size")["origin"]["kind"], "property");
    assert_eq!(parameter(&report, &["inline"], "cidr")["required"], true);
    sandbox.hotplate("parameters missing.yaml").assert().code(2).stdout(is_empty());
    sandbox.hotplate("parameters env.yaml --new-environment").assert().code(2).stdout(is_empty());
    sandbox.hotplate("parameters web.yaml --new-environment --format json").assert().code(2);
    sandbox.write("empty.yaml", "heat_template_version: 2018-08-31\n");
    sandbox
        .hotplate("parameters empty.yaml")
        .assert()
        .code(0)
        .stdout("empty.yaml: no parameters\n");
}
