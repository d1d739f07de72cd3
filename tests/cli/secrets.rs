//! Defaults of hidden parameters: reports mask them, texts that replace the template contain them.

use predicates::prelude::*;
use predicates::str::{contains, is_empty};

use crate::cli::sandbox::Sandbox;

const SECRET: &str = "hunter2";

/// The default is among the context lines of a diff, and at the place of findings.
const HIDDEN: &str = "\
heat_template_version: 2013-05-23
parameters:
  password: {type: string, hidden: true, default: hunter2}
outputs:
  twice: {value: {Fn::Join: ['', [a]]}, value: {get_param: password}}
";

/// Everything is on one line, which changes.
const ONE_LINE: &str = r#"{"heat_template_version": "2013-05-23", "parameters": {"p": {"type": "string", "hidden": true, "default": "hunter2"}}}
"#;

fn warned() -> impl Predicate<str> {
    contains(
        "warning[HP0215]: the result contains the default of the hidden parameter `password`\n",
    )
    .and(contains(" --> a.yaml:3:51\n"))
    .and(contains("3 |   password: {type: string, hidden: true, default: *******}\n"))
    .and(contains(SECRET).not())
}

#[test]
fn texts_that_take_its_place_have_it_and_warn() {
    let sandbox = Sandbox::new(&[("a.yaml", HIDDEN)]);
    for command in ["upgrade", "ir", "render --target json", "render --target yaml"] {
        sandbox
            .hotplate(&format!("{command} a.yaml"))
            .assert()
            .code(0)
            .stdout(contains(SECRET))
            .stderr(warned());
    }
}

#[test]
fn reports_mask_it() {
    let sandbox = Sandbox::new(&[("a.yaml", HIDDEN)]);
    let masked = || contains(SECRET).not();
    for (command, status) in [
        ("upgrade --check", 1),
        ("upgrade --check -v", 1),
        ("upgrade --check --format json", 1),
        ("upgrade --diff", 0),
        ("versions", 0),
        ("versions --format json", 0),
    ] {
        let command = format!("{command} a.yaml");
        sandbox.hotplate(&command).assert().code(status).stdout(masked()).stderr(masked());
    }
    sandbox.hotplate("upgrade --write a.yaml").assert().code(0).stdout(is_empty()).stderr(warned());
    assert!(sandbox.text("a.yaml").contains(SECRET));
}

#[test]
fn findings_mask_it_whether_or_not_something_changes() {
    let text = HIDDEN.replace("hidden: true", "hidden: true, hidden: true");
    for version in ["2013-05-23", "2021-04-16"] {
        let text = text.replace("2013-05-23", version).replace("Fn::Join", "list_join");
        let sandbox = Sandbox::new(&[("a.yaml", text)]);
        for command in ["upgrade", "ir", "render --target yaml"] {
            let said = contains("warning[HP0105]: ").and(contains("default: *******}\n"));
            sandbox
                .hotplate(&format!("{command} a.yaml"))
                .assert()
                .code(0)
                .stderr(said.and(contains(SECRET).not()));
        }
    }
}

#[test]
fn a_default_without_effect_is_masked_too() {
    let parameters = |lines: &str| {
        format!(
            "heat_template_version: 2013-05-23\nparameters:\n{lines}outputs: {{o: {{value: 1}}}}\n"
        )
    };
    for text in [
        parameters(
            "  p:\n    default: hunter2\n    hidden: true\n    default: other\n    type: string\n",
        ),
        parameters("  p: {type: string, default: hunter2, default: x, default: y, hidden: true}\n"),
        parameters("  p: {type: string, hidden: true, default: hunter2}\n  p: {type: string}\n"),
        parameters("  p: {hidden: true, type: json, default: {a: {b: hunter2}}, default: {}}\n"),
    ] {
        for version in ["2013-05-23", "2021-04-16"] {
            let sandbox = Sandbox::new(&[("a.yaml", text.replace("2013-05-23", version))]);
            for command in ["upgrade --check", "upgrade --diff", "ir", "render --target yaml"] {
                let assert = sandbox.hotplate(&format!("{command} a.yaml")).assert();
                let said =
                    contains("warning[HP0105]: ").and(contains("this value has no effect\n"));
                assert.stderr(said.and(contains(SECRET).not()));
            }
            let diff = sandbox.hotplate("upgrade --diff a.yaml").assert().code(0);
            diff.stdout(contains(SECRET).not());
        }
    }
}

#[test]
fn the_words_within_it_are_in_no_finding() {
    for default in ["{hunter2: 1, hunter2: 2}", "{? [hunter2] : 1}", "&hunter2 value", "*hunter2"] {
        let text = format!(
            "heat_template_version: 2013-05-23
parameters:
  password:
    default: {default}
    hidden: true
    type: json
  changed: {{type: string, default: DEFAULT}}
"
        );
        let sandbox = Sandbox::new(&[
            ("a.yaml", text.replace("DEFAULT", "one")),
            ("b.yaml", text.replace("DEFAULT", "two")),
        ]);
        for command in [
            "env a.yaml",
            "eval a.yaml",
            "diff --context 9 a.yaml b.yaml",
            "upgrade --check -v a.yaml",
            "upgrade --check --format json a.yaml",
            "versions -v a.yaml",
            "capabilities list a.yaml",
        ] {
            let output = sandbox.hotplate(command).output().expect("it runs");
            let said =
                String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
            assert!(!said.contains(SECRET), "{command}: {said}");
        }
        for command in ["ir a.yaml", "render -t terraform a.yaml"] {
            sandbox.hotplate(command).assert().stderr(contains(SECRET).not());
        }
    }
}

#[test]
fn the_text_of_a_template_that_cannot_be_read_has_no_default() {
    let broken = format!("{HIDDEN}resources: [\n");
    let sandbox = Sandbox::new(&[("a.yaml", &broken)]);
    let masked = broken.replace("hunter2}", "********");
    sandbox.hotplate("ir --text a.yaml").assert().code(0).stdout(masked);
    sandbox.hotplate("ir --text --show-secrets a.yaml").assert().code(0).stdout(broken);
}

#[test]
fn show_secrets_shows_it() {
    let sandbox = Sandbox::new(&[("a.yaml", HIDDEN)]);
    for (command, status) in [("upgrade", 0), ("upgrade --check", 1)] {
        sandbox
            .hotplate(&format!("{command} --show-secrets a.yaml"))
            .assert()
            .code(status)
            .stderr(contains("3 |   password: {type: string, hidden: true, default: hunter2}\n"));
    }
}

#[test]
fn a_diff_leaves_it_out_or_says_that_it_cannot_be_applied() {
    let said = "warning[HP0409]: the patch of `";
    for (name, text, status) in [("a.yaml", HIDDEN, 0), ("a.json", ONE_LINE, 1)] {
        let sandbox = Sandbox::new(&[(name, text)]);
        let masked = sandbox.hotplate(&format!("upgrade --diff {name}")).assert().code(status);
        let masked = masked.stdout(contains(SECRET).not());
        if status == 0 {
            masked.stdout(contains("***").not()).stderr(contains(said).not());
        } else {
            masked.stdout(contains("*******")).stderr(contains(said).and(contains(SECRET).not()));
        }
        sandbox
            .hotplate(&format!("upgrade --diff --show-secrets {name}"))
            .assert()
            .code(0)
            .stdout(contains("--- a/").and(contains("***").not()))
            .stderr(contains(said).not());
    }
}

#[test]
fn a_diff_that_does_not_come_near_it_has_no_note() {
    let far = HIDDEN.replace("parameters:\n", &format!("parameters:\n{}", "\n".repeat(9)));
    let far = far.replace("outputs:\n", &format!("{}outputs:\n", "\n".repeat(9)));
    let sandbox = Sandbox::new(&[("a.yaml", far)]);
    sandbox
        .hotplate("upgrade --diff a.yaml")
        .assert()
        .code(0)
        .stdout(contains("default").not())
        .stderr(contains("masked").not());
}

#[test]
fn a_rule_that_is_refused_does_not_show_its_hidden_protocol() {
    let template = "\
heat_template_version: 2021-04-16
parameters:
  hidden: {type: comma_delimited_list, hidden: true, default: q5zx5qj5}
resources:
  group:
    type: OS::Neutron::SecurityGroup
    properties:
      rules: [{protocol: {get_param: hidden}, remote_ip_prefix: {get_param: hidden}, port_range_min: {get_param: hidden}}]
";
    let sandbox = Sandbox::new(&[("t.yaml", template)]);
    for target in ["cfn", "terraform", "pulumi", "ansible"] {
        let command = format!("render t.yaml -t {target} -o {target} --bake --show-secrets");
        sandbox.hotplate(&command).assert().stderr(contains("q5zx5qj5").not());
    }
}

#[test]
fn a_value_that_a_provider_does_not_accept_is_not_shown_if_it_is_hidden() {
    let listener = |protocol: &str, port: &str| {
        format!(
            "{{type: OS::Octavia::Listener, properties: {{protocol: {protocol}, protocol_port: {port}, loadbalancer: a}}}}"
        )
    };
    let hidden = "{get_param: hidden}";
    let template = format!(
        "heat_template_version: 2021-04-16\nparameters:\n  hidden: {{type: string, hidden: true, default: '99123456'}}\nresources:\n  a: {}\n  b: {}\n",
        listener(hidden, "80"),
        listener("TCP", hidden),
    );
    let sandbox = Sandbox::new(&[("t.yaml", template)]);
    for target in ["terraform", "pulumi"] {
        let command =
            format!("render t.yaml -t {target} -o {target} --bake --show-secrets --format json");
        let refused = contains("the hidden value is not allowed");
        let assert = sandbox.hotplate(&command).assert().code(1);
        let assert = assert.stderr(refused.and(contains("99123456").not()));
        // On standard error, the loss would repeat the mistake.
        let lost = contains("does not accept the hidden value");
        assert.stdout(lost.and(contains("99123456").not()));
    }
}
