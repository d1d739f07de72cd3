//! Inputs that can be read only once: process substitution, `/dev/fd/N`, named pipes.

#![cfg(unix)]

use std::process::{Command, Output};

use crate::cli::git::Repository;
use crate::cli::sandbox::{NEW, OLD, Sandbox};

const STACK: &str = "\
heat_template_version: 2018-08-31
parameters: {size: {type: string}, key: {type: string}}
resources:
  web: {type: 'OS::Heat::Value', properties: {value: [{get_param: size}, {get_param: key}]}}
outputs:
  size: {value: {get_param: size}}
  key: {value: {get_param: key}}
";

/// Runs a line of bash, in which `hotplate` is the binary under test.
fn bash(sandbox: &Sandbox, line: &str) -> Option<Output> {
    let binary = assert_cmd::cargo::cargo_bin!("hotplate");
    let line = format!("hotplate() {{ '{}' \"$@\"; }}; {line}", binary.display());
    let mut command = Command::new("bash");
    for variable in ["GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE", "GIT_PREFIX"] {
        command.env_remove(variable);
    }
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
    command.args(["-c", &line]).current_dir(sandbox.at("")).output().ok()
}

#[test]
fn every_input_of_every_command_may_be_a_stream() {
    let environment = "parameters: {size: small, key: k}\n";
    let texts = [STACK, environment, OLD, "k", "{}\n"];
    let names = ["stack.yaml", "env.yaml", "old.yaml", "key", "attrs.yaml"];
    let files: Vec<(&str, &str)> = names.into_iter().zip(texts).collect();
    let Some(repository) = Repository::new(&files) else { return };
    let sandbox = &repository.0;
    sandbox.write("stack.yaml", STACK.replace("get_param: key}]", "get_param: size}]"));
    for (streamed, plain) in [
        ("upgrade <(cat old.yaml)", "upgrade old.yaml"),
        ("upgrade --check <(cat old.yaml)", ""),
        ("versions <(cat old.yaml)", ""),
        ("versions --format json <(cat old.yaml) <(cat stack.yaml)", ""),
        ("ir --text <(cat stack.yaml)", "ir --text stack.yaml"),
        ("capabilities list <(cat stack.yaml)", ""),
        ("env -e <(cat env.yaml) stack.yaml", ""),
        ("env -e <(cat env.yaml)", ""),
        ("eval -e <(cat env.yaml) stack.yaml", "eval -e env.yaml stack.yaml"),
        ("eval -e <(cat env.yaml) <(cat stack.yaml)", "eval -e env.yaml stack.yaml"),
        ("eval -P size=s --parameter-file key=<(cat key) stack.yaml", ""),
        ("eval --attrs <(cat attrs.yaml) -e env.yaml stack.yaml", ""),
        ("yaql '$' --data <(cat attrs.yaml)", "yaql '$' --data attrs.yaml"),
        ("render -t json <(cat stack.yaml)", "render -t json stack.yaml"),
        ("render -t terraform -e <(cat env.yaml) <(cat stack.yaml)", ""),
        ("diff -e <(cat env.yaml) <(cat old.yaml) <(cat stack.yaml)", ""),
        ("diff -e <(cat env.yaml) stack.yaml stack.yaml", "diff -e env.yaml stack.yaml stack.yaml"),
        ("diff --git HEAD -e <(cat env.yaml)", ""),
        ("diff --git HEAD --staged -e <(cat env.yaml)", ""),
        ("eval -e /dev/fd/3 stack.yaml 3< <(cat env.yaml)", "eval -e env.yaml stack.yaml"),
        ("eval -e /dev/stdin stack.yaml < <(cat env.yaml)", "eval -e env.yaml stack.yaml"),
        ("eval -e <(cat env.yaml) -e <(cat env.yaml) stack.yaml", "eval -e env.yaml stack.yaml"),
    ] {
        let Some(one) = bash(sandbox, &format!("hotplate {streamed}")) else { return };
        let said = String::from_utf8_lossy(&one.stderr).into_owned();
        assert!(matches!(one.status.code(), Some(0 | 1)), "{streamed}: {said}");
        for wrong in ["HP00", "HP05", "HP0601", "HP0103"] {
            assert!(!said.contains(wrong), "{streamed}: {said}");
        }
        if !plain.is_empty() {
            let other = bash(sandbox, &format!("hotplate {plain}")).expect("bash");
            let texts = [&one, &other].map(|it| String::from_utf8_lossy(&it.stdout).into_owned());
            // The names of environments are part of a comparison.
            assert_eq!(texts[0].replace("/dev/fd/63", "env.yaml"), texts[1], "{streamed}");
            assert_eq!(one.status.code(), other.status.code(), "{streamed}");
        }
    }
}

#[test]
fn references_in_a_stream_start_from_the_current_folder() {
    let nested = "heat_template_version: 2018-08-31\nresources: {in: {type: lib/a.yaml}}\n";
    let sandbox = Sandbox::new(&[("lib/a.yaml", NEW), ("stack.yaml", nested)]);
    for line in [
        "hotplate eval <(cat stack.yaml)",
        "hotplate eval - < stack.yaml",
        "hotplate eval -e <(echo 'resource_registry: {My::A: lib/a.yaml}') <(echo 'heat_template_version: 2018-08-31'; echo 'resources: {in: {type: My::A}}')",
    ] {
        let Some(output) = bash(&sandbox, line) else { return };
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(0), "{line}: {said}");
    }
}
