//! `hotplate.toml`: which file is used, what its keys do, what is wrong with it, and what a hostile one cannot do.

use std::collections::BTreeSet;

use hotplate::config::KEYS;
use predicates::prelude::PredicateBooleanExt;
use predicates::str::{contains, is_empty};

use crate::cli::sandbox::Sandbox;

pub(super) const HOT: &str = "heat_template_version: 2018-08-31\n";

/// A folder with these files.
pub(super) fn folder(files: &[(&str, &str)]) -> Sandbox {
    let files: Vec<(&str, String)> =
        files.iter().map(|(name, text)| (*name, text.replace("HOT\n", HOT))).collect();
    Sandbox::new(&files)
}

/// hotplate in a subfolder.
fn within(sandbox: &Sandbox, below: &str, arguments: &str) -> assert_cmd::Command {
    let mut command = sandbox.hotplate(arguments);
    command.current_dir(sandbox.at(below));
    command
}

/// A key with a value, the option that says the same, and a command whose result it changes.
const EFFECTS: &[(&str, &str, &str, &str)] = &[
    ("heat", "\"queens\"", "--heat queens", "check trunk.yaml"),
    ("types", "[\"../types.txt\"]", "--types ../types.txt", "check trunk.yaml"),
    ("allow-path", "[\"../lib\"]", "--allow-path ../lib", "eval outside.yaml"),
    ("files-map", "{\"http://h/\" = \"..\"}", "--files-map http://h/=..", "eval url.yaml"),
    ("merge", "\"client\"", "--merge client", "env -e one-env.yaml -e other-env.yaml"),
    ("max-resources", "1", "--max-resources 1", "check two.yaml"),
    ("limit-iterators", "2", "--limit-iterators 2", "yaql [1,2,3].select($)"),
    ("memory-quota", "2", "--memory-quota 2", "yaql [1,2,3].select($).sum()"),
    ("check.select", "[\"pedantic\"]", "--select pedantic", "check id.yaml"),
    ("check.ignore", "[\"HP1201\", \"security\"]", "--ignore HP1201,security", "check id.yaml"),
    ("check.policy", "[\"../rules\"]", "--policy ../rules", "check unused.yaml"),
    ("check.fail-on", "\"warning\"", "--fail-on warning", "check unused.yaml"),
    ("check.baseline", "\"../known.json\"", "--baseline ../known.json", "check id.yaml"),
    (
        "diff.fail-on",
        "[\"delete\", \"replace\"]",
        "--fail-on delete,replace",
        "diff two.yaml plain.yaml",
    ),
    ("diff.allow", "[\"c:create\"]", "--allow c:create", "diff two.yaml plain.yaml"),
    ("diff.allow-from", "\"base\"", "--allow-from base", "diff two.yaml more.yaml"),
    (
        "diff.hide",
        "[\"OS::Neutron::Port.name\"]",
        "--hide OS::Neutron::Port.name",
        "diff named.yaml renamed.yaml",
    ),
    ("diff.context", "0", "--context 0", "diff long.yaml longer.yaml"),
    ("upgrade.to", "\"queens\"", "--to queens", "upgrade old.yaml"),
    ("upgrade.modernize", "true", "--modernize", "upgrade modern.yaml"),
    ("upgrade.version-style", "\"name\"", "--version-style name", "upgrade old.yaml --to queens"),
    ("upgrade.exact-only", "true", "--exact-only", "upgrade conditional.yaml"),
    ("upgrade.strip-capabilities", "true", "--strip-capabilities", "upgrade capable.yaml"),
    ("upgrade.select", "[\"select\"]", "--select select", "upgrade old.yaml"),
    ("upgrade.ignore", "[\"join\"]", "--ignore join", "upgrade old.yaml"),
    ("render.target", "\"markdown\"", "--target markdown", "render two.yaml"),
    ("render.to", "\"queens\"", "--to queens", "render old.yaml --target hot"),
    ("render.strict", "true", "--strict", "render loss.yaml --target terraform"),
    (
        "render.strip-capabilities",
        "true",
        "--strip-capabilities",
        "render capable.yaml --target json",
    ),
];

const FILES: &[(&str, &str)] = &[
    ("t/trunk.yaml", "HOT\nresources:\n  p: {type: OS::Neutron::Trunk, properties: {port: p}}\n"),
    ("t/unused.yaml", "HOT\nparameters: {p: {type: string}}\n"),
    ("t/loss.yaml", "HOT\nresources: {w: {type: OS::Heat::WaitConditionHandle}}\n"),
    (
        "t/modern.yaml",
        "HOT\nresources:\n  p: {type: OS::Neutron::Port, properties: {network_id: n}}\n",
    ),
    ("types.txt", "| OS::Neutron::Net |\n"),
    (
        "rules/ACME001.yaml",
        "id: ACME001\ntitle: t\nmessage: m\nselect: {parameters: ['*']}\nrequire: $.parameter.description != null\n",
    ),
    ("t/outside.yaml", "HOT\noutputs: {o: {value: {get_file: ../lib/x}}}\n"),
    ("lib/x", "content\n"),
    ("t/url.yaml", "HOT\noutputs: {o: {value: {get_file: http://h/lib/x}}}\n"),
    ("t/one-env.yaml", "parameters: {a: 1}\nparameter_merge_strategies: {a: merge}\n"),
    ("t/other-env.yaml", "parameters: {a: 2}\n"),
    ("t/two.yaml", "HOT\nresources:\n  a: {type: OS::Heat::None}\n  b: {type: OS::Heat::None}\n"),
    (
        "t/plain.yaml",
        "HOT\nresources:\n  a: {type: OS::Heat::None}\n  b: {type: OS::Heat::None}\n  c: {type: OS::Heat::None}\n",
    ),
    (
        "t/more.yaml",
        "HOT\nresources:\n  a: {type: OS::Heat::None}\n  b: {type: OS::Heat::None}\n  # hotplate: allow create it is free\n  c: {type: OS::Heat::None}\n",
    ),
    (
        "t/id.yaml",
        "HOT\nparameters: {p: {type: string}}\nresources:\n  p1: {type: OS::Neutron::Port, properties: {network: 3fa85f64-5717-4562-b3fc-2c963f66afa6}}\n  w: {type: OS::Heat::Nothing}\n",
    ),
    (
        "t/named.yaml",
        "HOT\nresources: {p: {type: OS::Neutron::Port, properties: {network: n, name: a}}}\n",
    ),
    (
        "t/renamed.yaml",
        "HOT\nresources: {p: {type: OS::Neutron::Port, properties: {network: n, name: b}}}\n",
    ),
    (
        "t/old.yaml",
        "heat_template_version: 2013-05-23\noutputs:\n  name: {value: {Fn::Join: ['-', [a, b]]}}\n",
    ),
    (
        "t/conditional.yaml",
        "heat_template_version: 2014-10-16\nparameters:\n  map: {type: json, default: {a: b}}\noutputs:\n  item: {value: {Fn::Select: [a, {get_param: map}]}}\n",
    ),
    (
        "t/capable.yaml",
        "heat_template_version: 2021-04-16\ncapabilities: {a: b}\nresources: {r: {type: OS::Heat::None}}\n",
    ),
];

/// Status and both streams of a command in the folder `t`.
fn result(sandbox: &Sandbox, arguments: &str) -> (Option<i32>, String, String) {
    let output = within(sandbox, "t", arguments).output().expect("hotplate");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn every_key_does_what_its_option_does() {
    let known: BTreeSet<String> = KEYS.iter().map(|key| key.full_name()).collect();
    let tried: BTreeSet<String> = EFFECTS.iter().map(|(key, ..)| (*key).to_owned()).collect();
    assert_eq!(known, tried, "a key without a row");
    for (key, value, option, command) in EFFECTS {
        let sandbox = folder(FILES);
        sandbox.write("t/long.yaml", long("old"));
        sandbox.write("t/longer.yaml", long("new"));
        within(&sandbox, "t", "check --write-baseline ../known.json id.yaml").assert().code(0);
        let without = result(&sandbox, command);
        let by_option = result(&sandbox, &format!("{command} {option}"));
        // The file is in another folder, so that its paths need to be resolved.
        let value = value.replace("\"../", "\"").replace("\"..\"", "\".\"");
        let text = match key.split_once('.') {
            Some((table, key)) => format!("[{table}]\n{key} = {value}\n"),
            None => format!("{key} = {value}\n"),
        };
        sandbox.write("hotplate.toml", text);
        let by_file = result(&sandbox, command);
        assert_eq!(by_file, by_option, "{key}: the file does what the option does");
        assert_ne!(by_file, without, "{key} has an effect");
        let ignored = result(&sandbox, &format!("{command} --no-config"));
        // The usage in a message names the option.
        assert_eq!((&ignored.0, &ignored.1), (&without.0, &without.1), "{key}");
        let flag = KEYS
            .iter()
            .find(|it| it.full_name() == *key && it.kind.description().contains("`true`"));
        if let Some(flag) = flag {
            let off = result(&sandbox, &format!("{command} --no-{}", flag.name));
            assert_eq!(off, without, "{key} can be switched off");
            let last = result(&sandbox, &format!("{command} --no-{} {option}", flag.name));
            assert_eq!(last, by_option, "{key}: the last option counts");
        }
    }
}

/// A template with a text of many lines, one of which differs.
fn long(word: &str) -> String {
    let lines = |from: usize| -> String {
        (from..from + 9).map(|at| format!("        line {at}\n")).collect()
    };
    format!(
        "{HOT}resources:\n  a:\n    type: OS::Heat::Value\n    properties:\n      value: |\n{}        {word}\n{}",
        lines(0),
        lines(9)
    )
}

#[test]
fn the_nearest_file_is_used_up_to_the_work_tree() {
    let sandbox = folder(&[
        ("hotplate.toml", "[upgrade]\nto = \"pike\"\n"),
        ("repo/.git/HEAD", "x"),
        ("repo/a/b/t.yaml", "heat_template_version: 2013-05-23\n"),
        ("repo/a/hotplate.toml", "[upgrade]\nto = \"queens\"\n"),
        ("plain/a/t.yaml", "heat_template_version: 2013-05-23\n"),
    ]);
    let version = |below: &str, arguments: &str| {
        let output =
            within(&sandbox, below, &format!("upgrade {arguments}")).output().expect("hotplate");
        String::from_utf8(output.stdout)
            .expect("text")
            .trim()
            .replace("heat_template_version: ", "")
    };
    assert_eq!(version("repo/a/b", "t.yaml"), "2018-03-02");
    // Nothing above the work tree counts.
    assert_eq!(version("repo", "a/b/t.yaml"), "2021-04-16");
    assert_eq!(version("plain/a", "t.yaml"), "2017-09-01");
    assert_eq!(version(".", "repo/a/b/t.yaml"), "2017-09-01");
    assert_eq!(version("repo/a/b", "t.yaml --config ../../../hotplate.toml"), "2017-09-01");
    assert_eq!(version("repo/a/b", "t.yaml --no-config"), "2021-04-16");
    assert_eq!(version("repo/a/b", "t.yaml --to rocky"), "2018-08-31");
    within(&sandbox, "repo/a/b", "upgrade --check --verbose t.yaml")
        .assert()
        .stderr(contains("configuration: ../hotplate.toml"));
    within(&sandbox, "repo", "upgrade a/b/t.yaml --config none.toml")
        .assert()
        .code(2)
        .stderr(contains("error[HP0001]"));
}

#[test]
fn the_command_line_wins_and_some_lists_are_added_up() {
    let sandbox = folder(&[
        (
            "hotplate.toml",
            "files-map = {\"http://h/a\" = \"a\", \"http://h/b\" = \"b\"}\n[check]\nselect = [\"pedantic\"]\nbaseline = \"known.json\"\n",
        ),
        ("a", "of the file\n"),
        ("b", "of the file\n"),
        ("c", "of the command line\n"),
        (
            "t.yaml",
            "HOT\noutputs:\n  a: {value: {get_file: http://h/a}}\n  b: {value: {get_file: http://h/b}}\n",
        ),
        ("unused.yaml", "HOT\nparameters: {p: {type: string}}\noutputs: {}\n"),
    ]);
    sandbox
        .hotplate("eval t.yaml --files-map http://h/b=c")
        .assert()
        .stdout(contains("a: \"of the file").and(contains("b: \"of the command line")));
    // The file's baseline does not exist yet; writing one excludes it.
    sandbox.hotplate("check unused.yaml").assert().code(2).stderr(contains("known.json"));
    sandbox.hotplate("check --write-baseline known.json unused.yaml").assert().code(0);
    sandbox.hotplate("check unused.yaml").assert().code(0).stdout(contains("1 not selected"));
    sandbox
        .hotplate("check --select suspicious unused.yaml")
        .assert()
        .code(0)
        .stdout(contains("HP1201"));
}

#[test]
fn mistakes_are_reported_at_their_places_and_stop_every_command() {
    for (text, line, message) in [
        ("[chek]\n", 1, "did you mean `check`?"),
        ("[check]\nselec = []\n", 2, "unknown key `selec` in `check`"),
        ("[check]\nselec = []\n", 2, "did you mean `select`?"),
        ("select = []\n", 1, "it belongs to `[check]` or `[upgrade]`"),
        ("heat = 3\n", 1, "`heat` must be a string, not a whole number"),
        ("heat = \"quens\"\n", 1, "did you mean `queens`?"),
        (
            "[check]\nselect = \"HP12\"\n",
            2,
            "`check.select` must be a list of strings, not a string",
        ),
        ("[check]\nignore = [\"HP12\",\n\"suspicous\"]\n", 3, "did you mean `suspicious`?"),
        ("[check]\nfail-on = \"warnings\"\n", 2, "did you mean `warning`?"),
        ("[check.per-path-ignores]\n\"../x\" = [\"HP12\"]\n", 2, "invalid pattern"),
        ("[check.per-path-ignores]\n\"x\" = [\"HP99\"]\n", 2, "is not a code or a group"),
        ("[upgrade]\nselect = [\"joinn\"]\n", 2, "there is no rule `joinn`"),
        ("[upgrade]\nexact-only = \"yes\"\n", 2, "must be `true` or `false`"),
        ("[diff]\ncontext = -1\n", 2, "`diff.context`"),
        ("[diff]\nfail-on = [\"replce\"]\n", 2, "replace"),
        ("[[deployment]]\n", 1, "a deployment needs `template`"),
        (
            "[[deployment]]\ntemplate = \"t.yaml\"\nenvironment = []\n",
            3,
            "did you mean `environments`?",
        ),
        (
            "[[deployment]]\ntemplate = \"t.yaml\"\nparameters = {a = [1]}\n",
            3,
            "`parameters.a` must be",
        ),
        ("[deployment]\ntemplate = \"t.yaml\"\n", 1, "must be a list of tables"),
        ("heat = \n", 1, "not TOML"),
        ("heat = \"queens\"\nheat = \"pike\"\n", 2, "not TOML"),
    ] {
        let sandbox = folder(&[("hotplate.toml", text), ("t.yaml", "HOT\n")]);
        let place = format!("hotplate.toml:{line}:");
        for command in ["check", "upgrade --check .", "eval t.yaml", "versions --format json ."] {
            let is_read = command != "versions --format json .";
            let assert = sandbox.hotplate(command).assert();
            if is_read {
                assert.code(2).stdout(is_empty()).stderr(contains(&place).and(contains(message)));
            } else {
                // No key applies to it.
                assert.code(0);
            }
        }
        sandbox.hotplate("check --help").assert().code(0);
        sandbox.hotplate("--version").assert().code(0);
        sandbox.hotplate("check --no-config").assert().code(0);
        let shown = sandbox.hotplate("config").assert().code(2);
        shown.stdout(contains("check.select")).stderr(contains(message));
    }
}

pub(super) const DEPLOYMENTS: &[(&str, &str)] = &[
    (
        "hotplate.toml",
        "[check.per-path-ignores]\n\"legacy\" = [\"HP1201\"]\n\n[[deployment]]\nname = \"small\"\ntemplate = \"web.yaml\"\nenvironments = [\"env/small.yaml\"]\nparameters = {name = \"n\"}\n\n[[deployment]]\nname = \"wrong\"\ntemplate = [\"web.yaml\", \"db*.yaml\"]\nenvironments = [\"env/wrong.yaml\"]\n",
    ),
    (
        "web.yaml",
        "HOT\nparameters:\n  size: {type: string}\n  name: {type: string, default: d}\nresources:\n  v: {type: OS::Cinder::Volume, properties: {size: {get_param: size}, name: {get_param: name}}}\n  t: {type: My::Type}\n",
    ),
    ("nested.yaml", "HOT\nresources: {n: {type: OS::Neutron::Net, properties: {nam: x}}}\n"),
    (
        "db1.yaml",
        "HOT\nparameters: {size: {type: string}}\nresources: {v: {type: OS::Cinder::Volume, properties: {size: {get_param: size}}}, t: {type: My::Type}}\n",
    ),
    ("legacy/a.yaml", "HOT\nparameters: {p: {type: string}}\noutputs: {}\n"),
    ("env/small.yaml", "parameters: {size: 3}\nresource_registry: {'My::Type': ../nested.yaml}\n"),
    (
        "env/wrong.yaml",
        "parameters: {size: x, other: 1}\nresource_registry: {'My::Type': ../nested.yaml}\n",
    ),
    ("env/free.yaml", "parameter_defaults: {size: 1}\n"),
    ("data.yaml", "a: 1\n"),
];

#[test]
fn a_baseline_is_the_same_wherever_the_command_runs() {
    let sandbox = folder(&[
        ("hotplate.toml", "[check]\nbaseline = \"ci/known.json\"\n"),
        ("ci/empty", ""),
        ("a/t.yaml", "HOT\nparameters: {p: {type: string}}\noutputs: {}\n"),
    ]);
    sandbox.hotplate("check --write-baseline ci/known.json .").assert().code(0);
    assert!(sandbox.text("ci/known.json").contains("\"../a/t.yaml\""));
    for (below, path) in [(".", "."), (".", "a/t.yaml"), ("a", "."), ("ci", "../a")] {
        within(&sandbox, below, &format!("check {path}"))
            .assert()
            .code(0)
            .stdout(contains("no findings; 1 in the baseline"));
    }
}

pub(super) const SERVER: &str = "HOT\nparameters: {size: {type: string}}\nresources:\n  v: {type: OS::Cinder::Volume, properties: {size: {get_param: size}}}\n";

#[test]
fn the_origin_of_every_value_is_shown() {
    let sandbox = folder(&[(
        "hotplate.toml",
        "allow-path = [\".\"]\n\n[check]\nfail-on = \"warning\"\nbaseline = \"known.json\"\n",
    )]);
    let shown = |arguments: &str| {
        let output =
            sandbox.hotplate(format!("config {arguments}").trim_end()).output().expect("hotplate");
        let text = String::from_utf8(output.stdout).expect("text");
        text.lines()
            .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
            .collect::<Vec<_>>()
    };
    let has = |arguments: &str, line: &str| {
        let lines = shown(arguments);
        assert!(lines.iter().any(|it| it == line), "{arguments}: {line}\n{lines:#?}");
    };
    has("", "check.fail-on = warning # hotplate.toml:4");
    has("", "diff.context = 3 # default");
    has(
        "check --fail-on note .",
        "check.fail-on = note # command line; hotplate.toml:4 is not used: the command line has another value",
    );
    has(
        "check --write-baseline x .",
        "check.baseline = - # default; hotplate.toml:5 is not used: `--write-baseline` excludes it",
    );
    sandbox.write("a.yaml", HOT);
    sandbox.write("heat.toml", "heat = \"queens\"\n");
    has(
        "--config heat.toml upgrade .",
        "heat = - # default; heat.toml:1 is not used: it needs `--modernize`",
    );
    has("--config heat.toml upgrade --modernize .", "heat = queens # heat.toml:1");
    sandbox.write("modern.toml", "heat = \"queens\"\n[upgrade]\nmodernize = true\n");
    has("--config modern.toml upgrade .", "heat = queens # modern.toml:1");
    for (arguments, line) in [
        ("--heat rocky", "upgrade.modernize = true # modern.toml:3"),
        (
            "--no-modernize",
            "upgrade.modernize = false # command line; modern.toml:3 is not used: the command line has another value",
        ),
    ] {
        has(&format!("--config modern.toml upgrade {arguments} ."), line);
        sandbox
            .hotplate(&format!("upgrade --config modern.toml {arguments} a.yaml"))
            .assert()
            .code(0);
    }
    assert_eq!(shown("explain")[2], "the command does not use the file");
    sandbox.hotplate("upgrade --config heat.toml a.yaml").assert().code(0);
    has("check --allow-path /x .", "allow-path = /x, . # command line, hotplate.toml:1");
    assert!(!shown("upgrade").iter().any(|line| line.starts_with("check.")));
    assert_eq!(shown("--no-config")[0], "no hotplate.toml");
    let report = sandbox.json("config --format json check --fail-on note .", 0);
    let of = |key: &str| {
        let settings = report["settings"].as_array().expect("settings").iter();
        settings.clone().find(|it| it["key"] == key).cloned().unwrap_or_default()
    };
    assert_eq!(report["path"], "hotplate.toml");
    assert_eq!(
        (&of("check.fail-on")["origin"], &of("check.baseline")["origin"]),
        (&"command-line".into(), &"file".into())
    );
    assert_eq!(of("check.baseline")["place"]["start"]["line"], 5);
}

#[test]
fn values_of_parameters_are_not_shown() {
    let secret = "s3cret-value";
    let deployment = format!(
        "[[deployment]]\ntemplate = \"t.yaml\"\nparameters = {{ password = \"{secret}\" }}\n"
    );
    for text in [
        deployment.clone(),
        format!("{deployment}wrong = 1\n"),
        format!("{deployment}wrong = \n"),
        format!("[[deployment]]\nparameters.password = \"{secret}\"\n"),
        format!("[[deployment]]\nparameters.password = \"{secret}\n"),
        // Below a key that is not known, or of another form.
        format!(
            "[[deployment]]\ntemplate = \"t.yaml\"\nparamters = {{ password = \"{secret}\" }}\n"
        ),
        format!("[[deployment]]\ntemplate = \"t.yaml\"\nparamters = {{ password = \"{secret}\"\n"),
        format!("[[deployment]]\n[deployment.paramters]\npassword = \"{secret}\"\n"),
        format!("[[deployment]]\nname = [\"{secret}\"]\nparameters = [\"{secret}\"]\n"),
        format!(
            "[[deploymnt]]\nparameters = {{ password = [\"{secret}\", {{a = \"{secret}\"}}] }}\n"
        ),
        format!("[parameters]\nname = \"{secret}\"\n[check]\npassword = \"{secret}\"\n"),
        format!("deployment = \"{secret}\"\n"),
        format!("deployment = [\"{secret}\"]\n"),
        format!("[deployment]\npassword = \"{secret}\"\n"),
        format!(
            "[[deployment]]\nparamters.password = \"\"\"\n{secret}\n# {secret}\n[{secret}]\nname = {secret}\n"
        ),
        format!("[deployment.parmeters]\nname = \"{secret}\"\nname = \"{secret}\"\n"),
        format!("deployment = [{{ name = \"x\", paramters = {{ password = \"{secret}\" }}\n"),
    ] {
        let sandbox = folder(&[
            ("hotplate.toml", &text),
            (
                "t.yaml",
                "HOT\nparameters: {password: {type: string, hidden: true, constraints: [{length: {max: 2}}]}}\n",
            ),
        ]);
        for command in [
            "config",
            "config --format json",
            "check",
            "check --verbose",
            "eval t.yaml",
            "env t.yaml",
        ] {
            let output = sandbox.hotplate(command).output().expect("hotplate");
            for stream in [&output.stdout, &output.stderr] {
                let stream = String::from_utf8_lossy(stream);
                assert!(!stream.contains(secret), "{command}: {stream}");
            }
        }
    }
}

#[test]
fn paths_stay_in_the_project_unless_the_user_trusts_the_file() {
    let secret = "token-of-the-machine";
    for (text, key) in [
        ("allow-path = [\"/etc\"]\n", "allow-path"),
        ("allow-path = [\"..\"]\n", "allow-path"),
        ("allow-path = [\"link\"]\n", "allow-path"),
        ("files-map = {\"http://h/\" = \"../\"}\n", "files-map"),
        ("types = [\"../secret\"]\n", "types"),
        ("types = [\".git/config\"]\n", "types"),
        ("types = [\"ignored\"]\n", "types"),
        ("[check]\nbaseline = \"../secret\"\n", "check.baseline"),
        ("[render]\ntarget = \"../target\"\n", "render.target"),
        ("[[deployment]]\ntemplate = \"t.yaml\"\nenvironments = [\"../secret\"]\n", "environments"),
    ] {
        let sandbox = folder(&[
            ("secret", secret),
            ("repo/.git/HEAD", "ref: refs/heads/main\n"),
            ("repo/.git/config", secret),
            ("repo/.gitignore", "ignored\n"),
            ("repo/ignored", secret),
            ("repo/hotplate.toml", text),
            ("repo/t.yaml", "HOT\noutputs: {o: {value: {get_file: ../secret}}}\n"),
        ]);
        link(&sandbox, "..", "repo/link");
        for command in ["check", "eval t.yaml", "render t.yaml --target dot", "config"] {
            let output = within(&sandbox, "repo", command).output().expect("hotplate");
            let streams =
                [output.stdout, output.stderr].map(|it| String::from_utf8(it).expect("text"));
            assert_eq!(output.status.code(), Some(2), "{text}{command}: {streams:?}");
            assert!(streams[1].contains("error[HP1504]"), "{text}{command}: {}", streams[1]);
            assert!(streams[1].contains(&format!("in `{key}`")), "{text}{command}: {}", streams[1]);
            assert!(!streams.concat().contains(secret), "{text}{command}");
        }
        // The command line may do what the file may not, and may permit it.
        within(&sandbox, "repo", "eval t.yaml --no-config --allow-path ..")
            .assert()
            .code(0)
            .stdout(contains(secret));
        within(&sandbox, "repo", "config --trust-config").assert().code(0);
    }
}

#[cfg(unix)]
fn link(sandbox: &Sandbox, to: &str, from: &str) {
    std::os::unix::fs::symlink(to, sandbox.at(from)).expect("a link");
}

#[cfg(unix)]
#[test]
fn a_file_that_is_a_link_out_of_the_project_is_not_read() {
    let secret = "token-of-the-machine";
    let sandbox = folder(&[("secret", secret), ("repo/.git/HEAD", "x"), ("repo/t.yaml", "HOT\n")]);
    link(&sandbox, "../secret", "repo/hotplate.toml");
    within(&sandbox, "repo", "check")
        .assert()
        .code(2)
        .stderr(contains("error[HP1504]").and(contains(secret).not()));
}

#[cfg(unix)]
#[test]
fn a_configuration_that_cannot_be_read_is_an_error() {
    let sandbox = folder(&[("repo/t.yaml", "HOT\n"), ("repo/.git/HEAD", "x")]);
    let check = |code: &'static str| {
        within(&sandbox, "repo", "check t.yaml").assert().code(2).stderr(contains(code))
    };
    let path = sandbox.at("repo/hotplate.toml");
    std::fs::create_dir(&path).expect("a folder");
    check("error[HP0009]").stderr(contains("`hotplate.toml` is a folder"));
    std::fs::remove_dir(&path).expect("an empty folder");
    link(&sandbox, "nowhere", "repo/hotplate.toml");
    check("error[HP0002]").stderr(contains("symbolic link to `nowhere`"));
    std::fs::remove_file(&path).expect("a link");
    sandbox.write("repo/hotplate.toml", b"heat = \"\xff\"\n");
    check("error[HP0006]").stderr(contains("hotplate.toml:1:9"));
}
