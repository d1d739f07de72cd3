//! `hotplate render`: where results are written, how losses are reported, and which errors occur.

use std::fs;

use predicates::prelude::*;
use predicates::str::{contains, ends_with, is_empty, starts_with};

use crate::cli::sandbox::Sandbox;

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

/// A resource type that only Heat's own target supports.
const WAITING: &str = "\
heat_template_version: 2018-08-31
resources:
  handle: {type: OS::Heat::WaitConditionHandle}
";

/// Mistakes in resources that evaluation does not find: an unknown property, a value, a missing property, a type without
/// snapshots.
const REFUSED: &str = "\
heat_template_version: 2018-08-31
resources:
  net: {type: OS::Neutron::Net, properties: {colour: red}, deletion_policy: Snapshot}
  volume: {type: OS::Cinder::Volume, properties: {size: big}}
  server: {type: OS::Nova::Server, properties: {image: cirros}}
";

const TERRAFORM: &str = "render a.yaml --target terraform";

fn text(sandbox: &Sandbox, name: &str) -> String {
    fs::read_to_string(sandbox.at(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn several_files_go_into_a_folder() {
    let sandbox = Sandbox::new(&[("a.yaml", SITE)]);
    let run = |more: &str| sandbox.hotplate(&format!("{TERRAFORM} -o out/tf{more}")).assert();
    let told = contains("nothing uses the parameter `token`")
        .and(ends_with("wrote 4 files to out/tf: 2 of 2 resources, 0 losses, 1 note\n"));
    run(" -P cidr=198.51.100.0/24 --strict").code(0).stdout(is_empty()).stderr(told);
    assert!(text(&sandbox, "out/tf/main.tf").contains("openstack_networking_subnet_v2"));
    let values = text(&sandbox, "out/tf/terraform.tfvars");
    assert!(values.contains("198.51.100.0/24"), "{values}");
    let before = text(&sandbox, "out/tf/main.tf");
    run("").code(2).stdout(is_empty()).stderr(contains("HP0910").and(contains("--force")));
    assert_eq!(text(&sandbox, "out/tf/main.tf"), before);
    sandbox.write("out/tf/mine.tf", "# mine\n");
    run(" --force").code(0).stderr(contains("wrote 3 files to out/tf"));
    run(" --force --quiet").code(0).stderr(is_empty());
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
    for option in [" --bake", " --bake=cidr"] {
        let text = run(option);
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
    assert_eq!(loss["place"]["start"]["line"], 3);
    assert_eq!(report["coverage"]["resources"], serde_json::json!({"expressed": 0, "of": 1}));
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
        ("-t terraform --to pike", "does not support versions"),
        ("-t cfn --names", "does not depend on whether a parameter holds a name or an ID"),
        ("-t terraform --syntax json", "does not support this syntax"),
        ("-t cfn --adopt list.json", "cannot adopt"),
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
    for target in ["hot", "heat-cfn", "cfn", "terraform", "pulumi", "ansible", "shell"] {
        let line = format!("render a.yaml -t {target} -o out-{target} --format json");
        let run = sandbox.hotplate(&line).assert().code(0);
        run.stdout(contains("s3cr3t").not()).stderr(contains("s3cr3t").not());
    }
    for target in ["dot", "mermaid", "markdown"] {
        let run = sandbox.hotplate(&format!("render a.yaml -t {target}")).assert().code(0);
        run.stdout(contains("s3cr3t").not());
    }
}

/// A template with unused parts, and the names that no result may contain.
const DEAD: &str = "\
heat_template_version: 2018-08-31
parameters:
  name: {type: string, default: n}
parameter_groups: [{label: g, parameters: [name, nowhere_group]}]
resources:
  net: {type: OS::Neutron::Net, properties: {name: {get_param: nowhere_parameter}, tags: [kept]}}
  port: {type: OS::Neutron::Port, properties: {network: {get_resource: net}, name: {get_attr: [net, nowhere_attribute]}}}
  other: {type: OS::Neutron::Port, properties: {network: {get_resource: nowhere_resource}}}
outputs:
  attribute: {value: {get_attr: [nowhere_resource, x]}}
  parameter: {value: {list_join: ['', [a, {get_param: nowhere_parameter}]]}}
  alive: {value: {get_resource: net}}
";

#[test]
fn what_leads_nowhere_is_a_loss_and_the_rest_is_rendered() {
    let sandbox = Sandbox::new(&[("a.yaml", DEAD)]);
    for target in
        ["terraform", "terraform-json", "pulumi", "ansible", "shell", "cfn", "markdown", "dot"]
    {
        let line = format!("render a.yaml -t {target}");
        let report = sandbox.json(&format!("{line} --format json"), 1);
        assert!(!report["files"].as_array().expect("files").is_empty(), "{target}: {report}");
        let losses = report["losses"].to_string();
        if !["markdown", "dot"].contains(&target) {
            assert!(losses.contains("nowhere_parameter"), "{target}: {losses}");
            assert!(losses.contains("nowhere_resource"), "{target}: {losses}");
        }
        for name in ["var.nowhere", "${nowhere", "{{ nowhere", "Ref: Nowhere", "Ref: nowhere"] {
            let texts = report["files"].to_string();
            assert!(!texts.contains(name), "{target}: {name}: {texts}");
        }
        sandbox
            .hotplate(&line)
            .assert()
            .code(1)
            .stderr(contains("HP0701"))
            .stdout(contains("kept").or(contains("net")));
    }
}

#[test]
fn several_losses_of_a_kind_are_one_finding_unless_more_is_wanted() {
    let template = WAITING.replace("handle:", "one: {type: OS::Heat::WaitConditionHandle}\n  two:");
    let sandbox = Sandbox::new(&[("a.yaml", template)]);
    let run = |more: &str| {
        let line = format!("{TERRAFORM} -o out --force{more}");
        let output = sandbox.hotplate(&line).assert().code(0).get_output().stderr.clone();
        String::from_utf8(output).expect("text")
    };
    let grouped = run("");
    assert_eq!(grouped.matches("HP0901]").count(), 1, "{grouped}");
    assert!(grouped.contains("2 losses of kind resource type (`one`"), "{grouped}");
    assert!(grouped.contains("wrote 1 file to out: 0 of 2 resources, 2 losses"), "{grouped}");
    assert_eq!(run(" --verbose").matches("HP0901]").count(), 2);
}

#[test]
fn a_value_that_is_dropped_from_a_template_fails() {
    let template = "\
heat_template_version: 2018-08-31
parameters: {p: {type: json}}
resources:
  server: {type: OS::Nova::Server, properties: {image: {yaql: {expression: $.data.a, data: {get_param: p}}}}}
";
    let sandbox = Sandbox::new(&[("a.yaml", template)]);
    let line = "render a.yaml -t hot --to 2013-05-23";
    sandbox
        .hotplate(line)
        .assert()
        .code(1)
        .stdout(contains("image: null"))
        .stderr(contains("HP0903"));
    assert_eq!(sandbox.json(&format!("{line} --format json"), 1)["losses"][0]["drops_value"], true);
}

#[test]
fn hot_has_no_path_into_a_text_where_fn_select_parses_it() {
    let template = "\
HeatTemplateFormatVersion: 2012-12-12
Parameters: {names: {Type: String}}
Resources:
  server:
    Type: OS::Nova::Server
    Properties: {image: {'Fn::Select': [0, {Ref: names}]}, flavor: f}
";
    let sandbox = Sandbox::new(&[("a.template", template)]);
    let run = sandbox.hotplate("render a.template -t hot").assert().code(1);
    run.stdout(contains("get_param: [names, 0]").not())
        .stderr(contains("parses this parameter as JSON"));
}

#[test]
fn what_heat_refuses_is_left_out_and_the_rest_is_rendered() {
    let template = "\
heat_template_version: 2018-08-31
parameters:
  size: {type: number, default: many}
  speed: {type: number, default: 3, constraints: [{range: {max: 2}}]}
  given: {type: number}
resources:
  good: {type: OS::Cinder::Volume, depends_on: ghost, properties: {size: {get_param: size}}}
  group:
    type: OS::Heat::ResourceGroup
    properties: {count: DESIRED, resource_def: {type: OS::Cinder::Volume, properties: {size: 1}}}
  nested: {type: child.yaml, properties: {data: 1}}
outputs:
  speed: {value: {get_param: speed}}
  given: {value: {get_param: given}}
  dead: {value: {get_attr: [ghost, id]}}
  unknown: {value: {get_attr: [good, nothing]}}
";
    let child = "\
heat_template_version: 2018-08-31
parameters: {data: {type: json}}
resources: {volume: {type: OS::Cinder::Volume, properties: {size: 1}}}
";
    let sandbox = Sandbox::new(&[("a.yaml", template), ("child.yaml", child)]);
    for target in ["terraform", "ansible", "cfn", "pulumi"] {
        let line = format!("render a.yaml -t {target} -P given=none");
        let report = sandbox.json(&format!("{line} --format json"), 1);
        let losses = report["losses"].as_array().expect("losses");
        let holds = |kind: &str, owner: &str| {
            losses.iter().any(|loss| loss["kind"] == kind && loss["owner"] == owner)
        };
        for name in ["size", "speed", "given"] {
            assert!(holds("value", name), "{target}: {name}: {losses:?}");
        }
        for name in ["group", "nested"] {
            assert!(holds("resource_type", name), "{target}: {name}: {losses:?}");
        }
        let told = String::from_utf8(sandbox.hotplate(&line).output().expect("runs").stdout);
        let told = told.expect("text");
        assert!(told.contains("good"), "{target}: {told}");
        let written = told.lines().map(|line| line.split('#').next().unwrap_or_default());
        assert!(!written.clone().any(|line| line.contains("DESIRED")), "{target}: {told}");
        assert!(!written.clone().any(|line| line.contains("many")), "{target}: {told}");
        assert!(!written.clone().any(|line| line.contains("ghost")), "{target}: {told}");
    }
    sandbox.write("b.yaml", "heat_template_version: 2018-08-31\nresource: {}\n");
    let stopped = sandbox.hotplate("render b.yaml -t terraform -o out").assert().code(1);
    stopped.stderr(contains("error[HP0206]").and(contains("wrote nothing to out")));
}

#[test]
fn an_unknown_key_of_a_literal_map_is_looked_up_in_hot() {
    let template = "\
HeatTemplateFormatVersion: 2012-12-12
Parameters: {size: {Type: String}}
Resources:
  server:
    Type: OS::Nova::Server
    Properties: {image: {'Fn::Select': [{Ref: size}, {small: one, large: two}]}, flavor: f}
";
    let sandbox = Sandbox::new(&[("a.template", template)]);
    let run = sandbox.hotplate("render a.template -t hot").assert().code(0).stderr(is_empty());
    run.stdout(contains("$.data.map.get($.data.key, \"\")").and(contains("image: null").not()));
}

/// A hidden parameter of every type, in the template and in a nested one.
const HIDDEN: &str = "\
heat_template_version: 2018-08-31
parameters:
  word: {type: string, hidden: true}
  count: {type: number, hidden: true, default: 1}
  list: {type: comma_delimited_list, hidden: true, default: a}
  data: {type: json, hidden: true, default: {}}
  open: {type: string}
resources:
  server:
    type: OS::Nova::Server
    properties:
      image: i
      flavor: f
      admin_pass: {get_param: word}
      user_data: {get_param: word}
      user_data_format: RAW
      name: {get_param: open}
      metadata: {count: {get_param: count}, list: {list_join: ['-', {get_param: list}]}, data: {get_param: [data, a]}}
  below: {type: below.yaml}
";
const BELOW: &str = "\
heat_template_version: 2018-08-31
parameters: {inner: {type: string, hidden: true}, plain: {type: string}}
resources:
  key: {type: OS::Nova::KeyPair, properties: {name: {get_param: plain}, public_key: {get_param: inner}}}
";
const SECRETS: &str = "\
parameters: {word: s3cr3t-word, count: 48151623, list: 's3cr3t-item,b', data: {a: s3cr3t-data}, open: 0pen-value}
parameter_defaults: {inner: s3cr3t-inner, plain: pla1n-value}
";
/// Parts of those values.
const BYTES: [&str; 2] = ["s3cr3t", "48151623"];

/// Every file below a folder: name, text and mode.
fn files_below(folder: &std::path::Path) -> Vec<(String, String, u32)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(files_below(&path));
            continue;
        }
        #[cfg(unix)]
        let mode = {
            use std::os::unix::fs::PermissionsExt;
            fs::metadata(&path).expect("metadata").permissions().mode() & 0o777
        };
        #[cfg(not(unix))]
        let mode = 0o600;
        found.push((path.display().to_string(), fs::read_to_string(&path).expect("text"), mode));
    }
    found
}

#[test]
fn values_of_hidden_parameters_are_in_no_file_unless_they_are_wanted() {
    let files = [("a.yaml", HIDDEN), ("below.yaml", BELOW), ("env.yaml", SECRETS)];
    let sandbox = Sandbox::new(&files);
    let targets = [
        "terraform",
        "terraform-json",
        "pulumi",
        "ansible",
        "cfn",
        "heat-cfn",
        "hot",
        "markdown",
        "mermaid",
        "dot",
    ];
    for target in targets {
        for bake in ["", " --bake"] {
            let out = format!("out-{target}{}", bake.trim());
            fs::create_dir(sandbox.at(&out)).expect("a folder");
            let environment = if target == "hot" { "" } else { " -e env.yaml" };
            let line = format!("render a.yaml -t {target}{environment}{bake} -o {out}/x");
            let run = sandbox.hotplate(&line).assert().code(0);
            let told = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
            let closed = |text: &str| BYTES.iter().all(|bytes| !text.contains(bytes));
            assert!(closed(&told), "{line}: {told}");
            for (name, text, _) in files_below(&sandbox.at(&out)) {
                assert!(closed(&text), "{line}: {name}: {text}");
            }
        }
    }
    // How to supply them, and what is written with `--show-secrets`.
    let ways = [
        ("terraform", "TF_VAR_word", "s3cr3t-word"),
        ("terraform-json", "TF_VAR_word", "s3cr3t-word"),
        ("pulumi", "pulumi config set --secret word", "s3cr3t-word"),
        ("ansible", "ansible-vault", "s3cr3t-word"),
        ("cfn", "ParameterKey=", "s3cr3t-word"),
    ];
    for (target, way, value) in ways {
        let line =
            |more: &str| format!("render a.yaml -t {target} -e env.yaml -o s-{target}/x{more}");
        let run = sandbox.hotplate(&line(" --verbose")).assert().code(0);
        run.stderr(contains(way).and(contains("--show-secrets")).and(contains("HP0907")));
        sandbox.hotplate(&line(" --force --show-secrets")).assert().code(0);
        let written = files_below(&sandbox.at(format!("s-{target}")));
        assert!(written.iter().any(|(_, text, _)| text.contains(value)), "{target}");
        for (name, text, mode) in written {
            let is_open = mode & 0o077 != 0;
            assert!(
                !(is_open && BYTES.iter().any(|bytes| text.contains(bytes))),
                "{name}: {mode:o}"
            );
        }
    }
}

#[test]
fn a_hidden_parameter_is_baked_only_with_show_secrets() {
    let files = [("a.yaml", HIDDEN), ("below.yaml", BELOW), ("env.yaml", SECRETS)];
    let sandbox = Sandbox::new(&files);
    let line = "render a.yaml -t terraform -e env.yaml --bake=word";
    sandbox.hotplate(line).assert().code(2).stdout(is_empty()).stderr(contains("--show-secrets"));
    let run = sandbox.hotplate(&format!("{line} --show-secrets")).assert().code(0);
    run.stdout(contains("s3cr3t-word"));
}

#[test]
fn what_heat_refuses_in_resources_is_reported_and_the_result_is_written() {
    let sandbox = Sandbox::new(&[("a.yaml", REFUSED)]);
    for target in ["terraform", "ansible", "pulumi", "cfn", "mermaid"] {
        let report = sandbox.json(&format!("render a.yaml -t {target} --format json"), 1);
        let findings = report["findings"].as_array().expect("findings");
        let mut codes: Vec<&str> = findings.iter().filter_map(|it| it["code"].as_str()).collect();
        codes.sort_unstable();
        assert_eq!(codes, ["HP1001", "HP1002", "HP1003", "HP1008"], "{target}");
        assert!(!report["files"].as_array().expect("files").is_empty(), "{target}");
    }
    let written = sandbox.hotplate(&format!("{TERRAFORM} -o out")).assert().code(1);
    // The loss of a property that does not exist is the same mistake.
    let repeated = contains("HP0902").or(contains("HP0904"));
    written.stderr(contains("`OS::Neutron::Net` has no property `colour`").and(repeated.not()));
    assert!(text(&sandbox, "out/main.tf").contains("openstack_networking_network_v2"));
    // A change of syntax evaluates nothing: the types of resources are those of a deployment.
    for target in ["json", "yaml", "hot"] {
        sandbox.hotplate(&format!("render a.yaml -t {target}")).assert().code(0).stderr(is_empty());
    }
}

#[test]
fn a_change_of_syntax_reports_what_no_environment_changes() {
    let hot = "\
heat_template_version: 2018-08-31
parameters:
  size: {type: number, default: 3, constraints: [{range: {max: 2}}]}
  word: {type: string, hidden: true, default: s3cr3t-word, constraints: [{length: {max: 2}}]}
resources:
  one: {type: OS::Heat::None, depends_on: nowhere, properties: {a: {get_param: nothing}}}
";
    let cfn = "\
AWSTemplateFormatVersion: '2010-09-09'
Resources:
  one: {Type: 'OS::Heat::None', Properties: {a: {Ref: 'AWS::StackName'}, b: {Ref: nothing}}}
";
    let sandbox = Sandbox::new(&[("hot.yaml", hot), ("cfn.yaml", cfn)]);
    for target in ["hot", "json", "yaml"] {
        let run = sandbox.hotplate(&format!("render hot.yaml -t {target}")).assert().code(1);
        run.stdout(contains("nowhere"))
            .stderr(contains("HP0605").and(contains("HP0701")).and(contains("HP0708")))
            .stderr(contains("s3cr3t-word").not());
        let report = sandbox.json(&format!("render cfn.yaml -t {target} --format json"), 1);
        let errors = report["findings"].as_array().expect("findings").iter();
        let errors: Vec<_> = errors.filter(|it| it["severity"] == "error").collect();
        assert_eq!(errors.len(), 1, "{target}: {errors:?}");
        assert!(errors[0]["message"].as_str().expect("text").contains("nothing"), "{target}");
    }
}

#[test]
fn values_that_are_unknown_or_invented_are_not_refused() {
    let volume = "\
heat_template_version: 2018-08-31
parameters: {size: {type: string}}
resources:
  volume: {type: OS::Cinder::Volume, properties: {size: {get_param: size}}}
";
    let sandbox = Sandbox::new(&[("a.yaml", volume)]);
    for given in ["", " -P size=3", " --fill"] {
        sandbox.hotplate(&format!("{TERRAFORM}{given}")).assert().code(0);
    }
    let refused = sandbox.hotplate(&format!("{TERRAFORM} -P size=big")).assert().code(1);
    refused.stderr(contains("HP1003"));
}

/// Texts that a shell would take apart, change or run without quotes.
const SHELL_TRAPS: &str = r##"
heat_template_version: 2018-08-31
parameters:
  word: {type: string, default: "it's \"$HOME\" `id` \\ *"}
conditions: {large: {equals: [{get_param: word}, small]}}
resources:
  port: {type: OS::Neutron::Port, properties: {network: {get_resource: net}}}
  subnet: {type: OS::Neutron::Subnet, properties: {network: {get_resource: net}, cidr: 192.0.2.0/24}}
  net: {type: OS::Neutron::Net, properties: {name: "a $(touch broken) 'b'"}}
  disk: {type: OS::Cinder::Volume, condition: large, properties: {size: 1}}
  server:
    type: OS::Nova::Server
    properties:
      image: i
      flavor: {get_param: word}
      networks: [{port: {get_resource: port}}]
      metadata: {"k 1": {list_join: [" $", [x, {get_param: word}]]}}
      user_data_format: RAW
      user_data: {str_replace: {template: "#!/bin/sh\n\necho AB A\n", params: {A: {get_param: word}, AB: "A"}}}
"##;

#[cfg(unix)]
#[test]
fn the_script_of_the_shell_passes_every_text_on_as_it_is() {
    use std::os::unix::fs::PermissionsExt as _;
    let sandbox = Sandbox::new(&[("a.yaml", SHELL_TRAPS.to_owned())]);
    sandbox.hotplate("render a.yaml -t shell -o script.sh").assert().code(0);
    // Stands in for the client: writes its arguments and files, and answers with an ID.
    let client = "#!/bin/bash\nfor it; do if [[ -p $it ]]; then printf '<%s>' \"$(< \"$it\")\"; else printf '<%s>' \"$it\"; fi; done >> calls\nprintf '\\n' >> calls\nprintf 'id-%s\\n' \"$1\"\n";
    sandbox.write("bin/openstack", client);
    let bin = sandbox.at("bin");
    fs::set_permissions(bin.join("openstack"), fs::Permissions::from_mode(0o755))
        .expect("permissions");
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap_or_default());
    let run = std::process::Command::new("bash")
        .arg("script.sh")
        .current_dir(sandbox.at("."))
        .env("PATH", path)
        .env("stack_name", "s t")
        .output()
        .expect("bash");
    assert!(run.status.success(), "{run:?}");
    let calls = fs::read_to_string(sandbox.at("calls")).expect("the calls");
    let word = r#"it's "$HOME" `id` \ *"#;
    for part in [
        "<network><create><-f><value><-c><id><a $(touch broken) 'b'>".to_owned(),
        "<port><create><-f><value><-c><id><--network><id-network><s t-port>".to_owned(),
        format!("<--flavor><{word}>"),
        "<--nic><port-id=id-port>".to_owned(),
        format!("<--property><k 1=x ${word}>"),
        format!("<#!/bin/sh\n\necho A {word}>"),
    ] {
        assert!(calls.contains(&part), "{part}\n{calls}");
    }
    assert!(calls.find("<subnet>") < calls.find("<port>"), "{calls}");
    assert!(!calls.contains("<volume>") && !sandbox.at("broken").exists(), "{calls}");
}

#[test]
fn a_script_of_many_unread_files_keeps_the_rest_of_its_text() {
    let files: String =
        (0..20).map(|number| format!("          - get_file: part-{number}.sh\n")).collect();
    let template = format!(
        "heat_template_version: 2018-08-31\nresources:\n  script:\n    type: OS::Heat::SoftwareConfig\n    properties:\n      config:\n        list_join:\n        - \"\\n\"\n        - - set -eux\n{files}  server: {{type: OS::Nova::Server, properties: {{image: i, flavor: f, user_data_format: RAW, user_data: {{get_resource: script}}}}}}\n"
    );
    let sandbox = Sandbox::new(&[("a.yaml", template)]);
    let run = sandbox.hotplate(TERRAFORM).assert().code(1);
    let told = contains("set -eux").and(contains("variable \"script_get_file_20\""));
    run.stdout(told.and(contains("= any").not())).stderr(contains("<unknown>").not());
}
