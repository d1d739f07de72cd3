//! `eval` with environments, files and nested stacks.

use predicates::prelude::*;
use predicates::str::contains;
use serde_json::json;

use crate::cli::sandbox::Sandbox;

const ROOT: &str = "\
heat_template_version: rocky
parameters:
  size: {type: number, default: 1}
  password: {type: string, hidden: true, default: hunter2}
resources:
  group:
    type: OS::Heat::ResourceGroup
    properties:
      count: {get_param: size}
      resource_def:
        type: Web::Server
        properties: {name: web-%index%, password: {get_param: password}, tags: [a, b]}
outputs:
  names: {value: {get_attr: [group, name]}}
";

const SERVER: &str = "\
heat_template_version: rocky
parameters:
  name: {type: string}
  password: {type: string, constraints: [{length: {max: 100}}]}
  tags: {type: comma_delimited_list}
resources:
  config: {type: OS::Heat::SoftwareConfig, properties: {config: {get_file: boot.sh}}}
outputs:
  name: {value: {list_join: ['+', {get_param: tags}, [{get_param: name}]]}}
";

fn sandbox() -> Sandbox {
    Sandbox::new(&[
        ("root.yaml", ROOT),
        (
            "env/prod.yaml",
            "parameters: {size: 2}\nresource_registry: {'Web::Server': server.yaml}\n",
        ),
        ("env/server.yaml", SERVER),
        ("env/boot.sh", "#!/bin/sh\n"),
    ])
}

#[test]
fn nested_stacks_are_in_their_resources() {
    let sandbox = sandbox();
    let report = sandbox.json("eval root.yaml -e env/prod.yaml --nested --format json", 0);
    let member = &report["resources"]["group"]["nested"]["resources"]["1"];
    assert_eq!(member["type"], "Web::Server");
    assert_eq!(member["nested"]["parameters"]["name"], "web-1");
    assert_eq!(member["nested"]["parameters"]["tags"], json!(["a", "b"]));
    assert_eq!(member["nested"]["resources"]["config"]["properties"]["config"], "#!/bin/sh\n");
    let template = member["nested"]["template"].as_str().expect("a URL");
    assert!(template.starts_with("file:///") && template.ends_with("/env/server.yaml"));
    assert_eq!(report["outputs"]["names"]["value"], json!(["a+b+web-0", "a+b+web-1"]));
    // If the client merges, parameters of the command line precede those of environments.
    let command = "eval root.yaml -e env/prod.yaml -P size=0 --merge client --nested --format json";
    let report = sandbox.json(command, 0);
    assert_eq!(report["resources"]["group"]["nested"]["resources"], json!({}));
    sandbox
        .hotplate("eval root.yaml -e env/prod.yaml --nested")
        .assert()
        .code(0)
        .stdout(contains("\nstack /group/1 (file:///").and(contains("  name: \"web-1\"\n")));
}

#[test]
fn without_nested_the_tree_ends_at_the_root() {
    let report = sandbox().json("eval root.yaml -e env/prod.yaml --format json", 0);
    assert_eq!(report["resources"]["group"].get("nested"), None);
}

#[test]
fn secrets_are_masked_in_every_stack() {
    let sandbox = sandbox();
    let shown = |options: &str| {
        let command = format!("eval root.yaml -e env/prod.yaml --nested{options}");
        let output = sandbox.hotplate(&command).assert().code(0).get_output().clone();
        let text = [output.stdout, output.stderr].concat();
        String::from_utf8(text).expect("text").contains("hunter2")
    };
    for format in ["", " --format json", " --format yaml", " --fill"] {
        assert!(!shown(format), "{format}");
        assert!(shown(&format!("{format} --show-secrets")), "{format}");
    }
}

#[test]
fn a_secret_that_violates_a_constraint_of_a_child_is_not_in_the_finding() {
    let sandbox = sandbox();
    sandbox.write("env/server.yaml", SERVER.replace("max: 100", "max: 3"));
    for format in ["text", "json"] {
        sandbox
            .hotplate(&format!("eval root.yaml -e env/prod.yaml --nested --format {format}"))
            .assert()
            .code(1)
            .stdout(contains("hunter2").not())
            .stderr(
                contains("the hidden value of parameter `password` violates its `length`")
                    .and(contains("hunter2").not()),
            );
    }
}

#[test]
fn what_cannot_be_read_is_found_and_the_rest_goes_on() {
    let sandbox = sandbox();
    sandbox.write("env/prod.yaml", "resource_registry: {'Web::Server': missing.yaml}\n");
    let assert =
        sandbox.hotplate("eval root.yaml -e env/prod.yaml --nested --format json").assert().code(1);
    let output = assert.get_output();
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(report["resources"]["group"]["nested"]["resources"]["0"]["type"], "Web::Server");
    let found = String::from_utf8_lossy(&output.stderr);
    assert!(found.contains("missing.yaml"), "{found}");
    let report = sandbox.json("eval env/boot.sh --format json", 2);
    assert_eq!(report["ok"], false);
    assert_eq!(report["errors"][0]["stage"], "load");
}

#[test]
fn env_of_nothing_is_wrong_usage() {
    let nothing = Sandbox::new::<&str>(&[]);
    nothing.hotplate("env").assert().code(2).stdout("").stderr(contains("expected a template"));
}

#[test]
fn standard_input_is_one_side_of_a_comparison_at_most() {
    let files = Sandbox::new(&[("root.yaml", "heat_template_version: rocky\n")]);
    let both = files.hotplate("diff - -").write_stdin("heat_template_version: rocky\n").assert();
    both.code(2).stdout("").stderr(contains("only one of the templates"));
    let mut one = files.hotplate("diff - root.yaml");
    one.write_stdin("heat_template_version: pike\n")
        .assert()
        .code(0)
        .stdout(contains("no differences"));
}

#[test]
fn heats_limit_of_resources_holds_for_the_whole_tree() {
    let group = |count: usize, inner: &str| {
        format!(
            "{{type: OS::Heat::ResourceGroup, properties: {{count: {count}, resource_def: {inner}}}}}"
        )
    };
    let text = "{type: OS::Heat::RandomString}";
    let template = |group: String| {
        format!(
            "heat_template_version: rocky\nresources:\n  few: {{type: OS::Heat::RandomString}}\n  all: {group}\n"
        )
    };
    let bomb = template(group(900, &group(900, &group(900, text))));
    let just = template(group(498, text)) + &format!("  more: {}\n", group(499, text));
    let sandbox = Sandbox::new(&[("bomb.yaml", &bomb), ("just.yaml", &just)]);
    for command in [
        "eval --nested bomb.yaml",
        "diff just.yaml bomb.yaml",
        "render --target terraform bomb.yaml",
        "render --target mermaid bomb.yaml",
        "eval --nested just.yaml --max-resources 999",
    ] {
        let output = sandbox.hotplate(command).assert().code(1).get_output().clone();
        let told = [output.stdout, output.stderr].concat();
        let told = String::from_utf8_lossy(&told);
        assert!(told.contains("that `--max-resources` allows"), "{command}\n{told}");
    }
    sandbox.hotplate("eval --nested just.yaml").assert().code(0);
}

/// Each way in which output can grow, with its limit; the commands must report the limit instead of exhausting
/// the memory.
#[test]
fn what_targets_make_of_functions_ends_at_the_limit() {
    let head = "heat_template_version: 2018-08-31\nparameters: {p: {type: string}}\n";
    // Each text occurs twenty times in the enclosing one.
    let mut text = "{get_param: p}".to_owned();
    for _ in 0..12 {
        text =
            format!("{{str_replace: {{template: {}, params: {{$x: {text}}}}}}}", "$x".repeat(20));
    }
    let resource =
        format!("resources: {{r: {{type: OS::Heat::Value, properties: {{value: {text}}}}}}}\n");
    let sandbox = Sandbox::new(&[("t.yaml", &format!("{head}{resource}"))]);
    for target in ["terraform", "terraform-json", "ansible"] {
        let command = format!("render --target {target} t.yaml");
        let output = sandbox.hotplate(&command).assert().failure().get_output().clone();
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(told.contains("error[HP0710]"), "{command}\n{told}");
        assert!(told.contains("that `--max-values` allows"), "{command}\n{told}");
        assert!(output.stdout.is_empty(), "{command}");
    }
}

#[test]
fn a_text_that_is_read_as_json_counts_for_what_it_may_hold() {
    let text = format!("[{}1]", "1,".repeat(20_000));
    let head = format!(
        "heat_template_version: 2013-05-23\nparameters: {{p: {{type: string, default: '{text}'}}}}\n"
    );
    let items = ["{'Fn::Select': [0, {get_param: p}]}"].repeat(500).join(", ");
    let resource =
        format!("resources: {{r: {{type: OS::Heat::Value, properties: {{value: [{items}]}}}}}}\n");
    let sandbox = Sandbox::new(&[("t.yaml", &format!("{head}{resource}"))]);
    let output = sandbox.hotplate("eval t.yaml").assert().failure().get_output().clone();
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(told.contains("that `--max-values` allows"), "{told}");
    sandbox.hotplate("eval t.yaml --max-values 50000000").assert().success();
}

#[test]
fn values_that_grow_end_at_the_limit() {
    let head = "heat_template_version: 2018-08-31\n";
    let value = |value: &str| {
        format!("resources: {{r: {{type: OS::Heat::Value, properties: {{value: {value}}}}}}}\n")
    };
    let text = format!("parameters: {{p: {{type: string, default: {}}}}}\n", "x".repeat(100_000));
    let list = format!("parameters: {{p: {{type: json, default: [{}]}}}}\n", "1,".repeat(10_000));
    let many = |one: &str| format!("[{}]", [one].repeat(6_000).join(", "));
    let named = format!("{head}{text}{}", value(&many("{get_param: p}")));
    let joined = format!("{head}{text}{}", value(&many("{list_join: ['', [{get_param: p}]]}")));
    let lists =
        format!("{head}{list}{}", value(&format!("{{list_concat: {}}}", many("{get_param: p}"))));
    let split = format!("{head}{text}{}", value(&many("{str_split: [x, {get_param: p}]}")));
    let small = format!("{head}{}", value("a"));
    for bomb in [&named, &joined, &lists, &split] {
        let sandbox = Sandbox::new(&[("bomb.yaml", bomb), ("small.yaml", &small)]);
        for command in [
            "eval bomb.yaml",
            "diff small.yaml bomb.yaml",
            "render --target terraform --bake bomb.yaml",
        ] {
            let output = sandbox.hotplate(command).assert().failure().get_output().clone();
            let told = [output.stdout, output.stderr].concat();
            assert!(told.len() < 100_000, "{command}: {} bytes", told.len());
            let told = String::from_utf8_lossy(&told);
            assert!(told.contains("that `--max-values` allows"), "{command}\n{told}");
        }
        sandbox.hotplate("eval small.yaml --max-values 100").assert().code(0);
    }
    // Values pass between nested stacks, multiplied by a hundred each time.
    let child = format!(
        "{head}parameters: {{v: {{type: json}}}}\noutputs: {{o: {{value: [{}]}}}}\n",
        ["{get_param: v}"].repeat(100).join(", ")
    );
    let mut chain =
        format!("{head}resources:\n  r0: {{type: child.yaml, properties: {{v: [1]}}}}\n");
    for at in 1..7 {
        let before = at - 1;
        chain.push_str(&format!(
            "  r{at}: {{type: child.yaml, properties: {{v: {{get_attr: [r{before}, o]}}}}}}\n"
        ));
    }
    let sandbox =
        Sandbox::new(&[("bomb.yaml", &chain), ("child.yaml", &child), ("small.yaml", &small)]);
    for command in ["eval --nested bomb.yaml", "diff small.yaml bomb.yaml"] {
        let output = sandbox.hotplate(command).assert().failure().get_output().clone();
        let told = [output.stdout, output.stderr].concat();
        let told = String::from_utf8_lossy(&told);
        assert!(told.contains("that `--max-values` allows"), "{command}\n{told}");
    }
}
