//! `hotplate yaql`, and yaql in templates.

use predicates::prelude::*;
use predicates::str::{contains, is_empty};

use crate::cli::sandbox::Sandbox;

const PORTS: &str = "[{name: web, port: 80}, {name: tls, port: 443}]\n";

#[test]
fn the_value_of_an_expression_is_printed() {
    let sandbox = Sandbox::new(&[("ports.yaml", PORTS)]);
    let yaql = |arguments: &[&str]| {
        let output =
            sandbox.run(arguments).assert().success().stderr(is_empty()).get_output().clone();
        String::from_utf8(output.stdout).expect("text")
    };
    assert_eq!(yaql(&["yaql", "1 + 2"]), "3\n");
    assert_eq!(
        yaql(&["yaql", "$.data.where($.port > 100).name", "--data", "ports.yaml"]),
        "- tls\n"
    );
    assert_eq!(yaql(&["yaql", "$.data.len()", "--data", "ports.yaml", "--format", "json"]), "2\n");
    assert_eq!(yaql(&["yaql", "-1"]), "-1\n");
    sandbox
        .run(&["yaql", "$.data.a", "--data", "-"])
        .write_stdin("{\"a\": [1, null]}")
        .assert()
        .success()
        .stdout("- 1\n- null\n");
}

#[test]
fn what_heat_fails_in_is_told_with_its_place() {
    let sandbox = Sandbox::new::<&str>(&[]);
    sandbox
        .run(&["yaql", "[1, 2].select($ + x)"])
        .assert()
        .code(1)
        .stdout(is_empty())
        .stderr(contains("No function \"#operator_+\" matches supplied arguments"))
        .stderr(contains("expression:1:15"));
    sandbox
        .run(&["yaql", "[1, 2"])
        .assert()
        .code(2)
        .stdout(is_empty())
        .stderr(contains("error[HP0711]: Parse error: unexpected end of statement"));
    sandbox.run(&["yaql", ""]).assert().code(2).stdout(is_empty()).stderr(contains("HP0711"));
    sandbox
        .run(&["yaql", "$", "--data", "none.yaml"])
        .assert()
        .code(2)
        .stdout(is_empty())
        .stderr(contains("none.yaml"));
}

#[test]
fn time_and_chance_are_not_known_until_they_are_fixed() {
    let sandbox = Sandbox::new::<&str>(&[]);
    sandbox
        .run(&["yaql", "now().year"])
        .assert()
        .code(1)
        .stdout(is_empty())
        .stderr(contains("HP0713"));
    sandbox
        .run(&["yaql", "now().year", "--now", "2026-01-31T12:00:00Z"])
        .assert()
        .success()
        .stdout("2026\n");
    sandbox
        .run(&["yaql", "random()"])
        .assert()
        .code(1)
        .stdout(is_empty())
        .stderr(contains("HP0713"));
    sandbox.run(&["yaql", "random(1, 6)", "--seed", "1"]).assert().success().stdout("2\n");
    sandbox.run(&["yaql", "1", "--now", "yesterday"]).assert().code(2).stderr(contains("--now"));
}

#[test]
fn limits_are_heats_unless_they_are_given() {
    let sandbox = Sandbox::new::<&str>(&[]);
    let many = "range(300).select($ * 0).len()";
    sandbox
        .run(&["yaql", many])
        .assert()
        .code(1)
        .stderr(contains("Collection length exceeds 200 elements"));
    sandbox.run(&["yaql", many, "--limit-iterators", "300"]).assert().success().stdout("300\n");
    let large = "len('a' * 10000)";
    sandbox.run(&["yaql", large]).assert().code(1).stderr(contains("consumed too much memory"));
    sandbox.run(&["yaql", large, "--memory-quota", "20000"]).assert().success().stdout("10000\n");
}

#[test]
fn no_expression_runs_away() {
    let sandbox = Sandbox::new::<&str>(&[]);
    for (expression, says) in [
        ("sequence().len()", "steps"),
        ("def(f, f($) + 1) -> f(1)", "maximum recursion depth exceeded"),
        ("range(1000000000000).toList()", "Collection length exceeds 200 elements"),
        ("'a' * 1000000000000", "too much memory"),
        ("pow(10, 1000000000000)", "too much memory"),
        ("regex('(a+)+$').matches('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab')", "steps"),
    ] {
        sandbox
            .run(&["yaql", expression])
            .assert()
            .code(1)
            .stdout(is_empty())
            .stderr(contains(says).and(contains("panicked").not()));
    }
    let deep = "(".repeat(100_000);
    sandbox
        .run(&["yaql", &deep])
        .assert()
        .code(2)
        .stdout(is_empty())
        .stderr(contains("panicked").not());
}

const TEMPLATE: &str = "\
heat_template_version: 2018-08-31
parameters:
  ports: {type: json, default: [80, 443]}
  secret: {type: string, default: geheim, hidden: true}
conditions:
  many: {yaql: {expression: '$.data.len() > 1', data: {get_param: ports}}}
resources:
  server: {type: OS::Nova::Server, condition: many, properties: {flavor: m1, image: i}}
outputs:
  sum: {value: {yaql: {expression: $.data.sum(), data: {get_param: ports}}}}
  address:
    value: {yaql: {expression: '[$.data.ip, here]', data: {ip: {get_attr: [server, first_address]}}}}
  hidden: {value: {yaql: {expression: $.data.toUpper(), data: {get_param: secret}}}}
";

#[test]
fn templates_are_evaluated_with_their_expressions() {
    let sandbox = Sandbox::new(&[("stack.yaml", TEMPLATE)]);
    sandbox
        .run(&["eval", "stack.yaml"])
        .assert()
        .success()
        .stdout(contains("many: true"))
        .stdout(contains("sum: 523"))
        .stdout(contains("address: [{\"get_attr\":[\"server\",\"first_address\"]},\"here\"]"))
        .stdout(contains("hidden: \"******\"").and(contains("GEHEIM").not()));
    sandbox
        .run(&["eval", "stack.yaml", "--show-secrets"])
        .assert()
        .success()
        .stdout(contains("hidden: \"GEHEIM\""));
}

#[test]
fn a_finding_points_into_the_expression() {
    let broken = TEMPLATE.replace("$.data.sum()", "$.data.select($ + nothing)");
    let sandbox = Sandbox::new(&[("stack.yaml", broken)]);
    sandbox
        .run(&["eval", "stack.yaml"])
        .assert()
        .code(1)
        .stderr(contains("warning[").and(contains("the operator does not take these values")))
        .stderr(contains("stack.yaml:10:50"));
    let unreadable = TEMPLATE.replace("$.data.sum()", "$.data.sum(");
    sandbox.write("stack.yaml", &unreadable);
    sandbox
        .run(&["eval", "stack.yaml"])
        .assert()
        .code(1)
        .stderr(contains("cannot be read: Parse error: unexpected end of statement"));
}
