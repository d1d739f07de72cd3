//! git's own diff with hotplate as its driver: setup, its undoing, and what git shows.

use predicates::prelude::*;
use predicates::str::{contains, starts_with};

use super::git::{HOT, Repository, server};
use crate::cli::sandbox::Sandbox;

#[test]
fn setup_and_its_undoing_leave_no_trace() {
    for attributes in [None, Some("*.sh text"), Some("*.sh text\r\n")] {
        let Some(repository) = Repository::new(&[("web.yaml", HOT)]) else { return };
        if let Some(attributes) = attributes {
            repository.0.write(".gitattributes", attributes);
        }
        let config = repository.0.read(".git/config");
        let dry = repository.hotplate("git setup --dry-run").code(0);
        let dry = String::from_utf8(dry.get_output().stdout.clone()).expect("text");
        assert!(dry.starts_with("would: "), "{dry}");
        assert_eq!(repository.0.read(".git/config"), config);
        repository.hotplate("git setup").code(0).stdout(dry.replace("would: ", ""));
        repository.hotplate("git setup").code(0).stdout("already configured\n");
        let attribute = repository.git("check-attr diff web.yaml notes.md");
        assert_eq!(attribute, "web.yaml: diff: hotplate\nnotes.md: diff: unspecified\n");
        repository
            .hotplate("git setup --driver diff")
            .code(0)
            .stdout(starts_with("git config diff.hotplate.command: "));
        repository
            .hotplate("git setup")
            .code(0)
            .stdout("git config diff.hotplate.command: removed\n");
        repository.hotplate("git setup --undo").code(0);
        repository.hotplate("git setup --undo").code(0).stdout("nothing to remove\n");
        assert_eq!(repository.0.read(".git/config"), config);
        let names = repository.0.names();
        match attributes {
            Some(attributes) => assert_eq!(repository.0.text(".gitattributes"), attributes),
            None => assert_eq!(names, [".git", "web.yaml"]),
        }
    }
}

#[test]
fn what_others_set_up_stays() {
    let Some(repository) = Repository::new(&[("web.yaml", HOT)]) else { return };
    repository.git("config diff.hotplate.command meld");
    let config = repository.0.read(".git/config");
    for command in ["git setup", "git setup --driver diff"] {
        repository
            .hotplate(command)
            .code(2)
            .stderr(contains("error[HP0016]").and(contains("meld")));
    }
    repository.hotplate("git setup --undo").code(0).stdout("nothing to remove\n");
    assert_eq!(repository.0.read(".git/config"), config);
    assert_eq!(repository.0.names(), [".git", "web.yaml"]);
}

#[test]
fn git_shows_what_templates_mean() {
    let hidden = "parameters: {p: {type: string, hidden: true, default: geheim}}\n";
    let text = format!("{}{hidden}", server("one"));
    let Some(repository) = Repository::new(&[
        ("web.yaml", &text),
        ("notes.yaml", "a: 1\n"),
        ("broken.yaml", "a: [\n"),
    ]) else {
        return;
    };
    repository.hotplate("git setup").code(0);
    // A different spelling.
    let respelled = text.replace("image: one", "image: 'one'").replace(HOT, "# The web.\n");
    repository.0.write("web.yaml", respelled + HOT);
    let patch = repository.git("diff");
    assert!(!patch.contains("@@"), "{patch}");
    repository.0.write("web.yaml", text.replace("one", "two"));
    repository.0.write("notes.yaml", "a: 2\n");
    repository.0.write("broken.yaml", "b: [\n");
    let patch = repository.git("diff");
    for line in [
        "\n-  properties.image = \"one\"\n+  properties.image = \"two\"\n",
        "\n-a: 1\n+a: 2\n",
        "\n-a: [\n+b: [\n",
    ] {
        assert!(patch.contains(line), "{line}: {patch}");
    }
    assert!(!patch.contains("geheim"), "{patch}");
}

#[test]
fn git_calls_hotplate_in_place_of_its_own_diff() {
    let Some(repository) = Repository::new(&[
        ("t/web.yaml", &server("one")),
        ("gone.yaml", &server("gone")),
        ("notes.yaml", "a: 1\n"),
    ]) else {
        return;
    };
    repository.hotplate("git setup --driver diff").code(0);
    repository.0.write("t/web.yaml", server("two"));
    repository.0.write("notes.yaml", "a: 2\n");
    repository.git("rm -q gone.yaml");
    repository.0.write("new.yaml", server("new"));
    repository.git("add new.yaml");
    let shown = repository.git("diff HEAD");
    for part in ["image", "gone.yaml", "new.yaml", "t/web.yaml", "-a: 1\n+a: 2\n"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    assert!(!shown.contains("/tmp/"), "the names are the real ones: {shown}");
    assert!(!shown.contains("@@ resource"), "no patch of a template: {shown}");
    // A broken template is still a text.
    repository.0.write("t/web.yaml", "heat_template_version: [\n");
    let shown = repository.git("diff -- t/web.yaml");
    assert!(shown.contains("+heat_template_version: ["), "{shown}");
    // git passes nine arguments for a renamed file.
    repository.git("checkout -q HEAD -- t/web.yaml");
    repository.git("mv t/web.yaml t/moved.yaml");
    assert_eq!(repository.git("diff --cached -M -- t"), "t/moved.yaml: no differences\n");
    repository.0.write("t/moved.yaml", server("two"));
    repository.git("add t");
    let shown = repository.git("diff --cached -M -- t");
    assert!(shown.contains("t/moved.yaml") && shown.contains("two"), "{shown}");
}

#[test]
fn the_text_of_what_is_no_template_is_what_it_is() {
    let sandbox = Sandbox::new(&[
        ("env.yaml", "parameters: {a: 1}\n"),
        ("cfn.yaml", "HeatTemplateFormatVersion: '2012-12-13'\n"),
        ("broken.yaml", "heat_template_version: [\n"),
        ("empty.yaml", ""),
    ]);
    sandbox.write("binary.yaml", b"\xff\x00");
    for name in ["env.yaml", "cfn.yaml", "broken.yaml", "empty.yaml", "binary.yaml"] {
        let output = sandbox.hotplate(&format!("ir --text {name}")).assert().code(0);
        assert_eq!(output.get_output().stdout, sandbox.read(name), "{name}");
        assert!(output.get_output().stderr.is_empty(), "{name}");
    }
    sandbox.hotplate("ir --text no.yaml").assert().code(2).stderr(contains("error[HP0001]"));
    sandbox.hotplate("ir --text --schema").assert().code(2);
}
