//! Errors of Heat that only an evaluation finds: dependencies, attributes, and errors in nested
//! templates.

use predicates::prelude::*;
use predicates::str::{contains, is_empty, starts_with};

use crate::cli::git::Repository;
use crate::cli::sandbox::Sandbox;

const HOT: &str = "heat_template_version: 2018-08-31\n";

fn template(lines: &str) -> String {
    format!(
        "{HOT}resources:\n  port: {{type: OS::Neutron::Port, properties: {{network: n}}}}\n{lines}"
    )
}

/// Asserts that a valid template becomes an invalid one, with this text in the error.
fn is_refused(lines: &str, said: &str) {
    let sandbox = Sandbox::new(&[("old.yaml", template("")), ("new.yaml", template(lines))]);
    for fill in ["", " --fill"] {
        let eval = sandbox.hotplate(&format!("eval{fill} new.yaml")).assert().code(1);
        eval.stderr(contains(said));
        let diff = format!("diff{fill} --fail-on refused old.yaml new.yaml");
        sandbox.hotplate(&diff).assert().code(1).stdout(contains("refuse"));
    }
}

fn is_accepted(lines: &str) {
    let sandbox = Sandbox::new(&[
        ("new.yaml", template(lines)),
        ("inner.yaml", format!("{HOT}outputs: {{ip: {{value: 1}}}}\n")),
    ]);
    for fill in ["", " --fill"] {
        let mut eval = sandbox.hotplate(&format!("eval --nested{fill} new.yaml"));
        let output = eval.output().expect("hotplate");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{lines}: {said}");
    }
}

const CONDITION: &str = "conditions: {never: false}\n";

#[test]
fn a_dependency_must_exist() {
    let said = "error[HP0708]: `web` depends on `prot`, which is not a resource of the template";
    for names in ["prot", "[port, prot]"] {
        is_refused(&format!("  web: {{type: OS::Heat::None, depends_on: {names}}}\n"), said);
    }
    is_refused("  web: {type: OS::Heat::None, depends_on: prot}\n", "did you mean `port`?");
    is_refused("  web: {type: OS::Heat::None, depends_on: web}\n", "error[HP0707]");
    is_refused("  web: {type: OS::Heat::None, depends_on: ''}\n", "depends on ``");
}

#[test]
fn a_condition_may_take_away_who_waits_and_who_is_waited_for() {
    let away = |lines: &str| is_accepted(&format!("{lines}{CONDITION}"));
    away("  web: {type: OS::Heat::None, depends_on: gone, condition: never}\n");
    away(
        "  web: {type: OS::Heat::None, depends_on: a}\n  a: {type: OS::Heat::None, condition: never}\n",
    );
}

#[test]
fn an_attribute_of_an_output_must_exist() {
    let said = "error[HP0701]: the resource `port` has no attribute `fixed_ip`";
    for value in [
        "{get_attr: [port, fixed_ip]}",
        "{list_join: [',', [{get_attr: [port, fixed_ip, 0]}]]}",
        "{if: [{not: never}, {get_attr: [port, fixed_ip]}, x]}",
    ] {
        is_refused(&format!("outputs: {{o: {{value: {value}}}}}\n{CONDITION}"), said);
        is_refused(
            &format!("outputs: {{o: {{value: {value}}}}}\n{CONDITION}"),
            "did you mean `fixed_ips`?",
        );
    }
}

#[test]
fn an_attribute_that_heat_takes_is_taken() {
    for lines in [
        "outputs: {o: {value: {get_attr: [port, show]}}}\n",
        "outputs: {o: {value: {get_attr: [port]}}}\n",
        "outputs: {o: {value: {if: [never, {get_attr: [port, fixed_ip]}, x]}}}\nconditions: {never: false}\n",
        "outputs: {o: {value: {get_attr: [port, fixed_ip]}, condition: never}}\nconditions: {never: false}\n",
        // Attributes of a nested stack are unknown before deployment.
        "  n: {type: inner.yaml}\noutputs: {o: {value: {get_attr: [n, pi]}}}\n",
        "  n: {type: inner.yaml}\n  v: {type: OS::Heat::Value, properties: {value: {get_attr: [n, pi]}}}\n",
        "  old: {type: OS::Neutron::LBaaS::Pool}\noutputs: {o: {value: {get_attr: [old, x]}}}\n",
        "  none: {type: OS::Heat::None}\noutputs: {o: {value: {get_attr: [none, x]}}}\n",
    ] {
        is_accepted(lines);
    }
}

/// A valid nested template becomes an invalid one.
fn nested(broken: &str) -> Sandbox {
    let root = format!(
        "{HOT}resources:\n  n: {{type: inner.yaml}}\n  g:\n    type: OS::Heat::ResourceGroup\n    properties: {{count: 2, resource_def: {{type: inner.yaml}}}}\n"
    );
    let inner = format!("{HOT}resources:\n  x: {{type: OS::Heat::None}}\n");
    Sandbox::new(&[
        ("old/root.yaml", root.as_str()),
        ("old/inner.yaml", &inner),
        ("new/root.yaml", &root),
        ("new/inner.yaml", broken),
    ])
}

#[test]
fn an_error_in_a_nested_template_is_told_at_its_place() {
    for (broken, place, said) in [
        ("resources:\n  x: [\n", "new/inner.yaml:3", "did not find expected node content"),
        (
            "resources:\n  x: {type: OS::Heat::None, propertys: {}}\n",
            "new/inner.yaml:3",
            "propertys",
        ),
        ("resource: {}\n", "new/inner.yaml:2", "resource"),
        ("resources:\n  x: {type: OS::Heat::None, depends_on: y}\n", "new/inner.yaml:3", "`y`"),
    ] {
        let sandbox = nested(&format!("{HOT}{broken}"));
        let diff = sandbox.hotplate("diff old/root.yaml new/root.yaml --fail-on refused").assert();
        diff.code(1).stdout(contains(place).and(contains(said)));
        let report = sandbox.json("diff old/root.yaml new/root.yaml --format json", 1);
        let resources = report["resources"].as_array().expect("resources");
        for name in ["n", "g"] {
            let is_refused = |it: &serde_json::Value| {
                let whole = it["name"].as_str().unwrap_or_default();
                it["impact"] == "refused" && whole.split('/').next() == Some(name)
            };
            assert!(resources.iter().any(is_refused), "{name}, {broken}: {report:#}");
        }
        let eval = sandbox.hotplate("eval --nested new/root.yaml").assert().code(1);
        eval.stderr(contains(place).and(contains(said)));
    }
    let version = nested("heat_template_version: 2018-08-32\n");
    let report = version.json("diff old/root.yaml new/root.yaml --format json", 1);
    // One error for each resource that represents it.
    assert_eq!(report["refusals"].as_array().map(Vec::len), Some(2), "{report:#}");
}

#[test]
fn one_mistake_is_one_finding_with_the_name_that_was_meant() {
    for (lines, meant) in [
        ("  a: {type: OS::Heat::None, propertys: {}}\n", "properties"),
        ("  a: {type: OS::Heat::None, deletion_policy: retian}\n", "Retain"),
        ("  a: {type: OS::Heat::None, condition: nevre}\nconditions: {never: false}\n", "never"),
        ("  a: {type: OS::Heat::None, depends_on: prot}\n", "port"),
        ("  a: {type: OS::Heat::Value, properties: {value: {get_resource: prot}}}\n", "port"),
        ("  a: {type: OS::Heat::Value, properties: {value: {get_param: sise}}}\n", "size"),
        ("outputs: {o: {value: {get_attr: [port, fixed_ip]}}}\n", "fixed_ips"),
        ("outpts: {}\n", "outputs"),
        ("parameter_groups: [{parameters: [sise]}]\n", "size"),
    ] {
        let text =
            template(&format!("{lines}parameters: {{size: {{type: number, default: 1}}}}\n"));
        let sandbox = Sandbox::new(&[("new.yaml", text.as_str()), ("old.yaml", &template(""))]);
        let output = sandbox.hotplate("eval new.yaml").assert().code(1).get_output().clone();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(said.matches("error[").count(), 1, "{said}");
        assert!(said.contains(&format!("did you mean `{meant}`?")), "{said}");
    }
}

const JINJA: &str = "heat_template_version: pike
resources:
{% for role in roles %}
  {{ role }}: {type: OS::Heat::None}
{% endfor %}
";
const JINJA_ONLY: &str = "heat_template_version: pike\nresources:\n{{ a }}: b: c\n";

#[test]
fn a_jinja_template_that_differs_is_told_as_not_compared() {
    let files =
        [("a.j2.yaml", JINJA), ("b.yaml.j2", JINJA), ("c.j2.yaml", JINJA_ONLY), ("d.yaml", JINJA)];
    let Some(repository) = Repository::new(&files) else { return };
    let sandbox = &repository.0;
    for (name, text) in files {
        sandbox.write(name, format!("{text}# changed\n"));
    }
    let run = |options: &str| {
        let mut command = sandbox.hotplate(&format!("diff --git HEAD{options}"));
        command.env_remove("GIT_DIR").env_remove("GIT_WORK_TREE");
        command
    };
    let line = |name: &str| format!("{name}:3:1: error[HP0115]: this is a Jinja2 template");
    run("").assert().code(1).stdout(
        starts_with("4 templates not compared")
            .and(contains(line("a.j2.yaml")))
            .and(contains(line("b.yaml.j2")))
            .and(contains("c.j2.yaml:3:1: error[HP0115]: this is a Jinja2 template"))
            .and(contains(line("d.yaml")))
            .and(contains("HP0101").not())
            .and(contains("no differences").not()),
    );
    for gate in ["replace", "widen", "refused"] {
        run(&format!(" --fail-on {gate}")).assert().code(1);
    }
    for format in ["junit", "sarif", "github", "gitlab", "zuul", "markdown", "html", "json"] {
        let said = contains("not compared").or(contains("cannot be compared"));
        let said = said.and(contains("HP0101").not());
        run(&format!(" --format {format}")).assert().code(1).stdout(said);
    }
    // In a folder, it is skipped.
    sandbox.hotplate("capabilities list .").assert().code(0).stderr(contains("HP0407"));
    for command in ["upgrade --write .", "versions ."] {
        sandbox.hotplate(command).assert().code(predicate::lt(2));
    }
}

#[test]
fn a_template_that_stays_broken_is_not_without_differences() {
    let broken = format!("{HOT}resources: [\n");
    let Some(repository) = Repository::new(&[("a.yaml", &broken)]) else { return };
    repository.0.write("a.yaml", format!("{broken}# changed\n"));
    let diff = repository.0.hotplate("diff --git HEAD").assert().code(2);
    diff.stdout(starts_with("1 template not compared").and(contains("a.yaml:3:10: error[HP0101]")));
    let staged = repository.0.hotplate("diff --staged").assert().code(0);
    staged.stdout(starts_with("nothing compared: no file differs")).stderr(is_empty());
}

/// Heat validates an update as if no resource existed; asked of its engine: `digest` of an attribute or of a reference that is null then is
/// refused, whether the network runs or not.
#[test]
fn what_fails_while_resources_return_null_is_refused_in_every_command() {
    let template = |value: &str| {
        format!(
            "heat_template_version: 2018-08-31\nresources:\n  net: {{type: OS::Neutron::Net}}\n  v: {{type: OS::Heat::Value, properties: {{value: {value}}}}}\n"
        )
    };
    let words = "what resources return is null while Heat validates a stack, which fails here";
    for (value, is_refused) in [
        ("{digest: [md5, {get_attr: [net, name]}]}", true),
        ("{digest: [md5, {get_resource: net}]}", true),
        ("{list_join: ['-', [{get_attr: [net, name]}, {get_resource: net}]]}", false),
        ("{get_resource: net}", false),
    ] {
        let sandbox = Sandbox::new(&[("old.yaml", template("a")), ("new.yaml", template(value))]);
        for command in [
            "check new.yaml",
            "eval new.yaml",
            "diff old.yaml new.yaml",
            "render -t terraform new.yaml",
        ] {
            let output = sandbox.hotplate(command).output().expect("hotplate");
            let shown =
                [output.stdout, output.stderr].map(|it| String::from_utf8_lossy(&it).into_owned());
            let shown = shown.concat().split_whitespace().collect::<Vec<_>>().join(" ");
            assert_eq!(shown.contains(words), is_refused, "{command}: {shown}");
        }
    }
}
