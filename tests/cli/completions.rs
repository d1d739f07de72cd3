//! `hotplate completions` and `hotplate man`: what packages install beside the program.

use std::process::Command;

use predicates::str::{contains, is_empty};

use crate::cli::sandbox::Sandbox;

const SHELLS: [&str; 4] = ["bash", "zsh", "fish", "powershell"];

fn sandbox() -> Sandbox {
    Sandbox::new(&[("stack.yaml", "heat_template_version: 2021-04-16\n")])
}

/// The candidates for the last word of a command line, as a shell's script asks for them.
fn candidates(shell: &str, line: &[&str]) -> Vec<String> {
    let sandbox = sandbox();
    let mut command = sandbox.run(&["--"]);
    command.env("HOTPLATE_COMPLETE", shell).env("_CLAP_IFS", "\n");
    command.env("_CLAP_COMPLETE_INDEX", (line.len() - 1).to_string());
    let output = command.args(line).assert().success().get_output().stdout.clone();
    let text = String::from_utf8(output).expect("text");
    text.lines().map(|line| value(shell, line)).collect()
}

/// A candidate without its description. Zsh separates them by a colon, and escapes those of the value.
fn value(shell: &str, candidate: &str) -> String {
    match shell {
        "zsh" => {
            let escaped = candidate.replace("\\:", "\0");
            escaped.split(':').next().unwrap_or_default().replace('\0', ":")
        }
        _ => candidate.split('\t').next().unwrap_or_default().to_owned(),
    }
}

#[test]
fn values_are_completed_in_every_shell() {
    for (line, expected) in [
        ("hotplate explain HP120", "HP1201"),
        ("hotplate check --select sec", "security"),
        ("hotplate diff --fail-on data", "data-loss"),
        ("hotplate render stack.yaml --target pul", "pulumi"),
        ("hotplate upgrade --to 2018-08", "2018-08-31"),
        ("hotplate upgrade --to quee", "queens"),
        ("hotplate check --heat 2024.1", "2024.1"),
        ("hotplate rules spl", "split"),
        ("hotplate schema OS::Heat::RandomS", "OS::Heat::RandomString"),
        ("hotplate targets t", "test"),
        ("hotplate check st", "stack.yaml"),
        ("hotplate completions z", "zsh"),
    ] {
        let words: Vec<&str> = line.split(' ').collect();
        for shell in SHELLS {
            let found = candidates(shell, &words);
            assert!(found.iter().any(|it| it == expected), "{shell}: {line}: {found:?}");
        }
    }
}

/// Whoever exports the variable still gets what the command prints.
#[test]
fn only_a_script_asks() {
    let sandbox = sandbox();
    let mut command = sandbox.hotplate("explain HP1201");
    command.env("HOTPLATE_COMPLETE", "bash").assert().success().stdout(contains("HP1201"));
}

#[test]
fn values_after_a_comma_are_completed() {
    let found = candidates("bash", &["hotplate", "check", "--select", "HP1001,susp"]);
    assert_eq!(found, ["HP1001,suspicious"]);
    let found = candidates("bash", &["hotplate", "diff", "--fail-on", "delete,replace,wi"]);
    assert_eq!(found, ["delete,replace,widen"]);
}

/// Runs the script in Bash, which gives the words as it splits them.
#[cfg(unix)]
#[test]
fn bash_completes_a_type_after_its_colons() {
    let sandbox = sandbox();
    let script = sandbox.hotplate("completions bash").assert().success().stderr(is_empty());
    sandbox.write("hotplate.bash", &script.get_output().stdout);
    let binary = assert_cmd::cargo::cargo_bin("hotplate");
    let folder = binary.parent().expect("a folder").display().to_string();
    for (words, expected) in [
        ("hotplate schema OS :: Heat :: RandomS", "RandomString"),
        ("hotplate schema OS::Heat::RandomS", "RandomString"),
        ("hotplate schema OS ::", "Aodh::Alarm"),
        ("hotplate -q rules spl", "split"),
        ("hotplate upgrade --to 2018-08", "2018-08-31"),
    ] {
        let ask = format!(
            "PATH={folder}:$PATH; . ./hotplate.bash; COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); \
             _hotplate hotplate \"${{COMP_WORDS[COMP_CWORD]}}\"; echo \"${{COMPREPLY[0]}}\""
        );
        let output = Command::new("bash")
            .args(["--norc", "-c", &ask])
            .current_dir(sandbox.at(""))
            .output()
            .expect("bash");
        assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), expected, "{words}: {output:?}");
    }
}

#[test]
fn every_shell_that_is_here_reads_its_script() {
    for shell in SHELLS {
        let sandbox = sandbox();
        let script = sandbox.hotplate(&format!("completions {shell}")).assert().success();
        let script = script.stdout(contains("HOTPLATE_COMPLETE"));
        sandbox.write("script", &script.get_output().stdout);
        match Command::new(shell).args(["-n", "script"]).current_dir(sandbox.at("")).output() {
            Ok(output) => {
                assert!(output.status.success() && output.stderr.is_empty(), "{output:?}")
            }
            #[expect(clippy::print_stderr, reason = "who runs the tests wants to know")]
            Err(_) => eprintln!("skipped: there is no {shell}"),
        }
    }
    sandbox().hotplate("completions csh").assert().code(2).stderr(contains("possible values"));
}

#[test]
fn a_page_has_every_option_and_example_of_the_help() {
    let sandbox = sandbox();
    let help = sandbox.hotplate("upgrade --help").assert().success();
    let help = String::from_utf8_lossy(&help.get_output().stdout).into_owned();
    let page = sandbox.hotplate("man upgrade").assert().success().stderr(is_empty());
    let page = String::from_utf8_lossy(&page.get_output().stdout).replace('\\', "");
    let options = help.lines().filter_map(|line| line.trim_start().split_once("--"));
    let options: Vec<&str> = options
        .filter(|(before, _)| before.is_empty() || before.starts_with('-'))
        .filter_map(|(_, option)| option.split([' ', '=']).next())
        .collect();
    assert!(options.len() > 20, "{options:?}");
    for option in options {
        assert!(page.contains(&format!("--{option}")), "{option}");
    }
    let examples = help.lines().filter_map(|line| line.strip_prefix("  hotplate "));
    let examples: Vec<&str> = examples.filter_map(|line| line.split("  ").next()).collect();
    assert!(examples.len() > 5, "{examples:?}");
    for example in examples {
        assert!(page.contains(&format!("hotplate {example}")), "{example}");
    }
}

#[test]
fn there_is_a_page_for_every_command() {
    let sandbox = sandbox();
    sandbox
        .hotplate("man --output man")
        .assert()
        .success()
        .stdout(is_empty())
        .stderr(contains(" pages in `man`"));
    for page in ["hotplate.1", "hotplate-diff.1", "hotplate-targets-test.1"] {
        let text = sandbox.text(&format!("man/{page}"));
        assert!(text.contains(".TH ") && text.contains(".SH EXAMPLES"), "{page}: {text}");
    }
    assert!(!sandbox.at("man/hotplate-help.1").exists());
    sandbox.hotplate("man --output man").assert().success();
    sandbox.hotplate("man targets test").assert().success().stdout(contains(".SH EXAMPLES"));
    sandbox.hotplate("man targest").assert().code(2).stderr(contains("did you mean `targets`?"));
    sandbox.hotplate("man --output stack.yaml").assert().code(2).stderr(contains("stack.yaml"));
}
