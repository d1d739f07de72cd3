//! Runs the examples of the pages, and compares what they print.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::Command;

use super::{assert_fresh, page, pages, root};
use crate::cli::sandbox::Sandbox;

/// Runs hotplate in the project's folder.
pub(super) fn hotplate(arguments: &[&str]) -> (String, Option<i32>) {
    output(env!("CARGO_BIN_EXE_hotplate"), arguments, root())
}

/// What a program prints, and its status; both streams are merged as on a terminal.
fn output(program: &str, arguments: &[&str], folder: &Path) -> (String, Option<i32>) {
    let (mut reader, writer) = std::io::pipe().expect("a pipe");
    let mut command = Command::new(program);
    for variable in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"] {
        command.env_remove(variable);
    }
    isolate_git(&mut command);
    command.args(arguments).current_dir(folder);
    command.stdout(writer.try_clone().expect("a pipe")).stderr(writer);
    let mut child = command.spawn().unwrap_or_else(|error| panic!("{program}: {error}"));
    // The command holds the other end of the pipe; the reader would block.
    drop(command);
    let mut output = String::new();
    reader.read_to_string(&mut output).expect("text");
    (output, child.wait().expect("an end").code())
}

/// Makes git independent of the user's configuration, and its commits of the time.
fn isolate_git(command: &mut Command) {
    for variable in ["GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE", "GIT_PREFIX"] {
        command.env_remove(variable);
    }
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    for role in ["AUTHOR", "COMMITTER"] {
        command.env(format!("GIT_{role}_NAME"), "example");
        command.env(format!("GIT_{role}_EMAIL"), "example@example.com");
        command.env(format!("GIT_{role}_DATE"), "2026-01-01T00:00:00Z");
    }
}

/// A copy of the examples, in a repository with one commit, as `tools/pictures.py` makes it.
fn copy_of_examples() -> tempfile::TempDir {
    let copy = tempfile::tempdir().expect("a temporary folder");
    for entry in ignore::WalkBuilder::new(root().join("examples")).build() {
        let entry = entry.expect("an entry");
        let to = copy.path().join(entry.path().strip_prefix(root()).expect("an example"));
        if entry.path().is_dir() {
            fs::create_dir_all(to).expect("a folder");
        } else {
            fs::copy(entry.path(), to).expect("a file");
        }
    }
    for command in [
        "init --quiet --initial-branch main",
        "add examples/web-application",
        "commit --quiet --message stack",
    ] {
        let (printed, status) = output("git", &words(command), copy.path());
        assert_eq!(status, Some(0), "git {command}: {printed}");
    }
    copy
}

/// A fenced block of a page: the words after the fence, and the content.
pub(super) struct Block {
    pub(super) info: String,
    pub(super) text: String,
    pub(super) line: usize,
}

pub(super) fn blocks(page: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut lines = page.lines().enumerate();
    while let Some((at, line)) = lines.next() {
        if let Some(info) = line.strip_prefix("```") {
            let text = lines.by_ref().map(|(_, line)| line).take_while(|line| *line != "```");
            let text = text.map(|line| format!("{line}\n")).collect();
            blocks.push(Block { info: info.to_owned(), text, line: at + 1 });
        }
    }
    blocks
}

/// The words of a command; single quotes keep blanks inside a word.
fn words(command: &str) -> Vec<&str> {
    let mut quoted = false;
    let blank = |c: char| {
        quoted ^= c == '\'';
        c == ' ' && !quoted
    };
    command.split(blank).map(|word| word.trim_matches('\'')).collect()
}

/// The commands of a block of kind `console`.
fn commands(block: &Block) -> impl Iterator<Item = &str> {
    block.text.lines().filter_map(|line| line.strip_prefix("$ "))
}

/// Whether the commands of a block need a copy of the examples, since they change files.
fn needs_copy(block: &Block) -> bool {
    commands(block).any(|command| command.starts_with("git ") || command.starts_with("cat "))
}

/// The content of a block of kind `console`, with what its commands print now. `echo $?` prints the status of the last
/// one.
fn session(block: &Block, name: &str) -> String {
    let copy = needs_copy(block).then(copy_of_examples);
    let mut folder = copy.as_ref().map_or(root(), |copy| copy.path()).to_owned();
    let mut session = String::new();
    let mut status = None;
    for command in commands(block) {
        let words = words(command);
        let printed = match words.as_slice() {
            ["echo", "$?"] => format!("{}\n", status.expect("a status")),
            ["cd", to] => {
                folder.push(to);
                assert!(folder.is_dir(), "{name}:{}: no folder {to}", block.line);
                String::new()
            }
            [program @ ("hotplate" | "git" | "cat"), arguments @ ..] => {
                let program = match *program {
                    "hotplate" => env!("CARGO_BIN_EXE_hotplate"),
                    other => other,
                };
                let printed;
                (printed, status) = output(program, arguments, &folder);
                printed
            }
            _ => panic!("{name}:{}: cannot run `{command}`", block.line),
        };
        session.push_str(&format!("$ {command}\n{printed}"));
    }
    session
}

#[test]
fn examples_show_what_hotplate_prints() {
    let has_git = Command::new("git").arg("--version").output().is_ok();
    let mut shown = BTreeMap::new();
    for name in pages() {
        let text = page(&name);
        let mut fresh = text.clone();
        for block in blocks(&text).iter().filter(|block| block.info == "console") {
            if needs_copy(block) && !has_git {
                #[expect(clippy::print_stderr, reason = "who runs the tests wants to know")]
                {
                    eprintln!("skipped: {name}:{}: there is no git", block.line);
                }
                continue;
            }
            fresh = fresh.replacen(&block.text, &session(block, &name), 1);
            *shown.entry(name.clone()).or_insert(0) += commands(block).count();
        }
        assert_fresh(&name, &fresh);
    }
    for name in ["README.md", "examples/README.md"] {
        assert!(shown.get(name).is_some_and(|count| *count >= 3), "{name} has its examples");
    }
}

/// The pages that a stranger reads first refer to examples that a clone has, not to samples of tests.
#[test]
fn the_first_pages_use_the_examples() {
    for name in ["README.md", "examples/README.md"] {
        let text = page(name);
        assert!(!text.contains("snapshots/"), "{name} shows a sample of a test");
        for picture in text.split("docs/images/").skip(1) {
            let end = picture.find(['"', ')', ' ']).expect("an end");
            let picture = root().join("docs/images").join(&picture[..end]);
            assert!(picture.is_file(), "{name}: {}", picture.display());
        }
    }
    let lines = page("README.md").lines().count();
    assert!(lines <= 260, "the README has {lines} lines: move what is not for a first minute");
}

/// In the walkthrough, blocks write files (`file=NAME`, `append=NAME`), and what a block `sh` prints is the next block.
#[test]
fn the_walkthrough_of_a_target_prints_what_it_says() {
    let sandbox = Sandbox::new::<&str>(&[]);
    let (mut printed, mut count) = (None, 0);
    for block in blocks(&page("docs/write-a-target.md")) {
        let kind = block.info.split_whitespace().last().unwrap_or_default();
        if let Some(expected) = printed.take() {
            assert_eq!(block.text, expected, "docs/write-a-target.md:{}", block.line);
            count += 1;
        } else if let Some((kind, file)) = kind.split_once('=') {
            let before = if kind == "append" { sandbox.text(file) } else { String::new() };
            sandbox.write(file, before + &block.text);
        } else if kind == "sh" {
            let commands =
                block.text.lines().map(|line| line.strip_prefix("hotplate ").expect(line));
            let outputs = commands.map(|command| {
                let output = sandbox.hotplate(command).assert().success().get_output().clone();
                assert!(output.stderr.is_empty() || command.contains("new "), "{command}");
                [output.stderr, output.stdout]
                    .map(|it| String::from_utf8(it).expect("text"))
                    .concat()
            });
            printed = Some(outputs.collect::<String>());
        }
    }
    assert!(printed.is_none() && count >= 5, "{count} outputs");
}
