//! No report of a comparison contains a secret, with any format and option, and however the
//! secret reaches the place where it is used; a change of the secret is still reported.

use std::fmt::Write;

use proptest::prelude::*;
use proptest::sample::subsequence;

use crate::cli::sandbox::Sandbox;

/// Uses of the parameter `secret` by a template: resources and outputs, each complete.
const USES: [(&str, &str); 20] = [
    (
        "resources",
        "password: {type: OS::Nova::Server, properties: {admin_pass: {get_param: secret}, flavor: f}}",
    ),
    (
        "resources",
        "script:
    type: OS::Nova::Server
    properties:
      flavor: f
      user_data:
        str_replace:
          params: {$it: {get_param: secret}}
          template: |
            #!/bin/sh
            echo before
            echo $it > /root/it
            echo after",
    ),
    (
        "resources",
        "metadata: {type: OS::Nova::Server, properties: {flavor: f, metadata: {a: {get_param: secret}, b: c}}}",
    ),
    (
        "resources",
        "own: {type: OS::Heat::Value, metadata: {a: [{get_param: secret}]}, properties: {value: b}}",
    ),
    (
        "resources",
        "glued: {type: OS::Heat::Value, properties: {value: {list_join: ['-', [a, {get_param: secret}]]}}}",
    ),
    (
        "resources",
        "digest: {type: OS::Heat::Value, properties: {value: {digest: [md5, {get_param: secret}]}}}",
    ),
    (
        "resources",
        "config: {type: OS::Heat::SoftwareConfig, properties: {config: {get_param: secret}}}",
    ),
    ("resources", "nested: {type: child.yaml, properties: {word: {get_param: secret}}}"),
    (
        "resources",
        "group: {type: OS::Heat::ResourceGroup, properties: {count: 2, resource_def: {type: OS::Heat::Value, properties: {value: {get_param: secret}}}}}",
    ),
    (
        "resources",
        "networks: {type: OS::Nova::Server, properties: {flavor: f, networks: [{network: a}, {network: {get_param: secret}}], security_groups: [{get_param: secret}], key_name: {get_param: secret}, image: {get_param: secret}}}",
    ),
    (
        "resources",
        "items: {type: OS::Heat::Value, properties: {type: json, value: [{name: {get_param: secret}, a: 1}, {name: b, a: 2}]}}",
    ),
    (
        "resources",
        "keys: {type: OS::Heat::Value, properties: {type: json, value: {map_replace: [{a: 1}, {keys: {a: {get_param: secret}}}]}}}",
    ),
    ("resources", "wrong: {type: OS::Cinder::Volume, properties: {size: {get_param: secret}}}"),
    (
        "resources",
        "rule: {type: OS::Neutron::SecurityGroup, properties: {rules: [{remote_ip_prefix: {get_param: secret}, protocol: {get_param: secret}}]}}",
    ),
    (
        "resources",
        "chosen: {type: OS::Heat::Value, condition: {equals: [{get_param: secret}, x]}, properties: {value: a}}",
    ),
    ("outputs", "plain: {value: {get_param: secret}}"),
    ("outputs", "merged: {value: {map_merge: [{a: b}, {c: {get_param: secret}}]}}"),
    (
        "outputs",
        "repeated: {value: {repeat: {for_each: {'%i%': [{get_param: secret}, b]}, template: 'a %i%'}}}",
    ),
    (
        "outputs",
        "url: {value: {make_url: {scheme: http, host: h, password: {get_param: secret}, username: u}}}",
    ),
    ("outputs", "pieces: {value: {str_split: ['-', {get_param: secret}]}}"),
];

/// A template that receives the secret without knowing that it is one.
const CHILD: &str = "heat_template_version: 2021-04-16
parameters: {word: {type: string}}
resources:
  inner: {type: OS::Nova::Server, properties: {flavor: f, admin_pass: {get_param: word}, user_data: {get_param: word}}}
outputs: {again: {value: {list_join: ['', [a, {get_param: word}]]}}}
";

/// The source of the parameter's value.
#[derive(Clone, Copy, Debug)]
enum From {
    Default,
    Environment,
    EnvironmentDefault,
    Option,
}

/// Writes the files of the old or the new deployment, and returns its options.
fn write(
    sandbox: &Sandbox,
    side: &str,
    secret: &str,
    other: &str,
    from: From,
    uses: &[usize],
) -> Vec<String> {
    let default = if let From::Default = from { secret } else { other };
    let mut text = format!(
        "heat_template_version: 2021-04-16
parameters:
  secret: {{type: string, hidden: true, default: {default}}}
"
    );
    for section in ["resources", "outputs"] {
        let uses: Vec<&str> =
            uses.iter().map(|at| USES[*at]).filter(|it| it.0 == section).map(|it| it.1).collect();
        if !uses.is_empty() {
            writeln!(text, "{section}:").expect("a text");
        }
        for one in uses {
            writeln!(text, "  {one}").expect("a text");
        }
    }
    sandbox.write(format!("{side}/stack.yaml"), text);
    sandbox.write(format!("{side}/child.yaml"), CHILD);
    let environment = |section: &str| {
        sandbox.write(format!("{side}/env.yaml"), format!("{section}: {{secret: {secret}}}\n"));
        vec!["-e".to_owned(), format!("{side}/env.yaml")]
    };
    match from {
        From::Default => Vec::new(),
        From::Environment => environment("parameters"),
        From::EnvironmentDefault => environment("parameter_defaults"),
        From::Option => vec!["-P".to_owned(), format!("secret={secret}")],
    }
}

/// Runs hotplate with arguments separated by blanks.
fn run(sandbox: &Sandbox, command: &str) -> std::process::Output {
    let arguments: Vec<&str> = command.split_whitespace().collect();
    sandbox.run(&arguments).output().expect("it runs")
}

fn formats(sandbox: &Sandbox) -> Vec<String> {
    let refused = run(sandbox, "diff old new --format ?").stderr;
    let refused = String::from_utf8(refused).expect("text");
    let values = refused.split("possible values: ").nth(1).expect("the formats");
    let values = values.split(']').next().expect("an end");
    values.split(',').map(|value| value.trim().to_owned()).collect()
}

/// Whether a text contains a recognizable part of a secret.
fn holds(text: &str, secret: &str) -> bool {
    (0..=secret.len() - 6).any(|at| text.contains(&secret[at..at + 6]))
}

fn any_secret() -> impl Strategy<Value = String> {
    "[jqxz][0-9jqxz]{11}-[jqxz]{6}"
}

fn any_from() -> impl Strategy<Value = From> {
    prop_oneof![
        Just(From::Default),
        Just(From::Environment),
        Just(From::EnvironmentDefault),
        Just(From::Option)
    ]
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 12,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn no_report_of_a_comparison_shows_a_secret(
        old in any_secret(),
        new in any_secret(),
        defaults in (any_secret(), any_secret()),
        from in any_from(),
        uses in subsequence((0..USES.len()).collect::<Vec<_>>(), 1..6),
    ) {
        prop_assume!(old != new);
        let sandbox = Sandbox::new::<&str>(&[]);
        let of_old = write(&sandbox, "old", &old, &defaults.0, from, &uses);
        let of_new = write(&sandbox, "new", &new, &defaults.1, from, &uses);
        let mut both = of_new.clone();
        // If the old side has its own options, those for both sides apply only to the new one.
        both.extend(of_old.iter().map(|it| match it.as_str() {
            "-e" => "--old-e".to_owned(),
            "-P" => "--old-P".to_owned(),
            other => other.to_owned(),
        }));
        let formats = formats(&sandbox);
        let mut asked = vec!["--stat".to_owned(), "--name-only".to_owned(), "--stat -v".to_owned()];
        for format in &formats {
            for more in ["", "--explain-match -v --context 50"] {
                asked.push(format!("--format {format} {more}"));
            }
        }
        let given = both.join(" ");
        for one in asked {
            let command = format!("diff old/stack.yaml new/stack.yaml {given} {one}");
            let output = run(&sandbox, &command);
            prop_assert_eq!(output.status.code(), Some(1), "{}\n{}", command, String::from_utf8_lossy(&output.stderr));
            for stream in [&output.stdout, &output.stderr] {
                let text = String::from_utf8_lossy(stream);
                for secret in [&old, &new, &defaults.0, &defaults.1] {
                    prop_assert!(!holds(&text, secret), "{}: {}\n{}", command, secret, text);
                }
            }
        }
        let command = format!("diff old/stack.yaml new/stack.yaml {given} --format json --show-secrets");
        let output = run(&sandbox, &command);
        let text = String::from_utf8_lossy(&output.stdout);
        prop_assert!(text.contains(&old) && text.contains(&new), "{}\n{}", command, text);
    }
}

/// A template that uses the hidden parameter `pw` in maps and lists where the type is wrong.
const MISTAKES: &str = "heat_template_version: 2018-08-31
parameters:
  pw: {type: string, hidden: true}
conditions:
  odd: {get_param: pw}
resources:
  server:
    type: OS::Nova::Server
    properties: {flavor: f, image: i, user_data: {str_replce: {template: x $p, params: {$p: {get_param: pw}}}}}
  group:
    type: OS::Neutron::SecurityGroup
    properties: {rules: {k: [{get_param: pw}]}, name: [{get_param: pw}]}
  chosen: {type: OS::Heat::Value, properties: {value: {if: [[{get_param: pw}], a, b]}}}
  kid: {type: child.yaml, properties: {count: {a: {get_param: pw}}}}
";

/// A template with a number, given something else.
const COUNTING_CHILD: &str = "heat_template_version: 2018-08-31
parameters: {count: {type: number}}
";

#[test]
fn secrets_inside_lists_and_maps_are_not_in_messages() {
    let sandbox = Sandbox::new(&[
        ("root.yaml", MISTAKES),
        ("child.yaml", COUNTING_CHILD),
        ("env.yaml", "parameters: {pw: hunter2hunter2}\n"),
    ]);
    let given = "root.yaml -e env.yaml";
    for command in [
        format!("check {given}"),
        format!("check {given} --format sarif --select all"),
        format!("check {given} --write-baseline known.json"),
        format!("eval {given} --nested"),
        format!("render {given} -t terraform"),
        format!("diff root.yaml {given}"),
        format!("diff root.yaml {given} --format html"),
    ] {
        let output = run(&sandbox, &command);
        let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        assert!(!text.contains("hunter2"), "{command}: {text}");
    }
    assert!(!sandbox.text("known.json").contains("hunter2"));
    let output = run(&sandbox, &format!("check {given}"));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("the value must be a list, but is `{'k': ['******']}`"), "{text}");
    assert!(text.contains("the value must be a string, but is `['******']`"), "{text}");
    assert!(text.contains("`str_replce` is not a function in version 2018-08-31"), "{text}");
}

#[test]
fn refusals_do_not_show_what_the_other_side_hides() {
    let hidden = "heat_template_version: 2018-08-31
parameters: {pw: {type: string, hidden: true}, shown: {type: string}}
resources:
  kid: {type: child.yaml, properties: {word: {get_param: shown}}}
outputs: {o: {value: {get_param: pw}}}
";
    let open = hidden
        .replace("string, hidden: true", "number")
        .replace("get_param: pw", "list_join: [5, [{get_param: pw}]]");
    let child =
        "heat_template_version: 2018-08-31\nparameters: {word: {type: string, hidden: true}}\n";
    let sandbox = Sandbox::new(&[
        ("old/root.yaml", hidden),
        ("old/child.yaml", child),
        ("new/root.yaml", open.as_str()),
        ("new/child.yaml", child),
        ("old.env.yaml", "parameters: {pw: hunter2hunter2, shown: wiesel7wiesel7}\n"),
        ("new.env.yaml", "parameters: {pw: hunter2hunter3, shown: wiesel7wiesel8}\n"),
    ]);
    for format in formats(&sandbox) {
        for (old, new) in [("old", "new"), ("new", "old")] {
            let command = format!(
                "diff {old}/root.yaml {new}/root.yaml --old-e {old}.env.yaml -e {new}.env.yaml --format {format} -v"
            );
            let output = run(&sandbox, &command);
            let text =
                String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
            assert!(!text.contains("hunter2"), "{command}: {text}");
            assert!(!text.contains("wiesel7"), "{command}: {text}");
        }
    }
}

#[test]
fn what_a_nested_template_of_one_side_hides_is_in_no_source() {
    let child = "heat_template_version: 2018-08-31
parameters: {x: {type: string}, shown: {type: string}}
";
    let root = "heat_template_version: 2018-08-31
resources:
  z: {type: OS::Heat::Value, properties: {value: [shown, &a hunter2a]}}
  a: {type: child.yaml, properties: {x: *a, shown: SIDE}}
  b: {type: child.yaml, properties: {x: hunter2b, x: hunter2c, shown: SIDE}}
  c: {type: OS::Heat::ResourceGroup, properties: {resource_def: {type: child.yaml, properties: {x: {a: hunter2d}, shown: SIDE}}}}
";
    let hiding = child.replace("x: {type: string", "x: {type: string, hidden: true");
    let sandbox = Sandbox::new(&[
        ("old/root.yaml", root.replace("SIDE", "one")),
        ("old/child.yaml", hiding),
        ("new/root.yaml", root.replace("SIDE", "two")),
        ("new/child.yaml", child.to_owned()),
    ]);
    for format in formats(&sandbox) {
        for (old, new) in [("old", "new"), ("new", "old")] {
            let command = format!("diff {old} {new} --format {format} --full --context 99");
            let output = run(&sandbox, &command);
            let text =
                String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
            assert!(!text.contains("hunter2"), "{command}: {text}");
            assert!(text.contains("two"), "{command}: {text}");
        }
    }
}
