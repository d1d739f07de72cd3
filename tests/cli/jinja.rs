//! Jinja2 templates: the text outside of tags is upgraded, and nothing is claimed about the rest.

use predicates::prelude::*;
use predicates::str::{contains, is_empty};

use crate::cli::sandbox::Sandbox;

/// As in TripleO: keys and values from Jinja2, statements at the start of lines.
const ROLES: &str = "\
heat_template_version: pike
{# a comment #}
parameters:
{%- for role in roles %}
  {{role.name}}Count: {type: number, default: {{ role.count }}}
{%- endfor %}
resources:
{% for role in roles if role.count > 0 %}
  {{role.name}}:
    type: OS::Nova::Server
    properties: {image: cirros, flavor: {{ role.flavor|default('small') }}}
{% endfor %}
";

/// The same key in two branches, each with a function that the latest version lacks.
const BRANCHES: &str = "\
heat_template_version: 2014-10-16
outputs:
  value:
{% if first %}
    value: {Fn::Select: [0, [a, b]]}
{% else %}
    value: {Fn::Select: [1, [a, b]]}
{% endif %}
";

/// The function's arguments are Jinja2 expressions.
const IN_THE_WAY: &str = "\
heat_template_version: 2014-10-16
outputs:
  value: {value: {Fn::Select: [{{ number }}, [a, b]]}}
";

const NOT_YAML: &str = "heat_template_version: pike\nresources:\n{{ a }}: b: c\n";

#[test]
fn what_is_outside_of_the_tags_is_upgraded() {
    let sandbox = Sandbox::new(&[("a.j2.yaml", ROLES), ("b.yaml", ROLES), ("c.yaml.j2", ROLES)]);
    let new = ROLES.replace("pike", "wallaby");
    for name in ["a.j2.yaml", "b.yaml", "c.yaml.j2"] {
        sandbox
            .hotplate(&format!("upgrade {name}"))
            .assert()
            .code(0)
            .stdout(new.clone())
            .stderr(contains("note[HP0408]: the output of the Jinja2 tags was not checked"));
    }
    sandbox.hotplate("upgrade --check -v .").assert().code(1).stdout(
        "a.j2.yaml: date only, 2017-09-01 -> 2021-04-16\n\
         b.yaml: date only, 2017-09-01 -> 2021-04-16\n\
         c.yaml.j2: date only, 2017-09-01 -> 2021-04-16\n",
    );
    sandbox.hotplate("upgrade --write .").assert().code(0).stderr(
        contains("Jinja2 tags, in 3 of them, were not examined").and(contains("HP0408").not()),
    );
    assert_eq!(sandbox.text("a.j2.yaml"), new);
    sandbox.hotplate("upgrade --check .").assert().code(0).stdout(is_empty());
}

#[test]
fn every_branch_is_rewritten() {
    let sandbox = Sandbox::new(&[("a.yaml", BRANCHES)]);
    let new = BRANCHES
        .replace("2014-10-16", "2021-04-16")
        .replace("{Fn::Select: [0, [a, b]]}", "a")
        .replace("{Fn::Select: [1, [a, b]]}", "b");
    sandbox.hotplate("upgrade a.yaml").assert().code(0).stdout(new);
}

#[test]
fn a_tag_in_the_way_of_a_rewrite_leaves_the_file() {
    for (text, reason) in [
        (IN_THE_WAY, "a change would touch its tags"),
        (NOT_YAML, "the text outside of its tags is not YAML"),
        ("heat_template_version: pike\n{% if a %}\n", "its tags do not match"),
        ("heat_template_version: {{ version }}\n", "Heat refuses the text outside of its tags"),
    ] {
        let sandbox = Sandbox::new(&[("a.j2.yaml", text)]);
        let said = format!("this Jinja2 template is skipped: {reason}");
        sandbox
            .hotplate("upgrade a.j2.yaml")
            .assert()
            .code(1)
            .stdout(is_empty())
            .stderr(contains(format!("warning[HP0407]: {said}")));
        sandbox
            .hotplate("upgrade --write .")
            .assert()
            .code(0)
            .stderr(contains(said).and(contains("Jinja2")));
        assert_eq!(sandbox.text("a.j2.yaml"), text);
        let report = sandbox.json("upgrade --format json .", 0);
        assert_eq!(report["files"][0]["status"], "skipped", "{reason}");
    }
}

#[test]
fn exact_only_does_not_claim_what_the_tags_give() {
    let sandbox = Sandbox::new(&[("a.j2.yaml", ROLES)]);
    let said = contains("`--exact-only` is set, but the output of its tags is unknown");
    sandbox.hotplate("upgrade --exact-only a.j2.yaml").assert().code(1).stderr(said);
}

#[test]
fn other_commands_want_the_rendered_text() {
    let sandbox = Sandbox::new(&[("a.yaml", ROLES)]);
    for command in ["eval", "ir", "env", "render --target json"] {
        sandbox
            .hotplate(&format!("{command} a.yaml"))
            .assert()
            .code(2)
            .stdout(is_empty())
            .stderr(contains("error[HP0115]: this is a Jinja2 template: render it first"));
    }
}

#[test]
fn versions_looks_at_all_branches() {
    let sandbox = Sandbox::new(&[("a.j2.yaml", ROLES), ("b.yaml", BRANCHES)]);
    sandbox.hotplate("versions .").assert().code(0).stdout(contains(
        "a.j2.yaml: declares 2017-09-01, needs 2013-05-23 or later outside of its Jinja2 tags\n",
    ));
    let report = sandbox.json("versions --format json b.yaml", 0);
    assert_eq!(report["files"][0]["features"].as_array().map(Vec::len), Some(2));
    assert_eq!(report["files"][0]["diagnostics"][0]["code"], "HP0408");
}

#[test]
fn hidden_defaults_stay_hidden() {
    let text = "\
heat_template_version: pike
parameters:
{% if a %}
  password: {type: string, hidden: true, default: s3cret}
{% else %}
  password: {type: string, hidden: true, default: other3}
{% endif %}
";
    let sandbox = Sandbox::new(&[("a.j2.yaml", text)]);
    for arguments in ["--diff", "--diff --verbose", "--check --format json"] {
        let output = sandbox.hotplate(&format!("upgrade {arguments} a.j2.yaml")).output();
        let output = output.expect("an answer");
        let shown = [output.stdout, output.stderr].concat();
        let shown = String::from_utf8_lossy(&shown);
        assert!(!shown.contains("s3cret") && !shown.contains("other3"), "{arguments}: {shown}");
    }
}

#[test]
fn the_lines_that_differ_are_shown_though_nothing_is_compared() {
    let template = |port: &str, secret: &str| {
        format!(
            "heat_template_version: rocky\nparameters:\n  password: {{type: string, hidden: true, default: {secret}}}\nresources:\n{{% for role in roles %}}\n  {{{{role.name}}}}:\n    type: OS::Neutron::Port\n    properties: {{network: {port}}}\n{{% endfor %}}\n"
        )
    };
    let (old, new) = (template("front", "swordfish"), template("back", "xyzzy"));
    let sandbox = Sandbox::new(&[("old.j2.yaml", &old), ("new.j2.yaml", &new)]);
    for format in ["text", "markdown", "html"] {
        let words = format!("diff old.j2.yaml new.j2.yaml --format {format}");
        let output = sandbox.hotplate(&words).output().expect("hotplate runs");
        assert_eq!(output.status.code(), Some(2), "{format}");
        let stdout = String::from_utf8(output.stdout).expect("text");
        // The page marks what differs inside of a line.
        let [front, back] = ["front", "back"].map(|value| match format {
            "html" => format!("{value}</mark>"),
            _ => format!("network: {value}"),
        });
        assert!(stdout.contains(&front) && stdout.contains(&back), "{stdout}");
        assert!(!stdout.contains("swordfish") && !stdout.contains("xyzzy"), "{stdout}");
    }
}
