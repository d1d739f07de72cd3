//! Tests of the files for continuous integration, as far as possible without it: they are valid YAML, their
//! scripts are valid shell, and their commands are valid commands of hotplate.

use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

use hotplate_diff::DANGEROUS;
use lossless_yaml::{Document, Limits, NodeId, NodeKind, read_yaml};
use source_diagnostics::SourceMap;
use source_files::EXTENSIONS;

fn text(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn document(name: &str, text: &str) -> Document {
    let mut sources = SourceMap::default();
    let source = sources.add(name, text.into());
    let document = read_yaml(source, text.into(), &Limits::default())
        .unwrap_or_else(|finding| panic!("{name}: {finding:?}\n{text}"));
    // `on:`, which GitHub requires, is a boolean in YAML 1.1.
    let wrong = document
        .findings()
        .iter()
        .find(|finding| finding.code != lossless_yaml::codes::NON_TEXT_KEY);
    assert_eq!(wrong, None, "{name}");
    document
}

/// The YAML in the fenced blocks of a page. A part of a list of steps is a document of its own.
fn fenced(page: &str) -> Vec<String> {
    let mut found = Vec::new();
    for part in page.split("```yaml\n").skip(1) {
        found.push(part.split("\n```").next().unwrap_or_default().to_owned());
    }
    found
}

/// All shell text: the text of every `run` and of every `cmd`, the lines of every `script`, every `entry` with
/// its `args`.
fn shell(document: &Document) -> Vec<String> {
    let mut found = Vec::new();
    if let Some(root) = document.root() {
        collect(document, root, &mut found);
    }
    found
}

fn collect(document: &Document, node: NodeId, found: &mut Vec<String>) {
    let str = |node: NodeId| document.str(node).unwrap_or_default().to_owned();
    match document.kind(node) {
        NodeKind::Mapping(_) => {
            for key in ["run", "entry", "cmd"] {
                let Some(command) = document.get(node, key) else { continue };
                let args = document.get(node, "args").map_or(&[][..], |args| document.items(args));
                let args: Vec<String> = args.iter().map(|arg| format!(" {}", str(*arg))).collect();
                found.push(str(command) + &args.concat());
            }
            if let Some(script) = document.get(node, "script") {
                let lines: Vec<String> =
                    document.items(script).iter().map(|line| str(*line)).collect();
                found.push(lines.join("\n"));
            }
            for entry in document.entries(node) {
                collect(document, entry.value, found);
            }
        }
        NodeKind::Sequence(_) => {
            for item in document.items(node) {
                collect(document, *item, found);
            }
        }
        _ => {}
    }
}

/// The calls of hotplate in a shell text, with placeholders for what the shell inserts: paths and revisions.
fn calls(shell: &str) -> Vec<Vec<OsString>> {
    let mut found = Vec::new();
    for line in shell.lines().map(str::trim).filter(|line| line.starts_with("hotplate ")) {
        let line = line.split(['>', '|']).next().unwrap_or_default();
        let words = line.split_whitespace().flat_map(|word| match word.trim_matches('"') {
            "${arguments[@]}" => vec!["-e", "env.yaml"],
            "${fail_on[@]}" => vec!["--fail-on", DANGEROUS],
            "${marker[@]}" => vec!["--marker", "name"],
            "${paths[@]}" => vec!["a.yaml", "folder"],
            "$range" | "$BASE...$HEAD" => vec!["main...HEAD"],
            "$ALLOW_FROM" => vec!["base"],
            "$CI_MERGE_REQUEST_DIFF_BASE_SHA" => vec!["main"],
            "$CI_PROJECT_URL/-/blob/{revision}/{path}#L{line}" => {
                vec!["https://git.example/-/blob/{revision}/{path}#L{line}"]
            }
            "markdown=\"$report" => vec!["markdown=report.md"],
            "json=\"$json" => vec!["json=report.json"],
            word => {
                assert!(!word.contains('$'), "what is {word}?");
                vec![word]
            }
        });
        found.push(words.map(OsString::from).collect());
    }
    found
}

/// The files with their documents.
fn files() -> Vec<(String, Document)> {
    let mut files = Vec::new();
    for name in ["action.yml", ".pre-commit-hooks.yaml"] {
        files.push((name.to_owned(), document(name, &text(name))));
    }
    for page in ["docs/ci.md", "docs/check-in-ci.md", "docs/zuul.md"] {
        for (at, yaml) in fenced(&text(page)).iter().enumerate() {
            let name = format!("{page}, {at}");
            files.push((name.clone(), document(&name, yaml)));
        }
    }
    files
}

#[test]
fn their_commands_are_taken() {
    let mut count = 0;
    for (name, document) in files() {
        for call in shell(&document).iter().flat_map(|text| calls(text)) {
            count += 1;
            if let Err(error) = super::parse(&call) {
                panic!("{name}: {call:?}: {error}");
            }
        }
    }
    assert!(count >= 9, "{count} calls");
}

#[test]
fn every_published_gate_has_one_level() {
    let mut gates = Vec::new();
    for (name, document) in files() {
        for call in shell(&document).iter().flat_map(|text| calls(text)) {
            let words: Vec<String> =
                call.iter().map(|word| word.to_string_lossy().into_owned()).collect();
            let level = words.iter().position(|word| word == "--fail-on").map(|at| &words[at + 1]);
            if words[1] == "diff"
                && words.iter().any(|word| word == "--allow-from" || word == "--staged")
            {
                assert_eq!(level.map(String::as_str), Some(DANGEROUS), "{name}: {words:?}");
                gates.push(name.clone());
            }
        }
    }
    // The default of the action.
    let document = document("action.yml", &text("action.yml"));
    let root = document.root().expect("a root");
    let input = document.get(root, "inputs").and_then(|inputs| document.get(inputs, "fail-on"));
    let default = input.and_then(|input| document.get(input, "default"));
    assert_eq!(default.and_then(|default| document.str(default)), Some(DANGEROUS));
    for page in ["action.yml", ".pre-commit-hooks.yaml", "docs/ci.md", "docs/zuul.md"] {
        assert!(gates.iter().any(|name| name.starts_with(page)), "{page}: {gates:?}");
        assert!(!text(page).contains("refused,delete"), "{page} has another level");
    }
}

#[test]
fn the_hooks_are_given_every_file_that_a_search_finds() {
    let document = document(".pre-commit-hooks.yaml", &text(".pre-commit-hooks.yaml"));
    let hooks = document.items(document.root().expect("a root"));
    let patterns = hooks.iter().filter_map(|hook| document.str(document.get(*hook, "files")?));
    let names: Vec<&str> = EXTENSIONS.iter().map(|extension| extension.name).collect();
    let expected = format!(r"(?i)\.({})$", names.join("|"));
    let patterns: Vec<&str> = patterns.collect();
    assert!(!patterns.is_empty() && patterns.iter().all(|it| *it == expected), "{patterns:?}");
}

#[test]
fn their_shell_is_shell() {
    if Command::new("bash").arg("--version").output().is_err() {
        return; // bash is not installed.
    }
    let mut count = 0;
    for (name, document) in files() {
        for text in shell(&document) {
            count += 1;
            assert!(
                !text.contains("${{"),
                "{name}: what a pull request says must not be shell: {text}"
            );
            let checked = Command::new("bash").args(["-n", "-c", &text]).output().expect("bash");
            assert!(
                checked.status.success(),
                "{name}: {}\n{text}",
                String::from_utf8_lossy(&checked.stderr)
            );
        }
    }
    assert!(count >= 7, "{count} texts");
}

#[test]
fn the_action_is_whole() {
    let document = document("action.yml", &text("action.yml"));
    let root = document.root().expect("a root");
    let inputs = document.get(root, "inputs").expect("inputs");
    let text = document.text();
    for entry in document.entries(inputs) {
        let name = document.str(entry.key).expect("a name");
        assert!(document.get(entry.value, "description").is_some(), "{name}");
        assert!(text.contains(&format!("inputs.{name}")), "{name} is used");
    }
    let runs = document.get(root, "runs").expect("runs");
    let steps = document.items(document.get(runs, "steps").expect("steps"));
    for step in steps {
        let str = |key: &str| document.get(*step, key).and_then(|value| document.str(value));
        // A step is another action, pinned as everywhere, or a script of bash.
        assert_eq!(str("shell"), str("run").map(|_| "bash"));
        assert!(str("run").is_some() || str("uses").is_some());
    }
}
