//! `hotplate upgrade --diff`: `git apply` accepts its output in the folder where it was printed.

use std::path::Path;
use std::process::Command;

use predicates::prelude::*;
use predicates::str::{contains, is_empty};

use crate::cli::sandbox::{NEW, OLD, Sandbox};

/// A hidden default among the context lines of a change.
const HIDDEN: &str = "\
heat_template_version: 2013-05-23
parameters:
  secret:
    type: string
    hidden: true
    default: geheim
outputs:
  name: {value: {Fn::Join: ['-', [a, b]]}}
";

/// A hidden default right after a changed line.
const BESIDE: &str = "\
heat_template_version: 2013-05-23
parameters: {secret: {type: string, hidden: true, default: geheim}}
outputs: {}
";

fn git(folder: &Path, arguments: &[&str]) -> std::process::Output {
    let mut command = Command::new("git");
    command.args(["-c", "core.autocrlf=false"]).args(arguments).current_dir(folder);
    command.output().expect("git runs")
}

/// Prints the patch of `paths` in a folder, applies it there, and returns it.
fn apply(sandbox: &Sandbox, folder: &str, paths: &[&str]) -> String {
    let folder = sandbox.at(folder);
    let mut command = sandbox.run(&["upgrade", "--diff"]);
    let output = command.args(paths).current_dir(&folder).output().expect("it runs");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    std::fs::write(sandbox.at("upgrade.patch"), &output.stdout).expect("a file");
    let patch = sandbox.at("upgrade.patch");
    let applied = git(&folder, &["apply", patch.to_str().expect("text")]);
    let patch = String::from_utf8_lossy(&output.stdout).into_owned();
    let said = String::from_utf8_lossy(&applied.stderr).into_owned();
    assert!(applied.status.success(), "{said}\n{patch}");
    patch
}

fn repository(files: &[(&str, String)]) -> Sandbox {
    let sandbox = Sandbox::new(files);
    assert!(git(&sandbox.at(""), &["init", "-q"]).status.success());
    sandbox
}

/// Names that the header of a diff must quote, or that a patch program could misread.
const NAMES: [&str; 7] = [
    "a.yaml",
    "with space.yaml",
    "quo\"te.yaml",
    "back\\slash.yaml",
    "Größe 中文.yaml",
    "new\nline\u{202e}.yaml",
    // git guesses how many components of such a path to strip, unless the header is unambiguous.
    "lib/lib/b.yaml",
];

#[cfg(unix)]
#[test]
fn git_applies_the_diff_whatever_the_names_are() {
    for folder in ["", "lib"] {
        let files = NAMES.map(|name| (name, OLD.to_owned()));
        let sandbox = repository(&files);
        for name in NAMES {
            sandbox.write(Path::new(folder).join(name), OLD);
        }
        apply(&sandbox, folder, &["."]);
        for name in NAMES {
            let path = Path::new(folder).join(name);
            let text = sandbox.read(&path);
            assert_eq!(String::from_utf8_lossy(&text), NEW, "{}", path.display());
        }
    }
}

#[test]
fn paths_are_those_of_the_current_folder_however_they_are_typed() {
    let sandbox = repository(&[("lib/a.yaml", OLD.to_owned())]);
    let absolute = sandbox.at("lib/a.yaml");
    let absolute = absolute.to_str().expect("text");
    for (folder, path, shown) in [
        ("", absolute, "lib/a.yaml"),
        ("lib", absolute, "a.yaml"),
        ("", "./lib/../lib/a.yaml", "lib/a.yaml"),
        ("lib", ".", "a.yaml"),
    ] {
        sandbox.write("lib/a.yaml", OLD);
        let patch = apply(&sandbox, folder, &[path]);
        let header = format!("--- a/{shown}\n+++ b/{shown}\n@@");
        assert!(patch.starts_with(&header), "{patch}");
        assert_eq!(sandbox.text("lib/a.yaml"), NEW);
    }
    std::fs::create_dir(sandbox.at("other")).expect("a folder");
    sandbox.write("lib/a.yaml", OLD);
    let mut elsewhere = sandbox.run(&["upgrade", "--diff", "../lib/a.yaml"]);
    let said = contains("../lib/a.yaml is not in the current folder, so `git apply` does not");
    elsewhere.current_dir(sandbox.at("other")).assert().code(0).stderr(said);
}

#[test]
fn line_ends_stay_as_they_are() {
    for change in [
        |text: &str| text.replace('\n', "\r\n"),
        |text: &str| text.trim_end().to_owned(),
        |text: &str| format!("\u{feff}{text}"),
        |text: &str| text.replace('\n', "\r"),
        |text: &str| format!("{}\r\n\r\n# end", text.replace('\n', "\r\n").trim_end()),
    ] {
        let sandbox = repository(&[("a.yaml", change(OLD))]);
        apply(&sandbox, "", &["a.yaml"]);
        assert_eq!(sandbox.text("a.yaml"), change(NEW));
    }
}

#[test]
fn a_hidden_default_near_a_change_is_left_out() {
    let sandbox = repository(&[("a.yaml", HIDDEN.to_owned())]);
    let patch = apply(&sandbox, "", &["a.yaml"]);
    assert!(!patch.contains("geheim") && !patch.contains("***"), "{patch}");
    assert!(
        patch.contains("\n@@ -1,4 +1,4 @@\n") && patch.contains("\n@@ -7,2 +7,2 @@\n"),
        "{patch}"
    );
    let new = HIDDEN.replace("2013-05-23", "2021-04-16").replace("Fn::Join", "list_join");
    assert_eq!(sandbox.text("a.yaml"), new);
}

#[test]
fn a_patch_that_would_write_stars_is_a_comment() {
    let json = r#"{"heat_template_version": "2013-05-23", "parameters": {"secret": {"type": "string", "hidden": true, "default": "geheim"}}}"#;
    for text in [BESIDE, json] {
        let sandbox = Sandbox::new(&[("a.yaml", text), ("b.yaml", OLD)]);
        let output = sandbox
            .hotplate("upgrade --diff a.yaml b.yaml")
            .assert()
            .code(1)
            .stderr(contains("warning[HP0409]: the patch of `a.yaml` is a comment: "))
            .stdout(contains("# a.yaml: not a patch, ").and(contains("geheim").not()))
            .stdout(contains("******").and(contains("\n--- a/b.yaml\n+++ b/b.yaml\n")))
            .get_output()
            .stdout
            .clone();
        sandbox.write("upgrade.patch", output);
        let applied = git(&sandbox.at(""), &["apply", "upgrade.patch"]);
        assert!(applied.status.success(), "{}", String::from_utf8_lossy(&applied.stderr));
        assert_eq!((sandbox.text("a.yaml"), sandbox.text("b.yaml")), (text.into(), NEW.into()));
        // By itself it is not a patch at all, and git reports that.
        sandbox.write("b.yaml", OLD);
        let alone = sandbox.hotplate("upgrade --diff a.yaml").assert().code(1);
        sandbox.write("upgrade.patch", &alone.get_output().stdout);
        assert!(!git(&sandbox.at(""), &["apply", "upgrade.patch"]).status.success());
        sandbox
            .hotplate("upgrade --diff --show-secrets a.yaml")
            .assert()
            .code(0)
            .stdout(contains("geheim").and(contains("# ").not()));
    }
}

#[test]
fn nothing_to_change_is_an_empty_diff() {
    let sandbox = Sandbox::new(&[("a.yaml", NEW)]);
    sandbox.hotplate("upgrade --diff a.yaml").assert().code(0).stdout(is_empty());
}
