//! Behavior that all commands share: help, colors, streams, and `explain`.

use predicates::prelude::*;
use predicates::str::{contains, is_empty, is_match, starts_with};

use crate::cli::sandbox::hotplate;

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
        .stdout(starts_with("warning[HP0105]: duplicate key\n\nWhere a key occurs twice"))
        .stderr(is_empty());
}

#[test]
fn explain_lists_every_code_in_one_line_each() {
    let is_list =
        is_match(r"\A(HP\d{4}  (error  |warning|note   )  \S.*\n)+\z").expect("a pattern");
    hotplate(&["explain"]).assert().code(0).stdout(is_list).stderr(is_empty());
}

#[test]
fn explain_searches_codes_and_words() {
    let first = |text: &str| {
        let output = hotplate(&["explain", text]).assert().code(0).get_output().stdout.clone();
        let output = String::from_utf8(output).expect("text");
        (output.lines().next().unwrap_or_default().to_owned(), output.lines().count())
    };
    let (line, count) = first("hp10");
    assert!(line.starts_with("HP1001") && count > 5, "{line}");
    let (line, count) = first("duplicate KEY");
    assert!(line.contains("duplicate key") && count > 0, "{line}");
    hotplate(&["explain", "no such zebra"]).assert().code(2).stderr(contains("there is no code"));
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

/// Runs `eval` on a template from standard input.
fn eval(arguments: &[&str], template: &str) -> assert_cmd::assert::Assert {
    let all: Vec<&str> = ["eval", "-"].iter().chain(arguments).copied().collect();
    hotplate(&all).write_stdin(template).assert()
}

const WITH_A_SECRET: &str = "\
heat_template_version: 2021-04-16
parameters:
  password: {type: string, default: hunter2, hidden: true}
  name: {type: string}
resources:
  web: {type: OS::Heat::None, properties: {name: {get_param: name}, key: {get_param: password}}}
outputs:
  url: {value: {list_join: ['', ['http://', {get_attr: [web, first_address]}]]}}
  sum: {value: {digest: [sha256, {get_param: password}]}}
";

#[test]
fn eval_prints_what_is_not_known_as_an_expression() {
    let output = eval(&["--format", "json"], WITH_A_SECRET).code(0).stderr(is_empty());
    let report: serde_json::Value =
        serde_json::from_slice(&output.get_output().stdout).expect("json");
    let name = &report["resources"]["web"]["properties"]["name"];
    assert_eq!(name["$unknown"]["expr"], serde_json::json!({"get_param": "name"}));
    assert_eq!(name["$unknown"]["depends_on"], serde_json::json!([{"parameter": "name"}]));
    let url = &report["outputs"]["url"]["value"]["$unknown"];
    let expected = serde_json::json!([{"resource": "web", "attribute": "first_address"}]);
    assert_eq!(url["depends_on"], expected);
    assert_eq!(report["ok"], true);
}

#[test]
fn eval_hides_secrets_and_what_is_computed_from_them() {
    for format in ["text", "json", "yaml"] {
        let hidden = contains("******").and(contains("hunter2").not());
        eval(&["--format", format, "--fill"], WITH_A_SECRET)
            .code(0)
            .stdout(hidden.and(contains("<<attr:web:first_address>>")));
        let sum = contains("f52fbd32b2b3b86ff88ef6c490628285f482af15ddcb29541f94bcf526a3f6c7");
        eval(&["--format", format, "--show-secrets"], WITH_A_SECRET)
            .code(0)
            .stdout(contains("hunter2").and(sum));
    }
}

#[test]
fn eval_takes_the_state_of_resources_from_a_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let attrs = folder.path().join("attrs.json");
    std::fs::write(&attrs, r#"{"web": {"attrs": {"first_address": "10.0.0.4"}}}"#).expect("a file");
    let attrs = attrs.to_str().expect("a path");
    eval(&["--attrs", attrs], WITH_A_SECRET).code(0).stdout(contains(r#"url: "http://10.0.0.4""#));
    std::fs::write(attrs, "[1]").expect("a file");
    eval(&["--attrs", attrs], WITH_A_SECRET).code(2).stderr(contains("must be a map"));
    eval(&["--attrs", "nowhere.json"], WITH_A_SECRET).code(2).stderr(contains("nowhere.json"));
}

#[test]
fn eval_tells_what_has_no_value_and_where() {
    let template = "heat_template_version: pike\noutputs: {o: {value: {digest: [gone, x]}}}\n";
    eval(&["--format", "json"], template)
        .code(1)
        .stdout(contains("ValueError"))
        .stderr(contains("warning[HP0701]").and(contains("<stdin>:2:22")));
    // Heat refuses this when it reads the template.
    eval(&[], &template.replace("{digest: [gone, x]}", "{list_join: x}"))
        .code(1)
        .stderr(contains("error[HP0301]").and(contains("<stdin>:2:22")));
    eval(&[], "a: 1").code(2).stdout(is_empty());
}

#[test]
fn explain_has_a_page_of_all_codes() {
    let page = starts_with("# Diagnostics\n").and(contains("\n### HP0101\n"));
    hotplate(&["explain", "--markdown"]).assert().code(0).stdout(page).stderr(is_empty());
    for (other, said) in
        [("HP0106", "has no page of its own"), ("--format=json", "cannot be used with")]
    {
        let said = contains(said);
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
    hotplate(&["explain", "zebra", "--color=always"]).assert().code(2).stderr(styled());
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

#[test]
fn eval_tells_people_what_is_not_known_as_an_expression() {
    let template = "heat_template_version: pike\nparameters: {p: {type: string}}\noutputs: {o: {value: {a: {get_param: p}}}}\n";
    let lines = "  p: {\"get_param\":\"p\"}\noutputs\n  o: {\"a\":{\"get_param\":\"p\"}}\n";
    eval(&[], template).code(0).stdout(contains(lines).and(contains("$unknown").not()));
}
