//! What every command has in common: help, colours, streams, and `explain`.

use predicates::prelude::*;
use predicates::str::{contains, is_empty, is_match, starts_with};

use crate::sandbox::hotplate;

#[test]
fn the_version_is_the_packages() {
    let version = format!("hotplate {}\n", env!("CARGO_PKG_VERSION"));
    hotplate(&["--version"]).assert().code(0).stdout(version).stderr(is_empty());
}

#[test]
fn the_help_goes_to_standard_output_when_it_is_asked_for() {
    let help = contains("Usage: hotplate").and(contains("Examples:")).and(contains("Exit status:"));
    hotplate(&["--help"]).assert().code(0).stdout(help).stderr(is_empty());
    let help = contains("Usage: hotplate explain").and(contains("hotplate explain HP0105"));
    hotplate(&["help", "explain"]).assert().code(0).stdout(help).stderr(is_empty());
}

#[test]
fn no_command_is_wrong_usage_and_shows_the_help() {
    hotplate(&[]).assert().code(2).stdout(is_empty()).stderr(contains("Usage: hotplate"));
}

#[test]
fn a_mistyped_command_or_option_proposes_the_right_one() {
    hotplate(&["explian"])
        .assert()
        .code(2)
        .stdout(is_empty())
        .stderr(starts_with("error:").and(contains("'explain'")));
    hotplate(&["explain", "--colour=never"]).assert().code(2).stderr(contains("'--color'"));
}

#[test]
fn explain_tells_what_a_code_means() {
    hotplate(&["explain", "hp0105"])
        .assert()
        .code(0)
        .stdout(starts_with("warning[HP0105]: duplicate key\n\nHeat's loader keeps"))
        .stdout(contains("docs/diagnostics.md#hp0105\n"))
        .stderr(is_empty());
}

#[test]
fn explain_lists_every_code_in_one_line_each() {
    let is_list =
        is_match(r"\A(HP\d{4}  (error  |warning|note   )  \S.*\n)+\z").expect("a pattern");
    hotplate(&["explain"]).assert().code(0).stdout(is_list).stderr(is_empty());
}

#[test]
fn explain_answers_programs_in_json() {
    let answer = |arguments: &[&str]| -> serde_json::Value {
        let output = hotplate(arguments).assert().code(0).get_output().stdout.clone();
        serde_json::from_slice(&output).expect("json")
    };
    let one = answer(&["explain", "HP0101", "--format", "json"]);
    assert_eq!(one["code"], "HP0101");
    assert_eq!(one["severity"], "error");
    let all = answer(&["explain", "--format=json"]);
    assert!(all.as_array().expect("a list").contains(&one));
}

#[test]
fn explain_has_a_page_of_all_codes() {
    let page = starts_with("# Diagnostics\n").and(contains("\n### HP0101\n"));
    hotplate(&["explain", "--markdown"]).assert().code(0).stdout(page).stderr(is_empty());
    for other in ["HP0101", "--format=json"] {
        let said = contains("cannot be used with");
        hotplate(&["explain", "--markdown", other])
            .assert()
            .code(2)
            .stdout(is_empty())
            .stderr(said);
    }
}

#[test]
fn an_unknown_code_is_wrong_usage() {
    hotplate(&["explain", "HP0101x"])
        .assert()
        .code(2)
        .stdout(is_empty())
        .stderr("error: there is no code `HP0101x`; did you mean `HP0101`?\n");
    hotplate(&["explain", "\u{1b}]0;title\u{7}"])
        .assert()
        .code(2)
        .stderr("error: there is no code `␛]0;title␇`; `hotplate explain` lists every code\n");
}

#[test]
fn colours_come_as_asked() {
    let styled = || contains("\u{1b}[");
    hotplate(&["explain", "HP0101"]).assert().stdout(styled().not());
    hotplate(&["explain", "HP0101", "--color", "always"]).assert().stdout(styled());
    hotplate(&["explain", "HP0101"]).env("CLICOLOR_FORCE", "1").assert().stdout(styled());
    hotplate(&["explain", "HP0101", "--color=never"])
        .env("CLICOLOR_FORCE", "1")
        .assert()
        .stdout(styled().not());
    hotplate(&["explain", "HP0101"])
        .env("CLICOLOR_FORCE", "1")
        .env("NO_COLOR", "1")
        .assert()
        .stdout(styled().not());
    hotplate(&["--color=always", "nothing"]).assert().code(2).stderr(styled());
    hotplate(&["explain", "nothing", "--color=always"]).assert().code(2).stderr(styled());
}

#[test]
fn a_reader_that_leaves_early_is_no_error() {
    for arguments in [&["explain"][..], &["--help"], &["--version"]] {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let output = std::process::Command::new(assert_cmd::cargo::cargo_bin!("hotplate"))
            .args(arguments)
            .stdout(writer)
            .output()
            .expect("it runs");
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{arguments:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    for arguments in [&["explain"][..], &["--help"]] {
        let full = std::fs::File::options().write(true).open("/dev/full").expect("the device");
        let output = std::process::Command::new(assert_cmd::cargo::cargo_bin!("hotplate"))
            .args(arguments)
            .stdout(full)
            .output()
            .expect("it runs");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(message.starts_with("error: standard output cannot be written"), "{message}");
    }
}
