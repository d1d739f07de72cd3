//! `[[deployment]]` in `hotplate.toml`: which commands use it, and what a change of it is compared with.

use predicates::prelude::PredicateBooleanExt;
use predicates::str::{contains, is_empty};
use serde_json::Value;

use super::config::{DEPLOYMENTS, HOT, SERVER, folder};
use crate::cli::git::Repository;

#[test]
fn a_folder_is_checked_with_its_deployments() {
    let sandbox = folder(DEPLOYMENTS);
    let report: Value = sandbox.json("check --format json", 1);
    let mut found: Vec<(String, String)> = report["findings"]
        .as_array()
        .expect("findings")
        .iter()
        .map(|it| {
            let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            (text(&it["code"]), text(&it["place"]["path"]))
        })
        .collect();
    found.sort();
    let expected = [
        ("HP0514", "env/wrong.yaml"),
        ("HP1001", "nested.yaml"),
        ("HP1003", "db1.yaml"),
        ("HP1003", "web.yaml"),
    ];
    let expected = expected.map(|(code, path)| (code.to_owned(), path.to_owned()));
    assert_eq!(found, expected, "{report:#}");
    let summary = &report["summary"];
    assert_eq!(report["config"], "hotplate.toml");
    assert_eq!((&summary["templates"], &summary["deployments"]), (&3.into(), &3.into()));
    assert_eq!(summary["nested"], 1, "nested.yaml is only reached by the registry");
    let not_checked =
        serde_json::json!({"other_files": 1, "jinja": 0, "environments": ["env/free.yaml"]});
    assert_eq!(summary["not_checked"], not_checked);
    // HP1201 in legacy/, and what is only reported if it is selected.
    assert!(summary["excluded"].as_u64() >= Some(1), "{summary}");
    sandbox
        .hotplate("check --deployment small .")
        .assert()
        .stdout(contains("3 templates, 1 deployment of the configuration"));
    let text = sandbox.hotplate("check").assert().code(1);
    text.stdout(contains(
        "not checked: 1 environment that no template is deployed with, 1 other file\n",
    ));
    sandbox.hotplate("check --verbose").assert().code(1).stdout(contains(
        "not checked: 1 environment that no template is deployed with, 1 other file\n  env/free.yaml\n",
    ));
}

#[test]
fn a_deployment_without_a_template_is_reported_where_its_folder_is_checked() {
    let sandbox = folder(&[
        ("hotplate.toml", "[[deployment]]\ntemplate = \"gone.yaml\"\n"),
        ("a/t.yaml", "HOT\noutputs: {}\n"),
    ]);
    sandbox
        .hotplate("check")
        .assert()
        .code(0)
        .stdout(contains("warning[HP1505]").and(contains("hotplate.toml:1:1")));
    sandbox.hotplate("check a").assert().code(0).stdout("1 template: no findings\n");
}

#[test]
fn commands_for_one_template_use_its_deployment_and_say_so() {
    let sandbox = folder(DEPLOYMENTS);
    for command in ["eval", "env", "parameters", "render --target markdown"] {
        sandbox
            .hotplate(&format!("{command} web.yaml"))
            .assert()
            .code(2)
            .stderr(contains("choose one: `--deployment small`, `--deployment wrong`"));
        sandbox.hotplate(&format!("{command} web.yaml --deployment small")).assert().stderr(
            contains("web.yaml: deployed with -e env/small.yaml -P name (hotplate.toml:4)"),
        );
        sandbox
            .hotplate(&format!("{command} db1.yaml"))
            .assert()
            .stderr(contains("db1.yaml: deployed with -e env/wrong.yaml (hotplate.toml:10)"));
        sandbox
            .hotplate(&format!("{command} web.yaml -e env/small.yaml"))
            .assert()
            .stderr(contains("deployed with").not());
    }
    let eval = |arguments: &str| sandbox.hotplate(&format!("eval web.yaml {arguments}")).assert();
    eval("--deployment small").stdout(contains("size: \"3\"").and(contains("name: \"n\"")));
    eval("--deployment small -P name=m")
        .stdout(contains("name: \"m\"").and(contains("name: \"n\"").not()));
    // What is wrong with a value is reported where it is written.
    sandbox.write(
        "plain.toml",
        "[[deployment]]\ntemplate = \"web.yaml\"\nparameters = {size = \"a;b\", nam = \"n\"}\n",
    );
    let plain = |command: &str| {
        let command = format!("{command} web.yaml --config plain.toml");
        let output = sandbox.hotplate(&command).output().expect("hotplate");
        [output.stdout, output.stderr].map(|it| String::from_utf8(it).expect("text"))
    };
    let [env, unknown] = plain("env");
    assert!(env.contains("size: \"a;b\"  # plain.toml:3"), "{env}");
    assert!(
        unknown.contains("plain.toml:3:29") && unknown.contains("did you mean `name`?"),
        "{unknown}"
    );
    assert!(plain("check")[0].contains("{size = *****, nam = ***}"), "{}", plain("check")[0]);
    assert!(plain("parameters")[0].contains("configuration, plain.toml:3"));
    eval("--deployment smal").code(2).stderr(contains("did you mean `small`?"));
    eval("--deployment small --no-config").code(2).stderr(contains("has no deployment `small`"));
    sandbox
        .hotplate("config eval --deployment small web.yaml")
        .assert()
        .code(0)
        .stdout(contains("-P name"));
}

#[test]
fn a_comparison_uses_the_deployments_of_its_template() {
    let sandbox = folder(&[
        (
            "hotplate.toml",
            "[[deployment]]\nname = \"one\"\ntemplate = \"web.yaml\"\nenvironments = [\"one-env.yaml\"]\n\n[[deployment]]\nname = \"two\"\ntemplate = \"*.yaml\"\nenvironments = [\"two-env.yaml\"]\n",
        ),
        ("web.yaml", SERVER),
        ("old/web.yaml", SERVER),
        ("db.yaml", SERVER),
        ("one-env.yaml", "parameters: {size: 1}\n"),
        ("two-env.yaml", "parameters: {size: 2}\n"),
    ]);
    let diff = |arguments: &str| sandbox.hotplate(&format!("diff {arguments}")).assert();
    diff("old/web.yaml db.yaml")
        .code(0)
        .stdout(contains("-e two-env.yaml"))
        .stderr(contains("db.yaml: deployed with -e two-env.yaml (hotplate.toml:6)"));
    diff("old/web.yaml web.yaml").code(2).stderr(contains("choose one: `--deployment one`"));
    diff("old/web.yaml web.yaml --deployment one").code(0).stdout(contains("-e one-env.yaml"));
    diff("old/web.yaml db.yaml --old-e one-env.yaml")
        .code(1)
        .stdout(contains("old with -e one-env.yaml, new with -e two-env.yaml"));
    // A changed environment is compared with the templates that it belongs to.
    let git = |arguments: &[&str]| {
        let mut git = std::process::Command::new("git");
        let settings = ["-c", "user.name=a", "-c", "user.email=a@example.org"];
        git.args(settings).args(arguments).current_dir(sandbox.at("."));
        assert!(git.output().expect("git").status.success(), "{arguments:?}");
    };
    git(&["init", "--quiet"]);
    git(&["add", "."]);
    git(&["commit", "--quiet", "--message", "first"]);
    sandbox.write("two-env.yaml", "parameters: {size: 3}\n");
    let report = sandbox.json("diff --git HEAD --format json", 1);
    let found: Vec<(&str, &str, u64)> = report["templates"]
        .as_array()
        .expect("templates")
        .iter()
        .map(|it| {
            let text = |key: &str| it[key].as_str().unwrap_or("none");
            (text("new"), text("deployment"), it["summary"]["update"].as_u64().unwrap_or_default())
        })
        .collect();
    // The other deployment of `web.yaml` and the template without one are not affected.
    assert_eq!(found, [("db.yaml", "two", 1), ("web.yaml", "two", 1)]);
    diff("--git HEAD").code(1).stdout(contains("web.yaml (deployment two)"));
    diff("--git HEAD --deployment one").code(0).stdout(contains("deployment two").not());
}

/// The file that differs is not the path that the configuration has.
#[cfg(unix)]
#[test]
fn a_changed_environment_behind_a_link_is_compared() {
    let files = [
        (
            "hotplate.toml",
            "[[deployment]]\ntemplate = \"web.yaml\"\nenvironments = [\"env.yaml\"]\n",
        ),
        ("web.yaml", SERVER),
        ("shared/env.yaml", "parameters: {size: 1}\n"),
    ];
    let files = files.map(|(name, text)| (name, text.replace("HOT\n", HOT)));
    let files = files.each_ref().map(|(name, text)| (*name, text.as_str()));
    let Some(repository) = Repository::new(&files) else { return };
    let folder = &repository.0;
    std::os::unix::fs::symlink("shared/env.yaml", folder.at("env.yaml")).expect("a link");
    repository.commit();
    folder.write("shared/env.yaml", "parameters: {size: 2}\n");
    repository.hotplate("diff --git HEAD").code(1).stdout(contains("size: 1 → 2"));
}

#[test]
fn a_change_does_not_permit_itself_in_the_configuration() {
    let sandbox = folder(&[
        ("hotplate.toml", "[diff]\nallow = [\"c\"]\nfail-on = [\"delete\"]\n"),
        ("old.yaml", "HOT\nresources: {a: {type: OS::Heat::None}}\n"),
        ("new.yaml", "HOT\nresources: {a: {type: OS::Heat::None}, c: {type: OS::Heat::None}}\n"),
    ]);
    let diff =
        |arguments: &str| sandbox.hotplate(&format!("diff old.yaml new.yaml {arguments}")).assert();
    let plain = sandbox.hotplate("diff old.yaml new.yaml").assert();
    plain.code(0).stdout(contains("allowed by")).stderr(is_empty());
    diff("--allow-from base").code(1).stdout(contains("allowed by").not()).stderr(
        contains("hotplate.toml:2: `diff.allow` is not used: with `--allow-from base`")
            .and(contains("hotplate.toml:3: `diff.fail-on` is not used")),
    );
    diff("--allow-from base --allow c").code(0).stdout(contains("allowed by"));
}
