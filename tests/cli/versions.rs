//! `hotplate versions`.

use predicates::prelude::*;
use predicates::str::{contains, is_empty, starts_with};
use serde_json::{Value, json};

use crate::cli::sandbox::{NEW, OLD, Sandbox, hotplate};

/// `list_join` is in every version, and `make_url` was introduced in pike.
const URL: &str = "\
heat_template_version: 2021-04-16
outputs:
  url: {value: {make_url: {host: {list_join: ['.', [a, b]]}}}}
";

#[test]
fn what_a_template_declares_and_needs() {
    let files = [("a.yaml", OLD), ("b.yaml", URL), ("c.yaml", "heat_template_version: pike\n")];
    let sandbox = Sandbox::new(&files);
    sandbox
        .hotplate("versions a.yaml b.yaml c.yaml")
        .assert()
        .code(0)
        .stdout(
            "templates  version\n        1  2013-05-23\n        1  2017-09-01\n        1  2021-04-16\n\n\
             a.yaml: declares 2013-05-23, needs 2013-05-23 only\n  \
             3:18: function `Fn::Join` (2013-05-23 to 2013-05-23)\n\
             b.yaml: declares 2021-04-16, needs 2017-09-01 or later\n  \
             3:17: function `make_url` (since 2017-09-01)\n\
             c.yaml: declares 2017-09-01, needs 2013-05-23 or later\n",
        )
        .stderr(is_empty());
    let folder = sandbox.hotplate("versions .").assert().code(0);
    folder.stdout(contains("a.yaml: declares").and(contains("c.yaml: declares")));
    let stdin = sandbox.hotplate("versions -").write_stdin(NEW).assert().code(0);
    stdin.stdout(starts_with("<stdin>: declares 2021-04-16"));
}

#[test]
fn what_only_fails_at_the_declared_version_is_probably_meant_as_a_later_one() {
    let text = "heat_template_version: 2015-10-15\nconditions: {never: false}\n\
                outputs:\n  o: {value: {if: [never, a, b]}}\n";
    let sandbox = Sandbox::new(&[("a.yaml", text)]);
    let answers = sandbox.json("versions --format json a.yaml", 1);
    assert_eq!(answers["files"][0]["meant"], "2016-10-14");
    sandbox
        .hotplate("versions a.yaml")
        .assert()
        .stdout(contains("probably written for 2016-10-14 or later"));
}

#[test]
fn the_same_as_json() {
    let sandbox = Sandbox::new(&[("b.yaml", URL)]);
    let place = json!({
        "path": "b.yaml",
        "start": {"byte": 59, "line": 3, "column": 17},
        "end": {"byte": 67, "line": 3, "column": 25},
    });
    assert_eq!(
        sandbox.json("versions --format json b.yaml", 0),
        json!({"histogram": [{"version": "2021-04-16", "templates": 1, "invalid": 0}], "files": [{
            "path": "b.yaml",
            "declared": "2021-04-16",
            "valid": true,
            "lowest": "2017-09-01",
            "highest": "2021-04-16",
            "meant": null,
            "features": [
                {"name": "function `make_url`", "since": "2017-09-01", "until": null, "place": place},
            ],
            "diagnostics": [],
        }]})
    );
}

#[test]
fn failures_are_in_the_json_too() {
    let files = [
        ("a.yaml", "heat_template_version: pike\na: ["),
        ("b.yaml", NEW),
        ("cfn.yaml", "AWSTemplateFormatVersion: '2010-09-09'\n"),
        ("env.yaml", "parameters: {}\n"),
        ("lib/notes.md", ""),
    ];
    let sandbox = Sandbox::new(&files);
    let report = sandbox.json("versions --format json . cfn.yaml nothing.here lib", 2);
    let told: Vec<_> = report["files"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|file| {
            let code = file["diagnostics"][0]["code"].as_str();
            (file["path"].as_str().expect("text"), file["declared"].as_str(), code)
        })
        .collect();
    assert_eq!(
        told,
        [
            ("a.yaml", None, Some("HP0101")),
            ("b.yaml", Some("2021-04-16"), None),
            ("cfn.yaml", None, Some("HP0202")),
            ("nothing.here", None, Some("HP0001")),
            ("lib", None, Some("HP0004")),
        ]
    );
    assert_eq!(report["files"][0]["features"], Value::Array(Vec::new()));
}

/// The declared version does not match the used features.
const MEANT: &str = "heat_template_version: 2015-04-30\nconditions: {yes: {equals: [a, a]}}\n";
const OLDER: &str = "heat_template_version: 2018-08-31\noutputs: {o: {value: {Ref: p}}}\n";
const NONE: &str = "heat_template_version: 2018-08-31\nresource: {}\n";

#[test]
fn a_version_that_does_not_accept_its_template_is_marked() {
    let sandbox =
        Sandbox::new(&[("a.yaml", MEANT), ("b.yaml", OLDER), ("c.yaml", NONE), ("d.yaml", NEW)]);
    sandbox
        .hotplate("versions .")
        .assert()
        .code(1)
        .stdout(starts_with(
            "templates  version\n        1  2015-04-30  (1 invalid)\n        2  2018-08-31  (2 invalid)\n        1  2021-04-16\n\n",
        ))
        .stdout(contains("\na.yaml: invalid: declares 2015-04-30, probably written for 2016-10-14 or later\n"))
        .stdout(contains("  2:1: error[HP0206]: "))
        .stdout(contains("\nb.yaml: invalid: declares 2018-08-31, accepted by 2013-05-23 only\n"))
        .stdout(contains("\nc.yaml: invalid: declares 2018-08-31, accepted by no version\n"))
        .stdout(contains("\nd.yaml: declares 2021-04-16, needs 2013-05-23 or later\n"));
    sandbox.hotplate("versions d.yaml").assert().code(0);
    let report = sandbox.json("versions --format json c.yaml d.yaml", 1);
    assert_eq!(
        report["histogram"],
        json!([
            {"version": "2018-08-31", "templates": 1, "invalid": 1},
            {"version": "2021-04-16", "templates": 1, "invalid": 0},
        ])
    );
    let file = &report["files"][0];
    assert_eq!((&file["valid"], &file["lowest"]), (&json!(false), &Value::Null));
    assert_eq!(file["diagnostics"][0]["code"], "HP0206");
}

#[test]
fn the_list_of_versions() {
    let line = contains("2018-08-31  rocky            Rocky, Stein, Train, Ussuri, Victoria\n");
    let last = contains("2021-04-16  wallaby  latest  Wallaby, Xena, Yoga, Zed, 2023.1 Antelope,");
    hotplate(&["versions", "--list"]).assert().code(0).stdout(line.and(last)).stderr(is_empty());
    let sandbox = Sandbox::new::<&str>(&[]);
    let list = sandbox.json("versions --list --format json", 0);
    let list = list.as_array().expect("a list");
    assert_eq!(list.len(), 11);
    assert_eq!(list[9]["version"], "2018-08-31");
    assert_eq!(list[9]["name"], "rocky");
    assert_eq!(list[9]["releases"][1], json!({"name": "Stein", "number": null}));
    assert_eq!(list[10]["releases"][6], json!({"name": "Caracal", "number": "2024.1"}));
    assert!(list[9]["functions"].as_array().expect("a list").contains(&json!("make_url")));
}

#[test]
fn the_page_of_versions() {
    let page = starts_with("# Versions of HOT\n").and(contains("| `make_url` |"));
    hotplate(&["versions", "--markdown"]).assert().code(0).stdout(page).stderr(is_empty());
}

#[test]
fn options_that_exclude_each_other() {
    for arguments in [
        &["versions", "--list", "a.yaml"][..],
        &["versions", "--markdown", "a.yaml"],
        &["versions", "--list", "--markdown"],
        &["versions", "--markdown", "--format", "json"],
    ] {
        let said = contains("cannot be used with");
        hotplate(arguments).assert().code(2).stdout(is_empty()).stderr(said);
    }
}
