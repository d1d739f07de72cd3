//! Folders, and several paths: every file is processed independently of the others.

use predicates::prelude::*;
use predicates::str::{contains, is_empty, starts_with};

use crate::cli::sandbox::{NEW, OLD, Sandbox};

const CFN: &str = "AWSTemplateFormatVersion: '2010-09-09'\nResources: {}\n";
const ENVIRONMENT: &str = "parameters: {}\n";

#[test]
fn a_folder_without_templates() {
    let sandbox = Sandbox::new(&[("lib/notes.md", "x"), ("lib/env.yaml", ENVIRONMENT)]);
    std::fs::create_dir(sandbox.at("empty.yaml")).expect("a folder");
    for command in ["upgrade --check", "upgrade --diff", "upgrade --write", "versions"] {
        for folder in ["lib", "empty.yaml"] {
            sandbox
                .hotplate(&format!("{command} {folder}"))
                .assert()
                .code(2)
                .stdout(is_empty())
                .stderr(contains(format!("error[HP0004]: `{folder}` contains no template\n")));
        }
    }
    for command in ["ir", "render --target json"] {
        sandbox
            .hotplate(&format!("{command} empty.yaml"))
            .assert()
            .code(2)
            .stdout(is_empty())
            .stderr(contains("error[HP0009]: `empty.yaml` is a folder, not a file\n"));
    }
}

#[test]
fn the_current_folder_is_meant_where_no_path_is_given() {
    let sandbox = Sandbox::new(&[("a.yaml", OLD)]);
    sandbox
        .hotplate("upgrade --check")
        .assert()
        .code(1)
        .stderr(starts_with("1 file: 1 to upgrade"));
    sandbox.hotplate("versions").assert().code(0).stdout(contains("a.yaml: declares 2013-05-23"));
}

#[test]
fn one_bad_file_does_not_stop_the_others() {
    let broken = "heat_template_version: 2013-05-23\na: [";
    let sandbox = Sandbox::new(&[("a.yaml", OLD), ("b.yaml", broken), ("c.yaml", OLD)]);
    sandbox
        .hotplate("upgrade --write .")
        .assert()
        .code(2)
        .stdout(is_empty())
        .stderr(contains("error[HP0101]: ").and(contains(" --> b.yaml:2:5\n")))
        .stderr(starts_with("3 files: 2 upgraded (2 rewritten), 1 unreadable\n"));
    assert_eq!(
        ["a.yaml", "b.yaml", "c.yaml"].map(|name| sandbox.text(name)),
        [NEW.to_owned(), broken.to_owned(), NEW.to_owned()]
    );
    assert_eq!(sandbox.names(), ["a.yaml", "b.yaml", "c.yaml"]);
    sandbox
        .hotplate("versions .")
        .assert()
        .code(2)
        .stdout(contains("a.yaml: declares").and(contains("c.yaml: declares")))
        .stderr(contains(" --> b.yaml:2:5\n"));
}

/// Files next to templates in real repositories: none is a template, and most of them cannot
/// be read as Heat reads YAML.
const OTHERS: [(&str, &str); 9] = [
    ("charts/web/templates/deploy.yaml", "{{- if .Values.web }}\nkind: Deployment\n{{- end }}\n"),
    ("charts/web/values.yaml", "replicas: 1\n"),
    ("deploy/all.yaml", "kind: Service\n---\nkind: Deployment\n"),
    ("play.yml", "- hosts: all\n  tasks:\n  - copy: {content: heat_template_version}\n  - a: [\n"),
    ("tabs.yml", "a:\n\t- b\n"),
    ("package.json", "{\"name\": \"web\", // a comment\n}\n"),
    ("image.template", "\0\u{1}\u{2}"),
    ("empty.yaml", ""),
    ("comments.yaml", "# nothing\n"),
];

#[test]
fn files_of_other_programs_are_skipped_and_counted() {
    let sandbox = Sandbox::new(&OTHERS);
    sandbox.write("web.hot", OLD);
    sandbox.write("db.heat", OLD);
    sandbox
        .hotplate("upgrade --check .")
        .assert()
        .code(1)
        .stderr(starts_with(
            "11 files: 2 to upgrade (2 rewritten), 9 not HOT templates (skipped)\n",
        ))
        .stderr(contains("error").not());
    sandbox
        .hotplate("versions .")
        .assert()
        .code(0)
        .stdout(contains("db.heat: declares").and(contains("web.hot: declares")))
        .stderr(contains("9 not HOT templates (skipped)\n").and(contains("error").not()));
    sandbox.hotplate("capabilities list .").assert().code(0).stderr(contains("error").not());
}

#[test]
fn a_named_file_is_a_template_unless_the_option_says_otherwise() {
    let sandbox = Sandbox::new(&OTHERS);
    sandbox.write("web.yaml", OLD);
    for (name, _) in OTHERS {
        for command in ["upgrade --check", "versions"] {
            sandbox
                .hotplate(&format!("{command} {name}"))
                .assert()
                .code(2)
                .stderr(contains("error["));
            sandbox
                .hotplate(&format!("{command} --skip-non-templates {name}"))
                .assert()
                .code(0)
                .stdout(is_empty())
                .stderr(contains("1 not a HOT template (skipped)\n").and(contains("error").not()));
        }
    }
    let names: Vec<&str> = OTHERS.iter().map(|(name, _)| *name).collect();
    let names = names.join(" ");
    sandbox
        .hotplate(&format!("upgrade --check --skip-non-templates {names} web.yaml"))
        .assert()
        .code(1)
        .stdout("web.yaml: rewritten, 2013-05-23 -> 2021-04-16\n");
    // An unreadable template is still an error, and so is a path that does not exist.
    sandbox.write("broken.yaml", "heat_template_version: 2013-05-23\na: [");
    for path in ["broken.yaml", "nothing.here"] {
        sandbox
            .hotplate(&format!("upgrade --check --skip-non-templates {path}"))
            .assert()
            .code(2)
            .stderr(contains("error["));
    }
}

#[test]
fn a_missing_path_does_not_stop_the_others() {
    let sandbox = Sandbox::new(&[("a.yaml", OLD)]);
    sandbox
        .hotplate("upgrade --write nothing.here a.yaml")
        .assert()
        .code(2)
        .stderr(contains("error[HP0001]: `nothing.here` does not exist\n"));
    assert_eq!(sandbox.text("a.yaml"), NEW);
}

#[test]
fn other_files_of_a_folder_are_passed_over_in_silence() {
    let files = [("a.yaml", OLD), ("cfn.template", CFN), ("env.yaml", ENVIRONMENT)];
    let sandbox = Sandbox::new(&files);
    sandbox
        .hotplate("upgrade --write .")
        .assert()
        .code(0)
        .stdout(is_empty())
        .stderr("3 files: 1 upgraded (1 rewritten), 2 not HOT templates (skipped)\n1 CFN template (skipped): `hotplate render --target hot FILE` converts one to HOT\n");
    let only = "a.yaml: declares 2021-04-16, needs 2013-05-23 or later\n";
    sandbox.hotplate("versions .").assert().code(0).stdout(only).stderr(
        "1 not a HOT template (skipped)\n1 CFN template (skipped): `hotplate render --target hot FILE` converts one to HOT\n",
    );
    assert_eq!(sandbox.text("cfn.template"), CFN);
    assert_eq!(sandbox.text("env.yaml"), ENVIRONMENT);
}

#[test]
fn a_cfn_template_that_is_named_is_told() {
    let sandbox = Sandbox::new(&[("cfn.template", CFN)]);
    let note = || {
        contains("note[HP0202]: `AWSTemplateFormatVersion` marks a CFN template")
            .and(contains(" --> cfn.template:1:1\n"))
    };
    for command in ["upgrade", "upgrade --write", "upgrade --check", "versions"] {
        let command = format!("{command} cfn.template");
        sandbox.hotplate(&command).assert().code(1).stdout(is_empty()).stderr(note());
    }
    let ir = sandbox.json("ir cfn.template", 0);
    assert_eq!(ir["format"]["dialect"], "cfn");
    let json = sandbox.json("render cfn.template --target json", 0);
    assert_eq!(json["AWSTemplateFormatVersion"], "2010-09-09");
    assert_eq!(sandbox.text("cfn.template"), CFN);
}

#[test]
fn a_file_that_is_named_twice_is_done_once() {
    let sandbox = Sandbox::new(&[("a.yaml", OLD), ("lib/b.yaml", OLD)]);
    sandbox
        .hotplate("upgrade --check a.yaml ./a.yaml lib/../a.yaml")
        .assert()
        .code(1)
        .stdout("a.yaml: rewritten, 2013-05-23 -> 2021-04-16\n")
        .stderr("1 file: 1 to upgrade (1 rewritten)\n");
    sandbox.hotplate("upgrade a.yaml a.yaml").assert().code(0).stdout(NEW);
    sandbox
        .hotplate("upgrade --write a.yaml . lib")
        .assert()
        .code(0)
        .stdout(is_empty())
        .stderr("2 files: 2 upgraded (2 rewritten)\n");
    sandbox.hotplate("versions a.yaml . lib lib/b.yaml").assert().code(0).stderr(is_empty());
}

#[test]
fn ignore_files_are_honoured() {
    let sandbox = Sandbox::new(&[
        ("a.yaml", OLD),
        ("vendor/b.yaml", OLD),
        ("old.yaml", OLD),
        (".hotplateignore", "vendor/\n"),
        (".ignore", "old.yaml\n"),
    ]);
    sandbox
        .hotplate("upgrade --check --verbose .")
        .assert()
        .code(1)
        .stdout("a.yaml: rewritten, 2013-05-23 -> 2021-04-16\n");
    sandbox
        .hotplate("upgrade --write .")
        .assert()
        .code(0)
        .stderr("1 file: 1 upgraded (1 rewritten)\n");
    assert_eq!(sandbox.text("vendor/b.yaml"), OLD);
    sandbox.hotplate("upgrade --check old.yaml").assert().code(1).stdout(contains("old.yaml: "));
}
