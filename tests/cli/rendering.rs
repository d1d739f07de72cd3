//! `hotplate render`: where results go, what is told of losses, and what is refused.

use std::fs;

use predicates::prelude::*;
use predicates::str::{contains, is_empty, starts_with};

use crate::sandbox::Sandbox;

const SITE: &str = "\
heat_template_version: 2018-08-31
parameters:
  cidr: {type: string, default: 192.0.2.0/24}
  token: {type: string, default: ''}
resources:
  net: {type: OS::Neutron::Net}
  subnet:
    type: OS::Neutron::Subnet
    properties: {network: {get_resource: net}, cidr: {get_param: cidr}}
";

/// A resource type that no target but Heat's own has.
const WAITING: &str = "\
heat_template_version: 2018-08-31
resources:
  handle: {type: OS::Heat::WaitConditionHandle}
";

const TERRAFORM: &str = "render a.yaml --target terraform";

fn text(sandbox: &Sandbox, name: &str) -> String {
    fs::read_to_string(sandbox.at(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn several_files_go_into_a_folder() {
    let sandbox = Sandbox::new(&[("a.yaml", SITE)]);
    let run = |more: &str| sandbox.hotplate(&format!("{TERRAFORM} -o out/tf{more}")).assert();
    run(" -P cidr=198.51.100.0/24").code(0).stdout(is_empty()).stderr(is_empty());
    assert!(text(&sandbox, "out/tf/main.tf").contains("openstack_networking_subnet_v2"));
    let values = text(&sandbox, "out/tf/terraform.tfvars");
    assert!(values.contains("198.51.100.0/24"), "{values}");
    let before = text(&sandbox, "out/tf/main.tf");
    run("").code(2).stdout(is_empty()).stderr(contains("HP0910").and(contains("--force")));
    assert_eq!(text(&sandbox, "out/tf/main.tf"), before);
    sandbox.write("out/tf/mine.tf", "# mine\n");
    run(" --force").code(0).stderr(is_empty());
    assert_eq!(text(&sandbox, "out/tf/mine.tf"), "# mine\n");
}

#[test]
fn one_file_goes_where_the_user_says() {
    let sandbox = Sandbox::new(&[("a.yaml", SITE)]);
    let run = || sandbox.hotplate("render a.yaml -t heat-cfn --syntax json -o a.json").assert();
    run().code(0).stdout(is_empty());
    let first = text(&sandbox, "a.json");
    assert!(first.starts_with('{'), "{first}");
    run().code(0);
    assert_eq!(text(&sandbox, "a.json"), first);
}

#[test]
fn on_standard_output_several_files_are_told_apart() {
    let sandbox = Sandbox::new(&[("a.yaml", SITE)]);
    let run = sandbox.hotplate(TERRAFORM).assert().code(0);
    run.stdout(starts_with("# ==> main.tf <==\n").and(contains("\n# ==> variables.tf <==\n")));
}

#[test]
fn values_are_parameters_unless_they_are_baked() {
    let sandbox = Sandbox::new(&[("a.yaml", SITE)]);
    let run = |more: &str| {
        let line = format!("{TERRAFORM} -P cidr=198.51.100.0/24{more}");
        let output = sandbox.hotplate(&line).assert().code(0).get_output().stdout.clone();
        String::from_utf8(output).expect("text")
    };
    assert!(run("").contains("var.cidr"));
    for baked in [" --bake", " --bake=cidr"] {
        let text = run(baked);
        assert!(!text.contains("var.cidr"), "{text}");
        assert!(text.contains("\"198.51.100.0/24\""), "{text}");
    }
}

#[test]
fn a_loss_is_told_and_with_strict_it_fails() {
    let sandbox = Sandbox::new(&[("a.yaml", WAITING)]);
    let said = || contains("HP0901").and(contains("OS::Heat::WaitConditionHandle"));
    sandbox.hotplate(TERRAFORM).assert().code(0).stderr(said()).stdout(contains("handle"));
    sandbox.hotplate(&format!("{TERRAFORM} --strict")).assert().code(1).stderr(said());
    let report = sandbox.json(&format!("{TERRAFORM} --format json"), 0);
    let loss = &report["losses"][0];
    assert_eq!(loss["kind"], "resource_type");
    assert_eq!(loss["owner"], "handle");
    assert_eq!(loss["place"]["span"]["start"]["line"], 3);
    assert_eq!(report["coverage"]["resources"], serde_json::json!({"said": 0, "of": 1}));
    sandbox.hotplate("render a.yaml -t heat-cfn --strict").assert().code(0).stderr(is_empty());
}

#[test]
fn a_template_with_errors_is_not_rendered() {
    let wrong = "\
heat_template_version: 2018-08-31
resources:
  net: {type: OS::Neutron::Net, propertys: {}}
  port: {typo: OS::Neutron::Port}
";
    let sandbox = Sandbox::new(&[("a.yaml", wrong)]);
    let both = contains("propertys").and(contains("`port`"));
    let run = sandbox.hotplate(&format!("{TERRAFORM} -o out")).assert();
    run.code(1).stdout(is_empty()).stderr(both);
    assert!(!sandbox.at("out").exists());
    let report = sandbox.json(&format!("{TERRAFORM} --format json"), 1);
    assert_eq!(report["files"], serde_json::json!([]));
    assert!(report["findings"].as_array().expect("findings").len() >= 2, "{report}");
}

#[test]
fn what_a_target_does_not_take_is_wrong_usage() {
    let sandbox = Sandbox::new(&[("a.yaml", SITE), ("list.json", "[]")]);
    for (arguments, said) in [
        ("-t terraform --to pike", "has no versions"),
        ("-t terraform --syntax json", "no choice"),
        ("-t cfn --adopt list.json", "cannot take over"),
        ("-t terraform --bake=cdir", "did you mean `cidr`?"),
        ("-t terrafrom", "did you mean `terraform`?"),
        ("-t terraform --force", "--output"),
        ("-t terraform --adopt none.json", "none.json"),
    ] {
        let run = sandbox.hotplate(&format!("render a.yaml {arguments}")).assert();
        run.code(2).stdout(is_empty()).stderr(contains(said));
    }
}

#[test]
fn a_file_in_the_place_of_the_folder_stays() {
    let sandbox = Sandbox::new(&[("a.yaml", SITE), ("out", "mine")]);
    let run = sandbox.hotplate(&format!("{TERRAFORM} -o out --force")).assert();
    run.code(2).stderr(contains("HP0003"));
    assert_eq!(text(&sandbox, "out"), "mine");
}

#[test]
fn defaults_of_hidden_parameters_are_in_no_report() {
    let secret = SITE.replace("default: ''", "hidden: true, default: s3cr3t-word");
    let sandbox = Sandbox::new(&[("a.yaml", secret)]);
    for target in ["hot", "heat-cfn", "cfn", "terraform", "pulumi", "ansible"] {
        let line = format!("render a.yaml -t {target} -o out-{target} --format json");
        let run = sandbox.hotplate(&line).assert().code(0);
        run.stdout(contains("s3cr3t").not()).stderr(contains("s3cr3t").not());
    }
    for target in ["dot", "mermaid", "markdown"] {
        let run = sandbox.hotplate(&format!("render a.yaml -t {target}")).assert().code(0);
        run.stdout(contains("s3cr3t").not());
    }
}
