//! `check --policy` and `hotplate policy`: a user's own rules.

use predicates::prelude::*;
use predicates::str::{contains, is_empty};
use serde_json::{Value, json};

use crate::cli::sandbox::Sandbox;

const RULE: &str = "\
id: ACME001
title: name of a server
message: the name `{{ $.value }}` of `{{ $.resource.name }}` has no prefix
help: begin the name with `acme-`
select: {resources: [OS::Nova::Server]}
path: properties.name
require: $.value != null and $.value.startsWith(\"acme-\")
";

const SERVER: &str = "\
heat_template_version: 2018-08-31
parameters:
  prefix: {type: string, default: web}
resources:
  server:
    type: OS::Nova::Server
    properties:
      name: {list_join: ['-', [{get_param: prefix}, '1']]}
      flavor: m1.small
      image: debian
      networks: [{network: internal}]
";

fn sandbox() -> Sandbox {
    Sandbox::new(&[("rules/ACME001.yaml", RULE), ("server.yaml", SERVER)])
}

/// The ids, the lines and the messages of a run.
fn findings(sandbox: &Sandbox, arguments: &str, status: i32) -> Vec<(String, u64, String)> {
    let report = sandbox.json(&format!("check {arguments} --format json"), status);
    let text = |value: &Value| value.as_str().expect("text").to_owned();
    let findings = report["findings"].as_array().expect("findings").iter();
    let line = |finding: &Value| finding["place"]["start"]["line"].as_u64().unwrap_or_default();
    findings.map(|it| (text(&it["code"]), line(it), text(&it["message"]))).collect()
}

fn finding(id: &str, line: u64, message: &str) -> (String, u64, String) {
    (id.to_owned(), line, message.to_owned())
}

#[test]
fn a_rule_is_reported_like_a_check() {
    let sandbox = sandbox();
    let output = sandbox.hotplate("check server.yaml --policy rules").assert().code(0);
    let output = String::from_utf8(output.get_output().stdout.clone()).expect("text");
    insta::assert_snapshot!(output, @r"
    warning[ACME001]: the name `web-1` of `server` has no prefix
     --> server.yaml:8:13
      |
    8 |       name: {list_join: ['-', [{get_param: prefix}, '1']]}
      |             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
      = help: begin the name with `acme-`
      = docs: run `hotplate policy explain rules ACME001`

    1 template: 1 warning
    ");
    assert_eq!(findings(&sandbox, "server.yaml --policy rules -P prefix=acme", 0), []);
    // The severity of the rule decides the status.
    sandbox.hotplate("check server.yaml --policy rules --fail-on warning").assert().code(1);
    sandbox.write("rules/ACME001.yaml", format!("{RULE}severity: error\n"));
    sandbox.hotplate("check server.yaml --policy rules").assert().code(1);
    sandbox.hotplate("check server.yaml").assert().code(0).stdout(contains("no findings"));
}

#[test]
fn every_format_has_the_id_of_the_rule() {
    let sandbox = sandbox();
    let check = |format: &str| {
        let arguments = format!("check server.yaml --policy rules --format {format}");
        let output = sandbox.hotplate(&arguments).assert().code(0).get_output().stdout.clone();
        String::from_utf8(output).expect("text")
    };
    let report: Value = serde_json::from_str(&check("json")).expect("JSON");
    let found = &report["findings"][0];
    assert_eq!((&found["code"], &found["group"]), (&json!("ACME001"), &json!("policy")));
    assert_eq!(report["summary"]["groups"], json!({"policy": 1}));
    let sarif: Value = serde_json::from_str(&check("sarif")).expect("JSON");
    let run = &sarif["runs"][0];
    assert_eq!(run["results"][0]["ruleId"], "ACME001");
    let rule = &run["tool"]["driver"]["rules"][0];
    assert_eq!(rule["shortDescription"]["text"], "name of a server");
    assert_eq!(rule["properties"]["tags"], json!(["policy"]));
    assert!(check("github").starts_with("::warning file=server.yaml,line=8,col=13"));
    assert!(check("github").contains("title=ACME001 name of a server"));
    assert!(check("gitlab").contains("\"check_name\": \"hotplate/ACME001\""));
    assert!(check("junit").contains("name=\"ACME001 the name `web-1`"));
    sandbox
        .hotplate("check server.yaml --policy rules --statistics")
        .assert()
        .stdout(contains("     1  ACME001  name of a server\n"));
}

#[test]
fn selections_comments_and_baselines_know_the_rule() {
    let sandbox = sandbox();
    for option in ["--ignore ACME001", "--ignore ACME", "--ignore policy", "--select security"] {
        let check = format!("check server.yaml --policy rules {option}");
        sandbox.hotplate(&check).assert().code(0).stdout(contains("1 not selected"));
    }
    for option in ["--select ACME001", "--select policy", "--ignore suspicious"] {
        assert_eq!(findings(&sandbox, &format!("server.yaml --policy rules {option}"), 0).len(), 1);
    }
    sandbox
        .hotplate("check server.yaml --policy rules --select ACME002")
        .assert()
        .code(2)
        .stderr(contains("did you mean `ACME001`?"));
    let unknown = sandbox.hotplate("check server.yaml --ignore ACME001").assert().code(2);
    unknown.stderr(contains("`ACME001` is not a code or a group"));
    sandbox
        .hotplate("check server.yaml --policy rules --write-baseline known.json")
        .assert()
        .code(0);
    sandbox
        .hotplate("check server.yaml --policy rules --baseline known.json")
        .assert()
        .stdout(contains("1 in the baseline"));
    let ignore = "      # hotplate: ignore ACME001 an old server\n      name:";
    sandbox.write("server.yaml", SERVER.replace("      name:", ignore));
    sandbox
        .hotplate("check server.yaml --policy rules")
        .assert()
        .stdout("1 template: no findings; 1 suppressed\n");
    // In a run without the policy, the comment is not unused.
    sandbox.hotplate("check server.yaml").assert().stdout("1 template: no findings\n");
    sandbox
        .hotplate("check server.yaml --policy rules -P prefix=acme")
        .assert()
        .stdout(contains("HP0801"));
}

#[test]
fn a_rule_that_depends_on_an_unknown_value_is_undecided() {
    let sandbox = sandbox();
    sandbox.write("server.yaml", SERVER.replace(", default: web", ""));
    let summary = "\
1 template: no findings; 1 not selected
1 parameter without a value: their uses are checked for any value (`-e` and `-P` give values)
policies are undecided for 1 part of templates, since conditions depend on unknown or hidden values (`--select HP1602` shows where)
";
    sandbox.hotplate("check server.yaml --policy rules").assert().code(0).stdout(summary);
    let undecided =
        "the rule ACME001 is undecided: it depends on values that are unknown or hidden";
    assert_eq!(
        findings(&sandbox, "server.yaml --policy rules --select HP1602", 0),
        [finding("HP1602", 8, undecided)]
    );
    let report = sandbox.json("check server.yaml --policy rules --format json", 0);
    assert_eq!(report["summary"]["undecided"], 1);
    for (value, violations) in [("web", 1), ("acme", 0)] {
        let check = format!("server.yaml --policy rules -P prefix={value}");
        assert_eq!(findings(&sandbox, &check, 0).len(), violations);
    }
}

#[test]
fn hidden_values_are_in_no_message() {
    let template = "\
heat_template_version: 2018-08-31
parameters:
  password: {type: string, hidden: true, default: geheim}
resources:
  server:
    type: OS::Nova::Server
    properties: {name: {get_param: password}, flavor: m1, image: i, networks: [{network: n}]}
";
    let show = |select: &str, message: &str| {
        format!(
            "id: ACME001\ntitle: t\nmessage: 'value {{{{ {message} }}}}'\nselect: {select}\nrequire: 1 = 2\n"
        )
    };
    for (select, message) in [
        ("{parameters: ['*']}", "$.parameter.default"),
        ("{parameters: ['*']}", "$.parameter.value"),
        ("{parameters: ['*']}", "$.parameter"),
        ("{resources: ['*']}", "$.resource.properties.name"),
        ("{resources: ['*']}", "$.resource.properties.name.len()"),
        ("{template: true}", "$.stack.parameters.select($.value)"),
        ("{template: true}", "str($.stack)"),
    ] {
        let rule = show(select, message);
        let sandbox = Sandbox::new(&[("rules/ACME001.yaml", rule.as_str()), ("t.yaml", template)]);
        for format in ["text", "json", "sarif", "junit", "gitlab", "zuul", "github"] {
            let check = format!("check t.yaml --policy rules --format {format}");
            let shown = contains("geheim").not().and(contains("value "));
            sandbox.hotplate(&check).assert().stdout(shown).stderr(contains("geheim").not());
        }
    }
    // A condition about one is undecided.
    let rule =
        show("{resources: ['*']}", "1").replace("1 = 2", "$.resource.properties.name = geheim");
    let sandbox = Sandbox::new(&[("rules/ACME001.yaml", rule.as_str()), ("t.yaml", template)]);
    sandbox
        .hotplate("check t.yaml --policy rules")
        .assert()
        .stdout(contains("undecided for 1 part"));
}

#[test]
fn rules_see_nested_stacks_and_members_of_groups() {
    let nested = SERVER.replace(", default: web", "");
    let root = "\
heat_template_version: 2018-08-31
resources:
  good: {type: server.yaml, properties: {prefix: acme}}
  bad: {type: server.yaml, properties: {prefix: web}}
  group:
    type: OS::Heat::ResourceGroup
    properties:
      count: 2
      resource_def:
        type: OS::Nova::Server
        properties: {name: \"db-%index%\", flavor: m1, image: i, networks: [{network: n}]}
";
    let sandbox = Sandbox::new(&[
        ("rules/ACME001.yaml", RULE),
        ("server.yaml", nested.as_str()),
        ("root.yaml", root),
    ]);
    assert_eq!(
        findings(&sandbox, "root.yaml --policy rules", 0),
        [
            finding("ACME001", 11, "the name `db-0` of `0` has no prefix"),
            finding("ACME001", 11, "the name `db-1` of `1` has no prefix"),
            finding("ACME001", 8, "the name `web-1` of `server` has no prefix"),
        ]
    );
}

#[test]
fn a_group_of_unknown_size_is_counted() {
    let root = "\
heat_template_version: 2018-08-31
parameters: {count: {type: number}}
resources:
  group:
    type: OS::Heat::ResourceGroup
    properties:
      count: {get_param: count}
      resource_def:
        type: OS::Nova::Server
        properties: {name: db, flavor: m1, image: i, networks: [{network: n}]}
";
    let sandbox = Sandbox::new(&[("rules/ACME001.yaml", RULE), ("root.yaml", root)]);
    let unknown = "no rule is evaluated inside `group`: its stack depends on unknown values";
    assert_eq!(
        findings(&sandbox, "root.yaml --policy rules --select HP1602", 0),
        [finding("HP1602", 5, unknown)]
    );
    let check = sandbox.hotplate("check root.yaml --policy rules").assert().code(0);
    check.stdout(contains("policies are undecided for 1 part"));
    let decided = findings(&sandbox, "root.yaml --policy rules -P count=1", 0);
    assert_eq!(decided, [finding("ACME001", 10, "the name `db` of `0` has no prefix")]);
}

/// References to resources of the same stack are known, others are not.
#[test]
fn questions_about_several_resources_have_an_answer() {
    let rule = "\
id: ACME004
title: server without a volume
message: '{{ $.resource.name }} has no volume'
select: {resources: [OS::Nova::Server]}
require: |
  let(server => $.resource.name) -> $.stack.resources.where(
    $.type = \"OS::Cinder::VolumeAttachment\" and $.properties.instance_uuid = {get_resource => $server}).any()
";
    let template = |server: &str| {
        format!(
            "heat_template_version: 2018-08-31\nparameters: {{id: {{type: string}}}}\nresources:\n  server:\n    type: OS::Nova::Server\n    properties: {{flavor: m1, image: i, networks: [{{network: n}}]}}\n  a:\n    type: OS::Cinder::VolumeAttachment\n    properties: {{volume_id: v, instance_uuid: {server}}}\n"
        )
    };
    for (server, violations, undecided) in [
        ("{get_resource: server}", 0, 0),
        ("{get_resource: a}", 1, 0),
        ("2f9c1f0e-0b5c-4c53-9d1d-8a5f2e6f0a01", 1, 0),
        ("{get_param: id}", 0, 1),
    ] {
        let text = template(server);
        let sandbox = Sandbox::new(&[("rules/ACME004.yaml", rule), ("t.yaml", text.as_str())]);
        let report = sandbox
            .json("check t.yaml --policy rules --select policy --ignore error --format json", 0);
        assert_eq!(report["findings"].as_array().map(Vec::len), Some(violations), "{server}");
        assert_eq!(report["summary"]["undecided"], undecided, "{server}");
    }
}

#[test]
fn a_broken_rule_is_an_error_at_its_place_and_nothing_is_checked() {
    let select = "{resources: [OS::Nova::Server]}";
    for (old, new, place, message) in [
        ("title: name of a server", "titel: name", "2:1", "unknown key `titel`"),
        ("title: name of a server\n", "", "1:1", "missing key `title`"),
        ("id: ACME001", "id: ACME002", "1:5", "the file of `ACME002` must be `ACME002.yaml`"),
        ("properties.name", "properties[0]", "6:7", "a path is names separated by dots"),
        (select, "{}", "5:9", "`select` has one of"),
        (select, "{resources: [], template: true}", "5:9", "`select` has one of"),
        (select, "{types: []}", "5:10", "unknown key `types`"),
        (
            "require: ",
            "forbid: $.value\nrequire: ",
            "1:5",
            "a rule has either `require` or `forbid`",
        ),
        ("$.value != null", "$.value !=", "7:10", "invalid yaql expression"),
        (".startsWith(", ".beginsWith(", "7:10", "yaql has no function `beginsWith`"),
        ("{{ $.resource.name }}", "{{ $.resource.name", "3:10", "`{{` without `}}`"),
        ("{{ $.value }}", "{{ $.( }}", "3:10", "`{{ $.( }}`: "),
        ("help:", "severity: fatal\nhelp:", "4:11", "unknown value `fatal`"),
        ("title:", "id: ACME001\ntitle:", "2:1", "duplicate key"),
        ("title:", "title: [", "", "HP1601"),
    ] {
        assert!(RULE.contains(old), "{old}");
        let rule = RULE.replace(old, new);
        let sandbox = Sandbox::new(&[("rules/ACME001.yaml", rule.as_str()), ("t.yaml", SERVER)]);
        let place = format!("rules/ACME001.yaml:{place}");
        sandbox
            .hotplate("check t.yaml --policy rules")
            .assert()
            .code(2)
            .stdout(contains("error[HP1601]").and(contains(message)).and(contains(place)));
        let found = findings(&sandbox, "t.yaml --policy rules", 2);
        assert!(found.iter().all(|(code, ..)| code == "HP1601"), "{found:?}");
        sandbox.hotplate("policy test rules").assert().code(2).stderr(contains("HP1601"));
    }
    for id in ["HP1201", "acme001", "ACME", "1ACME1", "HPX1"] {
        let rule = RULE.replace("ACME001", id);
        let file = format!("rules/{id}.yaml");
        let sandbox = Sandbox::new(&[(file.as_str(), rule.as_str()), ("t.yaml", SERVER)]);
        let check = sandbox.hotplate("check t.yaml --policy rules").assert().code(2);
        check.stdout(contains("the id of a rule is upper-case letters"));
    }
    let sandbox = sandbox();
    for folders in ["--policy missing", "--policy rules --policy rules", "--policy server.yaml"] {
        let check = format!("check server.yaml {folders}");
        sandbox.hotplate(&check).assert().code(2).stdout(contains("HP1601"));
    }
}

#[test]
fn a_condition_that_fails_is_an_error() {
    let sandbox = sandbox();
    for (condition, message) in [
        ("$.value.nope()", "yaql has no function"),
        ("$.value.len()", "the condition of ACME001 is neither true nor false"),
        ("$.resource.nope = 1", "the condition of ACME001 fails: 'nope' (KeyError)"),
        ("$.value.len() / 0 = 1", "the condition of ACME001 fails: "),
    ] {
        let rule = RULE.split("require").next().expect("the rest");
        sandbox.write("rules/ACME001.yaml", format!("{rule}require: {condition}\n"));
        let check = sandbox.hotplate("check server.yaml --policy rules").assert();
        let check = check.stdout(contains(message));
        assert_ne!(check.get_output().status.code(), Some(0));
    }
}

#[test]
fn rules_test_themselves() {
    let sandbox = sandbox();
    sandbox.hotplate("policy test rules").assert().code(1).stdout(
        "\
ACME001: failed (0 good, 0 bad)
  there is no template in `ACME001/good`
  there is no template in `ACME001/bad`
",
    );
    sandbox.write("rules/ACME001/bad/a.yaml", SERVER);
    sandbox.write("rules/ACME001/good/a.yaml", SERVER.replace("default: web", "default: acme"));
    sandbox.hotplate("policy test rules").assert().code(0).stdout("ACME001: ok (1 good, 1 bad)\n");
    // The limits are those of the command, for the templates, too.
    let nested = sandbox.hotplate("policy test rules --max-depth 2").assert().code(1);
    nested.stdout(contains("the template has an error: ").and(contains("(HP0106)")));
    for (folder, text, problem) in [
        ("good", SERVER.to_owned(), "violated: the name `web-1` of `server` has no prefix"),
        ("good", SERVER.replace(", default: web", ""), "undecided: "),
        ("bad", SERVER.replace("default: web", "default: acme"), "not violated"),
        ("bad", SERVER.replace("image: debian", "imag: debian"), "the template has an error: "),
        ("good", "no: template\n".to_owned(), "the template has an error: "),
    ] {
        sandbox.write(format!("rules/ACME001/{folder}/b.yaml"), &text);
        let line = format!("  rules/ACME001/{folder}/b.yaml: {problem}");
        let test = sandbox.hotplate("policy test rules").assert().code(1);
        test.stdout(contains("ACME001: failed").and(contains(line)));
        std::fs::remove_file(sandbox.at(format!("rules/ACME001/{folder}/b.yaml"))).expect("a file");
    }
}

#[test]
fn rules_explain_themselves() {
    let sandbox = sandbox();
    let all = "\
ACME001  warning  name of a server
  about: resource OS::Nova::Server
  file: rules/ACME001.yaml

  name of a server

  begin the name with `acme-`
";
    sandbox.hotplate("policy explain rules").assert().code(0).stdout(all).stderr(is_empty());
    sandbox.hotplate("policy explain rules acme001").assert().code(0).stdout(all);
    let unknown = sandbox.hotplate("policy explain rules ACME01").assert().code(2);
    unknown.stderr(contains("did you mean `ACME001`?"));
    sandbox.hotplate("policy explain missing").assert().code(2).stderr(contains("HP1601"));
}

/// The six rules of the guide.
#[test]
fn the_examples_test_themselves() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/policies");
    let test = crate::cli::sandbox::hotplate(&["policy", "test", root]).assert().code(0);
    let output = String::from_utf8(test.get_output().stdout.clone()).expect("text");
    assert_eq!(output.lines().filter(|line| line.contains(": ok (")).count(), 6, "{output}");
}
