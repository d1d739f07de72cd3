//! `hotplate upgrade --write`: files are replaced completely or not at all, and nothing else is changed.

use std::fs;
use std::process::{Command, Stdio};
use std::time::Duration;

use predicates::str::{contains, is_empty};

use crate::cli::sandbox::{NEW, OLD, Sandbox};

#[test]
fn only_files_that_change_are_written() {
    let sandbox = Sandbox::new(&[("a.yaml", OLD), ("b.yaml", NEW), ("c.yaml", "a: 1\n")]);
    let past = std::time::SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    let modified = |name: &str| fs::metadata(sandbox.at(name)).expect("metadata").modified();
    for name in ["a.yaml", "b.yaml", "c.yaml"] {
        let file = fs::File::options().write(true).open(sandbox.at(name)).expect("a file");
        file.set_modified(past).expect("a time");
    }
    sandbox
        .hotplate("upgrade --write .")
        .assert()
        .code(0)
        .stdout(is_empty())
        .stderr("3 files: 1 upgraded (1 rewritten), 1 unchanged, 1 not a HOT template (skipped)\n");
    assert_eq!(sandbox.text("a.yaml"), NEW);
    assert_ne!(modified("a.yaml").expect("a time"), past);
    assert_eq!(modified("b.yaml").expect("a time"), past);
    assert_eq!(modified("c.yaml").expect("a time"), past);
    assert_eq!(sandbox.names(), ["a.yaml", "b.yaml", "c.yaml"]);
}

#[test]
fn what_a_killed_write_left_is_neither_taken_for_a_template_nor_touched() {
    let left = ".hotplate-Xa8fQ2.tmp";
    let sandbox = Sandbox::new(&[("a.yaml", OLD), (left, OLD)]);
    sandbox
        .hotplate("upgrade --write .")
        .assert()
        .code(0)
        .stderr("1 file: 1 upgraded (1 rewritten)\n");
    sandbox.hotplate("upgrade --check .").assert().code(0).stdout(is_empty());
    let versions = sandbox.json("versions --format json .", 0);
    assert_eq!(versions["files"].as_array().map(Vec::len), Some(1));
    assert_eq!((sandbox.text("a.yaml"), sandbox.text(left)), (NEW.into(), OLD.into()));
}

#[test]
fn whenever_it_is_killed_every_file_is_old_or_new() {
    let names: Vec<String> = (0..200).map(|at| format!("{at}.yaml")).collect();
    let files: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), OLD)).collect();
    for wait in [5, 10, 20, 40, 80] {
        let sandbox = Sandbox::new(&files);
        let mut child = Command::new(assert_cmd::cargo::cargo_bin!("hotplate"))
            .args(["upgrade", "--write", "."])
            .current_dir(sandbox.at(""))
            .stderr(Stdio::null())
            .spawn()
            .expect("hotplate");
        std::thread::sleep(Duration::from_millis(wait));
        child.kill().expect("it is killed, or has ended");
        child.wait().expect("an end");
        for name in sandbox.names() {
            if !name.starts_with(".hotplate-") {
                let text = sandbox.text(&name);
                assert!(text == OLD || text == NEW, "{name} after {wait} ms: {text}");
            }
        }
        // Leftovers do not disturb the next run.
        sandbox.hotplate("upgrade --write .").assert().code(0);
        assert!(names.iter().all(|name| sandbox.text(name) == NEW));
    }
}

/// Every command that writes, under limits on the size of files that it exceeds at once, in the middle, or not: its files are old or
/// complete, and nothing else is left.
#[cfg(unix)]
#[test]
fn a_limit_on_the_size_of_files_leaves_everything_as_it_was() {
    let parameters: String =
        (0..300).map(|at| format!("  p{at}: {{type: string, default: x}}\n")).collect();
    let template = format!(
        "heat_template_version: 2013-05-23\nparameters:\n{parameters}outputs:\n  o: {{value: {{'Fn::Join': ['', [a, b]]}}}}\n"
    );
    let environment = "parameters: {}\n";
    let commands = [
        "upgrade --write t.yaml",
        "check --unsafe-fixes t.yaml",
        "check --select all --write-baseline new.json t.yaml",
        "check --select all --write-baseline old.txt t.yaml",
        "render --target cfn -o new.json t.yaml",
        "render --target cfn --force -o old.txt t.yaml",
        "render --target terraform -o folder/deep t.yaml",
        "render --target terraform --force -o existing t.yaml",
        "diff t.yaml u.yaml -o html=new.html",
        "diff t.yaml u.yaml -o json=old.txt",
        "capabilities resolve t.yaml -e env.yaml -o resolved",
        "targets new mine",
        "man -o manual",
    ];
    for words in commands {
        // Blocks of 512 bytes.
        for blocks in [0, 1, 8, 1_000_000] {
            let sandbox = Sandbox::new(&[
                ("t.yaml", template.as_str()),
                ("u.yaml", &template.replace("[a, b]", "[a, c]")),
                ("env.yaml", environment),
                ("old.txt", "old\n"),
                ("existing/main.tf", "old\n"),
                ("existing/mine.tf", "mine\n"),
            ]);
            let before = contents(&sandbox.at(""));
            let mut command = Command::new("sh");
            let hotplate = assert_cmd::cargo::cargo_bin!("hotplate").display().to_string();
            command.current_dir(sandbox.at(""));
            command.args(["-c", &format!("ulimit -f {blocks}; exec {hotplate} {words}")]);
            let output = command.output().expect("a shell");
            let after = contents(&sandbox.at(""));
            let stderr = String::from_utf8_lossy(&output.stderr);
            let hidden: Vec<&String> =
                after.keys().filter(|it| it.contains(".hotplate-")).collect();
            assert!(hidden.is_empty(), "{words}, {blocks}: {hidden:?}");
            match blocks {
                0 => {
                    assert_eq!(output.status.code(), Some(2), "{words}: {output:?}");
                    assert!(
                        stderr.contains("cannot be written: File too large"),
                        "{words}: {stderr}"
                    );
                    assert_eq!(after, before, "{words}");
                }
                1_000_000 => {
                    assert!(!stderr.contains("cannot be written"), "{words}: {stderr}");
                    assert_ne!(after, before, "{words}: {stderr}");
                }
                // What was written is complete; a command that fails has written nothing.
                _ if output.status.code() == Some(2) => {
                    assert_eq!(after, before, "{words}: {stderr}")
                }
                _ => assert_ne!(after, before, "{words}: {stderr}"),
            }
        }
    }
}

/// A report on standard output that does not fit is an error, not a signal.
#[cfg(unix)]
#[test]
fn standard_output_beyond_a_limit_is_an_error() {
    let sandbox = Sandbox::new(&[("a.yaml", OLD)]);
    let hotplate = assert_cmd::cargo::cargo_bin!("hotplate").display().to_string();
    for words in
        ["schema --format json OS::Nova::Server", "man", "completions bash", "upgrade a.yaml"]
    {
        let mut command = Command::new("sh");
        command.current_dir(sandbox.at(""));
        command.args(["-c", &format!("ulimit -f 0; exec {hotplate} {words} > out.txt")]);
        let output = command.output().expect("a shell");
        assert_eq!(output.status.code(), Some(2), "{words}: {output:?}");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(stderr.contains("standard output cannot be written"), "{words}: {stderr}");
    }
}

/// The files below a folder, with their contents.
#[cfg(unix)]
fn contents(folder: &std::path::Path) -> std::collections::BTreeMap<String, Vec<u8>> {
    let mut found = std::collections::BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.insert(path.display().to_string(), fs::read(&path).expect("a file"));
            }
        }
    }
    found
}

#[cfg(unix)]
mod unix {
    use std::fs::Permissions;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::path::Path;

    use predicates::prelude::*;

    use super::*;

    fn chmod(path: &Path, mode: u32) {
        fs::set_permissions(path, Permissions::from_mode(mode)).expect("chmod");
    }

    #[test]
    fn mode_bits_stay() {
        for mode in [0o600, 0o644, 0o664, 0o755] {
            let sandbox = Sandbox::new(&[("a.yaml", OLD)]);
            chmod(&sandbox.at("a.yaml"), mode);
            sandbox.hotplate("upgrade --write a.yaml").assert().code(0);
            let metadata = fs::metadata(sandbox.at("a.yaml")).expect("metadata");
            assert_eq!(metadata.permissions().mode() & 0o7777, mode);
            assert_eq!(sandbox.text("a.yaml"), NEW);
        }
    }

    #[test]
    fn a_read_only_file_is_left_even_where_the_process_could_write_it() {
        let sandbox = Sandbox::new(&[("a.yaml", OLD), ("b.yaml", OLD)]);
        chmod(&sandbox.at("a.yaml"), 0o444);
        sandbox
            .hotplate("upgrade --write .")
            .assert()
            .code(2)
            .stdout(is_empty())
            .stderr(contains("error[HP0003]: `a.yaml` cannot be written: it is read-only\n"))
            .stderr(contains("2 files: 1 upgraded (1 rewritten), 1 not writable\n"));
        assert_eq!((sandbox.text("a.yaml"), sandbox.text("b.yaml")), (OLD.into(), NEW.into()));
        assert_eq!(sandbox.names(), ["a.yaml", "b.yaml"]);
        let report = sandbox.json("upgrade --write --format json a.yaml", 2);
        assert_eq!(report["files"][0]["status"], "unwritable");
        assert_eq!(report["files"][0]["diagnostics"][0]["code"], "HP0003");
        sandbox.hotplate("upgrade a.yaml").assert().code(0).stdout(NEW);
    }

    /// Returns false for root, to whom mode bits do not apply.
    fn mode_bits_hold_this_process_back(sandbox: &Sandbox) -> bool {
        let probe = sandbox.at("probe");
        fs::create_dir(&probe).expect("a folder");
        chmod(&probe, 0o500);
        let held_back = fs::write(probe.join("x"), "").is_err();
        chmod(&probe, 0o700);
        fs::remove_dir_all(&probe).expect("removed");
        held_back
    }

    #[test]
    fn a_read_only_folder_keeps_its_files() {
        let sandbox = Sandbox::new(&[("lib/a.yaml", OLD)]);
        if !mode_bits_hold_this_process_back(&sandbox) {
            return;
        }
        chmod(&sandbox.at("lib"), 0o500);
        sandbox
            .hotplate("upgrade --write lib")
            .assert()
            .code(2)
            .stderr(contains("error[HP0003]: `lib/a.yaml` cannot be written: Permission denied\n"));
        chmod(&sandbox.at("lib"), 0o700);
        assert_eq!(sandbox.text("lib/a.yaml"), OLD);
    }

    #[test]
    fn a_file_that_cannot_be_read() {
        let sandbox = Sandbox::new(&[("a.yaml", OLD), ("b.yaml", OLD)]);
        if !mode_bits_hold_this_process_back(&sandbox) {
            return;
        }
        chmod(&sandbox.at("a.yaml"), 0o000);
        sandbox
            .hotplate("upgrade --write .")
            .assert()
            .code(2)
            .stderr(contains("error[HP0002]: `a.yaml` cannot be read: Permission denied\n"));
        assert_eq!(sandbox.text("b.yaml"), NEW);
    }

    #[test]
    fn a_link_that_is_named_is_followed_and_stays_a_link() {
        let sandbox = Sandbox::new(&[("lib/a.yaml", OLD)]);
        symlink("lib/a.yaml", sandbox.at("link.yaml")).expect("a link");
        sandbox.hotplate("upgrade link.yaml").assert().code(0).stdout(NEW);
        sandbox
            .hotplate("upgrade --write link.yaml")
            .assert()
            .code(0)
            .stderr("1 file: 1 upgraded (1 rewritten)\n");
        let metadata = fs::symlink_metadata(sandbox.at("link.yaml")).expect("metadata");
        assert!(metadata.is_symlink());
        assert_eq!(sandbox.text("lib/a.yaml"), NEW);
        assert_eq!(sandbox.names(), ["lib", "link.yaml"]);
    }

    #[test]
    fn a_link_and_its_target_are_one_file() {
        let sandbox = Sandbox::new(&[("a.yaml", OLD)]);
        symlink("a.yaml", sandbox.at("link.yaml")).expect("a link");
        let one = sandbox.hotplate("upgrade --write a.yaml link.yaml").assert().code(0);
        one.stderr("1 file: 1 upgraded (1 rewritten)\n");
    }

    #[test]
    fn links_to_nothing() {
        let sandbox = Sandbox::new(&[("a.yaml", OLD)]);
        symlink("nothing.here", sandbox.at("link.yaml")).expect("a link");
        symlink("round.yaml", sandbox.at("round.yaml")).expect("a link");
        for command in ["upgrade", "upgrade --write", "versions", "ir", "render -t yaml"] {
            let said = "error[HP0002]: `link.yaml` cannot be read: it is a symbolic link to `nothing.here`, \
                        which does not exist\n";
            let command = |name| sandbox.hotplate(&format!("{command} {name}"));
            command("link.yaml").assert().code(2).stdout(is_empty()).stderr(contains(said));
            let said = contains("error[HP0002]: `round.yaml` cannot be read: ");
            command("round.yaml").assert().code(2).stdout(is_empty()).stderr(said);
        }
        sandbox
            .hotplate("upgrade --write .")
            .assert()
            .code(0)
            .stderr("1 file: 1 upgraded (1 rewritten)\n");
        assert_eq!(sandbox.names(), ["a.yaml", "link.yaml", "round.yaml"]);
    }

    #[test]
    fn devices() {
        let sandbox = Sandbox::new::<&str>(&[]);
        sandbox
            .hotplate("upgrade --write /dev/null")
            .assert()
            .code(2)
            .stderr(contains("error[HP0007]: `/dev/null` is empty\n"));
        let zeros = sandbox.hotplate("upgrade --max-size 1000 /dev/zero").assert().code(2);
        zeros.stderr(contains(
            "error[HP0005]: `/dev/zero` is larger than the limit of 1000 bytes\n",
        ));
    }

    #[test]
    fn a_named_pipe_is_read_when_named_and_not_searched_for() {
        let sandbox = Sandbox::new(&[("a.yaml", NEW)]);
        let pipe = sandbox.at("pipe.yaml");
        let made = Command::new("mkfifo").arg(&pipe).status().expect("mkfifo");
        assert!(made.success());
        // Reading a pipe without a writer would block forever.
        sandbox.hotplate("upgrade --check .").assert().code(0).stderr("1 file: 1 unchanged\n");
        for (command, status, said) in [
            ("upgrade", 0, ""),
            ("upgrade --write", 2, "`pipe.yaml` cannot be written: it is not a regular file\n"),
        ] {
            let (path, text) = (pipe.clone(), OLD);
            let writer = std::thread::spawn(move || fs::write(path, text));
            let assert = sandbox.hotplate(&format!("{command} pipe.yaml")).assert().code(status);
            assert.stdout(if status == 0 { NEW } else { "" }).stderr(contains(said));
            writer.join().expect("an end").expect("written");
        }
        let kind = fs::symlink_metadata(&pipe).expect("metadata").file_type();
        assert!(!kind.is_file());
        assert_eq!(sandbox.names(), ["a.yaml", "pipe.yaml"]);
    }

    #[test]
    fn a_reader_that_leaves_early_does_not_stop_the_writing() {
        let names: Vec<String> = (0..50).map(|at| format!("{at}.yaml")).collect();
        let files: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), OLD)).collect();
        let sandbox = Sandbox::new(&files);
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let status = Command::new(assert_cmd::cargo::cargo_bin!("hotplate"))
            .args(["upgrade", "--write", "--format=json", "."])
            .current_dir(sandbox.at(""))
            .stdout(writer)
            .status()
            .expect("it runs");
        assert_eq!(status.code(), Some(0));
        assert!(names.iter().all(|name| sandbox.text(name) == NEW));
    }

    #[test]
    fn the_summary_comes_before_the_findings() {
        let sandbox = Sandbox::new(&[("a.yaml", "a: [")]);
        let first = |text: &str| text.lines().next() == Some("1 file: 1 unreadable");
        let said = predicate::function(first);
        sandbox.hotplate("upgrade --write a.yaml").assert().code(2).stderr(said);
    }
}

/// Stops hotplate by a signal while it writes.
#[cfg(unix)]
mod signals {
    use std::io::Read;
    use std::os::unix::fs::MetadataExt;
    use std::os::unix::process::ExitStatusExt;
    use std::process::Child;

    use super::*;

    /// Runs `upgrade --write` on a folder, with standard error as a pipe.
    fn writing(sandbox: &Sandbox, before: &[&str]) -> Child {
        let hotplate = assert_cmd::cargo::cargo_bin!("hotplate");
        let program = before.first().map_or(hotplate.as_os_str(), std::ffi::OsStr::new);
        let mut command = Command::new(program);
        if !before.is_empty() {
            command.args(&before[1..]).arg(hotplate);
        }
        command
            .args(["upgrade", "--write", "."])
            .current_dir(sandbox.at(""))
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("hotplate")
    }

    fn send(signal: &str, child: &Child) {
        let sent = Command::new("kill").args([signal, &child.id().to_string()]).status();
        assert!(sent.expect("kill").success());
    }

    /// Waits until a file has been written, and some time longer.
    fn wait(sandbox: &Sandbox, names: &[String], more: u64) {
        for _ in 0..10_000 {
            if names.iter().any(|name| sandbox.text(name) == NEW) {
                break;
            }
            std::thread::sleep(Duration::from_micros(500));
        }
        std::thread::sleep(Duration::from_millis(more));
    }

    fn many() -> (Vec<String>, Sandbox) {
        let names: Vec<String> = (0..2000).map(|at| format!("{at}.yaml")).collect();
        let files: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), OLD)).collect();
        let sandbox = Sandbox::new(&files);
        (names, sandbox)
    }

    #[test]
    fn no_temporary_file_is_left_and_what_was_done_is_said() {
        let mut seen = 0;
        for (signal, number) in [("-INT", 2), ("-TERM", 15), ("-HUP", 1)] {
            for more in [0, 3, 9, 27] {
                let (names, sandbox) = many();
                let mut child = writing(&sandbox, &[]);
                wait(&sandbox, &names, more);
                send(signal, &child);
                let mut said = String::new();
                child.stderr.take().expect("a pipe").read_to_string(&mut said).expect("text");
                let status = child.wait().expect("an end");
                let new = names.iter().filter(|name| sandbox.text(name) == NEW).count();
                let old = names.iter().filter(|name| sandbox.text(name) == OLD).count();
                assert_eq!(
                    (new + old, sandbox.names().len()),
                    (names.len(), names.len()),
                    "{said}"
                );
                if status.signal() == Some(number) {
                    let told = format!("stopped by SIG{}: {new} file", &signal[1..]);
                    assert!(said.starts_with(&told), "{new} are new: {said}");
                    seen += 1;
                } else {
                    assert_eq!((status.code(), new), (Some(0), names.len()), "{said}");
                }
            }
        }
        assert!(seen > 0, "every run ended before its signal");
    }

    #[test]
    fn a_signal_that_is_ignored_stays_ignored() {
        if !std::path::Path::new("/proc/self/status").exists() {
            return;
        }
        let (names, sandbox) = many();
        let mut child = writing(&sandbox, &["sh", "-c", "trap '' HUP; exec \"$@\"", "sh"]);
        wait(&sandbox, &names, 0);
        send("-HUP", &child);
        assert_eq!(child.wait().expect("an end").code(), Some(0));
        assert!(names.iter().all(|name| sandbox.text(name) == NEW));
    }

    #[test]
    fn hard_links_are_split_and_reported() {
        let sandbox = Sandbox::new(&[("lib/a.yaml", OLD)]);
        fs::hard_link(sandbox.at("lib/a.yaml"), sandbox.at("b.txt")).expect("a link");
        let said = "warning[HP0018]: `lib/a.yaml` had 1 other name (hard links), which keep the old content";
        sandbox.hotplate("upgrade --write lib").assert().code(0).stderr(contains(said));
        assert_eq!((sandbox.text("lib/a.yaml"), sandbox.text("b.txt")), (NEW.into(), OLD.into()));
        assert_eq!(fs::metadata(sandbox.at("b.txt")).expect("metadata").nlink(), 1);
        fs::remove_file(sandbox.at("b.txt")).expect("removed");
        fs::hard_link(sandbox.at("lib/a.yaml"), sandbox.at("b.txt")).expect("a link");
        let render = "render -t json -o lib/a.yaml lib/a.yaml";
        sandbox.hotplate(render).assert().code(0).stderr(contains("HP0018"));
        assert_eq!(sandbox.text("b.txt"), NEW);
    }
}
