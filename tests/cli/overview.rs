//! `hotplate check` of many findings: one screen, on which no error is missing, with what to do next.

use serde_json::Value;

use crate::cli::check::HOT;
use crate::cli::sandbox::Sandbox;

/// The standard output of a command.
fn printed(sandbox: &Sandbox, arguments: &str) -> String {
    let output = sandbox.hotplate(arguments).output().expect("hotplate");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// A template with this many unused parameters.
fn unused(count: usize, prefix: &str) -> String {
    let parameter = |at| format!("  {prefix}{at}: {{type: string, default: a}}\n");
    let parameters: String = (0..count).map(parameter).collect();
    format!("{HOT}parameters:\n{parameters}outputs: {{}}\n")
}

const BROKEN: &str = "resources:\n  z: {type: OS::Heat::TestResource, properties: {nope: 1}}\n";

#[test]
fn a_thousand_warnings_do_not_hide_the_only_error() {
    let broken = unused(400, "c") + BROKEN;
    let sandbox = Sandbox::new(&[
        ("a.yaml", unused(700, "a")),
        ("b.yaml", unused(1, "b")),
        ("c.yaml", broken),
    ]);
    let screen = printed(&sandbox, "check .");
    let lines: Vec<&str> = screen.lines().collect();
    assert!(lines.len() <= 10, "{screen}");
    assert_eq!(
        lines[..2],
        [
            "c.yaml:405:50: error[HP1001]: `OS::Heat::TestResource` has no property `nope`",
            "warning[HP1201]: 1101 × unused parameter: a.yaml (700), c.yaml (400), b.yaml (1)"
        ]
    );
    // Also where each finding is listed, and the list ends.
    for listed in ["check . --verbose", "check c.yaml a.yaml --select all"] {
        let text = printed(&sandbox, listed);
        assert!(text.starts_with("error[HP1001]"), "{}", &text[..200]);
    }
    let concise = printed(&sandbox, "check . --format concise");
    assert_eq!(concise.lines().filter(|line| line.contains("[HP")).count(), 1102);
    let at = concise.find("b.yaml:3:3: warning[HP1201]: ").expect("the finding");
    assert!(at < concise.find("c.yaml:3:3: ").expect("the next file"));
    let json: Value =
        serde_json::from_str(&printed(&sandbox, "check . --format json")).expect("JSON");
    assert_eq!(json["findings"].as_array().map(Vec::len), Some(1102));
}

#[test]
fn few_findings_and_requested_ones_are_listed() {
    for (count, arguments, is_list) in [
        (6, "check .", true),
        (7, "check .", false),
        (7, "check . --verbose", true),
        (7, "check . --select suspicious", true),
    ] {
        let sandbox = Sandbox::new(&[("a.yaml", unused(count, "p"))]);
        let text = printed(&sandbox, arguments);
        assert_eq!(text.matches(" --> a.yaml:").count() == count, is_list, "{arguments}: {text}");
        assert_eq!(text.contains("\nnext: "), !is_list, "{arguments}: {text}");
    }
}

#[test]
fn the_most_important_comes_first() {
    let text = format!(
        "{HOT}parameters:\n  a: {{type: string, default: a}}\n  b: {{type: string, default: a}}\nresources:\n  \
         own: {{type: Acme::Net}}\n  other: {{type: Acme::Net}}\n  \
         gone: {{type: OS::Sahara::Job, properties: {{type: Pig}}}}\n  \
         open:\n    type: OS::Neutron::SecurityGroup\n    properties:\n      rules: [{{protocol: tcp, port_range_min: 22, port_range_max: 22}}]\n  \
         wrong: {{type: OS::Heat::TestResource, properties: {{nope: 1}}}}\n  wrongs: {{type: OS::Heat::TestResource, properties: {{nope: 1}}}}\n"
    );
    let sandbox = Sandbox::new(&[("a.yaml", text)]);
    let screen = printed(&sandbox, "check .");
    let codes: Vec<&str> = screen
        .lines()
        .filter_map(|line| Some(&line[line.find("[HP")? + 1..line.find("[HP")? + 7]))
        .collect();
    let expected = ["HP1001", "HP1001", "HP1301", "HP1101", "HP1201", "HP0702"];
    assert_eq!(codes, expected, "{screen}");
    assert!(screen.contains("incomplete[HP0702]: 2 × "), "{screen}");
    assert!(screen.contains("\n1 template needs an environment that was not found"), "{screen}");
}

#[test]
fn the_last_line_says_what_to_do_next() {
    let needy = unused(9, "p") + "resources: {n: {type: Acme::Net}}\n";
    let last = |files: &[(&str, String)], arguments: &str| {
        let text = printed(&Sandbox::new(files), arguments);
        text.lines().last().unwrap_or_default().to_owned()
    };
    let steps = |deployments: &str| {
        format!(
            "next: `--unsafe-fixes` fixes 9; `hotplate explain HP1201` explains the most frequent; {deployments}; `--write-baseline \
             FILE` accepts what is there; `--verbose` shows each finding"
        )
    };
    assert_eq!(
        last(&[("a.yaml", needy.clone())], "check ."),
        steps("`hotplate deployments` lists the environments of each template")
    );
    // `init` is named where it has something to declare.
    let environment = ("a.env", "parameter_defaults: {other: 1}\n".to_owned());
    assert_eq!(
        last(&[("a.yaml", needy.clone()), environment], "check ."),
        steps("`hotplate init` declares what the templates are deployed with")
    );
    let sandbox = Sandbox::new(&[("a.yaml", needy), ("hotplate.toml", String::new())]);
    printed(&sandbox, "check . --ignore HP1201 --write-baseline known.json");
    let text = printed(&sandbox, "check . --baseline known.json");
    assert_eq!(
        text.lines().last().unwrap_or_default(),
        "next: `--unsafe-fixes` fixes 9; `hotplate explain HP1201` explains the most frequent; `--verbose` shows each finding"
    );
}
