//! The gate that a change cannot move: reviews in which the change attacks its own review. The part `gate` of the conformance harness
//! has every place of a configuration and every spelling of a template.

use hotplate::cli::open_project;
use hotplate::config::keys::DEPLOYMENT_KEYS;
use hotplate::config::{KEYS, KeyKind};
use hotplate::language_server::{ImpactBase, OpenedBase, Settings};
use predicates::prelude::PredicateBooleanExt;
use predicates::str::{contains, is_empty};
use serde_json::Value;

use crate::cli::git::Repository;
use crate::cli::sandbox::Sandbox;

/// A server in a zone, and a security group that lets addresses in.
fn template(zone: &str, from: &str) -> String {
    format!(
        "heat_template_version: 2018-08-31
parameters:
  zone: {{type: string, default: {zone}}}
  from: {{type: string, default: {from}}}
resources:
  s: {{type: OS::Nova::Server, properties: {{image: i, flavor: f, availability_zone: {{get_param: zone}}}}}}
  g: {{type: OS::Neutron::SecurityGroup, properties: {{name: g, rules: [{{remote_ip_prefix: {{get_param: from}}}}]}}}}
"
    )
}

pub(crate) fn safe() -> String {
    template("a", "10.0.0.0/8")
}

/// The same with another zone, which replaces the server, and open to everybody.
pub(crate) fn red() -> String {
    template("b", "0.0.0.0/0")
}

/// A repository with the safe template and other files, and a change that is red and has more files.
pub(crate) fn changed(base: &[(&str, &str)], change: &[(&str, &str)]) -> Option<Repository> {
    let safe = safe();
    let files: Vec<(&str, &str)> =
        base.iter().copied().chain([("t.yaml", safe.as_str())]).collect();
    let repository = Repository::new(&files)?;
    repository.0.write("t.yaml", red());
    change.iter().for_each(|(name, text)| repository.0.write(name, text));
    repository.commit();
    Some(repository)
}

pub(crate) const REVIEW: &str = "diff --git HEAD~1...HEAD --allow-from base --fail-on dangerous";

/// A file that gives a key values that permit, overlook or hide something.
fn settings(table: Option<&str>, name: &str, kind: KeyKind) -> Vec<String> {
    let words = "[\"s\", \"g\", \"OS::Nova::Server\", \"OS::Neutron::SecurityGroup\", \"all\"]";
    let values: Vec<String> = match kind {
        KeyKind::Flag(_) => vec!["true".to_owned()],
        KeyKind::Number => vec!["0".to_owned(), "1".to_owned()],
        KeyKind::Word => vec!["\"queens\"".to_owned()],
        KeyKind::Path | KeyKind::Target => vec!["\"t.yaml\"".to_owned()],
        KeyKind::Words => vec![words.to_owned(), "[]".to_owned()],
        KeyKind::CommaList => vec!["[\"create\"]".to_owned(), words.to_owned()],
        KeyKind::OneOf(all) => all.iter().map(|value| format!("\"{value}\"")).collect(),
        KeyKind::Paths => vec!["[\".\"]".to_owned()],
        KeyKind::PathOfUrl => vec!["{\"http://h/\" = \".\"}".to_owned()],
    };
    let table = table.map(|table| format!("[{table}]\n")).unwrap_or_default();
    values.iter().map(|value| format!("{table}{name} = {value}\n")).collect()
}

#[test]
fn no_key_of_a_change_moves_the_gate() {
    let Some(repository) = changed(&[("safe.yaml", "parameters: {}\n")], &[]) else { return };
    let run = |what: &str| -> Value {
        let output = repository
            .hotplate(&format!("{} --format json", REVIEW.replace("HEAD~1", "base")))
            .code(1);
        serde_json::from_slice(&output.get_output().stdout).unwrap_or_else(|_| panic!("{what}"))
    };
    repository.git("tag base HEAD~1");
    let of_base = |report: &Value| -> Vec<Value> {
        let templates = report["templates"].as_array().expect("templates");
        templates.iter().filter(|it| it["deployment_status"].is_null()).cloned().collect()
    };
    let control = of_base(&run("the control"));
    assert_eq!(control.len(), 1);
    let mut files: Vec<String> =
        KEYS.iter().flat_map(|key| settings(key.table, key.name, key.kind)).collect();
    for key in &DEPLOYMENT_KEYS {
        let value = match key.name {
            "template" => "\"**\"",
            "name" => "\"sly\"",
            "environments" => "[\"safe.yaml\"]",
            "given" => "[\"zone\", \"from\"]",
            "parameters" => "{ zone = \"a\", from = \"10.0.0.0/8\" }",
            other => panic!("no value of `{other}`"),
        };
        let template = if key.is_required { "" } else { "template = \"t.yaml\"\n" };
        files.push(format!("[[deployment]]\n{template}{} = {value}\n", key.name));
    }
    for text in files {
        repository.0.write("hotplate.toml", &text);
        repository.commit();
        let report = run(&text);
        assert_eq!(of_base(&report), control, "{text}");
        let findings = report["findings"].as_array().expect("findings");
        assert!(findings.iter().any(|it| it["code"] == "HP1506"), "{text}: {findings:?}");
    }
}

#[test]
fn a_type_that_the_change_chooses_is_not_what_is_allowed() {
    let volume = "heat_template_version: 2018-08-31\nresources:\n  s: {type: OS::Cinder::Volume, properties: {size: 1}}\n";
    let config =
        volume.replace("OS::Cinder::Volume, properties: {size: 1}", "OS::Heat::SoftwareConfig");
    let Some(repository) = Repository::new(&[("t.yaml", volume)]) else { return };
    repository.0.write("t.yaml", config);
    repository.commit();
    repository.hotplate(&format!("{REVIEW} --allow OS::Heat::SoftwareConfig")).code(1);
    repository.hotplate(&format!("{REVIEW} --allow OS::Cinder::Volume")).code(0);
}

#[test]
fn a_type_that_is_not_known_may_be_another_one() {
    let of = |name: &str| {
        format!("heat_template_version: 2018-08-31\nresources:\n  s: {{type: {name}}}\n")
    };
    let environment = |name: &str| format!("resource_registry: {{My::A: {name}}}\n");
    let Some(repository) =
        Repository::new(&[("t.yaml", &of("My::A")), ("e.yaml", &environment("My::B"))])
    else {
        return;
    };
    repository.0.write("e.yaml", environment("My::C"));
    repository.commit();
    let run = repository.hotplate(&format!("{REVIEW} -e e.yaml")).code(1);
    run.stdout(contains("1 may be replaced"));
}

#[test]
fn an_ignore_file_of_the_change_takes_nothing_out_of_a_check() {
    for name in [".ignore", ".gitignore", ".hotplateignore"] {
        let Some(repository) = Repository::new(&[("t.yaml", &safe()), ("u.yaml", &safe())]) else {
            return;
        };
        repository.0.write("t.yaml", safe().replace("OS::Nova::Server", "OS::Nova::Sever"));
        repository.0.write(name, "t.yaml\n");
        repository.git("add --force --all");
        repository.git("commit --quiet --message change");
        let run = repository.hotplate("check --config-from HEAD~1 .").code(1);
        run.stdout(contains("t.yaml").and(contains("OS::Nova::Sever")));
    }
}

#[test]
fn a_template_does_not_hide_behind_a_new_name() {
    let (safe, red) = (safe(), red());
    let padded: String =
        (0..60).map(|at| format!("# {}\n", at * 7919)).chain([red.clone()]).collect();
    let other = safe.replace("  s:", "  x:").replace("  g:", "  y:");
    let nesting = "heat_template_version: 2018-08-31\nresources: {inner: {type: u.yaml}}\n";
    let base = [("t.yaml", safe.as_str()), ("more.yaml", other.as_str())];
    let Some(repository) = Repository::new(&base) else { return };
    repository.git("tag base");
    type Files<'a> = &'a [(&'a str, &'a str)];
    let cases: [(&str, Files<'_>, i32); 10] = [
        ("an exact copy", &[("u.yaml", &red), ("decoy.yaml", &safe)], 1),
        ("a copy in a folder", &[("a/t.yaml", &red), ("b/t.yaml", &safe)], 1),
        ("several copies", &[("u.yaml", &red), ("a.yaml", &safe), ("b.yaml", &safe)], 1),
        ("too different for git", &[("u.yaml", &padded)], 1),
        ("another case of letters", &[("T.yaml", &padded)], 1),
        ("another extension", &[("t.hot", &padded)], 1),
        ("nested", &[("u.yaml", &red), ("w.yaml", nesting), ("decoy.yaml", &safe)], 1),
        (
            "nothing in common",
            &[("u.yaml", "heat_template_version: 2018-08-31\nresources: {}\n")],
            1,
        ),
        ("renamed", &[("u.yaml", &safe)], 0),
        ("deleted", &[], 0),
    ];
    for (what, files, status) in cases {
        repository.git("checkout -q -f --detach base");
        repository.git("rm -q t.yaml");
        files.iter().for_each(|(name, text)| repository.0.write(name, text));
        repository.commit();
        let run = repository.hotplate("diff --git base...HEAD --fail-on dangerous --format json");
        let report: Value = serde_json::from_slice(&run.get_output().stdout).expect("JSON");
        let own = run.get_output().status.code();
        assert_eq!(own, Some(status), "{what}: {}", report["findings"]);
    }
}

#[test]
fn a_comment_of_a_change_does_not_permit_it_by_default() {
    let red = red().replace("  s:", "  # hotplate: allow replace it is fine\n  s:");
    let Some(repository) = changed(&[], &[("t.yaml", &red)]) else { return };
    let gate = "--fail-on replace";
    let run = repository.hotplate(&format!("diff --git HEAD~1...HEAD {gate}")).code(1);
    run.stdout(contains("HP0804"));
    repository.hotplate(&format!("diff --git HEAD~1...HEAD {gate} --allow-from head")).code(0);
    // What is not committed yet has no other reviewer.
    repository.hotplate(&format!("diff --git HEAD~1 {gate}")).code(0);
}

#[test]
fn check_reads_the_settings_of_the_base() {
    let wrong = "heat_template_version: 2018-08-31\nresources: {s: {type: OS::Nova::Server, properties: {flavr: f}}}\n";
    let policy = "id: ACME001\ntitle: t\nmessage: m\nselect: {resources: [OS::Nova::Server]}\nrequire: 1 = 2\n";
    let settings = "[check]\nbaseline = \"known.json\"\npolicy = [\"rules\"]\n";
    let Some(repository) = Repository::new(&[
        ("t.yaml", wrong),
        ("rules/ACME001.yaml", policy),
        ("known.json", "{\"findings\": []}\n"),
        ("hotplate.toml", settings),
    ]) else {
        return;
    };
    repository.git("tag base");
    let count = |options: &str| -> usize {
        let run = repository.hotplate(&format!("check t.yaml --format json{options}"));
        let output = run.get_output();
        let report: Value = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|_| panic!("{options}: {}", String::from_utf8_lossy(&output.stderr)));
        report["findings"].as_array().expect("findings").len()
    };
    let control = count("");
    assert!(control > 1);
    let attacks: [&[(&str, &str)]; 3] = [
        &[("hotplate.toml", "[check]\nignore = [\"error\"]\nbaseline = \"known.json\"\n")],
        &[("hotplate.toml", "[check.per-path-ignores]\n\"**\" = [\"error\"]\n")],
        &[("rules/ACME001.yaml", &policy.replace("1 = 2", "1 = 1"))],
    ];
    for files in attacks {
        repository.git("checkout -q -f --detach base");
        files.iter().for_each(|(name, text)| repository.0.write(name, text));
        repository.commit();
        assert!(count("") < control, "{files:?}");
        assert_eq!(count(" --config-from base"), control, "{files:?}");
    }
    repository.git("checkout -q -f --detach base");
    repository.hotplate("check --write-baseline known.json --no-config t.yaml").code(0);
    assert!(count("") < control);
    assert_eq!(count(" --config-from base"), control);
    repository.hotplate("check --config-from nothing t.yaml").code(2).stderr(contains("nothing"));
}

#[test]
fn the_settings_of_the_base_are_in_effect() {
    let text = "[diff]\nfail-on = [\"delete\"]\n";
    let Some(repository) = changed(&[("hotplate.toml", text)], &[]) else { return };
    repository.hotplate("diff --git HEAD~1...HEAD").code(0);
    repository.hotplate("diff --git HEAD~1..HEAD --fail-on replace").code(1);
    repository.hotplate("diff --git HEAD~1...HEAD --no-config").code(1);
    // Without a file in the base there are none, whatever is on disk.
    let Some(repository) = changed(&[], &[]) else { return };
    repository.0.write("hotplate.toml", text);
    let run = repository.hotplate("diff --git HEAD~1...HEAD").code(1);
    run.stderr(contains("hotplate.toml: not used, since a review has the settings of its base"));
}

#[test]
fn local_work_has_the_settings_on_disk() {
    let text = "[diff]\nfail-on = [\"delete\"]\n";
    let safe = safe();
    let Some(repository) = Repository::new(&[("t.yaml", &safe)]) else { return };
    repository.0.write("t.yaml", red());
    repository.0.write("hotplate.toml", text);
    repository.hotplate("diff --git HEAD").code(0);
    repository.git("add -A");
    repository.hotplate("diff --staged").code(0);
    // With the base, it is a review of the working tree.
    repository.hotplate("diff --git HEAD --allow-from base").code(1);
    repository.0.write("hotplate.toml", format!("{text}allow-from = \"base\"\n"));
    repository.hotplate("diff --git HEAD").code(1);
}

#[test]
fn files_that_options_name_are_those_of_the_base() {
    let delete = "[diff]\nfail-on = [\"delete\"]\n";
    let replace = "[diff]\nfail-on = [\"replace\"]\n";
    let base = [("ci/gate.toml", replace)];
    let Some(repository) = changed(&base, &[("ci/gate.toml", delete)]) else { return };
    let config = "diff --git HEAD~1...HEAD --config ci/gate.toml";
    repository.hotplate(config).code(1).stderr(contains("`ci/gate.toml` is changed"));
    // What only the change has is not there; what git does not track is on disk.
    repository.hotplate("diff --git HEAD~1...HEAD --config no.toml").code(2);
    repository.0.write("untracked.toml", delete);
    repository.hotplate("diff --git HEAD~1...HEAD --config untracked.toml").code(0);
    repository.commit();
    repository.hotplate("diff --git HEAD~2...HEAD --config untracked.toml").code(2);

    let server = |zone: &str| {
        format!(
            "heat_template_version: 2018-08-31\nresources:\n  n: {{type: OS::Neutron::Net}}\n  \
             s: {{type: OS::Nova::Server, properties: {{image: i, flavor: f, availability_zone: {zone}}}}}\n"
        )
    };
    let attrs = |name: &str| format!("{{\"n\": {{\"attrs\": {{\"name\": \"{name}\"}}}}}}");
    let (old, new) = (server("a"), server("{get_attr: [n, name]}"));
    let Some(repository) = Repository::new(&[("s.yaml", &old), ("attrs.json", &attrs("b"))]) else {
        return;
    };
    repository.0.write("s.yaml", &new);
    repository.0.write("attrs.json", attrs("a"));
    repository.commit();
    let review = "diff --git HEAD~1...HEAD --fail-on replace --attrs";
    repository.hotplate(&format!("{review} attrs.json")).code(1);
    repository.0.write("state.json", attrs("a"));
    repository.hotplate(&format!("{review} state.json")).code(0);
}

#[test]
fn a_template_that_looks_like_something_else_is_not_removed() {
    let red = red();
    let (key, rest) = red.split_once('\n').expect("lines");
    let utf16: Vec<u8> =
        std::iter::once(0xFEFF).chain(red.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    let texts: [(Vec<u8>, bool); 7] = [
        (format!("\"heat_template\\x5fversion\": 2018-08-31\n{rest}").into(), true),
        (format!("? \"heat_template\\\n  _version\"\n: 2018-08-31\n{rest}").into(), true),
        (format!("!!map\n{key}\n{rest}").into(), true),
        (utf16, false),
        (Vec::new(), false),
        (b"a: 1\n".to_vec(), false),
        (format!("{key}\n a: [\n").into(), false),
    ];
    let Some(repository) = changed(&[], &[]) else { return };
    repository.git("tag base HEAD~1");
    let review = REVIEW.replace("HEAD~1", "base");
    for (text, is_compared) in texts {
        let shown = String::from_utf8_lossy(&text).into_owned();
        repository.0.write("t.yaml", text);
        repository.commit();
        let output = repository.hotplate(&format!("{review} --format json")).code(1);
        let report: Value = serde_json::from_slice(&output.get_output().stdout).expect("JSON");
        let template = &report["templates"][0];
        assert_eq!(
            (&template["file"], &template["compared"]),
            (&"existing".into(), &is_compared.into()),
            "{shown}"
        );
    }
    #[cfg(unix)]
    for target in ["u.yaml", "nothing"] {
        std::fs::remove_file(repository.0.at("t.yaml")).expect("removed");
        std::os::unix::fs::symlink(target, repository.0.at("t.yaml")).expect("a link");
        repository.0.write("u.yaml", &red);
        repository.commit();
        let run = repository.hotplate(&review).code(1);
        run.stdout(contains("t.yaml\n").and(contains("- t.yaml").not()));
        repository.git("checkout -q -f base");
    }
}

#[test]
fn a_template_with_an_escaped_key_is_found_although_it_does_not_change() {
    let parent = "\"heat_template\\x5fversion\": 2018-08-31\nresources: {c: {type: OS::Heat::SoftwareConfig, properties: {config: {get_file: run.sh}}}}\n";
    let Some(repository) = Repository::new(&[("p.yaml", parent), ("run.sh", "one\n")]) else {
        return;
    };
    repository.0.write("run.sh", "two\n");
    repository.commit();
    repository.hotplate("diff --git HEAD~1...HEAD").code(1).stdout(contains("p.yaml"));
}

#[test]
fn a_gate_that_passes_names_what_is_uncertain() {
    let server = |zone: &str| {
        format!(
            "heat_template_version: 2018-08-31\nparameters: {{p: {{type: string}}, more: {{type: json}}}}\nresources:\n  \
             s: {{type: OS::Nova::Server, properties: {{image: i, flavor: f, availability_zone: {zone}}}}}\n  \
             g: {{type: OS::Neutron::SecurityGroup, properties: {{rules: ZONE}}}}\n"
        )
    };
    let sandbox = Sandbox::new(&[
        ("old.yaml", server("a").replace("ZONE", "[]")),
        ("new.yaml", server("{get_param: p}").replace("ZONE", "{get_param: more}")),
    ]);
    let diff = |gate: &str| sandbox.hotplate(&format!("diff old.yaml new.yaml {gate}")).assert();
    diff("--fail-on refused,delete,replace,widen").code(0).stderr(
        contains("passed, but uncertain: s (`--fail-on may-replace` counts it")
            .and(contains("passed, but uncertain: g (`--fail-on may-widen` counts it")),
    );
    diff("--fail-on dangerous").code(1).stderr(is_empty());
    diff("--fail-on may-widen").code(1);
    diff("--fail-on refused --allow s --allow g").code(0).stderr(contains("uncertain").not());
}

/// What a language server says about a folder.
fn opened(sandbox: &Sandbox, folder: &str) -> Result<(), String> {
    let project = open_project(&sandbox.at(folder), &Settings::default());
    project.map(|_| ()).map_err(|why| why.0)
}

#[test]
fn the_server_finds_the_configuration_as_the_commands_do() {
    let sandbox = Sandbox::new(&[
        ("hotplate.toml", "above = 1\n"),
        ("outside.toml", "outside = \"a secret\"\n"),
        ("project/.git/HEAD", ""),
        ("project/inner/web.yaml", ""),
    ]);
    // Above the work tree.
    assert_eq!(opened(&sandbox, "project/inner"), Ok(()));
    sandbox.write("project/hotplate.toml", "within = 1\n");
    let why = opened(&sandbox, "project/inner").expect_err("an unknown key");
    assert!(why.contains("unknown key `within`"), "{why}");
    #[cfg(unix)]
    {
        std::fs::remove_file(sandbox.at("project/hotplate.toml")).expect("removed");
        std::os::unix::fs::symlink("../outside.toml", sandbox.at("project/hotplate.toml"))
            .expect("a link");
        let why = opened(&sandbox, "project/inner").expect_err("a link out of the project");
        assert!(why.contains("is outside of the project") && !why.contains("secret"), "{why}");
    }
}

#[test]
fn what_an_edit_is_compared_with_is_in_the_workspace() {
    let sandbox =
        Sandbox::new(&[("saved.json", "{}"), ("work/own.json", "{}"), ("work/.git/HEAD", "")]);
    let work = sandbox.at("work");
    let project =
        open_project(&work, &Settings::default()).unwrap_or_else(|why| panic!("{}", why.0));
    let open = |name: &str| project.open_base(&ImpactBase::Named(name.to_owned()), None);
    assert!(matches!(open("own.json").as_deref(), Ok(OpenedBase::SavedStack(_))));
    let absolute = sandbox.at("saved.json").display().to_string();
    for outside in ["../saved.json", absolute.as_str(), "/dev/null"] {
        let why = open(outside).err().map(|why| why.0).unwrap_or_default();
        assert!(why.contains("is outside of the workspace"), "{outside}: {why}");
    }
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("../saved.json", sandbox.at("work/link.json")).expect("a link");
        assert!(open("link.json").is_err());
    }
}

#[test]
fn a_jinja_template_that_is_new_is_nothing_that_was_not_compared() {
    let jinja = "heat_template_version: 2018-08-31\nresources:\n{% for i in x %}\n  s{{ i }}: {type: OS::Heat::None}\n{% endfor %}\n";
    for name in ["new.yaml", "new.j2.yaml", "new.yaml.j2"] {
        let Some(repository) = Repository::new(&[("t.yaml", &safe())]) else { return };
        repository.git("tag base");
        repository.0.write(name, jinja);
        repository.commit();
        for gate in ["", " --fail-on dangerous", " --fail-on not-compared"] {
            let run = repository.hotplate(&format!("diff --git base..HEAD{gate}")).code(0);
            run.stdout(contains("not compared").not()).stderr(contains(format!("`{name}` is new")));
            repository.hotplate(&format!("diff --git HEAD..base{gate}")).code(0);
        }
        // Another one takes its place, or it that of a template.
        repository.0.write(name, format!("{jinja}# more\n"));
        repository.commit();
        repository.hotplate("diff --git HEAD~1..HEAD").code(1);
        repository.git(&format!("mv -f t.yaml {name}"));
        repository.0.write(name, jinja);
        repository.commit();
        repository.hotplate("diff --git base..HEAD").code(1).stdout(contains("not compared"));
    }
}

#[test]
fn an_unused_permission_is_reported_once_and_only_if_no_template_has_a_use_for_it() {
    let other = safe().replace("  s:", "  z:");
    let files = [("t.yaml", &*safe()), ("u.yaml", &*safe()), ("v.yaml", &*other)];
    let Some(repository) = Repository::new(&files) else { return };
    for (name, text) in files {
        repository.0.write(name, text.replace("default: a", "default: b"));
    }
    repository.commit();
    let review = "diff --git HEAD~1..HEAD --fail-on dangerous --allow z --allow s:replace";
    let run = repository.hotplate(&format!("{review} --verbose")).code(0);
    run.stdout(contains("unused").not()).stderr(contains("HP0801").not());
    let run = repository.hotplate(&format!("{review} --allow nix --format json")).code(0);
    let report: Value = serde_json::from_slice(&run.get_output().stdout).expect("JSON");
    let findings = report["findings"].as_array().expect("findings");
    let messages: Vec<&Value> = findings.iter().map(|it| &it["message"]).collect();
    assert_eq!(messages, ["there is nothing of `nix` to allow"]);
    for template in report["templates"].as_array().expect("templates") {
        assert_eq!(template["findings"], serde_json::json!([]));
        // The positions are those in the list of the template.
        let suppressions = template["suppressions"].as_array().expect("suppressions");
        assert_eq!(suppressions.len(), 1);
        assert_eq!(template["resources"][0]["suppressions"], serde_json::json!([0]));
    }
}

#[test]
fn two_revisions_without_the_option_have_a_hint() {
    let Some(repository) = Repository::new(&[("t.yaml", &safe())]) else { return };
    repository.git("tag base");
    let run = repository.hotplate("diff base HEAD").code(2);
    run.stderr(contains("`base` and `HEAD` are revisions, not files: use `--git base..HEAD`"));
    repository.hotplate("diff base nothing").code(2).stderr(contains("`nothing` does not exist"));
}
