//! Texts that Heat refuses, or reads differently from what they look like.

use predicates::prelude::*;
use predicates::str::{contains, is_empty};

use crate::cli::sandbox::{NEW, OLD, Sandbox};

/// A template whose version is `declared`. Commands that depend on the version refuse it and show the place;
/// conversion to another syntax still works, with the exit status 1.
fn version_refused(declared: &str, code: &str, help: &str) {
    let text = format!("heat_template_version: {declared}\n");
    let sandbox = Sandbox::new(&[("a.yaml", &text)]);
    let said = || {
        contains(format!("error[{code}]: "))
            .and(contains(" --> a.yaml:1:24\n"))
            .and(contains(format!("1 | {text}")))
            .and(contains(format!("help: {help}\n")))
    };
    for (command, status) in
        [("upgrade", 1), ("upgrade --write", 1), ("upgrade --check", 1), ("versions", 2), ("ir", 2)]
    {
        sandbox
            .hotplate(&format!("{command} a.yaml"))
            .assert()
            .code(status)
            .stdout(is_empty())
            .stderr(said());
    }
    sandbox
        .hotplate("render a.yaml --target json")
        .assert()
        .code(1)
        .stdout(contains("\"heat_template_version\": "))
        .stderr(said());
    assert_eq!(sandbox.text("a.yaml"), text);
    assert_eq!(sandbox.names(), ["a.yaml"]);
}

#[test]
fn a_version_that_heat_does_not_know_and_the_nearest() {
    for (declared, nearest) in [
        ("2018-08-32", "did you mean `2018-08-31`?"),
        ("2013-05-32", "did you mean `2013-05-23`?"),
        ("Rocky", "write `rocky`, the newest version that OpenStack Rocky supports"),
        ("stein", "write `rocky`, the newest version that OpenStack Stein supports"),
        ("caracal", "write `wallaby`, the newest version that OpenStack 2024.1 Caracal supports"),
        ("quens", "did you mean `queens`?"),
        ("'2021.04.16'", "did you mean `2021-04-16`?"),
        ("essex", "`openstack orchestration template version list` lists those of your cloud"),
    ] {
        version_refused(declared, "HP0203", nearest);
    }
}

#[test]
fn a_version_that_is_no_text() {
    let help = "Heat ignores a version that is a number or null; put it in quotes";
    for declared in ["20130523", "2013.05", "[2013-05-23]", "{2013-05-23: x}", "null", "true"] {
        version_refused(declared, "HP0205", help);
    }
}

#[test]
fn a_date_is_text_to_heat_even_with_its_tag() {
    let sandbox = Sandbox::new(&[("a.yaml", OLD.replace("2013", "!!timestamp 2013"))]);
    let new = NEW.replace("2021", "!!timestamp 2021");
    sandbox.hotplate("upgrade a.yaml").assert().code(0).stdout(new).stderr(is_empty());
}

#[test]
fn two_versions() {
    let text = "heat_template_version: 2015-04-30\nAWSTemplateFormatVersion: '2010-09-09'\n";
    let sandbox = Sandbox::new(&[("a.yaml", text)]);
    sandbox
        .hotplate("upgrade a.yaml")
        .assert()
        .code(1)
        .stdout(is_empty())
        .stderr(contains("error[HP0204]: ").and(contains("- second declaration\n")));
}

#[test]
fn sections_without_content_are_kept() {
    let text = |version| format!("heat_template_version: {version}\nresources:\noutputs: null\n");
    let sandbox = Sandbox::new(&[("a.yaml", text("2013-05-23"))]);
    let new = text("2021-04-16");
    sandbox.hotplate("upgrade a.yaml").assert().code(0).stdout(new).stderr(is_empty());
    let ir = sandbox.json("ir a.yaml", 0);
    assert_eq!(ir["resources"], serde_json::json!({}));
    let json = sandbox.json("render a.yaml --target json", 0);
    assert_eq!(json["resources"], serde_json::Value::Null);
}

#[test]
fn a_key_that_is_given_twice_is_a_warning_with_both_places() {
    let text = OLD.to_owned() + "  name: {value: 1}\n";
    let sandbox = Sandbox::new(&[("a.yaml", &text)]);
    for command in ["upgrade", "ir", "render --target yaml"] {
        let said = contains("warning[HP0105]: ")
            .and(contains(" --> a.yaml:4:3\n"))
            .and(contains("- this value has no effect\n"))
            .and(contains("^ this value is used\n"));
        sandbox.hotplate(&format!("{command} a.yaml")).assert().code(0).stderr(said);
    }
}

#[test]
fn line_ends_and_a_byte_order_mark_stay() {
    for (from, to) in [("\n", "\r\n"), ("\n", "\r"), ("heat_", "\u{feff}heat_"), ("kept\n", "kept")]
    {
        let (old, new) = (OLD.replacen(from, to, 9), NEW.replacen(from, to, 9));
        let sandbox = Sandbox::new(&[("a.yaml", &old)]);
        sandbox.hotplate("upgrade a.yaml").assert().code(0).stdout(new.clone()).stderr(is_empty());
        sandbox.hotplate("upgrade --write a.yaml").assert().code(0).stdout(is_empty());
        assert_eq!(sandbox.text("a.yaml"), new);
    }
}

#[test]
fn many_lines() {
    let resources: String =
        (0..50_000).map(|at| format!("  r{at}:\n    type: OS::Heat::None\n")).collect();
    let (old, new) =
        (format!("{OLD}resources:\n{resources}"), format!("{NEW}resources:\n{resources}"));
    let sandbox = Sandbox::new(&[("a.yaml", &old)]);
    let said = contains("warning[HP0008]: the template has more than 524288 characters\n");
    sandbox.hotplate("upgrade --write a.yaml").assert().code(0).stderr(said);
    assert!(sandbox.text("a.yaml") == new, "another text than the upgraded one");
}

#[test]
fn a_very_long_line() {
    let long = "x".repeat(1_000_000);
    let (old, new) = (OLD.replace("a, b", &long), NEW.replace("a, b", &long));
    let sandbox = Sandbox::new(&[("a.yaml", &old)]);
    sandbox.hotplate("upgrade --write a.yaml").assert().code(0);
    assert!(sandbox.text("a.yaml") == new, "another text than the upgraded one");
}

#[test]
fn what_heat_refuses_is_told_with_the_representation() {
    let sandbox = Sandbox::new(&[("a.yaml", OLD.to_owned() + "nonsense: 1\n")]);
    sandbox
        .hotplate("ir a.yaml")
        .assert()
        .code(1)
        .stdout(contains("\"format\""))
        .stderr(contains("error[HP0206]: ").and(contains(" --> a.yaml:4:1\n")));
}
