//! Each file has one spelling in a report, however it was named, and each finding has a place.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use serde_json::Value;

use crate::cli::sandbox::Sandbox;

const TOP: &str = "\
heat_template_version: 2018-08-31
parameters:
  unused: {type: string}
resources:
  nested: {type: lib/nested.yaml, properties: {wrong: 1}}
  mapped: {type: My::Type}
  text: {type: OS::Heat::Value, properties: {value: {get_file: lib/gone.txt}}}
  misspelled: {type: OS::Neutron::Nett}
";
const NESTED: &str = "\
heat_template_version: 2018-08-31
parameters:
  unused: {type: number, default: x}
resources:
  again: {type: ../lib/deep/leaf.yaml}
";
const LEAF: &str = "\
heat_template_version: 2018-08-31
resources:
  leaf: {type: OS::Neutron::Port, properties: {network_id: a}}
";
const ENVIRONMENT: &str = "\
resource_registry: {'My::Type': ../lib/./deep/../nested.yaml, 'Un::Used': lib/x.yaml}
parameters: {unused: a, surplus: b}
";

fn sandbox() -> Sandbox {
    Sandbox::new(&[
        ("a/top.yaml", TOP),
        ("a/lib/nested.yaml", NESTED),
        ("a/lib/deep/leaf.yaml", LEAF),
        ("a/env/env.yaml", ENVIRONMENT),
        ("other/place/x.txt", ""),
    ])
}

/// The paths in a document: those of places, and of everything else that is named so.
fn paths<'v>(value: &'v Value, found: &mut BTreeSet<&'v str>) {
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                if ["path", "file", "template", "config"].contains(&key.as_str()) {
                    found.extend(value.as_str());
                }
                if key == "environments" {
                    found.extend(value.as_array().into_iter().flatten().filter_map(Value::as_str));
                }
                paths(value, found);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| paths(item, found)),
        _ => {}
    }
}

fn real(here: &Path, path: &str) -> PathBuf {
    let mut real = PathBuf::new();
    for part in here.join(path).components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(real.pop()),
            part => real.push(part),
        }
    }
    real
}

/// Demands one spelling of each file, of which there are several, and no finding twice or without a place.
fn check_document(document: &Value, here: &Path, words: &str, least: usize) {
    let mut found = BTreeSet::new();
    paths(document, &mut found);
    let mut spellings: BTreeMap<PathBuf, BTreeSet<&str>> = BTreeMap::new();
    for path in found {
        assert_ne!(path, "", "{words}");
        spellings.entry(real(here, path)).or_default().insert(path);
    }
    assert!(spellings.len() >= least, "{words}: {spellings:?}");
    for spellings in spellings.values() {
        assert_eq!(spellings.len(), 1, "{words}: {spellings:?}");
    }
    let mut seen = BTreeSet::new();
    let findings = document["findings"].as_array().or(document["diagnostics"].as_array());
    for finding in findings.into_iter().flatten() {
        let place = &finding["place"];
        assert!(
            place["path"].is_string() && place["start"]["line"].as_i64() > Some(0),
            "{words}: {finding}"
        );
        let key = format!("{} {} {}", finding["code"], finding["message"], place);
        assert!(seen.insert(key), "{words}: twice: {finding}");
    }
}

#[test]
fn each_file_has_one_spelling_in_each_report() {
    let sandbox = sandbox();
    let root = std::fs::canonicalize(sandbox.at("")).expect("a folder");
    let absolute = |name: &str| root.join(name).to_string_lossy().into_owned();
    let spellings = |here: &str, name: &str| {
        let up = here.split('/').filter(|it| !it.is_empty()).map(|_| "../").collect::<String>();
        let (folder, file) = name.split_once('/').expect("a folder");
        vec![
            format!("{up}{name}"),
            format!("./{up}{name}"),
            format!("{up}{folder}/../{folder}//{file}"),
            format!("{up}./{folder}/./{file}"),
            format!("{up}other/place/../../{name}"),
            absolute(name),
            absolute(&format!("other/../{name}")),
        ]
    };
    let commands = [
        ("check TEMPLATE -e ENV --format json", 3),
        ("check TEMPLATE --format json", 2),
        ("check a/top.yaml TEMPLATE -e ENV --format json", 3),
        ("eval TEMPLATE -e ENV --nested --format json", 1),
        ("parameters TEMPLATE -e ENV --format json", 1),
        ("diff TEMPLATE TEMPLATE -e ENV --format json", 1),
        ("upgrade --check --format json TEMPLATE", 1),
        ("versions --format json TEMPLATE", 1),
        ("env -e ENV --format json", 1),
    ];
    for here in ["", "other/place", "a", "a/lib"] {
        let pairs =
            spellings(here, "a/top.yaml").into_iter().zip(spellings(here, "a/env/env.yaml"));
        for (template, environment) in pairs {
            for (command, least) in commands {
                if command.contains("a/top.yaml") && !here.is_empty() {
                    continue;
                }
                let words = command.replace("TEMPLATE", &template).replace("ENV", &environment);
                let output = sandbox
                    .hotplate(&words)
                    .current_dir(root.join(here))
                    .output()
                    .expect("it runs");
                let document: Value = serde_json::from_slice(&output.stdout)
                    .unwrap_or_else(|error| panic!("{words}: {error}: {output:?}"));
                check_document(&document, &root.join(here), &words, least);
            }
        }
        let folders = ["a", "a/", "./a", "a/../a", "other//place/../../a/."].map(|it| {
            let up = here.split('/').filter(|it| !it.is_empty()).map(|_| "../").collect::<String>();
            format!("{up}{it}")
        });
        for folder in folders.into_iter().chain([absolute("a"), absolute("a/")]) {
            for command in ["check --select all", "upgrade --check", "versions"] {
                let words = format!("{command} --format json {folder}");
                let output = sandbox
                    .hotplate(&words)
                    .current_dir(root.join(here))
                    .output()
                    .expect("it runs");
                let document: Value = serde_json::from_slice(&output.stdout).expect("JSON");
                check_document(&document, &root.join(here), &words, 3);
            }
        }
    }
}

#[test]
fn a_file_that_cannot_be_read_is_the_place() {
    let sandbox = Sandbox::new(&[("empty.yaml", ""), ("folder/x.txt", "")]);
    let report = sandbox.json("check --format json ./empty.yaml gone.yaml ./folder/", 2);
    let places: Vec<(&str, i64)> = report["findings"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|it| {
            (
                it["place"]["path"].as_str().expect("a path"),
                it["place"]["start"]["line"].as_i64().expect("a line"),
            )
        })
        .collect();
    assert_eq!(places, [("empty.yaml", 1), ("gone.yaml", 1), ("folder", 1)]);
}
