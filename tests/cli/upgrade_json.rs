//! The report of `hotplate upgrade --format json`.

use predicates::str::contains;
use serde_json::{Value, json};

use crate::cli::sandbox::{BLOCKED, NEW, OLD, Sandbox};

/// A place in a report; line, column and byte of both ends.
fn place(path: &str, start: [u32; 3], end: [u32; 3]) -> Value {
    let point =
        |[line, column, byte]: [u32; 3]| json!({"line": line, "column": column, "byte": byte});
    json!({"path": path, "start": point(start), "end": point(end)})
}

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().expect("an object").keys().map(String::as_str).collect()
}

#[test]
fn rewrites_and_where_they_are() {
    let sandbox = Sandbox::new(&[("a.yaml", OLD)]);
    let report = sandbox.json("upgrade --format json a.yaml", 0);
    let exact = "the same value for every valid input";
    assert_eq!(
        report,
        json!({
            "summary": {
                "date_only": 0, "rewritten": 1, "conditional": 0, "unchanged": 0, "blocked": 0,
                "invalid": 0, "unproved": 0, "unreadable": 0, "unwritable": 0, "skipped": 0,
            },
            "statistics": [
                {"rule": "join", "rewrites": 1, "conditional": 0, "files": 1, "blocked": 0},
                {"rule": "version", "rewrites": 1, "conditional": 0, "files": 1, "blocked": 0},
            ],
            "files": [{
                "path": "a.yaml",
                "from": "2013-05-23",
                "to": "2021-04-16",
                "status": "rewritten",
                "rewrites": [
                    {
                        "rule": "version",
                        "place": place("a.yaml", [1, 24, 23], [1, 34, 33]),
                        "old": "2013-05-23",
                        "new": "2021-04-16",
                        "effect": "exact",
                        "why": exact,
                    },
                    {
                        "rule": "join",
                        "place": place("a.yaml", [3, 18, 60], [3, 26, 68]),
                        "old": "Fn::Join",
                        "new": "list_join",
                        "effect": "exact",
                        "why": exact,
                    },
                ],
                "blockers": [],
                "diagnostics": [],
            }],
            "failures": [],
        })
    );
    assert_eq!(keys(&report), ["summary", "statistics", "files", "failures"]);
    assert_eq!(
        keys(&report["files"][0]),
        ["path", "from", "to", "status", "rewrites", "blockers", "diagnostics"]
    );
    assert_eq!(sandbox.text("a.yaml"), OLD);
}

#[test]
fn a_conditional_rewrite_says_its_condition() {
    let old = "heat_template_version: 2014-10-16\nparameters:\n  map: {type: json}\noutputs:\n  \
               item: {value: {Fn::Select: [a, {get_param: map}]}}\n";
    let sandbox = Sandbox::new(&[("a.yaml", old)]);
    let report = sandbox.json("upgrade --format json a.yaml", 0);
    let select = &report["files"][0]["rewrites"][1];
    assert_eq!(select["effect"], "conditional");
    let why = select["why"].as_str().expect("text");
    assert!(why.starts_with("the same only if "), "{why}");
    assert_eq!(report["files"][0]["diagnostics"][0]["code"], "HP0402");
}

#[test]
fn blockers_and_where_they_are() {
    let sandbox = Sandbox::new(&[("a.yaml", BLOCKED)]);
    let report = sandbox.json("upgrade --write --format json a.yaml", 1);
    let file = &report["files"][0];
    assert_eq!((&file["status"], &file["from"]), (&json!("blocked"), &json!("2013-05-23")));
    let message = "`Fn::Select` parses this parameter as JSON; a path would index its \
                   characters";
    assert_eq!(
        file["blockers"],
        json!([{
            "rule": "select",
            "code": "HP0401",
            "place": place("a.yaml", [6, 16, 118], [6, 70, 172]),
            "related": [],
            "message": message,
            "help": ["make the parameter a `comma_delimited_list` or `json`"],
        }])
    );
    let call = &BLOCKED[118..172];
    assert_eq!(call, "{Fn::Select: [{get_param: which}, {get_param: items}]}");
    assert_eq!(sandbox.text("a.yaml"), BLOCKED);
}

#[test]
fn every_file_and_every_failure_is_in_it() {
    let files = [
        ("a.yaml", OLD),
        ("b.yaml", NEW),
        ("c.yaml", BLOCKED),
        ("d.yaml", "heat_template_version: pike\na: ["),
        ("e.yaml", "parameters: {}\n"),
        ("lib/notes.md", ""),
    ];
    let sandbox = Sandbox::new(&files);
    let report = sandbox.json("upgrade --check --format json . nothing.here lib", 2);
    let expected = json!({
        "date_only": 0, "rewritten": 1, "conditional": 0, "unchanged": 1, "blocked": 1,
        "invalid": 0, "unproved": 0, "unreadable": 1, "unwritable": 0, "skipped": 1,
    });
    assert_eq!(report["summary"], expected);
    let statuses: Vec<_> = report["files"]
        .as_array()
        .expect("files")
        .iter()
        .map(|file| (file["path"].as_str().expect("text"), file["status"].as_str().expect("text")))
        .collect();
    assert_eq!(
        statuses,
        [
            ("a.yaml", "rewritten"),
            ("b.yaml", "unchanged"),
            ("c.yaml", "blocked"),
            ("d.yaml", "unreadable"),
            ("e.yaml", "skipped"),
        ]
    );
    let broken = &report["files"][3];
    assert_eq!(broken["from"], Value::Null);
    let finding = &broken["diagnostics"][0];
    assert_eq!(
        (&finding["code"], &finding["severity"], &finding["place"]["path"]),
        (&json!("HP0101"), &json!("error"), &json!("d.yaml"))
    );
    assert_eq!(finding["place"]["start"], json!({"byte": 32, "line": 2, "column": 5}));
    let failures: Vec<_> = report["failures"]
        .as_array()
        .expect("failures")
        .iter()
        .map(|failure| (failure["code"].as_str(), failure["message"].as_str()))
        .collect();
    assert_eq!(
        failures,
        [
            (Some("HP0001"), Some("`nothing.here` does not exist")),
            (Some("HP0004"), Some("`lib` contains no template")),
        ]
    );
}

#[test]
fn it_is_written_while_the_files_are() {
    let sandbox = Sandbox::new(&[("a.yaml", OLD)]);
    let report = sandbox.json("upgrade --write --format json .", 0);
    assert_eq!(report["summary"]["rewritten"], 1);
    assert_eq!(sandbox.text("a.yaml"), NEW);
}

#[test]
fn an_unknown_format_is_wrong_usage() {
    let sandbox = Sandbox::new(&[("a.yaml", OLD)]);
    for command in ["upgrade", "versions", "explain"] {
        sandbox
            .hotplate(&format!("{command} --format jsno"))
            .assert()
            .code(2)
            .stderr(contains("invalid value 'jsno' for '--format <FORMAT>'"))
            .stderr(contains("'json'"));
    }
}
