//! `capabilities:` in templates, and `hotplate capabilities`. The first examples are those of Heat's
//! specification.

use predicates::prelude::*;
use predicates::str::{contains, is_empty};
use serde_json::json;

use crate::cli::sandbox::Sandbox;

const PUPPET: &str = "\
heat_template_version: 2015-10-15
capabilities:
  deployment: puppet
";

const DOCKER: &str = "\
heat_template_version: 2015-10-15
capabilities:
  deployment: docker
";

/// A template that implements two types.
const POST: &str = "\
heat_template_version: 2015-10-15
capabilities:
  resource_type: [OS::TripleO::ControllerPostDeployment, OS::TripleO::ComputePostDeployment]
";

/// A template that implements one type.
const CONTROLLER: &str = "\
heat_template_version: 2015-10-15
capabilities:
  resource_type: OS::TripleO::Controller
";

const ENVIRONMENT: &str = "\
requires:
  deployment: puppet
resource_registry:
  OS::TripleO::Controller: [puppet/controller.yaml, docker/controller.yaml]
";

fn specification() -> Sandbox {
    Sandbox::new(&[
        ("puppet/controller.yaml", PUPPET),
        ("docker/controller.yaml", DOCKER),
        ("types/post.yaml", POST),
        ("types/controller.yaml", CONTROLLER),
        ("env.yaml", ENVIRONMENT),
    ])
}

fn stdout(sandbox: &Sandbox, arguments: &str, status: i32) -> String {
    let output = sandbox.hotplate(arguments).assert().code(status).get_output().clone();
    String::from_utf8(output.stdout).expect("text")
}

fn stderr(sandbox: &Sandbox, arguments: &str, status: i32) -> String {
    let output = sandbox.hotplate(arguments).assert().code(status).get_output().clone();
    String::from_utf8(output.stderr).expect("text")
}

#[test]
fn a_summary_of_two_templates() {
    let sandbox = specification();
    let list = "capabilities list -f puppet/controller.yaml -f docker/controller.yaml";
    insta::assert_snapshot!(stdout(&sandbox, list, 0), @r"
    capabilities:
      deployment: puppet, docker
    ");
    insta::assert_snapshot!(stdout(&sandbox, "capabilities list types", 0), @r"
    resource types:
      OS::TripleO::Controller: types/controller.yaml
      OS::TripleO::ControllerPostDeployment: types/post.yaml
      OS::TripleO::ComputePostDeployment: types/post.yaml
    ");
    let listed = sandbox.json("capabilities list puppet docker --format json", 0);
    assert_eq!(
        listed["capabilities"]["deployment"],
        json!({"puppet": ["puppet/controller.yaml"], "docker": ["docker/controller.yaml"]})
    );
    let listed = sandbox.json("capabilities list types --format json", 0);
    assert_eq!(
        listed["resource_types"]["OS::TripleO::Controller"],
        json!(["types/controller.yaml"])
    );
}

#[test]
fn a_summary_of_an_environment() {
    let sandbox = specification();
    insta::assert_snapshot!(stdout(&sandbox, "capabilities list -e env.yaml", 0), @r"
    capabilities:
      deployment: puppet, docker
    resource types:
      OS::TripleO::Controller: puppet/controller.yaml, docker/controller.yaml
    ");
    sandbox.hotplate("capabilities list -e env.yaml").assert().stderr(is_empty());
}

#[test]
fn templates_are_found_by_what_they_declare() {
    let sandbox = specification();
    let found = |arguments: &str, status| {
        stdout(&sandbox, &format!("capabilities find {arguments}"), status)
    };
    assert_eq!(
        found("-r -c resource_type=OS::TripleO::Controller .", 0),
        "./types/controller.yaml\n"
    );
    assert_eq!(found("-c resource_type=OS::TripleO::Controller .", 1), "", "not in folders");
    assert_eq!(found("-c deployment=docker puppet docker", 0), "docker/controller.yaml\n");
    assert_eq!(found("-c deployment=docker -c deployment=puppet puppet docker", 1), "");
    assert_eq!(found("-c deployment=puppet puppet/controller.yaml", 0), "puppet/controller.yaml\n");
    let report = sandbox.json("capabilities find -c deployment=puppet puppet --format json", 0);
    assert_eq!(
        report["templates"],
        json!([{"path": "puppet/controller.yaml", "capabilities": {"deployment": ["puppet"]}}])
    );
    sandbox.hotplate("capabilities find -c deployment puppet").assert().code(2);
    sandbox.hotplate("capabilities find -c a=b missing").assert().code(2);
    // A folder contains other files too; a file that the user names must be a template.
    sandbox.hotplate("capabilities find -c a=b env.yaml").assert().code(2);
    sandbox.hotplate("capabilities find -c a=b .").assert().code(1).stderr(is_empty());
}

#[test]
fn the_registry_is_resolved_into_what_heat_understands() {
    let sandbox = specification();
    let resolved = stdout(&sandbox, "capabilities resolve -e env.yaml", 0);
    let folder = std::fs::canonicalize(sandbox.at("")).expect("a folder");
    let shown = resolved.replace(folder.to_str().expect("text"), "FOLDER");
    insta::assert_snapshot!(shown, @r"
    resource_registry:
      OS::TripleO::Controller: file://FOLDER/puppet/controller.yaml
    ");
    // The result can be stored anywhere and contains no choices.
    sandbox.write("elsewhere/resolved.yaml", &resolved);
    let arguments = "env -e elsewhere/resolved.yaml --allow-path . --format json";
    let read = sandbox.json(arguments, 0);
    assert_eq!(read["diagnostics"], json!([]));
    assert!(
        read["registry"]["OS::TripleO::Controller"]
            .as_str()
            .is_some_and(|path| path.ends_with("/puppet/controller.yaml"))
    );
    sandbox.hotplate("capabilities resolve").assert().code(2).stdout(is_empty());
    sandbox.hotplate("capabilities resolve -e missing.yaml").assert().code(2).stdout(is_empty());
}

#[test]
fn no_candidate_several_or_an_empty_list() {
    let sandbox = specification();
    sandbox.write("none.yaml", ENVIRONMENT.replace("t: puppet", "t: ansible"));
    insta::assert_snapshot!(stderr(&sandbox, "capabilities resolve -e none.yaml", 1), @r"
    error[HP0521]: no candidate for `OS::TripleO::Controller` meets the requirements
     --> none.yaml:4:28
      |
    4 |   OS::TripleO::Controller: [puppet/controller.yaml, docker/controller.yaml]
      |                            ^----------------------^^----------------------^
      |                             |                       |
      |                             |                       its `deployment` is docker, but must be ansible
      |                             its `deployment` is puppet, but must be ansible
      |
      = docs: run `hotplate explain HP0521`
    ");
    sandbox.write("several.yaml", ENVIRONMENT.replace("deployment: puppet", "size: large"));
    insta::assert_snapshot!(stderr(&sandbox, "capabilities resolve -e several.yaml", 1), @r"
    note[HP0524]: no candidate for `OS::TripleO::Controller` declares `size`
     --> several.yaml:2:3
      |
    2 |   size: large
      |   ^^^^ this requirement is ignored
    3 | resource_registry:
    4 |   OS::TripleO::Controller: [puppet/controller.yaml, docker/controller.yaml]
      |   ----------------------- the candidates
      |
      = docs: run `hotplate explain HP0524`

    error[HP0522]: 2 candidates for `OS::TripleO::Controller` match
     --> several.yaml:4:28
      |
    4 |   OS::TripleO::Controller: [puppet/controller.yaml, docker/controller.yaml]
      |                            ^----------------------^^----------------------^
      |                             |                       |
      |                             |                       matches: `deployment` is docker
      |                             matches: `deployment` is puppet
      |
      = help: they differ in `deployment`: add that to `requires`
      = docs: run `hotplate explain HP0522`
    ");
    sandbox.write("empty.yaml", "resource_registry: {A::B: []}\n");
    insta::assert_snapshot!(stderr(&sandbox, "capabilities resolve -e empty.yaml", 1), @r"
    error[HP0523]: the list of candidates for `A::B` is empty
     --> empty.yaml:1:27
      |
    1 | resource_registry: {A::B: []}
      |                           ^^
      |
      = docs: run `hotplate explain HP0523`
    ");
    for name in ["none", "several", "empty"] {
        let arguments = format!("capabilities resolve -e {name}.yaml");
        sandbox.hotplate(&arguments).assert().code(1).stdout(is_empty());
        let report = sandbox.json(&format!("{arguments} --format json"), 1);
        assert_eq!(report["environment"], json!(null), "{name}");
        assert_eq!(report["choices"][0]["chosen"], json!(null), "{name}");
    }
    let report = sandbox.json("capabilities resolve -e none.yaml --format json", 1);
    assert_eq!(
        report["choices"][0]["candidates"][1]["lacks"],
        json!(["its `deployment` is docker, but must be ansible"])
    );
}

#[test]
fn the_effective_environment_has_what_was_chosen() {
    let sandbox = specification();
    insta::assert_snapshot!(stdout(&sandbox, "env -q -e env.yaml", 0), @r#"
    resource_registry:
      OS::TripleO::Controller: "puppet/controller.yaml"  # env.yaml:4
        chosen from ["puppet/controller.yaml","docker/controller.yaml"]  # env.yaml:4
    requires:
      deployment: "puppet"  # env.yaml:2
    "#);
}

#[test]
fn a_template_that_is_handed_to_heat_goes_without_the_section() {
    let template = "\
heat_template_version: 2015-10-15
# before

capabilities:
  # inside
  deployment: puppet  # behind
outputs: {o: {value:   1}}
";
    let sandbox = Sandbox::new(&[("a.yaml", template)]);
    let left = "\
heat_template_version: 2015-10-15
# before

# inside
# behind
outputs: {o: {value:   1}}
";
    let strip = "upgrade --strip-capabilities --to 2015-10-15 a.yaml";
    sandbox.hotplate(strip).assert().code(0).stdout(left).stderr(is_empty());
    // Without the option the section stays, with a warning.
    sandbox
        .hotplate("upgrade --to 2016-10-14 a.yaml")
        .assert()
        .code(0)
        .stdout(template.replace("2015-10-15", "2016-10-14"))
        .stderr(contains("note[HP0216]").and(contains("a.yaml:4:1")));
    let newer = left.replace("2015-10-15", "2016-10-14");
    sandbox
        .hotplate("upgrade --strip-capabilities --to 2016-10-14 --write a.yaml")
        .assert()
        .code(0);
    assert_eq!(sandbox.text("a.yaml"), newer);
    let again = "upgrade --strip-capabilities --to 2016-10-14 --check a.yaml";
    sandbox.hotplate(again).assert().code(0).stdout(is_empty());
}

#[test]
fn render_keeps_the_section_or_leaves_it_out() {
    let sandbox = specification();
    let render = |arguments: &str| stdout(&sandbox, &format!("render {arguments}"), 0);
    assert_eq!(render("puppet/controller.yaml -t yaml"), PUPPET);
    let version = "heat_template_version: 2015-10-15\n";
    assert_eq!(render("puppet/controller.yaml -t yaml --strip-capabilities"), version);
    let json = "{\n  \"heat_template_version\": \"2015-10-15\"\n}\n";
    assert_eq!(render("puppet/controller.yaml -t json --strip-capabilities"), json);
}

#[test]
fn what_other_places_need_is_not_left_out() {
    for (template, message) in [
        (
            "heat_template_version: pike\ncapabilities: {a: &a x}\noutputs: {o: {value: *a}}\n",
            "an alias elsewhere refers to this part",
        ),
        (
            "heat_template_version: pike\ncapabilities: {a: x}\ncapabilities: {b: y}\n",
            "the section occurs twice",
        ),
        (
            "heat_template_version: pike\n<<: {capabilities: {a: x}}\n",
            "the section occurs twice or comes from a merge key",
        ),
    ] {
        let sandbox = Sandbox::new(&[("a.yaml", template)]);
        sandbox
            .hotplate("upgrade --strip-capabilities --to pike a.yaml")
            .assert()
            .code(1)
            .stdout(is_empty())
            .stderr(contains(message));
    }
}

#[test]
fn every_version_may_have_capabilities_and_their_shape_is_checked() {
    for version in ["2013-05-23", "2015-10-15", "wallaby", "pike"] {
        let sandbox = Sandbox::new(&[(
            "a.yaml",
            format!("heat_template_version: {version}\ncapabilities: {{a: [b, c]}}\n"),
        )]);
        let ir = sandbox.json("ir a.yaml", 0);
        assert_eq!(ir["capabilities"]["a"]["value"]["kind"], "list", "{version}");
        assert_eq!(ir["extensions"], json!([]));
    }
    for (section, code, place) in [
        ("{a: yes}", "HP0217", "2:19"),
        ("{a: [b, 5]}", "HP0217", "2:23"),
        ("{a: {b: c}}", "HP0217", "2:19"),
        ("{a: null}", "HP0217", "2:19"),
        ("[a]", "HP0207", "2:15"),
    ] {
        let template = format!("heat_template_version: pike\ncapabilities: {section}\n");
        let sandbox = Sandbox::new(&[("a.yaml", template)]);
        sandbox
            .hotplate("capabilities list a.yaml")
            .assert()
            .code(1)
            .stderr(contains(code).and(contains(format!("a.yaml:{place}"))));
    }
}

#[test]
fn a_hidden_default_beside_a_finding_is_masked() {
    let template = "heat_template_version: pike\ncapabilities: {a: 5}\nparameters: {p: {type: string, hidden: true, default: geheim}}\n";
    let one_line = "{heat_template_version: pike, capabilities: {a: 5}, parameters: {p: {type: string, hidden: true, default: geheim}}}\n";
    let sandbox = Sandbox::new(&[("a.yaml", template), ("b.yaml", one_line)]);
    sandbox
        .hotplate("capabilities list a.yaml b.yaml")
        .assert()
        .code(1)
        .stderr(contains("geheim").not().and(contains("******")));
}
