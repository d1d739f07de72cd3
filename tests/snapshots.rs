//! The samples under `snapshots/`: what commands print on each, byte for byte.
//!
//! A case is a folder with a template, or with an old and a new one for `diff`. Its file `stages` lists what the case is
//! about: names of [`STAGES`], one per line, with comments after `#`. Only these commands are run, and only their output is
//! kept: the documents under the names in the table, and in `console.txt` the rest of what a user sees. A file `args` has
//! options of `upgrade`, `diff` or `render`; for `eval`, the state of resources is in `attrs.json`; included files are in
//! subfolders, and an environment for `render` is `env.yaml`. Goldens are plain files and compared as bytes, since
//! line ends and byte order marks are part of what an upgrade must keep.
//!
//! `UPDATE_SNAPSHOTS=1 cargo test --test all snapshots::` writes the goldens of the listed stages and removes all
//! others.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use rayon::prelude::*;
use serde_json::Value;

/// A command that a case can be about.
struct Stage {
    name: &'static str,
    /// `TEMPLATE`, `OLD`, `NEW`, `ARGS` and `ATTRS` stand for the files and options of the case.
    command: &'static str,
    /// The file with the standard output, which is absent where there is none.
    golden: &'static str,
}

const fn stage(name: &'static str, command: &'static str, golden: &'static str) -> Stage {
    Stage { name, command, golden }
}

const STAGES: [Stage; 36] = [
    stage("check", "check TEMPLATE", "check.txt"),
    stage("check-json", "check TEMPLATE --format json", "check.json"),
    stage("parameters", "parameters TEMPLATE", "parameters.txt"),
    stage("parameters-json", "parameters TEMPLATE --format json", "parameters.json"),
    stage("new-environment", "parameters TEMPLATE --new-environment", "new-environment.yaml"),
    stage("versions", "versions TEMPLATE", "versions.txt"),
    stage("ir", "ir TEMPLATE", FACTS),
    stage("ir-places", "ir TEMPLATE", "ir.json"),
    stage("json", "render TEMPLATE --target json", "json.json"),
    stage("yaml", "render TEMPLATE --target yaml", "yaml.yaml"),
    stage("upgrade", "upgrade TEMPLATE ARGS", "upgrade.txt"),
    stage("report", "upgrade TEMPLATE ARGS --format json", "report.json"),
    stage("eval", "eval TEMPLATE ATTRS --format json", "eval.txt"),
    stage("diff", "diff OLD NEW ARGS", "diff.txt"),
    stage("diff-stat", "diff OLD NEW ARGS --stat", "stat.txt"),
    stage("diff-json", "diff OLD NEW ARGS --format json", "diff.json"),
    stage("diff-markdown", "diff OLD NEW ARGS --format markdown", "diff.md"),
    stage("diff-github", "diff OLD NEW ARGS --format github", "github.txt"),
    stage("diff-gitlab", "diff OLD NEW ARGS --format gitlab", "gitlab.json"),
    stage("diff-zuul", "diff OLD NEW ARGS --format zuul", "zuul.json"),
    stage("diff-sarif", "diff OLD NEW ARGS --format sarif", "diff.sarif"),
    stage("diff-junit", "diff OLD NEW ARGS --format junit", "junit.xml"),
    stage("hot", "render TEMPLATE --target hot ARGS", "hot.yaml"),
    stage("heat-cfn", "render TEMPLATE --target heat-cfn ARGS", "heat-cfn.yaml"),
    stage("heat-cfn-json", "render TEMPLATE --target heat-cfn --syntax json ARGS", "heat-cfn.json"),
    stage("cfn", "render TEMPLATE --target cfn ARGS", "cfn.yaml"),
    stage("cfn-json", "render TEMPLATE --target cfn --syntax json ARGS", "cfn.json"),
    stage("terraform", "render TEMPLATE --target terraform ARGS", "terraform.tf"),
    stage("terraform-json", "render TEMPLATE --target terraform-json ARGS", "terraform.tf.json"),
    stage("pulumi", "render TEMPLATE --target pulumi ARGS", "pulumi.yaml"),
    stage("ansible", "render TEMPLATE --target ansible ARGS", "ansible.yaml"),
    stage("shell", "render TEMPLATE --target shell ARGS", "script.sh"),
    stage("dot", "render TEMPLATE --target dot ARGS", "graph.dot"),
    stage("mermaid", "render TEMPLATE --target mermaid ARGS", "graph.mmd"),
    stage("markdown", "render TEMPLATE --target markdown ARGS", "readme.md"),
    stage("render-report", "render TEMPLATE --target terraform --format json ARGS", "render.json"),
];

/// The golden of a JSON document as [`facts_of`] it.
const FACTS: &str = "ir.txt";

/// The file with the names of a case's stages.
const LIST: &str = "stages";
const ARGS: &str = "args";
const ATTRS: &str = "attrs.json";
const ENVIRONMENT: &str = "env.yaml";

const CONSOLE: &str = "console.txt";
const TEMPLATES: [&str; 3] = ["template.yaml", "template.json", "template.template"];
const OLD: [&str; 2] = ["old.yaml", "old.json"];
const NEW: [&str; 2] = ["new.yaml", "new.json"];

/// The templates of a case.
enum Subject {
    Template(&'static str),
    Pair { old: &'static str, new: &'static str },
}

/// Golden files by name.
type Goldens = BTreeMap<String, Vec<u8>>;

struct Case {
    name: String,
    folder: PathBuf,
    subject: Subject,
    stages: Vec<&'static Stage>,
    /// The files that are there.
    goldens: Goldens,
}

#[test]
fn every_case_gives_its_goldens() {
    let update = std::env::var_os("UPDATE_SNAPSHOTS").is_some();
    let (mut cases, mut problems) = (Vec::new(), Vec::new());
    for folder in folders() {
        match Case::load(folder) {
            Ok(case) => cases.push(case),
            Err(problem) => problems.push(problem),
        }
    }
    assert!(!cases.is_empty(), "no cases");
    for stage in &STAGES {
        if !cases.iter().flat_map(|case| &case.stages).any(|listed| listed.name == stage.name) {
            problems.push(format!("no case lists the stage `{}`", stage.name));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    let problems: Vec<String> = cases.into_par_iter().flat_map(|case| case.check(update)).collect();
    assert!(
        problems.is_empty(),
        "{}\nUPDATE_SNAPSHOTS=1 cargo test --test all snapshots:: accepts this",
        problems.join("\n")
    );
}

#[test]
fn a_list_of_stages_names_each_once() {
    let names = |text: &str| -> Result<Vec<&str>, String> {
        Ok(listed_stages(text)?.iter().map(|stage| stage.name).collect())
    };
    assert_eq!(names("# all\nupgrade  # the text\n\nir\n"), Ok(vec!["ir", "upgrade"]));
    assert!(names("ir\nupgrades\n").expect_err("a typo").starts_with("unknown stage `upgrades`"));
    assert_eq!(names("ir\nir\n"), Err("the stage `ir` is listed twice".to_owned()));
    assert_eq!(names("# nothing\n"), Err("no stage is listed".to_owned()));
}

fn folders() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("snapshots");
    let mut folders: Vec<PathBuf> = fs::read_dir(root)
        .expect("the samples")
        .map(|entry| entry.expect("a sample").path())
        .filter(|path| path.is_dir())
        .collect();
    folders.sort();
    folders
}

/// The stages of a list, in the order of [`STAGES`].
fn listed_stages(text: &str) -> Result<Vec<&'static Stage>, String> {
    let mut names: Vec<&str> = text
        .lines()
        .map(|line| line.split('#').next().unwrap_or_default().trim())
        .filter(|name| !name.is_empty())
        .collect();
    names.sort_unstable();
    if let Some(twice) = names.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(format!("the stage `{}` is listed twice", twice[0]));
    }
    if let Some(name) = names.iter().find(|name| STAGES.iter().all(|stage| stage.name != **name)) {
        let known: Vec<&str> = STAGES.iter().map(|stage| stage.name).collect();
        return Err(format!("unknown stage `{name}`; the stages are {}", known.join(", ")));
    }
    if names.is_empty() {
        return Err("no stage is listed".to_owned());
    }
    Ok(STAGES.iter().filter(|stage| names.contains(&stage.name)).collect())
}

impl Case {
    /// Reads a folder. Errors name the case.
    fn load(folder: PathBuf) -> Result<Case, String> {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut goldens = Goldens::new();
        for entry in fs::read_dir(&folder).expect("a case") {
            let path = entry.expect("a file").path();
            if path.is_dir() {
                continue;
            }
            let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            goldens.insert(file, fs::read(&path).expect("read"));
        }
        for input in [ARGS, ATTRS, ENVIRONMENT] {
            goldens.remove(input);
        }
        let Some(list) = goldens.remove(LIST) else {
            return Err(format!("{name}: no file `{LIST}` lists what the case is about"));
        };
        let stages = listed_stages(&String::from_utf8_lossy(&list))
            .map_err(|problem| format!("{name}/{LIST}: {problem}"))?;
        let mut find = |names: &[&'static str]| {
            names.iter().copied().find(|name| goldens.remove(*name).is_some())
        };
        let subject = match (find(&TEMPLATES), find(&OLD), find(&NEW)) {
            (Some(template), None, None) => Subject::Template(template),
            (None, Some(old), Some(new)) => Subject::Pair { old, new },
            _ => return Err(format!("{name}: neither one template nor an old and a new one")),
        };
        let is_pair = matches!(subject, Subject::Pair { .. });
        if let Some(stage) = stages.iter().find(|stage| stage.command.contains("OLD") != is_pair) {
            return Err(format!("{name}/{LIST}: no templates for the stage `{}`", stage.name));
        }
        Ok(Case { name, folder, subject, stages, goldens })
    }

    /// The differences between the goldens and the output of hotplate.
    fn check(self, update: bool) -> Vec<String> {
        let actual = self.run();
        let Case { name, folder, goldens: mut expected, .. } = self;
        if update {
            for file in expected.keys().filter(|file| !actual.contains_key(*file)) {
                fs::remove_file(folder.join(file)).expect("remove");
            }
            for (file, bytes) in &actual {
                fs::write(folder.join(file), bytes).expect("write");
            }
            return Vec::new();
        }
        let mut problems = Vec::new();
        for (file, new) in &actual {
            let old = expected.remove(file).unwrap_or_default();
            if old != *new {
                problems.push(difference(&format!("{name}/{file}"), &old, new));
            }
        }
        let stray = |file| format!("{name}/{file}: no stage of {name}/{LIST} writes this file");
        problems.extend(expected.keys().map(stray));
        problems
    }

    /// What the listed stages print.
    fn run(&self) -> Goldens {
        let args = fs::read_to_string(self.folder.join(ARGS)).unwrap_or_default();
        let has_attrs = self.folder.join(ATTRS).exists();
        let attrs = if has_attrs { format!("--attrs {ATTRS}") } else { String::new() };
        let mut goldens = Goldens::new();
        let mut console = Vec::new();
        for stage in &self.stages {
            let line = match self.subject {
                Subject::Template(template) => stage.command.replace("TEMPLATE", template),
                Subject::Pair { old, new } => stage.command.replace("OLD", old).replace("NEW", new),
            };
            let line = line.replace("ARGS", args.trim()).replace("ATTRS", &attrs);
            let words: Vec<&str> = line.split_whitespace().collect();
            let output = Command::new(assert_cmd::cargo::cargo_bin!("hotplate"))
                .args(&words)
                // A case is no repository: what stands around it implies nothing.
                .arg("--no-discovery")
                .env_remove("CLICOLOR_FORCE")
                .current_dir(&self.folder)
                .output()
                .expect("hotplate runs");
            let redirected = if output.stdout.is_empty() { "" } else { " > " };
            let file = if output.stdout.is_empty() { "" } else { stage.golden };
            console.extend(format!("$ hotplate {}{redirected}{file}\n", words.join(" ")).bytes());
            console.extend(without_root(output.stderr));
            match output.status.code() {
                Some(0) => {}
                Some(status) => console.extend(format!("(exit status {status})\n").bytes()),
                None => panic!("{}: {line}: killed", self.name),
            }
            if !output.stdout.is_empty() {
                let text = without_root(output.stdout);
                let golden = if file == FACTS { facts_of(&text) } else { text };
                goldens.insert(file.to_owned(), golden);
            }
        }
        goldens.insert(CONSOLE.to_owned(), console);
        goldens
    }
}

/// An output in which the path of the project does not depend on the machine.
fn without_root(output: Vec<u8>) -> Vec<u8> {
    match String::from_utf8(output) {
        Ok(text) => text.replace(env!("CARGO_MANIFEST_DIR"), "/hotplate").into_bytes(),
        Err(error) => error.into_bytes(),
    }
}

/// A JSON document with one fact in a line: the keys to a value, and the value. Where each part stands in the source is
/// left out, as is what is absent (`null` and empty lists and maps): a comment in a sample changes no line, a new
/// part of the IR only those that have it.
fn facts_of(document: &[u8]) -> Vec<u8> {
    let document = serde_json::from_slice(document).expect("JSON");
    let mut lines = Vec::new();
    add_facts("", &document, &mut lines);
    lines.concat().into_bytes()
}

fn add_facts(keys: &str, value: &Value, lines: &mut Vec<String>) {
    match value {
        Value::Null => {}
        Value::Object(entries) => {
            for (key, value) in entries.iter().filter(|(_, value)| !is_place(value)) {
                let separator = if keys.is_empty() { "" } else { "." };
                add_facts(&format!("{keys}{separator}{key}"), value, lines);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                add_facts(&format!("{keys}[{index}]"), item, lines);
            }
        }
        Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            lines.push(format!("{keys} = {value}\n"))
        }
    }
}

/// Whether a value is a place in a source: a path, a start and an end.
fn is_place(value: &Value) -> bool {
    let keys = ["path", "start", "end"];
    value.as_object().is_some_and(|place| {
        place.len() == keys.len() && keys.iter().all(|key| place.contains_key(*key))
    })
}

#[test]
fn facts_leave_out_places_and_what_is_absent() {
    let document = br#"{"a": {"kind": "text", "place": {"path": "t", "start": {}, "end": {}}}, "b": [1, null, {"c d": "x"}], "e": []}"#;
    let facts = "a.kind = \"text\"\nb[0] = 1\nb[2].c d = \"x\"\n";
    assert_eq!(String::from_utf8_lossy(&facts_of(document)), facts);
}

fn difference(name: &str, old: &[u8], new: &[u8]) -> String {
    let (old, new) = (String::from_utf8_lossy(old), String::from_utf8_lossy(new));
    let diff = similar::TextDiff::from_lines(&old, &new);
    diff.unified_diff().header(&format!("{name} (golden)"), name).to_string()
}
