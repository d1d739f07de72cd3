//! `hotplate check --fix`: which findings are fixed, what is written, and what is reported then.

use predicates::prelude::*;
use predicates::str::{contains, is_empty};

use crate::cli::sandbox::Sandbox;

/// Two safe fixes (a name, a comment), and three unsafe ones (a name that was probably meant, a type whose service is gone, a
/// parameter).
const TEMPLATE: &str = "\
heat_template_version: 2018-08-31
parameters:
  unused: {type: string, default: x}  # why
resources:
  nested: {type: lib/nested.yaml}
  # hotplate: ignore HP1201 no longer
  port: {type: OS::Neutron::Port, properties: {network_id: a, nmae: b}}
  balancer: {type: OS::Neutron::LBaaS::LoadBalancer, properties: {vip_subnet: s}}
";

const SAFE: &str = "\
heat_template_version: 2018-08-31
parameters:
  unused: {type: string, default: x}  # why
resources:
  nested: {type: lib/nested.yaml}
  port: {type: OS::Neutron::Port, properties: {network: a, nmae: b}}
  balancer: {type: OS::Neutron::LBaaS::LoadBalancer, properties: {vip_subnet: s}}
";

const NESTED: &str = "\
heat_template_version: 2018-08-31
resources:
  port: {type: 'OS::Quantum::Port', properties: {network_id: a}}
";

fn sandbox() -> Sandbox {
    Sandbox::new(&[("a.yaml", TEMPLATE), ("b.yaml", TEMPLATE), ("lib/nested.yaml", NESTED)])
}

fn json(output: &[u8]) -> serde_json::Value {
    serde_json::from_slice(output).expect("JSON")
}

#[test]
fn safe_fixes_are_written_and_what_remains_is_reported() {
    let sandbox = sandbox();
    let output = sandbox.hotplate("check --fix a.yaml --format json").assert().code(1);
    let report = json(&output.get_output().stdout);
    assert_eq!(sandbox.text("a.yaml"), SAFE);
    assert_eq!(
        sandbox.text("lib/nested.yaml"),
        NESTED.replace("Quantum", "Neutron").replace("network_id", "network")
    );
    let codes = |key: &str| -> Vec<String> {
        let findings = report[key].as_array().expect("findings");
        findings.iter().map(|it| it["code"].as_str().expect("a code").to_owned()).collect()
    };
    assert_eq!(codes("fixed"), ["HP0801", "HP1103", "HP1105", "HP1103"]);
    assert_eq!(codes("findings"), ["HP1201", "HP1001", "HP1101"]);
    assert!(
        report["fixed"].as_array().expect("fixed").iter().all(|it| it["fix"]["safety"] == "safe")
    );
    assert!(
        report["findings"]
            .as_array()
            .expect("findings")
            .iter()
            .all(|it| it["fix"]["safety"] == "unsafe")
    );
    sandbox.hotplate("check --fix a.yaml").assert().code(1).stderr(is_empty());
    assert_eq!(sandbox.text("a.yaml"), SAFE, "a second run changes nothing");
}

#[test]
fn unsafe_fixes_are_the_others_too() {
    let sandbox = sandbox();
    sandbox
        .hotplate("check --unsafe-fixes a.yaml")
        .assert()
        .code(0)
        .stdout("1 template: no findings; 7 fixed\n")
        .stderr(contains(
            "fixed a.yaml:7:63: HP1001: `OS::Neutron::Port` has no property `nmae` (writes `name`)",
        ));
    let text = sandbox.text("a.yaml");
    assert!(text.contains("network: a, name: b") && text.contains("OS::Octavia::LoadBalancer"));
    assert!(!text.contains("unused") && text.contains("# why"), "comments stay: {text}");
}

#[test]
fn a_file_that_several_templates_nest_is_changed_once() {
    let sandbox = sandbox();
    let output = sandbox.hotplate("check --fix . --format json").assert().code(1);
    let report = json(&output.get_output().stdout);
    let fixed = report["fixed"].as_array().expect("fixed");
    let nested = fixed
        .iter()
        .filter(|it| it["place"]["path"].as_str().is_some_and(|it| it.ends_with("nested.yaml")));
    assert_eq!(nested.count(), 2);
    assert_eq!(sandbox.text("b.yaml"), SAFE);
}

#[test]
fn a_patch_instead_of_a_change() {
    let sandbox = sandbox();
    sandbox
        .hotplate("check --diff a.yaml")
        .assert()
        .code(1)
        .stdout(
            contains("-  # hotplate: ignore HP1201 no longer\n")
                .and(contains("+++ b/lib/nested.yaml\n")),
        )
        .stderr(contains("`--fix` fixes 4, `--unsafe-fixes` fixes 3 more"));
    assert_eq!(sandbox.text("a.yaml"), TEMPLATE);
    sandbox
        .hotplate("check --diff --unsafe-fixes a.yaml")
        .assert()
        .code(1)
        .stdout(contains("+  balancer: {type: OS::Octavia"));
    // Standard input has a patch, and cannot be written.
    sandbox
        .hotplate("check --diff -")
        .write_stdin(NESTED)
        .assert()
        .code(1)
        .stdout(contains("-  port: "));
    let stdin = sandbox.hotplate("check --fix -").write_stdin(NESTED).assert().code(2);
    stdin.stderr(contains("cannot be written to standard input"));
    sandbox.hotplate("check --diff --format json a.yaml").assert().code(2);
}

#[test]
fn what_is_not_reported_is_not_fixed() {
    let kept = "\
heat_template_version: 2015-04-30
resources:
  one: {type: OS::Neutron::Port, properties: {network_id: a}}  # hotplate: ignore HP1103 a test
  other: {type: OS::Neutron::Port, properties: {network_id: a}}
";
    let sandbox = Sandbox::new(&[("a.yaml", kept)]);
    for options in ["--ignore HP1103", "--select HP1201", "--heat kilo"] {
        sandbox.hotplate(&format!("check --fix {options} a.yaml")).assert().code(0);
        assert_eq!(sandbox.text("a.yaml"), kept, "{options}");
    }
    sandbox.hotplate("check --write-baseline known.json a.yaml").assert().code(0);
    sandbox.hotplate("check --fix --baseline known.json a.yaml").assert().code(0);
    assert_eq!(sandbox.text("a.yaml"), kept);
    sandbox.hotplate("check --fix a.yaml").assert().code(0).stdout(contains("1 fixed"));
    assert_eq!(
        sandbox.text("a.yaml").matches("network_id").count(),
        1,
        "the other one is suppressed"
    );
}

#[test]
fn an_environment_decides_what_a_type_is() {
    let template = "\
heat_template_version: 2018-08-31
resources:
  port: {type: OS::Neutron::Port, properties: {network_id: a}}
";
    let port = "heat_template_version: 2018-08-31\nparameters: {network_id: {type: string}}\noutputs: {o: {value: {get_param: network_id}}}\n";
    let environment = "resource_registry: {'OS::Neutron::Port': port.yaml}\n";
    let sandbox =
        Sandbox::new(&[("a.yaml", template), ("port.yaml", port), ("env.yaml", environment)]);
    sandbox.hotplate("check --fix -e env.yaml a.yaml").assert().code(0);
    assert_eq!(sandbox.text("a.yaml"), template);
}

#[test]
fn files_that_cannot_be_read_or_rendered_stay() {
    let jinja = "heat_template_version: 2018-08-31\nresources:\n{% for i in l %}\n  a: {type: OS::Quantum::Net}\n{% endfor %}\n";
    let sandbox = Sandbox::new(&[("a.yaml", "heat_template_version: [\n"), ("b.j2.yaml", jinja)]);
    sandbox.hotplate("check --fix a.yaml").assert().code(2).stdout(contains("error["));
    assert_eq!(sandbox.text("a.yaml"), "heat_template_version: [\n");
    sandbox.hotplate("check --fix .").assert().stdout(contains("not checked: 1 Jinja2 template"));
    assert_eq!(sandbox.text("b.j2.yaml"), jinja);
}

#[test]
fn a_fix_that_is_left_out_is_reported() {
    let template = "\
heat_template_version: 2018-08-31
parameter_groups: [{label: all, parameters: [grouped]}]
parameters:
  grouped: {type: string, default: x}
  alone: {type: string, default: x}
resources: {}
";
    let sandbox = Sandbox::new(&[("a.yaml", template)]);
    let run = sandbox.hotplate("check --select HP1201 --unsafe-fixes a.yaml").assert().code(0);
    run.stdout(contains("`grouped`").and(contains("no option fixes it")).and(contains("1 fixed")));
    let text = sandbox.text("a.yaml");
    assert!(text.contains("  grouped:") && !text.contains("alone"), "{text}");
    // What has a fix says nothing of this kind.
    let grouped = template.replace("parameter_groups: [{label: all, parameters: [grouped]}]\n", "");
    let sandbox = Sandbox::new(&[("a.yaml", grouped.as_str())]);
    let run = sandbox.hotplate("check --select HP1201 a.yaml").assert().code(0);
    run.stdout(contains("removes the parameter").and(contains("no option").not()));
}

#[test]
fn old_names_in_an_environment_are_fixed() {
    let template = "\
heat_template_version: 2018-08-31
resources:
  port: {type: My::Port, properties: {network: a}}
  net: {type: My::Net}
";
    let environment = "\
resource_registry:
  My::Port: OS::Quantum::Port  # ours
  My::Net: OS::Quantum::Net
  OS::Quantum::Net: OS::Neutron::Net
";
    let sandbox = Sandbox::new(&[("a.yaml", template), ("env.yaml", environment)]);
    let command = "check --select HP1105 -e env.yaml a.yaml";
    let run = sandbox.hotplate(command).assert().code(0);
    run.stdout(
        contains("`OS::Quantum::Port` is an old name of `OS::Neutron::Port`")
            .and(contains("`--fix` writes `OS::Neutron::Port`"))
            .and(contains("`OS::Quantum::Net` is an old name").not()),
    );
    sandbox.hotplate(&format!("{command} --fix")).assert().code(0).stdout(contains("1 fixed"));
    assert_eq!(sandbox.text("env.yaml"), environment.replace("Quantum::Port", "Neutron::Port"));
}

#[test]
fn a_fix_that_replaces_resources_says_so() {
    let member = "member: {type: OS::Octavia::PoolMember, properties: {pool: {get_resource: pool}, address: 10.0.0.1, protocol_port: 80}}";
    let pool = "pool: {type: OS::Neutron::LBaaS::Pool, properties: {listener: l, protocol: HTTP, lb_algorithm: ROUND_ROBIN}}";
    let template = format!("heat_template_version: 2018-08-31\nresources:\n  {pool}\n  {member}\n");
    let environment = "resource_registry: {'OS::Octavia::PoolMember': 'OS::Heat::None'}\n";
    let sandbox = Sandbox::new(&[("a.yaml", template.as_str()), ("env.yaml", environment)]);
    let update = "which is the same only if no stack with `pool` is running; an update of a running stack: `pool` is replaced";
    let run = sandbox.hotplate("check a.yaml").assert().code(0);
    run.stdout(contains(format!("{update}, and 1 more with it: `member`")));
    // With the environments of the run.
    let run = sandbox.hotplate("check -e env.yaml a.yaml --format json").assert().code(0);
    let report = json(&run.get_output().stdout);
    let findings = report["findings"].as_array().expect("findings");
    let fixes: Vec<&str> = findings.iter().filter_map(|it| it["fix"]["change"].as_str()).collect();
    assert!(fixes.iter().any(|it| it.ends_with(update)), "{fixes:?}");
}

/// Every choice of parameters that nothing uses, in every style: adjacent ones are removed together, comments stay.
#[test]
fn adjacent_removals_are_one_removal() {
    let declared = ["a", "b", "c", "d"];
    let block =
        |name: &str| format!("  # about {name}\n  {name}:\n    type: string\n    default: x\n");
    let line = |name: &str| format!("  {name}: {{type: string, default: x}}\n\n");
    for used in 0..1usize << declared.len() {
        let is_used =
            |name: &&str| used >> declared.iter().position(|it| it == name).expect("one") & 1 == 1;
        let used: Vec<&str> = declared.into_iter().filter(is_used).collect();
        let values: Vec<String> =
            used.iter().map(|name| format!("{{get_param: {name}}}")).collect();
        let flow: Vec<String> =
            declared.iter().map(|name| format!("{name}: {{type: string, default: x}}")).collect();
        let template = |parameters: String| {
            format!(
                "heat_template_version: 2018-08-31\n{parameters}outputs: {{o: {{value: [{}]}}}}\n",
                values.join(", ")
            )
        };
        let blocks: String = declared.map(block).concat();
        let lines: String = declared.map(line).concat();
        let sandbox = Sandbox::new(&[
            ("block.yaml", template(format!("parameters:\n{blocks}"))),
            ("lines.yaml", template(format!("parameters:\n{lines}"))),
            ("flow.yaml", template(format!("parameters: {{{}}}\n", flow.join(", ")))),
        ]);
        let run = sandbox.hotplate("check --select HP1201 --unsafe-fixes --format json .").assert();
        let report = json(&run.code(0).get_output().stdout);
        let removed = 3 * (declared.len() - used.len());
        assert_eq!(report["fixed"].as_array().map(Vec::len), Some(removed), "{report}");
        assert_eq!(
            (&report["findings"], &report["left_out"]),
            (&serde_json::json!([]), &serde_json::json!([]))
        );
        for name in sandbox.names() {
            let text = sandbox.text(&name);
            for parameter in declared {
                let is_kept = text.contains(&format!("  {parameter}: {{"))
                    || text.contains(&format!("  {parameter}:\n"))
                    || text.contains(&format!("{{{parameter}: {{"))
                    || text.contains(&format!(", {parameter}: {{"));
                assert_eq!(is_kept, used.contains(&parameter), "{name}: {parameter}\n{text}");
                // All pairs are removed with their section.
                let has_comment = text.contains(&format!("# about {parameter}\n"));
                assert!(has_comment || name != "block.yaml", "{parameter}\n{text}");
            }
        }
    }
}

/// Fixes that are possible only after others: one run does all, writes each file once, and `--diff` prints the same.
#[test]
fn one_run_reaches_the_end() {
    let template = "\
heat_template_version: 2018-08-31
parameters:
  first: {type: string, default: x}
  second: {type: string, default: x}
conditions:
  outer: {or: [middle, {equals: [{get_param: first}, x]}]}
  middle: {not: inner}
  inner: {equals: [{get_param: second}, x]}
resources:
  port: {type: OS::Neutron::Port, properties: {network_id: a}}  # hotplate: ignore HP1102 no longer
";
    let after = "\
heat_template_version: 2018-08-31
resources:
  port: {type: OS::Neutron::Port, properties: {network: a}}
";
    let sandbox = Sandbox::new(&[("a.yaml", template)]);
    let patch = sandbox.hotplate("check --unsafe-fixes --diff a.yaml").assert().code(1);
    let patch = String::from_utf8(patch.get_output().stdout.clone()).expect("text");
    let run = sandbox.hotplate("check --unsafe-fixes --format json a.yaml").assert().code(0);
    let report = json(&run.get_output().stdout);
    assert_eq!(sandbox.text("a.yaml"), after, "{report}");
    let added: Vec<&str> = patch.lines().filter(|line| line.starts_with('+')).collect();
    assert_eq!(
        added,
        ["+++ b/a.yaml", "+  port: {type: OS::Neutron::Port, properties: {network: a}}"]
    );
    // Every place is one of the text before the run.
    let places: Vec<(i64, &str)> = report["fixed"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|it| {
            (
                it["place"]["start"]["line"].as_i64().expect("a line"),
                it["code"].as_str().expect("a code"),
            )
        })
        .collect();
    let expected = [
        (3, "HP1201"),
        (4, "HP1201"),
        (6, "HP1202"),
        (7, "HP1202"),
        (8, "HP1202"),
        (10, "HP1103"),
        (10, "HP0903"),
    ];
    assert_eq!(
        places.iter().map(|it| it.0).collect::<Vec<_>>(),
        expected.iter().map(|it| it.0).collect::<Vec<_>>(),
        "{places:?}"
    );
    let again = sandbox.hotplate("check --unsafe-fixes --format json a.yaml").assert().code(0);
    assert_eq!(json(&again.get_output().stdout)["fixed"], serde_json::json!([]));
    assert_eq!(sandbox.text("a.yaml"), after);
}

/// Each mistake has a fix when it is alone; in one template with any others, none is left after one run.
#[test]
fn of_planted_mistakes_that_have_a_fix_none_is_left() {
    let planted: [(&str, &str); 9] = [
        ("parameters", "  unused@: {type: string, default: x}\n"),
        ("parameters", "  unused_block@:\n    type: string\n    default: x\n"),
        ("conditions", "  unused@: {equals: [a, b]}\n"),
        ("resources", "  name@: {type: OS::Neutron::Port, properties: {network_id: a}}\n"),
        ("resources", "  alias@: {type: 'OS::Quantum::Net'}\n"),
        (
            "resources",
            "  misspelled@: {type: OS::Neutron::Port, properties: {network: a, nmae: b}}\n",
        ),
        (
            "resources",
            "  gone@: {type: OS::Neutron::LBaaS::LoadBalancer, properties: {vip_subnet: s}}\n",
        ),
        (
            "resources",
            "  # hotplate: ignore HP1201 no longer\n  comment@: {type: OS::Neutron::Net}\n",
        ),
        ("resources", "  unknown@: {type: OS::Neutron::Nett}\n"),
    ];
    let template = |chosen: &[usize]| {
        let mut text = "heat_template_version: 2018-08-31\noutputs: {}\n".to_owned();
        for section in ["parameters", "conditions", "resources"] {
            let of_section =
                chosen.iter().enumerate().filter(|(_, kind)| planted[**kind].0 == section);
            let lines: String = of_section
                .map(|(number, kind)| planted[*kind].1.replace('@', &number.to_string()))
                .collect();
            if !lines.is_empty() {
                text += &format!("{section}:\n{lines}");
            }
        }
        text
    };
    // Each kind alone, then with itself, then growing windows over all kinds.
    let kinds = 0..planted.len();
    let mut choices: Vec<Vec<usize>> = kinds.clone().map(|kind| vec![kind]).collect();
    choices.extend(kinds.clone().map(|kind| vec![kind; 3]));
    choices.extend(kinds.clone().flat_map(|from| {
        (2..7).map(move |count| (0..count).map(|at| (from + at * 2) % 9).collect())
    }));
    choices.push(kinds.clone().chain(kinds.clone().rev()).chain(kinds).collect());
    let files: Vec<(String, String)> = choices
        .iter()
        .enumerate()
        .map(|(at, chosen)| (format!("{at}.yaml"), template(chosen)))
        .collect();
    let named: Vec<(&str, &str)> =
        files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let sandbox = Sandbox::new(&named);
    let run = sandbox.hotplate("check --unsafe-fixes --format json .").assert().code(0);
    let report = json(&run.get_output().stdout);
    assert_eq!(report["findings"], serde_json::json!([]));
    let fixed = report["fixed"].as_array().map_or(0, Vec::len);
    let wanted: usize = choices.iter().map(Vec::len).sum();
    assert_eq!(fixed, wanted, "{report}");
    let texts: Vec<String> = sandbox.names().iter().map(|name| sandbox.text(name)).collect();
    sandbox.hotplate("check --unsafe-fixes .").assert().code(0);
    assert_eq!(sandbox.names().iter().map(|name| sandbox.text(name)).collect::<Vec<_>>(), texts);
}

#[test]
fn what_is_left_out_is_counted_with_its_place_and_reason() {
    let template = "\
heat_template_version: 2018-08-31
parameter_groups: [{label: all, parameters: [grouped]}]
parameters:
  grouped: {type: string, default: x}
  alone: {type: string, default: x}
";
    let sandbox = Sandbox::new(&[("a.yaml", template)]);
    let run = sandbox.hotplate("check --unsafe-fixes a.yaml").assert().code(0);
    let run = run.stdout(contains("1 fixed; 1 fix left out"));
    run.stderr(contains("left out a.yaml:4:3: HP1201").and(contains("`parameter_groups` lists")));
    let left_out = &sandbox.json("check --unsafe-fixes --format json a.yaml", 0)["left_out"];
    assert_eq!(left_out.as_array().map(Vec::len), Some(1));
    assert_eq!(
        (&left_out[0]["code"], &left_out[0]["place"]["start"]["line"]),
        (&"HP1201".into(), &4.into())
    );
    assert!(
        left_out[0]["reason"].as_str().is_some_and(|it| it.contains("`parameter_groups` lists"))
    );
    // A fix that is not requested is not left out.
    assert_eq!(
        sandbox.json("check --fix --format json a.yaml", 0)["left_out"],
        serde_json::json!([])
    );
}

/// A chain of conditions of which each is used only by the one before it: each round removes one.
#[test]
fn rounds_have_a_bound_that_only_absurd_templates_reach() {
    let chain = |count: usize| {
        let links: String =
            (0..count).map(|at| format!("  c{at}: {{not: c{}}}\n", at + 1)).collect();
        let last = format!("  c{count}: {{equals: [a, b]}}\n");
        format!("heat_template_version: 2018-08-31\nconditions:\n{links}{last}resources: {{}}\n")
    };
    let (long, absurd) = (chain(40), chain(110));
    let sandbox = Sandbox::new(&[("long.yaml", &long), ("absurd.yaml", &absurd)]);
    let run = "check --unsafe-fixes --select HP1202,HP0415 --format json";
    assert_eq!(sandbox.json(&format!("{run} long.yaml"), 0)["findings"], serde_json::json!([]));
    let report = sandbox.json(&format!("{run} absurd.yaml"), 0);
    let unfinished = report["findings"].as_array().expect("a list");
    let unfinished = unfinished.iter().find(|it| it["code"] == "HP0415").expect("a finding");
    assert_eq!(unfinished["place"]["path"], "absurd.yaml");
    assert!(unfinished["help"][0].as_str().is_some_and(|it| it.contains("run the command again")));
    let again = sandbox.json(&format!("{run} absurd.yaml"), 0);
    assert_eq!(again["findings"], serde_json::json!([]));
    assert!(!sandbox.text("absurd.yaml").contains("conditions"));
}

/// Each way in which a file refers to a parameter of another file, with the place that does. The parameter stays, whatever part of
/// the project is checked, and no file has an error that it did not have.
#[test]
fn what_other_files_refer_to_is_neither_removed_nor_renamed() {
    const HEAD: &str = "heat_template_version: 2018-08-31\n";
    const NET: &str = "resources:\n  n: {type: OS::Neutron::Net}\n";
    let child = format!(
        "{HEAD}parameters:\n  passed: {{type: string, default: x}}\n  alone: {{type: string, default: x}}\n{NET}"
    );
    let parent = |resource: &str| {
        format!(
            "{HEAD}parameters:\n  flag: {{type: boolean, default: false}}\nconditions:\n  never: {{get_param: flag}}\nresources:\n{resource}"
        )
    };
    let group = "type: OS::Heat::ResourceGroup, properties: {count: 0, resource_def: {type: child.yaml, properties: {passed: a}}}";
    let scaled = "type: OS::Heat::AutoScalingGroup, properties: {min_size: 0, max_size: 0, resource: {type: child.yaml, properties: {passed: a}}}";
    let within = "type: OS::Heat::ResourceGroup, properties: {count: 1, resource_def: {type: OS::Heat::ResourceGroup, properties: {count: 1, resource_def: {type: child.yaml, properties: {passed: a}}}}}";
    let kinds: [(&str, &str, String); 8] = [
        (
            "named",
            "parent.yaml",
            parent("  c:\n    type: child.yaml\n    properties: {passed: a}\n"),
        ),
        (
            "disabled",
            "parent.yaml",
            parent("  c: {type: child.yaml, condition: never, properties: {passed: a}}\n"),
        ),
        ("group", "parent.yaml", parent(&format!("  c: {{{group}}}\n"))),
        ("scaled", "parent.yaml", parent(&format!("  c: {{{scaled}}}\n"))),
        ("within", "parent.yaml", parent(&format!("  c: {{{within}}}\n"))),
        ("environment", "some.env.yaml", "parameters: {passed: a}\n".to_owned()),
        (
            "configuration",
            "hotplate.toml",
            "[[deployment]]\ntemplate = \"child.yaml\"\n[deployment.parameters]\npassed = \"a\"\n"
                .to_owned(),
        ),
        (
            "environment of the configuration",
            "some.env.yaml",
            "parameters: {passed: a}\n".to_owned(),
        ),
    ];
    for (name, path, text) in kinds {
        for arguments in ["child.yaml", "."] {
            let mut files = vec![("child.yaml", child.as_str()), (path, &text)];
            if name == "environment of the configuration" {
                let config = "[[deployment]]\ntemplate = \"child.yaml\"\nenvironments = [\"some.env.yaml\"]\n";
                files.push(("hotplate.toml", config));
            }
            let sandbox = Sandbox::new(&files);
            let report =
                sandbox.json(&format!("check --unsafe-fixes --format json {arguments}"), 0);
            let after = sandbox.text("child.yaml");
            assert!(
                after.contains("passed") && !after.contains("alone"),
                "{name}: {arguments}: {after}"
            );
            let reason = report["left_out"][0]["reason"].as_str().unwrap_or_default();
            assert!(reason.contains(path), "{name}: {arguments}: {report}");
            let again = sandbox.json("check --format json .", 0);
            assert_eq!(again["summary"]["severities"].get("error"), None, "{name}: {again}");
        }
    }
}

/// An environment of two templates: the name that one of them does not declare is that of the other one's parameter.
#[test]
fn a_name_in_an_environment_is_not_renamed_for_one_of_two_templates() {
    let template = |name: &str| {
        format!(
            "heat_template_version: 2018-08-31\nparameters:\n  {name}: {{type: string}}\noutputs:\n  o: {{value: {{get_param: {name}}}}}\n"
        )
    };
    let (one, two) = (template("flavor"), template("flavour"));
    let config = "[[deployment]]\ntemplate = \"*.yaml\"\nenvironments = [\"e.env\"]\n";
    let environment = "parameters: {flavor: a}\n";
    let sandbox = Sandbox::new(&[
        ("one.yaml", one.as_str()),
        ("two.yaml", &two),
        ("e.env", environment),
        ("hotplate.toml", config),
    ]);
    let report = sandbox.json("check --unsafe-fixes --format json .", 1);
    assert_eq!(sandbox.text("e.env"), environment, "{report}");
}

/// A misspelled function is data for Heat: what was meant is reported, and what it names is not unused.
#[test]
fn misspelled_functions_are_fixed_and_what_they_name_stays() {
    let functions = [
        ("get_parm", "{get_parm: p}", "get_param"),
        ("get_resorce", "{get_resorce: n}", "get_resource"),
        ("str_replce", "{str_replce: {template: x, params: {x: {get_param: p}}}}", "str_replace"),
        ("list_jion", "{list_jion: ['', [{get_param: p}]]}", "list_join"),
        ("Fn::Selct", "{'Fn::Selct': [0, [{get_param: p}]]}", "Fn::Select"),
        ("map_mrge", "{list_join: ['', [{map_mrge: [{a: {get_parm: p}}]}]]}", "map_merge"),
    ];
    for (name, call, meant) in functions {
        let version = if name.starts_with("Fn") { "2013-05-23" } else { "2018-08-31" };
        for place in ["properties: {name: @}", "metadata: {a: [@]}"] {
            let place = place.replace('@', call);
            let template = format!(
                "heat_template_version: {version}\nparameters:\n  p: {{type: string, default: a}}\nresources:\n  n: {{type: OS::Neutron::Net}}\n  r: {{type: OS::Neutron::Net, {place}}}\n"
            );
            let sandbox = Sandbox::new(&[("a.yaml", template.as_str())]);
            let _ = sandbox.hotplate("check --unsafe-fixes a.yaml").assert();
            let text = sandbox.text("a.yaml");
            assert!(text.contains(meant) && !text.contains(name), "{call}: {text}");
            assert_eq!(
                text.contains("  p: {type"),
                text.contains("get_param: p"),
                "{call}: {text}"
            );
        }
    }
}

/// What stands under a misspelled key is used as soon as the key is corrected.
#[test]
fn what_a_misspelled_key_contains_is_not_unused() {
    let template = "\
heat_template_version: 2018-08-31
parameters:
  name: {type: string}
resources:
  net:
    type: OS::Neutron::Net
    propertes: {name: {get_param: name}}
";
    let sandbox = Sandbox::new(&[("a.yaml", template)]);
    sandbox.hotplate("check --unsafe-fixes a.yaml").assert().code(0);
    assert_eq!(sandbox.text("a.yaml"), template.replace("propertes", "properties"));
}

/// A fix or an upgrade of a text in another form is that form of the fixed or upgraded text: no other byte changes.
#[test]
fn whatever_the_form_of_a_text_only_what_is_fixed_changes() {
    let template = "\
# first
heat_template_version: 2015-04-30  # version
description: >
  folded
  text

parameters:
  used: {type: string}
  # above
  unused: {type: string, default: x}  # behind
  plain: {type: string, default: \"a b\"}   
resources:
  port: {type: OS::Neutron::Port, properties: {network_id: {get_param: used}, name: {get_param: plain}}}

  # between
  net:
    type: 'OS::Quantum::Net'
    properties:
      nmae: {get_param: used}
outputs:
  last: {value: {get_attr: [port, fixed_ips]}}
";
    type Form = (&'static str, fn(&str) -> String);
    let forms: [Form; 13] = [
        ("Windows", |text| text.replace('\n', "\r\n")),
        ("old Macintosh", |text| text.replace('\n', "\r")),
        ("byte order mark", |text| format!("\u{feff}{text}")),
        ("byte order mark and Windows", |text| format!("\u{feff}{}", text.replace('\n', "\r\n"))),
        ("document start", |text| format!("--- \n{text}")),
        ("document end", |text| format!("{text}...\n")),
        ("document end with a comment", |text| format!("{text}...  # end\n# behind\n")),
        ("no last line end", |text| text.trim_end().to_owned()),
        ("empty lines", |text| format!("\n\n{text}\n\n \n")),
        ("next line", |text| text.replace("# between", "# between\u{85}  # more")),
        ("line separator", |text| text.replace("# between", "# between\u{2028}  # more")),
        ("mixed", |text| {
            text.replacen("\nparameters", "\r\nparameters", 1).replace("# above\n", "# above\r\n")
        }),
        ("wide characters", |text| text.replace("# above", "# äöü 𝄞").replace("folded", "größe 𝄞")),
    ];
    for command in ["check --unsafe-fixes a.yaml", "upgrade --write --modernize a.yaml"] {
        let changed = |text: &str| {
            let sandbox = Sandbox::new(&[("a.yaml", text)]);
            let _ = sandbox.hotplate(command).assert();
            sandbox.text("a.yaml")
        };
        let plain = changed(template);
        assert_ne!(plain, template, "{command}");
        for (name, form) in forms {
            assert_eq!(changed(&form(template)), form(&plain), "{command}: {name}");
        }
    }
}
