//! `hotplate log` and `hotplate report merge`.

use predicates::prelude::*;
use predicates::str::{contains, is_empty};

use crate::cli::git::{HOT, Repository, server};
use crate::cli::sandbox::Sandbox;

/// A repository in which a server is replaced, renamed and moved with its environment.
fn repository() -> Option<Repository> {
    let with = |name: &str, data: &str| {
        format!(
            "{HOT}parameters:\n  flavor: {{type: string, default: small}}\nresources:\n  {name}:\n    type: OS::Nova::Server\n    properties:\n      image: i\n      flavor: {{get_param: flavor}}\n      networks: [{{network: n}}]\n      user_data: {data}\n      user_data_update_policy: REPLACE\n"
        )
    };
    let repository = Repository::new(&[("web.yaml", &with("srv", "one"))])?;
    let files = &repository.0;
    files.write("web.env", "# What runs.\nparameters: {flavor: large}\n");
    repository.commit();
    files.write("web.yaml", with("srv", "two"));
    repository.commit();
    std::fs::create_dir(files.at("stacks")).expect("a folder");
    repository.git("mv web.yaml stacks/app.yaml");
    repository.git("mv web.env stacks/app.env");
    repository.commit();
    files.write("stacks/app.yaml", with("server", "two"));
    repository.commit();
    files.write("README", "Nothing that Heat reads.\n");
    repository.commit();
    files.write("stacks/app.yaml", with("server", "three"));
    repository.commit();
    Some(repository)
}

#[test]
fn each_commit_that_changes_what_heat_does_is_a_line() {
    let Some(repository) = repository() else { return };
    let done = repository.hotplate("log").code(0).stderr(is_empty());
    let text = String::from_utf8(done.get_output().stdout.clone()).expect("text");
    let lines: Vec<&str> =
        text.lines().map(|it| it.split_once("  ").map_or(it, |(_, what)| what)).collect();
    let wanted = [
        "1 server replaced; server is replaced: user_data: two → three",
        "1 server deleted, 1 created; renamed: Heat deletes srv and creates server",
        "1 server replaced; srv is replaced: user_data: one → two",
        "1 server interrupted; srv is updated in place: flavor: small → large",
        "4 of 6 commits change what Heat does",
    ];
    // A renamed resource has its newest name wherever it is counted.
    let newest: Vec<String> =
        wanted.iter().map(|it| it.replacen("srv is", "server is", 1)).collect();
    assert_eq!(lines, newest, "{text}");
}

#[test]
fn a_resource_is_followed_under_its_old_names() {
    let Some(repository) = repository() else { return };
    let line =
        "server: deleted in 1, replaced in 2, created in 1, updated in place in 1 of 6 commits";
    repository.hotplate("log -- stacks/app.yaml:server").code(0).stdout(contains(line));
    repository
        .hotplate("log --fail-on replace -- stacks/app.yaml:server")
        .code(0)
        .stdout(contains("server: replaced in 2 of 6 commits: 2 by `user_data`"));
    repository.hotplate("log HEAD~1..HEAD -v").code(0).stdout(contains("1 of 1 commit changes"));
    repository.hotplate("log -- README").code(0).stdout("0 of 6 commits change what Heat does\n");
}

#[test]
fn what_nobody_has_is_an_error() {
    let Some(repository) = repository() else { return };
    let no_file = contains("no commit of the range has `none.yaml`");
    repository.hotplate("log -- none.yaml").code(2).stdout(is_empty()).stderr(no_file);
    let no_resource = contains("no compared commit has a resource `none` in `stacks/app.yaml`");
    repository.hotplate("log -- stacks/app.yaml:none").code(2).stderr(no_resource);
    repository.hotplate("log HEAD..nope").code(2).stderr(contains("error[HP0012]"));
    repository.hotplate("log --end").code(2).stdout(is_empty());
    let hint = contains("use `hotplate log -- stacks/app.yaml`");
    repository.hotplate("log stacks/app.yaml").code(2).stderr(hint);
    let outside = Sandbox::new(&[("web.yaml", HOT)]);
    let mut command = outside.hotplate("log");
    command.env_remove("GIT_DIR").env("GIT_CEILING_DIRECTORIES", outside.at(".."));
    command.assert().code(2).stderr(contains("error[HP0011]"));
}

#[test]
fn what_cannot_be_compared_is_a_line_too() {
    let Some(repository) = Repository::new(&[("web.yaml", &server("a"))]) else { return };
    repository.0.write("web.yaml", "heat_template_version: 2018-08-31\na: [");
    repository.commit();
    repository.0.write("web.yaml", server("b"));
    repository.commit();
    let all = contains("1 template repaired, not compared")
        .and(contains("Heat refuses the new template: line 2"))
        .and(contains("0 of 2 commits change what Heat does; 2 could not be compared as a whole"));
    repository.hotplate("log").code(0).stdout(all);
}

#[test]
fn a_file_that_templates_read_stands_for_them() {
    let Some(repository) = repository() else { return };
    let environment = contains("flavor: small → large").and(contains("1 of 6 commits changes"));
    repository.hotplate("log -- stacks/app.env").code(0).stdout(environment);
    // What could not be compared counts for every gate.
    repository.0.write("stacks/app.yaml", "heat_template_version: 2018-08-31\na: [");
    repository.commit();
    let broken = contains("Heat refuses the new template").and(contains("1 could not be compared"));
    repository.hotplate("log --fail-on dangerous HEAD~1..HEAD").code(0).stdout(broken);
}

#[test]
fn every_format_has_the_commits_and_the_resources() {
    let Some(repository) = repository() else { return };
    let done = repository.hotplate("log --format json").code(0);
    let json: serde_json::Value = serde_json::from_slice(&done.get_output().stdout).expect("JSON");
    assert_eq!(json["commits"].as_array().map(Vec::len), Some(4));
    assert_eq!(json["resources"][0]["resource"], "server");
    assert_eq!(json["resources"][0]["impacts"]["replace"], 2);
    assert_eq!(json["commits"][0]["resources"][0]["part"], "user_data");
    let row = contains("| stacks/app.yaml | server | deleted in 1, replaced in 2");
    repository.hotplate("log --format markdown").code(0).stdout(row);
    let page = contains("<h2>Resources</h2>")
        .and(contains("title=\"is replaced: user_data: two → three\""));
    repository.hotplate("log --format html").code(0).stdout(page);
}

#[test]
fn reports_of_many_jobs_become_one() {
    let sandbox = Sandbox::new(&[("a.yaml", &server("a")), ("b.yaml", &server("b"))]);
    sandbox.hotplate("diff a.yaml a.yaml --format text -o json=same.json").assert().code(0);
    sandbox.hotplate("diff a.yaml b.yaml --format text -o json=other.json").assert().code(1);
    sandbox.write("none.json", "{}");
    let worst = "other.json: 1 server rebuilt\n    b.yaml: web is rebuilt: image: a → b\nsame.json: no differences\n1 of 2 reports differs\n";
    sandbox.hotplate("report merge same.json other.json").assert().code(0).stdout(worst);
    let row = contains("| other.json | 1 server rebuilt | b.yaml: web is rebuilt: image: a → b |");
    sandbox.hotplate("report merge same.json other.json --format markdown").assert().stdout(row);
    let page = contains("other.json").and(contains("is rebuilt"));
    sandbox.hotplate("report merge same.json other.json --format html").assert().stdout(page);
    let error = contains("`none.json` is no report");
    sandbox.hotplate("report merge other.json none.json").assert().code(2).stderr(error);
    sandbox.hotplate("report merge nothing.json").assert().code(2).stderr(contains("nothing.json"));
}
