//! `hotplate env` as called from a shell.

use std::fs;
use std::path::Path;

use assert_cmd::Command;
use predicates::prelude::*;
use predicates::str::{contains, is_empty};
use serde_json::{Value, json};

const TEMPLATE: &str = "\
heat_template_version: 2018-08-31
parameters:
  flavor: {type: string, default: m1.tiny}
  password: {type: string, hidden: true, default: template-secret}
  tags: {type: json, default: {}}
resources:
  web: {type: My::Server}
";

/// A folder with files.
fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(path, text).expect("a file");
    }
    folder
}

fn env(folder: &Path, arguments: &str) -> Command {
    let mut command = Command::cargo_bin("hotplate").expect("the binary");
    command.env_remove("CLICOLOR_FORCE").current_dir(folder);
    command.arg("env").args(arguments.split_whitespace());
    command
}

fn report(folder: &Path, arguments: &str, status: i32) -> Value {
    let output = env(folder, &format!("{arguments} --format json")).assert().code(status);
    serde_json::from_slice(&output.get_output().stdout).expect("JSON")
}

fn codes(report: &Value) -> Vec<&str> {
    let findings = report["diagnostics"].as_array().expect("findings").iter();
    findings.map(|finding| finding["code"].as_str().expect("a code")).collect()
}

#[test]
fn every_value_tells_where_it_is_from_and_what_it_overrode() {
    let folder = folder(&[
        ("web.yaml", TEMPLATE),
        ("lib/server.yaml", "heat_template_version: pike\nparameters: {size: {type: number}}\n"),
        (
            "base.yaml",
            "parameters:\n  flavor: m1.small\nparameter_defaults:\n  tags: {a: 1}\n  size: 1\n",
        ),
        (
            "prod.yaml",
            "parameter_merge_strategies: {}\nparameters:\n  flavor: m1.large\nresource_registry:\n  My::Server: lib/server.yaml\n",
        ),
        ("tags.yaml", "parameter_defaults:\n  tags: {b: 2}\n  size: 2\n  unknown: 3\n"),
    ]);
    let mut command =
        env(folder.path(), "-q -e base.yaml -e prod.yaml -e tags.yaml -P flavor=m1.nano web.yaml");
    let output = String::from_utf8(command.unwrap().stdout).expect("text");
    insta::assert_snapshot!(output, @r#"
    parameters:
      flavor: "m1.large"  # prod.yaml:3
        overrides "m1.small"  # base.yaml:2
        overrides "m1.nano"  # -P
    parameter_defaults:
      tags: {"b":2}  # tags.yaml:2
        overrides {"a":1}  # base.yaml:4
      size: 2  # tags.yaml:3
        overrides 1  # base.yaml:5
    resource_registry:
      My::Server: "lib/server.yaml"  # prod.yaml:5
    "#);
}

#[test]
fn secrets_are_masked_in_values_and_excerpts() {
    let folder = folder(&[
        ("web.yaml", TEMPLATE),
        (
            "e.yaml",
            "parameters:\n  password: env-secret\n  flavor: api-token\nencrypted_param_names: [flavor]\n",
        ),
        ("f.yaml", "parameters: {password: null, other: 1}\n"),
    ]);
    for format in ["text", "json"] {
        let arguments =
            format!("-e e.yaml -e f.yaml -P password=arg-secret --format {format} web.yaml");
        let hidden = || contains("-secret").not().and(contains("api-token").not());
        env(folder.path(), &arguments)
            .assert()
            .code(0)
            .stdout(contains("******").and(hidden()))
            .stderr(hidden());
        env(folder.path(), &format!("{arguments} --show-secrets"))
            .assert()
            .stdout(contains("env-secret").and(contains("api-token")).and(contains("arg-secret")));
    }
}

#[test]
fn nothing_outside_is_read_and_nothing_is_fetched() {
    let folder = folder(&[
        ("t/web.yaml", TEMPLATE),
        (
            "t/e.yaml",
            "resource_registry:\n  My::Server: ../lib/server.yaml\n  My::Other: http://h/t/o.yaml\n",
        ),
        ("lib/server.yaml", "heat_template_version: pike\n"),
    ]);
    let here = folder.path().join("t");
    let refused = report(&here, "-e e.yaml web.yaml", 1);
    assert_eq!(codes(&refused), ["HP0502", "HP0501"]);
    let help = json!(["`--allow-path ../lib` allows reading it"]);
    assert_eq!(refused["diagnostics"][1]["help"], help);
    // The current folder may be read if it contains the template.
    let read = report(folder.path(), "-e t/e.yaml t/web.yaml", 1);
    assert_eq!(codes(&read), ["HP0502"]);
    let read = report(
        folder.path(),
        "-e t/e.yaml --allow-path lib --files-map http://h/t/=lib --files-map http://h/t/o.yaml=lib/server.yaml t/web.yaml",
        0,
    );
    assert_eq!(codes(&read), [""; 0]);
    assert_eq!(read["files"], json!(["lib/server.yaml", "http://h/t/o.yaml"]));
}

#[test]
fn what_cannot_be_read_is_told_and_the_rest_goes_on() {
    let folder = folder(&[
        ("web.yaml", TEMPLATE),
        ("list.yaml", "- a\n"),
        ("good.yaml", "parameters: {flavor: x, flavour: y}\n"),
        ("wrong.yaml", "paramters: {}\nevent_sinks: [{type: mail}]\nresource_registry: {A: 5}\n"),
    ]);
    let one = report(folder.path(), "-e list.yaml -e missing.yaml -e good.yaml web.yaml", 2);
    assert_eq!(codes(&one), ["HP0503", "HP0001", "HP0514"]);
    assert_eq!(one["environment"]["parameters"], json!({"flavor": "x", "flavour": "******"}));
    let two = report(folder.path(), "-e wrong.yaml web.yaml", 1);
    assert_eq!(codes(&two), ["HP0504", "HP0506", "HP0505"]);
    let three = report(folder.path(), "-e good.yaml missing.yaml", 2);
    assert_eq!(codes(&three), ["HP0001"]);
    env(folder.path(), "-P flavor web.yaml").assert().code(2).stdout(is_empty());
    env(folder.path(), "--files-map http://h web.yaml").assert().code(2).stdout(is_empty());
}

#[test]
fn a_parameter_file_stands_beside_the_template() {
    let folder = folder(&[("t/web.yaml", TEMPLATE), ("t/flavor.txt", "m1.huge\n")]);
    let read =
        report(folder.path(), "-P flavor=x --parameter-file flavor=flavor.txt t/web.yaml", 0);
    assert_eq!(read["environment"]["parameters"]["flavor"], "m1.huge\n");
    assert_eq!(read["values"][0]["place"]["path"], "t/flavor.txt");
    assert_eq!(read["values"][0]["overrode"][0]["value"], "x");
}

#[test]
fn candidates_are_resolved_where_that_is_possible() {
    let docker = "heat_template_version: pike\ncapabilities: {deployment: docker}\n";
    let folder = folder(&[
        (
            "e.yaml",
            "requires: {deployment: docker}\nresource_registry:\n  My::Server: [puppet.yaml, docker.yaml]\n",
        ),
        ("several.yaml", "requires: {deployment: puppet}\n"),
        ("puppet.yaml", "heat_template_version: pike\n"),
        ("docker.yaml", docker),
    ]);
    let read = report(folder.path(), "-e e.yaml", 0);
    assert_eq!(codes(&read), ["HP0507", "HP0507"]);
    assert_eq!(read["registry"]["My::Server"], "docker.yaml");
    assert_eq!(read["values"][0]["overrode"][0]["outcome"], "chosen from");
    assert_eq!(read["environment"]["requires"], json!({"deployment": "docker"}));
    assert_eq!(read["files"], json!(["docker.yaml"]));
    let read = report(folder.path(), "-e e.yaml -e several.yaml", 1);
    assert_eq!(codes(&read), ["HP0507", "HP0507", "HP0507", "HP0521"]);
    assert_eq!(read["registry"]["My::Server"], json!(["puppet.yaml", "docker.yaml"]));
}
