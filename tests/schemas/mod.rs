//! What commands print as JSON is what their published schemas say, no less and no more.

mod checker;
mod config;
mod diff;
mod ir;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use hotplate::report::schemas::PUBLISHED;
use lossless_yaml::{Limits, json_writer, read};
use serde_json::Value;
use source_diagnostics::SourceId;

use checker::Checker;

/// A checker with the published schema of this name.
fn checker_of(name: &str) -> Checker {
    let published = PUBLISHED.iter().find(|published| published.name == name);
    let schema = published.unwrap_or_else(|| panic!("no schema {name}")).schema();
    Checker::new(schema.to_value())
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The files of the folder in which commands run.
const FILES: &[(&str, &str)] = &[
    (
        "web.yaml",
        r#"heat_template_version: 2018-08-31
description: a server
parameters:
  image: {type: string, constraints: [{custom_constraint: glance.image}]}
  secret: {type: string, hidden: true, default: s3cret}
  count: {type: number, default: 2}
conditions:
  many: {not: {equals: [{get_param: count}, 1]}}
resources:
  net: {type: OS::Neutron::Net}
  web:
    type: OS::Nova::Server
    depends_on: net
    properties:
      image: {get_param: image}
      user_data: {str_replace: {template: x, params: {x: {get_param: secret}}}}
      metadata: {net: {get_attr: [net, mtu]}}
  group:
    type: OS::Heat::ResourceGroup
    condition: many
    properties: {count: {get_param: count}, resource_def: {type: inner.yaml}}
  never: {type: OS::Heat::None, condition: {not: many}}
outputs:
  address: {description: where, value: {get_attr: [web, first_address]}}
"#,
    ),
    ("inner.yaml", "heat_template_version: 2018-08-31\nresources: {v: {type: OS::Heat::Value}}\n"),
    (
        "next.yaml",
        r#"heat_template_version: 2021-04-16
parameters:
  image: {type: string}
resources:
  net: {type: OS::Neutron::Net, properties: {mtu: 1400}}
  front: {type: OS::Nova::Server, properties: {image: {get_param: image}, flavor: small}}
  rule:
    type: OS::Neutron::SecurityGroup
    properties: {rules: [{protocol: tcp, remote_ip_prefix: 0.0.0.0/0}]}
"#,
    ),
    (
        "old.yaml",
        r#"heat_template_version: 2013-05-23
parameters: {p: {type: string}, items: {type: json}}
outputs:
  join: {value: {Fn::Join: ['-', [a, b]]}}
  one: {value: {Fn::Select: [{get_param: p}, {get_param: items}]}}
"#,
    ),
    (
        "wrong.yaml",
        r#"heat_template_version: 2015-10-15
heat_template_version: 2015-10-15
surprise: {}
parameters:
  p: {type: strange, default: [1]}
  q: {type: number, default: x}
resources:
  a: {type: OS::Nova::Server, properties: {image: {get_param: nothing}, flavor: {get_resource: b}}}
  b: {type: OS::Nova::Server, depends_on: a, properties: {image: {get_file: none.sh}}}
  c: {typ: OS::Heat::None}
  d: {type: missing.yaml}
outputs:
  o: {value: {yaql: {expression: $.data}}}
"#,
    ),
    ("broken.yaml", "heat_template_version: 2015-10-15\nresources: {a: [\n"),
    ("other.yaml", "kind: Deployment\n"),
    (
        "cfn.yaml",
        "HeatTemplateFormatVersion: 2012-12-12\nResources: {n: {Type: OS::Neutron::Net}}\n",
    ),
    (
        "role.j2.yaml",
        "heat_template_version: 2015-10-15\nparameters:\n{% if x %}\n  a: 1\n{% endif %}\n",
    ),
    (
        "env.yaml",
        r#"parameters: {image: cirros, secret: hush, nobody: 1}
parameter_defaults: {count: 3}
resource_registry:
  "OS::Test::Thing": inner.yaml
  resources: {web: {hooks: pre-create}}
"#,
    ),
    ("more.yaml", "parameters: {image: ubuntu}\n"),
    ("broken-env.yaml", "parameters: [1\n"),
    (
        "kinds/a.yaml",
        "heat_template_version: 2018-08-31\ncapabilities: {resource_type: OS::Test::A, deployment: puppet}\n",
    ),
    (
        "kinds/b.yaml",
        "heat_template_version: 2018-08-31\ncapabilities: {resource_type: OS::Test::A, deployment: docker}\n",
    ),
    (
        "choice.yaml",
        r#"resource_registry:
  "OS::Test::A":
    - kinds/a.yaml
    - kinds/b.yaml
capabilities: {deployment: docker}
"#,
    ),
    (
        "my.toml",
        r#"heat = "queens"
allow-path = ["kinds"]
[check]
fail-on = "warning"
[check.per-path-ignores]
"kinds" = ["HP12"]
[[deployment]]
name = "one"
template = ["web.yaml", "next.yaml"]
environments = ["env.yaml"]
parameters = {count = 3}
"#,
    ),
    (
        "rules/ACME001.yaml",
        "id: ACME001\ntitle: a name\nmessage: no name\nhelp: name it\nselect: {resources: ['*']}\nrequire: 'false'\n",
    ),
    ("wrong.toml", "[check]\nselec = []\n"),
    ("data.yaml", "{list: [1, 2.5, x, null, {a: true}]}\n"),
    ("attrs.json", r#"{"web": {"attrs": {"first_address": "10.0.0.1"}, "ref": "id"}}"#),
];

/// The schemas, and what is run for each: valid templates, wrong ones, what is no template, what is not there,
/// and an empty folder.
const RUNS: &[(&str, &[&str])] = &[
    (
        "check",
        &[
            "check web.yaml -e env.yaml",
            "check --config my.toml .",
            "check --select all --policy rules wrong.yaml next.yaml",
            "check --fix old.yaml",
            "check missing.yaml",
        ],
    ),
    (
        "capabilities-find",
        &[
            "capabilities find -c deployment=puppet kinds",
            "capabilities find -c deployment=puppet kinds broken.yaml",
            "capabilities find -c deployment=none empty missing.yaml",
        ],
    ),
    (
        "capabilities-list",
        &[
            "capabilities list kinds",
            "capabilities list -e choice.yaml",
            "capabilities list broken.yaml wrong.yaml",
            "capabilities list empty",
        ],
    ),
    (
        "capabilities-resolve",
        &[
            "capabilities resolve -e choice.yaml",
            "capabilities resolve -e choice.yaml -o written",
            "capabilities resolve -e broken-env.yaml",
        ],
    ),
    (
        "config",
        &[
            "config",
            "config --config my.toml",
            "config --config my.toml --format json check --fail-on note .",
            "config --config wrong.toml",
        ],
    ),
    ("deployments", &["deployments", "deployments --no-config"]),
    (
        "diff",
        &[
            "diff web.yaml next.yaml -e env.yaml",
            "diff next.yaml web.yaml",
            "diff web.yaml web.yaml",
            "diff web.yaml wrong.yaml",
            "diff wrong.yaml broken.yaml",
            "diff web.yaml missing.yaml",
        ],
    ),
    (
        "env",
        &[
            "env web.yaml -e env.yaml -e more.yaml -P count=4",
            "env web.yaml -e env.yaml --show-secrets",
            "env wrong.yaml -e missing.yaml",
            "env -e broken-env.yaml",
        ],
    ),
    (
        "eval",
        &[
            "eval web.yaml",
            "eval web.yaml -e env.yaml --nested --attrs attrs.json",
            "eval web.yaml -P image=x --fill --show-secrets",
            "eval old.yaml",
            "eval cfn.yaml",
            "eval wrong.yaml --nested",
            "eval broken.yaml",
            "eval other.yaml",
            "eval missing.yaml",
        ],
    ),
    ("explain", &["explain", "explain HP0105"]),
    ("ir", &["ir web.yaml", "ir wrong.yaml", "ir cfn.yaml", "ir broken.yaml"]),
    ("log", &["log", "log HEAD", "log nothing"]),
    (
        "parameters",
        &[
            "parameters web.yaml",
            "parameters web.yaml -e env.yaml -P count=4",
            "parameters wrong.yaml",
            "parameters old.yaml",
            "parameters cfn.yaml",
            "parameters broken.yaml",
            "parameters missing.yaml",
        ],
    ),
    ("policy-explain", &["policy explain rules", "policy explain rules ACME001"]),
    ("policy-test", &["policy test rules"]),
    (
        "render",
        &[
            "render web.yaml -t terraform -e env.yaml",
            "render web.yaml -t pulumi",
            "render next.yaml -t cfn -o out",
            "render wrong.yaml -t ansible",
            "render old.yaml -t hot",
            "render broken.yaml -t json",
            "targets context web.yaml -t markdown",
        ],
    ),
    ("report-merge", &["report merge merged.json", "report merge missing.json"]),
    (
        "schema",
        &[
            "schema OS::Nova::Server",
            "schema OS::Heat::AutoScalingGroup",
            "schema OS::Sahara::Cluster --heat queens",
            "schema OS::Nova::Server networks",
            "schema --search subnet",
            "schema --search nothing-like-this",
            "schema",
        ],
    ),
    (
        "target-context",
        &[
            "targets context web.yaml -t markdown -e env.yaml",
            "targets context next.yaml -t dot",
            "targets context wrong.yaml -t mermaid",
        ],
    ),
    ("targets-list", &["targets", "targets list"]),
    ("targets-show", &["targets show terraform", "targets show hot", "targets show mine"]),
    ("targets-test", &["targets test mine", "targets test off"]),
    (
        "upgrade",
        &[
            "upgrade old.yaml",
            "upgrade --check --statistics .",
            "upgrade --to newton web.yaml",
            "upgrade wrong.yaml broken.yaml role.j2.yaml other.yaml cfn.yaml missing.yaml",
            "upgrade empty",
        ],
    ),
    (
        "versions",
        &[
            "versions .",
            "versions old.yaml web.yaml",
            "versions wrong.yaml broken.yaml other.yaml cfn.yaml missing.yaml",
            "versions empty",
            "versions --list",
        ],
    ),
    ("yaql", &["yaql $.data.list --data data.yaml", "yaql now()", "yaql set(1,2)", "yaql )("]),
];

/// Commands whose output is JSON without an option.
const JSON_ONLY: [&str; 2] = ["ir", "target-context"];

/// A repository with two commits.
fn commits(folder: &Path) {
    let git = |words: &[&str]| {
        let mut command = Command::new("git");
        command.args(["-c", "user.name=A", "-c", "user.email=a@example.org"]);
        command.args(words).current_dir(folder).output().expect("git");
    };
    fs::create_dir_all(folder).expect("a folder");
    git(&["init", "-q"]);
    for size in ["1", "2"] {
        let text = "heat_template_version: 2018-08-31\nresources:\n  a: {type: OS::Heat::RandomString, properties: {length: SIZE}}\n";
        fs::write(folder.join("web.yaml"), text.replace("SIZE", size)).expect("a file");
        git(&["add", "-A"]);
        git(&["commit", "-q", "-m", "m"]);
    }
}

#[test]
fn every_command_prints_what_its_schema_describes() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::create_dir_all(folder.path().join("kinds")).expect("a folder");
    fs::create_dir_all(folder.path().join("empty")).expect("a folder");
    fs::create_dir_all(folder.path().join("rules")).expect("a folder");
    for (name, text) in FILES {
        fs::write(folder.path().join(name), text).expect("a file");
    }
    let history = folder.path().join("history");
    commits(&history);
    let run = |words: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hotplate"));
        let is_of_history = words.first() == Some(&"log");
        command.args(words).current_dir(if is_of_history { &history } else { folder.path() });
        command.output().expect("hotplate").stdout
    };
    run(&["diff", "web.yaml", "next.yaml", "-o", "json=merged.json"]);
    run(&["targets", "new", "mine"]);
    run(&["targets", "new", "off"]);
    let expected = folder.path().join("off/cases/web/expected/plan.yaml");
    fs::write(expected, "other\n").expect("a file");
    for (name, commands) in RUNS {
        let checker = checker_of(name);
        let mut printed = 0;
        for command in *commands {
            let mut words: Vec<&str> = command.split(' ').collect();
            if !JSON_ONLY.contains(name) {
                words.extend(["--format", "json"]);
            }
            let output = run(&words);
            // What cannot be read at all has no report of some commands.
            if output.is_empty() {
                continue;
            }
            let json: Value = serde_json::from_slice(&output)
                .unwrap_or_else(|error| panic!("{command}: {error}"));
            checker.check(&json).unwrap_or_else(|problem| panic!("{command}: {problem}"));
            printed += 1;
        }
        assert!(printed * 2 >= commands.len(), "{name}: only {printed} reports");
    }
}

#[test]
fn every_published_schema_is_tried() {
    let tried: BTreeSet<&str> = RUNS.iter().map(|(name, _)| *name).collect();
    let published = PUBLISHED.iter().map(|published| published.name);
    // What hotplate reads has tests of its own.
    let is_read = |name: &str| matches!(name, "target-manifest" | "config-file");
    let published: BTreeSet<&str> = published.filter(|name| !is_read(name)).collect();
    assert_eq!(tried, published);
}

#[test]
fn the_manifests_of_targets_are_described() {
    let checker = checker_of("target-manifest");
    let mut manifests = 0;
    for target in fs::read_dir(root().join("crates/hotplate-emit/targets")).expect("targets") {
        let path = target.expect("a target").path().join("target.yaml");
        let Ok(text) = fs::read_to_string(&path) else { continue };
        let document = read(SourceId(0), text.into(), &Limits::default()).expect("YAML");
        let data = document.data(document.root().expect("a manifest"));
        let data = lossless_yaml::Value::copy_of(data, &Limits::default()).expect("data");
        let json = json_writer::compact(&data).expect("JSON");
        let json: Value = serde_json::from_str(&json).expect("JSON");
        let path = path.display();
        checker.check(&json).unwrap_or_else(|problem| panic!("{path}: {problem}"));
        manifests += 1;
    }
    assert!(manifests > 0);
}

#[test]
fn the_goldens_are_described() {
    let mut checked: BTreeMap<&str, usize> = BTreeMap::new();
    for case in fs::read_dir(root().join("snapshots")).expect("the samples") {
        let case: PathBuf = case.expect("a sample").path();
        for (file, name) in [
            ("report.json", "upgrade"),
            ("render.json", "render"),
            ("eval.txt", "eval"),
            ("diff.json", "diff"),
        ] {
            let path = case.join(file);
            let Ok(text) = fs::read_to_string(&path) else { continue };
            let Ok(json) = serde_json::from_str(&text) else { continue };
            let path = path.display();
            checker_of(name).check(&json).unwrap_or_else(|problem| panic!("{path}: {problem}"));
            *checked.entry(name).or_default() += 1;
        }
    }
    assert!(
        ["diff", "eval", "render", "upgrade"].iter().all(|name| checked[name] > 5),
        "{checked:?}"
    );
}

/// Every schema that describes keys of a map refuses all others.
#[test]
fn no_schema_takes_more_than_it_describes() {
    fn check(schema: &Value, open: bool, at: &str) {
        let Value::Object(keywords) = schema else { return };
        let describes = keywords.contains_key("properties") && !at.ends_with("/properties");
        let refuses = ["additionalProperties", "unevaluatedProperties"]
            .iter()
            .any(|keyword| keywords.contains_key(*keyword));
        assert!(!describes || open || refuses, "{at}");
        for (keyword, operand) in keywords {
            let is_part = matches!(keyword.as_str(), "oneOf" | "anyOf" | "allOf");
            for (number, part) in operand.as_array().into_iter().flatten().enumerate() {
                check(part, is_part && (open || describes), &format!("{at}/{keyword}/{number}"));
            }
            check(operand, false, &format!("{at}/{keyword}"));
        }
    }
    for published in PUBLISHED {
        check(&published.schema().to_value(), false, published.name);
    }
}
