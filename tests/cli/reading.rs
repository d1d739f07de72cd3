//! Which files may be read: the git work tree of a template, and others only with `--allow-path`.

use predicates::prelude::*;
use predicates::str::contains;

use crate::cli::sandbox::Sandbox;

const HEAD: &str = "ref: refs/heads/main\n";

/// A template that includes files, with one output for each.
fn including(files: &[&str]) -> String {
    let outputs = files.iter().enumerate();
    let outputs: String =
        outputs.map(|(at, file)| format!("  o{at}: {{value: {{get_file: {file}}}}}\n")).collect();
    format!("heat_template_version: pike\noutputs:\n{outputs}")
}

/// The outputs of a template, evaluated in the sandbox folder.
fn outputs(sandbox: &Sandbox, arguments: &str, status: i32) -> serde_json::Value {
    let report = sandbox.json(&format!("eval --format json {arguments}"), status);
    let outputs = report["outputs"].as_object().expect("outputs").iter();
    outputs.map(|(name, output)| (name.clone(), output["value"].clone())).collect()
}

#[test]
fn files_of_the_work_tree_are_read() {
    let sandbox = Sandbox::new(&[
        ("repo/.git/HEAD", HEAD),
        ("repo/deep/stacks/web.yaml", &including(&["../../boot.sh", "../lib/net.sh"])),
        ("repo/boot.sh", "boot"),
        ("repo/deep/lib/net.sh", "net"),
    ]);
    let expected = serde_json::json!({"o0": "boot", "o1": "net"});
    let mut elsewhere = sandbox.hotplate("eval --format json web.yaml");
    elsewhere.current_dir(sandbox.at("repo/deep/stacks")).assert().code(0);
    assert_eq!(outputs(&sandbox, "repo/deep/stacks/web.yaml", 0), expected);
    // Linked work trees and submodules have a file `.git`.
    sandbox.write("linked/.git", "gitdir: ../repo/.git/worktrees/linked\n");
    sandbox.write("linked/deep/web.yaml", including(&["../boot.sh"]));
    sandbox.write("linked/boot.sh", "linked");
    assert_eq!(outputs(&sandbox, "linked/deep/web.yaml", 0)["o0"], "linked");
}

#[test]
fn an_environment_opens_its_work_tree() {
    let nested = "heat_template_version: pike\noutputs: {o: {value: nested}}\n";
    let web = "heat_template_version: pike\nresources: {r: {type: My::Type}}\noutputs: {o: {value: {get_attr: [r, o]}}}\n";
    let sandbox = Sandbox::new(&[
        ("stacks/web.yaml", web),
        ("repo/.git/HEAD", HEAD),
        ("repo/env/prod/env.yaml", "resource_registry: {'My::Type': ../../types/one.yaml}\n"),
        ("repo/types/one.yaml", nested),
    ]);
    let mut command = sandbox.hotplate("eval --nested web.yaml -e ../repo/env/prod/env.yaml");
    command.current_dir(sandbox.at("stacks")).assert().code(0).stdout(contains("nested"));
}

#[test]
fn one_finding_names_the_option_that_allows_all_files() {
    let outside =
        ["../../a.sh", "../../lib/b.sh", "../../lib/c.sh", "../../lib/d.sh", "../../a.sh"];
    let sandbox = Sandbox::new(&[
        ("repo/.git/HEAD", HEAD),
        ("repo/deep/web.yaml", including(&outside).as_str()),
        ("a.sh", "a"),
        ("lib/b.sh", "b"),
        ("lib/c.sh", "c"),
        ("lib/d.sh", "d"),
    ]);
    let refused = sandbox.hotplate("eval repo/deep/web.yaml").assert().code(1);
    let stderr = String::from_utf8(refused.get_output().stderr.clone()).expect("text");
    assert_eq!(stderr.matches("error[").count(), 1, "{stderr}");
    let message = "4 files are outside of the allowed folders: `a.sh`, `lib/b.sh`, \
                   `lib/c.sh` and 1 more";
    assert!(stderr.contains(message), "{stderr}");
    assert!(stderr.contains("`--allow-path .` allows reading all of them"), "{stderr}");
    assert!(stderr.contains("repo/deep/web.yaml:3:26"), "{stderr}");
    let read = outputs(&sandbox, "repo/deep/web.yaml --allow-path .", 0);
    assert_eq!((&read["o0"], &read["o3"]), (&"a".into(), &"d".into()));
}

#[test]
fn a_nested_template_outside_is_one_finding_too() {
    let resources: String =
        (0..5).map(|at| format!("  r{at}: {{type: ../../one.yaml}}\n")).collect();
    let sandbox = Sandbox::new(&[
        ("repo/.git/HEAD", HEAD),
        ("repo/deep/web.yaml", &format!("heat_template_version: pike\nresources:\n{resources}")),
        ("one.yaml", "heat_template_version: pike\n"),
    ]);
    let refused = sandbox.hotplate("eval --nested repo/deep/web.yaml").assert().code(1);
    let stderr = String::from_utf8(refused.get_output().stderr.clone()).expect("text");
    assert_eq!(stderr.matches("error[").count(), 1, "{stderr}");
    sandbox.hotplate("eval --nested repo/deep/web.yaml --allow-path .").assert().code(0);
}

#[test]
fn without_a_work_tree_the_current_folder_is_read_where_it_holds_the_template() {
    let sandbox = Sandbox::new(&[
        ("all/stacks/web.yaml", including(&["../boot.sh"]).as_str()),
        ("all/boot.sh", "boot"),
        ("other/x", ""),
    ]);
    for (folder, path, status) in [
        ("", "all/stacks/web.yaml", 0),
        ("all", "stacks/web.yaml", 0),
        ("all/stacks", "web.yaml", 1),
        ("other", "../all/stacks/web.yaml", 1),
    ] {
        let mut command = sandbox.hotplate(&format!("eval {path}"));
        command.current_dir(sandbox.at(folder)).assert().code(status);
    }
}

#[cfg(unix)]
#[test]
fn links_that_leave_the_work_tree_are_refused() {
    use std::os::unix::fs::symlink;

    let sandbox = Sandbox::new(&[
        ("repo/.git/HEAD", HEAD),
        ("repo/web.yaml", including(&["out.sh", "folder/s.sh", "in.sh"]).as_str()),
        ("repo/lib/in.sh", "in"),
        ("secret/s.sh", "top secret"),
    ]);
    symlink("../secret/s.sh", sandbox.at("repo/out.sh")).expect("a link");
    symlink("../secret", sandbox.at("repo/folder")).expect("a link");
    symlink("lib/in.sh", sandbox.at("repo/in.sh")).expect("a link");
    let refused = sandbox.hotplate("eval repo/web.yaml").assert().code(1);
    refused
        .stderr(contains("`repo/out.sh` (a symbolic link to `secret/s.sh`) is outside"))
        .stderr(contains("`--allow-path secret` allows reading it"))
        .stderr(contains("top secret").not())
        .stdout(contains("o2: \"in\"").and(contains("top secret").not()));
    assert_eq!(outputs(&sandbox, "repo/web.yaml --allow-path secret", 0)["o1"], "top secret");
}

#[test]
fn what_git_keeps_for_itself_is_not_read() {
    let sandbox = Sandbox::new(&[
        ("repo/.git/HEAD", HEAD),
        ("repo/.git/config", "[http] extraheader = a token"),
        ("repo/stacks/web.yaml", including(&["../.git/config"]).as_str()),
    ]);
    sandbox
        .hotplate("eval repo/stacks/web.yaml")
        .assert()
        .code(1)
        .stdout(contains("token").not())
        .stderr(contains("HP0501"));
}
