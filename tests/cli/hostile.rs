//! Malicious repositories and folders: nothing of theirs is executed, no link leads out of its
//! folder, and files that hotplate did not write are kept.

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use predicates::prelude::*;
use predicates::str::contains;

use crate::cli::git::Repository;
use crate::cli::sandbox::{NEW, OLD, Sandbox};

fn server(user_data: &str) -> String {
    format!(
        "heat_template_version: 2018-08-31\nresources:\n  web: {{type: 'OS::Nova::Server', properties: {{image: i, flavor: f, networks: [{{network: n}}], user_data: {user_data}}}}}\n"
    )
}

/// Configures everything that a repository can make git run; each writes its name to `.git/marker`.
fn trap(repository: &Repository) {
    let sandbox = &repository.0;
    let marker = sandbox.at(".git/marker").display().to_string();
    let marks = |name: &str| format!("echo {name} >> {marker}");
    let hooks = sandbox.at(".git/evil");
    fs::create_dir(&hooks).expect("a folder");
    for hook in
        ["post-index-change", "reference-transaction", "post-checkout", "pre-auto-gc", "fsmonitor"]
    {
        let path = hooks.join(hook);
        fs::write(&path, format!("#!/bin/sh\n{}\n", marks(hook))).expect("a hook");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("chmod");
    }
    let hook = |name: &str| hooks.join(name).display().to_string();
    let set = |key: &str, value: &str| {
        let output = repository.git_output(&["config", key, value]);
        assert!(output.status.success(), "{key}: {output:?}");
    };
    set("filter.evil.clean", &format!("{}; cat", marks("clean")));
    set("filter.evil.smudge", &format!("{}; cat", marks("smudge")));
    set("filter.evil.required", "true");
    set("filter.Two.Dots.process", &format!("{}; false", marks("process")));
    set("diff.evil.textconv", &format!("{}; cat", marks("textconv")));
    set("diff.evil.command", &marks("diff-command"));
    set("diff.external", &marks("diff-external"));
    set("core.pager", &marks("pager"));
    set("core.editor", &marks("editor"));
    set("core.sshCommand", &marks("ssh"));
    set("core.askPass", &hook("fsmonitor"));
    set("credential.helper", &format!("!{}", marks("credential")));
    set("gpg.program", &hook("fsmonitor"));
    for command in ["rev-parse", "diff", "ls-files", "ls-tree", "cat-file", "config", "merge-base"]
    {
        set(&format!("alias.{command}"), &format!("!{}", marks(command)));
    }
    set("extensions.partialClone", "origin");
    set("remote.origin.promisor", "true");
    set("remote.origin.url", &format!("ext::sh -c {}", marks("remote").replace(' ', "% ")));
    set("protocol.ext.allow", "always");
    set("core.hooksPath", &hooks.display().to_string());
    set("core.fsmonitor", &hook("fsmonitor"));
}

#[test]
fn nothing_that_a_repository_configures_is_run() {
    let Some(repository) = Repository::new(&[]) else { return };
    let sandbox = &repository.0;
    for name in ["web.yaml", "moved.yaml", "gone.yaml", "two.hot"] {
        sandbox.write(name, server(name));
    }
    sandbox.write(".gitattributes", "*.yaml filter=evil diff=evil\n*.hot filter=Two.Dots\n");
    // A nested repository, for which git starts another git.
    sandbox.write("sub/a.yaml", server("sub"));
    for arguments in ["init -q sub", "-C sub add .", "-C sub commit -q -m m"] {
        repository.git(arguments);
    }
    repository.commit();
    sandbox.write("web.yaml", server("second"));
    repository.git("mv moved.yaml moved-away.yaml");
    repository.commit();
    repository.git("mv moved-away.yaml moved-again.yaml");
    trap(&repository);
    fs::copy(sandbox.at(".git/config"), sandbox.at("sub/.git/config")).expect("a copy");
    let marker = sandbox.at(".git/marker");
    let touch = |at: usize| {
        for name in ["web.yaml", "moved-again.yaml", "two.hot", "sub/a.yaml"] {
            sandbox.write(name, server(&format!("now-{at}")));
        }
    };
    touch(0);
    repository.git_output(&["diff", "HEAD", "--", "web.yaml"]);
    repository.git_output(&["diff", "--no-ext-diff", "HEAD", "--", "web.yaml"]);
    repository.git_output(&["diff", "HEAD", "--", "two.hot"]);
    let sprung = fs::read_to_string(&marker).expect("git itself runs what is configured");
    for name in ["clean", "process", "fsmonitor", "diff-command", "textconv"] {
        assert!(sprung.contains(name), "{name} is not in {sprung}");
    }
    for (at, arguments) in [
        "diff --git HEAD",
        "diff --git",
        "diff --git --staged",
        "diff --git HEAD~",
        "diff --git HEAD~..HEAD",
        "diff --git HEAD~...HEAD",
        "diff --git HEAD web.yaml",
        "capabilities list .",
        "upgrade --diff .",
        "git setup --dry-run",
        "git setup",
        "git setup --undo",
    ]
    .into_iter()
    .enumerate()
    {
        touch(at + 1);
        let _ = fs::remove_file(&marker);
        let told = repository.hotplate(arguments);
        let run = fs::read_to_string(&marker).unwrap_or_default();
        assert_eq!(run, "", "{arguments}: {:?}", told.get_output());
    }
    // The content of a file is missing and would have to be fetched.
    let blob = repository.git_output(&["rev-parse", "HEAD~:web.yaml"]).stdout;
    let blob = String::from_utf8(blob).expect("text");
    let blob = blob.trim();
    fs::remove_file(sandbox.at(format!(".git/objects/{}/{}", &blob[..2], &blob[2..])))
        .expect("a loose object");
    let _ = fs::remove_file(&marker);
    repository.hotplate("diff --git HEAD~..HEAD");
    assert!(!marker.exists(), "{}", fs::read_to_string(&marker).unwrap_or_default());
}

#[test]
fn a_filter_whose_name_cannot_be_given_is_an_error() {
    let Some(repository) = Repository::new(&[("web.yaml", &server("one"))]) else { return };
    repository.git_output(&["config", "filter.a=b.clean", "touch marker; cat"]);
    repository.0.write("web.yaml", server("two"));
    let said = "error[HP0015]: git failed: the filter `filter.a=b` cannot be disabled";
    repository.hotplate("diff --git HEAD").code(2).stderr(contains(said));
    assert!(!repository.0.at("marker").exists());
}

#[test]
fn setup_follows_no_link_out_of_the_repository() {
    let outside = Sandbox::new(&[("attributes", "kept\n"), ("config", "[a]\n")]);
    let Some(repository) = Repository::new(&[("web.yaml", OLD)]) else { return };
    let linked = |name: &str, to: &str| {
        let _ = fs::remove_file(repository.0.at(name));
        symlink(outside.at(to), repository.0.at(name)).expect("a link");
    };
    linked(".gitattributes", "attributes");
    for command in ["git setup", "git setup --undo", "git setup --dry-run"] {
        let said = contains("error[HP0016]: `").and(contains("` is not a regular file\n"));
        repository.hotplate(command).code(2).stderr(said);
    }
    assert_eq!(outside.text("attributes"), "kept\n");
    fs::remove_file(repository.0.at(".gitattributes")).expect("removed");
    repository.hotplate("git setup").code(0);
}

#[test]
fn accepting_follows_no_link_and_removes_nothing_behind_one() {
    let sandbox = Sandbox::new(&[("notes/plan.yaml", "mine\n"), ("notes/more.txt", "more\n")]);
    sandbox.hotplate("targets new own").assert().success();
    let expected = sandbox.at("own/cases/web/expected");
    let good = sandbox.text("own/cases/web/expected/plan.yaml");
    fs::rename(&expected, sandbox.at("kept")).expect("moved");
    symlink(sandbox.at("notes"), &expected).expect("a link");
    let said = contains("expected` cannot be read: it is a symbolic link, which is not followed");
    sandbox.hotplate("targets test own --accept").assert().code(2).stderr(said);
    assert_eq!(sandbox.text("notes/plan.yaml"), "mine\n");
    assert_eq!(sandbox.text("notes/more.txt"), "more\n");
    assert!(expected.is_symlink());
    // A link to a file is not followed either, whether the file is rendered or not.
    fs::remove_file(&expected).expect("removed");
    fs::rename(sandbox.at("kept"), &expected).expect("moved");
    for name in ["plan.yaml", "more.txt"] {
        let at = expected.join(name);
        let _ = fs::remove_file(&at);
        symlink(sandbox.at("notes").join(name), &at).expect("a link");
        let said = contains(format!("{name}` cannot be read: it is a symbolic link"));
        sandbox.hotplate("targets test own --accept").assert().code(2).stderr(said);
        assert!(at.is_symlink());
        fs::remove_file(&at).expect("removed");
        fs::write(expected.join("plan.yaml"), &good).expect("written");
    }
    assert_eq!(sandbox.text("notes/plan.yaml"), "mine\n");
    assert_eq!(sandbox.text("notes/more.txt"), "more\n");
    sandbox.hotplate("targets test own").assert().success();
}

#[test]
fn a_target_reads_nothing_behind_a_link_that_leads_out_of_it() {
    let sandbox = Sandbox::new(&[("stack.yaml", NEW), ("secret/key.hbs", "outside\n")]);
    sandbox.hotplate("targets new own").assert().success();
    symlink(sandbox.at("own/parts"), sandbox.at("own/same")).expect("a link");
    sandbox.hotplate("targets show ./own").assert().success();
    for (name, to) in [("own/parts/key.hbs", "secret/key.hbs"), ("own/more", "secret")] {
        symlink(sandbox.at(to), sandbox.at(name)).expect("a link");
        let said = contains(format!(
            "{name}` is a symbolic link that leads out of the folder of the target"
        ));
        for command in ["targets show ./own", "targets test ./own", "render stack.yaml -t ./own"] {
            sandbox.hotplate(command).assert().code(2).stderr(said.clone());
        }
        fs::remove_file(sandbox.at(name)).expect("removed");
    }
}

#[test]
fn rendering_into_a_folder_follows_no_link_in_it() {
    let stack =
        "heat_template_version: 2018-08-31\nresources:\n  net: {type: 'OS::Neutron::Net'}\n";
    let sandbox = Sandbox::new(&[("stack.yaml", stack), ("other/mine.tf", "mine\n")]);
    sandbox.hotplate("render stack.yaml -t terraform -o real").assert().success();
    let name = "main.tf";
    assert!(sandbox.at("real").join(name).exists());
    // The given folder itself may be a link.
    symlink(sandbox.at("real"), sandbox.at("out")).expect("a link");
    sandbox.hotplate("render stack.yaml -t terraform -o out --force").assert().success();
    assert!(sandbox.at("out").is_symlink());
    fs::remove_file(sandbox.at("real").join(name)).expect("removed");
    symlink(sandbox.at("other/mine.tf"), sandbox.at("real").join(name)).expect("a link");
    let refused = sandbox.hotplate("render stack.yaml -t terraform -o out --force").assert();
    refused.code(2).stderr(contains("main.tf` is a symbolic link, which is not followed"));
    assert_eq!(sandbox.text("other/mine.tf"), "mine\n");
    assert!(sandbox.at("real").join(name).is_symlink());
}

/// A stack whose user data is read from a file.
fn including(path: &str) -> String {
    server(&format!("{{get_file: '{path}'}}"))
}

/// Refused with HP0501 and these words, and allowed by the option that the help suggests.
fn refused_until_allowed(sandbox: &Sandbox, command: &str, words: &str) {
    let run = |line: &str| {
        let output = sandbox.hotplate(line).output().expect("hotplate");
        let both = [output.stdout, output.stderr].concat();
        (output.status.code(), String::from_utf8(both).expect("text"))
    };
    let (_, said) = run(command);
    assert!(said.contains("HP0501") && said.contains(words), "{command}: {said}");
    let advice =
        said.split("help: `").nth(1).and_then(|rest| rest.split("` allows reading").next());
    let advice = advice.unwrap_or_else(|| panic!("no advice in {said}")).replace('\'', "");
    // The option replaces a blank; the paths of these tests contain no blanks.
    let (status, said) = run(&format!("{command} {advice}"));
    assert!(!said.contains("HP05") && !said.contains("HP00"), "{command} {advice}: {said}");
    assert!(matches!(status, Some(0 | 1)), "{command} {advice}: {said}");
}

#[test]
fn what_may_hold_credentials_is_read_only_where_it_is_named() {
    let Some(repository) = Repository::new(&[
        (".gitignore", "*.env\n/build/\n!kept.env\n"),
        ("deep/.gitignore", "/local.sh\n"),
        ("tracked.env", "x\n"),
        ("boot.sh", "x\n"),
    ]) else {
        return;
    };
    let sandbox = &repository.0;
    repository.git("add -f tracked.env");
    repository.commit();
    for name in ["prod.env", "build/boot.sh", "deep/local.sh", "excluded.sh", "kept.env", "new.sh"]
    {
        sandbox.write(name, "x\n");
    }
    sandbox.write(".git/info/exclude", "excluded.sh\n");
    sandbox.write(".ssh/id", "x\n");
    sandbox.write("bare/HEAD", "ref: refs/heads/main\n");
    fs::create_dir_all(sandbox.at("bare/objects")).expect("a folder");
    fs::create_dir_all(sandbox.at("bare/refs")).expect("a folder");
    symlink(".git/config", sandbox.at("link.sh")).expect("a link");
    symlink("prod.env", sandbox.at("other.sh")).expect("a link");
    for name in ["boot.sh", "tracked.env", "kept.env", "new.sh"] {
        sandbox.write("web.yaml", including(name));
        let quiet = contains("HP0501").not();
        sandbox.hotplate("eval web.yaml").assert().stderr(quiet);
    }
    let (private, ignored) = ("in a folder that may contain credentials", "ignored by git");
    for (name, why) in [
        (".git/config", private),
        (".GIT/../.git/HEAD", private),
        ("link.sh", private),
        (".ssh/id", private),
        ("bare/HEAD", private),
        ("prod.env", ignored),
        ("other.sh", ignored),
        ("build/boot.sh", ignored),
        ("deep/local.sh", ignored),
        ("excluded.sh", ignored),
    ] {
        sandbox.write("web.yaml", including(name));
        let told = sandbox.hotplate("eval web.yaml").output().expect("hotplate");
        assert!(!told.status.success(), "{name}");
        refused_until_allowed(sandbox, "eval web.yaml", why);
        refused_until_allowed(sandbox, "render web.yaml -t terraform", why);
    }
    // Everything below a given folder, except keys.
    sandbox.write("web.yaml", including("prod.env"));
    let quiet = contains("HP0501").not();
    sandbox.hotplate("eval web.yaml --allow-path .").assert().stderr(quiet);
    sandbox.write("web.yaml", including(".git/config"));
    sandbox.hotplate("eval web.yaml --allow-path .").assert().stderr(contains("HP0501"));
}

#[test]
fn the_advice_for_a_link_is_true() {
    let outside = Sandbox::new(&[("boot.sh", "outside\n")]);
    let Some(repository) = Repository::new(&[("web.yaml", &including("link.sh"))]) else { return };
    let sandbox = &repository.0;
    symlink(outside.at("boot.sh"), sandbox.at("link.sh")).expect("a link");
    repository.commit();
    sandbox.write("web.yaml", including("link.sh").replace("image: i", "image: j"));
    repository.commit();
    let words = "`link.sh` (a symbolic link to `";
    for command in
        ["eval web.yaml", "diff --git HEAD~", "diff --git HEAD~..HEAD", "diff --git HEAD~ --staged"]
    {
        refused_until_allowed(sandbox, command, words);
    }
}
