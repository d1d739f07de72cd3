//! What a review does with deployments: those that a change adds, changes, renames or removes.

use hotplate::config::keys::DEPLOYMENT_KEYS;
use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;
use serde_json::Value;

use crate::cli::gate::{REVIEW, changed, red, safe};
use crate::cli::git::Repository;

/// A `[[deployment]]` with parameters.
fn deployment(name: &str, template: &str, parameters: &str) -> String {
    format!(
        "[[deployment]]\nname = \"{name}\"\ntemplate = \"{template}\"\nparameters = {{ {parameters} }}\n"
    )
}

#[test]
fn a_deployment_that_only_the_change_has_is_compared_in_addition_and_named() {
    let text = "[[deployment]]\nname = \"sly\"\ntemplate = \"t.yaml\"\nparameters = { zone = \"x\", from = \"10.0.0.0/8\" }\n";
    let Some(repository) = changed(&[], &[("hotplate.toml", text)]) else { return };
    let shown = || {
        contains("t.yaml (new deployment sly)")
            .and(contains("1 server replaced"))
            .and(contains("more access allowed"))
    };
    repository.hotplate(REVIEW).code(1).stdout(shown()).stderr(contains(
        "`hotplate.toml` is added; its deployments are part of the change: the new deployment `sly`",
    ));
    for format in ["markdown", "html", "github", "gitlab", "zuul", "sarif", "junit", "json"] {
        let run = repository.hotplate(&format!("{REVIEW} --format {format}")).code(1);
        run.stdout(contains("are part of the change").and(contains("sly")));
    }
    // With other inputs than in the base, the old side has those of the base.
    repository.git("tag base");
    repository.0.write("hotplate.toml", text.replace("10.0.0.0/8", "0.0.0.0/0"));
    repository.0.write("t.yaml", format!("{}# another\n", red()));
    repository.commit();
    repository
        .hotplate("diff --git base...HEAD")
        .code(1)
        .stdout(contains("(changed deployment sly)").and(contains("is open now")))
        .stderr(contains("the changed deployment `sly`"));
    // Only the base has it.
    repository.0.write("hotplate.toml", "");
    repository.commit();
    let run = repository.hotplate("diff --git base...HEAD --format json").code(1);
    let report: Value = serde_json::from_slice(&run.get_output().stdout).expect("JSON");
    assert_eq!(report["templates"][0]["deployment"], "sly");
    let run = repository.hotplate("diff --git base...HEAD --fail-on dangerous").code(1);
    run.stderr(
        contains("without the deployment `sly`")
            .and(contains("error[HP1507]: not compared: the deployment `sly` of `t.yaml` is gone")),
    );
}

#[test]
fn a_new_deployment_with_a_new_environment_updates_nothing() {
    let text =
        "[[deployment]]\nname = \"new\"\ntemplate = \"t.yaml\"\nenvironments = [\"new.yaml\"]\n";
    let environment = "parameters: {zone: other, from: 10.0.0.0/8}\n";
    let Some(repository) = Repository::new(&[("t.yaml", &safe())]) else { return };
    repository.0.write("hotplate.toml", text);
    repository.0.write("new.yaml", environment);
    repository.commit();
    let run = repository.hotplate(REVIEW).code(0);
    run.stdout(contains("1 deployment added (2 resources)").and(contains("replaced").not()));
}

#[test]
fn a_deployment_that_changes_by_itself_is_compared() {
    let file = |key: &str, value: &str| {
        let keys = [
            ("template", "\"t.yaml\""),
            ("name", "\"web\""),
            ("environments", "[\"safe.yaml\"]"),
            ("parameters", "{ zone = \"a\" }"),
        ];
        let line = |(name, own): (&str, &str)| {
            format!("{name} = {}\n", if name == key { value } else { own })
        };
        format!("[[deployment]]\n{}", keys.map(line).concat())
    };
    let (safe, red) = (safe(), safe().replace("{get_param: zone}", "b"));
    let Some(repository) = Repository::new(&[
        ("t.yaml", &safe),
        ("same.yaml", &safe),
        ("red.yaml", &red),
        ("safe.yaml", "parameters: {from: 10.0.0.0/8}\n"),
        ("also.yaml", "parameters: {from: 10.0.0.0/8}\n"),
        ("open.yaml", "parameters: {from: 0.0.0.0/0}\n"),
        ("hotplate.toml", &file("", "")),
    ]) else {
        return;
    };
    repository.git("tag base");
    let review = REVIEW.replace("HEAD~1", "base");
    let run = |text: &str| {
        repository.0.write("hotplate.toml", text);
        repository.commit();
        repository.hotplate(&review)
    };
    for key in &DEPLOYMENT_KEYS {
        // Values that change the stack, and values that do not.
        let (red, same): (&[&str], &[&str]) = match key.name {
            "template" => (&["\"red.yaml\"", "\"nothing.yaml\""], &["\"same.yaml\"", "\"t.*\""]),
            // Heat does not know the name.
            "name" => (&[], &["\"other\""]),
            "environments" => (&["[\"open.yaml\"]"], &["[\"also.yaml\"]"]),
            // Values that no file has are unknown, and not compared.
            "given" => (&[], &["[\"other\"]"]),
            "parameters" => (&["{ zone = \"b\" }", "{ zone = \"b\", more = 1 }"], &["{}"]),
            other => panic!("no value of `{other}`"),
        };
        for (values, status) in [(red, 1), (same, 0)] {
            for value in values {
                run(&file(key.name, value)).code(status);
            }
        }
    }
    let both = format!("{}{}", file("", ""), file("name", "\"more\""));
    run(&both).code(0).stdout(contains("t.yaml (new deployment more)"));
    run(&file("name", "\"other\"").replace("safe", "open"))
        .code(1)
        .stdout(contains("1 template not compared"))
        .stderr(contains("HP1507"));
    run("").code(1).stderr(contains("HP1507").and(contains("--> hotplate.toml:1:1")));
    run("[[[").code(1).stderr(contains("HP1507").and(contains("--> hotplate.toml:1")));
    repository
        .hotplate(&format!("{review} --format junit"))
        .code(1)
        .stdout(contains("<failure message=\"not compared: the deployments of the change"));
    // The place of a key that only the base has is in the base.
    repository.git("rm -q -f hotplate.toml");
    repository.git("commit -q -m m");
    let run = repository.hotplate(&format!("{review} --format json")).code(1);
    let report: Value = serde_json::from_slice(&run.get_output().stdout).expect("JSON");
    let findings = report["findings"].as_array().expect("findings");
    assert!(findings.iter().all(|it| it["place"]["start"]["line"].is_number()), "{findings:?}");
    let reviewed = |text: &str| {
        repository.0.write("hotplate.toml", text);
        repository.commit();
        repository.hotplate(&review)
    };
    // An environment with another name: nobody can deploy the change with the old one.
    repository.git("mv safe.yaml moved.yaml");
    reviewed(&file("environments", "[\"moved.yaml\"]")).code(0).stdout(contains("no differences"));
    repository.0.write("moved.yaml", "parameters: {from: 0.0.0.0/0}\n");
    reviewed(&file("environments", "[\"moved.yaml\"]")).code(1);
}

#[test]
fn local_work_compares_deployments_as_two_revisions_do() {
    let web = |parameters: &str| deployment("web", "t.yaml", parameters);
    let base = web("zone = \"a\"");
    let Some(repository) = Repository::new(&[("t.yaml", &safe()), ("hotplate.toml", &base)]) else {
        return;
    };
    let cases = [
        (web("zone = \"b\""), 1, "(changed deployment web)"),
        (web("from = \"10.0.0.0/8\", zone = \"a\""), 0, "no resource changes"),
        (base.clone() + &deployment("more", "t.yaml", "zone = \"x\""), 0, "1 deployment added"),
        (deployment("other", "t.yaml", "zone = \"x\""), 1, "1 template not compared"),
        (String::new(), 1, "nothing compared: 1 error"),
    ];
    for (text, status, shown) in cases {
        repository.0.write("hotplate.toml", &text);
        let gate = "--fail-on dangerous";
        let of_tree = format!("diff --git HEAD {gate}");
        repository.hotplate(&of_tree).code(status).stdout(contains(shown));
        repository.git("add -A");
        for way in ["--staged", "--git HEAD --allow-from base"] {
            let run = repository.hotplate(&format!("diff {way} {gate}")).code(status);
            run.stdout(contains(shown));
        }
        // Without the configuration there are no deployments.
        repository.hotplate(&format!("{of_tree} --no-config")).code(0);
    }
    // The settings are those on disk, and a changed deployment is compared once.
    repository
        .0
        .write("hotplate.toml", format!("[diff]\nfail-on = [\"delete\"]\n{}", web("zone = \"b\"")));
    repository.0.write("t.yaml", safe().replace("image: i", "image: j"));
    let run = repository.hotplate("diff --git HEAD --format json").code(0);
    let report: Value = serde_json::from_slice(&run.get_output().stdout).expect("JSON");
    let templates = report["templates"].as_array().expect("templates");
    let statuses: Vec<&Value> = templates.iter().map(|it| &it["deployment_status"]).collect();
    assert_eq!(statuses, ["changed"]);
    assert_eq!(report["findings"], serde_json::json!([]));
    // A file that git does not track is the same for both sides.
    let Some(repository) = Repository::new(&[("t.yaml", &safe())]) else { return };
    repository.0.write("hotplate.toml", &base);
    repository.0.write("t.yaml", safe().replace("image: i", "image: j"));
    let run = repository.hotplate("diff --git HEAD").code(1);
    run.stdout(contains("t.yaml (deployment web)"));
}

#[test]
fn a_new_deployment_has_all_parameters() {
    let required = safe().replace(", default: a", "");
    let base = deployment("web", "t.yaml", "zone = \"a\"");
    let Some(repository) = Repository::new(&[("t.yaml", &required), ("hotplate.toml", &base)])
    else {
        return;
    };
    repository.git("tag base");
    for (template, deployments) in [
        (required.clone(), vec!["from = \"10.0.0.0/8\"", ""]),
        (required.replace("image: i", "image: j"), vec!["from = \"10.0.0.0/8\""]),
    ] {
        for parameters in deployments {
            repository.0.write("t.yaml", &template);
            let text = format!("{base}{}", deployment("more", "t.yaml", parameters));
            repository.0.write("hotplate.toml", text);
            repository.commit();
            for gate in ["", " --fail-on dangerous", " --fail-on refused"] {
                let run = repository.hotplate(&format!("diff --git base...HEAD{gate}")).code(1);
                run.stdout(
                    contains("t.yaml (new deployment more)")
                        .or(contains("t.yaml (new) (new deployment more)").not())
                        .and(contains("`zone` is required, and the deployment gives no value")),
                );
            }
        }
    }
    // A new template that an existing deployment has, too.
    repository.git("checkout -q -f base");
    repository.0.write("hotplate.toml", deployment("all", "*.yaml", "from = \"10.0.0.0/8\""));
    repository.0.write("t.yaml", safe());
    repository.commit();
    repository.0.write("u.yaml", &required);
    repository.commit();
    let run = repository.hotplate("diff --git HEAD~1...HEAD --fail-on dangerous").code(1);
    run.stdout(contains("`zone` is required, and the deployment gives no value"));
    repository.git("checkout -q -f base");
    let given = deployment("more", "t.yaml", "zone = \"x\"");
    repository.0.write("t.yaml", &required);
    repository.0.write("hotplate.toml", format!("{base}{given}"));
    repository.commit();
    let review = "diff --git base...HEAD --fail-on dangerous";
    let run = repository.hotplate(review).code(0);
    run.stdout(contains("1 deployment added (2 resources)").and(contains("template added").not()));
    for format in ["markdown", "html", "github", "gitlab", "zuul", "sarif", "junit"] {
        let run = repository.hotplate(&format!("{review} --format {format}")).code(0);
        run.stdout(contains("new deployment more"));
    }
    let run = repository.hotplate(&format!("{review} --format json")).code(0);
    let report: Value = serde_json::from_slice(&run.get_output().stdout).expect("JSON");
    let counts = ["deployments_added", "resources_deployed", "templates_added", "resources_added"];
    assert_eq!(
        counts.map(|it| report["counts"][it].as_u64()),
        [Some(1), Some(2), Some(0), Some(0)]
    );
}

#[test]
fn a_removed_deployment_is_permitted_by_its_name() {
    let all = ["web", "db"].map(|name| deployment(name, "t.yaml", "zone = \"a\""));
    let Some(repository) =
        Repository::new(&[("t.yaml", &safe()), ("hotplate.toml", &all.concat())])
    else {
        return;
    };
    repository.0.write("hotplate.toml", "");
    repository.commit();
    let diff = |options: &str| {
        let options = format!("diff --git HEAD~1...HEAD --fail-on dangerous {options}");
        repository.hotplate(options.trim_end())
    };
    let gone =
        |name: &str| contains(format!("error[HP1507]: not compared: the deployment `{name}`"));
    diff("").code(1).stderr(gone("web").and(gone("db")));
    // That is not a resource of this name.
    diff("--allow web --allow db:delete").code(1).stderr(gone("web").and(gone("db")));
    diff("--allow deployment:web").code(1).stderr(gone("web").not().and(gone("db")));
    let both = "--allow deployment:web --allow deployment:db";
    diff(both).code(0).stdout(contains("not compared").not()).stderr(contains(
        "note[HP1507]: the deployment `web` of `t.yaml` is gone, or has no template, which `--allow deployment:web` permits",
    ));
    diff(&format!("{both} --allow deployment:no"))
        .code(0)
        .stderr(contains("HP0801").and(contains("there is no removed deployment `no` to allow")));
    // The base may permit it, not the change.
    let allow = "[diff]\nallow = [\"deployment:web\", \"deployment:db\"]\n";
    repository.0.write("hotplate.toml", allow);
    repository.commit();
    repository.hotplate("diff --git HEAD~2...HEAD --fail-on dangerous").code(1);
    repository.0.write("hotplate.toml", format!("{allow}{}", all.concat()));
    repository.commit();
    repository.0.write("hotplate.toml", allow);
    repository.commit();
    repository.hotplate("diff --git HEAD~1...HEAD --fail-on dangerous").code(0);
}

#[test]
fn changes_of_settings_have_a_place_in_every_format() {
    let text = "\n\n[diff]\nallow = [\"s\"]\n\n";
    let base = format!("{text}{}", deployment("web", "t.yaml", "zone = \"a\""));
    let Some(repository) = Repository::new(&[("t.yaml", &safe()), ("hotplate.toml", &base)]) else {
        return;
    };
    repository.0.write("hotplate.toml", text.replace("\"s\"", "\"g\""));
    repository.commit();
    let run = |format: &str| {
        let run =
            repository.hotplate(&format!("diff --git HEAD~1...HEAD --format {format}")).code(1);
        String::from_utf8_lossy(&run.get_output().stdout).into_owned()
    };
    let json = |format: &str| -> Value { serde_json::from_str(&run(format)).expect("JSON") };
    let github = run("github");
    for (start, code) in [
        ("::error file=hotplate.toml,line=6,col=1,", "HP1507"),
        ("::warning file=hotplate.toml,line=4,col=1,", "HP1506"),
    ] {
        let is_one = |line: &&str| line.starts_with(start) && line.contains(code);
        assert_eq!(github.lines().filter(is_one).count(), 1, "{github}");
    }
    let issues = json("gitlab");
    let issues = issues.as_array().expect("issues").iter();
    let issues = issues
        .map(|it| (it["location"]["path"].as_str(), it["location"]["lines"]["begin"].as_u64()));
    assert_eq!(
        issues.collect::<Vec<_>>(),
        [(Some("hotplate.toml"), Some(6)), (Some("hotplate.toml"), Some(4))]
    );
    let zuul = json("zuul");
    let comments = zuul["zuul"]["file_comments"]["hotplate.toml"].as_array().expect("comments");
    assert_eq!(
        comments.iter().map(|it| it["line"].as_u64()).collect::<Vec<_>>(),
        [Some(6), Some(4)]
    );
    assert_eq!(zuul["zuul"]["warnings"], serde_json::json!([]));
    let notifications = &json("sarif")["runs"][0]["invocations"][0]["toolExecutionNotifications"];
    let lines = notifications.as_array().expect("notifications").iter();
    let lines =
        lines.map(|it| it["locations"][0]["physicalLocation"]["region"]["startLine"].as_u64());
    assert_eq!(lines.collect::<Vec<_>>(), [Some(6), Some(4)]);
    assert!(run("junit").contains(" file=\"hotplate.toml\" line=\"6\">"));
    for format in ["html", "markdown", "junit"] {
        let text = run(format).replace("&#58;", ":");
        assert!(text.contains("hotplate.toml:6") && text.contains("hotplate.toml:4"), "{text}");
    }
    // What is not in effect and what is compared are two things.
    assert!(github.contains(
        "`hotplate.toml` is changed; its settings (`diff.allow`) are not in effect in this review; its deployments are part of the change: without the deployment `web`"
    ));
}

#[test]
fn values_of_deployments_are_in_no_section_about_inputs() {
    let base = deployment("web", "t.yaml", "zone = \"token-one\", gone = \"token-two\"");
    let change = deployment("web", "t.yaml", "zone = \"token-three\", from = \"token-four\"");
    let constant =
        safe().replace("{get_param: zone}", "a").replace("{get_param: from}", "10.0.0.0/8");
    let more = constant
        .replace("  from: ", "  gone: {type: string, default: x, immutable: true}\n  from: ");
    let Some(repository) = Repository::new(&[("t.yaml", &more), ("hotplate.toml", &base)]) else {
        return;
    };
    repository.0.write("hotplate.toml", change);
    repository.commit();
    for format in ["text", "json", "markdown", "html", "github", "gitlab", "zuul", "sarif", "junit"]
    {
        let run =
            repository.hotplate(&format!("diff --git HEAD~1...HEAD --verbose --format {format}"));
        let output = run.get_output();
        for text in [&output.stdout, &output.stderr] {
            let text = String::from_utf8_lossy(text);
            assert!(!text.contains("token-"), "{format}: {text}");
        }
    }
    let run = repository.hotplate("diff --git HEAD~1...HEAD --show-secrets");
    run.stdout(contains("token-one → token-three"));
}

#[test]
fn check_checks_the_deployments_of_both_sides() {
    let base = deployment("web", "t.yaml", "from = \"10.0.0.0/8\"");
    let Some(repository) = Repository::new(&[("t.yaml", &safe()), ("hotplate.toml", &base)]) else {
        return;
    };
    repository.git("tag base");
    let check = |files: &[(&str, &str)]| -> Vec<String> {
        repository.git("checkout -q -f --detach base");
        files.iter().for_each(|(name, text)| repository.0.write(name, text));
        repository.commit();
        let run = repository.hotplate("check . --config-from base --format json");
        let report: Value = serde_json::from_slice(&run.get_output().stdout).expect("JSON");
        let findings = report["findings"].as_array().expect("findings").iter();
        findings.filter_map(|it| it["code"].as_str().map(str::to_owned)).collect()
    };
    assert_eq!(check(&[]), [""; 0]);
    // A broken one that is new, and one that has no template.
    let new = |text: &str| check(&[("hotplate.toml", &format!("{base}{text}"))]);
    assert_eq!(new(&deployment("more", "t.yaml", "zonee = \"a\"")), ["HP0514"]);
    assert_eq!(new(&deployment("more", "t.yaml", "from = \"nowhere\"")), ["HP1004"]);
    assert_eq!(new(&deployment("more", "gone.yaml", "zone = \"a\"")), ["HP1505"]);
    assert_eq!(new("[[["), ["HP1501"]);
    // What the base does not have is not ignored by the change.
    let ignored =
        format!("[check]\nignore = [\"error\"]\n{}", deployment("web", "t.yaml", "from = \"no\""));
    assert_eq!(check(&[("hotplate.toml", &ignored)]), ["HP1004"]);
    // A parameter that is renamed in both, and a template that moves with its deployment.
    let renamed = safe().replace("from", "source");
    let with = deployment("web", "t.yaml", "source = \"10.0.0.0/8\"");
    assert_eq!(check(&[("t.yaml", &renamed), ("hotplate.toml", &with)]), [""; 0]);
    repository.git("checkout -q -f --detach base");
    repository.git("mv t.yaml u.yaml");
    repository.0.write("hotplate.toml", base.replace("t.yaml", "u.yaml"));
    repository.commit();
    repository.hotplate("check . --config-from base").code(0).stdout(contains("no findings"));
    // A deployment that is changed or removed switches no finding off.
    let bad = safe()
        .replace("port: 1", "")
        .replace("{get_param: from}", "{list_join: ['', [{get_param: from}, '/8']]}");
    let quiet = deployment("web", "t.yaml", "from = \"10.0.0.0\"");
    assert_eq!(check(&[("t.yaml", &bad), ("hotplate.toml", &quiet)]), ["HP1004"]);
    assert_eq!(check(&[("t.yaml", &bad), ("hotplate.toml", "")]), ["HP1004"]);
    repository.0.write(
        "hotplate.toml",
        format!("[check]\nfail-on = \"note\"\n{}", deployment("more", "t.yaml", "zone = \"a\"")),
    );
    let run = repository.hotplate("config check --config-from base").code(0);
    run.stdout(
        contains("check.fail-on = error")
            .and(contains("deployment web of t.yaml"))
            .and(contains("deployment more of t.yaml")),
    );
}
