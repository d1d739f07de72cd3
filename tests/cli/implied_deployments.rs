//! Deployments that a repository implies, and what is incomplete without them.

use super::git::Repository;
use super::sandbox::Sandbox;
use predicates::prelude::*;
use predicates::str::{contains, starts_with};

const WEB: &str = "heat_template_version: 2018-08-31
parameters:
  key_name: {type: string}
  image: {type: string}
resources:
  a: {type: My::Server, properties: {key: {get_param: key_name}, image: {get_param: image}}}
";

const CHILD: &str = "heat_template_version: 2018-08-31
parameters:
  key: {type: string}
  image: {type: string}
resources:
  s: {type: OS::Nova::Server, properties: {key_name: {get_param: key}, image: {get_param: image}, flavor: f, networks: [{network: n}]}}
";

const ENVIRONMENT: &str = "resource_registry: {My::Server: child.yaml}\nparameters: {image: one}\n";

const FILES: [(&str, &str); 3] =
    [("web.yaml", WEB), ("child.yaml", CHILD), ("web.env", ENVIRONMENT)];

#[test]
fn commands_use_what_the_repository_implies_and_say_so() {
    let sandbox = Sandbox::new(&FILES);
    let says = "with `web.env` (named like the template)";
    sandbox.hotplate("check .").assert().code(0).stdout(contains(says));
    for command in ["eval web.yaml", "parameters web.yaml", "render web.yaml -t dot"] {
        sandbox.hotplate(command).assert().code(0).stderr(contains(says));
    }
    sandbox.hotplate("eval web.yaml").assert().stdout(contains("image: \"one\""));
    // Nobody uses it if another environment is named, or if the search is off.
    sandbox.write("other.yaml", ENVIRONMENT.replace("one", "two"));
    let named = sandbox.hotplate("eval web.yaml -e other.yaml").assert();
    named.stdout(contains("image: \"two\"")).stderr(contains(says).not());
    let off = sandbox.hotplate("eval web.yaml --no-discovery").assert();
    off.stdout(contains("image: {\"get_param\":\"image\"}")).stderr(contains(says).not());
}

#[test]
fn what_was_not_given_is_incomplete_and_an_error_where_somebody_says_all() {
    let sandbox = Sandbox::new(&[("web.yaml", WEB)]);
    let alone = sandbox.hotplate("check web.yaml").assert().code(0);
    alone.stdout(contains("warning[HP0702]").and(contains("1 template needs an environment")));
    sandbox.hotplate("check web.yaml --fail-on incomplete").assert().code(1);
    sandbox.write("empty.yaml", "parameters: {image: one, key_name: k}\n");
    let named = sandbox.hotplate("check web.yaml -e empty.yaml").assert().code(1);
    named.stdout(contains("error[HP0702]"));
    let typo = WEB.replace("My::Server", "OS::Nova::Serverr");
    sandbox.write("web.yaml", typo);
    sandbox.hotplate("check web.yaml").assert().code(1).stdout(contains("OS::Nova::Server`"));
}

#[test]
fn a_declared_deployment_names_what_is_given_elsewhere() {
    let table = "[[deployment]]\ntemplate = \"web.yaml\"\nenvironments = [\"web.env\"]\n";
    let sandbox = Sandbox::new(&FILES);
    sandbox.write("hotplate.toml", table);
    let missing = sandbox.hotplate("check .").assert().code(1);
    missing.stdout(contains("`key_name` has neither a value nor a default"));
    sandbox.write("hotplate.toml", format!("{table}given = [\"key_name\"]\n"));
    sandbox.hotplate("check .").assert().code(0);
}

#[test]
fn a_review_finds_what_an_environment_changes() {
    let Some(repository) = Repository::new(&FILES) else { return };
    repository.0.write("web.env", ENVIRONMENT.replace("one", "two"));
    let compared = repository.hotplate("diff --git HEAD").code(1);
    compared.stdout(starts_with("1 server rebuilt").and(contains("named like the template")));
    repository.commit();
    // The base decides: an environment that the change adds is no reason to leave out the comparison without it.
    let Some(repository) = Repository::new(&[("web.yaml", CHILD)]) else { return };
    repository.0.write("web.yaml", CHILD.replace("flavor: f", "flavor: g"));
    repository.0.write("web.env", "parameters: {key: k, image: i}\n");
    repository.commit();
    let review = "diff --git HEAD~1..HEAD --allow-from base --format json";
    let output = repository.hotplate(review).code(1).get_output().stdout.clone();
    let report: serde_json::Value = serde_json::from_slice(&output).expect("JSON");
    let templates = report["templates"].as_array().expect("templates").iter();
    let deployments: Vec<_> = templates.map(|it| &it["deployment"]).collect();
    assert!(deployments.len() >= 2 && deployments.contains(&&serde_json::Value::Null));
}

#[test]
fn an_environment_of_nothing_a_broken_template_and_a_repaired_one_are_said_first() {
    let Some(repository) = Repository::new(&FILES) else { return };
    let first = |text: &'static str| {
        repository.hotplate("diff --git HEAD").code(1).stdout(starts_with(text))
    };
    repository.0.write("other.env", "parameters: {size: 1}\n");
    repository.commit();
    repository.0.write("other.env", "parameters: {size: 2}\n");
    first("1 environment changed, not compared");
    repository.commit();
    repository.0.write("web.yaml", format!("{WEB}resources: {{broken\n"));
    first("Heat refuses the new template: line 7, ");
    repository.commit();
    repository.0.write("web.yaml", WEB);
    first("1 template repaired, not compared");
}

#[test]
fn check_since_a_revision_reports_what_is_new() {
    let Some(repository) = Repository::new(&FILES) else { return };
    let more = format!("{WEB}  b: {{type: Your::Thing}}\n");
    repository.0.write("web.yaml", &more);
    repository.commit();
    repository.hotplate("check --since HEAD .").code(0).stdout(contains("HP0702").not());
    let since = repository.hotplate("check --since HEAD~1 .").code(0);
    since.stdout(contains("Your::Thing"));
    repository.0.write("web.yaml", format!("{more}  c: {{type: OS::Nova::Serverr}}\n"));
    let since = repository.hotplate("check --since HEAD .").code(1);
    since.stdout(contains("Serverr").and(contains("Your::Thing").not()));
}
