//! The samples under `snapshots/`: the output of every command on each, byte for byte.
//!
//! A case is a folder with a template and, for options of `upgrade`, a file `args`; for `eval`,
//! the state of resources is in `attrs.json`; included files are in subfolders. A case
//! with an old and a new template is for `diff`, with its options in `args`. Next to them is
//! the output of hotplate: the documents under the names of [`STAGES`] or [`DIFFS`], and in `console.txt`
//! the rest of what a user sees. A case with a file `targets` is for `render`, with its options in that file: there
//! is one golden per target, to be compared side by side. Goldens are plain files and compared as bytes, since line ends and byte order
//! marks are part of what an upgrade must keep.
//!
//! `UPDATE_SNAPSHOTS=1 cargo test --test promises snapshots::` writes the goldens anew.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use rayon::prelude::*;

/// The commands that a case runs, and the file with the output of each.
const STAGES: [(&str, &str); 7] = [
    ("versions TEMPLATE", "versions.txt"),
    ("ir TEMPLATE", "ir.json"),
    ("render TEMPLATE --target json", "json.json"),
    ("render TEMPLATE --target yaml", "yaml.yaml"),
    ("upgrade TEMPLATE ARGS", "upgrade.txt"),
    ("upgrade TEMPLATE ARGS --format json", "report.json"),
    ("eval TEMPLATE ATTRS --format json", "eval.txt"),
];

/// The same for a case with two templates.
const DIFFS: [(&str, &str); 8] = [
    ("diff OLD NEW ARGS", "diff.txt"),
    ("diff OLD NEW ARGS --stat", "stat.txt"),
    ("diff OLD NEW ARGS --format json", "diff.json"),
    ("diff OLD NEW ARGS --format markdown", "diff.md"),
    ("diff OLD NEW ARGS --format github", "github.txt"),
    ("diff OLD NEW ARGS --format gitlab", "gitlab.json"),
    ("diff OLD NEW ARGS --format sarif", "diff.sarif"),
    ("diff OLD NEW ARGS --format junit", "junit.xml"),
];

/// The same for a case of targets.
const RENDERED: [(&str, &str); 13] = [
    ("render TEMPLATE --target hot ARGS", "hot.yaml"),
    ("render TEMPLATE --target heat-cfn ARGS", "heat-cfn.yaml"),
    ("render TEMPLATE --target heat-cfn --syntax json ARGS", "heat-cfn.json"),
    ("render TEMPLATE --target cfn ARGS", "cfn.yaml"),
    ("render TEMPLATE --target cfn --syntax json ARGS", "cfn.json"),
    ("render TEMPLATE --target terraform ARGS", "terraform.tf"),
    ("render TEMPLATE --target terraform-json ARGS", "terraform.tf.json"),
    ("render TEMPLATE --target pulumi ARGS", "pulumi.yaml"),
    ("render TEMPLATE --target ansible ARGS", "ansible.yaml"),
    ("render TEMPLATE --target dot ARGS", "graph.dot"),
    ("render TEMPLATE --target mermaid ARGS", "graph.mmd"),
    ("render TEMPLATE --target markdown ARGS", "readme.md"),
    ("render TEMPLATE --target terraform --format json ARGS", "report.json"),
];

/// The file with options of a case.
const ARGS: &str = "args";
const ATTRS: &str = "attrs.json";
const TARGETS: &str = "targets";
const ENVIRONMENT: &str = "env.yaml";

const CONSOLE: &str = "console.txt";
const TEMPLATES: [&str; 3] = ["template.yaml", "template.json", "template.template"];
const OLD: [&str; 2] = ["old.yaml", "old.json"];
const NEW: [&str; 2] = ["new.yaml", "new.json"];

/// The subject of a case.
enum Subject {
    Template(&'static str),
    Pair { old: &'static str, new: &'static str },
    Rendered(&'static str),
}

/// Golden files by name.
type Goldens = BTreeMap<String, Vec<u8>>;

#[test]
fn every_case_gives_its_goldens() {
    let update = std::env::var_os("UPDATE_SNAPSHOTS").is_some();
    let cases = cases();
    assert!(!cases.is_empty(), "no cases");
    let problems: Vec<String> = cases.par_iter().flat_map(|case| check(case, update)).collect();
    assert!(
        problems.is_empty(),
        "{}\nUPDATE_SNAPSHOTS=1 cargo test --test promises snapshots:: accepts this",
        problems.join("\n")
    );
}

fn cases() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("snapshots");
    let mut cases: Vec<PathBuf> = fs::read_dir(root)
        .expect("the samples")
        .map(|entry| entry.expect("a sample").path())
        .filter(|path| path.is_dir())
        .collect();
    cases.sort();
    cases
}

/// The differences between a case's goldens and the output of hotplate.
fn check(case: &Path, update: bool) -> Vec<String> {
    let (subject, mut expected) = load(case);
    let actual = run(case, &subject);
    if update {
        for name in expected.keys().filter(|name| !actual.contains_key(*name)) {
            fs::remove_file(case.join(name)).expect("remove");
        }
        for (name, bytes) in &actual {
            fs::write(case.join(name), bytes).expect("write");
        }
        return Vec::new();
    }
    let name = case.file_name().unwrap_or_default().to_string_lossy();
    let mut problems = Vec::new();
    for (file, new) in &actual {
        let old = expected.remove(file).unwrap_or_default();
        if old != *new {
            problems.push(difference(&format!("{name}/{file}"), &old, new));
        }
    }
    problems.extend(expected.keys().map(|file| format!("{name}/{file}: nothing writes this file")));
    problems
}

/// The templates and the goldens of a case.
fn load(case: &Path) -> (Subject, Goldens) {
    let mut files = Goldens::new();
    for entry in fs::read_dir(case).expect("a case") {
        let path = entry.expect("a file").path();
        if path.is_dir() {
            continue;
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        files.insert(name, fs::read(&path).expect("read"));
    }
    files.remove(ARGS);
    files.remove(ATTRS);
    files.remove(ENVIRONMENT);
    let is_rendered = files.remove(TARGETS).is_some();
    let mut find =
        |names: &[&'static str]| names.iter().copied().find(|name| files.remove(*name).is_some());
    let subject = match (find(&TEMPLATES), find(&OLD), find(&NEW)) {
        (Some(template), None, None) if is_rendered => Subject::Rendered(template),
        (Some(template), None, None) => Subject::Template(template),
        (None, Some(old), Some(new)) => Subject::Pair { old, new },
        _ => panic!("{}: neither one template nor an old and a new one", case.display()),
    };
    (subject, files)
}

fn run(case: &Path, subject: &Subject) -> Goldens {
    let args = match subject {
        Subject::Rendered(_) => TARGETS,
        Subject::Template(_) | Subject::Pair { .. } => ARGS,
    };
    let args = fs::read_to_string(case.join(args)).unwrap_or_default();
    let attrs = if case.join(ATTRS).exists() { format!("--attrs {ATTRS}") } else { String::new() };
    let mut goldens = Goldens::new();
    let mut console = Vec::new();
    let stages: Vec<(&str, &str)> = match subject {
        Subject::Template(_) => STAGES.to_vec(),
        Subject::Pair { .. } => DIFFS.to_vec(),
        Subject::Rendered(_) => RENDERED.to_vec(),
    };
    for (line, file) in stages {
        let line = match subject {
            Subject::Template(template) | Subject::Rendered(template) => {
                line.replace("TEMPLATE", template)
            }
            Subject::Pair { old, new } => line.replace("OLD", old).replace("NEW", new),
        };
        let line = line.replace("ARGS", args.trim()).replace("ATTRS", &attrs);
        let words: Vec<&str> = line.split_whitespace().collect();
        let output = Command::new(assert_cmd::cargo::cargo_bin!("hotplate"))
            .args(&words)
            .env_remove("CLICOLOR_FORCE")
            .current_dir(case)
            .output()
            .expect("hotplate runs");
        let redirected = if output.stdout.is_empty() { "" } else { " > " };
        let file = if output.stdout.is_empty() { "" } else { file };
        console.extend(format!("$ hotplate {}{redirected}{file}\n", words.join(" ")).bytes());
        console.extend(without_root(output.stderr));
        match output.status.code() {
            Some(0) => {}
            Some(status) => console.extend(format!("(exit status {status})\n").bytes()),
            None => panic!("{}: {line}: killed", case.display()),
        }
        if !output.stdout.is_empty() {
            goldens.insert(file.to_owned(), without_root(output.stdout));
        }
    }
    goldens.insert(CONSOLE.to_owned(), console);
    goldens
}

/// An output in which the path of the project does not depend on the machine.
fn without_root(output: Vec<u8>) -> Vec<u8> {
    match String::from_utf8(output) {
        Ok(text) => text.replace(env!("CARGO_MANIFEST_DIR"), "/hotplate").into_bytes(),
        Err(error) => error.into_bytes(),
    }
}

fn difference(name: &str, old: &[u8], new: &[u8]) -> String {
    let (old, new) = (String::from_utf8_lossy(old), String::from_utf8_lossy(new));
    let diff = similar::TextDiff::from_lines(&old, &new);
    diff.unified_diff().header(&format!("{name} (golden)"), name).to_string()
}
