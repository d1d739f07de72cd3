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
        chosen: puppet/controller.yaml, by `deployment` (puppet)
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
        "types/controller.yaml\n"
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
}

/// The specification's own example names every file of the folder: `find -r -c resource_type=… ./*`.
#[test]
fn what_is_not_a_template_is_skipped_and_counted() {
    let sandbox = specification();
    sandbox.write("README.md", "# [not: a template\n");
    sandbox.write("empty", "");
    let skipped = "3 not HOT templates (skipped)\n";
    let all = "README.md empty env.yaml types puppet";
    let find = format!("capabilities find -r -c resource_type=OS::TripleO::Controller {all}");
    sandbox.hotplate(&find).assert().code(0).stdout("types/controller.yaml\n").stderr(skipped);
    assert_eq!(sandbox.json(&format!("{find} --format json"), 0)["skipped"], json!(3));
    let list = format!("capabilities list {all}");
    sandbox.hotplate(&list).assert().code(0).stdout(contains("puppet")).stderr(skipped);
    // A file that a user names with `-f` must be a template, and a broken template is an error.
    sandbox.hotplate("capabilities list -f env.yaml").assert().code(2).stderr(contains("HP0201"));
    sandbox.write("broken.yaml", "heat_template_version: pike\na: [\n");
    sandbox.hotplate("capabilities find -c a=b broken.yaml").assert().code(2);
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
    assert_eq!(read["registry"]["OS::TripleO::Controller"], "puppet/controller.yaml");
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
    let sandbox = Sandbox::new(&[("a.yaml", "heat_template_version: pike\ncapabilities: [a]\n")]);
    let list = sandbox.hotplate("capabilities list a.yaml").assert().code(1);
    list.stderr(contains("error[HP0207]").and(contains("a.yaml:2:15")));
}

/// The specification: «The capabilities section will not be strictly validated».
#[test]
fn values_of_any_kind_are_compared_as_strings() {
    for (section, place, value) in [
        ("{a: yes}", "2:19", "true"),
        ("{a: true}", "2:19", "true"),
        ("{a: [b, 5]}", "2:23", "5"),
        ("{a: 1.50}", "2:19", "1.5"),
        ("{a: {b: c}}", "2:19", "{\"b\":\"c\"}"),
        ("{a: null}", "2:19", ""),
        ("{a: }", "2:19", ""),
    ] {
        let template = format!("heat_template_version: pike\ncapabilities: {section}\n");
        let sandbox = Sandbox::new(&[("a.yaml", template)]);
        sandbox
            .run(&["capabilities", "find", "-c", &format!("a={value}"), "a.yaml"])
            .assert()
            .code(0)
            .stdout("a.yaml\n")
            .stderr(contains("note[HP0217]").and(contains(format!("a.yaml:{place}"))));
        sandbox.hotplate("capabilities find -c a=other a.yaml").assert().code(1).stdout("");
    }
    // In an environment, too: both sides are the boolean.
    let sandbox = specification();
    for folder in ["puppet", "docker"] {
        let text = sandbox.text(&format!("{folder}/controller.yaml"));
        let flag = if folder == "puppet" { "yes" } else { "no" };
        sandbox.write(format!("{folder}/controller.yaml"), format!("{text}  ha: {flag}\n"));
    }
    sandbox.write("env.yaml", ENVIRONMENT.replace("deployment: puppet", "ha: off"));
    sandbox
        .hotplate("capabilities resolve -e env.yaml")
        .assert()
        .code(0)
        .stdout(contains("docker/controller.yaml"))
        .stderr(contains("env.yaml:2:7").and(contains("compared as `false`")));
}

#[test]
fn a_hidden_default_beside_a_finding_is_masked() {
    let template = "heat_template_version: pike\ncapabilities: {a: 5}\nparameters: {p: {type: string, hidden: true, default: geheim}}\n";
    let one_line = "{heat_template_version: pike, capabilities: {a: 5}, parameters: {p: {type: string, hidden: true, default: geheim}}}\n";
    let sandbox = Sandbox::new(&[("a.yaml", template), ("b.yaml", one_line)]);
    sandbox
        .hotplate("capabilities list a.yaml b.yaml")
        .assert()
        .code(0)
        .stderr(contains("geheim").not().and(contains("******")));
}

// `list` shows what decides, and what is open.

#[test]
fn the_capability_that_decides_a_type_is_shown() {
    let sandbox = specification();
    sandbox.write("env.yaml", ENVIRONMENT.replace("deployment: puppet", "size: big"));
    insta::assert_snapshot!(stdout(&sandbox, "capabilities list -e env.yaml", 0), @r"
    capabilities:
      deployment: puppet, docker
    resource types:
      OS::TripleO::Controller: puppet/controller.yaml, docker/controller.yaml
        open: `deployment` (puppet, docker) decides
    ");
    let list = sandbox.json("capabilities list -e env.yaml --format json", 0);
    assert_eq!(
        list["decisions"],
        json!([{
            "path": ["OS::TripleO::Controller"],
            "candidates": ["puppet/controller.yaml", "docker/controller.yaml"],
            "chosen": null,
            "capabilities": {"deployment": ["puppet", "docker"]},
        }])
    );
    sandbox.write("env.yaml", ENVIRONMENT.replace("t: puppet", "t: ansible"));
    let open = "    open: no candidate meets the requirements\n";
    assert!(stdout(&sandbox, "capabilities list -e env.yaml", 0).ends_with(open));
    // Templates that name their types, without an environment.
    sandbox.write("types/second.yaml", CONTROLLER);
    let open = "    open: the declarations do not distinguish the candidates\n";
    assert!(stdout(&sandbox, "capabilities list types", 0).contains(open));
    sandbox.write("types/second.yaml", format!("{CONTROLLER}  ha: pacemaker\n"));
    let open = "    open: `ha` (pacemaker) decides\n";
    assert!(stdout(&sandbox, "capabilities list types", 0).contains(open));
}

// `resolve -o`: a tree that Heat takes as it is.

const ROOT: &str = "\
heat_template_version: 2018-08-31
capabilities: {site: north}  # for the catalog
parameters:
  size: {type: number, default: 1}
resources:
  controller: {type: \"OS::TripleO::Controller\"}
";

const NESTING: &str = "\
heat_template_version: 2015-10-15
# The controller.
capabilities:
  deployment: puppet
resources:
  port: {type: ../lib/port.yaml}
  config: {type: OS::Heat::SoftwareConfig, properties: {config: {get_file: run.sh}}}
";

const PRODUCTION: &str = "\
# Production.
requires:
  deployment: puppet
parameter_defaults: {size: 2}  # small
resource_registry:
  OS::TripleO::Controller: [../puppet/controller.yaml, ../docker/controller.yaml]  # by requires
  resources:
    controller: {hooks: [pre-create, pre-update]}
";

fn deployment() -> Sandbox {
    let sandbox = specification();
    sandbox.write("root.yaml", ROOT);
    sandbox.write("puppet/controller.yaml", NESTING);
    sandbox.write("puppet/run.sh", "#!/bin/sh\n\n");
    sandbox.write("lib/port.yaml", DOCKER);
    sandbox.write("envs/production.yaml", PRODUCTION);
    sandbox
}

const RESOLVE: &str = "capabilities resolve root.yaml -e envs/production.yaml";

#[test]
fn a_tree_is_written_as_heat_takes_it() {
    let sandbox = deployment();
    let written = "\
wrote 5 files to out; for Heat:
  openstack stack create STACK -t out/root.yaml -e out/envs/production.yaml
";
    sandbox.hotplate(&format!("{RESOLVE} -o out")).assert().code(0).stdout("").stderr(written);
    insta::assert_snapshot!(sandbox.text("out/root.yaml"), @r#"
    heat_template_version: 2018-08-31
    # for the catalog
    parameters:
      size: {type: number, default: 1}
    resources:
      controller: {type: "OS::TripleO::Controller"}
    "#);
    insta::assert_snapshot!(sandbox.text("out/puppet/controller.yaml"), @r"
    heat_template_version: 2015-10-15
    # The controller.
    resources:
      port: {type: ../lib/port.yaml}
      config: {type: OS::Heat::SoftwareConfig, properties: {config: {get_file: run.sh}}}
    ");
    insta::assert_snapshot!(sandbox.text("out/envs/production.yaml"), @r"
    # Production.
    parameter_defaults: {size: 2}  # small
    resource_registry:
      OS::TripleO::Controller: ../puppet/controller.yaml  # by requires
      resources:
        controller: {hooks: [pre-create, pre-update]}
    ");
    assert_eq!(sandbox.text("out/lib/port.yaml"), "heat_template_version: 2015-10-15\n");
    assert_eq!(sandbox.text("out/puppet/run.sh"), "#!/bin/sh\n\n", "every byte");
    assert!(!sandbox.at("out/docker").exists(), "only what was chosen");
    let report = sandbox.json(&format!("{RESOLVE} -o again --format json"), 0);
    assert_eq!(report["written"]["environments"], json!(["again/envs/production.yaml"]));
    assert_eq!(report["written"]["files"].as_array().map(Vec::len), Some(5));
    // What was written has nothing left to resolve.
    let resolve = "capabilities resolve out/root.yaml -e out/envs/production.yaml";
    sandbox.hotplate(resolve).assert().code(0).stderr(is_empty());
}

#[test]
fn without_an_output_a_warning_says_that_heat_refuses_the_templates() {
    let sandbox = deployment();
    sandbox
        .hotplate(RESOLVE)
        .assert()
        .code(0)
        .stdout(contains("OS::TripleO::Controller: file:///"))
        .stderr(
            contains("warning[HP0527]: Heat refuses 3 templates of this registry")
                .and(contains("root.yaml:2:1").and(contains("-o DIR"))),
        );
}

#[test]
fn existing_files_stay_unless_the_user_says_otherwise() {
    let sandbox = deployment();
    sandbox.write("out/root.yaml", "mine");
    let resolve = format!("{RESOLVE} -o out");
    sandbox.hotplate(&resolve).assert().code(2).stderr(contains("HP0910"));
    assert_eq!(sandbox.text("out/root.yaml"), "mine");
    assert!(!sandbox.at("out/puppet").exists());
    sandbox.hotplate(&format!("{resolve} --force")).assert().code(0);
    assert!(sandbox.text("out/root.yaml").starts_with("heat_template_version"));
}

#[test]
fn all_files_are_written_or_none() {
    for (file, old, new, code) in [
        ("puppet/controller.yaml", "run.sh", "missing.sh".to_owned(), "HP0001"),
        ("puppet/controller.yaml", "run.sh", "http://h/run.sh".to_owned(), "HP0502"),
        (
            "puppet/controller.yaml",
            "deployment: puppet",
            "deployment: &a puppet\noutputs: {o: {value: *a}}".to_owned(),
            "HP0401",
        ),
        ("envs/production.yaml", "deployment: puppet", "deployment: ansible".to_owned(), "HP0521"),
        (
            "envs/production.yaml",
            "deployment: puppet",
            "deployment: &a puppet\nparameters: {size: *a}".to_owned(),
            "HP0526",
        ),
    ] {
        let sandbox = deployment();
        let text = sandbox.text(file);
        assert!(text.contains(old), "{file}");
        sandbox.write(file, text.replace(old, &new));
        let resolve = format!("{RESOLVE} -o out");
        let done = sandbox.hotplate(&resolve).assert().stdout("").stderr(contains(code));
        assert_ne!(done.get_output().status.code(), Some(0), "{new}");
        assert!(!sandbox.at("out").exists(), "{new}");
    }
}

#[test]
fn references_that_would_leave_the_folder_are_made_relative_or_refused() {
    let sandbox = deployment();
    let here = std::fs::canonicalize(sandbox.at("")).expect("a folder");
    let here = here.to_str().expect("text");
    // In environments they are rewritten; a base URL is no longer needed.
    let environment = format!(
        "requires: {{deployment: puppet}}\nresource_registry:\n  base_url: file://{here}/\n  \
         OS::TripleO::Controller: [puppet/controller.yaml, docker/controller.yaml]\n  A::B: \"{here}/lib/port.yaml\"\n"
    );
    sandbox.write("envs/production.yaml", environment);
    sandbox.hotplate(&format!("{RESOLVE} -o out")).assert().code(0);
    insta::assert_snapshot!(sandbox.text("out/envs/production.yaml"), @r#"
    resource_registry:
      OS::TripleO::Controller: ../puppet/controller.yaml
      A::B: "../lib/port.yaml"
    "#);
    // In templates they are errors.
    sandbox.write("puppet/controller.yaml", NESTING.replace("../lib", &format!("{here}/lib")));
    sandbox
        .hotplate(&format!("{RESOLVE} -o second"))
        .assert()
        .code(2)
        .stderr(contains("error[HP0525]").and(contains("puppet/controller.yaml:6:16")));
    assert!(!sandbox.at("second").exists());
}

#[test]
fn several_environments_stay_several_and_parameters_are_left_to_the_user() {
    let sandbox = deployment();
    let base = "resource_registry:\n  # overridden\n  OS::TripleO::Controller: [../docker/controller.yaml]\n";
    sandbox.write("envs/base.yaml", base);
    sandbox
        .hotplate("capabilities resolve root.yaml -e envs/base.yaml -e envs/production.yaml -P size=3 -o out")
        .assert()
        .code(0)
        .stderr(
            contains("-e out/envs/base.yaml -e out/envs/production.yaml\n")
                .and(contains("the parameters of the command line are not written")),
        );
    assert_eq!(sandbox.text("out/envs/base.yaml"), "# overridden\n");
}

#[cfg(unix)]
#[test]
fn copies_of_secrets_are_for_their_owner() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = deployment();
    let mode = |path: &str| {
        std::fs::metadata(sandbox.at(path)).expect("a file").permissions().mode() & 0o077
    };
    sandbox.hotplate(&format!("{RESOLVE} -o open")).assert().code(0);
    assert_ne!(mode("open/envs/production.yaml"), 0);
    sandbox.write("root.yaml", ROOT.replace("default: 1", "default: 1, hidden: true"));
    sandbox.hotplate(&format!("{RESOLVE} -o closed")).assert().code(0);
    assert_eq!(mode("closed/envs/production.yaml"), 0);
}
