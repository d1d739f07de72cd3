//! `hotplate check`: what is valid, but probably not intended, and what exposes secrets and ports.

use super::check::{HOT, findings, is};
use crate::cli::sandbox::Sandbox;

#[test]
fn conditions_that_are_always_the_same() {
    let conditions = |conditions: &str| {
        let names: Vec<&str> =
            conditions.lines().map(|line| line.split(':').next().expect("a name")).collect();
        let uses: String = names
            .iter()
            .map(|name| format!("  o{name}: {{value: {{if: [{name}, 1, 2]}}}}\n"))
            .collect();
        let defined: String = conditions.lines().map(|line| format!("  {line}\n")).collect();
        format!(
            "parameters:\n  n: {{type: number}}\n  b: {{type: boolean}}\n  l: {{type: comma_delimited_list}}\n  s: {{type: string}}\n  e: {{type: string, constraints: [{{allowed_values: [dev, prod]}}]}}\n  j: {{type: json}}\nconditions:\n{defined}outputs:\n  all: {{value: [{{get_param: n}}, {{get_param: b}}, {{get_param: l}}, {{get_param: s}}, {{get_param: e}}, {{get_param: j}}]}}\n{uses}"
        )
    };
    for (condition, is_constant) in [
        ("a: {equals: [{get_param: n}, '1']}", true),
        ("a: {equals: [{get_param: n}, 1]}", false),
        ("a: {equals: [{get_param: b}, 'true']}", true),
        ("a: {equals: [{get_param: b}, true]}", false),
        ("a: {equals: [{get_param: l}, '']}", true),
        ("a: {equals: [{get_param: l}, []]}", false),
        ("a: {equals: [{get_param: s}, 1]}", true),
        ("a: {equals: [{get_param: s}, '1']}", false),
        ("a: {equals: [{get_param: e}, production]}", true),
        ("a: {equals: [{get_param: e}, prod]}", false),
        ("a: {or: [{equals: [{get_param: e}, dev]}, {equals: [prod, {get_param: e}]}]}", true),
        ("a: {and: [{equals: [{get_param: s}, x]}, {equals: [{get_param: s}, y]}]}", true),
        ("a: {and: [{equals: [{get_param: s}, x]}, {equals: [{get_param: e}, dev]}]}", false),
        ("a: {or: [{get_param: b}, {not: {get_param: b}}]}", true),
        ("a: {equals: [{get_param: s}, {get_param: e}]}", false),
        ("a: {equals: [{get_param: j}, '']}", false),
        ("a: {equals: [{get_param: [j, x]}, 1]}", false),
        ("a: {equals: [{get_param: 'OS::stack_name'}, 1]}", false),
        ("a: true", false),
    ] {
        let expected: &[(&str, u64)] = if is_constant { &[("HP1206", 10)] } else { &[] };
        is(&conditions(condition), expected);
    }
    // What depends on it is constant for the same reason.
    let two = "a: {equals: [{get_param: n}, '1']}\nb: {not: a}\n";
    is(&conditions(two), &[("HP1206", 10)]);
    let nested = "parameters:\n  b: {type: boolean}\nconditions:\n  c: {get_param: b}\noutputs:\n  o: {value: {if: [c, {if: [c, 1, 2]}, {if: [{not: c}, 3, 4]}]}}\n  p: {condition: c, value: {if: [c, 1, 2]}}\n";
    is(nested, &[("HP1207", 7), ("HP1207", 7), ("HP1207", 8)]);
}

#[test]
fn constraints_that_exclude_each_other() {
    let parameter = |parameter: &str| {
        format!("parameters:\n  p: {{{parameter}}}\noutputs:\n  o: {{value: {{get_param: p}}}}\n")
    };
    for (constraints, expected) in [
        ("type: number, constraints: [{range: {min: 5, max: 1}}]", &["HP1210"][..]),
        ("type: number, constraints: [{range: {min: 1, max: 5}}]", &[]),
        ("type: string, constraints: [{length: {min: 5}}, {length: {max: 1}}]", &["HP1210"]),
        (
            "type: number, constraints: [{modulo: {step: 10, offset: 1}}, {range: {min: 2, max: 9}}]",
            &["HP1210"],
        ),
        ("type: string, constraints: [{allowed_values: [a]}, {allowed_values: [c]}]", &["HP1210"]),
        (
            "type: string, constraints: [{allowed_values: [a, b]}, {allowed_pattern: '[x-z]'}]",
            &["HP1210"],
        ),
        ("type: string, constraints: [{allowed_values: [a, bb]}, {length: {max: 1}}]", &["HP1211"]),
        ("type: string, constraints: [{allowed_values: [a, b]}, {length: {max: 1}}]", &[]),
        (
            "type: string, constraints: [{allowed_values: [a]}, {custom_constraint: nova.flavor}]",
            &[],
        ),
    ] {
        let expected: Vec<(&str, u64)> = expected.iter().map(|code| (*code, 3)).collect();
        is(&parameter(constraints), &expected);
    }
}

#[test]
fn placeholders_that_do_not_occur() {
    let value = |value: &str| format!("outputs:\n  o:\n    value: {{{value}}}\n");
    for (call, expected) in [
        ("str_replace: {template: a $b, params: {$b: 1}}", None),
        ("str_replace: {template: a $b, params: {$b: 1, $c: 2}}", Some("HP1208")),
        ("str_replace: {template: $ab, params: {$a: 1, $ab: 2}}", Some("HP1208")),
        ("str_replace: {template: $ab $a, params: {$a: 1, $ab: 2}}", None),
        ("str_replace: {template: {get_file: script.sh}, params: {$x: 1}}", None),
        ("str_replace: {template: {get_file: script.sh}, params: {$y: 1}}", Some("HP1208")),
        ("repeat: {template: $a$ab, for_each: {$a: [x], $ab: [y]}}", Some("HP1209")),
        ("repeat: {template: $a$ab, for_each: {$ab: [y], $a: [x]}}", None),
    ] {
        let sandbox = Sandbox::new(&[
            ("t.yaml", format!("{HOT}{}", value(call))),
            ("script.sh", "echo $x\n".to_owned()),
        ]);
        let found: Vec<String> =
            findings(&sandbox, "t.yaml").into_iter().map(|(code, _, _)| code).collect();
        assert_eq!(found, expected.map(str::to_owned).into_iter().collect::<Vec<_>>(), "{call}");
    }
}

#[test]
fn handles_without_signals_and_values_without_uses() {
    let handle = "resources:\n  h: {type: OS::Heat::WaitConditionHandle}\n";
    let wait = "  w: {type: OS::Heat::WaitCondition, properties: {handle: {get_resource: h}, timeout: 5}}\n";
    let signal =
        "  c: {type: OS::Heat::SoftwareConfig, properties: {config: {get_attr: [h, curl_cli]}}}\n";
    let output = "outputs:\n  o: {value: {get_resource: c}}\n";
    is(&format!("{handle}{wait}"), &[("HP1213", 3)]);
    is(&format!("{handle}{signal}{output}"), &[("HP1214", 3)]);
    is(&format!("{handle}{wait}{signal}{output}"), &[]);
    is(&format!("{handle}{wait}{signal}"), &[("HP1216", 5)]);
    // Who gets the output can signal it, and can wait for it.
    is(&format!("{handle}outputs:\n  o: {{value: {{get_attr: [h, endpoint]}}}}\n"), &[]);
    is(&format!("{handle}{wait}outputs:\n  o: {{value: {{get_attr: [h, endpoint]}}}}\n"), &[]);
}

/// What a request to validate the template does not find is a warning where Heat creates the stack without the output.
#[test]
fn references_that_fail_late_have_the_severity_of_heat() {
    let template = "resources:
  a: {type: OS::Neutron::Net, metadata: {x: {get_param: nope}}}
outputs:
  b: {value: {get_param: nope}}
  c: {value: {get_resource: nope}}
  d: {value: {get_attr: [nope, x]}}
  e: {value: {get_attr: [a, nope]}}
";
    let sandbox = Sandbox::new(&[("t.yaml", format!("{HOT}{template}"))]);
    let report = sandbox.json("check t.yaml --format json", 1);
    let finding = |finding: &serde_json::Value| {
        let severity = finding["severity"].as_str().expect("a severity").to_owned();
        (severity, finding["place"]["start"]["line"].as_u64().expect("a line"))
    };
    let found: Vec<(String, u64)> =
        report["findings"].as_array().expect("findings").iter().map(finding).collect();
    let expected = [("error", 3), ("warning", 5), ("warning", 6), ("error", 7), ("error", 8)];
    assert_eq!(found, expected.map(|(severity, line)| (severity.to_owned(), line)));
}
