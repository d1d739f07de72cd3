//! `hotplate check`: every mistake in one run, each once and at its place.

use predicates::str::{contains, is_empty};
use serde_json::Value;

use crate::cli::sandbox::Sandbox;

pub(super) const HOT: &str = "heat_template_version: 2018-08-31\n";

/// The findings of a check with these arguments: code, line, message.
pub(super) fn findings(sandbox: &Sandbox, arguments: &str) -> Vec<(String, u64, String)> {
    let output = sandbox.hotplate(&format!("check --format json {arguments}")).output();
    let output = output.expect("hotplate");
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let finding = |finding: &Value| {
        let text = |key: &str| finding[key].as_str().unwrap_or_default().to_owned();
        let line = finding["place"]["start"]["line"].as_u64().unwrap_or_default();
        (text("code"), line, text("message"))
    };
    report["findings"].as_array().expect("findings").iter().map(finding).collect()
}

/// The codes and lines of the findings about a template.
fn found(template: &str) -> Vec<(String, u64)> {
    let sandbox = Sandbox::new(&[("t.yaml", format!("{HOT}{template}"))]);
    findings(&sandbox, "t.yaml").into_iter().map(|(code, line, _)| (code, line)).collect()
}

pub(super) fn is(template: &str, expected: &[(&str, u64)]) {
    let expected: Vec<(String, u64)> =
        expected.iter().map(|(code, line)| ((*code).to_owned(), *line)).collect();
    assert_eq!(found(template), expected, "{template}");
}

const SEVENTEEN: &str = "\
parameters:
  net: {type: string}
  size: {type: number, default: x}
conditions:
  big: {equals: [{get_param: nett}, a]}
resources:
  server:
    type: OS::Nova::Server
    condition: big
    deletion_policy: Snapshott
    properties:
      flavour: m1
      image: i
      networks:
        - network: {get_param: net}
          fixd_ip: 10.0.0.1
        - subnet: {get_resource: nope}
      metadata: abc
      config_drive: maybe
  port:
    type: OS::Neutron::Port
    deletion_policy: Snapshot
    depends_on: [missing, port]
    properties:
      network: {get_param: net}
      admin_state_up: [{get_param: size}]
      fixed_ips:
        - ip_address: 10.0.0.300
  bad:
    type: OS::Nova::Serverr
  group:
    type: OS::Heat::ResourceGroup
    properties:
      count: 2
      resource_def:
        type: OS::Neutron::Nett
outputs:
  o: {value: {get_attr: [server, nope]}}
  q: {}
";

#[test]
fn seventeen_mistakes_are_seventeen_findings() {
    let lines = [4, 6, 11, 13, 17, 18, 19, 20, 23, 24, 24, 27, 29, 31, 37, 39, 40];
    let found = found(SEVENTEEN);
    let places: Vec<u64> = found.iter().map(|(_, line)| *line).collect();
    assert_eq!(places, lines, "{found:?}");
}

#[test]
fn properties_are_compared_with_the_schema_at_every_level() {
    let port = |properties: &str| {
        format!("resources:\n  p:\n    type: OS::Neutron::Port\n    properties:\n{properties}")
    };
    is(&port("      network: n\n      mac_address: 00:11:22:33:44:55\n"), &[]);
    is(&port("      netwrk: n\n"), &[("HP1001", 6)]);
    is(&port("      name: n\n"), &[("HP1002", 4)]);
    is(&port("      network: [n]\n"), &[("HP1003", 6)]);
    is(&port("      network: n\n      mac_address: zz\n"), &[("HP1004", 7)]);
    is(&port("      network: n\n      network_id: m\n"), &[("HP1005", 7), ("HP1103", 7)]);
    is(&port("      network: n\n      fixed_ips: [{ip_adress: 10.0.0.1}]\n"), &[("HP1001", 7)]);
    is(
        "resources:\n  a: {type: AWS::EC2::Instance, properties: {ImageId: i, InstanceType: t, KernelId: k}}\n",
        &[("HP1006", 3)],
    );
}

#[test]
fn an_unknown_value_is_an_error_only_if_no_value_fits() {
    let port = |kind: &str| {
        format!(
            "parameters:\n  p: {{type: {kind}}}\nresources:\n  a:\n    type: OS::Neutron::Port\n    properties:\n      network: {{get_param: p}}\n"
        )
    };
    is(&port("string"), &[]);
    is(&port("number"), &[]);
    is(&port("json"), &[]);
    is(&port("comma_delimited_list"), &[("HP1003", 8)]);
    let branch = "parameters:\n  p: {type: boolean}\nresources:\n  a:\n    type: OS::Neutron::Port\n    properties:\n      network: {if: [{get_param: p}, n, [m]]}\n";
    is(branch, &[("HP1003", 8)]);
}

#[test]
fn a_value_that_a_parameter_may_have_is_a_warning_and_all_of_them_are_an_error() {
    let network = |parameter: &str| {
        format!(
            "parameters:\n  p: {parameter}\nresources:\n  a:\n    type: OS::Neutron::ProviderNet\n    properties:\n      network_type: {{get_param: p}}\n      physical_network: x\n"
        )
    };
    let listed =
        |values: &str| format!("{{type: string, constraints: [{{allowed_values: [{values}]}}]}}");
    is(&network(&listed("flat, vlan")), &[]);
    // One is no type of network, with the other one there is no physical network.
    is(&network(&listed("flat, ring, gre")), &[("HP1016", 8), ("HP1016", 9)]);
    is(&network(&listed("ring, token")), &[("HP1004", 8)]);
    let with_default =
        "{type: string, default: flat, constraints: [{allowed_values: [flat, ring]}]}";
    is(&network(with_default), &[("HP1016", 8)]);
    let sandbox = Sandbox::new(&[("t.yaml", format!("{HOT}{}", network(with_default)))]);
    assert_eq!(findings(&sandbox, "t.yaml -P p=flat"), []);
    // A hidden value is not tried, since the finding would show it.
    let hidden = with_default.replace("default", "hidden: true, default");
    is(&network(&hidden), &[]);
    let flag = "parameters:\n  p: {type: boolean}\noutputs: {o: {value: {get_param: p}}}\nresources:\n  a:\n    type: OS::Neutron::Net\n    properties:\n      name: {str_split: [',', 'a,b', {if: [{get_param: p}, 5, 1]}]}\n";
    is(flag, &[("HP1016", 9)]);
}

#[test]
fn an_item_of_a_loop_is_not_the_list_of_its_items() {
    is(
        "parameters:\n  p: {type: string}\nresources:\n  a:\n    type: OS::Nova::Server\n    properties:\n      image: i\n      flavor: f\n      networks: {repeat: {for_each: {'%n%': [a, b]}, template: {network: {get_param: p}}}}\n",
        &[],
    );
}

#[test]
fn what_is_misspelled_does_not_hide_its_content() {
    is(
        "resources:\n  a: {type: OS::Nova::Servr, properties: {image: i, flavor: f, netwroks: []}}\n",
        &[("HP0702", 3), ("HP1001", 3)],
    );
    is(
        "resorces:\n  a: {type: OS::Neutron::Net, properties: {nmae: b}}\n",
        &[("HP0206", 2), ("HP1001", 3)],
    );
    // A type of the cloud's own is none of Heat's.
    is(
        "resources:\n  a: {type: 'My::Nova::Servr', properties: {netwroks: []}}\n",
        &[("HP0702", 3)],
    );
}

#[test]
fn plugins_have_rules_of_their_own() {
    let resource = |kind: &str, properties: &str| {
        format!("resources:\n  a:\n    type: {kind}\n    properties: {{{properties}}}\n")
    };
    let group = |sizes: &str| {
        let member = "resource: {type: OS::Heat::None}";
        resource("OS::Heat::AutoScalingGroup", &format!("{member}, {sizes}"))
    };
    is(&group("min_size: 1, max_size: 2, desired_capacity: 2"), &[]);
    is(&group("min_size: 3, max_size: 2"), &[("HP1007", 5)]);
    is(&group("min_size: 1, max_size: 2, desired_capacity: 3"), &[("HP1007", 5)]);
    is(
        &resource("OS::Neutron::Segment", "network: n, network_type: flat, physical_network: p"),
        &[],
    );
    is(&resource("OS::Neutron::Segment", "network: n, network_type: flat"), &[("HP1007", 5)]);
    let pool = "listener: l, protocol: HTTP, lb_algorithm: ROUND_ROBIN, session_persistence";
    let pool = |kind: &str| resource("OS::Octavia::Pool", &format!("{pool}: {{type: {kind}}}"));
    is(&pool("HTTP_COOKIE"), &[]);
    is(&pool("APP_COOKIE"), &[("HP1007", 5)]);
    // What is misspelled is not missing.
    is(&resource("OS::Neutron::Subnet", "network: n, cidrr: 10.0.0.0/8"), &[("HP1001", 5)]);
    let deployment = |format: &str| {
        format!(
            "resources:\n  s: {{type: OS::Nova::Server, properties: {{flavor: f, image: i, user_data_format: {format}}}}}\n  d:\n    type: OS::Heat::SoftwareDeployment\n    properties:\n      config: c\n      server: {{get_resource: s}}\n"
        )
    };
    is(&deployment("SOFTWARE_CONFIG"), &[]);
    is(&deployment("RAW"), &[("HP1007", 8)]);
}

#[test]
fn one_mistake_in_a_body_is_one_finding() {
    is(
        "resources:\n  a:\n  b: x\n  c: {type: ''}\n",
        &[("HP0211", 3), ("HP0211", 4), ("HP0211", 5)],
    );
    is("outputs:\n  a:\n  b: x\n", &[("HP0211", 3), ("HP0211", 4)]);
    let removed =
        "resources:\n  a: {type: OS::Neutron::Net, properties: {name: {'Fn::Join': ['', [a]]}}}\n";
    is(removed, &[("HP0302", 3)]);
    // Heat computes an output only when somebody asks for it, but it refuses an unknown attribute before.
    let output = |value: &str| {
        format!("resources:\n  a: {{type: OS::Neutron::Net}}\noutputs:\n  o: {{value: {value}}}\n")
    };
    let sandbox = |value: &str| Sandbox::new(&[("t.yaml", format!("{HOT}{}", output(value)))]);
    sandbox("{digest: [md5]}")
        .hotplate("check t.yaml")
        .assert()
        .code(0)
        .stdout(contains("warning[HP0301]"));
    sandbox("{get_attr: [b, c]}")
        .hotplate("check t.yaml")
        .assert()
        .code(1)
        .stdout(contains("error[HP0701]"));
}

#[test]
fn members_of_groups_are_checked_where_they_are_defined() {
    let group = |kind: &str, definition: &str| {
        format!("resources:\n  g:\n    type: OS::Heat::{kind}\n    properties:\n{definition}")
    };
    let member = "type: OS::Neutron::Net\n        properties: {nam: x}\n";
    is(
        &group("ResourceGroup", &format!("      count: 3\n      resource_def:\n        {member}")),
        &[("HP1001", 9)],
    );
    is(
        &group(
            "AutoScalingGroup",
            &format!("      max_size: 3\n      min_size: 1\n      resource:\n        {member}"),
        ),
        &[("HP1001", 10)],
    );
    is(
        &group(
            "ResourceChain",
            "      resources: [OS::Neutron::Net, OS::Neutron::Net]\n      resource_properties: {nam: x}\n",
        ),
        &[("HP1001", 7)],
    );
    let unknown = "      resource_def:\n        type: OS::Neutron::Nett\n";
    is(&group("ResourceGroup", unknown), &[("HP0702", 7)]);
}

#[test]
fn names_policies_and_cycles() {
    let none = "{type: OS::Heat::None}";
    is(
        &format!("parameters:\n  a: {{type: string}}\nresources:\n  a: {none}\n  b/c: {none}\n"),
        &[("HP1201", 3), ("HP1009", 5), ("HP1010", 6)],
    );
    is(
        "resources:\n  n: {type: OS::Neutron::Net, deletion_policy: Snapshot}\n  v: {type: OS::Cinder::Volume, deletion_policy: Snapshot, properties: {size: 1}}\n",
        &[("HP1008", 3)],
    );
    let on = |name: &str| format!("{{type: OS::Heat::None, depends_on: {name}}}");
    let two = format!("resources:\n  a: {}\n  b: {}\n  c: {}\n", on("b"), on("a"), on("c"));
    is(&two, &[("HP0707", 3), ("HP0707", 5)]);
}

#[test]
fn what_is_deprecated_and_what_makes_nothing() {
    is("resources:\n  a: {type: OS::Neutron::LBaaS::HealthMonitor}\n", &[("HP1101", 3)]);
    is(
        "resources:\n  a: {type: OS::Nova::Server, properties: {flavor: f, image: i}}\noutputs:\n  o: {value: {get_attr: [a, first_address]}}\n",
        &[("HP1104", 5)],
    );
}

#[test]
fn nested_templates_are_checked_once_and_in_their_context() {
    let sandbox = Sandbox::new(&[
        (
            "root.yaml",
            format!(
                "{HOT}resources:\n  a: {{type: inner.yaml}}\n  b: {{type: inner.yaml, properties: {{p: 1, q: 2}}}}\n"
            ),
        ),
        (
            "inner.yaml",
            format!(
                "{HOT}parameters:\n  p: {{type: string}}\noutputs: {{o: {{value: {{get_param: p}}}}}}\nresources:\n  n: {{type: OS::Neutron::Net, properties: {{nam: x}}}}\n"
            ),
        ),
    ]);
    let found: Vec<(String, u64)> =
        findings(&sandbox, ".").into_iter().map(|(code, line, _)| (code, line)).collect();
    let expected = [("HP0704", 3), ("HP0704", 4), ("HP1001", 6)];
    assert_eq!(found, expected.map(|(code, line)| (code.to_owned(), line)));
    sandbox
        .hotplate("check .")
        .assert()
        .code(1)
        .stdout(contains("1 template (1 more as nested templates)"));
}

#[test]
fn values_of_environments_are_judged() {
    let template = format!(
        "{HOT}parameters:\n  size: {{type: string}}\n  other: {{type: string}}\nresources:\n  v: {{type: OS::Cinder::Volume, properties: {{size: {{get_param: size}}, name: {{get_param: other}}}}}}\n"
    );
    let sandbox = Sandbox::new(&[
        ("t.yaml", template),
        ("e.yaml", "parameters: {size: x}\n".to_owned()),
        ("good.yaml", "parameters: {size: 5, other: n}\n".to_owned()),
    ]);
    assert!(findings(&sandbox, "t.yaml").is_empty());
    assert!(findings(&sandbox, "t.yaml -e good.yaml").is_empty());
    let found = findings(&sandbox, "t.yaml -e e.yaml");
    let found: Vec<(&str, u64)> = found.iter().map(|it| (it.0.as_str(), it.1)).collect();
    assert_eq!(found, [("HP0602", 4), ("HP1003", 6)]);
}

#[test]
fn the_exit_status_and_the_streams() {
    let sandbox = Sandbox::new(&[
        ("good.yaml", format!("{HOT}outputs: {{o: {{value: 1}}}}\n")),
        ("unused.yaml", format!("{HOT}parameters: {{p: {{type: string}}}}\noutputs: {{}}\n")),
        ("bad.yaml", format!("{HOT}resources: {{r: {{type: OS::Nothing}}}}\n")),
    ]);
    let check = |arguments: &str| sandbox.hotplate(&format!("check {arguments}")).assert();
    check("good.yaml").code(0).stderr(is_empty()).stdout("1 template: no findings\n");
    check("unused.yaml").code(0).stderr(is_empty()).stdout(contains("warning[HP1201]"));
    check("--fail-on warning unused.yaml").code(1);
    check("--ignore suspicious --fail-on note unused.yaml")
        .code(0)
        .stdout(contains("1 not selected"));
    check("bad.yaml").code(1).stdout(contains("error[HP0702]"));
    check("missing.yaml").code(2).stdout(contains("error[HP0001]"));
    check("--select nonsense good.yaml").code(2).stderr(contains("is not a code or a group"));
    for format in ["github", "gitlab", "zuul", "sarif", "junit"] {
        check(&format!("--format {format} bad.yaml")).code(1).stdout(contains("HP0702"));
    }
}

#[test]
fn every_format_says_what_was_not_looked_at() {
    let sandbox = Sandbox::new(&[
        (
            "t/a.yaml",
            format!(
                "{HOT}parameters:\n  p: {{type: string, constraints: [{{custom_constraint: nova.flavor}}]}}\n  q: {{type: string}}\noutputs: {{}}\n"
            ),
        ),
        ("t/env.yaml", "parameters: {x: 1}\n".to_owned()),
        ("t/other.yaml", "a: 1\n".to_owned()),
        ("t/j.yaml", format!("{HOT}{{% if a %}}\nresources: {{}}\n{{% endif %}}\n")),
    ]);
    let told = [
        "2 parameters without a value: their uses are checked for any value (`-e` and `-P` give values)",
        "not checked: 1 environment that no template is deployed with, 1 Jinja2 template (render first), 1 other file",
    ];
    let run = |format: &str| {
        let assert = sandbox
            .hotplate(&format!("check t --ignore HP1201 --format {format}"))
            .assert()
            .code(0);
        let output = assert.get_output();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (text(&output.stdout), text(&output.stderr))
    };
    let has_all = |text: &str| told.iter().all(|sentence| text.contains(sentence));
    let (text, _) = run("text");
    assert!(
        has_all(&text) && text.starts_with("1 template: no findings; 2 not selected\n"),
        "{text}"
    );
    let (github, _) = run("github");
    assert!(
        github.starts_with(
            "::notice title=hotplate check::1 template: no findings; 2 not selected%0A"
        ),
        "{github}"
    );
    assert!(has_all(&github), "{github}");
    let (sarif, _) = run("sarif");
    let sarif: serde_json::Value = serde_json::from_str(&sarif).expect("JSON");
    let notes = sarif["runs"][0]["invocations"][0]["toolExecutionNotifications"].as_array();
    let notes: Vec<&str> =
        notes.into_iter().flatten().filter_map(|it| it["message"]["text"].as_str()).collect();
    assert_eq!(notes, ["findings not shown: 2 not selected", told[0], told[1]]);
    let (junit, _) = run("junit");
    assert!(junit.contains(" tests=\"4\" failures=\"0\" errors=\"0\" skipped=\"3\">"), "{junit}");
    assert_eq!(junit.matches("<skipped message=").count(), 3, "{junit}");
    assert!(junit.contains("<testcase name=\"1 template: no findings"), "{junit}");
    let (gitlab, beside) = run("gitlab");
    assert_eq!(gitlab.trim(), "[]");
    assert!(has_all(&beside), "{beside}");
    let (zuul, beside) = run("zuul");
    let zuul: serde_json::Value = serde_json::from_str(&zuul).expect("JSON");
    let nothing = serde_json::json!({"zuul": {"file_comments": {}, "warnings": []}});
    assert_eq!(zuul, nothing);
    assert!(has_all(&beside), "{beside}");
    let (json, _) = run("json");
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json["summary"]["not_checked"]["jinja"], 1);
    assert_eq!(json["summary"]["unknown_parameters"], 2);
}

#[test]
fn a_path_that_cannot_be_read_is_no_template() {
    let sandbox = Sandbox::new(&[("t.yaml", HOT.to_owned()), ("empty/other.txt", String::new())]);
    for (paths, summary) in
        [("missing.yaml", "0 templates: 1 error"), ("t.yaml empty", "1 template: 1 error")]
    {
        sandbox.hotplate(&format!("check {paths}")).assert().code(2).stdout(contains(summary));
    }
}

#[test]
fn a_template_that_nests_itself_is_one_finding() {
    let nests = |name: &str| format!("{HOT}resources:\n  r: {{type: {name}}}\n");
    let sandbox = Sandbox::new(&[
        ("self.yaml", nests("self.yaml")),
        ("a.yaml", nests("b.yaml")),
        ("b.yaml", nests("a.yaml")),
    ]);
    for path in ["self.yaml", "a.yaml"] {
        let found = findings(&sandbox, path);
        let codes: Vec<&str> = found.iter().map(|it| it.0.as_str()).collect();
        assert_eq!(codes, ["HP0515"], "{path}");
    }
}

#[test]
fn json_that_heats_client_refuses_and_limits() {
    let types = |count: usize| -> String {
        (0..count).map(|at| format!("  r{at}: {{type: OS::Heat::None}}\n")).collect()
    };
    let json = r#"{"heat_template_version": "2018-08-31", "resources": {"a": {"type": "OS::Heat::None"},}}"#;
    let sandbox = Sandbox::new(&[
        ("t.json", json.to_owned()),
        ("many.yaml", format!("{HOT}resources:\n{}", types(5))),
    ]);
    let found = findings(&sandbox, "t.json");
    assert_eq!((found[0].0.as_str(), found[0].1), ("HP0110", 1));
    sandbox.hotplate("check t.json").assert().code(1).stdout(contains("error[HP0110]"));
    sandbox.hotplate("check many.yaml").assert().code(0);
    let limited = sandbox.hotplate("check --max-resources 4 many.yaml").assert();
    limited.code(1).stdout(contains("error[HP0709]"));
}

#[test]
fn comments_suppress_findings_and_say_why() {
    let template = "parameters:
  a: {type: string} # hotplate: ignore HP1201 for the portal
  # hotplate: ignore HP1201 for the portal
  b: {type: string}
  # hotplate: ignore HP1201
  c: {type: string}
  d: {type: string}
  # hotplate: ignore HP1001 nothing is here
outputs: {}
";
    is(template, &[("HP0802", 6), ("HP1201", 7), ("HP1201", 8), ("HP0801", 9)]);
    let sandbox = Sandbox::new(&[("t.yaml", format!("{HOT}{template}"))]);
    sandbox.hotplate("check t.yaml").assert().code(0).stdout(contains("; 2 suppressed"));
}

#[test]
fn a_baseline_hides_what_was_there_before() {
    let template = |more: &str| format!("{HOT}{more}resources: {{r: {{type: OS::Nothing}}}}\n");
    let sandbox = Sandbox::new(&[("t.yaml", template(""))]);
    let check = |arguments: &str| sandbox.hotplate(&format!("check {arguments}")).assert();
    check("--write-baseline known.json t.yaml").code(0).stderr(contains("1 error"));
    check("--baseline known.json t.yaml")
        .code(0)
        .stdout(contains("no findings; 1 in the baseline"));
    // The finding has moved, and a second one is new.
    sandbox.write("t.yaml", template("parameters: {p: {type: string}}\n"));
    check("--baseline known.json t.yaml").code(0).stdout(contains("1 warning; 1 in the baseline"));
    check("--baseline t.yaml t.yaml").code(2).stderr(contains("not a baseline"));
}

#[test]
fn what_is_open_and_what_shows_secrets() {
    let rule = |rule: &str| {
        format!(
            "resources:\n  g:\n    type: OS::Neutron::SecurityGroup\n    properties:\n      rules:\n      - {rule}\n"
        )
    };
    let ssh = "protocol: tcp, port_range_min: 22, port_range_max: 22";
    is(&rule(&format!("{{{ssh}, remote_ip_prefix: 0.0.0.0/0}}")), &[("HP1301", 7)]);
    is(&rule(&format!("{{{ssh}}}")), &[("HP1301", 7)]);
    is(&rule("{protocol: tcp}"), &[("HP1301", 7)]);
    is(&rule(&format!("{{{ssh}, remote_ip_prefix: 10.0.0.0/8}}")), &[]);
    is(&rule(&format!("{{{ssh}, remote_mode: remote_group_id}}")), &[]);
    is(&rule(&format!("{{{ssh}, direction: egress}}")), &[]);
    is(&rule("{protocol: tcp, port_range_min: 443, port_range_max: 443}"), &[]);
    is(&rule("{protocol: icmp}"), &[]);
    let output = "outputs:\n  o: {value: {get_param: db_password}}\n";
    is(&format!("parameters:\n  db_password: {{type: string}}\n{output}"), &[("HP1302", 3)]);
    is(
        &format!(
            "parameters:\n  db_password: {{type: string, hidden: true, default: x}}\n{output}"
        ),
        &[("HP1303", 5)],
    );
    is(
        "parameters:\n  password_length: {type: string}\noutputs:\n  o: {value: {get_param: password_length}}\n",
        &[],
    );
}

#[test]
fn ids_of_one_cloud_are_reported_if_asked_for() {
    let text = "resources:\n  p: {type: OS::Neutron::Port, properties: {network: 3fa85f64-5717-4562-b3fc-2c963f66afa6}}\n";
    is(text, &[]);
    let sandbox = Sandbox::new(&[("t.yaml", format!("{HOT}{text}"))]);
    let found = findings(&sandbox, "--select pedantic t.yaml");
    assert_eq!((found[0].0.as_str(), found[0].1), ("HP1401", 3));
}

#[test]
fn a_section_that_only_hotplate_reads_is_an_error() {
    let text = "heat_template_version: 2018-08-31\ncapabilities: {deployment: puppet}\n";
    let sandbox = Sandbox::new(&[("a.yaml", text)]);
    let shown = sandbox.hotplate("check a.yaml").assert().code(1);
    shown.stdout(contains("error[HP0216]")).stdout(contains("--> a.yaml:2:1"));
}

#[test]
fn members_of_a_group_of_unknown_size_are_checked() {
    let template = |count: &str| {
        format!(
            "parameters: {{n: {{type: number}}}}
resources:
  group:
    type: OS::Heat::ResourceGroup
    properties:
      count: {count}
      resource_def: {{type: OS::Neutron::Net, properties: {{nam: x}}}}
"
        )
    };
    is(&template("{get_param: n}"), &[("HP1001", 8)]);
    is(&template("0"), &[("HP1201", 2)]);
    let sandbox = Sandbox::new(&[("t.yaml", format!("{HOT}{}", template("{get_param: n}")))]);
    let shown = sandbox.hotplate("check t.yaml").assert().code(0);
    shown.stdout(contains("Heat refuses this unless the group is empty"));
    sandbox.hotplate("check t.yaml -P n=1").assert().code(1);
}

#[test]
fn a_cycle_through_what_a_plugin_of_heat_adds() {
    let template = "\
resources:
  net: {type: OS::Neutron::Net}
  port: {type: OS::Neutron::Port, properties: {network: {get_resource: net}}}
  subnet:
    type: OS::Neutron::Subnet
    depends_on: port
    properties: {network: {get_resource: net}, cidr: 10.0.0.0/24}
";
    is(template, &[("HP0707", 4)]);
}

#[test]
fn a_comparison_lists_what_a_plugin_of_heat_waits_for() {
    let template = "\
resources:
  net: {type: OS::Neutron::Net}
  port: {type: OS::Neutron::Port, properties: {network: {get_resource: net}}}
  subnet: {type: OS::Neutron::Subnet, properties: {network: {get_resource: net}, cidr: 10.0.0.0/24}}
";
    let text = format!("{HOT}{template}");
    let sandbox = Sandbox::new(&[("old.yaml", text.clone()), ("new.yaml", text)]);
    let output = sandbox.hotplate("diff --format json old.yaml new.yaml").output();
    let report: Value = serde_json::from_slice(&output.expect("hotplate").stdout).expect("JSON");
    let resources = report["resources"].as_array().expect("resources");
    let port = resources.iter().find(|it| it["name"] == "port").expect("the port");
    assert_eq!(port["depends_on"], serde_json::json!(["net", "subnet"]));
}
